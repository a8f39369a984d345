"""Makes vehicles among circles for streams.py: a file of points, as CSV and as GeoParquet, and a file of circles.
Seeded."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

SPACE = 1_600_000.0
"""Square metres of area for each circle: about a sixth of the area lies within some circle."""
DEGREE = 111_320.0
ORIGIN = (48.0, 10.0)
BEGIN_US = 1_714_550_400_000_000
INTERVAL_S = 10
BLOCK = 500_000
"""The approximate number of rows that are made at a time."""
NAMES = ("vehicle", "time", "lat", "lon", "accuracy")


def degrees(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Converts places in metres to latitudes and longitudes, accurate to about a centimetre."""
    latitude = ORIGIN[0] + y / DEGREE
    longitude = ORIGIN[1] + x / (DEGREE * np.cos(np.radians(latitude)))
    return np.round(latitude, 7), np.round(longitude, 7)


def side(circles: int) -> float:
    """The side length, in metres, of the square for this number of circles."""
    return float(np.sqrt(SPACE * circles))


def write_circles(path: Path, count: int, seed: int = 1) -> None:
    """Circles of 100 to 500 m, all of them `unsatisfied` at first."""
    random = np.random.default_rng(seed)
    latitude, longitude = degrees(*random.uniform(0, side(count), (2, count)))
    names = pa.array([f"c{number}" for number in range(count)])
    radius = np.round(random.uniform(100, 500, count), 1)
    assuming = pa.array(["unsatisfied"] * count)
    columns = [names, pa.array(latitude), pa.array(longitude), pa.array(radius), assuming]
    pa.csv.write_csv(pa.table(columns, ["identifier", "latitude", "longitude", "radius", "assuming"]), path)


def blocks(tracks: int, points: int, width: float, seed: int = 2) -> Iterator[tuple[np.ndarray, ...]]:
    """Returns track numbers, microseconds, latitudes and longitudes. Each track has a point every ten seconds; for each
    time, the rows list the tracks one after another.

    Vehicles drive at 3 to 25 m/s in a square of the width `width`. The vehicles turn a little with each point, and turn
    back at the border of the square.
    """
    random = np.random.default_rng(seed)
    x, y = random.uniform(0, width, (2, tracks))
    heading = random.uniform(0, 2 * np.pi, tracks)
    step = random.uniform(3, 25, tracks) * INTERVAL_S
    offset = random.integers(0, INTERVAL_S * 1_000_000, tracks)
    offset.sort()
    at_once = max(1, BLOCK // tracks // 10) * 10
    for first in range(0, points, at_once):
        xs, ys, times = [], [], []
        for point in range(first, min(first + at_once, points)):
            heading += random.normal(0, 0.15, tracks)
            heading += np.pi * ((x < 0) | (x > width) | (y < 0) | (y > width))
            x = np.clip(x + step * np.cos(heading), -1, width + 1)
            y = np.clip(y + step * np.sin(heading), -1, width + 1)
            xs.append(x)
            ys.append(y)
            times.append(BEGIN_US + point * INTERVAL_S * 1_000_000 + offset)
        places = degrees(np.concatenate(xs), np.concatenate(ys))
        yield np.tile(np.arange(tracks), len(xs)), np.concatenate(times), *places


def write_points(csv: Path, parquet: Path, tracks: int, points: int, circles: int, every: int = 1) -> None:
    """Writes the same points in both formats, with the columns `vehicle`, `time`, `accuracy` and a position, in the
    square for `circles` circles. Writes every `every`-th point of each track."""
    names = pa.array([f"v{number:05}" for number in range(tracks)])
    column = {"encoding": "WKB", "geometry_types": ["Point"]}
    geo = {"version": "1.0.0", "primary_column": "geometry", "columns": {"geometry": column}}
    kinds = {
        "vehicle": pa.string(),
        "time": pa.timestamp("us", "UTC"),
        "accuracy": pa.float64(),
        "geometry": pa.binary(),
    }
    schema = pa.schema(list(kinds.items()), {"geo": json.dumps(geo)})
    point = np.dtype([("order", "u1"), ("kind", "<u4"), ("x", "<f8"), ("y", "<f8")])
    plain = pa.csv.WriteOptions(quoting_style="none")
    text = pa.schema([(name, pa.string() if name in ("vehicle", "time") else pa.float64()) for name in NAMES])
    with pa.csv.CSVWriter(csv, text, write_options=plain) as lines, pa.parquet.ParquetWriter(parquet, schema) as packed:
        for block in blocks(tracks, points, side(circles)):
            kept = np.arange(len(block[0])) // tracks % every == 0
            track, time, latitude, longitude = (values[kept] for values in block)
            vehicle, accuracy = names.take(pa.array(track)), pa.array(np.full(len(track), 5.0))
            when = np.char.add(np.datetime_as_string(time.view("M8[us]"), unit="ms"), "Z")
            cells = [vehicle, pa.array(when), pa.array(latitude), pa.array(longitude), accuracy]
            lines.write_table(pa.table(cells, schema=text))
            # Times in the CSV have milliseconds, so the times in this format are rounded down to milliseconds too.
            instant = pa.array(time // 1000 * 1000, pa.int64()).cast(pa.timestamp("us", "UTC"))
            wkb = np.empty(len(track), dtype=point)
            wkb["order"], wkb["kind"], wkb["x"], wkb["y"] = 1, 1, longitude, latitude
            ends = np.arange(len(track) + 1, dtype="i4") * point.itemsize
            geometry = pa.Array.from_buffers(pa.binary(), len(track), [None, pa.py_buffer(ends), pa.py_buffer(wkb)])
            packed.write_table(pa.table([vehicle, instant, accuracy, geometry], schema=schema))
