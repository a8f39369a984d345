"""Circles and beacon identities. Polygons, corridors and gates are in :mod:`.shapes` and :mod:`.lines`, because most
programs do not need to load these modules."""

from __future__ import annotations

from .._dataclass import dataclass
from .._native import Conditions, InvalidArgumentError, circle_contains, parse_uuid
from .._tables.numbers import integer, radius_in_metres, real
from .._tables.table import Plain

TYPE_CHECKING = False
if not TYPE_CHECKING:
    from .._typing import overload
else:
    from typing import Any, SupportsIndex, TypeAlias, overload
    from uuid import UUID

    from numpy import float64
    from numpy.typing import NDArray

    from .._tables.buffers import NumberColumn


def to_uuid(value: str | UUID) -> UUID:
    """Converts the text of a UUID in the 8-4-4-4-12 form to a UUID. Returns a UUID unchanged."""
    from uuid import UUID

    if isinstance(value, UUID):
        return value
    return uuid_of(parse_uuid(value))


def uuid_of(data: bytes) -> UUID:
    """Returns the UUID that consists of the given 16 bytes."""
    from uuid import UUID

    return UUID(bytes=data)


def to_uint16(value: SupportsIndex, what: str) -> int:
    """Checks that a value is an integer from 0 to 65535."""
    return integer(value, what, 0, 65_535)


class WithProbability:
    """A shape that a true position may be inside of."""

    __slots__ = ()

    @overload
    def probability(
        self,
        latitude: float,
        longitude: float,
        accuracy: float = 0,
        *,
        ellipse: tuple[float, float, float] | None = None,
        covariance: tuple[float, float, float] | None = None,
        confidence: float = 0.68,
    ) -> float: ...
    @overload
    def probability(
        self,
        latitude: NumberColumn,
        longitude: NumberColumn,
        accuracy: NumberColumn | float = 0,
        *,
        ellipse: tuple[NumberColumn | float, NumberColumn | float, NumberColumn | float] | None = None,
        covariance: tuple[NumberColumn | float, NumberColumn | float, NumberColumn | float] | None = None,
        confidence: float = 0.68,
    ) -> NDArray[float64]: ...
    def probability(
        self,
        latitude: Any,
        longitude: Any,
        accuracy: Any = 0,
        *,
        ellipse: Any = None,
        covariance: Any = None,
        confidence: float = 0.68,
    ) -> Any:
        """The probability that the true position is inside, for one measured position or for each of many.

        Each call examines the whole shape: for many calls, add the shape to a monitor or a table.

        Args:
            latitude: The measured latitude in degrees, or a column of latitudes.
            longitude: The measured longitude in degrees, or a column of longitudes.
            accuracy: The radius in metres that holds the share `confidence` of the true positions. 0 means that it is
                not reported.
            ellipse: The one-sigma semi-axes in metres (major, minor), and the direction of the major axis in degrees
                from north.
            covariance: The variance to the east, the covariance and the variance to the north, in square metres.
            confidence: 0.01 to 0.9999: 0.68 for Android's accuracy, 0.95 for the ``eph`` of gpsd.

        Returns:
            For one position, a float; for columns, an array: see :meth:`fencepost.Zones.probability`.

        Raises:
            InvalidArgumentError: A value is out of its range, or the shape is refused.

        Example:
            >>> from fencepost import Circle
            >>> round(Circle(0, 0, radius=150).probability(0, 0.001, accuracy=100), 4)
            0.6239
        """
        from .._tables.ellipses import probability

        shape: Any = self
        kind, geometry = shape._definition()
        table = Conditions()
        table.put((("shape", kind, geometry, 0, None, 0),), False)
        return probability(table, "shape", latitude, longitude, accuracy, ellipse, covariance, confidence)


