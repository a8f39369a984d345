"""Detects doubtful values: impossible positions, and times and radii in the wrong unit."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import chain, islice
from math import cos, hypot, inf, isfinite, nan, radians
from typing import NamedTuple

from .._native import extremes
from .._tables.names import METRES, MOST_DEGREES
from .._tables.times import from_us, utc_text

_SECOND = 1_000_000
DAY = 86_400 * _SECOND
_YEAR_1990, _YEAR_2100 = 631_152_000 * _SECOND, 4_102_444_800 * _SECOND
_EXCEL = range(30_000 * _SECOND, 80_000 * _SECOND)
"""The range of times that result if Excel's serial dates of 1982 to 2119 are misread as seconds."""
SMALLEST_RADIUS = 5.0
"""Metres. Receivers are too inaccurate for circles with a radius smaller than this value."""


class Flaw(NamedTuple):
    """A fix without a usable position, and where the source contains it."""

    place: str
    latitude: float
    longitude: float
    accuracy: float
    major: float = nan
    minor: float = nan
    orientation: float = nan

    @property
    def is_missing(self) -> bool:
        """True if the input itself states that there is no position."""
        if is_position(self.latitude, self.longitude):
            return not self.accuracy >= 0
        return self.latitude != self.latitude or (self.longitude != self.longitude)

    @property
    def reason(self) -> str:
        """The reason why the position is unusable, with a possible cause."""
        if is_position(self.latitude, self.longitude):
            if self.accuracy >= 0:
                return f"has an error ellipse {ellipse_fault(self.major, self.minor, self.orientation)}"
            return f"has no position: its accuracy is {self.accuracy:g}, but must be at least 0"
        if self.is_missing:
            return "has no position"
        return f"lies at latitude {self.latitude:.10g}, longitude {self.longitude:.10g}{self._cause}"

    @property
    def _cause(self) -> str:
        latitude, longitude = abs(self.latitude), abs(self.longitude)
        if (latitude, longitude) == (91, 181):
            return ", which AIS uses for an unknown position"
        if 90 < latitude <= 180 and longitude <= 90:
            return ": are latitude and longitude swapped?"
        if latitude <= 90 and 180 < self.longitude <= 360:
            return ": subtract 360 from longitudes of 180 to 360"
        if MOST_DEGREES < max(latitude, longitude) < float("inf"):
            return f": {METRES}"
        return ": latitudes must be from -90 to 90, longitudes from -180 to 180"


def is_position(latitude: float, longitude: float) -> bool:
    """True if the latitude and the longitude are in range."""
    return -90 <= latitude <= 90 and -180 <= longitude <= 180


def is_usable(latitude: float, longitude: float, accuracy: float, *beside: float) -> bool:
    """True if a monitor accepts a fix with these values. It accepts all heights."""
    return is_position(latitude, longitude) and accuracy >= 0 and not ellipse_fault(*beside[:3])


def ellipse_fault(major: float = nan, minor: float = nan, orientation: float = nan) -> str:
    """Describes why a monitor refuses an error ellipse; empty if the monitor accepts it. Three NaN mean that there is
    no ellipse."""
    if isfinite(orientation) and 0 <= minor <= major < inf:
        return ""
    absent = [value != value for value in (major, minor, orientation)]
    if all(absent):
        return ""
    given = f"({major:g}, {minor:g}, {orientation:g})"
    if any(absent):
        return f"{given} with missing values: give major, minor and orientation, or none of them"
    if not isfinite(orientation):
        return f"{given} with an orientation that is not finite"
    if minor > major >= 0:
        return f"{given} whose minor semi-axis is longer than its major semi-axis"
    return f"{given} whose semi-axes are not numbers of at least 0"


def worse(first: Flaw | None, second: Flaw | None) -> Flaw | None:
    """Chooses which of two flaws to report: an impossible value takes precedence over a missing value; otherwise the
    first flaw takes precedence."""
    if first is None or (second is not None and first.is_missing and not second.is_missing):
        return second
    return first


