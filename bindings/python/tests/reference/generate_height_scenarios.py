"""Writes the scenarios in Tests/Conformance/Height. The module height_scenarios.py contains the steps and the expected
events.

    python generate_height_scenarios.py

`events("c satisfied 12 -30", ...)` lists all pending events in order, each with its time (on a path to the millisecond)
and its vertical distance V to the millimetre; `none` stands for an event without V. Nothing is written unless the
reference gives exactly the listed events. `explained("c", "inside")` states the reason, and the reference adds the
numbers.

Each scenario that a fleet can play is also written for a fleet; see fleet_forms.py. The module heights_of_fleets.py
contains scenarios of several devices.
"""

from __future__ import annotations

import sys
from typing import Any

import fleet_forms
import generate_path_scenarios as paths
import generate_shape_scenarios as shapes
import run_reference_corpus as corpus


class Explained(shapes.Explained):
    keys = ("reason", "vertical_distance", "seconds_to_decide")


def explained(identifier: str, reason: str) -> Explained:
    return Explained(identifier, reason)


def as_step(event: dict[str, Any]) -> dict[str, Any]:
    step = paths.PLAIN(event)
    del step["next"]["boundary_distance"]  # the other scenarios are about distances
    step["next"]["vertical_distance"] = event["vertical_distance"]
    if event["evidence"] == "path":
        step["next"]["evidence"] = "path"
    if event["probability"] is not None:
        step["next"]["probability"] = event["probability"]
    return step


def said(step: dict[str, Any]) -> str:
    event = step["next"]
    digits = 3 if event.get("evidence") == "path" else 6
    date = f"{event['date']:.{digits}f}".rstrip("0").rstrip(".")
    v = event["vertical_distance"]
    text = "none" if v is None else f"{v:.3f}".rstrip("0").rstrip(".")
    return f"{event['identifier']} {event['state']} {date} {'0' if text == '-0' else text}"


# A fleet never looks back, and gates need a path.
LEFT_OUT = ("V39", "V58", "V77")
# Ask about the device before its first fix.
ASKED_FIRST = ("V63",)


def main() -> int:
    import height_scenarios  # noqa: F401, it fills FILES
    import heights_of_fleets

    shapes.as_step, shapes.said = as_step, said
    plain = shapes.write(corpus.CORPUS / "Height")
    how: dict[str, Any] = {"assuming": "unknown", "keys": ("vertical_distance",)}
    fleets = fleet_forms.numbered(plain, (*LEFT_OUT, *ASKED_FIRST), **how)
    first = [each for each in plain if each[0].startswith(ASKED_FIRST)]
    fleets += fleet_forms.numbered(first, (), **how, is_alone=True)
    fleet_forms.write("heights", [*fleets, *heights_of_fleets.OF_FLEETS])
    return 0


if __name__ == "__main__":
    # Without this line, height_scenarios would import this file as a second module.
    sys.modules["generate_height_scenarios"] = sys.modules["__main__"]
    sys.exit(main())
