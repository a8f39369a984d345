"""Geodesics on the WGS84 ellipsoid, computed by the code of the engine (Karney 2013, J. Geodesy 87, 43-55).

Arguments are numbers or columns. A column is anything with the buffer protocol (``array.array``, NumPy arrays) or a
sequence of numbers. If only some arguments are columns, each number is used for every row. The results are NumPy arrays
if any argument is a NumPy array, otherwise ``array.array('d')``.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, SupportsFloat, TypeAlias, TypeVar, overload

from ._native import (
    InvalidArgumentError,
    direct as native_direct,
    direct_into,
    inverse as native_inverse,
    inverse_into,
)
from ._tables.buffers import column
from ._tables.numbers import real

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["Direct", "Inverse", "circle", "direct", "inverse"]

T = TypeVar("T")
Column: TypeAlias = "Sequence[float] | Buffer"


class Inverse(NamedTuple, Generic[T]):
    """The solution of the inverse geodesic problem.

    Example:
        >>> inverse(0, 0, 0, 1).azimuth1
        90.0
    """

    distance: T
    """The distance in metres, with an error below 15 nm."""
    azimuth1: T
    """The azimuth at the first point, in degrees clockwise from north, -180 to 180."""
    azimuth2: T
    """The azimuth at the second point, in the direction of travel, in degrees clockwise from north, -180 to 180."""


class Direct(NamedTuple, Generic[T]):
    """The solution of the direct geodesic problem.

    Example:
        >>> direct(0, 0, 90, 0).longitude
        0.0
    """

    latitude: T
    """Degrees."""
    longitude: T
    """Degrees, -180 to 180."""
    azimuth: T
    """The azimuth at the end point, in the direction of travel, in degrees clockwise from north."""


@overload
def inverse(latitude1: float, longitude1: float, latitude2: float, longitude2: float) -> Inverse[float]: ...
@overload
def inverse(
    latitude1: SupportsFloat | Column,
    longitude1: SupportsFloat | Column,
    latitude2: SupportsFloat | Column,
    longitude2: SupportsFloat | Column,
) -> Inverse[Any]: ...
def inverse(latitude1: Any, longitude1: Any, latitude2: Any, longitude2: Any) -> Inverse[Any]:
    """The shortest path between two points.

    Args:
        latitude1: Degrees, -90 to 90.
        longitude1: Degrees, -180 to 180.
        latitude2: Degrees, -90 to 90.
        longitude2: Degrees, -180 to 180.

    Raises:
        InvalidArgumentError: A coordinate is not finite or out of range, or the columns have different lengths. For a
            bad coordinate in a column, ``position`` is the number of its row.

    Example:
        >>> round(inverse(37.422, -122.084058, 37.3270145, -122.0310273).distance, 3)
        11541.019
    """
    return Inverse(*_solve(native_inverse, inverse_into, (latitude1, longitude1, latitude2, longitude2)))


@overload
def direct(latitude: float, longitude: float, azimuth: float, distance: float) -> Direct[float]: ...
@overload
def direct(
    latitude: SupportsFloat | Column,
    longitude: SupportsFloat | Column,
    azimuth: SupportsFloat | Column,
    distance: SupportsFloat | Column,
) -> Direct[Any]: ...
def direct(latitude: Any, longitude: Any, azimuth: Any, distance: Any) -> Direct[Any]:
    """The end point of a geodesic with the given start, azimuth and length.

    Args:
        latitude: Degrees, -90 to 90.
        longitude: Degrees, -180 to 180.
        azimuth: The direction at the start, in degrees clockwise from north, finite.
        distance: The length in metres, at most 1e9 in magnitude. With a negative length, the geodesic runs in the
            opposite direction.

    Raises:
        InvalidArgumentError: A number is not finite or out of range, or the columns have different lengths. For a bad
            number in a column, ``position`` is the number of its row.

    Example:
        >>> round(direct(0, 0, 90, 111_319.49079327357).longitude, 9)
        1.0
    """
    return Direct(*_solve(native_direct, direct_into, (latitude, longitude, azimuth, distance)))


def _solve(
    one: Callable[..., tuple[float, float, float]], many: Callable[..., None], arguments: tuple[Any, ...]
) -> tuple[Any, Any, Any]:
    if all(isinstance(argument, float) for argument in arguments):
        return one(*arguments)
    shapes = [_shape(argument) for argument in arguments]
    if not any(shapes):
        return one(*(real(argument, f"argument {index}") for index, argument in enumerate(arguments, 1)))
    lengths = {shape[0] for shape in shapes if shape}
    if len(lengths) > 1:
        raise InvalidArgumentError(f"columns must have equal lengths, not {', '.join(map(str, sorted(lengths)))}")
    rows = lengths.pop()
    columns = [
        column("d", argument if shape else (real(argument, f"argument {index + 1}"),), f"argument {index + 1}")
        for index, (argument, shape) in enumerate(zip(arguments, shapes))
    ]
    results = [array("d", bytes(8 * rows)) for _ in range(3)]
    many(*columns, *results)
    numpy = sys.modules.get("numpy")
    if numpy is not None and any(isinstance(argument, numpy.ndarray) for argument in arguments):
        return tuple(numpy.frombuffer(result, dtype=float) for result in results)
    return results[0], results[1], results[2]


def _shape(argument: Any) -> tuple[int] | tuple[()]:
    """The shape of an argument: a tuple with one element (the length) for a column, and an empty tuple for a number."""
    shape = getattr(argument, "shape", None)
    if shape is not None and len(shape) > 1:
        raise InvalidArgumentError(f"a column must have one dimension, not {len(shape)}")
    if shape == () or not hasattr(argument, "__len__"):
        return ()
    return (len(argument),)


def circle(latitude: float, longitude: float, radius: float, *, corners: int = 180) -> dict[str, Any]:
    """A circle as a GeoJSON geometry (RFC 7946). Every corner lies on the geodesic circle, and the edges between the
    corners are straight lines on the map.

    A polygon that crosses the antimeridian is split there; the result is then a MultiPolygon. A circle around one pole
    extends to the edge of the map. For a circle that contains both poles, the result is the whole map with a hole: the
    area outside the circle. ``shapely.geometry.shape`` converts the result to a polygon.

    Args:
        latitude: Latitude of the centre in degrees, -90 to 90.
        longitude: Longitude of the centre in degrees, -180 to 180.
        radius: The radius in metres along the geodesic, finite, above 0.
        corners: The number of corners, 3 to 1 000 000.

    Returns:
        A dict with ``type`` and ``coordinates``; each position has its longitude first.

    Raises:
        InvalidArgumentError: A coordinate, the radius or `corners` is out of its range.

    Example:
        >>> circle(52.5, 13.4, 200, corners=36)["type"]
        'Polygon'
        >>> circle(0, 180, 200, corners=36)["type"]
        'MultiPolygon'
    """
    from ._values.circle_polygon import circle_geometry

    return circle_geometry(latitude, longitude, radius, corners)
