"""The API reference builds without a warning, names every public symbol, and needs no network."""

from __future__ import annotations

import enum
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from conftest import BINDING

import fencepost

SCRIPT = BINDING / "docs.py"


def public_symbols(module: ModuleType, page: str) -> Iterator[tuple[str, str]]:
    """Yields the page and the anchor of each symbol that a user may write."""
    for name in module.__all__:
        value = getattr(module, name)
        if inspect.ismodule(value):
            yield from public_symbols(value, f"{page}/{name}")
        elif name != "__version__":  # shown in the footer of each page
            yield page, name
            home = getattr(value, "__module__", "")
            elsewhere = home == "fencepost.errors" != module.__name__  # errors are described there
            if isinstance(value, type) and home.startswith("fencepost") and not elsewhere:
                yield from ((page, f"{name}.{member}") for member in members_of(value))


def members_of(value: type) -> list[str]:
    """The names that may follow a dot, including inherited ones, but not those of Python's own classes."""
    if issubclass(value, enum.Enum):
        return list(value.__members__)
    own = [base for base in value.__mro__ if not base.__module__.startswith("fencepost") and base is not value]
    foreign = {name for base in own for name in vars(base)}
    return [name for name in dir(value) if not name.startswith("_") and name not in foreign]


def test_the_reference_names_every_public_symbol(tmp_path: Path) -> None:
    pytest.importorskip("pdoc")
    command = [sys.executable, "-W", "error", str(SCRIPT), str(tmp_path)]
    made = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (made.returncode, made.stdout, made.stderr) == (0, "", "")
    pages = {str(path.relative_to(tmp_path).with_suffix("")): path.read_text() for path in tmp_path.rglob("*.html")}
    assert set(pages) >= {"index", "fencepost", "fencepost/geodesic"}
    anchors = {page: set(re.findall(r'\bid="([^"]+)"', text)) for page, text in pages.items()}
    symbols = list(public_symbols(fencepost, "fencepost"))
    assert len(symbols) > 100
    assert {("fencepost", f"Monitor.{name}") for name in ("feed", "add", "events", "updates")} <= set(symbols)
    assert [symbol for symbol in symbols if symbol[1] not in anchors[symbol[0]]] == []

    for page, text in pages.items():
        assert page == "index" or f"fencepost {fencepost.__version__}" in text
        # The page loads nothing from elsewhere; its only outside link is the generator's.
        assert set(re.findall(r'(?:src|href)="((?!data:)\w+:[^"]*)"', text)) <= {"https://pdoc.dev"}
        # No markup of another generator is left.
        assert re.search(r":(class|meth|attr|func|mod|exc|data):", re.sub(r"<style>.*?</style>", "", text)) is None
