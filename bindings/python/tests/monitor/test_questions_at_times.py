"""Tests questions about points at times: a condition contains a point only in the intervals of its schedule."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from conftest import SECOND

from fencepost import Circle, Fix, Monitor, Schedule, Timing, Zones
from fencepost.errors import InvalidArgumentError

numpy = pytest.importorskip("numpy")
pandas = pytest.importorskip("pandas")

NOW = 1_772_000_000
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def world(
    chance: random.Random, kind: type[Monitor] | type[Zones]
) -> tuple[Any, dict[str, list[tuple[int, int]] | None]]:
    """Circles around one place with random hours, and the hours of each; None for a circle without hours."""
    holder, hours = kind(), {}
    for index in range(chance.randint(1, 30)):
        edges = sorted(chance.sample(range(NOW, NOW + 1000), 2 * chance.randint(0, 5)))
        own = [(a * SECOND, b * SECOND) for a, b in zip(edges[::2], edges[1::2], strict=True)]
        name, draw = f"c{index}", chance.random()
        if draw < 0.2:
            timing = None
        elif draw < 0.4:
            timing = Timing(max_events=1, absent_after=10)
        else:
            timing = Timing(active=own, max_events=chance.choice([None, 1]))
        hours[name] = own if timing is not None and timing.active is not None else None
        holder.add(Circle(0, 0, chance.uniform(10, 1000)), name, timing=timing)
    return holder, hours


@pytest.mark.parametrize("kind", [Monitor, Zones])
def test_is_what_a_list_of_intervals_says(kind: type[Monitor] | type[Zones]) -> None:
    for seed in range(30):
        print("seed", seed)
        chance = random.Random(seed)
        holder, hours = world(chance, kind)
        edges = [edge for own in hours.values() for pair in own or () for edge in pair]
        rows = 300
        latitude = [chance.uniform(-0.01, 0.01) for _ in range(rows)]
        choices = [chance.randint(NOW, NOW + 1000) * SECOND for _ in range(5)] + edges + [edge - 1 for edge in edges]
        time = [chance.choice([None, *choices]) for _ in range(rows)]
        anyway = holder.containing(latitude, [0.0] * rows)
        expected = [
            [
                name
                for name in anyway[row]
                if time[row] is None or hours[name] is None or any(a <= time[row] < b for a, b in hours[name] or ())
            ]
            for row in range(rows)
        ]
        found = holder.containing(latitude, [0.0] * rows, time=time, distances=True, threads=chance.choice([1, 3]))
        assert [list(found[row]) for row in range(rows)] == expected
        stamps = pandas.Series([pandas.NaT if each is None else EPOCH + timedelta(microseconds=each) for each in time])
        found = holder.containing(latitude, [0.0] * rows, time=stamps.dt.tz_convert("Asia/Tokyo"))
        assert [list(found[row]) for row in range(rows)] == expected
        for row in range(0, rows, 20):
            assert holder.containing(latitude[row], 0, time=time[row]) == expected[row]
            when = None if time[row] is None else EPOCH + timedelta(microseconds=time[row] or 0)
            assert holder.containing(latitude[row], 0, time=when) == expected[row]


def test_what_is_exhausted_or_told_does_not_matter() -> None:
    monitor = Monitor()
    monitor.add(Circle(0, 0, 100), "a", policy="exact", timing=Timing(active=[(0, 100 * SECOND)], max_events=1))
    monitor.feed(Fix(0, 0, accuracy=5, time=0))
    assert len(monitor.poll()) == 1
    assert monitor.containing(0, 0, time=50 * SECOND) == ["a"]
    assert monitor.containing(0, 0, time=100 * SECOND) == []
    monitor.advance(500 * SECOND)
    assert monitor.containing(0, 0, time=50 * SECOND) == ["a"]
    assert monitor.containing(0, 0) == ["a"]
    assert monitor.containing(0, 0, altitude=5.0, time=100 * SECOND) == []


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns", "D", "M", "25ns"])
def test_units_of_columns(unit: str) -> None:
    monitor = Monitor()
    day = datetime(2026, 3, 1, tzinfo=UTC)
    monitor.add(Circle(0, 0, 100), "a", timing=Timing(active=Schedule([(day, day + timedelta(days=31))])))
    times = numpy.array(["2026-02-28", "2026-03-01", "2026-03-31", "2026-04-01", "NaT"], f"datetime64[{unit}]")
    found = monitor.containing([0.0] * 5, [0.0] * 5, time=times)
    assert [bool(found[row]) for row in range(5)] == [False, True, True, False, True]


@pytest.mark.parametrize(
    "column",
    [
        list,
        tuple,
        iter,
        lambda rows: numpy.array(rows, dtype=object),
        lambda rows: pandas.Series(rows, dtype=object),
    ],
)
def test_none_is_a_missing_time(column: Any) -> None:
    """In a row without a time, hours do not matter. Columns of fixes have no missing times."""
    monitor = Monitor()
    monitor.add(Circle(0, 0, 100), "a", timing=Timing(active=[(0, 10)]))
    found = monitor.containing([0.0] * 4, [0.0] * 4, time=column([5, None, 20, EPOCH]))
    assert [bool(found[row]) for row in range(4)] == [True, True, False, True]
    with pytest.raises(TypeError, match="row 1"):
        monitor.feed_many(latitude=[0.0] * 2, longitude=[0.0] * 2, time=column([5, None]))
    assert monitor.statistics().accepted_fixes == 0
    for other in (pandas.NA, "1970-01-01", 0.5, True):
        with pytest.raises(TypeError, match="row 1"):
            monitor.containing([0.0] * 2, [0.0] * 2, time=column([5, other]))


def test_what_is_refused() -> None:
    monitor = Monitor()
    monitor.add(Circle(0, 0, 100), "a", timing=Timing(active=[(0, 1)]))
    zeroes = [0.0, 0.0, 0.0]
    with pytest.raises(InvalidArgumentError, match="time has 2 rows, but latitude has 3"):
        monitor.containing(zeroes, zeroes, time=[0, 1])
    with pytest.raises(InvalidArgumentError, match="row 2: time is") as caught:
        monitor.containing(zeroes, zeroes, time=[0, None, 1 << 62])
    assert caught.value.position == 2
    with pytest.raises(InvalidArgumentError, match="row 1: the time is outside") as caught:
        monitor.containing(zeroes, zeroes, time=numpy.array([0, 1 << 60, 0], "datetime64[s]"))
    assert caught.value.position == 1
    with pytest.raises(InvalidArgumentError, match="naive"):
        monitor.containing(0, 0, time=datetime(2026, 1, 1))
    with pytest.raises(TypeError):
        monitor.containing(zeroes, zeroes, time=[0.5, 1, 2])  # type: ignore[list-item]
    with pytest.raises(TypeError):
        monitor.containing(0, 0, time="2026-01-01")  # type: ignore[call-overload]
