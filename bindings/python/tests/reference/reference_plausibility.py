"""The reference model of plausibility: fixes that the device cannot have reached are doubted.

The module is written only from ``design/beyond.md``, section 2. It shares no code with the engine.
"""

from __future__ import annotations

from reference_values import Refused, distance, microseconds

SECOND = 1_000_000
MOST_ACCURACY = 5_000.0


class Plausibility:
    """The options, and the chain of doubted fixes of one device."""

    def __init__(self, speed=None, count=3, time=60.0):
        if speed is not None and not 0 < speed < float("inf"):
            raise Refused("invalid_argument", "plausible_speed")
        if not 2 <= count <= 1_000:
            raise Refused("invalid_argument", "corroboration_count")
        if not 0 <= time <= 1e9:
            raise Refused("invalid_argument", "corroboration_time")
        self.speed = speed
        self.count = count
        self.time = microseconds(time)
        self.chain = []

    def follows(self, before, fix):
        """Whether the device can have moved from one fix to the other."""
        if fix.time < before.time:
            return False
        seconds = max(fix.time - before.time, SECOND) / SECOND
        way = distance(before.latitude, before.longitude, fix.latitude, fix.longitude)
        blur = min(before.accuracy, MOST_ACCURACY) + min(fix.accuracy, MOST_ACCURACY)
        return way - blur <= self.speed * seconds

    def judge(self, known, fix):
        """Returns "follows", "doubted" or "corroborated" for a fix; `known` is the known fix of the device, or None."""
        if self.speed is None or known is None or self.follows(known, fix):
            self.chain = []
            return "follows"
        if self.chain and not self.follows(self.chain[-1], fix):
            self.chain = []
        self.chain.append(fix)
        if len(self.chain) >= self.count and fix.time - self.chain[0].time >= self.time:
            self.chain = []
            return "corroborated"
        return "doubted"

    def forget(self):
        self.chain = []

    def explained(self, known):
        """Returns how far the last doubted fix is from the known fix, after how many seconds (at least 1), and how many
        doubted fixes corroborate each other."""
        if not self.chain or known is None:
            return dict(doubted_distance=None, doubted_seconds=None, corroborations=0)
        last = self.chain[-1]
        return dict(
            doubted_distance=distance(known.latitude, known.longitude, last.latitude, last.longitude),
            doubted_seconds=max(last.time - known.time, SECOND) / SECOND,
            corroborations=len(self.chain),
        )
