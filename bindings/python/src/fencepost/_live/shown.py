"""The devices and conditions that the live page shows: those of a fleet, or a monitor and its only device."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Protocol

from .._fleet.fleet import Fleet
from .._monitor.monitor import Monitor
from .._native import FencepostError
from .._values.definitions import Definition
from .._values.enums import Cause, State
from .._values.events import Event
from .._values.explanation import Explanation
from .._values.records import Record
from .live_event import ONE_DEVICE
from .watched_monitor import Watch

if TYPE_CHECKING:
    from .loop import Watcher


class Shown(Protocol):
    """The devices and conditions of a page. No method raises an exception if a device or condition was removed in the
    meantime."""

    def devices(self) -> Iterable[str]:
        """The names of the devices."""

    def definitions(self) -> list[Definition | Record]:
        """The conditions, in the order in which they were added."""

    def inside(self, device: str) -> list[tuple[str, int | None]]:
        """The conditions that a device is inside of, each with the time of its entry in microseconds, or None. Rules
        may be among them."""

    def happened(self, event: Event) -> None:
        """Called with each event before :meth:`inside`."""

    def explain(self, device: str, identifier: str) -> Explanation | None:
        """Explains the state of a condition."""

    def state(self, device: str, identifier: str) -> State:
        """The observed state of a condition, which needs less work than :meth:`explain`."""

    def clock(self, device: str) -> int | None:
        """The clock of a device. The states of a device change only with its clock, or with the conditions."""

    def last_decider(self, device: str, rule: str) -> int | None:
        """The generation of the part that decided the last event of a rule, if it is known before the first event."""


class ShownFleet:
    """The devices and conditions of a fleet.

    Args:
        fleet: The fleet.
        is_others: A function that returns True if a condition does not apply to a device.
    """

    def __init__(self, fleet: Fleet, is_others: Callable[[str, str], bool] = lambda _, __: False) -> None:
        self._fleet, self._is_others = fleet, is_others

    def devices(self) -> Iterable[str]:
        return self._fleet.devices

    def definitions(self) -> list[Definition | Record]:
        table = self._fleet.conditions
        found = (table.get(identifier) for identifier in table.identifiers)
        return [definition for definition in found if definition is not None]

    def inside(self, device: str) -> list[tuple[str, int | None]]:
        try:
            rows = self._fleet._handle.inside(device)
        except FencepostError:
            return []
        return [(row[0], row[3]) for row in rows if not self._is_others(row[0], device)]

    def happened(self, event: Event) -> None:
        pass

    def explain(self, device: str, identifier: str) -> Explanation | None:
        try:
            return self._fleet[device].explain(identifier)
        except FencepostError:
            return None

    def state(self, device: str, identifier: str) -> State:
        try:
            return self._fleet[device].state(identifier)
        except FencepostError:
            return State.UNKNOWN

    def clock(self, device: str) -> int | None:
        try:
            found: int | None = self._fleet._handle.device_statistics(device)[0]
        except FencepostError:
            return None
        return found

    def last_decider(self, device: str, rule: str) -> int | None:
        return None


class ShownMonitor:
    """The conditions of a monitor, and its only device. The device is shown after its first input.

    Args:
        monitor: The monitor.
    """

    def __init__(self, monitor: Monitor) -> None:
        self._monitor = monitor
        # The generation of each condition that was entered, and the time of the event. Reading the records of all
        # conditions for each event would take too long.
        self._entered: dict[str, tuple[int, int | None]] = {}

    def devices(self) -> Iterable[str]:
        return () if self._monitor.clock_us is None else (ONE_DEVICE,)

    def definitions(self) -> list[Definition | Record]:
        records = self._monitor.records()
        known, self._entered = self._entered, {}
        for record in records:
            event, entered = record.last_event, known.get(record.identifier)
            if entered is not None and entered[0] == record.generation:
                self._entered[record.identifier] = entered
            elif event.sequence and event.state is State.SATISFIED:
                self._entered[record.identifier] = record.generation, event.date_us
        return list(records)

    def inside(self, device: str) -> list[tuple[str, int | None]]:
        found = self._monitor.identifiers_in_state(State.SATISFIED)
        return [(identifier, self._entered.get(identifier, (0, None))[1]) for identifier in found]

    def happened(self, event: Event) -> None:
        if event.state is not State.SATISFIED:
            self._entered.pop(event.identifier, None)
        elif event.cause is not Cause.REPEAT or event.identifier not in self._entered:
            self._entered[event.identifier] = event.generation, event.date_us

    def explain(self, device: str, identifier: str) -> Explanation | None:
        try:
            return self._monitor.explain(identifier)
        except FencepostError:
            return None

    def state(self, device: str, identifier: str) -> State:
        try:
            return self._monitor.state(identifier)
        except FencepostError:
            return State.UNKNOWN

    def clock(self, device: str) -> int | None:
        return self._monitor.clock_us

    def last_decider(self, device: str, rule: str) -> int | None:
        record = self._monitor.record(rule)
        return None if record is None else record.last_event.decided_by


def followed(watcher: Watcher) -> Shown:
    """The devices and conditions of a watch."""
    if isinstance(watcher, Watch):
        return ShownMonitor(watcher.monitor)
    return ShownFleet(watcher.fleet, watcher.circles.is_others)
