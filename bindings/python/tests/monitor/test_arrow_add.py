"""Tests how circles are added from Arrow streams: the result is the same as with one call for each circle, columns are
read in place, and either all circles are added or none."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from arrow_streams import START_US, Spy, address, circles, reader_of
from conftest import SECOND, mentions, refusal

from fencepost import Circle, Fix, Monitor, TransitionPolicy, replay
from fencepost.errors import InvalidArgumentError

pa = pytest.importorskip("pyarrow")


@pytest.mark.parametrize("seed", range(6))
def test_circles_go_in_as_single_calls_put_them(seed: int) -> None:
    generator = random.Random(seed)
    columns = circles(60, generator)
    with_fix = generator.random() < 0.5  # after a fix, the states of added conditions are determined at once
    fix = Fix(52.5, 13.4, accuracy=5, time=START_US)

    def fresh() -> Monitor:
        monitor = Monitor()
        if with_fix:
            monitor.feed(fix)
        return monitor

    expected = fresh()
    for row, (name, lat, lon, radius, assuming, policy) in enumerate(zip(*columns.values())):
        options = {"assuming": assuming or "unsatisfied", "policy": policy or TransitionPolicy(entry_dwell=3)}
        expected.add(Circle(lat, lon, radius), name, tag=row, **options)
    records = list(expected.records())
    events = [event.to_json() for event in expected.events()]
    assert bool(events) == with_fix
    table = pa.table(columns)
    name = table["name"]
    tables = [
        table,
        reader_of(table, lambda: generator.randrange(9)),
        table.set_column(0, "id", name.cast("large_string")),
        table.set_column(0, "id", name.cast("string_view")),
        table.set_column(0, "id", name.dictionary_encode()).slice(0),
        reader_of(table.set_column(0, "id", name.combine_chunks().cast("string_view")), lambda: 7),
        reader_of(table.set_column(0, "id", name.combine_chunks().dictionary_encode()), lambda: 11),
        table.set_column(4, "assuming", table["assuming"].dictionary_encode()),
        table.set_column(5, "policy", table["policy"].cast("string_view")),
    ]
    for number, given in enumerate(tables):
        monitor = fresh()
        monitor.add_many(given, assuming="unsatisfied", policy=TransitionPolicy(entry_dwell=3), tag=range(60))
        assert list(monitor.records()) == records, (seed, number)
        assert [event.to_json() for event in monitor.events()] == events


def test_circles_reach_the_engine_in_place() -> None:
    generator = random.Random(1)
    columns = circles(500, generator)
    whole = pa.table({name: columns[name] for name in ("name", "lat", "lon", "radius")})
    monitor = Monitor()
    spy = Spy(monitor)
    for table in (whole, whole.slice(20, 100)):
        monitor.add_many(table)
        assert spy.addresses == [[address(table[name]) for name in ("lat", "lon", "radius")]]
        spy.addresses.clear()
    # Batches with the same options become one call, so that a store gets all of them or none.
    monitor.add_many(reader_of(whole, lambda: 100))
    assert len(spy.addresses) == 1 and list(monitor) == columns["name"]


def test_policies_as_structures() -> None:
    table = pa.table({
        "id": [7, 8], "y": [0.0, 1.0], "x": [0.0, 1.0], "r": [10, 20],
        "policy": [{"entry_dwell": 5.0, "exit_dwell": None}, None],
    })  # fmt: skip
    monitor = Monitor()
    monitor.add_many(table, policy="exact")
    assert monitor["7"].policy == TransitionPolicy.from_dict({"entry_dwell": 5}, base=TransitionPolicy.exact())
    assert monitor["8"].policy == TransitionPolicy.exact()
    track = pa.table({"lat": [5.0, 0.0, 0.0, 0.0], "lon": [0.0] * 4, "time_us": [0, SECOND, 6 * SECOND, 9 * SECOND]})
    log = replay(track, table, policy="exact")
    assert [(event.identifier, event.date_us) for event in log if event.identifier == "7"] == [
        ("7", 0),
        ("7", 6 * SECOND),
    ]


def test_a_policy_in_every_row() -> None:
    """The table of this test consists of many short runs of rows; the rows of a run have the same policy. If one row is
    refused, the whole table is refused, including the runs that were already added."""
    rows = 3000
    table = pa.table({
        "id": [str(row) for row in range(rows)], "lat": [0.0] * rows, "lon": [0.0] * rows,
        "radius": [float(1 + row) for row in range(rows)],
        "policy": [("exact", "standard", None)[row // (1 + row % 40) % 3] for row in range(rows)],
    })  # fmt: skip
    monitor = Monitor()
    monitor.add_many(table, policy="core_location", tag=range(rows))
    presets = {
        "exact": TransitionPolicy.exact(),
        "standard": TransitionPolicy.standard(),
        None: TransitionPolicy.core_location(),
    }
    for row, (record, name) in enumerate(zip(monitor.records(), table["policy"].to_pylist())):
        assert (record.last_event.identifier, record.tag, record.policy) == (str(row), row, presets[name])
    assert len(monitor) == rows
    bad = table.set_column(3, "radius", pa.array([float(1 + row) if row != 2987 else -1.0 for row in range(rows)]))
    other = Monitor()
    assert refusal(other.add_many, bad).row == 2987 and len(other) == 0


CIRCLES: dict[str, Any] = {"id": ["a", "b"], "lat": [0.0, 1.0], "lon": [0.0, 1.0], "radius": [1.0, 2.0]}


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (
            CIRCLES | {"radius": [1.0, -5.0]},
            "row 1: radius … -5.0; … (column 'radius')",
        ),
        (
            CIRCLES | {"radius": [1.0, None]},
            "row 1: radius … nan; … (column 'radius')",
        ),
        (CIRCLES | {"lat": [1.0, 90.5]}, "row 1: latitude … 90.5; … (column 'lat')"),
        (CIRCLES | {"lon": [1.0, None]}, "row 1: longitude … nan; … (column 'lon')"),
        (CIRCLES | {"id": ["a", None]}, "row 1: identifier … (column 'id')"),
        (CIRCLES | {"id": [1.0, math.nan]}, "row 1: identifier … (column 'id')"),
        (CIRCLES | {"policy": [{"entry_dwell": 1.0}, {"entry_dwell": math.inf}]}, "row 1: entry_dwell"),
        (
            CIRCLES | {"id": ["a", ""]},
            "row 1: … identifier … (column 'id')",
        ),
        (CIRCLES | {"id": ["a", "b\0"]}, "row 1: identifier 'b\\x00' … NUL … column 'id'"),
        (CIRCLES | {"id": [True, False]}, "row 0: identifier True is a bool (column 'id')"),
        (CIRCLES | {"radius": ["1", "2"]}, "row 0: radius '1' (column 'radius') … str"),
        (
            CIRCLES | {"assuming": ["unknown", "outside"]},
            "row 1: assuming 'outside'",
        ),
        (
            CIRCLES | {"policy": ["exact", "vague"]},
            "row 1: policy 'vague' … core_location",
        ),
        (CIRCLES | {"policy": ["exact", "vague"]}, "(column 'policy')"),
        (CIRCLES | {"policy": [1, 2]}, "row 0: … name"),
        (
            CIRCLES | {"policy": [{"entry_dwell": 1.0}, {"entry_dwell": -1.0}]},
            "entry_dwell … -1.0 … 0 … 1e9 s",
        ),
        ({"id": ["a"], "lat": [0.0], "lon": [0.0]}, "radius"),
        ({"lat": [0.0], "lon": [0.0], "r": [1]}, "identifier"),
        ({"id": ["a"], "r": [1]}, "latitude"),
    ],
)
def test_adding_is_all_or_nothing(table: dict[str, Any], words: str) -> None:
    """Whether the rows come in one batch or in several, a refused row leaves the monitor unchanged."""
    whole = pa.table(table)
    monitor = Monitor()
    monitor.add(Circle(0, 0, 5), "a", assuming="satisfied")
    before = monitor.snapshot()
    for given in (whole, reader_of(whole, lambda: 1)):
        error = refusal(monitor.add_many, given)
        assert mentions(error, words) and error.source == "table"
        assert error.row is None or error.position == error.row
        assert monitor.snapshot() == before
    with pytest.raises(InvalidArgumentError, match="tag.*3"):
        monitor.add_many(pa.table(CIRCLES), tag=[1, 2, 3])
    assert monitor.snapshot() == before
    monitor.add_many(reader_of(pa.table(CIRCLES), lambda: 1), tag=9)
    assert monitor.identifiers == ["a", "b"] and monitor["a"].tag == 9
    monitor.add_many(pa.table(CIRCLES).slice(0, 0))
    with pytest.raises(InvalidArgumentError, match="assuming"):
        monitor.add_many(pa.table(CIRCLES).slice(0, 0), assuming="maybe")
