"""What files hold goes into a monitor: conditions and sightings."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from .._errors import InputError
from .._files.condition_files import ConditionRow, row_number
from .._files.sightings import Report
from .._monitor.monitor import Monitor
from .._native import FencepostError


def add_conditions(monitor: Monitor, rows: Iterable[ConditionRow], path: str | Path) -> None:
    """Adds them in file order; what the library refuses is reported with its place."""
    for row in rows:
        try:
            monitor.add(row.condition, row.identifier, assuming=row.assuming, policy=row.policy)
        except FencepostError as error:
            raise InputError(path, row.place, str(error), row_number(row.place)) from None


def ensure_conditions(monitor: Monitor, rows: Iterable[ConditionRow], path: str | Path) -> None:
    """Makes them the conditions of a monitor that may have some: equal ones go on, those that are not named go."""
    rows = list(rows)
    for identifier in set(monitor.identifiers) - {row.identifier for row in rows}:
        monitor.remove(identifier)
    for row in rows:
        try:
            monitor.ensure(row.condition, row.identifier, assuming=row.assuming, policy=row.policy)
        except FencepostError as error:
            raise InputError(path, row.place, str(error), row_number(row.place)) from None


def feed_report(monitor: Monitor, report: Report) -> None:
    """Tells a monitor of a line of a sightings file.

    Raises:
        LateInputError: Earlier than its clock; counted.
    """
    if report.beacons is None:
        monitor.set_scanning(report.scanning, time=report.time_us)
    else:
        monitor.see(report.beacons, time=report.time_us)
