"""Notifies systemd of a service's state: ready, alive, reloading or stopping."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Mapping


class Service:
    """Sends states to systemd (``sd_notify``) if systemd has started the service; otherwise does nothing.

    Args:
        environment: Contains ``NOTIFY_SOCKET`` and, for a unit with a watchdog, ``WATCHDOG_USEC``.
    """

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self._address = environment.get("NOTIFY_SOCKET", "")
        period = environment.get("WATCHDOG_USEC", "")
        is_ours = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        self._period = int(period) / 2e6 if self._address and is_ours and period.isdigit() and int(period) else None
        self._next_at = time.monotonic()

    def say(self, text: str) -> None:
        """Sends a state, for example ``READY=1``."""
        if not self._address:
            return
        # The address of an abstract socket begins with a zero byte.
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
                sender.sendto(text.encode(), address)
        except OSError:
            pass  # if no process receives the message, continue anyway

    def reloading(self) -> None:
        """Reports that the conditions are being read again; ``READY=1`` ends this state."""
        self.say(f"RELOADING=1\nMONOTONIC_USEC={time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000}")

    def beat(self) -> float | None:
        """Notifies the watchdog when a notification is due; returns the seconds until the next notification, or None
        without a watchdog."""
        if self._period is None:
            return None
        now = time.monotonic()
        if now >= self._next_at:
            self._next_at = now + self._period
            self.say("WATCHDOG=1")
        return self._next_at - now
