"""Tests that a small call is answered before another thread's batch ends. The test counts rows, not milliseconds.

A batch pauses after each block of rows, and waiting calls are served in order of arrival, so at most one block of rows
is fed between a call and its answer (`native/batches.c`, `native/handle.c`). Each answer says how many rows of the
batch have been fed by then, so the difference between two answers is the number of rows fed between the answers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from conftest import EXACT, SECOND

from fencepost import Circle, Fix, Fleet, Monitor, Zones, geodesic, replay

np = pytest.importorskip("numpy")

ROWS = 400_000
LEAST_ANSWERS = 4
"""A block takes about 2 to 8 ms, so on an idle machine more than fifty small calls are answered during the batch. If
other programs use the machine, the small calls are delayed, and fewer of them are answered. If a batch held the handle
for its whole duration, no small call would be answered meanwhile."""


def zones() -> Zones:
    found = Zones()
    for index in range(200):
        place = geodesic.direct(52.5, 13.4, 7 * index, 50 + index)
        found.add(Circle(place.latitude, place.longitude, 60), f"zone {index}", policy=EXACT)
    return found


def rows() -> dict[str, Any]:
    """Returns fixes about 700 m apart beside the zones; no step between two fixes crosses a zone."""
    number = np.arange(ROWS)
    return {"latitude": np.full(ROWS, 52.51), "longitude": 13.4 + number % 7 * 1e-2, "time": number * 20 * SECOND}


def beside(work: Callable[[], Any], ask: Callable[[], int]) -> list[int]:
    """Calls `ask` in a loop while another thread works; returns the answers."""
    begun, ended = threading.Event(), threading.Event()
    errors: list[BaseException] = []

    def run() -> None:
        begun.set()
        try:
            work()
        except BaseException as error:
            errors.append(error)
        ended.set()

    thread = threading.Thread(target=run)
    thread.start()
    begun.wait()
    answers = []
    while not ended.is_set():
        answers.append(ask())
    thread.join()
    assert errors == []
    return answers


def check(answers: list[int]) -> None:
    within = sorted({count for count in answers if 0 < count < ROWS})
    assert answers == sorted(answers)
    assert len(within) >= LEAST_ANSWERS, within
    # Between two answers, only a few blocks of rows are fed, so a user does not notice the delay.
    steps = sorted(later - before for before, later in zip([0, *within], within))
    assert steps[len(steps) // 2] <= ROWS // LEAST_ANSWERS, steps


def test_of_a_monitor() -> None:
    monitor = Monitor(zones())
    check(beside(lambda: monitor.feed_many(**rows()), lambda: monitor.statistics().accepted_fixes))
    assert monitor.statistics().accepted_fixes == ROWS


def test_of_a_fleet() -> None:
    fleet = Fleet(zones())
    vans = np.arange(ROWS) % 50
    check(beside(lambda: fleet.feed_many(device=vans, **rows()), lambda: fleet.statistics().accepted_fixes))
    assert fleet.statistics().accepted_fixes == ROWS


def test_an_input_has_its_turn_too() -> None:
    """Fixes from a phone arrive while a history of other devices is fed: each of these fixes is answered before the
    batch ends."""
    fleet = Fleet(zones())
    vans = np.arange(ROWS) % 50
    fed = [0]

    def phone() -> int:
        fed[0] += 1
        fleet.feed("phone", Fix(10, 10, time=fed[0]))
        return fed[0]

    answers = beside(lambda: fleet.feed_many(device=vans, **rows()), phone)
    assert len(answers) >= LEAST_ANSWERS
    assert fleet["phone"].statistics().accepted_fixes == len(answers)


@pytest.mark.parametrize("kind", ["frame", "fixes"])
def test_beside_a_replay(kind: str) -> None:
    """A replay releases the interpreter lock for each block, so another thread can continue with its own monitor."""
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    columns = rows()
    source: Any = pandas.DataFrame(columns | {"time": pandas.to_datetime(columns["time"], unit="us", utc=True)})
    if kind == "fixes":
        source = [Fix(52.51, 13.4 + number % 7 * 1e-2, time=number * 20 * SECOND) for number in range(ROWS // 4)]
    own = Monitor({"home": Circle(0, 0, 100)})
    answers = beside(lambda: replay(source, zones()), lambda: own.statistics().accepted_fixes)
    assert len(answers) >= LEAST_ANSWERS
