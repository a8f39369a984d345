"""Reads GPX 1.0 and 1.1 with gpxpy. If a well-formed file has small defects, they are corrected and the file is read
again."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite, nan
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from .._errors import InputError, require
from .._tables.text_times import PLAIN_TIMES, TimeStyle, advice_of
from .._tables.times import to_us
from .tracks import NO_ELLIPSE, NO_POSITION, Point, known_beside
from .xml_text import local_name, xml_root, xml_text

_POINT_TAGS = ("trkpt", "rtept", "wpt")
_FIXES = ("none", "2d", "3d", "dgps", "pps", "3")


def read(
    data: bytes, path: str | Path, hdop_scale: float | None, times: TimeStyle = PLAIN_TIMES
) -> Iterator[tuple[str, Point]]:
    """The track points in file order. If there are no tracks, returns the points of the routes; if there are no routes
    either, returns the waypoints. A point with an elevation and a ``geoidheight`` has an altitude."""
    text = xml_text(data, path)
    try:
        points = _points(_parse(text))
    except Exception:  # gpxpy raises many kinds of errors
        # This error is not shown. The corrected text is parsed next; only an error in the corrected text is shown.
        points = None
    if not points or any(point.time is None for point in points):
        points = _points(_parse(_tidy(text, path), path))
    for number, point in enumerate(points, 1):
        time = point.time
        if time is not None:
            try:
                time = to_us(times.placed(time))
            except ValueError as error:
                raise InputError(path, f"point {number}", f"time: {error}", advice=advice_of(error)) from None
        accuracy = 0.0
        if point.type_of_gpx_fix == "none":
            accuracy = NO_POSITION
        elif hdop_scale is not None and point.horizontal_dilution is not None:
            accuracy = point.horizontal_dilution * hdop_scale
        yield f"point {number}", (point.latitude, point.longitude, accuracy, time, *_heights(point))


def _heights(point: Any) -> tuple[float, ...]:
    """The heights of a point. GPX has elevations above mean sea level, so the altitude above the ellipsoid is known
    only if the point also has the height of the geoid."""
    sea, geoid = point.elevation, point.geoid_height
    if sea is None or geoid is None or point.type_of_gpx_fix == "2d":
        return ()
    sea, geoid = float(sea), float(geoid)
    return known_beside(*NO_ELLIPSE, sea + geoid, 0.0, geoid, nan) if isfinite(sea) and isfinite(geoid) else ()


def way_point_features(data: bytes, path: str | Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the waypoints as GeoJSON features that describe circles. The name of a waypoint becomes the identifier. If
    a waypoint has Garmin's ``Proximity`` (in metres), it becomes the radius."""
    gpx = _parse(_tidy(xml_text(data, path), path), path)
    for number, point in enumerate(gpx.waypoints, 1):
        properties: dict[str, Any] = {"identifier": point.name}
        if not point.name:
            raise InputError(
                path, f"way point {number}", "has no name, which is needed as the identifier of its circle"
            )
        for extension in point.extensions:
            for element in extension.iter():
                if local_name(element) == "Proximity" and _is_number(element.text or ""):
                    properties["radius"] = float(element.text or "")
        geometry = {"type": "Point", "coordinates": [point.longitude, point.latitude]}
        yield f"way point {number}", {"type": "Feature", "geometry": geometry, "properties": properties}


def _parse(text: str, path: str | Path | None = None) -> Any:
    gpxpy = require("gpxpy", "files")
    try:
        return gpxpy.parse(text)
    except Exception as error:
        if path is None:
            raise
        raise InputError(path, "", f"cannot be read as GPX: {error}") from None


def _points(gpx: Any) -> list[Any]:
    points = [point for track in gpx.tracks for segment in track.segments for point in segment.points]
    points = points or [point for route in gpx.routes for point in route.points]
    return points or list(gpx.waypoints)


def _tidy(text: str, path: str | Path) -> str:
    """Corrects small defects: strips white space around values, and drops invalid values such as an invalid ``<fix>``.
    Error messages name the place in the file."""
    root = xml_root(text, path)
    if local_name(root) != "gpx":
        raise InputError(path, "line 1", f"not GPX: the root element is <{local_name(root)}>")
    numbers = dict.fromkeys(_POINT_TAGS, 0)
    for element in root.iter():
        if element.text is not None and len(element) == 0:
            element.text = element.text.strip()
        tag = local_name(element)
        if tag in numbers:
            numbers[tag] += 1
            _check_point(element, f"point {numbers[tag]}", path)
    # gpxpy recognises the standard's elements only by names without a namespace.
    namespace = root.tag.partition("}")[0] + "}" if root.tag.startswith("{") else ""
    for element in root.iter():
        if namespace and element.tag.startswith(namespace):
            element.tag = element.tag[len(namespace) :]
    try:
        return ElementTree.tostring(root, encoding="unicode")
    except RecursionError:
        raise InputError(path, "", "cannot be read as GPX: its elements are nested too deeply") from None


def _check_point(point: ElementTree.Element, place: str, path: str | Path) -> None:
    for attribute in ("lat", "lon"):
        value = point.get(attribute)
        try:
            float(value if value is not None else "missing")
        except ValueError:
            reason = f"{attribute} is missing" if value is None else f"{attribute} {value!r} is not a number"
            raise InputError(path, place, reason) from None
    for child in list(point):
        name, value = local_name(child), child.text or ""
        if name == "fix" and value.strip() not in _FIXES:
            point.remove(child)
        elif name in ("ele", "hdop", "vdop", "pdop", "speed", "course", "magvar", "geoidheight", "ageofdgpsdata"):
            if not _is_number(value):
                point.remove(child)
        elif name in ("sat", "dgpsid") and not value.strip().isdigit():
            point.remove(child)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
