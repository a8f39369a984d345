"""Records, lists of records, and the columns of record tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from .._dataclass import dataclass
from .._tables.html import SHOWN, table
from .._tables.table import Plain, Table
from .._tables.times import utc_text
from .any_condition import Condition
from .bands import AltitudeBand, BandRow
from .conditions import (
    BEACON_IDENTITY,
    CIRCULAR_GEOGRAPHIC,
    LINE_GEOGRAPHIC,
    RULE,
    Beacon,
    Circle,
    uuid_of,
)
from .enums import STATES, State
from .events import Event, EventRow
from .lines import line_from
from .policy import PolicyRow, TransitionPolicy
from .rules import Rule, RuleRow
from .schedule import Timing, TimingRow
from .shapes import condition_of

Geometry: TypeAlias = tuple[float, float, float] | tuple[bytes, int | None, int | None] | RuleRow
RecordRow: TypeAlias = tuple[str, int, Geometry, int, int, PolicyRow, EventRow, int, BandRow | None, TimingRow | None]


def condition_from(kind: int, geometry: Geometry) -> Condition:
    """Builds a condition from the values that the engine returns."""
    if kind == CIRCULAR_GEOGRAPHIC:
        return Circle(*geometry)
    if kind == BEACON_IDENTITY:
        uuid, major, minor = geometry
        return Beacon(uuid_of(uuid), major, minor)  # type: ignore[arg-type]
    if kind == LINE_GEOGRAPHIC:
        wkb, _, edges, *_ = geometry
        return line_from(wkb, edges)  # type: ignore[arg-type]
    if kind == RULE:
        return Rule._from_row(*geometry)
    return condition_of(kind, *geometry)


def described(condition: Condition) -> str:
    """A condition in words."""
    if isinstance(condition, Circle):
        return f"circle of {condition.radius:g} m around {condition.latitude}, {condition.longitude}"
    if not isinstance(condition, Beacon):
        return condition.described
    numbers = "/".join("any" if number is None else str(number) for number in (condition.major, condition.minor))
    return f"beacon {condition.uuid}/{numbers}"


@dataclass(frozen=True, slots=True, repr=False)
class Record(Plain):
    """A condition and its last acknowledged event.

    Attributes:
        identifier: The condition's identifier.
        condition: The circle, polygon, corridor, gate, beacon or rule that was added.
        last_event: The last event that was acknowledged. Before the first acknowledged event, `last_event` is an event
            with `sequence` 0, the assumed state and the time at which the condition was added.
        policy: The condition's policy.
        tag: The number passed when the condition was added.
        generation: The number of this addition or replacement, counted from 1 over all additions and replacements in
            the monitor.
        present_state: The state that is observed now, including changes whose events are still pending: see
            :meth:`Monitor.state`.
        band: The limits of the condition's height, or None.
        timing: The timing with which the condition was added or ensured, or None without one.

    Example:
        >>> from fencepost import Circle, Monitor
        >>> monitor = Monitor()
        >>> monitor.add(Circle(52.5, 13.4, 100), "home")
        >>> monitor.record("home").last_event.state
        <State.UNKNOWN: 'unknown'>
    """

    identifier: str
    condition: Condition
    last_event: Event
    policy: TransitionPolicy
    tag: int
    generation: int
    present_state: State = State.UNKNOWN
    band: AltitudeBand | None = None
    timing: Timing | None = None

    @property
    def state(self) -> State:
        """The state according to the last acknowledged event."""
        return self.last_event.state

    @property
    def described(self) -> str:
        """A short text that describes the condition."""
        return described(self.condition)

    def __repr__(self) -> str:
        event = self.last_event
        return f"<Record {self.identifier!r} {event.state} since {utc_text(event.date)}, {self.described}>"

    def _repr_html_(self) -> str:
        return RecordList([self])._repr_html_()

    @classmethod
    def _from_row(cls, row: RecordRow) -> Record:
        identifier, kind, geometry, generation, tag, policy, last_event, present, band, times = row
        condition = condition_from(kind, geometry)
        event, rules = Event._from_row(last_event), TransitionPolicy._from_row(policy)
        limits, timing = AltitudeBand._from_row(band), Timing._from_row(times)
        return cls(identifier, condition, event, rules, tag, generation, STATES[present], limits, timing)


class RecordList(Table, list[Record]):
    """A list of records that is displayed as a table in a notebook.

    Example:
        >>> from fencepost import Circle, Monitor
        >>> monitor = Monitor()
        >>> monitor.add(Circle(52.5, 13.4, 100), "home")
        >>> monitor.records()
        [<Record 'home' unknown since unset, circle of 100 m around 52.5, 13.4>]
    """

    __slots__ = ()

    def columns(self) -> dict[str, list[Any]]:
        """The records as columns of equal length.

        The columns are ``identifier``; for circles ``latitude``, ``longitude`` (degrees) and ``radius`` (metres); for
        beacons ``uuid``, ``major`` and ``minor``; ``state``, ``cause``, ``date`` (aware, UTC) and ``sequence`` of the
        last event; ``generation``, ``tag``, and ``present_state``, the state observed now. A missing value is None.

        Example:
            >>> from fencepost import Circle, Fix, Monitor
            >>> monitor = Monitor()
            >>> monitor.add(Circle(52.5, 13.4, 100), "home")
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
    """Returns a function that reads the field called `name` from the condition of a record. The function returns None
    if this kind of condition lacks the field."""
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
    "present_state": ("text", lambda record: str(record.present_state)),
}
"""The columns of records, each with its type and a function that returns its value."""

RECORD_HEADS = ("identifier", "condition", "state", "since", "cause", "tag")


def record_row(record: Record) -> tuple[Any, ...]:
    """The values of a record, as one row of a table."""
    event = record.last_event
    return (record.identifier, record.described, event.state, event.date, event.cause, record.tag)
