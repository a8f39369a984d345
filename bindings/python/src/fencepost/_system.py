"""The differences between operating systems. Each function has a way of Linux and one that every POSIX system has.

``FENCEPOST_PORTABLE=1`` in the environment takes the second one on Linux: the tests run it there.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import socket

PORTABLE = os.environ.get("FENCEPOST_PORTABLE") == "1"

HAS_EVENTFD = hasattr(os, "eventfd") and not PORTABLE

ONE = (1).to_bytes(8, sys.byteorder)
"""The bytes written to a bell: the native code writes a number of 64 bits, too."""


def open_bell() -> tuple[int, int]:
    """Returns two descriptors: the first becomes readable when :data:`ONE` is written to the second.

    Neither blocks. They may be the same; :func:`close_bell` closes both.
    """
    if HAS_EVENTFD:
        descriptor = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        return descriptor, descriptor
    reader, writer = os.pipe()  # closed by exec(), as everything that Python opens
    os.set_blocking(reader, False)
    os.set_blocking(writer, False)
    return reader, writer


def ring(writer: int) -> None:
    """Makes a bell readable; from any thread."""
    try:
        os.write(writer, ONE)
    except BlockingIOError:
        pass  # it is readable already


def silence(reader: int) -> bool:
    """Makes a bell wait for the next ring; returns whether it had rung."""
    rung = False
    try:
        # An eventfd gives its number at once, and a pipe all rings.
        while os.read(reader, 8 if HAS_EVENTFD else 65_536):
            rung = True
    except BlockingIOError:
        pass
    return rung


def close_bell(reader: int, writer: int) -> None:
    """Closes both descriptors of a bell."""
    os.close(reader)
    if writer != reader:
        os.close(writer)


def open_process(pid: int) -> int | None:
    """Returns a descriptor that becomes readable when a child process ends; None: the system has none, so poll."""
    if PORTABLE or not hasattr(os, "pidfd_open"):
        return None
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None


def keep_alive(connection: socket.socket, idle: int, interval: int, count: int) -> None:
    """Lets the system notice a peer that has gone without a word.

    Args:
        connection: Of TCP.
        idle: Seconds without data after which it asks the peer.
        interval: Seconds between further questions.
        count: Unanswered questions after which the connection is lost.
    """
    import socket  # not with the package: it takes long to load

    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    if PORTABLE:
        return
    # macOS names the first one TCP_KEEPALIVE.
    names = ("TCP_KEEPIDLE" if hasattr(socket, "TCP_KEEPIDLE") else "TCP_KEEPALIVE", "TCP_KEEPINTVL", "TCP_KEEPCNT")
    for name, value in zip(names, (idle, interval, count)):
        if hasattr(socket, name):
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def limit_unanswered(listener: socket.socket, seconds: float) -> None:
    """Ends connections of a listener whose peer confirms nothing for some time, where the system can (Linux)."""
    import socket

    if not PORTABLE and hasattr(socket, "TCP_USER_TIMEOUT"):  # each connection gets it from its listener
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, round(seconds * 1000))
