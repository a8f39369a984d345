"""Writes the pages of the Python reference, for which Sphinx's autodoc reads the installed package."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

from sphinx.ext.napoleon.docstring import GoogleDocstring
from sphinx.pycode import ModuleAnalyzer

import fencepost
import fencepost.duckdb
import fencepost.sqlite

PARTS = ("errors", "types", "live", "geodesic", "uas", "spark", "sqlite", "duckdb")
PARTS_SAY = {
    "errors": "the errors",
    "types": "what methods return",
    "live": "following devices in your own service",
    "geodesic": "distances and bearings on WGS84",
    "uas": "zones for drones, ED-269 and ED-318",
    "spark": "Spark",
    "sqlite": "the extension for SQLite",
    "duckdb": "the extension for DuckDB",
}
FUNCTIONS = "functions"


def _public(module: ModuleType) -> list[tuple[str, Any]]:
    """The names that a module exports, except modules, the version, and names that the package itself exports."""
    elsewhere = set() if module is fencepost else {*fencepost.__all__}
    found = ((name, getattr(module, name)) for name in module.__all__ if name != "__version__")
    return [(name, value) for name, value in found if not inspect.ismodule(value) and name not in elsewhere]


def _parts() -> list[tuple[str, ModuleType]]:
    return [(name, getattr(fencepost, name)) for name in PARTS]


def _foreign(value: type) -> list[type]:
    """The base classes that belong to Python: the reference does not list the members inherited from them."""
    return [base for base in value.__mro__[1:] if not base.__module__.startswith("fencepost")]


def _members(value: type) -> Iterator[str]:
    foreign = {name for base in _foreign(value) for name in vars(base)}
    yield from (name for name in dir(value) if not name.startswith("_") and name not in foreign)


def names() -> dict[str, tuple[str, str]]:
    """The names that the guides write as code, without the prefix `fencepost.`. The value for a name is its full name
    and its page in the reference."""
    found: dict[str, tuple[str, str]] = {}
    for part, module in [*reversed(_parts()), ("", fencepost)]:
        prefix = f"fencepost.{part}" if part else "fencepost"
        for name, value in _public(module):
            of_class = isinstance(value, type)
            page = f"reference/python/{part or (name if of_class else FUNCTIONS)}"
            spellings = [f"{part}.{name}", name] if part and part not in ("errors", "types", "live") else [name]
            if part in ("geodesic", "uas"):  # without the module's name, `inverse` and `read` would match words
                spellings = spellings[:1]
            for spelling in spellings:
                found[spelling] = (f"{prefix}.{name}", page)
            if of_class:
                for member in _members(value):
                    found[f"{name}.{member}"] = (f"{prefix}.{name}.{member}", page)
    return found


def _entry(name: str, value: Any) -> str:
    if isinstance(value, type):
        # Autodoc hides an inherited member only if this option names the class that defines the member, such as `str`
        # for the methods of a StrEnum.
        hidden = ", ".join(base.__name__ for base in _foreign(value))
        return f".. autoclass:: {name}\n   :members:\n   :undoc-members:\n   :inherited-members: {hidden}\n"
    if callable(value) and inspect.isroutine(value):
        return f".. autofunction:: {name}\n"
    if found := _said_of_data(name):
        text = "\n".join(f"   {line}".rstrip() for line in found)
        return f".. py:data:: {name}\n\n{text}\n"
    return f".. autodata:: {name}\n"


def _said_of_data(name: str) -> list[str]:
    """The docstring below a module's variable. Autodoc finds this docstring only in the module that defines the
    variable; for a variable of the package, Autodoc would show the docstring of the variable's class."""
    module = fencepost._LATER.get(name)
    if module is None:
        return []
    found: list[str] = ModuleAnalyzer.for_module(f"fencepost.{module}").find_attr_docs().get(("", name), [])
    return list(GoogleDocstring(found).lines())


def _guides(page: str, mentions: Mapping[str, list[str]]) -> str:
    found = mentions.get(page, [])
    return "**Guides:** " + ", ".join(f":doc:`/{guide}`" for guide in found) + "\n\n" if found else ""


def _summary(value: Any) -> str:
    return (inspect.getdoc(value) or "").partition("\n")[0].replace("*", "\\*")


def pages(mentions: Mapping[str, list[str]]) -> dict[str, str]:
    """Returns each page's place and text, in reStructuredText. ``mentions`` maps a page to the guides that name
    something on that page."""
    folder = "reference/python"
    made: dict[str, str] = {}

    def head(title: str) -> str:
        return f"{title}\n{'=' * len(title)}\n\n"

    classes = [(name, value) for name, value in _public(fencepost) if isinstance(value, type)]
    others = [(name, value) for name, value in _public(fencepost) if not isinstance(value, type)]
    for name, value in classes:
        page = f"{folder}/{name}"
        made[page] = f"{head(name)}{_guides(page, mentions)}.. currentmodule:: fencepost\n\n{_entry(name, value)}"
    page = f"{folder}/{FUNCTIONS}"
    made[page] = f"{head('Functions')}{_guides(page, mentions)}.. currentmodule:: fencepost\n\n" + "\n".join(
        _entry(name, value) for name, value in others
    )
    for part, module in _parts():
        page = f"{folder}/{part}"
        made[page] = (
            f"{head(f'fencepost.{part}')}{_guides(page, mentions)}.. automodule:: fencepost.{part}\n   :no-members:\n\n"
            f".. currentmodule:: fencepost.{part}\n\n"
            + "\n".join(_entry(name, value) for name, value in _public(module))
        )
    rows = "".join(
        f"   * - :py:obj:`~fencepost.{name}`\n     - {_summary(value)}\n" for name, value in classes + others
    )
    rows += "".join(f"   * - :doc:`fencepost.{part} <{part}>`\n     - {PARTS_SAY[part]}\n" for part in PARTS)
    listed = "\n".join(f"   {page.removeprefix(f'{folder}/')}" for page in made)
    made[f"{folder}/index"] = (
        f"{head('Python reference')}The names of the package ``fencepost``. The guide is :doc:`/guides/python`; the\n"
        "page :doc:`/guides/cheat-python` shows them in use.\n\n"
        f".. list-table::\n   :widths: 30 70\n\n{rows}\n.. toctree::\n   :hidden:\n\n{listed}\n"
    )
    return made
