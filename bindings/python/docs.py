#!/usr/bin/env python3
"""Writes the API reference of the installed package, made from its docstrings by pdoc, into a folder.

    .venv/bin/python bindings/python/docs.py FOLDER

A warning is an error. The pages need no network.
"""

from __future__ import annotations

import inspect
import sys
import typing
import warnings
from pathlib import Path
from types import ModuleType

import pdoc

import fencepost


def public_modules(module: ModuleType) -> list[ModuleType]:
    """The module and those that its ``__all__`` names, to any depth."""
    named = (getattr(module, name) for name in module.__all__)
    return [module, *(found for each in named if inspect.ismodule(each) for found in public_modules(each))]


def resolve_named_tuples(module: ModuleType) -> None:
    """Puts real types where named tuples keep names, which pdoc would look up in a module that does not exist."""
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields"):
            value.__new__.__annotations__ = typing.get_type_hints(value)


def show_members_of_private_bases() -> None:
    """Lists what a public class takes over from the package's private bases, which have no pages of their own.

    pdoc shows an inherited member only where its base is documented.
    """
    pdoc.doc.Class.own_members = property(  # type: ignore[assignment]
        lambda cls: [m for m in cls.members.values() if not m.is_inherited or m.taken_from[0].startswith("fencepost._")]
    )


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} FOLDER")
    warnings.simplefilter("error")
    # The types of Spark are named as they are written where Spark is not installed.
    warnings.filterwarnings("ignore", message=".*No module named 'pyspark'")
    warnings.filterwarnings("ignore", message=".*for fencepost.spark", category=UserWarning)
    for module in public_modules(fencepost):
        resolve_named_tuples(module)
    show_members_of_private_bases()
    pdoc.render.configure(
        docformat="google", show_source=False, search=True, footer_text=f"fencepost {fencepost.__version__}"
    )
    pdoc.pdoc("fencepost", output_directory=Path(sys.argv[1]))


if __name__ == "__main__":
    main()
