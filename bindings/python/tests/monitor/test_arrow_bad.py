"""Tests that the error for an unusable or broken Arrow stream names the row, the column, the reason, and the number of
rows that were fed."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Iterator
from typing import Any

import pytest
from arrow_streams import reader_of
from conftest import mentions, refusal

from fencepost import Fix, InputError, Monitor
from fencepost.errors import InvalidArgumentError, MissingExtraError
from fencepost.types import FeedResult

pa = pytest.importorskip("pyarrow")


GOOD: dict[str, Any] = {"lat": [0.0, 0.0], "lon": [0.0, 0.0], "time_us": [0, 1]}


@pytest.mark.parametrize(
    ("table", "options", "words"),
    [
        ({"lat": [0.0], "time_us": [0]}, {}, "fixes: … longitude, … time_us"),
        ({"lat": [0.0], "lon": [0.0]}, {}, "fixes: … time"),
        (GOOD, {"columns": {"time": "when"}}, "fixes: … column 'when', … time_us"),
        (
            GOOD,
            {"columns": {"height": "lat"}},
            "columns: 'height' … latitude, longitude, time, accuracy, … geometry",
        ),
        (GOOD, {"columns": {"geometry": "lat"}}, "column 'lat' (Arrow's 'g')"),
        (
            GOOD,
            {"columns": {"geometry": "lat", "latitude": "lat"}},
            "geometry … latitude, longitude",
        ),
        (GOOD | {"lon": ["1", "x"]}, {}, "fixes: row 0: longitude '1' (column 'lon') … str"),
        (GOOD | {"lon": [True, False]}, {}, "fixes: row 0: longitude True (column 'lon') … bool"),
        (GOOD | {"accuracy": [[1], [2]]}, {}, "row 0: accuracy [1] (column 'accuracy') … list"),
        (GOOD | {"time_us": [0.0, math.inf]}, {}, "row 1: time (column 'time_us')"),
        (
            GOOD | {"time_us": ["2024-05-01T00:00:00Z", "noon"]},
            {},
            "row 1: time (column 'time_us'): 'noon'",
        ),
        ({"geom": [b"x", b""], "time": [0, 1]}, {}, "row 0: geometry … WKB (column 'geom')"),
        ({"geom": [b"\x01\x02" + bytes(30)], "time": [0]}, {}, "row 0: … Point … LineString"),
        ({"geom": [b"\x01\x01\0\0\x20\x11\x0f\0\0" + bytes(16)], "time": [0]}, {}, "row 0: … SRID 3857 … 4326"),
    ],
)
def test_bad_tables_change_nothing(table: dict[str, Any], options: dict[str, Any], words: str) -> None:
    monitor = Monitor()
    before = monitor.snapshot()
    error = refusal(monitor.feed_many, pa.table(table), **options)
    assert mentions(error, words) and error.source == "fixes"
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
        assert mentions(refusal(feed, marked("geoarrow.point", text, point, values)), "'p' … JSON")
    mercator = '{"crs": {"id": {"authority": "EPSG", "code": 3857}}}'
    assert mentions(refusal(feed, marked("geoarrow.point", mercator, point, values)), "EPSG:3857 … WGS84")
    assert mentions(refusal(feed, marked("geoarrow.point", '{"crs": {"id": 7}}', point, values)), "CRS ? … WGS84")
    assert "points" in str(refusal(feed, marked("geoarrow.point", "{}", single, values)))
    assert "points" in str(refusal(feed, marked("geoarrow.wkb", "", pa.int64(), [0])))
    assert feed(marked("geoarrow.point", "", point, values)) == FeedResult(1, 0, 0)
    assert "Arrow stream" in str(refusal(feed, pa.chunked_array([[1.0]])))


@pytest.mark.parametrize(
    "geo",
    [
        '{"primary_column": "p", "columns": []}',
        '{"primary_column": "p", "columns": {"p": 1}}',
        '{"primary_column": "p"}',
        '{"primary_column": ["p"]}',
    ],
)
def test_odd_metadata_of_geoparquet(geo: str) -> None:
    """Without metadata, WGS84 is assumed; a geometry column that the metadata does not mention is recognised by its
    name."""
    table = pa.table(
        {"p" if '"p",' in geo or '"p"}' in geo else "geom": [struct.pack("<BIdd", 1, 1, 2, 3)], "time": [0]}
    )
    assert Monitor().feed_many(table.replace_schema_metadata({"geo": geo})) == FeedResult(1, 0, 0)


def test_any_bytes_are_points_or_refused() -> None:
    generator = random.Random(9)
    point = struct.pack("<BIdd", 1, 1, 2, 3)
    refused = 0
    for _ in range(400):
        data = bytearray(generator.choice([point, struct.pack(">BIdd", 0, 1, 2, 3), point + b"more"]))
        for _ in range(generator.randrange(4)):
            data[generator.randrange(5)] = generator.choice([0, 1, 2, 3, 0x20, 0x80, 0xE8, 0xFF])
        data = data[: generator.randrange(len(data) + 1)] if generator.random() < 0.3 else data
        try:
            result = Monitor().feed_many(pa.table({"wkb": [point, bytes(data)], "time": [0, 0]}))
        except InputError as error:
            refused += 1
            assert error.row == 1 and error.result == FeedResult(0, 0, 0)
        else:
            assert sum(result) == 2
    assert 50 < refused < 350


def test_what_nanoarrow_cannot_read_is_refused() -> None:
    for values in (
        pa.array([1, 2], pa.decimal32(5, 2)),
        pa.RunEndEncodedArray.from_arrays([2], [1.0]),
        pa.array([["a view in a list"]] * 2, pa.list_(pa.string_view())),
    ):
        error = refusal(Monitor().feed_many, pa.table(GOOD | {"accuracy": values}))
        assert "row 0: the column 'accuracy' (Arrow's '" in str(error)


def failing(after: int) -> Any:
    def batches() -> Iterator[Any]:
        for number in range(after):
            yield pa.record_batch(
                pa.table({"lat": [0.0] * 3, "lon": [0.0] * 3, "time_us": [number] * 3}).to_batches()[0]
            )
        raise ValueError("the disk has gone")

    schema = pa.schema({"lat": "f8", "lon": "f8", "time_us": "i8"})
    return pa.RecordBatchReader.from_batches(schema, batches())


def test_a_stream_that_breaks_off() -> None:
    """The batches before the failure were applied, and the error says how many rows were fed."""
    monitor, expected = Monitor(), Monitor()
    error = refusal(monitor.feed_many, failing(4))
    assert mentions(error, "fixes: row 12: … stream") and "the disk has gone" in str(error)
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
    assert (error.row, error.result) == (5, FeedResult(4, 0, 0)) and "'noon'" in str(error)
    assert monitor.statistics().accepted_fixes == 4


class Given:
    """Exports the stream or array with which the object was created."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        if isinstance(self._capsule, Exception):
            raise self._capsule
        return self._capsule


def test_invalid_streams() -> None:
    table = pa.table(GOOD)
    once = Given(table.__arrow_c_stream__())
    assert Monitor().feed_many(once) == FeedResult(2, 0, 0)
    assert Monitor().feed_many(once) == FeedResult(0, 0, 0)  # the first call has read the stream to its end
    reader = table.to_reader()
    assert Monitor().feed_many(reader) == FeedResult(2, 0, 0)
    taken = table.__arrow_c_stream__()
    pa.RecordBatchReader._import_from_c_capsule(taken).read_all()
    for given, words in (
        (Given(taken), "Arrow stream"),
        (Given(7), "Arrow stream"),
        (Given(table.schema.__arrow_c_schema__()), "Arrow stream"),
        (Given(OSError("no such table")), "Arrow stream: no such table"),
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
