"""Computes geodesics with 32 digits on Bessel's auxiliary sphere; the integrals are computed by Gauss-Legendre
quadrature instead of series.

The method follows Karney, Algorithms for geodesics (2013), equations (5) to (8). The library `geographiclib` computes
only the first approximation for Newton's method.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from geographiclib.geodesic import Geodesic
from mpmath import MPContext

DIGITS, NODES = 32, 26
mp = MPContext()
mp.dps = DIGITS

A = mp.mpf(6378137)
F = 1 / mp.mpf("298.257223563")
B = A * (1 - F)
E2 = F * (2 - F)
SECOND_E2 = E2 / (1 - E2)
DEGREE = mp.pi / 180
# For a geodesic of up to this length in metres, the cubic term alone gives the difference between the geodesic and the
# straight line to within 1e-11 m.
SHORT = mp.mpf(50)

Vector = tuple[Any, Any, Any]


def _legendre(n: int) -> list[tuple[Any, Any]]:
    """Returns the nodes and weights of the quadrature on (-1, 1)."""
    rule = []
    for k in range(1, n + 1):
        x = mp.cos(mp.pi * (k - mp.mpf(1) / 4) / (n + mp.mpf(1) / 2))
        for _ in range(12):
            p0, p1 = mp.mpf(1), x
            for degree in range(2, n + 1):
                p0, p1 = p1, ((2 * degree - 1) * x * p1 - (degree - 1) * p0) / degree
            slope = n * (x * p1 - p0) / (x * x - 1)
            x -= p1 / slope
        rule.append((x, 2 / ((1 - x * x) * slope * slope)))
    return rule


# The integrands are smooth: their nearest singularity is 3.2 away from the real axis. With 26 nodes, an integral over
# half a turn has an error of 1e-30.
RULE = _legendre(NODES)


def dot(u: Vector, v: Vector) -> Any:
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]


def minus(u: Vector, v: Vector) -> Vector:
    return u[0] - v[0], u[1] - v[1], u[2] - v[2]


def length(u: Vector) -> Any:
    return mp.sqrt(dot(u, u))


def exact_vector(latitude: float, longitude: float) -> Vector:
    phi, lam = latitude * DEGREE, longitude * DEGREE
    normal = A / mp.sqrt(1 - E2 * mp.sin(phi) ** 2)
    axial = normal * mp.cos(phi)
    return axial * mp.cos(lam), axial * mp.sin(lam), normal * (1 - E2) * mp.sin(phi)


class State(NamedTuple):
    """A point of a geodesic: position, unit tangent, and the unit vector to its left."""

    place: Vector
    tangent: Vector
    left: Vector


class Line:
    """A geodesic from a point in a direction (radians clockwise from north), parametrised by the arc on the auxiliary
    sphere."""

    def __init__(self, latitude: float, longitude: float, azimuth: Any) -> None:
        phi = latitude * DEGREE
        # At a pole the azimuth still depends on the longitude, so the parallel must not have a radius of 0.
        sine, cosine = (1 - F) * mp.sin(phi), mp.cos(phi) if abs(latitude) < 90 else mp.mpf(10) ** -60
        size = mp.hypot(sine, cosine)
        sine, cosine = sine / size, cosine / size
        sa, ca = mp.sin(azimuth), mp.cos(azimuth)
        self.longitude = longitude * DEGREE
        self.sin0, self.cos0 = sa * cosine, mp.hypot(ca, sa * sine)
        self.sigma1 = mp.atan2(sine, ca * cosine)
        self.omega1 = mp.atan2(self.sin0 * sine, ca * cosine)
        self.k2 = SECOND_E2 * self.cos0 * self.cos0

    def _omega(self, sigma: Any) -> Any:
        """Returns the longitude on the auxiliary sphere without jumps: it increases continuously with sigma."""
        turns = mp.floor(sigma / (2 * mp.pi) + mp.mpf(1) / 2)
        omega = mp.atan2(self.sin0 * mp.sin(sigma), mp.cos(sigma))
        return omega + mp.sign(self.sin0) * turns * 2 * mp.pi

    def _integrate(self, arc: Any, integrand: Any) -> Any:
        half = arc / 2
        middle = self.sigma1 + half
        return half * sum(
            weight * integrand(mp.sqrt(1 + self.k2 * mp.sin(middle + half * x) ** 2)) for x, weight in RULE
        )

    def distance(self, arc: Any) -> Any:
        return B * self._integrate(arc, lambda root: root)

    def arc(self, distance: Any) -> Any:
        """Returns the arc from the start to the point at a given distance, found by Newton's method."""
        arc = distance / B
        for _ in range(30):
            sine = mp.sin(self.sigma1 + arc)
            step = (distance - self.distance(arc)) / (B * mp.sqrt(1 + self.k2 * sine * sine))
            arc += step
            if abs(step) < mp.mpf(10) ** -29:
                break
        return arc

    def at(self, arc: Any) -> State:
        sigma = self.sigma1 + arc
        sine, cosine = mp.sin(sigma), mp.cos(sigma)
        sin_beta = self.cos0 * sine
        cos_beta = mp.hypot(self.cos0 * cosine, self.sin0)
        turned = self._integrate(arc, lambda root: (2 - F) / (1 + (1 - F) * root))
        lam = self.longitude + self._omega(sigma) - self.omega1 - F * self.sin0 * turned
        size = mp.hypot(sin_beta / (1 - F), cos_beta)
        sin_phi, cos_phi = sin_beta / (1 - F) / size, cos_beta / size
        azimuth = mp.atan2(self.sin0, self.cos0 * cosine)
        sin_lam, cos_lam = mp.sin(lam), mp.cos(lam)
        sa, ca = mp.sin(azimuth), mp.cos(azimuth)
        north = (-sin_phi * cos_lam, -sin_phi * sin_lam, cos_phi)
        east = (-sin_lam, cos_lam, mp.mpf(0))
        tangent = tuple(ca * n + sa * e for n, e in zip(north, east))
        left = tuple(sa * n - ca * e for n, e in zip(north, east))
        return State((A * cos_beta * cos_lam, A * cos_beta * sin_lam, B * sin_beta), tangent, left)


