"""The loop of a watch: what comes is fed, time passes between, events are handled."""

from __future__ import annotations

import selectors
import time
from collections.abc import Callable, Sequence
from typing import Any

from .._errors import InputError
from .lines import LineError
from .notices import Notices
from .signals import Signals
from .sources import Source
from .watched_fleet import FleetWatch
from .watched_monitor import Watch

FIXES_A_TURN = 1_000

Watcher = Watch | FleetWatch
Found = tuple[str, Any]
"""A place in the source, and what was found there or what is wrong with it."""


class _Input:
    """A source, and what was read of it.

    Attributes:
        source: The source.
        found: What was read and not fed, the last first.
        at_end: Whether nothing more comes.
        has_more: Whether the last turn did not reach what is there.
        untold: How much was fed of which the source was not told.
    """

    def __init__(self, source: Source) -> None:
        self.source, self.at_end, self.has_more = source, False, False
        self.untold = 0
        self.found: list[Found] = []
        self._registered: int | None = None

    def register(self, selector: selectors.BaseSelector, is_behind: bool) -> None:
        """Lets the selector wait for what is to be read next, if something is."""
        wanted = None if self.at_end or self.found or is_behind else self.source.descriptor
        if wanted == self._registered:
            return
        if self._registered is not None:
            selector.unregister(self._registered)
        if wanted is not None:
            selector.register(wanted, selectors.EVENT_READ)
        self._registered = wanted

    def read(self, selector: selectors.BaseSelector, ready: set[Any]) -> None:
        """Reads what is there, or connects again when it is time."""
        source, self.has_more = self.source, False
        if self.at_end:
            return
        if self._registered is not None and self._registered in ready:
            pieces = source.read()
            self.at_end, self.has_more = pieces is None, source.has_more
            self.found = list(source.rest() if pieces is None else pieces)[::-1]
            if source.descriptor is None:
                selector.unregister(self._registered)
                self._registered = None
        elif source.retry_at is not None and time.monotonic() >= source.retry_at:
            source.reconnect()

    def end(self, selector: selectors.BaseSelector) -> None:
        """Reads no more of a source that cannot be read on."""
        if self._registered is not None:
            selector.unregister(self._registered)
            self._registered = None
        self.at_end, self.has_more, self.found = True, False, []

    @property
    def retry_at(self) -> float | None:
        """When it is connected to again."""
        return None if self.at_end else self.source.retry_at


def watch(
    sources: Sequence[Source],
    watcher: Watcher,
    signals: Signals,
    notices: Notices,
    on_hang_up: Callable[[], None] = lambda: None,
    beat: Callable[[], float | None] = lambda: None,
) -> None:
    """Feeds what comes, lets time pass, and has events handled, until the sources end and all is handled, or a
    signal asks to stop. What each source has is fed in turns.

    Args:
        sources: Of the fixes.
        watcher: With the monitor.
        signals: Entered.
        notices: Where it is said what is wrong with the source.
        on_hang_up: Called after SIGHUP.
        beat: Called at each turn; the seconds after which it is to be called again.

    One of several sources that cannot be read on ends for itself; that is told at once, and again when all have ended.

    Raises:
        OSError: A gpsd was lost and did not come back, or a file cannot be read on.
        InputError: A GPX document cannot be used.
    """
    lost: Exception | None = None
    # epoll refuses regular files; select does not.
    with selectors.SelectSelector() as selector:
        selector.register(signals, selectors.EVENT_READ)
        inputs = [_Input(source) for source in sources]
        watcher.handle_events(signals.is_stopped)  # what an earlier life has left
        while not watcher.is_done or any(each.found or not each.at_end for each in inputs):
            for each in inputs:
                each.register(selector, watcher.is_behind)
            pause = 0.0 if signals.hang_ups or signals.stops else _pause(inputs, watcher, notices)
            limit = beat()
            if limit is not None:
                pause = limit if pause is None else min(pause, limit)
            ready = {key.fileobj for key, _ in selector.select(pause)}
            signals.clear()
            if signals.is_stopped():
                return
            if signals.hang_ups:
                signals.hang_ups = 0
                on_hang_up()
            for each in inputs:
                try:
                    each.read(selector, ready)
                except (OSError, InputError) as error:
                    each.end(selector)
                    lost = lost or error
                    if len(inputs) > 1:
                        notices.say(f"{_text_of(error)}; nothing more is read of it")
            for each in inputs:
                if watcher.has_events:
                    break  # they are handled with what their device says now
                each.untold += _feed(watcher, each, notices)
                watcher.keep()
            for each in inputs:
                if watcher.is_kept and each.untold:
                    each.source.taken(each.untold)
                    each.untold = 0
            inputs.append(inputs.pop(0))  # none waits for another that always has something
            # While fixes wait that were there before, the time since the last one is not that of the next.
            if not watcher.is_behind and not any(each.found or each.has_more for each in inputs):
                watcher.pass_time()
            watcher.handle_events(signals.is_stopped)
            notices.pass_time()
            if lost is not None and len(inputs) == 1:
                raise lost
    if lost is not None:
        raise lost


def _text_of(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def _pause(inputs: Sequence[_Input], watcher: Watcher, notices: Notices) -> float | None:
    """Seconds until something is to be done though nothing comes; None: nothing is."""
    if not watcher.is_behind and any(each.found for each in inputs):
        return 0.0
    now = time.monotonic()
    retries = (max(0.0, each.retry_at - now) for each in inputs if each.retry_at is not None)
    return min((pause for pause in (watcher.pause(), notices.pause(), *retries) if pause is not None), default=None)


def _feed(watcher: Watcher, entry: _Input, notices: Notices) -> int:
    """Feeds some of the fixes of a source, and takes them from it; returns how many it took."""
    name, found = entry.source.name, entry.found
    watcher.source_name, before = name, len(found)
    for _ in range(min(before, FIXES_A_TURN)):
        place, row = found[-1]
        if isinstance(row, LineError):
            watcher.counts[row.kind] += 1
            notices.seldom(row.kind, f"{name}: {place}: {row}")
        elif watcher.is_behind or not watcher.feed(row, f"{name}: {place}"):
            break
        found.pop()
        if watcher.has_events:
            break
    return before - len(found)
