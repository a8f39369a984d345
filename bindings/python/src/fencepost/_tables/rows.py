"""Results that consist of rows: sequences that can be converted to tables."""

from __future__ import annotations

import io
import os
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import IO, Any, Generic, TypeAlias, TypeVar, overload

from .html import SHOWN, table
from .table import Table
from .times import iso_text

T = TypeVar("T")
Target: TypeAlias = str | os.PathLike[str] | IO[str] | None
"""A path, an open text file, or None to return the text."""


class Rows(Table, Sequence[T], Generic[T]):
    """A sequence that is also a table: each element of the sequence is one row.

    Args:
        rows: The elements. If `rows` is None, :meth:`_made` creates them on first use.
    """

    def __init__(self, rows: Iterable[T] | None = None) -> None:
        self._held: tuple[T, ...] | None = None if rows is None else tuple(rows)

    def _made(self) -> Iterable[T]:
        """Creates the elements of a sequence that was created without them."""
        raise NotImplementedError

    @property
    def _rows(self) -> tuple[T, ...]:
        if self._held is None:
            self._held = tuple(self._made())
        return self._held

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[T]:
        return iter(self._rows)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        return self._rows[index]

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._rows == other._rows

    __hash__ = None  # type: ignore[assignment]

    @abstractmethod
    def columns(self) -> dict[str, list[Any]]:
        """The table as a dict of columns of equal length. Times are aware datetimes in UTC."""

    def to_file(self, path: str | os.PathLike[str], *, layer: str | None = None) -> None:
        """Writes a file in the format that its ending selects: ``.gpkg`` (an existing GeoPackage keeps its other
        layers), ``.fgb``, ``.parquet``, ``.csv``, or ``.geojson`` (features without a geometry).

        Durations are in seconds. In a GeoPackage or FlatGeobuf, GDAL stores times with millisecond resolution; Parquet
        stores microseconds.

        Args:
            path: The file.
            layer: Layer of a GeoPackage. None selects the class name in lower case.

        Raises:
            InvalidArgumentError: The ending is not supported, `layer` was passed for a format without layers, or the
                file cannot be written.
            MissingExtraError: The library that writes the file is not installed.
        """
        from .vector_out import check_target, is_text, write_frame

        kind = check_target(path, layer)
        if is_text(path):
            write_to(path, self._write_geojson if kind == ".geojson" else self._write_csv)
            return
        write_frame(self.to_pandas(), path, layer or type(self).__name__.lower())

    def to_csv(self, target: Target = None) -> str | None:
        """Writes the table as CSV with a header, with times in ISO 8601, durations in seconds, and empty cells for
        missing values.

        Args:
            target: Path or open text file. If `target` is None, the method returns the text.
        """
        return write_to(target, self._write_csv)

    def _write_csv(self, stream: IO[str]) -> None:
        import csv

        writer = csv.writer(stream, lineterminator="\n")
        columns = self.columns()
        writer.writerow(columns)
        writer.writerows([_cell(value) for value in row] for row in zip(*columns.values()))

    def _write_geojson(self, stream: IO[str]) -> None:
        import json

        columns = self.columns()
        features = []
        for row in zip(*columns.values()):
            properties = {name: None if value is None else _cell(value) for name, value in zip(columns, row)}
            features.append({"type": "Feature", "geometry": None, "properties": properties})
        json.dump({"type": "FeatureCollection", "features": features}, stream, ensure_ascii=False, default=str)
        stream.write("\n")

    def _summary(self) -> str:
        return f"{len(self)} rows"

    def __repr__(self) -> str:
        return f"<fencepost.{type(self).__name__}: {self._summary()}>"

    def _repr_html_(self) -> str:
        columns = self.columns()
        rows = islice(zip(*columns.values()), SHOWN)
        return table(f"{type(self).__name__}: {self._summary()}", tuple(columns), rows, len(self))


def _cell(value: Any) -> Any:
    if isinstance(value, datetime):
        return iso_text(value)
    if isinstance(value, timedelta):
        return value.total_seconds()
    return "" if value is None else value


def write_to(target: Target, write: Any) -> str | None:
    """Calls `write` with a text stream for the target. Returns the text if the target is None; otherwise returns
    None."""
    if target is None:
        stream = io.StringIO()
        write(stream)
        return stream.getvalue()
    if isinstance(target, str | os.PathLike):
        with open(target, "w", encoding="utf-8", newline="") as file:
            write(file)
    else:
        write(target)
    return None
