"""Tests DuckDB and its spatial extension: query results are used as inputs, and outputs are used in queries."""

from __future__ import annotations

import importlib.util
import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import DATA, mentions, refusal

from fencepost import Circle, Corridor, EventLog, InputWarning, Monitor, Polygon, geodesic, replay
from fencepost.types import FeedResult

pytest.importorskip("nanoarrow")
duckdb = pytest.importorskip("duckdb", reason="duckdb is installed by make test-all")


def extension() -> Path | None:
    """The spatial extension from the package duckdb-extension-spatial for this version of DuckDB, or None."""
    found = importlib.util.find_spec("duckdb_extension_spatial")
    folders = [] if found is None else list(found.submodule_search_locations or [])
    return next((path for folder in folders for path in Path(folder).rglob(f"v{duckdb.__version__}/spatial*")), None)


@pytest.fixture
def connection() -> Iterator[Any]:
    path = extension()
    if path is None:
        pytest.skip(f"duckdb-extension-spatial for duckdb {duckdb.__version__} is installed by make test-all")
    # the tests never load an extension from the network
    settings = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
    with duckdb.connect(config=settings) as connection:
        connection.load_extension(str(path))
        connection.execute("SET TimeZone = 'UTC'")
        reader = f"read_csv('{DATA / 'drive.csv'}', types={{'time': 'TIMESTAMPTZ'}})"
        connection.execute(f"CREATE TABLE drive AS SELECT * FROM {reader}")
        circles(connection)
        yield connection


def circles(connection: Any) -> None:
    """Creates a table of the example's circles with a column of geometries."""
    connection.execute(
        "CREATE TABLE shops (name VARCHAR, radius DOUBLE, policy VARCHAR, assuming VARCHAR, place GEOMETRY)"
    )
    for feature in json.loads((DATA / "conditions.geojson").read_text())["features"]:
        if feature["geometry"] is not None and not isinstance(feature["properties"].get("policy"), dict):
            values = [feature["properties"].get(name) for name in ("identifier", "radius", "policy", "assuming")]
            place = "INSERT INTO shops VALUES (?, ?, ?, ?, ST_Point(?, ?))"
            connection.execute(place, [*values, *feature["geometry"]["coordinates"]])


POINTS = {
    "GEOMETRY": "ST_Point(longitude, latitude) AS place",
    "with a reference system": "ST_SetCRS(ST_Point(longitude, latitude), 'EPSG:4326') AS place",
    "three dimensions": "ST_Force3DZ(ST_Point(longitude, latitude), 7) AS place",
    "WKB": "ST_AsWKB(ST_Point(longitude, latitude)) AS geom",
    "POINT_2D": "ST_Point2D(longitude, latitude) AS point",
    "POINT_3D": "ST_Point3D(longitude, latitude, 7) AS point",
    "columns": "ST_Y(ST_Point(longitude, latitude)) AS lat, longitude AS lon",
}


@pytest.fixture(scope="module")
def expected() -> EventLog:
    return replay(DATA / "drive.csv", DATA / "conditions.geojson")


@pytest.mark.parametrize("point", POINTS.values(), ids=list(POINTS))
def test_spatial_points_go_in(connection: Any, expected: EventLog, point: str) -> None:
    """Tests that points from the spatial extension give the same events as the files, when used as a track, as the
    conditions of a replay, or as input for a monitor."""
    track = connection.sql(f"SELECT time, accuracy, {point} FROM drive")
    shops = "SELECT name, radius, policy, assuming, "
    shops += point.replace("longitude", "ST_X(place)").replace("latitude", "ST_Y(place)") + " FROM shops"
    names = {name for (name,) in connection.execute("SELECT name FROM shops").fetchall()}
    events = [event for event in expected if event.identifier in names]
    log = replay(track, connection.sql(shops))
    assert len(events) > 5
    assert [(e.identifier, e.state, e.date, e.boundary_distance) for e in log] == [
        (e.identifier, e.state, e.date, e.boundary_distance) for e in events
    ]
    monitor = Monitor()
    monitor.add_many(connection.sql(shops))
    assert monitor.feed_many(track) == FeedResult(len(log.replays[0].fixes), 0, 0)
    assert [event.to_json() for event in monitor.events()] == log.to_jsonl().splitlines()


