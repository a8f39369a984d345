"""A faster reference implementation for tracks over many polygons that do not change, and polygons from real files to
test with it."""

from __future__ import annotations

import functools
import json
import zipfile
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy
from conftest import ROOT, SHARED
from reference import ReferenceMonitor
from reference_shapes import Polygon
from reference_shapes.boundary import vectors
from reference_shapes.depth import deepest
from reference_shapes.planar_edges import number_of_vertices
from reference_shapes.vertices import checked

FENCES = SHARED / "data" / "fences"
# The script .ci/data.sh downloads this wheel, which contains Natural Earth's countries (public domain).
WHEEL = ROOT / ".build" / "data" / "geopandas-0.14.4-py3-none-any.whl"
DEEP = 250.0


class RoughPolygon(Polygon):
    """Computes D (the signed distance) in double precision, which is accurate to 1e-7 m. The search for the
    depth stops at 250 m, so a larger depth is only known to exceed 250 m.

    This class does not check whether edges cross, because the check would take minutes for a country.
    """

    def __init__(self, parts: Any) -> None:
        super().__init__(parts, edges="planar", check=False)

    def distance(self, latitude: float, longitude: float) -> float:
        return self.boundary.rough(latitude, longitude) - self.buffer

    @cached_property
    def depth(self) -> float:  # type: ignore[override]
        return min(deepest(self.boundary.rough, DEEP)[0], DEEP)


class ManyShapes(ReferenceMonitor):
    """Skips evaluations that cannot change anything: when a position moves by some distance, the signed distance D
    changes by at most this distance.

    If a fix is certainly on the side of the boundary that is already known, the fix can only cancel an unconfirmed
    crossing. `explain` does not work in this class, because skipped evaluations do not store the latest fix.
    """

    def _evaluate(self, c: Any, fix: Any, now: int) -> None:
        seen = self.__dict__.setdefault("_seen", {})
        place = vectors(fix.latitude, fix.longitude)
        if c.generation in seen and c.observed is not None:
            where, clearance, side = seen[c.generation]
            # A geodesic of up to 100 km is less than 1/10,000 longer than the straight line.
            chord = float(numpy.linalg.norm(place - where))
            if side == c.observed.side and chord < 100_000 and chord * 1.0001 + 0.01 < clearance:
                c.candidate = None
                return
        super()._evaluate(c, fix, now)
        d = c.last_fix[1]
        seen[c.generation] = (place, abs(d - c.line), c.side(d, fix))


def _geojson(path: Path) -> list[tuple[str, Any]]:
    features = json.loads(path.read_text(encoding="utf-8"))["features"]
    found = []
    for number, feature in enumerate(features):
        geometry = feature["geometry"]
        if geometry and geometry["type"] in ("Polygon", "MultiPolygon"):
            coordinates = geometry["coordinates"]
            found.append((f"{number}", [coordinates] if geometry["type"] == "Polygon" else coordinates))
    return found


def _natural_earth() -> list[tuple[str, Any]]:
    """Returns the 177 countries in the shapefile that the wheel of pyogrio contains."""
    import shapely
    from pyogrio.raw import read

    _, _, geometries, _ = read(f"/vsizip/{{{WHEEL}}}/geopandas/datasets/naturalearth_lowres/naturalearth_lowres.shp")
    shapes = (json.loads(shapely.to_geojson(shapely.from_wkb(geometry))) for geometry in geometries)
    return [
        (f"{number}", [shape["coordinates"]] if shape["type"] == "Polygon" else shape["coordinates"])
        for number, shape in enumerate(shapes)
    ]


@functools.cache
def polygons_of(name: str) -> list[tuple[str, Any]] | None:
    """Returns identifiers and parts (lists of rings of [longitude, latitude]) of a set of polygons, or None if the file
    is missing."""
    if name == "countries":
        return _natural_earth() if WHEEL.is_file() and zipfile.is_zipfile(WHEEL) else None
    path = FENCES / name
    return _geojson(path) if path.is_file() else None


def number_of_edges(parts: Any) -> int:
    """Returns how many geodesics replace the planar edges of the given parts."""
    rings = [[checked(vertex, 0, 0, n) for n, vertex in enumerate(ring)] for part in parts for ring in part]
    return number_of_vertices(rings, is_ring=True)


def near(polygons: list[tuple[str, Any]], fixes: list[Any], degrees: float) -> list[tuple[str, Any]]:
    """Returns the shapes that have a vertex in the bounding box of a track, enlarged by `degrees`; this simple test is
    good enough to choose shapes."""
    latitudes, longitudes = [fix[0] for fix in fixes], [fix[1] for fix in fixes]
    south, north = min(latitudes) - degrees, max(latitudes) + degrees
    west, east = min(longitudes) - degrees, max(longitudes) + degrees
    return [
        (identifier, parts)
        for identifier, parts in polygons
        if any(
            south <= y <= north and west <= x <= east
            for part in parts
            for ring in part
            for x, y in (vertex[:2] for vertex in ring)
        )
    ]


def well_known_text(parts: Any) -> str:
    rings = [
        [", ".join(f"{float(vertex[0])!r} {float(vertex[1])!r}" for vertex in ring) for ring in part] for part in parts
    ]
    return "MULTIPOLYGON (" + ", ".join("(" + ", ".join(f"({ring})" for ring in part) + ")" for part in rings) + ")"
