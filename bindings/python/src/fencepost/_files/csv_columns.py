"""Rows of CSV read by columns, without a loop over rows: the same values as row by row, or nothing where a row is
unusual, so that it is read by row and told of as there."""

from __future__ import annotations

import csv
import math
from array import array
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from itertools import islice, repeat
from operator import floordiv, itemgetter, sub
from typing import Any, NamedTuple

from .._tables.text_times import parse_time, unit_of_all
from .._tables.times import EPOCH
from .track_csv import NOTHING, Layout

_MICROSECOND = timedelta(microseconds=1)
_PIECE = 256
"""Lines whose cells fit into the processor's cache."""


class Columns(NamedTuple):
    """The different tracks by first appearance, which of them each row is of, and the fixes: NaN is a missing position,
    or an accuracy that is not reported."""

    names: list[str]
    tracks: array[int]
    latitudes: array[float]
    longitudes: array[float]
    accuracies: array[float] | None
    times: array[int]


def columns(layout: Layout, text: Iterable[str]) -> Columns | None:
    """The columns of lines; None: they are to be read by row."""
    if "time" not in layout.indices or layout.wkt >= 0 or not layout.times.is_plain:
        return None
    numbers, lines = Numbers(), iter(text)
    accuracies = array("d") if "accuracy" in layout.indices else None
    whole = Columns([], array("q"), array("d"), array("d"), accuracies, array("q"))
    try:
        while piece := list(islice(lines, _PIECE)):
            _append(whole, numbers, layout, piece)
    except (csv.Error, ValueError, OverflowError):
        return None
    if not all(map(str.strip, numbers)):
        return None
    whole.names.extend(numbers)
    return whole


class Numbers(dict[Any, int]):
    """Numbers by first appearance: what is new gets the next one."""

    def __missing__(self, name: Any) -> int:
        number = self[name] = len(self)
        return number


def _append(whole: Columns, numbers: Numbers, layout: Layout, lines: Sequence[str]) -> None:
    """Appends the cells of lines to the columns.

    Raises:
        ValueError: Something in the lines is unusual, so that they are to be read by row; as much is meant by the other
            exceptions that :func:`columns` catches.
    """
    indices = layout.indices
    cells: Sequence[Sequence[str]] | None = _plain_cells(layout, lines)
    if cells is None:
        # Strict only refuses more; for example a field that goes on after these lines.
        cells = list(zip(*csv.reader(lines, delimiter=layout.delimiter, strict=True), strict=True))
    if len(cells) <= max(layout.track, *indices.values()) or "#" in "".join(cells[0]):
        raise ValueError
    whole.times.extend(_times(cells[indices["time"]], layout.unit))
    whole.latitudes.extend(_numbers(cells[indices["latitude"]]))
    whole.longitudes.extend(_numbers(cells[indices["longitude"]]))
    if whole.accuracies is not None:
        whole.accuracies.extend(_numbers(cells[indices["accuracy"]]))
    whole.tracks.extend(map(numbers.__getitem__, cells[layout.track]))


def _plain_cells(layout: Layout, lines: Sequence[str]) -> list[Sequence[str]] | None:
    """The columns of lines without quotes, which end alike and have the cells of the header; None: they are not that.

    Less than half the work of csv.reader, which gives the same.
    """
    text, delimiter = "".join(lines), layout.delimiter
    end = "\r\n" if text.endswith("\r\n") else "\n"
    if '"' in text or len(text) > csv.field_size_limit():
        return None
    if text.count("\n") != len(lines) or text.count("\r") != (len(end) - 1) * len(lines):
        return None
    if set(map(str.count, lines, repeat(delimiter))) != {layout.width - 1}:
        return None
    cells = text[: -len(end)].replace(end, delimiter).split(delimiter)
    return [cells[column :: layout.width] for column in range(layout.width)]


def _numbers(cells: Sequence[str]) -> array[float]:
    """Numbers; NaN where there is nothing, which what stands there may not be."""
    try:
        numbers = array("d", map(float, cells))
    except ValueError:
        return array("d", map(_number, cells))
    if math.isnan(sum(numbers)):
        raise ValueError
    return numbers


def _number(cell: str) -> float:
    if cell.strip().lower() in NOTHING:
        return math.nan
    number = float(cell)
    if math.isnan(number):
        raise ValueError
    return number


def _times(cells: Sequence[str], unit: str | None) -> array[int]:
    """Microseconds, as :func:`parse_time` reads them."""
    ways: tuple[Callable[[Sequence[str], str | None], array[int]], ...] = (_whole_numbers, _iso)
    for way in ways:
        try:
            return way(cells, unit)
        except (ValueError, TypeError, IndexError):
            pass
    return array("q", [parse_time(cell, unit) for cell in cells])


def _whole_numbers(cells: Sequence[str], unit: str | None) -> array[int]:
    if "_" in "".join(cells):  # for int() it may stand between digits
        raise ValueError
    numbers = list(map(int, cells))
    unit = unit or unit_of_all(numbers)
    factor = {"s": 1_000_000, "ms": 1000, "us": 1}.get(unit or "")
    if factor is None or min(numbers) * factor <= -1 << 63:
        raise ValueError
    return array("q", map(factor.__mul__, numbers))


def _iso(cells: Sequence[str], unit: str | None) -> array[int]:
    # Without the hyphen after the year it may be a number.
    if set(map(itemgetter(4), cells)) != {"-"}:
        raise ValueError
    times = list(map(datetime.fromisoformat, cells))
    epoch = EPOCH if times[0].tzinfo is not None else EPOCH.replace(tzinfo=None)
    return array("q", map(floordiv, map(sub, times, repeat(epoch)), repeat(_MICROSECOND)))
