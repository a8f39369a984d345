"""The command ``fencepost join``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from .._errors import InputError, MissingExtraError, require
from .._fleet.conditions import Zones
from .._tables.names import CONDITIONS, GEOMETRY
from .options import AddNames, add_vertex_limit, to_metres, to_names
from .outcomes import DONE, UsageError

DESCRIPTION = (
    "Joins points with the conditions that contain them: one row for each pair, with all columns of the point and the "
    "condition's identifier. The boundary is inside; distances are geodesic."
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
    try:
        found = zones.containing(points, distances=options.distances)
    except ValueError as error:
        raise InputError(options.points, "", str(error)) from None
    found = found.rename(columns={"identifier": options.name})
    joined = points.join(found, how="left" if options.left else "inner")
    _write(joined.reset_index(drop=True), options.output, ending)
    return DONE


def _points(options: argparse.Namespace) -> Any:
    """The table of points, with geometries if the file has geometries."""
    path = Path(options.points)
    if not path.is_file():
        raise InputError(path, "", "there is no such file")
    geopandas = require("geopandas", "geo")
    try:
        if path.suffix.lower() == ".csv":
            return require("pandas", "geo").read_csv(path)
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
