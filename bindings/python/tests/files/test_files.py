"""Tests the readers of tracks (GPX, CSV and GeoJSON), conditions and sightings, with real files and broken files."""

from __future__ import annotations

import errno
import itertools
import json
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import OWN_TRACKS, TRACKS, UUID, mentions, needs_shared, recorded_tracks

from fencepost import Beacon, Circle, Monitor, Notify, State, TransitionPolicy
from fencepost._errors import InputError
from fencepost._files.condition_files import read_conditions
from fencepost._files.sightings import read_sightings
from fencepost._files.track_files import read_track
from fencepost._files.tracks import Track
from fencepost._monitor.filling import add_conditions
from fencepost._tables.names import CONDITIONS, TRACK
from fencepost._tables.text_times import parse_time

GPX = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1">\n{}</gpx>'
)
POINT = '<trkpt lat="52.5" lon="13.4"><time>1970-01-01T00:00:{:02}Z</time></trkpt>\n'
SEGMENT = "<trk><trkseg>\n{}</trkseg></trk>\n"
GEOJSON = "geojson/run-dc-garmin.gpx.geojson"
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def to(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return to


def refusal(call: Callable[..., Any], path: Path, *arguments: Any, **options: Any) -> str:
    """Returns the error message about a file, without the file's name. Checks that the message is one line and begins
    with the file's name."""
    with pytest.raises(InputError) as caught:
        call(path, *arguments, **options)
    text = str(caught.value)
    assert "\n" not in text and text.startswith(f"{path}: ")
    return text[len(f"{path}: ") :]


# The known numbers of points, and the first and last times (see SOURCES.md in the files' folder).
SHARED_COUNTS = {
    "apple-watch-hacc.gpx": 44,
    "bike-basel-border-etrex.gpx": 479,
    "bike-big-sur-garmin.gpx": 8234,
    "bird-oystercatcher-2018-dop-accuracy.csv": 9013,
    "bus-limerick-304.gpx": 2144,
    "bus-liverpool-route14.csv": 1533,
    "car-i280-qcom.csv": 30,
    "car-i280-ublox.csv": 579,
    "car-moscow-hdop-sat.gpx": 2747,
    "car-visnjan-short.gpx": 104,
    "hike-10h-gpsmap64s.gpx": 3540,
    "run-dc-garmin.gpx": 206,
    "run-sf-strava-teleport.gpx": 1118,
    "seal-bering-antimeridian-3x.csv": 2442,
    "seal-bering-antimeridian-outliers.csv": 1435,
    "seal-ross-sea-78S.csv": 1786,
    "ship-ais-north-sea-205316000.csv": 732,
    "static-phone-2016-06-30-gnsslogger-fix.csv": 216,
    "train-neuchatel-lausanne-accuracy.csv": 1327,
    "trip-multiday-riviera.gpx": 9868,
    "walk-blue-hills-months.gpx": 1243,
    "walk-cerknica-2010.gpx": 296,
    "walk-tokyo-urban-canyon.gpx": 4142,
    "glider-new-zealand.gpx": 5367,
    "glider-olsztyn.gpx": 2469,
    "paraglider-skytraxx.gpx": 2008,
    "run-dc-garmin.gpx.geojson": 206,
}


# For each source in the repository: the number of points, the time of the first point, and the time of the last point.
OWN = {
    "gpx/bike-basel.gpx": (120, "2018-06-19T15:36:37Z", "2018-06-19T15:49:23Z"),
    "gpx/car-moscow.gpx": (100, "2009-05-19T04:00:30Z", "2009-05-19T04:02:20Z"),
    "csv/train-neuchatel.csv": (120, "2019-01-25T20:00:16.178999Z", "2019-01-25T20:04:26Z"),
    "csv/seal-bering.csv": (100, "2005-11-08T03:44:20Z", "2005-11-13T15:49:18Z"),
    "nmea/car-mountain-view.nmea": (100, "2020-02-07T02:16:20Z", "2020-02-07T02:17:59Z"),
    "nmea/quectel.log": (34, "2020-10-07T02:20:21Z", "2020-10-07T02:21:02Z"),
}


@pytest.mark.parametrize("name", OWN)
def test_recorded_tracks(name: str) -> None:
    fixes = read_track(OWN_TRACKS / name).fixes
    count, first, last = OWN[name]
    assert (len(fixes), fixes[0][3], fixes[-1][3]) == (count, parse_time(first), parse_time(last))
    assert all(abs(fix[0]) <= 90 and abs(fix[1]) <= 180 for fix in fixes)


def test_every_recorded_track_has_a_source() -> None:
    sources = (OWN_TRACKS / "SOURCES.md").read_text(encoding="utf-8")
    files = {path.relative_to(OWN_TRACKS).as_posix() for path in OWN_TRACKS.glob("*/*")}
    assert files == {*OWN, "nmea/quectel.log.chk"}
    assert all(f"`{name}`" in sources for name in OWN)


def test_what_is_special_about_the_recorded_tracks() -> None:
    seal = read_track(OWN_TRACKS / "csv" / "seal-bering.csv").fixes
    assert sum(abs(after[1] - before[1]) > 180 for before, after in itertools.pairwise(seal)) == 3  # the antimeridian
    assert any(before[3] == after[3] for before, after in itertools.pairwise(seal))
    train = read_track(OWN_TRACKS / "csv" / "train-neuchatel.csv").fixes
    assert (min(fix[2] for fix in train), max(fix[2] for fix in train)) == (0, 96)
    assert sum(before[3] > after[3] for before, after in itertools.pairwise(train)) == 1
    car = OWN_TRACKS / "gpx" / "car-moscow.gpx"
    assert {fix[2] for fix in read_track(car).fixes} == {0.0}
    assert read_track(car, hdop_scale=5).fixes[0][2] == pytest.approx(5 * 2.61)


# If the shared tracks are missing, one test is skipped instead of one for each track.
@pytest.mark.parametrize("name", SHARED_COUNTS if TRACKS.is_dir() else [])
def test_shared_tracks(name: str) -> None:
    (path,) = TRACKS.glob(f"*/{name}")
    track = read_track(path)
    assert len(track.fixes) == SHARED_COUNTS[name] and not track.way_points
    assert all(abs(fix[0]) <= 90 and abs(fix[1]) <= 180 for fix in track.fixes)
    # According to the names or descriptions of the files, all tracks are from the years 2000 to 2026.
    assert all(946_684_800_000_000 < fix[3] < 1_800_000_000_000_000 for fix in track.fixes)


@needs_shared()
def test_every_shared_file_is_in_the_list() -> None:
    files = {path.name for path in recorded_tracks("gpx", "csv") if path.is_relative_to(TRACKS)}
    assert files <= {*SHARED_COUNTS, "parser-edge-fix-whitespace.gpx"}


@needs_shared()
def test_accuracy_columns() -> None:
    for name, least, most in (
        ("static-phone-2016-06-30-gnsslogger-fix.csv", 3.0, 4.0),
        ("train-neuchatel-lausanne-accuracy.csv", 0.0, 96.0),
    ):
        accuracies = [fix[2] for fix in read_track(TRACKS / "csv" / name).fixes]
        assert (min(accuracies), max(accuracies)) == (least, pytest.approx(most, abs=0.9))


@needs_shared()
def test_times_of_odd_files() -> None:
    def first(path: str) -> int:
        return read_track(TRACKS / path).fixes[0][3]

    assert first("csv/seal-bering-antimeridian-3x.csv") == 1_128_717_041_000_000  # 20:30:41 07-Oct-2005
    assert first("csv/car-i280-qcom.csv") == 1_533_226_490_000_000  # utc_ms
    assert first("csv/static-phone-2016-06-30-gnsslogger-fix.csv") == 1_467_321_969_000_000  # (UTC)TimeInMs
    assert first("csv/train-neuchatel-lausanne-accuracy.csv") == 1_548_446_416_178_999  # nanoseconds, truncated
    times = [[fix[3] for fix in read_track(TRACKS / name).fixes] for name in ("gpx/run-dc-garmin.gpx", GEOJSON)]
    assert times[0] == times[1]  # the same drive


@needs_shared()
def test_a_file_that_gpxpy_refuses_is_tidied_up() -> None:
    track = read_track(TRACKS / "gpx" / "parser-edge-fix-whitespace.gpx")
    assert len(track.fixes) + len(track.way_points) > 0
    assert all(math.isfinite(fix[0]) for fix in track.fixes)


@needs_shared()
def test_hdop_is_an_accuracy_only_when_asked() -> None:
    path = TRACKS / "gpx" / "car-moscow-hdop-sat.gpx"
    assert {fix[2] for fix in read_track(path).fixes} == {0.0}
    scaled = [fix[2] for fix in read_track(path, hdop_scale=5).fixes]
    assert scaled[0] == pytest.approx(5 * 2.61) and max(scaled) == pytest.approx(5 * 3.35)


# ------------------------------------------------------------------------------------------------ GPX


def test_gpx_encodings_and_marks(write: Write) -> None:
    text = GPX.format("<metadata><name>Zürich</name></metadata>" + SEGMENT.format(POINT.format(1)))
    expected = [(52.5, 13.4, 0.0, 1_000_000)]
    assert read_track(write("a.gpx", text)).fixes == expected
    assert read_track(write("b.gpx", b"\xef\xbb\xbf" + text.encode())).fixes == expected
    latin = text.replace("UTF-8", "ISO-8859-1").encode("latin-1")
    assert read_track(write("c.gpx", latin)).fixes == expected
    assert read_track(write("d.gpx", text.replace("UTF-8", "UTF-16").encode("utf-16"))).fixes == expected
    assert read_track(write("no-ending", text)).fixes == expected
    prefixed = text.replace("<", "<g:").replace("<g:/", "</g:").replace("<g:?", "<?").replace("xmlns=", "xmlns:g=")
    assert read_track(write("e.gpx", prefixed)).fixes == expected


def test_gpx_order_of_sources(write: Write) -> None:
    way = '<wpt lat="1" lon="2"><time>1970-01-01T00:00:00Z</time></wpt>'
    route = '<rte><rtept lat="3" lon="4"><time>1970-01-01T00:00:00</time></rtept></rte>'
    track = SEGMENT.format(POINT.format(9)) + SEGMENT.format(POINT.format(5))
    assert [fix[0] for fix in read_track(write("a.gpx", GPX.format(way))).fixes] == [1]
    assert [fix[::3] for fix in read_track(write("b.gpx", GPX.format(way + route))).fixes] == [(3, 0)]
    assert [fix[3] // 10**6 for fix in read_track(write("c.gpx", GPX.format(way + route + track))).fixes] == [9, 5]


def test_gpx_sloppy_values(write: Write) -> None:
    point = (
        '<trkpt lat=" 52.5 " lon="13.4"><ele>n/a</ele><time>\n1970-01-01T00:00:01.5+00:00\n</time><fix>3d\n</fix>'
        "<sat>many</sat></trkpt><trkpt lat='1' lon='2'><time>1970-01-01T00:00:02Z</time><fix>none</fix></trkpt>"
    )
    first, second = read_track(write("a.gpx", GPX.format(SEGMENT.format(point)))).fixes
    assert first == (52.5, 13.4, 0.0, 1_500_000)
    assert math.isnan(second[2])  # the second point has no fix, so it has no position


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (GPX.format(SEGMENT.format(POINT.format(1) * 3))[:260], "line 5: … XML"),
        (GPX.format(""), "points"),
        (GPX.format(SEGMENT.format(POINT.format(1) + '<trkpt lat="1" lon="2"/>')), "point 2: … time"),
        (GPX.format(SEGMENT.format('<trkpt lat="1"/>')), "point 1:"),
        (GPX.format(SEGMENT.format(POINT.format(1) + '<trkpt lat="abc" lon="2"/>')), "point 2: lat 'abc'"),
        ("<kml></kml>", "line 1: … <kml>"),
        ("", "line 1: … XML"),
        ("just text", "line 1: … XML"),
        (b"<gpx>\n\xff\xfe\xfd</gpx>", "line 2: byte 6 is not UTF-8"),
        (b'<?xml version="1.0" encoding="klingon"?><gpx/>', "unknown encoding 'klingon'"),
        (b"\xff\xfe<\x00g", "line 1: byte 4 is not UTF-16"),
    ],
)
def test_broken_gpx(write: Write, content: str | bytes, words: str) -> None:
    assert mentions(refusal(read_track, write("a.gpx", content)), words)


