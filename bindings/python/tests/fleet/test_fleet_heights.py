"""The law of fleets for conditions with a band of altitudes: each device gives the events of a monitor of its own.

A life is a random list of calls, which runs on a fleet and on one monitor for each device. FENCEPOST_SOAK=1 runs ten
times as many lives.
"""

from __future__ import annotations

import json
import math
import os
import random
from pathlib import Path
from typing import Any

import pytest

from fencepost import AltitudeBand, Circle, Corridor, Fix, Fleet, Monitor, Polygon, TransitionPolicy, Zones
from fencepost.errors import SnapshotInvalidError, TableMismatchError
from fencepost.types import Reason

SECOND = 1_000_000
START = 1_772_000_000 * SECOND
NAN = math.nan
DEVICES = ["d1", "d2", "d3"]
REFERENCES = ("ellipsoid", "mean_sea_level", "ground")
LIVES = 400 if os.environ.get("FENCEPOST_SOAK") == "1" else 40
METRE = 1 / 111_319.490793


def plain(**rest: Any) -> TransitionPolicy:
    return TransitionPolicy(**{"entry_margin": 0, "exit_margin": 0, "accuracy_factor": 0, **rest})


def random_band(chance: random.Random) -> AltitudeBand | None:
    if chance.random() < 0.15:
        return None
    low = 25.0 * chance.randint(-1, 8)
    high = low + chance.choice([0.25, 25, 75, 400])
    which = chance.random()
    low, high = (-math.inf if which < 0.15 else low), (math.inf if which > 0.85 else high)
    return AltitudeBand(low, high, min_reference=chance.choice(REFERENCES), max_reference=chance.choice(REFERENCES))


def random_policy(chance: random.Random) -> TransitionPolicy:
    return chance.choice(
        [
            TransitionPolicy.exact(),
            TransitionPolicy.standard(),
            TransitionPolicy.core_location(),
            plain(entry_dwell=15, exit_dwell=10, vertical_margin=20),
            plain(entry_dwell=0, exit_dwell=0, accuracy_factor=1),
            plain(entry_dwell=10, exit_dwell=10, dwell_policy="evidence"),
            plain(entry_dwell=5, exit_dwell=5, entry_probability=0.9, exit_probability=0.1),
        ]
    )


def random_shape(chance: random.Random) -> Any:
    east = chance.uniform(0, 600) * METRE
    kind = chance.random()
    if kind < 0.5:
        return Circle(0, east, radius=chance.uniform(20, 200))
    if kind < 0.8:
        size = chance.uniform(30, 150) * METRE
        ring = [(-size, east - size), (-size, east + size), (size, east + size), (size, east - size)]
        return Polygon(ring, order="latlon")
    return Corridor([(0, east - 100 * METRE), (0, east + 100 * METRE)], order="latlon", radius=chance.uniform(20, 80))


def random_fix(chance: random.Random, time: int) -> Fix:
    at = chance.choice([0, 30, 90, 110, 160, 400, 9000]) * METRE
    given: dict[str, Any] = {}
    if chance.random() < 0.85:
        given["altitude"] = chance.choice([25.0 * chance.randint(-1, 12), chance.uniform(-30, 320), NAN])
        given["vertical_accuracy"] = chance.choice([0, 0, 5, 30, 250, -1, NAN])
        given["geoid_height"] = chance.choice([50, 50, 50, NAN])
        given["ground_height"] = chance.choice([25, 25, 60, NAN])
    if chance.random() < 0.1:
        given["error_ellipse"] = (20, 5, 30)
    return Fix(at, chance.uniform(0, 600) * METRE, chance.choice([0, 0, 5, 40, 500]), time=time, **given)


