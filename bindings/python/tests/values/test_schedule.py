"""Tests of schedules. Weekly timetables are compared with an expansion that only reads the clock of the zone, minute by
minute: a local time begins when the clock first shows it or a later time, and ends when the clock last does."""

from __future__ import annotations

import json
import random
from datetime import UTC, date, datetime, timedelta, timezone
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from fencepost import Schedule, Timing
from fencepost.errors import InvalidArgumentError

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
MINUTE = timedelta(minutes=1)
WEEKS = {  # a zone, and a day near a change of its clocks
    "spring in Zurich": ("Europe/Zurich", date(2026, 3, 29)),
    "autumn in Zurich": ("Europe/Zurich", date(2026, 10, 25)),
    "spring in New York": ("America/New_York", date(2024, 3, 10)),
    "autumn in New York": ("America/New_York", date(2024, 11, 3)),
    "half an hour on Lord Howe": ("Australia/Lord_Howe", date(2026, 4, 5)),
    "half an hour less on Lord Howe": ("Australia/Lord_Howe", date(2026, 10, 4)),
    "a midnight that does not exist": ("America/Sao_Paulo", date(2018, 11, 4)),
    "a midnight that comes twice": ("America/Sao_Paulo", date(2018, 2, 18)),
    "a change a minute after midnight": ("America/St_Johns", date(2006, 10, 29)),
    "two hours at Troll": ("Antarctica/Troll", date(2026, 3, 29)),
    "Ramadan in Casablanca": ("Africa/Casablanca", date(2026, 2, 15)),
    "a leap day": ("Asia/Kathmandu", date(2024, 2, 29)),
    "no leap day in 1900": ("UTC", date(1900, 2, 28)),
}


def read_minutes(zone: ZoneInfo, first: date, last: date) -> list[tuple[datetime, datetime]]:
    """Every minute from a day before `first` to two days after `last`, in UTC, and what the clock shows then."""
    now = datetime(first.year, first.month, first.day, tzinfo=UTC) - timedelta(days=2)
    end = datetime(last.year, last.month, last.day, tzinfo=UTC) + timedelta(days=3)
    minutes = []
    while now < end:
        minutes.append((now, now.astimezone(zone).replace(tzinfo=None)))
        now += MINUTE
    return minutes


def expansion(
    timetable: list[list[tuple[int, int]]], zone: ZoneInfo, first: date, end: date
) -> list[tuple[datetime, datetime]]:
    """The intervals of a timetable, whose times are minutes of the day."""
    minutes = read_minutes(zone, first, end)

    def begins(day: date, minute: int) -> datetime:
        local = datetime(day.year, day.month, day.day) + timedelta(minutes=minute)
        return next(now for now, shown in minutes if shown >= local)

    def ends(day: date, minute: int) -> datetime:
        local = datetime(day.year, day.month, day.day) + timedelta(minutes=minute)
        return next(after for (_, before), (after, _) in reversed(list(pairwise(minutes))) if before < local)

    low, high = begins(first, 0), begins(end, 0)
    active: set[datetime] = set()
    day = first - timedelta(days=1)
    while day < end:
        for start, stop in timetable[day.weekday()]:
            now, until = max(begins(day, start), low), min(ends(day, stop if stop > start else stop + 1440), high)
            while now < until:
                active.add(now)
                now += MINUTE
        day += timedelta(days=1)
    found: list[tuple[datetime, datetime]] = []
    for now in sorted(active):
        if found and found[-1][1] == now:
            found[-1] = (found[-1][0], now + MINUTE)
        else:
            found.append((now, now + MINUTE))
    return found


