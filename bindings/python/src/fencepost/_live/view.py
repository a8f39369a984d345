"""The data of the live page: the positions of the devices and the latest events. The code that feeds the fleet writes
this data, and the page's web server reads it."""

from __future__ import annotations

import json
import threading
import time
from bisect import bisect_right
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any

from .._files.tracks import FixRow
from .._fleet.fleet import Fleet
from .._native import FencepostError
from .._values.definitions import Definition
from .._values.events import distance_text
from .handling import key_of
from .live_event import LiveEvent

if TYPE_CHECKING:
    from .._values.schedule import Schedule

TRAIL = 60
EVENTS = 200
MOST_HOURS = 60
"""The largest number of intervals of a schedule that the page knows; it gets the next ones once a day."""
DAY = 86_400.0
MOST_VERTICES = 400
"""Maximum number of vertices of a drawn line; longer lines are thinned."""
_FIX, _ELLIPSE = 4, 7
"""The ends of the position with its accuracy and time, and of the error ellipse, in the row of a fix."""


@dataclass(slots=True)
class _Shown:
    """The data shown for a device."""

    version: int = 0
    fix: FixRow | None = None
    gone: bool = False
    inside: list[tuple[str, int | None]] = field(default_factory=list)
    trail: deque[tuple[float, float]] = field(default_factory=lambda: deque(maxlen=TRAIL))


class View:
    """The devices, places and latest events of a fleet, as the live page shows them. Each change has a version number,
    so a reader can request only the changes after the last version that it has received.

    Args:
        fleet: The fleet.
        is_others: A function that returns True if a condition does not apply to a device.
        counters: The counters by name.
        hours: Returns the schedules of conditions by identifier.

    Attributes:
        is_outdated: Whether the conditions have changed since their shapes were last computed.
    """

    def __init__(
        self,
        fleet: Fleet,
        is_others: Callable[[str, str], bool],
        counters: Callable[[], dict[str, float]],
        hours: Callable[[], Mapping[str, Schedule]] = dict,
    ) -> None:
        self._fleet, self._is_others, self._counters, self._hours = fleet, is_others, counters, hours
        self._schedules: list[list[list[float]]] = []
        self._lock = threading.Lock()
        self.version = 1
        self._devices: OrderedDict[str, _Shown] = OrderedDict()
        self._events: deque[tuple[int, dict[str, Any]]] = deque(maxlen=EVENTS)
        self._keys: deque[tuple[Any, ...]] = deque(maxlen=EVENTS)
        self._places, self._places_version = self._drawn(), 1
        self.is_outdated, self._drawn_at = False, time.monotonic()
        for device in fleet.devices:
            self._devices[device] = _Shown(1, inside=self._inside(device))

    # --------------------------------------------------------------------------- written by the watch

    def moved(self, device: str, row: FixRow | None) -> None:
        """Called when a device has a new fix; `row` is None if the device has disconnected."""
        with self._lock:
            shown = self._shown(device)
            if row is None:
                shown.gone = True
            else:
                shown.fix, shown.gone = row, False
                shown.trail.append((round(row[0], 6), round(row[1], 6)))

    def happened(self, handed: LiveEvent) -> None:
        """Records an event; an event that is delivered again is not recorded twice."""
        event, key = handed.event, key_of(handed)
        inside = self._inside(handed.device)
        shown_event = json.loads(handed.to_json()) | {"why": self._why(handed)}
        with self._lock:
            shown = self._shown(handed.device)
            shown.inside = inside
            if shown.fix is None and event.latitude is not None and event.longitude is not None:
                shown.fix = event.latitude, event.longitude, event.accuracy or 0.0, event.evidence_date_us or 0
            if key not in self._keys:
                self._keys.append(key)
                self._events.append((self.version, shown_event))

    def beat(self) -> float | None:
        """Recomputes the shapes of changed conditions, at most once a second; returns the seconds until the next call,
        or None."""
        if self._schedules and time.monotonic() > self._drawn_at + DAY:
            self.is_outdated = True
        if not self.is_outdated:
            return None
        if (left := self._drawn_at + 1.0 - time.monotonic()) > 0:
            return left
        self.is_outdated, self._drawn_at = False, time.monotonic()
        places = self._drawn()
        inside = {device: self._inside(device) for device in self._fleet.devices}
        with self._lock:
            self.version += 1
            self._places, self._places_version = places, self.version
            for device, found in inside.items():
                if (shown := self._devices.get(device)) is not None:
                    shown.inside = found
        return None

    def forgotten(self, devices: Iterable[str]) -> None:
        """Called when devices are no longer followed."""
        with self._lock:
            self.version += 1
            for device in devices:
                self._devices.pop(device, None)
            self._places_version = self.version  # a reader that still shows these devices must receive the full state

    def _shown(self, device: str) -> _Shown:
        self.version += 1
        shown = self._devices.get(device)
        if shown is None:
            shown = self._devices[device] = _Shown()
        self._devices.move_to_end(device)
        shown.version = self.version
        return shown

    def _inside(self, device: str) -> list[tuple[str, int | None]]:
        try:
            rows = self._fleet._handle.inside(device)
        except FencepostError:
            return []
        return [(row[0], row[3]) for row in rows if not self._is_others(row[0], device)]

    def _why(self, handed: LiveEvent) -> str:
        event = handed.event
        parts = [str(event.cause)]
        if event.boundary_distance is not None:
            parts.append(distance_text(event.boundary_distance))
        if event.accuracy:
            parts.append(f"accuracy {event.accuracy:.0f} m")
        decided = ", ".join(parts)
        try:
            return f"{decided}. Now {self._fleet[handed.device].explain(event.identifier)}."
        except FencepostError:
            return f"{decided}."

    def _drawn(self) -> list[dict[str, Any]]:
        table = self._fleet.conditions
        found = (table.get(identifier) for identifier in table.identifiers)
        places = [drawn for definition in found if definition is not None and (drawn := _drawing(definition))]
        self._schedules = _add_hours(places, self._hours(), time.time())
        return places

    # -------------------------------------------------------------------------- read by the server

    def since(self, version: int) -> dict[str, Any] | None:
        """The changes after a version, or None if nothing has changed. Returns the full state if `version` is 0, or
        if shapes have changed or devices were removed since that version."""
        with self._lock:
            found = self._since(version)
        if found is not None:
            found["counters"] = self._counters()
        return found

    def both(self, version: int) -> tuple[dict[str, Any] | None, dict[str, Any]]:
        """Returns the changes after a version, and the full state; both describe the same moment."""
        with self._lock:
            changed, whole = self._since(version), self._since(0)
        assert whole is not None
        whole["counters"] = self._counters()
        return None if changed is None else changed | {"counters": whole["counters"]}, whole

    def _since(self, version: int) -> dict[str, Any] | None:
        if self.version <= version:
            return None
        is_whole = version < self._places_version
        found: dict[str, Any] = {"version": self.version, "devices": {}, "events": []}
        if is_whole:
            version = 0
            found["places"] = self._places
            found["schedules"] = self._schedules
        for device, shown in reversed(self._devices.items()):
            if shown.version <= version:
                break
            trail = list(shown.trail) if is_whole else list(shown.trail)[-1:]
            found["devices"][device] = {
                "fix": None if shown.fix is None else _fix(shown.fix),
                "heights": None if shown.fix is None else _heights(shown.fix),
                "gone": shown.gone,
                "inside": shown.inside,
                "trail": trail,
            }
        found["events"] = [event for number, event in self._events if number > version]
        return found


