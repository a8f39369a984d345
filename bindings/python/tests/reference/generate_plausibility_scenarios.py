"""Writes the scenarios in Tests/Conformance/Plausibility and their fleet forms in Tests/Conformance/Fleets. The steps
and the expected events are in plausibility_scenarios.py.

    python generate_plausibility_scenarios.py

The script works like generate_path_scenarios.py. A step `Doubted("c", 2)` states how many doubted fixes corroborate
each other; the reference fills in their distance and time from the known fix.

Each scenario that a fleet can play is also written for a fleet; see fleet_forms.py.
"""

from __future__ import annotations

import sys
from typing import Any

import fleet_forms
import generate_path_scenarios as paths
import generate_shape_scenarios as shapes
import run_reference_corpus as corpus

FOLDER = corpus.CORPUS / "Plausibility"
KEYS = ("doubted_distance", "doubted_seconds", "corroborations")
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
    number, _, rest = name.partition(" ")
    if number in ("V13", "V15"):  # a fleet never looks back, and its queue holds the events of all devices
        return None
    return fleet_forms.of_fleet(f"{number}F {rest}", options, steps)


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
                fleets.append(fleet)
        (FOLDER / f"{file}.json").write_text(shapes.written(done), encoding="utf-8")
        total += len(done)
        print(f"{file}: {len(done)}")
    (corpus.CORPUS / "Fleets" / "plausibility.json").write_text(fleet_forms.written(fleets), encoding="utf-8")
    print(f"{total} scenarios, and {len(fleets)} for fleets")
    return 0


if __name__ == "__main__":
    sys.exit(main())
