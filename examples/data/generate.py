"""Writes the demo data: a 1 Hz drive of about 40 minutes from Google's campus to Apple's headquarters.

    python3 generate.py [FOLDER]

The route is a plausible polyline along Shoreline Boulevard, US-101, CA-85 and I-280, not a recorded trip. The error of
the receiver is correlated in time (a first-order Gauss-Markov process), grows under overpasses and between buildings,
and is reported, imperfectly, in the accuracy column. The script uses only the standard library and a fixed seed: the
output is in the repository, and a test compares it.
"""

from __future__ import annotations

import json
import math
import random
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

SEED = 20240501
START = datetime(2024, 5, 1, 15, 30, 0, tzinfo=UTC)

GOOGLE = (37.422, -122.084058)
APPLE = (37.3270145, -122.0310273)

# Latitude, longitude, speed towards the next point in m/s, seconds of waiting at this one.
WAY = [
    (*GOOGLE, 7, 270),
    (37.42190, -122.08140, 9, 12),
    (37.42235, -122.07830, 9, 38),
    (37.42040, -122.07800, 12, 0),
    (37.41700, -122.07790, 11, 55),
    (37.41360, -122.07720, 17, 20),  # on to US-101
    (37.41060, -122.07240, 22, 0),
    (37.40720, -122.06790, 14, 0),  # CA-85, dense traffic
    (37.40280, -122.06900, 9, 0),
    (37.39700, -122.07130, 5, 0),
    (37.39050, -122.07180, 9, 35),
    (37.38400, -122.06960, 13, 0),
    (37.37730, -122.06750, 17, 0),  # below El Camino Real
    (37.36850, -122.06310, 12, 0),
    (37.35960, -122.05960, 8, 50),
    (37.35000, -122.05790, 15, 0),
    (37.34150, -122.05670, 20, 0),
    (37.33550, -122.05450, 15, 0),  # I-280
    (37.33350, -122.05000, 24, 0),
    (37.33280, -122.04200, 22, 0),
    (37.33330, -122.03440, 10, 0),  # De Anza Boulevard
    (37.33250, -122.03230, 11, 62),
    (37.33000, -122.03220, 10, 48),
    (37.32720, -122.03210, 6, 25),
    (*APPLE, 0, 480),
]

# Places with worse reception: latitude, longitude, radius in metres, factor for the error.
SHADOWS = [
    (37.41360, -122.07720, 120, 5.0),
    (37.37730, -122.06750, 90, 6.0),
    (37.33550, -122.05450, 150, 3.0),
    (*APPLE, 80, 2.5),
    (*GOOGLE, 60, 2.0),
]
# Gaps without fixes: start in seconds of the drive, length in seconds.
GAPS = [(1013, 14), (1702, 9)]

BEACON = "3d402d15-5d8c-4c0f-9ab4-6f0bd1f3d4a1"


def metres(origin: tuple[float, float], place: tuple[float, float]) -> tuple[float, float]:
    """East and north of a place near the origin, in metres."""
    radians = math.radians(origin[0])
    per_latitude = 111132.954 - 559.822 * math.cos(2 * radians)
    per_longitude = 111412.84 * math.cos(radians) - 93.5 * math.cos(3 * radians)
    return (place[1] - origin[1]) * per_longitude, (place[0] - origin[0]) * per_latitude


def moved(place: tuple[float, float], east: float, north: float) -> tuple[float, float]:
    """The place at a distance east and north of the origin, in metres."""
    per_east, per_north = metres(place, (place[0] + 1e-3, place[1] + 1e-3))
    return place[0] + north / per_north * 1e-3, place[1] + east / per_east * 1e-3


