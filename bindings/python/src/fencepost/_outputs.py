"""What a monitor gives back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, TypeAlias

from . import _native
from ._conditions import CIRCULAR_GEOGRAPHIC, BeaconIdentityCondition, CircularGeographicCondition, Condition, uuid_of
from ._enums import CAUSES, STATES, Cause, Diagnostics, Reason, State
from ._html import instant
from ._policy import PolicyRow, TransitionPolicy
from ._times import from_us

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
    int,  # tag
]
Geometry: TypeAlias = tuple[float, float, float] | tuple[bytes, int | None, int | None]
RecordRow: TypeAlias = tuple[str, int, Geometry, int, int, PolicyRow, EventRow]


@dataclass(frozen=True, slots=True, repr=False)
class Event:
    """A change of a condition's state, with the evidence that decided it.

    Attributes:
        sequence: 1, 2, 3 ... per monitor; 0 in the first record of a condition.
        identifier: The condition's.
        state: The state from now on.
        cause: Why the event came about.
        date_us: When the state was confirmed, microseconds since 1970-01-01T00:00:00Z; None in the first record of
            a condition that was added before any time was known.
        evidence_date_us: The fix or sighting that started it, likewise; None: there is none.
        refinement: The beacon that satisfied a condition without major or minor, or None.
        diagnostics: Reasons why events are or will be suspended.
        generation: Counts adds and replacements per monitor: tells a replacement from what it replaced.
        latitude: Of the deciding fix, degrees; None: there is none (also the next three).
        longitude: Degrees.
        accuracy: Metres; 0: not reported.
        boundary_distance: Metres along the geodesic to the centre, minus the radius; negative inside.
        tag: The number given when the condition was added.

    Example:
        >>> from fencepost import CircularGeographicCondition, Fix, Monitor
        >>> monitor = Monitor()
        >>> monitor.add(CircularGeographicCondition(52.5, 13.4, 100), "home", tag=7)
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
    refinement: BeaconIdentityCondition | None
    diagnostics: Diagnostics
    generation: int
    latitude: float | None
    longitude: float | None
    accuracy: float | None
    boundary_distance: float | None
    tag: int = 0

    @property
    def date(self) -> datetime | None:
        """When the state was confirmed, aware, UTC."""
        return from_us(self.date_us)

    @property
    def evidence_date(self) -> datetime | None:
        """The fix or sighting that started it, aware, UTC."""
        return from_us(self.evidence_date_us)

    def __repr__(self) -> str:
        parts = [f"{self.identifier!r} {self.state} {instant(self.date)}", str(self.cause)]
        if self.boundary_distance is not None:
            parts.append(distance_text(self.boundary_distance))
        if self.refinement is not None:
            parts.append(f"beacon {refinement_text(self)}")
        if self.diagnostics:
            parts.append("|".join(diagnostic_names(self.diagnostics)))
        return f"<Event {self.sequence} {', '.join(parts)}>"

    def _repr_html_(self) -> str:
        from ._lists import EventList

        return EventList([self])._repr_html_()

    def to_json(self) -> str:
        """The event as one JSON object on one line, in the form that all faces of the library write.

        Example:
            >>> from fencepost import CircularGeographicCondition, Fix, Monitor
            >>> monitor = Monitor()
            >>> monitor.add(CircularGeographicCondition(52.5, 13.4, 100), "home")
            >>> monitor.feed(Fix(52.5, 13.4, time=0))
            >>> event = monitor.next_event()
            >>> event.to_json()[:60] if event else None
            '{"sequence":1,"identifier":"home","state":"satisfied","cause'
        """
        refinement = self.refinement
        return _native.event_json(
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
        )

    @classmethod
    def _from_row(cls, row: EventRow) -> Event:
        (sequence, identifier, state, cause, date, evidence, refinement, diagnostics, generation, *rest) = row
        beacon = None
        if refinement is not None:
            uuid, major, minor = refinement
            beacon = BeaconIdentityCondition(uuid_of(uuid), major, minor)
        return cls(
            sequence,
            identifier,
            STATES[state],
            CAUSES[cause],
            date,
            evidence,
            beacon,
            Diagnostics(diagnostics),
            generation,
            *rest,  # type: ignore[arg-type]
        )


