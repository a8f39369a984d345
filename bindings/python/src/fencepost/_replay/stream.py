"""Replays a file of many tracks in batches. Memory use grows with the number of tracks and conditions, not with the
number of rows. If the rows are grouped by track, only one track is in memory at a time.

Each track is a device of a fleet. If `jobs` is greater than 1, the tracks are distributed among shards. Each shard has
its own fleet, to which it feeds only its own rows. With each event, a shard reports the row that caused it. The events
of all shards, merged in the order of the rows, equal the events of a single fleet.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, repeat
from typing import Any

from .._errors import InputError
from .._files.checked import refuse
from .._files.doubts import Flaw, is_usable, worse
from .._files.file_fixes import FileFixes
from .._files.many_tracks import ALL_ROWS, UNSORTED, ManyTracks, Rows, UnsortedError
from .._files.sightings import Report
from .._files.table_rows import TableRows
from .._files.vector import Reading
from .._fleet.conditions import Zones
from .._log.lazy_events import LazyEvents
from .._log.log import TrackedEvent, TrackReplay
from .._log.texts import line_head
from .._monitor.monitor import Monitor
from .._values.events import Event
from .exchanged import is_presence, is_presence_row, warn_of_exchanged
from .filling import NO_OPTIONS, TrackConditions
from .needed_heights import NeededHeights
from .shard import Ended, Found, Work


class ManyReplay:
    """A replay of many tracks. The events do not depend on `jobs`.

    Attributes:
        counts: The counts of the replay, complete only after all events have been read.
        flaw: The unusable fix to report: the first fix with an impossible value, or else the first fix with a missing
            value. `flaw` may change until all events have been read.
        ended: The times at which each track began and ended; the list is complete only after all events have been read.
    """

    def __init__(
        self,
        tracks: ManyTracks,
        conditions: Zones | Monitor,
        reports: Sequence[Report] = (),
        until_us: int | None = None,
        jobs: int = 1,
        fleet: Mapping[str, Any] = NO_OPTIONS,
        heights: NeededHeights | None = None,
    ) -> None:
        self._tracks, self._jobs = tracks, jobs
        self._work = Work(conditions, reports, until_us, tracks.grouped, dict(fleet))
        self.counts: Counter[str] = Counter()
        self.flaw: Flaw | None = None
        self.ended: list[Ended] = []
        self._has_presence = False
        self._heights = heights or NeededHeights()

    def events(self) -> Iterator[TrackedEvent]:
        """The events, each with its track's key, in the order of the rows that caused them. If the rows are grouped by
        track, a track's final events, which come after its last row, follow directly after the track. Otherwise, the
        final events of all tracks come at the end, in the order of the tracks."""
        keys = self._tracks.keys
        for track, row in self._found(self._work):
            event = Event._from_row(row)
            self._has_presence = self._has_presence or is_presence(event)
            yield TrackedEvent(keys[track], event)

    def events_by_track(self) -> dict[Any, LazyEvents]:
        """Reads all events; returns a mapping from each track's key to the events of the track."""
        found: dict[int, list[Any]] = defaultdict(list)
        for events in self._batches(self._work):
            for _, track, row in events:
                found[track].append(row)
        self._has_presence = any(map(is_presence_row, chain.from_iterable(found.values())))
        return {self._tracks.keys[track]: LazyEvents(rows) for track, rows in found.items()}

    def lines(self) -> Iterator[str]:
        """The events as JSON Lines, in the format of :func:`event_line`."""
        keys, by = self._tracks.keys, self._tracks.by or ""
        heads: list[str] = []
        for track, text in self._found(self._work._replace(as_json=True)):
            if track >= len(heads):
                heads += [line_head(by, key) for key in keys[len(heads) :]]
            self._has_presence = self._has_presence or '"state":"satisfied"' in text or '"direction":' in text
            yield f"{heads[track]}{text[1:]}\n"

    def warn_of_doubts(self) -> None:
        """Warns if latitude and longitude are probably exchanged, or if no fix has the heights that bands need. Call
        this method after all events have been read."""
        self._heights.warn(self._tracks.path, self._tracks.names, self._tracks.columns)
        if not self._has_presence:
            warn_of_exchanged(self._tracks.path, self._tracks.first.points(), self._work.conditions)

    def _found(self, work: Work) -> Iterator[tuple[int, Any]]:
        for events in self._batches(work):
            for _, track, row in events:
                yield track, row

    def _batches(self, work: Work) -> Iterator[list[tuple[int, int, Any]]]:
        """Yields a list of events for each batch of rows, and at the end a list of the events that occur when tracks
        end. The events have the form that :class:`Found` describes."""
        from .shards import Here, Processes

        shards: Here | Processes = Here(work) if self._jobs == 1 else Processes(work, self._jobs)
        with shards:
            # While the shards feed one batch, the next batch is read.
            fed: deque[tuple[Rows, Callable[[], list[Found]]]] = deque()
            try:
                for rows in self._tracks.batches():
                    fed.append((rows, shards.feed(rows)))
                    if len(fed) > shards.ahead:
                        yield self._merged(*fed.popleft())
            except InputError:  # return the events of the rows that were read before the error
                while fed:
                    yield self._merged(*fed.popleft())
                raise
            while fed:
                yield self._merged(*fed.popleft())
            for ended, counts in shards.end():
                self.ended += ended
                self.counts += counts
        if self.flaw is not None and self.counts["fixes"] == self.counts["invalid_fixes"]:
            refuse(self._tracks.path, self.flaw, self.counts["fixes"])
        self.ended.sort()
        yield [(0, one.track, row) for one in self.ended for row in one.events]

    def _merged(self, rows: Rows, result: Callable[[], list[Found]]) -> list[tuple[int, int, Any]]:
        found = result()
        self._heights.see_columns(rows.beside or ())
        begin = self.counts["fixes"]
        counts = sum((part.counts for part in found), Counter[str]())
        if counts["late_fixes"] and self._tracks.sort:
            reason = (
                f"{counts['late_fixes']} of the fixes {begin + 1} to {begin + len(rows.tracks)} are earlier than a "
                f"previous fix of their track; a file is sorted only if one of its first {self._tracks.held_rows} rows "
                "is out of order"
            )
            raise UnsortedError(self._tracks.path, "", reason, advice=UNSORTED)
        self.counts += counts
        if counts["invalid_fixes"] and (self.flaw is None or self.flaw.is_missing):
            self.flaw = worse(self.flaw, _flaw(rows))
        events = [event for part in found for event in part.events]
        if len(found) > 1:
            # sort() is stable, and all events of one row come from one shard, so these events stay in order.
            events.sort(key=lambda event: event[0])
        return events

    def results(self, events: Mapping[Any, Sequence[Event]]) -> list[TrackReplay]:
        """The result of each track; it is available after the track's events have been consumed. `events` maps the key
        of each track to the track's events.

        A track's fixes are read from the file again when they are accessed.
        """
        keys, path = self._tracks.keys, str(self._tracks.path)
        again = self._tracks.again()
        return [
            TrackReplay(
                keys[one.track], path, FileFixes(again, one.track, one.counts.fixes),
                _sequence(events.get(keys[one.track], ())), one.counts, one.begin_us, one.end_us,
            )
            for one in self.ended
        ]  # fmt: skip


