"""Tests the heights of fixes in files, frames and live sources, and bands in files of conditions."""

from __future__ import annotations

import json
import math
from math import nan
from pathlib import Path
from typing import Any

import pytest

from fencepost import AltitudeBand, Circle, EventLog, Fix, InputError, Monitor, TransitionPolicy, replay
from fencepost._files.condition_files import read_conditions
from fencepost._files.track_files import read_tracks
from fencepost._live.lines import parse_line
from fencepost.live import Follower

PLACE = Circle(47.35, 8.55, 500)
START = 1_767_225_600_000_000  # 2026-01-01
TIMES = [f"2026-01-01T00:00:0{second}Z" for second in range(4)]
SEA = {"min": 400, "max": 520, "reference": "mean_sea_level"}


def beside(path: Path) -> list[tuple[float | None, ...]]:
    """The values beside the fixes of a file, with None for NaN."""
    (track,) = read_tracks(str(path))
    return [tuple(None if value != value else value for value in fix[4:]) for fix in track.fixes]


def told(log: EventLog | Monitor) -> list[tuple[str, float | None]]:
    events = log if isinstance(log, EventLog) else log.events()
    return [(str(event.state), event.vertical_distance) for event in events]


def banded(**limits: Any) -> Any:
    """A source of conditions: one zone with a band."""
    names = {"min": "altitude_min", "max": "altitude_max"}
    properties = {names[name]: limits[name] for name in names if name in limits}
    properties |= {f"{names[name]}_reference": limits["reference"] for name in names if name in limits}
    properties |= {"identifier": "zone", "radius": 500, "policy": "exact"}
    geometry = {"type": "Point", "coordinates": [8.55, 47.35]}
    return {
        "type": "FeatureCollection",
        "features": [{"type": "Feature", "geometry": geometry, "properties": properties}],
    }


# Tracks --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [3, 60_000])  # many rows are read with PyArrow
def test_csv(tmp_path: Path, rows: int) -> None:
    head = "time,lat,lon,ellipsoid_altitude_m,vertical_accuracy_m,geoid_height_m,ground_height_m"
    lines = ["500,3,47,NA", ",3,47,400", "501,,,400.5"]
    text = "\n".join([head, *(f"{START // 1_000_000 + row},47.35,8.55,{lines[row % 3]}" for row in range(rows))])
    path = tmp_path / "track.csv"
    path.write_text(text + "\n")
    ellipse = (None, None, None)
    assert beside(path)[:3] == [(*ellipse, 500, 3, 47, None), (), (*ellipse, 501, 0, None, 400.5)]
    assert len(beside(path)) == rows


def test_a_column_named_altitude_must_be_named(tmp_path: Path) -> None:
    """Most altitudes in files are above mean sea level, so no reader takes them without a name."""
    path = tmp_path / "track.csv"
    path.write_text(f"time,lat,lon,altitude,geoid_height\n{TIMES[0]},47.35,8.55,500,47\n{TIMES[1]},47.35,8.55,500,47\n")
    assert beside(path) == [(), ()]
    (track,) = read_tracks(str(path), columns={"altitude": "altitude"})
    assert track.fixes[0][7:10] == (500.0, 0.0, 47.0)
    path.write_text(path.read_text().replace("500", "high"))
    assert beside(path) == [(), ()]
    with pytest.raises(InputError, match="altitude 'high' is not a number"):
        read_tracks(str(path), columns={"altitude": "altitude"})
    with pytest.raises(InputError, match="geoid_height"):
        read_tracks(str(path), columns={"geoid_height": "geoid_height"})


@pytest.mark.parametrize("kind", ["pandas", "pyarrow", "parquet", "feed"])
def test_frames_and_tables(kind: str, tmp_path: Path) -> None:
    pandas, pyarrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    columns = {
        "time_us": [START, START + 1, START + 2, START + 3],
        "lat": [47.35] * 4,
        "lon": [8.55] * 4,
        "ellipsoid_altitude_m": [500.0, None, 600.0, 480.0],
        "vertical_accuracy_m": [None, 1.0, 2.0, -1.0],
        "geoid_height_m": [47.0, 47.0, 47.0, 47.0],
    }
    if kind == "parquet":
        pytest.importorskip("geopandas")
    source: Any = pandas.DataFrame(columns) if kind == "pandas" else pyarrow.table(columns)
    if kind == "feed":
        monitor = Monitor()
        monitor.add(PLACE, "zone", policy="exact", band=AltitudeBand(**SEA))
        monitor.feed_many(source)
        assert told(monitor) == [("satisfied", -53.0), ("unsatisfied", 33.0)]
        return
    if kind == "parquet":
        import pyarrow.parquet

        pyarrow.parquet.write_table(source, tmp_path / "track.parquet")
        source = tmp_path / "track.parquet"
    assert told(replay(source, banded(**SEA))) == [("satisfied", -53.0), ("unsatisfied", 33.0)]


