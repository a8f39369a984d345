"""Visits: the intervals for which a condition was satisfied."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from .._errors import require
from .._tables.rows import Rows
from .._tables.shapely_shapes import drawn_shapes
from .._tables.table import Plain, series
from .._tables.times import from_us
from .._values.enums import CAUSES, STATES, Cause, State
from .._values.events import Event
from .lazy_events import LazyEvents

if TYPE_CHECKING:
    from geopandas import GeoDataFrame  # type: ignore[import-untyped]


class Known(enum.StrEnum):
    """How an end of a visit is known.

    Example:
        >>> Known("crossing")
        <Known.CROSSING: 'crossing'>
    """

    CROSSING = "crossing"
    """The change was observed."""
    DETERMINATION = "determination"
    """The first evidence found it so: the change itself was earlier."""
    ASSUMED = "assumed"
    """The condition was added with ``assuming=satisfied``: the visit starts with the log."""
    TIMEOUT = "timeout"
    """A beacon was silent for the timeout."""
    DIAGNOSTIC = "diagnostic"
    """Monitoring stopped."""
    REPLACED = "replaced"
    """The condition was replaced by another of its name."""
    OPEN = "open"
    """Not ended when the log ends."""


_CAUSES = {
    Cause.CROSSING: Known.CROSSING,
    Cause.DETERMINATION: Known.DETERMINATION,
    Cause.TIMEOUT: Known.TIMEOUT,
    Cause.NONE: Known.ASSUMED,
    Cause.DIAGNOSTIC: Known.DIAGNOSTIC,
}


@dataclass(frozen=True, slots=True)
class Visit(Plain):
    """An interval for which a condition was satisfied. Its fields are the columns of :meth:`Visits.to_pandas`.

    Attributes:
        identifier: The condition's.
        start: The crossing: the time of the fix, point of the path, or sighting that started the entry; without one,
            as `confirmed_start`. Aware, UTC, as all times here.
        end: The same of the exit, never before `start`; None: still open.
        duration: From `start` to `end`; of an open visit to the end of the log.
        start_known: How the start is known.
        end_known: How the end is known.
        open: Whether it had not ended when the log ended.
        confirmed_start: The date of the event that confirmed the entry; a dwell makes it later than `start`.
        confirmed_end: The same of the exit; None: still open.

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
        """The track's value of the column that tells tracks apart; None: the log is of one track."""
        return None


@dataclass(frozen=True, slots=True)
class TrackVisit(Visit):
    """A visit in a log of several tracks: the field `track` tells them apart."""

    track: Any = None


class Visits(Rows[Visit]):
    """The visits of an event log, by track, then start, then identifier: a sequence of :class:`Visit`, and a table.

    Example:
        >>> from fencepost import Circle, Fix, replay
        >>> fixes = [Fix(0, 0, time=0), Fix(0, 1, time=60_000_000)]
        >>> home = Circle(0, 0, radius=100)
        >>> visits = replay(fixes, {"home": home}, policy="exact").visits()
        >>> visits.columns()["duration"]
        [datetime.timedelta(seconds=60)]
    """

    def __init__(
        self, visits: Iterable[Visit | VisitRow], by: str | None = None, conditions: Mapping[str, Any] | None = None
    ) -> None:
        given = list(visits)
        self._plain = [each for each in given if isinstance(each, VisitRow)]
        if len(self._plain) < len(given):
            self._plain = []
            super().__init__(each.visit(by) if isinstance(each, VisitRow) else each for each in given)
        else:
            super().__init__(lambda: (each.visit(by) for each in self._plain))
        self._conditions = conditions or {}
        self.by = by
        """Name of the column that tells tracks apart; None: there is one track."""

    def to_geopandas(self) -> GeoDataFrame:
        """A ``geopandas.GeoDataFrame`` in EPSG:4326: as :meth:`to_pandas`, with the conditions as geometries (circles
        and polygons as polygons, corridors as lines, beacons as none) and durations in seconds, so that GeoPandas
        writes it to files and shows it with ``explore()``.

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

    def __len__(self) -> int:
        return len(self._plain) or super().__len__()

    def to_pandas(self) -> Any:
        if not self._plain:
            return super().to_pandas()
        pandas, numpy = require("pandas", "geo"), require("numpy", "geo")
        starts, identifiers, left, last, start_known, end_known, confirmed, ended, tracks = zip(*self._plain)
        begin, end = (numpy.array(column, "i8") for column in (starts, last))

        def times(column: Sequence[int | None]) -> Any:
            missing = numpy.iinfo("i8").min  # NaT
            whole = numpy.array([missing if each is None else each for each in column], "i8")
            return pandas.Series(whole.view("M8[us]")).dt.tz_localize("UTC")

        columns = {} if self.by is None else {self.by: series(pandas, tracks, None)}
        return pandas.DataFrame(
            columns
            | {
                "identifier": pandas.Series(identifiers, dtype=object),
                "start": times(starts),
                "end": times(left),
                "duration": pandas.Series((end - begin).view("m8[us]")),
                "start_known": pandas.Series(list(map(str, start_known)), dtype=object),
                "end_known": pandas.Series(list(map(str, end_known)), dtype=object),
                "open": pandas.Series([each is None for each in left]),
                "confirmed_start": times(confirmed),
                "confirmed_end": times(ended),
            }
        )

    def columns(self) -> dict[str, list[Any]]:
        """The table as a dict of columns: identifier, start, end, duration, start_known, end_known, open,
        confirmed_start, confirmed_end; first the column that tells tracks apart, where there are several."""
        first = {} if self.by is None else {self.by: [visit.track for visit in self]}
        return first | {
            field.name: [getattr(visit, field.name) for visit in self]
            if field.name not in ("start_known", "end_known")
            else [str(getattr(visit, field.name)) for visit in self]
            for field in fields(Visit)
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
    """A condition's state from one event to the next. `cause` and `evidence_us` are those of the event."""

    identifier: str
    state: State
    start_us: int
    end_us: int | None
    cause: Cause
    evidence_us: int | None
    generation: int
    next: Event | None


