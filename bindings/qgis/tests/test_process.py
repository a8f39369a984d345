"""Tests the plugin in the real QGIS: it is installed from its zip, run by ``qgis_process``, and compared with the
library."""

from __future__ import annotations

import configparser
import importlib.util
import json
import math
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import geopandas
import pandas
import pytest
from conftest import PLUGIN, ROOT, Qgis

from fencepost import TransitionPolicy, Visit, __version__, compare, geodesic, replay

LIBRARY = f"libfencepost.so.{__version__.rpartition('.')[0]}"


def layer(path: Path, name: str) -> str:
    return f"{path}|layername={name}"


def same_time(found: Any, us: int | None) -> bool:
    """True if a time that was read from a file equals the expected time, in the precision of QGIS: milliseconds, or
    whole seconds in old versions."""
    if us is None or pandas.isna(found):
        return us is None and bool(pandas.isna(found))
    found = found.tz_localize("UTC") if found.tzinfo is None else found
    return found in (pandas.Timestamp(us // unit * unit, unit="us", tz="UTC") for unit in (1000, 1_000_000))


LEFT_OUT = ("geometry", "date_us", "evidence_date_us", "heading")
"""Event fields that the JSON Lines format does not contain."""


def events_of(path: Path) -> list[dict[str, Any]]:
    """Returns the events that QGIS wrote, with the keys of JSON Lines; also checks the points of the events."""
    frame = geopandas.read_file(path)
    rows = []
    for row in frame.to_dict("records"):
        assert (row["geometry"].y, row["geometry"].x) == (row["latitude"], row["longitude"])
        for name in ("date", "evidence_date"):
            us = row[f"{name}_us"]
            assert same_time(row[name], us)
            row[name] = pandas.Timestamp(us, unit="us", tz="UTC").strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        row["refinement"] = row["refinement"] or None
        # A JSON line does not contain `evidence`, `gap`, `direction`, `probability`, `vertical_distance` or
        # `decided_by` with its default value, and never the name of the part that decided.
        if row["evidence"] == "fix":
            del row["evidence"]
        for name in ("gap", "direction"):
            if not row[name]:
                del row[name]
        for name in ("probability", "vertical_distance", "decided_by"):
            if pandas.isna(row[name]):
                del row[name]
        del row["decided_part"]
        rows.append({name: row[name] for name in row if name not in LEFT_OUT})
    return rows


def expected(log: Any) -> list[dict[str, Any]]:
    rows = []
    for tracked in log.tracked():
        row = json.loads(tracked.event.to_json())
        row["diagnostics"] = "|".join(row["diagnostics"])
        rows.append({"track": tracked.track, **row})
    return rows


def check_visits(path: Path, visits: Iterable[Visit]) -> None:
    """Checks that the file contains the given visits and no others."""
    rows = geopandas.read_file(path).to_dict("records")
    wanted = list(visits)
    assert len(rows) == len(wanted)
    for row, visit in zip(rows, wanted):
        track = None if pandas.isna(row["track"]) else row["track"]
        values = track, row["identifier"], row["duration"], row["start_known"], row["end_known"], row["open"]
        known = str(visit.start_known), str(visit.end_known), visit.open
        assert values == (visit.track, visit.identifier, visit.duration.total_seconds(), *known)
        for name in ("start", "end", "confirmed_start", "confirmed_end"):
            time = getattr(visit, name)
            us = None if time is None else round(time.timestamp() * 1_000_000)
            assert same_time(row[name], us), (name, row)


def test_the_zip_is_whole_and_always_the_same(archive: Path, tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "bindings/qgis/build_plugin.py"), str(tmp_path)]
    again = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout.strip()
    assert Path(again).read_bytes() == archive.read_bytes()
    with zipfile.ZipFile(archive) as opened:
        names = opened.namelist()
        assert {name.partition("/")[0] for name in names} == {PLUGIN}
        engine = {"fencepost/__init__.py", "fencepost/_native.abi3.so", f"fencepost/{LIBRARY}"}
        assert engine | {"__init__.py", "LICENSE", "styles/events.qml"} <= {name.partition("/")[2] for name in names}
        assert not [name for name in names if "__pycache__" in name]
        metadata = configparser.ConfigParser()
        metadata.read_string(opened.read(f"{PLUGIN}/metadata.txt").decode())
        general = metadata["general"]
        for key in (
            "name", "qgisminimumversion", "description", "about", "version", "author", "email", "repository", "tracker",
            "homepage", "tags", "icon", "license", "changelog",
        ):  # fmt: skip
            assert general[key] and "@" not in general[key].replace(general["email"], ""), key
        assert general["hasProcessingProvider"] == "yes"
        assert f"{PLUGIN}/{general['icon']}" in names


def test_the_zip_installs(qgis: Qgis) -> None:
    listed = qgis.process("list").stdout
    for algorithm in ("geofenceevents", "comparepolicies", "joinpoints", "monitoredcircles"):
        assert f"\tfencepost:{algorithm}\t" in listed


def test_help_is_plain_text(qgis: Qgis) -> None:
    for algorithm in ("geofenceevents", "comparepolicies", "joinpoints", "monitoredcircles"):
        said = qgis.process("help", f"fencepost:{algorithm}")
        assert said.returncode == 0, said.stderr
        assert not re.search(r"</?[a-z]+>|&[a-z]+;", said.stdout), algorithm
    assert re.search(r"\n\n.* identifier, radius \(metres\), latitude and longitude .*\(WGS84\)", said.stdout)


def test_a_layer_of_polygons_is_a_layer_of_places(qgis: Qgis, data: Path, tmp_path: Path) -> None:
    from shapely import box

    areas = geopandas.GeoDataFrame(
        {"name": ["a", "b"]}, geometry=[box(6, 46, 7, 47), box(7, 46, 8.5, 48)], crs="EPSG:4326"
    )
    areas.to_file(tmp_path / "areas.gpkg")
    done = qgis.run(
        "geofenceevents", TRACKS=layer(data, "train"), CIRCLES=tmp_path / "areas.gpkg", EVENTS=tmp_path / "events.gpkg"
    )
    assert done.code == 0, done.text
    wanted = replay(geopandas.read_file(data, layer="train"), tmp_path / "areas.gpkg")
    found = geopandas.read_file(tmp_path / "events.gpkg")
    assert list(zip(found["identifier"], found["state"], found["date_us"])) == [
        (event.identifier, str(event.state), event.date_us) for event in wanted
    ]
    assert len(wanted) > 1


def test_zones_of_times_in_files_count(qgis: Qgis, data: Path, tmp_path: Path) -> None:
    """The times of the walk are written with Tokyo's zone, in each format. The library must find the same events in
    each format."""
    walk = geopandas.read_file(data, layer="walk")
    places = geopandas.read_file(data, layer="places")
    wanted = expected(replay(walk, places))
    assert len(wanted) > 20
    tokyo = walk.assign(time=walk["time"].dt.tz_convert("Asia/Tokyo"))
    # Fixes with the same time must stay in the file's order; with an index, FlatGeobuf would use a spatial order.
    as_given = {"SPATIAL_INDEX": "NO"}
    for name, driver, options in (
        ("walk.gpkg", "GPKG", {}), ("walk.fgb", "FlatGeobuf", as_given), ("walk.geojson", "GeoJSON", {}),
    ):  # fmt: skip
        tokyo.to_file(tmp_path / name, driver=driver, **options)
        done = qgis.run(
            "geofenceevents", TRACKS=tmp_path / name, CIRCLES=layer(data, "places"), EVENTS=tmp_path / f"{driver}.gpkg"
        )
        assert done.code == 0, done.text
        assert events_of(tmp_path / f"{driver}.gpkg") == wanted, name


@pytest.mark.parametrize(("track", "late"), [("train", 5), ("walk", 0)])
def test_events_are_those_of_the_command(track: str, late: int, qgis: Qgis, data: Path, tmp_path: Path) -> None:
    alone = {}
    for name in (track, "places"):
        alone[name] = tmp_path / f"{name}.gpkg"
        geopandas.read_file(data, layer=name).to_file(alone[name])
    for policy, preset in enumerate(("standard", "exact", "core_location")):
        done = qgis.run(
            "geofenceevents", TRACKS=layer(data, track), CIRCLES=layer(data, "places"), POLICY=policy, ORDER=1,
            EVENTS=tmp_path / f"{preset}.gpkg", VISITS=tmp_path / f"{preset}-visits.gpkg",
        )  # fmt: skip
        assert done.code == 0, done.text
        files = (str(alone[track]), "--conditions", str(alone["places"]))
        command = [sys.executable, "-m", "fencepost", "replay", *files, "--no-sort"]
        lines = subprocess.run(
            [*command, "--policy", preset, "--format", "jsonl"], check=True, capture_output=True, text=True, timeout=60
        )
        wanted = [json.loads(line) for line in lines.stdout.splitlines()]
        for event in wanted:
            event["diagnostics"] = "|".join(event["diagnostics"])
        found = events_of(tmp_path / f"{preset}.gpkg")
        assert found == [{"track": None, **event} for event in wanted]
        log = replay(alone[track], alone["places"], policy=preset, sort=False)
        assert len(log.visits()) >= 10
        check_visits(tmp_path / f"{preset}-visits.gpkg", log.visits())
        assert done.values["EVENT_COUNT"] == len(found)
        assert done.values["VISIT_COUNT"] == len(log.visits())
        assert done.values["LATE_COUNT"] == log.counts.late_fixes == late
        assert (f"{late} late fixes" in done.text) == (late > 0)


def test_each_track_has_a_monitor_of_its_own(qgis: Qgis, data: Path, tmp_path: Path) -> None:
    done = qgis.run(
        "geofenceevents", TRACKS=layer(data, "buses"), TRACK_FIELD="vehicle_id", CIRCLES=layer(data, "places"),
        EVENTS=tmp_path / "events.gpkg", VISITS=tmp_path / "visits.gpkg", AFTER=60, ENTRY_DWELL=5, EXIT_MARGIN=35,
        NOTIFY="1,2", POLICY=0,
    )  # fmt: skip
    assert done.code == 0, done.text
    buses = geopandas.read_file(data, layer="buses")
    policy = {"entry_dwell": 5, "exit_margin": 35, "notify": ["entry", "exit"]}
    places = geopandas.read_file(data, layer="places")
    places = places.assign(policy=[policy] * len(places))
    found, wanted, visits = events_of(tmp_path / "events.gpkg"), [], []
    # Do as the plugin does: sort each track by time, and let time pass at the end of each track.
    for vehicle in buses["vehicle_id"].unique():
        own = buses[buses["vehicle_id"] == vehicle]
        own = own.sort_values("timestamp", kind="stable")
        end = pandas.Timestamp(own["timestamp"].iloc[-1], tz="UTC") + pandas.Timedelta(seconds=60)
        log = replay(own, places, by="vehicle_id", until=end.to_pydatetime())
        wanted += expected(log)
        visits += log.visits()
    assert len({event["track"] for event in found}) > 5
    assert found == wanted
    check_visits(tmp_path / "visits.gpkg", visits)


def test_the_readme_word_for_word(new_qgis: Callable[[], Qgis], archive: Path, tmp_path: Path) -> None:
    text = (ROOT / "bindings/qgis/README.md").read_text(encoding="utf-8")
    commands = text.partition("```sh\n")[2].partition("```")[0]
    (tmp_path / ".build/qgis").mkdir(parents=True)
    shutil.copy(archive, tmp_path / ".build/qgis")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    command = ["bash", "-euc", commands]
    done = subprocess.run(
        command, cwd=tmp_path, env=new_qgis().environment, capture_output=True, text=True, timeout=180
    )
    assert done.returncode == 0, done.stdout + done.stderr
    said = done.stdout + done.stderr
    assert re.search("places layer 'conditions', feature 8: .*geometry", said)
    log = replay(ROOT / "examples/data/drive.csv", ROOT / "examples/data/conditions.geojson")
    # There are no sightings, so the beacon condition could only have an initial determination.
    wanted = [event for event in expected(log) if event["identifier"] != "apple lobby"]
    found = events_of(tmp_path / "events.gpkg")
    without = ("sequence",)
    assert [{k: v for k, v in event.items() if k not in without} for event in found] == [
        {k: v for k, v in event.items() if k not in without} for event in wanted
    ]
    assert len(geopandas.read_file(tmp_path / "visits.gpkg")) == len(log.visits()) > 0


def test_airports_with_a_fixed_radius(qgis: Qgis, data: Path, tmp_path: Path) -> None:
    done = qgis.run(
        "geofenceevents", TRACKS=layer(data, "train"), CIRCLES=layer(data, "airports"), IDENTIFIER_FIELD="name",
        RADIUS=45000, POLICY=1, EVENTS=tmp_path / "events.gpkg",
    )  # fmt: skip
    assert done.code == 0, done.text
    train, airports = (geopandas.read_file(data, layer=name) for name in ("train", "airports"))
    named = airports.drop_duplicates("name")
    assert done.values["SKIPPED_COUNT"] == len(airports) - len(named) > 0
    airports = named
    log = replay(
        train.sort_values("tracked_at", kind="stable"),
        airports.assign(identifier=airports["name"], radius=45000.0).drop(columns="name"), policy="exact",
    )  # fmt: skip
    assert events_of(tmp_path / "events.gpkg") == expected(log)
    assert any(event.state == "satisfied" for event in log)


def test_the_comparison_is_that_of_the_library(qgis: Qgis, data: Path, tmp_path: Path) -> None:
    done = qgis.run(
        "comparepolicies", TRACKS=layer(data, "buses"), TRACK_FIELD="vehicle_id", CIRCLES=layer(data, "places"),
        ORDER=1, ENTRY_DWELL=90, FLAP=120, COMPARISON=tmp_path / "comparison.gpkg",
    )  # fmt: skip
    assert done.code == 0, done.text
    buses, places = (geopandas.read_file(data, layer=name) for name in ("buses", "places"))
    presets = {name: name for name in ("exact", "standard", "core_location")}
    policies = presets | {"own": TransitionPolicy(entry_dwell=90)}
    # Without a field for the assumed state, QGIS does not assume any state for a zone.
    wanted = compare(buses, places, policies=policies, device="vehicle_id", flap_seconds=120, assuming="unknown")
    found = geopandas.read_file(tmp_path / "comparison.gpkg")
    assert found["policy"].tolist() == list(policies)
    for name, values in wanted.columns().items():
        got = [None if pandas.isna(value) else value for value in found[name]]
        assert got == values, name
    assert wanted["standard"].visits != wanted["exact"].visits


def test_circles_are_round_on_the_ground(qgis: Qgis, data: Path, tmp_path: Path) -> None:
    done = qgis.run(
        "monitoredcircles", CIRCLES=layer(data, "airports"), RADIUS=50000, SEGMENTS=36, CRS="EPSG:4326",
        IDENTIFIER_FIELD="name", POLYGONS=tmp_path / "circles.gpkg",
    )  # fmt: skip
    assert done.code == 0, done.text
    circles = geopandas.read_file(tmp_path / "circles.gpkg")
    airports = geopandas.read_file(data, layer="airports").drop_duplicates("name")
    assert circles["identifier"].tolist() == airports["name"].tolist()
    assert circles["iata_code"].tolist() == airports["iata_code"].tolist()
    assert circles.geometry.is_valid.all()
    for row in circles.itertuples():
        (polygon,) = row.geometry.geoms
        corners = list(polygon.exterior.coords)
        assert len(corners) == 37
        for x, y in corners:
            distance = geodesic.inverse(row.latitude, row.longitude, y, x).distance
            assert math.isclose(distance, 50000, abs_tol=1e-6)


def test_broken_features_are_named_with_layer_id_and_reason(qgis: Qgis, tmp_path: Path) -> None:
    from shapely import Point

    tracks = geopandas.GeoDataFrame(
        {"time": ["2024-05-01T12:00:00Z", "2024-05-01T12:00:10Z", None, "noon", "2024-05-01T12:00:30Z"]},
        geometry=[Point(8, 47), None, Point(8, 47), Point(8, 47), Point(800_000, 47)], crs="EPSG:4326",
    )  # fmt: skip
    circles = geopandas.GeoDataFrame(
        {"name": ["good", "no radius", "in feet", "negative", "good"], "radius": ["100", None, "300 ft", "-5", "7"]},
        geometry=[Point(8, 47)] * 5, crs="EPSG:4326",
    )  # fmt: skip
    path = tmp_path / "broken.gpkg"
    tracks.to_file(path, layer="tracks")
    circles.to_file(path, layer="circles")
    parameters = {"TRACKS": layer(path, "tracks"), "CIRCLES": layer(path, "circles")}
    done = qgis.run("geofenceevents", **parameters, EVENTS=tmp_path / "events.gpkg")
    assert done.code == 0, done.text
    for line in (
        "places layer 'broken', feature 2: .*radius",
        "places layer 'broken', feature 3: radius '300 ft' .*metres",
        "places layer 'broken', feature 4: radius .*-5.0; .* 0 metres",
        "places layer 'broken', feature 5: identifier 'good' .*feature 1",
        "tracks layer 'broken', feature 2: .*geometry",
        "tracks layer 'broken', feature 3: .*time",
        "tracks layer 'broken', feature 4: time 'noon' .*ISO 8601",
        "tracks layer 'broken', feature 5: .*latitude 47, longitude 800000; .* -90 to 90 ",
    ):
        assert re.search(line, done.text), line
    assert done.values["SKIPPED_COUNT"] == 8
    assert done.values["EVENT_COUNT"] == 1
    stopped = qgis.run("geofenceevents", **parameters, BROKEN=1, EVENTS=tmp_path / "stopped.gpkg")
    assert stopped.code != 0
    assert re.search("places layer 'broken', feature 2: .*radius", stopped.text)


@pytest.mark.parametrize(
    ("hurt", "reason"),
    [
        (lambda folder: shutil.rmtree(folder / "fencepost"), "without its engine"),
        (
            lambda folder: (folder / "fencepost/_native.abi3.so").write_bytes(b"no library"),
            " load (",
        ),
    ],
    ids=["without", "of another platform"],
)
def test_where_the_engine_does_not_fit_one_message_says_what_to_do(
    hurt: Callable[[Path], Any], reason: str, new_qgis: Callable[[], Qgis], archive: Path, tmp_path: Path
) -> None:
    qgis = new_qgis()
    qgis.install(archive)
    hurt(qgis.plugins / PLUGIN)
    assert qgis.process("plugins", "enable", PLUGIN).returncode == 0
    done = qgis.run("monitoredcircles", CIRCLES="none.gpkg", POLYGONS=tmp_path / "circles.gpkg")
    assert done.code != 0
    assert reason in done.text
    assert "`make qgis-plugin`" in done.text


def test_the_zip_holds_the_libraries_of_an_installed_wheel(tmp_path: Path) -> None:
    """A repaired wheel puts SQLite beside the package; the zip must keep SQLite where the engine's library looks for
    it."""
    spec = importlib.util.spec_from_file_location("build_plugin", ROOT / "bindings/qgis/build_plugin.py")
    assert spec is not None and spec.loader is not None
    build_plugin = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build_plugin)
    (tmp_path / "fencepost").mkdir()
    (tmp_path / "fencepost.libs").mkdir()
    for name in ("fencepost/_native.abi3.so", f"fencepost/{LIBRARY}", "fencepost.libs/libsqlite3-1a2b.so.0"):
        (tmp_path / name).write_bytes(name.encode())
    files = build_plugin.engine_files(tmp_path / "fencepost")
    assert files["fencepost.libs/libsqlite3-1a2b.so.0"] == b"fencepost.libs/libsqlite3-1a2b.so.0"
    assert len(files) == 3
