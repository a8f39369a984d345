"""Tests messages sent by HTTP POST: OwnTracks' HTTP mode, Traccar's JSON forward, and misbehaving clients."""

from __future__ import annotations

import base64
import contextlib
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Run, mentions
from full_disk import FullDisk
from watching import START, circles

from fencepost import Circle
from fencepost._live import handling
from fencepost._live.http_source import PATIENCE, HttpSource
from fencepost.live import Follower, from_http

pytest.importorskip("h11")
OFFICE = {"office": Circle(0, 0, 200)}
LOCATION = {"_type": "location", "lat": 0, "lon": 0, "acc": 5, "tst": START, "batt": 80}


class Served:
    """A follower that listens in a thread of the test."""

    def __init__(self, login: tuple[str, str] | None = None, store: Path | None = None) -> None:
        self.had: list[Any] = []
        self.source = from_http(port=0, login=login)
        sink = self.had.append
        self.live = Follower(OFFICE, policy="exact", ahead=None, sinks=[lambda event: sink(event)], store=store)
        self._thread = threading.Thread(target=self.live.run, args=(self.source,))
        self._thread.start()

    def close(self) -> None:
        while self.live._watcher.has_events or not self.live._watcher.is_done:
            time.sleep(0.001)
        self.live.stop()
        self._thread.join(60)
        assert not self._thread.is_alive()
        self.live.close()
        self.source.close()

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.source.port), timeout=60)

    def post(self, message: Any, path: str = "/", **headers: str) -> int:
        """Posts a message; returns the status."""
        with self.connect() as connection:
            connection.sendall(request(message, path, **headers))
            return status(connection)[0]


