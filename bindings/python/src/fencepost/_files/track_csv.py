"""Reads tracks from CSV with named columns."""

from __future__ import annotations

import gzip
import math
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from .._errors import InputError, warn
from .._native import InvalidArgumentError
from .._tables.arrow_reader import ACCURACY
from .._tables.names import (
    ACCELERATION,
    BESIDE,
    ERROR_ELLIPSE,
    GEOMETRY,
    HEIGHTS,
    POSITION,
    TRACK,
    acceleration_text,
    find,
    is_acceleration,
    key,
    time_unit,
    warn_of_units,
)
from .._tables.numbers import decimal, listed
from .._tables.text_times import PLAIN_TIMES, TimeStyle, advice_of, parse_time
from .._tables.wkt import wkt_point
from .advice import TRACK_OPTION, column_advice, decimal_comma
from .csv_table import CSVTable
from .kinds import check_kind, is_packed, is_pipe
from .text import decode, text_pieces
from .tracks import NO_POSITION, NOTHING as MISSING, Point, known_beside

NOTHING = ("", "na", "null", "none")
"""Cell contents that count as empty, in lower case."""


def read(
    data: bytes,
    path: str | Path,
    columns: Mapping[str, str],
    by: str | None = None,
    keys: list[str] | None = None,
    times: TimeStyle = PLAIN_TIMES,
    names: list[str] | None = None,
) -> Iterator[tuple[str, Point]]:
    """The rows in file order; a row with an empty position counts as a fix without a position.

    With `by`, the value of the column `by` is appended to `keys` before each row is yielded. The names of the columns
    are appended to `names`.
    """
    table = Table([decode(data, path)], path, columns, by, times)
    if names is not None:
        names.extend(table.names)
    for place, track, point in table.points():
        if keys is not None:
            keys.append(track)
        yield place, point


@contextmanager
def opened(
    path: str | Path, columns: Mapping[str, str], by: str, times: TimeStyle = PLAIN_TIMES, size: int = 1 << 20
) -> Iterator[Table]:
    """The table of a file that may be larger than memory; the file is read in pieces of about `size` characters."""
    try:
        with gzip.open(path) if is_packed(path) else open(path, "rb") as file:
            if is_pipe(path):
                _check_pipe(file.peek(4096), path)
            yield Table(text_pieces(file, size), path, columns, by, times)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(path, "", f"cannot be read as gzip: {error}") from None
    except OSError as error:
        raise InputError(path, "", error.strerror or str(error)) from None


