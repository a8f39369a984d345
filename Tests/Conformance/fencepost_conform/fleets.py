"""Conformance scenarios of fleets. The format is described in Tests/Conformance/README.md, "Fleets".

Only the runners in C and Swift compare `position`. Events in Python have no `position`, because the iterator
acknowledges the events.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from fencepost import geodesic
from fencepost._fleet.conditions import Zones
from fencepost._fleet.device_events import DeviceEvent
from fencepost._fleet.fleet import Fleet
from fencepost._native import FencepostError, NotFoundError, QueueFullError
from fencepost._values.conditions import Circle
from fencepost._values.enums import Diagnostics
from fencepost._values.fixes import BeaconSighting

from .scenarios import Scenario, plain, to_us
from .shapes import DISTANCE_TOLERANCE
from .steps import (
    COUNTERS,
    DOUBT_KEYS,
    EVENT_KEYS,
    EXPLAIN_KEYS,
    HEIGHTS,
    PART_KEYS,
    TOLERANCE,
    Mismatch,
    beside,
    compare,
    compare_located,
    definition,
    event_members,
    explanation_members,
    host_of,
    member_of,
    number,
    text,
)

_NONE = (math.nan,) * 3 + tuple(HEIGHTS.values())
"""The values beside a fix that has neither an error ellipse nor heights."""
PRESENCE_KEYS = ("identifier", "since", "evidence_date")


class FleetRun:
    """One run of a fleet scenario over one table."""

    def __init__(self, scenario: Scenario, restart_every_step: bool) -> None:
        self.scenario = scenario
        self.restart_every_step = restart_every_step
        self.table = Zones()
        self.fleets = {"main": Fleet(self.table, **scenario.options)}
        self.in_flight: dict[str, DeviceEvent] = {}
        self.circles: dict[str, Circle] = {}

    def end(self) -> None:
        for fleet in self.fleets.values():
            fleet.close()

    def after_step(self) -> None:
        """Checks that events in flight are redelivered, unless their condition or device was removed meanwhile."""
        if not self.restart_every_step:
            return
        for name, fleet in self.fleets.items():
            fleet.abandon()
            event = self.in_flight.get(name)
            if event is None:
                continue
            again = fleet.next_event()
            if again != event:
                raise Mismatch(f"after a restart again {text(event_members(event))}", text(event_members(again)))

    def step(self, step: dict[str, Any]) -> None:
        if "refused" in step:
            expected = f"refused with {step['refused']}"
            try:
                self.step(step["step"])
            except FencepostError as error:
                if error.name != step["refused"]:
                    raise Mismatch(expected, f"refused with {error.name}: {error}") from None
            else:
                raise Mismatch(expected, "accepted")
            return
        verbs = [verb for verb in STEPS if verb in step]
        if len(verbs) != 1:
            raise ValueError(f"it has not one verb; the verbs are {', '.join(STEPS)}")
        name = step.get("fleet", "main")
        if name not in self.fleets:
            raise ValueError(f"fleet {plain(name)} is not there")
        STEPS[verbs[0]](self, step, name)

    # ------------------------------------------------------------------------------------- the table

    def share(self, step: dict[str, Any], name: str) -> None:
        self.fleets[step["share"]] = Fleet(self.table, **self.scenario.options)

    def add(self, step: dict[str, Any], name: str) -> None:
        condition, options = definition(step)
        self.table.add(condition, step["add"], **options)
        self.changed(step["add"], condition)

    def ensure(self, step: dict[str, Any], name: str) -> None:
        condition, options = definition(step)
        if self.table.ensure(condition, step["ensure"], **options):
            self.changed(step["ensure"], condition)

    def remove(self, step: dict[str, Any], name: str) -> None:
        self.table.remove(step["remove"])
        self.forget(step["remove"])

    def sync(self, step: dict[str, Any], name: str) -> None:
        members = [member_of(member, "unsatisfied") for member in step["sync"]]
        self.table.sync(members)
        for member in members:
            self.changed(member.identifier, member.condition)
        for event in list(self.in_flight.values()):
            if event.identifier not in self.table:
                self.forget(event.identifier)

    def changed(self, identifier: str, condition: Any) -> None:
        if isinstance(condition, Circle):
            self.circles[identifier] = condition
        for event in list(self.in_flight.values()):
            if event.identifier == identifier and self.generation(identifier) != event.generation:
                self.forget(identifier)

    def generation(self, identifier: str) -> int:
        return self.table[identifier].generation

    def forget(self, identifier: str | None, device: str | None = None) -> None:
        """Drops events in flight that have become void; they count as never delivered."""
        for name, event in list(self.in_flight.items()):
            if identifier == event.identifier or device == event.device:
                del self.in_flight[name]

    # ------------------------------------------------------------------------------------- devices

    def enter(self, step: dict[str, Any], name: str) -> None:
        self.fleets[name]._handle.enter((step["enter"],))

    def leave(self, step: dict[str, Any], name: str) -> None:
        drop = step.get("drop_events", False)
        self.fleets[name].remove_device(step["leave"], drop_events=drop)
        if drop:
            self.forget(None, step["leave"])

    def expire(self, step: dict[str, Any], name: str) -> None:
        compare(step["are"], self.fleets[name].expire(before=to_us(step["expire"])))

    def move(self, step: dict[str, Any], name: str) -> None:
        device, fleet = step["move"], self.fleets[name]
        self.fleets[step["to"]].load({device: fleet.export([device])[0]})
        fleet.remove_device(device, drop_events=True)
        self.forget(None, device)

    def devices(self, step: dict[str, Any], name: str) -> None:
        compare(step["devices"], self.fleets[name].devices)

    # ------------------------------------------------------------------------------------- inputs

    def read_fix(self, fix: dict[str, Any]) -> tuple[Any, ...]:
        if "of" not in fix:
            place = number(fix["latitude"]), number(fix["longitude"])
        else:
            if fix["of"] not in self.circles:
                raise ValueError(f"no circle {plain(fix['of'])} was added")
            end = geodesic.direct(*self.circles[fix["of"]].center, fix.get("bearing", 0), fix["distance"])
            place = end.latitude, end.longitude
        return (*place, number(fix.get("accuracy", 0.0)), to_us(fix["time"]), *beside(fix))

    def fix(self, step: dict[str, Any], name: str) -> None:
        # Uses the fleet's handle directly, because `feed()` warns about simulated times.
        self.fleets[name]._handle.feed_fix(step["device"], *self.read_fix(step["fix"]))

    def fixes(self, step: dict[str, Any], name: str) -> None:
        rows = [self.read_fix(row) for row in step["fixes"]]
        most = max(len(row) for row in rows) - 4
        more = list(zip(*((*row[4:], *_NONE[len(row) - 4 :]) for row in rows)))
        taken = len(rows)
        try:
            self.fleets[name].feed_many(
                device=[row["device"] for row in step["fixes"]],
                latitude=[row[0] for row in rows],
                longitude=[row[1] for row in rows],
                accuracy=[row[2] for row in rows],
                time=[row[3] for row in rows],
                error_ellipse=tuple(more[:3]) if most >= 3 else None,
                **(dict(zip(HEIGHTS, more[3:])) if most > 3 else {}),
            )
        except QueueFullError as error:
            taken = error.position or 0
        compare(step.get("taken", len(rows)), taken)

    def see(self, step: dict[str, Any], name: str) -> None:
        sightings = [BeaconSighting(**beacon) for beacon in step["see"]["beacons"]]
        self.fleets[name].feed_sightings(step["device"], sightings, time=to_us(step["see"]["time"]))

    def scanning(self, step: dict[str, Any], name: str) -> None:
        self.fleets[name].set_scanning(step["device"], step["scanning"], time=to_us(step["time"]))

    def host(self, step: dict[str, Any], name: str) -> None:
        flags, unsupported = host_of(step["host"], Diagnostics(0), ())
        self.fleets[name].set_host(step["device"], flags, unsupported=unsupported, time=to_us(step["time"]))

    def advance(self, step: dict[str, Any], name: str) -> None:
        self.fleets[name].advance(to_us(step["advance"]), device=step.get("device"))

    # ------------------------------------------------------------------------------------- events and answers

    def next(self, step: dict[str, Any], name: str) -> None:
        event = self.fleets[name].next_event()
        self.in_flight.pop(name, None)
        if event is not None:
            self.in_flight[name] = event
        members = event_members(event)
        if members is not None and event is not None:
            members |= {"device": event.device, "row": event.row}
        expected = step["next"]
        if isinstance(expected, dict):
            expected = {key: value for key, value in expected.items() if key != "position"}
        compare(expected, members, known=(*EVENT_KEYS, "device", "row"), distance=DISTANCE_TOLERANCE)

    def acknowledge(self, step: dict[str, Any], name: str) -> None:
        self.fleets[name].acknowledge()
        self.in_flight.pop(name, None)

    def abandon(self, step: dict[str, Any], name: str) -> None:
        self.fleets[name].abandon()
        self.in_flight.pop(name, None)

    def inside(self, step: dict[str, Any], name: str) -> None:
        found = list(self.fleets[name][step["inside"]].inside())
        if [one.get("identifier") for one in step["are"]] != [presence.identifier for presence in found]:
            raise Mismatch(plain(step["are"]), text([presence.identifier for presence in found]))
        for one, presence in zip(step["are"], found):
            got = {
                "identifier": presence.identifier,
                "since": None if presence.since_us is None else presence.since_us / 1e6,
                "evidence_date": presence.evidence_date_us,
            }
            compare(one, got, TOLERANCE, PRESENCE_KEYS)

    def identifiers(self, step: dict[str, Any], name: str) -> None:
        compare(step["identifiers"], list(self.table))

    def identifiers_in_state(self, step: dict[str, Any], name: str) -> None:
        device = self.fleets[name][step["device"]]
        asked = step["identifiers_in_state"]
        compare(step["are"], [one for one in self.table if str(device.state(one)) == asked])

    def statistics(self, step: dict[str, Any], name: str) -> None:
        fleet = self.fleets[name]
        counters: Any = fleet[step["device"]].statistics() if "device" in step else fleet.statistics()
        compare(step["statistics"], {key: getattr(counters, key) for key in COUNTERS}, known=COUNTERS)

    def explain(self, step: dict[str, Any], name: str) -> None:
        got = None
        try:
            got = explanation_members(self.fleets[name][step["device"]].explain(step["explain"]))
        except NotFoundError:
            pass
        compare(step["is"], got, TOLERANCE, (*EXPLAIN_KEYS, *DOUBT_KEYS, *PART_KEYS, "ellipse"))

    def located(self, step: dict[str, Any], name: str) -> None:
        compare_located(step, self.table)


STEPS: dict[str, Callable[[FleetRun, dict[str, Any], str], None]] = {
    "share": FleetRun.share, "add": FleetRun.add, "ensure": FleetRun.ensure, "remove": FleetRun.remove,
    "sync": FleetRun.sync, "enter": FleetRun.enter, "leave": FleetRun.leave, "expire": FleetRun.expire,
    "move": FleetRun.move, "devices": FleetRun.devices, "fix": FleetRun.fix, "fixes": FleetRun.fixes,
    "see": FleetRun.see, "scanning": FleetRun.scanning, "host": FleetRun.host, "advance": FleetRun.advance,
    "next": FleetRun.next,
    "acknowledge": FleetRun.acknowledge, "abandon": FleetRun.abandon, "restart": FleetRun.abandon,
    "inside": FleetRun.inside, "identifiers": FleetRun.identifiers,
    "identifiers_in_state": FleetRun.identifiers_in_state, "statistics": FleetRun.statistics,
    "explain": FleetRun.explain, "containing": FleetRun.located, "nearest": FleetRun.located,
}  # fmt: skip
