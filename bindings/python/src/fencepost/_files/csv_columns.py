"""Reads CSV into columns, with PyArrow. The values are the same as those of the reader in `track_csv`, which reads row
by row. If a row is unusual, the result is None; then `track_csv` reads the text again and reports any errors in it."""

from __future__ import annotations

import csv
import io
import math
import sys
from array import array
from collections.abc import Callable
from functools import partial
from itertools import repeat
from typing import Any, NamedTuple

from .._errors import require
from .._tables.names import BESIDE, ERROR_ELLIPSE, HEIGHTS
from .._tables.text_times import UNITS, TimeStyle, parse_time, unit_of_all
from .._tables.times import is_time
from .table_rows import Beside
from .track_csv import NOTHING as BLANKS, Layout
from .tracks import NOTHING

LEAST_CHARACTERS = 1_000_000
"""A text with fewer characters than this is read row by row if PyArrow is not imported yet."""
_SECOND_DAY = -62_135_510_400_000_000
"""The second day of the year 1. A local time before the second day may be a UTC time before the year 1, which Python
cannot represent."""
_SPELLINGS = [
    "".join(letters)
    for word in BLANKS
    for bits in range(1 << len(word))
    for letters in [(letter.upper() if bits >> place & 1 else letter for place, letter in enumerate(word))]
]
"""All cell contents that count as empty, in every mix of upper and lower case."""


class Columns(NamedTuple):
    """The distinct tracks in order of first appearance, the track of each row, and the fixes. NaN means a missing
    position or an accuracy that is not reported."""

    names: list[str]
    tracks: array[int]
    latitudes: array[float]
    longitudes: array[float]
    accuracies: array[float] | None
    times: array[int]
    beside: Beside | None


def columns(layout: Layout, text: str) -> Columns | None:
    """Converts CSV lines to columns; returns None if the lines must be read row by row, for example because a line is
    not one complete row."""
    indices = layout.indices
    used = sorted({layout.track, *indices.values()})
    if "time" not in indices or layout.wkt >= 0 or len(used) != len(indices) + 1:
        return None
    if "pyarrow.csv" not in sys.modules and len(text) < LEAST_CHARACTERS:
        return None
    try:
        unusual = _arrow("lib").ArrowInvalid
    except ImportError:
        return None
    data = _plain(text)
    if data is None:
        return None
    try:
        return _columns(_table(data, layout, used), layout)
    except (unusual, ValueError, OverflowError):
        return None


def _arrow(part: str) -> Any:
    return require(f"pyarrow.{part}", "parquet")


def _plain(text: str) -> bytes | None:
    """Encodes the lines, each of which must be one row; returns None if a line is a comment, too long or otherwise
    unusual."""
    # PyArrow would also drop a byte order mark in the middle of a file.
    if not text or text.startswith("\ufeff") or ("\r" in text and text.count("\r") != text.count("\r\n")):
        return None
    data = text.encode()
    if b"#" in data and (data.startswith(b"#") or b"\n#" in data or b'"#' in data):
        return None
    # The csv module refuses fields longer than its limit. If every block of half the limit's length contains a line
    # end, no line can exceed the limit.
    half = csv.field_size_limit() // 2
    if any(data.find(b"\n", place, place + half) < 0 for place in range(0, len(data) - half, max(half, 1))):
        return None
    return data


def _table(data: bytes, layout: Layout, used: list[int]) -> Any:
    """The cells of the columns that are used: the times as strings, and the track column in dictionary encoding.

    Raises:
        ValueError: A line is not one complete row. PyArrow may raise ArrowInvalid instead of ValueError.
    """
    types, reader = _arrow("lib"), _arrow("csv")
    lines = data.count(b"\n") + (not data.endswith(b"\n"))
    # Append an empty row to find out whether the last row is complete: an open quotation mark would swallow the empty
    # row.
    mark = b"" if data.endswith(b"\n") else b"\n"
    mark += layout.delimiter.encode() * (layout.width - 1) + b"\n"
    kinds = {str(index): types.float64() for index in used}
    kinds[str(layout.track)] = types.dictionary(types.int32(), types.string())
    kinds[str(layout.indices["time"])] = types.string()
    names = [str(index) for index in range(layout.width)]
    size = len(data) + len(mark) + 1
    table = reader.read_csv(
        io.BytesIO(data + mark),
        reader.ReadOptions(use_threads=False, block_size=size, column_names=names),
        reader.ParseOptions(delimiter=layout.delimiter),
        reader.ConvertOptions(
            column_types=kinds, include_columns=list(kinds), null_values=_SPELLINGS, strings_can_be_null=False
        ),
    )
    if len(table) != lines + 1 or str(table[str(layout.track)][lines]):
        raise ValueError
    return table.slice(0, lines)