# ------------------------------------------------------------------------------------------------ CSV


@pytest.mark.parametrize(
    "text",
    [
        "time,latitude,longitude,accuracy\n1970-01-01T00:00:01Z,52.5,13.4,5\n",
        "\ufefflat;lng;timestamp;acc\n52.5;13.4;1;5\n",
        "Location-Long\tLocation-Lat\ttime_ms\thAcc\n13.4\t52.5\t1000\t5\n",
        "# made by hand\n# X,Y,T,Accuracy\n13.4,52.5,1,5\n",
        'name,"x",y,date,accuracy_m\n"a, ""b""\nc",13.4,52.5,1970-01-01 00:00:01,5.0\n\n',
        "time_us,latitude,longitude,accuracy\r\n1000000,52.5,13.4,5\r\n",
    ],
)
def test_csv_headers(write: Write, text: str) -> None:
    assert read_track(write("a.csv", text)).fixes == [(52.5, 13.4, 5.0, 1_000_000)]


def test_csv_named_columns(write: Write) -> None:
    path = write("a.csv", "a,b,c,d,time\n52.5,13.4,1,5,never\n")
    columns = {"latitude": "a", "longitude": "b", "time": "c", "accuracy": "d"}
    assert read_track(path, columns=columns).fixes == [(52.5, 13.4, 5.0, 1_000_000)]
    assert mentions(refusal(read_track, path, columns={**columns, "time": "z"}), "column 'z'")