def _check_pipe(start: bytes, path: str | Path) -> None:
    """Refuses a pipe that contains no CSV."""
    check_kind(start, path)
    if start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[", b"<", b"$", b"!")):
        raise InputError(path, "line 1", "is not CSV, and many tracks in a pipe must be CSV: save them in a file")


class Layout(NamedTuple):
    """How the rows of a table are read. `unit` is the unit of times that are numbers, `track` is the column that
    identifies the track, and `wkt` is the column of positions as well-known text (-1 if there is no such column)."""

    delimiter: str
    indices: dict[str, int]
    unit: str | None
    track: int
    width: int
    times: TimeStyle = PLAIN_TIMES
    wkt: int = -1


class Table(CSVTable):
    """CSV of fixes."""

    def __init__(
        self,
        text: Iterable[str],
        path: str | Path,
        columns: Mapping[str, str],
        by: str | None,
        times: TimeStyle = PLAIN_TIMES,
    ) -> None:
        super().__init__(text, path, TRACK, columns, POSITION)
        self._by = by
        indices, wkt = _find(self.names, columns, path, self.place)
        warn_of_units(path, columns)
        unit = time_unit(self.names[indices["time"]]) if "time" in indices else None
        if by is not None and by not in self.names:
            raise InputError(path, self.place, f"there is no column {by!r}, only {listed(self.names)}")
        track = -1 if by is None else self.names.index(by)
        self._columns = columns
        self.layout = Layout(self.delimiter, indices, unit, track, len(self.names), times, wkt)

    def check_accuracy(self, least: float) -> bool:
        """True if the accuracy column really contains accuracies. If the smallest value shows that the column contains
        accelerations, the column is ignored in all later rows."""
        index = self.layout.indices.get("accuracy")
        if index is None or not is_acceleration(self.names[index], self._columns, least):
            return True
        warn(self._path, "", acceleration_text(self.names[index]), ACCURACY)
        left = {what: column for what, column in self.layout.indices.items() if what != "accuracy"}
        self.layout = self.layout._replace(indices=left)
        return False

    def points(self, piece: str | None = None) -> Iterator[tuple[str, str, Point]]:
        """For each row of :meth:`rows` that is not a comment, yields the number of its line, its track and its
        point."""
        index = self.layout.indices.get("accuracy")
        if index is None or key(self.names[index]) != ACCELERATION:
            yield from self._points(piece)
            return
        rows = list(self._points(piece))
        if not self.check_accuracy(min((point[2] for _, _, point in rows if point[2] < 0), default=0.0)):
            rows = [
                (place, track, point if is_missing(point) else (*point[:2], 0.0, *point[3:]))
                for place, track, point in rows
            ]
        yield from rows

    def _points(self, piece: str | None) -> Iterator[tuple[str, str, Point]]:
        at, track = self.layout.track, ""
        last = max((self.layout.wkt, *self.layout.indices.values()))
        for place, row in self.rows(piece):
            if row[0].startswith("#"):
                continue
            if self._by is not None:
                if len(row) <= at or not row[at].strip():
                    raise InputError(self._path, place, f"has no value in the column {self._by!r}")
                track = row[at]
            self.check_width(row, last, place)
            yield place, track, _point(row, self.layout, place, self._path)


def is_missing(point: Point) -> bool:
    """True if a row has no position."""
    return math.isnan(point[0]) or math.isnan(point[1])


def _find(names: Sequence[str], columns: Mapping[str, str], path: str | Path, place: str) -> tuple[dict[str, int], int]:
    """The indices of the columns, and the index of the column that contains positions as well-known text (-1 if no
    column does)."""
    try:
        found = find(names, {**TRACK, "geometry": GEOMETRY}, columns, ())
        wkt = found.pop("geometry", -1)
        if "geometry" in columns or (wkt >= 0 and not set(POSITION) <= set(found)):
            return {what: index for what, index in found.items() if what not in POSITION}, wkt
        return find(names, TRACK, columns, POSITION), -1
    except InvalidArgumentError as error:
        raise InputError(path, place, str(error), advice=column_advice(error, TRACK_OPTION)) from None


def _point(row: Sequence[str], layout: Layout, place: str, path: str | Path) -> Point:
    _, indices, unit, _, _, times, wkt = layout
    time: int | None = None
    if "time" in indices:
        try:
            time = parse_time(row[indices["time"]], unit, times)
        except ValueError as error:
            raise InputError(path, place, f"time: {error}", advice=advice_of(error)) from None
    accuracy = _number(row, indices.get("accuracy"), "accuracy", place, path)
    beside: list[float] = []
    if any(what in indices for what in BESIDE):
        for what, missing in zip(BESIDE if HEIGHTS[0] in indices else ERROR_ELLIPSE, MISSING):
            value = _number(row, indices[what], what, place, path) if what in indices else None
            beside.append(missing if value is None else value)
    if wkt >= 0:
        try:
            longitude, latitude = wkt_point(row[wkt]) or (None, None)
        except ValueError as error:
            raise InputError(path, place, str(error)) from None
    else:
        latitude, longitude = (_number(row, indices[what], what, place, path) for what in POSITION)
    if latitude is None or longitude is None:
        return math.nan, math.nan, NO_POSITION, time
    return latitude, longitude, 0.0 if accuracy is None else accuracy, time, *known_beside(*beside)


def _number(row: Sequence[str], index: int | None, what: str, place: str, path: str | Path) -> float | None:
    text = "" if index is None else row[index].strip()
    if text.lower() in NOTHING:
        return None
    try:
        return decimal(text)
    except ValueError:
        raise InputError(path, place, f"{what} {text!r} is not a number{decimal_comma(text)}") from None
