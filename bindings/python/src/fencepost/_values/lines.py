"""Gates: lines without a width, which count who crosses them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

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
    """A gate: lines without a width. Each time a device crosses one there is an event with a direction.

    It has no state: its record stays ``unknown``, and every crossing counts, with :attr:`Event.direction`, the instant
    and the point. It needs a monitor with ``path="geodesic"``, since no fix says on which way the device came, and the
    delivery ``every``; a policy and an assumed state it has not. A position exactly on the line counts as left of it.

    Args:
        path: A line: pairs of coordinates in the `order`, latitudes of -90 to 90 and longitudes of -360 to 360 degrees.
            Or a geometry that says itself what it has, one line or several: anything with a ``__geo_interface__``, a
            GeoJSON geometry or feature as a dict, well-known text, or well-known binary; their coordinates are
            longitude first.
        order: The order in pairs of coordinates: ``latlon`` or ``lonlat``. Pairs need it.
        edges: What joins two vertices: ``geodesic`` or ``planar``, or None; see
            :class:`Polygon`.

    Raises:
        InvalidArgumentError: A value is out of its range.
        TypeError: `path` has another type, or has pairs and there is no `order`.

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
    """The vertices as well-known binary: ISO, little endian, longitude first."""
    edges: str
    _leaves_edges_open: bool = field(compare=False)

    def __init__(self, path: GeometrySource, *, order: Order | None = None, edges: str | None = None) -> None:
        found, _ = vertices_of(path, "path", order)
        if found.is_area:
            raise InvalidArgumentError("type: a Polygon was passed, a Gate needs a line; use the polygon's boundary")
        put(self, wkb=found.read_as(edges_of(edges)).wkb, edges=edges_of(edges), _leaves_edges_open=edges is None)

    @property
    def lines(self) -> tuple[tuple[tuple[float, float], ...], ...]:
        """The lines, each of pairs of latitude and longitude.

        Example:
            >>> Gate("LINESTRING (7 47, 8 47)").lines
            (((47.0, 7.0), (47.0, 8.0)),)
        """
        return tuple(tuple(line) for line in of_wkb(self.wkb).places())

    @property
    def __geo_interface__(self) -> dict[str, Any]:
        """The shape for GIS libraries, which read it by this protocol."""
        return line_geometry(self.lines)

    def __repr__(self) -> str:
        more = f", edges={self.edges!r}" if self.edges != EDGES[0] else ""
        return f"<Gate of {described_lines(self.wkb)}{more}>"

    @property
    def described(self) -> str:
        """In words: ``gate of 1 line, 2 vertices``."""
        return f"gate of {described_lines(self.wkb)}"

    def to_dict(self) -> dict[str, Any]:
        """``kind`` (``gate``), ``geometry`` (GeoJSON lines) and ``edges``, as JSON has them."""
        return {"kind": "gate", "geometry": self.__geo_interface__, "edges": self.edges}

    _KIND: ClassVar[int] = LINE_GEOGRAPHIC

    def _definition(self) -> tuple[int, Geometry]:
        return self._KIND, (self.wkb, _NO_NUMBER, EDGES.index(self.edges), False, 0.0)


def line_from(wkb: bytes, edges: int) -> Gate:
    """A gate as the library gives it back."""
    line = object.__new__(Gate)
    put(line, wkb=of_wkb(wkb).wkb, edges=EDGES[edges], _leaves_edges_open=False)
    return line


# The names of 0.2 and of Swift, Core Location's. They also unpickle.
LineGeographicCondition = Gate
