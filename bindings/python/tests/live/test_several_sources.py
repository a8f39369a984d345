"""Tests a watch of several sources: it follows all of them, no source delays another, and the end of one source does
not end the others."""

from __future__ import annotations

import json
import os
import socket
import threading
from pathlib import Path
from typing import Any

import pytest
from conftest import Run, mentions
from test_watch_fleet import EXACT, FleetWatched
from watching import START, circles, report

from fencepost._live import loop
from fencepost._live.device_lines import DeviceLines
from fencepost._live.metrics import counters_of
from fencepost._live.signals import Signals
from fencepost._live.sources import PIECE, FileSource, Source, open_file


def fixes(path: Path, device: str, *steps: tuple[float, float]) -> Path:
    """Writes the fixes of one device, given as pairs of seconds and longitude."""
    rows = [{"device": device, "lat": 0, "lon": longitude, "time": START + second} for second, longitude in steps]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def watched(*sources: Source) -> FleetWatched:
    """Runs a watch of the sources until all of them have ended."""
    found = FleetWatched(policy=EXACT, ahead=None)
    with Signals() as signals:
        loop.watch(sources, found.watch, signals, found.notices)
    for source in sources:
        source.close()
    return found


def test_one_that_always_has_something_stops_no_other(tmp_path: Path) -> None:
    busy = fixes(tmp_path / "busy", "busy", *((second, 0.01 * (second % 2)) for second in range(3_000)))
    quiet = fixes(tmp_path / "quiet", "quiet", (7, 0.0), (8, 0.01))
    found = watched(*(open_file(str(path), decoder=DeviceLines("device")) for path in (busy, quiet)))
    devices = [device for device, _, _ in found.reported]
    assert devices.count("busy") == 3_000
    assert [at for at, device in enumerate(devices) if device == "quiet"][-1] < 10
    lags = found.watch.lags
    assert lags[str(busy)] == 1000 - 2_999 and lags[str(quiet)] == 1000 - 8
    shown = counters_of(found.watch, lambda: 0, 0.0)
    assert shown[f"lag_{busy}"] == -1999.0 and shown[f"lag_{quiet}"] == 992.0


def test_a_whole_piece_is_no_reason_to_let_time_stand() -> None:
    reader, writer = os.pipe()
    source = FileSource(reader, "pipe", DeviceLines("device"))
    entry = loop._Input(source)
    os.write(writer, b"\n" * PIECE)
    entry.read(True)
    assert entry.has_more and not entry.found
    entry.read(False)
    assert not entry.has_more
    os.close(writer)
    source.close()


def test_files_and_a_gpsd(run: Run, tmp_path: Path) -> None:
    places = circles(tmp_path / "conditions.geojson", office=200)
    fixes(tmp_path / "fixes.jsonl", "van", (0, 0.0))
    fixes(tmp_path / "more.jsonl", "bike", (1, 0.0), (2, 0.5))
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(report(5, 0.0))

        thread = threading.Thread(target=serve)
        thread.start()
        gpsd = f"gpsd://127.0.0.1:{server.getsockname()[1]}"
        (tmp_path / "watch.toml").write_text(
            f'source = ["fixes.jsonl", "more.jsonl", "{gpsd}"]\nby = "device"\nas = "tern"\nreconnect = 0\n'
        )
        ended = run("watch", "--config", "watch.toml", "--conditions", places, "--append", "events")
        thread.join(10)
    assert ended.returncode == 0, ended.stderr
    events = [json.loads(line) for line in (tmp_path / "events").read_text().splitlines()]
    reported = sorted((event["device"], event["state"]) for event in events)
    assert reported == [("bike", "satisfied"), ("bike", "unsatisfied"), ("tern", "satisfied"), ("van", "satisfied")]
    # Sources on the command line replace the sources in the configuration file.
    ended = run("watch", "--config", "watch.toml", "--conditions", places, "--source", gpsd, "--source", "more.jsonl")
    assert ended.returncode == 2 and gpsd in ended.stderr, "nobody answers any more"
    (tmp_path / "other.toml").write_text('source = ["nowhere", "-"]\nby = "device"\n')
    ended = run(
        "watch",
        "--config",
        "other.toml",
        "--conditions",
        places,
        *("--source", "fixes.jsonl", "--source", "more.jsonl"),
    )
    assert {json.loads(line)["device"] for line in ended.stdout.splitlines()} == {"van", "bike"}


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ("--source a --source a --by device", "argument --source: a "),
        ("--source a --source b", "argument --source:"),
        ("--source a --source b --as x", "device"),
        ("--source gpsd://a --source gpsd://b --as x", "device"),
        (
            "--source gpsd://a --source gpsd://b --as x --device /dev/ttyS0",
            "argument --device:",
        ),
        ("--source gpsd://a --source mqtt://b", "gpsd://a … name … device"),
        ("--source a --source mqtt://b", "name … device"),
        ("--source a --source mqtt://b --by device --as x", "argument --as: … --by"),
        ("--source mqtt://a --source mqtt://b --as x", "name … device"),
        ("--source mqtt://a --source mqtt://b/x --mqtt-login file", "argument --source: … password"),
    ],
)
def test_what_does_not_fit_is_refused(run: Run, tmp_path: Path, arguments: str, reason: str) -> None:
    ended = run("watch", "--conditions", circles(tmp_path / "places.geojson", office=200), *arguments.split())
    assert ended.returncode == 2
    assert len(ended.stderr.splitlines()) == 1 and mentions(ended.stderr, reason), ended.stderr


class Lost(FileSource):
    """A source that is lost after its first line, for the tests."""

    was_read = False

    def read(self) -> Any:
        if self.was_read:
            raise OSError(0, "it went away", "far")
        self.was_read = True
        return super().read()


def test_one_that_is_lost_ends_no_other(tmp_path: Path) -> None:
    lost = Lost(os.open(fixes(tmp_path / "lost", "lost", (0, 0.0)), os.O_RDONLY), "far", DeviceLines("device"))
    rest = fixes(tmp_path / "rest", "rest", *((second, 0.01 * (second % 2)) for second in range(2_500)))
    found = FleetWatched(policy=EXACT, ahead=None)
    sources = (lost, open_file(str(rest), decoder=DeviceLines("device")))
    with Signals() as signals, pytest.raises(OSError, match="it went away"):
        loop.watch(sources, found.watch, signals, found.notices)
    assert [device for device, _, _ in found.reported].count("rest") == 2_500
    assert found.said[0].startswith("far: it went away; ")
    for source in sources:
        source.close()
    # If the only source is lost, the watch ends after it has handled the source's messages.
    alone = Lost(os.open(tmp_path / "lost", os.O_RDONLY), "far", DeviceLines("device"))
    found = FleetWatched(policy=EXACT, ahead=None)
    with Signals() as signals, pytest.raises(OSError, match="it went away"):
        loop.watch([alone], found.watch, signals, found.notices)
    assert found.reported == [("lost", "satisfied", 1)] and not found.said
    alone.close()


@pytest.mark.parametrize("other", ["mqtt://b:1883/x", "mqtt://b/x"])
def test_a_topic_of_a_broker_is_there_once(run: Run, tmp_path: Path, other: str) -> None:
    places = circles(tmp_path / "conditions.geojson", office=200)
    refused = run("watch", "--conditions", str(places), "--source", "mqtt://b/x", "--source", other)
    assert refused.returncode == 2 and f"argument --source: {other} " in refused.stderr
