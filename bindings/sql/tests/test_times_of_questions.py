"""Questions about points at times: the answers equal those of the Python package, and bad times are refused with the
argument and the remedy."""

from __future__ import annotations

import random

import pytest
import shapely
from conftest import PLACES, Host
from test_hostile import refused
from test_timings import BEGIN, SECOND, timed_zones

from fencepost import AltitudeBand, Circle, Schedule, Timing, Zones

POINT_OF_WKB = shapely.Point(7.5, 47.5).wkb
HEIGHTS = "p.altitude, p.geoid, p.ground"
COLUMNS = {"id": "int", "latitude": "float", "longitude": "float", "time": "time"}
HIGH = {"altitude": "float", "geoid": "float", "ground": "float"}


def question(host: Host, time: str, heights: str = "", of: str = PLACES) -> str:
    """A query of the points `p` and the places that contain each of them at a time."""
    start = f"fp_containing({of}, p.latitude, p.longitude"
    if host.name == "sqlite":
        nulls = heights or "NULL, NULL, NULL"
        return f"SELECT p.id, c.place FROM points p, {start}, {nulls}, {time}) c"
    with_heights = f", {heights}" if heights else ""
    named = "at_time => " if host.name == "postgresql" else ""
    return f"SELECT p.id, unnest({start}{with_heights}, {named}{time})) FROM points p"


def timed_world(seed: int) -> tuple[list[tuple[str, bytes, str]], Zones, list[int]]:
    """Circles with hours and limits of altitude: as rows for SQL and as a table; and the edges of all hours."""
    rng = random.Random(seed)
    rows, features = timed_zones(seed)
    zones, edges, listed = Zones(), [], []
    for (name, wkb, given), feature in zip(rows, features):
        own = feature["properties"]
        longitude, latitude = feature["geometry"]["coordinates"]
        active = Schedule(own["active"]) if "active" in own else None
        edges += [edge for each in (active.intervals_us if active else ()) for edge in each]
        band, options = None, given
        if rng.random() < 0.4:
            maximum = rng.choice([100.0, 400.0])
            band = AltitudeBand(-1e6, maximum, reference="ellipsoid")
            options += (
                f", altitude_min=-1000000, altitude_min_reference=ellipsoid, altitude_max={maximum}, "
                "altitude_max_reference=ellipsoid"
            )
        timing = None if active is None else Timing(active=active)
        zones.add(Circle(latitude, longitude, own["radius"]), name, timing=timing, band=band)
        listed.append((name, wkb, options))
    return listed, zones, edges


@pytest.mark.parametrize("with_heights", [False, True])
def test_answers_are_those_of_the_package(host: Host, with_heights: bool) -> None:
    rows, zones, edges = timed_world(92)
    host.zones(rows)
    rng = random.Random(93)
    points, expected, anyway = [], set(), set()
    for number in range(1500):
        latitude, longitude = rng.uniform(47.5, 47.6), rng.uniform(7.5, 7.7)
        time = rng.choice([None, rng.randrange(BEGIN, BEGIN + 6000) * SECOND, (edge := rng.choice(edges)), edge - 1])
        heights: tuple[float | None, ...] = (None, None, None)
        if with_heights and rng.random() < 0.7:
            heights = rng.uniform(0, 600), None, None
        points.append((number, latitude, longitude, time, *heights))
        known = {} if heights[0] is None else {"altitude": heights[0]}
        expected |= {(number, name) for name in zones.containing(latitude, longitude, time=time, **known)}
        anyway |= {(number, name) for name in zones.containing(latitude, longitude, **known)}
    host.table("points", COLUMNS | HIGH, points)
    # SQLite has no type of times: a number is in seconds.
    time = "p.time / 1000000.0" if host.name == "sqlite" else "p.time"
    found = host.run(question(host, time, HEIGHTS if with_heights else ""))
    assert len(found) == len(set(found)) and set(found) == expected
    assert expected < anyway and len(anyway) > len(expected) + 100
    assert set(host.run(question(host, nothing(host), HEIGHTS if with_heights else ""))) == anyway


def nothing(host: Host) -> str:
    return "NULL" if host.name == "sqlite" else "NULL::TIMESTAMPTZ"


def test_forms_of_a_time(host: Host) -> None:
    """The first interval contains its start and not its end; a time without a zone is UTC, as in columns of fixes."""
    day = "2026-03-02"
    host.zones([("a", POINT_OF_WKB, f"radius=100, active={day}T08:00Z/{day}T09:00Z")])
    host.table("points", COLUMNS, [(1, 47.5, 7.5, None)])
    forms = {
        "sqlite": ("'{} {}'", "'{}T{}Z'", "unixepoch('{} {}')", "unixepoch('{} {}') * 1.0", "datetime('{} {}')"),
        "duckdb": ("TIMESTAMP '{} {}'", "TIMESTAMPTZ '{} {}+00'", "'{} {}'::TIMESTAMP_S", "'{} {}'::TIMESTAMP_MS"),
        "postgresql": ("'{} {}'", "timestamptz '{} {}+00'", "timestamp '{} {}'"),
    }
    for form in forms[host.name]:
        for clock, is_inside in (("07:59:59", False), ("08:00:00", True), ("08:59:59", True), ("09:00:00", False)):
            found = host.run(question(host, form.format(day, clock)))
            assert found == [(1, "a")] * is_inside, (form, clock)
    if host.name == "sqlite":
        assert host.run(question(host, f"'{day}T10:30:00+02:00'")) == [(1, "a")]
        assert host.run(question(host, f"'{day}T10:30:00+01:00'")) == []
        return
    # A time without a zone is in the session's zone in PostgreSQL, and in UTC in DuckDB.
    host.run("SET TimeZone = 'Asia/Tokyo'")
    try:
        tokyo = host.run(question(host, f"'{day} 17:30'::TIMESTAMPTZ"))
        plain = host.run(question(host, f"'{day} 17:30'::TIMESTAMP"))
    finally:
        host.run("SET TimeZone = 'UTC'")
    assert tokyo == [(1, "a")] and plain == ([(1, "a")] if host.name == "postgresql" else [])


