"""Reminders at places: the program shows a note when the device arrives at a place, or when it leaves. The reminders
are kept in a store.

    reminders.py DIR add NOTE LATITUDE LONGITUDE RADIUS [--on-exit]
    reminders.py DIR list
    reminders.py DIR delete NOTE
    reminders.py DIR play FILE.gpx [--speed M/S] [--start 2024-05-01T09:00:00Z] [--accelerate N] [--die-after FIXES]
    reminders.py        # a demonstration in a directory of its own

A reminder is a condition whose identifier is the note; the condition's policy selects arrivals or departures. The
program needs no table of its own, because the monitor contains all reminders. `play` continues where the previous run
stopped, even if that run was killed.
"""

import argparse
import dataclasses
import itertools
import os
import signal
import subprocess
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path
from typing import Any

import gpxpy
from gpxpy.gpx import GPXException

from fencepost import (
    Circle,
    FencepostError,
    Fix,
    Monitor,
    Notify,
    State,
    TransitionPolicy,
    geodesic,
)

MOST = 20
# Metres. Fixes are not accurate enough for a smaller radius, and a region with a larger radius is no longer a single
# place.
SMALLEST, LARGEST = 100, 1_000


def say(line: str) -> None:
    print(line, flush=True)  # flushed, so that the note is visible even if the program is killed right after


def add(monitor: Monitor, note: str, latitude: float, longitude: float, radius: float, on_exit: bool) -> None:
    if note not in monitor and len(monitor) >= MOST:
        say(f"not added: {note}: there are {MOST} reminders already; delete one first")
        return
    circle = Circle(latitude, longitude, max(SMALLEST, min(radius, LARGEST)))
    notify = Notify.EXIT if on_exit else Notify.ENTRY
    monitor.add(circle, note, policy=dataclasses.replace(TransitionPolicy.standard(), notify=notify))
    say(f"added: {note}")


def delete(monitor: Monitor, note: str) -> None:
    say(f"deleted: {note}" if note in monitor and monitor.remove(note) else f'there is no reminder "{note}"')


def show(monitor: Monitor) -> None:
    for record in sorted(monitor.records(), key=lambda record: record.identifier):
        when = "on leaving" if record.policy.notify == Notify.EXIT else "on arriving"
        circle = record.condition
        assert isinstance(circle, Circle)
        say(f"{when} {circle.radius:g} m around {circle.latitude}, {circle.longitude}: {record.identifier}")
    say(f"{len(monitor)} of {MOST}")


def tell(monitor: Monitor) -> None:
    for event in monitor.events():  # the next call acknowledges this event
        what = "arriving" if event.state == State.SATISFIED else "leaving"
        say(f"{event.date:%Y-%m-%dT%H:%M:%SZ} {what}: {event.identifier}")


def play(monitor: Monitor, fixes: list[Fix], accelerate: float | None, die_after: int | None) -> None:
    tell(monitor)  # show the notes that an earlier run left over
    before = None
    for number, fix in enumerate(fixes, 1):
        # Skip the fixes of an earlier run: only fixes later than the monitor's clock are new.
        if monitor.clock_us is not None and fix.time_us <= monitor.clock_us:
            continue
        if accelerate and before is not None:
            time.sleep((fix.time_us - before) / 1e6 / accelerate)
        before = fix.time_us
        monitor.feed(fix)
        tell(monitor)
        if number == die_after:
            os.kill(os.getpid(), signal.SIGKILL)


def read(file: str, speed: float | None, start: datetime) -> list[Fix]:
    """The fixes of the tracks, or of the waypoints if there are no tracks. If any point lacks a time, the device moves
    from point to point at the given speed, with one fix per second."""
    with open(file, encoding="utf-8") as stream:
        gpx: Any = gpxpy.parse(stream)
    points: list[Any] = [
        point for track in gpx.tracks for segment in track.segments for point in segment.points
    ] or gpx.waypoints
    timed = [Fix(point.latitude, point.longitude, accuracy=10, time=point.time) for point in points if point.time]
    if len(timed) == len(points):
        return timed
    if not speed:
        raise ValueError(f"{file}: the points have no times; give --speed METRES_PER_SECOND")
    places: list[tuple[float, float]] = [(point.latitude, point.longitude) for point in points]
    way = [places[0]]
    for here, there in itertools.pairwise(places):
        line = geodesic.inverse(*here, *there)
        for second in range(1, int(line.distance / speed) + 1):
            reached = geodesic.direct(*here, line.azimuth1, second * speed)
            way.append((reached.latitude, reached.longitude))
        way.append(there)
    first = int(start.timestamp()) * 1_000_000
    return [Fix(*place, accuracy=10, time=first + second * 1_000_000) for second, place in enumerate(way)]


