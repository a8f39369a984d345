"""A closed monitor with a store refuses inputs, because otherwise the inputs would be lost without an error."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import fencepost
from fencepost import Beacon, BeaconSighting, Circle, Fix, Monitor
from fencepost.errors import MonitorClosedError

CIRCLE = Circle(0, 0, 100)
UUID = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"
INPUTS: dict[str, Callable[[Monitor], object]] = {
    "feed": lambda monitor: monitor.feed(Fix(0, 0, time=5)),
    "feed_many": lambda monitor: monitor.feed_many([Fix(0, 0, time=5)]),
    "feed_many of columns": lambda monitor: monitor.feed_many(latitude=[0], longitude=[0], time=[5]),
    "feed_many of nothing": lambda monitor: monitor.feed_many([]),
    "feed_sightings": lambda monitor: monitor.feed_sightings(BeaconSighting(UUID, 1, 2), time=5),
    "set_scanning": lambda monitor: monitor.set_scanning(False, time=5),
    "set_host": lambda monitor: monitor.set_host(time=5),
    "advance": lambda monitor: monitor.advance(5),
    "add": lambda monitor: monitor.add(CIRCLE, "new"),
    "add a beacon": lambda monitor: monitor.add(Beacon(UUID), "new"),
    "ensure": lambda monitor: monitor.ensure(CIRCLE, "home"),
    "add_many": lambda monitor: monitor.add_many(["new"], [0], [0], [100]),
    "remove": lambda monitor: monitor.remove("home"),
}


def closed(folder: Path) -> Monitor:
    with Monitor("m", store=folder) as monitor:
        monitor.add(CIRCLE, "home", policy="exact")
        monitor.feed(Fix(0, 0, time=0))
    return monitor


@pytest.mark.parametrize("name", INPUTS)
def test_no_input_after_close(name: str, tmp_path: Path) -> None:
    monitor = closed(tmp_path)
    before = monitor.snapshot()
    with pytest.raises(fencepost.errors.MonitorClosedError, match="closed"):
        INPUTS[name](monitor)
    assert monitor.snapshot() == before
    # Python raises ValueError for closed files, so programs may expect ValueError for closed monitors, too.
    assert issubclass(fencepost.errors.MonitorClosedError, fencepost.errors.InvalidArgumentError)
    assert issubclass(fencepost.errors.MonitorClosedError, ValueError)
    # An open monitor accepts the input that the closed monitor refused.
    with Monitor("m", store=tmp_path) as opened:
        INPUTS[name](opened)


def test_what_is_known_can_still_be_asked(tmp_path: Path) -> None:
    monitor = closed(tmp_path)
    assert monitor.closed
    assert monitor.identifiers == ["home"]
    assert str(monitor.state("home")) == "satisfied"
    assert monitor.statistics().accepted_fixes == 1
    assert [event.identifier for event in monitor.poll()] == ["home"]
    monitor.checkpoint()
    monitor.close()


def test_a_store_that_could_not_be_closed_well_is_closed(tmp_path: Path) -> None:
    monitor = closed(tmp_path)
    copy = monitor.fork()  # this monitor is in memory and independent of the closed one
    copy.feed(Fix(0, 0, time=5))
    assert not copy.closed


@pytest.mark.usefixtures("turns")
def test_what_is_taken_while_another_thread_closes_is_kept(tmp_path: Path) -> None:
    for number in range(20):
        monitor, fed = Monitor(f"m{number}", store=tmp_path), [0, 0]

        def feed(monitor: Monitor = monitor, fed: list[int] = fed) -> None:
            try:
                while True:
                    monitor.feed(Fix(1, 1, time=fed[0]))
                    fed[0] += 1
            except MonitorClosedError:
                pass

        def add(monitor: Monitor = monitor, fed: list[int] = fed) -> None:
            try:
                while True:
                    monitor.add(CIRCLE, f"place {fed[1]}")
                    fed[1] += 1
            except MonitorClosedError:
                pass

        threads = [threading.Thread(target=feed), threading.Thread(target=add)]
        for thread in threads:
            thread.start()
        while min(fed) < 3 and all(thread.is_alive() for thread in threads):
            pass
        monitor.close()
        for thread in threads:
            thread.join()
        with Monitor(f"m{number}", store=tmp_path) as again:
            assert [again.statistics().accepted_fixes, len(again.identifiers)] == fed


@pytest.mark.parametrize("name", INPUTS)
def test_a_monitor_in_memory_continues(name: str) -> None:
    """A monitor in memory accepts inputs even after it was closed, because programs written for version 0.1 use `with`
    only to limit the scope of the monitor."""
    with Monitor() as monitor:
        monitor.add(CIRCLE, "home", policy="exact")
    assert monitor.closed
    INPUTS[name](monitor)
