"""Fleets whose places contain rules. Their events equal those of a monitor for each device; if the places change, they
equal those of a model that combines the states of the parts itself."""

from __future__ import annotations

import json
import random
import re
import threading
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import shapely
from conftest import PLACES, Host, PostgreSQL, Server, SQLite, build, time_us
from test_attacks import opened
from test_fleets import interleaved
from test_heights_and_rules import POINT, banded, high, quoted, row, ruled
from test_hostile import refused
from test_timings import SECOND, kind_of, timed_zones
from worlds import damaged

from fencepost import Circle, Fix, Monitor, Zones

COLUMNS = (
    "device, place, kind, time, evidence_time, state, latitude, longitude, accuracy, distance, sequence, "
    "vertical_distance, decided_by"
)
BESIDE = "error_major, error_minor, error_orientation, altitude, vertical_accuracy, geoid_height, ground_height"
Places = Sequence[tuple[str, Any, str | None]]


def silent(radius: int) -> str:
    """The options of a circle that is only the part of rules."""
    return f"radius={radius}, policy=exact, notify=none"


class Fleet:
    """The same interface for the fleets of SQLite, in a file, and of PostgreSQL."""

    def __init__(self, name: str, server: Server, folder: Path) -> None:
        self.name, self.server, self.file = name, server, folder / "fleet.db"
        self.hosts: list[Host] = []
        self.host = self.connected()
        if name == "sqlite":
            self.host.run("CREATE VIRTUAL TABLE vans USING fencepost_fleet")
        else:
            self.host.run("DELETE FROM fleets")

    def connected(self) -> Host:
        """Another connection to the same database."""
        made: Host = opened(self.file) if self.name == "sqlite" else PostgreSQL(self.server)
        if self.name == "postgresql":
            made.run("SET lock_timeout = '60s'")
        self.hosts.append(made)
        return made

    def restart(self) -> None:
        """Opens SQLite's connection again, or ends PostgreSQL's server without warning and starts it again."""
        if self.name == "sqlite":
            self.host.connection.close()
        else:
            self.server.stop("immediate")
            self.server.start()
        self.host = self.connected()

    def create(self, places: Places, options: str = "policy=exact") -> None:
        self.host.zones(places)
        if self.name == "sqlite":
            self.host.run(
                f"INSERT INTO vans(places, options) SELECT {PLACES}, ?", (f"{options}, time=us".lstrip(", "),)
            )
        else:
            self.host.run(f"SELECT create_fleet('vans', {PLACES}, %s)", (options,))

    def change(self, places: Places) -> None:
        self.host.zones(places)
        self.host.run(self.changing)

    @property
    def changing(self) -> str:
        if self.name == "sqlite":
            return f"INSERT INTO vans(places) SELECT {PLACES}"
        return f"SELECT set_places('vans', {PLACES})"

    def feed(self, device: str, fix: Fix, host: Host | None = None) -> None:
        self.put(row(device, fix), host)

    def advance(self, device: str, time: int) -> None:
        self.put((device, time, None, None, None, *[None] * 7))

    def put(self, values: tuple[Any, ...], host: Host | None = None) -> None:
        host = self.host if host is None else host
        if self.name == "sqlite":
            columns = f"device, time, latitude, longitude, accuracy, {BESIDE}"
            host.run(f"INSERT INTO vans({columns}) VALUES ({', '.join('?' * 12)})", values)
        else:
            marks = ", ".join(["%s"] * 11)
            host.run(f"SELECT feed('vans', %s, {marks})", (values[0], host.time(values[1]), *values[2:]))

    def events(self, columns: str = COLUMNS) -> list[tuple[Any, ...]]:
        table, order = ("vans", "rowid") if self.name == "sqlite" else ("events", "id")
        return [tuple(map(plain, each)) for each in self.host.run(f"SELECT {columns} FROM {table} ORDER BY {order}")]

    def take(self, columns: str) -> list[tuple[Any, ...]]:
        found = self.events(columns)
        self.host.run(f"DELETE FROM {'vans' if self.name == 'sqlite' else 'events'}")
        return found

    @property
    def devices(self) -> str:
        return "vans_devices" if self.name == "sqlite" else "devices"


