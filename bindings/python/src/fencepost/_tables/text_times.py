"""Times in files and on the command line. By default a time without a zone is UTC, as in most files. If only some
times of a source state a zone, the others may be local times, so the source is refused unless the caller states their
zone."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from decimal import Decimal, InvalidOperation
from typing import Any

from .._errors import Advice, InputError
from .._native import InvalidArgumentError
from .numbers import short, shown
from .times import is_time, to_us

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_DAY_FIRST = re.compile(r"(\d{1,2}):(\d{2}):(\d{2})(?:\.(\d{1,6})\d*)? (\d{1,2})-([A-Za-z]{3})-(\d{4})")
_NUMBER = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?")
_DATE = re.compile(
    r"""
    (?: (?P<year>\d{4}) [/.] (?P<m>\d{1,2}) [/.] (?P<d>\d{1,2})
      | (?P<first>\d{1,2}) (?P<by>[/.]) (?P<second>\d{1,2}) [/.] (?P<last>\d{4}) )
    (?: (?:,?[ ]+|T) (?P<hour>\d{1,2}) : (?P<minute>\d{2}) (?: : (?P<second_of>\d{2}) (?:[.,](?P<fraction>\d+))? )?
        (?: [ ]? (?P<half>[AaPp]) \.? [Mm] \.? )? )?
    [ ]? (?P<zone> [Zz] | [+-]\d{2}:?\d{2} )?
    """,
    re.VERBOSE,
)
"""A date with slashes or dots, optionally with a time."""
_OFFSET = re.compile(r"(?:UTC|GMT)?([+-])(\d{1,2}):?(\d{2})?")
_LEAP_SECOND = re.compile(r"(?:(?<=[T ]\d\d:59:)|(?<=T\d\d59))60(?:[.,]\d+)?")
"""Matches the seconds value 60 in an ISO 8601 text. Python's clock has no second 60, so such a time becomes the last
microsecond before it, which keeps rows in order."""
SECONDS_BELOW, MILLISECONDS_BELOW, MICROSECONDS_BELOW = 10**11, 10**14, 10**17
"""A number without a unit counts as seconds since 1970 if it is below the first limit, as milliseconds if below the
second, as microseconds if below the third, and otherwise as nanoseconds. 10**11 seconds, 10**14 milliseconds and 10**17
microseconds after 1970 are the same time, in the year 5138."""
UNITS = {"s": Decimal(1_000_000), "ms": Decimal(1000), "us": Decimal(1), "ns": Decimal("0.001")}
DATE_ORDER = Advice("choose the order with date_order='dmy' or 'mdy'", "choose the order with --date-order dmy or mdy")
TIME_ZONE = Advice(
    "or state the zone of times without one, such as time_zone='UTC' or 'Europe/Berlin'",
    "or state the zone of times without one, such as --time-zone UTC or Europe/Berlin",
)
ORDERS = ("dmy", "mdy")
"""The possible orders of a date: ``dmy`` (day, month, year) and ``mdy`` (month, day, year)."""


class UnclearTimeError(ValueError):
    """A time has several meanings. `advice` names the option that selects one of them, if there is one."""

    def __init__(self, reason: str, advice: Advice | None) -> None:
        super().__init__(reason)
        self.advice = advice


def advice_of(error: ValueError) -> Advice | None:
    """The advice of an error that a time caused, or None."""
    return getattr(error, "advice", None)


class TimeStyle:
    """The rules for reading incomplete times of one source.

    Attributes:
        zone: The zone for times without a zone; UTC by default.
        order: The order of day and month in dates such as ``05/04/2024``, one of :data:`ORDERS`; if it is empty,
            ambiguous dates are refused.
        doubt: A description of the first time that occurs twice or never on the zone's clocks; empty if no such time
            has been read so far.
        has_options: True if the caller can set the zone and the order, so that messages name these options.
    """

    __slots__ = ("_first", "_given", "doubt", "has_options", "order", "zone")

    def __init__(self, zone: tzinfo | None = None, order: str = "", has_options: bool = True) -> None:
        self._given, self.zone, self.order, self.doubt, self.has_options = zone, zone or UTC, order, "", has_options
        self._first: tuple[bool, str] | None = None

    def of_source(self) -> TimeStyle:
        """Returns the same rules for another source."""
        return TimeStyle(self._given, self.order, self.has_options)

    @property
    def is_plain(self) -> bool:
        """True if times without a zone are UTC and ambiguous dates are refused."""
        return self.zone is UTC and not self.order

    def placed(self, when: datetime) -> datetime:
        """Returns the time with a zone: its own zone if it has one, otherwise `zone`.

        Raises:
            UnclearTimeError: The caller has not stated a zone, and only some times of the source have one.
        """
        has_zone = when.utcoffset() is not None
        if self._given is None:
            self.check(has_zone, when.isoformat)
        if has_zone:
            return when
        when = when.replace(tzinfo=self.zone)
        if not self.doubt and when.utcoffset() != when.replace(fold=1).utcoffset():
            self.doubt = (
                f"{when:%Y-%m-%d %H:%M:%S} occurs twice, or does not exist, in the time zone {self.zone}; "
                "it is read with the offset before the clock change"
            )
        return when

    def check(self, has_zone: bool, text: Callable[[], str]) -> None:
        """Checks that either all times of the source have a zone or all lack one.

        Raises:
            UnclearTimeError: The caller has not stated a zone, and a previous time differs in this.
        """
        if self._given is not None or (self._first is not None and self._first[0] is has_zone):
            return
        if self._first is None:
            self._first = has_zone, text()
            return
        own, other = ("a", "none") if has_zone else ("no", "one")
        reason = (
            f"{text()} has {own} time zone, but {self._first[1]} before it has {other}: end all times with Z or +02:00"
        )
        raise UnclearTimeError(reason, self.advice(TIME_ZONE))

    def advice(self, advice: Advice) -> Advice | None:
        """Returns the advice if the caller can follow it."""
        return advice if self.has_options else None


PLAIN_TIMES = TimeStyle(UTC, has_options=False)
"""The rules for single times: a time without a zone is UTC."""


def time_zone(text: str) -> tzinfo:
    """Returns the time zone that has a given name (``Europe/Berlin``, ``UTC``) or offset (``+02:00``).

    Raises:
        ValueError: No such zone exists, or it is missing from this machine's time zone data.
    """
    if text.upper() in ("UTC", "Z", "GMT"):
        return UTC
    if offset := _OFFSET.fullmatch(text):
        sign, hours, minutes = offset.groups()
        if int(hours) < 24 and int(minutes or 0) < 60:
            return timezone((-1 if sign == "-" else 1) * timedelta(hours=int(hours), minutes=int(minutes or 0)))
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(text)
    except (KeyError, ValueError, OSError):
        raise ValueError(f"{text!r} is not a time zone such as Europe/Berlin, UTC or +02:00") from None


def time_style(zone: str | tzinfo | None, order: str = "") -> TimeStyle:
    """Converts a caller's `zone` and `order` to a style for reading times.

    Raises:
        InvalidArgumentError: The zone or the order does not exist.
    """
    if order and order not in ORDERS:
        raise InvalidArgumentError(f"date_order {order!r} is not one of {', '.join(ORDERS)}")
    if zone is not None and not isinstance(zone, str | tzinfo):
        raise TypeError(f"time_zone must be a str or a tzinfo, not {type(zone).__name__}")
    try:
        return TimeStyle(time_zone(zone) if isinstance(zone, str) else zone, order)
    except ValueError as error:
        raise InvalidArgumentError(f"time_zone {error}") from None


def parse_time(text: str, unit: str | None = None, style: TimeStyle = PLAIN_TIMES) -> int:
    """Converts a text to microseconds since 1970.

    Accepted formats: ISO 8601 (``2024-05-01T12:00:00Z``; a space instead of T is allowed, zone and fraction are
    optional); ``HH:MM:SS DD-Mon-YYYY``; dates with slashes (``2024/05/01 12:00``; ``25/12/2024 6:30 PM``, refused if
    day and month are ambiguous and `style` has no order); dates with dots (``25.12.2024``, day first); and numbers
    since 1970. `unit` is the unit of a number (s, ms, us, ns). If there is no unit, the size of a number determines its
    unit: seconds below 1e11, milliseconds below 1e14, microseconds below 1e17, and nanoseconds from 1e17 on. A leap
    second (``23:59:60``) becomes the last microsecond of its minute.

    Raises:
        ValueError: The text has none of the accepted formats; the message says what is wrong.
    """
    text = text.strip()
    if _NUMBER.fullmatch(text):
        return number_time(Decimal(text), unit)
    day_first = _DAY_FIRST.fullmatch(text)
    try:
        if day_first:
            when = _day_first(day_first)
        elif len(text) > 4 and (date := _DATE.fullmatch(text)):
            when = _slashed(date, style.order)
        else:
            when = datetime.fromisoformat(_LEAP_SECOND.sub("59.999999", text))
    except _AmbiguousError:
        raise UnclearTimeError(f"{shown(text)} may be day/month or month/day", style.advice(DATE_ORDER)) from None
    except ValueError:
        raise ValueError(f"{shown(text)} is not a time (expected ISO 8601, for example 2024-05-01T12:00:00Z)") from None
    time = to_us(style.placed(when))
    if not is_time(time):
        raise ValueError(f"{shown(text)} is not a time: outside year 1 to year 9999")
    return time


class _AmbiguousError(ValueError):
    """A date whose day and month are ambiguous."""


def _slashed(match: re.Match[str], order: str) -> datetime:
    parts = match.groupdict()
    if parts["year"]:
        year, month, day = int(parts["year"]), int(parts["m"]), int(parts["d"])
    else:
        first, second, year = int(parts["first"]), int(parts["second"]), int(parts["last"])
        if parts["by"] == ".":
            order = order or "dmy"
        if not order and first <= 12 and second <= 12 and first != second:
            raise _AmbiguousError
        day, month = (first, second) if order == "dmy" or (not order and first > 12) else (second, first)
    hour = int(parts["hour"] or 0)
    if parts["half"]:
        if not 1 <= hour <= 12:
            raise ValueError(hour)
        hour = hour % 12 + (12 if parts["half"] in "pP" else 0)
    microsecond = int((parts["fraction"] or "0")[:6].ljust(6, "0"))
    when = datetime(year, month, day, hour, int(parts["minute"] or 0), int(parts["second_of"] or 0), microsecond)
    return when if parts["zone"] is None else when.replace(tzinfo=time_zone(parts["zone"].upper()))


def unit_of(number: Decimal | int) -> str:
    """The unit of a time since 1970, judged by the size of the number."""
    size = -number if number < 0 else number
    if size < MILLISECONDS_BELOW:
        return "s" if size < SECONDS_BELOW else "ms"
    return "us" if size < MICROSECONDS_BELOW else "ns"


def unit_of_all(numbers: Sequence[int]) -> str | None:
    """The unit of all times, judged by their size; None if the times do not all have the same unit."""
    least, greatest = min(numbers, default=0), max(numbers, default=0)
    smallest = 0 if least < 0 < greatest else greatest  # of negative numbers, the greatest is closest to 0
    units = {unit_of(least), unit_of(greatest), unit_of(smallest)}
    return units.pop() if len(units) == 1 and least > -1 << 63 else None


def number_time(value: Decimal | int | float, unit: str | None = None) -> int:
    """Converts a number to microseconds; see :func:`parse_time`."""
    try:
        number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
        if not number.is_finite():
            raise InvalidOperation
    except InvalidOperation:
        raise ValueError(f"{short(str(value))} is not a time") from None
    if unit is None:
        unit = unit_of(number)
    if abs(number) > Decimal("1e21") or not is_time(time := round(number * UNITS[unit])):
        raise ValueError(f"{short(str(value))} is not a time: outside year 1 to year 9999")
    return time


def _day_first(match: re.Match[str]) -> datetime:
    hour, minute, second, fraction, day, month, year = match.groups()
    if month.lower() not in _MONTHS:
        raise ValueError(month)
    microsecond = int((fraction or "0").ljust(6, "0"))
    number = _MONTHS.index(month.lower()) + 1
    return datetime(int(year), number, int(day), int(hour), int(minute), int(second), microsecond)


def unit_time(value: int, unit: str | None, row: int, source: str) -> int:
    """Converts an integer to microseconds; if there is no unit, the size of the integer determines the unit."""
    unit = unit or unit_of(value)
    time = value // 1000 if unit == "ns" else value * int(UNITS[unit])
    if not is_time(time):
        raise InputError.of_row(source, row, f"time {value} is outside year 1 to year 9999")
    return time


def value_time(value: Any, unit: str | None, name: str, row: int, source: str, style: TimeStyle = PLAIN_TIMES) -> int:
    """Converts a datetime, a text or a number to microseconds."""
    if hasattr(value, "item"):
        value = value.item()
    try:
        if isinstance(value, datetime):
            return to_us(style.placed(value))
        if isinstance(value, str):
            return parse_time(value, unit, style)
        if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
            return number_time(value, unit)
    except ValueError as error:
        raise InputError.of_row(source, row, f"time (column {name!r}): {error}", advice_of(error)) from None
    raise InputError.of_row(source, row, f"time {value!r} (column {name!r}) is a {type(value).__name__}, not a time")
