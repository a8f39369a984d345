"""Reads the messages that Traccar forwards as JSON; each message contains a position and its device."""

from __future__ import annotations

from typing import Any

from .._files.tracks import FixRow
from .._tables.text_times import number_time, parse_time
from .lines import LineError, number_of
from .messages import DeviceFix, device_name, kept

OWN_KEYS = ("id", "deviceId", "deviceTime", "serverTime", "fixTime", "latitude", "longitude", "accuracy", "valid")
"""The members of a position that are not passed on with an event, because the event contains the same data in other
members or because only Traccar uses them."""


def is_forward(value: dict[str, Any]) -> bool:
    """Whether an object has the form of a message forwarded by Traccar."""
    return isinstance(value.get("position"), dict) and isinstance(value.get("device"), dict)


def read(value: dict[str, Any], data: bytes) -> DeviceFix:
    """Returns the fix that a position from Traccar contains.

    Raises:
        LineError: The message cannot be used.
    """
    position, device = value["position"], value["device"]
    return DeviceFix(device_name(device.get("uniqueId")), _fix(position), kept(data))


def _fix(position: dict[str, Any]) -> FixRow:
    latitude, longitude, accuracy = (number_of(position, name) for name in ("latitude", "longitude", "accuracy"))
    if latitude is None or longitude is None:
        raise LineError("has a position without latitude and longitude")
    if position.get("valid") is False:
        accuracy = -1.0  # a fix with a negative accuracy counts as a fix without a position
    time = position.get("fixTime")
    try:
        if isinstance(time, str):
            return latitude, longitude, accuracy or 0.0, parse_time(time)
        if isinstance(time, int) and not isinstance(time, bool):
            return latitude, longitude, accuracy or 0.0, number_time(time, "ms")
    except ValueError as error:
        raise LineError(str(error)) from None
    raise LineError("has a position without fixTime")


def source_of(value: dict[str, Any]) -> dict[str, Any]:
    """The members of a forwarded position that are passed on with an event: its attributes, speed and course."""
    return {key: each for key, each in value["position"].items() if key not in OWN_KEYS}
