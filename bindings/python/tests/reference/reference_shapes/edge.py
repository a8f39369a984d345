"""An edge, which is the shortest geodesic between two vertices (rules 3 and 8); this module computes the point of an
edge that is nearest to a position."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, NamedTuple

from geographiclib.geodesic import Geodesic

from . import exact_geodesic as exact
from .vertices import Vertex

WGS84 = Geodesic.WGS84
LONGEST = 19_900_000.0
RADIUS = 6_371_000.0
PIECE = 2_500_000.0  # in metres; along a piece of at most this length, the distance to a point has a single minimum
# in metres; for a point nearer than this, the foot of the perpendicular is computed with 32 digits, because an error of
# the foot changes such a small distance by a similar amount
NEAR = 100.0


class Nearest(NamedTuple):
    """The nearest point of an edge: its distance, its position along the edge, its coordinates, and the side (0 if the
    point is an end of the edge)."""

    distance: Any
    along: Any
    latitude: float
    longitude: float
    left: int
    end: Vertex | None


def inverse(latitude1: float, longitude1: float, latitude2: float, longitude2: float) -> dict[str, float]:
    return WGS84.Inverse(latitude1, longitude1, latitude2, longitude2)


class Edge:
    def __init__(self, start: Vertex, end: Vertex, part: int = 0, ring: int = 0) -> None:
        self.start, self.end, self.part, self.ring = start, end, part, ring
        found = inverse(start.latitude, start.longitude, end.latitude, end.longitude)
        self.length, self.azimuth, self.arrival = found["s12"], found["azi1"], found["azi2"]

    @property
    def number(self) -> tuple[int, int, int]:
        return self.part, self.ring, self.start.number

    @property
    def key(self) -> tuple[tuple[float, float], tuple[float, float]]:
        return self.start.place, self.end.place

    @cached_property
    def line(self) -> Any:
        return WGS84.Line(self.start.latitude, self.start.longitude, self.azimuth)

    def at(self, along: float) -> tuple[float, float, float]:
        """Returns latitude, longitude and azimuth at this distance along the edge."""
        if along <= 0:
            return self.start.latitude, self.start.longitude, self.azimuth
        if along >= self.length:
            return self.end.latitude, self.end.longitude, self.arrival
        position = self.line.Position(along)
        return position["lat2"], position["lon2"], position["azi2"]

    @staticmethod
    def aside(latitude: float, longitude: float, azimuth: float, distance: float) -> tuple[float, float]:
        """Returns the point at a given distance in a given direction."""
        found = WGS84.Direct(latitude, longitude, azimuth, distance)
        return found["lat2"], found["lon2"]

    def _ahead(self, latitude: float, longitude: float, along: float) -> tuple[float, float]:
        """Returns the distance from a point to the position `along` on the edge, and an estimate of how far the foot of
        the perpendicular is beyond this position."""
        there = self.at(along)
        found = inverse(there[0], there[1], latitude, longitude)
        angle = math.radians(found["azi1"] - there[2])
        arc = min(found["s12"] / RADIUS, 1.5)
        return found["s12"], RADIUS * math.atan(math.tan(arc) * math.cos(angle))

    def approach(self, latitude: float, longitude: float) -> tuple[float, float]:
        """Returns the smallest distance to a point, in double precision, and the position of the nearest point along
        the edge."""
        pieces = max(1, math.ceil(self.length / PIECE))
        marks = [self.length * k / pieces for k in range(pieces + 1)]
        found = [self._ahead(latitude, longitude, mark) for mark in marks]
        best = min((d, mark) for (d, _), mark in zip(found, marks))
        for k in range(pieces):
            if found[k][1] > 0 > found[k + 1][1]:
                best = min(best, self._between(latitude, longitude, marks[k], marks[k + 1], found[k][1]))
        return best

    def _between(self, latitude: float, longitude: float, low: float, high: float, ahead: float) -> tuple[float, float]:
        """Runs Newton's iteration on the angle between the edge and the direction to the point; the iteration stays
        within a bracket."""
        first, last, along = low, high, low
        for step in range(120):
            guess = along + ahead
            along = guess if low < guess < high and step < 12 else (low + high) / 2
            d, ahead = self._ahead(latitude, longitude, along)
            if ahead > 0:
                low = along
            else:
                high = along
            if abs(ahead) < 1e-7 or high - low < 1e-7:
                break
        else:
            raise ArithmeticError(f"no foot between {first} and {last} of {self.number}")
        return d, along

    @cached_property
    def exact(self) -> tuple[exact.Line, Any]:
        """Returns the edge and the length of the edge, both computed with 32 digits."""
        line, arc = exact.shortest(self.start.latitude, self.start.longitude, self.end.latitude, self.end.longitude)
        return line, line.distance(arc)

    def nearest(self, latitude: float, longitude: float) -> Nearest:
        """Returns the nearest point, computed with 32 digits."""
        d, along = self.approach(latitude, longitude)
        line, length = self.exact
        place = exact.exact_vector(latitude, longitude)
        s = exact.mp.mpf(along)
        s = length if s >= self.length else s
        state = line.at(line.arc(s))
        for _ in range(20 if d < NEAR else 0):
            step = exact.dot(exact.minus(place, state.place), state.tangent)
            moved = min(max(s + step, 0), length)
            if abs(moved - s) < exact.mp.mpf(10) ** -16:
                break
            s = moved
            state = line.at(line.arc(s))
        end = self.start if s <= 0 else self.end if s >= length else None
        there = self.at(float(s)) if end is None else (end.latitude, end.longitude, 0.0)
        left = 0
        if d < NEAR:
            offset = exact.minus(place, state.place)
            distance = exact.length(offset)
            distance *= 1 + (distance / 6_371_000) ** 2 / 24
            left = int(exact.mp.sign(exact.dot(offset, state.left)))
        else:
            distance = exact.separation(latitude, longitude, state.place, there[0], there[1])
            way = inverse(there[0], there[1], latitude, longitude)["azi1"]
            left = 1 if math.sin(math.radians(there[2] - way)) > 0 else -1
        return Nearest(distance, s, there[0], there[1], 0 if end is not None else left, end)
