"""Tests that each input reaches the right device or is refused when several Python threads use a fleet at once."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fencepost import Circle, Durability, Fix, Fleet, State, Zones
from fencepost.errors import LateInputError, MonitorClosedError, NotFoundError

np = pytest.importorskip("numpy")
pa = pytest.importorskip("pyarrow")


pytestmark = pytest.mark.usefixtures("turns")


def beside(main: Callable[[Callable[[], bool]], Any], *others: Callable[[], Any]) -> None:
    """Calls the other functions repeatedly in threads until `main` returns."""
    ended, failures = threading.Event(), []  # if a thread fails, all threads stop

    def run(call: Callable[[], Any]) -> None:
        try:
            while not ended.is_set():
                call()
        except BaseException as error:
            failures.append(error)
            ended.set()

    threads = [threading.Thread(target=run, args=(other,)) for other in others]
    for thread in threads:
        thread.start()
    try:
        main(ended.is_set)
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    if failures:
        raise failures[0]


def places() -> Zones:
    """Returns a table with two conditions: only device a ever enters the first condition, and only device b ever enters
    the second."""
    zones = Zones()
    for name, latitude in (("a", 10.0), ("b", 50.0)):
        zones.add(Circle(latitude, 0, 100), name, policy="exact")
    return zones


@pytest.fixture(params=["in memory", "with a store"])
def fleet(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Fleet]:
    zones = places()
    if request.param == "in memory":
        yield Fleet(zones)
        return
    with Fleet(zones, store=tmp_path, name="f", durability=Durability.RELAXED) as made:
        yield made


class Life:
    """Repeatedly removes two devices and adds them again. When the two devices are removed and added again, one of them
    gets the former number of the other device."""

    def __init__(self, fleet: Fleet) -> None:
        self.fleet, self.time, self.reported = fleet, 0, 0

    def feed(self, device: str) -> None:
        self.time += 1
        try:
            self.fleet.feed(device, Fix({"a": 10, "b": 50}[device], 0, 5, time=self.time))
        except LateInputError:  # the other thread has already advanced the clock further
            pass

    def replace(self) -> None:
        self.fleet.remove_device("a", drop_events=self.time % 2 == 0)
        self.feed("b")
        self.fleet.remove_device("b", drop_events=self.time % 2 == 0)

    def look(self) -> None:
        for event in self.fleet.poll():
            self.reported += 1
            assert event.device == event.identifier

    def run(self, events: int, *others: Callable[[], Any]) -> None:
        def look(ended: Callable[[], bool]) -> None:
            while self.reported < events and not ended():
                self.look()

        beside(look, self.replace, *others)


def busy(fleet: Fleet) -> Callable[[], Any]:
    """Returns a call that feeds so many rows that calls in other threads overlap with it."""
    count = 20_000
    columns: dict[str, Any] = {"latitude": np.ones(count), "longitude": np.zeros(count), "time": np.full(count, 2)}
    return lambda: fleet.feed_many(device="c", **columns)


def test_a_fix_is_its_own_devices(fleet: Fleet) -> None:
    life = Life(fleet)
    life.run(3000, lambda: life.feed("a"), busy(fleet))


def test_a_row_is_its_own_devices(fleet: Fleet) -> None:
    life = Life(fleet)

    def rows() -> None:
        life.time += 1
        fleet.feed_many(device=["a", "c", "a"], latitude=[10.0, 0.0, 30.0], longitude=[0.0] * 3, time=[life.time] * 3)

    def only() -> None:
        life.time += 1
        fleet.feed_many(device="a", latitude=[10.0], longitude=[0.0], time=[life.time])

    life.run(3000, rows, only, busy(fleet))


def test_questions_are_answered_for_their_own_device(fleet: Fleet) -> None:
    life = Life(fleet)

    def ask() -> None:
        try:
            assert fleet["a"].state("b") is not State.SATISFIED
            assert [one.identifier for one in fleet["a"].inside()] in ([], ["a"])
        except NotFoundError:
            pass

    life.run(3000, lambda: life.feed("a"), ask, busy(fleet))


def test_expire_returns_the_names_of_the_devices(fleet: Fleet) -> None:
    """While `expire` runs, another thread adds devices, which at once get the numbers of the expired devices."""
    count = 0

    def enter() -> None:
        nonlocal count
        count += 1
        fleet.feed(f"new {count % 7}", Fix(0, 0, time=2))
        fleet.remove_device(f"new {count % 7}")

    def expire(_: Any) -> None:
        for _ in range(1500):
            fleet.feed("old", Fix(0, 0, time=0))
            fleet.feed("older", Fix(0, 0, time=0))
            assert sorted(fleet.expire(before=1)) == ["old", "older"]

    beside(expire, enter, busy(fleet))


@pytest.mark.parametrize("names", [None, ["a"], ["c", "a"]])
def test_a_device_that_goes_between_two_blocks_is_entered_anew(names: list[str] | None) -> None:
    """A signal handler that runs between two blocks of rows removes the device, and another device then gets the
    removed device's number."""
    fleet, count = Fleet(places()), 400_000
    gone: list[int] = []
    inside: list[bool] = []

    def replace() -> None:
        if "a" in fleet and fleet["a"].statistics().accepted_fixes:
            gone.append(fleet["a"].statistics().accepted_fixes)
            fleet.remove_device("a", drop_events=True)
            fleet.feed("b", Fix(50, 0, 5, time=0))

    def handle(*_: Any) -> None:
        if not gone and not inside:  # a signal may come while the handler still runs
            inside.append(True)
            replace()
            inside.clear()

    codes, latitude = np.full(count, len(names or "a") - 1), np.full(count, 10.0)
    if names == ["c", "a"]:
        codes[0], latitude[0] = 0, 0
    device = "a" if names is None else pa.DictionaryArray.from_arrays(codes, names)
    before = signal.signal(signal.SIGALRM, handle)
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    try:
        fleet.feed_many(device=device, latitude=latitude, longitude=np.zeros(count), time=np.arange(count))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert fleet["b"].statistics().input_count == 1
    assert fleet["a"].statistics().accepted_fixes == count - gone[0] - (names == ["c", "a"])
    assert fleet.devices == (["c"] if names == ["c", "a"] else []) + ["b", "a"]
    assert [(event.device, event.identifier) for event in fleet.events()] == [("b", "b"), ("a", "a")]


