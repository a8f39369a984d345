"""A shard of a replay of many tracks: a fleet whose devices are some of the tracks."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import repeat
from typing import Any, NamedTuple

from .._files.many_tracks import Rows
from .._files.sightings import Report
from .._fleet.conditions import Zones
from .._log.log import ReplayCounts
from .._monitor.monitor import Monitor
from .._native import LateInputError
from .._values.events import EventRow
from .followers import Follower, Monitors, OneFleet

_NEVER = (1 << 63) - 1


class Found(NamedTuple):
    """The result of a batch in a shard: the events, and the counts of the inputs. Each event is stored with its
    position in the batch and the number of its track.

    The position of an event is 2 * row if the event belongs to the end of the previous track, and 2 * row + 1 if the
    row itself causes the event.
    """

    events: list[tuple[int, int, EventRow | str]]
    counts: Counter[str]


class Ended(NamedTuple):
    """A finished track: its last events, the earliest time of its inputs, its final clock time, and its input
    counts."""

    track: int
    events: list[EventRow | str]
    begin_us: int | None
    end_us: int | None
    counts: ReplayCounts


class Work(NamedTuple):
    """The arguments with which a shard processes its share of the tracks.

    `conditions` and `fleet` mean the same as in :class:`TrackConditions`. `grouped` is true if the rows of a track are
    contiguous, so that a track ends where the next track begins. `as_json` is true to get events as JSON texts, and
    false to get them as rows.
    """

    conditions: Zones | Monitor
    reports: Sequence[Report]
    until_us: int | None
    grouped: bool
    fleet: Mapping[str, Any]
    as_json: bool = False


class _Run:
    """How many lines of the sightings file have been fed to a track, and how many of them were late."""

    __slots__ = ("late_reports", "next_report")

    def __init__(self) -> None:
        self.next_report = self.late_reports = 0


class Shard:
    """Replays some of the tracks, in a fleet or in one monitor for each track."""

    def __init__(self, work: Work, number: int, of: int) -> None:
        conditions, self._reports, self._until_us, self._grouped, options, as_json = work
        self._number, self._of = number, of
        self._follower: Follower
        if isinstance(conditions, Monitor):
            self._follower = Monitors(conditions, as_json)
        else:
            self._follower = OneFleet(conditions, options, as_json)
        self._runs: dict[int, _Run] = {}
        self._first_report = min((report.time_us for report in self._reports), default=_NEVER)
        self._begins = array("q")
        self._ended: list[Ended] = []
        self._current = -1

    def feed(self, rows: Rows) -> Found:
        """Feeds the rows of the shard's own tracks, in order; returns the events and counts."""
        found: list[tuple[int, int, EventRow | str]] = []
        counts: Counter[str] = Counter()
        known = len(self._begins)
        self._begins.extend(repeat(self._first_report, rows.known - known))
        self._follower.know(rows.known)
        if not self._grouped:
            self._enter(range(known, rows.known))
        row, end = 0, len(rows.tracks)
        while row < end:
            track = rows.tracks[row]
            if self._grouped and track != self._current:
                self._begin(track, row, found, counts)
            stop = end
            if self._reports:  # feed the reports that are earlier than this row
                stop = row + 1
                if track in self._runs:
                    before = self._report(track, rows.times[row], counts)
                    found += [(2 * row + 1, track, event) for event in before]
            elif self._grouped:
                stop = _same(rows.tracks, row)
            accepted, late, invalid, doubted = self._follower.feed(rows, row, stop, self._begins, found)
            counts.update(fixes=accepted + late + invalid + doubted, late_fixes=late, invalid_fixes=invalid)
            counts["doubted_fixes"] += doubted
            row = stop
        return Found(found, counts)

    def _enter(self, tracks: Sequence[int]) -> None:
        own = [track for track in tracks if track % self._of == self._number]
        self._follower.enter(own)
        self._runs.update((track, _Run()) for track in own)

    def _begin(self, track: int, row: int, found: list[tuple[int, int, EventRow | str]], counts: Counter[str]) -> None:
        """Starts a track at its first row, and ends the previous track."""
        if self._current in self._runs:
            ended = self._end(self._current, counts)
            found += [(2 * row, self._current, event) for event in ended.events]
            self._ended.append(ended._replace(events=[]))
        self._current = track
        self._enter([track])

    def end(self) -> tuple[list[Ended], Counter[str]]:
        """Ends all tracks that are still open."""
        counts: Counter[str] = Counter()
        ended = [self._end(track, counts) for track in sorted(self._runs)]
        return self._ended + ended, counts

    def _end(self, track: int, counts: Counter[str]) -> Ended:
        """Feeds the remaining lines of the sightings file to a track, advances the track to `until_us`, and ends the
        track."""
        events = self._report(track, None, counts)
        if self._until_us is not None:
            events += self._follower.advance(track, self._until_us)
        run = self._runs.pop(track)
        statistics = self._follower.end(track)
        late = statistics.late_inputs - run.late_reports
        fixes = ReplayCounts(
            statistics.accepted_fixes + statistics.invalid_fixes + statistics.doubted_fixes + late,
            late,
            statistics.invalid_fixes,
            run.next_report,
            run.late_reports,
            statistics.doubted_fixes,
        )
        return Ended(track, events, self._begins[track], statistics.clock_us, fixes)

    def _report(self, track: int, before: int | None, counts: Counter[str]) -> list[EventRow | str]:
        run, events = self._runs[track], list[EventRow | str]()
        while run.next_report < len(self._reports):
            report = self._reports[run.next_report]
            if before is not None and report.time_us >= before:
                break
            run.next_report += 1
            counts["reports"] += 1
            try:
                events += self._follower.report(track, report)
            except LateInputError:
                counts["late_reports"] += 1
                run.late_reports += 1
        return events


def _same(tracks: array[int], row: int) -> int:
    """Finds the index after the last consecutive row of the same track, by galloping and binary search."""
    track, step, end = tracks[row], 1, len(tracks)
    low = row
    while low + step < end and tracks[low + step] == track:
        low += step
        step *= 2
    high = min(low + step, end)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if tracks[middle] == track else (low, middle)
    return high