class Life:
    """A fleet, and a monitor for each device. A monitor is created before the first condition."""

    def __init__(self, seed: int, folder: Path | None) -> None:
        self.chance = random.Random(f"heights of fleets {seed}")
        chance = self.chance
        self.options: dict[str, Any] = {"order": chance.choice(["add", "exits_first"])}
        if chance.random() < 0.5:
            self.options |= {"path": "geodesic", "max_gap": chance.choice([30, 300]), "max_speed": 300}
        if chance.random() < 0.3:
            self.options |= {"plausible_speed": 200, "corroboration_count": 2, "corroboration_time": 1}
        self.delivery = chance.choice(["every", "every", "first", "latest"])
        self.options["delivery"] = self.delivery
        self.zones, self.folder, self.time = Zones(), folder, START
        self.fleet = self.opened()
        self.monitors = {name: Monitor(initial_fix_max_age=None, **self.options) for name in DEVICES}
        self.names = [f"c{number}" for number in range(8)]
        self.count = 0

    def opened(self) -> Fleet:
        if self.folder is None:
            return Fleet(self.zones, **self.options)
        return Fleet(self.zones, name="life", store=self.folder, **self.options)

    def put(self, verb: str) -> None:
        name, shape, band = self.chance.choice(self.names), random_shape(self.chance), random_band(self.chance)
        policy, assuming = random_policy(self.chance), self.chance.choice(["unsatisfied", "unsatisfied", "unknown"])
        for holder in (self.zones, *self.monitors.values()):
            getattr(holder, verb)(shape, name, policy=policy, assuming=assuming, band=band)

    def step(self) -> None:
        chance, what = self.chance, self.chance.random()
        self.time += chance.choice([0, 1, 3, 10, 40]) * SECOND
        if what < 0.1:
            self.put(chance.choice(["add", "ensure"]))
        elif what < 0.13:
            name = chance.choice(self.names)
            holders: tuple[Zones | Monitor, ...] = (self.zones, *self.monitors.values())
            for holder in holders:
                if name in holder:
                    holder.remove(name)
        elif what < 0.18:
            self.fleet.advance(self.time)
            for monitor in self.monitors.values():
                monitor.advance(self.time)
        elif what < 0.2 and self.fleet.clock_us is None:
            device = chance.choice(DEVICES)
            if device in self.fleet and self.fleet[device].clock_us is not None:
                back = max(START, (self.fleet[device].clock_us or 0) - 20 * SECOND)
                self.fleet.rewind(back, device=device)
                self.monitors[device].rewind(back)
        elif what < 0.24:
            self.restart()
        elif what < 0.27 and self.delivery == "every":
            # A device leaves, and comes back as bytes.
            device = chance.choice(DEVICES)
            if device in self.fleet and self.fleet[device].clock_us is not None:
                saved = self.fleet.export([device], portable=chance.random() < 0.5)[0]
                self.fleet.remove_device(device)
                self.fleet.load({device: saved})
        elif what < 0.6:
            rows = [(chance.choice(DEVICES), random_fix(chance, self.time + row * SECOND)) for row in range(6)]
            self.time += 6 * SECOND
            self.feed_many(rows)
        else:
            device, fix = chance.choice(DEVICES), random_fix(chance, self.time)
            self.fleet.feed(device, fix)
            self.monitors[device].feed(fix)

    def feed_many(self, rows: list[tuple[str, Fix]]) -> None:
        def column(name: str) -> list[float]:
            found = [getattr(fix, name) for _, fix in rows]
            return [NAN if value is None else value for value in found]

        self.fleet.feed_many(
            device=[device for device, _ in rows],
            latitude=column("latitude"),
            longitude=column("longitude"),
            accuracy=column("accuracy"),
            time=[fix.time_us for _, fix in rows],
            altitude=column("altitude"),
            vertical_accuracy=[0 if math.isnan(v) else v for v in column("vertical_accuracy")],
            geoid_height=column("geoid_height"),
            ground_height=column("ground_height"),
        )
        for device, fix in rows:
            given = {name: getattr(fix, name) for name in ("altitude", "geoid_height", "ground_height")}
            uncertainty = fix.vertical_accuracy
            given["vertical_accuracy"] = 0 if uncertainty is None or math.isnan(uncertainty) else uncertainty
            alone = Fix(fix.latitude, fix.longitude, fix.accuracy, time=fix.time_us, **given)
            self.monitors[device].feed(alone)

    def restart(self) -> None:
        if self.folder is not None:
            self.fleet.close()
            self.fleet = self.opened()
        elif self.chance.random() < 0.5:
            self.fleet = self.fleet.fork()
        else:
            before = self.fleet.snapshot()
            self.fleet = Fleet.restore(before)
            self.zones = self.fleet.conditions
            assert self.fleet.snapshot() == before

    def compare(self) -> None:
        found: dict[str, list[str]] = {name: [] for name in DEVICES}
        for event in self.fleet.events():
            found[event.device].append(line(event))
            self.count += event.vertical_distance is not None
        for device, monitor in self.monitors.items():
            expected = [line(event) for event in monitor.events()]
            assert found[device] == expected, device
            if device not in self.fleet:
                continue
            # A fleet without a path explains a state by the last fix outside the safe region.
            is_exact = "path" in self.options or "plausible_speed" in self.options
            for name in self.zones:
                assert self.fleet[device].state(name) == monitor.state(name), (device, name)
                one, other = self.fleet[device].explain(name), monitor.explain(name)
                if is_exact:
                    assert one == other, (device, name, one, other)
                else:
                    ways = [(each.reason is Reason.DWELLING, each.reason is Reason.NO_HEIGHT) for each in (one, other)]
                    assert ways[0] == ways[1], (device, name, one, other)


