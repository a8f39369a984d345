"""Tests gates, which are lines that have no width and whose crossings are counted."""

from __future__ import annotations

import json
import pickle
import random
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import EXACT, SECOND, Run, mentions, refusal

from fencepost import (
    Circle,
    Corridor,
    CrossingDirection,
    Diagnostics,
    Event,
    EvidenceSource,
    Fix,
    Fleet,
    Gate,
    InputError,
    Monitor,
    Polygon,
    State,
    TransitionPolicy,
    Zones,
    compare,
    replay,
)
from fencepost.errors import InvalidArgumentError, StoreCorruptError

METRE = 180 / 3.141592653589793 / 6_378_137
LEFT_TO_RIGHT, RIGHT_TO_LEFT = CrossingDirection
# The line runs northwards along the meridian of Greenwich, so left is west.
NORTH = Gate([(-0.01, 0), (0.01, 0)], order="latlon", edges="geodesic")


def monitor(**options: Any) -> Monitor:
    return Monitor(path="geodesic", max_gap=600, **options)


def at(seconds: float, east: float, accuracy: float = 0, latitude: float = 0) -> Fix:
    """Returns a fix on the equator, at a distance in metres east of the origin."""
    return Fix(latitude, east * METRE, accuracy, time=round(seconds * SECOND))


def there_and_back() -> list[Fix]:
    return [at(0, -700), at(100, 1000), at(200, -700)]


def crossings(one: Monitor) -> list[tuple[str, str, int]]:
    return [(event.identifier, str(event.direction), event.date_us or 0) for event in one.events()]


def test_each_crossing_is_an_event_with_a_direction() -> None:
    one = monitor()
    one.add(NORTH, "g", tag=7)
    for fix in there_and_back():
        one.feed(fix)
    events = one.poll()
    first, second = events
    assert (first.direction, second.direction) == (LEFT_TO_RIGHT, RIGHT_TO_LEFT)
    assert first.direction == "left_to_right"
    for event in events:
        assert event.state is State.UNKNOWN and event.cause == "crossing" and event.tag == 7
        assert event.evidence is EvidenceSource.PATH and event.evidence_date_us == event.date_us
        assert event.point == pytest.approx((0, 0), abs=1e-9) and event.boundary_distance == 0
        said = json.loads(event.to_json())
        assert said["direction"] == str(event.direction) and said["state"] == "unknown"
        assert str(event.direction).replace("_", " ") in repr(event)
    assert first.date_us == -(-700 * 100 * SECOND // 1700) and second.date_us == 100 * SECOND + -(
        -1000 * 100 * SECOND // 1700
    )
    assert one["g"].state is State.UNKNOWN and one.state("g") is State.UNKNOWN
    one.acknowledge()
    assert one["g"].last_event == second and one["g"].condition == NORTH
    assert one["g"].described == "gate of 1 line, 2 vertices"


def test_events_travel_and_are_made_by_hand() -> None:
    one = monitor()
    one.add(NORTH, "g")
    one.add(Circle(0, 0, 100), "c", assuming="unsatisfied", policy=EXACT)
    one.feed_many(latitude=[0.0, 0.0], longitude=[-0.006, 0.009], time=[0, 100 * SECOND])
    events = one.poll()
    assert [event.direction for event in events] == [None, LEFT_TO_RIGHT, None]
    assert pickle.loads(pickle.dumps(events)) == events
    for event in events:
        assert json.loads(event.to_json()).get("direction") == event.direction
        assert Event(**{name: getattr(event, name) for name in Event.__dataclass_fields__}) == event
    turned = replace(events[1], direction=RIGHT_TO_LEFT)
    assert json.loads(turned.to_json())["direction"] == "right_to_left" and turned != events[1]
    assert events.columns()["direction"] == [None, "left_to_right", None]
    pyarrow = pytest.importorskip("pyarrow")
    assert pyarrow.table(events.to_arrow()).column("direction").to_pylist() == [None, "left_to_right", None]


def test_tables_of_nothing_but_crossings_have_texts() -> None:
    pandas = pytest.importorskip("pandas")
    one = monitor()
    one.add(NORTH, "g")
    for fix in there_and_back():
        one.feed(fix)
    frame = one.events_frame()
    assert isinstance(frame, pandas.DataFrame) and frame["direction"].tolist() == ["left_to_right", "right_to_left"]


