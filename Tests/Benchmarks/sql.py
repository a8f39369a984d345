"""Measures the SQL extensions and, in the same run, DuckDB's spatial extension, PostGIS and the package; prints the
ratios of the times.

    .venv/bin/python Tests/Benchmarks/sql.py

The program needs the dependency groups `sql` and `tools`, and `.ci/postgresql.sh` for the measurements of PostgreSQL;
it prints a line for each part that it skips. Times are processor seconds of the process (DuckDB) or of its single
backend (PostgreSQL).
"""

from __future__ import annotations

import resource
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bindings" / "sql" / "tests"))
from conftest import Server, build  # noqa: E402
from test_limits import processor_seconds  # noqa: E402

RUNS = 3


def processor(run: Callable[[], Any]) -> tuple[float, Any]:
    """The median processor seconds of the runs, and the result."""
    spent, result = [], None
    for _ in range(RUNS):
        before = resource.getrusage(resource.RUSAGE_SELF)
        result = run()
        after = resource.getrusage(resource.RUSAGE_SELF)
        spent.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return median(spent), result


def told(what: str, ours: float, theirs: float, bar: str) -> None:
    print(f"{what:<62} {ours:8.3f} s {theirs:8.3f} s {ours / theirs:7.3f} x {theirs / ours:8.1f} x   {bar}")


def duckdb_rows(folder: Path) -> None:
    import duckdb
    import duckdb_extension_spatial

    import fencepost
    from fencepost import duckdb as extension

    build("duckdb")
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": "2"})
    extension.load(connection)
    (spatial,) = Path(duckdb_extension_spatial.__file__).parent.rglob("spatial.duckdb_extension")
    connection.execute(f"LOAD '{spatial}'")

    def ask(sql: str) -> Any:
        return connection.execute(sql).fetchall()

    ask("SELECT setseed(0.5)")
    ask(
        "CREATE TABLE zones AS SELECT i::VARCHAR AS id, ST_Buffer(ST_Point(7 + random(), 47 + random()), 0.05) AS g "
        "FROM range(500) t(i)"
    )
    ask("CREATE TABLE points AS SELECT i, 47 + random() AS lat, 7 + random() AS lon FROM range(1000000) t(i)")
    ask("CREATE TABLE shapes AS SELECT i, ST_Point(lon, lat) AS g FROM points")
    places = "(SELECT fp_places(id, ST_AsWKB(g)) FROM zones)"
    pairs = f"SELECT count(*) FROM (SELECT unnest(fp_containing({places}, lat, lon)) FROM points)"
    ours, _ = processor(lambda: ask(pairs))
    theirs, _ = processor(lambda: ask("SELECT count(*) FROM shapes p JOIN zones z ON ST_Contains(z.g, p.g)"))
    told("DuckDB: 1 M points in 500 polygons, geodesic / planar", ours, theirs, "at most 0.8 x")

    circles = "(SELECT fp_places(i::VARCHAR, lat, lon, 1000.0) FROM points WHERE i < 1000)"
    near = f"SELECT count(*) FROM (SELECT unnest(fp_containing({circles}, lat, lon)) FROM points WHERE i < 1000)"
    spheroid = (
        "SELECT count(*) FROM points a, points b WHERE a.i < 1000 AND b.i < 1000 AND "
        "ST_DWithin_Spheroid(ST_Point2D(a.lat, a.lon), ST_Point2D(b.lat, b.lon), 1000)"
    )
    ours, ours_found = processor(lambda: ask(near))
    theirs, theirs_found = processor(lambda: ask(spheroid))
    told("DuckDB: 1 000 x 1 000 within 1 km on the spheroid", ours, theirs, "at least 50 x faster")
    if ours_found != theirs_found:
        print(f"  pairs differ: {ours_found} and {theirs_found}")

    ask(
        "CREATE TABLE fixes AS SELECT i % 100 AS van, TIMESTAMP '2026-01-01' + to_seconds(i // 100) AS time, "
        "47.5 + 0.05 * sin(i // 100 / 500.0 + i % 100) AS latitude, "
        "7.5 + 0.05 * cos(i // 100 / 700.0 + i % 100) AS longitude FROM range(1000000) t(i)"
    )
    ask(
        "CREATE TABLE spots AS SELECT 'p' || i AS id, 47.45 + random() * 0.1 AS latitude, "
        "7.45 + random() * 0.1 AS longitude, 500.0 AS radius FROM range(500) t(i)"
    )
    parquet, conditions = folder / "fixes.parquet", folder / "spots.parquet"
    ask(f"COPY fixes TO '{parquet}'")
    ask(f"COPY spots TO '{conditions}'")
    spots = "(SELECT fp_places(id, latitude, longitude, radius) FROM spots)"
    events = (
        f"SELECT count(*) FROM (SELECT unnest(fp_events({spots}, time, latitude, longitude)) FROM fixes GROUP BY van)"
    )
    ours, ours_found = processor(lambda: ask(events)[0][0])
    theirs, theirs_found = processor(lambda: len(fencepost.replay(parquet, conditions, device="van")))
    told("DuckDB: events of 1 M rows / replay of the Parquet file", ours, theirs, "at most 1.3 x")
    if ours_found != theirs_found:
        print(f"  events differ: {ours_found} and {theirs_found}")


