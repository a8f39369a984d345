"""Tests conditions with a timing at the limits: many repeats at once, a full queue, ends of the range, restarts."""

from __future__ import annotations

import random

import pytest

from fencepost import Beacon, Circle, Diagnostics, Fix, Monitor, Schedule, State, Timing, TransitionPolicy, Zones
from fencepost.errors import InvalidArgumentError, QueueFullError, SnapshotInvalidError

HERE = Circle(0, 0, radius=100)
BEACON = Beacon("f7826da6-4fa2-4e98-8024-bc5b71e0893e")
SECOND = 1_000_000
EARLIEST, LATEST = -62_135_596_800_000_000, 253_402_300_799_999_999


def here(second: float) -> Fix:
    return Fix(0, 0, accuracy=5, time=round(second * SECOND))


def test_ten_years_of_seconds_in_one_advance() -> None:
    monitor = Monitor(max_pending_events=10)
    monitor.add(HERE, "a", policy="exact", timing=Timing(repeat_every=1, repeat_limit=1_000_000))
    monitor.feed(here(0))
    monitor.advance(10 * 365 * 86_400 * SECOND)
    assert monitor.statistics().pending_events == 1_000_001
    with pytest.raises(QueueFullError):
        monitor.advance(11 * 365 * 86_400 * SECOND)
    dates = [event.date_us for event in monitor.events()]
    assert dates == [number * SECOND for number in range(1_000_001)]


