"""Generates zones, both as rows for the SQL hosts and as conditions for the Python package, and drives through these
zones."""

from __future__ import annotations

import random
from typing import Any

import shapely

from fencepost import Circle, Corridor, Fix, Polygon

Zone = tuple[str, bytes, str | None]


def zones(seed: int, count: int = 30) -> tuple[list[Zone], dict[str, Any]]:
    """Returns circles, polygons with holes and corridors around Basel in two forms: as rows for SQL, and as conditions
    by identifier for Python."""
    rng = random.Random(seed)
    rows: list[Zone] = []
    conditions: dict[str, Any] = {}
    for number in range(count):
        name = f"zone {number:02d}"
        longitude, latitude = rng.uniform(7.5, 7.7), rng.uniform(47.5, 47.6)
        radius = rng.choice([150.0, 400.0, 900.0])
        kind = rng.choice(["circle", "polygon", "holed", "corridor"])
        if kind == "circle":
            rows.append((name, shapely.Point(longitude, latitude).wkb, f"radius={radius}"))
            conditions[name] = Circle(latitude, longitude, radius=radius)
            continue
        if kind == "corridor":
            points = [(longitude + rng.uniform(-0.02, 0.02), latitude + rng.uniform(-0.02, 0.02)) for _ in range(4)]
            line = shapely.LineString(points)
            rows.append((name, line.wkb, f"radius={radius}"))
            conditions[name] = Corridor(line, radius=radius, edges="planar")
            continue
        shape = shapely.Point(longitude, latitude).buffer(rng.uniform(0.003, 0.015), quad_segs=rng.randint(1, 8))
        if kind == "holed":
            shape = shape.difference(shapely.Point(longitude, latitude).buffer(0.002, quad_segs=2))
        rows.append((name, shape.wkb, None))
        conditions[name] = Polygon(shape, edges="planar")
    return rows, conditions


def drive(seed: int, fixes: int = 400, step_s: int = 15) -> list[Fix]:
    """A random walk that turns, with random accuracies."""
    rng = random.Random(seed)
    latitude, longitude, north, east = rng.uniform(47.5, 47.6), rng.uniform(7.5, 7.7), 0.001, 0.0
    found = []
    for number in range(fixes):
        north, east = north + rng.uniform(-0.0005, 0.0005), east + rng.uniform(-0.0005, 0.0005)
        north, east = max(-0.002, min(0.002, north)), max(-0.002, min(0.002, east))
        latitude, longitude = latitude + north, longitude + east
        if not 47.48 < latitude < 47.62:
            north = -north
        if not 7.48 < longitude < 7.72:
            east = -east
        time_us = 1_700_000_000_000_000 + number * step_s * 1_000_000 + rng.randrange(1_000_000)
        found.append(Fix(latitude, longitude, accuracy=rng.choice([0.0, 5.0, 30.0]), time=time_us))
    return found


def damaged(rng: random.Random, good: bytes) -> bytes:
    """Bytes with one bit changed, truncated bytes, or random bytes."""
    match rng.randrange(3):
        case 0:
            at = rng.randrange(len(good))
            return good[:at] + bytes([good[at] ^ 1 << rng.randrange(8)]) + good[at + 1 :]
        case 1:
            return good[: rng.randrange(len(good))]
        case _:
            return rng.randbytes(rng.randrange(300))
