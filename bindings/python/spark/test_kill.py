"""Kills the driver, the JVM and the Python workers of a stream with SIGKILL, at random moments and between writing and
committing. The events must equal those of the command, and an idempotent sink must not contain any event twice."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import streams

pytest.importorskip("pyspark", reason="pyspark is installed by make test-all")
pytestmark = pytest.mark.skipif(shutil.which("java") is None, reason="there is no Java: .ci/java.sh")

SOAKS = bool(os.environ.get("FENCEPOST_SOAK"))
KILLS = 20 if SOAKS else 3
LONGEST = 900.0 if SOAKS else 120.0
"""Timeout of a run that is not killed, in seconds."""
FILES = 5
JOB = Path(__file__).with_name("job.py")
World = tuple[Path, list[streams.Row], list[dict[str, Any]]]


def processes(session: int) -> dict[str, list[int]]:
    """Returns the ids of the processes in a session, by kind of process."""
    found: dict[str, list[int]] = {"driver": [], "jvm": [], "worker": []}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            state, _, _, own = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
            command = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if int(own) != session or state == "Z":
            continue
        kind = "jvm" if b"java" in command.split(b"\0")[0] else "worker" if b"daemon" in command else "driver"
        found[kind].append(int(folder.name))
    return found


def end(session: int) -> None:
    """Kills all processes that still run in the session."""
    until = time.monotonic() + 20
    while any(left := processes(session).values()):
        for each in [number for numbers in left for number in numbers]:
            try:
                os.kill(each, signal.SIGKILL)
            except ProcessLookupError:
                pass
        assert time.monotonic() < until
        time.sleep(0.05)


def run(folder: Path, conditions: Path, victim: str, after: float) -> tuple[bool, str]:
    """Runs the job, and kills a process `after` seconds after the first Python worker has started. Returns two values:
    whether the job completed, and the job's output."""
    command = [sys.executable, str(JOB), str(folder), str(conditions)]
    if victim == "after write":
        command.append("die-after-write")
    with (folder / "log").open("w") as log:
        job = subprocess.Popen(
            command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True,
            env={**os.environ, **streams.environment()},
        )  # fmt: skip
    try:
        until, works = time.monotonic() + LONGEST, None
        while job.poll() is None:
            assert time.monotonic() < until, (folder / "log").read_text()[-4000:]
            if victim in ("driver", "jvm", "worker"):
                there = processes(job.pid)
                works = works or (time.monotonic() if there["worker"] else None)
                if works is not None and time.monotonic() > works + after and there[victim]:
                    os.kill(there[victim][-1], signal.SIGKILL)
                    victim = "nobody"
            time.sleep(0.05)
    finally:
        end(job.pid)
        job.wait()
    text = (folder / "log").read_text()
    return job.returncode == 0 and "all is done" in text, text


def test_killed_processes_do_not_change_the_events(world: World, tmp_path: Path) -> None:
    seed = random.randrange(1 << 30) if SOAKS else 4
    print(f"seed {seed}")
    draw = random.Random(seed)
    conditions, rows, want = world
    streams.write_source(tmp_path / "in", streams.shuffled(rows, seed), FILES)
    (tmp_path / "out").mkdir()
    victims = ["after write", "jvm", "worker", "driver"]
    killed = 0
    for number in range(KILLS):
        ended, _ = run(tmp_path, conditions, victims[number % 4], draw.uniform(0, 3))
        killed += not ended
        print(f"{number + 1}: {victims[number % 4]}, {'came to its end' if ended else 'killed'}", flush=True)
        if ended:  # start again from nothing, so that there is work left to interrupt
            assert events(tmp_path) == want
            shutil.rmtree(tmp_path / "checkpoint")
            shutil.rmtree(tmp_path / "out")
            (tmp_path / "out").mkdir()
    assert killed > 0
    for _ in range(streams.TRIES):
        ended, text = run(tmp_path, conditions, "nobody", 0)
        if ended or streams.TOO_BUSY not in text:
            break
    assert ended, text[-4000:]
    assert events(tmp_path) == want
    print(f"{killed} of {KILLS} runs were killed before their end")


def events(folder: Path) -> list[dict[str, Any]]:
    found = [event for path in sorted((folder / "out").glob("*.json")) for event in json.loads(path.read_text())]
    assert len({(event["vehicle"], event["sequence"]) for event in found}) == len(found)
    return streams.in_order(found)
