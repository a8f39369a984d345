"""The probability that the true position is inside, compared with quadratures that share no code with the library's:
boundaries from ``geographiclib`` for circles and polygons, and a polar quadrature with exact signed boundary distances
for corridors and buffers. Set FENCEPOST_FULL=1 for more shapes."""

from __future__ import annotations

import math
import os
import random
from typing import Any

import pytest
from conftest import number_of_cases
from reference_probability import Plane, around, of_circle, of_ring

from fencepost import Circle, Corridor, Polygon, Zones, geodesic

np = pytest.importorskip("numpy")

PLACES = [(90.0, 0.0), (-90.0, 30.0), (89.9999, -20.0), (0.0, 180.0), (12.0, 179.9999), (-67.0, -180.0)]


STEPS = 130  # of each ray, up to 6.5 standard deviations
ERROR = 1e-10  # of each interval of the angle


def by_rays(zones: Zones, plane: Plane) -> float:
    """A polar quadrature: the angle is divided until Simpson's rule agrees with that for the halves. So it
    finds corners of the shape, and rays that touch its line, to a billionth of a turn."""
    turn = 2 * math.pi
    edges = 0.3819 + np.linspace(0, turn, 1025)  # a start that no shape knows
    low, high = edges[:-1], edges[1:]
    at_edges, middle = along(zones, plane, edges), along(zones, plane, (low + high) / 2)
    start, end, total = at_edges[:-1], at_edges[1:], 0.0
    while len(low):
        half, width = (low + high) / 2, high - low
        quarters = along(zones, plane, np.concatenate([(low + half) / 2, (half + high) / 2]))
        first, last = quarters[: len(low)], quarters[len(low) :]
        whole = width / 6 * (start + 4 * middle + end)
        halves = width / 12 * (start + 4 * first + 2 * middle + 4 * last + end)
        apart = (halves - whole) / 15
        is_done = (np.abs(apart) <= ERROR * turn) | (width < 1e-9)
        total += float((halves + apart)[is_done].sum())
        more = ~is_done
        low, high = np.concatenate([low[more], half[more]]), np.concatenate([half[more], high[more]])
        start, end = np.concatenate([start[more], middle[more]]), np.concatenate([middle[more], end[more]])
        middle = np.concatenate([first[more], last[more]])
    return total / turn


def along(zones: Zones, plane: Plane, angle: Any) -> Any:
    """The probability along each ray, from the places at which the exact signed boundary distance changes its sign."""
    rays = len(angle)
    edges = np.linspace(0, 6.5, STEPS + 1)

    def distance(rho: Any, angle: Any) -> Any:
        x, y = plane.major * rho * np.cos(angle), plane.minor * rho * np.sin(angle)
        azimuth = np.degrees(plane.turn - np.arctan2(y, x))
        points = geodesic.direct(np.full(rho.shape, plane.place[0]), np.full(rho.shape, plane.place[1]), azimuth,
                                 np.hypot(x, y))  # fmt: skip
        return zones.nearest(points.latitude, points.longitude).distances

    grid = distance(np.repeat(edges[None], rays, 0).ravel(), np.repeat(angle, STEPS + 1)).reshape(rays, STEPS + 1)
    inside = grid <= 0
    changes = inside[:, 1:] != inside[:, :-1]
    row, column = np.nonzero(changes)
    low, high, was = edges[column], edges[column + 1], inside[row, column]
    # The line can cross a step twice only if the two distances are together at most the length of the step. These steps
    # are divided.
    length = np.hypot(plane.major * np.cos(angle), plane.minor * np.sin(angle)) * edges[1]
    near, step = np.nonzero(~changes & (np.abs(grid[:, 1:]) + np.abs(grid[:, :-1]) <= length[:, None]))
    parts = 64
    fine = edges[step][:, None] + np.linspace(0, edges[1], parts + 1)
    sides = distance(fine.ravel(), np.repeat(angle[near], parts + 1)).reshape(fine.shape) <= 0
    place, part = np.nonzero(sides[:, 1:] != sides[:, :-1])
    row = np.concatenate([row, near[place]])
    low = np.concatenate([low, fine[place, part]])
    high = np.concatenate([high, fine[place, part + 1]])
    was = np.concatenate([was, sides[place, part]])
    for _ in range(35):
        middle = (low + high) / 2
        same = (distance(middle, angle[row]) <= 0) == was
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    weights = np.where(was, -1.0, 1.0) * np.exp(-(low**2) / 2)
    return inside[:, 0] + np.bincount(row, weights, minlength=rays)


def cases(count: int, seed: int) -> Any:
    draw = random.Random(seed)
    for _ in range(count):
        place = draw.choice([*PLACES, *[(draw.uniform(-90, 90), draw.uniform(-180, 180))] * 6])
        size = 10 ** draw.uniform(0, 4.5)
        major = min(10_000, max(0.01, size * 10 ** draw.uniform(-1.5, 0.3)))
        minor = major / draw.choice([1, 1, 10 ** draw.uniform(0, 2), 10 ** draw.uniform(0, 3), 1000])
        fix = around(*place, draw.uniform(0, 360), size * draw.uniform(0, 1.2))
        yield draw, place, size, fix, (major, minor, draw.uniform(0, 360))


SEED = int(os.environ.get("FENCEPOST_SEED", "1"))


