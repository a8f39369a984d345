"""Replays a track: its fixes, in file order, merged by time with a sightings file."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta, tzinfo
from typing import TYPE_CHECKING, Any

from .._errors import warn
from .._files.doubts import Flaw, about_unusable
from .._files.sources import ConditionsSource, TrackSource, track_column
from .._files.text import path_text
from .._files.tracks import FixRow, Track
from .._files.vector import Reading
from .._log.event_log import EventLog
from .._log.log import ReplayCounts, TrackReplay
from .._monitor.monitor import Monitor
from .._native import InvalidArgumentError, LateInputError
from .._tables.text_times import TimeStyle, time_style
from .._tables.times import Time, to_us
from .._values.arguments import device_column
from .._values.conditions import is_rule
from .._values.enums import Delivery, DevicePath, EventOrder, State
from .._values.events import Event
from .._values.policy import TransitionPolicy
from .filling import conditions_of, conditions_reading, feed_report, given_conditions, separating
from .given import GivenTracks, Played

if TYPE_CHECKING:
    from .._files.condition_files import ConditionRow
    from .._files.sightings import Report
    from .._log.second_replay import ReplayAgain


def replay(
    track: TrackSource,
    conditions: ConditionsSource,
    *,
    policy: TransitionPolicy | str | None = None,
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
) -> EventLog:
    """Replays a track against conditions. Late fixes and fixes without a position are skipped and counted.

    Values that are usable but probably wrong give an :class:`InputWarning`: rows that had to be sorted, impossible
    positions, or times and radii in the wrong unit.

    Args:
        track: A path (GPX, CSV, GeoJSON, NMEA 0183, or a vector file of points that GeoPandas reads), a DataFrame, a
            GeoDataFrame of points, anything that exports an Arrow stream (PyArrow, Polars, DuckDB; points as GeoArrow
            or WKB), a MovingPandas ``Trajectory`` or ``TrajectoryCollection`` (each trajectory is a track, with times
            in UTC), or an iterable of :class:`Fix`. A frame's columns are recognised by their usual names (lat,
            latitude, y; lon, lng, longitude, x; t, time, timestamp; acc, accuracy, hacc). A missing accuracy means "not
            reported", and a missing position means "no position".
        conditions: A path (GeoJSON, CSV, or a vector file), conditions by identifier, a DataFrame, a GeoDataFrame, an
            Arrow stream, a table of conditions or a monitor. A table of conditions needs the column ``identifier``; its
            points and lines also need a radius in metres.
        policy: The policy for conditions that do not have their own, or the name of a preset. None means ``standard``.
            The argument is refused if `conditions` is a table or a monitor, because each condition in them already has
            a policy.
        device: Name of the column that names the device. The rows of each device are a separate track, which is
            replayed as if it had its own monitor.
        columns: The names of the track's columns for latitude, longitude, time and accuracy, if the library does not
            recognise these names.
        sightings: Path of a sightings file, whose lines are merged by time. If `device` is passed, the sightings of
            this file are fed to every track.
        until: The time to which the replay is advanced after the last input. None means that the replay ends at the
            last input.
        delivery: Which changes are delivered, as for :class:`Monitor`.
        condition_limit: The largest number of monitored conditions, as for :class:`Monitor`.
        path: How the device moves between its fixes, as for :class:`Monitor`. With ``geodesic``, visits begin and end
            at the microsecond in which the path from one fix to the next crosses the boundary. A line of a sightings
            file advances the clock; after that, the path up to the time of that line cannot change.
        max_gap: The longest time between two fixes for which a path between them is assumed, as for :class:`Monitor`.
        max_speed: The highest speed that a path may need, as for :class:`Monitor`.
        plausible_speed: The greatest plausible speed, as for :class:`Monitor`: fixes that need a higher speed are
            doubted, and counted as ``doubted_fixes``.
        corroboration_count: The number of doubted fixes that are trusted together, as for :class:`Monitor`.
        corroboration_time: The least time that these fixes span, as for :class:`Monitor`.
        accuracy_confidence: The share of the true positions within the accuracy of a fix, as for :class:`Monitor`.
        order: The order of the events of one instant, as for :class:`Monitor`.
        hdop_scale: Accuracy per unit of hdop, in metres. If `hdop_scale` is None, fixes of a GPX file have no accuracy,
            and an NMEA log uses 5 m per unit.
        speed: Plays way points without times at this speed, in metres per second. It requires `start`.
        start: Time at the first way point.
        loop: The number of times that the way points are played forwards and then backwards. If `loop` is None, the way
            points are played once, forwards.
        layer: Layer of the track's vector file. None selects the first layer.
        conditions_layer: Layer of the conditions' vector file. None selects the first layer.
        conditions_columns: The names of the conditions' columns for identifier, latitude, longitude, radius, assuming
            and policy, if the library does not recognise these names.
        transform: True to transform vector files and GeoDataFrames in another CRS to WGS84. If False, sources in
            another CRS are refused.
        sort: True to sort the fixes of files and tables, and the lines of a sightings file, by time if they are not in
            order. If False, a row that is earlier than a previous row is late. :class:`Fix` objects are never sorted.
        radius: The radius, in metres, for those circles in files and tables that do not specify a radius.
        max_vertices: The largest number of vertices that each shape in files and tables may have; None means 500,000.
            See :class:`Zones`.
        assuming: The initial state for conditions that have no assumed state of their own. If `assuming` is
            ``unsatisfied``, the first determination that a condition is not satisfied gives no event. None means
            ``unsatisfied`` for several tracks (`by`, trajectories), as in tables of conditions, and ``unknown`` for a
            single track. The argument is refused if `conditions` is a table, because its conditions start in the state
            with which they were added.
        time_zone: The time zone for times without a zone in files and tables: a name such as ``Europe/Berlin``, an
            offset such as ``+02:00``, or a ``tzinfo``. None means UTC; then a source in
            which only some times state a zone is refused.
        date_order: ``dmy`` or ``mdy``, the order of day and month in dates such as 05/04/2024. If `date_order` is
            empty, dates of this form are refused.
        by: Another name for `device`.

    Raises:
        InputError: A file or a table cannot be used (the message names the file, the row and the reason), or no fix has
            a usable position.
        InvalidArgumentError: An option is out of its range.
        MissingExtraError: An argument needs a library that is not installed.
        TypeError: `track` or `conditions` has an unsupported type, `by` is used together with `device`, or options for
            conditions are used together with a table or a monitor.

    Example:
        >>> from fencepost import Circle, Fix
        >>> fixes = [Fix(0, 0.0001 * step, time=step * 1_000_000) for step in range(60)]
        >>> replay(fixes, {"end": Circle(0, 0.006, radius=100)})
        <fencepost.EventLog: 1 events of 1 conditions, policy standard, 1970-01-01 00:00:00 to 1970-01-01 00:00:59 UTC>
    """
    by = device_column(device, by)
    column = track_column(track, by)
    scale = scale_of(hdop_scale)
    times = time_style(time_zone, date_order)
    name, rows = given_conditions(
        conditions,
        policy,
        column,
        how=conditions_reading(conditions_layer, transform, max_vertices),
        columns=conditions_columns,
        radius=radius,
        assuming=assuming,
    )
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
    given = GivenTracks(
        track, columns or {}, by, scale, Reading(layer, transform, times), sort, Played(speed, start, loop)
    )
    table = conditions_of(rows, name, options)
    reports = reports_of(sightings, times, sort)
    replays = given.replay(table, reports, until_us)
    replay_again = replay_again_for(rows, options, reports, until_us)
    log = EventLog(replays, rows, column, options, separating(options), replay_again)
    warn_of(given.flaw, given.source, log)
    return log


def warn_of(flaw: Flaw | None, path: str, log: EventLog) -> None:
    """Warns about skipped fixes, except for fixes that state that they have no position."""
    if flaw is not None and not flaw.is_missing:
        warn(path, "", about_unusable(log.counts.invalid_fixes, log.counts.fixes, flaw))


def reports_of(path: str | os.PathLike[str] | None, times: TimeStyle, sort: bool) -> list[Report]:
    """Reads the lines of a sightings file. Returns an empty list if `path` is None."""
    from .._files.sightings import read_sightings

    return [] if path is None else read_sightings(path_text(path), times, sort)


def replay_again_for(
    rows: Sequence[ConditionRow],
    options: Mapping[str, Any],
    reports: Sequence[Report] = (),
    until_us: int | None = None,
) -> ReplayAgain | None:
    """Returns the function that replays a track again so that each condition tells its state, or None if no condition
    is a rule.

    Args:
        rows: The conditions of the replay.
        options: The options of the monitor.
        reports: The lines of the sightings file.
        until_us: The time to which the replay advances after the last input.
    """
    if not any(is_rule(row.condition) for row in rows):
        return None
    from .second_replay import replay_again_of

    return replay_again_of(rows, options, reports, until_us)


def scale_of(hdop_scale: float | None) -> float | None:
    """Checks and returns the metres of accuracy per unit of hdop."""
    if hdop_scale is not None and not 0 < hdop_scale < float("inf"):
        raise InvalidArgumentError(f"hdop_scale {hdop_scale} must be a number above 0")
    return hdop_scale


class Replay:
    """One replay. Events are read after each input, as in a program that handles each event at once.

    Attributes:
        counts: The counts of ``fixes``, ``late_fixes``, ``invalid_fixes``, ``reports`` and ``late_reports``, and at the
            end of ``doubted_fixes``.
    """

    def __init__(self, monitor: Monitor, fixes: Sequence[FixRow], reports: Sequence[Report]) -> None:
        self.monitor, self.fixes, self.reports = monitor, fixes, reports
        self.counts: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self.fixes) + len(self.reports)

    @property
    def first_time_us(self) -> int | None:
        """The smallest time of all inputs."""
        return min(self._times(), default=None)

    @property
    def last_time_us(self) -> int | None:
        """The largest time of all inputs."""
        return max(self._times(), default=None)

    def _times(self) -> Iterator[int]:
        yield from (fix[3] for fix in self.fixes)
        yield from (report.time_us for report in self.reports)

    def events(self, until_us: int | None = None, on_input: Callable[[], None] | None = None) -> Iterator[Event]:
        """Feeds all inputs and yields their events. After the last input, advances to `until_us`, unless it is None,
        and yields the events of this advance.

        Late inputs and invalid fixes are counted and skipped.
        """
        for _ in self._inputs():
            yield from self.monitor.events()
            if on_input is not None:
                on_input()
        if until_us is not None:
            self.monitor.advance(until_us)
            yield from self.monitor.events()

    def result(self, track: Track, events: Iterable[Event]) -> TrackReplay:
        """The result of the replay. Call this method after the events have been consumed."""
        taken = tuple(events)
        self.count_doubted()
        counts = ReplayCounts(**self.counts)
        return TrackReplay(track.key, track.path, self.fixes, taken, counts, self.first_time_us, self.monitor.clock_us)

    def count_doubted(self) -> None:
        """Counts the fixes that the monitor has doubted."""
        if doubted := self.monitor.statistics().doubted_fixes:
            self.counts["doubted_fixes"] = doubted

    def _inputs(self) -> Iterator[None]:
        reports, next_report = self.reports, 0
        for fix in self.fixes:
            while next_report < len(reports) and reports[next_report].time_us < fix[3]:
                self._report(reports[next_report])
                next_report += 1
                yield
            self._fix(fix)
            yield
        for report in reports[next_report:]:
            self._report(report)
            yield

    def _fix(self, fix: FixRow) -> None:
        self.counts["fixes"] += 1
        accuracy = fix[2]
        try:
            self.monitor._handle.feed_fix(*fix)
        except LateInputError:
            self.counts["late_fixes"] += 1
        except InvalidArgumentError:
            self.counts["invalid_fixes"] += 1
        else:
            self.counts["invalid_fixes"] += not accuracy >= 0

    def _report(self, report: Report) -> None:
        self.counts["reports"] += 1
        try:
            feed_report(self.monitor, report)
        except LateInputError:
            self.counts["late_reports"] += 1
