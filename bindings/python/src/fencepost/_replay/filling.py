"""What files hold goes into a monitor: conditions and sightings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .._errors import InputError, warn
from .._files.advice import EDGES, REPAIR
from .._files.condition_files import ConditionRow, row_number
from .._files.sightings import Report
from .._monitor.monitor import Monitor
from .._native import FencepostError, InvalidArgumentError
from .._values.results import SyncResult
from .._values.shapes import PolygonalGeographicCondition


def add_conditions(monitor: Monitor, rows: Sequence[ConditionRow], path: str | Path) -> None:
    """Adds them in file order; what the library refuses is reported with its place."""
    for row in rows:
        try:
            monitor.add(row.condition, row.identifier, assuming=row.assuming, policy=row.policy)
        except FencepostError as error:
            advice = REPAIR if isinstance(row.condition, PolygonalGeographicCondition) else None
            raise InputError(path, row.place, str(error), row_number(row.place), advice) from None
    _warn_of_edges(monitor, rows, path)


def sync_conditions(monitor: Monitor, rows: Sequence[ConditionRow], path: str | Path) -> SyncResult:
    """Makes them the conditions of a monitor that may have some: equal ones go on, those that are not named go. What
    the library refuses is reported with its place, and changes nothing."""
    try:
        return monitor.sync(rows)
    except InvalidArgumentError as error:
        row = rows[error.position] if error.position is not None else None
        place = row.place if row is not None else ""
        advice = REPAIR if row is not None and isinstance(row.condition, PolygonalGeographicCondition) else None
        raise InputError(path, place, str(error), row_number(place), advice) from None


def _warn_of_edges(monitor: Monitor, rows: Sequence[ConditionRow], path: str | Path) -> None:
    """Says of shapes which do not say for which edges they were made where that matters most."""
    found = [(monitor.shape(row.identifier), row) for row in rows if row.leaves_edges_open]
    apart = [(reading.departure, reading, row.place) for reading, row in found if reading.departure is not None]
    if not apart:
        return
    metres, reading, place = max(apart, key=lambda each: each[0])
    others = f", the most of {len(apart)} shapes" if len(apart) > 1 else ""
    where = f"part {reading.part}, ring {reading.ring}, edge {reading.edge}"
    reason = (
        f"geodesic and planar edges lie up to {metres:.0f} m apart ({where}{others}), and nothing says which are meant"
    )
    warn(path, place, reason, EDGES)


def feed_report(monitor: Monitor, report: Report) -> None:
    """Tells a monitor of a line of a sightings file.

    Raises:
        LateInputError: Earlier than its clock; counted.
    """
    if report.beacons is None:
        monitor.set_scanning(report.scanning, time=report.time_us)
    else:
        monitor.see(report.beacons, time=report.time_us)
