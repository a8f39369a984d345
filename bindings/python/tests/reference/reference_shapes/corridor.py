"""A corridor: the area within a given distance of its lines (rules 1 and 8)."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

from . import exact_geodesic as exact
from .boundary import Boundary
from .defects import Defect
from .edge import LONGEST, Edge
from .planar_edges import as_written, drawn, number_of_vertices
from .vertices import Vertex, checked, without_repeats

ON_THE_LINE = 20e-9
MOST = 1_000_000


def is_positive(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, (int, float)) and math.isfinite(value) and value > 0


class Corridor:
    """`lines` are lists of [longitude, latitude]. A `Defect` of a corridor has the part number 0, and the number of the
    line as the number of the ring."""

    kind = "corridor"

    def __init__(self, lines: Any, radius: Any, edges: str = "geodesic") -> None:
        lines = [line for line in lines or [] if line]
        if not lines:
            raise Defect("empty")
        given = [[checked(p, 0, n, number) for number, p in enumerate(line)] for n, line in enumerate(lines)]
        if edges not in ("geodesic", "planar"):
            raise Defect("edges")
        if edges == "planar":
            given = [as_written(line, own, False) for line, own in zip(lines, given)]
        self.lines = [without_repeats(line, is_ring=False) for line in given]
        if edges == "planar" and number_of_vertices(given, is_ring=False) > MOST:
            raise Defect("too_many_vertices")
        walked = [drawn(line, False, (0, n)) if edges == "planar" else line for n, line in enumerate(given)]
        walked = [without_repeats(line, is_ring=False) for line in walked]
        if sum(map(len, walked)) > MOST:
            raise Defect("too_many_vertices")
        self.points: list[Vertex] = [line[0] for line in walked if len(line) == 1]
        all_edges = [Edge(a, b, 0, n) for n, line in enumerate(walked) for a, b in pairwise(line)]
        for edge in all_edges:
            if edge.length > LONGEST:
                raise Defect("edge_too_long", edge.number)
        if not is_positive(radius):
            raise Defect("radius")
        self.radius, self.edges = float(radius), edges
        self.boundary = Boundary(all_edges) if all_edges else None
        self.depth = self.radius

    def exact_distance(self, latitude: float, longitude: float) -> Any:
        """Returns the signed distance D with 32 digits; values near 0 are not rounded to 0."""
        found = [exact.exact_distance(latitude, longitude, p.latitude, p.longitude) for p in self.points]
        if self.boundary is not None:
            found.append(self.boundary.nearest(latitude, longitude).nearest.distance)
        return min(found) - exact.mp.mpf(self.radius)

    def distance(self, latitude: float, longitude: float) -> float:
        d = float(self.exact_distance(latitude, longitude))
        return 0.0 if abs(d) < ON_THE_LINE else d

    def is_nearly(self, other: Any) -> bool:
        """Rule 14."""
        return (
            isinstance(other, Corridor)
            and self.edges == other.edges
            and abs(self.radius - other.radius) <= 0.5
            and same_vertices(self.lines, other.lines)
        )


def same_vertices(lines: list[list[Vertex]], others: list[list[Vertex]]) -> bool:
    return [len(line) for line in lines] == [len(line) for line in others] and all(
        abs(a.latitude - b.latitude) <= 1e-7 and abs(a.longitude - b.longitude) <= 1e-7
        for line, other in zip(lines, others)
        for a, b in zip(line, other)
    )
