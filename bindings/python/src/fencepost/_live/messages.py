"""The content of a message from one of many devices: a fix, circles of its owner, or its departure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from .._files.tracks import FixRow
from .lines import LineError

LONGEST_NAME = 256
"""Bytes of a device's identifier."""
LONGEST_SOURCE = 1024
"""Bytes of a message that are kept to be handed on with an event."""


@dataclass(frozen=True, slots=True)
class DeviceFix:
    """A fix of a device.

    Attributes:
        device: Its identifier.
        row: The fix.
        source: The message as it came, where it is short enough to be kept.
    """

    device: str
    row: FixRow
    source: bytes | None = None


@dataclass(frozen=True, slots=True)
class Waypoint:
    """A circle that somebody has on a phone.

    Attributes:
        name: What it is called.
        latitude: Degrees.
        longitude: Degrees.
        radius: Metres; 0: the circle was removed.
        time: When it was made, seconds since 1970: it stays the same when the circle is changed.
    """

    name: str
    latitude: float
    longitude: float
    radius: float
    time: int


@dataclass(frozen=True, slots=True)
class Waypoints:
    """Circles of the owner of a device, and what is wrong with those that cannot be used."""

    device: str
    waypoints: tuple[Waypoint, ...]
    refused: tuple[WaypointRefused, ...] = ()


@dataclass(frozen=True, slots=True)
class Gone:
    """A device has lost its connection."""

    device: str


Message: TypeAlias = DeviceFix | Waypoints | Gone


class NameRefused(LineError):
    """A message names no device, or one that can be none."""

    kind = "bad_names"


class EncryptedRefused(LineError):
    """A message is encrypted."""

    kind = "encrypted"


class WaypointRefused(LineError):
    """A circle cannot be used."""

    kind = "bad_waypoints"


def device_name(value: object) -> str:
    """A device's identifier.

    Raises:
        NameRefused: The name is not an identifier.
    """
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise NameRefused("names no device")
    try:
        text = str(value)
        size = len(text.encode())
    except ValueError:  # half a surrogate pair; thousands of digits
        raise NameRefused("the name of the device is not a text") from None
    if not 1 <= size <= LONGEST_NAME or "\0" in text:
        raise NameRefused(f"names a device by {size} bytes: 1 to {LONGEST_NAME} without NUL can be one")
    return text


def owner_of(device: str) -> str:
    """Whose device it is: the first level of ``USER/DEVICE``."""
    return device.partition("/")[0]


def kept(data: bytes) -> bytes | None:
    """A message, where it is short enough to be kept."""
    return data if len(data) <= LONGEST_SOURCE else None
