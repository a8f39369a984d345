"""Tests the databases with many places, with little memory and with cancelled statements: each database reports its own
error and continues."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from conftest import PLACES, DuckDB, Host, PostgreSQL, Server, SQLite, build
from worlds import drive, zones

from fencepost import replay

MANY = 100_000


@pytest.fixture
def postgresql(server: Server) -> PostgreSQL:
    return PostgreSQL(server)


def numbers(host: Host, count: int) -> str:
    """A subquery that yields the integers i, starting at 0."""
    if host.name == "sqlite":
        return (
            f"(WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < {count - 1}) SELECT i FROM n)"
        )
    return {"duckdb": f"range({count}) n(i)", "postgresql": f"generate_series(0, {count - 1}) n(i)"}[host.name]


def test_a_hundred_thousand_places_are_one_value(host: Host) -> None:
    host.run("DROP TABLE IF EXISTS sets")
    label = "'p' || i" if host.name == "sqlite" else "'p' || i::text"
    circles = f"fp_places({label}, 47 + i / 100000.0, 7.5, 100.0)"
    host.run(f"CREATE TABLE sets AS SELECT {circles} AS places FROM {numbers(host, MANY)}")
    places = "(SELECT places FROM sets)"
    if host.name == "sqlite":
        found = {name for (name,) in host.run(f"SELECT place FROM fp_containing({places}, 47.5, 7.5)")}
        ((name, distance),) = host.run(f"SELECT place, distance FROM fp_nearest({places}, 47.5, 7.5, 1)")
    else:
        found = {name for (name,) in host.run(f"SELECT unnest(fp_containing({places}, 47.5, 7.5))")}
        unnested = f"unnest(fp_nearest({places}, 47.5, 7.5, 1), recursive := true)"
        table = f"* FROM fp_nearest({places}, 47.5, 7.5, 1)" if host.name == "postgresql" else unnested
        ((name, distance),) = host.run(f"SELECT {table}")
    # A degree of latitude is 111.18 km at the latitude of this test, so a distance of 100 m equals 89.95 times the
    # distance between neighbouring places.
    assert name in ("p49910", "p50090") and 0 < distance < 1
    assert found == {f"p{number}" for number in range(50000 - 89, 50000 + 90)}
    host.run("DROP TABLE sets")


CHILD = """
import resource, sys
import apsw
from fencepost import sqlite

connection = apsw.Connection(":memory:")
sqlite.load(connection)
run = lambda sql: list(connection.execute(sql))
run("CREATE TABLE n(i)")
run("WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < 99999) INSERT INTO n SELECT i FROM n")
replay = "SELECT count(*) FROM fp_{}('SELECT i % 5, i, 47 + i % 1000 / 1000.0, 7.0 FROM n', {})"
containing = "SELECT count(*) FROM n, fp_containing({}, 47 + i % 1000 / 1000.0, 7.0)"
places = "(SELECT fp_places('p' || i, 47 + i / 10000.0, 7.0, 20.0) FROM n WHERE i < {})".format
statements = [containing.format(places(count)) for count in (10000, 300)]
statements += [replay.format(name, places(count)) for name in ("events", "visits") for count in (300, 10000)]
(size,) = [int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith("VmSize")]
limit = size + int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
for sql in statements:
    try:
        print(run(sql)[0][0], end=" ")
    except apsw.NoMemError:
        print("refused", end=" ")
    assert run("SELECT 1") == [(1,)]
