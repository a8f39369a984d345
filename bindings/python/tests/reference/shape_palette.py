"""Makes random polygons and corridors around a point, each for both the engine and the reference.

An engine may compute a depth that is up to 1 % too small. All polygons in these tests are deeper than 2 km. No margin
or accuracy in the random tests comes near 2 km, so an error of 1 % in the depth never changes a result. The depth of a
corridor is its radius, so the tests can use corridors of all sizes.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from geographiclib.geodesic import Geodesic
from reference_shapes import Corridor, Polygon

Place = tuple[float, float]
Ring = list[list[float]]
DEEP = 10_000.0


class RoughPolygon(Polygon):
    """Computes the signed distance in double precision. The depth is a constant that exceeds every value with which the
    tests compare it."""

    depth = DEEP  # type: ignore[assignment]

    def __deepcopy__(self, memo: Any) -> RoughPolygon:
        return self  # an immutable shape needs no copy

    def distance(self, latitude: float, longitude: float) -> float:
        return self.boundary.rough(latitude, longitude) - self.buffer


class RoughCorridor(Corridor):
    """Computes the signed distance in double precision."""

    def __deepcopy__(self, memo: Any) -> RoughCorridor:
        return self

    def distance(self, latitude: float, longitude: float) -> float:
        assert self.boundary is not None
        return self.boundary.candidates(latitude, longitude)[0][0] - self.radius


class PaletteShape(NamedTuple):
    kind: str
    coordinates: Any  # the parts of a polygon, or the lines, with vertices as [longitude, latitude]
    options: dict[str, Any]


def _off(base: Place, *steps: tuple[float, float]) -> list[float]:
    """Returns vertices, as [longitude, latitude], that lie at azimuths and distances (metres) from a point."""
    latitude, longitude = base
    for azimuth, metres in steps:
        end = Geodesic.WGS84.Direct(latitude, longitude, azimuth, metres)
        latitude, longitude = end["lat2"], end["lon2"]
    # Planar edges follow their longitudes as written, so the longitudes continue across the antimeridian.
    return [longitude + 360 * round((base[1] - longitude) / 360), latitude]


def _ring(base: Place, metres: float, corners: int, turn: float = 0.0) -> Ring:
    return [_off(base, (turn - 360 * k / corners, metres)) for k in range(corners)]


@functools.cache
def palette(base: Place) -> tuple[PaletteShape, ...]:
    east = _off(base, (90, 8_000))
    beside = _ring((east[1], east[0]), 8_100, 64)
    west = _off(base, (270, 8_250))
    other = _ring((west[1], west[0]), 7_900, 5, 90)
    lake, island = _ring(base, 400, 5), _ring(base, 120, 3)
    big = _ring(base, 9_000, 7, 20)
    # A ring around a pole cannot have planar edges.
    edges = "planar" if abs(base[0]) < 89.8 else "geodesic"
    way = [_off(base, (200, 700)), _off(base, (90, 50)), _off(base, (20, 900))]
    return (
        PaletteShape("polygon", [[beside]], {}),
        PaletteShape("polygon", [[big, lake]], {}),
        PaletteShape("polygon", [[big, lake], [island]], {}),
        PaletteShape("polygon", [[beside], [other]], {}),
        PaletteShape("polygon", [[beside[::-1]]], {"buffer": 60.5}),
        PaletteShape("polygon", [[beside]], {"buffer": -250.0}),
        PaletteShape("polygon", [[island[::-1]]], {"oriented": True}),
        PaletteShape("polygon", [[big, lake]], {"edges": edges}),
        PaletteShape("corridor", [way], {"radius": 60.0}),
        PaletteShape("corridor", [way[:2]], {"radius": 250.0}),
        PaletteShape("corridor", [way[:2], way[1:]], {"radius": 15.0, "edges": edges}),
        PaletteShape("corridor", [[*way, way[0]]], {"radius": 100.4}),
        PaletteShape("corridor", [[*way, way[0]]], {"radius": 100.0}),
    )


@functools.cache
def reference_shape(base: Place, number: int) -> Polygon | Corridor:
    kind, coordinates, options = palette(base)[number]
    if kind == "corridor":
        return RoughCorridor(coordinates, **options)
    # Near a pole, planar edges become thousands of geodesics; checking whether any two of them cross would take a
    # minute.
    return RoughPolygon(coordinates, **options, check=options.get("edges") != "planar")
