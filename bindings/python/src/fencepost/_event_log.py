"""What a replay gives."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from ._conditions import Condition
from ._conditions_file import ConditionRow
from ._enums import State
from ._lists import EVENT_COLUMNS, EVENT_KINDS, event_points
from ._outputs import Event
from ._rows import Rows, Target, write_to
from ._times import from_us
from ._tracks import FixRow
from ._visits import Visits, visits_of

if TYPE_CHECKING:
    from pathlib import Path

LOG_COLUMNS = {name: value for name, value in EVENT_COLUMNS.items() if name != "tag"}
"""The columns of a log: those of the JSON Lines."""


class ReplayCounts(NamedTuple):
    """How many inputs a replay had, and how many of them it skipped.

    Example:
        >>> ReplayCounts(fixes=10, late_fixes=1).late_fixes
        1
    """

    fixes: int = 0
    late_fixes: int = 0
    """Earlier than one before."""
    invalid_fixes: int = 0
    """Without a usable position or time."""
    reports: int = 0
    """Scan reports and declarations of the sightings file."""
    late_reports: int = 0


@dataclass(frozen=True, slots=True)
class TrackReplay:
    """What became of one track.

    Example:
        >>> from fencepost import CircularGeographicCondition, Fix, replay
        >>> log = replay([Fix(0, 0, accuracy=5, time=7)], {"start": CircularGeographicCondition(0, 0, radius=150)})
        >>> log.replays[0].counts.fixes, log.replays[0].end_us
        (1, 7)
    """

    key: Any
    """What tells it from the other tracks of its table; None: there is one track."""
    source: str
    """The file's path, or the name of the argument that held the track."""
    fixes: Sequence[FixRow]
    """Latitude and longitude in degrees, accuracy in metres (0: not reported; NaN: no position), and the time in
    microseconds since 1970."""
    events: tuple[Event, ...]
    """Its events, in the order in which they were handed out."""
    counts: ReplayCounts
    """Its inputs, and how many of them were skipped."""
    begin_us: int | None
    """The first time of all its inputs in microseconds since 1970; None: it has no inputs."""
    end_us: int | None
    """The clock at its end, in microseconds since 1970."""


@dataclass(frozen=True, slots=True)
class TrackedEvent:
    """An event and the track that it is of.

    Example:
        >>> from fencepost import CircularGeographicCondition, Fix, replay
        >>> log = replay([Fix(0, 0, time=0)], {"start": CircularGeographicCondition(0, 0, radius=150)})
        >>> [(row.track, row.event.identifier) for row in log.tracked()]
        [(None, 'start')]
    """

    track: Any
    """What tells the track from the others; None: there is one track."""
    event: Event


