"""Columns whose name or size misleads: the same rule in files, frames and Arrow tables."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
from conftest import refusal

from fencepost import CircularGeographicCondition, Conditions, Fleet, InputWarning, Monitor, replay

pandas = pytest.importorskip("pandas")
pyarrow = pytest.importorskip("pyarrow")
pytest.importorskip("nanoarrow")

HERE = {"here": CircularGeographicCondition(47, 8, radius=150)}
START_NS = 1_714_564_800_123_456_789


def sources(folder: Path, columns: dict[str, list[Any]]) -> list[Any]:
    """The same rows in a file, a frame, an Arrow table and GeoJSON."""
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
            assert abs(log[0].date_us - START_NS // 1000) <= 1  # a text is rounded, an integer cut
            assert "2024-05-01 12:00:00" in repr(log)
    monitor = Monitor()
    table = pyarrow.table({name: times, "lat": [47.0] * 3, "lon": [8.0] * 3})
    monitor.feed_many(table)
    assert monitor.clock_us == (START_NS + 2 * 10**9) // 1000


def test_times_that_have_no_date_are_refused_by_row(tmp_path: Path) -> None:
    columns = {"time_us": [0, 10**18], "lat": [47.0] * 2, "lon": [8.0] * 2, "car": ["a"] * 2}
    for source in sources(tmp_path, columns):
        for by in (None, "car"):
            assert "outside year 1 to year 9999" in str(refusal(replay, source, HERE, by=by))


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
            with pytest.warns(InputWarning, match="'acc' goes below 0, so it is not read as the accuracy"):
                log = replay(source, HERE, policy="exact", by=by)
            assert (log.counts.invalid_fixes, log[0].accuracy) == (0, 0.0)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                named = replay(source, HERE, policy="exact", by=by, columns={"accuracy": "acc"})
            assert (named.counts.invalid_fixes, named[0].accuracy) == (1, 0.5)
    columns["acc"] = [0.5, 2.0, 1.0, 9.0]
    for source in sources(tmp_path, columns):
        assert replay(source, HERE, policy="exact")[0].accuracy == 0.5
    with pytest.warns(InputWarning, match="'acc' goes below 0"):
        found = Monitor().feed_many(pyarrow.table({"time": [0], "lat": [47.0], "lon": [8.0], "acc": [-1.0]}))
    assert found.invalid == 0


def cars(name: str) -> dict[str, list[Any]]:
    """Three cars, each on a street of its own, row by row."""
    rows = [
        (step * 10 + car, 47.0 + 0.05 * car + 1e-4 * step, 8.0, f"c{car}") for step in range(60) for car in range(3)
    ]
    times, latitudes, longitudes, names = (list(column) for column in zip(*rows))
    return {"time": times, "lat": latitudes, "lon": longitudes, name: names}


def test_rows_of_several_devices(tmp_path: Path) -> None:
    for source in sources(tmp_path, cars("vehicle_id")):
        assert "these are fixes of several devices; name it with by='vehicle_id'" in str(refusal(replay, source, HERE))
        assert len(replay(source, HERE, by="vehicle_id").tracks) == 3
    for source in sources(tmp_path, cars("plate")):
        with pytest.warns(InputWarning, match="several devices; 'plate' may tell them apart; name the column"):
            replay(source, HERE)
    for source in sources(tmp_path, cars("speed")):
        with pytest.warns(InputWarning, match="several devices; name the column"):
            replay(source, HERE)


def test_rows_of_one_device_are_no_doubt(tmp_path: Path) -> None:
    """A plane over the antimeridian, a receiver with a jump now and then, a car whose log has a column of tracks."""
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
        lambda: Fleet(Conditions()).feed_many(frame),
    ]
    for call in calls:
        assert "metres of a projected CRS" in str(refusal(call))


def test_exchanged_latitudes_and_longitudes(tmp_path: Path) -> None:
    columns = {"time": list(range(4)), "lat": [8.0] * 4, "lon": [47.0] * 4}
    for source in sources(tmp_path, columns):
        with pytest.warns(InputWarning, match="4 of 4 are with latitude and longitude exchanged"):
            replay(source, HERE)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for latitude, longitude in ((47.2, 8.0), (-8.0, 47.0), (47.0, 8.0)):  # near, far either way, inside
            for source in sources(tmp_path, columns | {"lat": [latitude] * 4, "lon": [longitude] * 4}):
                replay(source, HERE)
        replay(pandas.DataFrame(columns), {})
