"""Reads messages from many devices through a broker."""

from __future__ import annotations

import errno
import logging
import threading
from collections import deque
from collections.abc import Iterator
from itertools import takewhile
from typing import Any, NamedTuple

from .device_lines import read_message
from .lines import LineError
from .mqtt_address import Address
from .mqtt_client import BrokerClient
from .notices import Notices
from .sources import Source

LARGEST = 1 << 18
"""Maximum size of a message in bytes; larger messages are refused."""
LONGEST_TOPIC = 100
"""The maximum number of characters of a topic that a notice shows."""
MOST_MESSAGES, MOST_BYTES = 100_000, 1 << 26
"""Limits for the messages that are queued in this process. A broker sends only a few messages before it needs a
confirmation (20 by default in mosquitto), so the other messages wait at the broker. Messages of QoS 0 need no
confirmation; they are dropped when the queue is full."""
DROPPED = "$SYS/broker/publish/messages/dropped"
"""The topic on which mosquitto publishes how many messages it has dropped because a queue was full."""
UPTIME = "$SYS/broker/uptime"
"""The topic on which mosquitto publishes how long it has been up, for example "17 seconds"."""


class _Arrived(NamedTuple):
    """A received message."""

    life: int  # number of the connection on which the message arrived
    number: int
    quality: int
    topic: str
    payload: bytes | None  # None: too large


class _Subscriber(BrokerClient):
    """Subscribes after each connection, and queues the messages until they are read. The thread that reads the
    connection never waits for anything else, because a broker disconnects a client that does not respond.

    Attributes:
        life: The number of the current connection: 0 for the first connection.
        first_life: The number of the first connection of the broker's current session.
        dropped: The number of QoS 0 messages that this client dropped because its queue was full.
    """

    def __init__(
        self,
        address: Address,
        identifier: str,
        login: tuple[str, str] | None,
        authority: str | None,
        lasts: bool,
        notices: Notices,
        holds: bool,
    ) -> None:
        super().__init__(address, identifier, login, authority, lasts, notices, holds)
        self._lasts, self._subscription = lasts, 0
        self.life = self.first_life = self.dropped = 0
        self._room = threading.Lock()
        self._broker_dropped: int | None = None
        self._arrived: deque[_Arrived] = deque()
        self._bytes, self._is_told = 0, False
        self._asks_system, self._system_subscription = True, 0
        self._unanswered: set[int] = set()
        self._client.on_message = self._message
        self._client.on_subscribe = self._subscribed

    def _on_connected(self, continues: bool) -> None:
        if not continues:
            self.first_life = self.life
        self._subscription = self._client.subscribe(self.address.topic, qos=1)[1]
        self._unanswered = {self._subscription}
        # A broker that lacks the system topics, or refuses them, sends nothing.
        if self._asks_system:
            self._system_subscription = self._client.subscribe([(DROPPED, 0), (UPTIME, 0)])[1]
            self._unanswered.add(self._system_subscription)

    def _subscribed(self, client: Any, userdata: Any, number: int, reasons: Any, properties: Any) -> None:
        self._unanswered.discard(number)
        if number != self._subscription:
            return
        if any(reason.is_failure for reason in reasons):
            self._say("refused", f"refuses the subscription of {self.address.topic}")
        elif not self._is_told:
            self._is_told = True
            self._say("followed", f"subscribed to {self.address.topic}", logging.INFO)

    def _on_disconnected(self) -> None:
        # Some brokers disconnect a client that subscribes to $SYS topics; after that, do not subscribe to them again.
        if self._unanswered == {self._system_subscription}:
            self._asks_system = False
        # In a persistent session, the broker sends unacknowledged messages again, so they are removed from the queue.
        with self._room:
            self.life += 1
            if self._lasts:
                self._arrived = deque(each for each in self._arrived if each.quality == 0)
                self._bytes = sum(len(each.payload or b"") for each in self._arrived)

    def _message(self, client: Any, userdata: Any, message: Any) -> None:
        payload = message.payload if len(message.payload) <= LARGEST else None
        try:
            topic = message.topic
        except UnicodeDecodeError:
            topic = ""
        if topic in (DROPPED, UPTIME):
            digits = message.payload.split()[:1]
            if digits and digits[0].isdigit():
                (self._note_dropped if topic == DROPPED else self._note_uptime)(int(digits[0]))
            return
        with self._room:
            if message.qos == 0 and (len(self._arrived) >= MOST_MESSAGES or self._bytes >= MOST_BYTES):
                self.dropped += 1
                is_dropped = True
            else:
                is_dropped = False
                self._bytes += 0 if payload is None else len(payload)
                self._arrived.append(_Arrived(self.life, message.mid, message.qos, topic, payload))
        if is_dropped:
            self._say(
                "dropped",
                f"{self.dropped} QoS 0 messages were dropped, because {MOST_MESSAGES} messages are already waiting",
            )
        else:
            self.waker.wake()

    def _note_dropped(self, count: int) -> None:
        """Reports how many messages the broker has dropped since its previous report."""
        before, self._broker_dropped = self._broker_dropped, count
        if before is not None and count > before:
            self._say(
                "broker_dropped",
                f"the broker has dropped {count - before} messages, perhaps of another client, because a queue "
                "was full; raise max_queued_messages in mosquitto.conf",
            )

    def take(self) -> list[_Arrived]:
        """Removes and returns all queued messages."""
        with self._room:
            found = list(self._arrived)
            self._arrived.clear()
            self._bytes = 0
        return found

    def confirm(self, arrived: _Arrived) -> None:
        """Acknowledges a message, so that the broker need not keep it."""
        if arrived.quality > 0 and arrived.life == self.life:
            self._client.ack(arrived.number, arrived.quality)


