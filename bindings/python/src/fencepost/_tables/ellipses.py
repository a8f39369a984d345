"""Error ellipses of measured positions."""

from __future__ import annotations

from array import array
from math import atan2, degrees, hypot, isfinite, nan, sqrt
from typing import Any

from .._errors import require
from .._native import InvalidArgumentError
from .buffers import numbers, refuse
from .labels import common_index
from .names import HEIGHTS
from .numbers import is_number, real

_AXES = ("major", "minor", "orientation")
_MOMENTS = ("the variance to the east", "the covariance", "the variance to the north")


def probability(
    handle: Any,
    identifier: str,
    latitude: Any,
    longitude: Any,
    accuracy: Any,
    ellipse: Any,
    covariance: Any,
    confidence: float,
) -> Any:
    """The probability that the true position is inside a condition of a table: see
    :meth:`fencepost.Zones.probability`."""
    share = float(real(confidence, "confidence"))
    if ellipse is not None and covariance is not None:
        raise TypeError("pass an ellipse or a covariance, not both")
    ellipse = None if ellipse is None else _parts(ellipse, "ellipse", _AXES)
    covariance = None if covariance is None else _parts(covariance, "covariance", _MOMENTS)
    if is_number(latitude) and is_number(longitude):
        found = array("d", (0.0,))
        place = float(real(latitude, "latitude")), float(real(longitude, "longitude"))
        axes = ellipse_of(ellipse, covariance, 1)
        handle.probability(identifier, *place, float(real(accuracy, "accuracy")), *axes, share, found)
        return found[0]
    errors = zip(_AXES, ellipse or ()) if covariance is None else zip(_MOMENTS, covariance)
    common_index(latitude=latitude, longitude=longitude, accuracy=accuracy, **dict(errors))
    points = numbers(latitude, "latitude"), numbers(longitude, "longitude")
    shared = float(real(accuracy, "accuracy")) if is_number(accuracy) else numbers(accuracy, "accuracy")
    axes = ellipse_of(ellipse, covariance, len(points[0]))
    probabilities = require("numpy", "geo").empty(len(points[0]))
    handle.probability(identifier, *points, shared, *axes, share, probabilities)
    return probabilities


def fed_columns(ellipse: Any) -> tuple[Any, Any, Any]:
    """The columns of the error ellipses of fixes; None in lists becomes NaN."""
    parts = _parts(ellipse, "error_ellipse", _AXES)
    names = tuple(f"error_ellipse, {name}" for name in _AXES)
    found = [
        float(real(value, name)) if is_number(value) else numbers(value, name, none=nan)
        for value, name in zip(parts, names)
    ]
    return found[0], found[1], found[2]


def fed_heights(heights: tuple[Any, ...]) -> tuple[Any, ...]:
    """The columns of the heights of fixes: the altitudes, their accuracies, and the heights of the geoid and the
    ground. A missing height is NaN, and a missing accuracy is 0, which means that it was not reported."""
    found: list[Any] = []
    for value, name, none in zip(heights, HEIGHTS, (nan, 0.0, nan, nan)):
        if value is None:
            found.append(none)
        else:
            found.append(float(real(value, name)) if is_number(value) else numbers(value, name, none=none))
    return tuple(found)


NO_ELLIPSE = (nan, nan, nan)


def ellipse_of(ellipse: Any, covariance: Any, count: int) -> tuple[Any, Any, Any]:
    """The semi-axes in metres and the direction in degrees from north: numbers, columns, or None without an ellipse.

    Args:
        count: The number of rows.
    """
    if covariance is not None:
        moments = east, both, north = _columns(covariance, _MOMENTS)
        for name, moment in zip(_MOMENTS, moments):
            if not isinstance(moment, float) and len(moment) != count:
                raise InvalidArgumentError(f"{name} has {len(moment)} rows, but there are {count} positions")
        rows = [_axes(_value(east, row), _value(both, row), _value(north, row), row) for row in range(count)]
        if all(isinstance(moment, float) for moment in moments) and rows:
            return rows[0]
        major, minor, orientation = (array("d", values) for values in zip(*rows)) if rows else (array("d"),) * 3
        return major, minor, orientation
    return (None, None, None) if ellipse is None else _columns(ellipse, _AXES)


def _parts(given: Any, what: str, names: tuple[str, ...]) -> tuple[Any, Any, Any]:
    try:
        first, second, third = given
    except (TypeError, ValueError):
        raise TypeError(f"{what} must be three values: {', '.join(names)}") from None
    return first, second, third


def _columns(values: tuple[Any, Any, Any], names: tuple[str, ...]) -> tuple[Any, Any, Any]:
    a, b, c = (_column(value, name) for value, name in zip(values, names))
    return a, b, c


def _column(value: Any, name: str) -> Any:
    return float(real(value, name)) if is_number(value) else numbers(value, name)


def _value(moment: Any, row: int) -> float:
    return moment if isinstance(moment, float) else float(moment[row])


def _axes(east: float, both: float, north: float, row: int) -> tuple[float, float, float]:
    """The principal axes of a covariance matrix."""
    determinant = east * north - both * both
    if not (east > 0 and north > 0 and determinant > 0 and isfinite(determinant)):
        refuse(
            f"row {row}: the covariance is ({east}, {both}, {north}); must be finite and positive definite: both "
            "variances above 0, and the square of the covariance below their product",
            row,
            InvalidArgumentError,
        )
    major = (east + north) / 2 + hypot((east - north) / 2, both)
    # The quotient loses no digits if the axes differ much.
    return sqrt(major), sqrt(min(determinant / major, major)), degrees(atan2(2 * both, north - east)) / 2
