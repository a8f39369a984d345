"""Many tracks in one file, replayed in batches: memory grows with tracks and conditions, not with the rows; of grouped
tracks one is held at a time.

Each track has a fork of one monitor that holds the conditions. The tracks are shared out to shards, each of which feeds
its own rows and says at which row each event came: merged by row, the events are those of one shard.
"""

from __future__ import annotations

import os
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _track_csv
from ._arrow_in import fix_rows, track_batches
from ._event_log import ReplayCounts, TrackedEvent, TrackReplay
from ._files import InputError, require
from ._monitor import Monitor
from ._native import InvalidArgumentError, LateInputError
from ._outputs import Event, EventRow
from ._sightings import Report
from ._tracks import VECTOR_FORMATS, FixRow
from ._vector import PLAIN, Reading

if TYPE_CHECKING:
    from typing_extensions import Self

BATCH_ROWS = 65_536


class Rows(NamedTuple):
    """Consecutive rows of a file: whose track each is of (a number, by first appearance), and its fix."""

    tracks: array[int]
    latitudes: array[float]
    longitudes: array[float]
    accuracies: array[float]
    times: array[int]

    @classmethod
    def empty(cls) -> Rows:
        """No rows."""
        return cls(array("q"), array("d"), array("d"), array("d"), array("q"))

    def append(self, track: int, fix: FixRow) -> None:
        """Adds a row."""
        self.tracks.append(track)
        self.latitudes.append(fix[0])
        self.longitudes.append(fix[1])
        self.accuracies.append(fix[2])
        self.times.append(fix[3])


class Found(NamedTuple):
    """What a shard found: events, each with its place in the batch and the number of its track; how its inputs fared.

    The place is twice the row; what a row itself brings comes one later than what its beginning ended.
    """

    events: list[tuple[int, int, EventRow]]
    counts: Counter[str]


class Ended(NamedTuple):
    """A track at its end: the last events, the first time of all inputs and the clock."""

    track: int
    events: list[EventRow]
    begin_us: int | None
    end_us: int | None


class Work(NamedTuple):
    """What all shards need. `grouped`: the rows of a track come together, so that it ends where another begins."""

    template: Monitor
    reports: Sequence[Report]
    until_us: int | None
    grouped: bool


class _Run:
    __slots__ = ("begin_us", "counts", "monitor", "next_report")

    def __init__(self, monitor: Monitor, reports: Sequence[Report]) -> None:
        self.monitor, self.next_report = monitor, 0
        self.begin_us: int | None = reports[0].time_us if reports else None
        self.counts: Counter[str] = Counter()


class Shard:
    """The monitors of some of the tracks."""

    def __init__(self, work: Work, number: int, of: int) -> None:
        self._template, self._reports, self._until_us, self._grouped = work
        self._number, self._of = number, of
        self._runs: dict[int, _Run] = {}
        self._ended: list[Ended] = []
        self._current = -1

    def feed(self, rows: Rows) -> Found:
        """Feeds the rows of its own tracks, in order; events are taken after each input."""
        found: list[tuple[int, int, EventRow]] = []
        counts: Counter[str] = Counter()
        number, of, runs = self._number, self._of, self._runs
        for row, (track, latitude, longitude, accuracy, time) in enumerate(zip(*rows)):
            if track != self._current and self._grouped:
                last = runs.pop(self._current, None)
                if last is not None:
                    ended = self._end(self._current, last, counts)
                    found += [(2 * row, self._current, event) for event in ended.events]
                    self._ended.append(ended._replace(events=[]))
                self._current = track
            if track % of != number:
                continue
            run = runs.get(track)
            if run is None:
                run = runs[track] = _Run(self._template.fork(), self._reports)
            if run.begin_us is None or time < run.begin_us:
                run.begin_us = time
            if self._reports:
                self._report(run, time, counts, lambda event, row=row, track=track: found.append((2 * row + 1, track, event)))
            handle = run.monitor._handle
            counts["fixes"] += 1
            try:
                handle.feed_fix(latitude, longitude, accuracy, time)
            except LateInputError:
                counts["late_fixes"] += 1
            except InvalidArgumentError:
                counts["invalid_fixes"] += 1
            else:
                counts["invalid_fixes"] += not accuracy >= 0
            while (event := handle.poll_event()) is not None:
                found.append((2 * row + 1, track, event))
        return Found(found, counts)

    def end(self) -> tuple[list[Ended], Counter[str]]:
        """Ends all tracks that have not ended."""
        counts: Counter[str] = Counter()
        ended = [self._end(track, run, counts) for track, run in sorted(self._runs.items())]
        return self._ended + ended, counts

    def _end(self, track: int, run: _Run, counts: Counter[str]) -> Ended:
        """Feeds what reports are left and lets time pass."""
        events: list[EventRow] = []
        self._report(run, None, counts, events.append)
        clock = run.monitor.clock_us
        if self._until_us is not None:
            if clock is not None and self._until_us < clock:
                raise InvalidArgumentError("until is before the last input")
            run.monitor.advance(self._until_us)
            self._drain(run, events.append)
        return Ended(track, events, run.begin_us, run.monitor.clock_us)

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

    @staticmethod
    def _drain(run: _Run, put: Any) -> None:
        while (event := run.monitor._handle.poll_event()) is not None:
            put(event)


