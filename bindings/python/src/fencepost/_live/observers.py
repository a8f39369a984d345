"""Reports changes of the devices to several observers, such as the page and Home Assistant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from .._files.tracks import FixRow
from .live_event import EventOfOne, LiveEvent


class Observer(Protocol):
    """An object whose methods the watch calls when something happens.

    Attributes:
        is_outdated: Set when the conditions have changed.
    """

    is_outdated: bool

    def moved(self, device: str, row: FixRow | None) -> None:
        """Called when a device has a new fix; `row` is None if the device has disconnected."""

    def happened(self, handed: LiveEvent | EventOfOne) -> None:
        """Called when there is an event."""

    def forgotten(self, devices: Iterable[str]) -> None:
        """Called when devices are no longer followed."""


class Observers:
    """Passes each call to several observers."""

    def __init__(self, observers: Sequence[Observer]) -> None:
        self._observers = observers

    @property
    def is_outdated(self) -> bool:
        return any(each.is_outdated for each in self._observers)

    @is_outdated.setter
    def is_outdated(self, value: bool) -> None:
        for each in self._observers:
            each.is_outdated = value

    def moved(self, device: str, row: FixRow | None) -> None:
        for each in self._observers:
            each.moved(device, row)

    def happened(self, handed: LiveEvent | EventOfOne) -> None:
        for each in self._observers:
            each.happened(handed)

    def forgotten(self, devices: Iterable[str]) -> None:
        devices = list(devices)
        for each in self._observers:
            each.forgotten(devices)
