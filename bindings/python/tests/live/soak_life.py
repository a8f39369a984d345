"""Runs a watch once; before the run, phones have published messages for up to a year. The watch starts after the last
acknowledged message, and runs to the end or until it is killed. ``test_watch_soak.py`` runs this program."""

from __future__ import annotations

import json
import logging
import os
import sys
from pathlib import Path

from fencepost import Fleet, TransitionPolicy, Zones
from fencepost._files.condition_files import read_conditions
from fencepost._live.device_lines import read_message
from fencepost._live.lines import LineError
from fencepost._live.notices import Notices
from fencepost._live.sinks import AppendedFile, Sinks
from fencepost._live.watched_fleet import FleetWatch
from fencepost._live.waypoints import OwnersCircles
from fencepost._monitor.filling import sync_conditions

DEVICES = 20
START = 1_700_000_000
PLACES = ((0.0, 0.0), (0.0, 0.05), (0.05, 0.0), (0.1, 0.1))
MINUTE_STEPS = 60 * 24 * 7
"""Number of minutes in a week."""


def message(number: int) -> tuple[str, bytes]:
    """Returns the topic and the content of message number `number`. The devices publish in turn, each device once a
    minute; every 97th message is late, every 101st message is repeated, and every 997th message is invalid."""
    minute, device = divmod(number, DEVICES)
    topic = f"owntracks/user{device % 7}/phone{device}"
    if number % 997 == 996:
        return topic, b'{"_type": "location", "lat": NaN'
    if number % 97 == 96:
        minute -= 3
    elif number % 101 == 100:
        minute -= 1
    stay = (minute + 11 * device) // 43
    latitude, longitude = PLACES[(stay * 2_654_435_761 + device * 40_503) % 4]
    # Between two stays, the device is far from all places.
    if (minute + 11 * device) % 43 < 5:
        latitude += 0.02
    jitter = ((minute * 7_919 + device * 104_729) % 1_000 - 500) * 1e-6
    fix = {
        "_type": "location",
        "lat": latitude + jitter,
        "lon": longitude,
        "acc": 15,
        "tst": START + 60 * minute,
        "batt": minute % 100,
    }
    return topic, json.dumps(fix).encode()


def residents() -> int:
    """Returns the process's resident memory in bytes."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def handle_all(watch: FleetWatch) -> None:
    """Handles all events that wait. On a slow machine, one call of ``handle_events`` may end before that: it handles
    events for at most a second."""
    while watch.has_events or not watch.is_done:
        watch.handle_events()


def live(folder: Path, count: int) -> None:
    confirmed = os.open(folder / "confirmed", os.O_RDWR | os.O_CREAT)
    begin = int.from_bytes(os.pread(confirmed, 8, 0), "little")
    logger = logging.Logger("quiet")
    logger.disabled = True
    said = Notices(logger)
    rows = read_conditions(folder / "conditions.geojson", TransitionPolicy.standard())
    table = Zones()
    with Fleet(table, store=folder, name="fleet") as fleet:
        circles = OwnersCircles(table, TransitionPolicy.standard(), 100)
        sync_conditions(table, rows, "conditions.geojson", circles.definitions())
        file = AppendedFile(str(folder / "events.jsonl"), said)
        watch = FleetWatch(fleet, Sinks([file]), said, circles, lag=86_400.0, ahead=None)
        handle_all(watch)
        for number in range(begin, count):
            topic, payload = message(number)
            try:
                found = read_message(payload, "device", topic)
            except LineError as error:
                watch.counts[error.kind] += 1
            else:
                assert watch.feed(found)
                handle_all(watch)
            os.pwrite(confirmed, (number + 1).to_bytes(8, "little"), 0)
            if number % (DEVICES * MINUTE_STEPS) == 0:
                watch.pass_time()
                said.pass_time()
                descriptors = len(os.listdir("/proc/self/fd"))
                size = sum(each.stat().st_size for each in folder.glob("fleet.fencepost*"))
                with (folder / "weeks").open("a") as weeks:
                    weeks.write(f"{number} {residents()} {size} {descriptors}\n")
        file.close()


if __name__ == "__main__":
    live(Path(sys.argv[1]), int(sys.argv[2]))