@dataclass(frozen=True, slots=True)
class Circle(Plain, WithProbability):
    """A circle on the Earth. The condition is satisfied within `radius` of the centre, and on the boundary.

    Args:
        latitude: Latitude of the centre in WGS84 degrees, -90 to 90.
        longitude: Longitude of the centre in WGS84 degrees, -180 to 180.
        radius: The radius in metres along the geodesic, finite, above 0.

    Raises:
        InvalidArgumentError: A value is out of its range; the message names the value.
        TypeError: A value is not a number.

    Example:
        >>> Circle(37.3349, -122.0090, radius=200).center
        (37.3349, -122.009)
    """

    latitude: float
    longitude: float
    radius: float

    def __post_init__(self) -> None:
        for name, most in (("latitude", 90), ("longitude", 180)):
            degrees = real(getattr(self, name), name)
            if not -most <= degrees <= most:
                raise InvalidArgumentError(f"{name} is {degrees}; must be from -{most} to {most} degrees")
            object.__setattr__(self, name, degrees)
        object.__setattr__(self, "radius", radius_in_metres(self.radius))

    @property
    def center(self) -> tuple[float, float]:
        """Latitude and longitude, in degrees."""
        return (self.latitude, self.longitude)

    def contains(self, latitude: float, longitude: float) -> bool:
        """True if a position lies inside the circle or on its boundary.

        Raises:
            InvalidArgumentError: A coordinate is out of its range.

        Example:
            >>> Circle(0, 0, radius=150).contains(0, 0.001)
            True
        """
        place = real(latitude, "latitude"), real(longitude, "longitude")
        return circle_contains(self.latitude, self.longitude, self.radius, *place)

    def polygon(self, corners: int = 180) -> dict[str, Any]:
        """The circle as a GeoJSON geometry; see :func:`fencepost.geodesic.circle`.

        Shapely, GeoPandas and similar libraries also accept the condition itself, through its ``__geo_interface__``.

        Args:
            corners: The number of corners.

        Raises:
            InvalidArgumentError: A coordinate, the radius or `corners` is out of its range.

        Example:
            >>> Circle(0, 0, radius=150).polygon(corners=4)["coordinates"][0][0]
            [0.0, 0.0013565542155730276]
        """
        from .circle_polygon import circle_geometry

        return circle_geometry(self.latitude, self.longitude, self.radius, corners)

    @property
    def __geo_interface__(self) -> dict[str, Any]:
        """The shape as a GeoJSON geometry, for GIS libraries that support the protocol ``__geo_interface__``."""
        return self.polygon()

    def to_dict(self) -> dict[str, Any]:
        """``kind`` (``circle``) and the fields, in JSON types."""
        return {"kind": "circle", **Plain.to_dict(self)}

    _KIND = 1

    def _definition(self) -> tuple[int, Geometry]:
        return self._KIND, (self.latitude, self.longitude, self.radius)


@dataclass(frozen=True, slots=True)
class Beacon(Plain):
    """A beacon identity. The condition is satisfied while a matching beacon is near. The UUID must match; if the
    condition has a major or a minor, these must also match.

    An event's ``refinement`` is also a :class:`Beacon`: it identifies the beacon that satisfied a condition without
    major or minor.

    Args:
        uuid: A UUID, or its text in the 8-4-4-4-12 form.
        major: 0 to 65535, or None for any.
        minor: 0 to 65535, or None for any. A minor requires a major.

    Raises:
        InvalidArgumentError: `uuid` is not a UUID, a number is out of range, or there is a minor without a major.

    Example:
        >>> Beacon("e2c56db5-dffb-48d2-b060-d0f5a71096e0", major=1)
        Beacon(uuid=UUID('e2c56db5-dffb-48d2-b060-d0f5a71096e0'), major=1, minor=None)
    """

    uuid: UUID
    major: int | None
    minor: int | None

    def __init__(self, uuid: str | UUID, major: int | None = None, minor: int | None = None) -> None:
        object.__setattr__(self, "uuid", to_uuid(uuid))
        object.__setattr__(self, "major", None if major is None else to_uint16(major, "major"))
        object.__setattr__(self, "minor", None if minor is None else to_uint16(minor, "minor"))
        if self.minor is not None and self.major is None:
            raise InvalidArgumentError(f"minor {self.minor} needs a major")

    def to_dict(self) -> dict[str, Any]:
        """``kind`` (``beacon``) and the fields, in JSON types."""
        return {"kind": "beacon", **Plain.to_dict(self)}

    _KIND = 2

    def _definition(self) -> tuple[int, Geometry]:
        major = -1 if self.major is None else self.major
        return self._KIND, (self.uuid.bytes, major, -1 if self.minor is None else self.minor)


CIRCULAR_GEOGRAPHIC, BEACON_IDENTITY = Circle._KIND, Beacon._KIND
LINE_GEOGRAPHIC = 5
RULE = 6
Geometry: TypeAlias = tuple[float, float, float] | tuple[bytes, int, int] | tuple[bytes, float, int, bool, float]
"""The values of a circle, of a beacon, or of a polygon or corridor (WKB, radius, edges, oriented and buffer)."""


def is_condition(value: object) -> bool:
    """True if a value is an instance of one of the package's condition classes."""
    return hasattr(type(value), "_definition")


def is_line(value: object) -> bool:
    """True for a gate, which has neither a policy nor a state."""
    return kind_of(type(value)) == LINE_GEOGRAPHIC


def is_rule(value: object) -> bool:
    """True for a rule, which has no geometry."""
    return kind_of(type(value)) == RULE


def kind_of(value: object) -> int | None:
    """The library's number for the class of a condition, or None for any other class."""
    return getattr(value, "_KIND", None) if isinstance(value, type) else None


# These aliases are the class names of version 0.2, of Swift and of Core Location. Pickles written by version 0.2 refer
# to these names.
CircularGeographicCondition = Circle
BeaconIdentityCondition = Beacon
