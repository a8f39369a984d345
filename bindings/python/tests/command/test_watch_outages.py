"""The command ``watch`` when something is wrong: fixes that are refused, clocks that ran ahead, commands that hang,
floods of bad lines, conditions that change. Nothing fails in silence, nothing is said without end, and nothing is deaf
for good."""

from __future__ import annotations

import fcntl
import json
import os
import random
import signal
import subprocess
import sys
import termios
import threading
import time
from array import array
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Run

from fencepost import CircularGeographicCondition, Event, Monitor
from fencepost._command import event_handlers
from fencepost._command.event_handlers import EventCommand
from fencepost._command.notices import Notices, to_stderr
from fencepost._command.signals import Signals
from fencepost._command.watched_monitor import ENOUGH, ROLLOVER, Watch

START = 1_700_000_000
LONGEST = 60.0
"""Seconds for anything that is waited for."""


class Clock:
    """Seconds that pass when the test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Watched:
    """A watch of one place, at a time of the test's choosing; what it says and the events that it handles."""

    def __init__(self, monitor: Monitor | None = None, **options: object) -> None:
        self.clock = Clock()
        self.wall_ahead = 0.0
        self.said: list[str] = []
        self.seen: list[Event] = []
        self.monitor = Monitor() if monitor is None else monitor
        if "office" not in self.monitor:
            self.monitor.add(CircularGeographicCondition(0, 0, 200), "office", policy="exact")
        self.notices = Notices(self.said.append, self.clock)
        self.watch = Watch(self.monitor, self.handle, self.notices, monotonic=self.clock, wall=self.wall, **options)  # type: ignore[arg-type]

    def wall(self) -> float:
        return START + self.clock.now + self.wall_ahead

    def handle(self, event: Event) -> bool:
        self.seen.append(event)
        return True

    def feed(self, late: float = 0.0, longitude: float = 0.0, accuracy: float = 5.0, passes: float = 1.0) -> None:
        """A second later a fix comes whose time is so many seconds behind the true time."""
        self.clock.now += passes
        assert self.watch.feed((0.0, longitude, accuracy, round((START + self.clock.now - late) * 1e6)), "it")
        self.watch.pass_time()
        self.watch.handle_events()
        self.notices.pass_time()

    @property
    def states(self) -> list[str]:
        return [str(event.state) for event in self.seen]


# ------------------------------------------------------------------------------------------ what is said


def test_notices_of_a_kind_are_said_once_a_minute_with_their_count() -> None:
    clock = Clock()
    said: list[str] = []
    notices = Notices(said.append, clock)
    for number in range(100_000):
        notices.seldom("line", f"line {number} is bad")
    notices.seldom("other", "something else")
    assert said == ["line 0 is bad", "something else"]
    assert notices.pause() == pytest.approx(60)
    clock.now += 60
    assert notices.pause() == 0
    notices.pass_time()
    assert said[2:] == ["line 99999 is bad (the last of 99999 within a minute)"]
    assert notices.pause() is None
    notices.seldom("line", "one more")
    notices.close()
    assert said[3:] == ["one more"]
    clock.now += 60
    notices.pass_time()
    notices.seldom("line", "after a long time")
    assert said[4:] == ["after a long time"], "at once again"


def test_what_a_device_sends_moves_no_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    to_stderr("line 1: \x1b[2Jgone\r\nfencepost: all is well\u2028\u0085 – ä " + "x" * 10_000)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(r"fencepost: line 1: \x1b[2Jgone\r\nfencepost: all is well\u2028\x85 – ä ")
    assert len(line) < 1_100


def test_a_receiver_that_falls_back_1024_weeks_is_said() -> None:
    watched = Watched()
    watched.feed()
    for _ in range(300):
        watched.feed(late=ROLLOVER / 1e6)
    assert watched.said[0] == (
        "it: 2004-03-30 22:30:02Z is 19.6 years (1024 weeks: the receiver's count of weeks may have rolled over) "
        "before the monitor's clock"
    )
    assert len(watched.said) == 5, "the first, then one a minute"
    assert all("(the last of 60 within a minute)" in said for said in watched.said[1:])
    watched.feed()
    assert watched.said[5] == "it: fixes are taken again, after 300 that were refused"
    watched.watch.report("it")
    assert watched.said[6] == "it: 300 of 302 fixes came late and were skipped"


