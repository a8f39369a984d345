"""Fixtures that the tests share: a temporary QGIS profile with the plugin from its zip, and layers of real tracks.

The tests run in the project's own Python and control QGIS from outside, with ``qgis_process.bin`` (Debian's wrapper
passes an option that the tool refuses). Tests that need QGIS's own Python are in the folder ``inside``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
SHARED = Path(os.environ.get("FENCEPOST_SHARED", ROOT.parent / "shared")) / "data"
PLUGIN = "fencepost_qgis"
PROCESS = "qgis_process.bin"


@dataclass
class Result:
    """The result of running an algorithm."""

    code: int
    text: str
    values: dict[str, Any]


class Qgis:
    """QGIS with its own home folder, and therefore its own profile."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.plugins = home / ".local/share/QGIS/QGIS3/profiles/default/python/plugins"
        self.plugins.mkdir(parents=True)
        runtime = home / "run"
        runtime.mkdir(mode=0o700)
        keep = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
        # The computer's time zone must not change the times.
        self.environment = keep | {
            "HOME": str(home),
            "XDG_RUNTIME_DIR": str(runtime),
            "QT_QPA_PLATFORM": "offscreen",
            "TZ": "America/St_Johns",
        }

    def install(self, archive: Path) -> None:
        """Unpacks a zip as QGIS's plugin manager does."""
        with zipfile.ZipFile(archive) as opened:
            opened.extractall(self.plugins)

    def process(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Runs the tool."""
        command = [PROCESS, *arguments]
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=180)

    def run(self, algorithm: str, **parameters: Any) -> Result:
        """Runs an algorithm of the plugin."""
        given = [f"{name}={value}" for name, value in parameters.items()]
        done = self.process("--json", "run", f"fencepost:{algorithm}", "--", *given)
        text = done.stdout + done.stderr
        begin = done.stdout.find("{")
        values = json.loads(done.stdout[begin:])["results"] if done.returncode == 0 and begin >= 0 else {}
        return Result(done.returncode, text, values)


@pytest.fixture(scope="session")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Builds the plugin and returns the path of the zip."""
    folder = tmp_path_factory.mktemp("zip")
    command = [sys.executable, str(ROOT / "bindings/qgis/build_plugin.py"), str(folder)]
    built = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
    return Path(built.stdout.strip())


@pytest.fixture(scope="session")
def qgis(tmp_path_factory: pytest.TempPathFactory, archive: Path) -> Qgis:
    """A QGIS with a new home folder, in which the plugin is installed and enabled."""
    made = Qgis(tmp_path_factory.mktemp("home"))
    made.install(archive)
    enabled = made.process("plugins", "enable", PLUGIN)
    assert enabled.returncode == 0, enabled.stdout + enabled.stderr
    return made


@pytest.fixture(scope="session")
def new_qgis(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Qgis]:
    """Creates QGIS without any plugin."""
    return lambda: Qgis(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A GeoPackage of real tracks and circles: layers train, walk, buses, places, airports."""
    if not SHARED.is_dir():
        pytest.skip(f"{SHARED} is not there")
    import geopandas
    import gpxpy
    import pandas

    path = tmp_path_factory.mktemp("data") / "real.gpkg"
    csv = SHARED / "tracks/csv"
    train = pandas.read_csv(csv / "train-neuchatel-lausanne-accuracy.csv", sep=";")
    with open(SHARED / "tracks/gpx/walk-tokyo-urban-canyon.gpx", encoding="utf-8") as stream:
        points = [point for track in gpxpy.parse(stream).tracks for part in track.segments for point in part.points]
    # The times must be whole seconds: QGIS reads fractions as a float, which can be up to a millisecond early.
    walk = pandas.DataFrame(
        [(point.time, point.latitude, point.longitude) for point in points], columns=["time", "latitude", "longitude"]
    )
    walk["time"] = pandas.to_datetime(walk["time"], utc=True)
    assert (walk["time"].dt.microsecond == 0).all()
    buses = pandas.read_csv(csv / "bus-liverpool-route14.csv")
    # Times are text without a zone, which means UTC, as in the train's file. Rows of one vehicle are interleaved with
    # rows of other vehicles.
    buses = buses[["vehicle_id", "timestamp", "latitude", "longitude"]]
    places = []
    for name, frame, radii in (("train", train, (150, 400)), ("walk", walk, (40, 120)), ("bus", buses, (80, 250))):
        for number, row in enumerate(range(20, len(frame), len(frame) // 15)):
            at = frame.iloc[row]
            places.append((f"{name} {number}", float(radii[number % 2]), at["longitude"], at["latitude"]))
    marks = pandas.DataFrame(places, columns=["identifier", "radius", "longitude", "latitude"])
    for layer, frame in (("train", train), ("walk", walk), ("buses", buses), ("places", marks)):
        points = geopandas.points_from_xy(frame["longitude"], frame["latitude"], crs="EPSG:4326")
        plain = frame.drop(columns=["longitude", "latitude"])
        geopandas.GeoDataFrame(plain, geometry=points).to_file(path, layer=layer, driver="GPKG")
    airports = geopandas.read_file(SHARED / "fences/natural-earth/ne_10m_airports.geojson")
    airports = airports[["name", "iata_code", "geometry"]]
    airports.to_file(path, layer="airports", driver="GPKG")
    return path