class EventLog(Rows[Event]):
    """The events of a replay in the order in which they were handed out: a sequence of :class:`Event`, and a table.

    With ``by`` the tracks come one after another, in the order of their first rows; each has its own sequence numbers.

    Example:
        >>> from fencepost import CircularGeographicCondition, Fix, replay
        >>> fixes = [Fix(0, 0.001 * step, time=step * 1_000_000) for step in range(5)]
        >>> log = replay(fixes, {"start": CircularGeographicCondition(0, 0, radius=150)}, policy="exact")
        >>> [(event.identifier, str(event.state)) for event in log]
        [('start', 'satisfied'), ('start', 'unsatisfied')]
        >>> log.visits()[0].duration
        datetime.timedelta(seconds=2)
    """

    def __init__(
        self, replays: Sequence[TrackReplay], conditions: Sequence[ConditionRow], by: str | None = None
    ) -> None:
        super().__init__(event for replayed in replays for event in replayed.events)
        self._replays, self._conditions = tuple(replays), tuple(conditions)
        self.by = by
        """Name of the column that tells tracks apart; None: there is one track."""

    @property
    def tracks(self) -> tuple[Any, ...]:
        """What tells the tracks apart, in their order; a single None where there is one."""
        return tuple(replayed.key for replayed in self._replays)

    @property
    def conditions(self) -> dict[str, Condition]:
        """The conditions by identifier, in the order in which they were added."""
        return {row.identifier: row.condition for row in self._conditions}

    @property
    def counts(self) -> ReplayCounts:
        """The inputs, of all tracks together."""
        return ReplayCounts(*(sum(numbers) for numbers in zip(*(replayed.counts for replayed in self._replays))))

    @property
    def start(self) -> datetime | None:
        """The earliest time of all inputs, aware, UTC."""
        return from_us(min((part.begin_us for part in self._replays if part.begin_us is not None), default=None))

    @property
    def end(self) -> datetime | None:
        """The latest time of all inputs, or to which time was let pass, aware, UTC."""
        return from_us(max((part.end_us for part in self._replays if part.end_us is not None), default=None))

    def of(self, track: Any) -> EventLog:
        """The log of one track alone.

        Raises:
            KeyError: There is no such track.

        Example:
            >>> from fencepost import CircularGeographicCondition, Fix, replay
            >>> fixes = [Fix(0, 0.001 * step, time=step * 1_000_000) for step in range(5)]
            >>> log = replay(fixes, {"start": CircularGeographicCondition(0, 0, radius=150)}, policy="exact")
            >>> log.of(None) == log
            True
        """
        for replayed in self._replays:
            if replayed.key == track:
                return EventLog([replayed], self._conditions, self.by)
        raise KeyError(track)

    def visits(self) -> Visits:
        """The intervals for which each condition was satisfied.

        Example:
            >>> from fencepost import CircularGeographicCondition, Fix, replay
            >>> fixes = [Fix(0, 0.001 * step, time=step * 1_000_000) for step in range(5)]
            >>> log = replay(fixes, {"start": CircularGeographicCondition(0, 0, radius=150)}, policy="exact")
            >>> [(visit.identifier, str(visit.end_known)) for visit in log.visits()]
            [('start', 'crossing')]
        """
        return Visits(
            (
                visit
                for part in self._replays
                for visit in visits_of(part.events, part.begin_us, part.end_us, self.assumed, part.key)
            ),
            self.by,
        )

    def columns(self) -> dict[str, list[Any]]:
        """The table as a dict of columns: those of the JSON Lines; first `by`, where there is one.

        Flags and the parts of the refinement are joined into one text.

        Example:
            >>> from fencepost import CircularGeographicCondition, Fix, replay
            >>> fixes = [Fix(0, 0.001 * step, time=step * 1_000_000) for step in range(5)]
            >>> log = replay(fixes, {"start": CircularGeographicCondition(0, 0, radius=150)}, policy="exact")
            >>> log.columns()["state"]
            ['satisfied', 'unsatisfied']
        """
        first = {} if self.by is None else {self.by: [row.track for row in self.tracked()]}
        return first | {name: [value(event) for event in self] for name, value in LOG_COLUMNS.items()}

    def to_geopandas(self) -> Any:
        """A ``geopandas.GeoDataFrame`` in EPSG:4326: as :meth:`to_pandas`, with the deciding fix as a point.

        Events without a fix (beacons, diagnostics) have no geometry.

        Raises:
            MissingExtraError: GeoPandas is not installed.
        """
        from ._files import require

        geopandas = require("geopandas", "geo")
        shapely = require("shapely", "geo")
        frame = self.to_pandas().drop(columns=["latitude", "longitude"])
        points = [None if event.latitude is None else shapely.Point(event.longitude, event.latitude) for event in self]
        return geopandas.GeoDataFrame(frame, geometry=geopandas.GeoSeries(points, index=frame.index), crs="EPSG:4326")

    def to_file(self, path: str | os.PathLike[str], *, layer: str | None = None, crs: Any = None) -> None:
        """Writes the events as points: ``.gpkg`` (a GeoPackage that exists keeps its other layers), ``.fgb`` or
        ``.parquet`` (GeoParquet).

        GDAL keeps milliseconds of times in a GeoPackage and a FlatGeobuf, Parquet microseconds.

        Args:
            path: The file.
            layer: Of a GeoPackage; None: ``events``.
            crs: To what the points are transformed, as GeoPandas takes it; None: EPSG:4326.

        Raises:
            InvalidArgumentError: Another ending, a layer where there are none, an unknown `crs`, or the file cannot be
                written.
            MissingExtraError: What writes it is not installed.
        """
        from ._files_out import check_target, write_frame

        check_target(path, layer)
        write_frame(self.to_geopandas(), path, layer or "events", crs)

    def to_jsonl(self, target: Target = None) -> str | None:
        """JSON Lines, one an event, as the library itself writes them; `by` comes first, where there is one.

        Args:
            target: Path or open text file; None: the text is returned.

        Example:
            >>> from fencepost import CircularGeographicCondition, Fix, replay
            >>> fixes = [Fix(0, 0.001 * step, time=step * 1_000_000) for step in range(5)]
            >>> log = replay(fixes, {"start": CircularGeographicCondition(0, 0, radius=150)}, policy="exact")
            >>> (log.to_jsonl() or "")[:48]
            '{"sequence":1,"identifier":"start","state":"sati'
        """

        def write(stream: IO[str]) -> None:
            for row in self.tracked():
                stream.write(event_line(row.event, self.by, row.track) + "\n")

        return write_to(target, write)

    def to_csv(self, target: Target = None) -> str | None:
        """CSV with a header: the keys of the JSON Lines, what is not there is empty.

        Args:
            target: Path or open text file; None: the text is returned.

        Example:
            >>> from fencepost import CircularGeographicCondition, Fix, replay
            >>> fixes = [Fix(0, 0.001 * step, time=step * 1_000_000) for step in range(5)]
            >>> log = replay(fixes, {"start": CircularGeographicCondition(0, 0, radius=150)}, policy="exact")
            >>> (log.to_csv() or "").splitlines()[1][:41]
            '1,start,satisfied,determination,1970-01-0'
        """
        from ._formats import CSVWriter

        def write(stream: IO[str]) -> None:
            writer = CSVWriter(stream, self.by)
            for row in self.tracked():
                writer.write(row.event, row.track)

        return write_to(target, write)

    def to_geojson(self, target: Target = None) -> str | None:
        """A GeoJSON FeatureCollection: each event a Point at the deciding fix, without one its geometry is null.

        Args:
            target: Path or open text file; None: the text is returned.

        Example:
            >>> from fencepost import CircularGeographicCondition, Fix, replay
            >>> fixes = [Fix(0, 0.001 * step, time=step * 1_000_000) for step in range(5)]
            >>> log = replay(fixes, {"start": CircularGeographicCondition(0, 0, radius=150)}, policy="exact")
            >>> (log.to_geojson() or "")[:40]
            '{"type": "FeatureCollection", "features"'
        """
        from ._formats import geojson_parts

        def write(stream: IO[str]) -> None:
            stream.writelines(geojson_parts(((row.event, row.track) for row in self.tracked()), self.by))

        return write_to(target, write)

    def report(
        self, target: str | Path | None = None, *, title: str | None = None, base_map: bool | str = False
    ) -> str:
        """A page to look at: map, timeline and visits, in one HTML file that opens without a network.

        Args:
            target: Path of the file to write; None: only the page's text is returned.
            title: Of the page; None: what the track is called.
            base_map: Whether map tiles (of OpenStreetMap, or of a template such as
                ``"https://example.org/{Z}/{X}/{Y}.png"``) show at once when the reader is online. Otherwise a switch
                on the page shows them: the server learns where the track was.

        Returns:
            The page.

        Raises:
            MissingExtraError: Bokeh is not installed.
        """
        from ._report import report

        page = report(self, title=title, base_map=base_map)
        if target is not None:
            write_to(target, lambda stream: stream.write(page))
        return page

    def tracked(self) -> Iterator[TrackedEvent]:
        """The events with what tells their tracks apart.

        Example:
            >>> from fencepost import CircularGeographicCondition, Fix, replay
            >>> fixes = [Fix(0, 0.001 * step, time=step * 1_000_000) for step in range(5)]
            >>> log = replay(fixes, {"start": CircularGeographicCondition(0, 0, radius=150)}, policy="exact")
            >>> [(row.track, row.event.sequence) for row in log.tracked()]
            [(None, 1), (None, 2)]
        """
        for replayed in self._replays:
            for event in replayed.events:
                yield TrackedEvent(replayed.key, event)

    @property
    def replays(self) -> tuple[TrackReplay, ...]:
        """What became of each track."""
        return self._replays

    @property
    def assumed(self) -> Mapping[str, State]:
        """The states that were assumed when the conditions were added."""
        return {row.identifier: row.assuming for row in self._conditions}

    def _kinds(self) -> dict[str, str]:
        # GDAL has no unsigned integers.
        return {name: "int" if kind == "uint" else kind for name, kind in EVENT_KINDS.items() if name in LOG_COLUMNS}

    def _points(self) -> Sequence[tuple[float, float] | None]:
        return event_points(self)

    def _summary(self) -> str:
        several = "" if self.by is None else f", {len(self._replays)} tracks by {self.by}"
        period = "" if self.start is None else f", {self.start:%Y-%m-%d %H:%M:%S} to {self.end:%Y-%m-%d %H:%M:%S} UTC"
        return f"{len(self)} events of {len(self._conditions)} conditions{several}{period}"


def event_line(event: Event, by: str | None, track: Any) -> str:
    """An event as one JSON object, with the track first where there are several."""
    text = event.to_json()
    return text if by is None else line_head(by, track) + text[1:]


def line_head(by: str, track: Any) -> str:
    """What the line of an event begins with, up to the event's own keys."""
    return f"{{{json.dumps(by, ensure_ascii=False)}:{json.dumps(plain(track), ensure_ascii=False)},"


def plain(value: Any) -> Any:
    """A track's key as JSON has it."""
    if hasattr(value, "item"):
        value = value.item()
    return value if isinstance(value, str | int | float | bool) else str(value)
