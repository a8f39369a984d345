"""A descriptor that another thread or a signal can make readable."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Self


class Waker:
    """Wakes a ``select`` that waits for this object's descriptor."""

    def __init__(self) -> None:
        self._reader, self._writer = socket.socketpair()
        self._reader.setblocking(False)
        self._writer.setblocking(False)

    def fileno(self) -> int:
        """The descriptor, for selectors."""
        return self._reader.fileno()

    @property
    def writer(self) -> int:
        """A descriptor; writing any byte to it wakes the ``select``."""
        return self._writer.fileno()

    def wake(self) -> None:
        """Makes the descriptor readable. This method may be called from any thread."""
        try:
            self._writer.send(b"\0")
        except OSError:
            pass  # the descriptor is already readable, or closed

    def clear(self) -> None:
        """Makes the descriptor unreadable until the next :meth:`wake`."""
        try:
            while self._reader.recv(4096):
                pass
        except BlockingIOError:
            pass

    def close(self) -> None:
        """Closes the descriptors."""
        self._reader.close()
        self._writer.close()


class Stop:
    """A request to stop, sent from another thread or from a signal. A context manager.

    The object's descriptor becomes readable with each request and stays readable until :meth:`clear`, so a ``select``
    on it misses no request.

    Attributes:
        stops: The number of requests to stop.
        hang_ups: The number of requests to read the conditions again since the program last set this attribute to 0.
        on_hang_up: The function that reads the conditions again.
    """

    def __init__(self) -> None:
        self.stops = self.hang_ups = 0
        self.on_hang_up: Callable[[], None] = lambda: None
        self._waker: Waker | None = None

    def __enter__(self) -> Self:
        self._waker = Waker()
        return self

    def __exit__(self, *error: object) -> None:
        waker, self._waker = self._waker, None
        if waker is not None:
            waker.close()

    def fileno(self) -> int:
        """The descriptor, for selectors."""
        assert self._waker is not None, "the stop object must be used in a with statement"
        return self._waker.fileno()

    def clear(self) -> None:
        """Makes the descriptor unreadable until the next request."""
        if self._waker is not None:
            self._waker.clear()

    def is_stopped(self) -> bool:
        """Whether a stop was requested."""
        return self.stops > 0

    def stop(self) -> None:
        """Requests a stop. This method may be called from any thread."""
        self.stops += 1
        self.wake()

    def wake(self) -> None:
        """Makes the descriptor readable. This method may be called from any thread."""
        if self._waker is not None:
            self._waker.wake()
