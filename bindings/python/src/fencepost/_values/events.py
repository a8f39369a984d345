"""Events, lists of events, and the columns of event tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from .._dataclass import dataclass
from .._native import event_json
from .._tables.html import SHOWN, table
from .._tables.table import Table
from .._tables.times import from_us, utc_text
from .conditions import Beacon, uuid_of
from .enums import CAUSES, STATES, Cause, CrossingDirection, Diagnostics, EventKind, EvidenceSource, State

TYPE_CHECKING = False
if not TYPE_CHECKING:
    from .._typing import Generic, TypeVar
else:
    from types import TracebackType
    from typing import Any, Generic, Self, TypeAlias, TypeVar

EventRow: TypeAlias = tuple[
    int,  # sequence
    str,  # identifier
    int,  # state
    int,  # cause
    int | None,  # date_us
    int | None,  # evidence_date_us
    tuple[bytes, int, int] | None,  # refinement
    int,  # diagnostics
    int,  # generation
    float | None,  # latitude
    float | None,  # longitude
    float | None,  # accuracy
    float | None,  # boundary_distance
    float | None,  # probability
    float | None,  # vertical_distance
    int | None,  # decided_by
    int,  # evidence
    int,  # tag
]


_NO_DIAGNOSTICS = Diagnostics(0)
ON_PATH, AFTER_GAP = 1, 2
"""The bits of the integer in which the library encodes how an event was decided."""
_DIRECTIONS = {4: CrossingDirection.LEFT_TO_RIGHT, 8: CrossingDirection.RIGHT_TO_LEFT}
DIRECTION = 12
"""The bits that say in which direction a gate was crossed."""


@dataclass(frozen=True, slots=True, repr=False)
class Event:
    """A change of a condition's state, with the evidence that decided it.

    Attributes:
        sequence: Number of the event, counted from 1 in each monitor. The sequence is 0 in the first record of a
            condition.
        identifier: The condition's identifier.
        state: The new state. The state of a gate's event is always unknown, because a gate has no state.
        cause: Why the event occurred.
        date_us: The time at which the state was confirmed, in microseconds since 1970-01-01T00:00:00Z. The time is None
            in the first record of a condition that was added before any time was known.
        evidence_date_us: The time of the deciding position or sighting, which started the change, in microseconds since
            1970-01-01T00:00:00Z. The time is None if the state was not decided by a position or sighting.
        refinement: The beacon that satisfied the condition, if the condition has no major or no minor; otherwise None.
        diagnostics: Reasons why events are or will be suspended.
        generation: The number of additions and replacements in the monitor, up to and including the one that added this
            condition. The generation distinguishes a condition from another condition that it replaced.
        latitude: Latitude of the deciding position in degrees. If there is no position, latitude, longitude, accuracy
            and boundary distance are None.
        longitude: Longitude of the deciding position in degrees, or None.
        accuracy: Accuracy of the deciding position in metres, or None. 0 means that it was not reported.
        boundary_distance: Signed distance of the deciding position to the boundary in metres, negative inside, or None.
            0 for a gate.
        tag: The number passed when the condition was added.
        is_on_path: True if the deciding position is a point of the path between two fixes, and False if it is a fix.
        follows_gap: True if the path before the event is unknown; events before this event may then have been missed.
            `follows_gap` is True for the earliest event that a position after the gap decides, and for all other such
            events at the same time.
        direction: The direction in which the device crossed a gate. The direction is None if the event is not a gate
            crossing.
        probability: The probability that the zone contains the true position of the deciding fix; None if the policy
            has no probabilities.
        vertical_distance: For a zone with a band: how far the height of the deciding position lies beyond the nearest
            limit, in metres, negative within the limits. None if a height is missing, and without a band.
        decided_by: For a rule, the `generation` of the part that decided: the last of its parts to change at the
            instant at which the rule began to change. The evidence is that of this part. None if no part changed then,
            as when the rule was added, for repeats, and for all other conditions.

    Example:
        >>> from fencepost import Circle, Fix, Monitor
        >>> monitor = Monitor()
        >>> monitor.add(Circle(52.5, 13.4, 100), "home", tag=7)
        >>> monitor.feed(Fix(52.5, 13.4, time=0))
        >>> event = monitor.next_event()
        >>> event.state, event.tag, event.boundary_distance
        (<State.SATISFIED: 'satisfied'>, 7, -100.0)
    """

    sequence: int
    identifier: str
    state: State
    cause: Cause
    date_us: int | None
    evidence_date_us: int | None
    refinement: Beacon | None
    diagnostics: Diagnostics
    generation: int
    latitude: float | None
    longitude: float | None
    accuracy: float | None
    boundary_distance: float | None
    tag: int = 0
    is_on_path: bool = False
    follows_gap: bool = False
    direction: CrossingDirection | None = None
    probability: float | None = None
    vertical_distance: float | None = None
    decided_by: int | None = None

    @property
    def kind(self) -> EventKind:
        """The kind of the event in one word: ``enter``, ``exit``, ``cross`` (a gate), ``determined`` (the first fix or
        sighting), ``repeat``, ``diagnostic``, ``unmonitored``, ``none``.

        Example:
            >>> from fencepost import Circle, Fix, Monitor
            >>> monitor = Monitor()
            >>> monitor.add(Circle(0, 0, 100), "home", policy="exact")
            >>> monitor.feed(Fix(0, 0.01, time=0))
            >>> monitor.feed(Fix(0, 0, time=60_000_000))
            >>> [str(event.kind) for event in monitor.events()]
            ['determined', 'enter']
        """
        if self.direction is not None:
            return EventKind.CROSS
        if self.cause is Cause.CROSSING or (self.cause is Cause.TIMEOUT and self.evidence_date_us is not None):
            return EventKind.ENTER if self.state is State.SATISFIED else EventKind.EXIT
        if self.cause in (Cause.DETERMINATION, Cause.TIMEOUT):  # a timeout here means that the beacon was never seen
            return EventKind.DETERMINED
        if self.cause is Cause.REPEAT:
            return EventKind.REPEAT
        if self.state is State.UNMONITORED:
            return EventKind.UNMONITORED
        return EventKind.DIAGNOSTIC if self.cause is Cause.DIAGNOSTIC else EventKind.NONE

    @property
    def point(self) -> tuple[float, float] | None:
        """Latitude and longitude of the deciding position in degrees, or None if the state was not decided by a
        position."""
        return None if self.latitude is None or self.longitude is None else (self.latitude, self.longitude)

    @property
    def evidence(self) -> EvidenceSource | None:
        """The source of the deciding position, or None if the state was not decided by a position.

        Example:
            >>> from fencepost import Circle, Fix, Monitor
            >>> monitor = Monitor(path="geodesic", max_gap=60)
            >>> monitor.add(Circle(0, 0, 100), "gate", assuming="unsatisfied", policy="exact")
            >>> monitor.feed(Fix(0, -0.01, time=0))
            >>> monitor.feed(Fix(0, 0.01, time=20_000_000))
            >>> [(str(event.state), str(event.evidence), event.evidence_date_us) for event in monitor.events()]
            [('satisfied', 'path', 9101685), ('unsatisfied', 'path', 10898316)]
        """
        if self.latitude is None:
            return None
        return EvidenceSource.PATH if self.is_on_path else EvidenceSource.FIX

    @property
    def date(self) -> datetime | None:
        """The time at which the state was confirmed, as an aware datetime in UTC."""
        return from_us(self.date_us)

    @property
    def evidence_date(self) -> datetime | None:
        """The time of the deciding position or sighting, as an aware datetime in UTC."""
        return from_us(self.evidence_date_us)

    def __repr__(self) -> str:
        parts = [f"{self.identifier!r} {self.state} {utc_text(self.date)}", str(self.cause)]
        if self.direction is not None:
            parts.append(direction_words(self.direction))
        elif self.boundary_distance is not None:
            parts.append(distance_text(self.boundary_distance))
        if self.probability is not None:
            parts.append(f"probability {self.probability:.6g}")
        if self.vertical_distance is not None:
            parts.append(height_text(self.vertical_distance))
        parts.extend(path_words(self))
        if self.decided_by is not None:
            parts.append(f"decided by generation {self.decided_by}")
        if self.refinement is not None:
            parts.append(f"beacon {refinement_text(self)}")
        if self.diagnostics:
            parts.append("|".join(diagnostic_names(self.diagnostics)))
        return f"<Event {self.sequence} {', '.join(parts)}>"

    def _repr_html_(self) -> str:
        return EventList([self])._repr_html_()

    def to_json(self) -> str:
        """The event as one JSON object on one line, in the format that all interfaces of the library write.

        Example:
            >>> from fencepost import Circle, Fix, Monitor
            >>> monitor = Monitor()
            >>> monitor.add(Circle(52.5, 13.4, 100), "home")
            >>> monitor.feed(Fix(52.5, 13.4, time=0))
            >>> event = monitor.next_event()
            >>> event.to_json()[:60] if event else None
            '{"sequence":1,"identifier":"home","state":"satisfied","cause'
        """
        refinement = self.refinement
        return event_json(
            self.sequence,
            self.identifier,
            STATES.index(self.state),
            CAUSES.index(self.cause),
            self.date_us,
            self.evidence_date_us,
            None if refinement is None else (refinement.uuid.bytes, refinement.major or 0, refinement.minor or 0),
            self.diagnostics.value,
            self.generation,
            self.latitude,
            self.longitude,
            self.accuracy,
            self.boundary_distance,
            self.probability,
            self.vertical_distance,
            self.decided_by,
            ON_PATH * bool(self.is_on_path)
            | AFTER_GAP * bool(self.follows_gap)
            | next((bit for bit, direction in _DIRECTIONS.items() if direction == self.direction), 0),
        )

    def to_dict(self) -> dict[str, Any]:
        """The members of :meth:`to_json` as texts, numbers, None, lists and dicts. Times are ISO 8601 texts.

        Example:
            >>> from fencepost import Circle, Fix, Monitor
            >>> monitor = Monitor()
            >>> monitor.add(Circle(52.5, 13.4, 100), "home")
            >>> monitor.feed(Fix(52.5, 13.4, time=0))
            >>> monitor.poll()[0].to_dict()["date"]
            '1970-01-01T00:00:00.000000Z'
        """
        import json

        found: dict[str, Any] = json.loads(self.to_json())
        return found

    @classmethod
    def _from_row(cls, row: EventRow) -> Event:
        (
            sequence, identifier, state, cause, date, evidence, refinement, diagnostics, generation,
            latitude, longitude, accuracy, boundary_distance, probability, vertical_distance,
            decided_by, source, tag,
        ) = row  # fmt: skip
        beacon = None
        if refinement is not None:
            uuid, major, minor = refinement
            beacon = Beacon(uuid_of(uuid), major, minor)
        return cls(
            sequence,
            identifier,
            STATES[state],
            CAUSES[cause],
            date,
            evidence,
            beacon,
            Diagnostics(diagnostics) if diagnostics else _NO_DIAGNOSTICS,
            generation,
            latitude,
            longitude,
            accuracy,
            boundary_distance,
            tag,
            bool(source & ON_PATH),
            bool(source & AFTER_GAP),
            _DIRECTIONS.get(source & DIRECTION) if source else None,
            probability,
            vertical_distance,
            decided_by,
        )


def height_text(metres: float) -> str:
    """Describes a vertical distance in words."""
    return f"{abs(metres):.1f} m {'within' if metres <= 0 else 'beyond'} the limits of height"


def distance_text(metres: float) -> str:
    """Describes a signed distance to a boundary in words."""
    return f"{abs(metres):.1f} m {'inside' if metres <= 0 else 'outside'}"


def direction_words(direction: CrossingDirection) -> str:
    """Returns the direction of a gate crossing in words."""
    return str(direction).replace("_", " ")


def path_words(event: Event) -> list[str]:
    """Returns words that say whether an event was decided on the path between two fixes, and whether it follows a
    gap."""
    return ["on the path"] * event.is_on_path + ["after a gap"] * event.follows_gap


def refinement_text(event: Event) -> str:
    """The UUID, major and minor of the beacon that decided an event, joined by slashes."""
    beacon = event.refinement
    return "" if beacon is None else f"{beacon.uuid}/{beacon.major}/{beacon.minor}"


def diagnostic_names(diagnostics: Diagnostics) -> list[str]:
    """Lower-case names of the flags that are set."""
    return [str(flag.name).lower() for flag in diagnostics]


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
    "evidence": lambda event: None if event.evidence is None else str(event.evidence),
    "gap": lambda event: event.follows_gap,
    "direction": lambda event: None if event.direction is None else str(event.direction),
    "probability": lambda event: event.probability,
    "vertical_distance": lambda event: event.vertical_distance,
    "decided_by": lambda event: event.decided_by,
    "tag": lambda event: event.tag,
}
"""The columns of events, in the order of their JSON keys; the tag comes last."""

EVENT_KINDS = (
    dict.fromkeys(("date", "evidence_date"), "time")
    | dict.fromkeys(("sequence", "generation", "tag"), "uint")
    | dict.fromkeys(
        ("latitude", "longitude", "accuracy", "boundary_distance", "probability", "vertical_distance"), "float"
    )
    | {"gap": "bool", "decided_by": "int"}  # only events of rules have a value
)
"""The types of the columns whose values are not texts."""


def event_points(events: Iterable[Event]) -> list[tuple[float, float] | None]:
    """Longitude and latitude of each event's deciding position."""
    return [None if event.latitude is None else (event.longitude or 0.0, event.latitude) for event in events]


