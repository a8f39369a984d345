"""Columns of numbers from whatever holds them."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Any, cast

from ._native import InvalidArgumentError


def column(code: str, values: Any, what: str, length: int | None = None) -> memoryview:
    """A contiguous view of `values` as elements of the array type `code`: in place where the layout is that already."""
    view = _view(code, values)
    if view is None:
        try:
            view = memoryview(array(code, cast("Iterable[Any]", values)))
        except (TypeError, OverflowError) as error:
            raise type(error)(f"{what}: {error}") from None
    if length is not None and len(view) != length:
        raise InvalidArgumentError(f"{what} has {len(view)} rows, expected {length}")
    return view


def _view(code: str, values: Any) -> memoryview | None:
    try:
        view = memoryview(values)
    except TypeError:
        return None
    same = view.format == code or (code == "Q" and view.format == "L" and view.itemsize == 8)
    return view if same and view.c_contiguous and view.ndim == 1 else None
