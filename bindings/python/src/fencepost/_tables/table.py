"""The exports to pandas and Arrow that all tables of the package have, and the JSON form of a row."""

from __future__ import annotations

import enum
from datetime import datetime, timedelta
from math import isfinite

from .times import from_us

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from pandas import DataFrame

    from .arrow_out import ArrowExport


class Plain:
    """A dataclass with a JSON form. In this form, times are ISO 8601 texts in UTC, durations are numbers of seconds,
    enumerations are texts, flags are lists of names, and NaN and infinity are null."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """The fields by name, in JSON types: texts, numbers, booleans, None, lists and dicts.

        The suffix of a field in microseconds is removed: ``since_us`` becomes a time with the name ``since``.
        """
        from dataclasses import fields

        found: dict[str, Any] = {}
        for each in fields(self):  # type: ignore[arg-type]
            if each.name.startswith("_"):
                continue
            value = getattr(self, each.name)
            if each.name.endswith("_us"):
                found[each.name.removesuffix("_us")] = plain(from_us(value))
            else:
                found[each.name] = plain(value)
        return found

    def to_json(self) -> str:
        """Returns the result of :meth:`to_dict` as one line of JSON."""
        import json

        return json.dumps(self.to_dict(), ensure_ascii=False, separators=(",", ":"))


def plain(value: Any) -> Any:
    """Converts a value to JSON types."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, enum.Flag):
        return [str(flag.name).lower() for flag in value]
    if isinstance(value, str):
        return str(value)
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, int):
        return value
    if isinstance(value, datetime):
        return value.isoformat(timespec="microseconds").replace("+00:00", "Z")
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, tuple | list):
        return [plain(each) for each in value]
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if hasattr(value, "item"):  # a NumPy scalar
        return plain(value.item())
    return str(value)


class Table:
    """An object with columns of equal length, in which times are aware datetimes in UTC."""

    __slots__ = ()

    if TYPE_CHECKING:

        def columns(self) -> dict[str, list[Any]]: ...

    def _kinds(self) -> dict[str, str]:
        """The column types: ``time``, ``duration``, ``float``, ``int``, ``uint``, ``bool``, ``text``. Each type must be
        stated, because it cannot be derived from a column in which all values are missing."""
        return {}

    def _points(self) -> Sequence[tuple[float, float] | None] | None:
        """Longitude and latitude of each row, or None if the rows have no positions."""
        return None

    def to_pandas(self) -> DataFrame:
        """The table as a ``pandas.DataFrame`` with the columns of :meth:`columns`.

        Times are ``datetime64[us, UTC]``, durations are ``timedelta64[us]``, measurements are ``float64`` (NaN if
        missing), and counters are integers.

        Raises:
            MissingExtraError: pandas is not installed.
        """
        from .._errors import require

        pandas = require("pandas", "geo")
        kinds = self._kinds()
        frame: DataFrame = pandas.DataFrame(
            {name: series(pandas, values, kinds.get(name)) for name, values in self.columns().items()}
        )
        return frame

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Exports the table as an Arrow stream. PyArrow, DuckDB and GeoPandas accept the object itself; for Polars use
        :meth:`to_arrow`.

        The stream has the columns of :meth:`columns`, whose types are texts, ``timestamp[us, UTC]``, ``duration[us]``,
        ``int64``, ``uint64`` and ``double``. If rows have positions, the stream also has a column ``geometry`` of
        GeoArrow points. For an event, the point is the position that decided the event; for a record, the point is the
        centre of the condition.

        Raises:
            MissingExtraError: nanoarrow is not installed.
        """
        from .arrow_out import stream_capsule

        return stream_capsule(self.columns(), self._kinds(), requested_schema, self._points())

    def to_arrow(self) -> ArrowExport:
        """An object that only exports the Arrow stream, as in ``polars.DataFrame(log.to_arrow())``. PyArrow and Polars
        would read a table object as a sequence of row objects before they look for a stream; the object that this
        method returns is read as a stream."""
        from .arrow_out import ArrowExport

        return ArrowExport(self)


def series(pandas: Any, values: Sequence[Any], kind: str | None) -> Any:
    """Returns a pandas column. `kind` is one of the types in :meth:`Table._kinds`."""
    if kind == "time":
        naive = [None if value is None else value.replace(tzinfo=None) for value in values]
        return pandas.Series(pandas.array(naive, dtype="datetime64[us]")).dt.tz_localize("UTC")
    if kind == "duration":
        return pandas.Series(pandas.array(values, dtype="timedelta64[us]"))
    if kind in ("float", "uint"):
        return pandas.Series(values, dtype="float64" if kind == "float" else "uint64")
    found = {type(value) for value in values if value is not None}
    if found <= {float, int} and found and (float in found or None in values):
        return pandas.Series(values, dtype=float)
    return pandas.Series(values, dtype=None if found - {str} else object)
