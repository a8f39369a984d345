"""Kills `fencepost watch` at random moments while a real track is fed to it. No event may be lost, and no event may be
added.

With FENCEPOST_SOAK=1, the test kills 60 processes for each format. FENCEPOST_SEED repeats the random choices of an
earlier run.
"""

from __future__ import annotations

import json
import os
import random
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import TRACKS

from fencepost._files.track_files import read_track
from fencepost._files.tracks import FixRow

KILLS = 60 if os.environ.get("FENCEPOST_SOAK") == "1" else 8
"""For each format."""


def jsonl() -> tuple[bytes, list[FixRow]]:
    rows = [row for row in read_track(TRACKS / "gpx" / "run-dc-garmin.gpx").fixes if row[2] >= 0]
    lines = [
        json.dumps({"latitude": latitude, "longitude": longitude, "accuracy": accuracy, "time": time / 1e6})
        for latitude, longitude, accuracy, time in rows
    ]
    # After each 40 lines, add a late fix, a repeated fix and an invalid line.
    for at in range(40, len(lines), 40):
        lines[at] += f"\n{lines[at - 1]}\n{lines[at]}\nnothing"
    return ("\n".join(lines) + "\n").encode(), rows


def nmea() -> tuple[bytes, list[FixRow]]:
    lines = (TRACKS / "nmea" / "car-mountain-view-ublox-f9k.nmea").read_bytes().splitlines(keepends=True)[:12_000]
    # The stream starts in the middle of a line, as a serial port may.
    data = b"23.4,M,7*11\r\n" + b"".join(lines)
    path = Path(os.environ["FENCEPOST_SCRATCH"]) / "part.nmea"
    path.write_bytes(data)
    return data, [row for row in read_track(path).fixes if row[2] >= 0]


def make_conditions(rows: list[FixRow], generator: random.Random) -> str:
    features = []
    for number in range(30):
        latitude, longitude, *_ = generator.choice(rows)
        features.append(
            {
                "type": "Feature",
                "geometry": {"type": "Point", "coordinates": [longitude, latitude]},
                "properties": {
                    "identifier": f"circle {number}",
                    "radius": generator.uniform(20, 400),
                    "policy": generator.choice(["exact", "standard", "core_location"]),
                },
            }
        )
    return json.dumps({"type": "FeatureCollection", "features": features})


class Life:
    """Runs one process of `fencepost watch`, which reads the track from its beginning."""

    def __init__(self, folder: Path, *more: str) -> None:
        self.player = subprocess.Popen(
            ["cat", str(folder / "track")], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        # The lag of a day prevents the watch from advancing the clock during the pauses between two chunks from the
        # pipe. These pauses do not match the times in the track.
        command = [
            sys.executable,
            "-m",
            "fencepost",
            "watch",
            "--source",
            "-",
            "--lag",
            "86400",
            "--conditions",
            "conditions.geojson",
            "--exec",
            "tee -a log",
            *more,
        ]
        self.process = subprocess.Popen(
            command, cwd=folder, stdin=self.player.stdout, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert self.player.stdout is not None
        self.player.stdout.close()

    def live(self, seconds: float, lines: float) -> bool:
        """Runs the watch until `seconds` have passed or `lines` events were delivered; returns True if the process
        ended without being killed."""
        assert self.process.stdout is not None and self.process.stderr is not None
        end, reported, killed = time.monotonic() + seconds, 0, False
        while True:
            if not killed and (reported >= lines or time.monotonic() >= end):
                self.process.kill()
                killed = True
            # A command that is running when the watch is killed continues to run, and the pipe ends only when the
            # command ends.
            ready, _, _ = select.select(
                [self.process.stdout], [], [], 60 if killed else max(0.0, end - time.monotonic())
            )
            if not ready:
                assert not killed, "the pipe of a killed process stays open"
                continue
            piece = os.read(self.process.stdout.fileno(), 65_536)
            if not piece:
                break
            reported += piece.count(b"\n")
        self.errors = self.process.stderr.read().decode()
        self.process.stdout.close()
        self.process.stderr.close()
        code = self.process.wait(60)
        self.player.kill()
        self.player.wait(60)
        assert code == 0 or killed, self.errors
        return code == 0


@pytest.mark.skipif(not TRACKS.is_dir(), reason=f"{TRACKS} is not there")
@pytest.mark.parametrize("kind", ["jsonl", "nmea"])
def test_a_killed_watch_loses_and_invents_nothing(
    kind: str, memory_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seed = int(os.environ.get("FENCEPOST_SEED", random.SystemRandom().randrange(1 << 32)))
    generator = random.Random(f"{seed} {kind}")
    monkeypatch.setenv("FENCEPOST_SCRATCH", str(memory_path))
    track, rows = {"jsonl": jsonl, "nmea": nmea}[kind]()
    conditions = make_conditions(rows, generator)

    def folder(name: str) -> Path:
        path = memory_path / name
        path.mkdir()
        (path / "track").write_bytes(track)
        (path / "conditions.geojson").write_text(conditions)
        (path / "log").touch()
        return path

    whole = folder("whole")
    assert Life(whole).live(120, 1 << 30)
    expected = [json.loads(line) for line in (whole / "log").read_text().splitlines()]
    assert len(expected) >= 30, f"seed {seed}: too little happens to be a test"
    assert [event["sequence"] for event in expected] == list(range(1, len(expected) + 1))

    kills = again = runs = 0
    while kills < KILLS:
        runs += 1
        killed = folder(f"killed {runs}")
        while True:
            # Kill the watch either after a short time, when it usually starts or reads, or after some events, when it
            # runs a command.
            seconds, lines = 120.0, float("inf")
            if kills < KILLS and generator.random() < 0.4:
                seconds = generator.uniform(0.05, 0.5)
            elif kills < KILLS:
                lines = generator.randrange(1, len(expected) // 4)
            if Life(killed, "--store", ".").live(seconds, lines):
                break
            kills += 1
        seen: dict[int, object] = {}
        for event in map(json.loads, (killed / "log").read_text().splitlines()):
            again += event["sequence"] in seen
            assert seen.setdefault(event["sequence"], event) == event, f"seed {seed}: came again as something else"
        assert list(seen.values()) == expected, f"seed {seed}, run {runs}"
    with capsys.disabled():
        print(f"\nwatch: {kind}, seed {seed}: {kills} kills, {runs} runs of {len(expected)} events, {again} came again")
