"""Labels of rows: the indexes of pandas, and of arrays of xarray with one dimension."""

from __future__ import annotations

from typing import Any

from .._native import InvalidArgumentError


def index_of(column: Any) -> Any:
    """The index of a Series of pandas, or of the dimension of an array of xarray; None: the column has none."""
    if hasattr(column, "indexes") and hasattr(column, "dims"):
        return column.indexes.get(column.dims[0]) if len(column.dims) == 1 else None
    index = getattr(column, "index", None)
    return index if hasattr(column, "iloc") and hasattr(index, "is_unique") else None


def common_index(**columns: Any) -> Any:
    """The index that all columns have which have one; None: no column has one. Rows are read by their place.

    Raises:
        InvalidArgumentError: Two indexes differ: rows of one place are not of one label.
    """
    found, first = None, ""
    for name, column in columns.items():
        index = index_of(column)
        if index is None:
            continue
        if found is not None and not found.equals(index):
            way_out = "align them, or give arrays (Series.to_numpy()), which are read by place"
            raise InvalidArgumentError(f"{first} and {name} have different indexes: {way_out}")
        found, first = index, name
    return found


def told_apart(index: Any) -> Any:
    """An index whose labels name one row each.

    Raises:
        InvalidArgumentError: A label names several rows: a join by it would pair each with the matches of all.
    """
    if not index.is_unique:
        label = index[index.duplicated()].tolist()[0]
        reason = f"the index has the label {label!r} more than once, so it does not tell the rows apart"
        raise InvalidArgumentError(f"{reason}: reset_index() first")
    return index
