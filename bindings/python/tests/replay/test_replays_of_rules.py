"""Tests that a replay of many tracks follows rules with one fleet, and that its results equal those of a monitor for
each track: in memory, for reports of beacons, for several policies at once, and in the bytes of the command."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import SECOND, UUID
from test_in_memory import alone, conditions_into, frame_of, reports_of, tracks_of, usable

from fencepost import Beacon, Circle, Monitor, Rule, Timing, TransitionPolicy, compare, replay as replay_log
from fencepost._command.cli import main
from fencepost._fleet.conditions import Zones
from fencepost._replay import filling
from fencepost._replay.in_memory import replay_tracks

SLOW = TransitionPolicy(entry_dwell=20, exit_dwell=45, entry_margin=0, exit_margin=0, accuracy_factor=0)


def rules_into(holder: Zones | Monitor, seed: int) -> None:
    """Adds rules over conditions that come before and after them, over each other, and over one that is missing."""
    draw = random.Random(seed)
    names = [*(f"circle {number}" for number in range(25)), "square", "road", "desk", "missing"]
    for number in range(12):
        parts = draw.sample(names, draw.choice([1, 2, 3, 5]))
        form = draw.choice([Rule.all, Rule.any, Rule.none, None])
        rule = Rule.at_least(draw.randint(1, len(parts)), *parts) if form is None else form(*parts)
        policy: Any = draw.choice(["exact", "exact", SLOW])
        holder.add(rule, f"rule {number}", assuming=draw.choice(["unknown", "unsatisfied"]), policy=policy, tag=number)
        if number < 7:
            names.append(f"rule {number}")
        if number == 5:
            conditions_into(holder, seed)


@pytest.fixture
def one_fleet(monkeypatch: pytest.MonkeyPatch) -> None:
    """A monitor for each track is an error."""
    monkeypatch.setattr("fencepost._replay.shard.Monitors", None)


@pytest.mark.parametrize("with_reports", [False, True])
@pytest.mark.parametrize("until_us", [None, 1 << 40])
@pytest.mark.parametrize("seed", range(4))
def test_one_fleet_follows_rules_as_a_monitor_for_each_track(
    one_fleet: None, seed: int, until_us: int | None, with_reports: bool
) -> None:
    tracks, reports = tracks_of(seed), reports_of(seed) if with_reports else []
    for track in tracks:  # no fix comes at the very time at which the absence of a beacon is due
        track.fixes[:] = [(*fix[:3], fix[3] + 1 + number) for number, fix in enumerate(track.fixes)]
    zones, template = Zones(), Monitor(condition_limit=None)
    rules_into(zones, seed)
    rules_into(template, seed)
    found = replay_tracks(tracks, zones, reports, until_us)
    assert found == [alone(track, template, reports, until_us) for track in tracks]
    texts = [event.to_json() for one in found for event in one.events]
    assert sum('"decided_by"' in text for text in texts) > 100
    assert len({event.identifier for one in found for event in one.events if event.decided_by}) > 5


PLACES: dict[str, Any] = {
    **{f"p{n}": Circle(0.002 * n - 0.005, 0, 900) for n in range(6)},
    "both": Rule.all("p1", "p2"),
    "far": Rule.none("p0", "p1", "p2", "p3", "p4", "p5"),
    "deep": Rule.at_least(2, "both", "p3", "p4"),
}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"policy": "exact", "order": "exits_first"},
        {"policy": "exact", "path": "geodesic", "max_gap": 600},
        {"policy": "exact", "plausible_speed": 40},
    ],
)
def test_a_log_of_many_tracks(one_fleet: None, options: dict[str, Any]) -> None:
    tracks = usable(tracks_of(7, 4))
    log = replay_log(frame_of(tracks), PLACES, by="vehicle", sort=False, **options)
    template = Monitor(**{name: value for name, value in options.items() if name != "policy"})
    for name, place in PLACES.items():
        template.add(place, name, assuming="unsatisfied", policy=options.get("policy"))
    for track in tracks:
        assert tuple(log.of(track.key)) == alone(track, template).events
    assert {"both", "far", "deep"} <= {event.identifier for event in log}


@pytest.mark.parametrize("options", [{"delivery": "latest"}, {"delivery": "first"}, {"condition_limit": 3}])
def test_options_that_a_fleet_refuses_with_rules(options: dict[str, Any]) -> None:
    """With each option, a replay of many tracks still gives the events of one monitor for each track."""
    tracks = usable(tracks_of(7, 4))
    log = replay_log(frame_of(tracks), PLACES, by="vehicle", sort=False, **options)
    template = Monitor(**options)
    for name, place in PLACES.items():
        template.add(place, name, assuming="unsatisfied")
    for track in tracks:
        assert tuple(log.of(track.key)) == alone(track, template).events
    # With a timing, each track has a monitor.
    timed = Monitor()
    for name, place in PLACES.items():
        timed.add(place, name, assuming="unsatisfied", timing=Timing(repeat_every=60) if name == "far" else None)
    log = replay_log(frame_of(tracks), timed, by="vehicle", sort=False)
    assert "repeat" in {str(event.cause) for event in log if event.identifier == "far"}


def test_many_rules_that_are_satisfied_away_from_all_zones(one_fleet: None) -> None:
    """Each device has a record of each of these rules."""
    tracks = usable(tracks_of(7, 4))
    places: dict[str, Any] = {f"p{n}": PLACES[f"p{n}"] for n in range(6)}
    places |= {f"away {n}": Rule.none(*{f"p{n % 6}", f"p{n // 2 % 6}"}) for n in range(40)}
    log = replay_log(frame_of(tracks), places, by="vehicle", sort=False)
    template = Monitor()
    for name, place in places.items():
        template.add(place, name, assuming="unsatisfied")
    for track in tracks:
        assert tuple(log.of(track.key)) == alone(track, template).events
    assert sum(event.identifier[0] == "a" for event in log) > 10


def test_several_policies_on_one_fleet(one_fleet: None) -> None:
    """The rules of each policy have the places of this policy as parts."""
    frame = frame_of(usable(tracks_of(3, 5)))
    compared = compare(frame, PLACES, policies=["exact", "standard"], by="vehicle", sort=False)
    for outcome in compared:
        log = replay_log(frame, PLACES, by="vehicle", policy=outcome.name, sort=False)
        assert list(outcome.log.tracked()) == list(log.tracked())
    assert len({event.identifier for event in compared["exact"].log}) > 6


def files(folder: Path, seed: int) -> list[str]:
    """The arguments of a command with fixes of several vehicles in order of time, zones with rules, and sightings."""
    draw = random.Random(seed)
    features = []
    for name, condition in [*PLACES.items(), ("desk", Beacon(UUID, 1)), ("at the desk", Rule.all("desk", "p2"))]:
        properties: dict[str, Any] = {"identifier": name}
        geometry = None
        if isinstance(condition, Circle):
            geometry = {"type": "Point", "coordinates": [condition.longitude, condition.latitude]}
            properties["radius"] = condition.radius
        elif isinstance(condition, Rule):
            properties |= {
                "rule": {key: value for key, value in condition.to_dict().items() if key != "kind"},
                "policy": draw.choice(["exact", "standard"]),
            }
        else:
            properties |= {"uuid": UUID, "major": 1}
        features.append({"type": "Feature", "geometry": geometry, "properties": properties})
    (folder / "zones.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    places = {name: [draw.uniform(-0.003, 0.003), 0.0] for name in "abc"}
    with (folder / "fixes.csv").open("w") as file:
        print("vehicle,lat,lon,accuracy,time_us", file=file)
        for number in range(400):
            name = draw.choice("abc")
            places[name] = [min(0.02, max(-0.02, each + draw.gauss(0, 0.002))) for each in places[name]]
            print(name, *places[name], draw.choice([0, 5, 60]), number * 3 * SECOND + number, sep=",", file=file)
    with (folder / "sightings.jsonl").open("w") as file:
        for number in range(40):
            time = f"1970-01-01T00:{draw.randrange(20):02}:{draw.randrange(60):02}.{number:06}Z"
            beacons = [{"uuid": UUID, "major": draw.randrange(1, 3), "minor": 1}] * draw.randrange(2)
            print(json.dumps({"time": time, "beacons": beacons}), file=file)
    return ["replay", str(folder / "fixes.csv"), "--conditions", str(folder / "zones.geojson"), "--by", "vehicle"]


def monitors_only(conditions_of: Callable[..., filling.TrackConditions]) -> Callable[..., filling.TrackConditions]:
    """The conditions for a monitor for each track."""

    def found(rows: Any, name: Any, options: Any) -> filling.TrackConditions:
        made = conditions_of(rows, name, options)
        monitor = Monitor(**options)
        filling.add_conditions(monitor, rows, name)
        return filling.TrackConditions(monitor, {}, made.heights)

    return found


@pytest.mark.parametrize("form", ["jsonl", "csv"])
@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--sort", "--sightings", "{}/sightings.jsonl"],
        ["--sort", "--order", "exits_first", "--until", "1970-01-01T01:00Z", "--sightings", "{}/sightings.jsonl"],
    ],
)
def test_the_bytes_of_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], options: list[str], form: str
) -> None:
    arguments = [*files(tmp_path, 5), *(each.format(tmp_path) for each in options), "--format", form]
    assert main(arguments) == 0
    found = capsys.readouterr().out
    monkeypatch.setattr("fencepost._command.replay.conditions_of", monitors_only(filling.conditions_of))
    assert main(arguments) == 0
    assert found == capsys.readouterr().out
    assert found.count("\n") > 100 and "far" in found and "deep" in found
