"""CSV with a header, whatever it holds: which delimiter, which line names the columns, which line a row is in."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import IO

from .._errors import InputError
from .._tables.names import Names, key

DELIMITERS = ",;\t"


class CSVTable:
    """CSV whose header was read.

    Attributes:
        delimiter: Comma, semicolon or tab: what occurs most often in the header.
        names: Of the columns.
        place: Of the header, for messages.
    """

    def __init__(
        self, file: IO[str], path: str | Path, known: Names, columns: Mapping[str, str], required: Sequence[str]
    ) -> None:
        """Reads the header; a comment that names all `required` columns is one."""
        self._path, self._lines = path, _Lines(file, path)
        lines = self._lines
        # Some loggers write the header as a comment: the last comment line that names the columns is the header.
        header, line = "", next(lines, None)
        while line is not None and (line.startswith("#") or not line.strip()):
            if _looks_like_header(line, known, columns, required):
                header = line.lstrip("# ")
            line = next(lines, None)
        if line is None and not header:
            raise InputError(path, "line 1", "holds no rows")
        self._before = lines.number - (line is not None)
        self._ahead: list[str] = [] if line is None else [line]
        if not header:
            header = self._ahead.pop()
            self._before += 1
        self.place = f"line {self._before}"
        self.delimiter = max(DELIMITERS, key=header.count)
        try:
            self.names = next(csv.reader([header], delimiter=self.delimiter), [])
        except csv.Error as error:
            raise InputError(path, self.place, f"not CSV: {error}") from None

    def lines(self, count: int) -> list[str]:
        """The next lines, at most so many, to be given to :meth:`rows` or :meth:`skip` in their order."""
        taken, self._ahead = self._ahead + self._lines.take(count - len(self._ahead)), []
        return taken

    def skip(self, lines: Sequence[str]) -> None:
        """Says that lines were read otherwise."""
        self._before += len(lines)

    def rows(self, lines: Sequence[str] | None = None) -> Iterator[tuple[str, list[str]]]:
        """Place and cells of each row that is not empty: of these lines and those that their last row goes on in, or of
        all."""
        reader = csv.reader(chain(self._ahead if lines is None else lines, self._lines), delimiter=self.delimiter)
        end = math.inf if lines is None else len(lines)
        try:
            for row in reader:
                if row:
                    yield f"line {self._before + reader.line_num}", row
                if reader.line_num >= end:
                    break
        except csv.Error as error:
            raise InputError(self._path, f"line {self._before + reader.line_num}", f"not CSV: {error}") from None
        self._before += reader.line_num

    def check_width(self, row: Sequence[str], last: int, place: str) -> None:
        """Refuses a row that ends before a column that is needed."""
        if len(row) <= last:
            raise InputError(self._path, place, f"has {len(row)} columns, the header {len(self.names)}")


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


def _looks_like_header(line: str, known: Names, columns: Mapping[str, str], required: Sequence[str]) -> bool:
    names = {key(name) for name in re.split(f"[{DELIMITERS}]", line.lstrip("# "))}
    return all(names & {*known[what], key(columns.get(what, what))} for what in required)
