"""Compares the Python package with the C calls that it makes, running both alternately in one process; adds the results
to .build/bench.json.

    .venv/bin/python Tests/Benchmarks/columns.py [--quick] [--json .build/bench.json]

The fixes come from one device at 1 Hz around 20 circles. The C side of the comparison calls
`fencepost_monitor_feed_fixes` and `fencepost_monitor_feed_columns` through ctypes. One call feeds all fixes, so that
the cost of the call does not matter. The results of the package and of the C calls are compared first: if their counts
differ, the run fails.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import fencepost

STEP = 1_000_000


class Circles:
    """Twenty circles on a line; each attribute is one column of a table of the circles."""

    identifiers = [f"c{index}" for index in range(20)]
    latitudes = np.full(20, 37.33)
    longitudes = -122.0 + 0.01 * np.arange(20)
    radii = np.full(20, 200.0)


class Columns(ctypes.Structure):
    """The structure `fencepost_fix_columns`."""

    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("refuse_invalid", ctypes.c_uint32),
        ("latitudes", ctypes.c_void_p),
        ("longitudes", ctypes.c_void_p),
        ("accuracies", ctypes.c_void_p),
        ("times", ctypes.c_void_p),
        ("strides", ctypes.c_int64 * 4),
    ]


class CMonitor:
    """A monitor that is used through the C functions."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self.library, self.handle = library, ctypes.c_void_p()
        self._call("create", None, None, ctypes.byref(self.handle), None)
        names = (ctypes.c_char_p * 20)(*[name.encode() for name in Circles.identifiers])
        columns = [column.ctypes.data_as(ctypes.c_void_p) for column in (Circles.latitudes, Circles.longitudes)]
        radii = Circles.radii.ctypes.data_as(ctypes.c_void_p)
        self._call(
            "add_circular_conditions", self.handle, names, *columns, radii, None, ctypes.c_size_t(20), None, None
        )

    def _call(self, name: str, *arguments: object) -> None:
        status = getattr(self.library, f"fencepost_monitor_{name}")(*arguments)
        if status:
            sys.exit(f"bench: {name} returned {status}")

    def feed_rows(self, rows: np.ndarray) -> list[int]:
        result = (ctypes.c_uint64 * 3)()
        start = rows.ctypes.data_as(ctypes.c_void_p)
        self._call("feed_fixes", self.handle, start, ctypes.c_size_t(len(rows)), result, None)
        return list(result)

    def feed_columns(
        self, latitude: np.ndarray, longitude: np.ndarray, accuracy: np.ndarray, times: np.ndarray
    ) -> list[int]:
        columns = Columns(
            ctypes.sizeof(Columns),
            0,
            latitude.ctypes.data,
            longitude.ctypes.data,
            accuracy.ctypes.data,
            times.ctypes.data,
            (ctypes.c_int64 * 4)(8, 8, 8, 8),
        )
        result = (ctypes.c_uint64 * 3)()
        self._call("feed_columns", self.handle, ctypes.byref(columns), ctypes.c_size_t(len(latitude)), result, None)
        return list(result)


def monitor() -> fencepost.Monitor:
    made = fencepost.Monitor()
    made.add_many(Circles.identifiers, Circles.latitudes, Circles.longitudes, Circles.radii)
    return made


def timed(work: Callable[[], list[int]]) -> tuple[float, list[int]]:
    begin = time.thread_time_ns()
    answer = work()
    return time.thread_time_ns() - begin, answer


