"""Tests crossings between two fixes in the commands: ``replay --path``, ``watch --path``, and the values that these
options refuse."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from conftest import EXACT, OWN_TRACKS, SECOND, Run, mentions
from watching import START, Watched

from fencepost import Circle, Fix, Monitor, Visits, compare, replay

PLACE = {"gate": Circle(0, 0, 150)}
# One fix a minute at 20 m/s along the equator; the circle lies between two fixes.
TRACK = [Fix(0, -0.016 + 0.0108 * minute, 5, time=60 * SECOND * minute) for minute in range(4)]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Writes a track of two devices and a place that lies between fixes of the track."""
    places, track = tmp_path / "places.json", tmp_path / "track.csv"
    point = {"type": "Point", "coordinates": [0, 0]}
    properties = {"identifier": "gate", "radius": 150, "policy": "exact", "assuming": "unsatisfied"}
    features = [{"type": "Feature", "geometry": point, "properties": properties}]
    places.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    rows = [
        f"{name},{fix.latitude},{fix.longitude * side},{fix.accuracy},{fix.time_us}"
        for fix in TRACK
        for name, side in (("east", 1), ("west", -1))
    ]
    track.write_text("device,lat,lon,accuracy,time_us\n" + "\n".join(rows) + "\n")
    return track, places


@pytest.mark.parametrize("more", [(), ("--jobs", "2")])
def test_replay_of_many_tracks(run: Run, files: tuple[Path, Path], more: tuple[str, ...]) -> None:
    track, places = files
    command = ("replay", track, "--conditions", places, "--by", "device", "--format", "jsonl", *more)
    assert run(*command).stdout == "", "no fix lies inside"
    done = run(*command, "--path", "geodesic", "--max-gap", "60")
    rows = [json.loads(row) for row in done.stdout.splitlines()]
    assert [(row["device"], row["state"], row["evidence"]) for row in rows] == [
        ("east", "satisfied", "path"),
        ("east", "unsatisfied", "path"),
        ("west", "satisfied", "path"),
        ("west", "unsatisfied", "path"),
    ]
    assert all(row["date"] == row["evidence_date"] and "gap" not in row for row in rows)
    assert rows[0]["date"] == rows[2]["date"] and rows[0]["longitude"] == -rows[2]["longitude"]
    assert run(*command, "--path", "geodesic", "--max-gap", "59.9").stdout == ""
    assert run(*command, "--path", "geodesic", "--max-gap", "60", "--max-speed", "20").stdout == "", "20.04 m/s"
    assert len(run(*command, "--path", "geodesic", "--max-gap", "60", "--max-speed", "20.1").stdout.splitlines()) == 4


def test_formats_and_visits(run: Run, files: tuple[Path, Path], tmp_path: Path) -> None:
    track, places = files
    log = replay(TRACK, PLACE, policy="exact", assuming="unsatisfied", path="geodesic", max_gap=60)
    one = tmp_path / "one.csv"
    one.write_text("\n".join(line for line in track.read_text().splitlines() if "west" not in line) + "\n")
    command = ("replay", one, "--conditions", places, "--path", "geodesic", "--max-gap", "60")
    shown = run(*command).stdout
    assert shown.count("on the path") == 2
    rows = list(csv.DictReader(io.StringIO(run(*command, "--format", "csv", "--visits", "v.csv").stdout)))
    assert [(row["evidence"], row["gap"]) for row in rows] == [("path", "False")] * 2
    (visit,) = csv.DictReader(io.StringIO((tmp_path / "v.csv").read_text()))
    assert visit["start"] == rows[0]["date"] == visit["confirmed_start"]
    assert isinstance(log.visits(), Visits) and len(log.visits()) == 1
    found = log.visits()[0]
    assert (found.start, found.end) == tuple(event.date for event in log)
    # The path is 300 m long, and the device moves along it at 1202.25 m per minute.
    assert found.duration.total_seconds() == pytest.approx(300 / 1202.25 * 60, abs=1e-3)
    features = json.loads(run(*command, "--format", "geojson").stdout)["features"]
    assert [feature["properties"]["evidence"] for feature in features] == ["path"] * 2
    assert features[0]["geometry"]["coordinates"] == pytest.approx([-150 / 111319.490793, 0], abs=1e-6)


def test_a_replay_by_a_column_is_as_alone() -> None:
    pandas = pytest.importorskip("pandas")
    columns = {"device": ["a"] * 4, "lat": [fix.latitude for fix in TRACK], "lon": [fix.longitude for fix in TRACK]}
    frame = pandas.DataFrame(
        {**columns, "time": pandas.to_datetime([fix.time_us for fix in TRACK], unit="us", utc=True)}
    )
    log = replay(frame, PLACE, by="device", assuming="unknown", policy="exact", path="geodesic", max_gap=60)
    assert [event.is_on_path for event in log] == [False, True, True]
    assert list(log.to_pandas()["evidence"]) == ["fix", "path", "path"]


