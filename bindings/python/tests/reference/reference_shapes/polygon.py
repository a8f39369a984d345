"""A polygon on the ellipsoid: parts with holes (rules 1 to 8 and 11 of shapes.md)."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

from .areas import encloses_left
from .boundary import Boundary
from .corridor import MOST, ON_THE_LINE, same_vertices
from .defects import Defect
from .depth import deepest
from .edge import LONGEST, Edge
from .exact_geodesic import mp
from .planar_edges import as_written, drawn, is_drawn_left, number_of_vertices
from .seams import split_at_pole, without_seams
from .validity import check_line, check_nesting
from .vertices import Vertex, checked, without_repeats

DEEPEST = 100_000.0


class Polygon:
    """`parts` are lists of rings of [longitude, latitude]; the first ring of each part is its outer ring."""

    kind = "polygon"

    def __init__(
        self, parts: Any, edges: str = "geodesic", oriented: bool = False, buffer: Any = 0, check: bool = True
    ) -> None:
        # Rings without vertices are left out; if an outer ring is left out, so are its holes.
        parts = [[ring for ring in part if ring] for part in parts or [] if part and part[0]]
        if not parts:
            raise Defect("empty")
        given = [
            [[checked(p, n, r, number) for number, p in enumerate(ring)] for r, ring in enumerate(part)]
            for n, part in enumerate(parts)
        ]
        if edges not in ("geodesic", "planar"):
            raise Defect("edges")
        if edges == "planar":
            given = [[as_written(*ring, True) for ring in zip(part, own)] for part, own in zip(parts, given)]
        for n, part in enumerate(given):
            for r, ring in enumerate(part):
                if len({vertex.place for vertex in ring}) < 3:
                    raise Defect("too_few_vertices", (n, r, None))
        self.parts = [[without_repeats(ring, is_ring=True) for ring in part] for part in given]
        self.edges, self.oriented = edges, oriented
        if edges == "planar" and number_of_vertices([ring for part in given for ring in part], is_ring=True) > MOST:
            raise Defect("too_many_vertices")
        rings = [
            [_edges(drawn(ring, True, (n, r)) if edges == "planar" else ring, n, r) for r, ring in enumerate(part)]
            for n, part in enumerate(given)
        ]
        if sum(len(ring) for part in rings for ring in part) > MOST:
            raise Defect("too_many_vertices")
        for edge in (edge for part in rings for ring in part for edge in ring):
            if edge.length > LONGEST:
                raise Defect("edge_too_long", edge.number)
        rings = [[[piece for edge in ring for piece in split_at_pole(edge)] for ring in part] for part in rings]
        if edges == "planar" and not oriented:
            for n, (part, own) in enumerate(zip(parts, rings)):
                for r, (ring, walked) in enumerate(zip(part, own)):
                    drawn_left = is_drawn_left(ring)
                    if drawn_left is not None and drawn_left != encloses_left(walked, False):
                        raise Defect("which_side", (n, r, None))
        rings, self.parts = _without_thin_rings(rings, self.parts, oriented)
        # The polygon is to the left of each ring: an outer ring encloses the polygon, and a hole does not.
        self.rings = [
            [
                ring if encloses_left(ring, oriented) == (r == 0 or oriented) else _reversed(ring)
                for r, ring in enumerate(part)
            ]
            for part in rings
        ]
        line = without_seams([edge for part in self.rings for ring in part for edge in ring])
        if check:
            check_line(line, self.rings)
            check_nesting(self.rings)
        if not line:
            raise Defect("no_line")
        self.boundary = Boundary(line)
        if isinstance(buffer, bool) or not isinstance(buffer, (int, float)) or not math.isfinite(buffer):
            raise Defect("buffer")
        self.buffer = float(buffer)
        if self.buffer < 0 and self._inscribed(-self.buffer * 1.01)[0] + self.buffer <= 0:
            raise Defect("buffer")

    def _inscribed(self, enough: float) -> tuple[float, tuple[float, float]]:
        return deepest(self.boundary.rough, enough)

    @cached_property
    def _deepest(self) -> tuple[float, tuple[float, float]]:
        return self._inscribed(DEEPEST - self.buffer)

    @property
    def depth(self) -> float:
        """Returns the maximum of -D (the depth), limited to 100 km; the result may be too small by at most 0.5 %."""
        return min(self._deepest[0] + self.buffer, DEEPEST)

    @property
    def deepest_place(self) -> tuple[float, float]:
        return self._deepest[1]

    def exact_distance(self, latitude: float, longitude: float) -> Any:
        """Returns the signed distance D with 32 digits, without snapping to the line."""
        return self.boundary.signed(latitude, longitude) - mp.mpf(self.buffer)

    def distance(self, latitude: float, longitude: float) -> float:
        d = float(self.exact_distance(latitude, longitude))
        return 0.0 if abs(d) < ON_THE_LINE else d

    def nearest_line_place(self, latitude: float, longitude: float) -> tuple[float, float]:
        """Returns the nearest point of the polygon's rings. Without a buffer, the rings are the polygon's boundary."""
        nearest = self.boundary.nearest(latitude, longitude).nearest
        return nearest.latitude, nearest.longitude

    def is_nearly(self, other: Any) -> bool:
        """Rule 14."""
        return (
            isinstance(other, Polygon)
            and (self.edges, self.oriented) == (other.edges, other.oriented)
            and abs(self.buffer - other.buffer) <= 0.5
            and len(self.parts) == len(other.parts)
            and all(same_vertices(part, its) for part, its in zip(self.parts, other.parts))
        )


def _without_thin_rings(rings: Any, vertices: Any, oriented: bool) -> tuple[Any, Any]:
    """Returns the parts after removing rings that have no area; if an outer ring is removed, its holes are also
    removed. If no ring has an area, no ring is removed."""
    kept, first = [], None
    for part, own in zip(rings, vertices):
        left = []
        for number, (ring, places) in enumerate(zip(part, own)):
            try:
                encloses_left(ring, oriented)
            except Defect as defect:
                if defect.reason != "no_area":
                    raise
                first = first or defect
                if number == 0:
                    break
            else:
                left.append((ring, places))
        if left:
            kept.append(left)
    if not kept and first is not None:
        raise first
    return [[ring for ring, _ in part] for part in kept], [[places for _, places in part] for part in kept]


def _edges(vertices: list[Vertex], part: int, ring: int) -> list[Edge]:
    kept = without_repeats(vertices, is_ring=True)
    return [Edge(a, b, part, ring) for a, b in zip(kept, kept[1:] + kept[:1])]


def _reversed(edges: list[Edge]) -> list[Edge]:
    """Returns the ring in the opposite direction. Each edge keeps its number, which is the number of its first vertex
    in the listed order."""
    turned = []
    for edge in reversed(edges):
        start = edge.end._replace(number=edge.start.number)
        turned.append(Edge(start, edge.start, edge.part, edge.ring))
    return turned
