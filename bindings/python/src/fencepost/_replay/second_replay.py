"""Replays a track again so that each condition tells its state: the report of a log with rules draws these states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from .._dataclass import replace
from .._files.condition_files import ConditionRow
from .._files.tracks import FixRow, Track
from .._log.second_replay import ReplayAgain, SecondReplay
from .._monitor.filling import add_conditions
from .._monitor.monitor import Monitor
from .._values.enums import Delivery, Notify, State
from .._values.schedule import Timing
from .in_memory import replay_tracks

if TYPE_CHECKING:
    from .._files.sightings import Report


def replay_again_of(
    rows: Sequence[ConditionRow], options: Mapping[str, Any], reports: Sequence[Report], until_us: int | None
) -> ReplayAgain:
    """Returns the function that replays a track again; see :func:`fencepost._replay.replay.replay_again_for`.

    Parts of rules usually have an empty `notify`, so the log of the replay does not contain their events. In the second
    replay, each condition reports each change.
    """
    loud, twins = _loud(rows, options.get("condition_limit") is None)
    # A partial function, because a log can be pickled.
    return partial(_second_replay, loud, twins, {**options, "delivery": Delivery.EVERY}, reports, until_us)


def _second_replay(
    conditions: Sequence[ConditionRow],
    twins: Mapping[str, str],
    options: Mapping[str, Any],
    reports: Sequence[Report],
    until_us: int | None,
    fixes: Sequence[FixRow],
) -> SecondReplay:
    """Replays one track again, with conditions that report each change."""
    if not fixes:
        return SecondReplay((), {})
    monitor = Monitor(**options)
    add_conditions(monitor, conditions, "conditions")
    (again,) = replay_tracks([Track("", fixes)], monitor, reports, until_us)
    return SecondReplay(again.events, twins)


def _loud(rows: Sequence[ConditionRow], may_add: bool) -> tuple[list[ConditionRow], dict[str, str]]:
    """Returns the conditions with policies that report each change, and the twins of the conditions with a limited
    number of events.

    More events would exhaust such a condition earlier, and its rules would change. So the condition stays as it is, and
    a twin without this limit, which is not a part of any rule, tells the state. A twin would take a place under a
    condition limit, so there are no twins if `may_add` is False.
    """
    loud, more = list[ConditionRow](), list[ConditionRow]()
    twins: dict[str, str] = {}
    taken = {row.identifier for row in rows}
    for number, given in enumerate(rows):
        row = replace(given, leaves_edges_open=False)  # the first replay has warned about the edges
        if row.policy is None:  # a gate
            loud.append(row)
            continue
        told = replace(row, policy=replace(row.policy, notify=Notify.ALL), assuming=State.UNKNOWN)
        if row.timing is None or row.timing.max_events is None:
            loud.append(told)
            continue
        loud.append(row)
        if may_add:
            name = f"twin {number}"
            while name in taken:
                name += "'"
            taken.add(name)
            twins[row.identifier] = name
            timing = Timing(active=row.timing.active, absent_after=row.timing.absent_after)
            more.append(replace(told, identifier=name, timing=timing))
    return loud + more, twins
