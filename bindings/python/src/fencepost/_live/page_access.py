"""Access control for the page."""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Mapping

SHORTEST_TOKEN = 16


def read_token(path: str) -> str:
    """Reads a token from the first line of a file.

    Raises:
        OSError: The file cannot be read.
        ValueError: The token is too short, or contains characters other than letters and digits.
    """
    with open(path, encoding="utf-8") as file:
        token = file.readline(1000).strip()
    if len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isalnum():
        raise ValueError(f"{path}: the token must have at least {SHORTEST_TOKEN} letters and digits")
    return token


def is_loopback(host: str) -> bool:
    """Whether an address can be reached only from this computer."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_same(given: str, token: str) -> bool:
    """Compares two tokens in constant time."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), token.encode())


def host_of(headers: Mapping[str, str]) -> str:
    """The server name in the request's ``Host`` header, without its port."""
    host = headers.get("host", "")
    name = host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
    return name.removeprefix("[").removesuffix("]")


class Access:
    """Decides who may see the page. If a token is set, everybody who has the token may see the page.

    If no token is set, the ``Host`` of a request must be a loopback name or address of this computer. Checking the
    ``Host`` prevents DNS rebinding. A script of another site may use a name of that site that resolves to this
    computer: its requests have this name as ``Host`` and are refused.

    Args:
        token: The token, or None for access without a token.

    Attributes:
        cookie: The name of the cookie. Browsers send a cookie to all ports of a computer, so the name of the cookie
            contains the port.
    """

    def __init__(self, token: str | None) -> None:
        self.token, self.cookie = token, "fencepost"

    def at(self, port: int) -> None:
        """Sets the port of the page."""
        self.cookie = f"fencepost-{port}"

    def allows(self, headers: Mapping[str, str], cookies: Mapping[str, str]) -> bool:
        """Whether a request may be answered."""
        if self.token is None:
            return is_loopback(host_of(headers))
        kind, _, bearer = headers.get("authorization", "").partition(" ")
        given = bearer if kind.lower() == "bearer" else cookies.get(self.cookie, "")
        return is_same(given, self.token)

    def is_token(self, given: str) -> bool:
        """True if `given` is the token; False if no token is set."""
        return self.token is not None and is_same(given, self.token)
