"""The result of a replay: its events, visits and counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from .._dataclass import dataclass
from .._files.condition_files import ConditionRow
from .._files.tracks import FixRow
from .._tables.rows import Rows
from .._tables.times import from_us, time_text, utc_text
from .._values.any_condition import Condition
from .._values.enums import State
from .._values.events import EVENT_KINDS, LOG_COLUMNS, Event, event_points
from .hours import Change, has_hours, with_hours
from .visits import Visits, visit_columns

if TYPE_CHECKING:
    from typing import Self

    from .doubted import Separate
    from .second_replay import ReplayAgain


class ReplayCounts(NamedTuple):
    """The number of inputs of a replay, and the number of these inputs that were skipped.

    Example:
        >>> ReplayCounts(fixes=10, late_fixes=1).late_fixes
        1
    """

    fixes: int = 0
    late_fixes: int = 0
    """Fixes that are earlier than a previous fix."""
    invalid_fixes: int = 0
    """Fixes without a usable position or time."""
    reports: int = 0
    """Scan reports and declarations from the sightings file."""
    late_reports: int = 0
    doubted_fixes: int = 0
    """Fixes that the device cannot have reached; see `plausible_speed`."""


@dataclass(frozen=True, slots=True)
class TrackReplay:
    """The fixes, events and counts of one track.

    Example:
        >>> from fencepost import Circle, Fix, replay
        >>> log = replay([Fix(0, 0, accuracy=5, time=7)], {"start": Circle(0, 0, radius=150)})
        >>> log.replays[0].counts.fixes, log.replays[0].end_us
        (1, 7)
    """

    key: Any
    """The key of the track in its table, or None if there is only one track."""
    source: str
    """The file's path, or the name of the argument that contained the track."""
    fixes: Sequence[FixRow]
    """The fixes: latitude and longitude in degrees, accuracy in metres (0 means "not reported", NaN "no position"), and
    the time in microseconds since 1970. If a fix has an error ellipse, its semi-axes in metres and its orientation in
    degrees follow. If it has an altitude, then follow three NaN without an ellipse, the altitude, its accuracy (0 means
    "not reported"), and the heights of the geoid and of the ground (NaN if unknown), all in metres."""
    events: Sequence[Event]
    """The track's events, in the order of their delivery."""
    counts: ReplayCounts
    """The number of the track's inputs, and the number of these inputs that were skipped."""
    begin_us: int | None
    """The earliest time of the track's inputs, in microseconds since 1970, or None if there are no inputs."""
    end_us: int | None
    """The track's clock at the end of the track, in microseconds since 1970."""


@dataclass(frozen=True, slots=True)
class TrackedEvent:
    """An event and its track.

    Example:
        >>> from fencepost import Circle, Fix, replay
        >>> log = replay([Fix(0, 0, time=0)], {"start": Circle(0, 0, radius=150)})
        >>> [(row.track, row.event.identifier) for row in log.tracked()]
        [(None, 'start')]
    """

    track: Any
    """The key of the track, or None if there is only one track."""
    event: Event


