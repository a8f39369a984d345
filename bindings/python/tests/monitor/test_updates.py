"""Tests awaiting events: other threads wake the consumer, only one consumer is allowed, and nothing is lost when a
consumer is cancelled, closed or dropped."""

from __future__ import annotations

import asyncio
import gc
import itertools
import os
import random
import subprocess
import sys
import threading
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from fencepost import Circle, Event, Fix, Monitor, TransitionPolicy
from fencepost.errors import ConsumerAlreadyActiveError
from fencepost.types import Updates

LIMIT = 60.0
"""If a test takes longer than this many seconds, it fails."""


def monitor_at_home() -> Monitor:
    monitor = Monitor()
    monitor.add(Circle(52.5, 13.4, 100), "home", policy=TransitionPolicy.exact())
    return monitor


def step(monitor: Monitor, number: int) -> None:
    """The device enters or leaves, which produces one event."""
    monitor.feed(Fix(52.5 + number % 2, 13.4, time=number))


def run(main: Callable[[], Awaitable[None]]) -> None:
    before = set(os.listdir("/proc/self/fd"))

    async def limited() -> None:
        await asyncio.wait_for(main(), LIMIT)

    asyncio.run(limited())
    gc.collect()
    assert set(os.listdir("/proc/self/fd")) == before, "a descriptor is left"


async def take(updates: AsyncIterator[Event], count: int) -> list[int]:
    return [(await anext(updates)).sequence for _ in range(count)]


def test_what_waits_and_what_comes() -> None:
    async def main() -> None:
        monitor = monitor_at_home()
        step(monitor, 0)
        seen: list[int] = []

        async def consume() -> None:
            async for event in monitor.updates():
                # the event is committed when the next one is requested
                assert monitor["home"].last_event.sequence == event.sequence - 1
                seen.append(event.sequence)
                if event.sequence == 20:
                    return

        task = asyncio.create_task(consume())
        for number in range(1, 20):
            step(monitor, number)
            await asyncio.sleep(0)
        await task
        assert seen == list(range(1, 21))

    run(main)


def test_fed_from_other_threads_in_every_way() -> None:
    """Threads feed single fixes and batches; the consumer only waits."""

    async def main() -> None:
        monitor = monitor_at_home()
        single, batches, size = 500, 40, 25

        def feed() -> None:
            for number in range(single):
                step(monitor, number)
            for batch in range(batches):
                rows = range(single + batch * size, single + (batch + 1) * size)
                monitor.feed_many(latitude=[52.5 + row % 2 for row in rows], longitude=[13.4] * size, time=list(rows))

        thread = threading.Thread(target=feed)
        updates = monitor.updates()
        thread.start()
        assert await take(updates, single + batches * size) == list(range(1, single + batches * size + 1))
        thread.join()

    run(main)


def test_the_loop_continues_while_a_consumer_waits() -> None:
    async def main() -> None:
        monitor = monitor_at_home()
        waiting = asyncio.create_task(anext(monitor.updates()))
        for _ in range(50):
            await asyncio.sleep(0)
        assert not waiting.done()
        step(monitor, 0)
        assert (await waiting).sequence == 1

    run(main)


def test_a_second_consumer_is_refused_and_the_first_continues() -> None:
    async def main() -> None:
        monitor = monitor_at_home()
        first = monitor.updates()
        step(monitor, 0)
        assert (await anext(first)).sequence == 1
        step(monitor, 1)
        for other in (
            lambda: monitor.next_event(),
            lambda: monitor.poll(),
            lambda: list(monitor.events()),
            lambda: monitor.events_columns(),
        ):
            with pytest.raises(ConsumerAlreadyActiveError):
                other()
        with pytest.raises(ConsumerAlreadyActiveError):
            await anext(monitor.updates())
        with pytest.raises(ConsumerAlreadyActiveError):
            async for _ in monitor.updates():
                pass
        assert (await anext(first)).sequence == 2
        task = asyncio.create_task(anext(first))
        await asyncio.sleep(0)
        with pytest.raises(ConsumerAlreadyActiveError):
            await anext(first)
        step(monitor, 2)
        assert (await task).sequence == 3
        fork = monitor.fork()  # a fork has its own consumers
        assert [event.sequence for event in fork.events()] == [3]
        await first.aclose()
        second = monitor.updates()
        assert (await anext(second)).sequence == 3  # event 3 had not been committed

    run(main)