E = TypeVar("E", bound=Event)


class EventRows(Table, list[E], Generic[E]):
    """Events that were delivered together, as a table."""

    __slots__ = ("_taken",)
    _taken: tuple[Any, int]  # set only by poll(): the monitor's handle, and the number of the poll() call

    def __enter__(self) -> Self:
        """Begins to handle the events that :meth:`Monitor.poll` returned."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Acknowledges the events; if the block raised an exception, makes the events pending again, so that they are
        redelivered. Does nothing if another consumer has read events in the meantime."""
        handle, turn = getattr(self, "_taken", (None, 0))
        if handle is not None:
            (handle.acknowledge if kind is None else handle.abandon)(turn)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (list(self),)

    def _kinds(self) -> dict[str, str]:
        return EVENT_KINDS

    def _points(self) -> list[tuple[float, float] | None]:
        return event_points(self)

    def _shown(self) -> dict[str, Callable[[E], Any]]:
        heads = ("sequence", "identifier", "state", "cause", "date", "boundary_distance", "accuracy", "diagnostics")
        return {name: EVENT_COLUMNS[name] for name in heads}

    def _repr_html_(self) -> str:
        columns = self._shown()
        rows = ([value(event) for value in columns.values()] for event in self[:SHOWN])
        return table(f"{len(self)} events", tuple(columns), rows, len(self))