@pytest.mark.parametrize("durability", Durability)
def test_what_is_taken_while_it_is_closed_is_kept(tmp_path: Path, durability: Durability) -> None:
    for number in range(12):
        fleet, fed = Fleet(places(), store=tmp_path, name=f"f{number}", durability=durability), [0, 0, 0]

        def feed(place: int, fleet: Fleet = fleet, fed: list[int] = fed) -> None:
            try:
                while True:
                    if place < 2:
                        fleet.feed(f"x{place}", Fix(1, 1, time=fed[place]))
                    else:
                        fleet.feed_many(device=["x2"], latitude=[1], longitude=[1], time=[fed[place]])
                    fed[place] += 1
            except MonitorClosedError:
                pass

        threads = [threading.Thread(target=feed, args=(place,)) for place in range(3)]
        for thread in threads:
            thread.start()
        while min(fed) < 3:
            pass
        fleet.close()
        for thread in threads:
            thread.join()
        with Fleet(Zones(), store=tmp_path, name=f"f{number}") as again:
            assert [again[f"x{place}"].statistics().input_count for place in range(3)] == fed


def test_a_closed_fleet_takes_nothing_and_enters_nobody(tmp_path: Path) -> None:
    with Fleet(places(), store=tmp_path, name="f") as fleet:
        fleet.feed("a", Fix(10, 0, 5, time=0))
        held = fleet.export(["a"])[0]
    columns: dict[str, Any] = {"latitude": [0.0], "longitude": [0.0], "time": [1]}
    inputs: tuple[Callable[[], Any], ...] = (
        lambda: fleet.feed("x", Fix(0, 0, time=1)),
        lambda: fleet.feed_many(device=["x"], **columns),
        lambda: fleet.feed_many(device="x", **columns),
        lambda: fleet.feed_sightings("x", time=1),
        lambda: fleet.set_scanning("x", False, time=1),
        lambda: fleet.advance(1),
        lambda: fleet.advance(1, device="a"),
        lambda: fleet.load({"x": held}),
        lambda: fleet.remove_device("a"),
        lambda: fleet.expire(before=100),
    )
    for take in inputs:
        with pytest.raises(MonitorClosedError):
            take()
    assert fleet.devices == ["a"] and fleet["a"].statistics().input_count == 1
    assert [event.device for event in fleet.events()] == ["a"]
