"""Reads polygons and lines from GeoJSON, well-known text, well-known binary and coordinates."""

from __future__ import annotations

import re
import struct
import sys
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from .._errors import warn
from .._native import InvalidArgumentError
from .numbers import real, short, shown
from .wkt import NUMBER, WKT

if TYPE_CHECKING:
    from typing import Protocol

    from typing_extensions import Buffer

    class HasGeometry(Protocol):
        """An object with a ``__geo_interface__``, such as a Shapely geometry, a condition or a feature."""

        @property
        def __geo_interface__(self) -> Any: ...

    GeometrySource: TypeAlias = str | Buffer | Mapping[str, object] | HasGeometry | Iterable[Sequence[float]]
    """WKT, WKB, GeoJSON, anything with a ``__geo_interface__``, or pairs of coordinates."""

AREAS = {"Polygon": False, "MultiPolygon": True}
LINES = {"LineString": False, "MultiLineString": True}
"""The geometry types of polygons (``AREAS``) and of lines (``LINES``). Each type maps to true if its geometries can
have several parts."""
_NAMES = {1: "Point", 2: "LineString", 3: "Polygon", 4: "MultiPoint", 5: "MultiLineString", 6: "MultiPolygon",
          7: "GeometryCollection"}  # fmt: skip
_CODES = {name: code for code, name in _NAMES.items()}
_WGS84 = (0, 4326, 4979)
_TOKEN = re.compile(rf"\s*({NUMBER}|[(),]|EMPTY)", re.IGNORECASE)


