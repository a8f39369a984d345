"""The brokers of ``fencepost watch``."""

from __future__ import annotations

import argparse
import hashlib
import os
import socket
from collections.abc import Sequence

from .._live.mqtt_address import Address, is_address, read_address, read_login
from .._live.mqtt_sink import PublishedEvents
from .._live.mqtt_source import MqttSource
from .._live.notices import Notices
from .._live.signals import Signals
from .outcomes import UsageError

TOPIC = "owntracks/#"
"""Of sources that name none."""


def _session(options: argparse.Namespace, address: Address) -> str:
    """What a broker knows this watch by: the same after a restart."""
    store = "" if options.store is None else os.path.abspath(options.store)
    parts = (socket.gethostname(), store, options.name or "", address.topic)
    return f"fencepost-{hashlib.sha256(repr(parts).encode()).hexdigest()[:12]}"


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
    """Refuses a user and password that would be told to more brokers than one.

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


def open_publisher(options: argparse.Namespace, signals: Signals, notices: Notices) -> PublishedEvents:
    """Who publishes, as the command line says."""
    address = _address("--publish", options.publish, "")
    if set(address.topic) & set("+#"):
        raise UsageError(f"argument --publish: {address.topic} has wildcards; events need one topic")
    path, prefix = options.publish_login, "FENCEPOST_PUBLISH"
    is_source = any(
        _address("--source", source, "").broker == address.broker for source in options.source if is_address(source)
    )
    # The same broker knows the same user; another is not told of them.
    if is_source and path is None and f"{prefix}_USER" not in os.environ:
        path, prefix = options.mqtt_login, "FENCEPOST_MQTT"
    login = _login("--publish-login", path, prefix)
    session = f"{_session(options, address)}-out"
    return PublishedEvents(address, options.publish_format, session, login, options.mqtt_ca, signals, notices)
