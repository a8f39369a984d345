"""Tests the command as a separate process: formats, options, exit codes, and one line for each error."""

from __future__ import annotations

import csv
import importlib.metadata
import io
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import DATA, OWN_TRACKS, ROOT, TRACKS, Run, mentions

DEMO = ("replay", DATA / "drive.csv", "--conditions", DATA / "conditions.geojson")
SIGHTINGS = ("--sightings", DATA / "sightings.jsonl")
GOLDEN = (ROOT / "Tests" / "Golden" / "demo-events.jsonl").read_text(encoding="utf-8")


def circle(**properties: object) -> str:
    feature = {
        "type": "Feature",
        "geometry": {"type": "Point", "coordinates": [0, 0]},
        "properties": {"identifier": "a", "radius": 100, "policy": "exact", **properties},
    }
    return json.dumps({"type": "FeatureCollection", "features": [feature]})


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with a small track, conditions and sightings."""
    (tmp_path / "c.geojson").write_text(circle())
    (tmp_path / "t.csv").write_text("time,lat,lon\n0,0,1\n10,0,0\n5,0,1\n20,91,0\n30,0,1\n")
    (tmp_path / "w.csv").write_text("lat,lon\n0,-0.002\n0,0.002\n")
    (tmp_path / "s.jsonl").write_text('{"time": 10, "beacons": []}\n{"time": 3, "scanning": false}\n')
    return tmp_path


def one_line(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 2 and done.stdout == ""
    assert re.fullmatch(r"fencepost: [^\n]+\n", done.stderr), done.stderr
    return done.stderr.removeprefix("fencepost: ").rstrip("\n")


def test_the_console_script_is_there() -> None:
    script = Path(sys.executable).with_name("fencepost")
    done = subprocess.run([script, *DEMO, *SIGHTINGS, "--format", "jsonl"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, GOLDEN, "")


def test_help_and_version(run: Run) -> None:
    assert run("--version").stdout == f"fencepost {importlib.metadata.version('fencepost')}\n"
    assert "--hdop-scale" in run("replay", "--help").stdout


def test_jsonl_is_the_cores(run: Run) -> None:
    assert run(*DEMO, *SIGHTINGS, "--format", "jsonl").stdout == GOLDEN


def test_csv_says_the_same(run: Run) -> None:
    rows = list(csv.DictReader(io.StringIO(run(*DEMO, *SIGHTINGS, "--format", "csv").stdout)))
    events = [json.loads(line) for line in GOLDEN.splitlines()]
    assert len(rows) == len(events) and list(rows[0]) == [
        *events[0],
        "evidence",
        "gap",
        "direction",
        "probability",
        "vertical_distance",
        "decided_by",
    ]
    assert {(row["evidence"], row["gap"]) for row in rows} == {("fix", "False"), ("", "False")}
    for row, event in zip(rows, events):
        for key in ("sequence", "identifier", "state", "cause", "date", "latitude", "boundary_distance"):
            assert row[key] == ("" if event[key] is None else str(event[key]))
        beacon = event["refinement"]
        assert row["refinement"] == ("" if beacon is None else f"{beacon['uuid']}/{beacon['major']}/{beacon['minor']}")


def test_geojson_says_the_same(run: Run) -> None:
    features = json.loads(run(*DEMO, *SIGHTINGS, "--format", "geojson").stdout)["features"]
    events = [json.loads(line) for line in GOLDEN.splitlines()]
    assert len(features) == len(events)
    for feature, event in zip(features, events):
        latitude, longitude = event.pop("latitude"), event.pop("longitude")
        expected = None if latitude is None else {"type": "Point", "coordinates": [longitude, latitude]}
        assert feature == {"type": "Feature", "geometry": expected, "properties": event}


def test_geojson_without_events_is_valid(run: Run, files: Path) -> None:
    (files / "c.geojson").write_text(circle(assuming="unsatisfied"))
    (files / "t.csv").write_text("time,lat,lon\n0,0,1\n")
    done = run("replay", "t.csv", "--conditions", "c.geojson", "--format", "geojson")
    assert json.loads(done.stdout) == {"type": "FeatureCollection", "features": []}


def test_the_table_has_a_line_for_each_event(run: Run) -> None:
    lines = run(*DEMO, *SIGHTINGS).stdout.splitlines()
    assert len(lines) == 2 + len(GOLDEN.splitlines())
    assert re.match(r"date \(UTC\) +identifier +state +cause", lines[0])
    assert re.match(r"2024-05-01 15:30:00 +google campus +satisfied +determination +same +-999\.\d m", lines[2])


def test_the_summary(run: Run) -> None:
    done = run(*DEMO, *SIGHTINGS, "--summary")
    rows = {line[:22].strip(): line[22:].split() for line in done.stdout.splitlines()[len(GOLDEN.splitlines()) + 5 :]}
    assert rows["google campus"][:4] == ["2", "1", "1", "unsatisfied"]
    assert rows["mountain view library"][:4] == ["0", "0", "0", "unsatisfied"]
    machine = run(*DEMO, *SIGHTINGS, "--summary", "--format", "jsonl")
    assert machine.stdout == GOLDEN and "google campus" in machine.stderr


def test_the_gpx_of_the_drive_with_scaled_hdop(run: Run) -> None:
    gpx = ("replay", DATA / "drive.gpx", "--conditions", DATA / "conditions.geojson", *SIGHTINGS, "--format", "jsonl")
    plain = [json.loads(line) for line in run(*gpx).stdout.splitlines()]
    scaled = [json.loads(line) for line in run(*gpx, "--hdop-scale", "5").stdout.splitlines()]
    assert {event["accuracy"] for event in plain} == {0, None}
    golden = [json.loads(line) for line in GOLDEN.splitlines()]
    assert [(e["identifier"], e["state"]) for e in scaled] == [(e["identifier"], e["state"]) for e in golden]
    assert scaled[0]["accuracy"] == pytest.approx(golden[0]["accuracy"], abs=0.3)


def test_policies(run: Run, files: Path) -> None:
    (files / "c.geojson").write_text(circle(policy=None))
    dates = {}
    for policy in ("standard", "exact", "core_location"):
        done = run("replay", "t.csv", "--conditions", "c.geojson", "--policy", policy, "--format", "jsonl")
        dates[policy] = [json.loads(line)["date"][17:19] for line in done.stdout.splitlines()]
    # A fix at the very end of the dwell time contradicts the transition.
    assert dates == {"standard": ["00"], "exact": ["00", "10", "30"], "core_location": ["00"]}


def test_late_and_invalid_fixes_are_counted(run: Run, files: Path) -> None:
    arguments = ("replay", "t.csv", "--conditions", "c.geojson", "--sightings", "s.jsonl", "--format", "jsonl")
    done = run(*arguments, "--no-sort")
    assert done.returncode == 0 and len(done.stdout.splitlines()) == 3
    said, invalid = done.stderr.splitlines(), "t.csv: 1 of 5 fixes … line 5 … latitude 91, longitude 0"
    assert len(said) == 3 and mentions(said[0], "t.csv: 1 of 5 fixes … late") and mentions(said[1], invalid)
    assert mentions(said[2], "s.jsonl: 1 of 2 reports … late")
    done = run(*arguments)
    said = done.stderr.splitlines()
    assert len(said) == 3 and mentions(said[0], "s.jsonl: 1 of 2 reports … --no-sort")
    assert mentions(said[1], "t.csv: 1 of 5 fixes … --no-sort") and mentions(said[2], invalid)


def test_nothing_is_advanced_beyond_the_last_input(run: Run, files: Path) -> None:
    (files / "c.geojson").write_text(circle(policy="standard"))
    (files / "t.csv").write_text("time,lat,lon\n0,0,1\n10,0,0\n")
    arguments = ("replay", "t.csv", "--conditions", "c.geojson", "--format", "jsonl")
    assert len(run(*arguments).stdout.splitlines()) == 1
    later = run(*arguments, "--until", "1970-01-01T00:00:30Z").stdout.splitlines()
    assert len(later) == 2 and '"1970-01-01T00:00:30.000000Z"' in later[1]
    assert len(run(*arguments, "--until", "29").stdout.splitlines()) == 1
    assert mentions(one_line(run(*arguments, "--until", "9")), "--until:")


def test_delivery_and_limit(run: Run) -> None:
    limited = run(*DEMO, "--condition-limit", "1", "--format", "jsonl").stdout.splitlines()
    states = [json.loads(line)["state"] for line in limited]
    assert states.count("unmonitored") == 8
    # If each event is consumed immediately, the delivery mode makes no difference.
    for delivery in ("every", "first", "latest"):
        assert run(*DEMO, *SIGHTINGS, "--delivery", delivery, "--format", "jsonl").stdout == GOLDEN


def test_way_points_are_played(run: Run, files: Path) -> None:
    arguments = ("replay", "w.csv", "--conditions", "c.geojson", "--format", "jsonl")
    said = one_line(run(*arguments))
    assert said.startswith("w.csv: point 1: ") and said.endswith("--columns time=NAME")
    assert "--speed" in said and "--start" in said
    play = (*arguments, "--speed", "10", "--start", "1970-01-01T00:00:00Z")
    # The track is 445.3 m long: the device enters the place after 122.6 m, and leaves it after 322.6 m.
    events = [json.loads(line) for line in run(*play).stdout.splitlines()]
    assert [(e["state"], e["date"][17:26]) for e in events] == [
        ("unsatisfied", "00.000000"), ("satisfied", "13.000000"), ("unsatisfied", "33.000000"),
    ]  # fmt: skip
    there_and_back = [json.loads(line) for line in run(*play, "--loop", "2").stdout.splitlines()]
    assert [e["state"] for e in there_and_back] == ["unsatisfied"] + ["satisfied", "unsatisfied"] * 4
    assert mentions(one_line(run(*arguments, "--speed", "10")), "argument --speed: … --start")
    assert one_line(run(*arguments, "--start", "2024-05-01")) == "argument --start: needs --speed"
    assert "10000000" in one_line(run(*play[:-3], "1e-6", *play[-2:]))
    timed = run("replay", "t.csv", "--conditions", "c.geojson", *play[-4:])
    assert one_line(timed).startswith("t.csv: ") and "--speed, --start and --loop" in one_line(timed)


def test_columns(run: Run, files: Path) -> None:
    (files / "t.csv").write_text("when,north,east\n0,0,0\n")
    arguments = ("replay", "t.csv", "--conditions", "c.geojson", "--format", "jsonl")
    assert mentions(one_line(run(*arguments)), "column … latitude")
    assert run(*arguments, "--columns", "latitude=north,longitude=east,time=when").stdout.count("\n") == 1
    assert "argument --columns: 'up=down' is not" in one_line(run(*arguments, "--columns", "up=down"))


def test_repeated_columns(run: Run, files: Path) -> None:
    """The last option replaced the ones before it without a word."""
    (files / "t.csv").write_text("when,north,east\n0,0,0\n")
    (files / "p.csv").write_text("name,north,east,size\na,0,0,100\n")
    arguments = ("replay", "t.csv", "--format", "jsonl", "--conditions")
    columns = ("--columns", "latitude=north", "--columns", "longitude=east", "--columns=time=when,latitude=north")
    assert run(*arguments, "c.geojson", *columns).stdout.count("\n") == 1
    twice = mentions(one_line(run(*arguments, "c.geojson", *columns, "--columns", "time=north")), "'when' … 'north'")
    within = mentions(one_line(run(*arguments, "c.geojson", "--columns", "time=when,time=east")), "'when' … 'east'")
    assert twice and within
    names = [
        f"--conditions-columns={pair}"
        for pair in ("latitude=north", "longitude=east", "identifier=name", "radius=size")
    ]
    assert run(*arguments, "p.csv", *columns, *names).stdout.count("\n") == 1
    assert run("circles", "p.csv", *names).stdout.count('"a"') == 1
    for command in (arguments[:2], ("circles", "p.csv")):
        said = one_line(run(*command, *names, "--conditions-columns", "radius=north"))
        assert mentions(said, "--conditions-columns: radius … 'size' … 'north'")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "COMMAND"),
        (("play",), "invalid choice: 'play'"),
        (("replay",), "required: TRACK, --conditions"),
        (("replay", "t.csv"), "required: --conditions"),
        (("replay", "t.csv", "--conditions", "c.geojson", "--format", "xml"), "--format: … 'xml'"),
        (("replay", "t.csv", "--conditions", "c.geojson", "--policy", "strict"), "--policy: policy 'strict' is not"),
        (("replay", "t.csv", "--conditions", "c.geojson", "--condition-limit", "0"), "--condition-limit: 0 is not"),
        (("replay", "t.csv", "--conditions", "c.geojson", "--until", "soon"), "--until: 'soon'"),
        (("replay", "t.csv", "--conditions", "c.geojson", "--hdop-scale", "nan"), "--hdop-scale: nan"),
        (("replay", "t.csv", "--conditions", "c.geojson", "--what"), "unrecognized arguments: --what"),
        (("replay", "none.gpx", "--conditions", "c.geojson"), "none.gpx:"),
        (("replay", "t.csv", "--conditions", "none"), "none:"),
        (("replay", "t.csv", "--conditions", "t.csv"), "t.csv: line 1: … identifier"),
        (("replay", "t.csv", "--conditions", "w.gpkg"), "w.gpkg:"),
        (("replay", "t.csv", "--conditions", "c.geojson", "--sightings", "t.csv"), "t.csv: line 1: "),
        (
            ("replay", "c.geojson", "--conditions", "c.geojson"),
            "c.geojson: point 1: … time",
        ),
    ],
)
def test_bad_usage(run: Run, files: Path, arguments: tuple[str, ...], words: str) -> None:
    assert mentions(one_line(run(*arguments)), words)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("t.gpx", "<gpx><trk><trkseg><trkpt lat='1'", "t.gpx: line 1: … XML"),
        ("t.gpx", "<gpx><wpt lat='1' lon='2'/></gpx>", "t.gpx: point 1: … time"),
        ("t.csv", "time,lat\n0,1\n", "t.csv: line 1: … longitude"),
        ("t.csv", "\xff\xfe", "t.csv: line 1"),
        ("t.geojson", "{}", "t.geojson: type: … GeoJSON"),
    ],
)
def test_broken_tracks(run: Run, files: Path, name: str, content: str, words: str) -> None:
    (files / name).write_bytes(content.encode("latin-1"))
    assert mentions(one_line(run("replay", name, "--conditions", "c.geojson")), words)


def test_names_that_are_not_utf_8(run: Run, files: Path) -> None:
    name = os.fsdecode(b"\xff.gpx")
    done = subprocess.run(
        [sys.executable, "-m", "fencepost", "replay", name, "--conditions", "c.geojson"], capture_output=True, cwd=files
    )
    assert done.returncode == 2 and b"No such file" in done.stderr and b"Traceback" not in done.stderr


def test_identifiers_of_all_kinds(run: Run, files: Path) -> None:
    (files / "c.geojson").write_text(circle(identifier="\x1b[31mü\n日本"))
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"}
    arguments = ("replay", "t.csv", "--conditions", "c.geojson")
    table = run(*arguments, env=environment)
    assert table.returncode == 0 and "\x1b" not in table.stdout and "Traceback" not in table.stderr
    lines = run(*arguments, "--format", "jsonl", env=environment).stdout.splitlines()
    assert {json.loads(line)["identifier"] for line in lines} == {"\x1b[31mü\n日本"}


def test_a_reader_that_goes_away(files: Path) -> None:
    rows = "".join(f"{1000 * second},0,{second % 2}\n" for second in range(50_000))
    (files / "t.csv").write_text("time,lat,lon\n" + rows)
    command = [sys.executable, "-m", "fencepost", "replay", "t.csv", "--conditions", "c.geojson", "--format", "jsonl"]
    with subprocess.Popen(command, cwd=files, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b"" and process.wait(60) == 0


def test_an_interrupt_is_one_line(files: Path) -> None:
    rows = "".join(f"{1000 * second},0,{second % 2}\n" for second in range(400_000))
    (files / "t.csv").write_text("time,lat,lon\n" + rows)
    command = [sys.executable, "-m", "fencepost", "replay", "t.csv", "--conditions", "c.geojson", "--format", "jsonl"]

    def heed_interrupts() -> None:  # a background shell may make its processes ignore interrupts
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    with subprocess.Popen(
        command,
        cwd=files,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=heed_interrupts,  # noqa: PLW1509
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()  # after the first line, the process is in the middle of its work
        process.send_signal(signal.SIGINT)
        _out, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130, b"fencepost: interrupted\n")


def test_a_full_disk_is_one_line(run: Run, files: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("/dev/full is not there")
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "fencepost", *map(str, DEMO), "--format", "jsonl"],
            stdout=full, stderr=subprocess.PIPE, text=True, timeout=60,
        )  # fmt: skip
    assert done.returncode == 2 and done.stderr == "fencepost: output: No space left on device\n"


@pytest.mark.parametrize(
    ("closed", "code", "output", "errors"),
    [
        (">&-", 2, "", "fencepost: f.jsonl: line 2: is not valid JSON\nfencepost: output: Bad file descriptor\n"),
        ("2>&-", 0, "1", ""),
        ("--append events.jsonl <&- >&- 2>&-", 0, "", ""),
        ("--source - --as van <&-", 2, "", "fencepost: standard input: Bad file descriptor\n"),
    ],
)
def test_closed_standard_streams(tmp_path: Path, closed: str, code: int, output: str, errors: str) -> None:
    """A watch without standard output ended with a traceback. Without standard error, its messages became lines of the
    output."""
    (tmp_path / "c.csv").write_text("identifier,latitude,longitude,radius\nhere,0,0,100\n")
    fix = '{"latitude": 0, "longitude": 0, "accuracy": 5, "time": 1700000000, "device": "van"}'
    (tmp_path / "f.jsonl").write_text(f"{fix}\nno fix\n")
    source = "" if "--source" in closed else "--source f.jsonl"
    command = f"{sys.executable} -m fencepost watch {source} --conditions c.csv --policy exact --any-time {closed}"
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=180)
    lines = done.stdout.splitlines()
    assert (done.returncode, "".join(str(json.loads(line)["sequence"]) for line in lines), done.stderr) == (
        code, output, errors
    )  # fmt: skip
    if "--append" in closed:
        assert len((tmp_path / "events.jsonl").read_text().splitlines()) == 1


def terminal(command: list[str], folder: Path) -> tuple[int, str]:
    """Runs a command with standard error on a terminal; returns its exit code and the terminal's text."""
    leader, follower = pty.openpty()
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=follower) as process:
        os.close(follower)
        seen, deadline = b"", time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                part = os.read(leader, 65536)
            except OSError:  # the other end of the pipe is closed
                break
            seen += part
        process.wait(60)
    os.close(leader)
    return process.returncode, seen.decode()


