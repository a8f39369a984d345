"""The SQL functions give the same answers in each database as the Python package, which calls other functions of the
same engine."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from conftest import Host, time_us
from worlds import drive, zones

from fencepost import Notify, TransitionPolicy, Zones, geodesic, replay as replayed

PATH = "policy=exact, path=geodesic, max_gap=600"
OPTIONS: dict[str, dict[str, Any]] = {
    "": {},
    "policy=exact": {"policy": "exact"},
    PATH: {"policy": "exact", "path": "geodesic", "max_gap": 600},
    "entry_dwell=60, exit_dwell=90, entry_margin=5, path=geodesic, max_gap=10": {
        "policy": TransitionPolicy(entry_dwell=60, exit_dwell=90, entry_margin=5),
        "path": "geodesic",
        "max_gap": 10,
    },
    "policy=core_location, exit_dwell=40, notify=entry+exit": {
        "policy": replace(TransitionPolicy.core_location(), exit_dwell=40, notify=Notify.ENTRY | Notify.EXIT)
    },
}


def points(host: Host, seed: int) -> list[tuple[int, float, float]]:
    rng = random.Random(seed)
    made = [(number, rng.uniform(47.48, 47.62), rng.uniform(7.48, 7.72)) for number in range(600)]
    host.table("points", {"id": "int", "latitude": "float", "longitude": "float"}, made)
    return made


def table(conditions: dict[str, Any]) -> Zones:
    made = Zones()
    for identifier, condition in conditions.items():
        made.add(condition, identifier)
    return made


def test_distance_is_that_of_the_geodesic(host: Host) -> None:
    rng = random.Random(1)
    for _ in range(50):
        pair = [rng.uniform(-90, 90), rng.uniform(-180, 180), rng.uniform(-90, 90), rng.uniform(-180, 180)]
        (found,) = host.run("SELECT fp_distance({}, {}, {}, {})".format(*map(repr, pair)))
        assert found[0] == geodesic.inverse(*pair).distance


def test_containing_is_that_of_the_package(host: Host) -> None:
    for seed in range(3):
        rows, conditions = zones(seed)
        random.Random(seed).shuffle(rows)  # the order of rows must not matter
        host.zones(rows)
        asked, places = points(host, seed), table(conditions)
        expected = [
            (number, name) for number, latitude, longitude in asked for name in places.containing(latitude, longitude)
        ]
        assert len(expected) > 100
        assert sorted(host.containing()) == sorted(expected)


def test_nearest_is_that_of_the_package(host: Host) -> None:
    rows, conditions = zones(7)
    host.zones(rows)
    asked, places = points(host, 7), table(conditions)
    expected = {number: list(places.nearest(latitude, longitude, 3).items()) for number, latitude, longitude in asked}
    found: dict[int, list[tuple[str, float]]] = {}
    for number, place, distance in host.nearest(3):
        found.setdefault(number, []).append((place, distance))
    assert found == expected


@pytest.mark.parametrize("options", OPTIONS)
def test_events_are_those_of_replay(host: Host, options: str) -> None:
    given = OPTIONS[options]
    rows, conditions = zones(3, 60)
    host.zones(rows)
    drives = {f"van {number}": drive(number) for number in range(4)}
    fixes = [
        (device, fix.time_us, fix.latitude, fix.longitude, fix.accuracy)
        for device, track in drives.items()
        for fix in track
    ]
    random.Random(options).shuffle(fixes)
    host.fixes(fixes)
    expected = []
    for device, track in sorted(drives.items()):
        log = replayed(track, conditions, assuming="unsatisfied", **given)
        expected += [
            (device, e.identifier, e.date_us, e.evidence_date_us, str(e.state), e.boundary_distance, e.sequence)
            for e in log
        ]
    columns = "place, time, evidence_time, state, distance, sequence"
    assert len(expected) > 20
    assert host.replay("fp_events", columns, options) == expected


@pytest.mark.parametrize("options", ["", PATH, "assuming=satisfied", "assuming=unknown"])
def test_visits_are_those_of_replay(host: Host, options: str) -> None:
    rows, conditions = zones(5, 60)
    host.zones(rows)
    drives = {f"van {number}": drive(number + 10) for number in range(3)}
    host.fixes(
        [(device, f.time_us, f.latitude, f.longitude, f.accuracy) for device, track in drives.items() for f in track]
    )
    given: dict[str, Any] = {"assuming": "unsatisfied"}
    if options.startswith("assuming="):
        given["assuming"] = options.partition("=")[2]
    elif options:
        given |= OPTIONS[options]
    expected = []
    for device, track in sorted(drives.items()):
        expected += [
            (
                device,
                visit.identifier,
                _us(visit.start),
                _us(visit.end),
                str(visit.start_known),
                str(visit.end_known),
                _us(visit.confirmed_start),
                _us(visit.confirmed_end),
            )
            for visit in replayed(track, conditions, **given).visits()
        ]
    columns = 'place, start, "end", start_known, end_known, confirmed_start, confirmed_end'
    assert len(expected) > 10
    assert host.replay("fp_visits", columns, options) == expected


def _us(time: Any) -> int | None:
    return None if time is None else time_us(time)


def test_gates_count_crossings_with_a_path(host: Host) -> None:
    import shapely

    host.zones([("gate", shapely.LineString([(7.6, 47.5), (7.6, 47.6)]).wkb, "gate=true")])
    host.fixes(
        [("van", 0, 47.55, 7.59, 0.0), ("van", 10_000_000, 47.55, 7.61, 0.0), ("van", 20_000_000, 47.55, 7.59, 0.0)]
    )
    found = host.replay("fp_events", "place, kind, direction, time", "path=geodesic, max_gap=60")
    assert [row[:4] for row in found] == [
        ("van", "gate", "cross", "left_to_right"),
        ("van", "gate", "cross", "right_to_left"),
    ]
    with pytest.raises(host.errors, match="path=geodesic"):
        host.replay("fp_events", "place", "")


def test_shapes_answer_alone(host: Host) -> None:
    rows, conditions = zones(11)
    places = table(conditions)
    host.zones(rows)
    for identifier, _, options in rows[:12]:
        arguments = "geometry, 47.55, 7.6" + (f", '{options}'" if options else "")
        sql = f"SELECT fp_boundary_distance({arguments}), fp_contains({arguments}) FROM zones WHERE id = '{identifier}'"
        ((distance, contains),) = host.run(sql)
        named = dict(places.nearest(47.55, 7.6, len(rows)))
        assert distance == named[identifier]
        assert bool(contains) == (distance <= 0)


def test_points_of_wkb_have_a_position(host: Host) -> None:
    import shapely

    point = shapely.Point(7.5, 47.25)
    ewkb = shapely.to_wkb(shapely.set_srid(shapely.Point(7.5, 47.25, 300), 4326), include_srid=True)
    values = [("plain", point.wkb), ("big", shapely.to_wkb(point, byte_order=0)), ("ewkb", ewkb), ("null", None)]
    host.table("shapes", {"id": "text", "geometry": "bytes"}, values)
    found = host.run("SELECT id, fp_latitude(geometry), fp_longitude(geometry) FROM shapes ORDER BY id")
    assert found == [("big", 47.25, 7.5), ("ewkb", 47.25, 7.5), ("null", None, None), ("plain", 47.25, 7.5)]
    for bad in (b"", b"\x01", point.wkb[:-1], shapely.box(0, 0, 1, 1).wkb):
        host.table("shapes", {"id": "text", "geometry": "bytes"}, [("bad", bad)])
        with pytest.raises(host.errors, match="WKB, EWKB"):
            host.run("SELECT fp_longitude(geometry) FROM shapes")


def test_points_without_coordinates_are_null(host: Host) -> None:
    """PostGIS writes an empty point as a point of NaN."""
    import shapely

    host.table("shapes", {"id": "text", "geometry": "bytes"}, [("empty", shapely.to_wkb(shapely.Point()))])
    assert host.run("SELECT fp_latitude(geometry), fp_longitude(geometry) FROM shapes") == [(None, None)]


@pytest.mark.parametrize("srid", [2056, 3857, 4258])
def test_points_in_another_coordinate_system_are_refused(host: Host, srid: int) -> None:
    """Their metres may be in the range of degrees, as near the origin of EPSG:3857."""
    import shapely

    for order in (0, 1):
        point = shapely.set_srid(shapely.Point(7.5, 47.25), srid)
        ewkb = shapely.to_wkb(point, include_srid=True, byte_order=order)
        host.zones([("a", ewkb, "radius=100")])
        for sql in (
            "SELECT fp_latitude(geometry) FROM zones",
            "SELECT fp_contains(geometry, 47.25, 7.5, options) FROM zones",
            "SELECT fp_places(id, geometry, options) FROM zones",
        ):
            with pytest.raises(host.errors, match=f"{srid}.*4326"):
                host.run(sql)
    polygon = shapely.to_wkb(shapely.set_srid(shapely.box(7, 47, 8, 48), srid), include_srid=True)
    host.zones([("a", polygon, None)])
    with pytest.raises(host.errors, match=f"{srid}.*4326"):
        host.run("SELECT fp_places(id, geometry, options) FROM zones")
