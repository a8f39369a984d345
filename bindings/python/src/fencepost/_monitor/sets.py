"""Changes of many conditions in one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from .._tables.numbers import integer
from .._values.arguments import assumed, column_names, options_row, policy_row, vertex_limit
from .._values.conditions import BEACON_IDENTITY, CIRCULAR_GEOGRAPHIC, RULE, is_condition, is_line
from .._values.enums import STATES, State
from .._values.results import SyncResult

if TYPE_CHECKING:
    from typing import Protocol

    from .._values.any_condition import Condition
    from .._values.policy import DefinitionRow, TransitionPolicy
    from .._values.records import Record

    class NamedCondition(Protocol):
        """A record, or any other object that has an `identifier` and a `condition`. A named condition may also have the
        attributes `assuming`, `policy`, `tag`, `timing` and `band`."""

        @property
        def identifier(self) -> str: ...
        @property
        def condition(self) -> Condition: ...

    Named: TypeAlias = Mapping[str, Condition | Record] | Iterable[NamedCondition]


def sync_with(
    handle: Any,
    conditions: Any,
    assuming: State | str,
    policy: TransitionPolicy | str | None,
    tag: int,
    columns: Mapping[str, str] | None,
    max_vertices: int | None,
) -> SyncResult:
    """Makes `conditions` the only conditions of a handle; see :meth:`ConditionChanges.sync`."""
    if hasattr(conditions, "__arrow_c_stream__") and not isinstance(conditions, Mapping | list):
        from .arrow_batches import Options, sync_stream

        return sync_stream(
            handle, conditions, column_names(columns), Options(assuming, policy, tag, vertex_limit(max_vertices))
        )
    if columns is not None:
        raise TypeError("columns needs a table that exports an Arrow stream")
    default = assumed(assuming), policy_row(policy), integer(tag, "tag", 0)
    left_open: list[str] = []
    most = vertex_limit(max_vertices, 0)
    result = SyncResult(*handle.sync(tuple(_definitions(conditions, default, left_open, most))))
    if left_open and (result.added or result.replaced):
        from .edges import AS_GEODESIC, warn_of_edges

        warn_of_edges(handle, ((each, f"condition {each!r}", "") for each in left_open), AS_GEODESIC)
    return result


def _definitions(
    conditions: Any, default: tuple[int, Any, int], left_open: list[str], most: int
) -> Iterable[DefinitionRow]:
    """Yields the row of each condition. Identifiers of shapes that do not state their kind of edges are appended to
    `left_open`. `most` limits the vertices of conditions that have no limit of their own; 0 means no limit."""
    if isinstance(conditions, Mapping):
        pairs: Iterable[tuple[Any, Any]] = conditions.items()
    else:
        try:
            pairs = [(getattr(each, "identifier", None), each) for each in conditions]
        except TypeError:
            kinds = "a mapping of identifiers to conditions, records, or a table"
            raise TypeError(f"conditions must be {kinds}, not {type(conditions).__name__}") from None
    for identifier, value in pairs:
        state, row, tag = default
        if is_line(value if is_condition(value) else getattr(value, "condition", None)):
            state, row = 0, None  # a gate has neither a state nor a policy, so these defaults do not apply to it
        if getattr(value if is_condition(value) else getattr(value, "condition", None), "_leaves_edges_open", False):
            left_open.append(identifier)
        if is_condition(value):
            yield (identifier, *_limited(value, most), state, row, tag)
            continue
        own: Any = getattr(value, "condition", None)
        if not is_condition(own):
            place = f"conditions[{identifier!r}]" if isinstance(conditions, Mapping) else "an element of conditions"
            raise TypeError(f"{place} must be a condition or a record, not {type(value).__name__}")
        assuming, policy = getattr(value, "assuming", None), getattr(value, "policy", None)
        timing, band = getattr(value, "timing", None), getattr(value, "band", None)
        yield (
            identifier,
            *_limited(own, getattr(value, "max_vertices", 0) or most),
            state if assuming is None else STATES.index(assuming),
            row if policy is None and timing is None and band is None else options_row(policy, timing, band),
            getattr(value, "tag", tag),
        )


def _limited(condition: Condition, most: int) -> tuple[int, Any]:
    """The kind and the geometry of a condition; if the condition is a shape, its vertex limit is appended to the
    geometry."""
    kind, geometry = condition._definition()
    return kind, (*geometry, most) if kind not in (CIRCULAR_GEOGRAPHIC, BEACON_IDENTITY, RULE) else geometry
