"""Reads one NMEA 0183 sentence: RMC, GGA, GST or ZDA. A sentence is either read completely or refused.

A receiver that is switched off, a torn line, and a logger that fills in unknown values can all produce text that only
looks like a sentence. Therefore each field of a position or a date must have the form that the standard (IEC 61162-1)
prescribes. A sentence must contain all fields of its kind. Latitudes (ddmm.mm) and longitudes (dddmm.mm) must have all
their digits and fewer than 60 minutes. The hemisphere is a capital letter, times have the form hhmmss, and dates have
the form ddmmyy. A sentence from a receiver without a fix does not count as damaged; it has no position.
Nor does a GST sentence without an error ellipse, whose fields many receivers leave empty or set to 0.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any, NoReturn

from .._dataclass import dataclass

KINDS = {"RMC": 11, "GGA": 14, "GST": 8, "ZDA": 4}
"""The sentence kinds that are read, and the smallest number of fields for each kind; a ZDA sentence may lack its local
zone."""
_START = re.compile(r"([A-OQ-Z][A-Z0-9])(RMC|GGA|GST|ZDA),")
_CLOCK = re.compile(r"([01][0-9]|2[0-3])([0-5][0-9])([0-5][0-9](?:\.[0-9]*)?)")
_DEGREES = {
    "latitude": re.compile(r"[0-9]{2}[0-5][0-9]\.[0-9]+"),
    "longitude": re.compile(r"[0-9]{3}[0-5][0-9]\.[0-9]+"),
}
_HEMISPHERES = {"latitude": "NS", "longitude": "EW"}
_RANGES = {"latitude": 90.0, "longitude": 180.0}
_DEVIATION = re.compile(r"[0-9]{1,7}(?:\.[0-9]*)?")
_ORIENTATION = re.compile(r"-?[0-9]{1,3}(?:\.[0-9]*)?")
_ORIENTATIONS = (-180.0, 360.0)
_HEIGHT = re.compile(r"-?[0-9]{1,6}(?:\.[0-9]*)?")
_DILUTION = re.compile(r"[0-9]{1,6}(?:\.[0-9]*)?|\.[0-9]+")
_HOUR = 3_600_000_000
_EPOCH = date(1970, 1, 1)


class SentenceError(ValueError):
    """A sentence is damaged or incomplete; the text names the sentence and the defect."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """The contents of an NMEA 0183 sentence.

    Attributes:
        kind: The kind of the sentence: RMC, GGA, GST or ZDA.
        clock: Microseconds since midnight, or None if the receiver does not know the time.
        day: Days since 1970, or None if the sentence has no date.
        position: Latitude and longitude in degrees, or None if the receiver or the sentence has no position.
        dilution: Horizontal dilution of precision; 0 means that it is not stated.
        ellipse: The one-sigma error ellipse of a GST sentence: the semi-axes in metres, and the direction of the major
            axis in degrees from true north. None if the sentence has no error ellipse.
        heights: The altitude above the ellipsoid and the height of the geoid, in metres, of a GGA sentence; None if the
            sentence lacks one of its two heights.
        deviation: The standard deviation of the altitude in metres, of a GST sentence; 0 means that it is not stated.
    """

    kind: str
    clock: int | None
    day: int | None
    position: tuple[float, float] | None
    dilution: float
    ellipse: tuple[float, float, float] | None = None
    heights: tuple[float, float] | None = None
    deviation: float = 0.0


def sentences(line: str) -> list[str]:
    """The sentences in a line whose kinds are in :data:`KINDS`; each begins at its dollar sign. Proprietary sentences
    are ignored.

    Some loggers write their own time before a sentence, and a torn sentence may run into the next one.
    """
    return [f"${part}" for part in line.split("$")[1:] if _START.match(part)]


def read_sentence(text: str, parse: Callable[[str], Any]) -> Sentence:
    """Reads a sentence.

    Args:
        text: A result of :func:`sentences`.
        parse: The function of pynmea2 that parses a sentence and verifies its checksum, if there is one.

    Raises:
        SentenceError: The sentence is damaged or incomplete.
    """
    kind = text[3:6]
    try:
        sentence = parse(text.strip())
    except ValueError as error:
        checked = type(error).__name__ == "ChecksumError"
        raise SentenceError(f"{kind}: {'the check sum does not match' if checked else 'is not a sentence'}") from None
    values = sentence.data
    if len(values) < KINDS[kind]:
        raise SentenceError(f"{kind}: has {len(values)} of {KINDS[kind]} fields")
    clock = _clock(kind, values[0])
    if kind == "GST":
        return Sentence(kind, clock, None, None, 0.0, _ellipse(values[2:5]), deviation=_deviation(values[7]))
    if kind == "ZDA":
        return Sentence(kind, clock, _zda_day(values[1:4]), None, 0.0)
    if kind == "RMC":
        # A valid position without a date is refused. A date without a position is accepted: receivers know the date
        # before the position.
        day, has_fix = _rmc_day(values[8]), _has_fix(values)
        if has_fix and day is None:
            raise SentenceError("RMC: the sentence is marked valid but has no date")
        position = _position(sentence, values[2:6]) if has_fix else None
        return Sentence(kind, clock, day, position, 0.0)
    quality = values[5]
    if re.fullmatch("[0-8]?", quality) is None:
        _refuse(kind, "quality", quality, "0 to 8")
    if quality in ("", "0"):
        return Sentence(kind, clock, None, None, 0.0)
    return Sentence(
        kind, clock, None, _position(sentence, values[1:5]), _dilution(values[7]), heights=_heights(values[8:12])
    )


def _refuse(kind: str, what: str, text: str, expected: str) -> NoReturn:
    raise SentenceError(f"{kind}: {what} {text!r} is not {expected}" if text else f"{kind}: has no {what}")


def _has_fix(values: list[str]) -> bool:
    status = values[1]
    if status not in ("A", "V", ""):
        _refuse("RMC", "status", status, "A or V")
    # NMEA 2.3 added the mode field to the sentence. This code does not use pynmea2's is_valid, because is_valid treats
    # the navigational status "not given" as an alarm.
    return status == "A" and values[11:12] != ["N"]


def _position(sentence: Any, values: list[str]) -> tuple[float, float]:
    """Returns the latitude and the longitude in a sentence; raises an error if one of their four fields is not
    valid."""
    kind = sentence.sentence_type
    for what, number, hemisphere in (("latitude", *values[:2]), ("longitude", *values[2:])):
        if _DEGREES[what].fullmatch(number) is None:
            form = "ddmm.mm" if what == "latitude" else "dddmm.mm"
            _refuse(kind, what, number, f"{form} with fewer than 60 minutes")
        if hemisphere not in tuple(_HEMISPHERES[what]):
            _refuse(kind, f"hemisphere of the {what}", hemisphere, " or ".join(_HEMISPHERES[what]))
    position = sentence.latitude, sentence.longitude
    for what, degrees in zip(_RANGES, position, strict=True):
        if abs(degrees) > _RANGES[what]:
            raise SentenceError(
                f"{kind}: {what} {degrees:g} is outside -{_RANGES[what]:g} to {_RANGES[what]:g} degrees"
            )
    return position


def _dilution(text: str) -> float:
    if text and _DILUTION.fullmatch(text) is None:
        _refuse("GGA", "dilution of precision", text, "a number of at least 0")
    return float(text or 0)


def _heights(values: list[str]) -> tuple[float, float] | None:
    """The altitude above the ellipsoid and the height of the geoid. A GGA sentence has the altitude above mean sea
    level and the separation of the geoid; one without the other is of no use, so they are not checked further."""
    sea, metres, geoid, also = values
    if not (_HEIGHT.fullmatch(sea) and _HEIGHT.fullmatch(geoid) and metres == also == "M"):
        return None
    return float(sea) + float(geoid), float(geoid)


def _deviation(text: str) -> float:
    return float(text) if _DEVIATION.fullmatch(text) else 0.0


def _ellipse(values: list[str]) -> tuple[float, float, float] | None:
    """The error ellipse of a GST sentence. No receiver knows its position exactly, so an ellipse of size 0 means that
    the receiver does not know its error."""
    if not all(values):
        return None
    for what, text in zip(("major semi-axis", "minor semi-axis"), values):
        if _DEVIATION.fullmatch(text) is None:
            _refuse("GST", what, text, "a number of at least 0")
    least, most = _ORIENTATIONS
    if _ORIENTATION.fullmatch(values[2]) is None or not least <= float(values[2]) <= most:
        _refuse("GST", "orientation", values[2], f"{least:g} to {most:g} degrees")
    major, minor, orientation = map(float, values)
    if minor > major:
        raise SentenceError(f"GST: the minor semi-axis {minor:g} m is longer than the major semi-axis {major:g} m")
    return (major, minor, orientation) if major else None


def _clock(kind: str, text: str) -> int | None:
    """Converts hhmmss.ss to microseconds since midnight, exactly."""
    if not text:
        return None
    parts = _CLOCK.fullmatch(text)
    if parts is None:
        _refuse(kind, "time", text, "hhmmss")
    hours, minutes, seconds = parts.groups()
    return int(hours) * _HOUR + int(minutes) * _HOUR // 60 + int(Decimal(seconds) * 1_000_000)


def _rmc_day(text: str) -> int | None:
    if not text:
        return None
    if re.fullmatch("[0-9]{6}", text) is None:
        _refuse("RMC", "date", text, "ddmmyy")
    year = int(text[4:])
    # Two-digit years stand for 1969 to 2068, as in strptime and in receivers.
    return _day("RMC", text, 1900 + year if year > 68 else 2000 + year, text[2:4], text[:2])


def _zda_day(values: list[str]) -> int | None:
    if not any(values):
        return None
    text = ",".join(values)
    if re.fullmatch("[0-9]{2},[0-9]{2},[0-9]{4}", text) is None:
        _refuse("ZDA", "date", text, "dd,mm,yyyy")
    return _day("ZDA", text, int(values[2]), values[1], values[0])


def _day(kind: str, text: str, year: int, month: str, day: str) -> int:
    try:
        return (date(year, int(month), int(day)) - _EPOCH).days
    except ValueError:
        _refuse(kind, "date", text, "an existing day")
