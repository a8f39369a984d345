"""NMEA 0183 logs, read with pynmea2: RMC and GGA sentences, the date also from ZDA.

Sentences of one time of day are one fix. Its position is that of GGA, else of RMC. GGA also gives the accuracy: its
horizontal dilution of precision times the range error to one satellite, 5 m unless the caller says otherwise (about
what a receiver of one frequency has without corrections, one sigma).

GGA has no date: it is that of the latest RMC or ZDA, or, before there is one, of the first; a time of day more than
twelve hours from theirs is of the day before or after.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

from ._files import InputError, require
from ._tracks import NO_POSITION, Point

RANGE_ERROR = 5.0
"""Metres a unit of HDOP."""
_KINDS = ("RMC", "GGA", "ZDA")
_CLOCK = re.compile(r"([01]\d|2[0-3])([0-5]\d)([0-5]\d(?:\.\d*)?)")
_HOUR = 3_600_000_000
_DAY = 24 * _HOUR
_EPOCH = date(1970, 1, 1)


@dataclass(slots=True)
class _Epoch:
    """What the sentences of one time of day say."""

    line: int
    clock: int
    latitude: float = 0.0
    longitude: float = 0.0
    accuracy: float = NO_POSITION
    best: bool = False


def looks_like_nmea(data: bytes) -> bool:
    """Whether a file without a telling name begins like an NMEA log."""
    return re.search(rb"(?:^|\s)\$[A-Z]{2}(?:RMC|GGA|ZDA|GLL|GSA|GSV|VTG),", data[:4096]) is not None


def read(data: bytes, path: str | Path, hdop_scale: float | None) -> Iterator[tuple[str, Point]]:
    """The fixes in file order; where no sentence has a valid position, one without a position."""
    parse = require("pynmea2", "nmea").parse
    scale = RANGE_ERROR if hdop_scale is None else hdop_scale
    dated: tuple[int, int] | None = None
    waiting: list[_Epoch] = []
    found = damaged = 0
    for number, line in enumerate(data.decode("ascii", "replace").splitlines(), 1):
        # Loggers write their own time before a sentence.
        start = line.find("$")
        if start < 0 or line[start + 3 : start + 6] not in _KINDS:
            continue
        found += 1
        try:
            sentence = parse(line[start:].strip())
            clock, day = _clock(sentence.data[0]), _day(sentence)
        except (ValueError, LookupError):  # also pynmea2's own: a wrong check sum, no sentence
            damaged += 1
            continue
        if clock is None:
            continue
        if waiting and waiting[-1].clock != clock and dated is not None:
            yield from _points(waiting, dated)
            waiting.clear()
        if day is not None:
            dated = day, clock
        if sentence.sentence_type != "ZDA":
            if not waiting or waiting[-1].clock != clock:
                waiting.append(_Epoch(number, clock))
            _take(waiting[-1], sentence, scale)
    if not found:
        raise InputError(path, "", "not usable as NMEA 0183: there is no RMC, GGA or ZDA sentence in it")
    if waiting and dated is None:
        more = f" ({damaged} RMC, GGA or ZDA sentences are damaged)" if damaged else ""
        raise InputError(path, f"line {waiting[0].line}", f"no RMC or ZDA sentence gives the date{more}")
    if dated is not None:
        yield from _points(waiting, dated)
    elif damaged:
        raise InputError(path, "", f"all of its {damaged} RMC, GGA and ZDA sentences are damaged")


def _points(epochs: Iterable[_Epoch], dated: tuple[int, int]) -> Iterator[tuple[str, Point]]:
    day, at = dated
    for epoch in epochs:
        ahead = epoch.clock - at
        shift = 1 if ahead < -12 * _HOUR else -1 if ahead > 12 * _HOUR else 0
        time = (day + shift) * _DAY + epoch.clock
        yield f"line {epoch.line}", (epoch.latitude, epoch.longitude, epoch.accuracy, time)


def _take(epoch: _Epoch, sentence: Any, scale: float) -> None:
    """Lays what a sentence says over what is known: a valid GGA is best, then a valid RMC."""
    gga = sentence.sentence_type == "GGA"
    try:
        # pynmea2's own is_valid takes the navigational status "not given" for an alarm.
        valid = int(sentence.data[5]) != 0 if gga else sentence.status == "A" and "N" not in sentence.data[11:12]
        if not valid or epoch.best:
            return
        latitude, longitude = sentence.latitude, sentence.longitude
        accuracy = float(sentence.horizontal_dil or 0) * scale if gga else 0.0
    except (ValueError, LookupError, TypeError):
        return
    epoch.latitude, epoch.longitude, epoch.accuracy, epoch.best = latitude, longitude, accuracy, gga


def _clock(text: str) -> int | None:
    """Microseconds since midnight of hhmmss.ss, exactly; None: the receiver does not know the time."""
    if not text:
        return None
    parts = _CLOCK.fullmatch(text)
    if parts is None:
        raise ValueError(text)
    hours, minutes, seconds = parts.groups()
    return int(hours) * _HOUR + int(minutes) * _HOUR // 60 + int(Decimal(seconds) * 1_000_000)


def _day(sentence: Any) -> int | None:
    """Days since 1970 of a sentence that says the date."""
    kind, values = sentence.sentence_type, sentence.data
    if kind == "RMC" and values[8]:
        return (sentence.datestamp - _EPOCH).days if isinstance(sentence.datestamp, date) else None
    if kind == "ZDA" and all(values[1:4]):
        return (date(int(values[3]), int(values[2]), int(values[1])) - _EPOCH).days
    return None
