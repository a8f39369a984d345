"""Tests the columns of CSV files and tables that state when a condition is active."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conftest import mentions

from fencepost import Circle, Fix, InputError, Monitor, Timing, TransitionPolicy, Zones, replay
from fencepost._files.condition_files import read_conditions

MORNING = "2026-03-02T08:00+01:00/2026-03-02T12:00+01:00"
EVENING = "2026-03-02T18:00+01:00/2026-03-02T20:00+01:00"
START = 1_772_434_800_000_000  # 2026-03-02T07:00:00Z
HEAD = "id,lat,lon,radius,active,active_until,absent_after,repeat_every,repeat_limit,max_events"
ROWS = f"""a,47.4,8.5,100,,,,,,
b,47.4,8.5,100,{MORNING},,,,,
c,47.4,8.5,100,{MORNING}; {EVENING} ;,2026-03-03T00:00Z,600,60.5,3,9
d,47.4,8.5,100,"[""{MORNING}"", ""{EVENING}""]",,,,,
e,47.4,8.5,100,[],,,,,4
"""
EXPECTED = {
    "a": None,
    "b": Timing(active=[MORNING]),
    "c": {"absent_after": 600, "repeat_every": 60.5, "repeat_limit": 3, "max_events": 9},
    "d": Timing(active=[MORNING, EVENING]),
    "e": Timing(active=[], max_events=4),
}


def timings(source: Any) -> dict[str, Any]:
    return {row.identifier: row.timing for row in read_conditions(source, TransitionPolicy.standard())}


def check(found: dict[str, Any]) -> None:
    assert list(found) == list(EXPECTED)
    for identifier, timing in EXPECTED.items():
        if isinstance(timing, dict):
            own = found[identifier]
            assert {name: getattr(own, name) for name in timing} == timing
            assert own.active.texts() == Timing(active=[MORNING, EVENING]).active.texts()
        else:
            assert found[identifier] == timing


def test_csv(tmp_path: Path) -> None:
    path = tmp_path / "zones.csv"
    path.write_text(f"{HEAD}\n{ROWS}")
    check(timings(path))
    path.write_text(f"{HEAD}\n{ROWS}".replace("47.4,8.5", "POINT (8.5 47.4)").replace("lat,lon", "wkt"))
    check(timings(path))


def test_parquet_and_frames(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    (tmp_path / "zones.csv").write_text(f"{HEAD}\n{ROWS}")
    frame = pandas.read_csv(tmp_path / "zones.csv")
    frame.to_parquet(tmp_path / "zones.parquet")
    check(timings(tmp_path / "zones.parquet"))
    lists = frame.assign(active=[None, [MORNING], [MORNING, EVENING], [MORNING, EVENING], []])
    fixes = [Fix(47.4, 8.5, 5, time=START + hour * 3_600_000_000) for hour in (-1, 0, 4, 5, 10, 11)]
    first = replay(fixes, frame, policy="exact")
    assert [event.to_dict() for event in replay(fixes, lists, policy="exact")] == [event.to_dict() for event in first]
    assert "b" not in {event.identifier for event in first if event.date_us < START}
    assert {"b", "c", "d"} <= {event.identifier for event in first}


def test_events_are_those_of_a_monitor(tmp_path: Path) -> None:
    path = tmp_path / "zones.csv"
    path.write_text(f"id,lat,lon,radius,active\nb,47.4,8.5,100,{MORNING};{EVENING}\n")
    monitor = Monitor(path, policy="exact")
    fixes = [Fix(47.4, 8.5, 5, time=START + hour * 3_600_000_000) for hour in (-1, 0, 4, 10, 11)]
    for fix in fixes:
        monitor.feed(fix)
    expected = [(str(event.cause), event.date_us) for event in monitor.events()]
    assert [time for _, time in expected] == [START, START + 10 * 3_600_000_000]
    assert [(str(event.cause), event.date_us) for event in replay(fixes, path, policy="exact")] == expected


@pytest.mark.parametrize(
    ("column", "cell", "words"),
    [
        ("active", "always", "line 2: … always"),
        ("active", MORNING.replace("+01:00", ""), "line 2: … offset"),
        ("active", f"{MORNING};{MORNING}", "line 2: … intervals[1]"),
        ("active", '"[""x"', "line 2: … active"),
        ("active", "[5]", "line 2: … active … 5"),
        ("active_until", "2026-03-03T00:00Z", "line 2: … active_until"),
        ("absent_after", "1_0", "line 2: … absent_after … 1_0"),
        ("absent_after", "soon", "line 2: … absent_after … soon"),
        ("repeat_every", "0.5", "line 2: … repeat_every"),
        ("max_events", "2.5", "line 2: … max_events"),
        ("max_events", "0", "line 2: … max_events"),
    ],
)
def test_refused(tmp_path: Path, column: str, cell: str, words: str) -> None:
    path = tmp_path / "zones.csv"
    path.write_text(f"id,lat,lon,radius,{column}\na,47.4,8.5,100,{cell}\n")
    with pytest.raises(InputError) as caught:
        read_conditions(path, TransitionPolicy.standard())
    assert mentions(caught.value, words), caught.value


def test_a_bool_is_no_list_of_intervals() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"id": ["a"], "lat": [47.4], "lon": [8.5], "radius": [100], "active": [True]})
    with pytest.raises(InputError) as caught:
        Monitor(frame)
    assert mentions(caught.value, "row 0: … active … True")


def test_a_table_of_fleets_does_not_ignore_the_hours(tmp_path: Path) -> None:
    path = tmp_path / "zones.csv"
    path.write_text(f"id,lat,lon,radius,active\na,47.4,8.5,100,{MORNING}\n")
    expected = Zones()
    expected.add(Circle(47.4, 8.5, 100), "a", timing=Timing(active=[MORNING]))
    assert Zones(path).snapshot() == expected.snapshot()
