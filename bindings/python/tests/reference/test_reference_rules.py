"""Compares the reference model of rules with a second definition (rules_by_table.py) on random worlds.

FENCEPOST_SOAK=1 plays twenty times as many worlds.
"""

from __future__ import annotations

import os
import random
from itertools import product
from typing import Any

import pytest
from reference import ReferenceMonitor
from reference_rules import Rule, RuleDefect
from reference_values import Refused
from rules_by_table import Automaton, Rules, value_of

ROUNDS = 20 if os.environ.get("FENCEPOST_SOAK") == "1" else 1
STATES = {"satisfied": True, "unsatisfied": False, "unknown": None}
SECOND = 1_000_000
UUID = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"
EXACT = dict(entry_dwell=0, exit_dwell=0, entry_margin=0, exit_margin=0, accuracy_factor=0)


@pytest.mark.parametrize("size", range(1, 6))
def test_states_are_those_of_all_completions(size: int) -> None:
    names = [f"p{index}" for index in range(size)]
    kinds = [("all", 0), ("any", 0), ("none", 0), *(("at_least", number) for number in range(1, size + 1))]
    for kind, number in kinds:
        rule = Rule(kind, names, number or None)
        for states in product(STATES, repeat=size):
            expected = value_of(kind, number, tuple(STATES[state] for state in states))
            assert STATES[rule.state(list(states))] == expected, (kind, number, states)


def test_defects_change_nothing() -> None:
    monitor = ReferenceMonitor()
    monitor.add_rule("r1", Rule("any", ["r2"]))
    monitor.add_rule("r2", Rule("any", ["r3"]))
    with pytest.raises(Refused) as refused:
        monitor.add_rule("r3", Rule("any", ["r1"]))
    assert isinstance(refused.value.__cause__, RuleDefect)
    assert refused.value.__cause__.identifiers == ["r3", "r1", "r2", "r3"]
    assert monitor.identifiers() == ["r1", "r2"]


