"""Measures `Zones.probability` for a polygon of 100 edges, a circle, and a circle under a long error ellipse, and
compares the polygon with the containment probability of sidereon; adds the results to .build/bench.json.

    .venv/bin/python Tests/Benchmarks/probability.py [--quick] [--json .build/bench.json]

The answers of Fencepost must agree within 1e-6 with a quadrature of the tests, which shares no code with the library.
Those of sidereon (from PyPI; without it, the row is left out) must agree within 0.01 with them: its quadrature is off
by some thousandths. Times are processor time.
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


def by_quadrature(row: tuple[float, float], ellipse: tuple[float, float, float]) -> float:
    """The probability by the reference of the tests: exact positions of geographiclib between which the line is cut
    into pieces of at most 0.02 standard deviations."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bindings" / "python" / "tests" / "reference"))
    import reference_probability

    return reference_probability.of_ring(reference_probability.Plane(*row, ellipse), ring()[::-1])


def nanoseconds(zones: fencepost.Zones, name: str, columns: Any, ellipse: tuple[float, float, float]) -> float:
    """The median time of one position, without the first run."""
    times = []
    for _ in range(7):
        begin = time.process_time()
        zones.probability(name, *columns, ellipse=ellipse)
        times.append((time.process_time() - begin) * 1e9 / len(columns[0]))
    return statistics.median(times[1:])


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--quick", action="store_true")
    options.add_argument("--json", type=Path)
    given = options.parse_args()
    count = 20_000 if given.quick else 100_000
    zones = fencepost.Zones(
        {
            "star": fencepost.Polygon(ring(), order="latlon", edges="geodesic"),
            "circle": fencepost.Circle(47, 8, radius=100),
        }
    )
    rng = np.random.default_rng(7)
    columns = 47 + rng.normal(0, 5e-4, count), 8 + rng.normal(0, 7e-4, count)
    around = (SIGMA, SIGMA, 0.0)
    few = 50 if given.quick else 200
    first = list(zip(*(column[:few].tolist() for column in columns)))
    found = np.array([zones.probability("star", *row, ellipse=around) for row in first])
    for ellipse in (around, (SIGMA, SIGMA / 100, 30.0)):
        for row in first[:5]:
            error = abs(zones.probability("star", *row, ellipse=ellipse) - by_quadrature(row, ellipse))
            if not error < 1e-6:
                sys.exit(f"bench: the probability at {row} with {ellipse} is off by {error}")
    rows: list[tuple[Any, ...]] = []
    for name, shape, ellipse in (
        ("probability-polygon", "star", around),
        ("probability-circle", "circle", around),
        ("probability-ellipse", "circle", (SIGMA, SIGMA / 20, 30.0)),
    ):
        some = columns if ellipse == around else [column[: count // 20] for column in columns]
        taken = nanoseconds(zones, shape, some, ellipse)
        rows.append((name, taken, None, None, taken / 1000, 1.2, "us", taken <= 1200))
        print(f"{name:<22} {taken:12.4g} ns  <= 1200  {'yes' if taken <= 1200 else 'NO'}")
    mine = rows[0][1]
    other = peer()
    if other is None:
        print("bench: sidereon is not in .venv: its row is not measured", file=sys.stderr)
    else:
        ask = question(other)
        begin = time.process_time()
        theirs = [ask(*row) for row in first]
        its = (time.process_time() - begin) * 1e9 / few
        apart = float(np.abs(np.array(theirs) - found).max())
        if not apart < 0.01:
            sys.exit(f"bench: the answers of sidereon differ by {apart}")
        ratio = its / mine
        rows.append(("python-probability", mine, "sidereon", its, ratio, 1000, "x faster", ratio >= 1000))
        print(
            f"{'python-probability':<22} {mine:12.4g}  {'sidereon':<15} {its:12.4g} {ratio:10.4g}  >= 1000  x faster   "
            f"{'yes' if ratio >= 1000 else 'NO'}, which differs by up to {apart:.2g}"
        )
    if given.json is not None:
        table = json.loads(given.json.read_text()) if given.json.exists() else []
        keys = ("name", "ours_ns", "baseline", "baseline_ns", "ratio", "target", "unit", "holds")
        table += [dict(zip(keys, row)) for row in rows]
        given.json.write_text("[" + ",".join(f"\n  {json.dumps(entry)}" for entry in table) + "\n]\n")


if __name__ == "__main__":
    main()
