"""Hostile input causes an error that the host reports, and the host continues."""

from __future__ import annotations

import random
from typing import Any

import pytest
import shapely
from conftest import PLACES, Host, SQLite, build
from worlds import damaged, zones

SQUARE = shapely.box(7.5, 47.5, 7.6, 47.6).wkb
# A polygon of 400 vertices; cutting its planar edges adds more than half a million vertices.
THERE = [(170.0 * (step % 2), 60 + 24 * step / 400) for step in range(200)]
ZIGZAG = shapely.Polygon([*THERE, *((x + 1, y + 0.001) for x, y in reversed(THERE))]).wkb


def refused(host: Host, sql: str, match: str) -> None:
    with pytest.raises(host.errors, match=match):
        host.run(sql)
    assert host.run("SELECT 1") == [(1,)]


def literal(host: Host, value: bytes) -> str:
    return {"sqlite": "x'{}'", "duckdb": "from_hex('{}')", "postgresql": "'\\x{}'::bytea"}[host.name].format(
        value.hex()
    )


def test_null_gives_null(host: Host) -> None:
    host.zones([("a", SQUARE, None)])
    square = literal(host, SQUARE)
    assert host.run("SELECT fp_distance(NULL, 1, 2, 3)") == [(None,)]
    assert host.run(f"SELECT fp_contains({square}, NULL, 3), fp_boundary_distance({square}, 47, NULL)") == [
        (None, None)
    ]
    host.table("points", {"id": "int", "latitude": "float", "longitude": "float"}, [(1, None, 7.55), (2, 47.55, 7.55)])
    assert host.containing() == [(2, "a")]


@pytest.mark.parametrize(
    ("rows", "match"),
    [
        ([(None, SQUARE, None)], "NULL"),
        ([("a", None, None)], "NULL"),
        ([("", SQUARE, None)], "1 to 256 bytes"),
        ([("x" * 257, SQUARE, None)], "1 to 256 bytes"),
        ([("a", SQUARE, None), ("a", SQUARE, None)], "two places"),
        ([("a", b"", None)], "empty"),
        ([("a", b"\x01\x02", None)], '"a"'),
        ([("a", SQUARE[:-1], None)], '"a"'),
        ([("a", SQUARE, "colour=red")], "option colour"),
        ([("a", SQUARE, "radius")], "key=value"),
        ([("a", SQUARE, "buffer=1e3")], "15 digits"),
        ([("a", SQUARE, "buffer=nan")], "15 digits"),
        ([("a", SQUARE, "entry_dwell=-1")], "negative"),
        ([("a", SQUARE, "entry_dwell=1, entry_dwell=1")], "entry_dwell is repeated"),
        ([("a", SQUARE, "entry_dwell=1, policy=exact")], "before"),
        ([("a", SQUARE, "radius=5")], "buffer"),
        ([("a", shapely.Point(7, 47).wkb, None)], "radius"),
        ([("a", shapely.Point(7, 97).wkb, "radius=5")], "latitude"),
        ([("a", shapely.LineString([(7, 47), (8, 47)]).wkb, None)], "radius"),
        ([("a", shapely.LineString([(7, 47), (8, 47)]).wkb, "gate=true, radius=4")], "gate"),
        ([("a", shapely.Polygon([(0, 0), (1, 1), (1, 0), (0, 1)]).wkb, None)], "cross"),
        ([("a", SQUARE, "edges=geodesic, max_vertices=3")], "too_many_vertices: 4 vertices; max_vertices is 3"),
        ([("a", SQUARE, "max_vertices=0")], "1 to 1000000"),
        ([("a", SQUARE, "max_vertices=1000001")], "1 to 1000000"),
        ([("a", SQUARE, "max_vertices=4.5")], "1 to 1000000"),
        ([("a", ZIGZAG, None)], "planar .*max_vertices is 500000"),
        ([("a", b"GP\x00\x01" + (3857).to_bytes(4, "little") + SQUARE, None)], "3857"),
        ([("a", b"GP\x00\x0f" + bytes(4) + SQUARE, None)], "damaged|envelope|head"),
    ],
)
def test_places_that_are_refused(host: Host, rows: Any, match: str) -> None:
    host.zones(rows)
    refused(host, f"SELECT {PLACES}", match)


def test_a_limit_of_vertices_applies_to_shapes(host: Host) -> None:
    square, zigzag = literal(host, SQUARE), literal(host, ZIGZAG)
    assert host.run(f"SELECT fp_contains({square}, 47.55, 7.55, 'edges=geodesic, max_vertices=4')") in (
        [(True,)],
        [(1,)],
    )
    refused(host, f"SELECT fp_contains({square}, 47.55, 7.55, 'max_vertices=3')", "max_vertices is 3")
    refused(host, f"SELECT fp_contains({zigzag}, 47.55, 7.55)", "max_vertices is 500000")


