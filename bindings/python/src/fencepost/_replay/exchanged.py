"""Detects that latitudes and longitudes are exchanged."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .._errors import warn
from .._files.doubts import is_position, is_usable
from .._files.tracks import FixRow
from .._log.lazy_events import LazyEvents
from .._values.enums import STATES, State
from .._values.events import DIRECTION, Event, EventRow

if TYPE_CHECKING:
    from .._fleet.conditions import Zones
    from .._monitor.monitor import Monitor

NEAR = 50_000.0
"""A fix counts as near a condition up to this distance in metres."""
_LOOKED_AT = 100


def is_presence(event: Event) -> bool:
    """True if an event proves that a fix was near a condition, so that the coordinates are not exchanged."""
    return event.state is State.SATISFIED or event.direction is not None


def is_presence_row(row: EventRow) -> bool:
    """True if an event, given as one of the engine's rows, proves that a fix was near a condition."""
    return STATES[row[2]] is State.SATISFIED or bool(row[16] & DIRECTION)


def has_presence(events: Sequence[Event]) -> bool:
    """True if one of the events proves that a fix was near a condition."""
    if isinstance(events, LazyEvents):
        return any(map(is_presence_row, events.rows))
    return any(map(is_presence, events))


def some_points(fixes: Sequence[FixRow]) -> list[tuple[float, float]]:
    """Latitudes and longitudes of about 100 usable fixes, evenly spread."""
    step = max(1, len(fixes) // _LOOKED_AT)
    return [fix[:2] for fix in fixes[::step] if is_usable(*fix[:3], *fix[4:])]


def doubt_of_exchanged(points: Sequence[tuple[float, float]], conditions: Zones | Monitor) -> str | None:
    """Looks for evidence that latitude and longitude are exchanged: no point is near a condition, but most points would
    be near one if the coordinates were exchanged. Returns the evidence as a text, or None.

    Args:
        points: A sample of the fixes, as pairs of latitude and longitude.
        conditions: The conditions of the replay.
    """
    turned = [(longitude, latitude) for latitude, longitude in points if is_position(longitude, latitude)]
    if not turned or _near(points, conditions) or 2 * (near := _near(turned, conditions)) < len(points):
        return None
    return (
        f"no fix is within {NEAR / 1000:g} km of a condition, but {near} of {len(points)} fixes would be if latitude "
        "and longitude were exchanged"
    )


def warn_of_exchanged(path: str | Path, points: Sequence[tuple[float, float]], conditions: Zones | Monitor) -> None:
    """Warns if :func:`doubt_of_exchanged` finds evidence that latitude and longitude are exchanged.

    Args:
        path: The file or table that the warning names.
        points: A sample of the fixes, as pairs of latitude and longitude.
        conditions: The conditions of the replay.
    """
    if doubt := doubt_of_exchanged(points, conditions):
        warn(path, "", f"{doubt}: are the two columns swapped?")


def _near(points: Sequence[tuple[float, float]], conditions: Zones | Monitor) -> int:
    """The number of points that are near a condition."""
    return sum(any(distance < NEAR for distance in conditions.nearest(*point).values()) for point in points)
