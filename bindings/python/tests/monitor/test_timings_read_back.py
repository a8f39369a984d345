"""Tests that records, definitions and replays have the timings of their conditions."""

from __future__ import annotations

import copy
import pickle
import random
from itertools import pairwise
from typing import Any

import pytest

import fencepost
from fencepost import Beacon, Circle, Fix, Gate, Monitor, Polygon, Rule, Schedule, Timing, Zones
from fencepost.errors import InvalidArgumentError

SECOND = 1_000_000
EARLIEST, LATEST = -62_135_596_800_000_000, 253_402_300_799_999_999
HERE = Circle(0, 0, radius=100)
SQUARE = Polygon([(-0.01, -0.01), (-0.01, 0.01), (0.01, 0.01), (0.01, -0.01)], order="latlon", edges="planar")
BEACON = Beacon("f7826da6-4fa2-4e98-8024-bc5b71e0893e", 1)
KINDS = [HERE, SQUARE, BEACON]


def random_schedule(rng: random.Random, low: int = 0, high: int = 1_000_000_000) -> Schedule:
    """Up to 20 intervals, some of which touch, with or without an end of the schedule."""
    edges = sorted(rng.sample(range(low, high), 2 * rng.randint(0, 20)))
    intervals = list(zip(edges[::2], edges[1::2]))
    touching = [(end, start) for (_, end), (start, _) in pairwise(intervals) if rng.random() < 0.3]
    return Schedule(sorted(intervals + touching), until=rng.choice([None, high, LATEST]))


def random_timing(rng: random.Random, kind: Any) -> Timing:
    repeats = rng.random() < 0.5
    return Timing(
        active=random_schedule(rng) if rng.random() < 0.7 else None,
        absent_after=rng.choice([None, 1e-6, rng.randint(1, 10**9) / SECOND, 1e9]) if kind is not BEACON else None,
        repeat_every=rng.choice([1, rng.randint(SECOND, 10**12) / SECOND, 1e9]) if repeats else None,
        repeat_limit=rng.choice([1, 1000, 1_000_000]) if repeats else 1000,
        max_events=rng.choice([None, 1, 2**32 - 1]),
    )


def none_if_nothing(timing: Timing) -> Timing | None:
    return None if timing == Timing() else timing


def test_random_timings_come_back() -> None:
    seed = random.randrange(2**32)
    print("seed", seed)
    rng = random.Random(seed)
    monitor, zones = Monitor(), Zones()
    given: dict[str, Timing | None] = {}
    for number in range(200):
        kind = KINDS[number % 3]
        timing = random_timing(rng, kind)
        given[str(number)] = none_if_nothing(timing)
        monitor.add(kind, str(number), timing=timing)
        if kind is not BEACON:
            zones.add(kind, str(number), timing=timing)
    assert {record.identifier: record.timing for record in monitor.records()} == given
    assert {name: record.timing for name, record in monitor.items()} == given
    for name, definition in zones.items():
        assert definition.timing == given[name]
    again = Monitor.restore(monitor.snapshot())
    assert {record.identifier: record.timing for record in again.records()} == given
    assert {record.identifier: record.timing for record in monitor.fork().records()} == given


@pytest.mark.parametrize(
    "timing",
    [
        Timing(active=[]),
        Timing(active=Schedule([], until=LATEST)),
        Timing(active=[(EARLIEST, LATEST)]),
        Timing(active=Schedule([(EARLIEST, EARLIEST + 1), (LATEST - 1, LATEST)], until=LATEST)),
        Timing(active=[(2 * hour, 2 * hour + 1) for hour in range(10_000)], repeat_every=1e9, repeat_limit=1_000_000),
        Timing(active=[(hour, hour + 1) for hour in range(10_000)]),
        Timing(absent_after=0.000001),
        Timing(repeat_every=1.000001),
        Timing(max_events=2**32 - 1),
    ],
    ids=["never", "never-until", "always", "ends", "many", "touching", "absent", "repeat", "limited"],
)
def test_limits_come_back(timing: Timing) -> None:
    monitor, zones = Monitor(), Zones()
    for holder in (monitor, zones):
        holder.add(SQUARE, "a", timing=timing)
        assert holder["a"].timing == timing
        assert holder.ensure(SQUARE, "a", timing=holder["a"].timing) is False
    record = monitor.record("a")
    assert record is not None
    assert pickle.loads(pickle.dumps(record)) == record == copy.deepcopy(record)
    assert record.to_dict()["timing"] == timing.to_dict() == zones["a"].to_dict()["timing"]
    assert pickle.loads(pickle.dumps(zones["a"])).timing == timing


