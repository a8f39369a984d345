"""Writes segments.tsv: the nearest points on geodesic segments, computed with 40 digits.

    pip install geographiclib mpmath; python generate_segments.py > segments.tsv

Columns: kind; latitude and longitude of the start, the end and the point (degrees); length of the segment, distance of
the point, length from the start to the nearest point on the segment (metres); there, the signed distance to the left
(metres, 0 if the nearest point is an end).

The geodesic is followed in space by the Taylor series of its differential equation, x'' = -(x'Dx' / xDDx) Dx on the
ellipsoid xDx = 1. This shares nothing with the library's method; geographiclib only provides the starting values.
Deterministic: the generator has a fixed seed.
"""

import math
import random

from geographiclib.geodesic import Geodesic
from mpmath import mp, mpf

mp.dps = 40
random.seed(20261122)

A = mpf(6378137)
F = 1 / mpf("298.257223563")
E2 = F * (2 - F)
BETA = 1 / (1 - E2)
STEP = mpf(500_000)
ORDER = 34


def dot(u, v):
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]


def cross(u, v):
    return (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])


def combine(k, u, m, v):
    return tuple(k * a + m * b for a, b in zip(u, v))


def scaled(u):
    return (u[0], u[1], u[2] * BETA)


def unit(u):
    size = mp.sqrt(dot(u, u))
    return tuple(a / size for a in u)


def radians(degrees):
    return mpf(degrees) * mp.pi / 180


def vector(latitude, longitude):
    phi, lam = radians(latitude), radians(longitude)
    normal = A / mp.sqrt(1 - E2 * mp.sin(phi) ** 2)
    axial = normal * mp.cos(phi)
    return (axial * mp.cos(lam), axial * mp.sin(lam), normal * (1 - E2) * mp.sin(phi))


def heading(latitude, longitude, azimuth):
    """The unit tangent at a position, in a direction (radians clockwise from north)."""
    phi, lam = radians(latitude), radians(longitude)
    north = (-mp.sin(phi) * mp.cos(lam), -mp.sin(phi) * mp.sin(lam), mp.cos(phi))
    east = (-mp.sin(lam), mp.cos(lam), mpf(0))
    return combine(mp.cos(azimuth), north, mp.sin(azimuth), east)


def taylor(x, v, s):
    """One step along a geodesic: position and direction after the length s."""
    xs, ys, p, q, mu = [x, v], [scaled(x), scaled(v)], [], [], []
    for k in range(ORDER):
        p.append(sum((i + 1) * (k - i + 1) * dot(xs[i + 1], ys[k - i + 1]) for i in range(k + 1)))
        q.append(sum(dot(ys[i], ys[k - i]) for i in range(k + 1)))
        mu.append((p[k] - sum(mu[i] * q[k - i] for i in range(k))) / q[0])
        fall = [sum(mu[i] * ys[k - i][axis] for i in range(k + 1)) for axis in range(3)]
        xs.append(tuple(-f / ((k + 2) * (k + 1)) for f in fall))
        ys.append(scaled(xs[-1]))
    place, direction = (mpf(0),) * 3, (mpf(0),) * 3
    for k in range(len(xs) - 1, -1, -1):
        place = combine(s, place, 1, xs[k])
        if k:
            direction = combine(s, direction, k, xs[k])
    return place, unit(direction)


def flow(x, v, s):
    steps = max(1, int(mp.ceil(abs(s) / STEP)))
    for _ in range(steps):
        x, v = taylor(x, v, s / steps)
    return x, v


class Line:
    """The shortest geodesic from a position (latitude, longitude) to a vector that ends near `target`."""

    def __init__(self, origin, target, end=None):
        start = Geodesic.WGS84.Inverse(*map(float, origin), *map(float, target), Geodesic.ALL)
        self.x = vector(*origin)
        azimuth, self.length = radians(start["azi1"]), mpf(start["s12"])
        end = vector(*target) if end is None else end
        for _ in range(60):
            self.v = heading(*origin, azimuth)
            there, along = flow(self.x, self.v, self.length)
            rest = combine(1, end, -1, there)
            right = cross(along, unit(scaled(there)))
            self.length += dot(rest, along)
            azimuth += dot(rest, right) / mpf(max(abs(start["m12"]), 1e-9))
            if dot(rest, rest) < mpf(10) ** -54:
                break
        else:
            raise ArithmeticError(f"no line from {origin} to {target}")
        self.arrival = along

    def at(self, s):
        return flow(self.x, self.v, s)


def degrees(x):
    return mp.degrees(mp.atan2(x[2], (1 - E2) * mp.hypot(x[0], x[1]))), mp.degrees(mp.atan2(x[1], x[0]))


