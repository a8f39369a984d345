"""Tests that the engine and the reference doubt the same fixes of random tracks with jumps, wrong dates and coarse
fixes; and that a fleet gives the events of one monitor for each device, however it is fed and moved.

FENCEPOST_SOAK=1 runs twenty times as many tracks.
"""

from __future__ import annotations

import os
import random
from typing import Any

import pytest
from conftest import SECOND
from reference import ReferenceMonitor
from reference_adapter import reference_policy, same_event
from reference_values import Refused

from fencepost import Circle, Event, Fix, Fleet, Monitor, TransitionPolicy, Zones, geodesic
from fencepost.errors import FencepostError

ROUNDS = 20 if os.environ.get("FENCEPOST_SOAK") == "1" else 1
CENTRES = {"town": (47.56, 7.59), "antimeridian": (-17.0, 180.0), "pole": (89.9, 40.0)}
PATHS: dict[str, dict[str, Any]] = {
    "fixes": {},
    "path": {"path": "geodesic", "max_gap": 300},
    "limited path": {"path": "geodesic", "max_gap": 300, "max_speed": 40},
}
START = 1_700_000_000 * SECOND
Row = tuple[int, float, float, float]


def track(source: random.Random, centre: tuple[float, float]) -> list[Row]:
    """Fixes of a device that moves, and sometimes jumps, stays at a wrong place, or has a wrong date."""
    rows: list[Row] = []
    time, at, wrong, left = START, centre, centre, 0
    for _ in range(120):
        time += source.choice([0, 1, 1, 1, 5, 5, 20, 70]) * SECOND
        step = geodesic.direct(*at, source.uniform(-180, 180), source.uniform(0, 150))
        at = (step.latitude, step.longitude)
        if source.random() < 0.12:
            there = geodesic.direct(*at, source.uniform(-180, 180), source.choice([800, 3_000, 30_000, 9e6]))
            wrong, left = (there.latitude, there.longitude), source.choice([1, 1, 2, 3, 6, 12])
        place = wrong if left > 0 else at
        left -= 1
        accuracy = source.choice([0.0, 5.0, 5.0, 30.0, 400.0, 20_000.0, -1.0])
        date = time + source.choice([0] * 12 + [-3, -50] + [100] * (place is wrong)) * SECOND
        rows.append((date, *place, accuracy))
    return rows


def circles(source: random.Random, centre: tuple[float, float]) -> list[tuple[float, float, float]]:
    found = []
    for _ in range(12):
        there = geodesic.direct(*centre, source.uniform(-180, 180), source.uniform(0, 2_500))
        found.append((there.latitude, there.longitude, source.uniform(60, 900)))
    return found


def same(found: Event, expected: dict[str, Any]) -> None:
    """Asserts that two events are equal; an event on a path may differ by a microsecond and a tenth of a millimetre."""
    assert found.follows_gap == expected["gap"]
    if expected["evidence"] != "path":
        same_event(found, expected)
        return
    assert (found.identifier, str(found.state), str(found.cause), str(found.evidence)) == (
        expected["identifier"],
        expected["state"],
        expected["cause"],
        expected["evidence"],
    )
    assert abs((found.date_us or 0) - expected["date"]) <= 1
    assert abs((found.evidence_date_us or 0) - expected["evidence_date"]) <= 1
    place = geodesic.inverse(found.latitude, found.longitude, expected["latitude"], expected["longitude"])
    assert place.distance < 1e-4


def options_of(source: random.Random) -> dict[str, Any]:
    return {
        "plausible_speed": source.choice([20.0, 60.0, 300.0]),
        "corroboration_count": source.choice([2, 3, 5]),
        "corroboration_time": source.choice([0.0, 5.0, 60.0]),
        "order": source.choice(["add", "exits_first"]),
    }


