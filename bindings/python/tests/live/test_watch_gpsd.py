"""Tests the command ``watch`` with a gpsd that disappears and comes back, with a gpsd that accepts connections and
closes them at once, and with a gpsd that has two devices.

In these tests a stand-in sends the messages of gpsd; ``gpsd/test_against_gpsd.py`` uses the real daemon."""

from __future__ import annotations

import errno
import json
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import Run, mentions
from watching import LONGEST, Clock, circles, notices_to, report

from fencepost._files.tracks import FixRow
from fencepost._live.gpsd import Gpsd, _Reports
from fencepost._live.lines import LineError

BANNER = b'{"class":"VERSION","release":"3.22","proto_major":3}\r\n'


@contextmanager
def serving(*lives: bytes, again: bytes | None = None) -> Iterator[str]:
    """Runs a stand-in for gpsd. For each text in `lives`, the stand-in accepts a connection, sends the text and closes
    the connection. After the last text in `lives`, the stand-in sends `again` on each new connection; if `again` is
    None, the stand-in stops listening."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(LONGEST)
        ended = threading.Event()

        def serve() -> None:
            left = list(lives)
            while not ended.is_set() and (left or again is not None):
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    reported = left.pop(0) if left else again
                    connection.settimeout(LONGEST)
                    if reported:
                        connection.recv(1000)
                        connection.sendall(reported)
            server.close()

        thread = threading.Thread(target=serve)
        thread.start()
        port = server.getsockname()[1]
        try:
            yield f"gpsd://127.0.0.1:{port}"
        finally:
            ended.set()
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
            except OSError:
                pass
            thread.join(LONGEST)


def test_a_loss_and_a_return_are_said(run: Run, tmp_path: Path) -> None:
    conditions = circles(tmp_path / "places.geojson", office=200)
    with serving(BANNER + report(0, 0), BANNER + report(10, 0.01)) as url:
        ended = run("watch", "--source", url, "--conditions", conditions, "--reconnect", "2.5")
    assert [json.loads(line)["state"] for line in ended.stdout.splitlines()] == ["satisfied", "unsatisfied"]
    lost, found, again, refused = ended.stderr.splitlines()
    assert mentions(lost, f"fencepost: {url}: connection lost: … gpsd … 2.5 s")
    assert mentions(found, f"fencepost: {url}: … 1 s")
    assert again == lost
    assert refused.startswith(f"fencepost: {url}: Connection refused")
    assert ended.returncode == 2


@pytest.mark.parametrize("reported", [b"", BANNER, BANNER + b"no report\r\n"], ids=["nothing", "a banner", "nonsense"])
def test_a_port_that_accepts_and_closes_at_once_is_lost(reported: bytes, run: Run, tmp_path: Path) -> None:
    """A port that accepts connections and closes them at once is treated like a port that refuses connections. When the
    time given by ``--reconnect`` is over, the watch ends and prints one line that gives the reason."""
    conditions = circles(tmp_path / "places.geojson", office=200)
    with serving(report(0, 0), again=reported) as url:
        ended = run("watch", "--source", url, "--conditions", conditions, "--reconnect", "2")
    assert ended.returncode == 2, ended.stderr
    said = [line for line in ended.stderr.splitlines() if "JSON" not in line]
    first, last = said
    assert mentions(first, f"fencepost: {url}: connection lost: … gpsd … 2 s")
    assert any(mentions(last, f"fencepost: {url}: … {why}") for why in ("closed", os.strerror(errno.ECONNRESET)))


def accepted(server: socket.socket, source: Gpsd, reported: bytes = b"") -> None:
    """Accepts a source's connection, sends a text, and lets the source read the text to its end."""
    connection, _ = server.accept()
    with connection:
        connection.sendall(reported)
    connection.close()
    while source.retry_at is None:
        for _, row in source.read() or ():
            assert not isinstance(row, LineError)


def test_the_pauses_grow_however_a_gpsd_fails() -> None:
    clock, said = Clock(0.0), list[str]()
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(LONGEST)
        port = server.getsockname()[1]
        source = Gpsd(f"gpsd://127.0.0.1:{port}", 300.0, notices_to(said.append, clock), monotonic=clock)
        accepted(server, source)
        tried = []
        with pytest.raises(OSError, match=f"closed|{os.strerror(errno.ECONNRESET)}"):
            while source.retry_at is not None:
                clock.now = source.retry_at
                tried.append(clock.now)
                source.reconnect()
                accepted(server, source, BANNER)
        assert tried == [1, 3, 7, 15, 31, 63, 123, 183, 243, 300]
        assert len(said) == 1
        source.close()


