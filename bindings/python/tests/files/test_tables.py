"""Tests replays of tables (pandas and GeoPandas frames, vector files, and CSV read by column), and their errors."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from conftest import DATA, OWN_TRACKS, mentions, refusal

from fencepost import Beacon, Circle, EventLog, Fix, InputError, InputWarning, replay
from fencepost._files.track_files import read_track
from fencepost.errors import InvalidArgumentError

geopandas = pytest.importorskip("geopandas")
pandas = pytest.importorskip("pandas")

HERE = {"here": Circle(0, 0, 100)}
Frame = Any


def drive() -> Frame:
    """Returns the demo drive as a frame whose times have a zone."""
    frame = pandas.read_csv(DATA / "drive.csv")
    frame["time"] = pandas.to_datetime(frame["time"], utc=True, format="ISO8601")
    return frame


def small(**columns: object) -> Frame:
    """Returns three fixes at the equator; the arguments replace or add columns."""
    times = pandas.to_datetime([0, 30, 60], unit="s", utc=True)
    return pandas.DataFrame({"lat": [0.0, 0.0, 0.0], "lon": [1.0, 0.0, 1.0], "time": times, **columns})


@pytest.fixture(scope="module")
def from_file() -> EventLog:
    return replay(DATA / "drive.csv", DATA / "conditions.geojson")


# ------------------------------------------------------------------------------------------------ tracks


@pytest.mark.parametrize(
    "names",
    [
        {},
        {"latitude": "lat", "longitude": "lng", "time": "t", "accuracy": "acc"},
        {"latitude": "y", "longitude": "x", "time": "timestamp", "accuracy": "hacc"},
        {"latitude": "Lat", "longitude": "LON", "time": "Time", "accuracy": "hAcc"},
    ],
)
def test_a_frame_is_what_its_file_is(from_file: EventLog, names: dict[str, str]) -> None:
    assert len(from_file) > 10
    assert list(replay(drive().rename(columns=names), DATA / "conditions.geojson")) == list(from_file)


def test_columns_given_by_name(from_file: EventLog) -> None:
    names = {"latitude": "north", "longitude": "east", "time": "when", "accuracy": "about"}
    frame = drive().rename(columns=names).assign(lat=0.0, lon=0.0, time=pandas.Timestamp(0, tz="UTC"), accuracy=1000.0)
    assert list(replay(frame, DATA / "conditions.geojson", columns=names)) == list(from_file)
    error = refusal(replay, frame, HERE, columns={"latitude": "up"})
    assert mentions(error.reason, "column 'up'")
    with pytest.raises(InputError, match="columns.*'height'"):
        replay(frame, HERE, columns={"height": "up"})


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/St_Johns"])
def test_times_of_any_unit_and_zone(from_file: EventLog, unit: str, zone: str) -> None:
    frame = drive()
    frame["time"] = frame["time"].dt.tz_convert(zone).dt.as_unit(unit)
    assert list(replay(frame, DATA / "conditions.geojson")) == list(from_file)


def test_times_as_numbers_texts_and_objects() -> None:
    expected = [event.date_us for event in replay(small(), HERE, policy="exact")]
    assert expected == [0, 30_000_000, 60_000_000]
    columns: list[dict[str, object]] = [
        {"time": [0, 30, 60]},
        {"time": [0.0, 30.0, 60.0]},
        {"time_ms": [0, 30_000, 60_000]},
        {"time_us": [0, 30_000_000, 60_000_000]},
        {"time": ["1970-01-01T00:00:00Z", "1970-01-01T01:00:30+01:00", "1970-01-01 00:01:00Z"]},
        {"time": ["1970-01-01", "1970-01-01T00:00:30", "1970-01-01 00:01"]},
        {"time": pandas.Series([datetime.fromtimestamp(second, UTC) for second in (0, 30, 60)], dtype=object)},
    ]
    for given in columns:
        frame = small().drop(columns="time").assign(**given)
        assert [event.date_us for event in replay(frame, HERE, policy="exact")] == expected, given
    # Nanoseconds are truncated to microseconds.
    times = pandas.to_datetime([1_700_000_000_123_456_789] * 3, utc=True)
    assert {event.date_us for event in replay(small(time=times), HERE, policy="exact")} == {1_700_000_000_123_456}


def test_what_is_missing() -> None:
    frame = small(accuracy=[None, 5.0, math.nan], lat=[0.0, 0.0, math.nan])
    log = replay(frame, HERE, policy="exact")
    assert log.counts.invalid_fixes == 1
    assert [event.accuracy for event in log] == [0.0, 5.0]
    nullable = small(
        accuracy=pandas.array([None, 5, None], dtype="Int64"), lat=pandas.array([0, 0, None], dtype="Float64")
    )
    assert list(replay(nullable, HERE, policy="exact")) == list(log)
    assert list(replay(small(accuracy=[None, 5, None], lat=[0, 0, None]).astype(object), HERE, policy="exact")) == list(
        log
    )


@pytest.mark.parametrize("name", ["t", None, "when"])
def test_times_in_the_index(from_file: EventLog, name: str | None) -> None:
    """The times are in the index of the frame, as in trajectories."""
    assert list(replay(drive().set_index("time").rename_axis(name), DATA / "conditions.geojson")) == list(from_file)
    naive = drive().set_index("time").tz_localize(None)
    assert list(replay(naive, DATA / "conditions.geojson")) == list(from_file)


def test_rows_out_of_range_are_counted() -> None:
    frame = small(lat=[0.0, 91.0, 0.0], time=pandas.to_datetime([60, 0, 30], unit="s", utc=True))
    words = "1 of 3 fixes.*row 1.*latitude 91"
    with pytest.warns(InputWarning, match=words):
        log = replay(frame, HERE, sort=False)
    assert (log.counts.fixes, log.counts.late_fixes, log.counts.invalid_fixes) == (3, 1, 1)


@pytest.mark.parametrize(
    ("columns", "row", "words"),
    [
        ({"lat": ["0", "x", "0"]}, 0, "latitude '0' (column 'lat') … str"),
        ({"lat": pandas.Series([0.0, "52,5", 0.0], dtype=object)}, 1, "latitude '52,5' (column 'lat') is a str"),
        ({"lon": [True, False, True]}, 0, "longitude True (column 'lon') … bool"),
        ({"lon": [1 + 2j, 0, 0]}, 0, "longitude (1+2j) (column 'lon') … complex"),
        ({"accuracy": pandas.Series([5, True, 5], dtype=object)}, 1, "accuracy True (column 'accuracy') is a bool"),
        ({"accuracy": pandas.Series([5, [5], 5], dtype=object)}, 1, "accuracy [5] (column 'accuracy') is a list"),
        ({"time": pandas.to_datetime([0, None, 2], unit="s", utc=True)}, 1, "time (column 'time')"),
        ({"time": ["1970-01-01", "soon", "1970-01-01"]}, 1, "'soon'"),
        ({"time": [0.0, math.inf, 1.0]}, 1, "inf"),
        ({"time": [0.0, math.nan, 1.0]}, 1, "time"),
        ({"time": [True, False, True]}, 0, "time True (column 'time') … bool"),
        ({"time": pandas.to_timedelta([0, 1, 2], unit="s")}, 0, "timedelta … time"),
        ({"time_us": [0, 1, 1 << 62], "time": None}, 2, "1 … 9999"),
        ({"time": pandas.Series([0, datetime(2024, 1, 1).date(), 1], dtype=object)}, 1, "date … time"),
    ],
)
def test_bad_columns(columns: dict[str, object], row: int, words: str) -> None:
    error = refusal(replay, small(**columns).dropna(axis=1, how="all"), HERE)
    assert (error.source, error.row) == ("track", row), str(error)
    assert mentions(error, words) and str(error).startswith(f"track: row {row}: ")


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (lambda: small().iloc[:0], "track:"),
        (lambda: pandas.DataFrame(), "track:"),
        (
            lambda: small().drop(columns="lat"),
            "latitude, … time; … columns={'latitude'",
        ),
        (lambda: small().drop(columns="time"), "time"),
        (lambda: small().rename(columns={"lat": 7}), "column 7 … name"),
        (lambda: pandas.concat({"a": small()}, axis=1), "name"),
    ],
)
def test_bad_frames(frame: Callable[[], Frame], words: str) -> None:
    assert mentions(refusal(replay, frame(), HERE), words)


@pytest.mark.parametrize("track", [None, 7, {"lat": [0]}, b"a.gpx", object()])
def test_what_is_no_track(track: Any) -> None:
    with pytest.raises(TypeError, match="track"):
        replay(track, HERE)


def test_fixes(from_file: EventLog) -> None:
    fixes = [Fix(*row[:3], time=row[3]) for row in read_track(DATA / "drive.csv").fixes]
    assert list(replay(iter(fixes), DATA / "conditions.geojson")) == list(from_file)
    with pytest.raises(TypeError, match="track.*element 1"):
        replay([fixes[0], (0, 0)], HERE)
    assert mentions(refusal(replay, [], HERE), "track: … fixes")


# ------------------------------------------------------------------------------------------ GeoDataFrames


def points(crs: Any = "EPSG:4326") -> Frame:
    frame = drive()
    geometry = geopandas.points_from_xy(frame["longitude"], frame["latitude"])
    return geopandas.GeoDataFrame(frame.drop(columns=["latitude", "longitude"]), geometry=geometry, crs=crs)


@pytest.mark.parametrize("crs", ["EPSG:4326", "OGC:CRS84", None])
def test_points(from_file: EventLog, crs: str | None) -> None:
    assert list(replay(points(crs), DATA / "conditions.geojson")) == list(from_file)


def test_points_that_are_missing() -> None:
    frame = geopandas.GeoDataFrame(small(), geometry=geopandas.points_from_xy([1, 0, 1], [0, 0, 0]), crs=4326)
    frame.loc[1, "geometry"] = None
    assert replay(frame, HERE).counts.invalid_fixes == 1


def test_a_projected_crs_is_refused_with_the_call_to_make(from_file: EventLog) -> None:
    projected = points().to_crs(epsg=32610)
    error = refusal(replay, projected, HERE)
    assert mentions(error, "track: … CRS EPSG:32610 … WGS84 longitude … latitude; … transform=True … Zones)")
    converted = eval("track.to_crs(epsg=4326)", {"track": projected})
    back = replay(converted, DATA / "conditions.geojson")
    assert [(event.identifier, event.state) for event in back] == [(e.identifier, e.state) for e in from_file]
    assert mentions(refusal(replay, points().to_crs(epsg=4269), HERE), "WGS84 longitude … latitude")
    fences = geopandas.GeoDataFrame({"id": ["a"], "radius": [5]}, geometry=geopandas.points_from_xy([0], [0]), crs=3857)
    assert mentions(
        str(refusal(replay, [Fix(0, 0, time=0)], fences)), "conditions: … CRS EPSG:3857 … WGS84 longitude … latitude"
    )


def test_shapes_that_are_no_points() -> None:
    frame = geopandas.GeoDataFrame(small(), geometry=geopandas.points_from_xy([1, 0, 1], [0, 0, 0]), crs=4326)
    frame.loc[2, "geometry"] = frame.geometry.iloc[2].buffer(1)
    error = refusal(replay, frame, HERE)
    assert error.row == 2 and mentions(error.reason, "Point … Polygon … column 'geometry'")


# ------------------------------------------------------------------------------------------------ by


def test_by_replays_each_track_alone(from_file: EventLog) -> None:
    one, two = drive(), drive().iloc[::-1].reset_index(drop=True)
    two["time"] = drive()["time"]  # vehicle "two" drives the same route in reverse
    both = pandas.concat([one.assign(vehicle="one"), two.assign(vehicle="two")]).sort_values("time", kind="stable")
    log = replay(both, DATA / "conditions.geojson", by="vehicle", assuming="unknown")
    assert log.tracks == ("one", "two") and log.by == "vehicle"
    assert list(log.of("one")) == list(from_file)
    assert list(log.of("two")) == list(replay(two, DATA / "conditions.geojson"))
    assert list(log) == [*log.of("one"), *log.of("two")]
    assert log.counts.fixes == 2 * len(one) and log.counts.late_fixes == 0
    frame = log.to_pandas()
    assert list(frame.columns[:2]) == ["vehicle", "sequence"] and list(frame["vehicle"].unique()) == ["one", "two"]
    assert frame.groupby("vehicle")["sequence"].apply(list).to_dict() == {
        key: list(range(1, len(log.of(key)) + 1)) for key in ("one", "two")
    }
    assert json.loads(log.to_jsonl().splitlines()[0])["vehicle"] == "one"
    assert json.loads(log.to_geojson())["features"][-1]["properties"]["vehicle"] == "two"
    assert log.to_csv().startswith("vehicle,sequence,")
    assert set(log.visits().to_pandas()["vehicle"]) == {"one", "two"}
    with pytest.raises(KeyError):
        log.of("three")


def test_by_numbers_and_what_is_wrong_with_it(tmp_path: Path) -> None:
    frame = small(vehicle=[7, 7, 8])
    log = replay(frame, HERE, by="vehicle", assuming="unknown")
    assert log.tracks == (7, 8) and json.loads(log.to_jsonl().splitlines()[0])["vehicle"] == 7
    assert mentions(refusal(replay, frame, HERE, by="car"), "column 'car'")
    assert mentions(
        str(refusal(replay, small(vehicle=["a", None, "b"]), HERE, by="vehicle")), "track: row 1: … column 'vehicle'"
    )
    assert mentions(refusal(replay, small(vehicle=[[1], [2], [3]]), HERE, by="vehicle"), "column 'vehicle' … track")
    with pytest.raises(InvalidArgumentError, match="'state'"):
        replay(small(state=["a", "b", "c"]), HERE, by="state")
    assert mentions(refusal(replay, [Fix(0, 0, time=0)], HERE, by="vehicle"), "'vehicle' … tables")
    path = tmp_path / "t.csv"
    frame.to_csv(path, index=False)
    assert [list(replay(path, HERE, by="vehicle", assuming="unknown").of(key)) for key in ("7", "8")] == [
        list(log.of(key)) for key in (7, 8)
    ]
    assert mentions(refusal(replay, path, HERE, by="car"), "column 'car', … time")
    assert mentions(refusal(replay, DATA / "drive.gpx", HERE, by="car"), "'car' … CSV … GeoPackage")
    path.write_text("lat,lon,time,car\n0,0,0,a\n0,0,0,\n")
    assert mentions(refusal(replay, path, HERE, by="car"), f"{path}: line 3: … column 'car'")


def test_by_on_a_real_file() -> None:
    path = OWN_TRACKS / "csv" / "seal-bering.csv"
    log = replay(path, {"sea": Circle(63.5, 180, 100_000)}, by="DeployID")
    alone = replay(path, {"sea": Circle(63.5, 180, 100_000)}, assuming="unsatisfied")
    assert len(log.tracks) == 1 and list(log) == list(alone) and len(log) == 1


# --------------------------------------------------------------------------------------------- conditions


CIRCLES = {
    "office": Circle(37.3349, -122.009, 200.0),
    "home": Circle(52.5, 13.4, 350.5),
}
ONE = [Fix(37.3349, -122.009, time=0)]


@pytest.mark.parametrize("conditions", [None, 7, [("a", 1)], b"x"])
def test_what_are_no_conditions(conditions: Any) -> None:
    with pytest.raises(TypeError, match="conditions"):
        replay(ONE, conditions)


def test_bad_mappings() -> None:
    with pytest.raises(TypeError, match=r"'a'"):
        replay(ONE, {"a": (0, 0, 100)})
    with pytest.raises(TypeError, match="identifier 7"):
        replay(ONE, {7: CIRCLES["home"]})
    assert "conditions: '': " in str(refusal(replay, ONE, {"": CIRCLES["home"]}))


def test_options() -> None:
    with pytest.raises(InvalidArgumentError, match="'strict'"):
        replay(ONE, HERE, policy="strict")
    with pytest.raises(TypeError, match="policy"):
        replay(ONE, HERE, policy=5)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match="until"):
        replay(small(), HERE, until=0)
    with pytest.raises(InvalidArgumentError, match="until"):
        replay(small(), HERE, until=datetime(2024, 1, 1))
    with pytest.raises(InvalidArgumentError, match="hdop_scale"):
        replay(DATA / "drive.gpx", HERE, hdop_scale=math.nan)
    assert replay(small(), HERE, until=120_000_000).end == datetime(1970, 1, 1, 0, 2, tzinfo=UTC)
    limited = replay(ONE, {**HERE, **CIRCLES}, condition_limit=1)
    assert [str(event.state) for event in limited].count("unmonitored") == 2
    log = replay(DATA / "drive.csv", DATA / "conditions.geojson", sightings=DATA / "sightings.jsonl")
    assert isinstance(log.conditions["apple lobby"], Beacon) and log.counts.reports > 0


def test_way_points_are_played(tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    path.write_text("lat,lon\n0,-0.002\n0,0.002\n")
    assert mentions(refusal(replay, path, HERE), "point 1: … speed … start")
    log = replay(path, HERE, policy="exact", speed=10, start=0)
    assert [str(event.state) for event in log] == ["unsatisfied", "satisfied", "unsatisfied"]
    with pytest.raises(InvalidArgumentError, match="speed.*start"):
        replay(path, HERE, speed=10)
    assert "times" in str(refusal(replay, DATA / "drive.csv", HERE, speed=10, start=0))
