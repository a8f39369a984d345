"""Access control of the page."""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Mapping

SHORTEST_TOKEN = 16


def read_token(path: str) -> str:
    """The first line of a file.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is too short to be one.
    """
    with open(path, encoding="utf-8") as file:
        token = file.readline(1000).strip()
    if len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isalnum():
        raise ValueError(f"{path}: the token has to be {SHORTEST_TOKEN} letters and digits or more")
    return token


def is_loopback(host: str) -> bool:
    """Whether only this computer reaches an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_same(given: str, token: str) -> bool:
    """Compares in constant time."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), token.encode())


def host_of(headers: Mapping[str, str]) -> str:
    """The name by which the server was asked for, without its port."""
    host = headers.get("host", "")
    name = host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
    return name.removeprefix("[").removesuffix("]")


class Access:
    """Without a token the page is for this computer, under a name of this computer: another site's script that has its
    name lead here asks under that name, and is refused. With a token it is for who has it.

    Args:
        token: None: none.

    Attributes:
        cookie: Its name. Browsers send cookies to all ports of a computer: the page of each has one of its own.
    """

    def __init__(self, token: str | None) -> None:
        self.token, self.cookie = token, "fencepost"

    def at(self, port: int) -> None:
        """Notes where the page is."""
        self.cookie = f"fencepost-{port}"

    def allows(self, headers: Mapping[str, str], cookies: Mapping[str, str]) -> bool:
        """Whether a request is answered."""
        if self.token is None:
            return is_loopback(host_of(headers))
        kind, _, bearer = headers.get("authorization", "").partition(" ")
        given = bearer if kind.lower() == "bearer" else cookies.get(self.cookie, "")
        return is_same(given, self.token)

    def is_token(self, given: str) -> bool:
        """Whether it is the token; without one nothing is."""
        return self.token is not None and is_same(given, self.token)
