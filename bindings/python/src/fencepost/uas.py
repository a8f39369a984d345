"""UAS geographical zones, in which the flights of drones are restricted, from the files of authorities: ED-269 (JSON,
by EUROCAE) and ED-318 (GeoJSON).

Each volume of a zone has a footprint and, with limits of height, a band. Limits above the ground or above mean sea
level need fixes with the height of the ground or of the geoid: see :class:`fencepost.Fix`.

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
    ...     options = {"policy": "exact", "tag": zone.restriction, "timing": zone.timing, "band": zone.band}
    ...     monitor.add(zone.footprint, zone.identifier, **options)
    >>> monitor.feed(Fix(47.35, 8.55, altitude=560, ground_height=480, time=1_772_433_000_000_000))
    >>> for event in monitor.events():
    ...     zone = zones[event.identifier]
    ...     print(event.identifier, event.state, zone.restriction.name, zone.band.described, event.vertical_distance)
    ZRH7 satisfied PROHIBITED up to 120 m above the ground -40.0
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
from ._values.bands import AltitudeBand
from ._values.enums import HeightReference, Restriction
from ._values.rules import Rule
from ._values.uas_zone import UasZone

__all__ = ["AltitudeBand", "HeightReference", "Restriction", "UasZone", "read", "rules"]


def read(
    source: str | Path | Mapping[str, Any] | Sequence[Any], *, start: date | None = None, until: date | None = None
) -> dict[str, UasZone]:
    """Reads UAS geographical zones. A zone with several volumes gives one zone for each, with the identifiers ``id/1``,
    ``id/2`` and so on; for the whole zone, see :func:`rules`.

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


def rules(zones: Mapping[str, UasZone]) -> dict[str, Rule]:
    """Returns a rule for each zone with several volumes: the zone is satisfied while at least one volume is.

    A drone that moves from one volume of a zone to another leaves and enters volumes, but not the zone. Add the volumes
    with an empty `notify` if only the whole zone should have events. Each volume keeps its timing; out of its hours, it
    counts as unsatisfied.

    Args:
        zones: The result of :func:`read`, or a part of it: a rule names only volumes of this part.

    Returns:
        The rules by the identifiers of their zones, in the order of `zones`.

    Raises:
        InvalidArgumentError: A zone has more than 1,000 volumes.

    Example:
        >>> volumes = [
        ...     {
        ...         "uomDimensions": "M",
        ...         "horizontalProjection": {"type": "Circle", "center": [8.55, 47.35], "radius": radius},
        ...     }
        ...     for radius in (500, 900)
        ... ]
        >>> zone = {
        ...     "identifier": "ZRH7",
        ...     "restriction": "PROHIBITED",
        ...     "applicability": [{"permanent": "YES"}],
        ...     "geometry": volumes,
        ... }
        >>> rules(read({"features": [zone]}))
        {'ZRH7': <Rule any of 'ZRH7/1', 'ZRH7/2'>}
    """
    volumes: dict[str, list[str]] = {}
    for zone in zones.values():
        if zone.identifier != zone.zone:
            volumes.setdefault(zone.zone, []).append(zone.identifier)
    return {identifier: Rule.any(*parts) for identifier, parts in volumes.items()}
