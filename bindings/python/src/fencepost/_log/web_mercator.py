"""Computes shapes on a Web Mercator map: tracks and geodesic circles; a shape may cross the antimeridian or surround a
pole."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Sequence

from .._native import direct_into, inverse

EARTH_RADIUS = 6_378_137.0
"""Radius of the sphere of EPSG:3857, in metres."""
MOST_NORTH = 85.0511287798066
"""The latitude of the map's northern edge in degrees; with this edge the map is a square."""
_ALL_AROUND = 20_003_931.5
"""The length of half a meridian in metres. Two points on the Earth are never farther apart than half a meridian."""

Ring = tuple[list[float], list[float]]
"""Longitudes and latitudes of a ring, in degrees; the first point is not repeated at the end."""


def x_of(longitude: float) -> float:
    """The easting, in metres, of a longitude in degrees."""
    return math.radians(longitude) * EARTH_RADIUS


def y_of(latitude: float) -> float:
    """The northing, in metres, of a latitude in degrees. Latitudes beyond the map's edge are clamped to the edge,
    because the poles are infinitely far away on the map."""
    clamped = math.radians(max(-MOST_NORTH, min(MOST_NORTH, latitude)))
    return EARTH_RADIUS * math.asinh(math.tan(clamped))


def near(longitude: float, reference: float) -> float:
    """The longitude, shifted by a multiple of 360 degrees so that it lies within 180 degrees of the reference."""
    return longitude + 360 * round((reference - longitude) / 360)


def unwrapped(longitudes: Iterable[float], reference: float) -> list[float]:
    """Shifts the first longitude by a multiple of 360 degrees to within 180 degrees of the reference, and each other
    longitude to within 180 degrees of the previous one."""
    result = []
    for longitude in longitudes:
        reference = near(longitude, reference)
        result.append(reference)
    return result


def circle(latitude: float, longitude: float, radius: float, corners: int = 180) -> list[Ring]:
    """The outline of all points within a geodesic distance of `radius`. If there is a second ring, it is a hole.

    The corners are end points of geodesics of length `radius` (Karney 2013). If a pole is inside, the outline also
    follows the map's edge at that pole. If both poles are inside, the region is the whole map except a hole.

    Args:
        latitude: Latitude of the centre in degrees.
        longitude: Longitude of the centre in degrees. The outline is not cut at the antimeridian, so its longitudes may
            exceed ±180.
        radius: The radius in metres.
        corners: The number of corners.
    """
    if radius >= _ALL_AROUND:
        return [world(longitude)]
    column = array("d", bytes(8 * corners))
    latitudes, longitudes, azimuths = array("d", column), array("d", column), array("d", column)
    turns = array("d", [360 * corner / corners for corner in range(corners)])
    north_from, east_from = array("d", [latitude]), array("d", [near(longitude, 0.0)])
    direct_into(north_from, east_from, turns, array("d", [radius]), latitudes, longitudes, azimuths)
    north, south = (inverse(latitude, 0.0, pole, 0.0)[0] <= radius for pole in (90.0, -90.0))
    if north and south:
        # The circle contains both poles: its outline encloses the area outside the circle.
        middle = longitude + 180
        return [world(middle), (unwrapped(longitudes, middle), list(latitudes))]
    if not north and not south:
        return [(unwrapped(longitudes, longitude), list(latitudes))]
    # If the circle contains one pole, draw its outline from one side of the map to the other, then back along the map's
    # edge.
    left, right = longitude - 180, longitude + 180
    edge = MOST_NORTH if north else -MOST_NORTH
    order = sorted(range(corners), key=lambda corner: near(longitudes[corner], longitude))
    along = [near(longitudes[corner], longitude) for corner in order]
    heights = [latitudes[corner] for corner in order]
    side = (heights[0] + heights[-1]) / 2
    return [([left, *along, right, right, left], [side, *heights, side, edge, edge])]


def world(middle: float) -> Ring:
    """The ring of the whole map, centred on a longitude."""
    left, right = middle - 180, middle + 180
    return [left, right, right, left], [MOST_NORTH, MOST_NORTH, -MOST_NORTH, -MOST_NORTH]


def thinned(points: Sequence[tuple[float, float]], most: int) -> list[int]:
    """Returns the indices of the points to keep, at most `most` of them. Leaves out points that are closer to the
    previous kept point than the size of a cell.

    The cell is a fraction of the extent, so that omitted points are invisible at the initial zoom.
    """
    if len(points) <= most:
        return list(range(len(points)))
    xs, ys = [point[0] for point in points], [point[1] for point in points]
    extent = max(max(xs) - min(xs), max(ys) - min(ys)) or 1.0
    step = extent / 20_000
    while True:
        kept = [0]
        for index in range(1, len(points)):
            last = points[kept[-1]]
            if max(abs(points[index][0] - last[0]), abs(points[index][1] - last[1])) >= step:
                kept.append(index)
        if kept[-1] != len(points) - 1:
            kept.append(len(points) - 1)
        if len(kept) <= most:
            return kept
        step *= 2
