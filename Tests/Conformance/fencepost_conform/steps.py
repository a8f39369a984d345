"""The steps of a conformance scenario that concern one monitor: each step calls the monitor, or compares its answer."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, TypeVar

from fencepost import geodesic
from fencepost._fleet.conditions import Zones
from fencepost._monitor.monitor import Monitor
from fencepost._native import ConsumerAlreadyActiveError, InvalidArgumentError, NotFoundError
from fencepost._values.any_condition import Condition
from fencepost._values.bands import AltitudeBand
from fencepost._values.conditions import Beacon, Circle, is_line
from fencepost._values.enums import Diagnostics
from fencepost._values.events import Event, diagnostic_names
from fencepost._values.explanation import Explanation
from fencepost._values.fixes import BeaconSighting, Fix
from fencepost._values.policy import TransitionPolicy
from fencepost._values.rules import Rule
from fencepost._values.schedule import Schedule, Timing

from .scenarios import plain, to_us
from .shapes import DISTANCE_TOLERANCE, KINDS as SHAPES, PLACE_TOLERANCE, Shape, shape_members, shape_of

_Value = TypeVar("_Value")
KINDS: dict[str, type[Condition]] = {
    "circle": Circle,
    "beacon": Beacon,
    **SHAPES,
}
EXPLAIN_KEYS = (
    "reason", "metres_to_decide", "accuracy_needed", "seconds_to_decide", "probability", "vertical_distance"
)  # fmt: skip
TIMING_KEYS = ("active", "active_until", "absent_after", "repeat_every", "repeat_limit", "max_events")
PART_KEYS = ("parts",)
DOUBT_KEYS = ("doubted_distance", "doubted_seconds", "corroborations")
EVENT_KEYS = (
    "sequence",
    "identifier",
    "generation",
    "tag",
    "latitude",
    "longitude",
    "accuracy",
    "boundary_distance",
    "date",
    "evidence_date",
    "state",
    "cause",
    "refinement",
    "diagnostics",
    "evidence",
    "gap",
    "direction",
    "probability",
    "vertical_distance",
    "decided_by",
)
BAND_KEYS = ("min", "max", "min_reference", "max_reference")
HEIGHTS = {
    "altitude": math.nan, "vertical_accuracy": 0.0, "geoid_height": math.nan, "ground_height": math.nan
}  # fmt: skip
COUNTERS = ("late_inputs", "invalid_fixes", "ahead_inputs", "doubted_fixes")
TIMES = ("date", "evidence_date")
TOLERANCE = 1e-6
HEIGHT_TOLERANCE = 1e-9


class Mismatch(Exception):
    def __init__(self, expected: str, got: str) -> None:
        super().__init__(expected, got)
        self.expected, self.got = expected, got


class Skip(Exception):
    """The scenario needs something that this system or engine does not have."""


@dataclass(frozen=True, slots=True)
class Member:
    """A condition of a set."""

    identifier: str
    condition: Condition
    policy: TransitionPolicy | None = None
    assuming: str | None = None
    tag: int = 0
    timing: Timing | None = None
    band: AltitudeBand | None = None


class Named:
    """A monitor of the scenario's store, open or closed, with the state of its host."""

    def __init__(self, opened: Callable[[], Monitor] | None, monitor: Monitor) -> None:
        self.opened = opened
        self.monitor = monitor
        self.is_consumed = False
        self.in_flight: Event | None = None
        self.flags = Diagnostics(0)
        self.unsupported: tuple[type[Condition], ...] = ()
        self.circles: dict[str, Circle] = {}
        self.has_shapes = False

    @property
    def distance_tolerance(self) -> float | None:
        """The tolerance for the boundary distances of events, or None if the monitor has only circles and beacons."""
        return DISTANCE_TOLERANCE if self.has_shapes else None

    def restart(self) -> None:
        if self.opened is None:
            self.monitor = self.monitor.fork()
        else:
            self.monitor.close()
            self.monitor = self.opened()


def _restart(named: Named, step: dict[str, Any]) -> None:
    named.restart()
    named.is_consumed = False
    named.in_flight = None


def _iterate(named: Named, step: dict[str, Any]) -> None:
    if named.is_consumed:
        raise ConsumerAlreadyActiveError("the events already have a consumer")
    named.is_consumed = True