@dataclass(frozen=True, slots=True, repr=False)
class Record:
    """A condition and the last event of it that was handled.

    Attributes:
        identifier: The condition's.
        condition: As it was added.
        last_event: The last event that was committed; before the first one with `sequence` 0, the assumed state
            and the time of the add.
        policy: The condition's.
        tag: The number given when the condition was added.
        generation: Counts adds and replacements per monitor.

    Example:
        >>> from fencepost import CircularGeographicCondition, Monitor
        >>> monitor = Monitor()
        >>> monitor.add(CircularGeographicCondition(52.5, 13.4, 100), "home")
        >>> monitor.record("home").last_event.state
        <State.UNKNOWN: 'unknown'>
    """

    identifier: str
    condition: Condition
    last_event: Event
    policy: TransitionPolicy
    tag: int
    generation: int

    @property
    def state(self) -> State:
        """The state of the last event."""
        return self.last_event.state

    @property
    def described(self) -> str:
        """The condition in words."""
        condition = self.condition
        if isinstance(condition, CircularGeographicCondition):
            return f"circle of {condition.radius:g} m around {condition.latitude}, {condition.longitude}"
        numbers = "/".join("any" if number is None else str(number) for number in (condition.major, condition.minor))
        return f"beacon {condition.uuid}/{numbers}"

    def __repr__(self) -> str:
        event = self.last_event
        return f"<Record {self.identifier!r} {event.state} since {instant(event.date)}, {self.described}>"

    def _repr_html_(self) -> str:
        from ._lists import RecordList

        return RecordList([self])._repr_html_()

    @classmethod
    def _from_row(cls, row: RecordRow) -> Record:
        identifier, kind, geometry, generation, tag, policy, last_event = row
        condition: Condition
        if kind == CIRCULAR_GEOGRAPHIC:
            condition = CircularGeographicCondition(*geometry)
        else:
            uuid, major, minor = geometry
            condition = BeaconIdentityCondition(uuid_of(uuid), major, minor)  # type: ignore[arg-type]
        event, rules = Event._from_row(last_event), TransitionPolicy._from_row(policy)
        return cls(identifier, condition, event, rules, tag, generation)


