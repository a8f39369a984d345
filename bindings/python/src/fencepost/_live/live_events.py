"""Iterates over the events of a follower: ``for`` ends after the events that are already waiting, and ``async for``
waits for further events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any


class Awaited:
    """Wakes waiting tasks, from any thread."""

    def __init__(self) -> None:
        self._bells: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = set()

    @contextmanager
    def bell(self) -> Iterator[asyncio.Event]:
        """Returns an :class:`asyncio.Event` of the running loop, which :meth:`wake` sets. The event is valid until the
        end of the ``with`` block."""
        entry = asyncio.get_running_loop(), asyncio.Event()
        self._bells.add(entry)
        try:
            yield entry[1]
        finally:
            self._bells.discard(entry)

    def wake(self) -> None:
        """Wakes all waiting tasks."""
        for loop, bell in tuple(self._bells):
            try:
                loop.call_soon_threadsafe(bell.set)
            except RuntimeError:
                pass  # the waiting task's event loop is closed


async def wait(bell: asyncio.Event, pause: float | None) -> None:
    """Waits until the bell is set, for at most `pause` seconds."""
    try:
        await asyncio.wait_for(bell.wait(), pause)
    except TimeoutError:
        pass


async def ready_descriptors(descriptors: set[int], pause: float | None, bell: asyncio.Event) -> set[int]:
    """Waits until a descriptor is readable or `bell` is set, for at most `pause` seconds; returns the readable
    descriptors."""
    loop, ready, waiting = asyncio.get_running_loop(), set[int](), set[int]()

    def hear(descriptor: int) -> None:
        ready.add(descriptor)
        bell.set()

    try:
        for descriptor in descriptors:
            try:
                loop.add_reader(descriptor, hear, descriptor)
            except PermissionError:  # the descriptor is a regular file, which is always readable
                ready.add(descriptor)
            else:
                waiting.add(descriptor)
        if ready or pause == 0:
            await asyncio.sleep(0)
        else:
            await wait(bell, pause)
    finally:
        for descriptor in waiting:
            loop.remove_reader(descriptor)
    return ready


class LiveEvents(AsyncIterator[Any], Iterator[Any]):
    """The events of a :class:`Follower`, returned by :meth:`Follower.events`.

    A ``for`` loop over the events returns those that are waiting now. ``async for`` also waits for further events until
    the follower is stopped or closed; while it waits, it advances the follower's time. A request for the next event
    acknowledges the previous event. If a loop is left early, the next loop receives the last event of that loop again.

    Example:
        >>> import asyncio
        >>> from fencepost import Circle, Fix
        >>> from fencepost.live import Follower
        >>> async def first(follower):
        ...     async for event in follower.events():
        ...         return event.identifier
        >>> follower = Follower({"home": Circle(0, 0, 100)}, ahead=None)
        >>> follower.feed("phone", Fix(0, 0, time=0))
        <Fed.ACCEPTED: 'accepted'>
        >>> asyncio.run(first(follower))
        'home'
    """

    def __init__(
        self,
        look: Callable[[LiveEvents], Any],
        look_asynchronously: Callable[[LiveEvents], Awaitable[Any]],
        settle: Callable[[Any, bool], None],
        tick: Callable[[], float | None],
        is_over: Callable[[], bool],
        awaited: Awaited,
    ) -> None:
        self._look, self._look_asynchronously, self._settle = look, look_asynchronously, settle
        self._tick, self._is_over, self._awaited = tick, is_over, awaited
        self._given: Any = None

    def __iter__(self) -> LiveEvents:
        return self

    def __aiter__(self) -> LiveEvents:
        return self

    def _acknowledge(self) -> None:
        given, self._given = self._given, None
        if given is not None:
            self._settle(given, True)

    def __next__(self) -> Any:
        """Acknowledges the previous event, and returns the next one.

        Raises:
            StopIteration: No event is waiting.
        """
        self._acknowledge()
        self._given = self._look(self)
        if self._given is None:
            self._tick()
            self._given = self._look(self)
        if self._given is None:
            raise StopIteration
        return self._given

    async def __anext__(self) -> Any:
        """Acknowledges the previous event, and waits for the next one.

        Raises:
            StopAsyncIteration: The follower was stopped or closed.
        """
        self._acknowledge()
        with self._awaited.bell() as bell:
            while not self._is_over():
                bell.clear()
                pause = self._tick()
                self._given = await self._look_asynchronously(self)
                if self._given is not None:
                    return self._given
                await wait(bell, pause)
        raise StopAsyncIteration
