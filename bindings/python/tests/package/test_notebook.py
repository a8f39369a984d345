"""The notebooks run from top to bottom and give their committed outputs."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from conftest import ROOT, in_full

# The libraries are not imported, because importing them takes seconds in each process of the tests.
LIBRARIES = ("nbclient", "ipykernel", "geopandas", "pyarrow", "nanoarrow", "bokeh")
if missing := [library for library in LIBRARIES if find_spec(library) is None]:
    pytest.skip(f"not installed: {', '.join(missing)}", allow_module_level=True)

NOTEBOOKS = sorted((ROOT / "examples" / "python").glob("*.ipynb"))
SITE = ROOT / "bindings" / "site"

# The notebooks run in a separate process, because warnings from their libraries are not ours.
COMPARE = """
import sys, json
from pathlib import Path
import nbformat, notebooks
path = Path(sys.argv[1])
print(json.dumps([notebooks.shown(nbformat.read(path, as_version=4)), notebooks.shown(notebooks.execute(path))]))
"""


def test_the_notebooks_are_found() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["fleet", "gis", "tour"]


@pytest.mark.parametrize(
    "path",
    [path for part in ([path] if path.stem == "tour" else in_full(path) for path in NOTEBOOKS) for path in part],
    ids=lambda path: path.stem,
)
def test_shows_what_a_fresh_execution_shows(path: Path) -> None:
    if not SITE.is_dir():
        pytest.skip("a source distribution holds no site")
    command = [sys.executable, "-c", COMPARE, str(path)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=SITE)
    assert ran.returncode == 0, ran.stderr[-3000:]
    committed, fresh = json.loads(ran.stdout.splitlines()[-1])
    assert committed == fresh


def test_the_tour_says_what_its_text_says() -> None:
    cells = json.loads((ROOT / "examples" / "python" / "tour.ipynb").read_text(encoding="utf-8"))["cells"]
    shown = ""
    for cell in cells:
        for output in cell.get("outputs", []):
            assert output["output_type"] != "error"
            shown += "".join(output.get("text", "")) + "".join(output.get("data", {}).get("text/html", ""))
    assert "EventLog: 21 events of 9 conditions" in shown
    assert "'soon'" in shown
    rows = [row for row in shown.split("<tr>") if "<td>exact</td>" in row or "<td>standard</td>" in row]
    flaps = [int(row.split("<td")[4].partition(">")[2].partition("<")[0]) for row in rows]
    assert flaps[0] > 10 and flaps[1] == 0
