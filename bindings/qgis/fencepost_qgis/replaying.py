"""Replaying tracks, with progress, and cancelled between batches."""

from .fencepost import FIX_RECORD, Conditions, Fleet, QueueFullError
from .fencepost._log.log import ReplayCounts, TrackReplay
from .fencepost._replay.filling import add_conditions

BATCH = 2048
"""Fixes between two looks at the progress and at the cancel button."""


class Runner:
    """Replays tracks one after another, each as a device of one fleet, which it leaves at its end.

    Args:
        feedback: Of the algorithm.
        first: Percent of the progress bar where the replay begins.
        share: Percent that it takes.
        total: How many fixes will be replayed, all runs together.
    """

    def __init__(self, feedback, first, share, total):
        self._feedback, self._first, self._share, self._total = feedback, first, share, max(total, 1)
        self._done = 0

    def run(self, tracks, rows, layer_name, after_us=0, on_events=None):
        """The replays, as far as it came when it was cancelled.

        Args:
            tracks: See ``tracks.py``.
            rows: The conditions.
            layer_name: Of the conditions, for messages.
            after_us: How much time passes after the last fix.
            on_events: Called with each track's key and a list of its events, as they come.
        """
        conditions = Conditions()
        add_conditions(conditions, rows, layer_name)
        fleet = Fleet(conditions)
        replays = []
        for number, track in enumerate(tracks):
            if self._feedback.isCanceled():
                break
            replays.append(self._replay(track, fleet, str(number), after_us, on_events))
        return replays

    def _replay(self, track, fleet, device, after_us, on_events):
        events = []

        def drain():
            while batch := fleet.poll():
                events.extend(batch)
                if on_events is not None:
                    on_events(track.key, batch)

        size, rows, at = FIX_RECORD.size, memoryview(track.fixes), 0
        late = invalid = 0
        while at < len(rows) and not self._feedback.isCanceled():
            batch = rows[at : at + BATCH * size]
            try:
                result, fed = fleet.feed_many(batch, device=device), len(batch)
            except QueueFullError as error:
                result, fed = error.result, error.position * size
            late, invalid = late + result.late, invalid + result.invalid
            at += fed
            drain()
            self._done += fed // size
            self._feedback.setProgress(self._first + self._share * self._done / self._total)
        clock_us = fleet[device].clock_us if device in fleet else None
        if after_us and clock_us is not None and not self._feedback.isCanceled():
            clock_us += after_us
            fleet.advance(clock_us, device=device)
            drain()
        fleet.remove_device(device)
        counts = ReplayCounts(len(track.times), late, invalid)
        return TrackReplay(track.key, "", (), tuple(events), counts, track.begin_us, clock_us)
