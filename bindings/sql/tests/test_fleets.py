"""Fleets whose devices are rows of the database: their events equal those of a replay, and their states follow the
database's transactions."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import shapely
from conftest import PLACES, PostgreSQL, Server, SQLite, build
from worlds import drive, zones

from fencepost import Fix, replay


def expected(drives: dict[str, list[Fix]], conditions: dict[str, Any]) -> set[tuple[str, str, str, int]]:
    return {
        (device, event.identifier, str(event.state), event.sequence)
        for device, track in drives.items()
        for event in replay(track, conditions, assuming="unsatisfied")
    }


def interleaved(drives: dict[str, list[Fix]]) -> list[tuple[str, Fix]]:
    return sorted(
        ((device, fix) for device, track in drives.items() for fix in track), key=lambda pair: pair[1].time_us
    )


@pytest.fixture
def sqlite() -> SQLite:
    build("sqlite")
    host = SQLite()
    host.run("CREATE VIRTUAL TABLE vans USING fencepost_fleet")
    return host


@pytest.fixture
def postgresql(server: Server) -> PostgreSQL:
    host = PostgreSQL(server)
    host.run("DELETE FROM fleets")
    return host


def feed_sqlite(host: SQLite, device: str, fix: Fix, verb: str = "INSERT") -> None:
    host.run(
        f"{verb} INTO vans(device, time, latitude, longitude, accuracy) VALUES (?, ?, ?, ?, ?)",
        (device, fix.time_us, fix.latitude, fix.longitude, fix.accuracy),
    )


def feed_postgresql(host: PostgreSQL, device: str, fix: Fix) -> Any:
    values = (device, host.time(fix.time_us), fix.latitude, fix.longitude, fix.accuracy)
    return host.run("SELECT feed('vans', %s, %s, %s, %s, %s)", values)[0][0]


def test_sqlite_events_are_those_of_a_replay(sqlite: SQLite) -> None:
    rows, conditions = zones(21, 60)
    sqlite.zones(rows)
    sqlite.run(f"INSERT INTO vans(places, options) VALUES ({PLACES}, 'time=us')")
    drives = {f"van {number}": drive(number + 30, 150) for number in range(3)}
    sqlite.run("BEGIN")
    for device, fix in interleaved(drives):
        feed_sqlite(sqlite, device, fix)
    sqlite.run("COMMIT")
    found = sqlite.run("SELECT device, place, state, sequence FROM vans")
    assert set(found) == expected(drives, conditions)
    assert len(found) == len(set(found)) > 10
    sqlite.run("DELETE FROM vans WHERE device = 'van 0'")
    assert {row[0] for row in sqlite.run("SELECT device FROM vans")} == {"van 1", "van 2"}


def test_sqlite_a_rollback_takes_devices_and_events_back(sqlite: SQLite) -> None:
    rows, conditions = zones(22, 60)
    sqlite.zones(rows)
    sqlite.run(f"INSERT INTO vans(places, options) VALUES ({PLACES}, 'time=us')")
    track = drive(40, 200)
    for at in range(0, 200, 20):
        for verb in ("ROLLBACK", "COMMIT"):
            sqlite.run("BEGIN")
            for fix in track[at : at + 20]:
                feed_sqlite(sqlite, "van", fix)
            sqlite.run(verb)
    assert set(sqlite.run("SELECT device, place, state, sequence FROM vans")) == expected({"van": track}, conditions)


def test_sqlite_a_refused_row_takes_its_statement_back(sqlite: SQLite) -> None:
    rows, _ = zones(23)
    sqlite.zones(rows)
    sqlite.run(f"INSERT INTO vans(places) VALUES ({PLACES})")
    insert = "INTO vans(device, time, latitude, longitude) VALUES ('a', 100, 47.5, 7.5), ('b', 100, 91, 7.5)"
    with pytest.raises(sqlite.errors, match="latitude|91"):
        sqlite.run(f"INSERT {insert}")
    assert sqlite.run("SELECT count(*) FROM vans_devices") == [(0,)]
    sqlite.run("INSERT INTO vans(device, time, latitude, longitude) VALUES ('a', 100, 47.5, 7.5)")
    late = "INTO vans(device, time, latitude, longitude) VALUES ('a', 90, 47.5, 7.5), ('b', 100, 47.5, 7.5)"
    with pytest.raises(sqlite.errors, match="earlier"):
        sqlite.run(f"INSERT {late}")
    assert sqlite.run("SELECT count(*) FROM vans_devices") == [(1,)]
    sqlite.run(f"INSERT OR IGNORE {late}")
    assert sqlite.run("SELECT device FROM vans_devices") == [("a",), ("b",)]


@pytest.mark.parametrize(
    ("sql", "match"),
    [
        ("INSERT INTO vans(device, time, latitude, longitude) VALUES ('a', 1, 47, 7)", "no places"),
        ("INSERT INTO vans(places) VALUES ('text')", "BLOB"),
        ("INSERT INTO vans(places) VALUES (x'00')", r"byte \d+"),
        ("INSERT INTO vans(options) VALUES ('path=geodesic')", "option path"),
        ("INSERT INTO vans(device, place) VALUES ('a', 'b')", "columns .*events"),
        ("CREATE VIRTUAL TABLE t USING fencepost_fleet(1)", "no arguments"),
    ],
)
def test_sqlite_what_is_refused(sqlite: SQLite, sql: str, match: str) -> None:
    with pytest.raises(sqlite.errors, match=match):
        sqlite.run(sql)


def test_sqlite_places_change(sqlite: SQLite) -> None:
    rows, _ = zones(24, 40)
    sqlite.zones(rows)
    sqlite.run(f"INSERT INTO vans(places, options) VALUES ({PLACES}, 'policy=exact')")
    sqlite.run("INSERT INTO vans(device, time, latitude, longitude) VALUES ('a', 100, 10, 10)")
    sqlite.zones([*rows, ("new", shapely.Point(7.5, 47.5).wkb, "radius=900000")])
    sqlite.run(f"INSERT INTO vans(places) VALUES ({PLACES})")
    sqlite.run("INSERT INTO vans(device, time, latitude, longitude) VALUES ('a', 200, 47.5, 7.5)")
    assert ("new", "enter") in sqlite.run("SELECT place, kind FROM vans")


CHILD = """
import sys
import apsw
from fencepost import sqlite
connection = apsw.Connection(sys.argv[1])
connection.setbusytimeout(10000)
sqlite.load(connection)
for line in sys.stdin:
    device, time_us, latitude, longitude, accuracy = line.split()
    connection.execute("INSERT INTO vans(device, time, latitude, longitude, accuracy) VALUES (?, ?, ?, ?, ?)",
                       (device, int(time_us), float(latitude), float(longitude), float(accuracy)))
    print(time_us, flush=True)