def test_csv_holes(write: Write) -> None:
    fixes = read_track(write("a.csv", "t,lat,lon,acc\n1,52.5,13.4,\n2,,,5\n3,NA,1,5\n4,91,181,5\n")).fixes
    assert fixes[0] == (52.5, 13.4, 0.0, 1_000_000) and fixes[3][:2] == (91, 181)
    assert all(math.isnan(fix[0]) and math.isnan(fix[2]) for fix in fixes[1:3])


@pytest.mark.parametrize("blank", ["", " ", "\t", " NA "])
def test_csv_cells_of_blanks_are_empty(write: Write, blank: str) -> None:
    fixes = read_track(write("a.csv", f"t,lat,lon,acc\n1, 52.5,13.4 ,{blank}\n2,{blank},13.4,5\n")).fixes
    assert fixes[0] == (52.5, 13.4, 0.0, 1_000_000)
    assert math.isnan(fixes[1][0]) and math.isnan(fixes[1][2])


def test_csv_without_times_is_way_points(write: Write) -> None:
    path = write("a.csv", "lat,lon\n1,2\n3,4\n")
    assert read_track(path) == Track(str(path), [], [(1, 2), (3, 4)], columns=["lat", "lon"])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "line 1:"),
        ("time,longitude\n1,2\n", "line 1: … latitude, … time, longitude"),
        ("time,lat,lon\n", "points"),
        ("time,lat,lon\n1,2,3\n4,5\n", "line 3: … 2 columns, … 3"),
        ("time,lat,lon\n1,2,3\n4,five,6\n", "line 3: latitude 'five'"),
        ("time,lat,lon\nlater,2,3\n", "line 2: time: 'later'"),
        ("time,lat,lon\n1,2,3\n,2,3\n", "line 3: time"),
        (b"time,lat,lon\n1,2,3\n\xe9,2,3\n", "line 3: byte 19 is not UTF-8"),
        ("time,lat,lon\n\0,2,3\n", "line 2: time"),
        ('time,lat,lon\n1,2,"' + "3" * 200_000 + '"\n', "CSV"),
    ],
)
def test_broken_csv(write: Write, content: str | bytes, words: str) -> None:
    assert mentions(refusal(read_track, write("a.csv", content)), words)