def test_leaving_the_loop_frees_the_place_and_commits_nothing() -> None:
    async def main() -> None:
        monitor = monitor_at_home()
        for number in range(3):
            step(monitor, number)
        async for event in monitor.updates():
            if event.sequence == 2:
                break
        assert [event.sequence for event in monitor.events()] == [2, 3]
        step(monitor, 3)
        async for event in monitor.updates():
            monitor.acknowledge()  # acknowledging the event prevents its redelivery
            break
        assert list(monitor.events()) == []

    run(main)


@pytest.mark.parametrize("seed", range(5))
def test_cancelling_at_any_moment_loses_nothing(seed: int) -> None:
    generator = random.Random(seed)
    count = 300

    async def main() -> None:
        monitor = monitor_at_home()
        handled: list[int] = []

        async def consume() -> None:
            async for event in monitor.updates():
                await asyncio.sleep(0)  # the task may be cancelled here, before it handles the event
                handled.append(event.sequence)

        thread = threading.Thread(target=lambda: [step(monitor, number) for number in range(count)])
        thread.start()
        while not handled or handled[-1] < count:
            task = asyncio.create_task(consume())
            for _ in range(generator.randrange(30)):
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        thread.join()
        # No event is lost. An event that was handled just before the cancellation is redelivered at once.
        assert sorted(set(handled)) == list(range(1, count + 1))
        assert all(after - before in (0, 1) for before, after in itertools.pairwise(handled))

    run(main)


def test_a_time_limit_on_one_event_leaves_the_iterator_usable() -> None:
    async def main() -> None:
        monitor = monitor_at_home()
        updates = monitor.updates()
        for _ in range(3):
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(anext(updates), 0.001)
        step(monitor, 0)
        assert (await anext(updates)).sequence == 1

    run(main)


@pytest.mark.parametrize("from_thread", [False, True])
def test_closing_ends_the_waiting(from_thread: bool) -> None:
    async def main() -> None:
        monitor = monitor_at_home()
        seen: list[int] = []

        async def consume() -> None:
            async for event in monitor.updates():
                seen.append(event.sequence)

        task = asyncio.create_task(consume())
        step(monitor, 0)
        while not seen:
            await asyncio.sleep(0)
        if from_thread:
            await asyncio.to_thread(monitor.close)
        else:
            monitor.close()
        await task
        assert seen == [1] and monitor.closed
        async for _ in monitor.updates():
            raise AssertionError("a closed monitor has no updates")
        step(monitor, 1)
        assert [event.sequence for event in monitor.events()] == [2]

    run(main)


def test_closing_the_iterator_ends_the_task_that_waits() -> None:
    async def main() -> None:
        monitor = monitor_at_home()
        updates = monitor.updates()
        task = asyncio.create_task(take(updates, 1))
        await asyncio.sleep(0)
        await updates.aclose()
        with pytest.raises(StopAsyncIteration):
            await task
        with pytest.raises(StopAsyncIteration):
            await anext(updates)
        await updates.aclose()

    run(main)


def test_one_loop_after_another() -> None:
    monitor = monitor_at_home()
    for number in range(3):
        step(monitor, number)
    updates = monitor.updates()

    async def one() -> int:
        return (await anext(updates)).sequence

    # A consumer is bound to an event loop: the events that the previous loop did not commit are redelivered.
    assert asyncio.run(one()) == 1
    monitor.acknowledge()
    assert asyncio.run(one()) == 2
    assert asyncio.run(one()) == 2