def _drawing(definition: Definition) -> dict[str, Any] | None:
    """The shape of a condition for the page, or None if the condition has no location."""
    condition: Any = definition.condition
    place: dict[str, Any] = {"id": definition.identifier}
    if definition.band is not None:
        place["band"] = definition.band.described
    if hasattr(condition, "latitude"):
        return place | {"at": [condition.latitude, condition.longitude], "radius": condition.radius}
    geometry = getattr(condition, "__geo_interface__", None)
    if geometry is None:
        return None
    rings = _lines(geometry["coordinates"])
    radius = getattr(condition, "radius", 0) or 0
    closed = geometry["type"] in ("Polygon", "MultiPolygon")
    return place | {"lines": [_thinned(ring) for ring in rings], "closed": closed, "radius": radius}


def _fix(row: FixRow) -> list[float | None]:
    """The position, accuracy and time of a fix, and its error ellipse if it has one. A row with heights but without an
    ellipse contains NaN, which JSON cannot represent."""
    ellipse = row[_FIX:_ELLIPSE]
    return [*map(_number, row[:_FIX]), *(ellipse if all(map(isfinite, ellipse)) else ())]


def _heights(row: FixRow) -> list[float | None] | None:
    """The altitude of a fix, its accuracy, and the heights of the geoid and the ground; None if the fix has no
    altitude. A missing height is None."""
    heights = list(map(_number, row[_ELLIPSE:]))
    return heights if heights and heights[0] is not None else None


def _number(value: float) -> float | None:
    return value if isfinite(value) else None


def _add_hours(places: list[dict[str, Any]], hours: Mapping[str, Schedule], now: float) -> list[list[list[float]]]:
    """Sets the key ``hours`` of each place with a schedule to the number of its schedule. Returns the schedules: pairs
    of seconds since 1970, from yesterday on. Many places share one schedule."""
    found: list[list[list[float]]] = []
    numbers: dict[tuple[tuple[int, int], ...], int] = {}
    for place in places:
        schedule = hours.get(place["id"])
        if schedule is None:
            continue
        number = numbers.get(schedule.intervals_us)
        if number is None:
            number = numbers[schedule.intervals_us] = len(found)
            first = bisect_right(schedule.intervals_us, round((now - DAY) * 1e6), key=lambda interval: interval[1])
            rows = schedule.intervals_us[first : first + MOST_HOURS]
            found.append([[start / 1e6, end / 1e6] for start, end in rows])
        place["hours"] = number
    return found


def _lines(coordinates: Any) -> list[Any]:
    """Returns the lines of a geometry from its coordinates, however deeply the lines are nested."""
    if coordinates and isinstance(coordinates[0][0], int | float):
        return [coordinates]
    return [line for part in coordinates for line in _lines(part)]


def _thinned(line: Any) -> list[tuple[float, float]]:
    step = -(-len(line) // MOST_VERTICES)
    return [(point[1], point[0]) for point in (*line[:-1:step], line[-1])]
