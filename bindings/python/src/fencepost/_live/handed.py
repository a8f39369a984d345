"""An event of a device as it is handed on: with what the device said beside its position."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from .._fleet.device_events import DeviceEvent


@dataclass(frozen=True, slots=True)
class HandedEvent:
    """An event of a device, and what its last message said beside the fix.

    Attributes:
        event: The event.
        source: What the device said, for example its battery.
        waypoint_time: When the circle was made on a phone, seconds since 1970; 0: it comes from the file.
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
