"""Runs one conformance scenario of a fleet (Tests/Conformance/README.md, "Fleets") against the reference."""

from __future__ import annotations

from geographiclib.geodesic import Geodesic
from reference_fleet import ReferenceFleet, ReferenceTable
from reference_rules import rule_from
from reference_values import Refused
from run_reference_corpus import (
    EVENT_TIMES,
    EXPLAIN_TIMES,
    Mismatch,
    Scenario,
    asked_place,
    ellipse,
    heights,
    moment,
    number,
    shape_of,
    us,
)

VERBS = (
    "share",
    "add",
    "ensure",
    "remove",
    "sync",
    "enter",
    "leave",
    "expire",
    "move",
    "devices",
    "fix",
    "fixes",
    "host",
    "see",
    "scanning",
    "advance",
    "next",
    "acknowledge",
    "abandon",
    "restart",
    "inside",
    "identifiers",
    "identifiers_in_state",
    "statistics",
    "explain",
    "containing",
    "nearest",
)


class FleetScenario:
    compare = staticmethod(Scenario.compare)
    compare_located = Scenario.compare_located

    def __init__(self, scenario, restart_every_step=False):
        self.options = scenario["fleet"]
        self.steps = scenario["steps"]
        self.restart_every_step = restart_every_step
        self.table = ReferenceTable()
        self.fleets = {"main": ReferenceFleet(self.table, **self.options)}
        self.circles = {}
        self.counters = dict(late_inputs=0, invalid_fixes=0, ahead_inputs=0, doubted_fixes=0)

    def run(self):
        for index, step in enumerate(self.steps):
            try:
                self.step(step)
                if self.restart_every_step:
                    for fleet in self.fleets.values():
                        self.restart_between_steps(fleet)
            except Mismatch as mismatch:
                return index, step, str(mismatch)
            except Refused as refused:
                return index, step, f"refused: {refused}"
        return None

    @staticmethod
    def restart_between_steps(fleet):
        """Checks that unacknowledged events are redelivered, unless they are void."""
        handed_out = list(fleet.handed_out)
        fleet.abandon()
        for event in handed_out:
            again = fleet.next_event()
            if again != event:
                raise Mismatch(f"after a restart again {event!r}", again)

    def step(self, step):
        if "refused" in step:
            try:
                self.step(step["step"])
            except Refused as refused:
                if refused.status != step["refused"]:
                    raise Mismatch(step["refused"], refused.status) from None
                return
            raise Mismatch(f"refused with {step['refused']}", "accepted")
        verbs = [verb for verb in VERBS if verb in step]
        if len(verbs) != 1:
            raise ValueError(f"a step has one verb, this has {verbs}: {step}")
        getattr(self, "do_" + verbs[0])(step, self.fleets[step.get("fleet", "main")])

    # The table -------------------------------------------------------------------------------------------------

    def do_share(self, step, fleet):
        self.fleets[step["share"]] = ReferenceFleet(self.table, **self.options)

    def do_add(self, step, fleet):
        self.put("add", step)

    def do_ensure(self, step, fleet):
        self.put("ensure", step)

    def put(self, verb, step):
        kind, values = self.definition(step)
        self.table.change(f"{verb}_{kind}", step[verb], *values, **Scenario.options_of(step))
        self.remember(step[verb], kind, values)

    @staticmethod
    def definition(step):
        if "rule" in step:
            return "rule", (rule_from(step["rule"]),)
        shape = shape_of(step)
        if shape is not None:
            return "shape", (shape,)
        if "circle" in step:
            return "circle", tuple(number(step["circle"][key]) for key in ("latitude", "longitude", "radius"))
        return "beacon", tuple(step["beacon"].get(key) for key in ("uuid", "major", "minor"))

    def remember(self, identifier, kind, values):
        if kind == "circle":
            self.circles[identifier] = values

    def do_remove(self, step, fleet):
        self.table.change("remove", step["remove"])

    def do_sync(self, step, fleet):
        members = []
        for member in step["sync"]:
            kind, values = self.definition(member)
            rest = {"assuming": "unsatisfied", **Scenario.options_of(member)}
            members.append((member["identifier"], kind, values, rest))
        self.table.change("sync", members)
        for identifier, kind, values, _ in members:
            self.remember(identifier, kind, values)

    # Devices ---------------------------------------------------------------------------------------------------

    def do_enter(self, step, fleet):
        fleet.enter(step["enter"])

    def do_leave(self, step, fleet):
        fleet.leave(step["leave"], step.get("drop_events", False))

    def do_expire(self, step, fleet):
        self.compare(step["are"], fleet.expire(us(step["expire"])))

    def do_move(self, step, fleet):
        fleet.move(step["move"], self.fleets[step["to"]])

    def do_devices(self, step, fleet):
        self.compare(step["devices"], list(fleet.devices))

    # Inputs ----------------------------------------------------------------------------------------------------

    def place(self, fix):
        if "of" not in fix:
            return number(fix["latitude"]), number(fix["longitude"])
        there = Geodesic.WGS84.Direct(*self.circles[fix["of"]][:2], fix.get("bearing", 0), fix["distance"])
        return there["lat2"], there["lon2"]

    def fix(self, fix):
        return (moment(fix["time"]), *self.place(fix), number(fix.get("accuracy", 0.0)), ellipse(fix), heights(fix))

    def do_fix(self, step, fleet):
        fix = self.fix(step["fix"])
        fleet.input(step["device"], "feed_fix", fix[0], *fix)

    def do_fixes(self, step, fleet):
        taken = fleet.feed_many([(row["device"], *self.fix(row)) for row in step["fixes"]])
        self.compare(step.get("taken", len(step["fixes"])), taken)

    def do_see(self, step, fleet):
        see = step["see"]
        beacons = [(b["uuid"], b["major"], b["minor"], b.get("rssi")) for b in see["beacons"]]
        fleet.input(step["device"], "feed_sightings", us(see["time"]), us(see["time"]), beacons)

    def do_scanning(self, step, fleet):
        fleet.input(step["device"], "set_scanning", us(step["time"]), step["scanning"], us(step["time"]))

    def do_host(self, step, fleet):
        host, time = step["host"], us(step["time"])
        fleet.input(step["device"], "set_host", time, host.get("flags", []), host.get("unsupported", []), time)

    def do_advance(self, step, fleet):
        time = us(step["advance"])
        if "device" in step:
            fleet.input(step["device"], "advance", time, time)
        else:
            fleet.advance(time)

    # Events and answers ----------------------------------------------------------------------------------------

    def do_next(self, step, fleet):
        self.compare(step["next"], fleet.next_event(), EVENT_TIMES)

    def do_acknowledge(self, step, fleet):
        fleet.acknowledge()

    def do_abandon(self, step, fleet):
        fleet.abandon()

    do_restart = do_abandon

    def do_inside(self, step, fleet):
        found = fleet.inside(step["inside"])
        if len(found) != len(step["are"]):
            raise Mismatch(step["are"], found)
        for one, other in zip(step["are"], found):
            self.compare(one, other, ("since", "evidence_date"))

    def do_identifiers(self, step, fleet):
        self.compare(step["identifiers"], self.table.conditions.identifiers())

    def do_identifiers_in_state(self, step, fleet):
        monitor = fleet.monitor(step["device"])
        self.compare(step["are"], monitor.identifiers_in_state(step["identifiers_in_state"]))

    def do_statistics(self, step, fleet):
        """Compares the statistics of one device, or the totals of all devices if the step names no device. The totals
        are correct only if no device was removed."""
        devices = [fleet.monitor(step["device"])] if "device" in step else [d.monitor for d in fleet.devices.values()]
        found = [monitor.statistics() for monitor in devices]
        self.compare(step["statistics"], {key: sum(each[key] for each in found) for key in self.counters})

    def do_explain(self, step, fleet):
        answer = fleet.monitor(step["device"]).explain(step["explain"])
        self.compare(step["is"], answer, EXPLAIN_TIMES, tolerance=1e-6)

    def do_containing(self, step, fleet):
        place = asked_place(step["containing"])
        self.compare_located(step["are"], self.table.conditions.containing(**place))

    def do_nearest(self, step, fleet):
        asked = step["nearest"]
        place = number(asked["latitude"]), number(asked["longitude"])
        self.compare_located(step["are"], self.table.conditions.nearest(*place, asked["count"]))
