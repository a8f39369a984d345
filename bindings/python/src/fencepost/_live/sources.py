"""Where fixes come from: a file or a pipe, and what a source is."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from .formats import Decoder, make_decoder

PIECE = 65_536
"""Bytes that are read at a time."""


class Source:
    """The base of sources: messages of devices, which a follower asks for. Three methods.

    Attributes:
        name: What the log calls it.
        descriptor: A file descriptor that is readable when :meth:`read` should be called; None: there is none now (see
            :attr:`retry_at`).
        retry_at: When :meth:`read` should be called though there is no descriptor, by the monotonic clock; None: never.
        has_more: Whether the last :meth:`read` left something that is there now.
        at_end: Whether the last :meth:`read` gave the last messages.
        reconnects: How often it was connected to anew.

    Example:
        >>> import os
        >>> from fencepost import Circle
        >>> from fencepost.live import DeviceFix, Follower, Source
        >>> class Once(Source):
        ...     def __init__(self):
        ...         self.descriptor, writer = os.pipe()
        ...         os.close(writer)
        ...     def read(self):
        ...         self.at_end = True
        ...         return [("fix 1", DeviceFix("van", (0.0, 0.0, 5.0, 1_700_000_000_000_000)))]
        ...     def close(self):
        ...         os.close(self.descriptor)
        >>> source = Once()
        >>> Follower({"depot": Circle(0, 0, 100)}, sinks=[lambda event: print(event.device)]).run(source)
        van
        >>> source.close()
    """

    name = "a source"
    descriptor: int | None = None
    retry_at: float | None = None
    has_more = False
    at_end = False
    reconnects = 0

    def read(self) -> Iterable[tuple[str, Any]] | None:
        """The messages that are there now, each with its place in the source, for the log; None: the source has ended.
        Does not block once the descriptor is readable.

        Raises:
            OSError: It cannot be read on.
        """
        raise NotImplementedError

    def taken(self, count: int) -> None:
        """So many more of the messages, in the order of :meth:`read`, were fed and are in the store: the sender may
        forget them. Not called while the store fails."""

    def close(self) -> None:
        """Ends its use."""


class FileSource(Source):
    """A file or pipe.

    Args:
        descriptor: To read; closed by :meth:`close` unless it is that of a standard stream.
        name: For the log.
        decoder: Turns its bytes into fixes.
    """

    def __init__(self, descriptor: int, name: str, decoder: Decoder) -> None:
        self.descriptor, self.name, self._decoder = descriptor, name, decoder

    def read(self) -> Iterable[tuple[str, Any]] | None:
        assert self.descriptor is not None
        try:
            data = os.read(self.descriptor, PIECE)
        except OSError as error:
            raise OSError(error.errno, error.strerror, self.name) from None
        self.has_more = len(data) == PIECE
        if data:
            return self._decoder.take(data)
        self.at_end = True
        return self._decoder.end()  # a line without an end is complete at the end of the input

    def close(self) -> None:
        if self.descriptor is not None and self.descriptor > 2:
            os.close(self.descriptor)
        self.descriptor = None


def open_file(source: str, format: str = "auto", decoder: Decoder | None = None) -> FileSource:
    """A file or pipe, ``-`` for standard input.

    Args:
        source: Which.
        format: auto, jsonl, nmea or gpx.
        decoder: What reads it; None: that of the format.

    Raises:
        OSError: It cannot be opened.
    """
    if source == "-":
        return FileSource(0, "standard input", decoder or make_decoder(format, "standard input"))
    descriptor = os.open(source, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return FileSource(descriptor, source, decoder or make_decoder(format, source))
    except BaseException:
        os.close(descriptor)
        raise
