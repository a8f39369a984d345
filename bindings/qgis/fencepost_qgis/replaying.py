"""Replays tracks, shows progress, and can be cancelled between batches."""

from .fencepost import FIX_RECORD, Fix, Fleet, Monitor, Zones
from .fencepost._log.log import ReplayCounts, TrackReplay
from .fencepost._monitor.filling import add_conditions
from .fencepost._replay.filling import need_monitors
from .fencepost._tables.names import HEIGHTS
from .fencepost.errors import QueueFullError

BATCH = 2048
"""The number of fixes after which progress is reported and cancellation is checked."""


class Runner:
    """Replays tracks one after another. Each track is one device of a fleet; the device is removed when the track ends.
    If a condition has a timing, each track has its own monitor, because a fleet with a path refuses timings.

    Args:
        feedback: The feedback object that QGIS passes to the algorithm.
        first: The percentage that the progress bar shows when the replay begins.
        share: The percentage of the progress bar that the replay takes.
        total: Number of fixes in all runs together.
        options: The options of the fleet.
    """

    def __init__(self, feedback, first, share, total, options):
        self._options = options
        self._feedback, self._first, self._share, self._total = feedback, first, share, max(total, 1)
        self._done = 0

    def run(self, tracks, rows, layer_name, after_us=0, on_events=None):
        """Returns the replays; if the run was cancelled, only the replays up to that point.

        Args:
            tracks: The tracks, in the form that ``tracks.py`` returns.
            rows: The conditions.
            layer_name: The name of the conditions' layer, for messages.
            after_us: The time that passes after the last fix, in microseconds.
            on_events: Called with each track's key and a list of the track's new events.
        """
        alone = need_monitors(rows)
        self.conditions = conditions = Monitor(**self._options) if alone else Zones()
        fleet = None if alone else Fleet(conditions, **self._options)
        add_conditions(conditions, rows, layer_name)
        replays = []
        for number, track in enumerate(tracks):
            if self._feedback.isCanceled():
                break
            device = _Alone(conditions.fork()) if alone else _Device(fleet, str(number))
            replays.append(self._replay(track, device, after_us, on_events))
        return replays

    def _replay(self, track, device, after_us, on_events):
        events = []

        def drain():
            while batch := device.poll():
                events.extend(batch)
                if on_events is not None:
                    on_events(track.key, batch)

        size, rows, at = FIX_RECORD.size, memoryview(track.fixes), 0
        late = invalid = doubted = 0
        while at < len(rows) and not self._feedback.isCanceled():
            batch = rows[at : at + BATCH * size]
            try:
                result, fed = device.feed_many(batch, track.beside[at // size :][:BATCH]), len(batch)
            except QueueFullError as error:
                result, fed = error.result, error.position * size
            late, invalid, doubted = late + result.late, invalid + result.invalid, doubted + result.doubted
            at += fed
            drain()
            self._done += fed // size
            self._feedback.setProgress(self._first + self._share * self._done / self._total)
        clock_us = device.clock_us
        if after_us and clock_us is not None and not self._feedback.isCanceled():
            clock_us += after_us
            device.advance(clock_us)
            drain()
        device.leave()
        counts = ReplayCounts(len(track.times), late, invalid, doubted_fixes=doubted)
        return TrackReplay(track.key, "", (), tuple(events), counts, track.begin_us, clock_us)


def _fixes(batch, beside):
    """Returns rows in the layout of ``FIX_RECORD`` with their error ellipses and heights, or only the rows if `beside`
    is empty."""
    if not beside:
        return batch
    return [
        Fix(*row[:3], time=row[3], error_ellipse=ellipse, **dict(zip(HEIGHTS, heights)))
        for row, (ellipse, *heights) in zip(FIX_RECORD.iter_unpack(batch), beside)
    ]


class _Alone:
    """A device with its own monitor."""

    def __init__(self, monitor):
        self._monitor, self.advance = monitor, monitor.advance

    def feed_many(self, batch, beside):
        return self._monitor.feed_many(_fixes(batch, beside))

    def poll(self):
        return list(self._monitor.events())

    @property
    def clock_us(self):
        return self._monitor.clock_us

    def leave(self):
        pass


class _Device:
    """A device of a fleet."""

    def __init__(self, fleet, name):
        self._fleet, self._name, self.poll = fleet, name, fleet.poll

    def feed_many(self, batch, beside):
        return self._fleet.feed_many(_fixes(batch, beside), device=self._name)

    def advance(self, clock_us):
        self._fleet.advance(clock_us, device=self._name)

    @property
    def clock_us(self):
        return self._fleet[self._name].clock_us if self._name in self._fleet else None

    def leave(self):
        self._fleet.remove_device(self._name)