def plain(value: Any) -> Any:
    """A time in microseconds; other values are unchanged."""
    if isinstance(value, datetime):
        return time_us(value)
    if isinstance(value, str) and len(value) == 27 and value.endswith("Z"):
        return time_us(datetime.fromisoformat(value))
    return value


@pytest.fixture(params=["sqlite", "postgresql"])
def fleet(request: pytest.FixtureRequest, server: Server, tmp_path: Path) -> Iterator[Fleet]:
    if request.param == "sqlite":
        build("sqlite")
    made = Fleet(request.param, server, tmp_path)
    yield made
    for host in made.hosts:  # a transaction that is open after a failure would block the next test
        host.connection.close()


@pytest.mark.parametrize(
    ("seed", "options", "given"),
    [
        (1, "policy=exact", {"policy": "exact"}),
        (2, "", {}),
        (3, "policy=exact, order=exits_first", {"policy": "exact", "order": "exits_first"}),
        (4, "policy=exact, assuming=unknown", {"policy": "exact", "assuming": "unknown"}),
        (5, "assuming=satisfied", {"assuming": "satisfied"}),
    ],
)
@pytest.mark.parametrize("with_hours", [False, True])
def test_events_are_those_of_a_monitor_for_each_device(
    fleet: Fleet, tmp_path: Path, seed: int, options: str, given: dict[str, Any], with_hours: bool
) -> None:
    """Also if time passes without fixes, transactions are rolled back, and the database is restarted."""
    zones, features = timed_zones(seed) if with_hours else banded(seed)
    rules, more = ruled(seed, timed=with_hours)
    if with_hours:  # a fleet does not report that a schedule has ended
        zones, rules = (
            [(*each, re.sub(", active_until=[^,]*", "", own)) for *each, own in rows] for rows in (zones, rules)
        )
        for feature in features + more:
            feature["properties"].pop("active_until", None)
    # A monitor reports the events of one instant in the order of the conditions, a fleet in that of the identifiers.
    features = sorted(features + more, key=lambda feature: feature["id"].encode())
    names = [feature["id"] for feature in features]
    path = tmp_path / "zones.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    fleet.create([*rules, *zones], options)
    inputs = interleaved({f"van {number}": high(10 * seed + number, 100) for number in range(3)})
    monitors = {
        device: Monitor(path, initial_fix_max_age=None, **{"assuming": "unsatisfied", **given})
        for device in dict(inputs)
    }
    expected = []
    draw = random.Random(seed)
    # The first inputs of one device have no position.
    for later in (0, 5 * SECOND):
        first = min(fix.time_us for device, fix in inputs if device == "van 1") - 9 * SECOND
        fleet.advance("van 1", first + later)
        monitors["van 1"].advance(first + later)
    for number, (device, fix) in enumerate(inputs):
        if number in (70, 140) or (number == 210 and fleet.name == "sqlite"):
            fleet.restart()
        if number % 40 == 5:
            fleet.host.run("BEGIN")
        fleet.feed(device, fix)
        if number % 40 == 9:
            fleet.host.run("ROLLBACK")
            for again in inputs[number - 4 : number + 1]:
                fleet.feed(*again)
        monitor = monitors[device]
        monitor.feed(fix)
        if draw.random() < 0.2 and not 5 <= number % 40 <= 9:
            time = min(
                [fix.time_us + 8 * SECOND, *(each.time_us for who, each in inputs[number + 1 :] if who == device)]
            )
            monitor.advance(time)
            fleet.advance(device, time)
        for e in monitor.poll():
            no_fix = e.latitude is None
            where = (None,) * 4 if no_fix else (e.latitude, e.longitude, e.accuracy, e.boundary_distance)
            part = None if e.decided_by is None else names[e.decided_by - 1]
            own = (device, e.identifier, kind_of(e), e.date_us, e.evidence_date_us, str(e.state), *where, e.sequence)
            expected.append((*own, e.vertical_distance, part))
        monitor.acknowledge()
    found = fleet.events()
    for device in monitors:
        assert [e for e in found if e[0] == device] == [e for e in expected if e[0] == device]
    assert len(found) == len(expected)
    assert sum(e[-1] is not None for e in expected) > 10
    # Rules whose parts are rules have been decided by rules.
    assert {e[-1] for e in expected} & {feature["id"] for feature in more}


