"""A device with timings that moves to another table and back: its exported bytes can be read again after every input,
and the device that was read from them continues with the same events."""

from __future__ import annotations

import random
from typing import Any

import pytest
from conftest import number_of_cases

from fencepost import Circle, Fix, Fleet, Rule, Schedule, Timing, Zones
from fencepost.errors import LateInputError

SECOND = 1_000_000
Place = tuple[int, str, str, Any, int, int, int]


def table(places: list[Place | None], *, has_rules: bool = False) -> Zones:
    found = Zones()
    for number, place in enumerate(places):
        if place is None:
            continue
        radius, policy, assuming, hours, absent_after, repeat_every, max_events = place
        given: dict[str, Any] = {"absent_after": absent_after, "repeat_every": repeat_every, "max_events": max_events}
        given = {name: value for name, value in given.items() if value}
        if hours is not None:
            given["active"] = Schedule([(begin * SECOND, end * SECOND) for begin, end in hours])
        options: dict[str, Any] = {"timing": Timing(**given)} if given else {}
        found.add(Circle(0, 0, radius), f"z{number}", policy=policy, assuming=assuming, **options)
        # A rule has the same hours, repeats and counts as its part.
        own = {name: value for name, value in given.items() if name != "absent_after"}
        if own and has_rules:
            timing = Timing(**own)
            found.add(Rule.any(f"z{number}"), f"r{number}", policy=policy, assuming=assuming, timing=timing)
    return found


def place(draw: random.Random) -> Place:
    edges = sorted(draw.sample(range(-20, 300), 2 * draw.randint(0, 3)))
    return (
        draw.choice([50, 500, 5000]),
        draw.choice(["exact", "standard"]),
        draw.choice(["unknown", "unsatisfied", "satisfied"]),
        draw.choice([None, list(zip(edges[::2], edges[1::2]))]),
        draw.choice([0, 5, 40]),
        draw.choice([0, 7, 30]),
        draw.choice([0, 1, 2, 5]),
    )


def moved(fleet: Fleet, onto: Zones) -> Fleet:
    after = Fleet(onto)
    after.load({"d": fleet.export(["d"], portable=True)[0]}, adapt=True)
    return after


def events(fleet: Fleet) -> list[Any]:
    return [(e.sequence, e.identifier, str(e.state), str(e.cause), e.date_us) for e in fleet.events()]


@pytest.mark.full
@pytest.mark.parametrize("seed", range(number_of_cases(100, 300, 600)))
def test_an_adapted_device_can_be_exported_again(seed: int) -> None:
    draw = random.Random(seed)
    first = [place(draw) for _ in range(draw.randint(1, 3))]
    second = [
        draw.choice([each, each, (*each[:2], draw.choice(["unknown", "satisfied"]), *each[3:]), None, place(draw)])
        for each in first
    ]
    tables = [table([*first], has_rules=True), table(second, has_rules=True)]
    at, time = 0, 0
    # `other` is exported and read again after each input; `fleet` is not.
    fleet = other = Fleet(tables[0])
    for _ in range(30):
        time += draw.choice([0, 1, 5, 10, 25])
        step = draw.choice(["fix", "fix", "fix", "advance", "switch"])
        both = [fleet] if fleet is other else [fleet, other]
        if step == "switch" and "d" in fleet:
            at = 1 - at
            fleet, other = (moved(each, tables[at]) for each in (fleet, other))
        elif step == "fix":
            fix = Fix(draw.choice([0, 0, 0.0003, 0.003, 0.03]), 0, accuracy=draw.choice([0, 5, 40]), time=time * SECOND)
            for each in both:
                each.feed("d", fix)
        elif "d" in fleet:
            for each in both:
                try:
                    each.advance(time * SECOND, device="d")
                except LateInputError:
                    pass
        found = [events(each) for each in ([fleet] if fleet is other else [fleet, other])]
        assert found[0] == found[-1]
        if "d" in fleet:
            other = moved(other, tables[at])
            assert other["d"].next_deadline_us == fleet["d"].next_deadline_us


def test_an_absence_that_is_due_before_the_first_input_in_the_other_table() -> None:
    """The absence used up the only event of the place, but the fix after it still moved the device inside. The exported
    device was refused from then on."""
    one: Place = (500, "exact", "satisfied", None, 5, 0, 0)
    tables = [table([one]), table([(*one[:6], 1)])]
    fleet = Fleet(tables[0])
    fleet.feed("d", Fix(0.0003, 0, time=5 * SECOND))
    fleet = moved(fleet, tables[1])
    fleet.feed("d", Fix(0.0003, 0, time=78 * SECOND))
    assert events(fleet) == [(1, "z0", "unsatisfied", "timeout", 10 * SECOND)]
    fleet = moved(fleet, tables[1])
    fleet.feed("d", Fix(0, 0, time=80 * SECOND))
    assert events(fleet) == []
