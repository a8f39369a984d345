"""Tracks: files of fixes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from ._files import InputError, read_bytes

Point: TypeAlias = tuple[float, float, float, int | None]
"""Latitude, longitude, accuracy, time in microseconds."""
FixRow: TypeAlias = tuple[float, float, float, int]

# The manufacturer's record, then header records.
_IGC = re.compile(rb"(?:\xef\xbb\xbf)?A[A-Z0-9]{3}[^\r\n]*[\r\n]+H[FOP][A-Z]{3}")

NO_POSITION = math.nan
"""Accuracy of a row without a position: a monitor ignores and counts it."""
VECTOR_FORMATS = (".gpkg", ".shp", ".kml", ".kmz", ".fgb", ".gml", ".gdb", ".sqlite", ".parquet", ".zip")
"""Endings that GeoPandas reads."""


@dataclass(frozen=True, slots=True)
class Track:
    """Fixes in file order, or way points without times (then there are no fixes)."""

    path: str
    fixes: list[FixRow]
    way_points: list[tuple[float, float]] = field(default_factory=list)
    key: Any = None
    """What tells it from the other tracks of its table."""


def read_track(
    path: str | Path, *, hdop_scale: float | None = None, columns: Mapping[str, str] | None = None
) -> Track:
    """Reads GPX 1.0 or 1.1, GeoJSON, CSV or NMEA 0183: by the file name's ending, else by what the file begins with.

    Args:
        path: The file.
        hdop_scale: Metres per unit of hdop; None: a GPX file gives no accuracy, an NMEA log 5 m.
        columns: CSV: names of the columns for latitude, longitude, time, accuracy where they are not recognised.

    Raises:
        InputError: The file cannot be used; the text names file, place and reason.
        MissingExtraError: The format needs a library that is not installed.
    """
    (track,) = read_tracks(path, hdop_scale=hdop_scale, columns=columns)
    return track


def read_tracks(
    path: str | Path,
    *,
    hdop_scale: float | None = None,
    columns: Mapping[str, str] | None = None,
    by: str | None = None,
) -> list[Track]:
    """As :func:`read_track`; with `by` one track for each value of that column, in the order of their first rows."""
    kind = Path(path).suffix.lower()
    if kind in VECTOR_FORMATS:
        from ._tables import table_tracks
        from ._vector import read_vector

        return table_tracks(read_vector(path), str(path), columns or {}, by)
    from . import _track_csv, _track_geojson, _track_gpx, _track_nmea

    data = read_bytes(path)
    start = data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    keys: list[str] | None = None
    if kind == ".gpx" or (kind not in (".csv", ".tsv", ".geojson", ".json", ".nmea") and start == b"<"):
        points = _track_gpx.read(data, path, hdop_scale)
    elif kind in (".geojson", ".json") or (kind not in (".csv", ".tsv", ".nmea") and start == b"{"):
        points = _track_geojson.read(data, path)
    elif kind == ".igc" or _IGC.match(data):
        raise InputError(path, "line 1", "is an IGC flight log, which is not read: convert it to GPX or CSV")
    elif kind == ".nmea" or (kind not in (".csv", ".tsv") and _track_nmea.looks_like_nmea(data)):
        points = _track_nmea.read(data, path, hdop_scale)
    else:
        keys = None if by is None else []
        points = _track_csv.read(data, path, columns or {}, by, keys)
    if by is not None and keys is None:
        raise InputError(path, "", f"has no column {by!r}: only tables (CSV, GeoPackage, frames) have columns")
    return split(points, path, keys)


def split(points: Iterable[tuple[str, Point]], path: str | Path, keys: list[Any] | None = None) -> list[Track]:
    """The fixes, by key where there are keys (the n-th is that of the n-th point)."""
    fixes: dict[Any, list[FixRow]] = {}
    way_points: dict[Any, list[tuple[float, float]]] = {}
    first_untimed = ""
    for index, (place, (latitude, longitude, accuracy, time)) in enumerate(points):
        key = None if keys is None else keys[index]
        if time is not None:
            fixes.setdefault(key, []).append((latitude, longitude, accuracy, time))
        else:
            first_untimed = first_untimed or place
            way_points.setdefault(key, []).append((latitude, longitude))
    if fixes and way_points:
        raise InputError(path, first_untimed, "has no time (other points have one): remove it or give it a time")
    if not fixes and not way_points:
        raise InputError(path, "", "holds no points")
    return [Track(str(path), fixes.get(key, []), way_points.get(key, []), key) for key in fixes or way_points]