def test_a_late_fix_now_and_then_is_no_flood() -> None:
    watched = Watched()
    for number in range(600):
        watched.feed(late=100.0 if number % 2 else 0.0)
    assert 2 <= len(watched.said) <= 11
    assert watched.watch.counts["late_fixes"] == 300


def test_a_receiver_without_a_position_and_one_whose_clock_stands_are_said() -> None:
    watched = Watched()
    watched.feed()
    for _ in range(90):
        watched.feed(accuracy=float("nan"))
    assert watched.said[0] == "it: the receiver has no position"
    assert len(watched.said) == 2
    standing = Watched()
    standing.feed()
    for second in range(1, 90):
        standing.feed(late=float(second))
    # The monitor's own clock follows by the lag of 5 s: then they are late.
    assert any("before the monitor's clock" in said for said in standing.said)
    still = Watched(lag=86_400.0)
    still.feed()
    for second in range(1, 90):
        still.feed(late=float(second))
    (said,) = still.said
    assert said.endswith("is the time of the fix before")
    assert still.watch.counts["double_fixes"] == 89


def test_times_that_no_calendar_has_are_refused_and_said() -> None:
    watched = Watched()
    watched.feed()
    for time_us in ((1 << 63) - 1, -(1 << 63)):
        assert watched.watch.feed((0.0, 0.0, 5.0, time_us), "it")
    assert "a time that no calendar has" in watched.said[0]
    assert watched.watch.counts["late_fixes"] + watched.watch.counts["future_fixes"] == 2


# ------------------------------------------------------------------------------------ a clock that ran ahead


def test_a_glitch_ahead_is_refused_and_deafens_nothing() -> None:
    for glitch in (61.0, 3_000.0, 1e9):
        watched = Watched()
        watched.feed()
        watched.feed(late=-glitch, longitude=0.01)
        assert watched.watch.counts["future_fixes"] == 1
        assert "ahead of this computer's clock; such fixes are refused without --any-time" in watched.said[0]
        watched.feed()
        watched.feed(longitude=0.01)
        assert watched.states == ["satisfied", "unsatisfied"], glitch
        assert watched.watch.counts["late_fixes"] == 0


@pytest.mark.parametrize("ahead", [60.0, None], ids=["by the wall clock", "any time"])
@pytest.mark.parametrize("glitch", [1.0, 4.9, 5.1, 8.0, 20.0, 59.0])
def test_a_small_glitch_ahead_deafens_for_no_longer_than_it_is(glitch: float, ahead: float | None) -> None:
    """Time that is counted on from it would stay ahead of every fix to come."""
    for delay in (0.0, 0.5, 2.0, 4.0):
        watched = Watched(ahead=ahead)
        watched.feed(late=delay)
        watched.feed(late=-glitch)
        before = watched.watch.counts["late_fixes"]
        for _ in range(round(glitch + delay) + 5):
            watched.feed(late=delay)
        late = watched.watch.counts["late_fixes"]
        assert late - before <= glitch + delay + 1, (glitch, delay)
        for number in range(10):
            watched.feed(late=delay, longitude=0.01 * (number % 2))
        assert watched.watch.counts["late_fixes"] == late
        assert watched.states[-2:] == ["satisfied", "unsatisfied"]


def test_no_sequence_of_fixes_deafens_for_good() -> None:
    """Whatever the receiver says, and whatever the monitor took for the time: fixes that are right are taken."""
    seed = int(os.environ.get("FENCEPOST_SEED", random.SystemRandom().randrange(1 << 32)))
    for life in range(150):
        generator = random.Random(f"{seed} {life}")
        watched = Watched(ahead=generator.choice([None, 60.0, 1e5]), lag=generator.choice([0.0, 5.0, 30.0]))
        for _ in range(generator.randrange(60)):
            off = generator.choice([0.0, 1.0, -1.0, 10.0, -10.0, -55.0, 3_000.0, -3_000.0, 6e8, -6e8, -1e5])
            accuracy = generator.choice([5.0, 5.0, 5.0, -1.0, float("nan")])
            passes = generator.choice([0.0, 0.1, 1.0, 1.0, 70.0])
            watched.feed(late=off * generator.random(), longitude=0.01, accuracy=accuracy, passes=passes)
        live = Watched(watched.monitor, lag=5.0)
        live.clock.now = watched.clock.now
        for _ in range(ENOUGH + 6):
            live.feed(late=0.5)
        late = live.watch.counts["late_fixes"]
        for number in range(6):
            live.feed(late=0.5, longitude=0.01 * (number % 2))
        assert live.watch.counts["late_fixes"] == late, f"seed {seed}, life {life}"
        assert live.states[-2:] == ["satisfied", "unsatisfied"], f"seed {seed}, life {life}"
        sequences = [event.sequence for event in (*watched.seen, *live.seen)]
        assert sequences == list(range(1, len(sequences) + 1)), f"seed {seed}, life {life}"


