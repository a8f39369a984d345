"""Defines a track, and splits the points of a file into tracks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from .._dataclass import dataclass, field
from .._errors import InputError
from .doubts import Flaw, is_usable, worse

Point: TypeAlias = tuple[float, float, float, int | None, *tuple[float, ...]]
"""A point: its latitude, longitude, accuracy, and time in microseconds. If it has an error ellipse, the major and the
minor semi-axis and the orientation follow; if it has an altitude, the heights follow, after three NaN if it has no
error ellipse."""
FixRow: TypeAlias = tuple[float, float, float, int, *tuple[float, ...]]
"""A fix: a point with a time. Its members are the arguments of the engine's `feed_fix`."""

NO_POSITION = math.nan
"""The accuracy that marks a row without a position: a monitor ignores and counts such a row."""
VECTOR_FORMATS = (".gpkg", ".shp", ".kml", ".kmz", ".fgb", ".gml", ".gdb", ".sqlite", ".parquet", ".zip")
"""The file name extensions that GeoPandas reads."""


@dataclass(frozen=True, slots=True)
class Track:
    """A track: fixes in file order or, if the file has no times, way points."""

    path: str
    fixes: Sequence[FixRow]
    way_points: list[tuple[float, float]] = field(default_factory=list)
    key: Any = None
    """The key of the track in its table."""
    columns: Sequence[str] = ()
    """The names of the columns of the track's table, if the track comes from a table."""
    flaw: Flaw | None = None
    """The unusable fix to report: the first fix with impossible values, otherwise the first fix without a position."""


NO_ELLIPSE = (math.nan, math.nan, math.nan)
NOTHING = (*NO_ELLIPSE, math.nan, 0.0, math.nan, math.nan)
"""The values beside a fix that has neither an error ellipse nor heights."""


def known_beside(*beside: float) -> tuple[float, ...]:
    """The values beside a fix, without the missing ones.

    Args:
        beside: The values of an error ellipse, NaN if they are missing; then perhaps the heights.

    Returns:
        Nothing, the error ellipse or, if there is an altitude, the error ellipse and the heights.
    """
    if len(beside) > 3 and beside[3] == beside[3]:
        return beside
    ellipse = beside[:3]
    return () if all(value != value for value in ellipse) else ellipse


def split(
    points: Iterable[tuple[str, Point]], path: str | Path, keys: list[Any] | None = None, columns: Sequence[str] = ()
) -> list[Track]:
    """Splits points into tracks. With `keys`, the n-th key is the track of the n-th point; without `keys`, there is one
    track.

    Args:
        columns: The names of the table's columns. The caller may fill this list while the points are read.
    """
    fixes: dict[Any, list[FixRow]] = {}
    way_points: dict[Any, list[tuple[float, float]]] = {}
    flaws: dict[Any, Flaw | None] = {}
    first_untimed = ""
    for index, (place, (latitude, longitude, accuracy, time, *ellipse)) in enumerate(points):
        key = None if keys is None else keys[index]
        if not is_usable(latitude, longitude, accuracy, *ellipse):
            flaws[key] = worse(flaws.get(key), Flaw(place, latitude, longitude, accuracy, *ellipse[:3]))
        if time is not None:
            fixes.setdefault(key, []).append((latitude, longitude, accuracy, time, *ellipse))
        else:
            first_untimed = first_untimed or place
            way_points.setdefault(key, []).append((latitude, longitude))
    if fixes and way_points:
        raise InputError(path, first_untimed, "has no time, but other points have one: remove the point or add a time")
    if not fixes and not way_points:
        raise InputError(path, "", "holds no points")
    return [
        Track(str(path), fixes.get(key, []), way_points.get(key, []), key, columns, flaws.get(key))
        for key in fixes or way_points
    ]
