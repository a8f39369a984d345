"""Columns of frames of pandas and GeoPandas as lists."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

from .._errors import InputError
from .vector import check_crs


def has_geometry(frame: Any) -> bool:
    """Whether a frame has an active geometry column."""
    return getattr(frame, "_geometry_column_name", None) in frame.columns


def positions(frame: Any, source: str) -> tuple[list[float], list[float]]:
    """Latitudes and longitudes of a GeoDataFrame of points; NaN where there is none."""
    check_crs(frame, source, source if source.isidentifier() else f"geopandas.read_file({source!r})")
    geometry = frame.geometry
    for row, kind in enumerate(geometry.geom_type.to_list()):
        if kind is not None and kind == kind and kind != "Point":
            raise InputError.of_row(source, row, f"is a {kind}, a Point is needed")
    points = geometry.where(~geometry.is_empty)
    latitudes: list[float] = points.y.to_list()
    longitudes: list[float] = points.x.to_list()
    return latitudes, longitudes


def numbers(frame: Any, index: int, what: str, source: str) -> list[float]:
    """A column as floats; NaN where there is nothing.

    Raises:
        InputError: Something in it is not a number.
    """
    series = frame.iloc[:, index]
    kind, name = series.dtype.kind, frame.columns[index]
    if kind in "iuf":
        values: list[float] = series.to_numpy(dtype=float, na_value=math.nan).tolist()
        return values
    if kind not in "OT" and str(series.dtype) not in ("string", "str", "category"):
        raise InputError(source, "row 0", f"{what}: the column {name!r} has the type {series.dtype}, not numbers", 0)
    return [_number(value, what, name, row, source) for row, value in enumerate(series.to_list())]


def _number(value: Any, what: str, name: str, row: int, source: str) -> float:
    if is_missing(value):
        return math.nan
    number = value.item() if hasattr(value, "item") else value
    if isinstance(number, bool) or not isinstance(number, int | float | Decimal):
        kind = type(number).__name__
        raise InputError.of_row(source, row, f"{what} {number!r} (column {name!r}) is a {kind}, not a number")
    try:
        return float(number)
    except OverflowError:
        raise InputError.of_row(source, row, f"{what} (column {name!r}) is too large") from None


def is_missing(value: Any) -> bool:
    """None, NaN, NaT or pandas' NA."""
    return (
        value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
    )
