"""Tests tracks that come through a pipe, which can be read only once, outputs that would overwrite an input, and cells
and columns that are easily mistaken."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import mentions

from fencepost import Circle, EventLog, InputError, replay

HERE = {"here": Circle(0, 0, 100)}
ROWS = "".join(f"{'ab'[row % 2]},{1_714_560_000 + row},0,{row % 7 / 1000}\n" for row in range(5_000))
TEXT = f"car,time,lat,lon\n{ROWS}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "t.csv").write_text(TEXT)
    (tmp_path / "c.csv").write_text("id,lat,lon,radius\nhere,0,0,100\n")
    return tmp_path


def command(folder: Path, *arguments: str, input: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    words = [sys.executable, "-m", "fencepost", "replay", *arguments, "--conditions", "c.csv", "--policy", "exact"]
    return subprocess.run([*words, "--format", "jsonl"], cwd=folder, input=input, capture_output=True, check=False)


def piped(path: Path, data: bytes, use: Callable[[], EventLog]) -> EventLog:
    """Writes the data once into a named pipe while it is used."""
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(data,), daemon=True)
    writer.start()
    found = use()
    writer.join()
    return found


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_command_reads_many_tracks_from_a_pipe(folder: Path, jobs: str) -> None:
    expected = command(folder, "t.csv", "--by", "car")
    assert expected.returncode == 0 and expected.stdout.count(b"\n") > 1_000
    done = command(folder, "/dev/stdin", "--by", "car", "--jobs", jobs, "--visits", "v.csv", input=TEXT.encode())
    assert (done.returncode, done.stdout) == (0, expected.stdout), done.stderr
    assert "here" in (folder / "v.csv").read_text()


@pytest.mark.parametrize("name", ["p.csv", "p", "p.csv.gz"])
def test_a_named_pipe_gives_the_events_of_the_file(folder: Path, name: str) -> None:
    data = gzip.compress(TEXT.encode()) if name.endswith(".gz") else TEXT.encode()
    expected = replay(folder / "t.csv", HERE, device="car", policy="exact")
    log = piped(folder / name, data, lambda: replay(folder / name, HERE, device="car", policy="exact"))
    assert list(log) == list(expected) and len(log) > 1_000
    assert [one.fixes for one in log.replays] == [one.fixes for one in expected.replays]


def test_unsorted_rows_of_a_pipe_are_sorted(folder: Path) -> None:
    head, *rows = TEXT.splitlines(keepends=True)
    text = "".join([head, *reversed(rows)])
    (folder / "u.csv").write_text(text)
    with pytest.warns(UserWarning, match="sorted"):
        log = piped(folder / "p", text.encode(), lambda: replay(folder / "p", HERE, device="car", policy="exact"))
    with pytest.warns(UserWarning, match="sorted"):
        expected = replay(folder / "u.csv", HERE, device="car", policy="exact")
    assert list(log) == list(expected) and len(log) > 1_000
    done = command(folder, "/dev/stdin", "--by", "car", input=text.encode())
    assert done.stdout == command(folder, "u.csv", "--by", "car").stdout


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b'{"type": "FeatureCollection", "features": []}', "not CSV"),
        (b"<gpx/>", "not CSV"),
        (gzip.compress(TEXT.encode()), "gzip"),
        (b"", "no rows"),
        (b"car,time,lat,lon\n", "no points"),
    ],
)
def test_pipes_that_cannot_be_used(folder: Path, data: bytes, reason: str) -> None:
    done = command(folder, "/dev/stdin", "--by", "car", input=data)
    assert done.returncode == 2 and reason in done.stderr.decode(), done.stderr


@pytest.mark.parametrize(
    "arguments", [("--output", "t.csv"), ("--visits", "./t.csv"), ("--output", "c.csv"), ("--visits", "link.csv")]
)
def test_no_output_overwrites_an_input(folder: Path, arguments: tuple[str, str]) -> None:
    (folder / "link.csv").symlink_to(folder / "t.csv")
    before = [(folder / name).read_bytes() for name in ("t.csv", "c.csv")]
    done = command(folder, "t.csv", "--by", "car", *arguments)
    assert done.returncode == 2 and arguments[0] in done.stderr.decode(), done.stderr
    assert [(folder / name).read_bytes() for name in ("t.csv", "c.csv")] == before


@pytest.mark.parametrize("other", ["--output", "--visits"])
def test_a_report_does_not_overwrite_another_output(folder: Path, other: str) -> None:
    done = command(folder, "t.csv", "--by", "car", other, "v.csv", "--report", "./v.csv")
    assert done.returncode == 2 and b"--report" in done.stderr, done.stderr
    assert not (folder / "v.csv").exists()


@pytest.mark.parametrize("row", ["a,1714560000,1_0,0,5", "a,1714560000,0,0_0,5", "a,1714560000,0,0,1_0"])
def test_an_underscore_is_no_digit(folder: Path, row: str) -> None:
    (folder / "t.csv").write_text(f"car,time,lat,lon,accuracy\n{row}\n")
    for device in (None, "car"):
        with pytest.raises(InputError) as caught:
            replay(folder / "t.csv", HERE, device=device)
        assert mentions(caught.value, "line 2: … _0")


def test_one_column_is_not_both_coordinates(folder: Path) -> None:
    with pytest.raises(InputError) as caught:
        replay(folder / "t.csv", HERE, columns={"latitude": "lon", "longitude": "lon"})
    assert mentions(caught.value, "'lon' … latitude … longitude")


def test_an_underscore_is_no_digit_in_other_files(folder: Path) -> None:
    (folder / "t.csv").write_text("car,time,lat,lon\na,1714560000,0,0\n")
    (folder / "c.csv").write_text("id,lat,lon,radius\nhere,0,0,1_00\n")
    (folder / "t.kml").write_text(
        '<kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2"><Placemark>'
        "<gx:Track><when>2024-05-01T10:00:00Z</when><gx:coord>0 1_0 0</gx:coord></gx:Track></Placemark></kml>"
    )
    with pytest.raises(InputError) as caught:
        replay(folder / "t.csv", folder / "c.csv")
    assert mentions(caught.value, "line 2: … 1_00")
    with pytest.raises(InputError) as caught:
        replay(folder / "t.kml", HERE)
    assert mentions(caught.value, "1_0")
