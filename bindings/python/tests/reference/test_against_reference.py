"""Tests that the engine and the reference model agree for random conditions, random walks, all presets, and all
delivery modes.

hypothesis prints the shortest failing sequence of steps, and a line that replays it. FENCEPOST_EXAMPLES sets the number
of examples; ``pytest --hypothesis-seed=N`` repeats a run.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import IS_FULL
from hypothesis import HealthCheck, given, note, settings, strategies as st
from reference import ReferenceMonitor
from reference_adapter import reference_policy, reference_timing, same_event
from reference_values import Refused
from shape_palette import palette, reference_shape

from fencepost import (
    Beacon,
    BeaconSighting,
    Circle,
    Corridor,
    Delivery,
    Diagnostics,
    DwellPolicy,
    FencepostError,
    Fix,
    Monitor,
    Notify,
    Polygon,
    TransitionPolicy,
    geodesic,
)
from fencepost._values.events import diagnostic_names

EXAMPLES = int(os.environ.get("FENCEPOST_EXAMPLES", "400" if IS_FULL else "60"))
START = 1_700_000_000_000_000
KINDS: dict[str, Any] = {
    "circle": Circle,
    "polygon": Polygon,
    "corridor": Corridor,
    "beacon": Beacon,
}
BASES = ((52.5, 13.4), (0.0, 0.0), (-17.5, 179.9995), (89.999, 40.0), (-60.0, -180.0))
NAMES = ("a", "b", "c", "d", "ü")
UUIDS = ("e2c56db5-dffb-48d2-b060-d0f5a71096e0", "00000000-0000-0000-0000-000000000000")
MICROSECONDS = (0, 0, 1, 1_000_000, 1_000_000, 5_000_000, 19_999_999, 20_000_000, 30_000_000, 61_000_000, -1)
LIBRARY_FLAGS = (
    "CONDITION_UNSUPPORTED",
    "CONDITION_LIMIT_EXCEEDED",
    "PERSISTENCE_UNAVAILABLE",
    "INACTIVE",
    "SCHEDULE_ENDED",
    "EXHAUSTED",
)
HOST_FLAGS = [flag for flag in Diagnostics if flag.name not in LIBRARY_FLAGS]

policies = st.one_of(
    st.sampled_from([TransitionPolicy.standard(), TransitionPolicy.exact(), TransitionPolicy.core_location()]),
    st.builds(
        lambda margin, **fields: TransitionPolicy(exit_margin=margin[0], exit_margin_limit=margin[1], **fields),
        entry_dwell=st.sampled_from([0.0, 5.0, 20.0]),
        exit_dwell=st.sampled_from([0.0, 5.0, 20.0]),
        entry_margin=st.sampled_from([0.0, 20.0, 60.0]),
        margin=st.sampled_from([(0.0, 0.0), (35.0, 0.0), (60.0, 200.0), (0.0, 45.0)]),
        accuracy_factor=st.sampled_from([0.0, 1.0, 2.5]),
        dwell_policy=st.sampled_from(DwellPolicy),
        notify=st.integers(0, 7).map(Notify),
    ),
)
steps = st.sampled_from(MICROSECONDS)
# Each position is given as a distance in metres and an azimuth in degrees from the base. The fraction of 0.37 m keeps
# fixes off boundaries, where rounding would decide.
fixes = st.tuples(
    steps,
    st.integers(0, 900).map(lambda metres: metres + 0.37),
    st.integers(0, 35).map(lambda tens: tens * 10.0),
    st.sampled_from([0.0, 0.0, 5.0, 30.0, 80.0, 120.0, 300.0, -1.0, math.nan]),
    st.sampled_from([None] * 12 + [(91.0, 0.0), (0.0, math.inf)]),
)
options = st.fixed_dictionaries(
    {
        "assuming": st.sampled_from(["unknown", "satisfied", "unsatisfied"]),
        "policy": policies,
        "tag": st.sampled_from([0, 7, 2**64 - 1]),
    }
)
circles = st.tuples(
    st.sampled_from(NAMES),
    st.sampled_from([0.0, 100.0, 400.0]),
    st.sampled_from([0.0, 90.0, 200.0]),
    st.sampled_from([10.0, 60.0, 100.0, 150.0, 250.0, 600.0]),
    options,
)
shapes = st.tuples(st.sampled_from(NAMES), st.integers(0, len(palette(BASES[0])) - 1), options)
numbers = st.sampled_from([None, 0, 1])
beacons = st.tuples(st.sampled_from(NAMES), st.sampled_from(UUIDS), numbers, numbers, options)
sightings = st.lists(
    st.tuples(st.sampled_from(UUIDS), st.integers(0, 2), st.integers(0, 2), st.sampled_from([None, -90, -60])),
    max_size=3,
)
operations = st.one_of(
    st.tuples(st.just("fix"), fixes),
    st.tuples(st.just("fix"), fixes),
    st.tuples(st.just("fixes"), st.lists(fixes, max_size=8)),
    st.tuples(st.just("see"), steps, sightings),
    st.tuples(st.just("scanning"), steps, st.booleans()),
    st.tuples(
        st.just("host"),
        steps,
        st.lists(st.sampled_from(HOST_FLAGS), max_size=2),
        st.lists(st.sampled_from(list(KINDS)), max_size=2),
    ),
    st.tuples(st.just("advance"), steps),
    st.tuples(st.just("jump"), fixes, st.sampled_from([60_000_000, 60_000_001, 10**15])),
    st.tuples(st.just("rewind"), st.sampled_from([0, 1, 1_000_000, 20_000_000, 10**13, -1])),
    st.tuples(st.just("sync"), st.lists(st.one_of(circles, beacons, shapes), max_size=4)),
    st.tuples(st.just("circle"), st.booleans(), circles),
    st.tuples(st.just("circle"), st.booleans(), circles),
    st.tuples(st.just("shape"), st.booleans(), shapes),
    st.tuples(st.just("shape"), st.booleans(), shapes),
    st.tuples(st.just("beacon"), st.booleans(), beacons),
    st.tuples(st.just("remove"), st.sampled_from(NAMES)),
    st.tuples(st.just("next"), st.integers(1, 5)),
    st.tuples(st.just("next"), st.integers(1, 5)),
    st.tuples(st.just("acknowledge")),
)


class Pair:
    """Drives two monitors in parallel: an engine monitor and a reference monitor."""

    def __init__(
        self, base: tuple[float, float], delivery: str, limit: int | None, most: int, farthest: float | None = None
    ) -> None:
        self.base, self.clock = base, START
        self.ours = Monitor(delivery=delivery, condition_limit=limit, max_pending_events=most, max_time_step=farthest)
        self.theirs = ReferenceMonitor(
            delivery=delivery, condition_limit=limit, max_pending_events=most, max_time_step=farthest
        )

    def place(self, metres: float, azimuth: float) -> tuple[float, float]:
        found = geodesic.direct(*self.base, azimuth, metres)
        return found.latitude, found.longitude

    def both(self, ours: Callable[[], Any], theirs: Callable[[], Any]) -> None:
        """Makes a call on the engine and on the reference model: both must accept the call, or both must refuse it for
        the same reason."""
        statuses = []
        for call, error in ((ours, FencepostError), (theirs, Refused)):
            try:
                call()
                statuses.append("ok")
            except error as refused:
                statuses.append(refused.name if isinstance(refused, FencepostError) else refused.status)
        assert statuses[0] == statuses[1], statuses

    def at(self, step: int) -> int:
        time = self.clock + step
        self.clock = max(self.clock, time)
        return time

    def fix_values(self, value: Any) -> tuple[float, float, float, int]:
        step, metres, azimuth, accuracy, wrong = value
        latitude, longitude = wrong or self.place(metres, azimuth)
        # A refused or ignored fix does not move the clock.
        moves = wrong is None and accuracy >= 0
        return latitude, longitude, accuracy, self.at(step) if moves else self.clock + step

    def do_fix(self, value: Any) -> None:
        latitude, longitude, accuracy, time = self.fix_values(value)
        self.both(
            lambda: self.ours.feed(Fix(latitude, longitude, accuracy, time=time)),
            lambda: self.theirs.feed_fix(time, latitude, longitude, accuracy),
        )

    def do_fixes(self, values: list[Any]) -> None:
        rows = [self.fix_values(value) for value in values]

        def theirs() -> None:
            for latitude, longitude, accuracy, time in rows:
                try:
                    self.theirs.feed_fix(time, latitude, longitude, accuracy)
                except Refused as refused:
                    if refused.status == "queue_full":
                        raise

        self.both(lambda: self.ours.feed_many([Fix(*row[:3], time=row[3]) for row in rows]), theirs)

    def do_see(self, step: int, report: Any) -> None:
        time = self.at(step)
        self.both(
            lambda: self.ours.feed_sightings([BeaconSighting(*beacon) for beacon in report], time=time),
            lambda: self.theirs.feed_sightings(time, report),
        )

    def do_scanning(self, step: int, on: bool) -> None:
        time = self.at(step)
        self.both(lambda: self.ours.set_scanning(on, time=time), lambda: self.theirs.set_scanning(on, time))

    def do_host(self, step: int, flags: list[Diagnostics], kinds: list[str]) -> None:
        time, held = self.at(step), Diagnostics(0)
        for flag in flags:
            held |= flag
        classes = [KINDS[kind] for kind in kinds]
        self.both(
            lambda: self.ours.set_host(held, unsupported=classes, time=time),
            lambda: self.theirs.set_host(diagnostic_names(held), kinds, time),
        )

    def do_advance(self, step: int) -> None:
        time = self.at(step)
        self.both(lambda: self.ours.advance(time), lambda: self.theirs.advance(time))

    def do_jump(self, value: Any, ahead: int) -> None:
        """Feeds both monitors a fix whose time is far ahead; their clocks show the result."""
        _, metres, azimuth, accuracy, _ = value
        place, time = self.place(metres, azimuth), self.clock + ahead
        self.both(
            lambda: self.ours.feed(Fix(*place, accuracy, time=time)),
            lambda: self.theirs.feed_fix(time, *place, accuracy),
        )

    def do_rewind(self, back: int) -> None:
        time = self.clock - back
        self.both(lambda: self.ours.rewind(time), lambda: self.theirs.rewind(time))

    def do_sync(self, values: list[Any]) -> None:
        ours, theirs = [], []
        for name, *value, chosen in values:
            rest = {**chosen, "policy": reference_policy(chosen["policy"])}
            if len(value) == 1:
                condition: Any = self.shape(value[0])
                theirs.append((name, "shape", (reference_shape(self.base, value[0]),), rest))
            elif not isinstance(value[0], str):
                metres, azimuth, radius = value
                place = self.place(metres, azimuth) if metres else self.base
                condition = Circle(*place, radius)
                theirs.append((name, "circle", (*place, radius), rest))
            else:
                uuid, major, minor = value
                minor = None if major is None else minor
                condition = Beacon(uuid, major, minor)
                theirs.append((name, "beacon", (uuid, major, minor), rest))
            ours.append(SimpleNamespace(identifier=name, condition=condition, **chosen))
        before = self.ours.snapshot()
        self.both(lambda: self.ours.sync(ours), lambda: self.theirs.sync(theirs))
        if len({member.identifier for member in ours}) < len(ours):
            assert self.ours.snapshot() == before

    def do_circle(self, ensure: bool, value: Any) -> None:
        name, metres, azimuth, radius, chosen = value
        place = self.place(metres, azimuth) if metres else self.base
        call = self.theirs.ensure_circle if ensure else self.theirs.add_circle
        condition = Circle(*place, radius)
        self.put(ensure, condition, name, chosen, lambda **rest: call(name, *place, radius, **rest))

    def shape(self, number: int) -> Polygon | Corridor:
        kind, coordinates, options = palette(self.base)[number]
        options = {"edges": "geodesic", **options}
        if kind == "polygon":
            return Polygon({"type": "MultiPolygon", "coordinates": coordinates}, **options)
        lines = {"type": "MultiLineString", "coordinates": coordinates}
        return Corridor(lines, options.pop("radius"), **options)

    def do_shape(self, ensure: bool, value: Any) -> None:
        name, number, chosen = value
        call = self.theirs.ensure_shape if ensure else self.theirs.add_shape
        shape = reference_shape(self.base, number)
        self.put(ensure, self.shape(number), name, chosen, lambda **rest: call(name, shape, **rest))

    def do_beacon(self, ensure: bool, value: Any) -> None:
        name, uuid, major, minor, chosen = value
        minor = None if major is None else minor
        call = self.theirs.ensure_beacon if ensure else self.theirs.add_beacon
        condition = Beacon(uuid, major, minor)
        self.put(ensure, condition, name, chosen, lambda **rest: call(name, uuid, major, minor, **rest))

    def put(self, ensure: bool, condition: Any, name: str, chosen: dict[str, Any], theirs: Callable[..., Any]) -> None:
        ours = self.ours.ensure if ensure else self.ours.add
        rest = {**chosen, "policy": reference_policy(chosen["policy"])}
        if (timing := rest.pop("timing", None)) is not None:
            rest |= reference_timing(timing)
        self.both(lambda: ours(condition, name, **chosen), lambda: theirs(**rest))

    def do_remove(self, name: str) -> None:
        self.both(lambda: self.ours.remove(name), lambda: self.theirs.remove(name))

    def do_acknowledge(self) -> None:
        self.both(self.ours.acknowledge, self.theirs.acknowledge)

    def do_next(self, count: int) -> bool:
        for _ in range(count):
            ours, theirs = self.ours.next_event(), self.theirs.next_event()
            assert (ours is None) == (theirs is None), (ours, theirs)
            if ours is None or theirs is None:
                return False
            same_event(ours, theirs)
        return True

    def compare(self) -> None:
        assert self.ours.identifiers == self.theirs.identifiers()
        assert self.ours.clock_us == self.theirs.clock
        if self.theirs.clock is not None:  # refused inputs have not moved any clock
            self.clock = self.theirs.clock
        counters, expected = self.ours.statistics(), self.theirs.statistics()
        assert counters.pending_events == expected["waiting"]
        assert (counters.late_inputs, counters.invalid_fixes) == (expected["late_inputs"], expected["invalid_fixes"])
        assert counters.ahead_inputs == expected["ahead_inputs"]
        for state in ("unknown", "satisfied", "unsatisfied"):
            assert self.ours.identifiers_in_state(state) == self.theirs.identifiers_in_state(state)
        for record in self.ours.records():
            event, other = record.last_event, self.theirs.record(record.identifier)["last_event"]
            assert (event.state, event.date_us) == (other["state"], other["date"])
            assert diagnostic_names(event.diagnostics) == other["diagnostics"]
            assert event.generation == other["generation"] == record.generation
            assert record.identifier in self.theirs.identifiers_in_state(str(record.present_state))
            self.compare_explanations(record.identifier)

    def compare_explanations(self, identifier: str) -> None:
        ours, theirs = self.ours.explain(identifier), self.theirs.explain(identifier)
        assert (ours.reason, ours.observed) == (theirs["reason"], theirs["state"]), (ours, theirs)
        assert ours.candidate_start_us == theirs["candidate_since"]
        assert ours.last_sighting_us == theirs["last_sighting"]
        deadline = (
            theirs["candidate_deadline"] if theirs["candidate_deadline"] is not None else theirs["absence_deadline"]
        )
        assert ours.deadline_us == deadline
        names = (
            "boundary_distance",
            "accuracy",
            "entry_margin",
            "exit_margin",
            "metres_to_decide",
            "seconds_to_decide",
        )
        for name in (*names, "accuracy_needed"):
            number, expected = getattr(ours, name), theirs[name]
            assert (number is None) == (expected is None), (name, number, expected)
            assert number is None or abs(number - expected) <= 1e-6, (name, number, expected)


@pytest.mark.full
@settings(max_examples=EXAMPLES, deadline=None, print_blob=True, suppress_health_check=list(HealthCheck))
@given(
    st.sampled_from(BASES),
    st.sampled_from(Delivery),
    st.sampled_from([None, None, 1, 2]),
    st.sampled_from([1_000_000, 1_000_000, 2]),
    st.sampled_from([None, 60.0]),
    st.lists(operations, min_size=5, max_size=60),
)
def test_engine_and_reference_agree(
    base: tuple[float, float], delivery: Delivery, limit: int | None, most: int, farthest: float | None, run: list[Any]
) -> None:
    pair = Pair(base, str(delivery), limit, most, farthest)
    for number, (name, *arguments) in enumerate(run):
        note(f"step {number}: {name} at {pair.clock - START} us")
        getattr(pair, "do_" + name)(*arguments)
        pair.compare()
    while pair.do_next(100):
        pass
    pair.do_acknowledge()
    pair.compare()
