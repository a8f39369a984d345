"""Tests events and visits as GeoPackage, FlatGeobuf and Parquet files; also tests layers, columns and coordinate
systems of the inputs."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import DATA, ROOT, Run, mentions
from test_tables import points

from fencepost import Circle, EventLog, replay
from fencepost.errors import InvalidArgumentError

geopandas = pytest.importorskip("geopandas")
pyogrio = pytest.importorskip("pyogrio")
pandas = pytest.importorskip("pandas")

CONDITIONS = DATA / "conditions.geojson"
needs_gdal = pytest.mark.skipif(
    shutil.which("ogr2ogr") is None or shutil.which("ogrinfo") is None, reason="ogr2ogr is installed by make test-all"
)


@pytest.fixture(scope="module")
def log() -> EventLog:
    return replay(DATA / "drive.csv", CONDITIONS, sightings=str(DATA / "sightings.jsonl"))


def read(path: Path, layer: str | None = None) -> Any:
    if path.suffix == ".parquet":
        pytest.importorskip("pyarrow")
        return geopandas.read_parquet(path)
    return geopandas.read_file(path, layer=layer)


@pytest.mark.parametrize("ending", ["gpkg", "fgb", "parquet"])
@pytest.mark.parametrize("crs", [None, 3857])
def test_events(tmp_path: Path, log: EventLog, ending: str, crs: int | None) -> None:
    path = tmp_path / f"e.{ending}"
    log.to_file(path, crs=crs)
    log.to_file(path, crs=crs)  # the second call replaces the file
    frame = read(path)
    assert frame.crs.to_epsg() == (crs or 4326) and len(frame) == len(log) > 10
    # FlatGeobuf sorts features by position.
    frame = frame.sort_values("sequence", ignore_index=True).to_crs(4326)
    assert frame["identifier"].tolist() == [event.identifier for event in log]
    assert frame["state"].tolist() == [str(event.state) for event in log]
    times = frame["date"].dt.tz_convert("UTC").dt.as_unit("us").to_list()
    assert times == [event.date for event in log]
    for event, point in zip(log, frame.geometry):
        if event.latitude is None:
            assert point is None
        else:
            limit = 0 if crs is None else 1e-9
            assert abs(point.y - event.latitude) <= limit and abs(point.x - event.longitude) <= limit


@pytest.mark.parametrize("ending", ["gpkg", "fgb", "parquet"])
def test_visits(tmp_path: Path, log: EventLog, ending: str) -> None:
    path, visits = tmp_path / f"v.{ending}", log.visits()
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    visits.to_file(path)
    frame = pandas.read_parquet(path) if ending == "parquet" else pyogrio.read_dataframe(path, read_geometry=False)
    assert frame["identifier"].tolist() == [visit.identifier for visit in visits]
    assert frame["duration"].tolist() == [visit.duration.total_seconds() for visit in visits]
    assert frame["open"].astype(bool).tolist() == [visit.open for visit in visits]


def test_a_geopackage_keeps_its_other_layers(tmp_path: Path, log: EventLog) -> None:
    path = tmp_path / "all.gpkg"
    log.to_file(path)
    log.visits().to_file(path)
    log.to_file(path, layer="again", crs="EPSG:3857")
    log.to_file(path)
    assert sorted(name for name, _ in pyogrio.list_layers(path)) == ["again", "events", "visits"]
    assert len(read(path, "events")) == len(read(path, "again")) == len(log)


def test_an_empty_log(tmp_path: Path) -> None:
    empty = replay(DATA / "drive.csv", {})
    for name in ("e.gpkg", "e.fgb", "e.parquet"):
        empty.to_file(tmp_path / name)
        assert len(read(tmp_path / name)) == 0


def test_what_cannot_be_written(tmp_path: Path, log: EventLog) -> None:
    for path, options, words in (
        ("e.docx", {}, "e.docx: … name … end"),
        ("e.fgb", {"layer": "a"}, "e.fgb: … GeoPackage … layers"),
        ("e.gpkg", {"crs": "EPSG:0"}, "crs 'EPSG:0': "),
    ):
        with pytest.raises(InvalidArgumentError) as caught:
            log.to_file(tmp_path / path, **options)
        assert mentions(caught.value, words)
    for name in ("e.gpkg", "e.fgb", "e.parquet"):
        with pytest.raises((InvalidArgumentError, OSError)):
            log.to_file(tmp_path / "missing" / name)


def test_the_command_writes_both(run: Run, tmp_path: Path, log: EventLog) -> None:
    done = run(
        "replay", DATA / "drive.csv", "--conditions", CONDITIONS, "--sightings", DATA / "sightings.jsonl",
        "--output", "o.gpkg", "--visits", "o.gpkg", "--output-crs", "EPSG:3857", "--format", "jsonl",
    )  # fmt: skip
    assert done.returncode == 0 and done.stdout == log.to_jsonl()
    assert read(tmp_path / "o.gpkg", "events").crs.to_epsg() == 3857
    assert len(pyogrio.read_dataframe(tmp_path / "o.gpkg", layer="visits")) == len(log.visits())
    for arguments, words in (
        (["--output", "o.txt"], "o.txt: … name … end"),
        (["--output-crs", "EPSG:3857"], "argument --output-crs: … --output"),
        (["--output", "o.fgb", "--visits", "o.fgb"], "argument --visits: "),
        (["--output", "missing/o.gpkg"], "missing/o.gpkg:"),
    ):
        done = run("replay", DATA / "drive.csv", "--conditions", CONDITIONS, *arguments, "--format", "csv")
        assert done.returncode == 2 and mentions(done.stderr, words) and done.stderr.count("\n") == 1


def test_many_tracks_write_files(run: Run, tmp_path: Path) -> None:
    text = (DATA / "drive.csv").read_text().splitlines()
    both = [f"{car},{line}" for line in text[1:] for car in ("a", "b")]
    (tmp_path / "t.csv").write_text("\n".join([f"car,{text[0]}", *both]) + "\n")
    common = ("replay", "t.csv", "--conditions", CONDITIONS, "--by", "car", "--output", "o.gpkg", "--visits", "o.gpkg")
    assert run(*common, "--jobs", "2").returncode == 0
    alone = replay(tmp_path / "t.csv", CONDITIONS, by="car")
    assert sorted(read(tmp_path / "o.gpkg", "events")["car"]) == ["a"] * (len(alone) // 2) + ["b"] * (len(alone) // 2)
    visits = pyogrio.read_dataframe(tmp_path / "o.gpkg", layer="visits")
    assert list(zip(visits["car"], visits["identifier"], visits["duration"])) == [
        (visit.track, visit.identifier, visit.duration.total_seconds()) for visit in alone.visits()
    ]


# ------------------------------------------------------------------------------------------- what comes in


def test_layers_columns_and_reference_systems(run: Run, tmp_path: Path) -> None:
    frame = points()
    frame.iloc[:5].to_file(tmp_path / "in.gpkg", layer="other")
    frame.to_crs(32610).rename(columns={"time": "when"}).to_file(tmp_path / "in.gpkg", layer="drive")
    circles = geopandas.GeoDataFrame(
        {"place": ["campus"], "metres": [500.0]},
        geometry=geopandas.points_from_xy([-122.0840535], [37.421998]),
        crs=4326,
    )
    circles.iloc[:0].to_file(tmp_path / "in.gpkg", layer="nothing")
    circles.to_crs(3857).to_file(tmp_path / "in.gpkg", layer="circles")
    expected = replay(frame, {"campus": Circle(37.421998, -122.0840535, 500)})
    given: dict[str, Any] = {
        "layer": "drive", "conditions_layer": "circles", "columns": {"time": "when"}, "transform": True,
        "conditions_columns": {"identifier": "place", "radius": "metres"},
    }  # fmt: skip
    log = replay(tmp_path / "in.gpkg", tmp_path / "in.gpkg", **given)
    assert [(e.identifier, e.state, e.date) for e in log] == [(e.identifier, e.state, e.date) for e in expected] != []
    done = run(
        "replay", "in.gpkg", "--conditions", "in.gpkg", "--layer", "drive", "--conditions-layer", "circles",
        "--columns", "time=when", "--conditions-columns", "identifier=place,radius=metres", "--transform",
        "--format", "jsonl",
    )  # fmt: skip
    assert done.returncode == 0 and done.stdout == log.to_jsonl()
    # The geometries of in-memory frames are transformed like the geometries of files.
    assert list(replay(frame.to_crs(32610), tmp_path / "in.gpkg", **given | {"layer": None, "columns": None})) == list(
        log
    )
    for change, words in (
        ({"layer": "gone"}, "layer 'gone'"),
        ({"transform": False}, "WGS84 longitude … latitude"),
        ({"conditions_columns": {"identifier": "name"}}, "column 'name'"),
    ):
        with pytest.raises(InvalidArgumentError) as caught:
            replay(tmp_path / "in.gpkg", tmp_path / "in.gpkg", **given | change)
        assert mentions(caught.value, words)
    with pytest.raises(InvalidArgumentError, match="drive.csv"):
        replay(DATA / "drive.csv", CONDITIONS, layer="a")
    with pytest.raises(InvalidArgumentError, match="conditions.geojson"):
        replay(DATA / "drive.csv", CONDITIONS, conditions_layer="a")


# -------------------------------------------------------------------------------------------------- GDAL


@needs_gdal
def test_ogr_takes_what_is_written_and_gives_it_back(run: Run, tmp_path: Path, log: EventLog) -> None:
    """Runs the commands for the round trip through ogr2ogr exactly as they are written in the command's guide."""
    guide = (ROOT / "bindings" / "site" / "guides" / "command-line.md").read_text(encoding="utf-8")
    commands = guide.partition("test_files_out.py -->\n```sh\n")[2].partition("```")[0].strip().splitlines()
    assert len(commands) >= 5
    shutil.copytree(DATA, tmp_path / "examples" / "data")
    outputs = []
    for command in commands:
        words = command.split()
        if words[0] == "fencepost":
            done = run(*words[1:])
        else:
            done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, (command, done.stderr)
        outputs.append(done.stdout)
    straight = replay(DATA / "drive.csv", CONDITIONS)
    assert outputs[-1] == straight.to_jsonl()
    summary = next(text for text in outputs if "Layer name: events" in text)
    assert f"Feature Count: {len(straight)}" in summary and 'ID["EPSG",4326]' in summary
    rows = list(csv.DictReader(io.StringIO((tmp_path / "events.csv").read_text())))
    assert [row["identifier"] for row in rows] == [event.identifier for event in straight]
    features = json.loads((tmp_path / "events.geojson").read_text())["features"]
    assert len(features) == len(straight)


def test_visits_are_places_that_geopandas_writes(tmp_path: Path) -> None:
    geopandas = pytest.importorskip("geopandas")
    from fencepost import Circle, Fix, replay

    fixes = [Fix(0, 0.001 * step, time=step * 1_000_000) for step in range(5)]
    visits = replay(fixes, {"start": Circle(0, 0, radius=150)}, policy="exact").visits()
    frame = visits.to_geopandas()
    assert list(frame["duration"]) == [2.0] and frame.geometry[0].area > 0
    for name in ("v.gpkg", "v.fgb", "v.geojson"):
        frame.to_file(tmp_path / name)
        assert list(geopandas.read_file(tmp_path / name)["identifier"]) == ["start"]
    assert (
        '"start_known"'
        in frame.astype({"start": str, "end": str}).drop(columns=["confirmed_start", "confirmed_end"]).to_json()
    )  # GeoDataFrame.explore() converts times to texts in the same way
    assert replay([Fix(9, 9, time=0)], {}).visits().to_geopandas().empty
