"""Tracks in tables: pandas and GeoPandas frames."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from .._errors import InputError, warn
from .._native import InvalidArgumentError
from .._tables.arrow_reader import ACCURACY
from .._tables.names import GEOMETRY, POSITION, TRACK, acceleration_text, find, is_acceleration, key, time_unit
from .._tables.text_times import PLAIN_TIMES, TimeStyle, unit_time, value_time
from .._tables.times import to_us
from .._tables.wkt import wkt_point
from .advice import TRACK_OPTION, column_advice
from .tracks import NO_POSITION, Point, Track, split
from .vector import check_crs


def is_table(value: Any) -> bool:
    """Whether it is a frame of pandas or of a library built on it."""
    return all(hasattr(value, name) for name in ("columns", "iloc", "dtypes"))


def has_geometry(frame: Any) -> bool:
    """Whether a frame has an active geometry column."""
    return getattr(frame, "_geometry_column_name", None) in frame.columns


def table_tracks(
    frame: Any, source: str, columns: Mapping[str, str], by: str | None, times: TimeStyle = PLAIN_TIMES
) -> list[Track]:
    """The rows as fixes, in their order; with `by` one track for each value of that column.

    A missing accuracy is "not reported", a missing position is "no position".

    Args:
        frame: A DataFrame, or a GeoDataFrame of points.
        source: Path or argument, for messages.
        columns: Names of the columns for latitude, longitude, time, accuracy where they are not recognised.
        by: Name of a column.

    Raises:
        InputError: The frame cannot be used: which row, which column, why.
    """
    frame = _with_time(frame, columns)
    names = column_names(frame, source)
    if not len(frame):
        raise InputError(source, "", "holds no rows")
    if by is not None and by not in names:
        raise InputError(source, "", f"there is no column {by!r}, only {', '.join(names)}")
    by_geometry = has_geometry(frame) and not set(columns) & set(POSITION)
    try:
        indices = find(names, {**TRACK, "geometry": GEOMETRY}, columns, ("time",))
        wkt = -1 if by_geometry else indices.pop("geometry", -1)
        if not by_geometry and (wkt < 0 or (set(POSITION) <= set(indices) and "geometry" not in columns)):
            indices, wkt = find(names, TRACK, columns, (*POSITION, "time")), -1
    except InvalidArgumentError as error:
        raise InputError(source, "", str(error), advice=column_advice(error, TRACK_OPTION)) from None
    if by_geometry:
        latitudes, longitudes = positions(frame, source)
    elif wkt >= 0:
        latitudes, longitudes = wkt_positions(frame, wkt, source)
    else:
        latitudes, longitudes = (numbers(frame, indices[what], what, source) for what in POSITION)
    accuracies = [math.nan] * len(frame)
    if "accuracy" in indices:
        accuracies = numbers(frame, indices["accuracy"], "accuracy", source)
        name = names[indices["accuracy"]]
        if is_acceleration(name, columns, min((each for each in accuracies if each < 0), default=0)):
            warn(source, "", acceleration_text(name), ACCURACY)
            accuracies = [math.nan] * len(frame)
    keys = None if by is None else _keys(frame, names.index(by), by, source)
    return split(
        _points(latitudes, longitudes, accuracies, _times(frame, indices["time"], source, times)), source, keys, names
    )


def _with_time(frame: Any, columns: Mapping[str, str]) -> Any:
    """The frame with its index as a column, where that holds the times and no column does."""
    known = {key(name) for name in frame.columns if isinstance(name, str)}
    if frame.index.dtype.kind != "M" or "time" in columns or known & set(TRACK["time"]):
        return frame
    name = frame.index.name
    return frame.reset_index(names=name if isinstance(name, str) and key(name) in TRACK["time"] else "time")


def column_names(frame: Any, source: str) -> list[str]:
    """The names of the columns.

    Raises:
        InputError: One of them is not a text (a frame with several levels of columns, for example).
    """
    names = list(frame.columns)
    for name in names:
        if not isinstance(name, str):
            raise InputError(source, "", f"the column {name!r} has no text as its name")
    return names


def _points(
    latitudes: list[float], longitudes: list[float], accuracies: list[float], times: list[int]
) -> Iterator[tuple[str, Point]]:
    for row, (latitude, longitude, accuracy, time) in enumerate(zip(latitudes, longitudes, accuracies, times)):
        if latitude != latitude or longitude != longitude:
            yield f"row {row}", (math.nan, math.nan, NO_POSITION, time)
        else:
            yield f"row {row}", (latitude, longitude, 0.0 if accuracy != accuracy else accuracy, time)


def positions(frame: Any, source: str) -> tuple[list[float], list[float]]:
    """Latitudes and longitudes of a GeoDataFrame of points; NaN where there is none."""
    check_crs(frame, source, source if source.isidentifier() else f"geopandas.read_file({source!r})")
    geometry = frame.geometry
    for row, kind in enumerate(geometry.geom_type.to_list()):
        if kind is not None and kind == kind and kind != "Point":
            raise InputError.of_row(source, row, f"is a {kind}, a Point is needed")
    points = geometry.where(~geometry.is_empty)
    latitudes: list[float] = points.y.to_list()
    longitudes: list[float] = points.x.to_list()
    return latitudes, longitudes


def wkt_positions(frame: Any, index: int, source: str) -> tuple[list[float], list[float]]:
    """Latitudes and longitudes of a column of well-known text; NaN where nothing stands."""
    latitudes, longitudes = [], []
    for row, value in enumerate(frame.iloc[:, index].to_list()):
        try:
            if not is_missing(value) and not isinstance(value, str):
                raise ValueError(f"holds a {type(value).__name__}, not WKT, in the column {frame.columns[index]!r}")
            x, y = (None if is_missing(value) else wkt_point(value)) or (math.nan, math.nan)
        except ValueError as error:
            raise InputError.of_row(source, row, str(error)) from None
        latitudes.append(y)
        longitudes.append(x)
    return latitudes, longitudes


def numbers(frame: Any, index: int, what: str, source: str) -> list[float]:
    """A column as floats; NaN where there is nothing.

    Raises:
        InputError: Something in it is not a number.
    """
    series = frame.iloc[:, index]
    kind, name = series.dtype.kind, frame.columns[index]
    if kind in "iuf":
        values: list[float] = series.to_numpy(dtype=float, na_value=math.nan).tolist()
        return values
    if kind not in "OT" and str(series.dtype) not in ("string", "str", "category"):
        raise InputError(source, "row 0", f"{what}: the column {name!r} has the type {series.dtype}, not numbers", 0)
    return [_number(value, what, name, row, source) for row, value in enumerate(series.to_list())]


def _number(value: Any, what: str, name: str, row: int, source: str) -> float:
    if is_missing(value):
        return math.nan
    number = value.item() if hasattr(value, "item") else value
    if isinstance(number, bool) or not isinstance(number, int | float | Decimal):
        kind = type(number).__name__
        raise InputError.of_row(source, row, f"{what} {number!r} (column {name!r}) is a {kind}, not a number")
    try:
        return float(number)
    except OverflowError:
        raise InputError.of_row(source, row, f"{what} (column {name!r}) is too large") from None


def is_missing(value: Any) -> bool:
    """None, NaN, NaT or pandas' NA."""
    return (
        value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
    )


