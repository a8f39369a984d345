"""Converts a scenario of one monitor to the scenario of a fleet: its inputs are those of a device "a", between those of
a device "b" that stands still. The rule for fleets says that device "a" gives the same events."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from run_reference_corpus import CORPUS
from run_reference_fleets import FleetScenario

OPTIONS = (
    "max_pending_events",
    "max_time_step",
    "plausible_speed",
    "corroboration_count",
    "corroboration_time",
    "accuracy_confidence",
    "order",
)
VERBS = {"add", "fix", "next", "advance", "statistics", "explain", "identifiers_in_state", "refused", "restart"}
# A fleet numbers the events and the conditions in its own way, so these values are not compared.
NEXT = ("identifier", "state", "cause", "date", "evidence_date", "probability")
Step = dict[str, Any]
# The fixes of device "b": far from all conditions, or without a position if they would decide undetermined conditions.
FAR: Step = {"latitude": 60, "longitude": 60}
NOWHERE: Step = {**FAR, "accuracy": -1}


def of_fleet(
    name: str,
    options: Step,
    steps: list[Step],
    assuming: str | None = None,
    keys: Sequence[str] = (),
    is_alone: bool = False,
) -> Step | None:
    """Returns the scenario of a fleet; None if a fleet has no such options or steps.

    assuming: the assumed state of conditions that the scenario of the monitor adds without one.
    keys: further values of events to compare.
    is_alone: whether the fleet has no device "b", because time alone would cause events of it.
    """
    if not set(options) <= set(OPTIONS) or not all(set(each) & VERBS for each in steps):
        return None
    device: list[Step] = [{"enter": "a"}] if is_alone else []
    for each in steps:
        if "next" in each:
            event = each["next"]
            device.append({"next": event and {"device": "a"} | {k: v for k, v in event.items() if k in (*NEXT, *keys)}})
        elif "add" in each:
            device.append(each if assuming is None else {"assuming": assuming} | each)
        elif "restart" in each:
            device.append(each)
        elif "refused" in each:
            device.append(each if "add" in each["step"] else each | {"step": {"device": "a"} | each["step"]})
        else:
            device.append({"device": "a"} | each)
        if not is_alone and "fix" in each and len(device) % 3 == 0:
            device.append(
                {"device": "b", "fix": {"time": each["fix"]["time"], **(FAR if assuming is None else NOWHERE)}}
            )
    return {"name": name, "fleet": options, "steps": ordered(device)}


def ordered(steps: list[Step]) -> list[Step]:
    """Leaves out the fixes of device "b" that are earlier than one before."""
    done, latest = [], float("-inf")
    for each in steps:
        if each.get("device") == "b":
            if each["fix"]["time"] < latest:
                continue
            latest = each["fix"]["time"]
        done.append(each)
    return done


def numbered(scenarios: Iterable[tuple[str, Step, list[Step]]], left_out: Sequence[str], **how: Any) -> list[Step]:
    """Returns the scenarios of fleets for scenarios of one monitor whose names begin with a number: those that a fleet
    can play, except the numbers in `left_out`."""
    found = []
    for name, options, steps in scenarios:
        number, _, rest = name.partition(" ")
        if number not in left_out:
            found.append(of_fleet(f"{number}F {rest}", options, steps, **how))
    return [each for each in found if each is not None]


def write(file: str, scenarios: list[Step]) -> None:
    (CORPUS / "Fleets" / f"{file}.json").write_text(written(scenarios), encoding="utf-8")
    print(f"{len(scenarios)} scenarios for fleets")


def written(scenarios: Iterable[Step]) -> str:
    """Returns the scenarios as text, after the reference has played them.

    Raises: SystemExit if the reference gives other events.
    """
    texts = []
    for each in scenarios:
        for restart in (False, True):
            failure = FleetScenario(each, restart).run()
            if failure is not None:
                raise SystemExit(f"{each['name']}: {failure}")
        lines = ",\n".join(f"  {json.dumps(step)}" for step in each["steps"])
        name, fleet = json.dumps(each["name"]), json.dumps(each["fleet"])
        texts.append(f'{{"name": {name},\n "fleet": {fleet},\n "steps": [\n{lines}\n ]}}')
    return "[\n" + ",\n".join(texts) + "\n]\n"
