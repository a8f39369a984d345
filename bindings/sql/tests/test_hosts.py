"""Tests how the extensions differ between their host databases."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import shapely
from conftest import ROOT, DuckDB, PostgreSQL, Server, SQLite, build
from worlds import zones

from fencepost import Polygon, Zones, geodesic

RADIUS = "'radius=500'"


def test_sqlite_works_in_the_shell_of_debian(tmp_path: Path) -> None:
    file = build("sqlite")
    sql = f""".load {file}
        CREATE TABLE zones(id, latitude, longitude, radius);
        INSERT INTO zones VALUES ('a', 47.55, 7.58, 500), ('b', 47.56, 7.6, 800);
        SELECT place, round(distance, 3)
          FROM fp_containing((SELECT fp_places(id, latitude, longitude, radius) FROM zones), 47.551, 7.581);"""
    shell = subprocess.run(["sqlite3", tmp_path / "a.db"], input=sql, capture_output=True, text=True, check=True)
    distance = geodesic.inverse(47.55, 7.58, 47.551, 7.581).distance - 500
    assert shell.stderr == ""
    assert shell.stdout.splitlines() == [f"a|{distance:.3f}"]


def test_sqlite_works_in_debians_python() -> None:
    file = build("sqlite")
    program = (
        "import sqlite3, sys; c = sqlite3.connect(':memory:');"
        "c.enable_load_extension(True); c.load_extension(sys.argv[1]);"
        "print(c.execute('SELECT fp_distance(0, 0, 0, 1)').fetchone()[0])"
    )
    python = subprocess.run(["/usr/bin/python3", "-c", program, file], capture_output=True, text=True, check=True)
    assert float(python.stdout) == pytest.approx(111319.49079327357, abs=1e-8)


def test_sqlite_brings_no_second_sqlite() -> None:
    """apsw contains its own SQLite: Debian's SQLite must not be loaded beside it."""
    pytest.importorskip("apsw")
    file = build("sqlite")
    # The program must not import the Python package, whose library loads the system's SQLite for its stores.
    program = (
        "import apsw; c = apsw.Connection(':memory:'); c.enable_load_extension(True);"
        f"c.load_extension({str(file)!r});"
        "c.execute('SELECT fp_distance(0, 0, 0, 1)').fetchall();"
        "print(any('libsqlite3' in line for line in open('/proc/self/maps')))"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"


def test_sqlite_reads_geopackage_blobs(tmp_path: Path) -> None:
    """Tests that SQLite reads the shapes of a GeoPackage layer as GDAL wrote them, and refuses a layer in another
    CRS."""
    geopandas = pytest.importorskip("geopandas")
    apsw = pytest.importorskip("apsw")
    from fencepost import sqlite

    build("sqlite")
    rows, conditions = zones(41, 20)
    kept = [(name, shapely.from_wkb(wkb)) for name, wkb, options in rows if options is None]
    frame = geopandas.GeoDataFrame({"name": [name for name, _ in kept]}, geometry=[g for _, g in kept], crs="EPSG:4326")
    file = tmp_path / "zones.gpkg"
    frame.to_file(file, driver="GPKG", layer="zones")
    connection = apsw.Connection(str(file))
    sqlite.load(connection)
    table = Zones()
    for name, _ in kept:
        table.add(conditions[name], name)
    for latitude, longitude in [(47.55, 7.6), (47.52, 7.55), (47.58, 7.65), (47.53, 7.68)]:
        sql = "SELECT place FROM fp_containing((SELECT fp_places(name, geom) FROM zones), ?, ?)"
        found = [place for (place,) in connection.execute(sql, (latitude, longitude))]
        assert found == sorted(table.containing(latitude, longitude))
    frame.to_crs(3857).to_file(file, driver="GPKG", layer="metres")
    with pytest.raises(apsw.SQLError, match="3857"):
        list(connection.execute("SELECT fp_places(name, geom) FROM metres"))


def test_sqlite_a_view_of_visits(tmp_path: Path) -> None:
    build("sqlite")
    host = SQLite()
    host.run("CREATE TABLE zones(id, latitude, longitude, radius)")
    host.run("INSERT INTO zones VALUES ('a', 47.55, 7.58, 500)")
    host.run("CREATE TABLE log(van, at, lat, lon)")
    host.run(
        "INSERT INTO log VALUES (1, '2026-01-01 00:00:00', 47.5, 7.5), (1, '2026-01-01 00:01:00', 47.55, 7.58), "
        "(1, '2026-01-01T00:02:00', 47.5, 7.5)"
    )
    host.run(
        'CREATE VIEW visits AS SELECT device, place, start, "end" '
        "FROM fp_visits('SELECT van, at, lat, lon FROM log', "
        "(SELECT fp_places(id, latitude, longitude, radius) FROM zones), 'policy=exact')"
    )
    times = ("2026-01-01T00:01:00.000000Z", "2026-01-01T00:02:00.000000Z")
    assert host.run("SELECT * FROM visits") == [("1", "a", *times)]
    for query, match in (
        ("DELETE FROM log", "one SELECT"),
        ("SELECT 1; SELECT 2", "one SELECT"),
        ("SELECT van, at FROM log", "2 columns"),
        ("SELECT no FROM log", "no such column"),
        ("SELECT van, 'yesterday', lat, lon FROM log", "row 1"),
        ("SELECT van, 1767225600000, lat, lon FROM log", "time=ms"),
        ("SELECT van, at, 'north', lon FROM log", "latitude is text"),
        ("SELECT NULL, at, lat, lon FROM log", "device .*NULL"),
        ("SELECT 'a' || char(0) || 'b', at, lat, lon FROM log", "zero byte"),
    ):
        with pytest.raises(host.errors, match=match):
            host.run(
                "SELECT * FROM fp_visits(?, (SELECT fp_places(id, latitude, longitude, radius) FROM zones))", (query,)
            )


def test_duckdb_says_what_it_needs() -> None:
    duckdb = pytest.importorskip("duckdb")
    from fencepost import duckdb as extension

    build("duckdb")
    with pytest.raises(RuntimeError, match="allow_unsigned_extensions"):
        extension.load(duckdb.connect())


def test_duckdb_accepts_its_own_geometry() -> None:
    """DuckDB's GEOMETRY type (DuckDB 1.5 and later) gives the same answers as WKB does for the same shapes."""
    duckdb = pytest.importorskip("duckdb")
    build("duckdb")
    host = DuckDB()
    try:
        host.run("SELECT NULL::GEOMETRY")
    except duckdb.Error:
        pytest.skip("this DuckDB has no GEOMETRY of its own: ST_AsWKB of the spatial extension gives WKB")
    rows, _ = zones(43, 40)
    host.zones(rows)
    host.run("CREATE OR REPLACE TABLE shapes AS SELECT id, ST_GeomFromWKB(geometry) AS g, geometry, options FROM zones")
    ((of_wkb, of_geometry),) = host.run(
        "SELECT fp_places(id, geometry, options), fp_places(id, g, options) FROM shapes WHERE options IS NULL"
    )
    assert of_wkb == of_geometry
    distances = host.run(
        "SELECT fp_boundary_distance(g, 47.55, 7.6, options), fp_boundary_distance(geometry, 47.55, 7.6, options), "
        "fp_contains(g, 47.55, 7.6, options), fp_contains(geometry, 47.55, 7.6, options) "
        "FROM shapes WHERE options IS NULL"
    )
    assert len(distances) > 10
    assert all(a == b and c == d for a, b, c, d in distances)
    assert host.run("SELECT fp_latitude(p), fp_longitude(p) FROM (SELECT 'POINT (7.5 47.25)'::GEOMETRY AS p)") == [
        (47.25, 7.5)
    ]
    with pytest.raises(host.errors, match="lat"):
        host.run("SELECT fp_places('a', 'POLYGON ((7 97, 8 97, 8 98, 7 97))'::GEOMETRY)")


@pytest.mark.parametrize("version", ["1.2.0", "2.0.1"])
def test_duckdb_one_file_serves_other_versions(version: str) -> None:
    """Tests the oldest and the newest version of DuckDB; the other tests use the DuckDB version that the package of the
    spatial extension needs."""
    folder = ROOT / ".build" / "duckdb" / version
    if not folder.exists():
        pytest.skip(f".ci/duckdb.sh {folder} {version} fetches this version")
    build("duckdb")
    program = (
        "import duckdb; from fencepost import duckdb as extension;"
        "c = duckdb.connect(config={'allow_unsigned_extensions': 'true'}); extension.load(c);"
        'places = "(SELECT fp_places(i::VARCHAR, 47 + i / 100.0, 7.5, 300.0) FROM range(100) t(i))";'
        "c.execute('CREATE TABLE n AS SELECT i, make_timestamp(i * 10000000) AS t FROM range(5000) t(i)');"
        "print(duckdb.__version__, c.execute(f'SELECT len(fp_events({places}, t, 47 + i / 5000.0, 7.5)), "
        "sum(len(fp_containing({places}, 47 + i / 5000.0, 7.5))) FROM n').fetchall())"
    )
    outputs = []
    for path in (str(folder), ""):
        done = subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=True,
        )
        outputs.append(done.stdout.partition(" "))
    assert outputs[0][0] == version
    assert outputs[0][2] == outputs[1][2] != "[(0, 0)]\n"


