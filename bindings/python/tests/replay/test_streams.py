"""Tests the replay of many tracks in one file: the order of the events, equal results for all values of --jobs and
--batch, and memory that does not grow with the file."""

from __future__ import annotations

import csv
import errno
import json
import os
import pickle
import random
import subprocess
import sys
import textwrap
import warnings
from collections.abc import Iterator
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
from alone import one_by_one, reported
from conftest import OWN_TRACKS, TRACKS as SHARED_TRACKS, UUID, Run, in_full, mentions

from fencepost import (
    Beacon,
    BeaconSighting,
    Circle,
    InputError,
    InputWarning,
    Monitor,
    TransitionPolicy,
    Zones,
    replay,
)
from fencepost._files.condition_files import read_conditions
from fencepost._files.many_tracks import ManyTracks
from fencepost._files.sightings import Report, read_sightings
from fencepost._files.track_files import read_tracks
from fencepost._log.event_log import EventLog
from fencepost._log.texts import event_line
from fencepost._monitor.filling import add_conditions
from fencepost._replay.stream import ManyReplay

TRACKS = int(os.environ.get("FENCEPOST_STREAM_TRACKS", "3000"))


def write(path: Path, tracks: int, rows: int, seed: int = 11, late: float = 0.01) -> None:
    """Writes a CSV file of random walks around a centre. The rows of the tracks are interleaved; some rows are late or
    have no position."""
    world = random.Random(seed)
    places = [(52 + world.uniform(-0.01, 0.01), 13 + world.uniform(-0.01, 0.01)) for _ in range(tracks)]
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["vehicle", "lat", "lon", "time", "accuracy"])
        for row in range(rows):
            track = row % tracks if row < tracks else world.randrange(tracks)
            latitude, longitude = places[track]
            places[track] = latitude + world.uniform(-0.002, 0.002), longitude + world.uniform(-0.002, 0.002)
            time = row // 10 - (500 if world.random() < late else 0)
            gone = world.random() < 0.01
            writer.writerow([f"v{track:05}", "" if gone else latitude, "" if gone else longitude, max(time, 0), 5])


def circles(path: Path) -> Path:
    world = random.Random(5)
    lines = ["identifier,latitude,longitude,radius"]
    lines += [f"c{n},{52 + world.uniform(-0.01, 0.01)},{13 + world.uniform(-0.01, 0.01)},200" for n in range(8)]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("streams")
    write(folder / "tracks.csv", TRACKS, TRACKS * 10)
    return folder / "tracks.csv", circles(folder / "circles.csv")


def lines_of(path: Path, conditions: Path, jobs: int = 1, batch: int = 65_536, **options: Any) -> list[str]:
    template = Zones()
    add_conditions(template, read_conditions(conditions, TransitionPolicy.exact()), conditions)
    many = ManyReplay(ManyTracks(path, "vehicle", batch_rows=batch), template, jobs=jobs, **options)
    return [event_line(row.event, "vehicle", row.track) for row in many.events()]


def test_thousands_of_tracks(world: tuple[Path, Path]) -> None:
    tracks, conditions = world
    lines = lines_of(tracks, conditions)
    events = [json.loads(line) for line in lines]
    assert len({event["vehicle"] for event in events}) == TRACKS
    # The events must be in the order of the input rows; the row of an event is found by its vehicle and position, which
    # differ between all rows.
    rows = {}
    with open(tracks, newline="") as file:
        for number, row in enumerate(csv.DictReader(file)):
            if row["lat"]:
                rows[row["vehicle"], float(row["lat"]), float(row["lon"])] = number
    at = [rows[event["vehicle"], event["latitude"], event["longitude"]] for event in events]
    assert at == sorted(at) and len(at) > 5 * TRACKS
    # For each track, the replay of the whole file reports the same events as a replay of that track alone.
    alone = one_by_one(tracks, conditions, policy=TransitionPolicy.exact())
    assert reported(
        replay(tracks, conditions, by="vehicle", assuming="unknown", policy="exact", sort=False)
    ) == reported(alone)
    by_track: dict[str, list[str]] = {}
    for event, line in zip(events, lines):
        by_track.setdefault(event["vehicle"], []).append(line)
    assert set(by_track) == set(alone.tracks)
    assert "".join(line + "\n" for track in alone.tracks for line in by_track[track]) == alone.to_jsonl()