def test_names_of_columns_are_in_their_short_form() -> None:
    assert all(
        name.isalnum() and name == name.lower()
        for known in (TRACK, CONDITIONS)
        for names in known.values()
        for name in names
    )


# -------------------------------------------------------------------------------------------- GeoJSON


def line(coordinates: object, kind: str = "LineString", **properties: object) -> str:
    geometry = {"type": kind, "coordinates": coordinates}
    return json.dumps({"type": "Feature", "geometry": geometry, "properties": properties})


@pytest.mark.parametrize(
    "text",
    [
        line([[13.4, 52.5, 30], [0, 0]], coordTimes=["1970-01-01T00:00:01Z", "1970-01-01T00:00:02Z"]),
        line([[[13.4, 52.5]], [[0, 0]]], "MultiLineString", times=[[1], [2]]),
        line([[13.4, 52.5], [0, 0]], coordinateProperties={"times": ["1970-01-01T00:00:01Z", 2]}),
        '{"type": "FeatureCollection", "features": [' + line([[13.4, 52.5], [0, 0]], times=[1, 2]) + "]}",
    ],
)
def test_geojson_lines(write: Write, text: str) -> None:
    fixes = read_track(write("a.geojson", text)).fixes
    assert [fix[:4] for fix in fixes] == [(52.5, 13.4, 0.0, 1_000_000), (0, 0, 0.0, 2_000_000)]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "line 1 column 2: … JSON"),
        ("[1, 2]", "type: … GeoJSON"),
        ('{"type": "FeatureCollection", "features": [7]}', "features[0]: … Feature"),
        (line([[1, 2]], "MultiPoint"), "feature: is a MultiPoint"),
        (line([[1, 2], [3, 4]], times=[1]), "has 2 positions but 1 times"),
        (line([[1, 2], ["3", 4]], times=[1, 2]), "point 2: … [longitude, latitude] … '3'"),
        (line([[1, 2], [3, 4]], times=[1, "soon"]), "point 2: time: 'soon'"),
        (line([[1, 2], [3, 4]], times=[1, None]), "point 2: … time"),
        (line([[1, 2], [3, 10**400]], times=[1, 2]), "point 2"),
        ('{"type": "Feature", "x": ' + "[" * 100_000, "nested"),
        ('{"type": ' + "9" * 5000 + "}", "4300"),
        ('{"type": NaN}', "line 1 column 10: NaN … JSON"),
        ('{"NaN \\"Infinity": "NaN",\n "b": [-Infinity]}', "line 2 column 8: … JSON"),
    ],
)
def test_broken_geojson(write: Write, content: str, words: str) -> None:
    assert mentions(refusal(read_track, write("a.geojson", content)), words)


