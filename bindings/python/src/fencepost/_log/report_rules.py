"""The rules of a log in the data of the report: their parts, their states over time, and the parts that decided."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from .._files.condition_files import ConditionRow
from .._values.any_condition import Condition
from .._values.conditions import Beacon, Circle
from .._values.events import Event
from .._values.lines import Gate
from .._values.rules import Rule
from .._values.shapes import Corridor
from .log import Log
from .rule_states import UNKNOWN, Steps, states
from .second_replay import SecondReplay

MOST_STEPS = 200_000
"""Maximum number of changes of the states of rules and parts."""

NumberOf = Callable[[str], int]
"""Returns the number of a place by its identifier."""


class RulesOfReport(NamedTuple):
    """The rules in the form in which the page reads them.

    Attributes:
        rules: For each rule, its number, its form in words, and the numbers of its parts.
        kinds: For each rule, each part and each beacon, its number, and its kind in words. The kind of a part that the
            table does not contain is empty.
        steps: For each track and each rule or part, the number of the track, the number of the place, and its states
            over time: rows of a time in milliseconds and a state (see :mod:`rule_states`).
        unknown: Rows with the track, place, start and end of each interval in which a rule became unknown.
    """

    rules: list[tuple[int, str, list[int]]]
    kinds: list[tuple[int, str]]
    steps: list[tuple[int, int, Steps]]
    unknown: list[tuple[int, int, float, float]]


def rules_of_report(log: Log, number_of: NumberOf, notes: list[str]) -> RulesOfReport:
    """Collects the rules of a log. A part that the table does not contain gets a number, too."""
    rows = {row.identifier: row for row in log._conditions}
    rules = {name: row.condition for name, row in rows.items() if isinstance(row.condition, Rule)}
    parts = dict.fromkeys(part for rule in rules.values() for part in rule.parts)
    found = RulesOfReport([], [], [], [])
    for name, rule in rules.items():
        found.rules.append((number_of(name), form(rule), [number_of(part) for part in rule.parts]))
    for name in dict.fromkeys([*rows, *parts]):
        if name not in rows:
            found.kinds.append((number_of(name), ""))
        elif name in parts or isinstance(rows[name].condition, Beacon | Rule):
            found.kinds.append((number_of(name), kind(rows[name].condition)))
    total = 0
    for track, replayed in enumerate(log.replays if rules else ()):
        if replayed.begin_us is None or replayed.end_us is None:
            continue
        second = SecondReplay(replayed.events, {}) if log._replay_again is None else log._replay_again(replayed.fixes)
        own = states(log._conditions, second, replayed.begin_us, replayed.end_us)
        for name, steps in own.items():
            total += len(steps)
            if total <= MOST_STEPS:
                found.steps.append((track, number_of(name), [(at // 1000, state) for at, state in steps]))
            if name in rules:
                ends = [at for at, _ in steps[1:]] + [replayed.end_us]
                found.unknown.extend(
                    (track, number_of(name), start / 1000, end / 1000)
                    for (start, state), end in list(zip(steps, ends))[1:]
                    if state == UNKNOWN and end > start
                )
    if total > MOST_STEPS:
        drawn = sum(len(steps) for *_, steps in found.steps)
        notes.append(f"{drawn:,} of {total:,} changes of the states of rules and their parts are drawn.")
    return found


def form(rule: Rule) -> str:
    """The form of a rule and the number of its parts in words."""
    count = f"{len(rule.parts):,}"
    return f"at least {rule.count:,} of {count}" if rule.form == "at_least" else f"{rule.form} of {count}"


def kind(condition: Condition) -> str:
    """The kind of a condition in words."""
    if isinstance(condition, Rule):
        return form(condition)
    for cls, words in ((Circle, "circle"), (Beacon, "beacon"), (Corridor, "corridor"), (Gate, "gate")):
        if isinstance(condition, cls):
            return words
    return "polygon"


def deciders(rows: Sequence[ConditionRow]) -> Callable[[Event], str | None]:
    """Returns a function that returns the identifier of the part that decided an event of a rule, or None.

    A replay adds the conditions in their order to a new monitor, so the generation of a condition is its position.
    """

    def decider(event: Event) -> str | None:
        number = event.decided_by
        return rows[number - 1].identifier if number is not None and 1 <= number <= len(rows) else None

    return decider
