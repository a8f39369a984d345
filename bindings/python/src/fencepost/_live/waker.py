"""A descriptor that becomes readable when somebody says so: from another thread, or from a signal."""

from __future__ import annotations

import socket


class Waker:
    """Wakes a select that waits for it."""

    def __init__(self) -> None:
        self._reader, self._writer = socket.socketpair()
        self._reader.setblocking(False)
        self._writer.setblocking(False)

    def fileno(self) -> int:
        """For selectors."""
        return self._reader.fileno()

    @property
    def writer(self) -> int:
        """The descriptor that wakes it: each byte does."""
        return self._writer.fileno()

    def wake(self) -> None:
        """Makes it readable; from any thread."""
        try:
            self._writer.send(b"\0")
        except OSError:
            pass  # it is readable, or closed

    def clear(self) -> None:
        """Makes it wait for the next time."""
        try:
            while self._reader.recv(4096):
                pass
        except BlockingIOError:
            pass

    def close(self) -> None:
        """Ends its use."""
        self._reader.close()
        self._writer.close()
