"""Converts circles to polygons of longitude and latitude. Every corner lies on the geodesic circle.

The rules of GeoJSON apply (RFC 7946): polygons are cut at the antimeridian, exterior rings are counterclockwise and
holes clockwise, and the last position of a ring repeats the first. A circle around a pole extends to the edge of the
map at that pole.
"""

from __future__ import annotations

from array import array
from typing import Any

from .._native import InvalidArgumentError, direct_into, inverse
from .._tables.numbers import radius_in_metres, real

Position = tuple[float, float]
"""Longitude and latitude, in degrees."""
Ring = list[Position]
MOST_CORNERS = 1_000_000
_WORLD: Ring = [(-180.0, -90.0), (180.0, -90.0), (180.0, 90.0), (-180.0, 90.0)]


def circle_geometry(latitude: float, longitude: float, radius: float, corners: int = 180) -> dict[str, Any]:
    """A GeoJSON Polygon or MultiPolygon; see :func:`fencepost.geodesic.circle`."""
    if isinstance(corners, bool) or not isinstance(corners, int):
        raise TypeError(f"corners must be an int, not {type(corners).__name__}")
    if not 3 <= corners <= MOST_CORNERS:
        raise InvalidArgumentError(f"corners {corners} is not 3 to {MOST_CORNERS}")
    radius = radius_in_metres(radius)
    latitude, longitude = real(latitude, "latitude"), real(longitude, "longitude")
    polygons = [[_closed(ring) for ring in polygon] for polygon in _polygons(latitude, longitude, radius, corners)]
    if len(polygons) == 1:
        return {"type": "Polygon", "coordinates": polygons[0]}
    return {"type": "MultiPolygon", "coordinates": polygons}


def _polygons(latitude: float, longitude: float, radius: float, corners: int) -> list[list[Ring]]:
    opposite = longitude + (180 if longitude <= 0 else -180)
    if radius >= inverse(latitude, longitude, -latitude, opposite)[0]:
        return [[_WORLD]]  # the antipode is inside, and no place is more than a few metres farther away
    north, south = (inverse(latitude, longitude, pole, longitude)[0] <= radius for pole in (90.0, -90.0))
    ring = _outline(latitude, longitude, radius, corners)
    if north and south:
        return [_world_without(ring, opposite)]
    if north or south:
        return [[_around_pole(ring, 90.0 if north else -90.0)]]
    return [[part] for part in _parts(_unwrapped(ring, longitude))]


def _outline(latitude: float, longitude: float, radius: float, corners: int) -> Ring:
    """The corners of a circle, counterclockwise as seen from the centre."""
    latitudes, longitudes, ends = (array("d", bytes(8 * corners)) for _ in range(3))
    turns = array("d", [-360 * corner / corners for corner in range(corners)])
    direct_into(
        array("d", [latitude]), array("d", [longitude]), turns, array("d", [radius]), latitudes, longitudes, ends
    )
    return list(zip(longitudes, latitudes))


def _unwrapped(ring: Ring, reference: float) -> Ring:
    """The ring with longitudes that continue beyond 180 degrees instead of jumping by 360 degrees. The first longitude
    is within 180 degrees of `reference`."""
    found = []
    for x, y in ring:
        reference = x + 360 * round((reference - x) / 360)
        found.append((reference, y))
    return found


def _around_pole(ring: Ring, pole: float) -> Ring:
    """The area between a pole and a line that goes once around the pole and meets each meridian once."""
    line = sorted(((x + 540) % 360 - 180, y) for x, y in ring)
    (west, low), (east, high) = line[0], line[-1]
    gap = west + 360 - east
    side = high if gap == 0 else high + (low - high) * (180 - east) / gap
    around = [(-180.0, side), *line, (180.0, side), (180.0, pole), (-180.0, pole)]
    return around if pole > 0 else around[::-1]


def _parts(ring: Ring) -> list[Ring]:
    """Cuts a ring at the antimeridian, and returns the parts with longitudes of -180 to 180 degrees. The ring's
    longitudes must be between -540 and 540."""
    parts = []
    for shift in (-360.0, 0.0, 360.0):
        part = _clipped(_clipped([(x + shift, y) for x, y in ring], -180.0, 1), 180.0, -1)
        if len({x for x, _ in part}) > 1:
            parts.append(part)
    return parts


def _clipped(ring: Ring, edge: float, side: int) -> Ring:
    """The part of a ring that lies east of a meridian (`side` is 1) or west of it (`side` is -1), by the algorithm of
    Sutherland and Hodgman (1974)."""
    found: Ring = []
    last_x, last_y = ring[-1] if ring else (0.0, 0.0)
    for x, y in ring:
        if (x - edge) * side >= 0:
            if (last_x - edge) * side < 0 and x != edge:
                found.append((edge, last_y + (y - last_y) * (edge - last_x) / (x - last_x)))
            found.append((x, y))
        elif (last_x - edge) * side >= 0 and last_x != edge:
            found.append((edge, last_y + (y - last_y) * (edge - last_x) / (x - last_x)))
        last_x, last_y = x, y
    return found


def _world_without(ring: Ring, opposite: float) -> list[Ring]:
    """The map of the world without the area inside the ring. The area inside the ring becomes a hole in the map or, if
    the ring crosses the antimeridian, is cut out of both side edges of the map."""
    parts = _parts(_unwrapped(ring, opposite))
    if len(parts) == 1:
        return [_WORLD, parts[0]]
    east_bay = _bay(next(part for part in parts if max(part)[0] == 180.0), 180.0)
    west_bay = _bay(next(part for part in parts if min(part)[0] == -180.0), -180.0)
    return [[(-180.0, -90.0), (180.0, -90.0), *east_bay, (180.0, 90.0), (-180.0, 90.0), *west_bay]]


def _bay(part: Ring, edge: float) -> Ring:
    """Returns the path of a ring that touches an edge of the map, without the part of the ring on that edge. The path
    leads from south to north if `edge` is the eastern edge, and from north to south if it is the western edge."""
    north, south = (choose((y, index) for index, (x, y) in enumerate(part) if x == edge)[1] for choose in (max, min))
    begin, end = (south, north) if edge > 0 else (north, south)
    forward = part[begin:] + part[:begin]
    there = forward.index(part[end])
    # Two paths lead around the ring. One of them runs along the edge of the map; return the other path.
    one, other = forward[: there + 1], [forward[0], *reversed(forward[there:])]
    return one if any(x != edge for x, _ in one) else other


def _closed(ring: Ring) -> list[list[float]]:
    positions = [[x, y] for x, y in ring]
    return [*positions, positions[0][:]]
