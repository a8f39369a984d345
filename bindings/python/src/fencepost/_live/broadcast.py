"""Keeps the latest events for readers that connect and disconnect, for example clients of server-sent events."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import AsyncIterator
from typing import Any

from .._native import InvalidArgumentError
from .live_events import Awaited


class Broadcast:
    """A sink that keeps the latest events for any number of readers. Each reader continues after the last event it
    received.

    The sink accepts every event immediately; it does not know whether a reader has received it. Event numbers always
    increase, even after a restart of the program.

    Args:
        history: How many events are kept. A reader that falls behind by more events than this misses the older events.

    Example:
        >>> import asyncio
        >>> from fencepost import Circle, Fix
        >>> from fencepost.live import Broadcast, Follower
        >>> readers = Broadcast(history=100)
        >>> zones = {"home": Circle(0, 0, 100)}
        >>> follower = Follower(zones, sinks=[readers], ahead=None)
        >>> follower.feed("phone", Fix(0, 0, time=0))
        <Fed.ACCEPTED: 'accepted'>
        >>> [event.identifier for event in follower.events()]
        ['home']
        >>> async def first():
        ...     async for number, event in readers.subscribe(after=0):
        ...         return event.device
        >>> asyncio.run(first())
        'phone'
    """

    def __init__(self, history: int = 1000) -> None:
        if history < 1:
            raise InvalidArgumentError(f"history {history} is not a number of 1 or more")
        self._events: deque[tuple[int, Any]] = deque(maxlen=history)
        self._number = time.time_ns() // 1000
        self._awaited, self._lock, self._is_over = Awaited(), threading.Lock(), False

    def __call__(self, event: Any) -> bool:
        """Stores the event and wakes the readers."""
        with self._lock:
            self._number += 1
            self._events.append((self._number, event))
        self._awaited.wake()
        return True

    @property
    def last(self) -> int:
        """The number of the last event, to pass as ``after``."""
        return self._number

    async def subscribe(self, after: int | None = None) -> AsyncIterator[tuple[int, Any]]:
        """Yields the events with their numbers as they arrive, until :meth:`close`.

        Args:
            after: The number of the last event that the reader received. If `after` is 0, the reader gets all kept
                events; if it is None, the reader gets only new events.
        """
        if after is None:
            after = self._number
        with self._awaited.bell() as bell:
            while not self._is_over:
                bell.clear()
                with self._lock:
                    found = [entry for entry in self._events if entry[0] > after]
                for number, event in found:
                    after = number
                    yield number, event
                if not found:
                    await bell.wait()

    def close(self) -> None:
        """Ends the subscriptions."""
        self._is_over = True
        self._awaited.wake()