def test_values_that_are_not_places(host: Host) -> None:
    """Arbitrary bytes never end the process, and a changed byte is detected."""
    rows, _ = zones(2, 5)
    host.zones(rows)
    ((good,),) = host.run(f"SELECT {PLACES}")
    # The cache compares only the digest at the beginning of a value. Read other sets of places first, so that the cache
    # drops `good` and reads the damaged values.
    for number in range(16):
        host.run(f"SELECT fp_places('p{number}', 1.0, 2.0, 3.0)")
    rng = random.Random(4)
    for _ in range(60):
        bad = damaged(rng, good)
        if bad == good:
            continue
        table = f"fp_containing({literal(host, bad)}, 47.5, 7.5)"
        refused(host, f"SELECT * FROM {table}" if host.name == "sqlite" else f"SELECT {table}", r"byte \d+")


@pytest.mark.parametrize(
    ("row", "match"),
    [
        (("van", 0, 91.0, 7.0, 0.0), "latitude 91"),
        (("van", 0, 47.0, 181.0, 0.0), "longitude 181"),
        (("van", 0, 47.0, 7.0, -1.0), "accuracy -1"),
    ],
)
def test_fixes_that_are_refused_or_skipped(host: Host, row: Any, match: str) -> None:
    host.zones([("a", SQUARE, None)])
    host.fixes([("van", 1_000_000, 47.55, 7.55, 0.0), row])
    with pytest.raises(host.errors, match=match):
        host.replay("fp_events", "place", "")
    assert host.replay("fp_events", "place, kind", "invalid=skip") == [("van", "a", "determined")]


def test_rows_without_a_position_are_no_fixes(host: Host) -> None:
    host.zones([("a", SQUARE, None)])
    host.fixes(
        [("van", 1_000_000, 47.55, 7.55, None), ("van", 2_000_000, None, None, 5.0), ("van", None, 47.0, 7.0, 0.0)]
    )
    assert host.replay("fp_events", "place, kind", "") == [("van", "a", "determined")]


def test_a_large_polygon_and_many_places(host: Host) -> None:
    ring = shapely.Point(7.55, 47.55).buffer(0.05, quad_segs=5000)
    many = [(f"p{number:06d}", shapely.Point(7 + number * 1e-5, 47.5).wkb, "radius=10") for number in range(3000)]
    host.zones([("large", ring.wkb, None), *many])
    host.table("points", {"id": "int", "latitude": "float", "longitude": "float"}, [(1, 47.55, 7.55)])
    assert host.containing() == [(1, "large")]


def test_options_of_other_functions_are_refused(host: Host) -> None:
    host.zones([("a", SQUARE, None)])
    host.fixes([("van", 0, 47.5, 7.5, 0.0)])
    for options, match in (("edges=planar", "option edges"), ("path=geodesic", "max_gap"), ("policy=exct", "exct")):
        with pytest.raises(host.errors, match=match):
            host.replay("fp_visits", "place", options)


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
def test_positions_that_are_not_numbers(host: Host, value: str) -> None:
    number = f"'{value}'::DOUBLE PRECISION"
    if host.name == "sqlite":  # SQLite has no NaN
        number = "-9e999" if value == "-inf" else "9e999"
    places = "(SELECT fp_places('a', 47.5, 7.5, 900.0))"
    call = f"fp_containing({places}, {number}, 7.5)"
    with pytest.raises(host.errors, match="nan|inf|latitude"):
        host.run(f"SELECT * FROM {call}" if host.name == "sqlite" else f"SELECT {call}")
    with pytest.raises(host.errors, match="nan|inf|atitude"):
        host.run(f"SELECT fp_distance({number}, 0, 0, 0)")
    with pytest.raises(host.errors, match="nan|inf|adius"):
        host.run(f"SELECT fp_places('a', 47.5, 7.5, {number})")
    assert host.run("SELECT 1") == [(1,)]


def test_sqlite_times_with_and_without_a_zone_do_not_mix() -> None:
    """As in files: the times without a zone may be local times."""
    build("sqlite")
    host = SQLite()
    places = "(SELECT fp_places('a', 47.5, 7.5, 200))"

    def found(*times: str) -> list[Any]:
        rows = " UNION ALL ".join(f"SELECT 1, ''{time}'', 47.5, 7.5" for time in times)
        return host.run(f"SELECT time FROM fp_events('{rows}', {places}, 'assuming=unknown, policy=exact')")

    assert found("2026-06-01 08:00", "2026-06-01 09:00") == [("2026-06-01T08:00:00.000000Z",)]
    assert found("2026-06-01T08:00+02:00", "2026-06-01T07:00Z") == [("2026-06-01T06:00:00.000000Z",)]
    for mixed in (
        ("2026-06-01 08:00", "2026-06-01T09:00Z"),
        ("2026-06-01T08:00-0500", "2026-06-01 09:00"),
        ("2026-06-01", "2026-06-01T09:00+02"),
    ):
        with pytest.raises(host.errors, match="row 2 of the fixes: .*time zone"):
            found(*mixed)
    # Each query begins anew.
    assert found("2026-06-01 08:00") == [("2026-06-01T08:00:00.000000Z",)]
