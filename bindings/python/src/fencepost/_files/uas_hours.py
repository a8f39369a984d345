"""When a UAS geographical zone applies: permanent zones, periods, and weekly schedules whose times have an offset."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time
from typing import Any, NamedTuple

from .._native import InvalidArgumentError
from .._tables.numbers import shown
from .._tables.times import EARLIEST_US, LATEST_US, to_us
from .._values.schedule import MOST_INTERVALS, Schedule, Timing, _day, _joined

_DAYS = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")
_ANY = "ANY"
_DAYLIGHT = {
    "BMCT": "the beginning of the morning civil twilight",
    "SR": "sunrise",
    "SS": "sunset",
    "EECT": "the end of the evening civil twilight",
}
_TIME = re.compile(r"([01]\d|2[0-4]):([0-5]\d)(?::([0-5]\d)(?:[.,]\d{1,9})?)?(Z|[+-](?:0\d|1\d|2[0-3])(?::?[0-5]\d)?)")
_SECOND = 1_000_000
_DAY, _WEEK = 86_400, 604_800
_MONDAY = 4 * _DAY
"""The first Monday after 1970-01-01, in seconds."""


class FieldError(ValueError):
    """A field of a file that cannot be used."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path, self.reason = path, reason


class Window(NamedTuple):
    """The microseconds from and until which weekly schedules without a date are expanded; None: not stated."""

    start: int | None
    end: int | None

    @classmethod
    def of_days(cls, start: date | None, until: date | None) -> Window:
        """From the beginning of a day to the beginning of another (UTC)."""
        first, end = (
            None if given is None else to_us(datetime.combine(_day(given, name), time(tzinfo=UTC)))
            for given, name in ((start, "start"), (until, "until"))
        )
        if first is not None and end is not None and end <= first:
            raise InvalidArgumentError(f"until {until} is not later than start {start}")
        return cls(first, end)


class _Hours(NamedTuple):
    """One entry of a schedule: on these days, so many seconds from a time of the day in an offset from UTC."""

    days: frozenset[int]
    start: int
    """Seconds from local midnight to the start, less the offset."""
    length: int


def timing_of(given: Any, path: str, window: Window, *, says_permanent: bool) -> Timing | None:
    """Returns when a zone applies; None means always.

    Args:
        given: The periods: `applicability` of ED-269 or `limitedApplicability` of ED-318.
        path: The path of the field in the file.
        window: The times for which weekly schedules without dates are expanded.
        says_permanent: True if a period has the field `permanent` (ED-269).

    Raises:
        FieldError: A field cannot be used.
    """
    periods = [] if given is None else as_list(given, path, "a list of periods")
    found: list[tuple[int, int]] = []
    is_always = not periods
    cut: int | None = None
    for index, period in enumerate(periods):
        where = f"{path}[{index}]"
        if not isinstance(period, Mapping):
            raise FieldError(where, f"must be an object, not {shown(period)}")
        start, end = _dates(period, where)
        hours = _schedule(period, where)
        if says_permanent:
            _check_permanent(period, where, start, end, hours)
        if hours is None and start is None and end is None:
            is_always = True
        elif hours is None or _covers_week(hours):
            found.append((EARLIEST_US if start is None else start, LATEST_US if end is None else end))
        else:
            first = window.start if start is None else start
            last = window.end if end is None or (window.end is not None and window.end < end) else end
            if first is None or last is None:
                missing = "start, the first day" if first is None else "until, the day after the last"
                raise FieldError(
                    f"{where}.schedule", f"repeats without a limit of dates; pass {missing} of your tracks"
                )
            if last != end:
                cut = last
            found += _expanded(hours, first, last, f"{where}.schedule")
    joined = _joined(found)
    if is_always or joined == [(EARLIEST_US, LATEST_US)]:
        return None
    if cut is not None and joined and joined[-1][0] <= cut and joined[-1][1] == LATEST_US:
        cut = None  # after the cut, the zone always applies
    if cut is not None:
        joined = [(start, min(end, cut)) for start, end in joined if start < cut]
    try:
        return Timing(active=Schedule(joined, until=cut))
    except InvalidArgumentError as error:
        raise FieldError(path, str(error)) from None


def as_list(value: Any, path: str, needed: str) -> list[Any] | tuple[Any, ...]:
    """Returns a value that must be a list."""
    if not isinstance(value, list | tuple):
        raise FieldError(path, f"must be {needed}, not {shown(value)}")
    return value


def _dates(period: Mapping[str, Any], path: str) -> tuple[int | None, int | None]:
    start = instant(period.get("startDateTime"), f"{path}.startDateTime")
    end = instant(period.get("endDateTime"), f"{path}.endDateTime", is_end=True)
    if start is not None and end is not None and start >= end:
        given = f"{shown(period['endDateTime'])} is not later than startDateTime {shown(period['startDateTime'])}"
        raise FieldError(f"{path}.endDateTime", given)
    return start, end


def instant(value: Any, path: str, *, is_end: bool = False) -> int | None:
    """Returns a date and time in microseconds, or None for null. The end of a day that is written as 23:59:59 is
    midnight, so that two periods have no second between them."""
    if value is None:
        return None
    needed = "a date and time in ISO 8601 with an offset, such as 2026-03-02T08:00:00Z"
    try:
        found = datetime.fromisoformat(value.strip()) if isinstance(value, str) else None
        if found is None or found.utcoffset() is None:
            raise ValueError
        microseconds = to_us(found)
        if is_end and (found.hour, found.minute, found.second) == (23, 59, 59):
            microseconds += _SECOND - found.microsecond
        return min(max(microseconds, EARLIEST_US), LATEST_US)
    except (ValueError, OverflowError):
        raise FieldError(path, f"must be {needed}, not {shown(value)}") from None


