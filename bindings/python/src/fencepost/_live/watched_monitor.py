"""A monitor that is fed with live fixes."""

from __future__ import annotations

import time
from collections.abc import Callable

from .._files.tracks import FixRow
from .._monitor.monitor import Monitor
from .._native import InvalidArgumentError, LateInputError, QueueFullError
from .._values.events import Event
from .handling import Handling
from .live_event import ONE_DEVICE, EventOfOne
from .notices import MINUTE, Notices
from .sorting import Held, Sorter, is_sortable
from .spans import moment_text, span_text

ENOUGH = 5
"""The monitor is rewound after this many late fixes in a row that agree with the wall clock. If at least this many
fixes in a row were refused, a notice says when fixes are accepted again."""
A_LITTLE_US = 60_000_000
"""A fix that is late by more than this many microseconds comes from another day or another receiver, and is not used to
correct the clock."""


class Watch(Handling):
    """A monitor that is fed with live fixes. The monitor's clock keeps running between two fixes.

    Between two fixes, the monitor's clock is the last fix's time plus the time since the fix arrived, minus `lag`.
    Because of `lag`, a live fix that arrives slightly delayed does not count as late.

    A fix counts only when it is later than the monitor's clock. A source may be replayed from its beginning into a
    monitor that continues from a store. Fixes that the monitor has already seen are skipped one by one, and no fix
    counts twice. If several fixes have the same time, the first one counts.

    If the monitor has a path, the movement after the last fix is unknown until the next fix arrives. In a monitor with
    a path, the clock stands still until the gap since the last fix exceeds `max_gap`. When the next fix arrives, the
    events between the last two fixes, including dwells, are reported at once.

    A fix whose time is more than `ahead` seconds ahead of the wall clock is refused. A monitor's clock may nevertheless
    get ahead of the wall clock if some clock was wrong. If the monitor's clock is ahead of the wall clock, the monitor
    is rewound as soon as five late fixes in a row agree with the wall clock. When a monitor is rewound, its records are
    kept, and the observed states become undetermined.

    The first refusal is logged at once; then the number of refusals is logged at most once a minute.

    Args:
        monitor: The monitor, with its conditions.
        handle: Called with one event at a time, in order; returns True when the event is handled. If the function
            returns False, it is called again with the same event, after pauses that grow from 1 s to 60 s.
        notices: Receives the notices about refused inputs.
        lag: The maximum delay of a fix, in seconds: a fix may arrive this much later than its time.
        reorder: The fixes of sources are held for this many seconds and fed in order of time; 0 feeds them at once.
        ahead: Fixes more than this many seconds ahead of the wall clock are refused. If `ahead` is None, fixes with any
            time are accepted, and the wall clock is not used.
        max_gap: The path's ``max_gap``, in seconds; None means that the monitor has no path.
        unknown_accuracy: The accuracy, in metres, to use for fixes with accuracy 0, which trackers send if they do not
            know the accuracy.
        monotonic: Returns the time of a monotonic clock, in seconds.
        wall: Returns the seconds since 1970.

    Attributes:
        counts: The numbers of ``fixes``, ``passed_fixes`` (already fed to the monitor before the watch began),
            ``late_fixes``, ``double_fixes`` (with the same time as the previous fix), ``invalid_fixes``,
            ``doubted_fixes`` and ``future_fixes``.
    """

    def __init__(
        self,
        monitor: Monitor,
        handle: Callable[[Event], bool],
        notices: Notices,
        *,
        lag: float = 5.0,
        reorder: float = 0.0,
        ahead: float | None = 60.0,
        max_gap: float | None = None,
        unknown_accuracy: float = 0.0,
        monotonic: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(monitor, handle, notices, monotonic)
        self.monitor, self._unknown_accuracy = monitor, unknown_accuracy
        self._lag_us, self._wall = round(lag * 1e6), wall
        self._behind_us = self._lag_us + round(reorder * 1e6)
        if reorder:
            self.sorter = Sorter(reorder, lag, monotonic)
        self._ahead_us = None if ahead is None else round(ahead * 1e6)
        self._last: tuple[int, float] | None = None
        self._max_gap_us = 0 if max_gap is None else round(max_gap * 1e6)
        # The time of the last fix, at which the movement to the next fix begins.
        self._way_from: int | None = None
        # The clock of a stored monitor when the watch began; None once a later fix has arrived.
        self._fed_to = monitor.clock_us
        self._refused, self._refused_since, self._right = 0, 0.0, 0

    def feed(self, row: FixRow, place: str = "a fix") -> bool:
        """Feeds a fix; returns False if events must be handled first."""
        refusal = self._refusal(row[3])
        if row[2] == 0:
            row = (row[0], row[1], self._unknown_accuracy, *row[3:])
        if refusal is None:
            try:
                self.monitor._handle.feed_fix(*row)
            except QueueFullError:
                return False
            except LateInputError as error:
                refusal = "late_fixes", str(error)
            except InvalidArgumentError as error:
                refusal = "invalid_fixes", str(error)
            else:
                if row[2] >= 0:
                    if self._doubts and (self.monitor.clock_us or 0) < row[3]:
                        refusal = "doubted_fixes", "the device cannot have moved there since its last fix"
                    else:
                        self._last = self._seen or (row[3], self._monotonic())
                        self._way_from = row[3]
                        self.lags[self.source_name] = self._wall() - self._held_s - row[3] / 1e6
                        if self.observer is not None:
                            self.observer.moved(ONE_DEVICE, row)
                else:
                    refusal = "invalid_fixes", "the receiver has no position"
        self.counts["fixes"] += 1
        self.outcome = "accepted" if refusal is None else refusal[0]
        if refusal is None:
            self._take_again(place)
        else:
            self._refuse(*refusal, place)
        return True

    def sort(self, sorter: Sorter, held: Held) -> None:
        row: FixRow = held.message
        at = row[3]
        clock = self.monitor.clock_us
        is_late = clock is not None and at <= clock
        is_early = self._ahead_us is not None and at > round(self._wall() * 1e6) + self._ahead_us
        if is_late or is_early or not is_sortable(row):
            sorter.pass_through(held)
            return
        held.row = row
        if not sorter.add(held):
            self.counts["fixes"] += 1
            self.counts["double_fixes"] += 1
        elif not self._doubts and (seen := sorter.seen("")) is not None:
            self._last = seen

    def _refusal(self, time_us: int) -> tuple[str, str] | None:
        """If a fix with this time must be refused, returns the name of the counter and the reason; otherwise returns
        None."""
        wall_us = round(self._wall() * 1e6)
        if self._ahead_us is not None and time_us > wall_us + self._ahead_us:
            self._right = 0
            apart = f"{moment_text(time_us)} is {span_text(time_us - wall_us)} ahead of this computer's clock"
            return "future_fixes", f"{apart}; such fixes are refused without --any-time"
        clock = self.monitor.clock_us
        if clock is None or time_us > clock:
            self._right, self._fed_to = 0, None
            return None
        if time_us == clock and clock != self._fed_to:
            return "double_fixes", f"{moment_text(time_us)} is also the time of the previous fix"
        if self._is_rewound(time_us, clock, wall_us):
            return None
        if clock == self._fed_to:
            apart = span_text(clock - time_us)
            return (
                "passed_fixes",
                f"{moment_text(time_us)} is {apart} earlier than the time "
                "that the monitor had reached before the restart",
            )
        self._count_time_from(time_us, clock)
        return "late_fixes", f"{moment_text(time_us)} is {span_text(clock - time_us)} before the monitor's clock"

    def _is_rewound(self, time_us: int, clock: int, wall_us: int) -> bool:
        """Rewinds a monitor whose clock is wrong, if enough late fixes agree with the wall clock; returns True if the
        monitor was rewound."""
        if self._ahead_us is None:
            return False
        tolerance = max(self._ahead_us, self._lag_us)
        # If the monitor's clock is not ahead, the fixes are late only because they were delayed.
        is_ahead = clock - wall_us > min(self._ahead_us, self._lag_us)
        if not is_ahead or abs(time_us - wall_us) > tolerance:
            self._right = 0
            return False
        self._right += 1
        if self._right < ENOUGH:
            return False
        self._right = 0
        self.monitor.rewind(time_us - 1)  # rewind to just before the fix, so that the fix is not late
        if self.sorter is not None:  # the held fixes are later than the wrong clock
            dropped = self.sorter.drop("")
            self.counts["fixes"] += dropped
            self.counts["future_fixes"] += dropped
        self._last = self._way_from = None
        self._notices.say(
            f"the monitor's clock was {span_text(clock - wall_us)} ahead of this computer's, and {ENOUGH} fixes in a "
            f"row agree with this computer: the monitor is rewound from {moment_text(clock)} to "
            f"{moment_text(time_us)}, and its states are determined again"
        )
        return True

    def _count_time_from(self, time_us: int, clock: int) -> None:
        """Corrects the clock after a fix that is slightly late. A clock that still followed the previous fix could stay
        ahead of all further fixes."""
        now = self._now_us()
        if now is not None and time_us - self._lag_us < now and clock - time_us <= max(A_LITTLE_US, self._lag_us):
            self._last = (time_us, self._monotonic())

    def _refuse(self, kind: str, why: str, place: str) -> None:
        self.counts[kind] += 1
        if self._refused == 0:
            self._refused_since = self._monotonic()
        self._refused += 1
        # Fixes with the same time are common. The receiver's clock counts as stopped only if all fixes of a whole
        # minute have the same time.
        if kind != "double_fixes" or self._monotonic() >= self._refused_since + MINUTE:
            self._notices.seldom("refused", f"{place}: {why}")

    def _take_again(self, place: str) -> None:
        if self._refused >= ENOUGH:
            self._notices.forget("refused")
            self._notices.seldom("taken", f"{place}: fixes are accepted again, after {self._refused} refused fixes")
        self._refused = 0

    def pass_time(self) -> None:
        """Advances the monitor by the time since the last fix."""
        self.look_at_store()
        now = self._now_us()
        if now is not None and self.sorter is not None:
            if self.sorter.ready:
                return
            if (earliest := self.sorter.earliest("")) is not None:
                now = min(now, earliest - 1)  # a held fix must not become late
        if now is not None and now > max(self.monitor.clock_us or 0, self._settled_us()):
            try:
                self.monitor.advance(now)
            except QueueFullError:
                pass  # the advance is tried again after events have been handled

    def _settled_us(self) -> int:
        """The watermark in microseconds: all further inputs have later times."""
        return 0 if self._way_from is None else self._way_from + self._max_gap_us

    def _now_us(self) -> int | None:
        if self._last is None:
            return None
        then, at = self._last
        return then + int((self._monotonic() - at) * 1e6) - self._behind_us

    def pause(self) -> float | None:
        """The number of seconds until the monitor has work to do even if no fix arrives; None if it will have none."""
        pauses = self._until_retry()
        deadline, now = self.monitor.next_deadline_us, self._now_us()
        if deadline is not None and now is not None and not self.is_behind:
            pauses.append((max(deadline, self._settled_us() + 1) - now) / 1e6)
        return max(0.0, min(pauses)) if pauses else None

    def _handed(self, event: Event) -> Event:
        self.counts["events"] += 1
        if self.observer is not None:
            self.observer.happened(EventOfOne(event))
        return event

    def report(self, name: str) -> None:
        """Reports the refused inputs of a source."""
        for key, what in (
            ("passed_fixes", "fixes were not fed again, because the monitor had already been fed up to that time"),
            ("late_fixes", "fixes came late and were skipped"),
            ("double_fixes", "fixes had the same time as the previous fix and were skipped"),
            ("invalid_fixes", "fixes had no usable position or time and were skipped"),
            ("doubted_fixes", "fixes were doubted and skipped, because the device cannot have moved so fast"),
            ("future_fixes", "fixes were too far ahead of the clock and were skipped"),
        ):
            if self.counts[key]:
                self._notices.say(f"{name}: {self.counts[key]} of {self.counts['fixes']} {what}")
