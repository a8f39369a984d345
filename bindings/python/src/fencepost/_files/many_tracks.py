"""A file of many tracks, read in batches of rows by columns."""

from __future__ import annotations

import math
import os
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from .._errors import InputError, require
from . import track_csv
from .arrow_tracks import track_batches
from .csv_columns import Columns, Numbers, columns
from .tracks import VECTOR_FORMATS
from .vector import PLAIN, Reading

BATCH_ROWS = 65_536


class Rows(NamedTuple):
    """Consecutive rows of a file: whose track each is of (a number, by first appearance), and its fix.

    NaN is a missing position, or an accuracy that is not reported; None: none is. `known` is how many tracks there were
    up to the last row.
    """

    tracks: array[int]
    latitudes: array[float]
    longitudes: array[float]
    accuracies: array[float] | None
    times: array[int]
    known: int


def _array(code: str, values: Sequence[Any]) -> array[Any]:
    if isinstance(values, array):
        return values
    if not isinstance(values, memoryview):
        return array(code, values)
    copy = array(code)
    copy.frombytes(values.cast("B"))
    return copy


class Readers(Protocol):
    """Who reads lines of CSV: how many batches ahead, and when asked for."""

    ahead: int

    def read(self, layout: track_csv.Layout, lines: Sequence[str]) -> Callable[[], Columns | None]:
        """Begins to read; the result waits for what was read."""


def _taken(waiting: deque[Any]) -> Iterator[Any]:
    while waiting:
        yield waiting.popleft()


class ManyTracks:
    """A file of many tracks.

    Attributes:
        keys: What tells the tracks apart, by first appearance; complete when all rows were read.
    """

    def __init__(
        self,
        path: str | Path,
        by: str,
        columns: Mapping[str, str] | None = None,
        how: Reading = PLAIN,
        batch_rows: int = BATCH_ROWS,
        grouped: bool = False,
    ) -> None:
        self.path, self.by, self.grouped = path, by, grouped
        self._columns, self._how, self._batch_rows = columns or {}, how, batch_rows
        self._numbers = Numbers()
        self.keys: list[Any] = []

    def batches(self, readers: Readers) -> Iterator[Rows]:
        """The rows in file order; `readers` may read lines of CSV while others are taken.

        Raises:
            InputError: The file cannot be used; the text names file, place and reason.
        """
        empty = True
        for rows in self._arrow() if Path(self.path).suffix.lower() in VECTOR_FORMATS else self._csv(readers):
            empty = empty and not len(rows.tracks)
            yield rows
        if empty:
            raise InputError(self.path, "", "holds no points")

    def _rows(
        self,
        names: Iterable[Any],
        tracks: Iterable[int] | None,
        latitudes: array[float],
        longitudes: array[float],
        accuracies: array[float] | None,
        times: array[int],
    ) -> Rows:
        """Rows of tracks with these names; or, where `tracks` says which of the names each row has, with those."""
        last = len(self.keys) - 1
        numbers = array("q", map(self._numbers.__getitem__, names))
        self.keys.extend(islice(self._numbers, len(self.keys), None))
        if tracks is not None:
            numbers = array("q", map(numbers.__getitem__, tracks))
        if self.grouped:
            self._check_grouped(numbers, last)
        return Rows(numbers, latitudes, longitudes, accuracies, times, len(self.keys))

    def _check_grouped(self, tracks: array[int], last: int) -> None:
        if not tracks or (tracks[0] >= last and tracks.tolist() == sorted(tracks)):
            return
        for track in tracks:
            if track < last:
                reason = f"track {self.keys[track]!r} comes again after another: the tracks are not grouped"
                raise InputError(self.path, "", reason)
            last = track

    def _csv(self, readers: Readers) -> Iterator[Rows]:
        with track_csv.opened(self.path, self._columns, self.by) as table:
            for lines, result in self._pieces(table, readers):
                read = result()
                if read is None:
                    yield self._by_row(table, lines)
                else:
                    table.skip(lines)
                    yield self._rows(*read)

    def _pieces(
        self, table: track_csv.Table, readers: Readers
    ) -> Iterator[tuple[list[str], Callable[[], Columns | None]]]:
        """Lines in their order, each with what reads them. Some are being read ahead, unless a row may go on in the
        next lines: after a quotation mark that is not known before."""
        waiting: deque[tuple[list[str], Callable[[], Columns | None]]] = deque()
        try:
            while lines := table.lines(self._batch_rows):
                if readers.ahead and '"' in "".join(lines):
                    yield from _taken(waiting)
                    yield lines, partial(columns, table.layout, lines)
                    continue
                waiting.append((lines, readers.read(table.layout, lines)))
                if len(waiting) > readers.ahead:
                    yield waiting.popleft()
        except InputError:
            yield from _taken(waiting)
            raise
        yield from _taken(waiting)

    def _by_row(self, table: track_csv.Table, lines: Sequence[str]) -> Rows:
        keys: list[str] = []
        latitudes, longitudes, accuracies, times = array("d"), array("d"), array("d"), array("q")
        for place, key, (latitude, longitude, accuracy, time) in table.rows(lines):
            if time is None:
                raise InputError(self.path, place, "has no time")
            keys.append(key)
            latitudes.append(latitude)
            longitudes.append(longitude)
            # Here an accuracy that is not reported is 0; what stands there as NaN is none that a fix can have.
            accuracies.append(-1.0 if math.isnan(accuracy) else accuracy)
            times.append(time)
        return self._rows(keys, None, latitudes, longitudes, accuracies, times)

    def _arrow(self) -> Iterator[Rows]:
        path = os.fspath(self.path)
        with _open_batches(path, self.by, self._how, self._batch_rows) as (stream, crs):
            given = (stream, path, self._columns, self.by, self._how.transform, crs)
            for latitudes, longitudes, accuracies, times, keys in track_batches(*given):
                positions = _array("d", latitudes), _array("d", longitudes)
                reported = None if accuracies is None else _array("d", accuracies)
                yield self._rows(keys or (), None, *positions, reported, _array("q", times))


