"""Tests that files, frames and Arrow tables follow the same rule for columns whose names or values are misleading."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
from conftest import mentions, refusal

from fencepost import Circle, Fix, Fleet, InputWarning, Monitor, Zones, replay

pandas = pytest.importorskip("pandas")
pyarrow = pytest.importorskip("pyarrow")
pytest.importorskip("nanoarrow")

HERE = {"here": Circle(47, 8, radius=150)}
START_NS = 1_714_564_800_123_456_789


def sources(folder: Path, columns: dict[str, list[Any]]) -> list[Any]:
    """Returns one table in four forms: as a CSV file, a frame, an Arrow table and a GeoJSON file."""
    import json

    frame = pandas.DataFrame(columns)
    frame.to_csv(folder / "t.csv", index=False)
    features = [
        {
            "type": "Feature",
            "geometry": {"type": "Point", "coordinates": [row.pop("lon"), row.pop("lat")]},
            "properties": row,
        }
        for row in frame.to_dict("records")
    ]
    (folder / "t.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return [folder / "t.csv", frame, pyarrow.Table.from_pandas(frame), folder / "t.geojson"]


@pytest.mark.parametrize("name", ["time", "time_ns", "timestamp"])
def test_nanoseconds(tmp_path: Path, name: str) -> None:
    times = [START_NS + 10**9 * row for row in range(3)]
    for source in sources(tmp_path, {name: times, "lat": [47.0] * 3, "lon": [8.0] * 3, "car": ["a"] * 3}):
        for by in (None, "car"):
            log = replay(source, HERE, policy="exact", by=by)
            assert abs(log[0].date_us - START_NS // 1000) <= 1  # a time in text is rounded, and an integer is truncated
            assert "2024-05-01 12:00:00" in repr(log)
    monitor = Monitor()
    table = pyarrow.table({name: times, "lat": [47.0] * 3, "lon": [8.0] * 3})
    monitor.feed_many(table)
    assert monitor.clock_us == (START_NS + 2 * 10**9) // 1000


def test_times_that_have_no_date_are_refused_by_row(tmp_path: Path) -> None:
    columns = {"time_us": [0, 10**18], "lat": [47.0] * 2, "lon": [8.0] * 2, "car": ["a"] * 2}
    for source in sources(tmp_path, columns):
        for by in (None, "car"):
            assert mentions(refusal(replay, source, HERE, by=by), "time … 9999")
    # The time of a Fix is always in microseconds. A log cannot contain a time after the year 9999, so a fix with such a
    # time is refused.
    for time in START_NS, -START_NS:
        fixes = [Fix(47, 8, time=0), Fix(47, 8, time=time)]
        assert refusal(replay, fixes, HERE).place == "element 1"


def test_accelerations_are_not_accuracies(tmp_path: Path) -> None:
    columns = {
        "time": list(range(4)),
        "lat": [47.0] * 4,
        "lon": [8.0] * 4,
        "acc": [0.5, -2.0, 1.0, 9.0],
        "car": ["a"] * 4,
    }
    for source in sources(tmp_path, columns):
        for by in (None, "car"):
            with pytest.warns(InputWarning, match="'acc'"):
                log = replay(source, HERE, policy="exact", by=by)
            assert (log.counts.invalid_fixes, log[0].accuracy) == (0, 0.0)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                named = replay(source, HERE, policy="exact", by=by, columns={"accuracy": "acc"})
            assert (named.counts.invalid_fixes, named[0].accuracy) == (1, 0.5)
    columns["acc"] = [0.5, 2.0, 1.0, 9.0]
    for source in sources(tmp_path, columns):
        assert replay(source, HERE, policy="exact")[0].accuracy == 0.5
    with pytest.warns(InputWarning, match="'acc'"):
        found = Monitor().feed_many(pyarrow.table({"time": [0], "lat": [47.0], "lon": [8.0], "acc": [-1.0]}))
    assert found.invalid == 0


def cars(name: str) -> dict[str, list[Any]]:
    """Returns rows of three cars, each on its own street; the cars' rows alternate."""
    rows = [
        (step * 10 + car, 47.0 + 0.05 * car + 1e-4 * step, 8.0, f"c{car}") for step in range(60) for car in range(3)
    ]
    times, latitudes, longitudes, names = (list(column) for column in zip(*rows))
    return {"time": times, "lat": latitudes, "lon": longitudes, name: names}


def test_rows_of_several_devices(tmp_path: Path) -> None:
    for source in sources(tmp_path, cars("vehicle_id")):
        assert mentions(refusal(replay, source, HERE), "several devices; … by='vehicle_id'")
        assert len(replay(source, HERE, by="vehicle_id").tracks) == 3
    for source in sources(tmp_path, cars("plate")):
        with pytest.warns(InputWarning, match="'plate'"):
            replay(source, HERE)
    for source in sources(tmp_path, cars("speed")):
        with pytest.warns(InputWarning, match="several devices"):
            replay(source, HERE)


