"""Tests rules without Spark. For any division into micro-batches, the events of a stream, and of a replay, equal those
of a monitor for each device; if the table changes, they equal those of a model that counts the parts itself."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from conftest import number_of_cases
from several_tables import SECOND, Row, Tables, alone, walks

from fencepost import Beacon, BeaconSighting, Circle, Fix, Monitor, Notify, Rule, TransitionPolicy, Zones
from fencepost.errors import InvalidArgumentError, LateInputError

pytest.importorskip("numpy")
pyarrow = pytest.importorskip("pyarrow")

from test_following import batch, kept  # noqa: E402
from test_timings import filled, timed  # noqa: E402

from fencepost._spark import batch as batches  # noqa: E402
from fencepost._spark.feeding import Trust, check  # noqa: E402
from fencepost._spark.packed import ROW_SCHEMA  # noqa: E402
from fencepost._spark.shard import Rules, follow  # noqa: E402
from fencepost._spark.states import WIDE, empty  # noqa: E402

NAMES = ("device", "sequence", "identifier", "state", "cause", "date", "evidence_date", "generation", "decided_by")
SLOW = TransitionPolicy(entry_dwell=20, exit_dwell=45, entry_margin=0, exit_margin=0, accuracy_factor=0)
SILENT = TransitionPolicy(
    entry_dwell=0, exit_dwell=0, entry_margin=0, exit_margin=0, accuracy_factor=0, notify=Notify(0)
)
Listed = list[tuple[str, Any, dict[str, Any]]]


def ruled(seed: int, listed: Listed, count: int = 14) -> Listed:
    """Adds rules over the conditions, over each other and over conditions that the table does not have. Some rules come
    before their parts."""
    draw = random.Random(seed)
    names = [*(name for name, *_ in listed), "missing", "gone"]
    found: Listed = []
    for number in range(count):
        name, parts = f"r{number}", draw.sample(names, draw.choice([1, 2, 2, 3, 6]))
        form = draw.choice([Rule.all, Rule.any, Rule.none, None])
        rule = Rule.at_least(draw.randint(1, len(parts)), *parts) if form is None else form(*parts)
        policy: Any = draw.choice(["exact", "exact", SLOW, SILENT])
        found.append((name, rule, {"policy": policy, "assuming": draw.choice(["unsatisfied"] * 3 + ["unknown"])}))
        if number < 7:
            names.append(name)
    # A monitor and a table assume different states of beacon conditions, unless the state is stated.
    both = [*((name, condition, {"assuming": "unsatisfied", **own}) for name, condition, own in listed), *found]
    draw.shuffle(both)
    return both


def plain(seed: int) -> Listed:
    """Circles and beacon conditions without timings, some of them silent."""
    draw = random.Random(seed)
    found: Listed = []
    for name, condition, given in timed(seed):
        own = {"policy": draw.choice(["exact", SILENT, "standard"]), "assuming": given.get("assuming", "unsatisfied")}
        found.append((name, condition, own if name[0] == "z" else {"assuming": "unsatisfied"}))
    return found


def monitored(listed: Listed, rows: list[Row], to_us: int, **options: Any) -> list[Any]:
    """The events of a monitor for each device."""
    found = []
    for device in {row[0] for row in rows}:
        monitor: Monitor = filled(Monitor(condition_limit=None, initial_fix_max_age=None, **options), listed)
        for _, latitude, longitude, accuracy, time, _, beacons in (row for row in rows if row[0] == device):
            try:
                if beacons is None:
                    monitor.feed(Fix(latitude, longitude, accuracy=accuracy, time=time))
                else:
                    seen = [BeaconSighting(one["uuid"], one["major"], one["minor"]) for one in json.loads(beacons)]
                    monitor.feed_sightings(seen, time=time)
            except (InvalidArgumentError, LateInputError, KeyError):
                pass
        before = None
        while (due := monitor.next_deadline_us) is not None and due <= to_us and due != before:
            monitor.advance(due)
            before = due
        for e in monitor.events():
            times = (e.date_us, e.evidence_date_us)
            found.append(
                (device, e.sequence, e.identifier, str(e.state), str(e.cause), *times, e.generation, e.decided_by)
            )
    return sorted(found, key=lambda event: event[:2])


def streamed(
    tables: Callable[[bytes | None], Zones], parts: list[list[Row]], delay_us: int, rules: Rules, to_us: int
) -> list[Any]:
    """The events of a stream whose shard is stored after each micro-batch."""
    shard, next_us, watermark, latest = empty(WIDE), None, 0, 0
    found: list[Any] = []
    for rows in [*parts, []]:
        if not rows:
            watermark = max(watermark, to_us)
        if rows or (next_us is not None and next_us <= watermark):
            outcome = follow(tables, kept(shard), [batch(rows, 0)], watermark, rules)
            assert outcome.fed.late == 0
            shard, next_us = outcome.shard, outcome.next_us
            for each in outcome.events:
                for row in each.to_pylist():
                    for name in ("date", "evidence_date"):
                        row[name] = None if row[name] is None else round(row[name].timestamp() * SECOND)
                    found.append(tuple(row[name] for name in NAMES))
        latest = max([latest, *(row[4] for row in rows)])
        watermark = max(watermark, latest - delay_us)
    return sorted(found, key=lambda event: event[:2])


@pytest.mark.full
@pytest.mark.parametrize("seed", range(number_of_cases(3, 6, 12)))
@pytest.mark.parametrize("world", [plain, timed])
def test_a_stream_follows_rules(world: Callable[[int], Listed], seed: int) -> None:
    listed = ruled(seed, [each for each in world(seed) if "b" not in each[0] or world is plain or seed % 2])
    order = {"order": "exits_first"} if seed % 3 == 2 else {}
    # No fix comes at the very time at which the absence of a beacon is due: which of the two parts changed last then
    # differs between a fleet and a monitor.
    drawn = walks(random.Random(seed), [None], steps=50)
    rows = [(*row[:4], row[4] + number, *row[5:]) for number, row in enumerate(drawn)]
    end = rows[-1][4] + 300 * SECOND
    want = monitored(listed, rows, end, **order)
    assert len({event[2] for event in want if event[2][0] == "r"}) > 4
    assert sum(event[-1] is not None for event in want) > 10
    zones = filled(Zones(), listed)
    check(zones, Trust())
    for size, ordered in ((len(rows), False), (37, False), (1, True), (80, True)):
        parts = [rows[begin : begin + size] for begin in range(0, len(rows), size)]
        assert streamed(lambda _: zones, parts, 25 * SECOND, Rules(ordered, None, trust=Trust(**order)), end) == want


@pytest.mark.full
@pytest.mark.parametrize("seed", range(number_of_cases(2, 4, 8)))
def test_a_replay_follows_rules(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = ruled(seed, timed(seed, beacons=False))
    conditions = filled(Zones(), listed)
    draw = random.Random(seed)
    rows = [
        (f"v{n}", *row[1:5], number)
        for n in range(4)
        for number, row in enumerate(walks(draw, [None], 1))
        if row[6] is None
    ]
    want = monitored(listed, [(*row[:5], None, None) for row in rows], 0)
    assert sum(event[-1] is not None for event in want) > 10
    arrays = [pyarrow.array(column, field.type) for column, field in zip(zip(*rows), ROW_SCHEMA)]
    table = pyarrow.record_batch(arrays, schema=ROW_SCHEMA)
    monkeypatch.setattr(batches, "shipped", lambda name: conditions)
    for size in (len(rows), 11):
        parts = (table.slice(begin, size) for begin in range(0, len(rows), size))
        found = [row for each in batches.replayed("", Trust())(parts) for row in each.to_pylist()]
        names = [name for name in NAMES if name not in ("date", "evidence_date")]
        assert [tuple(row[name] for name in names) for row in found] == [(*e[:5], *e[7:]) for e in want]


# ---------------------------------------------------------------------------------- tables that change


def versions(seed: int) -> tuple[Tables, dict[bytes | None, dict[str, Any]]]:
    """Three tables of circles and rules, and the definitions in each. Tables lack conditions that the others have as
    parts, define some differently, and list them in another order."""
    draw = random.Random(seed)
    circles = {
        f"z{n}": Circle(draw.uniform(-0.01, 0.01), draw.uniform(-0.01, 0.01), draw.uniform(200, 900)) for n in range(12)
    }
    names = [*circles, "missing"]
    rules: dict[str, Any] = {}
    for number in range(10):
        parts = sorted(draw.sample(names, draw.choice([1, 2, 3, 5])))
        form = draw.choice([Rule.all, Rule.any, Rule.none, None])
        rules[f"r{number}"] = Rule.at_least(draw.randint(1, len(parts)), *parts) if form is None else form(*parts)
        names += [f"r{number}"] * (number < 6)
    tables: Tables = {}
    definitions: dict[bytes | None, dict[str, Any]] = {}
    for place in range(3):
        given = {**circles, **rules}
        for name in draw.sample(sorted(given), 4 * place):
            del given[name]
        for name in draw.sample(sorted(given), 2 * place):
            given[name] = Circle(0.001 * place, 0, 500) if name[0] == "z" else Rule.none("z0", "z1", f"z{place + 2}")
        listed = list(given.items())
        draw.shuffle(listed)
        zones = Zones()
        for name, condition in listed:
            zones.add(condition, name, policy="exact")
        version = zones.version.digest if place else None
        tables[version], definitions[version] = zones, given
    return tables, definitions


def state_of(name: str, given: Mapping[str, Any], inside: set[str]) -> bool | None:
    """The state of a condition; None if it is unknown."""
    condition = given.get(name)
    if not isinstance(condition, Rule):
        return None if condition is None else name in inside
    parts = [state_of(part, given, inside) for part in condition.parts]
    least = condition.count
    if sum(part is True for part in parts) >= least:
        return condition.form != "none"
    if sum(part is not False for part in parts) < least:
        return condition.form == "none"
    return None


@pytest.mark.full
@pytest.mark.parametrize("seed", range(number_of_cases(3, 8, 20)))
def test_rules_of_tables_that_change(seed: int) -> None:
    """A device keeps the reported states of the conditions that its next table also has, and reports the others that
    are then satisfied."""
    tables, definitions = versions(seed)
    circles = {version: {name for name in given if name[0] == "z"} for version, given in definitions.items()}
    rows = [
        row
        for row in walks(random.Random(seed), list(tables), steps=60)
        if row[6] is None and row[1] < 90 and row[3] >= 0
    ]
    end = rows[-1][4] + 300 * SECOND
    expected: list[Any] = []
    told: dict[str, dict[str, bool]] = {}
    last: dict[str, bytes | None] = {}
    changes = 0
    for device, latitude, longitude, _, time, version, _ in rows:
        given, before = definitions[version], definitions[last.get(device, version)]
        known = {name: state for name, state in told.get(device, {}).items() if given.get(name) == before.get(name)}
        changes += len(known) < len(told.get(device, {}))
        inside = set(tables[version].containing(latitude, longitude)) & circles[version]
        for name in given:
            state = state_of(name, given, inside)
            if state is not None and state != known.get(name, False):
                expected.append((device, name, "satisfied" if state else "unsatisfied", time))
                known[name] = state
        told[device], last[device] = known, version
    assert changes > 5
    want = alone(tables, rows, end)
    for size, ordered in ((len(rows), False), (37, False), (1, True), (80, True)):
        parts = [rows[begin : begin + size] for begin in range(0, len(rows), size)]
        found = streamed(tables.__getitem__, parts, 25 * SECOND, Rules(ordered, None), end)
        assert sorted((e[0], e[2], e[3], e[5]) for e in found) == sorted(expected), (seed, size, ordered)
        assert sorted((*e[:4], e[5], e[7]) for e in found) == want
    assert sum(event[1][0] == "r" for event in expected) > 20


@pytest.mark.full
@pytest.mark.parametrize("seed", range(number_of_cases(2, 4, 8)))
def test_rules_with_dwells_timings_and_beacons_in_tables_that_change(seed: int) -> None:
    """For any division into micro-batches, the events are those of a fleet with only one device."""
    first, other = ruled(seed, timed(seed)), ruled(seed + 1, timed(seed + 10, beacons=False))
    tables: Tables = {None: filled(Zones(), first)}
    taken = {name for name, *_ in other[::2]}
    moved = filled(Zones(), [*other[::2], *(each for each in reversed(first) if each[0] not in taken)])
    tables[moved.version.digest] = moved
    rows = walks(random.Random(seed), list(tables), steps=50)
    end = rows[-1][4] + 300 * SECOND
    want = alone(tables, rows, end)
    assert sum(event[2][0] == "r" for event in want) > 20
    for size, ordered in ((len(rows), False), (37, False), (1, True), (80, True)):
        parts = [rows[begin : begin + size] for begin in range(0, len(rows), size)]
        found = streamed(tables.__getitem__, parts, 25 * SECOND, Rules(ordered, None), end)
        assert sorted((*e[:4], e[5], e[7]) for e in found) == want, (seed, size, ordered)


def test_what_waits_of_a_rule_is_confirmed_though_nothing_more_comes() -> None:
    zones = Zones()
    zones.add(Beacon("e2c56db5-dffb-48d2-b060-d0f5a71096e0", 1), "desk")
    zones.add(Rule.none("desk"), "away", policy=SLOW)
    seen = json.dumps([{"uuid": "e2c56db5-dffb-48d2-b060-d0f5a71096e0", "major": 1, "minor": 2}])
    rows: list[Row] = [("a", float("nan"), float("nan"), 0.0, 0, None, seen)]
    shard, times = follow(lambda _: zones, empty(WIDE), [batch(rows, 0)], 0, Rules(True, None)), []
    while shard.next_us is not None:
        times.append(shard.next_us // SECOND)
        shard = follow(lambda _: zones, kept(shard.shard), [], shard.next_us, Rules(True, None))
    # The desk is absent after 30 seconds; then the rule dwells.
    assert times == [30, 50]
    (event,) = [row for each in shard.events for row in each.to_pylist()]
    assert (event["identifier"], event["state"], event["decided_by"]) == ("away", "satisfied", 1)
