"""The path from one fix to the next, and the instants at which the reference adds fixes to the path.

The rule adds a fix at each microsecond of the path. An added fix matters only if the distance to a condition reaches a
threshold at that fix, whatever state the condition is in. Therefore the path is halved again and again, down to the
microsecond, wherever a threshold may be reached.
"""

from __future__ import annotations

from geographiclib.geodesic import Geodesic
from reference_height import on_way, passages

# In metres: on a piece of the path that is no longer than this, the distance passes a threshold at most once.
ONE_PASSAGE = 1.0
NOISE = 1e-8  # in metres; the error that a computed distance may have


class Way:
    def __init__(self, start, end):
        self.start, self.end = start, end
        self.duration = end.time - start.time
        self.accuracy = max(start.accuracy, end.accuracy)
        self._line = Geodesic.WGS84.InverseLine(start.latitude, start.longitude, end.latitude, end.longitude)
        self.length = self._line.s13

    def place(self, instant):
        """Returns the device's position, in degrees."""
        there = self._line.Position(self.length * ((instant - self.start.time) / self.duration))
        return there["lat2"], there["lon2"]

    def heights(self, instant):
        share = (instant - self.start.time) / self.duration
        return on_way(self.start.heights, self.end.heights, share)

    def instants(self, places, first, end):
        """Returns the instants of the added fixes, in order: the first instant, the last instant, and the instants on
        both sides of each passage of a threshold."""
        found = {first, end}
        for c in places:
            found.update(self._passages(c, first, end))
            if c.band is not None and first < end:
                found.update(passages(c, self, first, end))
        return sorted(found)

    def _passages(self, c, first, end):
        known = {}

        def distance(instant):
            if instant not in known:
                known[instant] = c.distance(_Place(*self.place(instant))) - c.line
            return known[instant]

        speed = 1.0001 * self.length / self.duration
        accuracy = self.accuracy
        for level in {0.0, -c.margin_in(accuracy), c.margin_out(accuracy), accuracy}:

            def excess(instant, level=level):
                return distance(instant) - level

            intervals = [(first, end)]
            while intervals:
                low, high = intervals.pop()
                reach, a, b = speed * (high - low) + NOISE, excess(low), excess(high)
                if high - low < 1 or (sign(a) == sign(b) != 0 and abs(a) + abs(b) > reach):
                    continue  # a distance changes by no more than the device moves
                if high - low == 1:
                    yield from (low, high)
                elif sign(a) != sign(b) and reach < ONE_PASSAGE:
                    yield from bracketed(excess, low, high)
                else:
                    middle = (low + high) // 2
                    intervals += [(low, middle), (middle, high)]


def sign(value):
    return (value > 0) - (value < 0)


def bracketed(excess, low, high):
    """Returns the two successive microseconds between which a sign changes once. The search uses secants, and bisection
    where secants converge slowly."""
    before, is_halved = sign(excess(low)), False
    while high - low > 1:
        a, b = excess(low), excess(high)
        share = 0.5 if is_halved or a == b else a / (a - b)
        middle = min(max(low + round((high - low) * share), low + 1), high - 1)
        width = high - low
        if sign(excess(middle)) == before:
            low = middle
        else:
            high = middle
        is_halved = (high - low) * 2 > width
    return low, high


class _Place:
    def __init__(self, latitude, longitude):
        self.latitude, self.longitude = latitude, longitude