@pytest.mark.parametrize(
    ("options", "reason"),
    [({}, "path"), ({"path": "geodesic", "max_gap": 60, "delivery": "latest"}, "delivery"),
     ({"path": "geodesic", "max_gap": 60, "delivery": "first"}, "delivery")],
)  # fmt: skip
def test_monitors_that_have_no_gates_say_why(options: dict[str, Any], reason: str) -> None:
    one = Monitor(**options)
    for call in (lambda: one.add(NORTH, "g"), lambda: one.ensure(NORTH, "g"), lambda: one.sync({"g": NORTH})):
        with pytest.raises(InvalidArgumentError, match=reason):
            call()
    assert one.identifiers == []


def test_fleets_without_a_path_have_none() -> None:
    zones = Zones()
    fleet = Fleet(zones)
    for call in (lambda: zones.add(NORTH, "g"), lambda: zones.ensure(NORTH, "g"), lambda: zones.sync({"g": NORTH})):
        with pytest.raises(InvalidArgumentError):
            call()
    assert zones.identifiers == [] and not fleet.poll()
    del fleet
    zones.add(NORTH, "g")
    assert not zones.ensure(NORTH, "g")
    with pytest.raises(InvalidArgumentError):
        Fleet(zones)


@pytest.mark.parametrize(
    ("rest", "reason"),
    [({"policy": "exact"}, "policy"), ({"policy": TransitionPolicy(entry_dwell=5)}, "policy"),
     ({"assuming": "satisfied"}, "assum"), ({"assuming": State.UNSATISFIED}, "assum")],
)  # fmt: skip
def test_a_gate_has_neither_a_policy_nor_a_state(rest: dict[str, Any], reason: str) -> None:
    one = monitor()
    with pytest.raises(InvalidArgumentError, match=reason):
        one.add(NORTH, "g", **rest)
    # A set's defaults apply only to conditions that accept them.
    circle = Circle(0, 0, 100)
    assert one.sync({"g": NORTH, "c": circle}, **rest).added == 2
    assert one.sync(list(one.records()), **rest).kept == 2, "a record brings the policy that it names"


def test_ensure_and_sync_leave_an_equal_one_alone() -> None:
    one = monitor()
    assert one.ensure(NORTH, "g") and not one.ensure(NORTH, "g")
    near = Gate([(-0.01, 0), (0.01, 5e-8)], order="latlon", edges="geodesic")
    assert not one.ensure(near, "g") and not one.sync({"g": near}).replaced
    assert one.ensure(NORTH, "g", tag=1)
    assert one.ensure(Corridor(NORTH.wkb, 5, edges="geodesic"), "g", policy=EXACT)
    assert one.ensure(NORTH, "g") and one["g"].condition == NORTH


def test_geometries_of_every_kind() -> None:
    shapely = pytest.importorskip("shapely")
    line = shapely.LineString([(0, -0.01), (0, 0.01)])
    several = shapely.MultiLineString([line, [(0.001, 0.01), (0.001, -0.01)]])
    given = (line, line.wkt, line.wkb, shapely.geometry.mapping(line), {"type": "Feature", "properties": {},
             "geometry": shapely.geometry.mapping(line)}, NORTH)  # fmt: skip
    for each in given:
        made = Gate(each, edges="geodesic")
        assert made == NORTH and made.lines == (((-0.01, 0.0), (0.01, 0.0)),)
        assert shapely.geometry.shape(made) == line
    two = Gate(several, edges="geodesic")
    assert shapely.geometry.shape(two) == several and repr(two) == "<Gate of 2 lines, 4 vertices>"
    one = monitor()
    one.add(two, "g")
    for fix in there_and_back()[:2]:
        one.feed(fix)
    assert [direction for _, direction, _ in crossings(one)] == ["left_to_right", "right_to_left"]
    assert one["g"].condition == two
    for wrong in ("POLYGON ((0 0, 1 0, 1 1, 0 0))", "POINT (1 2)", b"\0"):
        with pytest.raises(InvalidArgumentError):
            Gate(wrong)
    with pytest.raises(TypeError):
        Gate(5)
    with pytest.raises(InvalidArgumentError, match="too_few_vertices"):
        one.add(Gate([(1, 1), (1, 1)], order="latlon", edges="geodesic"), "w")
    with pytest.raises(InvalidArgumentError, match="edge_too_long"):
        one.add(Gate([(0, 0), (0, 179.9)], order="latlon", edges="geodesic"), "w")


