"""The notebook runs from top to bottom, and says what its text says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
TOUR = ROOT / "examples" / "python" / "tour.ipynb"
GIS = ROOT / "examples" / "python" / "gis.ipynb"

# In a process of its own: what notebooks' libraries warn of is not ours.
EXECUTE = """
import sys, nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": sys.argv[2]}}).execute()
nbformat.write(notebook, sys.argv[3])
"""


def cells(path: Path) -> list[dict[str, Any]]:
    return [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]


@pytest.mark.parametrize(("notebook", "least"), [(TOUR, 10), (GIS, 7)])
def test_is_committed_without_outputs(notebook: Path, least: int) -> None:
    assert len(cells(notebook)) >= least
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells(notebook))


def execute(notebook: Path, done: Path) -> str:
    """Runs it and returns what it shows."""
    command = [sys.executable, "-c", EXECUTE, str(notebook), str(notebook.parent), str(done)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr[-3000:]
    shown = ""
    for cell in cells(done):
        for output in cell["outputs"]:
            assert output["output_type"] != "error"
            data = output.get("data", {})
            shown += "".join(output.get("text", "")) + "".join(data.get("text/html", data.get("text/plain", "")))
    return shown


def test_runs(tmp_path: Path) -> None:
    shown = execute(TOUR, tmp_path / "done.ipynb")
    assert "EventLog: 21 events of 9 conditions" in shown
    assert "Visits: 9 visits to 8 conditions, 1 still open" in shown
    assert "has no time zone; give it one, for example track['time'].dt.tz_localize('UTC')" in shown
    assert "Comparison: 3 policies against the exact crossings of the baseline track" in shown
    rows = [row for row in shown.split("<tr>") if "<td>exact</td>" in row or "<td>standard</td>" in row]
    flaps = [int(row.split("<td>")[4].partition("<")[0]) for row in rows]
    assert flaps[0] > 10 and flaps[1] == 0


def test_gis_runs(tmp_path: Path) -> None:
    for name in ("geopandas", "pyarrow", "nanoarrow", "bokeh"):
        pytest.importorskip(name)
    shown = execute(GIS, tmp_path / "done.ipynb")
    assert "2 tracks by car" in shown
    assert "pyarrow.Field<geometry: struct<x: double, y: double>>" in shown
    assert "events in one page" in shown
    assert "fixes inside" in shown and "time inside" in shown
    assert "Ada" in shown and "Bo" in shown
    assert "34 events and 14 visits came back in EPSG:32610" in shown
