"""Functions that create fleets for the tests, and the monitors with which these fleets are compared."""

from __future__ import annotations

import random
from typing import Any

import pytest
from conftest import SECOND, UUID

from fencepost import Beacon, Circle, Corridor, DeviceEvent, Fix, Fleet, Monitor, Polygon, Zones
from fencepost.errors import LateInputError

np = pytest.importorskip("numpy")
pa = pytest.importorskip("pyarrow")


def zones_of(count: int = 40, seed: int = 1) -> Zones:
    """Returns zones: `count` circles around a centre (some with a dwell), a polygon, a corridor and a beacon."""
    draw = random.Random(seed)
    zones = Zones()
    for number in range(count):
        place = Circle(draw.uniform(-0.01, 0.01), draw.uniform(-0.01, 0.01), draw.uniform(50, 500))
        zones.add(place, f"circle {number}", policy=draw.choice(["exact", "standard"]), tag=number)
    square = [(0, 0), (0, 0.004), (0.004, 0.004), (0.004, 0)]
    zones.add(Polygon(square, order="latlon", edges="geodesic"), "square", policy="exact")
    zones.add(
        Corridor([(-0.01, 0), (0.01, 0.002)], 80, order="latlon", edges="geodesic"),
        "road",
        policy="exact",
    )
    zones.add(Beacon(UUID), "desk")
    return zones


class Row:
    """A row of a walk."""

    def __init__(self, device: str, latitude: float, longitude: float, time: int, accuracy: float) -> None:
        self.device, self.latitude, self.longitude = device, latitude, longitude
        self.time, self.accuracy = time, accuracy


def walks(devices: int = 7, count: int = 600, seed: int = 2) -> list[Row]:
    """Returns fixes that alternate between several devices: some fixes are late, some are inaccurate, and some have no
    position."""
    draw = random.Random(seed)
    places = [[draw.uniform(-0.01, 0.01), draw.uniform(-0.01, 0.01)] for _ in range(devices)]
    rows = []
    for step in range(count):
        number = draw.randrange(devices)
        place = places[number]
        place[0] += draw.uniform(-0.002, 0.002)
        place[1] += draw.uniform(-0.002, 0.002)
        late = draw.random() < 0.03
        accuracy = draw.choice([0, 5, 20, 300, -1 if draw.random() < 0.1 else 10])
        rows.append(Row(f"d{number}", *place, (step * 5 - (200 if late else 0)) * SECOND, accuracy))
    return rows


def alone(zones: Zones, rows: list[Row]) -> list[tuple[str, int, str]]:
    """Feeds each device's rows to a separate monitor. Returns the device, the row number and the JSON text of each
    event."""
    monitors: dict[str, Monitor] = {}
    found = []
    for number, row in enumerate(rows):
        monitor = monitors.get(row.device)
        if monitor is None:
            monitor = monitors[row.device] = Monitor(initial_fix_max_age=None)
            monitor.sync(zones, assuming="unsatisfied")
        try:
            monitor.feed(Fix(row.latitude, row.longitude, row.accuracy, time=row.time))
        except LateInputError:
            pass
        found += [(row.device, number, event.to_json()) for event in monitor.events()]
    return found


def reported(fleet: Fleet) -> list[tuple[str, int, str]]:
    return [(event.device, event.row, super(DeviceEvent, event).to_json()) for event in fleet.events()]


def columns(rows: list[Row]) -> dict[str, Any]:
    return {
        "latitude": np.array([row.latitude for row in rows]),
        "longitude": np.array([row.longitude for row in rows]),
        "accuracy": np.array([row.accuracy for row in rows], float),
        "time": np.array([row.time for row in rows]),
    }


def names(rows: list[Row]) -> list[str]:
    return [row.device for row in rows]


def table(rows: list[Row], device: Any = None) -> Any:
    held = columns(rows)
    return pa.table(
        {
            "vehicle": pa.array(names(rows)) if device is None else device,
            "lat": held["latitude"],
            "lon": held["longitude"],
            "accuracy": held["accuracy"],
            "time": pa.array(held["time"], pa.timestamp("us", "UTC")),
        }
    )