def postgresql_rows() -> None:
    server = Server()
    try:
        connection = server.connect()
        ((pid,),) = connection.execute("SELECT pg_backend_pid()").fetchall()
        connection.execute("SET max_parallel_workers_per_gather = 0")

        def timed(sql: str) -> tuple[float, Any]:
            spent, found = [], None
            for _ in range(RUNS):
                before = processor_seconds(pid)
                found = connection.execute(sql).fetchall()
                spent.append(processor_seconds(pid) - before)
            return median(spent), found

        connection.execute("CREATE EXTENSION IF NOT EXISTS postgis SCHEMA public")
        connection.execute("SELECT setseed(0.5)")
        connection.execute(
            "CREATE TABLE fixes AS SELECT i % 100 AS van, timestamptz '2026-01-01' + (i / 100) * interval '1 s' AS t, "
            "47.5 + 0.05 * sin(i / 100 / 500.0 + i % 100) AS lat, 7.5 + 0.05 * cos(i / 100 / 700.0 + i % 100) AS lon "
            "FROM generate_series(0, 999999) i"
        )
        connection.execute(
            "CREATE TABLE spots AS SELECT 'p' || i AS id, 47.45 + random() * 0.1 AS lat, 7.45 + random() * 0.1 AS lon, "
            "500.0::float8 AS r FROM generate_series(1, 500) i"
        )
        spots = "(SELECT fp_places(id, lat, lon, r) FROM spots)"
        spent, ((count,),) = timed(
            "SELECT sum(cardinality(found)) FROM "
            f"(SELECT fp_events({spots}, t, lat, lon) AS found FROM fixes GROUP BY van) x"
        )
        print(f"PostgreSQL: events of 1 M rows: {1 / spent:.2f} M rows/s, {count} events   at least 1 M rows/s")
        # Row W4-100k: unrelated points on the globe; each lies in 0.8 circles on average.
        for table, count, radius in (("p", 100000, ""), ("z", 100000, ", 20000.0::float8 AS r")):
            connection.execute(
                f"CREATE TABLE {table} AS SELECT i::text AS id, lat, lon, ST_Point(lon, lat)::geography AS g{radius} "
                "FROM (SELECT i, degrees(asin(2 * random() - 1)) AS lat, 360 * random() - 180 AS lon "
                f"FROM generate_series(1, {count}) i) s"
            )
            connection.execute(f"CREATE INDEX ON {table} USING gist(g)")
        connection.execute("ANALYZE")
        circles = "(SELECT fp_places(id, lat, lon, r) FROM z)"
        ours, ours_found = timed(f"SELECT sum(cardinality(fp_containing({circles}, lat, lon))) FROM p")
        theirs, theirs_found = timed("SELECT count(*) FROM p JOIN z ON ST_DWithin(p.g, z.g, z.r)")
        told("PostgreSQL: 100 000 points in 100 000 circles / geography", ours, theirs, "at least 10 x faster")
        if ours_found != theirs_found:
            print(f"  pairs differ: {ours_found} and {theirs_found}")
        connection.close()
    finally:
        server.remove()


def main() -> None:
    print(f"{'':<62} {'ours':>10} {'theirs':>10} {'ratio':>9} {'faster':>10}")
    for rows in (lambda: duckdb_rows(Path(tempfile.mkdtemp())), postgresql_rows):
        try:
            rows()
        except ImportError as error:
            print(f"left out: {error}")


if __name__ == "__main__":
    main()
