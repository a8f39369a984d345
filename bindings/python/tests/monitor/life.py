"""Runs a monitor that can be interrupted at any moment and resumed; this is the program that test_kill.py kills.

A plan is data: the inputs, the conditions, the operations before certain inputs, and the way in which events are read.
To get the expected log, the plan is run in memory from its start. As a program (``life.py PLAN STORE``), this module
opens the monitor ``m`` in a store, continues the plan after the last input of that monitor, and writes each observation
to standard output as one line with a single write.
"""

from __future__ import annotations

import json
import os
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fencepost import (
    Beacon,
    BeaconSighting,
    Circle,
    Diagnostics,
    FencepostError,
    Fix,
    Monitor,
    TransitionPolicy,
)

BEACON = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"
Row = tuple[float, float, float, int]
Plan = dict[str, Any]


def make_plan(fixes: list[Row], durability: str, seed: int) -> Plan:
    """Returns a plan with conditions along a track; sightings and host flags come between the fixes, and some fixes are
    invalid or late."""
    generator = random.Random(seed)
    conditions: list[list[Any]] = []
    for number in range(30):
        latitude, longitude, _, _ = generator.choice(fixes)
        circle = [latitude, longitude, generator.uniform(20, 400)]
        conditions.append([f"circle {number}", circle, generator.choice(["exact", "standard", "core_location"])])
    conditions.append(["beacon", None, "standard"])
    inputs: list[list[Any]] = []
    for latitude, longitude, accuracy, time in fixes:
        inputs.append(["fix", latitude, longitude, accuracy, time])
        match generator.randrange(60):
            case 0 | 1:
                inputs.append(["see", generator.randrange(3), time])
            case 2:
                inputs.append(["fix", 91.0, longitude, accuracy, time])
            case 3:
                inputs.append(["fix", latitude, longitude, accuracy, time - 3_600_000_000])
            case 4:
                inputs.append(["scanning", generator.random() < 0.5, time])
            case 5:
                inputs.append(["host", generator.choice([0, 0, 16]), time])
            case 6:
                inputs.append(["advance", time])
    inputs.append(["advance", fixes[-1][3] + 3_600_000_000])
    # If all events are read after each call, a run that is resumed between two calls gives the same log in every
    # delivery mode. With `every`, the log does not depend on when events are read, so several events may be in flight
    # at the end.
    drain = generator.random() < 0.6
    operations: dict[str, list[Any]] = {}
    if drain:
        for index in generator.sample(range(len(inputs)), 40):
            name, circle, policy = generator.choice(conditions)
            operations[str(index)] = generator.choice([["remove", name], ["ensure", name, circle, policy]])
    return {
        "seed": seed,
        "options": {"delivery": generator.choice(["every", "first", "latest"]) if drain else "every"},
        "store": {"durability": durability, "checkpoint_interval": generator.choice([5, 60, 600])},
        "conditions": conditions,
        "inputs": inputs,
        "operations": operations,
        "take": None if drain else generator.choice([1, 2, 3]),
        "chunk": generator.choice([1, 1, 16]),
    }


def ensure(monitor: Monitor, name: str, circle: list[float] | None, policy: str) -> None:
    condition = Beacon(BEACON) if circle is None else Circle(*circle)
    monitor.ensure(condition, name, policy=TransitionPolicy.named(policy))


def give(monitor: Monitor, row: list[Any]) -> None:
    try:
        match row:
            case ["fix", latitude, longitude, accuracy, time]:
                monitor.feed(Fix(latitude, longitude, accuracy, time=time))
            case ["see", minor, time]:
                monitor.feed_sightings([BeaconSighting(BEACON, 1, minor)], time=time)
            case ["scanning", on, time]:
                monitor.set_scanning(on, time=time)
            case ["host", flags, time]:
                monitor.set_host(Diagnostics(flags), time=time)
            case ["advance", time]:
                monitor.advance(time)
    except FencepostError as error:
        if error.name not in ("late_input", "invalid_argument"):
            raise


def live(monitor: Monitor, plan: Plan, say: Callable[[str], None]) -> None:
    """Continues the plan from input number `input_count` to the last input; writes ``event JSON`` for each delivered
    event, and ``fed COUNT``."""
    inputs, chunk, batch = plan["inputs"], plan["chunk"], plan["take"]

    def take() -> None:
        for event in monitor.events() if batch is None else monitor.poll(batch):
            say(f"event {event.to_json()}")

    index = monitor.statistics().input_count
    if index == 0:
        for condition in plan["conditions"]:
            ensure(monitor, *condition)
    take()
    while index < len(inputs):
        match plan["operations"].get(str(index)):
            case ["remove", name]:
                monitor.remove(name)
                take()
            case ["ensure", *condition]:
                ensure(monitor, *condition)
                take()
        end = index + 1
        if chunk > 1 and inputs[index][0] == "fix":
            while end < len(inputs) and end < index + chunk and inputs[end][0] == "fix":
                if str(end) in plan["operations"]:
                    break
                end += 1
            monitor.feed_many([Fix(*row[1:4], time=row[4]) for row in inputs[index:end]])
        else:
            give(monitor, inputs[index])
        index = end
        say(f"fed {index}")
        take()
    for event in monitor.events():
        say(f"event {event.to_json()}")


def main() -> None:
    plan = json.loads(Path(sys.argv[1]).read_text())

    def say(line: str) -> None:
        os.write(1, f"{line}\n".encode())

    say("ready")
    with Monitor("m", store=sys.argv[2], **plan["options"], **plan["store"]) as monitor:
        statistics = monitor.statistics()
        say(f"opened {statistics.input_count} {statistics.handed_out_events}")
        live(monitor, plan, say)
    say("done")


if __name__ == "__main__":
    main()
