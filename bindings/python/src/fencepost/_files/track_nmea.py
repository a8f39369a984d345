"""Reads NMEA 0183 logs with pynmea2: RMC and GGA sentences; the date may also come from ZDA sentences, and error
ellipses come from GST sentences.

Sentences with the same time of day form one fix. The fix gets its position from a GGA sentence, or from RMC if there is
no valid GGA. A GGA sentence also gives the accuracy of the fix: the horizontal dilution of precision (HDOP) times the
range error to one satellite. The range error is 5 m unless the caller changes it; this is about one sigma of a
single-frequency receiver without corrections.

A GGA sentence also gives the heights of the fix: its altitude above mean sea level and the separation of the geoid;
their sum is the altitude above the ellipsoid. A sentence that lacks one of the two gives no height.

A GST sentence gives the error ellipse of the fix with the same time of day, and the standard deviation of its altitude:
one-sigma values, which need no conversion. The sentence may come before or after the RMC and GGA sentences of its fix.

A GGA sentence has no date. A fix gets the date of the latest RMC or ZDA sentence; a fix before the first such sentence
gets the date of that first sentence. If the fix and the sentence that gave the date differ by more than twelve hours in
their time of day, the fix gets the date of the day before or after.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import nan
from pathlib import Path

from .._errors import InputError, require, warn
from .nmea_sentences import Sentence, SentenceError, read_sentence, sentences
from .tracks import NO_ELLIPSE, NO_POSITION, Point, known_beside

RANGE_ERROR = 5.0
"""The range error to one satellite, in metres; a fix's accuracy is this error times its HDOP."""
_HOUR = 3_600_000_000
_DAY = 24 * _HOUR


@dataclass(slots=True)
class _Epoch:
    """The data of consecutive sentences with the same time of day."""

    line: int
    clock: int
    latitude: float = 0.0
    longitude: float = 0.0
    accuracy: float = NO_POSITION
    best: bool = False
    ellipse: tuple[float, ...] = ()
    heights: tuple[float, float] | None = None
    deviation: float = 0.0

    def take(self, sentence: Sentence, scale: float) -> None:
        """Merges a sentence into the data: a valid GGA has priority, then a valid RMC."""
        if sentence.position is None or self.best:
            return
        self.latitude, self.longitude = sentence.position
        self.accuracy = sentence.dilution * scale
        self.best = sentence.kind == "GGA"
        self.heights = sentence.heights

    @property
    def beside(self) -> tuple[float, ...]:
        """The error ellipse and the heights of the fix."""
        if self.heights is None:
            return self.ellipse
        altitude, geoid = self.heights
        return known_beside(*(self.ellipse or NO_ELLIPSE), altitude, self.deviation, geoid, nan)


def looks_like_nmea(data: bytes) -> bool:
    """True if a file begins like an NMEA log; used if the file's name does not show its format."""
    return re.search(rb"(?:^|\s)\$[A-Z]{2}(?:RMC|GGA|GST|ZDA|GLL|GSA|GSV|VTG),", data[:4096]) is not None


def read(data: bytes, path: str | Path, hdop_scale: float | None) -> Iterator[tuple[str, Point]]:
    """Yields the fixes of an NMEA log in the order of the file. If none of the sentences with the same time of day has
    a valid position, their fix has no position."""
    reader = SentenceReader(hdop_scale)
    for line in data.decode("ascii", "replace").splitlines():
        yield from reader.line(line)
    if not reader.found:
        raise InputError(path, "", "cannot be read as NMEA 0183: there is no RMC, GGA or ZDA sentence in the file")
    if reader.undated_line is not None:
        more = f" ({reader.damaged} RMC, GGA, GST or ZDA sentences are damaged)" if reader.damaged else ""
        raise InputError(path, f"line {reader.undated_line}", f"no RMC or ZDA sentence gives the date{more}")
    if reader.damaged and not reader.is_dated:
        raise InputError(
            path,
            "",
            f"all of its {reader.damaged} RMC, GGA, GST and ZDA sentences are damaged ({reader.first_damage})",
        )
    yield from reader.end()
    if reader.damaged:
        reason = (
            f"{reader.damaged} of {reader.found + reader.ellipses} RMC, GGA, GST and ZDA sentences are damaged or "
            f"incomplete and were skipped ({reader.first_damage})"
        )
        warn(path, "", reason)


