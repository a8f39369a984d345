"""Measures how long it takes to find the devices of a fleet that are inside one place, and to make the table of all
presences for GeoPandas; adds the results to .build/bench.json.

    .venv/bin/python Tests/Benchmarks/presences.py [--quick] [--json .build/bench.json]

A million devices are spread around eight places, and 123 000 of them are inside a place. The targets are 10 ms for the
devices inside one place and 1 s for the table of all presences. Each result is the median of seven calls, in processor
time. One device moves before each call, so that the answers differ.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Iterator
from itertools import count, islice
from pathlib import Path
from typing import Any

import numpy as np

import fencepost


def milliseconds(fleet: fencepost.Fleet, turns: Iterator[int], call: Callable[[], Any]) -> float:
    """The median of seven calls, after one call that is not measured."""
    found = []
    for turn in islice(turns, 8):
        fleet.feed_many(device=["van"], latitude=[50 + turn % 2], longitude=[8], time=[turn * 10_000_000])
        begin = time.thread_time()
        call()
        found.append(1e3 * (time.thread_time() - begin))
    return statistics.median(found[1:])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    devices = 100_000 if options.quick else 1_000_000
    random = np.random.default_rng(7)
    zones = fencepost.Zones()
    latitudes = 50 + 0.2 * np.arange(8)
    zones.add_many(
        [f"place {number}" for number in range(8)],
        latitudes,
        np.full(8, 8.0),
        np.full(8, 3000.0),
    )
    fleet = fencepost.Fleet(zones)
    fleet.feed_many(
        device=[str(number) for number in range(devices)],
        latitude=latitudes[random.integers(0, 8, devices)] + random.normal(0, 0.0675, devices),
        longitude=8 + random.normal(0, 0.0675, devices),
        time=np.zeros(devices, np.int64),
    )
    turns = count(1)
    one = milliseconds(fleet, turns, lambda: fleet.inside("place 3"))
    every = milliseconds(fleet, turns, lambda: fleet.inside().to_geopandas())
    table = json.loads(options.json.read_text()) if options.json and options.json.exists() else []
    for name, ours, target, found in (
        ("inside-one-place", one, 10, fleet.inside("place 3")),
        ("inside-geopandas", every, 1000, fleet.inside()),
    ):
        print(f"{name:<22} {ours:12.4g} ms  <= {target:<5} {'yes' if ours <= target else 'NO'}  {len(found)} presences")
        row = {"name": name, "ours_ns": ours * 1e6, "baseline": None, "baseline_ns": None, "ratio": ours}
        table.append(row | {"target": target, "holds": ours <= target, "unit": "ms"})
    if options.json is not None:
        options.json.write_text("[" + ",".join(f"\n  {json.dumps(row)}" for row in table) + "\n]\n")


if __name__ == "__main__":
    main()
