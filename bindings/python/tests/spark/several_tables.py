"""Random rows of devices that name several tables and also see beacons. The expected events come from feeding each
device's rows one by one to a fleet that has only this device."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterable
from typing import Any

from fencepost import Beacon, BeaconSighting, Circle, Fix, Fleet, Zones
from fencepost.errors import InvalidArgumentError, LateInputError

SECOND = 1_000_000
UUID = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"
Row = tuple[str, float, float, float, int, bytes | None, str | None]
"""A row: device, latitude, longitude, accuracy, time, the digest of the table that the row names, and a scan report in
JSON."""
Tables = dict[bytes | None, Zones]


def places(seed: int, count: int = 24) -> list[tuple[str, Any, str]]:
    draw = random.Random(seed)
    found: list[tuple[str, Any, str]] = []
    for number in range(count):
        circle = Circle(draw.uniform(-0.01, 0.01), draw.uniform(-0.01, 0.01), draw.uniform(60, 400))
        found.append((f"z{number}", circle, draw.choice(["exact", "standard"])))
    return [*found, *((f"b{major}", Beacon(UUID, major), "standard") for major in range(3))]


def table(listed: Iterable[tuple[str, Any, str]]) -> Zones:
    found = Zones()
    for identifier, condition, policy in listed:
        found.add(condition, identifier, **({} if identifier[0] == "b" else {"policy": policy}))
    return found


def versions(seed: int) -> Tables:
    """Returns three tables: the stream's own table; a table that lacks some of its conditions and has others in
    addition; and a table that lists conditions in another order and defines some of them differently."""
    first, other = places(seed), [(f"n{name}", *rest) for name, *rest in places(seed + 1, 9) if name[0] == "z"]
    redefined = [(name, Circle(0.002, 0.001, 300), "exact") for name, *_ in first[:4]]
    found: Tables = {None: table(first)}
    for listed in (first[4:] + other, other[3:] + redefined + first[8:][::-1]):
        one = table(listed)
        found[one.version.digest] = one
    return found


def walks(draw: random.Random, names: list[bytes | None], devices: int = 5, steps: int = 70) -> list[Row]:
    """Returns rows in time order: some are fixes, some are scan reports, some are both, and some are invalid. Some rows
    change the device's table, and later rows may change it again."""
    at = {f"v{number}": [0.0, 0.0] for number in range(devices)}
    version = dict.fromkeys(at, names[0])
    found: list[Row] = []
    for step, device in itertools.product(range(steps), at):
        for axis in (0, 1):
            at[device][axis] += draw.gauss(0, 0.001)
        if draw.random() < 0.08:
            version[device] = draw.choice(names)
        odd, beacons = draw.random() if step else 0.5, None  # the first row has a position; later rows may lack one
        if odd < 0.3:
            seen = [{"uuid": UUID, "major": draw.randrange(4), "minor": 1, "rssi": -60}] * draw.randrange(3)
            beacons = json.dumps(seen)
        elif odd < 0.33:
            beacons = draw.choice(
                ['[{"uuid":"?","major":1,"minor":1}]', "[{}]", '[{"uuid":"%s","major":70000}]' % UUID]
            )
        latitude = 95.0 if odd > 0.97 else at[device][0]
        accuracy = draw.choice([0.0, 5.0, 40.0, -1.0]) if odd > 0.9 else 5.0
        time = (step * 10 + draw.choice([0, 0, 3])) * SECOND
        found.append((device, latitude, at[device][1], accuracy, time, version[device], beacons))
    return sorted(found, key=lambda row: row[4])


def alone(tables: Tables, rows: list[Row], to_us: int, **options: Any) -> list[Any]:
    """Feeds each device's rows one by one to fleets with these options, and returns the events. When a row names a
    different table than the row before it, the device moves to a fleet with that table."""
    found: list[Any] = []
    for device in {row[0] for row in rows}:
        fleet: Fleet | None = None
        at: bytes | None = None
        for _, latitude, longitude, accuracy, time, version, beacons in (row for row in rows if row[0] == device):
            if fleet is None or at != version:
                after = Fleet(tables[version], **options)
                if fleet is not None and device in fleet:
                    pass_time(fleet, device, time - 1)
                    found += reported(fleet)
                    after.load({device: fleet.export([device], portable=True)[0]}, adapt=True)
                fleet, at = after, version
            try:
                if beacons is None:
                    fleet.feed(device, Fix(latitude, longitude, accuracy=accuracy, time=time))
                else:
                    seen = [BeaconSighting(one["uuid"], one["major"], one["minor"]) for one in json.loads(beacons)]
                    fleet.feed_sightings(device, seen, time=time)
            except (InvalidArgumentError, LateInputError, KeyError):
                pass
        assert fleet is not None
        pass_time(fleet, device, to_us)
        found += reported(fleet)
    return sorted(found)


def pass_time(fleet: Fleet, device: str, until: int) -> None:
    while device in fleet and (due := fleet[device].next_deadline_us) is not None and due <= until:
        fleet.advance(due, device=device)


def reported(fleet: Fleet) -> list[Any]:
    return [
        (each.device, each.sequence, each.identifier, str(each.state), each.date_us, each.generation)
        for each in fleet.events()
    ]
