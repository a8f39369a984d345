"""Reads the batches of an Arrow stream and finds its columns. Columns of a suitable type are read in place, without a
copy."""

from __future__ import annotations

import json
import math
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import repeat
from operator import floordiv
from typing import Any, NamedTuple

from .._errors import Advice, InputError, require, warn
from .._native import InvalidArgumentError, extremes
from .arrow_shapes import LEVELS, MissingPlaceError, NestedShapes, is_nested
from .arrow_values import NUMBERS, Column, NotPointError, wkb_point
from .buffers import NO_TIME
from .geometries import AREAS, GEODESIC, LINES, of_wkt, wkb_type, wkt_type
from .names import (
    ACCELERATION,
    BESIDE,
    ERROR_ELLIPSE,
    GEOMETRY,
    HEIGHTS,
    POSITION,
    Names,
    acceleration_text,
    column_advice,
    find,
    is_acceleration,
    key,
    time_unit,
)
from .text_times import TimeStyle, unit_of_all, unit_time, value_time
from .times import is_time, to_us
from .wkt import wkt_point

ACCURACY = Advice(
    "use columns={'accuracy': NAME} to name the column that holds the accuracy",
    "use --columns accuracy=NAME to name the column that holds the accuracy",
)
_GEOMETRIES = ("geoarrow.point", "geoarrow.wkb", "ogc.wkb")
_FRACTIONS = {"s": (1_000_000, 1), "ms": (1_000, 1), "us": (1, 1), "ns": (1, 1_000)}
"""The length of each time unit in microseconds, as a numerator and a denominator."""
_UNITS = {"s": "s", "m": "ms", "u": "us", "n": "ns"}
"""The time unit that the third letter of an Arrow timestamp's format stands for."""
_WGS84 = (None, "", "EPSG:4326", "EPSG:4979", "OGC:CRS84", "WGS 84", "WGS 84 (CRS84)")


def is_arrow(value: Any) -> bool:
    """True if the object exports an Arrow stream."""
    return hasattr(value, "__arrow_c_stream__")


_TEXTS = ("u", "U", "vu")
"""The Arrow formats of text columns."""


class Ticks(NamedTuple):
    """Times as integers; the length of their unit in microseconds is `multiplier` / `divisor`."""

    values: Sequence[int]
    multiplier: int
    divisor: int


class Plan(NamedTuple):
    """`indices` contains, for each role, the index of its column. `geometry` is the column of points if positions come
    from such a column, otherwise None."""

    indices: Mapping[str, int]
    geometry: int | None


