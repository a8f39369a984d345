"""CSV with named columns."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import IO, NamedTuple

from .._errors import InputError
from .._native import InvalidArgumentError
from .._tables.names import POSITION, TRACK, find, key, time_unit
from .._tables.text_times import parse_time
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
    for place, track, point in Table(io.StringIO(decode(data, path), newline=""), path, columns, by).rows():
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


class Table:
    """CSV whose header was read."""

    def __init__(self, file: IO[str], path: str | Path, columns: Mapping[str, str], by: str | None) -> None:
        self._path, self._by, self._lines = path, by, _Lines(file, path)
        lines = self._lines
        # Some loggers write the header as a comment: the last comment line that names the columns is the header.
        header, line = "", next(lines, None)
        while line is not None and (line.startswith("#") or not line.strip()):
            if _looks_like_header(line, columns):
                header = line.lstrip("# ")
            line = next(lines, None)
        if line is None and not header:
            raise InputError(path, "line 1", "holds no rows")
        self._before = lines.number - (line is not None)
        self._ahead: list[str] = [] if line is None else [line]
        if not header:
            header = self._ahead.pop()
            self._before += 1
        delimiter = max(",;\t", key=header.count)
        names = next(csv.reader([header], delimiter=delimiter), [])
        indices = _find(names, columns, path, self._before)
        unit = time_unit(names[indices["time"]]) if "time" in indices else None
        if by is not None and by not in names:
            raise InputError(path, f"line {self._before}", f"there is no column {by!r}, only {', '.join(names)}")
        self.layout = Layout(delimiter, indices, unit, -1 if by is None else names.index(by), len(names))

    def lines(self, count: int) -> list[str]:
        """The next lines, at most so many, to be given to :meth:`rows` or :meth:`skip` in their order."""
        taken, self._ahead = self._ahead + self._lines.take(count - len(self._ahead)), []
        return taken

    def skip(self, lines: Sequence[str]) -> None:
        """Says that lines were read otherwise."""
        self._before += len(lines)

    def rows(self, lines: Sequence[str] | None = None) -> Iterator[tuple[str, str, Point]]:
        """Place, track and point of each row: of these lines and those that their last row goes on in, or of all."""
        delimiter, indices, unit, key, width = self.layout
        reader = csv.reader(chain(self._ahead if lines is None else lines, self._lines), delimiter=delimiter)
        end = math.inf if lines is None else len(lines)
        track = ""
        try:
            for row in reader:
                if row and not row[0].startswith("#"):
                    place = f"line {self._before + reader.line_num}"
                    if self._by is not None:
                        if len(row) <= key or not row[key].strip():
                            raise InputError(self._path, place, f"has nothing in the column {self._by!r}")
                        track = row[key]
                    yield place, track, _point(row, indices, unit, width, place, self._path)
                if reader.line_num >= end:
                    break
        except csv.Error as error:
            raise InputError(self._path, f"line {self._before + reader.line_num}", f"not CSV: {error}") from None
        self._before += reader.line_num


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
            raise self._refused(error, 0) from None
        self.number += 1
        return _text(line)

    def take(self, count: int) -> list[str]:
        """The next lines, at most so many."""
        lines: list[str] = []
        try:
            lines.extend(islice(self._file, count))
        except UnicodeDecodeError as error:
            raise self._refused(error, len(lines)) from None
        self.number += len(lines)
        return [_text(line) for line in lines] if "\0" in "".join(lines) else lines

    def _refused(self, error: UnicodeDecodeError, read: int) -> InputError:
        reason = f"is not {error.encoding.upper()} text; save the file as UTF-8"
        return InputError(self._path, f"line {self.number + read + 1} or later", reason)


def _text(line: str) -> str:
    """A NUL is no text, and the csv module would stop at it without saying where."""
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
    if text.lower() in NOTHING:
        return None
    try:
        return float(text)
    except ValueError:
        raise InputError(path, place, f"{what} {text!r} is not a number") from None
