"""Latitude and longitude in each other's columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .._errors import warn
from .._files.doubts import is_position, is_usable
from .._files.tracks import Track

if TYPE_CHECKING:
    from .._fleet.conditions import Conditions
    from .._monitor.monitor import Monitor

NEAR = 50_000.0
"""Metres."""
_LOOKED_AT = 100


def warn_of_exchanged(tracks: Sequence[Track], conditions: Conditions | Monitor) -> None:
    """Warns if no fix is near a condition and most would be, were latitude and longitude exchanged.

    Looks at some fixes of the first track; the others are read as it is.
    """
    fixes = tracks[0].fixes if tracks else ()
    step = max(1, len(fixes) // _LOOKED_AT)
    points = [fix[:2] for fix in fixes[::step] if is_usable(*fix[:3])]
    turned = [(longitude, latitude) for latitude, longitude in points if is_position(longitude, latitude)]
    if not turned or _near(points, conditions) or 2 * (near := _near(turned, conditions)) < len(points):
        return
    text = f"no fix is within {NEAR / 1000:g} km of a condition, but {near} of {len(points)} are with latitude and "
    warn(tracks[0].path, "", text + "longitude exchanged: are they in each other's columns?")


def _near(points: Sequence[tuple[float, float]], conditions: Conditions | Monitor) -> int:
    """How many points are near a condition."""
    return sum(any(distance < NEAR for distance in conditions.nearest(*point).values()) for point in points)
