"""The probability that the true position is inside a condition, as part of the monitor's reference model.

The boundary is cut into pieces between exact positions of ``geographiclib`` in the azimuthal equidistant plane around
the measured position, and integrated by Green's theorem. Corridors and buffers are integrated along rays. The module
shares no code with the engine.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from geographiclib.geodesic import Geodesic

EARTH = Geodesic.WGS84
FARTHEST = 6.5  # standard deviations: beyond this distance from the boundary, the side of the position decides
LARGEST_SIGMA = 10_000.0  # metres
SMALLEST_SIGMA = 0.01  # metres
RAYS, STEPS = 48, 33
ERROR_OF_RAYS = 0.03


def sigma(accuracy: float, confidence: float) -> float:
    """Returns the standard deviation of an isotropic error whose circle with the radius `accuracy` holds the true
    position with the probability `confidence`."""
    return max(accuracy / math.sqrt(-2 * math.log(1 - confidence)), SMALLEST_SIGMA)


def probability(condition: Any, fix: Any, distance: float, confidence: float) -> float:
    """Returns the probability that a condition contains the true position of a fix; NaN if it is undefined.

    Args:
        distance: the signed boundary distance of the fix.
    """
    known: dict[Any, float] = vars(condition.definition.get("shape", condition)).setdefault("probabilities", {})
    key = fix.latitude, fix.longitude, fix.accuracy, fix.ellipse, confidence
    if key not in known:
        known[key] = computed(condition, fix, distance, confidence)
    return known[key]


def computed(condition: Any, fix: Any, distance: float, confidence: float) -> float:
    side = 1.0 if distance <= 0 else 0.0
    if fix.ellipse is None and fix.accuracy == 0:
        return side
    if fix.ellipse is None:
        deviation = sigma(fix.accuracy, confidence)
        ellipse = deviation, deviation, 0.0
    else:
        major, minor, orientation = fix.ellipse
        deviation = max(major, SMALLEST_SIGMA)
        ellipse = deviation, max(minor, SMALLEST_SIGMA), orientation
    if abs(distance) >= FARTHEST * deviation:
        return side
    if deviation > LARGEST_SIGMA:
        return math.nan
    plane = Plane(fix.latitude, fix.longitude, ellipse)
    definition = condition.definition
    if definition["kind"] == "circle":
        of = of_small_circle if definition["radius"] * plane.major <= 1e5 and plane.minor >= 1 else of_circle
        total = of(plane, definition["latitude"], definition["longitude"], definition["radius"])
    elif definition["kind"] == "polygon" and definition["shape"].buffer == 0:
        rings = (ring for part in definition["shape"].rings for ring in part)
        total = sum(of_ring(plane, [edge.start.place for edge in ring]) for ring in rings)
    else:
        return by_rays(plane, lambda *place: definition["shape"].distance(*place))
    if not -1e-6 < total < 1 + 1e-6:
        total %= 1  # a boundary that encloses the antipode
    return min(max(total, 0.0), 1.0)


class Plane:
    """The whitened azimuthal equidistant plane around a measured position."""

    def __init__(self, latitude: float, longitude: float, ellipse: tuple[float, float, float]) -> None:
        self.place, (major, minor, orientation) = (latitude, longitude), ellipse
        self.major, self.minor = max(major, minor, 0.01), max(minor, 0.01)
        self.turn = math.radians(orientation)

    def of(self, latitude: float, longitude: float) -> complex:
        path = EARTH.Inverse(*self.place, latitude, longitude)
        angle = math.radians(path["azi1"]) - self.turn
        return complex(path["s12"] * math.cos(angle) / self.major, -path["s12"] * math.sin(angle) / self.minor)

    def contribution(self, curve: Callable[[float], tuple[float, float]], start: float, end: float) -> float:
        """The integral of (1 - exp(-rho^2 / 2)) dtheta / 2 pi along a line, divided into pieces of at
        most 0.02 standard deviations between exact positions."""
        first, last = self.of(*curve(start)), self.of(*curve(end))
        return self.piece(curve, start, first, end, last, 0)

    def piece(
        self,
        curve: Callable[[float], tuple[float, float]],
        start: float,
        a: complex,
        end: float,
        b: complex,
        depth: int,
    ) -> float:
        middle = (start + end) / 2
        m = self.of(*curve(middle))
        longest = max(abs(m - a), abs(b - m))
        is_far = abs(m) > 7 + 1.5 * longest
        if (is_far and longest < abs(m) / 2) or (longest < 0.02 and depth > 1):
            # Simpson's rule for the parabola through the three points, with the exact angle at infinity.
            if is_far:
                return (angle_of(m / a) + angle_of(b / m)) / (2 * math.pi)
            slope_a, slope_b = -3 * a + 4 * m - b, a - 4 * m + 3 * b
            values = [(a, slope_a), (m, b - a), (b, slope_b)]
            sums = [g(abs(z) ** 2 / 2) * (z.real * s.imag - z.imag * s.real) for z, s in values]
            return (sums[0] + 4 * sums[1] + sums[2]) / 6 / (4 * math.pi)
        return self.piece(curve, start, a, middle, m, depth + 1) + self.piece(curve, middle, m, end, b, depth + 1)


def angle_of(z: complex) -> float:
    return math.atan2(z.imag, z.real)


def g(u: float) -> float:
    return -math.expm1(-u) / u if u > 1e-12 else 1.0


def around(latitude: float, longitude: float, azimuth: float, distance: float) -> tuple[float, float]:
    end = EARTH.Direct(latitude, longitude, azimuth, distance)
    return end["lat2"], end["lon2"]


def of_ring(plane: Plane, ring: list[tuple[float, float]]) -> float:
    """The sum over a ring, counterclockwise positive."""
    total = 0.0
    for start, end in zip(ring, ring[1:] + ring[:1]):
        path = EARTH.Inverse(*start, *end)

        def curve(s: float, start: tuple[float, float] = start, azimuth: float = path["azi1"]) -> tuple[float, float]:
            return around(*start, azimuth, s)

        # Cut at the nearest places, so that no piece of a long edge is missed.
        pieces = max(1, math.ceil(path["s12"] / (40 * plane.major)))
        cuts = [path["s12"] * piece / min(pieces, 64) for piece in range(min(pieces, 64) + 1)]
        total += sum(plane.contribution(curve, low, high) for low, high in pairwise(cuts))
    return total


def of_circle(plane: Plane, latitude: float, longitude: float, radius: float) -> float:
    def curve(angle: float) -> tuple[float, float]:
        return around(latitude, longitude, -angle, radius)

    towards = -EARTH.Inverse(latitude, longitude, *plane.place)["azi1"]
    cuts = [towards + turn for turn in (-180, -90, -20, -4, -1, 0, 1, 4, 20, 90, 180)]
    return sum(plane.contribution(curve, low, high) for low, high in pairwise(cuts))


# The nodes in (-1, 1) of Gauss's rule with eight points, and their weights.
GAUSS = [(0.1834346424956498, 0.362683783378362), (0.525532409916329, 0.3137066458778873),
         (0.7966664774136267, 0.2223810344533745), (0.9602898564975363, 0.1012285362903763)]  # fmt: skip


def of_small_circle(plane: Plane, latitude: float, longitude: float, radius: float) -> float:
    """The probability of a circle that is a circle in the plane, too: it is wrong by 0.04 times the radius and the
    standard deviation, divided by the square of the Earth's radius. This takes a hundredth of the time of
    `of_circle`."""
    centre = plane.of(latitude, longitude)
    along, across = centre.real * plane.major, centre.imag * plane.minor
    pieces = math.ceil(math.pi * radius / plane.minor)
    total, half = 0.0, math.pi / 2 / pieces
    for piece in range(pieces):
        middle = -math.pi / 2 + (2 * piece + 1) * half
        for node, weight in GAUSS:
            for angle in (middle - node * half, middle + node * half):
                x, h = along + radius * math.sin(angle), radius * math.cos(angle)
                unit = math.sqrt(2) * plane.minor
                chord = math.erf((across + h) / unit) - math.erf((across - h) / unit)
                total += weight * half * h * math.exp(-((x / plane.major) ** 2) / 2) * chord / 2
    return total / (plane.major * math.sqrt(2 * math.pi))


def by_rays(plane: Plane, distance: Callable[[float, float], float]) -> float:
    """The mean over rays of the probability along each ray; wrong by at most ERROR_OF_RAYS for the shapes of the
    scenarios. Along a ray, the places are found at which the signed boundary distance changes its sign."""
    total = 0.0
    for ray in range(RAYS):
        azimuth = (ray + 0.3819) * 360 / RAYS

        def is_inside(rho: float, azimuth: float = azimuth) -> bool:
            return distance(*around(*plane.place, azimuth, rho * plane.major)) <= 0

        was = is_inside(0.0)
        total += was
        for step in range(STEPS):
            low, high = step * FARTHEST / STEPS, (step + 1) * FARTHEST / STEPS
            if is_inside(high) == was:
                continue
            for _ in range(12):
                middle = (low + high) / 2
                low, high = (middle, high) if is_inside(middle) == was else (low, middle)
            total += (-1.0 if was else 1.0) * math.exp(-(low**2) / 2)
            was = not was
    return total / RAYS
