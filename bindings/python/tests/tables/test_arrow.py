"""Tests how Arrow streams are written and read; where possible, they are read in place."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from conftest import DATA, mentions, optional, refusal

from fencepost import Circle, EventLog, replay
from fencepost.errors import MissingExtraError

pytest.importorskip("nanoarrow")
pa = pytest.importorskip("pyarrow")
geopandas = pytest.importorskip("geopandas")
pandas = pytest.importorskip("pandas")

HERE = {"here": Circle(0, 0, 150)}


@pytest.fixture(scope="module")
def log() -> EventLog:
    return replay(DATA / "drive.csv", DATA / "conditions.geojson", sightings=str(DATA / "sightings.jsonl"))


@pytest.fixture(scope="module")
def drive() -> Any:
    frame = pandas.read_csv(DATA / "drive.csv", parse_dates=["time"])
    return pa.Table.from_pandas(frame.assign(time=frame["time"].dt.as_unit("us")), preserve_index=False)


@pytest.fixture(scope="module")
def expected() -> list[Any]:
    return list(replay(DATA / "drive.csv", DATA / "conditions.geojson"))


# ------------------------------------------------------------------------------------------------ out


def test_events_are_an_arrow_table(log: EventLog) -> None:
    table = pa.table(log)
    assert table.num_rows == len(log) > 10
    assert table.column_names == [*log.columns(), "geometry"]
    for name, values in log.columns().items():
        assert table[name].to_pylist() == values, name
    kinds = {name: str(table.schema.field(name).type) for name in table.column_names}
    assert kinds["date"] == kinds["evidence_date"] == "timestamp[us, tz=UTC]"
    assert (kinds["sequence"], kinds["latitude"], kinds["state"]) == ("int64", "double", "string")
    field = table.schema.field("geometry")
    assert field.metadata[b"ARROW:extension:name"] == b"geoarrow.point"
    points = table["geometry"].to_pylist()
    assert None in points
    for event, point in zip(log, points):
        assert point == (None if event.latitude is None else {"x": event.longitude, "y": event.latitude})


def test_visits_are_an_arrow_table(log: EventLog) -> None:
    table = pa.table(log.visits())
    assert str(table.schema.field("duration").type) == "duration[us]"
    for name, values in log.visits().columns().items():
        assert table[name].to_pylist() == values, name
    assert {type(value) for value in table["duration"].to_pylist()} == {timedelta}


def test_an_empty_log_has_the_same_types(log: EventLog) -> None:
    empty = replay(pa.table({"lat": [1.0], "lon": [1.0], "time_us": [0]}), {})
    assert pa.table(empty).schema == pa.table(log).schema
    assert pa.table(empty.visits()).schema == pa.table(log.visits()).schema


def test_geopandas_takes_a_log(log: EventLog) -> None:
    frame = geopandas.GeoDataFrame.from_arrow(log)
    own = log.to_geopandas()
    assert frame.crs == own.crs == "EPSG:4326"
    assert frame.geometry.geom_equals(own.geometry).sum() == own.geometry.notna().sum() > 10
    assert frame["identifier"].tolist() == own["identifier"].tolist()


def test_polars_takes_a_log(log: EventLog) -> None:
    polars = optional("polars")
    frame = polars.DataFrame(log.to_arrow())
    assert frame["date"].to_list() == [event.date for event in log]
    assert frame.filter(polars.col("state") == "satisfied").height == sum(event.state == "satisfied" for event in log)
    assert polars.DataFrame(log.visits().to_arrow())["duration"].to_list() == [visit.duration for visit in log.visits()]


def test_duckdb_queries_a_log(log: EventLog) -> None:
    duckdb = optional("duckdb")
    visits = log.visits()
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        rows = connection.sql("SELECT identifier, count(*) FROM log GROUP BY identifier ORDER BY identifier").fetchall()
        assert rows == sorted((name, sum(e.identifier == name for e in log)) for name in {e.identifier for e in log})
        (seconds,) = connection.execute("SELECT sum(epoch(duration)) FROM visits").fetchone()
        assert seconds == pytest.approx(sum(visit.duration.total_seconds() for visit in visits))
        (point,) = connection.execute(
            "SELECT geometry.x FROM log WHERE latitude IS NOT NULL ORDER BY sequence"
        ).fetchone()
        assert point == next(event.longitude for event in log if event.latitude is not None)


def test_without_nanoarrow_it_says_what_to_install(log: EventLog, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "nanoarrow", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'fencepost\[arrow\]'"):
        log.__arrow_c_stream__()


# ------------------------------------------------------------------------------------------------- in


def test_a_table_goes_in(drive: Any, expected: list[Any]) -> None:
    for table in (
        drive,
        drive.slice(0),
        pa.concat_tables([drive.slice(0, 7), drive.slice(7)]),
        pa.RecordBatchReader.from_batches(drive.schema, drive.to_batches(max_chunksize=100)),
        drive.set_column(0, "time", drive["time"].cast(pa.timestamp("ns", "UTC"))),
        drive.set_column(0, "time", drive["time"].cast(pa.timestamp("ms", "Europe/Berlin"))),
        drive.set_column(0, "time_us", drive["time"].cast(pa.int64())),
        drive.set_column(3, "accuracy", drive["accuracy"].cast(pa.string()).dictionary_encode().cast("f8")),
    ):
        assert list(replay(table, DATA / "conditions.geojson")) == expected
    rows = list(replay(drive, DATA / "conditions.geojson").replays[0].fixes)
    fixes = replay(drive, DATA / "conditions.geojson").replays[0].fixes
    assert len(fixes) == drive.num_rows and list(fixes[2:4]) == rows[2:4]
    assert fixes[5] == rows[5] and fixes[-1] == rows[-1]
    with pytest.raises(IndexError):
        fixes[len(fixes)]


def test_a_sliced_structure_goes_in(drive: Any) -> None:
    """If a struct array is sliced, only the array itself has an offset; its children have none."""
    part = pa.concat_arrays(drive.to_struct_array().chunks).slice(10, 50)

    class Stream:
        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            return pa.chunked_array([part]).__arrow_c_stream__(requested_schema)

    fixes = replay(Stream(), {}).replays[0].fixes
    assert list(fixes) == list(replay(drive.slice(10, 50), {}).replays[0].fixes) and len(fixes) == 50


def test_the_fixes_of_a_log_do_not_change_with_the_table() -> None:
    import numpy

    latitudes, longitudes = numpy.zeros(4), numpy.zeros(4)
    times = numpy.arange(4, dtype="i8") * 1_000_000
    table = pa.table({
        "lat": pa.array(latitudes), "lon": pa.array(longitudes),
        "time": pa.Array.from_buffers(pa.timestamp("us", "UTC"), 4, [None, pa.py_buffer(times)]),
    })  # fmt: skip
    log = replay(table, {})
    latitudes[3], times[3] = 7.5, 9
    assert log.replays[0].fixes[3] == (0.0, 0.0, 0.0, 3_000_000)


@pytest.mark.filterwarnings("ignore:Geometry is in a geographic CRS")
def test_points_go_in(drive: Any, expected: list[Any]) -> None:
    frame = geopandas.GeoDataFrame(
        drive.select(["time", "accuracy"]).to_pandas(),
        geometry=geopandas.points_from_xy(drive["longitude"], drive["latitude"]), crs=4326,
    )  # fmt: skip
    for encoding in ("WKB", "geoarrow"):
        for interleaved in (True, False):
            arrow = frame.to_arrow(geometry_encoding=encoding, interleaved=interleaved)
            assert list(replay(pa.table(arrow), DATA / "conditions.geojson")) == expected
    projected = pa.table(frame.to_crs(3857).to_arrow())
    assert mentions(refusal(replay, projected, HERE), "EPSG:3857 … WGS84")
    origin = geopandas.points_from_xy([0], [0])
    circles = geopandas.GeoDataFrame({"identifier": ["here"], "radius": [150]}, geometry=origin)
    track = pa.table({"lat": [0.0], "lon": [0.0], "time_us": [0]})
    assert replay(track, pa.table(circles.to_arrow())).conditions == HERE
    lines = geopandas.GeoDataFrame({"time_us": [0]}, geometry=frame.buffer(1).iloc[:1].tolist(), crs=4326)
    error = refusal(replay, pa.table(lines.to_arrow()), HERE)
    assert mentions(error, "row 0: … Point … Polygon")


def test_polars_and_duckdb_go_in(drive: Any, expected: list[Any]) -> None:
    polars, duckdb = optional("polars"), optional("duckdb")
    assert list(replay(polars.DataFrame(drive), DATA / "conditions.geojson")) == expected
    with duckdb.connect() as connection:
        assert list(replay(connection.sql("SELECT * FROM drive"), DATA / "conditions.geojson")) == expected
        points = connection.sql(
            "SELECT time, accuracy, ('POINT(' || longitude || ' ' || latitude || ')')::GEOMETRY AS place FROM drive"
        )
        log = replay(points, DATA / "conditions.geojson")
        assert [(e.identifier, e.state, e.date) for e in log] == [(e.identifier, e.state, e.date) for e in expected]
        circle = connection.sql("SELECT 'here' AS identifier, 0 AS lat, 0 AS lon, 150 AS radius")
        assert replay(drive, circle).conditions == HERE


def test_tracks_by_a_column(drive: Any, expected: list[Any]) -> None:
    two = pa.concat_tables([drive.append_column("car", pa.array([name] * drive.num_rows)) for name in "ba"])
    log = replay(two, DATA / "conditions.geojson", by="car", assuming="unknown")
    assert log.tracks == ("b", "a") and list(log.of("a")) == expected
    assert pa.table(log)["car"].to_pylist() == ["b"] * len(expected) + ["a"] * len(expected)


GOOD = {"lat": [0.0, 0.0], "lon": [0.0, 0.0], "time_us": [0, 1]}


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (GOOD | {"time_us": [0, None]}, "track: row 1: … time (column 'time_us')"),
        (GOOD | {"lat": ["a", "b"]}, "row 0: latitude 'a' (column 'lat') is a str, not a"),
        ({"lat": [0.0], "lon": [0.0]}, "time"),
        ({"time_us": [0]}, "latitude, … time_us"),
        ({"lat": [0.0], "lon": [0.0], "time": ["noon"]}, "row 0: time (column 'time'): 'noon'"),
        ({"lat": [0.0], "lon": [0.0], "time": [True]}, "row 0: time True (column 'time') … bool"),
        ({"lat": pa.array([], "f8"), "lon": pa.array([], "f8"), "time_us": pa.array([], "i8")}, "track:"),
    ],
)
def test_bad_tables(table: dict[str, Any], words: str) -> None:
    assert mentions(refusal(replay, pa.table(table), HERE), words)


def test_missing_values_are_as_in_frames() -> None:
    table = pa.table({
        "lat": [0.0, None, 0.0], "lon": [0.0, 0.0, 0.0], "acc": [None, 5, 7],
        "time": [datetime(2024, 1, 1, 0, 0, second, tzinfo=UTC) for second in range(3)],
    })  # fmt: skip
    log = replay(table, HERE)
    assert log.counts == replay(table.to_pandas(), HERE).counts and log.counts.invalid_fixes == 1
    assert list(log) == list(replay(table.to_pandas(), HERE))
    by = table.append_column("k", pa.array(["a", None, "a"]))
    assert mentions(refusal(lambda t, c: replay(t, c, by="k"), by, HERE), "row 1: … column 'k'")
    assert mentions(refusal(lambda t, c: replay(t, c, by="q"), by, HERE), "column 'q'")
    values = pa.chunked_array([[1, 2]])
    assert "Arrow stream" in str(refusal(replay, values, HERE))


# ------------------------------------------------------------------------------------------------- monitors


def test_a_monitors_events_and_records() -> None:
    from fencepost import Beacon, Fix, Monitor

    monitor = Monitor()
    monitor.add(Circle(52.5, 13.4, 100), "home", tag=2**64 - 1)
    monitor.add(Beacon("e2c56db5-dffb-48d2-b060-d0f5a71096e0", 7), "desk")
    assert pa.table(monitor.records().to_arrow()).num_rows == 2
    monitor.feed(Fix(52.5, 13.4, time=1_700_000_000_000_000))
    events = monitor.poll()
    monitor.acknowledge()
    table = pa.table(events.to_arrow())
    assert table.drop_columns("geometry").to_pydict() == events.columns() and table["tag"].to_pylist() == [2**64 - 1]
    assert table["geometry"].to_pylist() == [{"x": 13.4, "y": 52.5}]
    table = pa.table(monitor.records().to_arrow())
    home, desk = table.to_pylist()
    assert (home["identifier"], home["radius"], home["state"], home["tag"]) == ("home", 100, "satisfied", 2**64 - 1)
    assert home["date"] == events[0].date and home["geometry"] == {"x": 13.4, "y": 52.5} and home["uuid"] is None
    assert (desk["uuid"], desk["major"], desk["minor"]) == ("e2c56db5-dffb-48d2-b060-d0f5a71096e0", 7, None)
    assert desk["geometry"] is None and desk["sequence"] == 0
    assert pa.table(type(events)().to_arrow()).schema == pa.table(events.to_arrow()).schema
