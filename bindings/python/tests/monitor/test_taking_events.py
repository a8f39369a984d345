"""Tests that events are delivered at least once: an unacknowledged event is redelivered."""

from __future__ import annotations

import asyncio
import copy
import gc
import os
import pickle
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fencepost import Circle, Event, Fix, Monitor
from fencepost.errors import ConsumerAlreadyActiveError
from fencepost.types import EventList, Events


def filled(names: str = "abcd", **options: object) -> Monitor:
    """Returns a monitor with one pending event for each name, in the order of the names."""
    monitor = Monitor(**options)  # type: ignore[arg-type]
    for name in names:
        monitor.add(Circle(0, 0, 100), name)
    monitor.feed(Fix(0, 0, time=0))
    return monitor


def names(events: Iterator[Event] | Events | EventList) -> str:
    return "".join(event.identifier for event in events)


class SendError(Exception):
    pass


def fails_at(name: str) -> Callable[[Event], str]:
    def send(event: Event) -> str:
        if event.identifier == name:
            raise SendError(name)
        return event.identifier

    return send


def test_a_handler_that_raises_gets_its_event_again() -> None:
    monitor, send = filled(), fails_at("b")
    with pytest.raises(SendError):
        for event in monitor.events():
            send(event)
    assert monitor["a"].last_event.sequence == 1
    assert monitor["b"].last_event.sequence == 0
    again = list(monitor.events())
    assert names(again) == "bcd"
    assert [event.sequence for event in again] == [2, 3, 4]


@pytest.mark.parametrize("ask", [Monitor.poll, lambda monitor: [monitor.next_event()], lambda m: list(m.events())])
def test_the_next_request_gets_the_event(ask: Callable[[Monitor], list[Event]]) -> None:
    monitor = filled()
    with pytest.raises(SendError):
        for event in monitor.events():
            raise SendError
    assert names(ask(monitor))[0] == "a"


@pytest.mark.parametrize("held", [False, True], ids=["inline", "in a variable"])
def test_a_loop_that_is_tried_again_loses_nothing_and_repeats_one(held: bool) -> None:
    monitor, seen, failures = filled("abcdef"), [], {"b", "d", "f"}
    events = monitor.events()
    while True:
        try:
            for event in events if held else monitor.events():
                seen.append(event.identifier)
                if event.identifier in failures:
                    failures.remove(event.identifier)
                    raise SendError
            break
        except SendError:
            continue
    assert "".join(seen) == "abbcddeff"
    assert monitor.statistics().pending_events == 0


def test_break_and_return_leave_the_event_unless_it_was_acknowledged() -> None:
    monitor = filled()
    for event in monitor.events():
        break
    assert names(monitor.events()) == "abcd"

    monitor = filled()
    for event in monitor.events():
        monitor.acknowledge()
        break
    assert names(monitor.events()) == "bcd"

    def first(monitor: Monitor) -> Event | None:
        for event in monitor.events():
            return event
        return None

    monitor = filled()
    assert first(monitor) == first(monitor)


def test_a_loop_to_its_end_commits_everything() -> None:
    for consume in (list, lambda events: {event.sequence for event in events}, lambda events: sum(1 for _ in events)):
        monitor = filled()
        consume(monitor.events())  # type: ignore[operator]
        assert monitor.statistics().pending_events == 0
        assert monitor.next_event() is None
        assert monitor["d"].last_event.sequence == 4


def test_next_alone_is_next_event() -> None:
    """Programs written for version 0.1 read single events with `next(monitor.events())`; each such call returns the
    next event."""
    monitor = filled()
    assert [next(monitor.events()).identifier for _ in range(4)] == list("abcd")
    assert next(monitor.events(), None) is None
    events = filled().events()
    head = next(events)
    assert head.identifier + names(events) == "abcd"
    assert next(events, None) is None


