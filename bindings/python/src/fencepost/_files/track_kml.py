"""Reads ``gx:Track`` of KML (``Track`` of KML 2.3): positions with times. GDAL would read such tracks as lines without
times."""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from .._errors import InputError
from .._tables.names import ERROR_ELLIPSE, TRACK, key
from .._tables.numbers import decimal
from .._tables.text_times import PLAIN_TIMES, TimeStyle, advice_of, parse_time
from .kinds import is_packed, most_unpacked, too_large, unpacked
from .text import read_bytes
from .tracks import NO_POSITION, Point, known_beside
from .xml_text import holds_word, local_name, xml_root, xml_text


def track_document(path: str | Path) -> bytes | None:
    """The KML of a file or a KMZ archive, or None if it has no tracks or is not KML.

    Raises:
        InputError: The file cannot be read, or the archive is damaged.
    """
    data = unpacked(path) if is_packed(path) else read_bytes(path)
    if data.startswith(b"PK"):
        data = _unpacked(data, path)
    return data if holds_word(data, "Track") and holds_word(data, "coord") else None


def _unpacked(data: bytes, path: str | Path) -> bytes:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            # The first KML file is the document, whatever its name.
            name = next((name for name in archive.namelist() if name.lower().endswith(".kml")), None)
            if name is None:
                return b""
            if archive.getinfo(name).file_size > most_unpacked(len(data)):
                raise too_large(path, name)
            return archive.read(name)
    except InputError:
        raise
    except Exception as error:  # zipfile and its decompressors (zlib, bz2, lzma) raise many kinds of errors
        raise InputError(path, "", f"cannot be read as kmz: {error}") from None


def read(
    data: bytes, path: str | Path, by: str | None = None, keys: list[str] | None = None, style: TimeStyle = PLAIN_TIMES
) -> Iterator[tuple[str, Point]]:
    """The positions of all tracks in file order; an empty ``coord`` is a fix without a position.

    The accuracy comes from an array of extended data with a usual name (``accuracy``), and the error ellipse from three
    arrays (``error_major_m``, ``error_minor_m`` and ``error_orientation_deg``). Without such arrays, the fixes have no
    accuracy and no error ellipse.

    Args:
        data: The document.
        path: For messages.
        by: None, or ``name``. With ``name``, the name of a track's placemark identifies the track, and is appended to
            `keys` for each position.
        keys: See `by`.
        style: The rules for reading times without a zone.

    Raises:
        InputError: The document is not well-formed, or a part of a track cannot be used.
    """
    if by is not None and key(by) != "name":
        raise InputError(path, "", f"has no column {by!r}: tracks of KML are identified by name")
    number = 0
    for name, track in _tracks(xml_root(xml_text(data, path), path)):
        if by is not None and not name:
            raise InputError(path, f"point {number + 1}", "belongs to a placemark without a name")
        for point in _points(track, path, number, style):
            number += 1
            if keys is not None:
                keys.append(name)
            yield f"point {number}", point


def _tracks(root: ElementTree.Element) -> Iterator[tuple[str, ElementTree.Element]]:
    """The tracks of a document in document order, each with the name of its placemark."""
    open_elements = [("", root)]  # not recursive, because folders may be deeply nested
    while open_elements:
        name, element = open_elements.pop()
        tag = local_name(element)
        if tag == "Track":
            yield name, element
            continue
        if tag == "Placemark":
            name = _name(element)
        open_elements.extend((name, child) for child in reversed(element))


def _points(track: ElementTree.Element, path: str | Path, number: int, style: TimeStyle) -> Iterator[Point]:
    whens = [(child.text or "").strip() for child in track if local_name(child) == "when"]
    coords = [(child.text or "").split() for child in track if local_name(child) == "coord"]
    if len(whens) != len(coords):
        reason = f"starts a track that has {len(coords)} positions but {len(whens)} times"
        raise InputError(path, f"point {number + 1}", reason)
    accuracies = _array(track, "accuracy", 0.0) or []
    arrays = {what: _array(track, what, math.nan) for what in ERROR_ELLIPSE}
    axes = [values for values in arrays.values() if values is not None]
    if 0 < len(axes) < len(ERROR_ELLIPSE):
        missing = next(what for what, values in arrays.items() if values is None)
        raise InputError(path, f"point {number + 1}", f"starts a track that has no array for the {missing}")
    for index, (when, coord) in enumerate(zip(whens, coords)):
        place = f"point {number + index + 1}"
        try:
            time = parse_time(when, None, style)
        except ValueError as error:
            raise InputError(path, place, f"time: {error}", advice=advice_of(error)) from None
        if not coord:
            yield math.nan, math.nan, NO_POSITION, time
            continue
        try:
            longitude, latitude = decimal(coord[0]), decimal(coord[1])
        except (ValueError, IndexError):
            raise InputError(path, place, f"is not longitude and latitude: {' '.join(coord)!r}") from None
        ellipse = known_beside(*(values[index] if index < len(values) else math.nan for values in axes))
        yield latitude, longitude, accuracies[index] if index < len(accuracies) else 0.0, time, *ellipse


def _array(track: ElementTree.Element, what: str, missing: float) -> list[float] | None:
    """The numbers of an array of extended data, or None without such an array."""
    for array in track.iter():
        if local_name(array) == "SimpleArrayData" and key(array.get("name") or "") in TRACK[what]:
            return [_number(value.text, missing) for value in array if local_name(value) == "value"]
    return None


def _number(text: str | None, missing: float) -> float:
    try:
        number = decimal(text or "nan")
    except ValueError:
        return missing
    return number if math.isfinite(number) else missing


def _name(placemark: ElementTree.Element) -> str:
    return next(((child.text or "").strip() for child in placemark if local_name(child) == "name"), "")
