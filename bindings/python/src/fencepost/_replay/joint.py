"""The common parts of :func:`compare` and :func:`tune`.

Both replay several policies in one pass over the rows. For this purpose, a single table contains one copy of each
condition for each policy.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import pairwise
from typing import Any, TypeAlias

from .._dataclass import replace
from .._files.condition_files import ConditionRow
from .._log.lazy_events import LazyEvents
from .._log.log import TrackReplay
from .._log.visits import event_rows
from .._native import InvalidArgumentError
from .._tables.numbers import shown
from .._tables.times import seconds_to_us
from .._values.any_condition import Condition
from .._values.arguments import as_policy
from .._values.enums import CAUSES, Cause
from .._values.events import Event
from .._values.policy import TransitionPolicy
from .._values.rules import Rule

Policies: TypeAlias = Mapping[str, TransitionPolicy | str] | Sequence[str]
"""The policies to try: a mapping whose keys are the names shown in the table, or a sequence of preset names."""


def named_policies(policies: Policies) -> dict[str, TransitionPolicy]:
    """Checks the policies to try, and returns them by name."""
    if isinstance(policies, str):
        raise TypeError("policies must be a mapping or a sequence of names, not str")
    given = policies if isinstance(policies, Mapping) else {name: name for name in policies}
    if not given:
        raise InvalidArgumentError("policies: must have at least one policy")
    return {str(name): as_policy(policy) for name, policy in given.items()}


def flap_limit(flap_seconds: float | timedelta) -> float:
    """Checks the longest time of a flap, and returns it in seconds."""
    limit_us = seconds_to_us(flap_seconds, "flap_seconds")
    if not 0 <= limit_us <= 10**15:
        raise InvalidArgumentError(f"flap_seconds is {shown(flap_seconds)}; must be from 0 to 1e9 s")
    return limit_us / 1e6


def mean_seconds(delays: Sequence[int]) -> float | None:
    """The mean, in seconds, of delays in microseconds; None if there is no delay."""
    return sum(delays) / len(delays) / 1e6 if delays else None


def copies(rows: Sequence[ConditionRow], policies: Sequence[TransitionPolicy]) -> list[ConditionRow]:
    """Copies each condition once per policy, grouped by policy. Gates, which have no policy, are copied unchanged. The
    copies of rules name the copies of their parts."""
    places = {row.identifier: at for at, row in enumerate(rows)}
    return [
        replace(
            row,
            identifier=f"{number}:{at}",
            condition=_copied(row.condition, number, places),
            policy=None if row.policy is None else policy,
        )
        for number, policy in enumerate(policies)
        for at, row in enumerate(rows)
    ]


def _copied(condition: Condition, number: int, places: Mapping[str, int]) -> Condition:
    """The condition of a copy. A part that is not among the conditions gets an identifier that no copy has."""
    if not isinstance(condition, Rule):
        return condition
    parts = [f"{number}:{places[part]}" if part in places else f"-:{at}" for at, part in enumerate(condition.parts)]
    return Rule(condition.form, parts, condition.count if condition.form == "at_least" else None)


def separated(replays: Sequence[TrackReplay], rows: Sequence[ConditionRow], count: int) -> list[list[TrackReplay]]:
    """Splits the replays of conditions copied by :func:`copies` into one list of replays for each policy. The events of
    each policy are the same as in a replay with only that policy.

    Args:
        replays: The replays of the copies, whose events are :class:`LazyEvents`.
        rows: The conditions.
        count: The number of policies.
    """
    names = [row.identifier for row in rows]
    places = {f"{number}:{at}": (number, at) for number in range(count) for at in range(len(rows))}
    found: list[list[TrackReplay]] = [[] for _ in range(count)]
    for replayed in replays:
        parts: list[list[Any]] = [[] for _ in range(count)]
        for event in replayed.events.rows if isinstance(replayed.events, LazyEvents) else ():
            number, at = places[event[1]]
            part = parts[number]
            decider = None if event[15] is None else (event[15] - 1) % len(names) + 1
            part.append((len(part) + 1, names[at], *event[2:8], at + 1, *event[9:15], decider, *event[16:]))
        for own, events in zip(found, parts):
            own.append(replace(replayed, events=LazyEvents(events)))
    return found


def flaps(events: Iterable[Event], limit_us: int) -> Iterator[tuple[str, int]]:
    """Finds crossings that are followed by the opposite crossing within `limit_us`. Yields the condition's identifier
    and the time of the opposite crossing."""
    crossings: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    crossing = CAUSES.index(Cause.CROSSING)
    for _, identifier, state, cause, date_us, *_ in event_rows(events):
        if cause == crossing and date_us is not None:
            crossings[identifier].append((date_us, state))
    for identifier, own in crossings.items():
        for earlier, later in pairwise(own):
            if later[0] - earlier[0] <= limit_us and later[1] != earlier[1]:
                yield identifier, later[0]
