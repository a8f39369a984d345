"""Methods that add conditions one by one, from columns, and as sets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .._values.arguments import vertex_limit
from .._values.enums import State
from .holder import ConditionHolder, V

TYPE_CHECKING = False
if not TYPE_CHECKING:
    from .._typing import overload
else:
    from typing import Any, ClassVar, overload

    from typing_extensions import Buffer

    from .._tables.buffers import ArrowStream, NumberColumn, SupportsArray
    from .._values.any_condition import Condition
    from .._values.bands import AltitudeBand
    from .._values.policy import TransitionPolicy
    from .._values.results import SyncResult
    from .._values.schedule import Timing
    from .sets import Named


class ConditionChanges(ConditionHolder[V]):
    """Methods that add conditions. `_assumed` is the default assumed state."""

    __slots__ = ()
    _assumed: ClassVar[State]

    def _assuming(self, given: State | str | None) -> State | str:
        return self._assumed if given is None else given

    def add(
        self,
        condition: Condition,
        identifier: str,
        *,
        assuming: State | str | None = None,
        policy: TransitionPolicy | str | None = None,
        tag: int = 0,
        max_vertices: int | None = None,
        timing: Timing | None = None,
        band: AltitudeBand | None = None,
    ) -> None:
        """Adds a condition, or replaces the condition with that identifier. The new condition gets a new record, and
        pending events of a replaced condition are dropped (for a table, in all fleets that share the table).

        If the last valid fix is not older than `initial_fix_max_age`, this fix immediately decides the state of a new
        circle or shape. If a polygon or corridor does not state its kind of edges, its edges are geodesic. An
        :class:`InputWarning` is issued if planar edges would lie more than a metre away from the geodesic edges. See
        :meth:`Monitor.shape`.

        Args:
            condition: What to monitor.
            identifier: The condition's identifier, 1 to 256 bytes of UTF-8.
            assuming: The initial state: unknown, satisfied or unsatisfied. None means unknown for a monitor and
                unsatisfied for a table. In a table, a condition that starts in any state other than unsatisfied causes
                an event for every device, however far away the device is.
            policy: The policy that says when a crossing counts, or the name of a preset. None means
                :meth:`TransitionPolicy.standard`.
            tag: A number of your choice, 0 to 2**64 - 1. Every event of the condition contains the tag.
            max_vertices: The largest number of vertices that a shape may have, 1 to 1,000,000; see :class:`Zones`. None
                means 1,000,000. Set a limit for a geometry that comes from the network.
            timing: When the condition is active, and which of its events depend on time alone. None means always. In
                the zones of a fleet, only shapes have a timing, and the fleet must have neither a path nor another
                delivery than ``every``.
            band: The limits of the height of a circle, polygon or corridor. None means any height.

        Raises:
            InvalidArgumentError: A value is out of its range, or the shape has too many vertices; the message
                names the value.

        Example:
            >>> from fencepost import Circle, Monitor
            >>> monitor = Monitor()
            >>> monitor.add(Circle(52.5, 13.4, 100), "home", policy="exact")
            >>> monitor.identifiers
            ['home']
        """
        most = vertex_limit(max_vertices, 0)
        self._put(condition, identifier, self._assuming(assuming), policy, tag, False, most, timing, band)

    def ensure(
        self,
        condition: Condition,
        identifier: str,
        *,
        assuming: State | str | None = None,
        policy: TransitionPolicy | str | None = None,
        tag: int = 0,
        max_vertices: int | None = None,
        timing: Timing | None = None,
        band: AltitudeBand | None = None,
    ) -> bool:
        """Adds a condition as :meth:`add` does, but leaves an equal condition with that identifier unchanged.

        Two conditions are equal if they have the same kind, policy and tag, and nearly the same geometry: centres and
        vertices within 1e-7 degrees, radii, buffers and limits of height within 0.5 m. Two beacon conditions are equal
        only if all their values are identical. If the condition is left unchanged, `assuming` is ignored, and the
        schedule of `timing` is taken over.

        Returns:
            True if the condition was added or replaced.

        Example:
            >>> from fencepost import Circle, Monitor
            >>> monitor, home = Monitor(), Circle(52.5, 13.4, 100)
            >>> monitor.ensure(home, "home"), monitor.ensure(home, "home")
            (True, False)
        """
        most = vertex_limit(max_vertices, 0)
        return self._put(condition, identifier, self._assuming(assuming), policy, tag, True, most, timing, band)

    @overload
    def add_many(
        self,
        identifier: Iterable[str],
        latitude: NumberColumn,
        longitude: NumberColumn,
        radius: NumberColumn,
        *,
        assuming: State | str | None = None,
        policy: TransitionPolicy | str | None = None,
        tag: SupportsArray | Buffer | Iterable[int] | int = 0,
    ) -> None: ...
    @overload
    def add_many(
        self,
        identifier: ArrowStream,
        /,
        *,
        assuming: State | str | None = None,
        policy: TransitionPolicy | str | None = None,
        tag: SupportsArray | Buffer | Iterable[int] | int = 0,
        columns: Mapping[str, str] | None = None,
        max_vertices: int | None = None,
    ) -> None: ...
    def add_many(
        self,
        identifier: Any,
        latitude: Any = None,
        longitude: Any = None,
        radius: Any = None,
        *,
        assuming: State | str | None = None,
        policy: TransitionPolicy | str | None = None,
        tag: SupportsArray | Buffer | Iterable[int] | int = 0,
        columns: Mapping[str, str] | None = None,
        max_vertices: int | None = None,
    ) -> None:
        """Adds many circles from columns of equal length, in order. The result is the same as if the circles were added
        one by one. If the source is a table, its polygons and corridors are added too. If one condition is refused, no
        condition is added.

        Columns of 64-bit elements without strides are read in place; other columns are converted.

        Instead of columns, you can pass one table: a GeoDataFrame or an object that exports an Arrow stream (PyArrow,
        Polars, a DuckDB relation). The table's columns for identifier, radius, latitude and longitude (or a geometry)
        are found as in :func:`replay`. Geometries are WKB, WKT or GeoArrow. Points and lines need a radius, but
        polygons do not. Edges are planar unless the table's metadata or its column ``edges`` specifies geodesic edges.
        The table may also have columns ``oriented`` and ``buffer``. If the table has columns ``assuming`` and
        ``policy``, each row uses its own values; where a value is null, the argument `assuming` or `policy` applies. If
        the rows differ in ``assuming`` or ``policy``, they are added in several steps: another thread may see only the
        first rows, and after a crash a store may contain only the first rows. A table requires the extra
        ``fencepost[arrow]``.

        Args:
            identifier: The identifiers, as strings; or a table, as the only argument.
            latitude: Latitudes of the centres, in degrees.
            longitude: Longitudes of the centres, in degrees.
            radius: Metres.
            assuming: The initial state of all conditions.
            policy: The policy of all conditions, or the name of a preset. None means :meth:`TransitionPolicy.standard`.
            tag: The tags as a column, or one tag for all conditions.
            columns: The names of a table's columns for identifier, latitude, longitude, radius, assuming, policy, or
                geometry, if the library does not recognise these names.
            max_vertices: The largest number of vertices that each shape in a table may have; None means 500,000. See
                :class:`Zones`.

        Raises:
            InvalidArgumentError: The columns have different lengths, or a row is refused because a value is NaN or out
                of range. No condition is added; the error's ``position`` is the row number.
            ColumnTypeError: A column has values of the wrong type; ``position`` is the row number.
            InputError: A table lacks a column, or one of its rows is refused. No condition is added; the error's
                ``row`` is the row number.
            MissingExtraError: A table was passed, and nanoarrow is not installed.

        Example:
            >>> from fencepost import Circle, Monitor
            >>> monitor = Monitor()
            >>> monitor.add_many(["a", "b"], latitude=[52.5, 52.6], longitude=[13.4, 13.5], radius=[100, 200])
            >>> monitor.identifiers
            ['a', 'b']
            >>> import pyarrow
            >>> monitor.add_many(pyarrow.table({"name": ["c"], "lat": [52.5], "lon": [13.4], "radius": [150.0]}))
            >>> monitor["c"].condition.radius
            150.0
        """
        given = self._assuming(assuming)
        self._put_many(identifier, latitude, longitude, radius, given, policy, tag, columns, max_vertices, False)

    @overload
    def ensure_many(
        self,
        identifier: Iterable[str],
        latitude: NumberColumn,
        longitude: NumberColumn,
        radius: NumberColumn,
        *,
        assuming: State | str | None = None,
        policy: TransitionPolicy | str | None = None,
        tag: SupportsArray | Buffer | Iterable[int] | int = 0,
    ) -> SyncResult: ...
    @overload
    def ensure_many(
        self,
        identifier: ArrowStream,
        /,
        *,
        assuming: State | str | None = None,
        policy: TransitionPolicy | str | None = None,
        tag: SupportsArray | Buffer | Iterable[int] | int = 0,
        columns: Mapping[str, str] | None = None,
        max_vertices: int | None = None,
    ) -> SyncResult: ...
    def ensure_many(
        self,
        identifier: Any,
        latitude: Any = None,
        longitude: Any = None,
        radius: Any = None,
        *,
        assuming: State | str | None = None,
        policy: TransitionPolicy | str | None = None,
        tag: SupportsArray | Buffer | Iterable[int] | int = 0,
        columns: Mapping[str, str] | None = None,
        max_vertices: int | None = None,
    ) -> SyncResult:
        """Adds many conditions as :meth:`add_many` does, but leaves equal conditions unchanged, as :meth:`ensure` does.
        If the conditions have a store, the call is one transaction. Use :meth:`sync` to also remove all other
        conditions.

        Args:
            identifier: The identifiers, as strings; or a table, as the only argument. All arguments have the same
                meaning as in :meth:`add_many`.
            latitude: Degrees.
            longitude: Degrees.
            radius: Metres.
            assuming: The initial state of all conditions.
            policy: The policy of all conditions.
            tag: The tags as a column, or one tag for all conditions.
            columns: Maps roles, such as ``latitude``, to the names of columns that the library does not recognise.
            max_vertices: The largest number of vertices that each shape in a table may have, as in :meth:`add_many`.

        Returns:
            The numbers of added, replaced and kept conditions.

        Raises:
            InvalidArgumentError: The columns have different lengths, or a row is refused. The other errors of
                :meth:`add_many` are also possible.

        Example:
            >>> from fencepost import Circle, Monitor
            >>> monitor = Monitor()
            >>> monitor.ensure_many(["a", "b"], latitude=[52.5, 52.6], longitude=[13.4, 13.5], radius=[100, 200])
            SyncResult(added=2, replaced=0, kept=0, removed=0)
            >>> monitor.ensure_many(["a", "b"], latitude=[52.5, 52.6], longitude=[13.4, 13.5], radius=[100, 300])
            SyncResult(added=0, replaced=1, kept=1, removed=0)
        """
        given = self._assuming(assuming)
        return self._put_many(identifier, latitude, longitude, radius, given, policy, tag, columns, max_vertices, True)

    @overload
    def sync(
        self,
        conditions: Named,
        *,
        assuming: State | str | None = None,
        policy: TransitionPolicy | str | None = None,
        tag: int = 0,
        max_vertices: int | None = None,
    ) -> SyncResult: ...
    @overload
    def sync(
        self,
        conditions: ArrowStream,
        *,
        assuming: State | str | None = None,
        policy: TransitionPolicy | str | None = None,
        tag: int = 0,
        columns: Mapping[str, str] | None = None,
        max_vertices: int | None = None,
    ) -> SyncResult: ...
    def sync(
        self,
        conditions: Any,
        *,
        assuming: State | str | None = None,
        policy: TransitionPolicy | str | None = None,
        tag: int = 0,
        columns: Mapping[str, str] | None = None,
        max_vertices: int | None = None,
    ) -> SyncResult:
        """Adds or replaces each passed condition, in order, unless an equal condition exists; removes all other
        conditions.

        An existing condition that is equal (as defined in :meth:`ensure`) keeps its record, state and pending events.
        If one condition is refused, nothing changes. If the conditions have a store, the call is one transaction.

        Args:
            conditions: A mapping of identifiers to conditions. Instead of a mapping, you may pass records, definitions,
                another monitor or a :class:`Zones`; the conditions in such a source have policies and tags of their
                own. A table of rows (PyArrow, Polars, a DuckDB relation, pandas and GeoPandas with PyArrow) is read as
                in :meth:`add_many`.
            assuming: The initial state for conditions that do not specify one. None means unknown for a monitor and
                unsatisfied for a table.
            policy: The policy for conditions that do not have their own, or the name of a preset. None means
                :meth:`TransitionPolicy.standard`.
            tag: The tag for conditions that do not have their own tag.
            columns: Maps roles, such as ``latitude``, to the names of columns that the library does not recognise.
            max_vertices: The largest number of vertices that each shape may have; None means 500,000 for a table, and
                1,000,000 for other sources. See :class:`Zones`.

        Returns:
            The numbers of added, replaced, kept and removed conditions.

        Raises:
            InvalidArgumentError: A condition is refused, or two conditions have the same identifier. Nothing has
                changed; the error's ``position`` is the index of the refused condition.
            InputError: A row of a table is refused, or two rows have the same identifier. Nothing has changed; the
                error's ``row`` is the row number.
            MissingExtraError: A table was passed, and nanoarrow is not installed.

        Example:
            >>> from fencepost import Circle, Monitor
            >>> home = Circle(52.5, 13.4, 100)
            >>> work = Circle(52.52, 13.38, 250)
            >>> monitor = Monitor()
            >>> monitor.sync({"home": home, "work": work})
            SyncResult(added=2, replaced=0, kept=0, removed=0)
            >>> monitor.sync({"home": home})
            SyncResult(added=0, replaced=0, kept=1, removed=1)
        """
        from .sets import sync_with

        return sync_with(self._handle, conditions, self._assuming(assuming), policy, tag, columns, max_vertices)
