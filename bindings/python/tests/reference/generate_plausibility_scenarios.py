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
PLAIN_STEP, PLAIN_PLAY = corpus.Scenario.step, shapes.play


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


def play(name: str, options: dict[str, Any], steps: list[Any]) -> list[Any]:
    return [getattr(each, "step", each) for each in PLAIN_PLAY(name, options, steps)]


def main() -> int:
    import plausibility_scenarios  # noqa: F401, it fills FILES

    corpus.Scenario.step = step
    shapes.as_step, shapes.said, shapes.play = as_step, paths.said, play
    # A fleet never looks back (V13), and its queue holds the events of all devices (V15).
    fleet_forms.write("plausibility", fleet_forms.numbered(shapes.write(FOLDER), left_out=("V13", "V15")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
