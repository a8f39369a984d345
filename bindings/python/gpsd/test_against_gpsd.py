"""Tests `fencepost watch` with the real gpsd; gpsfake plays the logs of receivers to gpsd through pseudo terminals.

The test needs Debian's gpsd and gpsd-clients, the shared logs and a pseudo terminal; if one of them is missing, the
test is skipped with a message.
"""

from __future__ import annotations

import json
import os
import random
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from fencepost import Circle, Fix, Monitor, TransitionPolicy
from fencepost._files.track_files import read_track
from fencepost._tables.text_times import parse_time

ROOT = Path(__file__).resolve().parents[3]
LOGS = Path(os.environ.get("FENCEPOST_SHARED", ROOT.parent / "shared")) / "data" / "tracks" / "nmea" / "gpsd"
LONGEST = 180.0
"""Timeout of every wait, in seconds."""


def missing() -> str:
    if not LOGS.is_dir():
        return f"{LOGS} is not there"
    if not shutil.which("gpsfake") or not (shutil.which("gpsd") or os.access("/usr/sbin/gpsd", os.X_OK)):
        return "gpsd and gpsd-clients are not installed: .ci/gpsd.sh"
    try:
        for end in os.openpty():
            os.close(end)
    except OSError as error:
        return f"there is no pseudo terminal: {error.strerror}"
    return ""


pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())


@contextmanager
def playing(port: int, *logs: str) -> Iterator[subprocess.Popen[bytes]]:
    """Runs gpsfake, which plays logs in a loop, each log as a separate device; its gpsd has these devices and listens
    on a port of the loopback interface.

    gpsfake waits until the file of gpsd's control socket exists, and then ignores a refused connection to the socket.
    After a refused connection, gpsd has no device, and the test would wait in vain. gpsd also has no device if a killed
    gpsd left the file behind and the killed gpsfake had the same process id as the new gpsfake. Therefore each gpsfake
    gets a new folder for the socket, and a gpsfake whose gpsd has no device is replaced.
    """
    end = time.monotonic() + LONGEST
    while True:
        with started(port, *logs) as process:
            if has_devices(process, port, len(logs)):
                yield process
                return
        assert time.monotonic() < end, "gpsd has no device"


@contextmanager
def started(port: int, *logs: str) -> Iterator[subprocess.Popen[bytes]]:
    """A gpsfake with its gpsd; both are killed at the end of the block."""
    with TemporaryDirectory() as folder:
        environment = {**os.environ, "PATH": f"{os.environ['PATH']}:/usr/sbin", "TMPDIR": folder}
        # gpsfake plays the log so slowly that a client that connects a second late still receives most of the log.
        command = ["gpsfake", "-q", "-c", "0.03", "-P", str(port), *(str(LOGS / log) for log in logs)]
        # gpsfake gets its own session, so that its child, the daemon, can be killed together with it.
        process = subprocess.Popen(
            command, env=environment, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        try:
            yield process
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(LONGEST)
            if process.stderr is not None:
                process.stderr.close()


def has_devices(process: subprocess.Popen[bytes], port: int, count: int) -> bool:
    """Waits until the gpsd of this gpsfake lists its devices. Returns False if gpsd has listened for 10 s without
    listing all devices."""
    end, listening = time.monotonic() + LONGEST, None
    while listening is None or time.monotonic() < listening + 10:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=LONGEST) as connection:
                listening = listening or time.monotonic()
                connection.sendall(b"?DEVICES;\n")
                for line in connection.makefile("rb"):
                    answer = json.loads(line)
                    if answer["class"] == "DEVICES":
                        if len(answer["devices"]) == count:
                            return True
                        break
        except OSError:
            assert process.poll() is None, f"gpsfake ended: {process.stderr.read()!r}"  # type: ignore[union-attr]
            assert time.monotonic() < end, "gpsd does not listen"
        time.sleep(0.1)
    return False


@pytest.fixture
def port() -> int:
    """Finds a free port below the range from which the system takes ports for outgoing connections. If a watch
    repeatedly tries a closed port in the range for outgoing connections, the system may choose the same port for the
    watch's own end, and the watch then connects to itself."""
    while True:
        try:
            with socket.create_server(("127.0.0.1", random.SystemRandom().randrange(10_000, 32_000))) as server:
                return int(server.getsockname()[1])
        except OSError:
            pass


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