def test_duckdb_threads_share_places_and_groups_of_any_order() -> None:
    duckdb = pytest.importorskip("duckdb")
    from fencepost import duckdb as extension

    build("duckdb")
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": "4"})
    extension.load(connection)
    connection.execute(
        "CREATE TABLE zones AS SELECT 'z' || i AS id, 47 + i / 500.0 AS lat, 7.5 AS lon FROM range(500) t(i)"
    )
    connection.execute(
        "CREATE TABLE fixes AS SELECT i % 50 AS van, TIMESTAMP '2026-01-01' + to_seconds(i // 50 * 10) AS t, "
        "47 + (i // 50) / 4000.0 + (i % 50) / 100.0 AS lat, 7.5 AS lon FROM range(200000) t(i)"
    )
    places = "(SELECT fp_places(id, lat, lon, 300.0) FROM zones)"
    events = f"unnest(fp_events({places}, t, lat, lon, 0, 'policy=exact'), recursive := true)"
    sql = f"SELECT van, {events} FROM {{}} GROUP BY van"
    one = connection.execute(f"SELECT * FROM ({sql.format('fixes')}) ORDER BY van, sequence").fetchall()
    other = connection.execute(f"SELECT * FROM ({sql.format('(FROM fixes ORDER BY random())')}) ORDER BY van, sequence")
    assert other.fetchall() == one
    assert len(one) > 1000
    # Threads that start at the same time may each compile the same places; DuckDB must still be able to combine their
    # partial aggregates.
    for number in range(20):
        places = f"(SELECT fp_places(id, lat, lon, {300 + number}.0) FROM zones)"
        apart = (
            f"SELECT sum(len(found)) FROM (SELECT fp_events({places}, t, lat, lon) AS found FROM fixes GROUP BY van)"
        )
        ((total,),) = connection.execute(apart).fetchall()
        assert total > 1000


