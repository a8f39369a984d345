"""Writes the scenarios in Tests/Conformance/Rules. The module rule_scenarios.py contains the steps and the expected
events.

    python generate_rule_scenarios.py

The script also writes the fleet forms in Tests/Conformance/Fleets (``rules.json``), which the reference plays, except
those of monitors with a timing, which begins in another way in a fleet.

`events("r satisfied 12 crossing by 2", ...)` lists all pending events in order, each with its time (on a path to the
millisecond), its cause, the generation of the part that decided, and its flags, if it has any of these. The identifiers
of rules begin with "r". Nothing is written unless the reference gives exactly the listed events. The script adds the
evidence.
"""

from __future__ import annotations

import sys
from typing import Any

import fleet_forms
import generate_path_scenarios as paths
import generate_shape_scenarios as shapes
import run_reference_corpus as corpus

FOLDER = corpus.CORPUS / "Rules"
ONLY_MONITORS = ("R99",)  # the queue of a fleet holds the events of all devices
TIMINGS = frozenset(corpus.TIMING_KEYS)


def as_step(event: dict[str, Any]) -> dict[str, Any]:
    step = paths.PLAIN(event)
    del step["next"]["boundary_distance"]
    step["next"]["diagnostics"] = event["diagnostics"]
    if event["evidence"] == "path":
        step["next"]["evidence"] = "path"
    if event["gap"]:
        step["next"]["gap"] = True
    if event["identifier"].startswith("r"):
        step["next"]["decided_by"] = event["decided_by"]
        step["next"] |= {name: event[name] for name in ("latitude", "longitude", "accuracy", "boundary_distance")}
        step["next"]["refinement"] = event["refinement"]
    return step


def said(step: dict[str, Any]) -> str:
    event = step["next"]
    digits = 3 if event.get("evidence") == "path" else 6
    date = f"{event['date']:.{digits}f}".rstrip("0").rstrip(".")
    flags = " " + "+".join(event["diagnostics"]) if event["diagnostics"] else ""
    by = f" by {event['decided_by']}" if event.get("decided_by") is not None else ""
    gap = " gap" if event.get("gap") else ""
    return f"{event['identifier']} {event['state']} {date} {event['cause']}{by}{flags}{gap}"


class ExplainedRule(shapes.Explained):
    keys = ("reason", "seconds_to_decide", "parts")


def is_timed(steps: list[Any]) -> bool:
    """Whether a scenario adds a condition with a timing."""
    return any(TIMINGS & set(step.get("step", step)) for step in steps)


def of_fleets(scenarios: Any) -> list[Any]:
    """Returns the scenarios that a fleet can play: those of monitors that never look back."""
    found = []
    for name, options, steps in scenarios:
        if options.get("initial_fix_max_age", 0) is not None:
            continue
        number, _, rest = name.partition(" ")
        if number in ONLY_MONITORS:
            continue
        given = {key: value for key, value in options.items() if key != "initial_fix_max_age"}
        form = fleet_forms.of_fleet(f"{number}F {rest}", given, steps, "unknown")
        if form is not None and not is_timed(steps):
            found.append(form)
    return found


def main() -> int:
    import rule_scenarios

    shapes.as_step, shapes.said = as_step, said
    forms = of_fleets(shapes.write(FOLDER))
    fleet_forms.write("rules", [*forms, *rule_scenarios.OF_FLEETS])
    return 0


if __name__ == "__main__":
    # Without this line, rule_scenarios would import this file as a second module.
    sys.modules["generate_rule_scenarios"] = sys.modules["__main__"]
    sys.exit(main())