# ------------------------------------------------------------------------------- changes of the places


class World(NamedTuple):
    """Circles and rules: the rows for SQL, and what the model needs."""

    rows: list[tuple[str, Any, str]]
    circles: dict[str, Circle]
    rules: dict[str, tuple[str, int, tuple[str, ...]]]

    def definition(self, name: str) -> Any:
        circle = self.circles.get(name)
        return self.rules.get(name) if circle is None else (circle.latitude, circle.longitude, circle.radius)

    def states(self, fix: Fix) -> dict[str, bool]:
        zones = Zones()
        for name, circle in self.circles.items():
            zones.add(circle, name)
        inside = set(zones.containing(fix.latitude, fix.longitude))
        states = {name: name in inside for name in self.circles}

        def state(name: str) -> bool:
            if name not in states:
                form, least, parts = self.rules[name]
                states[name] = (sum(map(state, parts)) >= least) != (form == "none")
            return states[name]

        for name in self.rules:
            state(name)
        return states


def name_of(number: int) -> str:
    """Some names of rules come before those of the circles m0 to m3 and z4 to z7, and some between them."""
    return f"{'ar'[number % 2]}{number}"


def world(draw: random.Random) -> World:
    """Seven of eight circles, each with one of two radii, and rules of six names, each with one of two definitions. A
    rule whose part is missing is left out."""
    rows: list[tuple[str, Any, str]] = []
    circles: dict[str, Circle] = {}
    rules: dict[str, tuple[str, int, tuple[str, ...]]] = {}
    for number in draw.sample(range(8), 7):
        name, radius = f"{'m' if number < 4 else 'z'}{number}", draw.choice([300.0, 300.0, 300.0, 500.0])
        longitude = 7.5 + 0.004 * number
        circles[name] = Circle(47.5, longitude, radius)
        rows.append((name, shapely.Point(longitude, 47.5).wkb, f"radius={radius}"))
    for number in range(6):
        own = random.Random(f"{number} {draw.choice([0, 0, 0, 1])}")
        names = [*("m0", "m1", "m2", "m3", "z4", "z5", "z6", "z7"), *map(name_of, range(number))]
        parts = tuple(own.sample(names, own.choice([1, 2, 3])))
        form, name = own.choice(["all", "any", "none", "of"]), name_of(number)
        least = {"all": len(parts), "of": own.randint(1, len(parts))}.get(form, 1)
        if not {*circles, *rules}.issuperset(parts) or draw.random() < 0.1:
            continue
        # The same rule may be written in several ways.
        if form == "all" and draw.random() < 0.5:
            form = "of"
        text = "; ".join(draw.sample(parts, len(parts)))
        rows.append((name, None, f"at_least={least}, of={text}" if form == "of" else f"{form}={text}"))
        rules[name] = ("none" if form == "none" else "of", least, tuple(sorted(parts)))
    draw.shuffle(rows)
    return World(rows, circles, rules)


