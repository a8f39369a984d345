"""Tests what happens in uses that the guide does not mention: nested transactions, several connections, window
functions and damaged rows."""

from __future__ import annotations

import random
import threading
from pathlib import Path
from typing import Any

import pytest
from conftest import PLACES, DuckDB, PostgreSQL, Server, SQLite, build
from test_fleets import expected, feed_postgresql, feed_sqlite
from worlds import damaged, drive, zones

from fencepost import Fix


def opened(file: Path | str, **how: Any) -> SQLite:
    apsw = pytest.importorskip("apsw")
    from fencepost import sqlite

    build("sqlite")
    host = SQLite()
    host.connection = apsw.Connection(str(file), **how)
    host.connection.set_busy_timeout(10_000)
    host.run("PRAGMA synchronous = OFF")
    sqlite.load(host.connection)
    return host


def fleet(file: Path | str, seed: int) -> tuple[SQLite, dict[str, Any]]:
    host = opened(file)
    rows, conditions = zones(seed, 60)
    host.zones(rows)
    host.run("CREATE VIRTUAL TABLE vans USING fencepost_fleet")
    host.run(f"INSERT INTO vans(places, options) VALUES ({PLACES}, 'time=us')")
    return host, conditions


EVENTS = "SELECT device, place, state, sequence FROM vans"


