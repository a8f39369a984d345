"""Probabilities and plausible speeds: the answers, events and counts equal those of the Python package, and bad values
are errors that name the option, the value and the range."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from typing import Any

import pytest
import shapely
from conftest import PLACES, Host, PostgreSQL, Server, SQLite, build
from test_answers import table
from test_fleets import feed_postgresql, feed_sqlite, interleaved
from test_hostile import literal, refused
from worlds import damaged, drive, zones

from fencepost import Fix, Fleet, TransitionPolicy, replay as replayed

CERTAIN = TransitionPolicy(entry_probability=0.9, exit_probability=0.1, accuracy_factor=0)
OPTIONS: dict[str, dict[str, Any]] = {
    "entry_probability=0.9, exit_probability=0.1": {"policy": CERTAIN},
    "policy=exact, entry_probability=0.99999, exit_probability=0.00001, accuracy_confidence=0.95": {
        "policy": replace(TransitionPolicy.exact(), entry_probability=0.99999, exit_probability=0.00001),
        "accuracy_confidence": 0.95,
    },
    "policy=exact, plausible_speed=11": {"policy": "exact", "plausible_speed": 11},
    "policy=exact, order=exits_first": {"policy": "exact", "order": "exits_first"},
    "policy=exact, plausible_speed=9.5, corroboration_count=2, corroboration_time=0, path=geodesic, max_gap=600": {
        "policy": "exact",
        "plausible_speed": 9.5,
        "corroboration_count": 2,
        "corroboration_time": 0,
        "path": "geodesic",
        "max_gap": 600,
    },
    "plausible_speed=12, entry_probability=0.8, exit_probability=0.2, exit_dwell=0": {
        "policy": replace(CERTAIN, entry_probability=0.8, exit_probability=0.2, exit_dwell=0),
        "plausible_speed": 12,
    },
}
POINT = {"id": "int", "latitude": "float", "longitude": "float", "accuracy": "float"}


def jumping(seed: int) -> list[Fix]:
    """A drive with jumps: single positions, and some in a row that corroborate each other."""
    rng, track = random.Random(seed), drive(seed, 300)
    for _ in range(12):
        at, count, north = rng.randrange(5, 280), rng.choice([1, 2, 8]), rng.uniform(-0.08, 0.08)
        for number in range(at, at + count):
            fix = track[number]
            track[number] = Fix(fix.latitude + north, fix.longitude, accuracy=fix.accuracy, time=fix.time_us)
    # The last fix is a jump, too: if it is doubted, an open visit ends with the fix before it.
    last = track[-1]
    track[-1] = Fix(last.latitude + 1, last.longitude, accuracy=last.accuracy, time=last.time_us)
    return track


def replay_fixes(host: Host, seeds: range) -> dict[str, list[Fix]]:
    drives = {f"van {seed}": jumping(seed) for seed in seeds}
    fixes = [(device, f.time_us, f.latitude, f.longitude, f.accuracy) for device, t in drives.items() for f in t]
    random.Random(1).shuffle(fixes)
    host.fixes(fixes)
    return drives


def test_probability_is_that_of_the_package(host: Host) -> None:
    rng = random.Random(71)
    rows, conditions = zones(71, 24)
    places = table(conditions)
    host.zones(rows)
    between = 0
    for identifier, geometry, options in rows:
        centre = shapely.from_wkb(geometry).centroid
        asked = [
            (number, centre.y + rng.gauss(0, 0.006), centre.x + rng.gauss(0, 0.009), rng.choice([0, 3, 40, 300, 2000]))
            for number in range(40)
        ]
        host.table("points", POINT, asked)
        for confidence in (None, 0.95):
            given = ", ".join(filter(None, [options, confidence and f"accuracy_confidence={confidence}"]))
            arguments = "z.geometry, p.latitude, p.longitude, p.accuracy" + (f", '{given}'" if given else "")
            pairs = f"points p, zones z WHERE z.id = '{identifier}' ORDER BY p.id"
            sql = f"SELECT p.id, fp_probability({arguments}) FROM {pairs}"
            expected = [
                places.probability(identifier, latitude, longitude, accuracy, confidence=confidence or 0.68)
                for _, latitude, longitude, accuracy in asked
            ]
            assert host.run(sql) == list(enumerate(expected)), (identifier, given)
            between += sum(0.001 < each < 0.999 for each in expected)
    assert between > 300


def test_probability_without_a_value_is_null(host: Host) -> None:
    square = literal(host, shapely.box(7.5, 47.5, 7.6, 47.6).wkb)
    good = [square, "47.55", "7.55", "10.0"]
    for at in range(4):
        null = f"CAST(NULL AS {host.types['bytes' if at == 0 else 'float']})"
        arguments = [*good[:at], null, *good[at + 1 :]]
        assert host.run(f"SELECT fp_probability({', '.join(arguments)})") == [(None,)]
    inside, far, unknown, edge = (
        f"fp_probability({square}, {latitude}, 7.55, {accuracy})"
        for latitude, accuracy in (("47.55", "0.0"), ("48.55", "0.0"), ("47.6001", "90000.0"), ("47.6", "50.0"))
    )
    ((first, second, third, fourth),) = host.run(f"SELECT {inside}, {far}, {unknown}, {edge}")
    assert (first, second, third) == (1, 0, None)
    assert abs(fourth - 0.5) < 0.01
    # The accuracy decides row by row, also with options that change from row to row.
    given = [None, None, "accuracy_confidence=0.95", "accuracy_confidence=0.3", "buffer=200"]
    rows = [(at + 1, 47.601, 7.55, None if at == 1 else 100.0, options) for at, options in enumerate(given)]
    host.table("points", {**POINT, "options": "text"}, rows)
    call = f"fp_probability({square}, latitude, longitude, accuracy, options)"
    found = dict(host.run(f"SELECT id, {call} FROM points ORDER BY id"))
    assert found[2] is None
    assert found[3] < found[1] < found[4] < found[5]


@pytest.mark.parametrize("accuracy", ["-1.0", "nan", "-inf"])
def test_probability_of_a_bad_fix_is_refused(host: Host, accuracy: str) -> None:
    square = literal(host, shapely.box(7.5, 47.5, 7.6, 47.6).wkb)
    host.table("points", POINT, [(1, 47.55, 7.55, float(accuracy))])
    sql = f"SELECT fp_probability({square}, latitude, longitude, accuracy) FROM points"
    if host.name == "sqlite" and accuracy == "nan":
        assert host.run(sql) == [(None,)]  # SQLite stores NaN as NULL
    else:
        refused(host, sql, "accurac")
    refused(host, f"SELECT fp_probability({square}, 91.0, 7.55, 10.0)", "latitude")


@pytest.mark.parametrize("options", OPTIONS)
def test_events_visits_and_counts_are_those_of_replay(host: Host, options: str) -> None:
    given = OPTIONS[options]
    rows, conditions = zones(72, 60)
    host.zones(rows)
    logs = {
        device: replayed(track, conditions, assuming="unsatisfied", **given)
        for device, track in replay_fixes(host, range(4)).items()
    }
    expected = [
        (device, e.identifier, e.date_us, str(e.state), e.boundary_distance, e.sequence, e.probability)
        for device, log in logs.items()
        for e in log
    ]
    assert len(expected) > 20
    found = host.replay("fp_events", "place, time, state, distance, sequence, probability", options)
    assert found == expected
    has_probability = "entry_probability" in options
    assert all((row[-1] is not None) == has_probability for row in found)
    visits = [
        (device, visit.identifier, str(visit.start_known), str(visit.end_known), visit.duration.total_seconds())
        for device, log in logs.items()
        for visit in log.visits()
    ]
    of_host = [
        (*row[:-1], row[-1] if isinstance(row[-1], float) else row[-1].total_seconds())
        for row in host.replay("fp_visits", "place, start_known, end_known, duration", options)
    ]
    assert of_host == visits
    doubted = [(device, log.counts.doubted_fixes) for device, log in logs.items()]
    assert counts(host, options) == [(device, 300 - number, 0, 0, number) for device, number in doubted]
    assert (sum(number for _, number in doubted) > 20) == ("plausible_speed" in options)


def counts(host: Host, options: str) -> list[tuple[Any, ...]]:
    if host.name == "sqlite":
        return host.replay("fp_counts", "accepted, invalid, late, doubted", options)
    call = f"fp_counts({PLACES}, time, latitude, longitude, accuracy, '{options}')"
    rows = f"SELECT device, {call} AS c FROM fixes GROUP BY device"
    return host.run(f"SELECT device, (c).accepted, (c).invalid, (c).late, (c).doubted FROM ({rows}) x ORDER BY device")


def test_counts_tell_which_fixes_were_left_out(host: Host) -> None:
    host.zones([("spot", shapely.Point(7.5, 47.5).wkb, "radius=200")])
    second = 1_000_000
    rows = [
        ("a", 0, 47.5, 7.5, 5.0),
        ("a", second, 91.0, 7.5, 5.0),
        ("a", 2 * second, None, 7.5, 5.0),
        ("a", 3 * second, 47.6, 7.5, 5.0),
        ("a", 4 * second, 47.5, 7.5, 5.0),
        ("a", 9000 * second, 47.5, 7.5, 5.0),
        ("b", 0, 47.5, 7.5, None),
        ("c", 0, 47.5, 7.5, -1.0),
    ]
    host.fixes(rows)
    found = counts(host, "invalid=skip, max_time_step=3600, plausible_speed=60")
    assert found == [("a", 2, 1, 1, 1), ("b", 1, 0, 0, 0), ("c", 0, 1, 0, 0)]
    host.run("DELETE FROM fixes WHERE device <> 'a' OR latitude IS NOT NULL")
    assert counts(host, "") == ([] if host.name == "sqlite" else [("a", None, None, None, None)])


BAD = [
    ("entry_probability=0.5, exit_probability=0.1", r"entry_probability: 0.5 .*above 0.5 and at most 0.99999"),
    (
        "entry_probability=0.999991, exit_probability=0.1",
        r"entry_probability: 0.999991 .*above 0.5 and at most 0.99999",
    ),
    ("entry_probability=0, exit_probability=0", r"entry_probability: 0 .*above 0.5"),
    ("entry_probability=0.9, exit_probability=0.5", r"exit_probability: 0.5 .*at least 0.00001 and below 0.5"),
    ("entry_probability=0.9, exit_probability=0.000009", r"exit_probability: 0.000009 .*at least 0.00001"),
    ("entry_probability=0.9, exit_probability=1", r"exit_probability: 1 .*below 0.5"),
    ("entry_probability=0.9", "exit_probability is missing"),
    ("exit_probability=0.1", "entry_probability is missing"),
    ("entry_probability=0.9, exit_probability=0.1, accuracy_factor=1", "accuracy_factor: 1 must be 0"),
    ("entry_probability=0.9, exit_probability=nan", "exit_probability: nan is not a number"),
    ("entry_probability=-0.9, exit_probability=0.1", "entry_probability: -0.9 is negative"),
]
BAD_REPLAY = [
    ("plausible_speed=0", r"plausible_speed: 0 .*above 0 metres per second"),
    ("plausible_speed=-1", "plausible_speed: -1 is negative"),
    ("plausible_speed=inf", "plausible_speed: inf is not a number"),
    ("plausible_speed=60, corroboration_count=1", r"corroboration_count: 1 .*whole number from 2 to 1000"),
    ("plausible_speed=60, corroboration_count=1001", r"corroboration_count: 1001 .*from 2 to 1000"),
    ("plausible_speed=60, corroboration_count=2.5", r"corroboration_count: 2.5 .*whole number"),
    ("plausible_speed=60, corroboration_count=4294967298", r"corroboration_count: 4294967298 .*from 2 to 1000"),
    ("plausible_speed=60, corroboration_time=1000000001", r"corroboration_time: 1000000001 .*0 to 1e9 seconds"),
    ("corroboration_count=3", "need the option plausible_speed"),
    ("corroboration_time=3", "need the option plausible_speed"),
    ("order=first", "order: first is not one of add, exits_first"),
    ("accuracy_confidence=0.009", r"accuracy_confidence: 0.009 .*from 0.01 to 0.9999"),
    ("accuracy_confidence=0.99991", r"accuracy_confidence: 0.99991 .*from 0.01 to 0.9999"),
    ("accuracy_confidence=", "accuracy_confidence needs a number"),
]


@pytest.mark.parametrize(("options", "match"), BAD)
def test_bad_probabilities_of_places(host: Host, options: str, match: str) -> None:
    host.zones([("a", shapely.box(7.5, 47.5, 7.6, 47.6).wkb, options)])
    refused(host, f"SELECT {PLACES}", match)


@pytest.mark.parametrize(("options", "match"), BAD + BAD_REPLAY)
@pytest.mark.parametrize("function", ["fp_events", "fp_counts"])
def test_bad_options_of_replays(host: Host, function: str, options: str, match: str) -> None:
    """A set without places has no condition that the engine could refuse."""
    host.zones([])
    host.fixes([("van", 0, 47.5, 7.5, 5.0)])
    with pytest.raises(host.errors, match=match):
        counts(host, options) if function == "fp_counts" else host.replay(function, "place", options)


def test_options_belong_to_their_functions(host: Host) -> None:
    square = literal(host, shapely.box(7.5, 47.5, 7.6, 47.6).wkb)
    refused(host, f"SELECT fp_contains({square}, 47.0, 7.0, 'accuracy_confidence=0.9')", "unknown option accuracy_conf")
    for bad in ("plausible_speed=9", "entry_probability=0.9", "accuracy_confidence=2"):
        refused(host, f"SELECT fp_probability({square}, 47.0, 7.0, 5.0, '{bad}')", "option")
    host.zones([("a", shapely.box(7.5, 47.5, 7.6, 47.6).wkb, "plausible_speed=60")])
    refused(host, f"SELECT {PLACES}", "unknown option plausible_speed")
    # The message lists all accepted options.
    host.zones([])
    host.fixes([("van", 0, 47.5, 7.5, 5.0)])
    with pytest.raises(host.errors, match="unknown option colour.*accuracy_confidence, order, invalid"):
        host.replay("fp_events", "place", "colour=red")
    for geometry in (shapely.LineString([(7, 47), (8, 48)]).wkb, shapely.Point(7, 47).wkb):
        refused(host, f"SELECT fp_probability({literal(host, geometry)}, 47.0, 7.0, 5.0)", "radius")


FLEET = "plausible_speed=11, entry_probability=0.9, exit_probability=0.1, accuracy_confidence=0.9"


def of_a_fleet() -> tuple[list[Any], dict[str, list[Fix]], set[tuple[Any, ...]], dict[str, int]]:
    rows, conditions = zones(73, 60)
    drives = {f"van {seed}": jumping(seed)[:150] for seed in range(3)}
    fleet = Fleet(conditions, policy=CERTAIN, plausible_speed=11, accuracy_confidence=0.9)
    for device, fix in interleaved(drives):
        fleet.feed(device, fix)
    events = {(e.device, e.identifier, str(e.state), e.sequence, e.probability) for e in fleet.events()}
    doubted = {device: fleet[device].statistics().doubted_fixes for device in drives}
    assert len(events) > 5 and min(doubted.values()) > 2
    return rows, drives, events, doubted


def test_sqlite_fleets_doubt_and_decide_by_probability() -> None:
    build("sqlite")
    host = SQLite()
    host.run("CREATE VIRTUAL TABLE vans USING fencepost_fleet")
    rows, drives, events, doubted = of_a_fleet()
    host.zones(rows)
    host.run(f"INSERT INTO vans(places, options) VALUES ({PLACES}, 'time=us, {FLEET}')")
    for device, fix in interleaved(drives):
        feed_sqlite(host, device, fix)
    assert set(host.run("SELECT device, place, state, sequence, probability FROM vans")) == events
    assert dict(host.run("SELECT device, fp_doubted_fixes(state) FROM vans_devices")) == doubted
    for options, match in BAD + BAD_REPLAY:
        with pytest.raises(host.errors, match=match):
            host.run("INSERT INTO vans(options) VALUES (?)", (options,))
    with pytest.raises(host.errors, match="belong to events"):
        host.run("INSERT INTO vans(device, time, latitude, longitude, probability) VALUES ('a', 1, 2, 3, 0.5)")


def test_postgresql_fleets_doubt_and_decide_by_probability(server: Server) -> None:
    host = PostgreSQL(server)
    host.run("DELETE FROM fleets")
    rows, drives, events, doubted = of_a_fleet()
    host.zones(rows)
    host.run(f"SELECT create_fleet('vans', {PLACES}, '{FLEET}')")
    for device, fix in interleaved(drives):
        assert feed_postgresql(host, device, fix) is not None  # NULL means late
    assert set(host.run("SELECT device, place, state, sequence, probability FROM events")) == events
    assert dict(host.run("SELECT device, fp_doubted_fixes(state) FROM devices")) == doubted
    for options, match in BAD + BAD_REPLAY:
        with pytest.raises(host.errors, match=match):
            host.run(f"SELECT create_fleet('bad', {PLACES}, '{options}')")


def test_doubted_fixes_of_other_bytes(host: Host) -> None:
    """A state of a fleet is read in every database; other bytes are refused."""
    fleet = Fleet({}, plausible_speed=60)
    for second, latitude in enumerate((47.5, 48.5, 47.5, 49.5)):
        fleet.feed("a", Fix(latitude, 7.5, accuracy=5, time=second * 1_000_000))
    (state,) = fleet.export(["a"], portable=True)
    host.table("states", {"state": "bytes"}, [(state,)])
    assert host.run("SELECT fp_doubted_fixes(state) FROM states") == [(2,)]
    assert host.run("SELECT fp_doubted_fixes(NULL)") == [(None,)]
    rng, failed = random.Random(3), 0
    for number in range(60):
        host.table("states", {"state": "bytes"}, [(damaged(rng, state) if number else b"",)])
        try:
            ((found,),) = host.run("SELECT fp_doubted_fixes(state) FROM states")
            assert isinstance(found, int)
        except host.errors:
            failed += 1
        assert host.run("SELECT 1") == [(1,)]
    assert failed > 40


def test_counts_as_a_window_of_duckdb() -> None:
    from conftest import DuckDB

    build("duckdb")
    host = DuckDB()
    host.run("SET threads = 8")
    places = "(SELECT fp_places('a', 47.0, 7.5, 300.0))"
    host.run(f"CREATE TABLE s AS SELECT {places} AS places")
    host.run("CREATE TABLE n AS SELECT i, make_timestamp(i * 1000000) AS t, 47 + (i % 5 = 0)::INT AS lat "
             "FROM range(5000) t(i)")  # fmt: skip
    call = "fp_counts((SELECT places FROM s), t, lat, 7.5, 5, 'plausible_speed=60')"
    window = f"SELECT i, {call} OVER (ORDER BY i ROWS BETWEEN 9 PRECEDING AND CURRENT ROW) FROM n ORDER BY i"
    found = dict(host.run(window))
    for i in (0, 1, 9, 10, 77, 4999):
        assert host.run(f"SELECT {call} FROM n WHERE i BETWEEN {i - 9} AND {i}") == [(found[i],)]
    assert host.run(f"SELECT {call} FROM n WHERE i < 0") == [(None,)]
    assert math.isclose(sum(host.run(f"SELECT {call} FROM n")[0][0].values()), 5000)
