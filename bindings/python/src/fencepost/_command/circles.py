"""The command ``fencepost circles``."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from .._errors import require
from .._files.condition_files import ConditionRow, read_conditions
from .._files.vector import Reading
from .._tables.names import CONDITIONS, GEOMETRY
from .._values.conditions import Circle
from .._values.enums import State
from .._values.policy import TransitionPolicy
from .options import AddNames, add_defaults, to_count, to_names
from .outcomes import DONE, UsageError

DESCRIPTION = (
    "Writes the circles of a conditions file as polygons for maps. Each corner lies on the geodesic circle; polygons "
    "that cross the antimeridian are cut there. Beacons have no position and are left out."
)
ENDINGS = (".geojson", ".gpkg", ".fgb", ".parquet")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of ``fencepost circles``."""
    add = parser.add_argument
    add("conditions", metavar="FILE", help="places: GeoJSON, CSV, GPX, or a vector file")
    add("--output", metavar="FILE", help=f"{', '.join(ENDINGS)} (default: GeoJSON on standard output)")
    add(
        "--corners",
        type=to_count,
        default=180,
        metavar="N",
        help="number of corners of each polygon (default: %(default)s)",
    )
    add("--conditions-layer", metavar="NAME", help="layer of a vector file (default: the first)")
    add(
        "--conditions-columns",
        type=to_names({**CONDITIONS, "geometry": GEOMETRY}),
        action=AddNames,
        default={},
        metavar="WHAT=NAME,...",
        help="names of the columns that hold identifier, latitude, longitude, geometry and radius, "
        "if they are not recognised automatically",
    )
    add("--transform", action="store_true", help="transform a vector file in another CRS to WGS84")
    add_defaults(parser)


def run(options: argparse.Namespace) -> int:
    """Writes the polygons; returns the exit code."""
    kind = "" if options.output is None else Path(options.output).suffix.lower()
    if options.output is not None and kind not in ENDINGS:
        raise UsageError(f"argument --output: {options.output}: the file name must end in one of {', '.join(ENDINGS)}")
    rows = read_conditions(
        options.conditions,
        TransitionPolicy.standard(),
        how=Reading(options.conditions_layer, options.transform),
        columns=options.conditions_columns,
        radius=options.radius,
        assuming=options.assuming or State.UNKNOWN,
    )
    features = [feature for row in rows if (feature := _feature(row, options.corners)) is not None]
    if kind in ("", ".geojson"):
        text = json.dumps({"type": "FeatureCollection", "features": features}, ensure_ascii=False)
        text = text.replace('{"type": "Feature", ', '\n{"type": "Feature", ') + "\n"
        if options.output is None:
            sys.stdout.write(text)
        else:
            Path(options.output).write_text(text, encoding="utf-8")
        return DONE
    from .._tables.vector_out import write_frame

    frame = require("geopandas", "geo").GeoDataFrame.from_features(features, crs="EPSG:4326")
    write_frame(frame, options.output, "circles", geometry="MultiPolygon")
    return DONE


def _feature(row: ConditionRow, corners: int) -> dict[str, Any] | None:
    circle = row.condition
    if not isinstance(circle, Circle):
        return None
    properties = {
        "identifier": row.identifier,
        "latitude": circle.latitude,
        "longitude": circle.longitude,
        "radius": circle.radius,
    }
    return {"type": "Feature", "geometry": circle.polygon(corners), "properties": properties}
