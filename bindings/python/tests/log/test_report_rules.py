"""Tests the rules in the report: the states of rules and parts over time, and the data of the page."""

from __future__ import annotations

import itertools
import json
import os
import random
import subprocess
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from conftest import Run
from test_report import data_of, points

from fencepost import (
    Beacon,
    Circle,
    Corridor,
    EventLog,
    Fix,
    Monitor,
    Notify,
    Polygon,
    Rule,
    Schedule,
    State,
    TransitionPolicy,
    replay,
)
from fencepost._dataclass import replace
from fencepost._files.condition_files import read_conditions
from fencepost._files.vector import PLAIN
from fencepost._log.report_data import MOST_CLOSED, report_data
from fencepost._log.report_rules import form
from fencepost._log.rule_states import INACTIVE, SATISFIED, UNKNOWN, UNSATISFIED
from fencepost._monitor.filling import add_conditions
from fencepost._replay.filling import conditions_of, feed_report
from fencepost._replay.given import GivenTracks
from fencepost._replay.replay import replay_again_for, reports_of
from fencepost._tables.text_times import time_style

START = 1_772_433_000
UUID = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"
SILENT = TransitionPolicy(notify=Notify(0))


def us(second: float) -> int:
    return round((START + second) * 1_000_000)


def iso(second: float) -> str:
    return Schedule([(us(second), us(second + 1))]).texts()[0].split("/")[0]


def feature(name: str, geometry: Any, **properties: Any) -> dict[str, Any]:
    return {"type": "Feature", "id": name, "geometry": geometry, "properties": properties}


def circle(name: str, latitude: float, radius: float = 200, **properties: Any) -> dict[str, Any]:
    return feature(name, {"type": "Point", "coordinates": [8.5, latitude]}, radius=radius, **properties)


def rule(name: str, given: dict[str, Any], **properties: Any) -> dict[str, Any]:
    return feature(name, None, rule=given, **properties)


