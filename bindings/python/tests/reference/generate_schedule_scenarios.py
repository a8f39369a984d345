"""Writes the scenarios in Tests/Conformance/Schedules. The module schedule_scenarios.py contains the steps and the
expected events.

    python generate_schedule_scenarios.py

`events("c satisfied 12 determination", ...)` lists all pending events in order, each with its time (on a path to the
millisecond), its cause and, if it has any, its flags: `events("c unknown 20 diagnostic inactive+schedule_ended")`.
Nothing is written unless the reference gives exactly the listed events. The script adds the date of the evidence and
the source of a path.
"""

from __future__ import annotations

import sys
from typing import Any

import generate_path_scenarios as paths
import generate_shape_scenarios as shapes
import run_reference_corpus as corpus


def as_step(event: dict[str, Any]) -> dict[str, Any]:
    step = paths.PLAIN(event)
    del step["next"]["boundary_distance"]  # the other scenarios are about distances
    step["next"]["diagnostics"] = event["diagnostics"]
    if event["evidence"] == "path":
        step["next"]["evidence"] = "path"
    if event["refinement"] is not None:
        step["next"]["refinement"] = event["refinement"]
    return step


def said(step: dict[str, Any]) -> str:
    event = step["next"]
    digits = 3 if event.get("evidence") == "path" else 6
    date = f"{event['date']:.{digits}f}".rstrip("0").rstrip(".")
    flags = " " + "+".join(event["diagnostics"]) if event["diagnostics"] else ""
    return f"{event['identifier']} {event['state']} {date} {event['cause']}{flags}"


class Explained(shapes.Explained):
    keys = ("reason", "seconds_to_decide")


def explained(identifier: str, reason: str) -> Explained:
    return Explained(identifier, reason)


if __name__ == "__main__":
    # Without this line, schedule_scenarios would import this file as a second module.
    sys.modules["generate_schedule_scenarios"] = sys.modules["__main__"]
    paths.FOLDER = corpus.CORPUS / "Schedules"
    sys.exit(paths.main("schedule_scenarios", as_step, said))
