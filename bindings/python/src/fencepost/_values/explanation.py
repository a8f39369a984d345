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
    """Why a condition is in its state, and the smallest change that would decide it. An attribute that does not apply
    is None.

    Attributes:
        identifier: The condition's identifier.
        reason: The first reason that applies.
        observed: The state that the detector believes; unknown: undetermined.
        diagnostics: The flags that are set.
        boundary_distance: Distance of the last valid fix in metres; negative inside.
        accuracy: Accuracy of the last valid fix in metres.
        entry_margin: The margin that applies with that accuracy, in metres.
        exit_margin: The margin that applies with that accuracy, in metres.
        candidate_start_us: Time of the fix, or of the point of the path, that opened the candidate.
        deadline_us: Deadline of the candidate, or of a beacon's absence.
        last_sighting_us: Beacons only.
        metres_to_decide: How far beyond the last fix another fix of the same accuracy would be decisive.
        seconds_to_decide: The deadline minus the clock.
        accuracy_needed: Metres, if the last fix was too coarse.
        nearest_boundary_point: Latitude and longitude, degrees: the point of the boundary nearest to the last valid
            fix; None if it is not unique.

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
        """Time of the fix, or of the point of the path, that opened the candidate: an aware datetime in UTC."""
        return from_us(self.candidate_start_us)

    @property
    def deadline(self) -> datetime | None:
        """Deadline of the candidate, or of a beacon's absence: an aware datetime in UTC."""
        return from_us(self.deadline_us)

    @property
    def last_sighting(self) -> datetime | None:
        """Time of a beacon's last sighting, as an aware datetime in UTC."""
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
