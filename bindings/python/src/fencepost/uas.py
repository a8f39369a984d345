"""UAS geographical zones, in which the flights of drones are restricted, from the files of authorities: ED-269 (JSON,
by EUROCAE) and ED-318 (GeoJSON).

The engine compares positions, not heights. It can monitor the footprint of a zone; the limits of height come with the
zone, for the program to look at.

Example:
    >>> from fencepost import Fix, Monitor
    >>> zones = read({
    ...     "features": [{
    ...         "identifier": "ZRH7",
    ...         "restriction": "PROHIBITED",
    ...         "applicability": [{"permanent": "YES"}],
    ...         "geometry": [{
    ...             "uomDimensions": "M",
    ...             "lowerLimit": 0,
    ...             "lowerVerticalReference": "AGL",
    ...             "upperLimit": 120,
    ...             "upperVerticalReference": "AGL",
    ...             "horizontalProjection": {"type": "Circle", "center": [8.55, 47.35], "radius": 500},
    ...         }],
    ...     }]
    ... })
    >>> monitor = Monitor()
    >>> for zone in zones.values():
    ...     monitor.add(zone.footprint, zone.identifier, policy="exact", tag=zone.restriction, timing=zone.timing)
    >>> monitor.feed(Fix(47.35, 8.55, accuracy=5, time=1_772_433_000_000_000))
    >>> for event in monitor.events():
    ...     zone = zones[event.identifier]
    ...     print(event.identifier, event.state, zone.restriction.name, zone.band.described)
    ZRH7 satisfied PROHIBITED up to 120 m above the ground
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from ._errors import InputError
from ._files.kinds import read_unpacked
from ._files.text import decode, parse_json, path_text
from ._files.uas_hours import Window
from ._files.uas_zones import is_uas_file, zones_of
from ._values.bands import Band
from ._values.enums import HeightReference, Restriction
from ._values.uas_zone import UasZone

__all__ = ["Band", "HeightReference", "Restriction", "UasZone", "read"]


def read(
    source: str | Path | Mapping[str, Any] | Sequence[Any], *, start: date | None = None, until: date | None = None
) -> dict[str, UasZone]:
    """Reads UAS geographical zones. A zone with several volumes gives one zone for each, with the identifiers ``id/1``,
    ``id/2`` and so on.

    A weekly schedule without dates is expanded from the beginning of the day `start` to the beginning of the day
    `until` (UTC). After `until`, a condition with this timing has the flag ``schedule_ended``. The result depends on no
    clock: a schedule that repeats without a limit is refused without these days.

    Args:
        source: A path, or the parsed document.
        start: The first day of schedules without a start; needed if the source has such a schedule.
        until: The day after the last day of all schedules; needed if the source has a schedule without an end.

    Returns:
        The zones by identifier, in the order of the source.

    Raises:
        InputError: A field cannot be used, for example a time of daylight such as sunset; the error names its path.
        InvalidArgumentError: `until` is not later than `start`.
        TypeError: A value has the wrong type; the message names the value.
    """
    window = Window.of_days(start, until)
    name, document = "source", source
    if isinstance(source, str | os.PathLike):
        name = path_text(source)
        document = parse_json(decode(read_unpacked(name), name), name)
    elif not isinstance(source, Mapping | list | tuple):
        raise TypeError(f"source must be a path or a parsed document, not {type(source).__name__}")
    if not is_uas_file(document):
        needed = "ED-269 (UASZoneList, or features with a list of volumes) nor ED-318 (features with a layer)"
        raise InputError(name, "", f"is neither {needed}")
    return zones_of(document, name, window)