@pytest.mark.parametrize(("jobs", "batch"), [(1, 1000), (2, 65_536), (3, 777)])
def test_the_same_for_all_jobs_and_batches(world: tuple[Path, Path], jobs: int, batch: int) -> None:
    tracks, conditions = world
    assert lines_of(tracks, conditions, jobs, batch) == lines_of(tracks, conditions)


def test_time_after_the_last_row(world: tuple[Path, Path]) -> None:
    tracks, conditions = world
    template = Zones()
    add_conditions(template, read_conditions(conditions, TransitionPolicy.standard()), conditions)
    logs = []
    for jobs in (1, 2):
        many = ManyReplay(ManyTracks(tracks, "vehicle"), template, until_us=10**12, jobs=jobs)
        logs.append([(row.track, row.event) for row in many.events()])
        assert len(many.ended) == TRACKS and {one.end_us for one in many.ended} == {10**12}
    assert logs[0] == logs[1]
    alone = one_by_one(tracks, conditions, until=10**12)
    assert sorted(map(repr, alone)) == sorted(repr(event) for _, event in logs[0])
    assert many.counts["fixes"] == alone.counts.fixes == TRACKS * 10
    assert many.counts["late_fixes"] == alone.counts.late_fixes > 0
    assert many.counts["invalid_fixes"] == alone.counts.invalid_fixes > 0


def test_grouped_tracks_are_held_one_at_a_time(world: tuple[Path, Path], tmp_path: Path) -> None:
    tracks, conditions = world
    header, *rows = tracks.read_text().splitlines()
    text = "\n".join([header, *sorted(rows, key=lambda row: row.partition(",")[0])]) + "\n"
    (tmp_path / "g.csv").write_text(text)
    template = Zones()
    add_conditions(template, read_conditions(conditions, TransitionPolicy.standard()), conditions)
    alone = one_by_one(tmp_path / "g.csv", conditions, until=10**12)
    for jobs, batch in ((1, 65_536), (2, 997)):
        file = ManyTracks(tmp_path / "g.csv", "vehicle", batch_rows=batch, grouped=True)
        many = ManyReplay(file, template, until_us=10**12, jobs=jobs)
        # If the rows of each track are adjacent, the tracks are replayed one after the other, in the order of the file.
        assert "".join(event_line(row.event, "vehicle", row.track) + "\n" for row in many.events()) == alone.to_jsonl()
        assert [one.track for one in many.ended] == list(range(TRACKS)) and many.counts["fixes"] == alone.counts.fixes
    with pytest.raises(ValueError, match="comes again after another: the tracks are not grouped"):
        list(ManyReplay(ManyTracks(tracks, "vehicle", grouped=True), template).events())


def by_track(lines: Iterator[str], alone: EventLog, by: str) -> list[str]:
    """Sorts lines into the order of a log in which the tracks come one after another."""
    found: dict[Any, list[str]] = {key: [] for key in alone.tracks}
    for line in lines:
        found[json.loads(line)[by]].append(line)
    return [line for key in alone.tracks for line in found[key]]


