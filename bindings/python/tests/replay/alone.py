"""Replays many tracks in the simplest way, for comparison."""

from __future__ import annotations

from pathlib import Path

from fencepost import Condition, EventLog, Monitor, TransitionPolicy
from fencepost._files.checked import checked
from fencepost._files.sightings import read_sightings
from fencepost._files.sources import as_conditions
from fencepost._files.track_files import read_tracks
from fencepost._monitor.filling import add_conditions
from fencepost._replay.replay import Replay
from fencepost._tables.text_times import PLAIN_TIMES


def one_by_one(
    path: Path,
    conditions: Path | dict[str, Condition],
    by: str = "vehicle",
    policy: TransitionPolicy | None = None,
    until: int | None = None,
    sightings: Path | None = None,
    sort: bool = False,
) -> EventLog:
    """Reads tracks row by row, and feeds each track to its own monitor; returns the log."""
    name, rows = as_conditions(conditions, policy or TransitionPolicy.standard())
    reports = [] if sightings is None else read_sightings(sightings)
    replays = []
    for track in checked(read_tracks(path, by=by), sort, PLAIN_TIMES):
        monitor = Monitor()
        add_conditions(monitor, rows, name)
        run = Replay(monitor, track.fixes, reports)
        replays.append(run.result(track, run.events(until)))
    return EventLog(replays, rows, by)


def reported(log: EventLog) -> list[tuple[object, ...]]:
    """Returns everything that a log states about each track."""
    return [
        (one.key, one.source, repr(list(one.fixes)), len(one.fixes), one.events, one.counts, one.begin_us, one.end_us)
        for one in log.replays
    ]
