"""Sorts the fixes of a watch by time before they are fed (``--reorder``)."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable
from typing import Any

from .._files.doubts import is_usable
from .._files.tracks import FixRow
from .._monitor.reorderer import Reorderer
from .._tables.times import is_time

ROWS_A_DEVICE = 1_000
"""The maximum number of fixes that are held for each device."""
Seen = tuple[int, float]
"""The largest time that was seen from a device, in microseconds, and the monotonic time at which it arrived."""


class Ticket:
    """A message that was read from a source and is not confirmed yet.

    Attributes:
        is_fed: True if the message was fed or refused.
        held: The held fix of the message, or None.
    """

    __slots__ = ("held", "is_fed")

    def __init__(self) -> None:
        self.is_fed = False
        self.held: Held | None = None


class Held:
    """A message that waits to be fed.

    Attributes:
        message: The message.
        place: A text that says where the message is in its source.
        source: The name of the source.
        device: The device of a fix; an empty text if the source follows one device.
        row: The fix, or None if the message has no fix.
        arrived: The monotonic time at which the message arrived.
        tickets: The tickets of the message and of its repetitions.
        seen: The largest time that was seen from the device when the message was released.
    """

    __slots__ = ("arrived", "device", "message", "place", "row", "seen", "source", "tickets")

    def __init__(self, message: Any, place: str, source: str, arrived: float) -> None:
        self.message, self.place, self.source, self.arrived = message, place, source, arrived
        self.device = ""
        self.row: FixRow | None = None
        self.tickets: list[Ticket] = []
        self.seen: Seen | None = None


def is_sortable(row: FixRow) -> bool:
    """False for a fix that the engine will refuse because of its position, error ellipse or time."""
    latitude, longitude, accuracy, at, *beside = row
    return is_usable(latitude, longitude, accuracy, *beside) and is_time(at)


class Sorter:
    """Holds the fixes of a watch until they are `window` seconds older than the largest time seen from their device,
    and releases them in order of time. While a device is silent, its largest time grows with the time that passes,
    minus `lag`.

    Args:
        window: The time span for which fixes are held, in seconds.
        lag: The maximum delay of a fix, in seconds.
        monotonic: Returns the seconds of a monotonic clock.

    Attributes:
        ready: The released messages, in the order in which they must be fed.
        early: The number of fixes that were released early, because their device had too many held fixes.
    """

    def __init__(self, window: float, lag: float, monotonic: Callable[[], float]) -> None:
        self._reorderer: Reorderer[Held] = Reorderer(window, ROWS_A_DEVICE)
        self._window_us, self._lag_us, self._monotonic = round(window * 1e6), round(lag * 1e6), monotonic
        self.ready: deque[Held] = deque()
        self._seen: dict[str, Seen] = {}
        self._repeated: dict[tuple[str, FixRow], Held] = {}
        # A heap of the times at which a device's earliest fix must be released even if the device is silent. An entry
        # is valid only while it equals the device's current time.
        self._due: list[tuple[float, str]] = []
        self.early = 0

    def __len__(self) -> int:
        """The number of messages that are not fed yet."""
        return len(self._reorderer) + len(self.ready)

    def holds(self, device: str) -> bool:
        """True if fixes of the device are held."""
        return device in self._seen

    @property
    def device_count(self) -> int:
        """The number of devices with held fixes."""
        return len(self._seen)

    def seen(self, device: str) -> Seen | None:
        """The largest time that was seen from a device with held fixes."""
        return self._seen.get(device)

    def earliest(self, device: str) -> int | None:
        """The time of the device's earliest held fix in microseconds, or None."""
        return self._reorderer._earliest(device)

    def pass_through(self, held: Held) -> None:
        """Adds a message that must not be held. It is fed after the messages that have been released."""
        self.ready.append(held)

    def add(self, held: Held) -> bool:
        """Adds a fix; returns False if the same fix of the device is already held. The fix that is held then has the
        tickets of both."""
        assert held.row is not None
        key, at, device = (held.device, held.row), held.row[3], held.device
        if (first := self._repeated.get(key)) is not None:
            first.tickets = [*(ticket for ticket in first.tickets if not ticket.is_fed), *held.tickets]
            for ticket in held.tickets:
                ticket.held = first
            return False
        self._repeated[key] = held
        seen = self._seen.get(device)
        if seen is None or at > seen[0]:
            self._seen[device] = at, held.arrived
        released = self._reorderer.add(held, time=at, device=device)
        due = self._seen[device][0] - self._window_us
        self.early += sum(each.row is not None and each.row[3] > due for each in released)
        self._release(device, released)
        return True

    def add_last(self, held: Held) -> None:
        """Adds a message without a fix, which is fed after the device's held fixes."""
        device = held.device
        self._release(device, self._reorderer.add(held, time=self._seen[device][0], device=device))

    def release(self, held: Held) -> None:
        """Releases a held message before its time, with all earlier fixes of the device."""
        device = held.device
        at = self._seen[device][0] if held.row is None else held.row[3]
        self._release(device, self._reorderer.advance(at + self._window_us, device))

    def pass_time(self) -> None:
        """Releases the fixes of silent devices that are due."""
        now = self._monotonic()
        while self._due and self._due[0][0] <= now:
            due, device = heapq.heappop(self._due)
            earliest = self.earliest(device)
            if earliest is None or due != self._due_at(device, earliest):
                continue
            then, arrived = self._seen[device]
            # Because of rounding, the computed time may be slightly before the time at which the fix is due.
            at = max(then + int((now - arrived) * 1e6) - self._lag_us, earliest + self._window_us)
            self._release(device, self._reorderer.advance(at, device))

    def flush(self) -> None:
        """Releases everything."""
        released = self._reorderer.flush()
        for held in released:
            self._set_ready(held, self._seen[held.device])
        self._seen.clear()
        self._due.clear()

    def drop(self, device: str) -> int:
        """Removes the held fixes of a device; their messages count as fed. Returns the number of fixes."""
        dropped = self._reorderer.flush(device)
        self._seen.pop(device, None)
        for held in dropped:
            self._forget(held)
            for ticket in held.tickets:
                ticket.is_fed = True
        return len(dropped)

    def pause(self) -> float | None:
        """Seconds until a fix of a silent device is due; None if no fix is held."""
        return max(0.0, self._due[0][0] - self._monotonic()) if self._due else None

    def _release(self, device: str, released: list[Held]) -> None:
        seen = self._seen[device]
        for held in released:
            self._set_ready(held, seen)
        earliest = self.earliest(device)
        if earliest is None:
            del self._seen[device]
            return
        heapq.heappush(self._due, (self._due_at(device, earliest), device))
        if len(self._due) > 4 * len(self._seen) + 64:
            found = ((name, self.earliest(name)) for name in self._seen)
            self._due = [(self._due_at(name, at), name) for name, at in found if at is not None]
            heapq.heapify(self._due)

    def _set_ready(self, held: Held, seen: Seen) -> None:
        self._forget(held)
        held.seen = seen
        self.ready.append(held)

    def _forget(self, held: Held) -> None:
        if held.row is not None:
            self._repeated.pop((held.device, held.row), None)

    def _due_at(self, device: str, earliest: int) -> float:
        """The monotonic time at which a device's earliest fix is due if the device stays silent."""
        then, arrived = self._seen[device]
        return arrived + (earliest - then + self._lag_us + self._window_us) / 1e6
