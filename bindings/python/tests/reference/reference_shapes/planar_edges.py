"""Implements rule 4: an edge that is straight on a map of longitude and latitude is replaced with geodesics between
points at equal steps along the edge."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

from .defects import Defect
from .vertices import Vertex, reduced

EQUATORIAL_RADIUS = 6378137.0
TOLERANCE = 0.1  # the largest distance between the straight line and the geodesics, in metres


def turn(longitude1: float, longitude2: float) -> float:
    """Returns the change from one longitude to the other by rule 3: the shorter way round."""
    way = longitude2 - longitude1
    if way > 180:
        return way - 360
    return way + 360 if way < -180 else way


def count(latitude1: float, longitude1: float, latitude2: float, longitude2: float) -> int:
    east = math.radians(abs(turn(longitude1, longitude2)))
    north = math.radians(abs(latitude2 - latitude1))
    s = max(abs(math.sin(math.radians(latitude1))), abs(math.sin(math.radians(latitude2))))
    nearest_to_equator = 0.0 if latitude1 * latitude2 <= 0 else min(abs(latitude1), abs(latitude2))
    c = math.cos(math.radians(nearest_to_equator))
    sagitta = 0.26 * EQUATORIAL_RADIUS * east * s * math.hypot(north, c * east)
    return max(1, math.ceil(math.sqrt(sagitta / TOLERANCE)))


def as_written(given: Any, vertices: list[Vertex], is_ring: bool) -> list[Vertex]:
    """Returns the vertices, and adds vertices to the edges that would change if only their longitudes were reduced. An
    edge that spans at least 180 degrees of longitude gets vertices at most 120 degrees apart. An edge along a meridian
    from pole to pole gets a vertex on the equator."""
    result = []
    for index, vertex in enumerate(vertices):
        result.append(vertex)
        if index + 1 == len(vertices) and not is_ring:
            break
        (longitude, latitude), (end, north) = given[index][:2], given[(index + 1) % len(given)][:2]
        if abs(end - longitude) >= 180:
            pieces = 1 if latitude == north and abs(latitude) == 90 else math.ceil(abs(end - longitude) / 120)
        else:
            pieces = 2 if end == longitude and abs(north - latitude) == 180 else 1
        for piece in range(1, pieces):
            east, rise = (end - longitude) * (piece / pieces), (north - latitude) * (piece / pieces)
            result.append(Vertex(latitude + rise, reduced(longitude + east), vertex.number))
    return result


def is_drawn_left(ring: Any) -> bool | None:
    """Returns True if the area that a ring encloses on the map lies to the ring's left, and None if the ring spans less
    than 180 degrees of longitude."""
    longitudes = [place[0] for place in ring]
    if max(longitudes) - min(longitudes) < 180:
        return None
    doubled = sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(ring, [*ring[1:], ring[0]]))
    return None if doubled == 0 else doubled > 0


def densified(start: Vertex, end: Vertex, where: tuple[int, int]) -> list[Vertex]:
    """Returns the points between two vertices, from `start` to `end`; each point has the number of the vertex at which
    its edge starts."""
    if abs(turn(start.longitude, end.longitude)) == 180:
        raise Defect("edge_too_long", (*where, start.number))
    lesser, greater = sorted((start, end), key=lambda vertex: (vertex.latitude, vertex.longitude))
    n = count(lesser.latitude, lesser.longitude, greater.latitude, greater.longitude)
    east, north = turn(lesser.longitude, greater.longitude), greater.latitude - lesser.latitude
    points = [
        Vertex(lesser.latitude + north * k / n, reduced(lesser.longitude + east * k / n), start.number)
        for k in range(1, n)
    ]
    return points if lesser is start else points[::-1]


def number_of_vertices(lines: list[list[Vertex]], is_ring: bool) -> int:
    """Returns the total number of vertices."""
    total = 0
    for line in lines:
        pairs = zip(line, line[1:] + line[:1]) if is_ring else pairwise(line)
        total += (not is_ring) + sum(count(*a[:2], *b[:2]) for a, b in pairs if a.place != b.place)
    return total


def drawn(vertices: list[Vertex], is_ring: bool, where: tuple[int, int]) -> list[Vertex]:
    """Returns the vertices of the geodesics that replace the planar edges between different vertices.

    In the returned list, vertices at a pole keep their longitudes, because the line leaves the pole along the stated
    longitude.
    """
    result = []
    for index, vertex in enumerate(vertices):
        result.append(vertex)
        if is_ring or index + 1 < len(vertices):
            following = vertices[(index + 1) % len(vertices)]
            if vertex.place != following.place:
                result += densified(vertex, following, where)
    return result
