"""Tests how times are read from text that is incomplete or ambiguous, such as a time without a zone or a date with
slashes or dots."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from conftest import mentions
from hypothesis import example, given, strategies as st

from fencepost._tables.text_times import TimeStyle, parse_time, time_zone


def us(*parts: int) -> int:
    return (datetime(*parts, tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)  # type: ignore[misc, arg-type]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024/05/01 12:30:15", us(2024, 5, 1, 12, 30, 15)),
        ("2024/5/1", us(2024, 5, 1)),
        ("2024/05/01T12:30:15.25Z", us(2024, 5, 1, 12, 30, 15, 250_000)),
        ("2024/05/01 12:30:15+02:00", us(2024, 5, 1, 10, 30, 15)),
        ("2024.05.01 12:30", us(2024, 5, 1, 12, 30)),
        ("25/12/2024 6:30 PM", us(2024, 12, 25, 18, 30)),
        ("12/25/2024 12:30 AM", us(2024, 12, 25, 0, 30)),
        ("12/25/2024 12:30 p.m.", us(2024, 12, 25, 12, 30)),
        ("04/04/2024 1:02:03", us(2024, 4, 4, 1, 2, 3)),
        ("01.05.2024 12:30:00", us(2024, 5, 1, 12, 30)),
        ("25/12/2024, 6:30:01.123456789 PM", us(2024, 12, 25, 18, 30, 1, 123_456)),
        ("25/12/2024 06:30 -0530", us(2024, 12, 25, 12, 0)),
    ],
)
def test_dates_with_slashes_and_dots(text: str, expected: int) -> None:
    assert parse_time(text) == expected


def test_the_order_of_day_and_month_is_asked_for() -> None:
    with pytest.raises(ValueError, match="'05/04/2024 12:00'"):
        parse_time("05/04/2024 12:00")
    assert parse_time("05/04/2024 12:00", None, TimeStyle(order="dmy")) == us(2024, 4, 5, 12)
    assert parse_time("05/04/2024 12:00", None, TimeStyle(order="mdy")) == us(2024, 5, 4, 12)
    # The explicit order (day first) is followed, so month 25 is an error.
    with pytest.raises(ValueError, match="'12/25/2024'"):
        parse_time("12/25/2024", None, TimeStyle(order="dmy"))


@pytest.mark.parametrize(
    "text",
    ["31/02/2024", "13/13/2024", "2024/13/01", "25/12/2024 13:00 PM", "25/12/2024 0:30 AM", "25/12/2024 24:00",
     "25/12/24", "1/2", "25/12/2024 12", "25/12/2024 12:00 +25:00", "25-12/2024", "\u0662\u0665/12/2024 x"],
)  # fmt: skip
def test_what_is_no_date_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=re.escape(text[:10])):
        parse_time(text)


@given(st.datetimes(min_value=datetime(1, 1, 2), max_value=datetime(9998, 1, 1)), st.sampled_from(["dmy", "mdy"]))
@example(datetime(1, 12, 1), "dmy")
@example(datetime(12, 12, 31, 12), "mdy")
def test_dates_with_slashes_are_the_same_as_in_iso(when: datetime, order: str) -> None:
    when = when.replace(fold=0)
    # On some platforms strftime's %Y does not pad years before 1000 with zeros.
    day, month = f"{when.day:02}", f"{when.month:02}"
    date = f"{day}/{month}/{when.year:04}" if order == "dmy" else f"{month}/{day}/{when.year:04}"
    expected = parse_time(when.isoformat())
    assert parse_time(f"{date} {when:%H:%M:%S.%f}", None, TimeStyle(order=order)) == expected
    noon = f"{when:%I:%M:%S.%f} {'AM' if when.hour < 12 else 'PM'}"
    assert parse_time(f"{date} {noon}", None, TimeStyle(order=order)) == expected


def test_a_zone_is_for_times_without_one() -> None:
    berlin = TimeStyle(time_zone("Europe/Berlin"))
    assert parse_time("2024-05-01 12:00", None, berlin) == us(2024, 5, 1, 10)
    assert parse_time("2024-12-01 12:00", None, berlin) == us(2024, 12, 1, 11)
    assert parse_time("2024-05-01T12:00:00Z", None, berlin) == us(2024, 5, 1, 12)
    assert parse_time("2024-05-01T12:00:00-04:00", None, berlin) == us(2024, 5, 1, 16)
    assert parse_time("12:00:00 01-May-2024", None, berlin) == us(2024, 5, 1, 10)
    assert parse_time("1714564800", None, berlin) == us(2024, 5, 1, 12)
    assert not berlin.doubt


@pytest.mark.parametrize(("text", "hour"), [("2024-10-27 02:30:00", 0), ("2024-03-31 02:30:00", 1)])
def test_an_ambiguous_or_missing_hour_is_reported(text: str, hour: int) -> None:
    style = TimeStyle(time_zone("Europe/Berlin"))
    found = parse_time(text, None, style)
    assert mentions(style.doubt, f"{text} … Europe/Berlin")
    assert found == us(*map(int, text[:10].split("-")), hour, 30)
    parse_time("2024-10-27 02:45:00", None, style)
    assert text in style.doubt  # the warning quotes the first ambiguous text


@pytest.mark.parametrize(
    ("text", "zone"),
    [
        ("UTC", UTC),
        ("z", UTC),
        ("+02:00", timezone(timedelta(hours=2))),
        ("UTC-0930", timezone(-timedelta(hours=9, minutes=30))),
        ("+5", timezone(timedelta(hours=5))),
        ("America/New_York", ZoneInfo("America/New_York")),
    ],
)
def test_names_of_zones(text: str, zone: object) -> None:
    assert time_zone(text) == zone


@pytest.mark.parametrize("text", ["", "Mars/Olympus", "../etc/passwd", "+25:00", "/etc/localtime", "Europe/", "\0"])
def test_what_is_no_zone(text: str) -> None:
    with pytest.raises(ValueError, match="time zone .*Europe/Berlin"):
        time_zone(text)
