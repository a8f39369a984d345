"""The hours of conditions in a log: when a condition is inactive, and how this ends its visits."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from .._files.condition_files import ConditionRow
from .._values.enums import Cause, Diagnostics, State
from .._values.events import Event


class Change(NamedTuple):
    """A change of the state of a condition: the fields of an event that visits need, or the edge of a schedule.

    The cause of an edge after which the condition is inactive is None."""

    identifier: str
    state: State
    cause: Cause | None
    date_us: int | None
    evidence_date_us: int | None
    generation: int


def has_hours(row: ConditionRow) -> bool:
    """Whether the condition can be inactive."""
    return row.timing is not None and (row.timing.active is not None or row.timing.max_events is not None)


def windows(row: ConditionRow) -> Sequence[tuple[int, int]] | None:
    """The intervals in which the condition is active, in microseconds; None means always."""
    return None if row.timing is None or row.timing.active is None else row.timing.active.intervals_us


def closed(row: ConditionRow, begin_us: int, end_us: int) -> Iterator[tuple[int, int]]:
    """Yields the intervals in microseconds, from `begin_us` to `end_us`, in which the schedule of a condition makes the
    condition inactive."""
    intervals = windows(row)
    if intervals is None:
        return
    at = begin_us
    for start, end in intervals:
        if start >= end_us:
            break
        if start > at:
            yield at, start
        at = max(at, end)
    if at < end_us:
        yield at, end_us


def open_hours(row: ConditionRow, begin_us: int, end_us: int) -> list[tuple[int, int]]:
    """The intervals in microseconds, from `begin_us` to `end_us`, in which the schedule of a condition makes the
    condition active."""
    intervals = windows(row)
    if intervals is None:
        return [(begin_us, end_us)]
    clipped = ((max(start, begin_us), min(end, end_us)) for start, end in intervals)
    return [(start, end) for start, end in clipped if start < end]


def exhausted(events: Iterable[Event]) -> int | None:
    """The time of the event that exhausted a condition, or None."""
    return next((event.date_us for event in events if event.diagnostics & Diagnostics.EXHAUSTED), None)


def with_hours(
    events: Iterable[Event], rows: Iterable[ConditionRow], begin_us: int | None, end_us: int | None
) -> tuple[list[Event | Change], Mapping[str, State]]:
    """Adds the edges of the schedules to the events of one track: at an end, the state of a condition is unknown.

    Args:
        events: The events, in the order of their delivery.
        rows: The conditions.
        begin_us: Start of the log.
        end_us: End of the log.

    Returns:
        The changes of each condition in order of time, and the states at the start of the log.
    """
    own: dict[str, list[Event]] = {row.identifier: [] for row in rows if has_hours(row)}
    found: list[Event | Change] = []
    for event in events:
        own.get(event.identifier, found).append(event)
    assumed: dict[str, State] = {}
    for row in rows:
        if row.identifier not in own:
            assumed[row.identifier] = row.assuming
            continue
        is_active, changes = _edges(row, own[row.identifier], begin_us, end_us)
        assumed[row.identifier] = row.assuming if is_active else State.UNKNOWN
        found += changes
    return found, assumed


def _edges(
    row: ConditionRow, events: Sequence[Event], begin_us: int | None, end_us: int | None
) -> tuple[bool, list[Change]]:
    """Whether a condition is active at the start of the log, and its events and edges in order of time."""
    name, generation = row.identifier, events[0].generation if events else 0
    intervals = windows(row)
    ended = exhausted(events)
    starts = [] if intervals is None else [start for start, _ in intervals]
    changes: list[Change] = []
    for event in events:
        if event.cause is Cause.DIAGNOSTIC and Diagnostics.INACTIVE in event.diagnostics:
            continue  # such as the end of a schedule: the event repeats the state from before the end of the hours
        evidence = event.evidence_date_us
        if intervals and event.date_us is not None and evidence is not None:
            # A fix from before the start may determine the state, but until the start the condition was inactive.
            number = bisect_right(starts, event.date_us) - 1
            evidence = evidence if number < 0 else max(evidence, starts[number])
        changes.append(Change(name, event.state, event.cause, event.date_us, evidence, event.generation))
        if event.date_us == ended and event.diagnostics & Diagnostics.EXHAUSTED:
            changes.append(Change(name, State.UNKNOWN, None, ended, None, event.generation))
    if intervals is None or begin_us is None or end_us is None:
        return True, changes
    edges: list[Change] = []
    for start, end in intervals:
        if begin_us < start <= end_us and (ended is None or start <= ended):
            edges.append(Change(name, row.assuming, Cause.NONE, start, None, generation))
        if begin_us < end <= end_us and (ended is None or end < ended):
            edges.append(Change(name, State.UNKNOWN, None, end, None, generation))
    # The sort is stable: at equal times, an edge comes before the events, and the events keep their order.
    merged = sorted([*edges, *changes], key=lambda each: begin_us if each.date_us is None else each.date_us)
    return any(start <= begin_us < end for start, end in intervals), merged
