"""Finds the columns of Spark frames, and converts them to the types that are needed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._errors import require
from .._native import InvalidArgumentError
from .._tables.names import BESIDE, DEVICES, ERROR_ELLIPSE, HEIGHTS, POSITION, TRACK, Names, find
from .._values.events import EVENT_COLUMNS

ROWS = ("device", "latitude", "longitude", "accuracy", "time")
EXTRA_ROWS = ("version", "beacons")
WHOLE = ("byte", "short", "integer", "long")
NUMBERS = (*WHOLE, "float", "double", "decimal")
_KINDS = {
    "device": ("string", *WHOLE),
    "latitude": NUMBERS,
    "longitude": NUMBERS,
    "accuracy": NUMBERS,
    **dict.fromkeys(BESIDE, NUMBERS),
    "time": ("timestamp", "long"),
    "refresh": ("string", "binary"),
    "beacons": ("array",),
}
EXTRA = ("refresh", "beacons")
"""The names of the optional columns."""
POINT_HEIGHTS = ("altitude", "geoid_height", "ground_height")
"""The heights of a point that the limits of a condition may need."""
_DIGEST_BYTES = 16
_BEACON = ("uuid", "major", "minor", "rssi")
_MOST_BYTES = 256


def functions() -> Any:
    return require("pyspark.sql.functions", "spark")


def named(name: str) -> Any:
    """Returns the column with the given name; the name may contain any characters."""
    return functions().col("`" + name.replace("`", "``") + "`")


def find_points(frame: Any, given: Mapping[str, str]) -> dict[str, str]:
    """The names of the columns of points and their heights. A column of times must be named, because the hours of the
    conditions count only if the caller wants this."""
    known = {what: TRACK[what] for what in (*POSITION, *POINT_HEIGHTS)}
    return _find(frame, {**known, "time": ()}, given, POSITION)


def find_rows(frame: Any, given: Mapping[str, str]) -> dict[str, str]:
    """The names of the fix columns."""
    found = _find(frame, {**DEVICES, **dict.fromkeys(EXTRA, ())}, given, ("device", *POSITION, "time"))
    if found["device"] in EVENT_COLUMNS:
        raise InvalidArgumentError(f"{found['device']!r} is also the name of a column of the events: rename it")
    if "beacons" in found:
        _check_beacons(frame, found["beacons"])
    return found


def beside(names: Mapping[str, str]) -> tuple[str, ...]:
    """The columns beside the positions of the fixes: those of error ellipses; those of error ellipses and heights, if
    the fixes have altitudes; or none."""
    if HEIGHTS[0] in names:
        return BESIDE
    return ERROR_ELLIPSE if ERROR_ELLIPSE[0] in names else ()


def _find(frame: Any, known: Names, given: Mapping[str, str], required: tuple[str, ...]) -> dict[str, str]:
    for what, name in given.items():
        if not isinstance(name, str):
            raise TypeError(f"{what} must be the name of a column, not {type(name).__name__}")
    names = frame.columns
    found = {what: names[index] for what, index in find(names, known, given, required).items()}
    for what, name in found.items():
        kind = frame.schema[name].dataType.typeName()
        if kind not in _KINDS[what]:
            raise InvalidArgumentError(f"{what}: column {name!r} is {kind}, expected {' or '.join(_KINDS[what])}")
    return found


def instant(frame: Any, name: str) -> Any:
    """Converts a column of times to timestamps. Integers are microseconds."""
    column = named(name)
    return column if frame.schema[name].dataType.typeName() == "timestamp" else functions().timestamp_micros(column)


def microseconds(frame: Any, name: str) -> Any:
    """Converts a column of times to microseconds since 1970."""
    column = named(name)
    return column if frame.schema[name].dataType.typeName() == "long" else functions().unix_micros(column)


def usable(frame: Any, names: Mapping[str, str]) -> Any:
    """A column that is true for each row that can be fed. A row is fed only if it has a device identifier of 1 to 256
    bytes of UTF-8 and a time; if it names a table, the digest must be valid."""
    f = functions()
    device = named(names["device"]).cast("string")
    size = f.octet_length(device)
    text = f.is_valid_utf8(device) & (f.instr(device, "\0") == 0)
    found = (size >= 1) & (size <= _MOST_BYTES) & text & named(names["time"]).isNotNull()
    if "refresh" in names:
        version = named(names["refresh"])
        digest = _digest(frame, names["refresh"])
        # `unhex` pads an odd number of digits, so the length of the text is checked too.
        digits = _DIGEST_BYTES if frame.schema[names["refresh"]].dataType.typeName() == "binary" else 2 * _DIGEST_BYTES
        found &= version.isNull() | (digest.isNotNull() & (f.octet_length(version) == digits))
    return f.coalesce(found, f.lit(False))


def rows(frame: Any, names: Mapping[str, str]) -> list[Any]:
    """Returns the columns of :data:`ROWS`. Missing coordinates become NaN, so the fix counts as invalid. Missing
    accuracies become 0."""
    f = functions()
    not_reported, nan = f.lit(0.0), f.lit(float("nan"))
    accuracy = (
        f.coalesce(named(names["accuracy"]).cast("double"), not_reported) if "accuracy" in names else not_reported
    )
    return [
        named(names["device"]).cast("string").alias("device"),
        *(f.coalesce(named(names[what]).cast("double"), nan).alias(what) for what in POSITION),
        accuracy.alias("accuracy"),
        microseconds(frame, names["time"]).alias("time"),
    ]


def beside_rows(names: Mapping[str, str]) -> list[Any]:
    """The columns of :func:`beside`. Missing values become NaN; three NaN mean that a fix has no ellipse. Missing
    vertical accuracies become 0, which means that the accuracy was not reported."""
    f = functions()
    found = []
    for what in beside(names):
        missing = f.lit(0.0 if what == "vertical_accuracy" else float("nan"))
        value = f.coalesce(named(names[what]).cast("double"), missing) if what in names else missing
        found.append(value.alias(what))
    return found


def extra_rows(frame: Any, names: Mapping[str, str]) -> list[Any]:
    """The columns of :data:`EXTRA_ROWS`."""
    f = functions()
    version, beacons = f.lit(None).cast("binary"), f.lit(None).cast("string")
    if "refresh" in names:
        version = _digest(frame, names["refresh"])
    if "beacons" in names:
        kinds = {field.name for field in frame.schema[names["beacons"]].dataType.elementType.fields}
        members = [name for name in _BEACON if name in kinds]
        seen = f.transform(named(names["beacons"]), lambda one: f.struct(*(one[name].alias(name) for name in members)))
        beacons = f.to_json(seen)
    return [version.alias("version"), beacons.alias("beacons")]


def _digest(frame: Any, name: str) -> Any:
    column = named(name)
    return column if frame.schema[name].dataType.typeName() == "binary" else functions().unhex(column)


def _check_beacons(frame: Any, name: str) -> None:
    """Checks that scan reports are arrays of structures, as in sightings files."""
    element = frame.schema[name].dataType.elementType
    kinds = {field.name: field.dataType.typeName() for field in getattr(element, "fields", ())}
    wanted = {"uuid": ("string",), "major": WHOLE, "minor": WHOLE}
    if not all(kinds.get(member) in kind for member, kind in wanted.items()) or kinds.get("rssi", "long") not in WHOLE:
        raise InvalidArgumentError(
            f"beacons: column {name!r} must hold arrays of structures with uuid (a string) and major, minor and rssi "
            f"(integers), not {frame.schema[name].dataType.simpleString()}"
        )


def labelled(events: Any, frame: Any, name: str) -> Any:
    """Returns the events; their device column has the same name and type as in `frame`."""
    first = named("device").cast(frame.schema[name].dataType).alias(name)
    return events.select(first, *(named(column) for column in EVENT_COLUMNS))
