"""What the columns of tracks and of conditions are called in the wild."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from .._native import InvalidArgumentError
from .text_times import UNITS

Names = Mapping[str, tuple[str, ...]]

# Lower case, without what is not a letter or digit, best first.
LATITUDE = ("latitude", "lat", "locationlat", "latitudedeg", "y")
LONGITUDE = ("longitude", "lon", "lng", "long", "locationlong", "longitudedeg", "x")
TRACK: Names = {
    "latitude": LATITUDE,
    "longitude": LONGITUDE,
    "time": (
        "timeus", "timems", "utcms", "utctimeinms", "time", "timestamp", "datetime", "trackedat", "date", "utc", "t",
        "times",
    ),
    "accuracy": (
        "accuracy", "accuracym", "horizontalaccuracy", "hacc", "acc", "locationerrornumerical", "errorradius",
    ),
}  # fmt: skip
DEVICES: Names = {
    "device": (
        "device", "deviceid", "vehicle", "vehicleid", "track", "trackid", "trajid", "user", "userid", "person",
        "personid", "individuallocalidentifier", "individualid", "tagid", "imei", "mmsi", "identifier", "id", "name",
    ),
    **TRACK,
}  # fmt: skip
"""Of tables whose rows are of many devices."""
CONDITIONS: Names = {
    "identifier": ("identifier", "id", "name", "fid"),
    "latitude": LATITUDE,
    "longitude": LONGITUDE,
    "radius": ("radius", "radiusm", "radiusmetres", "radiusmeters", "r"),
    "assuming": ("assuming",),
    "policy": ("policy",),
    "edges": ("edges",),
    "oriented": ("oriented",),
    "gate": ("gate", "isgate"),
    "buffer": ("buffer", "bufferm", "buffermeters", "buffermetres"),
}
GEOMETRY = ("geometry", "geom", "wkbgeometry", "thegeom", "wkb", "point", "wkt", "wktgeom", "wktgeometry", "geomwkt")
"""Columns of points in Arrow tables that are not marked as such."""
POSITION = ("latitude", "longitude")


def key(name: str) -> str:
    """The form in which names are compared."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def find(names: Sequence[str], known: Names, given: Mapping[str, str], required: Sequence[str]) -> dict[str, int]:
    """Which column holds what: the given one, else the best known name that occurs.

    Raises:
        InvalidArgumentError: A given or a required column is not there.
    """
    exact = [name.strip() for name in names]
    keys = [key(name) for name in names]
    found: dict[str, int] = {}
    for what in given:
        if what not in known:
            raise InvalidArgumentError(f"columns: {what!r} is not one of {', '.join(known)}")
    for what, usual in known.items():
        if what in given:
            if given[what] not in exact:
                raise InvalidArgumentError(f"there is no column {given[what]!r}, only {', '.join(exact)}")
            found[what] = exact.index(given[what])
            continue
        for name in usual:
            if name in keys:
                found[what] = keys.index(name)
                break
        else:
            if what in required:
                raise InvalidArgumentError(f"there is no column for the {what}, only {', '.join(exact)}")
    return found


def time_unit(name: str) -> str | None:
    """The unit that a column's name ends in, such as ``utc_ms``."""
    ending = re.search(r"(?:_|\(|in)(s|ms|us|ns)\)?$", name.strip().lower())
    return ending[1] if ending and ending[1] in UNITS else None
