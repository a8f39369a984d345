"""A shard of a replay of many tracks: the monitors of some of the tracks."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from itertools import repeat
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from .._files.many_tracks import Rows
from .._files.sightings import Report
from .._log.log import ReplayCounts
from .._monitor.monitor import Monitor
from .._native import InvalidArgumentError, LateInputError, event_json, feed_tracks
from .._values.events import EventRow
from .filling import feed_report

if TYPE_CHECKING:
    from .._native import Monitor as Handle


_NEVER = (1 << 63) - 1


class Found(NamedTuple):
    """What a shard found: events, each with its place in the batch and the number of its track; how its inputs fared.

    The place is twice the row; what a row itself brings comes one later than what its beginning ended.
    """

    events: list[tuple[int, int, EventRow | str]]
    counts: Counter[str]


class Ended(NamedTuple):
    """A track at its end: the last events, the first time of all inputs and the clock, and how its inputs fared."""

    track: int
    events: list[EventRow | str]
    begin_us: int | None
    end_us: int | None
    counts: ReplayCounts


class Work(NamedTuple):
    """What a shard must be given so that it can replay its share of the tracks.

    `grouped`: the rows of a track come together, so that it ends where another begins. `as_json`: events are JSON texts
    instead of rows.
    """

    template: Monitor
    reports: Sequence[Report]
    until_us: int | None
    grouped: bool
    as_json: bool = False


class _Run:
    __slots__ = ("late_reports", "monitor", "next_report")

    def __init__(self, monitor: Monitor) -> None:
        self.monitor, self.next_report, self.late_reports = monitor, 0, 0


class Shard:
    """The monitors of some of the tracks."""

    def __init__(self, work: Work, number: int, of: int) -> None:
        self._template, self._reports, self._until_us, self._grouped, self._as_json = work
        self._number, self._of = number, of
        self._runs: dict[int, _Run] = {}
        # By track: its monitor's handle, None before its first row, False where it is another shard's.
        self._handles: list[Handle | bool | None] = []
        self._first_report = min((report.time_us for report in self._reports), default=_NEVER)
        self._begins = array("q")
        self._counts = array("q")  # three of each track: fixes, late ones, invalid ones
        self._ended: list[Ended] = []
        self._current = -1

    def feed(self, rows: Rows) -> Found:
        """Feeds the rows of its own tracks, in order; events are taken after each input."""
        found: list[tuple[int, int, EventRow | str]] = []
        counts: Counter[str] = Counter()
        fresh = rows.known - len(self._handles)
        self._handles.extend(repeat(None, fresh))
        self._begins.extend(repeat(self._first_report, fresh))
        self._counts.extend(repeat(0, 3 * fresh))
        if not self._grouped:
            for track in range(rows.known - fresh, rows.known):
                self._begin(track, 0, found, counts)
        columns = (rows.tracks, rows.latitudes, rows.longitudes, rows.accuracies, rows.times)
        row, end = 0, len(rows.tracks)
        while row < end:
            track = rows.tracks[row]
            if self._handles[track] is None:
                self._begin(track, row, found, counts)
            stop = end
            if self._reports:  # what comes before this row
                stop = row + 1
                if (run := self._runs.get(track)) is not None:
                    place = 2 * row + 1
                    put = lambda event, place=place, track=track: found.append((place, track, event))  # noqa: E731
                    self._report(run, rows.times[row], counts, put)
            row, fixes, late, invalid = feed_tracks(
                self._handles, self._begins, self._counts, *columns, row, stop, found, self._as_json
            )
            counts.update(fixes=fixes, late_fixes=late, invalid_fixes=invalid)
        found.sort(key=itemgetter(0))  # they came by track
        return Found(found, counts)

    def _begin(self, track: int, row: int, found: list[tuple[int, int, EventRow | str]], counts: Counter[str]) -> None:
        """A track's first row, which ends the one before where rows are grouped."""
        if self._grouped and self._current >= 0:
            last = self._runs.pop(self._current, None)
            if last is not None:
                ended = self._end(self._current, last, counts)
                found += [(2 * row, self._current, event) for event in ended.events]
                self._ended.append(ended._replace(events=[]))
            self._handles[self._current] = False
        self._current = track
        if track % self._of != self._number:
            self._handles[track] = False
            return
        run = self._runs[track] = _Run(self._template.fork())
        self._handles[track] = run.monitor._handle

    def end(self) -> tuple[list[Ended], Counter[str]]:
        """Ends all tracks that have not ended."""
        counts: Counter[str] = Counter()
        ended = [self._end(track, run, counts) for track, run in sorted(self._runs.items())]
        return self._ended + ended, counts

    def _end(self, track: int, run: _Run, counts: Counter[str]) -> Ended:
        """Feeds what reports are left and lets time pass."""
        events: list[EventRow | str] = []
        self._report(run, None, counts, events.append)
        clock = run.monitor.clock_us
        if self._until_us is not None:
            if clock is not None and self._until_us < clock:
                raise InvalidArgumentError("until is before the last input")
            run.monitor.advance(self._until_us)
            self._drain(run, events.append)
        fixes, late, invalid = self._counts[3 * track : 3 * track + 3]
        told = ReplayCounts(fixes, late, invalid, run.next_report, run.late_reports)
        return Ended(track, events, self._begins[track], run.monitor.clock_us, told)

    def _report(self, run: _Run, before: int | None, counts: Counter[str], put: Any) -> None:
        while run.next_report < len(self._reports):
            report = self._reports[run.next_report]
            if before is not None and report.time_us >= before:
                return
            run.next_report += 1
            counts["reports"] += 1
            try:
                feed_report(run.monitor, report)
            except LateInputError:
                counts["late_reports"] += 1
                run.late_reports += 1
            self._drain(run, put)

    def _drain(self, run: _Run, put: Any) -> None:
        while (event := run.monitor._handle.poll_event()) is not None:
            put(event_json(*event[:-1]) if self._as_json else event)
