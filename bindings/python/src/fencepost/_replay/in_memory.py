"""Replays tracks in memory, one after another. Each track is a device of a fleet, and the device is removed when the
track ends."""

from __future__ import annotations

import math
from array import array
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any

from .._files.many_tracks import Rows
from .._files.sightings import Report
from .._files.table_rows import Beside, Fixes
from .._files.tracks import NOTHING, Track
from .._log.lazy_events import LazyEvents
from .._log.log import TrackReplay
from .._monitor.monitor import Monitor
from .._native import InvalidArgumentError
from .filling import NO_OPTIONS
from .shard import Shard, Work

if TYPE_CHECKING:
    from .._fleet.conditions import Zones


def replay_tracks(
    tracks: Sequence[Track],
    conditions: Zones | Monitor,
    reports: Sequence[Report] = (),
    until_us: int | None = None,
    fleet: Mapping[str, Any] = NO_OPTIONS,
) -> list[TrackReplay]:
    """Replays tracks and returns the result of each track.

    Args:
        tracks: Tracks with fixes.
        conditions: A table, or a monitor with the conditions; see :class:`TrackConditions`.
        reports: Lines of a sightings file; every track receives them, merged by time with its fixes.
        until_us: The time to which each track is advanced after its last input. None means that each track ends with
            its last input.
        fleet: The options of the fleet.

    Raises:
        InvalidArgumentError: `until_us` is earlier than an input.
    """
    shard = Shard(Work(conditions, reports, until_us, True, fleet), 0, 1)
    found: defaultdict[int, list[Any]] = defaultdict(list)
    reported = [max(report.time_us for report in reports)] if reports else []
    for number, track in enumerate(tracks):
        rows = _rows(number, track)
        if until_us is not None and until_us < max([*reported, *rows.times]):
            raise InvalidArgumentError("`until` must not be earlier than the last input")
        for _, owner, row in shard.feed(rows).events:
            found[owner].append(row)
    replays = []
    for ended in shard.end()[0]:
        track = tracks[ended.track]
        events = LazyEvents(found[ended.track] + ended.events)
        replays.append(
            TrackReplay(track.key, track.path, track.fixes, events, ended.counts, ended.begin_us, ended.end_us)
        )
    return replays


def _rows(number: int, track: Track) -> Rows:
    """All fixes of a track, as columns. A NaN accuracy in a column would mean "not reported", so it is replaced with
    -1."""
    if isinstance(track.fixes, Fixes):
        fixes = track.fixes
        tracks = array("q", repeat(number, len(fixes)))
        columns = fixes.latitudes, fixes.longitudes, fixes.accuracies, fixes.times
        return Rows(tracks, *columns, number + 1, str, fixes.beside)
    latitudes, longitudes, accuracies, times = zip(*(fix[:4] for fix in track.fixes))
    reported = array("d", (-1.0 if math.isnan(accuracy) else accuracy for accuracy in accuracies))
    tracks = array("q", repeat(number, len(times)))
    count = max(map(len, track.fixes)) - 4
    beside: Beside | None = None
    if count:
        columns_beside = zip(*((*fix[4:], *NOTHING[len(fix) - 4 : count]) for fix in track.fixes))
        beside = tuple(array("d", column) for column in columns_beside)
    return Rows(
        tracks,
        array("d", latitudes),
        array("d", longitudes),
        reported,
        array("q", times),
        number + 1,
        str,
        beside,
    )