def test_conditions_without_a_timing_have_none() -> None:
    monitor = Monitor(path="geodesic", max_gap=200)
    monitor.add(HERE, "a", timing=Timing())
    monitor.add(Gate([(0, 0), (0, 1)], order="latlon", edges="geodesic"), "gate")
    monitor.add(Rule.any("a"), "rule")
    assert [record.timing for record in monitor.records()] == [None] * 3
    hours = Timing(active=[(0, 1)], max_events=3)
    monitor.add(Gate([(0, 0), (0, 1)], order="latlon", edges="geodesic"), "gate", timing=hours)
    monitor.add(Rule.any("a"), "rule", timing=hours)
    assert {record.identifier: record.timing for record in monitor.records()} == {
        "a": None,
        "gate": hours,
        "rule": hours,
    }


def test_the_schedule_is_the_one_that_was_taken_over() -> None:
    monitor, later = Monitor(), Timing(active=[(5, 6)])
    monitor.add(HERE, "a", timing=Timing(active=[(1, 2), (3, 4)]))
    assert monitor.ensure(HERE, "a", timing=later) is False
    assert monitor["a"].timing == later


def test_conditions_with_one_schedule_share_it() -> None:
    """A schedule of 10,000 intervals has about 1 MB, so 2,000 conditions must not have 2,000 copies."""
    hours = [Timing(active=[(3 * hour, 3 * hour + each) for hour in range(10_000)]) for each in (1, 2)]
    monitor = Monitor()
    for number in range(2_000):
        monitor.add(HERE, str(number), timing=hours[number % 2])
    schedules = [record.timing.active for record in monitor.records() if record.timing is not None]
    assert len(schedules) == 2_000 and len(set(map(id, schedules))) == 2
    assert len({id(record.timing.active) for record in monitor.values() if record.timing is not None}) == 2


# ----------------------------------------------------------------------- monitors that are made from another's records


def life(rng: random.Random) -> list[tuple[float, float]]:
    """Times and longitudes of fixes; an advance has no longitude."""
    now, found = 0.0, []
    for _ in range(rng.randint(5, 60)):
        now += rng.choice([0, 1, rng.uniform(0, 100)])
        found.append((round(now, 6), rng.choice([0.0, 0.0009, 0.0015, 0.02, float("nan")])))
    return found


def events_of(monitor: Monitor, moves: list[tuple[float, float]]) -> list[Any]:
    found: list[Any] = []
    for second, longitude in moves:
        time = round(second * SECOND)
        if longitude == longitude:
            monitor.feed(Fix(0, longitude, accuracy=5, time=time))
        else:
            monitor.advance(time)
        found += monitor.events()
    return [(each.identifier, each.state, each.cause, each.date_us, each.diagnostics, each.sequence) for each in found]


def test_a_synced_monitor_makes_the_same_events() -> None:
    seed = random.randrange(2**32)
    print("seed", seed)
    rng = random.Random(seed)
    told = 0
    for _ in range(150):
        one, two = Monitor(), Monitor()
        for number in range(rng.randint(1, 5)):
            timing = Timing(
                active=random_schedule(rng, 0, 10**9) if rng.random() < 0.7 else None,
                absent_after=rng.choice([None, 5, 60]),
                repeat_every=rng.choice([None, 1, 7.5]),
                max_events=rng.choice([None, 1, 5]),
            )
            one.add(rng.choice([HERE, SQUARE]), str(number), policy=rng.choice(["exact", "standard"]), timing=timing)
        if rng.random() < 0.5:
            one.add(Rule.any(one.identifiers[0]), "rule", policy="exact", timing=Timing(active=random_schedule(rng)))
        records = one.records()
        two.sync(records if rng.random() < 0.5 else {record.identifier: record for record in records})
        assert [record.timing for record in two.records()] == [record.timing for record in records]
        assert two.sync(one.records()).kept == len(records)
        moves = life(rng)
        expected = events_of(one, moves)
        assert events_of(two, moves) == expected
        told += len(expected)
    assert told > 1_000


def test_zones_take_the_records_of_a_monitor() -> None:
    monitor, zones = Monitor(), Zones()
    timing = Timing(active=[(0, 50 * SECOND), (100 * SECOND, 200 * SECOND)], absent_after=10, repeat_every=20)
    monitor.add(HERE, "a", policy="exact", timing=timing)
    monitor.add(SQUARE, "b", policy="exact")
    zones.sync(monitor.records())
    assert [zones["a"].timing, zones["b"].timing] == [timing, None]
    back = Monitor()
    back.sync(zones)
    assert [record.timing for record in back.records()] == [timing, None]
    moves = [(1.0, 0.0), (120.0, 0.0), (150.0, 0.02), (180.0, 0.0)]
    assert events_of(back, moves) == events_of(monitor, moves)


