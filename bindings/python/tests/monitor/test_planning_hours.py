"""Tests plans and safe distances of conditions with hours: an inactive condition is left out until the next start."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from fencepost import Circle, Event, Fix, Fleet, Monitor, Polygon, RotationPlanner, Rule, Timing, Zones, geodesic
from fencepost._tables.times import to_us
from fencepost.errors import InvalidArgumentError

SECOND = 1_000_000
DEGREE = 111_319.490793273572  # metres per degree of longitude on the equator
NEAR, FAR = Circle(0, 0, 100), Circle(0, 5000 / DEGREE, 100)


def at(metres: float, second: float) -> Fix:
    return Fix(0, metres / DEGREE, accuracy=5, time=round(second * SECOND))


def hours(*edges: int) -> Timing:
    return Timing(active=[(start * SECOND, end * SECOND) for start, end in zip(edges[::2], edges[1::2], strict=True)])


def opened(kind: str, conditions: dict[str, tuple[Circle, Timing | None]]) -> Any:
    """A monitor or a fleet with conditions."""
    if kind == "monitor":
        monitor = Monitor()
        for name, (shape, timing) in conditions.items():
            monitor.add(shape, name, policy="exact", timing=timing)
        return monitor
    zones = Zones()
    for name, (shape, timing) in conditions.items():
        zones.add(shape, name, policy="exact", timing=timing)
    return Fleet(zones)


def planned(host: Any) -> Any:
    """The monitor, or the device of the fleet, that makes plans."""
    return host["d"] if isinstance(host, Fleet) else host


def feed(host: Any, fix: Fix) -> None:
    if isinstance(host, Fleet):
        host.feed("d", fix)
    else:
        host.feed(fix)


@pytest.mark.parametrize("kind", ["monitor", "fleet"])
def test_what_is_inactive_is_left_out_until_it_starts(kind: str) -> None:
    conditions = {"night": (NEAR, hours(100, 200, 300, 400)), "always": (FAR, None)}
    host = opened(kind, conditions)
    if kind == "monitor":
        before = RotationPlanner(5).plan(host, 0, 0)
        assert before.next_start is not None, "before the first time, each start is still to come"
        assert before.next_start.timestamp() == 100
        assert [armed.identifier for armed in before.armed] == ["always"]

    def plan(metres: float) -> Any:
        found = RotationPlanner(5).plan(planned(host), 0, metres / DEGREE)
        start = None if found.next_start is None else found.next_start.timestamp()
        distance = planned(host).safe_distance(0, metres / DEGREE)
        return [armed.identifier for armed in found.armed], distance, found.follow, start

    feed(host, at(0, 10))
    assert plan(0) == (["always"], pytest.approx(4900, abs=1e-3), False, 100)
    feed(host, at(0, 99.999999))
    assert plan(0) == (["always"], pytest.approx(4900, abs=1e-3), False, 100)
    feed(host, at(0, 100))
    assert plan(0) == (["night", "always"], pytest.approx(100, abs=1e-3), False, 300)
    feed(host, at(50, 199.999999))
    assert plan(50)[0] == ["night", "always"]
    feed(host, at(50, 200))
    assert plan(50) == (["always"], pytest.approx(4850, abs=1e-3), False, 300)
    host.advance(300 * SECOND)
    names, safe, follow, start = plan(50)
    assert (names, safe, start) == (["night", "always"], pytest.approx(50, abs=1e-3), None)
    assert follow, "the latest fix is too old to decide the condition that starts"
    feed(host, at(50, 400))
    assert plan(50) == (["always"], pytest.approx(4850, abs=1e-3), False, None)


@pytest.mark.parametrize("kind", ["monitor", "fleet"])
def test_what_is_exhausted_is_left_out_for_ever(kind: str) -> None:
    host = opened(kind, {"once": (NEAR, Timing(max_events=1))})
    feed(host, Fix(0, 0, accuracy=-1, time=0))  # without a position, so there is no event
    if kind == "monitor":
        assert host.safe_distance(0, 0) == pytest.approx(100, abs=1e-3)
    feed(host, at(0, 0))
    assert planned(host).safe_distance(0, 0) == math.inf
    plan = RotationPlanner(5).plan(planned(host), 0, 0)
    assert (plan.armed, plan.follow, plan.next_start) == ((), False, None)


def test_a_plan_wakes_the_host_from_the_next_start_on() -> None:
    monitor = Monitor()
    monitor.add(NEAR, "a", policy="exact", timing=hours(100, 200))
    monitor.feed(at(0, 0))
    plan = RotationPlanner(5).plan(monitor, 0, 0)
    assert not plan.wakes(0, 0)
    assert not plan.wakes(0, 50 / DEGREE, 100 * SECOND - 1)
    assert plan.wakes(0, 50 / DEGREE, 100 * SECOND)
    assert plan.next_start is not None
    assert plan.wakes(0, 50 / DEGREE, plan.next_start)
    with pytest.raises(InvalidArgumentError, match="naive"):
        plan.wakes(0, 0, plan.next_start.replace(tzinfo=None))


def test_removal_and_other_hours_change_the_next_start() -> None:
    monitor = Monitor()
    monitor.feed(at(0, 0))

    def start() -> float | None:
        found = RotationPlanner(1).plan(monitor, 0, 0).next_start
        return None if found is None else found.timestamp()

    monitor.add(NEAR, "a", timing=hours(100, 200))
    monitor.add(FAR, "b", timing=hours(50, 60, 150, 160))
    assert start() == 50
    monitor.advance(55 * SECOND)
    assert start() == 100
    monitor.remove("a")
    assert start() == 150
    monitor.ensure(FAR, "b", timing=hours(1000, 2000))
    assert start() == 1000
    monitor = Monitor.restore(monitor.snapshot())
    assert start() == 1000
    monitor.rewind(0)
    assert start() == 1000


class Host:
    """A host that feeds what a plan or a safe distance asks for, and its latest fix before each next start."""

    def __init__(self, engine: Any, slots: int, uses_distance: bool) -> None:
        self.engine, self.uses_distance = engine, uses_distance
        self.planner = RotationPlanner(slots)
        self.plan: Any = None
        self.anchor, self.safe = (0.0, 0.0), 0.0
        self.accuracy = 0.0
        self.held: Fix | None = None
        self.fed = 0

    def offer(self, fix: Fix) -> None:
        if self.plan is not None and not self.wakes(fix):
            self.held = fix
            return
        self.prepare(to_us(fix.time))
        self.feed(fix)

    def wakes(self, fix: Fix) -> bool:
        if not self.uses_distance:
            return bool(self.plan.wakes(fix.latitude, fix.longitude, fix.time))
        if self.plan.follow or (self.plan.next_start is not None and to_us(fix.time) >= to_us(self.plan.next_start)):
            return True
        return geodesic.inverse(*self.anchor, fix.latitude, fix.longitude).distance >= self.safe

    def prepare(self, time_us: int) -> None:
        """Feeds the latest fix, if a start follows it before a time."""
        start = self.plan and self.plan.next_start
        if start is not None and self.held is not None and to_us(start) <= time_us:
            self.feed(self.held)

    def advance(self, time_us: int) -> None:
        """Passes time without a fix. The latest fix comes first, because it would be late after it."""
        start = self.plan and self.plan.next_start
        if start is not None and self.held is not None:
            self.feed(self.held)
        self.engine.advance(time_us)
        if start is not None and to_us(start) <= time_us:
            self.plan = self.planner.plan(planned(self.engine), *self.anchor, self.accuracy)
            self.safe = planned(self.engine).safe_distance(*self.anchor)

    def feed(self, fix: Fix) -> None:
        feed(self.engine, fix)
        self.fed += 1
        self.held = None
        self.anchor, self.accuracy = (fix.latitude, fix.longitude), fix.accuracy
        self.plan = self.planner.plan(planned(self.engine), *self.anchor, fix.accuracy)
        self.safe = planned(self.engine).safe_distance(*self.anchor)


def random_timing(chance: random.Random, now: int, limits: bool) -> Timing | None:
    if chance.random() < 0.3:
        return None
    edges = sorted(chance.sample(range(now - 100, now + 900), 2 * chance.randint(0, 6)))
    return Timing(
        active=None if chance.random() < 0.2 else [(a * SECOND, b * SECOND) for a, b in zip(edges[::2], edges[1::2])],
        absent_after=chance.choice([None, None, 15]),
        repeat_every=chance.choice([None, None, 20]) if limits else None,
        max_events=chance.choice([None, None, 3]) if limits else None,
    )


def add_to(condition: Any, name: str, options: dict[str, Any], holder: Any) -> None:
    holder.add(condition, name, **options)


def one_life(chance: random.Random, kind: str, uses_distance: bool, delivery: str) -> tuple[int, int, int]:
    """Feeds all fixes to one engine, and what the host feeds to another one; returns the numbers of events, fixes, and
    fed fixes."""
    now = 1_772_000_000
    spread = math.exp(chance.uniform(6, 9))

    def place() -> tuple[float, float]:
        return chance.uniform(-spread, spread) / DEGREE, chance.uniform(-spread, spread) / DEGREE

    options: dict[str, Any] = {"delivery": delivery}
    if kind == "monitor":
        options["initial_fix_max_age"] = chance.choice([0, 5, 60, 1e6])
        options["order"] = chance.choice(["add", "exits_first"])
    added: list[Callable[[Any], Any]] = []
    for index in range(chance.randint(1, 12)):
        latitude, longitude = place()
        radius = math.exp(chance.uniform(3, math.log(spread)))
        shape: Any = Circle(latitude, longitude, radius)
        if chance.random() < 0.3:
            size = radius / DEGREE
            corners = [(latitude + a * size, longitude + b * size) for a, b in ((-1, -1), (-1, 1), (1, 1), (1, -1))]
            shape = Polygon(corners, order="latlon")
        known = {
            "policy": chance.choice(["exact", "standard", "core_location"]),
            "assuming": chance.choice(["unknown", "unsatisfied", "satisfied"]),
            "timing": random_timing(chance, now, delivery == "every"),
        }
        added.append(partial(add_to, shape, f"c{index}", known))
    # With `latest`, a rule that changes at an edge and back between two fed fixes tells nothing.
    if kind == "monitor" and delivery == "every" and len(added) > 1 and chance.random() < 0.4:
        rule = chance.choice([Rule.any, Rule.all, Rule.none])("c0", "c1")
        timing = random_timing(chance, now, delivery == "every")
        if timing is not None and timing.absent_after is not None:
            timing = None
        added.append(partial(add_to, rule, "rule", {"timing": timing}))

    def opened_anew() -> Any:
        holder = Monitor(**options) if kind == "monitor" else Zones()
        for add in added:
            add(holder)
        return holder if isinstance(holder, Monitor) else Fleet(holder)

    every = opened_anew()
    host = Host(opened_anew(), slots=chance.randint(1, 20), uses_distance=uses_distance)
    expected: list[Event] = []
    got: list[Event] = []
    latitude, longitude = place()
    heading, second, pace = chance.uniform(0, 360), float(now), math.exp(chance.uniform(0, 4))
    count = 150
    for _ in range(count):
        heading += chance.uniform(-60, 60)
        end = geodesic.direct(latitude, longitude, heading, pace * chance.uniform(0, 2))
        latitude, longitude = end.latitude, end.longitude
        if chance.random() < 0.02:
            latitude, longitude = place()
        second += chance.choice([0, 1, 1, 3, 5, chance.uniform(0, 60)])
        accuracy = math.exp(chance.uniform(5, 8)) if chance.random() < 0.05 else chance.uniform(1, 30)
        fix = Fix(latitude, longitude, accuracy=accuracy, time=round(second * SECOND))
        feed(every, fix)
        host.offer(fix)
        if chance.random() < 0.05:  # time passes without a fix
            second += chance.uniform(0, 100)
            every.advance(round(second * SECOND))
            host.advance(round(second * SECOND))
        expected += every.events()
        got += host.engine.events()
    for engine in (every, host):
        engine.advance(round((second + 2000) * SECOND))
    expected += every.events()
    got += host.engine.events()
    if got != expected:
        row = next(
            (row for row, both in enumerate(zip(got, expected)) if both[0] != both[1]), min(len(got), len(expected))
        )
        raise AssertionError(f"event {row}: {got[row:][:1]} instead of {expected[row:][:1]}")
    return len(expected), count, host.fed


@pytest.mark.parametrize("uses_distance", [False, True], ids=["plan", "distance"])
@pytest.mark.parametrize(("kind", "delivery"), [("monitor", "every"), ("monitor", "latest"), ("fleet", "every")])
def test_what_the_host_feeds_gives_the_events_of_all_fixes(kind: str, delivery: str, uses_distance: bool) -> None:
    events = offered = fed = 0
    for seed in range(60):
        print("seed", seed)
        counts = one_life(random.Random(seed), kind, uses_distance, delivery)
        events, offered, fed = events + counts[0], offered + counts[1], fed + counts[2]
    print(f"{events} events, {fed} of {offered} fixes fed")
    assert events > 300
    assert fed < 0.7 * offered