def _cancel(named: Named, step: dict[str, Any]) -> None:
    if not named.is_consumed:
        raise ValueError("nobody iterates")
    named.monitor.abandon()
    named.is_consumed = False
    named.in_flight = None


def _advance(named: Named, step: dict[str, Any]) -> None:
    named.monitor.advance(to_us(step["advance"]))


def _rewind(named: Named, step: dict[str, Any]) -> None:
    seconds = step["rewind"]
    if isinstance(seconds, str):
        seconds = float(seconds)
        if not math.isfinite(seconds):
            raise InvalidArgumentError(f"rewind: {step['rewind']} is no time")
    named.monitor.rewind(to_us(seconds))


def _sync(named: Named, step: dict[str, Any]) -> None:
    members = [member_of(member) for member in step["sync"]]
    named.monitor.sync(members)
    for each in members:
        _remember(named, each.identifier, each.condition)


def member_of(member: dict[str, Any], assuming: str = "unknown") -> Member:
    """Returns a member of a set of conditions. If the member does not specify its own assumed state, `assuming` is
    used."""
    condition, options = definition(member)
    if not is_line(condition):
        options = {"assuming": assuming, **options}
    return Member(member["identifier"], condition, **options)


def _identifiers_in_state(named: Named, step: dict[str, Any]) -> None:
    compare(step["are"], named.monitor.identifiers_in_state(step["identifiers_in_state"]))


def _add(named: Named, step: dict[str, Any]) -> None:
    condition, options = definition(step)
    named.monitor.add(condition, step["add"], **options)
    _remember(named, step["add"], condition)


def _ensure(named: Named, step: dict[str, Any]) -> None:
    condition, options = definition(step)
    named.monitor.ensure(condition, step["ensure"], **options)
    _remember(named, step["ensure"], condition)


def _remember(named: Named, identifier: str, condition: Condition) -> None:
    named.has_shapes = named.has_shapes or isinstance(condition, (*SHAPES.values(), Rule))
    if isinstance(condition, Circle):
        named.circles[identifier] = condition


def definition(step: dict[str, Any]) -> tuple[Condition, dict[str, Any]]:
    options: dict[str, Any] = {key: step[key] for key in ("assuming", "tag") if key in step}
    policy = step.get("policy", "standard")
    if "line" in step and "policy" not in step:
        pass  # gates have no policy
    elif isinstance(policy, str):
        options["policy"] = TransitionPolicy.named(policy)
    else:
        fields = {key: value if key in ("dwell_policy", "notify") else number(value) for key, value in policy.items()}
        options["policy"] = TransitionPolicy.from_dict(fields)
    timing = timing_of(step)
    if timing is not None:
        options["timing"] = timing
    if "band" in step:
        options["band"] = band_of(step["band"])
    shape = shape_of(step)
    if shape is not None:
        return shape, options
    if "beacon" in step:
        return Beacon(**step["beacon"]), options
    if "rule" in step:
        return rule_of(step["rule"]), options
    return Circle(**{key: number(value) for key, value in step["circle"].items()}), options


def rule_of(spec: dict[str, Any]) -> Rule:
    """Returns the rule of a step."""
    makers: dict[str, Callable[..., Rule]] = {"all": Rule.all, "any": Rule.any, "none": Rule.none}
    if "at_least" in spec:
        rule = Rule.at_least(spec["at_least"], *spec["of"])
    else:
        ((form, parts),) = spec.items()
        rule = makers[form](*parts)
    return rule


def timing_of(step: dict[str, Any]) -> Timing | None:
    """Returns the timing of a condition, or None if the step has none of its keys."""
    given = {key: step[key] for key in TIMING_KEYS if key in step}
    if not given:
        return None
    until = given.pop("active_until", None)
    if until is not None and "active" not in given:
        raise InvalidArgumentError("active_until needs active")
    if "active" in given:
        pairs = [(to_us(start), to_us(end)) for start, end in given["active"]]
        given["active"] = Schedule(pairs, until=None if until is None else to_us(until))
    return Timing(**given)


