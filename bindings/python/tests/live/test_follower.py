"""Tests ``fencepost.live`` in a program: feeding, time, events in loops, sinks, stores, and asyncio without a
thread."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from conftest import SECOND, mentions
from full_disk import FullDisk
from watching import START, Clock, circles

from fencepost import Circle, Fix, Fleet, Monitor, Zones
from fencepost._live.metrics import counters_of
from fencepost.errors import ConsumerAlreadyActiveError, InvalidArgumentError, MonitorClosedError
from fencepost.live import Broadcast, DeviceFix, Fed, Follower, RateLimit, Source, from_gpsd, from_lines, to_file

OFFICE = {"office": Circle(0, 0, 200)}


def fix(second: float, longitude: float = 0.0, accuracy: float = 5.0) -> Fix:
    return Fix(0.0, longitude, accuracy, time=round((START + second) * SECOND))


def follower(zones: Any = OFFICE, clock: Clock | None = None, **options: Any) -> tuple[Follower, Clock]:
    """A follower whose clock the test sets."""
    time = clock or Clock(0.0)
    options = {"policy": "exact", "monotonic": time, "clock": lambda: START + time.now} | options
    return Follower(zones, **options), time


def reported(events: Iterable[Any]) -> list[tuple[str, str, int]]:
    return [(event.device, str(event.state), event.sequence) for event in events]


def test_what_became_of_each_fix() -> None:
    live, _ = follower(max_devices=1)
    assert live.feed("a", fix(0)) is Fed.ACCEPTED
    assert live.feed("a", fix(0)) is Fed.DOUBLE
    assert live.feed("a", fix(-1)) is Fed.LATE
    assert live.feed("a", fix(61.5)) is Fed.FUTURE
    assert live.feed("a", fix(1, accuracy=-1)) is Fed.INVALID
    assert live.feed("b", fix(1)) is Fed.REFUSED
    assert live.counts["fixes"] == 6 and live.counts["late_fixes"] == 1
    for name in ("", "x" * 257, "a\0b", "\ud800"):
        with pytest.raises(ValueError):
            live.feed(name, fix(2))
    with pytest.raises(ValueError):
        live.feed(None, fix(2))
    assert list(live.fleet) == ["a"], "what was refused has entered no device"


@pytest.mark.parametrize("device", ["a", None])
def test_a_doubted_fix_has_its_own_result(device: str | None) -> None:
    zones = OFFICE if device else Monitor(plausible_speed=60)
    live, _ = follower(zones, plausible_speed=60) if device else follower(zones)
    assert live.feed(device, fix(0)) is Fed.ACCEPTED
    assert live.feed(device, fix(1, longitude=1)) is Fed.DOUBTED
    name = {"device": device} if device else {}
    assert live.receive({**name, "lat": 0, "lon": 1, "time": START + 2}) is Fed.DOUBTED
    assert live.feed(device, fix(3)) is Fed.ACCEPTED
    assert live.counts["doubted_fixes"] == 2
    if device is not None:
        metrics = counters_of(live._watcher, lambda: 0, 0.0)
        assert (metrics["fixes_accepted"], metrics["fixes_doubted"]) == (2, 2)


@pytest.mark.parametrize("option", ["plausible_speed", "corroboration_count", "corroboration_time"])
def test_the_plausibility_of_an_own_monitor_is_not_passed_twice(option: str) -> None:
    for zones in (Monitor(plausible_speed=60), Fleet(Zones(), plausible_speed=60)):
        with pytest.raises(InvalidArgumentError, match=option):
            follower(zones, **{option: 10})


def test_time_passes_for_each_device_by_itself_when_the_host_says_so() -> None:
    live, clock = follower(policy=None, lag=5)
    live.feed("late phone", fix(-3600))
    live.feed("van", fix(0))
    assert reported(live.events()) == [("late phone", "satisfied", 1), ("van", "satisfied", 1)]
    live.feed("late phone", fix(-3599, 0.01))  # leaves: due 20 s later
    assert live.tick() == pytest.approx(25)
    clock.now = 10
    live.feed("van", fix(10, 0.01))
    clock.now = 25.1
    assert reported(live.events()) == [("late phone", "unsatisfied", 2)], "a loop lets time pass"
    assert live.tick() == pytest.approx(9.9)
    clock.now = 35.1
    assert live.tick() is None
    assert reported(live.events()) == [("van", "unsatisfied", 2)]


def test_a_loop_that_is_left_gives_its_last_event_again() -> None:
    live, _ = follower({"a": Circle(0, 0, 200), "b": Circle(0, 0, 300)})
    live.feed("x", fix(0))
    with pytest.raises(ZeroDivisionError):
        for _ in live.events():
            1 / 0  # as if the program failed while it was handling the event
    seen = []
    for event in live.events():
        seen.append(event.identifier)
        if len(seen) == 2:
            break
    assert seen == ["a", "b"]
    assert [event.identifier for event in live.events()] == ["b"], "it was not acknowledged"
    assert list(live.events()) == []


def test_an_event_comes_after_every_sink_has_it_and_no_sink_gets_it_twice() -> None:
    had: list[str] = []
    answers = [False, None]
    live, clock = follower(sinks=[lambda event: had.append("one"), lambda event: answers.pop(0)])
    live.feed("x", fix(0))
    assert list(live.events()) == [] and had == ["one"]
    assert live.tick() == pytest.approx(1.0), "the pause until the sink is tried again"
    clock.now += 1.0
    for _ in live.events():
        break  # all sinks have received the event, but the loop ends before the event counts as handled
    assert reported(live.events()) == [("x", "satisfied", 1)]
    assert had == ["one"] and not answers


def test_a_sink_that_raises_is_logged_once_a_minute_and_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    tries: list[int] = []

    def sink(event: Any) -> None:
        tries.append(event.sequence)
        if len(tries) < 4:
            raise ConnectionError("no route")

    live, clock = follower(sinks=[sink])
    live.feed("x", fix(0))
    with caplog.at_level(logging.INFO, "fencepost.live"):
        while not (found := reported(live.events())):
            clock.now += 30.0
            assert len(tries) < 10
    assert found == [("x", "satisfied", 1)] and tries == [1, 1, 1, 1]
    texts = [record.getMessage() for record in caplog.records]
    assert mentions(texts[0], "ConnectionError: no route")
    assert len(texts) == 2 and mentions(texts[1], "(… 2 …)")


def test_messages_of_any_sender() -> None:
    live, _ = follower()
    location = {"_type": "location", "lat": 0, "lon": 0, "acc": 5, "tst": START, "batt": 7}
    assert live.receive(json.dumps(location), "owntracks/ann/phone") is Fed.ACCEPTED
    forward = {
        "position": {"latitude": 0, "longitude": 0, "accuracy": 5, "fixTime": "2023-11-14T22:13:20Z", "speed": 3},
        "device": {"uniqueId": "42"},
    }
    assert live.receive(forward) is Fed.ACCEPTED
    assert live.receive(b'{"device": "c", "lat": 0, "lon": 0, "time": 1700000000}') is Fed.ACCEPTED
    assert live.receive("  ") is None and live.receive({"_type": "cmd"}, "owntracks/ann/phone/cmd") is None
    events = list(live.events())
    assert [event.device for event in events] == ["ann/phone", "42", "c"]
    assert [event.source for event in events] == [{"batt": 7}, {"speed": 3}, {}]
    assert events[0].to_dict() == json.loads(events[0].to_json()) and events[0].to_dict()["source"] == {"batt": 7}
    assert str(events[0].kind) == "determined" and events[0].date is not None
    for bad in (b"{", b"[]", "\ud800", {"lat": 1}, {"device": "x", "lat": 1, "lon": 2, "time": float("nan")}):
        with pytest.raises(ValueError):
            live.receive(bad)
    with pytest.raises(ValueError, match="JSON"):
        live.receive({"device": object()})
    assert live.counts["bad_lines"] == 5


def test_waypoints_only_where_they_are_wanted() -> None:
    waypoint = {"_type": "waypoint", "desc": "home", "lat": 1, "lon": 1, "rad": 100, "tst": 5}
    for wanted in (True, False):
        live, _ = follower(waypoints=wanted)
        live.receive(waypoint, "owntracks/ann/phone/waypoint")
        assert ("ann/home" in live.fleet.conditions) is wanted


def test_a_monitor_is_followed_as_one_device() -> None:
    monitor = Monitor()
    monitor.add(OFFICE["office"], "office", policy="exact")
    live, _ = follower(monitor)
    assert live.feed(None, fix(0)) is Fed.ACCEPTED
    assert live.receive({"lat": 0, "lon": 0.5, "time": START + 1}) is Fed.ACCEPTED
    assert [str(event.state) for event in live.events()] == ["satisfied", "unsatisfied"]
    with pytest.raises(InvalidArgumentError, match="one device"):
        live.feed("a", fix(2))
    with pytest.raises(InvalidArgumentError, match="monitor"):
        Follower(monitor, expire=10)
    live.close()
    monitor.feed(fix(3))  # the monitor stays open
    with pytest.raises(MonitorClosedError):
        live.feed(None, fix(4))


def test_a_store_that_fails_acknowledges_nothing(tmp_path: Path) -> None:
    live, clock = follower(store=tmp_path)
    live.feed("x", fix(0))
    assert live.save() and reported(live.events()) == [("x", "satisfied", 1)]
    with FullDisk():
        assert live.feed("x", fix(1, 0.01)) is Fed.ACCEPTED
        assert not live.save(), "the sender should keep its message"
        assert list(live.events()) == []
    clock.now += 10
    assert live.tick() is not None or live.save()
    assert reported(live.events()) == [("x", "unsatisfied", 2)] and live.save()
    live.close()
    again, _ = follower(store=tmp_path)
    assert again.feed("x", fix(1, 0.01)) is Fed.PASSED
    again.close()


class Three(Source):
    """A source written by a user: it yields three fixes and then ends."""

    name = "three"

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb+")
        self.descriptor: int | None = self._file.fileno()
        self.given, self.confirmed = 0, 0

    def read(self) -> list[tuple[str, Any]] | None:
        self.given += 1
        if self.given > 3:
            return None
        return [
            (f"fix {self.given}", DeviceFix("x", (0.0, 0.01 * (self.given % 2), 5.0, (START + self.given) * SECOND)))
        ]

    def taken(self, count: int) -> None:
        self.confirmed += count

    def close(self) -> None:
        self._file.close()


def test_a_source_and_sinks_of_the_user(tmp_path: Path) -> None:
    had: list[str] = []
    source, file = Three(tmp_path / "empty"), to_file(tmp_path / "events.jsonl")
    with Follower(OFFICE, policy="exact", ahead=None, sinks=[file, lambda event: had.append(event.device)]) as live:
        live.run(source)
    assert had == ["x", "x"] and source.confirmed == 3
    assert [json.loads(line)["state"] for line in (tmp_path / "events.jsonl").read_text().splitlines()] == [
        "satisfied",
        "unsatisfied",
    ]
    source.close()
    file.close()


def test_a_run_without_sinks_is_refused_and_stops_from_another_thread() -> None:
    with Follower(OFFICE) as live, pytest.raises(InvalidArgumentError, match="sinks"):
        live.run()
    had = threading.Event()
    live = Follower(OFFICE, policy="exact", ahead=None, sinks=[lambda event: had.set()])
    thread = threading.Thread(target=live.run)
    thread.start()
    live.feed("x", fix(0))
    assert had.wait(60), "a fix of another thread wakes the loop"
    with pytest.raises(ConsumerAlreadyActiveError):
        next(live.events())
    live.stop()
    thread.join(60)
    assert not thread.is_alive()
    live.close()


def test_asyncio_without_a_thread(tmp_path: Path) -> None:
    """Tests that a dwell ends without further input, that an asynchronous sink is awaited, and that no thread is
    started."""
    path = tmp_path / "fixes.jsonl"
    path.write_text(
        "".join(json.dumps({"device": "x", "lat": 0, "lon": 0.01 * at, "time": START + at}) + "\n" for at in (0, 1))
    )
    had: list[Any] = []
    policy = {"office": Circle(0, 0, 200)}

    async def sink(event: Any) -> None:
        await asyncio.sleep(0)
        had.append((str(event.state), threading.active_count()))

    async def main() -> None:
        source = from_lines(path)
        before = threading.active_count()
        async with Follower(policy, ahead=None, lag=0, sinks=[sink]) as live:
            await asyncio.wait_for(live.serve(source), 60)
            assert [state for state, _ in had] == ["satisfied"]
            live.feed("y", fix(0))
            task = asyncio.create_task(live.serve())
            while len(had) < 2:
                await asyncio.sleep(0.001)
            live.stop()
            await asyncio.wait_for(task, 60)
        assert {count for _, count in had} == {before}
        source.close()

    asyncio.run(main())


def test_events_are_awaited_and_time_passes_meanwhile() -> None:
    async def main() -> list[str]:
        seen: list[str] = []
        policy = {"entry_dwell": 0.05, "exit_dwell": 0.05}
        from fencepost import TransitionPolicy

        async with Follower(OFFICE, policy=TransitionPolicy(**policy), ahead=None, lag=0) as live:
            asyncio.get_running_loop().call_later(0.01, live.feed, "x", fix(0))
            asyncio.get_running_loop().call_later(0.02, live.feed, "x", fix(0.01, 0.01))
            async for event in live.events():
                seen.append(str(event.state))
                if len(seen) == 2:
                    live.stop()
        return seen

    assert asyncio.run(asyncio.wait_for(main(), 60)) == ["satisfied", "unsatisfied"]


def test_a_loop_that_is_cancelled_loses_nothing() -> None:
    async def main() -> list[Any]:
        async with Follower(OFFICE, policy="exact", ahead=None) as live:

            async def wait() -> None:
                async for _ in live.events():
                    await asyncio.sleep(3600)

            task = asyncio.create_task(wait())
            await asyncio.sleep(0)
            live.feed("x", fix(0))
            await asyncio.sleep(0.05)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            return reported(live.events())

    assert asyncio.run(main()) == [("x", "satisfied", 1)]


def test_the_newest_loop_takes_the_events() -> None:
    live, _ = follower()
    old, new = live.events(), live.events()
    with pytest.raises(ConsumerAlreadyActiveError, match="newer"):
        next(old)
    assert list(new) == []


def test_many_threads_feed_and_one_takes() -> None:
    live, _ = follower(ahead=None)

    def feed(name: str) -> None:
        for second in range(200):
            live.feed(name, fix(second, 0.01 * (second % 2)))

    threads = [threading.Thread(target=feed, args=(f"van {number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    found = []
    while any(thread.is_alive() for thread in threads):
        found += reported(live.events())
    found += reported(live.events())
    for number in range(4):
        assert [sequence for device, _, sequence in found if device == f"van {number}"] == list(range(1, 201))


def test_readers_of_a_broadcast_go_on_where_they_were() -> None:
    async def main() -> None:
        readers = Broadcast(history=3)
        live, _ = follower(ahead=None, sinks=[readers])

        async def take(count: int, after: int | None) -> list[tuple[int, int]]:
            found = []
            async for number, event in readers.subscribe(after):
                found.append((number, event.sequence))
                if len(found) == count:
                    break
            return found

        waits = asyncio.create_task(take(2, None))
        await asyncio.sleep(0)
        for second in range(2):
            live.feed("x", fix(second, 0.01 * (second % 2)))
        list(live.events())
        first = await asyncio.wait_for(waits, 60)
        assert [sequence for _, sequence in first] == [1, 2]
        assert await asyncio.wait_for(take(1, first[0][0]), 60) == first[1:]
        for second in range(2, 6):
            live.feed("x", fix(second, 0.01 * (second % 2)))
        list(live.events())
        assert [sequence for _, sequence in await asyncio.wait_for(take(3, 0), 60)] == [4, 5, 6], (
            "those before are gone"
        )
        ends = asyncio.create_task(take(9, None))
        await asyncio.sleep(0)
        readers.close()
        assert await asyncio.wait_for(ends, 60) == []

    asyncio.run(main())


def test_zones_are_read_again(tmp_path: Path) -> None:
    path = circles(tmp_path / "zones.geojson", office=200)
    live, _ = follower(path)
    live.feed("x", fix(0))
    assert len(list(live.events())) == 1
    circles(path, office=200, yard=300)
    assert live.sync()[:2] == (1, 0)
    live.feed("x", fix(1))
    assert [event.identifier for event in live.events()] == ["yard"]
    path.write_text("{")
    with pytest.raises(ValueError):
        live.sync()
    assert set(live.fleet.conditions) == {"office", "yard"}
    own, _ = follower(Zones())
    with pytest.raises(TypeError, match="^sync: "):
        own.sync()


@pytest.mark.parametrize(
    "options", [{"lag": -1}, {"lag": float("nan")}, {"ahead": -1}, {"unknown_accuracy": float("inf")}, {"expire": 0}]
)
def test_options_out_of_range_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentError, match=next(iter(options))):
        Follower(OFFICE, **options)


def test_a_fleet_of_the_program_stays_open() -> None:
    fleet = Fleet(Zones())
    fleet.conditions.add(OFFICE["office"], "office", policy="exact")
    with Follower(fleet, ahead=None) as live:
        live.feed("x", fix(0))
    assert [event.device for event in fleet.events()] == ["x"]


def test_the_filter_works_on_any_handler() -> None:
    clock, seen = Clock(), []
    handler = logging.Handler()
    handler.emit = lambda record: seen.append(record.getMessage())  # type: ignore[method-assign]
    handler.addFilter(RateLimit(60.0, clock))
    logger = logging.Logger("program")
    logger.addHandler(handler)
    for second in range(100):
        clock.now = float(second)
        logger.warning("late by %d", second, extra={"kind": "late"})
    logger.warning("plain")
    assert (len(seen), seen[0], seen[2]) == (3, "late by 0", "plain") and mentions(seen[1], "late by 60 (… 60 …)")


def test_a_gpsd_that_does_not_answer() -> None:
    with pytest.raises(OSError):
        from_gpsd("gpsd://127.0.0.1:1", name="boat")


def test_a_sink_may_feed() -> None:
    had: list[int] = []

    def sink(event: Any) -> None:
        had.append(event.sequence)
        if len(had) < 5:
            live.feed("x", fix(len(had), 0.01 * (len(had) % 2)))

    live, _ = follower(ahead=None, sinks=[sink])
    live.feed("x", fix(0))
    assert len(list(live.events())) == 5 and had == [1, 2, 3, 4, 5]


def test_closed_while_it_runs_in_another_thread_or_task() -> None:
    live, _ = follower(sinks=[lambda event: None])
    thread = threading.Thread(target=live.run)
    thread.start()
    live.close()
    thread.join(60)
    assert not thread.is_alive()

    async def main() -> None:
        for start in (lambda live: live.serve(), lambda live: live.events().__anext__()):
            live = Follower(OFFICE, sinks=[lambda event: None])
            task = asyncio.ensure_future(start(live))
            await asyncio.sleep(0.01)
            live.close()
            (ended,) = await asyncio.wait_for(asyncio.gather(task, return_exceptions=True), 60)
            assert ended is None or isinstance(ended, StopAsyncIteration)

    asyncio.run(main())


def test_an_asynchronous_sink_needs_a_loop_and_may_be_cancelled() -> None:
    had: list[int] = []

    async def slow(event: Any) -> None:
        had.append(event.sequence)
        await asyncio.sleep(3600 if len(had) == 1 else 0)

    live, _ = follower(sinks=[slow])
    live.feed("x", fix(0))
    with pytest.raises(TypeError, match="serve"):
        list(live.events())

    async def main() -> None:
        first = asyncio.ensure_future(live.serve())
        while not had:
            await asyncio.sleep(0.001)
        with pytest.raises(ConsumerAlreadyActiveError):
            await live.serve()
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        again = asyncio.ensure_future(live.serve())
        while len(had) < 2 or live.fleet.statistics().pending_events:
            await asyncio.sleep(0.001)
        live.stop()
        await asyncio.wait_for(again, 60)

    asyncio.run(asyncio.wait_for(main(), 120))
    assert had == [1, 1], "what was cancelled is given again"
