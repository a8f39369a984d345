"""Polygons and lines of Arrow columns (GeoArrow's native layouts) as well-known binary."""

from __future__ import annotations

import struct
import sys
from array import array
from typing import Any

from .arrow_values import Column

LEVELS = {"geoarrow.linestring": 1, "geoarrow.multilinestring": 2, "geoarrow.polygon": 2, "geoarrow.multipolygon": 3}
"""How many lists lie within each other."""


def is_nested(child: Any, levels: int) -> bool:
    """Whether a column is stored as so many lists of coordinates, separate or interleaved."""
    for _ in range(levels):
        if child.format not in ("+l", "+L"):
            return False
        child = next(iter(child.children))
    fields = list(child.children)
    if child.format == "+s":
        return [field.name for field in fields[:2]] == ["x", "y"] and {field.format for field in fields[:2]} == {"g"}
    return child.format.startswith("+w:") and int(child.format[3:]) >= 2 and fields[0].format == "g"


def nested_wkb(column: Column, kind: str) -> list[bytes | None]:
    """Each row of such a column; None where there is none."""
    levels = []
    missing, inner = set(column.null_rows()), column
    for _ in range(LEVELS[kind]):
        levels.append(inner.offsets())
        inner = inner.items()
    xs, ys = inner.coordinates()[0][:2]
    is_area = kind.endswith("polygon")

    def ring(begin: int, end: int) -> bytes:
        places = array("d", bytes(16 * (end - begin)))
        places[0::2], places[1::2] = array("d", xs[begin:end]), array("d", ys[begin:end])
        if sys.byteorder == "big":
            places.byteswap()
        return struct.pack("<I", end - begin) + places.tobytes()

    def one(level: int, row: int) -> bytes:
        """A polygon of rings, or a line."""
        begin, end = levels[level][row], levels[level][row + 1]
        if not is_area:
            return struct.pack("<BI", 1, 2) + ring(begin, end)
        rings = [ring(levels[level + 1][at], levels[level + 1][at + 1]) for at in range(begin, end)]
        return struct.pack("<BII", 1, 3, len(rings)) + b"".join(rings)

    def several(row: int) -> bytes:
        parts = [one(1, part) for part in range(levels[0][row], levels[0][row + 1])]
        return struct.pack("<BII", 1, 6 if is_area else 5, len(parts)) + b"".join(parts)

    is_several = ".multi" in kind
    rows = range(column.length)
    return [None if row in missing else several(row) if is_several else one(0, row) for row in rows]
