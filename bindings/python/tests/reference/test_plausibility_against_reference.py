"""Tests that a fleet gives the events of one monitor for each device on random tracks with jumps, wrong dates and
coarse fixes, however it is fed and moved. test_pairs_against_reference.py compares monitors with the reference.

FENCEPOST_SOAK=1 runs twenty times as many tracks.
"""

from __future__ import annotations

import os
import random
from typing import Any

import pytest
from conftest import SECOND

from fencepost import Circle, Fix, Fleet, Monitor, TransitionPolicy, Zones, geodesic
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
