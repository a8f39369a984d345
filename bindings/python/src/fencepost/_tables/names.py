"""The usual names of the columns of tracks and conditions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from .._errors import Advice
from .._native import InvalidArgumentError
from .text_times import UNITS

Names = Mapping[str, tuple[str, ...]]

# Lower case, only letters and digits, best first.
LATITUDE = ("latitude", "lat", "locationlat", "latitudedeg", "y")
LONGITUDE = ("longitude", "lon", "lng", "long", "locationlong", "longitudedeg", "x")
TRACK: Names = {
    "latitude": LATITUDE,
    "longitude": LONGITUDE,
    "time": (
        "timeus", "timens", "timems", "utcms", "utctimeinms", "time", "timestamp", "datetime", "trackedat", "date",
        "utc", "t", "times",
    ),
    "accuracy": (
        "accuracy", "accuracym", "horizontalaccuracy", "hacc", "acc", "locationerrornumerical", "errorradius",
    ),
}  # fmt: skip
DEVICE = (
    "device", "deviceid", "vehicle", "vehicleid", "track", "trackid", "trajid", "user", "userid", "person",
    "personid", "individuallocalidentifier", "individualid", "tagid", "imei", "mmsi",
)  # fmt: skip
"""Columns that tell devices apart and nothing else."""
DEVICES: Names = {"device": DEVICE, **TRACK}
"""Of tables whose rows are of many devices. A column `id`, `identifier` or `name` may number the rows: it counts as the
device only if the caller names it."""
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
MOST_DEGREES = 360.0
"""Larger coordinates are metres or feet."""
METRES = "metres of a projected CRS? Degrees of WGS84 (EPSG:4326) are needed"


def key(name: str) -> str:
    """The form in which names are compared."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def find(names: Sequence[str], known: Names, given: Mapping[str, str], required: Sequence[str]) -> dict[str, int]:
    """Which column holds what: the given one, else the best known name that occurs.

    Raises:
        InvalidArgumentError: A given or a required column is not there, or several have its name.
    """
    exact = [name.strip() for name in names]
    keys = [key(name) for name in names]
    found = _found(exact, keys, known, given, required)
    for index in found.values():
        check_one(exact, exact[index])
    return found


def check_one(names: Sequence[str], name: str) -> None:
    """Refuses a name that several columns have: which of them is meant is not known.

    Raises:
        InvalidArgumentError: There are several.
    """
    if names.count(name) > 1:
        raise InvalidArgumentError(several_text(names, name))


def several_text(names: Sequence[str], name: str) -> str:
    """The message about a name that several columns have."""
    return f"there are {names.count(name)} columns {name!r}: rename or drop all but one"


def _found(
    exact: list[str], keys: list[str], known: Names, given: Mapping[str, str], required: Sequence[str]
) -> dict[str, int]:
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
                reason = f"there is no column for the {what}, only {', '.join(exact)}"
                raise InvalidArgumentError(reason + (device_candidates(exact) if what == "device" else ""))
    return found


_MISSING = re.compile("there is no (?:column|property) for the ([a-z]+)")


def column_advice(error: Exception, option: str) -> Advice | None:
    """How a column that was not recognised is named; None: the error is another one."""
    missing = _MISSING.match(str(error))
    if missing is None:
        return None
    what = missing[1]
    flag = f"--{option.replace('_', '-')}"
    return Advice(f"name it with {option}={{{what!r}: NAME}}", f"name it with {flag} {what}=NAME")


def device_candidates(names: Sequence[str]) -> str:
    """The columns that may name devices, for a message about a table in which none is certain to."""
    sure, may = like_devices(names)
    used = {usual for what in (*TRACK.values(), GEOMETRY) for usual in what}
    rest = [name for name in names if name not in (*sure, *may) and key(name) not in used]
    listed = ", ".join(map(repr, [*may, *rest][:8]))
    return f"; name the column of devices, which may be {listed}" if listed else ""


ACCELERATION = "acc"
"""The column that some loggers fill with the accuracy and others with the acceleration, which also goes below 0."""


def is_acceleration(name: str, given: Mapping[str, str], least: float) -> bool:
    """Whether a column that was found by its name, with this least value, is not the accuracy."""
    return least < 0 and key(name) == ACCELERATION and "accuracy" not in given


def acceleration_text(name: str) -> str:
    """The warning about such a column."""
    return f"the column {name!r} goes below 0, so it is not read as the accuracy"


_MAY_TELL_DEVICES = re.compile(
    r"(?:id|ids|identifier|no|nr|num|number|name|code|key|plate|serial|unit|bus|car|truck|ship|vessel|animal|phone|tracker|route|trip)$"
)


def like_devices(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Of a table's columns those that tell devices apart by their name, and those that may do so."""
    sure = [name for name in names if key(name) in DEVICE]
    used = {usual for what in TRACK.values() for usual in what}
    may = [name for name in names if name not in sure and key(name) not in used and _MAY_TELL_DEVICES.search(key(name))]
    return sure, may


def time_unit(name: str) -> str | None:
    """The unit that a column's name ends in, such as ``utc_ms``."""
    ending = re.search(r"(?:_|\(|in)(s|ms|us|ns)\)?$", name.strip().lower())
    return ending[1] if ending and ending[1] in UNITS else None
