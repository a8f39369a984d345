"""Tracks: files of fixes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from ._files import InputFileError, read_bytes

Point: TypeAlias = tuple[float, float, float, int | None]
"""Latitude, longitude, accuracy, time in microseconds."""
FixRow: TypeAlias = tuple[float, float, float, int]

# The manufacturer's record, then header records.
_IGC = re.compile(rb"(?:\xef\xbb\xbf)?A[A-Z0-9]{3}[^\r\n]*[\r\n]+H[FOP][A-Z]{3}")

NO_POSITION = math.nan
"""Accuracy of a row without a position: a monitor ignores and counts it."""


@dataclass(frozen=True, slots=True)
class Track:
    """Fixes in file order, or way points without times (then there are no fixes)."""

    path: str
    fixes: list[FixRow]
    way_points: list[tuple[float, float]]


def read_track(
    path: str | Path, *, hdop_scale: float | None = None, columns: Mapping[str, str] | None = None
) -> Track:
    """Reads GPX 1.0 or 1.1, GeoJSON or CSV: by the file name's ending, else by what the file begins with.

    Args:
        path: The file.
        hdop_scale: Metres per unit of a GPX point's hdop; None: a GPX file gives no accuracy.
        columns: CSV: names of the columns for latitude, longitude, time, accuracy where they are not recognised.

    Raises:
        InputFileError: The file cannot be used; the text names file, place and reason.
    """
    from . import _track_csv, _track_geojson, _track_gpx

    data = read_bytes(path)
    kind = Path(path).suffix.lower()
    start = data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if kind == ".gpx" or (kind not in (".csv", ".tsv", ".geojson", ".json") and start == b"<"):
        points = _track_gpx.read(data, path, hdop_scale)
    elif kind in (".geojson", ".json") or (kind not in (".csv", ".tsv") and start == b"{"):
        points = _track_geojson.read(data, path)
    elif kind == ".igc" or _IGC.match(data):
        raise InputFileError(path, "line 1", "is an IGC flight log, which is not read: convert it to GPX or CSV")
    else:
        points = _track_csv.read(data, path, columns or {})
    return _split(points, path)


def _split(points: Iterable[tuple[str, Point]], path: str | Path) -> Track:
    fixes: list[FixRow] = []
    way_points: list[tuple[float, float]] = []
    first_untimed = ""
    for place, (latitude, longitude, accuracy, time) in points:
        if time is not None:
            fixes.append((latitude, longitude, accuracy, time))
        else:
            first_untimed = first_untimed or place
            way_points.append((latitude, longitude))
    if fixes and way_points:
        raise InputFileError(path, first_untimed, "has no time (other points have one): remove it or give it a time")
    if not fixes and not way_points:
        raise InputFileError(path, "", "holds no points")
    return Track(str(path), fixes, way_points)
