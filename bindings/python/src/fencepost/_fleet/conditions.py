"""The table of conditions that fleets share."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from .._monitor.holder import ConditionHolder
from .._monitor.questions import MonitorQuestions
from .._monitor.sets import sync_with
from .._native import Conditions as Handle
from .._tables.html import SHOWN, table
from .._values.enums import STATES, State
from .._values.results import SyncResult

if TYPE_CHECKING:
    from typing import Self

    from typing_extensions import Buffer

    from .._monitor.sets import Named
    from .._tables.buffers import ArrowStream, NumberColumn, SupportsArray
    from .._values.any_condition import Condition
    from .._values.definitions import Definition
    from .._values.policy import TransitionPolicy


class TableVersion(NamedTuple):
    """Which version of a table it is: two tables of one version take each other's devices as they are.

    Example:
        >>> from fencepost import Conditions
        >>> zones = Conditions()
        >>> zones.version == Conditions.restore(zones.snapshot()).version
        True
    """

    conditions: int
    """How many conditions there are."""
    generation: int
    """The last one that was given."""
    digest: bytes
    """Of all conditions with their generations: 16 bytes."""


class Conditions(ConditionHolder["Definition"], MonitorQuestions):
    """A table of conditions that fleets share: a mapping of identifiers to :class:`Definition`.

    ``len``, ``in``, iteration, ``zones["depot"]``, ``del``, :meth:`get`, :meth:`keys`, :meth:`values`, :meth:`items`;
    conditions come in by :meth:`add` and its like. It may be used from any thread, also while fleets over it are fed: a
    change waits until no fleet is inside of a call, and each device meets it at its next input. It lives as long as a
    fleet is over it.

    Conditions are assumed `unsatisfied`, unless something else is said: then each device tells of each such condition,
    wherever it is, and a hundred thousand of them times a million devices is too much for anybody.

    Example:
        >>> from fencepost import CircularGeographicCondition, Fix, Fleet
        >>> zones = Conditions()
        >>> zones.add(CircularGeographicCondition(52.5, 13.4, radius=100), "depot")
        >>> fleet = Fleet(zones)
        >>> fleet.feed("truck-7", Fix(52.5, 13.4, time=0))
        >>> for event in fleet.events():
        ...     print(event.device, event.identifier, event.state)
        truck-7 depot satisfied
    """

    __slots__ = ("__weakref__", "_handle")
    _handle: Handle

    def __init__(self) -> None:
        self._handle = Handle()

    @classmethod
    def _of(cls, handle: Handle) -> Self:
        """A table over a handle that there is."""
        found = cls.__new__(cls)
        found._handle = handle
        return found

    @classmethod
    def read(
        cls,
        path: str | os.PathLike[str],
        *,
        assuming: State | str = State.UNSATISFIED,
        policy: TransitionPolicy | str | None = None,
        radius: float | None = None,
        columns: Mapping[str, str] | None = None,
        layer: str | None = None,
        transform: bool = False,
    ) -> Self:
        """A table from a file: GeoJSON, CSV, or a vector file that GeoPandas reads.

        Args:
            path: The file.
            assuming: Of conditions that do not say it themselves.
            policy: Likewise; or a preset's name; None: :meth:`TransitionPolicy.standard`.
            radius: Metres, of circles that have none.
            columns: Names of the columns, or of the properties, where they are not recognised.
            layer: Of a vector file; None: the first.
            transform: Whether a vector file in another CRS is transformed to WGS84; otherwise it is refused.

        Raises:
            InputError: The file cannot be used; the text names file, feature and reason.
            MissingExtraError: What reads it is not installed.

        Example:
            >>> import json, pathlib, tempfile
            >>> place = {"type": "Point", "coordinates": [13.4, 52.5]}
            >>> depot = {"type": "Feature", "geometry": place, "properties": {"identifier": "depot", "radius": 100}}
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     file = pathlib.Path(folder, "zones.geojson")
            ...     _ = file.write_text(json.dumps({"type": "FeatureCollection", "features": [depot]}))
            ...     Conditions.read(file).identifiers
            ['depot']
        """
        from .._files.condition_files import read_conditions
        from .._files.text import path_text
        from .._files.vector import Reading
        from .._values.arguments import as_policy, assumed, column_names
        from .filling import add_conditions

        file = path_text(path)
        rows = read_conditions(
            file,
            as_policy(policy),
            how=Reading(layer, transform),
            columns=column_names(columns),
            radius=radius,
            assuming=STATES[assumed(assuming)],
        )
        found = cls()
        add_conditions(found, rows, file)
        return found

    def add(
        self,
        condition: Condition,
        identifier: str,
        *,
        assuming: State | str = State.UNSATISFIED,
        policy: TransitionPolicy | str | None = None,
        tag: int = 0,
    ) -> None:
        """Adds a condition, or replaces the one of that identifier: its events that wait are void in all fleets.

        Args:
            condition: What to monitor; see :meth:`Monitor.add`.
            identifier: 1 to 256 bytes of UTF-8.
            assuming: What is assumed of each device before its first fix: unsatisfied, satisfied or unknown.
            policy: When a crossing counts; or a preset's name; None: :meth:`TransitionPolicy.standard`.
            tag: 0 to 2**64 - 1, yours: every event brings it back.

        Raises:
            InvalidArgumentError: A value is out of its range; the message names it.

        Example:
            >>> from fencepost import CircularGeographicCondition
            >>> zones = Conditions()
            >>> zones.add(CircularGeographicCondition(52.5, 13.4, 100), "depot", policy="exact")
            >>> zones["depot"].policy == zones["depot"].policy.exact()
            True
        """
        self._put(condition, identifier, assuming, policy, tag, False)

    def ensure(
        self,
        condition: Condition,
        identifier: str,
        *,
        assuming: State | str = State.UNSATISFIED,
        policy: TransitionPolicy | str | None = None,
        tag: int = 0,
    ) -> bool:
        """Like :meth:`add`, but leaves an equal condition of that identifier alone, as :meth:`Monitor.ensure` does.

        Returns:
            Whether the condition was added or replaced.

        Example:
            >>> from fencepost import CircularGeographicCondition
            >>> zones, depot = Conditions(), CircularGeographicCondition(52.5, 13.4, 100)
            >>> zones.ensure(depot, "depot"), zones.ensure(depot, "depot")
            (True, False)
        """
        return self._put(condition, identifier, assuming, policy, tag, True)

    @overload
    def add_many(
        self,
        identifier: Iterable[str],
        latitude: NumberColumn,
        longitude: NumberColumn,
        radius: NumberColumn,
        *,
        assuming: State | str = State.UNSATISFIED,
        policy: TransitionPolicy | str | None = None,
        tag: SupportsArray | Buffer | Iterable[int] | int = 0,
    ) -> None: ...
    @overload
    def add_many(
        self,
        identifier: ArrowStream,
        /,
        *,
        assuming: State | str = State.UNSATISFIED,
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
        assuming: State | str = State.UNSATISFIED,
        policy: TransitionPolicy | str | None = None,
        tag: SupportsArray | Buffer | Iterable[int] | int = 0,
        columns: Mapping[str, str] | None = None,
    ) -> None:
        """Adds many circles from columns of equal length, or circles, polygons and corridors from a table, as
        :meth:`Monitor.add_many` does. All or nothing.

        Args:
            identifier: Texts; or a table, alone.
            latitude: Of the centres, degrees.
            longitude: Of the centres, degrees.
            radius: Metres.
            assuming: For all that do not say it themselves.
            policy: Likewise; or a preset's name; None: :meth:`TransitionPolicy.standard`.
            tag: A column, or one for all of them.
            columns: Of a table the names of columns that are not recognised.

        Raises:
            InvalidArgumentError: As :meth:`Monitor.add_many`, like the others.

        Example:
            >>> zones = Conditions()
            >>> zones.add_many(["a", "b"], latitude=[52.5, 52.6], longitude=[13.4, 13.5], radius=[100, 200])
            >>> zones
            <fencepost.Conditions 2 conditions>
        """
        self._put_many(identifier, latitude, longitude, radius, assuming, policy, tag, columns, False)

    def ensure_many(
        self,
        identifier: Any,
        latitude: Any = None,
        longitude: Any = None,
        radius: Any = None,
        *,
        assuming: State | str = State.UNSATISFIED,
        policy: TransitionPolicy | str | None = None,
        tag: SupportsArray | Buffer | Iterable[int] | int = 0,
        columns: Mapping[str, str] | None = None,
    ) -> SyncResult:
        """Like :meth:`add_many`, but leaves equal conditions alone. To remove all others too use :meth:`sync`.

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

        Example:
            >>> zones = Conditions()
            >>> zones.ensure_many(["a", "b"], [52.5, 52.6], [13.4, 13.5], [100, 200])
            SyncResult(added=2, replaced=0, kept=0, removed=0)
        """
        return self._put_many(identifier, latitude, longitude, radius, assuming, policy, tag, columns, True)

    @overload
    def sync(
        self,
        conditions: Named,
        *,
        assuming: State | str = State.UNSATISFIED,
        policy: TransitionPolicy | str | None = None,
        tag: int = 0,
    ) -> SyncResult: ...
    @overload
    def sync(
        self,
        conditions: ArrowStream,
        *,
        assuming: State | str = State.UNSATISFIED,
        policy: TransitionPolicy | str | None = None,
        tag: int = 0,
        columns: Mapping[str, str] | None = None,
    ) -> SyncResult: ...
    def sync(
        self,
        conditions: Any,
        *,
        assuming: State | str = State.UNSATISFIED,
        policy: TransitionPolicy | str | None = None,
        tag: int = 0,
        columns: Mapping[str, str] | None = None,
    ) -> SyncResult:
        """Makes the conditions exactly these: others are removed, each of these is ensured, in order. All or nothing.

        Args:
            conditions: A mapping of identifiers to conditions; another table or a monitor, whose policies and tags go
                with them; or a table of rows; see :meth:`Monitor.sync`.
            assuming: Of those that do not say it themselves.
            policy: Likewise; or a preset's name; None: :meth:`TransitionPolicy.standard`.
            tag: Likewise.
            columns: Of a table of rows the names of columns that are not recognised.

        Returns:
            How many were added, replaced, kept and removed.

        Raises:
            InvalidArgumentError: A condition is refused, or two have one identifier: nothing has changed, ``position``
                is which.
            InputError: The same of a table of rows; ``row`` is which.

        Example:
            >>> from fencepost import CircularGeographicCondition
            >>> zones = Conditions()
            >>> zones.sync({"depot": CircularGeographicCondition(52.5, 13.4, 100)})
            SyncResult(added=1, replaced=0, kept=0, removed=0)
        """
        return sync_with(self._handle, conditions, assuming, policy, tag, columns)

    def _entry(self, identifier: str) -> Definition | None:
        from .._values.definitions import Definition

        row = self._handle.condition(identifier)
        # Without a geometry: its shape was gone when it was asked for.
        return None if row is None or row[2] is None else Definition._from_row(row)

    def __len__(self) -> int:
        return self._handle.length()

    # --------------------------------------------------------------------------------------- itself

    @property
    def version(self) -> TableVersion:
        """Which version of the table it is.

        Example:
            >>> zones = Conditions()
            >>> zones.add_many(["a"], [0], [0], [100])
            >>> zones.version.conditions, zones.version.generation
            (1, 1)
        """
        return TableVersion(*self._handle.version())

    def snapshot(self) -> bytes:
        """The whole table as bytes, the same on every platform. Pickling and copying go through it.

        Example:
            >>> zones = Conditions()
            >>> zones.add_many(["a"], [0], [0], [100])
            >>> Conditions.restore(zones.snapshot()).identifiers
            ['a']
        """
        return self._handle.snapshot()

    @classmethod
    def restore(cls, snapshot: Buffer) -> Self:
        """The table that a snapshot was made of, in the same version.

        Args:
            snapshot: Any bytes may be passed. Also that of a monitor that was never fed and has neither a limit nor a
                delivery but ``every``.

        Raises:
            SnapshotInvalidError: It is no snapshot, damaged, or from a newer version of the library.

        Example:
            >>> Conditions.restore(b"")
            Traceback (most recent call last):
                ...
            fencepost.SnapshotInvalidError: these 0 bytes are no snapshot of a monitor
        """
        try:
            view = memoryview(snapshot)
        except (TypeError, ValueError, BufferError):
            raise TypeError(f"snapshot must be bytes, not {type(snapshot).__name__}") from None
        return cls._of(Handle.restore(view if view.c_contiguous else view.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).restore, (self.snapshot(),), getattr(self, "__dict__", None) or None

    def __repr__(self) -> str:
        return f"<fencepost.Conditions {len(self)} conditions>"

    def _repr_html_(self) -> str:
        found = (self._entry(identifier) for identifier in self.identifiers[:SHOWN])
        rows = [(each.identifier, each.described, each.tag) for each in found if each is not None]
        return table(repr(self).strip("<>"), ("identifier", "condition", "tag"), rows, len(self))


Mapping.register(Conditions)
