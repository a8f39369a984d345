"""Tests the rules of monitors: events, explanations, records, files and refusals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fencepost import Beacon, Circle, Fix, Monitor, Notify, Rule, Timing, TransitionPolicy, Zones, replay
from fencepost.errors import InputError, InvalidArgumentError

SILENT = TransitionPolicy(
    entry_dwell=0, exit_dwell=0, entry_margin=0, exit_margin=0, accuracy_factor=0, notify=Notify(0)
)
A, B = Circle(0, 0, 100), Circle(0, 0.001, 100)
FORMS = [Rule.all("a", "b"), Rule.any("b", "a"), Rule.none("a"), Rule.at_least(2, "c", "b", "a")]


def monitor_with(rule: Rule) -> Monitor:
    monitor = Monitor()
    monitor.add(A, "a", policy=SILENT)
    monitor.add(B, "b", policy=SILENT)
    monitor.add(rule, "r", policy="exact", tag=7)
    return monitor


@pytest.mark.parametrize("rule", FORMS, ids=str)
def test_a_rule_is_read_back_as_it_was_written(rule: Rule) -> None:
    monitor = monitor_with(rule)
    assert monitor["r"].condition == rule and monitor["r"].tag == 7
    assert [record.condition for record in monitor.records()] == [A, B, rule]
    assert rule.described in repr(monitor["r"])
    assert Monitor.restore(monitor.snapshot())["r"].condition == rule
    assert monitor.fork()["r"].condition == rule
    other = Monitor()
    assert other.sync(monitor.records()).added == 3
    assert other["r"].condition == rule
    assert not other.ensure(rule, "r", policy="exact", tag=7)


@pytest.mark.parametrize("age", [None, 0, 60])
def test_a_snapshot_keeps_rules_whatever_the_options_are(age: float | None) -> None:
    monitor = Monitor(initial_fix_max_age=age)
    monitor.add(Rule.any("a"), "r", policy="exact")
    monitor.add(A, "a", policy="exact")
    before = monitor.snapshot()
    assert Monitor.restore(before).snapshot() == before
    assert monitor.fork()["r"].condition == Rule.any("a")
    monitor.add(Beacon("e2c56db5-dffb-48d2-b060-d0f5a71096e0"), "a")
    assert Zones.restore(monitor.snapshot())["r"].condition == Rule.any("a")


def test_the_longest_rule_is_read_back_and_explained() -> None:
    parts = [f"{number:03}" + "p" * 253 for number in range(1000)]
    monitor = Monitor()
    monitor.add(Rule.at_least(1000, *parts), "r")
    assert monitor["r"].condition == Rule.at_least(1000, *parts)
    explained = monitor.explain("r").parts or ()
    assert [part.identifier for part in explained] == parts
    assert {str(part.state) for part in explained} == {"unknown"}


def test_ensure_compares_the_meaning() -> None:
    monitor = monitor_with(Rule.any("a", "b"))
    assert not monitor.ensure(Rule.at_least(1, "b", "a"), "r", policy="exact", tag=7)
    assert monitor["r"].condition == Rule.any("a", "b")
    assert monitor.ensure(Rule.none("a", "b"), "r", policy="exact", tag=7)


def test_an_event_says_which_part_decided() -> None:
    monitor = monitor_with(Rule.any("a", "b"))
    monitor.feed(Fix(0, 0.01, time=0))
    monitor.feed(Fix(0, 0.001, time=1_000_000))
    first, second = monitor.poll()
    assert [(str(each.state), each.decided_by, each.tag) for each in (first, second)] == [
        ("unsatisfied", 2, 7),
        ("satisfied", 2, 7),
    ]
    assert second.point == (0, 0.001) and second.boundary_distance == pytest.approx(-100)
    assert json.loads(second.to_json())["decided_by"] == 2 == second.to_dict()["decided_by"]
    assert "decided by generation 2" in repr(second)
    assert str(second.kind) == "enter"
    assert str(monitor.explain("r")) == "r: parts, observed satisfied, parts a unsatisfied; b satisfied"
    assert monitor.explain("a").parts is None


def test_tables_of_events_say_which_part_decided() -> None:
    pandas = pytest.importorskip("pandas")
    pyarrow = pytest.importorskip("pyarrow")
    monitor = monitor_with(Rule.any("a", "b"))
    monitor.add(A, "loud", policy="exact")
    monitor.feed(Fix(0, 0, time=0))
    events = monitor.poll()
    assert events.columns()["decided_by"] == [None, 2]
    frame = events.to_pandas()
    assert pandas.isna(frame["decided_by"][0]) and frame["decided_by"][1] == 2
    assert pyarrow.table(events.to_arrow())["decided_by"].to_pylist() == [None, 2]
    assert type(events)(events[:1]).to_pandas()["decided_by"].isna().all()


def test_other_events_do_not_have_the_member() -> None:
    monitor = Monitor()
    monitor.add(A, "a", policy="exact")
    monitor.feed(Fix(0, 0, time=0))
    (event,) = monitor.poll()
    assert event.decided_by is None and "decided_by" not in event.to_dict()


def test_rules_are_found_by_state_but_not_by_place() -> None:
    monitor = monitor_with(Rule.any("a", "b"))
    monitor.feed(Fix(0, 0, time=0))
    assert monitor.identifiers_in_state("satisfied") == ["a", "r"]
    assert list(monitor.containing(0, 0)) == ["a"]
    assert "r" not in str(monitor.nearest(0, 0, 5)) and "b" in str(monitor.nearest(0, 0, 5))
    assert monitor.nearest_boundary_point("r", 0, 0) is None


@pytest.mark.parametrize(
    ("more", "word"),
    [
        ({"timing": Timing(absent_after=10)}, "absent_after"),
        ({"policy": TransitionPolicy(dwell_policy="evidence")}, "dwell"),
    ],
    ids=["absent_after", "dwell_policy"],
)
def test_what_a_rule_does_not_have(more: dict[str, Any], word: str) -> None:
    monitor = monitor_with(Rule.any("a"))
    before = monitor.snapshot()
    with pytest.raises(InvalidArgumentError, match=word):
        monitor.add(Rule.any("b"), "q", **more)
    assert monitor.snapshot() == before


def test_a_cycle_is_named_and_changes_nothing() -> None:
    monitor = Monitor()
    monitor.add(Rule.any("y"), "x")
    monitor.add(Rule.any("z"), "y")
    before = monitor.snapshot()
    with pytest.raises(InvalidArgumentError, match=r"cycle.*z.*x.*y.*z"):
        monitor.add(Rule.all("x"), "z")
    with pytest.raises(InvalidArgumentError, match="cycle"):
        monitor.add(Rule.all("s"), "s")
    assert monitor.snapshot() == before


def feature(name: str, **properties: Any) -> dict[str, Any]:
    return {"type": "Feature", "geometry": None, "properties": {"identifier": name, **properties}}


def place(name: str, longitude: float) -> dict[str, Any]:
    point = {"type": "Point", "coordinates": [longitude, 0]}
    return {"type": "Feature", "geometry": point, "properties": {"identifier": name, "radius": 100, "policy": "exact"}}


def test_rules_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "zones.geojson"
    rule = feature("r", rule={"at_least": 1, "of": ["a", "b"]}, policy="exact")
    path.write_text(json.dumps({"type": "FeatureCollection", "features": [rule, place("a", 0), place("b", 0.001)]}))
    assert Monitor(path)["r"].condition == Rule.at_least(1, "a", "b")
    rows = [(0, 0.01, 0), (0, 0, 60), (0, 0.001, 120), (0, 0.01, 180)]
    track = [Fix(latitude, longitude, time=seconds * 1_000_000) for latitude, longitude, seconds in rows]
    log = replay(track, path)
    found = [(event.identifier, str(event.state)) for event in log if event.identifier == "r"]
    assert found == [("r", "unsatisfied"), ("r", "satisfied"), ("r", "unsatisfied")]


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({"rule": ["a"]}, "rule"),
        ({"rule": "all"}, "rule"),
        ({"rule": {"all": "a"}}, "list of identifiers"),
        ({"rule": {"all": []}}, "no_parts"),
        ({"rule": {"all": ["a", "a"]}}, "duplicate"),
        ({"rule": {"all": [1]}}, "part 0"),
        ({"rule": {"at_least": 3, "of": ["a", "b"]}}, "count"),
        ({"rule": {"all": ["a"], "any": ["b"]}}, "all, any or none"),
        ({"rule": {"kind": "rule", "all": ["a"]}}, "rule"),
        ({"rule": {"all": ["a"]}, "uuid": "e2c56db5-dffb-48d2-b060-d0f5a71096e0"}, "uuid"),
        ({"rule": {"all": ["a"]}, "radius": 7}, "radius"),
        (
            {"rule": {"all": ["a"]}, "altitude_min": 3, "altitude_min_reference": "ground"},
            "limits of height",
        ),
    ],
    ids=str,
)
def test_bad_rules_of_a_file(tmp_path: Path, given: dict[str, Any], word: str) -> None:
    path = tmp_path / "zones.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": [feature("r", **given)]}))
    with pytest.raises(InputError, match=word) as caught:
        Monitor(path)
    assert caught.value.place == "features[0]"


def test_a_rule_of_a_file_has_no_geometry(tmp_path: Path) -> None:
    path = tmp_path / "zones.geojson"
    one = place("r", 0)
    one["properties"] |= {"rule": {"all": ["a"]}}
    path.write_text(json.dumps({"type": "FeatureCollection", "features": [one]}))
    with pytest.raises(InputError, match="null"):
        Monitor(path)
