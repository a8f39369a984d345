"""Tests the ``watch`` command: it handles fixes as they arrive, lets time pass between them, and runs a command for
each event."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import SECOND, Run, mentions
from watching import START, Clock, circles, lines, notices_to, report

from fencepost import Circle, Event, Monitor
from fencepost._live.lines import LineError, parse_line
from fencepost._live.watched_monitor import Watch


@pytest.fixture
def clock() -> Clock:
    return Clock()


def watcher(clock: Clock, answers: Iterator[bool] | None = None, **options: object) -> tuple[Watch, list[Event]]:
    monitor = Monitor()
    monitor.add(Circle(0, 0, 200), "office")
    seen: list[Event] = []

    def handle(event: Event) -> bool:
        seen.append(event)
        return True if answers is None else next(answers)

    quiet = notices_to(lambda text: None, clock)
    made = Watch(monitor, handle, quiet, monotonic=clock, wall=lambda: START + clock.now, **options)  # type: ignore[arg-type]
    return made, seen


def row(seconds: float, longitude: float = 0.0, accuracy: float = 5.0) -> tuple[float, float, float, int]:
    return (0.0, longitude, accuracy, int((START + 1000 + seconds) * 1e6))


def test_time_passes_between_fixes(clock: Clock) -> None:
    watch, seen = watcher(clock)
    watch.feed(row(0))
    watch.feed(row(1, 0.01))  # leaves: due 20 s later
    watch.handle_events()
    assert [str(event.state) for event in seen] == ["satisfied"]
    assert watch.pause() == pytest.approx(25), "the dwell and the lag"
    clock.now += 24.9
    watch.pass_time()
    watch.handle_events()
    assert len(seen) == 1
    watch.feed(row(20.95, 0.01))  # this fix comes almost five seconds after its time, but does not count as late
    assert watch.counts["late_fixes"] == 0
    clock.now += 5.3
    watch.pass_time()
    watch.handle_events()
    assert [str(event.state) for event in seen] == ["satisfied", "unsatisfied"]
    assert seen[1].date_us == row(21)[3]
    assert watch.pause() is None


def test_an_event_is_handled_again_until_it_is(clock: Clock) -> None:
    answers = iter([False, False, True, True])
    watch, seen = watcher(clock, answers)
    watch.monitor.add(Circle(0, 0, 300), "district")
    watch.feed(row(0))
    watch.handle_events()
    assert watch.pause() == pytest.approx(1)
    record = watch.monitor.record("office")
    assert record is not None
    assert record.last_event.sequence == 0, "not handled, so not committed"
    clock.now += 0.5
    watch.handle_events()
    assert len(seen) == 1
    clock.now += 0.6
    watch.handle_events()
    assert watch.pause() == pytest.approx(2), "the pauses grow"
    assert not watch.is_done
    clock.now += 2
    watch.handle_events()
    assert [event.sequence for event in seen] == [1, 1, 1, 2]
    assert watch.is_done


def test_fixes_of_the_future_are_refused(clock: Clock) -> None:
    watch, seen = watcher(clock)
    watch.feed((0.0, 0.0, 5.0, int((START + clock.now) * 1e6) + 60 * SECOND + 1))
    watch.handle_events()
    assert watch.counts["future_fixes"] == 1
    assert not seen
    watch.feed((0.0, 0.0, 5.0, int((START + clock.now) * 1e6) + 60 * SECOND))
    watch.handle_events()
    assert len(seen) == 1
    anyhow, taken = watcher(clock, ahead=None)
    anyhow.feed(row(1e9))
    anyhow.handle_events()
    assert len(taken) == 1


def test_late_and_invalid_fixes_are_counted(clock: Clock) -> None:
    watch, _ = watcher(clock)
    for fix in (row(10), row(5), row(11, 181.0), row(12, 0.0, -1.0)):
        watch.feed(fix)
    assert watch.counts == {"fixes": 4, "late_fixes": 1, "invalid_fixes": 2}


# ------------------------------------------------------------------------------------------- lines


def test_lines_that_are_fixes() -> None:
    expected = (48.5, 11.25, 7.5, START * SECOND)
    for line in (
        f'{{"latitude": 48.5, "longitude": 11.25, "accuracy": 7.5, "time": {START}}}',
        '{"lat": 48.5, "lon": 11.25, "accuracy": 7.5, "time": "2023-11-14T22:13:20Z"}',
        '{"class":"TPV","mode":3,"time":"2023-11-14T22:13:20.000Z","lat":48.5,"lon":11.25,"eph":7.5}',
        '{"class":"TPV","mode":2,"time":"2023-11-14T22:13:20.000Z","lat":48.5,"lon":11.25,"epx":4.5,"epy":6}',
    ):
        assert parse_line(line.encode()) == expected
    assert parse_line(b'{"latitude": 1, "longitude": 2, "time": 3}') == (1.0, 2.0, 0.0, 3 * SECOND)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"  \r",
        b'{"class":"VERSION","release":"3.22"}',
        b'{"class":"TPV","mode":1}',
        b'{"class":"TPV","mode":3,"lat":1,"lon":2}',
        b'{"class":"TPV","mode":3,"time":"2023-11-14T22:13:20Z"}',
    ],
)
def test_lines_that_are_passed_over(line: bytes) -> None:
    assert parse_line(line) is None


@pytest.mark.parametrize(
    "line",
    [
        b"x",
        b"\xff",
        b"[1]",
        b"{}",
        b'{"latitude":1,"longitude":2}',
        b'{"latitude":"1","longitude":2,"time":3}',
        b'{"latitude":true,"longitude":2,"time":3}',
        b'{"latitude":1,"longitude":2,"time":"noon"}',
        b"[" * 100_000,
        b'{"latitude":1,"longitude":2,"time":true}',
        b'{"latitude":1e999,"longitude":2,"time":1e999}',
        b'{"latitude":' + b"9" * 400 + b',"longitude":2,"time":3}',
    ],
)
def test_lines_that_are_refused(line: bytes) -> None:
    with pytest.raises(LineError):
        parse_line(line)


# ------------------------------------------------------------------------------------- the command


@pytest.fixture
def conditions(tmp_path: Path) -> Path:
    return circles(tmp_path / "conditions.geojson", office=200)


def test_a_file_is_followed_to_its_end(run: Run, tmp_path: Path, conditions: Path) -> None:
    (tmp_path / "fixes.jsonl").write_text(lines((0, 0), (10, 0.01), (5, 0)) + "what?\n" + lines((20, 0)).rstrip("\n"))
    ended = run("watch", "--source", "fixes.jsonl", "--conditions", conditions)
    assert ended.returncode == 0
    assert [json.loads(line)["state"] for line in ended.stdout.splitlines()] == [
        "satisfied",
        "unsatisfied",
        "satisfied",
    ]
    assert mentions(ended.stderr, "fixes.jsonl: line 4: … JSON")
    assert "1 of 4 fixes came late" in ended.stderr


def test_the_command_gets_each_event_and_is_run_again(run: Run, tmp_path: Path, conditions: Path) -> None:
    (tmp_path / "fixes.jsonl").write_text(lines((0, 0), (10, 0.01)))
    # The command fails the first time it runs.
    command = "cat >> all; if [ ! -e failed ]; then touch failed; exit 3; fi"
    ended = run("watch", "--source", "fixes.jsonl", "--conditions", conditions, "--exec", command)
    assert ended.returncode == 0
    assert [json.loads(line)["sequence"] for line in (tmp_path / "all").read_text().splitlines()] == [1, 1, 2]
    assert mentions(ended.stderr, "3 … event 1")


def test_sigterm_stops_it(tmp_path: Path, conditions: Path) -> None:
    command = [sys.executable, "-m", "fencepost", "watch", "--source", "-", "--conditions", str(conditions)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(lines((0, 0)))
        process.stdin.flush()
        guard = threading.Timer(60, process.kill)
        guard.start()
        try:
            assert json.loads(process.stdout.readline())["state"] == "satisfied"
            os.kill(process.pid, signal.SIGTERM)
            assert process.wait(timeout=30) == 0
        finally:
            guard.cancel()


def test_a_gpsd_is_asked_and_followed(run: Run, conditions: Path) -> None:
    """The test's server sends the messages that gpsd would send."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)
        asked: list[bytes] = []

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                connection.settimeout(60)
                connection.sendall(b'{"class":"VERSION","release":"3.22","proto_major":3}\r\n')
                asked.append(connection.recv(1000))
                for second, longitude in ((0, 0), (10, 0.01)):
                    connection.sendall(report(second, longitude))

        thread = threading.Thread(target=serve)
        thread.start()
        ended = run(
            "watch",
            "--source",
            f"gpsd://127.0.0.1:{server.getsockname()[1]}",
            "--conditions",
            conditions,
            "--reconnect",
            "0",
        )
        thread.join(60)
    assert asked[0].startswith(b"?WATCH={")
    assert ended.returncode == 0, ended.stderr
    assert [json.loads(line)["state"] for line in ended.stdout.splitlines()] == ["satisfied", "unsatisfied"]


def test_bad_usage_is_one_line(run: Run, conditions: Path) -> None:
    for arguments in (
        ("--source", "nowhere.jsonl", "--conditions", conditions),
        ("--source", "gpsd://127.0.0.1:1", "--conditions", conditions),
        ("--source", "gpsd://127.0.0.1:port", "--conditions", conditions),
        ("--source", "-", "--conditions", "nowhere.geojson"),
        ("--source", "-", "--conditions", conditions, "--lag", "-1"),
        ("--conditions", conditions),
    ):
        ended = run("watch", *arguments)
        assert ended.returncode == 2, arguments
        assert len(ended.stderr.splitlines()) == 1, ended.stderr
        assert ended.stderr.startswith("fencepost: ")
