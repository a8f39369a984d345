"""Tests polygons and lines from Arrow tables and GeoDataFrames as a monitor's conditions, both in WKB and in GeoArrow's
own layouts."""

from __future__ import annotations

import random
from typing import Any

import pytest
from conftest import mentions, refusal

from fencepost import Circle, Corridor, InputError, InputWarning, Monitor, Polygon, replay
from fencepost.types import SyncResult

geopandas, pa = pytest.importorskip("geopandas"), pytest.importorskip("pyarrow")
shapely = pytest.importorskip("shapely")
pytest.importorskip("nanoarrow")


def shapes(kind: str, count: int = 30, seed: int = 1) -> list[Any]:
    """Returns random shapes of one type, some of them with holes."""
    world = random.Random(seed)
    found = []
    for _ in range(count):
        x, y = world.uniform(-170, 170), world.uniform(-70, 70)
        one = shapely.Point(x, y).buffer(0.01, quad_segs=world.randrange(2, 9))
        if world.random() < 0.5:
            one = one.difference(shapely.Point(x, y).buffer(0.002, quad_segs=2))
        other = shapely.Point(x + 0.1, y).buffer(0.01)
        found.append(
            {
                "Polygon": one,
                "MultiPolygon": shapely.MultiPolygon([one, other]),
                "LineString": shapely.LineString(one.exterior.coords[:-1]),
                "MultiLineString": shapely.MultiLineString([one.exterior.coords[:-1], other.exterior.coords[:-1]]),
            }[kind]
        )
    return found


def frame(geometry: list[Any], **columns: Any) -> Any:
    table = {"identifier": [f"c{number}" for number in range(len(geometry))], **columns}
    return geopandas.GeoDataFrame(table, geometry=geometry, crs=4326)


def expected(geometry: list[Any], radius: float = 25.0, edges: str = "planar") -> dict[str, Any]:
    return {
        f"c{number}": Polygon(shape, edges=edges)
        if "Polygon" in shape.geom_type
        else Corridor(shape, radius, edges=edges)
        for number, shape in enumerate(geometry)
    }


def conditions(monitor: Monitor) -> dict[str, Any]:
    return {record.identifier: record.condition for record in monitor.records()}


@pytest.mark.filterwarnings("ignore::fencepost.InputWarning")
@pytest.mark.parametrize("layout", ["wkb", "geoarrow", "interleaved", "sliced", "polars-like"])
@pytest.mark.parametrize("kind", ["Polygon", "MultiPolygon", "LineString", "MultiLineString"])
def test_tables_of_one_kind(kind: str, layout: str) -> None:
    geometry = shapes(kind)
    table = frame(geometry, radius=[25.0] * len(geometry), policy=["exact", None] * 15)
    wanted = expected(geometry)
    source: Any = table
    if layout != "wkb":
        encoding = "WKB" if layout == "polars-like" else "geoarrow"
        source = pa.table(table.to_arrow(geometry_encoding=encoding, interleaved=layout != "geoarrow"))
    if layout == "sliced":
        source, wanted = source.slice(7, 11), {f"c{number}": wanted[f"c{number}"] for number in range(7, 18)}
    if layout == "polars-like":  # the extension type has no metadata
        source = pa.table({name: source[name].combine_chunks() for name in ("identifier", "radius", "policy")} | {
            "geometry": pa.array(shapely.to_wkb(geometry).tolist(), pa.binary())
        })  # fmt: skip
    monitor = Monitor()
    monitor.add_many(source, tag=list(range(len(wanted))))
    assert conditions(monitor) == wanted
    assert [record.tag for record in monitor.records()] == list(range(len(wanted)))
    assert monitor["c8"].policy.entry_dwell == 0 and monitor["c9"].policy.entry_dwell == 20
    assert monitor.ensure_many(source, tag=list(range(len(wanted)))) == SyncResult(0, 0, len(wanted), 0)
    assert monitor.sync(source).removed == 0 and len(monitor) == len(wanted)
    other = Monitor()
    other.add(Circle(0, 0, 1), "gone")
    assert other.sync(source) == SyncResult(len(wanted), 0, 0, 1) and conditions(other) == wanted


