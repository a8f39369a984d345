"""Places with hours, absences, repeats and a number of events: events and visits equal those of the Python package."""

from __future__ import annotations

import json
import random
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import shapely
from conftest import PLACES, Host, PostgreSQL, Server, SQLite, build, time_us
from test_fleets import interleaved
from test_hostile import refused
from worlds import drive

from fencepost import Fleet, Schedule, replay as replayed

SECOND = 1_000_000
BEGIN = 1_700_000_000
"""The time of the first fix of a drive, in seconds."""


def interval(start: float, end: float, zone: str = "Z") -> str:
    """The text of an interval, in seconds after the first fix."""
    (text,) = Schedule([(round((BEGIN + start) * SECOND), round((BEGIN + end) * SECOND))]).texts()
    if zone == "Z":
        return text
    shift = 3600 * int(zone[:3])
    return interval(start + shift, end + shift).replace("Z", zone)


def timed_zones(seed: int, count: int = 40) -> tuple[list[tuple[str, bytes, str]], list[dict[str, Any]]]:
    """Circles with timings: as rows for SQL, and as features for the package."""
    rng = random.Random(seed)
    rows, features = [], []
    for number in range(count):
        name, radius = f"zone {number:02d}", rng.choice([300.0, 900.0, 2500.0])
        longitude, latitude = rng.uniform(7.5, 7.7), rng.uniform(47.5, 47.6)
        edges = sorted(rng.sample(range(-300, 6300), 2 * rng.randint(0, 8)))
        hours = list(zip(edges[::2], edges[1::2]))
        given: dict[str, Any] = {}
        options = [f"radius={radius}"]
        if hours and rng.random() < 0.8:
            given["active"] = [interval(*each) for each in hours]
            options.append("active=" + rng.choice(["; ", ";"]).join(interval(*each, "+01:00") for each in hours))
            if rng.random() < 0.4:
                given["active_until"] = interval(edges[-1] + 1, 99999).split("/")[0]
                options.append(f"active_until={given['active_until']}")
        for key, values in (("absent_after", [30, 120]), ("repeat_every", [45, 600]), ("max_events", [1, 2, 5])):
            if rng.random() < 0.4:
                given[key] = rng.choice(values)
                options.append(f"{key}={given[key]}")
        if "repeat_every" in given and rng.random() < 0.5:
            given["repeat_limit"] = 3
            options.append("repeat_limit=3")
        rows.append((name, shapely.Point(longitude, latitude).wkb, ", ".join(options)))
        point = {"type": "Point", "coordinates": [longitude, latitude]}
        features.append({"type": "Feature", "id": name, "geometry": point, "properties": {"radius": radius, **given}})
    return rows, features


@pytest.mark.parametrize("assuming", ["unsatisfied", "unknown", "satisfied"])
@pytest.mark.parametrize("policy", ["policy=exact", ""])
def test_events_and_visits_are_those_of_replay(host: Host, tmp_path: Path, assuming: str, policy: str) -> None:
    rows, features = timed_zones(91)
    host.zones(rows)
    path = tmp_path / "zones.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    # For ten minutes, the devices are silent.
    drives = {f"van {seed}": [*(track := drive(seed))[:150], *track[190:]] for seed in range(4)}
    fixes = [(device, f.time_us, f.latitude, f.longitude, f.accuracy) for device, t in drives.items() for f in t]
    random.Random(1).shuffle(fixes)
    host.fixes(fixes)
    given = {"policy": "exact"} if policy else {}
    logs = {device: replayed(t, path, assuming=assuming, **given) for device, t in drives.items()}
    options = ", ".join(filter(None, [policy, f"assuming={assuming}"]))
    expected = [
        (device, e.identifier, kind_of(e), e.date_us, e.evidence_date_us, e.sequence)
        for device, log in logs.items()
        for e in log
    ]
    assert host.replay("fp_events", "place, kind, time, evidence_time, sequence", options) == expected
    kinds = {row[2] for row in expected}
    assert {"repeat", "determined", "diagnostic"} <= kinds
    assert ("timeout" in kinds) == (
        assuming != "unsatisfied"
    )  # an absence that agrees with the assumption causes no event
    visits = [
        (device, v.identifier, us(v.start), us(v.end), str(v.start_known), str(v.end_known), us(v.confirmed_end))
        for device, log in logs.items()
        for v in log.visits()
    ]
    columns = 'place, start, "end", start_known, end_known, confirmed_end'
    assert host.replay("fp_visits", columns, options) == visits
    assert sum(row[5] == "inactive" for row in visits) > 5


