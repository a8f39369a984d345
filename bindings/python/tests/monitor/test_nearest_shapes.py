"""Tests that the nearest polygons and corridors are those with the smallest distances, and that the query returns
exactly these distances, bit for bit. The bounds select the candidates, and exact distances are computed only for the
candidates."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from conftest import IS_FULL

from fencepost import Corridor, Monitor, Polygon
from fencepost.errors import InvalidArgumentError

Point = tuple[float, float]


def moved(place: Point, degrees: float, metres: float) -> Point:
    """Moves a point by about the given distance; near a pole, the distance is not accurate."""
    way = math.radians(degrees)
    latitude = max(-90.0, min(90.0, place[0] + metres * math.cos(way) / 111_000))
    wide = max(math.cos(math.radians(latitude)), 1e-3)
    return latitude, math.remainder(place[1] + metres * math.sin(way) / 111_000 / wide, 360)


def shape(world: random.Random, middle: Point, size: float) -> Any:
    if world.random() < 0.3:
        path = [middle, moved(middle, world.uniform(0, 360), size)]
        return Corridor(path, size * world.uniform(0.01, 0.4), edges="geodesic", order="latlon")
    corners = world.choice([3, 5, 12, 60])
    ring = [moved(middle, 360 * n / corners, size * world.uniform(0.5, 1)) for n in range(corners)]
    buffer = size * world.uniform(-0.1, 0.3) if world.random() < 0.3 else 0
    return Polygon(ring, buffer=buffer, edges="geodesic", order="latlon")


@pytest.mark.parametrize("number", range(60 if IS_FULL else 12))
def test_nearest_is_what_all_distances_say(number: int) -> None:
    world = random.Random(f"nearest {number}")
    latitude, longitude = world.uniform(-80, 80), world.uniform(-180, 180)
    home = (89.9 if number % 6 == 0 else latitude, 179.95 if number % 4 == 0 else longitude)
    spread = 10 ** world.uniform(2, 6.5)
    monitor, shapes = Monitor(), {}
    for index in range(60):
        middle = moved(home, world.uniform(0, 360), spread * world.random())
        # In some cases the shapes are far apart; in others, each point has many shapes around it.
        size = max(spread * 10 ** world.uniform(-2.5, -0.3), 5)
        try:
            condition = shape(world, middle, min(size, 2e6))
            monitor.add(condition, str(index))
        except InvalidArgumentError:
            continue
        shapes[str(index)] = condition
    assert len(shapes) > 30
    for _ in range(20):
        point = moved(home, world.uniform(0, 360), spread * world.uniform(0, 1.4))
        ranked = sorted(
            ((name, condition.distance(*point)) for name, condition in shapes.items()), key=lambda item: abs(item[1])
        )
        for k in (1, 2, 7, len(shapes)):
            assert list(monitor.nearest(*point, k=k).items()) == ranked[:k], (number, point, k)
