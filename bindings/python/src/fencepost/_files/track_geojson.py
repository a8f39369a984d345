"""GeoJSON LineString and MultiLineString with times beside the coordinates."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .._errors import InputError
from .._tables.text_times import number_time, parse_time
from .text import decode, parse_json
from .tracks import Point

_TIME_KEYS = ("coordTimes", "times", "timestamps")


def read(data: bytes, path: str | Path) -> Iterator[tuple[str, Point]]:
    """The positions of all lines in file order.

    Times are an array of the feature's properties, ``coordTimes`` or ``times`` (also under
    ``coordinateProperties``), as long as the coordinates; for a MultiLineString an array of such arrays.
    """
    document = parse_json(decode(data, path), path)
    number = 0
    for place, feature in _features(document, path):
        for coordinates, times in _lines(feature, place, path):
            for index, position in enumerate(coordinates):
                number += 1
                where = f"point {number}"
                latitude, longitude = _position(position, where, path)
                time = None if times is None else _time(times[index], where, path)
                yield where, (latitude, longitude, 0.0, time)


def _features(document: Any, path: str | Path) -> Iterator[tuple[str, dict[str, Any]]]:
    kind = document.get("type") if isinstance(document, dict) else None
    if kind == "FeatureCollection" and isinstance(document.get("features"), list):
        for index, feature in enumerate(document["features"]):
            if not isinstance(feature, dict) or feature.get("type") != "Feature":
                raise InputError(path, f"features[{index}]", "is not a Feature")
            yield f"features[{index}]", feature
    elif kind == "Feature":
        yield "feature", document
    elif kind in ("LineString", "MultiLineString"):
        yield "geometry", {"geometry": document, "properties": {}}
    else:
        raise InputError(path, "type", "is not GeoJSON with a LineString (FeatureCollection, Feature or geometry)")


def _lines(feature: dict[str, Any], place: str, path: str | Path) -> Iterator[tuple[list[Any], list[Any] | None]]:
    geometry = feature.get("geometry")
    if not isinstance(geometry, dict) or geometry.get("type") not in ("LineString", "MultiLineString"):
        found = geometry.get("type") if isinstance(geometry, dict) else None
        raise InputError(path, place, f"is a {found}, not a LineString or MultiLineString")
    coordinates, times = geometry.get("coordinates"), _times(feature)
    many = geometry["type"] == "MultiLineString"
    lines = coordinates if many else [coordinates]
    line_times = times if many else [times]
    if not isinstance(lines, list) or (times is not None and len(line_times) != len(lines)):
        raise InputError(path, place, "has not one array of times for each line")
    for index, line in enumerate(lines):
        own = None if times is None else line_times[index]
        if not isinstance(line, list):
            raise InputError(path, place, "has coordinates that are not an array")
        if own is not None and (not isinstance(own, list) or len(own) != len(line)):
            length = len(own) if isinstance(own, list) else "no array of"
            raise InputError(path, place, f"has {len(line)} positions but {length} times")
        yield line, own


def _times(feature: dict[str, Any]) -> Any:
    properties = feature.get("properties") or {}
    nested = properties.get("coordinateProperties")
    for source in (properties, nested if isinstance(nested, dict) else {}):
        for key in _TIME_KEYS:
            if source.get(key) is not None:
                return source[key]
    return None


def _position(value: Any, place: str, path: str | Path) -> tuple[float, float]:
    numbers = value[:2] if isinstance(value, list) else []
    if len(numbers) < 2 or any(isinstance(item, bool) or not isinstance(item, int | float) for item in numbers):
        raise InputError(path, place, f"is not [longitude, latitude]: {value!r}")
    try:
        return float(numbers[1]), float(numbers[0])
    except OverflowError as error:
        raise InputError(path, place, str(error)) from None


def _time(value: Any, place: str, path: str | Path) -> int | None:
    try:
        if value is None:
            return None
        if isinstance(value, str):
            return parse_time(value)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(f"{value!r} is not a time")
        return number_time(value)
    except ValueError as error:
        raise InputError(path, place, f"time: {error}") from None
