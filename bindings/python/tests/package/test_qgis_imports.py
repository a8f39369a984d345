"""Tests that the package contains all names that the QGIS plugin imports from it. The test runs without QGIS; `make
test-all` runs the plugin in QGIS."""

import ast
import importlib
import runpy
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import BINDING

import fencepost

PACKAGE = Path(fencepost.__file__).parent
PLUGIN = BINDING.parent / "qgis" / "fencepost_qgis"


def imported() -> Iterator[tuple[str, str, str]]:
    """Returns the file, module and name for each import from the package in the files of the plugin."""
    for path in sorted(PLUGIN.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if (
                isinstance(node, ast.ImportFrom)
                and node.level == 1
                and (node.module or "").split(".")[0] == "fencepost"
            ):
                for alias in node.names:
                    yield path.name, node.module or "", alias.name


@pytest.mark.skipif(not PLUGIN.is_dir(), reason="the plugin is not here (a source distribution)")
def test_the_package_has_what_the_plugin_imports() -> None:
    found = list(imported())
    assert len(found) > 30
    missing = [row for row in found if not hasattr(importlib.import_module(row[1]), row[2])]
    assert missing == []


@pytest.mark.skipif(not PLUGIN.is_dir(), reason="the plugin is not here (a source distribution)")
def test_the_plugin_carries_the_whole_package(tmp_path: Path) -> None:
    """Each imported module must be in the expected folder, because otherwise a missing module would be noticed only
    when QGIS runs the plugin."""
    files = runpy.run_path(str(PLUGIN.parent / "build_plugin.py"))["engine_files"](PACKAGE)
    assert {Path(name) for name in files if name.endswith(".py")} == {
        path.relative_to(PACKAGE.parent) for path in PACKAGE.rglob("*.py")
    }
    for name, content in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    code = (
        "import fencepost; assert fencepost.__file__.startswith(sys.argv[1]), fencepost.__file__\n"
        "for name in fencepost.__all__: getattr(fencepost, name)"
    )
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, sys.argv[1])\n{code}", str(tmp_path)]
    subprocess.run(command, check=True, timeout=60, cwd=tmp_path)
