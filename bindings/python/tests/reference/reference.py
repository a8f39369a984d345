"""A slow and simple reference model of one Fencepost monitor.

The model is written only from ``design/semantics.md``: it evaluates every condition at every input, computes distances
with ``geographiclib``, and shares no code with the engine. The model exists to be read and to be compared with the
engine, not to be used in programs.

Paragraph names in comments (A4, B22, "Settled points", ...) refer to ``design/semantics.md``.
"""

from __future__ import annotations

import copy
import math

from reference_explain import explain
from reference_height import Band
from reference_path import Way
from reference_plausibility import Plausibility
from reference_rules import LAST, RULE, RULE_REPEAT, RuleKeeper, check_policy, check_table
from reference_schedule import Occasions, Timing
from reference_values import (
    EARLIEST,
    HOST_FLAGS,
    KINDS,
    UNMONITORED_FLAGS,
    WEAKEST_RSSI,
    Candidate,
    Condition,
    Event,
    Fix,
    Heights,
    Observation,
    Refused,
    checked_16_bit,
    checked_ellipse,
    checked_identifier,
    checked_uuid,
    has_news,
    is_coordinate,
    microseconds,
)

EDGE, CONFIRMATION, REPEAT = range(3)  # the phases of one instant, apart from its determinations and rules


