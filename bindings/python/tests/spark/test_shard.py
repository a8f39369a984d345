"""Tests a shard of a stream, without Spark. For any division into micro-batches and any number of shards, the events,
ordered by device and time, equal those of one fleet to which all rows were fed."""

from __future__ import annotations

import itertools
import random
import zlib
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from conftest import number_of_cases

from fencepost import Circle, Fix, Fleet, TransitionPolicy, Zones
from fencepost.errors import InvalidArgumentError

pytest.importorskip("numpy")
pyarrow = pytest.importorskip("pyarrow")

from fencepost._spark.arrow_events import EVENT_SCHEMA  # noqa: E402
from fencepost._spark.feeding import Trust  # noqa: E402
from fencepost._spark.packed import ROW_SCHEMA, pack, unpack  # noqa: E402
from fencepost._spark.shard import DEVICE_SCHEMA, Outcome, Rules, Shard, follow  # noqa: E402

SECOND = 1_000_000
Row = tuple[str, float, float, float, int]
HOLDS = Rules(ordered=False, expire_us=None)
ORDERED = Rules(ordered=True, expire_us=None)


def zones(random_: random.Random, count: int = 30) -> Zones:
    found = Zones()
    for number in range(count):
        place = random_.uniform(-0.01, 0.01), random_.uniform(-0.01, 0.01), random_.uniform(60, 400)
        found.add_many([f"z{number}"], *([value] for value in place))
    return found


def over(conditions: Zones) -> Callable[[Any], Zones]:
    return lambda version: conditions


def walks(random_: random.Random, devices: int = 7, steps: int = 60) -> list[Row]:
    """Returns rows in time order; some have no position, some have invalid values, and some have equal times."""
    places = {f"v{number}": [0.0, 0.0] for number in range(devices)}
    found: list[Row] = []
    for step, device in itertools.product(range(steps), places):
        place = places[device]
        for axis in (0, 1):
            place[axis] += random_.gauss(0, 0.001)
        odd = random_.random()
        accuracy = -1.0 if odd < 0.02 else random_.choice([0.0, 5.0, 40.0])
        latitude = 95.0 if 0.02 < odd < 0.04 else place[0]
        found.append((device, latitude, place[1], accuracy, (step * 10 + random_.choice([0, 0, 3])) * SECOND))
    return sorted(found, key=lambda row: row[4])


def batch(rows: Iterable[Row], first: int) -> Any:
    listed = [(*row, first + place) for place, row in enumerate(rows)]
    columns = zip(*listed) if listed else [[]] * len(ROW_SCHEMA)
    arrays = [pyarrow.array(column, field.type) for column, field in zip(columns, ROW_SCHEMA)]
    return pyarrow.record_batch(arrays, schema=ROW_SCHEMA)