def test_a_life_with_a_fix_or_of_a_minute_restarts_the_retry_time() -> None:
    clock, said = Clock(0.0), list[str]()
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(LONGEST)
        port = server.getsockname()[1]
        source = Gpsd(f"gpsd://127.0.0.1:{port}", 30.0, notices_to(said.append, clock), monotonic=clock)
        accepted(server, source)
        for _ in range(5):
            clock.now = source.retry_at or 0
            source.reconnect()
            clock.now += 20
            accepted(server, source, report(0, 0))
        assert [text.partition(": ")[2].partition(" ")[0].rstrip(":,") for text in said].count("connected") == 5
        for _ in range(5):
            clock.now = source.retry_at or 0
            source.reconnect()
            clock.now += 60
            accepted(server, source, BANNER)
        source.close()


def reports(*lines: bytes, device: str | None = None, seconds: float = 1.0) -> tuple[list[FixRow], list[str]]:
    """Returns the fixes and notices for reports that arrive at intervals of `seconds` seconds."""
    clock, said = Clock(0.0), list[str]()
    decoder = _Reports("gps", device, notices_to(said.append, clock), clock)
    rows = []
    for line in lines:
        clock.now += seconds
        for _, row in decoder.take(line):
            if isinstance(row, LineError):
                said.append(str(row))
            else:
                rows.append(row)
    return rows, said


def test_of_two_devices_the_first_is_followed_and_said() -> None:
    both = [report(second, 0.5 * (second % 2), "/dev/b" if second % 2 else "/dev/a") for second in range(20)]
    rows, said = reports(*both)
    assert [row[1] for row in rows] == [0.0] * 10
    assert len(said) == 1 and mentions(said[0], "gps: … /dev/a … /dev/b … --device")
    rows, said = reports(*both, device="/dev/b")
    assert [row[1] for row in rows] == [0.5] * 10
    assert said == []


def test_a_device_that_falls_silent_is_said() -> None:
    rows, said = reports(report(0, 0, "/dev/a"), *[report(1, 0.5, "/dev/b")] * 200)
    assert len(rows) == 1
    assert mentions(said[1], "gps: /dev/b … fixes, … /dev/a, … 60 … --device")
    assert len(said) == 2 + 2, "once a minute"
    rows, said = reports(*[report(1, 0.5, "/dev/b")] * 61, device="/dev/a")
    assert rows == []
    assert len(said) == 1 and mentions(said[0], "gps: /dev/b … /dev/a, … 60 s … --device")


def test_a_receiver_without_a_fix_is_said() -> None:
    lost = b'{"class":"TPV","device":"/dev/a","mode":1}\n'
    rows, said = reports(report(0, 0, "/dev/a"), *[lost] * 200, report(1, 0, "/dev/a"))
    assert len(rows) == 2
    assert len(said) == 3
    for text, words in zip(said, ("gps: … 60 s", "gps: … 120 s (… 60 ", "gps: … 180 s (… 60 ")):
        assert mentions(text, words)


def test_what_gpsd_says_of_its_devices_is_said() -> None:
    def devices(*paths: str) -> bytes:
        return json.dumps({"class": "DEVICES", "devices": [{"path": path} for path in paths]}).encode() + b"\n"

    assert reports(devices("/dev/a"))[1] == []
    (said,) = reports(devices())[1]
    assert mentions(said, "gps: … device")
    assert reports(devices("/dev/a", "/dev/b"), device="/dev/a")[1] == []
    two = devices("/dev/a", "/dev/b")
    (said,) = reports(two, device="/dev/c")[1]
    assert mentions(said, "gps: … /dev/c … /dev/a, /dev/b")
    assert reports(b'{"class":"ERROR","message":"Can\'t perform that"}\n')[1] == ["gpsd says: Can't perform that"]


@pytest.mark.parametrize(
    "line",
    [
        b'{"class":"DEVICES","devices":5}',
        b'{"class":"DEVICES","devices":[5,null,{"path":7},{}]}',
        b'{"class":"ERROR"}',
        b'{"class":["TPV"]}',
        b'{"class":"TPV","mode":3,"time":"2023-11-14T22:13:20Z","lat":0,"lon":0,"device":{"a":1}}',
        b"[" * 100_000,
        b"\xff\x00",
    ],
)
def test_no_report_ends_a_watch(line: bytes) -> None:
    rows, said = reports(line + b"\n", report(1, 0.0, ""))
    assert rows[-1][1] == 0.0
    assert len(said) <= 2


def test_many_devices_are_no_flood() -> None:
    lines = [report(0, 0, "/dev/a"), *(report(1, 0.5, f"/dev/{number}") for number in range(5_000))]
    rows, said = reports(*lines, seconds=0.01)
    assert len(rows) == 1
    assert len(said) == 1
