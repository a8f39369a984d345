"""Tests that Ctrl-C interrupts a single long call."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

import fencepost
from fencepost import Circle, Fix, Monitor

np = pytest.importorskip("numpy")

ROWS = 20_000_000
# The program interrupts itself once the call has begun.
PROGRAM = """
import os, signal, sys, threading
import numpy as np
from fencepost import FIX_RECORD, Circle, Monitor

rows, way = int(sys.argv[1]), sys.argv[2]
monitor = Monitor(max_pending_events=1_000_000_000)
monitor.add(Circle(0, 0, 100), "a", policy="exact")
fixes = np.zeros(rows, dtype=[("latitude", "f8"), ("longitude", "f8"), ("accuracy", "f8"), ("time_us", "i8")])
fixes["longitude"][1::2] = 1
fixes["time_us"] = np.arange(rows)
columns = {"latitude": fixes["latitude"], "longitude": fixes["longitude"], "time": fixes["time_us"]}

def interrupt():
    while monitor.statistics().accepted_fixes == 0:
        pass
    os.kill(os.getpid(), signal.SIGINT)

thread = threading.Thread(target=interrupt)
thread.start()
try:
    result = monitor.feed_many(fixes) if way == "records" else monitor.feed_many(**columns)
except KeyboardInterrupt as error:
    result = error.result
    # Of a call that takes tens of seconds: how soon exactly, blocks of 200 ms say.
    assert 0 < result.accepted < rows // 4, result
    assert monitor.statistics().accepted_fixes == result.accepted
    assert monitor.clock_us == result.accepted - 1
    # The next call continues where this call ended.
    end = result.accepted + 1000
    more = monitor.feed_many(**{name: column[result.accepted:end] for name, column in columns.items()})
    assert more == (1000, 0, 0, 0)
    print("interrupted")
"""


@pytest.mark.parametrize("way", ["columns", "records"])
def test_ctrl_c_ends_a_long_batch(way: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(ROWS), way], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "interrupted\n"


def interrupting(monitor: Monitor) -> threading.Thread:
    """Starts a thread that sends this process a signal as soon as the monitor has been fed."""

    def interrupt() -> None:
        while monitor.statistics().input_count == 0:
            pass
        os.kill(os.getpid(), signal.SIGUSR1)

    thread = threading.Thread(target=interrupt)
    thread.start()
    return thread


class Stop(Exception):
    pass


@pytest.fixture
def uncollected() -> Iterator[None]:
    """Disables the garbage collector: if a signal handler raises an exception while a callback of the collector runs
    (hypothesis installs such a callback), the exception is lost."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("uncollected")
def test_what_a_handler_of_a_signal_raises_comes_out_with_the_counts() -> None:
    """If each row changes thousands of conditions, the rows are fed in small blocks."""

    def handle(number: int, frame: object) -> None:
        raise Stop

    monitor = Monitor(max_pending_events=1_000_000_000)
    circles = 10_000
    monitor.add_many([str(number) for number in range(circles)], [0.0] * circles, [0.0] * circles, [100.0] * circles,
                     policy="exact")  # fmt: skip
    rows = 4_000
    before = signal.signal(signal.SIGUSR1, handle)
    try:
        thread = interrupting(monitor)
        with pytest.raises(Stop) as stopped:
            monitor.feed_many(latitude=[0] * rows, longitude=[row % 2 for row in range(rows)], time=list(range(rows)))
        thread.join()
    finally:
        signal.signal(signal.SIGUSR1, before)
    result: fencepost.types.FeedResult = stopped.value.result  # type: ignore[attr-defined]
    assert isinstance(result, fencepost.types.FeedResult)
    assert 0 < result.accepted < rows
    assert monitor.statistics().pending_events == result.accepted * circles


