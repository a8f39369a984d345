"""The loop of a watch: feeds inputs, lets time pass between the inputs, and handles events."""

from __future__ import annotations

import logging
import select
import time
from collections import deque
from collections.abc import Callable, Container, Sequence
from itertools import islice
from typing import Any

from .._errors import InputError
from .lines import LineError
from .notices import Notices
from .sorting import ROWS_A_DEVICE, Held, Sorter, Ticket
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
        tickets: If fixes are held to be sorted, the inputs that are not acknowledged, in the order of the source. A
            source acknowledges its inputs in this order, so an input waits for all inputs before it.
    """

    def __init__(self, source: Source) -> None:
        self.source, self.at_end, self.has_more = source, False, False
        self.untold = 0
        self.found: list[Found] = []
        self.tickets: deque[Ticket] = deque()

    def descriptor(self, is_behind: bool) -> int | None:
        """The descriptor to wait for, or None if the source must not be read now."""
        return None if self.at_end or self.found or is_behind else self.source.descriptor

    def read(self, is_ready: bool) -> None:
        """Reads the available inputs if the source is ready, or reconnects when the retry time has come."""
        source, self.has_more = self.source, False
        if self.at_end or not (is_ready or (self.retry_at is not None and time.monotonic() >= self.retry_at)):
            return
        pieces = source.read()
        for ticket in islice(self.tickets, max(0, source.renewed - self.untold)):
            ticket.is_fed = True
        self.at_end = pieces is None or source.at_end
        self.has_more = not self.at_end and source.has_more
        self.found = list(pieces or ())[::-1]

    def end(self) -> None:
        """Ends a source that can no longer be read."""
        self.at_end, self.has_more, self.found = True, False, []

    @property
    def is_left(self) -> bool:
        """True if inputs were read and are not acknowledged yet, and the source is open."""
        is_open = self.source.descriptor is not None or self.source.retry_at is not None
        return is_open and bool(self.found or self.tickets or self.untold)

    @property
    def retry_at(self) -> float | None:
        """The time of the next connection attempt. It is None while inputs that were read from this source have not yet
        been fed."""
        return None if self.at_end or self.found else self.source.retry_at

    def count_fed(self) -> None:
        """Counts the inputs that may be acknowledged: those before the first input that is not fed yet."""
        while self.tickets and self.tickets[0].is_fed:
            self.tickets.popleft()
            self.untold += 1


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
        # An earlier run may have ended with inputs that it had read and not acknowledged. A source acknowledges its
        # inputs in order, so they must be acknowledged before the inputs of this run.
        left = [each for each in watcher.inputs if each.is_left]
        known = {id(each.source): each for each in left}
        self._inputs = [known.get(id(source)) or _Input(source) for source in sources]
        watcher.inputs = [*self._inputs, *(each for each in left if each not in self._inputs)]
        self._waited: dict[int, int] = {}
        self.lost: Exception | None = None

    @property
    def is_over(self) -> bool:
        """True if the sources have ended and all inputs and events are handled."""
        is_held = self._watcher.sorter is not None and len(self._watcher.sorter) > 0
        return self._watcher.is_done and not is_held and not any(each.found or not each.at_end for each in self._inputs)

    def descriptors(self) -> set[int]:
        """The descriptors to wait for."""
        is_behind = self._watcher.is_behind
        found = [(each, each.descriptor(is_behind)) for each in self._inputs]
        self._waited = {id(each): number for each, number in found if number is not None}
        return set(self._waited.values())

    def pause(self) -> float | None:
        """Seconds until there is work even without new input; None means never."""
        watcher, notices = self._watcher, self._notices
        sorter = watcher.sorter
        is_waiting = any(each.found for each in self._inputs) or (sorter is not None and bool(sorter.ready))
        if not (watcher.is_behind or watcher.has_events) and is_waiting:
            return 0.0
        if watcher.is_kept and any(each.untold for each in self._inputs):
            return 0.0  # the store works again: acknowledge at once
        now = time.monotonic()
        retries = (max(0.0, each.retry_at - now) for each in self._inputs if each.retry_at is not None)
        held = None if sorter is None or sorter.ready or watcher.is_behind else sorter.pause()
        pauses = (watcher.pause(), notices.pause(), held, *retries)
        return min((pause for pause in pauses if pause is not None), default=None)

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
            if watcher.sorter is None:
                each.untold += _feed(watcher, each, notices)
            else:
                _feed_sorted(watcher, watcher.sorter, each, notices)
            watcher.keep()
        self._acknowledge()
        self._inputs = inputs = [*inputs[1:], *inputs[:1]]  # rotate the sources: a busy one must not delay the others
        # Let time pass only if no fixes are waiting, because a waiting fix may be earlier than the current time.
        if not watcher.is_behind and not any(each.found or each.has_more for each in inputs):
            if watcher.sorter is not None:
                if inputs and all(each.at_end for each in inputs):
                    watcher.sorter.flush()
                watcher.sorter.pass_time()
            watcher.pass_time()

    def release_held(self) -> None:
        """Called when the watch stops before its sources end. Releases all inputs that were read and are not fed yet,
        unless their sources will deliver them again."""
        watcher, sorter = self._watcher, self._watcher.sorter
        waiting = [each for each in self._inputs if each.tickets or each.found]
        if sorter is None or not waiting:
            return
        if all(each.source.redelivers for each in waiting):
            count = sum(len(each.tickets) + len(each.found) for each in waiting)
            text = f"{count} messages were not confirmed, because fixes are held; their sources deliver them again"
            self._notices.say(text, logging.INFO)
            return
        for each in waiting:
            while each.found:
                _sort_next(watcher, sorter, each, self._notices)
        sorter.flush()

    def feed_released(self, handles_events: bool = True) -> int:
        """Feeds released inputs, until events must be handled if `handles_events`; returns the number of fed inputs."""
        watcher, sorter, fed = self._watcher, self._watcher.sorter, 0
        assert sorter is not None
        while sorter.ready and not (handles_events and watcher.has_events) and _feed_next(watcher, sorter):
            fed += 1
        watcher.keep()
        self._acknowledge()
        return fed

    @property
    def has_released(self) -> bool:
        """True if released inputs are not fed yet."""
        return self._watcher.sorter is not None and bool(self._watcher.sorter.ready)

    def report_unfed(self) -> None:
        """Reports the inputs that cannot be fed before the end, because too many events wait."""
        sorter = self._watcher.sorter
        if sorter is not None and sorter.ready:
            self._notices.say(f"{len(sorter.ready)} held messages were not fed, because their events cannot be handled")

    def _acknowledge(self) -> None:
        """Acknowledges the inputs that were fed, if they are saved."""
        for each in self._inputs:
            each.count_fed()
        if any(each.untold for each in self._inputs):
            self._watcher.keep_all()
        for each in self._inputs:
            if self._watcher.is_kept and each.untold:
                each.source.taken(each.untold)
                each.untold = 0

    @property
    def must_end(self) -> bool:
        """True if :meth:`raise_lost` will raise an error."""
        return self.lost is not None and len(self._inputs) == 1

    def raise_lost(self, is_over: bool) -> None:
        """Raises the error that ended a source. With a single source, the error is raised at once; with several
        sources, it is raised only when all sources have ended."""
        if self.lost is not None and (is_over or self.must_end):
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
            _finish(turns, watcher)
            return
        if signals.hang_ups:
            signals.hang_ups = 0
            on_hang_up()
        with watcher.lock:
            turns.turn(ready)
        watcher.handle_events(signals.is_stopped)
        notices.pass_time()
        if turns.must_end:
            _finish(turns, watcher)
        turns.raise_lost(False)
    turns.raise_lost(True)


def _finish(turns: Turns, watcher: Watcher) -> None:
    """Feeds the held inputs and handles their events, before the watch ends. Gives up if the queue of events stays
    full, because a handler fails."""
    with watcher.lock:
        turns.release_held()
    before = 1
    while turns.has_released:
        with watcher.lock:
            fed = turns.feed_released()
        watcher.handle_events()
        if fed == before == 0:
            break
        before = fed
    turns.report_unfed()


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


def _feed_sorted(watcher: Watcher, sorter: Sorter, entry: _Input, notices: Notices) -> None:
    """Like :func:`_feed`, but the fixes are held until the sorter releases them."""
    name, most = entry.source.name, entry.source.most_untaken
    for _ in range(min(len(entry.found), FIXES_A_TURN)):
        if not _feed_ready(watcher, sorter):
            return
        _sort_next(watcher, sorter, entry, notices)
        if most is not None and len(entry.tickets) > most:
            # The sender waits until the first message is acknowledged, so the first message must not wait longer.
            entry.count_fed()
            first = entry.tickets[0].held if len(entry.tickets) > most else None
            if first is not None and first not in sorter.ready:
                sorter.release(first)
                notices.seldom("released", f"{name}: more than {most} messages are held; the earliest are fed early")
    _feed_ready(watcher, sorter)


def _sort_next(watcher: Watcher, sorter: Sorter, entry: _Input, notices: Notices) -> None:
    """Gives the next input of a source to the sorter."""
    name, (place, row) = entry.source.name, entry.found.pop()
    ticket = Ticket()
    entry.tickets.append(ticket)
    if isinstance(row, LineError):
        watcher.counts[row.kind] += 1
        notices.seldom(row.kind, f"{name}: {place}: {row}")
        ticket.is_fed = True
        return
    held = Held(row, f"{name}: {place}", name, watcher._monotonic())
    ticket.held = held
    held.tickets.append(ticket)
    early = sorter.early
    watcher.sort(sorter, held)
    if sorter.early > early:
        notices.seldom(
            "early", f"{name}: {place}: the device has more than {ROWS_A_DEVICE} held fixes; the earliest are fed early"
        )


def _feed_ready(watcher: Watcher, sorter: Sorter) -> bool:
    """Feeds the messages that the sorter has released; returns False if events must be handled first."""
    while sorter.ready:
        if watcher.has_events or watcher.is_behind or not _feed_next(watcher, sorter):
            return False
    return not watcher.has_events


def _feed_next(watcher: Watcher, sorter: Sorter) -> bool:
    held = sorter.ready[0]
    if not watcher.feed_held(held):
        return False
    sorter.ready.popleft()
    for ticket in held.tickets:
        ticket.is_fed, ticket.held = True, None
    return True
