"""Exact conversion between datetime and integer microseconds since 1970-01-01T00:00:00Z."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from math import isfinite

from .._native import InvalidArgumentError
from .numbers import real, shown, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, SupportsIndex, TypeAlias

    Time: TypeAlias = datetime | SupportsIndex
else:
    Time = datetime | int
"""An instant: an aware datetime, or integer microseconds since 1970-01-01T00:00:00Z."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_LARGEST = 1 << 63


MICROSECONDS = {
    "W": (604_800_000_000, 1),
    "D": (86_400_000_000, 1),
    "h": (3_600_000_000, 1),
    "m": (60_000_000, 1),
    "s": (1_000_000, 1),
    "ms": (1_000, 1),
    "us": (1, 1),
    "ns": (1, 1_000),
    "ps": (1, 1_000_000),
    "fs": (1, 1_000_000_000),
    "as": (1, 1_000_000_000_000),
}
"""The length of each NumPy time unit in microseconds, as a fraction."""


def to_us(value: Time, what: str = "time") -> int:
    """Converts an instant to microseconds, with exact integer arithmetic.

    NumPy's ``datetime64`` and pandas times without a zone count as UTC, as in columns; fractions of a microsecond are
    rounded down.
    """
    if isinstance(value, datetime):
        if value != value:
            raise InvalidArgumentError(f"{what} is NaT; must be a time")
        if value.utcoffset() is None:
            localize = getattr(value, "tz_localize", None)  # pandas.Timestamp
            if localize is None:
                way_out = "add a time zone, for example tzinfo=timezone.utc"
                raise InvalidArgumentError(f"{what} {value.isoformat()} is a naive datetime; {way_out}")
            value = localize("UTC")
        since: timedelta = value - EPOCH  # type: ignore[operator]
        return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
    if getattr(getattr(value, "dtype", None), "kind", "") == "M" and getattr(value, "shape", None) == ():
        return _of_datetime64(value, what)
    number = whole(value, what, "an aware datetime or int microseconds")
    if not -_LARGEST < number < _LARGEST:
        raise InvalidArgumentError(f"{what} {shown(number)} is outside year 1 to year 9999")
    return number


def _of_datetime64(value: Any, what: str) -> int:
    unit = value.dtype.str[4:-1]  # "<M8[25ns]"
    if unit.endswith(("Y", "M")):  # years and months vary in length, so convert them to days first
        value, unit = value.astype("datetime64[D]"), "D"
    name = unit.lstrip("0123456789")
    ticks = int(value.astype("int64"))
    if name not in MICROSECONDS or ticks == -_LARGEST:
        raise InvalidArgumentError(f"{what} is NaT; must be a time")
    multiplier, divisor = MICROSECONDS[name]
    number = ticks * int(unit[: len(unit) - len(name)] or 1) * multiplier // divisor
    if not -_LARGEST < number < _LARGEST:
        raise InvalidArgumentError(f"{what} {shown(value)} is outside year 1 to year 9999")
    return number


SMALLEST_SECONDS, LARGEST_SECONDS = 1_000_000_000, 2_500_000_000
"""The range of seconds since 1970 that lie in the years 2001 to 2049."""


def likely_unit(time: object) -> tuple[str, int] | None:
    """The likely unit of an int that was passed as microseconds, and how many microseconds that unit has. The unit is
    seconds or milliseconds if, in that unit, the time lies in the years 2001 to 2049; otherwise the result is None."""
    if isinstance(time, int):
        if SMALLEST_SECONDS <= time <= LARGEST_SECONDS:
            return "seconds", 1_000_000
        if SMALLEST_SECONDS * 1000 <= time <= LARGEST_SECONDS * 1000:
            return "milliseconds", 1000
    return None


EARLIEST_US, LATEST_US = -62_135_596_800_000_000, 253_402_300_799_999_999
"""The years 1 to 9999, the range of Python's datetime."""


def is_time(time_us: int) -> bool:
    """True if a Python datetime can represent this number of microseconds."""
    return EARLIEST_US <= time_us <= LATEST_US


def from_us(value: int | None) -> datetime | None:
    """The aware UTC datetime of an instant, or None."""
    return None if value is None else EPOCH + timedelta(microseconds=value)


def time_text(value: datetime) -> str:
    """A time in UTC that people can read: ``2024-05-01 12:00:00``, with a fraction only if it is not zero.

    In files, times are written in ISO 8601 (:func:`iso_text`).
    """
    text = str(value.astimezone(UTC).replace(tzinfo=None))
    return text.rstrip("0") if "." in text else text


def utc_text(value: datetime | None) -> str:
    """The result of :func:`utc_text` followed by ``UTC``; ``unset`` for None."""
    return "unset" if value is None else f"{time_text(value)} UTC"


def iso_text(value: datetime) -> str:
    """A time in the format that files use: ``2024-05-01T12:00:00Z``."""
    return value.isoformat().replace("+00:00", "Z")


def seconds_to_us(value: float | timedelta, what: str) -> int:
    """Converts a duration in seconds to microseconds, rounded to the nearest microsecond."""
    if isinstance(value, timedelta):
        number = value // _MICROSECOND
    else:
        seconds = real(value, what)
        if not isfinite(seconds):
            raise InvalidArgumentError(f"{what} {seconds} is not finite")
        number = round(seconds * 1_000_000) if abs(seconds) < 1e15 else _LARGEST
    if not -_LARGEST < number < _LARGEST:
        raise InvalidArgumentError(f"{what} {shown(value)} is out of range")
    return number


def us_to_seconds(value: int) -> float:
    """Converts a duration in microseconds to seconds."""
    return value / 1_000_000
