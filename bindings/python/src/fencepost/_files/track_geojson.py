"""Reads tracks from GeoJSON: lines with an array of times, points with one time each, and moving features."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from .._errors import InputError, warn
from .._native import InvalidArgumentError
from .._tables.arrow_reader import ACCURACY
from .._tables.names import (
    BESIDE,
    HEIGHTS,
    POSITION,
    TRACK,
    acceleration_text,
    find,
    is_acceleration,
    key,
    time_unit,
    warn_of_units,
)
from .._tables.numbers import shown
from .._tables.text_times import PLAIN_TIMES, TimeStyle, advice_of, number_time, parse_time
from .moving_json import is_moving, moving_lines
from .text import decode, parse_json
from .tracks import NO_POSITION, NOTHING, Point, known_beside

_TIME_KEYS = ("coordTimes", "times", "timestamps", "datetimes")
_LINES = ("LineString", "MultiLineString")
_BESIDE = tuple(what for what in BESIDE if what != HEIGHTS[0])
"""The contents of properties; the altitude is in the geometry."""
_REFERENCE = re.compile("(?:gx)?(?:altitude|alt|height|elevation|vertical)(?:mode|reference|ref|datum)")
"""The names of properties that state what the heights of a feature are above, as :func:`key` returns them."""
_ELLIPSOID = re.compile("(?:above)?(?:the)?(?:wgs84)?(?:ellipsoid|ellipsoidal|hae)|wgs84|epsg4979")
"""The values of these properties that agree with RFC 7946. ``absolute`` is a height above the sea in KML."""
_CONVERT = "convert them to metres above the ellipsoid and remove the property"


def read(
    data: bytes,
    path: str | Path,
    columns: Mapping[str, str] | None = None,
    by: str | None = None,
    keys: list[Any] | None = None,
    style: TimeStyle = PLAIN_TIMES,
    columns_found: list[str] | None = None,
) -> Iterator[tuple[str, Point]]:
    """The positions of all lines, points and moving points in file order.

    The times of a line are an array in the feature's properties, named ``coordTimes``, ``times`` or ``datetimes`` (also
    under ``coordinateProperties``), with one time per coordinate. For a MultiLineString, the property is an array with
    one array of times for each line. The third number of a position is its height above the ellipsoid (RFC 7946). If a
    property of the feature states another reference (``altitudeMode``), the height is not read. The time, the accuracy,
    the error ellipse and the other heights of a point are properties with the usual names of columns, or with the names
    in `columns`. If a file contains lines, points without a time are ignored, as way points are ignored in a file with
    tracks.

    Args:
        data: The file's bytes.
        path: For messages.
        columns: Names of the points' properties for time, accuracy and error ellipse.
        by: The property that identifies the track. Before each position is yielded, the value of this property is
            appended to `keys`.
        keys: See `by`.
        style: How times without a zone are read.
        columns_found: Receives the names of the properties.

    Raises:
        InputError: The file is not GeoJSON, or its contents cannot be used as a track.
    """
    document = parse_json(decode(data, path), path)
    features = list(_features(document, path))
    if not features:
        raise InputError(path, "", "holds no features")
    names = _Names.of([feature for _, feature in features], path, columns or {})
    if columns_found is not None:
        columns_found.extend(dict.fromkeys(name for _, feature in features for name in _properties(feature)))
    lines = any(_kind(feature) in _LINES or is_moving(feature) for _, feature in features)
    number, has_warned = 0, False
    for place, feature in features:
        reference = _other_reference(feature)
        for position, accuracy, time, *ellipse in _positions(feature, place, path, names):
            number += 1
            where = f"point {number}"
            latitude, longitude = (math.nan, math.nan) if position is None else _position(position, where, path)
            height = _height(position)
            if height is not None and reference:
                height = None
                if not has_warned:
                    reason = f"{reference}, so the heights of its positions are not read; {_CONVERT}"
                    warn(path, place, reason)
                has_warned = True
            beside = known_beside(*_with_height(ellipse, height))
            time_us = None if time is None else _time(time, names.unit, where, path, style)
            if time_us is None and lines and _kind(feature) == "Point":
                continue
            if keys is not None:
                keys.append(_key_of(feature, by or "", place, path))
            yield where, (latitude, longitude, NO_POSITION if position is None else accuracy, time_us, *beside)


class _Names(NamedTuple):
    """The names of the points' properties for time, accuracy, error ellipse and heights, and the unit of times that are
    numbers."""

    time: str | None
    accuracy: str | None
    unit: str | None
    beside: Mapping[str, str] = MappingProxyType({})

    @classmethod
    def of(cls, features: list[dict[str, Any]], path: str | Path, columns: Mapping[str, str]) -> _Names:
        names = list(dict.fromkeys(name for feature in features for name in _properties(feature)))
        if set(columns) & {*POSITION, HEIGHTS[0]}:
            raise InputError(
                path, "", "columns: GeoJSON has the positions in its geometries, so no column can be chosen"
            )
        try:
            found = find(names, {what: TRACK[what] for what in ("time", "accuracy", *_BESIDE)}, columns, ())
        except InvalidArgumentError as error:
            raise InputError(path, "", str(error).replace("column", "property")) from None
        warn_of_units(path, columns)
        time, accuracy = (names[found[what]] if what in found else None for what in ("time", "accuracy"))
        if accuracy is not None:
            least = min((_below_0(_properties(feature).get(accuracy)) for feature in features), default=0.0)
            if is_acceleration(accuracy, columns, least):
                warn(path, "", acceleration_text(accuracy), ACCURACY)
                accuracy = None
        beside = {what: names[found[what]] for what in _BESIDE if what in found}
        return cls(time, accuracy, None if time is None else time_unit(time), beside)


def _below_0(value: Any) -> float:
    return float(max(value, -1)) if isinstance(value, int | float) and value < 0 else 0.0


def _features(document: Any, path: str | Path) -> Iterator[tuple[str, dict[str, Any]]]:
    kind = document.get("type") if isinstance(document, dict) else None
    if kind == "FeatureCollection" and isinstance(document.get("features"), list):
        for index, feature in enumerate(document["features"]):
            if not isinstance(feature, dict) or feature.get("type") != "Feature":
                raise InputError(path, f"features[{index}]", "is not a Feature")
            yield f"features[{index}]", feature
    elif kind == "Feature":
        yield "feature", document
    elif kind in _LINES:
        yield "geometry", {"geometry": document, "properties": {}}
    elif is_moving(document):
        yield "geometry", {"temporalGeometry": document, "properties": {}}
    else:
        expected = "a FeatureCollection, a Feature, a LineString or a MovingPoint"
        raise InputError(path, "type", f"must be GeoJSON of a track: {expected}")


def _properties(feature: dict[str, Any]) -> dict[str, Any]:
    properties = feature.get("properties")
    return properties if isinstance(properties, dict) else {}


def _kind(feature: dict[str, Any]) -> Any:
    geometry = feature.get("geometry")
    return geometry.get("type") if isinstance(geometry, dict) else None


def _key_of(feature: dict[str, Any], by: str, place: str, path: str | Path) -> Any:
    value = _properties(feature).get(by)
    if value is None and key(by) == "id":
        value = feature.get("id")
    if value is None:
        raise InputError(path, place, f"has no value in the property {by!r}")
    if not isinstance(value, str | int | float):
        raise InputError(path, place, f"{value!r} (property {by!r}) cannot identify a track")
    return value


def _positions(
    feature: dict[str, Any], place: str, path: str | Path, names: _Names
) -> Iterator[tuple[Any, float, Any, *tuple[float, ...]]]:
    """The coordinates, accuracy, time and error ellipse and heights of each position of a feature, before conversion. A
    feature without a position has None as its coordinates."""
    kind = _kind(feature)
    if is_moving(feature):
        try:
            for coordinates, times in moving_lines(feature):
                for position, time in zip(coordinates, times):
                    yield position or "null", 0.0, time
        except ValueError as error:
            raise InputError(path, place, str(error)) from None
    elif kind in _LINES:
        for coordinates, line_times in _lines(feature, place, path):
            for index, position in enumerate(coordinates):
                yield position or "null", 0.0, None if line_times is None else line_times[index]
    elif kind == "Point" or (feature.get("geometry") is None and names.time is not None):
        properties = _properties(feature)
        time = None if names.time is None else properties.get(names.time)
        if kind != "Point":
            yield None, NO_POSITION, time
            return
        accuracy = _number(properties, names.accuracy, "accuracy", place, path)
        beside: list[float] = []
        if names.beside:
            for what, missing in zip(BESIDE, NOTHING):
                value = _number(properties, names.beside.get(what), what, place, path)
                beside.append(missing if value is None else value)
        yield feature["geometry"].get("coordinates", "missing"), accuracy or 0.0, time, *beside
    else:
        raise InputError(path, place, f"is a {kind}, not a Point, a LineString or a MultiLineString")


def _number(properties: dict[str, Any], name: str | None, what: str, place: str, path: str | Path) -> float | None:
    value = None if name is None else properties.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(path, place, f"{what} {value!r} (property {name!r}) is not a number")
    try:
        return float(value)
    except OverflowError as error:
        raise InputError(path, place, f"{what} (property {name!r}): {error}") from None


def _lines(feature: dict[str, Any], place: str, path: str | Path) -> Iterator[tuple[list[Any], list[Any] | None]]:
    geometry = feature["geometry"]
    coordinates, times = geometry.get("coordinates"), _times(feature)
    many = geometry["type"] == "MultiLineString"
    lines = coordinates if many else [coordinates]
    line_times = times if many else [times]
    if not isinstance(lines, list) or (
        times is not None and (not isinstance(line_times, list) or len(line_times) != len(lines))
    ):
        raise InputError(path, place, "needs one array of times for each line")
    for index, line in enumerate(lines):
        own = None if times is None else line_times[index]
        if not isinstance(line, list):
            raise InputError(path, place, "has coordinates that are not an array")
        if own is not None and (not isinstance(own, list) or len(own) != len(line)):
            found = f"{len(own)} times" if isinstance(own, list) else "no array of times"
            raise InputError(path, place, f"has {len(line)} positions but {found}")
        yield line, own


def _times(feature: dict[str, Any]) -> Any:
    properties = _properties(feature)
    nested = properties.get("coordinateProperties")
    for source in (properties, nested if isinstance(nested, dict) else {}):
        for name in _TIME_KEYS:
            if source.get(name) is not None:
                return source[name]
    return None


def _position(value: Any, place: str, path: str | Path) -> tuple[float, float]:
    numbers = value[:2] if isinstance(value, list) else []
    if len(numbers) < 2 or any(isinstance(item, bool) or not isinstance(item, int | float) for item in numbers):
        raise InputError(path, place, f"must be [longitude, latitude], not {value!r}")
    try:
        return float(numbers[1]), float(numbers[0])
    except OverflowError as error:
        raise InputError(path, place, str(error)) from None


def _height(position: Any) -> float | None:
    """The third number of a position."""
    height = position[2] if isinstance(position, list) and len(position) > 2 else None
    if isinstance(height, bool) or not isinstance(height, int | float):
        return None
    try:
        return float(height) if math.isfinite(height) else None
    except OverflowError:
        return None


def _with_height(beside: Sequence[float], height: float | None) -> Sequence[float]:
    """Adds the height of a position above the ellipsoid."""
    if height is None:
        return beside
    values = beside or NOTHING
    return (*values[:3], height, *values[4:])


def _other_reference(feature: dict[str, Any]) -> str:
    """The property that states that the heights of a feature are not above the ellipsoid, as text for messages, or an
    empty text."""
    for name, value in _properties(feature).items():
        if _REFERENCE.fullmatch(key(name)) and value not in (None, ""):
            stated = key(value) if isinstance(value, str) else ""
            if not _ELLIPSOID.fullmatch(stated):
                return f"the property {name!r} is {shown(value)}"
    return ""


def _time(value: Any, unit: str | None, place: str, path: str | Path, style: TimeStyle) -> int:
    try:
        if isinstance(value, str):
            return parse_time(value, unit, style)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(f"{value!r} is not a time")
        return number_time(value, unit)
    except ValueError as error:
        raise InputError(path, place, f"time: {error}", advice=advice_of(error)) from None