class SentenceReader:
    """Reads the lines of an NMEA log one by one. The reader returns a fix when all sentences of the fix's time of day
    have been read, that is, when the next time of day begins.

    Args:
        hdop_scale: Metres per unit of HDOP; None means 5.

    Attributes:
        found: The number of RMC, GGA and ZDA sentences, including damaged sentences.
        ellipses: The number of GST sentences, including damaged sentences.
        damaged: The number of RMC, GGA, GST and ZDA sentences that were ignored because they were damaged or
            incomplete.
        damage: The line and the defect of the last damaged sentence; None if no sentence was damaged.
    """

    def __init__(self, hdop_scale: float | None = None) -> None:
        self._parse = require("pynmea2", "nmea").parse
        self._scale = RANGE_ERROR if hdop_scale is None else hdop_scale
        self._dated: tuple[int, int] | None = None
        self._waiting: list[_Epoch] = []
        self._errors: tuple[int, tuple[float, ...], float] | None = None
        """The time of day, the error ellipse and the deviation of the altitude of a GST sentence that came before the
        other sentences of its fix."""
        self._number = self.found = self.ellipses = self.damaged = 0
        self.damage: tuple[str, str] | None = None
        self._first: tuple[str, str] | None = None

    @property
    def first_damage(self) -> str:
        """The line and the defect of the first damaged sentence, as text."""
        return "" if self._first is None else f"first defect: {': '.join(self._first)}"

    @property
    def is_dated(self) -> bool:
        """True if an RMC or ZDA sentence has given a date."""
        return self._dated is not None

    @property
    def undated_line(self) -> int | None:
        """The line of the first fix that still lacks a date, or None if all fixes have a date."""
        return self._waiting[0].line if self._waiting and self._dated is None else None

    @property
    def undated(self) -> int:
        """The number of fixes that still lack a date."""
        return len(self._waiting) if self._dated is None else 0

    def drop_undated(self) -> None:
        """Drops the fixes that still lack a date."""
        if self._dated is None:
            self._waiting.clear()

    def line(self, line: str) -> Iterator[tuple[str, Point]]:
        """Reads a line, and yields the fixes that are complete after it, each with its line number."""
        self._number += 1
        for text in sentences(line):
            if text[3:6] == "GST":
                self.ellipses += 1
            else:
                self.found += 1
            try:
                sentence = read_sentence(text, self._parse)
            except SentenceError as error:
                self.damaged += 1
                self.damage = f"line {self._number}", str(error)
                self._first = self._first or self.damage
            else:
                if sentence.clock is not None:
                    yield from self._take(sentence, sentence.clock)

    def _take(self, sentence: Sentence, clock: int) -> Iterator[tuple[str, Point]]:
        waiting = self._waiting
        if sentence.kind == "GST":
            ellipse = sentence.ellipse or ()
            if waiting and waiting[-1].clock == clock:
                waiting[-1].ellipse, waiting[-1].deviation = ellipse, sentence.deviation
            else:
                self._errors = clock, ellipse, sentence.deviation
            return
        if waiting and waiting[-1].clock != clock:
            yield from self.end()
        if sentence.day is not None:
            self._dated = sentence.day, clock
        if sentence.kind != "ZDA":
            if not waiting or waiting[-1].clock != clock:
                waiting.append(_Epoch(self._number, clock))
                if self._errors is not None and self._errors[0] == clock:
                    waiting[-1].ellipse, waiting[-1].deviation = self._errors[1:]
                self._errors = None
            waiting[-1].take(sentence, self._scale)

    def end(self) -> Iterator[tuple[str, Point]]:
        """Yields the fixes that wait for a date, if a date has been read."""
        if self._dated is not None:
            yield from _points(self._waiting, self._dated)
            self._waiting.clear()


def _points(epochs: Iterable[_Epoch], dated: tuple[int, int]) -> Iterator[tuple[str, Point]]:
    day, at = dated
    for epoch in epochs:
        ahead = epoch.clock - at
        shift = 1 if ahead < -12 * _HOUR else -1 if ahead > 12 * _HOUR else 0
        time = (day + shift) * _DAY + epoch.clock
        yield f"line {epoch.line}", (epoch.latitude, epoch.longitude, epoch.accuracy, time, *epoch.beside)
