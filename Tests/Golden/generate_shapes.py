"""Writes shapes.tsv: random polygons and corridors, and the exact signed boundary distances of points.

    pip install geographiclib mpmath numpy; python generate_shapes.py > shapes.tsv

A line that begins with `polygon` or `corridor` is a shape: family, edges (geodesic or planar), oriented (0 or 1),
buffer or radius (metres), depth (metres, `-` if it was not computed), then its parts: vertices `longitude latitude`
separated by `,`, rings of a part by `/`, parts (of a corridor: lines) by `;`. Rings are not closed. The `at` lines that
follow a shape are points: latitude, longitude, D (metres, negative inside, 20 digits, not snapped to 0 near the line).
Depths follow rule 11 of shapes.md; they are lower bounds, at most half a hundredth below the true depth.

The numbers come from the reference in bindings/python/tests/reference/reference_shapes. Whether a point is inside is
also found by counting crossings of a meridian. Deterministic: the generator has a fixed seed.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bindings/python/tests/reference"))

from geographiclib.geodesic import Geodesic
from reference_shapes import Corridor, Defect, Polygon
from reference_shapes.exact_geodesic import mp

SHAPES = 1_100
PLACES = 3
DEPTHS = 7  # compute the depth of every seventh shape that is not slender
source = random.Random(20261122)
Point = list[float]
Ring = list[Point]


def anywhere() -> Point:
    return [source.uniform(-180, 180), math.degrees(math.asin(source.uniform(-1, 1)))]


def moved(point: Point, azimuth: float, metres: float, digits: int = 7) -> Point:
    end = Geodesic.WGS84.Direct(point[1], point[0], azimuth, metres)
    return [round(end["lon2"], digits), round(end["lat2"], digits)]


def star(centre: Point, reach: float, corners: int, least: float = 0.3, digits: int = 7) -> Ring:
    """A ring around a centre."""
    while True:
        turns = sorted(source.uniform(0, 360) for _ in range(corners))
        if max((b - a) % 360 for a, b in zip(turns, turns[1:] + turns[:1])) < 150:
            return [moved(centre, turn, reach * source.uniform(least, 1), digits) for turn in turns]


def digits_for(reach: float) -> int:
    return 7 if reach > 1_000 else 9


def log_uniform(low: float, high: float) -> float:
    return low * (high / low) ** source.random()


def maybe_turned(ring: Ring) -> Ring:
    return ring[::-1] if source.random() < 0.5 else ring


def simple() -> tuple[Any, ...]:
    reach = log_uniform(3, 200_000)
    return "simple", [[maybe_turned(star(anywhere(), reach, source.randrange(3, 11), digits=digits_for(reach)))]], reach


def large() -> tuple[Any, ...]:
    reach = log_uniform(300_000, 9_000_000)
    return "large", [[maybe_turned(star(anywhere(), reach, source.randrange(3, 9)))]], reach


def holed() -> tuple[Any, ...]:
    reach, centre = log_uniform(30, 3_000_000), anywhere()
    outer = star(centre, reach, source.randrange(6, 12), 0.8, digits_for(reach))
    spot = moved(centre, source.uniform(0, 360), reach / 8, 9)
    hole = star(spot, reach * 0.2, source.randrange(3, 7), digits=digits_for(reach))
    parts = [[maybe_turned(outer), maybe_turned(hole)]]
    if source.random() < 0.4:  # an island in the hole
        parts.append([star(spot, reach * 0.02, 3, 0.9, 10)])
    return "holed", parts, reach


def islands() -> tuple[Any, ...]:
    reach, centre = log_uniform(30, 500_000), anywhere()
    turns = [source.uniform(0, 60) + 90 * k for k in range(source.randrange(2, 5))]
    spots = [moved(centre, turn, reach, 9) for turn in turns]
    return "islands", [[star(spot, reach * 0.3, 4, digits=digits_for(reach))] for spot in spots], reach


def antimeridian() -> tuple[Any, ...]:
    reach = log_uniform(50, 1_000_000)
    centre = [source.choice([180.0, -180.0]), source.uniform(-85, 85)]
    return "antimeridian", [[star(moved(centre, 90, source.uniform(-1, 1) * reach / 3, 9), reach, 6)]], reach


def cut() -> tuple[Any, ...]:
    """Two parts that meet at 180 degrees, each with its own vertices there."""
    south, height, width = source.uniform(-80, 70), log_uniform(0.01, 9), log_uniform(0.01, 9)
    north = south + height
    south, north, width = (round(value, 6) for value in (south, north, width))
    split = sorted(round(source.uniform(south, north), 6) for _ in range(3))
    west = [[180 - width, south], [180, south], [180, split[1]], [180, north], [180 - width, north]]
    east = [[-180, split[0]], [-180 + width, split[0]], [-180 + width, split[2]], [-180, split[2]]]
    return "cut", [[[[round(x, 9), y] for x, y in ring]] for ring in (west, east)], height * 111_000


def polar() -> tuple[Any, ...]:
    pole = source.choice([90, -90])
    colatitude = log_uniform(1e-4, 40)
    count = source.randrange(3, 8)
    turns = sorted(source.uniform(-180, 180) for _ in range(count))
    if max((b - a) % 360 for a, b in zip(turns, turns[1:] + turns[:1])) > 170:
        turns = [-170 + 360 * k / count for k in range(count)]
    latitudes = [round(pole - math.copysign(colatitude * source.uniform(0.5, 1), pole), 7) for _ in turns]
    ring = [[round(turn, 7), latitude] for turn, latitude in zip(turns, latitudes)]
    if source.random() < 0.4:  # along the pole, from one side of 180 degrees to the other
        ring = [[-180, latitudes[0]], *ring, [180, latitudes[0]], [180, pole], [-180, pole]]
    elif source.random() < 0.4:  # a wedge with a vertex at the pole
        ring = [[0, latitudes[0]], [source.choice([30, 90, 140]), latitudes[1]], [77, pole]]
    return "polar", [[ring]], colatitude * 111_000


def shared() -> tuple[Any, ...]:
    """Parts with a common edge, or a spur: lines that do not bound anything."""
    reach, centre = log_uniform(30, 300_000), anywhere()
    ring = [moved(centre, 60 * k + source.uniform(-10, 10), reach, digits_for(reach)) for k in range(6)]
    if source.random() < 0.5:
        return "shared", [[ring[:4]], [[ring[3], *ring[4:], ring[0]]]], reach
    k = source.randrange(6)
    spur = moved(centre, source.uniform(0, 360), reach * 1.5, 9)
    return "spur", [[[*ring[: k + 1], spur, ring[k], *ring[k + 1 :]]]], reach


def needle() -> tuple[Any, ...]:
    start, way, length = anywhere(), source.uniform(0, 360), log_uniform(100, 5_000_000)
    end = moved(start, way, length, 11)
    width = log_uniform(0.001, 1)
    return "needle", [[[moved(start, way + 90, width, 11), start, end]]], width


def planar() -> tuple[Any, ...]:
    reach, centre = log_uniform(300, 60_000), [source.uniform(-180, 180), source.uniform(-80, 80)]
    return "planar", [[star(centre, reach, source.randrange(3, 7))]], reach, {"edges": "planar"}


def buffered() -> tuple[Any, ...]:
    _, parts, reach = simple()
    return "buffered", parts, reach, {"buffer": round(reach * source.uniform(-0.05, 2), 3)}


def oriented() -> tuple[Any, ...]:
    _, parts, reach = simple()
    return "oriented", parts, reach, {"oriented": True}


def corridor() -> tuple[Any, ...]:
    reach = log_uniform(30, 4_000_000)
    lines = []
    for _ in range(source.choice([1, 1, 1, 2])):
        line = [anywhere() if not lines else lines[0][0]]
        line[0] = [round(value, 7) for value in line[0]]
        for _ in range(source.randrange(0 if not lines else 1, 6)):
            line.append(moved(line[-1], source.uniform(0, 360), reach * source.uniform(0.1, 1), digits_for(reach)))
        lines.append(line)
    rest = {"edges": "planar"} if reach < 50_000 and abs(lines[0][0][1]) < 80 and source.random() < 0.3 else {}
    return "corridor", lines, reach, {"radius": round(reach * log_uniform(0.01, 3), 3), **rest}


FAMILIES = (
    *(simple, simple, large, holed, islands, antimeridian, cut, polar, shared, needle, planar, buffered, oriented),
    *(corridor, corridor),
)


def places(shape: Any, reach: float) -> Iterator[tuple[float, float]]:
    """Points where a mistake would show: beside edges and vertices, near and far, on poles, on the other side of the
    Earth."""
    edges = shape.boundary.edges if shape.boundary is not None else []
    vertices = [edge.start for edge in edges] or shape.points
    while True:
        vertex = source.choice(vertices)
        kind = source.random()
        if kind < 0.1:
            yield vertex.latitude, vertex.longitude
        elif kind < 0.25:
            end = moved([vertex.longitude, vertex.latitude], source.uniform(0, 360), log_uniform(1e-8, 10), 15)
            yield end[1], end[0]
        elif kind < 0.65 and edges:
            edge = source.choice(edges)
            foot = edge.at(edge.length * source.random())
            end = moved([foot[1], foot[0]], foot[2] + source.choice([-90, 90]), log_uniform(1e-8, 2 * reach), 15)
            yield end[1], end[0]
        elif kind < 0.9:
            end = moved([vertex.longitude, vertex.latitude], source.uniform(0, 360), reach * source.uniform(0, 2), 9)
            yield end[1], end[0]
        elif kind < 0.93:
            yield source.choice([90.0, -90.0]), 0.0
        elif kind < 0.96:
            turned = vertex.longitude - 180 if vertex.longitude > 0 else vertex.longitude + 180
            yield -vertex.latitude + source.uniform(-1, 1) * (abs(vertex.latitude) < 89), turned
        else:
            longitude, latitude = anywhere()
            yield latitude, longitude


def check_side(shape: Polygon, latitude: float, longitude: float, d: Any) -> None:
    line = d + mp.mpf(shape.buffer)
    pole = shape.boundary.rough(90, 0)
    if abs(line) > 1e-3 and abs(latitude) < 90 and abs(pole) > 1e-3:
        counted = shape.boundary.is_inside_by_meridian(latitude, longitude, pole < 0)
        assert (line < 0) == counted, (shape.parts, latitude, longitude, d)


def text(parts: Any) -> str:
    return ";".join("/".join(",".join(f"{x!r} {y!r}" for x, y in ring) for ring in part) for part in parts)


def main() -> None:
    print("# see generate_shapes.py")
    done = 0
    while done < SHAPES:
        family, parts, reach, *rest = source.choice(FAMILIES)()
        options = rest[0] if rest else {}
        try:
            shape = Corridor(parts, **options) if family == "corridor" else Polygon(parts, **options)
        except Defect as defect:
            print(f"{family}: {defect}", file=sys.stderr)
            continue
        except ArithmeticError as error:
            print(f"{family}: {error}", file=sys.stderr)
            continue
        done += 1
        depth = "-"
        if shape.kind == "corridor" or (
            done % DEPTHS == 0 and family in ("simple", "large", "holed", "buffered", "polar")
        ):
            depth = repr(round(shape.depth, 4))
        size = shape.radius if shape.kind == "corridor" else shape.buffer
        is_oriented = int(getattr(shape, "oriented", False))
        listed = parts if shape.kind == "polygon" else [[line] for line in parts]
        print(shape.kind, family, shape.edges, is_oriented, repr(size), depth, text(listed), sep="\t")
        found = places(shape, reach)
        for _ in range(PLACES):
            latitude, longitude = next(found)
            d = shape.exact_distance(latitude, longitude)
            if shape.kind == "polygon":
                check_side(shape, latitude, longitude, d)
            print("at", repr(latitude), repr(longitude), mp.nstr(d, 20, min_fixed=-40, max_fixed=40), sep="\t")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