def test_gpx_has_heights_above_the_sea(tmp_path: Path) -> None:
    pytest.importorskip("gpxpy")
    points = (
        "<ele>450</ele><time>{}</time><geoidheight>47.5</geoidheight>",
        "<ele>450</ele><time>{}</time>",
        "<time>{}</time><geoidheight>47.5</geoidheight>",
        "<ele>460</ele><time>{}</time><geoidheight>47.5</geoidheight><fix>2d</fix>",
    )
    inner = "".join(f'<trkpt lat="47.35" lon="8.55">{each.format(at)}</trkpt>' for each, at in zip(points, TIMES))
    path = tmp_path / "track.gpx"
    path.write_text(f'<gpx version="1.1" creator="x"><trk><trkseg>{inner}</trkseg></trk></gpx>')
    assert beside(path) == [(None, None, None, 497.5, 0, 47.5, None), (), (), ()]
    assert told(replay(path, banded(**SEA))) == [("satisfied", -50.0)]


def test_geojson_has_heights_above_the_ellipsoid(tmp_path: Path) -> None:
    path = tmp_path / "track.geojson"
    line = {"type": "LineString", "coordinates": [[8.55, 47.35, 500], [8.55, 47.35], [8.55, 47.35, -3.5]]}
    path.write_text(json.dumps({"type": "Feature", "properties": {"times": TIMES[:3]}, "geometry": line}))
    ellipse = (None, None, None)
    assert beside(path) == [(*ellipse, 500, 0, None, None), (), (*ellipse, -3.5, 0, None, None)]
    others: tuple[Any, ...] = (500, "high", True, None)
    features = [
        {
            "type": "Feature",
            "properties": {"time": at, "geoid_height": 47, "ground_height": 400, "vertical_accuracy": 2},
            "geometry": {"type": "Point", "coordinates": [8.55, 47.35, height]},
        }
        for at, height in zip(TIMES, others)
    ]
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    assert beside(path) == [(*ellipse, 500, 2, 47, 400), (), (), ()]
    assert told(replay(path, banded(**SEA))) == [("satisfied", -53.0)]
    with pytest.raises(InputError, match="columns"):
        read_tracks(str(path), columns={"altitude": "geoid_height"})


def test_nmea(tmp_path: Path) -> None:
    pytest.importorskip("pynmea2")
    place = "4721.000,N,00833.000,E"
    lines = (
        f"$GPRMC,000000,A,{place},0.0,0.0,010126,,,A",
        f"$GPGGA,000000,{place},1,08,0.9,450.5,M,47.5,M,,",
        "$GPGST,000000,1.2,3,2,45,3,2,4.5",
        f"$GPGGA,000001,{place},1,08,0.9,450.5,M,,M,,",
        f"$GPGGA,000002,{place},1,08,0.9,,M,47.5,M,,",
        "$GPGST,000003,1.2,,,,,,",
        f"$GPGGA,000003,{place},1,08,0.9,-1.5,M,-20.25,M,,",
    )
    path = tmp_path / "track.nmea"
    path.write_text("\n".join(lines) + "\n")
    ellipse = (None, None, None)
    assert beside(path) == [(3, 2, 45, 498, 4.5, 47.5, None), (), (), (*ellipse, -21.75, 0, -20.25, None)]
    assert told(replay(path, banded(**SEA))) == [("satisfied", -50.5), ("unsatisfied", 401.5)]


def test_fixes_in_a_list() -> None:
    fixes = [Fix(47.35, 8.55, time=START + k, altitude=altitude) for k, altitude in enumerate((500, nan, 600))]
    log = replay(fixes, banded(min=400, max=520, reference="ellipsoid"))
    assert told(log) == [("satisfied", -20.0), ("unsatisfied", 80.0)]
    assert log.columns()["vertical_distance"] == [-20.0, 80.0]


