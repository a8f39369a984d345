"""Helpers that the tests of ``fencepost watch`` share: a clock that the test sets, a watch with one circle, fixes as
JSON, and positions in gpsd's format."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fencepost import Circle, Event, Monitor
from fencepost._live.notices import Notices
from fencepost._live.watched_monitor import Watch

START = 1_700_000_000
"""The time of the first fix, in seconds since 1970."""
LONGEST = 180.0
"""Timeout of every wait, in seconds."""


class Clock:
    """A clock in seconds that the test moves."""

    def __init__(self, now: float = 1000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def circles(path: Path, **radii: float) -> Path:
    """Writes a conditions file with concentric circles that have the given radii in metres; their policy has no dwell
    and no margin."""
    features = [
        {
            "type": "Feature",
            "geometry": {"type": "Point", "coordinates": [0, 0]},
            "properties": {"identifier": name, "radius": radius, "policy": "exact"},
        }
        for name, radius in radii.items()
    ]
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return path


def line(second: float, longitude: float = 0.0) -> str:
    """Returns a fix as a line of JSON."""
    fix = {"latitude": 0, "longitude": longitude, "accuracy": 5, "time": START + second}
    return json.dumps(fix) + "\n"


def lines(*steps: tuple[float, float]) -> str:
    """Returns one line of JSON for each pair of a second and a longitude."""
    return "".join(line(second, longitude) for second, longitude in steps)


def report(second: int, longitude: float, device: str | None = None) -> bytes:
    """Returns a position in gpsd's format."""
    values: dict[str, Any] = {"class": "TPV", "mode": 3, "lat": 0, "lon": longitude, "eph": 5}
    values["time"] = f"2023-11-14T22:13:{20 + second}.000Z"
    if device is not None:
        values["device"] = device
    return json.dumps(values).encode() + b"\r\n"


class _Told(logging.Handler):
    """Passes each message to a function."""

    def __init__(self, hear: Callable[[str], object]) -> None:
        super().__init__()
        self._hear = hear

    def emit(self, record: logging.LogRecord) -> None:
        self._hear(record.getMessage())


def notices_to(hear: Callable[[str], object], monotonic: Callable[[], float] = time.monotonic) -> Notices:
    """Returns a `Notices` object that passes its messages to a function."""
    logger = logging.Logger("test")
    logger.addHandler(_Told(hear))
    return Notices(logger, monotonic)


class Watched:
    """A watch of a monitor with the circle "office"; the test sets the watch's clock. Collects the watch's messages and
    the events that the watch handles."""

    def __init__(self, monitor: Monitor | None = None, **options: object) -> None:
        self.clock = Clock()
        self.wall_ahead = 0.0
        self.said: list[str] = []
        self.seen: list[Event] = []
        self.monitor = Monitor() if monitor is None else monitor
        if "office" not in self.monitor:
            self.monitor.add(Circle(0, 0, 200), "office", policy="exact")
        self.notices = notices_to(self.said.append, self.clock)
        self.watch = Watch(self.monitor, self.handle, self.notices, monotonic=self.clock, wall=self.wall, **options)  # type: ignore[arg-type]

    def wall(self) -> float:
        return START + self.clock.now + self.wall_ahead

    def handle(self, event: Event) -> bool:
        self.seen.append(event)
        return True

    def feed(self, late: float = 0.0, longitude: float = 0.0, accuracy: float = 5.0, passes: float = 1.0) -> None:
        """Moves the clock by `passes` seconds, then feeds a fix whose time is `late` seconds behind the true time."""
        self.clock.now += passes
        assert self.watch.feed((0.0, longitude, accuracy, round((START + self.clock.now - late) * 1e6)), "it")
        self.watch.pass_time()
        self.watch.handle_events()
        self.notices.pass_time()

    @property
    def states(self) -> list[str]:
        return [str(event.state) for event in self.seen]


def is_gone(pid: int) -> bool:
    """Waits for a process to end; returns True if the process ended within the time limit. A zombie process counts as
    ended."""
    end = time.monotonic() + LONGEST
    while time.monotonic() < end:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.01)
    return False