def written(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("week", WEEKS)
def test_a_week_is_what_the_clock_shows(week: str, seed: int) -> None:
    name, middle = WEEKS[week]
    source = random.Random(f"{week} {seed}")
    times = [0, 1, 30, 60, 90, 119, 120, 121, 135, 150, 180, 185, 360, 480, 720, 1020, 1320, 1380, 1410, 1439]
    timetable: list[list[tuple[int, int]]] = []
    hours = {}
    for day in DAYS:
        pairs = [tuple(source.sample(times, 2)) for _ in range(source.choice([0, 1, 2, 4]))]
        if source.random() < 0.2:
            pairs.append((source.choice(times), 1440))
        timetable.append(pairs)  # type: ignore[arg-type]
        hours[day] = [f"{written(start)}-{written(stop)}" for start, stop in pairs]
    first = middle - timedelta(days=source.randrange(1, 3))
    end = middle + timedelta(days=source.randrange(1, 3))
    schedule = Schedule.weekly(hours, name, start=first, until=end)
    assert list(schedule.intervals) == expansion(timetable, ZoneInfo(name), first, end)


def test_a_day_that_does_not_exist() -> None:
    schedule = Schedule.weekly({"fri": "08:00-12:00"}, "Pacific/Apia", start=date(2011, 12, 28), until=date(2012, 1, 3))
    assert schedule.intervals == ()  # Samoa had no 30 December 2011, which was a Friday
    whole = Schedule.weekly(
        {"mon-sun": "00:00-24:00"}, "Pacific/Apia", start=date(2011, 12, 28), until=date(2012, 1, 3)
    )
    assert len(whole.intervals) == 1


def test_the_examples_of_the_definition() -> None:
    zone, utc = "Europe/Zurich", UTC
    spring = Schedule.weekly({"sun": "02:30-04:00"}, zone, start=date(2026, 3, 29), until=date(2026, 3, 30))
    assert spring.intervals == ((datetime(2026, 3, 29, 1, tzinfo=utc), datetime(2026, 3, 29, 2, tzinfo=utc)),)
    nothing = Schedule.weekly({"sun": "02:10-02:50"}, zone, start=date(2026, 3, 29), until=date(2026, 3, 30))
    assert nothing.intervals == ()
    autumn = Schedule.weekly({"sun": "02:30-02:45"}, zone, start=date(2026, 10, 25), until=date(2026, 10, 26))
    assert autumn.intervals == ((datetime(2026, 10, 25, 0, 30, tzinfo=utc), datetime(2026, 10, 25, 1, 45, tzinfo=utc)),)
    night = Schedule.weekly({"fri": "22:00-06:00"}, zone, start=date(2026, 3, 2), until=date(2026, 3, 9))
    assert night.intervals == ((datetime(2026, 3, 6, 21, tzinfo=utc), datetime(2026, 3, 7, 5, tzinfo=utc)),)
    leap = Schedule.weekly({"thu": "12:00-13:00"}, zone, start=date(2024, 2, 29), until=date(2024, 3, 1))
    assert leap.intervals[0][0] == datetime(2024, 2, 29, 11, tzinfo=utc)


def test_two_parts_have_the_edges_of_the_whole() -> None:
    """A schedule can be extended day by day: within each part, it says the same as the whole."""
    hours = {"mon-sun": ["22:00-06:00", "05:00-07:30"], "sat": "12:00-24:00"}
    zone, first, end = "Europe/Zurich", date(2026, 3, 20), date(2026, 4, 5)
    whole = Schedule.weekly(hours, zone, start=first, until=end)
    for days in range(1, (end - first).days):
        middle = first + timedelta(days=days)
        left = Schedule.weekly(hours, zone, start=first, until=middle)
        right = Schedule.weekly(hours, zone, start=middle, until=end)
        assert left.until is not None and right.until == whole.until
        assert Schedule([*left.intervals, *right.intervals], until=whole.until) == whole


def test_names_of_days() -> None:
    def days(key: str) -> str:
        found = Schedule.weekly({key: "12:00-13:00"}, "UTC", start=date(2026, 3, 2), until=date(2026, 3, 9))
        return " ".join(DAYS[start.weekday()] for start, _ in found.intervals)

    assert days("mon") == "mon"
    assert days("Mon-Fri") == "mon tue wed thu fri"
    assert days("sat-mon") == "mon sat sun"
    assert days("mon, wed,fri") == "mon wed fri"
    assert days("sun-sat") == " ".join(DAYS)
    for wrong in ("", "monday", "mon-", "mon-fri-sun", "mon,mon", "mon-wed,tue", "weekday"):
        with pytest.raises(InvalidArgumentError, match="hours"):
            days(wrong)


@pytest.mark.parametrize(
    "hours", ["", "8:00-12:00", "08:00", "08:00-08:00", "24:00-06:00", "08:00-25:00", "08:00+01:00-09:00", "08-12"]
)
def test_hours_that_are_none(hours: str) -> None:
    with pytest.raises(InvalidArgumentError, match="mon"):
        Schedule.weekly({"mon": hours}, "UTC", start=date(2026, 3, 2))


def test_other_arguments_of_a_week() -> None:
    hours = {"mon": "08:00-12:00"}
    with pytest.raises(InvalidArgumentError, match="Europe/Zuerich"):
        Schedule.weekly(hours, "Europe/Zuerich", start=date(2026, 3, 2))
    for name in ("", "../passwd", "/etc/passwd", "a\0b"):
        with pytest.raises(InvalidArgumentError, match="tz"):
            Schedule.weekly(hours, name, start=date(2026, 3, 2))
    with pytest.raises(InvalidArgumentError, match="until"):
        Schedule.weekly(hours, "UTC", start=date(2026, 3, 2), until=date(2026, 3, 2))
    with pytest.raises(TypeError, match="start"):
        Schedule.weekly(hours, "UTC", start=datetime(2026, 3, 2))
    with pytest.raises(TypeError, match="tz"):
        Schedule.weekly(hours, 1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="hours"):
        Schedule.weekly(["08:00-12:00"], "UTC")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="hours"):
        Schedule.weekly({"mon": [8]}, "UTC", start=date(2026, 3, 2))  # type: ignore[list-item]
    with pytest.raises(InvalidArgumentError, match="10000 intervals"):
        Schedule.weekly({"mon-sun": hours["mon"]}, "UTC", start=date(2000, 1, 1), until=date(2040, 1, 1))
    year = Schedule.weekly(hours, timezone(timedelta(hours=3)), start=date(2026, 3, 2))
    assert year.until == datetime(2027, 3, 2, 21, tzinfo=UTC)
    assert len(year.intervals) == 53
    assert Schedule.weekly(hours, "UTC").until is not None  # from today


