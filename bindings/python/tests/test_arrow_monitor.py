"""Arrow streams into monitors: what single calls give, in place, batch by batch, and refused with row and column."""

from __future__ import annotations

import math
import random
import struct
import tracemalloc
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from conftest import SECOND, TRACKS, needs_shared, shared_tracks
from test_arrow import optional
from test_tables import refusal

from fencepost import (
    CircularGeographicCondition,
    FeedResult,
    Fix,
    InputError,
    InvalidArgumentError,
    MissingExtraError,
    Monitor,
    QueueFullError,
    State,
    TransitionPolicy,
    replay,
)
from fencepost._tracks import FixRow, read_track

na = pytest.importorskip("nanoarrow")
pa = pytest.importorskip("pyarrow")
numpy = pytest.importorskip("numpy")

START_US = 1_714_564_800_000_000
UTC_US = pa.timestamp("us", "UTC")
Rows = list[FixRow]


class Spy:
    """A monitor's handle that notes the addresses of the columns which reach the engine."""

    def __init__(self, monitor: Monitor) -> None:
        self._handle = monitor._handle
        self.addresses: list[list[int]] = []
        monitor._handle = self  # type: ignore[assignment]

    def _note(self, columns: tuple[Any, ...]) -> None:
        arrays = [numpy.asarray(column) for column in columns]
        self.addresses.append([array.__array_interface__["data"][0] for array in arrays])

    def feed_columns(self, *arguments: Any) -> Any:
        self._note(tuple(column for column in arguments[:4] if column is not None))
        return self._handle.feed_columns(*arguments)

    def add_circles(self, *arguments: Any) -> Any:
        self._note(arguments[1:4])
        return self._handle.add_circles(*arguments)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._handle, name)


def address(column: Any) -> int:
    """Where the values of a column of one chunk begin."""
    (chunk,) = column.chunks
    found: int = chunk.buffers()[1].address + 8 * chunk.offset
    return found


