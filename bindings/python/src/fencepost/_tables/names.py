"""The usual names of the columns of tracks and conditions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from .._errors import Advice, warn
from .._native import InvalidArgumentError
from .numbers import listed
from .text_times import UNITS

Names = Mapping[str, tuple[str, ...]]

# Names of columns, in order of preference, in lower case and with only letters and digits.
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
    "error_major": ("errormajorm",),
    "error_minor": ("errorminorm",),
    "error_orientation": ("errororientationdeg",),
    "altitude": ("ellipsoidaltitudem", "ellipsoidalaltitude", "althae"),
    "vertical_accuracy": ("verticalaccuracym", "verticalaccuracy"),
    "geoid_height": ("geoidheightm", "geoidheight", "geoidsep"),
    "ground_height": ("groundheightm", "groundheight"),
}  # fmt: skip
ERROR_ELLIPSE = ("error_major", "error_minor", "error_orientation")
"""The columns of one-sigma error ellipses. Their only known names state the units, because many files have ellipses
with other confidences or units."""
HEIGHTS = ("altitude", "vertical_accuracy", "geoid_height", "ground_height")
"""The columns of heights, in metres. A column named `altitude` is not known, because many files have altitudes above
mean sea level."""
BESIDE = (*ERROR_ELLIPSE, *HEIGHTS)
"""The columns beside the position of a fix, in the order of the native module."""
DEVICE = (
    "device", "deviceid", "vehicle", "vehicleid", "track", "trackid", "trajid", "user", "userid", "person",
    "personid", "individuallocalidentifier", "individualid", "tagid", "imei", "mmsi",
)  # fmt: skip
"""The column names that certainly identify devices."""
DEVICES: Names = {"device": DEVICE, **TRACK}
"""The columns of tables whose rows belong to many devices. A column named `id`, `identifier` or `name` may contain row
numbers, so it identifies the device only if the caller names it."""
CONDITIONS: Names = {
    "identifier": ("identifier", "id", "name", "fid"),
    "latitude": LATITUDE,
    "longitude": LONGITUDE,
    "radius": ("radius", "radiusm", "radiusmetres", "radiusmeters", "r"),
    "assuming": ("assuming",),
    "policy": ("policy",),
    "entry_probability": ("entryprobability",),
    "exit_probability": ("exitprobability",),
    "active": ("active",),
    "active_until": ("activeuntil",),
    "absent_after": ("absentafter",),
    "repeat_every": ("repeatevery",),
    "repeat_limit": ("repeatlimit",),
    "max_events": ("maxevents",),
    "altitude_min": ("altitudemin",),
    "altitude_max": ("altitudemax",),
    "altitude_min_reference": ("altitudeminreference",),
    "altitude_max_reference": ("altitudemaxreference",),
    "edges": ("edges",),
    "oriented": ("oriented",),
    "gate": ("gate", "isgate"),
    "buffer": ("buffer", "bufferm", "buffermeters", "buffermetres"),
}
GEOMETRY = ("geometry", "geom", "wkbgeometry", "thegeom", "wkb", "point", "wkt", "wktgeom", "wktgeometry", "geomwkt")
"""The usual names of point columns in Arrow tables; used for columns that are not marked as points."""
POSITION = ("latitude", "longitude")
MOST_DEGREES = 360.0
"""Coordinates with a larger magnitude than this must be metres or feet."""
METRES = "are these metres of a projected CRS? Use degrees of WGS84 (EPSG:4326)"


def key(name: str) -> str:
    """Returns the form in which names are compared, with only lower-case letters and digits."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def find(names: Sequence[str], known: Names, given: Mapping[str, str], required: Sequence[str]) -> dict[str, int]:
    """Finds the index of the column for each role. The column for a role is the column that `given` names, or else the
    column with the first known name that occurs in the table. An error ellipse needs its three columns. Without a
    column of altitudes, the columns of other heights are ignored.

    Raises:
        InvalidArgumentError: A named or required column does not exist, or its name belongs to several columns.
    """
    exact = [name.strip() for name in names]
    keys = [key(name) for name in names]
    found = _found(exact, keys, known, given, required)
    for index in found.values():
        check_one(exact, exact[index])
    if "latitude" in found and found["latitude"] == found.get("longitude"):
        raise InvalidArgumentError(f"columns: the column {exact[found['latitude']]!r} is both latitude and longitude")
    missing = [what for what in ERROR_ELLIPSE if what in known and what not in found]
    if 0 < len(missing) < len(ERROR_ELLIPSE):
        raise InvalidArgumentError(f"there is no column for the {missing[0]}, only {listed(exact)}")
    if HEIGHTS[0] in known and HEIGHTS[0] not in found:
        named = next((what for what in HEIGHTS if what in given), None)
        if named is not None:
            raise InvalidArgumentError(
                f"there is no column for the altitude, which {named} needs; name it in columns, as altitude"
            )
        found = {what: index for what, index in found.items() if what not in HEIGHTS}
    return found