def test_rows_of_one_device_are_no_doubt(tmp_path: Path) -> None:
    """Tests that there is no warning for a plane that crosses the antimeridian, a receiver whose position sometimes
    jumps, or a car whose log has a column of tracks."""
    fast = [(row * 10, 60.0, (178 + row * 0.04 + 180) % 360 - 180, row // 10) for row in range(200)]
    jumpy = [(row, 47.0 + (0.5 if row % 40 == 7 else 0.0), 8.0, 1) for row in range(400)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for rows in (fast, jumpy):
            times, latitudes, longitudes, tracks = (list(column) for column in zip(*rows))
            for source in sources(tmp_path, {"time": times, "lat": latitudes, "lon": longitudes, "track": tracks}):
                replay(source, HERE)


def test_metres_without_a_crs_are_refused_by_all(tmp_path: Path) -> None:
    geopandas = pytest.importorskip("geopandas")
    points = geopandas.points_from_xy([890_000.0] * 3, [5_940_000.0] * 3)
    frame = geopandas.GeoDataFrame({"time": [0, 1, 2], "device": ["a"] * 3}, geometry=points)
    calls = [
        lambda: replay(frame, HERE),
        lambda: Monitor().feed_many(frame),
        lambda: Fleet(Zones()).feed_many(frame),
    ]
    for call in calls:
        assert mentions(refusal(call), "metres … EPSG:4326")


def test_exchanged_latitudes_and_longitudes(tmp_path: Path) -> None:
    columns = {"time": list(range(4)), "lat": [8.0] * 4, "lon": [47.0] * 4}
    for source in sources(tmp_path, columns):
        with pytest.warns(InputWarning, match=" 4 of 4 "):
            replay(source, HERE)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # three points: one near the place, one that is far from it even with latitude and longitude exchanged, and one
        # inside it
        for latitude, longitude in ((47.2, 8.0), (-8.0, 47.0), (47.0, 8.0)):
            for source in sources(tmp_path, columns | {"lat": [latitude] * 4, "lon": [longitude] * 4}):
                replay(source, HERE)
        replay(pandas.DataFrame(columns), {})


def kinds(name: str) -> dict[str, list[Any]]:
    """Returns the columns of the fixes of three cars: the column named by `name` distinguishes the cars, and
    the column "kind" does not."""
    columns = cars(name)
    return columns | {"kind": ["car"] * len(columns["lat"])}


def test_tracks_by_a_column_that_does_not_tell_devices_apart(tmp_path: Path) -> None:
    for source in sources(tmp_path, kinds("car_name")):
        with pytest.warns(InputWarning, match="'car'"):
            replay(source, HERE, by="kind")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            replay(source, HERE, by="car_name")


def test_a_fleet_is_fed_several_devices_as_one() -> None:
    columns = kinds("car_name")
    table = pyarrow.table(columns)
    fixes = {"latitude": columns["lat"], "longitude": columns["lon"], "time": [t * 1_000_000 for t in columns["time"]]}

    def fed(**given: Any) -> None:
        Fleet(Zones()).feed_many(**fixes, **given)

    for wrong in ("cars", columns["kind"], pandas.Categorical(columns["kind"])):
        with pytest.warns(InputWarning, match="device="):
            fed(device=wrong)
    with pytest.warns(InputWarning, match="several devices"):
        Fleet(Zones()).feed_many(table, columns={"device": "kind"})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fed(device=columns["car_name"])
        fed(device=pandas.Categorical(columns["car_name"], categories=["unused", "c2", "c1", "c0"]))
        Fleet(Zones()).feed_many(table, columns={"device": "car_name"})
        fleet = Fleet(Zones())
        fleet.feed_many(device="c0", latitude=[47.0], longitude=[8.0], time=[0])
        fleet.feed_many(device="c0", **fixes)  # a fleet checks only the first fixes that it is fed


def test_exchanged_columns_of_streamed_files(tmp_path: Path) -> None:
    columns = {"time": list(range(4)), "lat": [8.0] * 4, "lon": [47.0] * 4, "car": ["a", "b"] * 2}
    for source in sources(tmp_path, columns):
        with pytest.warns(InputWarning, match=" [24] of [24] "):
            replay(source, HERE, by="car")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # three points: one near the place, one that is far from it even with latitude and longitude exchanged, and one
        # inside it
        for latitude, longitude in ((47.2, 8.0), (-8.0, 47.0), (47.0, 8.0)):
            for source in sources(tmp_path, columns | {"lat": [latitude] * 4, "lon": [longitude] * 4}):
                replay(source, HERE, by="car")


@pytest.mark.parametrize("options", [(), ("--by", "car"), ("--by", "car", "--format", "jsonl")])
def test_the_command_warns_of_exchanged_columns(tmp_path: Path, options: tuple[str, ...]) -> None:
    import json
    import subprocess
    import sys

    columns = {"time": list(range(4)), "lat": [8.0] * 4, "lon": [47.0] * 4, "car": ["a", "b"] * 2}
    sources(tmp_path, columns)
    point = {"type": "Point", "coordinates": [8.0, 47.0]}
    circle = {"type": "Feature", "geometry": point, "properties": {"radius": 150, "identifier": "here"}}
    (tmp_path / "c.json").write_text(json.dumps({"type": "FeatureCollection", "features": [circle]}))
    command = [sys.executable, "-m", "fencepost", "replay", "t.csv", "--conditions", "c.json", *options]
    for name, warned in (("t.csv", 1), ("u.csv", 0)):
        command[4] = name
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert done.stderr.count("exchanged") == warned, done.stderr
        sources(tmp_path, columns | {"lat": [47.0] * 4, "lon": [8.0] * 4})
        (tmp_path / "t.csv").rename(tmp_path / "u.csv")
