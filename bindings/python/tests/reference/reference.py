"""The slow, obvious reference model of one Fencepost monitor.

Written from ``design/semantics.md`` alone: brute force over every condition at every input, distances from
``geographiclib``, nothing shared with the engine. It exists to be read and to be compared with, not to be used.

Paragraph names in comments (A4, B22, "Settled points", ...) refer to that page.
"""

from __future__ import annotations

import copy
import math
import re

from geographiclib.geodesic import Geodesic
from reference_path import Way

# Section 1.3, in its order.
FLAG_ORDER = (
    "authorization_denied",
    "authorization_denied_globally",
    "authorization_restricted",
    "insufficiently_in_use",
    "accuracy_limited",
    "condition_unsupported",
    "condition_limit_exceeded",
    "persistence_unavailable",
    "service_session_required",
    "authorization_request_in_progress",
)
UNMONITORED_FLAGS = frozenset({"condition_unsupported", "condition_limit_exceeded"})
KINDS = frozenset({"circle", "polygon", "corridor", "line", "beacon"})
HOST_FLAGS = frozenset(FLAG_ORDER) - UNMONITORED_FLAGS - {"persistence_unavailable"}

PRESETS = {
    "standard": dict(
        entry_dwell=20.0,
        exit_dwell=20.0,
        entry_margin=20.0,
        exit_margin=20.0,
        exit_margin_limit=0.0,
        accuracy_factor=1.0,
        dwell_policy="timer",
        notify=("initial", "entry", "exit"),
    ),
    "exact": dict(
        entry_dwell=0.0,
        exit_dwell=0.0,
        entry_margin=0.0,
        exit_margin=0.0,
        exit_margin_limit=0.0,
        accuracy_factor=0.0,
        dwell_policy="timer",
        notify=("initial", "entry", "exit"),
    ),
    "core_location": dict(
        entry_dwell=20.0,
        exit_dwell=20.0,
        entry_margin=20.0,
        exit_margin=60.0,
        exit_margin_limit=200.0,
        accuracy_factor=1.0,
        dwell_policy="timer",
        notify=("initial", "entry", "exit"),
    ),
}

UUID_TEXT = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\Z")
WEAKEST_RSSI = -(2**31)
EARLIEST = -62_135_596_800_000_000  # year 1


class Refused(Exception):
    """A call that the monitor does not accept; ``status`` says why and nothing has changed."""

    def __init__(self, status: str, why: str = "") -> None:
        super().__init__(f"{status}: {why}" if why else status)
        self.status = status


def microseconds(seconds: float) -> int:
    return round(seconds * 1_000_000)


def distance(latitude1, longitude1, latitude2, longitude2) -> float:
    return Geodesic.WGS84.Inverse(latitude1, longitude1, latitude2, longitude2, Geodesic.DISTANCE)["s12"]


# ---------------------------------------------------------------------------------------------------------------
# Checking what comes in
# ---------------------------------------------------------------------------------------------------------------


def checked_identifier(identifier):
    if not isinstance(identifier, str) or not identifier or "\0" in identifier:
        raise Refused("invalid_argument", "identifier")
    try:
        encoded = identifier.encode("utf-8")
    except UnicodeEncodeError:
        raise Refused("invalid_argument", "identifier is not valid UTF-8") from None
    if len(encoded) > 256:
        raise Refused("invalid_argument", "identifier is longer than 256 bytes")
    return identifier


def checked_policy(policy):
    if policy is None:
        policy = "standard"
    if isinstance(policy, str):
        if policy not in PRESETS:
            raise Refused("invalid_argument", "policy preset")
        fields = dict(PRESETS[policy])
    else:
        unknown = set(policy) - set(PRESETS["standard"])
        if unknown:
            raise Refused("invalid_argument", f"policy fields {sorted(unknown)}")
        fields = {**PRESETS["standard"], **policy}
    for name in ("entry_dwell", "exit_dwell", "entry_margin", "exit_margin", "exit_margin_limit", "accuracy_factor"):
        value = fields[name]
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value < 0:
            raise Refused("invalid_argument", name)
    if fields["exit_margin_limit"] != 0 and fields["exit_margin_limit"] < fields["exit_margin"]:
        raise Refused("invalid_argument", "exit_margin_limit")
    if fields["dwell_policy"] not in ("timer", "evidence"):
        raise Refused("invalid_argument", "dwell_policy")
    fields["notify"] = frozenset(fields["notify"])
    if not fields["notify"] <= {"initial", "entry", "exit"}:
        raise Refused("invalid_argument", "notify")
    return fields


def checked_uuid(text):
    if not isinstance(text, str) or not UUID_TEXT.match(text):
        raise Refused("invalid_argument", "uuid")
    return text.lower()


def checked_16_bit(value):
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 65535:
        raise Refused("invalid_argument", "major and minor are 0...65535")
    return value


def is_coordinate(latitude, longitude):
    return math.isfinite(latitude) and math.isfinite(longitude) and abs(latitude) <= 90 and abs(longitude) <= 180


