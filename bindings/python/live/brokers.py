"""Helpers for the slow tests of ``fencepost watch``: they start a separate mosquitto, run a watch in a process, and
wait until something is true."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

START = 1_700_000_000
LONGEST = 180.0
"""Timeout of every wait, in seconds."""


def mosquitto() -> str | None:
    """Finds the program mosquitto; Debian puts it into a folder that is only on root's path."""
    return shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")


def free_port() -> int:
    """Returns a port below the range from which the system takes ports for outgoing connections. While the broker is
    stopped, a port in the range for outgoing connections could be taken by another process, or even by a watch that
    tries to connect."""
    while True:
        try:
            with socket.create_server(("127.0.0.1", random.SystemRandom().randrange(10_000, 32_000))) as server:
                port: int = server.getsockname()[1]
                return port
        except OSError:
            pass


def until(condition: Callable[[], Any], what: str, state: Callable[[], str] = lambda: "") -> Any:
    """Waits for a condition. Waits until a condition is true; after a timeout, fails with the text of `state`."""
    end = time.monotonic() + LONGEST
    while not (found := condition()):
        if time.monotonic() >= end:
            raise AssertionError(f"{what} took longer than {LONGEST:g} s {state()}")
        time.sleep(0.02)
    return found


class Broker:
    """Runs a mosquitto on the loopback interface; it keeps its messages when it stops and starts again."""

    def __init__(self, folder: Path, *settings: str) -> None:
        self.folder, self._settings = folder, settings or ("allow_anonymous true",)
        folder.mkdir(exist_ok=True)
        self._configuration = folder / "mosquitto.conf"
        self._process: subprocess.Popen[bytes] | None = None
        # Another process may take the port before mosquitto listens on it.
        for attempt in range(5):
            self.port = free_port()
            self._configure()
            try:
                self.start()
            except AssertionError:
                if attempt == 4:
                    raise
            else:
                break

    def _configure(self) -> None:
        lines = [
            f"listener {self.port} 127.0.0.1",
            "persistence true",
            f"persistence_location {self.folder}/",
            "user root",
            "max_queued_messages 100000",
            *self._settings,
        ]
        self._configuration.write_text("\n".join(lines) + "\n")

    @property
    def url(self) -> str:
        return f"mqtt://127.0.0.1:{self.port}"

    def start(self) -> None:
        program = mosquitto()
        assert program is not None
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen([program, "-c", str(self._configuration)], stdout=log, stderr=log)

        def answers() -> bool:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            except OSError:
                assert self._process is not None and self._process.poll() is None, (self.folder / "log").read_text()
                return False
            return True

        until(answers, "mosquitto")

    def stop(self) -> None:
        assert self._process is not None
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait(LONGEST)


class Phone:
    """A client that publishes and subscribes."""

    def __init__(self, broker: Broker, login: tuple[str, str] | None = None, topic: str | None = None) -> None:
        from paho.mqtt import client

        self.heard: list[tuple[str, Any]] = []
        self.is_listening = False
        self._client = client.Client(client.CallbackAPIVersion.VERSION2)
        if login is not None:
            self._client.username_pw_set(*login)
        self._client.max_queued_messages_set(0)
        self._client.max_inflight_messages_set(1000)
        self._client.on_message = self._message
        self._client.on_subscribe = self._subscribed
        self._client.connect("127.0.0.1", broker.port)
        self._client.loop_start()
        if topic is not None:
            self._client.subscribe(topic, 1)
            until(lambda: self.is_listening, "a subscription")

    def _subscribed(self, *arguments: Any) -> None:
        self.is_listening = True

    def _message(self, client: Any, userdata: Any, message: Any) -> None:
        try:
            self.heard.append((message.topic, json.loads(message.payload)))
        except ValueError:
            pass  # a test has sent a malformed payload on purpose

    def send(self, topic: str, payload: Any, quality: int = 1, retain: bool = False) -> Any:
        data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        return self._client.publish(topic, data, quality, retain)

    def flush(self, sent: Any) -> None:
        sent.wait_for_publish(LONGEST)
        assert sent.is_published()

    def close(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()


def location(second: float, longitude: float = 0.0, **more: Any) -> dict[str, Any]:
    return {"_type": "location", "lat": 0, "lon": longitude, "acc": 5, "tst": START + second, **more}


class Watcher:
    """A watch in a separate process; it appends its events to a file."""

    def __init__(self, folder: Path, *arguments: str | Path, environment: dict[str, str] | None = None) -> None:
        self.events_file, self.said_file = folder / "events.jsonl", folder / "said"
        command = [sys.executable, "-m", "fencepost", "watch", "--any-time", "--append", self.events_file, *arguments]
        with self.said_file.open("ab") as said:
            self.process = subprocess.Popen(
                [*map(str, command)], cwd=folder, stderr=said, env={**os.environ, **(environment or {})}
            )

    @property
    def events(self) -> list[dict[str, Any]]:
        if not self.events_file.exists():
            return []
        text = self.events_file.read_text()
        return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]

    @property
    def reported(self) -> list[tuple[str, str, int]]:
        return [(event["device"], event["state"], event["sequence"]) for event in self.events]

    @property
    def said(self) -> str:
        return self.said_file.read_text()

    def until(self, condition: Callable[[], Any], what: str) -> None:
        def looked() -> Any:
            assert self.process.poll() is None, self.said
            return condition()

        until(looked, what)

    def end(self) -> None:
        """Kills the process without warning, unless it has already ended."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(LONGEST)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(LONGEST)


def conditions(folder: Path, **places: float) -> Path:
    """Writes a conditions file with circles of 200 m on the equator, each at its own longitude."""
    path = folder / "conditions.geojson"
    features = [
        {
            "type": "Feature",
            "geometry": {"type": "Point", "coordinates": [longitude, 0]},
            "properties": {"identifier": name, "radius": 200, "policy": "exact"},
        }
        for name, longitude in (places or {"office": 0.0}).items()
    ]
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return path
