"""The conditions and sightings of a replay, and the monitors and fleets that receive them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from .._files.condition_files import ConditionRow
from .._files.sources import ConditionsSource, as_conditions, assumed_by_default
from .._files.vector import PLAIN, Reading
from .._monitor.filling import add_conditions, refuse_options
from .._monitor.holder import ConditionHolder
from .._monitor.monitor import Monitor
from .._values.arguments import as_policy, assumed_state, vertex_limit
from .._values.conditions import is_line
from .._values.enums import Delivery, State
from .._values.policy import TransitionPolicy
from .needed_heights import NeededHeights

if TYPE_CHECKING:
    from .._files.sightings import Report
    from .._fleet.conditions import Zones
    from .._log.doubted import Separate

_PLAUSIBILITY = ("plausible_speed", "corroboration_count", "corroboration_time")


def conditions_reading(layer: str | None, transform: bool, max_vertices: int | None) -> Reading:
    """Returns how the conditions of a replay are read; if `max_vertices` is None, the default limit applies."""
    return Reading(layer, transform, max_vertices=vertex_limit(max_vertices))


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
    """Returns a name for messages, and the conditions of a replay; see :func:`as_conditions`.

    A condition's own policy and assumed state take precedence over the arguments. Arguments that would change the
    policy or the assumed state of a table's conditions, or the policy of a monitor's conditions, are refused.

    Args:
        conditions: The conditions argument, as the caller passed it.
        policy: The policy for conditions that do not have their own. None means ``standard``.
        by: The column that identifies the track. None means that there is only one track.
        name: Name of the argument, for messages.
        how: How files and tables are read.
        columns: Maps roles, such as ``latitude``, to the names of columns that the library does not recognise.
        radius: The radius, in metres, for circles that do not specify a radius.
        assuming: The initial state for conditions that have no assumed state of their own. None means the result of
            :func:`assumed_by_default`.

    Raises:
        TypeError: The conditions are a table or a monitor, and one of the other arguments is not allowed with a table
            or a monitor.
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
    """Returns the conditions of a monitor or a table as rows, each with its policy and tag.

    Args:
        holder: The monitor or the table.
        assuming: The initial state of a monitor's conditions. The conditions of a table keep the states that were
            assumed when they were added.
    """
    # The record of a condition without events has the assumed state.
    begin = None if isinstance(holder, Monitor) else Monitor.restore(holder._handle.snapshot()).records()
    assumed = {} if begin is None else {record.identifier: record.state for record in begin}
    rows = []
    for identifier, held in list(holder.items()):
        gate = is_line(held.condition)
        state = assumed.get(identifier, assuming)
        policy = None if gate else held.policy
        rows.append(
            ConditionRow(
                repr(identifier),
                identifier,
                held.condition,
                State.UNKNOWN if gate else state,
                policy,
                tag=held.tag,
                timing=held.timing,
                band=held.band,
            )
        )
    return rows


NO_OPTIONS: Mapping[str, Any] = MappingProxyType({})


MOVEMENT = (
    *("path", "max_gap", "max_speed", "plausible_speed", "corroboration_count", "corroboration_time"),
    *("accuracy_confidence", "order"),
)


class TrackConditions(NamedTuple):
    """The conditions for the tracks of a replay.

    If the replay has a condition limit, the delivery `first` or `latest`, or a condition with a timing, `conditions` is
    a monitor, which is forked for each track. Otherwise it is a table, and one fleet with the options `fleet` follows
    all tracks. `heights` are those that the bands need.
    """

    conditions: Zones | Monitor
    fleet: Mapping[str, Any]
    heights: NeededHeights


def conditions_of(rows: Sequence[ConditionRow], name: str | Path, options: Mapping[str, Any]) -> TrackConditions:
    """Returns the conditions for the tracks of a replay.

    Raises:
        InvalidArgumentError: An option is out of its range.
        InputError: A condition cannot be added; the message names its row.
    """
    found: Zones | Monitor
    found = Monitor(**options)
    movement = {key: options[key] for key in MOVEMENT if key in options}
    standard = {"delivery": Delivery.EVERY, "condition_limit": None}
    if need_monitors(rows) or any(options.get(key, value) != value for key, value in standard.items()):
        add_conditions(found, rows, name)
        return TrackConditions(found, {}, NeededHeights(rows))
    from .._fleet.conditions import Zones
    from .._fleet.fleet import Fleet

    found = Zones()
    fleet = Fleet(found, **movement)  # a fleet accepts gates only if the option `path` is set
    add_conditions(fleet.conditions, rows, name)
    return TrackConditions(found, movement, NeededHeights(rows))


def need_monitors(rows: Sequence[ConditionRow]) -> bool:
    """Whether each track needs its own monitor because of the conditions: a fleet with a path refuses timings."""
    return any(row.timing is not None for row in rows)


def feed_report(monitor: Monitor, report: Report) -> None:
    """Feeds a line of a sightings file to a monitor.

    Raises:
        LateInputError: The line is earlier than the monitor's clock. The monitor counts the line as a late input.
    """
    if report.beacons is None:
        monitor.set_scanning(report.scanning, time=report.time_us)
    else:
        monitor.feed_sightings(report.beacons, time=report.time_us)


def separating(options: Mapping[str, Any]) -> Separate | None:
    """Returns the function that separates the accepted fixes of a replay with these options from the doubted fixes, or
    None if the replay doubts no fix."""
    if options.get("plausible_speed") is None:
        return None
    from .doubted import separated

    return partial(separated, {name: options[name] for name in _PLAUSIBILITY if name in options})
