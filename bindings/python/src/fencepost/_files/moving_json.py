"""Moving features in JSON (OGC 19-045r3, MF-JSON): moving points, as in the standard and as MobilityDB writes them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Line = tuple[list[Any], list[Any]]
"""A list of coordinates, and a list of the same length with their times."""


def is_moving(value: Any) -> bool:
    """True if a JSON object is a temporal geometry, or a feature with a temporal geometry."""
    return isinstance(value, dict) and (
        "temporalGeometry" in value or value.get("type") in ("MovingPoint", "MovingGeometryCollection")
    )


def moving_lines(value: dict[str, Any]) -> Iterator[Line]:
    """The position sequences in a temporal geometry, or in a feature with a temporal geometry.

    An ``interpolation`` is ignored, since a monitor sees only the positions themselves.

    Raises:
        ValueError: The geometry has another type, or the numbers of positions and times differ.
    """
    geometry: Any = value.get("temporalGeometry") if "temporalGeometry" in value else value
    kind = geometry.get("type") if isinstance(geometry, dict) else None
    if kind == "MovingGeometryCollection" and isinstance(geometry.get("prisms"), list):
        for prism in geometry["prisms"]:
            yield from moving_lines(prism if isinstance(prism, dict) else {})
        return
    if kind != "MovingPoint":
        raise ValueError(f"is a {kind}, not a MovingPoint")
    parts = geometry.get("sequences", [geometry])
    if not isinstance(parts, list):
        raise ValueError("has sequences that are not an array")
    for part in parts:
        times, coordinates = (
            part.get(name) if isinstance(part, dict) else None for name in ("datetimes", "coordinates")
        )
        if isinstance(times, str | int | float):  # an instant
            times, coordinates = [times], [coordinates]
        if not isinstance(times, list) or not isinstance(coordinates, list):
            raise ValueError("needs arrays of coordinates and datetimes")
        if len(times) != len(coordinates):
            raise ValueError(f"has {len(coordinates)} positions but {len(times)} times")
        yield coordinates, times
