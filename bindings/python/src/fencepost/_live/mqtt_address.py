"""The address of an MQTT broker, and the login details for it."""

from __future__ import annotations

import os

from .._dataclass import dataclass

PORTS = {"mqtt": 1883, "mqtts": 8883}


@dataclass(frozen=True, slots=True)
class Address:
    """A broker and a topic: ``mqtt://host:port/topic``, or ``mqtts://host:port/topic`` with TLS."""

    url: str
    host: str
    port: int
    is_encrypted: bool
    topic: str

    @property
    def broker(self) -> str:
        """The address without its topic."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'mqtts' if self.is_encrypted else 'mqtt'}://{host}:{self.port}"


def is_address(text: str) -> bool:
    """True if a string is meant as a broker address."""
    scheme, separator, _ = text.partition("://")
    return separator != "" and scheme in PORTS


def read_address(text: str, topic: str = "") -> Address:
    """Reads an address. The topic may contain the wildcards ``+`` and ``#``.

    Args:
        text: The address.
        topic: The topic to use if the address does not contain one.

    Raises:
        ValueError: `text` is not an address, or it contains a user or password, which would be visible in the process
            list.
    """
    scheme, _, rest = text.partition("://")
    place, _, found = rest.partition("/")
    if "@" in place:
        raise ValueError(
            f"{scheme}://…@{place.rpartition('@')[2]} contains a user; pass it in FENCEPOST_MQTT_USER and "
            "FENCEPOST_MQTT_PASSWORD, or in the file of --mqtt-login"
        )
    host, colon, port = place.rpartition(":")
    if not colon or place.endswith("]"):
        host, port = place, str(PORTS[scheme])
    host = host.removeprefix("[").removesuffix("]")
    if not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65_536:
        raise ValueError(f"{text} is not {scheme}://HOST:PORT/TOPIC")
    return Address(text, host, int(port), scheme == "mqtts", checked_topic(found or topic))


def checked_topic(topic: str) -> str:
    """Checks and returns a topic or topic filter.

    Raises:
        ValueError: `topic` is not valid.
    """
    levels = topic.split("/")
    if any(("#" in level and (level != "#" or at < len(levels) - 1)) for at, level in enumerate(levels)) or any(
        "+" in level and level != "+" for level in levels
    ):
        raise ValueError(f"{topic} is not a topic filter: + and # must each be a whole level, and # the last one")
    if "\0" in topic or len(topic.encode()) > 65_535:
        raise ValueError("a topic has at most 65535 bytes, and no NUL")
    return topic


def read_login(path: str | None, prefix: str | None = "FENCEPOST_MQTT") -> tuple[str, str] | None:
    """Returns the user and password from the first two lines of a file, or else from the environment.

    Args:
        path: The path of the file, or None if there is no file.
        prefix: The prefix of the environment variables ``…_USER`` and ``…_PASSWORD``. Pass None for `prefix` if the
            environment variables belong to a different broker; the variables are then ignored.

    Raises:
        OSError: The file cannot be read.
        ValueError: The file does not have two lines.
    """
    if path is not None:
        with open(path, encoding="utf-8") as file:
            lines = file.read(10_000).splitlines()
        if len(lines) < 2:
            raise ValueError(f"{path}: has {len(lines)} lines; it must have two, the user and the password")
        return lines[0], lines[1]
    user = None if prefix is None else os.environ.get(f"{prefix}_USER")
    return None if user is None else (user, os.environ.get(f"{prefix}_PASSWORD", ""))
