"""Signals that a watch understands: SIGTERM and SIGINT end it, SIGHUP has the conditions read again."""

from __future__ import annotations

import signal
from types import FrameType

from .waker import Waker

STOPPING = (signal.SIGTERM, signal.SIGINT)


class Signals:
    """Counts signals while it is entered; the handlers before are put back.

    Its descriptor becomes readable with each signal, and stays so until :meth:`clear`: a select that waits for it
    misses none.

    Attributes:
        stops: How many asked to stop.
        hang_ups: How many asked to read the conditions again, since this was last set to 0.
    """

    def __init__(self) -> None:
        self.stops = self.hang_ups = 0

    def __enter__(self) -> Signals:
        self._waker = Waker()
        numbers = (*STOPPING, signal.SIGHUP)
        self._before = {number: signal.signal(number, self._noted) for number in numbers}
        # Written when the signal comes: a handler in Python waits for a select that has just begun.
        self._wakeup = signal.set_wakeup_fd(self._waker.writer, warn_on_full_buffer=False)
        return self

    def __exit__(self, *error: object) -> None:
        signal.set_wakeup_fd(self._wakeup)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._waker.close()

    def fileno(self) -> int:
        """For selectors."""
        return self._waker.fileno()

    def clear(self) -> None:
        """Makes the descriptor wait for the next signal."""
        self._waker.clear()

    def is_stopped(self) -> bool:
        """Whether it is asked to stop."""
        return self.stops > 0

    def _noted(self, number: int, frame: FrameType | None) -> None:
        if number in STOPPING:
            self.stops += 1
        else:
            self.hang_ups += 1
