"""Explanations of condition states."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from .._dataclass import dataclass
from .._tables.html import table
from .._tables.table import Plain
from .._tables.times import from_us
from .enums import STATES, Diagnostics, Reason, State
from .events import diagnostic_names, height_text


class PartState(NamedTuple):
    """A part of a rule and its state.

    Example:
        >>> print(PartState("yard", State.SATISFIED))
        yard satisfied
    """

    identifier: str
    """The identifier of the part."""
    state: State
    """The state as the rule counts it: unsatisfied for an inactive part, and unknown for a part that is missing,
    suspended, unmonitored or undetermined."""

    def __str__(self) -> str:
        return f"{self.identifier} {self.state}"


class Doubt(NamedTuple):
    """Why the latest fix was doubted: the device cannot have moved so far since the last valid fix.

    Example:
        >>> print(Doubt(distance=3100.0, seconds=1.0, plausible_speed=60.0, corroborations=1, corroborations_needed=3))
        3.1 km in 1 s (3 100 m/s, limit 60), 1 of 3 corroborations
    """

    distance: float
    """The distance from the last valid fix to the doubted fix, in metres."""
    seconds: float
    """The time between these two fixes, in seconds; at least 1."""
    plausible_speed: float
    """The greatest plausible speed, in metres per second."""
    corroborations: int
    """The number of doubted fixes in a row, including this one, that corroborate each other."""
    corroborations_needed: int
    """The number of corroborations that are needed."""

    def __str__(self) -> str:
        distance = f"{self.distance:.0f} m" if self.distance < 1000 else f"{grouped(self.distance / 1000)} km"
        speed, seconds = self.distance / self.seconds, grouped(self.seconds)
        return (
            f"{distance} in {seconds} s ({grouped(speed)} m/s, limit {self.plausible_speed:g}), "
            f"{self.corroborations} of {self.corroborations_needed} corroborations"
        )


def grouped(value: float) -> str:
    """A number with one decimal place below 100 and groups of three digits above.

    Example:
        >>> grouped(3.14), grouped(3100.0)
        ('3.1', '3 100')
    """
    return f"{value:.1f}".removesuffix(".0") if value < 100 else f"{value:,.0f}".replace(",", " ")


@dataclass(frozen=True, slots=True)
class Explanation(Plain):
    """Explains why a condition is in its state, and gives the smallest change that would decide the state. An attribute
    that does not apply is None.

    Attributes:
        identifier: The condition's identifier.
        reason: The first reason that applies.
        observed: The observed state, including changes whose events are still pending. The state is unknown while the
            condition is undetermined.
        diagnostics: The flags that are set.
        boundary_distance: Signed distance of the last valid fix to the boundary in metres, negative inside.
        accuracy: Accuracy of the last valid fix in metres.
        entry_margin: The margin for entering, in metres, at the accuracy of the last valid fix.
        exit_margin: The margin for leaving, in metres, at the accuracy of the last valid fix.
        candidate_start_us: Time of the fix, or of the point of the path, that opened the candidate.
        deadline_us: Time at which the candidate will be confirmed, or the beacon will count as absent.
        last_sighting_us: Time of the last sighting of a beacon.
        metres_to_decide: If the last fix lay this many metres farther beyond the boundary, with the same accuracy, it
            would decide the state.
        seconds_to_decide: The number of seconds from the monitor's clock to the deadline.
        accuracy_needed: The accuracy, in metres, with which the last fix would have decided the state, if the fix was
            too inaccurate.
        nearest_boundary_point: Latitude and longitude, in degrees, of the boundary point that is nearest to the last
            valid fix. None if the nearest point is not unique.
        probability: The probability that the zone contains the true position of the last valid fix, if the policy has
            probabilities.
        doubt: Why the latest fix was doubted; None if it was not, and for beacons.
        error_ellipse: The error ellipse of the last valid fix (major, minor, orientation), if it has one and the policy
            has probabilities.
        vertical_distance: For a zone with a band: how far the height of the last valid fix lies beyond the nearest
            limit, in metres, negative within the limits. None if a height is missing.
        parts: The parts of a rule with their states, in the order of the rule; None for other conditions.

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
    probability: float | None = None
    doubt: Doubt | None = None
    error_ellipse: tuple[float, float, float] | None = None
    vertical_distance: float | None = None
    parts: tuple[PartState, ...] | None = None

    @property
    def candidate_start(self) -> datetime | None:
        """Time of the fix, or of the point of the path, that opened the candidate, as an aware datetime in UTC."""
        return from_us(self.candidate_start_us)

    @property
    def deadline(self) -> datetime | None:
        """Time at which the candidate will be confirmed, or the beacon will count as absent, as an aware datetime in
        UTC."""
        return from_us(self.deadline_us)

    @property
    def last_sighting(self) -> datetime | None:
        """Time of a beacon's last sighting, as an aware datetime in UTC."""
        return from_us(self.last_sighting_us)

    def _measures(self) -> list[tuple[str, str]]:
        """The measures that apply, each with its value and unit."""
        found = []
        if self.diagnostics:
            found.append(("diagnostics", "|".join(diagnostic_names(self.diagnostics))))
        if self.boundary_distance is not None:
            side = "inside" if self.boundary_distance <= 0 else "outside"
            found.append(("last fix", f"{abs(self.boundary_distance):.1f} m {side} the boundary"))
        if self.vertical_distance is not None:
            found.append(("height", height_text(self.vertical_distance)))
        if self.accuracy:
            found.append(("accuracy", f"{self.accuracy:.1f} m"))
        if self.error_ellipse is not None:
            major, minor, orientation = self.error_ellipse
            found.append(("error ellipse", f"{major:.1f} m by {minor:.1f} m at {orientation:g} degrees"))
        if self.probability is not None:
            found.append(("probability", f"{self.probability:.6g}"))
        if self.metres_to_decide is not None:
            found.append(("to decide", f"{self.metres_to_decide:.1f} m more"))
        if self.accuracy_needed is not None:
            found.append(("accuracy needed", f"{self.accuracy_needed:.1f} m"))
        if self.seconds_to_decide is not None:
            found.append(("due in", f"{self.seconds_to_decide:g} s"))
        if self.doubt is not None:
            found.append(("doubted", str(self.doubt)))
        if self.parts is not None:
            found.append(("parts", "; ".join(map(str, self.parts))))
        return found

    def __str__(self) -> str:
        words = {
            "to decide": "{} would be decisive",
            "accuracy needed": "an accuracy of {} is needed",
            "doubted": "doubted: {}",
        }
        measures = [words.get(name, f"{name} {{}}").format(value) for name, value in self._measures()]
        return ", ".join([f"{self.identifier}: {self.reason}, observed {self.observed}", *measures])

    def _repr_html_(self) -> str:
        rows = self._measures()
        return table(
            f"{self.identifier}: {self.reason}, observed {self.observed}", ("measure", "value"), rows, len(rows)
        )


def explanation(
    identifier: str,
    reason: str,
    observed: int,
    diagnostics: int,
    numbers: Sequence[Any],
    doubt: Sequence[Any] | None,
    ellipse: tuple[float, float, float] | None,
    vertical_distance: float | None,
    parts: Sequence[tuple[str, int]] | None,
) -> Explanation:
    """An explanation in the form of the native module."""
    states = None if parts is None else tuple(PartState(part, STATES[state]) for part, state in parts)
    values: tuple[Any, ...] = (*numbers, None if doubt is None else Doubt(*doubt), ellipse, vertical_distance, states)
    return Explanation(identifier, Reason(reason), STATES[observed], Diagnostics(diagnostics), *values)
