"""A permanent connection to a broker. A lost connection is re-established, after pauses that grow from 1 s to 60 s."""

from __future__ import annotations

import logging
import math
import time
from collections import deque
from typing import Any

from .._errors import require
from .mqtt_address import Address
from .notices import Notices
from .waker import Waker

KEEP_ALIVE = 30
LONGEST_PAUSE = 60
SHORT_LIFE = 3.0
"""Seconds. If the broker ends a connection within this time, a second client may be using the same client id."""
CONTESTED = 5
"""If this many short connections occur one after the other, and the broker was up all the time, another client is using
the same client id."""
NEVER = 0xFFFFFFFF
"""The session expiry interval of MQTT 5 for a session that does not expire."""
AWAY = 86_400
"""Seconds that a client waits before it reconnects if a second client uses its id."""


class BrokerClient:
    """A paho-mqtt client. The library's thread keeps the client connected. Notices are queued until the main thread
    calls :meth:`tell`.

    Args:
        address: The broker's address.
        identifier: The client id of the session.
        login: User and password.
        authority: A file with CA certificates; None means the system's certificates.
        lasts: True if the broker keeps the session while the client is disconnected.
        notices: Receives a report when the connection to the broker is lost, and another when it is restored.
        holds: True to connect by MQTT 5, with the largest number of unacknowledged messages.

    Attributes:
        waker: Becomes readable when the client's thread has something to report.
        reconnects: How often the client has reconnected.
        is_connected: True if the client is connected.
        is_contested: True if another client has the same id. A broker ends the older of two connections with the same
            client id, so the two clients would disconnect each other forever.

    Raises:
        MissingExtraError: paho-mqtt is not installed.
        OSError: The certificates cannot be read.
    """

    def __init__(
        self,
        address: Address,
        identifier: str,
        login: tuple[str, str] | None,
        authority: str | None,
        lasts: bool,
        notices: Notices,
        holds: bool = False,
    ) -> None:
        paho = require("paho.mqtt.client", "live")
        self.address, self.waker, self._notices = address, Waker(), notices
        self.reconnects, self.is_connected, self._was_lost = 0, False, False
        self.identifier, self.is_contested = identifier, False
        self._said: deque[tuple[str, str, int]] = deque(maxlen=100)
        self._connected_at, self._contested_since, self._short_lives = 0.0, 0.0, 0
        self._up_since = math.inf
        callbacks = paho.CallbackAPIVersion.VERSION2
        self._session: dict[str, Any] = {}
        if holds:
            # MQTT 3.1.1 has no way to raise the broker's limit of unacknowledged messages (20 in mosquitto).
            properties = require("paho.mqtt.properties", "live").Properties(paho.PacketTypes.CONNECT)
            properties.ReceiveMaximum, properties.SessionExpiryInterval = 65_535, NEVER if lasts else 0
            self._session = {"clean_start": not lasts, "properties": properties}
            self._client = paho.Client(callbacks, identifier, protocol=paho.MQTTv5, manual_ack=True)
        else:
            self._client = paho.Client(callbacks, identifier, clean_session=not lasts, manual_ack=True)
        if login is not None:
            self._client.username_pw_set(*login)
        if address.is_encrypted:
            self._client.tls_set(ca_certs=authority)
        self._client.reconnect_delay_set(1, LONGEST_PAUSE)
        self._client.on_connect = self._connected
        self._client.on_connect_fail = self._failed
        self._client.on_disconnect = self._disconnected

    def start(self) -> None:
        """Starts to connect, and retries until the connection succeeds."""
        self._client.connect_async(self.address.host, self.address.port, KEEP_ALIVE, **self._session)
        self._client.loop_start()

    def tell(self) -> None:
        """Logs the queued notices; called by the main thread."""
        while self._said:
            kind, text, level = self._said.popleft()
            self._notices.seldom(kind, f"{self.address.broker}: {text}", level)

    def _say(self, kind: str, text: str, level: int = logging.WARNING) -> None:
        self._said.append((kind, text, level))
        self.waker.wake()

    def _connected(self, client: Any, userdata: Any, flags: Any, reason: Any, properties: Any) -> None:
        if reason.is_failure:
            self._say("refused", f"refuses the connection: {reason}; trying again")
            return
        if self._was_lost:
            self.reconnects += 1
            self._say("found", "connected again", logging.INFO)
        self._was_lost, self.is_connected = False, True
        self._connected_at = time.monotonic()
        self._on_connected(flags.session_present)

    def _on_connected(self, continues: bool) -> None:
        """Does nothing; subclasses may override it. Called by the client's thread after each successful connection.
        If `continues` is true, the broker has kept the session, and delivers unacknowledged messages again."""

    def _failed(self, client: Any, userdata: Any) -> None:
        self._was_lost, self._short_lives = True, 0
        self._say("lost", "does not answer; trying again")

    def _disconnected(self, client: Any, userdata: Any, flags: Any, reason: Any, properties: Any) -> None:
        if self.is_connected and reason.is_failure:
            self._was_lost = True
            now = time.monotonic()
            if now >= self._connected_at + SHORT_LIFE:
                self._short_lives = 0
            else:
                if self._short_lives == 0:
                    self._contested_since = self._connected_at
                self._short_lives += 1
            # Short connections may also be due to a restart of the broker, but not if the broker has been up since
            # before the first of them. The first client that notices the conflict disconnects; the other client then
            # keeps its connection.
            self.is_contested = self._short_lives >= CONTESTED and self._up_since < self._contested_since
            if self.is_contested:  # the main thread will close the client, but may be busy
                client.reconnect_delay_set(AWAY, AWAY)
            self._say("lost", f"connection lost: {reason}; trying again")
        self.is_connected = False
        self._on_disconnected()

    def _on_disconnected(self) -> None:
        """Does nothing; subclasses may override it. Called by the client's thread after each disconnection."""

    def _note_uptime(self, seconds: float) -> None:
        """Stores how long the broker has been up, as published by the broker."""
        self._up_since = time.monotonic() - seconds

    def close(self) -> None:
        """Ends the connection."""
        self._client.disconnect()
        self._client.loop_stop()
        self.waker.close()
