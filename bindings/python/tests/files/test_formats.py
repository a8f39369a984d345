"""Tests tracks in common formats: GeoJSON, moving features, WKT, plain Parquet, and compressed files."""

from __future__ import annotations

import gzip
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, TRACKS, Run, mentions, needs_shared

from fencepost import Circle, InputError, InputWarning, replay
from fencepost._files.track_files import read_track, read_tracks

DATA = ROOT / "examples" / "data"
CONDITIONS = DATA / "conditions.geojson"
HERE = {"here": Circle(0, 0, 100)}
NOON = 1_714_564_800_000_000
Write = Callable[[str, object], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(name: str, content: object) -> Path:
        path = tmp_path / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return path

    return write


def collection(*features: dict[str, Any]) -> dict[str, Any]:
    return {"type": "FeatureCollection", "features": list(features)}


def point(x: float, y: float, **properties: object) -> dict[str, Any]:
    return {"type": "Feature", "geometry": {"type": "Point", "coordinates": [x, y]}, "properties": properties}


# ------------------------------------------------------------------------------------------------- GeoJSON


def test_points_are_a_track(tmp_path: Path, write: Write) -> None:
    """GDAL's conversions of the demo's CSV file give the same events as the CSV file."""
    geopandas = pytest.importorskip("geopandas")
    pandas = pytest.importorskip("pandas")
    table = pandas.read_csv(DATA / "drive.csv")
    places = geopandas.points_from_xy(table.pop("longitude"), table.pop("latitude"))
    geopandas.GeoDataFrame(table, geometry=places, crs=4326).to_file(tmp_path / "t.geojson")
    assert list(replay(tmp_path / "t.geojson", CONDITIONS)) == list(replay(DATA / "drive.csv", CONDITIONS))


def test_columns_units_and_tracks_of_points(write: Write) -> None:
    features = [
        point(1, 2, when=1_714_564_800, acc=5, car="a"),
        point(3, 4, when="2024-05-01T12:00:10Z", acc=None, car="b"),
        {"type": "Feature", "geometry": None, "properties": {"when": "2024-05-01 12:00:20", "car": "a"}},
    ]
    path = write("t.geojson", collection(*features))
    (track,) = read_tracks(path, columns={"time": "when"})
    assert track.fixes[:2] == [(2.0, 1.0, 5.0, NOON), (4.0, 3.0, 0.0, NOON + 10_000_000)]
    assert track.fixes[2][0] != track.fixes[2][0] and track.fixes[2][3] == NOON + 20_000_000
    first, second = read_tracks(path, columns={"time": "when"}, by="car")
    assert (first.key, len(first.fixes), second.key, len(second.fixes)) == ("a", 2, "b", 1)
    assert read_track(write("m.json", collection(point(1, 2, utc_ms=NOON // 1000)))).fixes[0][3] == NOON


def test_way_points_beside_a_line_are_left_out(write: Write) -> None:
    """The file has the form that togeojson produces from a GPX file with way points and a line."""
    line = {"type": "LineString", "coordinates": [[0, 0], [1, 1]]}
    path = write(
        "t.geojson",
        collection(
            point(5, 5, name="start"),
            {"type": "Feature", "geometry": line, "properties": {"coordTimes": [1_714_564_800, 1_714_564_801]}},
        ),
    )
    assert [fix[:2] for fix in read_track(path).fixes] == [(0, 0), (1, 1)]


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (collection(), "t.geojson:"),
        (collection(point(0, 0, time="noon")), "point 1: time: 'noon'"),
        (collection(point(0, 0, time=True)), "point 1: time: True"),
        (collection(point(0, 0, time=1, acc="x")), "features[0]: accuracy 'x' (property 'acc')"),
        (collection(point(0, 0, time=1), point(0, 0)), "point 2: … time"),
        (collection(point(0, 0, time=1) | {"geometry": {"type": "Polygon", "coordinates": []}}), "is a Polygon, not"),
        (collection(point(0, 0, time=1) | {"geometry": {"type": "Point"}}), "[longitude, latitude] … 'missing'"),
        (collection({"type": "Feature", "geometry": None, "properties": None}), "None … Point"),
        (collection(point(0, 0, time=[1])), "point 1: time: [1]"),
    ],
)
def test_what_is_wrong_with_points(write: Write, document: object, words: str) -> None:
    with pytest.raises(InputError) as caught:
        read_track(write("t.geojson", document))
    assert mentions(caught.value, words)


def test_a_property_that_is_not_there(write: Write) -> None:
    path = write("t.geojson", collection(point(0, 0, time=1)))
    with pytest.raises(InputError, match="'when'"):
        read_track(path, columns={"time": "when"})
    with pytest.raises(InputError, match=r"'car'"):
        read_tracks(path, by="car")
    with pytest.raises(InputError, match="columns: .*GeoJSON"):
        read_track(path, columns={"latitude": "time"})


# ------------------------------------------------------------------------------------------ moving features

MOVING = {"type": "MovingPoint", "coordinates": [[13.4, 52.5], [13.5, 52.6, 30]]}
TIMES = ["2024-05-01T12:00:00Z", "2024-05-01T12:00:10Z"]
TWO_FIXES = [(52.5, 13.4, 0.0, NOON), (52.6, 13.5, 0.0, NOON + 10_000_000)]


@pytest.mark.parametrize(
    "document",
    [
        # Examples from OGC 19-045r3, section 7.2: the encodings of prisms, trajectories and a collection of geometries.
        {"type": "Feature", "temporalGeometry": MOVING | {"datetimes": TIMES, "interpolation": "Linear"}},
        collection({"type": "Feature", "temporalGeometry": MOVING | {"datetimes": TIMES}, "properties": {"name": "a"}}),
        {
            "type": "Feature",
            "geometry": {"type": "LineString", "coordinates": MOVING["coordinates"]},
            "properties": {"datetimes": TIMES},
        },
        {
            "type": "Feature",
            "temporalGeometry": {"type": "MovingGeometryCollection", "prisms": [MOVING | {"datetimes": TIMES}]},
        },
        # The times of this feature are in milliseconds since 1970, as in the standard's first version.
        {"type": "Feature", "temporalGeometry": MOVING | {"datetimes": [NOON // 1000, NOON // 1000 + 10_000]}},
        # The following objects have the forms that MobilityDB's function asMFJSON writes for one sequence, for several
        # sequences, and for instants.
        MOVING | {"datetimes": ["2024-05-01T14:00:00+02", "2024-05-01T14:00:10+02"], "lower_inc": True},
        {
            "type": "MovingPoint",
            "crs": {"type": "Name", "properties": {"name": "EPSG:4326"}},
            "sequences": [
                {"coordinates": [[13.4, 52.5]], "datetimes": TIMES[:1]},
                {"coordinates": [[13.5, 52.6]], "datetimes": TIMES[1:]},
            ],
        },
        {
            "type": "FeatureCollection",
            "features": [
                {"type": "Feature", "temporalGeometry": {"type": "MovingPoint", "coordinates": xy, "datetimes": time}}
                for xy, time in zip(MOVING["coordinates"], TIMES)
            ],
        },
    ],
)
def test_moving_points(write: Write, document: object) -> None:
    # The second position has a height.
    assert [fix[:4] for fix in read_track(write("t.json", document)).fixes] == TWO_FIXES


def test_moving_features_are_identified(write: Write) -> None:
    features = [
        {"type": "Feature", "id": name, "temporalGeometry": MOVING | {"datetimes": TIMES}, "properties": {"name": name}}
        for name in ("a", "b")
    ]
    path = write("t.json", collection(*features))
    for by in ("name", "id"):
        found = [(track.key, [fix[:4] for fix in track.fixes]) for track in read_tracks(path, by=by)]
        assert found == [("a", TWO_FIXES), ("b", TWO_FIXES)]


@pytest.mark.parametrize(
    ("geometry", "words"),
    [
        (MOVING | {"datetimes": TIMES[:1]}, "has 2 positions but 1 times"),
        (MOVING, "coordinates"),
        ({"type": "MovingPolygon", "datetimes": TIMES, "coordinates": []}, "MovingPolygon … MovingPoint"),
        (None, "None … MovingPoint"),
        ({"type": "MovingGeometryCollection", "prisms": [3]}, "None … MovingPoint"),
        (MOVING | {"sequences": 3}, "sequences … array"),
        (MOVING | {"coordinates": [None, [1, 2]], "datetimes": TIMES}, "point 1: … [longitude, latitude]"),
        (MOVING | {"datetimes": [{}, None]}, "point 1: time: {}"),
    ],
)
def test_what_is_wrong_with_moving_features(write: Write, geometry: object, words: str) -> None:
    with pytest.raises(InputError) as caught:
        read_track(write("t.json", {"type": "Feature", "temporalGeometry": geometry}))
    assert mentions(caught.value, words)


# ----------------------------------------------------------------------------------- WKT, Parquet, compressed


def demo_table() -> Any:
    pandas = pytest.importorskip("pandas")
    table = pandas.read_csv(DATA / "drive.csv")
    table["geom"] = [f"POINT ({x} {y})" for x, y in zip(table["longitude"], table["latitude"])]
    return table.drop(columns=["latitude", "longitude"])


@pytest.mark.parametrize("kind", ["t.csv", "t.parquet", "frame", "arrow", "SRID"])
def test_positions_as_well_known_text(tmp_path: Path, kind: str) -> None:
    table = demo_table()
    source: Any = table
    if kind == "SRID":
        source = table.assign(geom="SRID=4326;" + table["geom"])
    elif kind == "arrow":
        pytest.importorskip("nanoarrow")
        source = pytest.importorskip("pyarrow").Table.from_pandas(table)
    elif kind != "frame":
        source = tmp_path / kind
        table.to_csv(source, index=False) if kind == "t.csv" else table.to_parquet(source)
    assert list(replay(source, CONDITIONS)) == list(replay(DATA / "drive.csv", CONDITIONS))


def test_well_known_text_of_many_tracks(tmp_path: Path, run: Run) -> None:
    table = demo_table().assign(car="a")
    table.to_csv(tmp_path / "t.csv", index=False)
    table.to_parquet(tmp_path / "t.parquet")
    common = ("--conditions", CONDITIONS, "--by", "car", "--format", "jsonl")
    found = [run("replay", name, *common).stdout for name in ("t.csv", "t.parquet")]
    assert found[0] == found[1] != ""


def test_what_is_wrong_with_well_known_text(write: Write) -> None:
    path = write("t.csv", 'time,wkt\n1,POINT (1 2)\n2,"LINESTRING (1 2, 3 4)"\n')
    with pytest.raises(InputError, match="line 3.*LINESTRING.*POINT"):
        read_track(path)
    pandas = pytest.importorskip("pandas")
    for value, words in (
        ("POINT (1)", "row 1: is a POINT"),
        (3, "row 1: geometry 3 (column 'wkt').*int"),
    ):
        frame = pandas.DataFrame({"time_s": [1, 2], "wkt": pandas.Series(["POINT (1 2)", value], dtype=object)})
        with pytest.raises(InputError, match=words.replace("(", r"\(").replace(")", r"\)")):
            replay(frame, HERE)


def test_parquet_without_the_metadata_of_geoparquet(tmp_path: Path, run: Run) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    table = pandas.read_csv(DATA / "drive.csv")
    table["time"] = pandas.to_datetime(table["time"], utc=True)
    table.to_parquet(tmp_path / "t.parquet")
    pandas.DataFrame({"id": ["a"], "lat": [37.422], "lon": [-122.084], "radius": [500.0]}).to_parquet(
        tmp_path / "c.parquet"
    )
    expected = replay(DATA / "drive.csv", {"a": Circle(37.422, -122.084, 500)})
    assert list(replay(tmp_path / "t.parquet", tmp_path / "c.parquet")) == list(expected) != []
    done = run("replay", "t.parquet", "--conditions", "c.parquet", "--format", "jsonl")
    assert done.stdout == expected.to_jsonl()


def test_many_tracks_of_every_kind(tmp_path: Path, run: Run) -> None:
    """Returns the same two cars as CSV, compressed CSV, GeoJSON, MF-JSON and KML."""
    rows = [
        (car, 60 * n, 0.0, 0.001 * (n % 3) + offset) for n in range(9) for car, offset in (("a", 0.0), ("b", 0.001))
    ]
    text = "car,time,lat,lon\n" + "".join(f"{car},{NOON // 10**6 + t},{lat},{lon}\n" for car, t, lat, lon in rows)
    (tmp_path / "t.csv").write_text(text)
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(text.encode()))
    features = [point(lon, lat, car=car, time=NOON // 10**6 + t) for car, t, lat, lon in rows]
    (tmp_path / "t.geojson").write_text(json.dumps(collection(*features)))
    moving, tracks = [], ""
    for car in "ab":
        own = [row for row in rows if row[0] == car]
        times = [NOON // 1000 + 1000 * t for _, t, _, _ in own]
        geometry = {"type": "MovingPoint", "coordinates": [[lon, lat] for *_, lat, lon in own], "datetimes": times}
        moving.append({"type": "Feature", "properties": {"car": car}, "temporalGeometry": geometry})
        whens = "".join(f"<when>2024-05-01T12:{t // 60:02}:00Z</when>" for _, t, _, _ in own)
        coords = "".join(f"<coord>{lon} {lat}</coord>" for *_, lat, lon in own)
        tracks += f"<Placemark><name>{car}</name><Track>{whens}{coords}</Track></Placemark>"
    (tmp_path / "m.json").write_text(json.dumps(collection(*moving)))
    (tmp_path / "t.kml").write_text(f"<kml>{tracks}</kml>")
    (tmp_path / "c.csv").write_text("id,lat,lon,radius\nhere,0,0,50\n")
    found = {}
    for name in ("t.csv", "t.csv.gz", "t.geojson", "m.json", "t.kml"):
        by = "name" if name == "t.kml" else "car"
        done = run("replay", name, "--conditions", "c.csv", "--policy", "exact", "--by", by, "--format", "jsonl")
        assert (done.returncode, done.stderr) == (0, ""), name
        found[name] = sorted(done.stdout.replace('{"name":', '{"car":').splitlines())
        log = replay(tmp_path / name, tmp_path / "c.csv", policy="exact", by=by)
        assert sorted((log.to_jsonl() or "").replace('{"name":', '{"car":').splitlines()) == found[name]
    assert all(lines == found["t.csv"] for lines in found.values()) and len(found["t.csv"]) > 5


@pytest.mark.parametrize("name", ["drive.csv", "drive.gpx"])
def test_compressed_files_are_unpacked(tmp_path: Path, name: str) -> None:
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress((DATA / name).read_bytes()))
    (tmp_path / "c.geojson.gz").write_bytes(gzip.compress(CONDITIONS.read_bytes()))
    assert list(replay(tmp_path / f"{name}.gz", tmp_path / "c.geojson.gz")) == list(replay(DATA / name, CONDITIONS))


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("t.csv.gz", b"time,lat,lon\n", "gzip: Not a gzipped file"),
        (
            "t.csv.gz",
            gzip.compress(b"time,lat,lon\n" * 99, mtime=0)[:-9],
            "gzip: Compressed file ended",
        ),
        (
            "t.csv",
            gzip.compress(b"time,lat,lon\n", mtime=0),
            "gzip … .gz",
        ),
        ("t.xlsx", b"PK\x03\x04", "Excel … CSV"),
        (
            "t.csv",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
            "Excel … CSV",
        ),
        (
            "t.fit",
            b"\x0e\x10\x00\x00\x00\x00\x00\x00.FIT",
            "FIT … GPX",
        ),
        ("t.bin", b"\x0e\x10\x00\x00\x00\x00\x00\x00.FIT", "FIT"),
        ("t.tcx", b"<TrainingCenterDatabase/>", "TCX … GPX"),
        ("t.csv", b"PAR1", "Parquet … .parquet"),
        ("t.txt", b"SQLite format 3\0", "SQLite … .gpkg"),
    ],
)
def test_files_are_called_what_they_are(write: Write, name: str, content: bytes, words: str) -> None:
    with pytest.raises(InputError) as caught:
        replay(write(name, content), HERE)
    assert mentions(caught.value, f"{write(name, content)}: … {words}")
    with pytest.raises(InputError, match=r"t\.\w+"):
        replay([], write(name, content))


def test_a_workbook_with_the_ending_of_csv(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "t.csv", "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/workbook.xml", "<workbook/>")
    with pytest.raises(InputError, match="CSV"):
        read_track(tmp_path / "t.csv")


def test_a_decimal_comma_is_reported(write: Write) -> None:
    path = write("t.csv", "time;lat;lon\n1;52,5;13,4\n")
    with pytest.raises(InputError, match="line 2.*'52,5'"):
        read_track(path)


def test_a_lazy_frame_is_collected() -> None:
    polars = pytest.importorskip("polars")
    pytest.importorskip("nanoarrow")
    table = polars.DataFrame({"time_s": [0, 10], "lat": [0.0, 0], "lon": [0.0, 1]})
    circles = polars.DataFrame({"id": ["here"], "lat": [0.0], "lon": [0.0], "radius": [100.0]})
    assert list(replay(table.lazy(), circles.lazy(), policy="exact")) == list(replay(table, circles, policy="exact"))


# ------------------------------------------------------------------------------------------ nothing is usable


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda lat, lon: (lon, lat), "latitude … longitude"),
        (lambda lat, lon: (lat, lon + 360), "subtract 360"),
        (lambda lat, lon: (lat * 111_000, lon * 111_000), "(EPSG:4326)"),
    ],
)
@pytest.mark.parametrize("kind", ["csv", "frame", "arrow", "gpkg", "by"])
def test_a_track_without_a_usable_position_is_refused(
    tmp_path: Path, run: Run, change: Callable[[float, float], tuple[float, float]], words: str, kind: str
) -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.read_csv(DATA / "drive.csv").head(20)
    table["latitude"], table["longitude"] = zip(*map(change, table["latitude"], table["longitude"]))
    source: Any = table
    first = "row 0"
    if kind in ("csv", "by"):
        source, first = tmp_path / "t.csv", "line 2"
        table.assign(car="a").to_csv(source, index=False)
    elif kind == "arrow":
        pytest.importorskip("nanoarrow")
        source = pytest.importorskip("pyarrow").Table.from_pandas(table)
    elif kind == "gpkg":
        geopandas = pytest.importorskip("geopandas")
        source = tmp_path / "t.gpkg"
        places = geopandas.points_from_xy(table.pop("longitude"), table.pop("latitude"))
        table["time"] = pandas.to_datetime(table["time"], utc=True)
        geopandas.GeoDataFrame(table, geometry=places, crs=4326).to_file(source)
    if kind != "by":
        with pytest.raises(InputError) as caught:
            replay(source, CONDITIONS)
        assert mentions(caught.value, f"{first}: … latitude") and mentions(caught.value, words)
        assert "20 fixes" in str(caught.value)
    if kind in ("csv", "gpkg", "by"):
        more = ("--by", "car") if kind == "by" else ()
        done = run("replay", source, "--conditions", CONDITIONS, *more, "--format", "jsonl")
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
        assert mentions(done.stderr, words) and first in done.stderr


def test_some_that_cannot_be_used_are_a_warning(write: Write, run: Run) -> None:
    path = write("t.csv", "time,lat,lon,car\n1,0,0,a\n2,,,a\n3,95,200,a\n4,91,181,a\n")
    words = "3 of 4 fixes.*line 4.*latitude 95"
    with pytest.warns(InputWarning, match=words):
        log = replay(path, HERE)
    assert log.counts.invalid_fixes == 3 and repr(log) and log._repr_html_()
    done = run("replay", path, "--conditions", CONDITIONS, "--by", "car")
    assert done.returncode == 0 and mentions(done.stderr, "line 4 … latitude 95, longitude 200")


def test_what_says_that_there_is_no_position_is_no_warning(write: Write) -> None:
    log = replay(write("t.csv", "time,lat,lon\n1,0,0\n2,,\n"), HERE)
    assert log.counts.invalid_fixes == 1


@needs_shared()
def test_real_sentinels_of_ais() -> None:
    """Some rows of the file have latitude 91 and longitude 181, which mean that the position is unknown."""
    pandas = pytest.importorskip("pandas")
    path = TRACKS / "json" / "ship-ais-noposition-sentinel-263576000.jsonl"
    table = pandas.read_json(path, lines=True)[["timestamp", "lat", "lon"]].dropna(subset=["timestamp"])
    table["timestamp"] = pandas.to_datetime(table["timestamp"], utc=True)
    with pytest.warns(InputWarning, match="91.*181.*AIS"):
        assert replay(table, {}, sort=False).counts.invalid_fixes > 0


# ---------------------------------------------------------------------------------------- probably wrong values


@pytest.mark.parametrize(
    ("times", "words"),
    [
        (["45413.5", "45413.6"], "t.csv: … 45413.5 … Excel's"),
        (["2024-05-01", "2024-05-02"], "t.csv: … time"),
        (["1714564", "1714574"], "t.csv: … 1990"),
        (["9999999999", "9999999999.5"], "t.csv: … 2100"),
    ],
)
def test_strange_times_are_one_warning_each(write: Write, run: Run, times: list[str], words: str) -> None:
    path = write("t.csv", "time,lat,lon,car\n" + "".join(f"{time},0,0,a\n" for time in times))
    with pytest.warns(InputWarning) as reported:
        replay(path, HERE)
    assert len(reported) == 1 and mentions(reported[0].message, words)
    for more in ((), ("--by", "car")):
        done = run("replay", path, "--conditions", CONDITIONS, *more)
        assert done.returncode == 0 and done.stderr.count("\n") == 1 and mentions(done.stderr, words)
