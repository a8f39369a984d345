"""What a monitor answers beside events and records: counts, statistics, explanations."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from .._tables.times import from_us
from .enums import Diagnostics, Reason, State
from .events import diagnostic_names


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
    """Skipped for their time: earlier than the clock, or ahead of it by more than `max_time_step`."""

    def _plus(self, counts: tuple[int, int, int]) -> FeedResult:
        """The counts of two batches."""
        return FeedResult(*(one + other for one, other in zip(self, counts, strict=True)))

    def _carry(self, error: BaseException) -> None:
        """Completes an error that ended a batch (a full queue, a handler of a signal) and carries the counts of what
        was consumed: these are the counts of what came before it."""
        counts = getattr(error, "result", None)
        if type(counts) is tuple:
            error.result = self._plus(counts)  # type: ignore[attr-defined]


class SyncResult(NamedTuple):
    """What became of the conditions of a set.

    Example:
        >>> SyncResult(added=3, replaced=0, kept=1, removed=2).kept
        1
    """

    added: int
    """No condition had the identifier."""
    replaced: int
    """One that differs had it: new record, its waiting events were dropped."""
    kept: int
    """An equal one was there: nothing happened to it."""
    removed: int
    """Not in the set."""


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
        ahead_inputs: Inputs of all kinds that were ahead of the clock by more than `max_time_step`.

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
    ahead_inputs: int = 0

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
