"""Tests polygons and lines from files and tables as conditions: results, errors, and warnings about edges."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest
from conftest import Run, mentions, refusal

from fencepost import (
    Circle,
    Corridor,
    Fix,
    InputWarning,
    Polygon,
    replay,
)

ONE = [Fix(0.5, 0.5, time=0)]
SQUARE = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 0.0]]
HOLE = [[0.2, 0.2], [0.2, 0.4], [0.4, 0.4], [0.4, 0.2], [0.2, 0.2]]
SMALL = [[0.0, 0.0], [0.001, 0.0], [0.001, 0.001], [0.0, 0.0]]


def feature(kind: str, coordinates: Any, identifier: str = "a", **properties: Any) -> dict[str, Any]:
    geometry = {"type": kind, "coordinates": coordinates}
    return {"type": "Feature", "geometry": geometry, "properties": {"identifier": identifier, **properties}}


def write(path: Path, *features: Any) -> Path:
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return path


def test_all_kinds_of_features(tmp_path: Path) -> None:
    path = write(
        tmp_path / "c.geojson",
        feature("Polygon", [SQUARE, HOLE], "park", edges="geodesic", buffer=2.5, policy="exact"),
        feature("MultiPolygon", [[SMALL], [[[x + 5, y] for x, y in SMALL]]], "both", oriented=True),
        feature("LineString", SMALL[:2], "road", radius=50),
        feature("MultiLineString", [SMALL[:2], SMALL[1:3]], "roads", radius_m=5, edges="planar"),
        feature("Point", [0, 0], "home", radius=100),
    )
    log = replay(ONE, path)
    planar = {"edges": "planar"}
    multi = {"type": "MultiPolygon", "coordinates": [[SMALL], [[[x + 5, y] for x, y in SMALL]]]}
    lines = {"type": "MultiLineString", "coordinates": [SMALL[:2], SMALL[1:3]]}
    assert log.conditions == {
        "park": Polygon({"type": "Polygon", "coordinates": [SQUARE, HOLE]}, buffer=2.5),
        "both": Polygon(multi, oriented=True, edges="planar"),
        "road": Corridor([(0, 0), (0, 0.001)], 50, order="latlon", edges="planar"),
        "roads": Corridor(lines, 5, **planar),
        "home": Circle(0, 0, 100),
    }
    assert (log[0].identifier, str(log[0].state)) == ("park", "satisfied")
    assert repr(log) and log._repr_html_() and log.visits() is not None


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (feature("LineString", SMALL[:2]), "features[0]: radius: … None"),
        (feature("LineString", SMALL[:2], radius="5"), "radius: … '5'"),
        (feature("LineString", SMALL[:2], radius=-1), "features[0]: radius … -1"),
        (feature("Polygon", [SMALL], buffer="2"), "buffer: … '2'"),
        (feature("Polygon", [SMALL], oriented=1), "oriented: … 1"),
        (feature("Polygon", [SMALL], edges="curved"), "edges 'curved'"),
        (feature("Polygon", [SMALL], uuid="x"), "geometry … uuid"),
        (feature("Polygon", SMALL), "features[0]: "),
        (feature("Polygon", [[[0, 0], [1, 95], [1, 1]]]), "vertex 1: latitude … 95"),
        (feature("Polygon", None), "coordinates: None"),
        (
            feature("MultiPoint", [[0, 0]]),
            "geometry 'MultiPoint': … Polygon, MultiPolygon, LineString, MultiLineString",
        ),
        (
            feature("Polygon", [[[0, 0], [1, 1], [1, 0], [0, 1]]]),
            "features[0]: … edges … part 0, ring 0, edge 0 … part 0, ring 0, edge 2",
        ),
        (feature("Polygon", [[[0, 0], [1, 1], [1, 0], [0, 1]]]), "shapely.make_valid"),
    ],
)
def test_what_is_refused(tmp_path: Path, given: dict[str, Any], words: str) -> None:
    path = write(tmp_path / "c.geojson", given)
    assert mentions(refusal(replay, ONE, path), words)


def test_the_command_names_what_repairs_a_polygon(tmp_path: Path, run: Run) -> None:
    write(tmp_path / "c.geojson", feature("Polygon", [[[0, 0], [1, 1], [1, 0], [0, 1]]]))
    (tmp_path / "t.csv").write_text("time,lat,lon\n0,0.5,0.5\n")
    done = run("replay", "t.csv", "--conditions", "c.geojson")
    assert done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1
    assert "QGIS" in done.stderr and "shapely" not in done.stderr


def test_what_is_said_of_edges(tmp_path: Path) -> None:
    """Tests that there is a warning only if geodesic and planar edges differ noticeably, only once per file, and not if
    the file states its kind of edges."""
    far = [[x, y + 50] for x, y in SQUARE]
    farther = [[3 * x, y + 60] for x, y in SQUARE]
    path = write(
        tmp_path / "c.geojson", feature("Polygon", [far], "a"), feature("Polygon", [farther], "b"),
        feature("Polygon", [SMALL], "c"), feature("LineString", farther, "d", radius=5, edges="geodesic"),
    )  # fmt: skip
    words = r"features\[1\]: .* \d{3,4} m .*part 0, ring 0, edge \d, .* 2"
    with pytest.warns(InputWarning, match=words) as reported:
        replay(ONE, path)
    assert len(reported) == 1 and mentions(reported[0].message, "property … edges")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        replay(ONE, write(path, feature("Polygon", [far], edges="planar"), feature("Polygon", [SMALL], "c")))


def test_well_known_text(tmp_path: Path) -> None:
    text = "POLYGON ((0 0, 0.001 0, 0.001 0.001, 0 0))"
    path = tmp_path / "c.csv"
    path.write_text(f'id,wkt,radius,buffer\na,"{text}",,2.5\nb,POINT (0 0),50,\nc,"LINESTRING (0 0, 0 0.001)",5,\n')
    assert replay(ONE, path).conditions == {
        "a": Polygon(text, edges="planar", buffer=2.5),
        "b": Circle(0, 0, 50),
        "c": Corridor("LINESTRING (0 0, 0 0.001)", 5, edges="planar"),
    }
    path.write_text(f'id,wkt,radius,buffer\na,"{text}",,much\n')
    assert "line 2: buffer 'much'" in str(refusal(replay, ONE, path))


@pytest.mark.parametrize("name", ["c.gpkg", "c.fgb", "c.shp", "c.kml", "c.parquet", "frame"])
def test_vector_layers(tmp_path: Path, name: str) -> None:
    geopandas, shapely = pytest.importorskip("geopandas"), pytest.importorskip("shapely")
    shapes = [shapely.Polygon(SQUARE, [HOLE]), shapely.Polygon(SMALL), shapely.LineString(SMALL[:2])]
    radius = [None, None, 25.0]
    if name == "c.shp":  # a Shapefile has only one kind of shape, and its writer reverses the rings
        shapes, radius = [shapely.orient_polygons(shape, exterior_cw=True) for shape in shapes[:2]], [None, None]
    frame = geopandas.GeoDataFrame(
        {"identifier": list("abc")[: len(shapes)], "radius": radius}, geometry=shapes, crs=4326
    )
    source: Any = frame
    if name == "c.parquet":
        frame.to_parquet(source := tmp_path / name)
    elif name != "frame":
        frame.to_file(source := tmp_path / name, driver="LIBKML" if name == "c.kml" else None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        found = replay(ONE, source).conditions
    expected = {
        "a": Polygon(shapes[0], edges="planar"),
        "b": Polygon(shapes[1], edges="planar"),
    }
    if name != "c.shp":
        expected["c"] = Corridor(shapes[2], 25, edges="planar")  # type: ignore[assignment]
    assert {key: found[key] for key in sorted(found)} == expected
    if name == "c.gpkg":
        frame.to_crs(3857).to_file(tmp_path / "p.gpkg")
        assert mentions(refusal(replay, ONE, tmp_path / "p.gpkg"), "EPSG:3857 … WGS84")
        with pytest.warns(InputWarning, match=r"\d+ m .*edge \d"):
            again = replay(ONE, tmp_path / "p.gpkg", transform=True).conditions["b"]
        assert isinstance(again, Polygon)
        assert again.parts[0][0][1] == pytest.approx(expected["b"].parts[0][0][1], abs=1e-9)


def test_what_a_layer_cannot_hold(tmp_path: Path) -> None:
    geopandas, shapely = pytest.importorskip("geopandas"), pytest.importorskip("shapely")
    good = shapely.Polygon(SMALL)

    def frame(*shapes: Any, **columns: Any) -> Any:
        names = [f"c{number}" for number in range(len(shapes))]
        return geopandas.GeoDataFrame({"identifier": names, **columns}, geometry=list(shapes), crs=4326)

    for source, words in (
        (frame(good, shapely.MultiPoint([(0, 0)])), "row 1: … Polygon, MultiPolygon, LineString … MultiPoint"),
        (frame(good, None), "row 1: … geometry"),
        (frame(good, shapely.Point(0, 0)), "row 1: radius"),
        (frame(good, shapely.LineString(SMALL[:2])), "row 1: radius: "),
        (frame(good, shapely.Polygon()), "row 1: geometry"),
        (frame(good, edges=["curved"]), "row 0: edges 'curved'"),
        (frame(good, buffer=["x"]), "row 0: buffer: … 'x'"),
    ):
        assert mentions(refusal(replay, ONE, source), words)


def test_a_corridor_of_a_file_is_lived_through(tmp_path: Path) -> None:
    """A device drives along a road and then away from it: the corridor around the road gives one event for entering and
    one for leaving."""
    path = write(tmp_path / "c.geojson", feature("LineString", [[0, 0], [0.01, 0]], "road", radius=20))
    fixes = [Fix(0, 0.0005 * step, time=step * 1_000_000) for step in range(10)]
    fixes += [Fix(0.0002 * step, 0.005, time=(10 + step) * 1_000_000) for step in range(10)]
    log = replay(fixes, path, policy="exact")
    assert [(str(event.state), event.date_us) for event in log] == [("satisfied", 0), ("unsatisfied", 11_000_000)]
    assert log[1].boundary_distance == pytest.approx(2.1, abs=0.1)
