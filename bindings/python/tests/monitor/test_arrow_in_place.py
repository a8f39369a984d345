"""Tests the native layouts of GeoArrow, which are read in place: the library gets the memory of the table, and nothing
is copied."""

from __future__ import annotations

import tracemalloc
from array import array
from typing import Any

import pytest
from conftest import mentions
from test_arrow_shapes import conditions, expected, frame, shapes

from fencepost import InputError, Monitor, Polygon
from fencepost._monitor.arrow_batches import Options, put_stream
from fencepost._native import Monitor as Handle
from fencepost.errors import InvalidArgumentError
from fencepost.types import SyncResult

np, pa = pytest.importorskip("numpy"), pytest.importorskip("pyarrow")
shapely = pytest.importorskip("shapely")
pytest.importorskip("nanoarrow")

POLYGON, CORRIDOR = 3, 4
"""The numbers by which the extension identifies the kinds of conditions."""
KINDS = ["Polygon", "MultiPolygon", "LineString", "MultiLineString"]
pytestmark = pytest.mark.filterwarnings("ignore::fencepost.InputWarning")


def table(geometry: list[Any], interleaved: bool = True, **columns: Any) -> Any:
    source = frame(geometry, radius=[25.0] * len(geometry), **columns)
    return pa.table(source.to_arrow(geometry_encoding="geoarrow", interleaved=interleaved)).combine_chunks()


def address(view: Any) -> int:
    return int(np.frombuffer(view, dtype=view.format).__array_interface__["data"][0]) if len(view) else 0


def start(view: Any) -> int:
    """Returns the address of a view's first element; the view may have any stride."""
    return int(np.asarray(view).__array_interface__["data"][0])


