"""Compares `fencepost replay --by` on files of many tracks with GeoPandas; adds the results to .build/bench.json.

    .venv/bin/python Tests/Benchmarks/streams.py [--quick | --full] [--json .build/bench.json] [--before FOLDER]

`--full` (`make bench-streams`) uses 10 000 tracks whose points alternate in the file (10 million points), and 100 000
circles of 100 to 500 m.

* The command runs as a separate process, on CSV and GeoParquet, with one and two jobs. The command must write the same
  event bytes in all four combinations of format and number of jobs.
* A program that calls `replay(path, by=…)`, as a notebook does, must find the same number of events.
* Peak memory is the sum over the process and its child processes. For the notebook, the memory of the events in its log
  is not counted.
* GeoPandas reads a tenth of the points as GeoParquet and joins them with the same circles, as polygons in a metric CRS.
  GeoPandas only finds which point lies in which circle, without states, dwells or events.
* Both times are processor time and include reading the file; the package's time also includes the start of the
  program and reading the circles.
* `--before FOLDER` (`make bench-streams BEFORE=FOLDER`) also runs an earlier version of the package from that folder
  on the same files. Compared with the version given by `--before`, the current version must write the same bytes and
  use no more processor time or memory. Version 0.1 replays each track in a monitor of its own; the current version
  replays all tracks in one fleet.
* The `-jobs` rows show the wall-clock time of two jobs divided by the wall-clock time of one job. This ratio stays
  above one half, because reading the circles, merging and writing are done only once.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import stream_world

QUICK, USUAL, FULL = (200, 250, 2_000), (500, 1000, 20_000), (10_000, 1000, 100_000)
"""For each size of the benchmark: the number of tracks, the number of points in each track, and the number of
circles."""
THINNED = 10
"""For the comparison of memory, a smaller file contains every tenth point of the same tracks."""


EVENT_BYTES = 430
"""The size of one event in a log, in bytes: the event object with its identifier, its numbers and its coordinates."""


class Run(NamedTuple):
    """One run: wall-clock and processor seconds, peak megabytes, the number of events, and the hash of the output."""

    seconds: float
    processor: float
    megabytes: float
    events: int
    digest: str


def look_at(process: int, known: dict[int, int]) -> None:
    """Records the peak resident memory, in kilobytes, of a process and its child processes."""
    folder = Path(f"/proc/{process}")
    try:
        for line in (folder / "status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                known[process] = int(line.split()[1])
        for child in (folder / "task" / str(process) / "children").read_text().split():
            look_at(int(child), known)
    except OSError:
        pass  # the child process has ended


NOTEBOOK = """
import sys
from fencepost import replay
sys.stdout.write("\\n" * len(replay(sys.argv[1], sys.argv[2], by="vehicle")))
"""


def command(points: Path, circles: Path, jobs: int, package: Path | None = None) -> Run:
    """Runs the command of the package in a folder."""
    words = ["-m", "fencepost", "replay", points, "--conditions", circles, "--by", "vehicle"]
    return run([*words, "--format", "jsonl", "--jobs", str(jobs)], package)


def notebook(points: Path, circles: Path) -> Run:
    """Runs a program that keeps the whole event log in memory and then writes one line for each event."""
    return run(["-c", NOTEBOOK, points, circles])


def run(arguments: list[Any], package: Path | None = None) -> Run:
    """Runs Python; if `package` is a folder, uses the package in this folder instead of the installed one."""
    environment = os.environ if package is None else {**os.environ, "PYTHONPATH": str(package)}
    known: dict[int, int] = {}
    ended = threading.Event()
    begin = time.monotonic()
    process = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.PIPE, env=environment)

    def look() -> None:
        while not ended.wait(0.02):
            look_at(process.pid, known)

    watcher = threading.Thread(target=look)
    watcher.start()
    digest, events = hashlib.sha256(), 0
    assert process.stdout is not None
    while part := process.stdout.read1(1 << 20):
        digest.update(part)
        events += part.count(b"\n")
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    ended.set()
    watcher.join()
    if process.returncode:
        sys.exit(f"bench: a replay ended with {process.returncode}")
    processor = usage.ru_utime + usage.ru_stime
    return Run(seconds, processor, sum(known.values()) / 1024, events, digest.hexdigest())


def grown(large: Run, small: Run) -> float:
    """Returns the peak memory of the large run divided by that of the small run; the additional events in the log of
    the large run are not counted."""
    return (large.megabytes - EVENT_BYTES / 1e6 * (large.events - small.events)) / small.megabytes


def join(points: Path, circles: Path) -> float:
    """The processor time in nanoseconds per point that GeoPandas needs to read the points and join them; the circles
    are already polygons."""
    import geopandas
    import pandas

    frame = pandas.read_csv(circles)
    centres = geopandas.points_from_xy(frame["longitude"], frame["latitude"])
    zones = geopandas.GeoDataFrame(frame[["identifier"]], geometry=centres, crs=4326).to_crs(3035)
    zones["geometry"] = zones.buffer(frame["radius"])
    begin = time.process_time_ns()
    table = geopandas.read_parquet(points, columns=["vehicle", "time", "geometry"])
    reading = (time.process_time_ns() - begin) / len(table)
    table = table.set_crs(4326, allow_override=True)
    begin = time.process_time_ns()
    inside = geopandas.sjoin(table.to_crs(3035), zones, predicate="within")
    spent = time.process_time_ns() - begin
    if not 0.05 < len(inside) / len(table) < 0.4:
        sys.exit(f"bench: {len(inside)} of {len(table)} points lie in circles")
    print(f"  GeoPandas: {reading:.0f} ns a point to read, {spent / len(table):.0f} ns to join ({len(table)} points)")
    return reading + spent / len(table)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--size", type=int, nargs=3, metavar=("TRACKS", "POINTS", "CIRCLES"))
    parser.add_argument("--json", type=Path)
    parser.add_argument("--before", type=Path, metavar="FOLDER")
    given = parser.parse_args()
    tracks, each, circles = given.size or (QUICK if given.quick else FULL if given.full else USUAL)
    count = tracks * each
    with tempfile.TemporaryDirectory(prefix="fencepost-bench-") as name:
        folder = Path(name)
        zones, small, large = folder / "circles.csv", folder / "small.csv", folder / "large.csv"
        stream_world.write_circles(zones, circles)
        stream_world.write_points(large, large.with_suffix(".parquet"), tracks, each, circles)
        stream_world.write_points(small, small.with_suffix(".parquet"), tracks, each, circles, THINNED)
        print(f"streams: {tracks} tracks, {count} points, {circles} circles")
        # A small file shows neither how threads share the work nor how much memory the data needs. Tracks with denser
        # points enter more circles. Each track stores its states for the circles that it enters, which takes a little
        # more memory.
        faster, level, same, near = (0.8, 1.25, 1.1, 1.3) if given.full else (None,) * 4
        rows: list[tuple[str, float | None, str | None, float | None, float, float | None, str]] = []
        digests, processors = set(), {}
        peer = join(small.with_suffix(".parquet"), zones)
        for suffix in (".csv", ".parquet"):
            runs = {jobs: command(large.with_suffix(suffix), zones, jobs) for jobs in (1, 2)}
            thinned = command(small.with_suffix(suffix), zones, 1)
            kept, kept_thinned = notebook(large.with_suffix(suffix), zones), notebook(small.with_suffix(suffix), zones)
            if (kept.events, kept_thinned.events) != (runs[1].events, thinned.events):
                sys.exit("bench: a notebook's events are not as many as the command's")
            digests |= {run.digest for run in runs.values()}
            for jobs, run in runs.items():
                print(f"  {suffix[1:]}, {jobs} job{'s' * (jobs > 1)}: {count / run.seconds:.0f} points/s ("
                      f"{run.seconds:.1f} s, {run.processor:.1f} s of processors), {run.events} events, peak "
                      f"{run.megabytes:.0f} MB")  # fmt: skip
            print(f"  {suffix[1:]}, notebook: {kept.processor:.1f} s of processors, peak {kept.megabytes:.0f} MB; "
                  f"a point in {THINNED}: peak {kept_thinned.megabytes:.0f} MB")  # fmt: skip
            print(f"  {suffix[1:]}, a point in {THINNED}: peak {thinned.megabytes:.0f} MB, {thinned.events} events")
            kind, ours = f"streams-{suffix[1:]}", runs[1].processor / count * 1e9
            rows += [
                (kind, ours, "GeoPandas sjoin", peer, ours / peer, None, "x GeoPandas"),
                (f"{kind}-jobs", None, None, None, runs[2].seconds / runs[1].seconds, faster, "x one job"),
                (f"{kind}-memory", None, None, None, runs[1].megabytes / thinned.megabytes, level, "x a tenth"),
                (f"{kind}-notebook", None, None, None, kept.processor / runs[1].processor, same, "x the command"),
                (f"{kind}-notebook-memory", None, None, None, grown(kept, kept_thinned), level, "x a tenth"),
            ]
            processors[suffix] = runs[1].processor
            if given.before is not None:
                before = command(large.with_suffix(suffix), zones, 1, given.before.resolve())
                digests.add(before.digest)
                print(f"  {suffix[1:]}, before: {before.processor:.1f} s of processors, peak {before.megabytes:.0f} MB")
                faster_than = runs[1].processor / before.processor
                rows += [
                    (f"{kind}-before", ours, "before", before.processor / count * 1e9, faster_than, 1.0, "x before"),
                    (f"{kind}-before-memory", None, None, None, runs[1].megabytes / before.megabytes, 1.0, "x before"),
                ]
        share = processors[".csv"] / processors[".parquet"]
        rows.append(("streams-csv-parquet", None, None, None, share, near, "x Parquet"))
        if len(digests) != 1:
            sys.exit("bench: the events of streams differ")
    for title, ours_ns, baseline, its_ns, value, target, unit in rows:
        texts = ["-" if number is None else f"{number:.4g}" for number in (ours_ns, its_ns)]
        goal = f"{unit:<20}" if target is None else f"<= {target:<5g} {unit:<10} {'yes' if value <= target else 'NO'}"
        print(f"{title:<22} {texts[0]:>12}  {baseline or '-':<15} {texts[1]:>12} {value:10.4g}  {goal}")
    if given.json is not None:
        titles = {row[0] for row in rows}
        table = json.loads(given.json.read_text()) if given.json.exists() else []
        table = [row for row in table if row["name"] not in titles] + [
            {"name": title, "ours_ns": ours_ns, "baseline": baseline, "baseline_ns": its_ns, "ratio": value,
             "target": target, "holds": None if target is None else value <= target, "unit": unit}
            for title, ours_ns, baseline, its_ns, value, target, unit in rows
        ]  # fmt: skip
        given.json.write_text("[" + ",".join(f"\n  {json.dumps(row)}" for row in table) + "\n]\n")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