def test_an_ended_iterator_stays_ended() -> None:
    monitor = filled("a")
    events = monitor.events()
    assert names(events) == "a"
    monitor.add(Circle(0, 0, 100), "b")
    monitor.feed(Fix(0, 0, time=1))
    assert names(events) == ""
    assert names(monitor.events()) == "b"


def test_close_hands_the_last_one_out_again() -> None:
    monitor = filled()
    events = monitor.events()
    assert next(events).identifier == "a"
    assert next(events).identifier == "b"
    events.close()
    assert next(events, None) is None
    assert names(monitor.poll()) == "bcd"
    events.close()  # closing the iterator twice does not affect the events that were delivered after the first close
    assert names(monitor.poll()) == ""


def test_a_generator_over_it_that_is_dropped() -> None:
    monitor = filled()

    def upper(events: Events) -> Iterator[str]:
        for event in events:
            yield event.identifier.upper()

    chain = upper(monitor.events())
    assert next(chain) == "A"
    assert next(chain) == "B"
    del chain
    gc.collect()
    assert names(monitor.events()) == "bcd"


def test_who_asks_inside_a_loop_says_that_its_event_is_handled() -> None:
    monitor, seen = filled(), []

    def drain() -> None:
        for event in monitor.events():
            seen.append(event.identifier)
            drain()

    drain()
    assert "".join(seen) == "abcd"

    monitor = filled()
    with pytest.raises(SendError):
        for event in monitor.events():
            inside = monitor.next_event()
            assert inside is not None
            raise SendError
    # The loop does not return events that the loop's body has already read.
    assert inside.identifier == "b"
    assert names(monitor.events()) == "cd"


def test_a_loop_that_is_left_late_does_not_give_back_what_others_took() -> None:
    monitor = filled()
    loop = iter(monitor.events())
    assert next(loop).identifier == "a"
    assert [event.identifier for event in monitor.poll(2)] == ["b", "c"]
    del loop
    gc.collect()
    assert names(monitor.poll()) == "d"


def test_a_batch_as_a_context() -> None:
    monitor = filled()
    with pytest.raises(SendError), monitor.poll(3) as batch:
        assert names(batch) == "abc"
        raise SendError
    with monitor.poll(3) as batch:
        assert names(batch) == "abc"
    assert monitor["c"].last_event.sequence == 3
    with monitor.poll() as batch:
        rest = monitor.poll()  # this call committed the batch
    assert names(batch) == "d"
    assert rest == []
    with EventList(batch) as plain:  # not from a monitor
        assert plain == batch


def test_a_batch_left_late_settles_nothing_of_others() -> None:
    monitor = filled()
    with pytest.raises(SendError), monitor.poll(1):
        assert names(monitor.poll(2)) == "bc"
        raise SendError
    assert names(monitor.poll()) == "d"


def test_abandon() -> None:
    monitor = filled()
    monitor.abandon()  # no event is in flight
    assert monitor.next_event() is not None
    monitor.abandon()
    first = monitor.next_event()
    assert first is not None
    assert first.identifier == "a"
    monitor.acknowledge()
    monitor.abandon()
    assert names(monitor.poll(2)) == "bc"
    monitor.abandon()
    assert names(monitor.poll()) == "bcd"


def test_lists_are_copied_and_pickled_without_their_monitor() -> None:
    batch = filled().poll()
    for other in (copy.copy(batch), copy.deepcopy(batch), pickle.loads(pickle.dumps(batch))):
        assert type(other) is EventList
        assert other == batch
        with other:
            pass


