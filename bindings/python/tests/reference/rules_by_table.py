"""A second definition of rules, which shares no code with reference_rules: a truth table over all completions of the
unknown parts, and one automaton for each rule, which reads the states of the parts at the end of each instant.

It knows nothing of conditions: the states of circles and beacons are those that the reference model observes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import Any

Spec = tuple[str, int, tuple[str, ...]]  # all, any, none or at_least; the number; the parts


def holds(kind: str, number: int, values: tuple[bool, ...]) -> bool:
    """Whether a rule is satisfied if all parts are known."""
    if kind == "all":
        return all(values)
    if kind == "any":
        return any(values)
    if kind == "none":
        return not any(values)
    return sum(values) >= number


def value_of(kind: str, number: int, states: tuple[bool | None, ...]) -> bool | None:
    """The state of a rule: that of all completions of its unknown parts if they agree; otherwise None."""
    choices = [(False, True) if state is None else (state,) for state in states]
    found = {holds(kind, number, values) for values in product(*choices)}
    return found.pop() if len(found) == 1 else None


@dataclass
class Automaton:
    """One rule."""

    name: str
    spec: Spec
    generation: int
    entry_dwell: int = 0
    exit_dwell: int = 0
    notify: tuple[str, ...] = ("initial", "entry", "exit")
    assuming: bool | None = None
    active: tuple[tuple[int, int], ...] | None = None
    state: bool | None = None
    waiting: tuple[bool, int, Any] | None = None  # the new state, its time, and the parts that may have decided
    reported: bool | None = None
    seen: dict[str, bool | None] = field(default_factory=dict)
    is_pending: bool = True
    was_active: bool = True
    has_started: bool = False

    def is_active(self, time: int | None) -> bool:
        if self.active is None:
            return True
        return time is not None and any(start <= time < end for start, end in self.active)


@dataclass
class Told:
    """An expected event; `deciders` are the generations of the parts that may have decided, or None if no part has."""

    name: str
    state: bool
    time: int
    cause: str
    deciders: frozenset[int]


class Rules:
    """The rules of one monitor. `looks_back` is false for a monitor that never looks back."""

    def __init__(self, looks_back: bool) -> None:
        self.looks_back = looks_back
        self.rules: dict[str, Automaton] = {}

    def add(self, rule: Automaton, states: dict[str, bool | None]) -> None:
        rule.reported = rule.assuming
        rule.seen = {part: states.get(part) for part in rule.spec[2]}
        self.rules[rule.name] = rule

    def levels(self) -> list[list[Automaton]]:
        """The rules by depth; those of one depth in add order."""
        left = dict(self.rules)
        found = []
        while left:
            level = [rule for rule in left.values() if not any(part in left for part in rule.spec[2])]
            found.append(sorted(level, key=lambda rule: rule.generation))
            left = {name: rule for name, rule in left.items() if rule not in level}
        return found

    def instant(
        self, time: int, states: dict[str, bool | None], generations: dict[str, int], *, is_input: bool
    ) -> list[Told]:
        """The end of an instant. `states` has the states of all other conditions, with False for inactive ones."""
        states = dict(states)
        told: list[Told] = []
        for level in self.levels():
            for rule in level:
                self._look(rule, time, states, generations, is_input, told)
            for rule in level:
                if rule.waiting is not None and rule.waiting[1] <= time:
                    state, due, deciders = rule.waiting
                    rule.waiting, rule.state = None, state
                    self._tell(rule, Told(rule.name, state, due, "crossing", deciders), told)
            for rule in level:
                states[rule.name] = rule.state if rule.is_active(time) else False
        return told

    def _look(
        self, rule: Automaton, time: int, states: Any, generations: Any, is_input: bool, told: list[Told]
    ) -> None:
        now = {part: states.get(part) for part in rule.spec[2]}
        changed = {part for part in now if now[part] != rule.seen[part]}
        active = rule.is_active(time)
        if not active:
            rule.seen, rule.state, rule.waiting, rule.was_active = now, None, None, False
            return
        if not rule.was_active:
            rule.was_active = rule.is_pending = rule.has_started = True
        is_due = rule.waiting is not None and rule.waiting[1] <= time
        if not changed and not (rule.is_pending and (is_input or self.looks_back or is_due)):
            return
        rule.seen, rule.is_pending = now, False
        value = value_of(rule.spec[0], rule.spec[1], tuple(now.values()))
        deciders = frozenset(generations[part] for part in changed if now[part] is not None)
        if value is None:
            rule.state = rule.waiting = None
        elif rule.state is None:
            rule.state = value
            is_news = rule.has_started and value != rule.assuming
            rule.has_started = False
            self._tell(rule, Told(rule.name, value, time, "determination", deciders), told, is_news)
        elif value == rule.state:
            rule.waiting = None
        elif rule.waiting is None:
            rule.waiting = (value, time + (rule.entry_dwell if value else rule.exit_dwell), deciders)

    @staticmethod
    def _tell(rule: Automaton, event: Told, told: list[Told], is_news: bool = False) -> None:
        kind = "initial" if event.cause == "determination" else "entry" if event.state else "exit"
        if event.state == rule.reported and not (is_news and kind in rule.notify):
            return
        rule.reported = event.state
        if kind in rule.notify:
            told.append(event)

    def table_changed(self, states: dict[str, bool | None], time: int | None) -> None:
        """A change of the table of a monitor that never looks back: rules can only become unknown."""
        states = dict(states)
        for level in self.levels():
            for rule in level:
                now = {part: states.get(part) for part in rule.spec[2]}
                if now != rule.seen:
                    rule.seen, rule.is_pending = now, True
                    if value_of(rule.spec[0], rule.spec[1], tuple(now.values())) is None:
                        rule.state = rule.waiting = None
                states[rule.name] = rule.state if rule.is_active(time) else False
