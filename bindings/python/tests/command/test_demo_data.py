"""Tests that the demo data and the example equal the output of their scripts, and that the replay gives the golden
events."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import DATA, ROOT, Run
from reference import ReferenceMonitor
from reference_adapter import reference_policy, same_event

from fencepost import Circle, TransitionPolicy
from fencepost._files.condition_files import read_conditions
from fencepost._files.sightings import read_sightings
from fencepost._files.track_files import read_track

GOLDEN = ROOT / "Tests" / "Golden" / "demo-events.jsonl"
FILES = ("drive.csv", "drive.gpx", "conditions.geojson", "places.geojson", "sightings.jsonl")
ARGUMENTS = (
    "replay", DATA / "drive.csv", "--conditions", DATA / "conditions.geojson", "--sightings", DATA / "sightings.jsonl",
    "--format", "jsonl",
)  # fmt: skip


def test_the_script_writes_what_is_in_the_repository(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(DATA / "generate.py"), str(tmp_path)], check=True, capture_output=True)
    for name in FILES:
        assert (tmp_path / name).read_bytes() == (DATA / name).read_bytes(), name


def test_the_drive_is_what_was_promised() -> None:
    track = read_track(DATA / "drive.csv")
    assert 35 * 60 < (track.fixes[-1][3] - track.fixes[0][3]) / 1e6 < 45 * 60
    steps = {later[3] - earlier[3] for earlier, later in zip(track.fixes, track.fixes[1:])}
    assert min(steps) == 1_000_000 and len(steps) == 3  # 1 Hz, two gaps
    assert track.fixes[0][:2] == pytest.approx((37.422, -122.084058), abs=2e-4)
    assert track.fixes[-1][:2] == pytest.approx((37.3270145, -122.0310273), abs=5e-4)
    assert all(3 <= fix[2] < 60 for fix in track.fixes)
    gpx = read_track(DATA / "drive.gpx")
    assert [(fix[0], fix[1], fix[3]) for fix in gpx.fixes] == [(fix[0], fix[1], fix[3]) for fix in track.fixes]
    assert {fix[2] for fix in gpx.fixes} == {0.0}


def test_the_replay_gives_the_golden_events(run: Run) -> None:
    done = run(*ARGUMENTS)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == GOLDEN.read_text(encoding="utf-8")


def test_a_polygon_and_a_corridor_change_no_event_of_the_others(run: Run) -> None:
    done = run(
        *(DATA / "places.geojson" if argument == DATA / "conditions.geojson" else argument for argument in ARGUMENTS)
    )
    assert (done.returncode, done.stderr) == (0, "")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    areas = {"cupertino", "motorway 85"}
    golden = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
    without = [{**event, "sequence": None, "generation": None} for event in events if event["identifier"] not in areas]
    assert without == [{**event, "sequence": None, "generation": None} for event in golden]
    reported = [(event["identifier"], event["state"]) for event in events if event["identifier"] in areas]
    assert reported == [("motorway 85", "satisfied"), ("motorway 85", "unsatisfied"), ("cupertino", "satisfied")]


def test_the_golden_events_are_those_of_the_reference_model() -> None:
    reference = ReferenceMonitor()
    for row in read_conditions(DATA / "conditions.geojson", TransitionPolicy.standard()):
        condition, options = row.condition, {"assuming": str(row.assuming), "policy": reference_policy(row.policy)}
        if isinstance(condition, Circle):
            reference.add_circle(row.identifier, *condition.center, condition.radius, **options)
        else:
            reference.add_beacon(row.identifier, str(condition.uuid), condition.major, condition.minor, **options)
    # If times are equal, fixes come before reports.
    inputs = [(fix[3], 0, fix) for fix in read_track(DATA / "drive.csv").fixes]
    inputs += [(report.time_us, 1, report) for report in read_sightings(DATA / "sightings.jsonl")]
    expected = []
    for time, kind, value in sorted(inputs, key=lambda item: item[:2]):
        if kind == 0:
            reference.feed_fix(time, *value[:3])
        elif value.beacons is None:
            reference.set_scanning(value.scanning, time)
        else:
            reference.feed_sightings(time, [(str(b.uuid), b.major, b.minor, b.rssi) for b in value.beacons])
        while (event := reference.next_event()) is not None:
            expected.append(event)
    golden = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
    assert len(golden) == len(expected)
    for ours, theirs in zip(golden, expected):
        same_event(ours, theirs)


def test_the_quickstart_prints_what_it_should() -> None:
    folder = ROOT / "examples" / "python"
    done = subprocess.run([sys.executable, str(folder / "quickstart.py")], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (folder / "quickstart.expected").read_text()
