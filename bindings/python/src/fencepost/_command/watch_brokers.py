"""The brokers of ``fencepost watch``."""

from __future__ import annotations

import argparse
import hashlib
import os
import secrets
from collections.abc import Sequence
from pathlib import Path

from .._live.home_assistant import HomeAssistantEvents
from .._live.mqtt_address import Address, is_address, read_address, read_login
from .._live.mqtt_sink import PublishedEvents
from .._live.mqtt_source import MqttSource
from .._live.notices import Notices
from .._live.signals import Signals
from .._native import VERSION
from .outcomes import UsageError

TOPIC = "owntracks/#"
"""Of sources that name none."""


def check_client_id(options: argparse.Namespace) -> None:
    """Refuses an id that no broker takes.

    Raises:
        UsageError: It is empty, longer than 100 bytes, or has other characters than letters, digits, - and _.
    """
    given = options.client_id
    if given is not None and not (
        1 <= len(given) <= 100 and given.isascii() and given.replace("-", "").replace("_", "").isalnum()
    ):
        raise UsageError("argument --client-id: accepted are 1 to 100 letters, digits, - and _")


def _session(options: argparse.Namespace, address: Address) -> str:
    """The client id of this watch at a broker: the same after a restart, even if the host name changes. A broker that
    is asked for several topics sees a client for each."""
    base = options.client_id or f"fencepost-{_own_id(options)}"
    return f"{base}-{hashlib.sha256(address.topic.encode()).hexdigest()[:6]}"


def _own_id(options: argparse.Namespace) -> str:
    """Twelve random digits, kept beside the store; without a store new ones at each start.

    Raises:
        OSError: The file cannot be made, or read.
        UsageError: It holds something else.
    """
    if options.own_id is None:
        options.own_id = secrets.token_hex(6)
        if options.store is not None:
            path = Path(options.store) / f"{options.name or 'fleet'}.client-id"
            options.own_id = _kept_id(path, options.own_id)
    found: str = options.own_id
    return found


def _kept_id(path: Path, new: str) -> str:
    """The id that a file holds, which is made when it is not there; whole, also after a loss of power."""
    if not path.exists():
        draft = path.with_name(f"{path.name}.{os.getpid()}")
        with draft.open("w", encoding="ascii") as file:
            file.write(f"{new}\n")
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    found = path.read_text(encoding="ascii", errors="replace").strip()
    if len(found) != 12 or any(each not in "0123456789abcdef" for each in found):
        raise UsageError(f"{path}: holds no id of a client, twelve hexadecimal digits; remove it, or use --client-id")
    return found


def _address(option: str, text: str, topic: str) -> Address:
    try:
        return read_address(text, topic)
    except ValueError as error:
        raise UsageError(f"argument {option}: {error}") from None


def _login(option: str, path: str | None, prefix: str | None) -> tuple[str, str] | None:
    try:
        return read_login(path, prefix)
    except ValueError as error:
        raise UsageError(f"argument {option}: {error}") from None


def place_of(source: str) -> tuple[str, str]:
    """The broker and the topic of a source, however it is written."""
    address = _address("--source", source, TOPIC)
    return address.broker, address.topic


def check_brokers(options: argparse.Namespace, sources: Sequence[str]) -> None:
    """Raises an error if a user and password would be sent to more than one broker.

    Raises:
        UsageError: There are several, and a login.
    """
    brokers = {_address("--source", source, "").broker for source in sources}
    if len(brokers) > 1 and (options.mqtt_login is not None or "FENCEPOST_MQTT_USER" in os.environ):
        raise UsageError("argument --source: a user and password are for one broker, not for several")


def open_broker(options: argparse.Namespace, source: str, notices: Notices) -> MqttSource:
    """A source that the command line says."""
    address = _address("--source", source, TOPIC)
    login = _login("--mqtt-login", options.mqtt_login, "FENCEPOST_MQTT")
    # A broker keeps nothing for a watch that remembers nothing.
    lasts = options.store is not None
    by = options.by or "device"
    return MqttSource(address, by, _session(options, address), login, options.mqtt_ca, lasts, notices)


def open_publisher(
    options: argparse.Namespace, signals: Signals, notices: Notices
) -> PublishedEvents | HomeAssistantEvents:
    """The credentials for the sink, from the command line."""
    address = _address("--publish", options.publish, "")
    if set(address.topic) & set("+#"):
        raise UsageError(f"argument --publish: {address.topic} has wildcards; events need one topic")
    path, prefix = options.publish_login, "FENCEPOST_PUBLISH"
    is_source = any(
        _address("--source", source, "").broker == address.broker for source in options.source if is_address(source)
    )
    # The same broker has the same user; another broker does not receive the credentials.
    if is_source and path is None and f"{prefix}_USER" not in os.environ:
        path, prefix = options.mqtt_login, "FENCEPOST_MQTT"
    login = _login("--publish-login", path, prefix)
    # The broker keeps no session of it: with an id of its own at each start nobody ends its connection.
    session = f"{_session(options, address)}-out-{secrets.token_hex(3)}"
    if options.publish_format == "homeassistant":
        return HomeAssistantEvents(address, session, login, options.mqtt_ca, signals, notices, VERSION)
    return PublishedEvents(
        address, options.publish_format, session, login, options.mqtt_ca, signals, notices, options.publish_retain
    )
