"""Tests a monitor used by several threads, and batches that release the interpreter lock."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from conftest import EXACT, SECOND

from fencepost import FIX_RECORD, Circle, Fix, Monitor, geodesic
from fencepost.errors import LateInputError

THREADS = 4


def test_everything_at_once() -> None:
    monitor = Monitor()
    ticks = iter(range(1_000_000))
    lock = threading.Lock()
    log: list[int] = []

    def feed(_: int) -> int:
        late = 0
        for _ in range(500):
            with lock:
                tick = next(ticks)
            try:
                monitor.feed(Fix(52.5 + tick % 2, 13.4, time=tick))
            except LateInputError:
                late += 1
        return late

    def edit(worker: int) -> int:
        for round in range(200):
            name = f"{worker}-{round % 5}"
            monitor.add(Circle(52.5, 13.4, 100), name, policy=EXACT)
            assert monitor.record(name) is not None
            monitor.identifiers, monitor.records(), monitor.statistics(), name in monitor, repr(monitor)
            monitor.remove(f"{worker}-{(round + 1) % 5}")
        return 0

    def drain(_: int) -> int:
        for _ in range(300):
            log.extend(event.sequence for event in monitor.events())
        return 0

    with ThreadPoolExecutor(3 * THREADS) as pool:
        jobs = [pool.submit(work, worker) for worker in range(THREADS) for work in (feed, edit)]
        jobs.append(pool.submit(drain, 0))
        late = sum(job.result() for job in jobs)
    log.extend(event.sequence for event in monitor.events())
    assert log == list(range(1, len(log) + 1)) and log
    counters = monitor.statistics()
    assert counters.late_inputs == late
    assert counters.accepted_fixes + late == THREADS * 500


def test_a_batch_lets_other_threads_run() -> None:
    """While a long batch runs, Python code continues, including calls on the same monitor that have to wait for the
    batch."""
    monitor = Monitor()
    for index in range(200):
        place = geodesic.direct(52.5, 13.4, index, 50 + index)
        monitor.add(Circle(place.latitude, place.longitude, 60), f"c{index}", policy=EXACT)
    rows = b"".join(FIX_RECORD.pack(52.5, 13.4 + (n % 7) * 1e-4, 5, n * SECOND) for n in range(100_000))
    started, waiting, done = threading.Event(), threading.Event(), threading.Event()

    def batch() -> None:
        started.set()
        monitor.feed_many(rows)
        done.set()

    def ask() -> None:
        waiting.set()
        monitor.statistics()

    threads = [threading.Thread(target=batch)]
    threads[0].start()
    started.wait()
    steps = 0
    threads += [threading.Thread(target=ask)]
    threads[1].start()
    waiting.wait()
    begin = time.perf_counter()
    while not done.is_set():
        steps += 1
    lasted = time.perf_counter() - begin
    for thread in threads:
        thread.join()
    # If feed_many() held the interpreter lock, the loop could run only before and after the batch.
    assert steps > 1000 * lasted / 0.1 * 0.1 and steps > 100, (steps, lasted)


def test_a_child_after_fork_can_use_the_monitor() -> None:
    code = (
        "import os, fencepost\n"
        "m = fencepost.Monitor()\n"
        "m.add(fencepost.Circle(0, 0, 100), 'a')\n"
        "m.feed(fencepost.Fix(0, 0, time=0))\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    os._exit(0 if [e.state for e in m.events()] == ['satisfied'] else 1)\n"
        "assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0\n"
        "assert [e.state for e in m.events()] == ['satisfied']\n"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, timeout=60, env=os.environ)


def test_subinterpreters_have_their_own_classes() -> None:
    """The extension has no global state: a second interpreter in the process gets its own classes."""
    code = (
        "import _xxsubinterpreters as s, fencepost\n"
        # This subinterpreter shares the interpreter lock. A subinterpreter with its own lock would accept only modules
        # that were built for Python 3.12.
        "i = s.create(isolated=False)\n"
        "s.run_string(i, 'import fencepost; m = fencepost.Monitor(); m.advance(1); assert m.clock_us == 1')\n"
        "s.destroy(i)\n"
        "fencepost.Monitor().advance(2)\n"
    )
    if sys.version_info < (3, 13):
        subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
