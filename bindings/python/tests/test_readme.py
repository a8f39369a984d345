"""The Python of the README, word for word."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.DOTALL)


def test_there_are_blocks() -> None:
    assert len(BLOCKS) >= 2


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_block(number: int, tmp_path: Path) -> None:
    if "report(" in BLOCKS[number]:
        pytest.importorskip("bokeh")
    shutil.copytree(ROOT / "examples" / "data", tmp_path / "examples" / "data")
    command = [sys.executable, "-W", "error", "-c", BLOCKS[number]]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stderr == "" and done.stdout, done.stderr
    if "report(" in BLOCKS[number]:
        assert (tmp_path / "drive.html").stat().st_size > 1_000_000