class ManyTracks:
    """A file of many tracks, read in batches of rows.

    Attributes:
        keys: What tells the tracks apart, by first appearance; complete when all rows were read.
    """

    def __init__(
        self,
        path: str | Path,
        by: str,
        columns: Mapping[str, str] | None = None,
        how: Reading = PLAIN,
        batch_rows: int = BATCH_ROWS,
        grouped: bool = False,
    ) -> None:
        self.path, self.by, self.grouped = path, by, grouped
        self._columns, self._how, self._batch_rows = columns or {}, how, batch_rows
        self.keys: list[Any] = []
        self._numbers: dict[Any, int] = {}

    def batches(self) -> Iterator[Rows]:
        """The rows in file order.

        Raises:
            InputError: The file cannot be used; the text names file, place and reason.
        """
        empty = True
        for rows in self._arrow() if Path(self.path).suffix.lower() in VECTOR_FORMATS else self._csv():
            empty = empty and not len(rows.tracks)
            yield rows
        if empty:
            raise InputError(self.path, "", "holds no points")

    def _number(self, key: Any) -> int:
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.keys)
            self.keys.append(key)
        elif self.grouped and number + 1 != len(self.keys):
            raise InputError(self.path, "", f"track {key!r} comes again after another: the tracks are not grouped")
        return number

    def _csv(self) -> Iterator[Rows]:
        keys: list[str] = []
        points = _track_csv.stream(self.path, self._columns, self.by, keys)
        while part := list(islice(points, self._batch_rows)):
            rows = Rows.empty()
            for key, (place, (latitude, longitude, accuracy, time)) in zip(keys, part):
                if time is None:
                    raise InputError(self.path, place, "has no time")
                rows.append(self._number(key), (latitude, longitude, accuracy, time))
            keys.clear()
            yield rows

    def _arrow(self) -> Iterator[Rows]:
        with open_batches(self.path, self._how, self._batch_rows) as table:
            given = (table.stream, str(self.path), self._columns, self.by, self._how.transform, table.crs)
            for batch in track_batches(*given):
                rows = Rows.empty()
                for key, fix in zip(batch[4] or (), fix_rows(batch)):
                    rows.append(self._number(key), fix)
                yield rows


class open_batches:  # noqa: N801 -- used as a function
    """The Arrow stream of a Parquet or vector file; its CRS where the stream does not say it. A context."""

    def __init__(self, path: str | Path, how: Reading, batch_rows: int) -> None:
        self._path, self._how, self._batch_rows = path, how, batch_rows
        self._open: Any = None
        self.stream: Any = None
        self.crs: Any = None

    def __enter__(self) -> Self:
        path = os.fspath(self._path)
        if not os.path.exists(path):
            raise InputError(path, "", "No such file or directory")
        try:
            if Path(path).suffix.lower() == ".parquet":
                if self._how.layer is not None:
                    raise ValueError("it has no layers")
                parquet, pyarrow = require("pyarrow.parquet", "parquet"), require("pyarrow", "parquet")
                self._open = parquet.ParquetFile(path, pre_buffer=False, buffer_size=1 << 20)
                schema = self._open.schema_arrow
                batches = self._open.iter_batches(batch_size=self._batch_rows, use_threads=False)
                self.stream = pyarrow.RecordBatchReader.from_batches(schema, batches)
                return self
            self._open = require("pyogrio.raw", "geo").open_arrow(
                path, layer=self._how.layer, batch_size=self._batch_rows, datetime_as_string=True
            )
            meta, self.stream = self._open.__enter__()
            self.crs = meta["crs"]
            return self
        except ImportError:
            raise
        except Exception as error:  # GDAL, pyogrio and pyarrow raise many kinds
            raise InputError(path, "", f"not usable as {Path(path).suffix.lower()[1:]}: {error}") from None

    def __exit__(self, *error: object) -> None:
        if hasattr(self._open, "__exit__"):
            self._open.__exit__(*error)


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
        from ._shards import Here, Processes

        keys = self._tracks.keys
        shards: Here | Processes = Here(self._work) if self._jobs == 1 else Processes(self._work, self._jobs)
        with shards:
            pending = False
            for rows in self._tracks.batches():
                # The shards feed one batch while the next is read.
                if pending:
                    yield from self._merged(shards.results())
                shards.feed(rows)
                pending = True
            if pending:
                yield from self._merged(shards.results())
            for ended, counts in shards.end():
                self.ended += ended
                self.counts += counts
        self.ended.sort()
        for one in self.ended:
            for row in one.events:
                yield TrackedEvent(keys[one.track], Event._from_row(row))

    def _merged(self, found: Sequence[Found]) -> Iterator[TrackedEvent]:
        for part in found:
            self.counts += part.counts
        rows = [event for part in found for event in part.events]
        if len(found) > 1:
            rows.sort(key=lambda event: event[0])  # stable: the events of a place are all of one shard
        keys = self._tracks.keys
        for _, track, row in rows:
            yield TrackedEvent(keys[track], Event._from_row(row))

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