"""


def test_sqlite_kills_lose_and_repeat_nothing(tmp_path: Path) -> None:
    """A feeding process is killed again and again; the next process feeds the remaining fixes."""
    apsw = pytest.importorskip("apsw")
    from fencepost import sqlite as extension

    build("sqlite")
    rows, conditions = zones(25, 60)
    file = tmp_path / "fleet.db"
    connection = apsw.Connection(str(file))
    extension.load(connection)
    host = SQLite()
    host.connection = connection
    host.run("CREATE VIRTUAL TABLE vans USING fencepost_fleet")
    host.zones(rows)
    host.run(f"INSERT INTO vans(places, options) VALUES ({PLACES}, 'time=us')")
    track = drive(50, 120)
    connection.close()
    at, kills = 0, 0
    while at < len(track):
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert child.stdin is not None and child.stdout is not None
        for fix in track[at:]:
            child.stdin.write(f"van {fix.time_us} {fix.latitude!r} {fix.longitude!r} {fix.accuracy!r}\n")
        child.stdin.close()
        for _ in range(17):
            if not child.stdout.readline():
                break
        child.send_signal(signal.SIGKILL)
        child.stdout.close()
        child.wait()
        kills += 1
        # Continue as after a crash: the database refuses each fix that was fed before the kill, so the first accepted
        # fix shows where to continue.
        connection = apsw.Connection(str(file))
        extension.load(connection)
        while at < len(track):
            fix = track[at]
            try:
                connection.execute(
                    "INSERT INTO vans(device, time, latitude, longitude, accuracy) VALUES (?, ?, ?, ?, ?)",
                    ("van", fix.time_us, fix.latitude, fix.longitude, fix.accuracy),
                )
            except apsw.ConstraintError:
                at += 1
                continue
            at += 1
            break
        connection.close()
    assert kills > 3
    host.connection = apsw.Connection(str(file))
    extension.load(host.connection)
    found = host.run("SELECT device, place, state, sequence FROM vans")
    assert len(found) == len(set(found))
    assert set(found) == expected({"van": track}, conditions)


def test_postgresql_events_are_those_of_a_replay(postgresql: PostgreSQL) -> None:
    rows, conditions = zones(21, 60)
    postgresql.zones(rows)
    postgresql.run(f"SELECT create_fleet('vans', {PLACES})")
    drives = {f"van {number}": drive(number + 30, 100) for number in range(3)}
    counted = sum(feed_postgresql(postgresql, device, fix) for device, fix in interleaved(drives))
    found = postgresql.run("SELECT device, place, state, sequence FROM events")
    assert set(found) == expected(drives, conditions)
    assert counted == len(found) > 10


def test_postgresql_insert_select_feeds_by_a_trigger(postgresql: PostgreSQL) -> None:
    rows, conditions = zones(26, 60)
    postgresql.zones(rows)
    postgresql.run(f"SELECT create_fleet('vans', {PLACES})")
    postgresql.fixes([])
    postgresql.run(
        "CREATE OR REPLACE FUNCTION feed_fix() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "PERFORM fencepost.feed('vans', "
        "NEW.device, NEW.time, NEW.latitude, NEW.longitude, NEW.accuracy); RETURN NEW; END $$"
    )
    postgresql.run("CREATE TRIGGER feed AFTER INSERT ON fixes FOR EACH ROW EXECUTE FUNCTION feed_fix()")
    track = drive(60, 200)
    for fix in track:
        postgresql.run(
            "INSERT INTO fixes VALUES ('van', %s, %s, %s, %s)",
            (postgresql.time(fix.time_us), fix.latitude, fix.longitude, fix.accuracy),
        )
    assert set(postgresql.run("SELECT device, place, state, sequence FROM events")) == expected(
        {"van": track}, conditions
    )
    assert postgresql.run("SELECT count(*) FROM fixes") == [(200,)]


def test_postgresql_consuming_rolls_back(postgresql: PostgreSQL) -> None:
    rows, _ = zones(27, 60)
    postgresql.zones(rows)
    postgresql.run(f"SELECT create_fleet('vans', {PLACES}, 'policy=exact')")
    for fix in drive(61, 100):
        feed_postgresql(postgresql, "van", fix)
    before = postgresql.run("SELECT * FROM events ORDER BY id")
    assert before
    postgresql.run("BEGIN")
    assert len(postgresql.run("DELETE FROM events RETURNING id")) == len(before)
    postgresql.run("ROLLBACK")
    assert postgresql.run("SELECT * FROM events ORDER BY id") == before


def test_postgresql_kills_and_a_crash_lose_and_repeat_nothing(server: Server, postgresql: PostgreSQL) -> None:
    import psycopg

    rows, conditions = zones(28, 60)
    postgresql.zones(rows)
    postgresql.run(f"SELECT create_fleet('vans', {PLACES})")
    track = drive(62, 120)
    feeder = PostgreSQL(server)
    for number, fix in enumerate(track):
        if number % 30 == 29:
            # The process is killed between feeding the fix and committing it, so the fix is fed again.
            feeder.run("BEGIN")
            feed_postgresql(feeder, "van", fix)
            ((pid,),) = feeder.run("SELECT pg_backend_pid()")
            if number == 59:
                server.stop("immediate")
                server.start()
                postgresql.connection = server.connect()
            else:
                postgresql.run("SELECT pg_terminate_backend(%s)", (pid,))
            with pytest.raises(psycopg.OperationalError):
                feeder.run("COMMIT")
            feeder = PostgreSQL(server)
        feed_postgresql(feeder, "van", fix)
    found = postgresql.run("SELECT device, place, state, sequence FROM events")
    assert len(found) == len(set(found))
    assert set(found) == expected({"van": track}, conditions)


def test_postgresql_two_feeders_of_one_device_wait_for_each_other(server: Server, postgresql: PostgreSQL) -> None:
    rows, _ = zones(29)
    postgresql.zones(rows)
    postgresql.run(f"SELECT create_fleet('vans', {PLACES})")
    first, second = PostgreSQL(server), PostgreSQL(server)
    first.run("BEGIN")
    feed_postgresql(first, "van", Fix(47.5, 7.5, time=1_000_000))
    second.run("SET lock_timeout = '200ms'")
    with pytest.raises(second.errors, match="lock timeout"):
        feed_postgresql(second, "van", Fix(47.5, 7.5, time=2_000_000))
    first.run("COMMIT")
    assert feed_postgresql(second, "van", Fix(47.5, 7.5, time=2_000_000)) is not None


def test_postgresql_a_late_input_is_null_and_bad_ones_are_errors(postgresql: PostgreSQL) -> None:
    rows, _ = zones(30)
    postgresql.zones(rows)
    postgresql.run(f"SELECT create_fleet('vans', {PLACES})")
    assert feed_postgresql(postgresql, "van", Fix(47.5, 7.5, time=2_000_000)) is not None
    assert feed_postgresql(postgresql, "van", Fix(47.5, 7.5, time=1_000_000)) is None
    for sql, match in (
        ("SELECT feed('none', 'van', now(), 1, 1)", "no fleet none"),
        ("SELECT feed('vans', 'van', 'infinity', 1, 1)", "infinite"),
        ("SELECT feed('vans', 'van', now(), 'NaN', 1)", "nan"),
        ("SELECT feed('vans', 'van', now(), 1, NULL)", "latitude.*longitude"),
        ("SELECT feed('vans', '', now(), 1, 1)", "identifier"),
        ("SELECT create_fleet('b', '\\x00')", r"byte \d+"),
        ("SELECT set_places('none', (SELECT places FROM fleets))", "no fleet none"),
    ):
        with pytest.raises(postgresql.errors, match=match):
            postgresql.run(sql)


def test_postgresql_dump_and_restore(server: Server, postgresql: PostgreSQL, tmp_path: Path) -> None:
    rows, conditions = zones(31, 60)
    postgresql.zones(rows)
    postgresql.run(f"SELECT create_fleet('vans', {PLACES})")
    track = drive(63, 120)
    for fix in track[:60]:
        feed_postgresql(postgresql, "van", fix)
    program = server.programs
    socket = ["-h", str(server.folder), "-U", "tester"]
    dumped = subprocess.run([program / "pg_dump", *socket, "postgres"], check=True, capture_output=True)
    postgresql.run("DROP DATABASE IF EXISTS copy")
    postgresql.run("CREATE DATABASE copy")
    subprocess.run(
        [program / "psql", *socket, "-X", "-q", "-v", "ON_ERROR_STOP=1", "copy"],
        input=dumped.stdout,
        check=True,
        capture_output=True,
    )
    copy = PostgreSQL(server)
    copy.connection = server.connect("copy")
    for fix in track[60:]:
        feed_postgresql(copy, "van", fix)
    assert set(copy.run("SELECT device, place, state, sequence FROM events")) == expected({"van": track}, conditions)
    copy.connection.close()


def test_postgresql_a_query_can_be_cancelled(postgresql: PostgreSQL) -> None:
    import psycopg

    rows, _ = zones(32, 60)
    postgresql.zones(rows)
    postgresql.run("SET statement_timeout = '300ms'")
    fixes = (
        "SELECT timestamptz '2026-01-01' + n * interval '1 s' AS t, 47.55 + 0.05 * sin(n / 9.0) AS lat, "
        "7.6 + 0.1 * cos(n / 7.0) "
        "AS lon FROM generate_series(1, 3000000) n"
    )
    with pytest.raises(psycopg.errors.QueryCanceled):
        postgresql.run(
            f"SELECT fp_events({PLACES}, t, lat, lon, 0, 'policy=exact, path=geodesic, max_gap=9') FROM ({fixes}) f"
        )
    postgresql.run("SET statement_timeout = 0")
    assert postgresql.run("SELECT 1") == [(1,)]
