"""Visits of conditions with hours: they end when the condition becomes inactive. The states that a monitor has at every
second are the reference."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path
from typing import Any

import pytest

from fencepost import Circle, Diagnostics, Fix, Monitor, Schedule, State, Timing, replay, tune
from fencepost._log.report_data import MOST_CLOSED, report_data
from fencepost._log.visits import KNOWN, Known
from fencepost._native import visits as native_visits
from fencepost._tables.times import from_us

SECOND = 1_000_000
BEGIN = 1_772_000_000
"""In seconds."""
PLACE = Circle(47.4, 8.5, radius=100)


def iso(second: int) -> str:
    return Schedule([((BEGIN + second) * SECOND, (BEGIN + second + 1) * SECOND)]).texts()[0].split("/")[0]


def feature(name: str = "depot", **timing: Any) -> dict[str, Any]:
    point = {"type": "Point", "coordinates": [PLACE.longitude, PLACE.latitude]}
    return {"type": "Feature", "id": name, "geometry": point, "properties": {"radius": PLACE.radius, **timing}}


def collection(tmp_path: Path, *features: dict[str, Any]) -> Path:
    path = tmp_path / "zones.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": list(features)}))
    return path


def fix(second: int, is_inside: bool) -> Fix:
    return Fix(PLACE.latitude + (0.0 if is_inside else 0.01), PLACE.longitude, 5, time=(BEGIN + second) * SECOND)


def walk(rng: random.Random, seconds: int) -> list[Fix]:
    """A device that is inside and outside for random times, with gaps."""
    fixes, at, is_inside = [], 0, rng.random() < 0.5
    while at < seconds:
        fixes.append(fix(at, is_inside))
        at += rng.choice([1, 2, 3, 8, 40])
        if rng.random() < 0.25:
            is_inside = not is_inside
    return fixes


def timetable(rng: random.Random, seconds: int) -> list[tuple[int, int]]:
    edges = sorted(rng.sample(range(-20, seconds + 20), 2 * rng.randint(0, 6)))
    return list(zip(edges[::2], edges[1::2]))


def states(fixes: list[Fix], timing: Timing, assuming: str) -> list[tuple[int, int | None]]:
    """The intervals in which the state is satisfied at each second from the first fix on; None if it still is."""
    monitor = Monitor()
    monitor.add(PLACE, "depot", policy="exact", timing=timing, assuming=assuming)
    found: list[tuple[int, int | None]] = []
    since: int | None = None
    last = fixes[-1].time_us // SECOND
    waiting = list(fixes)
    for second in range(fixes[0].time_us // SECOND, last + 1):
        while waiting and waiting[0].time_us == second * SECOND:
            monitor.feed(waiting.pop(0))
        monitor.advance(second * SECOND)
        is_inside = str(monitor.state("depot")) == "satisfied"
        if is_inside and since is None:
            since = second
        if not is_inside and since is not None:
            found.append((since, second))
            since = None
    return found if since is None else [*found, (since, None)]


@pytest.mark.parametrize("assuming", ["unknown", "unsatisfied", "satisfied"])
@pytest.mark.parametrize("seed", range(40))
def test_visits_are_the_times_in_which_the_state_is_satisfied(tmp_path: Path, assuming: str, seed: int) -> None:
    rng = random.Random(f"{seed} {assuming}")
    hours = timetable(rng, 300)
    fixes = walk(rng, 300)
    most = rng.choice([None, None, 1, 2, 5])
    timing = Timing(active=[tuple((BEGIN + each) * SECOND for each in pair) for pair in hours], max_events=most)  # type: ignore[misc]
    given: dict[str, Any] = {"active": [f"{iso(start)}/{iso(end)}" for start, end in hours]}
    if most is not None:
        given["max_events"] = most
    if hours and rng.random() < 0.5:
        given["active_until"] = iso(hours[-1][1] + rng.randint(0, 50))  # its event repeats the last state
    log = replay(fixes, collection(tmp_path, feature(**given)), policy="exact", assuming=assuming)
    found = [
        (round(visit.confirmed_start.timestamp()), visit.confirmed_end and round(visit.confirmed_end.timestamp()))
        for visit in log.visits()
        # The state of a condition that its own entry exhausts is never satisfied.
        if visit.confirmed_start != visit.confirmed_end
    ]
    assert found == states(fixes, timing, assuming)
    ends = {from_us((BEGIN + end) * SECOND) for _, end in hours}
    ends |= {e.date for e in log if Diagnostics.EXHAUSTED in e.diagnostics and e.state is State.SATISFIED}
    for visit in log.visits():
        end = visit.confirmed_end
        assert end is None or (visit.end_known is Known.INACTIVE) == (end in ends)


def test_a_visit_does_not_begin_before_the_hours(tmp_path: Path) -> None:
    # The fix of second 8 decides at the start of the second interval, by the look-back of 60 seconds.
    zones = collection(tmp_path, feature(active=[f"{iso(0)}/{iso(5)}", f"{iso(10)}/{iso(20)}"]))
    log = replay([fix(0, True), fix(8, True), fix(15, True), fix(30, False)], zones, policy="exact")
    rows = [(v.start.timestamp() - BEGIN, v.end.timestamp() - BEGIN, v.start_known, v.end_known) for v in log.visits()]  # type: ignore[union-attr]
    assert rows == [(0, 5, "determination", "inactive"), (10, 20, "determination", "inactive")]
    assert [event.evidence_date.timestamp() - BEGIN for event in log] == [0, 8]  # type: ignore[union-attr]


def test_native_numbers_are_those_of_the_package() -> None:
    # The cause -1 is the edge of a schedule; see `_HOURS_ENDED`.
    rows = ((None, "a", 1, 2, 5, 5, None, None, 1), (None, "a", 0, -1, 9, None, None, None, 1))
    *_, ends = native_visits(rows, {}, 0, 20)  # type: ignore[arg-type]
    assert [KNOWN[number] for number in ends] == [Known.INACTIVE]


def test_tune_counts_visits_within_the_hours(tmp_path: Path) -> None:
    zones = collection(tmp_path, feature(active=[f"{iso(0)}/{iso(10)}"]))
    track = [fix(second, second < 100) for second in range(0, 200, 2)]
    labels = [{"identifier": "depot", "start": fix(0, True).time, "end": fix(10, True).time}]
    (trial,) = tune(track, zones, labels, grid={"margin": [0], "dwell": [0]})
    assert (trial.found, trial.false) == (1, 0)


# ---------------------------------------------------------------------------------------------- report


def test_the_report_has_the_intervals_outside_the_hours(tmp_path: Path) -> None:
    zones = collection(
        tmp_path,
        feature("always"),
        feature("shift", active=[f"{iso(-50)}/{iso(20)}", f"{iso(40)}/{iso(90)}"], active_until=iso(90)),
        feature("never", active=[]),
        feature("twice", max_events=2, repeat_every=10),
    )
    data = report_data(replay([fix(second, True) for second in range(0, 101, 5)], zones, policy="exact"))
    closed = {
        (data.places[place], track): [(start / 1000 - BEGIN, end / 1000 - BEGIN) for start, end in parts]
        for place, track, parts in data.closed
    }
    assert closed == {
        ("shift", None): [(20, 40), (90, 100)],
        ("never", None): [(0, 100)],
        ("twice", 0): [(10, 100)],
    }
    assert [(data.places[place], track, time / 1000 - BEGIN) for place, track, time in data.exhausted] == [
        ("twice", 0, 10)
    ]
    assert [data.places[number] for number in data.timed] == ["shift", "never", "twice"]
    kinds = [(data.places[place], kind, time / 1000 - BEGIN) for _, place, kind, time, *_ in data.events]
    assert sorted(each for each in kinds if each[0] != "always") == [
        ("shift", "satisfied", 0),
        ("shift", "satisfied", 40),
        ("shift", "schedule ended", 90),
        ("twice", "repeat", 10),
        ("twice", "satisfied", 0),
    ]
    # Inactive intervals are not drawn as unknown, too.
    assert data.unknown == []


def test_the_report_shows_that_a_device_is_absent(tmp_path: Path) -> None:
    zones = collection(tmp_path, feature("shift", active=[f"{iso(100)}/{iso(190)}"], absent_after=15))
    # The fix of second 0 is too old for the look-back of 60 s.
    data = report_data(replay([fix(0, False), fix(200, False)], zones, policy="exact"))
    assert [(kind, time / 1000 - BEGIN) for _, _, kind, time, *_ in data.events] == [("absent", 115)]
    assert data.visits == []


def test_the_report_limits_the_intervals(tmp_path: Path) -> None:
    hours = [f"{iso(2 * number)}/{iso(2 * number + 1)}" for number in range(9_000)]
    zones = collection(tmp_path, *(feature(name, active=hours) for name in "abc"))
    data = report_data(replay([fix(0, True), fix(18_000, True)], zones, policy="exact"))
    # A place has all of its intervals or none; otherwise it would seem to be active after the last one.
    assert [len(parts) for *_, parts in data.closed] == [9_000, 9_000] and MOST_CLOSED < 27_000
    assert any(note.startswith("18,000 of 27,000 intervals") for note in data.notes)


def test_conditions_without_a_timing_change_nothing(tmp_path: Path) -> None:
    log = replay(walk(random.Random(1), 300), {"depot": PLACE}, policy="exact")
    data = report_data(log)
    assert (data.closed, data.timed) == ([], [])
    assert list(itertools.chain(log.visits()))
