"""Tests how fixes are fed from Arrow streams: the result equals that of single fixes, columns are read in place, and
one batch is processed at a time."""

from __future__ import annotations

import math
import random
import struct
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest
from arrow_streams import (
    START_US,
    UTC_US,
    Spy,
    address,
    counts,
    one_by_one,
    outcome,
    reader_of,
    table_of,
    watching,
    way,
)
from conftest import SECOND, TRACKS, needs_shared, recorded_tracks

from fencepost import Circle, InputError, Monitor
from fencepost._files.track_files import read_track
from fencepost.errors import QueueFullError
from fencepost.types import FeedResult

pa = pytest.importorskip("pyarrow")
numpy = pytest.importorskip("numpy")


# Leaves out the tracks that test edge cases of parsers, because they have only a few fixes.
WAYS = [path for path in recorded_tracks("csv", "gpx") if not path.name.startswith("parser-edge")]


@pytest.mark.filterwarnings("ignore:time .* microseconds")  # one of the tracks has times in 1970
@pytest.mark.parametrize("path", WAYS[::3], ids=lambda path: path.name)
def test_real_tracks_give_what_single_fixes_give(path: Any) -> None:
    rows = list(read_track(path).fixes)
    expected = one_by_one(rows)
    generator = random.Random(path.name)
    for table in (table_of(rows), reader_of(table_of(rows), lambda: generator.randrange(300))):
        monitor = watching(rows)
        assert monitor.feed_many(table) == counts(expected[1])
        assert outcome(monitor) == expected
    assert len(expected[0]) > 5


@needs_shared()
@pytest.mark.parametrize(
    "name", ["car-i280-ublox", "car-i280-qcom", "ship-ais-north-sea-205316000", "seal-ross-sea-78S"]
)
def test_real_files_go_in_as_pyarrow_reads_them(name: str) -> None:
    csv = pytest.importorskip("pyarrow.csv")
    path = TRACKS / "csv" / f"{name}.csv"
    rows = list(read_track(path).fixes)
    table = csv.read_csv(path)
    monitor = watching(rows)
    monitor.feed_many(table)
    assert outcome(monitor) == one_by_one(rows)


@pytest.mark.parametrize("seed", range(8))
def test_any_batches_and_types_give_the_same(seed: int) -> None:
    generator = random.Random(seed)
    rows = way(400, generator)
    expected = one_by_one(rows)
    assert len(expected[0]) > 10, seed
    table = table_of(rows)
    time = table["time"]
    tables = [
        reader_of(table, lambda: generator.randrange(4)),
        pa.concat_tables([table.slice(0, 7), table.slice(7, 0), table.slice(7)]),
        table.set_column(3, "time", time.cast(pa.timestamp("s", "America/St_Johns"))),
        reader_of(table.set_column(3, "time", time.cast(pa.timestamp("ns", "UTC"))), lambda: 64),
        table.set_column(3, "time_us", time.cast("i8")),
        table.set_column(3, "t", time.cast("i8")),
        table.set_column(3, "utc_ms", pa.compute.divide(time.cast("i8"), 1000)),
        table.set_column(3, "time", pa.compute.divide(time.cast("i8"), SECOND).cast("u4")),
        table.set_column(3, "time", pa.compute.strftime(time, format="%Y-%m-%dT%H:%M:%SZ")),
        table.set_column(2, "accuracy", table["accuracy"].cast("f4")),
        table.set_column(2, "accuracy", table["accuracy"].cast("i2").dictionary_encode()),
        table.set_column(2, "accuracy", table["accuracy"].cast(pa.decimal128(8, 2))),
        table.append_column("note", pa.array(["some words that are longer than a view"] * 400, pa.string_view())),
    ]
    for number, given in enumerate(tables):
        monitor = watching(rows)
        result = monitor.feed_many(given)
        assert (result, outcome(monitor)) == (counts(expected[1]), expected), (seed, number)
    monitor = watching(rows)
    nanoseconds = table.set_column(3, "when_ns", pa.compute.multiply(time.cast("i8"), 1000))
    monitor.feed_many(nanoseconds, columns={"time": "when_ns"})
    assert outcome(monitor) == expected


