"""Writes the scenarios in Tests/Conformance/Gates. The steps and the expected events are in gate_scenarios.py.

    python generate_gate_scenarios.py

The script works like generate_path_scenarios.py, except that a call such as `events("g left_to_right 12.5 path", ...)`
states the direction of a crossing instead of a state.
"""

from __future__ import annotations

import sys
from typing import Any

import generate_path_scenarios as paths
import run_reference_corpus as corpus

FOLDER = corpus.CORPUS / "Gates"


def as_step(event: dict[str, Any]) -> dict[str, Any]:
    step = paths.as_step(event)
    step["next"]["direction"] = event["direction"]
    return step


def said(step: dict[str, Any]) -> str:
    event = step["next"]
    return paths.said({"next": event | {"state": event["direction"] or event["state"]}})


if __name__ == "__main__":
    paths.FOLDER = FOLDER
    sys.exit(paths.main("gate_scenarios", as_step, said))
