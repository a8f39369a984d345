"""Vertices of shapes: rule 2 of ``design/shapes.md`` defines which vertices are valid, and when two vertices are the
same point."""

from __future__ import annotations

import math
from typing import NamedTuple

from .defects import Defect


class Vertex(NamedTuple):
    """A vertex after rule 2. `number` is the vertex's index in the definition."""

    latitude: float
    longitude: float
    number: int

    @property
    def place(self) -> tuple[float, float]:
        """If two vertices are the same point, their values of `place` are equal: at a pole, all longitudes give the
        same place."""
        return (self.latitude, 0.0) if abs(self.latitude) == 90 else (self.latitude, self.longitude)


def reduced(longitude: float) -> float:
    """The longitude in [-180, 180). For these longitudes, adding or subtracting 360 is exact."""
    if longitude >= 180:
        return longitude - 360
    return longitude + 360 if longitude < -180 else longitude


def checked(given: object, part: int, ring: int, number: int) -> Vertex:
    where = (part, ring, number)
    if not isinstance(given, (list, tuple)) or len(given) < 2:
        raise Defect("coordinate", where)
    longitude, latitude = given[:2]
    for value, limit in ((latitude, 90), (longitude, 360)):
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise Defect("coordinate", where)
        if not math.isfinite(value) or abs(value) > limit:
            raise Defect("coordinate", where)
    # 360 becomes 0 by one subtraction; -0.0 becomes 0.
    return Vertex(latitude + 0.0, reduced(float(longitude)) + 0.0, number)


def without_repeats(vertices: list[Vertex], is_ring: bool) -> list[Vertex]:
    kept: list[Vertex] = []
    for vertex in vertices:
        if not kept or vertex.place != kept[-1].place:
            kept.append(vertex)
    while is_ring and len(kept) > 1 and kept[-1].place == kept[0].place:
        kept.pop()
    return kept
