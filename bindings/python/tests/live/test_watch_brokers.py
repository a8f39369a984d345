"""Tests the client id with which a watch connects to a broker."""

from __future__ import annotations

import argparse
import os
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import Run

from fencepost._command import watch_brokers
from fencepost._command.outcomes import UsageError
from fencepost._live import mqtt_source
from fencepost._live.mqtt_address import read_address


def session(store: Path | None, topic: str = "owntracks/#", **more: str | None) -> str:
    given = {"store": None if store is None else str(store), "name": None, "client_id": None, "own_id": None, **more}
    return watch_brokers._session(argparse.Namespace(**given), read_address(f"mqtt://host/{topic}"))


def test_the_id_stays_with_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The id stays the same even if the computer, or its container, gets another name."""
    first = session(tmp_path)
    monkeypatch.setattr("socket.gethostname", lambda: "another")
    assert session(tmp_path) == first
    moved = tmp_path / "moved"
    moved.mkdir()
    assert session(moved) != first
    (tmp_path / "fleet.client-id").rename(moved / "fleet.client-id")
    assert session(moved) == first, "a store that was moved keeps its id"
    assert [path.name for path in moved.iterdir()] == ["fleet.client-id"], "no draft is left"


def test_a_draft_that_a_crash_left_is_overwritten(tmp_path: Path) -> None:
    """A process in a container may have the same process id at each start."""
    (tmp_path / f"fleet.client-id.{os.getpid()}").write_text("0123")
    assert session(tmp_path) == session(tmp_path)


def test_publishers_of_one_id_end_no_connection_of_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[str] = []
    monkeypatch.setattr(watch_brokers, "PublishedEvents", lambda *arguments: found.append(arguments[2]))
    options = argparse.Namespace(publish="mqtt://host", publish_login=None, source=[], client_id="vans", own_id=None)
    options.mqtt_login = options.mqtt_ca = options.store = options.name = None
    options.publish_format, options.publish_retain = "json", False
    signals: Any = None
    for _ in range(2):
        watch_brokers.open_publisher(options, signals, signals)
    assert found[0] != found[1] and all(each.startswith("vans-") for each in found)


def test_a_source_whose_id_another_has_connects_no_more() -> None:
    """If another client connects with the client id of a source, the source must not reconnect, even if other sources
    of the watch continue. Two clients that have the same id and both reconnect would end each other's connections
    forever."""
    source = object.__new__(mqtt_source.MqttSource)
    client: Any = SimpleNamespace(tell=lambda: None, is_contested=True, identifier="vans-1", closed=0)
    client.waker = SimpleNamespace(clear=lambda: None)
    client.close = lambda: setattr(client, "closed", client.closed + 1)
    source._client, source.descriptor, source.name = client, 7, "host/topic"
    with pytest.raises(OSError, match="vans-1"):
        source.read()
    assert client.closed == 1
    source.close()
    assert client.closed == 1


class Subscribing:
    """Stands in for a paho-mqtt client; records the subscriptions."""

    def __init__(self) -> None:
        self.topics: list[Any] = []

    def subscribe(self, topics: Any, qos: int = 0) -> tuple[int, int]:
        self.topics.append(topics)
        return 0, len(self.topics)


@pytest.mark.parametrize("answers", [0, 1, 2])
def test_a_broker_that_ends_connections_over_its_own_topics_is_not_asked_again(answers: int) -> None:
    """Some brokers end the connection instead of refusing the subscription. If a watch repeated a subscription for
    which the broker ends the connection, the watch would never stay connected."""
    client: Any = Subscribing()
    subscriber = object.__new__(mqtt_source._Subscriber)
    subscriber._client, subscriber.address = client, read_address("mqtt://host/cars/#")
    subscriber._room, subscriber._lasts, subscriber.life, subscriber._is_told = threading.Lock(), False, 0, True
    subscriber._asks_system, subscriber._system_subscription, subscriber._unanswered = True, 0, set()
    subscriber._on_connected(False)
    assert client.topics[0] == "cars/#" and len(client.topics) == 2
    for number in range(1, answers + 1):
        subscriber._subscribed(client, None, number, [], None)
    subscriber._on_disconnected()
    subscriber._on_connected(False)
    assert len(client.topics) == (3 if answers == 1 else 4), "only where the first was answered and the other was not"


def test_watches_without_a_store_have_ids_of_their_own() -> None:
    assert session(None) != session(None)
    assert session(None, "a") != session(None, "b")


def test_a_given_id_is_used_for_each_topic() -> None:
    one, other = session(None, "a", client_id="vans"), session(None, "b", client_id="vans")
    assert one.startswith("vans-") and other.startswith("vans-") and one != other


def test_a_file_that_holds_no_id_is_refused(tmp_path: Path) -> None:
    for text in ("", "short", "x" * 12, "0123456789abcdef"):
        (tmp_path / "fleet.client-id").write_text(text)
        with pytest.raises(UsageError, match="client-id"):
            session(tmp_path)


@pytest.mark.parametrize("given", ["", "a b", "x" * 101, "a/b", "caf\xe9"])
def test_ids_that_no_broker_takes(run: Run, tmp_path: Path, given: str) -> None:
    (tmp_path / "places.csv").write_text("identifier,latitude,longitude,radius\na,0,0,100\n")
    arguments = ["watch", "--source", "mqtt://127.0.0.1:1", "--conditions", str(tmp_path / "places.csv")]
    for more in (("--client-id", given), ("--publish-retain",)):
        done = run(*arguments, *more)
        assert done.returncode == 2 and more[0] in done.stderr
