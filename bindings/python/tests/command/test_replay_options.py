"""Tests options of ``fencepost replay`` and ``fencepost circles``: those that supply information which the files lack,
and those that choose the outputs."""

from __future__ import annotations

import csv
import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from conftest import ROOT, Run, mentions

from fencepost import Circle, InputError, InputWarning, compare, geodesic, replay
from fencepost.errors import InvalidArgumentError

DATA = ROOT / "examples" / "data"
CONDITIONS = DATA / "conditions.geojson"
HERE = {"here": Circle(0, 0, 100)}
DEMO = ("replay", DATA / "drive.csv", "--conditions", CONDITIONS)


def dates(run: Run, *arguments: object) -> list[str]:
    done = run("replay", *arguments, "--conditions", "c.csv", "--policy", "exact", "--format", "jsonl")
    assert done.returncode == 0, done.stderr
    return [json.loads(line)["date"] for line in done.stdout.splitlines()]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "c.csv").write_text("id,lat,lon,radius\nhere,0,0,100\n")
    return tmp_path


# ------------------------------------------------------------------------------------------------- times


def test_a_time_zone_for_times_that_have_none(folder: Path, run: Run) -> None:
    (folder / "t.csv").write_text("time,lat,lon,car\n2024-07-01 12:00:00,0,0,a\n2024-12-01 12:00:00,0,1,a\n")
    for more in ((), ("--by", "car"), ("--by", "car", "--jobs", "2")):
        assert dates(run, "t.csv", *more, "--time-zone", "Europe/Berlin") == [
            "2024-07-01T10:00:00.000000Z",
            "2024-12-01T11:00:00.000000Z",
        ]
    assert dates(run, "t.csv", "--time-zone=-09:30")[0] == "2024-07-01T21:30:00.000000Z"
    assert dates(run, "t.csv")[0] == "2024-07-01T12:00:00.000000Z"
    log = replay(folder / "t.csv", HERE, policy="exact", time_zone=ZoneInfo("Europe/Berlin"))
    assert log[0].date == datetime(2024, 7, 1, 10, tzinfo=UTC)


def test_every_kind_of_file_takes_the_zone(folder: Path) -> None:
    pandas = pytest.importorskip("pandas")
    expected = datetime(2024, 7, 1, 10, tzinfo=UTC)
    text = "2024-07-01 12:00:00"
    point = {"type": "Point", "coordinates": [0, 0]}
    feature = {"type": "Feature", "geometry": point, "properties": {"time": text}}
    (folder / "t.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": [feature]}))
    (folder / "t.gpx").write_text(
        f'<gpx version="1.1"><trk><trkseg><trkpt lat="0" lon="0"><time>{text.replace(" ", "T")}</time></trkpt>'
        "</trkseg></trk></gpx>"
    )
    (folder / "t.kml").write_text(
        f"<kml><Placemark><Track><when>{text.replace(' ', 'T')}</when><coord>0 0</coord></Track></Placemark></kml>"
    )
    frame = pandas.DataFrame({"time": pandas.to_datetime([text]), "lat": [0.0], "lon": [0.0]})
    texts = frame.assign(time=[text])
    sources = [folder / "t.geojson", folder / "t.gpx", folder / "t.kml", frame, texts]
    pytest.importorskip("nanoarrow")
    pyarrow = pytest.importorskip("pyarrow")
    sources += [pyarrow.Table.from_pandas(frame), pyarrow.Table.from_pandas(texts)]
    for source in sources:
        assert replay(source, HERE, policy="exact", time_zone="Europe/Berlin")[0].date == expected
    for source in sources:  # times without a zone are UTC in every format
        assert str(replay(source, HERE, policy="exact")[0].date)[:19] == text


def test_a_repeated_hour_gives_a_warning(folder: Path, run: Run) -> None:
    (folder / "t.csv").write_text("time,lat,lon\n2024-10-27 02:30:00,0,0\n")
    words = "2024-10-27 02:30:00 .* Europe/Berlin"
    with pytest.warns(InputWarning, match=words):
        replay(folder / "t.csv", HERE, time_zone="Europe/Berlin")
    (folder / "t.csv").write_text("time,lat,lon,car\n2024-10-27 02:30:00,0,0,a\n")
    for more in ((), ("--by", "car")):
        done = run("replay", "t.csv", "--conditions", "c.csv", "--time-zone", "Europe/Berlin", *more)
        assert re.match(f"fencepost: t.csv: {words}.*\n$", done.stderr)


