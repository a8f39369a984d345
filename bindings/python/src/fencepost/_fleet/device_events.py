"""Events of the devices of a fleet."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .._dataclass import dataclass
from .._log.visits import Visits, visits_of
from .._monitor.loops import EventLoop
from .._monitor.updates import EventUpdates
from .._tables.times import to_us
from .._values.conditions import Beacon  # noqa: F401, like the next import: the types of an event's fields
from .._values.enums import Cause, CrossingDirection, Diagnostics, State  # noqa: F401
from .._values.events import EVENT_COLUMNS, EVENT_KINDS, Event, EventRows

if TYPE_CHECKING:
    from .._tables.times import Time


@dataclass(frozen=True, slots=True, repr=False)
class DeviceEvent(Event):
    """An event of one of a fleet's devices: the same :class:`Event` that the device's own monitor would give.

    Attributes:
        device: The device's identifier. Together, the device and `sequence` (which counts the events of each device)
            are the key for an idempotent sink.
        row: The row of the :meth:`Fleet.feed_many` call that produced the event; 0 if another call produced it.

    Example:
        >>> from fencepost import Fix, Fleet, Zones
        >>> zones = Zones()
        >>> zones.add_many(["a", "b"], [0, 0], [0, 1], [100, 100])
        >>> fleet = Fleet(zones)
        >>> fleet.feed_many(device=["x", "y"], latitude=[0, 0], longitude=[0, 1], time=[0, 0])
        FeedResult(accepted=2, invalid=0, late=0)
        >>> [(event.device, event.identifier, event.sequence, event.row) for event in fleet.events()]
        [('x', 'a', 1, 0), ('y', 'b', 1, 1)]
    """

    device: str = ""
    row: int = 0

    def __repr__(self) -> str:
        return f"<DeviceEvent {self.device!r} {Event.__repr__(self).removeprefix('<Event ')}"

    def to_json(self) -> str:
        """The event as one JSON object on one line: ``device``, then the members of :meth:`Event.to_json`."""
        import json

        return f'{{"device":{json.dumps(self.device, ensure_ascii=False)},{Event.to_json(self)[1:]}'

    def _repr_html_(self) -> str:
        return DeviceEventList([self])._repr_html_()

    @classmethod
    def _from_row(cls, row: Any) -> DeviceEvent:
        event = Event._from_row(row[:-2])
        fields: dict[str, Any] = {name: getattr(event, name) for name in Event.__match_args__}
        return cls(**fields, device=row[-2], row=row[-1])


class DeviceEvents(EventLoop[DeviceEvent]):
    """The pending events of a fleet: the result of :meth:`Fleet.events`. If a loop over the events ends early, the last
    event of the loop is delivered again, as with :class:`Events`.

    Example:
        >>> from fencepost import Fix, Fleet, Zones
        >>> zones = Zones()
        >>> zones.add_many(["a", "b"], [0, 0], [0, 0], [100, 200])
        >>> fleet = Fleet(zones)
        >>> fleet.feed("x", Fix(0, 0, time=0))
        >>> for event in fleet.events():
        ...     break  # not handled
        >>> [event.identifier for event in fleet.events()]
        ['a', 'b']
    """

    __slots__ = ()
    _of = staticmethod(DeviceEvent._from_row)


class DeviceUpdates(EventUpdates[DeviceEvent]):
    """The events of a fleet as they become available: the result of :meth:`Fleet.updates`. The iterator works like
    :class:`Updates`.

    Example:
        >>> import asyncio
        >>> from fencepost import Fix, Fleet, Zones
        >>> async def first(fleet: Fleet) -> str:
        ...     async for event in fleet.updates():
        ...         return event.device
        >>> zones = Zones()
        >>> zones.add_many(["depot"], [52.5], [13.4], [100])
        >>> fleet = Fleet(zones)
        >>> fleet.feed("truck-7", Fix(52.5, 13.4, time=0))
        >>> asyncio.run(first(fleet))
        'truck-7'
    """

    __slots__ = ()
    _of = staticmethod(DeviceEvent._from_row)


DEVICE_EVENT_COLUMNS: dict[str, Callable[[DeviceEvent], Any]] = {
    "device": lambda event: event.device,
    **EVENT_COLUMNS,
    "row": lambda event: event.row,
}


class DeviceEventList(EventRows[DeviceEvent]):
    """A list of device events that can also be used as a table, for example in pandas or in notebooks.

    Example:
        >>> from fencepost import Fix, Fleet, Zones
        >>> zones = Zones()
        >>> zones.add_many(["depot"], [52.5], [13.4], [100])
        >>> fleet = Fleet(zones)
        >>> fleet.feed("truck-7", Fix(52.5, 13.4, time=0))
        >>> fleet.poll()
        [<DeviceEvent 'truck-7' 1 'depot' satisfied 1970-01-01 00:00:00 UTC, determination, 100.0 m inside>]
    """

    __slots__ = ()

    def columns(self) -> dict[str, list[Any]]:
        """The events as columns of equal length: ``device``, the columns of :meth:`EventList.columns`, and ``row``.

        Example:
            >>> from fencepost import Fix, Fleet, Zones
            >>> zones = Zones()
            >>> zones.add_many(["depot"], [52.5], [13.4], [100])
            >>> fleet = Fleet(zones)
            >>> fleet.feed("truck-7", Fix(52.5, 13.4, time=0))
            >>> fleet.poll().columns()["device"]
            ['truck-7']
        """
        return {name: [value(event) for event in self] for name, value in DEVICE_EVENT_COLUMNS.items()}

    def visits(self, end: Time | None = None) -> Visits:
        """The intervals during which each device satisfied each condition, derived from the events in this list.

        If the events come from several calls, combine them first: ``DeviceEventList([*before, *events])``.

        Args:
            end: Open visits are counted up to this time. If `end` is None, the latest time of the events is used.

        Example:
            >>> from fencepost import Fleet, Zones
            >>> zones = Zones()
            >>> zones.add_many(["depot"], [0], [0], [150], policy="exact")
            >>> fleet = Fleet(zones)
            >>> times = [0, 60_000_000, 90_000_000]
            >>> _ = fleet.feed_many(device="x", latitude=[0, 0, 1], longitude=[1, 0, 0], time=times)
            >>> [(visit.track, visit.identifier, visit.duration.seconds) for visit in fleet.poll().visits()]
            [('x', 'depot', 30)]
        """
        by_device: dict[str, list[DeviceEvent]] = {}
        for event in self:
            by_device.setdefault(event.device, []).append(event)
        dates = [event.date_us for event in self if event.date_us is not None]
        last = max(dates, default=None) if end is None else to_us(end, "end")
        found = (
            visit for device, own in by_device.items() for visit in visits_of(own, None, last, None, device, "device")
        )
        return Visits(found, "device")

    def _kinds(self) -> dict[str, str]:
        return {**EVENT_KINDS, "row": "uint"}

    def _shown(self) -> dict[str, Callable[[DeviceEvent], Any]]:
        return {"device": DEVICE_EVENT_COLUMNS["device"], **super()._shown()}
