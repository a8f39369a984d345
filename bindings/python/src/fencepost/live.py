"""Follow moving devices in your own program, with the parts that ``fencepost watch`` is built from.

A :class:`Follower` receives fixes and messages from devices and returns events. Sources deliver the messages:
:func:`from_mqtt`, :func:`from_http`, :func:`from_lines`, :func:`from_gpsd`, or your own :class:`Source`. Sinks receive
the events: :func:`to_file`, :func:`to_command`, :func:`to_mqtt`, :class:`Broadcast`, or any function. The guide "In
your own service" has complete programs. Errors are logged to ``logging.getLogger("fencepost.live")``.

Example:
    >>> from fencepost import Circle
    >>> from fencepost.live import Follower
    >>> follower = Follower({"home": Circle(52.5, 13.4, 100)}, ahead=None)
    >>> follower.receive({"device": "van", "lat": 52.5, "lon": 13.4, "time": 1_700_000_000, "driver": "Ada"})
    <Fed.ACCEPTED: 'accepted'>
    >>> for event in follower.events():
    ...     print(event.device, event.identifier, event.state, event.source)
    van home satisfied {'driver': 'Ada'}
"""

from __future__ import annotations

import logging
import os
import secrets
from typing import Any, Protocol

from ._live.broadcast import Broadcast
from ._live.device_lines import DeviceLines
from ._live.event_handlers import EventCommand
from ._live.follower import Fed, Follower
from ._live.gpsd import Gpsd
from ._live.home_assistant import HomeAssistantEvents
from ._live.http_source import HttpSource
from ._live.live_event import LiveEvent
from ._live.live_events import LiveEvents
from ._live.messages import DeviceFix
from ._live.mqtt_address import read_address
from ._live.mqtt_sink import FORMATS, PublishedEvents
from ._live.mqtt_source import MqttSource
from ._live.notices import LOGGER, SHARED, Notices, RateLimit
from ._live.sinks import AppendedFile
from ._live.sources import Source, open_file
from ._native import VERSION, InvalidArgumentError

__all__ = [
    "Broadcast",
    "DeviceFix",
    "Fed",
    "Follower",
    "HttpSource",
    "LiveEvent",
    "LiveEvents",
    "RateLimit",
    "Sink",
    "Source",
    "from_gpsd",
    "from_http",
    "from_lines",
    "from_mqtt",
    "to_command",
    "to_file",
    "to_mqtt",
]


class Sink(Protocol):
    """A receiver of events: an object with the methods of this class, or any function of one argument.

    Example:
        >>> import os, tempfile
        >>> from fencepost.live import Sink, to_file
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     sink: Sink = to_file(os.path.join(folder, "events.jsonl"))
        ...     sink.close()
    """

    def __call__(self, event: Any, /) -> bool | None:
        """Handles one event. Return True or None to accept the event, or False to have it redelivered after a pause.

        The method may be asynchronous if :meth:`Follower.serve` or ``async for`` runs the sink.
        """
        ...

    def close(self) -> None:
        """Releases the sink's resources. A follower does not call this method."""
        ...


def _notices(logger: logging.Logger) -> Notices:
    return SHARED if logger is LOGGER else Notices(logger)


def from_mqtt(
    url: str,
    *,
    login: tuple[str, str] | None = None,
    client_id: str | None = None,
    device: str = "device",
    authority: str | None = None,
    holds: bool = False,
    logger: logging.Logger = LOGGER,
) -> Source:
    """A source of messages on an MQTT topic: from OwnTracks, Traccar and other senders. paho-mqtt reads the connection
    in a thread.

    With a fixed `client_id` the broker stores QoS 1 messages while the program is not running, and redelivers each
    message until the follower has saved the message in its store. A broker allows only one connection per client id, so
    two programs need two different ids.

    Args:
        url: ``mqtt://HOST:PORT/TOPIC``, or ``mqtts://HOST:PORT/TOPIC`` for TLS; the topic may have wildcards (default:
            ``owntracks/#``).
        login: User and password.
        client_id: The MQTT client id, 1 to 100 characters. If `client_id` is None, the id is random, and the broker
            stores no messages for the program.
        device: The member of JSON objects that names the device.
        authority: A file with the certificates against which the broker's certificate is checked; None means the
            system's certificates.
        holds: True if the follower has `reorder`. The source then connects by MQTT 5 and asks the broker to send up to
            65,535 messages before the first of them is acknowledged; MQTT 3.1.1 has no such request.
        logger: Logs when the connection is lost and when it is restored.

    Raises:
        MissingExtraError: paho-mqtt is not installed.
        ValueError: The URL is invalid.
    """
    _check_client_id(client_id)
    identifier = client_id or f"fencepost-{secrets.token_hex(6)}"
    address = read_address(url, "owntracks/#")
    return MqttSource(address, device, identifier, login, authority, client_id is not None, _notices(logger), holds)


def _check_client_id(client_id: str | None) -> None:
    if client_id is not None and not 1 <= len(client_id) <= 100:
        raise InvalidArgumentError(f"client_id has {len(client_id)} characters; must have 1 to 100")