def _keys(frame: Any, index: int, by: str, source: str) -> list[Any]:
    keys: list[Any] = frame.iloc[:, index].to_list()
    for row, value in enumerate(keys):
        if is_missing(value):
            raise InputError.of_row(source, row, f"has nothing in the column {by!r}")
        try:
            hash(value)
        except TypeError:
            raise InputError.of_row(source, row, f"{value!r} (column {by!r}) cannot tell tracks apart") from None
    return keys


def _times(frame: Any, index: int, source: str, times: TimeStyle) -> list[int]:
    """Microseconds of a column of aware times, or, as in files, of numbers or texts."""
    series, name = frame.iloc[:, index], frame.columns[index]
    kind = series.dtype.kind
    for row in (~series.notna().to_numpy()).nonzero()[0][:1].tolist():
        raise InputError.of_row(source, row, f"has no time (column {name!r})")
    if kind == "M":
        if getattr(series.dt, "tz", None) is None:
            if times.is_plain:
                series = series.dt.tz_localize("UTC")
            else:
                return [to_us(times.placed(when)) for when in series.dt.to_pydatetime()]
        # Nanoseconds are cut, as in files.
        plain = series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy()
        found: list[int] = plain.astype("datetime64[us]").astype("int64").tolist()
        return found
    unit = time_unit(name)
    if kind in "iu":
        return [unit_time(value, unit, row, source) for row, value in enumerate(series.to_list())]
    if kind in "bcm":
        raise InputError(source, "row 0", f"time: the column {name!r} has the type {series.dtype}, not times", 0)
    return [value_time(value, unit, name, row, source, times) for row, value in enumerate(series.to_list())]
