"""Sorts inputs that arrive late, before they are fed."""

from __future__ import annotations

from collections.abc import Hashable
from datetime import timedelta
from heapq import heappop, heappush
from itertools import count
from typing import Any, Generic, SupportsIndex, TypeVar

from .._native import InvalidArgumentError
from .._tables.numbers import integer, shown
from .._tables.times import Time, is_time, seconds_to_us, to_us, us_to_seconds

Item = TypeVar("Item")
LONGEST_WINDOW_US = 10**15


class _Device(Generic[Item]):
    """The held items of a device.

    Attributes:
        largest: The largest time that was seen from the device, in microseconds.
        rows: A heap of times, numbers in order of arrival, and items.
    """

    __slots__ = ("largest", "rows")

    def __init__(self, largest: int, rows: list[tuple[int, int, Item]]) -> None:
        self.largest, self.rows = largest, rows


class Reorderer(Generic[Item]):
    """Puts inputs that arrive late into the order of their times, before a monitor or fleet is fed.

    The reorderer holds the items of each device. It releases an item when the largest time seen from the item's device
    is at least `window` later than the item. If a device has more than `limit` items, its earliest item is released. A
    device's items are released in order of time; items with the same time are released in order of arrival.

    No item is dropped. An item that is too late for the window is released at once, out of order; the engine then
    counts it as late. A wrong time in the future ends the window of its device early, so check such times before you
    add the item. Memory grows with the number of held items only: a device without held items is forgotten, and its
    next item begins a new window.

    Args:
        window: The time span for which items are held, in seconds or as a timedelta, 0 to 1e9 s.
        limit: The maximum number of items to hold for each device, 1 to 1,000,000.

    Raises:
        InvalidArgumentError: A value is out of its range.

    Example:
        >>> from fencepost import Fix, Reorderer
        >>> reorderer = Reorderer(window=60)
        >>> for second in (10, 30, 20, 95, 40):
        ...     for fix in reorderer.add(Fix(0, 0, 5, time=second * 1_000_000)):
        ...         print(fix.time_us // 1_000_000)
        10
        20
        30
        >>> [fix.time_us // 1_000_000 for fix in reorderer.flush()]
        [40, 95]
    """

    def __init__(self, window: float | timedelta, limit: SupportsIndex = 1000) -> None:
        self._window_us = seconds_to_us(window, "window")
        if not 0 <= self._window_us <= LONGEST_WINDOW_US:
            raise InvalidArgumentError(f"window is {shown(window)}; must be from 0 to 1e9 s")
        self._limit = integer(limit, "limit", 1, 1_000_000)
        self._devices: dict[Hashable, _Device[Item]] = {}
        self._arrivals = count()
        self._size = 0

    def __repr__(self) -> str:
        return f"Reorderer(window={us_to_seconds(self._window_us):g}, limit={self._limit})"

    def __len__(self) -> int:
        """The number of held items."""
        return self._size

    def __bool__(self) -> bool:
        """Always True: a reorderer without held items is not false."""
        return True

    @property
    def devices(self) -> list[Hashable]:
        """The devices that have held items."""
        return list(self._devices)

    def add(self, item: Item, *, time: Time | None = None, device: Hashable = None) -> list[Item]:
        """Adds an item at its arrival; returns the items of its device that are released now, in order of time.

        Args:
            item: A fix, a sighting, or any other object.
            time: The time of the item. If `time` is None, the item must be a :class:`Fix`, which contains its time.
            device: The device's name; it may be None if there is only one device.

        Raises:
            TypeError: `time` is None, but the item is not a :class:`Fix`.
            InvalidArgumentError: The time is outside years 1 to 9999.

        Example:
            >>> reorderer = Reorderer(window=10)
            >>> reorderer.add("first", time=1_000_000, device="van")
            []
            >>> reorderer.add("second", time=11_000_000, device="van")
            ['first']
        """
        at = _checked(_time_of(item) if time is None else to_us(time))
        found, row = self._devices.get(device), (at, next(self._arrivals), item)
        if found is None:
            if self._window_us == 0:
                return [item]
            self._devices[device] = _Device(at, [row])
            self._size += 1
            return []
        if at > found.largest:
            found.largest = at
        heappush(found.rows, row)
        self._size += 1
        if len(found.rows) > self._limit or found.rows[0][0] <= found.largest - self._window_us:
            return self._released(device, found)
        return []

    def advance(self, time: Time, device: Hashable = None) -> list[Item]:
        """Lets time pass: counts `time` as a time that was seen from the device. Returns the items that are released
        now, in order of time. The items of a silent device are released in this way.

        Args:
            time: The time that the device's clock has reached.
            device: The device; None means all devices.

        Raises:
            InvalidArgumentError: The time is outside years 1 to 9999.

        Example:
            >>> reorderer = Reorderer(window=10)
            >>> reorderer.add("last", time=1_000_000, device="van")
            []
            >>> reorderer.advance(11_000_000)
            ['last']
        """
        at, released = _checked(to_us(time)), []
        for name in self._named(device):
            found = self._devices[name]
            found.largest = max(found.largest, at)
            while found.rows and found.rows[0][0] <= found.largest - self._window_us:
                released.append(heappop(found.rows))
            self._forget_empty(name, found)
        self._size -= len(released)
        return _items(released)

    def flush(self, device: Hashable = None) -> list[Item]:
        """Releases all held items, in order of time, and forgets the devices.

        Args:
            device: The device; None means all devices.

        Example:
            >>> reorderer = Reorderer(window=3600)
            >>> for name, second in (("late", 2), ("early", 1)):
            ...     assert reorderer.add(name, time=second * 1_000_000) == []
            >>> reorderer.flush()
            ['early', 'late']
        """
        released = [row for name in self._named(device) for row in self._devices.pop(name).rows]
        self._size -= len(released)
        return _items(released)

    def _named(self, device: Hashable) -> list[Hashable]:
        if device is None:
            return list(self._devices)
        return [device] if device in self._devices else []

    def _released(self, device: Hashable, found: _Device[Item]) -> list[Item]:
        """Removes and returns the items of a device that are due, or that exceed the limit."""
        rows, due, released = found.rows, found.largest - self._window_us, []
        while rows and (rows[0][0] <= due or len(rows) > self._limit):
            released.append(heappop(rows)[2])
        self._size -= len(released)
        self._forget_empty(device, found)
        return released

    def _earliest(self, device: Hashable) -> int | None:
        """The time of the earliest held item of a device in microseconds, or None."""
        found = self._devices.get(device)
        return None if found is None else found.rows[0][0]

    def _forget_empty(self, device: Hashable, found: _Device[Item]) -> None:
        if not found.rows:
            del self._devices[device]


def _items(rows: list[tuple[int, int, Item]]) -> list[Item]:
    rows.sort()  # the numbers of arrival differ, so items are never compared
    return [row[2] for row in rows]


def _checked(time_us: int) -> int:
    if not is_time(time_us):
        raise InvalidArgumentError(f"time {shown(time_us)} is outside year 1 to year 9999")
    return time_us


def _time_of(item: Any) -> int:
    at = getattr(item, "time_us", None)
    if type(at) is not int:
        raise TypeError(f"item must be a Fix, not {type(item).__name__}; pass the time of other items as time")
    return at