@pytest.mark.parametrize("seed", range(3))
def test_places_that_change_while_devices_move(fleet: Fleet, seed: int) -> None:
    """A device keeps the reported states of the places that have not changed, and reports the others as if it had been
    outside of them."""
    draw = random.Random(seed)
    present = world(draw)
    fleet.create(present.rows)
    known: dict[str, World] = {}
    told: dict[str, dict[str, bool]] = {}
    reported, kept, anew = 0, 0, 0
    longitude = dict.fromkeys(("a", "b", "c"), 7.51)
    for step in range(150):
        if draw.random() < 0.2:
            present = world(draw)
            fleet.change(present.rows)
        if step % 50 == 25:
            fleet.restart()
        device = draw.choice("abc")
        before, states = known.get(device, present), told.get(device, {})
        now = {}
        for name in [*present.circles, *present.rules]:
            same = before.definition(name) == present.definition(name)
            now[name] = states.get(name, False) and same
            kept += now[name] and before is not present and name in present.rules
            anew += states.get(name, False) and not same and name in present.rules
        known[device], told[device] = present, now
        if draw.random() < 0.2:
            fleet.advance(device, step * SECOND)
            assert fleet.take("place") == []
            continue
        longitude[device] = min(7.53, max(7.495, longitude[device] + draw.uniform(-0.005, 0.005)))
        fix = Fix(47.5, longitude[device], time=step * SECOND)
        expected = {(device, name, state) for name, state in present.states(fix).items() if state != now[name]}
        fleet.feed(device, fix)
        events = fleet.take("device, place, state, decided_by")
        assert {(who, place, state == "satisfied") for who, place, state, _ in events} == expected, step
        assert len(events) == len(expected)
        for _, place, _, part in events:
            # The part that decided changed at this fix, or the rule was looked at because the places had changed.
            assert part is None or part in present.rules[place][2]
            reported += part is not None
        told[device] = present.states(fix)
    assert reported > 20 and kept > 5 and anew > 5


def test_the_deciding_part_is_named_after_the_numbers_of_places_changed(fleet: Fleet) -> None:
    """New places come before the parts of a rule, so that each place has another number than before."""
    rows: list[Any] = [("m", POINT, "radius=100"), ("n", POINT, "radius=300"), ("z", None, "all=m; n")]
    fleet.create(rows)
    fleet.feed("van", Fix(47.6, 7.5, time=SECOND))
    fleet.change([("a", POINT, "radius=900"), ("b", None, "none=a"), *rows])
    fleet.restart()
    fleet.feed("van", Fix(47.6, 7.5, time=2 * SECOND))
    fleet.feed("van", Fix(47.502, 7.5, time=3 * SECOND))
    fleet.feed("van", Fix(47.5, 7.5, time=4 * SECOND))
    assert fleet.take("place, state, decided_by") == [
        ("b", "satisfied", None),
        ("a", "satisfied", None),
        ("n", "satisfied", None),
        ("b", "unsatisfied", "a"),
        ("m", "satisfied", None),
        ("z", "satisfied", "m"),
    ]
    fleet.change([*rows[:2], ("z", None, "all=n; m")])  # the same rule, and the numbers of before
    fleet.feed("van", Fix(47.502, 7.5, time=5 * SECOND))
    assert fleet.take("place, state, decided_by") == [("m", "unsatisfied", None), ("z", "unsatisfied", "m")]


def test_a_part_gets_another_name_between_two_sessions(fleet: Fleet) -> None:
    """The rule names other parts, so it counts as new: it is reported again, and only once."""
    fleet.create([("yard", POINT, silent(100)), ("rule", None, "any=yard")])
    fleet.feed("van", Fix(47.5, 7.5, time=SECOND))
    assert fleet.take("place, state") == [("rule", "satisfied")]
    fleet.restart()
    for name, parts in (("depot", "yard"), ("yard", "depot")):
        fleet.host.zones([(name, POINT, silent(100)), ("rule", None, f"any={parts}")])
        refused(fleet.host, fleet.changing, f'"rule".*"{parts}"')
    # The fleet still has the places of before.
    fleet.feed("van", Fix(47.5, 7.5, time=2 * SECOND))
    assert fleet.take("place, state") == []
    fleet.change([("depot", POINT, silent(100)), ("rule", None, "any=depot")])
    for second in (3, 4, 5):
        fleet.restart()
        fleet.feed("van", Fix(47.5, 7.5, time=second * SECOND))
    assert fleet.take("place, state") == [("rule", "satisfied")]
    fleet.feed("van", Fix(47.6, 7.5, time=6 * SECOND))
    assert fleet.take("place, state, decided_by") == [("rule", "unsatisfied", "depot")]


