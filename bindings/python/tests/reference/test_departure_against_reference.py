"""Tests the warning about planar edges: the distance between the planar edges and the geodesic edges of a ring, as a
monitor reports it, is compared with distances that are sampled along the planar edges."""

from __future__ import annotations

import random

import pytest
from reference_shapes.edge import Edge
from reference_shapes.planar_edges import turn
from reference_shapes.vertices import Vertex, reduced

from fencepost import Monitor, Polygon

SEED = 20261122
STEPS = 40


def departure(ring: list[tuple[float, float]]) -> float:
    """Samples the straight lines between successive vertices, and returns the greatest distance from a sample to the
    geodesic between the same two vertices."""
    worst = 0.0
    for number, (start, end) in enumerate(zip(ring, ring[1:] + ring[:1])):
        edge = Edge(Vertex(*start, number), Vertex(*end, number + 1))
        for k in range(1, STEPS):
            latitude = start[0] + (end[0] - start[0]) * k / STEPS
            longitude = reduced(start[1] + turn(start[1], end[1]) * k / STEPS)
            worst = max(worst, edge.approach(latitude, longitude)[0])
    return worst


@pytest.mark.parametrize("number", range(25))
def test_the_departure_that_a_monitor_tells(number: int) -> None:
    source = random.Random(SEED + number)
    latitude, longitude, size = source.uniform(-75, 75), source.uniform(-180, 180), 10 ** source.uniform(-1.5, 1)
    corners = ((-1, -1), (-1.1, 1), (1, 0.9), (0.8, -1))
    ring = [(latitude + north * size, longitude + 2 * east * size) for north, east in corners]
    monitor = Monitor()
    monitor.add(Polygon(ring, order="latlon", edges="planar"), "p")
    reported, expected = monitor.shape("p").departure, departure(ring)
    if reported is None:
        assert expected <= 1.0
    else:
        assert reported > 1.0
        # The farthest of 39 samples of an edge may be up to 1/40 of an edge away from the true maximum.
        assert expected * (1 - 1e-9) <= reported <= expected * 1.01
