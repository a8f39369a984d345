"""Reads fixes from a gpsd. The source uses gpsd's JSON protocol, reconnects when the connection is lost, and follows
one of the gpsd's devices."""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .._files.tracks import FixRow
from .._system import keep_alive
from .formats import Decoder, Found, Lines
from .lines import LineError, read_object, report_fix
from .messages import DeviceFix
from .notices import MINUTE, Notices
from .sources import PIECE, Source

PORT = 2947
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
SILENCE = 60.0
"""If the followed device has no fix for this many seconds while another device has fixes, a notice reports this."""


class Gpsd(Source):
    """Reads fixes from a gpsd over its JSON protocol.

    A connection that ends or fails is retried, with pauses that grow from 1 s to 60 s. After `reconnect` seconds
    without a working connection, the error of the last attempt is raised. The retry timer restarts only after a
    connection has delivered a fix or stayed open for a minute. A connection that the port accepts and closes at once
    still counts as lost, like a connection that the port refuses.

    Args:
        url: ``gpsd://host:port``.
        reconnect: For how many seconds a lost connection is retried. If this is 0, the source ends when the connection
            ends.
        notices: Receives reports that the connection is lost or restored.
        device: The name by which gpsd knows the device to follow, for example ``/dev/ttyUSB0``. If `device` is None,
            the first device that has a fix is followed; the device is chosen again after each lost connection.
        monotonic: Returns the seconds of a monotonic clock.
        named: The device name that the source adds to its fixes. If only a single device is followed, pass None; the
            fixes then have no device name.

    Raises:
        OSError: The gpsd does not answer.
    """

    def __init__(
        self,
        url: str,
        reconnect: float,
        notices: Notices,
        device: str | None = None,
        monotonic: Callable[[], float] = time.monotonic,
        named: str | None = None,
    ) -> None:
        host, _, port = url.removeprefix("gpsd://").rstrip("/").rpartition(":")
        if not port.isdigit():
            host, port = (f"{host}:{port}" if host else port), str(PORT)
        try:
            self._address = (host.strip("[]") or "localhost", int(port))
            self._connection = self._connect(30)
        except (OSError, ValueError, OverflowError) as error:
            raise _failure(url, error) from None
        self._notices, self._device, self._monotonic = notices, device, monotonic
        self.descriptor, self.name, self._decoder = self._connection.fileno(), url, self._make_decoder(url)
        self._named = named
        self._retry_seconds, self._pause = reconnect, FIRST_PAUSE
        self._lost_at: float | None = None
        self._connected_at = monotonic()

    def _make_decoder(self, name: str) -> Decoder:
        return _Reports(name, self._device, self._notices, self._monotonic)

    def _connect(self, timeout: float) -> socket.socket:
        connection = socket.create_connection(self._address, timeout=timeout)
        try:
            # With these settings, a peer that disappeared without closing the connection is detected after two minutes.
            keep_alive(connection, idle=60, interval=10, count=6)
            connection.sendall(b'?WATCH={"enable":true,"json":true};\n')
            connection.settimeout(None)
        except OSError:
            connection.close()
            raise
        return connection

    def read(self) -> Iterator[tuple[str, Any]] | None:
        if self.descriptor is None:
            self.reconnect()
            return iter(())
        reason = "gpsd closed the connection"
        try:
            data = self._connection.recv(PIECE)
        except OSError as error:
            data, reason = b"", error.strerror or str(error)
        self.has_more = len(data) == PIECE
        if data:
            return self._used(list(self._decoder.take(data)))
        if self._retry_seconds == 0:
            self.at_end = True
            return self._named_all(list(self._decoder.end()))
        self._connection.close()
        self.descriptor = None
        now = self._monotonic()
        found = list(self._decoder.end())  # half a line
        self._decoder = self._make_decoder(self.name)
        if self._lost_at is None or now >= self._connected_at + MINUTE:
            self._lost_at, self._pause = now, FIRST_PAUSE
            self._notices.say(f"{self.name}: connection lost: {reason}; trying again for {self._retry_seconds:g} s")
        self._try_later(OSError(0, reason))
        return self._named_all(found)

    def _used(self, found: list[Found]) -> Iterator[tuple[str, Any]]:
        if self._lost_at is not None and any(not isinstance(row, LineError) for _, row in found):
            away = self._monotonic() - self._lost_at
            self._notices.say(f"{self.name}: connected again after {away:.0f} s", logging.INFO)
            self._lost_at, self._pause = None, FIRST_PAUSE
        return self._named_all(found)

    def _named_all(self, found: list[Found]) -> Iterator[tuple[str, Any]]:
        """If the source has a device name, adds this name to the fixes."""
        if self._named is None:
            return iter(found)
        name = self._named
        return iter([(place, row if isinstance(row, LineError) else DeviceFix(name, row)) for place, row in found])

    def reconnect(self) -> None:
        """Tries to connect to the gpsd again."""
        try:
            self._connection = self._connect(5)
        except OSError as error:
            self._pause = min(2 * self._pause, LONGEST_PAUSE)
            self._try_later(error)
        else:
            self.descriptor, self.retry_at = self._connection.fileno(), None
            self.reconnects += 1
            self._connected_at = self._monotonic()
            # If this connection ends at once, the next attempt must wait longer.
            self._pause = min(2 * self._pause, LONGEST_PAUSE)

    def _try_later(self, error: OSError) -> None:
        """Schedules the next connection attempt.

        Raises:
            OSError: The time for retries has run out.
        """
        assert self._lost_at is not None
        now = self._monotonic()
        left = self._lost_at + self._retry_seconds - now
        if left <= 0:
            raise _failure(self.name, error) from None
        self.retry_at = now + min(self._pause, left)

    def close(self) -> None:
        self._connection.close()
        self.descriptor = None


