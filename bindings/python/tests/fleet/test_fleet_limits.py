"""Tests tables with a condition limit, and forks of fleets."""

from __future__ import annotations

import pickle
import random
from pathlib import Path
from typing import Any

import pytest

from fencepost import Circle, Fix, Fleet, Monitor, Zones
from fencepost.errors import InvalidArgumentError, TableMismatchError, UnsupportedError

SECOND = 1_000_000


def told(fleet: Fleet, device: str) -> list[str]:
    return [event.to_json() for event in fleet.events() if event.device == device]


def of_monitor(events: list[Any], device: str) -> list[str]:
    return [f'{{"device":"{device}",{event.to_json()[1:]}' for event in events]


@pytest.mark.parametrize("seed", range(4))
def test_a_fleet_under_a_limit_gives_the_events_of_a_monitor_for_each_device(seed: int) -> None:
    source = random.Random(seed)
    zones = Zones(condition_limit=2)
    fleet = Fleet(zones)
    monitors = {name: Monitor(condition_limit=2, initial_fix_max_age=None) for name in ("a", "b")}
    for name in monitors:
        fleet.feed(name, Fix(0, 1, time=0))
        monitors[name].feed(Fix(0, 1, time=0))
    count, found = 0, {name: list[str]() for name in monitors}
    expected = {name: list[str]() for name in monitors}
    for step in range(1, 120):
        kind = source.randrange(6)
        names = zones.identifiers
        if kind == 0 or not names:
            circle = Circle(0, source.uniform(0, 0.004), source.uniform(50, 200))
            count += 1
            for holder in (zones, *monitors.values()):
                holder.add(circle, f"z{count}", policy="exact", assuming="unsatisfied")
        elif kind == 1:
            gone = source.choice(names)
            for holder in (zones, *monitors.values()):
                del holder[gone]
        else:
            name = source.choice(["a", "b"])
            fix = Fix(0, source.uniform(0, 0.004), accuracy=0, time=step * SECOND)
            fleet.feed(name, fix)
            monitors[name].feed(fix)
        for event in fleet.events():
            found[event.device].append(event.to_json())
        for name, monitor in monitors.items():
            expected[name] += of_monitor(list(monitor.events()), name)
    assert found == expected
    assert sum('"unmonitored"' in line for line in found["a"]) > 5


def test_a_device_that_is_added_later_is_told_of_the_conditions_that_wait() -> None:
    zones = Zones(condition_limit=1)
    zones.add(Circle(0, 0, 100), "near", policy="exact")
    zones.add(Circle(0, 0, 200), "wide", policy="exact")
    fleet = Fleet(zones)
    fleet.feed("late", Fix(0, 0, time=SECOND))
    events = [
        (event.identifier, str(event.state), "condition_limit_exceeded" in event.to_json()) for event in fleet.events()
    ]
    assert events == [("wide", "unmonitored", True), ("near", "satisfied", False)]
    assert str(fleet["late"].explain("wide").reason) == "unmonitored"
    copy = Fleet.restore(fleet.snapshot())
    del copy.conditions["near"]
    copy.feed("late", Fix(0, 0, time=2 * SECOND))
    assert [(event.identifier, str(event.state)) for event in copy.events()] == [("wide", "satisfied")]


def test_a_stored_fleet_continues_under_the_limit(tmp_path: Path) -> None:
    with Fleet(Zones(condition_limit=1), store=tmp_path, name="cars") as fleet:
        fleet.conditions.add(Circle(0, 0, 100), "near", policy="exact")
        fleet.conditions.add(Circle(0, 0, 200), "wide", policy="exact")
        fleet.feed("a", Fix(0, 0, time=SECOND))
    for limit in (None, 2):
        with pytest.raises(TableMismatchError):
            Fleet(Zones(condition_limit=limit), store=tmp_path, name="cars")
    with Fleet(Zones(condition_limit=1), store=tmp_path, name="cars") as fleet:
        assert [(event.identifier, str(event.state)) for event in fleet.events()] == [
            ("wide", "unmonitored"),
            ("near", "satisfied"),
        ]
        del fleet.conditions["near"]
    with Fleet(Zones(condition_limit=1), store=tmp_path, name="cars") as fleet:
        fleet.feed("a", Fix(0, 0, time=2 * SECOND))
        assert [(event.identifier, str(event.state)) for event in fleet.events()] == [("wide", "satisfied")]


@pytest.mark.parametrize("limit", [0, -1, 1.5, "many", 1 << 70])
def test_a_limit_out_of_range_is_refused(limit: Any) -> None:
    with pytest.raises((InvalidArgumentError, TypeError, OverflowError)):
        Zones(condition_limit=limit)


def test_a_copy_of_a_table_keeps_its_limit_and_who_waits() -> None:
    zones = Zones(condition_limit=1)
    for name in ("a", "b", "c"):
        zones.add(Circle(0, 0, 100), name, policy="exact")
    copy = pickle.loads(pickle.dumps(zones))
    assert copy.version == zones.version
    fleets = [Fleet(table) for table in (zones, copy)]
    for table, fleet in zip((zones, copy), fleets):
        del table["a"]
        fleet.feed("car", Fix(0, 0, time=0))
    lines = [told(fleet, "car") for fleet in fleets]
    assert lines[0] == lines[1] and len(lines[0]) == 3
    # The version of a table depends on the order in which its conditions wait, so another history gives another
    # version.
    other = Zones(condition_limit=1)
    for name in ("b", "c"):
        other.add(Circle(0, 0, 100), name, policy="exact")
    assert other.version != zones.version


def test_a_fork_continues_by_itself() -> None:
    fleet = Fleet({"home": Circle(0, 0, 100)}, policy="exact", path="geodesic", max_gap=60)
    fleet.feed("a", Fix(0, 0, time=0))
    first = fleet.next_event()
    fork = fleet.fork()
    assert fork.conditions is fleet.conditions and fork.next_event() == first
    fork.feed("a", Fix(0, 1, time=SECOND))
    fork.feed("b", Fix(0, 0, time=SECOND))
    assert list(fleet) == ["a"] and fleet["a"].clock_us == 0 and fleet.next_event() is None
    assert [event.device for event in fork.events()] == ["a", "b"]
    fleet.feed("a", Fix(0, 1, time=2 * SECOND))
    assert [event.date_us for event in fleet.events()] != []
    fleet.conditions.add(Circle(0, 1, 100), "work", policy="exact")
    fork.feed("b", Fix(0, 1, time=90 * SECOND))
    assert "work" in [event.identifier for event in fork.events()]


def test_a_fork_of_a_stored_fleet_is_in_memory(tmp_path: Path) -> None:
    with Fleet({"home": Circle(0, 0, 100)}, policy="exact", store=tmp_path, name="cars") as fleet:
        fleet.feed("a", Fix(0, 0, time=0))
        fork = fleet.fork()
        fork.feed("only in the fork", Fix(0, 0, time=0))
    fork.feed("a", Fix(0, 1, time=SECOND))
    with Fleet(Zones(), store=tmp_path, name="cars") as again:
        assert list(again) == ["a"] and len(list(again.events())) == 1


def test_a_fleet_with_threads_has_no_forks() -> None:
    with pytest.raises(UnsupportedError):
        Fleet(Zones(), threads=2).fork()
