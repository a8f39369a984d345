"""Tests the reorderer against a simple reference, and with hostile values."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from conftest import CONFORMANCE, number_of_cases

from fencepost import BeaconSighting, Circle, Fix, Fleet, Reorderer
from fencepost.errors import InvalidArgumentError

SECOND = 1_000_000
Row = tuple[int, int]
"""The time of an item in microseconds, and its place in the order of arrival."""


class Reference:
    """The definition, with a sorted list and without any other data structure."""

    def __init__(self, window: int, limit: int) -> None:
        self.window, self.limit = window, limit
        self.held: dict[str, list[Row]] = {}
        self.largest: dict[str, int] = {}

    def add(self, device: str, row: Row) -> list[Row]:
        self.held.setdefault(device, []).append(row)
        self.largest[device] = max(row[0], self.largest.get(device, row[0]))
        return self._released(device, self.limit)

    def advance(self, time: int, device: str | None = None) -> list[Row]:
        released = []
        for name in self._named(device):
            self.largest[name] = max(time, self.largest[name])
            released += self._released(name, len(self.held[name]))
        return sorted(released)

    def flush(self, device: str | None = None) -> list[Row]:
        found = self._named(device)
        released = sorted(row for name in found for row in self.held.pop(name))
        for name in found:
            del self.largest[name]
        return released

    def _named(self, device: str | None) -> list[str]:
        return [name for name in self.held if device is None or name == device]

    def _released(self, device: str, limit: int) -> list[Row]:
        rows = sorted(self.held[device])
        released = []
        while rows and (self.largest[device] >= rows[0][0] + self.window or len(rows) > limit):
            released.append(rows.pop(0))
        self.held[device] = rows
        if not rows:
            del self.held[device], self.largest[device]
        return released


@pytest.mark.parametrize("seed", range(60))
def test_items_come_out_as_in_the_definition(seed: int) -> None:
    generator = random.Random(seed)
    window, limit = generator.choice([0, 1, 7, 60, 10**9]), generator.choice([1, 2, 5, 1000])
    spread = generator.choice([0, 3, 30, 300])
    reorderer: Reorderer[Row] = Reorderer(timedelta(microseconds=window), limit)
    reference = Reference(window, limit)
    given, released = [], []
    for arrival in range(400):
        device = generator.choice("abc")
        jump = 10_000 if generator.random() < 0.01 else 0
        row = arrival // 2 + generator.randint(-spread, spread) + jump, arrival
        found = reorderer.add(row, time=row[0], device=device)
        assert found == reference.add(device, row)
        given.append(row)
        if generator.random() < 0.05:
            one = generator.choice(["a", "b", None])
            if generator.random() < 0.3:
                more, expected = reorderer.flush(one), reference.flush(one)
            else:
                time = arrival // 2 + generator.randint(0, 100)
                more, expected = reorderer.advance(time, one), reference.advance(time, one)
            assert more == expected
            found += more
        released += found
        assert len(reorderer) == len(given) - len(released)
        assert all(len(rows) <= limit for rows in reference.held.values())
    rest = reorderer.flush()
    assert rest == reference.flush()
    assert sorted(released + rest) == sorted(given), "each item comes out once"
    assert len(reorderer) == 0 and reorderer.devices == [] and reorderer.flush() == []


SCENARIOS = json.loads((CONFORMANCE / "Reorder" / "order.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario["name"])
def test_the_reference_agrees_with_the_conformance_scenarios(scenario: Any) -> None:
    """The reorderer plays the scenarios in tests/command/test_conformance.py, and Swift's in ReordererTests.swift."""
    options = scenario["reorder"]
    reference = Reference(round(options["window"] * SECOND), options.get("limit", 1000))
    names: list[str] = []
    for step in scenario["steps"]:
        device = step.get("device")
        if "add" in step:
            names.append(step["add"])
            rows = reference.add(device, (round(step["time"] * SECOND), len(names) - 1))
        elif "advance" in step:
            rows = reference.advance(round(step["advance"] * SECOND), device)
        elif "flush" in step:
            rows = reference.flush(device)
        elif "held" in step:
            assert sum(map(len, reference.held.values())) == step["held"]
            continue
        else:
            assert step["refused"] == "invalid_argument"  # the reference has no range of times
            continue
        assert [names[arrival] for _, arrival in rows] == step["released"], step


def test_there_are_scenarios() -> None:
    assert len(SCENARIOS) >= 20


@pytest.mark.parametrize("seed", range(20))
def test_items_within_the_window_come_out_sorted(seed: int) -> None:
    """Each item arrives less than the window after its time, so the sorter restores the order completely."""
    generator = random.Random(seed)
    times = [generator.randrange(500) for _ in range(500)]
    arrivals = sorted(range(500), key=lambda number: times[number] + generator.uniform(0, 50))
    reorderer: Reorderer[Row] = Reorderer(timedelta(microseconds=51))
    released = []
    for number, place in enumerate(arrivals):
        released += reorderer.add((times[place], number), time=times[place])
    assert released + reorderer.flush() == sorted((times[place], number) for number, place in enumerate(arrivals))


def test_equal_times_keep_the_order_of_arrival() -> None:
    reorderer: Reorderer[Any] = Reorderer(10)
    items = [object() for _ in range(5)]  # these cannot be compared with each other
    for item in items:
        assert reorderer.add(item, time=0) == []
    assert reorderer.add("later", time=10 * SECOND) == items


def test_a_jump_ahead_empties_the_window_and_older_items_pass_at_once() -> None:
    reorderer: Reorderer[str] = Reorderer(60)
    reorderer.add("first", time=0)
    assert reorderer.add("jump", time=10_000 * SECOND) == ["first"]
    assert reorderer.add("late", time=30 * SECOND) == ["late"]
    assert reorderer.flush() == ["jump"]


