"""The merged events of several fleets: pending events, and delivered events that are not acknowledged."""

from __future__ import annotations

import os
from array import array
from collections import Counter, deque
from collections.abc import Iterable
from typing import Any, TypeAlias

from .._native import ConsumerAlreadyActiveError
from .._system import ring
from .device_numbers import DeviceNumbers

_Entry: TypeAlias = tuple[Any, int]
"""The row of an event, and the number of the event's device."""
SEQUENCE, DATE, GENERATION, DEVICE, ROW = 0, 4, 8, -2, -1
"""Indices into an event's row."""


class ShardEvents:
    """The common event queue of several fleets. The fleets deliver all their events to this object, which keeps the
    events until they are acknowledged.

    An event is void if its condition was removed while the event was pending; later events of its device then take its
    sequence number.
    """

    def __init__(self, table: Any, numbers: DeviceNumbers) -> None:
        self._table, self._numbers = table, numbers
        self._waiting: deque[_Entry] = deque()
        self._in_flight: list[_Entry] = []
        self._handed = 0
        self._next: dict[int, int] = {}  # maps each device that has had events to the sequence number of its next event
        self._bell: tuple[int, int] | None = None  # the consumer's descriptor, and the process that it belongs to
        self.turn = self.delivered = 0
        self.closed = False

    def __len__(self) -> int:
        return len(self._waiting) + len(self._in_flight) - self._handed

    def pending(self) -> int:
        """The number of pending events that are not void."""
        known: dict[int, bool] = {}
        return sum(self._is_live(row, known) for row, _ in self._waiting)

    def is_full(self, most: int) -> bool:
        """True if at least `most` events that are not void are pending. If the queue has `most` events or more, void
        events are first removed from it."""
        if len(self._waiting) < most:
            return False
        known: dict[int, bool] = {}
        kept: deque[_Entry] = deque()
        dropped = []
        for entry in self._waiting:
            if self._is_live(entry[0], known):
                kept.append(entry)
            else:
                dropped.append(entry[1])
        self._waiting = kept
        self._release(dropped)
        return len(kept) >= most

    def waiting(self, number: int | None) -> int:
        """The number of a device's pending events that are not void."""
        known: dict[int, bool] = {}
        return sum(entry[1] == number and self._is_live(entry[0], known) for entry in self._waiting)

    def last(self, number: int, otherwise: int) -> int:
        """The sequence number of a device's last delivered event, or `otherwise` if its fleet has not delivered an
        event of the device."""
        return self._next[number] - 1 if number in self._next else otherwise

    def add(self, rows: Iterable[Any]) -> None:
        """Adds new events, in order."""
        before, number_of = len(self._waiting), self._numbers.number_of
        for row in rows:
            number = number_of(row[DEVICE])
            self._next.setdefault(number, row[SEQUENCE])
            self._waiting.append((row, number))
        if len(self._waiting) > before:
            self._ring()

    def remove(self, devices: Iterable[str], drop: bool = False) -> None:
        """Removes devices; if `drop` is set, also removes the devices' events. The number of a removed device becomes
        free when none of the device's events is left."""
        numbers = {self._numbers.number_of(device): device for device in devices}
        if drop:
            self._waiting = deque(entry for entry in self._waiting if entry[1] not in numbers)
            self._handed -= sum(entry[1] in numbers for entry in self._in_flight[: self._handed])
            self._in_flight = [entry for entry in self._in_flight if entry[1] not in numbers]
        left = Counter(entry[1] for entries in (self._in_flight, self._waiting) for entry in entries)
        for number, device in numbers.items():
            self._numbers.remove(device, left[number])
            if not left[number]:
                self._next.pop(number, None)

    def _release(self, numbers: Iterable[int]) -> None:
        for number in self._numbers.release(numbers):
            self._next.pop(number, None)

    def take(self, limit: int) -> list[Any]:
        """Returns up to `limit` events, and acknowledges the events that it returned before."""
        self.turn += 1
        self.commit()
        known: dict[int, bool] = {}
        found: list[Any] = []
        while len(found) < limit and self._handed < len(self._in_flight):
            row = self._in_flight[self._handed][0]
            self._handed += 1
            if self._is_live(row, known):
                found.append(row)
        while len(found) < limit and self._waiting:
            row, number = self._waiting.popleft()
            if not self._is_live(row, known):
                self._release((number,))
                continue
            row = (self._next[number], *row[1:])
            self._next[number] += 1
            self._in_flight.append((row, number))
            self._handed += 1
            self.delivered += 1
            found.append(row)
        return found

    def _is_live(self, row: Any, known: dict[int, bool]) -> bool:
        generation: int = row[GENERATION]
        live = known.get(generation)
        if live is None:
            live = known[generation] = self._table.identifiers_of(array("Q", [generation]))[0] is not None
        return live

    def commit(self) -> None:
        handled = self._in_flight[: self._handed]
        del self._in_flight[: self._handed]
        self._handed = 0
        self._release(number for _, number in handled)

    def abandon(self) -> None:
        self._handed = 0
        self._ring()

    def attach(self, descriptor: int) -> None:
        """Sets the descriptor of the consumer; a byte is written to this descriptor when events become pending."""
        self.refuse_second()
        self._bell = descriptor, os.getpid()
        self._ring()

    def detach(self, descriptor: int) -> None:
        if self._bell is not None and self._bell[0] == descriptor:
            self._bell = None
            self._handed = 0

    def end(self) -> None:
        self.closed = True
        self._ring(True)

    def refuse_second(self) -> None:
        """Raises an error if the fleets already have a consumer that waits for events."""
        # A child process has no waiting consumer after fork().
        if self._bell is not None and self._bell[1] != os.getpid():
            self._bell, self._handed = None, 0
        if self._bell is not None:
            text = "updates() of this fleet already has a consumer; end it before starting another"
            raise ConsumerAlreadyActiveError(text)

    def _ring(self, always: bool = False) -> None:
        if self._bell is not None and (always or len(self)):
            ring(self._bell[0])
