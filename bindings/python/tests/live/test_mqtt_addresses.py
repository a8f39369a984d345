"""Tests broker addresses, the login, and event topics."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from conftest import Run, mentions
from watching import circles

from fencepost._live.mqtt_address import Address, is_address, read_address, read_login
from fencepost._live.mqtt_sink import topic_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mqtt://host", ("host", 1883, False, "owntracks/#")),
        ("mqtts://host/", ("host", 8883, True, "owntracks/#")),
        ("mqtt://host:1234/a/+/b#/", None),
        ("mqtt://host:1234/a/+/b/#", ("host", 1234, False, "a/+/b/#")),
        ("mqtt://[::1]:1234/a b", ("::1", 1234, False, "a b")),
        ("mqtt://[::1]", ("::1", 1883, False, "owntracks/#")),
        ("mqtt://", None),
        ("mqtt://:1883/x", None),
        ("mqtt://host:0/x", None),
        ("mqtt://host:65536/x", None),
        ("mqtt://host:\u0661/x", None),
        ("mqtt://host/a/#/b", None),
        ("mqtt://host/a+", None),
        ("mqtt://host/a\0", None),
        ("mqtt://host/" + "a" * 70_000, None),
        ("mqtt://user:secret@host/x", None),
    ],
)
def test_addresses(text: str, expected: tuple[str, int, bool, str] | None) -> None:
    assert is_address(text)
    if expected is None:
        with pytest.raises(ValueError) as caught:
            read_address(text, "owntracks/#")
        assert "secret" not in str(caught.value)
        return
    found = read_address(text, "owntracks/#")
    assert (found.host, found.port, found.is_encrypted, found.topic) == expected


def test_brokers_are_compared_without_topics() -> None:
    one, other = (read_address(f"mqtt://[::1]{rest}") for rest in ("/a", ":1883/b"))
    assert isinstance(one, Address) and one.broker == other.broker == "mqtt://[::1]:1883"
    assert not is_address("gpsd://host") and not is_address("mqtt") and not is_address("-")


def test_logins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FENCEPOST_MQTT_USER", raising=False)
    assert read_login(None) is None
    monkeypatch.setenv("FENCEPOST_MQTT_USER", "a")
    monkeypatch.setenv("FENCEPOST_MQTT_PASSWORD", "b")
    assert read_login(None) == ("a", "b")
    assert read_login(None, None) is None
    file = tmp_path / "login"
    file.write_text("c\nd e\n")
    assert read_login(str(file)) == ("c", "d e")
    file.write_text("c\n")
    with pytest.raises(ValueError, match="1 lines"):
        read_login(str(file))


@pytest.mark.parametrize(
    ("device", "start", "format", "expected"),
    [
        ("alice/phone", "", "owntracks", "owntracks/alice/phone/event"),
        ("a+b#c%", "", "json", "fencepost/a%2Bb%23c%25"),
        ("van", "out/x", "json", "out/x/van"),
    ],
)
def test_topics_of_events(device: str, start: str, format: str, expected: str) -> None:
    event = SimpleNamespace(device=device)
    assert topic_of(event, start, format) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--source", "mqtt://a:b@host/x"), "FENCEPOST_MQTT_PASSWORD"),
        (("--source", "mqtt://host/#/x"), "#/x"),
        (("--source", "mqtt://host", "--as", "x"), "name … device"),
        (("--source", "-", "--publish", "mqtt://host"), "name"),
        (("--source", "-", "--as", "x", "--publish", "mqtt://host/#"), "wildcards"),
        (("--source", "mqtt://host", "--mqtt-login", "nowhere"), "nowhere"),
    ],
)
def test_bad_usage_is_one_line(run: Run, tmp_path: Path, arguments: tuple[str, ...], reason: str) -> None:
    ended = run("watch", "--conditions", circles(tmp_path / "conditions.geojson", office=200), *arguments)
    assert ended.returncode == 2
    assert len(ended.stderr.splitlines()) == 1 and mentions(ended.stderr, reason), ended.stderr