def test_stores_snapshots_and_forks_go_on(tmp_path: Path) -> None:
    path = {"path": "geodesic", "max_gap": 600}
    with Monitor("m", store=tmp_path, **path) as one:  # type: ignore[arg-type]
        one.add(NORTH, "g", tag=3)
        one.feed(at(0, -700))
        copies = [Monitor.restore(one.snapshot()), one.fork(), pickle.loads(pickle.dumps(one))]
    copies.append(Monitor("m", store=tmp_path, **path))  # type: ignore[arg-type]
    reported = set()
    for copy in copies:
        assert copy["g"].condition == NORTH
        copy.feed(at(100, 1000))
        reported.add("".join(event.to_json() for event in copy.events()))
        copy.close()
    assert len(reported) == 1 and '"direction":"left_to_right"' in reported.pop()


def test_what_was_not_handled_comes_again(tmp_path: Path) -> None:
    options: dict[str, Any] = {"store": tmp_path, "path": "geodesic", "max_gap": 600}
    with Monitor("m", **options) as one:
        one.add(NORTH, "g")
        for fix in there_and_back():
            one.feed(fix)
        first = one.next_event()
    with Monitor("m", **options) as one:
        assert one.next_event() == first, "it was not committed"
        assert [event.direction for event in one.events()] == [RIGHT_TO_LEFT]
        assert one["g"].last_event.direction is RIGHT_TO_LEFT


def test_a_store_with_gates_is_opened_with_a_path_only(tmp_path: Path) -> None:
    path: dict[str, Any] = {"store": tmp_path, "path": "geodesic", "max_gap": 600}
    with Monitor("m", **path) as one:
        one.add(NORTH, "g")
        one.feed(at(0, -700))
    for options in ({"store": tmp_path}, {"store": tmp_path, "path": "fixes"}):
        with pytest.raises(InvalidArgumentError, match="path"):
            Monitor("m", **options)
    with Monitor("m", **path) as one:
        one.feed(at(100, 1000))
        assert [direction for *_, direction, _ in crossings(one)] == ["left_to_right"], "the refusals changed nothing"
        one.remove("g")
    Monitor("m", store=tmp_path).close()


def test_damaged_rows_of_gates_are_refused(tmp_path: Path) -> None:
    path: dict[str, Any] = {"path": "geodesic", "max_gap": 600}
    with Monitor("m", store=tmp_path, **path) as one:
        one.add(NORTH, "g")
        for fix in there_and_back():
            one.feed(fix)
        one.next_event()
    whole = (tmp_path / "m.fencepost").read_bytes()
    with sqlite3.connect(tmp_path / "m.fencepost") as rows:
        stored = rows.execute("SELECT kind, a, b, data FROM rows").fetchall()
    rows.close()
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    for kind, a, b, data in stored:
        # Flips a bit in every fourth byte of each row, or cuts the row there.
        for place in range(len(data)):
            turned = bytearray(data)
            turned[place] ^= 1 << place % 8
            if place % 4 == 3:
                del turned[place:]
            elif place % 4:
                continue
            (damaged / "m.fencepost").write_bytes(whole)
            with sqlite3.connect(damaged / "m.fencepost") as rows:
                rows.execute("UPDATE rows SET data = ? WHERE kind = ? AND a = ? AND b = ?", (bytes(turned), kind, a, b))
            rows.close()
            with pytest.raises(StoreCorruptError):
                Monitor("m", store=damaged, **path)
    with Monitor("m", store=tmp_path, **path) as one:
        assert len(one.poll()) == 2


