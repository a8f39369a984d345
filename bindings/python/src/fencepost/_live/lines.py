"""Parses a fix from a line of JSON."""

from __future__ import annotations

import json
import math
from typing import Any

from .._files.doubts import ellipse_fault
from .._files.tracks import NO_ELLIPSE, FixRow
from .._tables.names import HEIGHTS
from .._tables.text_times import number_time, parse_time


class LineError(ValueError):
    """Raised for a line that cannot be used and must not be ignored.

    Attributes:
        kind: The name of the counter that counts errors of this kind.
    """

    kind = "bad_lines"


def parse_line(line: bytes) -> FixRow | None:
    """The fix of a line: a JSON object with latitude, longitude (or lat, lon), time and optionally accuracy and
    error_ellipse, or a TPV report of gpsd. Returns None for blank lines, for other reports of gpsd, and for TPV reports
    without a position or time.

    Raises:
        LineError: The line has any other content; the error message says what is wrong.
    """
    value = read_object(line)
    if value is None:
        return None
    if "class" in value:
        return report_fix(value) if value["class"] == "TPV" else None
    return fix_of(value)


def fix_of(value: dict[str, Any]) -> FixRow:
    """The fix of an object with latitude, longitude (or lat, lon), time and optionally accuracy and error_ellipse (an
    array of the one-sigma semi-axes in metres and the direction of the major axis in degrees from north), altitude
    (above the ellipsoid), vertical_accuracy, geoid_height and ground_height in metres.

    Raises:
        LineError: The object has no fix.
    """
    latitude, longitude = (number_of(value, *names) for names in (("latitude", "lat"), ("longitude", "lon")))
    if latitude is None or longitude is None:
        raise LineError("has no latitude and longitude")
    accuracy = number_of(value, "accuracy")
    ellipse = value.get("error_ellipse")
    axes: tuple[float, ...] = ()
    if ellipse is not None:
        if not isinstance(ellipse, list) or len(ellipse) != 3:
            raise LineError("error_ellipse is not an array of three numbers: major, minor, orientation")
        axes = ellipse_number(dict(zip(("major", "minor", "orientation"), ellipse)), "major", "minor", "orientation")
        if not axes:
            raise LineError("error_ellipse has missing values: give major, minor and orientation, or no error_ellipse")
    altitude, uncertainty, geoid, ground = (_height(value, name) for name in HEIGHTS)
    beside = with_heights(axes, altitude, uncertainty, geoid, ground)
    return (latitude, longitude, 0.0 if accuracy is None else accuracy, time_of(value), *beside)


def with_heights(
    ellipse: tuple[float, ...], altitude: float | None, uncertainty: float | None, *others: float | None
) -> tuple[float, ...]:
    """The values beside a fix: its error ellipse, and its heights if it has an altitude."""
    if altitude is None:
        return ellipse
    heights = (math.nan if height is None else height for height in others)
    return (*(ellipse or NO_ELLIPSE), altitude, 0.0 if uncertainty is None else uncertainty, *heights)


def _height(value: dict[str, Any], name: str) -> float | None:
    """A height, or None if it is missing. A member that is not a number is not a height, because objects of other
    programs may have a member of the same name."""
    found = value.get(name)
    try:
        number = math.nan if isinstance(found, bool) or not isinstance(found, int | float) else float(found)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def ellipse_number(value: dict[str, Any], *names: str) -> tuple[float, ...]:
    """The named members as an error ellipse, or an empty tuple if a member is missing.

    Raises:
        LineError: A value is not a number, or the engine would refuse the ellipse.
    """
    found = [number_of(value, name) for name in names]
    major, minor, orientation = found
    if major is None or minor is None or orientation is None:
        return ()
    if fault := ellipse_fault(major, minor, orientation):
        raise LineError(f"has an error ellipse {fault}")
    return major, minor, orientation


def report_time(value: dict[str, Any]) -> int | None:
    """The time of a report, or None if the report has no time.

    Raises:
        LineError: The time is invalid.
    """
    return None if value.get("time") is None else time_of(value)


def read_object(line: bytes) -> dict[str, Any] | None:
    """The JSON object of a line, or None for a blank line.

    Raises:
        LineError: The line is neither blank nor a JSON object.
    """
    if not line.strip():
        return None
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise LineError("is not valid JSON") from None
    if not isinstance(value, dict):
        raise LineError("is not a JSON object")
    return value


def report_fix(value: dict[str, Any]) -> FixRow | None:
    """The fix of a TPV report of gpsd, or None if the report has no position or time.

    Raises:
        LineError: The report has invalid values.
    """
    if value.get("mode", 0) not in (2, 3) or "time" not in value:
        return None
    latitude, longitude = number_of(value, "lat"), number_of(value, "lon")
    if latitude is None or longitude is None:
        return None
    accuracy = number_of(value, "eph")
    if accuracy is None:
        east, north = number_of(value, "epx"), number_of(value, "epy")
        accuracy = 0.0 if east is None or north is None else math.hypot(east, north)
    return (latitude, longitude, accuracy, time_of(value), *_report_heights(value))


def _report_heights(value: dict[str, Any]) -> tuple[float, ...]:
    """The heights of a TPV report with a three-dimensional fix: above the ellipsoid, or above mean sea level with the
    height of the geoid."""
    altitude, sea, geoid, uncertainty = (_height(value, name) for name in ("altHAE", "altMSL", "geoidSep", "epv"))
    if value.get("mode") != 3:
        return ()
    if altitude is None and sea is not None and geoid is not None:
        altitude = sea + geoid
    return with_heights((), altitude, uncertainty, geoid, None)


def number_of(value: dict[str, Any], *names: str) -> float | None:
    """Looks up the named members in order; returns the value of the first that exists, or None if none exists.

    Raises:
        LineError: The value is not a number, or is out of range.
    """
    for name in names:
        found = value.get(name)
        if found is not None:
            if isinstance(found, bool) or not isinstance(found, (int, float)):
                raise LineError(f"{name} is not a number")
            try:
                number = float(found)
            except OverflowError:
                number = math.inf
            # The engine refuses a fix with NaN; it would accept an infinite accuracy, but JSON cannot represent that.
            if math.isinf(number):
                raise LineError(f"{name} is out of range")
            return number
    return None


def time_of(value: dict[str, Any]) -> int:
    """The time in the member ``time``, in microseconds since 1970.

    Raises:
        LineError: The member is missing or is not a valid time.
    """
    time = value.get("time")
    try:
        if isinstance(time, str):
            return parse_time(time)
        if isinstance(time, (int, float)) and not isinstance(time, bool):
            return number_time(time)
    except ValueError as error:
        raise LineError(str(error)) from None
    raise LineError("has no time")
