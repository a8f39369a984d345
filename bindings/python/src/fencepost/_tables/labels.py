"""Labels of rows: the indexes of pandas, and of one-dimensional xarray arrays."""

from __future__ import annotations

from typing import Any

from .._native import InvalidArgumentError


def index_of(column: Any) -> Any:
    """The index of a pandas Series, or of the dimension of an xarray array. Returns None if the column has no index."""
    if hasattr(column, "indexes") and hasattr(column, "dims"):
        return column.indexes.get(column.dims[0]) if len(column.dims) == 1 else None
    index = getattr(column, "index", None)
    return index if hasattr(column, "iloc") and hasattr(index, "is_unique") else None


def common_index(**columns: Any) -> Any:
    """The common index of the columns that have an index, or None if no column has an index. The rows of the columns
    are matched by their positions.

    Raises:
        InvalidArgumentError: Two indexes differ, so rows at the same position have different labels.
    """
    found, first = None, ""
    for name, column in columns.items():
        index = index_of(column)
        if index is None:
            continue
        if found is not None and not found.equals(index):
            way_out = "align them, or pass arrays (Series.to_numpy()), which are matched by position"
            raise InvalidArgumentError(f"{first} and {name} have different indexes: {way_out}")
        found, first = index, name
    return found


def told_apart(index: Any) -> Any:
    """Checks that the labels of an index are unique.

    Raises:
        InvalidArgumentError: A label occurs several times. In a join, each row with this label would be paired with the
            matches of all rows that have the label.
    """
    if not index.is_unique:
        label = index[index.duplicated()].tolist()[0]
        reason = f"the index has the label {label!r} more than once, so it does not identify rows"
        raise InvalidArgumentError(f"{reason}: reset_index() first")
    return index
