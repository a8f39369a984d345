"""Converts the bytes read from a pipe (JSON Lines, NMEA 0183 or GPX) to fixes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from .._errors import InputError
from .._files import track_gpx
from .._files.track_nmea import SentenceReader, looks_like_nmea
from .._files.tracks import FixRow, Point, split
from .ellipse_reports import EllipseReports
from .lines import LineError, fix_of, read_object, report_fix

FORMATS = ("auto", "jsonl", "nmea", "gpx")
LONGEST_LINE = 1 << 20
LONGEST_DOCUMENT = 1 << 28
MOST_UNDATED = 3_600
"""The maximum number of NMEA fixes that wait for a sentence with the date."""
UNDECIDED_LINES = 20
IDLE_LINES = 200
"""The number of lines without a usable NMEA sentence after which there is a warning; a receiver writes about 20 other
lines between two usable sentences."""

Found = tuple[str, "FixRow | LineError"]
"""A place in the source, with the fix or the error at that place."""


class Decoder(Protocol):
    """Converts chunks of a stream to fixes."""

    def take(self, data: bytes) -> Iterator[Found]:
        """Adds a chunk; returns the fixes that are now complete."""
        ...

    def end(self) -> Iterator[Found]:
        """Ends the stream; returns the last fixes."""
        ...


def make_decoder(format: str, name: str) -> Decoder:
    """Creates a decoder for one of :data:`FORMATS`. `name` is the name of the source, for error messages.

    Raises:
        MissingExtraError: The format needs a library that is not installed.
    """
    match format:
        case "jsonl":
            return Lines()
        case "nmea":
            return _Sentences()
        case "gpx":
            return _Document(name)
    return _Recognised(name)


class _Split:
    """Splits chunks of a stream into lines. Of a line that is too long, only the beginning is returned, which the
    decoder refuses: the rest of such a line could look like a line of its own."""

    def __init__(self) -> None:
        self._rest, self._skips = b"", False

    def _lines(self, data: bytes) -> list[bytes]:
        if self._skips:
            _, end, data = data.partition(b"\n")
            self._skips = not end
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > LONGEST_LINE:
            lines.append(self._rest)
            self._rest, self._skips = b"", True
        return lines

    def _last(self) -> list[bytes]:
        rest, self._rest = self._rest, b""
        return [rest] if rest else []


class Lines(_Split):
    """Decodes one JSON object per line."""

    def __init__(self) -> None:
        super().__init__()
        self._number = 0
        self._ellipses = EllipseReports()

    def take(self, data: bytes) -> Iterator[Found]:
        return self._fixes(self._lines(data))

    def end(self) -> Iterator[Found]:
        yield from self._fixes(self._last())
        for row in self._ellipses.end():
            yield f"line {self._number}", row

    def _fixes(self, lines: list[bytes]) -> Iterator[Found]:
        for line in lines:
            self._number += 1
            place = f"line {self._number}"
            try:
                rows = self._found(line)
            except LineError as error:
                yield place, error
            else:
                for row in rows:
                    yield place, row

    def _found(self, line: bytes) -> Sequence[Any]:
        """Returns the fixes that are complete after a line."""
        value = read_object(line)
        if value is None:
            return ()
        match value.get("class"):
            case None:
                return (fix_of(value),)
            case "TPV":
                return self._ellipses.fix(value, report_fix(value))
            case "GST":
                return self._ellipses.report(value)
        return ()


class _Sentences(_Split):
    """Decodes NMEA 0183 in the same way as NMEA track files are read. A fix is complete when the first sentence with
    another time of day arrives."""

    def __init__(self) -> None:
        super().__init__()
        self._reader = SentenceReader()
        self._number = self._idle = 0

    def take(self, data: bytes) -> Iterator[Found]:
        return self._fixes(self._lines(data))

    def end(self) -> Iterator[Found]:
        yield from self._fixes(self._last())
        yield from self._dated(self._reader.end())
        if self._reader.undated:
            yield from self._no_date()

    def _fixes(self, lines: list[bytes]) -> Iterator[Found]:
        for line in lines:
            self._number += 1
            damaged, found = self._reader.damaged, self._reader.found
            # A malformed sentence counts as damaged, but must not end the watch.
            yield from self._dated(self._reader.line(line.decode("ascii", "replace")))
            if self._reader.damaged > damaged and self._reader.damage is not None:
                place, reason = self._reader.damage
                yield place, LineError(reason)
            if self._reader.undated > MOST_UNDATED:
                yield from self._no_date()
            self._idle = self._idle + 1 if self._reader.found == found else 0
            if self._idle == IDLE_LINES:
                self._idle = 0
                text = f"no RMC, GGA or ZDA sentence in {IDLE_LINES} lines: is the speed of the serial port right?"
                yield f"line {self._number}", LineError(text)

    def _no_date(self) -> Iterator[Found]:
        place = f"line {self._reader.undated_line}"
        count = self._reader.undated
        yield place, LineError(f"no RMC or ZDA sentence gives the date of {count} fixes; these fixes are dropped")
        self._reader.drop_undated()

    @staticmethod
    def _dated(points: Iterator[tuple[str, Point]]) -> Iterator[Found]:
        for place, (latitude, longitude, accuracy, time, *ellipse) in points:
            if time is not None:
                yield place, (latitude, longitude, accuracy, time, *ellipse)


class _Document:
    """Decodes GPX. The document is read only after all of it has arrived, because tracks take precedence over routes
    and way points, and may come after them in the document."""

    def __init__(self, name: str) -> None:
        self._data, self._name = bytearray(), name

    def take(self, data: bytes) -> Iterator[Found]:
        self._data += data
        if len(self._data) > LONGEST_DOCUMENT:
            raise InputError(self._name, "", f"is a GPX document of more than {LONGEST_DOCUMENT >> 20} MiB")
        return iter(())

    def end(self) -> Iterator[Found]:
        name = self._name
        (track,) = split(track_gpx.read(bytes(self._data), name, None), name)
        self._data.clear()
        if track.way_points:
            raise InputError(name, "", "its points have no times; only `fencepost replay --speed` plays such a file")
        for number, row in enumerate(track.fixes, 1):
            yield f"point {number}", row


class _Recognised:
    """Detects the format from the beginning of the stream."""

    def __init__(self, name: str) -> None:
        self._held, self._name = b"", name
        self._chosen: Decoder | None = None

    def take(self, data: bytes) -> Iterator[Found]:
        if self._chosen is not None:
            return self._chosen.take(data)
        self._held += data
        format = _recognise(self._held)
        return iter(()) if format is None else self._choose(format)

    def end(self) -> Iterator[Found]:
        if self._chosen is None:
            yield from self._choose(_recognise(self._held + b"\n") or "jsonl")
        assert self._chosen is not None
        yield from self._chosen.end()

    def _choose(self, format: str) -> Iterator[Found]:
        self._chosen = make_decoder(format, self._name)
        held, self._held = self._held, b""
        return self._chosen.take(held)


def _recognise(data: bytes) -> str | None:
    """The format of a stream that begins with `data`, or None if more data is needed to determine the format. An
    unknown format counts as JSON Lines."""
    start = data.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not start:
        return None
    if start.startswith(b"<"):
        return "gpx"
    if start.startswith(b"{"):
        return "jsonl"
    complete = data[: data.rfind(b"\n") + 1]
    if re.search(rb"^\s*\{", complete, re.MULTILINE):  # the stream began in the middle of a line
        return "jsonl"
    if looks_like_nmea(complete):
        return "nmea"
    return "jsonl" if complete.count(b"\n") >= UNDECIDED_LINES or len(data) > 4096 else None
