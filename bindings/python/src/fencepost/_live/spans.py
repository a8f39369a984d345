"""Times and spans in words."""

from __future__ import annotations

from .._tables.times import from_us, utc_text

WEEK = 604_800_000_000
ROLLOVER = 1024 * WEEK
"""Receivers count weeks with ten bits; an old one takes a week for that of 1 024 weeks before or after."""


def moment_text(us: int) -> str:
    """A time, as people write it."""
    try:
        return utc_text(from_us(us))
    except OverflowError:
        return "a time that no calendar has"


def span_text(us: int) -> str:
    """A span as people say it, and what an old receiver has to do with it."""
    seconds = us / 1e6
    for unit, size in (("years", 31_557_600), ("days", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= 2 * size:
            text = f"{seconds / size:.1f} {unit}"
            break
    else:
        text = f"{seconds:.1f} s"
    if us > ROLLOVER - WEEK and min(us % ROLLOVER, -us % ROLLOVER) < WEEK:
        text += f" ({round(us / ROLLOVER) * 1024} weeks: the receiver's count of weeks may have rolled over)"
    return text
