"""Fixes as they come: lines of a stream, and gpsd."""

from __future__ import annotations

import json
import math
import os
import socket
from collections.abc import Iterator
from typing import Any

from ._text_times import number_time, parse_time
from ._tracks import FixRow

GPSD_PORT = 2947
LONGEST_LINE = 1 << 20


class LineError(ValueError):
    """A line is no fix, and nothing that may be passed over."""


def parse_line(line: bytes) -> FixRow | None:
    """The fix of a line: a JSON object with latitude, longitude (or lat, lon), time and perhaps accuracy, or a TPV report
    of gpsd. None for blank lines, for what else gpsd reports, and for reports without a position or time.

    Raises:
        LineError: Anything else; the text says what is wrong.
    """
    if not line.strip():
        return None
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise LineError("is not JSON") from None
    if not isinstance(value, dict):
        raise LineError("is not a JSON object")
    if "class" in value:
        return _report(value) if value["class"] == "TPV" else None
    latitude, longitude = (_number(value, *names) for names in (("latitude", "lat"), ("longitude", "lon")))
    if latitude is None or longitude is None:
        raise LineError("has no latitude and longitude")
    accuracy = _number(value, "accuracy")
    return (latitude, longitude, 0.0 if accuracy is None else accuracy, _time(value))


def _report(value: dict[str, Any]) -> FixRow | None:
    if value.get("mode", 0) not in (2, 3) or "time" not in value:
        return None
    latitude, longitude = _number(value, "lat"), _number(value, "lon")
    if latitude is None or longitude is None:
        return None
    accuracy = _number(value, "eph")
    if accuracy is None:
        east, north = _number(value, "epx"), _number(value, "epy")
        accuracy = 0.0 if east is None or north is None else math.hypot(east, north)
    return (latitude, longitude, accuracy, _time(value))


def _number(value: dict[str, Any], *names: str) -> float | None:
    for name in names:
        found = value.get(name)
        if found is not None:
            if isinstance(found, bool) or not isinstance(found, (int, float)):
                raise LineError(f"{name} is not a number")
            try:
                return float(found)
            except OverflowError:
                raise LineError(f"{name} is out of range") from None
    return None


def _time(value: dict[str, Any]) -> int:
    time = value.get("time")
    try:
        if isinstance(time, str):
            return parse_time(time)
        if isinstance(time, (int, float)) and not isinstance(time, bool):
            return number_time(time)
    except ValueError as error:
        raise LineError(str(error)) from None
    raise LineError("has no time")


class LineSource:
    """A descriptor that gives lines; `read` does not block once the descriptor is readable."""

    def __init__(self, descriptor: int, name: str, connection: socket.socket | None = None) -> None:
        self.descriptor, self.name = descriptor, name
        self._connection = connection
        self._rest = b""
        self.lines = 0

    def read(self) -> Iterator[bytes] | None:
        """The lines that are complete now; None at the end, when the last one has been given."""
        data = os.read(self.descriptor, 65_536)
        if not data:
            rest, self._rest = self._rest, b""
            return iter([rest]) if rest else None
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > LONGEST_LINE:
            lines.append(self._rest)  # no line of ours: refused as such
            self._rest = b""
        return iter(lines)

    def close(self) -> None:
        """Ends the use of the descriptor; standard input stays open."""
        if self._connection is not None:
            self._connection.close()
        elif self.descriptor > 2:
            os.close(self.descriptor)


def open_source(source: str) -> LineSource:
    """A file or pipe, ``-`` for standard input, or ``gpsd://host:port``.

    Raises:
        OSError: It cannot be opened.
    """
    if source == "-":
        return LineSource(0, "standard input")
    if source.startswith("gpsd://"):
        address = source.removeprefix("gpsd://").rstrip("/")
        host, _, port = address.partition(":")
        try:
            connection = socket.create_connection((host or "localhost", int(port or GPSD_PORT)), timeout=30)
            connection.sendall(b'?WATCH={"enable":true,"json":true};\n')
            connection.settimeout(None)
        except (OSError, ValueError, OverflowError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise OSError(0, reason, source) from None
        return LineSource(connection.fileno(), source, connection)
    return LineSource(os.open(source, os.O_RDONLY | os.O_CLOEXEC), source)
