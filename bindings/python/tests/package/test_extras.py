"""The base installation has no dependencies, the `all` extra includes every other extra, and the error for a missing
library names the extra that installs it."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from conftest import BINDING, mentions

PROJECT = tomllib.loads((BINDING / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]

# This code makes a program run as if the libraries in `names` were not installed.
WITHOUT = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Missing())
{program}
"""


def without(names: tuple[str, ...], program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    code = WITHOUT.format(names=names, program=program)
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, cwd=folder)


def test_the_base_has_no_dependency_and_all_is_all() -> None:
    assert PROJECT["project"]["dependencies"] == []
    (everything,) = EXTRAS["all"]
    found = re.fullmatch(r"fencepost\[([\w,]+)\]", everything)
    assert found and set(found[1].split(",")) == set(EXTRAS) - {"all"}


def test_what_contributors_need_is_no_extra() -> None:
    groups = PROJECT["dependency-groups"]
    assert {"test", "tools", "browser", "dist", "format", "lint", "site"} <= set(groups)
    assert not set(groups) & set(EXTRAS)


@pytest.mark.parametrize(
    ("library", "extra", "arguments"),
    [
        ("gpxpy", "files", ["track.gpx", "--format", "jsonl"]),
        ("rich", "cli", ["track.csv", "--format", "table"]),
        ("rich", "cli", ["track.csv", "--format", "jsonl", "--summary"]),
        ("pynmea2", "nmea", ["track.nmea", "--format", "jsonl"]),
        ("geopandas", "geo", ["track.gpkg", "--format", "jsonl"]),
    ],
)
def test_the_command_names_the_extra(tmp_path: Path, library: str, extra: str, arguments: list[str]) -> None:
    (tmp_path / "track.csv").write_text("time,latitude,longitude\n0,0,1\n10,0,0\n")
    (tmp_path / "zones.csv").write_text("identifier,latitude,longitude,radius\nhome,0,0,100\n")
    (tmp_path / "track.gpx").write_text('<gpx version="1.1"><trk/></gpx>')
    (tmp_path / "track.gpkg").write_bytes(b"x")
    (tmp_path / "track.nmea").write_text("$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6A\n")
    given = ["replay", *arguments, "--conditions", "zones.csv"]
    done = without((library,), f"from fencepost._command.cli import main; sys.exit(main({given!r}))", tmp_path)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert mentions(done.stderr, f"fencepost: {library} … pip install 'fencepost[{extra}]'")


def test_a_monitor_needs_no_library(tmp_path: Path) -> None:
    """Conditions from GeoJSON and CSV, and fixes from CSV, need only the standard library."""
    (tmp_path / "zones.csv").write_text("identifier,latitude,longitude,radius\nhome,0,0,100\n")
    (tmp_path / "track.csv").write_text("time,latitude,longitude,van\n0,0,1,a\n10,0,0,a\n")
    names = ("gpxpy", "rich", "numpy", "pandas", "geopandas", "shapely", "pyarrow", "nanoarrow", "pyogrio", "bokeh")
    program = (
        "from fencepost import Fix, Fleet, Monitor, Zones, replay\n"
        "monitor = Monitor('zones.csv', policy='exact')\n"
        "monitor.feed(Fix(0, 0, time=0))\n"
        "fleet = Fleet(Zones('zones.csv'))\n"
        "fleet.feed('a', Fix(0, 0, time=0))\n"
        "log = replay('track.csv', 'zones.csv', device='van', policy='exact')\n"
        "print(monitor.poll()[0].kind, fleet.inside()[0].device, len(log.visits()))\n"
    )
    done = without(names, program, tmp_path)
    assert (done.stderr, done.stdout) == ("", "determined a 1\n")
