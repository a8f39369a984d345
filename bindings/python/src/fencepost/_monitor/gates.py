"""Converts gates to the form that the library reads. Gates are not passed as well-known binary, because the library
reads a line in WKB as a corridor."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Any

from .._tables.geometries import of_wkb


def gate_columns(geometry: Any) -> tuple[Any, ...]:
    """Returns a gate's coordinates, the start of each of its lines, and its kind of edges."""
    wkb, _, edges, *_ = geometry
    found = of_wkb(wkb)
    return found.coordinates, found.rings, edges


def shape_columns(shapes: Iterable[bytes]) -> tuple[Any, ...]:
    """Returns the longitudes, the latitudes, the index at which each line starts, None (gates have no parts), and the
    index of each condition's first line.
    """
    coordinates, lines, conditions = array("d"), array("i", [0]), array("i", [0])
    for wkb in shapes:
        found = of_wkb(wkb)
        before = len(coordinates) // 2
        coordinates.extend(found.coordinates)
        lines.extend(before + end for end in found.rings[1:])
        conditions.append(len(lines) - 1)
    return coordinates[0::2], coordinates[1::2], lines, None, conditions
