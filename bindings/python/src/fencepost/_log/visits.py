"""Visits: the intervals during which a condition was satisfied."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from .._dataclass import dataclass
from .._errors import require
from .._native import visits as found_visits
from .._tables.rows import Rows
from .._tables.shapely_shapes import drawn_shapes
from .._tables.table import Plain, series
from .._tables.times import from_us
from .._values.enums import CAUSES, STATES, Cause, State
from .._values.events import Event
from .lazy_events import LazyEvents

if TYPE_CHECKING:
    from geopandas import GeoDataFrame  # type: ignore[import-untyped]
    from pandas import DataFrame

    from .._values.any_condition import Condition
    from .hours import Change


class Known(enum.StrEnum):
    """How the start or end of a visit is known.

    Example:
        >>> Known("crossing")
        <Known.CROSSING: 'crossing'>
    """

    CROSSING = "crossing"
    """The entry or the exit was observed."""
    DETERMINATION = "determination"
    """The first fix or sighting that determined the state already showed the state after the entry or the exit, so the
    entry or the exit itself was earlier."""
    ASSUMED = "assumed"
    """The condition was added with ``assuming=satisfied``, so the visit starts with the log."""
    TIMEOUT = "timeout"
    """No matching beacon was seen during the timeout."""
    DIAGNOSTIC = "diagnostic"
    """Monitoring stopped."""
    REPLACED = "replaced"
    """The condition was replaced by another condition with the same identifier."""
    OPEN = "open"
    """The visit had not ended when the log ended."""
    INACTIVE = "inactive"
    """The hours of the condition ended, or it had its last event; see :class:`Timing`. The device may still be
    inside."""


KNOWN = tuple(Known)
"""The values of :class:`Known`; the index of each value is the engine's number for it."""
_NEVER = -(1 << 63)
_HOURS_ENDED = -1
"""The engine's number for the cause of a change that is the edge of a schedule."""


@dataclass(frozen=True, slots=True)
class Visit(Plain):
    """An interval during which a condition was satisfied. The fields of a visit are the columns of
    :meth:`Visits.to_pandas`.

    Attributes:
        identifier: The identifier of the condition.
        start: The time of the fix, path point or sighting that started the entry, as an aware datetime in UTC. If the
            start of the entry is unknown, `start` equals `confirmed_start`.
        end: The time of the fix, path point or sighting that started the exit, never before `start`; None if the visit
            has not ended.
        duration: The time from `start` to `end` or, for an open visit, to the end of the log.
        start_known: The evidence for the start of the visit: a value of :class:`Known`.
        end_known: The evidence for the end of the visit: a value of :class:`Known`.
        open: True if the visit had not ended when the log ended.
        confirmed_start: The time at which the entry was confirmed. If the condition has a dwell, `confirmed_start` is
            later than `start`.
        confirmed_end: The time at which the exit was confirmed, or None if the visit has not ended.

    Example:
        >>> from fencepost import Circle, Fix, replay
        >>> fixes = [Fix(0, 0, time=0), Fix(0, 1, time=60_000_000)]
        >>> home = Circle(0, 0, radius=100)
        >>> (visit,) = replay(fixes, {"home": home}, policy="exact").visits()
        >>> visit.duration, visit.open
        (datetime.timedelta(seconds=60), False)
    """

    identifier: str
    start: datetime
    end: datetime | None
    duration: timedelta
    start_known: Known
    end_known: Known
    open: bool
    confirmed_start: datetime
    confirmed_end: datetime | None

    @property
    def track(self) -> Any:
        """The track's key, or None if the log has only one track."""
        return None


@dataclass(frozen=True, slots=True)
class TrackVisit(Visit):
    """A visit in a log of several tracks, with its track in the field `track`."""

    track: Any = None


