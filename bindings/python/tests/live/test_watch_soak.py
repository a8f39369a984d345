"""Tests a watch that runs for a long time: twenty phones report once a minute, and each process ends at random, by
closing or by ``kill -9``.

With FENCEPOST_SOAK=1, the test runs a year (10 million messages) with 100 processes. FENCEPOST_SEED repeats the random
choices of an earlier run.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import only_in_full
from soak_life import DEVICES, PLACES

IS_LONG = os.environ.get("FENCEPOST_SOAK") == "1"
DAYS, LIVES = (365, 100) if IS_LONG else (2, 6)
COUNT = DAYS * 1440 * DEVICES


def prepared(folder: Path) -> Path:
    folder.mkdir()
    features = [
        {
            "type": "Feature",
            "geometry": {"type": "Point", "coordinates": [longitude, latitude]},
            "properties": {"identifier": f"place {number}", "radius": 300, "assuming": "unsatisfied"},
        }
        for number, (latitude, longitude) in enumerate(PLACES)
    ]
    (folder / "conditions.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return folder


def begun(folder: Path, count: int) -> subprocess.Popen[bytes]:
    script = Path(__file__).with_name("soak_life.py")
    return subprocess.Popen([sys.executable, str(script), str(folder), str(count)])


def confirmed(folder: Path) -> int:
    path = folder / "confirmed"
    return int.from_bytes(path.read_bytes()[:8], "little") if path.exists() else 0


def log(folder: Path) -> dict[tuple[str, int], Any]:
    """Returns a mapping from (device, sequence) to the event. A redelivered event must equal the first delivery, except
    for the `source` member, which comes from the last message of the device."""
    found: dict[tuple[str, int], Any] = {}
    for line in (folder / "events.jsonl").read_text().splitlines():
        event = json.loads(line)
        event.pop("source", None)
        assert found.setdefault((event["device"], event["sequence"]), event) == event
    return found


@pytest.mark.full
@only_in_full
def test_a_watch_lasts(memory_path: Path) -> None:
    seed = int(os.environ.get("FENCEPOST_SEED", random.SystemRandom().randrange(1 << 32)))
    print(f"FENCEPOST_SEED={seed}")
    generator = random.Random(seed)
    whole, torn = prepared(memory_path / "whole"), prepared(memory_path / "torn")
    started = time.monotonic()
    assert begun(whole, COUNT).wait() == 0
    seconds = time.monotonic() - started
    print(f"{COUNT} messages in {seconds:.0f} s: {COUNT / seconds:.0f} a second")
    stops = sorted(generator.randrange(1, COUNT) for _ in range(LIVES))
    for number, stop in enumerate(stops):
        is_killed = number % 2 == 0
        process = begun(torn, COUNT if is_killed else stop)
        if is_killed:
            while process.poll() is None and confirmed(torn) < stop:
                time.sleep(0.002)
            process.kill()
            process.wait()
        else:
            assert process.wait() == 0
    assert begun(torn, COUNT).wait() == 0
    expected = log(whole)
    assert len(expected) > COUNT / 60
    assert log(torn) == expected
    # In each log, the sequences of a device begin at 1 and have no gap.
    for device in {device for device, _ in expected}:
        own = sorted(sequence for each, sequence in expected if each == device)
        assert own == list(range(1, len(own) + 1))
    if IS_LONG:
        weeks = [[int(each) for each in line.split()] for line in (whole / "weeks").read_text().splitlines()]
        _, memory, size, descriptors = zip(*weeks)
        print(
            f"memory {memory[2]} to {memory[-1]} bytes, store {size[2]} to {size[-1]}, descriptors {set(descriptors)}"
        )
        assert max(memory[2:]) < 1.1 * memory[2] and max(size[2:]) < 2 * size[2]
        assert len(set(descriptors)) == 1
