"""Tables as Arrow streams (the PyCapsule interface), built with nanoarrow."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from .._errors import require
from .times import to_us

POINT_METADATA = '{"crs":"EPSG:4326","crs_type":"authority_code"}'
"""The metadata with which GeoArrow states the reference system. The order of coordinates is always x (longitude), y
(latitude)."""
_MICROSECOND = timedelta(microseconds=1)


class ArrowExport:
    """An object that has only the Arrow stream of a table, for libraries that would read the table itself as a list of
    objects.

    Any library that supports the Arrow PyCapsule interface can read the object any number of times.

    Example:
        >>> from fencepost import Circle, Fix, replay
        >>> log = replay([Fix(0, 0, time=0)], {"start": Circle(0, 0, radius=150)})
        >>> hasattr(log.to_arrow(), "__arrow_c_stream__")
        True
    """

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Exports the table's Arrow stream; see :meth:`EventLog.__arrow_c_stream__`."""
        return self._table.__arrow_c_stream__(requested_schema)


def stream_capsule(
    columns: Mapping[str, Sequence[Any]],
    kinds: Mapping[str, str],
    requested_schema: Any = None,
    points: Sequence[tuple[float, float] | None] | None = None,
) -> Any:
    """A PyCapsule with an ArrowArrayStream of one batch.

    Args:
        columns: The columns by name; all columns have equal length. None becomes null.
        kinds: The column types: ``time`` (aware), ``duration``, ``int``, ``uint``, ``float``, ``bool`` or ``text``. For
            any other column, the type depends on the values: int if all values are int, else float if all are numbers,
            else bool if all are bool, else text.
        requested_schema: The schema that the PyCapsule interface passes. If `requested_schema` differs from the
            stream's schema, nanoarrow raises an error.
        points: The longitude and latitude of each row; they become a last column ``geometry`` of GeoArrow points.

    Raises:
        MissingExtraError: nanoarrow is not installed.
    """
    na = require("nanoarrow", "arrow")
    fields, arrays, length = {}, [], 0
    for name, values in columns.items():
        length = len(values)
        kind = kinds.get(name) or _kind(values)
        fields[name], child = _column(na, kind, values)
        arrays.append(child)
    if points is not None:
        length = len(points)
        fields["geometry"], child = _points(na, points)
        arrays.append(child)
    schema = na.struct(fields, nullable=False)
    table = na.c_array_from_buffers(schema, length, [None], null_count=0, children=arrays)
    return na.c_array_stream(table).__arrow_c_stream__(requested_schema=requested_schema)


def _kind(values: Sequence[Any]) -> str:
    kinds = {bool if isinstance(value, bool) else type(value) for value in map(_plain, values) if value is not None}
    if not kinds:
        return "text"
    if kinds == {bool}:
        return "bool"
    if kinds == {int} and all(value is None or -(1 << 63) <= value < 1 << 63 for value in map(_plain, values)):
        return "int"
    if kinds <= {int, float}:
        return "float"
    if kinds == {datetime} and all(value is None or value.utcoffset() is not None for value in values):
        return "time"
    return "text"


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def _column(na: Any, kind: str, values: Sequence[Any]) -> tuple[Any, Any]:
    if kind == "text":
        texts = [None if value is None else str(value) for value in values]
        return na.string(), na.c_array(texts, na.string())
    if kind == "bool":
        return na.bool_(), na.c_array([_plain(value) for value in values], na.bool_())
    code, schema = {
        "time": ("q", na.timestamp("us", "UTC")),
        "duration": ("q", na.duration("us")),
        "int": ("q", na.int64()),
        "uint": ("Q", na.uint64()),
        "float": ("d", na.float64()),
    }[kind]
    bits, nulls = _validity(values)
    data = array(code, [_number(kind, value) for value in values])
    return schema, na.c_array_from_buffers(schema, len(values), [bits, data], null_count=nulls)


def _number(kind: str, value: Any) -> Any:
    if value is None:
        return 0
    if kind == "time":
        return to_us(value)
    return value // _MICROSECOND if kind == "duration" else _plain(value)


def _validity(values: Sequence[Any]) -> tuple[bytes | None, int]:
    """The validity bits, starting with the lowest bit, and the number of nulls."""
    nulls = sum(value is None for value in values)
    if not nulls:
        return None, 0
    bits = bytearray((len(values) + 7) // 8)
    for row, value in enumerate(values):
        if value is not None:
            bits[row >> 3] |= 1 << (row & 7)
    return bytes(bits), nulls


def _points(na: Any, points: Sequence[tuple[float, float] | None]) -> tuple[Any, Any]:
    storage = na.struct({"x": na.float64(), "y": na.float64()})
    schema = na.extension_type(storage, "geoarrow.point", POINT_METADATA)
    nowhere = (float("nan"), float("nan"))
    axes = [array("d", [(point or nowhere)[axis] for point in points]) for axis in (0, 1)]
    parts = [na.c_array_from_buffers(na.float64(), len(points), [None, axis]) for axis in axes]
    bits, nulls = _validity(points)
    return schema, na.c_array_from_buffers(schema, len(points), [bits], null_count=nulls, children=parts)
