"""Tests Home Assistant's MQTT discovery and the add-on, with Debian's mosquitto on the loopback interface."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from brokers import LONGEST, Broker, Watcher, conditions, location, mosquitto, until

client = pytest.importorskip("paho.mqtt.client", reason="paho-mqtt is installed by make test-all")
pytestmark = pytest.mark.skipif(mosquitto() is None, reason="mosquitto is not installed: .ci/mosquitto.sh")

ROOT = Path(__file__).resolve().parents[3]
ADDON = ROOT / "containers" / "homeassistant"

# Lists the variables from Home Assistant's pages "MQTT device tracker" and "MQTT binary sensor" that matter here. Home
# Assistant refuses a payload with unknown variables.
COMMON = {
    "availability_topic", "payload_available", "payload_not_available", "device", "origin", "json_attributes_topic",
    "name", "qos", "state_topic", "unique_id", "icon", "entity_category", "enabled_by_default",
}  # fmt: skip
VARIABLES = {
    "device_tracker": COMMON | {"source_type", "payload_home", "payload_not_home", "payload_reset"},
    "binary_sensor": COMMON | {"device_class", "payload_on", "payload_off", "expire_after", "off_delay"},
}
DEVICE = {"identifiers", "name", "manufacturer", "model", "sw_version", "connections", "via_device"}
CONFIG = re.compile(r"homeassistant/(device_tracker|binary_sensor)/([a-zA-Z0-9_-]+)/config")


class Assistant:
    """Stands in for Home Assistant's state: the last message of each topic. An instance of Home Assistant that starts
    later sees only retained messages."""

    def __init__(self, broker: Broker) -> None:
        self.topics: dict[str, str] = {}
        self.history: list[tuple[str, str]] = []
        self._client = client.Client(client.CallbackAPIVersion.VERSION2)
        self._client.on_message = self._heard
        self._client.connect("127.0.0.1", broker.port)
        self._client.subscribe([("homeassistant/#", 1), ("fencepost/#", 1)])
        self._client.loop_start()

    def _heard(self, _client: Any, _data: Any, message: Any) -> None:
        text = message.payload.decode()
        self.history.append((message.topic, text))
        if text:
            self.topics[message.topic] = text
        else:
            self.topics.pop(message.topic, None)

    def entities(self, kind: str) -> dict[tuple[str, str | None], dict[str, Any]]:
        """Returns a mapping from (device name, entity name) to the configuration of the entity."""
        found = {}
        for topic, text in dict(self.topics).items():
            if (parts := CONFIG.fullmatch(topic)) and parts[1] == kind:
                config = json.loads(text)
                assert config["unique_id"] == parts[2]
                assert set(config) <= VARIABLES[kind] and set(config["device"]) <= DEVICE
                assert config["origin"]["name"]  # required since Home Assistant introduced the `origin` key
                found[config["device"]["name"], config["name"]] = config
        return found

    def state(self, device: str, place: str) -> str | None:
        """Returns the state that Home Assistant would show."""
        config = self.entities("binary_sensor").get((device, place))
        if config is None:
            return None
        if self.topics.get(config["availability_topic"]) != "online":
            return "unavailable"
        shown = {config["payload_on"]: "on", config["payload_off"]: "off"}
        return shown.get(self.topics.get(config["state_topic"], ""), "unknown")

    def position(self, device: str) -> dict[str, Any]:
        config = self.entities("device_tracker").get((device, None))
        return {} if config is None else json.loads(self.topics.get(config["json_attributes_topic"], "{}"))

    def close(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def broker(stack: ExitStack, tmp_path: Path) -> Broker:
    broker = Broker(tmp_path / "broker")
    stack.callback(broker.stop)
    return broker


def assistant(stack: ExitStack, broker: Broker) -> Assistant:
    found = Assistant(broker)
    stack.callback(found.close)
    return found


def say(broker: Broker, topic: str, message: dict[str, Any]) -> None:
    command = ["mosquitto_pub", "-p", str(broker.port), "-q", "1", "-t", topic, "-m", json.dumps(message)]
    subprocess.run(command, check=True, timeout=LONGEST)


def watcher(stack: ExitStack, folder: Path, broker: Broker, *more: str | Path) -> Watcher:
    folder.mkdir(exist_ok=True)
    started = Watcher(
        folder, "--source", broker.url, "--conditions", folder / "conditions.geojson", "--store", folder,
        "--publish", broker.url, "--publish-format", "homeassistant", *more,
    )  # fmt: skip
    stack.callback(started.end)
    started.until(lambda: "subscribed to" in started.said, "the subscription")
    return started


def test_people_places_and_positions(stack: ExitStack, tmp_path: Path, broker: Broker) -> None:
    """After a person's first fix, there is a sensor for each pair of this person and a place. The test checks states
    and positions, and what happens when a watch ends or a place is removed."""
    folder = tmp_path / "watch"
    folder.mkdir()
    conditions(folder, home=0.0, office=1.0)
    home = assistant(stack, broker)
    watch = watcher(stack, folder, broker)
    say(broker, "owntracks/alice/phone", location(0, 0.5))
    until(lambda: home.state("alice/phone", "office") == "off", "the first fix", lambda: str(home.topics))
    until(lambda: home.state("alice/phone", "home") == "off", "the other place")
    until(lambda: home.position("alice/phone"), "the position")
    assert {"latitude": 0, "longitude": 0.5, "gps_accuracy": 5}.items() <= home.position("alice/phone").items()
    say(broker, "owntracks/alice/phone", location(10, 0.0))
    say(broker, "owntracks/bob/Ünï (phone)", location(10, 1.0))
    until(lambda: home.state("alice/phone", "home") == "on", "alice's arrival")
    config = home.entities("binary_sensor")["alice/phone", "home"]
    reported = json.loads(home.topics[config["json_attributes_topic"]])
    assert (reported["identifier"], reported["state"], reported["device"]) == ("home", "satisfied", "alice/phone")
    assert (
        config["device"]["identifiers"] == home.entities("device_tracker")["alice/phone", None]["device"]["identifiers"]
    )
    say(broker, "owntracks/alice/phone", location(20, 1.0))
    until(lambda: home.state("alice/phone", "home") == "off", "alice's departure")
    until(lambda: home.state("alice/phone", "office") == "on", "her arrival at the office")
    # Home Assistant restarts and gets every message again, because every message is retained.
    again = assistant(stack, broker)
    until(lambda: again.state("alice/phone", "office") == "on", "the retained messages")
    until(lambda: again.state("alice/phone", "home") == "off" and again.position("alice/phone"), "all of them")
    # The watch is killed, so the broker publishes its last will.
    watch.stop(signal.SIGKILL)
    until(lambda: home.state("alice/phone", "office") == "unavailable", "the will")
    # The next watch continues where the first one stopped. The new watch publishes the present states, although there
    # is no new event.
    watch = watcher(stack, folder, broker)
    until(lambda: home.state("alice/phone", "office") == "on", "the next life")
    # A place is removed, and its entities disappear. The entities of a new place appear with the next fix.
    conditions(folder, office=1.0, harbour=2.0)
    watch.process.send_signal(signal.SIGHUP)
    watch.until(lambda: "reloaded" in watch.said, "the conditions")
    say(broker, "owntracks/alice/phone", location(60, 2.0))
    until(lambda: home.state("alice/phone", "harbour") == "on", "the harbour")
    until(lambda: home.state("alice/phone", "home") is None, "the end of home")
    assert watch.stop() == 0
    until(lambda: home.state("alice/phone", "harbour") == "unavailable", "the end")


def test_a_broker_that_is_away_delays_and_loses_nothing(stack: ExitStack, tmp_path: Path, broker: Broker) -> None:
    folder = tmp_path / "watch"
    folder.mkdir()
    conditions(folder, home=0.0)
    source = folder / "fixes"
    os.mkfifo(source)
    watch = Watcher(
        folder, "--source", source, "--by", "device", "--conditions", folder / "conditions.geojson",
        "--publish", broker.url, "--publish-format", "homeassistant",
    )  # fmt: skip
    stack.callback(watch.end)
    with source.open("w") as fixes:
        for second, longitude in enumerate((0.5, 0.0, 0.5, 0.0)):
            if second == 2:
                until(lambda: len(watch.events) == 1, "the first event")
                broker.stop()
            row = {"device": "van", "lat": 0, "lon": longitude, "accuracy": 5, "time": 1_700_000_000 + second}
            fixes.write(json.dumps(row) + "\n")
            fixes.flush()
        watch.until(lambda: "lost" in watch.said or "not answer" in watch.said, "the outage")
        broker.start()
        home = assistant(stack, broker)
        until(lambda: home.state("van", "home") == "on" and len(watch.events) == 3, "the events after the outage")
    assert watch.process.wait(LONGEST) == 0


class Supervisor:
    """Stands in for the part of Home Assistant's supervisor that tells an add-on the broker's address."""

    def __init__(self, port: int) -> None:
        asked = self.asked = []  # type: list[tuple[str, str | None]]

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append((self.path, self.headers["Authorization"]))
                data = {"host": "127.0.0.1", "port": port, "ssl": False, "username": "addons", "password": "s3cret"}
                body = json.dumps({"result": "ok", "data": data}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def test_the_add_on_from_its_options_to_the_states(stack: ExitStack, tmp_path: Path, broker: Broker) -> None:
    supervisor = Supervisor(broker.port)
    stack.callback(supervisor.server.server_close)
    stack.callback(supervisor.server.shutdown)
    data = tmp_path / "data"
    data.mkdir()
    options = {
        "topics": ["owntracks/#"],
        "places": [{"name": "Zuhause", "latitude": 0.0, "longitude": 0.0, "radius": 150}],
        "places_file": "", "expire_days": 30, "unknown_accuracy": 20.0,
    }  # fmt: skip
    (data / "options.json").write_text(json.dumps(options))
    environment = {
        **os.environ, "SUPERVISOR_TOKEN": "token of the add-on", "FENCEPOST_SUPERVISOR": supervisor.url,
        "FENCEPOST_DATA": str(data), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }  # fmt: skip
    with (tmp_path / "said").open("wb") as said:
        process = subprocess.Popen([sys.executable, ADDON / "run.py"], env=environment, stderr=said)
    stack.callback(process.wait, LONGEST)
    stack.callback(process.kill)
    until(lambda: "subscribed to" in (tmp_path / "said").read_text(), "the add-on", (tmp_path / "said").read_text)
    assert supervisor.asked == [("/services/mqtt", "Bearer token of the add-on")]
    arguments = Path(f"/proc/{process.pid}/cmdline").read_bytes()
    assert b"s3cret" not in arguments, "the password can be read by every process"
    home = assistant(stack, broker)
    # the boot time, which is in the past but recent enough to be accepted
    now = int(Path("/proc/stat").read_text().split("btime ")[1].split()[0])
    say(broker, "owntracks/alice/phone", location(0, 0.0) | {"tst": now})
    until(lambda: home.state("alice/phone", "Zuhause") == "on", "the state", (tmp_path / "said").read_text)
    process.send_signal(signal.SIGTERM)
    assert process.wait(LONGEST) == 0


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"places": []}, "places"),
        ({"places": [{"name": "a", "latitude": 91, "longitude": 0, "radius": 10}]}, "latitude"),
        ({"topics": []}, "topics"),
        ({"places_file": "missing.geojson"}, "missing.geojson"),
    ],
)
def test_options_that_cannot_be_used_are_named(tmp_path: Path, change: dict[str, Any], named: str) -> None:
    place = {"name": "a", "latitude": 0, "longitude": 0, "radius": 10}
    options = {"topics": ["owntracks/#"], "places": [place], "places_file": "", "expire_days": 0, "unknown_accuracy": 0}
    (tmp_path / "options.json").write_text(json.dumps(options | change))
    environment = {**os.environ, "FENCEPOST_DATA": str(tmp_path), "FENCEPOST_CONFIG": str(tmp_path)}
    environment["FENCEPOST_MQTT_ADDRESS"] = "mqtt://127.0.0.1:1"
    environment["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        [sys.executable, ADDON / "run.py"], env=environment, capture_output=True, text=True, timeout=LONGEST
    )
    assert done.returncode != 0 and named in done.stderr and "Traceback" not in done.stderr
