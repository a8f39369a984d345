"""Tests the path of each device, both in a `Follower` of a fleet and in ``watch --by``. A place is reported even if the
device passes it between two fixes. No time passes for a device while its next fix may still continue its path."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Run

from fencepost import Circle, Fix, Fleet, Gate, Monitor, Zones
from fencepost.errors import InvalidArgumentError
from fencepost.live import Follower

START = 1_700_000_000
SECOND = 1_000_000
GATE = "LINESTRING (0.001 -0.01, 0.001 0.01)"


class Clock:
    def __init__(self) -> None:
        self.now = float(START)

    def __call__(self) -> float:
        return self.now


def followed(clock: Clock, **options: object) -> Follower:
    zones = Zones()
    fleet = Fleet(zones, path="geodesic", max_gap=60)
    zones.add(Circle(0, 0, 150), "office", policy="exact")
    zones.add(Gate(GATE), "gate")
    return Follower(fleet, clock=clock, monotonic=clock, **options)  # type: ignore[arg-type]


def test_passing_between_two_fixes_is_reported_for_each_device() -> None:
    clock = Clock()
    follower = followed(clock)
    for device, side in (("bus", -1), ("van", 1)):
        follower.feed(device, Fix(0, side * 0.005, accuracy=5, time=START * SECOND))
    for _ in range(59):
        clock.now += 1
        follower.tick()
    for device, side in (("bus", -1), ("van", 1)):
        follower.feed(device, Fix(0, side * -0.005, accuracy=5, time=round(clock.now * SECOND)))
    seen = [(event.device, event.identifier, str(event.state)) for event in follower.events()]
    for device in ("bus", "van"):
        own = [each[1:] for each in seen if each[0] == device]
        assert sorted(own) == [("gate", "unknown"), ("office", "satisfied"), ("office", "unsatisfied")]


def test_a_dwell_ends_only_when_no_fix_can_continue_the_path() -> None:
    clock = Clock()
    fleet = Fleet({"dwell": Circle(0, 0, 150)}, path="geodesic", max_gap=60)
    follower = Follower(fleet, lag=5, clock=clock, monotonic=clock)
    follower.feed("bus", Fix(0, 0.01, accuracy=5, time=START * SECOND))
    clock.now += 30
    follower.feed("bus", Fix(0, 0, accuracy=5, time=round(clock.now * SECOND)))
    clock.now += 64.9
    follower.tick()
    assert list(follower.events()) == []
    clock.now += 0.2
    follower.tick()
    (event,) = follower.events()
    monitor = Monitor({"dwell": Circle(0, 0, 150)}, assuming="unsatisfied", path="geodesic", max_gap=60)
    monitor.feed(Fix(0, 0.01, accuracy=5, time=START * SECOND))
    monitor.feed(Fix(0, 0, accuracy=5, time=(START + 30) * SECOND))
    monitor.advance((START + 91) * SECOND)
    (own,) = monitor.events()
    want = json.loads(own.to_json())
    assert {key: json.loads(event.to_json())[key] for key in want} == want


def test_fixes_without_a_position_do_not_interrupt_a_path() -> None:
    """In a tunnel, a receiver reports that it has no position."""
    clock = Clock()
    follower = followed(clock)
    follower.feed("bus", Fix(0, -0.005, accuracy=5, time=START * SECOND))
    for _ in range(10):
        clock.now += 4
        follower.feed("bus", Fix(0, 0.005, accuracy=float("nan"), time=round(clock.now * SECOND)))
    follower.feed("bus", Fix(0, 0.005, accuracy=5, time=round(clock.now * SECOND) + SECOND))
    assert len(list(follower.events())) == 3


def test_without_a_path_the_dwell_ends_after_its_own_time() -> None:
    clock = Clock()
    follower = Follower({"dwell": Circle(0, 0, 150)}, lag=5, clock=clock, monotonic=clock)
    for longitude in (0.01, 0.0):
        follower.feed("bus", Fix(0, longitude, accuracy=5, time=round(clock.now * SECOND)))
        clock.now += 30
    follower.tick()
    assert [event.identifier for event in follower.events()] == ["dwell"]


def test_options_of_a_path() -> None:
    follower = Follower({"a": Circle(0, 0, 150)}, path="geodesic", max_gap=60, max_speed=50)
    follower.close()
    for options in ({"path": "geodesic"}, {"max_gap": 60.0}, {"path": "geodesic", "max_gap": 0.0}, {"max_speed": 5.0}):
        with pytest.raises(InvalidArgumentError):
            Follower({"a": Circle(0, 0, 150)}, **options)  # type: ignore[arg-type]
    for whole in (Monitor(path="geodesic", max_gap=60), Fleet(path="geodesic", max_gap=60)):
        with pytest.raises(InvalidArgumentError):
            Follower(whole, path="geodesic", max_gap=60)
        Follower(whole, max_gap=60)  # a repetition is allowed
        with pytest.raises(InvalidArgumentError):
            Follower(whole, max_gap=61)


def test_a_followed_monitor_and_its_fork_keep_the_path_of_the_monitor() -> None:
    first = Monitor({"office": Circle(0, 0, 150)}, policy="exact", path="geodesic", max_gap=60)
    for monitor in (first, first.fork()):
        clock = Clock()
        follower = Follower(monitor, clock=clock, monotonic=clock)
        follower.feed(None, Fix(0, -0.005, accuracy=5, time=START * SECOND))
        for _ in range(50):
            clock.now += 1
            follower.tick()
        follower.feed(None, Fix(0, 0.005, accuracy=5, time=round(clock.now * SECOND)))
        assert [str(event.state) for event in follower.events()] == ["unsatisfied", "satisfied", "unsatisfied"]


def test_watch_by_device_gives_the_events_of_a_monitor_for_each(run: Run, tmp_path: Path) -> None:
    places = tmp_path / "places.geojson"
    features = [
        {
            "type": "Feature", "geometry": {"type": "Point", "coordinates": [0, 0]},
            "properties": {"identifier": "office", "radius": 150, "policy": "exact"},
        },
        {
            "type": "Feature", "geometry": {"type": "LineString", "coordinates": [[0.001, -0.01], [0.001, 0.01]]},
            "properties": {"identifier": "gate", "gate": True},
        },
    ]  # fmt: skip
    places.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    lines, tracks = [], {"bus": -1, "van": 1}
    for turn in range(6):
        for device, side in tracks.items():
            place = 0.005 * side * (-1) ** turn
            lines.append({"device": device, "lat": 0, "lon": place, "accuracy": 5, "time": START + 50 * turn})
    source = tmp_path / "fixes.jsonl"
    source.write_text("".join(json.dumps(line) + "\n" for line in lines))
    path = ("--path", "geodesic", "--max-gap", "60")
    live = run("watch", "--source", source, "--by", "device", "--any-time", "--conditions", places, *path)
    events = [json.loads(line) for line in live.stdout.splitlines()]
    assert live.returncode == 0 and len(events) >= 2 * 5 * 3, live.stderr
    for device in tracks:
        one = tmp_path / f"{device}.jsonl"
        one.write_text("".join(json.dumps(line) + "\n" for line in lines if line["device"] == device))
        alone = run("watch", "--source", one, "--any-time", "--conditions", places, "--assuming", "unsatisfied", *path)
        own = [{**json.loads(line), "device": device} for line in alone.stdout.splitlines()]
        live_events = [each for each in events if each["device"] == device]
        for each in (*own, *live_events):
            each.pop("source", None)
        assert own and own == live_events