def feeding(count: int, turns: int) -> dict[str, float]:
    """The median nanoseconds per fix for each of the compared calls. Each round continues at the time where the
    previous round ended."""
    random = np.random.default_rng(7)
    longitude = -122.0 + 0.19 * np.abs((np.arange(count) * 1e-4) % 2 - 1) + random.normal(0, 2e-5, count)
    latitude = 37.33 + random.normal(0, 2e-5, count)
    accuracy = np.full(count, 5.0)
    library = ctypes.CDLL(str(next(Path(fencepost.__file__).parent.glob("libfencepost.so*"))))
    made = {name: monitor() for name in ("python", "python-ns", "python-rows")}
    c_rows, c_columns = CMonitor(library), CMonitor(library)
    spent: dict[str, list[float]] = {}
    for turn in range(turns + 1):
        us = (np.arange(count, dtype="i8") + turn * count) * STEP
        rows = np.empty((count, 4))
        rows[:, 0], rows[:, 1], rows[:, 2], rows.view("i8")[:, 3] = latitude, longitude, accuracy, us
        as_us, as_ns = us.view("M8[us]"), us.view("M8[us]").astype("M8[ns]")
        data = rows.tobytes()
        columns = {"latitude": latitude, "longitude": longitude, "accuracy": accuracy}
        ways: dict[str, Callable[[], list[int]]] = {
            "c-rows": lambda: c_rows.feed_rows(rows),
            "python": lambda: list(made["python"].feed_many(**columns, time=as_us)),
            "c-columns": lambda: c_columns.feed_columns(latitude, longitude, accuracy, us),
            "python-rows": lambda: list(made["python-rows"].feed_many(data)),
            "python-ns": lambda: list(made["python-ns"].feed_many(**columns, time=as_ns)),
        }
        answers = []
        for name, way in ways.items():
            nanoseconds, answer = timed(way)
            answers.append(answer)
            if turn:  # the first turn is a warm-up
                spent.setdefault(name, []).append(nanoseconds / count)
        if any(answer != [count, 0, 0] for answer in answers):
            sys.exit(f"bench: the answers differ: {answers}")
        for owner in made.values():
            owner.events_columns()
    events = {owner.statistics().handed_out_events for owner in made.values()}
    if len(events) != 1 or min(events) < 20:
        sys.exit(f"bench: the events differ: {events}")
    return {name: statistics.median(values) for name, values in spent.items()}


def importing(code: str, runs: int) -> float:
    """The median milliseconds of processor time that an import adds to the start of the interpreter."""

    def one(code: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONDONTWRITEBYTECODE": ""})
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e3

    pairs = [(one(code), one("pass")) for _ in range(runs)]
    return statistics.median(pair[0] for pair in pairs) - statistics.median(pair[1] for pair in pairs)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--quick", action="store_true")
    options.add_argument("--json", type=Path)
    given = options.parse_args()
    spent = feeding(1_000_000, 3 if given.quick else 9)
    rows = []
    for name, ours, theirs in (
        ("python-columns", "python", "c-rows"),
        ("python-columns-same", "python", "c-columns"),
        ("python-rows", "python-rows", "c-rows"),
    ):
        rows.append((name, spent[ours], theirs, spent[theirs], spent[ours] / spent[theirs], 1.15, "x the C call"))
    imports = {"python-import": "import fencepost", "python-import-used": "from fencepost import Fix, Monitor, Event"}
    for name, code in imports.items():
        milliseconds = importing(code, 7 if given.quick else 21)
        rows.append((name, milliseconds * 1e6, None, None, milliseconds, 20, "ms"))
    for name, ours, baseline, its, value, target, unit in rows:
        its_text = "-" if its is None else f"{its:.4g}"
        print(
            f"{name:<22} {ours:12.4g}  {baseline or '-':<15} {its_text:>12} {value:10.4g}  <= {target:<5g} {unit:<10} "
            f"{'yes' if value <= target else 'NO'}"
        )
    print(f"feed_many with datetime64[ns], which has to be converted: {spent['python-ns']:.2f} ns a fix")
    if given.json is not None:
        table = json.loads(given.json.read_text()) if given.json.exists() else []
        table += [
            {
                "name": name,
                "ours_ns": ours,
                "baseline": baseline,
                "baseline_ns": its,
                "ratio": value,
                "target": target,
                "holds": value <= target,
                "unit": unit,
            }
            for name, ours, baseline, its, value, target, unit in rows
        ]
        given.json.write_text("[" + ",".join(f"\n  {json.dumps(row)}" for row in table) + "\n]\n")


if __name__ == "__main__":
    main()
