"""Remedies for refused files, worded for Python and for the command line."""

from __future__ import annotations

import re

from .._errors import Advice
from .._tables.names import column_advice

__all__ = [
    "CONDITIONS_OPTION", "DATE_ORDER", "NOT_PLAYED", "PLAY", "RADIUS", "REPAIR", "TRACK_OPTION", "VERTICES",
    "by_column", "column_advice", "decimal_comma",
]  # fmt: skip

TRACK_OPTION, CONDITIONS_OPTION = "columns", "conditions_columns"
"""The options that name columns."""

DATE_ORDER = Advice("choose with date_order='dmy' or 'mdy'", "choose with --date-order dmy or mdy")
RADIUS = Advice("set one for all with radius=METRES", "set one for all with --radius METRES")
PLAY = Advice(
    "to play way points, set speed (m/s) and start; to name a column of times, columns={'time': NAME}",
    "to play way points, add --speed M/S and --start TIME; to name a column of times, --columns time=NAME",
)
NOT_PLAYED = Advice(
    "speed, start and loop can be used only with way points without times",
    "--speed, --start and --loop can be used only with way points without times",
)

REPAIR = Advice(
    "shapely.make_valid repairs most polygons that are refused, shapely.set_precision(geometry, 1e-8) most others",
    "Fix geometries of QGIS repairs most polygons that are refused",
)

VERTICES = Advice("the limit is set by max_vertices=", "the limit is set by --max-vertices")

_COMMA = re.compile(r"[+-]?\d+,\d+")


def decimal_comma(text: str) -> str:
    """The advice for a number with a decimal comma."""
    return ": is this a decimal comma? Write a decimal point" if _COMMA.fullmatch(text.strip()) else ""


def by_column(name: str | None) -> Advice:
    """Advice on how to name the column that identifies the device; if `name` is None, the column is unknown."""
    if name is None:
        return Advice("name the column of devices with by=", "name the column of devices with --by NAME")
    return Advice(f"name it with by={name!r}", f"name it with --by {name}")