def collection(features: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {"type": "FeatureCollection", "features": list(features)}


def walk(seconds: Sequence[float], latitudes: Sequence[float]) -> list[Fix]:
    return [Fix(latitude, 8.5, 5, time=us(second)) for second, latitude in zip(seconds, latitudes)]


def steps_of(data: Any, track: int = 0) -> dict[str, list[tuple[int, int]]]:
    """The states of each rule and each part as the page reads them: a time in milliseconds, and a state."""
    return {
        data.places[place]: [(row[0], row[1]) for row in points(word, 2)]
        for number, place, word in data.steps
        if number == track
    }


def at(steps: list[tuple[int, int]], time_ms: int) -> int:
    return [state for start, state in steps if start <= time_ms][-1]


# ------------------------------------------------------------------ the states are those of the engine


def world(rng: random.Random) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A random set of places and rules, and the lines of a sightings file."""
    features: list[dict[str, Any]] = []
    for number in range(4):
        own: dict[str, Any] = {"policy": rng.choice(["exact", "standard"])}
        if rng.random() < 0.5:
            begin = rng.randrange(-50, 400)
            own["active"] = [f"{iso(begin)}/{iso(begin + 300)}", f"{iso(begin + 400)}/{iso(begin + 700)}"]
        if rng.random() < 0.2:
            own["absent_after"] = 30
        if rng.random() < 0.3:
            own["max_events"] = rng.randrange(1, 4)
        if rng.random() < 0.2:
            own["repeat_every"] = 50
        if rng.random() < 0.3:
            own["assuming"] = rng.choice(["satisfied", "unsatisfied"])
        features.append(circle(f"z{number}", 47.4 + rng.random() / 200, rng.choice([100, 200, 400]), **own))
    features.append(feature("dock", None, uuid=UUID, policy="exact"))
    names = [f"z{number}" for number in range(4)] + ["dock", "nowhere"]
    for number in range(6):
        parts = rng.sample(names, rng.randrange(1, min(len(names), 5)))
        shape = rng.choice(["all", "any", "none", "at_least"])
        given = {"at_least": rng.randrange(1, len(parts) + 1), "of": parts} if shape == "at_least" else {shape: parts}
        timing: dict[str, Any] = {}
        if rng.random() < 0.25:
            timing["active"] = [f"{iso(rng.randrange(0, 300))}/{iso(rng.randrange(400, 900))}"]
        if rng.random() < 0.2:
            timing["max_events"] = rng.randrange(1, 3)
        features.append(rule(f"r{number}", given, policy=rng.choice(["exact", "standard"]), **timing))
        names.append(f"r{number}")
    rng.shuffle(features)  # parts may be added after their rules
    lines: list[dict[str, Any]] = [
        {"time": iso(second), "beacons": [{"uuid": UUID, "major": 1, "minor": 7}]}
        for second in sorted(rng.sample(range(1000), 8))
    ]
    return collection(features), lines


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("path", ["fixes", "geodesic"])
def test_states_are_those_of_the_engine(tmp_path: Path, seed: int, path: str) -> None:
    """Compares the drawn states with the observed states of a monitor that is fed in the same way. Half of the worlds
    have silent parts, whose events are not in the log."""
    rng = random.Random(seed)
    zones, lines = world(rng)
    is_silent = seed % 2 == 0
    sightings = tmp_path / "sightings.jsonl"
    if path == "geodesic":
        lines = []  # a line would give its time to earlier crossings, after the test has read the states
    sightings.write_text("".join(json.dumps(line) + "\n" for line in lines))
    seconds = sorted(rng.sample(range(1000), 60))
    latitude, latitudes = 47.4, []
    for _ in seconds:
        latitude = min(max(latitude + rng.choice([-1, 0, 0, 1]) / 700, 47.395), 47.41)
        latitudes.append(latitude)
    fixes = walk(seconds, latitudes)
    file = tmp_path / "zones.geojson"
    file.write_text(json.dumps(zones))

    # The monitor that is asked for its states has the conditions and policies of the replay.
    rows = read_conditions(file, TransitionPolicy.exact())
    if is_silent:
        rows = [
            row if isinstance(row.condition, Rule) or row.policy is None
            else replace(row, policy=replace(row.policy, notify=Notify(0)))
            for row in rows
        ]  # fmt: skip
    options: dict[str, Any] = {"path": path} | ({"max_gap": 300} if path == "geodesic" else {})
    reports = reports_of(sightings, time_style(None, ""), True)
    given = GivenTracks(fixes, {}, None, None, PLAIN)
    replays = given.replay(conditions_of(rows, "zones", options), reports, None)
    log = EventLog(replays, rows, None, options, None, replay_again_for(rows, options, reports))
    drawn = steps_of(report_data(log))
    parts = {part for row in rows if isinstance(row.condition, Rule) for part in row.condition.parts}
    rules = {row.identifier for row in rows if isinstance(row.condition, Rule)}
    assert {*drawn} == (rules | parts) - {"nowhere"}

    monitor = Monitor(**options)
    add_conditions(monitor, rows, "zones")
    checked = 0
    state_of = {State.SATISFIED: {SATISFIED}, State.UNSATISFIED: {UNSATISFIED}, State.UNKNOWN: {UNKNOWN, INACTIVE}}

    def check() -> None:
        nonlocal checked
        clock = monitor.clock_us
        assert clock is not None
        for name, steps in drawn.items():
            checked += 1
            state = monitor.state(name)
            assert at(steps, clock // 1000) in state_of[state], (name, clock / 1e6 - START, state, steps)

    inputs: list[tuple[int, int, Any]] = [(fix.time_us, 0, fix) for fix in fixes]
    inputs += [(report.time_us, 1, report) for report in reports]  # at equal times, the fix comes first
    inputs.sort(key=lambda each: each[:2])
    for (time, kind, each), (later, *_) in itertools.pairwise([*inputs, (1 << 62, 0, None)]):
        if kind:
            feed_report(monitor, each)
        else:
            monitor.feed(each)
        list(monitor.events())
        if later > time:
            check()
    assert checked > 500


# ------------------------------------------------------------------ the data of the page


def depot(silent: bool = True) -> EventLog:
    """A yard with hours and a neighbour; a rule of both, and a rule of this rule."""
    monitor = Monitor()
    policy = SILENT if silent else TransitionPolicy.exact()
    square = [(47.398, 8.498), (47.398, 8.502), (47.402, 8.502), (47.402, 8.498)]
    monitor.add(Polygon(square, order="latlon"), "yard", policy=policy)
    monitor.add(Corridor([(8.49, 47.41), (8.51, 47.41)], 200, order="lonlat"), "road", policy=policy)
    monitor.add(Beacon(UUID), "dock", policy=policy)
    monitor.add(Rule.any("yard", "road"), "near", policy="exact")
    monitor.add(Rule.at_least(2, "near", "dock", "gone"), "depot", policy="exact")
    fixes = walk(range(0, 2400, 60), [47.4 + 0.0005 * step for step in range(40)])
    return replay(fixes, monitor)


def test_the_page_has_each_rule_with_its_parts() -> None:
    data = data_of(depot().report())
    names = data["places"]
    assert {names[place]: (words, [names[part] for part in parts]) for place, words, parts in data["rules"]} == {
        "near": ("any of 2", ["yard", "road"]),
        "depot": ("at least 2 of 3", ["near", "dock", "gone"]),
    }
    assert {names[place]: kind for place, kind in data["kinds"]} == {
        "yard": "polygon", "road": "corridor", "dock": "beacon", "near": "any of 2", "depot": "at least 2 of 3",
        "gone": "",
    }  # fmt: skip
    # Rules have no outlines, and the other places keep theirs.
    assert {names[place] for place, *_ in data["outlines"]} == {"yard", "road"}
    assert form(Rule.none(*map(str, range(1000)))) == "none of 1,000"


@pytest.mark.parametrize("silent", [True, False])
def test_parts_have_states_even_if_they_are_silent(silent: bool) -> None:
    log = depot(silent)
    data = report_data(log)
    found = {name: [state for _, state in steps] for name, steps in steps_of(data).items()}
    assert found["yard"] == [SATISFIED, UNSATISFIED] and found["road"] == [UNSATISFIED, SATISFIED, UNSATISFIED]
    assert found["near"] == [SATISFIED, UNSATISFIED, SATISFIED, UNSATISFIED]
    # With `gone`, which is unknown, two of three parts cannot be decided while one is satisfied.
    assert found["depot"] == [UNKNOWN, UNSATISFIED, UNKNOWN, UNSATISFIED]
    assert "gone" not in found
    heard = {"near", "depot"} if silent else {"near", "depot", "yard", "road", "dock"}
    assert {event.identifier for event in log} == heard


def test_events_name_the_part_that_decided() -> None:
    log = depot()
    data = report_data(log)
    assert len(data.deciders) >= 5
    rows = [event for event in log if event.decided_by is not None]
    held = Monitor()
    for row in log._conditions:
        held.add(row.condition, row.identifier)
    generations = {record.generation: record.identifier for record in held.records()}
    expected = [(event.identifier, str(event.state), generations[event.decided_by or 0]) for event in rows]
    assert [
        (data.places[data.events[number][1]], data.events[number][2], data.places[part])
        for number, part in data.deciders
    ] == expected


def test_the_facts_count_rules_beside_places() -> None:
    text = depot().report()
    assert "0 visits of 1 device to 0 of 3 places; 2 rules, satisfied 2 times; " in text


def test_a_rule_that_becomes_unknown_is_drawn_as_unknown() -> None:
    """After the hours of the yard, the other part decides, and it is not in the table. No event says so."""
    zones = collection(
        [
            circle("yard", 47.4, active=[f"{iso(-10)}/{iso(100)}"]),
            rule("r", {"all": ["yard"]}, policy="exact"),
            rule("in", {"any": ["r", "gone"]}, policy="exact"),
        ]
    )
    data = report_data(replay(walk(range(0, 200, 10), [47.4] * 20), zones, policy="exact"))
    steps = steps_of(data)
    t = START * 1000
    assert steps["yard"] == [(t, SATISFIED), (t + 100_000, INACTIVE)]
    assert steps["r"] == [(t, SATISFIED), (t + 100_000, UNSATISFIED)], "an inactive part counts as unsatisfied"
    assert steps["in"] == [(t, SATISFIED), (t + 100_000, UNKNOWN)]
    place = data.places.index("in")
    assert [row for row in data.unknown if row[1] == place] == [(0, place, t + 100_000, t + 190_000)]


def test_a_report_without_rules_has_none_and_replays_nothing_again() -> None:
    log = replay(walk(range(0, 100, 10), [47.4] * 10), {"a": Circle(47.4, 8.5, 100), "b": Beacon(UUID)})
    assert log._replay_again is None
    data = report_data(log)
    assert (data.rules, data.steps, data.deciders) == ([], [], [])
    assert [(data.places[place], kind) for place, kind in data.kinds] == [("b", "beacon")]
    assert "rule" not in log.report().partition('id="facts">')[2].partition("<")[0]


def test_devices_have_their_own_states() -> None:
    pandas = pytest.importorskip("pandas")
    rows = [
        {"latitude": latitude, "longitude": 8.5, "accuracy": 5, "device": device,
         "time": pandas.Timestamp(us(second), unit="us", tz="UTC")}
        for device, latitude in (("in", 47.4), ("out", 47.5), ("odd", 47.4))
        for second in range(0, 100, 10)
    ]  # fmt: skip
    zones = collection([circle("yard", 47.4), rule("r", {"none": ["yard"]}, policy="exact")])
    log = replay(pandas.DataFrame(rows), zones, by="device")
    data = report_data(log)
    tracks = [name for name, *_ in data.tracks]
    states = {tracks[number]: [state for _, state in steps_of(data, number)["r"]] for number in range(3)}
    assert states == {"in": [UNSATISFIED], "out": [SATISFIED], "odd": [UNSATISFIED]}
    # The log of one device keeps its states.
    alone = report_data(log.of("out"))
    assert [state for _, state in steps_of(alone)["r"]] == [SATISFIED]


def test_a_rule_whose_parts_are_all_absent() -> None:
    log = replay(walk(range(0, 100, 10), [47.4] * 10), {"r": Rule.all("x", "y"), "s": Rule.none("x")})
    assert len(log) == 0
    data = report_data(log)
    assert steps_of(data) == {"r": [(START * 1000, UNKNOWN)], "s": [(START * 1000, UNKNOWN)]}
    assert [data.places[place] for place, kind in data.kinds if not kind] == ["x", "y"]
    assert "0 visits of 1 device to 0 of 0 places; 2 rules, satisfied 0 times" in log.report()


def test_a_log_without_usable_fixes_has_a_report() -> None:
    fixes = [Fix(47.4, 8.5, -1, time=us(0)), Fix(47.4, 8.5, 5, time=us(10))]
    data = report_data(replay(fixes, {"a": Circle(47.4, 8.5, 100), "r": Rule.any("a", "gone")}))
    assert steps_of(data)["r"][-1][1] == SATISFIED


HOSTILE = ("</script><script>throw 1</script>", "<img src=x onerror=alert(1)>", "\u202eevil\u202d", "דרך הטריק",
           "🚐" * 60, "n" * 256, "{{ data }}", "a\nb", "'\"&", "twin 0", "\\u003c")  # fmt: skip


def test_hostile_identifiers_stay_data() -> None:
    rules: dict[str, Any] = {name: Circle(47.4, 8.5, 100 + number) for number, name in enumerate(HOSTILE)}
    rules |= {f"{name[:50]}!": Rule.all(name, f"{name[:40]}?") for name in HOSTILE}
    log = replay(walk(range(0, 100, 10), [47.4] * 10), rules)
    text = log.report(title="n" * 4_000)
    data = data_of(text)
    names = data["places"]
    found = {names[place]: [names[part] for part in parts] for place, _, parts in data["rules"]}
    assert found == {name: list(rule.parts) for name, rule in rules.items() if isinstance(rule, Rule)}
    assert text.count("<script") == text.count("</script>") == 2


def test_deep_shared_rules_stay_small() -> None:
    """Eight levels of rules, each of whose parts are all rules of the level below: as a tree without sharing, these are
    50 ** 8 rows."""
    conditions: dict[str, Any] = {"p": Circle(47.4, 8.5, 100)}
    below = ["p"]
    for level in range(8):
        own = [f"{level} {number}" for number in range(50)]
        conditions |= {name: Rule.any(*below) for name in own}
        below = own
    log = replay(walk(range(0, 100, 10), [47.4] * 10), conditions)
    text = log.report()
    assert len(text) < 400_000
    assert all(steps == [(START * 1000, SATISFIED)] for steps in steps_of(report_data(log)).values())


def test_a_thousand_rules_of_a_thousand_parts() -> None:
    conditions: dict[str, Any] = {f"p{number}": Circle(47.4, 8.5, 50 + number) for number in range(1000)}
    parts = list(conditions)
    for number in range(1000):
        conditions[f"r{number}"] = Rule.at_least(number + 1, *(parts if number % 100 == 0 else parts[: number + 1]))
    log = replay(walk(range(0, 100, 10), [47.4] * 10), conditions)
    data = report_data(log)
    assert len(data.rules) == 1000 and len(data.steps) == 2000
    assert all(steps[-1][1] == SATISFIED for steps in steps_of(data).values())


def test_reports_are_the_same_whatever_the_seed_of_hashes_is(tmp_path: Path) -> None:
    zones, _ = world(random.Random(5))
    (tmp_path / "zones.geojson").write_text(json.dumps(zones))
    rows = "".join(f"{47.4 + step / 5000},8.5,{iso(10 * step)}\n" for step in range(50))
    (tmp_path / "track.csv").write_text("latitude,longitude,time\n" + rows)
    program = "from fencepost import replay; replay('track.csv', 'zones.geojson').report('{}.html')"
    for seed in "1", "2":
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", program.format(seed)], cwd=tmp_path, env=environment, check=True)
    assert (tmp_path / "1.html").read_bytes() == (tmp_path / "2.html").read_bytes()


def test_through_the_command(run: Run, tmp_path: Path) -> None:
    """The command draws the parts like `replay`, with the lines of a sightings file."""
    zones, lines = world(random.Random(8))
    (tmp_path / "zones.geojson").write_text(json.dumps(zones))
    (tmp_path / "s.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    rows = "".join(f"{47.4 + step / 5000},8.5,{iso(10 * step)}\n" for step in range(90))
    (tmp_path / "track.csv").write_text("latitude,longitude,time\n" + rows)
    files = [str(tmp_path / name) for name in ("track.csv", "zones.geojson", "s.jsonl", "r.html")]
    track, conditions, sightings, page = files
    run("replay", track, "--conditions", conditions, "--sightings", sightings, "--report", page)
    own = data_of(Path(page).read_text())
    log = replay(track, conditions, sightings=sightings)
    expected = json.loads(json.dumps(report_data(log).page))
    assert own["steps"] == expected["steps"] and own["steps"]
    assert own["deciders"] == expected["deciders"] and own["unknown"] == expected["unknown"]


def test_places_with_hours_are_there_without_events() -> None:
    """A place with hours and without a visit has its hours in the page; beyond the largest number, none or all."""
    far = circle("far", 48, active=[f"{iso(20)}/{iso(40)}"])
    zones = collection([far, circle("open", 48.1, active=[f"{iso(-9)}/{iso(999)}"])])
    data = report_data(replay(walk(range(0, 100, 10), [47.4] * 10), zones, assuming="unsatisfied"))
    t = START * 1000
    assert [(data.places[place], track, rows) for place, track, rows in data.closed] == [
        ("far", None, [(t, t + 20_000), (t + 40_000, t + 90_000)]),
        ("open", None, []),
    ]
    assert data.visits == []
    assert MOST_CLOSED > 1000


def test_the_second_replay_warns_of_nothing(tmp_path: Path) -> None:
    """The first replay warns about edges of an unknown kind; the report does not repeat the warning."""
    shapely = pytest.importorskip("shapely")
    geopandas = pytest.importorskip("geopandas")
    wide = shapely.Polygon([(8, 47), (12, 47), (12, 48), (8, 48)])
    frame = geopandas.GeoDataFrame({"identifier": ["wide"], "geometry": [wide]}, crs="EPSG:4326")
    fixes = walk(range(0, 100, 10), [47.4] * 10)
    from fencepost import InputWarning

    with pytest.warns(InputWarning):
        replay(fixes, frame)
    rows = read_conditions_of(frame)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        replay_again = replay_again_for([*rows, replace(rows[0], identifier="r", condition=Rule.all("wide"))], {})
        assert replay_again is not None
        second = replay_again([(47.4, 8.5, 5.0, us(0))])
    assert {event.identifier for event in second.events} == {"wide", "r"}


def read_conditions_of(frame: Any) -> Any:
    from fencepost._files.sources import as_conditions

    _, rows = as_conditions(frame, TransitionPolicy.exact())
    assert rows[0].leaves_edges_open
    return rows