AREAS = {
    "GEOMETRY": "place",
    "WKB": "ST_AsWKB(place) AS geom",
    "WKT": "ST_AsText(place) AS wkt",
    "with a reference system": "ST_SetCRS(place, 'EPSG:4326') AS place",
    "three dimensions": "ST_Force3DZ(place, 7) AS place",
}
TEXTS = {
    "campus": "POLYGON ((-122.09 37.41, -122.07 37.41, -122.07 37.43, -122.09 37.43, -122.09 37.41), "
    "(-122.082 37.418, -122.078 37.418, -122.078 37.422, -122.082 37.422, -122.082 37.418))",
    "towns": "MULTIPOLYGON (((-122.1 37.35, -122.05 37.35, -122.05 37.4, -122.1 37.4, -122.1 37.35)), "
    "((-122.04 37.32, -122 37.32, -122 37.34, -122.04 37.34, -122.04 37.32)))",
    "way": "LINESTRING (-122.08 37.42, -122.06 37.38, -122.03 37.33)",
}


@pytest.mark.parametrize("shape", AREAS.values(), ids=list(AREAS))
def test_polygons_and_lines_go_in(connection: Any, shape: str) -> None:
    """Tests that shapes from ST_GeomFromText give the same events, in a replay and in a monitor, as equal conditions
    that are created in Python."""
    connection.execute("CREATE TABLE zones (name VARCHAR, radius DOUBLE, place GEOMETRY)")
    for name, text in TEXTS.items():
        row = [name, 500.0 if name == "way" else None, text]
        connection.execute("INSERT INTO zones VALUES (?, ?, ST_GeomFromText(?))", row)
    zones = connection.sql(f"SELECT name, radius, {shape} FROM zones")
    track = connection.sql("SELECT time, accuracy, latitude, longitude FROM drive")
    made: dict[str, Any] = {
        name: Corridor(text, 500, edges="planar") if name == "way" else Polygon(text, edges="planar")
        for name, text in TEXTS.items()
    }
    monitor = Monitor()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)  # hides the warning that the kind of edges is unknown
        log = replay(track, zones)
        monitor.add_many(zones)
    expected = replay(track, made)
    assert log.conditions == made and list(log) == list(expected) and len({event.identifier for event in log}) == 3
    assert {record.identifier: record.condition for record in monitor.records()} == made
    assert monitor.feed_many(track).accepted == len(log.replays[0].fixes)
    assert [event.to_json() for event in monitor.events()] == log.to_jsonl().splitlines()
    # The database agrees with each event about whether the place contains the fix, except within 5 m of the boundary.
    for event in log:
        if event.latitude is None or event.identifier == "way" or abs(event.boundary_distance or 0) < 5:
            continue
        (within,) = connection.execute(
            "SELECT ST_Contains(place, ST_Point(?, ?)) FROM zones WHERE name = ?",
            [event.longitude, event.latitude, event.identifier],
        ).fetchone()
        assert within == (event.state == "satisfied")


def test_polygons_that_are_refused(connection: Any) -> None:
    for text, words in (
        ("POLYGON ((0 0, 1 1, 1 0, 0 1, 0 0))", "row 1: … edges"),
        ("MULTIPOINT (0 0)", "row 1: "),
        ("GEOMETRYCOLLECTION (POINT (0 0))", "row 1: "),
        ("POLYGON EMPTY", "row 1: "),
    ):
        good = "'POLYGON ((0 0, 0.01 0, 0 0.01, 0 0))'"
        places = f"ST_GeomFromText(unnest([{good}, '{text}']))"
        zones = connection.sql(f"SELECT unnest(['a', 'b']) AS name, {places} AS place")
        monitor = Monitor()
        assert mentions(refusal(monitor.add_many, zones), words) and len(monitor) == 0