def _columns(table: Any, layout: Layout) -> Columns:
    """Converts the cells to columns of fixes.

    Raises:
        ValueError: A value is unusual, so the rows must be read one by one. PyArrow may raise ArrowInvalid or
            OverflowError instead of ValueError.
    """
    compute = _arrow("compute")
    indices = layout.indices
    tracks = table[str(layout.track)].combine_chunks()
    # Omit the empty name of the extra row, which is the last name in the dictionary unless another row also has no
    # name.
    names = tracks.dictionary.to_pylist()[:-1]
    if not all(map(str.strip, names)) or compute.max(tracks.indices).as_py() >= len(names):
        raise ValueError
    numbers = {what: _numbers(table[str(index)]) for what, index in indices.items() if what != "time"}
    times = _times(table[str(indices["time"])].combine_chunks(), layout.unit, layout.times)
    return Columns(
        names,
        _array("q", tracks.indices.cast("int64")),
        numbers["latitude"],
        numbers["longitude"],
        numbers.get("accuracy"),
        times,
        _beside(numbers, len(times)),
    )


def _beside(numbers: dict[str, array[float]], count: int) -> Beside | None:
    """The columns of error ellipses and heights, or None without any."""
    if not any(what in numbers for what in BESIDE):
        return None
    names = BESIDE if HEIGHTS[0] in numbers else ERROR_ELLIPSE
    own = numbers.get("vertical_accuracy", array("d"))
    for row in range(len(own)):
        if own[row] != own[row]:  # an empty cell: the accuracy was not reported
            own[row] = 0.0
    return tuple(
        numbers[what] if what in numbers else array("d", repeat(missing, count))
        for what, missing in zip(names, NOTHING)
    )


def _array(code: str, column: Any) -> array[Any]:
    """The values of a column of 64-bit elements; nulls become arbitrary values."""
    found = array(code)
    found.frombytes(memoryview(column.buffers()[1])[8 * column.offset : 8 * (column.offset + len(column))])
    return found


def _numbers(column: Any) -> array[float]:
    """The numbers of a column, with NaN for empty cells. Raises ValueError if a cell itself contains NaN."""
    compute = _arrow("compute")
    if math.isnan(compute.sum(column).as_py() or 0):
        raise ValueError
    found = _array("d", column.combine_chunks())
    if column.null_count:
        for row in compute.indices_nonzero(column.is_null()).to_pylist():
            found[row] = math.nan
    return found


def _times(cells: Any, unit: str | None, style: TimeStyle) -> array[int]:
    """The times of a column in microseconds, with the same results as :func:`parse_time`."""
    unusual = _arrow("lib").ArrowInvalid
    ways: list[Callable[[Any], array[int]]] = [partial(_whole_numbers, unit), partial(_instants, "UTC", style)]
    if style.is_plain:
        ways.append(partial(_instants, None, style))
    for way in ways:
        try:
            way(cells[:1])  # test one cell first, because trying a whole column of invalid values takes much longer
            return way(cells)
        except (unusual, ValueError):
            pass
    return array("q", [parse_time(cell, unit, style) for cell in cells.to_pylist()])


def _whole_numbers(unit: str | None, cells: Any) -> array[int]:
    compute = _arrow("compute")
    numbers = cells.cast("int64")
    if compute.any(compute.match_substring(cells, "x", ignore_case=True)).as_py():
        raise ValueError  # PyArrow reads hexadecimal numbers
    ends = list(compute.min_max(numbers).as_py().values())
    unit = unit or unit_of_all(ends)
    if unit is None or unit == "ns" or not all(is_time(end * int(UNITS[unit])) for end in ends):
        raise ValueError
    return _array("q", compute.multiply(numbers, int(UNITS[unit])))


def _instants(zone: str | None, style: TimeStyle, cells: Any) -> array[int]:
    """Converts ISO 8601 times that either all have a zone or all lack one."""
    times = cells.cast(_arrow("lib").timestamp("us", zone)).cast("int64")
    if _arrow("compute").min(times).as_py() < _SECOND_DAY:
        raise ValueError
    style.check(zone is not None, lambda: str(cells[0]))
    return _array("q", times)