def test_points_of_any_encoding() -> None:
    generator = random.Random(5)
    rows = way(200, generator)
    expected = one_by_one(rows)
    table = table_of(rows)
    points = [None if x is None else (x, y) for x, y in zip(table["lon"].to_pylist(), table["lat"].to_pylist())]
    rest = table.select(["accuracy", "time"])
    wkb = {
        "little": [p and struct.pack("<BIdd", 1, 1, *p) for p in points],
        "big": [p and struct.pack(">BIdd", 0, 1, *p) for p in points],
        "mixed": [p and struct.pack("<BIddd", 1, 1001, *p, 7) if i % 2 else p and struct.pack("<BIdd", 1, 1, *p)
                  for i, p in enumerate(points)],
        "srid": [p and struct.pack("<BIIdd", 1, 0x2000_0001, 4326, *p) for p in points],
    }  # fmt: skip
    pairs = pa.array([p if p is not None else ((i % 2 and None) or [None, None]) for i, p in enumerate(points)],
                     pa.list_(pa.float64(), 2))  # fmt: skip
    separate = pa.array([p and {"x": p[0], "y": p[1]} for p in points])
    columns: list[tuple[str, Any, dict[str, str]]] = [
        *((name, pa.array(values), {}) for name, values in wkb.items()),
        ("large", pa.array(wkb["little"], pa.large_binary()), {}),
        ("view", pa.array(wkb["little"], pa.binary_view()), {}),
        ("fixed", pa.array(wkb["little"], pa.binary(21)), {}),
        ("pairs", pairs, {}),
        ("separate", separate, {}),
    ]
    for name, column, _ in columns:
        marked = pa.field("p", column.type, metadata={
            "ARROW:extension:name": "geoarrow.point" if name in ("pairs", "separate") else "geoarrow.wkb"})  # fmt: skip
        for field, options in ((marked, {}), (pa.field("geom", column.type), {}),
                               (pa.field("where", column.type), {"columns": {"geometry": "where"}})):  # fmt: skip
            given = rest.append_column(field, column)
            monitor = watching(rows)
            monitor.feed_many(reader_of(given, lambda: generator.randrange(90)), **options)
            assert outcome(monitor) == expected, (name, field)


def test_columns_reach_the_engine_in_place() -> None:
    """The engine reads columns, and slices of columns, in the table's own memory without copying them."""
    rows = [(52.5, 13.4, 5.0, START_US + row) for row in range(1000)]
    whole = table_of(rows)
    monitor = Monitor()
    spy = Spy(monitor)
    for table in (whole, whole.slice(100, 50)):
        monitor.feed_many(table)
        assert spy.addresses.pop() == [address(table[name]) for name in ("lat", "lon", "accuracy", "time")]
    seconds = pa.table({"lat": whole["lat"], "lon": whole["lon"], "time": whole["time"].cast("i8")})
    monitor.feed_many(seconds)
    assert spy.addresses.pop() == [address(seconds[name]) for name in ("lat", "lon", "time")]
    points = pa.StructArray.from_arrays([whole["lon"].chunk(0), whole["lat"].chunk(0)], ["x", "y"])
    monitor.feed_many(pa.table({"point": points, "time": whole["time"]}))
    assert spy.addresses.pop() == [address(whole[name]) for name in ("lat", "lon", "time")]
    flat = pa.array([float(n % 90) for n in range(2000)])
    pairs = pa.table({"point": pa.FixedSizeListArray.from_arrays(flat, 2), "time": whole["time"]})
    monitor.feed_many(pairs)
    start = flat.buffers()[1].address
    assert spy.addresses.pop() == [start + 8, start, address(whole["time"])]


def test_a_large_table_takes_no_memory() -> None:
    rows = 1_000_000
    table = pa.table({
        "lat": numpy.full(rows, 52.5), "lon": numpy.full(rows, 13.4),
        "time": pa.array(numpy.arange(rows) + START_US).cast(UTC_US),
    })  # fmt: skip
    monitor = Monitor()
    monitor.feed_many(table.slice(0, 1))  # this call imports the modules, so that their memory is not measured
    for options in ({}, {"on_invalid": "raise"}):
        tracemalloc.start()
        result = monitor.feed_many(table.slice(1), **options)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert sum(result) == rows - 1 and peak < 200_000, (options, peak)


def test_memory_does_not_grow_with_the_stream() -> None:
    """Each batch is released before the next is requested."""
    allocated: list[int] = []
    size = 20_000

    def batches() -> Iterator[Any]:
        for number in range(60):
            allocated.append(pa.total_allocated_bytes())
            time = pa.array(range(START_US + number * size, START_US + (number + 1) * size), UTC_US)
            yield pa.record_batch({"lat": pa.array([52.5] * size), "lon": pa.array([13.4] * size), "time": time})

    schema = pa.schema({"lat": "f8", "lon": "f8", "time": UTC_US})
    monitor = Monitor()
    result = monitor.feed_many(pa.RecordBatchReader.from_batches(schema, batches()))
    assert result == FeedResult(60 * size, 0, 0)
    assert max(allocated[5:]) - allocated[0] < 5 * size * 24


