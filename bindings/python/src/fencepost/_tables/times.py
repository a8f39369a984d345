"""Exact conversion between datetime and integer microseconds since 1970-01-01T00:00:00Z."""

from __future__ import annotations

import operator
from datetime import UTC, datetime, timedelta
from typing import SupportsIndex, TypeAlias

from .._native import InvalidArgumentError

Time: TypeAlias = datetime | SupportsIndex
"""An instant: an aware datetime, or integer microseconds since 1970-01-01T00:00:00Z."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_LARGEST = 1 << 63


def to_us(value: Time, what: str = "time") -> int:
    """Microseconds of an instant; integer arithmetic throughout."""
    if isinstance(value, datetime):
        if value.utcoffset() is None:
            raise InvalidArgumentError(
                f"{what} {value.isoformat()} is a naive datetime; give it a time zone, for example tzinfo=timezone.utc"
            )
        since = value - EPOCH
        return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
    if isinstance(value, bool):
        raise TypeError(f"{what} must be an aware datetime or int microseconds, not bool")
    try:
        number = operator.index(value)
    except TypeError:
        kind = type(value).__name__
        raise TypeError(f"{what} must be an aware datetime or int microseconds, not {kind}") from None
    if not -_LARGEST < number < _LARGEST:
        raise InvalidArgumentError(f"{what} {number} is outside year 1 to year 9999")
    return number


def from_us(value: int | None) -> datetime | None:
    """The aware UTC datetime of an instant, or None."""
    return None if value is None else EPOCH + timedelta(microseconds=value)


def seconds_to_us(value: float | timedelta, what: str) -> int:
    """Microseconds of a duration in seconds, to the nearest."""
    if isinstance(value, timedelta):
        return value // _MICROSECOND
    if isinstance(value, bool):
        raise TypeError(f"{what} must be a number of seconds, not bool")
    try:
        number = round(value * 1_000_000)
    except (TypeError, AttributeError):
        raise TypeError(f"{what} must be a number of seconds, not {type(value).__name__}") from None
    except (ValueError, OverflowError):
        raise InvalidArgumentError(f"{what} {value} is not finite") from None
    if not -_LARGEST < number < _LARGEST:
        raise InvalidArgumentError(f"{what} {value} s is out of range")
    return number


def us_to_seconds(value: int) -> float:
    """Seconds of a duration in microseconds."""
    return value / 1_000_000
