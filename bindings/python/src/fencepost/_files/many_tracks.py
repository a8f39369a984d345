"""Reads a file with many tracks in batches of rows; each batch consists of columns."""

from __future__ import annotations

import math
import os
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import accumulate, islice, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _native
from .._errors import Advice, InputError, require, warn
from . import track_csv
from .checked import several_devices, warn_of_devices
from .csv_columns import columns
from .doubts import SeenTimes
from .file_fixes import FileAgain
from .first_rows import FirstRows
from .kinds import ending
from .order import KEEP, Clocks, ordered, places_in_time, sorted_text, taken
from .table_rows import Beside, TableRows
from .track_files import keyed_points
from .tracks import NOTHING, VECTOR_FORMATS, FixRow, Point
from .vector import PLAIN, Reading

if TYPE_CHECKING:
    from typing_extensions import Buffer

BATCH_ROWS = 65_536
LINE_CHARACTERS = 48
"""The usual length of a CSV line. For batches of n rows, each read from the file takes n times this many characters."""
HELD_ROWS = 131_072
ALL_ROWS = 1 << 63
"""The number of rows that may be read and sorted before the first row is returned: no limit, because the rows are
already in memory."""
MOST_SORTED = 10_000_000
"""The largest number of rows that are sorted in memory; this many rows need half a gigabyte."""
TOO_LARGE = f"a file of more than {MOST_SORTED} rows is too large to sort in memory"
UNSORTED = Advice(
    "sort the file by time, or pass sort=False to count unsorted rows as late",
    "sort the file by time, or pass --no-sort to count unsorted rows as late",
)


class Rows(NamedTuple):
    """Consecutive rows of a file: the track of each row (a number, in order of first appearance) and its fix.

    NaN means a missing position or an accuracy that is not reported. If no row reports an accuracy, `accuracies` is
    None. If no row has an error ellipse or heights, `beside` is None. `known` is the number of distinct tracks in the
    file up to the end of this batch. `place` is a function that converts the index of a row in the batch to the row's
    position in the file, as text for messages.
    """

    tracks: array[int]
    latitudes: array[float]
    longitudes: array[float]
    accuracies: array[float] | None
    times: array[int]
    known: int
    place: Callable[[int], str]
    beside: Beside | None = None


def _sorted(batches: Sequence[Rows]) -> Iterator[Rows]:
    """Sorts the rows of each track by time. Rows change places only with rows of the same track."""
    whole: list[array[Any]] = []
    for column in (0, 1, 2, 4):
        joined = array("q" if column in (0, 4) else "d")
        for rows in batches:
            joined.extend(rows[column])  # type: ignore[arg-type]
        whole.append(joined)
    tracks, latitudes, longitudes, times = whole
    accuracies = None
    if any(rows.accuracies is not None for rows in batches):
        accuracies = array("d")
        for rows in batches:
            accuracies.extend(repeat(math.nan, len(rows.tracks)) if rows.accuracies is None else rows.accuracies)
    beside: Beside | None = None
    if any(rows.beside is not None for rows in batches):
        beside = tuple(array("d") for _ in range(max(len(rows.beside or ()) for rows in batches)))
        for rows in batches:
            own_beside = rows.beside or ()
            for index, axis in enumerate(beside):
                given = index < len(own_beside)
                axis.extend(own_beside[index] if given else repeat(NOTHING[index], len(rows.tracks)))
    rows_in_time = places_in_time(tracks, times)
    ends = list(accumulate(len(rows.tracks) for rows in batches))
    for rows, end in zip(batches, ends):
        own = rows_in_time[end - len(rows.tracks) : end]
        yield Rows(
            rows.tracks,
            taken(latitudes, own),
            taken(longitudes, own),
            None if accuracies is None else taken(accuracies, own),
            taken(times, own),
            rows.known,
            partial(_place, batches, ends, own),
            None if beside is None else tuple(taken(column, own) for column in beside),
        )


