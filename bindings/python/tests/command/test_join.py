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
