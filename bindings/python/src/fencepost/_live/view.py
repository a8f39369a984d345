"""The data of the live page: the positions of the devices, the latest events, and the states of rules. The code that
feeds the devices writes this data, and the page's web server reads it."""

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
from .._values.definitions import Definition
from .._values.events import distance_text
from .._values.records import Record
from .handling import key_of
from .live_event import EventOfOne, LiveEvent
from .shown import Shown
from .view_rules import ViewedRules

if TYPE_CHECKING:
    from .._values.schedule import Schedule

TRAIL = 60
EVENTS = 200
MOST_HOURS = 60
"""The largest number of intervals of a schedule that the page knows; it gets the next ones once a day."""
DAY = 86_400.0
BETWEEN_STATES = 0.5
"""The least number of seconds between two looks at the states of rules and their parts."""
STATES_S = 0.02
"""After this many seconds, such a look does not continue with another device; the next look does."""
REST = 20
"""The time between two looks is at least this many times the duration of a look, so that many parts do not stop the
watch."""
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
    states: str = ""
    """The states of rules and parts, see :meth:`ViewedRules.states`."""
    states_of: tuple[int | None, int] = (None, 0)
    """The clock of the device and the version of the places with which the states were determined."""
    deciders: dict[str, str] = field(default_factory=dict)
    """For each rule with an event, the part that decided the last event."""


