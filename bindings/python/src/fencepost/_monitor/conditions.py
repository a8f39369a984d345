"""How conditions come in: one by one, by columns, and as sets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, overload

from .._values.enums import State
from .holder import ConditionHolder, V

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from .._tables.buffers import ArrowStream, NumberColumn, SupportsArray
    from .._values.any_condition import Condition
    from .._values.policy import TransitionPolicy
    from .._values.results import SyncResult
    from .sets import Named


class ConditionChanges(ConditionHolder[V]):
    """How conditions come in. `_assumed`: the default of the assumed state."""

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
    ) -> None:
        """Adds a condition, or replaces the one of that identifier: new record, its waiting events are dropped (of a
        table: in all fleets).

        When a valid fix not older than `initial_fix_max_age` is known, it decides a circle or shape at once. A polygon
        or corridor that does not say what its edges are is taken as geodesic, with an :class:`InputWarning` where
        planar ones would lie more than a metre apart from these; see :meth:`Monitor.shape`.

        Args:
            condition: What to monitor.
            identifier: 1 to 256 bytes of UTF-8.
            assuming: The first record's state: unknown, satisfied or unsatisfied. None: of a monitor unknown; of a
                table unsatisfied, since of any other state each device tells of each such condition, wherever it is.
            policy: When a crossing counts; or a preset's name; None: :meth:`TransitionPolicy.standard`.
            tag: 0 to 2**64 - 1, yours: every event brings it back.

        Raises:
            InvalidArgumentError: A value is out of its range; the message names it.

        Example:
            >>> from fencepost import Circle, Monitor
            >>> monitor = Monitor()
            >>> monitor.add(Circle(52.5, 13.4, 100), "home", policy="exact")
            >>> monitor.identifiers
            ['home']
        """
        self._put(condition, identifier, self._assuming(assuming), policy, tag, False)

    def ensure(
        self,
        condition: Condition,
        identifier: str,
        *,
        assuming: State | str | None = None,
        policy: TransitionPolicy | str | None = None,
        tag: int = 0,
    ) -> bool:
        """Like :meth:`add`, but leaves an equal condition of that identifier alone.

        Equal: centre within 1e-7 degrees, radius within 0.5 m (beacons: exactly), same policy and tag; `assuming`
        is then ignored.

        Returns:
            Whether the condition was added or replaced.

        Example:
            >>> from fencepost import Circle, Monitor
            >>> monitor, home = Monitor(), Circle(52.5, 13.4, 100)
            >>> monitor.ensure(home, "home"), monitor.ensure(home, "home")
            (True, False)
        """
        return self._put(condition, identifier, self._assuming(assuming), policy, tag, True)

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
    ) -> None:
        """Adds many circles from columns of equal length, in order, as single calls would; or from a table circles,
        polygons and corridors. All or nothing.

        Columns of 64-bit elements without gaps are read in place; others are converted.

        Or from one table, a GeoDataFrame or what exports an Arrow stream (PyArrow, Polars, a relation of DuckDB), with
        the columns identifier, radius, and latitude and longitude or geometries, found as :func:`replay` finds them.
        Geometries are WKB, WKT or GeoArrow's: points and lines need a radius, polygons none. Edges are planar, unless
        the table's metadata or its column edges say geodesic; oriented and buffer are columns too. Its columns assuming
        and policy, if present, hold for their rows; where they are null the arguments apply. Where they differ between
        rows, another thread, or a store after a crash, may see the first rows without the rest. Needs
        ``fencepost[arrow]``.

        Args:
            identifier: Texts; or a table, alone.
            latitude: Of the centres, degrees.
            longitude: Of the centres, degrees.
            radius: Metres.
            assuming: For all of them.
            policy: For all of them; or a preset's name; None: :meth:`TransitionPolicy.standard`.
            tag: A column, or one for all of them.
            columns: Of a table the names of the columns for identifier, latitude, longitude, radius, assuming, policy,
                or geometry, where they are not recognised.

        Raises:
            InvalidArgumentError: Columns of different lengths, or a row is refused (NaN, out of range): none is added,
                ``position`` is the row.
            ColumnTypeError: A column does not hold what it is to hold; ``position`` is the row.
            InputError: A table lacks a column, or a row of it is refused: none is added, ``row`` is which.
            MissingExtraError: A table was given, and nanoarrow is not installed.

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
        self._put_many(identifier, latitude, longitude, radius, given, policy, tag, columns, False)

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
    ) -> SyncResult:
        """Like :meth:`add_many`, but leaves equal conditions alone, as :meth:`ensure` does, with a store in one
        transaction. To remove all others too use :meth:`sync`.

        Args:
            identifier: As for :meth:`add_many`, like all others.
            latitude: Degrees.
            longitude: Degrees.
            radius: Metres.
            assuming: For all of them.
            policy: For all of them.
            tag: A column, or one for all of them.
            columns: Of a table the names of columns that are not recognised.

        Returns:
            How many were added, replaced and kept.

        Raises:
            InvalidArgumentError: As :meth:`add_many`, like the others.

        Example:
            >>> from fencepost import Circle, Monitor
            >>> monitor = Monitor()
            >>> monitor.ensure_many(["a", "b"], latitude=[52.5, 52.6], longitude=[13.4, 13.5], radius=[100, 200])
            SyncResult(added=2, replaced=0, kept=0, removed=0)
            >>> monitor.ensure_many(["a", "b"], latitude=[52.5, 52.6], longitude=[13.4, 13.5], radius=[100, 300])
            SyncResult(added=0, replaced=1, kept=1, removed=0)
        """
        given = self._assuming(assuming)
        return self._put_many(identifier, latitude, longitude, radius, given, policy, tag, columns, True)

    @overload
    def sync(
        self,
        conditions: Named,
        *,
        assuming: State | str | None = None,
        policy: TransitionPolicy | str | None = None,
        tag: int = 0,
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
    ) -> SyncResult: ...
    def sync(
        self,
        conditions: Any,
        *,
        assuming: State | str | None = None,
        policy: TransitionPolicy | str | None = None,
        tag: int = 0,
        columns: Mapping[str, str] | None = None,
    ) -> SyncResult:
        """Makes the conditions exactly these: others are removed, each of these is ensured, in order.

        A condition that exists already and is equal, as :meth:`ensure` compares, keeps its record, state and pending
        events. All or nothing, and with a store in one transaction.

        Args:
            conditions: A mapping of identifiers to conditions; records or definitions, another monitor or a table,
                whose policies and tags go with them; or a table of rows (PyArrow, Polars, a relation of DuckDB, pandas
                and GeoPandas with PyArrow), read as :meth:`add_many` reads it.
            assuming: Of those that do not say it themselves; None: as of :meth:`add`.
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

        return sync_with(self._handle, conditions, self._assuming(assuming), policy, tag, columns)