class BatchReader:
    """Reads the batches of one stream, column by column.

    Args:
        table: An object that exports the stream.
        source: The name of the argument, for messages.
        transform: True to transform points in another CRS to WGS84. If False, points in another CRS are refused.
        crs: The CRS for points that do not state one.
        style: How times without a zone are read; None for an interface that has no options for times.
        shapes: True to read polygons and lines as well as points; see :meth:`geometries`.

    Raises:
        InputError: The object does not give a stream, or its stream does not consist of rows.
        MissingExtraError: nanoarrow is not installed.
    """

    def __init__(
        self,
        table: Any,
        source: str,
        transform: bool = False,
        crs: Any = None,
        style: TimeStyle | None = None,
        shapes: bool = False,
    ) -> None:
        self._shapes = LEVELS if shapes else {}
        self._source, self._transform, self._crs = source, transform, crs
        self._style = TimeStyle(has_options=False) if style is None else style
        self._transformer: Any = None
        self._given: Mapping[str, str] = {}
        self._accelerations: set[int] = set()
        # Maps each column to the address of its dictionary, the dictionary itself (kept so that its address is not
        # reused), and the values of the dictionary.
        self._coded: dict[int, tuple[Any, Any, Any]] = {}
        nanoarrow = require("nanoarrow", "arrow")
        try:
            # The methods that a GeoDataFrame inherits from pandas do not support geometries.
            exported = table.to_arrow(index=False) if type(table).__name__ == "GeoDataFrame" else table
            self._stream = nanoarrow.c_array_stream(exported)
            self._schema = self._stream.get_schema()
        except Exception as error:  # the library behind the object may raise any error
            raise InputError(source, "", f"does not export an Arrow stream: {_said(error)}") from error
        if self._schema.format != "+s":
            raise InputError(source, "", "is an Arrow stream of single values; must be a stream of table rows")
        self._children = list(self._schema.children)
        self.names = [child.name for child in self._children]

    def batches(self) -> Iterator[tuple[int, Any]]:
        """The batches, each with the number of its first row.

        Raises:
            InputError: The stream ended with an error.
        """
        first = 0
        chunks = iter(self._stream)
        while True:
            try:
                chunk = next(chunks, None)
            except Exception as error:  # as above
                raise InputError.of_row(self._source, first, f"the stream ended early: {_said(error)}") from error
            if chunk is None:
                return
            nulls = Column(self._schema, chunk, 0, chunk.length).null_rows()
            if nulls:
                raise InputError.of_row(self._source, first + nulls[0], "is null")
            yield first, chunk
            first += chunk.length

    # ---------------------------------------------------------------------------------- which columns

    def find(self, known: Names, columns: Mapping[str, str], required: Sequence[str]) -> Plan:
        """Finds the columns by the names in `known` or the names passed in `columns`.

        Positions come from the first of these that exists: (1) the column of points that `columns` names; (2) the
        columns of latitudes and longitudes that `columns` names; (3) a column that is marked as points (GeoArrow,
        GeoParquet); (4) columns of latitudes and longitudes with usual names; (5) an unmarked column of points with a
        usual name.
        """
        self._given = columns
        try:
            if "geometry" in columns and set(columns) & set(POSITION):
                raise InvalidArgumentError("columns: geometry and latitude, longitude cannot be used together")
            indices = find(self.names, {**known, "geometry": GEOMETRY}, columns, required)
            usual = indices.pop("geometry", None)
            if "geometry" in columns:
                return Plan(indices, self._points_at(usual))
            marked = None if set(columns) & set(POSITION) else self._marked()
            if marked is not None:
                return Plan(indices, self._points_at(marked))
            if not set(POSITION) <= set(indices) and usual is not None and self._holds_points(usual):
                return Plan(indices, self._points_at(usual))
            return Plan(find(self.names, known, columns, (*POSITION, *required)), None)
        except InputError:
            raise
        except InvalidArgumentError as error:
            advice = column_advice(error, "columns") if "time" in known else None
            raise InputError(self._source, "", str(error), advice=advice) from None

    def _marked(self) -> int | None:
        primary = self._geo().get("primary_column")
        for index, child in enumerate(self._children):
            marked = _metadata(child).get("ARROW:extension:name")
            if marked in _GEOMETRIES or marked in self._shapes or child.name == primary:
                return index
        return None

    def _points_at(self, index: int | None) -> int:
        """Checks a column of points, its format and its CRS, and returns its index."""
        assert index is not None
        name, child = self.names[index], self._children[index]
        if not self._holds_points(index):
            raise InputError(self._source, "", f"the column {name!r} (Arrow's {child.format!r}) holds no points")
        metadata = _metadata(child)
        if metadata.get("ARROW:extension:name") in (*_GEOMETRIES, *self._shapes):
            self._check_crs(self._object(metadata.get("ARROW:extension:metadata") or "{}", name).get("crs"), name)
        else:
            columns = self._geo().get("columns")
            column = columns.get(name) if isinstance(columns, dict) else None
            self._check_crs(column.get("crs") if isinstance(column, dict) else None, name)
        return index

    def _holds_points(self, index: int) -> bool:
        """True if a column of this format can contain points: WKB, WKT, separate or interleaved coordinates."""
        child = self._children[index]
        marked = _metadata(child).get("ARROW:extension:name")
        if marked in self._shapes:
            return is_nested(child, self._shapes[marked])
        fields = list(child.children)
        if child.format == "+s":
            return [field.name for field in fields[:2]] == ["x", "y"] and {field.format for field in fields[:2]} == {
                "g"
            }
        if child.format.startswith("+w:"):
            return int(child.format[3:]) >= 2 and fields[0].format == "g"
        return child.format in ("z", "Z", "vz", *_TEXTS) or child.format.startswith("w:")

    def _geo(self) -> dict[str, Any]:
        return self._object(_metadata(self._schema).get("geo", "{}"), "geo")

    def _object(self, text: str, name: str) -> dict[str, Any]:
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise InputError(self._source, "", f"the metadata of {name!r} is not a JSON object")
        return found

    def _check_crs(self, crs: Any, name: str) -> None:
        """Checks that coordinates are WGS84 degrees, or prepares to transform them. A column without a CRS counts as
        WGS84."""
        given = crs = crs or self._crs
        if isinstance(crs, str) and crs.lstrip().startswith("{"):
            given = crs = self._object(crs, name)
        if isinstance(crs, dict):
            number = crs.get("id")
            crs = (
                f"{number.get('authority')}:{number.get('code')}" if isinstance(number, dict) else crs.get("name", "?")
            )
        if crs in _WGS84:
            return
        if self._transform:
            pyproj = require("pyproj", "geo")
            self._transformer = pyproj.Transformer.from_crs(given, 4326, always_xy=True)
            return
        reason = f"its CRS {str(crs)[:60]} is not WGS84 longitude and latitude"
        advice = Advice(
            "convert it, or read it with transform=True (replay, compare, Zones)", "use --transform to convert it"
        )
        raise InputError(self._source, "", reason, advice=advice)

    # ---------------------------------------------------------------------------------- what they hold

    def numbers(self, chunk: Any, index: int, what: str, first: int, missing: float = math.nan) -> Sequence[float]:
        """Returns a column as floats. Doubles without nulls are read in place. Nulls become `missing`."""
        column, kind = self._column(chunk, index), self._children[index].format
        if kind in NUMBERS and self._children[index].dictionary is None:
            nulls = column.null_rows()
            if kind == "g" and not nulls:
                return column.plain()
            found = array("d", column.plain())
            for row in nulls:
                found[row] = missing
            return found
        found = array("d")
        for row, value in enumerate(self._values(column, index, first)):
            if value is None:
                found.append(missing)
                continue
            try:
                if isinstance(value, str | bytes | bool | datetime):
                    raise TypeError
                found.append(float(value))
            except (TypeError, ValueError, OverflowError):
                reason = f"{what} {value!r} (column {self.names[index]!r}) is a {type(value).__name__}, not a number"
                raise InputError.of_row(self._source, first + row, reason) from None
        return found

    def accuracies(self, chunk: Any, plan: Plan, first: int, missing: float = math.nan) -> Sequence[float] | None:
        """The column of accuracies, or None if the table has no such column.

        If a column's name can mean either accuracy or acceleration, and the caller did not name the column, it is read
        as accuracy only until a batch contains a value below 0; this batch and all later batches are read without
        accuracies.
        """
        index = plan.indices.get("accuracy")
        if index is None or index in self._accelerations:
            return None
        found = self.numbers(chunk, index, "accuracy", first, missing)
        name = self.names[index]
        if key(name) == ACCELERATION and len(found) and is_acceleration(name, self._given, min(found)):
            self._accelerations.add(index)
            warn(self._source, "", acceleration_text(name), ACCURACY)
            return None
        return found

    def beside(self, chunk: Any, plan: Plan, first: int) -> list[Sequence[float]] | None:
        """The three columns of error ellipses and, if the table has heights, their four columns; None if it has
        neither. Nulls are NaN; of vertical accuracies they are 0."""
        indices = plan.indices
        if not any(what in indices for what in BESIDE):
            return None
        names = BESIDE if HEIGHTS[0] in indices else ERROR_ELLIPSE
        found: list[Sequence[float]] = []
        for what in names:
            missing = 0.0 if what == "vertical_accuracy" else math.nan
            if what in indices:
                found.append(self.numbers(chunk, indices[what], what, first, missing))
            else:
                found.append(array("d", repeat(missing, chunk.length)))
        return found

    def times(self, chunk: Any, index: int, first: int) -> Sequence[int]:
        """Returns a column of times as microseconds. Microseconds without nulls are read in place. Nulls are
        refused."""
        nulls = self._column(chunk, index).null_rows()
        if nulls:
            raise InputError.of_row(self._source, first + nulls[0], f"has no time (column {self.names[index]!r})")
        ticks, multiplier, divisor = self.ticks(chunk, index, first)
        if divisor > 1:
            ticks = array("q", map(floordiv, ticks, repeat(divisor)))
        elif multiplier > 1:
            try:
                ticks = array("q", map(multiplier.__mul__, ticks))
            except OverflowError:  # find the row
                ticks = array("q", (self._scaled(tick, multiplier, first + row) for row, tick in enumerate(ticks)))
        self._check_times(ticks, first)
        return ticks

    def _check_times(self, times: Any, first: int) -> None:
        """Refuses times outside the years 1 to 9999, because a log could not print them."""
        if len(times) and not all(map(is_time, extremes(times))):
            row = next(row for row, time in enumerate(times) if not is_time(time))
            raise InputError.of_row(self._source, first + row, f"time {times[row]} is outside year 1 to year 9999")

    def _scaled(self, tick: int, multiplier: int, row: int) -> int:
        time = tick * multiplier
        if not -(1 << 63) < time < 1 << 63:
            raise InputError.of_row(self._source, row, f"time {tick} is outside year 1 to year 9999")
        return time

    def ticks(self, chunk: Any, index: int, first: int) -> Ticks:
        """Returns a column of times in the column's own unit. 64-bit integers in one unit are read in place if the
        column has no nulls.

        A null becomes NO_TIME.
        """
        column, name, kind = self._column(chunk, index), self.names[index], self._children[index].format
        marked = _metadata(self._children[index]).get("ARROW:extension:name", "")
        if marked.startswith("pandas."):  # the integers of pandas' periods and intervals are not times
            raise InputError.of_row(
                self._source, first, f"the column {name!r} has the type {marked} and does not hold times"
            )
        nulls = column.null_rows()
        if kind.startswith("ts"):
            if not kind.partition(":")[2] and not self._style.is_plain:
                return Ticks(self._placed(column.plain(), nulls, _UNITS[kind[2]], first), 1, 1)
            return Ticks(_without(column.plain(), nulls), *_FRACTIONS[_UNITS[kind[2]]])
        unit = time_unit(name)
        if kind == "l" and self._children[index].dictionary is None:
            same = unit if unit is not None or nulls else unit_of_all(column.plain())
            if same is not None:
                return Ticks(_without(column.plain(), nulls), *_FRACTIONS[same])
        found = array("q")
        for row, value in enumerate(self._values(column, index, first)):
            if value is None:
                found.append(NO_TIME)
            elif isinstance(value, int) and not isinstance(value, bool):
                found.append(unit_time(value, unit, first + row, self._source))
            else:
                found.append(value_time(value, unit, name, first + row, self._source, self._style))
        return Ticks(found, 1, 1)

    def _placed(self, ticks: Sequence[int], nulls: Sequence[int], unit: str, first: int) -> array[int]:
        """Converts times without a zone to microseconds, with the time zone of the style."""
        multiplier, divisor = _FRACTIONS[unit]
        naive, missing, found = datetime(1970, 1, 1), set(nulls), array("q")
        for row, tick in enumerate(ticks):
            if row in missing:
                found.append(NO_TIME)
                continue
            try:
                when = naive + timedelta(microseconds=tick * multiplier // divisor)
                found.append(to_us(self._style.placed(when)))
            except OverflowError:
                reason = f"time {tick} {unit} is outside year 1 to year 9999"
                raise InputError.of_row(self._source, first + row, reason) from None
        return found

    def keys(self, chunk: Any, by: str, first: int) -> tuple[array[int], list[Any]]:
        """Reads the column that identifies the track. Returns an index for each row (32 or 64 bits), and the values
        that the indices refer to."""
        column, coded = self._column(chunk, self.names.index(by)), self._children[self.names.index(by)].dictionary
        for row in column.null_rows():
            raise InputError.of_row(self._source, first + row, f"has no value in the column {by!r}")
        if coded is not None:
            plain = column.plain()
            if plain.format in ("i", "q") and plain.contiguous:
                codes = array(plain.format)
                codes.frombytes(plain.cast("B"))
            else:
                codes = array("q", plain)
            values = column.dictionary().values()
        else:
            found = self.values(chunk, self.names.index(by), first)
            for row, value in enumerate(found[:1]):
                if isinstance(value, list | dict):
                    reason = f"{value!r} (column {by!r}) cannot identify a track"
                    raise InputError.of_row(self._source, first + row, reason)
            places: dict[Any, int] = {}
            codes = array("q", (places.setdefault(value, len(places)) for value in found))
            values = list(places)
        for place, value in enumerate(values):
            if (value is None or value != value) and place in codes:
                raise InputError.of_row(self._source, first + codes.index(place), f"has no value in the column {by!r}")
        return codes, values

    def coded(self, chunk: Any, index: int, first: int) -> tuple[Any, Any]:
        """Returns a column as indices and the values that they refer to. The indices of a dictionary column without
        nulls are read in place.

        The values are the tuple that was passed to :meth:`keep_coded` if the dictionary is the same as in the previous
        batch; otherwise they are a list.
        """
        column = self._column(chunk, index)
        if self._children[index].dictionary is None or column.null_rows():
            places: dict[Any, int] = {}
            codes = array("q")
            try:
                for value in self.values(chunk, index, first):
                    codes.append(places.setdefault(value, len(places)))
            except TypeError:
                reason = f"a list or a structure (column {self.names[index]!r}) cannot identify a device"
                raise InputError.of_row(self._source, first + len(codes), reason) from None
            self._coded.pop(index, None)
            return codes, list(places)
        words = column.dictionary()
        known = self._coded.get(index)
        if known is not None and known[0] == words.place:
            return column.plain(), known[2]
        try:
            values = words.values()
        except OverflowError as error:  # the dates are outside Python's range
            raise InputError(self._source, "", f"the column {self.names[index]!r} cannot be read: {error}") from None
        self._coded[index] = (words.place, words, values)
        return column.plain(), values

    def keep_coded(self, index: int, texts: tuple[str, ...]) -> tuple[str, ...]:
        """Stores the converted values of a dictionary; they are used as long as the following batches have the same
        dictionary."""
        if index in self._coded:
            place, words, _ = self._coded[index]
            self._coded[index] = (place, words, texts)
        return texts

    def positions(self, chunk: Any, plan: Plan, first: int) -> tuple[Sequence[float], Sequence[float]]:
        """Returns latitudes and longitudes, with NaN where a position is missing."""
        if plan.geometry is not None:
            longitudes, latitudes = self._points(chunk, plan.geometry, first)
        else:
            latitudes, longitudes = (self.numbers(chunk, plan.indices[what], what, first) for what in POSITION)
        return latitudes, longitudes

    def holds_points_alone(self, plan: Plan) -> bool:
        """True if positions come from columns of latitudes and longitudes, or from a geometry column whose type allows
        only points."""
        if plan.geometry is None:
            return True
        child = self._children[plan.geometry]
        return child.format.startswith(("+s", "+w")) or _metadata(child).get("ARROW:extension:name") == "geoarrow.point"

    def edges(self, plan: Plan) -> str | None:
        """The kind of edges that a column of geometries states: geodesic or planar; None if the column does not state
        its kind of edges."""
        if plan.geometry is None:
            return None
        name, columns = self.names[plan.geometry], self._geo().get("columns")
        own = _metadata(self._children[plan.geometry]).get("ARROW:extension:metadata") or "{}"
        metadata = [self._object(own, name), columns.get(name) if isinstance(columns, dict) else None]
        said = [each.get("edges") for each in metadata if isinstance(each, dict)]
        if any(each in GEODESIC for each in said):
            return "geodesic"
        return "planar" if any(said) else None

    def nested_shapes(self, chunk: Any, plan: Plan, first: int) -> NestedShapes | None:
        """The shapes of a column in one of GeoArrow's native layouts, read in place. For a column in any other layout,
        the result is None."""
        if plan.geometry is None:
            return None
        name, kind = self.names[plan.geometry], _metadata(self._children[plan.geometry]).get("ARROW:extension:name", "")
        if kind not in self._shapes:
            return None
        try:
            return NestedShapes(self._column(chunk, plan.geometry), kind)
        except MissingPlaceError as error:
            raise InputError.of_row(self._source, first + error.row, f"{error} (column {name!r})") from None
        except OverflowError:
            reason = f"one batch has too many vertices; must have fewer than 2**31 (column {name!r})"
            raise InputError.of_row(self._source, first, reason) from None

    def geometries(
        self, chunk: Any, plan: Plan, first: int
    ) -> tuple[Sequence[float], Sequence[float], list[bytes | None] | None]:
        """Returns the latitudes and longitudes of points (NaN for other rows), and the polygons and lines as well-known
        binary. The polygons and lines are None if all rows are points."""
        if self.holds_points_alone(plan):
            return *self.positions(chunk, plan, first), None
        assert plan.geometry is not None
        nothing = array("d", [math.nan]) * chunk.length
        nested = self.nested_shapes(chunk, plan, first)
        if nested is not None:
            return nothing, nothing, [nested.wkb(row) for row in range(chunk.length)]
        column = self._column(chunk, plan.geometry)
        if column.same_points() is not None:
            return *self.positions(chunk, plan, first), None
        values = self.values(chunk, plan.geometry, first)
        is_text = self._children[plan.geometry].format in _TEXTS
        types = [None if value is None else _type(value, is_text) for value in values]
        if not any(each in AREAS or each in LINES for each in types):
            return *self.positions(chunk, plan, first), None
        if self._transformer is not None:
            reason = (
                f"polygons and lines (column {self.names[plan.geometry]!r}) cannot be transformed; they must be WGS84"
            )
            raise InputError(self._source, "", reason)
        latitudes, longitudes = array("d", nothing), array("d", nothing)
        found: list[bytes | None] = []
        for row, (value, name) in enumerate(zip(values, types)):
            try:
                if name in AREAS or name in LINES:
                    found.append(of_wkt(value).wkb if is_text else bytes(value))
                    continue
                place = None if value is None else wkt_point(value) if is_text else wkb_point(value, row)
            except ValueError as error:
                said = str(error).replace("must be a Point", f"must be one of {', '.join((*AREAS, *LINES, 'Point'))}")
                reason = f"{said} (column {self.names[plan.geometry]!r})"
                raise InputError.of_row(self._source, first + row, reason) from None
            found.append(None)
            longitudes[row], latitudes[row] = place or (math.nan, math.nan)
        return latitudes, longitudes, found

    def _points(self, chunk: Any, index: int, first: int) -> tuple[Sequence[float], Sequence[float]]:
        """The longitudes and latitudes of a column of points."""
        try:
            if self._children[index].format in _TEXTS:
                xs, ys = self._wkt(chunk, index, first)
            else:
                xs, ys = self._coordinates(self._column(chunk, index))
        except NotPointError as error:
            reason = f"{error} (column {self.names[index]!r})"
            raise InputError.of_row(self._source, first + error.row, reason) from None
        if self._transformer is None:
            return xs, ys
        longitudes, latitudes = self._transformer.transform(xs, ys)
        return longitudes, latitudes

    def _wkt(self, chunk: Any, index: int, first: int) -> tuple[Sequence[float], Sequence[float]]:
        """Returns x and y of points in well-known text, with NaN for empty cells."""
        xs, ys = array("d"), array("d")
        for row, value in enumerate(self.values(chunk, index, first)):
            try:
                x, y = (None if value is None else wkt_point(value)) or (math.nan, math.nan)
            except ValueError as error:
                raise NotPointError(row, str(error)) from None
            xs.append(x)
            ys.append(y)
        return xs, ys

    @staticmethod
    def _coordinates(column: Column) -> tuple[Sequence[float], Sequence[float]]:
        """Returns x and y of a column of points. Coordinates are read in place if no point is missing."""
        if not column.format.startswith("+"):
            return column.wkb_points()
        axes, missing = column.coordinates()
        xs, ys = (_filled(axis, missing) for axis in axes) if missing else axes
        return xs, ys

    def values(self, chunk: Any, index: int, first: int) -> list[Any]:
        """Returns a column as Python values, with None for nulls."""
        return self._values(self._column(chunk, index), index, first)

    def _values(self, column: Column, index: int, first: int) -> list[Any]:
        try:
            return column.values()
        except (LookupError, NotImplementedError, OverflowError, ValueError) as error:
            kind = self._children[index].format
            reason = f"the column {self.names[index]!r} (Arrow's {kind!r}) cannot be read: {_said(error)}"
            raise InputError.of_row(self._source, first, reason) from None

    def _column(self, chunk: Any, index: int) -> Column:
        return Column.of_batch(self._schema, chunk, index)


def _type(value: Any, is_text: bool) -> str | None:
    return wkt_type(value) if is_text else wkb_type(value)


def _metadata(schema: Any) -> dict[str, str]:
    if schema.metadata is None:
        return {}
    return {key.decode(errors="replace"): value.decode(errors="replace") for key, value in schema.metadata.items()}


def without_nulls(value: Any) -> Any:
    """If the value is a structure, returns it without its null fields; otherwise returns the value unchanged."""
    return {name: part for name, part in value.items() if part is not None} if isinstance(value, dict) else value


def _said(error: Exception) -> str:
    """The text of an error, without an attached traceback."""
    text = str(error).partition(" Detail: Python exception")[0].strip()
    return text or type(error).__name__


def _without(ticks: Sequence[int], nulls: Sequence[int]) -> Sequence[int]:
    """Returns the ticks unchanged if there are no nulls, otherwise a copy with NO_TIME for nulls."""
    if not nulls:
        return ticks
    found = array("q", ticks)
    for row in nulls:
        found[row] = NO_TIME
    return found


def _filled(axis: Sequence[float], missing: Iterable[int]) -> array[float]:
    found = array("d", axis)
    for row in missing:
        found[row] = math.nan
    return found