@pytest.mark.parametrize("delivery", ["every", "first", "latest"])
def test_a_table_that_cannot_be_made_loses_nothing(delivery: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monitor = filled(delivery=delivery)

    def fails(events: EventList) -> dict[str, list[object]]:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(EventList, "columns", fails)
        with pytest.raises(MemoryError):
            monitor.events_columns()
    assert monitor.events_columns()["identifier"] == list("abcd")
    assert monitor.events_columns()["identifier"] == []


def test_columns_follow_what_waits_behind_what_is_handled() -> None:
    """With the delivery `first`, a condition's present state is reported only after the event of its first change has
    been handled."""
    monitor = Monitor(delivery="first")
    monitor.add(Circle(0, 0, 100), "a", policy="exact")
    for second, longitude in enumerate((0, 1, 0, 1)):
        monitor.feed(Fix(0, longitude, time=second * 1_000_000))
    other = monitor.fork()
    assert monitor.events_columns()["state"] == [str(event.state) for event in other.events()]


def test_more_than_a_block_waits() -> None:
    monitor = Monitor()
    monitor.add(Circle(0, 0, 100), "a", policy="exact")
    rows = 70_000
    monitor.feed_many(latitude=[0] * rows, longitude=[row % 2 for row in range(rows)], time=list(range(rows)))
    assert len(monitor.poll(rows)) == 65_536
    monitor.abandon()
    assert len(monitor.events_columns()["sequence"]) == rows


def test_a_fork_inside_a_loop_gets_the_event_again() -> None:
    monitor = filled()
    for event in monitor.events():
        assert names(monitor.fork().events()) == names(pickle.loads(pickle.dumps(monitor)).events()) == "abcd"
        break


def test_a_process_that_is_forked_inside_a_loop() -> None:
    monitor = filled()
    for event in monitor.events():
        child = os.fork()
        if child == 0:
            try:
                for _ in monitor.events():  # commits the first event, but only in the child's copy
                    break
                os._exit(0 if names(monitor.events()) == "bcd" else 1)
            finally:
                os._exit(2)
        assert os.waitpid(child, 0)[1] == 0
        break
    assert names(monitor.events()) == "abcd"


def test_updates_take_over_and_give_back() -> None:
    monitor = filled()

    async def first() -> str:
        async for event in monitor.updates():
            with pytest.raises(ConsumerAlreadyActiveError):
                next(monitor.events())
            with pytest.raises(ConsumerAlreadyActiveError):
                monitor.poll()
            return event.identifier
        raise AssertionError

    for event in monitor.events():
        assert event.identifier == "a"
        break
    assert asyncio.run(first()) == "a"
    assert names(monitor.events()) == "abcd"


def test_cancelled_between_two_events() -> None:
    monitor = filled()

    async def consume() -> None:
        for event in monitor.events():
            if event.identifier == "b":
                await asyncio.Event().wait()

    async def main() -> None:
        task = asyncio.create_task(consume())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert names(monitor.events()) == "bcd"


def test_a_thread_that_fails_leaves_its_event_to_another() -> None:
    monitor, seen = filled("abcdef"), []

    def consume(name: str) -> None:
        try:
            for event in monitor.events():
                seen.append(event.identifier)
                if event.identifier == name:
                    raise SendError
        except SendError:
            pass

    for name in "cz":
        thread = threading.Thread(target=consume, args=(name,))
        thread.start()
        thread.join()
    assert "".join(seen) == "abccdef"


def test_what_a_store_hands_out_again(tmp_path: Path) -> None:
    with Monitor("m", store=tmp_path) as monitor:
        for name in "ab":
            monitor.add(Circle(0, 0, 100), name)
        monitor.feed(Fix(0, 0, time=0))
        with pytest.raises(SendError):
            for event in monitor.events():
                if event.identifier == "b":
                    raise SendError
    with Monitor("m", store=tmp_path) as monitor:
        assert monitor["a"].last_event.sequence == 1
        assert [(event.identifier, event.sequence) for event in monitor.events()] == [("b", 2)]


def test_a_loop_that_ends_after_the_monitor_was_closed(tmp_path: Path) -> None:
    with Monitor("m", store=tmp_path) as monitor:
        monitor.add(Circle(0, 0, 100), "a")
        monitor.feed(Fix(0, 0, time=0))
        loop = iter(monitor.events())
        assert next(loop).identifier == "a"
    del loop
    gc.collect()
    with Monitor("m", store=tmp_path) as monitor:
        assert names(monitor.events()) == "a"
