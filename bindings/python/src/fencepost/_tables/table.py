"""What every table of the package turns into: pandas and Arrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pandas import DataFrame

    from .arrow_out import ArrowExport


class Table:
    """Something that has columns of equal length; times are aware, UTC."""

    __slots__ = ()

    if TYPE_CHECKING:

        def columns(self) -> dict[str, list[Any]]: ...

    def _kinds(self) -> dict[str, str]:
        """What columns hold where their values do not tell it, being missing perhaps: ``time``, ``duration``,
        ``float``, ``int``, ``uint``, ``bool``, ``text``."""
        return {}

    def _points(self) -> Sequence[tuple[float, float] | None] | None:
        """Longitude and latitude of each row; None: rows have no place."""
        return None

    def to_pandas(self) -> DataFrame:
        """The table as a ``pandas.DataFrame`` with the columns of :meth:`columns`.

        Times are ``datetime64[us, UTC]``, durations ``timedelta64[us]``, measurements ``float64`` (NaN where there is
        none), counters integers.

        Raises:
            MissingExtraError: pandas is not installed.
        """
        from .._errors import require

        pandas = require("pandas", "geo")
        kinds = self._kinds()
        frame: DataFrame = pandas.DataFrame(
            {name: _series(pandas, values, kinds.get(name)) for name, values in self.columns().items()}
        )
        return frame

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The table as an Arrow stream: PyArrow, DuckDB and GeoPandas take the object as it is, Polars
        :meth:`to_arrow`.

        The columns of :meth:`columns`: texts, ``timestamp[us, UTC]``, ``duration[us]``, ``int64``, ``uint64``,
        ``double``; where rows have a place also ``geometry``, GeoArrow points: of events the deciding
        fix, of records the centre.

        Raises:
            MissingExtraError: nanoarrow is not installed.
        """
        from .arrow_out import stream_capsule

        return stream_capsule(self.columns(), self._kinds(), requested_schema, self._points())

    def to_arrow(self) -> ArrowExport:
        """An object that exports the Arrow stream and nothing else: ``polars.DataFrame(log.to_arrow())``. PyArrow and
        Polars take a sequence of objects for rows before they look for a stream."""
        from .arrow_out import ArrowExport

        return ArrowExport(self)


def _series(pandas: Any, values: Sequence[Any], kind: str | None) -> Any:
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
