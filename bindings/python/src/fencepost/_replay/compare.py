"""Compares the visits that several policies give for the same track."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta, tzinfo
from typing import TYPE_CHECKING, Any, overload

from .._dataclass import dataclass, replace
from .._errors import InputError
from .._files.condition_files import ConditionRow
from .._files.sources import ConditionsSource, TrackSource, track_column
from .._files.vector import Reading
from .._log.event_log import EventLog
from .._log.visits import Known, TrackVisit, Visit, Visits
from .._native import InvalidArgumentError
from .._tables.rows import Rows
from .._tables.text_times import time_style
from .._tables.times import EPOCH, Time, to_us
from .._values.arguments import device_column
from .._values.enums import Delivery, DevicePath, EventOrder, State
from .._values.policy import TransitionPolicy
from .filling import conditions_of, conditions_reading, given_conditions, separating
from .given import GivenTracks, Played
from .joint import Policies, copies, flap_limit, flaps, mean_seconds, named_policies, separated
from .replay import reports_of, scale_of

if TYPE_CHECKING:
    from .._files.sightings import Report
    from .labels import LabelSource

PRESETS = ("exact", "standard", "core_location")
_SECOND = 1_000_000


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one policy.

    Attributes:
        name: The policy's name in this comparison.
        policy: The policy.
        log: The events that result from this policy.
        events: The number of events.
        visits: The number of visits.
        flaps: The number of crossings that the opposite crossing undid within the comparison's flap time.
        entry_delay: Mean time in seconds from the confirmed start of a baseline visit to the confirmed start of the
            overlapping visit of this policy. Visits whose start was not observed are left out. None if there is no pair
            of overlapping visits with observed starts.
        exit_delay: Mean time in seconds from the confirmed end of a baseline visit to the confirmed end of the
            overlapping visit of this policy. Visits whose end was not observed are left out. None if there is no pair
            of overlapping visits with observed ends.
        mean_delay: The mean of all entry and exit delays, in seconds.
        missed_visits: The number of baseline visits that no visit of this policy overlaps.
        false_visits: The number of visits of this policy that overlap no baseline visit.

    Example:
        >>> from fencepost import Circle, Fix, compare
        >>> fixes = [Fix(0, 0.0001 * step, time=step * 1_000_000) for step in range(200)]
        >>> outcome = compare(fixes, {"end": Circle(0, 0.02, 100)}, policies=["standard"])[0]
        >>> outcome.visits, outcome.missed_visits
        (0, 1)
    """

    name: str
    policy: TransitionPolicy
    log: EventLog
    events: int
    visits: int
    flaps: int
    entry_delay: float | None
    exit_delay: float | None
    mean_delay: float | None
    missed_visits: int
    false_visits: int


