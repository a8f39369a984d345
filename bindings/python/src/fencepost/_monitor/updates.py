"""Waiting for events."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator

from .._system import close_bell, open_bell, ring, silence
from .._values.events import Event

TYPE_CHECKING = False
if not TYPE_CHECKING:
    from .._typing import Generic, TypeVar
else:
    import asyncio
    from collections.abc import Callable
    from typing import Any, Generic, TypeVar

E = TypeVar("E", bound=Event)


class EventUpdates(AsyncIterator[E], Generic[E]):
    """Events as they become available."""

    __slots__ = ("_bell", "_handle", "_is_asked", "_is_over")
    _of: Callable[[Any], E]

    def __init__(self, handle: Any) -> None:
        self._handle = handle
        self._bell: _Bell | None = None
        self._is_asked = self._is_over = False

    def __aiter__(self) -> EventUpdates[E]:
        return self

    async def __anext__(self) -> E:
        """Acknowledges the previous event and waits for the next one.

        Raises:
            ConsumerAlreadyActiveError: Another iterator is being consumed, or another task is consuming this iterator.
                The error does not affect the active consumer.
            StopAsyncIteration: The monitor was closed, or :meth:`aclose` was called.
        """
        if self._is_asked:
            from .._native import ConsumerAlreadyActiveError

            raise ConsumerAlreadyActiveError("another task awaits the next event of this iterator")
        self._is_asked = True
        try:
            bell = self._take_place()
            while bell is not None and not (self._is_over or self._handle.closed()):
                row = self._handle.next_update()
                if row is not None:
                    return self._of(row)
                await bell.rung()
        except BaseException:
            self._leave()  # the wait was cancelled, so any consumer may start now
            raise
        finally:
            self._is_asked = False
        if bell is not None:
            self._handle.acknowledge(None)
        self._is_over = True
        self._leave()
        raise StopAsyncIteration

    async def aclose(self) -> None:
        """Ends this iteration, so that another consumer can start one."""
        self._is_over = True
        if self._is_asked and self._bell is not None:
            self._bell.ring()  # wakes the waiting task, so that it ends
        else:
            self._leave()

    def _take_place(self) -> _Bell | None:
        from asyncio import get_running_loop

        if self._is_over:
            return None
        loop = get_running_loop()
        if self._bell is not None and self._bell.loop is not loop:
            self._leave()
        if self._bell is None:
            bell = _Bell(loop)
            try:
                self._handle.attach(bell.descriptor)
            except BaseException:
                bell.close()
                raise
            self._bell = bell
        return self._bell

    def _leave(self) -> None:
        bell, self._bell = self._bell, None
        if bell is not None:
            self._handle.detach(bell.descriptor)
            bell.close()

    def __del__(self) -> None:
        if getattr(self, "_bell", None) is not None:
            self._leave()


class Updates(EventUpdates[Event]):
    """The events of a monitor as they become available: the result of :meth:`Monitor.updates`.

    A request for the next event acknowledges the previous event. If the iterator ends, is cancelled or is dropped
    before its last event was acknowledged, that event is delivered again to the next consumer.

    Example:
        >>> import asyncio
        >>> from fencepost import Circle, Fix, Monitor
        >>> async def first(monitor: Monitor) -> str:
        ...     async for event in monitor.updates():
        ...         return str(event.state)
        >>> monitor = Monitor()
        >>> monitor.add(Circle(52.5, 13.4, 100), "home")
        >>> monitor.feed(Fix(52.5, 13.4, time=0))
        >>> asyncio.run(first(monitor))
        'satisfied'
    """

    __slots__ = ()
    _of = staticmethod(Event._from_row)


class _Bell:
    """Wakes a consumer when the library writes, from any thread, to the descriptor of this object (the bell). The
    consumer's event loop watches the descriptor.

    The event loop refers to this object, not to the iterator, so an iterator that is no longer used is freed.
    """

    __slots__ = ("_reader", "descriptor", "loop", "process", "waiter")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.process = os.getpid()
        self.waiter: asyncio.Future[None] | None = None
        self._reader, self.descriptor = open_bell()
        try:
            loop.add_reader(self._reader, self._hear)
        except BaseException:
            close_bell(self._reader, self.descriptor)
            raise

    async def rung(self) -> None:
        """Waits until the library writes to the descriptor. The library may write to the descriptor even if no event is
        pending."""
        self.waiter = self.loop.create_future()
        try:
            await self.waiter
        finally:
            self.waiter = None

    def ring(self) -> None:
        ring(self.descriptor)

    def _hear(self) -> None:
        if not silence(self._reader):
            return
        if self.waiter is not None and not self.waiter.done():
            self.waiter.set_result(None)

    def close(self) -> None:
        """Stops watching the descriptor. Any thread may call this method. Before the call, the library must stop using
        the descriptor."""
        from asyncio import _get_running_loop

        if self.loop.is_closed() or os.getpid() != self.process:
            close_bell(self._reader, self.descriptor)
        elif self.loop.is_running() and _get_running_loop() is not self.loop:
            try:
                self.loop.call_soon_threadsafe(self._close)
            except RuntimeError:  # the loop was closed in the meantime
                close_bell(self._reader, self.descriptor)
        else:
            self._close()

    def _close(self) -> None:
        self.loop.remove_reader(self._reader)
        close_bell(self._reader, self.descriptor)
