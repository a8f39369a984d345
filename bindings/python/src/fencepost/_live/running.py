"""The part of a follower that confirms due changes as time passes, and delivers events to sinks and loops."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

from .._native import ConsumerAlreadyActiveError, InvalidArgumentError, MonitorClosedError
from .handling import HANDLING_S
from .live_events import Awaited, LiveEvents, ready_descriptors
from .loop import Turns, Watcher, watch
from .notices import Notices
from .sinks import Sinks
from .sources import Source
from .waker import Stop


class Running:
    """The part of a follower that confirms due changes as time passes, and delivers events to sinks and loops."""

    _watcher: Watcher
    _notices: Notices
    _sinks: Sinks
    _stop: Stop
    _running: Stop
    _awaited: Awaited
    _consumer: LiveEvents | None
    _is_closed: bool
    _is_served: bool

    def _check_open(self) -> None:
        if self._is_closed:
            raise MonitorClosedError("the follower is closed")

    # ------------------------------------------------------------------------------------------- time

    def tick(self) -> float | None:
        """Confirms all changes that are due by now; each becomes an event, even if its device sends nothing. Call
        :meth:`tick` again after the returned number of seconds, unless :meth:`run`, :meth:`serve` or a loop over
        :meth:`events` is active, because they call `tick` themselves.

        Returns:
            Seconds until something is due, or None if nothing is due before the next fix.
        """
        with self._watcher.lock:
            self._check_open()
            self._watcher.pass_time()
            self._notices.pass_time()
            pauses = [self._watcher.pause(), self._notices.pause()]
            return min((pause for pause in pauses if pause is not None), default=None)

    # ----------------------------------------------------------------------------------------- events

    def events(self) -> LiveEvents:
        """The events, for ``for`` and ``async for``; see :class:`LiveEvents`. A loop receives an event after all sinks
        have accepted it. If there are several loops, the newest one receives the events.

        Raises:
            ConsumerAlreadyActiveError: Raised by the loop if :meth:`run` or :meth:`serve` is delivering the events to
                sinks, or if a newer loop has started.
        """
        found = LiveEvents(
            self._next, self._next_asynchronously, self._watcher.settle, self.tick, self._is_over, self._awaited
        )
        self._consumer = found
        return found

    def _is_over(self) -> bool:
        return self._is_closed or self._stop.is_stopped()

    def _due(self, asker: LiveEvents) -> Any:
        self._check_open()
        if self._is_served or asker is not self._consumer:
            what = (
                "run() or serve() already delivers the events to the sinks"
                if self._is_served
                else "a newer loop over events() receives the events now"
            )
            raise ConsumerAlreadyActiveError(what)
        return self._watcher.next_due()

    def _next(self, asker: LiveEvents) -> Any:
        event = self._due(asker)
        if event is None or self._sinks(event):
            return event
        self._watcher.settle(event, False)
        return None

    async def _next_asynchronously(self, asker: LiveEvents) -> Any:
        event = self._due(asker)
        if event is None or await self._sinks.deliver(event):
            return event
        self._watcher.settle(event, False)
        return None

    # ------------------------------------------------------------------------------------------- runs

    def run(
        self, *sources: Source, stop: Stop | None = None, each_turn: Callable[[], float | None] = lambda: None
    ) -> None:
        """Feeds the messages of the sources, confirms changes as time passes, and delivers events to the sinks. Blocks
        until the sources have ended and everything is handled, or until :meth:`stop` is called. Without sources, blocks
        until :meth:`stop` is called.

        A run with the sources of an earlier run continues with the messages that the earlier run has read and not fed.

        Args:
            sources: The sources; the caller closes them.
            stop: The object that receives requests to stop, for example :class:`Signals`, instead of the follower's own
                object. `stop` must already be entered as a context manager.
            each_turn: A function that is called in each pass of the loop; it returns the maximum number of seconds
                until its next call, or None.

        Raises:
            OSError: A source can no longer be read.
            InputError: A source delivers a document that cannot be used.
        """
        if not len(self._sinks):
            raise InvalidArgumentError("run delivers events to sinks, but the follower has no sink")
        self._check_sources(sources)
        with self._served(), self._stop if stop is None else nullcontext(stop) as self._running:
            hang_up = self._running.on_hang_up
            watch(sources, self._watcher, self._running, self._notices, hang_up, each_turn, not sources)

    async def serve(self, *sources: Source) -> None:
        """Feeds messages and delivers events, like :meth:`run`, but on the running event loop and without a thread.
        Sinks may be asynchronous. Without sinks, the events wait for a loop over :meth:`events`.

        Raises:
            OSError: A source can no longer be read.
            InputError: A source delivers a document that cannot be used.
        """
        self._check_sources(sources)
        turns, watcher = Turns(sources, self._watcher, self._notices), self._watcher
        ready: set[int] = set()
        with self._served(), self._awaited.bell() as bell:
            while not self._is_over() and (not sources or not turns.is_over):
                bell.clear()
                with watcher.lock:
                    turns.turn(ready)
                await self._deliver()
                self._notices.pass_time()
                if self._is_over() or turns.must_end or (sources and turns.is_over):
                    break
                ready = await ready_descriptors(turns.descriptors(), turns.pause(), bell)
            if not self._is_closed:
                with watcher.lock:
                    turns.release_held()
                before = 1
                while turns.has_released:
                    with watcher.lock:
                        fed = turns.feed_released(len(self._sinks) > 0)
                    await self._deliver_last()
                    if fed == before == 0:
                        break
                    before = fed
                turns.report_unfed()
            turns.raise_lost(True)

    def _check_sources(self, sources: Sequence[Source]) -> None:
        for source in sources if self._watcher.sorter is not None else ():
            if source.most_untaken == 0:
                raise InvalidArgumentError(
                    f"reorder: the fixes of {source.name} cannot be held, because its senders wait for the answer to "
                    "each message; use a broker, or set reorder to 0"
                )

    @contextmanager
    def _served(self) -> Iterator[None]:
        self._check_open()
        if not len(self._sinks):
            yield
            return
        if self._is_served:
            raise ConsumerAlreadyActiveError("run() or serve() already delivers the events to the sinks")
        self._is_served = True
        try:
            yield
        finally:
            self._is_served, self._running = False, self._stop

    async def _deliver(self) -> None:
        if not len(self._sinks):
            return
        end = time.monotonic() + HANDLING_S
        while not self._is_over() and time.monotonic() < end and (event := self._watcher.next_due()) is not None:
            is_handled = await self._sinks.deliver(event)
            self._watcher.settle(event, is_handled)
            if not is_handled:
                return

    async def _deliver_last(self) -> None:
        """Delivers the events of held fixes after the stop, until a sink fails."""
        while len(self._sinks) and (event := self._watcher.next_due()) is not None:
            is_handled = await self._sinks.deliver(event)
            self._watcher.settle(event, is_handled)
            if not is_handled:
                return

    def stop(self) -> None:
        """Ends :meth:`run`, :meth:`serve` and ``async for`` loops. A loop that starts after this call ends at once.
        This method may be called from any thread and from signal handlers."""
        self._stop.stop()
        self._awaited.wake()
