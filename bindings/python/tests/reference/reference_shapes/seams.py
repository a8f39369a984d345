"""Rule 6 removes edges that occur in both directions, and stretches of the antimeridian, from the boundary."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

from .defects import Defect
from .edge import Edge
from .vertices import Vertex

REMAINDER = 1e-6  # metres
Key = tuple[tuple[float, float], tuple[float, float]]


def without_seams(edges: list[Edge]) -> list[Edge]:
    """Returns the remaining edges; the polygon lies on their left."""
    plain: dict[Key, list[Edge]] = defaultdict(list)
    along: list[Edge] = []
    for edge in edges:
        if _is_on_antimeridian(edge):
            along.append(edge)
        else:
            plain[edge.key].append(edge)
    remaining = []
    for key, group in plain.items():
        net = len(group) - len(plain.get((key[1], key[0]), ()))
        if net > 1:
            raise Defect("overlap", *(edge.number for edge in group))
        if net == 1:
            remaining.append(group[0])
    return remaining + _stretches(along)


def split_at_pole(edge: Edge) -> list[Edge]:
    """Splits an edge at the pole if the edge runs over the pole, from the antimeridian to the meridian of Greenwich:
    one half of such an edge may be a seam."""
    ends = (edge.start, edge.end)
    if {vertex.longitude for vertex in ends} != {-180.0, 0.0} or any(abs(vertex.latitude) == 90 for vertex in ends):
        return [edge]
    latitude = 90.0 if edge.start.latitude + edge.end.latitude > 0 else -90.0
    pole = Vertex(latitude, -180.0, edge.start.number)
    return [Edge(edge.start, pole, edge.part, edge.ring), Edge(pole, edge.end, edge.part, edge.ring)]


def _is_on_antimeridian(edge: Edge) -> bool:
    return all(vertex.longitude == -180 or abs(vertex.latitude) == 90 for vertex in (edge.start, edge.end)) and any(
        abs(vertex.latitude) < 90 for vertex in (edge.start, edge.end)
    )


def _stretches(edges: list[Edge]) -> list[Edge]:
    latitudes = sorted({vertex.latitude for edge in edges for vertex in (edge.start, edge.end)})
    remaining = []
    for south, north in pairwise(latitudes):
        over = [
            edge
            for edge in edges
            if min(edge.start.latitude, edge.end.latitude) <= south
            and max(edge.start.latitude, edge.end.latitude) >= north
        ]
        net = sum(1 if edge.start.latitude < edge.end.latitude else -1 for edge in over)
        if abs(net) > 1:
            raise Defect("overlap", *(edge.number for edge in over))
        if net:
            owner = next(edge for edge in over if (edge.start.latitude < edge.end.latitude) == (net > 0))
            ends = [Vertex(latitude, -180.0, owner.start.number) for latitude in (south, north)[::net]]
            stretch = Edge(*ends, owner.part, owner.ring)
            if stretch.length >= REMAINDER:
                remaining.append(stretch)
    return remaining
