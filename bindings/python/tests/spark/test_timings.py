"""Tests conditions with timings, without Spark. For any division into micro-batches, the events of a stream equal those
of a fleet with only one device, and the events of a replay equal those of a monitor for each device."""

from __future__ import annotations

import random
from typing import Any

import pytest
from conftest import number_of_cases
from several_tables import SECOND, Tables, alone, places, walks

from fencepost import Fix, Monitor, Schedule, Timing, Zones
from fencepost.errors import InvalidArgumentError

pytest.importorskip("numpy")
pyarrow = pytest.importorskip("pyarrow")

from test_following import followed  # noqa: E402

from fencepost._spark import batch  # noqa: E402
from fencepost._spark.feeding import Trust  # noqa: E402
from fencepost._spark.packed import ROW_SCHEMA  # noqa: E402
from fencepost._spark.shard import Rules  # noqa: E402


def timed(seed: int, *, beacons: bool = True) -> list[tuple[str, Any, dict[str, Any]]]:
    """Conditions and the options with which they are added."""
    draw = random.Random(seed)
    found: list[tuple[str, Any, dict[str, Any]]] = []
    for identifier, condition, policy in places(seed):
        if identifier[0] == "b":
            found += [(identifier, condition, {})] * beacons
            continue
        edges = sorted(draw.sample(range(-50, 800), 2 * draw.randint(0, 4)))
        given: dict[str, Any] = {}
        if draw.random() < 0.6:
            given["active"] = Schedule([(a * SECOND, b * SECOND) for a, b in zip(edges[::2], edges[1::2])])
        for name, values in (("absent_after", [5, 40, 200]), ("repeat_every", [7, 60]), ("max_events", [1, 2, 9])):
            if draw.random() < 0.4:
                given[name] = draw.choice(values)
        options: dict[str, Any] = {"policy": policy, "assuming": draw.choice(["unknown", "unsatisfied", "satisfied"])}
        found.append((identifier, condition, {**options, **({"timing": Timing(**given)} if given else {})}))
    return found


def filled(into: Any, listed: list[tuple[str, Any, dict[str, Any]]]) -> Any:
    for identifier, condition, options in listed:
        into.add(condition, identifier, **options)
    return into


@pytest.mark.full
@pytest.mark.parametrize("seed", range(number_of_cases(2, 4, 8)))
def test_a_stream_follows_timings(seed: int) -> None:
    draw = random.Random(seed)
    tables: Tables = {None: filled(Zones(), timed(seed))}
    rows = walks(draw, [None], steps=50)
    end = rows[-1][4] + 300 * SECOND
    want = alone(tables, rows, end)
    assert len(want) > 50
    for size, ordered in ((len(rows), False), (37, False), (1, True), (80, True)):
        batches = [rows[begin : begin + size] for begin in range(0, len(rows), size)]
        found, counts = followed(tables.__getitem__, batches, 25 * SECOND, Rules(ordered, None), end)
        assert found == want, (seed, size, ordered)
        assert counts["late"] == 0


@pytest.mark.full
@pytest.mark.parametrize("seed", range(number_of_cases(2, 3, 6)))
def test_a_replay_follows_timings(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = timed(seed, beacons=False)
    conditions = filled(Zones(), listed)
    draw = random.Random(seed)
    tracks = {f"v{n}": [row[:5] for row in walks(draw, [None], 1) if row[6] is None] for n in range(4)}
    rows: list[Any] = []
    want: list[tuple[Any, ...]] = []
    for device, track in tracks.items():
        monitor = filled(Monitor(condition_limit=None, initial_fix_max_age=None), listed)
        for number, (_, latitude, longitude, accuracy, time) in enumerate(track):
            rows.append((device, latitude, longitude, accuracy, time, number))
            try:
                monitor.feed(Fix(latitude, longitude, accuracy=accuracy, time=time))
            except InvalidArgumentError:
                pass
        want += [(device, e.identifier, str(e.state), str(e.cause), e.date_us) for e in monitor.events()]
    arrays = [pyarrow.array(column, field.type) for column, field in zip(zip(*rows), ROW_SCHEMA)]
    table = pyarrow.record_batch(arrays, schema=ROW_SCHEMA)
    monkeypatch.setattr(batch, "shipped", lambda name: conditions)
    for size in (len(rows), 11):
        parts = (table.slice(begin, size) for begin in range(0, len(rows), size))
        found = [row for each in batch.replayed("", Trust())(parts) for row in each.to_pylist()]
        names = ("device", "identifier", "state", "cause")
        assert [(*(row[name] for name in names), round(row["date"].timestamp() * SECOND)) for row in found] == want
    assert {"timeout", "crossing"} <= {event[3] for event in want}


@pytest.mark.full
@pytest.mark.parametrize("seed", range(number_of_cases(2, 4, 8)))
def test_a_stream_whose_tables_change_follows_timings(seed: int) -> None:
    """The second table lacks places, has others, and lists the rest in another order with other timings."""
    draw = random.Random(seed)
    first, others = timed(seed), timed(seed + 10, beacons=False)
    tables: Tables = {None: filled(Zones(), first)}
    moved = filled(Zones(), [*((f"n{name}", *rest) for name, *rest in others[:8]), *others[8:14], *first[14:][::-1]])
    tables[moved.version.digest] = moved
    rows = walks(draw, list(tables), steps=50)
    end = rows[-1][4] + 300 * SECOND
    want = alone(tables, rows, end)
    assert len(want) > 50 and len({row[5] for row in rows}) == 2
    for size, ordered in ((len(rows), False), (37, False), (1, True), (80, True)):
        batches = [rows[begin : begin + size] for begin in range(0, len(rows), size)]
        found, counts = followed(tables.__getitem__, batches, 25 * SECOND, Rules(ordered, None), end)
        assert found == want, (seed, size, ordered)
        assert counts["late"] == 0