def _failure(url: str, error: Exception) -> OSError:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return OSError(0, reason, url)


class _Reports(Lines):
    """Decodes the reports of gpsd, one JSON object per line, to the fixes of one device."""

    def __init__(self, name: str, device: str | None, notices: Notices, monotonic: Callable[[], float]) -> None:
        super().__init__()
        self._name, self._device, self._is_chosen = name, device, device is not None
        self._notices, self._monotonic = notices, monotonic
        self._seen_at, self._is_said = monotonic(), False

    def _found(self, line: bytes) -> Sequence[FixRow]:
        value = read_object(line)
        if value is None:
            return ()
        match value.get("class"):
            case "TPV":
                row = report_fix(value)
                if row is None:
                    self._miss()
                elif not self._is_followed(value.get("device")):
                    return ()
                return self._ellipses.fix(value, row)
            case "GST":
                return self._ellipses.report(value) if value.get("device") == self._device else ()
            case "ERROR":
                raise LineError(f"gpsd says: {value.get('message')}")
            case "DEVICES":
                self._look_for(value.get("devices"))
        return ()

    def _is_followed(self, device: Any) -> bool:
        """True if this device should be followed: it is the named device or, without a name, the first device with a
        fix."""
        device = device if isinstance(device, str) else ""
        now = self._monotonic()
        if self._device is None:
            self._device = device
        if device == self._device:
            self._seen_at = now
            return True
        if not (self._is_said or self._is_chosen):
            self._is_said = True
            text = (
                f"{self._name}: has several devices: the watch follows {self._device}, not {device}; "
                "choose one with --device"
            )
            self._notices.seldom("several", text)
        if now >= self._seen_at + SILENCE:
            text = (
                f"{self._name}: {device} has fixes, but the watch follows {self._device}, which has had no fix for "
                f"{now - self._seen_at:.0f} s; choose one with --device"
            )
            self._notices.seldom("device", text)
        return False

    def _miss(self) -> None:
        """Logs when a receiver has had no fix for a long time."""
        silent = self._monotonic() - self._seen_at
        if silent >= SILENCE:
            self._notices.seldom("device", f"{self._name}: has had no fix for {silent:.0f} s")

    def _look_for(self, devices: Any) -> None:
        listed = devices if isinstance(devices, list) else []
        paths = [device.get("path") for device in listed if isinstance(device, dict)]
        if not paths:
            self._notices.seldom("devices", f"{self._name}: has no device yet")
        elif self._is_chosen and self._device not in paths:
            known = ", ".join(map(str, paths))
            self._notices.seldom("devices", f"{self._name}: has no device {self._device}; it has {known}")
