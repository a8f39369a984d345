"""Publishes events and positions for Home Assistant, using its MQTT discovery.

Each device becomes a ``device_tracker`` that shows its position, and gets a ``binary_sensor`` for each place. Home
Assistant shows both entities as unavailable while the watch is not connected. All messages are retained, so Home
Assistant finds everything again after its own restart.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Collection, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from .._files.tracks import FixRow
from .._fleet.fleet import Fleet
from .handling import key_of
from .live_event import EventOfOne, LiveEvent
from .mqtt_address import Address
from .mqtt_sink import Publisher, level
from .notices import Notices
from .waker import Stop
from .waypoints import OwnersCircles

DISCOVERY = "homeassistant"
"""The default topic prefix of Home Assistant's discovery."""
MOST_PLACES = 200
"""The maximum number of places whose sensors are announced in advance; with more places, the sensor of a place appears
with the place's first event."""
SECONDS_BETWEEN = 5.0
"""Minimum seconds between two published positions of a device."""
ON, OFF, UNKNOWN = "ON", "OFF", "None"

Message = tuple[str, str]
"""Topic and text."""


def places_of(fleet: Fleet, circles: OwnersCircles, device: str) -> list[str]:
    """The identifiers of a device's places; empty if the table has too many conditions to announce every place."""
    if len(fleet.conditions) > MOST_PLACES:
        return []
    return [identifier for identifier in fleet.conditions if not circles.is_others(identifier, device)]


class Topics:
    """Makes the topics and payloads for devices and places.

    Args:
        start: The prefix of the state topics.
        version: The version of this program.
    """

    def __init__(self, start: str, version: str) -> None:
        self._start, self._version = start or "fencepost", version

    @property
    def availability(self) -> str:
        """The topic for ``online`` and ``offline``."""
        return f"{self._start}/availability"

    def attributes(self, device: str) -> str:
        """The topic for the position of a device."""
        return f"{self._start}/{level(device)}/attributes"

    def state(self, device: str, place: str) -> str:
        """The topic for the state of a place, ``ON`` or ``OFF``."""
        return f"{self._start}/{level(device)}/places/{level(place)}/state"

    def event(self, device: str, place: str) -> str:
        """The topic for the last event of a place; the event's members become attributes of the sensor."""
        return f"{self._start}/{level(device)}/places/{level(place)}/event"

    def tracker(self, device: str) -> Message:
        """The discovery message for a device."""
        identifier = _identifier("tracker", device)
        return f"{DISCOVERY}/device_tracker/{identifier}/config", self._config(
            device, identifier, name=None, json_attributes_topic=self.attributes(device), source_type="gps"
        )

    def sensor(self, device: str, place: str) -> Message:
        """The discovery message for the sensor that shows whether a device is in a place."""
        identifier = _identifier("place", device, place)
        return f"{DISCOVERY}/binary_sensor/{identifier}/config", self._config(
            device,
            identifier,
            name=place,
            device_class="presence",
            state_topic=self.state(device, place),
            json_attributes_topic=self.event(device, place),
            payload_on=ON,
            payload_off=OFF,
            qos=1,
        )

    def _config(self, device: str, identifier: str, **members: Any) -> str:
        config = {
            "unique_id": identifier,
            "availability_topic": self.availability,
            "device": {
                "identifiers": [_identifier("device", device)],
                "name": device,
                "manufacturer": "Fencepost",
                "model": "fencepost watch",
            },
            "origin": {"name": "Fencepost", "sw_version": self._version},
        }
        return json.dumps(members | config)


def _identifier(*names: str) -> str:
    """Converts a name to an identifier of letters, digits and underscores."""
    digest = hashlib.sha256("\0".join(names).encode()).hexdigest()[:16]
    return f"fencepost_{names[0]}_{digest}"


def position(row: FixRow) -> str:
    """The attributes of a ``device_tracker``, from which Home Assistant computes the tracker's zone."""
    latitude, longitude, accuracy, time_us = row[:4]
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=time_us)
    return json.dumps(
        {"latitude": latitude, "longitude": longitude, "gps_accuracy": accuracy, "time": moment.isoformat()}
    )