def test_a_name_changes_between_a_rule_and_a_circle(fleet: Fleet) -> None:
    there: list[Any] = [("a", POINT, "radius=100"), ("x", None, "any=a"), ("y", None, "none=x")]
    other: list[Any] = [("a", None, "none=x"), ("x", POINT, "radius=200"), ("y", None, "none=x")]
    fleet.create(there)
    expected = []
    for second in range(1, 9):
        rows = other if second % 2 == 0 else there
        fleet.change(rows)
        fleet.feed("van", Fix(47.5, 7.5, time=second * SECOND))
        expected += [("x", "satisfied")] if rows is other else [("a", "satisfied"), ("x", "satisfied")]
    assert fleet.take("place, state") == expected
    fleet.feed("van", Fix(47.6, 7.5, time=9 * SECOND))
    assert fleet.take("place, state") == [("x", "unsatisfied"), ("a", "satisfied"), ("y", "satisfied")]


def test_places_in_another_order_are_the_same_places(fleet: Fleet) -> None:
    """A pending dwell continues, because the set of places has the same bytes."""
    rows: list[Any] = [
        ("b", POINT, silent(100)),
        ("c", POINT, silent(90)),
        ("a", None, "any=b; c, policy=exact, entry_dwell=60"),
    ]
    fleet.create(rows)
    fleet.feed("van", Fix(47.6, 7.5, time=SECOND))
    fleet.feed("van", Fix(47.5, 7.5, time=10 * SECOND))
    fleet.change(rows[::-1])
    fleet.restart()
    fleet.feed("van", Fix(47.5, 7.5, time=20 * SECOND))
    fleet.advance("van", 71 * SECOND)
    assert fleet.take("place, time, evidence_time, decided_by") == [("a", 70 * SECOND, 10 * SECOND, "c")]


def test_a_dwell_of_a_rule_begins_anew_after_a_change_of_the_places(fleet: Fleet) -> None:
    rows: list[Any] = [
        ("b", POINT, silent(100)),
        ("a", None, "any=b, policy=exact, entry_dwell=60"),
    ]
    fleet.create(rows)
    fleet.feed("van", Fix(47.6, 7.5, time=SECOND))
    fleet.feed("van", Fix(47.5, 7.5, time=10 * SECOND))
    fleet.change([*rows, ("c", POINT, silent(5000))])
    fleet.advance("van", 71 * SECOND)
    assert fleet.take("place") == []
    # The rule is determined at the next fix. Its reported state is unsatisfied.
    fleet.feed("van", Fix(47.5, 7.5, time=80 * SECOND))
    assert fleet.take("place, state, time") == [("a", "satisfied", 80 * SECOND)]


# ----------------------------------------------------------------------------------------- transactions


def test_a_transaction_that_is_rolled_back_takes_the_event_and_the_places_back(fleet: Fleet) -> None:
    rows: list[Any] = [("yard", POINT, silent(100)), ("rule", None, "any=yard")]
    fleet.create(rows)
    fleet.feed("van", Fix(47.6, 7.5, time=SECOND))
    before = fleet.host.run(f"SELECT * FROM {fleet.devices}")
    fleet.host.run("BEGIN")
    fleet.feed("van", Fix(47.5, 7.5, time=2 * SECOND))
    assert fleet.events("place") == [("rule",)]
    fleet.host.run("SAVEPOINT here")
    fleet.change([rows[0], ("rule", None, "none=yard")])
    fleet.feed("van", Fix(47.5, 7.5, time=3 * SECOND))
    fleet.feed("van", Fix(47.6, 7.5, time=4 * SECOND))
    assert fleet.events("place, state") == [("rule", "satisfied")] * 2
    fleet.host.run("ROLLBACK TO here")
    fleet.feed("van", Fix(47.6, 7.5, time=5 * SECOND))
    assert fleet.events("place, state, decided_by") == [
        ("rule", "satisfied", "yard"),
        ("rule", "unsatisfied", "yard"),
    ]
    fleet.host.run("ROLLBACK")
    assert fleet.events() == [] and fleet.host.run(f"SELECT * FROM {fleet.devices}") == before
    fleet.feed("van", Fix(47.5, 7.5, time=2 * SECOND))
    assert fleet.events("place, state, sequence") == [("rule", "satisfied", 1)]