class Comparison(Rows[Outcome]):
    """A sequence with one :class:`Outcome` per policy, in the order of the policies. A comparison is a table as well as
    a sequence, and each outcome can be looked up by the name of its policy.

    Example:
        >>> from fencepost import Circle, Fix, compare
        >>> fixes = [Fix(0, 0.001 * step, time=step * 60_000_000) for step in range(5)]
        >>> compare(fixes, {"start": Circle(0, 0, 150)})["standard"].mean_delay
        20.0
    """

    def __init__(
        self, outcomes: Iterable[Outcome], baseline: EventLog | Visits, baseline_name: str, flap_seconds: float
    ) -> None:
        super().__init__(outcomes)
        self.baseline = baseline
        """The log (or the labels, converted to visits) with which the policies are compared."""
        self.baseline_name = baseline_name
        """The description of the baseline."""
        self.flap_seconds = flap_seconds
        """A crossing that is undone within this time is a flap."""

    @overload
    def __getitem__(self, index: int | str) -> Outcome: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Outcome]: ...
    def __getitem__(self, index: int | slice | str) -> Outcome | Sequence[Outcome]:
        """The outcome with the given index or policy name."""
        if not isinstance(index, str):
            return super().__getitem__(index)
        for outcome in self:
            if outcome.name == index:
                return outcome
        raise KeyError(index)

    def columns(self) -> dict[str, list[Any]]:
        """The table as a dict of columns. The policy comes first, then the numbers in :class:`Outcome`; delays are in
        seconds.

        Example:
            >>> from fencepost import Circle, Fix, compare
            >>> fixes = [Fix(0, 0.001 * step, time=step * 1_000_000) for step in range(5)]
            >>> start = Circle(0, 0, radius=150)
            >>> outcomes = compare(fixes, {"start": start}, policies=["exact", "standard"])
            >>> outcomes.columns()["visits"]
            [1, 1]
        """
        numbers = (
            "events",
            "visits",
            "flaps",
            "entry_delay",
            "exit_delay",
            "mean_delay",
            "missed_visits",
            "false_visits",
        )
        names = {"policy": [outcome.name for outcome in self]}
        return names | {name: [getattr(outcome, name) for outcome in self] for name in numbers}

    def _summary(self) -> str:
        return (
            f"{len(self)} policies against {self.baseline_name}; a flap is a change that is undone within "
            f"{self.flap_seconds:g} s"
        )