def _place(batches: Sequence[Rows], ends: Sequence[int], rows: Sequence[int], row: int) -> str:
    """Returns the position in the file, as text for messages, of the row with index `row` in a sorted batch."""
    batch = bisect_right(ends, rows[row])
    return batches[batch].place(rows[row] - ends[batch] + len(batches[batch].tracks))


class UnsortedError(InputError):
    """Rows are not in time order and cannot be sorted in memory, because there are too many rows or because the first
    unsorted row comes too late in the file."""


class _Numbers(dict[Any, int]):
    """Assigns numbers to keys, in the order of their first appearance."""

    def __missing__(self, name: Any) -> int:
        number = self[name] = len(self)
        return number


class ManyTracks:
    """A file or a table with one or more tracks.

    Attributes:
        keys: The keys of the tracks, in order of first appearance. The list of keys is complete only after all rows
            have been read.
        first: The first rows that were read.
        names: The names of the columns; of a file, after the first row has been read.
        columns: The names of columns that the caller passed.
        held_rows: With `sort`, the number of rows that are checked before the first row is returned. If these rows are
            in order, all other rows are assumed to be in order.
    """

    def __init__(
        self,
        path: str | Path,
        by: str | None,
        columns: Mapping[str, str] | None = None,
        how: Reading = PLAIN,
        batch_rows: int | None = None,
        grouped: bool = False,
        sort: bool = False,
        held_rows: int | None = None,
        table: TableRows | None = None,
    ) -> None:
        self._table = table
        self.path, self.by, self.grouped, self.sort = path, by, grouped, sort
        self.held_rows = HELD_ROWS if held_rows is None else held_rows
        self.columns: Mapping[str, str] = columns or {}
        self.names: Sequence[str] = () if table is None else table.names
        self._how, self._batch_rows = how, batch_rows or BATCH_ROWS
        self._numbers = _Numbers()
        self.keys: list[Any] = []
        self.first = FirstRows()

    def batches(self) -> Iterator[Rows]:
        """The rows in file order.

        If `sort` is True, the first `held_rows` rows are read and checked before any row is returned. If one of these
        rows is earlier than a previous row of the same track, the whole file is read, and the rows of each track are
        sorted by time.

        Raises:
            InputError: The file cannot be used, or cannot be sorted in memory; the error message names the file, the
                position in the file and the reason.
        """
        if self._how.layer is not None and ending(self.path) not in VECTOR_FORMATS:
            raise InputError(self.path, "", "has no layers")
        seen, self.first = SeenTimes(), FirstRows()
        read = self._file() if self._table is None else self._of_table(self._table)
        for rows in self._in_time(read) if self.sort else read:
            seen.add(rows.times)
            self.first.add(*rows[:5])
            yield rows
        if not seen.count:
            raise InputError(self.path, "", "holds no points" if self._table is None else "holds no rows")
        if self._how.times.doubt:
            warn(self.path, "", self._how.times.doubt)
        jumping = self.first.jumping()
        if jumping is not None:
            track, doubt = jumping
            if self.by is None:
                several_devices(self.path, doubt, () if self._table is None else self._table.names)
            else:
                warn_of_devices(self.path, self.keys[track], doubt)
        if seen.doubt:
            warn(self.path, "", seen.doubt)

    def _file(self) -> Iterator[Rows]:
        by = self.by or ""
        names: list[str] = []
        found = keyed_points(self.path, self.columns, by, self._how, names)
        if found is not None:
            self.names = names
            return self._points(*found)
        return self._arrow(by) if Path(self.path).suffix.lower() in VECTOR_FORMATS else self._csv(by)

    def again(self) -> FileAgain | TableAgain:
        """The same file or table, opened with the same options, so that its fixes can be read again."""
        if self._table is not None:
            return TableAgain(self._table, self.sort)
        return FileAgain(self.path, self.by or "", self.columns, self._how, self.sort)

    def _in_time(self, read: Iterator[Rows]) -> Iterator[Rows]:
        held: list[Rows] = []
        clocks, count, late = Clocks(), 0, 0
        most = MOST_SORTED if self.held_rows < ALL_ROWS else ALL_ROWS
        try:
            for rows in read:
                held.append(rows)
                count += len(rows.tracks)
                late += len(clocks.late_rows(rows.tracks, rows.times))
                if not late and count >= self.held_rows:
                    break
                if late and count > most:
                    reason = f"is not sorted by time, and {TOO_LARGE}"
                    raise UnsortedError(self.path, "", reason, advice=UNSORTED)
        except InputError:
            if late and count > most:
                raise
            yield from _sorted(held) if late else held  # yields the rows that were read before the error
            raise
        if late:
            warn(self.path, "", sorted_text(late, count), KEEP)
        yield from _sorted(held) if late else held
        held.clear()
        yield from read

    def _rows(
        self,
        names: Iterable[Any],
        tracks: tuple[Sequence[int], Buffer] | None,
        latitudes: array[float],
        longitudes: array[float],
        accuracies: array[float] | None,
        times: array[int],
        beside: Beside | None,
        place: Callable[[int], str],
    ) -> Rows:
        """Rows of tracks. Without `tracks`, `names` contains the track of each row. With `tracks`, `names` contains
        each track once, and `tracks` consists of two columns: a code for each name, and a code for each row."""
        last = len(self.keys) - 1
        numbers = array("q", map(self._numbers.__getitem__, names))
        self.keys.extend(islice(self._numbers, len(self.keys), None))
        if tracks is not None:
            used, codes = tracks
            lookup = array("q", bytes(8 * (max(used, default=-1) + 1)))
            for code, number in zip(used, numbers):
                lookup[code] = number
            numbers = array("q")
            numbers.frombytes(_native.taken(lookup, codes))
        if self.grouped:
            self._check_grouped(numbers, last)
        return Rows(numbers, latitudes, longitudes, accuracies, times, len(self.keys), place, beside)

    def _of_table(self, table: TableRows) -> Iterator[Rows]:
        first = 0
        for latitudes, longitudes, accuracies, times, codes, keys, beside in table:
            rows = len(times)
            rows_codes = array("q", bytes(8 * rows)) if codes is None else codes
            used = _native.distinct(rows_codes, len(keys))  # a key without rows does not count as a track
            names = [keys[code] for code in used]
            yield self._rows(
                names,
                (used, rows_codes),
                latitudes,
                longitudes,
                accuracies,
                times,
                beside,
                partial(_numbered, "row", first),
            )
            first += rows

    def _check_grouped(self, tracks: array[int], last: int) -> None:
        if not tracks or (tracks[0] >= last and tracks.tolist() == sorted(tracks)):
            return
        for track in tracks:
            if track < last:
                reason = f"track {self.keys[track]!r} comes again after another: the tracks are not grouped"
                raise InputError(self.path, "", reason)
            last = track

    def _csv(self, by: str) -> Iterator[Rows]:
        size = self._batch_rows * LINE_CHARACTERS
        with track_csv.opened(self.path, self.columns, by, self._how.times, size) as table:
            self.names = table.names
            for piece in table.pieces():
                read = columns(table.layout, piece)
                if read is None:
                    yield self._by_row(table, piece)
                else:
                    place = partial(_numbered, "line", table.line)
                    table.skip(len(read.times))
                    if read.accuracies and not table.check_accuracy(min(read.accuracies)):
                        read = read._replace(accuracies=None)
                    yield self._rows(read.names, (range(len(read.names)), read.tracks), *read[2:], place)

    def _points(self, points: Sequence[tuple[str, Point]], keys: Sequence[Any]) -> Iterator[Rows]:
        """Returns the rows of a file that was read completely before the first row is returned."""
        for first in range(0, len(points), self._batch_rows):
            part = points[first : first + self._batch_rows]
            yield self._whole(keys[first : first + len(part)], part)

    def _whole(self, keys: Sequence[Any], points: Sequence[tuple[str, Point]]) -> Rows:
        latitudes, longitudes, accuracies, times = array("d"), array("d"), array("d"), array("q")
        count = max((len(point) for _, point in points), default=4) - 4
        beside: Beside | None = tuple(array("d") for _ in range(count)) or None
        for place, (latitude, longitude, accuracy, time, *more) in points:
            if time is None:
                raise InputError(self.path, place, "has no time")
            for column, value in zip(beside or (), (*more, *NOTHING[len(more) :])):
                column.append(value)
            latitudes.append(latitude)
            longitudes.append(longitude)
            # A NaN in an accuracy column is an invalid accuracy; a missing accuracy has already become 0.
            accuracies.append(-1.0 if math.isnan(accuracy) else accuracy)
            times.append(time)
        places = [at for at, _ in points].__getitem__
        return self._rows(keys, None, latitudes, longitudes, accuracies, times, beside, places)

    def _by_row(self, table: track_csv.Table, piece: str) -> Rows:
        rows = list(table.points(piece))
        return self._whole([key for _, key, _ in rows], [(place, point) for place, _, point in rows])

    def _arrow(self, by: str) -> Iterator[Rows]:
        path = os.fspath(self.path)
        with _open_batches(path, by, self._how, self._batch_rows) as (stream, crs):
            table = TableRows(stream, path, self.columns, by, self._how, crs, keeps=False)
            self.names = table.names
            yield from self._of_table(table)


