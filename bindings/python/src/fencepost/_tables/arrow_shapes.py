"""Polygons and lines of Arrow columns in GeoArrow's native layouts. Coordinates and offsets are read in place."""

from __future__ import annotations

import struct
import sys
from array import array
from bisect import bisect_right
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from .arrow_values import Column

if TYPE_CHECKING:
    from typing_extensions import Buffer

_LISTS = {
    "geoarrow.linestring": ("the geometry",),
    "geoarrow.multilinestring": ("the geometry", "a line"),
    "geoarrow.polygon": ("the geometry", "a ring"),
    "geoarrow.multipolygon": ("the geometry", "a part", "a ring"),
}
"""The meanings of the nested lists of each layout, from the outermost list to the innermost."""
LEVELS = {kind: len(lists) for kind, lists in _LISTS.items()}
"""The number of nested lists in each layout."""


def is_nested(child: Any, levels: int) -> bool:
    """True if a column consists of lists of coordinates, nested `levels` deep; the coordinates may be separate or
    interleaved."""
    for _ in range(levels):
        if child.format not in ("+l", "+L"):
            return False
        child = next(iter(child.children))
    fields = list(child.children)
    if child.format == "+s":
        return [field.name for field in fields[:2]] == ["x", "y"] and {field.format for field in fields[:2]} == {"g"}
    return child.format.startswith("+w:") and int(child.format[3:]) >= 2 and fields[0].format == "g"


class MissingPlaceError(ValueError):
    """A row, or a part of its geometry, is null. `row` is the row's index in the column."""

    def __init__(self, row: int, reason: str) -> None:
        super().__init__(reason)
        self.row = row


class ShapeColumns(NamedTuple):
    """The columns that the library reads in place: longitudes, latitudes, and the offsets of the rings, parts and
    conditions."""

    longitudes: Buffer
    latitudes: Buffer
    rings: Buffer
    parts: Buffer | None
    conditions: Buffer | None


class NestedShapes:
    """The shapes of a column in one of GeoArrow's native layouts. Nothing is copied except 64-bit offsets.

    Args:
        column: The column.
        kind: The name of the column's Arrow extension; must be a key of LEVELS.

    Raises:
        MissingPlaceError: A value in the column is null.
        OverflowError: The number of vertices does not fit into 32 bits.
    """

    def __init__(self, column: Column, kind: str) -> None:
        self.is_area, self._several = kind.endswith("polygon"), ".multi" in kind
        self.length = column.length
        self._levels: list[memoryview[Any]] = []
        for what in _LISTS[kind]:
            self._refuse(column.null_rows(), what)
            self._levels.append(_offsets(column))
            column = column.items()
        (self._longitudes, self._latitudes), missing = column.coordinates()
        self._refuse(missing, "a vertex")

    def columns(self, begin: int, end: int) -> ShapeColumns:
        """The columns for the rows from `begin` to `end`, without copying."""
        first, *inner = self._levels
        rows = first[begin : end + 1]
        places = self._longitudes, self._latitudes
        if not self.is_area:
            return ShapeColumns(*places, *((inner[0], None, rows) if self._several else (rows, None, None)))
        return ShapeColumns(*places, *((inner[1], inner[0], rows) if self._several else (inner[0], rows, None)))

    def wkb(self, row: int) -> bytes:
        """A row as well-known binary."""
        if not self._several:
            return self._one(0, row)
        parts = [self._one(1, part) for part in range(self._levels[0][row], self._levels[0][row + 1])]
        return struct.pack("<BII", 1, 6 if self.is_area else 5, len(parts)) + b"".join(parts)

    def _one(self, level: int, item: int) -> bytes:
        """Returns a polygon with its rings, or a line, as well-known binary."""
        begin, end = self._levels[level][item], self._levels[level][item + 1]
        if not self.is_area:
            return struct.pack("<BI", 1, 2) + self._ring(begin, end)
        inner = self._levels[level + 1]
        rings = [self._ring(inner[at], inner[at + 1]) for at in range(begin, end)]
        return struct.pack("<BII", 1, 3, len(rings)) + b"".join(rings)

    def _ring(self, begin: int, end: int) -> bytes:
        places = array("d", bytes(16 * (end - begin)))
        places[0::2], places[1::2] = array("d", self._longitudes[begin:end]), array("d", self._latitudes[begin:end])
        if sys.byteorder == "big":
            places.byteswap()
        return struct.pack("<I", end - begin) + places.tobytes()

    def _refuse(self, missing: Iterable[int], what: str) -> None:
        """Raises an error if an item of a visible row is null. A sliced column also contains items of rows outside the
        slice, and these items may be null."""
        for item in sorted(missing):
            place = item
            for offsets in reversed(self._levels):
                place = bisect_right(offsets, place) - 1
                if not 0 <= place < len(offsets) - 1:
                    break
            else:
                raise MissingPlaceError(place, f"{what} is null")


def _offsets(column: Column) -> memoryview[Any]:
    """Returns the offsets at which the lists begin, and the offset at which the last list ends, as 32-bit integers."""
    found = column.offsets()
    if not len(found):
        return memoryview(array("i", [0]))
    return found if found.itemsize == 4 else memoryview(array("i", found))
