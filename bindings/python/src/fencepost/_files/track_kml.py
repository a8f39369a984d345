"""KML's ``gx:Track`` (``Track`` of KML 2.3): positions with their times. GDAL reads it as lines without times."""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from .._errors import InputError
from .._tables.names import TRACK, key
from .._tables.text_times import PLAIN_TIMES, TimeStyle, parse_time
from .text import read_bytes
from .tracks import NO_POSITION, Point

MOST_BYTES = 1 << 30
"""Of a KML document in a KMZ archive."""


def track_document(path: str | Path) -> bytes | None:
    """The KML of a file, or of a KMZ archive, where it holds tracks; None: it holds none, or is no KML.

    Raises:
        InputError: The file cannot be read, or the archive is damaged.
    """
    data = read_bytes(path)
    if data.startswith(b"PK"):
        data = _unpacked(data, path)
    return data if b"Track" in data and b"coord" in data else None


def _unpacked(data: bytes, path: str | Path) -> bytes:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            # The first one is the document, whatever it is called.
            name = next((name for name in archive.namelist() if name.lower().endswith(".kml")), None)
            if name is None:
                return b""
            if archive.getinfo(name).file_size > MOST_BYTES:
                raise InputError(path, name, "is larger than 1 GiB")
            return archive.read(name)
    except (zipfile.BadZipFile, EOFError, OSError, RuntimeError, NotImplementedError) as error:
        raise InputError(path, "", f"not usable as kmz: {error}") from None


def read(
    data: bytes, path: str | Path, by: str | None = None, keys: list[str] | None = None, style: TimeStyle = PLAIN_TIMES
) -> Iterator[tuple[str, Point]]:
    """The positions of all tracks in the order of the file; an empty ``coord`` is no position.

    The accuracy is that of an array of extended data with a usual name (``accuracy``), else there is none.

    Args:
        data: The document.
        path: For messages.
        by: ``name``: the name of its placemark tells a track from others, and is appended to `keys` for each position.
        keys: See `by`.
        style: How times without a zone are read.

    Raises:
        InputError: It is not well-formed, or what belongs to a track is not usable.
    """
    if by is not None and key(by) != "name":
        raise InputError(path, "", f"has no column {by!r}: tracks of KML are told apart by name")
    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError as error:
        line, column = error.position
        reason = str(error).partition(":")[0]
        raise InputError(path, f"line {line}", f"not well-formed XML at column {column + 1}: {reason}") from None
    number = 0
    for name, track in _tracks(root, ""):
        if by is not None and not name:
            raise InputError(path, f"point {number + 1}", "is of a track whose placemark has no name")
        for point in _points(track, path, number, style):
            number += 1
            if keys is not None:
                keys.append(name)
            yield f"point {number}", point


def _tracks(element: ElementTree.Element, name: str) -> Iterator[tuple[str, ElementTree.Element]]:
    """The tracks below an element, each with the name of its placemark."""
    for child in element:
        tag = _tag(child)
        if tag == "Track":
            yield name, child
        else:
            yield from _tracks(child, _name(child) if tag == "Placemark" else name)


def _points(track: ElementTree.Element, path: str | Path, number: int, style: TimeStyle) -> Iterator[Point]:
    whens = [(child.text or "").strip() for child in track if _tag(child) == "when"]
    coords = [(child.text or "").split() for child in track if _tag(child) == "coord"]
    if len(whens) != len(coords):
        reason = f"is the first of a track with {len(coords)} positions but {len(whens)} times"
        raise InputError(path, f"point {number + 1}", reason)
    accuracies = _accuracies(track)
    for index, (when, coord) in enumerate(zip(whens, coords)):
        place = f"point {number + index + 1}"
        try:
            time = parse_time(when, None, style)
        except ValueError as error:
            raise InputError(path, place, f"time: {error}") from None
        if not coord:
            yield math.nan, math.nan, NO_POSITION, time
            continue
        try:
            longitude, latitude = float(coord[0]), float(coord[1])
        except (ValueError, IndexError):
            raise InputError(path, place, f"is not longitude and latitude: {' '.join(coord)!r}") from None
        yield latitude, longitude, accuracies[index] if index < len(accuracies) else 0.0, time


def _accuracies(track: ElementTree.Element) -> list[float]:
    for array in track.iter():
        if _tag(array) == "SimpleArrayData" and key(array.get("name") or "") in TRACK["accuracy"]:
            return [_accuracy(value.text) for value in array if _tag(value) == "value"]
    return []


def _accuracy(text: str | None) -> float:
    try:
        number = float(text or "nan")
    except ValueError:
        return 0.0
    return number if math.isfinite(number) else 0.0


def _name(placemark: ElementTree.Element) -> str:
    return next(((child.text or "").strip() for child in placemark if _tag(child) == "name"), "")


def _tag(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
