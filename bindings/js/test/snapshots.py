"""The Python half of a test: starts or continues a monitor that follows the drive.

python snapshots.py empty|begin|end DRIVE PLACES [SNAPSHOT]      prints a snapshot in base64; `end` prints the events
"""

from __future__ import annotations

import base64
import csv
import json
import sys
from pathlib import Path

import numpy as np

from fencepost import Circle, Corridor, Monitor, Polygon

what, drive, places, *rest = sys.argv[1:]
with Path(drive).open(encoding="utf-8", newline="") as file:
    rows = list(csv.DictReader(file))
half = len(rows) // 2
monitor = Monitor.restore(base64.b64decode(rest[0])) if rest else Monitor()
if not rest:
    for feature in json.loads(Path(places).read_text(encoding="utf-8"))["features"]:
        geometry, properties = feature["geometry"], feature["properties"]
        if geometry is None:
            continue
        if geometry["type"] == "Point":
            longitude, latitude = geometry["coordinates"]
            condition = Circle(latitude, longitude, properties["radius"])
        elif geometry["type"] == "Polygon":
            condition = Polygon(geometry, edges="planar")
        else:
            condition = Corridor(geometry, properties["radius"], edges="geodesic")
        monitor.add(condition, properties["identifier"], tag=2**64 - 1)
if what != "empty":
    part = rows[half:] if rest else rows[:half]
    monitor.feed_many(
        latitude=np.array([float(row["latitude"]) for row in part]),
        longitude=np.array([float(row["longitude"]) for row in part]),
        accuracy=np.array([float(row["accuracy"]) for row in part]),
        time=np.array([row["time"].rstrip("Z") for row in part], dtype="datetime64[us]"),
    )
    for event in monitor.events():
        if rest:
            print(event.to_json())
    monitor.acknowledge()
if not rest:
    print(base64.b64encode(monitor.snapshot()).decode())
