"""Tests rows that name their table, and scan reports: for any division into micro-batches and shards, the events equal
those of a fleet with only one device, to which the device's rows are fed one by one."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from conftest import number_of_cases
from several_tables import SECOND, UUID, Row, Tables, alone, places, table, versions, walks

from fencepost import Beacon, Circle, Zones
from fencepost.errors import InvalidArgumentError

pytest.importorskip("numpy")
pyarrow = pytest.importorskip("pyarrow")

from fencepost._spark.feeding import Trust  # noqa: E402
from fencepost._spark.packed import WIDE_ROW_SCHEMA  # noqa: E402
from fencepost._spark.shard import Outcome, Rules, Shard, follow  # noqa: E402
from fencepost._spark.states import NARROW, UNCERTAIN, WIDE, empty, pack_state, unpack_state  # noqa: E402


def batch(rows: Iterable[Row], first: int) -> Any:
    listed = [(*row[:5], first + place, *row[5:]) for place, row in enumerate(rows)]
    columns = zip(*listed) if listed else [[]] * len(WIDE_ROW_SCHEMA)
    arrays = [pyarrow.array(column, field.type) for column, field in zip(columns, WIDE_ROW_SCHEMA)]
    return pyarrow.record_batch(arrays, schema=WIDE_ROW_SCHEMA)


def kept(shard: Shard) -> Shard:
    return unpack_state(*pack_state(shard, WIDE), WIDE)


def events(outcome: Outcome) -> list[Any]:
    names = ("device", "sequence", "identifier", "state", "date", "generation")
    found = []
    for each in outcome.events:
        for row in each.to_pylist():
            row["date"] = round(row["date"].timestamp() * SECOND)
            found.append(tuple(row[name] for name in names))
    return found


def followed(
    tables: Callable[[bytes | None], Zones], batches: list[list[Row]], delay_us: int, rules: Rules, to_us: int
) -> tuple[list[Any], dict[str, int]]:
    shard, next_us, watermark, latest = empty(WIDE), None, 0, 0
    found: list[Any] = []
    counts = dict.fromkeys(("accepted", "invalid", "late"), 0)
    for rows in [*batches, []]:
        if not rows:
            watermark = max(watermark, to_us)
        if rows or (next_us is not None and next_us <= watermark):
            outcome = follow(tables, kept(shard), [batch(rows, 0)], watermark, rules)
            shard, next_us = outcome.shard, outcome.next_us
            found += events(outcome)
            for name in counts:
                counts[name] += getattr(outcome.fed, name)
        latest = max([latest, *(row[4] for row in rows)])
        watermark = max(watermark, latest - delay_us)
    return sorted(found), counts


@pytest.mark.full
@pytest.mark.parametrize("seed", range(number_of_cases(2, 4, 8)))
def test_each_device_is_followed_by_the_table_of_its_row(seed: int) -> None:
    draw = random.Random(seed)
    tables = versions(seed)
    rows = walks(draw, list(tables))
    end = rows[-1][4] + 300 * SECOND
    want = alone(tables, rows, end)
    assert len({event[2] for event in want}) > 15
    assert {event[2][0] for event in want} == {"z", "n", "b"}
    for size, ordered in ((len(rows), False), (37, False), (1, True), (50, True), (200, True)):
        batches = [rows[begin : begin + size] for begin in range(0, len(rows), size)]
        found, counts = followed(tables.__getitem__, batches, 25 * SECOND, Rules(ordered, None), end)
        assert found == want, (seed, size, ordered)
        assert counts["late"] == 0 and counts["accepted"] + counts["invalid"] == len(rows)
        assert counts["invalid"] > 5
    # A device's events are the same as if no other device were in its shard.
    parts = {device: [row for row in rows if row[0] == device] for device in ("v0", "v1")}
    for device, own in parts.items():
        found, _ = followed(tables.__getitem__, [own[:30], own[30:]], 25 * SECOND, Rules(False, None), end)
        assert found == [event for event in want if event[0] == device]


@pytest.mark.full
@pytest.mark.parametrize("seed", range(number_of_cases(2, 3, 6)))
def test_doubted_rows_corroborate_each_other_across_tables(seed: int) -> None:
    draw = random.Random(seed)
    tables = versions(seed)
    left = dict[str, int]()
    rows: list[Row] = []
    for device, latitude, *rest in walks(draw, list(tables), steps=140):
        if left.get(device, 0) == 0 and draw.random() < 0.06:
            left[device] = draw.choice([1, 2, 12])
        away = left.get(device, 0) > 0
        left[device] = max(0, left.get(device, 0) - 1)
        rows.append((device, latitude if latitude == 95 else latitude + away, *rest))
    end = rows[-1][4] + 300 * SECOND
    trust = Trust(plausible_speed=40, corroboration_time=30)
    want = alone(tables, rows, end, **trust._asdict())
    assert len(want) > 15 and want != alone(tables, rows, end)
    doubted = set()
    for size, ordered in ((len(rows), False), (37, False), (1, True), (50, True)):
        batches = [rows[begin : begin + size] for begin in range(0, len(rows), size)]
        rules = Rules(ordered, None, trust=trust)
        found, counts = followed(tables.__getitem__, batches, 25 * SECOND, rules, end)
        assert found == want, (seed, size, ordered)
        assert counts["late"] == 0
        doubted.add(len(rows) - counts["accepted"] - counts["invalid"])
    assert len(doubted) == 1 and min(doubted) > 20


def test_devices_keep_their_states_for_places_that_stay() -> None:
    """If a device's rows name tables that differ only in conditions far from the device, the device's events are the
    same as with a single table."""
    first = places(3)
    far = [(f"far {number}", Circle(50 + number, 0, 100), "exact") for number in range(9)]
    tables: Tables = {None: table(first)}
    for listed in (first + far, first + far[:2]):
        one = table(listed)
        tables[one.version.digest] = one
    rows = walks(random.Random(9), list(tables))
    end = rows[-1][4] + 300 * SECOND
    plain = alone(tables, [(*row[:5], None, row[6]) for row in rows], end)
    found, _ = followed(tables.__getitem__, [rows[:100], rows[100:]], 25 * SECOND, Rules(False, None), end)
    assert found == plain and len(plain) > 60


def test_what_was_due_is_confirmed_by_the_table_before_whatever_comes_in_one_micro_batch() -> None:
    before, after = table([("z", Circle(0, 0, 100), "standard")]), table([])
    name = after.version.digest
    tables: Tables = {None: before, name: after}
    rows: list[Row] = [
        ("a", 1.0, 0.0, 5.0, 0, None, None),
        ("a", 0.0, 0.0, 5.0, 10 * SECOND, None, None),  # due at 30 s
        ("a", 1.0, 0.0, 5.0, 31 * SECOND, name, None),
    ]
    rules = Rules(True, None)
    for split in (0, 2, 3):
        found, _ = followed(tables.__getitem__, [rows[:split], rows[split:]], 0, rules, 31 * SECOND)
        assert [event[:4] for event in found] == [("a", 1, "z", "satisfied")], split
    # If the last fix comes one second earlier, the device moves to the new table before the event is confirmed, and the
    # new table does not contain the place.
    rows[2] = (*rows[2][:4], 30 * SECOND, *rows[2][5:])
    for split in (0, 2, 3):
        assert followed(tables.__getitem__, [rows[:split], rows[split:]], 0, rules, 31 * SECOND)[0] == []


def test_rows_of_a_table_that_cannot_be_had_are_skipped_and_counted() -> None:
    zone = table([("z", Circle(0, 0, 100), "exact")])
    name = zone.version.digest

    def tables(version: bytes | None) -> Zones:
        if version != name:
            raise InvalidArgumentError("the table cannot be read")
        return zone

    rows: list[Row] = [
        ("a", 0.0, 0.0, 5.0, 0, name, None), ("a", 1.0, 0.0, 5.0, SECOND, b"x" * 16, None),
        ("b", 0.0, 0.0, 5.0, SECOND, b"y" * 16, None), ("a", 2.0, 0.0, 5.0, 2 * SECOND, name, None),
    ]  # fmt: skip
    for is_ordered in True, False:
        found, counts = followed(tables, [rows], 0, Rules(is_ordered, None, skips_unknown=True), 9 * SECOND)
        assert [event[:4] + event[4:5] for event in found] == [
            ("a", 1, "z", "satisfied", 0), ("a", 2, "z", "unsatisfied", 2 * SECOND),
        ]  # fmt: skip
        assert counts == {"accepted": 2, "invalid": 2, "late": 0}
        with pytest.raises(InvalidArgumentError):
            followed(tables, [rows], 0, Rules(is_ordered, None), 9 * SECOND)


def test_a_table_is_asked_for_only_while_something_is_due_by_it() -> None:
    zones = {name: table([(name, Circle(0, 0, 100), "exact")]) for name in ("old", "new")}
    names = {name: zone.version.digest for name, zone in zones.items()}
    rules = Rules(True, None)
    first: Row = ("a", 0.0, 0.0, 5.0, 0, names["old"], None)
    shard = follow({names["old"]: zones["old"]}.__getitem__, empty(WIDE), [batch([first], 0)], 0, rules).shard
    assert shard.devices["version"].to_pylist() == [names["old"]]
    later: Row = ("a", 0.0, 0.0, 5.0, SECOND, names["new"], None)
    outcome = follow({names["new"]: zones["new"]}.__getitem__, shard, [batch([later], 0)], 0, rules)
    assert outcome.shard.devices["version"].to_pylist() == [names["new"]]
    # Without `skips_unknown`, a row whose table is missing ends the query.
    with pytest.raises(KeyError):
        follow({names["old"]: zones["old"]}.__getitem__, shard, [batch([later], 0)], 0, rules)


def test_the_absence_of_a_beacon_is_confirmed_though_nothing_more_comes() -> None:
    zones = table([("desk", Beacon(UUID, 1), "standard")])
    seen = json.dumps([{"uuid": UUID, "major": 1, "minor": 2}])
    rows: list[Row] = [("a", float("nan"), float("nan"), 0.0, 0, None, seen)]
    first = follow(lambda version: zones, empty(WIDE), [batch(rows, 0)], 0, Rules(True, None))
    assert [event[2:4] for event in events(first)] == [("desk", "satisfied")] and first.next_us == 30 * SECOND
    last = follow(lambda version: zones, kept(first.shard), [], 40 * SECOND, Rules(True, None))
    assert [event[2:5] for event in events(last)] == [("desk", "unsatisfied", 30 * SECOND)] and last.next_us is None


def test_states_are_widened_and_never_narrowed() -> None:
    from fencepost._spark.packed import ROW_SCHEMA

    zones = table(places(1))
    narrow = pyarrow.record_batch(
        [pyarrow.array([value], field.type) for value, field in zip(("a", 0.0, 0.0, 5.0, 0, 0), ROW_SCHEMA)],
        schema=ROW_SCHEMA,
    )
    shard = follow(lambda version: zones, empty(NARROW), [narrow], 0, Rules(False, None)).shard
    state = pack_state(shard, NARROW)
    assert state[0] == 1 and unpack_state(*state, NARROW) == shard
    wide = unpack_state(*state, WIDE)
    assert wide.held["version"].to_pylist() == [] == wide.held["beacons"].to_pylist()
    assert wide.devices["version"].to_pylist() == [None]
    with pytest.raises(InvalidArgumentError, match="refresh"):
        unpack_state(*pack_state(wide, WIDE), NARROW)
    with pytest.raises(InvalidArgumentError, match="format 5"):
        unpack_state(5, b"", b"", UNCERTAIN)


def test_versions_take_16_bytes_more_a_device() -> None:
    zones = table(places(2))
    name = zones.version.digest
    count = 10_000
    rows: list[Row] = [(f"vehicle-{number:08}", 20.0, number / 1000, 5.0, 0, name, None) for number in range(count)]
    shard = follow(lambda version: zones, empty(WIDE), [batch(rows, 0)], 0, Rules(True, None)).shard
    assert shard.devices.num_rows == count
    assert sum(map(len, pack_state(shard, True)[1:])) / count <= 150