class TableAgain:
    """The table of a replay; the fixes of each of its tracks can be read again."""

    def __init__(self, table: TableRows, sort: bool) -> None:
        self.path, self._sort = table.source, sort
        self._table: TableRows | None = table
        self._fixes: list[Sequence[FixRow]] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """The fixes without the table, whose reader cannot be pickled."""
        self.fixes(0)
        return {**self.__dict__, "_table": None}

    def fixes(self, number: int) -> Sequence[FixRow]:
        """Returns the fixes of a track, sorted by time if the replay sorted the track. Tracks are numbered in order of
        first appearance."""
        if self._fixes is None and self._table is not None:
            tracks = self._table.tracks()
            self._fixes = [(ordered(track)[0] if self._sort else track).fixes for track in tracks]
        assert self._fixes is not None
        return self._fixes[number] if number < len(self._fixes) else ()


def _numbered(what: str, first: int, row: int) -> str:
    return f"{what} {first + row}"


@contextmanager
def _open_batches(path: str, by: str, how: Reading, batch_rows: int) -> Iterator[tuple[Any, Any]]:
    """Opens a Parquet or vector file as an Arrow stream; also returns the file's CRS if the stream does not contain
    it."""
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
        except Exception as error:  # GDAL, pyogrio and pyarrow raise many kinds of errors
            raise InputError(path, "", f"cannot be read as {ending[1:]}: {error}") from None
        yield opened


def _open_parquet(stack: ExitStack, path: str, by: str, how: Reading, batch_rows: int) -> Any:
    if how.layer is not None:
        raise ValueError("it has no layers")
    parquet, pyarrow = require("pyarrow.parquet", "parquet"), require("pyarrow", "parquet")
    schema = parquet.read_schema(path)
    # Read columns of repeated texts with dictionary encoding.
    repeat = (
        [by] if by in schema.names and schema.field(by).type in (pyarrow.string(), pyarrow.large_string()) else None
    )
    file = stack.enter_context(parquet.ParquetFile(path, pre_buffer=False, buffer_size=1 << 20, read_dictionary=repeat))
    batches = file.iter_batches(batch_size=batch_rows, use_threads=False)
    return pyarrow.RecordBatchReader.from_batches(file.schema_arrow, batches)
