"""Writes the scenarios in Tests/Conformance/Plausibility and their fleet forms in Tests/Conformance/Fleets. The steps
and the expected events are in plausibility_scenarios.py.

    python generate_plausibility_scenarios.py

The script works like generate_path_scenarios.py. A step `Doubted("c", 2)` states how many doubted fixes corroborate
each other; the reference fills in their distance and time from the known fix.

Each scenario that a fleet can play is also written for a fleet: its inputs are those of a device "a", between those of
a device "b" that stands still. The rule for fleets says that device "a" gives the same events.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import generate_path_scenarios as paths
import generate_shape_scenarios as shapes
import run_reference_corpus as corpus
from run_reference_fleets import FleetScenario

FOLDER = corpus.CORPUS / "Plausibility"
KEYS = ("doubted_distance", "doubted_seconds", "corroborations")
FLEET_OPTIONS = ("max_pending_events", "max_time_step", "plausible_speed", "corroboration_count", "corroboration_time")
PLAIN_STEP = corpus.Scenario.step


def step(played: corpus.Scenario, each: Any) -> None:
    """Plays a step; fills in the numbers of an expected explanation."""
    if type(each).__name__ != "Doubted":
        return PLAIN_STEP(played, each)
    answer = played.stored["main"].explain(each.identifier)
    if answer["corroborations"] != each.corroborations:
        raise corpus.Mismatch(each.corroborations, answer["corroborations"])
    each.step = {"explain": each.identifier, "is": {key: answer[key] for key in KEYS}}
    return None


def as_step(event: dict[str, Any]) -> dict[str, Any]:
    found = paths.as_step(event)
    del found["next"]["boundary_distance"]  # it is compared exactly if all conditions are circles
    return found


def resolved(steps: list[Any]) -> list[Any]:
    return [getattr(each, "step", each) for each in steps]


def of_fleet(name: str, options: dict[str, Any], steps: list[Any]) -> dict[str, Any] | None:
    """Returns the scenario for a fleet; None if a fleet cannot play it."""
    verbs = {"add", "fix", "next", "advance", "statistics", "explain", "refused", "restart"}
    if not set(options) <= set(FLEET_OPTIONS) or not all(set(each) & verbs for each in steps):
        return None
    if name.split()[0] in ("V13", "V15"):  # a fleet never looks back, and its queue holds the events of all devices
        return None
    device: list[dict[str, Any]] = []
    for each in steps:
        if "next" in each:
            event = each["next"]
            device.append({"next": event and {"device": "a"} | {k: v for k, v in event.items() if k in NEXT}})
        elif "add" in each or "restart" in each:
            device.append(each)
        elif "refused" in each:
            device.append(each | {"step": {"device": "a"} | each["step"]})
        else:
            device.append({"device": "a"} | each)
        if "fix" in each and len(device) % 3 == 0:
            device.append({"device": "b", "fix": {"time": each["fix"]["time"], "latitude": 60, "longitude": 60}})
    device = ordered(device)
    return {"name": f"{name.split()[0]}F {name.partition(' ')[2]}", "fleet": options, "steps": device}


NEXT = ("identifier", "state", "cause", "date", "evidence_date")


def ordered(steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Leaves out the fixes of device "b" that are earlier than one before."""
    done, latest = [], float("-inf")
    for each in steps:
        if each.get("device") == "b":
            if each["fix"]["time"] < latest:
                continue
            latest = each["fix"]["time"]
        done.append(each)
    return done


def written_fleets(scenarios: list[dict[str, Any]]) -> str:
    texts = []
    for each in scenarios:
        lines = ",\n".join(f"  {json.dumps(step)}" for step in each["steps"])
        name, fleet = json.dumps(each["name"]), json.dumps(each["fleet"])
        texts.append(f'{{"name": {name},\n "fleet": {fleet},\n "steps": [\n{lines}\n ]}}')
    return "[\n" + ",\n".join(texts) + "\n]\n"


def main() -> int:
    import plausibility_scenarios  # noqa: F401, it fills FILES

    corpus.Scenario.step = step
    shapes.as_step, shapes.said = as_step, paths.said
    FOLDER.mkdir(exist_ok=True)
    fleets, total = [], 0
    for file, scenarios in shapes.FILES.items():
        done = [(name, options, resolved(shapes.play(name, options, steps))) for name, options, steps in scenarios]
        for each in done:
            shapes.check(*each)
            fleet = of_fleet(*each)
            if fleet is not None:
                for restart in (False, True):
                    failure = FleetScenario(fleet, restart).run()
                    if failure is not None:
                        raise SystemExit(f"{fleet['name']}: {failure}")
                fleets.append(fleet)
        (FOLDER / f"{file}.json").write_text(shapes.written(done), encoding="utf-8")
        total += len(done)
        print(f"{file}: {len(done)}")
    (corpus.CORPUS / "Fleets" / "plausibility.json").write_text(written_fleets(fleets), encoding="utf-8")
    print(f"{total} scenarios, and {len(fleets)} for fleets")
    return 0


if __name__ == "__main__":
    sys.exit(main())
