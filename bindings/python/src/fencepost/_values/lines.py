"""Gates: lines without a width, whose crossings by devices become events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._dataclass import dataclass, field
from .._native import InvalidArgumentError
from .._tables.geometries import of_wkb
from .._tables.table import Plain
from .conditions import LINE_GEOGRAPHIC, Geometry
from .shapes import EDGES, Order, described_lines, edges_of, line_geometry, put, vertices_of

if TYPE_CHECKING:
    from .._tables.geometries import GeometrySource

_NO_NUMBER = float("nan")


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Gate(Plain):
    """A gate: one line or several lines without a width. Each crossing by a device gives an event with a direction.

    A gate has no state: its record stays ``unknown``. Every crossing gives an event with the direction
    (:attr:`Event.direction`), the instant and the point. A monitor or fleet with gates needs ``path="geodesic"``,
    because without a path the fixes do not show where the device crossed the line; a monitor also needs
    ``delivery="every"``. A gate has no policy and no assumed state. A position exactly on the line counts as left of
    it.

    Args:
        path: Either a line as pairs of coordinates in the `order`, with latitudes of -90 to 90 and longitudes of -360
            to 360 degrees; or a geometry of one or several lines, whose coordinates have the longitude first. A
            geometry is anything with a ``__geo_interface__``, a GeoJSON geometry or feature as a dict, well-known text,
            or well-known binary.
        order: The order of the coordinates in each pair, ``latlon`` or ``lonlat``. `order` is required if `path`
            consists of pairs.
        edges: How two vertices are joined: ``geodesic``, ``planar`` or None; see :class:`Polygon`.

    Raises:
        InvalidArgumentError: A value is out of its range.
        TypeError: `path` has an unsupported type, or consists of pairs without an `order`.

    Example:
        >>> from fencepost import Fix, Monitor
        >>> monitor = Monitor(path="geodesic", max_gap=60)
        >>> monitor.add(Gate([(47.55, 7.59), (47.56, 7.59)], order="latlon"), "bridge")
        >>> monitor.feed(Fix(47.555, 7.589, time=0))
        >>> monitor.feed(Fix(47.555, 7.592, time=30_000_000))
        >>> [(event.identifier, str(event.direction), event.date_us) for event in monitor.events()]
        [('bridge', 'left_to_right', 10000001)]
    """

    wkb: bytes
    """The vertices as well-known binary (ISO, little endian, longitude first)."""
    edges: str
    _leaves_edges_open: bool = field(compare=False)

    def __init__(self, path: GeometrySource, *, order: Order | None = None, edges: str | None = None) -> None:
        found, _ = vertices_of(path, "path", order)
        if found.is_area:
            raise InvalidArgumentError("type: a Gate needs a line, not a Polygon; use the polygon's boundary")
        put(self, wkb=found.read_as(edges_of(edges)).wkb, edges=edges_of(edges), _leaves_edges_open=edges is None)

    @property
    def lines(self) -> tuple[tuple[tuple[float, float], ...], ...]:
        """The lines; each line is a tuple of pairs of latitude and longitude.

        Example:
            >>> Gate("LINESTRING (7 47, 8 47)").lines
            (((47.0, 7.0), (47.0, 8.0)),)
        """
        return tuple(tuple(line) for line in of_wkb(self.wkb).places())

    @property
    def __geo_interface__(self) -> dict[str, Any]:
        """The lines as a GeoJSON geometry, for GIS libraries that support the protocol ``__geo_interface__``."""
        return line_geometry(self.lines)

    def __repr__(self) -> str:
        more = f", edges={self.edges!r}" if self.edges != EDGES[0] else ""
        return f"<Gate of {described_lines(self.wkb)}{more}>"

    @property
    def described(self) -> str:
        """A description such as ``gate of 1 line, 2 vertices``."""
        return f"gate of {described_lines(self.wkb)}"

    def to_dict(self) -> dict[str, Any]:
        """``kind`` (``gate``), ``geometry`` (GeoJSON lines) and ``edges``, in JSON types."""
        return {"kind": "gate", "geometry": self.__geo_interface__, "edges": self.edges}

    _KIND = LINE_GEOGRAPHIC

    def _definition(self) -> tuple[int, Geometry]:
        return self._KIND, (self.wkb, _NO_NUMBER, EDGES.index(self.edges), False, 0.0)


def line_from(wkb: bytes, edges: int) -> Gate:
    """Builds a gate from the values that the library returns."""
    line = object.__new__(Gate)
    put(line, wkb=of_wkb(wkb).wkb, edges=EDGES[edges], _leaves_edges_open=False)
    return line


# This alias is the class name used in version 0.2, in Swift and in Core Location. Pickles written by version 0.2 refer
# to this name.
LineGeographicCondition = Gate
