"""Tests `fencepost watch` with Debian's mosquitto on the loopback interface: messages from phones and trackers come in,
events go out, and outages occur."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from brokers import START, Broker, Phone, Watcher, conditions, location, mosquitto, until

pytest.importorskip("paho.mqtt.client", reason="paho-mqtt is installed by make test-all")
pytestmark = pytest.mark.skipif(mosquitto() is None, reason="mosquitto is not installed: .ci/mosquitto.sh")


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def broker(stack: ExitStack, tmp_path: Path) -> Broker:
    broker = Broker(tmp_path / "broker", "allow_anonymous true", "log_type all")
    stack.callback(broker.stop)
    return broker


def phone(stack: ExitStack, broker: Broker, **options: Any) -> Phone:
    phone = Phone(broker, **options)
    stack.callback(phone.close)
    return phone


def watcher(
    stack: ExitStack, folder: Path, broker: Broker, *arguments: str | Path, waits: bool = True, **options: Any
) -> Watcher:
    folder.mkdir(exist_ok=True)
    places = folder / "conditions.geojson"
    if not places.exists():
        conditions(folder)
    started = Watcher(folder, "--source", broker.url, "--conditions", places, *arguments, **options)
    stack.callback(started.end)
    if waits:
        started.until(lambda: "subscribed to" in started.said, "the subscription")
    return started


def test_phones_and_trackers(stack: ExitStack, tmp_path: Path, broker: Broker) -> None:
    """Tests messages from OwnTracks and Traccar, the owners' circles, refused messages, and events that are published
    in both formats."""
    user = phone(stack, broker, topic="#")
    state = tmp_path / "watch"
    state.mkdir()
    watch = watcher(
        stack,
        state,
        broker,
        "--store",
        state,
        "--publish",
        broker.url,
        "--publish-format",
        "owntracks",
        "--policy",
        "exact",
    )
    topic = "owntracks/alice/phone"
    user.send(
        f"{topic}/waypoint",
        {"_type": "waypoint", "desc": "home", "lat": 0, "lon": 1, "rad": 100, "tst": 77},
        retain=True,
    )
    user.send("owntracks/alice/phone", location(0, batt=71, inregions=["office"]), retain=True)
    watch.until(lambda: len(watch.events) == 1, "the office")
    assert watch.events[0]["source"] == {"batt": 71}
    user.send("owntracks/bob/phone", {"_type": "encrypted", "data": "AAAA"})
    user.send(topic, b"{")
    user.send(topic, b"x" * 1_000_000)
    user.send("owntracks/" + "n" * 10_000 + "/phone", location(1))
    user.send("owntracks//phone", location(1))
    user.send("owntracks/$a b/%2B \xe9", location(1))
    user.send(topic, {"_type": "lwt", "tst": START})
    user.send(topic, location(5, 1.0))
    user.send("owntracks/bob/phone", location(5, 1.0))
    user.send(
        "owntracks/traccar",
        {"position": {"latitude": 0, "longitude": 0, "fixTime": "2023-11-14T22:13:30Z"}, "device": {"uniqueId": "van"}},
    )
    watch.until(lambda: ("van", "satisfied", 1) in watch.reported, "the van")
    reported = [(event["device"], event["identifier"], event["state"]) for event in watch.events]
    assert reported == [
        ("alice/phone", "office", "satisfied"),
        ("$a b/%2B \xe9", "office", "satisfied"),
        ("alice/phone", "office", "unsatisfied"),
        ("alice/phone", "alice/home", "satisfied"),
        ("van", "office", "satisfied"),
    ]
    transitions = until(
        lambda: len(found := [each for each in user.heard if each[1].get("_type") == "transition"]) == 5 and found,
        "the transitions",
    )
    at, home = transitions[3]
    assert at == "owntracks/alice/phone/event"
    assert (home["event"], home["desc"], home["wtst"], home["tst"]) == ("enter", "alice/home", 77, START + 5)
    assert transitions[1][0] == "owntracks/$a b/%252B \xe9/event"
    assert watch.stop() == 0
    for reason in (
        "is encrypted",
        "JSON",
        "more than 262144 bytes",
        "device name of",
        "owntracks/USER",
    ):
        assert reason in watch.said
    assert len(watch.said.splitlines()) < 15
    # The broker sends the retained messages again. Messages that the watch has already handled change nothing, and the
    # watch still has the owners' circles.
    again = watcher(stack, state, broker, "--store", state)
    user.send("owntracks/alice/watch", location(9, 1.0))
    kept = ("alice/watch", "satisfied", 1)
    again.until(lambda: kept in again.reported, "the circle that was kept")
    again.until(lambda: "before the restart" in again.said, "what is retained")
    # The first watch may have stopped before the broker confirmed the last event; then the event is sent again.
    assert set(again.reported[5:]) <= {kept, ("van", "satisfied", 1)} and again.reported.count(kept) == 1
    assert again.stop() == 0
    assert "not fed again" in again.said


def test_what_the_broker_held_comes_in_once(stack: ExitStack, tmp_path: Path, broker: Broker) -> None:
    """The watch receives each message once, including the messages that the broker keeps while the watch or the broker
    itself is stopped."""
    state = tmp_path / "watch"
    user = phone(stack, broker)
    watch = watcher(stack, state, broker, "--store", state)
    user.flush(user.send("owntracks/a/1", location(0)))
    watch.until(lambda: len(watch.events) == 1, "the first")
    watch.stop(signal.SIGKILL)
    for second in range(1, 200):
        sent = user.send("owntracks/a/1", location(second, 0.01 * (second % 2)))
    user.flush(sent)
    again = watcher(stack, state, broker, "--store", state)
    again.until(lambda: again.reported[-1][2] == 200, "what was held")
    user.close()
    broker.stop()
    again.until(lambda: "lost" in again.said, "the loss")
    broker.start()
    other = phone(stack, broker)
    for second in (198, 199, 200, 201):
        other.flush(other.send("owntracks/a/1", location(second, 0.01 * (second % 2))))
    again.until(lambda: again.reported[-1][2] == 202, "what came after")
    assert again.stop() == 0
    sequences = [event["sequence"] for event in again.events]
    assert sequences[0] == 1 and sequences[-202:] == list(range(1, 203))
    assert len(sequences) <= 203, "the first may come again: its watch was killed"
    assert "connected again" in again.said


def test_kills_at_random_lose_nothing_and_invent_nothing(stack: ExitStack, tmp_path: Path, broker: Broker) -> None:
    """With FENCEPOST_SOAK=1, the test makes 50 kills and 50 restarts. FENCEPOST_SEED repeats the random choices of an
    earlier run."""
    is_long = os.environ.get("FENCEPOST_SOAK") == "1"
    seed = int(os.environ.get("FENCEPOST_SEED", random.SystemRandom().randrange(1 << 32)))
    print(f"FENCEPOST_SEED={seed}")
    generator = random.Random(seed)
    messages = []
    places = [0.0, 0.0]
    count = 200 * (100 if is_long else 8)
    for second in range(count):
        who = generator.randrange(2)
        if generator.random() < 0.3:
            places[who] = 0.01 - places[who]
        messages.append((f"owntracks/u/{who}", location(second, places[who])))
    whole = tmp_path / "whole"
    one = watcher(stack, whole, broker, "--store", whole)
    user = phone(stack, broker)
    torn = tmp_path / "torn"
    lives = 0
    watch = watcher(stack, torn, broker, "--store", torn, "--publish", f"{broker.url}/out")
    listener = phone(stack, broker, topic="out/#")
    for start in range(0, count, 200):
        # Far more than 20 of these 200 messages produce an event.
        enough = len(watch.events) + generator.randrange(20)
        for topic, message in messages[start : start + 200]:
            sent = user.send(topic, message)
        user.flush(sent)
        until(lambda watch=watch, enough=enough: len(watch.events) > enough, "some events")
        number = generator.choice([signal.SIGKILL, signal.SIGTERM])
        watch.stop(number)
        lives += 1
        watch = watcher(stack, torn, broker, "--store", torn, "--publish", f"{broker.url}/out", waits=False)
    last = ("owntracks/u/0", location(count, 0.01)), ("owntracks/u/0", location(count + 1, 0.0))
    for topic, message in last:
        user.flush(user.send(topic, message))
    final = text_of(START + count + 1)
    until(lambda: one.events and one.events[-1]["date"] == final, "the whole log")
    watch.until(lambda: watch.events and watch.events[-1]["date"] == final, "the torn log")
    watch.until(lambda: any(event["date"] == final for _, event in listener.heard), "the last one that is published")
    assert one.stop() == watch.stop() == 0

    def log(events: list[dict[str, Any]]) -> list[str]:
        first = {(event["device"], event["sequence"]): event for event in reversed(events)}
        lines = [json.dumps({**event, "source": None}) for event in first.values()]
        return sorted(lines)

    assert log(one.events) == log(watch.events)
    assert len(log(one.events)) == len(one.events) > count / 6
    published = {(event["device"], event["sequence"]) for _, event in listener.heard}
    assert published == {(event["device"], event["sequence"]) for event in one.events}
    print(f"{lives} lives, {len(watch.events) - len(one.events)} events came again")


def text_of(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.000000Z")


def test_a_user_and_a_password(stack: ExitStack, tmp_path: Path) -> None:
    secrets = tmp_path / "passwords"
    program = "mosquitto_passwd"
    secrets.touch(mode=0o600)
    subprocess.run([program, "-b", str(secrets), "alice", "secret word"], check=True)
    broker = Broker(tmp_path / "broker", "allow_anonymous false", f"password_file {secrets}")
    stack.callback(broker.stop)
    user = phone(stack, broker, login=("alice", "secret word"))
    refused = watcher(stack, tmp_path / "refused", broker, waits=False)
    refused.until(lambda: "Not authorized" in refused.said, "the refusal")
    assert refused.stop() == 0
    login = tmp_path / "login"
    login.write_text("alice\nsecret word\n")
    by_file = watcher(stack, tmp_path / "file", broker, "--mqtt-login", login, "--publish", broker.url)
    environment = {"FENCEPOST_MQTT_USER": "alice", "FENCEPOST_MQTT_PASSWORD": "secret word"}
    by_environment = watcher(stack, tmp_path / "environment", broker, environment=environment)
    for second in range(1, 100):
        user.flush(user.send("owntracks/a/1", location(second), retain=True))
        if by_file.events and by_environment.events:
            break
    for watch in (by_file, by_environment):
        watch.until(lambda watch=watch: watch.events, "an event")
        assert watch.stop() == 0
        assert "secret" not in watch.said


def test_tls(stack: ExitStack, tmp_path: Path) -> None:
    """Uses a private certificate; a client that does not know the certificate cannot connect."""
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=test"
    names = ("-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate))
    subprocess.run([*command.split(), *names], check=True, capture_output=True)
    broker = Broker(tmp_path / "broker", "allow_anonymous true", f"certfile {certificate}", f"keyfile {key}")
    stack.callback(broker.stop)
    places = conditions(tmp_path)
    for name, more in (("known", ("--mqtt-ca", certificate)), ("unknown", ())):
        folder = tmp_path / name
        folder.mkdir()
        source = broker.url.replace("mqtt://", "mqtts://")
        watch = Watcher(folder, "--source", source, "--conditions", places, *more)
        stack.callback(watch.end)
        expected = "subscribed to" if more else "trying again"
        watch.until(lambda watch=watch, expected=expected: expected in watch.said, expected)
        assert watch.stop() == 0


def test_a_broker_that_restarts_each_second_loses_nothing(stack: ExitStack, tmp_path: Path, broker: Broker) -> None:
    """With FENCEPOST_SOAK=1, the test makes 60 restarts."""
    state = tmp_path / "watch"
    watch = watcher(stack, state, broker, "--store", state, "--publish", f"{broker.url}/out")
    user = phone(stack, broker)
    second = 0
    for _ in range(60 if os.environ.get("FENCEPOST_SOAK") == "1" else 5):
        for _ in range(40):
            second += 1
            sent = user.send("owntracks/a/1", location(second, 0.01 * (second % 2)))
        broker.stop()
        broker.start()
        time.sleep(1)
    user.flush(sent)
    # The phone's client repeats messages that it has not seen confirmed, so some may arrive out of order.
    user.flush(user.send("owntracks/a/1", location(second + 1, 0.5)))
    user.flush(user.send("owntracks/a/1", location(second + 2, 0.0)))
    final = text_of(START + second + 2)
    watch.until(lambda: watch.events and watch.events[-1]["date"] == final, "the last event")
    sequences = [event["sequence"] for event in watch.events]
    assert list(dict.fromkeys(sequences)) == list(range(1, len(set(sequences)) + 1)), "in order, without a gap"
    assert watch.stop() == 0
    assert len(watch.said.splitlines()) < 25, watch.said


def test_a_flood_of_waypoints_is_bounded(stack: ExitStack, tmp_path: Path, broker: Broker) -> None:
    state = tmp_path / "watch"
    watch = watcher(stack, state, broker, "--store", state)
    user = phone(stack, broker)
    waypoint = {"_type": "waypoint", "lat": 0, "lon": 1, "rad": 100}
    for number in range(2_000):
        user.send("owntracks/a/1/waypoint", {**waypoint, "desc": f"w{number}", "tst": number + 1})
    for number in range(500):
        # User b sends a circle that changes all the time, and user c sends a circle with the name of another user's
        # circle.
        user.send("owntracks/b/1/waypoint", {**waypoint, "desc": "here", "rad": number + 1, "tst": 9})
        user.send("owntracks/c/1/waypoint", {**waypoint, "desc": "../b/here", "tst": 9})
    many = [{"desc": f"x{number}", "lat": 0, "lon": 1, "rad": 5, "tst": number + 1} for number in range(501)]
    user.send("owntracks/d/1/waypoints", {"_type": "waypoints", "waypoints": many})
    user.flush(user.send("owntracks/a/1", location(0)))
    watch.until(lambda: ("a/1", "satisfied", 1) in watch.reported, "the fix behind them")
    user.flush(user.send("owntracks/b/1", location(1, 1.0)))
    watch.until(lambda: len(watch.events) == 2, "the circle that changed")
    assert [event["identifier"] for event in watch.events] == ["office", "b/here"]
    assert watch.stop() == 0
    assert "exceeds the 500 waypoints" in watch.said and "has 501 waypoints" in watch.said
    assert len(watch.said.splitlines()) < 12, watch.said


def test_bursts_of_new_names_end_nothing(stack: ExitStack, tmp_path: Path, broker: Broker) -> None:
    state = tmp_path / "watch"
    user = phone(stack, broker)
    watch = watcher(stack, state, broker, "--store", state, "--max-devices", "100")
    user.flush(user.send("owntracks/good/one", location(0)))
    watch.until(lambda: watch.reported, "the good one")
    for number in range(5_000):
        sent = user.send(f"owntracks/bad/{number}", location(1))
    user.flush(sent)
    user.flush(user.send("owntracks/good/one", location(2, 0.01)))
    watch.until(lambda: ("good/one", "unsatisfied", 2) in watch.reported, "the good one again")
    assert len({device for device, _, _ in watch.reported}) == 100
    assert watch.stop() == 0
    assert watch.said.count("--max-devices") == 3, "the first, how many followed, and all of them at the end"


@pytest.mark.parametrize("end", ["kill", "stop", "recover"])
def test_a_full_disk_loses_no_message(stack: ExitStack, tmp_path: Path, broker: Broker, end: str) -> None:
    """The broker redelivers the messages that came while the store failed; the events of these messages get the same
    sequence numbers."""
    state = tmp_path / "watch"
    watch = watcher(stack, state, broker, "--store", state)
    user = phone(stack, broker)
    user.flush(user.send("owntracks/a/0", location(0)))
    watch.until(lambda: watch.events, "the event before")
    until(lambda: log_of(broker).count("Received PUBACK") == 1, "its confirmation")
    before = resource.prlimit(watch.process.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    for device in range(1, 62):
        sent = user.send(f"owntracks/a/{device}", location(device))
    user.flush(sent)
    # The broker sends twenty messages, which the watch must not confirm.
    until(lambda: log_of(broker).count("Sending PUBLISH") >= 21, "the messages")
    time.sleep(1)  # if the watch wrongly confirmed the messages, it would do so within this second
    assert len(watch.events) == 1
    assert log_of(broker).count("Received PUBACK") == 1, "only what the store has is confirmed"
    if end == "kill":
        watch.end()
    elif end == "stop":
        assert watch.stop() != 0, "what was fed is not in the store"
    else:
        broker.stop()
        broker.start()
        resource.prlimit(watch.process.pid, resource.RLIMIT_FSIZE, before)
    if end != "recover":
        watch = watcher(stack, state, broker, "--store", state)
    expected = {(f"a/{device}", "satisfied", 1) for device in range(62)}
    watch.until(lambda: set(watch.reported) >= expected, "all events")
    assert watch.stop() == 0
    assert set(watch.reported) == expected, "an event may come again, under its sequence"


def log_of(broker: Broker) -> str:
    return (broker.folder / "log").read_text()


def test_a_second_watch_of_one_id_is_no_endless_quarrel(stack: ExitStack, tmp_path: Path, broker: Broker) -> None:
    """Two watches have the same client id; when either of them connects, the broker ends the connection of the other
    watch. The first watch that notices the shared client id ends with an error."""
    watches = [watcher(stack, tmp_path / name, broker, "--client-id", "vans", waits=False) for name in ("one", "other")]
    until(lambda: any(each.process.poll() is not None for each in watches), "the end of one")
    ended, left = sorted(watches, key=lambda each: each.process.poll() is None)
    assert ended.process.poll() == 2
    assert "vans-" in ended.said and "--client-id" in ended.said
    user = phone(stack, broker)
    for second in range(1_000):
        user.flush(user.send("owntracks/a/1", location(second)))
        if left.events:
            break
        time.sleep(0.1)
    assert left.events and left.stop() == 0, "the other continues"


def test_a_long_command_costs_no_message(stack: ExitStack, tmp_path: Path, broker: Broker) -> None:
    """The watch's command takes longer than the keep-alive time of the watch's connection to the broker. Messages with
    QoS 0 wait in the watch, while messages with QoS 1 wait at the broker."""
    state = tmp_path / "watch"
    # The broker drops a client that is silent for 1.5 times its keep-alive time, which is 30 s outside of tests.
    (tmp_path / "sitecustomize.py").write_text("import fencepost._live.mqtt_client as own\nown.KEEP_ALIVE = 10\n")
    command = "cat > /dev/null; test -e done || sleep 18; touch done"
    environment = {"PYTHONPATH": str(tmp_path)}
    watch = watcher(stack, state, broker, "--store", state, "--exec", command, environment=environment)
    user = phone(stack, broker)
    user.flush(user.send("owntracks/a/1", location(0)))
    watch.until(lambda: watch.events, "the event whose command takes long")
    for second in range(1, 3_001):
        sent = user.send(f"owntracks/b/{second % 2}", location(second, 0.5), quality=second % 2)
    user.flush(sent)
    user.flush(user.send("owntracks/b/0", location(4_000, 0.0)))
    watch.until(lambda: ("b/0", "satisfied", 1) in watch.reported, "the last message")
    assert watch.stop() == 0
    assert "lost" not in watch.said and "skipped" not in watch.said, watch.said


def test_events_are_retained_by_device_and_place(stack: ExitStack, tmp_path: Path, broker: Broker) -> None:
    state = tmp_path / "watch"
    state.mkdir()
    conditions(state, **{"a place/with + and #": 0.0})
    watch = watcher(stack, state, broker, "--publish", f"{broker.url}/out", "--publish-retain")
    user = phone(stack, broker)
    user.flush(user.send("owntracks/a/1", location(0)))
    watch.until(lambda: watch.events, "the event")
    late = phone(stack, broker, topic="out/#")
    topic, event = until(lambda: late.heard, "what is retained")[0]
    assert topic == "out/a/1/a place%2Fwith %2B and %23" and event["state"] == "satisfied"
    assert watch.stop() == 0
