"""Places of devices, given as the library gives them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

# So many places are free before one is used again: see FreeLines in Sources/FencepostCore/Fleet/DeviceTable.swift.
_FEWEST_FREE = 4_096


class DeviceNumbers:
    """The numbers of devices that several fleets share, which are the places that one fleet would give them: the order
    of what one advance brings. That of a device which was removed is free when its events are handled."""

    def __init__(self) -> None:
        self._of: dict[str, int] = {}
        self.number_of = self._of.__getitem__
        self._free: deque[int] = deque()
        self._bound = 0
        self._leaving: dict[int, int] = {}  # how many events of a device that was removed are not handled

    def __len__(self) -> int:
        return len(self._of)

    def __contains__(self, device: object) -> bool:
        return device in self._of

    def get(self, device: str) -> int | None:
        """The number of a device; None: there is none of that identifier."""
        return self._of.get(device)

    def devices(self) -> list[str]:
        """Their identifiers, by number."""
        return sorted(self._of, key=self.number_of)

    def enter(self, device: str) -> int:
        """The number of a device that is new."""
        if len(self._free) > _FEWEST_FREE:
            number = self._free.popleft()
        else:
            number = self._bound
            self._bound += 1
        self._of[device] = number
        return number

    def remove(self, device: str, events: int) -> None:
        """Removes a device that still has `pending` events."""
        number = self._of.pop(device)
        if events:
            self._leaving[number] = events
        else:
            self._free.append(number)

    def release(self, numbers: Iterable[int]) -> list[int]:
        """An event of each of these was handled, or became void; which of the numbers are free now."""
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