def random_world(folder: Path, seed: int, grouped: bool) -> dict[str, Path]:
    """Writes random input files and returns their paths: a few tracks with valid and invalid rows, conditions (circles
    with all policies, and a beacon), and scan reports."""
    world = random.Random(seed)
    rows = []
    for track in range(world.randrange(1, 9)):
        latitude, longitude, time = 52 + world.uniform(-0.01, 0.01), 13.0, world.randrange(100)
        for _ in range(world.randrange(1, 120)):
            latitude, longitude = latitude + world.uniform(-0.002, 0.002), longitude + world.uniform(-0.002, 0.002)
            time += world.choice([0, 0, 5, 5, 15, 60])  # several rows with the same time
            row = [f"v{track}", time - world.choice([0] * 20 + [30]), latitude, longitude, world.choice([5, 5, 40])]
            strange = world.random()
            if strange < 0.1:
                row = [
                    *row[:2],
                    *world.choice([["", ""], [latitude, "na"], ["nan", longitude], [91, 0], ["inf", 1]]),
                    5,
                ]
            elif strange < 0.2:
                row[4] = world.choice(["", "-1", "nan", "none", "0"])
            rows.append(row)
    if not grouped:
        rows.sort(key=lambda row: int(row[1]) // 50)
    files = {name: folder / name for name in ("t.csv", "c.json", "s.jsonl")}
    with open(files["t.csv"], "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["vehicle", "time", "lat", "lon", "accuracy"], *rows])
    features = []
    for number in range(12):
        where = {"type": "Point", "coordinates": [13 + world.uniform(-0.01, 0.01), 52 + world.uniform(-0.01, 0.01)]}
        policy = world.choice(["standard", "exact", "core_location", {"entry_dwell": 30, "dwell_policy": "evidence"}])
        assuming = world.choice(["unknown", "satisfied", "unsatisfied"])
        own = {"identifier": f"c{number}", "radius": 200, "policy": policy, "assuming": assuming}
        features.append({"type": "Feature", "geometry": where, "properties": own})
    beacon = {"identifier": "beacon", "uuid": UUID}
    features.append({"type": "Feature", "geometry": None, "properties": beacon})
    files["c.json"].write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    reports: list[dict[str, Any]] = []
    seen = {"uuid": UUID, "major": 1, "minor": 2, "rssi": -60}
    for time in sorted(world.randrange(3000) for _ in range(60)):
        reports.append(
            {"time": time, **world.choice([{"beacons": [seen]}, {"beacons": []}, {"scanning": world.random() < 0.9}])}
        )
    files["s.jsonl"].write_text("".join(json.dumps(report) + "\n" for report in reports))
    return files


@pytest.mark.filterwarnings("ignore::fencepost.InputWarning")
@pytest.mark.parametrize("seed", [*range(4), *in_full(*range(4, 16))])
def test_random_files_give_what_each_track_gives_alone(tmp_path: Path, seed: int) -> None:
    """Many tracks in one file give the same events, byte for byte, and the same counts as the tracks replayed one by
    one. This also holds with scan reports, with time that passes after the last row, and with grouped rows."""
    grouped, late, sighted = seed % 2 == 1, seed % 4 > 1, seed % 8 > 3
    files = random_world(tmp_path, seed, grouped)
    conditions, until = files["c.json"], 10**11 if late else None
    sightings = files["s.jsonl"] if sighted else None
    alone = one_by_one(files["t.csv"], conditions, until=until, sightings=sightings)
    kept = replay(
        files["t.csv"], conditions, by="vehicle", assuming="unknown", until=until, sightings=sightings, sort=False
    )
    assert reported(kept) == reported(alone)
    in_time = one_by_one(files["t.csv"], conditions, until=until, sightings=sightings, sort=True)
    assert reported(
        replay(files["t.csv"], conditions, by="vehicle", assuming="unknown", until=until, sightings=sightings)
    ) == reported(in_time)
    expected = (alone.to_jsonl() or "").splitlines()
    assert expected
    reports = read_sightings(files["s.jsonl"]) if sighted else []
    template = Zones()
    add_conditions(template, read_conditions(conditions, TransitionPolicy.standard()), conditions)
    orders = set()
    for jobs, batch in [(1, 1), (1, 7), (1, 65_536)] + ([(2, 7), (3, 65_536)] if seed in (0, 5, 7) else []):
        file = ManyTracks(files["t.csv"], "vehicle", batch_rows=batch, grouped=grouped)
        many = ManyReplay(file, template, reports, until, jobs)
        lines = "".join(many.lines()).splitlines()
        assert by_track(iter(lines), alone, "vehicle") == expected, (seed, jobs, batch)
        assert not grouped or lines == expected
        assert {name: many.counts[name] for name in alone.counts._fields} == alone.counts._asdict()
        ends = [(replayed.begin_us, replayed.end_us) for replayed in alone.replays]
        assert [(one.begin_us, one.end_us) for one in many.ended] == ends
        orders.add(tuple(lines))
        file = ManyTracks(files["t.csv"], "vehicle", batch_rows=batch, grouped=grouped)
        rows = ManyReplay(file, template, reports, until).events()
        assert [event_line(row.event, "vehicle", row.track) for row in rows] == lines
    assert len(orders) == 1


@pytest.mark.parametrize(
    ("name", "by"),
    [
        ("seal-bering.csv", "Quality"),
        ("train-neuchatel.csv", "user_id"),
        ("bus-liverpool-route14.csv", "trip_id"),
        ("seal-bering-antimeridian-3x.csv", "Quality"),
        ("seal-ross-sea-78S.csv", "lc"),
        ("ship-ais-north-sea-205316000.csv", "speed"),
        ("train-neuchatel-lausanne-accuracy.csv", "user_id"),
    ],
)
def test_real_tables(tmp_path: Path, name: str, by: str) -> None:
    """Tests that a real table, grouped by a column with many different values, gives the same events as one replay for
    each value."""
    path = next((found for folder in (OWN_TRACKS, SHARED_TRACKS) if (found := folder / "csv" / name).is_file()), None)
    if path is None:
        pytest.skip(f"{SHARED_TRACKS} is not there")
    lines = ["identifier,latitude,longitude,radius"]
    for track in read_tracks(path, by=by):
        usable = [fix for fix in track.fixes if abs(fix[0]) <= 90]
        lines += [f"c{len(lines) + n},{fix[0]},{fix[1]},300" for n, fix in enumerate(usable[:: len(usable) // 3 + 1])]
    (tmp_path / "c.csv").write_text("\n".join(lines) + "\n")
    alone = one_by_one(path, tmp_path / "c.csv", by=by)
    assert reported(replay(path, tmp_path / "c.csv", by=by, assuming="unknown", sort=False)) == reported(alone)
    for batch in (7, 65_536):
        template = Zones()
        add_conditions(template, read_conditions(tmp_path / "c.csv", TransitionPolicy.standard()), tmp_path / "c.csv")
        found = ManyReplay(ManyTracks(path, by, batch_rows=batch), template).lines()
        expected = (alone.to_jsonl() or "").splitlines()
        assert by_track((line.rstrip("\n") for line in found), alone, by) == expected != []


def test_fixes_are_read_when_they_are_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the file has changed since the replay, fixes that were not read before the change can no longer be read. All
    other parts of a log can be read without the fixes."""
    write(tmp_path / "t.csv", 3, 300, late=0.2)
    conditions = circles(tmp_path / "c.csv")
    with pytest.warns(InputWarning, match=r"\d+ of \d+ .*sort=False"):
        log = replay(tmp_path / "t.csv", conditions, by="vehicle", assuming="unknown")
    copy = pickle.loads(pickle.dumps(log.replays))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a reported warning is not repeated
        fixes = [list(one.fixes) for one in log.replays]
    assert sum(map(len, fixes)) == sum(len(one.fixes) for one in log.replays) == log.counts.fixes == 300
    assert all(own == sorted(own, key=itemgetter(3)) for own in fixes)
    assert repr(log.replays[1].fixes[-1]) == repr(fixes[1][-1]) and repr(log.replays[1].fixes[2:4]) == repr(
        fixes[1][2:4]
    )
    assert [repr(list(one.fixes)) for one in copy] == [repr(own) for own in fixes]
    (tmp_path / "t.csv").write_text("vehicle,lat,lon,time\nv00000,1,2,3\n")
    assert repr(list(log.replays[0].fixes)) == repr(fixes[0])  # the first log's fixes are now in memory
    fresh = replay(tmp_path / "t.csv", conditions, by="vehicle", assuming="unknown")
    (tmp_path / "t.csv").write_text("vehicle,lat,lon,time\nv00000,1,2,3\nv00000,1,2,4\n")
    assert fresh.visits() is not None and len(fresh.replays[0].fixes) == 1
    with pytest.raises(InputError, match="2.*1"):
        list(fresh.replays[0].fixes)
    other = replay(tmp_path / "t.csv", conditions, by="vehicle", assuming="unknown")
    (tmp_path / "t.csv").unlink()
    with pytest.raises(InputError, match="t.csv"):
        other.replays[0].fixes[0]


def parquet(tracks: Path, target: Path) -> Path:
    geopandas = pytest.importorskip("geopandas")
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pandas.read_csv(tracks)
    frame["time"] = pandas.to_datetime(frame["time"], unit="s", utc=True)
    points = geopandas.points_from_xy(frame["lon"], frame["lat"])
    located = geopandas.GeoDataFrame(frame.drop(columns=["lat", "lon"]), geometry=points, crs=4326)
    if target.suffix == ".parquet":
        located.to_parquet(target, row_group_size=5000)
    else:
        located.to_file(target)
    return target


@pytest.mark.parametrize("name", ["t.parquet", "t.gpkg"])
def test_geoparquet_and_geopackage_give_the_same(world: tuple[Path, Path], tmp_path: Path, name: str) -> None:
    tracks, conditions = world
    with open(tracks) as file:
        head = [line for line, _ in zip(file, range(9001)) if ",,," not in line]
    (tmp_path / "head.csv").write_text("".join(head))
    expected = lines_of(tmp_path / "head.csv", conditions)
    other = parquet(tmp_path / "head.csv", tmp_path / name)
    assert lines_of(other, conditions, 2, 1000) == expected != []


def test_the_command(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "t.csv", 40, 2000)
    circles(tmp_path / "c.csv")
    common = (
        "replay",
        "t.csv",
        "--conditions",
        "c.csv",
        "--policy",
        "exact",
        "--by",
        "vehicle",
        "--no-sort",
        "--assuming",
        "unknown",
    )
    one = run(*common, "--format", "jsonl")
    two = run(*common, "--format", "jsonl", "--jobs", "2")
    assert one.returncode == two.returncode == 0 and one.stdout == two.stdout
    assert one.stdout.splitlines() == lines_of(tmp_path / "t.csv", tmp_path / "c.csv")
    assert one.stderr == two.stderr and "of 2000 fixes came late" in one.stderr
    rows = list(csv.DictReader(run(*common, "--format", "csv").stdout.splitlines()))
    assert [row["vehicle"] for row in rows] == [json.loads(line)["vehicle"] for line in one.stdout.splitlines()]
    features = json.loads(run(*common, "--format", "geojson").stdout)["features"]
    assert [feature["properties"]["vehicle"] for feature in features] == [row["vehicle"] for row in rows]
    table = run(*common).stdout.splitlines()
    assert table[0].split()[0] == "vehicle" and len(table) == len(rows) + 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--by", "car"], "t.csv: line 1: … column 'car', … time, accuracy"),
        (
            ["--by", "vehicle", "--report", "r.html"],
            "argument --report: … --by",
        ),
        (
            ["--by", "state"],
            "argument --by: 'state' … name … events",
        ),
        (["--jobs", "2"], "argument --jobs: needs --by"),
        (["--grouped"], "argument --grouped: needs --by"),
        (["--by", "vehicle", "--until", "1970-01-01"], "until"),
        (["--by", "vehicle", "--jobs", "2", "--until", "1970-01-01"], "until"),
    ],
)
def test_bad_usage(run: Run, tmp_path: Path, arguments: list[str], words: str) -> None:
    write(tmp_path / "t.csv", 3, 30)
    done = run("replay", "t.csv", "--conditions", circles(tmp_path / "c.csv"), *arguments)
    assert done.returncode == 2 and mentions(done.stderr, words) and done.stderr.count("\n") == 1


@pytest.mark.parametrize("form", ["table", "jsonl", "csv", "geojson"])
@pytest.mark.parametrize("arguments", [["--by", "car"], ["--by", "vehicle", "--columns", "latitude=north"]])
def test_nothing_is_printed_before_a_refusal(run: Run, tmp_path: Path, form: str, arguments: list[str]) -> None:
    write(tmp_path / "t.csv", 3, 30)
    conditions = circles(tmp_path / "c.csv")
    done = run("replay", "t.csv", "--conditions", conditions, "--format", form, *arguments)
    assert (done.returncode, done.stdout) == (2, "") and mentions(done.stderr, "column … vehicle")
    missing = run("replay", "gone.csv", "--conditions", conditions, "--format", form, "--by", "vehicle")
    assert (missing.returncode, missing.stdout) == (2, "") and os.strerror(errno.ENOENT) in missing.stderr
    write(tmp_path / "none.csv", 3, 0)
    empty = run("replay", "none.csv", "--conditions", conditions, "--format", form, "--by", "vehicle")
    assert (empty.returncode, empty.stdout) == (2, "") and "points" in empty.stderr


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"vehicle,lat,lon,time\na,1,2,3\n,1,2,4\n", "line 3: … column 'vehicle'"),
        (b"vehicle,lat,lon,time\na,1,2,noon\n", "line 2: time: 'noon'"),
        (b"vehicle,lat,lon\na,1,2\n", "line 2: … time"),
        (b"vehicle,lat,lon,time\n", "points"),
        (b"vehicle,lat,lon,time\na,1,2,3\n\xff\n", "is not UTF-8 text"),
        (b"", "line 1:"),
    ],
)
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_bad_files(run: Run, tmp_path: Path, content: bytes, words: str, jobs: str) -> None:
    (tmp_path / "t.csv").write_bytes(content)
    done = run("replay", "t.csv", "--conditions", circles(tmp_path / "c.csv"), "--by", "vehicle", "--jobs", jobs)
    assert done.returncode == 2 and mentions(done.stderr, words) and done.stderr.count("\n") == 1


def test_what_comes_before_an_error_does_not_depend_on_jobs(tmp_path: Path) -> None:
    write(tmp_path / "t.csv", 20, 3000)
    with open(tmp_path / "t.csv", "a") as file:
        file.write('"v00001",52,13,noon,5\n')
    conditions = circles(tmp_path / "c.csv")
    template = Zones()
    add_conditions(template, read_conditions(conditions, TransitionPolicy.exact()), conditions)
    found = []
    for jobs in (1, 2):
        lines = []
        with pytest.raises(ValueError, match="line 3002.*'noon'"):
            for line in ManyReplay(
                ManyTracks(tmp_path / "t.csv", "vehicle", batch_rows=100), template, jobs=jobs
            ).lines():
                lines.append(line)
        found.append(lines)
    assert found[0] == found[1] and len(found[0]) > 300


TWO_JOBS = """
import multiprocessing, os, signal
from fencepost import Circle, FencepostError, Zones
from fencepost._files.many_tracks import ManyTracks
from fencepost._replay.stream import ManyReplay
if __name__ == '__main__':
    monitor = Zones(); monitor.add(Circle(52, 13, 100), 'a', assuming='unknown')
    events = ManyReplay(ManyTracks('t.csv', 'vehicle', batch_rows=100), monitor, jobs=2).events()
    next(events)
"""
"""The source of a program that starts two busy worker processes."""


def run_two_jobs(folder: Path, then: str) -> subprocess.CompletedProcess[str]:
    """Runs the program `TWO_JOBS`, extended by the given lines, in a separate process. The worker processes keep the
    pipes open, so `run` returns only after the worker processes have ended."""
    write(folder / "t.csv", 5, 3000)
    (folder / "two_jobs.py").write_text(TWO_JOBS + textwrap.indent(then, "    "))
    return subprocess.run([sys.executable, "two_jobs.py"], cwd=folder, capture_output=True, text=True, timeout=60)


def test_processes_end_with_their_parent(tmp_path: Path) -> None:
    """The parent process is ended by SIGKILL, so it cannot tell the workers to stop."""
    assert run_two_jobs(tmp_path, "os.kill(os.getpid(), signal.SIGKILL)\n").returncode == -9


def test_a_process_that_dies_is_an_error_not_a_wait(tmp_path: Path) -> None:
    """One of the workers is ended by SIGKILL after the first batch."""
    then = """\
victim = multiprocessing.active_children()[0]
victim.kill(); victim.join()
try: list(events)
except FencepostError as error: print(error)
"""
    done = run_two_jobs(tmp_path, then)
    assert mentions(done.stdout, "--jobs … ended") and done.stdout.count("\n") == 1, done.stderr


def test_what_breaks_off_kills_the_processes(tmp_path: Path) -> None:
    """After an exception such as KeyboardInterrupt, the workers do not finish their batches, and no process waits for
    them."""
    then = """\
children = multiprocessing.active_children()
try: events.throw(KeyboardInterrupt)
except KeyboardInterrupt: print([child.exitcode for child in children])
"""
    done = run_two_jobs(tmp_path, then)
    assert done.stdout.strip() == "[-9, -9]", done.stderr


PEAK = """
import sys
from fencepost._command.cli import main
code = main(sys.argv[1:])
# Not ru_maxrss: that begins with what the process had before it became this program.
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")), file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.parametrize("kind", in_full("csv", "parquet"))
def test_memory_does_not_grow_with_the_file(tmp_path: Path, kind: str) -> None:
    circles(tmp_path / "c.csv")
    (tmp_path / "peak.py").write_text(PEAK)
    peaks = []
    for rows in (150_000, 600_000):
        path = tmp_path / "t.csv"
        write(path, 100, rows, late=0)
        if kind == "parquet":
            path = parquet(path, tmp_path / "t.parquet")
        command = [sys.executable, "peak.py", "replay", str(path), "--conditions", "c.csv", "--by", "vehicle"]
        with open(tmp_path / "events", "w") as out:
            done = subprocess.run(
                [*command, "--format", "jsonl"],
                cwd=tmp_path,
                stdout=out,
                stderr=subprocess.PIPE,
                text=True,
                timeout=120,
            )
        assert done.returncode == 0, done.stderr
        peaks.append(int(done.stderr.split()[-1]))
    # The larger file has four times as many rows: if all rows were held in memory, it would take 14 MB more for the
    # text and 18 MB more for the columns. Memory may grow by less than half of what the additional rows would take.
    assert peaks[1] - peaks[0] < 16_000, peaks


def test_forks_share_the_conditions(tmp_path: Path) -> None:
    """Creates five hundred forks of a monitor with twenty thousand conditions: a fork to which nothing was fed takes
    hardly any memory."""
    monitor = Monitor()
    count = 20_000
    monitor.add_many(map(str, range(count)), [0.001 * (n % 90) for n in range(count)], [0.0] * count, [10.0] * count)

    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    before = resident()
    forks = [monitor.fork() for _ in range(500)]
    assert resident() - before < 10_000_000 and len(forks[-1]) == count
    assert Circle(0, 0, 10) == forks[0].record("0").condition


def test_a_large_field_of_csv_keeps_lines_apart(tmp_path: Path) -> None:
    text = 'vehicle,note,lat,lon,time\na,"two\nlines",52,13,1\nb,x,52,13,2\nb,x,north,13,3\n'
    (tmp_path / "t.csv").write_text(text)
    conditions = circles(tmp_path / "c.csv")

    def run() -> Iterator[str]:
        yield from lines_of(tmp_path / "t.csv", conditions)

    with pytest.raises(ValueError, match="line 5.*'north'"):
        list(run())


@pytest.mark.filterwarnings("ignore:.*several devices")
@pytest.mark.parametrize("grouped", [False, True])
def test_a_fleet_and_a_monitor_each_give_the_same_bytes(tmp_path: Path, grouped: bool) -> None:
    """The inputs contain dwells, late rows, inaccurate rows, rows without a position, sightings, and time that passes
    after the last row."""
    world = random.Random(11)
    lines, clock = [], dict.fromkeys("abcdefg", 0)
    for _ in range(1500):
        track = world.choice("abcdefg")
        clock[track] += world.choice([1, 5, 30, 30, -40])
        place = f"{52 + world.uniform(-0.01, 0.01)},{13 + world.uniform(-0.01, 0.01)}"
        row = world.choice([place] * 20 + [",", "91,13"])
        lines.append((track, f"{track},{1000 + clock[track]},{row},{world.choice(['', 5, 50, 400])}"))
    if grouped:
        lines.sort(key=lambda line: line[0])
    path, places = tmp_path / "t.csv", tmp_path / "c.csv"
    path.write_text("\n".join(["vehicle,time_s,lat,lon,accuracy", *(line for _, line in lines)]) + "\n")
    places_of = [(52 + world.uniform(-0.01, 0.01), 13 + world.uniform(-0.01, 0.01)) for _ in range(30)]
    rows = [f"c{number},{latitude},{longitude},300" for number, (latitude, longitude) in enumerate(places_of)]
    places.write_text("\n".join(["identifier,latitude,longitude,radius", *rows]) + "\n")
    beacons = [Report("", second * 1_000_000, [BeaconSighting(UUID, 1, 2)]) for second in range(900, 1500, 90)]
    beacons.append(Report("", 1_600_000_000, None, False))
    found = []
    for holder in (Zones(), Monitor()):
        add_conditions(holder, read_conditions(places, TransitionPolicy.standard()), places)
        holder.add(Beacon(UUID), "desk", assuming="unknown")
        many = ManyReplay(ManyTracks(path, "vehicle", grouped=grouped, batch_rows=97), holder, beacons, 10**12)
        reported = list(many.lines())
        found.append((reported, many.counts, [(one.track, one.begin_us, one.end_us, one.counts) for one in many.ended]))
    assert len(found[0][0]) > 300 and found[0][1]["late_fixes"] > 50 and found[0][1]["reports"] > 10
    assert found[0] == found[1]
