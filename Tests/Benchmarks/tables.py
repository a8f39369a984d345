"""Measures replays of tables in memory, and compares their times with those of replays of rows in a file and with those
of GeoPandas. With `--json`, adds the results to the given file.

    .venv/bin/python Tests/Benchmarks/tables.py [--quick] [--json .build/bench.json]

1. The first result compares the processor time of `replay(rows, by=)` on a frame, a PyArrow table and (if installed) a
   Polars frame with the processor time for the same rows in a Parquet file. The result is the ratio of the two times.
   Target: 1.3.
2. The second result is the time to make a frame of visits for 100 vans, 500 overlapping polygons and one million rows.
   GeoPandas does the same work with `sjoin`, followed by a `groupby` on van and polygon that compares each row number
   with the previous one. The target is 0.8 times the time that GeoPandas needs, and 100 bytes of memory for each row in
   addition to the frame. The package and GeoPandas must find the same visits.

Times are processor times of the process, the best of several runs. The two programs that a ratio compares run
alternately.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import geopandas
import numpy as np
import pandas
import pyarrow
import pyarrow.parquet
import shapely

import fencepost

VANS, ZONES = 100, 500


def rows_of(rows: int, vans: int) -> pandas.DataFrame:
    """Vans that drive randomly through a town, with one fix per van every ten seconds, sorted by time."""
    random = np.random.default_rng(31)
    count = rows // vans
    heading = np.cumsum(random.normal(0, 0.3, (count, vans)), 0) + random.uniform(0, 6.3, vans)
    north, east = np.cumsum(80 * np.cos(heading), 0), np.cumsum(80 * np.sin(heading), 0)
    # Positions are reflected at the borders of a 40 km square.
    begin = random.uniform(0, 80_000, (2, vans))
    north, east = (20_000 - np.abs((axis + at) % 80_000 - 40_000) for axis, at in zip((north, east), begin))
    times = pandas.Timestamp("2024-05-01", tz="UTC") + pandas.to_timedelta(np.repeat(np.arange(count) * 10, vans), "s")
    return pandas.DataFrame({
        "van": [f"van {number}" for number in np.tile(np.arange(vans), count)],
        "time": times.astype("datetime64[us, UTC]"),
        "lat": 52.5 + north.ravel() / 111_195,
        "lon": 13.4 + east.ravel() / (111_195 * np.cos(np.radians(52.5))),
    })  # fmt: skip


def zones_of(count: int) -> geopandas.GeoDataFrame:
    """Overlapping polygons with 12 to 40 corners and sizes of 300 to 2 000 m."""
    random = np.random.default_rng(32)
    found = []
    for _ in range(count):
        corners = random.integers(12, 41)
        turn = np.sort(random.uniform(0, 2 * np.pi, corners))
        radius = random.uniform(300, 2000) * random.uniform(0.7, 1, corners)
        y, x = random.uniform(-18_000, 18_000, 2)
        latitude = 52.5 + (y + radius * np.cos(turn)) / 111_195
        longitude = 13.4 + (x + radius * np.sin(turn)) / (111_195 * np.cos(np.radians(52.5)))
        found.append(shapely.make_valid(shapely.Polygon(np.column_stack([longitude, latitude]))))
    names = [f"zone {number}" for number in range(count)]
    return geopandas.GeoDataFrame({"identifier": names}, geometry=found, crs=4326)


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    begin = time.process_time()
    found = work()
    return time.process_time() - begin, found


def ways_to_hold(rows: int, runs: int) -> list[dict[str, Any]]:
    frame = rows_of(rows, 200)
    table = pyarrow.Table.from_pandas(frame, preserve_index=False)
    held: dict[str, Any] = {"frame": frame, "Arrow table": table}
    try:
        import polars

        held["Polars frame"] = polars.from_arrow(table)
    except ImportError:
        print("tables: Polars is not installed", file=sys.stderr)
    zones = {"here": fencepost.Circle(52.5, 13.4, 2000)}
    found: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.parquet")
        pyarrow.parquet.write_table(table, path)
        logs = {}
        for _ in range(runs + 1):
            for name, source in {"Parquet": path, **held}.items():
                spent, log = seconds(lambda: fencepost.replay(source, zones, by="van"))
                found.setdefault(name, []).append(spent)
                logs[name] = [event.to_json() for event in log]
    if any(events != logs["Parquet"] for events in logs.values()) or not logs["Parquet"]:
        raise SystemExit("tables: the events differ")
    base = min(found["Parquet"][1:])
    return [
        {"name": f"replay: {name}, {rows} rows", "ours_ns": min(found[name][1:]) * 1e9 / rows,
         "baseline": "the same rows in a Parquet file", "baseline_ns": base * 1e9 / rows,
         "ratio": min(found[name][1:]) / base, "target": 1.3, "unit": "x"}
        for name in held
    ]  # fmt: skip


def by_geopandas(frame: pandas.DataFrame, zones: geopandas.GeoDataFrame) -> pandas.DataFrame:
    """Finds visits as runs of consecutive fixes of a van that lie in a polygon."""
    points = geopandas.GeoDataFrame(frame, geometry=geopandas.points_from_xy(frame["lon"], frame["lat"]), crs=4326)
    points["number"] = frame.groupby("van").cumcount()
    pairs = geopandas.sjoin(points, zones)[["van", "identifier", "time", "number"]]
    pairs = pairs.sort_values(["van", "identifier", "number"])
    begins = pairs.groupby(["van", "identifier"])["number"].diff().ne(1)
    runs = pairs.assign(visit=begins.cumsum()).groupby("visit")
    return runs.agg(
        van=("van", "first"), identifier=("identifier", "first"), start=("time", "first"), end=("time", "last")
    )


def peak(work: Callable[[], Any]) -> int:
    """Runs `work` and returns the greatest growth of the process's memory meanwhile, in bytes."""
    Path("/proc/self/clear_refs").write_text("5")

    def read(what: str) -> int:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(what))

    before = read("VmRSS")
    work()
    return read("VmHWM") - before


