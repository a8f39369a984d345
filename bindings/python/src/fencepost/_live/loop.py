"""The loop of a watch: what comes is fed, time passes between, events are handled."""

from __future__ import annotations

import selectors
import time
from collections.abc import Callable
from typing import Any

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


def watch(
    source: Source,
    watcher: Watcher,
    signals: Signals,
    notices: Notices,
    on_hang_up: Callable[[], None] = lambda: None,
    beat: Callable[[], float | None] = lambda: None,
) -> None:
    """Feeds what comes, lets time pass, and has events handled, until the source ends and all is handled, or a signal
    asks to stop.

    Args:
        source: Of the fixes.
        watcher: With the monitor.
        signals: Entered.
        notices: Where it is said what is wrong with the source.
        on_hang_up: Called after SIGHUP.
        beat: Called at each turn; the seconds after which it is to be called again.

    Raises:
        OSError: A gpsd was lost and did not come back, or a file cannot be read on.
        InputError: A GPX document cannot be used.
    """
    # epoll refuses regular files; select does not.
    with selectors.SelectSelector() as selector:
        selector.register(signals, selectors.EVENT_READ)
        # Fixes that were read and not fed.
        found: list[Found] = []
        registered: int | None = None
        at_end = False
        watcher.handle_events(signals.is_stopped)  # what an earlier life has left
        while not at_end or found or not watcher.is_done:
            wanted = None if at_end or found or watcher.is_behind else source.descriptor
            if wanted != registered:
                if registered is not None:
                    selector.unregister(registered)
                if wanted is not None:
                    selector.register(wanted, selectors.EVENT_READ)
                registered = wanted
            pause = 0.0 if signals.hang_ups or signals.stops else _pause(source, watcher, notices, found)
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
            has_more = False
            if registered is not None and registered in ready:
                pieces = source.read()
                at_end, has_more = pieces is None, source.has_more
                found = list(source.rest() if pieces is None else pieces)[::-1]
                if source.descriptor is None:
                    selector.unregister(registered)
                    registered = None
            elif source.retry_at is not None and time.monotonic() >= source.retry_at:
                source.reconnect()
            source.taken(_feed(watcher, source.name, notices, found))
            # While fixes wait that were there before, the time since the last one is not that of the next.
            if not found and not has_more and not watcher.is_behind:
                watcher.pass_time()
            watcher.handle_events(signals.is_stopped)
            notices.pass_time()


def _pause(source: Source, watcher: Watcher, notices: Notices, found: list[Found]) -> float | None:
    """Seconds until something is to be done though nothing comes; None: nothing is."""
    if found and not watcher.is_behind:
        return 0.0
    retry = None if source.retry_at is None else max(0.0, source.retry_at - time.monotonic())
    return min((pause for pause in (watcher.pause(), notices.pause(), retry) if pause is not None), default=None)


def _feed(watcher: Watcher, name: str, notices: Notices, found: list[Found]) -> int:
    """Feeds some of the fixes, the last of the list first, and takes them from it; returns how many it took."""
    before = len(found)
    for _ in range(min(before, FIXES_A_TURN)):
        place, row = found[-1]
        if isinstance(row, LineError):
            watcher.counts[row.kind] += 1
            notices.seldom(row.kind, f"{name}: {place}: {row}")
        elif watcher.is_behind or not watcher.feed(row, f"{name}: {place}"):
            break
        found.pop()
        if watcher.has_events:
            break  # they are handled with what their device says now
    return before - len(found)
