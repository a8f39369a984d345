"""Places with limits of altitude, and rules: events, visits and answers equal those of the Python package, and bad
options are errors that name the place, the option and the remedy."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

import pytest
import shapely
from conftest import PLACES, Host, PostgreSQL, Server, SQLite, build
from test_hostile import refused
from test_timings import SECOND, interval
from worlds import drive

from fencepost import AltitudeBand, Circle, Fix, Monitor, TransitionPolicy, replay as replayed

BESIDE = ", major, minor, orientation, altitude, vertical, geoid, ground"
EVENT = "place, kind, time, state, vertical_distance, decided_by"
NONE = (None, None, None)
REFERENCES = ("ellipsoid", "mean_sea_level", "ground")
POINT = shapely.Point(7.5, 47.5).wkb
BASEL = shapely.Point(7.6, 47.55).buffer(0.2).wkb


def high(seed: int, fixes: int = 400) -> list[Fix]:
    """A drive that climbs and sinks; some of its fixes lack a height or have an error ellipse."""
    rng = random.Random(seed)
    altitude, found = rng.uniform(0, 900), []
    for fix in drive(seed, fixes):
        altitude += rng.gauss(0, 60)
        heights: dict[str, float] = {"altitude": altitude, "vertical_accuracy": rng.choice([0.0, 8.0, 150.0])}
        if rng.random() < 0.8:
            heights["geoid_height"] = 47 + rng.random()
        if rng.random() < 0.8:
            heights["ground_height"] = 300 + 100 * rng.random()
        if rng.random() < 0.1:
            heights = {}
        ellipse = (40.0, 5.0, rng.uniform(0, 180)) if rng.random() < 0.3 else None
        found.append(Fix(fix.latitude, fix.longitude, fix.accuracy, time=fix.time_us, error_ellipse=ellipse, **heights))
    return found


def row(device: str, fix: Fix) -> tuple[Any, ...]:
    heights = [
        None if value is None or math.isnan(value) else value
        for value in (fix.altitude, fix.vertical_accuracy, fix.geoid_height, fix.ground_height)
    ]
    return (device, fix.time_us, fix.latitude, fix.longitude, fix.accuracy, *(fix.error_ellipse or NONE), *heights)


def high_fixes(host: Host, rows: list[tuple[Any, ...]]) -> None:
    columns = {"device": "text", "time": "time", "latitude": "float", "longitude": "float", "accuracy": "float"}
    beside = dict.fromkeys(BESIDE.removeprefix(", ").split(", "), "float")
    host.table("fixes", {**columns, **beside}, rows)


def banded(seed: int, count: int = 40) -> tuple[list[tuple[str, bytes, str]], list[dict[str, Any]]]:
    """Circles with limits of altitude: as rows for SQL, and as features for the package."""
    rng = random.Random(seed)
    rows, features = [], []
    for number in range(count):
        name, radius = f"zone {number:02d}", rng.choice([300.0, 900.0, 2500.0, 9000.0])
        longitude, latitude = rng.uniform(7.5, 7.7), rng.uniform(47.5, 47.6)
        given: dict[str, Any] = {}
        if rng.random() < 0.7:
            given |= {"altitude_min": rng.choice([-20.0, 0.0, 120.5]), "altitude_min_reference": rng.choice(REFERENCES)}
        if rng.random() < 0.7:
            given |= {"altitude_max": rng.choice([200.0, 500.25]), "altitude_max_reference": rng.choice(REFERENCES)}
        options = ", ".join([f"radius={radius}", *(f"{key}={value}" for key, value in given.items())])
        rows.append((name, shapely.Point(longitude, latitude).wkb, options))
        point = {"type": "Point", "coordinates": [longitude, latitude]}
        features.append({"type": "Feature", "id": name, "geometry": point, "properties": {"radius": radius, **given}})
    return rows, features


def ruled(seed: int, count: int = 30, *, timed: bool = True) -> tuple[list[tuple[str, Any, str]], list[dict[str, Any]]]:
    """Rules over the zones of `banded` and over each other, some of them with hours and repeats, if `timed` is true."""
    rng = random.Random(seed)
    rows: list[tuple[str, Any, str]] = []
    features, names = [], [f"zone {number:02d}" for number in range(40)]
    for number in range(count):
        # The names of some rules come before those of their parts, and some names need quotation marks.
        name = rng.choice(["a rule", "rule; it", 'the "rule"', "rule, it"]) + f" {number}"
        parts = rng.sample(names, rng.choice([1, 2, 3, 8]))
        form = rng.choice(["all", "any", "none", "of"])
        least = rng.randint(1, len(parts))
        text = rng.choice(["; ", ";", " ;\n"]).join(quoted(part) for part in parts)
        options = [f"at_least={least}, of={text}" if form == "of" else f"{form} = {text}"]
        properties: dict[str, Any] = {"rule": {"at_least": least, "of": parts} if form == "of" else {form: parts}}
        if timed and rng.random() < 0.2:
            edges = sorted(rng.sample(range(-300, 6300), 4))
            hours = [interval(*each) for each in zip(edges[::2], edges[1::2])]
            properties["active"] = hours
            options.append("active=" + "; ".join(hours))
        if timed and rng.random() < 0.2:
            properties["repeat_every"] = 120
            options.append("repeat_every=120")
        if rng.random() < 0.5:
            properties["policy"] = "exact"
            options.insert(0, "policy=exact")
        if number < 8:  # so the rules are not deep
            names.append(name)
        rows.append((name, None, ", ".join(options)))
        features.append({"type": "Feature", "id": name, "geometry": None, "properties": properties})
    return rows, features


def quoted(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"' if any(mark in name for mark in '",;') or len(name) % 2 else name


@pytest.mark.parametrize(
    ("options", "given"),
    [
        ("policy=exact", {"policy": "exact"}),
        ("", {}),
        (
            "assuming=unknown, vertical_margin=25",
            {"policy": TransitionPolicy(vertical_margin=25), "assuming": "unknown"},
        ),
        ("policy=exact, path=geodesic, max_gap=60", {"policy": "exact", "path": "geodesic", "max_gap": 60}),
        ("policy=exact, assuming=satisfied", {"policy": "exact", "assuming": "satisfied"}),
        ("policy=exact, order=exits_first", {"policy": "exact", "order": "exits_first"}),
    ],
)
@pytest.mark.parametrize("with_rules", [False, True])
def test_events_and_visits_are_those_of_replay(
    host: Host, tmp_path: Path, options: str, given: dict[str, Any], with_rules: bool
) -> None:
    rows: list[Any]
    rows, features = banded(91)
    if with_rules:
        more, more_features = ruled(92)
        rows, features = [*more, *rows], features + more_features
    # The package tells events of one instant in the order of the conditions, and SQL in that of the identifiers.
    features.sort(key=lambda feature: feature["id"].encode())
    host.zones(rows)
    path = tmp_path / "zones.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    drives = {f"van {seed}": high(seed) for seed in range(3)}
    fixes = [row(device, fix) for device, track in drives.items() for fix in track]
    random.Random(options).shuffle(fixes)
    high_fixes(host, fixes)
    logs = {device: replayed(t, path, **{"assuming": "unsatisfied", **given}) for device, t in drives.items()}
    names = [feature["id"] for feature in features]

    def part(event: Any) -> str | None:
        return None if event.decided_by is None else names[event.decided_by - 1]

    expected = [
        (device, e.identifier, str(e.kind), e.date_us, str(e.state), e.vertical_distance, part(e))
        for device, log in logs.items()
        for e in log
    ]
    assert host.replay("fp_events", EVENT, options, BESIDE) == expected
    assert sum(row[5] is not None for row in expected) > 20
    assert (sum(row[6] is not None for row in expected) > 20) == with_rules
    visits = [
        (device, v.identifier, str(v.start_known), str(v.end_known))
        for device, log in logs.items()
        for v in log.visits()
    ]
    assert host.replay("fp_visits", "place, start_known, end_known", options, BESIDE) == visits
    without = host.replay("fp_events", EVENT, options, ", major, minor, orientation")
    assert without != expected


def test_heights_are_sorted_with_their_fixes_and_ties_do_not_depend_on_rows(host: Host) -> None:
    host.zones([("a", POINT, "radius=100, altitude_max=100, altitude_max_reference=ground")])
    tie = [
        (None, 0.0, None, None),
        (50.0, 0.0, None, 0.0),
        (50.0, 3.0, None, 0.0),
        (50.0, 3.0, 47.0, 0.0),
        (500.0, 3.0, 47.0, 0.0),
    ]
    rows = [("van", 0, 47.5, 7.5, 5.0, *NONE, *each) for each in tie]
    later = ("van", 60 * SECOND, 47.5, 7.5, 5.0, *NONE, 300.0, 0.0, None, 0.0)
    found = set()
    for seed in range(8):
        random.Random(seed).shuffle(rows)
        high_fixes(host, [later, *rows])
        found.add(tuple(host.replay("fp_events", EVENT, "policy=exact, assuming=unknown", BESIDE)))
    assert len(found) == 1


def test_the_height_may_come_late_or_be_missing(host: Host) -> None:
    """A missing height changes nothing; NaN, infinite and enormous values count as missing, and the fix is valid."""
    host.zones([("a", POINT, "radius=100, altitude_min=10, altitude_min_reference=mean_sea_level")])
    rows = [("van", n * SECOND, 47.5, 7.5, 5.0, *NONE, None, None, None, None) for n in range(5000)]
    for number, each in enumerate(
        [
            (None, 0.0, 40.0, None), (100.0, None, None, 40.0), (math.inf, 0.0, 40.0, None), (100.0, -1.0, 40.0, None),
            (2e9, 0.0, 40.0, None), (100.0, 0.0, math.inf, None),
        ]
    ):  # fmt: skip
        rows.append(("van", (5000 + number) * SECOND, 47.5, 7.5, 5.0, *NONE, *each))
    high_fixes(host, rows)
    options = "policy=core_location, assuming=unknown"
    assert host.replay("fp_events", EVENT, options, BESIDE) == []
    rows.append(("van", 6000 * SECOND, 47.5, 7.5, 5.0, *NONE, 100.0, None, 40.0, None))
    random.Random(3).shuffle(rows)
    high_fixes(host, rows)
    expected = ("van", "a", "determined", 6000 * SECOND, "satisfied", -50.0, None)
    assert host.replay("fp_events", EVENT, options, BESIDE) == [expected]


def test_containing_uses_heights(host: Host) -> None:
    rows, features = banded(95)
    more, _ = ruled(96, 5)
    host.zones([*more, *rows])
    monitor = Monitor()
    for feature in features:
        own = feature["properties"]
        band = band_of(own) if len(own) > 1 else None
        longitude, latitude = feature["geometry"]["coordinates"]
        monitor.add(Circle(latitude, longitude, radius=own["radius"]), feature["id"], band=band)
    rng = random.Random(97)
    points, expected = [], set()
    for number in range(200):
        position = rng.uniform(47.5, 47.6), rng.uniform(7.5, 7.7)
        altitude, geoid, ground = (
            None if rng.random() < 0.2 else rng.uniform(*span) for span in ((-50, 900), (46, 48), (300, 400))
        )
        points.append((number, *position, altitude, geoid, ground))
        heights = {"altitude": altitude, "geoid_height": geoid, "ground_height": ground}
        given = {key: value for key, value in heights.items() if value is not None} if altitude is not None else {}
        expected |= {(number, name) for name in monitor.containing(*position, **given)}
    columns = {"id": "int", "latitude": "float", "longitude": "float"}
    host.table("points", {**columns, "altitude": "float", "geoid": "float", "ground": "float"}, points)
    call = f"fp_containing({PLACES}, p.latitude, p.longitude, p.altitude, p.geoid, p.ground)"
    sql = f"SELECT p.id, unnest({call}) FROM points p"
    if host.name == "sqlite":
        sql = f"SELECT p.id, c.place FROM points p, {call} c"
    found = set(host.run(sql))
    assert found == expected
    assert len(found) < len(set(host.containing()))
    nearest = host.nearest(100)  # more than there are shapes: a rule has no boundary
    assert len(nearest) == 200 * 40
    for place in {place for _, place, _ in nearest}:
        assert place.startswith("zone")


def band_of(own: dict[str, Any]) -> AltitudeBand:
    lowest, highest = own.get("altitude_min", -math.inf), own.get("altitude_max", math.inf)
    references = {f"{end}_reference": own.get(f"altitude_{end}_reference") for end in ("min", "max")}
    return AltitudeBand(lowest, highest, **references)


def test_containing_without_a_height(host: Host) -> None:
    host.zones([("a", POINT, "radius=100, altitude_max=100, altitude_max_reference=ellipsoid")])
    for heights, inside in (
        ("", True),
        (", 90, NULL, NULL", True),
        (", 110, NULL, NULL", False),
        (", NULL, 1, 2", True),
    ):
        call = f"fp_containing({PLACES}, 47.5, 7.5{heights})"
        if host.name == "sqlite":
            assert host.run(f"SELECT place FROM {call}") == [("a",)] * inside
        else:
            assert host.run(f"SELECT {call}") == [(["a"] if inside else [],)]
    call = f"fp_containing({PLACES}, NULL, 7.5, 90, NULL, NULL)"
    assert host.run(f"SELECT place FROM {call}" if host.name == "sqlite" else f"SELECT {call} ") in ([], [(None,)])


RULE = "all=a"
BAD = [
    ("radius=9, altitude_min=5", "altitude_min_reference is missing: .*ellipsoid, mean_sea_level or ground"),
    ("radius=9, altitude_max=5", "altitude_max_reference is missing"),
    ("radius=9, altitude_max_reference=ground", "needs the option altitude_max, in metres"),
    ("radius=9, altitude_min=5, altitude_min_reference=agl", "agl is not one of ellipsoid, mean_sea_level, ground"),
    ("radius=9, altitude_min=inf, altitude_min_reference=ground", "15 digits"),
    ("radius=9, altitude_min=1000000001, altitude_min_reference=ground", "-1000000000 to 1000000000 metres"),
    ("radius=9, altitude_min=-1000000001, altitude_min_reference=ground", "-1000000000 to 1000000000 metres"),
    (
        "radius=9, altitude_min=5, altitude_min_reference=ground, altitude_max=5, altitude_max_reference=ground",
        "(?s)b.*altitude_m",
    ),
    ("radius=9, vertical_margin=-1", "negative"),
]


@pytest.mark.parametrize(("options", "match"), BAD)
def test_bad_bands_are_refused(host: Host, options: str, match: str) -> None:
    host.zones([("b", POINT, options)])
    refused(host, f"SELECT {PLACES}", match)


def test_a_gate_has_no_band(host: Host) -> None:
    band = "gate=true, altitude_min=5, altitude_min_reference=ground"
    host.zones([("b", shapely.LineString([(7, 47), (8, 47)]).wkb, band)])
    refused(host, f"SELECT {PLACES}", "(?s)b.*altitude")


BAD_RULES = [
    (None, None, "all=yard; dock"),
    (None, "radius=5", "all=yard; dock"),
    (None, "all=", "option all is empty"),
    (None, "all=;", "identifier is empty"),
    (None, "all=a;;c", "identifier is empty"),
    (None, 'all=""', "identifier is empty"),
    (None, 'all="a', "not closed"),
    (None, 'all="a" b', "text after a closing"),
    (None, 'all=a"b"', "quotation mark is within"),
    (None, "all=a, any=a", "all, any, none"),
    (None, "all=a, at_least=1", "belong together"),
    (None, "at_least=1", "belong together"),
    (None, "of=a", "belong together"),
    (None, "of=a, at_least=0", "1 to 1000"),
    (None, "of=a, at_least=1001", "1 to 1000"),
    (None, "of=a; c, at_least=3", '(?s)"b".*at_least'),
    (None, "all=a; a", '(?s)"b".*a'),
    (None, "all=b", '(?s)"b"'),
    (None, "all=nobody", '"b": its part "nobody"'),
    (None, "all=A", 'its part "A"'),
    (None, "all=" + "; ".join(f"p{n}" for n in range(1001)), "p0|1000|1 000"),
    (None, "all=gate", '(?s)"b".*gate'),
    (None, "all=a, radius=5", "apply to rules"),
    (None, "all=a, altitude_min=5, altitude_min_reference=ground", "apply to rules"),
    (None, "all=a, edges=geodesic", "apply to rules"),
    (None, "all=a, absent_after=5", '(?s)"b".*absent_after'),
    (POINT, "radius=5, all=a", "has no geometry"),
    (shapely.box(7, 47, 8, 48).wkb, "all=a", "has no geometry"),
]


@pytest.mark.parametrize(("geometry", "options", "match"), BAD_RULES)
def test_bad_rules_are_refused(host: Host, geometry: bytes | None, options: str | None, match: str) -> None:
    line = shapely.LineString([(7, 47), (8, 47)]).wkb
    host.zones(
        [("a", POINT, "radius=5"), ("c", POINT, "radius=5"), ("gate", line, "gate=true"), ("b", geometry, options)]
    )
    refused(host, f"SELECT {PLACES}", match)


def test_cycles_and_deep_rules_are_refused(host: Host) -> None:
    host.zones([("a", POINT, "radius=5"), ("b", None, "all=c"), ("c", None, "any=a; d"), ("d", None, "none=b")])
    refused(host, f"SELECT {PLACES}", "(?s)cycle|itself|contain")
    deep = [("r0", None, "all=a"), *((f"r{n}", None, f"all=r{n - 1}") for n in range(1, 9))]
    host.zones([("a", POINT, "radius=5"), *deep])
    refused(host, f"SELECT {PLACES}", "8")
    host.zones([("a", POINT, "radius=5"), *deep[:8]])
    host.run(f"SELECT {PLACES}")


def test_a_rule_of_the_most_and_longest_parts(host: Host) -> None:
    names = [f"{n:04d}" + ('",;' * 84) for n in range(1000)]
    assert len(names[0]) == 256
    rule = "policy=exact, at_least=1000, of=" + ";".join(quoted(name) for name in names)
    host.zones([*((name, POINT, "radius=500, policy=exact, notify=none") for name in names), ("rule", None, rule)])
    host.fixes([("van", 0, 47.6, 7.5, 5.0), ("van", SECOND, 47.5, 7.5, 5.0)])
    assert host.replay("fp_events", "place, kind, decided_by", "") == [("van", "rule", "enter", names[-1])]


def test_a_rule_in_a_table_of_circles(host: Host) -> None:
    columns = {"id": "text", "latitude": "float", "longitude": "float", "radius": "float", "options": "text"}
    rows = [("a", 47.5, 7.5, 100.0, None), ("b", 47.5, 7.5, 900.0, None), ("ring", None, None, None, "none=a")]
    host.table("circles", columns, rows)
    host.fixes([("van", 0, 47.5, 7.5, 0.0), ("van", SECOND, 47.51, 7.5, 0.0)])
    places = "(SELECT fp_places(id, latitude, longitude, radius, options) FROM circles)"
    value = host.run(f"SELECT {places}")[0][0]
    assert len(bytes(value)) > 100
    call = f"fp_events({places}, time, latitude, longitude, accuracy, 'policy=exact')"
    if host.name == "sqlite":
        query = "SELECT device, time, latitude, longitude FROM fixes"
        found = host.run(f"SELECT place, kind FROM fp_events('{query}', {places}, 'policy=exact')")
    elif host.name == "duckdb":
        found = host.run(f"SELECT place, kind FROM (SELECT unnest({call}, recursive := true) FROM fixes)")
    else:
        found = host.run(f"SELECT e.place, e.kind FROM (SELECT {call} AS f FROM fixes) g, unnest(f) e")
    assert found == [("a", "determined"), ("b", "determined"), ("a", "exit"), ("b", "exit"), ("ring", "enter")]
    host.table("circles", columns, [*rows[:2], ("ring", 47.5, None, None, "none=a")])
    refused(host, f"SELECT {places}", "NULL")
    host.table("circles", columns, [*rows[:2], ("ring", 47.5, 7.5, 5.0, "none=a")])
    refused(host, f"SELECT {places}", "has no geometry")


def test_heights_that_are_no_numbers_are_refused() -> None:
    build("sqlite")
    host = SQLite()
    host.zones([("a", POINT, "radius=100, altitude_max=100, altitude_max_reference=ellipsoid")])
    for values, match in (
        ("x'00', 1, 1, 1", "altitude is a BLOB"),
        ("1, '4', 1, 1", "vertical_accuracy is text"),
        ("1, 1, '', 1", "geoid_height is text"),
        ("1, 1, 1, 'low'", "ground_height is text"),
    ):
        query = f"SELECT 1, 0, 47.5, 7.5, 5, NULL, NULL, NULL, {values}".replace("'", "''")
        refused(host, f"SELECT * FROM fp_events('{query}', {PLACES})", match)
    for count in (9, 10, 11, 13):
        query = "SELECT 1, 0, 47.5, 7.5" + ", NULL" * (count - 4)
        refused(host, f"SELECT * FROM fp_events('{query}', {PLACES})", f"this one has {count} columns")
    refused(host, f"SELECT * FROM fp_containing({PLACES}, 47.5, 7.5, '9')", "altitude is text")
    refused(host, f"SELECT * FROM fp_containing({PLACES}, 47.5, 7.5, 1, 1, x'00')", "ground_height is a BLOB")
    refused(host, f"SELECT * FROM fp_containing({PLACES}, 47.5, 7.5, 1, 1, 1, 1, 1)", "too many arguments")


# ---------------------------------------------------------------------------------------------- fleets


def fleets(server: Server) -> list[tuple[Host, str]]:
    build("sqlite")
    sqlite, postgresql = SQLite(), PostgreSQL(server)
    sqlite.run("CREATE VIRTUAL TABLE vans USING fencepost_fleet")
    postgresql.run("DELETE FROM fleets")
    return [
        (sqlite, f"INSERT INTO vans(places) SELECT {PLACES}"),
        (postgresql, f"SELECT create_fleet('vans', {PLACES})"),
    ]


def test_fleets_follow_heights(server: Server) -> None:
    for host, sql in fleets(server):
        host.zones([("a", POINT, "radius=100, policy=exact, altitude_max=100, altitude_max_reference=ground")])
        rows = [
            row("van", Fix(47.5, 7.5, time=n * SECOND, altitude=a, ground_height=400))
            for n, a in enumerate((900, 450, 900))
        ]
        host.run(sql)
        for each in rows:
            if host.name == "sqlite":
                names = (
                    "device, time, latitude, longitude, accuracy, error_major, error_minor, error_orientation, "
                    "altitude, vertical_accuracy, geoid_height, ground_height"
                )
                host.run(
                    f"INSERT INTO vans({names}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (each[0], each[1] // SECOND, *each[2:]),
                )
            else:
                host.run(
                    "SELECT feed('vans', %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
                    (each[0], host.time(each[1]), *each[2:]),
                )
        table = "vans" if host.name == "sqlite" else "events"
        assert host.run(f"SELECT kind, vertical_distance FROM {table} ORDER BY sequence") == [
            ("enter", -50.0),
            ("exit", 400.0),
        ]
    sqlite = fleets(server)[0][0]
    sqlite.zones([("a", POINT, "radius=100")])
    sqlite.run(f"INSERT INTO vans(places) SELECT {PLACES}")
    refused(
        sqlite,
        "INSERT INTO vans(device, time, latitude, longitude, altitude) VALUES (1, 1, 47, 7, 'x')",
        "altitude is text",
    )
    refused(
        sqlite,
        "INSERT INTO vans(device, time, latitude, longitude, vertical_distance) VALUES (1, 1, 47, 7, 3)",
        "belong to events",
    )
