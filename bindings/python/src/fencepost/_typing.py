"""Stand-ins for the names of `typing` that a module needs when it is imported.

Importing `typing` would take a third of the time for importing the parts of the package that a program uses. Type
checkers do not read this module: the modules import the names from `typing` for them. If the program has imported
`typing` before, the functions below call those of `typing`, so that ``typing.get_overloads`` and
``typing.get_type_hints`` work.
"""

from __future__ import annotations

import sys
from types import GenericAlias

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class Generic:
    """A base class whose subclasses accept type arguments."""

    __slots__ = ()
    __class_getitem__: object = classmethod(GenericAlias)


def TypeVar(name: str, bound: object = None) -> object:  # noqa: N802
    """Returns a type variable, or its name, which is sufficient as a type argument."""
    typing = sys.modules.get("typing")
    return name if typing is None else typing.TypeVar(name, bound=bound)


def overload(function: Callable[..., Any]) -> Callable[..., Any]:
    """Marks a signature that only type checkers and documentation read."""
    typing = sys.modules.get("typing")
    return function if typing is None else typing.overload(function)