def followed(
    conditions: Zones, batches: list[list[Row]], delay_us: int, shards: int, rules: Rules = HOLDS, to_us: int = 0
) -> tuple[list[Any], dict[str, int]]:
    """Follows a stream as Spark does: rows behind the watermark are late, and a shard is called when it has rows and
    when its timer fires."""
    states = [Shard()] * shards
    nexts: list[int | None] = [None] * shards
    counts = dict.fromkeys(("accepted", "invalid", "late", "doubted"), 0)
    found: list[Any] = []
    watermark, latest = 0, 0
    for rows in [*batches, [], []]:
        if not rows:
            latest = max(latest, to_us + delay_us)
            watermark = max(watermark, latest - delay_us)
        for number in range(shards):
            own = [row for row in rows if zlib.crc32(row[0].encode()) % shards == number]
            due = nexts[number]
            if not own and (due is None or due > watermark):
                continue
            # The rows come in two packs, the later pack first, as may happen after a shuffle.
            parts = [batch(own[: len(own) // 2], 0), batch(own[len(own) // 2 :], len(own))][::-1]
            outcome = follow(over(conditions), kept(states[number]), parts, watermark, rules)
            states[number], nexts[number] = outcome.shard, outcome.next_us
            assert outcome.next_us is None or outcome.next_us > watermark
            found += events(outcome)
            for name in counts:
                counts[name] += getattr(outcome.fed, name)
        latest = max([latest, *(row[4] for row in rows)])
        watermark = max(watermark, latest - delay_us)
    return sorted(found), counts


def kept(shard: Shard) -> Shard:
    """Converts a shard to the bytes of a checkpoint and back."""
    return Shard(unpack(pack(shard.devices), DEVICE_SCHEMA), unpack(pack(shard.held), ROW_SCHEMA))


def events(outcome: Outcome) -> list[Any]:
    rows = [row for each in outcome.events for row in each.to_pylist()]
    return [tuple((value is not None, value) for value in row.values()) for row in rows]


def expected(conditions: Zones, rows: Iterable[Row], to_us: int, trust: Trust | None = None) -> list[Any]:
    """Feeds the rows one by one, in the order of their times, to one fleet in memory, and returns its events."""
    fleet = Fleet(conditions, **(trust or Trust())._asdict())
    for device, latitude, longitude, accuracy, time in sorted(rows, key=lambda row: row[4]):
        try:
            fleet.feed(device, Fix(latitude, longitude, accuracy=accuracy, time=time))
        except InvalidArgumentError:
            pass
    fleet.advance(to_us)
    columns = fleet.events_columns()
    columns.pop("row")
    found = []
    for row in zip(*(columns[name] for name in EVENT_SCHEMA.names)):
        found.append(tuple((value is not None, value) for value in row))
    return sorted(found)


def in_batches(rows: list[Row], size: int) -> list[list[Row]]:
    return [rows[begin : begin + size] for begin in range(0, len(rows), size)]


@pytest.mark.full
@pytest.mark.parametrize("seed", range(number_of_cases(2, 4, 8)))
def test_events_do_not_depend_on_shards_and_micro_batches_nor_on_the_order_within_the_delay(seed: int) -> None:
    random_ = random.Random(seed)
    conditions, rows = zones(random_), walks(random_)
    end = rows[-1][4] + 200 * SECOND
    want = expected(conditions, rows, end)
    assert len(want) > 50
    delay = 35 * SECOND
    # The order of rows with equal times is kept: two fixes with the same time are reported in the source's order.
    late = sorted(((row[4] + random_.randrange(34) * SECOND), place) for place, row in enumerate(rows))
    seen: dict[tuple[str, int], int] = {}
    shuffled = []
    for at, place in late:
        key = rows[place][0], rows[place][4]
        seen[key] = max(at, seen.get(key, at))
        shuffled.append((seen[key], place))
    arrived = [rows[place] for _, place in sorted(shuffled)]
    for shards, size in ((1, len(rows)), (1, 17), (4, 50), (16, 1), (3, 200)):
        found, counts = followed(conditions, in_batches(arrived, size), delay, shards, to_us=end)
        assert found == want, (seed, shards, size)
        assert counts["late"] == 0 and counts["accepted"] + counts["invalid"] == len(rows)
        assert counts["invalid"] > 0


def jumping(random_: random.Random, rows: list[Row]) -> list[Row]:
    """Moves single rows far away, and several rows in a row of one device, which corroborate each other."""
    found, left = [], dict[str, int]()
    for device, latitude, *rest in rows:
        if left.get(device, 0) == 0 and random_.random() < 0.05:
            left[device] = random_.choice([1, 2, 9])
        away = left.get(device, 0) > 0
        left[device] = max(0, left.get(device, 0) - 1)
        found.append((device, latitude + away, *rest))
    return found


@pytest.mark.full
@pytest.mark.parametrize("seed", range(number_of_cases(2, 3, 6)))
def test_doubts_and_probabilities_do_not_depend_on_micro_batches(seed: int) -> None:
    """The doubted fixes of a device are in its exported state, so they corroborate each other across micro-batches."""
    random_ = random.Random(seed)
    conditions = Zones()
    certain = TransitionPolicy(entry_probability=0.8, exit_probability=0.2, accuracy_factor=0, entry_dwell=0)
    for number in range(30):
        circle = Circle(random_.uniform(-0.01, 0.01), random_.uniform(-0.01, 0.01), random_.uniform(60, 400))
        conditions.add(circle, f"z{number}", policy=certain if number % 2 else "exact")
    trust = Trust(plausible_speed=40, corroboration_time=30, accuracy_confidence=0.95, order="exits_first")
    rows = jumping(random_, walks(random_, steps=120))
    end = rows[-1][4] + 200 * SECOND
    want = expected(conditions, rows, end, trust)
    at = list(EVENT_SCHEMA.names).index("probability")
    assert {is_there for event in want for is_there, _ in [event[at]]} == {True, False}
    doubts = set()
    for size, shards, ordered in ((len(rows), 1, False), (1, 2, False), (60, 3, False), (1, 1, True), (90, 2, True)):
        rules = Rules(ordered, None, trust=trust)
        found, counts = followed(conditions, in_batches(rows, size), 35 * SECOND, shards, rules, end)
        assert found == want, (size, shards, ordered)
        assert counts["accepted"] + counts["invalid"] + counts["doubted"] == len(rows) and counts["late"] == 0
        doubts.add(counts["doubted"])
    assert len(doubts) == 1 and min(doubts) > 40
    assert (
        want != expected(conditions, rows, end) != expected(conditions, rows, end, trust._replace(plausible_speed=None))
    )
    assert want != expected(conditions, rows, end, trust._replace(order="add"))


def test_a_query_may_continue_with_another_plausible_speed() -> None:
    conditions = Zones()
    conditions.add_many(["depot"], [0], [0], [100], policy="exact")
    rows = [("a", 0.0, 0.0, 5.0, 0), ("a", 1.0, 0.0, 5.0, 10 * SECOND), ("a", 1.0, 0.0, 5.0, 20 * SECOND)]
    doubting = Rules(True, None, trust=Trust(plausible_speed=60))
    first = follow(over(conditions), Shard(), [batch(rows, 0)], 0, doubting)
    assert first.fed == (1, 0, 0, 2)
    later = batch([("a", 1.0, 0.0, 5.0, 75 * SECOND)], 0)
    for rules, fed, left in (
        (doubting, (1, 0, 0, 0), 1),  # the third doubted row in a row, a minute after the first one
        (ORDERED, (1, 0, 0, 0), 1),
        (Rules(True, None, trust=Trust(plausible_speed=60, corroboration_count=9)), (0, 0, 0, 1), 0),
        (Rules(True, None, trust=Trust(plausible_speed=2000)), (1, 0, 0, 0), 1),
    ):
        outcome = follow(over(conditions), kept(first.shard), [later], 0, rules)
        assert (outcome.fed, len(events(outcome))) == (fed, left)
        # The doubted rows of the third case are in the state, too: here they are enough.
        again = follow(
            over(conditions), kept(outcome.shard), [batch([("a", 1.0, 0.0, 5.0, 80 * SECOND)], 0)], 0, doubting
        )
        assert again.fed == (1, 0, 0, 0)


@pytest.mark.parametrize("size", [1, 40, 1000])
def test_rows_in_order_are_fed_at_once(size: int) -> None:
    random_ = random.Random(7)
    conditions, rows = zones(random_), walks(random_)
    end = rows[-1][4] + 200 * SECOND
    found, counts = followed(conditions, in_batches(rows, size), 60 * SECOND, 3, ORDERED, end)
    assert found == expected(conditions, rows, end) and counts["late"] == 0
    # Without a delay, most events are reported in the micro-batch that contains their row.
    outcome = follow(over(conditions), Shard(), [batch(rows, 0)], 0, ORDERED)
    assert len(events(outcome)) > len(found) * 0.9 and outcome.shard.held.num_rows == 0


def test_what_is_due_is_confirmed_by_the_watermark_alone_and_a_device_is_not_taken_beyond() -> None:
    conditions = Zones()
    conditions.add_many(["depot"], [0], [0], [100])
    rows = [("a", 1.0, 0.0, 5.0, 0), ("a", 0.0, 0.0, 5.0, 10 * SECOND)]
    first = follow(over(conditions), Shard(), [batch(rows, 0)], 0, ORDERED)
    assert first.events == [] and first.next_us == 30 * SECOND
    before = follow(over(conditions), first.shard, [], 29 * SECOND, ORDERED)
    assert before.events == [] and before.next_us == 30 * SECOND
    after = follow(over(conditions), first.shard, [], 50 * SECOND, ORDERED)
    (event,) = after.events[0].to_pylist()
    assert (event["device"], event["identifier"], event["date"].timestamp()) == ("a", "depot", 30)
    assert after.next_us is None
    # The device was advanced only to its deadline (30 s), so a row after the deadline is accepted even before the
    # watermark (50 s), but a row before the deadline is late.
    between = follow(
        over(conditions), after.shard, [batch([("a", 0.0, 0.0, 5.0, 40 * SECOND)], 0)], 50 * SECOND, ORDERED
    )
    assert between.fed == (1, 0, 0, 0)
    late = follow(over(conditions), after.shard, [batch([("a", 0.0, 0.0, 5.0, 20 * SECOND)], 0)], 50 * SECOND, ORDERED)
    assert late.fed == (0, 0, 1, 0)


def test_silent_devices_are_forgotten_at_a_time_of_their_own() -> None:
    rules = Rules(ordered=True, expire_us=60 * SECOND)
    conditions = zones(random.Random(1))
    rows = [("a", 0.0, 0.0, 5.0, 0), ("b", 0.0, 0.0, 5.0, 30 * SECOND)]
    first = follow(over(conditions), Shard(), [batch(rows, 0)], 0, rules)
    assert sorted(first.shard.devices["device"].to_pylist()) == ["a", "b"]
    quiet = first
    while quiet.next_us is not None and quiet.next_us <= 60 * SECOND:  # while dwells run
        quiet = follow(over(conditions), quiet.shard, [], quiet.next_us, rules)
    assert quiet.next_us == 60 * SECOND + 1
    assert len(follow(over(conditions), quiet.shard, [], 60 * SECOND, rules).shard.devices) == 2
    later = follow(over(conditions), quiet.shard, [], quiet.next_us, rules)
    assert later.shard.devices["device"].to_pylist() == ["b"]
    last = follow(over(conditions), later.shard, [], 10**15, rules)
    assert last.shard.devices.num_rows == 0 and last.next_us is None


@pytest.mark.filterwarnings("ignore:time .* 1970")
@pytest.mark.full
@pytest.mark.parametrize("seed", range(number_of_cases(2, 3, 6)))
def test_who_is_silent_for_long_comes_back_as_a_new_device_whatever_the_micro_batches(seed: int) -> None:
    random_ = random.Random(seed)
    conditions, expire = zones(random_), 45 * SECOND
    rows = [
        row for row in walks(random_, steps=120) if random.Random(f"{row[0]} {row[4] // (70 * SECOND)}").random() < 0.8
    ]
    end = rows[-1][4] + 200 * SECOND
    want, lives = [], 0
    for device in {row[0] for row in rows}:
        life: list[Row] = []
        own = sorted((row for row in rows if row[0] == device), key=lambda row: row[4])
        for row, after in itertools.zip_longest(own, own[1:]):
            life.append(row)
            if after is None or after[4] - row[4] > expire:
                want += expected(conditions, life, row[4] + expire)
                life, lives = [], lives + 1
    assert lives > 14
    for size, shards, ordered in ((len(rows), 1, False), (1, 2, False), (60, 3, False), (1, 1, True), (90, 2, True)):
        found, _ = followed(conditions, in_batches(rows, size), 35 * SECOND, shards, Rules(ordered, expire), end)
        assert found == sorted(want), (size, shards, ordered)
        device, sequence, date = (EVENT_SCHEMA.names.index(name) for name in ("device", "sequence", "date"))
        assert len({(event[device], event[sequence], event[date]) for event in found}) == len(found)


def test_a_changed_table_keeps_what_stays() -> None:
    before, after = Zones(), Zones()
    before.add_many(["depot", "yard"], [0, 0], [0, 0], [100, 200], policy="exact")
    after.add_many(["new", "depot"], [0, 0], [1, 0], [100, 100], policy="exact")
    inside = follow(over(before), Shard(), [batch([("a", 0.0, 0.0, 5.0, 0)], 0)], 0, ORDERED)
    assert len(events(inside)) == 2
    stays = follow(over(after), inside.shard, [batch([("a", 0.0, 0.0, 5.0, SECOND)], 0)], 0, ORDERED)
    assert stays.events == []
    leaves = follow(over(after), stays.shard, [batch([("a", 0.0, 1.0, 5.0, 2 * SECOND)], 0)], 0, ORDERED)
    reported = [
        (row["identifier"], row["state"], row["sequence"]) for each in leaves.events for row in each.to_pylist()
    ]
    assert sorted(reported) == [("depot", "unsatisfied", 4), ("new", "satisfied", 3)]


def test_a_device_that_is_nowhere_special_takes_less_than_150_bytes() -> None:
    conditions = zones(random.Random(2))
    count = 10_000
    rows = [(f"vehicle-{number:08}", 20.0, number / 1000, 5.0, 0) for number in range(count)]
    shard = follow(over(conditions), Shard(), [batch(rows, 0)], 0, ORDERED).shard
    assert shard.devices.num_rows == count
    assert len(pack(shard.devices)) / count <= 150