"""


def test_sqlite_a_process_without_memory_continues() -> None:
    """The process has a memory limit. If the engine itself ran out of memory, it would end the process; so the core
    must detect the memory limit before that.

    The test does not run with DuckDB, because DuckDB's own allocator (jemalloc) crashes in its flushing thread if the
    process has a memory limit.
    """
    build("sqlite")
    results = []
    for megabytes in (6, 20, 400):
        command = [sys.executable, "-c", CHILD, str(megabytes << 20)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, (megabytes, done.stderr)
        results.append(done.stdout.split())
    assert results[0].count("refused") >= 2
    assert "refused" not in results[-1]
    assert all(value in ("refused", good) for row in results for value, good in zip(row, results[-1]))


def test_postgresql_a_backend_without_memory_continues(server: Server, postgresql: PostgreSQL) -> None:
    """When a backend reaches its memory limit, its statements fail with SQLSTATE 53200; the server and other sessions
    continue."""
    other = PostgreSQL(server)
    ((started,),) = other.run("SELECT pg_postmaster_start_time()")
    places = "(SELECT fp_places('p' || i, 47 + i / 10000.0, 7.0, 20.0) FROM generate_series(1, {}) i)".format
    other.run(
        "CREATE OR REPLACE VIEW f AS SELECT i, timestamptz 'epoch' + i * interval '1 s' AS t, "
        "47 + i % 1000 / 1000.0 AS lat FROM generate_series(1, 100000) i"
    )
    statements = [f"SELECT sum(cardinality(fp_containing({places(count)}, lat, 7.0))) FROM f" for count in (10000, 300)]
    statements += [
        f"SELECT sum(cardinality(x)) FROM (SELECT {function}({places(count)}, t, lat, 7.0) x FROM f GROUP BY i % 5) g"
        for function in ("fp_events", "fp_visits")
        for count in (300, 10000)
    ]
    outcomes: dict[int, list[Any]] = {}
    for megabytes in (4, 10, 30, 400):
        session = PostgreSQL(server)
        session.run("SELECT fp_version()")
        ((pid,),) = session.run("SELECT pg_backend_pid()")
        with open(f"/proc/{pid}/status") as status:
            (size,) = [int(line.split()[1]) * 1024 for line in status if line.startswith("VmSize")]
        limit = size + (megabytes << 20)
        subprocess.run([*server.as_user, "prlimit", f"--pid={pid}", f"--as={limit}:{limit}"], check=True)
        for sql in statements:
            try:
                ((found,),) = session.run(sql)
            except session.errors as error:
                assert error.sqlstate == "53200", error
                found = "refused"
            outcomes.setdefault(megabytes, []).append(found)
            assert session.run("SELECT 1") == [(1,)]
        session.connection.close()
    assert outcomes[4].count("refused") >= 2
    assert "refused" not in outcomes[400]
    assert other.run("SELECT pg_postmaster_start_time()") == [(started,)]


def test_sqlite_without_memory_changes_nothing() -> None:
    """Every allocation of a feeding statement is made to fail in one of the rounds; afterwards, with enough memory, the
    row is fed again."""
    apsw = pytest.importorskip("apsw")
    build("sqlite")
    host = SQLite()
    rows, conditions = zones(44, 60)
    host.zones(rows)
    host.run("CREATE VIRTUAL TABLE vans USING fencepost_fleet")
    host.run(f"INSERT INTO vans(places, options) VALUES ({PLACES}, 'time=us')")
    rng, refused = random.Random(44), 0
    track = drive(44, 200)
    insert = "INSERT INTO vans(device, time, latitude, longitude, accuracy) VALUES ('van', ?, ?, ?, ?)"
    for fix in track:
        values = (fix.time_us, fix.latitude, fix.longitude, fix.accuracy)
        for _ in range(8):
            apsw.hard_heap_limit(apsw.memory_used() + rng.randrange(15_000))
            try:
                host.run(insert, values)
                break
            except apsw.NoMemError:
                refused += 1
            finally:
                apsw.hard_heap_limit(0)
        else:
            host.run(insert, values)
    assert refused > 50
    found = host.run("SELECT place, state, sequence FROM vans")
    expected = [(e.identifier, str(e.state), e.sequence) for e in replay(track, conditions, assuming="unsatisfied")]
    assert found == expected


def test_sqlite_functions_without_memory() -> None:
    apsw = pytest.importorskip("apsw")
    build("sqlite")
    host = SQLite()
    rows, _ = zones(45, 40)
    host.zones(rows)
    host.fixes([("van", fix.time_us, fix.latitude, fix.longitude, fix.accuracy) for fix in drive(45, 300)])
    query = "SELECT device, time, latitude, longitude, accuracy FROM fixes"
    options = "time=us, path=geodesic, max_gap=600"
    statements: list[tuple[str, tuple[Any, ...]]] = [
        (f"SELECT {PLACES}", ()),
        (f"SELECT * FROM fp_containing({PLACES}, 47.55, 7.6)", ()),
        (f"SELECT * FROM fp_nearest({PLACES}, 47.55, 7.6, 10)", ()),
        (f"SELECT * FROM fp_events(?, {PLACES}, ?)", (query, options)),
        (f"SELECT * FROM fp_visits(?, {PLACES}, ?)", (query, options)),
        (f"SELECT * FROM fp_counts(?, {PLACES}, ?)", (query, f"{options}, plausible_speed=10")),
    ]
    for sql, values in statements:
        expected, refused = host.run(sql, values), 0
        for room in range(0, 300_000, 1500):
            apsw.hard_heap_limit(apsw.memory_used() + room)
            try:
                assert host.run(sql, values) == expected
            except apsw.NoMemError:
                refused += 1
            finally:
                apsw.hard_heap_limit(0)
        assert refused > 1, sql


def test_duckdb_without_memory() -> None:
    duckdb = pytest.importorskip("duckdb")
    build("duckdb")
    host = DuckDB()
    group = "SELECT fp_events({}, make_timestamp(i), 47 + i % 100 / 9.0, 7.0) f FROM n GROUP BY i % 99"
    events = f"SELECT sum(len(f)) FROM ({group})"
    places = "(SELECT fp_places(i::VARCHAR, 47 + i / 9.0, 7.0, 900.0) FROM range(100) t(i))"
    host.run("CREATE TABLE n AS SELECT i FROM range(500000) t(i)")
    ((expected,),) = host.run(events.format(places))
    outcomes = []
    for limit in ("1MB", "4MB", "16MB", "64MB", "1GB"):
        host.run(f"SET memory_limit = '{limit}'")
        try:
            outcomes.append(host.run(events.format(places))[0][0])
        except duckdb.Error as error:
            assert "emory" in str(error)
            outcomes.append("refused")
        assert host.run("SELECT 1") == [(1,)]
    assert outcomes[-1] == expected
    assert set(outcomes) == {expected, "refused"}


@pytest.mark.parametrize("function", ["fp_events", "fp_visits", "fp_counts"])
def test_sqlite_a_replay_can_be_interrupted(function: str) -> None:
    """The interrupt comes after all fixes were read, between two blocks of the replay. If the interrupt does not reach
    the replay, the test tries again."""
    apsw = pytest.importorskip("apsw")
    build("sqlite")
    host, count = SQLite(), 300_000
    is_read = threading.Event()

    def mark(value: int) -> int:
        is_read.set()
        return value

    host.connection.create_scalar_function("mark", mark)
    host.run("CREATE TABLE n(i)")
    host.run(f"INSERT INTO n SELECT i FROM {numbers(host, count)}")
    query = f"SELECT 1, CASE i WHEN {count - 1} THEN mark(i) ELSE i END, 50.0, 7.0 FROM n"
    places = "(SELECT fp_places('p' || i, 47 + i / 1e6, 7.0, 100000.0) FROM n WHERE i < 999)"
    sql = f"SELECT count(*) FROM {function}(?, {places})"

    def stop() -> None:
        is_read.wait()
        host.connection.interrupt()

    for _ in range(100):
        is_read.clear()
        thread = threading.Thread(target=stop)
        thread.start()
        try:
            host.run(sql, (query,))
        except apsw.InterruptError as error:
            if "cancelled" in str(error):
                break
        finally:
            thread.join()
    else:
        pytest.fail("no replay was interrupted")
    assert host.run("SELECT 1") == [(1,)]


def processor_seconds(pid: int) -> float:
    """The processor time of a process with one thread, with a resolution of a nanosecond."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


