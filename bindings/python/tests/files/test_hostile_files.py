"""Tests that damaged or malicious files raise :class:`InputError` with a message of one line, within a short time and
with little memory."""

from __future__ import annotations

import gzip
import io
import json
import resource
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import mentions, refusal

from fencepost import Circle, InputWarning, Zones, replay
from fencepost._errors import InputError

HERE = {"here": Circle(0, 0, radius=150)}
KML = """<kml xmlns:gx="g"><Placemark><name>a</name><gx:Track><when>2024-05-01T12:00:00Z</when>
<gx:coord>0 0 0</gx:coord></gx:Track></Placemark></kml>"""
GPX = """<gpx><trk><trkseg><trkpt lat="0" lon="0"><time>2024-05-01T12:00:00Z</time></trkpt></trkseg></trk></gpx>"""
DEEP = 20_000


def kmz(method: int, damage: Callable[[bytearray], None]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        archive.writestr("doc.kml", KML * 20)
    data = bytearray(packed.getvalue())
    damage(data)
    return bytes(data)


def scramble(data: bytearray) -> None:
    """Damages the compressed bytes, which follow the local header and the file name."""
    data[37:80] = bytes(byte ^ 0xA5 for byte in data[37:80])


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_archive(tmp_path: Path, method: int) -> None:
    path = tmp_path / "t.kmz"
    path.write_bytes(kmz(method, scramble))
    assert "kmz" in str(refusal(replay, path, HERE))


def test_an_archive_that_is_damaged_anywhere(tmp_path: Path) -> None:
    """Changes each byte of an archive in turn: the replay either raises an error about the file or gives the right
    result, and no other exception occurs."""
    path = tmp_path / "t.kmz"
    whole = kmz(zipfile.ZIP_DEFLATED, lambda data: None)
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        try:
            replay(path, HERE)
        except InputError as error:
            assert "\n" not in str(error)


def test_deep_elements(tmp_path: Path) -> None:
    path = tmp_path / "t.kml"
    path.write_text("<kml>" + "<Folder>" * DEEP + KML + "</Folder>" * DEEP + "</kml>")
    assert replay(path, HERE).counts.fixes == 1
    path = tmp_path / "t.gpx"
    extension = "<extensions>" + "<a>" * DEEP + "</a>" * DEEP + "</extensions>"
    for text in (GPX.replace("</time>", "</time>" + extension), "<gpx>" + "<a>" * DEEP + "</a>" * DEEP + "</gpx>"):
        path.write_text(text)
        try:
            assert replay(path, HERE).counts.fixes == 1
        except InputError as error:
            assert "\n" not in str(error)


@pytest.mark.parametrize(
    "name", ["undefined", "punycode", "idna", "unicode_escape", "rot13", "hex", "nonsense", "x" * 99]
)
@pytest.mark.parametrize("kind", ["gpx", "kml"])
def test_encodings_that_no_file_has(tmp_path: Path, name: str, kind: str) -> None:
    path = tmp_path / f"t.{kind}"
    path.write_text(f'<?xml version="1.0" encoding="{name}"?>' + {"gpx": GPX, "kml": KML}[kind])
    assert f"line 1: unknown encoding {name!r}" in str(refusal(replay, path, HERE))


@pytest.mark.parametrize(
    "encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig", "iso-8859-1", "cp1252"]
)
@pytest.mark.parametrize("kind", ["gpx", "kml"])
def test_encodings_that_files_have(tmp_path: Path, encoding: str, kind: str) -> None:
    path = tmp_path / f"t.{kind}"
    declared = "utf-8" if encoding.startswith("utf-8") else encoding[:6] if encoding.startswith("utf") else encoding
    path.write_bytes((f'<?xml version="1.0" encoding="{declared}"?>' + {"gpx": GPX, "kml": KML}[kind]).encode(encoding))
    assert replay(path, HERE).counts.fixes == 1


def test_compressed_files(tmp_path: Path) -> None:
    path = tmp_path / "t.kml.gz"
    path.write_bytes(gzip.compress(KML.encode()))
    assert replay(path, HERE).counts.fixes == 1
    for kind, data in (("kml", b"<kml/>"), ("gpkg", b"SQLite format 3\0"), ("shp", b"x"), ("parquet", b"PAR1")):
        path = tmp_path / f"u.{kind}.gz"
        path.write_bytes(gzip.compress(data))
        for call in (lambda: replay(path, HERE), lambda: replay(path, HERE, by="name"), lambda: replay(KMLS, path)):
            assert "unpack" in str(refusal(call))


KMLS: list[object] = []

ALONE = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[2]),) * 2)
from fencepost import Circle, InputError, replay
for by in (None, "car"):
    try:
        replay(sys.argv[1], {"here": Circle(0, 0, radius=150)}, by=by)
    except InputError as error:
        print(error)
