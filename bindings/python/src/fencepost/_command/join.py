"""The command ``fencepost join``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from .._errors import InputError, MissingExtraError, require, warn
from .._fleet.conditions import Zones
from .._tables.names import CONDITIONS, GEOMETRY, time_unit
from .._tables.text_times import ORDERS, TimeStyle, time_zone, value_time
from .options import AddNames, add_vertex_limit, to_metres, to_names
from .outcomes import DONE, UsageError

DESCRIPTION = (
    "Joins points with the conditions that contain them: one row for each pair, with all columns of the point and the "
    "condition's identifier. The boundary is inside; distances are geodesic. With --time, a condition contains a point "
    "only in its hours."
)
TABLES = (".csv", ".parquet")
VECTORS = (".gpkg", ".fgb", ".geojson", ".parquet")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of ``fencepost join``."""
    add = parser.add_argument
    add("points", metavar="POINTS", help="a layer of points, or a CSV or Parquet table with latitudes and longitudes")
    add("--conditions", required=True, metavar="FILE", help="places: GeoJSON, CSV, GPX, or a vector file")
    add("--output", metavar="FILE", help=f"{', '.join((*VECTORS, '.csv'))} (default: CSV on standard output)")
    add("--left", action="store_true", help="also write the points that no condition contains")
    add("--distances", action="store_true", help="also write the signed distance to the boundary, in metres")
    text = "column of the points' times; where a time is missing, the hours of the conditions are ignored"
    add("--time", metavar="COLUMN", help=text)
    text = "time zone of times that state none, such as Europe/Berlin or +02:00 (default: UTC)"
    add("--time-zone", metavar="ZONE", help=text)
    add("--date-order", choices=ORDERS, default="", help="order of day and month in dates such as 05/04/2024")
    text = "column that receives the condition's identifier (default: %(default)s)"
    add("--name", default="place", metavar="COLUMN", help=text)
    add("--layer", metavar="NAME", help="layer of the points' vector file (default: the first)")
    add("--conditions-layer", metavar="NAME", help="layer of the conditions' vector file (default: the first)")
    known = {**CONDITIONS, "geometry": GEOMETRY}
    text = (
        "names of the columns that hold identifier, latitude, longitude, geometry and radius, "
        "if they are not recognised automatically"
    )
    add("--conditions-columns", type=to_names(known), action=AddNames, default={}, metavar="WHAT=NAME,...", help=text)
    add("--transform", action="store_true", help="transform vector files in another CRS to WGS84")
    add("--radius", type=to_metres, metavar="METRES", help="radius of circles and lines that set none")
    add_vertex_limit(parser)


def run(options: argparse.Namespace) -> int:
    """Writes the joined table, and returns the exit code."""
    ending = "" if options.output is None else Path(options.output).suffix.lower()
    if options.output is not None and ending not in (*VECTORS, ".csv"):
        raise UsageError(
            f"argument --output: {options.output}: the file name must end in one of {', '.join((*VECTORS, '.csv'))}"
        )
    style = _style(options)
    zones = Zones(
        options.conditions,
        radius=options.radius,
        columns=options.conditions_columns,
        layer=options.conditions_layer,
        max_vertices=options.max_vertices,
        transform=options.transform,
    )
    points = _points(options)
    names = [options.name, *(["distance"] if options.distances else [])]
    taken = [name for name in names if name in points.columns]
    if taken:
        advice = "choose another column with --name" if taken == [options.name] else "rename it in the input"
        raise InputError(options.points, "", f"the points already have a column {taken[0]!r}; {advice}")
    times = None if options.time is None else _times(points, options.time, options.points, style)
    try:
        found = zones.containing(points, distances=options.distances, time=times)
    except ValueError as error:
        raise InputError(options.points, "", str(error)) from None
    found = found.rename(columns={"identifier": options.name})
    joined = points.join(found, how="left" if options.left else "inner")
    _write(joined.reset_index(drop=True), options.output, ending)
    return DONE


def _style(options: argparse.Namespace) -> TimeStyle:
    """How times are read.

    Raises:
        UsageError: An option about times needs --time, or the time zone is not known.
    """
    for name in ("time_zone", "date_order"):
        if getattr(options, name) and options.time is None:
            raise UsageError(f"argument --{name.replace('_', '-')}: needs --time, the column of the times")
    try:
        return TimeStyle(None if options.time_zone is None else time_zone(options.time_zone), options.date_order)
    except ValueError as error:
        raise UsageError(f"argument --time-zone: {error}") from None


def _times(points: Any, name: str, source: str, style: TimeStyle) -> list[int | None]:
    """The times of the points in microseconds; None where a time is missing.

    Raises:
        InputError: There is no such column, or a value is not a time.
    """
    if name not in points.columns:
        known = ", ".join(map(repr, points.columns))
        raise InputError(source, "", f"there is no column {name!r} for --time; the columns are {known}")
    column = points[name]
    if column.ndim != 1:
        raise InputError(source, "", f"several columns have the name {name!r} of --time; rename them")
    unit, missing = time_unit(name), column.isna()
    found = [
        None if is_missing else value_time(value, unit, name, row, source, style)
        for row, (value, is_missing) in enumerate(zip(column, missing))
    ]
    if style.doubt:
        warn(source, "", style.doubt)
    return found


def _points(options: argparse.Namespace) -> Any:
    """The table of points, with geometries if the file has geometries."""
    path = Path(options.points)
    if not path.is_file():
        raise InputError(path, "", "there is no such file")
    geopandas = require("geopandas", "geo")
    try:
        if path.suffix.lower() == ".csv":
            # The text of times stays as it is: a column of integers with a gap would otherwise become floats.
            kinds = {} if options.time is None else {options.time: "string"}
            return require("pandas", "geo").read_csv(path, dtype=kinds)
        if path.suffix.lower() == ".parquet":
            return _parquet(path)
        layer = {} if options.layer is None else {"layer": options.layer}
        return geopandas.read_file(path, **layer)
    except (MissingExtraError, InputError):
        raise
    except Exception as error:  # other libraries' readers raise their own exceptions
        raise InputError(path, "", f"cannot be read: {str(error) or type(error).__name__}") from None


def _parquet(path: Path) -> Any:
    """Reads a GeoParquet file as a table with geometries, and any other Parquet file as a plain table."""
    geopandas, pandas = require("geopandas", "geo"), require("pandas", "geo")
    try:
        return geopandas.read_parquet(path)
    except ValueError:  # the file does not have GeoParquet metadata
        return pandas.read_parquet(path)


def _write(joined: Any, output: str | None, ending: str) -> None:
    """Writes the rows. GeoJSON output is in WGS84 degrees (RFC 7946, section 4); outputs in other formats keep the CRS
    of the points."""
    has_geometry = hasattr(joined, "to_wkt")
    if output is None or ending == ".csv":
        (joined.to_wkt() if has_geometry else joined).to_csv(sys.stdout if output is None else output, index=False)
    elif ending == ".parquet":
        joined.to_parquet(output)
    elif has_geometry and ending == ".geojson":
        Path(output).write_text(joined.to_crs("EPSG:4326").to_json(drop_id=True), encoding="utf-8")
    elif has_geometry:
        from .._tables.vector_out import write_frame

        write_frame(joined, output, "joined", geometry="Point")
    else:
        raise UsageError(
            f"argument --output: {output}: the points have no geometries; the file name must end in one of "
            f"{', '.join(TABLES)}"
        )
