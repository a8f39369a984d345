"""Writes the scenarios in Tests/Conformance/Probability. The module probability_scenarios.py contains the steps and the
expected events.

    python generate_probability_scenarios.py

The expected events are written as in generate_shape_scenarios.py. The script adds the probability of each event, except
for corridors and buffers: their probabilities in the reference are not exact enough. `explained("c", "uncertain")`
states the reason, and the reference adds the numbers.

Each scenario that a fleet can play is also written for a fleet, in Tests/Conformance/Fleets; see fleet_forms.py.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import fleet_forms
import generate_path_scenarios as paths
import generate_shape_scenarios as shapes
import run_reference_corpus as corpus

KEYS = ("reason", "probability", "seconds_to_decide")


class Explained(shapes.Explained):
    keys = KEYS


def explained(identifier: str, reason: str) -> Explained:
    return Explained(identifier, reason)


def as_step(event: dict[str, Any]) -> dict[str, Any]:
    step = paths.PLAIN(event)
    del step["next"]["boundary_distance"]  # the other scenarios are about distances
    if not event["identifier"].startswith("rough"):
        step["next"]["probability"] = event["probability"]
    if event["gap"]:
        step["next"]["gap"] = True
    return step


def fleets() -> list[dict[str, Any]]:
    """Returns the scenarios for fleets, from the files of the scenarios for monitors."""
    found = []
    for file in sorted(paths.FOLDER.glob("*.json")):
        for each in json.loads(file.read_text(encoding="utf-8")):
            looks_back = (
                "the last fix determines a condition that is added",
                "a start looks back",
                "a refused fix leaves",
            )
            if each["name"].startswith(looks_back):
                continue  # a fleet never looks back
            name = f"a fleet: {each['name']}"
            fleet = fleet_forms.of_fleet(name, each.get("options", {}), each["steps"], assuming="unknown")
            if fleet is not None and any("fix" in step for step in fleet["steps"]):
                found.append(fleet)
    return found


if __name__ == "__main__":
    # Without this line, probability_scenarios would import this file as a second module.
    sys.modules["generate_probability_scenarios"] = sys.modules["__main__"]
    paths.FOLDER = corpus.CORPUS / "Probability"
    paths.main("probability_scenarios", as_step, shapes.said)
    fleet_forms.write("probability", fleets())