@pytest.mark.parametrize("glitch", [30.0, 3_000.0, 1e9])
def test_a_monitor_that_ran_ahead_is_rewound_by_fixes_that_are_right(glitch: float) -> None:
    watched = Watched(ahead=None)
    watched.feed()
    watched.feed(late=-glitch)
    live = Watched(watched.monitor)
    live.clock.now = watched.clock.now
    for number in range(1, ENOUGH + 1):
        assert live.seen == []
        live.feed(longitude=0.01)
        assert live.watch.counts["passed_fixes"] == min(number, ENOUGH - 1)
    assert live.states[-1] == "unsatisfied"
    (told,) = [said for said in live.said if "is put back from" in said]
    assert "ahead of this computer's, with which 5 fixes in a row agree" in told
    live.feed()
    live.feed(longitude=0.01)
    assert live.states[-2:] == ["satisfied", "unsatisfied"], "it goes on as ever"
    assert [event.sequence for event in live.seen] == list(range(2, 2 + len(live.seen)))


def test_a_monitor_that_ran_ahead_recovers_also_after_a_restart(tmp_path: Path) -> None:
    with Monitor("me", store=tmp_path) as monitor:
        watched = Watched(monitor, ahead=None)
        watched.feed(late=-1e9)
    for _ in range(2):
        with Monitor("me", store=tmp_path) as monitor:
            live = Watched(monitor)
            for _ in range(3 * ENOUGH):
                live.feed(longitude=0.01)
            assert (monitor.clock_us or 0) < (START + live.clock.now + 1) * 1e6
    assert live.said == [] or "before the monitor's clock" in live.said[0]
    with Monitor("me", store=tmp_path) as monitor:
        record = monitor.record("office")
        assert record is not None
        assert record.last_event.state == "unsatisfied"


def test_fixes_that_were_held_up_rewind_nothing() -> None:
    """The clock is right: five late fixes are a backlog."""
    watched = Watched()
    for _ in range(10):
        watched.feed()
    before = watched.monitor.clock_us
    for late in (8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0):
        watched.feed(late=late + 10, passes=0.01)
    assert watched.watch.counts["late_fixes"] >= ENOUGH
    assert (watched.monitor.clock_us or 0) >= (before or 0)
    assert watched.states == ["satisfied"]
    assert not any("put back" in said for said in watched.said)


def test_fixes_that_do_not_agree_with_the_clock_rewind_nothing() -> None:
    ahead = Watched(ahead=None)
    ahead.feed()
    ahead.feed(late=-3_000.0)
    live = Watched(ahead.monitor)
    live.clock.now = ahead.clock.now
    clock = live.monitor.clock_us
    for number in range(40):  # never five in a row: every fifth is of a receiver that is an hour behind
        live.feed(late=3_600.0 if number % ENOUGH == ENOUGH - 1 else 0.0)
    for _ in range(40):
        live.feed(late=-100.0, passes=0.1)
        live.feed(late=100.0, passes=0.1)
    assert live.monitor.clock_us == clock
    anyhow = Watched(ahead.monitor, ahead=None)
    anyhow.clock.now = live.clock.now
    for _ in range(40):
        anyhow.feed()
    assert anyhow.monitor.clock_us == clock, "with --any-time nothing is compared with the clock"


def test_a_computer_without_the_time_takes_fixes_once_it_has_it() -> None:
    watched = Watched()
    watched.wall_ahead = -START  # 1970
    for _ in range(10):
        watched.feed()
    assert watched.seen == []
    assert "53.9 years ahead of this computer's clock" in watched.said[0]
    watched.wall_ahead = 0.0
    watched.feed()
    assert watched.states == ["satisfied"]
    assert watched.said[-1] == "it: fixes are taken again, after 10 that were refused"


