"""Presences: each is a pair of a device and a condition that the device is inside."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from .._dataclass import dataclass, replace
from .._errors import require
from .._tables.rows import Rows
from .._tables.shapely_shapes import drawn_shapes
from .._tables.table import Plain
from .._tables.times import from_us, utc_text

if TYPE_CHECKING:
    from geopandas import GeoDataFrame  # type: ignore[import-untyped]
    from pandas import DataFrame

    from .._values.definitions import Definition


@dataclass(frozen=True, slots=True, repr=False)
class Presence(Plain):
    """A condition that a device is inside of, or a beacon that is near the device.

    Attributes:
        device: The device's identifier.
        identifier: The condition's identifier.
        since_us: The time at which the state was confirmed, or for a beacon the time of its last sighting, in
            microseconds since 1970-01-01T00:00:00Z.
        evidence_date_us: The time of the fix that showed the state, or of the last sighting, in microseconds since
            1970-01-01T00:00:00Z. None if the time is unknown.
        tag: The number passed when the condition was added.
        generation: The condition's generation.

    Example:
        >>> from fencepost import Fix, Fleet, Zones
        >>> zones = Zones()
        >>> zones.add_many(["depot"], [52.5], [13.4], [100])
        >>> fleet = Fleet(zones)
        >>> fleet.feed("truck-7", Fix(52.5, 13.4, time=0))
        >>> fleet["truck-7"].inside()[0]
        <Presence 'truck-7' in 'depot' since 1970-01-01 00:00:00 UTC>
    """

    device: str
    identifier: str
    since_us: int | None
    evidence_date_us: int | None
    tag: int
    generation: int

    @property
    def since(self) -> datetime | None:
        """The time at which the state was confirmed, or for a beacon the time of its last sighting, as an aware
        datetime in UTC."""
        return from_us(self.since_us)

    @property
    def evidence_date(self) -> datetime | None:
        """The time of the fix that showed the state, or of the last sighting, as an aware datetime in UTC."""
        return from_us(self.evidence_date_us)

    def __repr__(self) -> str:
        return f"<Presence {self.device!r} in {self.identifier!r} since {utc_text(self.since)}>"

    @classmethod
    def _from_row(cls, device: str, row: tuple[str, int, int, int | None, int | None]) -> Presence:
        identifier, generation, tag, since, evidence = row
        return cls(device, identifier, since, evidence, tag, generation)


_UNSET = -(1 << 63)


@dataclass(frozen=True, slots=True)
class PresenceColumns:
    """The fields of several :class:`Presence` objects, stored as columns. Times are 64-bit integers, and the smallest
    integer stands for a missing time."""

    devices: list[str]
    identifiers: list[str]
    since: Sequence[int]
    evidence: Sequence[int]
    tags: Sequence[int]
    generations: Sequence[int]

    @classmethod
    def of(cls, rows: Sequence[Presence]) -> PresenceColumns:
        """Converts rows to columns."""
        return cls(
            [each.device for each in rows],
            [each.identifier for each in rows],
            array("q", [_UNSET if each.since_us is None else each.since_us for each in rows]),
            array("q", [_UNSET if each.evidence_date_us is None else each.evidence_date_us for each in rows]),
            array("Q", [each.tag for each in rows]),
            array("Q", [each.generation for each in rows]),
        )

    def named(self, identifiers: list[str | None]) -> PresenceColumns:
        """Returns columns in which the given identifiers replace the current ones. Omits rows whose new identifier is
        None."""
        if None not in identifiers:
            return replace(self, identifiers=cast("list[str]", identifiers))
        kept = [row for row, identifier in enumerate(identifiers) if identifier is not None]
        columns = (self.devices, identifiers, self.since, self.evidence, self.tags, self.generations)
        devices, names, *numbers = ([column[row] for row in kept] for column in columns)
        return PresenceColumns(devices, names, *map(array, "qqQQ", numbers))  # type: ignore[arg-type]

    def lists(self) -> tuple[list[str], list[str], list[int | None], list[int | None], list[int], list[int]]:
        """The columns as lists, in the order of the fields of :class:`Presence`. A missing time is None."""
        since, evidence = (
            [None if time == _UNSET else time for time in column] for column in (self.since, self.evidence)
        )
        return self.devices[:], self.identifiers[:], since, evidence, list(self.tags), list(self.generations)


class Presences(Rows[Presence]):
    """The pairs of a device and a condition that the device is inside of: a sequence of :class:`Presence` that is also
    a table.

    Example:
        >>> from fencepost import Fleet, Zones
        >>> zones = Zones()
        >>> zones.add_many(["depot"], [52.5], [13.4], [100])
        >>> fleet = Fleet(zones)
        >>> _ = fleet.feed_many(device=["a", "b"], latitude=[52.5, 0], longitude=[13.4, 0], time=[0, 0])
        >>> fleet.inside()
        <fencepost.Presences: 1 devices inside 1 conditions>
        >>> fleet.inside().columns()["device"]
        ['a']
    """

    def __init__(self, presences: Iterable[Presence], conditions: Mapping[str, Definition] | None = None) -> None:
        self._presences = tuple(presences)
        self._conditions = {} if conditions is None else conditions

    @classmethod
    def _of_columns(cls, columns: PresenceColumns, conditions: Mapping[str, Definition]) -> Presences:
        """A table whose rows are created only when they are accessed."""
        found = cls((), conditions)
        found._given = columns
        return found

    _given: PresenceColumns | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        used = dict.fromkeys(self._columns.identifiers)
        return type(self), (self._rows, {each: self._conditions[each] for each in used if each in self._conditions})

    @property
    def _rows(self) -> tuple[Presence, ...]:
        if self._given is not None and len(self._presences) != len(self._given.devices):
            self._presences = tuple(map(Presence, *self._given.lists()))
        return self._presences

    @property
    def _columns(self) -> PresenceColumns:
        """The presences as columns, one column for each field."""
        if self._given is None:
            self._given = PresenceColumns.of(self._presences)
        return self._given

    def __len__(self) -> int:
        return len(self._presences) if self._given is None else len(self._given.devices)

    def columns(self) -> dict[str, list[Any]]:
        """The table as a dict of columns: device, identifier, since, evidence_date (aware, UTC), tag, generation.

        Example:
            >>> list(Presences([]).columns())
            ['device', 'identifier', 'since', 'evidence_date', 'tag', 'generation']
        """
        devices, identifiers, since, evidence, tags, generations = self._columns.lists()
        return {
            "device": devices,
            "identifier": identifiers,
            "since": [from_us(time) for time in since],
            "evidence_date": [from_us(time) for time in evidence],
            "tag": tags,
            "generation": generations,
        }

    def to_pandas(self) -> DataFrame:
        """The table as a ``pandas.DataFrame`` with the columns of :meth:`columns`; times are ``datetime64[us, UTC]``.

        Raises:
            MissingExtraError: pandas is not installed.
        """
        pandas, numpy = require("pandas", "geo"), require("numpy", "geo")
        held = self._columns
        frame = {
            "device": pandas.Series(held.devices, dtype=object),
            "identifier": pandas.Series(held.identifiers, dtype=object),
        }
        for name, times in (("since", held.since), ("evidence_date", held.evidence)):
            # The library and pandas both represent a missing time as the smallest integer.
            column = pandas.Series(numpy.frombuffer(times, "i8").view("M8[us]"))
            frame[name] = column.dt.tz_localize("UTC")
        for name, numbers in (("tag", held.tags), ("generation", held.generations)):
            frame[name] = pandas.Series(numpy.frombuffer(numbers, "u8").copy())
        found: DataFrame = pandas.DataFrame(frame)
        return found

    def to_geopandas(self) -> GeoDataFrame:
        """A ``geopandas.GeoDataFrame`` in EPSG:4326, with the columns of :meth:`to_pandas` and the conditions as
        geometries. Circles and polygons become polygons, corridors become lines, and beacons have no geometry.

        Raises:
            MissingExtraError: GeoPandas is not installed.
        """
        geopandas, numpy = require("geopandas", "geo"), require("numpy", "geo")
        frame = self.to_pandas()
        places: dict[str, int] = {}
        rows = [places.setdefault(identifier, len(places)) for identifier in self._columns.identifiers]
        drawn = numpy.empty(len(places), dtype=object)
        drawn[:] = drawn_shapes([getattr(self._conditions.get(each), "condition", None) for each in places])
        geometry = geopandas.GeoSeries(geopandas.array.from_shapely(drawn[rows]), index=frame.index, crs="EPSG:4326")
        return geopandas.GeoDataFrame(frame, geometry=geometry, crs="EPSG:4326")

    def _kinds(self) -> dict[str, str]:
        return {
            **dict.fromkeys(("device", "identifier"), "text"),
            **dict.fromkeys(("since", "evidence_date"), "time"),
            **dict.fromkeys(("tag", "generation"), "uint"),
        }

    def _summary(self) -> str:
        devices, places = set(self._columns.devices), set(self._columns.identifiers)
        return f"{len(devices)} devices inside {len(places)} conditions"
