"""Converts conditions to Shapely geometries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._errors import require
from .._native import direct_into

CORNERS = 180
"""The number of corners of a circle, as in :meth:`fencepost.Circle.polygon`."""
_BATCH = 4_096
_LARGEST_RADIUS, _LARGEST_LATITUDE = 50_000.0, 75.0
""":func:`_draw_circles` interpolates a circle only up to this radius, in metres, and this latitude, in degrees."""
_SAMPLES = 16


def drawn_shapes(conditions: Sequence[Any]) -> list[Any]:
    """Returns the shapes of conditions: polygons for circles and polygons, lines for corridors and gates, and None for
    beacons and for None.

    Raises:
        MissingExtraError: Shapely or NumPy is not installed.
    """
    shapes = require("shapely.geometry", "geo")
    found: list[Any] = [None] * len(conditions)
    circles: list[int] = []
    for index, condition in enumerate(conditions):
        latitude: float | None = getattr(condition, "latitude", None)
        if latitude is not None and abs(latitude) <= _LARGEST_LATITUDE and condition.radius <= _LARGEST_RADIUS:
            circles.append(index)
            continue
        drawable = getattr(condition, "__geo_interface__", None)
        if drawable is not None:
            found[index] = shapes.shape(drawable)
    for start in range(0, len(circles), _BATCH):
        _draw_circles(conditions, circles[start : start + _BATCH], found)
    return found


def _draw_circles(conditions: Sequence[Any], indices: list[int], found: list[Any]) -> None:
    """Draws many circles at once. Circles that cross the antimeridian must be cut at the antimeridian, so each of them
    is drawn separately.

    The position of a corner on a circle is a smooth function of the azimuth. Each term of the circle's Fourier series
    is smaller than the previous term by the factor tan(latitude) * radius / 6371 km. Trigonometric interpolation from
    16 corners therefore gives the other corners with an error of less than a micrometre.
    """
    shapely, numpy = require("shapely", "geo"), require("numpy", "geo")
    given = numpy.array(
        [(conditions[i].latitude, conditions[i].longitude, conditions[i].radius) for i in indices], float
    )
    latitudes, longitudes, radii = (numpy.repeat(column, _SAMPLES) for column in given.T)
    turns = -360.0 * numpy.arange(_SAMPLES) / _SAMPLES
    y, x, ends = (numpy.empty(len(latitudes)) for _ in range(3))
    direct_into(latitudes, longitudes, numpy.tile(turns, len(indices)), radii, y, x, ends)
    apart = numpy.radians(turns[None, :] + 360.0 * numpy.arange(CORNERS)[:, None] / CORNERS)
    half = _SAMPLES // 2
    weights = 1 + numpy.cos(half * apart) + 2 * sum(numpy.cos(term * apart) for term in range(1, half))
    rings = numpy.empty((len(indices), CORNERS + 1, 2))
    for axis, corners, centres in ((0, x, longitudes), (1, y, latitudes)):
        offsets = ((corners - centres + 540) % 360 - 180 if axis == 0 else corners - centres).reshape(-1, _SAMPLES)
        rings[:, :-1, axis] = centres.reshape(-1, _SAMPLES)[:, :1] + offsets @ (weights.T / _SAMPLES)
    rings[:, -1] = rings[:, 0]
    is_whole = (numpy.abs(rings[:, :, 0]) < 180).all(axis=1)
    for index, polygon, whole in zip(indices, shapely.polygons(rings), is_whole):
        found[index] = polygon if whole else shapely.geometry.shape(conditions[index].__geo_interface__)
