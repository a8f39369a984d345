"""Tests that the engine and the reference agree on every crossing of random gates and paths in all regions.

FENCEPOST_SOAK=1 runs each region with twenty times as many random gates and paths.
"""

from __future__ import annotations

import os
import random

import pytest
from conftest import SECOND, in_full
from reference import ReferenceMonitor
from reference_gate import gate_of

from fencepost import Fix, Gate, Monitor, geodesic

ROUNDS = 20 if os.environ.get("FENCEPOST_SOAK") == "1" else 1
WORLDS = {
    "town": (47.56, 7.59, 2_000.0),
    "equator": (0.0, 0.0, 300.0),
    "antimeridian": (-17.0, 180.0, 20_000.0),
    "pole": (89.99, 40.0, 3_000.0),
    "tiny": (52.5, 13.4, 5.0),
    "ocean": (45.0, -30.0, 2_000_000.0),
}


def somewhere(source: random.Random, centre: tuple[float, float], size: float) -> tuple[float, float]:
    there = geodesic.direct(*centre, source.uniform(-180, 180), size * source.random() ** 0.5)
    return there.latitude, there.longitude


@pytest.mark.parametrize("number", range(ROUNDS))
@pytest.mark.parametrize("world", ["town", "equator", "antimeridian", "pole", *in_full("tiny", "ocean")])
def test_engine_and_reference_agree(world: str, number: int) -> None:
    source = random.Random(f"gates {world} {number}")
    *centre, size = WORLDS[world]
    place = lambda: somewhere(source, (centre[0], centre[1]), size)  # noqa: E731
    ours, theirs = Monitor(path="geodesic", max_gap=1e5), ReferenceMonitor(path="geodesic", max_gap=1e5)
    for index in range(3):
        lines = [[place() for _ in range(source.randint(2, 4))] for _ in range(source.randint(1, 2))]
        if index == 2:
            lines[0].append(lines[0][0])  # a closed line
        coordinates = [[[longitude, latitude] for latitude, longitude in line] for line in lines]
        shape = {"type": "MultiLineString", "coordinates": coordinates}
        ours.add(Gate(shape, edges="geodesic"), f"g{index}")
        theirs.add_gate(f"g{index}", gate_of(lines))
    time, at = 0, place()
    for _ in range(8):
        if source.random() < 0.8:
            at = place()
        ours.feed(Fix(*at, accuracy=5, time=time))
        theirs.feed_fix(time, *at, 5.0)
        # The speed is at least 1 m/s, so that the position noise of 15 nm is small compared with the movement in a
        # microsecond. A step of 0 gives two fixes with the same time.
        time += source.choice([0, 1, round(size / source.uniform(1, 50) * SECOND)])
    reported = list(ours.events())
    expected = []
    while (event := theirs.next_event()) is not None:
        expected.append(event)
    assert len(reported) >= 3
    assert [(event.identifier, str(event.direction)) for event in reported] == [
        (event["identifier"], event["direction"]) for event in expected
    ]
    for one, other in zip(reported, expected):
        assert abs((one.date_us or 0) - other["date"]) <= 1
        assert (one.latitude, one.longitude) == pytest.approx((other["latitude"], other["longitude"]), abs=1e-9)
        assert str(one.evidence) == other["evidence"] and one.boundary_distance == 0
