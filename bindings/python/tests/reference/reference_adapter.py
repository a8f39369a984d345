"""Connects the package with the reference model: converts policies, compares events, and provides a faster reference
for many circles."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy
from reference import ReferenceMonitor
from reference_values import Observation

from fencepost import DwellPolicy, Event, Notify, Timing, TransitionPolicy
from fencepost._values.events import diagnostic_names

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
BOUNDARY_TOLERANCE = 1e-6
EXACT_KEYS = (
    "sequence", "identifier", "state", "cause", "date", "evidence_date", "refinement", "diagnostics", "generation",
    "latitude", "longitude", "accuracy",
)  # fmt: skip


def reference_policy(policy: TransitionPolicy) -> dict[str, Any]:
    """Converts a policy to the reference's form."""
    names = {Notify.INITIAL: "initial", Notify.ENTRY: "entry", Notify.EXIT: "exit"}
    return {
        "entry_dwell": policy.entry_dwell,
        "exit_dwell": policy.exit_dwell,
        "entry_margin": policy.entry_margin,
        "exit_margin": policy.exit_margin,
        "exit_margin_limit": policy.exit_margin_limit,
        "accuracy_factor": policy.accuracy_factor,
        "entry_probability": policy.entry_probability,
        "exit_probability": policy.exit_probability,
        "vertical_margin": policy.vertical_margin,
        "dwell_policy": "timer" if policy.dwell_policy is DwellPolicy.TIMER else "evidence",
        "notify": tuple(names[flag] for flag in policy.notify),
    }


def reference_timing(timing: Timing) -> dict[str, Any]:
    """Converts a timing to the reference's form."""
    found = {
        name: getattr(timing, name)
        for name in ("absent_after", "repeat_every", "repeat_limit", "max_events")
        if getattr(timing, name) is not None
    }
    if timing.active is not None:
        found["active"] = [[start / 1e6, end / 1e6] for start, end in timing.active.intervals_us]
        if timing.active.until_us is not None:
            found["active_until"] = timing.active.until_us / 1e6
    return found


def iso(time_us: int | None) -> str | None:
    if time_us is None:
        return None
    when = EPOCH + timedelta(microseconds=time_us)
    return when.isoformat(timespec="microseconds").replace("+00:00", "Z")


def same_event(ours: dict[str, Any] | Event, theirs: dict[str, Any]) -> None:
    """Asserts that an event, or the JSON object of an event, equals the expected event of the reference model."""
    expected = {**theirs, "date": iso(theirs["date"]), "evidence_date": iso(theirs["evidence_date"])}
    if isinstance(ours, Event):
        assert ours.tag == theirs["tag"]
        ours = as_dict(ours)
    assert {key: ours[key] for key in EXACT_KEYS} == {key: expected[key] for key in EXACT_KEYS}
    if theirs["boundary_distance"] is None:
        assert ours["boundary_distance"] is None
    else:
        assert abs(ours["boundary_distance"] - theirs["boundary_distance"]) <= BOUNDARY_TOLERANCE


def as_dict(event: Event) -> dict[str, Any]:
    beacon = event.refinement
    refinement = None if beacon is None else {"uuid": str(beacon.uuid), "major": beacon.major, "minor": beacon.minor}
    return {
        "sequence": event.sequence,
        "identifier": event.identifier,
        "state": str(event.state),
        "cause": str(event.cause),
        "date": iso(event.date_us),
        "evidence_date": iso(event.evidence_date_us),
        "refinement": refinement,
        "diagnostics": diagnostic_names(event.diagnostics),
        "generation": event.generation,
        "latitude": event.latitude,
        "longitude": event.longitude,
        "accuracy": event.accuracy,
        "boundary_distance": event.boundary_distance,
    }


