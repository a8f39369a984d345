"""The common base of objects that hold named conditions: monitors, and tables that fleets share."""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView

from .._native import InvalidArgumentError, NotFoundError
from .._tables.numbers import integer, real
from .._values.arguments import assumed, column_names, options_row, policy_row, vertex_limit
from .._values.conditions import BEACON_IDENTITY, CIRCULAR_GEOGRAPHIC, LINE_GEOGRAPHIC, RULE, is_condition
from .._values.enums import State
from .views import HeldItems, HeldValues

TYPE_CHECKING = False
if not TYPE_CHECKING:
    from .._typing import Generic, TypeVar, overload
else:
    from typing import Any, Generic, TypeVar, overload

    from .._values.any_condition import Condition
    from .._values.bands import AltitudeBand
    from .._values.policy import TransitionPolicy
    from .._values.results import ShapeReading, SyncResult
    from .._values.schedule import Timing

V = TypeVar("V")
D = TypeVar("D")


class ConditionHolder(Generic[V]):
    """A mapping of identifiers to conditions (for a table) or to records (for a monitor)."""

    __slots__ = ()
    _handle: Any

    if TYPE_CHECKING:

        def __len__(self) -> int: ...
        def _entry(self, identifier: str) -> V | None: ...

    @property
    def identifiers(self) -> list[str]:
        """The identifiers of all conditions, in the order in which they were added."""
        found: list[str] = self._handle.identifiers()
        return found

    def shape(self, identifier: str) -> ShapeReading:
        """Returns how a condition's geometry was read, and whether geodesic and planar edges would differ noticeably
        for it.

        Raises:
            NotFoundError: No condition has that identifier.

        Example:
            >>> from fencepost import Monitor, Polygon
            >>> monitor = Monitor()
            >>> box = Polygon([(50, 0), (50, 2), (52, 2), (52, 0)], order="latlon", edges="planar")
            >>> monitor.add(box, "square")
            >>> reading = monitor.shape("square")
            >>> reading.vertex_count, round(reading.departure or 0), (reading.part, reading.ring, reading.edge)
            (4, 479, (0, 0, 0))
        """
        from .._values.results import ShapeReading

        return ShapeReading(*self._handle.shape(identifier))

    def nearest_boundary_point(self, identifier: str, latitude: float, longitude: float) -> tuple[float, float] | None:
        """Finds the point on a condition's boundary that is nearest to a position.

        Returns:
            The point's latitude and longitude. None for a beacon, or if the nearest point is not unique, as in an inner
            corner of a corridor or a buffered polygon.

        Raises:
            NotFoundError: No condition has that identifier.
            InvalidArgumentError: A coordinate is out of its range.

        Example:
            >>> from fencepost import Monitor, Polygon
            >>> monitor = Monitor()
            >>> ring = [(0, 0), (0, 2), (2, 2), (2, 0)]
            >>> monitor.add(Polygon(ring, order="latlon", edges="geodesic"), "square")
            >>> place = monitor.nearest_boundary_point("square", 1, 3)
            >>> place and [round(degrees, 9) for degrees in place]
            [1.000153323, 2.0]
        """
        place = real(latitude, "latitude"), real(longitude, "longitude")
        found: tuple[float, float] | None = self._handle.nearest_boundary_point(identifier, *place)
        return found

    def remove(self, identifier: str) -> bool:
        """Removes a condition, together with its record and its pending events.

        Returns:
            True if the condition existed.

        Raises:
            InvalidArgumentError: The text cannot be an identifier: it is empty or too long.

        Example:
            >>> from fencepost import Circle, Monitor
            >>> monitor = Monitor()
            >>> monitor.add(Circle(52.5, 13.4, 100), "home")
            >>> monitor.remove("home"), monitor.remove("home")
            (True, False)
        """
        removed: bool = self._handle.remove(identifier)
        return removed

    def remove_many(self, identifiers_to_remove: Iterable[str], /) -> int:
        """Removes many conditions, with the same result as separate calls to :meth:`remove`. If a monitor has a store,
        the call is one transaction.

        Args:
            identifiers_to_remove: The identifiers. Identifiers without a condition are ignored.

        Returns:
            The number of conditions that were removed.

        Raises:
            InvalidArgumentError: An identifier is invalid. No condition was removed; the error's ``position`` is the
                index of the invalid identifier.

        Example:
            >>> from fencepost import Monitor
            >>> monitor = Monitor()
            >>> monitor.add_many(["a", "b", "c"], [0, 0, 0], [0, 1, 2], [100, 100, 100])
            >>> monitor.remove_many(["a", "c", "d"]), monitor.identifiers
            (2, ['b'])
        """
        from .._tables.buffers import identifiers

        removed: int = self._handle.remove_many(identifiers(identifiers_to_remove))
        return removed

    # ------------------------------------------------------------------------------------- a mapping

    def __getitem__(self, identifier: str) -> V:
        """The condition or record for an identifier.

        Raises:
            NotFoundError: No condition has that identifier (a ``KeyError``).

        Example:
            >>> from fencepost import Circle, Monitor
            >>> monitor = Monitor()
            >>> monitor.add(Circle(52.5, 13.4, 100), "work")
            >>> monitor["work"].condition.radius
            100.0
        """
        entry = self._entry(identifier)
        if entry is None:
            raise NotFoundError(f"no condition has the identifier {identifier!r}")
        return entry

    def __delitem__(self, identifier: str) -> None:
        """Removes a condition, together with its record and its pending events.

        Raises:
            NotFoundError: No condition has that identifier (a ``KeyError``).
        """
        if not self.remove(identifier):
            raise NotFoundError(f"no condition has the identifier {identifier!r}")

    @overload
    def get(self, identifier: str, default: None = None) -> V | None: ...
    @overload
    def get(self, identifier: str, default: D) -> V | D: ...
    def get(self, identifier: str, default: object = None) -> object:
        """The condition or record for an identifier, or `default` if no condition has that identifier.

        Example:
            >>> from fencepost import Monitor
            >>> Monitor().get("home", "nothing")
            'nothing'
        """
        entry = self._entry(identifier)
        return default if entry is None else entry

    def keys(self) -> KeysView[str]:
        """A live view of the identifiers of all conditions."""
        return KeysView(self)

    def values(self) -> ValuesView[V]:
        """A live view of the conditions of a table, or of the records of a monitor."""
        return HeldValues(self)

    def items(self) -> ItemsView[str, V]:
        """A live view of the identifiers with their conditions or records.

        Example:
            >>> from fencepost import Circle, Monitor
            >>> monitor = Monitor()
            >>> monitor.add(Circle(52.5, 13.4, 100), "home")
            >>> [(identifier, record.condition.radius) for identifier, record in monitor.items()]
            [('home', 100.0)]
        """
        return HeldItems(self)

    def __contains__(self, identifier: object) -> bool:
        if not isinstance(identifier, str):
            return False
        try:
            found: bool = self._handle.contains(identifier)
        except InvalidArgumentError:
            return False
        return found

    def __iter__(self) -> Iterator[str]:
        """Iterates over the identifiers, in the order in which the conditions were added."""
        return iter(self.identifiers)

    def __bool__(self) -> bool:
        return True

    def _put(
        self,
        condition: Condition,
        identifier: str,
        assuming: State | str,
        policy: TransitionPolicy | str | None,
        tag: int,
        ensure: bool,
        most: int = 0,
        timing: Timing | None = None,
        band: AltitudeBand | None = None,
    ) -> bool:
        state, row = assumed(assuming), options_row(policy, timing, band)
        number = integer(tag, "tag", 0)
        if not is_condition(condition):
            raise TypeError(f"condition must be one of fencepost's conditions, not {type(condition).__name__}")
        kind, geometry = condition._definition()
        put: Any = self._handle.add_shape
        values: tuple[Any, ...] = (*geometry, most)
        if kind == LINE_GEOGRAPHIC:
            from .gates import gate_columns

            put, values = self._handle.add_line, (*gate_columns(geometry), most)
        elif kind in (CIRCULAR_GEOGRAPHIC, BEACON_IDENTITY):
            put = self._handle.add_circle if kind == CIRCULAR_GEOGRAPHIC else self._handle.add_beacon
            values = geometry
        elif kind == RULE:
            put, values = self._handle.add_rule, (geometry,)
        changed: bool = put(identifier, *values, state, row, number, ensure)
        if changed and getattr(condition, "_has_several_rings", False):
            from .edges import warn_of_left_out

            warn_of_left_out(self._handle, identifier, f"condition {identifier!r}", "")
        if changed and getattr(condition, "_leaves_edges_open", False):
            from .edges import AS_GEODESIC, warn_of_edges

            warn_of_edges(self._handle, [(identifier, f"condition {identifier!r}", "")], AS_GEODESIC)
        return changed

    def _put_many(
        self,
        identifier: Any,
        latitude: Any,
        longitude: Any,
        radius: Any,
        assuming: State | str,
        policy: TransitionPolicy | str | None,
        tag: Any,
        columns: Mapping[str, str] | None,
        max_vertices: int | None,
        ensure: bool,
    ) -> SyncResult:
        given = (latitude, longitude, radius)
        if hasattr(identifier, "__arrow_c_stream__") and all(column is None for column in given):
            from .arrow_batches import Options, put_stream

            options = Options(assuming, policy, tag, vertex_limit(max_vertices))
            return put_stream(self._handle, identifier, column_names(columns), options, ensure)
        for option, value in (("columns", columns), ("max_vertices", max_vertices)):
            if value is not None:
                raise TypeError(f"{option} needs a table that exports an Arrow stream")
        for column, name in zip(given, ("latitude", "longitude", "radius")):
            if column is None:
                raise TypeError(f"{'ensure_many' if ensure else 'add_many'} needs the column {name}")
        from .._tables.buffers import contiguous, identifiers, tags
        from .._tables.labels import common_index
        from .._values.results import SyncResult

        common_index(identifier=identifier, latitude=latitude, longitude=longitude, radius=radius)
        texts = identifiers(identifier)
        rows = len(texts)
        counts = self._handle.add_circles(
            texts,
            contiguous(latitude, "latitude", rows),
            contiguous(longitude, "longitude", rows),
            contiguous(radius, "radius", rows),
            assumed(assuming),
            policy_row(policy),
            tags(tag, rows),
            ensure,
        )
        return SyncResult(*counts)
