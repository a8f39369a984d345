"""Reads one column of an Arrow array: its memory without copying, its nulls, and its values as Python objects (with
nanoarrow)."""

from __future__ import annotations

import math
import struct
import sys
import warnings
from array import array
from collections.abc import Sequence
from decimal import Context, Decimal
from typing import Any

from .._errors import require
from .wkb import same_points

NUMBERS = frozenset("cCsSiIlLfg")
"""Formats of fixed-size numbers that a memoryview can read. Half floats are not included, because Python versions
before 3.12 cannot read them."""
_INLINE = 12
"""The maximum size, in bytes, of a text or binary value that is stored inside its view."""
_KINDS = {
    2: "LineString",
    3: "Polygon",
    4: "MultiPoint",
    5: "MultiLineString",
    6: "MultiPolygon",
    7: "GeometryCollection",
}
"""The geometry types by their numbers in WKB."""
_EXACT = Context(prec=100)
"""The precision in decimal digits; it is enough for 256-bit decimals."""


class NotPointError(ValueError):
    """Raised if a value is not a point. `row` is the row's index in the column."""

    def __init__(self, row: int, reason: str) -> None:
        super().__init__(reason)
        self.row = row


class Column:
    """A column of a batch or a field of a structure, without the rows outside a slice.

    nanoarrow 0.9 does not read all types correctly. nanoarrow crashes the process when it copies arrays of views, and
    gives the wrong rows for slices of decimals, half floats and fixed-size binary values. For types that nanoarrow
    reads wrongly, this class decodes the values itself.
    """

    def __init__(self, schema: Any, held: Any, first: int, length: int) -> None:
        self.format: str = schema.format
        self.length = length
        self._schema, self._held, self._view = schema, held, held.view()
        self._first = first + self._view.offset

    @classmethod
    def of_batch(cls, schema: Any, chunk: Any, index: int) -> Column:
        """The column at `index` of a batch."""
        return cls(schema.child(index), chunk.child(index), chunk.offset, chunk.length)

    def field(self, index: int) -> Column:
        """A field of a structure."""
        return Column(self._schema.child(index), self._held.child(index), self._first, self.length)

    def dictionary(self) -> Column:
        """The values of a dictionary column."""
        held = self._held.dictionary
        return Column(self._schema.dictionary, held, 0, held.length)

    @property
    def place(self) -> tuple[Any, ...]:
        """A value that identifies the memory of the column. If two columns exist at the same time and have equal values
        of `place`, they are the same column."""
        return tuple(self._held.buffers), self._held.offset, self._held.length, self.format

    def plain(self) -> memoryview[Any]:
        """The elements of a column of fixed-size numbers or times, without copying. The elements of null rows have
        arbitrary values."""
        return memoryview(self._view.buffer(1))[self._first : self._first + self.length]

    def offsets(self) -> memoryview[Any]:
        """The offsets of a column of lists, without copying: the index at which each list starts among the items, and
        the index at which the last list ends. An empty column may have no offsets."""
        return memoryview(self._view.buffer(1))[self._first : self._first + self.length + 1]

    def items(self) -> Column:
        """Returns the items of all lists in a column of lists, one after another, as a column."""
        held = self._held.child(0)
        return Column(self._schema.child(0), held, 0, held.length)

    def coordinates(self) -> tuple[list[memoryview[Any]], set[int]]:
        """Returns x and y of a column of structures or of lists of doubles, without copying. Also returns the rows in
        which a value is missing."""
        missing = set(self.null_rows())
        if self.format == "+s":
            fields = [self.field(0), self.field(1)]
            return [field.plain() for field in fields], missing.union(*[field.null_rows() for field in fields])
        size = int(self.format.removeprefix("+w:"))
        inner = Column(self._schema.child(0), self._held.child(0), self._first * size, self.length * size)
        elements = inner.plain()
        return [elements[0::size], elements[1::size]], missing | {element // size for element in inner.null_rows()}

    def null_rows(self) -> Sequence[int]:
        """The rows that are null."""
        if self.format == "n":
            return range(self.length)
        if not self.length or not self._view.null_count or not self._view.buffer(0).size_bytes:
            return ()
        bits = memoryview(self._view.buffer(0).unpack_bits(self._first, self.length)).cast("B")
        return [row for row, bit in enumerate(bits) if not bit]

    def values(self) -> list[Any]:
        """Returns the values as Python objects, with None for nulls.

        Raises:
            KeyError: nanoarrow cannot read the column's type.
        """
        if _is_decoded_here(self.format):
            return self._of_views() if self.format.startswith("v") else self._of_one_size()
        if self._schema.dictionary is not None:
            words = self.dictionary().values()
            nulls = set(self.null_rows())
            if not nulls:
                return list(map(words.__getitem__, self.plain()))
            return [None if row in nulls else words[index] for row, index in enumerate(self.plain())]
        if any(map(_holds_decoded_here, self._schema.children)):
            raise KeyError("this type is not supported within lists or structures")
        start = self._first - self._view.offset
        held = self._held if not start and self._held.length == self.length else self._held[start : start + self.length]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # nanoarrow warns that it reads only the storage of an extension type
            values: list[Any] = require("nanoarrow", "arrow").Array(held).to_pylist()
        return values

    def _of_views(self) -> list[Any]:
        """Returns the texts or bytes in a column of views. A view has 16 bytes: the length, and then the value itself
        or a reference to it."""
        view = self._view
        data = [memoryview(view.buffer(index)).cast("B") for index in range(2, view.n_buffers - 1)]
        rows = memoryview(view.buffer(1))[self._first : self._first + self.length].tobytes()
        nulls = set(self.null_rows())
        found: list[Any] = []
        for row in range(self.length):
            if row in nulls:
                found.append(None)
                continue
            length, _, number, start = struct.unpack_from("=iiii", rows, 16 * row)
            inline = rows[16 * row + 4 : 16 * row + 4 + length]
            value = inline if length <= _INLINE else data[number][start : start + length].tobytes()
            found.append(value.decode(errors="replace") if self.format == "vu" else value)
        return found

    def _of_one_size(self) -> list[Any]:
        """Returns the values of a column of decimals, half floats, or fixed-size bytes."""
        rows = memoryview(self._view.buffer(1))[self._first : self._first + self.length].tobytes()
        if self.format == "e":
            found: list[Any] = list(struct.unpack(f"={self.length}e", rows))
        else:
            size = len(rows) // self.length if self.length else 0
            found = [rows[start : start + size] for start in range(0, len(rows), size or 1)]
        if self.format.startswith("d:"):
            scale = int(self.format.removeprefix("d:").split(",")[1])
            found = [
                Decimal(int.from_bytes(value, sys.byteorder, signed=True)).scaleb(-scale, _EXACT) for value in found
            ]
        for row in self.null_rows():
            found[row] = None
        return found

    def wkb_points(self) -> tuple[array[float], array[float]]:
        """Returns x and y of a column of WKB points, with NaN for nulls.

        Raises:
            NotPointError: A row contains a geometry that is not a point, or bytes that are not WKB.
        """
        same = self.same_points()
        if same is not None:
            return same
        xs, ys = array("d"), array("d")
        for row, value in enumerate(self.values()):
            x, y = (math.nan, math.nan) if value is None else wkb_point(value, row)
            xs.append(x)
            ys.append(y)
        return xs, ys

    def same_points(self) -> tuple[array[float], array[float]] | None:
        """A fast version of :meth:`wkb_points`. Returns None if any value is not a little-endian point with two
        coordinates; :meth:`wkb_points` must then be used."""
        if self.format not in ("z", "Z") or not self.length or self._view.null_count:
            return None
        starts = memoryview(self._view.buffer(1))[self._first : self._first + self.length + 1]
        return same_points(starts, memoryview(self._view.buffer(2)).cast("B"))


def _is_decoded_here(kind: str) -> bool:
    return kind in ("vu", "vz", "e") or kind.startswith(("d:", "w:"))


def _holds_decoded_here(schema: Any) -> bool:
    inner = [*schema.children, *([] if schema.dictionary is None else [schema.dictionary])]
    return _is_decoded_here(schema.format) or any(map(_holds_decoded_here, inner))


def wkb_point(data: bytes, row: int) -> tuple[float, float]:
    """Returns the x and y of a WKB point, in ISO or extended WKB."""
    try:
        order = {0: ">", 1: "<"}[data[0]]
        (kind,) = struct.unpack_from(order + "I", data, 1)
        has_reference = bool(kind & 0x2000_0000)
        if kind & 0x1FFF_FFFF not in (1, 1001, 2001, 3001):
            name = _KINDS.get(kind % 0x1000_0000 % 1000, f"geometry of type {kind & 0x1FFF_FFFF}")
            raise NotPointError(row, f"must be a Point, not {name}")
        reference = struct.unpack_from(order + "I", data, 5)[0] if has_reference else 4326
        if reference not in (0, 4326):
            raise NotPointError(row, f"its SRID {reference} is not 4326 (WGS84); transform the geometry first")
        x, y = struct.unpack_from(order + "dd", data, 9 if has_reference else 5)
    except (struct.error, LookupError):
        raise NotPointError(row, "geometry: not WKB") from None
    return x, y
