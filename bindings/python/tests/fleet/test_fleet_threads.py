"""With several threads, a fleet gives the same events as with one thread, in the same order."""

from __future__ import annotations

import copy
import pickle
import random
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import SECOND, UUID, number_of_cases
from fleets import alone, columns, names, reported, table, walks, zones_of
from test_fleet_inputs import WAYS

from fencepost import Beacon, BeaconSighting, Circle, DeviceEvent, Fix, Fleet, InputError, Zones
from fencepost._fleet import shards
from fencepost.errors import (
    ColumnTypeError,
    InvalidArgumentError,
    LateInputError,
    NotFoundError,
    QueueFullError,
    UnsupportedError,
)

np = pytest.importorskip("numpy")
pa = pytest.importorskip("pyarrow")


@pytest.fixture(params=[37, 1 << 18])
def blocks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shards, "_BLOCK", request.param)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.usefixtures("blocks")
def test_the_events_are_those_of_as_many_monitors(way: str) -> None:
    zones, rows = zones_of(), walks()
    fleet = Fleet(zones, threads=3)
    WAYS[way](fleet, rows)
    assert reported(fleet) == alone(zones, rows)
    assert fleet.devices == list(dict.fromkeys(names(rows)))


def test_fewer_threads_and_more_than_devices() -> None:
    zones, rows = zones_of(), walks()
    expected = alone(zones, rows)
    for count, threads in ((2, 1), (5, 2), (40, None), (256, 256)):
        fleet = Fleet(zones, threads=count)
        result = fleet.feed_many(device=names(rows), threads=threads, **columns(rows))
        assert reported(fleet) == expected
        single = Fleet(zones)
        assert result == single.feed_many(device=names(rows), threads=1, **columns(rows))
        theirs, ours = single.statistics(), fleet.statistics()
        for what in ("accepted_fixes", "late_inputs", "invalid_fixes", "device_count", "condition_count"):
            assert getattr(ours, what) == getattr(theirs, what)
        assert ours.handed_out_events == len(expected) and not ours.pending_events
        assert [fleet[one].statistics().accepted_fixes for one in fleet] == [
            single[one].statistics().accepted_fixes for one in fleet
        ]
        assert fleet.inside().columns() == single.inside().columns()


