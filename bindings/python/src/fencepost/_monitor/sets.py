"""Sets of conditions: many at once, in one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, overload

from .._native import Monitor as Handle
from .._tables.numbers import integer
from .._values.arguments import assumed, column_names, policy_row
from .._values.conditions import is_condition
from .._values.enums import STATES, State
from .._values.results import SyncResult

if TYPE_CHECKING:
    from typing import Protocol

    from .._tables.buffers import ArrowStream
    from .._values.any_condition import Condition
    from .._values.policy import DefinitionRow, TransitionPolicy
    from .._values.records import Record

    class NamedCondition(Protocol):
        """A record, or whatever else names a condition; it may say its assuming, policy and tag."""

        @property
        def identifier(self) -> str: ...
        @property
        def condition(self) -> Condition: ...

    Named: TypeAlias = Mapping[str, Condition | Record] | Iterable[NamedCondition]


class MonitorSets:
    """Many conditions at once."""

    __slots__ = ()
    _handle: Handle

    @overload
    def sync(
        self,
        conditions: Named,
        *,
        assuming: State | str = State.UNKNOWN,
        policy: TransitionPolicy | str | None = None,
        tag: int = 0,
    ) -> SyncResult: ...
    @overload
    def sync(
        self,
        conditions: ArrowStream,
        *,
        assuming: State | str = State.UNKNOWN,
        policy: TransitionPolicy | str | None = None,
        tag: int = 0,
        columns: Mapping[str, str] | None = None,
    ) -> SyncResult: ...
    def sync(
        self,
        conditions: Any,
        *,
        assuming: State | str = State.UNKNOWN,
        policy: TransitionPolicy | str | None = None,
        tag: int = 0,
        columns: Mapping[str, str] | None = None,
    ) -> SyncResult:
        """Makes the conditions exactly these: others are removed, each of these is ensured, in order.

        What is there already and equal, as :meth:`ensure` compares, keeps its record, its state and its waiting events.
        All or nothing, and with a store in one transaction.

        Args:
            conditions: A mapping of identifiers to conditions; records, or another monitor, whose policies and tags go
                with them; or a table of circles with a row for each (PyArrow, Polars, a relation of DuckDB,
                pandas and GeoPandas with PyArrow), read as :meth:`add_many` reads it.
            assuming: Of those that do not say it themselves.
            policy: Likewise; or a preset's name; None: :meth:`TransitionPolicy.standard`.
            tag: Likewise.
            columns: Of a table the names of columns that are not recognised.

        Returns:
            How many were added, replaced, kept and removed.

        Raises:
            InvalidArgumentError: A condition is refused, or two have one identifier: nothing has changed, ``position``
                is which.
            InputError: The same of a table; ``row`` is which.
            MissingExtraError: A table was given, and nanoarrow is not installed.

        Example:
            >>> from fencepost import CircularGeographicCondition, Monitor
            >>> home = CircularGeographicCondition(52.5, 13.4, 100)
            >>> work = CircularGeographicCondition(52.52, 13.38, 250)
            >>> monitor = Monitor()
            >>> monitor.sync({"home": home, "work": work})
            SyncResult(added=2, replaced=0, kept=0, removed=0)
            >>> monitor.sync({"home": home})
            SyncResult(added=0, replaced=0, kept=1, removed=1)
        """
        return sync_with(self._handle, conditions, assuming, policy, tag, columns)

    def identifiers_in_state(self, state: State | str) -> list[str]:
        """The identifiers of the conditions that are in a state now, whatever events still wait, in the order in which
        they were added: see :meth:`Monitor.state`.

        Args:
            state: satisfied, unsatisfied, or unknown (undetermined, suspended or unmonitored).

        Raises:
            InvalidArgumentError: Another state.

        Example:
            >>> from fencepost import Fix, Monitor
            >>> monitor = Monitor()
            >>> monitor.add_many(["a", "b"], [0, 0], [0, 1], [100, 100])
            >>> monitor.feed(Fix(0, 0, time=0))
            >>> monitor.identifiers_in_state("satisfied")
            ['a']
        """
        return self._handle.identifiers_in_state(assumed(state, "state"))


def sync_with(
    handle: Any,
    conditions: Any,
    assuming: State | str,
    policy: TransitionPolicy | str | None,
    tag: int,
    columns: Mapping[str, str] | None,
) -> SyncResult:
    """Makes the conditions of a handle exactly these; see :meth:`MonitorSets.sync`."""
    if hasattr(conditions, "__arrow_c_stream__") and not isinstance(conditions, Mapping | list):
        from .arrow_batches import Options, sync_stream

        return sync_stream(handle, conditions, column_names(columns), Options(assuming, policy, tag))
    if columns is not None:
        raise TypeError("columns names those of a table that exports an Arrow stream")
    default = assumed(assuming), policy_row(policy), integer(tag, "tag", 0)
    left_open: list[str] = []
    result = SyncResult(*handle.sync(tuple(_definitions(conditions, default, left_open))))
    if left_open and (result.added or result.replaced):
        from .edges import AS_GEODESIC, warn_of_edges

        warn_of_edges(handle, ((each, f"condition {each!r}", "") for each in left_open), AS_GEODESIC)
    return result


def _definitions(conditions: Any, default: tuple[int, Any, int], left_open: list[str]) -> Iterable[DefinitionRow]:
    """The rows of conditions; `left_open` receives the identifiers of shapes that do not say what their edges are."""
    if isinstance(conditions, Mapping):
        pairs: Iterable[tuple[Any, Any]] = conditions.items()
    else:
        try:
            pairs = [(getattr(each, "identifier", None), each) for each in conditions]
        except TypeError:
            kinds = "a mapping of identifiers to conditions, records, or a table"
            raise TypeError(f"conditions must be {kinds}, not {type(conditions).__name__}") from None
    state, row, tag = default
    for identifier, value in pairs:
        if getattr(value if is_condition(value) else getattr(value, "condition", None), "_leaves_edges_open", False):
            left_open.append(identifier)
        if is_condition(value):
            yield (identifier, *value._definition(), state, row, tag)
            continue
        own: Any = getattr(value, "condition", None)
        if not is_condition(own):
            place = f"conditions[{identifier!r}]" if isinstance(conditions, Mapping) else "an element of conditions"
            raise TypeError(f"{place} must be a condition or a record, not {type(value).__name__}")
        assuming, policy = getattr(value, "assuming", None), getattr(value, "policy", None)
        yield (
            identifier,
            *own._definition(),
            state if assuming is None else STATES.index(assuming),
            row if policy is None else policy_row(policy),
            getattr(value, "tag", tag),
        )