def _check_permanent(
    period: Mapping[str, Any], path: str, start: int | None, end: int | None, hours: list[_Hours] | None
) -> None:
    said = period.get("permanent")
    if said not in ("YES", "NO", None):
        raise FieldError(f"{path}.permanent", f"must be YES or NO, not {shown(said)}")
    for name, moment in (("startDateTime", start), ("endDateTime", end)):
        if said == "YES" and moment is not None:
            raise FieldError(f"{path}.{name}", "contradicts permanent YES; remove the date, or write permanent NO")
    if said != "YES" and start is None and end is None and hours is None:
        raise FieldError(path, "says no time; needs permanent YES, startDateTime, endDateTime or schedule")


# Weekly schedules ----------------------------------------------------------------------------------------------------


def _schedule(period: Mapping[str, Any], path: str) -> list[_Hours] | None:
    """Returns the entries of a schedule; None without entries. Some authorities write `dailyPeriod` for `schedule`, and
    an entry without any value."""
    name = "schedule" if period.get("schedule") is not None or period.get("dailyPeriod") is None else "dailyPeriod"
    if period.get(name) is None:
        return None
    found = []
    for index, entry in enumerate(as_list(period[name], f"{path}.{name}", "a list of days with times")):
        where = f"{path}.{name}[{index}]"
        if not isinstance(entry, Mapping):
            raise FieldError(where, f"must be an object, not {shown(entry)}")
        if any(value not in (None, [], ()) for value in entry.values()):
            found.append(_hours(entry, where))
    return found or None


def _hours(entry: Mapping[str, Any], path: str) -> _Hours:
    for name in ("startEvent", "endEvent"):
        event = entry.get(name)
        if event is not None:
            what = _DAYLIGHT.get(event, "") if isinstance(event, str) else ""
            said = f"{shown(event)} ({what})" if what else shown(event)
            reason = (
                f"{said}: times of daylight are not computed; write {name.removesuffix('Event')}Time with an offset"
            )
            raise FieldError(f"{path}.{name}", reason)
    days = entry.get("day")
    names = [days] if isinstance(days, str) else as_list(days, f"{path}.day", f"a list of {', '.join(_DAYS)} or {_ANY}")
    if not names:
        raise FieldError(f"{path}.day", "is empty; must name at least one day, or ANY")
    numbers: set[int] = set()
    for index, name in enumerate(names):
        if not isinstance(name, str) or name not in (*_DAYS, _ANY):
            needed = f"{', '.join(_DAYS)} or {_ANY}"
            raise FieldError(f"{path}.day[{index}]", f"{shown(name)} is not one of {needed}")
        numbers.update(range(7) if name == _ANY else [_DAYS.index(name)])
    start, end = (_clock(entry.get(name), f"{path}.{name}", name == "endTime") for name in ("startTime", "endTime"))
    length = end - start
    if not 0 < length <= _DAY:
        length %= _DAY  # the end is on the next day
    if length == 0:
        raise FieldError(f"{path}.endTime", "is the start; write 00:00Z and 24:00Z for a whole day")
    return _Hours(frozenset(numbers), start, length)


def _clock(value: Any, path: str, is_end: bool) -> int:
    """Returns the seconds from local midnight to a time of the day, less its offset from UTC. The last minute or second
    of a day is its end, so that two days have no time between them."""
    match = _TIME.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        needed = "a time of the day with an offset, such as 08:00:00Z or 08:00+01:00"
        raise FieldError(path, f"must be {needed}, not {shown(value)}")
    hour, minute, second = int(match[1]), int(match[2]), int(match[3] or 0)
    seconds = hour * 3_600 + minute * 60 + second
    if is_end and (hour, minute) == (23, 59) and match[3] in (None, "59"):
        seconds = _DAY
    if seconds > _DAY or (seconds == _DAY and not is_end):
        raise FieldError(
            path,
            f"{shown(value)} is later than 24:00" if is_end else f"{shown(value)} is the end of a day; write 00:00",
        )
    return seconds - _offset(match[4])


def _offset(text: str) -> int:
    if text == "Z":
        return 0
    digits = text[1:].replace(":", "").ljust(4, "0")
    seconds = int(digits[:2]) * 3_600 + int(digits[2:]) * 60
    return -seconds if text[0] == "-" else seconds


def _weekly(hours: list[_Hours]) -> list[tuple[int, int]]:
    """The joined intervals of one week, in seconds since Monday, 00:00 UTC. An interval may begin before or end after
    the week."""
    return _joined(
        [(day * _DAY + each.start, day * _DAY + each.start + each.length) for each in hours for day in each.days]
    )


def _covers_week(hours: list[_Hours]) -> bool:
    week = _weekly(hours)
    around = _joined([(start + turn, end + turn) for turn in (-_WEEK, 0, _WEEK) for start, end in week])
    return any(start <= 0 and end >= _WEEK for start, end in around)


def _expanded(hours: list[_Hours], first: int, last: int, path: str) -> Iterator[tuple[int, int]]:
    """Yields the intervals of a weekly schedule between two instants."""
    week = _weekly(hours)
    count = (last - first) // (_WEEK * _SECOND) * len(week)
    if count > MOST_INTERVALS:
        years = (last - first) // (366 * _DAY * _SECOND)
        reason = f"has {count} intervals in {years} years; at most {MOST_INTERVALS} are supported; shorten the period"
        raise FieldError(path, reason)
    begin = (
        (first // _SECOND - _MONDAY) // _WEEK * _WEEK + _MONDAY - _WEEK
    )  # an interval of the week before may reach in
    while begin * _SECOND < last:
        for start, end in week:
            low, high = max((begin + start) * _SECOND, first), min((begin + end) * _SECOND, last)
            if low < high:
                yield low, high
        begin += _WEEK