def test_a_flight_log_is_named(write: Write) -> None:
    log = "AXSX004 SKYTRAXX\r\nHFDTE150423\r\nB0739373634583N03158247EA0057300635\r\n"
    words = "line 1: … IGC … GPX"
    for name in ("a.igc", "a.csv", "a.txt"):
        assert mentions(refusal(read_track, write(name, log)), words)


@needs_shared()
def test_shared_flight_logs_are_named(tmp_path: Path) -> None:
    for path in TRACKS.glob("igc/*.igc"):
        copy = tmp_path / f"{path.stem}.csv"
        copy.write_bytes(path.read_bytes())
        assert "IGC" in str(refusal(read_track, path)) and "IGC" in str(refusal(read_track, copy))


def test_files_that_are_not_there(tmp_path: Path) -> None:
    assert refusal(read_track, tmp_path / "none.gpx") == os.strerror(errno.ENOENT)
    assert refusal(read_conditions, tmp_path, TransitionPolicy()) == os.strerror(errno.EISDIR)


# ----------------------------------------------------------------------------------------- conditions


def feature(**properties: object) -> dict[str, Any]:
    return {"type": "Feature", "geometry": {"type": "Point", "coordinates": [13.4, 52.5]}, "properties": properties}


def collection(*features: object) -> str:
    return json.dumps({"type": "FeatureCollection", "features": features})


def test_conditions(write: Write) -> None:
    base = TransitionPolicy.exact()
    rows = read_conditions(
        write(
            "c.geojson",
            collection(
                feature(identifier="plain", radius=100, colour="red"),
                feature(identifier="preset", radius=1.5, policy="core_location", assuming="satisfied"),
                feature(identifier="object", radius=100, policy={"entry_dwell": 3, "notify": ["entry"]}),
                {**feature(identifier="beacon", uuid=UUID.upper(), major=1, minor=2), "geometry": None},
                {**feature(identifier="any", uuid=UUID), "geometry": None},
            ),
        ),
        base,
    )
    assert [row.identifier for row in rows] == ["plain", "preset", "object", "beacon", "any"]
    assert rows[0].condition == Circle(52.5, 13.4, 100) and rows[0].policy == base
    assert rows[1].policy == TransitionPolicy.core_location() and rows[1].assuming is State.SATISFIED
    changed = rows[2].policy
    assert (changed.entry_dwell, changed.exit_dwell, changed.notify) == (3, 0, Notify.ENTRY)
    assert rows[3].condition == Beacon(UUID, 1, 2)
    assert rows[4].condition == Beacon(UUID)
    monitor = Monitor()
    add_conditions(monitor, rows, "c.geojson")
    assert [record.condition for record in monitor.records()] == [row.condition for row in rows]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("not JSON", "line 1 column 1: … JSON"),
        ("[]", "type: … GeoJSON FeatureCollection"),
        ('{"type": "FeatureCollection"}', "features:"),
        (collection(feature(identifier="a", radius=1), 7), "features[1]: … Feature"),
        (collection({"type": "Feature", "geometry": None}), "features[0]:"),
        (collection(feature(radius=1)), "features[0]: identifier"),
        (collection(feature(identifier="a")), "features[0]: radius: "),
        (collection(feature(identifier="a", radius="100")), "radius"),
        (collection(feature(identifier="a", radius=True)), "radius"),
        (collection(feature(identifier="a", radius=1, assuming="inside")), "assuming 'inside'"),
        (collection(feature(identifier="a", radius=1, policy="strict")), "policy 'strict'"),
        (collection(feature(identifier="a", radius=1, policy={"dwell": 3})), "policy field 'dwell'"),
        (collection(feature(identifier="a", radius=1, policy=7)), "features[0]: policy "),
        (collection(feature(identifier="a", radius=1), feature(identifier="a", radius=2)), "features[0]"),
        (collection(feature(identifier="a", radius=1, uuid=UUID)), "geometry … uuid"),
        (
            collection({**feature(identifier="a", radius=1), "geometry": {"type": "Polygon"}}),
            "coordinates: None",
        ),
        (collection({**feature(identifier="a", radius=1), "geometry": {"type": "Point"}}), "coordinates"),
        (collection({**feature(identifier="a", radius=1), "geometry": None}), "uuid: "),
        (collection({**feature(identifier="a", uuid="xyz"), "geometry": None}), "xyz"),
        (collection({**feature(identifier="a", uuid=UUID, major=70000), "geometry": None}), "major 70000"),
        (collection({**feature(identifier="a", uuid=UUID, minor=1), "geometry": None}), "minor … major"),
        (collection({**feature(identifier="a", uuid=UUID, major="1"), "geometry": None}), "major"),
    ],
)
def test_broken_conditions(write: Write, content: str, words: str) -> None:
    assert mentions(refusal(read_conditions, write("c.geojson", content), TransitionPolicy()), words)


