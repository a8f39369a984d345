"""Tests planar edges, which are straight lines on the map: polygons that are valid in shapely are accepted, and points
lie on the same side as in shapely.

The engine replaces planar edges with geodesics, which lie up to 0.1 m away from the planar edges. An earlier version
therefore refused holes that touch an edge from within, or that lie a millimetre from the edge, as if they crossed it.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest import IS_FULL, SHARED, needs_shared

from fencepost import Monitor, Polygon
from fencepost.errors import InvalidArgumentError

shapely = pytest.importorskip("shapely")

COUNT = 400 if IS_FULL else 40
CLEAR = 0.25
"""Metres. For points closer to the boundary than 0.1 m, the side may differ between the engine and the map."""

Shape = Callable[[float, float], tuple[float, float]]
pytestmark = pytest.mark.filterwarnings("ignore::fencepost.InputWarning")


def where(world: random.Random) -> tuple[float, float, float]:
    """Returns a position and a size, both in degrees. Sizes are dyadic numbers, so that the middle of an edge lies
    exactly on the edge."""
    step = 2.0**-34
    latitude, longitude = round(world.uniform(-75, 75) / step) * step, round(world.uniform(-165, 165) / step) * step
    return latitude, longitude, 2.0 ** world.randint(-13, 3)


def touching_holes(world: random.Random) -> Any:
    """Returns holes with a vertex on an edge of the outer ring; the outer ring is a box or a parallelogram."""
    latitude, longitude, size = where(world)
    u, v = world.choice([((1.0, 0.0), (0.0, 0.25)), ((1.0, 0.125), (0.0, 0.125)), ((1.0, 0.125), (-1.0, 0.125))])

    def at(x: float, y: float) -> tuple[float, float]:
        return longitude + size * (x * u[0] + y * v[0]), latitude + size * (x * u[1] + y * v[1])

    holes = []
    count = world.randint(1, 3)
    for number in range(count):
        middle = math.floor((number + world.choice([0.25, 0.5])) / count * 1024) / 1024
        wide, deep = math.floor(256 / count) / 1024, 2.0 ** -world.randint(1, 14)
        other = middle - wide if world.random() < 0.5 else middle + wide / 2
        holes.append([at(middle, 0), at(middle + wide, deep), at(other, min(2 * deep, 0.9))])
    return shapely.Polygon([at(0, 0), at(1, 0), at(1, 1), at(0, 1)], holes)


def turned(world: random.Random) -> Shape:
    latitude, longitude, size = where(world)
    angle = world.uniform(0, 2 * math.pi)
    cosine, sine = math.cos(angle), math.sin(angle)
    return lambda x, y: (longitude + size * (x * cosine - y * sine), latitude + size * (x * sine + y * cosine) / 2)


def slots(world: random.Random) -> Any:
    """Returns boxes with slots that become narrower, from kilometres to a few micrometres."""
    at, count = turned(world), world.randint(1, 4)
    width = max(10 ** world.uniform(-7, -2), 1e-10 / math.dist(at(0, 0), at(1, 0)))
    ring = [at(0, 0)]
    for number in range(1, count + 1):
        x, lean = number / (count + 1), world.uniform(-0.2, 0.2) / (count + 1)
        ring += [at(x - width / 2, 0), at(x + lean, world.uniform(0.1, 0.95)), at(x + width / 2, 0)]
    return shapely.Polygon([*ring, at(1, 0), at(1, 1), at(0, 1)])


def holes_beside(world: random.Random) -> Any:
    """Returns a hole along an edge, at a distance from the edge between a few micrometres and some kilometres."""
    at = turned(world)
    gap = max(10 ** world.uniform(-8, -2), 1e-10 / math.dist(at(0, 0), at(1, 0)))
    west, east = world.uniform(0.05, 0.4), world.uniform(0.5, 0.95)
    hole = [at(west, gap), at(east, gap * world.uniform(1, 1.5)), at((west + east) / 2, 0.5)]
    return shapely.Polygon([at(0, 0), at(1, 0), at(1, 1), at(0, 1)], [hole])


def cuttings(world: random.Random) -> Any:
    """Returns unions and differences of stars; the rings of the results meet at random places."""
    at = turned(world)

    def star(x: float, y: float, size: float, corners: int) -> Any:
        turn = world.uniform(0, 6)
        ends = [(size * world.uniform(0.3, 1), turn + 2 * math.pi * corner / corners) for corner in range(corners)]
        return shapely.Polygon([at(x + far * math.cos(way), y + far * math.sin(way)) for far, way in ends])

    area = star(0, 0, 1, world.randint(4, 12))
    for _ in range(world.randint(1, 5)):
        other = star(world.uniform(-0.7, 0.7), world.uniform(-0.7, 0.7), world.uniform(0.05, 0.6), world.randint(3, 9))
        try:
            area = area.difference(other) if world.random() < 0.6 else area.union(other)
        except shapely.errors.GEOSException:
            continue  # GEOS failed, so keep the previous area
    return area


def touching_parts(world: random.Random) -> Any:
    """Returns two kinds of parts: squares of a chessboard, which touch each other at vertices, and triangles whose tips
    lie on an edge of the squares."""
    latitude, longitude, size = where(world)
    slant = world.choice([0, 0.125, 0.25])

    def at(x: float, y: float) -> tuple[float, float]:
        return longitude + size * (x + slant * y) / 4, latitude + size * y / 16

    fields = [(x, y) for x in range(3) for y in range(3) if (x + y) % 2 == 0 and world.random() < 0.8]
    parts = [shapely.Polygon([at(x, y), at(x + 1, y), at(x + 1, y + 1), at(x, y + 1)]) for x, y in fields]
    parts.append(shapely.Polygon([at(0.5, 3), at(0, 4), at(1, 3.5 + 2.0 ** -world.randint(2, 10))]))
    return shapely.MultiPolygon(parts)


def expect_sides(monitor: Monitor, area: Any, world: random.Random, what: str) -> None:
    """Checks the sides of points near the area's vertices and of points in the area's bounding box, except for points
    close to the boundary."""
    west, south, east, north = area.bounds
    corners = shapely.get_coordinates(area)
    picked = corners[[world.randrange(len(corners)) for _ in range(60)]]
    spread = np.array([(world.gauss(0, 1), world.gauss(0, 1)) for _ in range(60)]) * max(east - west, 1e-5)
    scales = np.array([10 ** world.uniform(-5, -1) for _ in range(60)])
    anywhere = [(world.uniform(west, east), world.uniform(south, north)) for _ in range(60)]
    points = np.concatenate([picked + spread * scales[:, None], anywhere])
    points = points[(abs(points[:, 0]) <= 180) & (abs(points[:, 1]) <= 90)]
    degrees = shapely.distance(area.boundary, shapely.points(points))
    points = points[degrees * 111_000 * np.cos(np.radians(points[:, 1])) > CLEAR]
    expected = shapely.contains_xy(area, points)
    found = np.diff(monitor.containing(points[:, 1].copy(), points[:, 0].copy()).offsets) > 0
    wrong = points[found != expected]
    assert not len(wrong), f"{what}: {wrong[0]} of {area.wkt[:2000]}"


@pytest.mark.parametrize("make", [touching_holes, slots, holes_beside, cuttings, touching_parts])
def test_what_is_valid_on_the_map_is_accepted(make: Callable[[random.Random], Any]) -> None:
    accepted = 0
    for number in range(COUNT):
        world = random.Random(f"{make.__name__} {number}")
        area = make(world)
        if area.geom_type not in ("Polygon", "MultiPolygon") or area.is_empty or not area.is_valid:
            continue
        monitor = Monitor()
        monitor.add(Polygon(area, edges="planar"), "x")
        expect_sides(monitor, area, world, f"{make.__name__} {number}")
        accepted += 1
    assert accepted > COUNT / 2


def test_what_lies_upon_itself_is_mended_by_rounding() -> None:
    """Points that are closer than a micrometre to each other count as one point; the error names shapely.set_precision
    as the remedy."""
    refused = 0
    for number in range(COUNT):
        world = random.Random(number)
        latitude, longitude, size = where(world)
        gap = 10 ** world.uniform(-13, -10) / size

        def at(x: float, y: float) -> tuple[float, float]:
            return longitude + size * x, latitude + size * y / 2

        hole = [at(0.25, gap), at(0.75, gap), at(0.5, 0.5)]
        area = shapely.Polygon([at(0, 0), at(1, 0), at(1, 1), at(0, 1)], [hole])
        if not area.is_valid:
            continue
        try:
            Monitor().add(Polygon(area, edges="planar"), "x")
        except InvalidArgumentError as error:
            assert str(error).startswith("overlap: ")
            refused += 1
            monitor, mended = Monitor(), shapely.set_precision(area, 1e-8)
            monitor.add(Polygon(mended, edges="planar"), "x")
            expect_sides(monitor, mended, world, f"rounded {number}")
    assert refused > 0


@pytest.mark.parametrize(
    "box",
    [(-170, -20, 170, 20), (-100, -60, 120, 10), (-180, -10, 180, 10), (-180, 66.5, 180, 90), (-130, -90, 140, -60)],
)
def test_wide_boxes_have_the_sides_of_the_map(box: tuple[float, float, float, float]) -> None:
    """Each box whose lower edge is not at the South Pole has a hole that touches the lower edge."""
    west, south, east, north = box
    middle, size = (west + 3 * east) / 4, (north - south) / 4
    holes = [[(middle, south), (middle + 5, south + size), (middle - 5, south + size)]] if south > -90 else []
    area = shapely.Polygon([(west, south), (east, south), (east, north), (west, north)], holes)
    assert area.is_valid
    monitor = Monitor()
    monitor.add(Polygon(area, edges="planar"), "x")
    expect_sides(monitor, area, random.Random(str(box)), str(box))


@needs_shared()
def test_what_is_valid_in_real_files_is_accepted() -> None:
    """A polygon around the whole Earth has no boundary, and is refused for that reason."""
    accepted = 0
    for path in sorted((SHARED / "data" / "fences").rglob("*.*json")):
        try:
            content = json.loads(path.read_text())
            features = content.get("features", [content])
        except (AttributeError, ValueError):
            continue
        for number, feature in enumerate(features):
            try:
                area = shapely.geometry.shape(feature.get("geometry", feature))
            except Exception:  # files without geometries
                continue
            if area.geom_type not in ("Polygon", "MultiPolygon") or area.is_empty or not area.is_valid:
                continue
            west, south, east, north = area.bounds
            if west < -180 or east > 180 or south < -90 or north > 90:
                continue
            monitor, what = Monitor(), f"{path.name} {number}"
            if area.area > 64_790:
                with pytest.raises(InvalidArgumentError, match="no_area|no_line"):
                    monitor.add(Polygon(area, edges="planar"), "x")
                continue
            monitor.add(Polygon(area, edges="planar"), "x")
            expect_sides(monitor, area, random.Random(what), what)
            accepted += 1
    assert accepted > 500


def test_a_hole_that_crosses_is_refused_with_the_place() -> None:
    area = shapely.Polygon([(10, 60), (20, 60), (20, 61), (10, 61)], [[(15.3, 59.9999), (15, 60.5), (15.5, 60.5)]])
    assert not area.is_valid
    with pytest.raises(InvalidArgumentError, match="crossing.*part 0.*ring 0.*edge 0"):
        Monitor().add(Polygon(area, edges="planar"), "x")
