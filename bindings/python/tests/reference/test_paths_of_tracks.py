"""Tests the events on the paths of all recorded tracks, which are thinned to one fix a minute. The events on a path
must equal the events of a monitor without a path that gets additional fixes every 10 ms along the path.

FENCEPOST_SOAK=1 uses up to 28 hours of each track; otherwise only the first legs of a track are used. The additional
fixes are computed as columns of points on geodesics, and are fed to a monitor without a path.
"""

from __future__ import annotations

import os
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy
import pytest
from conftest import OWN_TRACKS, SECOND, TRACKS

from fencepost import (
    Circle,
    Corridor,
    Event,
    Fix,
    InputError,
    Monitor,
    Polygon,
    geodesic,
)
from fencepost._files.track_files import read_track
from fencepost._files.tracks import FixRow

STEP, MINUTE, GAP = SECOND // 100, 60 * SECOND, 900 * SECOND
IS_LONG = os.environ.get("FENCEPOST_SOAK") == "1"
MOST_LAID = 10_000_000 if IS_LONG else 40_000
"""Each track is cut as soon as at least this many additional fixes lie on its path."""
NOT_READ = {".md", ".igc", ".json", ".jsonl", ".aivdm", ".chk"}
"""Suffixes of files that this test skips: the files are not tracks, repeat a neighbouring log (.chk), or have a format
that the package does not read."""
SHORT = Counter()  # counts of tracks, for the check of formats at the end


def _files() -> list[Path]:
    found = [path for folder in (OWN_TRACKS, TRACKS) for path in folder.rglob("*.*") if path.is_file()]
    return sorted(path for path in found if path.suffix not in NOT_READ)


def thinned(path: Path) -> list[FixRow]:
    """Returns fixes with a position that are at least a minute apart."""
    columns = {"time": "utc_ms"} if path.name.startswith("car-i280") else {}
    kept: list[FixRow] = []
    for fix in read_track(path, columns=columns).fixes:
        if fix[2] >= 0 and (not kept or fix[3] - kept[-1][3] >= MINUTE):
            kept.append(fix)
    laid = 0
    for index, (one, other) in enumerate(pairwise(kept), 1):
        if (duration := other[3] - one[3]) <= GAP:
            laid += duration // STEP
        if laid >= MOST_LAID:
            return kept[: index + 1]
    return kept


def usable() -> dict[Path, list[FixRow]]:
    """Returns the tracks with at least one path."""
    found = {}
    for path in _files():
        try:
            fixes = thinned(path)
        except InputError:  # a log without dates or positions; the tests of the file readers check its error message
            SHORT["refused"] += 1
            continue
        if any(other[3] - one[3] <= GAP and one[:2] != other[:2] for one, other in pairwise(fixes)):
            found[path] = fixes
    return found


FOUND = usable()


def places(fixes: Sequence[FixRow], source: random.Random) -> Iterator[tuple[str, object, str]]:
    """Returns circles, squares and corridors near points of the path."""
    ways = [pair for pair in pairwise(fixes) if pair[1][3] - pair[0][3] <= GAP]
    for number in range(30):
        one, other = source.choice(ways)
        way = geodesic.inverse(one[0], one[1], other[0], other[1])
        on = geodesic.direct(one[0], one[1], way.azimuth1, way.distance * source.random())
        radius = 20 * 30 ** source.random()
        at = geodesic.direct(on.latitude, on.longitude, source.uniform(-180, 180), source.uniform(0, 1.2 * radius))
        corners = [geodesic.direct(at.latitude, at.longitude, turn, radius) for turn in (10, 100, 190, 280)]
        ring = [(corner.latitude, corner.longitude) for corner in corners]
        condition = (
            Circle(at.latitude, at.longitude, radius),
            Polygon(ring, order="latlon", edges="geodesic"),
            Corridor(ring[:3], radius / 4, order="latlon", edges="geodesic"),
        )[number % 3]
        yield f"p{number}", condition, ("exact", "standard")[number // 3 % 2]


def laid(start: FixRow, end: FixRow) -> bytes | None:
    """Returns additional fixes between two fixes, 10 ms apart, each with the larger of the accuracy radii of the two
    fixes."""
    duration = end[3] - start[3]
    if duration > GAP:
        return None
    times = numpy.arange(start[3] + STEP, end[3], STEP, dtype=numpy.int64)
    way = geodesic.inverse(start[0], start[1], end[0], end[1])
    distances = way.distance * ((times - start[3]) / duration)
    there = geodesic.direct(start[0], start[1], way.azimuth1, distances)
    records = numpy.empty(len(times), [("y", "<f8"), ("x", "<f8"), ("accuracy", "<f8"), ("time", "<i8")])
    records["y"], records["x"], records["accuracy"] = there.latitude, there.longitude, max(start[2], end[2])
    records["time"] = times
    return records.tobytes()


def by_place(events: Sequence[Event]) -> dict[str, list[Event]]:
    found: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        found[event.identifier].append(event)
    return found


@pytest.mark.parametrize("path", FOUND, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_events_of_a_track_are_those_of_fixes_each_hundredth_second(path: Path) -> None:
    fixes = FOUND[path]
    source = random.Random(f"paths {path.name}")
    sparse, dense = Monitor(path="geodesic", max_gap=GAP / SECOND), Monitor(initial_fix_max_age=None)
    for name, condition, policy in places(fixes, source):
        for monitor in (sparse, dense):
            monitor.add(condition, name, policy=policy)  # type: ignore[arg-type]
    events: list[Event] = []
    expected: list[Event] = []
    last = None
    for fix in fixes:
        between = None if last is None else laid(last, fix)
        if between:
            dense.feed_many(between)
        for monitor in (sparse, dense):
            monitor.feed(Fix(*fix[:3], time=fix[3]))
        events += sparse.events()
        expected += dense.events()
        last = fix
    assert [event.date_us for event in events] == sorted(event.date_us or 0 for event in events)
    ours, theirs = by_place(events), by_place(expected)
    assert {name: [(str(e.state), str(e.cause)) for e in own] for name, own in ours.items()} == {
        name: [(str(e.state), str(e.cause)) for e in own] for name, own in theirs.items()
    }
    for name, own in ours.items():
        for one, other in zip(own, theirs[name]):
            assert 0 <= (other.date_us or 0) - (one.date_us or 0) <= STEP, (one, other)
            assert 0 <= (other.evidence_date_us or 0) - (one.evidence_date_us or 0) <= STEP, (one, other)
    moved = max(geodesic.inverse(*one[:2], *other[:2]).distance for one, other in pairwise(fixes))
    assert len(events) >= 30 and (moved < 20 or sum(event.is_on_path for event in events) > 0)
    COUNTS[path.suffix] += sum(event.is_on_path for event in events)


COUNTS: Counter[str] = Counter()


def test_no_format_is_missing() -> None:
    """A parametrised test may have no cases without anybody noticing, so this test checks that there are some cases."""
    formats = {path.suffix for path in FOUND}
    assert formats >= {".gpx", ".csv", ".nmea"}, formats
    if TRACKS.is_dir():
        assert formats >= {".gpx", ".csv", ".nmea", ".geojson", ".log", ".txt"} and len(FOUND) >= 30, sorted(FOUND)
    if (
        os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1") == "1" and set(COUNTS) == formats
    ):  # the check applies only if all tests ran in this process
        assert sum(COUNTS.values()) > 20 * len(FOUND) and min(COUNTS.values()) > 5, COUNTS
