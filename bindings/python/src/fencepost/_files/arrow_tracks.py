"""Tables that export Arrow streams (the PyCapsule interface) as tracks. Columns of the right type are read in place."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, overload

from .._errors import InputError
from .._tables.arrow_reader import BatchReader
from .._tables.names import TRACK
from .._tables.text_times import PLAIN_TIMES, TimeStyle
from .doubts import Flaw, is_usable, worse
from .tracks import NO_POSITION, FixRow, Point, Track, split

Batch = tuple[Sequence[float], Sequence[float], Sequence[float] | None, Sequence[int], Sequence[Any] | None]
"""Latitudes, longitudes, accuracies, microseconds, keys."""


class ColumnFixes(Sequence[FixRow]):
    """The fixes of columns, made row by row as they are asked for."""

    def __init__(self, batches: Sequence[Batch]) -> None:
        self._batches = batches
        self._length = sum(len(batch[3]) for batch in batches)

    def __len__(self) -> int:
        return self._length

    @property
    def times(self) -> Iterable[int]:
        """The times alone, of all fixes."""
        return chain.from_iterable(batch[3] for batch in self._batches)

    @property
    def flaw(self) -> Flaw | None:
        """The first fix that cannot be used; see :class:`Track`."""
        if all(map(_is_whole, self._batches)):
            return None
        found: Flaw | None = None
        for row, fix in enumerate(self):
            if not is_usable(*fix[:3]) and (found is None or found.is_missing):
                found = worse(found, Flaw(f"row {row}", *fix[:3]))
        return found

    def __iter__(self) -> Iterator[FixRow]:
        for batch in self._batches:
            yield from fix_rows(batch)

    @overload
    def __getitem__(self, index: int) -> FixRow: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[FixRow]: ...
    def __getitem__(self, index: int | slice) -> FixRow | Sequence[FixRow]:
        if isinstance(index, slice):
            return [self[row] for row in range(*index.indices(len(self)))]
        row = index + len(self) if index < 0 else index
        if row >= 0:
            for latitudes, longitudes, accuracies, times, _ in self._batches:
                if row < len(times):
                    accuracy = math.nan if accuracies is None else accuracies[row]
                    return fix_row(latitudes[row], longitudes[row], accuracy, times[row])
                row -= len(times)
        raise IndexError(index)


def _is_whole(batch: Batch) -> bool:
    """Whether the least and the greatest values say that all fixes of a batch can be used."""
    latitudes, longitudes, accuracies, _, _ = batch
    if not len(latitudes):
        return True
    least = 0.0 if accuracies is None else min(accuracies)
    return is_usable(min(latitudes), min(longitudes), least) and is_usable(max(latitudes), max(longitudes), 0.0)


def fix_row(latitude: float, longitude: float, accuracy: float, time: int) -> FixRow:
    """A fix: a missing accuracy is "not reported", a missing position "no position"."""
    if latitude != latitude or longitude != longitude:
        return math.nan, math.nan, NO_POSITION, time
    return latitude, longitude, 0.0 if accuracy != accuracy else accuracy, time


def fix_rows(batch: Batch) -> Iterator[FixRow]:
    """The fixes of a batch."""
    latitudes, longitudes, accuracies, times, _ = batch
    if accuracies is None:
        for latitude, longitude, time in zip(latitudes, longitudes, times):
            yield fix_row(latitude, longitude, math.nan, time)
    else:
        yield from map(fix_row, latitudes, longitudes, accuracies, times)


def arrow_tracks(
    table: Any, source: str, columns: Mapping[str, str], by: str | None, style: TimeStyle = PLAIN_TIMES
) -> list[Track]:
    """The rows of anything that exports an Arrow stream as fixes, in their order.

    Args:
        table: A table of PyArrow or Polars, a relation of DuckDB, or the like.
        source: Argument, for messages.
        columns: Names of the columns for latitude, longitude, time, accuracy where they are not recognised.
        by: Name of a column: one track for each of its values.

    Raises:
        InputError: The table cannot be used: which row, which column, why.
        MissingExtraError: nanoarrow is not installed.
    """
    names: list[str] = []
    batches = list(track_batches(table, source, columns, by, style=style, names=names))
    if not sum(len(batch[3]) for batch in batches):
        raise InputError(source, "", "holds no rows")
    if by is None:
        fixes = ColumnFixes(batches)
        return [Track(source, fixes, columns=names, flaw=fixes.flaw)]
    points: list[tuple[str, Point]] = [("", row) for batch in batches for row in fix_rows(batch)]
    return split(points, source, [key for batch in batches for key in batch[4] or ()], names)


def track_batches(
    table: Any,
    source: str,
    columns: Mapping[str, str],
    by: str | None,
    transform: bool = False,
    crs: Any = None,
    style: TimeStyle = PLAIN_TIMES,
    names: list[str] | None = None,
) -> Iterator[Batch]:
    """The columns of each batch of a stream; see :func:`arrow_tracks`. With `transform` another CRS becomes WGS84;
    `crs` is that of points that do not say theirs; `names` gets the names of the columns."""
    reader = BatchReader(table, source, transform, crs, style)
    plan = reader.find(TRACK, columns, ("time",))
    if names is not None:
        names.extend(reader.names)
    if by is not None and by not in reader.names:
        raise InputError(source, "", f"there is no column {by!r}, only {', '.join(reader.names)}")
    for first, chunk in reader.batches():
        latitudes, longitudes = reader.positions(chunk, plan, first)
        accuracies = reader.accuracies(chunk, plan, first)
        times = reader.times(chunk, plan.indices["time"], first)
        yield latitudes, longitudes, accuracies, times, None if by is None else reader.keys(chunk, by, first)
