"""The law of fleets for conditions with a timing: each device gives the events of a monitor of its own.

A life is a random list of calls, which runs on two fleets over one table and on one monitor for each device. A fleet
begins a device at its own time, so a monitor is created when its device is, with the present conditions and the present
time of the fleet. The differences from a monitor are those that the documentation states: another schedule makes
another condition, and the flags of schedules give no events of their own.
"""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable
from typing import Any

import pytest
from conftest import number_of_cases

from fencepost import (
    Cause,
    Circle,
    Corridor,
    Fix,
    Fleet,
    Monitor,
    Notify,
    Polygon,
    Schedule,
    State,
    Timing,
    TransitionPolicy,
    Zones,
)
from fencepost.errors import InvalidArgumentError, LateInputError
from fencepost.types import Reason

SECOND = 1_000_000
START = 1_772_000_000
NAMES = ["a", "b", "c", "d", "e"]
DEVICES = ["d1", "d2", "d3"]

Call = tuple[Any, ...]


class Conditions:
    """The added conditions, by identifier, in add order."""

    def __init__(self) -> None:
        self.rows: dict[str, tuple[Any, dict[str, Any]]] = {}


def random_timing(chance: random.Random, now: int) -> Timing | None:
    if chance.random() < 0.2:
        return None
    active = None
    if chance.random() < 0.8:
        edges = sorted(chance.sample(range(now - 60, now + 240), 2 * chance.randint(0, 4)))
        active = Schedule(
            [(a * SECOND, b * SECOND) for a, b in zip(edges[::2], edges[1::2])],
            until=chance.choice([None, (now + 240) * SECOND]),
        )
    return Timing(
        active=active,
        absent_after=chance.choice([None, None, 1, 7, 30]),
        repeat_every=chance.choice([None, None, 3, 11]),
        repeat_limit=1000,
        max_events=chance.choice([None, None, None, 1, 2, 5]),
    )


def random_shape(chance: random.Random) -> Any:
    longitude = chance.choice([0, 0.0005, 0.002, 0.02, 3])
    radius = chance.choice([60, 100, 300])
    kind = chance.random()
    if kind < 0.7:
        return Circle(0, longitude, radius=radius)
    side = radius / 111_000
    if kind < 0.9:
        ring = [
            (-side, longitude - side),
            (-side, longitude + side),
            (side, longitude + side),
            (side, longitude - side),
        ]
        return Polygon(ring, order="latlon", edges="geodesic")
    return Corridor([(-side, longitude), (side, longitude)], radius, order="latlon", edges="geodesic")


def random_policy(chance: random.Random) -> TransitionPolicy:
    policy = chance.choice(["exact", "standard", "core_location"])
    if policy == "exact":
        return TransitionPolicy.exact()
    if policy == "core_location":
        return TransitionPolicy.core_location()
    return TransitionPolicy(
        entry_margin=chance.choice([0, 10]),
        exit_margin=chance.choice([0, 10]),
        entry_dwell=chance.choice([0, 5, 20]),
        exit_dwell=chance.choice([0, 5, 20]),
        dwell_policy=chance.choice(["timer", "evidence"]),
        notify=chance.choice([Notify.ALL, Notify.ENTRY | Notify.EXIT, Notify.INITIAL, Notify(0)]),
    )


