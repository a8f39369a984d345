"""Who is inside of what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from .._errors import require
from .._tables.rows import Rows
from .._tables.table import Plain
from .._tables.times import from_us, utc_text

if TYPE_CHECKING:
    from geopandas import GeoDataFrame  # type: ignore[import-untyped]

    from .._values.definitions import Definition


@dataclass(frozen=True, slots=True, repr=False)
class Presence(Plain):
    """A condition that a device is inside of, or a beacon that is near it.

    Attributes:
        device: The device's identifier.
        identifier: The condition's.
        since_us: When it was confirmed, microseconds since 1970-01-01T00:00:00Z; of a beacon when it was seen last.
        evidence_date_us: The fix that showed it, or the last sighting, likewise; None: there is none.
        tag: The number given when the condition was added.
        generation: The condition's.

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
        """When it was confirmed, aware, UTC; of a beacon when it was seen last."""
        return from_us(self.since_us)

    @property
    def evidence_date(self) -> datetime | None:
        """The fix that showed it, or the last sighting, aware, UTC."""
        return from_us(self.evidence_date_us)

    def __repr__(self) -> str:
        return f"<Presence {self.device!r} in {self.identifier!r} since {utc_text(self.since)}>"

    @classmethod
    def _from_row(cls, device: str, row: tuple[str, int, int, int | None, int | None]) -> Presence:
        identifier, generation, tag, since, evidence = row
        return cls(device, identifier, since, evidence, tag, generation)


class Presences(Rows[Presence]):
    """Which devices are inside of which conditions: a sequence of :class:`Presence`, and a table.

    Example:
        >>> from fencepost import Fleet, Zones
        >>> zones = Zones()
        >>> zones.add_many(["depot"], [52.5], [13.4], [100])
        >>> fleet = Fleet(zones)
        >>> _ = fleet.feed_many(device=["a", "b"], latitude=[52.5, 0], longitude=[13.4, 0], time=[0, 0])
        >>> fleet.inside()
        <fencepost.Presences: 1 devices inside of 1 conditions>
        >>> fleet.inside().columns()["device"]
        ['a']
    """

    def __init__(self, presences: Iterable[Presence], conditions: Mapping[str, Definition] | None = None) -> None:
        super().__init__(presences)
        self._conditions = {} if conditions is None else conditions

    def columns(self) -> dict[str, list[Any]]:
        """The table as a dict of columns: device, identifier, since, evidence_date (aware, UTC), tag, generation.

        Example:
            >>> list(Presences([]).columns())
            ['device', 'identifier', 'since', 'evidence_date', 'tag', 'generation']
        """
        return {
            "device": [each.device for each in self],
            "identifier": [each.identifier for each in self],
            "since": [each.since for each in self],
            "evidence_date": [each.evidence_date for each in self],
            "tag": [each.tag for each in self],
            "generation": [each.generation for each in self],
        }

    def to_geopandas(self) -> GeoDataFrame:
        """A ``geopandas.GeoDataFrame`` in EPSG:4326: as :meth:`to_pandas`, with the conditions as geometries: circles
        and polygons as polygons, corridors as lines. Beacons have none.

        Raises:
            MissingExtraError: GeoPandas is not installed.
        """
        geopandas, shapes = require("geopandas", "geo"), require("shapely.geometry", "geo")
        drawn: dict[str, Any] = {}
        for identifier in {each.identifier for each in self}:
            condition = getattr(self._conditions.get(identifier), "condition", None)
            drawable = getattr(condition, "__geo_interface__", None)
            if drawable is not None:
                drawn[identifier] = shapes.shape(drawable)
        frame = self.to_pandas()
        places = geopandas.GeoSeries([drawn.get(each.identifier) for each in self], index=frame.index, dtype="geometry")
        return geopandas.GeoDataFrame(frame, geometry=places, crs="EPSG:4326")

    def _kinds(self) -> dict[str, str]:
        return {
            **dict.fromkeys(("device", "identifier"), "text"),
            **dict.fromkeys(("since", "evidence_date"), "time"),
            **dict.fromkeys(("tag", "generation"), "uint"),
        }

    def _summary(self) -> str:
        devices, places = {each.device for each in self}, {each.identifier for each in self}
        return f"{len(devices)} devices inside of {len(places)} conditions"
