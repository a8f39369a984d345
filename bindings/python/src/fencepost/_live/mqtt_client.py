"""A connection to a broker that lasts: made again when it is lost, after pauses that grow from 1 s to 60 s."""

from __future__ import annotations

from collections import deque
from typing import Any

from .._errors import require
from .mqtt_address import Address
from .notices import Notices
from .waker import Waker

KEEP_ALIVE = 30
LONGEST_PAUSE = 60


class BrokerClient:
    """A client of paho-mqtt, whose thread keeps it connected. What it has to say waits until the main thread asks.

    Args:
        address: The broker's.
        identifier: Of the session.
        login: User and password.
        authority: A file of certificates; None: those of the system.
        lasts: Whether the broker keeps the session while the client is away.
        notices: Where it is said that the broker is lost and found.

    Attributes:
        waker: Becomes readable when something has happened.
        reconnects: How often the connection was made anew.
        is_connected: Whether it is.

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
    ) -> None:
        paho = require("paho.mqtt.client", "live")
        self.address, self.waker, self._notices = address, Waker(), notices
        self.reconnects, self.is_connected, self._was_lost = 0, False, False
        self._said: deque[tuple[str, str]] = deque(maxlen=100)
        self._client = paho.Client(
            paho.CallbackAPIVersion.VERSION2, identifier, clean_session=not lasts, manual_ack=True
        )
        if login is not None:
            self._client.username_pw_set(*login)
        if address.is_encrypted:
            self._client.tls_set(ca_certs=authority)
        self._client.reconnect_delay_set(1, LONGEST_PAUSE)
        self._client.on_connect = self._connected
        self._client.on_connect_fail = self._failed
        self._client.on_disconnect = self._disconnected

    def start(self) -> None:
        """Begins to connect; it goes on until it succeeds."""
        self._client.connect_async(self.address.host, self.address.port, KEEP_ALIVE)
        self._client.loop_start()

    def tell(self) -> None:
        """Says what has happened."""
        while self._said:
            kind, text = self._said.popleft()
            self._notices.seldom(kind, f"{self.address.broker}: {text}")

    def _say(self, kind: str, text: str) -> None:
        self._said.append((kind, text))
        self.waker.wake()

    def _connected(self, client: Any, userdata: Any, flags: Any, reason: Any, properties: Any) -> None:
        if reason.is_failure:
            self._say("refused", f"refuses the connection: {reason}; it is tried again")
            return
        if self._was_lost:
            self.reconnects += 1
            self._say("found", "found again")
        self._was_lost, self.is_connected = False, True
        self._on_connected()

    def _on_connected(self) -> None:
        """Called by the client's thread."""

    def _failed(self, client: Any, userdata: Any) -> None:
        self._was_lost = True
        self._say("lost", "does not answer; it is tried again")

    def _disconnected(self, client: Any, userdata: Any, flags: Any, reason: Any, properties: Any) -> None:
        if self.is_connected and reason.is_failure:
            self._was_lost = True
            self._say("lost", f"lost: {reason}; it is tried again")
        self.is_connected = False
        self._on_disconnected()

    def _on_disconnected(self) -> None:
        """Called by the client's thread."""

    def close(self) -> None:
        """Ends the connection."""
        self._client.disconnect()
        self._client.loop_stop()
        self.waker.close()
