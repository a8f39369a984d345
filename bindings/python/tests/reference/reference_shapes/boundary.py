"""Applies rule 8: computes the distance of a point from a line, and the side of the line on which the point lies.

The point of the line that is nearest to the given point decides the side. If the nearest point lies within an edge, the
given point is inside if it is on the left of this edge. If the nearest point is a vertex, the edge that comes next
clockwise from the direction towards the given point decides. Two edges that are not neighbours may cross by up to a
micrometre. If such edges are equally near to the point, to within a few micrometres, the nearest edge does not
determine the side. When the nearest edge does not determine the side, `is_inside_by_meridian` counts crossings of a
meridian instead.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy

from .edge import Edge, Nearest, inverse

RADIUS_LEAST, RADIUS_GREATEST = 6_335_439.0, 6_399_594.0
CROSSWISE = 4e-6  # metres; in a valid shape, edges extend across each other by at most 1 µm
LONG = 2_000_000.0  # metres; the straight line between the ends of a longer edge gives no useful bound


class Found(NamedTuple):
    edge: Edge
    nearest: Nearest


def vectors(latitudes: Any, longitudes: Any) -> Any:
    """Returns geocentric coordinates in metres."""
    a, f = 6378137.0, 1 / 298.257223563
    e2 = f * (2 - f)
    phi, lam = numpy.radians(latitudes), numpy.radians(longitudes)
    n = a / numpy.sqrt(1 - e2 * numpy.sin(phi) ** 2)
    return numpy.stack(
        [n * numpy.cos(phi) * numpy.cos(lam), n * numpy.cos(phi) * numpy.sin(lam), n * (1 - e2) * numpy.sin(phi)], -1
    )


def heading(latitude: float, longitude: float, azimuth: float) -> float:
    """Returns a direction at a point as an angle, measured counterclockwise. At a pole the angle does not depend on the
    point's longitude."""
    if abs(latitude) < 90:
        return math.radians(-azimuth) % math.tau
    # At a pole, the azimuth is relative to north along the given longitude.
    return math.radians(longitude - azimuth if latitude > 0 else -longitude - azimuth) % math.tau


