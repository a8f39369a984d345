"""Receives messages by HTTP POST: the HTTP mode of OwnTracks, and Traccar's JSON forwarding."""

from __future__ import annotations

import base64
import hmac
import selectors
import socket
import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import parse_qs, urlsplit

from .._errors import require
from .device_lines import read_message
from .lines import LineError
from .sources import Source

LARGEST = 1 << 18
"""Maximum size of a message in bytes; larger messages are refused."""
MOST_CONNECTIONS = 256
PATIENCE = 30.0
"""The maximum duration of a request and of an idle connection, in seconds."""
PIECE = 65_536
ANSWERS = {200: b"[]", 400: b"", 401: b"", 405: b"", 413: b"", 503: b""}


class _Connection:
    """One client."""

    def __init__(self, connection: socket.socket, h11: Any, end: float) -> None:
        self.socket, self.end = connection, end
        self.protocol = h11.Connection(h11.SERVER, max_incomplete_event_size=16_384)
        self.body = bytearray()
        self.request: Any = None
        self.is_waiting = False
        """True if a complete request has been read. A request is answered only after its message is in the store."""


class HttpSource(Source):
    """Accepts messages by POST: messages from OwnTracks' HTTP mode, messages from Traccar's ``forward.type json``, and
    JSON objects that name their device. A request is answered with 200 when its message has been fed and is in the
    store. While the store fails, a request is not answered; after 30 s it is answered with 503, and phones and Traccar
    then send the message again.

    A fix that is refused because it is late or a duplicate is also answered with 200, because sending it again would
    not help. The source does not offer TLS; put a reverse proxy in front of it.

    Args:
        host: The address to listen on.
        port: The port; 0 means any free port.
        login: User and password that each request must contain (Basic authentication). If `login` is None, requests
            need no login; use None only for loopback addresses and behind a proxy that authenticates.
        device: The member of JSON objects that names the device.
        monotonic: A function that returns the time of a monotonic clock, in seconds.

    Attributes:
        port: The port that the source listens on.

    Raises:
        MissingExtraError: h11 is not installed.
        OSError: The source cannot listen on the address.

    Example:
        >>> from fencepost.live import from_http
        >>> source = from_http(port=0)
        >>> source.name == f"http://127.0.0.1:{source.port}"
        True
        >>> source.close()
    """

    most_untaken = 0

    def __init__(
        self,
        host: str,
        port: int,
        login: tuple[str, str] | None = None,
        device: str = "device",
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._h11 = require("h11", "live")
        self._device, self._monotonic = device, monotonic
        self._login = None if login is None else base64.b64encode(":".join(login).encode())
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._listener = socket.create_server((host, port), family=family, backlog=128)
        self._listener.setblocking(False)
        self.port: int = self._listener.getsockname()[1]
        self.name = f"http://{f'[{host}]' if ':' in host else host}:{self.port}"
        # The selector's own descriptor becomes readable when one of its sockets is readable.
        self._selector: Any = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ, None)
        self.descriptor = self._selector.fileno()
        self._connections: set[_Connection] = set()
        self._given: deque[_Connection] = deque()

    @property
    def retry_at(self) -> float | None:  # type: ignore[override]
        """The monotonic time at which the first connection times out."""
        return min((each.end for each in self._connections), default=None)

    def read(self) -> Iterable[tuple[str, Any]]:
        found: list[tuple[str, Any]] = []
        for key, _ in self._selector.select(0):
            if key.data is None:
                self._accept()
            else:
                found += self._receive(key.data)
        now = self._monotonic()
        for each in [each for each in self._connections if now >= each.end]:
            if each.is_waiting:
                self._answer(each, 503)
            self._end(each)
        return found

    def _accept(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except OSError:
            return  # the client has disconnected
        if len(self._connections) >= MOST_CONNECTIONS:
            connection.close()
            return
        connection.setblocking(False)
        each = _Connection(connection, self._h11, self._monotonic() + PATIENCE)
        self._connections.add(each)
        self._selector.register(connection, selectors.EVENT_READ, each)

    def _receive(self, each: _Connection) -> list[tuple[str, Any]]:
        """Reads a message from a connection; returns an empty list if the message is incomplete."""
        try:
            data = each.socket.recv(PIECE)
        except BlockingIOError:
            return []
        except OSError:
            data = b""
        if each.is_waiting:
            # Pipelined requests are read only after the current request has been answered. A client that disconnects
            # gets no answer.
            if not data:
                self._end(each)
            else:
                each.protocol.receive_data(data)
            return []
        try:
            each.protocol.receive_data(data)
            return self._events(each)
        except self._h11.RemoteProtocolError as error:
            self._refuse(each, getattr(error, "error_status_hint", 400))
            return []

    def _events(self, each: _Connection) -> list[tuple[str, Any]]:
        h11 = self._h11
        while True:
            event = each.protocol.next_event()
            if event is h11.NEED_DATA:
                if each.protocol.they_are_waiting_for_100_continue:
                    self._send(each, h11.InformationalResponse(status_code=100, headers=[]))
                return []
            if event is h11.PAUSED or isinstance(event, h11.ConnectionClosed):
                self._end(each)
                return []
            if isinstance(event, h11.Request):
                each.request, each.body = event, bytearray()
                if (status := self._refusal(event)) is not None:
                    self._refuse(each, status)
                    return []
            elif isinstance(event, h11.Data):
                each.body += event.data
                if len(each.body) > LARGEST:
                    self._refuse(each, 413)
                    return []
            elif isinstance(event, h11.EndOfMessage):
                return self._message(each)

    def _refusal(self, request: Any) -> int | None:
        """The HTTP status with which to refuse a request because of its headers, or None to accept it."""
        headers = dict(request.headers)
        if request.method != b"POST":
            return 405
        if int(headers.get(b"content-length", b"0")) > LARGEST:
            return 413
        if self._login is not None:
            kind, _, given = headers.get(b"authorization", b"").partition(b" ")
            if kind.lower() != b"basic" or not hmac.compare_digest(given.strip(), self._login):
                return 401
        return None

    def _message(self, each: _Connection) -> list[tuple[str, Any]]:
        each.is_waiting, each.end = True, self._monotonic() + PATIENCE
        self._given.append(each)
        found: Any
        try:
            found = read_message(bytes(each.body), self._device, self._topic(each.request))
        except LineError as error:
            found = error
        peer = "a request"
        if isinstance(found, LineError):
            # The client must not send the message again, so the answer is 200; the error is logged.
            return [(peer, found)]
        return [(peer, found)]

    @staticmethod
    def _topic(request: Any) -> str | None:
        """Returns the topic for a phone that sends its user and device in HTTP headers or in the query, as in
        OwnTracks' HTTP mode; otherwise None."""
        headers = {name: value.decode("utf-8", "replace") for name, value in request.headers}
        query = parse_qs(urlsplit(request.target.decode("ascii", "replace")).query)
        user = headers.get(b"x-limit-u") or query.get("u", [""])[0]
        device = headers.get(b"x-limit-d") or query.get("d", [""])[0]
        return f"owntracks/{user}/{device}" if user and device else None

    def taken(self, count: int) -> None:
        for _ in range(count):
            each = self._given.popleft()
            if each in self._connections and each.is_waiting:
                self._answer(each, 200)

    def _answer(self, each: _Connection, status: int) -> None:
        h11, body = self._h11, ANSWERS.get(status, b"")
        headers = [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
        if status == 401:
            headers.append(("WWW-Authenticate", 'Basic realm="fencepost"'))
        if status != 200:
            headers.append(("Connection", "close"))
        each.is_waiting = False
        try:
            self._send(each, h11.Response(status_code=status, headers=headers), h11.Data(data=body), h11.EndOfMessage())
            each.protocol.start_next_cycle()
        except (h11.LocalProtocolError, h11.RemoteProtocolError):
            self._end(each)  # the client does not want to keep the connection
            return
        each.end = self._monotonic() + PATIENCE
        # Part of another request is already in the protocol's buffer. No socket event would report that part, so close
        # the connection; the client will then send the request again.
        if each.protocol.trailing_data[0]:
            self._end(each)

    def _refuse(self, each: _Connection, status: int) -> None:
        if each.protocol.our_state in (self._h11.IDLE, self._h11.SEND_RESPONSE):
            self._answer(each, status)
        self._end(each)

    def _send(self, each: _Connection, *events: Any) -> None:
        """Sends without waiting, because the whole response fits into the socket's buffer."""
        data = b"".join(each.protocol.send(event) or b"" for event in events)
        try:
            each.socket.send(data)
        except OSError:
            self._end(each)

    def _end(self, each: _Connection) -> None:
        if each in self._connections:
            self._connections.discard(each)
            self._selector.unregister(each.socket)
            each.socket.close()

    def close(self) -> None:
        for each in tuple(self._connections):
            if each.is_waiting:
                self._answer(each, 503)
            self._end(each)
        if self.descriptor is not None:
            self.descriptor = None
            self._selector.close()
            self._listener.close()