class EventList(EventRows[Event]):
    """A list of events that is also a table, for columns, pandas and notebooks.

    Example:
        >>> from fencepost import Circle, Fix, Monitor
        >>> monitor = Monitor()
        >>> monitor.add(Circle(52.5, 13.4, 100), "home")
        >>> monitor.feed(Fix(52.5, 13.4, time=0))
        >>> events = monitor.poll()
        >>> events
        [<Event 1 'home' satisfied 1970-01-01 00:00:00 UTC, determination, 100.0 m inside>]
        >>> events.columns()["boundary_distance"]
        [-100.0]
    """

    __slots__ = ()

    def columns(self) -> dict[str, list[Any]]:
        """The events as columns of equal length.

        The columns are ``sequence``, ``identifier``, ``state`` and ``cause`` (texts), ``date`` and ``evidence_date``
        (aware, UTC), ``refinement`` (UUID/major/minor or None), ``diagnostics`` (texts joined by ``|``),
        ``generation``, ``latitude`` and ``longitude`` (degrees), ``accuracy`` and ``boundary_distance`` (metres),
        ``evidence`` (``fix`` or ``path``), ``gap`` (:attr:`Event.follows_gap`), ``direction`` (``left_to_right`` or
        ``right_to_left`` if a gate was crossed), ``probability``, ``vertical_distance``, ``decided_by`` (of a rule) and
        ``tag``. Missing values are None.

        Example:
            >>> from fencepost import Circle, Fix, Monitor
            >>> monitor = Monitor()
            >>> monitor.add(Circle(52.5, 13.4, 100), "home")
            >>> monitor.feed(Fix(52.5, 13.4, time=0))
            >>> monitor.poll().columns()["identifier"]
            ['home']
        """
        return {name: [value(event) for event in self] for name, value in EVENT_COLUMNS.items()}


LOG_COLUMNS = {name: value for name, value in EVENT_COLUMNS.items() if name != "tag"}
"""The columns of an event log, which are the members of its JSON Lines."""
