"""Tests the example of bindings/site/guides/spark.md, which reads files and writes files. A second run continues with
the files that were added since the first run."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import streams

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "examples" / "spark" / "stream.py"
GUIDE = ROOT / "bindings" / "site" / "guides" / "spark.md"
World = tuple[Path, list[streams.Row], list[dict[str, Any]]]

pytest.importorskip("pyspark", reason="pyspark is installed by make test-all")
pytestmark = pytest.mark.skipif(shutil.which("java") is None, reason="there is no Java: .ci/java.sh")


def test_the_example_continues_where_it_stopped(world: World, tmp_path: Path) -> None:
    conditions, rows, want = world
    half = len(rows) // 2
    streams.write_source(tmp_path / "in", rows[:half], 2)
    # In this short run, the second stage of the JVM's compiler would cost more time than it saves.
    quick = {**os.environ, "JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
    said = []
    for number in range(2):
        command = [sys.executable, str(EXAMPLE), *(str(tmp_path / name) for name in ("in", "out", "checkpoint"))]
        for _ in range(streams.TRIES):
            done = subprocess.run([*command, str(conditions)], capture_output=True, text=True, timeout=300, env=quick)
            if streams.TOO_BUSY not in done.stderr:
                break
        assert done.returncode == 0, done.stderr[-3000:]
        said.append(done.stdout.splitlines()[-1])
        if number == 0:
            streams.write_csv(tmp_path / "in" / "later.csv", rows[half:])
    found = [
        json.loads(line) for path in (tmp_path / "out").glob("batch=*/*.json") for line in path.read_text().splitlines()
    ]
    assert sorted((event["vehicle"], event["sequence"]) for event in found) == [
        (event["vehicle"], event["sequence"]) for event in want
    ]
    assert sum(int(line.split()[1]) for line in said) >= len(rows) * 0.95
    assert all(line.endswith("late 0") for line in said)


def test_the_guide_shows_its_middle() -> None:
    shown = re.search(r"<!-- run by \S+/test_example.py -->\n```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    assert shown and shown[1].strip() in EXAMPLE.read_text()
