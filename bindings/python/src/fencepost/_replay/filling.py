"""The conditions and sightings of a replay, and the monitors and fleets that receive them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._files.condition_files import ConditionRow
from .._files.sources import ConditionsSource, as_conditions, assumed_by_default
from .._files.vector import PLAIN, Reading
from .._monitor.filling import add_conditions, refuse_options, sync_conditions
from .._monitor.holder import ConditionHolder
from .._monitor.monitor import Monitor
from .._values.arguments import as_policy, assumed_state
from .._values.conditions import is_line
from .._values.enums import Delivery, DevicePath, State
from .._values.policy import TransitionPolicy

if TYPE_CHECKING:
    from .._files.sightings import Report
    from .._fleet.conditions import Zones

__all__ = ["add_conditions", "conditions_of", "feed_report", "given_conditions", "sync_conditions"]


def given_conditions(
    conditions: ConditionsSource,
    policy: TransitionPolicy | str | None,
    by: str | None,
    *,
    name: str = "conditions",
    how: Reading = PLAIN,
    columns: Mapping[str, str] | None = None,
    radius: float | None = None,
    assuming: State | str | None = None,
) -> tuple[str, list[ConditionRow]]:
    """The conditions of a replay, and what to call them in messages: see :func:`as_conditions`.

    A condition's own policy and assumed state come first; the arguments are for those that say none. All conditions of
    a table say both, those of a monitor their policy, so that the arguments are refused beside them.

    Args:
        conditions: The argument as passed.
        policy: Of conditions that say none; None: ``standard``.
        by: The column that tells tracks apart; None: there is one track.
        name: Of the argument, for messages.
        how: How files and tables are read.
        columns: Names of columns, where they are not recognised.
        radius: Metres, of circles that have none.
        assuming: The state of those that say none; None: :func:`assumed_by_default`.

    Raises:
        TypeError: An argument is for conditions that are read, and these are those of a table or a monitor.
    """
    if not isinstance(conditions, ConditionHolder):
        return as_conditions(conditions, as_policy(policy), name, how, columns, radius, assuming, by)
    refuse_options(
        conditions, name, policy=policy, radius=radius, conditions_columns=columns or None, conditions_layer=how.layer
    )
    if not isinstance(conditions, Monitor):
        refuse_options(conditions, name, assuming=assuming)
    state = assumed_by_default(by) if assuming is None else assumed_state(assuming)
    return name, _held(conditions, state)


def _held(holder: ConditionHolder[Any], assuming: State) -> list[ConditionRow]:
    """The conditions of a monitor or a table as rows, each with its policy and tag.

    Args:
        holder: The monitor or the table.
        assuming: The state of a monitor's conditions. Those of a table begin as they were added.
    """
    # Before its first event a record has the assumed state.
    begin = None if isinstance(holder, Monitor) else Monitor.restore(holder._handle.snapshot()).records()
    assumed = {} if begin is None else {record.identifier: record.state for record in begin}
    rows = []
    for identifier, held in list(holder.items()):
        gate = is_line(held.condition)
        state = assumed.get(identifier, assuming)
        policy = None if gate else held.policy
        rows.append(
            ConditionRow(
                repr(identifier), identifier, held.condition, State.UNKNOWN if gate else state, policy, tag=held.tag
            )
        )
    return rows


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