def test_a_restart_in_the_midst_of_a_leg_changes_nothing(tmp_path: Path) -> None:
    """Between two fixes, the test advances the clock, ensures and synchronises gates, and closes and reopens the
    monitor."""
    other = Gate([(-0.01, 0.001), (0.01, 0.001)], order="latlon", edges="geodesic")

    def follow(one: Monitor, reopen: Any) -> list[str]:
        one.add(NORTH, "g")
        one.add(other, "h")
        one.feed(at(0, -700))
        one.advance(20 * SECOND)
        one = reopen(one)
        assert not one.ensure(NORTH, "g")
        one.advance(60 * SECOND)  # the fix at 100 s will show that the device crossed g at 41.2 s
        one = reopen(one)
        assert one.sync({"g": NORTH, "h": other}).kept == 2
        one.add(Corridor(other.wkb, 5, edges="geodesic"), "h", policy=EXACT, assuming="unsatisfied")
        one = reopen(one)
        assert one.ensure(other, "h"), "a gate again: one that has not seen what was before"
        one.feed(at(100, 1000))
        reported = [event.to_json() for event in one.poll()]
        one = reopen(one)
        assert [event.to_json() for event in one.poll()] == reported, "they were not handled"
        one.feed(at(200, -700))
        reported += [event.to_json() for event in one.events()]
        one.close()
        return reported

    def from_store(one: Monitor) -> Monitor:
        one.close()
        return Monitor("m", store=tmp_path, path="geodesic", max_gap=600)

    def abandoned(one: Monitor) -> Monitor:
        one.abandon()
        return one

    plain = follow(Monitor("m", path="geodesic", max_gap=600), abandoned)
    stored = follow(from_store(Monitor("m", store=tmp_path, path="geodesic", max_gap=600)), from_store)
    taken = follow(Monitor("m", path="geodesic", max_gap=600), lambda one: Monitor.restore(one.snapshot()))
    assert plain == stored == taken
    said = [json.loads(event) for event in plain]
    assert [(event["identifier"], event["direction"]) for event in said] == [
        ("g", "left_to_right"), ("h", "right_to_left"), ("g", "right_to_left"),
    ], "the device had passed h when it was added"  # fmt: skip


def test_hosts_without_gates() -> None:
    one = monitor()
    one.add(NORTH, "g")
    one.set_host(Diagnostics(0), unsupported=[Gate], time=0)
    assert [event.state for event in one.events()] == [State.UNMONITORED]
    for fix in there_and_back():
        one.feed(fix)
    assert crossings(one) == []


def test_questions_and_distances() -> None:
    one = monitor()
    one.add(NORTH, "g")
    assert one.containing(0.005, 0) == ["g"] and one.containing(0, 0.001) == []
    assert one.nearest(0, 100 * METRE, 1) == {"g": pytest.approx(100, abs=1e-6)}
    assert one.nearest_boundary_point("g", 0, 0.001) == pytest.approx((0, 0), abs=1e-9)
    assert one.shape("g").vertex_count == 2
    one.feed(at(0, 300, accuracy=5))
    assert one.explain("g").boundary_distance == pytest.approx(300, abs=1e-6)


