"""What files hold goes into a monitor: conditions and sightings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._files.condition_files import ConditionRow
from .._monitor.filling import add_conditions, sync_conditions
from .._monitor.monitor import Monitor
from .._values.enums import Delivery, DevicePath

if TYPE_CHECKING:
    from .._files.sightings import Report
    from .._fleet.conditions import Zones

__all__ = ["add_conditions", "conditions_of", "feed_report", "sync_conditions"]


def conditions_of(rows: Sequence[ConditionRow], name: str | Path, options: Mapping[str, Any]) -> Zones | Monitor:
    """The conditions for the tracks of a replay: a table that one fleet follows them with.

    Or a monitor, which is forked for each track, with the options that a fleet cannot have: a limit makes conditions of
    each device wait for a place, the deliveries `first` and `latest` keep a turn, or the last event, of each condition
    for each device, and a path is crossed by no fleet. A fleet keeps no state of every condition of every device.
    """
    found: Zones | Monitor
    found = Monitor(**options)
    standard = {"delivery": Delivery.EVERY, "condition_limit": None, "path": DevicePath.FIXES}
    if all(options.get(key, value) == value for key, value in standard.items()):
        from .._fleet.conditions import Zones

        found = Zones()
    add_conditions(found, rows, name)
    return found


def feed_report(monitor: Monitor, report: Report) -> None:
    """Tells a monitor of a line of a sightings file.

    Raises:
        LateInputError: Earlier than its clock; counted.
    """
    if report.beacons is None:
        monitor.set_scanning(report.scanning, time=report.time_us)
    else:
        monitor.see(report.beacons, time=report.time_us)