class Pair:
    """Two fleets over the same table, one with one thread and one with three threads; both get the same input.

    Args:
        most: The largest number of events that may be pending.
    """

    def __init__(self, seed: int, most: int = 1_000_000) -> None:
        self.random, self.most = random.Random(seed), most
        self.zones = zones_of(12, seed)
        options: dict[str, Any] = {"beacon_exit_timeout": 7, "max_pending_events": most}
        self.fleets = Fleet(self.zones, **options), Fleet(self.zones, **options, threads=3)
        self.elsewhere = Fleet(self.zones, beacon_exit_timeout=7)
        self.elsewhere.feed("first", Fix(0, 0, time=0))
        self.time = 0
        self.refused = 0

    def both(self, call: Callable[[Fleet], Any]) -> None:
        found = []
        for fleet in self.fleets:
            try:
                found.append(call(fleet))
            except (LateInputError, NotFoundError, QueueFullError, InvalidArgumentError) as error:
                self.refused += isinstance(error, QueueFullError)
                found.append((type(error), str(error)))
        assert found[0] == found[1]

    def load(self, device: str, fix: Fix, adapt: bool) -> None:
        """Loads a device that another fleet exported; its state changes may already be overdue at the new fleet's
        time."""
        try:
            self.elsewhere.feed(device, fix)
        except LateInputError:
            pass
        if device not in self.elsewhere:  # a fix without a position does not add a device
            return
        held = self.elsewhere.export([device], portable=adapt)[0]
        names = {device: held, f"{device} again": held}

        def enter(fleet: Fleet) -> Any:
            # Loading a device twice fails; the error message contains a position, which differs between the fleets.
            if any(name in fleet for name in names):
                return [fleet.remove_device(name) for name in names]
            return fleet.load(names, adapt=adapt)

        self.both(enter)

    def step(self) -> None:
        draw = self.random
        self.time += draw.randrange(1, 30) * SECOND
        device = f"d{draw.randrange(9)}"
        # Most times are whole seconds, so that changes of several devices become due at the same time.
        at = self.time - draw.choice([0, 0, 0, 100 * SECOND]) + draw.choice([0, 0, draw.randrange(1000)])
        latitude = draw.choice([draw.uniform(-0.005, 0.005), 0.0, 0.001, 91])
        fix = Fix(latitude, draw.choice([draw.uniform(-0.005, 0.005), 0.001]), draw.choice([5, 5, -1]), time=at)
        count = draw.choice([1, 2, 3, 50])
        ways: list[Callable[[Fleet], Any]] = [
            lambda fleet: fleet.feed(device, fix),
            lambda fleet: fleet.feed(device, fix),
            lambda fleet: fleet.feed_sightings(device, BeaconSighting(UUID, 1, 2), time=at),
            lambda fleet: fleet.set_scanning(device, at % 3 > 0, time=at),
            lambda fleet: fleet.advance(at, device=device),
            lambda fleet: fleet.advance(self.time),
            lambda fleet: [event.to_json() for event in fleet.poll(count)],
            lambda fleet: [event.to_json() for event in fleet.poll(count)],
            lambda fleet: [(event.device, event.row, event.sequence) for event in fleet.events()],
            lambda fleet: fleet.abandon(),
            lambda fleet: fleet.acknowledge(),
            lambda fleet: fleet.statistics().pending_events,
            lambda fleet: fleet.remove_device(device, drop_events=at % 2 == 0),
            lambda fleet: fleet.expire(before=self.time - 200 * SECOND),
            lambda fleet: (fleet.devices, device in fleet, fleet.next_deadline_us, fleet.clock_us),
            lambda fleet: [(each.device, each.identifier, each.since_us) for each in fleet.inside()],
            lambda fleet: fleet[device].state("square"),
            lambda fleet: fleet[device].statistics(),
            lambda fleet: repr(fleet[device].explain("square")),
        ]  # fmt: skip
        if self.most > 1000:  # feed_many() would overfill a smaller queue and refuse a row in the middle of the batch
            ways.append(lambda fleet: fleet.feed_many(
                device=[device, "d1", "d2", device], latitude=[fix.latitude, 0, 0.001, 0],
                longitude=[fix.longitude, 0.001, 0, 0], time=[at, at + 1, at + 2, at + 3]))  # fmt: skip
        self.both(draw.choice(ways))
        if draw.random() < 0.05 and abs(latitude) < 90:
            self.load(device, fix, draw.random() < 0.3)
        if draw.random() < 0.05:
            place = Circle(draw.uniform(-0.005, 0.005), 0, 300)
            self.zones.add(place, f"circle {draw.randrange(12)}", policy=draw.choice(["exact", "standard"]))
        if draw.random() < 0.02:
            self.zones.remove(f"circle {draw.randrange(12)}")


@pytest.mark.parametrize("most", [1_000_000, 4])
@pytest.mark.full
@pytest.mark.parametrize("seed", range(number_of_cases(3, 8, 16)))
def test_whatever_is_called_in_between(seed: int, most: int) -> None:
    """Some of the random calls remove a condition, which makes the condition's pending events void."""
    pair = Pair(seed, most)
    for _ in range(400):
        pair.step()
    pair.both(lambda fleet: [(event.device, event.row, event.to_json()) for event in fleet.events()])
    pair.both(lambda fleet: fleet.statistics().handed_out_events)
    assert pair.fleets[0].statistics().handed_out_events > 30
    assert (pair.refused > 10) == (most == 4)


def circles(policy: str, *places: float) -> Zones:
    zones = Zones()
    for number, longitude in enumerate(places):
        zones.add(Circle(0, longitude, 100), f"c{number}", policy=policy)
    return zones


@pytest.mark.parametrize("threads", [1, 2])
def test_events_that_are_void_do_not_fill_the_queue(threads: int) -> None:
    zones = circles("exact", 0, 5)
    fleet = Fleet(zones, max_pending_events=2, threads=threads)
    for device in ("a", "b"):
        fleet.feed(device, Fix(0, 0, 5, time=0))
    with pytest.raises(QueueFullError):
        fleet.feed("a", Fix(0, 5, 5, time=1))
    zones.remove("c0")
    fleet.feed("a", Fix(0, 5, 5, time=1))
    assert fleet.statistics().pending_events == 1
    assert [(event.device, event.identifier, event.sequence) for event in fleet.events()] == [("a", "c1", 1)]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("gone", [0, 5_000])
