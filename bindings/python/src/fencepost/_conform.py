"""Runs conformance scenarios on the engine. The format is described in Tests/Conformance/README.md.

What belongs to a host or a store and not to one monitor is played here: names in use, closing and opening again, who
consumes. A restart is a fork that takes the monitor's place: it hands out again what was not committed. With a store
these are real: each scenario has a directory of its own, a restart closes and opens, and a store that fails is one
whose files the system does not let grow.
"""

from __future__ import annotations

import json
import math
import signal
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from . import geodesic
from ._conditions import BeaconIdentityCondition, CircularGeographicCondition, Condition
from ._enums import Diagnostics, Durability
from ._files import InputError, parse_json, read_text
from ._inputs import BeaconSighting, Fix
from ._monitor import Monitor
from ._native import (
    ConsumerAlreadyActiveError,
    FencepostError,
    InvalidArgumentError,
    MonitorInUseError,
    NotFoundError,
    StoreUnavailableError,
)
from ._outputs import Event, diagnostic_names
from ._policy import TransitionPolicy

try:
    import resource
except ImportError:  # not a Unix system
    resource = None  # type: ignore[assignment]

_Value = TypeVar("_Value")
KINDS: dict[str, type[Condition]] = {"circle": CircularGeographicCondition, "beacon": BeaconIdentityCondition}
EXPLAIN_KEYS = ("reason", "metres_to_decide", "accuracy_needed", "seconds_to_decide")
TIMES = ("date", "evidence_date")
TOLERANCE = 1e-6
OPTIONS = (
    "delivery", "condition_limit", "initial_fix_max_age", "beacon_exit_timeout", "beacon_initial_timeout",
    "max_pending_events",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Scenario:
    """One scenario of a file."""

    path: str
    name: str
    options: dict[str, Any]
    steps: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a scenario: `verdict` is passed, failed or skipped; the rest says where and why it ended."""

    scenario: Scenario
    verdict: str
    step: int = 0
    expected: str = ""
    got: str = ""

    def __str__(self) -> str:
        where = f"{self.scenario.path}: {self.scenario.name}"
        if self.verdict == "passed":
            return f"{where}: passed"
        shown = _plain(self.scenario.steps[self.step - 1])
        if self.verdict == "skipped":
            return f"{where}: skipped at step {self.step}: {shown}: {self.got}"
        return f"{where}\n  step {self.step}: {shown}\n  expected: {self.expected}\n  got: {self.got}"


def read_scenarios(path: str | Path) -> list[Scenario]:
    """The scenarios of a file, in order.

    Raises:
        InputError: The file cannot be read, or is not one scenario or an array of them.
    """
    content = parse_json(read_text(path), path)
    rows = content if isinstance(content, list) else [content]
    return [_scenario(row, path, f"scenario {number}") for number, row in enumerate(rows, 1)]


def _scenario(row: Any, path: str | Path, place: str) -> Scenario:
    if not isinstance(row, dict) or not isinstance(row.get("name"), str):
        raise InputError(path, place, "is not an object with a name")
    options, steps = row.get("options", {}), row.get("steps")
    if not isinstance(options, dict) or not set(options) <= set(OPTIONS):
        raise InputError(path, f"{place} ({row['name']})", f"options are not some of {', '.join(OPTIONS)}")
    if not isinstance(steps, list) or not steps or not all(isinstance(step, dict) for step in steps):
        raise InputError(path, f"{place} ({row['name']})", "steps is not a list of at least one object")
    return Scenario(str(path), row["name"], options, steps)


def run_scenarios(
    scenarios: Iterable[Scenario], *, restart_every_step: bool = False, store: str | Path | None = None
) -> Iterator[Outcome]:
    """Runs scenarios one after another.

    Args:
        scenarios: As :func:`read_scenarios` gives them.
        restart_every_step: Restart every open monitor after each step; the expectations stay what they are.
        store: A directory for the monitors, each scenario's in a new one inside it; None: they are in memory.

    Raises:
        InputError: A step is not written in the format.
        OSError: The directory cannot be used.
    """
    for scenario in scenarios:
        if store is None:
            yield _Run(scenario, restart_every_step, None).outcome()
        else:
            with tempfile.TemporaryDirectory(prefix="conform-", dir=store) as folder:
                yield _Run(scenario, restart_every_step, folder).outcome()


def conform(
    paths: Sequence[str | Path], *, restart_every_step: bool, store: str | None, write: Callable[[str], object]
) -> bool:
    """Runs files, writes what failed and what was skipped, then the counts; whether none failed."""
    scenarios = [scenario for path in paths for scenario in read_scenarios(path)]
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for outcome in run_scenarios(scenarios, restart_every_step=restart_every_step, store=store):
        counts[outcome.verdict] += 1
        if outcome.verdict != "passed":
            write(f"{outcome}\n")
    skipped = f", {counts['skipped']} skipped" if counts["skipped"] else ""
    write(f"{counts['passed']} passed, {counts['failed']} failed{skipped}\n")
    return counts["failed"] == 0


class _Mismatch(Exception):
    def __init__(self, expected: str, got: str) -> None:
        super().__init__(expected, got)
        self.expected, self.got = expected, got


class _Skip(Exception):
    """The scenario needs what there is not."""


class _Named:
    """A monitor of the scenario's store, open or closed, with what is known of its host."""

    def __init__(self, opened: Callable[[], Monitor] | None, monitor: Monitor) -> None:
        self.opened = opened
        self.monitor = monitor
        self.is_consumed = False
        self.in_flight: Event | None = None
        self.flags = Diagnostics(0)
        self.unsupported: tuple[type[Condition], ...] = ()
        self.circles: dict[str, CircularGeographicCondition] = {}

    def restart(self) -> None:
        if self.opened is None:
            self.monitor = self.monitor.fork()
        else:
            self.monitor.close()
            self.monitor = self.opened()


class _Run:
    """One run of one scenario."""

    def __init__(self, scenario: Scenario, restart_every_step: bool, store: str | None) -> None:
        self.scenario = scenario
        self.restart_every_step = restart_every_step
        self.store = store
        self.store_works = True
        self.stored: dict[str, _Named] = {}
        self.opened: list[str] = []
        self.main: str | None = None

    def outcome(self) -> Outcome:
        scenario = self.scenario
        first = scenario.steps[0]
        number = 1
        try:
            if "open" not in first and "open" not in first.get("step", {}):
                self.open("main")
            for number, step in enumerate(scenario.steps, 1):
                self.step(step)
                # What a store that fails has missed is nowhere to be read again.
                if self.restart_every_step and self.store_works:
                    for name in self.opened:
                        self.restart_between_steps(self.stored[name])
        except _Mismatch as mismatch:
            return Outcome(scenario, "failed", number, mismatch.expected, mismatch.got)
        except FencepostError as error:
            return Outcome(scenario, "failed", number, "no refusal", f"refused with {error.name}: {error}")
        except _Skip as skip:
            return Outcome(scenario, "skipped", number, got=str(skip))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            reason = f"is not a step of the format: {_defect(error)}"
            raise InputError(scenario.path, f"{scenario.name}: step {number}", reason) from error
        finally:
            for named in self.stored.values():
                named.monitor.close()
        return Outcome(scenario, "passed")

    def restart_between_steps(self, named: _Named) -> None:
        """What was in flight must come again, unless its condition went away meanwhile."""
        named.restart()
        event = named.in_flight
        if event is None:
            return
        record = named.monitor.record(event.identifier)
        if record is None or record.generation != event.generation:
            named.in_flight = None
            return
        again = named.monitor.next_event()
        if again != event:
            raise _Mismatch(f"after a restart again {_text(_event(event))}", _text(_event(again)))

    # ------------------------------------------------------------------------------------- steps

    def step(self, step: dict[str, Any]) -> None:
        if "refused" in step:
            return self.refused(step)
        if "open" in step:
            return self.open(step["open"])
        if "close" in step:
            return self.close(step["close"])
        if "store" in step:
            return self.set_store(step)
        verbs = [verb for verb in _STEPS if verb in step]
        if not verbs:
            raise ValueError(f"it has no verb; the verbs are {', '.join((*_ELSEWHERE, *_STEPS))}")
        if len(verbs) > 1:
            raise ValueError(f"it has more than one verb: {', '.join(verbs)}")
        named = self.open_monitor(step.get("monitor", self.main))
        with nullcontext() if self.store_works else _full_disk():
            _STEPS[verbs[0]](named, step)

    def open_monitor(self, name: str | None) -> _Named:
        if name not in self.opened:
            raise ValueError(f"monitor {_plain(name)} is not open")
        return self.stored[name]

    def refused(self, step: dict[str, Any]) -> None:
        expected = f"refused with {step['refused']}"
        try:
            self.step(step["step"])
        except FencepostError as error:
            if error.name != step["refused"]:
                raise _Mismatch(expected, f"refused with {error.name}: {error}") from None
        else:
            raise _Mismatch(expected, "accepted")

    def open(self, name: str) -> None:
        if self.store is not None:
            opened = partial(
                Monitor, name, store=self.store, durability=Durability.EVERY_INPUT, **self.scenario.options
            )
            monitor = opened()
            if name in self.stored:
                self.stored[name].monitor = monitor
            else:
                self.stored[name] = _Named(opened, monitor)
        elif name in self.opened:
            raise MonitorInUseError(f"the monitor {name!r} is open")
        elif name not in self.stored:
            self.stored[name] = _Named(None, Monitor(name, **self.scenario.options))
        self.opened.append(name)
        if self.main is None:
            self.main = name

    def close(self, name: str) -> None:
        named = self.open_monitor(name)
        self.opened.remove(name)
        if self.store is None:
            named.restart()
        else:
            named.monitor.close()
        named.is_consumed = False
        named.in_flight = None

    def set_store(self, step: dict[str, Any]) -> None:
        if self.store is None:
            raise _Skip("a monitor in memory has no store that could fail; --store DIR gives it one")
        if not _can_fail():
            raise _Skip("this system cannot stop files from growing")
        works = {"working": True, "failing": False}[step["store"]]
        for name in self.opened:
            monitor = self.stored[name].monitor
            if "time" in step:
                monitor.advance(_us(step["time"]))
            # So that it is noticed at once.
            if works:
                monitor.checkpoint()
            else:
                with _full_disk(), suppress(StoreUnavailableError):
                    monitor.checkpoint()
                    raise _Mismatch("a store that fails", "one that was written")
        self.store_works = works


def _can_fail() -> bool:
    # Python leaves the signal that goes with the limit ignored.
    return resource is not None and signal.getsignal(signal.SIGXFSZ) is signal.SIG_IGN


@contextmanager
def _full_disk() -> Iterator[None]:
    """While it lasts, this process can write to no file."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def _restart(named: _Named, step: dict[str, Any]) -> None:
    named.restart()
    named.is_consumed = False
    named.in_flight = None


def _iterate(named: _Named, step: dict[str, Any]) -> None:
    if named.is_consumed:
        raise ConsumerAlreadyActiveError("another consumer iterates over the events")
    named.is_consumed = True


def _cancel(named: _Named, step: dict[str, Any]) -> None:
    if not named.is_consumed:
        raise ValueError("nobody iterates")
    _restart(named, step)


def _advance(named: _Named, step: dict[str, Any]) -> None:
    named.monitor.advance(_us(step["advance"]))


def _add(named: _Named, step: dict[str, Any]) -> None:
    condition, options = _definition(step)
    named.monitor.add(condition, step["add"], **options)
    _remember(named, step["add"], condition)


def _ensure(named: _Named, step: dict[str, Any]) -> None:
    condition, options = _definition(step)
    named.monitor.ensure(condition, step["ensure"], **options)
    _remember(named, step["ensure"], condition)


def _remember(named: _Named, identifier: str, condition: Condition) -> None:
    if isinstance(condition, CircularGeographicCondition):
        named.circles[identifier] = condition


def _definition(step: dict[str, Any]) -> tuple[Condition, dict[str, Any]]:
    options: dict[str, Any] = {key: step[key] for key in ("assuming", "tag") if key in step}
    policy = step.get("policy", "standard")
    if isinstance(policy, str):
        options["policy"] = TransitionPolicy.named(policy)
    else:
        fields = {key: value if key in ("dwell_policy", "notify") else _number(value) for key, value in policy.items()}
        options["policy"] = TransitionPolicy.from_dict(fields)
    if "beacon" in step:
        return BeaconIdentityCondition(**step["beacon"]), options
    return CircularGeographicCondition(**{key: _number(value) for key, value in step["circle"].items()}), options


def _remove(named: _Named, step: dict[str, Any]) -> None:
    named.monitor.remove(step["remove"])


def _fix(named: _Named, step: dict[str, Any]) -> None:
    fix = step["fix"]
    if "of" in fix:
        if fix["of"] not in named.circles:
            raise ValueError(f"no circle {_plain(fix['of'])} was added to the monitor")
        end = geodesic.direct(*named.circles[fix["of"]].center, fix.get("bearing", 0), fix["distance"])
        latitude, longitude = end.latitude, end.longitude
    else:
        latitude, longitude = _number(fix["latitude"]), _number(fix["longitude"])
    named.monitor.feed(Fix(latitude, longitude, _number(fix.get("accuracy", 0.0)), time=_us(fix["time"])))


def _see(named: _Named, step: dict[str, Any]) -> None:
    named.monitor.see([BeaconSighting(**beacon) for beacon in step["see"]["beacons"]], time=_us(step["see"]["time"]))


def _scanning(named: _Named, step: dict[str, Any]) -> None:
    named.monitor.set_scanning(step["scanning"], time=_time(named, step))


def _host(named: _Named, step: dict[str, Any]) -> None:
    flags, unsupported = named.flags, named.unsupported
    if "flags" in step["host"]:
        flags = Diagnostics(0)
        for name in step["host"]["flags"]:
            flags |= _member(Diagnostics.__members__, name.upper())
    if "unsupported" in step["host"]:
        unsupported = tuple(_member(KINDS, name) for name in step["host"]["unsupported"])
    named.monitor.set_host(flags, unsupported=unsupported, time=_time(named, step))
    named.flags, named.unsupported = flags, unsupported


def _member(values: Mapping[str, _Value], name: str) -> _Value:
    if name not in values:
        raise InvalidArgumentError(f"{name!r} is not one of {', '.join(values)}")
    return values[name]


def _next(named: _Named, step: dict[str, Any]) -> None:
    named.in_flight = named.monitor.next_event()
    _compare(step["next"], _event(named.in_flight))


def _acknowledge(named: _Named, step: dict[str, Any]) -> None:
    named.monitor.acknowledge()
    named.in_flight = None


def _record(named: _Named, step: dict[str, Any]) -> None:
    record = named.monitor.record(step["record"])
    got = None
    if record is not None:
        got = {**(_event(record.last_event) or {}), "condition": _condition(record.condition)}
    _compare(step["is"], got)


def _identifiers(named: _Named, step: dict[str, Any]) -> None:
    _compare(step["identifiers"], named.monitor.identifiers)


def _statistics(named: _Named, step: dict[str, Any]) -> None:
    counters = named.monitor.statistics()
    _compare(step["statistics"], {"late_inputs": counters.late_inputs, "invalid_fixes": counters.invalid_fixes})


def _explain(named: _Named, step: dict[str, Any]) -> None:
    got = None
    try:
        explanation = named.monitor.explain(step["explain"])
        got = {key: getattr(explanation, key) for key in EXPLAIN_KEYS}
    except NotFoundError:
        pass
    _compare(step["is"], got, TOLERANCE)


_STEPS: dict[str, Callable[[_Named, dict[str, Any]], None]] = {
    "advance": _advance, "add": _add, "ensure": _ensure, "remove": _remove, "fix": _fix, "see": _see,
    "scanning": _scanning, "host": _host, "acknowledge": _acknowledge, "restart": _restart, "iterate": _iterate,
    "cancel": _cancel, "next": _next, "record": _record, "identifiers": _identifiers, "statistics": _statistics,
    "explain": _explain,
}  # fmt: skip
_ELSEWHERE = ("open", "close", "refused", "store")


# ------------------------------------------------------------------------------------ values


def _defect(error: Exception) -> str:
    """What is wrong with a step that could not be read, in words."""
    if isinstance(error, KeyError):
        return f"{error.args[0]} is missing"
    if isinstance(error, ValueError):
        return str(error)
    return "a value or a key is not what the format has there"


def _number(value: Any) -> float:
    return float(value)


def _us(seconds: Any) -> int:
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not math.isfinite(seconds):
        raise ValueError(f"{_plain(seconds)} is not a time in seconds")
    return int(round(seconds * 1_000_000))


def _time(named: _Named, step: dict[str, Any]) -> int:
    if "time" in step:
        return _us(step["time"])
    clock = named.monitor.clock_us
    if clock is None:
        raise ValueError("it needs a time while the clock is unset")
    return clock


def _event(event: Event | None) -> dict[str, Any] | None:
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
    }


def _condition(condition: Condition) -> dict[str, Any]:
    if isinstance(condition, CircularGeographicCondition):
        return {"circle": {key: getattr(condition, key) for key in ("latitude", "longitude", "radius")}}
    components = {"uuid": str(condition.uuid), "major": condition.major, "minor": condition.minor}
    return {"beacon": {key: value for key, value in components.items() if value is not None}}


def _compare(expected: Any, got: Any, tolerance: float | None = None) -> None:
    """Only the keys that the expectation lists are compared."""
    if not isinstance(expected, dict) or got is None:
        if expected != got:
            raise _Mismatch(_plain(expected), _text(got))
        return
    for key, value in expected.items():
        if key not in got:
            raise ValueError(f"{key} is not one of what is compared here: {', '.join(got)}")
        found = got[key]
        if key in TIMES:
            same = (None if value is None else _us(value)) == found
        elif tolerance is not None and isinstance(value, int | float) and isinstance(found, int | float):
            same = abs(value - found) <= tolerance
        else:
            same = value == found
        if not same:
            raise _Mismatch(_plain({key: value}), f"{_text({key: found})} in {_text(got)}")


def _text(value: Any) -> str:
    """What the engine gave, with times in seconds as in a file."""
    if isinstance(value, dict):
        value = {key: time / 1e6 if key in TIMES and time is not None else time for key, time in value.items()}
    return _plain(value)


def _plain(value: Any) -> str:
    return "nothing" if value is None else json.dumps(value, ensure_ascii=False)