def test_thinned_tracks_say_nearly_what_all_fixes_say() -> None:
    """With only every tenth fix of a recorded ride, visits are missed; if the same replay has a path, hardly any visits
    are missed."""
    track = next(OWN_TRACKS.glob("gpx/*bike*.gpx"), None) or next(OWN_TRACKS.glob("gpx/*.gpx"))
    whole = replay(track, PLACE).replays[0].fixes
    places = {f"p{number}": Circle(fix[0], fix[1], 25) for number, fix in enumerate(whole[4::10])}
    thin = [Fix(*fix[:2], time=fix[3]) for fix in whole[::10]]
    full = [Fix(*fix[:2], time=fix[3]) for fix in whole]
    truth = replay(full, places, policy="exact", path="geodesic", max_gap=1e9)
    by_path, by_fixes = (
        compare(thin, places, policies=["exact"], baseline=truth, path=path, max_gap=gap)[0]
        for path, gap in (("geodesic", 1e9), ("fixes", None))
    )
    assert by_path.missed_visits < by_fixes.missed_visits


def test_compare_takes_paths_for_its_own_baseline_too() -> None:
    found = compare(TRACK, PLACE, policies=["exact", "standard"], path="geodesic", max_gap=60)
    assert [(one.visits, one.missed_visits) for one in found] == [(1, 0), (0, 1)]
    assert compare(TRACK, PLACE, policies=["exact"])[0].visits == 0


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--path", "geodesic"), "argument --path: … --max-gap"),
        (("--max-gap", "60"), "argument --max-gap: … --path geodesic"),
        (("--max-speed", "60"), "argument --max-speed: … --path geodesic"),
        (("--path", "geodesic", "--max-gap", "0"), "argument --max-gap: 0"),
        (("--path", "geodesic", "--max-gap", "nan"), "argument --max-gap: nan"),
        (("--path", "geodesic", "--max-gap", "60", "--max-speed", "-1"), "argument --max-speed: -1 "),
        (("--path", "rhumb"), "argument --path: … 'rhumb'"),
    ],
)
@pytest.mark.parametrize("command", [("replay", "nowhere.csv"), ("watch", "--source", "-")])
def test_what_is_refused(run: Run, command: tuple[str, ...], options: tuple[str, ...], reason: str) -> None:
    done = run(*command, "--conditions", "nowhere.json", *options)
    assert done.returncode == 2 and mentions(done.stderr, reason) and done.stdout == ""


# ---------------------------------------------------------------------------------------------- watch


def watched(**options: object) -> Watched:
    monitor = Monitor(path="geodesic", max_gap=60)
    monitor.add(Circle(0, 0, 150), "office", policy=EXACT, assuming="unsatisfied")
    return Watched(monitor, max_gap=60, **options)


def test_a_watch_lets_no_time_pass_that_a_fix_may_still_tell_of() -> None:
    one = watched()
    one.feed(longitude=-0.0052)
    for _ in range(59):  # other inputs and signals may wake the loop between the two fixes
        one.clock.now += 1
        one.watch.pass_time()
    assert one.monitor.clock_us == round((START + one.clock.now - 59) * 1e6)
    one.feed(longitude=0.0056)
    assert one.states == ["satisfied", "unsatisfied"] and all(event.is_on_path for event in one.seen)


def test_a_tunnel_cuts_no_way_short() -> None:
    """While the device is in the tunnel, the receiver reports once a second that it has no position."""
    one = watched()
    one.feed(longitude=-0.0052)
    for _ in range(58):
        one.feed(longitude=0.0052, accuracy=float("nan"))
    one.feed(longitude=0.0052)
    assert one.states == ["satisfied", "unsatisfied"] and one.watch.counts["invalid_fixes"] == 58
    # 300 m of 1157.7 m in 59 s.
    stay = (one.seen[1].date_us or 0) - (one.seen[0].date_us or 0)
    assert stay / 1e6 == pytest.approx(300 / 1157.72 * 59, abs=1e-2)


def test_a_watch_lets_time_pass_once_no_way_can_follow() -> None:
    one = watched(lag=5.0)
    one.monitor.add(Circle(0, 0, 150), "dwell", policy="standard", assuming="unsatisfied")
    one.feed(longitude=0.01)
    one.feed(passes=30)
    begun = one.clock.now
    entered = one.monitor.explain("dwell").candidate_start_us or 0
    assert one.states == ["satisfied"] and begun - 4 < entered / 1e6 - START < begun - 3
    # The dwell of 20 s is over, but a later fix may still show that the device was outside in the meantime.
    assert one.watch.pause() == pytest.approx(65, abs=1e-3)
    one.clock.now = begun + 64.9
    one.watch.pass_time()
    one.watch.handle_events()
    assert len(one.seen) == 1
    one.clock.now = begun + 65.1
    one.watch.pass_time()
    one.watch.handle_events()
    assert [event.identifier for event in one.seen] == ["office", "dwell"]
    assert one.seen[1].date_us == entered + 20_000_000 and one.seen[1].evidence_date_us == entered
    assert one.watch.pause() is None


def test_watch_of_a_file(run: Run, files: tuple[Path, Path], tmp_path: Path) -> None:
    track, places = files
    one = tmp_path / "one.csv"
    one.write_text("\n".join(line for line in track.read_text().splitlines() if "west" not in line) + "\n")
    fixes = [
        f'{{"lat":{fix.latitude},"lon":{fix.longitude},"accuracy":5,"time":{fix.time_us / SECOND}}}' for fix in TRACK
    ]
    source = tmp_path / "fixes.jsonl"
    source.write_text("\n".join(fixes) + "\n")
    options = ("--conditions", places, "--path", "geodesic", "--max-gap", "60")
    live = run("watch", "--source", source, "--any-time", "--store", tmp_path, *options)
    assert live.returncode == 0 and live.stdout.count('"evidence":"path"') == 2, live.stderr
    assert live.stdout == run("replay", one, *options, "--format", "jsonl").stdout