class Watching:
    """Runs `fencepost watch` with a gpsd, and reads the watch's output."""

    def __init__(self, folder: Path, port: int, circles: dict[str, tuple[float, float, float]], *more: str) -> None:
        features = [
            {
                "type": "Feature",
                "geometry": {"type": "Point", "coordinates": [longitude, latitude]},
                "properties": {"identifier": name, "radius": radius, "policy": "exact"},
            }
            for name, (latitude, longitude, radius) in circles.items()
        ]
        (folder / "conditions.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": features}))
        command = [
            sys.executable,
            "-m",
            "fencepost",
            "watch",
            "--source",
            f"gpsd://127.0.0.1:{port}",
            "--conditions",
            "conditions.geojson",
            *more,
        ]
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self._rest = {self.process.stdout: b"", self.process.stderr: b""}

    def line(self, errors: bool = False) -> str:
        """Returns the next line of output within the time limit."""
        stream = self.process.stderr if errors else self.process.stdout
        assert stream is not None
        end = time.monotonic() + LONGEST
        while b"\n" not in self._rest[stream]:
            ready, _, _ = select.select([stream], [], [], max(0.0, end - time.monotonic()))
            assert ready, "nothing comes"
            piece = os.read(stream.fileno(), 65_536)
            assert piece, f"it has ended: {self._rest}"
            self._rest[stream] += piece
        line, _, self._rest[stream] = self._rest[stream].partition(b"\n")
        return line.decode()

    def event(self) -> dict[str, Any]:
        return json.loads(self.line())  # type: ignore[no-any-return]

    def stop(self) -> tuple[str, str]:
        """Ends the watch with SIGTERM; returns the rest of its output."""
        self.process.send_signal(signal.SIGTERM)
        output, errors = self.process.communicate(timeout=LONGEST)
        assert self.process.returncode == 0, errors
        return (self._rest[self.process.stdout] + output).decode(), (self._rest[self.process.stderr] + errors).decode()

    def __enter__(self) -> Watching:
        return self

    def __exit__(self, *error: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate(timeout=LONGEST)


def is_connected(process: subprocess.Popen[bytes], port: int) -> bool:
    """True if a process has a connection to the given port of the loopback interface."""
    links = []
    for each in Path(f"/proc/{process.pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed meanwhile
            links.append(str(each.readlink()))
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return any(row[2].endswith(f":{port:04X}") and row[3] == "01" and f"socket:[{row[9]}]" in links for row in rows)


def place(log: str, index: int) -> tuple[float, float]:
    row = read_track(LOGS / log).fixes[index]
    return row[0], row[1]


def test_a_receiver_in_the_past_is_followed(tmp_path: Path, port: int, stack: ExitStack) -> None:
    """The watch finds the same crossing at the same time as a replay of the log."""
    log = "quectel.log"
    rows = read_track(LOGS / log).fixes
    start = rows[0]

    # The device drifts. The device leaves the circle around its start late in the log, long after gpsd has begun to
    # report fixes.
    def crossings(radius: float) -> list[tuple[str, int | None]]:
        monitor = Monitor()
        monitor.add(Circle(*start[:2], radius), "start", policy=TransitionPolicy.exact())
        for row in rows:
            monitor.feed(Fix(*row[:3], time=row[3]))
        return [(str(event.state), event.date_us) for event in monitor.events()]

    radius = next(
        radius / 10
        for radius in range(60, 1, -1)
        if len(found := crossings(radius / 10)) >= 2 and (found[1][1] or 0) > rows[15][3]
    )
    expected = crossings(radius)
    with playing(port, log) as player:
        # The log is played only when the watch is ready: on a busy machine the watch might otherwise start after the
        # device has left the circle.
        player.send_signal(signal.SIGSTOP)
        watching = stack.enter_context(Watching(tmp_path, port, {"start": (*start[:2], radius)}))
        end = time.monotonic() + LONGEST
        while not is_connected(watching.process, port):
            assert time.monotonic() < end and watching.process.poll() is None, "it does not connect"
            time.sleep(0.05)
        player.send_signal(signal.SIGCONT)
        first, second = watching.event(), watching.event()
        _, errors = watching.stop()
    assert first["state"] == "satisfied"
    assert first["date"].startswith("2020-10-07T")
    assert (second["state"], parse_time(second["date"])) == expected[1]
    assert "ahead of" not in errors


def test_a_receiver_after_its_week_roll_over_is_refused(tmp_path: Path, port: int) -> None:
    """The log is from 2014, but gpsd reports the year 2034 for it."""
    log = "bu353s4.log"
    circles = {"hamilton": (*place(log, 0), 100.0)}
    with playing(port, log):
        with Watching(tmp_path, port, circles) as watching:
            # Until the watch prints the message about the time, it may report that there is no device yet, or no device
            # with a fix.
            while not watching.line(errors=True).endswith("--any-time"):
                pass
            output, errors = watching.stop()
        assert output == ""
        assert "too far ahead" in errors
        with Watching(tmp_path, port, circles, "--any-time") as watching:
            event = watching.event()
            watching.stop()
    assert (event["identifier"], event["state"], event["date"][:4]) == ("hamilton", "satisfied", "2034")


def test_one_of_two_devices_is_followed(tmp_path: Path, port: int) -> None:
    """Follows the named device or, if none is named, the first device that has a fix; in the latter case, prints a
    message."""
    logs = ("quectel.log", "bu353s4.log")
    circles = {log: (*place(log, 20), 500.0) for log in logs}
    with playing(port, *logs):
        with Watching(tmp_path, port, circles, "--any-time") as watching:
            states = {event["identifier"]: event["state"] for event in (watching.event(), watching.event())}
            said = next(line for line in iter(lambda: watching.line(errors=True), "") if "several devices" in line)
            watching.stop()
        assert sorted(states.values()) == ["satisfied", "unsatisfied"]
        _, _, reported = said.partition("several devices: ")
        first, other = (part.partition(";")[0].split()[-1] for part in reported.split(", ")[:2])
        assert first != other and said.endswith("--device")
        for device, expected in ((first, states), (other, {name: _opposite(state) for name, state in states.items()})):
            with Watching(tmp_path, port, circles, "--any-time", "--device", device) as watching:
                found = {event["identifier"]: event["state"] for event in (watching.event(), watching.event())}
                watching.stop()
            assert found == expected, device
        with Watching(tmp_path, port, circles, "--any-time", "--device", "/dev/none") as watching:
            assert "no device /dev/none; " in watching.line(errors=True)
            watching.stop()


def _opposite(state: str) -> str:
    return "unsatisfied" if state == "satisfied" else "satisfied"


def test_a_daemon_that_goes_is_found_again(tmp_path: Path, port: int) -> None:
    with ExitStack() as stack:
        with playing(port, "quectel.log"):
            circles = {"hamilton": (*place("bu353s4.log", 0), 100.0)}
            watching = stack.enter_context(Watching(tmp_path, port, circles, "--any-time", "--store", "."))
            first = watching.event()
        with playing(port, "bu353s4.log"):
            second = watching.event()
            _, errors = watching.stop()
    lost = errors.index(f"gpsd://127.0.0.1:{port}: connection lost: ")
    assert errors.index(f"gpsd://127.0.0.1:{port}: connected ") > lost
    assert (first["state"], first["date"][:4]) == ("unsatisfied", "2020")
    assert (second["state"], second["date"][:4], second["sequence"]) == ("satisfied", "2034", 2)


def test_a_daemon_that_does_not_come_back_ends_it(tmp_path: Path, port: int) -> None:
    with ExitStack() as stack:
        with playing(port, "quectel.log"):
            watching = stack.enter_context(Watching(tmp_path, port, {"sea": (0.0, 0.0, 100.0)}, "--reconnect", "1.5"))
            watching.event()
        _, errors = watching.process.communicate(timeout=LONGEST)
    assert watching.process.returncode == 2
    assert f"gpsd://127.0.0.1:{port}: Connection refused" in errors.decode()