def test_intervals() -> None:
    noon = datetime(2026, 3, 2, 12, tzinfo=UTC)
    pair = (noon, noon + timedelta(hours=1))
    schedule = Schedule([pair, (pair[1], noon + timedelta(hours=2))], until=noon + timedelta(hours=5))
    assert schedule.intervals == ((noon, noon + timedelta(hours=2)),)  # intervals that touch are one
    assert schedule.is_active(noon) and not schedule.is_active(noon + timedelta(hours=2))
    assert schedule == Schedule(schedule.texts(), until=schedule.until)
    assert schedule.texts() == ["2026-03-02T12:00:00Z/2026-03-02T14:00:00Z"]
    assert hash(schedule) == hash(Schedule(schedule.intervals, until=schedule.until))
    text = Schedule(["2026-03-02T13:00+01:00/2026-03-02T14:00:00.000001+01:00"])
    assert text.intervals_us == ((1_772_452_800_000_000, 1_772_456_400_000_001),)
    assert Schedule([]).intervals == () and Schedule([]).until is None


@pytest.mark.parametrize(
    ("intervals", "message"),
    [
        ([(10, 10)], r"intervals\[0\] ends"),
        ([(0, 10), (9, 20)], r"intervals\[1\] starts"),
        ([(20, 30), (0, 10)], r"intervals\[1\] starts"),
        ([(0, 101)], "after until"),
        (["2026-03-02T12:00Z"], "START/END"),
        (["2026-03-02T12:00/2026-03-02T13:00"], "offset"),
        (["noon/2026-03-02T13:00Z"], "noon"),
        ([(0, 1 << 62)], "year 9999"),
    ],
)
def test_intervals_that_are_refused(intervals: list[object], message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        Schedule(intervals, until=100)  # type: ignore[arg-type]


def test_types_that_are_refused() -> None:
    for intervals in ("2026-03-02T12:00Z/2026-03-02T13:00Z", [5], [(1, 2, 3)], [("a", "b")]):
        with pytest.raises(TypeError):
            Schedule(intervals)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match="10000 intervals"):
        Schedule((2 * k, 2 * k + 1) for k in range(10_001))


def test_schedules_and_timings_have_a_json_form() -> None:
    """Timing.to_dict() raised a TypeError, because the field intervals_us is not one time."""
    schedule = Schedule(["2026-03-02T08:00+01:00/2026-03-02T12:00+01:00"], until="2026-03-03T00:00Z")
    form = {"intervals": ["2026-03-02T07:00:00Z/2026-03-02T11:00:00Z"], "until": "2026-03-03T00:00:00Z"}
    assert schedule.to_dict() == form and json.loads(schedule.to_json()) == form
    assert Schedule([]).to_dict() == {"intervals": [], "until": None}
    timing = json.loads(Timing(active=schedule, max_events=3).to_json())
    assert timing["active"] == form and timing["max_events"] == 3