# ----------------------------------------------------------------------------------------------- commands


@pytest.fixture
def signals() -> Iterator[Signals]:
    with Signals() as entered:
        yield entered


@pytest.fixture
def event() -> Event:
    monitor = Monitor()
    monitor.add(CircularGeographicCondition(0, 0, 200), "office")
    watched = Watched(monitor)
    watched.feed()
    return watched.seen[0]


def is_gone(pid: int) -> bool:
    """Whether a process ends within the time limit; one that is a zombie has."""
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
    assert not EventCommand(command, signals, Notices(said.append), timeout=0.3)(event)
    assert time.monotonic() - started < LONGEST
    assert said == [f"the command for event {event.sequence} took longer than 0.3 s and was ended; it is run again"]
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
        return EventCommand(command, signals, Notices(said.append), timeout=LONGEST)(event)

    assert run("cat > told; sleep 0.1")
    assert json.loads((tmp_path / "told").read_text())["sequence"] == event.sequence
    assert run("exec < /dev/null; true"), "it need not read the event"
    assert run("sleep 1000 & echo $! > left"), "it may leave something running"
    os.kill(int((tmp_path / "left").read_text()), signal.SIGKILL)  # which is there, or this is an error
    assert said == []
    assert not run("exit 3")
    assert not run("kill -9 $$")
    assert not run("/no/such/command 2> /dev/null")
    assert [text.partition("; ")[0] for text in said] == [
        f"the command ended with {code} for event {event.sequence}" for code in (3, -9, 127)
    ]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_watch_whose_command_hangs(
    number: signal.Signals, event: Event, signals: Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within a moment, or at once with the second; a command that ends meanwhile has handled its event."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(event_handlers, "GRACE", 0.3)
    said: list[str] = []
    handler = EventCommand(f"kill -{number.value} {os.getpid()}; sleep 1000", signals, Notices(said.append))
    assert not handler(event)
    assert said == [
        f"the command for event {event.sequence} was ended because the watch stops; a watch that goes on from its "
        "store runs it again"
    ]
    monkeypatch.setattr(event_handlers, "GRACE", 10_000.0)
    signals.stops = 0
    twice = f"kill -{number.value} {os.getpid()}; sleep 0.5; kill -{number.value} {os.getpid()}; sleep 1000"
    assert not EventCommand(twice, signals, Notices(said.append))(event)
    signals.stops = 0
    once = f"kill -{number.value} {os.getpid()}; sleep 0.2"
    assert EventCommand(once, signals, Notices(said.append))(event)
    assert signals.is_stopped()


def test_a_command_that_takes_long_is_said(event: Event, signals: Signals, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_handlers, "MINUTE", 0.1)
    said: list[str] = []
    assert EventCommand("sleep 0.35", signals, Notices(said.append))(event)
    assert 1 <= len(said) <= 4
    assert said[0].startswith(f"the command for event {event.sequence} has been running for ")


# ------------------------------------------------------------------------------------- the whole program


def circles(path: Path, **radii: float) -> Path:
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
    fix = {"latitude": 0, "longitude": longitude, "accuracy": 5, "time": START + second}
    return json.dumps(fix) + "\n"


class Program:
    """``fencepost watch`` with a pipe for its source."""

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
        told = json.loads(self.process.stdout.readline())
        return told["identifier"], told["state"]

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
        assert "was ended because the watch stops" in program.error()
    with Program(tmp_path, "--store", ".") as program:
        assert program.event() == ("office", "satisfied"), "what was not handled waits"


def test_a_signal_ends_the_program_while_nobody_reads_its_output(tmp_path: Path) -> None:
    circles(tmp_path / "places.geojson", office=200)
    (tmp_path / "fixes.jsonl").write_text("".join(line(second, 0.01 * (second % 2)) for second in range(5_000)))
    with Program(tmp_path, source="fixes.jsonl") as program:
        assert program.process.stdout is not None
        waiting, end = array("i", [0]), time.monotonic() + LONGEST
        while waiting[0] < 60_000:  # of the 65 536 that a pipe holds
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
    assert [json.loads(told)["state"] for told in ended.stdout.splitlines()] == ["satisfied", "unsatisfied"]
    assert ended.stderr.splitlines() == [
        "fencepost: fixes: line 2: is not JSON",
        "fencepost: fixes: line 20001: is not JSON (the last of 19999 within a minute)",
    ]


def test_a_hang_up_has_the_conditions_read_again(tmp_path: Path) -> None:
    places = circles(tmp_path / "places.geojson", office=200, district=5_000)

    def hang_up(program: Program) -> str:
        program.process.send_signal(signal.SIGHUP)
        return program.error()

    with Program(tmp_path, "--store", ".") as program:
        program.tell(line(0))
        assert {program.event(), program.event()} == {("office", "satisfied"), ("district", "satisfied")}
        circles(places, office=200, town=20_000)
        assert hang_up(program) == "fencepost: places.geojson: read again: 1 added, 0 replaced, 1 removed, 1 as before"
        program.tell(line(1))
        assert program.event() == ("town", "satisfied")
        circles(places, office=100, town=20_000)
        assert hang_up(program).endswith(": 0 added, 1 replaced, 0 removed, 1 as before")
        program.tell(line(2))
        assert program.event() == ("office", "satisfied")
        for broken, reason in (
            ("{", "places.geojson: "),
            (json.dumps({"type": "FeatureCollection", "features": [{"type": "Feature"}]}), "places.geojson: "),
        ):
            places.write_text(broken)
            said = hang_up(program)
            assert said.startswith(f"fencepost: {reason}") and said.endswith("; the conditions stay as they were")
        places.unlink()
        assert hang_up(program).endswith("; the conditions stay as they were")
        program.tell(line(3, 0.01))
        assert program.event() == ("office", "unsatisfied")
        program.process.terminate()
        assert program.ends() == 0
    with Monitor("watch", store=tmp_path) as monitor:
        assert set(monitor.identifiers) == {"office", "town"}


def test_an_event_that_cannot_be_handled_goes_with_its_condition(tmp_path: Path) -> None:
    """The others are handled, once each: a place can be taken out whose events a command refuses."""
    places = circles(tmp_path / "places.geojson", office=200, district=5_000)
    command = 'read -r event; case $event in *office*) echo no >&2; exit 1 ;; *) echo "$event" ;; esac'
    with Program(tmp_path, "--exec", command, "--store", ".") as program:
        program.tell(line(0))
        assert program.error() == "no"
        assert "the command ended with 1 for event 1" in program.error()
        circles(places, district=5_000)
        program.process.send_signal(signal.SIGHUP)
        said = [program.error()]
        while "read again" not in said[-1]:  # it may have been tried again meanwhile
            said.append(program.error())
        assert said[-1].endswith(": 0 added, 0 replaced, 1 removed, 1 as before")
        assert program.event() == ("district", "satisfied")
        program.tell(line(1, 0.2))
        assert program.event() == ("district", "unsatisfied")


def test_an_event_that_waits_is_not_lost_to_new_conditions(tmp_path: Path) -> None:
    places = circles(tmp_path / "places.geojson", office=200, district=5_000)
    with Program(tmp_path, "--exec", "read -r event; echo no >&2; [ -e go ] && echo $event") as program:
        program.tell(line(0))
        assert program.error() == "no"
        assert "the command ended with 1 for event 1" in program.error()
        circles(places, office=200, district=5_000, town=20_000)
        program.process.send_signal(signal.SIGHUP)
        while "read again" not in program.error():
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
        assert "read again: 1 added" in program.error()
        program.tell(line(1))
        assert program.event() == ("office", "satisfied")
        assert program.event() == ("town", "satisfied")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--device", "/dev/ttyUSB0"), "argument --device: is for a gpsd"),
        (("--ahead", "-1"), "argument --ahead: -1 is not a number of seconds"),
        (("--exec-timeout", "soon"), "argument --exec-timeout: soon is not a number of seconds"),
    ],
)
def test_options_that_cannot_be_used(arguments: tuple[str, ...], reason: str, run: Run, tmp_path: Path) -> None:
    circles(tmp_path / "places.geojson", office=200)
    ended = run("watch", "--source", "-", "--conditions", "places.geojson", *arguments)
    assert ended.returncode == 2
    assert reason in ended.stderr and len(ended.stderr.splitlines()) == 1
