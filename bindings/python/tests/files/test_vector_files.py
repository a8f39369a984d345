"""Tests fences and tracks in vector files (GeoPackage, Shapefile, KML and the like) and tables, and their errors."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import DATA, mentions, refusal
from test_tables import CIRCLES, HERE, ONE, Frame, from_file, points

from fencepost import EventLog, replay

geopandas = pytest.importorskip("geopandas")
pandas = pytest.importorskip("pandas")
shapely = pytest.importorskip("shapely")

__all__ = ["from_file"]


def fences(crs: Any = 4326, **columns: object) -> Frame:
    table = {"identifier": ["office", "home"], "radius": [200.0, 350.5], **columns}
    return geopandas.GeoDataFrame(table, geometry=geopandas.points_from_xy([-122.009, 13.4], [37.3349, 52.5]), crs=crs)


@pytest.mark.parametrize("name", ["f.gpkg", "f.shp", "f.kml", "f.fgb", "f.geojson"])
def test_fences_of_every_vector_format(tmp_path: Path, name: str) -> None:
    fences().to_file(tmp_path / name, driver="LIBKML" if name.endswith("kml") else None)
    log = replay(ONE, tmp_path / name)
    assert {key: log.conditions[key] for key in sorted(log.conditions)} == {
        key: CIRCLES[key] for key in sorted(CIRCLES)
    }
    assert sorted((event.identifier, str(event.state)) for event in log) == [
        ("home", "unsatisfied"),
        ("office", "satisfied"),
    ]


def test_fences_of_tables(tmp_path: Path) -> None:
    frame = fences(assuming=["satisfied", None], policy=["exact", None])
    plain = pandas.DataFrame(frame.drop(columns="geometry")).assign(lat=frame.geometry.y, lon=frame.geometry.x)
    plain.to_csv(tmp_path / "f.csv", index=False)
    for source in (frame, plain, plain.rename(columns={"identifier": "id", "radius": "radius_m"}), tmp_path / "f.csv"):
        log = replay(ONE, source)
        assert log.conditions == CIRCLES
        # The device is assumed inside and is inside, so there is no event.
        assert [event.identifier for event in log] == ["home"]
    numbered = replay(ONE, plain.assign(identifier=[1, 2.0]))
    assert list(numbered.conditions) == ["1", "2"]


def test_a_track_in_a_vector_file(tmp_path: Path, from_file: EventLog) -> None:
    points().to_file(tmp_path / "t.gpkg")
    assert list(replay(tmp_path / "t.gpkg", DATA / "conditions.geojson")) == list(from_file)
    points().to_crs(3857).to_file(tmp_path / "p.gpkg")
    path = str(tmp_path / "p.gpkg")
    assert mentions(refusal(replay, path, HERE), f"{path}: … EPSG:3857 … WGS84 … transform=True")


@pytest.mark.filterwarnings("ignore::fencepost.InputWarning")  # about small radii
@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (lambda: fences(radius=[200.0, math.nan]), "conditions: row 1: radius"),
        (lambda: fences(radius=[200.0, None]), "row 1: radius"),
        (lambda: fences(radius=["200", "x"]), "row 0: radius '200' (column 'radius') … str"),
        (lambda: fences(radius=[200.0, -1.0]), "row 1: "),
        (lambda: fences(radius=[200.0, math.inf]), "row 1: radius … inf"),
        (lambda: fences(identifier=["a", "a"]), "row 1: identifier 'a' … row 0"),
        (lambda: fences(identifier=["a", None]), "row 1: identifier:"),
        (lambda: fences(policy=["exact", "strict"]), "row 1: policy 'strict'"),
        (lambda: fences(assuming=["perhaps", None]), "row 0: assuming 'perhaps'"),
        (lambda: fences().drop(columns="radius"), "radius, … identifier"),
        (lambda: fences().iloc[:0], "conditions:"),
        (
            lambda: fences().assign(geometry=[shapely.Point(0, 0), shapely.MultiPoint([(0, 0), (1, 1)])]),
            "row 1: … Point … MultiPoint",
        ),
        (lambda: fences().set_geometry(geopandas.GeoSeries([None, None], crs=4326)), "row 0: latitude"),
        (
            lambda: pandas.DataFrame({"id": ["a"], "lat": [math.nan], "lon": [0], "radius": [1]}),
            "row 0: latitude",
        ),
        (lambda: pandas.DataFrame({"id": ["a"], "lat": [91], "lon": [0], "radius": [1]}), "row 0: "),
    ],
)
@pytest.mark.filterwarnings("ignore:Geometry is in a geographic CRS")
def test_bad_fences(frame: Callable[[], Frame], words: str) -> None:
    error = refusal(replay, ONE, frame())
    assert mentions(error, words)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("f.gpkg", b"not a database", "f.gpkg:"),
        ("f.shp", b"\0" * 100, "f.shp:"),
        ("f.kml", b"<gpx/>", "f.kml:"),
        ("f.kml", b"", "f.kml:"),
        ("f.zip", b"PK\x03\x04", "f.zip:"),
        ("f.csv", b"id,lat,lon,radius\na,0,0\n", "f.csv: line 2: … 3 columns, … 4"),
        ("f.csv", b"id,lat,lon,radius\na,0,0,wide\n", "f.csv: line 2: radius 'wide'"),
        ("f.csv", b"id,lat,lon,radius\na,0,0,nan\n", "f.csv: line 2: radius … nan"),
        ("f.csv", b"PK\x03\x04\xff", "f.csv:"),
        ("f.geojson", b"PK\x03\x04", "f.geojson:"),
    ],
)
def test_files_that_are_not_what_their_ending_says(tmp_path: Path, name: str, content: bytes, words: str) -> None:
    (tmp_path / name).write_bytes(content)
    assert mentions(refusal(replay, ONE, tmp_path / name), words)
    if not name.endswith((".csv", ".geojson")):
        assert mentions(refusal(replay, tmp_path / name, HERE), words)