def test_two_connections_feed_and_change_one_fleet(fleet: Fleet) -> None:
    """Threads feed the same devices, and one of them changes the places back and forth. All changes keep the rule, so
    its events are those of one monitor."""
    rows: list[Any] = [("b", POINT, silent(100)), ("c", POINT, silent(200)), ("rule", None, "all=b; c")]
    fleet.create(rows)
    if fleet.name == "sqlite":
        fleet.host.run("PRAGMA journal_mode = WAL")
    others = [
        *rows,
        ("a", POINT, silent(9000)),
        ("more", None, "none=a, policy=exact, notify=none"),
    ]
    hosts = [fleet.connected() for _ in range(3)]
    errors: list[BaseException] = []
    values = []
    for places in (rows, others):
        fleet.host.zones(places)
        values.append(fleet.host.run(f"SELECT {PLACES}")[0][0])

    def change(host: Host, number: int) -> None:
        mark = host.mark
        sql = (
            f"INSERT INTO vans(places) VALUES ({mark})"
            if fleet.name == "sqlite"
            else f"SELECT set_places('vans', {mark})"
        )
        host.run(sql, (values[number % 2],))

    def work(index: int) -> None:
        try:
            for number in range(60):
                if index == 2:
                    change(hosts[2], number)
                else:
                    time = (number + 1) * SECOND
                    fleet.feed(f"van {index}", Fix(47.5 if number % 2 else 47.6, 7.5, time=time), hosts[index])
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(index,)) for index in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for host in hosts:
        host.connection.close()
    assert errors == []
    expected = [("rule", "satisfied" if number % 2 else "unsatisfied", number) for number in range(1, 60)]
    found = fleet.take("device, place, state, sequence")
    for device in ("van 0", "van 1"):
        assert [each[1:] for each in found if each[0] == device] == expected


# ------------------------------------------------------------------------------------ limits and damage


def test_a_rule_of_the_most_and_longest_parts(fleet: Fleet) -> None:
    names = [f"{n:04d}" + ('",;' * 84) for n in range(1000)]
    rule = "at_least=1000, of=" + ";".join(quoted(name) for name in names)
    rows: list[Any] = [
        *((name, POINT, silent(500)) for name in names),
        ("rule", None, rule),
    ]
    fleet.create(rows)
    for second, latitude in enumerate((47.6, 47.5, 47.5, 47.6)):
        fleet.feed("van", Fix(latitude, 7.5, time=second * SECOND))
        fleet.restart()
    assert fleet.take("place, state, decided_by") == [
        ("rule", "satisfied", names[-1]),
        ("rule", "unsatisfied", names[-1]),
    ]
    fleet.feed("van", Fix(47.5, 7.5, time=5 * SECOND))
    least = fleet.take("place")
    # 999 parts are left; the rule is another one, and then it is not there.
    fleet.change([*rows[1:-1], ("rule", None, rule.replace("1000", "999").replace(quoted(names[0]) + ";", ""))])
    fleet.feed("van", Fix(47.5, 7.5, time=6 * SECOND))
    assert fleet.take("place") == least == [("rule",)]
    fleet.change(rows[:-1])
    fleet.feed("van", Fix(47.6, 7.5, time=7 * SECOND))
    assert fleet.take("place") == []


def test_eight_rules_one_in_another(fleet: Fleet) -> None:
    rules = [
        (f"r{n}", None, f"{'none' if n % 2 else 'any'}={f'r{n - 1}' if n else 'a'}, policy=exact, notify=none")
        for n in range(7)
    ]
    rows: list[Any] = [("a", POINT, silent(500)), *rules, ("r7", None, "all=r6; a")]
    fleet.create(rows)
    fleet.feed("van", Fix(47.6, 7.5, time=SECOND))
    fleet.feed("van", Fix(47.5, 7.5, time=2 * SECOND))
    assert fleet.take("place, state, decided_by") == []
    fleet.change([*rows[:-1], ("r7", None, "any=r6; a")])
    fleet.feed("van", Fix(47.5, 7.5, time=3 * SECOND))
    assert fleet.take("place, state, decided_by") == [("r7", "satisfied", "r6")]
    fleet.host.zones([*rows, ("r8", None, "all=r7")])
    refused(fleet.host, fleet.changing, "8")


