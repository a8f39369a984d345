"""Visits: the intervals for which a condition was satisfied."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from .._errors import require
from .._tables.rows import Rows
from .._tables.times import from_us
from .._values.enums import Cause, State
from .._values.events import Event


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
class Visit:
    """An interval for which a condition was satisfied.

    Attributes:
        identifier: The condition's.
        start_us: When the entry was confirmed, microseconds since 1970-01-01T00:00:00Z.
        end_us: When the exit was confirmed, likewise; None: still open.
        last_us: The end; of an open visit the end of the log.
        start_known: How the start is known.
        end_known: How the end is known.
        start_evidence_us: The fix, point of the path, or sighting that started the entry, at most `start_us`; None:
            there is none.
        end_evidence_us: The same of the exit.
        track: What tells the track from others, where the log is of several; else None.

    Example:
        >>> visit = Visit("home", 0, 60_000_000, 60_000_000, Known.CROSSING, Known.CROSSING)
        >>> visit.duration, visit.is_open
        (datetime.timedelta(seconds=60), False)
    """

    identifier: str
    start_us: int
    end_us: int | None
    last_us: int
    start_known: Known
    end_known: Known
    start_evidence_us: int | None = None
    end_evidence_us: int | None = None
    track: Any = None

    @property
    def start(self) -> datetime:
        """When the entry was confirmed, aware, UTC."""
        return from_us(self.start_us)  # type: ignore[return-value]

    @property
    def end(self) -> datetime | None:
        """When the exit was confirmed, aware, UTC; None: still open."""
        return from_us(self.end_us)

    @property
    def duration(self) -> timedelta:
        """From start to end; of an open visit to the end of the log."""
        return timedelta(microseconds=self.last_us - self.start_us)

    @property
    def is_open(self) -> bool:
        """Whether it had not ended when the log ended."""
        return self.end_us is None


class Visits(Rows[Visit]):
    """The visits of an event log, by track, then start, then identifier: a sequence of :class:`Visit`, and a table.

    Example:
        >>> visits = Visits([Visit("home", 0, 60_000_000, 60_000_000, Known.CROSSING, Known.TIMEOUT)])
        >>> print(visits.to_csv(), end="")
        identifier,start,end,duration,start_known,end_known,open,start_evidence,end_evidence
        home,1970-01-01T00:00:00Z,1970-01-01T00:01:00Z,60.0,crossing,timeout,False,,
    """

    def __init__(
        self, visits: Iterable[Visit], by: str | None = None, conditions: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(visits)
        self._conditions = conditions or {}
        self.by = by
        """Name of the column that tells tracks apart; None: there is one track."""

    def to_geopandas(self) -> Any:
        """A ``geopandas.GeoDataFrame`` in EPSG:4326: as :meth:`to_pandas`, with the conditions as geometries (circles
        and polygons as polygons, corridors as lines, beacons as none) and durations in seconds, so that GeoPandas
        writes it to files and shows it with ``explore()``.

        Raises:
            MissingExtraError: GeoPandas is not installed.
        """
        geopandas, shapes = require("geopandas", "geo"), require("shapely.geometry", "geo")
        drawn: dict[str, Any] = {}
        for identifier in {visit.identifier for visit in self}:
            drawable = getattr(self._conditions.get(identifier), "__geo_interface__", None)
            if drawable is not None:
                drawn[identifier] = shapes.shape(drawable)
        frame = self.to_pandas()
        frame["duration"] = frame["duration"].dt.total_seconds()
        places = geopandas.GeoSeries([drawn.get(each.identifier) for each in self], index=frame.index, dtype="geometry")
        return geopandas.GeoDataFrame(frame, geometry=places, crs="EPSG:4326")

    def columns(self) -> dict[str, list[Any]]:
        """The table as a dict of columns: identifier, start, end, duration, start_known, end_known, open,
        start_evidence, end_evidence; first the column that tells tracks apart, where there are several.

        Example:
            >>> visits = Visits([Visit("home", 0, 60_000_000, 60_000_000, Known.CROSSING, Known.TIMEOUT)])
            >>> visits.columns()["duration"]
            [datetime.timedelta(seconds=60)]
        """
        first = {} if self.by is None else {self.by: [visit.track for visit in self]}
        return first | {
            "identifier": [visit.identifier for visit in self],
            "start": [visit.start for visit in self],
            "end": [visit.end for visit in self],
            "duration": [visit.duration for visit in self],
            "start_known": [str(visit.start_known) for visit in self],
            "end_known": [str(visit.end_known) for visit in self],
            "open": [visit.is_open for visit in self],
            "start_evidence": [from_us(visit.start_evidence_us) for visit in self],
            "end_evidence": [from_us(visit.end_evidence_us) for visit in self],
        }

    def _kinds(self) -> dict[str, str]:
        times = dict.fromkeys(("start", "end", "start_evidence", "end_evidence"), "time")
        return times | {"duration": "duration", "open": "bool"}

    def _summary(self) -> str:
        still = sum(visit.is_open for visit in self)
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


def visits_of(
    events: Iterable[Event],
    begin_us: int | None,
    end_us: int | None,
    assumed: Mapping[str, State] | None = None,
    track: Any = None,
) -> list[Visit]:
    """The visits of one track, by start, then identifier. The arguments are those of :func:`intervals`, and the log's
    end."""
    found = []
    for part in intervals(events, begin_us, assumed):
        if part.state is not State.SATISFIED:
            continue
        ended = part.next
        if ended is None:
            last = part.start_us if end_us is None else max(end_us, part.start_us)
            known, evidence = Known.OPEN, None
        else:
            last, evidence = part.end_us or 0, ended.evidence_date_us
            known = Known.REPLACED if ended.generation != part.generation else _CAUSES[ended.cause]
        start = _CAUSES[part.cause]
        found.append(
            Visit(part.identifier, part.start_us, part.end_us, last, start, known, part.evidence_us, evidence, track)
        )
    return sorted(found, key=lambda visit: (visit.start_us, visit.identifier))
