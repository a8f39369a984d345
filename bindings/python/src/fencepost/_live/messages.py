"""The possible contents of a message from one of many devices: a fix, circles of the device's owner, or a notice that
the device has lost its connection."""

from __future__ import annotations

from typing import TypeAlias

from .._dataclass import dataclass
from .._files.tracks import FixRow
from .lines import LineError

LONGEST_NAME = 256
"""Maximum length of a device's identifier in bytes."""
LONGEST_SOURCE = 1024
"""Maximum size in bytes of a message that is passed on with an event."""


@dataclass(frozen=True, slots=True)
class DeviceFix:
    """A fix of a device.

    Attributes:
        device: Its identifier.
        row: The fix.
        source: The original message, or None if the message is too long to be passed on.
    """

    device: str
    row: FixRow
    source: bytes | None = None


@dataclass(frozen=True, slots=True)
class Waypoint:
    """A circle that a user has created on a phone.

    Attributes:
        name: Its name.
        latitude: Degrees.
        longitude: Degrees.
        radius: The radius in metres; 0 means that the circle was removed.
        time: When the circle was created, in seconds since 1970. Editing the circle does not change its creation time.
    """

    name: str
    latitude: float
    longitude: float
    radius: float
    time: int


@dataclass(frozen=True, slots=True)
class Waypoints:
    """The circles of a device's owner, and the errors for the circles that cannot be used."""

    device: str
    waypoints: tuple[Waypoint, ...]
    refused: tuple[WaypointRefused, ...] = ()


@dataclass(frozen=True, slots=True)
class Gone:
    """A device has lost its connection."""

    device: str


Message: TypeAlias = DeviceFix | Waypoints | Gone


class NameRefused(LineError):
    """A message does not name its device, or the name is not a valid identifier."""

    kind = "bad_names"


class EncryptedRefused(LineError):
    """A message is encrypted."""

    kind = "encrypted"


class WaypointRefused(LineError):
    """A circle cannot be used."""

    kind = "bad_waypoints"


def device_name(value: object) -> str:
    """Returns a device's identifier.

    Raises:
        NameRefused: The name is not a valid identifier.
    """
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise NameRefused("has no device name")
    try:
        text = str(value)
        size = len(text.encode())
    except ValueError:  # the text has half a surrogate pair, or a number has thousands of digits
        raise NameRefused("has a device name that is not a valid text") from None
    if not 1 <= size <= LONGEST_NAME or "\0" in text:
        raise NameRefused(f"has a device name of {size} bytes; must have 1 to {LONGEST_NAME} bytes, without NUL")
    return text


def owner_of(device: str) -> str:
    """The owner of a device: the first level of ``USER/DEVICE``."""
    return device.partition("/")[0]


def kept(data: bytes) -> bytes | None:
    """The message, or None if the message is too long to be passed on with events."""
    return data if len(data) <= LONGEST_SOURCE else None