def visits(rows: int, runs: int) -> list[dict[str, Any]]:
    frame, shapes = rows_of(rows, VANS), zones_of(ZONES)

    def ours() -> pandas.DataFrame:
        return fencepost.replay(frame, shapes, by="van", policy="exact").visits().to_pandas()

    memory = peak(ours)
    own, theirs = [], []
    for _ in range(runs):
        spent, told = seconds(ours)
        own.append(spent)
        spent, joined = seconds(lambda: by_geopandas(frame, shapes))
        theirs.append(spent)
    # In GeoPandas, edges are straight in degrees; our planar edges are also straight in degrees, except for rounding.
    if abs(len(told) - len(joined)) > len(joined) // 1000 or not len(joined):
        raise SystemExit(f"tables: {len(told)} visits, GeoPandas finds {len(joined)}")
    print(f"tables: {len(told)} visits, GeoPandas {len(joined)}", file=sys.stderr)
    what = f"visits of {VANS} vans, {rows} rows, {ZONES} polygons"
    return [
        {"name": what, "ours_ns": min(own) * 1e9 / rows, "baseline": "GeoPandas sjoin and groupby",
         "baseline_ns": min(theirs) * 1e9 / rows, "ratio": min(own) / min(theirs), "target": 0.8, "unit": "x"},
        {"name": f"memory of the {what}", "ours_ns": None, "baseline": None, "baseline_ns": None,
         "ratio": memory / rows, "target": 100, "unit": "bytes a row"},
    ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = 100_000 if options.quick else 1_000_000
    found = [*ways_to_hold(rows // 4, 2 if options.quick else 4), *visits(rows, 1 if options.quick else 3)]
    for row in found:
        print(f"{row['name']}: {row['ratio']:.2f} {row['unit']} (target {row['target']})")
    if options.json:
        names = {row["name"] for row in found}
        kept = json.loads(options.json.read_text()) if options.json.exists() else []
        rows_kept = [row for row in kept if row.get("name") not in names]
        options.json.write_text(json.dumps([*rows_kept, *found], indent=1) + "\n")


if __name__ == "__main__":
    main()
