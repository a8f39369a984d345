"""Runs conformance scenarios (format: Tests/Conformance/README.md) against the reference model.

    python run_reference_corpus.py [--restart-every-step] [FILE...]

If no files are named, the script runs all scenarios in Tests/Conformance and in its folder Shapes. The script prints
one block per failure, and at the end ``N passed, N failed``.
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import pathlib
import re
import sys

from geographiclib.geodesic import Geodesic
from reference import ReferenceMonitor
from reference_gate import Gate
from reference_rules import RuleDefect, rule_from
from reference_shapes import Corridor, Defect, Polygon, corridor_from, line_from, polygon_from
from reference_values import Refused

CORPUS = pathlib.Path(__file__).resolve().parents[4] / "Tests" / "Conformance"
# The reorderer is not part of the engine; tests/monitor/test_reorderer.py contains its reference.
FILES = sorted(path for path in CORPUS.rglob("*.json") if path.parent.name != "Reorder")
VERBS = (
    "advance",
    "rewind",
    "sync",
    "identifiers_in_state",
    "add",
    "ensure",
    "fix",
    "see",
    "scanning",
    "host",
    "next",
    "acknowledge",
    "record",
    "identifiers",
    "remove",
    "restart",
    "refused",
    "statistics",
    "explain",
    "open",
    "close",
    "iterate",
    "cancel",
    "store",
    "nearest_boundary_point",
    "containing",
    "nearest",
)
EVENT_TIMES = ("date", "evidence_date")
TIMING_KEYS = ("active", "active_until", "absent_after", "repeat_every", "repeat_limit", "max_events")
EXPLAIN_TIMES = ("candidate_since", "candidate_deadline", "last_sighting", "absence_deadline")


# The tolerance for a corpus: shapes.md guarantees distances to 15 nm, and the reference has about the same error.
TOLERANCES = {"boundary_distance": 2e-8, "probability": 1e-6, "vertical_distance": 1e-9}


class Mismatch(Exception):
    def __init__(self, expected, got):
        super().__init__(f"expected {expected!r}, got {got!r}")


def number(value):
    return float(value) if isinstance(value, str) else value


def ellipse(fix):
    return [number(value) for value in fix["ellipse"]] if "ellipse" in fix else None


HEIGHTS = {
    "altitude": math.nan, "vertical_accuracy": 0.0, "geoid_height": math.nan, "ground_height": math.nan
}  # fmt: skip


def heights(fix):
    return [number(fix.get(name, default)) for name, default in HEIGHTS.items()]


def band_members(band):
    """Returns a band in the form of a scenario, in which texts stand for infinite limits."""
    if band is None:
        return None
    return {key: str(value) if value in (math.inf, -math.inf) else value for key, value in band.items()}


def asked_place(asked):
    return {name: number(value) for name, value in asked.items()}


def us(seconds):
    return None if seconds is None else round(seconds * 1_000_000)


def moment(seconds):
    """Returns a time; the text "nan" stands for an invalid time."""
    if not isinstance(number(seconds), (int, float)) or number(seconds) != number(seconds):
        raise Refused("invalid_argument", "time")
    return us(number(seconds))


@functools.cache
def _shape(kind, text):
    read = {"polygon": polygon_from, "corridor": corridor_from, "line": lambda spec: Gate(*line_from(spec))}
    return read[kind](json.loads(text))


def shape_of(step):
    """Returns the polygon, corridor or gate of a step, or None."""
    for kind in ("polygon", "corridor", "line"):
        if kind in step:
            try:
                return _shape(kind, json.dumps(step[kind]))
            except Defect as defect:
                raise Refused("invalid_argument", str(defect)) from defect
    return None


def described(definition):
    """Returns a condition in the form of a `record` step."""
    shape = definition.get("shape")
    if definition["kind"] == "rule":
        return {"rule": definition["rule"].as_json()}
    if isinstance(shape, Polygon):
        parts = [[[[v.longitude, v.latitude] for v in ring] for ring in part] for part in shape.parts]
        rest = {"edges": shape.edges, "oriented": shape.oriented, "buffer": shape.buffer}
        return {"polygon": {"coordinates": parts, **rest}}
    if isinstance(shape, Corridor):
        lines = [[[v.longitude, v.latitude] for v in line] for line in shape.lines]
        return {"corridor": {"coordinates": lines, "radius": shape.radius, "edges": shape.edges}}
    if isinstance(shape, Gate):
        lines = [[[v.longitude, v.latitude] for v in line] for line in shape.lines]
        return {"line": {"coordinates": lines, "edges": shape.edges}}
    return {definition["kind"]: {k: v for k, v in definition.items() if k != "kind" and v is not None}}


class Scenario:
    def __init__(self, scenario, restart_every_step=False):
        self.options = scenario.get("options", {})
        self.steps = scenario["steps"]
        self.restart_every_step = restart_every_step
        self.stored = {}  # name -> monitor, whether open or closed
        self.opened = []  # names of the open monitors, in the order of opening
        self.default = None
        self.consumers = set()  # names of the monitors whose events are being iterated
        self.in_flight = {}  # name -> the event that was delivered but not committed
        self.circles = {}  # (name, identifier) -> the circle that was last added, even if it has been removed
        self.store_works = True

    def run(self):
        """Plays a scenario; returns None if it passes, or (step number, step, reason)."""
        if "open" not in self.steps[0] and "open" not in self.steps[0].get("step", {}):
            self.step({"open": "main"})
        for index, step in enumerate(self.steps):
            try:
                self.step(step)
                if self.restart_every_step:
                    self.restart_all()
            except Mismatch as mismatch:
                return index, step, str(mismatch)
            except Refused as refused:
                return index, step, f"refused: {refused}"
        return None

    def restart_all(self):
        for name in self.opened:
            monitor = self.stored[name]
            event = self.in_flight.get(name)
            monitor.restart()
            if event is None:
                continue
            record = monitor.record(event["identifier"])
            if record is None or record["last_event"]["generation"] != event["generation"]:
                del self.in_flight[name]  # removed or replaced
                continue
            again = monitor.next_event()
            if again != event:
                raise Mismatch(f"after a restart again {event!r}", again)

    # One step --------------------------------------------------------------------------------------------------

    def step(self, step):
        verbs = [verb for verb in VERBS if verb in step]
        if "refused" in step:  # {"refused": status, "step": {...}}
            verbs = ["refused"]
        if len(verbs) != 1:
            raise ValueError(f"a step has one verb, this has {verbs}: {step}")
        verb = verbs[0]
        if verb in ("refused", "open", "close", "store"):
            getattr(self, "do_" + verb)(step)
            return
        name = step.get("monitor", self.default)
        if name not in self.opened:
            raise ValueError(f"monitor {name!r} is not open")
        getattr(self, "do_" + verb)(step, name, self.stored[name])

    def do_refused(self, step):
        try:
            self.step(step["step"])
        except Refused as refused:
            if refused.status != step["refused"]:
                raise Mismatch(step["refused"], refused.status) from None
            if "reason" in step:
                self.compare_defect(step, refused.__cause__)
            return
        raise Mismatch(f"refused with {step['refused']}", "accepted")

    @staticmethod
    def compare_defect(step, defect):
        if isinstance(defect, RuleDefect):
            found = {"part": defect.part, "identifiers": defect.identifiers}
            if defect.reason != step["reason"] or any(found[key] != value for key, value in step.get("at", {}).items()):
                raise Mismatch({"reason": step["reason"], "at": step.get("at")}, repr(defect))
            return
        if not isinstance(defect, Defect) or defect.reason != step["reason"]:
            raise Mismatch(step["reason"], repr(defect))
        for names in ("part", "ring", "edge"), ("part", "ring", "vertex"):
            where = [dict(zip(names, place)) for place in defect.places]
            if "at" not in step or any(all(place.get(k) == v for k, v in step["at"].items()) for place in where):
                return
        raise Mismatch(step["at"], defect.places)

    def do_open(self, step):
        name = step["open"]
        if not re.fullmatch(r"[A-Za-z0-9_]{1,64}", name):
            raise Refused("invalid_name", name)
        if name in self.opened:
            raise Refused("monitor_in_use", name)
        if name not in self.stored:
            self.stored[name] = ReferenceMonitor(**self.options)
            self.stored[name].set_store(self.store_works)
        self.opened.append(name)
        if self.default is None:
            self.default = name

    def do_close(self, step):
        name = step["close"]
        self.opened.remove(name)
        self.stored[name].restart()  # closing the monitor does not commit
        self.consumers.discard(name)
        self.in_flight.pop(name, None)

    def do_store(self, step):
        self.store_works = {"working": True, "failing": False}[step["store"]]
        for name in self.opened:
            if "time" in step:
                self.stored[name].advance(us(step["time"]))
            self.stored[name].set_store(self.store_works)

    def do_restart(self, step, name, monitor):
        monitor.restart()
        self.consumers.discard(name)
        self.in_flight.pop(name, None)

    def do_iterate(self, step, name, monitor):
        if name in self.consumers:
            raise Refused("consumer_already_active")
        self.consumers.add(name)

    def do_cancel(self, step, name, monitor):
        self.consumers.remove(name)
        monitor.abandon()
        self.in_flight.pop(name, None)

    def do_advance(self, step, name, monitor):
        monitor.advance(us(step["advance"]))

    def do_rewind(self, step, name, monitor):
        monitor.rewind(moment(step["rewind"]))

    def do_sync(self, step, name, monitor):
        members = []
        for member in step["sync"]:
            rest = self.options_of(member)
            shape = shape_of(member)
            if "rule" in member:
                members.append((member["identifier"], "rule", (rule_from(member["rule"]),), rest))
            elif shape is not None:
                kind = "gate" if isinstance(shape, Gate) else "shape"
                members.append((member["identifier"], kind, (shape,), rest))
            elif "circle" in member:
                values = tuple(number(member["circle"][key]) for key in ("latitude", "longitude", "radius"))
                members.append((member["identifier"], "circle", values, rest))
            else:
                values = tuple(member["beacon"].get(key) for key in ("uuid", "major", "minor"))
                members.append((member["identifier"], "beacon", values, rest))
        monitor.sync(members)
        for member in step["sync"]:
            if "circle" in member:
                circle = {key: number(value) for key, value in member["circle"].items()}
                self.circles[name, member["identifier"]] = circle

    def do_identifiers_in_state(self, step, name, monitor):
        self.compare(step["are"], monitor.identifiers_in_state(step["identifiers_in_state"]))

    def do_add(self, step, name, monitor):
        self.put(step, name, step["add"], monitor, "add")

    def do_ensure(self, step, name, monitor):
        self.put(step, name, step["ensure"], monitor, "ensure")

    @staticmethod
    def options_of(step):
        rest = {key: step[key] for key in ("assuming", "policy", "tag", *TIMING_KEYS) if key in step}
        if "band" in step:
            rest["band"] = {
                key: value if key.endswith("reference") else number(value) for key, value in step["band"].items()
            }
        if isinstance(rest.get("policy"), dict):
            rest["policy"] = {
                key: number(value) if key not in ("dwell_policy", "notify") else value
                for key, value in rest["policy"].items()
            }
        return rest

    def put(self, step, name, identifier, monitor, verb):
        circle, beacon, place, gate, rule = (
            getattr(monitor, f"{verb}_{kind}") for kind in ("circle", "beacon", "shape", "gate", "rule")
        )
        rest = self.options_of(step)
        shape = shape_of(step)
        if isinstance(shape, Gate):
            if rest.pop("policy", "standard") != "standard" or rest.pop("assuming", "unknown") != "unknown":
                raise Refused("invalid_argument", "a gate has no policy and no state")
            gate(identifier, shape, **rest)
        elif "rule" in step:
            rule(identifier, rule_from(step["rule"]), **rest)
        elif shape is not None:
            place(identifier, shape, **rest)
        elif "circle" in step:
            values = {key: number(value) for key, value in step["circle"].items()}
            circle(identifier, values["latitude"], values["longitude"], values["radius"], **rest)
            self.circles[name, identifier] = values
        else:
            b = step["beacon"]
            beacon(identifier, b["uuid"], b.get("major"), b.get("minor"), **rest)

    def do_remove(self, step, name, monitor):
        monitor.remove(step["remove"])

    def do_fix(self, step, name, monitor):
        fix = step["fix"]
        if "of" in fix:
            centre = self.circles[name, fix["of"]]
            there = Geodesic.WGS84.Direct(
                centre["latitude"], centre["longitude"], fix.get("bearing", 0), fix["distance"]
            )
            latitude, longitude = there["lat2"], there["lon2"]
        else:
            latitude, longitude = number(fix["latitude"]), number(fix["longitude"])
        monitor.feed_fix(
            us(fix["time"]), latitude, longitude, number(fix.get("accuracy", 0.0)), ellipse(fix), heights(fix)
        )

    def do_see(self, step, name, monitor):
        see = step["see"]
        monitor.feed_sightings(
            us(see["time"]), [(b["uuid"], b["major"], b["minor"], b.get("rssi")) for b in see["beacons"]]
        )

    def do_scanning(self, step, name, monitor):
        monitor.set_scanning(step["scanning"], us(step["time"]) if "time" in step else monitor.clock)

    def do_host(self, step, name, monitor):
        host = step["host"]
        monitor.set_host(host.get("flags"), host.get("unsupported"), us(step["time"]) if "time" in step else None)

    def do_next(self, step, name, monitor):
        self.in_flight.pop(name, None)
        event = monitor.next_event()
        if event is not None:
            self.in_flight[name] = event
        self.compare(step["next"], event, EVENT_TIMES)

    def do_acknowledge(self, step, name, monitor):
        monitor.acknowledge()
        self.in_flight.pop(name, None)

    def do_record(self, step, name, monitor):
        record = monitor.record(step["record"])
        got = None
        if record is not None:
            got = {
                **record["last_event"],
                "band": band_members(record["band"]),
                "condition": described(record["condition"]),
            }
            expected = step["is"] or {}
            for kind, keys in expected.get("condition", {}).items():
                if kind in ("polygon", "corridor", "line") and kind in got["condition"]:  # compare only listed keys
                    got["condition"][kind] = {key: got["condition"][kind].get(key) for key in keys}
        self.compare(step["is"], got, EVENT_TIMES)

    def do_nearest_boundary_point(self, step, name, monitor):
        record = monitor.record(step["nearest_boundary_point"])
        got = None
        if record is not None:
            place = number(step["from"]["latitude"]), number(step["from"]["longitude"])
            got = dict(zip(("latitude", "longitude"), record["condition"]["shape"].nearest_line_place(*place)))
        self.compare(step["is"], got, tolerance=1e-9)

    def do_containing(self, step, name, monitor):
        self.compare_located(step["are"], monitor.containing(**asked_place(step["containing"])))

    def do_nearest(self, step, name, monitor):
        asked = step["nearest"]
        place = number(asked["latitude"]), number(asked["longitude"])
        self.compare_located(step["are"], monitor.nearest(*place, asked["count"]))

    def compare_located(self, expected, found):
        if len(expected) != len(found):
            raise Mismatch(expected, found)
        for one, (identifier, distance) in zip(expected, found):
            self.compare(one, {"identifier": identifier, "boundary_distance": distance})

    def do_identifiers(self, step, name, monitor):
        self.compare(step["identifiers"], monitor.identifiers())

    def do_statistics(self, step, name, monitor):
        self.compare(step["statistics"], monitor.statistics())

    def do_explain(self, step, name, monitor):
        self.compare(step["is"], monitor.explain(step["explain"]), EXPLAIN_TIMES, tolerance=1e-6)

    @staticmethod
    def compare(expected, got, times=(), tolerance=None):
        """Compares only the keys that the expectation lists."""
        if not isinstance(expected, dict) or got is None:
            if expected != got:
                raise Mismatch(expected, got)
            return
        for key, value in expected.items():
            if key not in got:
                raise Mismatch({key: value}, got)
            found = got[key]
            if key in times:
                same = us(value) == found
            elif isinstance(value, (int, float)) and isinstance(found, (int, float)):
                same = abs(value - found) <= (TOLERANCES.get(key, 0) if tolerance is None else tolerance)
            else:
                same = value == found
            if not same:
                raise Mismatch({key: value}, got)


def scenarios(path):
    content = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    return content if isinstance(content, list) else [content]


def runner(scenario):
    """Returns the player for a scenario; fleet scenarios need a different player."""
    if "fleet" not in scenario:
        return Scenario
    from run_reference_fleets import FleetScenario

    return FleetScenario


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--restart-every-step", action="store_true")
    options = parser.parse_args(arguments)
    passed = failed = 0
    for path in options.files or FILES:
        for scenario in scenarios(path):
            failure = runner(scenario)(scenario, options.restart_every_step).run()
            if failure is None:
                passed += 1
                continue
            failed += 1
            index, step, reason = failure
            print(f"{path.name}: {scenario['name']}\n  step {index + 1}: {json.dumps(step)}\n  {reason}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
