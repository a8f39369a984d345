"""Lists of events and records that also are tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from ._html import SHOWN, table
from ._outputs import Event, Record, diagnostic_names, refinement_text
from ._table import Table

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from ._native import Monitor as Handle

EVENT_COLUMNS: dict[str, Callable[[Event], Any]] = {
    "sequence": lambda event: event.sequence,
    "identifier": lambda event: event.identifier,
    "state": lambda event: str(event.state),
    "cause": lambda event: str(event.cause),
    "date": lambda event: event.date,
    "evidence_date": lambda event: event.evidence_date,
    "refinement": lambda event: refinement_text(event) or None,
    "diagnostics": lambda event: "|".join(diagnostic_names(event.diagnostics)),
    "generation": lambda event: event.generation,
    "latitude": lambda event: event.latitude,
    "longitude": lambda event: event.longitude,
    "accuracy": lambda event: event.accuracy,
    "boundary_distance": lambda event: event.boundary_distance,
    "tag": lambda event: event.tag,
}
"""The columns of events, in the order of their JSON keys; then the tag."""

EVENT_KINDS = (
    dict.fromkeys(("date", "evidence_date"), "time")
    | dict.fromkeys(("sequence", "generation", "tag"), "uint")
    | dict.fromkeys(("latitude", "longitude", "accuracy", "boundary_distance"), "float")
)
"""What those columns hold that are no texts."""


def event_points(events: Iterable[Event]) -> list[tuple[float, float] | None]:
    """Longitude and latitude of each event's deciding fix."""
    return [None if event.latitude is None else (event.longitude or 0.0, event.latitude) for event in events]


class EventList(Table, list[Event]):
    """A list of events that is also a table: of columns, of pandas, of a notebook.

    Example:
        >>> from fencepost import CircularGeographicCondition, Fix, Monitor
        >>> monitor = Monitor()
        >>> monitor.add(CircularGeographicCondition(52.5, 13.4, 100), "home")
        >>> monitor.feed(Fix(52.5, 13.4, time=0))
        >>> events = monitor.poll()
        >>> events
        [<Event 1 'home' satisfied 1970-01-01T00:00:00Z, determination, 100.0 m inside>]
        >>> events.columns()["boundary_distance"]
        [-100.0]
    """

    __slots__ = ("_taken",)
    _taken: tuple[Handle, int]  # of what a monitor handed out: which, and at which turn

    def __enter__(self) -> Self:
        """Of what :meth:`Monitor.poll` gave: the events are being handled."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Commits the events, or hands them out again when they were not handled: only if nobody has asked since."""
        handle, turn = getattr(self, "_taken", (None, 0))
        if handle is not None:
            (handle.acknowledge if kind is None else handle.abandon)(turn)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (list(self),)

    def columns(self) -> dict[str, list[Any]]:
        """The events as columns of equal length.

        ``sequence``, ``identifier``, ``state`` and ``cause`` (texts), ``date`` and ``evidence_date`` (aware, UTC),
        ``refinement`` (UUID/major/minor or None), ``diagnostics`` (texts joined by ``|``), ``generation``,
        ``latitude`` and ``longitude`` (degrees), ``accuracy`` and ``boundary_distance`` (metres), ``tag``. What an
        event does not have is None.

        Example:
            >>> from fencepost import CircularGeographicCondition, Fix, Monitor
            >>> monitor = Monitor()
            >>> monitor.add(CircularGeographicCondition(52.5, 13.4, 100), "home")
            >>> monitor.feed(Fix(52.5, 13.4, time=0))
            >>> monitor.poll().columns()["identifier"]
            ['home']
        """
        return {name: [value(event) for event in self] for name, value in EVENT_COLUMNS.items()}

    def _kinds(self) -> dict[str, str]:
        return EVENT_KINDS

    def _points(self) -> list[tuple[float, float] | None]:
        return event_points(self)

    def _repr_html_(self) -> str:
        heads = ("sequence", "identifier", "state", "cause", "date", "boundary_distance", "accuracy", "diagnostics")
        rows = ([EVENT_COLUMNS[name](event) for name in heads] for event in self[:SHOWN])
        return table(f"{len(self)} events", heads, rows, len(self))


class RecordList(Table, list[Record]):
    """A list of records that is a table in a notebook.

    Example:
        >>> from fencepost import CircularGeographicCondition, Monitor
        >>> monitor = Monitor()
        >>> monitor.add(CircularGeographicCondition(52.5, 13.4, 100), "home")
        >>> monitor.records()
        [<Record 'home' unknown since unset, circle of 100 m around 52.5, 13.4>]
    """

    __slots__ = ()

    def columns(self) -> dict[str, list[Any]]:
        """The records as columns of equal length.

        ``identifier``; of circles ``latitude``, ``longitude`` (degrees) and ``radius`` (metres), of beacons ``uuid``,
        ``major`` and ``minor``; ``state``, ``cause``, ``date`` (aware, UTC) and ``sequence`` of the last event;
        ``generation``, ``tag``. What a record does not have is None.

        Example:
            >>> from fencepost import CircularGeographicCondition, Fix, Monitor
            >>> monitor = Monitor()
            >>> monitor.add(CircularGeographicCondition(52.5, 13.4, 100), "home")
            >>> monitor.records().columns()["radius"]
            [100.0]
        """
        return {name: [value(record) for record in self] for name, (_, value) in RECORD_COLUMNS.items()}

    def _kinds(self) -> dict[str, str]:
        return {name: kind for name, (kind, _) in RECORD_COLUMNS.items()}

    def _points(self) -> list[tuple[float, float] | None]:
        centres = (
            (getattr(row.condition, "longitude", None), getattr(row.condition, "latitude", None)) for row in self
        )
        return [
            None if longitude is None or latitude is None else (longitude, latitude) for longitude, latitude in centres
        ]

    def _repr_html_(self) -> str:
        return table(f"{len(self)} conditions", RECORD_HEADS, (record_row(row) for row in self[:SHOWN]), len(self))


def _of(name: str) -> Callable[[Record], Any]:
    """A field of the condition, where its kind has it."""
    return lambda record: getattr(record.condition, name, None)


RECORD_COLUMNS: dict[str, tuple[str, Callable[[Record], Any]]] = {
    "identifier": ("text", lambda record: record.identifier),
    "latitude": ("float", _of("latitude")),
    "longitude": ("float", _of("longitude")),
    "radius": ("float", _of("radius")),
    "uuid": ("text", _of("uuid")),
    "major": ("int", _of("major")),
    "minor": ("int", _of("minor")),
    "state": ("text", lambda record: str(record.last_event.state)),
    "cause": ("text", lambda record: str(record.last_event.cause)),
    "date": ("time", lambda record: record.last_event.date),
    "sequence": ("uint", lambda record: record.last_event.sequence),
    "generation": ("uint", lambda record: record.generation),
    "tag": ("uint", lambda record: record.tag),
}
"""What the columns of records hold, and their values."""

RECORD_HEADS = ("identifier", "condition", "state", "since", "cause", "tag")


def record_row(record: Record) -> tuple[Any, ...]:
    """What a table shows of a record."""
    event = record.last_event
    return (record.identifier, record.described, event.state, event.date, event.cause, record.tag)