def drive() -> list[tuple[float, float, float]]:
    """The true latitude, longitude and speed at each second; braking and starting at 1.8 m/s^2."""
    samples: list[tuple[float, float, float]] = []
    speed = 0.0
    for index, (latitude, longitude, limit, wait) in enumerate(WAY):
        here = (latitude, longitude)
        if wait:
            speed = 0.0
        samples += [(*here, 0.0)] * wait
        if index + 1 == len(WAY):
            break
        following = WAY[index + 1]
        east, north = metres(here, following[:2])
        length, along = math.hypot(east, north), 0.0
        end_speed = 0.0 if following[3] else float(min(limit, following[2]))
        while along < length:
            braking = math.sqrt(end_speed**2 + 2 * 1.8 * (length - along))
            speed = max(1.0, min(speed + 1.8, float(limit), braking))
            along = min(along + speed, length)
            samples.append((*moved(here, east * along / length, north * along / length), speed))
    return samples


def observe(truth: list[tuple[float, float, float]]) -> list[tuple[datetime, float, float, float, float]]:
    """The receiver's reports: time, latitude, longitude, accuracy, speed."""
    source = random.Random(SEED)
    error_east = error_north = 0.0
    keep = math.exp(-1 / 45)  # the error forgets itself within 45 s
    factor = 1.0
    rows = []
    for second, (latitude, longitude, speed) in enumerate(truth):
        wanted = max(
            [f for lat, lon, within, f in SHADOWS if math.hypot(*metres((lat, lon), (latitude, longitude))) < within],
            default=1.0,
        )
        factor += (wanted - factor) * 0.2
        sigma = 3.2 * factor
        error_east = keep * error_east + math.sqrt(1 - keep**2) * source.gauss(0, sigma)
        error_north = keep * error_north + math.sqrt(1 - keep**2) * source.gauss(0, sigma)
        white_east, white_north = source.gauss(0, 0.4 * factor), source.gauss(0, 0.4 * factor)
        accuracy = max(3.0, 1.4 * sigma * source.uniform(0.85, 1.2))
        shown_speed = max(0.0, speed + source.gauss(0, 0.3))
        if any(begin <= second < begin + length for begin, length in GAPS):
            continue
        place = moved((latitude, longitude), error_east + white_east, error_north + white_north)
        rows.append((START + timedelta(seconds=second), *place, accuracy, shown_speed))
    return rows


def iso(when: datetime) -> str:
    return when.isoformat().replace("+00:00", "Z")


def csv_text(rows: list[tuple[datetime, float, float, float, float]]) -> str:
    lines = ["time,latitude,longitude,accuracy,speed"]
    lines += [f"{iso(when)},{lat:.7f},{lon:.7f},{accuracy:.1f},{speed:.1f}" for when, lat, lon, accuracy, speed in rows]
    return "\n".join(lines) + "\n"


def gpx_text(rows: list[tuple[datetime, float, float, float, float]]) -> str:
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<gpx version="1.1" creator="fencepost demo" xmlns="http://www.topografix.com/GPX/1/1">',
        "<trk><name>Google campus to Apple headquarters</name><trkseg>",
    ]
    lines += [
        f'<trkpt lat="{lat:.7f}" lon="{lon:.7f}"><time>{iso(when)}</time><hdop>{accuracy / 5:.1f}</hdop></trkpt>'
        for when, lat, lon, accuracy, _ in rows
    ]
    return "\n".join([*lines, "</trkseg></trk>", "</gpx>"]) + "\n"


def circle(identifier: str, place: tuple[float, float], radius: float, **properties: object) -> dict[str, object]:
    geometry = {"type": "Point", "coordinates": [place[1], place[0]]}
    return {
        "type": "Feature",
        "geometry": geometry,
        "properties": {"identifier": identifier, "radius": radius, **properties},
    }


# The district where the drive ends, without one block, and the motorway section in the middle of the drive.
CUPERTINO = [
    (37.3405, -122.0600), (37.3120, -122.0620), (37.3050, -122.0350), (37.3180, -122.0150), (37.3405, -122.0200),
]  # fmt: skip
BLOCK = [(37.3340, -122.0420), (37.3340, -122.0380), (37.3300, -122.0380), (37.3300, -122.0420)]
MOTORWAY = [place[:2] for place in WAY[7:17]]


