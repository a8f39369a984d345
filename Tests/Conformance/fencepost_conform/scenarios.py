"""Reads conformance scenarios from files. The format is described in Tests/Conformance/README.md."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fencepost._errors import InputError
from fencepost._files.text import parse_json, read_text
from fencepost._values.enums import DevicePath

OPTIONS = (
    "delivery", "condition_limit", "initial_fix_max_age", "beacon_exit_timeout", "beacon_initial_timeout",
    "max_pending_events",
    "max_time_step", "path", "max_gap", "max_speed",
    "plausible_speed", "corroboration_count", "corroboration_time", "accuracy_confidence", "order",
)  # fmt: skip


FLEET_OPTIONS = (
    "beacon_exit_timeout", "beacon_initial_timeout", "max_pending_events", "max_time_step", "device_limit",
    "plausible_speed", "corroboration_count", "corroboration_time", "accuracy_confidence", "order",
)  # fmt: skip
KINDS = {"options": OPTIONS, "fleet": FLEET_OPTIONS, "reorder": ("window", "limit")}
"""The key that contains a scenario's options, and the names of these options."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario: its name, its options, its steps, the path of its file, and its kind, a key of :data:`KINDS`."""

    path: str
    name: str
    options: dict[str, Any]
    steps: list[dict[str, Any]]
    kind: str = "options"


def read_scenarios(path: str | Path) -> list[Scenario]:
    """Returns the scenarios of a file, in order.

    Raises:
        InputError: The file cannot be read, or is neither a scenario nor an array of scenarios.
    """
    content = parse_json(read_text(path), path)
    rows = content if isinstance(content, list) else [content]
    return [_scenario(row, path, f"scenario {number}") for number, row in enumerate(rows, 1)]


def _scenario(row: Any, path: str | Path, place: str) -> Scenario:
    if not isinstance(row, dict) or not isinstance(row.get("name"), str):
        raise InputError(path, place, "is not an object with a name")
    kind = next((key for key in ("fleet", "reorder") if key in row), "options")
    options, steps, known = row.get(kind, {}), row.get("steps"), KINDS[kind]
    if not isinstance(options, dict) or not set(options) <= set(known):
        raise InputError(path, f"{place} ({row['name']})", f"options are not some of {', '.join(known)}")
    if not isinstance(steps, list) or not steps or not all(isinstance(step, dict) for step in steps):
        raise InputError(path, f"{place} ({row['name']})", "steps is not a list of at least one object")
    if options.get("path", DevicePath.FIXES) == DevicePath.FIXES:  # `fixes` permits neither max_gap nor max_speed
        options = {name: value for name, value in options.items() if name not in ("max_gap", "max_speed")}
    return Scenario(str(path), row["name"], options, steps, kind)


def defect(error: Exception) -> str:
    """Describes what is wrong with a step that could not be read."""
    if isinstance(error, KeyError):
        return f"{error.args[0]} is missing"
    if isinstance(error, ValueError):
        return str(error)
    return "a value or a key is not what the format has there"


def to_us(seconds: Any) -> int:
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not math.isfinite(seconds):
        raise ValueError(f"{plain(seconds)} is not a time in seconds")
    return round(seconds * 1_000_000)


def plain(value: Any) -> str:
    return "nothing" if value is None else json.dumps(value, ensure_ascii=False)
