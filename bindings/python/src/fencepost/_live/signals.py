"""The signals that a watch handles: SIGTERM and SIGINT end the watch, and SIGHUP makes the watch read the conditions
again."""

from __future__ import annotations

import signal
from types import FrameType
from typing import Self

from .waker import Stop

STOPPING = (signal.SIGTERM, signal.SIGINT)


class Signals(Stop):
    """Counts signals while the object is entered as a context manager; restores the previous handlers on exit."""

    def __enter__(self) -> Self:
        super().__enter__()
        assert self._waker is not None
        numbers = (*STOPPING, signal.SIGHUP)
        self._before = {number: signal.signal(number, self._noted) for number in numbers}
        # Python writes to this descriptor as soon as the signal arrives, which ends a call of `select`. Without this
        # descriptor, if a signal arrives just before `select` blocks, its Python handler would run only after `select`
        # ends.
        self._wakeup = signal.set_wakeup_fd(self._waker.writer, warn_on_full_buffer=False)
        return self

    def __exit__(self, *error: object) -> None:
        signal.set_wakeup_fd(self._wakeup)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        super().__exit__(*error)

    def _noted(self, number: int, frame: FrameType | None) -> None:
        if number in STOPPING:
            self.stops += 1
        else:
            self.hang_ups += 1
