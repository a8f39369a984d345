"""Tests the folders of the package: each folder imports only folders below it in the list, and there are no import
cycles."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

from conftest import BINDING

import fencepost

PACKAGE = Path(fencepost.__file__).parent
MAY_IMPORT: dict[str, set[str]] = {"_native": set(), "_errors": {"_native"}}
MAY_IMPORT |= {name: set() for name in ("_system", "_dataclass", "_typing")}
MAY_IMPORT["_tables"] = {*MAY_IMPORT}
MAY_IMPORT["_values"] = {*MAY_IMPORT["_tables"], "_tables"}
MAY_IMPORT["geodesic"] = {*MAY_IMPORT["_values"], "_values"}
MAY_IMPORT["_look"] = set()
MAY_IMPORT["_files"] = {*MAY_IMPORT["_values"], "_values"}
MAY_IMPORT["_monitor"] = {*MAY_IMPORT["_files"], "_files"}
# `_log` must not import `_monitor`, because a log never calls the engine.
MAY_IMPORT["_log"] = {*MAY_IMPORT["_files"], "_files", "_look"}
MAY_IMPORT["_fleet"] = {*MAY_IMPORT["_log"], "_log", "_monitor"}
MAY_IMPORT["_replay"] = {*MAY_IMPORT["_fleet"], "_fleet"}
MAY_IMPORT["_live"] = {*MAY_IMPORT["_replay"], "_replay"}
MAY_IMPORT["live"] = {*MAY_IMPORT["_live"], "_live"}
MAY_IMPORT["_command"] = {*MAY_IMPORT["_live"], "_live", "geodesic"}
MAY_IMPORT["_spark"] = {*MAY_IMPORT["_fleet"], "_fleet"}
MAY_IMPORT["spark"] = {*MAY_IMPORT["_spark"], "_spark"}
MAY_IMPORT["errors"] = {"_native", "_errors", "_tables"}
MAY_IMPORT["types"] = {*MAY_IMPORT["_replay"], "_replay"}
MAY_IMPORT["uas"] = {*MAY_IMPORT["_files"], "_files"}
MAY_IMPORT["_sql_files"] = set()
MAY_IMPORT["sqlite"] = {"_sql_files"}
MAY_IMPORT["duckdb"] = {"_native", "_sql_files"}
MAY_IMPORT["__main__"] = {"_command"}


def modules() -> dict[str, Path]:
    """Returns the files of the package by module name, except `__init__`, which imports from all of them."""
    files = {path.relative_to(PACKAGE).with_suffix(""): path for path in PACKAGE.rglob("*.py")}
    return {".".join(name.parts): path for name, path in files.items() if name.name != "__init__"}


def imports(name: str, path: Path, known: set[str]) -> Iterator[str]:
    """Yields the package's modules that a file imports, including imports within functions and for type checkers."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            assert not any(alias.name.split(".")[0] == "fencepost" for alias in node.names), path
        elif isinstance(node, ast.ImportFrom) and (node.level or (node.module or "").split(".")[0] == "fencepost"):
            assert node.level, f"{path}: imports of the package are relative"
            folder = name.split(".")[: -node.level]
            assert len(name.split(".")) >= node.level, path
            start = [*folder, *(node.module or "").split(".")] if node.module else folder
            for alias in node.names:
                module = ".".join([*start, alias.name])
                yield module if module in known else ".".join(start)


def graph() -> dict[str, set[str]]:
    files = modules()
    known = {*files, "_native"}
    return {name: set(imports(name, path, known)) for name, path in files.items()}


def test_each_folder_imports_only_those_below_it() -> None:
    wrong = []
    arrows = 0
    for name, targets in graph().items():
        room = name.split(".")[0]
        for target in targets:
            arrows += 1
            other = target.split(".")[0]
            if other != room and other not in MAY_IMPORT[room]:
                wrong.append(f"{name} imports {target}")
    assert wrong == []
    assert arrows > 250
    assert {name.split(".")[0] for name in graph()} == {*MAY_IMPORT} - {"_native"}


def test_no_module_imports_itself_by_way_of_others() -> None:
    order = list(TopologicalSorter(graph()).static_order())  # raises CycleError, which names the cycle
    assert len(order) > 75


def test_no_file_of_the_extension_calls_itself_by_way_of_others() -> None:
    """The dependencies between C files follow from the names that each file defines: all names that files share begin
    with ``native_``."""
    comment, definition = (
        re.compile(r"/\*.*?\*/", re.DOTALL),
        re.compile(r"^\w[^;{}()=]*?\b(native_\w+)\s*[({=]", re.MULTILINE),
    )
    texts = {path.name: comment.sub("", path.read_text()) for path in (BINDING / "native").glob("*.c")}
    owners = {name: file for file, text in texts.items() for name in definition.findall(text)}
    assert len(owners) > 60 and {"native_begin", "native_text", "native_monitor_spec"} <= set(owners)
    calls = {
        file: {owners[name] for name in re.findall(r"\bnative_\w+", text) if name in owners} - {file}
        for file, text in texts.items()
    }
    order = list(TopologicalSorter(calls).static_order())
    assert order[-1] == "module.c" and calls["monitor.c"] > {"handle.c", "values.c"}
    assert "monitor.c" not in set().union(*(found for file, found in calls.items() if file != "module.c"))


def test_only_the_face_and_the_folders_lie_on_top() -> None:
    found = {path.name for path in PACKAGE.iterdir() if path.name != "__pycache__"}
    assert {name for name in found if name.endswith(".py")} == {
        "__init__.py",
        "__main__.py",
        "_dataclass.py",
        "_errors.py",
        "_sql_files.py",
        "_system.py",
        "_typing.py",
        "duckdb.py",
        "errors.py",
        "geodesic.py",
        "live.py",
        "spark.py",
        "sqlite.py",
        "types.py",
        "uas.py",
    }
    for path in PACKAGE.glob("*/__init__.py"):
        (documentation,) = ast.parse(path.read_text()).body
        assert isinstance(documentation, ast.Expr), f"{path} holds code"