class SeenTimes:
    """Detects doubtful times of fixes; the fixes may arrive in pieces and in any order."""

    def __init__(self) -> None:
        self.count = 0
        self._begin_us, self._end_us = 0, 0
        self._midnights = True

    def add(self, times: Sequence[int]) -> None:
        """Examines more times."""
        if not len(times):
            return
        begin, end = extremes(times) if isinstance(times, array) else (min(times), max(times))
        self._begin_us, self._end_us = (
            (min(begin, self._begin_us), max(end, self._end_us)) if self.count else (begin, end)
        )
        self.count += len(times)
        # Check the earliest and the latest time first, because one of them usually decides.
        self._midnights = self._midnights and not any(time % DAY for time in chain((begin, end), times))

    @property
    def doubt(self) -> str:
        """A description of doubtful times; empty if all times are plausible.

        A track that begins on the first day of 1970 counts as a simulation whose clock starts at 0.
        """
        if not self.count:
            return ""
        begin, end = self._begin_us, self._end_us
        if begin in _EXCEL and end in _EXCEL:
            first = f"{begin / _SECOND:.10g}"
            return f"times such as {first} look like Excel's serial dates (days since 1900): write them as ISO 8601"
        if not -DAY < begin < DAY:
            if end < _YEAR_1990:
                return f"all times are before 1990 (the latest is {_shown(end)}): are they in another unit?"
            if begin > _YEAR_2100:
                return f"all times are after 2100 (the earliest is {_shown(begin)}): are they in another unit?"
        if self._midnights and self.count > 1:
            return "all times are at midnight: do the dates have no time of day?"
        return ""


_FASTEST = 500.0
"""Metres a second. No tracked device on Earth is faster than this speed."""
_FAR = 500.0
"""Metres. A jump shorter than this distance may be a measurement error of one receiver."""
_LOOKED_AT = 10_000
"""How many fixes of a track are examined."""
_DEGREE = 111_195.0


def jumps(fixes: Iterable[Sequence[float]]) -> str:
    """The warning about a track whose fixes jump back and forth as if they came from several devices; empty if there
    are no such jumps.

    A fast device or an occasional outlier must not cause the warning. So the warning requires three things: at least
    ten steps are faster than any device, at least a tenth of all steps are that fast, and the total length of the fast
    steps is at least five times the diagonal of the fixes' bounding box.

    Args:
        fixes: Latitude, longitude, accuracy, microseconds, in time order.
    """
    steps = far = 0
    way = 0.0
    south = west = inf
    north = east = -inf
    before: tuple[float, float, float] | None = None
    for latitude, longitude, accuracy, time, *_ in islice(fixes, _LOOKED_AT):
        if not is_usable(latitude, longitude, accuracy):
            continue
        if before is not None:
            steps += 1
            across = abs(longitude - before[1])
            x = min(across, 360 - across) * cos(radians(latitude))
            metres = _DEGREE * hypot(x, latitude - before[0])
            if metres > _FAR and metres * _SECOND > _FASTEST * abs(time - before[2]):
                far += 1
                way += metres
        before = latitude, longitude, time
        south, north, west, east = (
            min(south, latitude),
            max(north, latitude),
            min(west, longitude),
            max(east, longitude),
        )
    if far < 10 or far * 10 < steps:
        return ""
    wide = min(east - west, 360.0) * cos(radians((south + north) / 2))
    if way < 5 * _DEGREE * hypot(wide, north - south):
        return ""
    return (
        f"{far} of {steps} steps are faster than {_FASTEST:g} m/s, back and forth, as if the fixes came from "
        "several devices"
    )


def _shown(time_us: int) -> str:
    try:
        return utc_text(from_us(time_us))
    except OverflowError:
        return f"{time_us} us"


def about_radii(radii: Sequence[float]) -> str:
    """A description of doubtful radii of circles; empty if all radii are plausible."""
    from statistics import median  # imports `random` and `fractions`

    if radii and (middle := median(radii)) < SMALLEST_RADIUS:
        return f"radii are in metres, but half of these are {middle:g} or less: are they in kilometres?"
    return ""


def about_unusable(invalid: int, total: int, flaw: Flaw | None) -> str:
    """The message about fixes that were skipped."""
    first = "" if flaw is None else f"; the first: {flaw.place} {flaw.reason}"
    return f"{invalid} of {total} fixes had no usable position or time and were skipped{first}"
