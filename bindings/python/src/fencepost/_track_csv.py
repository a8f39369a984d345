"""CSV with named columns."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ._files import InputFileError, decode
from ._text_times import UNITS, parse_time
from ._tracks import NO_POSITION, Point

# What the columns are called in the wild, lower case, without what is not a letter or digit, best first.
NAMES = {
    "latitude": ("latitude", "lat", "locationlat", "latitudedeg", "y"),
    "longitude": ("longitude", "lon", "lng", "long", "locationlong", "longitudedeg", "x"),
    "time": (
        "timeus", "timems", "utcms", "utctimeinms", "time", "timestamp", "datetime", "trackedat", "date", "utc", "t",
    ),
    "accuracy": (
        "accuracy", "accuracym", "horizontalaccuracy", "hacc", "acc", "locationerrornumerical", "errorradius",
    ),
}  # fmt: skip
_REQUIRED = ("latitude", "longitude")


def read(data: bytes, path: str | Path, columns: Mapping[str, str]) -> Iterator[tuple[str, Point]]:
    """The rows in file order; a row with an empty position is one without a position."""
    # A NUL is no text, and the csv module would stop at it without saying where.
    text = decode(data, path).replace("\0", "\ufffd")
    # Some loggers write the header as a comment: the last comment line that names the columns is the header.
    lines = text.splitlines(keepends=True)
    start, header = 0, ""
    while start < len(lines) and (lines[start].startswith("#") or not lines[start].strip()):
        if _looks_like_header(lines[start], columns):
            header = lines[start].lstrip("# ")
        start += 1
    if not header:
        if start == len(lines):
            raise InputFileError(path, "line 1", "holds no rows")
        header = lines[start]
        start += 1
    delimiter = max(",;\t", key=header.count)
    names = next(csv.reader([header], delimiter=delimiter), [])
    indices = _find(names, columns, path, start)
    unit = _unit(names[indices["time"]]) if "time" in indices else None
    rows = csv.reader(io.StringIO("".join(lines[start:]), newline=""), delimiter=delimiter)
    try:
        for row in rows:
            if not row or row[0].startswith("#"):
                continue
            place = f"line {start + rows.line_num}"
            yield place, _point(row, indices, unit, len(names), place, path)
    except csv.Error as error:
        raise InputFileError(path, f"line {start + rows.line_num}", f"not CSV: {error}") from None


def _key(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _looks_like_header(line: str, columns: Mapping[str, str]) -> bool:
    names = {_key(name) for name in re.split("[,;\t]", line.lstrip("# "))}
    return all(names & {*NAMES[what], _key(columns.get(what, what))} for what in _REQUIRED)


def _find(names: Sequence[str], columns: Mapping[str, str], path: str | Path, line: int) -> dict[str, int]:
    exact = [name.strip() for name in names]
    keys = [_key(name) for name in names]
    found: dict[str, int] = {}
    for what, known in NAMES.items():
        given = columns.get(what)
        if given is not None:
            if given not in exact:
                raise InputFileError(path, f"line {line}", f"there is no column {given!r}, only {', '.join(exact)}")
            found[what] = exact.index(given)
            continue
        for name in known:
            if name in keys:
                found[what] = keys.index(name)
                break
        else:
            if what in _REQUIRED:
                reason = f"there is no column for the {what}, only {', '.join(exact)}"
                reason += f"; name it with --columns {what}=NAME"
                raise InputFileError(path, f"line {line}", reason)
    return found


def _unit(name: str) -> str | None:
    ending = re.search(r"(?:_|\(|in)(s|ms|us|ns)\)?$", name.strip().lower())
    return ending[1] if ending and ending[1] in UNITS else None


def _point(
    row: Sequence[str], indices: Mapping[str, int], unit: str | None, width: int, place: str, path: str | Path
) -> Point:
    if len(row) <= max(indices.values()):
        raise InputFileError(path, place, f"has {len(row)} columns, the header {width}")
    time: int | None = None
    if "time" in indices:
        try:
            time = parse_time(row[indices["time"]], unit)
        except ValueError as error:
            raise InputFileError(path, place, f"time: {error}") from None
    latitude, longitude, accuracy = (
        _number(row, indices.get(what), what, place, path) for what in ("latitude", "longitude", "accuracy")
    )
    if latitude is None or longitude is None:
        return math.nan, math.nan, NO_POSITION, time
    return latitude, longitude, 0.0 if accuracy is None else accuracy, time


def _number(row: Sequence[str], index: int | None, what: str, place: str, path: str | Path) -> float | None:
    text = "" if index is None else row[index].strip()
    if text.lower() in ("", "na", "null", "none"):
        return None
    try:
        return float(text)
    except ValueError:
        raise InputFileError(path, place, f"{what} {text!r} is not a number") from None
