"""Views of what a monitor or a table of conditions holds."""

from __future__ import annotations

from collections.abc import ItemsView, ValuesView
from typing import Any, TypeVar

V = TypeVar("V")


def _are_equal(held: object, other: object) -> bool:
    """Whether they are equal. The comparison of `other`, which may return no bool (pandas, NumPy), is not called."""
    return held is other or type(held).__eq__(held, other) is True


class HeldValues(ValuesView[V]):
    """The values; ``in`` is false for an object of another kind, also if its comparison returns no bool."""

    def __contains__(self, value: object) -> bool:
        return any(_are_equal(held, value) for held in self)


class HeldItems(ItemsView[str, V]):
    """Identifiers and values; ``in`` is false for an object of another kind, as in :class:`HeldValues`."""

    def __init__(self, holder: Any) -> None:
        super().__init__(holder)
        self._holder = holder

    def __contains__(self, item: object) -> bool:
        if not isinstance(item, tuple) or len(item) != 2 or item[0] not in self._holder:
            return False
        return _are_equal(self._holder[item[0]], item[1])
