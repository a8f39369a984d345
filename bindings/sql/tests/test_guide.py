"""Runs the "In your database" guide block by block and compares the output."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT, Host, Server, build

import fencepost

GUIDE = ROOT / "bindings" / "site" / "guides" / "databases.md"


def blocks(heading: str) -> list[tuple[str, str]]:
    """The SQL blocks below a heading, each with the text block that follows it."""
    page = GUIDE.read_text(encoding="utf-8")
    (part,) = re.findall(rf"^## {heading}$(.*?)(?=^## )", page, re.MULTILINE | re.DOTALL)
    return re.findall(r"^```sql\n(.*?)^```\n\n```text\n(.*?)^```$", part, re.MULTILINE | re.DOTALL)


def compare(heading: str, printed: list[str]) -> None:
    """Compares the guide with the output; with FENCEPOST_WRITE=1, rewrites the guide."""
    found = blocks(heading)
    assert len(found) == len(printed) > 0
    for (sql, expected), actual in zip(found, printed):
        if os.environ.get("FENCEPOST_WRITE") == "1":
            page = GUIDE.read_text(encoding="utf-8")
            before = f"```sql\n{sql}```\n\n```text\n"
            GUIDE.write_text(
                page.replace(f"{before}{expected}```", f"{before}{actual}```"),
                encoding="utf-8",
            )
        else:
            assert actual == expected


def test_sqlite(tmp_path: Path) -> None:
    build("sqlite")
    printed = []
    for sql, _ in blocks("SQLite"):
        # Run each block in its own shell, on the same file, with the extension loaded.
        load = "" if sql.startswith(".load") else ".load .build/sql/fencepost\n"
        command = ["sqlite3", tmp_path / "a.db"]
        shell = subprocess.run(
            command,
            input=load + sql,
            capture_output=True,
            text=True,
            cwd=ROOT,
            check=True,
        )
        assert shell.stderr == ""
        printed.append(shell.stdout)
    compare("SQLite", printed)


def test_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb")
    build("duckdb")
    (python,) = re.findall(
        r"^```python\n(import duckdb.*?)^```",
        GUIDE.read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    names: dict[str, duckdb.DuckDBPyConnection] = {}
    exec(python, names)
    printed = []
    for sql, _ in blocks("DuckDB"):
        lines = []
        for statement in duckdb.extract_statements(sql):
            result = names["connection"].execute(statement)
            if statement.type == duckdb.StatementType.SELECT:
                lines += [
                    "|".join("" if value is None else _shown(value) for value in row) for row in result.fetchall()
                ]
        printed.append("\n".join(lines) + "\n")
    compare("DuckDB", printed)


def _shown(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def test_postgresql(server: Server) -> None:
    socket = ["-h", str(server.folder), "-U", "tester"]
    with server.connect() as connection:
        connection.execute("DROP DATABASE IF EXISTS guide")
        connection.execute("CREATE DATABASE guide")
    printed = []
    for sql, _ in blocks("PostgreSQL"):
        psql = [
            server.programs / "psql",
            *socket,
            "-X",
            "-A",
            "-t",
            "-q",
            "-v",
            "ON_ERROR_STOP=1",
            "guide",
        ]
        session = "SET TimeZone = 'UTC';\n" + (
            "" if "CREATE EXTENSION" in sql else "SET search_path = public, fencepost;\n"
        )
        done = subprocess.run(psql, input=session + sql, capture_output=True, text=True, check=True)
        printed.append(done.stdout)
    compare("PostgreSQL", printed)


def test_every_function_of_the_table_is_there(host: Host) -> None:
    page = GUIDE.read_text(encoding="utf-8")
    named = set(re.findall(r"\bfp_[a-z_]+", page))
    queries = {
        "sqlite": "SELECT name FROM pragma_function_list UNION SELECT name FROM pragma_module_list",
        "duckdb": "SELECT function_name FROM duckdb_functions()",
        "postgresql": "SELECT proname FROM pg_proc",
    }
    assert named <= {name for (name,) in host.run(queries[host.name])}


def test_the_block_of_the_page_which_one_do_i_need() -> None:
    """Uses Debian's Python, whose sqlite3 can load extensions; the sqlite3 of pyenv's Python cannot."""
    build("sqlite")
    page = (ROOT / "bindings/site/guides/choose.md").read_text(encoding="utf-8")
    found = re.search(
        r"run by bindings/sql/tests/test_guide.py -->\n```python\n(.*?)^```\n\n```text\n(.*?)^```$",
        page,
        re.MULTILINE | re.DOTALL,
    )
    assert found is not None
    packages = Path(fencepost.__file__).parents[1]
    done = subprocess.run(
        ["/usr/bin/python3", "-c", found[1]],
        env=os.environ | {"PYTHONPATH": str(packages)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == found[2]