def intervals(
    events: Iterable[Event], begin_us: int | None, assumed: Mapping[str, State] | None = None
) -> Iterator[Interval]:
    """The states of each condition in turn, in the order of their first events; the last one has no end.

    Args:
        events: In the order in which they were handed out.
        begin_us: Start of the log.
        assumed: States from the beginning of the log.
    """
    own: dict[str, list[Event]] = {identifier: [] for identifier in assumed or {}}
    for event in events:
        own.setdefault(event.identifier, []).append(event)
    for identifier, history in own.items():
        state = (assumed or {}).get(identifier, State.UNKNOWN)
        generation = history[0].generation if history else 0
        since, cause, evidence = begin_us, Cause.NONE, None
        for event in history:
            if event.state is state and event.generation == generation:
                continue  # only its flags changed
            if since is not None and event.date_us is not None:
                yield Interval(identifier, state, since, event.date_us, cause, evidence, generation, event)
            state, since, generation = event.state, event.date_us, event.generation
            cause, evidence = event.cause, event.evidence_date_us
        if since is not None:
            yield Interval(identifier, state, since, None, cause, evidence, generation, None)


class VisitRow(NamedTuple):
    """A visit with times in microseconds; `left_us` is None while it is open, `last_us` is then the end of the log."""

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
        """The visit, of a log of several tracks where `by` names the column that tells them apart."""
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


_Change: TypeAlias = tuple[str, State, Cause, int | None, int | None, int]
"""Identifier, state, cause, date, evidence and generation of an event."""


def changes(events: Iterable[Event]) -> Iterator[_Change]:
    """What events say of states; without making the events where there are only the engine's rows."""
    if isinstance(events, LazyEvents):
        for row in events.rows:
            yield row[1], STATES[row[2]], CAUSES[row[3]], row[4], row[5], row[8]
        return
    for event in events:
        yield event.identifier, event.state, event.cause, event.date_us, event.evidence_date_us, event.generation


def visit_rows(
    events: Iterable[Event],
    begin_us: int | None,
    end_us: int | None,
    assumed: Mapping[str, State] | None = None,
    track: Any = None,
) -> list[VisitRow]:
    """The visits of one track, by start, then identifier.

    Args:
        events: As :func:`intervals` takes them.
        begin_us: Start of the log.
        end_us: End of the log.
        assumed: States from the beginning of the log.
        track: The track's value of the column that tells tracks apart.
    """
    found: list[VisitRow] = []
    assumed = assumed or {}
    # By identifier: state, since when, its cause and evidence, generation.
    current: dict[str, tuple[State, int | None, Cause, int | None, int]] = {}
    for change in changes(events):
        identifier, state, cause, date_us, evidence_us, generation = change
        own = current.get(identifier)
        if own is None:
            own = assumed.get(identifier, State.UNKNOWN), begin_us, Cause.NONE, None, generation
            current[identifier] = own
        if state is own[0] and generation == own[4]:
            continue  # only its flags changed
        if own[0] is State.SATISFIED and own[1] is not None and date_us is not None:
            found.append(_visit_row(identifier, own, change, end_us, track))
        current[identifier] = state, date_us, cause, evidence_us, generation
    for identifier, state in assumed.items():
        if state is State.SATISFIED and identifier not in current:
            current[identifier] = state, begin_us, Cause.NONE, None, 0
    for identifier, own in current.items():
        if own[0] is State.SATISFIED and own[1] is not None:
            found.append(_visit_row(identifier, own, None, end_us, track))
    found.sort(key=itemgetter(0, 1))
    return found


def _visit_row(
    identifier: str,
    own: tuple[State, int | None, Cause, int | None, int],
    ended: _Change | None,
    end_us: int | None,
    track: Any,
) -> VisitRow:
    _, since, cause, evidence_us, generation = own
    since_us = since or 0
    start_us = since_us if evidence_us is None else min(evidence_us, since_us)
    if ended is None:
        last_us = start_us if end_us is None else max(end_us, start_us)
        return VisitRow(start_us, identifier, None, last_us, _CAUSES[cause], Known.OPEN, since_us, None, track)
    _, _, end_cause, date_us, left_evidence_us, next_generation = ended
    replaced, confirmed_us = next_generation != generation, date_us or 0
    # The evidence of a replacement is of the new condition.
    left_us = confirmed_us if replaced or left_evidence_us is None else left_evidence_us
    left_us = max(start_us, min(left_us, confirmed_us))
    known = Known.REPLACED if replaced else _CAUSES[end_cause]
    return VisitRow(start_us, identifier, left_us, left_us, _CAUSES[cause], known, since_us, date_us, track)


def visits_of(
    events: Iterable[Event],
    begin_us: int | None,
    end_us: int | None,
    assumed: Mapping[str, State] | None = None,
    track: Any = None,
    by: str | None = None,
) -> list[Visit]:
    """As :func:`visit_rows`; `by` is the name of the column that tells tracks apart."""
    return [row.visit(by) for row in visit_rows(events, begin_us, end_us, assumed, track)]
