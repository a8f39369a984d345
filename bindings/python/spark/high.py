"""Streams whose fixes have error ellipses and heights, over conditions with limits of altitude."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path
from typing import Any

import streams

from fencepost import spark as fencepost_spark

ELLIPSE = ("error_major_m", "error_minor_m", "error_orientation_deg")
HEIGHTS = ("ellipsoid_altitude_m", "vertical_accuracy_m", "geoid_height_m", "ground_height_m")
FIELDS = (*streams.FIELDS, *ELLIPSE, *HEIGHTS)
SCHEMA = streams.SCHEMA + "".join(f", {name} double" for name in (*ELLIPSE, *HEIGHTS))
Row = tuple[Any, ...]


def write_conditions(folder: Path) -> Path:
    """Writes circles; two of three have limits of altitude, and some have probabilities."""
    draw = random.Random(14)
    path = streams.write_conditions(folder, probable=True)
    collection = json.loads(path.read_text())
    for number, feature in enumerate(collection["features"]):
        low, high = sorted((draw.uniform(0, 300), draw.uniform(0, 300)))
        below, above = (draw.choice(["ellipsoid", "mean_sea_level", "ground"]) for _ in range(2))
        if number % 3 < 2:
            feature["properties"] |= {"altitude_min": low, "altitude_min_reference": below}
        if number % 3 == 1:
            feature["properties"] |= {"altitude_max": high + 1, "altitude_max_reference": above}
    path.write_text(json.dumps(collection))
    return path


def rows() -> list[Row]:
    """Adds ellipses and heights to most rows; a missing value is None."""
    draw, found = random.Random(15), list[Row]()
    altitudes: dict[str, float] = {}
    for row in streams.walks():
        altitude = altitudes[row[0]] = altitudes.get(row[0], 150.0) + draw.gauss(0, 40)
        ellipse: Row = (40.0, 20.0, draw.uniform(0, 180)) if draw.random() < 0.6 else (None, None, None)
        heights = [altitude, draw.choice([0.0, 3.0, 60.0, -1.0]), draw.uniform(40, 50), draw.uniform(0, 30)]
        heights = [None if draw.random() < 0.1 else value for value in heights]  # type: ignore[misc]
        if row[0] == "sentinel":
            ellipse, heights = (None,) * 3, [None] * 4  # type: ignore[list-item]
        found.append((*row, *ellipse, *heights))
    return found


def write(path: Path, rows: list[Row], number: int = 0) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(FIELDS)
        for device, *numbers in rows:
            writer.writerow((device, *("" if value is None else repr(value) for value in numbers)))
    streams.date(path, number)


def run(spark: Any, folder: Path, conditions: Path, *, shards: int = 2, **options: Any) -> tuple[list[Any], list[Any]]:
    """Runs the stream over the files of a folder; returns the rows of the events and the progress."""
    source = spark.readStream.schema(SCHEMA).option("header", True).option("maxFilesPerTrigger", 1)
    rows = source.csv(str(folder / "in"))
    events = fencepost_spark.events(rows, conditions, delay=f"{streams.DELAY} seconds", shards=shards, **options)
    return streams.drain(events, folder / "checkpoint")


def of(events: list[Any]) -> list[Any]:
    return streams.in_order([streams.as_json(row) for row in events])
