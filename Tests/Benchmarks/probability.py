"""Compares `Zones.probability` with the containment probability of sidereon, for a polygon of 100 edges and positions
with an error ellipse; adds the result to .build/bench.json.

    .venv/bin/python Tests/Benchmarks/probability.py [--quick] [--json .build/bench.json]

Without sidereon (from PyPI), the row is left out, and the time of Fencepost alone is printed. The answers must agree
within 0.01: the quadrature of sidereon is off by some thousandths. Times are processor time.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import fencepost

EDGES, SIGMA = 100, 40.0


def ring() -> list[tuple[float, float]]:
    """A star around 47 N 8 E; all of its edges are within 6.5 standard deviations."""
    angles = [2 * math.pi * k / EDGES for k in range(EDGES)]
    return [
        (47 + 9e-4 * (1 + 0.2 * math.sin(5 * t)) * math.cos(t), 8 + 1.3e-3 * (1 + 0.2 * math.sin(5 * t)) * math.sin(t))
        for t in angles
    ]


def peer() -> Any:
    try:
        import sidereon
    except ImportError:
        return None
    return sidereon


def question(sidereon: Any) -> Callable[[float, float], float]:
    """sidereon's question with its accurate method, which is not the default."""

    def position(latitude: float, longitude: float) -> Any:
        return sidereon.Wgs84Geodetic(math.radians(latitude), math.radians(longitude), 0.0)

    fence = sidereon.Geofence([position(*corner) for corner in ring()])
    error = sidereon.GeofencePositionUncertainty.enu_covariance_m2(
        np.diag([SIGMA * SIGMA, SIGMA * SIGMA, SIGMA * SIGMA])
    )
    method = sidereon.GeofenceProbabilityMethod.PLANAR_QUADRATURE
    options = sidereon.GeofenceProbabilityOptions(method=method)
    return lambda latitude, longitude: float(
        fence.containment_probability(position(latitude, longitude), error, options)
    )


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--quick", action="store_true")
    options.add_argument("--json", type=Path)
    given = options.parse_args()
    count = 20_000 if given.quick else 100_000
    zones = fencepost.Zones({"star": fencepost.Polygon(ring(), order="latlon", edges="geodesic")})
    rng = np.random.default_rng(7)
    latitude, longitude = 47 + rng.normal(0, 5e-4, count), 8 + rng.normal(0, 7e-4, count)
    ours = []
    for _ in range(7):
        begin = time.process_time()
        found = zones.probability("star", latitude, longitude, ellipse=(SIGMA, SIGMA, 0.0))
        ours.append((time.process_time() - begin) * 1e9 / count)
    mine = statistics.median(ours[1:])
    other = peer()
    if other is None:
        print(f"bench: sidereon is not in .venv: pip install sidereon. probability: {mine:.4g} ns", file=sys.stderr)
        return
    ask = question(other)
    few = 50 if given.quick else 200
    begin = time.process_time()
    theirs = [ask(latitude[row], longitude[row]) for row in range(few)]
    its = (time.process_time() - begin) * 1e9 / few
    apart = float(np.abs(np.array(theirs) - found[:few]).max())
    if not apart < 0.01:
        sys.exit(f"bench: the answers differ by {apart}")
    row = ("python-probability", mine, "sidereon", its, its / mine, 1000, "x faster")
    print(
        f"{row[0]:<22} {mine:12.4g}  {row[2]:<15} {its:12.4g} {row[4]:10.4g}  >= {row[5]:<5g} {row[6]:<10} "
        f"{'yes' if row[4] >= row[5] else 'NO'}"
    )
    if given.json is not None:
        table = json.loads(given.json.read_text()) if given.json.exists() else []
        keys = ("name", "ours_ns", "baseline", "baseline_ns", "ratio", "target", "unit")
        table += [dict(zip(keys, row)) | {"holds": row[4] >= row[5]}]
        given.json.write_text("[" + ",".join(f"\n  {json.dumps(entry)}" for entry in table) + "\n]\n")


if __name__ == "__main__":
    main()
