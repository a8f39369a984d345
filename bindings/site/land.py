"""Makes the outline of the land that the report and the live page draw: _look/land.txt of the Python package.

    python bindings/site/land.py COUNTRIES

COUNTRIES is a file of Natural Earth's countries in a format that GeoPandas reads, or QGIS's world_map.gpkg (in its
folder resources/data), which was made from Natural Earth 1:10m 4.1.0. Natural Earth is in the public domain. The
outline is simplified to 0.1 degrees and rounded to 0.05; islands and lakes smaller than 0.05 square degrees are left
out.

Each ring is one word: the steps of longitude and latitude from each corner to the next, starting at 0, 0, in twentieths
of a degree, as signed Base64 VLQ numbers (as in source maps).
"""

from __future__ import annotations

import sys
from pathlib import Path

import geopandas
import shapely

STEP, TOLERANCE, SMALLEST = 0.05, 0.1, 0.05
DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
TARGET = Path(__file__).resolve().parents[1] / "python/src/fencepost/_look/land.txt"


def number(value: int) -> str:
    rest = -2 * value + 1 if value < 0 else 2 * value
    text = ""
    while True:
        rest, digit = rest >> 5, rest & 31
        text += DIGITS[digit | (32 if rest else 0)]
        if not rest:
            return text


def word(ring: shapely.LinearRing) -> str:
    corners = [(round(x / STEP), round(y / STEP)) for x, y in ring.simplify(TOLERANCE).coords]
    found, last = "", (0, 0)
    for corner in corners[:-1]:
        if corner != last:
            found += number(corner[0] - last[0]) + number(corner[1] - last[1])
            last = corner
    return found


def main() -> None:
    countries = geopandas.read_file(sys.argv[1], layer="countries" if sys.argv[1].endswith(".gpkg") else None)
    land = shapely.union_all(shapely.make_valid(countries.geometry.values), grid_size=1e-3)
    rings = [ring for part in land.geoms for ring in (part.exterior, *part.interiors)]
    kept = [ring for ring in rings if shapely.Polygon(ring).area >= SMALLEST]
    TARGET.write_text("\n".join(word(ring) for ring in kept) + "\n", encoding="ascii")
    print(f"{TARGET.name}: {len(kept)} rings, {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main()