def request(message: Any, path: str = "/", method: str = "POST", **headers: str) -> bytes:
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    lines = [f"{method} {path} HTTP/1.1", "Host: here", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


def status(connection: socket.socket) -> tuple[int, bytes]:
    """Reads one response; returns its status and body."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(65_536)
        if not more:
            raise ConnectionError(data)
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    (length,) = [int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")]
    while len(body) < length:
        body += connection.recv(65_536)
    return int(head.split()[1]), body


@contextlib.contextmanager
def served(**options: Any) -> Iterator[Served]:
    found = Served(**options)
    try:
        yield found
    finally:
        found.close()


def test_phones_and_traccar() -> None:
    forward = {
        "position": {"latitude": 0, "longitude": 0, "accuracy": 5, "fixTime": "2023-11-14T22:13:20Z"},
        "device": {"uniqueId": "42"},
    }
    with served() as host:
        # The apps name the user and the device in the message's topic, in headers, or in the query of the URL.
        assert host.post({**LOCATION, "topic": "owntracks/ann/phone"}) == 200
        assert host.post(LOCATION, X_Limit_U="bob", X_Limit_D="watch") == 200
        assert host.post(LOCATION, "/pub?u=eve&d=tablet") == 200
        assert host.post(forward) == 200
        assert host.post({"device": "van", "lat": 0, "lon": 0, "time": START}) == 200
        assert host.post(forward) == 200, "twice is not wrong"
        with host.connect() as connection:  # one connection for several requests, sent in pieces
            for second in (1, 2):
                for piece in [*request({"device": "slow", "lat": 0, "lon": 0, "time": START + second})]:
                    connection.sendall(bytes([piece]))
                assert status(connection) == (200, b"[]"), "the apps expect a list"
    assert [event.device for event in host.had] == ["ann/phone", "bob/watch", "eve/tablet", "42", "van", "slow"]
    assert host.live.counts["double_fixes"] == 1 and host.had[0].source == {"batt": 80}


def test_a_login_is_asked_for() -> None:
    def basic(text: str) -> str:
        return "Basic " + base64.b64encode(text.encode()).decode()

    with served(login=("ann", "pä:ss")) as host:
        assert host.post(LOCATION, "/?u=a&d=b") == 401
        assert host.post(LOCATION, "/?u=a&d=b", Authorization=basic("ann:wrong")) == 401
        assert host.post(LOCATION, "/?u=a&d=b", Authorization="Bearer ann") == 401
        assert host.post(LOCATION, "/?u=a&d=b", Authorization=basic("ann:pä:ss")) == 200
    assert len(host.had) == 1


def test_clients_that_do_what_they_should_not() -> None:
    with served() as host:
        for data, expected in (
            (request(LOCATION, method="GET"), 405),
            (b"what?\r\n\r\n", 400),
            (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 999999999\r\n\r\n", 413),
            (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400),
            (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400),
            (b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
            (b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + b"40001\r\n" + b"x" * 0x40001, 413),
            (b"POST / HTTP/1.1\r\n" + b"X: " + b"y" * 100_000 + b"\r\n\r\n", 431),
        ):
            with host.connect() as connection, contextlib.suppress(ConnectionResetError, BrokenPipeError):
                connection.sendall(data)
                assert status(connection)[0] == expected, data[:60]
        with host.connect() as connection:
            connection.sendall(b"POST / HT")  # and disconnects
        with host.connect() as connection:
            connection.sendall(request(LOCATION, "/?u=gone&d=away"))  # the sender does not wait for the response
        with host.connect() as connection:  # the sender waits for 100 Continue before it sends the body
            whole = request(LOCATION, "/?u=asks&d=first", Expect="100-continue")
            head, _, body = whole.partition(b"\r\n\r\n")
            connection.sendall(head + b"\r\n\r\n")
            assert connection.recv(1000).startswith(b"HTTP/1.1 100 ")
            connection.sendall(body)
            assert status(connection)[0] == 200
        for bad in (b"", b"{", b"[1]", {"lat": 0}, {**LOCATION, "tst": "soon"}, {"_type": "encrypted", "data": "x"}):
            assert host.post(bad) == 200, "sent again it would be the same"
        assert host.post(LOCATION, "/?u=the&d=last") == 200
    assert {"asks/first", "the/last"} <= {event.device for event in host.had}


def test_nothing_is_confirmed_while_the_store_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handling, "BETWEEN_SAVES", 0.2)
    source = from_http(port=0)
    live = Follower(OFFICE, policy="exact", ahead=None, store=tmp_path, sinks=[lambda event: None])
    thread = threading.Thread(target=live.run, args=(source,))
    with socket.create_connection(("127.0.0.1", source.port)) as connection:
        connection.sendall(request(LOCATION, "/?u=a&d=b"))
        with FullDisk():
            thread.start()
            while live.counts.get("store_errors", 0) == 0:
                time.sleep(0.01)
            connection.settimeout(0.2)
            with pytest.raises(TimeoutError):
                connection.recv(1)
        connection.settimeout(60)
        assert status(connection)[0] == 200, "once the store has it"
    live.stop()
    thread.join(60)
    live.close()
    source.close()


def test_a_connection_that_says_nothing_ends() -> None:
    now = [0.0]
    source = HttpSource("127.0.0.1", 0, monotonic=lambda: now[0])
    with socket.create_connection(("127.0.0.1", source.port), timeout=60) as connection:
        while source.retry_at is None:
            source.read()
        assert source.retry_at == PATIENCE
        now[0] = PATIENCE
        source.read()
        assert connection.recv(1) == b"" and source.retry_at is None
    source.close()
    source.close()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ("--source http://127.0.0.1", "http://HOST:PORT"),
        ("--source http://127.0.0.1:port", "http://HOST:PORT"),
        ("--source http://127.0.0.1:65536", "http://HOST:PORT"),
        ("--source http://0.0.0.0:8085", "--http-login"),
        ("--source http://127.0.0.1:0 --http-login nowhere", "nowhere"),
        ("--source http://127.0.0.1:0 --http-login empty", "empty: … password"),
        ("--source - --by device --http-login empty", "argument --http-login: "),
        ("--source http://127.0.0.1:0 --as x", "name … device"),
    ],
)
def test_the_command_refuses_what_does_not_fit(run: Run, tmp_path: Path, arguments: str, reason: str) -> None:
    (tmp_path / "empty").write_text("")
    ended = run("watch", "--conditions", circles(tmp_path / "places.geojson", office=200), *arguments.split())
    assert ended.returncode == 2 and len(ended.stderr.splitlines()) == 1 and mentions(ended.stderr, reason), (
        ended.stderr
    )


def test_the_command_listens(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    places = circles(tmp_path / "places.geojson", office=200)
    (tmp_path / "login").write_text("ann\nsecret\n")
    arguments = ["--source", f"http://127.0.0.1:{port}", "--http-login", "login", "--any-time", "--append", "events"]
    command = [sys.executable, "-m", "fencepost", "watch", "--conditions", places, *arguments]
    process = subprocess.Popen(command, cwd=tmp_path)
    try:
        while True:
            with (
                contextlib.suppress(ConnectionRefusedError),
                socket.create_connection(("127.0.0.1", port)) as connection,
            ):
                allowed = "Basic " + base64.b64encode(b"ann:secret").decode()
                connection.sendall(request(LOCATION, "/?u=ann&d=phone", Authorization=allowed))
                assert status(connection)[0] == 200
                break
            time.sleep(0.05)
            assert process.poll() is None
        while not (tmp_path / "events").read_text().endswith("\n"):
            time.sleep(0.01)
    finally:
        process.terminate()
        assert process.wait(60) == 0
    event = json.loads((tmp_path / "events").read_text())
    assert (event["device"], event["state"]) == ("ann/phone", "satisfied")