class Vertices(NamedTuple):
    """The vertices of a geometry that consists of polygons or of lines.

    Attributes:
        is_area: True for polygons.
        coordinates: The longitude and the latitude of each vertex, one after the other, unchanged. Rings are not
            closed, and no vertex repeats the previous one.
        rings: The index of the first vertex of each ring or line, followed by the number of all vertices.
        parts: For polygons, the index of the first ring of each part, followed by the number of all rings.
    """

    is_area: bool
    coordinates: array[float]
    rings: array[int]
    parts: array[int]

    @property
    def wkb(self) -> bytes:
        """The vertices as well-known binary (ISO, little endian, two dimensions), with closed rings."""
        data = self.coordinates
        if sys.byteorder == "big":
            data = array("d", data)
            data.byteswap()
        held, count = data.tobytes(), len(self.rings) - 1
        rings = []
        for number in range(count):
            ring = held[16 * self.rings[number] : 16 * self.rings[number + 1]]
            ring += ring[:16] if self.is_area else b""
            rings.append(struct.pack("<I", len(ring) // 16) + ring)
        if self.is_area:
            several = len(self.parts) > 2
            bounds = pairwise(self.parts)
            found = [struct.pack("<BII", 1, 3, end - begin) + b"".join(rings[begin:end]) for begin, end in bounds]
        else:
            several = count > 1
            found = [struct.pack("<BI", 1, 2) + ring for ring in rings]
        return struct.pack("<BII", 1, 6 if self.is_area else 5, len(found)) + b"".join(found) if several else found[0]

    def places(self) -> list[list[tuple[float, float]]]:
        """The latitudes and longitudes of each ring or line."""
        pairs = list(zip(self.coordinates[1::2], self.coordinates[0::2]))
        return [pairs[begin:end] for begin, end in pairwise(self.rings)]

    def read_as(self, edges: str) -> Vertices:
        """Returns the vertices with their longitudes converted for ``geodesic`` or ``planar`` edges.

        For geodesic edges, longitudes are reduced to -180 ... 180 (without 180). For planar edges, the longitudes stay
        as written, except that each ring or line is shifted as a whole so that its first longitude is in -180 ... 180.
        A warning is issued if an edge is probably meant to cross the antimeridian.
        """
        longitudes = self.coordinates[::2]
        if edges == "planar":
            if max(longitudes) - min(longitudes) > 180 and (span := self._doubtful_span()):
                reason = (
                    f"a planar edge spans {span:g} degrees between its two longitudes; to cross the antimeridian, "
                    "continue beyond 180 (write 190 instead of -170)"
                )
                warn("", "", reason)
            return self._turned()
        if min(longitudes) >= -180 and max(longitudes) < 180:
            return self
        made = _Maker(self.is_area)
        rings = self.places()
        for number, ring in enumerate(rings):
            if self.is_area and number in self.parts[1:]:
                made.end_part()
            made.ring((_reduced(longitude), latitude) for latitude, longitude in ring)
        made.end_part()
        return made.made()

    def _turned(self) -> Vertices:
        """Shifts each ring or line by 360 degrees if needed, so that its first longitude is in -180 ... 180, like the
        longitudes that the library returns. A ring or line is not shifted if a shifted longitude would be rounded or
        would exceed 360 degrees."""
        coordinates = array("d", self.coordinates)
        for begin, end in pairwise(self.rings):
            if (turn := _reduced(coordinates[2 * begin]) - coordinates[2 * begin]) == 0:
                continue
            before = coordinates[2 * begin : 2 * end : 2]
            after = array("d", (longitude + turn for longitude in before))
            if max(map(abs, after)) <= 360 and all(a - turn == b for a, b in zip(after, before)):
                coordinates[2 * begin : 2 * end : 2] = after
        return self._replace(coordinates=coordinates)

    def _doubtful_span(self) -> float | None:
        """The longitude span in degrees of an edge that was probably meant to cross the antimeridian, or None if there
        is no such edge. Two kinds of long edges are not doubtful: an edge of 360 degrees, which goes around the Earth,
        and an edge at a pole, where all longitudes are the same place."""
        for ring in self.places():
            for start, end in zip(ring, [*ring[1:], ring[0] if self.is_area else ring[-1]]):
                if 180 < abs(end[1] - start[1]) < 360 and not abs(start[0]) == abs(end[0]) == 90:
                    return abs(end[1] - start[1])
        return None


def _reduced(longitude: float) -> float:
    """Reduces a longitude to -180 ... 180 (without 180). The result has no rounding error."""
    if longitude >= 180:
        return longitude - 360
    return longitude + 360 if longitude < -180 else longitude


class _Maker:
    """Collects the vertices of a geometry."""

    def __init__(self, is_area: bool) -> None:
        self.is_area = is_area
        self._coordinates = array("d")
        self._rings, self._parts = array("i", [0]), array("i", [0])

    def ring(self, places: Iterable[Sequence[Any]]) -> None:
        """Adds a ring or line, given as longitudes and latitudes. Coordinates of a vertex beyond the first two are
        ignored."""
        ring = len(self._rings) - 1
        found = [self._place(place, ring, number) for number, place in enumerate(places)]
        if not found and (not self.is_area or ring > self._parts[-1]):
            return  # leaves out an empty line or hole
        least = 3 if self.is_area else 2
        # A shape with too few vertices stays unchanged: the library reports the defect.
        dropped = [place for index, place in enumerate(found) if not index or place != found[index - 1]]
        if self.is_area and len(dropped) > 1 and dropped[0] == dropped[-1]:
            dropped.pop()
        if len(dropped) >= least:
            found = dropped
        for place in found:
            self._coordinates.extend(place)
        self._rings.append(len(self._coordinates) // 2)

    def end_part(self) -> None:
        """Ends a part, so that the next ring is the outer ring of another part. A part whose outer ring is empty is
        left out."""
        first = self._parts[-1]
        if len(self._rings) - 1 > first and self._rings[first] == self._rings[first + 1]:
            del self._coordinates[2 * self._rings[first] :]
            del self._rings[first + 1 :]
        if len(self._rings) - 1 > first or not self.is_area:
            self._parts.append(len(self._rings) - 1)

    def made(self) -> Vertices:
        """The collected vertices.

        Raises:
            InvalidArgumentError: There are no vertices.
        """
        rings = self._rings
        if len(rings) < 2 or any(begin == end for begin, end in pairwise(rings)):
            raise InvalidArgumentError("geometry is empty")
        if self.is_area and any(begin == end for begin, end in pairwise(self._parts)):
            raise InvalidArgumentError("geometry is empty: a part has no ring")
        return Vertices(self.is_area, self._coordinates, rings, self._parts)

    def _place(self, place: Any, ring: int, number: int) -> tuple[float, float]:
        where = f"coordinate: part {len(self._parts) - 1}, ring {ring - self._parts[-1]}, vertex {number}"
        if not self.is_area:
            where = f"coordinate: line {ring}, vertex {number}"
        try:
            longitude, latitude = real(place[0], where), real(place[1], where)
        except (IndexError, KeyError, TypeError):
            raise InvalidArgumentError(f"{where} is {shown(place)}, not two numbers") from None
        for name, value, most in (("latitude", latitude, 90), ("longitude", longitude, 360)):
            if not -most <= value <= most:
                raise InvalidArgumentError(f"{where}: {name} is {value}; must be from -{most} to {most} degrees")
        return longitude + 0.0, latitude + 0.0  # adding 0.0 turns a negative zero into zero


def of_places(rings: Sequence[Iterable[Sequence[Any]]], is_area: bool, is_turned: bool) -> Vertices:
    """Makes a polygon with an outer ring and holes, or lines, from pairs of coordinates. In each pair the longitude
    comes first; if `is_turned` is true, the latitude comes first."""
    made = _Maker(is_area)
    for ring in rings:
        if isinstance(ring, str | bytes) or not isinstance(ring, Iterable):
            raise TypeError(f"a ring or a line must be pairs of latitude and longitude, not {type(ring).__name__}")
        made.ring(map(_turned, ring) if is_turned else ring)
    made.end_part()
    return made.made()


def _turned(place: Any) -> Sequence[Any]:
    try:
        latitude, longitude = place[0], place[1]
    except (TypeError, IndexError, KeyError):
        return (place,)
    return longitude, latitude


def of_geojson(geometry: Mapping[str, Any]) -> Vertices:
    """Reads the vertices of a GeoJSON Polygon, MultiPolygon, LineString or MultiLineString.

    Raises:
        InvalidArgumentError: The geometry is not a Polygon, MultiPolygon, LineString or MultiLineString.
    """
    kind, coordinates = geometry.get("type"), geometry.get("coordinates")
    if kind not in AREAS and kind not in LINES:
        raise InvalidArgumentError(f"type: {shown(kind)} is not one of {', '.join([*AREAS, *LINES])}")
    made = _Maker(kind in AREAS)
    several = AREAS.get(kind, LINES.get(kind))
    for part in _items(coordinates) if several and kind in AREAS else [coordinates]:
        for ring in _items(part) if several or kind in AREAS else [part]:
            made.ring(_items(ring))
        made.end_part()
    return made.made()


def _items(value: Any) -> Sequence[Any]:
    if not isinstance(value, list | tuple):
        raise InvalidArgumentError(f"coordinates: {shown(value)} is not a list of coordinates")
    return value


def wkt_type(text: str) -> str | None:
    """The geometry type (Polygon, MultiPolygon, LineString or MultiLineString) with which a text starts, or None for
    other texts."""
    match = WKT.fullmatch(text)
    return None if match is None else {name.upper(): name for name in (*AREAS, *LINES)}.get(match[2].upper())


def of_wkt(text: str) -> Vertices:
    """Reads well-known text (ISO 19125, EWKT), in which the longitude comes first.

    Raises:
        InvalidArgumentError: The text is not WKT, or its geometry type or reference system is not supported.
    """
    match = WKT.fullmatch(text)
    if match is None:
        raise InvalidArgumentError(f"{shown(text)} is not WKT of a polygon or line")
    # Compared as text, because Python's int() refuses thousands of digits with an error of its own.
    if match[1] is not None and (match[1].lstrip("0") or "0") not in map(str, _WGS84):
        raise InvalidArgumentError(f"is in EPSG:{short(match[1])}, not in WGS84 (EPSG:4326)")
    names = {name.upper(): name for name in (*AREAS, *LINES)}
    kind = names.get(match[2].upper())
    if kind is None:
        raise InvalidArgumentError(f"type: {short(match[2]).upper()} is not one of {', '.join(names)}")
    return of_geojson({"type": kind, "coordinates": _nested(match[4], text)})


def _nested(text: str, whole: str) -> Any:
    """Converts nested parentheses to nested lists, in which a list of numbers is a position."""
    stack: list[list[Any]] = [[]]
    place: list[float] = []
    end = 0

    def close_place() -> None:
        if place:
            stack[-1].append(list(place))
            place.clear()

    while match := _TOKEN.match(text, end):
        end, token = match.end(), match[1].upper()
        if token == "(":
            stack.append([])
        elif token == ")":
            close_place()
            if len(stack) < 2:
                stack.clear()
                break
            inner = stack.pop()
            stack[-1].append(inner)
        elif token == ",":
            close_place()
        elif token == "EMPTY":
            stack[-1].append([])
        else:
            place.append(float(token))
        if len(stack) > 8:
            break
    if text[end:].strip() or len(stack) != 1 or len(stack[0]) != 1 or place:
        raise InvalidArgumentError(f"{shown(whole)} is not WKT of a polygon or line")
    return stack[0][0]


def of_wkb(data: bytes) -> Vertices:
    """Reads well-known binary, either ISO or extended, in either byte order. Dimensions beyond longitude and latitude
    are skipped.

    Raises:
        InvalidArgumentError: The bytes are not WKB, or their geometry type or reference system is not supported.
    """
    reader = _Reader(memoryview(data).cast("B"))
    try:
        kind = reader.head()
        name = _NAMES.get(kind, str(kind))
        if name not in AREAS and name not in LINES:
            raise InvalidArgumentError(f"type: is a {name}, not one of {', '.join([*AREAS, *LINES])}")
        made = _Maker(name in AREAS)
        one = _CODES["Polygon" if name in AREAS else "LineString"]
        for number in range(reader.count() if kind > 3 else 1):
            if kind > 3 and reader.head() != one:
                raise InvalidArgumentError(f"type: part {number} is not a {_NAMES[one]}")
            for _ in range(reader.count() if name in AREAS else 1):
                made.ring(reader.places())
            made.end_part()
        reader.end()
    except struct.error:
        raise InvalidArgumentError(f"not WKB: the data end after {len(data)} bytes, inside the geometry") from None
    return made.made()


class _Reader:
    """Reads well-known binary from start to end."""

    def __init__(self, data: memoryview[int]) -> None:
        self._data, self._at, self._order, self._dimensions = data, 0, "<", 2

    def head(self) -> int:
        """Reads the head of a geometry and returns its type number."""
        order = self._data[self._at] if self._at < len(self._data) else 9
        if order > 1:
            raise InvalidArgumentError(f"not WKB: byte {self._at} must be the byte order, 0 or 1")
        self._at += 1
        self._order = "<" if order else ">"
        kind = self.count()
        if kind & 0x2000_0000 and (reference := self.count()) not in _WGS84:
            raise InvalidArgumentError(f"its SRID {reference} is not 4326 (WGS84); transform the geometry first")
        thousands = kind % 0x1000_0000 // 1000
        self._dimensions = (
            2 + bool(kind & 0x8000_0000) + bool(kind & 0x4000_0000) + {1: 1, 2: 1, 3: 2}.get(thousands, 0)
        )
        return kind % 0x1000_0000 % 1000

    def count(self) -> int:
        (number,) = struct.unpack_from(f"{self._order}I", self._data, self._at)
        self._at += 4
        return int(number)

    def places(self) -> Iterator[tuple[float, ...]]:
        """The vertices of a ring or line."""
        count, size = self.count(), 8 * self._dimensions
        if count * size > len(self._data) - self._at:
            raise struct.error
        place = struct.Struct(f"{self._order}{self._dimensions}d")
        begin, self._at = self._at, self._at + count * size
        return place.iter_unpack(self._data[begin : self._at])

    def end(self) -> None:
        if self._at != len(self._data):
            raise InvalidArgumentError(f"not WKB: {len(self._data) - self._at} bytes follow the geometry")


def wkb_type(data: bytes) -> str | None:
    """The geometry type of well-known binary, or None if the bytes are not WKB."""
    try:
        return _NAMES.get(_Reader(memoryview(data)).head())
    except (struct.error, InvalidArgumentError):
        return None


GEODESIC = ("geodesic", "spherical", "karney", "vincenty", "thomas", "andoyer")
"""The names of edge types in GeoParquet and GeoArrow, without the type for straight lines in degrees."""


def geometry_of(value: Any) -> Mapping[str, Any] | None:
    """The GeoJSON geometry of a mapping, or of an object with a ``__geo_interface__``. For any other value, the result
    is None."""
    found = value if isinstance(value, Mapping) else getattr(value, "__geo_interface__", None)
    if not isinstance(found, Mapping):
        return None
    if found.get("type") == "Feature":
        found = found.get("geometry")
        if not isinstance(found, Mapping):
            raise InvalidArgumentError("geometry is empty: the feature has no geometry")
    return found
