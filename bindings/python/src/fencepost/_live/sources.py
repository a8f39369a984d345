"""Where fixes come from: a file or a pipe, and what a source is."""

from __future__ import annotations

import os
from collections.abc import Iterator

from .formats import Decoder, Found, make_decoder

PIECE = 65_536
"""Bytes that are read at a time."""


class Source:
    """A file or pipe; `read` does not block once the descriptor is readable.

    Attributes:
        descriptor: To wait for; None: there is nothing to wait for now (see :attr:`retry_at`).
        retry_at: When :meth:`reconnect` is to be called, by the monotonic clock; None: it is connected.
        has_more: Whether the last read did not reach what is there.
        reconnects: How often it was connected to anew.
    """

    reconnects = 0

    def __init__(self, descriptor: int, name: str, decoder: Decoder) -> None:
        self.descriptor: int | None = descriptor
        self.name = name
        self.retry_at: float | None = None
        self.has_more = False
        self._decoder = decoder

    def read(self) -> Iterator[Found] | None:
        """The fixes that are complete now; None at the end, when all have been given.

        Raises:
            OSError: It cannot be read on: a serial port was pulled out, for example.
        """
        assert self.descriptor is not None
        try:
            data = os.read(self.descriptor, PIECE)
        except OSError as error:
            raise OSError(error.errno, error.strerror, self.name) from None
        self.has_more = len(data) == PIECE
        return self._decoder.take(data) if data else None

    def rest(self) -> Iterator[Found]:
        """After the end: the fixes that are complete because nothing more comes."""
        return self._decoder.end()

    def taken(self, count: int) -> None:
        """So many of what :meth:`read` gave, in its order, have been fed."""

    def reconnect(self) -> None:
        """Tries to connect again."""

    def close(self) -> None:
        """Ends the use of the descriptor; standard input stays open."""
        if self.descriptor is not None and self.descriptor > 2:
            os.close(self.descriptor)
        self.descriptor = None


def open_file(source: str, format: str = "auto", decoder: Decoder | None = None) -> Source:
    """A file or pipe, ``-`` for standard input.

    Args:
        source: Which.
        format: auto, jsonl, nmea or gpx.
        decoder: What reads it; None: that of the format.

    Raises:
        OSError: It cannot be opened.
    """
    if source == "-":
        return Source(0, "standard input", decoder or make_decoder(format, "standard input"))
    descriptor = os.open(source, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return Source(descriptor, source, decoder or make_decoder(format, source))
    except BaseException:
        os.close(descriptor)
        raise