def random_calls(seed: int, count: int) -> tuple[dict[str, Any], list[Call]]:
    """Returns the options of the fleets, and the calls of a life."""
    chance = random.Random(seed)
    options: dict[str, Any] = {"order": chance.choice(["add", "exits_first"])}
    if chance.random() < 0.3:
        options.update(plausible_speed=chance.choice([50, 5000]), corroboration_count=2, corroboration_time=0)
    timed = chance.choice([0.5, 0.9, 1])
    now, calls = START, []
    for _ in range(count):
        if chance.random() < 0.7:
            now += chance.choice([0, 1, 1, 2, 3, 5, 10, 40])
        device, fleet, draw = chance.choice(DEVICES), chance.randrange(2), chance.random()
        if draw < 0.14:
            condition = {
                "condition": random_shape(chance),
                "identifier": chance.choice(NAMES),
                "policy": random_policy(chance),
                "assuming": chance.choice(["unsatisfied", "unsatisfied", "unknown", "satisfied"]),
                "timing": random_timing(chance, now) if chance.random() < timed else None,
            }
            calls.append((chance.choice(["add", "ensure"]), condition))
        elif draw < 0.17:
            calls.append(("remove", chance.choice(NAMES)))
        elif draw < 0.27:
            calls.append(("advance", fleet, now))
        elif draw < 0.32:
            calls.append(("advance device", fleet, device, now))
        elif draw < 0.35:
            calls.append(("rewind device", fleet, device, now - chance.randrange(30)))
        elif draw < 0.365:
            calls.append(("rewind", fleet, now - chance.randrange(30)))
        elif draw < 0.39:
            calls.append(("restart", fleet))
        elif draw < 0.42:
            calls.append(("move", fleet, device, chance.random() < 0.5))
        elif draw < 0.435:
            calls.append(("remove device", fleet, device))
        elif draw < 0.46:
            calls.append(("fork", fleet))
        elif draw < 0.5:
            calls.append(("check", fleet))
        else:
            place = (chance.choice([0, 0, 0.0004, 0.0012, 0.005]), chance.choice([0, 0, 0.0005, 0.0005, 0.002, 0.02]))
            jitter = chance.choice([0, 1e-6, 1e-5])
            accuracy = chance.choice([0, 5, 5, 5, 400, -1])
            late = chance.random() < 0.03
            calls.append(
                ("feed", fleet, device, place[0] + jitter, place[1] + jitter, accuracy, now - (50 if late else 0))
            )
    return options, calls