def kind_of(event: Any) -> str:
    return "timeout" if str(event.cause) == "timeout" else str(event.kind)


def us(time: Any) -> int | None:
    return None if time is None else time_us(time)


def test_many_intervals(host: Host) -> None:
    hours = ";\n".join(interval(2 * number, 2 * number + 1, "+01:00") for number in range(10_000))
    host.zones([("a", shapely.Point(7.5, 47.5).wkb, f"radius=200, active={hours}")])
    fixes = [("van", (BEGIN + second) * SECOND, 47.5, 7.5, 5.0) for second in (0, 1, 2, 9_000, 9_001, 30_000)]
    host.fixes(fixes)
    found = host.replay("fp_events", "kind, time", "policy=exact, assuming=unknown")
    # The look-back is 60 s: the fix of second 2 decides the 31 starts until second 62.
    assert len(found) == 1 + 31 + 1 + 30
    more = hours + ";" + interval(20_000, 20_001)
    host.zones([("a", shapely.Point(7.5, 47.5).wkb, f"radius=200, active={more}")])
    refused(host, f"SELECT {PLACES}", "10 ?[,_]?000|10000")


BAD = [
    ("active=", "active is empty"),
    ("active=;", "never"),
    ("active=2026-03-02T08:00Z", "interval 1: there is no '/'"),
    ("active=2026-03-02T08:00/2026-03-02T09:00Z", "with an off"),
    ("active=2026-03-02/2026-03-03", "with an off"),
    ("active=2026-03-02T08:00Z/2026-03-02T09:00", "with an off"),
    ("active=2026-03-02T08:00Z/2026-03-02T08:00Z", "(?s)place .a.*"),
    ("active=2026-03-02T09:00Z/2026-03-02T08:00Z", "(?s)place .a.*"),
    (
        "active=2026-03-02T08:00Z/2026-03-02T09:00Z;2026-03-02T08:30Z/2026-03-02T10:00Z",
        "(?s)place .a.*",
    ),
    ("active=2026-03-02T08:00Z/2026-03-02T09:00Z;2026-03-02T08:00Z/2026-03-02T09:00", "interval 2: .*offset"),
    ("active=2026-03-02T08:00Z/2026-03-02T09:00Z, active_until=2026-03-02T08:30Z", "(?s)place .a.*"),
    ("active_until=2026-03-02T08:30Z", "needs the option active"),
    ("active=2026-03-02T08:00Z/2026-03-02T09:00Z, active_until=2026-03-02T10:30", "active_until: .*offset"),
    ("absent_after=-1", "negative"),
    ("absent_after=1000000001", "0 to 1e9 seconds"),
    ("repeat_every=0.5", "at least 1 second"),
    ("repeat_limit=5", "needs the option repeat_every"),
    ("repeat_every=5, repeat_limit=0", "from 1 to 1000000"),
    ("repeat_every=5, repeat_limit=1000001", "from 1 to 1000000"),
    ("max_events=0", "from 1 to 4294967295"),
    ("max_events=4294967296", "from 1 to 4294967295"),
    ("max_events=1.5", "whole number"),
    ("active=2026-03-02T08:00Z/2026-03-02T09:00Z, active=2026-03-02T08:00Z/2026-03-02T09:00Z", "repeated"),
]