class MqttSource(Source):
    """Reads messages from OwnTracks, Traccar and other senders on a topic. Each message is acknowledged to the broker
    after it was fed. The broker keeps unacknowledged messages, even while this client is disconnected, and delivers
    them later. A redelivered message is skipped because its time is not later than the clock of its device.

    Args:
        address: The broker and the topic.
        by: The member that names the device.
        identifier: The client id of the session.
        login: User and password.
        authority: A file with CA certificates; None means the system's certificates.
        lasts: True if the broker keeps messages while this client is disconnected.
        notices: Receives reports that the broker is lost or connected again.
        holds: True if messages are held before they are acknowledged. The client then asks the broker to send up to
            65,535 messages before it acknowledges the first; this needs MQTT 5.
    """

    most_untaken = 60_000

    def __init__(
        self,
        address: Address,
        by: str,
        identifier: str,
        login: tuple[str, str] | None,
        authority: str | None,
        lasts: bool,
        notices: Notices,
        holds: bool = False,
    ) -> None:
        self._client = _Subscriber(address, identifier, login, authority, lasts, notices, holds)
        self._by = by
        self._given: deque[_Arrived] = deque()
        self._lasts = lasts
        self.descriptor = self._client.waker.fileno()
        self.name = f"{address.broker}/{address.topic}"
        self._client.start()

    @property
    def redelivers(self) -> bool:
        return self._lasts and all(self._comes_again(each) for each in self._given)

    def _comes_again(self, arrived: _Arrived) -> bool:
        """True if the broker delivers a message again until it is acknowledged."""
        return arrived.quality > 0 and arrived.life >= self._client.first_life

    def read(self) -> Iterator[tuple[str, Any]]:
        self._client.waker.clear()
        self._client.tell()
        if self._client.is_contested:
            self.close()  # the other sources continue, but this client must not reconnect
            raise OSError(
                errno.EBUSY,
                f"another client has the id {self._client.identifier} at the broker, such as a second watch: "
                "end one of them, or give each its own id with --client-id",
                self.name,
            )
        self.reconnects = self._client.reconnects
        arrived = self._client.take()
        self.renewed = self._renewed(arrived[-1].life) if arrived and self._lasts else 0
        self._given.extend(arrived)
        return iter([(f"on {each.topic[:LONGEST_TOPIC]}", self._found(each)) for each in arrived])

    def _renewed(self, life: int) -> int:
        """The number of the earliest untaken messages that the broker delivers again on a connection."""
        return sum(1 for _ in takewhile(lambda each: each.life < life and self._comes_again(each), self._given))

    def _found(self, arrived: _Arrived) -> Any:
        """Returns a message's content or the error in it; returns None if a watch does not need the message."""
        if arrived.payload is None:
            return LineError(f"is a message of more than {LARGEST} bytes")
        try:
            return read_message(arrived.payload, self._by, arrived.topic)
        except LineError as error:
            return error

    def taken(self, count: int) -> None:
        for _ in range(count):
            self._client.confirm(self._given.popleft())

    def close(self) -> None:
        if self.descriptor is not None:
            self._client.close()
            self.descriptor = None