def _points(latitudes: Any, longitudes: Any) -> Any:
    """Returns geocentric coordinates in metres on the WGS84 ellipsoid."""
    a, f = 6378137.0, 1 / 298.257223563
    e2 = f * (2 - f)
    phi, lam = numpy.radians(latitudes), numpy.radians(longitudes)
    n = a / numpy.sqrt(1 - e2 * numpy.sin(phi) ** 2)
    return numpy.stack(
        [n * numpy.cos(phi) * numpy.cos(lam), n * numpy.cos(phi) * numpy.sin(lam), n * (1 - e2) * numpy.sin(phi)], -1
    )


class ManyCircles(ReferenceMonitor):
    """A faster reference model for a fixed set of a thousand circles: it skips evaluations that cannot change anything.

    The straight line through the Earth between two points is never longer than the geodesic; up to 100 km, the geodesic
    is longer by at most 1/10,000. If a fix is certainly on the side that a condition already has, the fix can only
    cancel a candidate, so nothing else is computed. For conditions that are undetermined, near the boundary, or on the
    other side of it, the rules of the reference apply unchanged. This class does not support `explain`, because skipped
    evaluations do not store the latest fix.
    """

    def feed_fix(
        self,
        time_us: int,
        latitude: float,
        longitude: float,
        accuracy: float = 0.0,
        ellipse: Any = None,
        heights: Any = (),
    ) -> None:
        if not hasattr(self, "_order"):
            self._prepare()
        self._place, self._near = (latitude, longitude), None
        super().feed_fix(time_us, latitude, longitude, accuracy, ellipse, heights)

    def _pass_time(self, time: int) -> None:
        self._near = None
        super()._pass_time(time)
        # By now all changes that were due earlier have been confirmed, so `_side` contains the sides that the fix is
        # compared with.
        line = numpy.linalg.norm(self._centres - _points(*self._place), axis=1)
        out = (self._side == 1) & (line > self._radii + 0.01)
        within = (self._side == -1) & (line * 1.0001 + 0.01 < self._radii) & (self._radii < 100_000)
        skipped = out | within
        for index in numpy.flatnonzero(skipped & self._candidates):
            self._order[index].candidate = None
            self._candidates[index] = False
        self._near = [self._order[index] for index in numpy.flatnonzero(~skipped)]

    def _prepare(self) -> None:
        self._order = ReferenceMonitor._in_add_order(self)
        self._index = {condition.generation: index for index, condition in enumerate(self._order)}
        definitions = [condition.definition for condition in self._order]
        self._centres = _points([d["latitude"] for d in definitions], [d["longitude"] for d in definitions])
        self._radii = numpy.array([d["radius"] for d in definitions])
        self._side = numpy.zeros(len(definitions), dtype=int)
        self._candidates = numpy.zeros(len(definitions), dtype=bool)
        self._with_events: set[int] = set()
        self._near = None

    def _in_add_order(self) -> list[Any]:
        near = getattr(self, "_near", None)
        return super()._in_add_order() if near is None else near

    def _evaluate(self, c: Any, fix: Any, now: int) -> None:
        super()._evaluate(c, fix, now)
        self._candidates[self._index[c.generation]] = c.candidate is not None

    def _confirm(self, c: Any) -> None:
        super()._confirm(c)
        self._candidates[self._index[c.generation]] = False

    def _on_observed(self, c: Any) -> None:
        super()._on_observed(c)
        observed: Observation = c.observed
        self._side[self._index[c.generation]] = -1 if observed.side == "in" else 1
        self._with_events.add(self._index[c.generation])

    def _fire(self, time: int, last_phase: int) -> None:
        everything = self._conditions
        self._conditions = {index: self._order[index] for index in numpy.flatnonzero(self._candidates)}
        try:
            super()._fire(time, last_phase)
        finally:
            self._conditions = everything

    def next_event(self) -> dict[str, Any] | None:
        everything = self._conditions
        self._conditions = {index: self._order[index] for index in self._with_events}
        try:
            event = super().next_event()
        finally:
            self._conditions = everything
        self._with_events = {index for index in self._with_events if self._order[index].queue}
        return event

    def _waiting(self) -> int:
        return 0
