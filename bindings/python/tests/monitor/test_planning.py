"""Tests safe distance, deadlines, rotation plans and the selection of fixes, from Python."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest
from conftest import SECOND, UUID, mentions, number_of_cases, recorded_tracks

import fencepost
from fencepost import (
    Beacon,
    Circle,
    Fix,
    Monitor,
    RotationPlanner,
    SignificantChangeFilter,
    State,
    TransitionPolicy,
    best_fix,
    geodesic,
)
from fencepost._files.track_files import read_track
from fencepost._files.tracks import FixRow
from fencepost.errors import InvalidArgumentError, LateInputError, NotFoundError

DEGREE = 111_319.490793273572  # metres per degree of longitude on the equator


def row_of_circles(count: int) -> Monitor:
    monitor = Monitor()
    for index in range(count):
        monitor.add(Circle(0, 1000 * index / DEGREE, 100), f"c{index}")
    return monitor


# ------------------------------------------------------------------------------ what a monitor tells


def test_state_is_what_the_detector_believes() -> None:
    monitor = row_of_circles(1)
    assert monitor.state("c0") is State.UNKNOWN
    monitor.feed(Fix(0, 0, 5, time=0))
    assert monitor.state("c0") is State.SATISFIED
    with pytest.raises(NotFoundError):
        monitor.state("nobody")


def test_safe_distance() -> None:
    assert Monitor().safe_distance(0, 0) == math.inf
    monitor = row_of_circles(2)
    assert monitor.safe_distance(0, 0) == pytest.approx(100, abs=1e-5)
    assert monitor.safe_distance(0, 500 / DEGREE) == pytest.approx(400, abs=1e-5)
    with pytest.raises(InvalidArgumentError, match="latitude.*90"):
        monitor.safe_distance(91, 0)


def test_next_deadline() -> None:
    monitor = row_of_circles(1)
    assert monitor.next_deadline is None
    monitor.feed(Fix(0, 0, 5, time=0))
    monitor.feed(Fix(0, 0.01, 5, time=10 * SECOND))
    assert monitor.next_deadline_us == 30 * SECOND
    assert monitor.next_deadline is not None
    assert monitor.next_deadline.second == 30
    monitor.add(Beacon(UUID), "b")
    assert monitor.next_deadline_us == 30 * SECOND


def test_contains() -> None:
    circle = Circle(0, 179.9995, 150)
    assert circle.contains(0, -179.9995)
    assert not circle.contains(0, -179.99)
    with pytest.raises(InvalidArgumentError):
        circle.contains(0, 181)
    with pytest.raises(InvalidArgumentError):
        Circle(0, 0, 0).contains(0, 0)


# ----------------------------------------------------------------------------------------- rotation


def test_a_plan_and_its_diff() -> None:
    monitor = row_of_circles(10)
    planner = RotationPlanner(4)
    plan = planner.plan(monitor, 0, 0)
    assert [armed.identifier for armed in plan.armed] == ["c0", "c1", "c2"]
    assert plan.additions == plan.armed == planner.armed
    assert plan.removals == ()
    assert plan.follow
    assert plan.wake_up is not None
    assert plan.wake_up[:2] == (0, 0)
    assert plan.wake_up[2] == pytest.approx(2900, abs=1e-5)
    assert [armed.is_inside for armed in plan.armed] == [True, False, False]
    monitor.feed(Fix(0, 2000 / DEGREE, 5, time=0))
    moved = planner.plan(monitor, 0, 2000 / DEGREE, accuracy=30)
    assert not moved.follow
    assert [old.identifier for old in moved.removals] == ["c0"]
    assert [new.identifier for new in moved.additions] == ["c3"]
    assert moved.wake_up is not None
    assert moved.wake_up[2] == pytest.approx(1870, abs=1e-5)
    assert not moved.wakes(0, 2050 / DEGREE)
    assert moved.wakes(0, 2150 / DEGREE), "leaves an armed circle"
    assert moved.wakes(0.5, 2000 / DEGREE), "leaves the wake-up circle"
    assert RotationPlanner(10).plan(monitor, 0, 0).wake_up is None


def test_what_a_planner_refuses() -> None:
    monitor = row_of_circles(3)
    for slots in (0, -1, 1_000_001):
        with pytest.raises(InvalidArgumentError, match="slots"):
            RotationPlanner(slots)
    for bad in (True, 1.5, "3"):
        with pytest.raises(TypeError):
            RotationPlanner(bad)  # type: ignore[arg-type]
    planner = RotationPlanner(2)
    before = planner.plan(monitor, 0, 0).armed
    for latitude, accuracy in ((91, 0), (math.nan, 0), (0, -1), (0, math.nan), (0, math.inf)):
        with pytest.raises(InvalidArgumentError):
            planner.plan(monitor, latitude, 0, accuracy)
    with pytest.raises(InvalidArgumentError, match="margin"):
        RotationPlanner(2, margin=-1).plan(monitor, 0, 0)
    with pytest.raises(InvalidArgumentError, match="radius"):
        RotationPlanner(2, maximum_radius=math.nan).plan(monitor, 0, 0)
    with pytest.raises(TypeError):
        planner.plan(monitor, "north", 0)  # type: ignore[arg-type]
    assert planner.armed == before


class Host:
    """A host that feeds a fix to the monitor only if the rotation plan says that the fix wakes the host."""

    def __init__(self, monitor: Monitor, planner: RotationPlanner) -> None:
        self.monitor, self.planner = monitor, planner
        self.plan: fencepost.types.RotationPlan | None = None
        self.last, self.fed = -(1 << 62), 0

    def offer(self, fix: FixRow) -> None:
        latitude, longitude, accuracy, time = fix[:4]
        if not (accuracy >= 0 and abs(latitude) <= 90 and abs(longitude) <= 180 and time >= self.last):
            return
        self.last = time
        if self.plan is not None and not self.plan.wakes(latitude, longitude):
            return
        self.monitor.feed(Fix(latitude, longitude, accuracy, time=time))
        self.fed += 1
        accuracy = min(accuracy, 1e9)
        self.plan = self.planner.plan(self.monitor, latitude, longitude, accuracy)


POLICIES = [TransitionPolicy.standard(), TransitionPolicy.exact(), TransitionPolicy.core_location()]


def compare_with_all_fixes(fixes: list[FixRow], generator: random.Random) -> tuple[int, int, int]:
    """Runs scenario S53 on one track, with circles along the track and twenty slots. Returns three counts: the events,
    the fixes, and the fixes that were fed."""
    every, some = Monitor(), Monitor()
    for index in range(200):
        latitude, longitude = generator.choice(fixes)[:2]
        end = geodesic.direct(latitude, longitude, generator.uniform(0, 360), generator.uniform(0, 2000))
        circle = Circle(end.latitude, end.longitude, math.exp(generator.uniform(3, 7.5)))
        policy = generator.choice(POLICIES)
        every.add(circle, f"c{index}", policy=policy)
        some.add(circle, f"c{index}", policy=policy)
    host = Host(some, RotationPlanner(20))
    expected, got = [], []
    for fix in fixes:
        try:
            every.feed(Fix(*fix[:3], time=fix[3]))
        except (LateInputError, InvalidArgumentError):
            pass
        expected += list(every.events())
        host.offer(fix)
        got += list(some.events())
    end_us = max(every.clock_us or 0, host.last) + 60 * SECOND
    for monitor, events in ((every, expected), (some, got)):
        monitor.advance(end_us)
        events += list(monitor.events())
    assert got == expected
    return len(expected), len(fixes), host.fed


@pytest.mark.full
def test_rotation_gives_the_same_events_on_real_tracks() -> None:
    most = number_of_cases(800, 3000, 10_000)
    seed = 20_240_613
    print("seed", seed)
    generator = random.Random(seed)
    tracks = events = offered = fed = 0
    for path in recorded_tracks("gpx", "csv"):
        try:
            fixes = read_track(path).fixes
        except ValueError:
            continue  # other tests cover unreadable files
        if not fixes:
            continue
        start = generator.randrange(max(1, len(fixes) - most))
        counts = compare_with_all_fixes(fixes[start : start + most], generator)
        tracks, events, offered, fed = tracks + 1, events + counts[0], offered + counts[1], fed + counts[2]
    print(f"{tracks} tracks, {events} events, {fed} of {offered} fixes fed")
    assert tracks >= 4
    assert events > 100 * tracks
    assert fed < offered


# ---------------------------------------------------------------------------------- choosing fixes


def test_significant_changes() -> None:
    """S71."""
    passes = SignificantChangeFilter()
    steps = [(0, 0), (600, 60), (700, 301), (900, 700)]
    fixes = [Fix(0, metres / DEGREE, 5, time=seconds * SECOND) for metres, seconds in steps]
    assert [passes.accepts(fix) for fix in fixes] == [True, False, True, False]
    passes.reset()
    assert passes.accepts(fixes[0])
    assert not passes.accepts(Fix(0, 1, -1, time=1000 * SECOND))
    assert not passes.accepts(Fix(91, 1, 5, time=1000 * SECOND))
    assert SignificantChangeFilter(0, 0).accepts(fixes[0])
    for distance, interval in ((-1, 0), (math.nan, 0), (0, -1), (0, 1e10)):
        with pytest.raises(InvalidArgumentError):
            SignificantChangeFilter(distance, interval)


def test_best_fix() -> None:
    old, coarse = Fix(0, 0, 5, time=40 * SECOND), Fix(0, 1, 90, time=100 * SECOND)
    assert best_fix([old, coarse], 100 * SECOND) is coarse
    assert best_fix([old, coarse], 100 * SECOND, speed=0) is old
    assert best_fix(iter([old, coarse]), 99 * SECOND) is old
    assert best_fix([old, coarse], 39 * SECOND) is None
    assert best_fix([], 0) is None
    unreported = Fix(0, 2, time=100 * SECOND)
    assert best_fix([unreported, coarse], 100 * SECOND) is coarse
    assert best_fix([unreported], 100 * SECOND) is unreported
    with pytest.raises(InvalidArgumentError):
        best_fix([old], 0, speed=-1)
    with pytest.raises(InvalidArgumentError):
        best_fix([old], 0, maximum_age=-1)


def test_replay_of_significant_changes(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    rows = "".join(f"0,{second * 10 / DEGREE!r},{second},5\n" for second in range(3600))
    (tmp_path / "track.csv").write_text("latitude,longitude,time,accuracy\n" + rows)
    (tmp_path / "conditions.geojson").write_text(
        '{"type": "FeatureCollection", "features": [{"type": "Feature", "geometry": {"type": "Point", "coordinates": '
        f"[{20_000 / DEGREE!r}, 0]}}, "
        '"properties": {"identifier": "wide", "radius": 8005, "assuming": "unsatisfied", "policy": "exact"}}, '
        '{"type": "Feature", "geometry": {"type": "Point", "coordinates": '
        f"[{13_500 / DEGREE!r}, 0]}}, "
        '"properties": {"identifier": "narrow", "radius": 500, "assuming": "unsatisfied", "policy": "exact"}}]}'
    )
    arguments = ["replay", "track.csv", "--conditions", "conditions.geojson", "--format", "csv"]
    full = run(*arguments)
    thinned = run(*arguments, "--significant-changes")
    assert thinned.returncode == 0, thinned.stderr
    # 10 m/s: a fix each 300 s. The device enters the wide circle at 1200 s and leaves it at 2801 s, and passes the
    # narrow circle between 1300 s and 1400 s.
    assert "12 of 3600 fixes fed, 99.7 % saved" in thinned.stderr
    assert mentions(thinned.stderr, "2 … 4 events … 99.5 … 199.0")
    assert len(full.stdout.splitlines()) == 5
    assert len(thinned.stdout.splitlines()) == 3
    assert full.stderr == ""