def test_dropped_in_another_thread_while_the_loop_runs() -> None:
    async def main() -> None:
        monitor = monitor_at_home()
        step(monitor, 0)
        holder: list[Updates] = [monitor.updates()]
        await anext(holder[0])
        await asyncio.to_thread(holder.clear)
        assert [event.sequence for event in monitor.events()] == [1]
        for _ in range(3):
            await asyncio.sleep(0)  # give the event loop time to remove the descriptor

    run(main)


def test_nothing_is_kept_alive() -> None:
    class Watched(Monitor):
        __slots__ = ()

    async def main() -> None:
        monitor = Watched()
        updates = monitor.updates()
        task = asyncio.create_task(anext(updates))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        seen.extend([weakref.ref(monitor), weakref.ref(task)])

    seen: list[weakref.ref[object]] = []
    run(main)
    gc.collect()
    assert [reference() for reference in seen] == [None, None]


def test_no_reference_is_leaked() -> None:
    """If every call is made many times, the number of objects in the interpreter does not grow."""
    import tracemalloc

    async def one_round() -> None:
        with monitor_at_home() as monitor:
            updates = monitor.updates()
            step(monitor, 0)
            await anext(updates)
            for call in (monitor.poll, lambda: monitor["nobody"], lambda: monitor.feed_many(latitude=["x"])):
                with pytest.raises(Exception):
                    call()
            repr(monitor), monitor._repr_html_(), repr(monitor.records()), monitor.records()._repr_html_()
            await updates.aclose()
            monitor.events_columns()

    async def rounds(count: int) -> None:
        for _ in range(count):
            await one_round()

    asyncio.run(rounds(30))
    gc.collect()
    tracemalloc.start()
    asyncio.run(rounds(10))
    gc.collect()
    before, objects = tracemalloc.get_traced_memory()[0], len(gc.get_objects())
    asyncio.run(rounds(200))
    gc.collect()
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert after - before < 20_000 and len(gc.get_objects()) - objects < 100, after - before


def script(code: str) -> None:
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, timeout=LIMIT, cwd=Path(__file__).parent)


def test_a_child_after_fork_consumes_for_itself() -> None:
    script(
        "import asyncio, os\n"
        "from test_updates import monitor_at_home, step\n"
        "async def main():\n"
        "    monitor = monitor_at_home()\n"
        "    updates = monitor.updates()\n"
        "    step(monitor, 0)\n"
        "    assert (await anext(updates)).sequence == 1\n"
        "    child = os.fork()\n"
        "    if child == 0:\n"
        "        step(monitor, 1)\n"
        "        os._exit(0 if [e.sequence for e in monitor.events()] == [1, 2] else 1)\n"
        "    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0\n"
        "    step(monitor, 1)\n"
        "    assert (await anext(updates)).sequence == 2\n"
        "asyncio.run(main())\n"
    )


def test_interrupting_a_waiting_program_ends_it() -> None:
    """Ctrl-C ends the program while it waits for an event, as with all asyncio programs."""
    code = (
        "import asyncio, signal\n"
        "from test_updates import monitor_at_home\n"
        # restore the handler of interrupts, because a program that starts in the background ignores them
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "async def main():\n"
        "    print('waits', flush=True)\n"
        "    async for event in monitor_at_home().updates(): pass\n"
        "asyncio.run(main())\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=Path(__file__).parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        try:
            assert child.stdout is not None
            assert child.stdout.readline() == b"waits\n"
            child.send_signal(2)
            _, errors = child.communicate(timeout=LIMIT)
        finally:
            child.kill()
        assert b"KeyboardInterrupt" in errors and child.returncode != 0


def test_asyncio_is_imported_when_it_is_used() -> None:
    script("import sys, fencepost; fencepost.Monitor().updates(); assert 'asyncio' not in sys.modules")
