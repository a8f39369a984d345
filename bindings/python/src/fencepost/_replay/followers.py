"""The followers of a replay's tracks: one fleet for all tracks or, with some options (see :class:`TrackConditions`),
one monitor for each track."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from itertools import repeat
from typing import TYPE_CHECKING, Any, Protocol

from .._files.many_tracks import Rows
from .._files.sightings import Report
from .._fleet.conditions import Zones
from .._fleet.fleet import Fleet
from .._monitor.monitor import Monitor
from .._native import InvalidArgumentError, LateInputError, event_json, feed_tracks
from .._values.events import EventRow
from .._values.fleet_statistics import DeviceStatistics
from .filling import feed_report

if TYPE_CHECKING:
    Events = list[EventRow | str]
    Found = list[tuple[int, int, EventRow | str]]

_NO_DEVICE = 0
_AT_ONCE = 1024


class Follower(Protocol):
    """Follows tracks, which are identified by numbers. The methods return the events that were caused by the call."""

    def know(self, count: int) -> None:
        """Sets the number of known tracks. New tracks are not followed until :meth:`enter` is called."""

    def enter(self, tracks: list[int]) -> None:
        """Follows tracks from now on."""

    def feed(self, rows: Rows, start: int, stop: int, begins: array[int], found: Found) -> tuple[int, int, int, int]:
        """Feeds the rows of those tracks that are followed. Returns the numbers of accepted, late and invalid rows.

        Appends the events to `found` in the order of the rows; the position of an event is 2 * row + 1. Sets the
        earliest time of each track in `begins`.
        """

    def report(self, track: int, report: Report) -> Events:
        """Feeds a line of a sightings file to a track.

        Raises:
            LateInputError: The line is earlier than the track's clock. The refused line is counted.
        """

    def advance(self, track: int, until_us: int) -> Events:
        """Lets time pass for a track.

        Raises:
            InvalidArgumentError: The time is earlier than the last input.
        """

    def end(self, track: int) -> DeviceStatistics:
        """Stops following a track and returns its statistics."""


class OneFleet:
    """Follows all tracks with one fleet, in which each track is a device."""

    def __init__(self, conditions: Zones, options: Mapping[str, Any], as_json: bool) -> None:
        self._fleet, self._as_json = Fleet(conditions, **options), as_json
        self._numbers = array("Q")  # maps each track to its device number

    def know(self, count: int) -> None:
        self._numbers.extend(repeat(_NO_DEVICE, count - len(self._numbers)))

    def enter(self, tracks: list[int]) -> None:
        numbers = self._fleet._handle.enter(tuple(map(str, tracks)))
        for track, number in zip(tracks, memoryview(numbers).cast("Q")):
            self._numbers[track] = number

    def feed(self, rows: Rows, start: int, stop: int, begins: array[int], found: Found) -> tuple[int, int, int, int]:
        accuracies = rows.accuracies if rows.beside is None else (rows.accuracies, *rows.beside)
        columns = rows.tracks, rows.latitudes, rows.longitudes, accuracies, rows.times
        return feed_tracks(self._fleet._handle, self._numbers, begins, *columns, start, stop, found, self._as_json)

    def report(self, track: int, report: Report) -> Events:
        name = str(track)
        if report.beacons is None:
            self._fleet.set_scanning(name, report.scanning, time=report.time_us)
        else:
            self._fleet.feed_sightings(name, report.beacons, time=report.time_us)
        return self._taken()

    def advance(self, track: int, until_us: int) -> Events:
        try:
            self._fleet.advance(until_us, device=str(track))
        except LateInputError:
            raise InvalidArgumentError("`until` must not be earlier than the last input") from None
        return self._taken()

    def end(self, track: int) -> DeviceStatistics:
        statistics = self._fleet[str(track)].statistics()
        self._fleet.remove_device(str(track))
        self._numbers[track] = _NO_DEVICE
        return statistics

    def _taken(self) -> Events:
        events: Events = []
        while rows := self._fleet._handle.poll_events(_AT_ONCE):
            events += [event_json(*row[:17]) if self._as_json else row[:18] for row in rows]
        return events


class Monitors:
    """Follows each track with its own monitor, which is a fork of a monitor that holds the conditions."""

    def __init__(self, template: Monitor, as_json: bool) -> None:
        self._template, self._as_json = template, as_json
        self._monitors: dict[int, Monitor] = {}
        self._doubted: dict[int, int] = {}

    def know(self, count: int) -> None:
        pass

    def enter(self, tracks: list[int]) -> None:
        for track in tracks:
            self._monitors[track] = self._template.fork()

    def feed(self, rows: Rows, start: int, stop: int, begins: array[int], found: Found) -> tuple[int, int, int, int]:
        accepted = late = invalid = 0
        accuracies: Any = repeat(0.0) if rows.accuracies is None else rows.accuracies[start:stop]
        columns = rows.tracks[start:stop], rows.latitudes[start:stop], rows.longitudes[start:stop]
        beside = [column[start:stop] for column in rows.beside or ()]
        for row, (track, latitude, longitude, time, accuracy, *more) in enumerate(
            zip(*columns, rows.times[start:stop], accuracies, *beside), start
        ):
            monitor = self._monitors.get(track)
            if monitor is None:
                continue
            begins[track] = min(begins[track], time)
            try:
                monitor._handle.feed_fix(latitude, longitude, 0.0 if accuracy != accuracy else accuracy, time, *more)
            except LateInputError:
                late += 1
            except InvalidArgumentError:
                invalid += 1
            else:
                accepted, invalid = accepted + (accuracy != accuracy or accuracy >= 0), invalid + (accuracy < 0)
            found += [(2 * row + 1, track, event) for event in self._taken(monitor)]
        doubted = sum(self._newly_doubted(track) for track in set(rows.tracks[start:stop]))
        return accepted - doubted, late, invalid, doubted

    def _newly_doubted(self, track: int) -> int:
        """Returns how many fixes of a track were doubted since the last call."""
        if track not in self._monitors:
            return 0
        before, now = self._doubted.get(track, 0), self._monitors[track].statistics().doubted_fixes
        self._doubted[track] = now
        return now - before

    def report(self, track: int, report: Report) -> Events:
        feed_report(self._monitors[track], report)
        return self._taken(self._monitors[track])

    def advance(self, track: int, until_us: int) -> Events:
        monitor = self._monitors[track]
        try:
            monitor.advance(until_us)
        except LateInputError:
            raise InvalidArgumentError("`until` must not be earlier than the last input") from None
        return self._taken(monitor)

    def end(self, track: int) -> DeviceStatistics:
        statistics = self._monitors.pop(track).statistics()
        counts = (
            statistics.accepted_fixes,
            statistics.invalid_fixes,
            statistics.late_inputs,
            statistics.ahead_inputs,
            statistics.accepted_sightings,
        )
        return DeviceStatistics(
            statistics.clock_us, *counts, statistics.handed_out_events, doubted_fixes=statistics.doubted_fixes
        )

    def _taken(self, monitor: Monitor) -> Events:
        events: Events = []
        while (row := monitor._handle.poll_event()) is not None:
            events.append(event_json(*row[:17]) if self._as_json else row)
        return events