def check_one(names: Sequence[str], name: str) -> None:
    """Refuses a name that belongs to several columns, because the name is ambiguous.

    Raises:
        InvalidArgumentError: Several columns have the name.
    """
    if names.count(name) > 1:
        raise InvalidArgumentError(several_text(names, name))


def several_text(names: Sequence[str], name: str) -> str:
    """The message about a name that several columns share."""
    return f"there are {names.count(name)} columns named {name!r}: rename or drop all but one"


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
                raise InvalidArgumentError(f"there is no column {given[what]!r}, only {listed(exact)}")
            found[what] = exact.index(given[what])
            continue
        for name in usual:
            if name in keys:
                found[what] = keys.index(name)
                break
        else:
            if what in required:
                reason = f"there is no column for the {what}, only {listed(exact)}"
                raise InvalidArgumentError(reason + (device_candidates(exact) if what == "device" else ""))
    return found


_MISSING = re.compile("there is no (?:column|property) for the ([a-z_]+)")


def column_advice(error: Exception, option: str) -> Advice | None:
    """Advice on how to name a column that was not recognised, or None if the error has another cause."""
    missing = _MISSING.match(str(error))
    if missing is None:
        return None
    what = missing[1]
    flag = f"--{option.replace('_', '-')}"
    return Advice(f"name the column with {option}={{{what!r}: NAME}}", f"name the column with {flag} {what}=NAME")


def device_candidates(names: Sequence[str]) -> str:
    """The part of a message that lists the columns that possibly identify devices; used if no column certainly
    identifies devices."""
    sure, may = like_devices(names)
    used = {usual for what in (*TRACK.values(), GEOMETRY) for usual in what}
    rest = [name for name in names if name not in (*sure, *may) and key(name) not in used]
    listed = ", ".join(map(repr, [*may, *rest][:8]))
    return f"; name the column that holds the device, perhaps {listed}" if listed else ""


ACCELERATION = "acc"
"""A column name that some loggers use for the accuracy, and other loggers for the acceleration; an acceleration can be
below 0."""


def is_acceleration(name: str, given: Mapping[str, str], least: float) -> bool:
    """True if the column's name can mean an accuracy or an acceleration, but a value is below 0, so that the column
    contains accelerations; False if the caller named the accuracy column."""
    return least < 0 and key(name) == ACCELERATION and "accuracy" not in given


def acceleration_text(name: str) -> str:
    """The warning that a column with negative values is not read as the accuracy."""
    return f"the column {name!r} has negative values, so it is not read as the accuracy"


_MAY_TELL_DEVICES = re.compile(
    r"(?:id|ids|identifier|no|nr|num|number|name|code|key|plate|serial|unit|bus|car|truck|ship|vessel|animal|phone|tracker|route|trip)$"
)


