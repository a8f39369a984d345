"""Measures how long a small call waits for another thread's batch; adds the results to .build/bench.json. Called by
run.sh.

    .venv/bin/python Tests/Benchmarks/waits.py [--quick] [--json .build/bench.json]

One thread feeds a million rows to a monitor or a fleet with 1 000 circles in one call, or replays a frame. Another
thread reads the statistics of the same monitor or fleet (during the replay, of another monitor) every two milliseconds.
The target is 20 ms for the 99th percentile of the waits. In version 0.2 the waits took up to 420 ms. Each thread needs
its own core. On a busy machine the rows show how long the scheduler takes.
"""

from __future__ import annotations

import argparse
import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas

import fencepost


def waits(work: Callable[[], Any], ask: Callable[[], Any]) -> list[float]:
    """The duration of each call of `ask`, in milliseconds, while `work` runs in another thread."""
    thread = threading.Thread(target=work)
    found = []
    thread.start()
    while thread.is_alive():
        time.sleep(0.002)
        begin = time.perf_counter()
        ask()
        found.append(1e3 * (time.perf_counter() - begin))
    thread.join()
    return sorted(found)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    count = 100_000 if options.quick else 1_000_000
    random = np.random.default_rng(7)
    zones = fencepost.Zones()
    places = random.uniform((52, 13), (53, 14), (1000, 2))
    zones.add_many([f"zone {number}" for number in range(1000)], *places.T, np.full(1000, 400.0), policy="exact")
    rows: dict[str, Any] = {
        "latitude": 52.5 + np.cumsum(random.normal(0, 0.0004, count)) % 0.4,
        "longitude": 13.5 + np.cumsum(random.normal(0, 0.0004, count)) % 0.4,
        "time": np.arange(count) * 1_000_000,
    }
    names = np.arange(count) % 100
    monitor, fleet, other = fencepost.Monitor(zones), fencepost.Fleet(zones), fencepost.Monitor(zones)
    frame = pandas.DataFrame(rows | {"van": names, "time": pandas.to_datetime(rows["time"], unit="us", utc=True)})
    runs: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
        "a monitor's": (lambda: monitor.feed_many(**rows), monitor.statistics),
        "a fleet's": (lambda: fleet.feed_many(device=names, **rows), fleet.statistics),
        "a replay's": (lambda: fencepost.replay(frame, zones, device="van"), other.statistics),
    }
    found = []
    for name, (work, ask) in runs.items():
        sorted_waits = waits(work, ask)
        worst = sorted_waits[len(sorted_waits) * 99 // 100]
        print(f"wait behind {name} batch: p99 {worst:.1f} ms, longest {sorted_waits[-1]:.1f} ms (target 20)")
        found.append({
            "name": f"wait behind {name} batch of {count} rows", "ours_ns": sorted_waits[len(sorted_waits) // 2] * 1e6,
            "baseline": None, "baseline_ns": None, "ratio": worst, "target": 20, "unit": "ms, p99",
        })  # fmt: skip
    if options.json:
        own = {row["name"] for row in found}
        kept = json.loads(options.json.read_text()) if options.json.exists() else []
        rows_kept = [row for row in kept if row.get("name") not in own]
        options.json.write_text(json.dumps([*rows_kept, *found], indent=1) + "\n")


if __name__ == "__main__":
    main()
