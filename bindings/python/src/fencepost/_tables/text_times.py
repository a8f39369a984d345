"""Times as they stand in files and on the command line. A time without zone is UTC there, as most files mean it."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from .._errors import InputError
from .times import to_us

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_DAY_FIRST = re.compile(r"(\d{1,2}):(\d{2}):(\d{2})(?:\.(\d{1,6})\d*)? (\d{1,2})-([A-Za-z]{3})-(\d{4})")
_NUMBER = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?")
UNITS = {"s": Decimal(1_000_000), "ms": Decimal(1000), "us": Decimal(1), "ns": Decimal("0.001")}


def parse_time(text: str, unit: str | None = None) -> int:
    """Microseconds of a time.

    Understood are ISO 8601 (``2024-05-01T12:00:00Z``, with a blank for the T, with or without zone and fraction),
    ``HH:MM:SS DD-Mon-YYYY``, and numbers: in `unit` (s, ms, us, ns) since 1970, or, where there is none, seconds below
    1e11, milliseconds below 1e14, microseconds above.

    Raises:
        ValueError: None of these; the text says so.
    """
    text = text.strip()
    if _NUMBER.fullmatch(text):
        return number_time(Decimal(text), unit)
    day_first = _DAY_FIRST.fullmatch(text)
    try:
        when = _day_first(day_first) if day_first else datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a time (expected ISO 8601, for example 2024-05-01T12:00:00Z)") from None
    return to_us(when if when.utcoffset() is not None else when.replace(tzinfo=UTC))


def number_time(value: Decimal | int | float, unit: str | None = None) -> int:
    """Microseconds of a time that is a number; see :func:`parse_time`."""
    try:
        number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
        if not number.is_finite():
            raise InvalidOperation
    except InvalidOperation:
        raise ValueError(f"{value} is not a time") from None
    if unit is None:
        size = abs(number)
        unit = "s" if size < 100_000_000_000 else "ms" if size < 100_000_000_000_000 else "us"
    if abs(number) > Decimal("1e21") or abs(time := round(number * UNITS[unit])) >= 1 << 63:
        raise ValueError(f"{value} is not a time: outside year 1 to year 9999")
    return time


def _day_first(match: re.Match[str]) -> datetime:
    hour, minute, second, fraction, day, month, year = match.groups()
    if month.lower() not in _MONTHS:
        raise ValueError(month)
    microsecond = int((fraction or "0").ljust(6, "0"))
    number = _MONTHS.index(month.lower()) + 1
    return datetime(int(year), number, int(day), int(hour), int(minute), int(second), microsecond)


def unit_time(value: int, unit: str | None, row: int, source: str) -> int:
    """Microseconds of an integer; without a unit by its size."""
    size = abs(value)
    unit = unit or ("s" if size < 100_000_000_000 else "ms" if size < 100_000_000_000_000 else "us")
    time = value // 1000 if unit == "ns" else value * int(UNITS[unit])
    if not -(1 << 63) < time < 1 << 63:
        raise InputError.of_row(source, row, f"time {value} is outside year 1 to year 9999")
    return time


def value_time(value: Any, unit: str | None, name: str, row: int, source: str) -> int:
    """Microseconds of a datetime, a text or a number."""
    if hasattr(value, "item"):
        value = value.item()
    try:
        if isinstance(value, datetime):
            return to_us(value)
        if isinstance(value, str):
            return parse_time(value, unit)
        if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
            return number_time(value, unit)
    except ValueError as error:
        raise InputError.of_row(source, row, f"time (column {name!r}): {error}") from None
    raise InputError.of_row(source, row, f"time {value!r} (column {name!r}) is a {type(value).__name__}, not a time")
