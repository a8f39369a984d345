"""Tests the deliveries of a fleet: which changes become events while the consumer is away."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fencepost import Circle, Delivery, Fix, Fleet, Gate, Monitor, Zones
from fencepost.errors import InvalidArgumentError


def zones() -> Zones:
    made = Zones()
    made.add(Circle(0, 0, 100), "home", policy="exact")
    return made


def fixes(count: int) -> list[Fix]:
    """Fixes that are alternately outside and inside."""
    return [Fix(0, 0.01 * (second % 2 == 0), time=second * 1_000_000) for second in range(count)]


def seconds(events: Any) -> list[int]:
    return [event.date.second for event in events]


@pytest.mark.parametrize("delivery", list(Delivery))
@pytest.mark.parametrize("count", range(1, 8))
def test_a_device_gives_the_events_of_a_monitor(delivery: Delivery, count: int) -> None:
    monitor = Monitor(delivery=delivery, initial_fix_max_age=None)
    monitor.add(Circle(0, 0, 100), "home", policy="exact", assuming="unsatisfied")
    fleet = Fleet(zones(), delivery=delivery)
    for fix in fixes(count):
        monitor.feed(fix)
        fleet.feed("truck", fix)
        fleet.feed("van", fix)
    expected = [(event.state, event.sequence, event.date) for event in monitor.events()]
    events = list(fleet.events())
    for device in ("truck", "van"):
        own = [event for event in events if event.device == device]
        assert [(event.state, event.sequence, event.date) for event in own] == expected


@pytest.mark.parametrize(("delivery", "expected"), [("every", [1, 2, 3, 4]), ("first", [1, 4]), ("latest", [])])
def test_a_store_keeps_what_waits(tmp_path: Path, delivery: str, expected: list[int]) -> None:
    with Fleet(zones(), store=tmp_path, name="f", delivery=delivery) as fleet:
        for fix in fixes(5):
            fleet.feed("truck", fix)
    with Fleet(store=tmp_path, name="f", delivery=delivery) as fleet:
        assert seconds(fleet.events()) == expected
        fleet.feed("truck", Fix(0, 0, time=5_000_000))
        assert seconds(fleet.events()) == [5]
    for other in Delivery:
        if other != delivery:
            with pytest.raises(InvalidArgumentError, match=f"must be {delivery}"):
                Fleet(store=tmp_path, name="f", delivery=other)


def test_a_snapshot_keeps_the_delivery() -> None:
    fleet = Fleet(zones(), delivery="latest")
    for fix in fixes(4):
        fleet.feed("truck", fix)
    other = Fleet.restore(fleet.snapshot())
    for fix in fixes(6)[4:]:
        other.feed("truck", fix)
    assert seconds(other.events()) == [5]


def test_what_is_refused() -> None:
    table = zones()
    with pytest.raises(InvalidArgumentError, match="delivery"):
        Fleet(table, delivery="last")
    with pytest.raises(InvalidArgumentError, match="threads is 2"):
        Fleet(table, delivery="first", threads=2)
    fleet = Fleet(table, delivery="first", path="geodesic", max_gap=60)
    with pytest.raises(InvalidArgumentError):
        table.add(Gate("LINESTRING (0 0, 1 1)"), "gate")
    del fleet
