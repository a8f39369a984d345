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
from collections.abc import Iterable
from typing import Any

import fleet_forms
import generate_path_scenarios as paths
import generate_shape_scenarios as shapes
import run_reference_corpus as corpus

Step = dict[str, Any]


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


# A fleet never looks back (T24, T89, T91), its queue holds the events of all devices (T60), it refuses the timings of
# gates and beacons, and another list is another condition.
LEFT_OUT = ("T24", "T60", "T89", "T91")


def for_fleets(scenarios: Iterable[tuple[str, Step, list[Step]]]) -> list[Step]:
    """Returns the scenarios that a fleet can play, without the diagnostic events, which a fleet does not report."""
    found = []
    for name, options, steps in scenarios:
        rest = {key: value for key, value in options.items() if key != "initial_fix_max_age"}
        told = [step for step in steps if (step.get("next") or {}).get("cause") != "diagnostic"]
        if any("beacon" in step or "gate" in step for step in steps):
            continue
        if options.get("initial_fix_max_age") is None and not any("sync" in step for step in steps):
            found.append((name, rest, told))
    return fleet_forms.numbered(found, LEFT_OUT, keys=("diagnostics",), is_alone=True)


def main() -> int:
    import schedule_scenarios  # noqa: F401, it fills FILES
    import schedules_of_fleets

    shapes.as_step, shapes.said = as_step, said
    fleets = for_fleets(shapes.write(corpus.CORPUS / "Schedules"))
    fleet_forms.write("schedules", [*fleets, *schedules_of_fleets.OF_FLEETS])
    return 0


if __name__ == "__main__":
    # Without this line, schedule_scenarios would import this file as a second module.
    sys.modules["generate_schedule_scenarios"] = sys.modules["__main__"]
    sys.exit(main())
