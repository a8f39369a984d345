"""Polygons and corridors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from .._dataclass import dataclass, field
from .._native import InvalidArgumentError, shape_distance
from .._tables.geometries import Vertices, geometry_of, of_geojson, of_places, of_wkb, of_wkt
from .._tables.numbers import radius_in_metres, real, shown
from .._tables.table import Plain
from .conditions import Geometry, WithProbability

if TYPE_CHECKING:
    from .._tables.geometries import GeometrySource

EDGES = ("geodesic", "planar")
"""The kinds of edges, in the library's order."""
ORDERS = ("latlon", "lonlat")
"""The possible orders of the coordinates in a pair."""
Order: TypeAlias = Literal["latlon", "lonlat"]
Place: TypeAlias = Sequence[float]
"""A pair of coordinates in degrees: latitude and longitude, or longitude and latitude."""
_NO_NUMBER = float("nan")


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Polygon(Plain, WithProbability):
    """One or several polygons on the Earth, which may have holes. The condition is satisfied by the positions inside
    the parts and on their boundary, but not by positions in the holes.

    The edges are geodesics of the WGS84 ellipsoid. Poles and the antimeridian need no special treatment. A ring
    encloses the smaller of the two areas that it bounds, regardless of its winding.

    Args:
        exterior: Either the outer ring, closed or not, as pairs of coordinates, or a complete geometry, including its
            holes. The pairs are in the `order`, with latitudes of -90 to 90 and longitudes of -360 to 360 degrees. In a
            geometry, the longitude comes first. A geometry is anything with a ``__geo_interface__`` (a Shapely polygon
            or multipolygon, for example), a GeoJSON geometry or feature as a dict, well-known text, or well-known
            binary.
        holes: The rings of the holes, only if `exterior` is a ring.
        order: The order of the coordinates in each pair of a ring: ``latlon`` (latitude first) or ``lonlat`` (longitude
            first). `order` is required if the exterior is a ring of pairs.
        edges: How two vertices are joined. ``geodesic`` joins two vertices by the shortest path on the ellipsoid.
            ``planar`` joins two vertices by a straight line on a map of longitude and latitude, with the longitudes as
            written, as in GeoJSON, GeoPackage and Shapefile. An edge from -170 to 170 is 340 degrees wide, and an edge
            from 170 to 190 crosses the antimeridian. None means geodesic, with an :class:`InputWarning` when the
            polygon is added to a monitor and its geodesic and planar edges lie more than a metre apart.
        oriented: True if the polygon lies left of each ring, as seen in the order in which the vertices are listed.
            Only an oriented polygon can cover more than half the Earth.
        buffer: The distance of the boundary from the rings, in metres: positive if the boundary lies outside the rings,
            negative if it lies inside them.

    Raises:
        InvalidArgumentError: A value is out of its range. A polygon is refused when it is added to a monitor if its
            rings cross, coincide, or have no area.
        TypeError: `exterior` has an unsupported type, or consists of pairs without an `order`.

    Example:
        >>> ring = [(47.55, 7.58), (47.55, 7.6), (47.57, 7.6), (47.57, 7.58)]
        >>> square = Polygon(ring, order="latlon")
        >>> square.contains(47.56, 7.59), round(square.distance(47.56, 7.59))
        (True, -753)
    """

    wkb: bytes
    """The vertices as well-known binary (ISO, little endian, longitude first, with closed rings)."""
    edges: str
    oriented: bool
    buffer: float
    _leaves_edges_open: bool = field(compare=False)

    def __init__(
        self,
        exterior: GeometrySource,
        holes: Iterable[Iterable[Place]] = (),
        *,
        order: Order | None = None,
        edges: str | None = None,
        oriented: bool = False,
        buffer: float = 0.0,
    ) -> None:
        rings = list(holes)
        found, stated = vertices_of(exterior, "exterior", order, rings, is_area=True)
        if stated and rings:
            raise TypeError("holes can be passed only with a ring of coordinates: other geometries contain their holes")
        if not found.is_area:
            raise InvalidArgumentError("type: a Polygon needs rings, not a line; use a Corridor for lines")
        metres = real(buffer, "buffer")
        if not isfinite(metres):
            raise InvalidArgumentError(f"buffer is {metres}; must be a finite number of metres")
        if not isinstance(oriented, bool):
            raise TypeError(f"oriented must be a bool, not {type(oriented).__name__}")
        put(self, wkb=found.read_as(edges_of(edges)).wkb, edges=edges_of(edges), oriented=oriented, buffer=metres)
        put(self, _leaves_edges_open=edges is None)

    @property
    def _has_several_rings(self) -> bool:
        # The geometry is a multipolygon, or a polygon with holes.
        return self.wkb[1] == 6 or self.wkb[5:9] != b"\1\0\0\0"

    @property
    def parts(self) -> tuple[tuple[tuple[tuple[float, float], ...], ...], ...]:
        """The parts. Each part is a tuple of its outer ring and then its holes. A ring is a tuple of pairs of latitude
        and longitude; the first pair is not repeated at the end.

        Example:
            >>> Polygon([(0, 0), (0, 1), (1, 0)], order="latlon").parts
            ((((0.0, 0.0), (0.0, 1.0), (1.0, 0.0)),),)
        """
        found = of_wkb(self.wkb)
        rings = [tuple(ring) for ring in found.places()]
        return tuple(tuple(rings[begin:end]) for begin, end in zip(found.parts, found.parts[1:]))

    def contains(self, latitude: float, longitude: float) -> bool:
        """True if a position lies inside the polygon or on its boundary.

        Raises:
            InvalidArgumentError: A coordinate is out of its range, or the polygon is refused.
        """
        return self.distance(latitude, longitude) <= 0

    def distance(self, latitude: float, longitude: float) -> float:
        """The signed boundary distance of a position: metres along the geodesic to the nearest point of the boundary,
        negative if the position is inside, 0 if it is on the boundary. The error of the distance is at most 15
        nanometres.

        Each call processes all vertices of the polygon. To test many positions faster, add the polygon to a monitor or
        a table.

        Raises:
            InvalidArgumentError: A coordinate is out of its range, or the polygon is refused.
        """
        return _distance(self.wkb, self._definition()[1], latitude, longitude)

    @property
    def __geo_interface__(self) -> dict[str, Any]:
        """The polygon as a GeoJSON geometry, for GIS libraries that support the protocol ``__geo_interface__``."""
        parts = [[[_turned(place) for place in (*ring, ring[0])] for ring in part] for part in self.parts]
        return (
            {"type": "MultiPolygon", "coordinates": parts}
            if len(parts) > 1
            else {"type": "Polygon", "coordinates": parts[0]}
        )

    def __repr__(self) -> str:
        more = f", edges={self.edges!r}" if self.edges != EDGES[0] else ""
        more += ", oriented=True" if self.oriented else ""
        more += f", buffer={self.buffer:g}" if self.buffer else ""
        return f"<Polygon of {described_lines(self.wkb)}{more}>"

    @property
    def described(self) -> str:
        """A description such as ``polygon of 1 part, 4 vertices``."""
        buffer = f", buffer {self.buffer:g} m" if self.buffer else ""
        return f"polygon of {described_lines(self.wkb)}{buffer}"

    def to_dict(self) -> dict[str, Any]:
        """Returns a dictionary of ``kind`` (``polygon``), ``geometry`` (GeoJSON), ``edges``, ``oriented`` and
        ``buffer`` (metres)."""
        return {
            "kind": "polygon",
            "geometry": self.__geo_interface__,
            "edges": self.edges,
            "oriented": self.oriented,
            "buffer": self.buffer,
        }

    _KIND = 3

    def _definition(self) -> tuple[int, Geometry]:
        return self._KIND, (self.wkb, _NO_NUMBER, EDGES.index(self.edges), self.oriented, self.buffer)


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Corridor(Plain, WithProbability):
    """Lines with a width. The condition is satisfied by all positions within `radius` of any of the lines. The
    corridor's ends and bends are round.

    Args:
        path: Either one line, as pairs of coordinates, or a geometry of one or several lines. The pairs are in the
            `order`, with latitudes of -90 to 90 and longitudes of -360 to 360 degrees. In a geometry, the longitude
            comes first. A geometry is anything with a ``__geo_interface__``, a GeoJSON geometry or feature as a dict,
            well-known text, or well-known binary.
        radius: Half the corridor's width, in metres, finite, above 0.
        order: The order of the coordinates in each pair, ``latlon`` or ``lonlat``. `order` is required if `path`
            consists of pairs.
        edges: How two vertices are joined: ``geodesic``, ``planar`` or None; see :class:`Polygon`.

    Raises:
        InvalidArgumentError: A value is out of its range.
        TypeError: `path` has an unsupported type, or consists of pairs without an `order`.

    Example:
        >>> road = Corridor([(47.55, 7.58), (47.56, 7.6)], radius=50, order="latlon")
        >>> road.contains(47.555, 7.59), road.contains(47.555, 7.6)
        (True, False)
    """

    wkb: bytes
    """The vertices as well-known binary (ISO, little endian, longitude first)."""
    radius: float
    edges: str
    _leaves_edges_open: bool = field(compare=False)

    def __init__(
        self, path: GeometrySource, radius: float, *, order: Order | None = None, edges: str | None = None
    ) -> None:
        found, _ = vertices_of(path, "path", order)
        if found.is_area:
            raise InvalidArgumentError("type: a Corridor needs a line, not a polygon; use a Polygon with a buffer")
        put(
            self,
            wkb=found.read_as(edges_of(edges)).wkb,
            radius=radius_in_metres(radius),
            edges=edges_of(edges),
            _leaves_edges_open=edges is None,
        )

    @property
    def lines(self) -> tuple[tuple[tuple[float, float], ...], ...]:
        """The lines; each line is a tuple of pairs of latitude and longitude.

        Example:
            >>> Corridor("LINESTRING (7 47, 8 47)", radius=50).lines
            (((47.0, 7.0), (47.0, 8.0)),)
        """
        return tuple(tuple(line) for line in of_wkb(self.wkb).places())

    def contains(self, latitude: float, longitude: float) -> bool:
        """True if a position lies within the radius of a line.

        Raises:
            InvalidArgumentError: A coordinate is out of its range, or the corridor is refused.
        """
        return self.distance(latitude, longitude) <= 0

    def distance(self, latitude: float, longitude: float) -> float:
        """The signed boundary distance of a position, in metres: the distance to the nearest point of the lines, minus
        the radius.

        Each call processes all vertices of the lines. To test many positions faster, add the corridor to a monitor or a
        table.

        Raises:
            InvalidArgumentError: A coordinate is out of its range, or the corridor is refused.
        """
        return _distance(self.wkb, self._definition()[1], latitude, longitude)

    @property
    def __geo_interface__(self) -> dict[str, Any]:
        """The lines as a GeoJSON geometry, without the radius, for GIS libraries that support the protocol
        ``__geo_interface__``."""
        return line_geometry(self.lines)

    def __repr__(self) -> str:
        more = f", edges={self.edges!r}" if self.edges != EDGES[0] else ""
        return f"<Corridor of {described_lines(self.wkb)}, radius={self.radius:g}{more}>"

    @property
    def described(self) -> str:
        """A description such as ``corridor of 50 m around 1 line, 2 vertices``."""
        return f"corridor of {self.radius:g} m around {described_lines(self.wkb)}"

    def to_dict(self) -> dict[str, Any]:
        """Returns a dictionary of ``kind`` (``corridor``), ``geometry`` (GeoJSON lines), ``radius`` (metres) and
        ``edges``."""
        return {
            "kind": "corridor",
            "geometry": self.__geo_interface__,
            "radius": self.radius,
            "edges": self.edges,
        }

    _KIND = 4

    def _definition(self) -> tuple[int, Geometry]:
        return self._KIND, (self.wkb, self.radius, EDGES.index(self.edges), False, 0.0)


