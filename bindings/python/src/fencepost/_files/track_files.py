"""Reads track files: chooses the reader for each file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .._errors import InputError
from .kinds import check_name, ending, first_bytes, is_packed, is_pipe, read_unpacked
from .tracks import VECTOR_FORMATS, Point, Track, split
from .vector import PLAIN, Reading

# A file begins with the manufacturer's record, followed by header records.
_IGC = re.compile(rb"(?:\xef\xbb\xbf)?A[A-Z0-9]{3}[^\r\n]*[\r\n]+H[FOP][A-Z]{3}")


NO_COLUMNS = "has no column {!r}: only tables (CSV, GeoPackage, frames) have columns"


def read_track(
    path: str | Path,
    *,
    hdop_scale: float | None = None,
    columns: Mapping[str, str] | None = None,
    how: Reading = PLAIN,
) -> Track:
    """Reads GPX 1.0 or 1.1, GeoJSON, MF-JSON, KML, CSV or NMEA 0183. The ending of the file's name determines the
    format; if the ending is unknown, the first bytes of the file determine the format. A file with the ending ``.gz``
    is decompressed.

    Args:
        path: The file.
        hdop_scale: Metres per unit of HDOP. If `hdop_scale` is None, a GPX file gives no accuracy, and an NMEA log uses
            5 m.
        columns: Names of the columns for latitude, longitude, time and accuracy, if they have unusual names.
        how: The layer to read, whether coordinates are transformed, and how times without a zone are read.

    Raises:
        InputError: The file cannot be used; the message says where in the file the error is, and why.
        MissingExtraError: The format needs a library that is not installed.
    """
    (track,) = read_tracks(path, hdop_scale=hdop_scale, columns=columns, how=how)
    return track


def keyed_points(
    path: str | Path, columns: Mapping[str, str], by: str, how: Reading = PLAIN, names: list[str] | None = None
) -> tuple[list[tuple[str, Point]], list[Any]] | None:
    """The points of a GeoJSON file or of KML tracks in file order, and a list with the key of each point's track. None
    for files of other formats. The names of properties are appended to `names`.

    Raises:
        InputError: The file cannot be used.
    """
    keys: list[Any] = []
    kind = ending(path)
    if kind in (".kml", ".kmz") and how.layer is None:
        from . import track_kml

        document = track_kml.track_document(path)
        if document is not None:
            return list(track_kml.read(document, path, by, keys, how.times)), keys
        check_name(path)
    if kind in VECTOR_FORMATS and not is_packed(path):
        return None
    start = b"" if is_pipe(path) else first_bytes(path)
    text = start.lstrip(b"\xef\xbb\xbf \t\r\n")
    if kind in (".geojson", ".json") or (kind not in (".csv", ".tsv") and text.startswith(b"{")):
        from . import track_geojson

        return list(track_geojson.read(read_unpacked(path), path, columns, by, keys, how.times, names)), keys
    if kind in (".gpx", ".nmea") or (kind not in (".csv", ".tsv") and text.startswith((b"<", b"$", b"!"))):
        raise InputError(path, "", NO_COLUMNS.format(by))
    return None


def is_streamed(path: str | Path) -> bool:
    """True if this file of many tracks is read in batches: it can be read again, and the libraries are installed."""
    if is_pipe(path):
        return False
    if ending(path) not in VECTOR_FORMATS:
        return True
    return all(map(find_spec, ("nanoarrow", "pyarrow" if ending(path) == ".parquet" else "pyogrio")))


def read_tracks(
    path: str | Path,
    *,
    hdop_scale: float | None = None,
    columns: Mapping[str, str] | None = None,
    by: str | None = None,
    how: Reading = PLAIN,
) -> list[Track]:
    """Reads a file like :func:`read_track`. If `by` is given, the rows are split into one track for each value of that
    column, in the order of the tracks' first rows."""
    kind = ending(path)
    keys: list[Any] | None = None if by is None else []
    if kind in (".kml", ".kmz") and how.layer is None:
        from . import track_kml

        if (document := track_kml.track_document(path)) is not None:
            return split(track_kml.read(document, path, by, keys, how.times), path, keys)
    if kind in VECTOR_FORMATS and not is_packed(path):
        from .table_rows import TableRows
        from .vector import read_vector

        return TableRows(read_vector(path, how), str(path), columns or {}, by, how).tracks()
    if how.layer is not None:
        raise InputError(path, "", "has no layers")
    from . import track_csv, track_geojson, track_gpx, track_nmea

    data = read_unpacked(path)
    start = data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    tabular, names = False, list[str]()
    if kind == ".gpx" or (kind not in (".csv", ".tsv", ".geojson", ".json", ".nmea") and start == b"<"):
        points = track_gpx.read(data, path, hdop_scale, how.times)
    elif kind in (".geojson", ".json") or (kind not in (".csv", ".tsv", ".nmea") and start == b"{"):
        points = track_geojson.read(data, path, columns, by, keys, how.times, names)
        tabular = True
    elif kind == ".igc" or _IGC.match(data):
        raise InputError(path, "line 1", "is an IGC flight log, which is not supported: convert it to GPX or CSV")
    elif kind == ".nmea" or (kind not in (".csv", ".tsv") and track_nmea.looks_like_nmea(data)):
        points = track_nmea.read(data, path, hdop_scale)
    else:
        points = track_csv.read(data, path, columns or {}, by, keys, how.times, names)
        tabular = True
    if by is not None and not tabular:
        raise InputError(path, "", NO_COLUMNS.format(by))
    return split(points, path, keys, names)
