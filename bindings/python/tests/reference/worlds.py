"""Random worlds in which features of a monitor meet: an engine and the reference get the same calls, and must give the
same events and answers.

A world has a set of features: P probabilities, L plausibility, S schedules, H heights, R rules, O the order
`exits_first`. Without a feature, the world has none of its options and columns. Each event shows which features decided
it; the world counts them, and their pairs, so that a test can assert that they met.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable
from itertools import combinations
from types import SimpleNamespace
from typing import Any, NamedTuple

from conftest import SECOND
from pytest import approx
from reference import ReferenceMonitor
from reference_adapter import reference_policy, reference_timing, same_event
from reference_probability import around
from reference_rules import Rule as ReferenceRule
from reference_values import Fix as ReferenceFix, Refused

from fencepost import (
    AltitudeBand,
    Beacon,
    BeaconSighting,
    Circle,
    Diagnostics,
    DwellPolicy,
    Event,
    Fix,
    Monitor,
    Notify,
    Rule,
    Schedule,
    Timing,
    TransitionPolicy,
    geodesic,
)
from fencepost.errors import FencepostError

FEATURES = "PLSHRO"
START = 1_700_000_000 * SECOND
NAN = math.nan
UUID = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"
CENTRES = ((47.56, 7.59), (0.0, 0.0), (-17.0, 180.0), (89.9985, 40.0), (-60.0, -180.0))
SHAPES, BEACONS, RULES = [f"c{n}" for n in range(5)], ["k0", "k1"], [f"r{n}" for n in range(4)]
STATES = ("unknown", "satisfied", "unsatisfied")
HEIGHTS = ("altitude", "vertical_accuracy", "geoid_height", "ground_height")
REFERENCES = ("ellipsoid", "mean_sea_level", "ground")
PRESETS = (TransitionPolicy.exact(), TransitionPolicy.standard(), TransitionPolicy.core_location())


def quarter(source: random.Random, low: float, high: float) -> float:
    """A multiple of 0.25, so that heights and limits are often equal, and all their sums are exact."""
    return source.randrange(int(4 * low), int(4 * high)) / 4


def drawn_notify(source: random.Random) -> Notify:
    return source.choice([Notify(0), Notify.ENTRY | Notify.EXIT, *[Notify(7)] * 3])


def drawn_band(source: random.Random) -> AltitudeBand:
    """A band with any references; one of its limits may be infinite."""
    low = quarter(source, -50, 400)
    high = low + source.choice([0.25, 12.0, 60.0, 250.0, 800.0])
    below, above = source.choice(REFERENCES), source.choice(REFERENCES)
    if below != above and source.random() < 0.3:
        low, high = high, low
    which = source.random()
    if which < 0.15:
        low = -math.inf
    elif which < 0.3:
        high = math.inf
    return AltitudeBand(low, high, min_reference=below, max_reference=above)


def drawn_timing(source: random.Random, kind: str, now: int) -> Timing:
    """A timing whose edges are often times of inputs."""
    given: dict[str, Any] = {}
    if source.random() < 0.7:
        edges = sorted({now + source.randrange(-30, 500) * SECOND for _ in range(8)})
        intervals = [(start, end) for start, end in zip(edges[::2], edges[1::2], strict=False)]
        given["active"] = Schedule(intervals, until=source.choice([None, edges[-1]]))
    if source.random() < 0.5:
        given |= {"repeat_every": source.choice([1, 7, 30]), "repeat_limit": source.choice([1, 5])}
    if source.random() < 0.2:
        given["max_events"] = source.choice([1, 2, 5])
    if kind == "circle" and source.random() < 0.4:
        given["absent_after"] = source.choice([1, 20])
    return Timing(**given)


def drawn_rule(source: random.Random) -> Rule:
    parts = source.sample([*SHAPES, *BEACONS], source.randint(1, 4))
    if source.random() < 0.4:
        parts.append(source.choice([*RULES, "x"]))
    form = source.choice(["all", "any", "none", "at_least"])
    return Rule(form, parts, source.randint(1, len(parts)) if form == "at_least" else None)


def both(ours: Callable[[], object], theirs: Callable[[], object]) -> bool:
    """Calls both; returns False if they refuse the call, which must then be for the same reason."""
    mine = other = None
    try:
        ours()
    except FencepostError as error:
        mine = error.name
    try:
        theirs()
    except Refused as refused:
        other = refused.status
    assert mine == other
    return mine is None


class Input(NamedTuple):
    """A fix, as the reference takes it."""

    time: int
    latitude: float
    longitude: float
    accuracy: float
    ellipse: tuple[float, float, float] | None
    heights: tuple[float, ...]

    @property
    def fix(self) -> Fix:
        rest: dict[str, Any] = dict(zip(HEIGHTS, self.heights))
        rest |= {} if self.ellipse is None else {"error_ellipse": self.ellipse}
        return Fix(self.latitude, self.longitude, self.accuracy, time=self.time, **rest)


class Watched(ReferenceMonitor):
    """A reference that notes whether a fix ended a chain of doubted fixes, and whether changes were reordered."""

    is_reordered = has_ended_doubts = False
    """Whether events were reordered, and whether doubts ended, since the last comparison."""

    def _tell_all(self) -> None:
        keys = [change[:3] for change in self._untold]
        self.is_reordered |= keys != sorted(keys)
        super()._tell_all()

    def feed_fix(self, *arguments: Any, **rest: Any) -> str:
        had_doubts = bool(self.plausibility.chain)
        verdict: str = super().feed_fix(*arguments, **rest)
        self.has_ended_doubts |= had_doubts and not self.plausibility.chain
        return verdict


class World:
    """A monitor of the engine and one of the reference, with the same calls."""

    def __init__(self, source: random.Random, features: str, delivery: str) -> None:
        self.source, self.features = source, features
        self.counts: Counter[str] = Counter()
        self.names = SHAPES + (BEACONS if "R" in features else BEACONS[:1]) + (RULES if "R" in features else [])
        self.centre = source.choice(CENTRES)
        # Between two places, a device leaves and enters several circles at the same instant.
        self.other_site = around(*self.centre, 70, 700) if "O" in features else None
        options: dict[str, Any] = {
            "delivery": delivery,
            "initial_fix_max_age": source.choice([60, None]),
            "condition_limit": source.choice([None, None, None, 4]),
            "beacon_exit_timeout": 10,
            "beacon_initial_timeout": 10,
        }
        if source.random() < 0.4:
            options |= {"path": "geodesic", "max_gap": source.choice([30, 300])}
            options |= {"max_speed": 40} if source.random() < 0.3 else {}
        if "P" in features:
            options["accuracy_confidence"] = source.choice([0.68, 0.68, 0.95])
        if "L" in features:
            options |= {
                "plausible_speed": source.choice([20.0, 60.0]),
                "corroboration_count": source.choice([2, 2, 3]),
                "corroboration_time": source.choice([0.0, 0.0, 5.0]),
            }
        if "O" in features:
            options["order"] = "exits_first"
        self.has_path = "path" in options
        self.ours, self.theirs = Monitor(**options), Watched(**options)
        self.time, self.at, self.altitude, self.ground = START, self.centre, quarter(source, 0, 400), 100.0
        self.wrong, self.wrong_left = self.centre, 0
        self.is_denied = False
        self.slept: set[int] = set()  # the generations of conditions that have been inactive
        self.previous: dict[str, Any] | None = None  # the event before, for the order within an instant

    # Definitions -----------------------------------------------------------------------------------------------------

    def policy(self, kind: str) -> TransitionPolicy:
        source = self.source
        if kind == "circle" and source.random() < 0.3 and "P" not in self.features:
            return source.choice(PRESETS)
        entry, leave = source.choice([*[(0, 0)] * (6 if "O" in self.features else 2), (5, 5), (0, 20), (17, 3)])
        fields: dict[str, Any] = {"entry_dwell": entry, "exit_dwell": leave, "notify": drawn_notify(source)}
        if kind == "circle":
            fields["dwell_policy"] = source.choice([DwellPolicy.TIMER, DwellPolicy.TIMER, DwellPolicy.EVIDENCE])
            fields["vertical_margin"] = source.choice([0, 10, 25]) if "H" in self.features else 0
        fields |= {"entry_margin": source.choice([0, 20]), "exit_margin": source.choice([0, 20]), "accuracy_factor": 0}
        if kind == "circle" and "P" in self.features and source.random() < 0.6:
            fields["entry_probability"] = source.choice([0.51, 0.75, 0.99])
            fields["exit_probability"] = source.choice([0.49, 0.25, 0.01])
        elif kind == "circle":
            fields["accuracy_factor"] = source.choice([0, 0, 2])
        return TransitionPolicy(**fields)

    def definition(self, name: str) -> SimpleNamespace:
        """Returns a random condition for an engine, and in `theirs` the call of the reference that adds it."""
        source, rest = self.source, {"assuming": self.source.choice([*STATES, "unsatisfied"])}
        site, reach = self.centre, 250
        if self.other_site is not None:
            site, reach = source.choice([self.centre, self.other_site]), 100
        centre = around(*site, source.uniform(0, 360), source.uniform(0, reach))
        condition: Any
        values: tuple[Any, ...]
        if name in RULES:
            condition = drawn_rule(source)
            count = condition.count if condition.form == "at_least" else None
            kind, values = "rule", (ReferenceRule(condition.form, list(condition.parts), count),)
        elif name in BEACONS:
            condition, kind, values = Beacon(UUID, 1, int(name[1:])), "beacon", (UUID, 1, int(name[1:]))
        else:
            kind, values = "circle", (*centre, source.uniform(60, 300))
            condition = Circle(*values)
        timing = drawn_timing(source, kind, self.time) if "S" in self.features and source.random() < 0.6 else None
        band = drawn_band(source) if "H" in self.features and kind == "circle" and source.random() < 0.8 else None
        policy = self.policy(kind)
        theirs = rest | {"policy": reference_policy(policy)}
        theirs |= {} if timing is None else reference_timing(timing)
        theirs |= {} if band is None else {"band": band.to_dict() | {"min": band.min, "max": band.max}}
        return SimpleNamespace(
            identifier=name, condition=condition, policy=policy, timing=timing, band=band, tag=0, **rest,
            theirs=(name, kind, values, theirs),
        )  # fmt: skip

    def add(self, name: str) -> None:
        new, verb = self.definition(name), self.source.choice(["add", "add", "ensure"])
        rest = {"policy": new.policy, "timing": new.timing, "assuming": new.assuming}
        rest |= {} if new.band is None else {"band": new.band}
        _, kind, values, theirs = new.theirs
        both(
            lambda: getattr(self.ours, verb)(new.condition, name, **rest),
            lambda: getattr(self.theirs, f"{verb}_{kind}")(name, *values, **theirs),
        )

    def change(self) -> None:
        """Changes the table, restarts the monitors, or sets their clocks back."""
        source, what = self.source, self.source.random()
        if what < 0.2:
            name = source.choice(self.names)
            both(lambda: self.ours.remove(name), lambda: self.theirs.remove(name))
        elif what < 0.4:
            self.ours = self.ours.fork() if source.random() < 0.5 else Monitor.restore(self.ours.snapshot())
            self.theirs.restart()
        elif what < 0.45 and self.theirs.clock is not None:
            back = self.theirs.clock - source.choice([0, 1, 30]) * SECOND
            if both(lambda: self.ours.rewind(back), lambda: self.theirs.rewind(back)):
                self.time = back
        elif what < 0.55:
            members = [self.definition(name) for name in self.names if source.random() < 0.9]
            both(lambda: self.ours.sync(members), lambda: self.theirs.sync([each.theirs for each in members]))
        else:
            self.add(source.choice(self.names))

    # Inputs ----------------------------------------------------------------------------------------------------------

    def fix(self) -> Input:
        """The next fix of a device that walks, flies, and sometimes seems to jump or has a wrong date."""
        source = self.source
        self.time += source.choice([0, 0, 1, 5, 5, 20, 40]) * SECOND
        azimuth = source.uniform(-180, 180)
        self.at = around(*self.at, azimuth, source.choice([0, source.uniform(0, 150)]))
        if self.other_site is not None and source.random() < 0.8:
            self.at = around(*source.choice([self.centre, self.other_site]), azimuth, source.uniform(0, 60))
        elif geodesic.inverse(*self.at, *self.centre).distance > 350:
            self.at = around(*self.centre, azimuth, source.uniform(0, 250))
        place, date = self.at, self.time + (source.choice([-3, -50]) * SECOND if source.random() < 0.04 else 0)
        if "L" in self.features:
            if source.random() < 0.15:
                far = source.choice([150.0, 150.0, 250.0, 400.0, 800.0, 9e6])
                self.wrong, self.wrong_left = around(*self.at, azimuth, far), source.choice([1, 3, 6, 6])
            if self.wrong_left > 0:
                place, self.wrong_left = self.wrong, self.wrong_left - 1
                date += source.choice([0] * 12 + [100]) * SECOND
                if self.wrong_left == 0 and source.random() < 0.5:
                    self.at = self.wrong  # the device has jumped
        accuracy = source.choice([0.0, 5.0, 5.0, 30.0, 60.0, -1.0])
        ellipse, heights = None, ()
        if "P" in self.features:
            accuracy = source.choice([0.0, 5.0, 30.0, 60.0, 60.0, 20_000.0, -1.0])
            if source.random() < 0.3:
                major = source.choice([0.0, 10.0, 40.0])
                ellipse = major, major * source.choice([0.1, 0.3, 1.0]), source.uniform(-400, 400)
        elif source.random() < 0.1:
            accuracy = source.choice([400.0, 20_000.0])
        if "H" in self.features:
            self.altitude += quarter(source, -120, 120) if source.random() < 0.6 else 0.0
            self.altitude = min(max(self.altitude, -50.0), 600.0)
            self.ground = quarter(source, 60, 180) if source.random() < 0.3 else self.ground
            heights = (
                source.choice([self.altitude] * 15 + [NAN, math.inf]),
                source.choice([0.0] * 4 + [2.0, 15.0, 120.0, 700.0, -1.0, NAN, math.inf]),
                source.choice([47.5] * 15 + [NAN]),
                source.choice([self.ground] * 15 + [NAN]),
            )
        return Input(date, *place, accuracy, ellipse, heights)

    def is_undecided(self, given: Input) -> bool:
        """Whether a probability of a fix is so near to a threshold that its error could decide."""
        if "P" not in self.features or not given.accuracy >= 0:
            return False
        fix = ReferenceFix(*given[:4], ellipse=given.ellipse)
        zones = [c for c in self.theirs._conditions.values() if c.is_place]
        return any(c.is_near_threshold(c.distance(fix), fix, self.theirs.accuracy_confidence) for c in zones)

    def take_all(self, fixes: list[Input]) -> None:
        for fix in fixes:
            try:
                self.theirs.feed_fix(*fix)
            except Refused as refused:
                assert refused.status == "late_input"

    def input(self) -> None:
        source, what = self.source, self.source.random()
        time = self.time = self.time + (0 if what < 0.75 else source.choice([0, 1, 5, 20, 40])) * SECOND
        if self.is_denied or what > 0.97:
            self.is_denied = not self.is_denied or source.random() < 0.5
            flags = Diagnostics.AUTHORIZATION_DENIED if self.is_denied else Diagnostics(0)
            names = ["authorization_denied"] if self.is_denied else []
            both(
                lambda: self.ours.set_host(flags, time=time),
                lambda: self.theirs.set_host(names, [], time),
            )
        elif what < 0.75:
            fixes = [self.fix() for _ in range(source.choice([1, 1, 1, 1, 4]))]
            fixes = [fix for fix in fixes if not self.is_undecided(fix)]
            if len(fixes) == 1:
                both(lambda: self.ours.feed(fixes[0].fix), lambda: self.theirs.feed_fix(*fixes[0]))
            elif fixes:
                both(lambda: self.ours.feed_many([each.fix for each in fixes]), lambda: self.take_all(fixes))
            if fixes and source.random() < 0.2:
                self.ask(fixes[-1])
        elif what < 0.85:
            seen = [number for number in range(2) if source.random() < 0.6]
            both(
                lambda: self.ours.feed_sightings([BeaconSighting(UUID, 1, n, -60) for n in seen], time=time),
                lambda: self.theirs.feed_sightings(time, [(UUID, 1, n, -60) for n in seen]),
            )
        elif what < 0.92:
            is_on = source.random() < 0.8
            both(lambda: self.ours.set_scanning(is_on, time=time), lambda: self.theirs.set_scanning(is_on, time))
        else:
            both(lambda: self.ours.advance(time), lambda: self.theirs.advance(time))

    # Comparisons -----------------------------------------------------------------------------------------------------

    def ask(self, fix: Input) -> None:
        """Asks which conditions contain a place; some heights are missing, and a limit without its height is
        ignored."""
        asked = {HEIGHTS[i]: self.source.choice([fix.heights[i], NAN]) for i in (0, 2, 3) if fix.heights}
        place = fix.latitude, fix.longitude
        expected = [name for name, _ in self.theirs.containing(*place, *asked.values())]
        assert self.ours.containing(*place, **asked) == expected

    def compare(self, count: int = 100) -> bool:
        """Compares events and answers; returns whether no events are left."""
        conditions = self.theirs._conditions
        asleep = {c.generation for c in conditions.values() if "inactive" in c.flags}
        is_empty = False
        for _ in range(count):
            found, expected = self.ours.next_event(), self.theirs.next_event()
            assert (found is None) == (expected is None), (found, expected)
            if found is None or expected is None:
                is_empty = True
                break
            self.same(found, expected)
            self.count(expected, asleep)
        self.theirs.is_reordered = self.theirs.has_ended_doubts = False
        self.slept |= asleep
        assert self.ours.identifiers == self.theirs.identifiers()
        assert self.ours.clock_us == self.theirs.clock
        for state in STATES:
            assert self.ours.identifiers_in_state(state) == self.theirs.identifiers_in_state(state)
        counters, expected = self.ours.statistics(), self.theirs.statistics()
        for counter in ("doubted_fixes", "late_inputs", "invalid_fixes"):
            assert getattr(counters, counter) == expected[counter]
        for name in conditions:
            self.same_explanation(name)
        return is_empty

    def same(self, found: Event, expected: dict[str, Any]) -> None:
        """Asserts that two events are equal; an event on a path may differ by a microsecond, and so by a place."""
        assert (found.decided_by, found.follows_gap) == (expected["decided_by"], expected["gap"]), (found, expected)
        for name, error in (("probability", 2e-6), ("vertical_distance", 1e-3 if self.has_path else 1e-9)):
            assert getattr(found, name) == (None if expected[name] is None else approx(expected[name], abs=error))
        if not self.has_path:
            same_event(found, expected)
            return
        keys = ("sequence", "identifier", "state", "cause", "evidence", "generation")
        mine = [None if getattr(found, key) is None else str(getattr(found, key)) for key in keys]
        assert mine == [None if expected[key] is None else str(expected[key]) for key in keys]
        for date, other in ((found.date_us, expected["date"]), (found.evidence_date_us, expected["evidence_date"])):
            assert date == (None if other is None else approx(other, abs=1))
        if expected["latitude"] is not None:
            place = geodesic.inverse(found.latitude, found.longitude, expected["latitude"], expected["longitude"])
            assert place.distance < 1e-3

    def same_explanation(self, name: str) -> None:
        mine, other = self.ours.explain(name), self.theirs.explain(name)
        assert (str(mine.reason), str(mine.observed)) == (other["reason"], other["state"]), name
        self.counts[other["reason"]] += 1
        deadline = other["absence_deadline"] if other["candidate_deadline"] is None else other["candidate_deadline"]
        assert mine.deadline_us == (None if deadline is None else approx(deadline, abs=self.has_path))
        for key in ("probability", "vertical_distance"):
            assert getattr(mine, key) == (None if other[key] is None else approx(other[key], abs=2e-6)), (name, key)
        if mine.parts is not None or other["parts"] is not None:
            parts = [{"identifier": part.identifier, "state": str(part.state)} for part in mine.parts or ()]
            assert parts == other["parts"]
        assert (mine.doubt.corroborations if mine.doubt else 0) == other["corroborations"]
        if mine.doubt:
            assert mine.doubt.distance == approx(other["doubted_distance"], abs=1e-6)
            assert mine.doubt.seconds == other["doubted_seconds"]

    def count(self, event: dict[str, Any], asleep: set[int]) -> None:
        """Counts the features that decided an event, and their pairs."""
        p, v, d, cause = (event[key] for key in ("probability", "vertical_distance", "boundary_distance", "cause"))
        is_timeout = cause == "timeout" and event["identifier"] in SHAPES
        has_slept = {event["generation"], event["decided_by"]} & (self.slept | asleep)
        signs = {
            "P": p is not None and 0 < p < 1,
            "L": self.theirs.has_ended_doubts,
            "S": cause == "repeat" or is_timeout or "exhausted" in event["diagnostics"] or bool(has_slept),
            "H": v is not None and d <= 0 and (v > 0 or event["state"] == "satisfied"),
            "R": event["identifier"] in RULES and cause != "diagnostic",
            "O": self.theirs.is_reordered and self.is_out_of_add_order(event),
        }  # fmt: skip
        seen = [feature for feature in self.features if signs[feature]]
        self.previous = event
        self.counts.update(seen)
        self.counts.update(map("".join, combinations(seen, 2)))

    def is_out_of_add_order(self, event: dict[str, Any]) -> bool:
        """Whether an entry follows the exit of a later condition at the same instant."""
        before = self.previous
        return (
            before is not None
            and before["date"] == event["date"]
            and (before["state"], event["state"]) == ("unsatisfied", "satisfied")
            and before["generation"] > event["generation"]
        )

    def play(self, steps: int) -> Counter[str]:
        source, is_every = self.source, self.theirs.delivery == "every"
        for name in self.names:
            if source.random() < 0.9:
                self.add(name)
        for _ in range(steps):
            self.input()
            if source.random() < 0.1:
                self.change()
            self.compare(100 if is_every else source.choice([0, 1, 100]))
            if self.theirs.clock is not None:
                self.time = max(self.time, self.theirs.clock)
        while not self.compare():
            pass
        self.counts["doubted"] = self.theirs.statistics()["doubted_fixes"]
        return self.counts
