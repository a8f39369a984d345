"""What the QGIS plugin takes from the package is there. QGIS itself runs in `make test-all`; this needs none."""

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

PLUGIN = Path(__file__).parents[2] / "qgis" / "fencepost_qgis"


def imported() -> Iterator[tuple[str, str, str]]:
    """File, module and name of each import from the package that the plugin carries."""
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