def from_http(
    host: str = "127.0.0.1", port: int = 8085, *, login: tuple[str, str] | None = None, device: str = "device"
) -> HttpSource:
    """A source of messages that phones (OwnTracks' HTTP mode) and Traccar (``forward.type json``) post to a port. Each
    request is answered with 200 once its message is in the store. The source needs no thread.

    Args:
        host: The address to listen on.
        port: The port to listen on; 0 selects any free port, and the attribute ``port`` of the result is the selected
            port.
        login: User and password that each request must have; None means that requests need no login.
        device: The member of JSON objects that names the device.

    Raises:
        MissingExtraError: h11 is not installed.
        OSError: The server cannot listen on the address.
    """
    return HttpSource(host, port, login, device)


def from_lines(path: str | os.PathLike[str], *, device: str = "device") -> Source:
    """A source of JSON Lines from a file or a pipe. Each line is an object that names its device.

    Args:
        path: The path of the file; ``-`` means standard input.
        device: The member that names the device.

    Raises:
        OSError: The file cannot be opened.

    Example:
        >>> import pathlib, tempfile
        >>> from fencepost import Circle
        >>> from fencepost.live import Follower, from_lines
        >>> def alert(event):
        ...     print(event.device, event.identifier)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "fixes.jsonl")
        ...     _ = file.write_text('{"device": "van", "lat": 0, "lon": 0, "time": 1700000000}')
        ...     source = from_lines(file)
        ...     Follower({"depot": Circle(0, 0, 100)}, sinks=[alert]).run(source)
        ...     source.close()
        van depot
    """
    return open_file(os.fspath(path), decoder=DeviceLines(device))


def from_gpsd(
    url: str = "gpsd://localhost:2947",
    *,
    name: str,
    receiver: str | None = None,
    reconnect: float = 300.0,
    logger: logging.Logger = LOGGER,
) -> Source:
    """A source that reads the fixes from a gpsd. A reconnection blocks for up to 5 s.

    Args:
        url: The gpsd's address, ``gpsd://HOST:PORT``.
        name: The name that the device has in events. For a monitor, any text is accepted as the name.
        receiver: The path of the receiver, if the gpsd has several; None means the first receiver that has a fix.
        reconnect: Seconds to keep reconnecting to a lost gpsd; with 0, the source ends when the connection ends.
        logger: Logs when the connection is lost and when it is restored.

    Raises:
        OSError: The gpsd does not answer.
    """
    return Gpsd(url, reconnect, _notices(logger), receiver, named=name)


def to_file(path: str | os.PathLike[str], *, logger: logging.Logger = LOGGER) -> Sink:
    """Appends each event to a file as a line of JSON. An event is accepted once it is on the disk.

    Args:
        path: The file, which is created if it does not exist.
        logger: Logs errors.

    Raises:
        OSError: The file cannot be opened.
    """
    return AppendedFile(os.fspath(path), _notices(logger))


def to_command(command: str, *, timeout: float | None = None, logger: logging.Logger = LOGGER) -> Sink:
    """Runs a shell command for each event and waits until the command ends. The event is a line of JSON on the
    command's standard input. The event is accepted if the exit status of the command is 0.

    Args:
        command: The command line for the shell.
        timeout: Seconds after which the command is killed and run again; None means that there is no limit.
        logger: Logs errors.
    """
    return EventCommand(command, None, _notices(logger), timeout)


def to_mqtt(
    url: str,
    *,
    format: str = "json",
    login: tuple[str, str] | None = None,
    client_id: str | None = None,
    retain: bool = False,
    authority: str | None = None,
    logger: logging.Logger = LOGGER,
) -> Sink:
    """Publishes each event with QoS 1 and waits up to 5 s for the broker to confirm it. paho-mqtt runs the connection
    in a thread.

    Args:
        url: ``mqtt://HOST:PORT/TOPIC``, or ``mqtts://HOST:PORT/TOPIC`` for TLS; the topic is the prefix of all event
            topics.
        format: ``json`` publishes events as lines of JSON; ``owntracks`` publishes transitions, which the apps show;
            ``homeassistant`` publishes entities that Home Assistant finds by MQTT discovery.
        login: User and password.
        client_id: The MQTT client id, 1 to 100 characters; None selects a random id.
        retain: True if the broker should retain the last event of each device and zone.
        authority: A file with the certificates against which the broker's certificate is checked; None means the
            system's certificates.
        logger: Logs when the connection is lost and when it is restored.

    Raises:
        MissingExtraError: paho-mqtt is not installed.
        ValueError: The URL or the format is invalid.
    """
    if format not in FORMATS:
        raise InvalidArgumentError(f"format is {format!r}; must be one of {', '.join(FORMATS)}")
    _check_client_id(client_id)
    address, identifier = read_address(url, ""), client_id or f"fencepost-{secrets.token_hex(6)}"
    if set(address.topic) & set("+#"):
        raise InvalidArgumentError(f"url: {address.topic} has wildcards; publish events to a single topic")
    notices = _notices(logger)
    if format == "homeassistant":
        return HomeAssistantEvents(address, identifier, login, authority, None, notices, VERSION)
    return PublishedEvents(address, format, identifier, login, authority, None, notices, retain)
