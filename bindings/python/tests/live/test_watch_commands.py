"""Tests the command that ``watch --exec`` runs for an event: a command that hangs, fails or takes long."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import mentions
from watching import LONGEST, Watched, is_gone, notices_to

from fencepost import Circle, Event, Monitor
from fencepost._live import event_handlers
from fencepost._live.event_handlers import EventCommand
from fencepost._live.signals import Signals


@pytest.fixture
def signals() -> Iterator[Signals]:
    with Signals() as entered:
        yield entered


@pytest.fixture
def event() -> Event:
    monitor = Monitor()
    monitor.add(Circle(0, 0, 200), "office")
    watched = Watched(monitor)
    watched.feed()
    return watched.seen[0]


@pytest.mark.parametrize("descriptors", [True, False], ids=["pidfd", "without"])
@pytest.mark.parametrize(
    "command",
    [
        "echo $$ > pid; exec sleep 1000",
        "sleep 1000 & echo $! > pid; wait",
        "trap '' TERM INT HUP; sh -c \"trap '' TERM; echo \\$\\$ > pid; while :; do sleep 0.1; done\"",
        "(trap '' TERM; echo $$ > pid; exec sleep 1000) & wait",
    ],
    ids=["itself", "a child", "deaf", "a deaf child"],
)
def test_a_command_that_hangs_is_ended_with_what_it_started(
    command: str,
    descriptors: bool,
    event: Event,
    signals: Signals,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(event_handlers, "GRACE", 0.3)
    if not descriptors:
        monkeypatch.delattr(os, "pidfd_open", raising=False)
    said: list[str] = []
    started = time.monotonic()
    assert not EventCommand(command, signals, notices_to(said.append), timeout=0.3)(event)
    assert time.monotonic() - started < LONGEST
    assert len(said) == 1 and mentions(said[0], f"event {event.sequence} … 0.3 s")
    assert is_gone(int((tmp_path / "pid").read_text()))


@pytest.mark.parametrize("descriptors", [True, False], ids=["pidfd", "without"])
def test_what_becomes_of_a_command_decides(
    descriptors: bool, event: Event, signals: Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if not descriptors:
        monkeypatch.delattr(os, "pidfd_open", raising=False)
    said: list[str] = []

    def run(command: str) -> bool:
        return EventCommand(command, signals, notices_to(said.append), timeout=LONGEST)(event)

    assert run("cat > told; sleep 0.1")
    assert json.loads((tmp_path / "told").read_text())["sequence"] == event.sequence
    assert run("exec < /dev/null; true"), "it need not read the event"
    assert run("sleep 1000 & echo $! > left"), "it may leave something running"
    os.kill(int((tmp_path / "left").read_text()), signal.SIGKILL)  # os.kill raises if there is no such process
    assert said == []
    assert not run("exit 3")
    assert not run("kill -9 $$")
    assert not run("/no/such/command 2> /dev/null")
    assert [mentions(text, f" {code} … event {event.sequence}") for code, text in zip((3, -9, 127), said)] == [True] * 3
    assert len(said) == 3


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_watch_whose_command_hangs(
    number: signal.Signals, event: Event, signals: Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the watch must stop, it ends a hanging command after a short wait, or at once after a second signal. If the
    command completes before it is ended, its event counts as handled."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(event_handlers, "GRACE", 0.3)
    said: list[str] = []
    handler = EventCommand(f"kill -{number.value} {os.getpid()}; sleep 1000", signals, notices_to(said.append))
    assert not handler(event)
    assert len(said) == 1 and mentions(said[0], f"event {event.sequence} … ended … stops")
    monkeypatch.setattr(event_handlers, "GRACE", 10_000.0)
    signals.stops = 0
    twice = f"kill -{number.value} {os.getpid()}; sleep 0.5; kill -{number.value} {os.getpid()}; sleep 1000"
    assert not EventCommand(twice, signals, notices_to(said.append))(event)
    signals.stops = 0
    once = f"kill -{number.value} {os.getpid()}; sleep 0.2"
    assert EventCommand(once, signals, notices_to(said.append))(event)
    assert signals.is_stopped()


def test_a_command_that_takes_long_is_said(
    event: Event, signals: Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command ends only when the message has arrived, even if this takes long on a busy machine."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(event_handlers, "MINUTE", 0.1)
    said: list[str] = []

    def hear(text: str) -> None:
        said.append(text)
        Path("said").touch()

    assert EventCommand("until [ -e said ]; do sleep 0.01; done", signals, notices_to(hear))(event)
    assert said
    assert mentions(said[0], f"event {event.sequence} … running")