def replay_rows(
    path: str,
    by: str | None,
    columns: Mapping[str, str],
    how: Reading,
    sort: bool,
    conditions: TrackConditions,
    reports: Sequence[Report],
    until_us: int | None,
    rows: TableRows | None = None,
) -> tuple[ManyReplay, dict[Any, LazyEvents]]:
    """Replays all tracks of a file, or all rows of a table. Returns the replay, and the events of each track.

    If the rows of a track are not in order of time, the replay begins again: it reads all rows at once and sorts them.
    """

    def run(held_rows: int | None) -> tuple[ManyReplay, dict[Any, LazyEvents]]:
        tracks = ManyTracks(path, by, columns, how, sort=sort, held_rows=held_rows, table=rows)
        many = ManyReplay(tracks, conditions.conditions, reports, until_us, 1, conditions.fleet, conditions.heights)
        return many, many.events_by_track()

    try:
        # Feeding an unsorted table in memory twice is cheaper than checking the order of every table first.
        return run(None if rows is None else 1)
    except UnsortedError:
        return run(ALL_ROWS)


def _sequence(events: Sequence[Event]) -> Sequence[Event]:
    return events if isinstance(events, LazyEvents) else tuple(events)


def _flaw(rows: Rows) -> Flaw | None:
    """The unusable fix of a batch that is to be reported: the first fix with an impossible value, or else the first fix
    with a missing value."""
    found: Flaw | None = None
    accuracies = repeat(0.0) if rows.accuracies is None else rows.accuracies
    columns = rows.latitudes, rows.longitudes, accuracies, *(rows.beside or ())
    for row, (latitude, longitude, accuracy, *ellipse) in enumerate(zip(*columns)):
        reported = 0.0 if math.isnan(accuracy) else accuracy
        if not is_usable(latitude, longitude, reported, *ellipse):
            found = worse(found, Flaw(rows.place(row), latitude, longitude, reported, *ellipse[:3]))
            if found is not None and not found.is_missing:
                break
    return found