def test_a_limit_of_one_and_a_window_of_zero() -> None:
    one: Reorderer[int] = Reorderer(3600, limit=1)
    assert [one.add(second, time=second * SECOND) for second in (5, 3, 8)] == [[], [3], [5]]
    none: Reorderer[int] = Reorderer(0)
    assert [none.add(second, time=second * SECOND) for second in (5, 3, 8)] == [[5], [3], [8]]
    assert len(none) == 0 and none.devices == []


def test_the_ends_of_the_range_of_times() -> None:
    first, last = datetime(1, 1, 1, tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
    reorderer: Reorderer[str] = Reorderer(1e9)
    assert reorderer.add("first", time=first) == []
    assert reorderer.add("last", time=last) == ["first"]
    assert reorderer.add("again", time=first) == ["again"]
    assert reorderer.flush() == ["last"]


def test_time_that_passes_releases_the_items_of_silent_devices() -> None:
    reorderer: Reorderer[str] = Reorderer(10)
    for device, second in (("a", 3), ("b", 1), ("c", 30)):
        assert reorderer.add(device, time=second * SECOND, device=device) == []
    assert reorderer.advance(12 * SECOND, "a") == []
    assert reorderer.advance(13 * SECOND) == ["b", "a"]
    assert reorderer.devices == ["c"]
    assert reorderer.advance(13 * SECOND, "nobody") == [] and reorderer.flush("nobody") == []
    assert reorderer.flush("c") == ["c"]
    assert len(reorderer) == 0


@pytest.mark.full
def test_many_devices_with_one_item_are_forgotten() -> None:
    count = number_of_cases(200_000, 1_000_000, 1_000_000)
    reorderer: Reorderer[int] = Reorderer(10)
    for number in range(count):
        reorderer.add(number, time=number, device=number)
    assert len(reorderer) == len(reorderer.devices) == count
    assert reorderer.advance(20 * SECOND) == list(range(count))
    assert len(reorderer) == 0 and reorderer._devices == {}


def test_only_fixes_contain_their_times() -> None:
    reorderer: Reorderer[Fix | BeaconSighting] = Reorderer(10)
    late, fix = BeaconSighting("e2c56db5-dffb-48d2-b060-d0f5a71096e0", 1, 2), Fix(0, 0, 5, time=2 * SECOND)
    assert reorderer.add(fix) == reorderer.add(late, time=SECOND) == []
    assert reorderer.flush() == [late, fix]
    with pytest.raises(TypeError):
        reorderer.add(late)
    with pytest.raises(TypeError):
        Reorderer[Any](10).add("text")
    moment: Any = np.datetime64("2024-01-01T00:00:00")
    assert Reorderer[Any](10).add("text", time=moment) == []


@pytest.mark.parametrize("window", [-1, -1e-6, float("nan"), float("inf"), 1e10, timedelta(seconds=-1), timedelta.max])
def test_windows_out_of_range(window: Any) -> None:
    with pytest.raises(InvalidArgumentError):
        Reorderer(window)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((True,), TypeError),
        (("60",), TypeError),
        ((None,), TypeError),
        ((60, 0), InvalidArgumentError),
        ((60, -1), InvalidArgumentError),
        ((60, 1_000_001), InvalidArgumentError),
        ((60, 2.5), TypeError),
        ((60, True), TypeError),
    ],
)
def test_other_bad_arguments(arguments: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        Reorderer(*arguments)


# NumPy 2.5 and later warn of a "NaT" without a unit.
@pytest.mark.parametrize(
    "time",
    [float("nan"), 1.5, True, "now", datetime(2024, 1, 1), 10**30, 10**18, -(10**17), np.datetime64("NaT", "us")],
)
def test_bad_times_change_nothing(time: Any) -> None:
    reorderer: Reorderer[str] = Reorderer(10)
    reorderer.add("held", time=0)
    with pytest.raises((TypeError, InvalidArgumentError)):
        reorderer.add("bad", time=time)
    with pytest.raises((TypeError, InvalidArgumentError)):
        reorderer.advance(time)
    assert len(reorderer) == 1 and reorderer.flush() == ["held"]
    unhashable: Any = []
    with pytest.raises(TypeError):
        reorderer.add("bad", time=0, device=unhashable)
    assert len(reorderer) == 0


def test_durations_of_numpy_and_the_representation() -> None:
    assert repr(Reorderer(np.float64(2.5))) == repr(Reorderer(timedelta(seconds=2.5), np.int64(1000)))
    assert repr(Reorderer(60, limit=5)) == "Reorderer(window=60, limit=5)"
    assert Reorderer(60), "an empty reorderer is not false"


def test_late_fixes_of_a_phone_give_their_events() -> None:
    """The phone was offline, and sends its newest fix before the older ones."""
    arrived = [(0, 0.1), (300, 0.1), (100, 0.0), (200, 0.0), (400, 0.1)]

    def events(window: float) -> list[tuple[str, int]]:
        fleet = Fleet({"home": Circle(0, 0, 100)}, policy="exact")
        reorderer: Reorderer[Fix] = Reorderer(window)
        for second, longitude in arrived:
            for fix in reorderer.add(Fix(0, longitude, 5, time=second * SECOND), device="phone"):
                try:
                    fleet.feed("phone", fix)
                except ValueError:
                    pass  # the fix is late
        for fix in reorderer.flush("phone"):
            fleet.feed("phone", fix)
        return [(str(event.state), event.date_us // SECOND) for event in fleet.events() if event.date_us is not None]

    assert events(0) == []
    assert events(250) == [("satisfied", 100), ("unsatisfied", 300)]
