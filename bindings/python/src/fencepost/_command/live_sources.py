"""Where fixes come from: a file, a pipe, a gpsd."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Iterator

from .live_formats import Found, make_decoder

GPSD_PORT = 2947
PIECE = 65_536
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0


class Source:
    """A file or pipe; `read` does not block once the descriptor is readable.

    Attributes:
        descriptor: To wait for; None: there is nothing to wait for now (see :attr:`retry_at`).
        retry_at: When :meth:`reconnect` is to be called, by the monotonic clock; None: it is connected.
        has_more: Whether the last read did not reach what is there.
    """

    def __init__(self, descriptor: int, name: str, format: str) -> None:
        self.descriptor: int | None = descriptor
        self.name = name
        self.retry_at: float | None = None
        self.has_more = False
        self._decoder = make_decoder(format, name)

    def read(self) -> Iterator[Found] | None:
        """The fixes that are complete now; None at the end, when all have been given."""
        assert self.descriptor is not None
        data = os.read(self.descriptor, PIECE)
        self.has_more = len(data) == PIECE
        return self._decoder.take(data) if data else None

    def rest(self) -> Iterator[Found]:
        """After the end: the fixes that are complete because nothing more comes."""
        return self._decoder.end()

    def reconnect(self) -> None:
        """Tries to connect again."""

    def close(self) -> None:
        """Ends the use of the descriptor; standard input stays open."""
        if self.descriptor is not None and self.descriptor > 2:
            os.close(self.descriptor)
        self.descriptor = None


class Gpsd(Source):
    """A gpsd, through its JSON protocol. A connection that ends or fails is made again, for so many seconds, with
    pauses that grow from 1 s to 60 s; then the error is raised."""

    def __init__(self, url: str, patience: float, monotonic: Callable[[], float] = time.monotonic) -> None:
        host, _, port = url.removeprefix("gpsd://").rstrip("/").rpartition(":")
        if not port.isdigit():
            host, port = (f"{host}:{port}" if host else port), str(GPSD_PORT)
        try:
            self._address = (host.strip("[]") or "localhost", int(port))
            self._connection = self._connect(30)
        except (OSError, ValueError, OverflowError) as error:
            raise _failure(url, error) from None
        super().__init__(self._connection.fileno(), url, "jsonl")
        self._patience, self._monotonic = patience, monotonic
        self._lost_at, self._pause = 0.0, FIRST_PAUSE

    def _connect(self, timeout: float) -> socket.socket:
        connection = socket.create_connection(self._address, timeout=timeout)
        # A peer that has gone without a word is noticed after two minutes.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, value in ((socket.TCP_KEEPIDLE, 60), (socket.TCP_KEEPINTVL, 10), (socket.TCP_KEEPCNT, 6)):
            connection.setsockopt(socket.IPPROTO_TCP, option, value)
        connection.sendall(b'?WATCH={"enable":true,"json":true};\n')
        connection.settimeout(None)
        return connection

    def read(self) -> Iterator[Found] | None:
        try:
            data = self._connection.recv(PIECE)
        except OSError:
            data = b""
        self.has_more = len(data) == PIECE
        if data:
            self._pause = FIRST_PAUSE
            return self._decoder.take(data)
        if self._patience == 0:
            return None
        self._connection.close()
        self.descriptor = None
        self._lost_at = self._monotonic()
        self.retry_at = self._lost_at + self._pause
        found = list(self._decoder.end())  # half a line
        self._decoder = make_decoder("jsonl", self.name)
        return iter(found)

    def reconnect(self) -> None:
        try:
            self._connection = self._connect(5)
        except OSError as error:
            self._pause = min(2 * self._pause, LONGEST_PAUSE)
            left = self._lost_at + self._patience - self._monotonic()
            if left <= 0:
                raise _failure(self.name, error) from None
            self.retry_at = self._monotonic() + min(self._pause, left)
        else:
            self.descriptor, self.retry_at = self._connection.fileno(), None
            # One that ends at once is not asked at once again.
            self._pause = min(2 * self._pause, LONGEST_PAUSE)

    def close(self) -> None:
        self._connection.close()
        self.descriptor = None


def _failure(url: str, error: Exception) -> OSError:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return OSError(0, reason, url)


def open_source(source: str, format: str = "auto", patience: float = 300.0) -> Source:
    """A file or pipe, ``-`` for standard input, or ``gpsd://host:port``.

    Args:
        source: Which.
        format: Of a file or pipe: auto, jsonl, nmea or gpx.
        patience: Seconds for which a lost gpsd is tried again; 0: its end is the end of the source.

    Raises:
        OSError: It cannot be opened.
    """
    if source.startswith("gpsd://"):
        return Gpsd(source, patience)
    if source == "-":
        return Source(0, "standard input", format)
    return Source(os.open(source, os.O_RDONLY | os.O_CLOEXEC), source, format)
