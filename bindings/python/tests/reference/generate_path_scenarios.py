"""Writes the scenarios in Tests/Conformance/Paths. The module path_scenarios.py contains the steps and the expected
events.

    python generate_path_scenarios.py

The expected events are written as in generate_shape_scenarios.py. `events("c satisfied 12.5 path", ...)` lists all
pending events in order, each with its time to the millisecond, the source of its evidence, and `gap` if it follows a
gap. Nothing is written unless the reference gives exactly the listed events. The script adds the microseconds, the
point and the distance to each event.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

import generate_shape_scenarios as shapes
import run_reference_corpus as corpus

FOLDER = corpus.CORPUS / "Paths"


def as_step(event: dict[str, Any]) -> dict[str, Any]:
    step = PLAIN(event)
    if event["evidence"] is not None:
        step["next"] |= {name: event[name] for name in ("latitude", "longitude", "evidence")}
    step["next"]["gap"] = event["gap"]
    return step


def said(step: dict[str, Any]) -> str:
    event = step["next"]
    date = f"{event['date']:.3f}".rstrip("0").rstrip(".")
    gap = " gap" if event["gap"] else ""
    return f"{event['identifier']} {event['state']} {date} {event.get('evidence')}{gap}"


PLAIN = shapes.as_step


def main(module: str = "path_scenarios", *words: Callable[..., Any]) -> int:
    shapes.as_step, shapes.said = words or (as_step, said)
    importlib.import_module(module)  # importing the module fills FILES
    shapes.write(FOLDER)
    return 0


if __name__ == "__main__":
    sys.exit(main())