class FeedResult(NamedTuple):
    """What became of a batch of fixes.

    Example:
        >>> FeedResult(accepted=3, invalid=0, late=1).late
        1
    """

    accepted: int
    """Evaluated."""
    invalid: int
    """Skipped: coordinate or time out of range, or no position (accuracy negative or NaN)."""
    late: int
    """Skipped: earlier than the clock."""

    def _plus(self, counts: tuple[int, int, int]) -> FeedResult:
        """The counts of two batches."""
        return FeedResult(*(one + other for one, other in zip(self, counts, strict=True)))

    def _carry(self, error: BaseException) -> None:
        """Completes an error that ended a batch (a full queue, a handler of a signal) and carries the counts of what
        was consumed: these are the counts of what came before it."""
        counts = getattr(error, "result", None)
        if type(counts) is tuple:
            error.result = self._plus(counts)  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counters of a monitor since it was created, and its clock.

    Attributes:
        clock_us: The largest time given, microseconds since 1970-01-01T00:00:00Z; None: none yet.
        input_count: Inputs that were taken note of, the invalid and the late ones too; not those refused because the
            queue was full.
        accepted_fixes: Fixes that were evaluated.
        invalid_fixes: Fixes refused or ignored for their coordinates, their time or because there is no position.
        late_inputs: Inputs of all kinds that were earlier than the clock.
        accepted_sightings: Scan reports.
        pending_events: Events that wait to be handed out.
        handed_out_events: The last sequence number given.
        condition_count: Conditions.

    Example:
        >>> from fencepost import Monitor
        >>> Monitor().statistics().condition_count
        0
    """

    clock_us: int | None
    input_count: int
    accepted_fixes: int
    invalid_fixes: int
    late_inputs: int
    accepted_sightings: int
    pending_events: int
    handed_out_events: int
    condition_count: int

    @property
    def clock(self) -> datetime | None:
        """The largest time given, aware, UTC."""
        return from_us(self.clock_us)


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a condition is in its state, and the smallest change that would decide it. None: does not apply.

    Attributes:
        identifier: The condition's.
        reason: The first reason that applies.
        observed: What the detector believes; unknown: undetermined.
        diagnostics: Flags in force.
        boundary_distance: Metres, of the last valid fix; negative inside.
        accuracy: Metres, of the last valid fix.
        entry_margin: Metres, in force for that accuracy.
        exit_margin: Metres, in force for that accuracy.
        candidate_start_us: The fix that opened the candidate.
        deadline_us: Of the candidate, or of the absence.
        last_sighting_us: Beacons.
        metres_to_decide: How far beyond the last fix one of the same accuracy would be decisive.
        seconds_to_decide: Deadline minus clock.
        accuracy_needed: Metres, when the last fix was too coarse.

    Example:
        >>> from fencepost import CircularGeographicCondition, Monitor
        >>> monitor = Monitor()
        >>> monitor.add(CircularGeographicCondition(52.5, 13.4, 100), "home")
        >>> print(monitor.explain("home"))
        home: no_fix_yet, observed unknown
    """

    identifier: str
    reason: Reason
    observed: State
    diagnostics: Diagnostics
    boundary_distance: float | None
    accuracy: float | None
    entry_margin: float | None
    exit_margin: float | None
    candidate_start_us: int | None
    deadline_us: int | None
    last_sighting_us: int | None
    metres_to_decide: float | None
    seconds_to_decide: float | None
    accuracy_needed: float | None

    @property
    def candidate_start(self) -> datetime | None:
        """The fix that opened the candidate, aware, UTC."""
        return from_us(self.candidate_start_us)

    @property
    def deadline(self) -> datetime | None:
        """Of the candidate, or of the absence, aware, UTC."""
        return from_us(self.deadline_us)

    @property
    def last_sighting(self) -> datetime | None:
        """Beacons, aware, UTC."""
        return from_us(self.last_sighting_us)

    def __str__(self) -> str:
        parts = [f"{self.identifier}: {self.reason}, observed {self.observed}"]
        if self.diagnostics:
            parts.append(f"diagnostics {'|'.join(diagnostic_names(self.diagnostics))}")
        if self.boundary_distance is not None:
            side = "inside" if self.boundary_distance <= 0 else "outside"
            parts.append(f"last fix {abs(self.boundary_distance):.1f} m {side} the boundary")
        if self.accuracy:
            parts.append(f"accuracy {self.accuracy:.1f} m")
        if self.metres_to_decide is not None:
            parts.append(f"{self.metres_to_decide:.1f} m more would be decisive")
        if self.accuracy_needed is not None:
            parts.append(f"an accuracy of {self.accuracy_needed:.1f} m is needed")
        if self.seconds_to_decide is not None:
            parts.append(f"due in {self.seconds_to_decide:g} s")
        return ", ".join(parts)


def distance_text(metres: float) -> str:
    """A signed distance to a boundary in words."""
    return f"{abs(metres):.1f} m {'inside' if metres <= 0 else 'outside'}"


def refinement_text(event: Event) -> str:
    """UUID, major and minor of the beacon that decided an event, joined."""
    beacon = event.refinement
    return "" if beacon is None else f"{beacon.uuid}/{beacon.major}/{beacon.minor}"


def diagnostic_names(diagnostics: Diagnostics) -> list[str]:
    """Lower-case names of the flags that are set."""
    return [str(flag.name).lower() for flag in diagnostics]
