"""Outlines of polygons, corridors and gates on a Web Mercator map; an outline may cross the antimeridian or surround a
pole.

An outline is a list of polygons, each with an outer ring and its holes, in Web Mercator metres.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from .._errors import require
from .._native import direct_into, inverse
from .web_mercator import MOST_NORTH, Ring, circle, near, unwrapped, world, x_of, y_of

Point = tuple[float, float]
"""Latitude and longitude, in degrees."""
Polygons = list[list[Ring]]
"""A list of polygons; each polygon is a list of rings: an outer ring and its holes."""

_LONGEST = 20_000.0
"""Maximum distance between two points of an outline, in metres. Up to a high zoom, the drawn line deviates from the
geodesic by less than a pixel."""
_MOST_STEPS = 256
_ROUND = 24
"""The number of points on the half circle around each end of a corridor."""


def polygon(parts: Sequence[Sequence[Sequence[Point]]], edges: str, oriented: bool, reference: float) -> Polygons:
    """The outlines of a polygon's parts.

    Args:
        parts: The parts. Each part is a list of rings. A ring has at least three vertices, and its last vertex does not
            repeat the first.
        edges: ``geodesic``, or ``planar`` for straight lines in degrees.
        oriented: True if the polygon lies to the left of its rings. If False, each ring encloses the smaller of the two
            areas that it bounds.
        reference: Longitude, in degrees, near which to draw the polygon.
    """
    drawn = []
    for rings in parts:
        outer = _region(rings[0], edges, oriented, reference)
        middle = (min(outer[-1][0]) + max(outer[-1][0])) / 2
        # A hole lies to the right of its ring, so the ring is reversed before it is read as a region.
        holes = [
            ring for hole in rings[1:] for ring in _region(hole[::-1] if oriented else hole, edges, oriented, middle)
        ]
        drawn.append([*outer, *holes])
    return in_metres(drawn)


def corridor(lines: Sequence[Sequence[Point]], radius: float, edges: str, reference: float) -> Polygons:
    """The area within `radius` metres of the lines.

    Args:
        lines: The lines, each with at least one vertex, as latitudes and longitudes.
        radius: Metres.
        edges: ``geodesic``, or ``planar`` for straight lines in degrees.
        reference: Longitude, in degrees, near which to draw the corridor.

    Raises:
        MissingExtraError: shapely is not installed; it computes the union of the pieces.
    """
    shapely = require("shapely", "report")
    pieces = []
    for line in lines:
        middle = reference
        for start, end in pairwise(line) if len(line) > 1 else [(line[0], line[0])]:
            pieces += [_patch(shapely, region) for region in _stretches(start, end, radius, edges, middle)]
            middle = near(end[1], near(start[1], middle))
    united = shapely.unary_union(pieces)
    # Latitudes beyond the map's edge are clamped to the edge. Pieces beyond the edge thus become lines, which are
    # dropped.
    found = [each for each in shapely.get_parts(united) if each.geom_type == "Polygon"]
    return [[_ring(ring) for ring in (each.exterior, *each.interiors)] for each in found]


def lines(found: Sequence[Sequence[Point]], edges: str, reference: float) -> Polygons:
    """Converts each line to a polygon of zero area, which follows the line to its end and back."""
    drawn: list[list[Ring]] = []
    for line in found:
        points = [point for start, end in pairwise(line) for point in _edge(start, end, edges)[:-1]] + [line[-1]]
        longitudes = unwrapped([longitude for _, longitude in points], reference)
        latitudes = [latitude for latitude, _ in points]
        drawn.append([(longitudes + longitudes[-2:0:-1], latitudes + latitudes[-2:0:-1])])
    return in_metres(drawn)


def in_metres(polygons: Iterable[Iterable[Ring]]) -> Polygons:
    """Converts rings from degrees to Web Mercator metres."""
    return [[([x_of(x) for x in ring[0]], [y_of(y) for y in ring[1]]) for ring in rings] for rings in polygons]


def _region(vertices: Sequence[Point], edges: str, oriented: bool, reference: float) -> list[Ring]:
    """The region that one ring encloses."""
    closed = [*vertices, vertices[0]]
    points = [point for start, end in pairwise(closed) for point in _edge(start, end, edges)[:-1]]
    longitudes = unwrapped([longitude for _, longitude in [*points, points[0]]], reference)
    latitudes = [latitude for latitude, _ in [*points, points[0]]]
    turn = longitudes[-1] - longitudes[0]
    if abs(turn) > 180:
        # The ring contains a pole: draw it from one side of the map to the other, and close it along the map's top or
        # bottom edge.
        lean = sum(
            math.sin(math.radians((a + b) / 2)) * (to - at)
            for a, b, at, to in zip(latitudes, latitudes[1:], longitudes, longitudes[1:])
        )
        north = turn > 0 if oriented else lean * turn > 0
        edge = MOST_NORTH if north else -MOST_NORTH
        return [([*longitudes, longitudes[-1], longitudes[0]], [*latitudes, edge, edge])]
    ring = longitudes[:-1], latitudes[:-1]
    doubled = sum(at * b - to * a for a, b, at, to in zip(latitudes, latitudes[1:], longitudes, longitudes[1:]))
    if oriented and doubled < 0:  # the ring is clockwise, so the region is everything outside the ring
        return [world((min(ring[0]) + max(ring[0])) / 2), ring]
    return [ring]


def _edge(start: Point, end: Point, edges: str) -> list[Point]:
    """Points along an edge, including both ends."""
    if edges == "planar":
        is_at_pole = abs(start[0]) == 90 and start[0] == end[0]
        span = (near(end[1], start[1]) if is_at_pole else end[1]) - start[1]
        steps = min(max(math.ceil(math.hypot(end[0] - start[0], span)), 1), _MOST_STEPS)
        shares = [step / steps for step in range(1, steps)]
        between = [(start[0] + share * (end[0] - start[0]), start[1] + share * span) for share in shares]
        return [start, *between, end]
    length, azimuth, _ = _inverse(start, end)
    steps = min(max(math.ceil(length / _LONGEST), 1), _MOST_STEPS)
    if steps == 1:
        return [start, end]
    return [start, *_direct(start, [azimuth], [length * step / steps for step in range(1, steps)]), end]


def _inverse(start: Point, end: Point) -> tuple[float, float, float]:
    return inverse(start[0], near(start[1], 0.0), end[0], near(end[1], 0.0))


def _direct(start: Point, azimuths: Sequence[float], distances: Sequence[float]) -> list[Point]:
    """The end points of the geodesics that start at one point. If `azimuths` or `distances` has a single element, that
    element is used with all elements of the other list."""
    count = max(len(azimuths), len(distances))
    latitudes, longitudes, arrived = (array("d", bytes(8 * count)) for _ in range(3))
    direct_into(
        array("d", [start[0]]), array("d", [near(start[1], 0.0)]), array("d", azimuths), array("d", distances),
        latitudes, longitudes, arrived,
    )  # fmt: skip
    return list(zip(latitudes, longitudes))


def _stretches(start: Point, end: Point, radius: float, edges: str, reference: float) -> Polygons:
    """The area within `radius` of an edge, as polygons in degrees. The edge is cut into pieces that are short enough to
    count as straight, and each piece has polygons of its own."""
    pieces: list[list[Ring]] = []
    for at, to in pairwise(_edge(start, end, edges)):
        middle = near(at[1], reference)
        length, ahead, behind = _inverse(at, to)
        if length == 0 or any(_holds_pole(place, radius) for place in (at, to)):
            pieces += [circle(place[0], near(place[1], middle), radius, 4 * _ROUND) for place in (at, to)]
            continue
        turns = [180 * step / _ROUND for step in range(_ROUND + 1)]
        outline = _direct(to, [behind - 90 + turn for turn in turns], [radius])
        outline += _direct(at, [ahead + 90 + turn for turn in turns], [radius])
        pieces.append([(unwrapped([longitude for _, longitude in outline], middle), [point[0] for point in outline])])
        reference = middle
    return pieces


def _holds_pole(place: Point, radius: float) -> bool:
    return any(inverse(place[0], 0.0, pole, 0.0)[0] <= radius for pole in (90.0, -90.0))


def _patch(shapely: Any, region: list[Ring]) -> Any:
    outer, *holes = ([(x_of(x), y_of(y)) for x, y in zip(*ring)] for ring in region)
    return shapely.make_valid(shapely.Polygon(outer, holes))


def _ring(line: Any) -> Ring:
    coordinates = list(line.coords)[:-1]
    return [x for x, _ in coordinates], [y for _, y in coordinates]
