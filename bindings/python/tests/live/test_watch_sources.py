"""Tests the command ``watch``: NMEA and GPX on a pipe, a gpsd that disappears and comes back, and a monitor with a
store."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import OWN_TRACKS, ROOT, TRACKS, Run, mentions
from watching import circles, lines, notices_to, report

from fencepost import Monitor
from fencepost._files.track_files import read_track
from fencepost._files.tracks import FixRow
from fencepost._live.formats import MOST_UNDATED, Found, make_decoder
from fencepost._live.gpsd import Gpsd
from fencepost._live.lines import LineError

DRIVE = ROOT / "examples" / "data" / "drive.gpx"
DRIVE_CONDITIONS = ROOT / "examples" / "data" / "conditions.geojson"


def sentence(body: str) -> str:
    checksum = 0
    for character in body:
        checksum ^= ord(character)
    return f"${body}*{checksum:02X}\r\n"


def decoded(format: str, data: bytes, sizes: Callable[[], int]) -> tuple[list[FixRow], list[str]]:
    """Returns the fixes decoded from a stream that arrives in pieces."""
    decoder, at = make_decoder(format, "it"), 0
    rows: list[FixRow] = []
    errors: list[str] = []
    found: list[Found] = []
    while at < len(data):
        size = sizes()
        found += decoder.take(data[at : at + size])
        at += size
    found += decoder.end()
    for place, row in found:
        if isinstance(row, LineError):
            errors.append(f"{place}: {row}")
        else:
            rows.append(row)
    return rows, errors


def same(found: list[FixRow], expected: list[FixRow]) -> bool:
    # Compares the texts of the rows, because the accuracy of a fix without a position is NaN, and NaN does not equal
    # itself.
    return str(found) == str(expected)


@pytest.mark.parametrize("format", ["auto", "nmea"])
def test_sentences_on_a_pipe_are_those_of_the_file(format: str) -> None:
    generator = random.Random(1)
    own = [OWN_TRACKS / "nmea" / name for name in ("car-mountain-view.nmea", "quectel.log")]
    files = [*own, *sorted((TRACKS / "nmea" / "gpsd").glob("*.log")), *(TRACKS / "nmea").glob("ship-nbp1406-seap.txt")]
    compared = 0
    for path in files:
        try:
            expected = read_track(path).fixes
        except ValueError:
            continue
        rows, errors = decoded(format, path.read_bytes(), lambda: generator.choice([1, 7, 100, 5_000]))
        assert same(rows, expected), path.name
        assert len(errors) <= 1, errors
        compared += 1
    assert compared > (17 if TRACKS.is_dir() else 1)


def test_gpx_on_a_pipe_is_that_of_the_file() -> None:
    names = ("run-dc-garmin.gpx", "parser-edge-fix-whitespace.gpx", "apple-watch-hacc.gpx")
    shared = [TRACKS / "gpx" / name for name in names] if TRACKS.is_dir() else []
    for path in [OWN_TRACKS / "gpx" / "bike-basel.gpx", OWN_TRACKS / "gpx" / "car-moscow.gpx", *shared]:
        rows, errors = decoded("auto", path.read_bytes(), lambda: 1_000)
        assert same(rows, read_track(path).fixes)
        assert errors == []


def test_what_is_not_recognised_is_taken_for_json() -> None:
    fix = b'{"latitude": 1, "longitude": 2, "time": 3}\n'
    for start, faults in ((b"", 0), (b"\n \n", 0), (b"\xef\xbb\xbf", 0), (b'tude": 2}\n', 1), (b"no\n" * 30, 30)):
        rows, errors = decoded("auto", start + fix, lambda: 5)
        assert len(rows) == 1, start
        assert len(errors) == faults, start
    assert decoded("auto", b"", lambda: 5) == ([], [])
    fed, said = decoded("auto", b"what", lambda: 5)
    assert fed == [] and len(said) == 1 and mentions(said[0], "line 1: … JSON")


@pytest.mark.parametrize("size", [1, 3, 65_536])
def test_the_rest_of_an_endless_line_is_no_line(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """The rest of a line that is too long was read as further lines, so that a fix inside it was accepted."""
    monkeypatch.setattr("fencepost._live.formats.LONGEST_LINE", 300)
    fix = lines((0, 0.0)).encode()
    data = (
        b"a" * 2_000
        + b" " * 2_000
        + fix.strip()
        + b" " * 500
        + b"\n"
        + fix
        + b"b" * 400
        + b"\n"
        + lines((1, 0.0)).encode()
    )
    data = data if size > 3 else data.replace(b"a" * 2_000, b"a" * 200)
    rows, errors = decoded("jsonl", data, lambda: size)
    if size <= 3:
        assert errors == ["line 1: is not valid JSON", "line 3: is not valid JSON"]
    assert [row[3] for row in rows] == [1_700_000_000_000_000, 1_700_000_001_000_000]


def test_sentences_that_never_say_the_date_do_not_pile_up() -> None:
    clocks = [f"{second // 3600:02}{second // 60 % 60:02}{second % 60:02}" for second in range(MOST_UNDATED + 10)]
    text = "".join(sentence(f"GPGGA,{clock},3747.0873,S,17518.8938,E,1,08,1.1,59.9,M,23.7,M,,") for clock in clocks)
    rows, errors = decoded("nmea", text.encode(), lambda: 10_000)
    assert rows == []
    assert len(errors) == 2
    assert mentions(errors[0], f"line 1: … RMC … ZDA … date of {MOST_UNDATED + 1} ")
    assert mentions(errors[1], f"line {MOST_UNDATED + 2}: … RMC … ZDA … date of 9 ")


def test_a_serial_port_at_the_wrong_speed_is_said() -> None:
    """A long run of data without NMEA sentences is reported, and so is a long run of sentences of unused types."""
    whole = sentence("GPRMC,120000,A,5230.0,N,01324.0,E,0.0,0.0,070220,,,A").encode()
    noise = random.Random(5).randbytes(100_000)
    for data in (noise + b"\n" * 200, sentence("GPGSV,1,1,00").encode() * 250, b"!AIVDM,1,1,,A,13,0*00\r\n" * 250):
        rows, errors = decoded("nmea", whole + data + whole, lambda: 997)
        assert len(rows) == 1
        assert mentions(errors[0], "RMC, GGA … ZDA … 200")
    others = sentence("GPGSV,1,1,00").encode() * 30
    assert decoded("nmea", (whole + others) * 50, lambda: 997)[1] == []


@pytest.mark.parametrize("format", ["auto", "jsonl", "nmea", "gpx"])
def test_any_bytes_are_survived(format: str) -> None:
    for seed in range(150):
        generator = random.Random(seed)
        start = generator.choice([b"", b"$GPRMC,", b'{"', b"<gpx", b"$GPGGA,1,2\n" * 3])
        try:
            rows, _ = decoded(format, start + generator.randbytes(300), lambda: 64)
        except ValueError as error:
            assert str(error).startswith("it: "), (seed, error)  # for GPX, expect one line that gives the reason
        else:
            assert rows == [], seed


def test_a_drive_on_a_pipe_gives_the_events_of_its_replay(run: Run, tmp_path: Path) -> None:
    replayed = run("replay", DRIVE, "--conditions", DRIVE_CONDITIONS, "--format", "jsonl")
    with DRIVE.open() as drive:
        ended = run("watch", "--source", "-", "--conditions", DRIVE_CONDITIONS, stdin=drive)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == replayed.stdout
    assert len(ended.stdout.splitlines()) > 3


def test_what_cannot_be_watched_is_one_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "walk.gpx").write_text('<gpx version="1.1"><wpt lat="1" lon="2"/></gpx>')
    (tmp_path / "broken.gpx").write_text('<gpx version="1.1"><wpt lat="1"')
    for arguments, reason in (
        (("--source", "walk.gpx"), "walk.gpx:"),
        (("--source", "broken.gpx"), "broken.gpx: line 1: … XML"),
        (("--source", "walk.gpx", "--store", "nowhere"), "nowhere"),
        (("--source", "walk.gpx", "--store", ".", "--name", "a b"), "name"),
        (("--source", "walk.gpx", "--format", "csv"), "--format"),
    ):
        ended = run("watch", "--conditions", DRIVE_CONDITIONS, *arguments)
        assert ended.returncode == 2, arguments
        assert mentions(ended.stderr, reason), ended.stderr
        assert len(ended.stderr.splitlines()) == 1


# ------------------------------------------------------------------------------------------- stores


def test_a_source_given_again_is_passed_over(run: Run, tmp_path: Path) -> None:
    """The second run skips all fixes that the first run processed, including fixes with equal times, which cannot be
    told apart by the clock alone."""
    conditions = circles(tmp_path / "conditions.geojson", office=200)
    way = ((0, 0), (10, 0.01), (10, 0), (20, 0), (20, 0.01))
    (tmp_path / "fixes").write_text(lines(*way))
    watch = ("watch", "--source", "fixes", "--conditions", conditions, "--store", ".", "--name", "me")
    first = run(*watch)
    assert [json.loads(line)["sequence"] for line in first.stdout.splitlines()] == [1, 2, 3]
    assert mentions(first.stderr, "2 … 5 fixes … time")
    again = run(*watch)
    assert again.stdout == ""
    assert mentions(again.stderr, "5 … 5 fixes … time")
    assert "late" not in again.stderr and "skipped" not in again.stderr
    (tmp_path / "fixes").write_text(lines(*way, (30, 0.01)))
    on = run(*watch)
    assert mentions(on.stderr, "5 of 6 fixes … already") and "late" not in on.stderr
    assert [json.loads(line)["sequence"] for line in on.stdout.splitlines()] == [4]
    assert sorted(path.name for path in tmp_path.glob("*.fencepost*")) == ["me.fencepost"]


def test_the_file_says_which_conditions_there_are(run: Run, tmp_path: Path) -> None:
    conditions = circles(tmp_path / "conditions.geojson", office=200, district=5_000)
    (tmp_path / "fixes").write_text(lines((0, 0)))
    watch = ("watch", "--source", "fixes", "--conditions", conditions, "--store", ".")
    assert len(run(*watch).stdout.splitlines()) == 2
    circles(conditions, office=200, town=20_000)
    # Unchanged conditions keep their state; the next fix determines the states of new conditions.
    (tmp_path / "fixes").write_text(lines((0, 0), (1, 0)))
    assert [json.loads(line)["identifier"] for line in run(*watch).stdout.splitlines()] == ["town"]
    with Monitor("watch", store=tmp_path) as monitor:
        assert set(monitor.identifiers) == {"office", "town"}


def test_what_was_not_handled_waits_for_the_next_start(run: Run, tmp_path: Path) -> None:
    conditions = circles(tmp_path / "conditions.geojson", office=200, district=300)
    (tmp_path / "fixes").write_text(lines((0, 0)))
    command = [
        sys.executable,
        "-m",
        "fencepost",
        "watch",
        "--source",
        "fixes",
        "--conditions",
        str(conditions),
        "--store",
        ".",
        "--exec",
        "cat >> log; false",
    ]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        guard = threading.Timer(60, process.kill)
        guard.start()
        try:
            assert process.stderr is not None
            assert "for event 1" in process.stderr.readline()
            os.kill(process.pid, signal.SIGTERM)
            assert process.wait(timeout=60) == 0
        finally:
            guard.cancel()
    ended = run("watch", "--source", "/dev/null", "--conditions", conditions, "--store", ".")
    assert ended.returncode == 0, ended.stderr
    assert [json.loads(line)["sequence"] for line in ended.stdout.splitlines()] == [1, 2]


def test_a_store_in_use_is_refused(run: Run, tmp_path: Path) -> None:
    conditions = circles(tmp_path / "conditions.geojson", office=200)
    with Monitor("watch", store=tmp_path):
        ended = run("watch", "--source", "/dev/null", "--conditions", conditions, "--store", ".")
    assert ended.returncode == 2
    assert len(ended.stderr.splitlines()) == 1


# --------------------------------------------------------------------------------------------- gpsd


def test_a_gpsd_that_goes_is_asked_again(run: Run, tmp_path: Path) -> None:
    """The stand-in for gpsd disconnects in the middle of a report, and comes back once."""
    conditions = circles(tmp_path / "conditions.geojson", office=200)
    asked: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)
        port = server.getsockname()[1]

        def serve() -> None:
            for reported in (report(0, 0) + report(5, 0.01)[:20], report(0, 0) + report(10, 0.01)):
                connection, _ = server.accept()
                with connection:
                    connection.settimeout(60)
                    asked.append(connection.recv(1000))
                    connection.sendall(reported)
            server.close()

        thread = threading.Thread(target=serve)
        thread.start()
        ended = run("watch", "--source", f"gpsd://127.0.0.1:{port}", "--conditions", conditions, "--reconnect", "2.5")
        thread.join(60)
    assert len(asked) == 2
    assert all(question.startswith(b"?WATCH={") for question in asked)
    assert [json.loads(line)["state"] for line in ended.stdout.splitlines()] == ["satisfied", "unsatisfied"]
    assert mentions(ended.stderr, "line 2: … JSON")
    assert ended.returncode == 2, "it did not come back"
    assert ended.stderr.splitlines()[-1].startswith(f"fencepost: gpsd://127.0.0.1:{port}: Connection refused")


def test_the_pauses_before_a_lost_gpsd_is_tried_grow_and_end() -> None:
    now = [0.0]
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)
        port = server.getsockname()[1]
        source = Gpsd(f"gpsd://127.0.0.1:{port}", 300.0, notices_to(lambda text: None), monotonic=lambda: now[0])
        server.accept()[0].close()
    while source.retry_at is None:  # wait for the end of the connection; data may arrive first
        assert list(source.read() or ()) == []
    tried = []
    with pytest.raises(OSError, match="Connection refused"):
        while True:
            now[0] = source.retry_at
            tried.append(now[0])
            source.reconnect()
    assert tried == [1, 3, 7, 15, 31, 63, 123, 183, 243, 300]
    source.close()
