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
    """Each expected value states on which side the overview map lies, and how many places it covers."""
    sides = drawn["sides"]
    assert sides["empty"] == ["right", 0] and sides["left"] == ["right", 0]
    assert sides["right"] == ["left", 0] and sides["wider"] == ["left", 0]
    assert sides["both"] == ["left", 1]
    assert sides["moved"] == "left", "the overview map keeps its side while the user moves the map"


def test_labels_avoid_marks(drawn: Any) -> None:
    """Each expected value is the position of the lower end of a label, in pixels from the top. Without marks nearby,
    the label lies above its point. A mark above the point moves the label below the point, and marks above and below
    move it farther up. If there are marks on all sides, the label covers some of them."""
    assert drawn["labels"] == {"free": [200], "above": [256], "both": [190], "everywhere": [200]}


def test_states_show_only_visits_of_the_period(drawn: Any) -> None:
    """Each bar is expected as its left end and its width, in pixels, where the period from 1000 to 2000 is 500 pixels
    wide."""
    assert drawn["bars"] == {
        "before": [],
        "within": [[100, 100]],
        "across": [[0, 250]],
        "short": [[250, 2]],
        "after": [],
    }


def test_hours_are_hatched_and_repeats_are_marks(drawn: Any) -> None:
    """Each value is a colour, a left end and a width in pixels. The row of a place has only the hours of all devices;
    the row of a device below a place also has the intervals after the device's last event."""
    hours = [["hatched", 0, 50], ["line", 50, 50], ["hatched", 100, 50], ["line", 150, 300], ["hatched", 450, 50]]
    assert drawn["hours"]["place"] == hours
    own = [["line", 150, 50], ["hatched", 200, 50], ["line", 250, 200]]
    end, marks = ["text", 400, 2], [["enter", 250, 2], ["leave", 498, 2]]
    assert drawn["hours"]["pair"] == [*hours[:3], *own, hours[4], end, *marks]


def test_hours_shorter_than_a_pixel_are_merged(drawn: Any) -> None:
    """Each run is a kind, its first pixel and the pixel after its last one. There are 5,000 intervals, ten per
    pixel."""
    runs = drawn["runs"]
    assert runs["whole"]["found"] == [["mixed", 0, 500]]
    assert runs["half"]["found"] == [["mixed", 0, 250], ["open", 250, 500]]
    assert runs["none"]["found"] == [["open", 0, 500]]
    # In a hundredth of the period, each of the 50 intervals has 5 pixels.
    near = [[("shut", "open")[at % 2], 5 * at, 5 * at + 5] for at in range(100)]
    assert runs["near"]["found"] == near
    # An interval that is empty or outside the period draws nothing, and a short one does not hide the hours around it.
    odd = [["open", 0, 250], ["mixed", 250, 251], ["open", 251, 499], ["shut", 499, 500]]
    assert runs["odd"]["found"] == odd
    for each in runs.values():
        assert each["rectangles"] <= 3 * len(each["found"])
