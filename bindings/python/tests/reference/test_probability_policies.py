"""Policies with probabilities in random worlds: the engine agrees with the reference model, and a fleet and a restored
monitor agree with the monitor. Set FENCEPOST_FULL=1 for more worlds."""

from __future__ import annotations

import os
import random
from typing import Any

import pytest
from conftest import number_of_cases
from reference import ReferenceMonitor
from reference_adapter import reference_policy, same_event
from reference_probability import around
from reference_shapes import Polygon as ReferencePolygon
from reference_values import Fix as ReferenceFix

from fencepost import Circle, DwellPolicy, Event, Fix, Fleet, Monitor, Polygon, TransitionPolicy, Zones

SEED = int(os.environ.get("FENCEPOST_SEED", "1"))
START = 1_700_000_000_000_000
PLACES = [(52.5, 13.4), (0.0, 0.0), (-17.5, 179.9995), (89.999, 40.0), (-90.0, 12.0), (-60.0, -180.0)]


def policy(draw: random.Random) -> TransitionPolicy:
    dwell = draw.choice([0.0, 0.0, 5.0, 20.0])
    common: dict[str, Any] = {
        "entry_dwell": dwell,
        "exit_dwell": dwell,
        "entry_margin": draw.choice([0.0, 0.0, 10.0]),
        "exit_margin": draw.choice([0.0, 0.0, 20.0]),
        "dwell_policy": draw.choice(list(DwellPolicy)),
    }
    if draw.random() < 0.25:
        # Not with a factor of the accuracy: the reference knows the depth of a polygon, which limits margins, to 0.5 %.
        return TransitionPolicy(**common, accuracy_factor=0)
    return TransitionPolicy(
        **common,
        accuracy_factor=0,
        entry_probability=draw.choice([0.51, 0.75, 0.99, 0.999]),
        exit_probability=draw.choice([0.49, 0.25, 0.01, 0.001]),
    )


class World:
    def __init__(self, draw: random.Random) -> None:
        self.place = draw.choice(PLACES)
        self.ellipses = draw.choice([0.0, 0.5, 0.9])
        self.options: dict[str, Any] = {"accuracy_confidence": draw.choice([0.68, 0.68, 0.95, 0.01, 0.9999])}
        if draw.random() < 0.5:
            self.options |= {"path": "geodesic", "max_gap": 60.0}
        self.zones: list[tuple[str, Circle | Polygon, str, TransitionPolicy]] = []
        for number in range(6):
            centre = around(*self.place, draw.uniform(0, 360), draw.uniform(0, 150))
            zone: Circle | Polygon = Circle(*centre, radius=draw.choice([5.0, 40.0, 100.0, 300.0, 20_000.0]))
            if draw.random() < 0.3:
                ring = [around(*centre, -360 * k / 5, draw.uniform(60, 300)) for k in range(5)]
                zone = Polygon(ring, order="latlon", edges="geodesic")
            assumed = draw.choice(["unknown", "unsatisfied", "unsatisfied"])
            self.zones.append((f"z{number}", zone, assumed, policy(draw)))
        time = START
        self.fixes = []
        for _ in range(40):
            time += draw.choice([0, 1_000_000, 5_000_000, 20_000_000, 120_000_000])
            position = around(*self.place, draw.uniform(0, 360), draw.choice([0, 30, 90, 200, 500, 3000]) + 0.37)
            accuracy = draw.choice([0.0, 1.0, 5.0, 30.0, 30.0, 100.0, 400.0, 30_000.0, float("inf"), -1.0])
            ellipse = None
            if draw.random() < self.ellipses:
                major = draw.choice([0.0, 2.0, 10.0, 40.0, 200.0, 12_000.0])
                ellipse = major, major * draw.choice([0.0, 0.01, 0.3, 1.0]), draw.uniform(-400, 400)
            self.fixes.append(Fix(*position, accuracy=accuracy, time=time, error_ellipse=ellipse))


@pytest.mark.full
@pytest.mark.parametrize("number", range(number_of_cases(2, 6, 12)))
def test_worlds_are_those_of_the_reference(number: int) -> None:
    print("seed", SEED, number)
    draw = random.Random(SEED + number)
    world = World(draw)
    monitor, reference = Monitor(**world.options), ReferenceMonitor(**world.options)
    alone = Monitor(initial_fix_max_age=None, **world.options)
    fleet = Fleet(Zones(), **world.options)
    events = 0
    for identifier, zone, assumed, rules in world.zones:
        monitor.add(zone, identifier, assuming=assumed, policy=rules)
        alone.add(zone, identifier, assuming=assumed, policy=rules)
        fleet.conditions.add(zone, identifier, assuming=assumed, policy=rules)
        rest: dict[str, Any] = {"assuming": assumed, "policy": reference_policy(rules)}
        if isinstance(zone, Circle):
            reference.add_circle(identifier, zone.latitude, zone.longitude, zone.radius, **rest)
        else:
            ring = [(longitude, latitude) for latitude, longitude in zone.parts[0][0]]
            reference.add_shape(identifier, ReferencePolygon([[ring]]), **rest)
    for step, fix in enumerate(world.fixes):
        if is_near_threshold(reference, fix):
            continue
        monitor.feed(fix)
        alone.feed(fix)
        fleet.feed("d", fix)
        reference.feed_fix(fix.time_us, fix.latitude, fix.longitude, fix.accuracy, fix.error_ellipse)
        found = list(monitor.events())
        events += len(found)
        for event in found:
            expected = reference.next_event()
            assert expected is not None, event
            if event.is_on_path or expected["evidence"] == "path":  # a zone without probabilities; see the path tests
                assert (event.identifier, str(event.state)) == (expected["identifier"], expected["state"])
                assert event.date_us == pytest.approx(expected["date"], abs=2)
            else:
                same_event(event, expected)
            same_probability(event.probability, expected["probability"])
        assert reference.next_event() is None
        pairs = zip(alone.events(), fleet.events(), strict=True)
        assert all(changed(one) == changed(other) for one, other in pairs)
        identifier = draw.choice(world.zones)[0]
        answer, expected = monitor.explain(identifier), reference.explain(identifier)
        if expected["probability"] is not None or expected["reason"] == "uncertain":
            assert str(answer.reason) == expected["reason"]
            same_probability(answer.probability, expected["probability"])
            assert answer.error_ellipse == (None if expected["ellipse"] is None else tuple(expected["ellipse"]))
        if step == len(world.fixes) // 2:
            monitor, fleet = Monitor.restore(monitor.snapshot()), Fleet.restore(fleet.snapshot())
    print(events, "events")


def is_near_threshold(reference: ReferenceMonitor, fix: Fix) -> bool:
    given = ReferenceFix(fix.time_us, fix.latitude, fix.longitude, fix.accuracy, ellipse=fix.error_ellipse)
    conditions = reference._conditions.values() if fix.accuracy >= 0 else ()
    return any(c.is_near_threshold(c.distance(given), given, reference.accuracy_confidence) for c in conditions)


def changed(event: Event) -> tuple[Any, ...]:
    return event.identifier, event.state, event.date_us, event.evidence_date_us, event.probability


def same_probability(found: float | None, expected: float | None) -> None:
    if expected is None:
        assert found is None
    else:
        assert found == pytest.approx(expected, abs=1e-6)
