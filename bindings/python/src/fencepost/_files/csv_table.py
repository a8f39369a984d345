"""CSV with a header: finds the delimiter, the line with the column names, and the line number of each row."""

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
"""The longest header line, in characters."""
_NO_TEXT = UnicodeDecodeError, LongLineError


class CSVTable:
    """A CSV text whose header has been read.

    Attributes:
        delimiter: The delimiter, which is a comma, semicolon or tab, whichever occurs most often in the header.
        names: The column names.
        place: The header's location in the file, for messages.
    """

    def __init__(
        self, text: Iterable[str], path: str | Path, known: Names, columns: Mapping[str, str], required: Sequence[str]
    ) -> None:
        """Reads the header. A comment line counts as the header if it names all `required` columns.

        Args:
            text: The contents of the file, in pieces of whole lines.
            path: The path of the file, for messages.
            known: The usual column names, in the form that :func:`find` accepts.
            columns: The column names chosen by the caller.
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
            raise InputError(path, self.place, f"not valid CSV: {error}") from None

    @property
    def line(self) -> int:
        """The number of the next line, counted from 1."""
        return self._before + 1

    def pieces(self) -> Iterator[str]:
        """The lines after the header, in pieces. Pass each piece to :meth:`rows` or :meth:`skip` before you request the
        next piece."""
        if piece := self._ahead + self._lines.rest():
            self._ahead = ""
            yield piece
        try:
            while piece := self._lines.piece():
                yield piece
        except _NO_TEXT as error:
            raise self._refused(error, self.line) from None

    def skip(self, lines: int) -> None:
        """Adds lines that were not read by :meth:`rows` to the line count."""
        self._before += lines

    def rows(self, piece: str | None = None) -> Iterator[tuple[str, list[str]]]:
        """The place in the file (such as ``line 7``) and the cells of each non-empty row; reads one piece of lines, or
        the whole text. If the last row of a piece continues beyond the end of the piece, the lines that follow are also
        read."""
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
            raise InputError(self._path, f"line {self._before + reader.line_num}", f"not valid CSV: {error}") from None
        except _NO_TEXT as error:
            raise self._refused(error, self._before + reader.line_num + 1) from None
        self._before += reader.line_num

    def _refused(self, error: UnicodeDecodeError | LongLineError, line: int) -> InputError:
        if isinstance(error, LongLineError):
            reason = f"{error}, so the line cannot be a row of a table"
            return InputError(self._path, f"line {line + error.lines}", reason)
        reason = f"is not {error.encoding.upper()} text; save the file as UTF-8"
        return InputError(self._path, f"line {line}", reason)

    def check_width(self, row: Sequence[str], last: int, place: str) -> None:
        """Refuses a row that ends before a required column."""
        if len(row) <= last:
            raise InputError(self._path, place, f"has {len(row)} columns, the header {len(self.names)}")


class _Lines:
    """The lines of a text that is read in pieces. Counts the lines that are read one by one."""

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
        """Returns the unread rest of the current piece."""
        return self._open.read()

    def piece(self) -> str:
        """Returns the unread rest of the current piece; if there is no rest, returns the next piece, or an empty text
        at the end."""
        return self.rest() or _text(next(self._pieces, ""))


def _text(piece: str) -> str:
    """Checks a piece for lines that are too long. Replaces NUL characters, because the csv module would report them
    without a line number."""
    check_lines(piece)
    return piece.replace("\0", "\ufffd")


def _looks_like_header(line: str, known: Names, columns: Mapping[str, str], required: Sequence[str]) -> bool:
    if len(line) > MOST_HEADER:
        return False
    names = {key(name) for name in re.split(f"[{DELIMITERS}]", line.lstrip("# "))}
    return all(names & {*known[what], key(columns.get(what, what))} for what in required)
