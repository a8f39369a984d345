"""Measures how much a replay saves, and how much later its events occur, if only the significant changes are fed to
it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median
from typing import TYPE_CHECKING

from .._files.tracks import FixRow
from .._monitor.monitor import Monitor
from .._monitor.selection import SignificantChangeFilter
from .._values.events import Event
from .replay import Replay

if TYPE_CHECKING:
    from .._files.sightings import Report


class Thinning:
    """Selects the fixes that are significant changes, and compares a replay of these fixes with a replay of all fixes.

    Args:
        monitor: A monitor with its conditions, in the state before the replay. The replay uses a fork of this monitor
            and leaves the monitor itself unchanged.
        fixes: All fixes, in file order.
        reports: Scan reports of beacons.
        until_us: The time to which the replay is advanced at its end, or None.
    """

    def __init__(
        self, monitor: Monitor, fixes: Sequence[FixRow], reports: Sequence[Report], until_us: int | None
    ) -> None:
        passes = SignificantChangeFilter()
        self.fixes = [fix for fix in fixes if passes._row_passes(fix[:4])]
        self._offered = len(fixes)
        full = Replay(monitor.fork(), fixes, reports)
        self._full = list(full.events(until_us))

    def report(self, events: Sequence[Event]) -> Iterator[str]:
        """Yields lines that compare the events of the thinned replay with the events of the full replay."""
        saved = 0.0 if self._offered == 0 else 100 * (1 - len(self.fixes) / self._offered)
        yield f"significant changes: {len(self.fixes)} of {self._offered} fixes fed, {saved:.1f} % saved"
        delays, extra = compare(self._full, events)
        text = f"significant changes: {len(delays)} of {len(self._full)} events of the full replay"
        if delays:
            text += f", delayed by {median(delays):.1f} s (median), {max(delays):.1f} s at most"
        yield f"{text}; {len(self._full) - len(delays)} missed, {extra} not in the full replay"


def compare(full: Sequence[Event], thinned: Sequence[Event]) -> tuple[list[float], int]:
    """Returns two values: the delays in seconds of the events of `full` that also occur in `thinned`, and the number of
    events that occur only in `thinned`.

    An event of `thinned` matches the last event of `full` that has the same condition, the same state, and an earlier
    or equal time. No event is used twice or out of order. Changes that were undone between two fixes of the thinned
    replay are missed.
    """
    pending: dict[str, list[Event]] = {}
    for event in full:
        pending.setdefault(event.identifier, []).append(event)
    delays, extra = [], 0
    for event in thinned:
        earlier = pending.get(event.identifier, [])
        places = [
            place
            for place, other in enumerate(earlier)
            if other.state == event.state and (other.date_us or 0) <= (event.date_us or 0)
        ]
        if not places:
            extra += 1
            continue
        delays.append(((event.date_us or 0) - (earlier[places[-1]].date_us or 0)) / 1e6)
        del earlier[: places[-1] + 1]
    return delays, extra
