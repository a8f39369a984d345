"""Why a condition is in its state."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from .._tables.table import Plain
from .._tables.times import from_us
from .enums import Diagnostics, Reason, State
from .events import diagnostic_names


@dataclass(frozen=True, slots=True)
class Explanation(Plain):
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
        candidate_start_us: The fix, or the point of the path, that opened the candidate.
        deadline_us: Of the candidate, or of the absence.
        last_sighting_us: Beacons.
        metres_to_decide: How far beyond the last fix one of the same accuracy would be decisive.
        seconds_to_decide: Deadline minus clock.
        accuracy_needed: Metres, when the last fix was too coarse.
        nearest_boundary_point: Latitude and longitude, degrees: the point of the boundary nearest to the last valid
            fix; None where it is not unique.

    Example:
        >>> from fencepost import Circle, Monitor
        >>> monitor = Monitor()
        >>> monitor.add(Circle(52.5, 13.4, 100), "home")
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
    nearest_boundary_point: tuple[float, float] | None = None

    @property
    def candidate_start(self) -> datetime | None:
        """The fix, or the point of the path, that opened the candidate, aware, UTC."""
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