def test_columns_of_arrow(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    wkt = ["LINESTRING (0 -0.01, 0 0.01)", "LINESTRING (0.001 -0.01, 0.001 0.01)", "POINT (0 0)", None]
    shapely = pytest.importorskip("shapely")
    wkb = [None if text is None else shapely.from_wkt(text).wkb for text in wkt[:3]]
    rows = {
        "name": ["g", "road", "c"], "geometry": wkb, "radius": [None, 50.0, 100.0], "gate": [True, False, None],
        "policy": [None, "exact", "exact"],
    }  # fmt: skip
    one = monitor()
    one.add_many(pyarrow.table(rows), tag=[1, 2, 3])
    assert [type(record.condition) for record in one.records()] == [
        Gate, Corridor, Circle,
    ]  # fmt: skip
    assert [record.tag for record in one.records()] == [1, 2, 3]
    assert one.ensure_many(pyarrow.table(rows), tag=[1, 2, 3]).kept == 3
    assert one.sync(pyarrow.table(rows), policy="exact").replaced == 3, "the tags"
    for change, reason in (
        ({"gate": [True, False, True]}, "row 2: gate: "),
        ({"geometry": [shapely.from_wkt("POLYGON ((0 0, 1 0, 1 1, 0 0))").wkb, *wkb[1:]]}, "row 0: gate: "),
        ({"policy": ["exact"] * 3}, "row 0: policy"),
    ):
        text = str(refusal(one.add_many, pyarrow.table(rows | change)))
        assert reason in text
    # GeoArrow's own columns are read in place.
    lines = pyarrow.array([[[0.0, -0.01], [0.0, 0.01]], [[0.002, -0.01], [0.002, 0.01]]],
                          pyarrow.list_(pyarrow.list_(pyarrow.float64(), 2)))  # fmt: skip
    field = pyarrow.field("geometry", lines.type, metadata={"ARROW:extension:name": "geoarrow.linestring"})
    table = pyarrow.table([pyarrow.array(["p", "q"]), lines, pyarrow.array([True, True])],
                          pyarrow.schema([("name", pyarrow.string()), field, ("gate", pyarrow.bool_())]))  # fmt: skip
    two = monitor()
    two.add_many(table)
    for fix in there_and_back()[:2]:
        two.feed(fix)
    assert [(name, direction) for name, direction, _ in crossings(two)] == [
        ("p", "left_to_right"), ("q", "left_to_right"),
    ]  # fmt: skip


# ---------------------------------------------------------------------------------------------- files


def feature(kind: str, coordinates: Any, **properties: Any) -> dict[str, Any]:
    geometry = {"type": kind, "coordinates": coordinates}
    return {"type": "Feature", "geometry": geometry, "properties": {"identifier": "g", **properties}}


LINE = [[0, -0.01], [0, 0.01]]


def written(path: Path, *features: dict[str, Any]) -> Path:
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return path


@pytest.mark.filterwarnings("ignore:.*edges")
def test_files_of_conditions(tmp_path: Path) -> None:
    files = [written(tmp_path / "c.geojson", feature("LineString", LINE, gate=True))]
    files.append(tmp_path / "c.csv")
    files[1].write_text('identifier,wkt,gate\ng,"LINESTRING (0 -0.01, 0 0.01)",true\n')
    files.append(tmp_path / "d.csv")
    files[2].write_text(
        'identifier;wkt;radius;gate\ng;"LINESTRING (0 -0.01, 0 0.01)";;1\nr;"LINESTRING (5 0, 6 0)";9;\n'
    )
    for file in files:
        log = replay(there_and_back(), file, path="geodesic", max_gap=600)
        own = [event.direction for event in log if event.identifier == "g"]
        assert own == [LEFT_TO_RIGHT, RIGHT_TO_LEFT]
        assert isinstance(log.conditions["g"], Gate)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (feature("LineString", LINE), "radius: … None"),
        (feature("LineString", LINE, gate=False), "radius: "),
        (feature("LineString", LINE, gate=True, radius=5), "gate: … gate … radius"),
        (feature("LineString", LINE, gate="yes"), "gate: … 'yes'"),
        (feature("LineString", LINE, gate=2), "gate: … 2"),
        (feature("LineString", LINE, gate=True, policy="exact"), "policy: … gate"),
        (feature("LineString", LINE, gate=True, assuming="satisfied"), "assuming: … assuming … gate"),
        (feature("Point", [0, 0], gate=True, radius=5), "gate: … gate"),
        (feature("Polygon", [[[0, 0], [1, 0], [1, 1]]], gate=True), "gate: … gate"),
    ],
)
def test_what_files_must_not_say(tmp_path: Path, given: dict[str, Any], reason: str) -> None:
    path = written(tmp_path / "c.geojson", given)
    assert mentions(refusal(replay, there_and_back(), path, path="geodesic", max_gap=600), reason)


@pytest.mark.filterwarnings("ignore:.*edges")
def test_without_a_path_a_file_of_gates_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "c.geojson", feature("LineString", LINE, gate=True))
    text = str(refusal(replay, there_and_back(), path))
    assert "features[0]" in text and "path" in text
    with pytest.raises(InputError, match="path"):
        replay(there_and_back(), {"g": NORTH})


def test_comparing_policies_leaves_gates_alone() -> None:
    places = {"g": NORTH, "c": Circle(0, 0, 100)}
    found = compare(there_and_back(), places, path="geodesic", max_gap=600)
    for outcome in found:
        own = [event.direction for event in outcome.log if event.identifier == "g"]
        assert own == [LEFT_TO_RIGHT, RIGHT_TO_LEFT]
        assert outcome.flaps == 0 or outcome.name == "exact"


def test_the_report_draws_gates_and_counts_crossings(tmp_path: Path) -> None:
    from fencepost._log.report_data import report_data

    log = replay(there_and_back(), {"g": NORTH, "c": Circle(0.1, 0, 50)}, path="geodesic",
                 max_gap=600)  # fmt: skip
    data = report_data(log)
    assert [(data.places[row[1]], row[2]) for row in data.events] == [("g", "left_to_right"), ("g", "right_to_left")]
    (gate,) = (row for row in data.outlines if data.places[row[0]] == "g")
    assert gate[3] and len(gate[1]) == len(gate[1][0]) == 1
    assert list(log.visits()) == [] == data.visits
    page = tmp_path / "r.html"
    log.report(page)
    assert "left_to_right" in page.read_text()