@pytest.mark.parametrize(("options", "match"), BAD)
def test_bad_timings_are_refused(host: Host, options: str, match: str) -> None:
    host.zones([("a", shapely.Point(7.5, 47.5).wkb, f"radius=200, {options}")])
    if match == "never":  # an empty list: the place is never active
        host.fixes([("van", 0, 47.5, 7.5, 5.0)])
        assert host.replay("fp_events", "kind", "policy=exact") == []
        return
    refused(host, f"SELECT {PLACES}", match)


def test_timings_belong_to_places(host: Host) -> None:
    host.zones([("a", shapely.Point(7.5, 47.5).wkb, "radius=200")])
    host.fixes([("van", 0, 47.5, 7.5, 5.0)])
    with pytest.raises(host.errors, match="unknown option repeat_every"):
        host.replay("fp_events", "kind", "repeat_every=5")


def test_questions_ignore_the_hours(host: Host) -> None:
    host.zones([("a", shapely.Point(7.5, 47.5).wkb, f"radius=200, active={interval(0, 1)}")])
    host.table("points", {"id": "int", "latitude": "float", "longitude": "float"}, [(1, 47.5, 7.5)])
    assert host.containing() == [(1, "a")]


def test_a_gate_has_hours(host: Host) -> None:
    line = shapely.LineString([(7.6, 47.5), (7.6, 47.6)]).wkb
    host.zones([("gate", line, f"gate=true, active={interval(-5, 5)}, max_events=3")])
    host.fixes([("van", (BEGIN + n) * SECOND, 47.55, 7.59 + 0.02 * (n % 2), 0.0) for n in range(10)])
    found = host.replay("fp_events", "kind", "path=geodesic, max_gap=60")
    assert found == [("van", "cross")] * 3


def test_fleets_follow_timings(server: Server, tmp_path: Path) -> None:
    """A fleet cannot have a path, with which it would refuse timings. An input without a position lets edges pass."""
    build("sqlite")
    sqlite, postgresql = SQLite(), PostgreSQL(server)
    sqlite.run("CREATE VIRTUAL TABLE vans USING fencepost_fleet")
    postgresql.run("DELETE FROM fleets")
    rows, features = timed_zones(93)
    path = tmp_path / "zones.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    drives = {f"van {seed}": drive(seed, 150) for seed in range(3)}
    fleet = Fleet(path, policy="exact")
    inputs: list[tuple[Any, ...]] = []
    for number, (device, fix) in enumerate(interleaved(drives)):
        fleet.feed(device, fix)
        inputs.append((device, fix.time_us, fix.latitude, fix.longitude, fix.accuracy))
        if number % 3 == 0:
            fleet.advance(fix.time_us + 4 * SECOND, device=device)
            inputs.append((device, fix.time_us + 4 * SECOND, None, None, None))
    expected = {(e.device, e.identifier, kind_of(e), e.date_us, e.sequence) for e in fleet.events()}
    assert {"enter", "exit", "repeat"} <= {event[2] for event in expected}
    for host, table, sql, mark in (
        (sqlite, "vans", f"INSERT INTO vans(places, options) SELECT {PLACES}, '%s'", "time=us, policy=exact"),
        (postgresql, "events", f"SELECT create_fleet('vans', {PLACES}, '%s')", "policy=exact"),
    ):
        host.zones(rows)
        with pytest.raises(host.errors, match="option path"):
            host.run(sql % "path=geodesic, max_gap=60")
        host.run(sql % mark)
        for device, time, *rest in inputs:
            if host is sqlite:
                insert = "INSERT INTO vans(device, time, latitude, longitude, accuracy) VALUES (?, ?, ?, ?, ?)"
                host.run(insert, (device, time, *rest))
            else:
                host.run("SELECT feed('vans', %s, %s, %s, %s, %s)", (device, host.time(time), *rest))
        found = host.run(f"SELECT device, place, kind, time, sequence FROM {table}")
        times = (time_us(datetime.fromisoformat(row[3]) if host is sqlite else row[3]) for row in found)
        assert {(*row[:3], time, row[4]) for row, time in zip(found, times)} == expected
