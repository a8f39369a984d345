"""Tests the programs in ``examples/live``: FastAPI with a fleet, a store and server-sent events; alerts from a broker;
and the event loop of a host program."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from brokers import START, Broker, Phone, conditions, location, mosquitto, until

from fencepost import Circle
from fencepost.live import Fed

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "live"
LONGEST = 120.0


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("name", "most"), [("fastapi_service", 60), ("fastapi_small", 21), ("mqtt_alert", 25)])
def test_they_are_short(name: str, most: int) -> None:
    assert len((EXAMPLES / f"{name}.py").read_text().splitlines()) <= most


@contextlib.contextmanager
def fastapi(folder: Path, name: str = "fastapi_service") -> Iterator[str]:
    """Runs the service in a separate process; yields its address."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    command = [sys.executable, "-m", "uvicorn", f"{name}:app", "--port", str(port), "--log-level", "warning"]
    environment = {**os.environ, "ZONES": str(folder / "conditions.geojson"), "STORE": str(folder)}
    process = subprocess.Popen(command, cwd=EXAMPLES, env=environment)
    try:
        end = time.monotonic() + LONGEST
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            assert time.monotonic() < end and process.poll() is None
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(LONGEST) in (0, -signal.SIGTERM)


def test_a_fastapi_service_in_a_few_lines(tmp_path: Path) -> None:
    """The service accepts times as texts and as seconds since 1970, and returns events as JSON; the program does not
    have to advance a clock."""
    httpx = pytest.importorskip("httpx", reason="httpx is installed by make test-all")
    pytest.importorskip("fastapi", reason="FastAPI is installed by make test-all")
    conditions(tmp_path)
    now = int(time.time())
    with fastapi(tmp_path, "fastapi_small") as base:
        for device, seconds in (("van", now - 2), ("bike", datetime.fromtimestamp(now - 2, UTC).isoformat())):
            fix = {"device": device, "lat": 0, "lon": 0, "time": seconds}
            (event,) = httpx.post(f"{base}/fixes", json=fix, timeout=LONGEST).json()
            assert (event["device"], event["state"]) == (device, "satisfied")
        assert httpx.get(f"{base}/zones/{event['identifier']}", timeout=LONGEST).json() == ["van", "bike"]


def test_fastapi_with_a_fleet_a_store_and_a_stream(tmp_path: Path) -> None:
    httpx = pytest.importorskip("httpx", reason="httpx is installed by make test-all")
    pytest.importorskip("fastapi", reason="FastAPI is installed by make test-all")
    conditions(tmp_path)
    now = int(time.time())
    heard: list[tuple[int, dict[str, Any]]] = []
    is_open = threading.Event()

    def listen(base: str, after: str | None, count: int) -> None:
        headers = {} if after is None else {"Last-Event-ID": after}
        with httpx.stream("GET", f"{base}/events", headers=headers, timeout=LONGEST) as answer:
            is_open.set()
            number = 0
            for line in answer.iter_lines():
                if line.startswith("id: "):
                    number = int(line[4:])
                elif line.startswith("data: "):
                    heard.append((number, json.loads(line[6:])))
                    if len(heard) == count:
                        return

    with fastapi(tmp_path) as base:
        place = httpx.get(f"{base}/zones/nowhere")
        assert place.status_code == 404
        reader = threading.Thread(target=listen, args=(base, "0", 2))
        reader.start()
        assert is_open.wait(LONGEST)
        fix = {"device": "van", "lat": 0, "lon": 0, "time": now - 2, "driver": "Ada"}
        assert httpx.post(f"{base}/fixes", json=fix).json() == []
        assert httpx.post(f"{base}/fixes", json={**fix, "lat": 1, "time": now - 1}).status_code == 200
        assert httpx.post(f"{base}/fixes", json={"lat": 0}).status_code == 422
        reader.join(LONGEST)
        assert [(event["device"], event["state"]) for _, event in heard] == [
            ("van", "satisfied"),
            ("van", "unsatisfied"),
        ]
        assert heard[0][1]["source"] == {"driver": "Ada"}
        first = heard[0][0]
        heard.clear()
        listen(base, str(first), 1)
        assert heard[0][1]["sequence"] == 2, "it continues where the reader stopped"
        back = {"device": "van", "lat": 0, "lon": 0, "time": now}
        assert httpx.post(f"{base}/fixes", json=back).status_code == 200
        zone = heard[0][1]["identifier"]
        assert httpx.get(f"{base}/zones/{zone}").json() == ["van"]
    with fastapi(tmp_path) as base:  # the service restarts
        assert httpx.get(f"{base}/zones/{zone}").json() == ["van"]


@pytest.mark.skipif(mosquitto() is None, reason="mosquitto is not installed: .ci/mosquitto.sh")
def test_alerts_of_a_broker(tmp_path: Path) -> None:
    pytest.importorskip("paho.mqtt.client", reason="paho-mqtt is installed by make test-all")
    broker = Broker(tmp_path / "broker", "allow_anonymous true")
    conditions(tmp_path)
    url = f"mqtt://127.0.0.1:{broker.port}/owntracks/#"
    command = [sys.executable, EXAMPLES / "mqtt_alert.py", url, tmp_path / "conditions.geojson", tmp_path]
    try:
        with (tmp_path / "out").open("w") as out, (tmp_path / "log").open("w") as log:
            process = subprocess.Popen(command, stdout=out, stderr=log)
            try:
                until(lambda: "subscribed to" in (tmp_path / "log").read_text(), "a subscription")
                phone = Phone(broker)
                phone.flush(phone.send("owntracks/ann/phone", location(int(time.time()) - START)))
                until(lambda: (tmp_path / "out").read_text().endswith("\n"), "an alert")
                phone.close()
            finally:
                process.send_signal(signal.SIGTERM)
                code = process.wait(LONGEST)
        assert code == 0, (tmp_path / "log").read_text()
        assert " determined " in (tmp_path / "out").read_text()
    finally:
        broker.stop()


def test_a_host_with_a_loop_of_its_own() -> None:
    module = example("host_loop")
    seen: list[tuple[str, str]] = []
    failures = [ConnectionError("not yet")]

    def changed(event: Any) -> None:
        if failures:
            raise failures.pop()
        seen.append((event.identifier, str(event.state)))

    async def main() -> None:
        threads = threading.active_count()
        seconds = [0.0]
        presence = module.Presence(
            {"home": Circle(0, 0, 100)}, changed, ahead=None, lag=0, monotonic=lambda: seconds[0]
        )
        at = datetime(2026, 1, 1, tzinfo=UTC)
        assert presence.location("phone", 0.0, 0.0, 5.0, at) is Fed.ACCEPTED
        assert seen == [] and presence.zones_of("phone") == ["home"]
        seconds[0] = 1.0  # the pause after the failed call is over
        presence._turn()
        assert seen == [("home", "satisfied")]
        presence.location("phone", 0.0, 0.01, 5.0, at.replace(second=1))
        assert presence._timer is not None, "the dwell of 20 s is due"
        seconds[0] = 30.0
        presence._turn()
        assert seen[1:] == [("home", "unsatisfied")] and presence._timer is None
        assert threading.active_count() == threads
        presence.unload()

    asyncio.run(main())