class Log(Rows[Event]):
    """The result of a replay: its events and counts; see :class:`EventLog`."""

    def __init__(
        self,
        replays: Sequence[TrackReplay],
        conditions: Sequence[ConditionRow],
        by: str | None = None,
        options: Mapping[str, Any] | None = None,
        separate: Separate | None = None,
        replay_again: ReplayAgain | None = None,
    ) -> None:
        super().__init__()
        self._replays, self._conditions = tuple(replays), tuple(conditions)
        self._options, self._separate, self._replay_again = dict(options or {}), separate, replay_again
        """The options of the monitor or fleet, and the functions with which the report finds the doubted fixes, and the
        states of rules."""
        self.by = by
        """Name of the column that identifies the tracks, or None if there is only one track."""

    def _made(self) -> Iterator[Event]:
        return (event for replayed in self._replays for event in replayed.events)

    def __len__(self) -> int:
        return sum(len(replayed.events) for replayed in self._replays)

    @property
    def tracks(self) -> tuple[Any, ...]:
        """The keys of the tracks, in order, or a single None if there is only one track."""
        return tuple(replayed.key for replayed in self._replays)

    @property
    def conditions(self) -> dict[str, Condition]:
        """The conditions by identifier, in the order in which they were added."""
        return {row.identifier: row.condition for row in self._conditions}

    @property
    def counts(self) -> ReplayCounts:
        """The counts of inputs, summed over all tracks."""
        return ReplayCounts(*(sum(numbers) for numbers in zip(*(replayed.counts for replayed in self._replays))))

    @property
    def start(self) -> datetime | None:
        """The earliest time of all inputs, as an aware datetime in UTC."""
        return from_us(min((part.begin_us for part in self._replays if part.begin_us is not None), default=None))

    @property
    def end(self) -> datetime | None:
        """The latest time of all inputs, or the end of the replay (``until``) if it is later, as an aware datetime in
        UTC."""
        return from_us(max((part.end_us for part in self._replays if part.end_us is not None), default=None))

    def of(self, track: object) -> Self:
        """Returns the log of one track.

        Raises:
            KeyError: There is no such track.

        Example:
            >>> from fencepost import Circle, Fix, replay
            >>> fixes = [Fix(0, 0.001 * step, time=step * 1_000_000) for step in range(5)]
            >>> log = replay(fixes, {"start": Circle(0, 0, radius=150)}, policy="exact")
            >>> log.of(None) == log
            True
        """
        for replayed in self._replays:
            if replayed.key == track:
                return type(self)(
                    [replayed], self._conditions, self.by, self._options, self._separate, self._replay_again
                )
        raise KeyError(track)

    def visits(self) -> Visits:
        """Returns the intervals during which each condition was satisfied.

        Example:
            >>> from fencepost import Circle, Fix, replay
            >>> fixes = [Fix(0, 0.001 * step, time=step * 1_000_000) for step in range(5)]
            >>> log = replay(fixes, {"start": Circle(0, 0, radius=150)}, policy="exact")
            >>> [(visit.identifier, str(visit.end_known)) for visit in log.visits()]
            [('start', 'crossing')]
        """
        found = []
        for part in self._replays:
            events, assumed = self._changes(part)
            found.append(visit_columns(events, part.begin_us, part.end_us, assumed, part.key))
        return Visits(found, self.by, self.conditions)

    def _changes(self, part: TrackReplay) -> tuple[Iterable[Event | Change], Mapping[str, State]]:
        """The events of a track with the edges of the conditions' schedules, and the states at the start of the
        track."""
        if any(map(has_hours, self._conditions)):
            return with_hours(part.events, self._conditions, part.begin_us, part.end_us)
        return part.events, self.assumed

    def columns(self) -> dict[str, list[Any]]:
        """Returns the table as a dict of columns, which are the keys of the JSON Lines. If there are several tracks,
        the column `by` comes first.

        The flags of an event are joined into one text, and the parts of its refinement are joined into another.

        Example:
            >>> from fencepost import Circle, Fix, replay
            >>> fixes = [Fix(0, 0.001 * step, time=step * 1_000_000) for step in range(5)]
            >>> log = replay(fixes, {"start": Circle(0, 0, radius=150)}, policy="exact")
            >>> log.columns()["state"]
            ['satisfied', 'unsatisfied']
        """
        first = {} if self.by is None else {self.by: [row.track for row in self.tracked()]}
        return first | {name: [value(event) for event in self] for name, value in LOG_COLUMNS.items()}

    def tracked(self) -> Iterator[TrackedEvent]:
        """The events, each with the key of its track.

        Example:
            >>> from fencepost import Circle, Fix, replay
            >>> fixes = [Fix(0, 0.001 * step, time=step * 1_000_000) for step in range(5)]
            >>> log = replay(fixes, {"start": Circle(0, 0, radius=150)}, policy="exact")
            >>> [(row.track, row.event.sequence) for row in log.tracked()]
            [(None, 1), (None, 2)]
        """
        for replayed in self._replays:
            for event in replayed.events:
                yield TrackedEvent(replayed.key, event)

    @property
    def replays(self) -> tuple[TrackReplay, ...]:
        """The fixes, events and counts of each track."""
        return self._replays

    @property
    def assumed(self) -> Mapping[str, State]:
        """The states that were assumed when the conditions were added."""
        return {row.identifier: row.assuming for row in self._conditions}

    def _kinds(self) -> dict[str, str]:
        # GDAL has no unsigned integers.
        return {name: "int" if kind == "uint" else kind for name, kind in EVENT_KINDS.items() if name in LOG_COLUMNS}

    def _points(self) -> Sequence[tuple[float, float] | None]:
        return event_points(self)

    def _summary(self) -> str:
        several = "" if self.by is None else f", {len(self._replays)} tracks by {self.by}"
        period = "" if self.start is None else f", {time_text(self.start)} to {utc_text(self.end)}"
        return f"{len(self)} events of {len(self._conditions)} conditions{self._policies}{several}{period}"

    @property
    def _policies(self) -> str:
        """The policies of the conditions in words, for the reader of a log: policies determine how late an event is
        confirmed."""
        used = dict.fromkeys(row.policy for row in self._conditions if row.policy is not None)
        if len(used) < 2:
            return "".join(f", policy {policy.described}" for policy in used)
        names = dict.fromkeys(policy.preset or "others" for policy in used)
        return f", policies {', '.join(names)}"
