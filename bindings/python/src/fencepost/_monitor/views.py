"""Views of the contents of a monitor or a table of conditions."""

from __future__ import annotations

from collections.abc import ItemsView, ValuesView

TYPE_CHECKING = False
if not TYPE_CHECKING:
    from .._typing import TypeVar
else:
    from typing import Any, TypeVar

V = TypeVar("V")


def _are_equal(held: object, other: object) -> bool:
    """Returns True if two values are equal. Never calls the comparison method of `other`, because the result of such a
    method need not be a bool (pandas, NumPy)."""
    return held is other or type(held).__eq__(held, other) is True


class HeldValues(ValuesView[V]):
    """A view of the values that a monitor or a table holds. ``in`` is false for an object of another type, even if that
    type's comparison does not return a bool."""

    def __contains__(self, value: object) -> bool:
        return any(_are_equal(held, value) for held in self)


class HeldItems(ItemsView[str, V]):
    """A view of pairs of an identifier and a value. ``in`` is false for an object of another type, as in
    :class:`HeldValues`."""

    def __init__(self, holder: Any) -> None:
        super().__init__(holder)
        self._holder = holder

    def __contains__(self, item: object) -> bool:
        if not isinstance(item, tuple) or len(item) != 2 or item[0] not in self._holder:
            return False
        return _are_equal(self._holder[item[0]], item[1])