@pytest.fixture
def postgis(server: Server) -> PostgreSQL:
    host = PostgreSQL(server)
    try:
        host.run("CREATE EXTENSION IF NOT EXISTS postgis SCHEMA public")
    except host.errors:
        pytest.skip("PostGIS is not installed: .ci/postgresql.sh")
    host.run("SELECT fencepost.with_postgis()")
    return host


def test_postgis_geometry_and_geography_are_accepted(postgis: PostgreSQL) -> None:
    rows, conditions = zones(42, 30)
    kept = [(name, wkb) for name, wkb, options in rows if options is None]
    postgis.run("DROP TABLE IF EXISTS shapes")
    postgis.run("CREATE TABLE shapes(id text, flat geometry(Geometry, 4326), round geography)")
    for name, wkb in kept:
        postgis.run(
            "INSERT INTO shapes VALUES (%s, ST_GeomFromWKB(%s, 4326), ST_GeomFromWKB(%s, 4326))", (name, wkb, wkb)
        )
    planar, round_ = Zones(), Zones()
    for name, wkb in kept:
        planar.add(conditions[name], name)
        round_.add(Polygon(shapely.from_wkb(wkb), edges="geodesic"), name)
    for latitude, longitude in [(47.55, 7.6), (47.52, 7.55), (47.58, 7.65)]:
        for column, table in (("flat", planar), ("round", round_)):
            point = f"ST_Point({longitude}, {latitude}, 4326)"
            sql = f"SELECT fp_containing((SELECT fp_places(id, {column}) FROM shapes), {point})"
            assert postgis.run(sql) == [(sorted(table.containing(latitude, longitude)),)]