class Visits(Rows[Visit]):
    """The visits of an event log, sorted by track, then start, then identifier: a sequence of :class:`Visit` that is
    also a table.

    Example:
        >>> from fencepost import Circle, Fix, replay
        >>> fixes = [Fix(0, 0, time=0), Fix(0, 1, time=60_000_000)]
        >>> home = Circle(0, 0, radius=100)
        >>> visits = replay(fixes, {"home": home}, policy="exact").visits()
        >>> visits.columns()["duration"]
        [datetime.timedelta(seconds=60)]
    """

    def __init__(
        self,
        visits: Iterable[Visit] | Sequence[VisitColumns],
        by: str | None = None,
        conditions: Mapping[str, Condition] | None = None,
    ) -> None:
        given = list(visits)
        self._columns = [each for each in given if isinstance(each, VisitColumns)]
        super().__init__(None if self._columns else (each for each in given if isinstance(each, Visit)))
        self._conditions = conditions or {}
        self.by = by
        """Name of the column that identifies the tracks, or None if there is only one track."""

    def _made(self) -> Iterator[Visit]:
        return (row.visit(self.by) for part in self._columns for row in part.rows())

    def to_geopandas(self) -> GeoDataFrame:
        """Returns a ``geopandas.GeoDataFrame`` in EPSG:4326: the table of :meth:`to_pandas`, with the conditions as
        geometries (circles and polygons as polygons, corridors as lines, beacons without geometry). Durations are in
        seconds, so that GeoPandas can write the frame to files and show it with ``explore()``.

        Raises:
            MissingExtraError: GeoPandas is not installed.
        """
        geopandas = require("geopandas", "geo")
        identifiers = list({visit.identifier for visit in self})
        drawn = dict(zip(identifiers, drawn_shapes([self._conditions.get(each) for each in identifiers])))
        frame = self.to_pandas()
        frame["duration"] = frame["duration"].dt.total_seconds()
        places = geopandas.GeoSeries([drawn.get(each.identifier) for each in self], index=frame.index, dtype="geometry")
        return geopandas.GeoDataFrame(frame, geometry=places, crs="EPSG:4326")

    def _plain(self) -> list[VisitRow]:
        """The visits with times in microseconds. The list is empty if this table was created from :class:`Visit`
        objects."""
        return [row for part in self._columns for row in part.rows()]

    def __len__(self) -> int:
        return sum(len(part.identifiers) for part in self._columns) if self._columns else super().__len__()

    def to_pandas(self) -> DataFrame:
        parts = [part for part in self._columns if part.identifiers]
        if not parts:
            return super().to_pandas()
        pandas, numpy = require("pandas", "geo"), require("numpy", "geo")

        def joined(name: str, kind: str) -> Any:
            return numpy.frombuffer(b"".join(getattr(part, name) for part in parts), kind)

        def times(column: Any) -> Any:  # pandas reads the smallest integer as NaT
            return pandas.Series(column.view("M8[us]")).dt.tz_localize("UTC")

        def known(name: str) -> Any:
            texts = numpy.array([str(each) for each in KNOWN], object)
            return pandas.Series(texts[joined(name, "u1")], dtype=object)

        starts, left, last = (joined(name, "i8") for name in ("start", "left", "last"))
        columns: dict[str, Any] = {}
        if self.by is not None:
            tracks = [part.track for part in parts for _ in part.identifiers]
            columns[self.by] = series(pandas, tracks, None)
        made: DataFrame = pandas.DataFrame(
            columns
            | {
                "identifier": pandas.Series([text for part in parts for text in part.identifiers], dtype=object),
                "start": times(starts),
                "end": times(left),
                "duration": pandas.Series((last - starts).view("m8[us]")),
                "start_known": known("start_known"),
                "end_known": known("end_known"),
                "open": pandas.Series(left == numpy.iinfo("i8").min),
                "confirmed_start": times(joined("confirmed", "i8")),
                "confirmed_end": times(joined("ended", "i8")),
            }
        )
        return made

    def columns(self) -> dict[str, list[Any]]:
        """Returns the table as a dict of columns: identifier, start, end, duration, start_known, end_known, open,
        confirmed_start, confirmed_end. If there are several tracks, the column of track keys comes first."""
        first = {} if self.by is None else {self.by: [visit.track for visit in self]}
        return first | {
            name: [getattr(visit, name) for visit in self]
            if name not in ("start_known", "end_known")
            else [str(getattr(visit, name)) for visit in self]
            for name in Visit.__match_args__
        }

    def _kinds(self) -> dict[str, str]:
        times = dict.fromkeys(("start", "end", "confirmed_start", "confirmed_end"), "time")
        return times | {"duration": "duration", "open": "bool"}

    def _summary(self) -> str:
        still = sum(visit.open for visit in self)
        places = len({visit.identifier for visit in self})
        return f"{len(self)} visits to {places} conditions" + (f", {still} still open" if still else "")


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval during which the state of a condition stays the same. `cause` and `evidence_us` are the values of the
    event that started the interval."""

    identifier: str
    state: State
    start_us: int
    end_us: int | None
    cause: Cause | None
    evidence_us: int | None
    generation: int
    next: Event | Change | None


def intervals(
    events: Iterable[Event | Change], begin_us: int | None, assumed: Mapping[str, State] | None = None
) -> Iterator[Interval]:
    """Yields the successive states of each condition, in the order of the conditions' first events. The interval of a
    condition's last state has no end.

    Args:
        events: The events, in the order of their delivery.
        begin_us: Start of the log.
        assumed: The state of each condition that has an assumed state at the beginning of the log.
    """
    own: dict[str, list[Event | Change]] = {identifier: [] for identifier in assumed or {}}
    for event in events:
        own.setdefault(event.identifier, []).append(event)
    for identifier, history in own.items():
        state = (assumed or {}).get(identifier, State.UNKNOWN)
        generation = history[0].generation if history else 0
        since, evidence = begin_us, None
        cause: Cause | None = Cause.NONE
        for event in history:
            if event.state is state and event.generation == generation:
                continue  # this event changes only the flags of the state
            if since is not None and event.date_us is not None:
                yield Interval(identifier, state, since, event.date_us, cause, evidence, generation, event)
            state, since, generation = event.state, event.date_us, event.generation
            cause, evidence = event.cause, event.evidence_date_us
        if since is not None:
            yield Interval(identifier, state, since, None, cause, evidence, generation, None)


class VisitRow(NamedTuple):
    """A visit with times in microseconds. If the visit is open, `left_us` is None and `last_us` is the end of the
    log."""

    start_us: int
    identifier: str
    left_us: int | None
    last_us: int
    start_known: Known
    end_known: Known
    confirmed_start_us: int
    confirmed_end_us: int | None
    track: Any

    def visit(self, by: str | None) -> Visit:
        """Converts the row to a :class:`Visit`; with `by`, to a :class:`TrackVisit`."""
        values = (
            self.identifier,
            from_us(self.start_us),
            from_us(self.left_us),
            timedelta(microseconds=self.last_us - self.start_us),
            self.start_known,
            self.end_known,
            self.left_us is None,
            from_us(self.confirmed_start_us),
            from_us(self.confirmed_end_us),
        )
        return Visit(*values) if by is None else TrackVisit(*values, self.track)  # type: ignore[arg-type]


class VisitColumns(NamedTuple):
    """The visits of one track, sorted by start, then identifier. Times are columns of microseconds as 64-bit integers,
    where the smallest integer means None. Each byte of `start_known` and `end_known` is an index in :data:`KNOWN`."""

    track: Any
    identifiers: list[str]
    start: bytes
    left: bytes
    last: bytes
    confirmed: bytes
    ended: bytes
    start_known: bytes
    end_known: bytes

    def rows(self) -> Iterator[VisitRow]:
        """The visits."""
        times = [memoryview(column).cast("q") for column in self[2:7]]
        for identifier, start, left, last, confirmed, ended, begin, end in zip(
            self.identifiers, *times, self.start_known, self.end_known
        ):
            yield VisitRow(
                start, identifier, None if left == _NEVER else left, last, KNOWN[begin], KNOWN[end], confirmed,
                None if ended == _NEVER else ended, self.track,
            )  # fmt: skip


def event_rows(events: Iterable[Event | Change]) -> tuple[Any, ...]:
    """Returns events as rows of the engine. Events that are not stored as rows of the engine are converted to rows with
    only the fields that visits need; the other fields are None."""
    if isinstance(events, LazyEvents):
        return events.rows
    return tuple(
        (None, event.identifier, _STATES[event.state], _CAUSES[event.cause], event.date_us, event.evidence_date_us,
         None, None, event.generation)
        for event in events
    )  # fmt: skip


_STATES = {state: number for number, state in enumerate(STATES)}
_CAUSES: dict[Cause | None, int] = {cause: number for number, cause in enumerate(CAUSES)} | {None: _HOURS_ENDED}


def visit_columns(
    events: Iterable[Event | Change],
    begin_us: int | None,
    end_us: int | None,
    assumed: Mapping[str, State] | None = None,
    track: Any = None,
) -> VisitColumns:
    """The visits of one track.

    Args:
        events: The events, in the order of their delivery.
        begin_us: Start of the log.
        end_us: End of the log.
        assumed: The state of each condition that has an assumed state at the beginning of the log.
        track: The key of the track.
    """
    states = {identifier: _STATES[state] for identifier, state in (assumed or {}).items()}
    return VisitColumns(track, *found_visits(event_rows(events), states, begin_us, end_us))


def visits_of(
    events: Iterable[Event],
    begin_us: int | None,
    end_us: int | None,
    assumed: Mapping[str, State] | None = None,
    track: Any = None,
    by: str | None = None,
) -> list[Visit]:
    """Returns the visits of :func:`visit_columns` as a list. The argument `by` is the name of the column that
    identifies the tracks."""
    return [row.visit(by) for row in visit_columns(events, begin_us, end_us, assumed, track).rows()]
