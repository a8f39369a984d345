"""Selects the fixes that are worth feeding."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from .._native import best_fix as native_best_fix, significant_change
from .._tables.numbers import real
from .._tables.times import Time, seconds_to_us, to_us, us_to_seconds
from .._values.fixes import Fix, fix_of, packed


class SignificantChangeFilter:
    """Accepts a fix if the device has moved far enough and enough time has passed.

    The first fix passes the filter. A later fix passes if it is at least `minimum_distance` away from the last fix that
    passed and at least `minimum_interval` later. A fix never passes if it has no position, is out of range, or is
    earlier than the last fix that passed.

    Args:
        minimum_distance: The minimum distance between two fixes that pass, in metres, finite, at least 0.
        minimum_interval: The minimum time between two fixes that pass, in seconds, at least 0.

    Raises:
        InvalidArgumentError: A value is out of its range.

    Example:
        >>> passes = SignificantChangeFilter()
        >>> [passes.accepts(Fix(0, degrees, time=seconds * 1_000_000))
        ...  for degrees, seconds in [(0, 0), (0.0054, 60), (0.0063, 301), (0.0081, 700)]]
        [True, False, True, False]
    """

    def __init__(self, minimum_distance: float = 500.0, minimum_interval: float | timedelta = 300.0) -> None:
        self.minimum_distance = float(real(minimum_distance, "minimum_distance"))
        self._interval_us = seconds_to_us(minimum_interval, "minimum_interval")
        self._last: tuple[float, float, float, int] | None = None
        # Checks the settings by feeding a fix that has no position: a setting out of range raises an error, and the fix
        # changes nothing.
        self._ask((0.0, 0.0, -1.0, 0))

    def __repr__(self) -> str:
        interval = us_to_seconds(self._interval_us)
        return f"SignificantChangeFilter(minimum_distance={self.minimum_distance:g}, minimum_interval={interval:g})"

    def accepts(self, fix: Fix) -> bool:
        """Returns True if the filter lets a fix pass. The filter then compares later fixes with this fix.

        Example:
            >>> passes = SignificantChangeFilter(minimum_distance=100, minimum_interval=0)
            >>> [passes.accepts(Fix(0, longitude, time=second)) for second, longitude in enumerate([0, 0.0001, 0.001])]
            [True, False, True]
        """
        fix = fix_of(fix)
        return self._row_passes((fix.latitude, fix.longitude, fix.accuracy, fix.time_us))

    def reset(self) -> None:
        """Forgets the last fix, so that the next valid fix passes.

        Example:
            >>> passes = SignificantChangeFilter()
            >>> passes.accepts(Fix(0, 0, time=0))
            True
            >>> passes.reset()
            >>> passes.accepts(Fix(0, 0, time=0))
            True
        """
        self._last = None

    def _row_passes(self, row: tuple[float, float, float, int]) -> bool:
        passes = self._ask(row)
        if passes:
            self._last = row
        return passes

    def _ask(self, row: tuple[float, float, float, int]) -> bool:
        return significant_change(self.minimum_distance, self._interval_us, self._last, *row)


def best_fix(
    fixes: Iterable[Fix], now: Time, *, speed: float = 1.5, maximum_age: float | timedelta = 300.0
) -> Fix | None:
    """The fix with the least uncertainty at a moment, or None if no fix can be used.

    A device may have moved since a fix was taken, so a fix's uncertainty is ``accuracy + speed * age``. If two fixes
    have the same uncertainty, the later fix wins. If two fixes with the same uncertainty also have the same time, the
    fix that comes first in `fixes` wins. A fix that does not report its accuracy wins only if no other fix can be used.
    A fix is ignored if it has no position, if it is later than `now`, or if it is too old.

    Args:
        fixes: The candidates.
        now: The moment at which the uncertainty is compared.
        speed: The growth of the uncertainty with a fix's age, in metres a second, finite, at least 0.
        maximum_age: The age in seconds above which a fix is too old, at least 0.

    Raises:
        InvalidArgumentError: A value is out of its range.

    Example:
        >>> old, coarse = Fix(0, 0, 5, time=40_000_000), Fix(0, 1, 90, time=100_000_000)
        >>> best_fix([old, coarse], 100_000_000) is coarse
        True
    """
    if not isinstance(fixes, Iterable):
        raise TypeError(f"fixes must be an iterable of Fix, not {type(fixes).__name__}")
    rows = list(fixes)
    buffer, _ = packed(rows, "fixes")
    place = native_best_fix(buffer, to_us(now, "now"), real(speed, "speed"), seconds_to_us(maximum_age, "maximum_age"))
    return None if place is None else rows[place]
