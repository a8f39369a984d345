"""Schedules: the intervals in which a condition is active."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import lru_cache
from itertools import chain

from .._dataclass import dataclass, field
from .._native import InvalidArgumentError
from .._tables.numbers import integer, shown
from .._tables.table import Plain
from .._tables.times import (
    EARLIEST_US,
    EPOCH,
    LATEST_US,
    Time,
    from_us,
    is_time,
    iso_text,
    seconds_to_us,
    to_us,
    us_to_seconds,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    Interval: TypeAlias = str | tuple[Time, Time]

TimingRow = tuple[bytes | None, int, int, int, int, int]
MOST_INTERVALS = 10_000
"""The largest number of intervals of one schedule."""

_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_SECOND = 1_000_000
_YEAR_OF_DAYS = 366
_LONGEST = 10**15
_MOST = 2**32 - 1
_MOST_REPEATS = 1_000_000
_FOREVER = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Schedule(Plain):
    """The intervals in which a condition is active. Outside them, the state of the condition is unknown, and it causes
    no events.

    An interval contains its start, but not its end. Intervals that touch are one interval.

    Args:
        intervals: At most 10,000 disjoint intervals, in order. An interval is a pair of times, or a text in ISO 8601
            with offsets from UTC: ``"2026-03-02T08:00+01:00/2026-03-02T12:00+01:00"``. Without intervals, the condition
            is never active.
        until: The time up to which the schedule is known (also as a text), or None if the intervals are all there are.
            No interval ends after `until`. From then on, the condition has the flag ``schedule_ended``.

    Raises:
        InvalidArgumentError: A time is invalid, an interval is empty, or intervals overlap or are not in order.
        TypeError: A value has the wrong type; the message names the value.

    Example:
        >>> shift = Schedule(["2026-03-02T08:00+01:00/2026-03-02T12:00+01:00"])
        >>> print(shift.intervals[0][0])
        2026-03-02 07:00:00+00:00
    """

    intervals_us: tuple[tuple[int, int], ...]
    until_us: int | None
    _edges: bytes = field(init=False, repr=False, compare=False)
    """The intervals in the form that the native module reads; many conditions share one schedule."""

    def __init__(self, intervals: Iterable[Interval], *, until: Time | str | None = None) -> None:
        if isinstance(intervals, str):
            raise TypeError(f"intervals: {shown(intervals)} is one text; must be a list of intervals")
        limit = (
            None if until is None else _parsed(until, "until") if isinstance(until, str) else _instant(until, "until")
        )
        object.__setattr__(self, "intervals_us", _checked(intervals, limit))
        object.__setattr__(self, "until_us", limit)
        object.__setattr__(self, "_edges", array("q", chain.from_iterable(self.intervals_us)).tobytes())

    @classmethod
    def _from_edges(cls, edges: bytes, until: int | None) -> Schedule:
        """Returns the schedule of intervals that the engine has checked, in the form that the native module reads."""
        numbers = array("q", edges)
        schedule = object.__new__(cls)
        object.__setattr__(schedule, "intervals_us", tuple(zip(numbers[::2], numbers[1::2])))
        object.__setattr__(schedule, "until_us", until)
        object.__setattr__(schedule, "_edges", edges)
        return schedule

    @property
    def intervals(self) -> tuple[tuple[datetime, datetime], ...]:
        """The intervals as pairs of aware datetimes in UTC."""
        return tuple((_datetime(start), _datetime(end)) for start, end in self.intervals_us)

    @property
    def until(self) -> datetime | None:
        """The time up to which the schedule is known; None if the intervals are all there are."""
        return from_us(self.until_us)

    def is_active(self, at: Time) -> bool:
        """Whether a time lies in an interval."""
        instant = to_us(at)
        return any(start <= instant < end for start, end in self.intervals_us)

    def texts(self) -> list[str]:
        """The intervals in ISO 8601, as a file of conditions contains them in the property ``active``."""
        return [f"{iso_text(start)}/{iso_text(end)}" for start, end in self.intervals]

    def to_dict(self) -> dict[str, Any]:
        """The intervals and `until` as texts in ISO 8601."""
        return {"intervals": self.texts(), "until": None if self.until is None else iso_text(self.until)}

    @classmethod
    def weekly(
        cls,
        hours: Mapping[str, str | Iterable[str]],
        tz: str | tzinfo,
        *,
        start: date | None = None,
        until: date | None = None,
    ) -> Schedule:
        """The intervals of a weekly timetable, from the beginning of the day `start` to the beginning of the day
        `until`.

        The times are local. An interval that ends earlier than it begins, such as ``22:00-06:00``, ends on the next day
        and belongs to its first day. When clocks are changed, a local time may not exist: it then means the moment of
        the change. If a local time comes twice, an interval begins at the first and ends at the second. Intervals that
        overlap are joined.

        Args:
            hours: The intervals of each day. A key is a day (``"mon"``), a range (``"mon-fri"``, ``"sat-mon"``), or
                several with commas (``"mon,wed,fri"``). A value is an interval (``"08:00-12:00"``) or a list of them;
                an end may be ``24:00``.
            tz: The name of a time zone, such as ``"Europe/Zurich"``, or a `tzinfo`.
            start: The first day. Default: today. State it in a program that must give the same result every day.
            until: The day after the last day. Default: a year (366 days) after `start`.

        Raises:
            InvalidArgumentError: `hours` or `tz` is invalid, or there are more than 10,000 intervals.
            TypeError: A value has the wrong type; the message names the value.

        Example:
            >>> from datetime import date
            >>> open = Schedule.weekly(
            ...     {"mon-fri": ["08:00-12:00", "13:00-17:00"]}, tz="Europe/Zurich", start=date(2026, 3, 2),
            ...     until=date(2026, 3, 9),
            ... )
            >>> len(open.intervals_us)
            10
        """
        zone = _zone(tz)
        timetable = _timetable(hours)
        first = datetime.now(zone).date() if start is None else _day(start, "start")
        end = first + timedelta(days=_YEAR_OF_DAYS) if until is None else _day(until, "until")
        if end <= first:
            raise InvalidArgumentError(f"until {end} is not later than start {first}")
        low, high = (_moment(day, 0, zone, is_end=False) for day in (first, end))
        found: list[tuple[int, int]] = []
        for number in range(-1, (end - first).days):  # an interval of the day before may end on the first day
            day = first + timedelta(days=number)
            for begin, close in timetable[day.weekday()]:
                a = max(low, _moment(day, begin, zone, is_end=False))
                b = min(high, _moment(day, close, zone, is_end=True))
                if a < b:
                    found.append((a, b))
        return cls(_joined(found), until=high)


@dataclass(frozen=True, slots=True)
class Timing(Plain):
    """When a condition is active, and which of its events depend on time alone.

    In the zones of a fleet, only shapes and rules have a timing. The fleet must have neither a path, nor another
    delivery than ``every``, nor host capabilities of devices. The values count for each device, and a device begins at
    the fleet's time at which it was added.

    Args:
        active: The schedule, or its intervals. Outside them, the state of the condition is unknown, and it causes no
            events. When an interval starts, the condition is undetermined, as if it was added then: the first fix that
            determines it causes an event even if the state is known, unless it agrees with `assuming`. None means
            always.
        absent_after: Seconds after which a zone that no fix has determined is unsatisfied, with the cause ``timeout``.
            They count from the start of an interval, or from the time when the condition was added. None means never.
        repeat_every: Seconds, at least 1. While the condition is satisfied, an event with the cause ``repeat`` occurs
            at each multiple of this time since the fix that satisfied it. None means no repeats.
        repeat_limit: The largest number of repeats while the condition stays satisfied, at most 1,000,000.
        max_events: The number of events after which the condition is inactive for ever, with the flag ``exhausted``.
            Diagnostic events do not count. None means no limit.

    Raises:
        InvalidArgumentError: A value is out of its range; the message names the value.
        TypeError: A value has the wrong type; the message names the value.

    Example:
        >>> from datetime import date
        >>> hours = Schedule.weekly({"mon-fri": "08:00-17:00"}, tz="Europe/Zurich", start=date(2026, 3, 2))
        >>> Timing(active=hours, absent_after=600).absent_after
        600.0
    """

    active: Schedule | None
    absent_after: float | None
    repeat_every: float | None
    repeat_limit: int
    max_events: int | None

    def __init__(
        self,
        *,
        active: Schedule | Iterable[Interval] | None = None,
        absent_after: float | timedelta | None = None,
        repeat_every: float | timedelta | None = None,
        repeat_limit: int = 1000,
        max_events: int | None = None,
    ) -> None:
        schedule = active if active is None or isinstance(active, Schedule) else Schedule(active)
        limit = _count(repeat_limit, "repeat_limit", _MOST_REPEATS)
        if repeat_every is None and limit != 1000:
            raise InvalidArgumentError("repeat_limit is set without repeat_every; set both")
        object.__setattr__(self, "active", schedule)
        object.__setattr__(self, "absent_after", _seconds_of(absent_after, "absent_after", 1))
        object.__setattr__(self, "repeat_every", _seconds_of(repeat_every, "repeat_every", _SECOND))
        object.__setattr__(self, "repeat_limit", limit)
        object.__setattr__(self, "max_events", None if max_events is None else _count(max_events, "max_events"))

    @classmethod
    def _from_row(cls, row: TimingRow | None) -> Timing | None:
        if row is None:
            return None
        edges, until, absent, repeat, limit, events = row
        return cls(
            active=None if edges is None else _shared_schedule(edges, None if until == _FOREVER else until),
            absent_after=us_to_seconds(absent) if absent else None,
            repeat_every=us_to_seconds(repeat) if repeat else None,
            repeat_limit=limit,
            max_events=events or None,
        )

    def _row(self) -> TimingRow:
        """The values in the form that the native module reads."""
        edges = until = None
        if self.active is not None:
            edges = self.active._edges
            until = self.active.until_us
        absent, repeat = (round((value or 0) * _SECOND) for value in (self.absent_after, self.repeat_every))
        return edges, _FOREVER if until is None else until, absent, repeat, self.repeat_limit, self.max_events or 0


# Many conditions share one schedule, which may have 10,000 intervals, so their records share one object.
_shared_schedule = lru_cache(maxsize=16)(Schedule._from_edges)


def _count(value: int, what: str, most: int = _MOST) -> int:
    number = integer(value, what, 1)
    if number > most:
        raise InvalidArgumentError(f"{what} is {number}; must be at most {most}")
    return number


def _seconds_of(value: float | timedelta | None, what: str, least: int) -> float | None:
    if value is None:
        return None
    number = seconds_to_us(value, what)
    if not least <= number <= _LONGEST:
        raise InvalidArgumentError(f"{what} is {number / _SECOND} seconds; must be from {least / _SECOND} to 1e9")
    return us_to_seconds(number)


def _datetime(time_us: int) -> datetime:
    return EPOCH + timedelta(microseconds=time_us)


def _instant(value: Time, what: str) -> int:
    number = to_us(value, what)
    if not is_time(number):
        raise InvalidArgumentError(f"{what} {shown(number)} is outside year 1 to year 9999")
    return number


def _checked(intervals: Iterable[Interval], until: int | None) -> tuple[tuple[int, int], ...]:
    """Returns the intervals in microseconds, without those that touch the one before."""
    found: list[tuple[int, int]] = []
    for number, interval in enumerate(intervals):
        if number == MOST_INTERVALS:
            raise InvalidArgumentError(f"a schedule has more than {MOST_INTERVALS} intervals; split it at a time")
        place = f"intervals[{number}]"
        start, end = _pair(interval, place)
        if start >= end:
            raise InvalidArgumentError(f"{place} ends at {from_us(end)}; must end after its start {from_us(start)}")
        if found and start < found[-1][1]:
            raise InvalidArgumentError(
                f"{place} starts at {from_us(start)}, before the end {from_us(found[-1][1])} of the interval before; "
                "the intervals must be in order and must not overlap"
            )
        if until is not None and end > until:
            raise InvalidArgumentError(f"{place} ends at {from_us(end)}, after until, {from_us(until)}")
        if found and start == found[-1][1]:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return tuple(found)


def _pair(interval: Interval, place: str) -> tuple[int, int]:
    if isinstance(interval, str):
        start, slash, end = interval.partition("/")
        if not slash:
            raise InvalidArgumentError(f"{place} {shown(interval)} has no '/'; must be START/END in ISO 8601")
        return _parsed(start, place), _parsed(end, place)
    if not isinstance(interval, tuple | list) or len(interval) != 2:
        raise TypeError(f"{place} is {shown(interval)}; must be a pair of times or a text START/END")
    return _instant(interval[0], f"{place} start"), _instant(interval[1], f"{place} end")


def _parsed(text: str, place: str) -> int:
    try:
        value = datetime.fromisoformat(text.strip())
    except ValueError:
        value = None
    if value is None or value.utcoffset() is None:
        raise InvalidArgumentError(
            f"{place}: {shown(text)} is not a time in ISO 8601 with an offset, such as 2026-03-02T08:00+01:00"
        )
    return _instant(value, place)


# Weekly timetables ---------------------------------------------------------------------------------------------------


def _zone(tz: str | tzinfo) -> tzinfo:
    if isinstance(tz, tzinfo):
        return tz
    if not isinstance(tz, str):
        raise TypeError(f"tz is {shown(tz)}; must be the name of a time zone or a tzinfo")
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return ZoneInfo(tz)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InvalidArgumentError(
            f"tz {shown(tz)} is not a known time zone, such as Europe/Zurich; on Windows, install the package tzdata"
        ) from None


def _day(value: date, what: str) -> date:
    if isinstance(value, datetime) or not isinstance(value, date):
        raise TypeError(f"{what} is {shown(value)}; must be a datetime.date")
    if not date(2, 1, 1) <= value <= date(9998, 12, 31):
        raise InvalidArgumentError(f"{what} {value} is outside year 2 to year 9998")
    return value


def _timetable(hours: Mapping[str, str | Iterable[str]]) -> list[list[tuple[int, int]]]:
    """Returns the intervals of each day of the week, in seconds since local midnight. An interval that ends on the next
    day ends after more than 86,400 seconds."""
    if not isinstance(hours, Mapping):
        raise TypeError(f"hours is {shown(hours)}; must be a dict such as {{'mon-fri': '08:00-17:00'}}")
    days: list[list[tuple[int, int]]] = [[] for _ in _DAYS]
    for key, value in hours.items():
        texts = [value] if isinstance(value, str) else list(value)
        intervals = [_hours(text, str(key)) for text in texts]
        for day in _days(key):
            days[day] += intervals
    return days


def _days(key: str) -> list[int]:
    """The numbers of the days that a key names."""
    found: list[int] = []
    for part in str(key).lower().split(","):
        first, dash, last = part.strip().partition("-")
        names = (first.strip(), last.strip() if dash else first.strip())
        if not all(name in _DAYS for name in names):
            raise InvalidArgumentError(
                f"hours: {shown(key)} is not a day or a range of days; must be such as mon, mon-fri, sat,sun"
            )
        begin, end = (_DAYS.index(name) for name in names)
        found += [(begin + step) % 7 for step in range((end - begin) % 7 + 1)]
    if len(set(found)) != len(found):
        raise InvalidArgumentError(f"hours: {shown(key)} names a day twice")
    return found


def _hours(text: str, key: str) -> tuple[int, int]:
    if not isinstance(text, str):
        raise TypeError(f"hours[{key!r}] has {shown(text)}; must be a text such as 08:00-12:00")
    begin, dash, end = text.partition("-")
    try:
        if not dash:
            raise ValueError
        first, last = _seconds(begin.strip()), _seconds(end.strip())
        if first == 86_400:
            raise ValueError
    except ValueError:
        raise InvalidArgumentError(
            f"hours[{key!r}]: {shown(text)} is not an interval; must be such as 08:00-12:00, from 00:00 to 24:00"
        ) from None
    if first == last:
        raise InvalidArgumentError(f"hours[{key!r}]: {shown(text)} is empty; write 00:00-24:00 for a whole day")
    return first, last if last > first else last + 86_400


def _seconds(text: str) -> int:
    """Seconds since midnight of a text HH:MM or HH:MM:SS."""
    if text in ("24:00", "24:00:00"):
        return 86_400
    if len(text) not in (5, 8) or not text.isascii():
        raise ValueError
    clock = time.fromisoformat(text)
    if clock.tzinfo is not None:
        raise ValueError
    return clock.hour * 3_600 + clock.minute * 60 + clock.second


def _moment(day: date, seconds: int, zone: tzinfo, *, is_end: bool) -> int:
    """Converts a local time to microseconds. A time that does not exist is the moment of the change; of a time that
    comes twice, a start takes the first and an end takes the second."""
    local = datetime.combine(day, time()) + timedelta(seconds=seconds)
    early, late = (_utc(local.replace(tzinfo=zone, fold=fold)) for fold in (0, 1))
    if early <= late:  # the time comes once or twice; between the two instants it comes no third time
        return _us(late if is_end else early)
    return _us(_change(late, early, zone))


def _utc(value: datetime) -> datetime:
    offset = value.utcoffset()
    if offset is None:
        raise InvalidArgumentError(f"tz {shown(value.tzinfo)} has no offset from UTC at {value.replace(tzinfo=None)}")
    return (value.replace(tzinfo=None) - offset).replace(tzinfo=UTC)


def _us(value: datetime) -> int:
    return min(max(to_us(value), EARLIEST_US), LATEST_US)


def _change(before: datetime, after: datetime, zone: tzinfo) -> datetime:
    """The first second at which the offset of a zone is not the same as at `before`."""
    offset = before.astimezone(zone).utcoffset()
    low, high = 0, int((after - before).total_seconds())
    while high - low > 1:
        middle = (low + high) // 2
        same = (before + timedelta(seconds=middle)).astimezone(zone).utcoffset() == offset
        low, high = (middle, high) if same else (low, middle)
    return before + timedelta(seconds=high)


def _joined(intervals: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Joins intervals that overlap or touch."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(intervals):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found
