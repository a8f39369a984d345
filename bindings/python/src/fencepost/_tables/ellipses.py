"""Error ellipses of measured positions."""

from __future__ import annotations

from math import atan2, degrees, hypot, isfinite, sqrt
from typing import Any

from .._native import InvalidArgumentError
from .buffers import numbers
from .numbers import real

_AXES = ("major", "minor", "orientation")
_MOMENTS = ("the variance to the east", "the covariance", "the variance to the north")


def ellipse_of(ellipse: Any, covariance: Any, count: int) -> tuple[Any, Any, Any]:
    """The semi-axes in metres and the direction in degrees from north: numbers, columns, or None without an ellipse.

    Args:
        count: The number of rows.
    """
    if covariance is not None:
        moments = _three(covariance, "covariance", _MOMENTS)
        east, both, north = moments
        rows = [_axes(_value(east, row), _value(both, row), _value(north, row), row) for row in range(count)]
        if all(isinstance(moment, float) for moment in moments) and rows:
            return rows[0]
        from array import array

        major, minor, orientation = (array("d", values) for values in zip(*rows)) if rows else (array("d"),) * 3
        return major, minor, orientation
    return (None, None, None) if ellipse is None else _three(ellipse, "ellipse", _AXES)


def _three(given: Any, what: str, names: tuple[str, ...]) -> tuple[Any, Any, Any]:
    try:
        first, second, third = given
    except (TypeError, ValueError):
        raise TypeError(f"{what} must be three values: {', '.join(names)}") from None
    values = (first, second, third)
    a, b, c = (_column(value, name) for value, name in zip(values, names))
    return a, b, c


def _column(value: Any, name: str) -> Any:
    is_number = isinstance(value, int | float) or (getattr(value, "shape", None) == () and hasattr(value, "__float__"))
    return float(real(value, name)) if is_number else numbers(value, name)


def _value(moment: Any, row: int) -> float:
    if isinstance(moment, float):
        return moment
    if row >= len(moment):
        raise InvalidArgumentError(f"covariance has {len(moment)} rows; must have as many as the positions")
    return float(moment[row])


def _axes(east: float, both: float, north: float, row: int) -> tuple[float, float, float]:
    """The principal axes of a covariance matrix."""
    determinant = east * north - both * both
    if not (east > 0 and north > 0 and determinant > 0 and isfinite(determinant)):
        raise InvalidArgumentError(
            f"row {row}: the covariance is ({east}, {both}, {north}); must be finite and positive definite: both "
            "variances above 0, and the square of the covariance below their product"
        )
    major = (east + north) / 2 + hypot((east - north) / 2, both)
    # The quotient loses no digits if the axes differ much.
    return sqrt(major), sqrt(min(determinant / major, major)), degrees(atan2(2 * both, north - east)) / 2
