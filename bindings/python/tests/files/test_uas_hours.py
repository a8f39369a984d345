"""Tests when UAS geographical zones apply: permanent zones, periods, and weekly schedules, which are compared with a
minute by minute reading of the schedule."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from uas_documents import DAY, START, WINDOW, ed269, ed318, feature, refusal, rows, zone

from fencepost import Schedule
from fencepost._files.uas_hours import FieldError, Window, timing_of

HOUR = DAY // 24
DAYS = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")
EARLIEST, LATEST = -62_135_596_800_000_000, 253_402_300_799_999_999


def schedule(*periods: Any, is_318: bool = False) -> Schedule | None:
    document = (
        ed318(feature(limitedApplicability=list(periods))) if is_318 else ed269(zone(applicability=list(periods)))
    )
    (row,) = rows(document)
    return None if row.timing is None else row.timing.active


def period(start: str | None = None, end: str | None = None, *entries: Any, **more: Any) -> dict[str, Any]:
    found = {"permanent": "NO", "startDateTime": start, "endDateTime": end, "schedule": list(entries) or None} | more
    return {name: value for name, value in found.items() if value is not None}


def daily(day: Any, start: Any, end: Any, **more: Any) -> dict[str, Any]:
    return {"day": day, "startTime": start, "endTime": end} | more


@pytest.mark.parametrize(
    "periods",
    [
        [{"permanent": "YES"}],
        [],
        [{"permanent": "YES", "startDateTime": None, "dailyPeriod": [{"day": [], "startTime": None, "endTime": None}]}],
        [period("2026-01-01T00:00:00Z"), {"permanent": "YES"}],
        [{"permanent": "YES", "schedule": [daily(["ANY"], "00:00:00Z", "23:59:59Z")]}],
        [{"permanent": "YES", "schedule": [daily(["ANY"], "00:00Z", "12:00Z"), daily("ANY", "12:00Z", "24:00Z")]}],
        [period(None, "2026-01-05T23:59:59Z"), period("2026-01-06T00:00:00Z")],
    ],
)
def test_zones_that_always_apply(periods: Any) -> None:
    assert schedule(*periods) is None


def test_without_limited_applicability_a_zone_always_applies() -> None:
    assert rows(ed318(feature()))[0].timing is None
    assert rows(ed318(feature(limitedApplicability=None)))[0].timing is None
    assert schedule({}, is_318=True) is None


@pytest.mark.parametrize("is_318", [False, True])
def test_periods(is_318: bool) -> None:
    def read(*periods: Any) -> Any:
        return schedule(*periods, is_318=is_318)

    found = read(period("2026-01-05T08:00:00+01:00", "2026-01-06T08:00:00Z"))
    assert found == Schedule(["2026-01-05T07:00Z/2026-01-06T08:00Z"])
    assert found.until_us is None
    assert read(period("2026-01-05T08:00:00Z")).intervals_us == ((START + 4 * DAY + 8 * HOUR, LATEST),)
    assert read(period(None, "2026-01-05T08:00:00Z")).intervals_us == ((EARLIEST, START + 4 * DAY + 8 * HOUR),)
    # The last second of a day belongs to the day, so that the two periods touch.
    both = read(
        period("2026-01-06T00:00:00Z", "2026-01-07T23:59:59.999Z"), period("2026-01-05T00:00Z", "2026-01-05T23:59:59Z")
    )
    assert both == Schedule(["2026-01-05T00:00Z/2026-01-08T00:00Z"])
    assert read(period("2026-01-05T00:00:00Z", "9999-12-31T23:59:59Z")).intervals_us[0][1] == LATEST


def test_a_weekly_schedule_within_dates() -> None:
    found = schedule(
        period("2026-01-05T00:00:00Z", "2026-01-11T23:59:59Z", daily(["MON", "WED"], "08:00:00.00Z", "17:00:00Z"))
    )
    assert found == Schedule(["2026-01-05T08:00Z/2026-01-05T17:00Z", "2026-01-07T08:00Z/2026-01-07T17:00Z"])


def test_a_schedule_without_dates_is_expanded_in_the_window() -> None:
    found = schedule({"permanent": "YES", "schedule": [daily("THU", "08:00Z", "09:00Z")]})
    assert found is not None and found.until_us == WINDOW.end
    assert found.intervals_us == tuple(
        (START + week * 7 * DAY + 8 * HOUR, START + week * 7 * DAY + 9 * HOUR) for week in range(4)
    )
    # The start of a period counts also before the window, and the end of the window before the end of a period.
    found = schedule(period("2025-12-25T00:00:00Z", "2099-01-01T00:00:00Z", daily("THU", "08:00Z", "09:00Z")))
    assert found is not None and found.until_us == WINDOW.end
    assert found.intervals_us[0][0] == START - 7 * DAY + 8 * HOUR and len(found.intervals_us) == 5
    # A period that ends within the window is known completely.
    found = schedule(period(None, "2026-01-10T00:00:00Z", daily("THU", "08:00Z", "09:00Z")))
    assert found is not None and found.until_us is None and len(found.intervals_us) == 2
    # After the window the schedule is not known, although a later period is.
    found = schedule(
        {"permanent": "NO", "schedule": [daily("THU", "08:00Z", "09:00Z")]}, period("2030-01-01T00:00:00Z")
    )
    assert found is not None and found.until_us == WINDOW.end and len(found.intervals_us) == 4
    # A period without an end that begins within the window needs no schedule after it.
    found = schedule({"schedule": [daily("THU", "08:00Z", "09:00Z")]}, period("2026-01-10T00:00:00Z"))
    assert found is not None and found.until_us is None and found.intervals_us[-1] == (START + 9 * DAY, LATEST)


@pytest.mark.parametrize(
    ("given", "window", "missing"),
    [
        (period(None, None, daily("THU", "08:00Z", "09:00Z")), (None, None), "start"),
        (period(None, None, daily("THU", "08:00Z", "09:00Z")), (START, None), "until"),
        (period(None, "2026-01-10T00:00:00Z", daily("THU", "08:00Z", "09:00Z")), (None, START), "start"),
        (period("2026-01-01T00:00:00Z", None, daily("THU", "08:00Z", "09:00Z")), (None, None), "until"),
    ],
)
def test_a_schedule_without_limits_needs_days(given: Any, window: Any, missing: str) -> None:
    """The zones depended on the day on which they were read, and a track of the past silently had no events."""
    with pytest.raises(FieldError, match=missing) as caught:
        timing_of([given], "applicability", Window(*window), says_permanent=True)
    assert caught.value.path == "applicability[0].schedule"


def test_a_schedule_with_dates_needs_no_days() -> None:
    given = period("2026-01-01T00:00:00Z", "2026-01-15T00:00:00Z", daily("THU", "08:00Z", "09:00Z"))
    found = timing_of([given], "applicability", Window(None, None), says_permanent=True)
    assert found is not None and found.active is not None
    assert found.active.until_us is None and len(found.active.intervals_us) == 2


@pytest.mark.parametrize(
    ("start", "end", "begin", "length"),
    [
        ("22:00Z", "06:00Z", 22, 8),
        ("08:00+01:00", "12:00+01:00", 7, 4),
        ("00:30+0100", "12:00+01", -0.5, 11.5),  # on Wednesday in UTC
        ("08:00+01:00", "12:00Z", 7, 5),
        ("00:00Z", "24:00Z", 0, 24),
        ("00:00Z", "23:59Z", 0, 24),
        ("00:00-05:30", "23:59:59.99-05:30", 5.5, 24),
        ("23:00Z", "00:00Z", 23, 1),
        ("00:00Z", "23:59:00Z", 0, 24 - 1 / 60),
    ],
)
def test_times_with_offsets(start: str, end: str, begin: float, length: float) -> None:
    found = schedule(period("2026-01-07T00:00:00Z", "2026-01-10T00:00:00Z", daily(["THU"], start, end)))
    first = START + 7 * DAY + round(begin * HOUR)
    assert found is not None and found.intervals_us == ((first, first + round(length * HOUR)),)


def shown(minute: datetime, entries: Any) -> bool:
    """Whether an entry applies at the minute, as one reads it: on its day, from its start, until its end."""
    for days, start, end, offset in entries:
        local = minute.astimezone(timezone(timedelta(hours=offset)))
        clock = local.hour * 60 + local.minute
        today, yesterday = DAYS[local.weekday()], DAYS[local.weekday() - 1]
        if start < end:
            if today in days and start <= clock < end:
                return True
        elif (today in days and clock >= start) or (yesterday in days and clock < end):
            return True
    return False


@pytest.mark.parametrize("number", range(20))
def test_random_schedules_are_read_minute_by_minute(number: int) -> None:
    draw = random.Random(number)
    entries, given = [], []
    for _ in range(draw.choice([1, 2, 3])):
        days = draw.sample(DAYS, draw.randint(1, 4))
        start, end = draw.sample(range(0, 24 * 60, 15), 2)
        offset = draw.choice([0, 0, 1, -5, 12])
        entries.append((days, start, end, offset))
        zone_text = f"{'-' if offset < 0 else '+'}{abs(offset):02}:00" if offset else "Z"
        clock = [f"{minute // 60:02}:{minute % 60:02}{zone_text}" for minute in (start, end)]
        given.append(daily(days, *clock))
    found = schedule(period("2026-01-04T05:00:00Z", "2026-01-20T19:00:00Z", *given))
    first = datetime(2026, 1, 3, tzinfo=UTC)
    for quarter in range(19 * 24 * 4):
        at = first + timedelta(minutes=15 * quarter)
        inside = datetime(2026, 1, 4, 5, tzinfo=UTC) <= at < datetime(2026, 1, 20, 19, tzinfo=UTC)
        assert (found is None or found.is_active(at)) == (inside and shown(at, entries)), (at, entries)


# Refused -------------------------------------------------------------------------------------------------------------

APPLICABILITY = "features[0].applicability"


@pytest.mark.parametrize(
    ("entry", "path", "words"),
    [
        (daily("MON", "08:00Z", "09:00Z", startEvent="SR"), "startEvent", ("'SR'", "sunrise", "startTime")),
        (daily("MON", None, None, startEvent="BMCT", endEvent="EECT"), "startEvent", ("morning civil twilight",)),
        ({"day": ["MON"], "startTime": "08:00Z", "endEvent": "SS"}, "endEvent", ("sunset", "endTime")),
        ({"day": ["MON"], "startTime": "08:00Z", "endEvent": 5}, "endEvent", ("5",)),
        (daily("MON", "08:00", "09:00Z"), "startTime", ("offset", "'08:00'")),
        (daily("MON", "08:00Z", "9:00Z"), "endTime", ("offset",)),
        (daily("MON", "08:00Z", None), "endTime", ("None",)),
        (daily("MON", "24:00Z", "09:00Z"), "startTime", ("24:00",)),
        (daily("MON", "08:00Z", "24:01Z"), "endTime", ("24:00",)),
        (daily("MON", "08:00Z", "08:00:00Z"), "endTime", ("24:00Z",)),
        (daily("MON", "22:00Z", "23:00+01:00"), "endTime", ("24:00Z",)),
        (daily("MON", "08:00+24:00", "09:00Z"), "startTime", ("offset",)),
        (daily("MON", 8, "09:00Z"), "startTime", ("8",)),
        (daily("MON", "٠٨:٠٠Z", "09:00Z"), "startTime", ("offset",)),
        (daily([], "08:00Z", "09:00Z"), "day", ("ANY",)),
        (daily(None, "08:00Z", "09:00Z"), "day", ("MON",)),
        (daily(["MON", "Tue"], "08:00Z", "09:00Z"), "day[1]", ("'Tue'", "MON")),
        (daily([["MON"]], "08:00Z", "09:00Z"), "day[0]", ("MON",)),
        (daily("HOL", "08:00Z", "09:00Z"), "day[0]", ("'HOL'",)),
        ("MON 08:00Z-09:00Z", "", ("object",)),
    ],
)
def test_entries_that_are_refused(entry: Any, path: str, words: tuple[str, ...]) -> None:
    where, reason = refusal(ed269(zone(applicability=[period(None, None, entry)])))
    assert where == f"{APPLICABILITY}[0].schedule[0]" + (f".{path}" if path else "")
    assert all(word in reason for word in words), reason
    where, _ = refusal(ed318(feature(limitedApplicability=[{"schedule": [entry]}])))
    assert where == "features[0].properties.limitedApplicability[0].schedule[0]" + (f".{path}" if path else "")


@pytest.mark.parametrize(
    ("given", "path", "words"),
    [
        (5, "", ("list",)),
        ({"permanent": "YES"}, "", ("list",)),
        ([5], "[0]", ("object",)),
        ([{}], "[0]", ("permanent YES",)),
        ([{"permanent": "NO"}], "[0]", ("startDateTime",)),
        ([{"permanent": True}], "[0].permanent", ("YES or NO",)),
        ([{"permanent": "YES", "startDateTime": "2026-01-05T08:00:00Z"}], "[0].startDateTime", ("contradicts",)),
        ([{"permanent": "YES", "endDateTime": "2026-01-05T08:00:00Z"}], "[0].endDateTime", ("contradicts",)),
        ([period("2026-01-05T08:00:00")], "[0].startDateTime", ("offset", "2026-01-05T08:00:00")),
        ([period("2026-13-05T08:00:00Z")], "[0].startDateTime", ("ISO 8601",)),
        ([period({"purposely": "wrong"})], "[0].startDateTime", ("ISO 8601",)),
        ([period(20260105)], "[0].startDateTime", ("20260105",)),  # type: ignore[arg-type]
        ([period("2026-01-05T08:00:00Z", "2026-01-05T08:00:00Z")], "[0].endDateTime", ("later",)),
        ([period("2026-07-22T07:00:00.000Z", "2026-07-22T06:50:50.813Z")], "[0].endDateTime", ("later",)),
        ([period(schedule=5)], "[0].schedule", ("list",)),
        ([period("0001-01-01T00:00:00Z", None, daily("MON", "08:00Z", "09:00Z"))], "[0].schedule", ("10000", "years")),
        ([{"permanent": "YES"}, {"permanent": "perhaps"}], "[1].permanent", ("YES or NO",)),
    ],
)
def test_periods_that_are_refused(given: Any, path: str, words: tuple[str, ...]) -> None:
    where, reason = refusal(ed269(zone(applicability=given)))
    assert where == APPLICABILITY + path
    assert all(word in reason for word in words), reason
