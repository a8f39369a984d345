"""An event of a device, with what the device said beside its position."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from .._fleet.device_events import DeviceEvent
from .._values.enums import EventKind, State


@dataclass(frozen=True, slots=True, repr=False)
class LiveEvent:
    """An event of a device, with the other members of the device's last message.

    Attributes:
        event: The event of the fleet, with all that is known of it.
        source: Members of the message beside device, position and time, for example the battery.
        waypoint_time: When the circle was made on a phone, seconds since 1970; 0: it is a zone of the program.
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
        """Of the device. With :attr:`device` it tells an event that comes again."""
        return self.event.sequence

    @property
    def identifier(self) -> str:
        """Of the zone."""
        return self.event.identifier

    @property
    def state(self) -> State:
        """``satisfied``: the device is inside."""
        return self.event.state

    @property
    def kind(self) -> EventKind:
        """``enter``, ``exit``, ``cross`` and others."""
        return self.event.kind

    @property
    def date(self) -> datetime | None:
        """When the change was confirmed."""
        return self.event.date

    def __repr__(self) -> str:
        return f"<LiveEvent{repr(self.event).removeprefix('<DeviceEvent')}"

    def to_dict(self) -> dict[str, Any]:
        """The members of :meth:`to_json`."""
        found: dict[str, Any] = json.loads(self.to_json())
        return found

    def to_json(self) -> str:
        """The event as one line, with ``source`` at its end where there is something."""
        text = self.event.to_json()
        if not self.source:
            return text
        try:
            # ASCII alone: half a surrogate pair can be read in JSON, and not be written in UTF-8.
            source = json.dumps(self.source, allow_nan=False, separators=(",", ":"))
        except ValueError:
            return text
        return f'{text[:-1]},"source":{source}}}'