def nearest(a, b, p):
    """Returns the segment's length, the point's distance, the length to the nearest point, and the signed distance to
    the left."""
    edge = Line(a, b)
    inverse = Geodesic.WGS84.Inverse(*a, *b)
    rough = Geodesic.WGS84.Line(*a, inverse["azi1"])
    samples = 400

    def distance(s):
        place = rough.Position(s)
        return Geodesic.WGS84.Inverse(*p, place["lat2"], place["lon2"])["s12"]

    ranked = [(distance(inverse["s12"] * k / samples), k) for k in range(samples + 1)]
    ends = {0: Line(p, a).length if p != a else mpf(0), samples: Line(p, b).length if p != b else mpf(0)}
    best = min((ends[0], mpf(0), mpf(0)), (ends[samples], edge.length, mpf(0)))
    for k in range(samples + 1):
        d = ranked[k][0]
        if d > ranked[max(k - 1, 0)][0] or d > ranked[min(k + 1, samples)][0]:
            continue
        low, high = inverse["s12"] * max(k - 1, 0) / samples, inverse["s12"] * min(k + 1, samples) / samples
        for _ in range(60):  # golden section in double precision, then Newton with 40 digits
            first, second = low + 0.382 * (high - low), low + 0.618 * (high - low)
            if distance(first) < distance(second):
                high = second
            else:
                low = first
        s = mpf(low)
        for _ in range(80):
            place, along = edge.at(s)
            flat = combine(1, vector(*p), -1, place)
            size = mp.sqrt(dot(flat, flat))
            if size < 1000:
                step = dot(flat, along)
            else:
                way = Line(p, degrees(place), place)
                step = -dot(way.arrival, along) * mp.tan(min(way.length / 6371000, mpf("1.4"))) * 6371000
            s += step
            if abs(step) < mpf(10) ** -17:
                break
        if not 0 < s < edge.length:
            continue
        place, along = edge.at(s)
        flat = combine(1, vector(*p), -1, place)
        left = unit(cross(scaled(place), along))
        if dot(flat, flat) < mpf(10) ** -20:
            d = mp.sqrt(dot(flat, flat))
        else:
            d = Line(p, degrees(place), place).length
        best = min(best, (d, s, d * mp.sign(dot(flat, left))))
    return (edge.length, *best)


def latitude():
    return math.degrees(math.asin(random.uniform(-1, 1)))


def longitude():
    return random.uniform(-180, 180)


def moved(place, azimuth, distance):
    end = Geodesic.WGS84.Direct(*place, azimuth, distance)
    return end["lat2"], end["lon2"]


def beside(a, b, fraction, distance):
    """Returns a point beside a segment: at this fraction of its length, and at this distance to the left."""
    edge = Geodesic.WGS84.Inverse(*a, *b)
    foot = Geodesic.WGS84.Direct(*a, edge["azi1"], edge["s12"] * fraction)
    return moved((foot["lat2"], foot["lon2"]), foot["azi2"] - 90, distance)


def cases():
    for _ in range(60):  # typical edges: metres to kilometres long, with the point about as far away
        a = latitude(), longitude()
        b = moved(a, random.uniform(-180, 180), 10 ** random.uniform(-1, 4.7))
        yield (
            "short",
            a,
            b,
            beside(a, b, random.uniform(-0.3, 1.3), random.choice((-1, 1)) * 10 ** random.uniform(-3, 4.3)),
        )
    for _ in range(40):  # on the line, or nearly
        a = latitude(), longitude()
        b = moved(a, random.uniform(-180, 180), 10 ** random.uniform(0, 6.5))
        yield "line", a, b, beside(a, b, random.uniform(0, 1), random.uniform(-1, 1) * 10 ** random.uniform(-8, -2))
    for _ in range(40):  # far from a short edge
        a = latitude(), longitude()
        b = moved(a, random.uniform(-180, 180), 10 ** random.uniform(2, 5))
        yield "far", a, b, beside(a, b, random.uniform(0, 1), random.choice((-1, 1)) * 10 ** random.uniform(4.3, 6.9))
    for _ in range(40):  # long edges
        a = latitude(), longitude()
        b = moved(a, random.uniform(-180, 180), random.uniform(1e6, 1.6e7))
        yield "long", a, b, beside(a, b, random.uniform(0, 1), random.uniform(-1, 1) * 10 ** random.uniform(0, 6.9))
    for _ in range(20):
        yield "any", (latitude(), longitude()), (latitude(), longitude()), (latitude(), longitude())
    for _ in range(8):  # at a pole, near a pole, or across a pole
        a, b = (random.choice((90.0, 89.9999)), longitude()), (random.uniform(60, 89), longitude())
        yield "pole", a, b, beside(a, b, random.uniform(0, 1), random.uniform(-1, 1) * 10 ** random.uniform(0, 5))
    for _ in range(8):
        a = 10 ** random.uniform(-6, 0), 179.0
        b = -a[0], -179.5
        yield (
            "antimeridian",
            a,
            b,
            beside(a, b, random.uniform(0, 1), random.uniform(-1, 1) * 10 ** random.uniform(0, 5)),
        )
    for _ in range(8):  # the longest edges that are allowed
        a = latitude(), longitude()
        b = moved(a, random.uniform(-180, 180), random.uniform(1.85e7, 1.98e7))
        yield "longest", a, b, beside(a, b, random.uniform(0, 1), random.uniform(-1, 1) * 10 ** random.uniform(0, 5))


print("# kind\tlatitude1\tlongitude1\tlatitude2\tlongitude2\tlatitude\tlongitude\tlength\tdistance\talong\tleft")
for kind, a, b, p in cases():
    length, d, s, left = nearest(a, b, p)
    numbers = [
        *map(repr, (*a, *b, *p)),
        *(mp.nstr(value, 22, min_fixed=-mp.inf, max_fixed=mp.inf) for value in (length, d, s, left)),
    ]
    print(kind, *numbers, sep="\t", flush=True)