class World:
    """A monitor on a grid of seconds, and the second definition of its rules. Each second has one call, so that it is
    one instant, with all deadlines that fall on it."""

    def __init__(self, source: random.Random, *, looks_back: bool, order: str) -> None:
        self.source = source
        self.monitor = ReferenceMonitor(
            initial_fix_max_age=60 if looks_back else None,
            beacon_exit_timeout=5,
            beacon_initial_timeout=5,
            order=order,
        )
        self.rules = Rules(looks_back)
        self.order = order
        self.time: int | None = None
        self.active: dict[str, Any] = {}
        self.events = 0
        self.deciders = 0

    def others(self) -> dict[str, bool | None]:
        """The states of the conditions that are not rules, as rules count them."""
        found: dict[str, bool | None] = {}
        for state, value in STATES.items():
            for name in self.monitor.identifiers_in_state(state):
                found[name] = value
        for name, intervals in self.active.items():
            if name in found and (self.time is None or not any(s <= self.time < e for s, e in intervals)):
                found[name] = False
        return {name: value for name, value in found.items() if name not in self.rules.rules}

    def generations(self) -> dict[str, int]:
        return {c.identifier: c.generation for c in self.monitor._in_add_order()}

    def add_part(self, name: str) -> None:
        source = self.source
        dwell = source.choice([0, 0, 3, 7])
        policy = {**EXACT, "entry_dwell": dwell, "exit_dwell": dwell, "notify": source.choice([[], ["entry", "exit"]])}
        rest: dict[str, Any] = {}
        self.active.pop(name, None)
        if source.random() < 0.3:
            first = source.randrange(0, 60)
            self.active[name] = [(first, first + 40), (first + 50, first + 90)]
            rest["active"] = [list(interval) for interval in self.active[name]]
        self.rules.rules.pop(name, None)
        if name.startswith("k"):
            self.monitor.add_beacon(name, UUID, 1, int(name[1:]), policy=policy, **rest)
        else:
            self.monitor.add_circle(name, 0, source.uniform(-0.002, 0.002), 150, policy=policy, **rest)
        self.changed()

    def add_rule(self, name: str, parts: list[str]) -> None:
        source = self.source
        kind = source.choice(["all", "any", "none", "at_least"])
        number = source.randint(1, len(parts)) if kind == "at_least" else 0
        entry, leave = source.choice([(0, 0), (0, 0), (4, 4), (0, 9)])
        notify = source.choice([("initial", "entry", "exit")] * 6 + [(), ("entry",)])
        assuming = source.choice(["unknown", "satisfied", "unsatisfied"])
        policy = {**EXACT, "entry_dwell": entry, "exit_dwell": leave, "notify": notify}
        active = None
        if source.random() < 0.2:
            first = source.randrange(0, 80)
            active = ((first, first + 30), (first + 45, first + 100))
        rest = {} if active is None else {"active": [list(interval) for interval in active]}
        states = self.others() | {
            each.name: each.state if each.is_active(self.time) else False for each in self.rules.rules.values()
        }
        try:
            self.monitor.add_rule(name, Rule(kind, parts, number or None), policy=policy, assuming=assuming, **rest)
        except Refused:
            return
        generation = self.generations()[name]
        rule = Automaton(name, (kind, number, tuple(parts)), generation, entry, leave, notify, STATES[assuming], active)
        rule.was_active = rule.is_active(self.time)
        self.rules.rules.pop(name, None)
        self.active.pop(name, None)
        self.rules.add(rule, states)
        self.changed()

    def remove(self, name: str) -> None:
        self.monitor.remove(name)
        self.rules.rules.pop(name, None)
        self.active.pop(name, None)
        self.changed()

    def changed(self) -> None:
        if self.rules.looks_back and self.time is not None:
            self.check(is_input=False)
        else:
            self.rules.table_changed(self.others(), self.time)
            assert self.drain() == []

    def drain(self) -> list[dict[str, Any]]:
        found = []
        while (event := self.monitor.next_event()) is not None:
            if event["identifier"] in self.rules.rules:
                found.append(event)
        return found

    def check(self, *, is_input: bool) -> None:
        """Compares the events and the states of the rules at the end of an instant."""
        assert self.time is not None
        expected = self.rules.instant(self.time, self.others(), self.generations(), is_input=is_input)
        given = self.drain()
        if self.order == "exits_first":
            level = {rule.name: number for number, rules in enumerate(self.rules.levels()) for rule in rules}
            expected.sort(key=lambda event: (level[event.name], event.state))
        assert [(e.name, e.state, e.time * SECOND, e.cause) for e in expected] == [
            (e["identifier"], STATES[e["state"]], e["date"], e["cause"]) for e in given
        ]
        for event, other in zip(expected, given):
            assert (other["decided_by"] in event.deciders) if event.deciders else other["decided_by"] is None
            self.events += 1
            self.deciders += len(event.deciders) == 1
        for rule in self.rules.rules.values():
            found = next(s for s in STATES if rule.name in self.monitor.identifiers_in_state(s))
            assert STATES[found] == (rule.state if rule.is_active(self.time) else None), rule.name

    def second(self, time: int) -> None:
        source = self.source
        self.time = time
        us = time * SECOND
        what = source.random()
        if self.monitor.host_flags and what < 0.3:
            self.monitor.set_host((), (), us)
        elif what < 0.5:
            self.monitor.feed_fix(us, 0, source.uniform(-0.003, 0.003))
        elif what < 0.65:
            beacons = [(UUID, 1, number, None) for number in range(2) if source.random() < 0.6]
            self.monitor.feed_sightings(us, beacons)
        elif what < 0.67:
            self.monitor.set_host(source.choice([[], ["authorization_denied"]]), (), us)
        elif what < 0.69:
            self.monitor.set_scanning(source.random() < 0.9, us)
        else:
            self.monitor.advance(us)
            self.check(is_input=False)
            return
        self.check(is_input=True)

    def play(self) -> None:
        parts = ["c0", "c1", "c2", "k0", "k1"]
        names = ["r0", "r1", "r2", "r3", "r4"]
        for name in parts:
            if self.source.random() < 0.9:
                self.add_part(name)
        for name in self.source.sample(names, 4):
            self.add_rule(name, self.some_parts(parts, names))
        for time in range(200):
            if self.source.random() < 0.05:
                self.change(parts, names)
            self.second(time)

    def some_parts(self, parts: list[str], names: list[str]) -> list[str]:
        """A few parts; now and then one that the table never has."""
        known = [name for name in names if name in self.rules.rules]
        pool = [*parts, *(known if self.source.random() < 0.9 else names)]
        found = self.source.sample(pool, self.source.randint(1, 3))
        return [*found, "x"] if self.source.random() < 0.1 else found

    def change(self, parts: list[str], names: list[str]) -> None:
        what = self.source.random()
        if what < 0.3:
            self.add_part(self.source.choice(parts))
        elif what < 0.5:
            self.remove(self.source.choice([*parts, *names]))
        else:
            self.add_rule(self.source.choice(names), self.some_parts(parts, names))


@pytest.mark.parametrize("order", ["add", "exits_first"])
@pytest.mark.parametrize("looks_back", [True, False])
@pytest.mark.parametrize("number", range(6 * ROUNDS))
def test_random_worlds(number: int, looks_back: bool, order: str) -> None:
    world = World(random.Random(f"rules {number} {looks_back} {order}"), looks_back=looks_back, order=order)
    world.play()


def test_the_worlds_have_something_to_decide() -> None:
    events = deciders = 0
    for number in range(6):
        world = World(random.Random(f"rules {number} True add"), looks_back=True, order="add")
        world.play()
        events += world.events
        deciders += world.deciders
    assert events > 100 and deciders > 50, (events, deciders)
