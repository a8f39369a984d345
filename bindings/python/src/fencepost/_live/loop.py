"""The loop of a watch: feeds inputs, lets time pass between the inputs, and handles events."""

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
"""A location in the source, and the fix or the error that was read there."""


class _Input:
    """A source and the inputs read from it.

    Attributes:
        source: The source.
        found: The inputs that have been read but not yet fed. The next input to feed is the last element.
        at_end: True if the source has ended.
        has_more: True if inputs were left unread in the last pass of the loop.
        untold: The number of inputs that have been fed but not yet acknowledged to the source.
    """

    def __init__(self, source: Source) -> None:
        self.source, self.at_end, self.has_more = source, False, False
        self.untold = 0
        self.found: list[Found] = []

    def descriptor(self, is_behind: bool) -> int | None:
        """The descriptor to wait for, or None if the source must not be read now."""
        return None if self.at_end or self.found or is_behind else self.source.descriptor

    def read(self, is_ready: bool) -> None:
        """Reads the available inputs if the source is ready, or reconnects when the retry time has come."""
        source, self.has_more = self.source, False
        if self.at_end or not (is_ready or (self.retry_at is not None and time.monotonic() >= self.retry_at)):
            return
        pieces = source.read()
        self.at_end = pieces is None or source.at_end
        self.has_more = not self.at_end and source.has_more
        self.found = list(pieces or ())[::-1]

    def end(self) -> None:
        """Ends a source that can no longer be read."""
        self.at_end, self.has_more, self.found = True, False, []

    @property
    def retry_at(self) -> float | None:
        """The time of the next connection attempt. It is None while inputs that were read from this source have not yet
        been fed."""
        return None if self.at_end or self.found else self.source.retry_at


class Turns:
    """The part of a loop that runs between two waits: feeds inputs, lets time pass, and acknowledges inputs to the
    sources. Inputs are fed from the sources in turn.

    If one of several sources can no longer be read, only that source ends. The error that ended the source is logged at
    once, and is raised when all sources have ended.

    Args:
        sources: The sources of the messages.
        watcher: Processes the messages.
        notices: Receives reports of source errors.
    """

    def __init__(self, sources: Sequence[Source], watcher: Watcher, notices: Notices) -> None:
        self._watcher, self._notices = watcher, notices
        self._inputs = [_Input(source) for source in sources]
        self._waited: dict[int, int] = {}
        self.lost: Exception | None = None

    @property
    def is_over(self) -> bool:
        """True if the sources have ended and all inputs and events are handled."""
        return self._watcher.is_done and not any(each.found or not each.at_end for each in self._inputs)

    def descriptors(self) -> set[int]:
        """The descriptors to wait for."""
        is_behind = self._watcher.is_behind
        found = [(each, each.descriptor(is_behind)) for each in self._inputs]
        self._waited = {id(each): number for each, number in found if number is not None}
        return set(self._waited.values())

    def pause(self) -> float | None:
        """Seconds until there is work even without new input; None means never."""
        watcher, notices = self._watcher, self._notices
        if not (watcher.is_behind or watcher.has_events) and any(each.found for each in self._inputs):
            return 0.0
        if watcher.is_kept and any(each.untold for each in self._inputs):
            return 0.0  # the store works again: acknowledge at once
        now = time.monotonic()
        retries = (max(0.0, each.retry_at - now) for each in self._inputs if each.retry_at is not None)
        return min((pause for pause in (watcher.pause(), notices.pause(), *retries) if pause is not None), default=None)

    def turn(self, ready: Container[int]) -> None:
        """Reads inputs, feeds them, and lets time pass. Handling the events is left to the caller."""
        watcher, notices, inputs = self._watcher, self._notices, self._inputs
        for each in inputs:
            try:
                each.read(self._waited.get(id(each), -1) in ready)
            except (OSError, InputError) as error:
                each.end()
                self.lost = self.lost or error
                if len(inputs) > 1:
                    notices.say(f"{_text_of(error)}; the watch no longer reads this source", logging.ERROR)
        for each in inputs:
            if watcher.has_events:
                break  # the events must be handled while the message of their device is still the current one
            each.untold += _feed(watcher, each, notices)
            watcher.keep()
        if any(each.untold for each in inputs):
            watcher.keep_all()
        for each in inputs:
            if watcher.is_kept and each.untold:
                each.source.taken(each.untold)
                each.untold = 0
        self._inputs = inputs = [*inputs[1:], *inputs[:1]]  # rotate the sources: a busy one must not delay the others
        # Let time pass only if no fixes are waiting, because a waiting fix may be earlier than the current time.
        if not watcher.is_behind and not any(each.found or each.has_more for each in inputs):
            watcher.pass_time()

    def raise_lost(self, is_over: bool) -> None:
        """Raises the error that ended a source. With a single source, the error is raised at once; with several
        sources, it is raised only when all sources have ended."""
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
    """Feeds inputs, lets time pass, and handles events, until the sources have ended and everything is handled, or
    until a signal requests a stop.

    Args:
        sources: The sources of the fixes.
        watcher: The object that feeds the monitor or fleet.
        signals: The object that requests a stop after a signal. It must already be entered as a context manager.
        notices: Receives reports of source errors.
        on_hang_up: A function that is called after SIGHUP.
        beat: A function that each pass of the loop calls. It returns the seconds after which it must be called again at
            the latest, or None.
        is_endless: True to continue after all sources have ended.

    Raises:
        OSError: The connection to a gpsd was lost and could not be restored, or a file can no longer be read.
        InputError: A GPX document cannot be used.
    """
    turns = Turns(sources, watcher, notices)
    watcher.handle_events(signals.is_stopped)  # handles events that the previous run left
    while is_endless or not turns.is_over:
        wanted = turns.descriptors()
        pause = 0.0 if signals.hang_ups or signals.stops else turns.pause()
        limit = beat()
        if limit is not None:
            pause = limit if pause is None else min(pause, limit)
        # Uses select, because epoll refuses regular files.
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
    """Feeds some of the inputs read from a source, and removes them from the source's list; returns how many were
    fed."""
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