def moment(text: str) -> datetime:
    value = datetime.fromisoformat(text)
    if value.tzinfo is None:
        raise argparse.ArgumentTypeError(f"{text} has no time zone")
    return value


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Reminders bound to places.")
    parser.add_argument("directory")
    commands = parser.add_subparsers(dest="command", required=True)
    adding = commands.add_parser("add")
    adding.add_argument("note")
    for name in ("latitude", "longitude", "radius"):
        adding.add_argument(name, type=float)
    adding.add_argument("--on-exit", action="store_true")
    commands.add_parser("list")
    commands.add_parser("delete").add_argument("note")
    playing = commands.add_parser("play")
    playing.add_argument("file")
    playing.add_argument("--speed", type=float, help="metres a second, for way points without times")
    playing.add_argument("--start", type=moment, default="2024-05-01T09:00:00Z", help="their first time")
    playing.add_argument("--accelerate", type=float, help="play N times as fast as it was; without it: at once")
    playing.add_argument("--die-after", type=int, help="end without a word after so many fixes")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    try:
        with Monitor("reminders", store=options.directory, condition_limit=MOST) as monitor:
            match options.command:
                case "add":
                    add(monitor, options.note, options.latitude, options.longitude, options.radius, options.on_exit)
                case "list":
                    show(monitor)
                case "delete":
                    delete(monitor, options.note)
                case _:  # play
                    fixes = read(options.file, options.speed, options.start)
                    play(monitor, fixes, options.accelerate, options.die_after)
    except (FencepostError, ValueError, OSError, GPXException) as error:
        sys.exit(f"reminders: {error}")


WALK = """<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1">
<wpt lat="37.3270" lon="-122.0310"/><wpt lat="37.3773" lon="-122.0675"/><wpt lat="37.39" lon="-122.0675"/>
</gpx>
"""


def demonstration() -> None:
    drive = Path(__file__).parent.parent / "data" / "drive.gpx"
    with tempfile.TemporaryDirectory() as folder:

        def run(*command: object) -> None:
            ended = subprocess.run(
                [sys.executable, __file__, folder, *map(str, command)], stderr=subprocess.PIPE, text=True
            )
            if ended.stderr:
                say(ended.stderr.strip().replace(folder, "DIR"))

        run("add", "Lock the bicycle", 37.4220, -122.0841, 75, "--on-exit")
        run("add", "Post the letter", 37.3773, -122.0675, 200)
        run("add", "Visit the library", 37.3903, -122.0836, 5000)
        run("add", "Ask for Tim", 37.3270, -122.0310, 300)
        run("list")
        run("delete", "Visit the library")
        run("delete", "Visit the moon")
        say("-- played until it is killed")
        run("play", drive, "--die-after", 1400)
        say("-- played again")
        run("play", drive, "--accelerate", 100_000)
        say("-- a walk back, by way points")
        walk = Path(folder, "walk.gpx")
        walk.write_text(WALK)
        run("play", walk)
        run("play", walk, "--speed", 10, "--start", "2024-05-02T09:00:00Z")
        say("-- too many")
        with Monitor("reminders", store=folder, condition_limit=MOST) as monitor:
            for number in range(len(monitor) + 1, MOST + 1):
                add(monitor, f"note {number}", 10.0, float(number), 100.0, False)
        run("add", f"note {MOST + 1}", 10, MOST + 1, 100)


if __name__ == "__main__":
    main() if len(sys.argv) > 1 else demonstration()
