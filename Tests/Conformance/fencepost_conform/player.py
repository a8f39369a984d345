"""Runs conformance scenarios on the engine. The format is described in Tests/Conformance/README.md.

This module handles everything that belongs to a host or a store rather than to one monitor: the names in use, the
closing and reopening of monitors, and the consumer of the events. Without a store, a restart replaces the monitor with
its fork, which redelivers the events that were not committed. With a store, nothing is simulated: each scenario has its
own directory, and a restart closes and reopens the monitor. To make a store fail, the system does not let its files
grow.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from fencepost._command.outcomes import DONE
from fencepost._errors import InputError
from fencepost._monitor.monitor import Monitor
from fencepost._native import FencepostError, MonitorInUseError, StoreUnavailableError
from fencepost._values.enums import Durability

from .fleets import FleetRun
from .reorder import ReorderRun
from .scenarios import Scenario, defect, plain, read_scenarios, to_us
from .shapes import names
from .steps import ELSEWHERE, STEPS, Mismatch, Named, Skip, event_members, text

DESCRIPTION = (
    "Runs files of conformance scenarios. Prints what fails: the scenario, the step, what was expected "
    "and what came; at the end the counts. Exit code 1 when a scenario fails."
)


try:
    import resource
except ImportError:  # not a Unix system
    resource = None  # type: ignore[assignment]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a scenario: `verdict` is passed, failed or skipped. For a failed or skipped scenario, the other
    members tell the step and the reason."""

    scenario: Scenario
    verdict: str
    step: int = 0
    expected: str = ""
    got: str = ""

    def __str__(self) -> str:
        where = f"{self.scenario.path}: {self.scenario.name}"
        if self.verdict == "passed":
            return f"{where}: passed"
        shown = plain(self.scenario.steps[self.step - 1])
        if self.verdict == "skipped":
            return f"{where}: skipped at step {self.step}: {shown}: {self.got}"
        return f"{where}\n  step {self.step}: {shown}\n  expected: {self.expected}\n  got: {self.got}"


def run_scenarios(
    scenarios: Iterable[Scenario], *, restart_every_step: bool = False, store: str | Path | None = None
) -> Iterator[Outcome]:
    """Runs scenarios one after another.

    Args:
        scenarios: The scenarios that :func:`read_scenarios` returns.
        restart_every_step: True restarts every open monitor after each step; the expectations stay the same.
        store: A directory in which each scenario gets a new directory for its monitors. If `store` is None, the
            monitors are kept in memory.

    Raises:
        InputError: A step does not follow the format.
        OSError: The directory cannot be used.
    """
    for scenario in scenarios:
        if scenario.kind == "reorder":
            yield _outcome(scenario, ReorderRun(scenario))
        elif scenario.kind == "fleet":  # fleets run in memory only; a restart delivers uncommitted events again
            yield _outcome(scenario, FleetRun(scenario, restart_every_step))
        elif store is None:
            yield _outcome(scenario, _Run(scenario, restart_every_step, None))
        else:
            with tempfile.TemporaryDirectory(prefix="conform-", dir=store) as folder:
                yield _outcome(scenario, _Run(scenario, restart_every_step, folder))


def _outcome(scenario: Scenario, run: _Run | FleetRun | ReorderRun) -> Outcome:
    number = 1
    try:
        for number, step in enumerate(scenario.steps, 1):  # noqa: B007, a refusal names it
            run.step(step)
            run.after_step()
    except Mismatch as mismatch:
        return Outcome(scenario, "failed", number, mismatch.expected, mismatch.got)
    except FencepostError as error:
        return Outcome(scenario, "failed", number, "no refusal", f"refused with {error.name}: {error}")
    except Skip as skip:
        return Outcome(scenario, "skipped", number, got=str(skip))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        reason = f"is not a step of the format: {defect(error)}"
        raise InputError(scenario.path, f"{scenario.name}: step {number}", reason) from error
    finally:
        run.end()
    return Outcome(scenario, "passed")


def conform(
    paths: Sequence[str | Path], *, restart_every_step: bool, store: str | None, write: Callable[[str], object]
) -> bool:
    """Runs files, prints failed and skipped scenarios and then the counts; returns True if no scenario failed."""
    scenarios = [scenario for path in paths for scenario in read_scenarios(path)]
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for outcome in run_scenarios(scenarios, restart_every_step=restart_every_step, store=store):
        counts[outcome.verdict] += 1
        if outcome.verdict != "passed":
            write(f"{outcome}\n")
    skipped = f", {counts['skipped']} skipped" if counts["skipped"] else ""
    write(f"{counts['passed']} passed, {counts['failed']} failed{skipped}\n")
    return counts["failed"] == 0


