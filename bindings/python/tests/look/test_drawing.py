"""Tests the drawings of the report and the live page without a browser: drawing.js runs their code in Node."""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

PACKAGE = files("fencepost")


@pytest.fixture(scope="module")
def drawn() -> Any:
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node is not installed")
    scripts = [PACKAGE / "_look" / "map.js", PACKAGE / "_log" / "report_files" / "report.js"]
    command = [node, str(Path(__file__).with_name("drawing.js")), *map(str, scripts)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_overview_map_lies_where_it_hides_fewer_places(drawn: Any) -> None:
    """Each expected value consists of the side of the overview map and the number of places below the map."""
    sides = drawn["sides"]
    assert sides["empty"] == ["right", 0] and sides["left"] == ["right", 0]
    assert sides["right"] == ["left", 0] and sides["wider"] == ["left", 0]
    assert sides["both"] == ["left", 1]
    assert sides["moved"] == "left", "the overview map keeps its side while the user moves the map"


def test_labels_avoid_marks(drawn: Any) -> None:
    """Each expected value is the lower end of a label. In the four cases, the label lies above its place, below its
    place, farther above it, and on the marks."""
    assert drawn["labels"] == {"free": [200], "above": [256], "both": [190], "everywhere": [200]}


def test_states_show_only_visits_of_the_period(drawn: Any) -> None:
    """Each expected value consists of the left end and the width of each bar, in a row of 500 pixels for the period
    from 1000 to 2000."""
    assert drawn["bars"] == {
        "before": [],
        "within": [[100, 100]],
        "across": [[0, 250]],
        "short": [[250, 2]],
        "after": [],
    }