def compare(
    track: TrackSource,
    conditions: ConditionsSource,
    *,
    policies: Policies = PRESETS,
    baseline: TrackSource | EventLog | None = None,
    labels: LabelSource | None = None,
    flap_seconds: float | timedelta = 60,
    device: str | None = None,
    columns: Mapping[str, str] | None = None,
    sightings: str | os.PathLike[str] | None = None,
    until: Time | None = None,
    delivery: Delivery | str = Delivery.EVERY,
    condition_limit: int | None = None,
    path: DevicePath | str = DevicePath.FIXES,
    max_gap: float | timedelta | None = None,
    max_speed: float | None = None,
    plausible_speed: float | None = None,
    corroboration_count: int = 3,
    corroboration_time: float | timedelta = 60.0,
    accuracy_confidence: float = 0.68,
    order: EventOrder | str = EventOrder.ADD,
    hdop_scale: float | None = None,
    speed: float | None = None,
    start: Time | None = None,
    loop: int | None = None,
    layer: str | None = None,
    conditions_layer: str | None = None,
    conditions_columns: Mapping[str, str] | None = None,
    transform: bool = False,
    sort: bool = True,
    radius: float | None = None,
    max_vertices: int | None = None,
    assuming: State | str | None = None,
    time_zone: str | tzinfo | None = None,
    date_order: str = "",
    by: str | None = None,
) -> Comparison:
    """Replays a track with each policy, and compares the visits with the visits of a baseline.

    All policies are tried in one pass over the rows, except that with a `condition_limit` each policy has its own pass.
    Each policy applies to all conditions and replaces the policies of the conditions. If a visit has not ended when its
    log ends, it counts until the end of the log.

    The function accepts every option of :func:`replay` except `policy`. The options apply to the track, and to the
    baseline if the baseline is a track.

    Args:
        track: A track, as for :func:`replay`.
        conditions: The conditions, as for :func:`replay`.
        policies: Policies by name, or names of presets.
        baseline: A log or a track with the visits that are assumed to be correct; the track may be a better recording
            of the same trip. A track is replayed with the ``exact`` policy. If None, the baseline consists of the
            visits that `track` gives under the ``exact`` policy.
        labels: Recorded visits that are used instead of `baseline`, in any form that :func:`tune` accepts. Times
            without a time zone are read as times in `time_zone`; if `time_zone` is None, such times are refused.
        flap_seconds: A crossing that the opposite crossing undoes within this time is a flap.
        device: The column that names the device. This option and the following options are explained in :func:`replay`.

    Raises:
        InputError: A file or a table cannot be used, or the tracks of the baseline differ from the tracks of `track`.
        InvalidArgumentError: `policies` is empty, or names an unknown preset.
        MissingExtraError: An argument needs a library that is not installed.
        TypeError: An argument has an unsupported type.

    Example:
        >>> from fencepost import Circle, Fix
        >>> jumps = [Fix(0, 0.002 * (step % 2), time=step * 10_000_000) for step in range(10)]
        >>> found = compare(jumps, {"start": Circle(0, 0, 100)}, policies=["exact", "standard"])
        >>> [(outcome.name, outcome.flaps) for outcome in found]
        [('exact', 8), ('standard', 0)]
    """
    chosen = named_policies(policies)
    limit = flap_limit(flap_seconds)
    times = time_style(time_zone, date_order)
    by = device_column(device, by)
    column = track_column(track, by)
    name, rows = given_conditions(
        conditions,
        None,
        column,
        how=conditions_reading(conditions_layer, transform, max_vertices),
        columns=conditions_columns,
        radius=radius,
        assuming=assuming,
    )
    if labels is not None and baseline is not None:
        raise InvalidArgumentError("baseline and labels: pass only one of them")
    how, scale, played = Reading(layer, transform, times), scale_of(hdop_scale), Played(speed, start, loop)
    given = GivenTracks(track, columns or {}, by, scale, how, sort, played)
    options: dict[str, Any] = {"delivery": delivery, "condition_limit": condition_limit}
    options |= {"path": path, "max_gap": max_gap, "max_speed": max_speed}
    options |= {
        "plausible_speed": plausible_speed,
        "corroboration_count": corroboration_count,
        "corroboration_time": corroboration_time,
        "accuracy_confidence": accuracy_confidence,
        "order": order,
    }
    until_us = None if until is None else to_us(until, "until")
    again = _Again(options, rows, name, reports_of(sightings, times, sort), until_us, column)
    exact = TransitionPolicy.exact()
    logs = again(given, [exact, *chosen.values()] if labels is None and baseline is None else list(chosen.values()))
    truth: EventLog | Visits
    if labels is not None:
        truth, words = _labelled(labels, logs[0], rows, time_zone), "the labels"
    elif isinstance(baseline, EventLog):
        truth, words = baseline, "the log passed as baseline"
    elif baseline is None:
        truth, words = logs.pop(0), "the exact crossings of the same track"
    else:
        better = GivenTracks(baseline, columns or {}, by, scale, how, sort, played, "baseline")
        truth, words = again(better, [exact])[0], "the exact crossings of the baseline track"
    if isinstance(truth, EventLog) and set(truth.tracks) != set(logs[0].tracks):
        reason = f"has the tracks {_listed(truth.tracks)}, but must have those of the argument track"
        raise InputError("baseline", "", reason)
    outcomes = [
        outcome(policy_name, policy, log, truth, round(limit * _SECOND))
        for (policy_name, policy), log in zip(chosen.items(), logs)
    ]
    return Comparison(outcomes, truth, words, limit)


def _labelled(
    labels: LabelSource, log: EventLog, rows: Sequence[ConditionRow], time_zone: str | tzinfo | None
) -> Visits:
    """Converts the labels to visits, sorted by track and start."""
    from .labels import read_labels

    ends = {replay.key: replay.end_us or 0 for replay in log.replays}
    found = read_labels(labels, {row.identifier for row in rows}, ends, log.by, time_zone)
    visits: list[Visit] = []
    for (track, identifier), spans in found.items():
        for start_us, end_us, is_open in spans:
            start, end = (EPOCH + timedelta(microseconds=time_us) for time_us in (start_us, end_us))
            known = Known.OPEN if is_open else Known.CROSSING
            last = None if is_open else end
            visits.append(
                TrackVisit(identifier, start, last, end - start, Known.CROSSING, known, is_open, start, last, track)
            )
    return Visits(visits, log.by)


def _listed(keys: Iterable[Any]) -> str:
    return ", ".join(map(repr, keys))