def test_a_progress_bar_on_a_terminal_only(run: Run, files: Path) -> None:
    rows = "".join(f"{second},0,1\n" for second in range(30_000))
    (files / "t.csv").write_text("time,lat,lon\n" + rows)
    arguments = ["replay", "t.csv", "--conditions", "c.geojson"]
    code, seen = terminal([sys.executable, "-m", "fencepost", *arguments], files)
    assert code == 0 and "replay" in seen and "%" in seen
    assert run(*arguments).stderr == ""
    (files / "t.csv").write_text("time,lat,lon\n0,0,1\n")
    assert terminal([sys.executable, "-m", "fencepost", *arguments], files) == (0, "")


def test_real_files_through_the_command(run: Run, files: Path) -> None:
    names = ("gpx/parser-edge-fix-whitespace.gpx", "csv/bus-liverpool-route14.csv", "gpx/apple-watch-hacc.gpx")
    shared = [TRACKS / name for name in names] if TRACKS.is_dir() else []
    own = [path for path in sorted(OWN_TRACKS.glob("*/*")) if path.suffix != ".chk"]
    assert len(own) == 6
    for path in own + shared:
        by = ("--by", "vehicle_id", "--assuming", "unknown") if path.stem == "bus-liverpool-route14" else ()
        done = run("replay", path, "--conditions", "c.geojson", "--format", "jsonl", *by)
        assert done.returncode == 0 and "Traceback" not in done.stderr
        assert json.loads(done.stdout.splitlines()[0])["state"] == "unsatisfied"
