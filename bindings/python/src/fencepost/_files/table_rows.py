"""Reads the rows of tables (frames, Arrow streams, Parquet and vector files) as columns of fixes."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count, repeat
from typing import Any, NamedTuple, TypeAlias, overload

from .._errors import InputError
from .._tables.arrow_reader import BatchReader
from .._tables.frames import exported, is_frame
from .._tables.names import TRACK, several_text, warn_of_units
from .._tables.numbers import listed
from .doubts import Flaw, is_usable, worse
from .tracks import NO_POSITION, FixRow, Track, known_beside
from .vector import PLAIN, Reading

Beside: TypeAlias = "tuple[array[float], ...]"
"""The columns beside fixes: those of semi-axes and orientations of error ellipses, then perhaps those of heights.
Three NaN mean that a row has no ellipse, and a missing altitude is NaN."""


class Batch(NamedTuple):
    """Consecutive rows, as columns of equal length. NaN means a missing position or an accuracy that is not reported.
    If no row reports an accuracy, `accuracies` is None."""

    latitudes: array[float]
    longitudes: array[float]
    accuracies: array[float] | None
    times: array[int]
    codes: array[int] | None
    """The index into `keys` for each row; None if there is only one track."""
    keys: Sequence[Any]
    beside: Beside | None


class TableRows:
    """The rows of a table in batches. A stream is read only once; its batches are kept and can be iterated over again.

    Args:
        table: A frame, or an object that exports an Arrow stream.
        source: The path or the name of the argument, for messages.
        columns: Names of the columns for latitude, longitude, time and accuracy, if they have unusual names.
        by: Name of the column that identifies the track; None means that there is one track.
        how: Whether to transform coordinates in another CRS, and how times without a zone are read.
        crs: The CRS of points that do not specify their own.
        keeps: True to keep the batches, so that they can be read again.

    Raises:
        InputError: The table cannot be used; the error message says which row, which column, and why.
        MissingExtraError: The library that reads the table is not installed.
    """

    def __init__(
        self,
        table: Any,
        source: str,
        columns: Mapping[str, str],
        by: str | None,
        how: Reading = PLAIN,
        crs: Any = None,
        keeps: bool = True,
    ) -> None:
        if is_frame(table) and not len(table):
            raise InputError(source, "", "holds no rows")
        stream = exported(table, source, TRACK, columns, ("time",), by, how.times)
        self._reader = BatchReader(stream, source, how.transform, crs, how.times)
        self._plan = self._reader.find(TRACK, columns, ("time",))
        warn_of_units(source, columns)
        self.names: list[str] = list(table.columns) if is_frame(table) else self._reader.names
        self.source, self.by = source, by
        if by is not None and by not in self._reader.names:
            raise InputError(source, "", f"there is no column {by!r}, only {listed(self._reader.names)}")
        if by is not None and self._reader.names.count(by) > 1:
            raise InputError(source, "", several_text(self._reader.names, by))
        self._keeps = keeps
        self._kept: list[Batch] = []
        self._rest = self._read()

    def __iter__(self) -> Iterator[Batch]:
        if not self._keeps:
            yield from self._rest
            return
        for place in count():
            if place == len(self._kept):
                batch = next(self._rest, None)
                if batch is None:
                    return
                self._kept.append(batch)
            yield self._kept[place]

    def _read(self) -> Iterator[Batch]:
        reader, plan = self._reader, self._plan
        for first, chunk in reader.batches():
            latitudes, longitudes = reader.positions(chunk, plan, first)
            accuracies = reader.accuracies(chunk, plan, first)
            times = reader.times(chunk, plan.indices["time"], first)
            codes, keys = (None, (None,)) if self.by is None else reader.keys(chunk, self.by, first)
            reported = None if accuracies is None else _array("d", accuracies)
            columns = reader.beside(chunk, plan, first)
            beside = None if columns is None else tuple(_array("d", column) for column in columns)
            yield Batch(
                _array("d", latitudes), _array("d", longitudes), reported, _array("q", times), codes, keys, beside
            )

    def tracks(self) -> list[Track]:
        """All rows as tracks: one track for each value of the column `by`, in the order of their first rows."""
        fixes: dict[Any, Fixes] = {}
        flaws: dict[Any, Flaw | None] = {}
        row = 0
        for batch in self:
            keys = batch.keys
            accuracies: Iterable[float] = repeat(math.nan) if batch.accuracies is None else batch.accuracies
            codes: Iterable[int] = repeat(0) if batch.codes is None else batch.codes
            columns = batch.latitudes, batch.longitudes, accuracies, batch.times
            for code, *values in zip(codes, *columns, *(batch.beside or ())):
                key = keys[code]
                own = fixes.get(key)
                if own is None:
                    own = fixes[key] = Fixes(len(batch.beside or ()))
                own.append(*values)
                latitude, longitude, accuracy, _, *ellipse = fix_row(*values)
                if not is_usable(latitude, longitude, accuracy, *ellipse):
                    flaws[key] = worse(flaws.get(key), Flaw(f"row {row}", latitude, longitude, accuracy, *ellipse[:3]))
                row += 1
        if not fixes:
            raise InputError(self.source, "", "holds no rows")
        return [Track(self.source, own, [], key, self.names, flaws.get(key)) for key, own in fixes.items()]


class Fixes(Sequence[FixRow]):
    """Fixes as columns; NaN means a missing position or an accuracy that is not reported. `beside` is the number of
    columns beside those of the position."""

    def __init__(self, beside: int = 0) -> None:
        self.latitudes, self.longitudes, self.accuracies = array("d"), array("d"), array("d")
        self.times = array("q")
        self.beside: Beside | None = tuple(array("d") for _ in range(beside)) or None

    def append(self, latitude: float, longitude: float, accuracy: float, time: int, *beside: float) -> None:
        """Adds a fix at the end."""
        self.latitudes.append(latitude)
        self.longitudes.append(longitude)
        self.accuracies.append(accuracy)
        self.times.append(time)
        for column, value in zip(self.beside or (), beside):
            column.append(value)

    def __len__(self) -> int:
        return len(self.times)

    def __iter__(self) -> Iterator[FixRow]:
        return map(fix_row, *self._columns)

    @overload
    def __getitem__(self, index: int) -> FixRow: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[FixRow]: ...
    def __getitem__(self, index: int | slice) -> FixRow | Sequence[FixRow]:
        if isinstance(index, slice):
            return [self[row] for row in range(*index.indices(len(self)))]
        return fix_row(*(column[index] for column in self._columns))

    @property
    def _columns(self) -> tuple[Any, ...]:
        return self.latitudes, self.longitudes, self.accuracies, self.times, *(self.beside or ())


def fix_row(latitude: float, longitude: float, accuracy: float, time: int, *beside: float) -> FixRow:
    """Converts values to a fix: a missing accuracy becomes "not reported", and a missing position becomes "no
    position"."""
    if latitude != latitude or longitude != longitude:
        return math.nan, math.nan, NO_POSITION, time
    return latitude, longitude, 0.0 if accuracy != accuracy else accuracy, time, *known_beside(*beside)


def _array(code: str, values: Sequence[Any]) -> array[Any]:
    """The values of a column as an array. Values of another type are copied, so that later changes to the table have no
    effect."""
    if isinstance(values, array):
        return values
    if not isinstance(values, memoryview) or not values.contiguous:
        return array(code, values)
    copy = array(code)
    copy.frombytes(values.cast("B"))
    return copy