class ReferenceMonitor(RuleKeeper):
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
        plausible_speed=None,
        corroboration_count=3,
        corroboration_time=60.0,
        accuracy_confidence=0.68,
        order="add",
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
        self.plausibility = Plausibility(plausible_speed, corroboration_count, corroboration_time)
        if not 0.01 <= accuracy_confidence <= 0.9999:
            raise Refused("invalid_argument", "accuracy_confidence")
        self.accuracy_confidence = accuracy_confidence
        if order not in ("add", "exits_first"):
            raise Refused("invalid_argument", "order")
        self.order = order
        self._untold = []  # changes of the present input, which wait for the end of their instant: (date, turn, tell)
        # If `gap` is "next", the next change that a position at or after `gap_end` decides reports a gap. If `gap` is a
        # time, a change at this time has reported the gap, and other such changes at the same time report it too.
        self.gap = self.gap_end = None
        self.clock = None
        self.latest_fix = None
        self.scanning = True
        self.host_flags = frozenset()
        self.unsupported = frozenset()
        self.store_works = True
        self._init_rules()
        self._conditions = {}  # identifier -> Condition
        self._generations = 0
        self._ranks = 0
        self._changes = 0
        self._sequence = 0
        self._in_flight = None  # (condition, event): the event that was delivered in this session but is not committed
        self._crossings = []  # crossings of gates on the current path: (instant, generation, condition, direction, fix)
        self._statistics = dict(accepted=0, late_inputs=0, invalid_fixes=0, ahead_inputs=0, doubted_fixes=0)

    # Conditions ------------------------------------------------------------------------------------------------

    def add_circle(
        self, identifier, latitude, longitude, radius, *, assuming="unknown", policy="standard", tag=0, **rest
    ):
        self._add(identifier, self._circle(latitude, longitude, radius), assuming, policy, tag, rest)

    def add_beacon(
        self, identifier, uuid, major=None, minor=None, *, assuming="unknown", policy="standard", tag=0, **rest
    ):
        self._add(identifier, self._beacon(uuid, major, minor), assuming, policy, tag, rest)

    def ensure_circle(
        self, identifier, latitude, longitude, radius, *, assuming="unknown", policy="standard", tag=0, **rest
    ):
        self._ensure(identifier, self._circle(latitude, longitude, radius), assuming, policy, tag, rest)

    def ensure_beacon(
        self, identifier, uuid, major=None, minor=None, *, assuming="unknown", policy="standard", tag=0, **rest
    ):
        self._ensure(identifier, self._beacon(uuid, major, minor), assuming, policy, tag, rest)

    def add_shape(self, identifier, shape, *, assuming="unknown", policy="standard", tag=0, **rest):
        """`shape` is a Polygon or a Corridor of `reference_shapes`."""
        self._add(identifier, self._shape(shape), assuming, policy, tag, rest)

    def ensure_shape(self, identifier, shape, *, assuming="unknown", policy="standard", tag=0, **rest):
        self._ensure(identifier, self._shape(shape), assuming, policy, tag, rest)

    def add_gate(self, identifier, gate, *, tag=0, **rest):
        """`gate` is a Gate of `reference_gate`: it has no policy and no assumed state."""
        self._add(identifier, self._gate(gate), "unknown", None, tag, rest)

    def ensure_gate(self, identifier, gate, *, tag=0, **rest):
        self._ensure(identifier, self._gate(gate), "unknown", None, tag, rest)

    def add_rule(self, identifier, rule, *, assuming="unknown", policy="standard", tag=0, **rest):
        """`rule` is a Rule of `reference_rules`."""
        self._add(identifier, self._rule(rule), assuming, policy, tag, rest)

    def ensure_rule(self, identifier, rule, *, assuming="unknown", policy="standard", tag=0, **rest):
        self._ensure(identifier, self._rule(rule), assuming, policy, tag, rest)

    @staticmethod
    def _rule(rule):
        return dict(kind="rule", rule=rule)

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

    replaces_lists = False  # whether `ensure` replaces a condition with another list, as in the table of a fleet

    def _ensure(self, identifier, definition, assuming, policy, tag, rest):
        checked_identifier(identifier)
        if assuming not in ("unknown", "satisfied", "unsatisfied"):
            raise Refused("invalid_argument", "assuming")
        fields = check_policy(definition["kind"], policy)
        times, band = self._options(definition["kind"], rest)
        there = self._conditions.get(identifier)
        is_kept = there is not None and self._is_nearly(there, definition, fields, tag, times, band)
        if is_kept and not (self.replaces_lists and there.timing != times):
            self._take_list(there, times)
            return
        self._add(identifier, definition, assuming, policy, tag, rest)

    @staticmethod
    def _options(kind, given):
        """Returns the timing and the band of a condition. Only shapes have bands."""
        given = dict(given)
        band = given.pop("band", None)
        if band is not None and kind in ("beacon", "line", "rule"):
            raise Refused("invalid_argument", "only a shape has a band")
        return Timing(kind, **given), None if band is None else Band(**band)

    @staticmethod
    def _is_nearly(there, definition, fields, tag, times, band):
        """Whether a condition is kept by `ensure`, which does not compare the list of intervals."""
        if (there.band is None) != (band is None) or (band is not None and not band.is_nearly(there.band)):
            return False
        if there.policy == fields and there.tag == tag and there.timing.compared == times.compared:
            old = there.definition
            if old["kind"] == definition["kind"] == "circle":
                if (
                    abs(old["latitude"] - definition["latitude"]) <= 1e-7
                    and abs(old["longitude"] - definition["longitude"]) <= 1e-7
                    and abs(old["radius"] - definition["radius"]) <= 0.5
                ):
                    return True
            elif old["kind"] == definition["kind"] and "shape" in old:
                if old["shape"].is_nearly(definition["shape"]):
                    return True
            elif old == definition:
                return True
        return False

    def _add(self, identifier, definition, assuming, policy, tag, rest):
        checked_identifier(identifier)
        if assuming not in ("unknown", "satisfied", "unsatisfied"):  # A32
            raise Refused("invalid_argument", "assuming")
        fields = check_policy(definition["kind"], policy)
        times, band = self._options(definition["kind"], rest)
        self._check_rules(identifier, definition)
        self._generations += 1
        old = self._conditions.pop(identifier, None)
        if old is not None:  # a replacement discards the old condition's record, pending event and event in flight (A1)
            self._forget_in_flight(old)
        if old is None or old.is_rule or definition["kind"] == "rule":  # a rule has no place under the limit
            self._ranks += 1
            rank = self._ranks
        else:
            rank = old.rank
        c = Condition(
            identifier, definition, fields, tag, self._generations, rank, assuming, (times, Occasions()), band
        )
        c.record = Event(c, state=assuming, cause="determination", date=self.clock, order=0, flags=())
        self._conditions[identifier] = c
        self._see_time(c)
        self._refresh_flags()
        self._begin_to_watch(c)
        if c.is_rule:
            c.seen = self._states(c)
        self._settle()

    def _begin_to_watch(self, c):
        """Looks back to the latest fix, after an add or a start."""
        if c.suspended:
            return
        self._watch_for_absence(c)
        if c.is_place:
            fix = self.latest_fix  # A4
            if fix is not None and self.clock - fix.time <= self.initial_fix_max_age:
                self._evaluate(c, fix, self.clock)
                self._tell_all()

    # Schedules -------------------------------------------------------------------------------------------------

    def _see_time(self, c):
        """Sets whether a condition is active at the clock. Before any time is known, no edge has passed."""
        o, known = c.occasions, self.clock is not None
        o.passed = self.clock
        o.is_open = c.timing.is_open(self.clock) if known else c.timing.active is None
        o.has_ended = known and c.timing.has_ended(self.clock)

    def _pass_edge(self, c):
        """Passes an edge at the clock. A start is as an add of the same definition, without a new generation."""
        before = c.occasions.is_open
        self._see_time(c)
        self._refresh_flags([c])
        if c.occasions.is_open and not before and "exhausted" not in c.flags:
            c.occasions.has_started = c.is_pending = True
            c.is_starting = self._looks_back
            self._begin_to_watch(c)

    def _take_list(self, c, times):
        """Takes over another list of intervals; what differs at the clock is an edge."""
        c.timing = times
        if self.clock is not None:
            self._pass_edge(c)
        self._settle()

    def _enqueue(self, c, event):
        """Appends an event, and counts it. The last event that a condition may have says that it is exhausted."""
        c.queue.append(event)
        if event.silent or event.cause == "diagnostic" or event.is_counted:
            return
        event.is_counted = True
        c.occasions.events += 1
        if c.occasions.events == c.timing.max_events:
            event.flags = event.flags | {"inactive", "exhausted"}
            self._refresh_flags([c])

    def _repeat(self, c):
        """Reports that the state still holds, even if the consumer knows it."""
        date = c.occasions.repeat
        c.occasions.count_repeat(c.timing)
        o = Observation("in", date, "repeat", None, None, evidence_date=c.observed.evidence_date)
        o.is_news = True

        def tell(number):
            o.order = number
            self._on_news(c, o)

        self._tell(1, date, tell, LAST if c.is_rule else 0)

    def remove(self, identifier):
        old = self._conditions.pop(identifier, None)
        if old is not None:
            self._forget_in_flight(old)
            self._refresh_flags()  # another condition may get the slot of the removed one
            self._settle()

    def sync(self, members):
        """Makes these conditions the only ones; each member is (identifier, kind, the kind's values, keyword
        arguments).

        A kind is "circle", "beacon", "shape" (whose only value is a Polygon or a Corridor), "gate" or "rule". Rules are
        looked at once, at the end.
        """
        definition = {
            "circle": self._circle,
            "beacon": self._beacon,
            "shape": self._shape,
            "gate": self._gate,
            "rule": self._rule,
        }
        ensure = {
            "circle": self.ensure_circle,
            "beacon": self.ensure_beacon,
            "shape": self.ensure_shape,
            "gate": self.ensure_gate,
            "rule": self.ensure_rule,
        }
        seen = {}
        for identifier, kind, values, rest in members:
            defined = definition[kind](*values)
            checked_identifier(identifier)
            more = {k: v for k, v in rest.items() if k not in ("assuming", "policy", "tag")}
            self._options(defined["kind"], more)
            check_policy(defined["kind"], rest.get("policy"))
            if rest.get("assuming", "unknown") not in ("unknown", "satisfied", "unsatisfied") or identifier in seen:
                raise Refused("invalid_argument", "a member of the set")
            seen[identifier] = defined
        check_table(seen)
        self._is_syncing = True
        for identifier in self.identifiers():
            if identifier not in seen:
                self.remove(identifier)
        for identifier, kind, values, rest in members:
            ensure[kind](identifier, *values, **rest)
        self._is_syncing = False
        self._settle()

    def identifiers_in_state(self, state):
        if state not in ("unknown", "satisfied", "unsatisfied"):
            raise Refused("invalid_argument", "state")
        return [c.identifier for c in self._in_add_order() if (c.observed.state if c.observed else "unknown") == state]

    def _forget_in_flight(self, condition):
        if self._in_flight is not None and self._in_flight[0] is condition:
            self._in_flight = None

    def _located(self, latitude, longitude):
        """Returns the conditions in the order in which they were added, each with the signed distance of a point from
        its boundary."""
        if not is_coordinate(latitude, longitude):
            raise Refused("invalid_argument", "coordinate")
        point = Fix(0, latitude, longitude, 0)
        return [(c, c.distance(point) - c.line) for c in self._in_add_order() if not c.is_beacon and not c.is_rule]

    def containing(self, latitude, longitude, altitude=math.nan, geoid_height=math.nan, ground_height=math.nan):
        """Returns the conditions that contain a point, regardless of their states. A limit of a band is ignored if the
        height for it is missing."""
        heights = Heights(altitude, 0.0, geoid_height, ground_height)
        return [
            (c.identifier, distance)
            for c, distance in self._located(latitude, longitude)
            if distance <= 0 and (c.band is None or c.band.contains(heights))
        ]

    def nearest(self, latitude, longitude, count):
        """Returns the `count` conditions whose boundaries are nearest to a point. A circle that contains the whole
        Earth (radius of half a meridian or more) has no boundary."""
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

    def feed_fix(self, time_us, latitude, longitude, accuracy=0.0, ellipse=None, heights=()):
        """`heights` are the altitude, its accuracy, and the heights of the geoid and the ground."""
        if not is_coordinate(latitude, longitude):
            self._statistics["invalid_fixes"] += 1
            raise Refused("invalid_argument", "coordinate")
        try:
            ellipse = checked_ellipse(ellipse)
        except Refused:
            self._statistics["invalid_fixes"] += 1
            raise
        if math.isnan(accuracy) or accuracy < 0:  # a fix without a position is ignored, whatever its time
            self._statistics["invalid_fixes"] += 1
            return "invalid"
        fix = Fix(time_us, latitude, longitude, accuracy, ellipse=ellipse, heights=Heights(*heights))
        self._refuse(time_us)
        verdict = self.plausibility.judge(self.latest_fix, fix)
        if verdict == "doubted":  # like a fix without a position, it moves nothing
            self._statistics["doubted_fixes"] += 1
            return verdict
        self._admit(time_us)
        self._walk(fix, is_known_way=verdict == "follows")
        self._pass_time(time_us)
        self.latest_fix = fix
        for c in self._in_add_order():
            if c.is_place and not c.suspended:
                self._evaluate(c, fix, time_us)
            c.is_new = False
        self._end(time_us, is_input=True)
        return verdict

    def _walk(self, fix, is_known_way=True):
        """Adds the fixes on the path from the latest fix, if the monitor has a path."""
        last = self.latest_fix
        if self.path != "geodesic" or last is None or fix.time < last.time:
            return
        if not is_known_way:  # the last fix of a chain of doubted fixes
            self._pass_time(fix.time)
            self._note_gap(fix)
            return
        way = Way(last, fix)
        if way.duration == 0:
            crossings = self._gate_crossings(way)
            if crossings and self.max_speed is not None:
                self._note_gap(fix)
            else:
                self._crossings = crossings
            return
        too_fast = self.max_speed is not None and way.length > self.max_speed * (way.duration / 1e6)
        if way.duration > self.max_gap or too_fast:
            self._pass_time(fix.time)
            self._note_gap(fix)
            return
        # A path lays no fixes for conditions with probabilities.
        places = [c for c in self._in_add_order() if c.is_place and not c.has_probability]
        first, end = max(self.clock, last.time + 1), fix.time - 1
        self._crossings = self._gate_crossings(way)
        if not places or first > end:
            return
        starts = {start for c in places for start, _ in c.timing.active or () if first < start <= end}
        for instant in sorted({*way.instants(places, first, end), *starts}):
            while True:  # a fix at the deadline confirms a candidate that waits for evidence
                waiting = [
                    c.candidate.deadline for c in places if c.candidate and c.policy["dwell_policy"] == "evidence"
                ]
                due = min((deadline for deadline in waiting if self.clock < deadline < instant), default=None)
                if due is None:
                    break
                self._lay(way, due, places)
            self._lay(way, instant, places)

    def _note_gap(self, fix):
        self.gap, self.gap_end = "next", fix.time

    def _gate_crossings(self, way):
        return sorted(
            (
                (max(instant, self.clock), c.generation, c, instant, direction, way)
                for c in self._in_add_order()
                if c.is_gate
                for instant, direction in c.definition["shape"].crossings(way.start, way.end)
                if not c.is_new or instant > self.clock
            ),
            key=lambda crossing: crossing[:2],
        )

    def _lay(self, way, instant, places):
        self._pass_time(instant)
        fix = Fix(instant, *way.place(instant), way.accuracy, "path", heights=way.heights(instant))
        for c in places:
            if not c.suspended:
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
        self._end(time_us, is_input=True)

    def set_scanning(self, on, time_us):
        self._begin(time_us)
        if on != self.scanning:
            self.scanning = on
            for c in self._in_add_order():
                if not c.is_beacon:
                    continue
                if on:
                    self._watch_for_absence(c)
                else:  # without scanning, the state is undetermined, no event is reported, and timers stop (A29)
                    c.observed = None
                    c.absence_deadline = None
                    c.occasions.forget_state()
        self._end(time_us, is_input=True)

    def set_host(self, flags=None, unsupported=None, time_us=None):
        """Changes the settings of the host; None leaves a setting unchanged."""
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
            self._end(time_us, is_input=True)

    def set_store(self, works):
        """Sets whether the store can be written; the monitor notices the change when its clock advances (A34)."""
        self.store_works = works
        self._refresh_flags()

    def advance(self, time_us):
        self._begin(time_us, is_word_of_host=True)
        self._end(time_us)

    def rewind(self, time_us):
        """Sets the clock back after inputs with wrong times: forgets the observed states, but not the reported
        states."""
        if self.clock is None or not EARLIEST <= time_us <= self.clock:
            raise Refused("invalid_argument", "time")
        self._statistics["accepted"] += 1
        self.clock = time_us
        self.latest_fix = self.gap = None
        self.plausibility.forget()
        for c in self._in_add_order():
            c.observed = c.candidate = c.last_fix = c.last_sighting = c.absence_deadline = None
            c.evidence_is_in = False
            c.is_new = True
            c.occasions.forget_state()
            c.occasions.has_started = False  # an event follows only if the state differs from the reported one
            self._see_time(c)
            self._refresh_flags([c])
            self._watch_for_absence(c)
        self._renew_rules()

    def _begin(self, time, is_word_of_host=False):
        """Accepts an input at `time`. Changes that are due strictly before the input take place first."""
        self._admit(time, is_word_of_host)
        self._pass_time(time)

    def _refuse(self, time, is_word_of_host=False):
        """Refuses an input with a wrong time, or while too many events wait."""
        if self._waiting() >= self.max_pending_events:
            raise Refused("queue_full")
        if self.clock is not None and time < self.clock:
            self._statistics["late_inputs"] += 1
            raise Refused("late_input")
        is_measured = not is_word_of_host and self.clock is not None and self.max_time_step is not None
        if is_measured and time - self.clock > self.max_time_step:
            self._statistics["ahead_inputs"] += 1
            raise Refused("ahead_of_clock")

    def _admit(self, time, is_word_of_host=False):
        self._refuse(time, is_word_of_host)
        self._statistics["accepted"] += 1
        if self.clock is None:
            self.clock = time
            for c in self._in_add_order():  # the first time that the clock shows starts the absence timers
                self._see_time(c)
                self._refresh_flags([c])
                self._watch_for_absence(c)

    def _pass_time(self, time):
        """Makes all changes that are due before an input's time, and passes the edges of schedules at that time."""
        self._fire(time, EDGE)
        self.clock = self._instant = time

    def _end(self, time, is_input=False):
        """After an input has been applied, makes all changes that are due at the input's time or earlier, and looks at
        the rules. `is_input` is false for an advance, and for a fix that is laid on a path."""
        self._serves_pending = is_input or self._looks_back
        self._fire(time, RULE_REPEAT)
        self._instant, self._serves_pending = None, False

    def _fire(self, time, last_phase, first_phase=EDGE):
        """Confirms the changes that are due up to the end of a phase of a time: by time, then phase, then add order."""
        while True:
            self._note()
            due = [((*item[:2], 0, 0, item[2].generation), *item[2:]) for item in self._due()]
            due = [item for item in (*due, *self._rules_due()) if item[0][:2] <= (time, last_phase)]
            due = [item for item in due if item[0][1] >= first_phase]
            if not due:
                if not self._untold:
                    break
                self._tell_all()  # the end of the instant may exhaust a part of a rule
                continue
            key, c, *crossing = min(due, key=lambda item: item[0])
            deadline, phase, level, *_ = key
            if self._untold and self._untold[-1][:2] < (deadline, level):
                self._tell_all()  # an instant ends, or its changes of rules of one depth, which may exhaust a condition
                continue
            # With the dwell policy `evidence`, a fix may confirm a change after its deadline.
            self._instant = max(deadline, self.clock)
            if phase >= RULE:
                self._apply_to_rule(key, c)
            elif phase == EDGE:
                self.clock = deadline
                self._pass_edge(c)
            elif phase == REPEAT:
                self._repeat(c)
            elif c.is_gate:
                self._crossings.remove((deadline, c.generation, c, *crossing))
                self._cross(c, deadline, *crossing)
            elif c.candidate is not None:
                self._confirm(c)
            elif c.is_place:
                c.occasions.absence = None
                self._observe(c, "out", deadline, "timeout")
            else:
                c.absence_deadline = None
                self._observe(c, "out", deadline, "timeout", evidence_date=c.last_sighting)

    def _tell(self, turn, date, tell, level=0):
        """Numbers a change. With the order `exits_first`, the change waits until its instant has ended: of the
        changes of one instant, those to unsatisfied have the first turn (0), those to satisfied the second, and
        crossings of gates the last. The changes of rules come after these, by depth: `level` is the depth."""
        self._untold.append((date, level, turn if self.order == "exits_first" else 0, tell))
        if self.order == "add":
            self._tell_all()

    def _tell_all(self):
        changes, self._untold = sorted(self._untold, key=lambda change: change[:3]), []
        for *_, tell in changes:
            tell(self._next_change())

    def _due(self):
        """Returns all that will be due, each as (time, phase, condition, ...)."""
        for c in self._conditions.values():
            if c.timing.active is not None and c.occasions.passed is not None and "exhausted" not in c.flags:
                edge = c.timing.next_edge(c.occasions.passed)
                if edge is not None:
                    yield edge, EDGE, c
            if c.is_rule:  # what else is due is in `_rules_due`
                continue
            if c.candidate is not None and (c.evidence_is_in or c.policy["dwell_policy"] == "timer"):
                yield c.candidate.deadline, CONFIRMATION, c
            for deadline in (c.absence_deadline, c.occasions.absence):
                if deadline is not None:
                    yield deadline, CONFIRMATION, c
            if c.occasions.repeat is not None:
                yield c.occasions.repeat, REPEAT, c
        for deadline, _, c, *crossing in self._crossings:
            yield deadline, CONFIRMATION, c, *crossing

    def _waiting(self):
        in_flight = None if self._in_flight is None else self._in_flight[1]
        return sum(1 for c in self._conditions.values() for e in c.queue if not e.silent and e is not in_flight)

    # Detectors -------------------------------------------------------------------------------------------------

    def _evaluate(self, c, fix, now):
        d = c.distance(fix)
        side = c.side(d, fix)
        c.last_fix = (fix, d)
        if side is None:
            return  # without a height that the band needs, nothing changes
        if c.observed is None:
            decided = c.determined_side(d, fix, self.accuracy_confidence)
            if decided is not None:
                self._observe(
                    c, decided, now, "determination", evidence_date=fix.time, evidence=self._evidence(c, fix, d)
                )
        elif side == c.observed.side:
            c.candidate = None
        else:
            if c.candidate is None and c.is_decisive(d, side, fix, self.accuracy_confidence):
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
            decided=candidate.fix.time if c.policy["dwell_policy"] == "timer" else date,
            evidence=self._evidence(c, candidate.fix, candidate.distance),
        )

    def _cross(self, c, date, instant, direction, way):
        """A gate has no state: each crossing produces an event, even if the clock is already past the time of the
        crossing."""
        if c.suspended:
            return
        fix = way.end if instant == way.end.time else Fix(instant, *way.place(instant), way.accuracy, "path")
        event = Event(
            c,
            state="unknown",
            cause="crossing",
            date=date,
            order=None,
            flags=c.flags,
            evidence_date=instant,
            evidence=self._evidence(c, fix, 0.0),
            follows_gap=self._tells_gap(date, instant, True),
            direction=direction,
        )

        def tell(number):
            event.order = number
            if "exhausted" not in c.flags:
                self._enqueue(c, event)

        self._tell(2, date, tell)

    def _evidence(self, c, fix, d):
        p = c.probability(d, fix, self.accuracy_confidence) if c.has_probability else None
        v = None if c.band is None else c.vertical(fix).distance
        return dict(
            latitude=fix.latitude,
            longitude=fix.longitude,
            accuracy=fix.accuracy,
            boundary_distance=d - c.line,
            evidence=fix.source,
            probability=None if p is None or math.isnan(p) else p,
            vertical_distance=None if v is None or math.isnan(v) else v,
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
        """Starts the initial timer of a condition if the condition is undetermined and can be observed."""
        if c.is_place and not c.suspended and c.observed is None and self.clock is not None:
            after = c.timing.absent_after
            c.occasions.absence = None if after is None else self.clock + after
        if c.is_beacon and self.scanning and not c.suspended and c.observed is None and self.clock is not None:
            c.absence_deadline = self.clock + self.beacon_initial_timeout

    def _observe(self, c, side, date, cause, decided=None, level=0, **evidence):
        transition = "initial" if c.observed is None else ("entry" if side == "in" else "exit")
        o = c.observed = Observation(side, date, cause, transition, None, **evidence)
        c.occasions.forget_state()
        c.occasions.begin_stay(c.timing, o)
        if transition == "initial":
            # The first determination since a start is always news, unless it agrees with the assumed state.
            o.is_news = c.occasions.has_started and o.state != c.assuming and "initial" in c.policy["notify"]
            c.occasions.has_started = False
        if decided is not None:
            o.decided = decided
        if c.is_place or (c.is_rule and o.evidence["latitude"] is not None):
            reported = (c.queue[-1] if c.queue else c.record).state
            is_event = transition in c.policy["notify"] and (
                o.is_news or o.state != reported or (c.queue and self.delivery != "every")
            )
            o.follows_gap = self._tells_gap(date, o.decided, is_event)

        def tell(number):
            assert c.observed is o
            o.order = number
            self._on_observed(c)

        self._tell(1 if side == "in" else 0, date, tell, level)

    def _tells_gap(self, date, decided, is_event):
        """The first change that a position after a gap decides reports the gap; other such changes at the same instant
        also report it. If a change produces no event, the next change reports the gap instead."""
        if self.gap not in ("next", date):
            self.gap = None
        if self.gap is None or decided is None or decided < self.gap_end:
            return False
        if is_event:
            self.gap = date
        return True

    def _next_change(self):
        self._changes += 1
        return self._changes

    # Flags -----------------------------------------------------------------------------------------------------

    def _flags_now(self, c):
        flags = set() if c.is_rule else set(self.host_flags)  # the flags of a rule are those of its parts
        if c.definition["kind"] in self.unsupported:
            flags.add("condition_unsupported")
        if self.condition_limit is not None and not c.is_rule:
            ahead = sum(1 for other in self._conditions.values() if other.rank < c.rank and not other.is_rule)
            if ahead >= self.condition_limit:
                flags.add("condition_limit_exceeded")
        if not self.store_works:
            flags.add("persistence_unavailable")
        if c.occasions.events == c.timing.max_events:
            flags |= {"inactive", "exhausted"}
        else:
            if not c.occasions.is_open:
                flags.add("inactive")
            if c.occasions.has_ended:
                flags |= {"inactive", "schedule_ended"}
        return frozenset(flags)

    def _refresh_flags(self, conditions=None):
        for c in self._in_add_order() if conditions is None else conditions:
            now = self._flags_now(c)
            if now == c.flags:
                continue
            was_suspended = c.suspended
            change = self._next_change()
            if has_news(now, c.flags):  # monitoring that resumes causes no event, so the date of the flags stays
                c.flags_date, c.flags_order = self.clock, change
            if "condition_unsupported" in now - c.flags:
                c.last_sighting = None  # no evidence for a state that is determined when the kind is supported again
            c.flags = now
            if c.suspended:  # a suspension clears the observation and the candidate, but never a pending event
                c.observed = c.candidate = c.absence_deadline = c.last_fix = None
                c.evidence_is_in = False
                c.occasions.forget_state()
            elif was_suspended:
                c.is_new = True
                self._watch_for_absence(c)
            self._on_flags(c)

    # Events ----------------------------------------------------------------------------------------------------

    def _event_of_observation(self, c, o, before):
        is_repeat = o.cause == "repeat"  # which ignores `notify`, and shows the beacon of the event before it
        silent = not is_repeat and o.transition not in c.policy["notify"]
        flags = c.flags
        if silent:
            # `notify` does not apply to diagnostic events, so flags are still reported after a silent change.
            flags = before.flags - (UNMONITORED_FLAGS - c.flags)
        return Event(
            c,
            state=o.state,
            cause=o.cause,
            date=o.date,
            order=o.order,
            flags=flags,
            evidence_date=o.evidence_date,
            refinement=before.refinement if is_repeat else o.refinement,
            evidence=o.evidence,
            decided_by=o.decided_by,
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
        if c.observed.is_news:
            self._on_news(c, c.observed)
        elif self.delivery == "every":
            before = c.queue[-1] if c.queue else c.record
            if c.observed.state != before.state:
                self._enqueue(c, self._event_of_observation(c, c.observed, before))
                self._apply_silent(c)
        elif not c.queue:
            self._build(c)
        elif self.delivery == "latest" and not c.queue[0].handed_out:
            waiting = c.queue[0]
            differs = c.observed.state != c.record.state
            if differs or waiting.state != c.record.state:
                c.queue.clear()
                event = self._event_of_observation(c, c.observed, c.record)
                event.is_counted = waiting.is_counted
                if event.silent:
                    self._build(c)  # the record changes without an event
                elif differs or event.flags - {"inactive"} != c.record.flags - {"inactive"}:
                    self._enqueue(c, event)

    def _on_news(self, c, o):
        """Reports an observation that is always news: it is not compared with the reported state."""
        if self.delivery == "every":
            self._enqueue(c, self._event_of_observation(c, o, c.queue[-1] if c.queue else c.record))
        elif not c.queue:
            self._enqueue(c, self._event_of_observation(c, o, c.record))
        elif self.delivery == "latest" and not c.queue[0].handed_out:
            waiting = c.queue.pop()
            event = self._event_of_observation(c, o, waiting if waiting.state == "satisfied" else c.record)
            event.is_counted = waiting.is_counted
            self._enqueue(c, event)
        else:
            c.occasions.news = o  # reported at the commit, if the state still holds then

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
                event.is_counted = waiting.is_counted
                c.queue.clear()
                if (event.state, event.flags - {"inactive"}) != (c.record.state, c.record.flags - {"inactive"}):
                    c.queue.append(event)

    def _build(self, c):
        """With delivery `first` or `latest` and no pending event, builds at most one event from the present state."""
        news, c.occasions.news = c.occasions.news, None
        o = news or c.observed
        if news is not None or (o is not None and o.state != c.record.state):
            event = self._event_of_observation(c, o, c.record)
            if not event.silent:
                self._enqueue(c, event)
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
            self._settle(is_commit=True)  # the event may have exhausted a part of a rule

    def restart(self):
        """Closes and reopens the monitor: only events that were not acknowledged are redelivered, and nothing else
        changes."""
        self._in_flight = None

    abandon = restart  # a consumer that stops has the same effect as a restart (A14)

    # Reading ---------------------------------------------------------------------------------------------------

    def record(self, identifier):
        c = self._conditions.get(identifier)
        if c is None:
            return None
        event = copy.copy(c.record)
        event.flags = event.flags - {"inactive"} | c.flags & {"inactive"}
        band = None if c.band is None else c.band.as_dict()
        return dict(condition=dict(c.definition), band=band, last_event=event.as_dict())

    def statistics(self):
        return dict(self._statistics, waiting=self._waiting())

    def explain(self, identifier):
        """Returns why the condition is in its state, and the smallest change that would decide the state."""
        c = self._conditions.get(identifier)
        if c is None:
            return None
        doubt = self.plausibility.explained(None if c.is_beacon or c.is_rule else self.latest_fix)
        if c.is_rule:
            return self._explain_rule(c) | doubt
        return explain(c, self.clock, self.scanning, self.accuracy_confidence) | {"parts": None} | doubt
