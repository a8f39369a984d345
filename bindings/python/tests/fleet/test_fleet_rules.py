"""Tests the rules of fleets: events, states, stores, exported devices, refusals, and the command."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fencepost import (
    Beacon,
    BeaconSighting,
    Circle,
    Diagnostics,
    Fix,
    Fleet,
    Gate,
    Monitor,
    Notify,
    Rule,
    Timing,
    TransitionPolicy,
    Zones,
)
from fencepost.errors import InvalidArgumentError

DOCK = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"
SILENT = TransitionPolicy(
    entry_dwell=0, exit_dwell=0, entry_margin=0, exit_margin=0, accuracy_factor=0, notify=Notify(0)
)
SLOW = TransitionPolicy(entry_dwell=20, exit_dwell=30, entry_margin=0, exit_margin=0, accuracy_factor=0)
PLACES = {name: Circle(0, 0.002 * index, 150) for index, name in enumerate("abcd")}
RULES = {
    "two": Rule.at_least(2, "a", "b", "c"),
    "away": Rule.none("a", "b", "c", "d"),
    "slow": Rule.any("b", "d"),
    "deep": Rule.all("slow", "lost", "a"),
    "lost": Rule.none("missing", "d"),
}
Put = Callable[..., Any]


def fill(add: Put) -> None:
    """Adds the conditions in an order in which some parts come after the rules that have them."""
    for name, rule in RULES.items():
        policy: Any = SLOW if name == "slow" else "exact"
        add(rule, name, assuming="unknown" if name == "two" else "unsatisfied", policy=policy)
    for name, place in PLACES.items():
        add(place, name, assuming="unsatisfied", policy=SILENT if name == "c" else "exact")
    add(Circle(0, 0.5, 100), "missing", assuming="unsatisfied", policy="exact")


def walk(seed: int) -> list[tuple[str, Fix]]:
    """The fixes of three devices, in order of time."""
    chance = random.Random(seed)
    rows, longitude = [], {"x": 0.0, "y": 0.003, "z": 0.006}
    for step in range(240):
        device = chance.choice("xyz")
        longitude[device] = min(0.009, max(-0.003, longitude[device] + chance.uniform(-0.0015, 0.0015)))
        accuracy = chance.choice([0.0, 5.0, 400.0])
        rows.append((device, Fix(0.0001 * chance.random(), longitude[device], accuracy, time=step * 7_000_000)))
    return rows


def lines_of(events: Any) -> list[str]:
    return [event.to_json() for event in events]


def of_device(text: str, device: str) -> str:
    """The event of a monitor as that of a device."""
    return f'{{"device":"{device}",' + text[1:]


@pytest.mark.parametrize("options", [{}, {"path": "geodesic", "max_gap": 600}, {"order": "exits_first"}], ids=str)
@pytest.mark.parametrize("seed", range(6))
def test_a_fleet_gives_the_events_of_monitors(seed: int, options: dict[str, Any]) -> None:
    """Also if the fleet is restored, or its devices are moved, between the fixes."""
    monitors = {name: Monitor(initial_fix_max_age=None, **options) for name in "xyz"}
    for monitor in monitors.values():
        fill(monitor.add)
    zones = Zones()
    fill(zones.add)
    fleet = Fleet(zones, **options)
    expected: dict[str, list[str]] = {name: [] for name in "xyz"}
    found: dict[str, list[str]] = {name: [] for name in "xyz"}
    for index, (name, fix) in enumerate(walk(seed)):
        fleet.feed(name, fix)
        monitors[name].feed(fix)
        if index % 40 == 39:
            fleet.advance(fix.time_us + 3_000_000)
            for monitor in monitors.values():
                monitor.advance(fix.time_us + 3_000_000)
        for event in fleet.poll():
            found[event.device].append(event.to_json())
        fleet.acknowledge()
        for other, monitor in monitors.items():
            expected[other] += [of_device(line, other) for line in lines_of(monitor.poll())]
            monitor.acknowledge()
        if index % 50 == 20:
            fleet = Fleet.restore(fleet.snapshot())
            zones = fleet.conditions
        if index == 130:
            zones.remove("d")
            for monitor in monitors.values():
                monitor.remove("d")
        if index == 150:
            zones.add(PLACES["d"], "d", assuming="unsatisfied", policy="exact")
            for monitor in monitors.values():
                monitor.add(PLACES["d"], "d", assuming="unsatisfied", policy="exact")
        for rule in RULES:
            for other, monitor in monitors.items():
                if other in fleet:
                    assert fleet[other].state(rule) == monitor.state(rule), (index, rule, other)
    assert found == expected
    assert sum("decided_by" in line for lines in found.values() for line in lines) > 20


@pytest.mark.parametrize("seed", range(6))
def test_beacons_as_parts(seed: int) -> None:
    """A device sees beacons, hears nothing for a while, stops to scan, and is moved or restored with its fleet."""
    chance = random.Random(seed)
    options = {"beacon_exit_timeout": 20, "beacon_initial_timeout": 15}
    rules = {
        "at the dock": Rule.all("yard", "dock"),
        "away": Rule.none("yard", "dock", "gate"),
        "two": Rule.at_least(2, "yard", "dock", "gate"),
        "nested": Rule.any("away", "two"),
    }
    monitor = Monitor(initial_fix_max_age=None, **options)
    zones = Zones()
    for put in (zones.add, monitor.add):
        for name, rule in rules.items():
            put(rule, name, assuming="unknown" if name == "two" else "unsatisfied", policy="exact")
        put(Circle(0, 0, 200), "yard", assuming="unsatisfied", policy="exact")
        put(Beacon(DOCK, 1), "dock", assuming="unsatisfied", policy=SILENT)
        put(Beacon(DOCK, 2), "gate", assuming="unsatisfied", policy="exact")
    fleet = Fleet(zones, **options)
    expected: list[str] = []
    found: list[str] = []
    for step in range(300):
        time, choice = step * 6_000_000, chance.randrange(10)
        if choice < 5:
            fix = Fix(0, chance.choice([0, 0.001, 0.1]), time=time)
            fleet.feed("d", fix)
            monitor.feed(fix)
        elif choice < 8:
            sighting = BeaconSighting(DOCK, chance.randrange(1, 3), 1)
            fleet.feed_sightings("d", sighting, time=time)
            monitor.feed_sightings(sighting, time=time)
        elif choice == 8:
            is_on = chance.random() < 0.7
            fleet.set_scanning("d", is_on, time=time)
            monitor.set_scanning(is_on, time=time)
        else:
            fleet.advance(time)
            monitor.advance(time)
        found += lines_of(fleet.poll())
        fleet.acknowledge()
        expected += [of_device(line, "d") for line in lines_of(monitor.poll())]
        monitor.acknowledge()
        for rule in rules if "d" in fleet else ():
            assert fleet["d"].state(rule) == monitor.state(rule), (step, rule)
        if step == 100:
            fleet = Fleet.restore(fleet.snapshot())
        if step == 200:
            moved = fleet.export(["d"])[0]
            fleet = Fleet(fleet.conditions, **options)
            fleet.load({"d": moved})
    assert found == expected
    assert {str(json.loads(line)["decided_by"]) for line in found if "decided_by" in line} >= {"6", "7"}
    assert {json.loads(line)["identifier"] for line in found} > set(rules)


def test_devices_inside_of_a_rule() -> None:
    zones = Zones()
    fill(zones.add)
    fleet = Fleet(zones)
    fleet.feed("far", Fix(0, 0.1, time=1_000_000))
    fleet.feed("near", Fix(0, 0, time=2_000_000))
    assert [presence.device for presence in fleet.inside("away")] == ["far"]
    assert [presence.identifier for presence in fleet["near"].inside()] == ["lost", "a"]
    fleet.feed("near", Fix(0, 0.1, time=3_000_000))
    assert {presence.device for presence in fleet.inside("away")} == {"far", "near"}
    explained = str(fleet["near"].explain("away"))
    assert "parts" in explained and "a unsatisfied" in explained


def test_an_exported_device_keeps_its_rules() -> None:
    zones = Zones()
    fill(zones.add)
    one, other = Fleet(zones), Fleet(zones)
    one.feed("d", Fix(0, 0.002, time=1_000_000))  # in b: "slow" is determined at once
    one.feed("d", Fix(0, 0.1, time=10_000_000))  # "slow" waits for its exit dwell
    other.load({"d": one.export(["d"])[0]})
    one.advance(41_000_000)
    other.advance(41_000_000)
    ends = [[event.to_json() for event in fleet.poll() if event.identifier == "slow"][-1] for fleet in (one, other)]
    assert json.loads(ends[0])["state"] == "unsatisfied"
    assert json.loads(ends[0])["date"] == json.loads(ends[1])["date"] == "1970-01-01T00:00:40.000000Z"


def test_a_store_keeps_rules(tmp_path: Path) -> None:
    with Fleet(store=tmp_path, name="f") as fleet:
        fill(fleet.conditions.add)
        fleet.feed("d", Fix(0, 0.002, time=1_000_000))
        fleet.feed("d", Fix(0, 0.1, time=10_000_000))
    with Fleet(store=tmp_path, name="f") as fleet:
        assert fleet.conditions["deep"].condition == RULES["deep"]
        assert fleet.next_deadline is not None
        fleet.advance(40_000_000)
        assert [str(event.state) for event in fleet.poll() if event.identifier == "slow"] == [
            "satisfied",
            "unsatisfied",
        ]


def test_a_store_keeps_the_repeats_of_a_rule(tmp_path: Path) -> None:
    found = []
    for number in range(4):
        with Fleet(store=tmp_path, name="f") as fleet:
            if number == 0:
                fleet.conditions.add(Circle(0, 0, 100), "yard", policy="exact")
                timing = Timing(repeat_every=10, max_events=4)
                fleet.conditions.add(Rule.any("yard"), "here", policy="exact", timing=timing)
                fleet.feed("d", Fix(0, 0, time=1_000_000))
            fleet.advance(15_000_000 * (number + 1))
            found += [(event.identifier, str(event.cause), event.date_us) for event in fleet.poll()]
            fleet.acknowledge()
    seconds = 1_000_000
    assert [row for row in found if row[0] == "here"] == [
        ("here", "determination", seconds),
        *(("here", "repeat", (1 + 10 * n) * seconds) for n in (1, 2, 3)),
    ]


@pytest.mark.parametrize(
    ("first", "second", "word"),
    [
        ((Rule.any("b"), {}), (Gate([(0, 0), (0, 1)], order="latlon"), {}), "path"),
        ((Rule.any("b"), {}), (Rule.any("a"), {}), "cycle"),
    ],
    ids=["gate", "cycle"],
)
def test_what_a_table_refuses(first: tuple[Any, Any], second: tuple[Any, Any], word: str) -> None:
    zones = Zones()
    fleet = Fleet(zones)
    zones.add(first[0], "a", **first[1])
    before = zones.snapshot()
    with pytest.raises(InvalidArgumentError, match=word):
        zones.add(second[0], "b", **second[1])
    assert zones.snapshot() == before
    fleet.close()


@pytest.mark.parametrize("delivery", ["first", "latest"])
def test_other_deliveries_refuse_rules(delivery: str) -> None:
    zones = Zones()
    fleet = Fleet(zones, delivery=delivery)
    with pytest.raises(InvalidArgumentError, match="every"):
        zones.add(Rule.any("b"), "a")
    assert zones.identifiers == []
    fleet.close()
    ruled = Zones()
    ruled.add(Rule.any("b"), "a")
    with pytest.raises(InvalidArgumentError, match="every"):
        Fleet(ruled, delivery=delivery)


def test_limited_hosts_refuse_rules() -> None:
    zones = Zones()
    zones.add(Rule.any("b"), "a")
    fleet = Fleet(zones)
    with pytest.raises(InvalidArgumentError, match="rule"):
        fleet.set_host("d", Diagnostics.ACCURACY_LIMITED, time=1_000_000)
    zones.remove("a")
    fleet.set_host("d", Diagnostics.ACCURACY_LIMITED, time=1_000_000)
    with pytest.raises(InvalidArgumentError, match="capabilities"):
        zones.add(Rule.any("b"), "a")