def watching(rows: Rows) -> Monitor:
    """A monitor with circles along a way."""
    monitor = Monitor()
    placed = [row for row in rows if -90 <= row[0] <= 90 and -180 <= row[1] <= 180]
    for number, row in enumerate(placed[:: max(1, len(placed) // 12)]):
        radius = 80 * (1 + number % 5)
        monitor.add(CircularGeographicCondition(row[0], row[1], radius), f"c{number}", policy=("exact", "standard")[number % 2])
    return monitor


def outcome(monitor: Monitor) -> tuple[list[str], Any]:
    return [event.to_json() for event in monitor.events()], monitor.statistics()


def one_by_one(rows: Rows) -> tuple[list[str], Any]:
    monitor = watching(rows)
    for latitude, longitude, accuracy, time in rows:
        try:
            monitor.feed(Fix(latitude, longitude, accuracy, time=time))
        except ValueError:
            pass
    return outcome(monitor)


def counts(statistics: Any) -> FeedResult:
    return FeedResult(statistics.accepted_fixes, statistics.invalid_fixes, statistics.late_inputs)


def way(rows: int, generator: random.Random) -> Rows:
    """A device that wanders; some rows have no position, are invalid or late."""
    found: Rows = []
    latitude, longitude = 52.5, 13.4
    for row in range(rows):
        latitude += generator.uniform(-4e-4, 4e-4)
        longitude += generator.uniform(-6e-4, 6e-4)
        fix = (latitude, longitude, generator.choice([0.0, 5.0, 30.0]), START_US + row * 10 * SECOND)
        kind = generator.randrange(25)
        if kind == 0:
            fix = (math.nan, math.nan, math.nan, fix[3])
        elif kind == 1:
            fix = (91.0, *fix[1:])
        elif kind == 2:
            fix = (*fix[:3], fix[3] - 50 * SECOND)
        found.append(fix)
    return found


def table_of(rows: Rows) -> Any:
    """A table of rows: what is not known is null."""
    nothing = [row[0] != row[0] for row in rows]
    return pa.table({
        "lat": pa.array([None if gap else row[0] for gap, row in zip(nothing, rows)], "f8"),
        "lon": pa.array([None if gap else row[1] for gap, row in zip(nothing, rows)], "f8"),
        "accuracy": pa.array([None if gap or row[2] == 0 else row[2] for gap, row in zip(nothing, rows)], "f8"),
        "time": pa.array([row[3] for row in rows], UTC_US),
    })  # fmt: skip


def reader_of(table: Any, sizes: Callable[[], int]) -> Any:
    """A stream of batches of such sizes, each cut out of the table (with an offset), some of them empty."""

    def batches() -> Iterator[Any]:
        (whole,) = table.combine_chunks().to_batches()
        start = 0
        while start < whole.num_rows:
            size = sizes()
            yield whole.slice(start, size)
            start += size

    return pa.RecordBatchReader.from_batches(table.schema, batches())


# ------------------------------------------------------------------------------------------------ fixes


@needs_shared()
@pytest.mark.parametrize("path", shared_tracks("csv", "gpx")[::3] or [TRACKS], ids=lambda path: path.name)
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
@pytest.mark.parametrize("name", ["car-i280-ublox", "car-i280-qcom", "ship-ais-north-sea-205316000", "seal-ross-sea-78S"])
def test_real_files_go_in_as_pyarrow_reads_them(name: str) -> None:
    csv = pytest.importorskip("pyarrow.csv")
    path = TRACKS / "csv" / f"{name}.csv"
    rows = list(read_track(path).fixes)
    table = csv.read_csv(path)
    if "date" in table.column_names:  # times without a zone, which are refused
        assert "has no time zone" in str(refusal(Monitor().feed_many, table))
        index = table.column_names.index("date")
        table = table.set_column(index, "date", table["date"].cast(pa.timestamp("s", "UTC")))
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
    pairs = pa.array([p if p is not None else (i % 2 and None or [None, None]) for i, p in enumerate(points)],
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
    """The addresses that the engine is given are those of the table's own memory, also in slices."""
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
    monitor.feed_many(table.slice(0, 1))  # loads what it needs
    for options in ({}, {"on_invalid": "raise"}):
        tracemalloc.start()
        result = monitor.feed_many(table.slice(1), **options)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert sum(result) == rows - 1 and peak < 200_000, (options, peak)


def test_memory_does_not_grow_with_the_stream() -> None:
    """Each batch is let go before the next one is made."""
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
    """A null accuracy is not reported, a null position or time is an invalid row; NaN is as in other columns."""
    table = pa.table({
        "lat": [0.0, None, 0.0, 0.0, 0.0, math.nan], "lon": [0.0, 0.0, 0.0, 0.0, None, 0.0],
        "acc": [None, 5.0, -1.0, math.nan, 1.0, 1.0], "time_us": [0, 1, 2, 3, 4, 5],
    })  # fmt: skip
    assert Monitor().feed_many(table) == FeedResult(1, 5, 0)
    for times, kind, name, expected in (
        ([None, 5, 6], "i8", "time_us", (2, 1, 0)),
        ([None, START_US, 1], "i8", "time_us", (1, 1, 1)),
        ([None, START_US, 1], "i8", "time", (1, 1, 1)),  # each by its size: microseconds, then a second
        ([None, START_US, 1], UTC_US, "time", (1, 1, 1)),
        ([None, START_US, 1], pa.timestamp("s", "UTC"), "time", (1, 2, 0)),  # the second is beyond year 9999
        ([None, None, None], "i8", "time", (0, 3, 0)),
    ):
        given = pa.table({"lat": [0.0] * 3, "lon": [0.0] * 3, name: pa.array(times, kind)})
        assert Monitor().feed_many(given) == FeedResult(*expected), (times, kind, name)
    assert Monitor().feed_many(pa.table({"lat": [0.0], "lon": [0.0], "time": pa.nulls(1)})) == FeedResult(0, 1, 0)
    assert Monitor().feed_many(pa.table({"lat": pa.nulls(1), "lon": [0.0], "time": [1]})) == FeedResult(0, 1, 0)
    empty = pa.table({"lat": pa.array([], "f8"), "lon": pa.array([], "f8"), "time": pa.array([], UTC_US)})
    assert Monitor().feed_many(empty) == FeedResult(0, 0, 0)


def test_a_full_queue_names_the_row_of_the_stream() -> None:
    """As with columns: what came before took effect, and the rest may follow."""
    rows = [(0.0, 0.01 * (row % 2), 5.0, START_US + row * SECOND) for row in range(40)]

    def monitor() -> Monitor:
        found = Monitor(max_pending_events=10)
        found.add(CircularGeographicCondition(0, 0, 150), "here", policy="exact")
        return found

    columns = table_of(rows)
    one, many = monitor(), monitor()
    with pytest.raises(QueueFullError) as expected:
        one.feed_many(latitude=columns["lat"], longitude=columns["lon"], accuracy=columns["accuracy"], time=columns["time"])
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
        ((0.0, 181.0, 5.0, START_US), r"row 17: the coordinate is 0.0, 181.0; accepted are .* \(column 'lat' and 'lon'\)"),
        ((0.0, 0.0, -2.0, START_US), r"row 17: the accuracy is -2.0, .* \(column 'accuracy'\)"),
        ((0.0, 0.0, 1.0, 1 << 61), r"row 17: time is 2305843009213693952 .* accepted are 0001.* \(column 'time'\)"),
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


GOOD: dict[str, Any] = {"lat": [0.0, 0.0], "lon": [0.0, 0.0], "time_us": [0, 1]}


@pytest.mark.parametrize(
    ("table", "options", "words"),
    [
        ({"lat": [0.0], "time_us": [0]}, {}, "fixes: there is no column for the longitude, only lat, time_us"),
        ({"lat": [0.0], "lon": [0.0]}, {}, "fixes: there is no column for the time, only lat, lon"),
        (GOOD, {"columns": {"time": "when"}}, "fixes: there is no column 'when', only lat, lon, time_us"),
        (GOOD, {"columns": {"height": "lat"}}, "columns: 'height' is not one of latitude, longitude, time, accuracy, geometry"),
        (GOOD, {"columns": {"geometry": "lat"}}, "the column 'lat' (Arrow's 'g') holds no points"),
        (GOOD, {"columns": {"geometry": "lat", "latitude": "lat"}}, "geometry and latitude, longitude exclude each other"),
        (GOOD | {"lon": ["1", "x"]}, {}, "fixes: row 0: longitude '1' (column 'lon') is a str, not a number"),
        (GOOD | {"lon": [True, False]}, {}, "fixes: row 0: longitude True (column 'lon') is a bool, not a number"),
        (GOOD | {"accuracy": [[1], [2]]}, {}, "row 0: accuracy [1] (column 'accuracy') is a list, not a number"),
        (GOOD | {"time_us": [0.0, math.inf]}, {}, "row 1: time (column 'time_us')"),
        (GOOD | {"time_us": ["2024-05-01T00:00:00Z", "noon"]}, {}, "row 1: time (column 'time_us'): 'noon' is not a time"),
        (GOOD | {"time_us": [datetime(2024, 5, 1)] * 2}, {}, "row 0: time (column 'time_us') has no time zone"),
        ({"geom": [b"x", b""], "time": [0, 1]}, {}, "row 0: geometry: not WKB (column 'geom')"),
        ({"geom": [b"\x01\x02" + bytes(30)], "time": [0]}, {}, "row 0: is a geometry of the kind 2, a Point is needed"),
        ({"geom": [b"\x01\x01\0\0\x20\x11\x0f\0\0" + bytes(16)], "time": [0]}, {}, "row 0: its SRID 3857 is not 4326"),
    ],
)
def test_bad_tables_change_nothing(table: dict[str, Any], options: dict[str, Any], words: str) -> None:
    monitor = Monitor()
    before = monitor.snapshot()
    error = refusal(monitor.feed_many, pa.table(table), **options)
    assert words in str(error) and error.source == "fixes"
    assert monitor.snapshot() == before


def marked(name: str, text: str, kind: Any, values: Any) -> Any:
    metadata = {"ARROW:extension:name": name, "ARROW:extension:metadata": text}
    return pa.table([pa.array(values, kind), pa.array([0])],
                    schema=pa.schema([pa.field("p", kind, metadata=metadata), pa.field("time", "i8")]))  # fmt: skip


def test_bad_metadata() -> None:
    point = pa.struct({"x": pa.float64(), "y": pa.float64()})
    single = pa.struct({"x": pa.float32(), "y": pa.float32()})
    values = [{"x": 0, "y": 0}]
    feed = Monitor().feed_many
    for text in ("{", "[]", "7", "[" * 100_000):
        assert "the metadata of 'p' is not a JSON object" in str(refusal(feed, marked("geoarrow.point", text, point, values)))
    assert "its CRS EPSG:3857 is not WGS84" in str(
        refusal(feed, marked("geoarrow.point", '{"crs": {"id": {"authority": "EPSG", "code": 3857}}}', point, values))
    )
    assert "its CRS ? is not" in str(refusal(feed, marked("geoarrow.point", '{"crs": {"id": 7}}', point, values)))
    assert "holds no points" in str(refusal(feed, marked("geoarrow.point", "{}", single, values)))
    assert "holds no points" in str(refusal(feed, marked("geoarrow.wkb", "", pa.string(), ["POINT(0 0)"])))
    assert feed(marked("geoarrow.point", "", point, values)) == FeedResult(1, 0, 0)
    assert "is an Arrow stream of values" in str(refusal(feed, pa.chunked_array([[1.0]])))


def test_what_nanoarrow_cannot_read_is_refused() -> None:
    for values in (
        pa.array([1, 2], pa.decimal32(5, 2)),
        pa.RunEndEncodedArray.from_arrays([2], [1.0]),
        pa.array([["a view in a list"]] * 2, pa.list_(pa.string_view())),
    ):
        error = refusal(Monitor().feed_many, pa.table(GOOD | {"accuracy": values}))
        assert "row 0: the column 'accuracy' (Arrow's '" in str(error) and "cannot be read" in str(error)


# ------------------------------------------------------------------------------------------------ streams


def failing(after: int) -> Any:
    def batches() -> Iterator[Any]:
        for number in range(after):
            yield pa.record_batch(pa.table({"lat": [0.0] * 3, "lon": [0.0] * 3, "time_us": [number] * 3}).to_batches()[0])
        raise ValueError("the disk has gone")

    schema = pa.schema({"lat": "f8", "lon": "f8", "time_us": "i8"})
    return pa.RecordBatchReader.from_batches(schema, batches())


def test_a_stream_that_breaks_off() -> None:
    """The batches before took effect, and the error says how far it came."""
    monitor, expected = Monitor(), Monitor()
    error = refusal(monitor.feed_many, failing(4))
    assert str(error).startswith("fixes: row 12: the stream broke off: ") and "the disk has gone" in str(error)
    assert (error.row, error.position, error.result) == (12, 12, FeedResult(12, 0, 0))
    for number in range(12):
        expected.feed(Fix(0, 0, time=number // 3))
    assert monitor.statistics() == expected.statistics()
    assert refusal(Monitor().feed_many, failing(0)).result == FeedResult(0, 0, 0)
    monitor = Monitor()
    error = refusal(monitor.feed_many, failing(4), on_invalid="raise")
    assert (error.row, error.result, monitor.clock_us) == (12, None, None)


def test_a_later_batch_that_cannot_be_read() -> None:
    words = pa.table({"lat": [0.0] * 6, "lon": [0.0] * 6, "time": ["2024-05-01T00:00:00Z"] * 5 + ["noon"]})
    monitor = Monitor()
    error = refusal(monitor.feed_many, reader_of(words, lambda: 2))
    assert (error.row, error.result) == (5, FeedResult(4, 0, 0)) and "'noon' is not a time" in str(error)
    assert monitor.statistics().accepted_fixes == 4


class Given:
    """Exports whatever it was given."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        if isinstance(self._capsule, Exception):
            raise self._capsule
        return self._capsule


def test_streams_that_are_none() -> None:
    table = pa.table(GOOD)
    once = Given(table.__arrow_c_stream__())
    assert Monitor().feed_many(once) == FeedResult(2, 0, 0)
    assert Monitor().feed_many(once) == FeedResult(0, 0, 0)  # at its end
    reader = table.to_reader()
    assert Monitor().feed_many(reader) == FeedResult(2, 0, 0)
    taken = table.__arrow_c_stream__()
    pa.RecordBatchReader._import_from_c_capsule(taken).read_all()
    for given, words in (
        (Given(taken), "gives no Arrow stream"),
        (Given(7), "gives no Arrow stream"),
        (Given(table.schema.__arrow_c_schema__()), "gives no Arrow stream"),
        (Given(OSError("no such table")), "gives no Arrow stream: no such table"),
    ):
        monitor = Monitor()
        assert words in str(refusal(monitor.feed_many, given)), words
        assert words in str(refusal(monitor.add_many, given))
    nulls = pa.StructArray.from_arrays([pa.array([0.0]), pa.array([0.0]), pa.array([1])], ["lat", "lon", "time_us"],
                                       mask=pa.array([True]))  # fmt: skip
    assert "fixes: row 0: is null" in str(refusal(Monitor().feed_many, pa.chunked_array([nulls])))


def test_arguments_that_exclude_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monitor, table = Monitor(), pa.table(GOOD)
    for arguments, options in (
        ((table,), {"latitude": [0.0]}),
        ((table,), {"accuracy": 5.0}),
        ((), {"columns": {}}),
        (([],), {"columns": {"time": "t"}}),
    ):
        with pytest.raises(TypeError):
            monitor.feed_many(*arguments, **options)  # type: ignore[call-overload]
    with pytest.raises(InvalidArgumentError, match="on_invalid"):
        monitor.feed_many(table, on_invalid="skip")  # type: ignore[call-overload]
    for arguments, options in (((["a"],), {}), ((["a"], [0.0], [0.0], [1.0]), {"columns": {}}), ((["a"], [0.0]), {})):
        with pytest.raises(TypeError):
            monitor.add_many(*arguments, **options)  # type: ignore[call-overload]
    monkeypatch.setitem(__import__("sys").modules, "nanoarrow", None)
    for call in (monitor.feed_many, monitor.add_many):
        with pytest.raises(MissingExtraError, match=r"pip install 'fencepost\[arrow\]'"):
            call(table)


# ------------------------------------------------------------------------------------------------ circles


def circles(rows: int, generator: random.Random) -> dict[str, list[Any]]:
    return {
        "name": [f"circle {row} of {generator.randrange(10**12)}" if row % 3 else str(row) for row in range(rows)],
        "lat": [52.5 + generator.uniform(-0.01, 0.01) for _ in range(rows)],
        "lon": [13.4 + generator.uniform(-0.01, 0.01) for _ in range(rows)],
        "radius": [generator.uniform(50, 500) for _ in range(rows)],
        "assuming": [generator.choice([None, "satisfied", "unsatisfied", "unknown"]) for _ in range(rows)],
        "policy": [generator.choice([None, "exact", "standard", "core_location"]) for _ in range(rows)],
    }


@pytest.mark.parametrize("seed", range(6))
def test_circles_go_in_as_single_calls_put_them(seed: int) -> None:
    generator = random.Random(seed)
    columns = circles(60, generator)
    with_fix = generator.random() < 0.5  # decides them at once
    fix = Fix(52.5, 13.4, accuracy=5, time=START_US)

    def fresh() -> Monitor:
        monitor = Monitor()
        if with_fix:
            monitor.feed(fix)
        return monitor

    expected = fresh()
    for row, (name, lat, lon, radius, assuming, policy) in enumerate(zip(*columns.values())):
        options = {"assuming": assuming or "unsatisfied", "policy": policy or TransitionPolicy(entry_dwell=3)}
        expected.add(CircularGeographicCondition(lat, lon, radius), name, tag=row, **options)
    records = list(expected.records())
    events = [event.to_json() for event in expected.events()]
    assert bool(events) == with_fix
    table = pa.table(columns)
    name = table["name"]
    tables = [
        table,
        reader_of(table, lambda: generator.randrange(9)),
        table.set_column(0, "id", name.cast("large_string")),
        table.set_column(0, "id", name.cast("string_view")),
        table.set_column(0, "id", name.dictionary_encode()).slice(0),
        reader_of(table.set_column(0, "id", name.combine_chunks().cast("string_view")), lambda: 7),
        reader_of(table.set_column(0, "id", name.combine_chunks().dictionary_encode()), lambda: 11),
        table.set_column(4, "assuming", table["assuming"].dictionary_encode()),
        table.set_column(5, "policy", table["policy"].cast("string_view")),
    ]
    for number, given in enumerate(tables):
        monitor = fresh()
        monitor.add_many(given, assuming="unsatisfied", policy=TransitionPolicy(entry_dwell=3), tag=range(60))
        assert list(monitor.records()) == records, (seed, number)
        assert [event.to_json() for event in monitor.events()] == events


def test_circles_reach_the_engine_in_place() -> None:
    generator = random.Random(1)
    columns = circles(500, generator)
    whole = pa.table({name: columns[name] for name in ("name", "lat", "lon", "radius")})
    monitor = Monitor()
    spy = Spy(monitor)
    for table in (whole, whole.slice(20, 100)):
        monitor.add_many(table)
        assert spy.addresses == [[address(table[name]) for name in ("lat", "lon", "radius")]]
        spy.addresses.clear()
    monitor.add_many(reader_of(whole, lambda: 100))
    starts = [address(whole[name]) for name in ("lat", "lon", "radius")]
    assert spy.addresses == [[start + 800 * part for start in starts] for part in range(5)]


def test_policies_as_structures() -> None:
    table = pa.table({
        "id": [7, 8], "y": [0.0, 1.0], "x": [0.0, 1.0], "r": [10, 20],
        "policy": [{"entry_dwell": 5.0, "exit_dwell": None}, None],
    })  # fmt: skip
    monitor = Monitor()
    monitor.add_many(table, policy="exact")
    assert monitor["7"].policy == TransitionPolicy.from_dict({"entry_dwell": 5}, base=TransitionPolicy.exact())
    assert monitor["8"].policy == TransitionPolicy.exact()
    track = pa.table({"lat": [5.0, 0.0, 0.0, 0.0], "lon": [0.0] * 4, "time_us": [0, SECOND, 6 * SECOND, 9 * SECOND]})
    log = replay(track, table, policy="exact")
    assert [(event.identifier, event.date_us) for event in log if event.identifier == "7"] == [("7", 0), ("7", 6 * SECOND)]


CIRCLES: dict[str, Any] = {"id": ["a", "b"], "lat": [0.0, 1.0], "lon": [0.0, 1.0], "radius": [1.0, 2.0]}


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (CIRCLES | {"radius": [1.0, -5.0]}, "row 1: radius is -5.0; accepted are finite values above 0 metres (column 'radius')"),
        (CIRCLES | {"radius": [1.0, None]}, "row 1: radius is nan; accepted are finite values above 0 metres (column 'radius')"),
        (CIRCLES | {"lat": [1.0, 90.5]}, "row 1: latitude is 90.5; accepted are -90 to 90 degrees (column 'lat')"),
        (CIRCLES | {"lon": [1.0, None]}, "row 1: longitude is nan; accepted are -180 to 180 degrees (column 'lon')"),
        (CIRCLES | {"id": ["a", None]}, "row 1: identifier is missing (column 'id'): a text is needed"),
        (CIRCLES | {"id": ["a", ""]}, "row 1: the identifier is empty; accepted are 1 to 256 bytes of UTF-8 (column 'id')"),
        (CIRCLES | {"id": ["a", "b\0"]}, "row 1: identifier 'b\\x00' holds a NUL character (column 'id')"),
        (CIRCLES | {"id": [True, False]}, "row 0: identifier True is a bool (column 'id'): a text is needed"),
        (CIRCLES | {"radius": ["1", "2"]}, "row 0: radius '1' (column 'radius') is a str, not a number"),
        (CIRCLES | {"assuming": ["unknown", "outside"]}, "row 1: assuming 'outside' is not one of unknown, satisfied, unsatisfied"),
        (CIRCLES | {"policy": ["exact", "vague"]}, "row 1: policy 'vague' is not one of standard, exact, core_location"),
        (CIRCLES | {"policy": ["exact", "vague"]}, "(column 'policy')"),
        (CIRCLES | {"policy": [1, 2]}, "row 0: policy must be the name of a preset or an object"),
        (CIRCLES | {"policy": [{"entry_dwell": 1.0}, {"entry_dwell": -1.0}]}, "entry_dwell is -1000000 microseconds; accepted are"),
        ({"id": ["a"], "lat": [0.0], "lon": [0.0]}, "there is no column for the radius, only id, lat, lon"),
        ({"lat": [0.0], "lon": [0.0], "r": [1]}, "there is no column for the identifier, only lat, lon, r"),
        ({"id": ["a"], "r": [1]}, "there is no column for the latitude, only id, r"),
    ],
)
def test_adding_is_all_or_nothing(table: dict[str, Any], words: str) -> None:
    """In one batch and in several: nothing changes when a row is refused."""
    whole = pa.table(table)
    monitor = Monitor()
    monitor.add(CircularGeographicCondition(0, 0, 5), "a", assuming="satisfied")
    before = monitor.snapshot()
    for given in (whole, reader_of(whole, lambda: 1)):
        error = refusal(monitor.add_many, given)
        assert words in str(error) and error.source == "table"
        assert error.row is None or error.position == error.row
        assert monitor.snapshot() == before
    with pytest.raises(InvalidArgumentError, match="tag has 3 rows"):
        monitor.add_many(pa.table(CIRCLES), tag=[1, 2, 3])
    assert monitor.snapshot() == before
    monitor.add_many(reader_of(pa.table(CIRCLES), lambda: 1), tag=9)
    assert monitor.identifiers == ["a", "b"] and monitor["a"].tag == 9
    monitor.add_many(pa.table(CIRCLES).slice(0, 0))
    with pytest.raises(InvalidArgumentError, match="assuming"):
        monitor.add_many(pa.table(CIRCLES).slice(0, 0), assuming="maybe")


# ------------------------------------------------------------------------------------------------ libraries


def test_geopandas() -> None:
    geopandas = pytest.importorskip("geopandas")
    rows = way(120, random.Random(3))
    rows = [row for row in rows if abs(row[0]) <= 90]
    expected = one_by_one(rows)
    points = geopandas.points_from_xy([row[1] for row in rows], [row[0] for row in rows])
    table = table_of(rows).to_pandas()
    frame = geopandas.GeoDataFrame(table[["time", "accuracy"]], geometry=points, crs=4326)
    for encoding in ("WKB", "geoarrow"):
        for interleaved in (True, False):
            monitor = watching(rows)
            monitor.feed_many(frame.to_arrow(geometry_encoding=encoding, interleaved=interleaved))
            assert outcome(monitor) == expected
            shops = geopandas.GeoDataFrame({"identifier": ["a"], "radius": [5]}, geometry=points[:1], crs=4326)
            monitor.add_many(shops.to_arrow(geometry_encoding=encoding, interleaved=interleaved))
            assert monitor["a"].condition == CircularGeographicCondition(*rows[0][:2], 5)
    mercator = frame.dropna().to_crs(3857).to_arrow()
    assert "its CRS EPSG:3857 is not WGS84" in str(refusal(Monitor().feed_many, mercator))


def test_pandas() -> None:
    pytest.importorskip("pandas")
    rows = way(120, random.Random(4))
    monitor = watching(rows)
    monitor.feed_many(table_of(rows).to_pandas())
    assert outcome(monitor) == one_by_one(rows)


def test_polars() -> None:
    polars = optional("polars")
    rows = way(120, random.Random(6))
    expected = one_by_one(rows)
    frame = polars.DataFrame(table_of(rows)).with_columns(note=polars.lit("a text that does not fit into a view"))
    for given in (frame, polars.concat([frame[:50], frame[50:]], rechunk=False), frame.with_columns(time_us=polars.col("time").dt.epoch("us")).drop("time")):
        monitor = watching(rows)
        monitor.feed_many(given)
        assert outcome(monitor) == expected
    columns = circles(30, random.Random(7))
    shops = polars.DataFrame(columns)
    texts, categories = Monitor(), Monitor()
    texts.add_many(shops)
    categories.add_many(shops.with_columns(polars.col("name", "policy", "assuming").cast(polars.Categorical)))
    assert list(texts.records()) == list(categories.records()) and texts.identifiers == columns["name"]
    assert texts[columns["name"][4]].last_event.state is State(columns["assuming"][4] or "unknown")