def line(event: Any) -> str:
    """The event as text, without the numbers that a fleet gives in another way."""
    found = json.loads(event.to_json())
    for key in ("sequence", "generation", "position", "row", "device"):
        found.pop(key, None)
    return json.dumps(found, sort_keys=True)


@pytest.mark.parametrize("group", range(LIVES // 4))
def test_each_device_is_a_monitor(group: int, tmp_path: Path) -> None:
    count = 0
    for seed in range(4 * group, 4 * group + 4):
        (folder := tmp_path / str(seed)).mkdir()
        life = Life(seed, folder if seed % 3 == 0 else None)
        for _ in range(5):
            life.put("add")
        for step in range(60):
            life.step()
            try:
                life.compare()
            except AssertionError as error:
                raise AssertionError(f"seed {seed}, step {step}: {error}") from error
        count += life.count
        life.fleet.close()
    assert count > 0


def climbing(second: int, altitude: float | None, east: float = 0) -> Fix:
    given: dict[str, Any] = {} if altitude is None else {"altitude": altitude}
    return Fix(0, east * METRE, time=START + second * SECOND, **given)


def test_on_a_path_a_height_counts_that_was_fed_before_the_first_band() -> None:
    fleet, monitor = Fleet(Zones(), path="geodesic", max_gap=60), Monitor(path="geodesic", max_gap=60)
    for holder, feed in ((fleet.conditions, lambda fix: fleet.feed("a", fix)), (monitor, monitor.feed)):
        feed(climbing(0, 0))
        holder.add(Circle(0, 0, radius=100), "layer", policy="exact", assuming="unsatisfied", band=AltitudeBand(40, 60))
        feed(climbing(10, 100))
    found = [line(event) for event in fleet.events()]
    assert found == [line(event) for event in monitor.events()] and len(found) == 2


def test_heights_belong_to_one_device_and_one_copy() -> None:
    zones = Zones()
    zones.add(Circle(0, 0, radius=100), "c", policy=plain(entry_dwell=5, exit_dwell=5), band=AltitudeBand(40, 60))
    fleet = Fleet(zones)
    fleet.feed("a", climbing(0, 50))
    fork = fleet.fork()
    fleet.feed("a", climbing(1, 90))
    fleet.feed("b", climbing(1, None))
    assert fleet["a"].explain("c").vertical_distance == 30 and fork["a"].explain("c").vertical_distance == -10
    assert fleet["b"].explain("c").reason is Reason.NO_HEIGHT
    fleet.remove_device("a")
    fleet.feed("a", climbing(2, None))
    assert fleet["a"].explain("c").vertical_distance is None


@pytest.mark.parametrize("place", range(0, 200, 3))
def test_damaged_devices_are_refused_or_sound(place: int) -> None:
    zones = Zones()
    zones.add(Circle(0, 0, radius=100), "c", policy=plain(entry_dwell=5, exit_dwell=5), band=AltitudeBand(40, 60))
    fleet = Fleet(zones)
    fleet.feed("a", climbing(0, 50))
    fleet.feed("a", climbing(1, 90))
    saved = bytearray(fleet.export(["a"])[0])
    if place < len(saved):
        saved[place] ^= 0x55
        with pytest.raises((SnapshotInvalidError, TableMismatchError)):
            Fleet(zones).load({"a": bytes(saved)})
