"""Tests conditions with limits of altitude and fixes with heights, without Spark. The events of a device equal those of
a monitor of its own to which its fixes are fed one by one."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from conftest import number_of_cases
from several_tables import pass_time

from fencepost import AltitudeBand, Circle, Fix, Fleet, Monitor, Timing, Zones
from fencepost.errors import InvalidArgumentError, LateInputError

pytest.importorskip("numpy")
pyarrow = pytest.importorskip("pyarrow")

from fencepost._spark import batch as batches  # noqa: E402
from fencepost._spark.feeding import Trust  # noqa: E402
from fencepost._spark.packed import (  # noqa: E402
    HIGH_ROW_SCHEMA,
    ROW_SCHEMA,
    UNCERTAIN_ROW_SCHEMA,
    WIDE_ROW_SCHEMA,
)
from fencepost._spark.shard import Rules, follow  # noqa: E402
from fencepost._spark.states import HIGH, NARROW, UNCERTAIN, WIDE, empty, pack_state, unpack_state  # noqa: E402

SECOND = 1_000_000
COLUMNS = ("device", "sequence", "identifier", "state", "cause", "date", "vertical_distance", "decided_by")
Heights = tuple[float, float, float, float]
NONE: Heights = (math.nan, 0.0, math.nan, math.nan)
Row = tuple[str, float, float, float, int, "bytes | None", Heights]
"""A row: device, latitude, longitude, accuracy, time, the digest of its table, and the altitude, its accuracy, and the
heights of the geoid and the ground."""


def listed(seed: int, count: int = 24) -> list[tuple[str, Circle, dict[str, Any]]]:
    """Circles and the options with which they are added; two of three have a band."""
    draw = random.Random(seed)
    found = []
    for number in range(count):
        circle = Circle(draw.uniform(-0.01, 0.01), draw.uniform(-0.01, 0.01), draw.uniform(200, 700))
        low, high = sorted((draw.uniform(0, 300), draw.uniform(0, 300)))
        below, above = (draw.choice(["ellipsoid", "mean_sea_level", "ground"]) for _ in range(2))
        limits = draw.choice([(low, high + 1), (low, math.inf), (-math.inf, high)])
        options: dict[str, Any] = {
            "policy": draw.choice(["exact", "standard"]),
            "assuming": draw.choice(["unknown", "unsatisfied", "satisfied"]),
            "band": AltitudeBand(*limits, min_reference=below, max_reference=above) if number % 3 else None,
        }
        found.append((f"z{number}", circle, options))
    return found


def zones(seed: int) -> Zones:
    return filled(Zones(), seed)


def filled(into: Any, seed: int) -> Any:
    for identifier, circle, options in listed(seed):
        into.add(circle, identifier, **options)
    return into


def walks(seed: int, versions: list[bytes | None], devices: int = 4, steps: int = 120) -> list[Row]:
    """Rows in time order; many lack a height, and some have an invalid one."""
    draw = random.Random(seed)
    places = {f"v{number}": [0.0, 0.0, 150.0] for number in range(devices)}
    version = dict.fromkeys(places, versions[0])
    found: list[Row] = []
    for step in range(steps):
        for device, place in places.items():
            place[0] += draw.gauss(0, 0.0012)
            place[1] += draw.gauss(0, 0.0012)
            place[2] += draw.gauss(0, 40)
            if draw.random() < 0.05:
                version[device] = draw.choice(versions)
            heights = [place[2], draw.choice([0.0, 3.0, 60.0]), draw.uniform(40, 50), draw.uniform(0, 30)]
            for which in range(4):
                if draw.random() < 0.1:
                    heights[which] = draw.choice([math.nan, math.inf, -math.inf, 1e300, -1.0])
            latitude = 95.0 if draw.random() < 0.02 else place[0]
            time = (step * 10 + draw.choice([0, 0, 3])) * SECOND
            accuracy = draw.choice([0.0, 5.0, 30.0])
            found.append((device, latitude, place[1], accuracy, time, version[device], tuple(heights)))  # type: ignore[arg-type]
    return sorted(found, key=lambda row: row[4])


def batch(rows: list[Row], first: int = 0) -> Any:
    listed = [
        (*row[:5], first + place, row[5], None, math.nan, math.nan, math.nan, *row[6]) for place, row in enumerate(rows)
    ]
    columns = zip(*listed) if listed else [[]] * len(HIGH_ROW_SCHEMA)
    arrays = [pyarrow.array(column, field.type) for column, field in zip(columns, HIGH_ROW_SCHEMA)]
    return pyarrow.record_batch(arrays, schema=HIGH_ROW_SCHEMA)


def fix(row: Row) -> Fix:
    names = ("altitude", "vertical_accuracy", "geoid_height", "ground_height")
    return Fix(row[1], row[2], accuracy=row[3], time=row[4], **dict(zip(names, row[6])))


def told(device: str, events: Any) -> list[tuple[Any, ...]]:
    return [
        (device, e.sequence, e.identifier, str(e.state), str(e.cause), e.date_us, e.vertical_distance, e.decided_by)
        for e in events
    ]


def read(events: list[Any]) -> list[tuple[Any, ...]]:
    found = []
    for each in events:
        for row in each.to_pylist():
            row["date"] = round(row["date"].timestamp() * SECOND)
            found.append(tuple(row[name] for name in COLUMNS))
    return found


def alone(seed: int, rows: list[Row], until: int | None) -> list[Any]:
    """The events of a monitor for each device, which passes its deadlines one by one up to a time."""
    found = []
    for device in sorted({row[0] for row in rows}):
        monitor = filled(Monitor(condition_limit=None, initial_fix_max_age=None), seed)
        for row in rows:
            if row[0] == device:
                try:
                    monitor.feed(fix(row))
                except (InvalidArgumentError, LateInputError):
                    pass
        while until is not None and (due := monitor.next_deadline_us) is not None and due <= until:
            monitor.advance(due)
        found += told(device, monitor.events())
    return sorted(found)


def followed(tables: dict[bytes | None, Zones], rows: list[Row], size: int, *, ordered: bool, end: int) -> list[Any]:
    shard, found, latest = empty(HIGH), [], 0
    for begin in [*range(0, len(rows), size), None]:
        part = [] if begin is None else rows[begin : begin + size]
        watermark = end if begin is None else max(0, latest - 25 * SECOND)
        outcome = follow(tables.__getitem__, shard, [batch(part)], watermark, Rules(ordered, None))
        shard = unpack_state(*pack_state(outcome.shard, HIGH), HIGH)
        latest = max([latest, *(row[4] for row in part)])
        found += read(outcome.events)
    return sorted(found)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(number_of_cases(2, 4, 8)))
def test_a_stream_follows_heights(seed: int) -> None:
    table = zones(seed)
    rows = walks(seed, [None])
    end = rows[-1][4] + 300 * SECOND
    want = alone(seed, rows, end)
    assert len(want) > 100 and sum(event[6] is not None for event in want) > 50
    flat = [(*row[:6], NONE) for row in rows]
    assert alone(seed, flat, end) != want
    for size, ordered in ((len(rows), False), (37, False), (1, True), (80, True)):
        assert followed({None: table}, rows, size, ordered=ordered, end=end) == want, (seed, size, ordered)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(number_of_cases(2, 4, 8)))
def test_a_stream_whose_tables_change_follows_heights(seed: int) -> None:
    """A table without a band is among the tables, as are bands that begin or end with the table."""
    plain = Zones()
    for identifier, circle, options in listed(seed):
        plain.add(circle, identifier, **{**options, "band": None})
    tables: dict[bytes | None, Zones] = {None: zones(seed)}
    for each in (plain, zones(seed + 100), *([Zones()] if seed else [])):
        tables[each.version.digest] = each
    rows = walks(seed, list(tables))
    end = rows[-1][4] + 300 * SECOND
    want: list[Any] = []
    for device in {row[0] for row in rows}:
        fleet, at = Fleet(tables[None]), None
        for row in (row for row in rows if row[0] == device):
            if row[5] != at:
                after = Fleet(tables[row[5]])
                if device in fleet:
                    pass_time(fleet, device, row[4] - 1)
                    want += told(device, fleet.events())
                    after.load({device: fleet.export([device], portable=True)[0]}, adapt=True)
                fleet, at = after, row[5]
            try:
                fleet.feed(device, fix(row))
            except (InvalidArgumentError, LateInputError):
                pass
        pass_time(fleet, device, end)
        want += told(device, fleet.events())
    assert len(want) > 60 and sum(event[6] is not None for event in want) > 20
    for size, ordered in ((len(rows), False), (37, False), (1, True), (80, True)):
        assert followed(tables, rows, size, ordered=ordered, end=end) == sorted(want), (seed, size, ordered)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(number_of_cases(2, 3, 6)))
def test_a_replay_follows_heights(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    table = zones(seed)
    rows = sorted(walks(seed, [None]), key=lambda row: (row[0], row[4]))
    monkeypatch.setattr(batches, "shipped", lambda name: table)
    want = alone(seed, rows, None)
    for size in (len(rows), 7):
        parts = (batch(rows[begin : begin + size]) for begin in range(0, len(rows), size))
        assert sorted(read(list(batches.replayed("", Trust())(parts)))) == want
    assert sum(event[6] is not None for event in want) > 40


@pytest.mark.parametrize("schema", [ROW_SCHEMA, WIDE_ROW_SCHEMA, UNCERTAIN_ROW_SCHEMA])
def test_a_stream_may_begin_to_have_heights_and_cannot_stop(schema: Any) -> None:
    form = {ROW_SCHEMA: NARROW, WIDE_ROW_SCHEMA: WIDE, UNCERTAIN_ROW_SCHEMA: UNCERTAIN}[schema]
    table, rows = zones(2), walks(2, [None])
    half = len(rows) // 2
    held = pyarrow.record_batch(batch(rows[:half]).columns[: len(schema)], schema=schema)
    shard = follow(lambda _: table, empty(form), [held], rows[half // 2][4], Rules(False, None))
    before = read(shard.events)
    later = unpack_state(*pack_state(shard.shard, form), HIGH)
    assert later.held.schema == HIGH_ROW_SCHEMA and later.held.num_rows > 10
    end = rows[-1][4] + 300 * SECOND
    outcome = follow(lambda _: table, later, [batch(rows[half:])], end, Rules(False, None))
    known = [(*row[:6], NONE) if place < half else row for place, row in enumerate(rows)]
    assert sorted(before + read(outcome.events)) == alone(2, known, end)
    for earlier in (NARROW, WIDE, UNCERTAIN):
        with pytest.raises(InvalidArgumentError, match="heights"):
            unpack_state(*pack_state(outcome.shard, HIGH), earlier)


def test_missing_heights_of_a_column_are_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """The heights of rows that an earlier checkpoint held back are null."""
    table = Zones()
    table.add(Circle(0, 0, 500), "low", policy="exact", band=AltitudeBand(0, 100))
    monkeypatch.setattr(batches, "shipped", lambda name: table)
    rows = [("a", 0.0, 0.0, 0.0, time * SECOND, None, NONE) for time in range(4)]
    part = batch(rows)
    altitudes = pyarrow.array([None, 50.0, None, 500.0])
    for name in ("vertical_accuracy", "geoid_height", "ground_height"):
        place = HIGH_ROW_SCHEMA.get_field_index(name)
        part = part.set_column(place, HIGH_ROW_SCHEMA.field(name), pyarrow.array([0.0, 0.0, 0.0, 0.0]))
    place = HIGH_ROW_SCHEMA.get_field_index("altitude")
    part = part.set_column(place, HIGH_ROW_SCHEMA.field("altitude"), altitudes)
    events = read(list(batches.replayed("", Trust())([part])))
    assert [(event[3], event[5], event[6]) for event in events] == [
        ("satisfied", SECOND, -50.0),
        ("unsatisfied", 3 * SECOND, 400.0),
    ]


def test_points_are_joined_by_their_heights(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(8)
    table = zones(8)
    monkeypatch.setattr(batches, "shipped", lambda name: table)
    odd = [None, math.nan, math.inf, -math.inf, 1e300]
    rows = []
    for _ in range(400):
        heights = [draw.choice([draw.uniform(-20, 400), draw.choice(odd)]) for _ in range(3)]
        rows.append((draw.uniform(-0.01, 0.01), draw.uniform(-0.01, 0.01), *heights))
    names = {"latitude": "y", "longitude": "x", "altitude": "h", "geoid_height": "N", "ground_height": "G"}
    columns = [pyarrow.array(column, pyarrow.float64()) for column in zip(*rows)]
    points = pyarrow.record_batch([*columns, pyarrow.array(range(len(rows)))], names=[*names.values(), "row"])

    def found(names: dict[str, str]) -> list[tuple[int, str]]:
        labels = [*points.schema.names, "identifier", "distance"]
        (answer,) = batches.joined("", names, labels, distances=True)(iter([points]))
        return sorted(zip(answer["row"].to_pylist(), answer["identifier"].to_pylist()))

    want = []
    for number, (y, x, *heights) in enumerate(rows):
        given = {name: math.nan if value is None else value for name, value in zip([*names][2:], heights)}
        want += [(number, identifier) for identifier in table.containing(y, x, **given)]
    assert found(names) == sorted(want)
    few = {what: names[what] for what in ("latitude", "longitude", "altitude")}
    assert len(want) < len(found(few)) < len(found({what: names[what] for what in ("latitude", "longitude")}))


@pytest.mark.parametrize("kind", ["int64", "us", "ns", "ms", "Asia/Tokyo"])
def test_points_are_joined_by_their_times(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """Times are microseconds or timestamps of any unit and zone; a point without a time ignores the hours."""
    table = Zones()
    table.add(Circle(0, 0, 100), "shop", timing=Timing(active=[(1000 * SECOND, 2000 * SECOND)]))
    table.add(Circle(0, 0, 200), "always")
    monkeypatch.setattr(batches, "shipped", lambda name: table)
    at = [None, 999 * SECOND, 1000 * SECOND, 1999 * SECOND, 2000 * SECOND, -62_135_596_800 * SECOND]
    if kind == "ns":
        at[-1] = -SECOND  # nanoseconds do not reach the year 1
    times = pyarrow.array(at, pyarrow.int64())
    if kind != "int64":
        unit, zone = ("us", kind) if "/" in kind else (kind, None)
        times = times.cast(pyarrow.timestamp("us", zone)).cast(pyarrow.timestamp(unit, zone))
    zeroes = pyarrow.array([0.0] * len(at))
    points = pyarrow.record_batch([zeroes, zeroes, times], names=["y", "x", "t"])
    names = {"latitude": "y", "longitude": "x", "time": "t"}
    (answer,) = batches.joined("", names, ["a.b", "b", "c", "identifier"], distances=False)(iter([points]))
    assert answer.schema.names == ["a.b", "b", "c", "identifier"]
    assert answer["c"].type == times.type
    want = [(index, name) for index, time in enumerate(at) for name in table.containing(0, 0, time=time)]
    assert [name for _, name in want].count("shop") == 3
    assert answer["identifier"].to_pylist() == [name for _, name in want]
    assert answer["c"].to_pylist() == [times[index].as_py() for index, _ in want]
