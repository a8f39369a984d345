"""Compares `Monitor.containing` on a frame with GeoPandas, and two threads with one thread; adds the results to
.build/bench.json.

    .venv/bin/python Tests/Benchmarks/questions.py [--quick] [--json .build/bench.json]

The circles lie around a thousand towns, and each point lies near a random circle. GeoPandas joins the points with the
circles, which are approximated by polygons with 64 corners in degrees. The polygons are 0.1 % smaller than the circles,
so the answers must agree within 1 %. The process is not pinned to a processor. The comparison of threads uses
wall-clock seconds; the comparison with GeoPandas uses processor seconds.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from pathlib import Path

import geopandas
import numpy as np
import pandas
import shapely

import fencepost

CORNERS = 64


def world(circles: int, points: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, pandas.DataFrame]:
    random = np.random.default_rng(19)
    towns = np.column_stack([random.uniform(-45, 60, 1000), random.uniform(-170, 170, 1000)])
    at = towns[random.integers(0, 1000, circles)]
    latitude, longitude = at[:, 0] + random.normal(0, 0.1, circles), at[:, 1] + random.normal(0, 0.1, circles)
    radius = 50 * 2 ** random.uniform(0, 6.6, circles)
    of = random.integers(0, circles, points)
    frame = pandas.DataFrame(
        {
            "latitude": latitude[of] + random.normal(0, 0.02, points),
            "longitude": longitude[of] + random.normal(0, 0.02, points),
        }
    )
    return latitude, longitude, radius, frame


def polygons(latitude: np.ndarray, longitude: np.ndarray, radius: np.ndarray) -> geopandas.GeoDataFrame:
    """Returns the circles as polygons in degrees. Metres are converted to degrees with the Earth's radii of curvature
    at the latitude of each circle's centre."""
    sine = np.sin(np.radians(latitude))
    root = np.sqrt(1 - 0.00669437999014 * sine**2)
    north = np.degrees(radius / (6378137.0 * (1 - 0.00669437999014) / root**3))
    east = np.degrees(radius / (6378137.0 / root * np.cos(np.radians(latitude))))
    angles = np.linspace(0, 2 * np.pi, CORNERS, endpoint=False)
    rings = np.stack(
        [
            longitude[:, None] + east[:, None] * np.cos(angles),
            latitude[:, None] + north[:, None] * np.sin(angles),
        ],
        axis=-1,
    )
    return geopandas.GeoDataFrame({"identifier": range(len(radius))}, geometry=shapely.polygons(rings), crs=4326)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--quick", action="store_true")
    options.add_argument("--json", type=Path)
    given = options.parse_args()
    circles, points = 100_000, 200_000 if given.quick else 1_000_000
    latitude, longitude, radius, frame = world(circles, points)
    monitor = fencepost.Monitor()
    monitor.add_many([str(index) for index in range(circles)], latitude, longitude, radius)
    places = polygons(latitude, longitude, radius)

    few = frame.iloc[: points // 4]
    ours, theirs = [], []
    for turn in range(3 if given.quick else 5):
        begin = time.process_time()
        mine = monitor.containing(few)
        middle = time.process_time()
        made = geopandas.GeoDataFrame(geometry=geopandas.points_from_xy(few.longitude, few.latitude), crs=4326)
        joined = made.sjoin(places, predicate="within")
        end = time.process_time()
        if abs(len(mine) - len(joined)) > 0.01 * len(mine):
            sys.exit(f"bench: the answers differ: {len(mine)} pairs, GeoPandas has {len(joined)}")
        if turn:
            ours.append(middle - begin)
            theirs.append(end - middle)

    one, two = [], []
    columns = frame.latitude.to_numpy(), frame.longitude.to_numpy()
    for turn in range(5 if given.quick else 7):
        begin = time.perf_counter()
        first = monitor.containing(*columns)
        middle = time.perf_counter()
        second = monitor.containing(*columns, threads=2)
        end = time.perf_counter()
        if not (np.array_equal(first.offsets, second.offsets) and np.array_equal(first.indices, second.indices)):
            sys.exit("bench: two threads give another answer than one")
        if turn:
            one.append(middle - begin)
            two.append(end - middle)

    nanoseconds = 1e9 / len(few)
    mine, other = statistics.median(ours) * nanoseconds, statistics.median(theirs) * nanoseconds
    alone, both = (statistics.median(values) * 1e9 / points for values in (one, two))
    rows = [
        ("python-join", mine, "GeoPandas sjoin", other, other / mine, 5, "x faster"),
        ("python-join-threads", both, "one thread", alone, alone / both, 1.8, "x faster"),
    ]
    for name, time_of, baseline, its, value, target, unit in rows:
        print(
            f"{name:<22} {time_of:12.4g}  {baseline:<15} {its:12.4g} {value:10.4g}  >= {target:<5g} {unit:<10} "
            f"{'yes' if value >= target else 'NO'}"
        )
    if given.json is not None:
        table = json.loads(given.json.read_text()) if given.json.exists() else []
        keys = ("name", "ours_ns", "baseline", "baseline_ns", "ratio", "target", "unit")
        table += [dict(zip(keys, row)) | {"holds": row[4] >= row[5]} for row in rows]
        given.json.write_text("[" + ",".join(f"\n  {json.dumps(row)}" for row in table) + "\n]\n")


if __name__ == "__main__":
    main()
