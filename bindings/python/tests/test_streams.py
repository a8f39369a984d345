"""Many tracks in one file: order, equality over --jobs and --batch, memory that does not grow with the file."""

from __future__ import annotations

import csv
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Run

from fencepost import CircularGeographicCondition, Monitor, TransitionPolicy, replay
from fencepost._conditions_file import add_conditions, read_conditions
from fencepost._event_log import event_line
from fencepost._stream import ManyReplay, ManyTracks

DATA = ROOT / "examples" / "data"
TRACKS = int(os.environ.get("FENCEPOST_STREAM_TRACKS", "3000"))


def write(path: Path, tracks: int, rows: int, seed: int = 11) -> None:
    """Random walks around a place, a row a track in turn or at random; some rows are late or without a position."""
    world = random.Random(seed)
    places = [(52 + world.uniform(-0.01, 0.01), 13 + world.uniform(-0.01, 0.01)) for _ in range(tracks)]
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["vehicle", "lat", "lon", "time", "accuracy"])
        for row in range(rows):
            track = row % tracks if row < tracks else world.randrange(tracks)
            latitude, longitude = places[track]
            places[track] = latitude + world.uniform(-0.002, 0.002), longitude + world.uniform(-0.002, 0.002)
            time = row // 10 - (500 if world.random() < 0.01 else 0)
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
    template = Monitor()
    add_conditions(template, read_conditions(conditions, TransitionPolicy.exact()), conditions)
    many = ManyReplay(ManyTracks(path, "vehicle", batch_rows=batch), template, jobs=jobs, **options)
    return [event_line(row.event, "vehicle", row.track) for row in many.events()]


def test_thousands_of_tracks(world: tuple[Path, Path]) -> None:
    tracks, conditions = world
    lines = lines_of(tracks, conditions)
    events = [json.loads(line) for line in lines]
    assert len({event["vehicle"] for event in events}) == TRACKS
    # In the order of the rows: each event's evidence is the fix of its row, and the rows' fixes are all different.
    rows = {}
    with open(tracks, newline="") as file:
        for number, row in enumerate(csv.DictReader(file)):
            if row["lat"]:
                rows[row["vehicle"], float(row["lat"]), float(row["lon"])] = number
    at = [rows[event["vehicle"], event["latitude"], event["longitude"]] for event in events]
    assert at == sorted(at) and len(at) > 5 * TRACKS
    # Each track's events are those of a replay of that track alone.
    alone = replay(tracks, conditions, by="vehicle", policy="exact")
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
    template = Monitor()
    add_conditions(template, read_conditions(conditions, TransitionPolicy.standard()), conditions)
    logs = []
    for jobs in (1, 2):
        many = ManyReplay(ManyTracks(tracks, "vehicle"), template.fork(), until_us=10**12, jobs=jobs)
        logs.append([(row.track, row.event) for row in many.events()])
        assert len(many.ended) == TRACKS and {one.end_us for one in many.ended} == {10**12}
    assert logs[0] == logs[1]
    alone = replay(tracks, conditions, by="vehicle", until=10**12)
    assert sorted(map(repr, alone)) == sorted(repr(event) for _, event in logs[0])
    assert many.counts["fixes"] == alone.counts.fixes == TRACKS * 10
    assert many.counts["late_fixes"] == alone.counts.late_fixes > 0
    assert many.counts["invalid_fixes"] == alone.counts.invalid_fixes > 0


def test_grouped_tracks_are_held_one_at_a_time(world: tuple[Path, Path], tmp_path: Path) -> None:
    tracks, conditions = world
    header, *rows = tracks.read_text().splitlines()
    text = "\n".join([header, *sorted(rows, key=lambda row: row.partition(",")[0])]) + "\n"
    (tmp_path / "g.csv").write_text(text)
    template = Monitor()
    add_conditions(template, read_conditions(conditions, TransitionPolicy.standard()), conditions)
    alone = replay(tmp_path / "g.csv", conditions, by="vehicle", until=10**12)
    for jobs, batch in ((1, 65_536), (2, 997)):
        file = ManyTracks(tmp_path / "g.csv", "vehicle", batch_rows=batch, grouped=True)
        many = ManyReplay(file, template, until_us=10**12, jobs=jobs)
        # Grouped, the order of the rows is that of the tracks.
        assert "".join(event_line(row.event, "vehicle", row.track) + "\n" for row in many.events()) == alone.to_jsonl()
        assert [one.track for one in many.ended] == list(range(TRACKS)) and many.counts["fixes"] == alone.counts.fixes
    with pytest.raises(ValueError, match="comes again after another: the tracks are not grouped"):
        list(ManyReplay(ManyTracks(tracks, "vehicle", grouped=True), template).events())


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
    common = ("replay", "t.csv", "--conditions", "c.csv", "--policy", "exact", "--by", "vehicle")
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
        (["--by", "car"], "t.csv: line 1: there is no column 'car', only vehicle, lat, lon, time, accuracy"),
        (["--by", "vehicle", "--report", "r.html"], "argument --report: is for one track, not for --by"),
        (["--by", "state"], "argument --by: 'state' is also the name of a column of events"),
        (["--jobs", "2"], "argument --jobs: needs --by"),
        (["--grouped"], "argument --grouped: needs --by"),
        (["--by", "vehicle", "--until", "1970-01-01"], "until is before the last input"),
        (["--by", "vehicle", "--jobs", "2", "--until", "1970-01-01"], "until is before the last input"),
    ],
)
def test_bad_usage(run: Run, tmp_path: Path, arguments: list[str], words: str) -> None:
    write(tmp_path / "t.csv", 3, 30)
    done = run("replay", "t.csv", "--conditions", circles(tmp_path / "c.csv"), *arguments)
    assert done.returncode == 2 and words in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"vehicle,lat,lon,time\na,1,2,3\n,1,2,4\n", "line 3: has nothing in the column 'vehicle'"),
        (b"vehicle,lat,lon,time\na,1,2,noon\n", "line 2: time: 'noon' is not a time"),
        (b"vehicle,lat,lon\na,1,2\n", "line 2: has no time"),
        (b"vehicle,lat,lon,time\n", "holds no points"),
        (b"vehicle,lat,lon,time\na,1,2,3\n\xff\n", "is not UTF-8 text"),
        (b"", "line 1: holds no rows"),
    ],
)
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_bad_files(run: Run, tmp_path: Path, content: bytes, words: str, jobs: str) -> None:
    (tmp_path / "t.csv").write_bytes(content)
    done = run("replay", "t.csv", "--conditions", circles(tmp_path / "c.csv"), "--by", "vehicle", "--jobs", jobs)
    assert done.returncode == 2 and words in done.stderr and done.stderr.count("\n") == 1


