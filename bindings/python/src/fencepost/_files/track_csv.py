"""CSV with named columns."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

from .._errors import InputError
from .._native import InvalidArgumentError
from .._tables.names import POSITION, TRACK, find, time_unit
from .._tables.text_times import parse_time
from .csv_table import CSVTable
from .text import decode
from .tracks import NO_POSITION, Point

NOTHING = ("", "na", "null", "none")
"""Cells in which nothing stands, in lower case."""


def read(
    data: bytes, path: str | Path, columns: Mapping[str, str], by: str | None = None, keys: list[str] | None = None
) -> Iterator[tuple[str, Point]]:
    """The rows in file order; a row with an empty position is one without a position.

    With `by` the value of that column is appended to `keys` before each row is given.
    """
    for place, track, point in Table(io.StringIO(decode(data, path), newline=""), path, columns, by).points():
        if keys is not None:
            keys.append(track)
        yield place, point


@contextmanager
def opened(path: str | Path, columns: Mapping[str, str], by: str) -> Iterator[Table]:
    """The table of a file that need not fit into memory."""
    try:
        with open(path, "rb") as file:
            wide = file.read(2) in (b"\xff\xfe", b"\xfe\xff")
            file.seek(0)
            with io.TextIOWrapper(file, "utf-16" if wide else "utf-8-sig", newline="") as lines:
                yield Table(lines, path, columns, by)
    except OSError as error:
        raise InputError(path, "", error.strerror or str(error)) from None


class Layout(NamedTuple):
    """How the rows of a table are read. `unit` is that of times that are numbers, `track` the column that tells tracks
    apart."""

    delimiter: str
    indices: dict[str, int]
    unit: str | None
    track: int
    width: int


class Table(CSVTable):
    """CSV of fixes."""

    def __init__(self, file: IO[str], path: str | Path, columns: Mapping[str, str], by: str | None) -> None:
        super().__init__(file, path, TRACK, columns, POSITION)
        self._by = by
        indices = _find(self.names, columns, path, self.place)
        unit = time_unit(self.names[indices["time"]]) if "time" in indices else None
        if by is not None and by not in self.names:
            raise InputError(path, self.place, f"there is no column {by!r}, only {', '.join(self.names)}")
        track = -1 if by is None else self.names.index(by)
        self.layout = Layout(self.delimiter, indices, unit, track, len(self.names))

    def points(self, lines: Sequence[str] | None = None) -> Iterator[tuple[str, str, Point]]:
        """Place, track and point of each of :meth:`rows` that is no comment."""
        _, indices, unit, key, _ = self.layout
        last, track = max(indices.values()), ""
        for place, row in self.rows(lines):
            if row[0].startswith("#"):
                continue
            if self._by is not None:
                if len(row) <= key or not row[key].strip():
                    raise InputError(self._path, place, f"has nothing in the column {self._by!r}")
                track = row[key]
            self.check_width(row, last, place)
            yield place, track, _point(row, indices, unit, place, self._path)


def _find(names: Sequence[str], columns: Mapping[str, str], path: str | Path, place: str) -> dict[str, int]:
    try:
        return find(names, TRACK, columns, POSITION)
    except InvalidArgumentError as error:
        reason = str(error)
        missing = re.match("there is no column for the ([a-z]+)", reason)
        hint = f"; name it with columns {missing[1]}=NAME" if missing else ""
        raise InputError(path, place, reason + hint) from None


def _point(row: Sequence[str], indices: Mapping[str, int], unit: str | None, place: str, path: str | Path) -> Point:
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
    if text.lower() in NOTHING:
        return None
    try:
        return float(text)
    except ValueError:
        raise InputError(path, place, f"{what} {text!r} is not a number") from None
