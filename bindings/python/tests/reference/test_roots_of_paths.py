"""Compares the times of crossings of circles, polygons and corridors with exact times, which are found by bisection
with 50 digits.

If the environment variable FENCEPOST_SOAK is 1, ten times as many cases run. The geodesics come from
``reference_shapes.exact_geodesic``, which is loaded a second time to compute with more digits.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from conftest import SECOND, in_full
from geographiclib.geodesic import Geodesic
from reference_shapes import exact_geodesic

from fencepost import (
    Circle,
    Corridor,
    Fix,
    Monitor,
    Polygon,
)

ROOTS = 20 if os.environ.get("FENCEPOST_SOAK") == "1" else 2
NANOSECOND = 1e-3  # in microseconds, the unit of time


def _with_50_digits() -> ModuleType:
    """Loads the same source file a second time with other constants."""
    source = Path(str(exact_geodesic.__file__)).read_text()
    reported = source.replace("DIGITS, NODES = 32, 26", "DIGITS, NODES = 50, 40")
    assert reported != source
    module = ModuleType("exact_geodesic_50")
    exec(compile(reported, "exact_geodesic_50", "exec"), module.__dict__)
    return module


exact = _with_50_digits()
mp = exact.mp


class Way:
    """Represents the movement along the geodesic between two points at constant speed; times are in microseconds."""

    def __init__(self, start: tuple[float, float], end: tuple[float, float], duration: int) -> None:
        self.start, self.end, self.duration = start, end, duration
        self.line, arc = exact.shortest(*start, *end)
        self.length = self.line.distance(arc)
        found = Geodesic.WGS84.Inverse(*start, *end)
        self.rough, self.metres = Geodesic.WGS84.Line(*start, found["azi1"]), found["s12"]

    def place(self, time: Any) -> Any:
        return self.line.at(self.line.arc(self.length * time / self.duration)).place

    def near(self, time: Any) -> tuple[float, float]:
        there = self.rough.Position(self.metres * float(time) / self.duration)
        return there["lat2"], there["lon2"]

    def at(self, share: float) -> tuple[float, float]:
        return self.near(share * self.duration)


def degrees(place: Any) -> tuple[Any, Any]:
    """Returns latitude and longitude of a point on the surface."""
    x, y, z = place
    latitude = mp.atan2(z, mp.hypot(x, y) * (1 - exact.E2))
    return latitude / exact.DEGREE, mp.atan2(y, x) / exact.DEGREE


def aside(at: tuple[float, float], azimuth: float, metres: float) -> tuple[float, float]:
    there = Geodesic.WGS84.Direct(*at, azimuth, metres)
    return there["lat2"], there["lon2"]


class Edge:
    """Represents a geodesic between two vertices: computes on which side of the edge a point lies, and how far from
    it."""

    def __init__(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        self.way = Way(start, end, 1)

    def foot(self, place: Any) -> Any:
        line, along = self.way.line, self.way.length / 2
        for _ in range(100):
            state = line.at(line.arc(along))
            step = exact.dot(exact.minus(place, state.place), state.tangent)
            along += step
            if abs(step) < mp.mpf(10) ** -25:
                assert 0 < along < self.way.length, "the foot lies within the edge"
                return state
        raise ArithmeticError("no foot")

    def left(self, place: Any) -> Any:
        state = self.foot(place)
        return exact.dot(exact.minus(place, state.place), state.left)

    def distance(self, place: Any, near: tuple[float, float]) -> Any:
        return exact.separation(*degrees(self.foot(place).place), place, *near)


def bisected(excess: Callable[[Any], Any], low: Any, high: Any) -> Any:
    """Returns the root of a function that changes its sign once; the root is accurate to a hundredth of a
    nanosecond."""
    low, high = mp.mpf(low), mp.mpf(high)
    before = mp.sign(excess(low))
    assert before != 0 and before != mp.sign(excess(high))
    while high - low > mp.mpf(10) ** -5:
        middle = (low + high) / 2
        if mp.sign(excess(middle)) == before:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def a_way(source: random.Random, is_short: bool) -> Way:
    start = source.uniform(-85, 85), source.uniform(-180, 180)
    length = 2 * 140 ** source.random() if is_short else 300 * 300 ** source.random()
    end = aside(start, source.uniform(-180, 180), length)
    return Way(start, end, round(length / source.uniform(2, 60) * SECOND))


def circle(source: random.Random, way: Way) -> tuple[Any, Callable[[Any], Any], float]:
    inner = source.uniform(0.35, 0.65)
    radius = way.metres * source.uniform(0.05, 0.3)
    centre = aside(way.at(inner), source.uniform(-180, 180), source.uniform(0, 0.8 * radius))

    def excess(time: Any) -> Any:
        return exact.separation(*centre, way.place(time), *way.near(time)) - mp.mpf(radius)

    return Circle(*centre, radius), excess, inner


def crossed(source: random.Random, way: Way) -> tuple[Edge, list[tuple[float, float]]]:
    """Returns an edge whose middle the path crosses; the angle of the crossing is within half a radian of a right
    angle."""
    there = way.rough.Position(way.metres / 2)
    turn = there["azi2"] + 90 + source.uniform(-28, 28)
    size = way.metres * source.uniform(0.8, 1.2)
    ends = [aside((there["lat2"], there["lon2"]), turn + half, size) for half in (180, 0)]
    return Edge(*ends), ends


def polygon(source: random.Random, way: Way) -> tuple[Any, Callable[[Any], Any], float]:
    """Returns a polygon that contains the end of the path but not its start."""
    edge, ends = crossed(source, way)
    far = Geodesic.WGS84.Inverse(*way.start, *way.end)
    ring = [*ends, *(aside(end, far["azi2"], 3 * way.metres) for end in ends[::-1])]
    return (
        Polygon(ring, order="latlon", edges="geodesic"),
        lambda time: edge.left(way.place(time)),
        1.0,
    )


def corridor(source: random.Random, way: Way) -> tuple[Any, Callable[[Any], Any], float]:
    edge, ends = crossed(source, way)
    radius = way.metres * source.uniform(0.01, 0.15)

    def excess(time: Any) -> Any:
        return edge.distance(way.place(time), way.near(time)) - mp.mpf(radius)

    return Corridor(ends, radius, order="latlon", edges="geodesic"), excess, 0.5


@pytest.mark.parametrize("number", [0, *in_full(*range(1, ROOTS))])
@pytest.mark.parametrize("kind", [circle, polygon, corridor])
@pytest.mark.parametrize("is_short", [False, True])
def test_instants_are_true_to_a_microsecond(is_short: bool, kind: Any, number: int) -> None:
    """For legs of up to 300 m the engine starts from straight lines, which differ from the geodesic by some
    nanometres."""
    source = random.Random(f"{kind.__name__} {number}" + " short" * is_short)
    way = a_way(source, is_short)
    condition, excess, inner = kind(source, way)
    monitor = Monitor(path="geodesic", max_gap=1e6)
    monitor.add(condition, "c", assuming="unsatisfied", policy="exact")
    monitor.feed(Fix(*way.start, time=0))
    monitor.feed(Fix(*way.end, time=way.duration))
    instants = [event.date_us for event in monitor.events()]
    middle = inner * way.duration
    spans = [(0, middle)] if inner == 1 else [(0, middle), (middle, way.duration)]
    assert len(instants) == len(spans)
    for instant, span in zip(instants, spans):
        late = float((instant or 0) - bisected(excess, *span))
        doubt = (8 if is_short else 1) * NANOSECOND
        assert -doubt <= late <= 1 + doubt, "the first microsecond after the crossing"
