"""The events of several fleets that count as one: what waits, and what is handed out and not committed."""

from __future__ import annotations

import os
from array import array
from collections import Counter, deque
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from .._native import ConsumerAlreadyActiveError

_Entry: TypeAlias = tuple[Any, int]
"""A row of an event, and the number of its device."""
SEQUENCE, DATE, GENERATION, DEVICE, ROW = 0, 4, 8, -2, -1
"""Places in a row."""


class ShardEvents:
    """The queue of several fleets. Each of them has handed all of its events out into it: it keeps what was not told.

    An event of a condition that was removed since is void; those of its device after it take its number.
    """

    def __init__(self, table: Any) -> None:
        self._table = table
        self._waiting: deque[_Entry] = deque()
        self._in_flight: list[_Entry] = []
        self._handed = 0
        self._void: Counter[int] = Counter()  # events of a device that became void in the queue
        self._bell: tuple[int, int] | None = None  # whom to wake, and in which process
        self.turn = self.told = 0
        self.closed = False

    def __len__(self) -> int:
        return len(self._waiting) + len(self._in_flight) - self._handed

    def pending(self) -> int:
        """How many events wait that are not void."""
        known: dict[int, bool] = {}
        return sum(self._is_live(row, known) for row, _ in self._waiting)

    def waiting(self, number: int) -> int:
        """How many events of a device wait."""
        return sum(entry[1] == number for entry in self._waiting)

    def untold(self, number: int) -> int:
        """How many events of a device were not handed out, though its fleet did."""
        return self.waiting(number) + self._void.get(number, 0)

    def add(self, rows: Iterable[Any], number_of: Callable[[str], int]) -> None:
        """Rows that came about, in order."""
        before = len(self._waiting)
        self._waiting.extend((row, number_of(row[DEVICE])) for row in rows)
        if len(self._waiting) > before:
            self._ring()

    def drop(self, number: int) -> None:
        """Drops the events of a device."""
        self._waiting = deque(entry for entry in self._waiting if entry[1] != number)
        self._handed -= sum(entry[1] == number for entry in self._in_flight[: self._handed])
        self._in_flight = [entry for entry in self._in_flight if entry[1] != number]

    def take(self, limit: int) -> list[Any]:
        """Up to so many events; asking commits those before."""
        self.turn += 1
        self.commit()
        known: dict[int, bool] = {}
        found: list[Any] = []
        while len(found) < limit and self._handed < len(self._in_flight):
            if self._is_live(self._in_flight[self._handed][0], known):
                found.append(self._in_flight[self._handed][0])
                self._handed += 1
            else:
                del self._in_flight[self._handed]
        while len(found) < limit and self._waiting:
            row, number = self._waiting.popleft()
            if not self._is_live(row, known):
                self._void[number] += 1
                continue
            if number in self._void:
                row = (row[SEQUENCE] - self._void[number], *row[1:])
            self._in_flight.append((row, number))
            self._handed += 1
            self.told += 1
            found.append(row)
        return found

    def _is_live(self, row: Any, known: dict[int, bool]) -> bool:
        generation: int = row[GENERATION]
        live = known.get(generation)
        if live is None:
            live = known[generation] = self._table.identifiers_of(array("Q", [generation]))[0] is not None
        return live

    def commit(self) -> None:
        del self._in_flight[: self._handed]
        self._handed = 0

    def abandon(self) -> None:
        self._handed = 0
        self._ring()

    def attach(self, descriptor: int) -> None:
        """Whom to wake through an eventfd."""
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
        """Raises when a consumer waits for events."""
        if self._bell is not None and self._bell[1] != os.getpid():  # in a child after fork() nobody waits
            self._bell, self._handed = None, 0
        if self._bell is not None:
            text = "updates() of this fleet are being consumed; that consumer must end before there is another"
            raise ConsumerAlreadyActiveError(text)

    def _ring(self, always: bool = False) -> None:
        if self._bell is not None and (always or len(self)):
            try:
                os.eventfd_write(self._bell[0], 1)
            except BlockingIOError:  # it is to be woken already
                pass
