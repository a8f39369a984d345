"""Tests the guarantees that a watch gives to brokers, sinks and watchdogs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import mentions
from test_watch_fleet import EXACT, FleetWatched
from watching import START, circles, notices_to

from fencepost import Fleet, Zones
from fencepost._live import handling, mqtt_sink, owntracks
from fencepost._live.follower import Follower
from fencepost._live.lines import LineError
from fencepost._live.messages import Waypoint, Waypoints
from fencepost._live.sinks import Sinks


def test_a_circle_is_saved_before_its_message_is_confirmed(tmp_path: Path) -> None:
    store = tmp_path / "store"
    store.mkdir()
    watched = FleetWatched(Fleet(Zones(), store=store, name="fleet"))
    watched.answer = False  # no event is acknowledged, so only keep() can have saved the change
    watched.feed("u/phone", 0)
    watched.watch.feed(Waypoints("u/phone", (Waypoint("home", 1.0, 1.0, 100.0, 5),)))
    watched.watch.keep()
    copy = tmp_path / "copy"
    shutil.copytree(store, copy)
    with Fleet(Zones(), store=copy, name="fleet") as kept:
        assert set(kept.conditions) == {"office", "u/home"}
    watched.fleet.close()


def test_a_sink_that_has_an_event_is_not_asked_again_after_a_hang_up() -> None:
    watched = FleetWatched(policy=EXACT)
    had: list[Any] = []
    answers = [False, False, True]
    sinks = Sinks([lambda event: not had.append(event.sequence), lambda event: answers.pop(0)])
    watched.watch._handle = sinks
    watched.feed("a", 0)
    watched.watch.look_again()
    watched.pass_time()
    watched.watch.look_again()
    watched.pass_time()
    assert had == [1] and not answers
    # After a device has been removed, its sequence numbers start at 1 again, so an event with the same number is a new
    # event.
    watched.fleet.remove_device("a")
    watched.watch.devices.clear()
    answers.append(True)
    watched.feed("a", 60)
    assert had == [1, 1]


def test_an_accuracy_without_an_end_is_refused() -> None:
    fix = {"_type": "location", "lat": 0, "lon": 0, "tst": START}
    assert owntracks.read(fix, "owntracks/u/p", b"") is not None
    with pytest.raises(LineError, match="acc"):
        owntracks.read({**fix, "acc": json.loads("1e999")}, "owntracks/u/p", b"")


def test_a_place_of_the_file_stands_for_a_waypoint_of_its_name(tmp_path: Path) -> None:
    said: list[str] = []
    path = circles(tmp_path / "c.geojson", office=200)
    with Follower(path, notices=notices_to(said.append)) as follower:
        table = follower.fleet.conditions
        for number, name in enumerate(("home", "work")):
            waypoint = {"_type": "waypoint", "desc": name, "lat": 1, "lon": 1, "rad": 100, "tst": 5 + number}
            follower.receive(waypoint, "owntracks/u/phone/waypoint")
        assert set(table) == {"office", "u/home", "u/work"}
        circles(path, office=200, **{"u/home": 300})
        follower.sync()
        assert set(table) == {"office", "u/home", "u/work"}
        found = follower._circles
        assert found is not None
        assert found.time_of("u/home") == 0 and found.time_of("u/work") == 6
        assert not found.is_others("u/home", "another/phone")
        assert len(said) == 2 and mentions(said[1], f"{path}: 'u/home' … waypoint")
        follower.sync()
        assert len(said) == 2


def test_events_that_take_long_leave_time_for_other_things(monkeypatch: pytest.MonkeyPatch) -> None:
    watched = FleetWatched(policy=EXACT)

    def slow(event: Any) -> bool:
        watched.clock.now += 0.4
        return watched.handle(event)

    watched.answer = False
    for second in range(20):
        watched.feed("a", second, 0.01 * (second % 2))
    watched.seen.clear()
    watched.answer, watched.watch._handle = True, slow
    watched.clock.now += 100
    turns = 0
    while not watched.watch.is_done:
        before = len(watched.seen)
        watched.watch.handle_events()
        assert 0 < len(watched.seen) - before <= 1 + handling.HANDLING_S / 0.4
        turns += 1
        if not watched.watch.is_done:
            assert watched.watch.pause() == 0
    assert len(watched.seen) == 20 and turns > 5


def test_a_confirmation_that_nobody_asked_for_counts_for_no_other_message() -> None:
    publisher = object.__new__(mqtt_sink.Publisher)
    publisher._confirmed = {7}
    publisher._client = SimpleNamespace(publish=lambda *arguments, **options: SimpleNamespace(mid=7))  # type: ignore[assignment]
    number = publisher.publish("t", "x")
    assert not publisher.has_confirmed(number)
    publisher._confirmed.add(7)
    assert publisher.has_confirmed(number) and not publisher.has_confirmed(number)