def test_places_of_removed_devices_are_used_late(threads: int, gone: int) -> None:
    """The events of one advance are sorted by the order of the devices (see fencepost.h); a new device comes after all
    others."""
    fleet = Fleet(circles("standard", 0), threads=threads)
    for device in ("a", "b"):
        fleet.feed(device, Fix(0, 1, 5, time=0))
    fleet.remove_device("a")
    for number in range(gone):
        fleet.feed("other", Fix(0, 1, 5, time=number))
        fleet.remove_device("other")
    for device in ("c", "b"):
        fleet.feed(device, Fix(0, 1, 5, time=SECOND))
        fleet.feed(device, Fix(0, 0, 5, time=10 * SECOND))
    assert fleet.devices == ["b", "c"]
    fleet.advance(600 * SECOND)
    assert [event.device for event in fleet.events()] == ["b", "c"]


@pytest.mark.parametrize("threads", [1, 2])
def test_a_device_that_is_loaded_late_is_reported_at_once(threads: int) -> None:
    zones = circles("standard", 0)
    elsewhere, fleet = Fleet(zones), Fleet(zones, threads=threads)
    for time, longitude in ((0, 1), (10 * SECOND, 0)):
        elsewhere.feed("x", Fix(0, longitude, 5, time=time))
    fleet.advance(600 * SECOND)
    fleet.load({"x": elsewhere.export(["x"])[0]})
    assert fleet.statistics().pending_events == 1
    assert [(event.device, event.identifier) for event in fleet.events()] == [("x", "c0")]


def test_what_one_advance_brings_comes_by_deadline_and_device() -> None:
    zones = Zones()
    zones.add_many([f"c{n}" for n in range(3)], [0.0] * 3, [0.0] * 3, [200.0, 300.0, 400.0])  # with a dwell
    zones.add(Beacon(UUID), "desk")
    found = []
    for threads in (1, 4):
        fleet = Fleet(zones, threads=threads)
        order = [f"d{n}" for n in range(30)]
        random.Random(1).shuffle(order)
        for step, latitude in ((0, 1.0), (10, 0.0)):
            fleet.feed_many(
                device=order, latitude=[latitude] * 30, longitude=[0.0] * 30,
                time=[(step + n % 2) * SECOND for n in range(30)],
            )  # fmt: skip
        for device in order[::3]:
            fleet.feed_sightings(device, BeaconSighting(UUID, 1, 2), time=20 * SECOND)
        fleet.advance(1000 * SECOND)
        found.append([(event.device, event.row, event.to_json()) for event in fleet.events()])
    assert found[0] == found[1] and len(found[0]) > 100


@pytest.mark.usefixtures("blocks")
def test_a_full_queue_stops_at_a_block() -> None:
    zones, rows = zones_of(), walks()
    expected = [(device, text) for device, _, text in alone(zones, rows)]
    fleet, found, start = Fleet(zones, max_pending_events=5, threads=3), [], 0
    while start < len(rows):
        part = rows[start:]
        try:
            fleet.feed_many(device=names(part), **columns(part))
            start = len(rows)
        except QueueFullError as error:
            assert sum(error.result) == error.position
            start += error.position
            with pytest.raises(QueueFullError):
                fleet.feed("d0", Fix(0, 0, time=1 << 40))
        found += [(event.device, super(DeviceEvent, event).to_json()) for event in fleet.events()]
    assert found == expected


def test_an_interrupt_tells_what_was_fed(monkeypatch: pytest.MonkeyPatch) -> None:
    zones, rows = zones_of(), walks()
    monkeypatch.setattr(shards, "_BLOCK", 100)
    waits = iter(range(1000))

    def wait(feeding: Any) -> None:
        for each in feeding:
            each.exception()
        if next(waits) == 4:  # `wait` is called twice for each block
            raise KeyboardInterrupt

    monkeypatch.setattr(shards, "wait", wait)
    fleet = Fleet(zones, threads=3)
    with pytest.raises(KeyboardInterrupt) as caught:
        fleet.feed_many(device=names(rows), **columns(rows))
    assert sum(caught.value.result) == 300  # type: ignore[attr-defined]
    fleet.feed_many(device=names(rows)[300:], **{name: column[300:] for name, column in columns(rows).items()})
    assert [text for _, _, text in reported(fleet)] == [text for _, _, text in alone(zones, rows)]