class Life:
    """Two fleets over one table, and a monitor for each device."""

    def __init__(self, options: dict[str, Any], store: str | None) -> None:
        self.options, self.store = options, store
        self.zones = Zones()
        self.fleets = [self.open(number) for number in range(2)]
        self.monitors: list[dict[str, Monitor]] = [{}, {}]
        self.past: list[Callable[[Monitor], Any]] = []

    def open(self, number: int) -> Fleet:
        if self.store is None:
            return Fleet(self.zones, **self.options)
        return Fleet(self.zones, **self.options, store=self.store, name=f"f{number}", durability="every_input")

    def monitor(self, fleet: int, device: str) -> Monitor:
        known = self.monitors[fleet].get(device)
        if known is not None:
            return known
        # The fleet begins the device at the fleet's time.
        monitor = Monitor(initial_fix_max_age=None, **self.options)
        for change in self.past:
            change(monitor)
        if self.fleets[fleet].clock_us is not None:
            monitor.advance(self.fleets[fleet].clock_us)
        self.monitors[fleet][device] = monitor
        return monitor

    def everybody(self, change: Callable[[Monitor], Any]) -> None:
        self.past.append(change)
        for monitors in self.monitors:
            for monitor in monitors.values():
                change(monitor)

    def enters(self, fleet: int, device: str) -> Monitor:
        """A device of the fleet is added by its first input; its conditions begin then."""
        return self.monitor(fleet, device)

    def play(self, call: Call) -> list[str]:
        """Plays a call; returns the events of the monitors that it caused, as the fleet must hand them out."""
        kind = call[0]
        if kind in ("add", "ensure"):
            row = dict(call[1])
            condition, identifier = row.pop("condition"), row.pop("identifier")
            if kind == "ensure" and not self.zones.ensure(condition, identifier, **row):
                return []
            if kind == "add":
                self.zones.add(condition, identifier, **row)
            self.everybody(lambda monitor: monitor.add(condition, identifier, **row))
        elif kind == "remove":
            if self.zones.remove(call[1]):
                self.everybody(lambda monitor: monitor.remove(call[1]))
        elif kind == "feed":
            _, number, device, latitude, longitude, accuracy, second = call
            fix = Fix(latitude, longitude, accuracy=accuracy, time=second * SECOND)
            monitor = self.enters(number, device)
            self.both(lambda: self.fleets[number].feed(device, fix), lambda: monitor.feed(fix))
            if device not in self.fleets[number]:  # a refused first input adds no device
                del self.monitors[number][device]
                return []
            return self.told(number, [device])
        elif kind == "advance":
            _, number, second = call
            time = second * SECOND
            refused = self.outcome(lambda: self.fleets[number].advance(time))
            if refused is None:
                for monitor in self.monitors[number].values():
                    self.outcome(lambda m=monitor: m.advance(time))
                return self.told(number, list(self.fleets[number]), is_sorted=True)
        elif kind == "advance device":
            _, number, device, second = call
            if device not in self.fleets[number]:
                return []
            monitor = self.monitor(number, device)
            self.both(
                lambda: self.fleets[number].advance(second * SECOND, device=device),
                lambda: monitor.advance(second * SECOND),
            )
            return self.told(number, [device])
        elif kind == "rewind device":
            _, number, device, second = call
            clock = self.fleets[number].clock_us
            if device not in self.fleets[number] or (clock is not None and second * SECOND < clock):
                return []
            monitor = self.monitor(number, device)
            one = self.outcome(lambda: self.fleets[number].rewind(second * SECOND, device=device))
            other = self.outcome(lambda: monitor.rewind(second * SECOND))
            assert (one is None) == (other is None), (one, other)
            return self.told(number, [device])
        elif kind == "rewind":
            _, number, second = call
            if self.outcome(lambda: self.fleets[number].rewind(second * SECOND)) is None:
                for monitor in self.monitors[number].values():
                    if monitor.clock_us is not None and monitor.clock_us > second * SECOND:
                        monitor.rewind(second * SECOND)
                return self.told(number, list(self.fleets[number]))
        elif kind == "restart":
            self.restart(call[1])
        elif kind == "fork":
            if self.store is None:
                self.fleets[call[1]] = self.fleets[call[1]].fork()
        elif kind == "move":
            return self.move(*call[1:])
        elif kind == "remove device":
            _, number, device = call
            if device in self.fleets[number]:
                self.fleets[number].remove_device(device, drop_events=True)
                self.monitors[number].pop(device, None)
        elif kind == "check":
            self.compare(call[1])
        return []

    def restart(self, number: int) -> None:
        names = list(self.fleets[number])
        if self.store is not None:
            self.fleets[number].close()
            self.fleets[number] = self.open(number)
        else:
            bytes = self.fleets[number].snapshot()
            restored = Fleet.restore(bytes)
            assert restored.snapshot() == bytes
            fleet = Fleet(self.zones, **self.options)
            if self.fleets[number].clock_us is not None:
                fleet.advance(self.fleets[number].clock_us)
            fleet.load(dict(zip(names, restored.export(names))))
            self.fleets[number] = fleet
        assert list(self.fleets[number]) == names

    def move(self, number: int, device: str, portable: bool) -> list[str]:
        one, other = self.fleets[number], self.fleets[1 - number]
        if device not in one or device in other:
            return []
        if one[device].clock_us is None:
            return []
        monitor = self.monitors[number].pop(device)
        bytes = one.export([device], portable=portable)[0]
        one.remove_device(device, drop_events=True)
        other.load({device: bytes}, adapt=portable)
        self.monitors[1 - number][device] = monitor
        if other.clock_us is not None:
            self.outcome(lambda: monitor.advance(other.clock_us))
        return self.told(1 - number, [device])

    @staticmethod
    def outcome(call: Callable[[], Any]) -> str | None:
        try:
            call()
        except (InvalidArgumentError, LateInputError) as error:
            return type(error).__name__
        return None

    def both(self, one: Callable[[], Any], other: Callable[[], Any]) -> None:
        refused = self.outcome(one)
        assert refused == self.outcome(other), refused

    def told(self, number: int, devices: list[str], is_sorted: bool = False) -> list[str]:
        found: list[tuple[int, int, str]] = []
        for place, device in enumerate(devices):
            if device not in self.monitors[number]:
                continue
            for event in self.monitors[number][device].events():
                if event.cause != Cause.DIAGNOSTIC:
                    found.append((event.date_us or 0, place, line(device, event)))
        return [text for *_, text in (sorted(found, key=lambda each: each[:2]) if is_sorted else found)]

    def compare(self, number: int) -> None:
        fleet = self.fleets[number]
        for device in fleet:
            monitor = self.monitors[number][device]
            assert fleet[device].clock_us == monitor.clock_us, device
            # A monitor still lists the next edge of a condition that was removed.
            one, two = fleet[device].next_deadline_us, monitor.next_deadline_us
            assert one is None or (two is not None and two <= one), (device, "deadline", one, two)
            inside = []
            for name in self.zones:
                state = monitor.state(name)
                assert fleet[device].state(name) == state, (device, name)
                one, two = fleet[device].explain(name), monitor.explain(name)
                # A fleet explains a state by the last fix outside the safe region.
                sides = [(each.reason is Reason.INACTIVE, each.diagnostics, each.observed) for each in (one, two)]
                assert sides[0] == sides[1], (device, name, one, two)
                if state == State.SATISFIED:
                    inside.append(name)
            assert [presence.identifier for presence in fleet[device].inside()] == inside, device
        for name in self.zones:
            expected = [device for device in fleet if self.monitors[number][device].state(name) == State.SATISFIED]
            assert [presence.device for presence in fleet.inside(name)] == expected, name
        deadlines = [d for device in fleet if (d := fleet[device].next_deadline_us) is not None]
        found = fleet.next_deadline_us
        if deadlines:
            assert found is not None and found <= min(deadlines), "deadline of the fleet"