def test_points_beside_polygons_and_options_of_rows() -> None:
    geometry = [*shapes("Polygon", 2), shapely.Point(1, 2), *shapes("LineString", 1)]
    table = frame(
        geometry, radius=[None, None, 50.0, 5.0], edges=["geodesic", None, None, "geodesic"],
        buffer=[None, 2.5, None, None], assuming=["satisfied", None, None, None],
    )  # fmt: skip
    monitor = Monitor()
    monitor.add_many(table)
    assert conditions(monitor) == {
        "c0": Polygon(geometry[0]),
        "c1": Polygon(geometry[1], edges="planar", buffer=2.5),
        "c2": Circle(2, 1, 50),
        "c3": Corridor(geometry[3], 5),
    }
    assert [str(record.last_event.state) for record in monitor.records()] == ["satisfied", *["unknown"] * 3]


def test_edges_that_a_table_states() -> None:
    table = pa.table(frame(shapes("Polygon", 2)).to_arrow(geometry_encoding="geoarrow"))
    field = table.schema.field("geometry")
    for said, edges in (("spherical", "geodesic"), ("karney", "geodesic"), ("planar", "planar")):
        marks = {**field.metadata, b"ARROW:extension:metadata": b'{"edges": "%s"}' % said.encode()}
        schema = table.schema.set(1, field.with_metadata(marks))
        monitor = Monitor()
        monitor.add_many(table.cast(schema))
        assert {shape.edges for shape in conditions(monitor).values()} == {edges}


def test_what_is_said_of_edges() -> None:
    """One warning names the row with the greatest difference between planar and geodesic edges, unless the table or the
    row states the kind of edges."""
    box, wide = shapely.box(0, 50, 2, 52), shapely.box(0, 50, 4, 52)
    words = r"table: row 3: .* \d{4} m .*part 0, ring 0, edge \d, .* 2"
    for encoding in ("WKB", "geoarrow"):
        source = frame([*shapes("Polygon", 2), box, wide], edges=[None, None, None, None])
        monitor = Monitor()
        table = pa.table(source.to_arrow(geometry_encoding=encoding))
        for call in (monitor.add_many, Monitor().ensure_many, Monitor().sync):
            with pytest.warns(InputWarning, match=words) as reported:
                call(table)
            assert len(reported) == 1 and "treated as planar" in str(reported[0].message)
        assert monitor.ensure_many(table).kept == monitor.sync(table).kept == 4
        said = source.assign(edges=["geodesic", None, "planar", "geodesic"])
        monitor.add_many(pa.table(said.to_arrow(geometry_encoding=encoding)))
        field = table.schema.field("geometry")
        for each in (b'{"edges": "planar"}', b'{"edges": "spherical"}'):
            marks = {**field.metadata, b"ARROW:extension:metadata": each}
            schema = table.schema.set(table.schema.get_field_index("geometry"), field.with_metadata(marks))
            monitor.add_many(table.cast(schema))


def test_what_is_refused_changes_nothing() -> None:
    good, crossed = shapes("Polygon", 3), shapely.Polygon([(0, 0), (1, 1), (1, 0), (0, 1)])
    line = shapely.LineString([(0, 0), (1, 1)])
    for table, words in (
        (frame([*good, crossed]), "table: row 3: … edges"),
        (frame([good[0], line]), "table: row 1: "),
        (frame([good[0], line], radius=[None, -5.0]), "table: row 1: "),
        (frame([good[0], shapely.MultiPoint([(0, 0)])]), "row 1: "),
        (frame([good[0], None]), "row 1: "),
        (frame(good, edges=[None, "curved", None]), "row 1: edges 'curved'"),
        (frame(good, buffer=[None, None, "x"]), "row 2: buffer 'x'"),
        (frame(good).to_crs(3857), "EPSG:3857 … WGS84"),
        (frame([shapely.Point(0, 0)]), "radius"),
    ):
        monitor = Monitor()
        monitor.add(Circle(0, 0, 1), "kept")
        for call in (monitor.add_many, monitor.ensure_many, monitor.sync):
            with pytest.raises(InputError) as caught:
                call(table)
            assert mentions(caught.value, words) and "\n" not in str(caught.value), str(caught.value)
            assert list(monitor) == ["kept"]


def test_a_replay_takes_such_tables(recwarn: Any) -> None:
    from fencepost import Fix

    geometry = [*shapes("Polygon", 3), *shapes("LineString", 2)]
    table = frame(geometry, radius=[None, None, None, 7.0, 7.0])
    for source in (table, pa.table(table.to_arrow())):
        assert replay([Fix(0, 0, time=0)], source).conditions == expected(geometry, 7.0)
    error = refusal(replay, [Fix(0, 0, time=0)], pa.table(frame(geometry).to_arrow()))
    assert "row 3: radius: " in str(error)