class Boundary:
    """A line of edges. The boundary separates inside and outside only if the inside lies on the left of every edge."""

    def __init__(self, edges: Sequence[Edge]) -> None:
        self.edges = list(edges)
        self._start = vectors([e.start.latitude for e in self.edges], [e.start.longitude for e in self.edges])
        self._end = vectors([e.end.latitude for e in self.edges], [e.end.longitude for e in self.edges])
        lengths = numpy.array([e.length for e in self.edges])
        self._rise = numpy.where(lengths < LONG, 1.01 * lengths**2 / (8 * RADIUS_LEAST), numpy.inf)
        self._along = self._end - self._start
        self._square = numpy.maximum((self._along**2).sum(-1), 1e-30)
        self.at_vertices: dict[tuple[float, float], list[tuple[float, bool, Edge]]] = defaultdict(list)
        for e in self.edges:
            out = heading(e.start.latitude, e.start.longitude, e.azimuth)
            back = heading(e.end.latitude, e.end.longitude, e.arrival + 180)
            self.at_vertices[e.start.place].append((out, True, e))
            self.at_vertices[e.end.place].append((back, False, e))

    def lower_bounds(self, latitude: float, longitude: float) -> Any:
        """Returns lower bounds of the distances to the edges: the distances to the straight lines between vertices,
        less the height of each edge above its straight line."""
        place = vectors(latitude, longitude)
        t = numpy.clip(((place - self._start) * self._along).sum(-1) / self._square, 0, 1)
        line = numpy.linalg.norm(place - self._start - t[:, None] * self._along, axis=1)
        chord = numpy.clip(line - self._rise, 0, 2 * RADIUS_LEAST)
        return 0.9995 * 2 * RADIUS_GREATEST * numpy.arcsin(numpy.minimum(chord / (2 * RADIUS_GREATEST), 1)) - 1e-3

    def candidates(self, latitude: float, longitude: float, within: float = 1e-7) -> list[tuple[float, float, Edge]]:
        """Returns the edges that may be nearest, sorted by distance. Each edge comes with its distance in double
        precision and with the position along the edge of the nearest point."""
        bounds = self.lower_bounds(latitude, longitude)
        best, found = math.inf, []
        for index in numpy.argsort(bounds, kind="stable"):
            if bounds[index] > best + within:
                break
            edge = self.edges[index]
            d, along = edge.approach(latitude, longitude)
            best = min(best, d)
            found.append((d, along, edge))
        found.sort(key=lambda item: item[0])
        return [item for item in found if item[0] <= found[0][0] + within]

    def nearest(self, latitude: float, longitude: float) -> Found:
        """Returns the nearest edge and the nearest point on it, with 32 digits."""
        found = [Found(edge, edge.nearest(latitude, longitude)) for _, _, edge in self.candidates(latitude, longitude)]
        return min(found, key=lambda item: item.nearest.distance)

    def signed(self, latitude: float, longitude: float) -> Any:
        """Returns the distance in metres, with 32 digits; the distance is negative if the point is inside."""
        nearest = self.nearest(latitude, longitude).nearest
        if nearest.distance == 0:
            return nearest.distance
        if self._is_contested(latitude, longitude):
            inside = self.is_inside_by_meridian(latitude, longitude, self._north_is_inside)
        elif nearest.end is not None:
            inside = self._is_inside_at(nearest.end.place, latitude, longitude)
        else:
            inside = nearest.left > 0
        return -nearest.distance if inside else nearest.distance

    def rough(self, latitude: float, longitude: float) -> float:
        """Works like `signed`, in double precision; for points closer than 1 mm it calls `signed` itself."""
        d, along, edge = self.candidates(latitude, longitude)[0]
        if d < 1e-3 or self._is_contested(latitude, longitude):
            return float(self.signed(latitude, longitude))
        if along <= 0 or along >= edge.length:
            place = (edge.start if along <= 0 else edge.end).place
            return -d if self._is_inside_at(place, latitude, longitude) else d
        there = edge.at(along)
        way = inverse(there[0], there[1], latitude, longitude)["azi1"]
        return -d if math.sin(math.radians(there[2] - way)) > 0 else d

    def _is_contested(self, latitude: float, longitude: float) -> bool:
        """Returns True if the nearest edges are not neighbours and are equally near, to within a few micrometres."""
        if (90.0, 0.0) in self.at_vertices:
            return False  # at a pole, the side of an edge would depend on the chosen meridian
        places = [set(edge.key) for _, _, edge in self.candidates(latitude, longitude, CROSSWISE)]
        return any(not places[0] & other for other in places[1:])

    @cached_property
    def _north_is_inside(self) -> bool:
        """Returns True if the area around the north pole is inside; this is derived from a point beside the middle of
        an edge."""
        for edge in self.edges:
            latitude, longitude, azimuth = edge.at(edge.length / 2)
            for turn, is_inside in ((-90, True), (90, False)):
                reach = min(edge.length / 8, 1.0)
                there = edge.aside(latitude, longitude, azimuth + turn, reach)
                if not self._is_contested(*there) and self.candidates(*there)[0][2] is edge:
                    return self.is_inside_by_meridian(*there, True) == is_inside
        raise ArithmeticError("no edge lies apart from the others")

    def _is_inside_at(self, place: tuple[float, float], latitude: float, longitude: float) -> bool:
        """Returns True if the direction from a vertex to a point leads into the polygon."""
        way = heading(*place, inverse(*place, latitude, longitude)["azi1"])
        ends = sorted(self.at_vertices[place], key=lambda end: (way - end[0]) % math.tau)
        return ends[0][1]  # if the first edge clockwise departs, the point is on its left, thus inside

    def is_inside_by_meridian(self, latitude: float, longitude: float, north_is_inside: bool) -> bool:
        """Determines the side of a point by counting the edges that the point's meridian crosses north of the point.

        Along a geodesic the longitude is monotonic, so bisection finds where the geodesic meets a meridian.
        """
        crossings = 0
        for edge in self.edges:
            west, east = _way(longitude, edge.start.longitude), _way(longitude, edge.end.longitude)
            if (west < 0) == (east < 0) or abs(west - east) > 180:
                continue
            low, high = 0.0, edge.length
            for _ in range(80):
                middle = (low + high) / 2
                if (_way(longitude, edge.at(middle)[1]) < 0) == (west < 0):
                    low = middle
                else:
                    high = middle
            crossings += edge.at(low)[0] > latitude
        return north_is_inside != (crossings % 2 == 1)


def _way(origin: float, longitude: float) -> float:
    return (longitude - origin + 180) % 360 - 180
