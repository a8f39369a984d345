"""CSV with named columns."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ._column_names import POSITION, TRACK, find, key, time_unit
from ._files import InputError, decode
from ._native import InvalidArgumentError
from ._text_times import parse_time
from ._tracks import NO_POSITION, Point


def read(
    data: bytes, path: str | Path, columns: Mapping[str, str], by: str | None = None, keys: list[str] | None = None
) -> Iterator[tuple[str, Point]]:
    """The rows in file order; a row with an empty position is one without a position.

    With `by` the value of that column is appended to `keys` before each row is given.
    """
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
            raise InputError(path, "line 1", "holds no rows")
        header = lines[start]
        start += 1
    delimiter = max(",;\t", key=header.count)
    names = next(csv.reader([header], delimiter=delimiter), [])
    indices = _find(names, columns, path, start)
    unit = time_unit(names[indices["time"]]) if "time" in indices else None
    if by is not None and by not in names:
        raise InputError(path, f"line {start}", f"there is no column {by!r}, only {', '.join(names)}")
    key_index = -1 if by is None else names.index(by)
    rows = csv.reader(io.StringIO("".join(lines[start:]), newline=""), delimiter=delimiter)
    try:
        for row in rows:
            if not row or row[0].startswith("#"):
                continue
            place = f"line {start + rows.line_num}"
            if keys is not None and by is not None:
                if len(row) <= key_index or not row[key_index].strip():
                    raise InputError(path, place, f"has nothing in the column {by!r}")
                keys.append(row[key_index])
            yield place, _point(row, indices, unit, len(names), place, path)
    except csv.Error as error:
        raise InputError(path, f"line {start + rows.line_num}", f"not CSV: {error}") from None


def _looks_like_header(line: str, columns: Mapping[str, str]) -> bool:
    names = {key(name) for name in re.split("[,;\t]", line.lstrip("# "))}
    return all(names & {*TRACK[what], key(columns.get(what, what))} for what in POSITION)


def _find(names: Sequence[str], columns: Mapping[str, str], path: str | Path, line: int) -> dict[str, int]:
    try:
        return find(names, TRACK, columns, POSITION)
    except InvalidArgumentError as error:
        reason = str(error)
        missing = re.match("there is no column for the ([a-z]+)", reason)
        hint = f"; name it with columns {missing[1]}=NAME" if missing else ""
        raise InputError(path, f"line {line}", reason + hint) from None


def _point(
    row: Sequence[str], indices: Mapping[str, int], unit: str | None, width: int, place: str, path: str | Path
) -> Point:
    if len(row) <= max(indices.values()):
        raise InputError(path, place, f"has {len(row)} columns, the header {width}")
    time: int | None = None
    if "time" in indices:
        try:
            time = parse_time(row[indices["time"]], unit)
        except ValueError as error:
            raise InputError(path, place, f"time: {error}") from None
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
        raise InputError(path, place, f"{what} {text!r} is not a number") from None