def test_a_process_that_dies_is_an_error_not_a_wait(tmp_path: Path) -> None:
    """SIGKILL for one of the processes after the first batch."""
    write(tmp_path / "t.csv", 5, 3000)
    code = (
        "import sys, os, signal, multiprocessing\n"
        "from fencepost import Monitor, CircularGeographicCondition, FencepostError\n"
        "from fencepost._stream import ManyReplay, ManyTracks\n"
        "if __name__ == '__main__':\n"
        "    monitor = Monitor(); monitor.add(CircularGeographicCondition(52, 13, 100), 'a')\n"
        "    events = ManyReplay(ManyTracks('t.csv', 'vehicle', batch_rows=100), monitor, jobs=2).events()\n"
        "    next(events)\n"
        "    victim = multiprocessing.active_children()[0]\n"
        "    victim.kill(); victim.join()\n"
        "    try: list(events)\n"
        "    except FencepostError as error: print(error)\n"
    )
    (tmp_path / "kill.py").write_text(code)
    done = subprocess.run([sys.executable, "kill.py"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "a process of --jobs ended before its work was done", done.stderr


PEAK = """
import sys
from fencepost._cli import main
code = main(sys.argv[1:])
# Not ru_maxrss: that begins with what the process had before it became this program.
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")), file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_memory_does_not_grow_with_the_file(tmp_path: Path, kind: str) -> None:
    circles(tmp_path / "c.csv")
    (tmp_path / "peak.py").write_text(PEAK)
    peaks = []
    for rows in (150_000, 600_000):
        path = tmp_path / "t.csv"
        write(path, 100, rows)
        if kind == "parquet":
            path = parquet(path, tmp_path / "t.parquet")
        command = [sys.executable, "peak.py", "replay", str(path), "--conditions", "c.csv", "--by", "vehicle"]
        with open(tmp_path / "events", "w") as out:
            done = subprocess.run(
                [*command, "--format", "jsonl"], cwd=tmp_path, stdout=out, stderr=subprocess.PIPE, text=True, timeout=120
            )
        assert done.returncode == 0, done.stderr
        peaks.append(int(done.stderr.split()[-1]))
    # Four times the rows (14 MB more of text, 40 bytes a fix in columns, 200 as Python objects): less than 12 MB more.
    assert peaks[1] - peaks[0] < 12_000, peaks


def test_forks_share_the_conditions(tmp_path: Path) -> None:
    """Twenty thousand conditions and five hundred tracks: forks that were fed nothing cost next to nothing."""
    monitor = Monitor()
    count = 20_000
    monitor.add_many(map(str, range(count)), [0.001 * (n % 90) for n in range(count)], [0.0] * count, [10.0] * count)

    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    before = resident()
    forks = [monitor.fork() for _ in range(500)]
    assert resident() - before < 10_000_000 and len(forks[-1]) == count
    assert CircularGeographicCondition(0, 0, 10) == forks[0].record("0").condition


def test_a_large_field_of_csv_keeps_lines_apart(tmp_path: Path) -> None:
    text = 'vehicle,note,lat,lon,time\na,"two\nlines",52,13,1\nb,x,52,13,2\nb,x,north,13,3\n'
    (tmp_path / "t.csv").write_text(text)
    conditions = circles(tmp_path / "c.csv")

    def run() -> Iterator[str]:
        yield from lines_of(tmp_path / "t.csv", conditions)

    with pytest.raises(ValueError, match="line 5: latitude 'north' is not a number"):
        list(run())
