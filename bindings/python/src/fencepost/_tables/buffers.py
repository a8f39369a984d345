"""Reads columns of numbers and times from NumPy arrays, pandas columns, buffers, lists and similar objects.

This module does not import NumPy: it uses the methods of the array that an object's ``__array__`` returns.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, TypeAlias, cast

from .._errors import published
from .._native import InvalidArgumentError
from .numbers import shown
from .times import MICROSECONDS, Time, to_us

if TYPE_CHECKING:
    from typing_extensions import Buffer

    class SupportsArray(Protocol):
        """An object that NumPy can convert to an array: a NumPy array, or a pandas, Polars or PyArrow column."""

        def __array__(self) -> Any: ...

    class ArrowStream(Protocol):
        """An object that exports an Arrow stream of rows: a PyArrow, Polars or pandas table, or a DuckDB relation."""

        def __arrow_c_stream__(self, requested_schema: Any = ..., /) -> Any: ...

    NumberColumn: TypeAlias = SupportsArray | Buffer | Iterable[float]
    EllipseColumns: TypeAlias = tuple[NumberColumn | float, NumberColumn | float, NumberColumn | float]
    TimeColumn: TypeAlias = SupportsArray | Buffer | Iterable[Time]

NO_TIME = -(1 << 63)
"""The integer that stands for a missing time. A row with a missing time counts as invalid."""


@published
class ColumnTypeError(InvalidArgumentError, TypeError):
    """Raised if a column contains values of the wrong type. ``position`` is the index of the first row with a value of
    the wrong type.

    The class is both an :class:`InvalidArgumentError` and a ``TypeError``.

    Example:
        >>> from fencepost import Monitor
        >>> Monitor().feed_many(latitude=[0, "north"], longitude=[0, 0], time=[0, 1])
        Traceback (most recent call last):
            ...
        fencepost.errors.ColumnTypeError: latitude, row 1: 'north' is str, expected a number
    """


def refuse_value(what: str, row: int, reason: str, kind: type[InvalidArgumentError] = ColumnTypeError) -> NoReturn:
    """Raises an error about one value of a column."""
    error = kind(f"{what}, row {row}: {reason}")
    error.position, error._reason, error._argument = row, reason, what
    raise error


def refuse(message: str, row: int = 0, kind: type[InvalidArgumentError] = ColumnTypeError) -> NoReturn:
    """Raises an error about a column, with the row as its position."""
    error = kind(message)
    error.position = row
    raise error


def numbers(values: Any, what: str, *, none: float | None = None) -> memoryview[Any]:
    """Returns a column as doubles. A column of doubles is not copied, even if its elements are not adjacent in memory.

    Args:
        none: The number that replaces each masked element and each None in a list. If `none` is omitted, a None in a
            list raises an error, and masked elements become NaN.
    """
    table = _array_of(values, what, math.nan if none is None else none)
    if table is not None:
        # pandas gives an empty column of a file the dtype object.
        is_empty = table.dtype.kind == "O" and not len(table)
        if table.dtype.kind not in "fiu" and not is_empty:
            _refuse_dtype(table, what)
        return memoryview(table if table.dtype == "float64" else table.astype("float64"))
    view = _view_of(values, what)
    if view is not None and view.format == "d":
        return view
    rows = view if view is not None else _rows_of(values, what, "numbers")
    try:
        return memoryview(array("d", rows))
    except (TypeError, ValueError, OverflowError):
        return memoryview(
            array("d", [_number(value, f"{what}, row {row}", row, none) for row, value in enumerate(rows)])
        )


def times(values: Any, what: str, *, none: bool = False) -> tuple[memoryview[Any], int, int]:
    """Returns a column of times as 64-bit integers, together with the length of their unit in microseconds, as a
    fraction.

    Args:
        none: Whether :data:`NO_TIME` replaces each None. Otherwise a None is refused.
    """
    # Convert pandas times that have a zone before making an array, because the array would otherwise contain objects.
    if hasattr(getattr(values, "dtype", None), "tz"):
        values = getattr(values, "dt", values).tz_convert(None)
    table = _array_of(values, what, NO_TIME)
    if table is not None:
        return _times_of_array(table, what, none)
    view = _view_of(values, what)
    if view is not None:
        if view.format in ("q", "l") and view.itemsize == 8:
            return view, 1, 1
        if view.format not in tuple("bBhHiIlLqQnN"):
            refuse(f"{what} has elements of the format {view.format!r}, expected microseconds as integers")
        return memoryview(array("q", [_time(value, what, row) for row, value in enumerate(view)])), 1, 1
    rows = _rows_of(values, what, "times")
    return memoryview(array("q", [_time(value, what, row, none) for row, value in enumerate(rows)])), 1, 1


def microseconds(values: Any, what: str) -> memoryview[Any]:
    """Returns a column of times in microseconds; :data:`NO_TIME` stands for a missing time (None or NaT)."""
    view, multiplier, divisor = times(values, what, none=True)
    if (multiplier, divisor) == (1, 1):
        return view
    from .._errors import require

    numpy = require("numpy", "geo")
    ticks = numpy.asarray(view)
    missing, most = ticks == NO_TIME, (1 << 62) // multiplier
    far = ~missing & ((ticks > most) | (ticks < -most))
    if far.any():
        row = int(far.argmax())
        refuse(f"{what}, row {row}: the time is outside year 1 to year 9999", row, InvalidArgumentError)
    return memoryview(numpy.where(missing, NO_TIME, numpy.where(far, 0, ticks) * multiplier // divisor))


def contiguous(values: Any, what: str, length: int) -> memoryview[Any]:
    """Returns a contiguous column of doubles, and checks that it has `length` rows."""
    view = numbers(values, what)
    check_length(view, what, length)
    return view if view.c_contiguous else memoryview(view.tobytes()).cast("d")


def tags(values: Any, length: int) -> memoryview[Any]:
    """Returns a column of tags, which are numbers from 0 to 2**64 - 1. A single number applies to all rows."""
    if isinstance(values, int) and not isinstance(values, bool):
        return (
            memoryview(array("Q", [_tag(values, 0)]))
            if length == 1
            else memoryview(array("Q", [_tag(values, 0)]) * length)
        )
    table = _array_of(values, "tag")
    if table is not None:
        if table.dtype.kind not in "iu":
            _refuse_dtype(table, "tag", "integers")
        values = table.tolist() if table.dtype != "uint64" else table
    try:
        view = memoryview(values)
    except (TypeError, ValueError, BufferError):
        view = None
    if view is None or not view.c_contiguous or view.ndim != 1 or view.itemsize != 8 or view.format not in ("Q", "L"):
        rows = view if view is not None else _rows_of(values, "tag", "integers")
        view = memoryview(array("Q", [_tag(value, row) for row, value in enumerate(rows)]))
    check_length(view, "tag", length)
    return view


def identifiers(values: Iterable[str]) -> tuple[str, ...]:
    """Returns a column of identifiers, after the checks that must be made in Python."""
    if isinstance(values, str | bytes):
        refuse(f"identifier is {type(values).__name__}, expected a column of str")
    texts = tuple(_rows_of(values, "identifier", "str"))
    for row, text in enumerate(texts):
        if not isinstance(text, str):
            refuse_value("identifier", row, f"{text!r} is {type(text).__name__}, expected str")
        if not text.isascii():
            try:
                text.encode()
            except UnicodeEncodeError:
                reason = f"{text!r} is not valid Unicode (lone surrogate)"
                refuse_value("identifier", row, reason, InvalidArgumentError)
        if "\0" in text:
            refuse_value("identifier", row, f"{text!r} holds a NUL character", InvalidArgumentError)
    return texts


def column(code: str, values: Any, what: str, length: int | None = None) -> memoryview[Any]:
    """Returns a contiguous view of `values` as elements of the array type `code`, without a copy if the layout already
    matches."""
    view = _view(code, values)
    if view is None:
        try:
            view = memoryview(array(code, cast("Iterable[Any]", values)))
        except OverflowError:
            raise InvalidArgumentError(f"{what} holds a number that is out of range") from None
        except (TypeError, ValueError) as error:
            raise TypeError(f"{what}: {error}") from None
    if length is not None and len(view) != length:
        raise InvalidArgumentError(f"{what} has {len(view)} rows, expected {length}")
    return view


def check_length(view: memoryview[Any], what: str, length: int) -> None:
    """Refuses a column whose length differs from that of the identifier column."""
    if len(view) != length:
        refuse(f"{what} has {len(view)} rows, identifier has {length}", min(len(view), length), InvalidArgumentError)


def _view(code: str, values: Any) -> memoryview[Any] | None:
    try:
        view = memoryview(values)
    except (TypeError, ValueError, BufferError):
        return None
    same = view.format == code or (code == "Q" and view.format == "L" and view.itemsize == 8)
    return view if same and view.c_contiguous and view.ndim == 1 else None


def _array_of(values: Any, what: str, masked: float | None = None) -> Any | None:
    """Returns the NumPy array of an object, or None if the object has no array.

    Args:
        masked: The number that replaces masked elements; the values behind the mask are meaningless. If `masked` is
            None, a masked element raises an error.
    """
    if isinstance(values, array | memoryview | list | tuple):
        return None
    convert = getattr(values, "__array__", None)
    if convert is None or isinstance(values, type):
        return None
    table = _unmasked(values, what, masked) if hasattr(values, "filled") and hasattr(values, "mask") else convert()
    if not hasattr(table, "dtype"):
        return None
    if table.ndim != 1:
        refuse(f"{what} has the shape {table.shape}, expected one dimension")
    return table


def _unmasked(values: Any, what: str, masked: float | None) -> Any:
    """Returns the data of a masked NumPy array, with masked elements replaced."""
    if not values.mask.any():
        return values.data
    if masked is None or values.dtype.kind not in "fiuM":
        row = int(values.mask.argmax())
        refuse(f"{what}, row {row}: the value is masked", row, InvalidArgumentError)
    if values.dtype.kind == "M":
        return values.filled(values.dtype.type("NaT", "s"))
    if masked == NO_TIME:
        return values.astype("int64").filled(masked)
    return values.astype("float64").filled(masked)


def _view_of(values: Any, what: str) -> memoryview[Any] | None:
    """Returns the one-dimensional buffer of an object, or None if the object has no buffer."""
    if isinstance(values, str | bytes | bytearray):
        refuse(f"{what} is {type(values).__name__}, expected a column")
    try:
        view = memoryview(values)
    except (TypeError, ValueError, BufferError):
        return None
    if view.ndim != 1:
        refuse(f"{what} has {view.ndim} dimensions, expected one")
    if view.format is None or view.format.lstrip("@") not in tuple("bBhHiIlLqQnNfd"):
        refuse(f"{what} has elements of the format {view.format!r}, expected numbers")
    return view


def require_order(values: Any, what: str) -> None:
    """Refuses sets, whose elements have no order, and mappings, which would be read as a list of their keys."""
    if isinstance(values, set | frozenset | Mapping):
        refuse(f"{what} is {type(values).__name__}, expected a column: pass list(...) of its rows")


def _rows_of(values: Any, what: str, expected: str) -> Sequence[Any]:
    if isinstance(values, list | tuple):
        return values
    require_order(values, what)
    try:
        return tuple(values)
    except TypeError:
        refuse(f"{what} is {type(values).__name__}, expected a column of {expected}")


def _refuse_dtype(table: Any, what: str, expected: str = "numbers") -> NoReturn:
    if table.dtype.kind == "O":
        for row, value in enumerate(table):
            if isinstance(value, bool) or not isinstance(value, int | float):
                refuse(
                    f"{what}, row {row}: {value!r} is {type(value).__name__}, expected {expected} (dtype object)", row
                )
    refuse(f"{what} has the dtype {table.dtype}, expected {expected}; convert it, for example with astype(float)")


def _number(value: Any, place: str, row: int, none: float | None) -> float:
    if value is None and none is not None:
        return none
    try:
        return float(array("d", [value])[0])
    except (OverflowError, ValueError):
        refuse(f"{place}: {shown(value)} is out of range", row, InvalidArgumentError)
    except TypeError:
        refuse(f"{place}: {value!r} is {type(value).__name__}, expected a number", row)


def _tag(value: Any, row: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        refuse(f"tag, row {row}: {value!r} is {type(value).__name__}, expected an integer", row)
    if not 0 <= value < 1 << 64:
        refuse(f"tag, row {row}: {shown(value)} is outside 0 to 2**64 - 1", row, InvalidArgumentError)
    return value


def _time(value: Any, what: str, row: int, none: bool = False) -> int:
    if none and value is None:
        return NO_TIME
    if (isinstance(value, datetime) or hasattr(value, "dtype")) and value != value:
        return NO_TIME  # NaT
    try:
        return to_us(value, f"{what}, row {row}:")
    except InvalidArgumentError as error:
        error.position = row
        raise
    except TypeError as error:
        refuse(str(error), row)


def _times_of_array(table: Any, what: str, none: bool) -> tuple[memoryview[Any], int, int]:
    kind = table.dtype.kind
    if kind == "M":
        return _datetimes(table, what)
    if kind == "O":
        return memoryview(array("q", [_time(value, what, row, none) for row, value in enumerate(table)])), 1, 1
    if kind not in "iu":
        refuse(f"{what} has the dtype {table.dtype}, expected datetime64 (UTC) or microseconds as integers")
    if table.dtype == "uint64" and len(table) and table.max() > (1 << 63) - 1:
        row = int((table > (1 << 63) - 1).argmax())
        refuse(f"{what}, row {row}: {table[row]} is outside year 1 to year 9999", row, InvalidArgumentError)
    return memoryview(table if table.dtype == "int64" else table.astype("int64")), 1, 1


def _datetimes(table: Any, what: str) -> tuple[memoryview[Any], int, int]:
    unit = table.dtype.str[4:-1]  # "<M8[25ns]"
    if unit.endswith(("Y", "M")):  # years and months vary in length, so convert them to days first
        table, unit = table.astype("datetime64[D]"), "D"
    digits = unit[: len(unit) - len(unit.lstrip("0123456789"))]
    if unit[len(digits) :] not in MICROSECONDS:
        refuse(f"{what} has the dtype {table.dtype}, expected datetime64 with a unit")
    if not table.dtype.isnative:
        table = table.astype(table.dtype.newbyteorder("="))
    multiplier, divisor = MICROSECONDS[unit[len(digits) :]]
    multiplier *= int(digits or 1)
    if divisor > 1 and multiplier > 1:  # for a unit such as 25 ns, first convert to nanoseconds, which is exact
        finer = unit[len(digits) :]
        table, multiplier = table.astype(f"datetime64[{finer}]"), 1
    return memoryview(table.view("int64")), multiplier, divisor