def test_nulls() -> None:
    """A null accuracy means that the accuracy was not reported. A null position, a null time, and a position or
    accuracy of NaN make a row invalid."""
    table = pa.table({
        "lat": [0.0, None, 0.0, 0.0, 0.0, math.nan], "lon": [0.0, 0.0, 0.0, 0.0, None, 0.0],
        "accuracy": [None, 5.0, -1.0, math.nan, 1.0, 1.0], "time_us": [0, 1, 2, 3, 4, 5],
    })  # fmt: skip
    assert Monitor().feed_many(table) == FeedResult(1, 5, 0)
    for times, kind, name, expected in (
        ([None, 5, 6], "i8", "time_us", (2, 1, 0)),
        ([None, START_US, 1], "i8", "time_us", (1, 1, 1)),
        ([None, START_US, 1], "i8", "time", (1, 1, 1)),  # the magnitude of the numbers determines the unit
        ([None, START_US, 1], UTC_US, "time", (1, 1, 1)),
        ([None, START_US, 1], pa.timestamp("s", "UTC"), "time", (1, 2, 0)),  # the second value is beyond year 9999
        ([None, None, None], "i8", "time", (0, 3, 0)),
    ):
        given = pa.table({"lat": [0.0] * 3, "lon": [0.0] * 3, name: pa.array(times, kind)})
        assert Monitor().feed_many(given) == FeedResult(*expected), (times, kind, name)
    assert Monitor().feed_many(pa.table({"lat": [0.0], "lon": [0.0], "time": pa.nulls(1)})) == FeedResult(0, 1, 0)
    assert Monitor().feed_many(pa.table({"lat": pa.nulls(1), "lon": [0.0], "time": [1]})) == FeedResult(0, 1, 0)
    empty = pa.table({"lat": pa.array([], "f8"), "lon": pa.array([], "f8"), "time": pa.array([], UTC_US)})
    assert Monitor().feed_many(empty) == FeedResult(0, 0, 0)


def test_a_full_queue_names_the_row_of_the_stream() -> None:
    """The rows before the error were fed; the other rows can be fed later, as with columns."""
    rows = [(0.0, 0.01 * (row % 2), 5.0, START_US + row * SECOND) for row in range(40)]

    def monitor() -> Monitor:
        found = Monitor(max_pending_events=10)
        found.add(Circle(0, 0, 150), "here", policy="exact")
        return found

    columns = table_of(rows)
    one, many = monitor(), monitor()
    with pytest.raises(QueueFullError) as expected:
        one.feed_many(
            latitude=columns["lat"], longitude=columns["lon"], accuracy=columns["accuracy"], time=columns["time"]
        )
    with pytest.raises(QueueFullError) as caught:
        many.feed_many(reader_of(columns, lambda: 3))
    assert caught.value.position == expected.value.position > 3
    assert caught.value.result == expected.value.result
    assert isinstance(caught.value.result, FeedResult)
    assert outcome(one) == outcome(many)
    assert many.feed_many(columns.slice(caught.value.position, 5)) == FeedResult(5, 0, 0)


def test_on_invalid_raise_looks_at_the_whole_stream_first() -> None:
    rows = [(0.0, 0.0, 5.0, START_US + row) for row in range(20)]
    for bad, reason in (
        (
            (0.0, 181.0, 5.0, START_US),
            r"row 17: the coordinate is 0.0, 181.0; .* \(column 'lat' and 'lon'\)",
        ),
        ((0.0, 0.0, -2.0, START_US), r"row 17: .*accuracy.* -2.0.* \(column 'accuracy'\)"),
        ((0.0, 0.0, 1.0, 1 << 61), r"row 17: time .* 2305843009213693952 .*0001.* \(column 'time'\)"),
    ):
        table = table_of([*rows[:17], bad, *rows[18:]])
        monitor = Monitor()
        before = monitor.snapshot()
        with pytest.raises(InputError, match=reason) as caught:
            monitor.feed_many(reader_of(table, lambda: 4), on_invalid="raise")
        assert (caught.value.row, caught.value.position, caught.value.result) == (17, 17, None)
        assert monitor.snapshot() == before
    late = table_of([rows[5], *rows])
    assert Monitor().feed_many(reader_of(late, lambda: 4), on_invalid="raise") == FeedResult(16, 0, 5)
