"""Tests `kind`, `to_dict` and `to_json` of events, visits and records, and of the values that these contain."""

from __future__ import annotations

import json
import math
from dataclasses import fields
from typing import Any

import pytest
from conftest import UUID

from fencepost import (
    Beacon,
    BeaconSighting,
    Circle,
    Corridor,
    DeviceEvent,
    Diagnostics,
    Event,
    Fix,
    Fleet,
    Gate,
    Monitor,
    Polygon,
    Visit,
    Zones,
    replay,
)
from fencepost.types import Explanation

LINE = "LINESTRING (7 47, 8 47)"


def kinds(monitor: Monitor) -> list[str]:
    return [str(event.kind) for event in monitor.events()]


def test_kinds_of_a_circle() -> None:
    monitor = Monitor()
    monitor.add(Circle(0, 0, 100), "home", policy="exact")
    assert monitor["home"].last_event.kind == "none"
    for second, longitude in enumerate((0, 0.01, 0)):
        monitor.feed(Fix(0, longitude, time=second * 1_000_000))
    assert kinds(monitor) == ["determined", "exit", "enter"]
    monitor.set_host(Diagnostics.ACCURACY_LIMITED, time=5_000_000)
    assert kinds(monitor) == ["diagnostic"]
    monitor.set_host(unsupported=[Circle], time=6_000_000)
    assert kinds(monitor) == ["unmonitored"]


def test_kinds_of_beacons_and_gates() -> None:
    """A beacon that was never seen cannot leave, so its first timeout gives an event of the kind "determined" instead
    of "exit"."""
    monitor = Monitor(path="geodesic", max_gap=60)
    monitor.advance(0)
    monitor.add(Beacon(UUID), "desk", assuming="unknown")
    monitor.advance(40_000_000)
    assert kinds(monitor) == ["determined"]
    monitor.feed_sightings(BeaconSighting(UUID, 1, 2), time=41_000_000)
    monitor.advance(80_000_000)
    assert kinds(monitor) == ["enter", "exit"]
    monitor.add(Gate(LINE, edges="geodesic"), "bridge")
    monitor.feed(Fix(46.99, 7.5, time=90_000_000))
    monitor.feed(Fix(47.01, 7.5, time=100_000_000))
    assert [(str(event.kind), str(event.direction)) for event in monitor.events()] == [("cross", "right_to_left")]


def test_events_are_their_json() -> None:
    zones = Zones()
    zones.add(Circle(52.5, 13.4, 100), "dépôt", policy="exact")
    fleet = Fleet(zones)
    fleet.feed("Wägen 7", Fix(52.5, 13.4, time=0))
    event = fleet.poll()[0]
    assert isinstance(event, DeviceEvent)
    assert event.to_dict() == json.loads(event.to_json()) and next(iter(event.to_dict())) == "device"
    assert event.to_dict() | {"device": "Wägen 7", "state": "satisfied", "diagnostics": []} == event.to_dict()
    bare = Event(*(getattr(event, field.name) for field in fields(Event)))
    assert bare.to_dict() == {key: value for key, value in event.to_dict().items() if key != "device"}


def things() -> list[Any]:
    monitor = Monitor()
    monitor.add(Circle(52.5, 13.4, 100), "home", policy="exact", tag=7)
    monitor.add(Beacon(UUID, 1), "desk")
    monitor.add(Polygon("POLYGON ((0 0, 1 0, 1 1, 0 0))", edges="planar"), "area")
    monitor.add(Corridor(LINE, 50, edges="geodesic"), "road")
    monitor.feed(Fix(52.5, 13.4, time=1_500_000))
    monitor.acknowledge()
    zones = Zones()
    zones.add(Circle(52.5, 13.4, 100), "home")
    fleet = Fleet(zones)
    fleet.feed("x", Fix(52.5, 13.4, time=0))
    log = replay([Fix(0, 0, time=0), Fix(0, 1, time=60_000_000)], {"home": Circle(0, 0, 100)}, policy="exact")
    found = [*monitor.records(), *monitor.poll(), monitor.statistics(), monitor.explain("home"), *log, *log.visits()]
    return [
        *found,
        zones["home"],
        *fleet.inside(),
        fleet.statistics(),
        fleet["x"].statistics(),
        Gate(LINE, edges="geodesic"),
    ]


def all_things() -> list[Any]:
    found = things()
    return [*found, *(thing.condition for thing in found if hasattr(thing, "condition"))]


def test_everything_has_a_json_form() -> None:
    for thing in all_things():
        text = thing.to_json()
        assert "\n" not in text
        strict = json.loads(text, parse_constant=lambda name: pytest.fail(f"{thing!r} has {name}"))
        assert strict == thing.to_dict() == json.loads(json.dumps(thing.to_dict(), allow_nan=False))


def test_what_the_json_form_says() -> None:
    named: dict[str, Any] = {}
    for thing in all_things():
        named.setdefault(type(thing).__name__, []).append(thing.to_dict())
    home = named["Record"][0]
    assert (home["identifier"], home["tag"], home["present_state"]) == ("home", 7, "satisfied")
    assert home["condition"] == {"kind": "circle", "latitude": 52.5, "longitude": 13.4, "radius": 100.0}
    assert home["policy"]["dwell_policy"] == "timer" and home["policy"]["notify"] == ["initial", "entry", "exit"]
    assert named["Beacon"][0] == {"kind": "beacon", "uuid": str(UUID), "major": 1, "minor": None}
    assert named["Polygon"][0]["geometry"]["type"] == "Polygon" and named["Polygon"][0]["edges"] == "planar"
    assert named["Corridor"][0]["radius"] == 50 and named["Gate"][0]["kind"] == "gate"
    (visit,) = named["Visit"]
    assert visit["duration"] == 60.0 and visit["start"] == "1970-01-01T00:00:00.000000Z"
    assert (visit["start_known"], visit["open"]) == ("determination", False)
    assert named["Statistics"][0]["clock"] == "1970-01-01T00:00:01.500000Z"
    assert named["Presence"][0]["since"] == "1970-01-01T00:00:00.000000Z"


def test_json_has_no_nan() -> None:
    explained = Explanation("a", *[None] * 3, math.nan, math.inf, *[None] * 8)  # type: ignore[arg-type]
    assert explained.to_dict()["boundary_distance"] is explained.to_dict()["accuracy"] is None


def test_visits_of_several_tracks_name_the_track() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"van": [7, 7, 8], "lat": [0.0, 0, 0], "lon": [0.0, 1, 0], "time": [0, 60_000_000, 0]})
    found = [visit.to_dict()["track"] for visit in replay(frame, {"home": Circle(0, 0, 100)}, device="van").visits()]
    assert found == [7, 8]
    assert all(isinstance(visit, Visit) for visit in replay(frame, {"home": Circle(0, 0, 100)}, device="van").visits())
