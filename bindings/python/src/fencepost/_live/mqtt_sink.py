"""Publishes events to a broker. An event counts as handled when the broker has confirmed its message."""

from __future__ import annotations

import selectors
import time
from collections.abc import Iterable
from typing import Any

from . import owntracks
from .handling import key_of
from .live_event import LiveEvent
from .mqtt_address import Address
from .mqtt_client import BrokerClient
from .notices import Notices
from .waker import Stop

PATIENCE = 5.0
"""Seconds to wait for a broker's confirmation; a later confirmation is also accepted."""
FORMATS = ("json", "owntracks", "homeassistant")
ONLINE, OFFLINE = "online", "offline"


class Publisher(BrokerClient):
    """A client that publishes messages and records which messages the broker has confirmed.

    Args:
        arguments: The positional arguments for :class:`BrokerClient`.
        availability: A topic whose retained message says whether the client is online; None means that there is no such
            topic.
    """

    def __init__(self, *arguments: Any, availability: str | None = None) -> None:
        super().__init__(*arguments)
        self._availability = availability
        self._confirmed: set[int] = set()
        self._client.on_publish = self._published
        if availability is not None:
            # The broker publishes this last will when the connection to this client is lost.
            self._client.will_set(availability, OFFLINE, qos=1, retain=True)

    def _on_connected(self, continues: bool) -> None:
        if self._availability is not None:
            self._client.publish(self._availability, ONLINE, qos=1, retain=True)

    def _published(self, client: Any, userdata: Any, number: int, reason: Any, properties: Any) -> None:
        # The confirmation is stored here because paho updates its own state of the message only after this callback.
        self._confirmed.add(number)
        self.waker.wake()

    def publish(self, topic: str, text: str, retain: bool = False) -> int:
        """Queues a message, which is sent now or after the next reconnection; returns the number of the message."""
        # Message numbers are reused, so drop the earlier confirmations; no caller waits for them any more.
        self._confirmed.clear()
        sent = self._client.publish(topic, text.encode(), qos=1, retain=retain)
        number: int = sent.mid
        return number

    def publish_all(self, messages: Iterable[tuple[str, str]]) -> set[int]:
        """Queues retained messages in order; returns their numbers, to pass to :meth:`wait`."""
        self._confirmed.clear()
        return {self.publish_aside(*message) for message in messages}

    def publish_aside(self, topic: str, text: str) -> int:
        """Queues a retained message without waiting for its confirmation; returns the number of the message."""
        number: int = self._client.publish(topic, text.encode(), qos=1, retain=True).mid
        return number

    def wait(self, numbers: set[int], signals: Stop | None) -> bool:
        """Waits until the broker has confirmed all messages, the maximum time has passed, or the watch must stop;
        returns True if all messages are confirmed. Removes the numbers of confirmed messages from `numbers`."""
        end = time.monotonic() + PATIENCE
        with selectors.SelectSelector() as selector:
            if signals is not None:
                selector.register(signals, selectors.EVENT_READ)
            selector.register(self.waker, selectors.EVENT_READ)
            while True:
                numbers -= {number for number in tuple(numbers) if self.has_confirmed(number)}
                left = end - time.monotonic()
                if not numbers or left <= 0 or (signals is not None and signals.is_stopped()):
                    break
                selector.select(left)
                if signals is not None:
                    signals.clear()
                self.waker.clear()
        self.tell()
        return not numbers

    def close(self) -> None:
        if self._availability is not None and self.is_connected:
            sent = self._client.publish(self._availability, OFFLINE, qos=1, retain=True)
            try:
                sent.wait_for_publish(PATIENCE)
            except (RuntimeError, ValueError):
                pass  # the connection is lost, so the broker publishes the will
        super().close()

    def has_confirmed(self, number: int) -> bool:
        """Whether the broker has acknowledged a message. Returns True at most once for each message number, because the
        client uses the numbers again for later messages."""
        if number not in self._confirmed:
            return False
        self._confirmed.discard(number)
        return True


class PublishedEvents:
    """Publishes each event with QoS 1 to the topic of its device. An event counts as handled when the broker has
    confirmed its message.

    Args:
        address: The broker, and the prefix of the topics.
        format: ``json`` publishes the event as a line of JSON; ``owntracks`` publishes a transition on the topic that
            the apps expect.
        identifier: The client id of the session.
        login: User and password.
        authority: A file with CA certificates; None means the system's certificates.
        signals: The object that requests a stop; None means that no stop is ever requested.
        notices: Receives a report when the broker is lost and when it is connected again.
        retain: Whether the broker keeps the last event of each device and place. If True, each pair of a device and a
            place has its own topic.
    """

    def __init__(
        self,
        address: Address,
        format: str,
        identifier: str,
        login: tuple[str, str] | None,
        authority: str | None,
        signals: Stop | None,
        notices: Notices,
        retain: bool = False,
    ) -> None:
        self._client = Publisher(address, identifier, login, authority, False, notices)
        self._address, self._format, self._signals, self._notices = address, format, signals, notices
        self._retain = retain
        # The event that was passed to the client but is not acknowledged yet.
        self._sent: tuple[tuple[Any, ...], int] | None = None
        self._client.start()

    @property
    def reconnects(self) -> int:
        """How often the client has reconnected."""
        return self._client.reconnects

    def __call__(self, event: LiveEvent) -> bool:
        """Publishes an event; returns True when the broker has confirmed it."""
        key = key_of(event)
        if self._sent is None or self._sent[0] != key:
            topic = topic_of(event, self._address.topic, self._format)
            if self._retain:
                topic = f"{topic}/{level(event.event.identifier)}"
            self._sent = (key, self._client.publish(topic, self._text(event), self._retain))
        is_published = self._client.wait({self._sent[1]}, self._signals)
        if is_published:
            self._sent = None
        else:
            self._notices.seldom("publish", f"{self._address.broker}: has not confirmed an event yet")
        return is_published

    def _text(self, event: LiveEvent) -> str:
        if self._format == "owntracks":
            return owntracks.transition(event.event, event.waypoint_time)
        return event.to_json()

    def close(self) -> None:
        """Ends the connection."""
        self._client.close()


def topic_of(event: LiveEvent, start: str, format: str) -> str:
    """The topic of an event, named after its device. Wildcard characters are percent-encoded as in URLs."""
    device = _escaped(event.device)
    if format == "owntracks":
        return f"{start or 'owntracks'}/{device}/event"
    return f"{start or 'fencepost'}/{device}"


def _escaped(name: str) -> str:
    return name.replace("%", "%25").replace("+", "%2B").replace("#", "%23")


def level(name: str) -> str:
    """Escapes a name so that the name forms one level of a topic."""
    return _escaped(name).replace("/", "%2F")
