"""Exports frames as Arrow streams in batches; a stream contains only the columns that are read, and encodes repeated
texts as a dictionary."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from importlib.util import find_spec
from typing import Any

from .._errors import InputError, require
from .._native import InvalidArgumentError
from .names import BESIDE, GEOMETRY, POSITION, Names, check_one, column_advice, find, key
from .numbers import listed
from .text_times import TimeStyle, advice_of

BATCH_ROWS = 65_536
_NUMBERS = (int, float, Decimal)
_EXPECTED: dict[str, tuple[str, tuple[type, ...]]] = {
    **dict.fromkeys((*POSITION, "accuracy", *BESIDE), ("a number", _NUMBERS)),
    "time": ("a time", (*_NUMBERS, str, datetime)),
    "geometry": ("WKT or WKB", (str, bytes)),
}


def is_frame(value: Any) -> bool:
    """True for a pandas frame, or for a frame of a library built on pandas."""
    return all(hasattr(value, name) for name in ("columns", "iloc", "dtypes"))


def geometry_name(frame: Any) -> str | None:
    """The name of a GeoDataFrame's active geometry column, or None if the frame has no geometry."""
    name = getattr(frame, "_geometry_column_name", None)
    return name if name in frame.columns else None


def exported(
    table: Any,
    source: str,
    known: Names,
    columns: Mapping[str, str],
    required: Sequence[str],
    by: str | None = None,
    style: TimeStyle | None = None,
) -> Any:
    """Returns an object that exports the rows of a table as an Arrow stream. A frame is exported in batches, with only
    the columns that are read.

    Args:
        table: A frame, or an object that exports an Arrow stream.
        source: The name of the argument, for messages.
        known: The usual column names.
        columns: Maps roles, such as ``latitude``, to the names of columns that the library does not recognise.
        required: The roles, in addition to the position, that must have a column.
        by: The column that identifies the track. If PyArrow is installed, the column's values are exported as a
            dictionary.
        style: How times without a zone are read; None for an interface that has no options for times.

    Raises:
        InputError: A frame lacks a column, or has values that Arrow cannot represent.
        MissingExtraError: A frame was passed, and PyArrow is not installed.
    """
    if is_frame(table):
        require("nanoarrow", "arrow")
        return _coded(*_of_frame(table, source, known, columns, required, by, style))
    return _coded(table, by) if by is not None and find_spec("pyarrow") else table


def _of_frame(
    frame: Any,
    source: str,
    known: Names,
    columns: Mapping[str, str],
    required: Sequence[str],
    by: str | None,
    style: TimeStyle | None,
) -> tuple[Any, str | None]:
    """Returns a table with the columns that are read, and the name of the column that identifies devices or tracks."""
    frame = _with_index(frame, known, columns, by)
    names = column_names(frame, source)
    active = None if set(columns) & set(POSITION) else geometry_name(frame)
    try:
        found = find(names, {**known, "geometry": GEOMETRY}, columns, required)
        points = found.pop("geometry", None) if active is None else names.index(active)
        if points is None or (active is None and set(POSITION) <= set(found) and "geometry" not in columns):
            found, points = find(names, known, columns, (*POSITION, *required)), None
        if by is not None:
            check_one(names, by)
    except InvalidArgumentError as error:
        raise InputError(source, "", str(error), advice=column_advice(error, "columns")) from None
    if by is not None and by not in names:
        raise InputError(source, "", f"there is no column {by!r}, only {listed(names)}")
    if points is not None:
        found = {what: index for what, index in found.items() if what not in POSITION} | {"geometry": points}
    used = sorted({*found.values(), *([] if by is None else [names.index(by)])})
    if "device" in found:
        by = names[found["device"]]
    pyarrow = require("pyarrow", "geo")
    chosen = frame.iloc[:, used]
    for index in used:
        kind = str(frame.dtypes.iloc[index])
        if kind.startswith(("period", "interval")):
            raise InputError(
                source, "row 0", f"the column {names[index]!r} has the type {kind}, which is not supported", 0
            )
    if "time" in found:
        chosen = _with_one_zone(chosen, names[found["time"]], source, style or TimeStyle(has_options=False))
    try:
        if points is not None and names[points] == active:
            return pyarrow.table(chosen.set_geometry(active).to_arrow(index=False)), by
        return pyarrow.Table.from_pandas(chosen, preserve_index=False, nthreads=1), by
    except (pyarrow.ArrowException, TypeError, ValueError, OverflowError) as error:
        _refuse(pyarrow, chosen, source, {names[index]: what for what, index in found.items()})
        raise InputError(source, "", f"does not export an Arrow stream: {error}") from None