def test_sqlite_two_connections_feed_one_fleet(tmp_path: Path) -> None:
    first, conditions = fleet(tmp_path / "a.db", 50)
    first.run("PRAGMA journal_mode = WAL")
    second = opened(tmp_path / "a.db")
    track = drive(50, 200)
    for number, fix in enumerate(track):
        feed_sqlite((first, second)[number // 3 % 2], "van", fix)
    found = second.run(EVENTS)
    assert len(found) == len(set(found)) and set(found) == expected({"van": track}, conditions)


def test_sqlite_a_change_that_was_rolled_back_is_forgotten(tmp_path: Path) -> None:
    """The first connection sets places in a transaction and rolls the transaction back; then the second connection sets
    other places."""
    first, _ = fleet(tmp_path / "a.db", 51)
    second = opened(tmp_path / "a.db")
    insert = "INSERT INTO vans(device, time, latitude, longitude) VALUES ('van', ?, 10, 10)"
    first.run("BEGIN")
    first.run("INSERT INTO vans(places) SELECT fp_places('ghost', 10.0, 10.0, 500.0)")
    first.run(insert, (1,))
    first.run("ROLLBACK")
    second.run("INSERT INTO vans(places) SELECT fp_places('real', 10.0, 10.0, 500.0)")
    first.run(insert, (2,))
    assert {place for (place,) in first.run("SELECT place FROM vans")} == {"real"}


def test_sqlite_savepoints_and_triggers(tmp_path: Path) -> None:
    host, conditions = fleet(":memory:", 52)
    host.run("CREATE TABLE log(van, at, lat, lon, acc)")
    host.run(
        "CREATE TRIGGER feeds AFTER INSERT ON log BEGIN INSERT INTO vans(device, time, latitude, longitude, accuracy) "
        "VALUES (NEW.van, NEW.at, NEW.lat, NEW.lon, NEW.acc); "
        "SELECT RAISE(ABORT, 'no') WHERE NEW.van = 'ghost'; END"
    )
    track = drive(52, 200)
    insert = "INSERT INTO log VALUES (?, ?, ?, ?, ?)"
    for fix in track:
        values = (fix.time_us, fix.latitude, fix.longitude, fix.accuracy)
        host.run("SAVEPOINT a")
        host.run(insert, ("van", *values))
        host.run("ROLLBACK TO a")
        host.run("RELEASE a")
        with pytest.raises(host.errors, match="no"):
            host.run(insert, ("ghost", *values))
        host.run(insert, ("van", *values))
    assert set(host.run(EVENTS)) == expected({"van": track}, conditions)
    assert host.run("SELECT device FROM vans_devices") == [("van",)]


def test_sqlite_copies_attached_and_read_only_databases(tmp_path: Path) -> None:
    apsw = pytest.importorskip("apsw")
    host, conditions = fleet(tmp_path / "a.db", 53)
    track = drive(53, 150)
    for fix in track[:50]:
        feed_sqlite(host, "van", fix)
    host.run(f"VACUUM INTO '{tmp_path / 'copy.db'}'")
    host.run("VACUUM")
    host.run(f"ATTACH '{tmp_path / 'copy.db'}' AS copy")
    for fix in track[50:100]:
        feed_sqlite(host, "van", fix)
        host.run(
            "INSERT INTO copy.vans(device, time, latitude, longitude, accuracy) VALUES ('van', ?, ?, ?, ?)",
            (fix.time_us, fix.latitude, fix.longitude, fix.accuracy),
        )
    host.run("DETACH copy")
    copy = opened(tmp_path / "copy.db")
    for fix in track[100:]:
        feed_sqlite(host, "van", fix)
        feed_sqlite(copy, "van", fix)
    assert set(host.run(EVENTS)) == set(copy.run(EVENTS)) == expected({"van": track}, conditions)
    only = opened(tmp_path / "copy.db", flags=apsw.SQLITE_OPEN_READONLY)
    assert set(only.run(EVENTS)) == expected({"van": track}, conditions)
    with pytest.raises(apsw.ReadOnlyError):
        feed_sqlite(only, "van", Fix(47.5, 7.5, time=2 * 10**15))
    with pytest.raises(apsw.ReadOnlyError):
        only.run("DELETE FROM vans")


def test_sqlite_renaming_dropping_and_open_statements() -> None:
    host, conditions = fleet(":memory:", 54)
    track = drive(54, 120)
    for number, fix in enumerate(track):
        if number == 60:
            reading = host.connection.execute("SELECT * FROM vans")
            next(reading)
            with pytest.raises(host.errors, match="locked"):
                host.run("DROP TABLE vans")
            reading.close()
            host.run("ALTER TABLE vans RENAME TO \"the 'vans'\"")
            host.run("ALTER TABLE \"the 'vans'\" RENAME TO vans")
        feed_sqlite(host, "van", fix)
    assert set(host.run(EVENTS)) == expected({"van": track}, conditions)
    # Feed the positions of events back as inputs while the events are being read.
    columns = "device, time, latitude, longitude"
    host.run(f"INSERT OR IGNORE INTO vans({columns}) SELECT 'echo', time, latitude, longitude FROM vans")
    assert "echo" in {device for (device,) in host.run("SELECT device FROM vans_devices")}
    host.run("DROP TABLE vans")
    assert host.run("SELECT name FROM sqlite_schema WHERE name LIKE 'vans%'") == []


def test_sqlite_devices_are_names() -> None:
    host, _ = fleet(":memory:", 55)
    insert = "INSERT OR IGNORE INTO vans(device, time, latitude, longitude) VALUES (?, ?, 47.5, 7.5)"
    host.run(insert, (1, 1))
    host.run(insert, ("1", 2))
    host.run(insert, (1.0, 3))
    assert host.run("SELECT device FROM vans_devices") == [("1",), ("1.0",)]
    for bad, match in ((b"1", "BLOB"), (None, "NULL"), ("", "1 to 256"), ("x" * 257, "256"), ("a\0b", "zero byte")):
        with pytest.raises(host.errors, match=match):
            host.run("INSERT INTO vans(device, time, latitude, longitude) VALUES (?, 9, 47.5, 7.5)", (bad,))


def test_sqlite_damaged_rows_of_devices_are_errors() -> None:
    """If arbitrary bytes are loaded as the state of a device, they are either refused with a message or accepted as a
    valid state; they never cause a crash."""
    host, _ = fleet(":memory:", 56)
    for fix in drive(56, 60):
        feed_sqlite(host, "van", fix)
    ((good,),) = host.run("SELECT state FROM vans_devices")
    rng, refused = random.Random(56), 0
    insert = "INSERT INTO vans(device, time, latitude, longitude) VALUES ('van', ?, 47.5, 7.5)"
    for _ in range(200):
        bad = damaged(rng, good)
        host.run("UPDATE vans_devices SET state = ?", (bad,))
        try:
            host.run(insert, (2 * 10**15,))
        except host.errors:
            refused += 1
        host.run("UPDATE vans_devices SET state = ?", (good,))
    assert refused > 150
    host.run("UPDATE vans_devices SET state = NULL")
    host.run(insert, (2 * 10**15,))
    host.run("DELETE FROM vans_setup")
    with pytest.raises(host.errors, match="setup is empty"):
        host.run(insert, (3 * 10**15,))


def test_sqlite_a_schema_that_is_not_trusted_runs_no_query() -> None:
    host = SQLite()
    host.run("CREATE TABLE log(van, at, lat, lon)")
    host.run("INSERT INTO log VALUES ('a', 0, 47.5, 7.5)")
    places = "(SELECT fp_places('p', 47.5, 7.5, 9.0))"
    host.run(f"CREATE VIEW inside AS SELECT * FROM fp_containing({places}, 47.5, 7.5)")
    host.run(f"CREATE VIEW hidden AS SELECT * FROM fp_events('SELECT * FROM log', {places})")
    assert len(host.run("SELECT * FROM inside")) == len(host.run("SELECT * FROM hidden")) == 1
    host.run("PRAGMA trusted_schema = OFF")
    assert len(host.run("SELECT * FROM inside")) == 1
    with pytest.raises(host.errors, match="unsafe"):
        host.run("SELECT * FROM hidden")


def test_duckdb_windows_do_not_consume_their_rows() -> None:
    """When an aggregate is a window function, DuckDB combines the state of the same rows into several other states, so
    combining must not consume a state."""
    build("duckdb")
    host = DuckDB()
    places = "(SELECT fp_places(i::VARCHAR, 47 + i / 100.0, 7.5, 300.0) FROM range(100) t(i))"
    host.run(f"CREATE TABLE s AS SELECT {places} AS places")
    host.run(
        "CREATE TABLE n AS SELECT i, make_timestamp(i * 10000000) AS t, 47 + i / 800.0 AS lat FROM range(800) t(i)"
    )
    frame = "OVER (ORDER BY i ROWS BETWEEN 99 PRECEDING AND CURRENT ROW)"
    events = "fp_events((SELECT places FROM s), t, lat, 7.5, 0, 'policy=exact')"
    found = dict(host.run(f"SELECT i, len({events} {frame}) FROM n ORDER BY i"))
    for i in (0, 50, 99, 100, 333, 799):
        assert host.run(f"SELECT len({events}) FROM n WHERE i BETWEEN ? AND ?", (i - 99, i)) == [(found[i],)]
    sets = f"SELECT i, octet_length(fp_places(i::VARCHAR, lat, 7.5, 10.0) {frame}) FROM n ORDER BY i"
    sizes = dict(host.run(sets))
    alone = "SELECT octet_length(fp_places(i::VARCHAR, lat, 7.5, 10.0)) FROM n WHERE i BETWEEN 700 AND 799"
    assert host.run(alone) == [(sizes[799],)]


def test_duckdb_many_threads_null_groups_and_parameters() -> None:
    build("duckdb")
    host = DuckDB()
    host.run("SET threads = 64")
    host.run(
        "CREATE TABLE n AS SELECT nullif(i % 7, 0) AS van, make_timestamp(i * 1000000) AS t, "
        "47 + (i // 7 % 1000) / 1000.0 AS lat FROM range(400000) t(i)"
    )
    host.run(
        "CREATE TABLE s AS SELECT fp_places(i::VARCHAR, 47 + i / 100.0, 7.5, 300.0) AS places FROM range(100) t(i)"
    )
    events = "SELECT van, fp_events((SELECT places FROM s), t, lat, 7.5) AS found FROM n GROUP BY van ORDER BY van"
    found = host.run(events)
    assert [van for van, _ in found] == [1, 2, 3, 4, 5, 6, None]
    host.run("SET threads = 1")
    assert host.run(events) == found
    ((places,),) = host.run("SELECT places FROM s")
    cursors = [host.connection.cursor() for _ in range(8)]
    answers: list[Any] = []
    sql = "SELECT sum(len(fp_containing(?::BLOB, lat, 7.5))) FROM n"
    threads = [
        threading.Thread(target=lambda cursor=cursor: answers.append(cursor.execute(sql, [places]).fetchall()))
        for cursor in cursors
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 8 and all(answer == answers[0] for answer in answers)


def test_duckdb_loads_twice_and_into_two_databases() -> None:
    duckdb = pytest.importorskip("duckdb")
    from fencepost import duckdb as extension

    build("duckdb")
    connections = [duckdb.connect(config={"allow_unsigned_extensions": "true"}) for _ in range(2)]
    for connection in connections * 2:
        extension.load(connection)
    versions = [connection.execute("SELECT fp_version()").fetchall() for connection in connections]
    assert versions[0] == versions[1]


@pytest.fixture
def postgresql(server: Server) -> PostgreSQL:
    host = PostgreSQL(server)
    host.run("DELETE FROM fleets")
    return host


def test_postgresql_savepoints_and_exception_blocks(postgresql: PostgreSQL) -> None:
    rows, conditions = zones(60, 60)
    postgresql.zones(rows)
    postgresql.run(f"SELECT create_fleet('vans', {PLACES})")
    track = drive(60, 150)
    for fix in track:
        postgresql.run("BEGIN")
        postgresql.run("SAVEPOINT a")
        feed_postgresql(postgresql, "van", fix)
        postgresql.run("ROLLBACK TO a")
        postgresql.run(
            "DO $$ BEGIN PERFORM fencepost.feed('vans', 'van', '2100-01-01', 47.5, 7.5); PERFORM 1 / 0; "
            "EXCEPTION WHEN division_by_zero THEN NULL; END $$"
        )
        feed_postgresql(postgresql, "van", fix)
        postgresql.run("COMMIT")
    found = postgresql.run("SELECT device, place, state, sequence FROM events")
    assert set(found) == expected({"van": track}, conditions)


def test_postgresql_snapshots_that_are_old_are_serialization_failures(server: Server, postgresql: PostgreSQL) -> None:
    """With repeatable reads, feeding a device fails if another transaction has fed the device since this transaction
    took its snapshot."""
    rows, conditions = zones(61, 60)
    postgresql.zones(rows)
    postgresql.run(f"SELECT create_fleet('vans', {PLACES})")
    other = PostgreSQL(server)
    track = drive(61, 90)
    failures = 0
    for number, fix in enumerate(track):
        postgresql.run("BEGIN ISOLATION LEVEL REPEATABLE READ")
        postgresql.run("SELECT count(*) FROM devices")
        if number % 3 == 1:
            feed_postgresql(other, "van", fix)
        try:
            late = feed_postgresql(postgresql, "van", fix)
            assert late is not None
            postgresql.run("COMMIT")
        except postgresql.errors as error:
            assert error.sqlstate == "40001"
            failures += 1
            postgresql.run("ROLLBACK")
            assert number % 3 == 1
    assert failures == 30
    found = postgresql.run("SELECT device, place, state, sequence FROM events")
    assert len(found) == len(set(found)) and set(found) == expected({"van": track}, conditions)


def test_postgresql_places_change_while_another_session_feeds(server: Server, postgresql: PostgreSQL) -> None:
    postgresql.run("SELECT create_fleet('vans', (SELECT fp_places('old', 10, 10, 500)), 'policy=exact')")
    other = PostgreSQL(server)
    sql = "SELECT feed('vans', %s, timestamptz 'epoch' + %s * interval '1 s', 10, 10)"
    other.run(sql, ("a", 1))
    postgresql.run("BEGIN")
    postgresql.run("SELECT set_places('vans', (SELECT fp_places('new', 10, 10, 400)))")
    postgresql.run(sql, ("b", 1))
    other.run(sql, ("a", 2))  # the change is not committed yet
    postgresql.run("ROLLBACK")
    other.run(sql, ("b", 3))
    assert set(other.run("SELECT device, place FROM events")) == {("a", "old"), ("b", "old")}
    postgresql.run("SELECT set_places('vans', (SELECT fp_places('new', 10, 10, 400)))")
    other.run(sql, ("a", 4))
    assert ("a", "new") in other.run("SELECT device, place FROM events")


def test_postgresql_read_only_and_foreign_roles(server: Server, postgresql: PostgreSQL) -> None:
    postgresql.run("SELECT create_fleet('vans', (SELECT fp_places('a', 10, 10, 500)))")
    postgresql.run("BEGIN READ ONLY")
    with pytest.raises(postgresql.errors) as raised:
        postgresql.run("SELECT feed('vans', 'a', now(), 10, 10)")
    assert raised.value.sqlstate == "25006"
    postgresql.run("ROLLBACK")
    postgresql.run("DROP ROLE IF EXISTS guest")
    postgresql.run("CREATE ROLE guest")
    postgresql.run("SET ROLE guest")
    try:
        for sql in ("SELECT fencepost.feed('vans', 'a', now(), 10, 10)", "CREATE EXTENSION cube"):
            with pytest.raises(postgresql.errors) as raised:
                postgresql.run(sql)
            assert raised.value.sqlstate == "42501"
    finally:
        postgresql.run("RESET ROLE")


def test_postgresql_prepared_statements_and_parallel_workers(postgresql: PostgreSQL) -> None:
    rows, _ = zones(62, 60)
    postgresql.zones(rows)
    postgresql.run("DROP TABLE IF EXISTS many")
    postgresql.run(
        "CREATE TABLE many AS SELECT i, 47.48 + 0.14 * random() AS lat, 7.48 + 0.24 * random() AS lon "
        "FROM generate_series(1, 20000) i"
    )
    postgresql.run("ANALYZE many")
    postgresql.run("PREPARE asked(bytea) AS SELECT sum(cardinality(fp_containing($1, lat, lon))) FROM many")
    ((all_places,),) = postgresql.run(f"SELECT {PLACES}")
    one = "(SELECT fp_places(id, geometry, options) FROM zones WHERE id = 'zone 00')"
    sql = "EXECUTE asked('\\x{}')".format
    ((one_place,),) = postgresql.run(f"SELECT {one}")
    serial = [postgresql.run(sql(places.hex()))[0][0] for places in (all_places, one_place) * 4]
    assert serial == serial[:2] * 4 and serial[0] > serial[1]
    postgresql.run("SET parallel_setup_cost = 0")
    postgresql.run("SET parallel_tuple_cost = 0")
    postgresql.run("SET min_parallel_table_scan_size = 0")
    postgresql.run("DEALLOCATE asked")
    sql_all = f"SELECT sum(cardinality(fp_containing({PLACES}, lat, lon))) FROM many"
    plan = "\n".join(line for (line,) in postgresql.run(f"EXPLAIN {sql_all}"))
    assert "Parallel Seq Scan on many" in plan
    assert postgresql.run(sql_all)[0][0] == serial[0]
    unsafe = postgresql.run(
        "SELECT proname FROM pg_proc WHERE pronamespace = 'fencepost'::regnamespace AND proparallel <> 's' ORDER BY 1"
    )
    assert [name for (name,) in unsafe] == ["create_fleet", "feed", "fp_fleet_step", "set_places", "with_postgis"]


def test_errors_of_postgresql_have_a_state_and_name_the_row(postgresql: PostgreSQL) -> None:
    for sql, state, match in (
        ("SELECT fp_distance(91, 0, 0, 0)", "22023", "91"),
        ("SELECT fp_containing('\\x00', 1, 2)", "22023", r"byte \d+"),
        ("SELECT fp_containing((SELECT fp_places('a', 1, 2, 3)), 'NaN', 2)", "22023", "nan"),
        ("SELECT fp_places('spot', 1, 2, -3)", "22023", '"spot"'),
        ("SELECT fp_places('spot', NULL, 2, 3)", "22004", '"spot"'),
        ("SELECT fp_events((SELECT fp_places('a', 1, 2, 3)), now(), 91, 2)", "22023", "latitude 91"),
        ("SELECT fp_events((SELECT fp_places('a', 1, 2, 3)), 'infinity', 1, 2)", "22023", "time .*range"),
        ("SELECT fp_nearest((SELECT fp_places('a', 1, 2, 3)), 1, 2, 0)", "22023", r"\bk\b"),
        ("SELECT feed('none', 'a', now())", "P0002", "no fleet none"),
        ("SELECT fp_contains('\\x0103'::bytea, 1, 2)", "22023", "binary"),
        ("SELECT fp_contains(1, 1, 2)", "42883", "fp_contains"),
    ):
        with pytest.raises(postgresql.errors, match=match) as raised:
            postgresql.run(sql)
        assert raised.value.sqlstate == state, sql