def test_postgis_geometries_with_more_or_fewer_dimensions(postgis: PostgreSQL) -> None:
    places = "fp_places('a', ST_GeomFromText('{}', 4326))"
    for shape in (
        "POLYGON Z((7 47 1, 8 47 1, 8 48 1, 7 48 1, 7 47 1))",
        "POLYGON M((7 47 1, 8 47 1, 8 48 1, 7 48 1, 7 47 1))",
        "POLYGON ZM((7 47 1 2, 8 47 1 2, 8 48 1 2, 7 48 1 2, 7 47 1 2))",
        "MULTIPOLYGON Z(((7 47 NaN, 8 47 NaN, 8 48 NaN, 7 48 NaN, 7 47 NaN)))",
    ):
        assert postgis.run(f"SELECT fp_containing({places.format(shape)}, 47.5, 7.5)") == [(["a"],)]
    for bad in ("POLYGON EMPTY", "MULTIPOLYGON EMPTY", "POINT EMPTY", "GEOMETRYCOLLECTION EMPTY", "MULTIPOINT((7 47))",
                "CURVEPOLYGON(CIRCULARSTRING(0 0, 4 0, 4 4, 0 4, 0 0))", "TIN(((0 0 0, 0 0 1, 0 1 0, 0 0 0)))",
                "POLYGON((7 47, 8 NaN, 8 48, 7 47))"):  # fmt: skip
        with pytest.raises(postgis.errors, match='place "a"'):
            postgis.run(f"SELECT {places.format(bad)}")
    with pytest.raises(postgis.errors, match="latitude is nan"):
        postgis.run("SELECT fp_places('a', ST_GeomFromText('POINT EMPTY', 4326), 'radius=100')")


def test_postgis_points_of_questions(postgis: PostgreSQL) -> None:
    places = "(SELECT fp_places('a', ST_GeomFromText('POLYGON((7 47, 8 47, 8 48, 7 48, 7 47))', 4326)))"

    def asked(point: str) -> Any:
        return postgis.run(f"SELECT fp_containing({places}, {point})")[0][0]

    for point in (
        "ST_Point(7.5, 47.5, 4326)",
        "ST_MakePoint(7.5, 47.5)",
        "ST_SetSRID(ST_MakePoint(7.5, 47.5, 9), 4326)",
    ):
        assert asked(point) == ["a"]
    assert asked("ST_GeomFromText('POINT EMPTY', 4326)") is None
    assert asked("NULL::geometry") is None
    # Metres near the origin of EPSG:3857 look like degrees.
    for bad, match in (
        ("ST_Point(7.5, 47.5, 3857)", "3857.*4326"),
        ("ST_Point(181, 47, 4326)", "181"),
        ("ST_GeomFromText('LINESTRING(7 47, 8 48)', 4326)", "not a point"),
    ):
        with pytest.raises(postgis.errors, match=match):
            asked(bad)


def test_postgis_agrees_within_a_distance(postgis: PostgreSQL) -> None:
    """`ST_DWithin` with geographies answers the same question as our circles do; PostGIS' tolerance is 1e-8 m or
    more."""
    postgis.run("DROP TABLE IF EXISTS a, b")
    postgis.run("SELECT setseed(0.3)")
    postgis.run("CREATE TABLE a AS SELECT i, 47 + random() AS lat, 7 + random() AS lon FROM generate_series(1, 2000) i")
    postgis.run("CREATE TABLE b AS SELECT i::text AS id, lat, lon FROM a WHERE i % 40 = 0")
    ours = postgis.run(
        "SELECT i, unnest(fp_containing((SELECT fp_places(id, lat, lon, 5000) FROM b), lat, lon)) FROM a ORDER BY 1, 2"
    )
    theirs = postgis.run(
        "SELECT a.i, b.id FROM a, b WHERE ST_DWithin(ST_Point(a.lon, a.lat, 4326)::geography, "
        "ST_Point(b.lon, b.lat, 4326)::geography, 5000) ORDER BY 1, 2"
    )
    assert ours == theirs
    assert len(ours) > 500
