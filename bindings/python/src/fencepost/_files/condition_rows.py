"""Reads conditions from rows: CSV, frames and Arrow streams. Each row becomes a GeoJSON feature."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from .._errors import Advice, InputError
from .._native import InvalidArgumentError
from .._tables.arrow_reader import BatchReader, Plan, without_nulls
from .._tables.frames import column_names, exported, is_frame
from .._tables.geometries import of_wkt, wkt_type
from .._tables.names import CONDITIONS, GEOMETRY, POSITION, find, key
from .._tables.numbers import decimal
from .._tables.wkt import wkt_point
from .._values.arguments import PROBABILITIES, identifier_text
from .advice import CONDITIONS_OPTION, RADIUS, column_advice, decimal_comma
from .condition_features import BAND, TIMING, warn_of_limits, with_intervals
from .condition_shapes import SHAPES
from .csv_table import CSVTable
from .kinds import read_unpacked
from .text import decode
from .vector import PLAIN, Reading, transformed

Features = Iterator[tuple[str, dict[str, Any]]]


def csv_features(path: str | Path, columns: Mapping[str, str] | None = None, radius: float | None = None) -> Features:
    """The conditions in a CSV file with the columns identifier, latitude, longitude and radius, and optionally
    assuming, policy, entry_probability, exit_probability, and the columns of a timing and of a band. A column with
    well-known text may replace latitude and longitude; `radius` applies to circles that do not state a radius."""
    required = ("identifier", *POSITION, *(() if radius is not None else ("radius",)))
    table = CSVTable([decode(read_unpacked(path), path)], path, CONDITIONS, columns or {}, required)
    indices, wkt = _find(table.names, path, table.place, columns, radius)
    warn_of_limits(path, table.names, columns or {})
    for place, row in table.rows():
        table.check_width(row, max((wkt, *indices.values())), place)
        texts = {what: row[index].strip() for what, index in indices.items()}
        values: dict[str, Any] = {what: text for what, text in texts.items() if text}
        for what in (*POSITION, "radius", *_NUMBERS):
            if what not in texts or (what in _NUMBERS and not texts[what]):
                continue
            if what == "radius" and (radius is not None or wkt >= 0) and not texts[what]:
                continue
            try:
                values[what] = decimal(texts[what])
            except ValueError:
                reason = f"{what} {texts[what]!r} is not a number{decimal_comma(texts[what])}"
                raise InputError(path, place, reason) from None
        values |= _read_intervals(values, str(path), place)
        if wkt >= 0:
            values |= _position_of(row[wkt], path, place)
        if radius is not None:
            values.setdefault("radius", radius)
        for what in ("buffer", "oriented", "gate"):
            if what in values and ("wkb" in values or what == "gate"):
                values[what] = _option(what, values[what], path, place)
        yield place, feature(values, str(path), place)


def _read_intervals(values: Mapping[str, Any], source: str, place: str, row: int | None = None) -> dict[str, Any]:
    try:
        return with_intervals(values)
    except InvalidArgumentError as error:
        raise InputError(source, place, str(error), row) from None


def _option(what: str, text: str, path: str | Path, place: str) -> float | bool:
    """Converts the text of a cell: to a number in the column ``buffer``, and to True or False in the columns
    ``oriented`` and ``gate``."""
    try:
        return (
            decimal(text) if what == "buffer" else {"true": True, "1": True, "false": False, "0": False}[text.lower()]
        )
    except (ValueError, KeyError):
        kind = "a number" if what == "buffer" else "true or false"
        raise InputError(path, place, f"{what} {text!r} is not {kind}") from None


def _position_of(text: Any, source: str | Path, place: str, row: int | None = None) -> dict[str, Any]:
    """Reads well-known text: returns a point as longitude and latitude, or a polygon or line as well-known binary. If
    the cell is empty, the result is an empty dictionary."""
    try:
        if isinstance(text, str) and wkt_type(text):
            return {"wkb": of_wkt(text).wkb}
        point = wkt_point(text) if isinstance(text, str) else None
    except ValueError as error:
        raise InputError(source, place, str(error), row) from None
    return {} if point is None else {"longitude": point[0], "latitude": point[1]}


def _find(
    names: list[str], source: str | Path, place: str, given: Mapping[str, str] | None, radius: float | None
) -> tuple[dict[str, int], int]:
    """Returns the index of each column by its name, and the index of the column with positions as well-known text (-1
    if there is no such column)."""
    required = ("identifier",) if radius is not None or _has_gates(names, given) else _WITH_RADIUS
    try:
        found = find(names, {**CONDITIONS, "geometry": GEOMETRY}, given or {}, required)
        wkt = found.pop("geometry", -1)
        if wkt >= 0 and ("geometry" in (given or {}) or not set(POSITION) <= set(found)):
            return {what: index for what, index in found.items() if what not in POSITION}, wkt
        return find(names, CONDITIONS, given or {}, (*required, *POSITION)), -1
    except InvalidArgumentError as error:
        raise _advised(InputError(source, place, str(error))) from None


def _advised(error: InputError) -> InputError:
    """Adds advice on how to name the column if the error is about a missing column; returns other errors unchanged."""
    advice = column_advice(InvalidArgumentError(error.reason), CONDITIONS_OPTION)
    if advice is None:
        return error
    if "radius" in error.reason.partition(",")[0]:
        advice = Advice(*(f"{name}, or {one}" for name, one in zip(advice, RADIUS)))
    return InputError(error.source, error.place, error.reason, advice=advice)


_TEXTS = ("identifier", "assuming", "policy", *PROBABILITIES, *TIMING, *BAND)
_OPTIONS = ("edges", "oriented", "buffer", "gate")
_NUMBERS = (*PROBABILITIES, *TIMING[2:], *BAND[:2])
_WITH_RADIUS = ("identifier", "radius")


def _has_gates(names: Sequence[str], given: Mapping[str, str] | None) -> bool:
    """True if a column states which lines are gates; then a radius is not required."""
    return "gate" in (given or {}) or any(key(name) in CONDITIONS["gate"] for name in names)


def feature(values: dict[str, Any], source: str, place: str, row: int | None = None) -> dict[str, Any]:
    """Returns a circle as a GeoJSON feature, or a polygon or line as a feature with well-known binary; raises an error
    if a value is missing."""
    if values.get("wkb") is not None:
        own = {what: value for what, value in values.items() if what not in ("wkb", *POSITION)}
        properties = own | {"identifier": identifier_text(values.get("identifier"))}
        geometry = {"type": SHAPES[0], "wkb": values["wkb"]}
        return {"type": "Feature", "geometry": geometry, "properties": properties}
    for what in (*POSITION, "radius"):
        if not math.isfinite(math.nan if values.get(what) is None else values[what]):
            found = "is missing" if values.get(what) is None else f"is {values[what]}"
            raise InputError(source, place, f"{what} {found}: must be a finite number", row)
    identifier = identifier_text(values.get("identifier"))
    optional: dict[str, Any] = {
        what: values[what] for what in ("assuming", "policy", *PROBABILITIES, *TIMING, *BAND, "gate") if what in values
    }
    properties = {"identifier": identifier, "radius": values["radius"], **optional}
    geometry = {"type": "Point", "coordinates": [values["longitude"], values["latitude"]]}
    return {"type": "Feature", "geometry": geometry, "properties": properties}


def _plan(reader: BatchReader, columns: Mapping[str, str], required: Sequence[str]) -> Plan:
    try:
        return reader.find(CONDITIONS, columns, required)
    except InputError as error:
        raise _advised(error) from None


def table_features(
    table: Any, source: str, columns: Mapping[str, str], radius: float | None = None, how: Reading = PLAIN
) -> Features:
    """Reads the conditions in a frame, or in an object that exports an Arrow stream, as GeoJSON features.

    Raises:
        InputError: The table cannot be used; the message names the row, the column and the reason.
        MissingExtraError: The library that reads the table is not installed.
    """
    table = transformed(table, source, how)
    try:
        stream = exported(table, source, CONDITIONS, columns, ("identifier",))
    except InputError as error:
        raise _advised(error) from None
    reader = BatchReader(stream, source, how.transform, shapes=True)
    plan = _plan(reader, columns, ("identifier",))
    if radius is None and reader.holds_points_alone(plan):
        plan = _plan(reader, columns, ("identifier", "radius"))
    # The stream of a frame has only the columns that are read.
    warn_of_limits(source, column_names(table, source) if is_frame(table) else reader.names, columns)
    edges = reader.edges(plan)
    rows = 0
    for first, chunk in reader.batches():
        held: dict[str, Sequence[Any]] = {
            what: reader.values(chunk, plan.indices[what], first)
            for what in (*_TEXTS, *_OPTIONS)
            if what in plan.indices
        }
        if "radius" in plan.indices:
            held["radius"] = reader.numbers(chunk, plan.indices["radius"], "radius", first)
        held["latitude"], held["longitude"], shapes = reader.geometries(chunk, plan, first)
        if shapes is None and radius is None and "radius" not in plan.indices:
            plan = _plan(reader, columns, ("identifier", "radius"))  # this call raises an error for missing columns
        if shapes is not None:
            for row, (latitude, shape) in enumerate(zip(held["latitude"], shapes)):
                if shape is None and latitude != latitude:
                    raise InputError.of_row(source, first + row, "has no geometry")
            held["wkb"] = shapes
            if edges is not None:  # if `edges` is None, the shapes do not state the kind of their edges
                own = held.get("edges") or [None] * chunk.length
                held["edges"] = [edges if each is None else each for each in own]
        for row in range(chunk.length):
            values = {what: without_nulls(part[row]) for what, part in held.items() if not _missing(part[row])}
            if radius is not None:
                values.setdefault("radius", radius)
            values |= _read_intervals(values, source, f"row {first + row}", first + row)
            yield f"row {first + row}", feature(values, source, f"row {first + row}", first + row)
        rows = first + chunk.length
    if not rows:
        raise InputError(source, "", "holds no rows")


def _missing(value: Any) -> bool:
    return value is None or value != value
