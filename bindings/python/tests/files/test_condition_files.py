"""Tests conditions in users' files: properties with unusual names, GPX way points, and a common radius and state for
conditions that have none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import UUID, Run, mentions

from fencepost import Beacon, Circle, Fix, InputError, InputWarning, Zones, replay
from fencepost.errors import InvalidArgumentError

ONE = [Fix(0, 0, time=0)]
GPX = '<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1" creator="x">{}</gpx>'


def collection(path: Path, *features: dict[str, Any]) -> Path:
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return path


def place(x: float, y: float, feature_id: object = None, **properties: object) -> dict[str, Any]:
    feature = {"type": "Feature", "geometry": {"type": "Point", "coordinates": [x, y]}, "properties": properties}
    return feature if feature_id is None else feature | {"id": feature_id}


@pytest.mark.parametrize(
    ("feature", "columns", "name"),
    [
        (place(1, 2, identifier="a", id="no", radius=50), None, "a"),
        (place(1, 2, id="a", name="no", radius=50), None, "a"),
        (place(1, 2, name="a", radius_m=50), None, "a"),
        (place(1, 2, ID=7, Radius=50), None, "7"),
        (place(1, 2, "a", radius=50), None, "a"),
        (place(1, 2, 12, radius=50.0), None, "12"),
        (place(1, 2, "no", id="no", shop="a", size=50, radius=3), {"identifier": "shop", "radius": "size"}, "a"),
    ],
)
def test_names_of_properties(
    tmp_path: Path, feature: dict[str, Any], columns: dict[str, str] | None, name: str
) -> None:
    path = collection(tmp_path / "c.geojson", feature)
    log = replay(ONE, path, conditions_columns=columns)
    assert log.conditions == {name: Circle(2, 1, 50)}


def test_the_same_table_as_geojson_and_geopackage(tmp_path: Path) -> None:
    geopandas = pytest.importorskip("geopandas")
    table = {"name": ["a", "b"], "size": [60.0, 70.0], "start": ["satisfied", "unsatisfied"]}
    frame = geopandas.GeoDataFrame(table, geometry=geopandas.points_from_xy([1, 2], [3, 4]), crs=4326)
    columns = {"radius": "size", "assuming": "start"}
    logs = []
    for name in ("c.geojson", "c.gpkg"):
        frame.to_file(tmp_path / name)
        logs.append(replay(ONE, tmp_path / name, conditions_columns=columns))
    assert logs[0].conditions == logs[1].conditions and logs[0].assumed == logs[1].assumed
    assert list(logs[0]) == list(logs[1]) and [event.identifier for event in logs[0]] == ["a"]


def test_beacons_have_names_too(tmp_path: Path) -> None:
    feature = {"type": "Feature", "geometry": None, "properties": {"name": "desk", "uuid": UUID, "major": 1}}
    log = replay(ONE, collection(tmp_path / "c.geojson", feature), radius=30)
    assert log.conditions == {"desk": Beacon(UUID, 1)}


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"radius": "size"}, "'size', .* radius"),
        ({"latitude": "id"}, "columns: .* latitude"),
        ({"shape": "id"}, "'shape' .* identifier, radius, assuming"),
    ],
)
def test_properties_that_are_not_there(tmp_path: Path, columns: dict[str, str], words: str) -> None:
    path = collection(tmp_path / "c.geojson", place(1, 2, id="a", radius=5))
    with pytest.raises(InputError, match=words):
        replay(ONE, path, conditions_columns=columns)


def test_an_empty_collection_is_said_to_be(tmp_path: Path, run: Run) -> None:
    path = collection(tmp_path / "c.geojson")
    with pytest.warns(InputWarning, match=r"c.geojson"):
        assert len(replay(ONE, path)) == 0
    (tmp_path / "t.csv").write_text("time,lat,lon\n0,0,0\n")
    done = run("replay", "t.csv", "--conditions", "c.geojson")
    assert done.returncode == 0 and done.stderr.count("\n") == 1
    assert mentions(done.stderr, "fencepost: c.geojson: … no conditions")


def test_way_points_as_circles(tmp_path: Path, run: Run) -> None:
    points = (
        '<wpt lat="2" lon="1"><name>home</name></wpt><wpt lat="4" lon="3"><name>work</name><extensions>'
        '<gpxx:WaypointExtension xmlns:gpxx="http://www.garmin.com/xmlschemas/GpxExtensions/v3">'
        "<gpxx:Proximity>75.5</gpxx:Proximity></gpxx:WaypointExtension></extensions></wpt>"
    )
    (tmp_path / "c.gpx").write_text(GPX.format(points))
    log = replay(ONE, tmp_path / "c.gpx", radius=40)
    assert log.conditions == {
        "home": Circle(2, 1, 40),
        "work": Circle(4, 3, 75.5),
    }
    (tmp_path / "t.csv").write_text("time,lat,lon\n0,2,1\n")
    done = run("replay", "t.csv", "--conditions", "c.gpx", "--radius", "40", "--format", "jsonl")
    assert [json.loads(line)["state"] for line in done.stdout.splitlines()] == ["satisfied", "unsatisfied"]
    with pytest.raises(InputError, match="way point 1"):
        replay(ONE, tmp_path / "c.gpx")


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ('<wpt lat="2" lon="1"/>', "point 1: .* name, .* identifier"),
        ('<wpt lat="2" lon="1"><name>a</name></wpt>' * 2, "point 2: identifier 'a' .* point 1"),
        ('<wpt lat="x" lon="1"><name>a</name></wpt>', "point 1: lat 'x'"),
        ('<wpt lat="2" lon="1"><name>a</name>', "XML"),
    ],
)
def test_what_is_wrong_with_way_points(tmp_path: Path, points: str, words: str) -> None:
    (tmp_path / "c.gpx").write_text(GPX.format(points))
    with pytest.raises(InputError, match=words):
        replay(ONE, tmp_path / "c.gpx", radius=10)


def sources(tmp_path: Path) -> list[Any]:
    """Returns two circles in every accepted form of rows; only one of the circles has its own radius and state."""
    pandas = pytest.importorskip("pandas")
    geopandas = pytest.importorskip("geopandas")
    (tmp_path / "c.csv").write_text("id,lat,lon,radius,assuming\na,0,0,30,satisfied\nb,0,0,,\n")
    collection(tmp_path / "c.geojson", place(0, 0, id="a", radius=30, assuming="satisfied"), place(0, 0, id="b"))
    frame = pandas.DataFrame(
        {"id": ["a", "b"], "lat": [0.0, 0], "lon": [0.0, 0], "radius": [30, None], "assuming": ["satisfied", None]}
    )
    points = geopandas.GeoDataFrame(frame, geometry=geopandas.points_from_xy(frame["lon"], frame["lat"]), crs=4326)
    pytest.importorskip("nanoarrow")
    arrow = pytest.importorskip("pyarrow").Table.from_pandas(frame)
    return [tmp_path / "c.csv", tmp_path / "c.geojson", frame, points, arrow]


def test_a_radius_and_a_state_for_all_that_have_none(tmp_path: Path) -> None:
    for source in sources(tmp_path):
        log = replay(ONE, source, radius=200, assuming="unsatisfied")
        assert [circle.radius for circle in log.conditions.values()] == [30, 200]  # type: ignore[union-attr]
        assert {name: str(state) for name, state in log.assumed.items()} == {"a": "satisfied", "b": "unsatisfied"}
        with pytest.raises(InputError, match="radius"):
            replay(ONE, source)


def test_a_table_without_a_column_of_radii(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text("id,lat,lon\na,0,0\n")
    assert replay(ONE, tmp_path / "c.csv", radius=200).conditions == {"a": Circle(0, 0, 200)}
    with pytest.raises(InputError, match=r"NAME.*radius="):
        replay(ONE, tmp_path / "c.csv")
    assert replay(ONE, {"a": Circle(0, 0, 50)}, assuming="satisfied").assumed == {"a": "satisfied"}


@pytest.mark.parametrize("radius", [0, -1, float("nan"), float("inf")])
def test_an_invalid_radius(radius: float) -> None:
    with pytest.raises(InvalidArgumentError, match=f"radius.*{radius}"):
        replay(ONE, {}, radius=radius)
    with pytest.raises(InvalidArgumentError, match="'inside'"):
        replay(ONE, {}, assuming="inside")


def test_radii_that_look_like_kilometres(tmp_path: Path, run: Run) -> None:
    (tmp_path / "c.csv").write_text("id,lat,lon,radius\na,0,0,0.2\nb,0,0,0.5\nc,0,0,40\n")
    with pytest.warns(InputWarning) as reported:
        replay(ONE, tmp_path / "c.csv")
    (said,) = (str(one.message).rpartition("/")[2] for one in reported)
    assert mentions(said, "c.csv: … 0.5 … kilometres")
    (tmp_path / "t.csv").write_text("time,lat,lon\n0,0,0\n")
    assert run("replay", "t.csv", "--conditions", "c.csv").stderr == f"fencepost: {said}\n"


def test_circles_as_well_known_text(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    (tmp_path / "c.csv").write_text("id,wkt,radius\na,POINT (1 2),50\n")
    frame = pandas.read_csv(tmp_path / "c.csv")
    pytest.importorskip("nanoarrow")
    for source in (tmp_path / "c.csv", frame, pytest.importorskip("pyarrow").Table.from_pandas(frame)):
        assert replay(ONE, source).conditions == {"a": Circle(2, 1, 50)}
    (tmp_path / "c.csv").write_text('id,wkt,radius\na,"POLYGON ((1 2, 3 4, 5 6, 1 2))",50\n')
    with pytest.raises(InputError, match="line 2"):
        replay(ONE, tmp_path / "c.csv")


@pytest.mark.parametrize("radius", [[0.0, 0.0], "5", b"5", {}])
def test_a_radius_of_another_type_is_refused(tmp_path: Path, radius: Any) -> None:
    path = collection(tmp_path / "a.geojson", place(1, 2, "a"))
    for given in (radius, pytest.importorskip("numpy").zeros(2)):
        with pytest.raises(TypeError) as caught:
            Zones.read(path, radius=given)
        assert mentions(caught.value, "radius")
    numbers = [50, 50.0, pytest.importorskip("numpy").int64(50), pytest.importorskip("numpy").float32(50)]
    assert [Zones.read(path, radius=number)["a"].condition.radius for number in numbers] == [50.0] * 4
