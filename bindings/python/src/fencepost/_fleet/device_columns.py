"""Reads the column that identifies the device of each row; columns of several types are supported."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from typing import Any

from .._native import InvalidArgumentError
from .._tables.buffers import ColumnTypeError, require_order
from .._tables.numbers import shown
from .._values.arguments import identifier_text


class _Places(dict[Any, int]):
    """A dictionary that numbers keys in the order of their first appearance."""

    def __missing__(self, name: Any) -> int:
        place = self[name] = len(self)
        return place


def device_column(device: Any) -> tuple[Any, tuple[str, ...]]:
    """Returns the index of each row's device, and the devices. If the indices are None, all rows belong to one device.
    The codes of a categorical column are read without a copy."""
    if isinstance(device, str):
        return None, (device,)
    if device is None:
        raise TypeError("feed_many needs the column device")
    values = getattr(device, "cat", device)  # a categorical pandas column has its codes and categories in `cat`
    for codes, names in (("codes", "categories"), ("indices", "dictionary")):
        if hasattr(values, codes) and hasattr(values, names):
            held = getattr(values, codes)
            if not getattr(held, "null_count", 0):
                return _codes(held), _texts(list(_plain(getattr(values, names))), "devices")
    rows = _plain(device)
    places = _Places()
    try:
        found = array("q", map(places.__getitem__, rows))
    except TypeError as error:
        raise _error(ColumnTypeError, f"device: {error}", 0) from None
    return found, _texts(list(places), "device", found.index)


def _codes(held: Any) -> Any:
    """Converts integer codes to an object that supports the buffer protocol."""
    for name in ("to_numpy", "__array__"):
        if hasattr(held, name):
            return getattr(held, name)()
    return held


def _plain(values: Any) -> Iterable[Any]:
    """The Python values of a column."""
    for name in ("to_pylist", "tolist", "to_list"):
        if hasattr(values, name):
            found: Iterable[Any] = getattr(values, name)()
            return found
    if isinstance(values, bytes | bytearray) or not isinstance(values, Iterable):
        raise _error(ColumnTypeError, f"device is {type(values).__name__}, expected a column of str", 0)
    require_order(values, "device")
    return values


def _texts(values: list[Any], what: str, row_of: Callable[[int], int] = int) -> tuple[str, ...]:
    """The texts of a column.

    Args:
        values: The values of the column, or its different values.
        what: The name of the column.
        row_of: Returns the first row with a value, from the index of the value.
    """
    texts = []
    for index, value in enumerate(values):
        missing = value is None or value != value
        text = None if missing else identifier_text(value)
        if not isinstance(text, str):
            said = "the value is missing" if missing else f"{shown(value)} is {type(value).__name__}, expected str"
            row = row_of(index)
            raise _error(InvalidArgumentError if missing else ColumnTypeError, f"{what}, row {row}: {said}", row)
        texts.append(text)
    return tuple(texts)


def _error(kind: type[InvalidArgumentError], message: str, row: int) -> InvalidArgumentError:
    error = kind(message)
    error.position = row
    return error
