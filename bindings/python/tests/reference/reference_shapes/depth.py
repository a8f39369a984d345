"""Computes the depth of a shape (rule 11), which is the maximum of the negated signed distance -D, by branch and bound
over the whole Earth.

The signed distance D changes by no more than the position moves (rule 10), so no point of a cell can be deeper than the
cell's centre by more than the cell's radius.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable

Place = tuple[float, float]
TOLERANCE = 5e-3
RADIUS = 6_378_137.0


def _direction(face: int, u: float, v: float) -> tuple[float, float, float]:
    size = math.sqrt(1 + u * u + v * v)
    a, b, c = 1 / size, u / size, v / size
    return ((a, b, c), (-a, b, c), (b, a, c), (b, -a, c), (b, c, a), (b, c, -a))[face]


def _place(face: int, u: float, v: float) -> Place:
    """The cells divide the directions of the surface normal, not the positions on the Earth; this is allowed because
    any cells that cover the Earth are sufficient."""
    x, y, z = _direction(face, u, v)
    return math.degrees(math.atan2(z, math.hypot(x, y))), math.degrees(math.atan2(y, x))


def _reach(face: int, u: float, v: float, size: float) -> float:
    """Returns an upper bound of the distance from a cell's centre to any point of the cell: the angle between normals,
    times the greatest radius of curvature."""
    centre = _direction(face, u, v)
    corners = [_direction(face, u + a * size, v + b * size) for a in (-1, 1) for b in (-1, 1)]
    return 1.01 * RADIUS * max(2 * math.asin(min(math.dist(centre, corner) / 2, 1)) for corner in corners)


def deepest(signed: Callable[[float, float], float], enough: float = math.inf) -> tuple[float, Place]:
    """Returns the depth, which is the maximum of -D, and the position of the deepest point. The returned depth may be
    up to 0.5 % too small. The search ends early as soon as it has found a depth of at least `enough`."""
    best, where = 0.0, (0.0, 0.0)
    heap: list[tuple[float, int, float, float, float]] = []

    def look(face: int, u: float, v: float, size: float) -> None:
        nonlocal best, where
        centre = _place(face, u, v)
        reach = _reach(face, u, v, size)
        depth = -signed(*centre)
        if depth > best:
            best, where = depth, centre
        if depth + reach > best * (1 + TOLERANCE):
            heapq.heappush(heap, (-(depth + reach), face, u, v, size))

    for face in range(6):
        look(face, 0.0, 0.0, 1.0)
    while heap and best < enough:
        bound, face, u, v, size = heapq.heappop(heap)
        if -bound <= best * (1 + TOLERANCE):
            break
        for a in (-0.5, 0.5):
            for b in (-0.5, 0.5):
                look(face, u + a * size, v + b * size, size / 2)
    return best, where