def shortest(latitude1: float, longitude1: float, latitude2: float, longitude2: float) -> tuple[Line, Any]:
    """Returns the geodesic between two different points, and its arc."""
    return line_to(latitude1, longitude1, exact_vector(latitude2, longitude2), latitude2, longitude2)


def line_to(latitude: float, longitude: float, target: Vector, near_latitude: float, near_longitude: float) -> Any:
    """Returns the geodesic from a place to a target point, and its arc. The vector `target` gives the point exactly;
    `near_latitude` and `near_longitude` give it approximately."""
    start = Geodesic.WGS84.Inverse(float(latitude), float(longitude), near_latitude, near_longitude, Geodesic.ALL)
    azimuth, arc = start["azi1"] * DEGREE, start["a12"] * DEGREE
    before = None
    for _ in range(40):
        line = Line(latitude, longitude, azimuth)
        state = line.at(arc)
        rest = minus(target, state.place)
        missed = length(rest)
        if missed < mp.mpf(10) ** -21 or (before is not None and missed < mp.mpf(10) ** -15 and missed >= before):
            return line, arc
        before = missed
        sine = mp.sin(line.sigma1 + arc)
        arc += dot(rest, state.tangent) / (B * mp.sqrt(1 + line.k2 * sine * sine))
        azimuth -= dot(rest, state.left) / mp.mpf(start["m12"])
    raise ArithmeticError(f"no geodesic from {latitude} {longitude} to about {near_latitude} {near_longitude}")


def separation(latitude: float, longitude: float, target: Vector, near_latitude: float, near_longitude: float) -> Any:
    """Returns the geodesic distance in metres from a place to a target point. The vector `target` gives the point
    exactly; `near_latitude` and `near_longitude` give it approximately."""
    chord = length(minus(target, exact_vector(latitude, longitude)))
    if chord < SHORT:
        return chord * (1 + (chord / 6_371_000) ** 2 / 24)
    line, arc = line_to(latitude, longitude, target, near_latitude, near_longitude)
    return line.distance(arc)


def exact_distance(latitude1: float, longitude1: float, latitude2: float, longitude2: float) -> Any:
    return separation(latitude1, longitude1, exact_vector(latitude2, longitude2), latitude2, longitude2)
