"""Tests events: the JSON form, ordering, and batches."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError, replace
from datetime import datetime

import pytest
from conftest import SECOND, UUID

from fencepost import Beacon, BeaconSighting, Circle, Event, Fix, Monitor, TransitionPolicy
from fencepost._values.events import EVENT_COLUMNS, EVENT_KINDS
from fencepost.errors import InvalidArgumentError

KEYS = [
    "sequence", "identifier", "state", "cause", "date", "evidence_date", "refinement", "diagnostics", "generation",
    "latitude", "longitude", "accuracy", "boundary_distance",
]  # fmt: skip


def some_events() -> list[Event]:
    monitor = Monitor()
    odd = 'quote " backslash \\ tab \t ü 日本'
    monitor.add(Circle(0, 0, 100), odd, policy=TransitionPolicy.exact())
    monitor.add(Beacon(UUID), "desk")
    monitor.feed(Fix(0, 0.1, 2.5, time=1))
    monitor.feed(Fix(0, 0, time=SECOND))
    monitor.feed_sightings(BeaconSighting(UUID, 65535, 0), time=SECOND)
    return list(monitor.events())


def test_keys_stand_in_the_promised_order() -> None:
    for event in some_events():
        assert list(json.loads(event.to_json())) == KEYS
        assert "\n" not in event.to_json()


def test_json_says_what_the_event_says() -> None:
    for event in some_events():
        values = json.loads(event.to_json())
        for name in ("sequence", "identifier", "generation", "latitude", "longitude", "accuracy", "boundary_distance"):
            assert values[name] == getattr(event, name)
        assert (values["state"], values["cause"]) == (event.state, event.cause)
        assert values["date"] == event.date.isoformat(timespec="microseconds").replace("+00:00", "Z")
        assert values["diagnostics"] == []
    assert json.loads(some_events()[-1].to_json())["refinement"] == {"uuid": UUID, "major": 65535, "minor": 0}


def test_columns_are_the_keys_of_the_json_and_the_tag() -> None:
    assert list(EVENT_COLUMNS) == [
        *KEYS,
        "evidence",
        "gap",
        "direction",
        "probability",
        "vertical_distance",
        "decided_by",
        "tag",
    ]


def test_each_column_has_the_kind_of_its_values() -> None:
    types = {"uint": int, "int": int, "float": float, "time": datetime, "bool": bool}
    assert set(EVENT_KINDS) < set(EVENT_COLUMNS)
    for name, value_of in EVENT_COLUMNS.items():
        values = [value for event in some_events() if (value := value_of(event)) is not None]
        assert {type(value) for value in values} <= {types[EVENT_KINDS[name]] if name in EVENT_KINDS else str}, name


def test_json_of_a_first_record_has_nulls() -> None:
    monitor = Monitor()
    monitor.add(Beacon(UUID), "desk")
    values = json.loads(monitor.record("desk").last_event.to_json())
    assert values["sequence"] == 0 and values["state"] == "unknown"
    assert [values[name] for name in ("date", "evidence_date", "refinement", "latitude")] == [None] * 4


def test_events_are_frozen_values() -> None:
    event = some_events()[0]
    with pytest.raises((FrozenInstanceError, AttributeError)):
        event.sequence = 7  # type: ignore[misc]
    assert event == some_events()[0] and hash(event) == hash(some_events()[0])


def test_json_refuses_values_that_no_event_has() -> None:
    event = some_events()[0]
    for changes in ({"identifier": "x" * 257}, {"identifier": "a\0b"}, {"identifier": "\ud800"}):
        with pytest.raises(InvalidArgumentError):
            replace(event, **changes).to_json()


def test_polling_commits_what_was_handed_out_before() -> None:
    monitor = Monitor()
    monitor.add(Circle(0, 0, 100), "a", policy=TransitionPolicy.exact())
    for second in range(10):
        monitor.feed(Fix(0, second % 2, time=second * SECOND))
    assert [event.sequence for event in monitor.poll(3)] == [1, 2, 3]
    assert monitor.record("a").last_event.sequence == 0
    assert [event.sequence for event in monitor.poll(4)] == [4, 5, 6, 7]
    assert monitor.record("a").last_event.sequence == 3
    assert monitor.poll(0) == []
    assert monitor.record("a").last_event.sequence == 7
    assert [event.sequence for event in monitor.events()] == [8, 9, 10]
    assert monitor.statistics().handed_out_events == 10
    for wrong in (-1, 1 << 70):
        with pytest.raises(InvalidArgumentError):
            monitor.poll(wrong)
    assert monitor.poll(1 << 63) == []


def test_an_iterator_that_is_left_commits_all_but_the_last() -> None:
    monitor = Monitor()
    monitor.add(Circle(0, 0, 100), "a", policy=TransitionPolicy.exact())
    for second in range(4):
        monitor.feed(Fix(0, second % 2, time=second * SECOND))
    for event in monitor.events():
        if event.sequence == 2:
            break
    assert monitor.record("a").last_event.sequence == 1
