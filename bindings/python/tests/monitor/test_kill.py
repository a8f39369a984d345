"""Kills a process that runs a monitor with a store, at random moments: no event may be lost, and no event may differ
when it is redelivered.

FENCEPOST_SOAK=1 runs 200 kills and uses the disk; FENCEPOST_SEED repeats the choices of a run.
"""

from __future__ import annotations

import json
import math
import os
import random
import select
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from conftest import TRACKS
from life import Plan, Row, live, make_plan

from fencepost import Monitor
from fencepost._files.track_files import read_track

SOAK = os.environ.get("FENCEPOST_SOAK") == "1"
KILLS = 67 if SOAK else 7
"""For each durability."""
FIXES = 900
CHILD = Path(__file__).with_name("life.py")
FILES = (
    "csv/car-i280-ublox.csv",
    "gpx/run-dc-garmin.gpx",
    "csv/bus-liverpool-route14.csv",
    "gpx/bike-basel-border-etrex.gpx",
)


def real_tracks() -> dict[str, list[Row]]:
    tracks = {}
    for name in FILES:
        if (TRACKS / name).is_file():
            rows = read_track(TRACKS / name).fixes
            tracks[name] = [row for row in rows if abs(row[0]) <= 90 and row[2] >= 0][:FIXES]
    return tracks


def generated_track() -> list[Row]:
    """Returns a drive that wanders, with one fix a second."""
    generator = random.Random(7)
    latitude, longitude, bearing, rows = 52.5, 13.4, 0.0, []
    for second in range(FIXES):
        bearing += generator.gauss(0, 0.2)
        latitude += 15 * math.cos(bearing) / 111_000
        longitude += 15 * math.sin(bearing) / 68_000
        rows.append(
            (latitude, longitude, generator.choice([3.0, 8.0, 40.0]), 1_700_000_000_000_000 + second * 1_000_000)
        )
    return rows


@dataclass
class Log:
    """The events that a monitor reported in all its runs, and counters."""

    events: dict[int, str] = field(default_factory=dict)
    again: int = 0
    fed: int = 0

    def note(self, line: str, previous: int) -> int:
        """Records an event and returns its sequence number, which must follow the previous sequence number of this
        process."""
        text = line.removeprefix("event ")
        sequence = json.loads(text)["sequence"]
        last = max(self.events, default=0)
        assert 1 <= sequence <= last + 1, f"{sequence} came after {last}"
        assert previous in (0, sequence - 1), f"{sequence} came after {previous}"
        if sequence in self.events:
            self.again += 1
            assert self.events[sequence] == text, "came again as something else"
        self.events[sequence] = text
        return sequence


class Child:
    """Starts a process that runs a plan, and reads its output lines."""

    def __init__(self, plan: Path, store: Path) -> None:
        command = [sys.executable, str(CHILD), str(plan), str(store)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.rest = b""

    def line(self, until: float) -> str | None:
        """Returns the next line, or None if the output has ended or no line comes before the given time."""
        assert self.process.stdout is not None
        while b"\n" not in self.rest:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0.0, until - time.monotonic()))
            piece = os.read(self.process.stdout.fileno(), 65_536) if ready else b""
            if not piece:
                return None
            self.rest += piece
        line, _, self.rest = self.rest.partition(b"\n")
        return line.decode()

    def kill(self) -> None:
        self.process.kill()

    def end(self) -> str:
        assert self.process.stdout is not None and self.process.stderr is not None
        errors = self.process.stderr.read().decode()
        self.process.wait(60)
        self.process.stdout.close()
        self.process.stderr.close()
        return errors


def one_life(child: Child, log: Log, plan: Plan, generator: random.Random, kill: bool) -> bool:
    """Follows a child process and checks its output; if `kill` is true, kills the process at a random moment. Returns
    True if the process ran to its end."""
    never = time.monotonic() + 120
    lines, deadline = math.inf, never
    if kill and generator.random() < 0.5:
        lines = generator.randrange(1, 2 * len(plan["inputs"]) // 5)
    assert child.line(never) == "ready", child.end()
    if kill and lines == math.inf:
        deadline = time.monotonic() + generator.choice([0.004, 0.03, 0.2]) * generator.random()
    is_done, previous, killed = False, 0, False
    while True:
        if not killed and (lines <= 0 or time.monotonic() >= deadline):
            child.kill()
            killed = True
        # After the kill, read the lines that the process wrote before it was killed.
        line = child.line(never if killed else deadline)
        if line is None:
            if killed or time.monotonic() < deadline:
                break
            continue
        lines -= 1
        verb, _, rest = line.partition(" ")
        if verb == "event":
            previous = log.note(line, previous)
        elif verb == "fed":
            log.fed = int(rest)
        elif verb == "opened":
            inputs, handed_out = map(int, rest.split())
            if plan["store"]["durability"] != "relaxed":
                assert handed_out >= max(log.events, default=0), "an event was handed out, and is forgotten"
            if plan["store"]["durability"] == "every_input":
                assert inputs >= log.fed, "an input was taken, and is forgotten"
        else:
            assert verb == "done"
            is_done = True
    errors = child.end()
    assert errors == ""
    assert killed or is_done
    return is_done


@pytest.mark.parametrize("durability", ["changes", "every_input", "relaxed"])
def test_a_killed_process_loses_nothing(
    durability: str, tmp_path: Path, memory_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seed = int(os.environ.get("FENCEPOST_SEED", random.SystemRandom().randrange(1 << 32)))
    generator = random.Random(f"{seed} {durability}")
    tracks = real_tracks()
    report = [f"kill: {durability}: seed {seed}, tracks: {', '.join(tracks) or 'generated only, no shared data'}"]
    tracks["generated"] = generated_track()
    kills = again = runs = 0
    # A kill, unlike a crash of the machine, does not affect the disk's content. So this test can keep its store on a
    # RAM disk; only a soak test uses a real disk.
    folder = tmp_path if SOAK else memory_path
    while kills < KILLS:
        runs += 1
        name = generator.choice(sorted(tracks))
        plan = make_plan(tracks[name], durability, generator.randrange(1 << 32))
        about = f"seed {seed}, run {runs}: {name}, plan {plan['seed']}"
        whole: list[str] = []
        uninterrupted = Monitor("m", **plan["options"])
        live(uninterrupted, plan, whole.append)
        expected = [line.removeprefix("event ") for line in whole if line.startswith("event ")]
        assert uninterrupted.statistics().input_count == len(plan["inputs"])

        store = folder / f"run {runs}"
        store.mkdir()
        path = folder / f"plan {runs}.json"
        path.write_text(json.dumps(plan))
        log = Log()
        done, lives = False, 0
        try:
            while not done:
                lives += 1
                done = one_life(Child(path, store), log, plan, generator, kill=kills < KILLS and lives < 20)
                kills += not done
        except AssertionError as error:
            raise AssertionError(f"{about}, life {lives}: {error}") from error
        assert sorted(log.events) == list(range(1, len(expected) + 1)), about
        assert [log.events[number] for number in sorted(log.events)] == expected, about
        with Monitor("m", store=store, **plan["options"]) as end:
            assert end.snapshot() == uninterrupted.snapshot(), about
        again += log.again
        report.append(
            f"kill:   {name}, plan {plan['seed']}: {lives} lives, {len(expected)} events, {log.again} came again"
        )
    with capsys.disabled():
        print("", *report, sep="\n")