def test_the_command_tells_of_crossings(run: Run, tmp_path: Path) -> None:
    gates = written(tmp_path / "g.geojson", feature("LineString", LINE, gate=True, edges="geodesic"))
    track = tmp_path / "t.csv"
    track.write_text("latitude,longitude,time\n" + "".join(f"0,{x},{t}\n" for x, t in ((-0.006, 0), (0.009, 100))))
    options = ("replay", str(track), "--conditions", str(gates), "--path", "geodesic", "--max-gap", "600")
    assert json.loads(run(*options, "--format", "jsonl").stdout)["direction"] == "left_to_right"
    assert mentions(run(*options).stdout, "crossing … left to right … path")
    assert run(*options, "--format", "csv").stdout.splitlines()[1].endswith("left_to_right,,,")
    refused = run("replay", str(track), "--conditions", str(gates))
    assert refused.returncode == 2 and "features[0]: path:" in refused.stderr


# ---------------------------------------------------------------------------------------------- attacks


def test_columns_and_single_fixes_cross_the_same() -> None:
    chance = random.Random(11)
    gates = {
        f"g{number}": Gate(
            [(chance.uniform(-0.01, 0.01), chance.uniform(-0.01, 0.01)) for _ in range(chance.randint(2, 7))],
            order="latlon",
            edges="geodesic",
        )
        for number in range(12)
    }
    fixes = [(chance.uniform(-0.012, 0.012), chance.uniform(-0.012, 0.012), 0.0, k * 7 * SECOND) for k in range(150)]
    both = monitor(), monitor()
    for each in both:
        each.sync(gates)
    seen: list[tuple[str, str, int]] = []
    for number, (latitude, longitude, accuracy, time) in enumerate(fixes):
        both[0].feed(Fix(latitude, longitude, accuracy, time=time))
        if number % 10 == 3:
            seen += crossings(both[0])
            both = Monitor.restore(both[0].snapshot()), both[1]
    seen += crossings(both[0])
    columns = [list(column) for column in zip(*fixes)]
    both[1].feed_many(latitude=columns[0], longitude=columns[1], time=columns[3])
    assert seen == crossings(both[1]) and len(seen) > 300
    assert [date for *_, date in seen] == sorted(date for *_, date in seen)


def test_a_closed_gate_is_left_as_often_as_it_is_entered() -> None:
    """A closed gate and a polygon with the same vertices report the same crossings."""
    ring = [(-0.005, -0.005), (-0.005, 0.005), (0.002, 0.0), (0.005, 0.005), (0.005, -0.005), (-0.005, -0.005)]
    one = monitor()
    one.add(Gate(ring, order="latlon", edges="geodesic"), "ring")
    one.add(
        Polygon(ring[:-1], order="latlon", edges="geodesic"),
        "inside",
        assuming="unsatisfied",
        policy=EXACT,
    )
    chance = random.Random(5)
    one.feed(Fix(0.02, 0.02, time=0))
    for second in range(1, 400):
        one.feed(Fix(chance.uniform(-0.008, 0.008), chance.uniform(-0.008, 0.008), time=second * SECOND))
    reported: list[tuple[str, int]] = []
    states: list[tuple[str, int]] = []
    for event in one.events():
        if event.direction is None:
            word = "right_to_left" if event.state is State.SATISFIED else "left_to_right"
            states.append((word, event.date_us or 0))
        else:
            reported.append((str(event.direction), event.date_us or 0))
    assert len(reported) > 300 and [word for word, _ in reported] == [word for word, _ in states]
    assert all(abs(time - other) <= 1 for (_, time), (_, other) in zip(reported, states))


def test_strange_ways_break_nothing() -> None:
    one = Monitor(path="geodesic", max_gap=1e9)
    one.add(Gate([(-90, 0), (0, 0), (90, 0)], order="latlon", edges="geodesic"), "meridian")
    one.add(Gate([(0, 170), (0, -170)], order="latlon", edges="geodesic"), "line")
    chance = random.Random(3)
    time = 0
    for _ in range(300):
        time += chance.choice([0, 1, 10**6, 10**9])
        latitude = chance.choice([-90.0, 0.0, 90.0, chance.uniform(-90, 90)])
        longitude = chance.choice([-180.0, 0.0, 180.0, chance.uniform(-180, 180)])
        one.feed(Fix(latitude, longitude, chance.choice([-1.0, 0.0, 1e9]), time=time))
    reported = crossings(one)
    assert [date for *_, date in reported] == sorted(date for *_, date in reported)
    assert one.statistics().late_inputs == 0