def band_of(band: dict[str, Any]) -> AltitudeBand:
    unknown = [key for key in band if key not in BAND_KEYS]
    if unknown:
        raise ValueError(f"{unknown[0]} is not one of {', '.join(BAND_KEYS)}")
    low, high = (number(band.get(key, default)) for key, default in (("min", -math.inf), ("max", math.inf)))
    return AltitudeBand(low, high, **{key: band[key] for key in BAND_KEYS[2:] if key in band})


def _band_members(band: AltitudeBand | None) -> dict[str, Any] | None:
    if band is None:
        return None
    limits = {key: value if math.isfinite(value) else str(value) for key, value in zip(BAND_KEYS, (band.min, band.max))}
    return {**limits, "min_reference": str(band.min_reference), "max_reference": str(band.max_reference)}


def _remove(named: Named, step: dict[str, Any]) -> None:
    named.monitor.remove(step["remove"])


def _fix(named: Named, step: dict[str, Any]) -> None:
    fix = step["fix"]
    if "of" in fix:
        if fix["of"] not in named.circles:
            raise ValueError(f"no circle {plain(fix['of'])} was added to the monitor")
        end = geodesic.direct(*named.circles[fix["of"]].center, fix.get("bearing", 0), fix["distance"])
        latitude, longitude = end.latitude, end.longitude
    else:
        latitude, longitude = number(fix["latitude"]), number(fix["longitude"])
    given = Fix(latitude, longitude, number(fix.get("accuracy", 0.0)), time=to_us(fix["time"]))
    # Uses the monitor's handle directly, because `feed()` warns about simulated times.
    named.monitor._handle.feed_fix(given.latitude, given.longitude, given.accuracy, given.time_us, *beside(fix))


def beside(fix: dict[str, Any]) -> list[float]:
    """The error ellipse of a fix and its heights; an empty list if the fix has neither."""
    ellipse = [number(value) for value in fix.get("ellipse", ())]
    if not any(name in fix for name in HEIGHTS):
        return ellipse
    heights = [number(fix.get(name, default)) for name, default in HEIGHTS.items()]
    return [*(ellipse or (math.nan,) * 3), *heights]


def _see(named: Named, step: dict[str, Any]) -> None:
    named.monitor.feed_sightings(
        [BeaconSighting(**beacon) for beacon in step["see"]["beacons"]], time=to_us(step["see"]["time"])
    )


def _scanning(named: Named, step: dict[str, Any]) -> None:
    named.monitor.set_scanning(step["scanning"], time=_time(named, step))


def host_of(
    host: dict[str, Any], flags: Diagnostics, unsupported: tuple[type[Condition], ...]
) -> tuple[Diagnostics, tuple[type[Condition], ...]]:
    """Returns what a host states; a key that is absent leaves its list unchanged."""
    if "flags" in host:
        flags = Diagnostics(0)
        for name in host["flags"]:
            flags |= _member(Diagnostics.__members__, name.upper())
    if "unsupported" in host:
        unsupported = tuple(_member(KINDS, name) for name in host["unsupported"])
    return flags, unsupported


def _host(named: Named, step: dict[str, Any]) -> None:
    flags, unsupported = host_of(step["host"], named.flags, named.unsupported)
    named.monitor.set_host(flags, unsupported=unsupported, time=_time(named, step))
    named.flags, named.unsupported = flags, unsupported


def _member(values: Mapping[str, _Value], name: str) -> _Value:
    if name not in values:
        raise InvalidArgumentError(f"{name!r} is not one of {', '.join(values)}")
    return values[name]


def _next(named: Named, step: dict[str, Any]) -> None:
    named.in_flight = named.monitor.next_event()
    compare(step["next"], event_members(named.in_flight), distance=named.distance_tolerance)


def _acknowledge(named: Named, step: dict[str, Any]) -> None:
    named.monitor.acknowledge()
    named.in_flight = None


def _record(named: Named, step: dict[str, Any]) -> None:
    record = named.monitor.record(step["record"])
    got = None
    if record is not None:
        condition, band = _condition(record.condition), _band_members(record.band)
        got = {**(event_members(record.last_event) or {}), "condition": condition, "band": band}
    compare(step["is"], got, known=(*EVENT_KEYS, "condition", "band"), distance=named.distance_tolerance)