def area(identifier: str, *rings: list[tuple[float, float]], **properties: object) -> dict[str, object]:
    coordinates = [[[longitude, latitude] for latitude, longitude in [*ring, ring[0]]] for ring in rings]
    geometry = {"type": "Polygon", "coordinates": coordinates}
    return {"type": "Feature", "geometry": geometry, "properties": {"identifier": identifier, **properties}}


def corridor(
    identifier: str, path: list[tuple[float, float]], radius: float, **properties: object
) -> dict[str, object]:
    geometry = {"type": "LineString", "coordinates": [[longitude, latitude] for latitude, longitude in path]}
    return {
        "type": "Feature",
        "geometry": geometry,
        "properties": {"identifier": identifier, "radius": radius, **properties},
    }


def conditions_text(*more: dict[str, object]) -> str:
    beacon = {
        "type": "Feature",
        "geometry": None,
        "properties": {"identifier": "apple lobby", "uuid": BEACON, "major": 1},
    }
    features = [
        circle("google campus", GOOGLE, 1000),
        circle("google car park", GOOGLE, 75, assuming="satisfied"),
        circle("shoreline crossing", (37.41700, -122.07790), 150),
        circle("85 at el camino", (37.37730, -122.06750), 200, policy="core_location"),
        circle("85 at fremont", (37.35000, -122.05790), 120, policy="exact"),
        circle("mountain view library", (37.39030, -122.08360), 200, assuming="unsatisfied"),
        circle(
            "de anza exit",
            (37.33330, -122.03440),
            100,
            policy={"entry_dwell": 5, "exit_dwell": 5, "notify": ["entry", "exit"]},
        ),
        circle("apple", APPLE, 1000),
        beacon,
        *more,
    ]
    rows = ",\n".join("  " + json.dumps(feature) for feature in features)
    return '{"type": "FeatureCollection", "features": [\n' + rows + "\n]}\n"


def sightings_text(end: int) -> str:
    """Scans every 5 s while parked at the end: a beacon for two minutes, a pause of the scanner, then silence."""
    source = random.Random(SEED + 1)
    lines = []
    begin = end - 400
    for second in range(begin, end, 5):
        when = iso(START + timedelta(seconds=second))
        if second == begin + 150:
            lines.append({"time": when, "scanning": False})
        if second == begin + 180:
            lines.append({"time": when, "scanning": True})
        if begin + 150 <= second < begin + 180:
            continue
        beacons = []
        if begin + 30 <= second < begin + 150 or begin + 205 <= second < begin + 260:
            if source.random() < 0.85:
                beacons.append({"uuid": BEACON, "major": 1, "minor": 7, "rssi": round(source.gauss(-72, 5))})
            if source.random() < 0.4:
                beacons.append({"uuid": BEACON, "major": 1, "minor": 9, "rssi": round(source.gauss(-84, 4))})
        lines.append({"time": when, "beacons": beacons})
    return "".join(json.dumps(line) + "\n" for line in lines)


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    truth = drive()
    rows = observe(truth)
    for name, text in (
        ("drive.csv", csv_text(rows)),
        ("drive.gpx", gpx_text(rows)),
        ("conditions.geojson", conditions_text()),
        (
            "places.geojson",
            conditions_text(
                area("cupertino", CUPERTINO, BLOCK, assuming="unsatisfied"),
                corridor("motorway 85", MOTORWAY, 60, assuming="unsatisfied"),
            ),
        ),
        ("sightings.jsonl", sightings_text(len(truth))),
    ):
        (folder / name).write_text(text, encoding="utf-8")
        print(folder / name, file=sys.stderr)


if __name__ == "__main__":
    main()
