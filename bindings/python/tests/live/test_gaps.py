"""Tests that missing messages are reported if the sender numbers its messages."""

from __future__ import annotations

import json
from typing import Any

import pytest
from test_watch_fleet import FleetWatched
from watching import START

from fencepost._live.device_lines import read_message
from fencepost._live.metrics import counters_of


def say(watched: FleetWatched, second: float, device: str = "truck", latitude: float = 0.0, **more: Any) -> None:
    """Feeds a message as a broker delivers it."""
    value = {"device": device, "lat": latitude, "lon": 0, "time": START + second, **more}
    assert watched.watch.feed(read_message(json.dumps(value).encode(), "device"), "mqtt")


def missing(watched: FleetWatched) -> int:
    return watched.watch.counts["missing_messages"]


def test_missing_message_numbers_are_counted_and_reported() -> None:
    watched = FleetWatched(numbered_by="seq")
    for second, number in enumerate((7, 8, 9, 12, 13)):
        say(watched, second, seq=number)
    say(watched, 0, "van", seq=1)
    say(watched, 1, "van", seq=3)
    assert missing(watched) == 3
    assert counters_of(watched.watch, lambda: 0, 0.0)["missing_messages"] == 3
    watched.pass_time(61)
    reported = [line for line in watched.said if "missing" in line]
    assert reported == ["mqtt: truck: messages 10 to 11 are missing", "mqtt: van: message 2 is missing"]


@pytest.mark.parametrize(
    "numbers",
    [
        (5, 6, 6, 7),  # repeated
        (5, 7, 6, 8),  # message 7 arrived before message 6, which therefore counted as missing
        (5000, 5001, 1, 2, 3),  # the sender restarts
        (50, 51, 0, 1, 2),
        (5000, 4000, 4001),
        (1, "2", 3, None, True, 3.5, [4]),  # some values are not integers
        (-3, -2, -1, 0),
    ],
)
def test_what_is_no_gap(numbers: tuple[Any, ...]) -> None:
    watched = FleetWatched(numbered_by="seq")
    for second, number in enumerate(numbers):
        say(watched, second, seq=number)
    assert missing(watched) == (1 if numbers in ((5, 7, 6, 8), (1, "2", 3, None, True, 3.5, [4])) else 0)


def test_a_refused_fix_is_a_message_too() -> None:
    """Tests that a message with a late fix, or without a valid position, does not count as missing."""
    watched = FleetWatched(numbered_by="seq")
    for number, (second, latitude) in enumerate([(0, 0.0), (5, 0.0), (3, 0.0), (6, 95.0), (7, 0.0)]):
        say(watched, second, seq=number, latitude=latitude)
    assert missing(watched) == 0 and watched.watch.counts["late_fixes"] == 1


def test_a_member_of_a_member() -> None:
    watched = FleetWatched(numbered_by="position.attributes.index")
    for number in (1, 2, 4):
        position = {
            "latitude": 0,
            "longitude": 0,
            "fixTime": round((START + number) * 1000),
            "attributes": {"index": number},
        }
        value = {"position": position, "device": {"uniqueId": "van"}}
        assert watched.watch.feed(read_message(json.dumps(value).encode(), "device"), "mqtt")
    assert missing(watched) == 1


def test_without_the_option_nothing_is_looked_at() -> None:
    watched = FleetWatched()
    for second, number in enumerate((1, 9)):
        say(watched, second, seq=number)
    assert missing(watched) == 0


def test_a_forgotten_device_begins_anew() -> None:
    watched = FleetWatched(numbered_by="seq", expire=86_400.0, ahead=None)
    say(watched, 0, seq=1)
    watched.pass_time(2 * 86_400)
    assert "truck" not in watched.watch.devices
    say(watched, 2 * 86_400, seq=900)
    assert missing(watched) == 0
