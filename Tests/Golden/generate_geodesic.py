"""Writes geodesic.tsv: inverse problems solved by the Python library geographiclib.

    pip install geographiclib; python generate_geodesic.py > geodesic.tsv

Columns: kind, latitude 1, longitude 1, latitude 2, longitude 2 (degrees), distance (metres), azimuth 1, azimuth 2
(degrees). The library's own distances are accurate to about 10 nm. Deterministic: the generator has a fixed seed.
"""

import math
import random

from geographiclib.geodesic import Geodesic

random.seed(20130102)


def latitude():
    return math.degrees(math.asin(random.uniform(-1, 1)))


def longitude():
    return random.uniform(-180, 180)


def pairs():
    for _ in range(120):
        yield "random", latitude(), longitude(), latitude(), longitude()
    for _ in range(90):
        lat, lon = latitude(), longitude()
        reach = 10 ** random.uniform(-9, 0)
        lat2 = max(-90, min(90, lat + random.uniform(-reach, reach)))
        yield "short", lat, lon, lat2, lon + random.uniform(-reach, reach)
    for _ in range(120):
        lat, lon = latitude(), longitude()
        reach = 10 ** random.uniform(-8, 0)
        lat2 = max(-90, min(90, -lat + random.uniform(-reach, reach)))
        yield "antipodal", lat, lon, lat2, lon + 180 + random.uniform(-reach, reach)
    for _ in range(20):
        lat, lon = latitude(), longitude()
        yield "antipodal", lat, lon, -lat, lon + 180 - random.choice((0, 1e-9, 0.3, 0.59, 0.61))
    for _ in range(40):
        yield "equatorial", 0.0, longitude(), 0.0, longitude()
    for step in range(21):
        yield "equatorial", 0.0, 0.0, 0.0, 179.3 + step * 0.035
    for _ in range(20):
        yield "equatorial", random.uniform(-1, 1) * 10 ** random.uniform(-12, -2), 0.0, 0.0, random.uniform(179, 180)
    for _ in range(30):
        lon = float(random.randint(-180, 180))
        yield "meridional", latitude(), lon, latitude(), lon + random.choice((0, 180, 360))
    for _ in range(40):
        pole = random.choice((-90.0, 90.0))
        lat2 = random.choice((latitude(), pole, -pole, pole - math.copysign(10 ** random.uniform(-12, 0), pole)))
        yield "pole", pole, longitude(), lat2, longitude()
    for _ in range(10):
        yield "wrapped", latitude(), random.uniform(-1000, 1000), latitude(), random.uniform(-1000, 1000)


print("# kind\tlatitude1\tlongitude1\tlatitude2\tlongitude2\tdistance\tazimuth1\tazimuth2")
for kind, lat1, lon1, lat2, lon2 in pairs():
    line = Geodesic.WGS84.Inverse(lat1, lon1, lat2, lon2)
    print(kind, *map(repr, (lat1, lon1, lat2, lon2, line["s12"], line["azi1"], line["azi2"])), sep="\t")
