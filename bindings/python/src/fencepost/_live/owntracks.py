"""Reads the messages that OwnTracks phones publish, and writes transitions in a form that the phones understand."""

from __future__ import annotations

import json
import math
from typing import Any

from .._tables.text_times import number_time
from .lines import LineError, number_of
from .messages import (
    DeviceFix,
    EncryptedRefused,
    Gone,
    Message,
    NameRefused,
    Waypoint,
    WaypointRefused,
    Waypoints,
    device_name,
    kept,
)

LATEST = 253_402_300_799
"""The last second of the year 9999, in seconds since 1970."""
LONGEST_WAYPOINT = 128
"""Maximum length of a circle's name in bytes."""
MOST_WAYPOINTS = 500
"""The maximum number of waypoints for one owner."""
BRANCHES = ("event", "waypoint", "waypoints", "info", "cmd", "status", "steps", "dump", "beacon", "request")
"""The topics that an app uses below ``owntracks/USER/DEVICE``."""
OWN_KEYS = ("_type", "topic", "lat", "lon", "tst", "acc", "inregions", "inrids")
"""The members of a location that are not passed on, because an event contains the same data in other members."""


def device_of(topic: str) -> str:
    """The device that publishes on a topic, ``USER/DEVICE``.

    Raises:
        NameRefused: The topic does not have the levels ``USER/DEVICE``.
    """
    levels = topic.split("/")
    if len(levels) > 3 and levels[-1] in BRANCHES:
        levels.pop()
    if len(levels) < 3 or not levels[-2] or not levels[-1]:
        raise NameRefused("was published to a topic that is not owntracks/USER/DEVICE")
    return device_name("/".join(levels[-2:]))


def read(value: dict[str, Any], topic: str | None, data: bytes) -> Message | None:
    """Reads a payload; returns None for a message that a watch does not need.

    Args:
        value: The payload's JSON.
        topic: The topic of the message. If `topic` is None, the payload itself must contain the topic, as it does in
            the apps' HTTP mode.
        data: The payload.

    Raises:
        LineError: The payload cannot be used.
    """
    kind = value["_type"]
    if kind == "encrypted":
        raise EncryptedRefused("is encrypted and cannot be read: switch off encryption on the devices")
    if kind not in ("location", "transition", "waypoint", "waypoints", "lwt"):
        return None
    if kind == "transition" and ("lat" not in value or "lon" not in value or "sequence" in value):
        return None  # ignores a transition that has no position, or that a watch published
    named = topic if topic is not None else value.get("topic")
    if not isinstance(named, str):
        raise NameRefused("has no topic")
    device = device_of(named)
    if kind == "lwt":
        return Gone(device)
    if kind in ("location", "transition"):
        return DeviceFix(device, _fix(value), kept(data))
    if kind == "waypoint":
        return Waypoints(device, (_waypoint(value),))
    listed = value.get("waypoints")
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        raise WaypointRefused("has no list of waypoints")
    if len(listed) > MOST_WAYPOINTS:
        raise WaypointRefused(f"has {len(listed)} waypoints; at most {MOST_WAYPOINTS} are taken")
    found: list[Waypoint] = []
    refused: list[WaypointRefused] = []
    for each in listed:
        try:
            found.append(_waypoint(each))
        except WaypointRefused as error:
            refused.append(error)
    return Waypoints(device, tuple(found), tuple(refused))


def _fix(value: dict[str, Any]) -> tuple[float, float, float, int]:
    latitude, longitude, accuracy = (number_of(value, name) for name in ("lat", "lon", "acc"))
    if latitude is None or longitude is None:
        raise LineError("has no lat and lon")
    time = number_of(value, "tst")
    if time is None:
        raise LineError("has no tst")
    if not 0 <= time <= LATEST:
        raise LineError(f"tst {time:g} is not seconds since 1970, up to year 9999")
    return latitude, longitude, 0.0 if accuracy is None else accuracy, number_time(time, "s")


def _waypoint(value: dict[str, Any]) -> Waypoint:
    name, time = value.get("desc"), value.get("tst")
    if not isinstance(name, str) or isinstance(time, bool) or not isinstance(time, int) or not 0 < time <= LATEST:
        raise WaypointRefused("is a waypoint without desc or tst")
    name = name.partition(":")[0] if _is_beacon(name) else name
    try:
        size = len(name.encode())
    except ValueError:
        size = 0
    if not 1 <= size <= LONGEST_WAYPOINT or "\0" in name:
        raise WaypointRefused(f"is a waypoint whose desc has {size} bytes; must have 1 to {LONGEST_WAYPOINT} bytes")
    latitude, longitude, radius = (number_of(value, key) for key in ("lat", "lon", "rad"))
    if radius is None or not radius > 0:
        return Waypoint(name, 0.0, 0.0, 0.0, time)
    if latitude is None or longitude is None or not math.isfinite(latitude + longitude + radius):
        raise WaypointRefused("is a waypoint without lat and lon")
    return Waypoint(name, latitude, longitude, radius, time)


def _is_beacon(name: str) -> bool:
    """Whether a description contains a beacon's identity after the beacon's name: ``desc:UUID:major:minor``."""
    parts = name.split(":")
    return len(parts) >= 2 and len(parts[1]) == 36 and parts[1].count("-") == 4


def source_of(value: dict[str, Any]) -> dict[str, Any]:
    """The members of a location that are passed on with an event: battery, connection, trigger and others."""
    return {key: each for key, each in value.items() if key not in OWN_KEYS}


def transition(event: Any, waypoint_time: int) -> str:
    """An event as an OwnTracks message of the type ``transition``, which the OwnTracks apps can show.

    Args:
        event: The event of a device.
        waypoint_time: When the circle was created on a phone, in seconds since 1970; 0 means that the circle is not a
            phone's waypoint.
    """
    seconds = (event.date_us or 0) // 1_000_000
    members = {
        "_type": "transition",
        "event": "enter" if event.state == "satisfied" else "leave",
        "desc": event.identifier,
        "wtst": waypoint_time or seconds,
        "tst": seconds,
        "t": "l",
        "tid": event.device[-2:],
    }
    if event.latitude is not None:
        members |= {"lat": event.latitude, "lon": event.longitude, "acc": event.accuracy}
    members |= {"sequence": event.sequence}
    return json.dumps(members, ensure_ascii=False)