class _Run:
    """One run of one scenario."""

    def __init__(self, scenario: Scenario, restart_every_step: bool, store: str | None) -> None:
        self.scenario = scenario
        self.restart_every_step = restart_every_step
        self.store = store
        self.store_works = True
        self.has_begun = False
        self.stored: dict[str, Named] = {}
        self.opened: list[str] = []
        self.main: str | None = None

    def after_step(self) -> None:
        # If the store fails, changes are missing from it and cannot be read back, so nothing is restarted in that case.
        if self.restart_every_step and self.store_works:
            for name in self.opened:
                self.restart_between_steps(self.stored[name])

    def end(self) -> None:
        for named in self.stored.values():
            named.monitor.close()

    def restart_between_steps(self, named: Named) -> None:
        """Restarts the monitor, and checks that an event in flight is delivered again, unless its condition was removed
        or replaced."""
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
            raise Mismatch(f"after a restart again {text(event_members(event))}", text(event_members(again)))

    # ------------------------------------------------------------------------------------- steps

    def step(self, step: dict[str, Any]) -> None:
        if not self.has_begun:
            self.has_begun = True
            if "open" not in step and "open" not in step.get("step", {}):
                self.open("main")
        if "refused" in step:
            self.refused(step)
        elif "open" in step:
            self.open(step["open"])
        elif "close" in step:
            self.close(step["close"])
        elif "store" in step:
            self.set_store(step)
        else:
            self.act(step)

    def act(self, step: dict[str, Any]) -> None:
        """Runs a step of a scenario; the step's verb says what to do."""
        verbs = [verb for verb in STEPS if verb in step]
        if not verbs:
            raise ValueError(f"it has no verb; the verbs are {', '.join((*ELSEWHERE, *STEPS))}")
        if len(verbs) > 1:
            raise ValueError(f"it has more than one verb: {', '.join(verbs)}")
        named = self.open_monitor(step.get("monitor", self.main))
        with nullcontext() if self.store_works else _full_disk():
            STEPS[verbs[0]](named, step)

    def open_monitor(self, name: str | None) -> Named:
        if name not in self.opened:
            raise ValueError(f"monitor {plain(name)} is not open")
        return self.stored[name]

    def refused(self, step: dict[str, Any]) -> None:
        expected = f"refused with {step['refused']}"
        try:
            self.step(step["step"])
        except FencepostError as error:
            if error.name != step["refused"]:
                raise Mismatch(expected, f"refused with {error.name}: {error}") from None
            if "reason" in step and not names(str(error), step["reason"], step.get("at", {})):
                expected += f" for {step['reason']}" + (f" at {plain(step['at'])}" if "at" in step else "")
                raise Mismatch(expected, f"refused with {error.name}: {error}") from None
        else:
            raise Mismatch(expected, "accepted")

    def open(self, name: str) -> None:
        if self.store is not None:
            opened = partial(
                Monitor, name=name, store=self.store, durability=Durability.EVERY_INPUT, **self.scenario.options
            )
            monitor = opened()
            if name in self.stored:
                self.stored[name].monitor = monitor
            else:
                self.stored[name] = Named(opened, monitor)
        elif name in self.opened:
            raise MonitorInUseError(f"the monitor {name!r} is open")
        elif name not in self.stored:
            self.stored[name] = Named(None, Monitor(name=name, **self.scenario.options))
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
            raise Skip("a monitor in memory has no store that could fail; --store DIR gives it one")
        if not _can_fail():
            raise Skip("this system cannot stop files from growing")
        works = {"working": True, "failing": False}[step["store"]]
        for name in self.opened:
            monitor = self.stored[name].monitor
            if "time" in step:
                monitor.advance(to_us(step["time"]))
            # After a checkpoint the monitor notices at once that the store has changed.
            if works:
                monitor.checkpoint()
            else:
                with _full_disk(), suppress(StoreUnavailableError):
                    monitor.checkpoint()
                    raise Mismatch("a store that fails", "one that was written")
        self.store_works = works


def _can_fail() -> bool:
    # A write beyond the limit raises SIGXFSZ. Python ignores SIGXFSZ by default; otherwise the signal would end the
    # process.
    return resource is not None and signal.getsignal(signal.SIGXFSZ) is signal.SIG_IGN


@contextmanager
def _full_disk() -> Iterator[None]:
    """Sets a limit of 0 bytes per file, so that this process cannot write to any file."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of ``python -m fencepost_conform``."""
    parser.add_argument("files", metavar="FILE", nargs="+", help="JSON: one scenario or an array of them")
    parser.add_argument("--restart-every-step", action="store_true", help="restart each monitor after every step")
    parser.add_argument(
        "--store", metavar="DIR", help="keep monitors in new directories inside DIR; a restart closes and opens again"
    )


def run(options: argparse.Namespace) -> int:
    """Runs the scenarios that the command line names; returns the exit code."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    passed = conform(
        options.files,
        restart_every_step=options.restart_every_step,
        store=options.store,
        write=sys.stdout.write,
    )
    return DONE if passed else 1
