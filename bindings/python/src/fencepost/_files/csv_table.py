"""CSV with a header, whatever it holds: which delimiter, which line names the columns, which line a row is in."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from .._errors import InputError
from .._tables.names import Names, key
from .text import LongLineError, check_lines, line_count

DELIMITERS = ",;\t"
MOST_HEADER = 1 << 20
"""Characters of the line that names the columns."""
_NO_TEXT = UnicodeDecodeError, LongLineError


class CSVTable:
    """CSV whose header was read.

    Attributes:
        delimiter: Comma, semicolon or tab: what occurs most often in the header.
        names: Of the columns.
        place: Of the header, for messages.
    """

    def __init__(
        self, text: Iterable[str], path: str | Path, known: Names, columns: Mapping[str, str], required: Sequence[str]
    ) -> None:
        """Reads the header; a comment that names all `required` columns is one.

        Args:
            text: What the file holds, in pieces of whole lines.
            path: The file, for messages.
            known: Names of columns, as :func:`find` knows them.
            columns: The names chosen by the caller.
            required: The columns that must exist.
        """
        self._path, self._lines = path, _Lines(text)
        lines = self._lines
        # Some loggers write the header as a comment: the last comment line that names the columns is the header.
        header, line = "", None
        try:
            while (line := next(lines, None)) is not None and (line.startswith("#") or not line.strip()):
                if _looks_like_header(line, known, columns, required):
                    header = line.lstrip("# ")
        except _NO_TEXT as error:
            raise self._refused(error, lines.number + 1) from None
        if line is None and not header:
            raise InputError(path, "line 1", "holds no rows")
        self._before = lines.number - (line is not None)
        self._ahead = line or ""
        if not header:
            header, self._ahead = self._ahead, ""
            self._before += 1
        self.place = f"line {self._before}"
        if len(header) > MOST_HEADER:
            raise InputError(path, self.place, f"the header is longer than {MOST_HEADER >> 20} MiB")
        self.delimiter = max(DELIMITERS, key=header.count)
        try:
            self.names = next(csv.reader([header], delimiter=self.delimiter), [])
        except csv.Error as error:
            raise InputError(path, self.place, f"not CSV: {error}") from None

    @property
    def line(self) -> int:
        """The number of the next line, counted from 1."""
        return self._before + 1

    def pieces(self) -> Iterator[str]:
        """The lines after the header, some at a time, each to be given to :meth:`rows` or :meth:`skip` before the next
        is asked for."""
        if piece := self._ahead + self._lines.rest():
            self._ahead = ""
            yield piece
        try:
            while piece := self._lines.piece():
                yield piece
        except _NO_TEXT as error:
            raise self._refused(error, self.line) from None

    def skip(self, lines: int) -> None:
        """Says that so many lines were read otherwise."""
        self._before += lines

    def rows(self, piece: str | None = None) -> Iterator[tuple[str, list[str]]]:
        """Place and cells of each row that is not empty: of these lines and those that their last row goes on in, or of
        all."""
        lines = io.StringIO(self._ahead if piece is None else piece, newline="")
        reader = csv.reader(chain(lines, self._lines), delimiter=self.delimiter)
        end = math.inf if piece is None else line_count(piece)
        try:
            for row in reader:
                if row:
                    yield f"line {self._before + reader.line_num}", row
                if reader.line_num >= end:
                    break
        except csv.Error as error:
            raise InputError(self._path, f"line {self._before + reader.line_num}", f"not CSV: {error}") from None
        except _NO_TEXT as error:
            raise self._refused(error, self._before + reader.line_num + 1) from None
        self._before += reader.line_num

    def _refused(self, error: UnicodeDecodeError | LongLineError, line: int) -> InputError:
        if isinstance(error, LongLineError):
            return InputError(self._path, f"line {line + error.lines}", f"{error}: it is not a row of a table")
        reason = f"is not {error.encoding.upper()} text; save the file as UTF-8"
        return InputError(self._path, f"line {line}", reason)

    def check_width(self, row: Sequence[str], last: int, place: str) -> None:
        """Refuses a row that ends before a column that is needed."""
        if len(row) <= last:
            raise InputError(self._path, place, f"has {len(row)} columns, the header {len(self.names)}")


class _Lines:
    """The lines of a text that comes in pieces, counted while they are read one by one."""

    def __init__(self, pieces: Iterable[str]) -> None:
        self._pieces, self._open, self.number = iter(pieces), io.StringIO(), 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        while not (line := self._open.readline()):
            self._open = io.StringIO(_text(next(self._pieces)), newline="")
        self.number += 1
        return line

    def rest(self) -> str:
        """The rest of the piece whose lines were read."""
        return self._open.read()

    def piece(self) -> str:
        """The rest of that piece, or else the next one; empty: the end."""
        return self.rest() or _text(next(self._pieces, ""))


def _text(piece: str) -> str:
    """The piece, if all of its lines may be rows. The csv module would stop at a NUL without naming the line."""
    check_lines(piece)
    return piece.replace("\0", "\ufffd")


def _looks_like_header(line: str, known: Names, columns: Mapping[str, str], required: Sequence[str]) -> bool:
    if len(line) > MOST_HEADER:
        return False
    names = {key(name) for name in re.split(f"[{DELIMITERS}]", line.lstrip("# "))}
    return all(names & {*known[what], key(columns.get(what, what))} for what in required)