def condition_of(kind: int, wkb: bytes, radius: float, edges: int, oriented: bool, buffer: float) -> Polygon | Corridor:
    """Makes a condition from the numbers and the WKB that the library returns for it."""
    if kind == Polygon._KIND:
        polygon = object.__new__(Polygon)
        put(polygon, wkb=of_wkb(wkb).wkb, edges=EDGES[edges], oriented=oriented, buffer=buffer)
        put(polygon, _leaves_edges_open=False)
        return polygon
    corridor = object.__new__(Corridor)
    put(corridor, wkb=of_wkb(wkb).wkb, radius=radius, edges=EDGES[edges], _leaves_edges_open=False)
    return corridor


def put(condition: Any, **values: Any) -> None:
    """Sets fields of a condition, although its class is frozen."""
    for name, value in values.items():
        object.__setattr__(condition, name, value)


def vertices_of(
    given: Any, name: str, order: str | None, holes: Sequence[Any] = (), is_area: bool = False
) -> tuple[Vertices, bool]:
    """Returns the vertices, given as a geometry or as pairs of coordinates. The second result is True if the vertices
    were given as a geometry, which states its own type and coordinate order.

    Raises:
        InvalidArgumentError: A coordinate or the `order` is out of its range.
        TypeError: `given` is neither a geometry nor pairs of coordinates, or `given` consists of pairs without an
            `order`.
    """
    if order is not None and order not in ORDERS:
        raise InvalidArgumentError(f"order {shown(order)} is not one of {', '.join(ORDERS)}")
    found = _stated(given)
    if found is not None:
        if order == "latlon":
            raise TypeError(f"{name} is a geometry, whose longitude is always first; order applies only to pairs")
        return found, True
    if not isinstance(given, Iterable):
        kinds = "pairs of coordinates, a geometry, WKT or WKB"
        raise TypeError(f"{name} must be {kinds}, not {type(given).__name__}")
    if order is None:
        way_out = "set order='latlon' (latitude first) or order='lonlat' (longitude first)"
        raise TypeError(f"{name} has pairs of coordinates of unknown order: {way_out}")
    return of_places([given, *holes], is_area, order == "latlon"), False


