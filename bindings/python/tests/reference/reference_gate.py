"""Computes, with 32 digits, where the path of a device crosses a line without a width.

A device exactly on the line counts as left of the line. Each contact of a path with the line counts as a crossing if
the device is on different sides just before and just after the contact. A device that moves along an edge counts as
left of the line. If a path starts or ends on the line, the device counts as left of the line before the start or after
the end. Crossings are computed without distances from the line, and without code of `reference_path`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from geographiclib.geodesic import Geodesic
from reference_shapes import exact_geodesic as exact
from reference_shapes.corridor import Corridor
from reference_shapes.defects import Defect

mp = exact.mp
# In metres: points closer together than this are treated as the same point. With 32 digits, the error is about 1e-24.
SAME = mp.mpf(10) ** -18
SLIGHT = mp.mpf(10) ** -15  # in radians; a direction at a smaller angle to the line counts as parallel to the line
LEFT, RIGHT = 1, -1


class Gate:
    """`lines` are lists of [longitude, latitude]; they are read and validated like the lines of a corridor."""

    kind = "line"

    def __init__(self, lines: Any, edges: str = "geodesic") -> None:
        self._corridor = Corridor(lines, 1.0, edges)
        for number, line in enumerate(self._corridor.lines):
            if len(line) < 2:
                raise Defect("too_few_vertices", (0, number, None))
        self.lines, self.edges = self._corridor.lines, edges
        walked: dict[int, list[Any]] = {}
        for edge in self._corridor.boundary.edges if self._corridor.boundary else []:
            walked.setdefault(edge.ring, []).append(edge)
        self._walked = [[_Curve(edge.start.place, edge.end.place) for edge in line] for line in walked.values()]

    def distance(self, latitude: float, longitude: float) -> float:
        d = float(self._corridor.exact_distance(latitude, longitude) + 1)
        return 0.0 if d < 20e-9 else d

    def is_nearly(self, other: Any) -> bool:
        return isinstance(other, Gate) and self._corridor.is_nearly(other._corridor)

    def crossings(self, start: Any, end: Any) -> list[tuple[int, str]]:
        """Returns the times, in microseconds, at which a path crosses the lines, and the direction of each crossing.

        The time of a crossing is the first microsecond at which the device is on the other side: the exact time rounded
        up, or one microsecond later if the device is then exactly on the line and continues to its right. Two opposite
        crossings of one line cancel if they occur in the same microsecond, or if a crossing to the left is followed by
        a crossing to the right in the next microsecond. If two fixes have the same time, all crossings between them
        also have that time.
        """
        if (start.latitude, start.longitude) == (end.latitude, end.longitude):
            return []
        way = _Curve((start.latitude, start.longitude), (end.latitude, end.longitude))
        found = []
        for line in self._walked:
            net: dict[int, int] = {}
            for contact in _contacts(way, line):
                before, after = contact.sides(way, line)
                if before == after:
                    continue
                time = start.time + (end.time - start.time) * contact.along / way.length
                near = mp.nint(time)
                instant = int(near if abs(time - near) < mp.mpf(10) ** -12 else mp.ceil(time))
                # A crossing to the right happens when the device leaves the line; a crossing to the left happens when
                # the device reaches the line.
                if after == RIGHT and start.time < end.time and abs(time - near) < mp.mpf(10) ** -12:
                    instant += 1
                net[instant] = net.get(instant, 0) + after
            for instant in sorted(net):
                touches = max(0, min(net[instant], -net.get(instant + 1, 0)))
                net[instant] -= touches
                if touches:
                    net[instant + 1] += touches
            for instant, sum_of in net.items():
                found += [(instant, "right_to_left" if sum_of > 0 else "left_to_right")] * abs(sum_of)
        return sorted(found, key=lambda crossing: crossing[0])


class _Curve:
    """Represents the shortest geodesic between two points."""

    def __init__(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        self.start, self.end = start, end
        self.line, self.arc = exact.shortest(*start, *end)
        self.length = self.line.distance(self.arc)
        found = Geodesic.WGS84.Inverse(*start, *end)
        self.rough = Geodesic.WGS84.Line(*start, found["azi1"])
        self.middle = self.place(found["s12"] / 2)

    def at(self, along: Any) -> exact.State:
        return self.line.at(self.line.arc(along))

    def may_meet(self, other: _Curve) -> bool:
        return math.dist(self.middle, other.middle) <= float(self.length + other.length) / 2 + 1

    def place(self, along: float) -> tuple[float, float, float]:
        """Returns the approximate geocentric position at a distance along the curve."""
        there = self.rough.Position(along)
        return tuple(float(x) for x in exact.exact_vector(there["lat2"], there["lon2"]))  # type: ignore[return-value]


class _Contact(NamedTuple):
    """A contact of a path with a line: its distance along the path, and either its position within an edge, or the
    vertex at which it lies."""

    along: Any
    edge: int
    is_vertex: bool
    reach: Any = None  # distance along the edge

    def sides(self, way: _Curve, line: list[_Curve]) -> tuple[int, int]:
        state = way.at(self.along)
        ahead = None if way.length - self.along < SAME else state.tangent
        behind = None if self.along < SAME else _turned(state.tangent)
        if not self.is_vertex:
            out = line[self.edge].at(self.reach).tangent
            back = _turned(out)
        else:
            before = line[self.edge - 1]  # index -1, for the first vertex of a closed line, is the last edge
            out = line[self.edge].at(mp.mpf(0)).tangent
            back = _turned(before.at(before.length).tangent)
        up = _cross(state.tangent, state.left)
        return _side(behind, out, back, up), _side(ahead, out, back, up)


def _turned(direction: Any) -> Any:
    return tuple(-x for x in direction)


def _side(direction: Any, out: Any, back: Any, up: Any) -> int:
    """Returns the side on which `direction` lies at a vertex, where the line arrives from `back` and leaves towards
    `out`. If the direction is None, or runs along the line, the side is `LEFT`."""
    if direction is None:
        return LEFT
    turn, whole = _turn(out, direction, up), _turn(out, back, up)
    if min(turn, 2 * mp.pi - turn) < SLIGHT or abs(turn - whole) < SLIGHT:
        return LEFT
    return LEFT if turn < whole else RIGHT


def _turn(first: Any, second: Any, up: Any) -> Any:
    """Returns the angle from one direction to another, counterclockwise as seen from above."""
    angle = mp.atan2(exact.dot(_cross(first, second), up), exact.dot(first, second))
    return angle % (2 * mp.pi)


def _cross(u: Any, v: Any) -> Any:
    return u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]


def _contacts(way: _Curve, line: list[_Curve]) -> list[_Contact]:
    """Returns the contacts of a path with a line. If a line is open, its two ends do not belong to it."""
    found: dict[tuple[int, bool], _Contact] = {}
    is_closed = line[0].start == line[-1].end
    for number, edge in enumerate(line):
        if not way.may_meet(edge):
            continue
        for along, reach in _meetings(way, edge):
            if reach < SAME:
                found[number, True] = _Contact(along, number, True)
            elif edge.length - reach < SAME:
                vertex = 0 if is_closed and number + 1 == len(line) else number + 1
                found[vertex, True] = _Contact(along, vertex, True)
            else:
                found[number, False] = _Contact(along, number, False, reach)
    if not is_closed:
        found.pop((0, True), None)
        found.pop((len(line), True), None)
    return list(found.values())


def _meetings(way: _Curve, edge: _Curve) -> list[tuple[Any, Any]]:
    """Returns the contacts of a path with an edge; each contact is a pair of distances: along the path and along the
    edge. If the path runs along the edge, the contacts are the ends of their common part."""
    ends = []
    for along, of, other in ((mp.mpf(0), way, edge), (way.length, way, edge), (mp.mpf(0), edge, way),
                             (edge.length, edge, way)):  # fmt: skip
        reach = _foot(of.at(along).place, other)
        if reach is not None:
            ends.append((along, reach) if of is way else (reach, along))
    crossing = _crossing(way, edge)
    if crossing is not None and all(abs(crossing[0] - along) > SAME for along, _ in ends):
        ends.append(crossing)
    return ends


def _foot(place: Any, curve: _Curve) -> Any:
    """Returns the distance along a curve to a point on the curve; None if the point is not on the curve."""
    low, high = 0.0, float(curve.length)
    rough = tuple(float(x) for x in place)

    def squared(along: float) -> float:
        return sum((a - b) ** 2 for a, b in zip(rough, curve.place(along)))

    marks = [low + (high - low) * k / 32 for k in range(33)]
    best = min(marks, key=squared)
    if squared(best) > (high / 24 + 10) ** 2:
        return None
    along = mp.mpf(best)
    for _ in range(60):
        state = curve.at(min(max(along, mp.mpf(0)), curve.length))
        offset = exact.minus(place, state.place)
        step = exact.dot(offset, state.tangent)
        moved = min(max(along + step, mp.mpf(0)), curve.length)
        if abs(moved - along) < mp.mpf(10) ** -24:
            return along if exact.length(offset) < SAME else None
        along = moved
        if exact.length(offset) > abs(step) * 100 + 1e-3:
            return None  # beside the curve
    return along if exact.length(offset) < SAME else None


def _crossing(way: _Curve, edge: _Curve) -> tuple[Any, Any] | None:
    """Finds the point where two curves cross, if that point lies within both curves. Newton's iteration starts at the
    middles of near pieces of the two curves."""
    for first, second in _near_pieces(way, edge):
        s, u = mp.mpf(first), mp.mpf(second)
        for _ in range(60):
            one, other = way.at(s), edge.at(u)
            gap = exact.minus(other.place, one.place)
            # Solves gap + u' T2 = s' T1 for the lengths u' and s', in the plane of the two tangents T1 and T2.
            cosine = exact.dot(one.tangent, other.tangent)
            a, b = exact.dot(gap, one.tangent), exact.dot(gap, other.tangent)
            square = 1 - cosine * cosine
            if square < mp.mpf(10) ** -28:
                break
            ds, du = (a - cosine * b) / square, (cosine * a - b) / square
            s, u = s + ds, u + du
            if abs(s) > 3 * way.length + 1000 or abs(u) > 3 * edge.length + 1000:
                break
            if abs(ds) + abs(du) < mp.mpf(10) ** -22:
                if exact.length(gap) > mp.mpf(10) ** -12 or not (0 <= s <= way.length and 0 <= u <= edge.length):
                    break
                return s, u
    return None


PIECES = 16


def _near_pieces(way: _Curve, edge: _Curve) -> list[tuple[float, float]]:
    """Returns starting points for the iteration: the middles of pieces of both curves that come near each other; the
    nearest pieces come first."""
    first, second = float(way.length), float(edge.length)
    starts = [(k + 0.5) * first / PIECES for k in range(PIECES)]
    others = [(k + 0.5) * second / PIECES for k in range(PIECES)]
    places, theirs = [way.place(s) for s in starts], [edge.place(u) for u in others]
    reach = (first + second) / PIECES + 1
    pairs = []
    for s, one in zip(starts, places):
        for u, other in zip(others, theirs):
            d = math.dist(one, other)
            if d <= reach:
                pairs.append((d, s, u))
    return [(s, u) for _, s, u in sorted(pairs)[:6]]


def gate_of(lines: list[list[tuple[float, float]]]) -> Gate:
    """Makes a gate from lines of [latitude, longitude]."""
    return Gate([[[longitude, latitude] for latitude, longitude in line] for line in lines])


__all__ = ["Gate", "gate_of"]
