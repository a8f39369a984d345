"""Conditions of files go into a monitor or a table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .._errors import InputError
from .._files.advice import REPAIR
from .._files.condition_files import ConditionRow, row_number
from .._monitor.edges import AS_PLANAR, warn_of_edges
from .._monitor.holder import ConditionHolder
from .._native import FencepostError
from .._values.shapes import Polygon


def add_conditions(holder: ConditionHolder[Any], rows: Sequence[ConditionRow], path: str | Path) -> None:
    """Adds them in file order; what the library refuses is reported with its place."""
    for row in rows:
        try:
            holder._put(row.condition, row.identifier, row.assuming, row.policy, 0, False)
        except FencepostError as error:
            advice = REPAIR if isinstance(row.condition, Polygon) else None
            raise InputError(path, row.place, str(error), row_number(row.place), advice) from None
    left_open = ((row.identifier, str(path), row.place) for row in rows if row.leaves_edges_open)
    warn_of_edges(holder._handle, left_open, AS_PLANAR)
