"""The states of rules and of their parts over time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from .._files.condition_files import ConditionRow
from .._values.conditions import is_rule
from .._values.enums import Cause, Diagnostics, State
from .._values.events import Event
from .._values.rules import Rule
from .hours import exhausted, windows
from .second_replay import SecondReplay

UNSATISFIED, SATISFIED, UNKNOWN, INACTIVE = range(4)
"""The states of a step."""
Steps: TypeAlias = list[tuple[int, int]]
"""The states of one condition: each step is a time in microseconds and the state from this time on. The first step is
at the start of the track. Adjacent steps have different states."""

_STATES = {State.UNSATISFIED: UNSATISFIED, State.SATISFIED: SATISFIED}


def states(rows: Iterable[ConditionRow], second: SecondReplay, begin_us: int, end_us: int) -> dict[str, Steps]:
    """The states of all rules and all their parts over time. A part that the table does not contain has no steps.

    The state of a rule is unknown while the states of its parts do not decide it; no event says so. Otherwise the
    state is that of its last event, because a rule may have a dwell.

    Args:
        rows: The conditions.
        second: The events of a replay in which each condition reports each change.
        begin_us: Start of the track.
        end_us: End of the track.
    """
    table = {row.identifier: row for row in rows}
    rules = {name: row.condition for name, row in table.items() if isinstance(row.condition, Rule)}
    wanted = {*rules, *(part for rule in rules.values() for part in rule.parts)}
    events: defaultdict[str, list[Event]] = defaultdict(list)
    for event in second.events:
        events[event.identifier].append(event)
    found: dict[str, Steps] = {}
    for name, row in table.items():
        if name in wanted:
            ended = exhausted(events[name])
            own = events[second.twins.get(name, name)]
            found[name] = _told(own, row, begin_us, end_us, ended)
    for name in _by_depth(rules):
        found[name] = _without_repeats(_of_rule(found[name], rules[name], found, begin_us))
    return {name: steps for name, steps in found.items() if is_rule(table[name].condition) or name in wanted}


def _told(events: Sequence[Event], row: ConditionRow, begin_us: int, end_us: int, ended: int | None) -> Steps:
    """The states by the events and the schedule of a condition."""
    hours = windows(row)
    edges: Steps = []
    is_active = True
    if hours is not None:
        is_active = any(start <= begin_us < end for start, end in hours)
        for start, end in hours:
            if start > end_us:
                break
            edges += [(at, state) for at, state in ((start, UNKNOWN), (end, INACTIVE)) if begin_us < at <= end_us]
    changes = [
        (begin_us if event.date_us is None else max(event.date_us, begin_us), _STATES.get(event.state, UNKNOWN))
        for event in events
        if not (event.cause is Cause.DIAGNOSTIC and Diagnostics.INACTIVE in event.diagnostics)
    ]
    # The sort is stable: at equal times, an edge comes before the events, and the events keep their order.
    steps = sorted([*edges, *changes], key=lambda step: step[0])
    if ended is not None:
        steps = [*(step for step in steps if step[0] <= ended), (ended, INACTIVE)]
    return _without_repeats([(begin_us, UNKNOWN if is_active else INACTIVE), *steps])


def _of_rule(told: Steps, rule: Rule, found: Mapping[str, Steps], begin_us: int) -> Iterator[tuple[int, int]]:
    """The states of a rule: those of its events and its schedule, but unknown while its parts do not decide it."""
    total, known = len(rule.parts), [0, 0]  # the numbers of parts that are unsatisfied, and satisfied
    now = dict.fromkeys(rule.parts, UNKNOWN)
    own = UNKNOWN
    changes: list[tuple[int, str | None, int]] = [(at, None, state) for at, state in told]
    changes += [(at, part, state) for part in rule.parts for at, state in found.get(part, ())]
    changes.sort(key=lambda change: change[0])
    time = begin_us
    for at, part, state in changes:
        if at != time:
            yield time, _decided(rule, own, known, total)
            time = at
        if part is None:
            own = state
            continue
        for each, change in ((now[part], -1), (state, 1)):
            if each != UNKNOWN:
                known[each == SATISFIED] += change  # an inactive part counts as unsatisfied
        now[part] = state
    yield time, _decided(rule, own, known, total)


def _decided(rule: Rule, own: int, known: Sequence[int], total: int) -> int:
    unsatisfied, satisfied = known
    is_decided = satisfied >= rule.count or total - unsatisfied < rule.count
    return own if is_decided or own == INACTIVE else UNKNOWN


def _by_depth(rules: Mapping[str, Rule]) -> list[str]:
    """The identifiers of the rules. Each comes after its parts."""
    order: dict[str, None] = {}
    entered: set[str] = set()

    def visit(name: str) -> None:  # at most 8 rules are inside each other, and the engine refuses cycles
        if name in entered:
            return
        entered.add(name)
        for part in rules[name].parts:
            if part in rules:
                visit(part)
        order[name] = None

    for name in rules:
        visit(name)
    return list(order)


def _without_repeats(steps: Iterable[tuple[int, int]]) -> Steps:
    found: Steps = []
    for at, state in steps:
        if found and found[-1][0] == at:
            found.pop()
        if not found or found[-1][1] != state:
            found.append((at, state))
    return found