@contextmanager
def _open_batches(path: str, by: str, how: Reading, batch_rows: int) -> Iterator[tuple[Any, Any]]:
    """The Arrow stream of a Parquet or vector file; its CRS where the stream does not say it."""
    if not os.path.exists(path):
        raise InputError(path, "", "No such file or directory")
    ending = Path(path).suffix.lower()
    with ExitStack() as stack:
        try:
            if ending == ".parquet":
                opened = _open_parquet(stack, path, by, how, batch_rows), None
            else:
                source = require("pyogrio.raw", "geo").open_arrow(
                    path, layer=how.layer, batch_size=batch_rows, datetime_as_string=True
                )
                meta, stream = stack.enter_context(source)
                opened = stream, meta["crs"]
        except ImportError:
            raise
        except Exception as error:  # GDAL, pyogrio and pyarrow raise many kinds
            raise InputError(path, "", f"not usable as {ending[1:]}: {error}") from None
        yield opened


def _open_parquet(stack: ExitStack, path: str, by: str, how: Reading, batch_rows: int) -> Any:
    if how.layer is not None:
        raise ValueError("it has no layers")
    parquet, pyarrow = require("pyarrow.parquet", "parquet"), require("pyarrow", "parquet")
    schema = parquet.read_schema(path)
    # Texts that repeat come once, with their numbers.
    repeat = (
        [by] if by in schema.names and schema.field(by).type in (pyarrow.string(), pyarrow.large_string()) else None
    )
    file = stack.enter_context(parquet.ParquetFile(path, pre_buffer=False, buffer_size=1 << 20, read_dictionary=repeat))
    batches = file.iter_batches(batch_size=batch_rows, use_threads=False)
    return pyarrow.RecordBatchReader.from_batches(file.schema_arrow, batches)
