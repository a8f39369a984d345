"""Conditions of any source go into a monitor or a table: what `Zones(source)`, `Fleet(source)`, `Monitor(source)`, a
replay and a watch share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._errors import InputError
from .._files.advice import REPAIR
from .._files.condition_files import ConditionRow, row_number
from .._files.sources import ConditionsSource, as_conditions
from .._files.vector import Reading
from .._native import FencepostError, InvalidArgumentError
from .._values.arguments import as_policy, column_names
from .._values.enums import State
from .._values.shapes import Polygon
from .edges import AS_PLANAR, warn_of_edges
from .holder import ConditionHolder

if TYPE_CHECKING:
    from .._values.definitions import Definition
    from .._values.policy import TransitionPolicy
    from .._values.results import SyncResult
    from .conditions import ConditionChanges


class Source:
    """The conditions that a constructor was given, read before anything is opened.

    Args:
        given: A path, a mapping, GeoJSON, a frame, an Arrow stream; another monitor or table; None: no conditions.
        assumed: The state of conditions that say none, where `assuming` is None.
        policy: Of conditions that have none.
        assuming: The state of conditions that say none.
        radius: Metres, of circles that have none.
        columns: Names of columns or properties that are not recognised.
        layer: Of a vector file; None: the first.
        transform: Whether another CRS is transformed to WGS84; otherwise it is refused.

    Raises:
        InputError: The source cannot be used.
        TypeError: An option without a source that it is for.
    """

    def __init__(
        self,
        given: ConditionsSource | None,
        assumed: State,
        policy: TransitionPolicy | str | None = None,
        assuming: State | str | None = None,
        radius: float | None = None,
        columns: Mapping[str, str] | None = None,
        layer: str | None = None,
        transform: bool = False,
    ) -> None:
        self.name, self.rows = "conditions", list[ConditionRow]()
        self.others: Any = given
        if given is None or isinstance(given, ConditionHolder):
            refuse_options(
                given,
                "conditions",
                policy=policy,
                assuming=assuming,
                radius=radius,
                columns=columns,
                layer=layer,
                transform=transform or None,
            )
            return
        self.others = None
        self.name, self.rows = as_conditions(
            given,
            as_policy(policy),
            how=Reading(layer, transform),
            columns=column_names(columns),
            radius=radius,
            assuming=assumed if assuming is None else assuming,
        )

    def put_into(self, holder: ConditionChanges[Any]) -> None:
        """Makes these the conditions of a monitor or a table; equal ones that it has go on."""
        if self.others is not None:
            holder.sync(self.others)
            return
        sync_conditions(holder, self.rows, self.name)
        warn_of_open_edges(holder, self.rows, self.name)


def refuse_options(given: ConditionHolder[Any] | None, name: str, **options: object) -> None:
    """Refuses options that are for conditions which are read: those of a monitor or a table have all of it.

    Args:
        given: The monitor or the table; None: no conditions.
        name: Of the argument, for messages.
        options: By name; None: not given.

    Raises:
        TypeError: One of them is given.
    """
    for option, value in options.items():
        if value is not None:
            kind = "None" if given is None else f"a {type(given).__name__}, which has its own"
            raise TypeError(f"{option} applies only to conditions read from a source; {name} is {kind}")


def add_conditions(holder: ConditionHolder[Any], rows: Sequence[ConditionRow], path: str | Path) -> None:
    """Adds them in file order; what the library refuses is reported with its place."""
    for row in rows:
        try:
            holder._put(row.condition, row.identifier, row.assuming, row.policy, row.tag, False)
        except FencepostError as error:
            advice = REPAIR if isinstance(row.condition, Polygon) else None
            raise InputError(path, row.place, str(error), row_number(row.place), advice) from None
    warn_of_open_edges(holder, rows, path)


def sync_conditions(
    holder: ConditionChanges[Any],
    rows: Sequence[ConditionRow],
    path: str | Path,
    more: Sequence[Definition] = (),
) -> SyncResult:
    """Makes them the conditions of a monitor or a table that may have some: equal ones go on, those that are not named
    go. An error of the library is raised with its place; nothing changes.

    Args:
        holder: The monitor or the table.
        rows: The conditions of the file.
        path: The file.
        more: Conditions that are not of the file, and stay.
    """
    try:
        return holder.sync([*rows, *more])
    except InvalidArgumentError as error:
        at = error.position
        row = rows[at] if at is not None and at < len(rows) else None
        place = row.place if row is not None else ""
        advice = REPAIR if row is not None and isinstance(row.condition, Polygon) else None
        raise InputError(path, place, str(error), row_number(place), advice) from None


def warn_of_open_edges(holder: ConditionHolder[Any], rows: Sequence[ConditionRow], path: str | Path) -> None:
    """Says of shapes which leave their edges open where the two readings differ most."""
    left_open = ((row.identifier, str(path), row.place) for row in rows if row.leaves_edges_open)
    warn_of_edges(holder._handle, left_open, AS_PLANAR)