@pytest.mark.full
def test_circles_are_those_of_the_reference() -> None:
    print("seed", SEED)
    worst = 0.0
    for draw, place, size, fix, ellipse in cases(number_of_cases(10, 30, 100), SEED):
        radius = size * draw.uniform(0.05, 1.5)
        expected = of_circle(Plane(*fix, ellipse), *place, radius)
        found = Circle(*place, radius=radius).probability(*fix, ellipse=ellipse)
        worst = max(worst, abs(found - expected % 1) if 1e-4 < found < 1 - 1e-4 else 0)
        assert (found - expected + 0.5) % 1 - 0.5 == pytest.approx(0, abs=1e-6), (place, radius, fix, ellipse)
        assert 0 <= found <= 1
    print("largest error", worst)


@pytest.mark.parametrize("sigma", [0.05, 40.0, 3_000.0])
def test_round_errors_and_circles_of_all_sizes(sigma: float) -> None:
    """Distances and radii in standard deviations, on both sides of the limits between the methods."""
    ellipse, fix = (sigma, sigma, 0.0), (47.0, 8.0)
    plane = Plane(*fix, ellipse)
    for distance, radius in [(0, 1), (0.3, 0.1), (2, 2.5), (4.9, 5.1), (5.1, 4.9), (7, 3), (12, 15), (40, 39), (1, 7)]:
        place = around(*fix, 37, distance * sigma)
        found = Circle(*place, radius=radius * sigma).probability(*fix, ellipse=ellipse)
        assert found == pytest.approx(of_circle(plane, *place, radius * sigma), abs=2e-7), (distance, radius)


@pytest.mark.parametrize("corners", [3, 6, 21, 64, 250])
def test_polygons_with_long_and_short_edges(corners: int) -> None:
    draw, ellipse = random.Random(corners), (40.0, 30.0, 20.0)
    for size in [10, 60, 200, 900]:
        ring = star(draw, (47.0, 8.0), size, corners)
        for fix in [(47.0, 8.0), around(47.0, 8.0, 100, 0.6 * size), ring[0]]:
            found = polygon([[ring]]).probability(*fix, ellipse=ellipse)
            expected = of_ring(Plane(*fix, ellipse), ring)
            assert (found - expected + 0.5) % 1 - 0.5 == pytest.approx(0, abs=2e-7), (size, fix)


def star(draw: random.Random, place: tuple[float, float], size: float, corners: int) -> list[tuple[float, float]]:
    return [around(*place, -360 * k / corners + draw.uniform(0, 60 / corners), size * draw.uniform(0.4, 1))
            for k in range(corners)]  # fmt: skip


def parts_of(draw: random.Random, place: tuple[float, float], size: float) -> list[list[Any]]:
    """The parts of a polygon, each with its rings: a star, often with a hole, and up to two smaller stars beside it."""
    hole = [around(*place, -120 * k, size * 0.1) for k in range(3)]
    rings = [star(draw, place, size, draw.choice([3, 4, 7, 12]))]
    parts = [[*rings, hole] if draw.random() < 0.5 else rings]
    for azimuth in draw.choice([(), (), (70,), (20, 200)]):
        parts.append([star(draw, around(*place, azimuth, size * 1.4), size * 0.39, draw.choice([3, 4, 7]))])
    return parts


def polygon(parts: list[list[Any]], **options: Any) -> Polygon:
    coordinates = [[[[longitude, latitude] for latitude, longitude in [*ring, ring[0]]] for ring in part]
                   for part in parts]  # fmt: skip
    return Polygon({"type": "MultiPolygon", "coordinates": coordinates}, edges="geodesic", **options)


@pytest.mark.full
def test_polygons_are_those_of_the_reference() -> None:
    print("seed", SEED)
    several = 0
    for draw, place, size, fix, ellipse in cases(number_of_cases(6, 20, 100), SEED + 1):
        parts = parts_of(draw, place, size)
        several += len(parts) > 1
        plane = Plane(*fix, ellipse)
        expected = sum(of_ring(plane, part[0]) - sum(of_ring(plane, hole) for hole in part[1:]) for part in parts)
        found = polygon(parts).probability(*fix, ellipse=ellipse)
        assert (found - expected + 0.5) % 1 - 0.5 == pytest.approx(0, abs=1e-6), (parts, fix, ellipse)
    assert several > 0


@pytest.mark.full
@pytest.mark.parametrize("kind", ["corridor", "buffer"])
def test_corridors_and_buffers_are_those_of_the_reference(kind: str) -> None:
    print("seed", SEED)
    worst = 0.0
    for draw, place, size, fix, ellipse in cases(number_of_cases(2, 5, 20), SEED + 2):
        if kind == "corridor":
            way, azimuth = [place], draw.uniform(0, 360)
            for _ in range(draw.choice([0, 1, 2, 5, 9])):
                azimuth += draw.gauss(0, draw.choice([0, 10, 60, 120]))
                way.append(around(*way[-1], azimuth, size * draw.uniform(0.05, 1)))
            radius = size * 10 ** draw.uniform(-1, 0.3)
            shape: Corridor | Polygon = Corridor(way, radius=radius, order="latlon", edges="geodesic")
        else:
            shape = polygon(parts_of(draw, place, size), buffer=size * draw.uniform(-0.1, 0.5))
        zones = Zones({"shape": shape})
        expected = by_rays(zones, Plane(*fix, ellipse))
        found = zones.probability("shape", *fix, ellipse=ellipse)
        worst = max(worst, abs(found - expected))
        assert found == pytest.approx(expected, abs=1e-6), (shape, fix, ellipse)
    print("largest error", worst)
