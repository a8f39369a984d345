"""Fixes with error ellipses: probabilities, events, visits and fleets equal those of the Python package, and an invalid
ellipse is refused with its values."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
import shapely
from conftest import PLACES, Host, PostgreSQL, Server, SQLite, build
from test_answers import table
from test_fleets import interleaved
from test_hostile import literal, refused
from test_uncertainty import CERTAIN, counts
from worlds import drive, zones

from fencepost import Circle, Fix, Fleet, TransitionPolicy, replay as replayed

ELLIPSE = ", major, minor, orientation"
OPTIONS = "entry_probability=0.9, exit_probability=0.1"
POINT = {"id": "int", "latitude": "float", "longitude": "float", "accuracy": "float"}
POINT_WITH_ELLIPSE = {**POINT, "major": "float", "minor": "float", "orientation": "float"}
NONE = (None, None, None)
BAD = [
    ((10.0, 20.0, 0.0), "semi-axes 10 and 20"),
    ((-1.0, -2.0, 0.0), "semi-axes -1 and -2"),
    ((10.0, -2.0, 0.0), "at least 0 metres"),
    ((10.0, 5.0, None), "orientation (-?nan|-?NaN)"),
    ((None, 5.0, 10.0), "three NULL"),
    ((10.0, None, 10.0), "three NULL"),
    ((float("inf"), 5.0, 10.0), "semi-axes inf and 5"),
    ((10.0, 5.0, float("inf")), "orientation inf"),
]


def uncertain(seed: int, fixes: int = 300) -> list[Fix]:
    """A drive in which two thirds of the fixes have an ellipse."""
    rng = random.Random(seed)
    found = []
    for fix in drive(seed, fixes):
        major = rng.choice([2.0, 30.0, 120.0])
        ellipse = None if rng.random() < 0.33 else (major, major * rng.choice([0.02, 0.5, 1.0]), rng.uniform(-200, 500))
        found.append(Fix(fix.latitude, fix.longitude, fix.accuracy, time=fix.time_us, error_ellipse=ellipse))
    return found


def row(device: str, fix: Fix) -> tuple[Any, ...]:
    return (device, fix.time_us, fix.latitude, fix.longitude, fix.accuracy, *(fix.error_ellipse or NONE))


def test_probability_with_an_ellipse_is_that_of_the_package(host: Host) -> None:
    rng = random.Random(81)
    rows, conditions = zones(81, 12)
    places = table(conditions)
    host.zones(rows)
    between = 0
    for identifier, geometry, options in rows:
        centre = shapely.from_wkb(geometry).centroid
        asked: list[tuple[Any, ...]] = []
        for number in range(30):
            major = rng.choice([0.0, 3.0, 60.0, 400.0])
            ellipse = NONE if number % 4 == 0 else (major, major * rng.random(), rng.uniform(-720, 720))
            position = centre.y + rng.gauss(0, 0.004), centre.x + rng.gauss(0, 0.006)
            # An ellipse replaces the accuracy, also one that is missing.
            accuracy = None if number % 4 == 1 else rng.choice([0.0, 40.0, 300.0])
            asked.append((number, *position, accuracy, *ellipse))
        host.table("points", POINT_WITH_ELLIPSE, asked)
        given = f", '{options}'" if options else ""
        sql = f"SELECT p.id, fp_probability(z.geometry, p.latitude, p.longitude, p.accuracy{ELLIPSE}{given}) FROM "
        expected = [
            places.probability(
                identifier, latitude, longitude, accuracy or 0.0, ellipse=None if ellipse == list(NONE) else ellipse
            )
            for _, latitude, longitude, accuracy, *ellipse in asked
        ]
        found = host.run(sql + f"points p, zones z WHERE z.id = '{identifier}' ORDER BY p.id")
        assert found == list(enumerate(expected))
        between += sum(0.001 < each < 0.999 for each in expected)
    assert between > 80


def test_the_error_is_missing_without_accuracy_and_ellipse(host: Host) -> None:
    square = literal(host, shapely.box(7.5, 47.5, 7.6, 47.6).wkb)
    host.table("points", POINT_WITH_ELLIPSE, [(1, 47.55, 7.55, None, *NONE), (2, None, 7.55, 5.0, 3.0, 2.0, 1.0)])
    sql = f"SELECT id, fp_probability({square}, latitude, longitude, accuracy{ELLIPSE}) FROM points ORDER BY id"
    assert host.run(sql) == [(1, None), (2, None)]


@pytest.mark.parametrize(("ellipse", "match"), BAD)
def test_an_invalid_ellipse_is_refused(host: Host, ellipse: tuple[Any, ...], match: str) -> None:
    square = literal(host, shapely.box(7.5, 47.5, 7.6, 47.6).wkb)
    host.table("points", POINT_WITH_ELLIPSE, [(1, 47.55, 7.55, 5.0, *ellipse)])
    refused(host, f"SELECT fp_probability({square}, latitude, longitude, accuracy{ELLIPSE}) FROM points", match)
    host.zones([("a", shapely.box(7.5, 47.5, 7.6, 47.6).wkb, None)])
    second = 1_000_000
    host.uncertain_fixes([("van", 0, 47.0, 7.0, 5.0, *NONE), ("van", second, 47.55, 7.55, 5.0, *ellipse)])
    with pytest.raises(host.errors, match=match):
        host.replay("fp_events", "place", OPTIONS, ELLIPSE)
    assert host.replay("fp_events", "place", f"{OPTIONS}, invalid=skip", ELLIPSE) == []
    host.fixes([])
    assert host.run("SELECT 1") == [(1,)]


@pytest.mark.parametrize("options", [OPTIONS, f"policy=exact, {OPTIONS}, plausible_speed=11", "policy=exact"])
def test_events_visits_and_counts_with_ellipses_are_those_of_replay(host: Host, options: str) -> None:
    rows, conditions = zones(82, 60)
    host.zones(rows)
    drives = {f"van {seed}": uncertain(seed) for seed in range(3)}
    drives["van 3"] = [Fix(f.latitude, f.longitude, f.accuracy, time=f.time_us) for f in uncertain(3)]  # no ellipses
    fixes = [row(device, fix) for device, track in drives.items() for fix in track]
    random.Random(options).shuffle(fixes)  # so the ellipses are sorted with their fixes
    host.uncertain_fixes(fixes)
    given: dict[str, Any] = {"policy": "exact"}
    if "probability" in options:
        given["policy"] = CERTAIN if options == OPTIONS else exact_by_probability()
    if "plausible" in options:
        given["plausible_speed"] = 11
    logs = {device: replayed(track, conditions, assuming="unsatisfied", **given) for device, track in drives.items()}
    expected = [
        (device, e.identifier, e.date_us, str(e.state), e.probability) for device, log in logs.items() for e in log
    ]
    assert len(expected) > 20
    assert host.replay("fp_events", "place, time, state, probability", options, ELLIPSE) == expected
    if "probability" in options:
        assert host.replay("fp_events", "place, time, state, probability", options) != expected
    visits = [(device, v.identifier, str(v.end_known)) for device, log in logs.items() for v in log.visits()]
    assert host.replay("fp_visits", "place, end_known", options, ELLIPSE) == visits
    if host.name == "sqlite":
        found = host.replay("fp_counts", "accepted, doubted", options, ELLIPSE)
    else:
        call = f"fp_counts({PLACES}, time, latitude, longitude, accuracy{ELLIPSE}, '{options}')"
        inner = f"SELECT device, {call} AS c FROM fixes GROUP BY device"
        found = host.run(f"SELECT device, (c).accepted, (c).doubted FROM ({inner}) x ORDER BY device")
    doubted = {device: log.counts.doubted_fixes for device, log in logs.items()}
    assert found == [(device, 300 - number, number) for device, number in sorted(doubted.items())]


def exact_by_probability() -> TransitionPolicy:
    return replace(TransitionPolicy.exact(), entry_probability=0.9, exit_probability=0.1)


def test_equal_times_do_not_depend_on_the_order_of_rows(host: Host) -> None:
    host.zones([("a", shapely.Point(7.5, 47.5).wkb, "radius=100")])
    same = [
        ("van", 0, 47.5012, 7.5, 5.0, *ellipse)
        for ellipse in (NONE, (80.0, 2.0, 0.0), (80.0, 2.0, 90.0), (80.0, 3.0, 0.0), (9.0, 2.0, 0.0))
    ]
    later = [("van", 60_000_000, 47.5, 7.5, 5.0, 3.0, 1.0, 0.0)]
    found = set()
    for seed in range(8):
        rows = same + later
        random.Random(seed).shuffle(rows)
        host.uncertain_fixes(rows)
        found.add(
            tuple(host.replay("fp_events", "place, time, probability, accuracy", f"policy=exact, {OPTIONS}", ELLIPSE))
        )
    assert len(found) == 1


def test_the_first_ellipse_may_come_late(host: Host) -> None:
    """The fixes before it have none; groups without any ellipse are merged with others."""
    host.zones([("a", shapely.Point(7.5, 47.5).wkb, "radius=100")])
    second = 1_000_000
    rows: list[tuple[Any, ...]] = [("van", n * second, 47.6, 7.5, 5.0, *NONE) for n in range(5000)]
    rows += [("van", 5000 * second, 47.5005, 7.5, 300.0, 20.0, 1.0, 90.0)]
    rows += [("van", n * second, 47.6, 7.5, 5.0, *NONE) for n in range(5001, 9000)]
    random.Random(3).shuffle(rows)
    host.uncertain_fixes(rows)
    found = host.replay("fp_events", "kind, time", "policy=exact, assuming=unsatisfied, " + OPTIONS, ELLIPSE)
    track = [
        Fix(latitude, longitude, accuracy, time=time, error_ellipse=None if ellipse == list(NONE) else ellipse)
        for _, time, latitude, longitude, accuracy, *ellipse in sorted(rows, key=lambda each: each[1])
    ]
    log = replayed(track, {"a": Circle(47.5, 7.5, radius=100)}, assuming="unsatisfied", policy=exact_by_probability())
    assert found == [("van", event.kind, event.date_us) for event in log] != []


def test_other_numbers_of_columns_are_refused() -> None:
    build("sqlite")
    host = SQLite()
    host.zones([])
    host.uncertain_fixes([])
    for columns in ("accuracy, major", "accuracy, major, minor", "accuracy, major, minor, orientation, 1"):
        with pytest.raises(host.errors, match="optionally error_major, error_minor, error_orientation"):
            host.run(
                f"SELECT * FROM fp_events('SELECT device, time, latitude, longitude, {columns} FROM fixes', {PLACES})"
            )
    host.uncertain_fixes([("van", 0, 47.5, 7.5, 5.0, "10", 5.0, 3.0)])
    host.run("UPDATE fixes SET major = x'00'")
    with pytest.raises(host.errors, match="error_major is a BLOB"):
        host.replay("fp_events", "place", "", ELLIPSE)


# ---------------------------------------------------------------------------------------------- fleets


def of_a_fleet() -> tuple[list[Any], dict[str, list[Fix]], set[tuple[Any, ...]]]:
    rows, conditions = zones(83, 60)
    drives = {f"van {seed}": uncertain(seed, 150) for seed in range(3)}
    fleet = Fleet(conditions, policy=CERTAIN)
    for device, fix in interleaved(drives):
        fleet.feed(device, fix)
    events = {(e.device, e.identifier, str(e.state), e.sequence, e.probability) for e in fleet.events()}
    assert len(events) > 5
    return rows, drives, events


def test_sqlite_fleets_use_the_ellipse() -> None:
    build("sqlite")
    host = SQLite()
    host.run("CREATE VIRTUAL TABLE vans USING fencepost_fleet")
    rows, drives, events = of_a_fleet()
    host.zones(rows)
    host.run(f"INSERT INTO vans(places, options) VALUES ({PLACES}, 'time=us, {OPTIONS}')")
    names = "device, time, latitude, longitude, accuracy, error_major, error_minor, error_orientation"
    insert = f"INSERT INTO vans({names}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
    for device, fix in interleaved(drives):
        host.run(insert, row(device, fix))
    assert set(host.run("SELECT device, place, state, sequence, probability FROM vans")) == events
    assert "error_major" not in [column[0] for column in host.connection.execute("SELECT * FROM vans").getdescription()]
    state = host.run("SELECT device, state FROM vans_devices ORDER BY device")
    for ellipse, match in BAD:
        with pytest.raises(host.errors, match=match):
            host.run(insert, ("van 0", 2_000_000_000_000_000, 47.5, 7.5, 5.0, *ellipse))
        # A row without a position only advances the time, whatever its ellipse is.
    with pytest.raises(host.errors, match="must be a number"):
        host.run(insert, ("van 0", 2_000_000_000_000_000, 47.5, 7.5, 5.0, "10", 5.0, 0.0))
    assert host.run("SELECT device, state FROM vans_devices ORDER BY device") == state


def test_postgresql_fleets_use_the_ellipse(server: Server) -> None:
    host = PostgreSQL(server)
    host.run("DELETE FROM fleets")
    rows, drives, events = of_a_fleet()
    host.zones(rows)
    host.run(f"SELECT create_fleet('vans', {PLACES}, '{OPTIONS}')")
    call = "SELECT feed('vans', %s, %s, %s, %s, %s, %s, %s, %s)"
    for device, fix in interleaved(drives):
        _, time, *rest = row(device, fix)
        assert host.run(call, (device, host.time(time), *rest))[0][0] is not None
    assert set(host.run("SELECT device, place, state, sequence, probability FROM events")) == events
    state = host.run("SELECT device, state FROM devices ORDER BY device")
    for ellipse, match in BAD:
        with pytest.raises(host.errors, match=match):
            host.run(call, ("van 0", host.time(2_000_000_000_000_000), 47.5, 7.5, 5.0, *ellipse))
    assert host.run("SELECT device, state FROM devices ORDER BY device") == state
    named = "SELECT feed('vans', 'one', now(), 47.5, 7.5, error_major => 4, error_minor => 2, error_orientation => 9)"
    assert host.run(named) is not None


def test_counts_ignore_no_ellipse(host: Host) -> None:
    """The functions without an ellipse still have their arguments."""
    host.zones([("spot", shapely.Point(7.5, 47.5).wkb, "radius=200")])
    host.fixes([("a", 0, 47.5, 7.5, 5.0)])
    assert counts(host, "policy=exact") == [("a", 1, 0, 0, 0)]
