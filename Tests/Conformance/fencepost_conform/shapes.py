"""Reads the polygons, corridors and gates of the conformance scenarios."""

from __future__ import annotations

import re
from typing import Any

from fencepost._values.lines import Gate
from fencepost._values.shapes import Corridor, Polygon

Shape = Polygon | Corridor | Gate
KINDS: dict[str, type[Shape]] = {
    "polygon": Polygon,
    "corridor": Corridor,
    "line": Gate,
}
DISTANCE_TOLERANCE = 2e-8
"""Tolerance of distances to shapes, in metres."""
PLACE_TOLERANCE = 1e-9
"""Tolerance of positions on the shapes' lines, in degrees."""


def shape_of(step: dict[str, Any]) -> Shape | None:
    """Returns the shape that a step adds, or None if the step adds something else."""
    for name, kind in KINDS.items():
        if name in step:
            return _shape(kind, dict(step[name]))
    return None


def _shape(kind: type[Shape], given: dict[str, Any]) -> Shape:
    geojson = given.pop("geojson", None)
    if geojson is not None:
        given.setdefault("edges", "planar")
        if geojson.get("type") == "Feature":
            given |= {name: geojson["properties"][name] for name in OPTIONS if name in (geojson["properties"] or {})}
    for name in ("buffer", "radius"):
        if isinstance(given.get(name), str):
            given[name] = float(given[name])
    wkt, coordinates = given.pop("wkt", None), given.pop("coordinates", None)
    if wkt is None and geojson is None:
        coordinates = _numbers(coordinates)
        depth = _depth(coordinates)
        is_area = kind is Polygon
        types = {3: "Polygon", 4: "MultiPolygon"} if is_area else {2: "LineString", 3: "MultiLineString"}
        geojson = {"type": types.get(depth, max(types.items())[1]), "coordinates": coordinates}
    given.setdefault("edges", "geodesic")
    source: Any = wkt if wkt is not None else geojson
    if kind is Corridor:
        return Corridor(source, given.pop("radius"), **given)
    if kind is Gate:
        return Gate(source, **given)
    return Polygon(source, **given)


OPTIONS = ("edges", "oriented", "buffer", "radius")


def _numbers(value: Any) -> Any:
    if isinstance(value, list):
        return [_numbers(each) for each in value]
    return float(value) if isinstance(value, str) else value


def _depth(value: Any) -> int:
    return 1 + max(map(_depth, value), default=0) if isinstance(value, list) else 0


def shape_members(condition: Shape) -> dict[str, Any]:
    """Returns the members with which a record describes a shape."""
    if not isinstance(condition, Polygon):
        lines = [[list(reversed(place)) for place in line] for line in condition.lines]
        if isinstance(condition, Gate):
            return {"line": {"coordinates": lines, "edges": condition.edges}}
        return {"corridor": {"coordinates": lines, "radius": condition.radius, "edges": condition.edges}}
    parts = [[[list(reversed(place)) for place in ring] for ring in part] for part in condition.parts]
    options = {"edges": condition.edges, "oriented": condition.oriented, "buffer": condition.buffer}
    return {"polygon": {"coordinates": parts, **options}}


def names(message: str, reason: str, at: dict[str, Any]) -> bool:
    """Returns True if a message contains the reason, and each part, ring, edge or vertex that it names has the right
    number. The message must name the `identifiers` of a cycle in order."""
    if not re.search(rf"\b{reason}\b", message):
        return False
    at = dict(at)
    if not re.search(".*".join(map(re.escape, at.pop("identifiers", ()))), message, re.DOTALL):
        return False
    return all(f"{what} {number}" in message for what, number in at.items() if re.search(rf"\b{what} \d", message))