class HomeAssistantEvents:
    """Publishes each event with QoS 1. An event counts as handled when the broker has confirmed its message.

    Args:
        address: The broker, and the prefix of the state topics.
        identifier: The client id of the session.
        login: User and password.
        authority: A file with CA certificates; None means the system's certificates.
        signals: The object that requests a stop; None means that no stop is ever requested.
        notices: Receives a report when the connection to the broker is lost, and another when it is restored.
        version: The version of this program.

    Attributes:
        places_of: Returns the identifiers of a device's places. The result is empty if there are too many places to
            announce all of them before their first events.
        inside: Returns the identifiers of the places that a device is in.
        is_outdated: True if the conditions have changed since the last message.
    """

    def __init__(
        self,
        address: Address,
        identifier: str,
        login: tuple[str, str] | None,
        authority: str | None,
        signals: Stop | None,
        notices: Notices,
        version: str,
    ) -> None:
        self._topics = Topics(address.topic, version)
        self._signals, self._notices = signals, notices
        self._client = Publisher(
            address, identifier, login, authority, False, notices, availability=self._topics.availability
        )
        self._sent: tuple[tuple[Any, ...], set[int]] | None = None
        # For each device: the places that were announced (`_known`), and when its next position may be published
        # (`_positioned`).
        self._known: dict[str, set[str]] = {}
        self._positioned: dict[str, float] = {}
        self.places_of: Callable[[str], Collection[str]] = lambda device: ()
        self.inside: Callable[[str], Collection[str]] = lambda device: ()
        self.is_outdated = False
        self._client.start()

    @property
    def reconnects(self) -> int:
        """How often the client has reconnected."""
        return self._client.reconnects

    @property
    def _broker(self) -> str:
        return self._client.address.broker

    def __call__(self, handed: LiveEvent) -> bool:
        """Publishes an event; returns True when the broker has confirmed it."""
        key = key_of(handed)
        if self._sent is None or self._sent[0] != key:
            event, device = handed.event, handed.device
            messages = self._discovery(device)
            if event.identifier not in self._known[device]:
                self._known[device].add(event.identifier)
                messages.append(self._topics.sensor(device, event.identifier))
            state = {"satisfied": ON, "unsatisfied": OFF}.get(str(event.state), UNKNOWN)
            messages.append((self._topics.event(device, event.identifier), handed.to_json()))
            messages.append((self._topics.state(device, event.identifier), state))
            self._sent = (key, self._client.publish_all(messages))
        if not self._client.wait(self._sent[1], self._signals):
            self._notices.seldom("publish", f"{self._broker}: has not confirmed an event yet")
            return False
        self._sent = None
        return True

    def announce(self, devices: Iterable[str]) -> None:
        """Publishes the discovery messages and the states of devices that were loaded from the store."""
        for device in devices:
            for topic, text in self._discovery(device):
                self._client.publish_aside(topic, text)

    def happened(self, handed: LiveEvent | EventOfOne) -> None:
        """Does nothing: events arrive through ``__call__``."""

    def moved(self, device: str, row: FixRow | None) -> None:
        """Publishes the new fix of a device. The position is published if the last published position is at least 5 s
        old; the call does not wait for the broker."""
        if row is None:
            return
        messages = self._discovery(device)
        now = time.monotonic()
        if now >= self._positioned.get(device, 0.0):
            self._positioned[device] = now + SECONDS_BETWEEN
            messages.append((self._topics.attributes(device), position(row)))
        for topic, text in messages:
            self._client.publish_aside(topic, text)

    def _update_places(self) -> None:
        """Removes the sensors of places that no longer exist. Sensors of new places are added with the next message."""
        self.is_outdated = False
        for device, known in self._known.items():
            for place in known - set(self.places_of(device)):
                self._clear(device, place)
        self._known.clear()

    def forgotten(self, devices: Iterable[str]) -> None:
        """Removes the entities of devices that are no longer followed."""
        for device in devices:
            for place in self._known.pop(device, ()):
                self._clear(device, place)
            self._positioned.pop(device, None)
            self._client.publish_aside(self._topics.tracker(device)[0], "")
            self._client.publish_aside(self._topics.attributes(device), "")

    def _clear(self, device: str, place: str) -> None:
        for topic in (
            self._topics.sensor(device, place)[0],
            self._topics.state(device, place),
            self._topics.event(device, place),
        ):
            self._client.publish_aside(topic, "")

    def _discovery(self, device: str) -> list[Message]:
        """The discovery messages that Home Assistant needs before a device's first state; empty if these messages were
        already published since the program started."""
        if self.is_outdated:
            self._update_places()
        if device in self._known:
            return []
        places = self.places_of(device)
        known = self._known[device] = set(places if len(places) <= MOST_PLACES else ())
        inside = set(self.inside(device))
        messages = [self._topics.tracker(device)]
        for place in sorted(known):
            messages.append(self._topics.sensor(device, place))
            messages.append((self._topics.state(device, place), ON if place in inside else OFF))
        return messages

    def beat(self) -> float | None:
        """Does nothing; returns None because no further call is needed."""
        return None

    def close(self) -> None:
        """Publishes ``offline``, and ends the connection."""
        self._client.close()