def states(fleet: Fleet) -> bytes:
    ((state,),) = fleet.host.run(f"SELECT state FROM {fleet.devices} WHERE device = 'van'")
    return bytes(state)


def test_damaged_states_are_refused_or_harmless(fleet: Fleet) -> None:
    """Any bytes in the place of a state are an error that names the device, and the row and the events stay."""
    rows: list[Any] = [
        ("b", POINT, "radius=100"),
        ("c", POINT, "radius=900"),
        ("rule", None, "any=b, policy=exact, entry_dwell=60"),
        ("top", None, "none=rule; c"),
    ]
    fleet.create(rows)
    fleet.feed("van", Fix(47.505, 7.5, time=SECOND))
    fleet.feed("van", Fix(47.5, 7.5, time=2 * SECOND))
    good, draw = states(fleet), random.Random(7)
    mark = fleet.host.mark
    for _ in range(60):
        bad = damaged(draw, good)
        fleet.host.run(f"UPDATE {fleet.devices} SET state = {mark}", (bad,))
        before = fleet.events()
        with pytest.raises(fleet.host.errors, match='device "van"'):
            fleet.feed("van", Fix(47.6, 7.5, time=9 * SECOND))
        assert (states(fleet), fleet.events()) == (bad, before)
    fleet.host.run(f"UPDATE {fleet.devices} SET state = {mark}", (good,))
    assert fleet.host.run(f"SELECT fp_doubted_fixes(state) FROM {fleet.devices}") == [(0,)]
    fleet.advance("van", 62 * SECOND)
    assert fleet.take("place, state")[-1] == ("rule", "satisfied")


def other_states() -> Iterator[tuple[str, bytes]]:
    """Good states of devices whose fleets have other conditions of the same names."""
    for word, definition in (("a circle", Circle(47.5, 7.5, 100)), ("another rule", None)):
        zones = Zones()
        zones.add(Circle(47.5, 7.5, 100), "b", policy="exact")
        if definition is None:
            from fencepost import Rule

            zones.add(Rule.none("b", "missing"), "rule", policy="exact")
        else:
            zones.add(definition, "rule", policy="exact")
        from fencepost import Fleet as OwnFleet

        own = OwnFleet(zones)
        own.feed("van", Fix(47.5, 7.5, time=SECOND))
        yield word, own.export(["van"], portable=True)[0]


def test_states_of_other_fleets_are_adapted(fleet: Fleet) -> None:
    fleet.create([("b", POINT, "radius=100"), ("rule", None, "any=b")])
    for word, state in other_states():
        fleet.feed("van", Fix(47.6, 7.5, time=SECOND))
        fleet.host.run(f"UPDATE {fleet.devices} SET state = {fleet.host.mark}", (state,))
        fleet.take("place")
        fleet.feed("van", Fix(47.5, 7.5, time=2 * SECOND))
        assert fleet.take("place, state") == [("rule", "satisfied")], word
        fleet.host.run(f"DELETE FROM {fleet.devices}")


def test_sqlite_the_deciding_part_is_no_input() -> None:
    build("sqlite")
    host = SQLite()
    host.run("CREATE VIRTUAL TABLE vans USING fencepost_fleet")
    host.zones([("a", POINT, "radius=100"), ("b", None, "all=a")])
    host.run(f"INSERT INTO vans(places, options) SELECT {PLACES}, 'policy=exact'")
    insert = "INSERT INTO vans(device, time, latitude, longitude, decided_by) VALUES (1, 1, 47, 7, 'a')"
    refused(host, insert, "belong to events")
    host.run("INSERT INTO vans(device, time, latitude, longitude) VALUES ('a', 1, 47.5, 7.6), ('a', 2, 47.5, 7.5)")
    found = "SELECT place, decided_by FROM vans WHERE decided_by IS NOT NULL OR place = 'a'"
    assert host.run(found) == [("a", None), ("b", "a")]
    host.run("DELETE FROM vans WHERE decided_by = 'a'")
    assert host.run("SELECT place FROM vans") == [("a",)]