def test_a_column_of_the_same_name(host: Host) -> None:
    """The points have columns `time`, `place` and `distance`, and a column with the name of the argument."""
    host.zones([("a", POINT_OF_WKB, "radius=100, active=2026-03-02T08:00Z/2026-03-02T09:00Z")])
    host.table("points", COLUMNS | {"place": "text", "at_time": "text"}, [(1, 47.5, 7.5, None, "p", "q")])
    call = question(host, "'2026-03-02 08:30'" if host.name != "duckdb" else "TIMESTAMP '2026-03-02 08:30'")
    assert host.run(call) == [(1, "a")]
    assert host.run(call.replace("p.id", "p.place, p.at_time, p.id")) == [("p", "q", 1, "a")]
    if host.name == "sqlite":
        # A hidden column does not hide the column `time` of the points, and is not in the rows.
        assert host.run(call.replace("p.id", "time, p.id")) == [(None, 1, "a")]
        start = f"SELECT c.* FROM points p, fp_containing({PLACES}, p.latitude, p.longitude) c"
        assert [row[0] for row in host.run(f"{start} WHERE c.at_time = '2026-03-02 08:30'")] == ["a"]
        assert host.run(f"{start} WHERE c.at_time = '2026-03-02 09:30'") == []


def test_no_points_and_no_places(host: Host) -> None:
    host.zones([])
    host.table("points", COLUMNS, [(1, 47.5, 7.5, 0)])
    time = "p.time" if host.name != "sqlite" else "p.time / 1000000.0"
    assert host.run(question(host, time)) == []
    host.zones([("a", POINT_OF_WKB, "radius=100, active=1969-12-31T23:00Z/1970-01-01T00:00Z")])
    assert host.run(question(host, time)) == [], "an interval does not contain its end"
    assert host.run(question(host, nothing(host))) == [(1, "a")]
    host.table("points", COLUMNS, [])
    assert host.run(question(host, time)) == []


BAD: dict[str, list[tuple[str, str]]] = {
    "sqlite": [
        ("'yesterday'", "at_time.*yesterday"),
        ("''", "at_time"),
        ("x'00'", "at_time is a BLOB"),
        ("1772438400000", "at_time is 1772438400000,.*1000.0"),
        ("9e999", "at_time is inf"),
        ("-9e999", "at_time is -inf"),
        ("9223372036854775807", "at_time is 9"),
        ("'2026-02-30'", "at_time.*2026-02-30"),
    ],
    "duckdb": [
        ("'infinity'::TIMESTAMP", "time"),
        ("'-infinity'::TIMESTAMPTZ", "time"),
        ("TIMESTAMP '12000-01-01'", "time"),
        ("TIMESTAMP '0001-01-01' - INTERVAL 1 DAY", "time"),
        ("5", "No function matches"),
        ("TIME '08:30'", "No function matches"),
        ("'NaN'::DOUBLE", "No function matches"),
        ("'2026-03-02 08:30'", "explicit type casts"),
        ("'yesterday'::TIMESTAMP", "yesterday"),
    ],
    "postgresql": [
        ("'infinity'", "at_time is infinite"),
        ("'-infinity'", "at_time is infinite"),
        ("timestamptz '12000-01-01'", "time"),
        ("timestamptz '0005-01-01 BC'", "time"),
        ("5", "does not exist"),
        ("'a word'", "invalid input syntax"),
    ],
}


def test_bad_times_are_refused(host: Host) -> None:
    host.zones([("a", POINT_OF_WKB, "radius=100, active=2026-03-02T08:00Z/2026-03-02T09:00Z")])
    host.table("points", COLUMNS, [(1, 47.5, 7.5, None)])
    for time, match in BAD[host.name]:
        refused(host, question(host, time), match)
        assert host.run(question(host, nothing(host))) == [(1, "a")], time


def test_no_time_without_a_type(host: Host) -> None:
    """A bare NULL means that there is no time, in each host; in DuckDB, it fits two overloads."""
    host.zones([("a", POINT_OF_WKB, "radius=100, active=2026-03-02T08:00Z/2026-03-02T09:00Z")])
    host.table("points", COLUMNS, [(1, 47.5, 7.5, None)])
    assert host.run(question(host, "NULL")) == host.run(question(host, "NULL", "NULL, NULL, NULL")) == [(1, "a")]


def test_a_bad_time_in_a_later_row(host: Host) -> None:
    """An answer after a refused row is as before."""
    host.zones([("a", POINT_OF_WKB, "radius=100, active=2026-03-02T08:00Z/2026-03-02T09:00Z")])
    inside = 1_772_438_400 * SECOND + 1
    host.table("points", COLUMNS, [(number, 47.5, 7.5, inside) for number in range(5000)])
    time, bad = {
        "sqlite": ("p.time / 1000000.0", "CASE WHEN p.id = 4000 THEN 'x' ELSE p.time / 1000000.0 END"),
        "duckdb": ("p.time", "CASE WHEN p.id = 4000 THEN 'infinity'::TIMESTAMP ELSE p.time END"),
        "postgresql": ("p.time", "CASE WHEN p.id = 4000 THEN 'infinity' ELSE p.time END"),
    }[host.name]
    assert len(host.run(question(host, time))) == 5000
    refused(host, question(host, bad), "time")
    assert len(host.run(question(host, time))) == 5000
