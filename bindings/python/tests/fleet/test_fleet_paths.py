"""Tests fleets that have a path: gates, gaps, device plans, and events between fixes. The expected events come from a
separate monitor for each device."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from fencepost import (
    Cause,
    Circle,
    Diagnostics,
    Fix,
    Fleet,
    Gate,
    Monitor,
    Polygon,
    RotationPlanner,
    State,
    TransitionPolicy,
    Zones,
)
from fencepost.errors import InputError, InvalidArgumentError, NotFoundError

SECOND = 1_000_000
TOLL = Gate("LINESTRING (0.005 -0.01, 0.005 0.01)")
PLACES: dict[str, tuple[Any, TransitionPolicy | str | None]] = {
    "circle": (Circle(0, 0.002, 60), "exact"),
    "dwelling": (Circle(0.001, 0.004, 120), TransitionPolicy(entry_dwell=4, exit_dwell=4)),
    "polygon": (Polygon("POLYGON ((0.006 -0.001, 0.008 -0.001, 0.007 0.002, 0.006 -0.001))", edges="planar"), "exact"),
    "toll": (TOLL, None),
}


def zones() -> Zones:
    made = Zones()
    for identifier, (condition, policy) in PLACES.items():
        made.add(condition, identifier, policy=policy)
    return made


def monitor(**options: Any) -> Monitor:
    made = Monitor(initial_fix_max_age=None, **options)
    for identifier, (condition, policy) in PLACES.items():
        assuming = "unknown" if identifier == "toll" else "unsatisfied"
        made.add(condition, identifier, policy=policy, assuming=assuming)
    return made


@pytest.mark.parametrize("speed", [None, 30.0])
@pytest.mark.parametrize("threads", [1, 3])
def test_each_device_gets_the_events_of_its_own_monitor(speed: float | None, threads: int) -> None:
    chance = random.Random(5)
    path = {"path": "geodesic", "max_gap": 60, "max_speed": speed}
    fleet = Fleet(zones(), threads=threads, **path)  # type: ignore[arg-type]
    monitors = {name: monitor(**path) for name in ("a", "b", "c")}
    rows: list[tuple[str, float, float, int]] = []
    time = 0
    for _ in range(600):
        time += chance.choice([0, 1, 5, 20, 90]) * SECOND
        rows.append((chance.choice("abc"), chance.uniform(-0.003, 0.003), chance.uniform(-0.001, 0.01), time))
    expected = []
    for row, (name, latitude, longitude, at) in enumerate(rows):
        monitors[name].feed(Fix(latitude, longitude, time=at))
        expected += [(row, name, event.to_json()) for event in monitors[name].events()]
    device, latitude, longitude, times = zip(*rows)
    fleet.feed_many(device=list(device), latitude=latitude, longitude=longitude, time=list(times))
    found = [(event.row, event.device, event.to_json()) for event in fleet.events()]
    plain = [(row, name, text.replace(f'{{"device":"{name}",', "{", 1)) for row, name, text in found]
    assert plain == expected
    kinds = {event.rsplit('"', 2)[-2] for _, _, event in expected if '"direction"' in event}
    assert kinds == {"left_to_right", "right_to_left"}
    assert sum('"evidence":"path"' in event for _, _, event in expected) > 100
    assert any('"gap":true' in event for _, _, event in expected)


def test_stores_snapshots_and_exports_keep_the_last_fix_and_a_gap(tmp_path: Path) -> None:
    path: dict[str, Any] = {"path": "geodesic", "max_gap": 60}
    with Fleet(zones(), store=tmp_path, name="f", durability="every_input", **path) as first:
        for name, times in (("a", (0,)), ("b", (0, 500))):
            for time in times:
                first.feed(name, Fix(0, 0, time=time * SECOND))
        copy = Fleet.restore(first.snapshot())
        moved = Fleet(zones(), **path)
        moved.load(dict(zip("ab", first.export(["a", "b"], portable=True))), adapt=True)
        without = Fleet({"circle": PLACES["circle"][0]})
        without.load(dict(zip("ab", first.export(["a", "b"], portable=True))), adapt=True)
    again = Fleet(Zones(), store=tmp_path, name="f", **path)
    for fleet in (copy, moved, again):
        fleet.feed("a", Fix(0, 0.004, time=20 * SECOND))
        fleet.feed("b", Fix(0, 0.004, time=520 * SECOND))
        found = [(event.device, event.identifier, event.is_on_path, event.follows_gap) for event in fleet.events()]
        assert [row for row in found if row[1] == "circle"] == [
            ("a", "circle", True, False), ("a", "circle", True, False),
            ("b", "circle", True, True), ("b", "circle", True, False),
        ]  # fmt: skip
    without.feed("a", Fix(0, 0.01, time=600 * SECOND))
    assert not without.poll(), "a fleet without a path takes only the fixes"
    again.close()
    with pytest.raises(InvalidArgumentError):
        Fleet(Zones(), store=tmp_path, name="f")


def test_a_device_from_a_fleet_without_a_path_has_no_way_to_its_next_fix() -> None:
    table = Zones({"circle": Circle(0, 0.002, 60)}, policy="exact")
    plain = Fleet(table)
    for second in (0, 1):
        plain.feed("a", Fix(0, 0, time=second * SECOND))
    plain.advance(5 * SECOND, device="a")
    fleet = Fleet(table, path="geodesic", max_gap=60)
    fleet.load({"a": plain.export(["a"])[0]})
    fleet.feed("a", Fix(0, 0.004, time=20 * SECOND))
    assert not fleet.poll()
    fleet.feed("a", Fix(0, 0, time=40 * SECOND))
    assert len(fleet.poll()) == 2


def test_gates_need_a_path_in_each_fleet() -> None:
    table = zones()
    with pytest.raises(InvalidArgumentError):
        Fleet(table)
    fleet = Fleet(table, path="geodesic", max_gap=60)
    assert fleet.conditions.identifiers == list(PLACES)
    with pytest.raises(InputError) as refused:
        Fleet({"circle": PLACES["circle"][0], "toll": TOLL})
    assert "toll" in refused.value.place
    assert Zones.restore(table.snapshot()).identifiers == list(PLACES)


@pytest.mark.parametrize(
    "options",
    [{"path": "geodesic"}, {"path": "geodesic", "max_gap": 0}, {"max_gap": 60}, {"path": "rhumb", "max_gap": 60},
     {"path": "geodesic", "max_gap": 60, "max_speed": 0}],
)  # fmt: skip
@pytest.mark.parametrize("threads", [1, 2])
def test_options_out_of_range_are_refused(options: dict[str, Any], threads: int) -> None:
    with pytest.raises(InvalidArgumentError):
        Fleet(Zones(), threads=threads, **options)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_device_plans_like_its_monitor(threads: int) -> None:
    path: dict[str, Any] = {"path": "geodesic", "max_gap": 60}
    fleet, one = Fleet(zones(), threads=threads, **path), monitor(**path)
    fleet.feed("a", Fix(0, 0, time=0))
    planners = RotationPlanner(2), RotationPlanner(2)
    assert planners[0].plan(fleet["a"], 0, 0) != planners[1].plan(one, 0, 0), "the monitor has no fix yet"
    one.feed(Fix(0, 0, time=0))
    for longitude in (0, 0.002, 0.0049, 0.02):
        assert fleet["a"].safe_distance(0, longitude) == one.safe_distance(0, longitude)
        assert planners[0].plan(fleet["a"], 0, longitude, 3) == planners[1].plan(one, 0, longitude, 3)
    with pytest.raises(InvalidArgumentError):
        fleet["a"].safe_distance(91, 0)
    with pytest.raises(TypeError):
        planners[0].plan(fleet, 0, 0)  # type: ignore[arg-type]
    gone = fleet["a"]
    del fleet["a"]
    with pytest.raises(NotFoundError):
        gone.safe_distance(0, 0)
    with pytest.raises(NotFoundError):
        planners[0].plan(gone, 0, 0)


@pytest.mark.parametrize("path", ["geodesic", "fixes"])
def test_a_table_of_gates_and_other_conditions_is_added_as_a_whole(path: str) -> None:
    """A fleet without a path refuses the gate in the second row, and does not add the first row either."""
    pyarrow = pytest.importorskip("pyarrow")
    rows = pyarrow.table(
        {
            "identifier": ["depot", "toll"],
            "geometry": ["POINT (0 0)", "LINESTRING (0.05 -0.01, 0.05 0.01)"],
            "radius": [50.0, None],
            "gate": [False, True],
        }
    )
    zones = Zones()
    fleet = Fleet(zones, path=path, max_gap=60 if path == "geodesic" else None)
    if path == "geodesic":
        zones.add_many(rows)
        assert list(zones) == ["depot", "toll"]
        assert zones.ensure_many(rows).kept == 2
    else:
        for change in (zones.add_many, zones.ensure_many, zones.sync):
            with pytest.raises(InputError) as refused:
                change(rows)
            assert refused.value.row == 1 and len(zones) == 0
    fleet.close()


@pytest.mark.parametrize("dwell_policy", ["timer", "evidence"])
def test_an_advance_within_a_gap_does_not_move_the_mark(dwell_policy: str) -> None:
    """A crossing that was decided before a gap is confirmed during the gap: by an advance, or by the fix that ends the
    gap. Both give the same events, for monitors and for fleets."""
    chance = random.Random(31)
    path: dict[str, Any] = {"path": "geodesic", "max_gap": 20}
    policies = [TransitionPolicy(entry_dwell=s, exit_dwell=s, dwell_policy=dwell_policy) for s in (0, 7, 20, 90)]
    table = Zones()
    alone, advanced = Monitor(**path), Monitor(**path)
    for index, policy in enumerate(policies):
        circle = Circle(0, 0.002 * index, 150)
        table.add(circle, str(index), policy=policy)
        for monitor_ in (alone, advanced):
            monitor_.add(circle, str(index), policy=policy, assuming="unsatisfied")
    fleet, fleet_advanced = Fleet(table, **path), Fleet(table, **path)
    time = 0
    marked = decided_before = 0
    for step in range(3_000):
        gap = chance.choice([5, 10, 20, 20, 21, 40, 100])
        if gap > 20:
            instant = (time + chance.randrange(1, gap)) * SECOND
            advanced.advance(instant)
            fleet_advanced.advance(instant, device="a")
        time += gap
        fix = Fix(chance.uniform(-0.001, 0.001), chance.uniform(-0.003, 0.009), time=time * SECOND)
        for monitor_ in (alone, advanced):
            monitor_.feed(fix)
        for each in (fleet, fleet_advanced):
            each.feed("a", fix)
        expected = [event.to_json() for event in alone.events()]
        assert [event.to_json() for event in advanced.events()] == expected
        for each in (fleet, fleet_advanced):
            assert [event.to_json().replace('"device":"a",', "", 1) for event in each.events()] == expected
        marked += sum('"gap":true' in text for text in expected)
        decided_before += gap > 20 and '"gap":true' not in "".join(expected[:1]) and len(expected) > 0
        if step % 7 == 0:
            copy = Monitor.restore(advanced.snapshot())
            advanced.close()
            advanced = copy
            moved = Fleet(table, **path)
            moved.load({"a": fleet_advanced.export(["a"])[0]})
            fleet_advanced.close()
            fleet_advanced = moved
    assert marked > 100 and (decided_before > 100 or dwell_policy == "evidence")


def test_a_state_that_was_reported_before_a_suspension_does_not_report_the_gap() -> None:
    fleet = Fleet(Zones(), path="geodesic", max_gap=60)
    single = Monitor(path="geodesic", max_gap=60, initial_fix_max_age=None)
    for holder in (fleet.conditions, single):
        holder.add(Circle(0, 0, 100), "home", policy="exact", assuming="unknown")

    def feed(latitude: float, time: int) -> None:
        fleet.feed("a", Fix(latitude, 0, time=time * SECOND))
        single.feed(Fix(latitude, 0, time=time * SECOND))

    feed(1, 1)
    for time, diagnostics in ((2, Diagnostics.AUTHORIZATION_DENIED), (3, Diagnostics(0))):
        fleet.set_host("a", diagnostics, time=time * SECOND)
        single.set_host(diagnostics, time=time * SECOND)
    feed(1, 100)  # outside, as the consumers know
    feed(0, 130)
    events = [(event.state, event.cause, event.follows_gap) for event in single.poll()]
    assert [(event.state, event.cause, event.follows_gap) for event in fleet.poll()] == events
    assert events[-1] == (State.SATISFIED, Cause.CROSSING, True)
