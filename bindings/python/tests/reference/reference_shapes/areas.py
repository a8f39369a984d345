"""The area to the left of a ring, as seen in the direction of the ring (rule 5)."""

from __future__ import annotations

from typing import Any

from geographiclib.geodesic import Geodesic

from .defects import Defect
from .edge import Edge
from .exact_geodesic import dot, exact_vector, minus, mp

EARTH = 510_065_621_724_088.5
WIDTH = 1e-6  # in metres; a shape narrower than this has no area
SAME = EARTH * 1e-6
FLAT = 20_000.0  # perimeter in metres; the area of a ring with a smaller perimeter is measured on its tangent plane


def left_area(edges: list[Edge]) -> float:
    """Returns the area in square metres to the left of a closed ring, between 0 and the Earth's area."""
    polygon = Geodesic.WGS84.Polygon()
    for edge in edges:
        polygon.AddPoint(edge.start.latitude, edge.start.longitude)
    return float(polygon.Compute(False, False)[2])


def _flat_area(edges: list[Edge]) -> Any:
    """Returns the signed area of a small ring in square metres, with 32 digits; the area of a counterclockwise ring is
    positive."""
    points = [exact_vector(edge.start.latitude, edge.start.longitude) for edge in edges]
    origin = points[0]
    east = (-origin[1], origin[0], mp.mpf(0)) if origin[0] or origin[1] else (mp.mpf(0), mp.mpf(1), mp.mpf(0))
    size = mp.sqrt(dot(east, east))
    east = (east[0] / size, east[1] / size, east[2] / size)
    up = (origin[0], origin[1], origin[2] * mp.mpf("1.00673949674227643495478"))
    size = mp.sqrt(dot(up, up))
    up = (up[0] / size, up[1] / size, up[2] / size)
    north = (up[1] * east[2] - up[2] * east[1], up[2] * east[0] - up[0] * east[2], up[0] * east[1] - up[1] * east[0])
    flat = [(dot(minus(p, origin), east), dot(minus(p, origin), north)) for p in points]
    return sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in zip(flat, flat[1:] + flat[:1])) / 2


def encloses_left(edges: list[Edge], is_oriented: bool) -> bool:
    """Returns True if the enclosed area lies to the left of the ring in its listed order."""
    where = (edges[0].part, edges[0].ring, None)
    perimeter = sum(edge.length for edge in edges)
    if perimeter < FLAT:
        flat = _flat_area(edges)
        if abs(flat) < WIDTH * perimeter:
            raise Defect("no_area", where)
        return is_oriented or flat > 0
    left = left_area(edges)
    if min(left, EARTH - left) < WIDTH * perimeter:
        raise Defect("no_area", where)
    if is_oriented:
        return True
    if abs(EARTH - 2 * left) < SAME:
        raise Defect("which_side", where)
    return left < EARTH / 2
