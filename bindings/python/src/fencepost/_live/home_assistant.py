"""Events and positions for Home Assistant, by its MQTT discovery.

A device becomes a ``device_tracker`` with its position, and a ``binary_sensor`` for each place. They are unavailable
while the watch is away. Each message is retained, so that Home Assistant finds everything after its own restart.
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
from .live_event import LiveEvent
from .mqtt_address import Address
from .mqtt_sink import Publisher, level
from .notices import Notices
from .waker import Stop
from .waypoints import OwnersCircles

DISCOVERY = "homeassistant"
"""The prefix of Home Assistant's discovery, which is its default."""
MOST_PLACES = 200
"""Of a device with more places, the sensor of a place appears with its first event."""
SECONDS_BETWEEN = 5.0
"""Positions of a device are published at most so often."""
ON, OFF, UNKNOWN = "ON", "OFF", "None"

Message = tuple[str, str]
"""Topic and text."""


def places_of(fleet: Fleet, circles: OwnersCircles, device: str) -> list[str]:
    """The identifiers of a device's places; none of a table that is too large to announce each of them."""
    if len(fleet.conditions) > MOST_PLACES:
        return []
    return [identifier for identifier in fleet.conditions if not circles.is_others(identifier, device)]


class Topics:
    """The topics and payloads of devices and places.

    Args:
        start: What the topics of states begin with.
        version: Of this program.
    """

    def __init__(self, start: str, version: str) -> None:
        self._start, self._version = start or "fencepost", version

    @property
    def availability(self) -> str:
        """Where ``online`` and ``offline`` are published."""
        return f"{self._start}/availability"

    def attributes(self, device: str) -> str:
        """Where the position of a device is published."""
        return f"{self._start}/{level(device)}/attributes"

    def state(self, device: str, place: str) -> str:
        """Where ``ON`` and ``OFF`` are published."""
        return f"{self._start}/{level(device)}/places/{level(place)}/state"

    def event(self, device: str, place: str) -> str:
        """Where the last event is published, whose members become attributes of the sensor."""
        return f"{self._start}/{level(device)}/places/{level(place)}/event"

    def tracker(self, device: str) -> Message:
        """The discovery of a device."""
        identifier = _identifier("tracker", device)
        return f"{DISCOVERY}/device_tracker/{identifier}/config", self._config(
            device, identifier, name=None, json_attributes_topic=self.attributes(device), source_type="gps"
        )

    def sensor(self, device: str, place: str) -> Message:
        """The discovery of a place of a device."""
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
    """Letters, digits and underscores that stand for names of any characters."""
    digest = hashlib.sha256("\0".join(names).encode()).hexdigest()[:16]
    return f"fencepost_{names[0]}_{digest}"


def position(row: FixRow) -> str:
    """The attributes of a ``device_tracker``, from which Home Assistant finds the zone."""
    latitude, longitude, accuracy, time_us = row
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=time_us)
    return json.dumps(
        {"latitude": latitude, "longitude": longitude, "gps_accuracy": accuracy, "time": moment.isoformat()}
    )


class HomeAssistantEvents:
    """Publishes each event with QoS 1. It is handled when the broker has confirmed the state.

    Args:
        address: The broker, and what topics of states begin with.
        identifier: Of the session.
        login: User and password.
        authority: A file of certificates; None: those of the system.
        signals: Ask to stop; None: nothing does.
        notices: Where it is said that the broker is lost and found.
        version: Of this program.

    Attributes:
        places_of: The identifiers of a device's places; none when there are too many to announce before their events.
        inside: The identifiers of the places that a device is inside of.
        is_outdated: Whether the conditions have changed since the last message.
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
        # The places of each device whose discovery was published, and when its position was.
        self._known: dict[str, set[str]] = {}
        self._positioned: dict[str, float] = {}
        self.places_of: Callable[[str], Collection[str]] = lambda device: ()
        self.inside: Callable[[str], Collection[str]] = lambda device: ()
        self.is_outdated = False
        self._client.start()

    @property
    def reconnects(self) -> int:
        """How often the connection was made anew."""
        return self._client.reconnects

    @property
    def _broker(self) -> str:
        return self._client.address.broker

    def __call__(self, handed: LiveEvent) -> bool:
        """True when the broker has it."""
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
        """Publishes the discovery and the states of devices that the store had."""
        for device in devices:
            for topic, text in self._discovery(device):
                self._client.publish_aside(topic, text)

    def happened(self, handed: LiveEvent) -> None:
        """There is an event, which comes as a call."""

    def moved(self, device: str, row: FixRow | None) -> None:
        """A device has a new fix. Its position is published when it is due, without waiting for the broker."""
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
        """Removes the sensors of places that are gone. Those of new places come with the next message."""
        self.is_outdated = False
        for device, known in self._known.items():
            for place in known - set(self.places_of(device)):
                self._clear(device, place)
        self._known.clear()

    def forgotten(self, devices: Iterable[str]) -> None:
        """Devices are no longer followed: their entities go."""
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
        """The discovery message that Home Assistant needs before the first state of a device: once per start."""
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
        """Nothing is due by time."""
        return None

    def close(self) -> None:
        """Says that the watch is away, and ends the connection."""
        self._client.close()
