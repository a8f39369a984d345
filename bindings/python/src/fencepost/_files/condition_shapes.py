"""Converts polygons and lines from files and tables to conditions; a line becomes a corridor or a gate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._native import InvalidArgumentError
from .._tables.geometries import AREAS, LINES, of_geojson, of_wkb
from .._tables.numbers import shown
from .._values.arguments import is_gate
from .._values.lines import Gate
from .._values.shapes import Corridor, Polygon

SHAPES = (*AREAS, *LINES)
"""The geometry types that become polygons, corridors and gates."""


def shape_condition(
    geometry: Mapping[str, Any], properties: Mapping[str, Any], radius: float | None, edges: str
) -> Polygon | Corridor | Gate:
    """Converts a feature to a condition.

    Args:
        geometry: Polygon, MultiPolygon, LineString or MultiLineString; or any of these as well-known binary in ``wkb``.
        properties: The feature's ``oriented``, ``buffer``, ``radius`` and ``gate``.
        radius: The radius, in metres, for lines that do not state one; gates do not need a radius.
        edges: The kind of line that joins two vertices.

    Raises:
        InvalidArgumentError: A value cannot be used.
    """
    if "uuid" in properties:
        raise InvalidArgumentError("has a geometry and a uuid; for a beacon condition, set geometry to null")
    wkb = geometry.get("wkb")
    vertices: Any = of_geojson(geometry) if wkb is None else of_wkb(wkb)
    gate = is_gate(properties.get("gate"))
    if not vertices.is_area:
        if gate and properties.get("radius") is not None:
            raise InvalidArgumentError(
                "gate: a gate has no radius; remove the radius, or remove gate to make a corridor"
            )
        if gate:
            return Gate(vertices, edges=edges)
        metres = radius if properties.get("radius") is None else properties["radius"]
        if isinstance(metres, bool) or not isinstance(metres, int | float):
            needed = f"a line needs a radius in metres, not {shown(metres)}"
            raise InvalidArgumentError(f"radius: {needed}; or set gate: true for a gate, which has no width")
        return Corridor(vertices, metres, edges=edges)
    if gate:
        raise InvalidArgumentError("gate: only a line can be a gate, not a polygon")
    oriented, buffer = properties.get("oriented"), properties.get("buffer")
    if oriented is not None and not isinstance(oriented, bool):
        raise InvalidArgumentError(f"oriented: must be true or false, not {shown(oriented)}")
    if buffer is not None and (isinstance(buffer, bool) or not isinstance(buffer, int | float)):
        raise InvalidArgumentError(f"buffer: must be a number of metres, not {shown(buffer)}")
    return Polygon(vertices, edges=edges, oriented=bool(oriented), buffer=buffer or 0.0)