def test_dates_with_slashes(folder: Path, run: Run) -> None:
    (folder / "t.csv").write_text("time,lat,lon,car\n05/04/2024 1:00:00 PM,0,0,a\n05/04/2024 1:00:10 PM,0,0,a\n")
    assert dates(run, "t.csv", "--date-order", "dmy") == ["2024-04-05T13:00:00.000000Z"]
    assert dates(run, "t.csv", "--date-order", "mdy", "--by", "car") == ["2024-05-04T13:00:00.000000Z"]
    done = run("replay", "t.csv", "--conditions", "c.csv")
    assert done.returncode == 2 and mentions(
        done.stderr, "fencepost: t.csv: line 2: time: '05/04/2024 1:00:00 PM' … day/month … month/day; … --date-order"
    )
    with pytest.raises(InputError, match="date_order='dmy'.*'mdy'"):
        replay(folder / "t.csv", HERE)
    log = replay(folder / "t.csv", HERE, policy="exact", date_order="dmy")
    assert log[0].date == datetime(2024, 4, 5, 13, tzinfo=UTC)


TIMES = "2024-07-01T12:00:00Z", "2024-07-01T14:00:10", "2024-07-01T12:00:20Z"


def mixed(name: str) -> str:
    """A file with three fixes; only the times of the first and the last have a zone."""
    if name == "rows.csv":
        return "latitude,longitude,time\n" + "".join(f"52.5,13.4,{time}\n" for time in TIMES)
    if name == "rows.geojson":
        return '{"type":"FeatureCollection","features":[' + ",".join(
            f'{{"type":"Feature","properties":{{"time":"{time}"}},"geometry":{{"type":"Point","coordinates":[13.4,52.5]}}}}'
            for time in TIMES
        ) + "]}"  # fmt: skip
    if name == "rows.gpx":
        rows = "".join(f'<trkpt lat="52.5" lon="13.4"><time>{time}</time></trkpt>' for time in TIMES)
        return f'<gpx version="1.1" creator="" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>{rows}</trkseg></trk></gpx>'
    rows = "".join(f"<when>{time}</when>" for time in TIMES) + "<gx:coord>13.4 52.5 0</gx:coord>" * 3
    kml = 'xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2"'
    return f"<kml {kml}><Placemark><gx:Track>{rows}</gx:Track></Placemark></kml>"


@pytest.mark.parametrize(
    ("name", "place"),
    [("rows.csv", "line 3"), ("rows.geojson", "point 2"), ("rows.gpx", "point 2"), ("rows.kml", "point 2")],
)
def test_only_some_times_state_a_zone(folder: Path, run: Run, name: str, place: str) -> None:
    """The others were read as UTC, although they may be local times."""
    (folder / name).write_text(mixed(name))
    words = (
        rf"{name}: {place}: time: 2024-07-01T14:00:10 has no time zone, .*12:00:00\+00:00 .* has one.*time_zone='UTC'"
    )
    with pytest.raises(InputError, match=words):
        replay(folder / name, HERE)
    log = replay(folder / name, HERE, time_zone="Europe/Berlin")
    assert (log.end - log.start, log.counts.late_fixes) == (timedelta(seconds=20), 0)  # type: ignore[operator]
    done = run("replay", name, "--conditions", "c.csv")
    assert (done.returncode, done.stdout) == (2, "") and "or state the zone" in done.stderr
    assert "--time-zone UTC" in done.stderr and "time_zone=" not in done.stderr
    assert run("replay", name, "--conditions", "c.csv", "--time-zone", "Europe/Berlin").returncode == 0


