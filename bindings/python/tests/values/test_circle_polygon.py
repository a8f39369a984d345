"""Compares the polygons that approximate circles with Shapely, and with GeographicLib's solution of the inverse
problem."""

from __future__ import annotations

import json
import random

import pytest
from geographiclib.geodesic import Geodesic

from fencepost import Circle
from fencepost.errors import InvalidArgumentError
from fencepost.geodesic import circle

shapely = pytest.importorskip("shapely")
from shapely.geometry import Point, mapping, shape  # noqa: E402
from shapely.prepared import prep  # noqa: E402

SEED = 20_261_122


def worlds(count: int) -> list[tuple[float, float, float]]:
    """Returns circles with radii from 1 m to 20 000 km; many of them cross the antimeridian or contain a pole."""
    print("seed", SEED)
    generator = random.Random(SEED)
    found = []
    for _ in range(count):
        latitude = generator.choice([generator.uniform(-90, 90), 0.0, 89.9, -89.9, 90.0, -90.0, 45.0])
        longitude = generator.choice([generator.uniform(-180, 180), 180.0, -180.0, 179.99, 0.0])
        found.append((latitude, longitude, 10 ** generator.uniform(0, 7.3012)))
    return found


@pytest.mark.parametrize("corners", [3, 36, 180])
def test_they_are_valid_and_as_geojson_has_them(corners: int) -> None:
    for latitude, longitude, radius in worlds(400):
        given = circle(latitude, longitude, radius, corners=corners)
        assert json.loads(json.dumps(given)) == given
        polygon = shape(given)
        where = (latitude, longitude, radius)
        assert polygon.is_valid and polygon.area > 0, (where, shapely.is_valid_reason(polygon))
        west, south, east, north = polygon.bounds
        assert west >= -180 and east <= 180 and south >= -90 and north <= 90, where
        for part in getattr(polygon, "geoms", [polygon]):
            assert part.exterior.is_ccw, where
            assert not any(hole.is_ccw for hole in part.interiors), where
        rings = given["coordinates"] if given["type"] == "Polygon" else [r for p in given["coordinates"] for r in p]
        assert all(ring[0] == ring[-1] for ring in rings), where


def test_inside_is_nearer_than_the_radius() -> None:
    """The polygon has 2,000 vertices, so a point must be on the correct side if its distance from the circle is at
    least 0.9 % of the radius."""
    generator = random.Random(SEED)
    counted = {True: 0, False: 0}
    for latitude, longitude, radius in worlds(150):
        polygon = prep(shape(circle(latitude, longitude, radius, corners=2000)))
        for _ in range(20):
            factor = generator.choice([0.99, 1.01, generator.uniform(0, 3)])
            if abs(factor - 1) < 0.009 or radius * factor > 19_900_000:
                continue
            place = Geodesic.WGS84.Direct(latitude, longitude, generator.uniform(0, 360), radius * factor)
            if abs(place["lat2"]) > 89.999 or abs(abs(place["lon2"]) - 180) < 1e-6:
                continue  # the point is on the edge of the map
            found = polygon.contains(Point(place["lon2"], place["lat2"]))
            assert found == (factor < 1), (latitude, longitude, radius, place["lat2"], place["lon2"])
            counted[found] += 1
    assert counted[True] > 500 and counted[False] > 500, counted


def test_every_corner_lies_on_the_circle() -> None:
    for latitude, longitude, radius in ((52.5, 13.4, 500.0), (-17.8, 179.99, 80_000.0), (80.0, 10.0, 900_000.0)):
        polygon = shape(circle(latitude, longitude, radius, corners=90))
        on_line = 0
        for part in getattr(polygon, "geoms", [polygon]):
            for x, y in part.exterior.coords:
                if Geodesic.WGS84.Inverse(latitude, longitude, y, x)["s12"] != pytest.approx(radius, abs=1e-6):
                    assert abs(x) == 180  # the ring was cut at the antimeridian here
                else:
                    on_line += 1
        assert on_line >= 90


def test_of_a_condition() -> None:
    home = Circle(52.5, 13.4, radius=500)
    assert home.polygon(corners=36) == circle(52.5, 13.4, 500, corners=36)
    # Libraries that read __geo_interface__ accept the condition itself: Shapely, GeoPandas, Folium.
    assert mapping(shape(home)) == mapping(shape(circle(52.5, 13.4, 500)))


@pytest.mark.parametrize("radius", [0.0, -1.0, float("nan"), float("inf")])
def test_an_invalid_radius(radius: float) -> None:
    with pytest.raises(InvalidArgumentError, match="radius"):
        circle(0, 0, radius)


@pytest.mark.parametrize("place", [(91.0, 0.0), (float("nan"), 0.0), (0.0, float("inf"))])
def test_an_invalid_centre(place: tuple[float, float]) -> None:
    with pytest.raises(InvalidArgumentError):
        circle(*place, 100)


def test_too_few_and_too_many_corners() -> None:
    for corners in (2, 0, -5, 10_000_000):
        with pytest.raises(InvalidArgumentError, match="corners.*3.*1000000"):
            circle(0, 0, 100, corners=corners)
    with pytest.raises(TypeError, match="corners"):
        circle(0, 0, 100, corners=3.5)  # type: ignore[arg-type]