# Live sources --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("members", "found"),
    [
        ({"altHAE": 500, "altMSL": 453, "geoidSep": 47, "epv": 6.5}, (500, 6.5, 47)),
        ({"altMSL": 453, "geoidSep": 47}, (500, 0, 47)),
        ({"altHAE": 500}, (500, 0, nan)),
        ({"altMSL": 453}, ()),
        ({"alt": 453, "geoidSep": 47}, ()),  # old versions of gpsd do not say what `alt` is above
        ({"altHAE": 500, "mode": 2}, ()),
    ],
)
def test_gpsd(members: dict[str, Any], found: tuple[float, ...]) -> None:
    report = {"class": "TPV", "mode": 3, "time": TIMES[0], "lat": 47.35, "lon": 8.55} | members
    row = parse_line(json.dumps(report).encode())
    assert row is not None
    assert row[7:10] == pytest.approx(found, nan_ok=True)
    assert len(row) == (11 if found else 4)


def test_lines_of_json() -> None:
    line = {"time": TIMES[0], "lat": 47.35, "lon": 8.55, "altitude": 500, "vertical_accuracy": 3, "ground_height": 400}
    row = parse_line(json.dumps(line).encode())
    assert row is not None and row[7:9] == (500, 3) and math.isnan(row[9]) and row[10] == 400
    row = parse_line(json.dumps(line | {"altitude": "unknown"}).encode())
    assert row is not None and len(row) == 4
    row = parse_line(json.dumps(line | {"error_ellipse": [5, 4, 90]}).encode())
    assert row is not None and row[4:8] == (5, 4, 90, 500)


def test_a_follower_takes_heights() -> None:
    monitor = Monitor(banded(min=400, max=520, reference="ellipsoid"))
    with Follower(monitor, ahead=None) as follower:
        for second, altitude in enumerate((500, 600)):
            follower.feed(None, Fix(47.35, 8.55, time=START + second * 1_000_000, altitude=altitude))
        assert [event.vertical_distance for event in follower.events()] == [-20, 80]


# Conditions ----------------------------------------------------------------------------------------------------------


def test_bands_in_files(tmp_path: Path) -> None:
    path = tmp_path / "zones.csv"
    path.write_text(
        "identifier,latitude,longitude,radius,altitude_min,altitude_max,altitude_min_reference,altitude_max_reference\n"
        "a,47,8,100,0,120,ground,ground\nb,47,8,100,,500,,mean_sea_level\nc,47,8,100,,,,\nd,47,8,100,-5.5,,ellipsoid,\n"
    )
    bands = [row.band for row in read_conditions(path, TransitionPolicy.standard())]
    assert bands == [
        AltitudeBand(0, 120, reference="ground"),
        AltitudeBand(max=500, reference="mean_sea_level"),
        None,
        AltitudeBand(-5.5),
    ]
    path = tmp_path / "zones.geojson"
    path.write_text(json.dumps(banded(min=400, max=520, reference="ground")))
    (row,) = read_conditions(path, TransitionPolicy.standard())
    assert row.band == AltitudeBand(400, 520, reference="ground")
    assert Monitor(path)["zone"].band == row.band


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"altitude_max": 120}, "altitude_max_reference is missing: must be one of ellipsoid, mean_sea_level, ground"),
        ({"altitude_max": 120, "altitude_max_reference": "AGL"}, "altitude_max_reference 'AGL' is not known"),
        ({"altitude_min": "low", "altitude_min_reference": "ground"}, "altitude_min"),
        ({"altitude_min": True, "altitude_min_reference": "ground"}, "altitude_min"),
        (
            dict.fromkeys(("altitude_min", "altitude_max"), 5)
            | {f"altitude_{which}_reference": "ground" for which in ("min", "max")},
            "min 5 is not below max 5",
        ),
        ({"altitude_max": 1e10, "altitude_max_reference": "ground"}, "max is 10000000000"),
    ],
)
def test_bands_in_files_that_are_refused(changes: dict[str, Any], words: str) -> None:
    source = banded()
    source["features"][0]["properties"] |= changes
    with pytest.raises(InputError, match=r"features\[0\]") as refused:
        Monitor(source)
    assert words in str(refused.value)


@pytest.mark.parametrize("kind", ["beacon", "gate"])
def test_only_zones_have_limits_of_height(kind: str) -> None:
    source = banded(max=120, reference="ground")
    feature = source["features"][0]
    del feature["properties"]["policy"]
    if kind == "beacon":
        feature["geometry"] = None
        feature["properties"]["uuid"] = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"
    else:
        feature["geometry"] = {"type": "LineString", "coordinates": [[8, 47], [9, 47]]}
        feature["properties"] |= {"gate": True, "radius": None}
    with pytest.raises(InputError, match=kind):
        Monitor(source, path="geodesic", max_gap=60)
