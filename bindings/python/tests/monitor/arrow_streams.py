"""Tables and streams for the Arrow tests, and a handle that records the engine's input."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from conftest import SECOND

from fencepost import Circle, Fix, Monitor
from fencepost._files.tracks import FixRow
from fencepost.types import FeedResult

pytest.importorskip("nanoarrow")
pa = pytest.importorskip("pyarrow")
numpy = pytest.importorskip("numpy")

START_US = 1_714_564_800_000_000
UTC_US = pa.timestamp("us", "UTC")
Rows = list[FixRow]


class Spy:
    """Wraps a monitor's handle; records the addresses of the columns that reach the engine."""

    def __init__(self, monitor: Monitor) -> None:
        self._handle = monitor._handle
        self.addresses: list[list[int]] = []
        monitor._handle = self  # type: ignore[assignment]

    def _note(self, columns: tuple[Any, ...]) -> None:
        arrays = [numpy.asarray(column) for column in columns]
        self.addresses.append([array.__array_interface__["data"][0] for array in arrays])

    def feed_columns(self, *arguments: Any) -> Any:
        self._note(tuple(column for column in arguments[:4] if column is not None))
        return self._handle.feed_columns(*arguments)

    def add_circles(self, *arguments: Any) -> Any:
        self._note(arguments[1:4])
        return self._handle.add_circles(*arguments)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._handle, name)


def address(column: Any) -> int:
    """Returns the address of the first value in a column of one chunk."""
    (chunk,) = column.chunks
    found: int = chunk.buffers()[1].address + 8 * chunk.offset
    return found


def watching(rows: Rows) -> Monitor:
    """Returns a monitor with circles along a track."""
    monitor = Monitor()
    placed = [row for row in rows if -90 <= row[0] <= 90 and -180 <= row[1] <= 180]
    for number, row in enumerate(placed[:: max(1, len(placed) // 12)]):
        radius = 80 * (1 + number % 5)
        monitor.add(Circle(row[0], row[1], radius), f"c{number}", policy=("exact", "standard")[number % 2])
    return monitor


def outcome(monitor: Monitor) -> tuple[list[str], Any]:
    return [event.to_json() for event in monitor.events()], monitor.statistics()


def one_by_one(rows: Rows) -> tuple[list[str], Any]:
    monitor = watching(rows)
    for latitude, longitude, accuracy, time in rows:
        try:
            monitor.feed(Fix(latitude, longitude, accuracy, time=time))
        except ValueError:
            pass
    return outcome(monitor)


def counts(statistics: Any) -> FeedResult:
    return FeedResult(statistics.accepted_fixes, statistics.invalid_fixes, statistics.late_inputs)


def way(rows: int, generator: random.Random) -> Rows:
    """Returns the track of a wandering device; some rows have no position, are invalid or late."""
    found: Rows = []
    latitude, longitude = 52.5, 13.4
    for row in range(rows):
        latitude += generator.uniform(-4e-4, 4e-4)
        longitude += generator.uniform(-6e-4, 6e-4)
        fix = (latitude, longitude, generator.choice([0.0, 5.0, 30.0]), START_US + row * 10 * SECOND)
        kind = generator.randrange(25)
        if kind == 0:
            fix = (math.nan, math.nan, math.nan, fix[3])
        elif kind == 1:
            fix = (91.0, *fix[1:])
        elif kind == 2:
            fix = (*fix[:3], fix[3] - 50 * SECOND)
        found.append(fix)
    return found


def table_of(rows: Rows) -> Any:
    """Returns a table of rows, in which unknown values are null."""
    nothing = [row[0] != row[0] for row in rows]
    return pa.table({
        "lat": pa.array([None if gap else row[0] for gap, row in zip(nothing, rows)], "f8"),
        "lon": pa.array([None if gap else row[1] for gap, row in zip(nothing, rows)], "f8"),
        "accuracy": pa.array([None if gap or row[2] == 0 else row[2] for gap, row in zip(nothing, rows)], "f8"),
        "time": pa.array([row[3] for row in rows], UTC_US),
    })  # fmt: skip


def reader_of(table: Any, sizes: Callable[[], int]) -> Any:
    """Returns a stream of batches of the given sizes, each a slice of the table with an offset; some batches are
    empty."""

    def batches() -> Iterator[Any]:
        (whole,) = table.combine_chunks().to_batches()
        start = 0
        while start < whole.num_rows:
            size = sizes()
            yield whole.slice(start, size)
            start += size

    return pa.RecordBatchReader.from_batches(table.schema, batches())


def circles(rows: int, generator: random.Random) -> dict[str, list[Any]]:
    return {
        "name": [f"circle {row} of {generator.randrange(10**12)}" if row % 3 else str(row) for row in range(rows)],
        "lat": [52.5 + generator.uniform(-0.01, 0.01) for _ in range(rows)],
        "lon": [13.4 + generator.uniform(-0.01, 0.01) for _ in range(rows)],
        "radius": [generator.uniform(50, 500) for _ in range(rows)],
        "assuming": [generator.choice([None, "satisfied", "unsatisfied", "unknown"]) for _ in range(rows)],
        "policy": [generator.choice([None, "exact", "standard", "core_location"]) for _ in range(rows)],
    }