@pytest.mark.usefixtures("uncollected")
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("asked", ["containing", "nearest"])
def test_a_long_question_hears_signals(asked: str, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A query processes its points in parts, and signals are handled between two parts. The result of the query is
    lost, but the monitor still works as before."""
    monkeypatch.setattr("fencepost._monitor.questions._PART", 1 << 14)
    monitor = Monitor()
    monitor.add(Circle(0, 0, 100), "a")
    rows = 1 << 23
    zeros = np.broadcast_to(np.zeros(1), (rows,))
    within, main, ended = [False], threading.get_ident(), threading.Event()

    def handle(number: int, frame: object) -> None:
        raise Stop

    def interrupt() -> None:
        while not within[0]:
            if ended.is_set():
                return
            frame = sys._current_frames()[main]
            while frame is not None and not within[0]:
                within[0] = frame.f_code.co_name == "_matches"
                frame = frame.f_back  # type: ignore[assignment]
        os.kill(os.getpid(), signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, handle)
    thread = threading.Thread(target=interrupt)
    try:
        thread.start()
        with pytest.raises(Stop):
            getattr(monitor, asked)(zeros, zeros, threads=threads)
    finally:
        ended.set()
        thread.join()
        signal.signal(signal.SIGUSR1, before)
    found = getattr(monitor, asked)(zeros[:70_000], zeros[:70_000], threads=threads)
    assert within[0] and len(found) == 70_000 and list(found.identifiers) == ["a"]


@pytest.mark.parametrize("circles", [0, 100])
def test_blocks_are_not_seen_in_what_comes_out(circles: int) -> None:
    """Feeding a batch gives the same counts, positions and events as one call per row, even if the batch has several
    blocks."""
    names = [str(number) for number in range(circles)]
    columns = [0.0] * circles, [number * 0.001 for number in range(circles)], [60.0] * circles

    def fresh() -> Monitor:
        monitor = Monitor(max_pending_events=10_000_000)
        monitor.add_many(names, *columns, policy="exact")
        return monitor

    rows = 150_000
    random = np.random.default_rng(20261122)
    longitude = np.cumsum(random.normal(0, 0.0005, rows))
    time = np.arange(rows) * 1_000_000
    longitude[random.integers(0, rows, 50)] = np.nan
    time[random.integers(1, rows, 50)] = 0
    one, many = fresh(), fresh()
    result = many.feed_many(latitude=np.zeros(rows), longitude=longitude, time=time)
    for degrees, microseconds in zip(longitude.tolist(), time.tolist(), strict=True):
        try:
            one.feed(Fix(0, degrees, time=microseconds))
        except fencepost.errors.InvalidArgumentError:
            pass
        except fencepost.errors.LateInputError:
            pass
    counters = one.statistics()
    assert result == (counters.accepted_fixes, counters.invalid_fixes, counters.late_inputs, 0)
    assert many.snapshot() == one.snapshot()

    # The error names the first refused row, whichever block it is in, and nothing was fed.
    bad = int(np.isnan(longitude).argmax())
    for place in (bad, rows - 1):
        refused = np.zeros(rows)
        refused[place] = np.nan
        monitor = fresh()
        with pytest.raises(fencepost.errors.InvalidArgumentError) as error:
            monitor.feed_many(latitude=refused, longitude=np.zeros(rows), time=np.arange(rows), on_invalid="raise")
        assert error.value.position == place
        assert monitor.statistics() == fresh().statistics()


def test_a_full_queue_in_a_later_block_tells_its_row() -> None:
    rows = 100_000
    columns = {"latitude": np.zeros(rows), "longitude": np.arange(rows) % 2.0, "time": np.arange(rows)}
    monitor = Monitor(max_pending_events=90_000)
    monitor.add(Circle(0, 0, 100), "a", policy="exact")
    with pytest.raises(fencepost.errors.QueueFullError) as full:
        monitor.feed_many(**columns)
    assert full.value.position == 90_000
    assert full.value.result[:3] == (90_000, 0, 0)
