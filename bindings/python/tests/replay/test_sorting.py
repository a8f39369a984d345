"""Tests that files and tables which are not in time order are sorted with a warning, or fed unchanged with
`sort=False`."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path
from typing import Any

import pytest
from alone import one_by_one, reported
from conftest import EXACT, ROOT, TRACKS, Run, in_full, mentions, needs_shared

from fencepost import Circle, EventLog, Fix, InputError, InputWarning, Zones, compare, replay
from fencepost._files import many_tracks
from fencepost._files.many_tracks import ManyTracks
from fencepost._log.texts import event_line
from fencepost._replay.stream import ManyReplay

DATA = ROOT / "examples" / "data"
CONDITIONS = DATA / "conditions.geojson"
GOLDEN = (ROOT / "Tests" / "Golden" / "demo-events.jsonl").read_text(encoding="utf-8")
HERE = {"here": Circle(0, 0, 100)}


def shuffled(path: Path, target: Path, seed: int = 3) -> Path:
    """Writes a CSV file's rows in random order."""
    head, *rows = path.read_text().splitlines()
    random.Random(seed).shuffle(rows)
    target.write_text("\n".join([head, *rows]) + "\n")
    return target


def drive() -> EventLog:
    return replay(DATA / "drive.csv", CONDITIONS)


@pytest.mark.parametrize("order", ["newest first", "any"])
def test_a_file_in_another_order_gives_the_same_events(tmp_path: Path, order: str) -> None:
    head, *rows = (DATA / "drive.csv").read_text().splitlines()
    if order == "any":
        shuffled(DATA / "drive.csv", tmp_path / "t.csv")
    else:
        (tmp_path / "t.csv").write_text("\n".join([head, *reversed(rows)]))
    with pytest.warns(InputWarning, match="t.csv") as reported:
        log = replay(tmp_path / "t.csv", CONDITIONS)
    assert list(log) == list(drive()) and log.counts.late_fixes == 0 and len(reported) == 1
    assert reported[0].filename == __file__  # the warning names the caller's line, not a line of the package
    as_it_is = replay(tmp_path / "t.csv", CONDITIONS, sort=False)
    assert as_it_is.counts.late_fixes > len(rows) / 2 and len(as_it_is) < len(log)


@pytest.mark.parametrize("name", ["t.fgb", *in_full("t.gpkg", "t.parquet", "t.shp.zip")])
def test_vector_files(tmp_path: Path, name: str, run: Run) -> None:
    """FlatGeobuf files are in spatial order: if the rows are not sorted by time, 2,288 of the demo's 2,297 fixes are
    late."""
    geopandas = pytest.importorskip("geopandas")
    pandas = pytest.importorskip("pandas")
    table = pandas.read_csv(DATA / "drive.csv")
    if name.endswith("zip"):
        table["time"] = table["time"].str.slice(0, 19)  # a Shapefile stores times as text
    else:
        table["time"] = pandas.to_datetime(table["time"], utc=True)
    points = geopandas.points_from_xy(table.pop("longitude"), table.pop("latitude"))
    frame = geopandas.GeoDataFrame(table, geometry=points, crs=4326)
    if name != "t.fgb":
        frame = frame.sample(frac=1, random_state=5)
    frame.to_parquet(tmp_path / name) if name.endswith("parquet") else frame.to_file(tmp_path / name)
    with pytest.warns(InputWarning, match="fixes .* time; .*sort=False"):
        log = replay(tmp_path / name, CONDITIONS)
    assert [(e.identifier, e.state, e.date) for e in log] == [(e.identifier, e.state, e.date) for e in drive()]
    done = run("replay", name, "--conditions", CONDITIONS, "--format", "jsonl")
    assert (done.returncode, len(done.stdout.splitlines())) == (0, len(log))
    assert mentions(done.stderr, "time; … --no-sort … file")
    kept = run("replay", name, "--conditions", CONDITIONS, "--format", "jsonl", "--no-sort")
    assert "fixes came late" in kept.stderr and "sorted" not in kept.stderr


def test_tables_are_sorted_and_fixes_of_a_program_are_not() -> None:
    pandas = pytest.importorskip("pandas")
    pyarrow = pytest.importorskip("pyarrow")
    pytest.importorskip("nanoarrow")
    frame = pandas.DataFrame({"lat": [0.0, 0, 0], "lon": [0.0, 1, 1], "time_s": [30, 10, 20]})
    for table in (frame, pyarrow.Table.from_pandas(frame)):
        with pytest.warns(InputWarning, match="track.*2.*3"):
            log = replay(table, HERE, policy="exact")
        assert [str(event.state) for event in log] == ["unsatisfied", "satisfied"]
        assert replay(table, HERE, sort=False).counts.late_fixes == 2
        with pytest.warns(InputWarning, match="2.*3"):
            assert len(compare(table, HERE, policies=["exact"])[0].log) == 2
        assert compare(table, HERE, policies=["exact"], sort=False)[0].log.counts.late_fixes == 2
    assert replay([Fix(0, 0, time=30), Fix(0, 1, time=10)], HERE).counts.late_fixes == 1