def _with_index(frame: Any, known: Names, columns: Mapping[str, str], by: str | None) -> Any:
    """Returns the frame with some levels of its index as columns: the levels that the caller named, the levels with
    usual names, and the levels that contain times."""
    there = [name for name in frame.columns if isinstance(name, str)]
    usual = {name for names in known.values() for name in names}
    named = {*columns.values(), by}
    levels = [
        name
        for name in frame.index.names
        if isinstance(name, str) and name not in there and (name in named or key(name) in usual)
    ]
    if levels:
        frame = frame.reset_index(level=levels)
    if (
        "time" not in known
        or "time" in columns
        or frame.index.dtype.kind != "M"
        or {*map(key, (*there, *levels))} & {*known["time"]}
    ):
        return frame
    return frame.reset_index(names="time")


def column_names(frame: Any, source: str) -> list[str]:
    """The names of the columns.

    Raises:
        InputError: A column's name is not a text, as in a frame with several levels of columns.
    """
    names = list(frame.columns)
    for name in names:
        if not isinstance(name, str):
            raise InputError(source, "", f"the column {name!r} has a name that is not a string")
    return names


def _with_one_zone(frame: Any, name: str, source: str, style: TimeStyle) -> Any:
    """Converts the times to UTC if only some of them have a zone, because Arrow would read the others as UTC, whatever
    the style says.

    Raises:
        InputError: The style does not state the zone of times without one.
    """
    if frame[name].dtype.kind != "O":
        return frame
    values = frame[name].to_list()
    if len({value.tzinfo is None for value in values if isinstance(value, datetime) and value == value}) < 2:
        return frame
    for row, value in enumerate(values):
        if isinstance(value, datetime) and value == value:
            try:
                values[row] = style.placed(value).astimezone(UTC)
            except ValueError as error:
                reason = f"time (column {name!r}): {error}"
                raise InputError.of_row(source, row, reason, advice_of(error)) from None
    return frame.assign(**{name: values})


def _refuse(pyarrow: Any, frame: Any, source: str, found: Mapping[str, str]) -> None:
    """Raises an error that names the column and the value that does not fit the Arrow type of the other values."""
    for name in frame.columns:
        try:
            pyarrow.array(frame[name], from_pandas=True)
        except (pyarrow.ArrowException, TypeError, ValueError, OverflowError):
            what, first = found.get(name), None
            for row, value in enumerate(frame[name].to_list()):
                if _is_missing(value):
                    continue
                kind = type(value)
                expected, kinds = _EXPECTED.get(what or "", ("", (object,)))
                if isinstance(value, bool) or not isinstance(value, kinds):
                    reason = f"{what} {value!r} (column {name!r}) is a {kind.__name__}, not {expected}"
                    raise InputError.of_row(source, row, reason) from None
                if first is not None and kind is not first:
                    reason = f"{value!r} (column {name!r}) is a {kind.__name__}, but a previous value is a "
                    raise InputError.of_row(source, row, reason + first.__name__) from None
                first = kind


def _is_missing(value: Any) -> bool:
    """True for None, NaN, NaT and NA. A value whose comparison does not return a bool, such as a frame, does not count
    as missing."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"


def _coded(table: Any, by: str | None) -> Any:
    """Returns the rows in batches of at most `BATCH_ROWS`, with the column `by` as a dictionary."""
    pyarrow = require("pyarrow", "geo")
    try:
        reader = pyarrow.RecordBatchReader.from_stream(table)
    except Exception:  # the library that provides the object may raise any error
        return table  # the error is reported when the table is read
    index = -1 if by is None else reader.schema.get_field_index(by)
    field = None if index < 0 else reader.schema.field(index)
    kinds = pyarrow.types
    is_plain = field is None or kinds.is_dictionary(field.type) or kinds.is_nested(field.type)
    # Arrow cannot make a dictionary of extension values such as UUIDs, so a column of such values stays as it is.
    if field is None or is_plain or isinstance(field.type, pyarrow.BaseExtensionType):
        return pyarrow.RecordBatchReader.from_batches(reader.schema, _cut(reader))
    plain = pyarrow.large_string() if str(field.type) == "string_view" else field.type
    coded = pyarrow.field(field.name, pyarrow.dictionary(pyarrow.int32(), plain))

    def batches() -> Iterator[Any]:
        for batch in _cut(reader):
            column = batch.column(index)
            column = (column if plain == field.type else column.cast(plain)).dictionary_encode()
            yield batch.set_column(index, coded, column)

    return pyarrow.RecordBatchReader.from_batches(reader.schema.set(index, coded), batches())


def _cut(reader: Any) -> Iterator[Any]:
    for batch in reader:
        for first in range(0, max(len(batch), 1), BATCH_ROWS):
            yield batch.slice(first, BATCH_ROWS)
