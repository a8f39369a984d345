"""Tests monitors whose rules and parts come and go: the states are those of a truth table at any time."""

from __future__ import annotations

import random
from datetime import UTC, datetime

import pytest

from fencepost import Circle, Fix, Monitor, Rule, Schedule, Timing, TransitionPolicy
from fencepost.errors import InvalidArgumentError

EXACT = TransitionPolicy(entry_dwell=0, exit_dwell=0, entry_margin=0, exit_margin=0, accuracy_factor=0)
CIRCLES = [f"c{number}" for number in range(6)]
RULES = [f"r{number}" for number in range(5)]
SECOND = 1_000_000


def states_by_definition(monitor: Monitor) -> dict[str, str]:
    """Returns the state of each condition; those of rules are computed from the states of the circles."""
    conditions = {each.identifier: each.condition for each in monitor.records()}

    def state(identifier: str) -> str:
        rule = conditions.get(identifier)
        if rule is None:
            return "unknown"
        if not isinstance(rule, Rule):
            return str(monitor.state(identifier))
        parts = [state(part) for part in rule.parts]
        satisfied, unknown = parts.count("satisfied"), parts.count("unknown")
        if satisfied >= rule.count:
            found = "satisfied"
        elif satisfied + unknown < rule.count:
            found = "unsatisfied"
        else:
            return "unknown"
        opposite = {"satisfied": "unsatisfied", "unsatisfied": "satisfied"}
        return opposite[found] if rule.form == "none" else found

    return {identifier: state(identifier) for identifier in conditions}


def random_set(chance: random.Random) -> dict[str, Circle | Rule]:
    members: list[tuple[str, Circle | Rule]] = [
        (name, Circle(50 + chance.choice([0, 0.002]), 8, 150)) for name in chance.sample(CIRCLES, chance.randint(0, 6))
    ]
    for name in chance.sample(RULES, chance.randint(0, 4)):
        parts = chance.sample(CIRCLES + RULES, chance.randint(1, 3))
        members.append((name, chance.choice([Rule.all, Rule.any, Rule.none])(*parts)))
    chance.shuffle(members)
    return dict(members)


@pytest.mark.parametrize("keeps_a_rule", [False, True])
@pytest.mark.parametrize("seed", range(25))
def test_a_table_that_is_made_equal_to_random_sets(seed: int, keeps_a_rule: bool) -> None:
    """Without the kept rule, the last rule goes now and then, and with it the counts of the parts."""
    chance = random.Random(seed)
    monitor = Monitor()
    kept = {"kept": Rule.any("missing")} if keeps_a_rule else {}
    applied = 0
    for step in range(30):
        monitor.feed(Fix(50 + chance.choice([0, 0.002, 0.004]), 8, time=step * SECOND))
        wanted = {**kept, **random_set(chance)}
        before = states_by_definition(monitor)
        try:
            monitor.sync(wanted, policy=EXACT)
        except InvalidArgumentError as error:
            assert "cycle" in str(error)
            assert {each.identifier: str(monitor.state(each.identifier)) for each in monitor.records()} == before
            continue
        applied += 1
        expected = states_by_definition(monitor)
        assert set(expected) == set(wanted)
        assert {identifier: str(monitor.state(identifier)) for identifier in expected} == expected
        if chance.random() < 0.3:
            monitor = Monitor.restore(monitor.snapshot())
    assert applied > 10


def test_a_name_that_is_used_again_begins_without_a_history() -> None:
    """The part `b` is removed with its rule, and `c` takes its place within the monitor."""
    monitor = Monitor()
    monitor.add(Rule.any("z"), "kept", policy=EXACT)
    monitor.add(Circle(50, 8, 100), "b", policy=EXACT)
    monitor.add(Rule.any("b"), "r", policy=EXACT)
    monitor.feed(Fix(50, 8, time=0))
    assert str(monitor.state("r")) == "satisfied"
    monitor.sync({"kept": Rule.any("z"), "c": Circle(60, 8, 100), "s": Rule.none("c")}, policy=EXACT)
    monitor.feed(Fix(60.1, 8, time=SECOND))
    assert [str(monitor.state(name)) for name in ("c", "s")] == ["unsatisfied", "satisfied"]


def test_the_edge_of_a_removed_schedule_is_not_a_deadline() -> None:
    monitor = Monitor()
    for name, start in (("early", 100), ("late", 200)):
        active = Schedule([(start * SECOND, (start + 50) * SECOND)])
        monitor.add(Circle(50, 8, 100), name, policy=EXACT, timing=Timing(active=active))
    monitor.feed(Fix(50, 8, time=0))
    for removed, left in (("early", datetime.fromtimestamp(200, UTC)), ("late", None)):
        monitor.remove(removed)
        assert monitor.next_deadline == left
        assert Monitor.restore(monitor.snapshot()).next_deadline == left
