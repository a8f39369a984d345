"""Events are handed to who handles them: one after the other, again until each is handled."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any, Protocol

from .._native import FencepostError, StoreUnavailableError
from .._values.enums import StoreStatus
from .._values.events import Event
from .notices import Notices

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
HANDLING_S = 1.0
"""Longest duration of a turn before signals, the watchdog and the inputs are checked."""
BETWEEN_SAVES = 10.0
"""Seconds between two attempts to save while the store fails."""
MANY_EVENTS = 100_000
"""While that many events wait for the command, nothing is read."""


class HandedEvent(Protocol):
    """An event as handlers get it."""

    @property
    def sequence(self) -> int:
        """Of its monitor or device."""
        ...

    def to_json(self) -> str:
        """The line that is handed on."""
        ...


Handle = Callable[[Any], bool]
"""Handles an event; True when it is handled."""


def key_of(event: HandedEvent) -> tuple[Any, ...]:
    """The key that identifies a redelivered event, also of a device that was removed and counts from 1 again."""
    own = getattr(event, "event", event)
    return getattr(event, "device", None), event.sequence, getattr(own, "date", None)


def name_of(event: HandedEvent) -> str:
    """The name of an event in a notice."""
    device = getattr(event, "device", None)
    return f"event {event.sequence}" if device is None else f"event {event.sequence} of {device}"


class Handling:
    """The events of a monitor or a fleet, given to a handler in order. One that is not handled is given again, after
    pauses that grow from 1 s to 60 s, and nothing overtakes it.

    Args:
        events: A monitor or a fleet.
        handle: True when the event is handled.
        notices: Where it is said that the store fails.
        monotonic: Seconds of a clock that never goes back.

    Attributes:
        counts: The counters by name.
        failures: How often an event was not handled when it was given.
        source_name: Of the source that is being fed.
        lock: Held while the monitor or fleet is fed, or an event is taken from it; never while one is handled.
        outcome: What the last fix was counted as: ``accepted``, or a name of :attr:`counts`.
    """

    def __init__(
        self, events: Any, handle: Handle, notices: Notices, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._events, self._handle, self._notices, self._monotonic = events, handle, notices, monotonic
        self.lock = threading.RLock()
        self.counts: Counter[str] = Counter()
        self._waiting: Any = None
        self._retry_at, self._pause = 0.0, FIRST_PAUSE
        self.failures, self.source_name, self.outcome = 0, "", "accepted"
        self._store, self._store_at = self._events.statistics().store, 0.0

    def handle_events(self, is_stopped: Callable[[], bool] = lambda: False) -> None:
        """Has the events handled that wait, until one is not, nothing more is to be done, or for some time."""
        end = self._monotonic() + HANDLING_S
        while (event := self.next_due()) is not None:
            if is_stopped() or self._monotonic() >= end:
                return
            is_handled = self._handle(event)
            self.settle(event, is_handled)
            if not is_handled:
                return

    def next_due(self) -> Any:
        """The event that is to be handled now, the same one until :meth:`settle`; None: there is none."""
        with self.lock:
            if not self.is_kept:
                self.look_at_store()  # while inputs wait for the events to be handled, nothing else does it
            if not self.is_kept or (self._waiting is None and not self._take()):
                return None
            # Handing out is a change as well: an event that the store does not have could come again after a crash,
            # under the same sequence with other content.
            if not self.look_at_store() or self._monotonic() < self._retry_at:
                return None
            return self._waiting

    def settle(self, event: Any, is_handled: bool) -> None:
        """Acknowledges the event of :meth:`next_due`, or has it come again after a pause. An event that was withdrawn
        meanwhile (:meth:`look_again`) stays so."""
        with self.lock:
            if event is not self._waiting:
                return
            if not is_handled:
                self.failures += 1
                self._retry_at = self._monotonic() + self._pause
                self._pause = min(2 * self._pause, LONGEST_PAUSE)
                return
            self._pause = FIRST_PAUSE
            self._events.acknowledge()
            self._waiting = None

    def look_again(self) -> None:
        """After a change of the conditions: the event that waits may have gone with its condition, else it is tried
        again at once."""
        if self._waiting is not None:
            self._events.abandon()
            self._waiting = None
        self._retry_at, self._pause = 0.0, FIRST_PAUSE

    def keep(self) -> None:
        """Saves the accepted inputs that are not saved yet, before they are acknowledged to the source."""
        self.look_at_store()

    @property
    def is_kept(self) -> bool:
        """Whether inputs may be acknowledged and events delivered: there is no store, or it can be written."""
        return self._store in (StoreStatus.NONE, StoreStatus.KEPT)

    def look_at_store(self, force: bool = False) -> bool:
        """Notes whether the store takes what happens, and says it when that changes. While it fails, tries to save
        every 10 s, or at once.

        Returns:
            :attr:`is_kept`.

        Raises:
            StoreUnavailableError: Its file is gone: nothing more will be written, however long one waits.
        """
        status = self._events.statistics().store
        if status == StoreStatus.FAILING and (force or self._monotonic() >= self._store_at):
            try:
                self._events.checkpoint()
            except FencepostError:
                self._store_at = self._monotonic() + BETWEEN_SAVES
            status = self._events.statistics().store
        if status != self._store:
            self._store = status
            self._store_changed(status)
        return self.is_kept

    def _store_changed(self, status: StoreStatus) -> None:
        """Called when the store fails, works again or is gone."""
        if status == StoreStatus.GONE:
            raise StoreUnavailableError(
                "the store was moved, deleted or replaced while it was open; a watch that is started again goes on "
                "from the one that is there then"
            )
        if status == StoreStatus.FAILING:
            self.counts["store_errors"] += 1
            self._notices.say(
                "the store cannot be written: until it can be, no event is handed on and nothing is confirmed to a "
                "broker"
            )
        else:
            self._notices.say("the store can be written again")

    def _take(self) -> bool:
        event = self._events.next_event()
        self._waiting = None if event is None else self._handed(event)
        return self._waiting is not None

    def _handed(self, event: Event) -> Any:
        """The object that a handler receives for an event."""
        return event

    @property
    def has_events(self) -> bool:
        """Whether events should be handled before more is fed."""
        return False

    @property
    def is_done(self) -> bool:
        """Whether every event was handled."""
        return self._waiting is None and (self.is_kept or self._events.statistics().pending_events == 0)

    @property
    def is_behind(self) -> bool:
        """Whether so many events wait that nothing should be read."""
        return self._waiting is not None and self._events.statistics().pending_events >= MANY_EVENTS

    def _until_retry(self) -> list[float]:
        """Seconds until the event that waits is given again, if there is one."""
        pauses = [] if self._waiting is None or not self.is_kept else [self._retry_at - self._monotonic()]
        if not self.is_kept:
            pauses.append(self._store_at - self._monotonic())
        return pauses
