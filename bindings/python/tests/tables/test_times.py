"""Tests that times are converted exactly in both directions, and that invalid times are refused."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, strategies as st

from fencepost import Fix, Monitor
from fencepost._tables.text_times import parse_time
from fencepost._tables.times import from_us, to_us
from fencepost.errors import InvalidArgumentError, LateInputError

FIRST, LAST = -62_135_596_800_000_000, 253_402_300_799_999_999


@given(st.integers(FIRST, LAST))
def test_every_microsecond_survives(time_us: int) -> None:
    assert to_us(from_us(time_us)) == time_us


@given(st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=-7)), timezone(timedelta(minutes=345))])))
def test_zones_do_not_matter(when: datetime) -> None:
    assert to_us(when) == (when - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


def test_a_naive_datetime_is_refused_by_name() -> None:
    for call in (lambda when: Fix(0, 0, time=when), Monitor().advance):
        with pytest.raises(InvalidArgumentError, match="naive"):
            call(datetime(2024, 5, 1))


@pytest.mark.parametrize("value", [True, 1.5, "2024-05-01", None])
def test_other_types_are_refused(value: object) -> None:
    with pytest.raises(TypeError, match="datetime .*int"):
        Monitor().advance(value)


@pytest.mark.parametrize("value", [FIRST - 1, LAST + 1, 1 << 63, -(1 << 63), 1 << 80])
def test_outside_year_1_to_9999(value: int) -> None:
    monitor = Monitor()
    with pytest.raises(InvalidArgumentError):
        monitor.advance(value)
    assert monitor.clock is None


def test_the_clock_is_an_aware_datetime() -> None:
    monitor = Monitor()
    assert monitor.clock is None and monitor.clock_us is None
    monitor.advance(datetime(2024, 5, 1, 5, tzinfo=timezone(timedelta(hours=-7))))
    assert monitor.clock == datetime(2024, 5, 1, 12, tzinfo=UTC)
    with pytest.raises(LateInputError):
        monitor.advance(monitor.clock_us - 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1970-01-01T00:00:01Z", 1_000_000),
        ("1970-01-01T02:00:01+02:00", 1_000_000),
        ("1970-01-01 00:00:01", 1_000_000),
        ("1970-01-01 00:00:01.178999901", 1_178_999),
        ("00:00:01 01-Jan-1970", 1_000_000),
        ("1", 1_000_000),
        ("1.5", 1_500_000),
        ("1714564800000", 1_714_564_800_000_000),
        ("1714564800000000", 1_714_564_800_000_000),
    ],
)
def test_times_in_files(text: str, expected: int) -> None:
    assert parse_time(text) == expected


@pytest.mark.parametrize("text", ["", "yesterday", "2024-13-01T00:00:00Z", "1e30", "25:00:00 01-Jan-1970", "nan"])
def test_what_is_no_time(text: str) -> None:
    with pytest.raises(ValueError, match="time"):
        parse_time(text)