@pytest.mark.parametrize("number", range(2 * ROUNDS))
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("world", CENTRES)
def test_engine_and_reference_doubt_the_same_fixes(world: str, path: str, number: int) -> None:
    source = random.Random(f"{world} {path} {number}")
    options = options_of(source) | PATHS[path]
    ours, theirs = Monitor(**options), ReferenceMonitor(**options)
    policies = [TransitionPolicy.exact(), TransitionPolicy.standard(), TransitionPolicy(entry_dwell=5, exit_dwell=5)]
    for index, circle in enumerate(circles(source, CENTRES[world])):
        policy = policies[index % 3]
        ours.add(Circle(*circle), f"c{index}", policy=policy, assuming="unsatisfied")
        theirs.add_circle(f"c{index}", *circle, policy=reference_policy(policy), assuming="unsatisfied")
    batched = ours.fork()
    rows = track(source, CENTRES[world])
    for time, latitude, longitude, accuracy in rows:
        mine = other = ""
        try:
            ours.feed(Fix(latitude, longitude, accuracy=accuracy, time=time))
        except FencepostError as error:
            mine = error.name
        try:
            theirs.feed_fix(time, latitude, longitude, accuracy)
        except Refused as refused:
            other = refused.status
        assert mine == other
        while (expected := theirs.next_event()) is not None:
            found = ours.next_event()
            assert found is not None
            same(found, expected)
        assert ours.next_event() is None
        doubt, known = ours.explain("c0").doubt, theirs.explain("c0")
        assert (doubt.corroborations if doubt else 0) == known["corroborations"]
        if doubt:
            assert doubt.distance == pytest.approx(known["doubted_distance"], abs=1e-6)
            assert doubt.seconds == known["doubted_seconds"]
    counters = theirs.statistics()
    assert ours.statistics().doubted_fixes == counters["doubted_fixes"] > 0
    assert ours.statistics().accepted_fixes == counters["accepted"]
    columns = dict(zip(("time", "latitude", "longitude", "accuracy"), map(list, zip(*rows))))
    counted = batched.feed_many(**columns)  # type: ignore[arg-type]
    assert counted.doubted == counters["doubted_fixes"]
    while batched.next_event() is not None:
        pass
    assert batched.snapshot() == ours.snapshot()


@pytest.mark.parametrize("number", range(2 * ROUNDS))
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("world", CENTRES)
def test_a_fleet_gives_the_events_of_its_monitors(world: str, path: str, number: int) -> None:
    source = random.Random(f"fleet {world} {path} {number}")
    options = options_of(source) | PATHS[path]
    table, monitors = Zones(), {name: Monitor(initial_fix_max_age=None, **options) for name in "abc"}
    for index, circle in enumerate(circles(source, CENTRES[world])):
        policy = TransitionPolicy.exact() if index % 2 else TransitionPolicy(entry_dwell=5, exit_dwell=5)
        table.add(Circle(*circle), f"c{index}", policy=policy)
        for monitor in monitors.values():
            monitor.add(Circle(*circle), f"c{index}", policy=policy, assuming="unsatisfied")
    fleet = Fleet(table, **options)
    rows = sorted(
        ((name, *row) for name in "abc" for row in track(source, CENTRES[world])), key=lambda row: source.random()
    )
    rows = [row for name in "abc" for row in rows if row[0] == name]
    by_name = {name: iter([row for row in rows if row[0] == name]) for name in "abc"}
    order = [row[0] for row in rows]
    source.shuffle(order)
    rows = [next(by_name[name]) for name in order]
    start = 0
    while start < len(rows):
        part = rows[start : start + source.choice([1, 1, 7, 60])]
        start += len(part)
        expected = []
        for row, (name, time, latitude, longitude, accuracy) in enumerate(part):
            try:
                monitors[name].feed(Fix(latitude, longitude, accuracy=accuracy, time=time))
            except FencepostError:
                pass
            expected += [(name, row, event.to_json()) for event in monitors[name].events()]
        if len(part) == 1:
            ((name, time, latitude, longitude, accuracy),) = part
            try:
                fleet.feed(name, Fix(latitude, longitude, accuracy=accuracy, time=time))
            except FencepostError:
                pass
        else:
            names = ("device", "time", "latitude", "longitude", "accuracy")
            fleet.feed_many(**dict(zip(names, map(list, zip(*part)))))  # type: ignore[arg-type]
        found = [
            (event.device, event.row, event.to_json().replace(f'{{"device":"{event.device}",', "{", 1))
            for event in fleet.events()
        ]
        assert found == expected
        for name in {row[0] for row in part if row[0] in fleet}:
            own, other = fleet[name].statistics(), monitors[name].statistics()
            assert (own.doubted_fixes, own.accepted_fixes, own.late_inputs) == (
                other.doubted_fixes,
                other.accepted_fixes,
                other.late_inputs,
            )
            assert fleet[name].explain("c0").doubt == monitors[name].explain("c0").doubt
        if source.random() < 0.1:
            fleet = Fleet.restore(fleet.snapshot()) if source.random() < 0.5 else fleet.fork()
        elif source.random() < 0.1 and "b" in fleet:
            (state,) = fleet.export(["b"], portable=source.random() < 0.5)
            fleet.remove_device("b")
            fleet.load({"b": state})
            assert fleet.export(["b"]) is not None
    assert fleet.statistics().doubted_fixes == sum(each.statistics().doubted_fixes for each in monitors.values())