class Spy:
    """Replaces a monitor's handle, and records the arguments of each call."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def add_shape_columns(self, *row: Any) -> tuple[int, int, int, int]:
        self.calls.append(row)
        return 0, 0, 0, 0

    def shape(self, identifier: str) -> Any:
        return Monitor()._handle.shape(identifier)  # this new monitor has no shape with that identifier


def handed(source: Any) -> list[tuple[Any, ...]]:
    spy: Any = Spy()
    put_stream(spy, source, {}, Options("unknown", None, 0, 0), False)
    calls: list[tuple[Any, ...]] = spy.calls
    return calls


@pytest.mark.parametrize("interleaved", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_the_library_gets_the_tables_memory(kind: str, interleaved: bool) -> None:
    source = table(shapes(kind), interleaved)
    (row,) = handed(source)
    column, lists = source["geometry"].chunk(0), []
    while not (pa.types.is_struct(column.type) or pa.types.is_fixed_size_list(column.type)):
        lists.append(column.offsets)
        column = column.values
    xs, ys, *offsets = row[2]
    if interleaved:
        begin = column.values.buffers()[1].address
        assert (start(xs), start(ys), xs.strides, ys.strides) == (begin, begin + 8, (16,), (16,))
    else:
        assert [start(xs), start(ys)] == [column.field(axis).buffers()[1].address for axis in (0, 1)]
        assert xs.strides == ys.strides == (8,)
    expected = [each.buffers()[1].address for each in lists][::-1]  # the offsets of rings come first
    names = {"Polygon": 2, "MultiPolygon": 3, "LineString": 1, "MultiLineString": 2}
    found = [address(each) for each in offsets if each is not None]
    assert found == expected and len(found) == names[kind]
    assert start(row[3]) == source["radius"].chunk(0).buffers()[1].address


def test_a_million_vertices_take_no_memory_of_python() -> None:
    count, corners = 100, 10_000
    angles = np.linspace(0, 2 * np.pi, corners, endpoint=False)
    middles = np.arange(count)[:, None] * 0.1
    places = np.stack([middles + 0.01 * np.cos(angles), 50 + 0.01 * np.sin(angles) + 0 * middles], axis=-1)
    column = pa.FixedSizeListArray.from_arrays(places.ravel(), 2)
    rings = pa.ListArray.from_arrays(pa.array(np.arange(0, count * corners + 1, corners, dtype=np.int32)), column)
    parts = pa.ListArray.from_arrays(pa.array(np.arange(count + 1, dtype=np.int32)), rings)
    mark = {"ARROW:extension:name": "geoarrow.polygon"}
    schema = pa.schema([pa.field("name", pa.string()), pa.field("geometry", parts.type, metadata=mark)])
    source = pa.table([pa.array([f"p{number}" for number in range(count)]), parts], schema=schema)
    monitor = Monitor()
    tracemalloc.start()
    monitor.add_many(source)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 20  # a copy of the coordinates would take 16 million bytes
    assert len(monitor) == count and monitor.shape("p99").vertex_count == corners


@pytest.mark.parametrize("interleaved", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_slices_chunks_and_children_that_begin_later(kind: str, interleaved: bool) -> None:
    geometry = shapes(kind)
    wanted = expected(geometry)
    whole = table(geometry, interleaved)
    for source, rows in (
        (whole.slice(3, 9).slice(2, 5), range(5, 10)),
        (pa.concat_tables([whole.slice(0, 4), whole.slice(20)]), [*range(4), *range(20, 30)]),
        (whole.slice(29), [29]),
        (whole.slice(4, 0), []),
        (whole.take(pa.array([7, 2, 11])), [7, 2, 11]),
        (later_child(whole), range(30)),
        (large_lists(whole), range(30)),
    ):
        monitor = Monitor()
        monitor.add_many(source)
        assert conditions(monitor) == {f"c{number}": wanted[f"c{number}"] for number in rows}
        assert monitor.ensure_many(source) == SyncResult(0, 0, len(list(rows)), 0)
        assert monitor.sync(source) == SyncResult(0, 0, len(list(rows)), 0)


def nested(whole: Any, column: Any) -> Any:
    """Returns the table with a different column of geometries."""
    index = whole.schema.get_field_index("geometry")
    field = whole.schema.field("geometry")
    return whole.set_column(index, pa.field("geometry", column.type, metadata=field.metadata), column)


def later_child(whole: Any) -> Any:
    """Rebuilds an array so that the items of its outermost lists are a slice, and the slice has an offset."""
    column = storage(whole)
    more = pa.concat_arrays([column.values, column.values]).slice(len(column.values))
    return nested(whole, pa.ListArray.from_arrays(column.offsets, more))


def large_lists(whole: Any) -> Any:
    def large(column: Any) -> Any:
        if not pa.types.is_list(column.type):
            return column
        return pa.LargeListArray.from_arrays(column.offsets.cast(pa.int64()), large(column.values))

    return nested(whole, large(storage(whole)))


def storage(whole: Any) -> Any:
    column = whole["geometry"].chunk(0)
    return column.storage if isinstance(column, pa.ExtensionArray) else column


def test_three_dimensions() -> None:
    ring = [(0.0, 0.0, 5.0), (0.01, 0.0, 6.0), (0.01, 0.01, 7.0)]
    for child in (pa.list_(pa.float64(), 3), pa.struct([(axis, pa.float64()) for axis in "xyz"])):
        items = ring if pa.types.is_fixed_size_list(child) else [dict(zip("xyz", place)) for place in ring]
        field = pa.field("geometry", pa.list_(pa.list_(child)), metadata={"ARROW:extension:name": "geoarrow.polygon"})
        source = pa.table([["a"], pa.array([[items]], field.type)], pa.schema([("name", pa.string()), field]))
        monitor = Monitor()
        monitor.add_many(source)
        assert monitor["a"].condition == Polygon([(y, x) for x, y, _ in ring], order="latlon", edges="planar")


def of_nested(kind: str, rows: Any, levels: int, child: Any) -> Any:
    inner = child
    for _ in range(levels):
        inner = pa.list_(inner)
    field = pa.field("geometry", inner, metadata={"ARROW:extension:name": f"geoarrow.{kind}"})
    schema = pa.schema([("name", pa.string()), ("radius", pa.float64()), field])
    return pa.table([[f"r{n}" for n in range(len(rows))], [9.0] * len(rows), pa.array(rows, inner)], schema)


LINE = [[0.0, 0.0], [0.01, 0.0], [0.0, 0.01]]
PAIRS, AXES = pa.list_(pa.float64(), 2), pa.struct([("x", pa.float64()), ("y", pa.float64())])
NULLS = [
    ("polygon", [[LINE], None], 2, "row 1: the geometry … null"),
    ("polygon", [[LINE], [LINE], [LINE, None]], 2, "row 2: a ring … null"),
    ("polygon", [[LINE], [[[0.0, 0.0], None, [1.0, 1.0]]]], 2, "row 1: a vertex … null"),
    ("polygon", [[LINE], [[[0.0, 0.0], [None, 2.0], [1.0, 1.0]]]], 2, "row 1: a vertex … null"),
    ("multipolygon", [[[LINE]], [[LINE], None]], 3, "row 1: a part is null"),
    ("multipolygon", [[[LINE]], [[None]]], 3, "row 1: a ring … null"),
    ("linestring", [LINE, None, LINE], 1, "row 1: the geometry … null"),
    ("multilinestring", [[LINE], [LINE, None]], 2, "row 1: a line … null"),
]


@pytest.mark.parametrize("child", [PAIRS, AXES], ids=["interleaved", "separate"])
@pytest.mark.parametrize(("kind", "rows", "levels", "words"), NULLS)
def test_what_is_null_is_refused_with_its_row(kind: str, rows: Any, levels: int, words: str, child: Any) -> None:
    def places(value: Any) -> Any:
        if value is None or child is PAIRS:
            return value
        if any(isinstance(each, float) for each in value):
            return dict(zip("xy", value))
        return [places(each) for each in value]

    source = of_nested(kind, places(rows), levels, child)
    monitor = Monitor()
    for call in (monitor.add_many, monitor.ensure_many, monitor.sync):
        with pytest.raises(InputError) as caught:
            call(source)
        assert mentions(caught.value, f"table: {words} … column 'geometry'")
        assert len(monitor) == 0
    # In a slice, only the slice's own rows are checked, and error messages count rows from the beginning of the slice.
    row = int(words.split(":")[0].split()[1])
    if row:
        monitor.add_many(source.slice(0, row))
        assert len(monitor) == row
        with pytest.raises(InputError, match="table.*row 0"):
            monitor.add_many(source.slice(row))


def test_what_is_empty_is_refused_with_its_row() -> None:
    for kind, rows, levels in (
        ("polygon", [[LINE], []], 2),
        ("polygon", [[LINE], [[]]], 2),
        ("multipolygon", [[[LINE]], []], 3),
        ("linestring", [LINE, []], 1),
        ("multilinestring", [[LINE], []], 2),
        ("multipolygon", [[[LINE]], [[], []]], 3),
        ("polygon", [[]], 2),
        ("linestring", [[]], 1),
        ("multipolygon", [[]], 3),
    ):
        monitor = Monitor()
        with pytest.raises(InputError) as caught:
            monitor.add_many(of_nested(kind, rows, levels, PAIRS))
        assert f"row {len(rows) - 1}: empty" in str(caught.value), str(caught.value)
        monitor.add_many(of_nested(kind, [], levels, PAIRS))
        assert len(monitor) == 0


def test_columns_that_lead_astray() -> None:
    """No table can produce the invalid columns of this test, so the test calls the extension directly."""
    handle, doubles = Handle(), array("d", [0, 0, 0.01, 0.01])
    xs, ys = memoryview(doubles), memoryview(array("d", [0, 0.01, 0.01, 0]))
    rings, parts = array("i", [0, 4]), array("i", [0, 1])

    def add(columns: Any, count: int = 1, kind: int = POLYGON) -> Any:
        names, radii = tuple(f"n{number}" for number in range(count)), array("d", [5.0] * count)
        return handle.add_shape_columns(names, kind, columns, radii, 0, False, 0.0, 0, 0, None, None, False)

    good = (xs, ys, rings, parts, None)
    add(good)
    add(good, kind=CORRIDOR)
    for columns, count in (
        ((xs, ys[:3], rings, parts, None), 1),
        ((xs, ys, array("i", [0, 5]), parts, None), 1),
        ((xs, ys, array("i", [-1, 4]), parts, None), 1),
        ((xs, ys, array("i", [4, 0]), parts, None), 1),
        ((xs, ys, rings, array("i", [0, 2]), None), 1),
        ((xs, ys, rings, parts, None), 2),
        ((xs, ys, rings, parts, array("i", [0, 2])), 1),
        ((xs, ys, rings, parts, array("i", [0, 1, 1])), 1),
        ((xs, ys, array("q", [0, 4]), parts, None), 1),
        ((xs, ys, array("i"), parts, None), 1),
        ((memoryview(array("d", range(8)))[::2], ys, rings, parts, None), 1),
        ((xs[::-1], ys[::-1], rings, parts, None), 1),
        ((xs[:0], ys[:0], rings, parts, None), 1),
    ):
        with pytest.raises(InvalidArgumentError):
            add(columns, count)
    for columns in ((xs, ys), [xs, ys, rings, parts, None], (array("f", [0] * 4), ys, rings, parts, None)):
        with pytest.raises(TypeError):
            add(columns)
    with pytest.raises(TypeError):
        add((xs, ys, None, parts, None))
    assert handle.identifiers() == ["n0"]
