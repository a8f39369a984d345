"""Readers for the messages of many devices, in all supported formats."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from . import owntracks, traccar
from .formats import Lines
from .lines import LineError, fix_of, read_object, report_fix
from .messages import DeviceFix, Message, device_name, kept

OWN_KEYS = ("latitude", "longitude", "lat", "lon", "time", "accuracy", "error_ellipse", "class")


def read_message(data: bytes, by: str, topic: str | None = None) -> Message | None:
    """Reads a payload of OwnTracks (it has ``_type``), a payload of Traccar (it has ``position`` and ``device``), or an
    object that a line of JSON Lines may contain: a plain fix or a TPV report of gpsd.

    Args:
        data: The payload.
        by: The member that names the device.
        topic: The MQTT topic of the payload, if any. If the payload does not name the device, the device's name comes
            from the topic.

    Returns:
        The message, or None if the payload is blank or contains nothing that a watch needs.

    Raises:
        LineError: The payload cannot be used.
    """
    value = read_object(data)
    if value is None:
        return None
    if isinstance(value.get("_type"), str):
        return owntracks.read(value, topic, data)
    if traccar.is_forward(value):
        return traccar.read(value, data)
    if "class" in value:
        row = report_fix(value) if value["class"] == "TPV" else None
        if row is None:
            return None
    else:
        row = fix_of(value)
    named = value.get(by)
    return DeviceFix(device_name(topic if named is None else named), row, kept(data))


def source_of(data: bytes | None, by: str) -> dict[str, Any]:
    """The members of a message other than its fix and its device; every event that the message causes includes them."""
    if data is None:
        return {}
    value = json.loads(data)
    if "_type" in value:
        return owntracks.source_of(value)
    if traccar.is_forward(value):
        return traccar.source_of(value)
    return {key: each for key, each in value.items() if key not in OWN_KEYS and key != by}


class DeviceLines(Lines):
    """Reads one message per line."""

    def __init__(self, by: str) -> None:
        super().__init__()
        self._by = by

    def _found(self, line: bytes) -> Sequence[Any]:
        value = read_object(line)
        kind = None if value is None else value.get("class")
        if value is not None and kind == "GST":
            return self._ellipses.report(value)
        message = None if value is None else read_message(line, self._by)
        if value is not None and kind == "TPV":
            return self._ellipses.fix(value, message)
        return () if message is None else (message,)


__all__ = ["DeviceLines", "LineError", "read_message", "source_of"]
