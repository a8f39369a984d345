"""Delivers events to a handler one at a time, and redelivers each event until it is handled."""

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
from .observers import Observer
from .sorting import Held, Seen, Sorter

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
HANDLING_S = 1.0
"""The maximum time, in seconds, for which events are handled before signals, the watchdog and the inputs are
checked."""
BETWEEN_SAVES = 10.0
"""While saving fails, the time between two attempts, in seconds."""
MANY_EVENTS = 100_000
"""No inputs are read while at least this many events wait to be handled."""


class HandedEvent(Protocol):
    """An event in the form that handlers receive."""

    @property
    def sequence(self) -> int:
        """The event's sequence number within its monitor or device."""
        ...

    def to_json(self) -> str:
        """The event as one line of JSON."""
        ...


Handle = Callable[[Any], bool]
"""Handles an event; returns True if handling succeeded."""


def key_of(event: HandedEvent) -> tuple[Any, ...]:
    """The key that identifies a redelivered event, even if its device was removed and its sequence restarted from 1."""
    own = getattr(event, "event", event)
    return getattr(event, "device", None), event.sequence, getattr(own, "date", None)


def name_of(event: HandedEvent) -> str:
    """The name of an event in a notice."""
    device = getattr(event, "device", None)
    return f"event {event.sequence}" if device is None else f"event {event.sequence} of {device}"


class Handling:
    """Delivers the events of a monitor or a fleet to a handler in order. An event that is not handled is redelivered,
    after pauses that grow from 1 s to 60 s, and no later event overtakes it.

    Args:
        events: A monitor or a fleet.
        handle: Handles an event; returns True on success.
        notices: Receives a report when the store fails, and another when the store works again.
        monotonic: Returns the time of a monotonic clock, in seconds.

    Attributes:
        counts: The counters by name.
        failures: The number of attempts in which the handler did not handle an event.
        source_name: The name of the source whose messages are being fed.
        lock: Held while the monitor or fleet is fed or an event is taken from it, but never while an event is handled.
        outcome: The result of the last fix: ``accepted``, or the name of one of the :attr:`counts`.
        sorter: Holds the fixes that were read from sources until they can be fed in order of time, or None.
        observer: An object that is called when something happens, for the page or Home Assistant, or None.
        lags: For each source, the seconds between the time of the last accepted fix and its arrival.
        inputs: The sources of the latest run, with the inputs that were read and are not acknowledged yet; and those
            sources of earlier runs that still have such inputs.
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
        self.sorter: Sorter | None = None
        self.inputs: list[Any] = []
        self.observer: Observer | None = None
        self.lags: dict[str, float] = {}
        # While a held fix is fed: the seconds for which it was held, and the largest time seen from its device.
        self._held_s = 0.0
        self._seen: Seen | None = None
        # A fix that is still held may be doubted later, and a doubted fix must not move the clock of its device. So if
        # fixes can be doubted, the clock follows the fixes that were fed.
        self._doubts: bool = events._doubts
        self._store, self._store_at = self._events.statistics().store, 0.0

    def sort(self, sorter: Sorter, held: Held) -> None:
        """Gives a message to the sorter at its arrival. A fix that will be refused is not held; its time may be wrong,
        and must not end the window of its device."""
        raise NotImplementedError

    def feed(self, message: Any, place: str = "a message") -> bool:
        """Feeds a message; returns False if events must be handled first."""
        raise NotImplementedError

    def feed_held(self, held: Held) -> bool:
        """Feeds a message that the sorter has released; returns False if events must be handled first."""
        self.source_name, self._seen = held.source, held.seen
        if self._doubts and held.row is not None:
            self._seen = held.row[3], held.arrived
        self._held_s = self._monotonic() - held.arrived
        try:
            return self.feed(held.message, held.place)
        finally:
            self._held_s, self._seen = 0.0, None

    def handle_events(self, is_stopped: Callable[[], bool] = lambda: False) -> None:
        """Handles waiting events until an event fails, no event is left, or :data:`HANDLING_S` has passed."""
        end = self._monotonic() + HANDLING_S
        while (event := self.next_due()) is not None:
            if is_stopped() or self._monotonic() >= end:
                return
            is_handled = self._handle(event)
            self.settle(event, is_handled)
            if not is_handled:
                return

    def next_due(self) -> Any:
        """The event to handle now, or None. Returns the same event until :meth:`settle` is called."""
        with self.lock:
            if not self.is_kept:
                self.look_at_store()  # nothing else retries the save while no inputs are read
            if not self.is_kept or (self._waiting is None and not self._take()):
                return None
            # An event may be delivered only if the state is saved: otherwise, after a crash, an event with the same
            # sequence could return with different content.
            if not self.look_at_store() or self._monotonic() < self._retry_at:
                return None
            return self._waiting

    def settle(self, event: Any, is_handled: bool) -> None:
        """Acknowledges the event that :meth:`next_due` returned, or schedules its redelivery if the event was not
        handled. Does nothing if :meth:`look_again` has withdrawn the event in the meantime."""
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
        """Call this method after the conditions have changed. If the change removed the condition of the waiting event,
        the event is gone as well; otherwise the event is retried at once."""
        if self._waiting is not None:
            self._events.abandon()
            self._waiting = None
        self._retry_at, self._pause = 0.0, FIRST_PAUSE
        if self.observer is not None:
            self.observer.is_outdated = True

    def keep(self) -> None:
        """Reports if the store has begun to fail, or works again."""
        self.look_at_store()

    def keep_all(self) -> None:
        """Saves all accepted inputs, before they are acknowledged to their source. The engine saves an input without an
        event, such as the first fix of a device outside all zones, only with a later change or checkpoint."""
        if self._store == StoreStatus.KEPT and not self._events.statistics().all_kept:
            try:
                self._events.checkpoint()
            except FencepostError:
                self.look_at_store()  # reports that the store fails

    @property
    def is_kept(self) -> bool:
        """True if inputs may be acknowledged and events delivered, that is, if there is no store or the store can be
        written."""
        return self._store in (StoreStatus.NONE, StoreStatus.KEPT)

    def look_at_store(self, force: bool = False) -> bool:
        """Checks whether the store can be written, and reports when this changes. While saving fails, this method tries
        to save again every 10 s, or at once if `force` is true.

        Returns:
            :attr:`is_kept`.

        Raises:
            StoreUnavailableError: The store's file is gone, so nothing can ever be written again.
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
        """Called when the status of the store has changed."""
        if status == StoreStatus.GONE:
            raise StoreUnavailableError(
                "the store was moved, deleted or replaced while it was open; restart the watch: it then continues from "
                "the store at that path"
            )
        if status == StoreStatus.FAILING:
            self.counts["store_errors"] += 1
            self._notices.say(
                "the store cannot be written; until it can, no event is delivered and no message is "
                "confirmed to a broker"
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
        """True if events should be handled before more inputs are fed."""
        return False

    @property
    def is_done(self) -> bool:
        """True if every event was handled."""
        return self._waiting is None and (self.is_kept or self._events.statistics().pending_events == 0)

    @property
    def is_behind(self) -> bool:
        """True if so many events wait that no more inputs should be read."""
        return self._waiting is not None and self._events.statistics().pending_events >= MANY_EVENTS

    def _until_retry(self) -> list[float]:
        """Returns the seconds until the waiting event is redelivered, or, while the store cannot be written, until the
        next attempt to save; the list is empty if neither is due."""
        pauses = [] if self._waiting is None or not self.is_kept else [self._retry_at - self._monotonic()]
        if not self.is_kept:
            pauses.append(self._store_at - self._monotonic())
        return pauses
