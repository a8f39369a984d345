"""Tests the properties of a conditions file that state when a condition is active, and replays of such files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fencepost import Circle, Fix, InputError, Monitor, Schedule, Timing, TransitionPolicy, Zones, replay
from fencepost._files.condition_files import read_conditions

MORNING = "2026-03-02T08:00+01:00/2026-03-02T12:00+01:00"
START = 1_772_434_800_000_000  # 2026-03-02T07:00:00Z


def collection(**properties: Any) -> dict[str, Any]:
    point = {"type": "Point", "coordinates": [8.5, 47.4]}
    feature = {"type": "Feature", "geometry": point, "properties": {"id": "depot", "radius": 100} | properties}
    return {"type": "FeatureCollection", "features": [feature]}


def test_all_properties(tmp_path: Path) -> None:
    path = tmp_path / "zones.geojson"
    properties = {
        "active": [MORNING], "active_until": "2026-03-03T00:00+01:00", "absent_after": 600, "repeat_every": 60.5,
        "repeat_limit": 3, "max_events": 9,
    }  # fmt: skip
    path.write_text(json.dumps(collection(**properties)))
    (row,) = read_conditions(path, TransitionPolicy.standard())
    schedule = Schedule([MORNING], until=START + 16 * 3_600_000_000)
    assert row.timing == Timing(active=schedule, absent_after=600, repeat_every=60.5, repeat_limit=3, max_events=9)
    path.write_text(json.dumps(collection(active=schedule.texts())))
    (row,) = read_conditions(path, TransitionPolicy.standard())
    assert row.timing == Timing(active=[MORNING])
    path.write_text(json.dumps(collection(active=None, repeat_every=None)))
    (row,) = read_conditions(path, TransitionPolicy.standard())
    assert row.timing is None


@pytest.mark.parametrize(
    ("properties", "words"),
    [
        ({"active": MORNING}, ("active", "list of intervals")),
        ({"active": [5]}, ("active", "5")),
        ({"active": {"mon": "08:00-12:00"}}, ("active", "list of intervals")),
        ({"active": ["2026-03-02T08:00/2026-03-02T12:00"]}, ("offset",)),
        ({"active": [MORNING, MORNING]}, ("intervals[1]",)),
        ({"active_until": "2026-03-03T00:00Z"}, ("active_until", "no property active")),
        ({"active": [], "active_until": 5}, ("active_until",)),
        ({"active": [MORNING], "active_until": "2026-03-02T11:00+01:00"}, ("until",)),
        ({"absent_after": "600"}, ("absent_after", "number")),
        ({"absent_after": 0}, ("absent_after",)),
        ({"repeat_every": 0.5}, ("repeat_every",)),
        ({"repeat_limit": 5}, ("repeat_every",)),
        ({"max_events": True}, ("max_events", "number")),
        ({"max_events": 0}, ("max_events",)),
        ({"max_events": 2.5}, ("max_events", "2.5")),
    ],
)
def test_refused(properties: dict[str, Any], words: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "zones.geojson"
    path.write_text(json.dumps(collection(**properties)))
    with pytest.raises(InputError) as caught:
        read_conditions(path, TransitionPolicy.standard())
    text = str(caught.value)
    assert all(word in text for word in ("features[0]", *words)), text


def track(*seconds: int) -> list[Fix]:
    return [Fix(47.4, 8.5, accuracy=5, time=START + second * 1_000_000) for second in seconds]


def test_replay_and_monitor() -> None:
    """A device stays in the depot from before its hours until after them. The hours begin at 07:00 UTC."""
    zones = collection(active=[MORNING], repeat_every=7200)
    # The repeats count from the first fix, to which the start of the hours looks back.
    first = START - 60_000_000
    expected = [("determination", START), *(("repeat", first + hours * 3_600_000_000) for hours in (2, 4))]
    fixes = track(-60, 0, 60, 4 * 3600 - 1, 4 * 3600, 5 * 3600)
    log = replay(fixes, zones, policy="exact", assuming="unsatisfied")
    assert [(str(event.cause), event.date_us) for event in log] == expected
    monitor = Monitor(conditions=zones, policy="exact", assuming="unsatisfied")
    for each in fixes:
        monitor.feed(each)
    assert [(str(event.cause), event.date_us) for event in monitor.events()] == expected
    assert str(monitor.explain("depot").reason) == "inactive"


def test_a_table_of_fleets_has_the_properties() -> None:
    expected = Zones()
    lon, lat = collection()["features"][0]["geometry"]["coordinates"]
    expected.add(Circle(lat, lon, 100), "depot", timing=Timing(max_events=1))
    assert Zones(collection(max_events=1)).snapshot() == expected.snapshot()
