"""Gives all hosts (databases with the extension loaded) the same interface, which takes tables and returns rows."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
BUILT = ROOT / ".build" / "sql"
os.environ["FENCEPOST_SQL"] = str(BUILT)

PLACES = "(SELECT fp_places(id, geometry, options) FROM zones)"


@functools.cache
def build(host: str) -> Path:
    """Builds the extension for a host (a database) and returns the extension's path."""
    built = subprocess.run([ROOT / "bindings/sql/build.sh", host], check=True, capture_output=True, text=True)
    return Path(built.stdout.splitlines()[-1])


class Host:
    """A database. Times of fixes and of results are microseconds."""

    name = ""
    errors: tuple[type[Exception], ...] = ()
    types = {"text": "TEXT", "float": "DOUBLE PRECISION", "bytes": "BLOB", "time": "TEXT", "int": "BIGINT"}
    mark = "?"
    connection: Any

    def run(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        raise NotImplementedError

    def many(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        """Runs a statement for each row of values."""
        if rows:
            self.connection.executemany(sql, rows)

    def time(self, time_us: int) -> Any:
        return time_us

    def table(self, name: str, columns: dict[str, str], rows: Sequence[Sequence[Any]]) -> None:
        self.run(f"DROP TABLE IF EXISTS {name}")
        listed = ", ".join(f'"{column}" {self.types[kind]}' for column, kind in columns.items())
        self.run(f"CREATE TABLE {name}({listed})")
        kinds = list(columns.values())
        marks = ", ".join([self.mark] * len(columns))
        values = [
            [self.time(value) if kind == "time" and value is not None else value for kind, value in zip(kinds, row)]
            for row in rows
        ]
        self.many(f"INSERT INTO {name} VALUES ({marks})", values)

    def zones(self, zones: Sequence[tuple[str, bytes, str | None]]) -> None:
        self.table("zones", {"id": "text", "geometry": "bytes", "options": "text"}, zones)

    def fixes(self, rows: Sequence[tuple[Any, int, float | None, float | None, float | None]]) -> None:
        columns = {"device": "text", "time": "time", "latitude": "float", "longitude": "float", "accuracy": "float"}
        self.table("fixes", columns, rows)

    def uncertain_fixes(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Makes the table of fixes with three more columns: the error ellipse."""
        columns = {"device": "text", "time": "time", "latitude": "float", "longitude": "float", "accuracy": "float"}
        self.table("fixes", {**columns, "major": "float", "minor": "float", "orientation": "float"}, rows)

    def containing(self) -> list[tuple[Any, str]]:
        """The pairs (id of a point, place) for the table `points`."""
        raise NotImplementedError

    def nearest(self, k: int) -> list[tuple[Any, str, float]]:
        raise NotImplementedError

    def replay(self, function: str, columns: str, options: str, extra: str = "") -> list[tuple[Any, ...]]:
        """Returns the rows of fp_events or fp_visits for the table `fixes`: first the device, then `columns`. `extra`
        follows the accuracy: ``, major, minor, orientation``."""
        raise NotImplementedError


class SQLite(Host):
    name = "sqlite"

    def __init__(self) -> None:
        apsw = pytest.importorskip("apsw")
        from fencepost import sqlite

        self.errors = (apsw.Error,)
        self.connection = apsw.Connection(":memory:")
        sqlite.load(self.connection)
        self.types = self.types | {"time": "INTEGER", "float": "REAL"}

    def run(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return list(self.connection.execute(sql, values))

    def containing(self) -> list[tuple[Any, str]]:
        return self.run(f"SELECT p.id, c.place FROM points p, fp_containing({PLACES}, p.latitude, p.longitude) c")

    def nearest(self, k: int) -> list[tuple[Any, str, float]]:
        sql = f"SELECT p.id, c.place, c.distance FROM points p, fp_nearest({PLACES}, p.latitude, p.longitude, {k}) c"
        return self.run(sql)

    def replay(self, function: str, columns: str, options: str, extra: str = "") -> list[tuple[Any, ...]]:
        query = f"SELECT device, time, latitude, longitude, accuracy{extra} FROM fixes"
        sql = f"SELECT device, {columns} FROM {function}(?, {PLACES}, ?)"
        return [tuple(map(_parsed, row)) for row in self.run(sql, (query, f"{options}, time=us".lstrip(", ")))]


def _parsed(value: Any) -> Any:
    """Converts an SQLite time to microseconds; returns other values unchanged."""
    if isinstance(value, str) and len(value) == 27 and value.endswith("Z"):
        return time_us(datetime.fromisoformat(value))
    return value


def time_us(time: datetime) -> int:
    if time.tzinfo is None:
        time = time.replace(tzinfo=UTC)
    span = time - datetime(1970, 1, 1, tzinfo=UTC)
    return (span.days * 86400 + span.seconds) * 1_000_000 + span.microseconds


class _Aggregates(Host):
    """A host (a database) in which the replay functions are SQL aggregates."""

    def time(self, time_us: int) -> datetime:
        return datetime.fromtimestamp(time_us // 1_000_000, UTC).replace(microsecond=time_us % 1_000_000)

    def nested(self, function: str, options: str, extra: str = "") -> str:
        raise NotImplementedError

    def replay(self, function: str, columns: str, options: str, extra: str = "") -> list[tuple[Any, ...]]:
        order = "device, sequence" if function == "fp_events" else "device, start, place"
        rows = self.run(f"SELECT device, {columns} FROM ({self.nested(function, options, extra)}) x ORDER BY {order}")
        return [tuple(time_us(value) if isinstance(value, datetime) else value for value in row) for row in rows]


class DuckDB(_Aggregates):
    name = "duckdb"

    def __init__(self) -> None:
        duckdb = pytest.importorskip("duckdb")
        from fencepost import duckdb as extension

        self.errors = (duckdb.Error,)
        self.connection = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": "2"})
        extension.load(self.connection)
        self.connection.execute("SET TimeZone = 'UTC'")
        self.types = self.types | {"time": "TIMESTAMP"}

    def time(self, time_us: int) -> datetime:
        return super().time(time_us).replace(tzinfo=None)

    def run(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return self.connection.execute(sql, list(values)).fetchall()

    def containing(self) -> list[tuple[Any, str]]:
        return self.run(f"SELECT id, unnest(fp_containing({PLACES}, latitude, longitude)) FROM points")

    def nearest(self, k: int) -> list[tuple[Any, str, float]]:
        rows = f"SELECT id, unnest(fp_nearest({PLACES}, latitude, longitude, {k}), recursive := true) FROM points"
        return self.run(rows)

    def nested(self, function: str, options: str, extra: str = "") -> str:
        columns = f"{PLACES}, time, latitude, longitude, accuracy{extra}, '{options}'"
        return f"SELECT device, unnest({function}({columns}), recursive := true) FROM fixes GROUP BY device"


class PostgreSQL(_Aggregates):
    name = "postgresql"
    mark = "%s"

    def __init__(self, server: Server) -> None:
        psycopg = pytest.importorskip("psycopg")
        self.errors = (psycopg.Error,)
        self.server = server
        self.connection = server.connect()
        self.types = self.types | {"time": "TIMESTAMPTZ", "bytes": "BYTEA"}

    def run(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        cursor = self.connection.execute(sql, values or None)
        return cursor.fetchall() if cursor.description else []

    def many(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        if rows:
            with self.connection.transaction(), self.connection.cursor() as cursor:
                cursor.executemany(sql, rows)

    def containing(self) -> list[tuple[Any, str]]:
        return self.run(f"SELECT id, unnest(fp_containing({PLACES}, latitude, longitude)) FROM points")

    def nearest(self, k: int) -> list[tuple[Any, str, float]]:
        sql = f"SELECT p.id, n.* FROM points p, fp_nearest({PLACES}, p.latitude, p.longitude, {k}) n"
        return self.run(sql)

    def nested(self, function: str, options: str, extra: str = "") -> str:
        columns = f"{PLACES}, time, latitude, longitude, accuracy{extra}, '{options}'"
        return (
            f"SELECT device, e.* FROM (SELECT device, {function}({columns}) AS found FROM fixes GROUP BY device) g,"
            " unnest(found) e"
        )


class Server:
    """A PostgreSQL server for the tests: on a socket in its own folder, as an unprivileged user."""

    def __init__(self) -> None:
        config = shutil.which("pg_config")
        if config is None:
            pytest.skip("PostgreSQL's headers are not installed: .ci/postgresql.sh")
        self.programs = Path(self._config("--bindir"))
        # The tests run as root, or as the user who owns PostgreSQL's folders.
        subprocess.run(["make", "-s", "-C", ROOT / "bindings/sql/postgresql", "install"], check=True, timeout=300)
        self.connections: list[Any] = []
        self.folder = Path(tempfile.mkdtemp(prefix="fp-pg-", dir="/tmp"))
        self.as_user = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
        if self.as_user:
            shutil.chown(self.folder, "postgres", "postgres")
        data = str(self.folder / "data")
        initdb = ["initdb", "-D", data, "-E", "UTF8", "--locale=C.UTF-8", "-A", "trust", "-U", "tester", "--no-sync"]
        self._program(*initdb)
        self.start()

    @staticmethod
    def _config(option: str) -> str:
        return subprocess.run(["pg_config", option], check=True, capture_output=True, text=True).stdout.strip()

    def _program(self, name: str, *arguments: str) -> None:
        command = [*self.as_user, str(self.programs / name), *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/", timeout=120)

    def start(self) -> None:
        # In these tests, processes crash, but the machine does not. The page cache keeps the pages that a crashed
        # process has written, so fsync can be off.
        options = f"-k {self.folder} -c listen_addresses='' -c max_connections=30 -c fsync=off -c full_page_writes=off"
        log = str(self.folder / "log")
        self._program("pg_ctl", "-D", str(self.folder / "data"), "-o", options, "-l", log, "-w", "start")

    def stop(self, mode: str = "fast") -> None:
        self._program("pg_ctl", "-D", str(self.folder / "data"), "-m", mode, "-w", "stop")

    def remove(self) -> None:
        self.stop("immediate")
        shutil.rmtree(self.folder)

    def connect(self, database: str = "postgres") -> Any:
        import psycopg

        connection = psycopg.connect(f"host={self.folder} user=tester dbname={database}", autocommit=True)
        self.connections.append(connection)
        connection.execute("CREATE EXTENSION IF NOT EXISTS fencepost")
        connection.execute("SET search_path = public, fencepost")
        connection.execute("SET TimeZone = 'UTC'")
        return connection


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    made = Server()
    yield made
    for connection in made.connections:
        connection.close()
    made.remove()


@pytest.fixture(scope="session", params=["sqlite", "duckdb", "postgresql"])
def host(request: pytest.FixtureRequest) -> Host:
    if request.param == "postgresql":
        return PostgreSQL(request.getfixturevalue("server"))
    build(request.param)
    return SQLite() if request.param == "sqlite" else DuckDB()
