"""MQTT brokers as sources and sinks of ``fencepost watch``."""

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
"""The default topic of a source, used if the source's address contains no topic."""


def check_client_id(options: argparse.Namespace) -> None:
    """Refuses a client id that brokers do not accept.

    Raises:
        UsageError: The client id is empty, longer than 100 bytes, or contains a character other than letters, digits, -
            and _.
    """
    given = options.client_id
    if given is not None and not (
        1 <= len(given) <= 100 and given.isascii() and given.replace("-", "").replace("_", "").isalnum()
    ):
        raise UsageError("argument --client-id: must have 1 to 100 letters, digits, - and _")


def _session(options: argparse.Namespace, address: Address) -> str:
    """The client id that this watch uses at a broker. The client id stays the same after a restart, even if the host
    name changes. Each topic has its own client id."""
    base = options.client_id or f"fencepost-{_own_id(options)}"
    return f"{base}-{hashlib.sha256(address.topic.encode()).hexdigest()[:6]}"


def _own_id(options: argparse.Namespace) -> str:
    """Twelve random hexadecimal digits, saved in the store's directory; without a store, each start uses new digits.

    Raises:
        OSError: The file cannot be created or read.
        UsageError: The file does not contain twelve hexadecimal digits.
    """
    if options.own_id is None:
        options.own_id = secrets.token_hex(6)
        if options.store is not None:
            path = Path(options.store) / f"{options.name or 'fleet'}.client-id"
            options.own_id = _kept_id(path, options.own_id)
    found: str = options.own_id
    return found


def _kept_id(path: Path, new: str) -> str:
    """Reads the client id from a file. Creates the file if it does not exist; after a power loss, the file is either
    complete or missing."""
    if not path.exists():
        draft = path.with_name(f"{path.name}.{os.getpid()}")
        with draft.open("w", encoding="ascii") as file:
            file.write(f"{new}\n")
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    found = path.read_text(encoding="ascii", errors="replace").strip()
    if len(found) != 12 or any(each not in "0123456789abcdef" for each in found):
        raise UsageError(
            f"{path}: does not hold a client id (twelve hexadecimal digits); remove the file, or use --client-id"
        )
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
    """The broker and the topic of a source, in normalized form for comparison."""
    address = _address("--source", source, TOPIC)
    return address.broker, address.topic


def check_brokers(options: argparse.Namespace, sources: Sequence[str]) -> None:
    """Raises an error if a user and password would be sent to more than one broker.

    Raises:
        UsageError: Several brokers are given together with a user and password.
    """
    brokers = {_address("--source", source, "").broker for source in sources}
    if len(brokers) > 1 and (options.mqtt_login is not None or "FENCEPOST_MQTT_USER" in os.environ):
        raise UsageError("argument --source: a user and password can be used with one broker only")


def open_broker(options: argparse.Namespace, source: str, notices: Notices) -> MqttSource:
    """Opens a broker as a source."""
    address = _address("--source", source, TOPIC)
    login = _login("--mqtt-login", options.mqtt_login, "FENCEPOST_MQTT")
    # Without a store, the watch remembers nothing after it ends, so the broker need not keep messages for it between
    # runs.
    lasts = options.store is not None
    by = options.by or "device"
    holds = options.reorder > 0
    return MqttSource(address, by, _session(options, address), login, options.mqtt_ca, lasts, notices, holds)


def open_publisher(
    options: argparse.Namespace, signals: Signals, notices: Notices
) -> PublishedEvents | HomeAssistantEvents:
    """Opens the sink for ``--publish``."""
    address = _address("--publish", options.publish, "")
    if set(address.topic) & set("+#"):
        raise UsageError(f"argument --publish: {address.topic} has wildcards; publish events to a single topic")
    path, prefix = options.publish_login, "FENCEPOST_PUBLISH"
    is_source = any(
        _address("--source", source, "").broker == address.broker for source in options.source if is_address(source)
    )
    # Without its own login, the publisher uses the source's login, but only for the source's broker: no other broker
    # may learn that login.
    if is_source and path is None and f"{prefix}_USER" not in os.environ:
        path, prefix = options.mqtt_login, "FENCEPOST_MQTT"
    login = _login("--publish-login", path, prefix)
    # Use a new client id at each start, so that no other client can disconnect the publisher by using the same id. The
    # broker keeps no session that would need a permanent id.
    session = f"{_session(options, address)}-out-{secrets.token_hex(3)}"
    if options.publish_format == "homeassistant":
        return HomeAssistantEvents(address, session, login, options.mqtt_ca, signals, notices, VERSION)
    return PublishedEvents(
        address, options.publish_format, session, login, options.mqtt_ca, signals, notices, options.publish_retain
    )
