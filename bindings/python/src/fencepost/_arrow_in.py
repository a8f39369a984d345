"""Tables that export Arrow streams (the PyCapsule interface), read with nanoarrow. Columns of the right type are
read in place."""

from __future__ import annotations

import json
import math
import struct
import warnings
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import repeat
from operator import floordiv
from typing import Any, overload

from ._column_names import CONDITIONS, POSITION, TRACK, Names, find, time_unit
from ._files import InputError, require
from ._native import InvalidArgumentError
from ._tables import unit_time, value_time
from ._tracks import NO_POSITION, FixRow, Point, Track, split
from ._wkb import plain_points

_GEOMETRIES = ("geoarrow.point", "geoarrow.wkb", "ogc.wkb")
_PER_SECOND = {"s": 1, "m": 1_000, "u": 1_000_000, "n": 1_000_000_000}
_KEYS = {str, int, bool}
"""Types of values that tell tracks apart, whatever they are."""
Batch = tuple[Sequence[float], Sequence[float], Sequence[float] | None, Sequence[int], Sequence[Any] | None]
"""Latitudes, longitudes, accuracies, microseconds, keys."""


def is_arrow(value: Any) -> bool:
    """Whether it exports an Arrow stream."""
    return hasattr(value, "__arrow_c_stream__")


class ColumnFixes(Sequence[FixRow]):
    """The fixes of columns, made row by row as they are asked for."""

    def __init__(self, batches: Sequence[Batch]) -> None:
        self._batches = batches
        self._length = sum(len(batch[3]) for batch in batches)

    def __len__(self) -> int:
        return self._length

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


def arrow_tracks(table: Any, source: str, columns: Mapping[str, str], by: str | None) -> list[Track]:
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
    batches = list(track_batches(table, source, columns, by))
    if not sum(len(batch[3]) for batch in batches):
        raise InputError(source, "", "holds no rows")
    if by is None:
        return [Track(source, ColumnFixes(batches))]
    points: list[tuple[str, Point]] = [("", row) for batch in batches for row in fix_rows(batch)]
    return split(points, source, [key for batch in batches for key in batch[4] or ()])


def track_batches(
    table: Any,
    source: str,
    columns: Mapping[str, str],
    by: str | None,
    transform: bool = False,
    crs: Any = None,
) -> Iterator[Batch]:
    """The columns of each batch of a stream; see :func:`arrow_tracks`. With `transform` another CRS becomes WGS84;
    `crs` is that of points that do not say theirs."""
    stream = require("nanoarrow", "arrow").c_array_stream(table)
    reader = BatchReader(stream.get_schema(), source, transform, crs)
    plan = reader.find(TRACK, columns, ("time",), set(columns) & set(POSITION))
    if by is not None and by not in reader.names:
        raise InputError(source, "", f"there is no column {by!r}, only {', '.join(reader.names)}")
    first = 0
    for chunk in stream:
        if plan.geometry is None:
            latitudes, longitudes = (reader.numbers(chunk, plan.indices[what], what, first) for what in POSITION)
        else:
            longitudes, latitudes = reader.points(chunk, plan.geometry, first)
        index = plan.indices.get("accuracy")
        accuracies = None if index is None else reader.numbers(chunk, index, "accuracy", first)
        times = reader.times(chunk, plan.indices["time"], first)
        yield latitudes, longitudes, accuracies, times, None if by is None else reader.keys(chunk, by, first)
        first += chunk.length