def test_geometries_that_are_no_points_on_the_earth_in_degrees(connection: Any) -> None:
    feed = Monitor().feed_many
    areas = connection.sql("SELECT ST_Buffer(ST_Point(0, 0), 1) AS place, 0 AS time")
    assert mentions(refusal(feed, areas), "fixes: row 0: … Point … Polygon (column 'place')")
    metres = connection.sql("SELECT ST_SetCRS(ST_Point(0, 0), 'EPSG:3857') AS place, 0 AS time")
    assert mentions(refusal(feed, metres), "EPSG:3857 … WGS84")
    nothing = connection.sql("SELECT unnest([NULL, 'POINT EMPTY'::GEOMETRY, ST_Point(1, 2)]) AS place, 0 AS time")
    assert feed(nothing) == FeedResult(1, 2, 0)
    naive = connection.sql("SELECT ST_Point(1, 2) AS place, TIMESTAMP '2024-05-01' AS time")
    assert feed(naive) == FeedResult(1, 0, 0)  # read as UTC


def test_numbers_of_any_type_and_many_batches(connection: Any) -> None:
    """In DuckDB, the literal 52.5 is a decimal, and the result of this query arrives in many batches."""
    rows = connection.sql(
        "SELECT 52.5 AS lat, CAST(13.4 AS FLOAT) AS lon, 5 AS accuracy, make_timestamptz(i * 1000000) AS time "
        "FROM range(500000) numbers(i)"
    )
    monitor = Monitor()
    monitor.add(Circle(52.5, 13.4, 100), "home")
    assert monitor.feed_many(rows) == FeedResult(500_000, 0, 0)
    assert monitor.clock_us == 499_999_000_000 and monitor.state("home") == "satisfied"


def test_a_query_that_fails_on_the_way(connection: Any) -> None:
    query = connection.sql(
        "SELECT 0.0::DOUBLE AS lat, 0.0::DOUBLE AS lon, make_timestamptz(i * 1000000) AS time, "
        "CASE WHEN i < 200000 THEN 5.0::DOUBLE ELSE error('no accuracy') END AS accuracy FROM range(300000) numbers(i)"
    )
    monitor = Monitor()
    error = refusal(monitor.feed_many, query)
    assert "stream" in str(error) and error.row is not None and error.row <= 200_000
    assert error.result == FeedResult(error.row, 0, 0)
    assert monitor.statistics().accepted_fixes == error.row


def test_a_log_joins_with_zones(connection: Any, expected: EventLog) -> None:
    """Tests database functions on the points of the events: the distance of each point from a circle's centre, and
    whether the point lies in a rectangle."""
    log = expected
    circle = log.conditions[next(iter(log.conditions))]
    assert isinstance(circle, Circle)
    rows = connection.execute(
        "SELECT sequence, ST_Distance_Sphere(ST_Point(geometry.y, geometry.x), ST_Point(?, ?)), "
        "ST_Within(ST_Point(geometry.x, geometry.y), ST_MakeEnvelope(-122.2, 37.3, -122.0, 37.4)) "
        "FROM log WHERE latitude IS NOT NULL ORDER BY sequence",
        [circle.latitude, circle.longitude],
    ).fetchall()
    events = {event.sequence: event for event in log if event.latitude is not None}
    assert len(rows) == len(events) > 5
    for sequence, distance, within in rows:
        event = events[sequence]
        assert event.latitude is not None and event.longitude is not None
        exact = geodesic.inverse(circle.latitude, circle.longitude, event.latitude, event.longitude).distance
        assert distance == pytest.approx(exact, rel=0.006)  # the database measures on a sphere
        assert within == (-122.2 < event.longitude < -122.0 and 37.3 < event.latitude < 37.4)
