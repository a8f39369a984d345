"""Tests polygons and corridors as the report draws them, compared with planar geometry and sampled geodesics."""

from __future__ import annotations

import math
import random
from itertools import pairwise

import pytest

from fencepost import geodesic
from fencepost._log.outlines import Point, corridor, polygon
from fencepost._log.web_mercator import Ring, near, x_of, y_of

shapely = pytest.importorskip("shapely")
numpy = pytest.importorskip("numpy")
TURN = x_of(360)


def drawn(polygons: list[list[Ring]]) -> object:
    """The filled area of a map; each polygon is filled by the even-odd rule."""
    areas = []
    for rings in polygons:
        area = shapely.Polygon()
        for ring in rings:
            area = area.symmetric_difference(shapely.make_valid(shapely.Polygon(list(zip(*ring)))))
        areas.append(area)
    return shapely.unary_union(areas)


def holds(area: object, latitude: float, longitude: float) -> bool:
    """Returns True if a point is filled in at least one of the copies of the world that the map shows."""
    x, y = x_of(longitude), y_of(latitude)
    return any(area.contains(shapely.Point(x + turn * TURN, y)) for turn in (-1, 0, 1))  # type: ignore[attr-defined]


def star(rng: random.Random, latitude: float, longitude: float, size: float, corners: int) -> list[Point]:
    turns = [math.tau * corner / corners for corner in range(corners)]
    return [
        (latitude + size * reach * math.cos(turn), longitude + size * reach * math.sin(turn))
        for turn in turns
        if (reach := rng.uniform(0.4, 1.0))
    ]


@pytest.mark.parametrize("longitude", [7.6, 179.9, -179.95])
def test_planar_polygons_are_those_of_the_degrees(longitude: float) -> None:
    rng = random.Random(5)
    outer, hole = star(rng, 47, longitude, 1, 12), star(rng, 47, longitude, 0.2, 5)
    area = drawn(polygon([[outer, hole]], "planar", False, longitude))
    flat = shapely.Polygon([(x, y) for y, x in outer], [[(x, y) for y, x in hole]])
    reported = set()
    for _ in range(500):
        y, x = rng.uniform(46, 48), rng.uniform(longitude - 1, longitude + 1)
        if flat.boundary.distance(shapely.Point(x, y)) > 1e-3:
            reported.add(flat.contains(shapely.Point(x, y)))
            assert holds(area, y, near(x, 0)) == flat.contains(shapely.Point(x, y)), (y, x)
    assert reported == {True, False}


def test_long_edges_follow_the_geodesic() -> None:
    ring = [(50.0, -60.0), (50.0, 60.0), (10.0, 0.0)]
    (((xs, ys),),) = polygon([[ring]], "geodesic", False, 0)
    line = shapely.LinearRing(list(zip(xs, ys)))
    for start, end in pairwise([*ring, ring[0]]):
        length, azimuth, _ = geodesic.inverse(*start, *end)
        for share in (0.1, 0.5, 0.83):
            latitude, longitude, _ = geodesic.direct(*start, azimuth, share * length)
            assert line.distance(shapely.Point(x_of(longitude), y_of(latitude))) < 300  # compared with 8,000 km
    assert y_of(67) < max(ys)  # the geodesic runs far north of both ends


@pytest.mark.parametrize("pole", [1, -1])
@pytest.mark.parametrize("reversed_ring", [False, True])
def test_a_ring_around_a_pole_holds_it(pole: int, reversed_ring: bool) -> None:
    ring = [(pole * (75.0 if step % 2 else 80.0), near(30.0 * step, 0.0)) for step in range(12)]
    area = drawn(polygon([[ring[::-1] if reversed_ring else ring]], "geodesic", False, 20))
    for longitude in range(-180, 180, 7):
        assert holds(area, pole * 84.9, longitude) and not holds(area, pole * 70.0, longitude)


def test_oriented_rings_may_hold_more_than_half_the_earth() -> None:
    square = [(0.0, 0.0), (0.0, 10.0), (10.0, 10.0), (10.0, 0.0)]  # counterclockwise
    for ring, oriented, within in ((square, True, True), (square[::-1], True, False), (square[::-1], False, True)):
        area = drawn(polygon([[ring]], "geodesic", oriented, 5))
        assert holds(area, 5, 5) == within
        assert holds(area, -40, 100) == holds(area, 60, -100) == (not within)
    band = [[(-60.0, float(x)) for x in range(-180, 180, 30)], [(60.0, float(x)) for x in range(150, -181, -30)]]
    area = drawn(polygon([band], "geodesic", True, 0))
    assert holds(area, 0, 100) and not holds(area, 75, 0) and not holds(area, -75, 0)


def test_parts_lie_side_by_side_across_the_antimeridian() -> None:
    west = [(0.0, 179.0), (0.0, 180.0), (1.0, 180.0), (1.0, 179.0)]
    east = [(0.0, -180.0), (0.0, -179.0), (1.0, -179.0), (1.0, -180.0)]
    xs = [x for rings in polygon([[west], [east]], "planar", False, 179.5) for ring in rings for x in ring[0]]
    assert max(xs) - min(xs) == pytest.approx(x_of(2))


@pytest.mark.parametrize(
    ("line", "radius"),
    [
        ([(47.0, 8.0), (47.2, 8.3), (47.1, 8.5)], 500.0),
        ([(47.0, 8.0), (47.2, 8.3), (47.0, 8.02)], 900.0),  # the second leg turns back close to the first one
        ([(-16.5, 179.8), (-16.6, -179.9), (-16.4, -179.5)], 2_000.0),
        ([(60.0, -30.0), (62.0, 30.0)], 40_000.0),
        ([(89.5, 0.0), (89.4, 120.0)], 70_000.0),
        ([(10.0, 10.0)], 1_000.0),
    ],
)
def test_corridors_hold_what_is_near_their_line(line: list[Point], radius: float) -> None:
    rng = random.Random(7)
    area = drawn(corridor([line], radius, "geodesic", line[0][1]))
    latitudes, longitudes = [line[0][0]], [line[0][1]]
    for start, end in pairwise(line):
        length, azimuth, _ = geodesic.inverse(*start, *end)
        for part in range(1, 1001):
            latitude, longitude, _ = geodesic.direct(*start, azimuth, length * part / 1000)
            latitudes.append(latitude)
            longitudes.append(longitude)
    reported = set()
    for _ in range(300):
        at = rng.randrange(len(latitudes))
        latitude, longitude, _ = geodesic.direct(
            latitudes[at], longitudes[at], rng.uniform(0, 360), 2 * radius * rng.random()
        )
        count = len(latitudes)
        distance = min(geodesic.inverse([latitude] * count, [longitude] * count, latitudes, longitudes).distance)
        if abs(distance - radius) > 0.02 * radius and abs(latitude) < 85:
            reported.add(distance < radius)
            assert holds(area, latitude, longitude) == (distance < radius), (latitude, longitude, distance)
    assert reported == {True, False} or line[0][0] > 85