def test_repeats_wait_in_a_full_queue() -> None:
    """An input that is refused changes nothing. The repeats that it would have made come with the next input."""
    monitor = Monitor(max_pending_events=1)
    monitor.add(HERE, "a", policy="exact", timing=Timing(repeat_every=10))
    monitor.feed(here(0))
    with pytest.raises(QueueFullError):
        monitor.advance(100 * SECOND)
    assert len(monitor.poll()) == 1
    monitor.advance(100 * SECOND)
    assert [event.date_us // SECOND for event in monitor.events()] == list(range(10, 101, 10))


@pytest.mark.parametrize("delivery", ["every", "first", "latest"])
def test_ends_of_the_range(delivery: str) -> None:
    timing = Timing(active=[(EARLIEST, EARLIEST + 1), (LATEST - 1, LATEST)], repeat_every=1e9, absent_after=1e9)
    monitor = Monitor(delivery=delivery)
    monitor.add(HERE, "a", policy="exact", timing=timing)
    monitor.advance(EARLIEST)
    assert monitor.next_deadline_us == EARLIEST + 1
    monitor.feed(Fix(0, 0, accuracy=5, time=LATEST - 1))
    monitor.advance(LATEST)
    assert [(event.state, event.date_us) for event in monitor.events()] == [(State.SATISFIED, LATEST - 1)]
    assert Diagnostics.INACTIVE in monitor.record("a").last_event.diagnostics and monitor.next_deadline is None
    for bad in ((EARLIEST - 1, 0), (0, LATEST + 1)):
        with pytest.raises(InvalidArgumentError):
            Schedule([bad])


def test_rewind_over_edges_and_restart_at_an_edge() -> None:
    timing = Timing(active=[(10 * SECOND, 20 * SECOND), (30 * SECOND, 40 * SECOND)], repeat_every=3)

    def told(restarts: bool) -> list[tuple[str, int]]:
        monitor = Monitor()
        monitor.add(HERE, "a", policy="exact", timing=timing)
        for second in (0, 5, 10, 15, 20, 30, 40, 12, 14, 20, 30, 31, 40):
            if monitor.clock_us is not None and second * SECOND < monitor.clock_us:
                monitor.rewind(second * SECOND)
            monitor.feed(here(second))
            if restarts:
                monitor = Monitor.restore(monitor.snapshot())
        return [(str(event.cause), event.date_us // SECOND) for event in monitor.events()]

    once = told(restarts=False)
    assert told(restarts=True) == once
    assert [date for cause, date in once if cause == "determination"] == [
        10,
        30,
        30,
    ]  # a rewind into an interval does not start it


def test_random_lives_and_snapshots() -> None:
    """A monitor that is restored after each call tells the same as one that is not."""
    for seed in range(40):
        print("seed", seed)
        chance = random.Random(seed)
        monitors = [
            Monitor(
                delivery=chance.choice(["every", "first", "latest"]),
                order=chance.choice(["add", "exits_first"]),
                **chance.choice([{}, {"path": "geodesic", "max_gap": 100}]),
                plausible_speed=chance.choice([None, 500]),
            )
        ]
        monitors.append(Monitor.restore(monitors[0].snapshot()))
        now = 1_772_000_000
        for _ in range(60):
            edges = sorted(chance.sample(range(now - 50, now + 200), 2 * chance.randint(0, 3)))
            timing = Timing(
                active=chance.choice([None, [(a * SECOND, b * SECOND) for a, b in zip(edges[::2], edges[1::2])]]),
                absent_after=chance.choice([None, 7]),
                repeat_every=chance.choice([None, 3]),
                max_events=chance.choice([None, None, 2]),
            )
            name, kind = chance.choice("ab"), chance.randrange(6)
            now += chance.randrange(20)
            place = chance.choice([0, 0.1])
            found = []
            for number, monitor in enumerate(monitors):
                if kind == 0:
                    monitor.ensure(HERE, name, policy="exact", timing=timing)
                elif kind == 1:
                    monitor.add(HERE, name, policy=TransitionPolicy.exact(), timing=timing)
                elif kind in (2, 3):
                    monitor.feed(Fix(place, 0, accuracy=5, time=now * SECOND))
                elif kind == 4:
                    monitor.advance(now * SECOND)
                else:
                    found.append([event.to_json() for event in monitor.poll()])
                    monitor.acknowledge()
                if number:
                    monitors[1] = Monitor.restore(monitor.snapshot())
            assert not found or found[0] == found[1]
            assert monitors[0].snapshot() == monitors[1].snapshot()


@pytest.mark.parametrize("max_gap", [None, 30])
def test_each_condition_has_its_own_hours(max_gap: float | None) -> None:
    """A monitor tells of each condition what a monitor with only this condition tells, also where edges coincide."""
    chance = random.Random(11)
    timings = {}
    for number in range(80):
        edges = sorted(chance.sample(range(120), 2 * chance.randint(1, 5)))
        timings[f"{number:02}"] = Timing(
            active=[(a * SECOND, b * SECOND) for a, b in zip(edges[::2], edges[1::2])],
            absent_after=chance.choice([None, 1]),
            repeat_every=chance.choice([None, 4]),
        )
    inputs = [(second, chance.choice([0, 0.1, None])) for second in sorted(chance.sample(range(130), 40))]

    def told(names: list[str]) -> list[tuple[int, str, str]]:
        path = {} if max_gap is None else {"path": "geodesic", "max_gap": max_gap}
        monitor = Monitor(initial_fix_max_age=2, **path)
        for name in names:
            monitor.add(HERE, name, policy="exact", timing=timings[name])
        for second, place in inputs:
            if place is None:
                monitor.advance(second * SECOND)
            else:
                monitor.feed(Fix(place, 0, accuracy=5, time=second * SECOND))
        return sorted((event.date_us, event.identifier, str(event.cause)) for event in monitor.events())

    together = told(list(timings))
    assert together == sorted(one for name in timings for one in told([name]))
    assert {"determination", "repeat", "timeout"} <= {cause for _, _, cause in together}


def test_a_table_and_other_objects_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="beacon conditions"):
        Zones().add(BEACON, "a", timing=Timing(max_events=1))
    monitor = Monitor(initial_fix_max_age=None)
    monitor.add(BEACON, "a", timing=Timing(max_events=1))
    with pytest.raises(SnapshotInvalidError, match="beacon conditions"):
        Zones.restore(monitor.snapshot())
    with pytest.raises(TypeError):
        Monitor().add(HERE, "a", timing=[(0, 1)])  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError):
        Timing(repeat_every=1, repeat_limit=1_000_001)
