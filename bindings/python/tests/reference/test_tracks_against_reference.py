"""Tests that the engine and the reference agree on every recorded track, with 200 circles along it (1,000 with
FENCEPOST_FULL=1).

The reference is slow, so the test uses :class:`reference_adapter.ManyCircles`, which skips evaluations that cannot
change anything; no fixes of the tracks are left out.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from conftest import IS_FULL, TRACKS, recorded_tracks
from reference import ReferenceMonitor
from reference_adapter import ManyCircles, reference_policy, same_event
from reference_values import Refused

from fencepost import FIX_RECORD, Circle, Fix, Monitor, TransitionPolicy, geodesic
from fencepost._files.track_files import read_track
from fencepost._files.tracks import FixRow

SEED = 20240501
CIRCLES = 1000 if IS_FULL else 100
POLICIES = [TransitionPolicy.named(name) for name in ("standard", "exact", "core_location")]
Watched = tuple[str, Circle, TransitionPolicy]

FILES = recorded_tracks("gpx", "csv")
tracks = pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)


def fixes_of(path: Path) -> list[FixRow]:
    columns = {"time": "utc_ms"} if path.name.startswith("car-i280") else {}
    return read_track(path, columns=columns).fixes


def circles_along(fixes: list[FixRow], source: random.Random, count: int) -> list[Watched]:
    """Returns circles of 15 m to 3 km; each centre is up to twice the radius away from a point of the track."""
    circles = []
    for index in range(count):
        latitude, longitude = source.choice(fixes)[:2]
        radius = round(15 * 200 ** source.random(), 1)
        centre = geodesic.direct(latitude, longitude, source.uniform(-180, 180), source.uniform(0, 2 * radius))
        condition = Circle(centre.latitude, centre.longitude, radius)
        circles.append((f"c{index}", condition, POLICIES[index % 3]))
    return circles


def engine(circles: list[Watched]) -> Monitor:
    monitor = Monitor()
    for identifier, condition, policy in circles:
        monitor.add(condition, identifier, policy=policy)
    return monitor


def reference(circles: list[Watched], kind: type[ReferenceMonitor]) -> ReferenceMonitor:
    monitor = kind()
    for identifier, condition, policy in circles:
        monitor.add_circle(identifier, *condition.center, condition.radius, policy=reference_policy(policy))
    return monitor


def rows(fixes: list[FixRow]) -> bytes:
    return b"".join(FIX_RECORD.pack(*fix[:4]) for fix in fixes)


def feed_reference(monitor: ReferenceMonitor, fixes: list[FixRow]) -> list[dict[str, object]]:
    log = []
    for latitude, longitude, accuracy, time, *_ in fixes:
        try:
            monitor.feed_fix(time, latitude, longitude, accuracy)
        except Refused as refused:
            assert refused.status in ("late_input", "invalid_argument")
        while (event := monitor.next_event()) is not None:
            log.append(event)
    return log


@pytest.mark.full
@tracks
def test_engine_and_reference_agree(path: Path) -> None:
    fixes = fixes_of(path)
    circles = circles_along(fixes, random.Random(f"{SEED} {path.name}"), CIRCLES)
    expected = feed_reference(reference(circles, ManyCircles), fixes)
    ours = engine(circles)
    result = ours.feed_many(rows(fixes))
    assert sum(result) == len(fixes)
    log = list(ours.events())
    assert len(log) == len(expected) >= CIRCLES * 0.9
    for event, other in zip(log, expected):
        same_event(event, other)


@pytest.mark.full
@tracks
def test_the_size_of_batches_does_not_matter(path: Path) -> None:
    fixes = fixes_of(path)
    circles = circles_along(fixes, random.Random(f"{SEED} {path.name}"), CIRCLES)
    data, size = rows(fixes), FIX_RECORD.size
    logs = []
    for batch in (7, len(fixes)):
        monitor = engine(circles)
        for begin in range(0, len(fixes), batch):
            monitor.feed_many(data[begin * size : (begin + batch) * size])
        logs.append([event.to_json() for event in monitor.events()])
    single = engine(circles)
    lines = []
    for latitude, longitude, accuracy, time, *_ in fixes:
        try:
            single.feed(Fix(latitude, longitude, accuracy, time=time))
        except ValueError:
            pass  # a late or invalid fix, which the batch counts
        lines += [event.to_json() for event in single.events()]
    assert lines == logs[0] == logs[1] and lines


@pytest.mark.parametrize("seed", range(5))
def test_the_faster_reference_is_the_reference(seed: int) -> None:
    """Feeds a random walk among only a few circles, so that the plain reference is fast enough."""
    source = random.Random(SEED + seed)
    place, time, fixes = (52.5, 13.4), 0, []
    for _ in range(400):
        moved = geodesic.direct(*place, source.uniform(-180, 180), source.uniform(0, 120))
        place = (moved.latitude, moved.longitude)
        time += source.choice([-1_000_000, 0, 1_000_000, 5_000_000])
        fixes.append((*place, source.choice([0.0, 5.0, 150.0, -1.0]), time))
    circles = circles_along(fixes, source, 25)
    plain = feed_reference(reference(circles, ReferenceMonitor), fixes)
    faster = feed_reference(reference(circles, ManyCircles), fixes)
    assert plain == faster and len(plain) > 50


def test_the_recorded_tracks_are_all_read() -> None:
    assert len(FILES) >= (27 if TRACKS.is_dir() else 4)