def test_devices_move_between_fleets() -> None:
    zones, rows = zones_of(), walks()
    expected = [(device, text) for device, _, text in alone(zones, rows)]
    fleet, found = Fleet(zones, threads=3), []
    for start in range(0, len(rows), 100):
        part = rows[start : start + 100]
        fleet.feed_many(device=names(part), **columns(part))
        with pytest.raises(InvalidArgumentError, match="device 'd"):
            fleet.export()
        found += [(event.device, super(DeviceEvent, event).to_json()) for event in fleet.events()]
        held = dict(zip(fleet.devices, fleet.export()))
        fleet = Fleet(zones, threads=start % 300 // 100 + 2)
        fleet.load(held)
        with pytest.raises(InvalidArgumentError, match='"d1"'):
            fleet.load({"new": held["d1"], "d1": held["d1"]})
        assert "new" not in fleet
    assert found == expected


def test_what_is_not_possible_is_refused_by_name(tmp_path: Path) -> None:
    zones = zones_of(3)
    with pytest.raises(InvalidArgumentError, match="threads.*2"):
        Fleet(zones, store=tmp_path, name="trucks", threads=2)
    for wrong in (0, 257, -1):
        with pytest.raises(InvalidArgumentError, match="threads"):
            Fleet(zones, threads=wrong)
    with pytest.raises(TypeError, match="threads"):
        Fleet(zones, threads="2")  # type: ignore[arg-type]
    fleet = Fleet(zones, threads=2, device_limit=2)
    good: dict[str, Any] = {"latitude": [0.0, 0.0], "longitude": [0.0, 0.0], "time": [0, 1]}
    for made in (fleet, Fleet(zones)):
        with pytest.raises(InvalidArgumentError, match=r"threads is 3, .* [12]; .*Fleet\("):
            made.feed_many(device=["a", "b"], threads=3, **good)
    for call in (fleet.snapshot, lambda: pickle.dumps(fleet), lambda: copy.copy(fleet)):
        with pytest.raises(UnsupportedError, match="threads.*export"):
            call()
    with pytest.raises(InvalidArgumentError, match="91"):
        fleet.feed_many(device=["a", "b"], on_invalid="raise", **{**good, "latitude": [0.0, 91.0]})
    with pytest.raises(InputError, match="row 0"):
        fleet.feed_many(table(walks(count=3)).set_column(1, "lat", pa.array([91.0] * 3)), on_invalid="raise")
    for device in (["a"], ["a", None], ["a", ""], ["a", "x" * 257], ["a", "\ud800"], ["a", "b\0"]):
        with pytest.raises(InvalidArgumentError):
            fleet.feed_many(device=device, **good)
    with pytest.raises(ColumnTypeError):
        fleet.feed_many(device=["a", []], **good)
    with pytest.raises(InvalidArgumentError, match="longitude has 1 rows|1 rows"):
        fleet.feed_many(device="a", **{**good, "longitude": [0.0]})
    handle = fleet._handle
    places, times = array("d", [0.0, 0.0]), array("q", [0, 1])
    for codes, kind in ((array("b", [0, 2]), ValueError), (array("b", [0, -1]), ValueError),
                        (array("d", [0, 1]), TypeError), (array("b", [0]), ValueError)):  # fmt: skip
        with pytest.raises(kind):
            handle.feed_columns(places, places, None, times, 1, 1, False, codes, ("a", "b"), 0)
    assert fleet.devices == [] and fleet.statistics().pending_events == 0
    assert fleet.feed_many(device=[], latitude=[], longitude=[], time=[]) == (0, 0, 0, 0)
    fleet.feed_many(device=["a", "b"], **good)
    with pytest.raises(InvalidArgumentError, match="2 .*device_limit"):
        fleet.feed("c", Fix(0, 0, time=0))
    with pytest.raises(NotFoundError):
        fleet.advance(5, device="c")
