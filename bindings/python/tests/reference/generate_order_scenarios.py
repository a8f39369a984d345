"""Writes the scenarios in Tests/Conformance/Order and their fleet forms in Tests/Conformance/Fleets. The steps and the
expected events are in order_scenarios.py.

    python generate_order_scenarios.py

The script works like generate_path_scenarios.py. Each scenario that a fleet can play is also written for a fleet; see
fleet_forms.py. OF_FLEETS contains scenarios of several devices.
"""

from __future__ import annotations

import sys
from typing import Any

import fleet_forms
import generate_path_scenarios as paths
import generate_shape_scenarios as shapes
import run_reference_corpus as corpus

FOLDER = corpus.CORPUS / "Order"
WEST, EAST = -0.045, 0.045
DWELL = {"entry_dwell": 20, "exit_dwell": 20, "entry_margin": 0, "exit_margin": 0, "accuracy_factor": 0}


def _add(identifier: str, longitude: float) -> dict[str, Any]:
    return {"add": identifier, "circle": {"latitude": 0, "longitude": longitude, "radius": 1000}, "policy": DWELL}


def _fix(device: str, time: float, longitude: float) -> dict[str, Any]:
    return {"device": device, "time": time, "latitude": 0, "longitude": longitude}


def _next(*events: str) -> list[dict[str, Any]]:
    keys = ("device", "identifier", "state", "date")
    rows = [dict(zip(keys, event.split())) for event in events]
    return [{"next": row | {"date": int(row["date"])}} for row in rows] + [{"next": None}]


OF_FLEETS: list[dict[str, Any]] = [
    {
        "name": "T29 an advance of the fleet: by deadline, then by device, then exits first",
        "fleet": {"order": "exits_first"},
        "steps": [
            _add("e", EAST),
            _add("w", WEST),
            {"fixes": [_fix("a", 0, WEST), _fix("b", 0, EAST), _fix("a", 10, EAST), _fix("b", 10, WEST)]},
            *_next("a w satisfied 0", "b e satisfied 0"),
            {"advance": 40},
            *_next("a w unsatisfied 30", "a e satisfied 30", "b e unsatisfied 30", "b w satisfied 30"),
        ],
    },
    {
        "name": "T30 in the order of adding, each device tells the events by the number of the condition",
        "fleet": {},
        "steps": [
            _add("e", EAST),
            _add("w", WEST),
            {"fixes": [_fix("a", 0, WEST), _fix("b", 0, EAST), _fix("a", 10, EAST), _fix("b", 10, WEST)]},
            *_next("a w satisfied 0", "b e satisfied 0"),
            {"advance": 40},
            *_next("a e satisfied 30", "a w unsatisfied 30", "b e unsatisfied 30", "b w satisfied 30"),
        ],
    },
]


def as_step(event: dict[str, Any]) -> dict[str, Any]:
    found = paths.as_step(event)
    del found["next"]["boundary_distance"]  # the order of events is compared, not the distances
    return found


def main() -> int:
    import order_scenarios  # noqa: F401, it fills FILES

    shapes.as_step, shapes.said = as_step, paths.said
    # A fleet never looks back (T10), and its queue holds the events of all devices (T23).
    fleets = fleet_forms.numbered(shapes.write(FOLDER), left_out=("T10", "T23"))
    fleet_forms.write("order", [*fleets, *OF_FLEETS])
    return 0


if __name__ == "__main__":
    sys.exit(main())
