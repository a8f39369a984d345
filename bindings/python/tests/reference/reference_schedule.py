"""The reference model of schedules: when a condition is active, and which of its events come by time alone.

The module is written only from ``design/beyond.md``, section 3. It shares no code with the engine.
"""

from __future__ import annotations

from reference_values import EARLIEST, Refused, microseconds

LATEST = 253_402_300_799_999_999  # the end of year 9999
MOST_INTERVALS = 10_000
LONGEST = 1_000_000_000_000_000


class Timing:
    """The options of a condition that depend on time: ``active``, ``active_until``, ``absent_after``,
    ``repeat_every``, ``repeat_limit`` and ``max_events``. Times and durations are in seconds, and None means none."""

    def __init__(
        self,
        kind,
        active=None,
        active_until=None,
        absent_after=None,
        repeat_every=None,
        repeat_limit=1000,
        max_events=None,
    ):
        self.active = None if active is None else _checked_intervals(active)
        self.until = None if active_until is None else microseconds(active_until)
        if self.until is not None and self.active is None:
            raise Refused("invalid_argument", "active_until needs active")
        if self.until is not None and self.active and self.active[-1][1] > self.until:
            raise Refused("invalid_argument", "an interval ends after active_until")
        self.absent_after = _duration("absent_after", absent_after, 1)
        self.repeat_every = _duration("repeat_every", repeat_every, 1_000_000)
        self.repeat_limit = _count("repeat_limit", repeat_limit)
        self.max_events = None if max_events is None else _count("max_events", max_events)
        if self.absent_after is not None and kind in ("beacon", "line", "rule"):
            raise Refused("invalid_argument", "only a shape has absent_after")
        if self.repeat_every is not None and kind == "line":
            raise Refused("invalid_argument", "a gate has no repeat_every")
        if self.repeat_every is None and repeat_limit != 1000:
            raise Refused("invalid_argument", "repeat_limit needs repeat_every")

    @property
    def is_given(self):
        return self != Timing(None)

    def __eq__(self, other):
        return self.compared == other.compared and (self.active, self.until) == (other.active, other.until)

    __hash__ = None

    @property
    def compared(self):
        """Returns the options that `ensure` compares: all except the list of intervals."""
        return self.absent_after, self.repeat_every, self.repeat_limit, self.max_events

    def is_open(self, time):
        """Whether a time is in an interval. Without a list every time is."""
        return self.active is None or any(start <= time < end for start, end in self.active)

    def has_ended(self, time):
        return self.until is not None and time >= self.until

    def next_edge(self, time):
        """Returns the first start, end or end of the list after a time, or None."""
        edges = [edge for interval in self.active or () for edge in interval]
        if self.until is not None:
            edges.append(self.until)
        return min((edge for edge in edges if edge > time), default=None)

    def next_start(self, time):
        return min((start for start, _ in self.active or () if start > time), default=None)


def _checked_intervals(intervals):
    """Returns the intervals in microseconds; intervals that touch are one."""
    if len(intervals) > MOST_INTERVALS:
        raise Refused("invalid_argument", "too many intervals")
    found = []
    for start, end in ((microseconds(start), microseconds(end)) for start, end in intervals):
        if not EARLIEST <= start < end <= LATEST:
            raise Refused("invalid_argument", "an interval is empty or out of range")
        if found and start < found[-1][1]:
            raise Refused("invalid_argument", "the intervals are not disjoint and sorted")
        if found and start == found[-1][1]:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return tuple(found)


def _duration(name, seconds, least):
    if seconds is None:
        return None
    if not seconds * 1e6 < LONGEST + 1 or not least <= microseconds(seconds) <= LONGEST:
        raise Refused("invalid_argument", name)
    return microseconds(seconds)


def _count(name, value):
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value < 2**32:
        raise Refused("invalid_argument", name)
    return value


class Occasions:
    """The state of the timing of one condition."""

    def __init__(self):
        self.passed = None  # the time up to which the edges have passed
        self.is_open = True  # whether the last edge was a start, or there is no list
        self.has_ended = False  # whether the end of the list has passed
        self.has_started = False  # whether the first determination since a start is still to come
        self.absence = None  # when an undetermined shape is unsatisfied without evidence
        self.repeat = None  # when the next repeat is due
        self.repeats_left = 0
        self.events = 0  # the events that were built, for max_events
        self.news = None  # the last observation that is always news and has no event yet

    def forget_state(self):
        self.absence = self.repeat = self.news = None

    def begin_stay(self, timing, observation):
        """Begins to repeat, at each multiple since the evidence, but not before the change itself."""
        self.repeat = None
        if timing.repeat_every is not None and observation.side == "in":
            base = observation.date if observation.evidence_date is None else observation.evidence_date
            passed = (observation.date - base) // timing.repeat_every
            self.repeat = base + (passed + 1) * timing.repeat_every
            self.repeats_left = timing.repeat_limit

    def count_repeat(self, timing):
        self.repeats_left -= 1
        self.repeat = self.repeat + timing.repeat_every if self.repeats_left > 0 else None