@dataclass(frozen=True, slots=True)
class _Again:
    """Replays tracks once for each policy; in each replay, the policy applies to all conditions. The other options of
    the replay stay the same."""

    options: Mapping[str, Any]
    rows: Sequence[ConditionRow]
    name: str
    reports: list[Report]
    until_us: int | None
    by: str | None

    def __call__(self, tracks: GivenTracks, policies: Sequence[TransitionPolicy]) -> list[EventLog]:
        # A pass with several policies contains each condition once for each policy. If there is a condition limit, each
        # pass has only one policy, because the copies would count against the limit.
        if self.options["condition_limit"] is not None:
            policies_of_passes = [[policy] for policy in policies]
        else:
            policies_of_passes = [list(policies)]
        logs = []
        for together in policies_of_passes:
            table = conditions_of(copies(self.rows, together), self.name, self.options)
            replays = separated(tracks.replay(table, self.reports, self.until_us), self.rows, len(together))
            for policy, own in zip(together, replays):
                rows = [row if row.policy is None else replace(row, policy=policy) for row in self.rows]
                logs.append(EventLog(own, rows, self.by, self.options, separating(self.options)))
        return logs


def outcome(name: str, policy: TransitionPolicy, log: EventLog, truth: EventLog | Visits, flap_us: int) -> Outcome:
    theirs, ours = _by_place(truth), _by_place(log)
    entries: list[int] = []
    exits: list[int] = []
    missed = false = 0
    for place in theirs.keys() | ours.keys():
        pairs = _Pairs(theirs[place], ours[place])
        missed += pairs.missed
        false += pairs.false
        entries += pairs.entries
        exits += pairs.exits
    flapped = sum(1 for part in log.replays for _ in flaps(part.events, flap_us))
    return Outcome(
        name, policy, log, len(log), sum(map(len, ours.values())), flapped,
        mean_seconds(entries), mean_seconds(exits), mean_seconds(entries + exits), missed, false,
    )  # fmt: skip


def _by_place(log: EventLog | Visits) -> defaultdict[tuple[Any, str], list[Visit]]:
    places: defaultdict[tuple[Any, str], list[Visit]] = defaultdict(list)
    for visit in log.visits() if isinstance(log, EventLog) else log:
        places[visit.track, visit.identifier].append(visit)
    return places


class _Pairs:
    """The pairs of overlapping visits to one condition; for each pair, the delays in microseconds by which our visit
    starts and ends later than the other visit."""

    def __init__(self, theirs: Sequence[Visit], ours: Sequence[Visit]) -> None:
        found_by: dict[int, list[int]] = defaultdict(list)
        finds: dict[int, list[int]] = defaultdict(list)
        first = 0
        for index, mine in enumerate(ours):
            # Both lists of visits are sorted, and the visits within each list do not overlap.
            while first < len(theirs) and _confirmed_end(theirs[first]) < mine.start:
                first += 1
            at = first
            while at < len(theirs) and theirs[at].confirmed_start <= _confirmed_end(mine):
                finds[index].append(at)
                found_by[at].append(index)
                at += 1
        self.missed = len(theirs) - len(found_by)
        self.false = len(ours) - len(finds)
        self.entries, self.exits = [], []
        for index, found in finds.items():
            mine, begins, ends = ours[index], theirs[found[0]], theirs[found[-1]]
            if found_by[found[0]][0] == index and mine.start_known == begins.start_known == Known.CROSSING:
                self.entries.append(_us(mine.confirmed_start - begins.confirmed_start))
            if found_by[found[-1]][-1] == index and mine.end_known == ends.end_known == Known.CROSSING:
                self.exits.append(_us(_confirmed_end(mine) - _confirmed_end(ends)))


def _confirmed_end(visit: Visit) -> datetime:
    """The time at which the exit was confirmed, or the end of the log for an open visit."""
    return visit.confirmed_end or visit.start + visit.duration


def _us(span: timedelta) -> int:
    return span // timedelta(microseconds=1)