def test_a_zone_that_only_the_last_of_many_rows_states(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PyArrow reads large files in pieces of rows that either all have a zone or all lack one."""
    pytest.importorskip("pyarrow.csv")
    monkeypatch.setattr("fencepost._files.many_tracks.BATCH_ROWS", 100)
    start = datetime(2024, 7, 1)
    rows = [f"v,52.5,13.4,{(start + timedelta(seconds=second)).isoformat()}" for second in range(3000)]
    (folder / "rows.csv").write_text(
        "van,latitude,longitude,time\n" + "\n".join([*rows, "v,52.5,13.4,2024-07-01T01:00:00Z"])
    )
    with pytest.raises(InputError, match=r"line 3002: time: .*01:00:00\+00:00 has a time zone, .*00:00:00 .* has none"):
        replay(folder / "rows.csv", HERE, device="van")
    assert replay(folder / "rows.csv", HERE, device="van", time_zone="UTC").counts.fixes == 3001


def test_only_some_sightings_state_a_zone(folder: Path) -> None:
    (folder / "seen.jsonl").write_text("".join(f'{{"time":"{time}","beacons":[]}}\n' for time in TIMES))
    (folder / "rows.csv").write_text(
        "latitude,longitude,time\n52.5,13.4,2024-07-01 12:00\n52.5,13.4,2024-07-01 12:01\n"
    )
    with pytest.raises(InputError, match=r"seen.jsonl: line 2: 2024-07-01T14:00:10 has no time zone"):
        replay(folder / "rows.csv", HERE, sightings=folder / "seen.jsonl")
    # Each source has its own rule: the sightings have zones, the fixes have none.
    (folder / "seen.jsonl").write_text("".join(f'{{"time":"{time}","beacons":[]}}\n' for time in TIMES[::2]))
    assert replay(folder / "rows.csv", HERE, sightings=folder / "seen.jsonl").counts.reports == 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"time_zone": "Mars"}, "time_zone 'Mars' .* time zone .* Europe/Berlin, UTC .* \\+02:00"),
        ({"date_order": "ymd"}, "date_order 'ymd'"),
    ],
)
def test_invalid_zones_and_orders(options: dict[str, str], words: str) -> None:
    with pytest.raises(InvalidArgumentError, match=words):
        replay([], HERE, **options)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="time_zone"):
        replay([], HERE, time_zone=2)  # type: ignore[arg-type]


def test_until_and_start_are_of_that_zone_too(folder: Path, run: Run) -> None:
    (folder / "w.csv").write_text("lat,lon\n0,0\n0,0.01\n")
    found = dates(run, "w.csv", "--speed", "10", "--start", "2024-07-01 12:00", "--time-zone", "+02:00")
    assert found[0] == "2024-07-01T10:00:00.000000Z"
    for name in ("--until", "--time-zone"):
        done = run("replay", "w.csv", "--conditions", "c.csv", name, "noon")
        assert done.returncode == 2 and done.stderr.startswith(f"fencepost: argument {name}: 'noon' ")


# ---------------------------------------------------------------------------------------- radius and state


def test_assuming_unsatisfied_leaves_out_first_looks(folder: Path, run: Run) -> None:
    (folder / "c.csv").write_text("id,lat,lon\n" + "".join(f"c{n},0,{n / 100}\n" for n in range(100)))
    (folder / "t.csv").write_text("time,lat,lon,car\n" + "".join(f"{60 * n},0,{n / 100},a\n" for n in range(9)))
    all_of_them = dates(run, "t.csv", "--radius", "100")
    crossings = dates(run, "t.csv", "--radius", "100", "--assuming", "unsatisfied")
    assert len(all_of_them) > 100 and len(crossings) == 17
    assert len(dates(run, "t.csv", "--radius", "100", "--assuming", "unsatisfied", "--by", "car")) == 17
    done = run("replay", "t.csv", "--conditions", "c.csv")
    assert done.returncode == 2 and mentions(
        done.stderr, "fencepost: c.csv: line 1: … radius, … --conditions-columns radius=NAME, … --radius"
    )


# ------------------------------------------------------------------------------------------------- output


def test_events_and_visits_as_geojson_and_csv(tmp_path: Path, run: Run) -> None:
    expected = replay(DATA / "drive.csv", CONDITIONS)
    done = run(*DEMO, "--output", "e.geojson", "--visits", "v.csv")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "e.geojson").read_text() == expected.to_geojson()
    assert (tmp_path / "v.csv").read_text() == expected.visits().to_csv()
    assert run(*DEMO, "--output", "e.csv", "--visits", "v.geojson").returncode == 0
    assert (tmp_path / "e.csv").read_text() == expected.to_csv()
    features = json.loads((tmp_path / "v.geojson").read_text())["features"]
    rows = list(csv.DictReader((expected.visits().to_csv() or "").splitlines()))
    assert [feature["properties"]["start"] for feature in features] == [row["start"] for row in rows]
    assert all(feature["geometry"] is None for feature in features) and len(features) == len(rows) > 3
    compare(DATA / "drive.csv", CONDITIONS).to_file(tmp_path / "p.csv")
    assert len((tmp_path / "p.csv").read_text().splitlines()) == 4


def test_what_such_a_file_cannot_be(run: Run, tmp_path: Path) -> None:
    done = run(*DEMO, "--output", "e.geojson", "--output-crs", "EPSG:3857")
    assert done.returncode == 2 and mentions(done.stderr, "e.geojson: … EPSG:4326, … EPSG:3857")
    assert done.stdout == "" and not (tmp_path / "e.geojson").exists()
    done = run(*DEMO, "--output", "e.txt")
    assert re.search(r"e\.txt: .*\.gpkg, \.fgb, \.parquet, \.geojson, \.csv", done.stderr)
    done = run(*DEMO, "--output", "no/such/e.csv")
    assert done.returncode == 2 and mentions(done.stderr, "no/such/e.csv:")


# ------------------------------------------------------------------------------------------------- circles


def test_circles_as_polygons(tmp_path: Path, run: Run) -> None:
    shapely = pytest.importorskip("shapely")
    geopandas = pytest.importorskip("geopandas")
    (tmp_path / "c.csv").write_text("id,lat,lon,radius\nhome,52.5,13.4,200\nisland,-17,180,5000\n")
    done = run("circles", "c.csv", "--corners", "36")
    assert (done.returncode, done.stderr) == (0, "")
    features = json.loads(done.stdout)["features"]
    assert [feature["properties"] for feature in features] == [
        {"identifier": "home", "latitude": 52.5, "longitude": 13.4, "radius": 200.0},
        {"identifier": "island", "latitude": -17.0, "longitude": 180.0, "radius": 5000.0},
    ]
    assert features[0]["geometry"] == geodesic.circle(52.5, 13.4, 200, corners=36)
    assert features[1]["geometry"]["type"] == "MultiPolygon"
    for name in ("o.geojson", "o.gpkg", "o.fgb", "o.parquet"):
        assert run("circles", "c.csv", "--corners", "36", "--output", name).returncode == 0
        frame = geopandas.read_parquet(tmp_path / name) if name == "o.parquet" else geopandas.read_file(tmp_path / name)
        frame = frame.set_index("identifier")
        assert frame.crs.to_epsg() == 4326 and sorted(frame.index) == ["home", "island"]
        for feature in features:
            expected = shapely.geometry.shape(feature["geometry"])
            assert frame.geometry[feature["properties"]["identifier"]].equals(expected)


def test_circles_leave_beacons_out(run: Run) -> None:
    names = [
        feature["properties"]["identifier"] for feature in json.loads(run("circles", CONDITIONS).stdout)["features"]
    ]
    given = json.loads(CONDITIONS.read_text())["features"]
    assert names == [one["properties"]["identifier"] for one in given if one["geometry"] is not None]
    assert len(names) < len(given)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ("c.csv", "--output", "o.csv"),
            "argument --output: o.csv: ",
        ),
        (("c.csv", "--corners", "2"), "corners 2 … 3 … 1000000"),
        (("no.csv",), "no.csv: "),
    ],
)
def test_what_circles_refuses(folder: Path, run: Run, arguments: tuple[str, ...], words: str) -> None:
    done = run("circles", *arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert mentions(done.stderr, f"fencepost: {words}")


# ------------------------------------------------------------------------------------------------ messages


@pytest.mark.parametrize(
    ("track", "words"),
    [
        ("a,b\n1,2\n", "latitude, … --columns latitude=NAME"),
        ("lat,lon\n1,2\n", "--columns time=NAME"),
        (
            "time;lat;lon\n1;52,5;13,4\n",
            "latitude '52,5'",
        ),
    ],
)
def test_the_command_names_its_own_options(folder: Path, run: Run, track: str, words: str) -> None:
    (folder / "t.csv").write_text(track)
    done = run("replay", "t.csv", "--conditions", "c.csv")
    assert done.returncode == 2 and mentions(done.stderr, words) and done.stderr.count("\n") == 1
    for code in ("={", "replay(", "geopandas", "tz_localize", "True", "False"):
        assert code not in done.stderr


def test_vector_files_in_the_words_of_the_command(folder: Path, run: Run) -> None:
    geopandas = pytest.importorskip("geopandas")
    places = geopandas.points_from_xy([1.0], [2.0])
    geopandas.GeoDataFrame({"time": ["2024-05-01T12:00:00Z"]}, geometry=places, crs=4326).to_crs(3857).to_file(
        folder / "t.gpkg"
    )
    for more in ((), ("--by", "time")):
        done = run("replay", "t.gpkg", "--conditions", "c.csv", *more)
        assert done.returncode == 2 and mentions(done.stderr, "EPSG:3857 … --transform")
        assert run("replay", "t.gpkg", "--conditions", "c.csv", "--transform", *more).returncode == 0
    geopandas.GeoDataFrame({"x1": [1]}, geometry=places, crs=4326).to_file(folder / "n.gpkg")
    done = run("replay", "n.gpkg", "--conditions", "c.csv")
    assert "--columns time=NAME" in done.stderr and "columns=" not in done.stderr


# ----------------------------------------------------------------------------------------------- plausibility


def test_a_jump_is_doubted(folder: Path, run: Run) -> None:
    rows = "".join(f"{second},0,{longitude},a\n" for second, longitude in ((0, 0), (1, 0.5), (2, 0.0001), (3, 0.5)))
    (folder / "t.csv").write_text("time,lat,lon,car\n" + rows)
    doubting = ("--plausible-speed", "60")
    for by in ((), ("--by", "car"), ("--by", "car", "--jobs", "2"), ("--delivery", "first", "--by", "car")):
        assert len(dates(run, "t.csv", *by)) == 4
        arguments = (
            "replay",
            "t.csv",
            *by,
            *doubting,
            "--conditions",
            "c.csv",
            "--policy",
            "exact",
            "--format",
            "jsonl",
        )
        done = run(*arguments)
        assert len(done.stdout.splitlines()) == 1
        assert "2 of 4 fixes were doubted (they need more than 60 m/s)" in done.stderr
    assert len(dates(run, "t.csv", *doubting, "--corroboration-count", "2", "--corroboration-time", "0")) == 1
    log = replay(folder / "t.csv", HERE, policy="exact", plausible_speed=60)
    assert log.counts.doubted_fixes == 2 and log.counts.fixes == 4 and len(log) == 1
    outcome = compare(folder / "t.csv", HERE, policies=["exact"], plausible_speed=60)
    assert [one.flaps for one in outcome] == [0]
    for wrong in (
        ("--plausible-speed", "0"),
        ("--corroboration-count", "3"),
        (*doubting, "--corroboration-count", "1"),
    ):
        done = run("replay", "t.csv", *wrong, "--conditions", "c.csv")
        assert done.returncode == 2 and wrong[-2] in done.stderr


# ----------------------------------------------------------------------------------------------- probability


@pytest.fixture
def uncertain(folder: Path) -> tuple[str, ...]:
    """A device that is certainly inside, then perhaps outside, then certainly outside."""
    (folder / "p.csv").write_text("id,lat,lon,radius,entry_probability,exit_probability\nhere,0,0,100,0.99,0.01\n")
    rows = ((0, 0, 10), (100, 0.0012, 200), (200, 0.0012, 20))
    (folder / "t.csv").write_text("time,lat,lon,acc,car\n" + "".join(f"{10**9 + t},{y},0,{a},a\n" for t, y, a in rows))
    return "replay", "t.csv", "--conditions", "p.csv", "--policy", "exact"


@pytest.mark.parametrize("order", ["add", "exits_first"])
@pytest.mark.parametrize("by", [(), ("--by", "car")])
def test_the_order_of_the_events_of_one_fix(tmp_path: Path, run: Run, order: str, by: tuple[str, ...]) -> None:
    (tmp_path / "t.csv").write_text("time,lat,lon,car\n1000000000,0,0,a\n1000000060,0,1,a\n")
    (tmp_path / "p.csv").write_text("identifier,latitude,longitude,radius\neast,0,1,100\nwest,0,0,100\n")
    files = (str(tmp_path / "t.csv"), "--conditions", str(tmp_path / "p.csv"), "--assuming", "unsatisfied")
    done = run("replay", *files, *by, "--policy", "exact", "--format", "jsonl", "--order", order)
    found = [json.loads(line)["identifier"] for line in done.stdout.splitlines()]
    assert found == ["west", *(["east", "west"] if order == "add" else ["west", "east"])]


@pytest.mark.parametrize(
    ("option", "text", "limits"),
    [
        ("--plausible-speed", "60km/h", "0"),
        ("--corroboration-count", "3.5", "2 … 1000"),
        ("--corroboration-time", "1min", "0 … 1e9"),
        ("--accuracy-confidence", "68%", "0.01 … 0.9999"),
    ],
)
def test_a_text_that_is_not_a_number_is_refused_with_the_range(run: Run, option: str, text: str, limits: str) -> None:
    done = run(*DEMO, "--plausible-speed", "60", option, text)
    assert done.returncode == 2 and mentions(done.stderr, f"{option} … {text} … {limits}"), done.stderr


def test_every_form_of_events_shows_probabilities(uncertain: tuple[str, ...], run: Run) -> None:
    # The second fix is outside, but too uncertain to start a change.
    expected = [round(Circle(0, 0, 100).probability(*place), 4) for place in ((0, 0, 10), (0.0012, 0, 20))]
    for by in ((), ("--by", "car")):
        done = run(*uncertain, *by, "--format", "jsonl")
        assert done.returncode == 0, done.stderr
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        rows = list(csv.DictReader(run(*uncertain, *by, "--format", "csv").stdout.splitlines()))
        table = run(*uncertain, *by).stdout.splitlines()
        assert "probability" in table[0]
        for kind in (lines, rows, json.loads(run(*uncertain, *by, "--format", "geojson").stdout)["features"]):
            found = [float(each.get("properties", each)["probability"]) for each in kind]
            assert [round(one, 4) for one in found] == expected
        assert [float(line.split()[-1]) for line in table[2:]] == expected
    assert "probability" not in run(*DEMO).stdout


def test_the_confidence_of_accuracies(uncertain: tuple[str, ...], run: Run, folder: Path) -> None:
    def found(*options: str) -> list[float]:
        done = run(*uncertain, "--until", "2001-09-09T01:48:20Z", "--format", "jsonl", *options)
        assert done.returncode == 0, done.stderr
        return [json.loads(line)["probability"] for line in done.stdout.splitlines()]

    (folder / "t.csv").write_text("time,lat,lon,acc\n1000000000,0,0,60\n")
    assert found() == found("--accuracy-confidence", "0.68") == []
    (probability,) = found("--accuracy-confidence", "0.95")
    assert probability == pytest.approx(Circle(0, 0, 100).probability(0, 0, 60, confidence=0.95), abs=1e-9)
    for wrong in ("0", "1", "nan", "95", "1e-3", "half"):
        done = run(*uncertain, "--accuracy-confidence", wrong)
        assert done.returncode == 2 and mentions(done.stderr, f"--accuracy-confidence: … {wrong}")
        assert len(done.stderr.splitlines()) == 1
    assert "95 % is 0.95" in run(*uncertain, "--accuracy-confidence", "95").stderr


def test_the_summary_shows_the_probability_at_the_end(uncertain: tuple[str, ...], run: Run, folder: Path) -> None:
    (folder / "p.csv").write_text(
        "id,lat,lon,radius,entry_probability,exit_probability\nhere,0,0,100,0.99,0.01\nthere,0,0,9,,\n"
    )
    (folder / "t.csv").write_text("time,lat,lon,acc\n1000000000,0,0,10\n1000000100,0.0009,0,50\n")
    summary = run(*uncertain, "--summary", "--format", "jsonl").stderr.splitlines()
    assert "probability" in summary[0]
    here, there = (next(line.split() for line in summary if line.startswith(name)) for name in ("here", "there"))
    assert float(here[-2]) == pytest.approx(Circle(0, 0, 100).probability(0.0009, 0, 50), abs=1e-4)
    assert len(there) == len(here) - 1
