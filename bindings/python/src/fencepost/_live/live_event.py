"""An event of a device, with further data from the device's message."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from .._dataclass import dataclass, field
from .._fleet.device_events import DeviceEvent
from .._values.enums import EventKind, State
from .._values.events import Event

ONE_DEVICE = "device"
"""The name on the page of the device that a monitor follows."""


@dataclass(frozen=True, slots=True)
class EventOfOne:
    """An event of a monitor, in the form in which observers receive events.

    Attributes:
        event: The monitor's event.
    """

    event: Event

    @property
    def device(self) -> str:
        """The name of the only device."""
        return ONE_DEVICE

    @property
    def sequence(self) -> int:
        """The sequence number of the event."""
        return self.event.sequence

    @property
    def identifier(self) -> str:
        """The identifier of the condition."""
        return self.event.identifier

    def to_json(self) -> str:
        """The event as one line of JSON."""
        return self.event.to_json()


@dataclass(frozen=True, slots=True, repr=False)
class LiveEvent:
    """An event of a device, with the members of the device's last message that are not part of the fix.

    Attributes:
        event: The fleet's event, with all its details.
        source: Members of the message besides device, position and time, for example the battery level.
        waypoint_time: When the circle was created on a phone, in seconds since 1970; 0 means that the zone is not a
            phone's circle.
    """

    event: DeviceEvent
    source: dict[str, Any] = field(default_factory=dict)
    waypoint_time: int = 0

    @property
    def device(self) -> str:
        """The device's identifier."""
        return self.event.device

    @property
    def sequence(self) -> int:
        """The device's sequence number. The sequence number and :attr:`device` together identify a redelivered
        event."""
        return self.event.sequence

    @property
    def identifier(self) -> str:
        """The identifier of the zone."""
        return self.event.identifier

    @property
    def state(self) -> State:
        """The new state; ``satisfied`` means that the device is inside."""
        return self.event.state

    @property
    def kind(self) -> EventKind:
        """The kind of the change: ``enter``, ``exit``, ``cross`` and others."""
        return self.event.kind

    @property
    def date(self) -> datetime | None:
        """The time at which the change was confirmed."""
        return self.event.date

    def __repr__(self) -> str:
        return f"<LiveEvent{repr(self.event).removeprefix('<DeviceEvent')}"

    def to_dict(self) -> dict[str, Any]:
        """The members of the JSON object that :meth:`to_json` writes."""
        found: dict[str, Any] = json.loads(self.to_json())
        return found

    def to_json(self) -> str:
        """The event as one line of JSON; ``source`` is the last member if it is not empty."""
        text = self.event.to_json()
        if not self.source:
            return text
        try:
            # The text contains only ASCII characters, because JSON input may contain half a surrogate pair, which
            # cannot be encoded in UTF-8.
            source = json.dumps(self.source, allow_nan=False, separators=(",", ":"))
        except ValueError:
            return text
        return f'{text[:-1]},"source":{source}}}'
