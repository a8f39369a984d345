"""Reads polygons and corridors in the corpus's formats: coordinates, WKT, GeoJSON (Tests/Conformance/README.md)."""

from __future__ import annotations

import re
from typing import Any

from .corridor import Corridor
from .defects import Defect
from .polygon import Polygon

TOKEN = re.compile(r"\s*([A-Za-z]+|[(),]|[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)")
DEPTHS = {"LINESTRING": 1, "MULTILINESTRING": 2, "POLYGON": 2, "MULTIPOLYGON": 3}


def _numbers(value: Any) -> Any:
    """Strings stand for numbers that JSON cannot express."""
    if isinstance(value, list):
        return [_numbers(item) for item in value]
    return float(value) if isinstance(value, str) else value


def _from_wkt(text: str) -> tuple[str, Any]:
    tokens = TOKEN.findall(text)
    if "".join(tokens) != re.sub(r"\s+", "", text):
        raise ValueError(f"not WKT: {text}")
    kind = tokens.pop(0).upper()
    if tokens[0].upper() in ("Z", "M", "ZM"):
        tokens.pop(0)
    if kind not in DEPTHS:
        raise Defect("type")
    if tokens[0].upper() == "EMPTY":
        return kind, []

    def nested(depth: int) -> Any:
        items = []
        assert tokens.pop(0) == "("
        while True:
            if depth > 1 and tokens[0].upper() == "EMPTY":
                tokens.pop(0)
                items.append([])
            elif depth > 1:
                items.append(nested(depth - 1))
            else:
                point = []
                while tokens[0] not in (",", ")"):
                    point.append(float(tokens.pop(0)))
                items.append(point)
            if tokens.pop(0) == ")":
                return items

    return kind, nested(DEPTHS[kind])


def _from_geojson(value: Any) -> tuple[str, Any, dict[str, Any]]:
    properties = {}
    if value.get("type") == "Feature":
        properties = value.get("properties") or {}
        value = value["geometry"]
    kind = value["type"].upper()
    if kind not in DEPTHS:
        raise Defect("type")
    return kind, _numbers(value["coordinates"]), properties


def _depth(coordinates: Any) -> int:
    """Returns the nesting depth of lists of points."""
    depth = 0
    while isinstance(coordinates, list) and coordinates and isinstance(coordinates[0], list):
        depth, coordinates = depth + 1, coordinates[0]
    return depth


def _read(spec: dict[str, Any], kinds: tuple[str, str]) -> tuple[Any, dict[str, Any]]:
    """Returns the coordinates and the options. The coordinates are nested like those of a geometry with several parts,
    even if there is only one part."""
    options = {key: spec[key] for key in ("edges", "oriented", "buffer", "radius") if key in spec}
    single, multiple = kinds
    if "wkt" in spec:
        kind, coordinates = _from_wkt(spec["wkt"])
    elif "geojson" in spec:
        kind, coordinates, properties = _from_geojson(spec["geojson"])
        options = {"edges": "planar"} | options
        options |= {key: properties[key] for key in ("edges", "oriented", "buffer", "radius") if key in properties}
    else:
        coordinates = _numbers(spec["coordinates"])
        kind = single if _depth(coordinates) <= DEPTHS[single] else multiple
    if kind not in kinds:
        raise Defect("type")
    for key in ("buffer", "radius"):
        if isinstance(options.get(key), str):
            options[key] = float(options[key])
    return ([coordinates] if kind == single and coordinates else coordinates), options


def polygon_from(spec: dict[str, Any]) -> Polygon:
    coordinates, options = _read(spec, ("POLYGON", "MULTIPOLYGON"))
    return Polygon(coordinates, **options)


def corridor_from(spec: dict[str, Any]) -> Corridor:
    coordinates, options = _read(spec, ("LINESTRING", "MULTILINESTRING"))
    return Corridor(coordinates, options.pop("radius", None), **options)


def line_from(spec: dict[str, Any]) -> tuple[Any, str]:
    """Returns the coordinates of lines without a width, and the kind of their edges."""
    coordinates, options = _read(spec, ("LINESTRING", "MULTILINESTRING"))
    return coordinates, options.get("edges", "geodesic")
