"""Many tracks in one file, replayed in batches: memory grows with tracks and conditions, not with the rows; of grouped
tracks one is held at a time.

Each track has a fork of one monitor that holds the conditions. The tracks are shared out to shards, each of which feeds
its own rows and says at which row each event came: merged by row, the events are those of one shard.
"""

from __future__ import annotations

from array import array
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import repeat
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from ._event_log import ReplayCounts, TrackedEvent, TrackReplay, line_head
from ._files import InputError
from ._many_tracks import ManyTracks, Rows
from ._monitor import Monitor
from ._native import InvalidArgumentError, LateInputError, event_json, feed_tracks
from ._outputs import Event, EventRow
from ._sightings import Report

if TYPE_CHECKING:
    from ._native import Monitor as Handle

_NEVER = (1 << 63) - 1


class Found(NamedTuple):
    """What a shard found: events, each with its place in the batch and the number of its track; how its inputs fared.

    The place is twice the row; what a row itself brings comes one later than what its beginning ended.
    """

    events: list[tuple[int, int, EventRow | str]]
    counts: Counter[str]


class Ended(NamedTuple):
    """A track at its end: the last events, the first time of all inputs and the clock."""

    track: int
    events: list[EventRow | str]
    begin_us: int | None
    end_us: int | None


class Work(NamedTuple):
    """What all shards need. `grouped`: the rows of a track come together, so that it ends where another begins.
    `as_json`: events are JSON texts instead of rows."""

    template: Monitor
    reports: Sequence[Report]
    until_us: int | None
    grouped: bool
    as_json: bool = False


class _Run:
    __slots__ = ("monitor", "next_report")

    def __init__(self, monitor: Monitor) -> None:
        self.monitor, self.next_report = monitor, 0


class Shard:
    """The monitors of some of the tracks."""

    def __init__(self, work: Work, number: int, of: int) -> None:
        self._template, self._reports, self._until_us, self._grouped, self._as_json = work
        self._number, self._of = number, of
        self._runs: dict[int, _Run] = {}
        # By track: its monitor's handle, None before its first row, False where it is another shard's.
        self._handles: list[Handle | bool | None] = []
        self._begins = array("q")
        self._ended: list[Ended] = []
        self._current = -1

    def feed(self, rows: Rows) -> Found:
        """Feeds the rows of its own tracks, in order; events are taken after each input."""
        found: list[tuple[int, int, EventRow | str]] = []
        counts: Counter[str] = Counter()
        fresh = rows.known - len(self._handles)
        self._handles.extend(repeat(None, fresh))
        self._begins.extend(repeat(self._reports[0].time_us if self._reports else _NEVER, fresh))
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
                self._handles, self._begins, *columns, row, stop, found, self._as_json
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
        return Ended(track, events, self._begins[track], run.monitor.clock_us)

    def _report(self, run: _Run, before: int | None, counts: Counter[str], put: Any) -> None:
        while run.next_report < len(self._reports):
            report = self._reports[run.next_report]
            if before is not None and report.time_us >= before:
                return
            run.next_report += 1
            counts["reports"] += 1
            try:
                report.feed(run.monitor)
            except LateInputError:
                counts["late_reports"] += 1
            self._drain(run, put)

    def _drain(self, run: _Run, put: Any) -> None:
        while (event := run.monitor._handle.poll_event()) is not None:
            put(event_json(*event[:-1]) if self._as_json else event)


class ManyReplay:
    """A replay of many tracks. The events do not depend on `jobs`.

    Attributes:
        counts: As of a replay, after the events were taken.
        ended: Begin and end of each track, likewise.
    """

    def __init__(
        self,
        tracks: ManyTracks,
        template: Monitor,
        reports: Sequence[Report] = (),
        until_us: int | None = None,
        jobs: int = 1,
    ) -> None:
        self._tracks, self._jobs = tracks, jobs
        self._work = Work(template, reports, until_us, tracks.grouped)
        self.counts: Counter[str] = Counter()
        self.ended: list[Ended] = []

    def events(self) -> Iterator[TrackedEvent]:
        """The events, each with its track's key, in the order of the rows that brought them; then those of the time
        after the last row, by track (of grouped tracks: after each track)."""
        keys = self._tracks.keys
        for track, row in self._found(self._work):
            yield TrackedEvent(keys[track], Event._from_row(row))

    def lines(self) -> Iterator[str]:
        """The same as JSON Lines, as :func:`event_line` writes them."""
        keys, by = self._tracks.keys, self._tracks.by
        heads: list[str] = []
        for track, text in self._found(self._work._replace(as_json=True)):
            if track >= len(heads):
                heads += [line_head(by, key) for key in keys[len(heads) :]]
            yield f"{heads[track]}{text[1:]}\n"

    def _found(self, work: Work) -> Iterator[tuple[int, Any]]:
        from ._shards import Here, Processes

        shards: Here | Processes = Here(work) if self._jobs == 1 else Processes(work, self._jobs)
        with shards:
            # The shards feed one batch while the next is read.
            fed: deque[Callable[[], list[Found]]] = deque()
            try:
                for rows in self._tracks.batches(shards):
                    fed.append(shards.feed(rows))
                    if len(fed) > shards.ahead:
                        yield from self._merged(fed.popleft()())
            except InputError:  # what came before it counts
                while fed:
                    yield from self._merged(fed.popleft()())
                raise
            while fed:
                yield from self._merged(fed.popleft()())
            for ended, counts in shards.end():
                self.ended += ended
                self.counts += counts
        self.ended.sort()
        for one in self.ended:
            for row in one.events:
                yield one.track, row

    def _merged(self, found: Sequence[Found]) -> Iterator[tuple[int, Any]]:
        for part in found:
            self.counts += part.counts
        rows = [event for part in found for event in part.events]
        if len(found) > 1:
            rows.sort(key=lambda event: event[0])  # stable: the events of a place are all of one shard
        for _, track, row in rows:
            yield track, row

    def results(self, events: Mapping[Any, Sequence[Event]]) -> list[TrackReplay]:
        """The tracks without their fixes, for visits; `events` by the track's key."""
        path = str(self._tracks.path)
        counts = ReplayCounts(**self.counts)
        return [
            TrackReplay(
                self._tracks.keys[one.track], path, (), tuple(events.get(self._tracks.keys[one.track], ())),
                counts if one.track == 0 else ReplayCounts(), one.begin_us, one.end_us,
            )
            for one in self.ended
        ]  # fmt: skip
