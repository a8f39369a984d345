"""The table of conditions that fleets share."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from .._monitor.conditions import ConditionChanges
from .._monitor.questions import MonitorQuestions
from .._monitor.snapshots import Snapshots, snapshot_bytes
from .._native import Conditions as Handle
from .._tables.html import SHOWN, table
from .._values.arguments import has_options
from .._values.enums import State

if TYPE_CHECKING:
    from typing import Self

    from typing_extensions import Buffer

    from .._files.sources import ConditionsSource
    from .._values.definitions import Definition
    from .._values.policy import TransitionPolicy


class TableVersion(NamedTuple):
    """The version of a table. Devices exported with one table can be loaded unchanged with another table of equal
    version.

    Example:
        >>> from fencepost import Zones
        >>> zones = Zones()
        >>> zones.version == Zones.restore(zones.snapshot()).version
        True
    """

    conditions: int
    """The number of conditions."""
    generation: int
    """The number of the latest revision."""
    digest: bytes
    """A digest of all conditions and their generations, 16 bytes long."""


class Zones(ConditionChanges["Definition"], MonitorQuestions, Snapshots):
    """A table of conditions that fleets share: a mapping of identifiers to :class:`Definition`.

    The mapping supports ``len``, ``in``, iteration, ``zones["depot"]``, ``del``, :meth:`get`, :meth:`keys`,
    :meth:`values` and :meth:`items`. Conditions are added by :meth:`add` and similar methods. Any thread may use the
    table, even while its fleets are fed. A change waits until each fleet is between two rows, and applies to each
    device from that device's next input on. A table is not freed while a fleet uses it.

    Conditions are assumed to be `unsatisfied` by default. If the assumed state of a condition is not `unsatisfied`,
    each device gives an event for this condition, however far away the device is. With a hundred thousand conditions
    and a million devices, an assumed state other than `unsatisfied` would give too many events.

    Args:
        conditions: A path (GeoJSON, CSV, or a vector file), a mapping of identifiers to conditions, GeoJSON as a dict
            or anything with a ``__geo_interface__`` of features, a DataFrame, a GeoDataFrame, an Arrow stream, or
            another table or monitor. If None, the new table is empty.
        policy: The policy for conditions that do not have their own, or the name of a preset. None means ``standard``.
        assuming: Initial state of conditions that have no assumed state of their own. None means unsatisfied.
        radius: The radius, in metres, for circles that do not state one.
        columns: Names of the columns or properties for identifier, latitude, longitude, radius, assuming and policy, if
            the library does not recognise these names.
        layer: Layer of a vector file. None selects the first layer.
        max_vertices: The largest number of vertices of each shape that is read, at most 1,000,000; None means 500,000.
            All vertices count, including those of all parts and holes, and those that are added where planar edges are
            cut. The limit applies only to conditions that are read from a source.
        transform: True to transform a source in another CRS to WGS84. If False, a source in another CRS is refused.

    Raises:
        InputError: The source cannot be used. The message names the source, the row or feature, and the reason.
        MissingExtraError: The library that reads the source is not installed.
        TypeError: `conditions` has an unsupported type.

    Example:
        >>> from fencepost import Circle, Fix, Fleet
        >>> Zones({"depot": Circle(52.5, 13.4, radius=100)}, policy="exact").identifiers
        ['depot']
        >>> zones = Zones()
        >>> zones.add(Circle(52.5, 13.4, radius=100), "depot")
        >>> fleet = Fleet(zones)
        >>> fleet.feed("truck-7", Fix(52.5, 13.4, time=0))
        >>> for event in fleet.events():
        ...     print(event.device, event.identifier, event.state)
        truck-7 depot satisfied
    """

    __slots__ = ("__weakref__", "_handle")
    _handle: Handle
    _assumed = State.UNSATISFIED

    def __init__(
        self,
        conditions: ConditionsSource | None = None,
        *,
        policy: TransitionPolicy | str | None = None,
        assuming: State | str | None = None,
        radius: float | None = None,
        columns: Mapping[str, str] | None = None,
        layer: str | None = None,
        max_vertices: int | None = None,
        transform: bool = False,
    ) -> None:
        self._handle = Handle()
        options = policy, assuming, radius, columns, layer, max_vertices, transform
        if conditions is not None or has_options(options):
            from .._monitor.filling import Source

            Source(conditions, self._assumed, *options).put_into(self)

    @classmethod
    def _of(cls, handle: Handle) -> Self:
        """Returns a table object for an existing handle."""
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
        max_vertices: int | None = None,
        transform: bool = False,
    ) -> Self:
        """Reads a table from a file: GeoJSON, CSV, or a vector file that GeoPandas reads. The constructor,
        ``Zones(path)``, reads a file in the same way as this method.

        Args:
            path: The file.
            assuming: Initial state of conditions that have no assumed state of their own.
            policy: Policy of conditions without a policy, or the name of a preset. None means
                :meth:`TransitionPolicy.standard`.
            radius: Radius, in metres, for circles that do not state one.
            columns: Names of the columns or properties, if the library does not recognise these names.
            layer: Layer of a vector file. None selects the first layer.
            max_vertices: The largest number of vertices of a shape, with the same meaning as for the class.
            transform: True to transform a vector file in another CRS to WGS84. If False, a file in another CRS is
                refused.

        Raises:
            InputError: The file cannot be used. The message names the file, the feature and the reason.
            MissingExtraError: The library that reads the file is not installed.

        Example:
            >>> import json, pathlib, tempfile
            >>> place = {"type": "Point", "coordinates": [13.4, 52.5]}
            >>> depot = {"type": "Feature", "geometry": place, "properties": {"identifier": "depot", "radius": 100}}
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     file = pathlib.Path(folder, "zones.geojson")
            ...     _ = file.write_text(json.dumps({"type": "FeatureCollection", "features": [depot]}))
            ...     Zones.read(file).identifiers
            ['depot']
        """
        from .._files.text import path_text

        return cls(
            path_text(path),
            policy=policy,
            assuming=assuming,
            radius=radius,
            columns=columns,
            layer=layer,
            max_vertices=max_vertices,
            transform=transform,
        )

    def _entry(self, identifier: str) -> Definition | None:
        from .._values.definitions import Definition

        row = self._handle.condition(identifier)
        # The row has no geometry if another thread has removed the shape since this call began.
        return None if row is None or row[2] is None else Definition._from_row(row)

    def __len__(self) -> int:
        return self._handle.length()

    # --------------------------------------------------------------------------------------- itself

    @property
    def version(self) -> TableVersion:
        """The version of the table.

        Example:
            >>> zones = Zones()
            >>> zones.add_many(["a"], [0], [0], [100])
            >>> zones.version.conditions, zones.version.generation
            (1, 1)
        """
        return TableVersion(*self._handle.version())

    def snapshot(self) -> bytes:
        """The whole table as bytes, which are the same on every platform. Pickling and copying use the snapshot.

        Example:
            >>> zones = Zones()
            >>> zones.add_many(["a"], [0], [0], [100])
            >>> Zones.restore(zones.snapshot()).identifiers
            ['a']
        """
        return self._handle.snapshot()

    @classmethod
    def restore(cls, snapshot: Buffer) -> Self:
        """Restores a table from a snapshot, with the same :attr:`version`.

        Args:
            snapshot: The bytes of a snapshot. The bytes may come from an untrusted source. The snapshot of a monitor is
                accepted only if the monitor was never fed and has no condition limit, no path, and the delivery
                ``every``.

        Raises:
            SnapshotInvalidError: The bytes are not a snapshot, are damaged, or come from a newer version of the
                library.

        Example:
            >>> Zones.restore(b"")
            Traceback (most recent call last):
                ...
            fencepost.errors.SnapshotInvalidError: these 0 bytes are not a snapshot of a monitor
        """
        return cls._of(Handle.restore(snapshot_bytes(snapshot)))

    def __repr__(self) -> str:
        return f"<fencepost.Zones {len(self)} conditions>"

    def _repr_html_(self) -> str:
        found = (self._entry(identifier) for identifier in self.identifiers[:SHOWN])
        rows = [(each.identifier, each.described, each.tag) for each in found if each is not None]
        return table(repr(self).strip("<>"), ("identifier", "condition", "tag"), rows, len(self))


Mapping.register(Zones)

# This name is from version 0.2.
Conditions = Zones
