"""The loop of a watch: feeds inputs, lets time pass between them, handles events."""

from __future__ import annotations

import logging
import select
import time
from collections.abc import Callable, Container, Sequence
from typing import Any

from .._errors import InputError
from .lines import LineError
from .notices import Notices
from .sources import Source
from .waker import Stop
from .watched_fleet import FleetWatch
from .watched_monitor import Watch

FIXES_A_TURN = 1_000

Watcher = Watch | FleetWatch
Found = tuple[str, Any]
"""A place in the source with the fix found there, or the error."""


class _Input:
    """A source and the inputs read from it.

    Attributes:
        source: The source.
        found: The inputs read and not yet fed, the last first.
        at_end: Whether nothing more comes.
        has_more: Whether the last turn left unread inputs.
        untold: The number of fed inputs that are not acknowledged to the source.
    """

    def __init__(self, source: Source) -> None:
        self.source, self.at_end, self.has_more = source, False, False
        self.untold = 0
        self.found: list[Found] = []

    def descriptor(self, is_behind: bool) -> int | None:
        """To wait for, where something is to be read next."""
        return None if self.at_end or self.found or is_behind else self.source.descriptor

    def read(self, is_ready: bool) -> None:
        """Reads the available inputs, or reconnects when the retry time has come."""
        source, self.has_more = self.source, False
        if self.at_end or not (is_ready or (self.retry_at is not None and time.monotonic() >= self.retry_at)):
            return
        pieces = source.read()
        self.at_end = pieces is None or source.at_end
        self.has_more = not self.at_end and source.has_more
        self.found = list(pieces or ())[::-1]

    def end(self) -> None:
        """Reads no more of a source that cannot be read on."""
        self.at_end, self.has_more, self.found = True, False, []

    @property
    def retry_at(self) -> float | None:
        """The time of the next connection attempt: not before all read inputs are fed."""
        return None if self.at_end or self.found else self.source.retry_at


class Turns:
    """The work of a loop between two waits: feeds inputs, lets time pass, acknowledges inputs to the sources. The
    sources take turns.

    One of several sources that cannot be read on ends for itself; that is logged at once, and raised when all have
    ended.

    Args:
        sources: Of the messages.
        watcher: Takes them.
        notices: Where it is logged what is wrong with a source.
    """

    def __init__(self, sources: Sequence[Source], watcher: Watcher, notices: Notices) -> None:
        self._watcher, self._notices = watcher, notices
        self._inputs = [_Input(source) for source in sources]
        self._waited: dict[int, int] = {}
        self.lost: Exception | None = None

    @property
    def is_over(self) -> bool:
        """Whether the sources have ended, and all is handled."""
        return self._watcher.is_done and not any(each.found or not each.at_end for each in self._inputs)

    def descriptors(self) -> set[int]:
        """To wait for."""
        is_behind = self._watcher.is_behind
        found = [(each, each.descriptor(is_behind)) for each in self._inputs]
        self._waited = {id(each): number for each, number in found if number is not None}
        return set(self._waited.values())

    def pause(self) -> float | None:
        """Seconds until something is to be done though nothing comes; None: nothing is."""
        watcher, notices = self._watcher, self._notices
        if not (watcher.is_behind or watcher.has_events) and any(each.found for each in self._inputs):
            return 0.0
        if watcher.is_kept and any(each.untold for each in self._inputs):
            return 0.0  # the store works again: acknowledge at once
        now = time.monotonic()
        retries = (max(0.0, each.retry_at - now) for each in self._inputs if each.retry_at is not None)
        return min((pause for pause in (watcher.pause(), notices.pause(), *retries) if pause is not None), default=None)

    def turn(self, ready: Container[int]) -> None:
        """Reads and feeds, and lets time pass. Events are not handled."""
        watcher, notices, inputs = self._watcher, self._notices, self._inputs
        for each in inputs:
            try:
                each.read(self._waited.get(id(each), -1) in ready)
            except (OSError, InputError) as error:
                each.end()
                self.lost = self.lost or error
                if len(inputs) > 1:
                    notices.say(f"{_text_of(error)}; nothing more is read of it", logging.ERROR)
        for each in inputs:
            if watcher.has_events:
                break  # they are handled with what their device says now
            each.untold += _feed(watcher, each, notices)
            watcher.keep()
        for each in inputs:
            if watcher.is_kept and each.untold:
                each.source.taken(each.untold)
                each.untold = 0
        self._inputs = inputs = [*inputs[1:], *inputs[:1]]  # none waits for another that always has something
        # While fixes wait that were there before, the time since the last one is not that of the next.
        if not watcher.is_behind and not any(each.found or each.has_more for each in inputs):
            watcher.pass_time()

    def raise_lost(self, is_over: bool) -> None:
        """Raises what ended a source: of the only one at once, of several at the end."""
        if self.lost is not None and (is_over or len(self._inputs) == 1):
            raise self.lost


def watch(
    sources: Sequence[Source],
    watcher: Watcher,
    signals: Stop,
    notices: Notices,
    on_hang_up: Callable[[], None] = lambda: None,
    beat: Callable[[], float | None] = lambda: None,
    is_endless: bool = False,
) -> None:
    """Feeds inputs, lets time pass, and has events handled, until the sources end and all is handled, or a signal
    requests a stop.

    Args:
        sources: Of the fixes.
        watcher: With the monitor.
        signals: Entered.
        notices: Where it is said what is wrong with the source.
        on_hang_up: Called after SIGHUP.
        beat: Called at each turn; the seconds after which it is to be called again.
        is_endless: Whether to go on after the end of the sources.

    Raises:
        OSError: A gpsd was lost and did not come back, or a file cannot be read on.
        InputError: A GPX document cannot be used.
    """
    turns = Turns(sources, watcher, notices)
    watcher.handle_events(signals.is_stopped)  # what an earlier life has left
    while is_endless or not turns.is_over:
        wanted = turns.descriptors()
        pause = 0.0 if signals.hang_ups or signals.stops else turns.pause()
        limit = beat()
        if limit is not None:
            pause = limit if pause is None else min(pause, limit)
        # Not epoll, which refuses regular files.
        limit = None if pause is None else max(0.0, pause)
        ready: list[int] = select.select([signals.fileno(), *wanted], [], [], limit)[0]
        signals.clear()
        if signals.is_stopped():
            return
        if signals.hang_ups:
            signals.hang_ups = 0
            on_hang_up()
        with watcher.lock:
            turns.turn(ready)
        watcher.handle_events(signals.is_stopped)
        notices.pass_time()
        turns.raise_lost(False)
    turns.raise_lost(True)


def _text_of(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {error.strerror}"
    return str(error)


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