def line(device: str, event: Any) -> str:
    """The event as text, without the numbers that a fleet gives in another way."""
    found = json.loads(event.to_json())
    for key in ("sequence", "generation", "position", "row", "device"):
        found.pop(key, None)
    return f"{device} {json.dumps(found, sort_keys=True)}"


def play(options: dict[str, Any], calls: list[Call], stores: bool) -> int:
    """Plays a life; returns the number of its events."""
    with tempfile.TemporaryDirectory() as folder:
        life = Life(options, folder if stores else None)
        count = 0
        for step, call in enumerate(calls):
            expected = life.play(call)
            found = [line(event.device, event) for fleet in life.fleets for event in fleet.events()]
            assert found == expected, f"step {step}, {call}: {found} for {expected}"
            count += len(found)
        for number in range(2):
            life.compare(number)
        return count


def shrink(options: dict[str, Any], calls: list[Call], stores: bool) -> list[Call]:
    """Leaves out calls as long as the life fails."""

    def fails(tried: list[Call]) -> bool:
        try:
            play(options, tried, stores)
        except Exception:
            return True
        return False

    size = max(len(calls) // 2, 1)
    while True:
        start, shorter = 0, False
        while start < len(calls):
            tried = calls[:start] + calls[start + size :]
            if fails(tried):
                calls, shorter = tried, True
            else:
                start += size
        if size == 1 and not shorter:
            return calls
        size = max(size // 2, 1)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(number_of_cases(15, 40, 80)))
def test_each_device_is_a_monitor(seed: int) -> None:
    options, calls = random_calls(seed, 120)
    stores = seed % 3 == 0
    try:
        play(options, calls, stores)
    except Exception:
        few = shrink(options, calls, stores)
        for call in few:
            print(call)
        play(options, few, stores)
        raise


if __name__ == "__main__":  # python test_fleet_timings.py FIRST LAST: plays lives, and shrinks those that fail
    import sys

    failed = 0
    for number in range(int(sys.argv[1]), int(sys.argv[2])):
        chosen, life = random_calls(number, 120)
        try:
            play(chosen, life, number % 3 == 0)
        except Exception as error:
            failed += 1
            print("SEED", number, "".join(str(error))[:600], flush=True)
            if failed <= int(sys.argv[3]) if len(sys.argv) > 3 else 1:
                few = shrink(chosen, life, number % 3 == 0)
                print(chosen)
                for each in few:
                    print("  ", each)
                try:
                    play(chosen, few, number % 3 == 0)
                except Exception as reason:
                    print("  ->", type(reason).__name__, str(reason)[:1500], flush=True)
    print("failed", failed)