@pytest.mark.parametrize("function", ["fp_events", "fp_visits", "fp_counts"])
def test_postgresql_a_replay_without_events_can_be_cancelled(postgresql: PostgreSQL, function: str) -> None:
    """Fixes go back and forth over hundreds of boundaries and never dwell, so that the replay takes nearly all the
    time.

    No fix except the first produces an event, and the cancelled statement takes less processor time than the complete
    statement.
    """
    ((pid,),) = postgresql.run("SELECT pg_backend_pid()")
    places = "(SELECT fp_places('p' || i, 47, 7, 1000 + i / 10.0) FROM generate_series(1, 2000) i)"
    fixes = (
        "(SELECT timestamptz 'epoch' + i * interval '1 s' AS t, 47.0101 + i % 2 * 5e-4 AS lat "
        "FROM generate_series(1, 40000) i) f"
    )
    options = "'entry_dwell=100, exit_dwell=100'"
    spent = []
    for timeout in (0, 200):
        postgresql.run(f"SET statement_timeout = {timeout}")
        before = processor_seconds(pid)
        try:
            postgresql.run(f"SELECT {function}({places}, t, lat, 7, 0, {options}) IS NULL FROM {fixes}")
        except postgresql.errors as error:
            assert error.sqlstate == "57014"
        spent.append(processor_seconds(pid) - before)
    postgresql.run("SET statement_timeout = 0")
    assert spent[0] > 0.3 and spent[1] < 0.7 * spent[0]
    assert postgresql.run("SELECT 1") == [(1,)]


def test_duckdb_a_query_can_be_interrupted() -> None:
    duckdb = pytest.importorskip("duckdb")
    build("duckdb")
    host = DuckDB()
    places = "(SELECT fp_places(i::VARCHAR, 47.0, 7 + i / 1e6, 50000.0) FROM range(2000) t(i))"
    sql = f"SELECT sum(len(fp_containing({places}, 47 + i / 1e9, 7.0))) FROM range(20000000) t(i)"
    stop = threading.Timer(0.3, host.connection.interrupt)
    stop.start()
    with pytest.raises(duckdb.InterruptException):
        host.run(sql)
    stop.join()
    assert host.run("SELECT 1") == [(1,)]
