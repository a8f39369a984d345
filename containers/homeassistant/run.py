#!/usr/bin/env python3
"""Starts `fencepost watch` with the options of the add-on and the broker of Home Assistant.

For tests and other supervisors, environment variables replace these defaults: FENCEPOST_DATA (/data), FENCEPOST_CONFIG
(/config) and FENCEPOST_SUPERVISOR (http://supervisor). If FENCEPOST_MQTT_ADDRESS is set, the supervisor is not queried.
"""

from __future__ import annotations

import json
import os
import sys
import urllib.request
from pathlib import Path
from typing import Any, NoReturn


def fail(text: str) -> NoReturn:
    sys.exit(f"fencepost add-on: {text}")


def broker() -> tuple[str, str, str]:
    """The address of the broker, the user and the password."""
    if address := os.environ.get("FENCEPOST_MQTT_ADDRESS"):
        return address, os.environ.get("FENCEPOST_MQTT_USER", ""), os.environ.get("FENCEPOST_MQTT_PASSWORD", "")
    supervisor = os.environ.get("FENCEPOST_SUPERVISOR", "http://supervisor")
    request = urllib.request.Request(
        f"{supervisor}/services/mqtt", headers={"Authorization": f"Bearer {os.environ.get('SUPERVISOR_TOKEN', '')}"}
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            service = json.load(answer)["data"]
        scheme = "mqtts" if service.get("ssl") else "mqtt"
        return (
            f"{scheme}://{service['host']}:{service['port']}",
            service.get("username") or "",
            service.get("password") or "",
        )
    except (OSError, ValueError, KeyError) as error:
        fail(f"the supervisor names no MQTT broker ({error}); install the add-on Mosquitto broker and start it first")


def places(options: dict[str, Any], data: Path, config: Path) -> Path:
    """The path of the file of conditions: the file named in the options, else a file made from the list in the
    options."""
    if name := options.get("places_file"):
        path = config / name
        if not path.is_file():
            fail(f"places_file: {path} does not exist; put it into the folder of the add-on's configuration")
        return path
    listed = options.get("places") or []
    if not listed:
        fail("places: the list is empty; add a place, or name a file in places_file")
    features = []
    for number, place in enumerate(listed, 1):
        latitude, longitude, radius = (float(place.get(key, 0)) for key in ("latitude", "longitude", "radius"))
        for key, value, limit in (("latitude", latitude, 90), ("longitude", longitude, 180)):
            if not abs(value) <= limit:
                fail(f"places: number {number}: {key} is {value}; must be from -{limit} to {limit}")
        if not radius > 0:
            fail(f"places: number {number}: radius is {radius}; must be above 0 metres")
        features.append({
            "type": "Feature",
            "geometry": {"type": "Point", "coordinates": [longitude, latitude]},
            "properties": {"identifier": str(place.get("name", "")), "radius": radius},
        })  # fmt: skip
    path = data / "places.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}), encoding="utf-8")
    return path


def main() -> NoReturn:
    data = Path(os.environ.get("FENCEPOST_DATA", "/data"))
    config = Path(os.environ.get("FENCEPOST_CONFIG", "/config"))
    options = json.loads((data / "options.json").read_text(encoding="utf-8"))
    topics = options.get("topics") or []
    if not topics:
        fail("topics: the list is empty; OwnTracks publishes below owntracks/#")
    conditions = places(options, data, config)
    address, user, password = broker()
    command = ["fencepost", "watch", "--conditions", str(conditions), "--store", str(data)]
    for topic in topics:
        command += ["--source", f"{address}/{topic}"]
    command += ["--publish", address, "--publish-format", "homeassistant"]
    if options.get("expire_days"):
        command += ["--expire", str(options["expire_days"])]
    if options.get("unknown_accuracy"):
        command += ["--unknown-accuracy", str(options["unknown_accuracy"])]
    if user:
        # Pass the password in the environment, which other users cannot read; arguments are public.
        os.environ.update(FENCEPOST_MQTT_USER=user, FENCEPOST_MQTT_PASSWORD=password)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