# ---------------------------------------------------------------------------------------------------------------
# The values that a monitor keeps
# ---------------------------------------------------------------------------------------------------------------


class Fix:
    def __init__(self, time, latitude, longitude, accuracy, source="fix"):
        self.time, self.latitude, self.longitude, self.accuracy = time, latitude, longitude, accuracy
        self.source = source  # "path": it was laid between two fixes


NO_EVIDENCE = dict(latitude=None, longitude=None, accuracy=None, boundary_distance=None, evidence=None)


class Observation:
    """What the detector believes: "in" or "out". Undetermined is the absence of an Observation."""

    def __init__(self, side, date, cause, transition, order, *, evidence_date=None, refinement=None, evidence=None):
        self.side = side
        self.state = "satisfied" if side == "in" else "unsatisfied"
        self.date = date
        self.cause = cause  # determination, crossing, timeout
        self.transition = transition  # initial, entry, exit: what notify is asked about
        self.order = order  # place among all changes of this monitor
        self.evidence_date = evidence_date
        self.refinement = refinement
        self.evidence = evidence or NO_EVIDENCE
        self.follows_gap = False


class Candidate:
    def __init__(self, side, fix, d, deadline):
        self.side, self.fix, self.distance, self.deadline = side, fix, d, deadline


class Event:
    """A built event. ``order`` is the place of the change it is about; ``silent`` ones are never handed out."""

    def __init__(
        self,
        condition,
        *,
        state,
        cause,
        date,
        order,
        flags,
        evidence_date=None,
        refinement=None,
        evidence=None,
        silent=False,
        follows_gap=False,
        direction=None,
    ):
        self.identifier, self.generation, self.tag = condition.identifier, condition.generation, condition.tag
        self.state, self.cause, self.date, self.order = state, cause, date, order
        self.flags = frozenset(flags)
        self.evidence_date, self.refinement = evidence_date, refinement
        self.evidence = evidence or NO_EVIDENCE
        self.silent = silent
        self.follows_gap = follows_gap
        self.direction = direction
        self.sequence = None  # given at the first hand-out

    @property
    def handed_out(self):
        return self.sequence is not None

    def as_dict(self):
        return dict(
            sequence=self.sequence,
            identifier=self.identifier,
            state=self.state,
            cause=self.cause,
            date=self.date,
            evidence_date=self.evidence_date,
            refinement=copy.copy(self.refinement),
            diagnostics=[name for name in FLAG_ORDER if name in self.flags],
            generation=self.generation,
            **self.evidence,
            gap=self.follows_gap,
            direction=self.direction,
            tag=self.tag,
        )


class Condition:
    def __init__(self, identifier, definition, policy, tag, generation, rank):
        self.identifier, self.definition, self.policy, self.tag = identifier, definition, policy, tag
        self.generation = generation  # add sequence
        self.rank = rank  # place in the line for slots; a replacement inherits it
        self.flags = frozenset()  # diagnostic flags that hold now ...
        self.flags_date = None  # ... since when, and which change of the monitor that was
        self.flags_order = 0
        self.observed = None  # O of section 4
        self.queue = []  # P of section 4; more than one entry only with delivery "every"
        self.record = None  # R of section 4
        self.candidate = None  # places
        self.evidence_is_in = False  # places: dwell_policy "evidence" confirms in this instant
        self.last_fix = None  # places: (fix, distance) evaluated last, for explain
        self.absence_deadline = None  # beacons
        self.last_sighting = None  # beacons
        self.is_new = True  # gates: added, or suspended, since the last fix

    @property
    def is_beacon(self):
        return self.definition["kind"] == "beacon"

    @property
    def is_gate(self):
        return self.definition["kind"] == "line"

    @property
    def is_place(self):
        """Whether a device can be in it."""
        return not self.is_beacon and not self.is_gate

    @property
    def line(self):
        """What a distance is compared with: d and r of a circle; D of other shapes, which is 0 on their line."""
        return self.definition["radius"] if self.definition["kind"] == "circle" else 0.0

    @property
    def size(self):
        """Rule 11 of shapes.md: the radius of a circle, the depth of other shapes."""
        return self.definition["radius"] if self.definition["kind"] == "circle" else self.definition["shape"].depth

    def distance(self, fix):
        d = self.definition
        if d["kind"] == "circle":
            return distance(d["latitude"], d["longitude"], fix.latitude, fix.longitude)
        return d["shape"].distance(fix.latitude, fix.longitude)

    @property
    def suspended(self):
        return bool(self.flags - {"persistence_unavailable"})

    # Detector of places, section 0.1 -----------------------------------------------------------------------------

    def side(self, d):
        return "in" if d <= self.line else "out"

    def _weighted(self, accuracy):
        k = self.policy["accuracy_factor"]
        return 0.0 if k == 0 else k * accuracy

    def margin_in(self, accuracy):
        return min(max(self.policy["entry_margin"], self._weighted(accuracy)), self.size / 2)

    def margin_out(self, accuracy):
        margin = self.policy["exit_margin"]
        if self.policy["exit_margin_limit"] != 0:
            margin = min(max(self.size, margin), self.policy["exit_margin_limit"])
        return max(margin, self._weighted(accuracy))

    def is_fine(self, accuracy):
        return self.policy["accuracy_factor"] == 0 or accuracy <= max(self.size, 100.0)

    def determined_side(self, d, accuracy):
        """The side that a fix decides while undetermined, or None."""
        if self.is_fine(accuracy):
            return self.side(d)
        return "out" if d - accuracy > self.line else None

    def is_decisive(self, d, accuracy):
        r = self.line
        if self.side(d) == "in":
            return d <= r - self.margin_in(accuracy) and self.is_fine(accuracy)
        return d >= r + self.margin_out(accuracy)

    def dwell(self, side):
        return microseconds(self.policy["entry_dwell" if side == "in" else "exit_dwell"])

    # Beacons ---------------------------------------------------------------------------------------------------

    def matches(self, sighting):
        uuid, major, minor, _ = sighting
        d = self.definition
        return uuid == d["uuid"] and d["major"] in (None, major) and d["minor"] in (None, minor)


