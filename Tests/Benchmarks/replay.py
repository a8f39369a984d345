"""For the benchmarks of the Python package, measures the cost of a replay, not counting the time for parsing the track.
run.sh calls this program.

    replay.py BENCH_JSON [TRACK]

TRACK is the largest GPX file of ../shared/data; if TRACK is not given, the benchmark counts as not measured. All times
are processor times, and each time is the median of several runs. In each run the time spent in `gpxpy.parse` is
subtracted from the time spent in `fencepost.replay`; the rest is the time of our own code.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from statistics import median
from time import process_time_ns
from typing import Any

import gpxpy

from fencepost import Circle, replay

RUNS = 7
NAME, BASELINE, TARGET, UNIT = "replay of a GPX", "gpxpy's parsing", 1.0, "x of parsing"


def measure(path: Path) -> tuple[float, float, str]:
    """Returns the median nanoseconds spent in our own code, the median nanoseconds spent on parsing, and a description
    of the replay."""
    text = path.read_text(encoding="utf-8-sig")
    points = [point for track in gpxpy.parse(text).tracks for segment in track.segments for point in segment.points]
    # Place twenty circles along the track, which enters and leaves each of them.
    stops = [points[n * len(points) // 20] for n in range(20)]
    circles = {f"c{n}": Circle(p.latitude, p.longitude, 200) for n, p in enumerate(stops)}
    parsing: list[int] = []
    parse = gpxpy.parse

    def parse_timed(*arguments: Any, **options: Any) -> Any:
        start = process_time_ns()
        parsed = parse(*arguments, **options)
        parsing.append(process_time_ns() - start)
        return parsed

    own = []
    gpxpy.parse = parse_timed
    try:
        for run in range(RUNS):
            start = process_time_ns()
            log = replay(path, circles)
            own.append(process_time_ns() - start - parsing[run])
    finally:
        gpxpy.parse = parse
    if len(parsing) != RUNS or len({visit.identifier for visit in log.visits()}) < 20:
        raise SystemExit("replay.py: the file was parsed more than once, or a circle was not visited")
    return median(own), median(parsing), f"{len(points)} fixes, {len(log)} events"


def main() -> None:
    result = Path(sys.argv[1])
    rows = json.loads(result.read_text()) if result.exists() else []
    row: dict[str, Any] = {"name": NAME, "ours_ns": None, "baseline": None, "baseline_ns": None, "ratio": None}
    row |= {"target": TARGET, "holds": None, "unit": UNIT}
    shown = f"{NAME:<22} {'-':>12}  {BASELINE:<15} {'-':>12} {'-':>10}  <= {TARGET:<5g} {UNIT:<10} not measured"
    if len(sys.argv) > 2:
        own, parsing, what = measure(Path(sys.argv[2]))
        holds = own / parsing <= TARGET
        row |= {"ours_ns": own, "baseline": BASELINE, "baseline_ns": parsing, "ratio": own / parsing, "holds": holds}
        shown = (
            f"{NAME:<22} {own:>12.4g}  {BASELINE:<15} {parsing:>12.4g} {own / parsing:>10.3g}  <= {TARGET:<5g} "
            f"{UNIT:<10} {'yes' if holds else 'NO'}\n  ({what})"
        )
    print(shown)
    rows = [other for other in rows if other["name"] != NAME] + [row]
    result.write_text("[\n  " + ",\n  ".join(json.dumps(other) for other in rows) + "\n]\n")


main()
