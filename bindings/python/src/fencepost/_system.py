"""Functions that differ between operating systems. Each function is written twice: once for Linux, and once for any
POSIX system.

If ``FENCEPOST_PORTABLE=1`` is set in the environment, the POSIX version is used, so that tests can also run it on
Linux.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket

PORTABLE = os.environ.get("FENCEPOST_PORTABLE") == "1"

HAS_EVENTFD = hasattr(os, "eventfd") and not PORTABLE

ONE = (1).to_bytes(8, sys.byteorder)
"""The eight bytes that are written to a bell (descriptors that wake a waiting thread). They are the 64-bit number 1, as
in the native code."""


def open_bell() -> tuple[int, int]:
    """Creates a bell, which wakes a waiting thread, and returns its two descriptors: the first becomes readable when
    :data:`ONE` is written to the second.

    Neither descriptor blocks. The two descriptors of a bell may be the same. :func:`close_bell` closes both.
    """
    if HAS_EVENTFD:
        descriptor = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        return descriptor, descriptor
    reader, writer = os.pipe()  # both descriptors are closed on exec(), like every descriptor that Python opens
    os.set_blocking(reader, False)
    os.set_blocking(writer, False)
    return reader, writer


def ring(writer: int) -> None:
    """Makes a bell readable. Any thread may call this function."""
    try:
        os.write(writer, ONE)
    except BlockingIOError:
        pass  # the descriptor is already readable


def silence(reader: int) -> bool:
    """Resets a bell (descriptors that wake a waiting thread), so that it waits for the next ring. Returns True if the
    bell had rung."""
    rung = False
    try:
        # One read of an eventfd resets it; a pipe must be read until it is empty.
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
    """Returns a descriptor that becomes readable when a child process ends. Returns None if the system has no such
    descriptors; the caller must then poll."""
    if PORTABLE or not hasattr(os, "pidfd_open"):
        return None
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None


def keep_alive(connection: socket.socket, idle: int, interval: int, count: int) -> None:
    """Turns on TCP keep-alive, so that the system notices a peer that has disappeared without closing the connection.

    Args:
        connection: A TCP connection.
        idle: Seconds without data before the first probe.
        interval: Seconds between further probes.
        count: Unanswered probes after which the connection counts as lost.
    """
    import socket  # imported only here, because loading it takes long

    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    if PORTABLE:
        return
    # On macOS, TCP_KEEPIDLE is called TCP_KEEPALIVE.
    names = ("TCP_KEEPIDLE" if hasattr(socket, "TCP_KEEPIDLE") else "TCP_KEEPALIVE", "TCP_KEEPINTVL", "TCP_KEEPCNT")
    for name, value in zip(names, (idle, interval, count)):
        if hasattr(socket, name):
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def limit_unanswered(listener: socket.socket, seconds: float) -> None:
    """Makes the system end each connection of a listener whose peer acknowledges no data for `seconds` seconds. Does
    nothing on systems without TCP_USER_TIMEOUT; Linux has TCP_USER_TIMEOUT."""
    import socket

    if not PORTABLE and hasattr(socket, "TCP_USER_TIMEOUT"):  # accepted connections inherit TCP_USER_TIMEOUT
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, round(seconds * 1000))