def test_a_mapping_of_records_is_a_source_with_timings_and_tags() -> None:
    """They were left out without a word."""
    monitor, timing = Monitor(path="geodesic", max_gap=60), Timing(max_events=3, active=[(0, 50 * SECOND)])
    monitor.add(HERE, "a", policy="exact", timing=timing, tag=7)
    monitor.add(fencepost.Gate([(0, 0), (0, 1)], order="latlon"), "gate", timing=timing, tag=8)
    monitor.add(fencepost.Rule.any("a"), "rule", timing=timing, tag=9)
    source = {"x": monitor["a"], "y": monitor["gate"], "z": monitor["rule"]}
    found = Monitor(source, path="geodesic", max_gap=60)
    assert [(record.identifier, record.timing, record.tag) for record in found.records()] == [
        ("x", timing, 7),
        ("y", timing, 8),
        ("z", timing, 9),
    ]
    # A table has no gate with a timing; the error names the condition.
    for mapping, name in ((source, "'y'"), ({"first": HERE, "of a table": monitor["gate"]}, "'of a table'")):
        with pytest.raises(InvalidArgumentError, match=name):
            Zones(mapping)
    with pytest.raises(fencepost.InputError, match="'gate': .*active") as raised:
        Zones(monitor)
    assert raised.value.position == 1
    monitor.remove("gate")
    assert [Zones(monitor)[name].timing for name in ("a", "rule")] == [timing, timing]


def test_a_timing_that_the_target_refuses_is_an_error() -> None:
    """The timing of a beacon was left out without a word."""
    monitor, zones = Monitor(), Zones()
    zones.add(HERE, "before")
    monitor.add(BEACON, "a", timing=Timing(max_events=1))
    fleet = fencepost.Fleet(zones, delivery="latest")
    with pytest.raises(InvalidArgumentError):
        zones.sync(monitor.records())
    assert zones.identifiers == ["before"] and len(fleet) == 0


# -------------------------------------------------------------------------------------------------------------- replays

FIXES = [Fix(0, longitude, accuracy=5, time=round(second * SECOND)) for second, longitude in
         [(0, 0.02), (10, 0), (20, 0), (60, 0.02), (100, 0), (130, 0), (300, 0.02)]]  # fmt: skip


def definitions() -> dict[str, dict[str, Any]]:
    return {
        "hours": {"timing": Timing(active=[(15 * SECOND, 50 * SECOND), (90 * SECOND, 110 * SECOND)])},
        "reminder": {"timing": Timing(repeat_every=10, repeat_limit=3)},
        "absent": {"timing": Timing(absent_after=5, active=[(30 * SECOND, 400 * SECOND)])},
        "once": {"timing": Timing(max_events=1)},
        "plain": {},
    }


def test_a_replay_of_a_monitor_is_that_of_its_definitions() -> None:
    monitor, zones = Monitor(), Zones()
    for name, options in definitions().items():
        monitor.add(HERE, name, policy="exact", **options)
        zones.add(HERE, name, policy="exact", assuming="unknown", **options)

    class Named:
        def __init__(self, identifier: str, timing: Timing | None = None) -> None:
            self.identifier, self.timing, self.condition, self.policy = identifier, timing, HERE, "exact"

    own = Monitor()
    own.sync([Named(name, **options) for name, options in definitions().items()])
    expected = []
    for fix in FIXES:
        own.feed(fix)
        expected += [(each.identifier, each.state, each.cause, each.date_us) for each in own.events()]
    assert {name for name, *_ in expected} == set(definitions())
    for holder in (monitor, zones):
        log = fencepost.replay(FIXES, holder)
        assert [(each.identifier, each.state, each.cause, each.date_us) for each in log] == expected
    fork = fencepost.replay(FIXES, monitor, path="geodesic", max_gap=200)
    assert any(str(each.cause) == "repeat" for each in fork)


def test_a_comparison_uses_the_timings() -> None:
    monitor = Monitor()
    monitor.add(HERE, "a", policy="exact", timing=Timing(active=[(0, 15 * SECOND)]))
    monitor.add(HERE, "b", policy="exact")
    log = fencepost.compare(FIXES, monitor, policies=["exact"])["exact"].log
    found = {name: [each.date_us for each in log if each.identifier == name] for name in "ab"}
    assert found["b"][0] == found["a"][0] == 0 and len(found["b"]) == len(FIXES) - 2
    assert found["a"][1:] == [10 * SECOND]
