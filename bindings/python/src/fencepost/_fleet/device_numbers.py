"""Assigns device numbers in the same order as the library."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

# A free number is used again only when at least this many numbers are free: see FreeLines in
# Sources/FencepostCore/Fleet/DeviceTable.swift.
_FEWEST_FREE = 4_096


class DeviceNumbers:
    """Numbers the devices of several fleets; each device gets the number that it would get in a single fleet. The
    device numbers determine the order of the events that one advance produces. The number of a removed device becomes
    free when its events are acknowledged.
    """

    def __init__(self) -> None:
        self._of: dict[str, int] = {}
        self.number_of = self._of.__getitem__
        self._free: deque[int] = deque()
        self._bound = 0
        self._leaving: dict[int, int] = {}  # maps each removed device to the number of its unacknowledged events

    def __len__(self) -> int:
        return len(self._of)

    def __contains__(self, device: object) -> bool:
        return device in self._of

    def get(self, device: str) -> int | None:
        """The number of a device, or None if no device has that identifier."""
        return self._of.get(device)

    def devices(self) -> list[str]:
        """The identifiers of the devices, in the order of their numbers."""
        return sorted(self._of, key=self.number_of)

    def enter(self, device: str) -> int:
        """Assigns a number to a new device."""
        if len(self._free) > _FEWEST_FREE:
            number = self._free.popleft()
        else:
            number = self._bound
            self._bound += 1
        self._of[device] = number
        return number

    def remove(self, device: str, events: int) -> None:
        """Removes a device; `events` is the number of its events that are not yet acknowledged."""
        number = self._of.pop(device)
        if events:
            self._leaving[number] = events
        else:
            self._free.append(number)

    def release(self, numbers: Iterable[int]) -> list[int]:
        """Records that events were acknowledged or became void; `numbers` contains one device number for each of these
        events. Returns the numbers that are now free."""
        freed = []
        for number in numbers:
            events = self._leaving.get(number)
            if events is None:
                continue
            if events > 1:
                self._leaving[number] = events - 1
            else:
                del self._leaving[number]
                self._free.append(number)
                freed.append(number)
        return freed
