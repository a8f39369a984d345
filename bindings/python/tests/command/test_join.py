"""Tests ``fencepost join``, which reads points from a file, and writes the conditions that contain each point to a
file."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT

import fencepost
from fencepost._command.cli import main

geopandas = pytest.importorskip("geopandas")
import pandas  # noqa: E402
import shapely  # noqa: E402

PLACES = ROOT / "examples" / "data" / "places.geojson"


@pytest.fixture
def points(tmp_path: Path) -> Path:
    """A table with additional columns, and an index that is not 0, 1, 2."""
    frame = geopandas.GeoDataFrame(
        {"shop": ["a", "b", "c"], "sales": [3, 4, 5]},
        geometry=shapely.points([(-122.084, 37.422), (7.0, 47.0), (-122.0779, 37.4171)]),
        crs="EPSG:4326",
    )
    frame.to_file(tmp_path / "shops.gpkg", driver="GPKG")
    return tmp_path / "shops.gpkg"


def expected() -> list[tuple[str, str]]:
    zones = fencepost.Zones(PLACES)
    places = {"a": (37.422, -122.084), "b": (47.0, 7.0), "c": (37.4171, -122.0779)}
    return [(shop, place) for shop, position in places.items() for place in zones.containing(*position)]


@pytest.mark.parametrize("ending", [".gpkg", ".fgb", ".geojson", ".parquet", ".csv"])
def test_the_pairs_are_those_of_containing(points: Path, tmp_path: Path, ending: str) -> None:
    output = tmp_path / f"joined{ending}"
    assert main(["join", str(points), "--conditions", str(PLACES), "--distances", "--output", str(output)]) == 0
    if ending == ".csv":
        found = pandas.read_csv(output)
    else:
        found = geopandas.read_parquet(output) if ending == ".parquet" else geopandas.read_file(output)
        assert found.crs == "EPSG:4326" and found.geometry.geom_type.unique().tolist() == ["Point"]
    assert sorted(zip(found["shop"], found["place"])) == sorted(expected())
    assert (found["distance"] <= 0).all()
    assert set(found.loc[found["shop"] == "a", "sales"]) == {3}


def test_left_keeps_points_that_are_in_no_condition(points: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["join", str(points), "--conditions", str(PLACES), "--left", "--name", "zone"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "shop,sales,geometry,zone"
    assert "b,4,POINT (7 47)," in lines
    assert len(lines) == 1 + len(expected()) + 1


def test_a_table_of_latitudes_and_longitudes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "p.csv").write_text("id,lat,lon\n7,37.422,-122.084\n", encoding="utf-8")
    assert main(["join", str(tmp_path / "p.csv"), "--conditions", str(PLACES)]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "7,37.422,-122.084,google campus"
    pandas.read_csv(tmp_path / "p.csv").to_parquet(tmp_path / "p.parquet")
    assert main(["join", str(tmp_path / "p.parquet"), "--conditions", str(PLACES)]) == 0
    assert "google campus" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "options", "why"),
    [
        ("id,lat,lon\n1,37,7\n2,,\n", [], "row 1"),
        ("id,lat,lon\n1,97,7\n", [], "row 0"),
        ("place,lat,lon\nx,37,7\n", [], "'place'"),
        ("id,north\n1,37\n", [], "latitude"),
        ("id,lat,lon\n1,37,7\n", ["--output", "a.shp"], "a.shp"),
        ("id,lat,lon\n1,37,7\n", ["--output", "a.gpkg"], "no geometries"),
        ("id,lat,lon\n1,37,7\n", ["--conditions", "nowhere.geojson"], "nowhere.geojson"),
    ],
)
def test_what_is_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    text: str,
    options: list[str],
    why: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.csv").write_text(text, encoding="utf-8")
    assert main(["join", "p.csv", "--conditions", str(PLACES), *options]) == 2
    reported = capsys.readouterr()
    assert why in reported.err and reported.err.count("\n") == 1 and reported.out == ""
    assert not (tmp_path / "a.gpkg").exists()


@pytest.mark.parametrize("damage", [b"", b"{}", b'{"type": "FeatureCollection", "features": 3}', b"\x00" * 100])
def test_damaged_layers_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], damage: bytes) -> None:
    (tmp_path / "p.geojson").write_bytes(damage)
    assert main(["join", str(tmp_path / "p.geojson"), "--conditions", str(PLACES)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_step_between_two_of_gdal(points: Path, tmp_path: Path) -> None:
    """The steps of the guide: ogr2ogr selects, fencepost joins, ogr2ogr reads the result."""
    if shutil.which("ogr2ogr") is None:
        pytest.skip("GDAL's programs are not installed: .ci/gdal.sh")
    sql = "SELECT * FROM shops WHERE sales < 5"
    subprocess.run(["ogr2ogr", tmp_path / "some.fgb", points, "-sql", sql], check=True, capture_output=True)
    joined = tmp_path / "joined.gpkg"
    assert main(["join", str(tmp_path / "some.fgb"), "--conditions", str(PLACES), "--output", str(joined)]) == 0
    geojson = ["ogr2ogr", "-f", "GeoJSON", "/vsistdout/", joined]
    features = json.loads(subprocess.run(geojson, check=True, capture_output=True).stdout)["features"]
    found = {(feature["properties"]["shop"], feature["properties"]["place"]) for feature in features}
    assert found == {pair for pair in expected() if pair[0] != "c"}


DAY = "2026-03-02"


def zones_with_hours(folder: Path) -> Path:
    """Two circles at one place: `shop` is open from 08:00 to 18:00 UTC, and `always` has no hours."""
    point = {"type": "Point", "coordinates": [8.5, 47.4]}
    hours = [f"{DAY}T08:00Z/{DAY}T18:00Z"]
    features = [
        {"type": "Feature", "id": "shop", "geometry": point, "properties": {"radius": 200, "active": hours}},
        {"type": "Feature", "id": "always", "geometry": point, "properties": {"radius": 100}},
    ]
    (folder / "zones.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return folder / "zones.geojson"


def joined_ids(path: Path, conditions: Path, output: Path, *options: str) -> list[tuple[int, str]]:
    assert main(["join", str(path), "--conditions", str(conditions), "--output", str(output), *options]) == 0
    found = pandas.read_csv(output)
    return list(zip(found["id"], found["place"].fillna("")))


FORMS = [
    (f"{DAY}T07:59:59Z", f"{DAY}T08:00Z", f"{DAY} 17:59:59.999999+00:00", f"{DAY}T18:00:00Z"),
    (f"{DAY} 07:59:59", f"{DAY} 08:00", f"{DAY} 17:59:59.999999", f"{DAY} 18:00:00"),
    (f"{DAY}T16:59:59+09:00", f"{DAY}T17:00+09:00", f"{DAY}T19:59+02:00", f"{DAY}T20:00+02:00"),
    ("1772438399", "1772438400", "1772474399.999999", "1772474400"),
    ("1772438399999", "1772438400000", "1772474399999", "1772474400000"),
    ("1772438399999999", "1772438400000000", "1772474399999999", "1772474400000000"),
]


@pytest.mark.parametrize("times", FORMS)
def test_a_zone_contains_points_only_in_its_hours(tmp_path: Path, times: tuple[str, ...]) -> None:
    """The pairs are those of `containing` with a time. A missing time ignores the hours."""
    conditions = zones_with_hours(tmp_path)
    rows = [*enumerate(times), (4, "")]
    lines = ["id,lat,lon,when", *(f"{number},47.4,8.5,{text}" for number, text in rows)]
    (tmp_path / "p.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    zones = fencepost.Zones(conditions)
    edge = 1_772_438_400 * 10**6
    exact = (edge - 1, edge, edge + 36_000 * 10**6 - 1, edge + 36_000 * 10**6, None)
    expected = [(number, place) for number, at in enumerate(exact) for place in zones.containing(47.4, 8.5, time=at)]
    assert [place for _, place in expected].count("shop") == 3
    found = joined_ids(tmp_path / "p.csv", conditions, tmp_path / "out.csv", "--time", "when")
    assert found == expected
    # The column of times is in the output as it was in the input.
    assert set(pandas.read_csv(tmp_path / "out.csv", dtype="string")["when"].dropna()) == set(times)
    assert len(joined_ids(tmp_path / "p.csv", conditions, tmp_path / "out.csv")) == 10


@pytest.mark.parametrize("ending", [".gpkg", ".parquet", ".fgb"])
@pytest.mark.parametrize("zone", [None, "Asia/Tokyo"])
def test_times_of_layers_and_time_zones(tmp_path: Path, ending: str, zone: str | None) -> None:
    """A time without a zone is UTC, or in the zone that --time-zone states."""
    conditions = zones_with_hours(tmp_path)
    stamps = pandas.to_datetime([f"{DAY} 07:00", f"{DAY} 08:00", f"{DAY} 17:30", None])
    points = shapely.points([(8.5, 47.4)] * 4)
    frame = geopandas.GeoDataFrame({"id": range(4), "when": stamps}, geometry=points, crs="EPSG:4326")
    path = tmp_path / f"p{ending}"
    frame.to_parquet(path) if ending == ".parquet" else frame.to_file(path)
    options = ["--time", "when", *([] if zone is None else ["--time-zone", zone])]
    output = tmp_path / "out.csv"
    found = [number for number, place in joined_ids(path, conditions, output, *options) if place == "shop"]
    # In Tokyo, 17:30 is 08:30 UTC.
    zoned = ending == ".gpkg" and zone is not None and geopandas.read_file(path)["when"].dt.tz is not None
    assert found == ([1, 2, 3] if zone is None or zoned else [2, 3])
    left = joined_ids(path, conditions, output, *options, "--left")
    assert {number for number, _ in left} == {0, 1, 2, 3}


@pytest.mark.parametrize(
    ("cells", "options", "why"),
    [
        (["yesterday"], [], ["row 0", "'when'", "yesterday"]),
        (["5", "nan5"], [], ["row 1", "nan5"]),
        (["inf"], [], ["row 0", "inf"]),
        (["99999999999999999999999"], [], ["row 0"]),
        (["05/04/2024"], [], ["row 0", "--date-order"]),
        ([f"{DAY}T08:00Z", f"{DAY}T08:00"], [], ["row 1", "--time-zone"]),
        (["5"], ["--time", "nothing"], ["'nothing'", "'when'"]),
        (["5"], ["--time-zone", "Mars/North"], ["--time-zone", "Mars/North"]),
    ],
)
def test_bad_times_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], cells: list[str], options: list[str], why: list[str]
) -> None:
    lines = ["lat,lon,when", *(f"47.4,8.5,{cell}" for cell in cells)]
    (tmp_path / "p.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = ["join", str(tmp_path / "p.csv"), "--conditions", str(zones_with_hours(tmp_path)), "--time", "when"]
    assert main([*command, *options]) == 2
    reported = capsys.readouterr()
    assert reported.out == "" and reported.err.count("\n") == 1, reported.err
    assert all(word in reported.err for word in why), reported.err


def test_options_about_times_need_a_column(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "p.csv").write_text("lat,lon\n47.4,8.5\n", encoding="utf-8")
    command = ["join", str(tmp_path / "p.csv"), "--conditions", str(zones_with_hours(tmp_path))]
    for option in (["--time-zone", "UTC"], ["--date-order", "dmy"]):
        assert main([*command, *option]) == 2
        reported = capsys.readouterr()
        assert option[0] in reported.err and "--time," in reported.err and reported.out == ""


def test_odd_columns_of_times(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An empty table, a column that is also a coordinate, and columns of truth values, geometries and empty texts."""
    conditions = str(zones_with_hours(tmp_path))
    path = tmp_path / "p.csv"
    path.write_text("lat,lon,when\n", encoding="utf-8")
    assert main(["join", str(path), "--conditions", conditions, "--time", "when"]) == 0
    assert capsys.readouterr().out == "lat,lon,when,place\n"
    path.write_text("lat,lon\n47.4,8.5\n", encoding="utf-8")
    assert main(["join", str(path), "--conditions", conditions, "--time", "lat"]) == 2
    assert "latitude" in capsys.readouterr().err
    point = shapely.points([(8.5, 47.4)])
    frame = geopandas.GeoDataFrame({"flag": [True], "place of": ["x"], "none": [""]}, geometry=point, crs="EPSG:4326")
    frame.to_parquet(tmp_path / "p.parquet")
    for column in ("flag", "geometry", "place of", "none"):
        assert main(["join", str(tmp_path / "p.parquet"), "--conditions", conditions, "--time", column]) == 2
        reported = capsys.readouterr()
        assert "row 0" in reported.err and repr(column) in reported.err and reported.out == ""