def _identifiers(named: Named, step: dict[str, Any]) -> None:
    compare(step["identifiers"], named.monitor.identifiers)


def _statistics(named: Named, step: dict[str, Any]) -> None:
    counters = named.monitor.statistics()
    compare(step["statistics"], {key: getattr(counters, key) for key in COUNTERS}, known=COUNTERS)


def _explain(named: Named, step: dict[str, Any]) -> None:
    got = None
    try:
        got = explanation_members(named.monitor.explain(step["explain"]))
    except NotFoundError:
        pass
    compare(step["is"], got, TOLERANCE, (*EXPLAIN_KEYS, *DOUBT_KEYS, *PART_KEYS, "ellipse"))


def explanation_members(explanation: Explanation) -> dict[str, Any]:
    doubt = explanation.doubt
    doubted = (None, None, 0) if doubt is None else (doubt.distance, doubt.seconds, doubt.corroborations)
    ellipse = explanation.error_ellipse
    return (
        {key: getattr(explanation, key) for key in EXPLAIN_KEYS}
        | dict(zip(DOUBT_KEYS, doubted))
        | {"ellipse": None if ellipse is None else list(ellipse)}
        | {"parts": _parts(explanation)}
    )


def _parts(explanation: Explanation) -> list[dict[str, str]] | None:
    parts = explanation.parts
    return None if parts is None else [{"identifier": part.identifier, "state": str(part.state)} for part in parts]


def _nearest_boundary_point(named: Named, step: dict[str, Any]) -> None:
    place = (number(step["from"][key]) for key in ("latitude", "longitude"))
    got = None
    try:
        found = named.monitor.nearest_boundary_point(step["nearest_boundary_point"], *place)
        got = None if found is None else {"latitude": found[0], "longitude": found[1]}
    except NotFoundError:
        pass
    compare(step["is"], got, PLACE_TOLERANCE, ("latitude", "longitude"))


LOCATED_KEYS = ("identifier", "boundary_distance")


def _located(named: Named, step: dict[str, Any]) -> None:
    compare_located(step, named.monitor)


def compare_located(step: dict[str, Any], asked: Monitor | Zones) -> None:
    """Checks the conditions that contain a point, or the conditions with the nearest boundaries, against the conditions
    that the step expects."""
    if "nearest" in step:
        latitude, longitude = (number(step["nearest"][key]) for key in ("latitude", "longitude"))
        return _compare_distances(step, asked.nearest(latitude, longitude, int(step["nearest"]["count"])))
    asks = {key: number(value) for key, value in step["containing"].items()}
    place = [asks.pop(key) for key in ("latitude", "longitude")]
    names = asked.containing(*place, **asks)
    if find_spec("numpy") is None:  # only the result in columns has distances, and it needs NumPy
        if [one.get("identifier") for one in step["are"]] != names:
            raise Mismatch(plain(step["are"]), text(names))
        return None
    columns: dict[str, Any] = {key: [value] for key, value in asks.items()}
    found = asked.containing([place[0]], [place[1]], distances=True, **columns)
    if found[0] != names:
        raise Mismatch(text(names), text(found[0]))
    return _compare_distances(step, dict(zip(names, found.columns()["distance"])))


def _compare_distances(step: dict[str, Any], found: Mapping[str, float]) -> None:
    if [one.get("identifier") for one in step["are"]] != list(found):
        raise Mismatch(plain(step["are"]), text(list(found)))
    for one, (name, distance) in zip(step["are"], found.items()):
        compare(one, {"identifier": name, "boundary_distance": distance}, None, LOCATED_KEYS, DISTANCE_TOLERANCE)


STEPS: dict[str, Callable[[Named, dict[str, Any]], None]] = {
    "advance": _advance, "rewind": _rewind, "sync": _sync,
    "identifiers_in_state": _identifiers_in_state,
    "add": _add, "ensure": _ensure, "remove": _remove, "fix": _fix, "see": _see,
    "scanning": _scanning, "host": _host, "acknowledge": _acknowledge, "restart": _restart, "iterate": _iterate,
    "cancel": _cancel, "next": _next, "record": _record, "identifiers": _identifiers, "statistics": _statistics,
    "explain": _explain, "nearest_boundary_point": _nearest_boundary_point,
    "containing": _located, "nearest": _located,
}  # fmt: skip
ELSEWHERE = ("open", "close", "refused", "store")