def like_devices(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """The columns whose names certainly identify devices, and the columns whose names possibly identify devices."""
    sure = [name for name in names if key(name) in DEVICE]
    used = {usual for what in TRACK.values() for usual in what}
    may = [name for name in names if name not in sure and key(name) not in used and _MAY_TELL_DEVICES.search(key(name))]
    return sure, may


def time_unit(name: str) -> str | None:
    """The time unit at the end of a column's name, such as ``ms`` in ``utc_ms``, or None if the name does not end with
    a unit."""
    ending = re.search(r"(?:_|\(|in)(s|ms|us|ns)\)?$", name.strip().lower())
    return ending[1] if ending and ending[1] in UNITS else None


LENGTHS = (
    "accuracy", "error_major", "error_minor", "altitude", "vertical_accuracy", "geoid_height", "ground_height",
    "radius", "buffer", "altitude_min", "altitude_max",
)  # fmt: skip
"""The columns in metres."""
_ALTITUDE = "altitude"
_LENGTH = "(?:.*(?:altitude|alt|height|hgt|elevation|elev|ele|hae|accuracy|acc|radius|ceiling|floor))?"
_UNIT = re.compile(
    f"{_LENGTH}(ft|feet|foot|km|kilomet(?:re|er)s?|dm|cm|mm|inch|inches|yd|yds|yards?|mi|miles?|nm|nmi|fl)"
)
_METRES = ("m", "meter", "meters", "metre", "metres")
_REFERENCE = re.compile(f"{_LENGTH}(agl|amsl|msl|asl)")
_LIKE = {
    "altitude": re.compile(
        r"(?!.*(?:geoid|(?<!above )(?:ground|terrain)|accuracy|error))"
        r".*(?:altitude|\balt(?:ft|m|msl|agl)?\b|height|\bhgt\b|elevation|\belev?\b|\b(?:hae|a?msl|agl)\b)"
    ),
    "geoid_height": re.compile(".*(?:geoid|undulation)"),
    "ground_height": re.compile(".*(?<!above )(?<!over )(?:ground|terrain)(?!.?speed)"),
}
"""Finds the names of columns that may have the heights of a kind, in another unit or above another reference."""


def words(name: str) -> list[str]:
    """The words of a name, in lower case: those of ``altitudeFt`` are ``altitude`` and ``ft``."""
    return re.sub(r"[^a-z0-9]+", " ", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()).split()


def warn_of_units(source: str | Path, columns: Mapping[str, str]) -> None:
    """Warns for each column of lengths that the caller named, if its name states another unit than metres; also if the
    name of a column of altitudes states a reference that is not the ellipsoid.

    Args:
        source: The path, or the name of the argument.
        columns: The names that the caller passed. They must exist in the source.
    """
    for what, name in columns.items():
        own = words(str(name)) if what in LENGTHS else []
        unit = None if not own or own[-1] in _METRES else _stated(_UNIT, own)
        if unit is not None:
            reason = f"the column {name!r} is read as the {what} in metres, but its name states the unit {unit!r}"
            warn(source, "", f"{reason}; convert it to metres and rename it")
        reference = _stated(_REFERENCE, own) if what == _ALTITUDE else None
        if reference is not None:
            reason = (
                f"the column {name!r} is read as the altitude above the ellipsoid, but its name states {reference!r}"
            )
            warn(source, "", f"{reason}; convert it to heights above the ellipsoid and rename it")


def _stated(pattern: re.Pattern[str], own: Iterable[str]) -> str | None:
    return next((found[1] for found in map(pattern.fullmatch, own) if found), None)


def like_heights(kind: str, names: Iterable[str], columns: Mapping[str, str]) -> list[str]:
    """The columns of a source that look like heights of a kind, but are not read as any.

    Args:
        kind: ``altitude``, ``geoid_height`` or ``ground_height``.
        names: The names of all columns of the source.
        columns: The names that the caller passed.
    """
    read = {usual for what in BESIDE for usual in TRACK[what]}
    used = set(columns.values())
    texts = [name for name in names if isinstance(name, str) and name not in used and key(name) not in read]
    return [name for name in texts if _LIKE[kind].match(" ".join(words(name)))]
