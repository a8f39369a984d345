"""Stand-ins for the names of `typing` that a module needs when it is imported.

Importing `typing` would take a fifth of the time for importing the parts of the package that a program uses. Type
checkers do not read this module: the modules import the names from `typing` for them.
"""

from __future__ import annotations

from types import GenericAlias


class Generic:
    """A base class whose subclasses accept type arguments."""

    __slots__ = ()
    __class_getitem__: object = classmethod(GenericAlias)


def TypeVar(name: str, bound: object = None) -> str:  # noqa: N802
    """Returns a type argument, for which the name of the variable is sufficient."""
    return name


def overload(function: object) -> object:
    """Marks a signature that only type checkers read."""
    return function
