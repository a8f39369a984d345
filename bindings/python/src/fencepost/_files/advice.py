"""Advice for users whose files are refused, worded for Python and for the command line."""

from __future__ import annotations

import re

from .._errors import Advice
from .._tables.names import column_advice

__all__ = [
    "CONDITIONS_OPTION", "NOT_PLAYED", "PLAY", "RADIUS", "REPAIR", "TRACK_OPTION", "VERTICES",
    "by_column", "column_advice", "decimal_comma",
]  # fmt: skip

TRACK_OPTION, CONDITIONS_OPTION = "columns", "conditions_columns"
"""The names of the options that tell the library which columns to read."""

RADIUS = Advice("set one radius for all with radius=METRES", "set one radius for all with --radius METRES")
PLAY = Advice(
    "to play way points, set speed (m/s) and start; if a column holds the times, set columns={'time': NAME}",
    "to play way points, add --speed M/S and --start TIME; if a column holds the times, add --columns time=NAME",
)
NOT_PLAYED = Advice(
    "speed, start and loop can be used only with way points without times",
    "--speed, --start and --loop can be used only with way points without times",
)

REPAIR = Advice(
    "shapely.make_valid repairs most refused polygons; shapely.set_precision(geometry, 1e-8) repairs most others",
    "the QGIS algorithm Fix geometries repairs most refused polygons",
)

VERTICES = Advice("the limit is set by max_vertices=", "the limit is set by --max-vertices")

_COMMA = re.compile(r"[+-]?\d+,\d+")


def decimal_comma(text: str) -> str:
    """Returns advice if a number contains a decimal comma."""
    return ": is the comma a decimal comma? Write a decimal point instead" if _COMMA.fullmatch(text.strip()) else ""


def by_column(name: str | None) -> Advice:
    """Advice on how to name the column that identifies the device. If `name` is None, the advice says only which option
    names this column."""
    if name is None:
        return Advice(
            "set by= to the column that holds the device", "use --by NAME to name the column that holds the device"
        )
    return Advice(f"name the column with by={name!r}", f"name the column with --by {name}")
