"""Conditions in rows: CSV, frames and Arrow streams. Each row becomes a GeoJSON feature of a circle."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from .._errors import InputError
from .._native import InvalidArgumentError
from .._tables.arrow_reader import BatchReader, without_nulls
from .._tables.names import CONDITIONS, POSITION, find
from .._values.arguments import identifier_text
from .csv_table import CSVTable
from .frames import column_names, has_geometry, is_missing, numbers, positions
from .text import read_text

Features = Iterator[tuple[str, dict[str, Any]]]


def csv_features(path: str | Path, columns: Mapping[str, str] | None = None) -> Features:
    """The circles of a CSV file with the columns identifier, latitude, longitude, radius (assuming, policy)."""
    required = ("identifier", *POSITION, "radius")
    table = CSVTable(io.StringIO(read_text(path), newline=""), path, CONDITIONS, columns or {}, required)
    indices = _find(table.names, required, path, table.place, columns)
    for place, row in table.rows():
        table.check_width(row, max(indices.values()), place)
        texts = {what: row[index].strip() for what, index in indices.items()}
        values: dict[str, Any] = {what: text for what, text in texts.items() if text}
        for what in (*POSITION, "radius"):
            try:
                values[what] = float(texts[what])
            except ValueError:
                raise InputError(path, place, f"{what} {texts[what]!r} is not a number") from None
        yield place, feature(values, str(path), place)


def frame_features(frame: Any, source: str, given: Mapping[str, str] | None = None) -> Features:
    """The circles of a frame: of points with a radius column, or with columns for latitude and longitude too.

    Raises:
        InputError: The frame cannot be used: which row, which column, why.
    """
    names = column_names(frame, source)
    by_geometry = has_geometry(frame) and not set(given or {}) & set(POSITION)
    if not len(frame):
        raise InputError(source, "", "holds no rows")
    indices = _find(names, ("identifier", "radius", *(() if by_geometry else POSITION)), source, "", given)
    columns: dict[str, list[Any]] = {
        what: frame.iloc[:, indices[what]].to_list() for what in ("identifier", "assuming", "policy") if what in indices
    }
    if by_geometry:
        columns["latitude"], columns["longitude"] = _points(frame, source)
    else:
        columns.update((what, numbers(frame, indices[what], what, source)) for what in POSITION)
    columns["radius"] = numbers(frame, indices["radius"], "radius", source)
    for row in range(len(frame)):
        values = {what: column[row] for what, column in columns.items() if not is_missing(column[row])}
        yield f"row {row}", feature(values, source, f"row {row}", row)


def _find(
    names: list[str],
    required: tuple[str, ...],
    source: str | Path,
    place: str = "",
    given: Mapping[str, str] | None = None,
) -> dict[str, int]:
    try:
        return find(names, CONDITIONS, given or {}, required)
    except InvalidArgumentError as error:
        raise InputError(source, place, str(error)) from None


def _points(frame: Any, source: str) -> tuple[list[float], list[float]]:
    for row, kind in enumerate(frame.geometry.geom_type.to_list()):
        if kind in ("Polygon", "MultiPolygon"):
            reason = f"{kind} conditions are not supported yet; use points with a column radius (metres)"
            raise InputError.of_row(source, row, reason)
    return positions(frame, source)


def feature(values: dict[str, Any], source: str, place: str, row: int | None = None) -> dict[str, Any]:
    """A circle as GeoJSON; what is missing is refused."""
    for what in (*POSITION, "radius"):
        if not math.isfinite(values.get(what, math.nan)):
            found = f"is {values[what]}" if what in values else "is missing"
            raise InputError(source, place, f"{what} {found}: a finite number is needed", row)
    identifier = identifier_text(values.get("identifier"))
    optional: dict[str, Any] = {what: values[what] for what in ("assuming", "policy") if what in values}
    properties: dict[str, Any] = {"identifier": identifier, "radius": values["radius"], **optional}
    geometry = {"type": "Point", "coordinates": [values["longitude"], values["latitude"]]}
    return {"type": "Feature", "geometry": geometry, "properties": properties}


def arrow_features(table: Any, source: str, columns: Mapping[str, str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The circles of anything that exports an Arrow stream, as GeoJSON features."""

    reader = BatchReader(table, source)
    plan = reader.find(CONDITIONS, columns, ("identifier", "radius"))
    rows = 0
    for first, chunk in reader.batches():
        held: dict[str, Sequence[Any]] = {
            what: reader.values(chunk, plan.indices[what], first)
            for what in ("identifier", "assuming", "policy")
            if what in plan.indices
        }
        held["radius"] = reader.numbers(chunk, plan.indices["radius"], "radius", first)
        held["latitude"], held["longitude"] = reader.positions(chunk, plan, first)
        for row in range(chunk.length):
            values = {what: without_nulls(part[row]) for what, part in held.items() if not _missing(part[row])}
            yield f"row {first + row}", feature(values, source, f"row {first + row}", first + row)
        rows = first + chunk.length
    if not rows:
        raise InputError(source, "", "holds no rows")


def _missing(value: Any) -> bool:
    return value is None or value != value
