"""Puts the conditions from any source into a monitor or a table; used by `Zones(source)`, `Fleet(source)`,
`Monitor(source)`, replays and ``fencepost watch``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._errors import Advice, InputError, reason_of
from .._files.advice import REPAIR, VERTICES
from .._files.condition_files import ConditionRow, row_number
from .._files.sources import ConditionsSource, as_conditions
from .._files.vector import Reading
from .._native import FencepostError, InvalidArgumentError
from .._values.arguments import as_policy, column_names, vertex_limit
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
    """The conditions passed to a constructor. The conditions are read when the object is created, before a monitor or a
    store is opened.

    Args:
        given: A path, a mapping, GeoJSON, a frame, an Arrow stream, another monitor or table, or None for no
            conditions.
        assumed: The initial state for conditions that do not state one; used if `assuming` is None.
        policy: The policy for conditions that do not have their own.
        assuming: The initial state for conditions that do not state one.
        radius: The radius, in metres, for circles that do not state one.
        columns: Maps roles, such as ``latitude``, to the names of columns or properties that the library does not
            recognise.
        layer: Layer of a vector file; None selects the first layer.
        max_vertices: The largest number of vertices that a condition may have; None means the default.
        transform: True to transform coordinates from another CRS to WGS84. If False, a source in another CRS is
            refused.

    Raises:
        InputError: The source cannot be used.
        TypeError: An option was passed without a source to which the option applies.
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
        max_vertices: int | None = None,
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
                max_vertices=max_vertices,
                transform=transform or None,
            )
            return
        self.others = None
        self.name, self.rows = as_conditions(
            given,
            as_policy(policy),
            how=Reading(layer, transform, max_vertices=vertex_limit(max_vertices)),
            columns=column_names(columns),
            radius=radius,
            assuming=assumed if assuming is None else assuming,
        )

    def put_into(self, holder: ConditionChanges[Any]) -> None:
        """Makes the source's conditions the only conditions of a monitor or a table. An existing condition that is
        equal to one of the source's conditions keeps its state.

        Raises:
            InputError: A table cannot have one of the conditions, such as a beacon condition with a timing; the message
                names it.
        """
        if self.others is not None:
            names = self.others.identifiers
            try:
                holder.sync(self.others)
            except InvalidArgumentError as error:
                name = names[error.position] if error.position < len(names) else ""
                raise InputError(self.name, repr(name), reason_of(error), error.position) from None
            return
        sync_conditions(holder, self.rows, self.name)
        warn_of_open_edges(holder, self.rows, self.name)


def refuse_options(given: ConditionHolder[Any] | None, name: str, **options: object) -> None:
    """Refuses options that apply only to reading conditions from a source, because the conditions come from a monitor
    or a table, or because none were passed.

    Args:
        given: The monitor or the table; None if no conditions were passed.
        name: The name under which the caller passed `given`, for messages.
        options: The options by name; None marks an option that was not passed.

    Raises:
        TypeError: An option for reading a source was passed.
    """
    for option, value in options.items():
        if value is not None:
            kind = "None" if given is None else f"a {type(given).__name__}, which has its own"
            raise TypeError(f"{option} applies only to conditions read from a source; {name} is {kind}")


def add_conditions(holder: ConditionHolder[Any], rows: Sequence[ConditionRow], path: str | Path) -> None:
    """Adds conditions in the order of the file. If the library refuses a condition, the error names the condition's
    place.
    """
    for row in rows:
        try:
            options = (row.assuming, row.policy, row.tag, False, row.max_vertices, row.timing, row.band)
            holder._put(row.condition, row.identifier, *options)
        except FencepostError as error:
            advice = _advice(error, row)
            raise InputError(path, row.place, str(error), row_number(row.place), advice) from None
    warn_of_open_edges(holder, rows, path)


def sync_conditions(
    holder: ConditionChanges[Any],
    rows: Sequence[ConditionRow],
    path: str | Path,
    more: Sequence[Definition] = (),
) -> SyncResult:
    """Replaces the conditions of a monitor or a table with `rows`. An existing condition that is equal to a condition
    in `rows` keeps its state; all other existing conditions are removed. If the library refuses a condition, the error
    names the condition's place in the file, and nothing changes.

    Args:
        holder: The monitor or the table.
        rows: The conditions of the file.
        path: The file.
        more: Conditions that are not in the file and must stay.
    """
    try:
        return holder.sync([*rows, *more])
    except InvalidArgumentError as error:
        at = error.position
        row = rows[at] if at is not None and at < len(rows) else None
        if row is None:
            raise InputError(path, "", str(error)) from None
        raise InputError(path, row.place, reason_of(error), row_number(row.place), _advice(error, row)) from None


def _advice(error: FencepostError, row: ConditionRow) -> Advice | None:
    """Returns advice on how to mend a condition that the library refuses."""
    if "too_many_vertices:" in str(error):
        return VERTICES
    return REPAIR if isinstance(row.condition, Polygon) else None


def warn_of_open_edges(holder: ConditionHolder[Any], rows: Sequence[ConditionRow], path: str | Path) -> None:
    """Among the shapes that do not state their kind of edges, finds the shape for which geodesic and planar edges
    differ most, and warns about it."""
    left_open = ((row.identifier, str(path), row.place) for row in rows if row.leaves_edges_open)
    warn_of_edges(holder._handle, left_open, AS_PLANAR)
