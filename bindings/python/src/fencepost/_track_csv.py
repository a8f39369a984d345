"""CSV with named columns."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import IO

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
    return _rows(io.StringIO(decode(data, path), newline=""), path, columns, by, keys)


def stream(
    path: str | Path, columns: Mapping[str, str], by: str | None, keys: list[str] | None
) -> Iterator[tuple[str, Point]]:
    """As :func:`read`, of a file that need not fit into memory."""
    try:
        with open(path, "rb") as file:
            wide = file.read(2) in (b"\xff\xfe", b"\xfe\xff")
            file.seek(0)
            with io.TextIOWrapper(file, "utf-16" if wide else "utf-8-sig", newline="") as lines:
                yield from _rows(lines, path, columns, by, keys)
    except OSError as error:
        raise InputError(path, "", error.strerror or str(error)) from None


def _rows(
    file: IO[str], path: str | Path, columns: Mapping[str, str], by: str | None, keys: list[str] | None
) -> Iterator[tuple[str, Point]]:
    lines = _Lines(file, path)
    # Some loggers write the header as a comment: the last comment line that names the columns is the header.
    header, line = "", next(lines, None)
    while line is not None and (line.startswith("#") or not line.strip()):
        if _looks_like_header(line, columns):
            header = line.lstrip("# ")
        line = next(lines, None)
    if line is None and not header:
        raise InputError(path, "line 1", "holds no rows")
    start = lines.number - (line is not None)
    first: list[str] = [] if line is None else [line]
    if not header:
        header = first.pop()
        start += 1
    delimiter = max(",;\t", key=header.count)
    names = next(csv.reader([header], delimiter=delimiter), [])
    indices = _find(names, columns, path, start)
    unit = time_unit(names[indices["time"]]) if "time" in indices else None
    if by is not None and by not in names:
        raise InputError(path, f"line {start}", f"there is no column {by!r}, only {', '.join(names)}")
    key_index = -1 if by is None else names.index(by)
    rows = csv.reader(chain(first, lines), delimiter=delimiter)
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


class _Lines:
    """The lines of a file, counted."""

    def __init__(self, file: IO[str], path: str | Path) -> None:
        self._file, self._path, self.number = file, path, 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        try:
            line = next(self._file)
        except UnicodeDecodeError as error:
            reason = f"is not {error.encoding.upper()} text; save the file as UTF-8"
            raise InputError(self._path, f"line {self.number + 1} or later", reason) from None
        self.number += 1
        # A NUL is no text, and the csv module would stop at it without saying where.
        return line.replace("\0", "\ufffd")


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