def number(value: Any) -> float:
    return float(value)


def _time(named: Named, step: dict[str, Any]) -> int:
    if "time" in step:
        return to_us(step["time"])
    clock = named.monitor.clock_us
    if clock is None:
        raise ValueError("it needs a time while the clock is unset")
    return clock


def event_members(event: Event | None) -> dict[str, Any] | None:
    if event is None:
        return None
    values = {key: getattr(event, key) for key in ("sequence", "identifier", "generation", "tag")}
    values |= {key: getattr(event, key) for key in ("latitude", "longitude", "accuracy", "boundary_distance")}
    return {
        **values,
        "date": event.date_us,
        "evidence_date": event.evidence_date_us,
        "state": str(event.state),
        "cause": str(event.cause),
        "refinement": None if event.refinement is None else _condition(event.refinement)["beacon"],
        "diagnostics": diagnostic_names(event.diagnostics),
        "evidence": None if event.evidence is None else str(event.evidence),
        "gap": event.follows_gap,
        "direction": None if event.direction is None else str(event.direction),
        "probability": event.probability,
        "vertical_distance": event.vertical_distance,
        "decided_by": event.decided_by,
    }


def _condition(condition: Condition) -> dict[str, Any]:
    if isinstance(condition, Shape):
        return shape_members(condition)
    if isinstance(condition, Circle):
        return {"circle": {key: getattr(condition, key) for key in ("latitude", "longitude", "radius")}}
    if isinstance(condition, Rule):
        return {"rule": {key: value for key, value in condition.to_dict().items() if key != "kind"}}
    components = {"uuid": str(condition.uuid), "major": condition.major, "minor": condition.minor}
    return {"beacon": {key: value for key, value in components.items() if value is not None}}


def compare(
    expected: Any,
    got: Any,
    tolerance: float | None = None,
    known: Iterable[str] = EVENT_KEYS,
    distance: float | None = None,
) -> None:
    """Compares the values of the keys that the expectation contains. An unknown key is an error, because it would never
    be compared.

    Args:
        expected: The expectation from the file.
        got: The engine's result.
        tolerance: The tolerance for numbers; None: numbers must be equal.
        known: The keys that a result can have.
        distance: The tolerance for boundary distances; None: boundary distances must be equal. Results that come from a
            path have separate tolerances for boundary distances and positions.
    """
    unknown = [key for key in expected if key not in known] if isinstance(expected, dict) else []
    if unknown:
        raise ValueError(f"{unknown[0]} is not one of what is compared here: {', '.join(known)}")
    if not isinstance(expected, dict) or got is None:
        if expected != got:
            raise Mismatch(plain(expected), text(got))
        return
    on_path = isinstance(got, dict) and got.get("evidence") == "path"
    for key, value in expected.items():
        found = got[key]
        if key in TIMES:
            same = (None if value is None else to_us(value)) == found
        elif key == "condition" and isinstance(value, dict) and isinstance(found, dict):
            same = _is_listed(value, found)
        elif isinstance(value, int | float) and isinstance(found, int | float):
            most = {
                "boundary_distance": distance, "probability": TOLERANCE, "vertical_distance": HEIGHT_TOLERANCE
            }.get(key, tolerance)  # fmt: skip
            if on_path and key in ("latitude", "longitude", "boundary_distance"):
                most = DISTANCE_TOLERANCE if key == "boundary_distance" else PLACE_TOLERANCE
            same = value == found if most is None else abs(value - found) <= most
        else:
            same = value == found
        if not same:
            raise Mismatch(plain({key: value}), f"{text({key: found})} in {text(got)}")


def _is_listed(value: dict[str, Any], found: dict[str, Any]) -> bool:
    """True if a condition has the listed members."""
    return value.keys() == found.keys() and all(
        found[kind].get(key) == one for kind, members in value.items() for key, one in members.items()
    )


def text(value: Any) -> str:
    """The engine's result as text, with times in seconds as in a scenario file."""
    if isinstance(value, dict):
        value = {key: time / 1e6 if key in TIMES and time is not None else time for key, time in value.items()}
    return plain(value)
