"""The probability that the true position is inside, compared with quadratures that share no code with the library's:
boundaries from ``geographiclib`` for circles and polygons, and a polar quadrature with exact signed boundary distances
for corridors and buffers. Set FENCEPOST_FULL=1 for more shapes."""

from __future__ import annotations

import math
import os
import random
from typing import Any

import pytest
from conftest import IS_FULL
from reference_probability import Plane, around, of_circle, of_ring

from fencepost import Circle, Corridor, Polygon, Zones, geodesic

np = pytest.importorskip("numpy")

PLACES = [(90.0, 0.0), (-90.0, 30.0), (89.9999, -20.0), (0.0, 180.0), (12.0, 179.9999), (-67.0, -180.0)]


def by_rays(zones: Zones, plane: Plane, rays: int, steps: int) -> float:
    """A polar quadrature: along each ray, the places at which the exact signed boundary distance changes its sign."""
    # Equal steps with a start that no shape knows.
    angle = (np.arange(rays) + 0.3819) * (2 * math.pi / rays)
    edges = np.linspace(0, 6.5, steps + 1)

    def distance(rho: Any, angle: Any) -> Any:
        x, y = plane.major * rho * np.cos(angle), plane.minor * rho * np.sin(angle)
        azimuth = np.degrees(plane.turn - np.arctan2(y, x))
        points = geodesic.direct(np.full(rho.shape, plane.place[0]), np.full(rho.shape, plane.place[1]), azimuth,
                                 np.hypot(x, y))  # fmt: skip
        return zones.nearest(points.latitude, points.longitude).distances

    grid = distance(np.repeat(edges[None], rays, 0).ravel(), np.repeat(angle, steps + 1)).reshape(rays, steps + 1)
    inside = grid <= 0
    total = inside[:, 0].sum(dtype=float)
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
    for _ in range(30):
        middle = (low + high) / 2
        same = (distance(middle, angle[row]) <= 0) == was
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    total += (np.where(was, -1.0, 1.0) * np.exp(-(low**2) / 2)).sum()
    return float(total / rays)


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


def test_circles_are_those_of_the_reference() -> None:
    print("seed", SEED)
    worst = 0.0
    for draw, place, size, fix, ellipse in cases(200 if IS_FULL else 12, SEED):
        radius = size * draw.uniform(0.05, 1.5)
        expected = of_circle(Plane(*fix, ellipse), *place, radius)
        found = Circle(*place, radius=radius).probability(*fix, ellipse=ellipse)
        worst = max(worst, abs(found - expected % 1) if 1e-4 < found < 1 - 1e-4 else 0)
        assert (found - expected + 0.5) % 1 - 0.5 == pytest.approx(0, abs=1e-6), (place, radius, fix, ellipse)
        assert 0 <= found <= 1
    print("largest error", worst)


def test_polygons_are_those_of_the_reference() -> None:
    print("seed", SEED)
    for draw, place, size, fix, ellipse in cases(100 if IS_FULL else 6, SEED + 1):
        count = draw.choice([3, 4, 7, 12])
        ring = [around(*place, -360 * k / count + draw.uniform(0, 60 / count), size * draw.uniform(0.4, 1))
                for k in range(count)]  # fmt: skip
        holes = [[around(*place, -120 * k, size * 0.1) for k in range(3)]] if draw.random() < 0.5 else []
        plane = Plane(*fix, ellipse)
        expected = of_ring(plane, ring) - sum(of_ring(plane, hole) for hole in holes)
        found = Polygon(ring, holes=holes, order="latlon", edges="geodesic").probability(*fix, ellipse=ellipse)
        assert (found - expected + 0.5) % 1 - 0.5 == pytest.approx(0, abs=1e-6), (ring, holes, fix, ellipse)


@pytest.mark.parametrize("kind", ["corridor", "buffer"])
def test_corridors_and_buffers_are_those_of_the_reference(kind: str) -> None:
    print("seed", SEED)
    rays, steps, bound = (20_000, 200, 2e-6) if IS_FULL else (4_000, 130, 2e-5)
    for draw, place, size, fix, ellipse in cases(40 if IS_FULL else 3, SEED + 2):
        if kind == "corridor":
            way, azimuth = [place], draw.uniform(0, 360)
            for _ in range(draw.choice([0, 1, 2, 5, 9])):
                azimuth += draw.gauss(0, draw.choice([0, 10, 60, 120]))
                way.append(around(*way[-1], azimuth, size * draw.uniform(0.05, 1)))
            radius = size * 10 ** draw.uniform(-1, 0.3)
            shape: Corridor | Polygon = Corridor(way, radius=radius, order="latlon", edges="geodesic")
        else:
            ring = [around(*place, -360 * k / 7, size * draw.uniform(0.5, 1)) for k in range(7)]
            shape = Polygon(ring, order="latlon", edges="geodesic", buffer=size * draw.uniform(-0.1, 0.5))
        zones = Zones({"shape": shape})
        expected = by_rays(zones, Plane(*fix, ellipse), rays, steps)
        found = zones.probability("shape", *fix, ellipse=ellipse)
        assert found == pytest.approx(expected, abs=bound), (shape, fix, ellipse)
