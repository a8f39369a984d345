"""Tests the program ``fencepost watch`` in difficult situations: signals, floods of bad lines, and changed
conditions."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import termios
import threading
import time
from array import array
from pathlib import Path

import pytest
from conftest import Run, mentions
from watching import LONGEST, circles, is_gone, line

from fencepost import Monitor


class Program:
    """Runs ``fencepost watch`` with a pipe for its source."""

    def __init__(self, folder: Path, *more: str, source: str = "-") -> None:
        command = [sys.executable, "-m", "fencepost", "watch", "--source", source, "--conditions", "places.geojson"]
        self.process = subprocess.Popen(
            [*command, *more],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        self._guard = threading.Timer(LONGEST, self.process.kill)
        self._guard.start()

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *error: object) -> None:
        self._guard.cancel()
        self.process.kill()
        self.process.communicate()

    def tell(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text)
        self.process.stdin.flush()

    def event(self) -> tuple[str, str]:
        assert self.process.stdout is not None
        reported = json.loads(self.process.stdout.readline())
        return reported["identifier"], reported["state"]

    def error(self) -> str:
        assert self.process.stderr is not None
        return self.process.stderr.readline().rstrip("\n")

    def ends(self) -> int:
        return self.process.wait(LONGEST)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_end_the_program_while_its_command_hangs(number: signal.Signals, tmp_path: Path) -> None:
    circles(tmp_path / "places.geojson", office=200)
    with Program(tmp_path, "--exec", "echo $$ >&2; exec sleep 1000", "--store", ".") as program:
        program.tell(line(0))
        pid = int(program.error())
        program.process.send_signal(number)
        program.process.send_signal(number)
        assert program.ends() == 0
        assert is_gone(pid)
        assert mentions(program.error(), "ended … watch")
    with Program(tmp_path, "--store", ".") as program:
        assert program.event() == ("office", "satisfied"), "what was not handled waits"


def test_a_signal_ends_the_program_while_nobody_reads_its_output(tmp_path: Path) -> None:
    circles(tmp_path / "places.geojson", office=200)
    (tmp_path / "fixes.jsonl").write_text("".join(line(second, 0.01 * (second % 2)) for second in range(5_000)))
    with Program(tmp_path, source="fixes.jsonl") as program:
        assert program.process.stdout is not None
        waiting, end = array("i", [0]), time.monotonic() + LONGEST
        while waiting[0] < 60_000:  # the pipe can hold 65,536 bytes
            assert time.monotonic() < end
            fcntl.ioctl(program.process.stdout, termios.FIONREAD, waiting)
            time.sleep(0.01)
        program.process.terminate()
        assert program.ends() == 0


def test_a_flood_of_bad_lines_is_one_line_and_a_count(run: Run, tmp_path: Path) -> None:
    circles(tmp_path / "places.geojson", office=200)
    (tmp_path / "fixes").write_text(line(0) + "\x1b[2J no fix\n" * 20_000 + line(10, 0.01))
    ended = run("watch", "--source", "fixes", "--conditions", "places.geojson")
    assert ended.returncode == 0
    assert [json.loads(reported)["state"] for reported in ended.stdout.splitlines()] == ["satisfied", "unsatisfied"]
    said = ended.stderr.splitlines()
    assert len(said) == 2 and mentions(said[0], "fencepost: fixes: line 2: … JSON")
    assert mentions(said[1], "fencepost: fixes: line 20001: … JSON (… 19999 …)")


def test_a_hang_up_has_the_conditions_read_again(tmp_path: Path) -> None:
    places = circles(tmp_path / "places.geojson", office=200, district=5_000)

    def hang_up(program: Program) -> str:
        program.process.send_signal(signal.SIGHUP)
        return program.error()

    with Program(tmp_path, "--store", ".") as program:
        program.tell(line(0))
        assert {program.event(), program.event()} == {("office", "satisfied"), ("district", "satisfied")}
        circles(places, office=200, town=20_000)
        assert hang_up(program) == "fencepost: places.geojson: reloaded: 1 added, 0 replaced, 1 removed, 1 unchanged"
        program.tell(line(1))
        assert program.event() == ("town", "satisfied")
        circles(places, office=100, town=20_000)
        assert hang_up(program).endswith(": 0 added, 1 replaced, 0 removed, 1 unchanged")
        program.tell(line(2))
        assert program.event() == ("office", "satisfied")
        for broken, reason in (
            ("{", "places.geojson: "),
            (json.dumps({"type": "FeatureCollection", "features": [{"type": "Feature"}]}), "places.geojson: "),
        ):
            places.write_text(broken)
            said = hang_up(program)
            assert said.startswith(f"fencepost: {reason}") and "unchanged" in said
        places.unlink()
        assert mentions(hang_up(program), "places.geojson: … unchanged")
        # The pipe has no writer: a watch that waited for data from it could not react to signals.
        os.mkfifo(places)
        assert hang_up(program).startswith("fencepost: places.geojson: ")
        program.tell(line(3, 0.01))
        assert program.event() == ("office", "unsatisfied")
        program.process.terminate()
        assert program.ends() == 0
    with Monitor("watch", store=tmp_path) as monitor:
        assert set(monitor.identifiers) == {"office", "town"}


def test_an_event_that_cannot_be_handled_goes_with_its_condition(tmp_path: Path) -> None:
    """After the condition of an event that cannot be handled is removed, each event of the other conditions is handled
    once. A user can stop the endless retries of an event by removing the place to which the event belongs."""
    places = circles(tmp_path / "places.geojson", office=200, district=5_000)
    command = 'read -r event; case $event in *office*) echo no >&2; exit 1 ;; *) echo "$event" ;; esac'
    with Program(tmp_path, "--exec", command, "--store", ".") as program:
        program.tell(line(0))
        assert program.error() == "no"
        assert mentions(program.error(), "1 for event 1")
        circles(places, district=5_000)
        program.process.send_signal(signal.SIGHUP)
        said = [program.error()]
        while "reloaded" not in said[-1]:  # the watch may report another failed delivery first
            said.append(program.error())
        assert said[-1].endswith(": 0 added, 0 replaced, 1 removed, 1 unchanged")
        assert program.event() == ("district", "satisfied")
        program.tell(line(1, 0.2))
        assert program.event() == ("district", "unsatisfied")


def test_an_event_that_waits_is_not_lost_to_new_conditions(tmp_path: Path) -> None:
    places = circles(tmp_path / "places.geojson", office=200, district=5_000)
    with Program(tmp_path, "--exec", "read -r event; echo no >&2; [ -e go ] && echo $event") as program:
        program.tell(line(0))
        assert program.error() == "no"
        assert mentions(program.error(), "1 for event 1")
        circles(places, office=200, district=5_000, town=20_000)
        program.process.send_signal(signal.SIGHUP)
        while "reloaded" not in program.error():
            pass
        (tmp_path / "go").touch()
        assert [program.event(), program.event()] == [("office", "satisfied"), ("district", "satisfied")]


def test_a_hang_up_while_a_command_runs_is_heard_after_it(tmp_path: Path) -> None:
    places = circles(tmp_path / "places.geojson", office=200)
    with Program(tmp_path, "--exec", "cat; echo runs >&2; while [ ! -e go ]; do sleep 0.05; done") as program:
        program.tell(line(0))
        assert program.error() == "runs"
        circles(places, office=200, town=20_000)
        for _ in range(50):
            program.process.send_signal(signal.SIGHUP)
        (tmp_path / "go").touch()
        assert "reloaded: 1 added" in program.error()
        program.tell(line(1))
        assert program.event() == ("office", "satisfied")
        assert program.event() == ("town", "satisfied")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--device", "/dev/ttyUSB0"), "argument --device: … gpsd://HOST:PORT"),
        (("--ahead", "-1"), "argument --ahead: -1"),
        (("--exec-timeout", "soon"), "argument --exec-timeout:"),
    ],
)
def test_options_that_cannot_be_used(arguments: tuple[str, ...], reason: str, run: Run, tmp_path: Path) -> None:
    circles(tmp_path / "places.geojson", office=200)
    ended = run("watch", "--source", "-", "--conditions", "places.geojson", *arguments)
    assert ended.returncode == 2
    assert mentions(ended.stderr, reason) and len(ended.stderr.splitlines()) == 1
