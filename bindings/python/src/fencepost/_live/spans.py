"""Formats times and durations for messages."""

from __future__ import annotations

from .._tables.times import from_us, utc_text

WEEK = 604_800_000_000
ROLLOVER = 1024 * WEEK
"""The time, in microseconds, after which the 10-bit GPS week number starts again at 0: 1,024 weeks. The clock of an old
receiver can be wrong by 1,024 weeks."""


def moment_text(us: int) -> str:
    """A time in readable form."""
    try:
        return utc_text(from_us(us))
    except OverflowError:
        return "a time outside the years 1 to 9999"


def span_text(us: int) -> str:
    """A duration in readable form. If the duration is close to a multiple of 1,024 weeks, adds a hint that the week
    number may have rolled over."""
    seconds = us / 1e6
    for unit, size in (("years", 31_557_600), ("days", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= 2 * size:
            text = f"{seconds / size:.1f} {unit}"
            break
    else:
        text = f"{seconds:.1f} s"
    if us > ROLLOVER - WEEK and min(us % ROLLOVER, -us % ROLLOVER) < WEEK:
        text += f" ({round(us / ROLLOVER) * 1024} weeks: the receiver's week number may have rolled over)"
    return text