class View:
    """The devices, places, rules and latest events of a watch, as the live page shows them. Each change has a version
    number, so a reader can request only the changes after the last version that it has received.

    Args:
        shown: The devices and conditions.
        counters: The counters by name.
        hours: Returns the schedules of conditions by identifier.

    Attributes:
        is_outdated: Whether the conditions have changed since their shapes were last computed.
    """

    def __init__(
        self,
        shown: Shown,
        counters: Callable[[], dict[str, float]],
        hours: Callable[[], Mapping[str, Schedule]] = dict,
    ) -> None:
        self._shown_by, self._counters, self._hours = shown, counters, hours
        self._schedules: list[list[list[float]]] = []
        self._lock = threading.Lock()
        self.version = 1
        self._devices: OrderedDict[str, _Shown] = OrderedDict()
        self._events: deque[tuple[int, dict[str, Any]]] = deque(maxlen=EVENTS)
        self._keys: deque[tuple[Any, ...]] = deque(maxlen=EVENTS)
        self._generations: dict[int, str | None] = {}
        self._places, self._rules = self._drawn()
        self._places_version = 1
        self.is_outdated, self._drawn_at = False, time.monotonic()
        self._states_at, self._unseen = 0.0, deque[str]()
        for device in shown.devices():
            self._devices[device] = _Shown(1, inside=self._inside(device), deciders=self._last_deciders(device))

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

    def happened(self, handed: LiveEvent | EventOfOne) -> None:
        """Records an event; an event that is delivered again is not recorded twice."""
        event, key = handed.event, key_of(handed)
        self._shown_by.happened(event)
        inside, decider = self._inside(handed.device), self._decider(event.decided_by)
        shown_event = json.loads(handed.to_json()) | {"device": handed.device, "why": self._why(handed)}
        if decider is not None:
            shown_event["decider"] = decider
        with self._lock:
            shown = self._shown(handed.device)
            if decider is not None:
                shown.deciders[event.identifier] = decider
            else:
                shown.deciders.pop(event.identifier, None)  # for example, the hours of the rule have ended
            shown.inside = inside
            if shown.fix is None and event.latitude is not None and event.longitude is not None:
                shown.fix = event.latitude, event.longitude, event.accuracy or 0.0, event.evidence_date_us or 0
            if key not in self._keys:
                self._keys.append(key)
                self._events.append((self.version, shown_event))

    def beat(self) -> float | None:
        """Recomputes the shapes of changed conditions, at most once a second, and the states of rules; returns the
        seconds until the next call, or None."""
        left = self._beat_places()
        return min((each for each in (left, self._beat_rules()) if each is not None), default=None)

    def _beat_places(self) -> float | None:
        if self._schedules and time.monotonic() > self._drawn_at + DAY:
            self.is_outdated = True
        if not self.is_outdated:
            return None
        if (left := self._drawn_at + 1.0 - time.monotonic()) > 0:
            return left
        self.is_outdated, self._drawn_at = False, time.monotonic()
        places, rules = self._drawn()
        inside = {device: self._inside(device, rules) for device in self._shown_by.devices()}
        self._states_at = 0.0
        self._unseen.clear()
        with self._lock:
            self.version += 1
            self._places, self._rules, self._places_version = places, rules, self.version
            for shown in self._devices.values():
                shown.states = ""  # the digits are those of other rules
            for device, found in inside.items():
                if (known := self._devices.get(device)) is not None:
                    known.inside = found
        return None

    def _beat_rules(self) -> float | None:
        """Determines the states of rules and parts for the devices whose clock has moved. States change without an
        event, too: a silent part has none, and a rule may become unknown."""
        if not self._rules:
            return None
        now = time.monotonic()
        if (left := self._states_at - now) > 0:
            return left
        if not self._unseen:
            self._unseen.extend(self._devices)
        while self._unseen and time.monotonic() < now + STATES_S:
            device = self._unseen.popleft()
            of = self._shown_by.clock(device), self._places_version
            if (shown := self._devices.get(device)) is None or shown.states_of == of:
                continue
            states = self._rules.states(self._shown_by, device)
            inside = self._inside(device)
            with self._lock:
                shown.states_of = of
                if (shown.states, shown.inside) != (states, inside):
                    self._shown(device)
                    shown.states, shown.inside = states, inside
        end = time.monotonic()
        pause = max(BETWEEN_STATES, REST * (end - now))
        self._states_at = end + pause
        return pause

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

    def _inside(self, device: str, rules: ViewedRules | None = None) -> list[tuple[str, int | None]]:
        """The places, without the rules."""
        but = self._rules if rules is None else rules
        return [row for row in self._shown_by.inside(device) if row[0] not in but]

    def _decider(self, generation: int | None) -> str | None:
        """The identifier of the part with a generation; None if it was removed or replaced in the meantime."""
        if generation is None:
            return None
        if generation not in self._generations:
            self._generations = {each.generation: each.identifier for each in self._shown_by.definitions()}
            # Do not list all conditions again for each event of a part that no longer exists.
            self._generations.setdefault(generation, None)
        return self._generations[generation]

    def _last_deciders(self, device: str) -> dict[str, str]:
        found = {rule: self._decider(self._shown_by.last_decider(device, rule)) for rule in self._rules}
        return {rule: part for rule, part in found.items() if part is not None}

    def _why(self, handed: LiveEvent | EventOfOne) -> str:
        event = handed.event
        parts = [str(event.cause)]
        if event.boundary_distance is not None:
            parts.append(distance_text(event.boundary_distance))
        if event.accuracy:
            parts.append(f"accuracy {event.accuracy:.0f} m")
        decided = ", ".join(parts)
        explanation = self._shown_by.explain(handed.device, event.identifier)
        return f"{decided}." if explanation is None else f"{decided}. Now {explanation}."

    def _drawn(self) -> tuple[list[dict[str, Any]], ViewedRules]:
        definitions = self._shown_by.definitions()
        self._generations = {each.generation: each.identifier for each in definitions}
        places = [drawn for definition in definitions if (drawn := _drawing(definition))]
        self._schedules = _add_hours(places, self._hours(), time.time())
        return places, ViewedRules(definitions)

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
            found["rules"] = self._rules.data()
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
            if self._rules:
                found["devices"][device] |= {"states": shown.states, "decided": self._rules.decided(shown.deciders)}
        found["events"] = [event for number, event in self._events if number > version]
        return found


def _drawing(definition: Definition | Record) -> dict[str, Any] | None:
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
