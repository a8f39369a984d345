"""Tests how wrong times affect a fleet, and that the effects are limited."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencepost import Beacon, Circle, Diagnostics, Event, Fix, Fleet, Monitor, Zones
from fencepost.errors import AheadOfClockError, InvalidArgumentError, LateInputError
from fencepost.types import Reason

SECOND = 1_000_000
NOW = 1_700_000_000 * SECOND
DAY = 86_400 * SECOND


@pytest.fixture(params=[1, 3])
def fleet(request: pytest.FixtureRequest) -> Fleet:
    zones = Zones()
    zones.add_many(["home"], [0], [0], [100], policy="exact")
    return Fleet(zones, max_time_step=3600, threads=request.param)


def test_an_advance_is_bounded(fleet: Fleet) -> None:
    fleet.feed("a", Fix(0, 0, time=NOW))
    fleet.feed("b", Fix(0, 0, time=NOW - DAY))
    with pytest.raises(AheadOfClockError):
        fleet.advance(NOW + 3601 * SECOND)
    assert fleet.clock_us is None and fleet.statistics().ahead_inputs == 1
    fleet.advance(NOW + 3600 * SECOND)
    with pytest.raises(AheadOfClockError):
        fleet.advance(NOW + DAY)
    fleet.advance(NOW + DAY, force=True)
    assert fleet.clock_us == NOW + DAY
    with pytest.raises(LateInputError):
        fleet.advance(NOW, force=True)
    fleet.advance(NOW + 100 * DAY, device="a")  # `max_time_step` does not limit an advance of a single device


def test_the_arrival_time_bounds_first_inputs(fleet: Fleet) -> None:
    fleet.set_arrival_time(NOW)
    with pytest.raises(AheadOfClockError):
        fleet.feed("a", Fix(0, 0, time=NOW + 3601 * SECOND))
    assert "a" not in fleet
    fleet.feed("a", Fix(0, 0, time=NOW - 7168 * DAY))
    with pytest.raises(AheadOfClockError):
        fleet.advance(NOW + 3601 * SECOND)
    # The fix is accepted although it is far ahead of the device's clock, because it is not later than the arrival time.
    fleet.feed("a", Fix(0, 0, time=NOW))
    fleet.advance(NOW)


def test_devices_expire_by_arrival(fleet: Fleet) -> None:
    with pytest.raises(InvalidArgumentError):
        fleet.expire(arrived_before=NOW)
    with pytest.raises(TypeError):
        fleet.expire()
    with pytest.raises(TypeError):
        fleet.expire(before=NOW, arrived_before=NOW)
    fleet.feed("ahead", Fix(0, 0, time=NOW + 10_000 * DAY))
    fleet.set_arrival_time(NOW)
    for day in range(3):
        fleet.set_arrival_time(NOW + day * DAY)
        fleet.feed("behind", Fix(0, 0, time=NOW + day * 3000 * SECOND - 7168 * DAY))
    fleet.feed_many(device=["new"], latitude=[0], longitude=[0], time=[NOW + 2 * DAY])
    assert fleet.expire(arrived_before=NOW) == []
    assert fleet.expire(arrived_before=NOW + DAY) == ["ahead"]
    assert fleet.devices == ["behind", "new"]


def test_a_store_keeps_when_devices_were_heard(tmp_path: Path) -> None:
    with Fleet(Zones(), store=tmp_path, name="f") as fleet:
        fleet.set_arrival_time(NOW)
        fleet.feed("old", Fix(0, 0, time=NOW))
        fleet.set_arrival_time(NOW + DAY)
        fleet.feed("new", Fix(0, 0, time=NOW))
    with Fleet(Zones(), store=tmp_path, name="f") as fleet:
        assert fleet.expire(arrived_before=NOW + DAY) == ["old"]
        assert Fleet.restore(fleet.snapshot()).expire(arrived_before=NOW + 2 * DAY) == ["new"]


def test_rewinding_takes_a_wrong_advance_back(fleet: Fleet) -> None:
    with pytest.raises(InvalidArgumentError):
        fleet.rewind(NOW)
    fleet.feed("in", Fix(0, 0, time=NOW))
    fleet.feed("out", Fix(1, 0, time=NOW))
    assert [event.device for event in fleet.poll()] == ["in"]
    fleet.advance(NOW + 10_000 * DAY, force=True)
    with pytest.raises(LateInputError):
        fleet.feed("in", Fix(0, 0, time=NOW + SECOND))
    fleet.rewind(NOW + SECOND)
    assert fleet.clock_us == NOW + SECOND
    assert fleet["in"].state("home") == "unknown"
    # The first fix causes no event, because the new state equals the state that was last reported.
    fleet.feed("in", Fix(0, 0, time=NOW + 2 * SECOND))
    fleet.feed("out", Fix(0, 0, time=NOW + 2 * SECOND))
    assert [(event.device, event.cause) for event in fleet.poll()] == [("out", "determination")]
    with pytest.raises(InvalidArgumentError):
        fleet.rewind(NOW + 3 * SECOND)
    fleet.rewind(NOW + SECOND, device="in")
    assert fleet["in"].clock_us == NOW + SECOND and fleet["out"].clock_us == NOW + 2 * SECOND
    with pytest.raises(KeyError):
        fleet.rewind(NOW, device="nobody")


def test_overdue_events_of_a_new_device_come_with_its_first_row(fleet: Fleet) -> None:
    fleet.conditions.add(Beacon("e2c56db5-dffb-48d2-b060-d0f5a71096e0"), "tag", assuming="unknown")
    fleet.feed("old", Fix(1, 0, time=NOW))
    fleet.advance(NOW)
    fleet.advance(NOW + 100 * SECOND)
    fleet.poll(10)
    fleet.acknowledge()
    fleet.feed_many(device=["old", "new"], latitude=[0, 1], longitude=[0, 0], time=[NOW + 101 * SECOND] * 2)
    assert [(event.device, event.identifier, event.row) for event in fleet.events()] == [
        ("old", "home", 0),
        ("new", "tag", 1),
    ]


def test_the_host_of_one_device_suspends_its_conditions(fleet: Fleet) -> None:
    """A device has the events that a monitor would have; another device is not affected."""
    monitor = Monitor(initial_fix_max_age=None)
    monitor.add(Circle(0, 0, 100), "home", policy="exact", assuming="unsatisfied")
    expected: list[Event] = []

    def brief(event: Event) -> tuple[object, ...]:
        return event.sequence, event.identifier, event.state, event.cause, event.date, event.diagnostics

    def state(diagnostics: Diagnostics, *unsupported: type[Circle], time: int) -> None:
        fleet.set_host("a", diagnostics, unsupported=unsupported, time=time)
        monitor.set_host(diagnostics, unsupported=unsupported, time=time)

    def feed(latitude: float, time: int) -> None:
        fleet.feed("a", Fix(latitude, 0, time=time))
        monitor.feed(Fix(latitude, 0, time=time))

    feed(0, NOW)
    state(Diagnostics.ACCURACY_LIMITED, time=NOW + SECOND)
    feed(1, NOW + 2 * SECOND)
    assert fleet["a"].explain("home").reason is Reason.SUSPENDED
    monitor.add(Circle(5, 0, 100), "late", policy="exact", assuming="unsatisfied")
    fleet.conditions.add(Circle(5, 0, 100), "late", policy="exact")
    found = list(fleet.poll())
    expected += monitor.poll()
    assert [event.identifier for event in found] == ["home", "home", "late"]
    state(Diagnostics(0), Circle, time=NOW + 3 * SECOND)
    fleet.feed("b", Fix(5, 0, time=NOW))
    state(Diagnostics(0), time=NOW + 4 * SECOND)
    feed(0, NOW + 5 * SECOND)
    found += fleet.poll()
    expected += monitor.poll()
    assert [brief(event) for event in found if event.device == "a"] == [brief(event) for event in expected]
    assert len(expected) == 7
    assert [event.identifier for event in found if event.device == "b"] == ["late"]
    with pytest.raises(InvalidArgumentError):
        fleet.set_host("a", Diagnostics.CONDITION_UNSUPPORTED, time=NOW + 6 * SECOND)
    with pytest.raises(TypeError):
        fleet.set_host("a", unsupported=[int], time=NOW + 6 * SECOND)  # type: ignore[list-item]
    with pytest.raises(LateInputError):
        fleet.set_host("a", time=NOW)


def test_host_capabilities_need_the_delivery_every() -> None:
    with pytest.raises(InvalidArgumentError):
        Fleet(Zones(), delivery="latest").set_host("a", time=NOW)