def _stated(given: Any) -> Vertices | None:
    """The vertices of a geometry, which states its own type and coordinate order; None for any other object."""
    if isinstance(given, Vertices):  # already read
        return given
    if isinstance(given, str):
        return of_wkt(given)
    if isinstance(given, bytes | bytearray | memoryview):
        return of_wkb(bytes(given))
    geometry = geometry_of(given)
    return None if geometry is None else of_geojson(geometry)


def edges_of(edges: Any) -> str:
    """Checks the argument `edges` and replaces None with geodesic."""
    if edges is None:
        return EDGES[0]
    if edges not in EDGES:
        raise InvalidArgumentError(f"edges {shown(edges)} is not one of {', '.join(EDGES)}")
    return str(edges)


def line_geometry(found: Sequence[Sequence[tuple[float, float]]]) -> dict[str, Any]:
    """The GeoJSON geometry for lines."""
    lines = [[_turned(place) for place in line] for line in found]
    return (
        {"type": "MultiLineString", "coordinates": lines}
        if len(lines) > 1
        else {"type": "LineString", "coordinates": lines[0]}
    )


def _turned(place: tuple[float, float]) -> list[float]:
    return [place[1], place[0]]


def described_lines(wkb: bytes) -> str:
    """A text with the number of parts or lines and the number of vertices."""
    found = of_wkb(wkb)
    count, vertices = (len(found.parts if found.is_area else found.rings) - 1), len(found.coordinates) // 2
    what = "part" if found.is_area else "line"
    return f"{count} {what}{'s' * (count > 1)}, {vertices} {'vertices' if vertices > 1 else 'vertex'}"


def _distance(wkb: bytes, geometry: Any, latitude: Any, longitude: Any) -> float:
    found = of_wkb(wkb)
    place = real(latitude, "latitude"), real(longitude, "longitude")
    _, radius, edges, oriented, buffer = geometry
    rows = found.is_area, found.coordinates, found.rings, found.parts
    return shape_distance(*rows, radius, edges, oriented, buffer, *place)


# These aliases are the class names of version 0.2, of Swift and of Core Location. Pickles written by version 0.2
# contain these names.
CorridorGeographicCondition = Corridor
PolygonalGeographicCondition = Polygon