def arrow_features(table: Any, source: str, columns: Mapping[str, str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The circles of anything that exports an Arrow stream, as GeoJSON features."""
    from ._conditions_table import feature

    stream = require("nanoarrow", "arrow").c_array_stream(table)
    reader = BatchReader(stream.get_schema(), source)
    plan = reader.find(CONDITIONS, columns, ("identifier", "radius"), set(columns) & set(POSITION))
    first = 0
    for chunk in stream:
        held: dict[str, Sequence[Any]] = {
            what: reader.values(chunk, plan.indices[what])
            for what in ("identifier", "assuming", "policy")
            if what in plan.indices
        }
        held["radius"] = reader.numbers(chunk, plan.indices["radius"], "radius", first)
        if plan.geometry is None:
            held.update((what, reader.numbers(chunk, plan.indices[what], what, first)) for what in POSITION)
        else:
            held["longitude"], held["latitude"] = reader.points(chunk, plan.geometry, first)
        for row in range(chunk.length):
            values = {what: part[row] for what, part in held.items() if not _missing(part[row])}
            yield f"row {first + row}", feature(values, source, f"row {first + row}", first + row)
        first += chunk.length
    if not first:
        raise InputError(source, "", "holds no rows")


def _missing(value: Any) -> bool:
    return value is None or value != value


class Plan:
    """Which columns hold what; `geometry` is the column of points where positions come from there."""

    def __init__(self, indices: Mapping[str, int], geometry: int | None) -> None:
        self.indices, self.geometry = indices, geometry


class BatchReader:
    """Reads columns of the batches of one stream."""

    def __init__(self, schema: Any, source: str, transform: bool = False, crs: Any = None) -> None:
        self._schema, self._source, self._transform, self._crs = schema, source, transform, crs
        self._transformer: Any = None
        if schema.format != "+s":
            raise InputError(source, "", "is an Arrow stream of values, not of a table's rows")
        self._children = list(schema.children)
        self.names = [child.name for child in self._children]

    def find(
        self, known: Names, columns: Mapping[str, str], required: Sequence[str], named: Iterable[str]
    ) -> Plan:
        """The columns, by the names that are known or given; positions come from points unless they are `named`."""
        geometry = None if set(named) else self._geometry()
        try:
            needed = required if geometry is not None else (*POSITION, *required)
            return Plan(find(self.names, known, columns, needed), geometry)
        except InvalidArgumentError as error:
            raise InputError(self._source, "", str(error)) from None

    def _geometry(self) -> int | None:
        table = self._metadata(self._schema)
        geo = json.loads(table.get("geo", "{}"))
        for index, child in enumerate(self._children):
            metadata = self._metadata(child)
            if metadata.get("ARROW:extension:name") in _GEOMETRIES:
                self._check_crs(json.loads(metadata.get("ARROW:extension:metadata") or "{}").get("crs"))
                return index
            if child.name == geo.get("primary_column"):
                self._check_crs(geo.get("columns", {}).get(child.name, {}).get("crs"))
                return index
        return None

    @staticmethod
    def _metadata(schema: Any) -> dict[str, str]:
        if schema.metadata is None:
            return {}
        return {key.decode(): value.decode(errors="replace") for key, value in schema.metadata.items()}

    def _check_crs(self, crs: Any) -> None:
        """Refuses coordinates that are not degrees WGS84; what is not told is taken to be that."""
        given = crs = crs or self._crs
        if isinstance(crs, str) and crs.lstrip().startswith("{"):
            given = crs = json.loads(crs)
        if isinstance(crs, dict):
            number = crs.get("id", {})
            crs = f"{number.get('authority')}:{number.get('code')}" if number else crs.get("name", "?")
        if crs in (None, "", "EPSG:4326", "EPSG:4979", "OGC:CRS84", "WGS 84", "WGS 84 (CRS84)"):
            return
        if self._transform:
            pyproj = require("pyproj", "geo")
            self._transformer = pyproj.Transformer.from_crs(given, 4326, always_xy=True)
            return
        reason = f"its CRS {str(crs)[:60]} is not WGS84 longitude and latitude; transform it first"
        raise InputError(self._source, "", reason)

    def numbers(self, chunk: Any, index: int, what: str, first: int) -> Sequence[float]:
        """A column as floats: in place where it holds doubles without nulls; NaN where there is nothing."""
        child = _child(chunk, index)
        kind = self._children[index].format
        if kind == "g" and not self._has_nulls(child):
            return self._plain(child)
        found = array("d")
        for row, value in enumerate(self.values(chunk, index)):
            if value is None:
                found.append(math.nan)
                continue
            try:
                if isinstance(value, str | bytes | bool | datetime):
                    raise TypeError
                found.append(float(value))
            except (TypeError, ValueError, OverflowError):
                reason = f"{what} {value!r} (column {self.names[index]!r}) is a {type(value).__name__}, not a number"
                raise InputError.of_row(self._source, first + row, reason) from None
        return found

    def times(self, chunk: Any, index: int, first: int) -> Sequence[int]:
        """A column as microseconds: in place where it holds microseconds without nulls."""
        child, name, kind = _child(chunk, index), self.names[index], self._children[index].format
        if self._has_nulls(child):
            for row, value in enumerate(self.values(chunk, index)):
                if value is None:
                    raise InputError.of_row(self._source, first + row, f"has no time (column {name!r})")
        if kind.startswith("ts"):
            if not kind.partition(":")[2]:
                reason = f"time (column {name!r}) has no time zone; give it one, for example UTC"
                raise InputError.of_row(self._source, first, reason)
            ticks = self._plain(child)
            if kind[2] == "u":
                return ticks
            if kind[2] == "n":
                return array("q", map(floordiv, ticks, repeat(1000)))
            try:
                return array("q", map((1_000_000 // _PER_SECOND[kind[2]]).__mul__, ticks))
            except OverflowError:  # of which row?
                pass
            return array("q", (self._scaled(tick, kind[2], first + row) for row, tick in enumerate(ticks)))
        unit = time_unit(name)
        if kind == "l" and unit == "us":
            return self._plain(child)
        found = array("q")
        for row, value in enumerate(self.values(chunk, index)):
            whole = isinstance(value, int) and not isinstance(value, bool)
            time = (unit_time if whole else lambda *given: value_time(given[0], given[1], name, *given[2:]))(
                value, unit, first + row, self._source
            )
            found.append(time)
        return found

    def _scaled(self, tick: int, unit: str, row: int) -> int:
        time = tick * (1_000_000 // _PER_SECOND[unit])
        if not -(1 << 63) < time < 1 << 63:
            raise InputError.of_row(self._source, row, f"time {tick} is outside year 1 to year 9999")
        return time

    def keys(self, chunk: Any, by: str, first: int) -> list[Any]:
        """The values of the column that tells tracks apart."""
        column = self.names.index(by)
        child = _child(chunk, column)
        if child.dictionary is not None and not self._has_nulls(child):
            names = require("nanoarrow", "arrow").Array(child.dictionary).to_pylist()
            if set(map(type, names)) <= _KEYS:
                return list(map(names.__getitem__, self._plain(child)))
        found = self.values(chunk, column)
        if set(map(type, found)) <= _KEYS:
            return found
        for row, value in enumerate(found):
            if _missing(value):
                raise InputError.of_row(self._source, first + row, f"has nothing in the column {by!r}")
            if isinstance(value, list | dict):
                reason = f"{value!r} (column {by!r}) cannot tell tracks apart"
                raise InputError.of_row(self._source, first + row, reason)
        return found

    def points(self, chunk: Any, index: int, first: int) -> tuple[Sequence[float], Sequence[float]]:
        """Longitudes and latitudes of a column of points; NaN where there is none."""
        xs, ys = self._coordinates(chunk, index, first)
        if self._transformer is None:
            return xs, ys
        longitudes, latitudes = self._transformer.transform(xs, ys)
        return longitudes, latitudes

    def _coordinates(self, chunk: Any, index: int, first: int) -> tuple[Sequence[float], Sequence[float]]:
        """X and y of a column of points: in place where they are separated and none is missing."""
        child, kind = _child(chunk, index), self._children[index].format
        if kind == "+s":
            if self._has_nulls(child):
                values = self.values(chunk, index)
                xs, ys = (array("d", [math.nan if v is None else _nan(v[axis]) for v in values]) for axis in "xy")
                return xs, ys
            return self._plain(_child(child, 0)), self._plain(_child(child, 1))
        plain = plain_points(child.view()) if kind in "zZ" and not self._has_nulls(child) else None
        if plain is not None:
            return plain
        xs, ys = array("d"), array("d")
        for row, value in enumerate(self.values(chunk, index)):
            if isinstance(value, list):  # interleaved
                x, y = (_nan(number) for number in value[:2])
            else:
                x, y = (math.nan, math.nan) if value is None else self._wkb(value, first + row)
            xs.append(x)
            ys.append(y)
        return xs, ys

    def _wkb(self, data: bytes, row: int) -> tuple[float, float]:
        try:
            order = "<" if data[0] == 1 else ">"
            (kind,) = struct.unpack_from(order + "I", data, 1)
            start = 9 if kind & 0x20000000 else 5
            if (kind & 0xFFFF) % 1000 != 1:
                reason = f"is a geometry of the kind {kind & 0xFFFF}, a Point is needed"
                raise InputError.of_row(self._source, row, reason)
            x, y = struct.unpack_from(order + "dd", data, start)
        except (struct.error, IndexError):
            raise InputError.of_row(self._source, row, "geometry: not WKB") from None
        return x, y

    def values(self, chunk: Any, index: int) -> list[Any]:
        """A column as Python values; None where there is nothing."""
        na = require("nanoarrow", "arrow")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that an extension's storage is what is read
            held: list[Any] = na.Array(_child(chunk, index)).to_pylist()
        return held

    @staticmethod
    def _has_nulls(child: Any) -> bool:
        return bool(child.view().null_count != 0)

    @staticmethod
    def _plain(child: Any) -> memoryview:
        view = child.view()
        return memoryview(view.buffer(1))[view.offset : view.offset + view.length]


def _child(chunk: Any, index: int) -> Any:
    """A column of a batch, or a field of a structure: its rows only."""
    child = chunk.child(index)
    if child.length == chunk.length and not chunk.offset:
        return child
    return child[chunk.offset : chunk.offset + chunk.length]


def _nan(value: float | None) -> float:
    return math.nan if value is None else value
