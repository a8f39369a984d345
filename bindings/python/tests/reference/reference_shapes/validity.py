"""Finds errors in polygons whose rings are valid individually: edges that cross or coincide, and misplaced holes and
parts."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import combinations, pairwise

import numpy

from .boundary import Boundary, heading
from .defects import Defect
from .edge import Edge, inverse

SHALLOW = 1e-6  # metres; an overlap that is shallower or shorter than this is allowed
LOCAL = 2_000_000.0
Ring = list[Edge]


def check_line(line: list[Edge], rings: list[list[Ring]]) -> None:
    crossings, overlaps = [], []
    for first, second in _near_pairs(line):
        kind = _meet(first, second)
        if kind == "crossing":
            crossings += [first.number, second.number]
        elif kind == "overlap":
            overlaps += [first.number, second.number]
    crossings += _crossings_in_vertices(line, rings)
    if crossings:
        raise Defect("crossing", *crossings)
    if overlaps:
        raise Defect("overlap", *overlaps)


def _near_pairs(line: list[Edge]) -> list[tuple[Edge, Edge]]:
    """Yields pairs of edges whose bounding boxes in space intersect."""
    if not line:
        return []
    boundary = Boundary(line)
    rise = numpy.where(numpy.isfinite(boundary._rise), boundary._rise, 2e7)[:, None] + 1e-3
    low = numpy.minimum(boundary._start, boundary._end) - rise
    high = numpy.maximum(boundary._start, boundary._end) + rise
    pairs = []
    for index, edge in enumerate(line):
        meets = ((low[index] <= high[index + 1 :]) & (high[index] >= low[index + 1 :])).all(-1)
        pairs += [(edge, line[index + 1 + int(other)]) for other in numpy.flatnonzero(meets)]
    return pairs


def _across(place: tuple[float, float], edge: Edge) -> float:
    """Returns approximately how far a point lies to the left of the edge's geodesic, in metres; the result is accurate
    for points near the edge."""
    found = inverse(edge.start.latitude, edge.start.longitude, *place)
    return found["s12"] * math.sin(math.radians(edge.azimuth - found["azi1"]))


def _meet(first: Edge, second: Edge) -> str | None:
    a, b, c, d = first.start.place, first.end.place, second.start.place, second.end.place
    shared = {a, b} & {c, d}
    if shared:
        return _meet_in_vertex(first, second, shared.pop())
    if first.length < LOCAL and second.length < LOCAL:
        sides = _across(c, first), _across(d, first)
        if sides[0] * sides[1] > 0 and min(map(abs, sides)) > 2 * SHALLOW:
            return None
        sides = _across(a, second), _across(b, second)
        if sides[0] * sides[1] > 0 and min(map(abs, sides)) > 2 * SHALLOW:
            return None
    touching = [
        (place, edge)
        for place, edge in ((a, second), (b, second), (c, first), (d, first))
        if edge.approach(*place)[0] <= SHALLOW
    ]
    if len(touching) > 1 and max(inverse(*p, *q)["s12"] for (p, _), (q, _) in combinations(touching, 2)) > SHALLOW:
        return "overlap"
    if not touching and _gap(first, second) <= SHALLOW:
        return "crossing"
    return None  # here a vertex lies on an edge, which `_crossings_in_vertices` examines


def _meet_in_vertex(first: Edge, second: Edge, vertex: tuple[float, float]) -> str | None:
    if first.length > second.length:
        first, second = second, first
    far = first.end.place if first.start.place == vertex else first.start.place
    if first.length > SHALLOW and second.approach(*far)[0] <= SHALLOW:
        return "overlap"
    return None


def _gap(first: Edge, second: Edge) -> float:
    """Returns the smallest distance between two edges if it is below 1e-6 m; the search halves the pieces of the edges
    that may contain the minimum."""
    best = math.inf
    parts = [(0.0, first.length)]
    while parts:
        looked = []
        for low, high in parts:
            middle, half = (low + high) / 2, (high - low) / 2
            d = second.approach(*first.at(middle)[:2])[0]
            best = min(best, d)
            looked.append((d - half, low, high))
        parts = [
            half
            for bound, low, high in looked
            if bound < best - 1e-7 and high - low > 1e-7 and bound < SHALLOW
            for half in ((low, (low + high) / 2), ((low + high) / 2, high))
        ]
    return best


def _crossings_in_vertices(line: list[Edge], rings: list[list[Ring]]) -> list[tuple[int, int, int]]:
    """Finds pairs of chains that share a vertex and cross there: the ends of the two chains alternate around the
    vertex."""
    if not line:
        return []
    remaining, boundary = {edge.key: edge for edge in line}, Boundary(line)
    strands: dict[tuple[float, float], list[tuple[Edge, Edge]]] = defaultdict(list)
    for part in rings:
        for ring in part:
            for before, after in pairwise([*ring, ring[0]]):
                if before.key in remaining and after.key in remaining:
                    strands[after.start.place].append((before, after))
    found = []
    for place, through in strands.items():
        for (in1, out1), (in2, out2) in combinations(through, 2):
            first = [_heading_back(in1), _heading_out(out1)]
            between = [(angle - first[0]) % math.tau < (first[1] - first[0]) % math.tau
                       for angle in (_heading_back(in2), _heading_out(out2))]  # fmt: skip
            if between[0] != between[1]:
                found += [out1.number, in1.number, out2.number, in2.number]
        # A chain crosses an edge at a vertex that lies on the edge, within the tolerance.
        for before, after in through:
            for index in numpy.flatnonzero(boundary.lower_bounds(*place) <= 0):
                edge = line[index]
                if place in edge.key or edge.length > LOCAL:
                    continue
                if abs(_across(place, edge)) > SHALLOW or edge.approach(*place)[0] > SHALLOW:
                    continue
                ends = [_across(_inward(before, False), edge), _across(_inward(after, True), edge)]
                if ends[0] * ends[1] < 0 and min(map(abs, ends)) > SHALLOW:
                    found += [before.number, after.number, edge.number]
    return found


def _inward(edge: Edge, from_start: bool) -> tuple[float, float]:
    """Returns a point of the edge, close to one of its ends."""
    step = min(edge.length, 1000.0) / 2
    return edge.at(step if from_start else edge.length - step)[:2]


def _heading_out(edge: Edge) -> float:
    return heading(edge.start.latitude, edge.start.longitude, edge.azimuth)


def _heading_back(edge: Edge) -> float:
    return heading(edge.end.latitude, edge.end.longitude, edge.arrival + 180)


def check_nesting(rings: list[list[Ring]]) -> None:
    """Checks that holes lie in the outer ring of their part, and that parts do not overlap. No lines cross, so one
    point of a ring that does not lie on the other ring shows whether the whole ring lies inside the other ring. Each
    ring is listed in the direction that has the polygon on its left."""
    for part in rings:
        outer, holes = part[0], part[1:]
        for hole in holes:
            # For a hole's ring, the hole lies to the right and the polygon to the left.
            if _leaves(hole, outer) or _leaves(outer, hole):
                raise Defect("hole_outside", (hole[0].part, hole[0].ring, None))
    for part in rings:
        for first, second in combinations(part[1:], 2):
            if _leaves(first, second) or _leaves(second, first):
                raise Defect("holes_overlap", *((hole[0].part, hole[0].ring, None) for hole in (first, second)))
    for first, second in combinations(rings, 2):
        if _is_within(first, second) or _is_within(second, first):
            raise Defect("parts_overlap", *((part[0][0].part, None, None) for part in (first, second)))


def _places(ring: Ring, of: list[Ring]) -> list[tuple[float, float]]:
    """Returns the middles of a ring's edges, except for edges that other rings share."""
    shared = {key for other in of for edge in other for key in (edge.key, edge.key[::-1])}
    return [edge.at(edge.length / 2)[:2] for edge in ring[:200] if edge.key not in shared]


def _leaves(ring: Ring, other: Ring) -> bool:
    """Returns True if some point of a ring lies to the right of another ring."""
    boundary = Boundary(other)
    return any(boundary.rough(*place) > SHALLOW for place in _places(ring, [other]))


def _is_within(part: list[Ring], other: list[Ring]) -> bool:
    """Returns True if some point of a part's outer ring lies inside another part."""
    boundaries = [Boundary(ring) for ring in other]
    return any(all(boundary.rough(*place) < -SHALLOW for boundary in boundaries) for place in _places(part[0], other))
