"""The fixes of a file's tracks; the file is read again only when the fixes are accessed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol, overload

from .._errors import InputError
from .kinds import is_pipe
from .order import ordered
from .track_files import read_tracks
from .tracks import FixRow
from .vector import Reading


class FileAgain:
    """A replayed file with many tracks. When the fixes of a track are requested, the file is read again, and then the
    fixes of all tracks stay in memory."""

    def __init__(self, path: str | Path, by: str, columns: Mapping[str, str], how: Reading, sort: bool) -> None:
        self.path = path
        self._by, self._columns, self._how, self._sort = by, columns, how, sort
        self._fixes: list[Sequence[FixRow]] | None = None

    def fixes(self, number: int) -> Sequence[FixRow]:
        """Returns the fixes of a track, sorted by time if the replay sorted them. Tracks are numbered in order of first
        appearance.

        Raises:
            InputError: The file no longer exists, or has changed.
        """
        if self._fixes is None:
            if is_pipe(self.path):
                raise InputError(self.path, "", "is a pipe, which can be read only once: save it in a file")
            tracks = read_tracks(self.path, columns=self._columns, by=self._by, how=self._how)
            self._fixes = [(ordered(track)[0] if self._sort else track).fixes for track in tracks]
        return self._fixes[number] if number < len(self._fixes) else ()


class Again(Protocol):
    """A file or a table that can be read again."""

    @property
    def path(self) -> str | Path:
        """The path of the file, or the name of the argument that contained the table."""

    def fixes(self, number: int) -> Sequence[FixRow]:
        """Returns the fixes of a track. Tracks are numbered in order of first appearance."""


class FileFixes(Sequence[FixRow]):
    """The fixes of one track of a file or a table that can be read again."""

    def __init__(self, file: Again, number: int, count: int) -> None:
        self._file, self._number, self._count = file, number, count

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[FixRow]:
        return iter(self._read())

    @overload
    def __getitem__(self, index: int) -> FixRow: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[FixRow]: ...
    def __getitem__(self, index: int | slice) -> FixRow | Sequence[FixRow]:
        return self._read()[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(other) == self._count and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{self._count} fixes of {self._file.path}>"

    def _read(self) -> Sequence[FixRow]:
        found = self._file.fixes(self._number)
        if len(found) != self._count:
            reason = f"has changed since the replay: the track has {len(found)} fixes, not {self._count}"
            raise InputError(self._file.path, "", reason)
        return found
