"""A broker as a source of messages of many devices."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from typing import Any, NamedTuple

from .device_lines import read_message
from .lines import LineError
from .mqtt_address import Address
from .mqtt_client import BrokerClient
from .notices import Notices
from .sources import Source

LARGEST = 1 << 18
"""Bytes of a message; larger ones are refused."""
LONGEST_TOPIC = 100
"""Characters of it that a notice has."""
MOST_MESSAGES, MOST_BYTES = 1_000, 1 << 24
"""So much waits here; the rest waits at the broker."""


class _Arrived(NamedTuple):
    """A message as it came."""

    life: int  # of the connection: the broker gives again what an earlier one brought
    number: int
    quality: int
    topic: str
    payload: bytes | None  # None: too large


class _Subscriber(BrokerClient):
    """Subscribes at each connection, and keeps what comes until it is asked for."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.life = 0
        self._room = threading.Condition()
        self._arrived: deque[_Arrived] = deque()
        self._bytes, self._closing, self._is_told = 0, False, False
        self._client.on_message = self._message
        self._client.on_subscribe = self._subscribed

    def _on_connected(self) -> None:
        self._client.subscribe(self.address.topic, qos=1)

    def _subscribed(self, client: Any, userdata: Any, number: int, reasons: Any, properties: Any) -> None:
        if any(reason.is_failure for reason in reasons):
            self._say("refused", f"refuses the subscription of {self.address.topic}")
        elif not self._is_told:
            self._is_told = True
            self._say("followed", f"{self.address.topic} is followed")

    def _on_disconnected(self) -> None:
        # What was not confirmed comes again.
        with self._room:
            self.life += 1
            self._arrived.clear()
            self._bytes = 0

    def _message(self, client: Any, userdata: Any, message: Any) -> None:
        payload = message.payload if len(message.payload) <= LARGEST else None
        try:
            topic = message.topic
        except UnicodeDecodeError:
            topic = ""
        with self._room:
            # The thread that reads the connection waits, and so does the broker.
            while not self._closing and (len(self._arrived) >= MOST_MESSAGES or self._bytes >= MOST_BYTES):
                self._room.wait(1.0)
            self._bytes += 0 if payload is None else len(payload)
            self._arrived.append(_Arrived(self.life, message.mid, message.qos, topic, payload))
        self.waker.wake()

    def take(self) -> list[_Arrived]:
        """What has come."""
        with self._room:
            found = list(self._arrived)
            self._arrived.clear()
            self._bytes = 0
            self._room.notify_all()
        return found

    def confirm(self, arrived: _Arrived) -> None:
        """Tells the broker that a message need not be kept."""
        if arrived.quality > 0 and arrived.life == self.life:
            self._client.ack(arrived.number, arrived.quality)

    def close(self) -> None:
        with self._room:
            self._closing = True
            self._room.notify_all()
        super().close()


class MqttSource(Source):
    """Messages of OwnTracks, Traccar and others on a topic, each confirmed when it has been fed: what the broker holds
    meanwhile, or while nobody is here, comes later. What comes twice is older than its device's clock.

    Args:
        address: The broker and the topic.
        by: The member that names the device.
        identifier: Of the session.
        login: User and password.
        authority: A file of certificates; None: those of the system.
        lasts: Whether the broker keeps messages while nobody is here.
        notices: Where it is said that it is lost and found.
    """

    def __init__(
        self,
        address: Address,
        by: str,
        identifier: str,
        login: tuple[str, str] | None,
        authority: str | None,
        lasts: bool,
        notices: Notices,
    ) -> None:
        self._client = _Subscriber(address, identifier, login, authority, lasts, notices)
        self._by = by
        self._given: deque[_Arrived] = deque()
        self.descriptor = self._client.waker.fileno()
        self.name, self.retry_at, self.has_more = f"{address.broker}/{address.topic}", None, False
        self._client.start()

    def read(self) -> Iterator[tuple[str, Any]]:
        self._client.waker.clear()
        self._client.tell()
        self.reconnects = self._client.reconnects
        arrived = self._client.take()
        self._given.extend(arrived)
        return iter([(f"on {each.topic[:LONGEST_TOPIC]}", self._found(each)) for each in arrived])

    def _found(self, arrived: _Arrived) -> Any:
        """What a message says, or what is wrong with it; None: nothing."""
        if arrived.payload is None:
            return LineError(f"is a message of more than {LARGEST} bytes")
        try:
            return read_message(arrived.payload, self._by, arrived.topic)
        except LineError as error:
            return error

    def rest(self) -> Iterator[tuple[str, Any]]:
        return iter(())

    def taken(self, count: int) -> None:
        for _ in range(count):
            self._client.confirm(self._given.popleft())

    def close(self) -> None:
        if self.descriptor is not None:
            self._client.close()
            self.descriptor = None