@pytest.mark.filterwarnings("ignore::fencepost.InputWarning")  # about small radii
@pytest.mark.parametrize(
    ("properties", "words"),
    [
        ({"identifier": "", "radius": 1}, "identifier"),
        ({"identifier": "x" * 257, "radius": 1}, "identifier"),
        ({"identifier": "a", "radius": 0}, "radius"),
        ({"identifier": "a", "radius": 1, "policy": {"entry_dwell": -1}}, "entry_dwell"),
    ],
)
def test_errors_of_the_library_name_the_place(write: Write, properties: dict[str, Any], words: str) -> None:
    path = write("c.geojson", collection(feature(identifier="first", radius=1), feature(**properties)))
    with pytest.raises(InputError, match=words) as caught:
        add_conditions(Monitor(), read_conditions(path, TransitionPolicy()), path)
    assert caught.value.place == "features[1]"


# ------------------------------------------------------------------------------------------ sightings


def test_sightings(write: Write) -> None:
    beacon = {"uuid": UUID, "major": 1, "minor": 2}
    lines = [
        {"time": "1970-01-01T00:00:01Z", "beacons": [{**beacon, "rssi": -60}, beacon]},
        {"time": 2, "beacons": []},
        {"time": 3.5, "scanning": False},
    ]
    reports = read_sightings(write("s.jsonl", "\n\n".join(map(json.dumps, lines))))
    assert [(report.place, report.time_us) for report in reports] == [
        ("line 1", 1_000_000), ("line 3", 2_000_000), ("line 5", 3_500_000),
    ]  # fmt: skip
    assert [beacon.rssi for beacon in reports[0].beacons] == [-60, None]
    assert reports[1].beacons == [] and reports[2].beacons is None and reports[2].scanning is False


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('{"time": 1, "beacons": []}\n{', "line 2: … JSON"),
        ("7", "line 1:"),
        ('{"beacons": []}', "line 1: time"),
        ('{"time": 1}', "beacons … scanning"),
        ('{"time": 1, "beacons": [], "scanning": true}', "beacons … scanning"),
        ('{"time": 1, "scanning": "on"}', "scanning"),
        ('{"time": 1, "beacon": []}', "key 'beacon'"),
        ('{"time": 1, "beacons": {}}', "beacons"),
        ('{"time": 1, "beacons": [{"uuid": "x", "major": 1, "minor": 1}]}', "beacons[0]"),
        ('{"time": 1, "beacons": [{"uuid": "%s", "major": 1}]}' % UUID, "beacons[0]: minor"),
        ('{"time": 1, "beacons": [{"uuid": "%s", "major": 70000, "minor": 1}]}' % UUID, "major 70000"),
        ('{"time": 1, "beacons": [{"uuid": "%s", "major": 1, "minor": 1, "rssi": "x"}]}' % UUID, "rssi"),
        ('{"time": "soon", "beacons": []}', "'soon'"),
    ],
)
def test_broken_sightings(write: Write, content: str, words: str) -> None:
    assert mentions(refusal(read_sightings, write("s.jsonl", content)), words)
