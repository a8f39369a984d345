"""The reference model of height: a fix may have heights, and a shape may have a band of heights.

The module is written only from ``design/beyond.md``, section 4. It shares no code with the engine.
"""

from __future__ import annotations

import math

from reference_values import NO_HEIGHTS, Heights, Refused, is_known

REFERENCES = ("ellipsoid", "mean_sea_level", "ground")
LEAST_COARSE = 100.0  # in metres; a vertical accuracy up to this value is never too coarse
LIMIT_TOLERANCE = 0.5  # in metres; `ensure` treats limits that differ by no more as equal


class Band:
    """The heights of a shape: two limits (one may be infinite), each with its reference. It refers to the
    ellipsoid, the mean sea level or the ground."""

    def __init__(self, min=-math.inf, max=math.inf, min_reference="ellipsoid", max_reference="ellipsoid"):
        if math.isnan(min) or math.isnan(max) or min == math.inf or max == -math.inf:
            raise Refused("invalid_argument", "a limit of the band")
        if min == -math.inf and max == math.inf:
            raise Refused("invalid_argument", "a band without limits")
        if min_reference not in REFERENCES or max_reference not in REFERENCES:
            raise Refused("invalid_argument", "a reference of the band")
        if min_reference == max_reference and not min < max:
            raise Refused("invalid_argument", "the limits of the band")
        self.min, self.max = float(min), float(max)
        self.min_reference, self.max_reference = min_reference, max_reference

    def as_dict(self):
        return dict(min=self.min, max=self.max, min_reference=self.min_reference, max_reference=self.max_reference)

    def is_nearly(self, other):
        return (
            other is not None
            and self.min_reference == other.min_reference
            and self.max_reference == other.max_reference
            and _is_near(self.min, other.min)
            and _is_near(self.max, other.max)
        )

    def thickness(self, heights):
        """Returns B: the thickness of the band at a fix, or 0 if it is unknown there."""
        if math.isinf(self.min) or math.isinf(self.max):
            return math.inf
        if self.min_reference == self.max_reference:
            return self.max - self.min
        low, high = heights.offset(self.min_reference), heights.offset(self.max_reference)
        if not is_known(low, high):
            return 0.0
        return max(0.0, (self.max + high) - (self.min + low))

    def excesses(self, heights):
        """Returns how far each of the finite limits is exceeded; NaN if the height for the limit is missing."""
        found = []
        if math.isfinite(self.min):
            found.append(self.min - heights.above(self.min_reference))
        if math.isfinite(self.max):
            found.append(heights.above(self.max_reference) - self.max)
        return found

    def vertical(self, policy, heights):
        return Vertical(self, policy, heights)

    def contains(self, heights):
        """Whether a point is in the band, if a limit without its height is ignored."""
        return not any(excess > 0 for excess in self.excesses(heights))


def _is_near(one, other):
    return one == other or abs(one - other) <= LIMIT_TOLERANCE


class Vertical:
    """The answer of a fix about the band of a condition: V, and the thresholds that a decisive V reaches."""

    def __init__(self, band, policy, heights):
        factor, accuracy = policy["accuracy_factor"], heights.vertical_accuracy
        self.thickness = band.thickness(heights)
        self.margin = max(policy["vertical_margin"], 0.0 if factor == 0 else factor * accuracy)
        self.inner_margin = min(self.margin, self.thickness / 2)
        is_coarse = factor > 0 and accuracy > max(self.thickness / 2, LEAST_COARSE)
        excesses = band.excesses(NO_HEIGHTS if is_coarse else heights)
        above = [excess for excess in excesses if excess > 0]
        self.distance = max(above) if above else math.nan if any(map(math.isnan, excesses)) else max(excesses)

    @property
    def is_inside(self):
        return self.distance <= 0

    @property
    def is_outside(self):
        return self.distance > 0

    @property
    def is_decisive_inwards(self):
        return self.distance <= -self.inner_margin

    @property
    def is_decisive_outwards(self):
        return self.distance > 0 and self.distance >= self.margin


def on_way(start, end, share):
    """Returns the heights on the path between two fixes, at the share `share` of it."""
    return Heights(
        _between(start.altitude, end.altitude, share),
        max(start.vertical_accuracy, end.vertical_accuracy),
        _between(start.geoid_height, end.geoid_height, share),
        _between(start.ground_height, end.ground_height, share),
    )


def _between(start, end, share):
    return start + (end - start) * share if is_known(start, end) else math.nan


def passages(condition, way, first, end):
    """Yields the instants on both sides of each passage of a threshold by one of the heights.

    Between two fixes the heights, and so the difference of each height and each limit, change linearly. Therefore each
    of the differences below passes 0 at most once.
    """
    band, policy = condition.band, condition.policy

    def differences(instant):
        heights = way.heights(instant)
        vertical = band.vertical(policy, heights)
        found = [vertical.thickness / 2 - heights.vertical_accuracy, vertical.thickness / 2 - vertical.margin]
        for excess in band.excesses(heights):
            found += [excess, excess - vertical.margin, excess + vertical.margin, excess + vertical.thickness / 2]
        if math.isfinite(vertical.thickness):
            low, high = heights.offset(band.min_reference), heights.offset(band.max_reference)
            found.append((band.max + high) - (band.min + low))
        return found

    for index in range(len(differences(first))):
        yield from _passage(lambda instant, index=index: differences(instant)[index], first, end)


def _passage(difference, first, end):
    signs = {}

    def sign(instant):
        if instant not in signs:
            value = difference(instant)
            signs[instant] = None if math.isnan(value) else (value > 0) - (value < 0)
        return signs[instant]

    if sign(first) == sign(end):
        return
    # The sign may be 0 for a while: the instants where it first differs from the first one, and where it last differs
    # from the last one.
    for is_behind in (lambda instant: sign(instant) != sign(first), lambda instant: sign(instant) == sign(end)):
        low, high = first, end
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if is_behind(middle) else (middle, high)
        yield from (low, high)
