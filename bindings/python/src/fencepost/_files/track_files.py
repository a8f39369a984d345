"""Track files: which reader a file is for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from .._errors import InputError
from .text import read_bytes
from .tracks import VECTOR_FORMATS, Track, split
from .vector import PLAIN, Reading

# The manufacturer's record, then header records.
_IGC = re.compile(rb"(?:\xef\xbb\xbf)?A[A-Z0-9]{3}[^\r\n]*[\r\n]+H[FOP][A-Z]{3}")


def read_track(
    path: str | Path,
    *,
    hdop_scale: float | None = None,
    columns: Mapping[str, str] | None = None,
    how: Reading = PLAIN,
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
    (track,) = read_tracks(path, hdop_scale=hdop_scale, columns=columns, how=how)
    return track


def read_tracks(
    path: str | Path,
    *,
    hdop_scale: float | None = None,
    columns: Mapping[str, str] | None = None,
    by: str | None = None,
    how: Reading = PLAIN,
) -> list[Track]:
    """As :func:`read_track`; with `by` one track for each value of that column, in the order of their first rows."""
    kind = Path(path).suffix.lower()
    if kind in VECTOR_FORMATS:
        from .frames import table_tracks
        from .vector import read_vector

        return table_tracks(read_vector(path, how), str(path), columns or {}, by)
    if how.layer is not None:
        raise InputError(path, "", "has no layers")
    from . import track_csv, track_geojson, track_gpx, track_nmea

    data = read_bytes(path)
    start = data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    keys: list[str] | None = None
    if kind == ".gpx" or (kind not in (".csv", ".tsv", ".geojson", ".json", ".nmea") and start == b"<"):
        points = track_gpx.read(data, path, hdop_scale)
    elif kind in (".geojson", ".json") or (kind not in (".csv", ".tsv", ".nmea") and start == b"{"):
        points = track_geojson.read(data, path)
    elif kind == ".igc" or _IGC.match(data):
        raise InputError(path, "line 1", "is an IGC flight log, which is not read: convert it to GPX or CSV")
    elif kind == ".nmea" or (kind not in (".csv", ".tsv") and track_nmea.looks_like_nmea(data)):
        points = track_nmea.read(data, path, hdop_scale)
    else:
        keys = None if by is None else []
        points = track_csv.read(data, path, columns or {}, by, keys)
    if by is not None and keys is None:
        raise InputError(path, "", f"has no column {by!r}: only tables (CSV, GeoPackage, frames) have columns")
    return split(points, path, keys)