def test_each_track_is_sorted_alone(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("car,time,lat,lon\na,100,0,0\nb,30,0,1\na,90,0,1\nb,40,0,0\n")
    with pytest.warns(InputWarning, match="1.*4"):
        log = replay(tmp_path / "t.csv", HERE, policy="exact", by="car", assuming="unknown")
    assert [(row.track, str(row.event.state)) for row in log.tracked()] == [
        ("a", "unsatisfied"), ("a", "satisfied"), ("b", "unsatisfied"), ("b", "satisfied"),
    ]  # fmt: skip


def test_fixes_of_one_time_stay_in_their_order(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("time,lat,lon\n9,0,1\n5,0,1\n5,0,0\n5,0,2\n")
    with pytest.warns(InputWarning):
        log = replay(tmp_path / "t.csv", HERE, policy="exact")
    assert [(str(event.state), event.date_us, event.longitude) for event in log] == [
        ("unsatisfied", 5_000_000, 1), ("satisfied", 5_000_000, 0), ("unsatisfied", 5_000_000, 2),
    ]  # fmt: skip


@needs_shared()
@pytest.mark.parametrize(
    ("name", "late"),
    [
        ("gpx/walk-blue-hills-months.gpx", 1),
        ("csv/train-neuchatel-lausanne-accuracy.csv", 5),
    ],
)
def test_real_files_that_step_back(name: str, late: int) -> None:
    """After sorting, no fix is late. The number of rows in the warning is at least the number of backward steps in time
    that SOURCES.md lists."""
    import re

    with pytest.warns(InputWarning, match=r"\d+ of \d+ .*sort=False") as reported:
        log = replay(TRACKS / name, {})
    count = re.search(r"(\d+) of", str(reported[0].message))
    assert count is not None and int(count[1]) >= late
    assert log.counts.late_fixes == 0 and replay(TRACKS / name, {}, sort=False).counts.late_fixes == int(count[1])


def test_sightings_are_sorted(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("time,lat,lon\n0,0,0\n100,0,0\n")
    lines = ['{"time": 20, "scanning": true}', '{"time": 10, "scanning": false}']
    (tmp_path / "s.jsonl").write_text("\n".join(lines))
    with pytest.warns(InputWarning, match=r"s.jsonl.*1.*2"):
        assert replay(tmp_path / "t.csv", HERE, sightings=tmp_path / "s.jsonl").counts.late_reports == 0
    assert replay(tmp_path / "t.csv", HERE, sightings=tmp_path / "s.jsonl", sort=False).counts.late_reports == 1


# ------------------------------------------------------------------------------------------ many tracks in batches


def world(path: Path, tracks: int = 6, rows: int = 3000, late: float = 1.0, seed: int = 8) -> Path:
    """Writes random positions of several cars in and around a circle; the last rows (the fraction `late` of all rows)
    are in random order."""
    generator = random.Random(seed)
    table = [
        [
            f"v{row % tracks}",
            f"{0.0004 * generator.uniform(-4, 4):.6f}",
            f"{0.0004 * generator.uniform(-4, 4):.6f}",
            30 * row,
        ]
        for row in range(rows)
    ]
    first = round(rows * (1 - late))
    end = table[first:]
    generator.shuffle(end)
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([["car", "lat", "lon", "time"], *table[:first], *end])
    return path


def lines(path: Path, jobs: int = 1, batch: int = 65_536, **options: Any) -> list[str]:
    template = Zones()
    template.add(HERE["here"], "here", assuming="unknown", policy="exact")
    many = ManyReplay(ManyTracks(path, "car", batch_rows=batch, **options), template, jobs=jobs)
    found = [event_line(row.event, "car", row.track) for row in many.events()]
    assert options.get("sort") is False or many.counts["late_fixes"] == 0
    return found


def by_track(texts: list[str]) -> list[dict[str, Any]]:
    events = [json.loads(text) for text in texts]
    return sorted(events, key=lambda event: (event["car"], event["sequence"]))


def test_batches_are_sorted_within_their_tracks(tmp_path: Path) -> None:
    path = world(tmp_path / "t.csv")
    with pytest.warns(InputWarning, match=r"t.csv.*3000"):
        expected = one_by_one(path, HERE, by="car", policy=EXACT, sort=True)
    with pytest.warns(InputWarning):
        assert reported(replay(path, HERE, policy="exact", by="car", assuming="unknown")) == reported(expected)
    alone = [event_line(row.event, "car", row.track) for row in expected.tracked()]
    found = set()
    for jobs, batch in ((1, 65_536), (1, 7), (1, 1000), (2, 500)):
        with pytest.warns(InputWarning, match=r"\d+ .* 3000 fixes .* time"):
            found.add(tuple(lines(path, jobs, batch, sort=True)))
    # The order depends neither on the batch size nor on the number of processes; each track gives the same events as
    # when it is replayed alone.
    assert len(found) == 1 and by_track(list(found.pop())) == by_track(alone) and len(alone) > 300


def test_rows_that_come_together_stay_together(tmp_path: Path) -> None:
    path = world(tmp_path / "t.csv", late=0)
    head, *rows = path.read_text().splitlines()
    # The newest row of each track comes first.
    grouped = sorted(rows, key=lambda row: (row[:2], -int(row.rpartition(",")[2])))
    path.write_text("\n".join([head, *grouped]))
    with pytest.warns(InputWarning, match=r"\d+ of \d+ .*sort=False"):
        found = lines(path, grouped=True, sort=True)
    with pytest.warns(InputWarning, match=r"\d+ of \d+ .*sort=False"):
        assert found == lines(path, sort=True)
    world(path, late=0)
    assert by_track(found) == by_track(lines(path, sort=True))


def test_what_is_in_order_is_not_touched(tmp_path: Path) -> None:
    """Each track is in time order, whether the rows of the tracks alternate or the tracks come one after another, so
    sorting changes nothing."""
    path = world(tmp_path / "t.csv", late=0)
    head, *rows = path.read_text().splitlines()
    for text in (rows, sorted(rows, key=lambda row: row[:2])):
        path.write_text("\n".join([head, *text]))
        assert lines(path, sort=True) == lines(path, sort=False) != []


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_long_file_that_steps_back_late_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    """A file counts as ordered if it can be sorted with only the rows that are held in memory. If a row belongs before
    rows that are no longer held in memory, the file is refused, and the error message says what to do."""
    monkeypatch.setattr(many_tracks, "HELD_ROWS", 1000)
    path = world(tmp_path / "t.csv", late=0.2)
    template = Zones()
    template.add(HERE["here"], "here", assuming="unknown", policy="exact")
    taken = []
    words = r"t.csv: \d+ .* \d+ to \d+ .*sort"
    with pytest.raises(InputError, match=words):
        for line in ManyReplay(ManyTracks(path, "car", batch_rows=100, sort=True), template, jobs=jobs).lines():
            taken.append(line)
    assert taken and [json.loads(line) for line in taken] == [
        json.loads(line) for line in lines(path, batch=100, sort=False)[: len(taken)]
    ]


def test_a_notebook_is_given_the_events_of_such_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the rows are too far out of order to be streamed, a notebook reads the file again and holds all its rows in
    memory."""
    path = world(tmp_path / "t.csv", late=0.2)
    monkeypatch.setattr(many_tracks, "BATCH_ROWS", 50)
    with pytest.warns(InputWarning, match=r"\d+ of \d+ .*sort=False"):
        expected = reported(one_by_one(path, HERE, by="car", policy=EXACT, sort=True))
    for held, most in ((10_000, 10_000), (100, 10_000), (100, 1000)):
        monkeypatch.setattr(many_tracks, "HELD_ROWS", held)
        monkeypatch.setattr(many_tracks, "MOST_SORTED", most)
        with pytest.warns(InputWarning, match=r"\d+ .* 3000 fixes") as said:
            log = replay(path, HERE, policy="exact", by="car", assuming="unknown")
        assert len(said) == 1 and reported(log) == expected and log.counts.late_fixes == 0 and len(log) > 300


def test_more_than_memory_is_for_is_refused_before_anything_is_fed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(many_tracks, "MOST_SORTED", 2000)
    path = world(tmp_path / "t.csv")
    template = Zones()
    with pytest.raises(InputError, match=r"t\.csv: .*sort=False"):
        next(ManyReplay(ManyTracks(path, "car", batch_rows=100, sort=True), template).events())


def test_a_damaged_row_is_reported_and_earlier_rows_count(tmp_path: Path) -> None:
    path = world(tmp_path / "t.csv")
    with open(path, "a") as file:
        file.write("v0,north,0,5\n")
    template = Zones()
    template.add(HERE["here"], "here", assuming="unknown", policy="exact")
    taken = []
    with pytest.raises(InputError, match="line 3002.*'north'"):
        for row in ManyReplay(ManyTracks(path, "car", batch_rows=100, sort=True), template).events():
            taken.append(row)
    assert len(taken) > 100


def test_the_command_says_it(run: Run, tmp_path: Path) -> None:
    world(tmp_path / "t.csv")
    (tmp_path / "c.csv").write_text("id,lat,lon,radius\nhere,0,0,100\n")
    common = (
        "replay",
        "t.csv",
        "--conditions",
        "c.csv",
        "--policy",
        "exact",
        "--by",
        "car",
        "--format",
        "jsonl",
        "--assuming",
        "unknown",
    )
    done = run(*common)
    with pytest.warns(InputWarning):
        assert done.stdout.splitlines() == lines(tmp_path / "t.csv", sort=True)
    assert done.returncode == 0
    assert done.stderr.startswith("fencepost: t.csv: ") and mentions(done.stderr, "of 3000 fixes … --no-sort")
    kept = run(*common, "--no-sort")
    assert kept.stdout.splitlines() == lines(tmp_path / "t.csv", sort=False) and "came late" in kept.stderr