"""


def in_little_memory(path: Path, most: int) -> list[str]:
    """Replays a file as one track and then as several tracks, in a process that may use at most `most` bytes of memory,
    and returns both error messages."""
    command = [sys.executable, "-c", ALONE, str(path), str(most)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.splitlines()


def zeros(path: Path, begin: bytes, piece: bytes, count: int) -> None:
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(begin)
        for _ in range(count):
            file.write(piece)


@pytest.mark.parametrize("begin", [b"", b"time,lat,lon,car\n", b"time,lat,lon,car\n1,2,3,a\n"])
def test_a_line_without_an_end(tmp_path: Path, begin: bytes) -> None:
    path = tmp_path / "t.csv.gz"
    zeros(path, begin, b"a" * (1 << 20), 700)
    errors = in_little_memory(path, 1 << 30)
    assert "more than 100 times" in errors[0] and "longer than 16 MiB" in errors[1]
    assert f"line {begin.count(10) + 1}:" in errors[1]


@pytest.mark.parametrize("name", ["-a" * 50_000, "a" * 100_000, "altitude" * 10_000])
def test_a_long_name_of_a_property(tmp_path: Path, name: str) -> None:
    """The names of properties are compared with words about limits of height, in time proportional to their length."""
    properties = {"id": "a", "radius": 100, name: 1, name + " min altitude": 1}
    feature = {"type": "Feature", "geometry": {"type": "Point", "coordinates": [0, 0]}, "properties": properties}
    path = tmp_path / "c.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": [feature]}))
    with pytest.warns(InputWarning, match="altitude_min") as caught:
        assert Zones(path).identifiers == ["a"]
    assert len(str(caught[0].message)) < 500


def test_a_long_header(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"time,lat,lon,car" + b"," * (12 << 20) + b"\n1,2,3,a\n")
    for error in in_little_memory(path, 1 << 30):
        assert mentions(error, "line 1: the header … 1 MiB")


def test_a_long_row(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"time,lat,lon,car\n1,2,3,a" + b"," * (40 << 20) + b"\n1,2,3,a\n")
    for error in in_little_memory(path, 1 << 30):
        assert mentions(error, "line 2: … 16 MiB")


def test_an_archive_that_unpacks_to_more_than_it_may(tmp_path: Path) -> None:
    path = tmp_path / "t.kmz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("doc.kml", "w") as file:
        for _ in range(100):
            file.write(bytes(1 << 20))
    assert "unpack" in str(refusal(replay, path, HERE))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 1 << 22


def test_a_leap_second_is_the_end_of_its_minute(tmp_path: Path) -> None:
    rows = ["2016-12-31T23:59:59Z", "2016-12-31T23:59:60Z", "2016-12-31 23:59:60.5+00:00", "2017-01-01T00:00:00Z"]
    path = tmp_path / "t.csv"
    path.write_text("time,lat,lon\n" + "".join(f"{row},0,0\n" for row in rows))
    log = replay(path, HERE)
    assert (log.counts.fixes, log.counts.late_fixes) == (4, 0)
    assert log.replays[0].fixes[1][3] == log.replays[0].fixes[3][3] - 1
    path.write_text("time,lat,lon\n2016-12-31T23:58:60Z,0,0\n")
    assert "minute 58" not in str(refusal(replay, path, HERE))


def test_a_virtual_file_names_no_other_file(tmp_path: Path) -> None:
    pytest.importorskip("pyogrio")
    (tmp_path / "secret.csv").write_text("time,lat,lon\n1,2,3\n")
    source = f"<SrcDataSource>{tmp_path / 'secret.csv'}</SrcDataSource>"
    for kind in ("gpkg", "shp", "kml", "gml", "fgb"):
        path = tmp_path / f"t.{kind}"
        path.write_text(f'<OGRVRTDataSource><OGRVRTLayer name="secret">{source}</OGRVRTLayer></OGRVRTDataSource>')
        assert "OGR_VRT" in str(refusal(replay, path, HERE))


def test_a_shapefile_that_is_cut_off(tmp_path: Path) -> None:
    geopandas = pytest.importorskip("geopandas")
    shapely = pytest.importorskip("shapely")
    frame = geopandas.GeoDataFrame(
        {"time": [f"2024-05-01T12:00:{row:02}Z" for row in range(40)]},
        geometry=[shapely.Point(0, 0)] * 40,
        crs="EPSG:4326",
    )
    frame.to_file(tmp_path / "t.shp")
    for kind in (".shp", ".dbf"):
        path = (tmp_path / "t.shp").with_suffix(kind)
        whole = path.read_bytes()
        path.write_bytes(whole[: len(whole) // 2])
        with pytest.warns(InputWarning, match=r"\d+ of the \d+ bytes"):
            try:
                replay(tmp_path / "t.shp", HERE)
            except InputError as error:
                assert "\n" not in str(error)
        path.write_bytes(whole)
    assert replay(tmp_path / "t.shp", HERE).counts.fixes == 40


def test_messages_stay_short(tmp_path: Path) -> None:
    """Error messages are short: in an earlier version, a message was as long as the invalid value or the list of column
    names, up to a megabyte."""
    path = tmp_path / "t.csv"
    for text in (
        "time,lat,lon\n" + "9" * 5_000 + ",0,0\n",
        "time,lat,lon\n" + "x" * 5_000 + ",0,0\n",
        ",".join(f"c{number}" for number in range(100_000)) + "\n",
        "time,lat,long" + "e" * 100_000 + "\n0,0,0\n",
    ):
        path.write_text(text)
        for call in (replay, lambda source, _: Zones(source)):
            assert len(str(refusal(call, path, HERE))) < 600
    assert "c18, c19 and 99980 more" in str(refusal(replay, _written(path, 100_000), HERE))


def _written(path: Path, columns: int) -> Path:
    path.write_text(",".join(f"c{number}" for number in range(columns)) + "\n")
    return path


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-00:01"])
def test_a_time_that_its_zone_moves_out_of_the_calendar(tmp_path: Path, text: str) -> None:
    """An earlier version accepted times that their UTC offset moves out of the calendar, and could not print the log of
    such a replay."""
    path = tmp_path / "t.csv"
    path.write_text(f"time,lat,lon\n{text},0,0\n")
    assert mentions(refusal(replay, path, HERE), "line 2: … 1 … 9999")