def has_news(now: frozenset, before: frozenset) -> bool:
    """Whether flags `now` differ from those reported `before` in a way that makes a diagnostic event."""
    if now == before:
        return False
    gone = before - now
    ceased = bool(before & UNMONITORED_FLAGS) and not now & UNMONITORED_FLAGS
    # "Ceasing to be unmonitored emits nothing: the next event carries the new flags."
    return not (ceased and gone <= UNMONITORED_FLAGS and now <= before)


# ---------------------------------------------------------------------------------------------------------------
# The monitor
# ---------------------------------------------------------------------------------------------------------------


class ReferenceMonitor:
    def __init__(
        self,
        *,
        delivery="every",
        condition_limit=None,
        initial_fix_max_age=60.0,
        beacon_exit_timeout=30.0,
        beacon_initial_timeout=30.0,
        max_pending_events=1_000_000,
        max_time_step=None,
        path="fixes",
        max_gap=None,
        max_speed=None,
    ):
        if delivery not in ("first", "latest", "every"):
            raise Refused("invalid_argument", "delivery")
        self.delivery = delivery
        self.condition_limit = condition_limit
        self.initial_fix_max_age = -1 if initial_fix_max_age is None else microseconds(initial_fix_max_age)
        self.beacon_exit_timeout = microseconds(beacon_exit_timeout)
        self.beacon_initial_timeout = microseconds(beacon_initial_timeout)
        self.max_pending_events = max_pending_events
        self.max_time_step = None if max_time_step is None else microseconds(max_time_step)
        self.path = path
        self.max_gap = None if max_gap is None else microseconds(max_gap)
        self.max_speed = max_speed
        self.gap = None  # "next": the next event says that there was a gap; a time: so do those of that time
        self.clock = None
        self.latest_fix = None
        self.scanning = True
        self.host_flags = frozenset()
        self.unsupported = frozenset()
        self.store_works = True
        self._conditions = {}  # identifier -> Condition
        self._generations = 0
        self._ranks = 0
        self._changes = 0
        self._sequence = 0
        self._in_flight = None  # (condition, event) handed out in this session, not committed
        self._crossings = []  # of gates, on the way that is walked: (instant, generation, condition, direction, fix)
        self._statistics = dict(accepted=0, late_inputs=0, invalid_fixes=0, ahead_inputs=0)

    # Conditions ------------------------------------------------------------------------------------------------

    def add_circle(self, identifier, latitude, longitude, radius, *, assuming="unknown", policy="standard", tag=0):
        self._add(identifier, self._circle(latitude, longitude, radius), assuming, policy, tag)

    def add_beacon(self, identifier, uuid, major=None, minor=None, *, assuming="unknown", policy="standard", tag=0):
        self._add(identifier, self._beacon(uuid, major, minor), assuming, policy, tag)

    def ensure_circle(self, identifier, latitude, longitude, radius, *, assuming="unknown", policy="standard", tag=0):
        self._ensure(identifier, self._circle(latitude, longitude, radius), assuming, policy, tag)

    def ensure_beacon(self, identifier, uuid, major=None, minor=None, *, assuming="unknown", policy="standard", tag=0):
        self._ensure(identifier, self._beacon(uuid, major, minor), assuming, policy, tag)

    def add_shape(self, identifier, shape, *, assuming="unknown", policy="standard", tag=0):
        """`shape` is a Polygon or a Corridor of `reference_shapes`."""
        self._add(identifier, self._shape(shape), assuming, policy, tag)

    def ensure_shape(self, identifier, shape, *, assuming="unknown", policy="standard", tag=0):
        self._ensure(identifier, self._shape(shape), assuming, policy, tag)

    def add_gate(self, identifier, gate, *, tag=0):
        """`gate` is a Gate of `reference_gate`: no policy, nothing assumed."""
        self._add(identifier, self._gate(gate), "unknown", None, tag)

    def ensure_gate(self, identifier, gate, *, tag=0):
        self._ensure(identifier, self._gate(gate), "unknown", None, tag)

    def _gate(self, gate):
        if self.path != "geodesic" or self.delivery != "every":
            raise Refused("invalid_argument", "a gate needs a path, and every event")
        return dict(kind="line", shape=gate)

    @staticmethod
    def _shape(shape):
        return dict(kind=shape.kind, shape=shape)

    @staticmethod
    def _circle(latitude, longitude, radius):
        if not is_coordinate(latitude, longitude) or not math.isfinite(radius) or radius <= 0:
            raise Refused("invalid_argument", "circle")
        return dict(kind="circle", latitude=latitude, longitude=longitude, radius=radius)

    @staticmethod
    def _beacon(uuid, major, minor):
        if major is None and minor is not None:
            raise Refused("invalid_argument", "a minor needs a major")
        return dict(
            kind="beacon",
            uuid=checked_uuid(uuid),
            major=None if major is None else checked_16_bit(major),
            minor=None if minor is None else checked_16_bit(minor),
        )

    def _ensure(self, identifier, definition, assuming, policy, tag):
        checked_identifier(identifier)
        if assuming not in ("unknown", "satisfied", "unsatisfied"):
            raise Refused("invalid_argument", "assuming")
        fields = checked_policy(policy)
        there = self._conditions.get(identifier)
        if there is not None and there.policy == fields and there.tag == tag:
            old = there.definition
            if old["kind"] == definition["kind"] == "circle":
                if (
                    abs(old["latitude"] - definition["latitude"]) <= 1e-7
                    and abs(old["longitude"] - definition["longitude"]) <= 1e-7
                    and abs(old["radius"] - definition["radius"]) <= 0.5
                ):
                    return
            elif old["kind"] == definition["kind"] and "shape" in old:
                if old["shape"].is_nearly(definition["shape"]):
                    return
            elif old == definition:
                return
        self._add(identifier, definition, assuming, policy, tag)

    def _add(self, identifier, definition, assuming, policy, tag):
        checked_identifier(identifier)
        if assuming not in ("unknown", "satisfied", "unsatisfied"):  # A32
            raise Refused("invalid_argument", "assuming")
        fields = checked_policy(policy)
        self._generations += 1
        old = self._conditions.pop(identifier, None)
        if old is None:
            self._ranks += 1
            rank = self._ranks
        else:  # A1: record, pending event and event in flight of the old one vanish
            rank = old.rank
            self._forget_in_flight(old)
        c = Condition(identifier, definition, fields, tag, self._generations, rank)
        c.record = Event(c, state=assuming, cause="determination", date=self.clock, order=0, flags=())
        self._conditions[identifier] = c
        self._refresh_flags()
        if c.suspended:
            return
        if c.is_place:
            fix = self.latest_fix  # A4
            if fix is not None and self.clock - fix.time <= self.initial_fix_max_age:
                self._evaluate(c, fix, self.clock)
        else:
            self._watch_for_absence(c)  # of a beacon

    def remove(self, identifier):
        old = self._conditions.pop(identifier, None)
        if old is not None:
            self._forget_in_flight(old)
            self._refresh_flags()  # a slot may be free now

    def sync(self, members):
        """Make the conditions exactly these: (identifier, kind, its values, keyword arguments) each.

        A kind is "circle", "beacon", "shape", whose one value is a Polygon or a Corridor, or "gate".
        """
        definition = {"circle": self._circle, "beacon": self._beacon, "shape": self._shape, "gate": self._gate}
        ensure = {
            "circle": self.ensure_circle,
            "beacon": self.ensure_beacon,
            "shape": self.ensure_shape,
            "gate": self.ensure_gate,
        }
        seen = set()
        for identifier, kind, values, rest in members:
            definition[kind](*values)
            checked_identifier(identifier)
            checked_policy(rest.get("policy"))
            if rest.get("assuming", "unknown") not in ("unknown", "satisfied", "unsatisfied") or identifier in seen:
                raise Refused("invalid_argument", "a member of the set")
            seen.add(identifier)
        for identifier in self.identifiers():
            if identifier not in seen:
                self.remove(identifier)
        for identifier, kind, values, rest in members:
            ensure[kind](identifier, *values, **rest)

    def identifiers_in_state(self, state):
        if state not in ("unknown", "satisfied", "unsatisfied"):
            raise Refused("invalid_argument", "state")
        return [c.identifier for c in self._in_add_order() if (c.observed.state if c.observed else "unknown") == state]

    def _forget_in_flight(self, condition):
        if self._in_flight is not None and self._in_flight[0] is condition:
            self._in_flight = None

    def _located(self, latitude, longitude):
        """The places in add order, with the signed distance of a point to the line of each."""
        if not is_coordinate(latitude, longitude):
            raise Refused("invalid_argument", "coordinate")
        point = Fix(0, latitude, longitude, 0)
        return [(c, c.distance(point) - c.line) for c in self._in_add_order() if not c.is_beacon]

    def containing(self, latitude, longitude):
        """Which places hold a point, whatever their state."""
        return [(c.identifier, distance) for c, distance in self._located(latitude, longitude) if distance <= 0]

    def nearest(self, latitude, longitude, count):
        """Whose lines are nearest; a circle that holds the whole Earth (half a meridian is its radius or less) has
        none."""
        half = 20_003_931.459
        lines = [
            (c.identifier, distance)
            for c, distance in self._located(latitude, longitude)
            if c.definition["kind"] != "circle" or c.definition["radius"] < half
        ]
        return sorted(lines, key=lambda line: abs(line[1]))[:count]

    def identifiers(self):
        return [c.identifier for c in self._in_add_order()]

    def _in_add_order(self):
        return sorted(self._conditions.values(), key=lambda c: c.generation)

    # Inputs ----------------------------------------------------------------------------------------------------

    def feed_fix(self, time_us, latitude, longitude, accuracy=0.0):
        if not is_coordinate(latitude, longitude):
            self._statistics["invalid_fixes"] += 1
            raise Refused("invalid_argument", "coordinate")
        if math.isnan(accuracy) or accuracy < 0:  # "there is no position": ignored, whatever its time
            self._statistics["invalid_fixes"] += 1
            return
        self._admit(time_us)
        self._walk(Fix(time_us, latitude, longitude, accuracy))
        self._pass_time(time_us)
        self.latest_fix = fix = Fix(time_us, latitude, longitude, accuracy)
        for c in self._in_add_order():
            if c.is_place and not c.suspended:
                self._evaluate(c, fix, time_us)
            c.is_new = False
        self._end(time_us)

    def _walk(self, fix):
        """The fixes that lie on the way from the latest one, where the monitor has a path."""
        last = self.latest_fix
        if self.path != "geodesic" or last is None or fix.time <= last.time:
            return
        way = Way(last, fix)
        too_fast = self.max_speed is not None and way.length > self.max_speed * (way.duration / 1e6)
        if way.duration > self.max_gap or too_fast:
            self.gap = "next"
            return
        places = [c for c in self._in_add_order() if c.is_place and not c.suspended]
        first, end = max(self.clock, last.time + 1), fix.time - 1
        self._crossings = sorted(
            (
                (max(instant, self.clock), c.generation, c, instant, direction, way)
                for c in self._in_add_order()
                if c.is_gate and not c.suspended
                for instant, direction in c.definition["shape"].crossings(last, fix)
                if not c.is_new or instant > self.clock
            ),
            key=lambda crossing: crossing[:2],
        )
        if not places or first > end:
            return
        for instant in way.instants(places, first, end):
            while True:  # what waits for evidence is confirmed by the fix that lies at its deadline
                waiting = [
                    c.candidate.deadline for c in places if c.candidate and c.policy["dwell_policy"] == "evidence"
                ]
                due = min((deadline for deadline in waiting if self.clock < deadline < instant), default=None)
                if due is None:
                    break
                self._lay(way, due, places)
            self._lay(way, instant, places)

    def _lay(self, way, instant, places):
        self._pass_time(instant)
        fix = Fix(instant, *way.place(instant), way.accuracy, "path")
        for c in places:
            self._evaluate(c, fix, instant)
        self._end(instant)

    def feed_sightings(self, time_us, sightings):
        report = []
        for uuid, major, minor, rssi in sightings:
            report.append(
                (
                    checked_uuid(uuid),
                    checked_16_bit(major),
                    checked_16_bit(minor),
                    WEAKEST_RSSI if rssi is None else rssi,
                )
            )
        self._begin(time_us)
        if self.scanning:
            for c in self._in_add_order():
                if c.is_beacon and not c.suspended:
                    self._sight(c, report, time_us)
        self._end(time_us)

    def set_scanning(self, on, time_us):
        self._begin(time_us)
        if on != self.scanning:
            self.scanning = on
            for c in self._in_add_order():
                if not c.is_beacon:
                    continue
                if on:
                    self._watch_for_absence(c)
                else:  # A29: undetermined, no event, timers stopped
                    c.observed = None
                    c.absence_deadline = None
        self._end(time_us)

    def set_host(self, flags=None, unsupported=None, time_us=None):
        """What is None stays as it is."""
        if flags is not None and not set(flags) <= HOST_FLAGS:
            raise Refused("invalid_argument", "host flags")
        if unsupported is not None and not set(unsupported) <= KINDS:
            raise Refused("invalid_argument", "unsupported kinds")
        if time_us is not None or self.clock is not None:
            time_us = self.clock if time_us is None else time_us
            self._begin(time_us)
        if flags is not None:
            self.host_flags = frozenset(flags)
        if unsupported is not None:
            self.unsupported = frozenset(unsupported)
        self._refresh_flags()
        if time_us is not None:
            self._end(time_us)

    def set_store(self, works):
        """Whether the store can be written; noticed at the clock (A34)."""
        self.store_works = works
        self._refresh_flags()

    def advance(self, time_us):
        self._begin(time_us, is_word_of_host=True)
        self._end(time_us)

    def rewind(self, time_us):
        """The times of some inputs were wrong: what was observed by them is forgotten, what was told stays."""
        if self.clock is None or not EARLIEST <= time_us <= self.clock:
            raise Refused("invalid_argument", "time")
        self._statistics["accepted"] += 1
        self.clock = time_us
        self.latest_fix = self.gap = None
        for c in self._in_add_order():
            c.observed = c.candidate = c.last_fix = c.last_sighting = c.absence_deadline = None
            c.evidence_is_in = False
            c.is_new = True
            self._watch_for_absence(c)

    def _begin(self, time, is_word_of_host=False):
        """Accept an input at `time`: everything due strictly before it happens first."""
        self._admit(time, is_word_of_host)
        self._pass_time(time)

    def _admit(self, time, is_word_of_host=False):
        if self._waiting() >= self.max_pending_events:
            raise Refused("queue_full")
        if self.clock is not None and time < self.clock:
            self._statistics["late_inputs"] += 1
            raise Refused("late_input")
        is_measured = not is_word_of_host and self.clock is not None and self.max_time_step is not None
        if is_measured and time - self.clock > self.max_time_step:
            self._statistics["ahead_inputs"] += 1
            raise Refused("ahead_of_clock")
        self._statistics["accepted"] += 1
        if self.clock is None:
            self.clock = time
            for c in self._in_add_order():  # "the absence timer starts at the first time given"
                self._watch_for_absence(c)

    def _pass_time(self, time):
        self._fire(lambda deadline: deadline < time)
        self.clock = time

    def _end(self, time):
        """The input is applied; now everything due up to its own time happens."""
        self._fire(lambda deadline: deadline <= time)

    def _fire(self, is_due):
        """Deadlines, by deadline, then add sequence."""
        due = []
        for c in self._conditions.values():
            if c.candidate is not None:
                by_timer = c.policy["dwell_policy"] == "timer" and is_due(c.candidate.deadline)
                if by_timer or c.evidence_is_in:
                    due.append((c.candidate.deadline, c.generation, c))
            if c.absence_deadline is not None and is_due(c.absence_deadline):
                due.append((c.absence_deadline, c.generation, c))
        crossed = [crossing for crossing in self._crossings if is_due(crossing[0])]
        self._crossings = self._crossings[len(crossed) :]
        for deadline, _, c, *crossing in sorted(due + crossed, key=lambda item: item[:2]):
            if c.is_gate:
                self._cross(c, deadline, *crossing)
            elif c.is_place:
                self._confirm(c)
            else:
                c.absence_deadline = None
                self._observe(c, "out", deadline, "timeout", evidence_date=c.last_sighting)

    def _waiting(self):
        in_flight = None if self._in_flight is None else self._in_flight[1]
        return sum(1 for c in self._conditions.values() for e in c.queue if not e.silent and e is not in_flight)

    # Detectors -------------------------------------------------------------------------------------------------

    def _evaluate(self, c, fix, now):
        d = c.distance(fix)
        side = c.side(d)
        c.last_fix = (fix, d)
        if c.observed is None:
            decided = c.determined_side(d, fix.accuracy)
            if decided is not None:
                self._observe(
                    c, decided, now, "determination", evidence_date=fix.time, evidence=self._evidence(c, fix, d)
                )
        elif side == c.observed.side:
            c.candidate = None
        else:
            if c.candidate is None and c.is_decisive(d, fix.accuracy):
                c.candidate = Candidate(side, fix, d, fix.time + c.dwell(side))
            if c.candidate is not None and c.policy["dwell_policy"] == "evidence" and fix.time >= c.candidate.deadline:
                c.evidence_is_in = True

    def _confirm(self, c):
        candidate = c.candidate
        date = self.clock if c.evidence_is_in else candidate.deadline
        c.candidate = None
        c.evidence_is_in = False
        self._observe(
            c,
            candidate.side,
            date,
            "crossing",
            evidence_date=candidate.fix.time,
            evidence=self._evidence(c, candidate.fix, candidate.distance),
        )

    def _cross(self, c, date, instant, direction, way):
        """A gate has no state: each time it is crossed there is an event, also where time had passed already."""
        fix = way.end if instant == way.end.time else Fix(instant, *way.place(instant), way.accuracy, "path")
        if self.gap == "next":
            self.gap = date
        elif self.gap != date:
            self.gap = None
        event = Event(
            c,
            state="unknown",
            cause="crossing",
            date=date,
            order=self._next_change(),
            flags=c.flags,
            evidence_date=instant,
            evidence=self._evidence(c, fix, 0.0),
            follows_gap=self.gap is not None,
            direction=direction,
        )
        c.queue.append(event)

    @staticmethod
    def _evidence(c, fix, d):
        return dict(
            latitude=fix.latitude,
            longitude=fix.longitude,
            accuracy=fix.accuracy,
            boundary_distance=d - c.line,
            evidence=fix.source,
        )

    def _sight(self, c, report, time):
        matching = [s for s in report if c.matches(s)]
        if not matching:
            return
        c.last_sighting = time
        c.absence_deadline = time + self.beacon_exit_timeout
        if c.observed is not None and c.observed.side == "in":
            return  # A27
        refinement = None
        if c.definition["minor"] is None:  # A25, A26
            uuid, major, minor, _ = min(matching, key=lambda s: (-s[3], s[1], s[2]))
            refinement = dict(uuid=uuid, major=major, minor=minor)
        self._observe(
            c,
            "in",
            time,
            "determination" if c.observed is None else "crossing",
            evidence_date=time,
            refinement=refinement,
        )

    def _watch_for_absence(self, c):
        """Start the initial timer of a beacon condition that is undetermined and can be observed."""
        if c.is_beacon and self.scanning and not c.suspended and c.observed is None and self.clock is not None:
            c.absence_deadline = self.clock + self.beacon_initial_timeout

    def _observe(self, c, side, date, cause, **evidence):
        transition = "initial" if c.observed is None else ("entry" if side == "in" else "exit")
        c.observed = Observation(side, date, cause, transition, self._next_change(), **evidence)
        if c.is_place:
            c.observed.follows_gap = self._tells_gap(c)
        self._on_observed(c)

    def _tells_gap(self, c):
        """The first change after a gap says so, and those of its instant; a silent one leaves it to the next."""
        o = c.observed
        if self.gap == "next":
            told = (c.queue[-1] if c.queue else c.record).state
            if o.transition in c.policy["notify"] and (o.state != told or (c.queue and self.delivery != "every")):
                self.gap = o.date
            return True
        if self.gap != o.date:
            self.gap = None
        return self.gap is not None

    def _next_change(self):
        self._changes += 1
        return self._changes

    # Flags -----------------------------------------------------------------------------------------------------

    def _flags_now(self, c):
        flags = set(self.host_flags)
        if c.definition["kind"] in self.unsupported:
            flags.add("condition_unsupported")
        if self.condition_limit is not None:
            ahead = sum(1 for other in self._conditions.values() if other.rank < c.rank)
            if ahead >= self.condition_limit:
                flags.add("condition_limit_exceeded")
        if not self.store_works:
            flags.add("persistence_unavailable")
        return frozenset(flags)

    def _refresh_flags(self):
        for c in self._in_add_order():
            now = self._flags_now(c)
            if now == c.flags:
                continue
            was_suspended = c.suspended
            change = self._next_change()
            if has_news(now, c.flags):  # ceasing to be unmonitored causes no event: the date stays that of what did
                c.flags_date, c.flags_order = self.clock, change
            c.flags = now
            if c.suspended:  # clears observation and candidates, never a waiting event
                c.observed = c.candidate = c.absence_deadline = c.last_fix = None
            elif was_suspended:
                c.is_new = True
                self._watch_for_absence(c)
            self._on_flags(c)

    # Building events (section 4, with the settled points) ------------------------------------------------------

    def _event_of_observation(self, c, before):
        o = c.observed
        silent = o.transition not in c.policy["notify"]
        flags = c.flags
        if silent:
            # What the flags still have to tell is not swallowed by a silent change: a diagnostic event ignores notify.
            flags = before.flags - (UNMONITORED_FLAGS - c.flags)
        return Event(
            c,
            state=o.state,
            cause=o.cause,
            date=o.date,
            order=o.order,
            flags=flags,
            evidence_date=o.evidence_date,
            refinement=o.refinement,
            evidence=o.evidence,
            silent=silent,
            follows_gap=o.follows_gap,
        )

    def _diagnostic_event(self, c, state, refinement):
        if c.flags & UNMONITORED_FLAGS:
            state = "unmonitored"
        return Event(
            c,
            state=state,
            cause="diagnostic",
            date=c.flags_date,
            order=c.flags_order,
            flags=c.flags,
            refinement=None if state == "unsatisfied" else refinement,
        )

    def _on_observed(self, c):
        if self.delivery == "every":
            before = c.queue[-1] if c.queue else c.record
            if c.observed.state != before.state:
                c.queue.append(self._event_of_observation(c, before))
                self._apply_silent(c)
            return
        if not c.queue:
            self._build(c)
        elif self.delivery == "latest" and not c.queue[0].handed_out:
            waiting = c.queue[0]
            differs = c.observed.state != c.record.state
            if differs or waiting.state != c.record.state:
                c.queue.clear()
                event = self._event_of_observation(c, c.record)
                if event.silent:
                    self._build(c)  # the record takes it silently
                elif differs or event.flags != c.record.flags:
                    c.queue.append(event)

    def _on_flags(self, c):
        if self.delivery == "every":
            before = c.queue[-1] if c.queue else c.record
            if has_news(c.flags, before.flags):
                c.queue.append(self._diagnostic_event(c, before.state, before.refinement))
        elif not c.queue:
            self._build(c)
        elif self.delivery == "latest" and not c.queue[0].handed_out:
            waiting = c.queue[0]
            if has_news(c.flags, waiting.flags):
                event = self._diagnostic_event(c, waiting.state, c.record.refinement)
                c.queue.clear()
                if (event.state, event.flags) != (c.record.state, c.record.flags):
                    c.queue.append(event)

    def _build(self, c):
        """`first` and `latest` with nothing pending: at most one event from what holds now."""
        if c.observed is not None and c.observed.state != c.record.state:
            event = self._event_of_observation(c, c.record)
            if not event.silent:
                c.queue.append(event)
                return
            c.record = event
        if has_news(c.flags, c.record.flags):
            c.queue.append(self._diagnostic_event(c, c.record.state, c.record.refinement))

    def _apply_silent(self, c):
        while c.queue and c.queue[0].silent:
            c.record = c.queue.pop(0)

    # Delivery --------------------------------------------------------------------------------------------------

    def next_event(self):
        self.acknowledge()
        heads = [(not c.queue[0].handed_out, c.queue[0].order, c) for c in self._conditions.values() if c.queue]
        if not heads:
            return None
        _, _, c = min(heads, key=lambda head: head[:2])
        event = c.queue[0]
        if not event.handed_out:
            self._sequence += 1
            event.sequence = self._sequence
        self._in_flight = (c, event)
        return event.as_dict()

    def acknowledge(self):
        if self._in_flight is None:
            return
        c, event = self._in_flight
        self._in_flight = None
        c.record = c.queue.pop(0)
        assert c.record is event
        if self.delivery == "every":
            self._apply_silent(c)
        else:
            self._build(c)

    def restart(self):
        """Close and open again: nothing changes, but what was handed out and not committed comes again."""
        self._in_flight = None

    abandon = restart  # a consumer that stops: A14

    # Reading ---------------------------------------------------------------------------------------------------

    def record(self, identifier):
        c = self._conditions.get(identifier)
        if c is None:
            return None
        return dict(condition=dict(c.definition), last_event=c.record.as_dict())

    def statistics(self):
        return dict(self._statistics, waiting=self._waiting())

    def explain(self, identifier):
        """Issue C: why the condition is in its state, and the smallest change that would decide it."""
        c = self._conditions.get(identifier)
        if c is None:
            return None
        answer = dict(
            reason=None,
            state=c.observed.state if c.observed else "unknown",
            side=None,
            boundary_distance=None,
            accuracy=None,
            entry_margin=None,
            exit_margin=None,
            candidate_since=None,
            candidate_deadline=None,
            last_sighting=c.last_sighting,
            absence_deadline=c.absence_deadline,
            metres_to_decide=None,
            seconds_to_decide=None,
            accuracy_needed=None,
        )
        if c.is_place:
            self._explain_place(c, answer)
        else:
            self._explain_beacon(c, answer)
        if c.flags & UNMONITORED_FLAGS:
            answer["reason"] = "unmonitored"
        elif c.suspended:
            answer["reason"] = "suspended"
        elif not c.is_place and not self.scanning:
            answer["reason"] = "scanner_off"
        if answer["reason"] in ("unmonitored", "suspended", "scanner_off"):
            answer["metres_to_decide"] = answer["seconds_to_decide"] = answer["accuracy_needed"] = None
        return answer

    def _explain_beacon(self, c, answer):
        if c.observed is None:
            answer["reason"] = "not_seen_yet"
        else:
            answer["reason"] = "seen" if c.observed.side == "in" else "absent"
        if c.absence_deadline is not None:
            answer["seconds_to_decide"] = (c.absence_deadline - self.clock) / 1e6

    @staticmethod
    def _accuracy_that_decides(c, d):
        """The largest accuracy with which a fix at `d` would be decisive; None when none would."""
        r, k = c.line, c.policy["accuracy_factor"]
        coarse = max(c.size, 100.0)
        if k == 0:
            return None  # accuracy plays no part
        if c.observed is None:
            return coarse if d <= r else max(coarse, d - r)
        if not c.is_decisive(d, 0.0):
            return None
        if c.side(d) == "out":
            return (d - r) / k
        return coarse if d <= r - c.size / 2 else min(coarse, (r - d) / k)

    def _explain_place(self, c, answer):
        if c.last_fix is None:
            answer["reason"] = "no_fix_yet"
            return
        fix, d = c.last_fix
        r, a = c.line, fix.accuracy
        side = c.side(d)
        entry, leave = c.margin_in(a), c.margin_out(a)
        answer.update(
            side="inside" if side == "in" else "outside",
            boundary_distance=d - r,
            accuracy=a,
            entry_margin=entry,
            exit_margin=leave,
        )
        if c.candidate is not None:
            answer.update(candidate_since=c.candidate.fix.time, candidate_deadline=c.candidate.deadline)
        on_other_side = c.observed is not None and side != c.observed.side
        undecided = c.observed is None or (on_other_side and not c.is_decisive(d, a))
        if undecided and self._accuracy_that_decides(c, d) is not None:
            answer["reason"] = "too_coarse"
            answer["accuracy_needed"] = self._accuracy_that_decides(c, d)
        elif c.candidate is not None:
            answer["reason"] = "dwelling"
            answer["seconds_to_decide"] = (c.candidate.deadline - self.clock) / 1e6
        else:
            answer["reason"] = "within_margin" if on_other_side else ("inside" if side == "in" else "outside")
            if c.observed.side == "in":
                answer["metres_to_decide"] = r + leave - d
            else:
                answer["metres_to_decide"] = d - (r - entry)
