"""Streams whose rows say by which table they are followed, and that bring scan reports; other conditions and other
shards by a new query; devices that are forgotten."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import golden
import pytest
import several_tables
import streams

from fencepost import Conditions, InvalidArgumentError, spark as fencepost_spark

SECOND = several_tables.SECOND
World = tuple[Path, list[streams.Row], list[dict[str, Any]]]
BEACONS = "array<struct<uuid:string,major:int,minor:int,rssi:int>>"
SCHEMA = f"vehicle string, lat double, lon double, accuracy double, time_us long, zones string, seen {BEACONS}"
NAMES = tuple(part.split()[0] for part in SCHEMA.split(", "))


def write_json(folder: Path, number: int, rows: list[tuple[Any, ...]]) -> None:
    folder.mkdir(exist_ok=True)
    lines = []
    for row in rows:
        members = dict(zip(NAMES, row))
        if isinstance(members["zones"], bytes):
            members["zones"] = members["zones"].hex()
        if members["seen"] is not None:
            members["seen"] = json.loads(members["seen"])
        lines.append(json.dumps(members) + "\n")
    streams.place(folder / f"part-{number:04}.json", "".join(lines), number)


def run(spark: Any, folder: Path, conditions: Any, found: list[Any], **options: Any) -> list[Any]:
    source = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).json(str(folder / "in"))
    events = fencepost_spark.events(source, conditions, beacons="seen", **{"shards": 4, **options})
    return streams.drain(events, folder / "checkpoint", found)[1]


def told(found: list[Any]) -> list[Any]:
    return sorted(
        (row.vehicle, row.sequence, row.identifier, row.state, round(row.date.timestamp() * SECOND), row.generation)
        for row in found
    )


def test_rows_are_followed_by_the_table_that_they_name(spark: Any, tmp_path: Path) -> None:
    draw = random.Random(21)
    tables = several_tables.versions(21)
    rows = several_tables.walks(draw, list(tables), steps=90)
    rows += [row for row in rows if draw.random() < 0.05]  # some come twice
    rows.sort(key=lambda row: row[4])
    end = rows[-1][4] + 500 * SECOND
    want = several_tables.alone(tables, rows, end)
    arrived = streams.by_time_of_arrival(rows, 4, 60)
    bad = [
        (None, 0.0, 0.0, 5.0, 0, None, None),
        ("v0", 0.0, 0.0, 5.0, None, None, None),
        ("v0", 0.0, 0.0, 5.0, 0, "", None),
        ("v0", 0.0, 0.0, 5.0, 0, "zz" * 16, None),
        ("v0", 0.0, 0.0, 5.0, 0, "ab" * 15, None),
        ("v0", 0.0, 0.0, 5.0, 0, "ab" * 16 + "0", None),
    ]
    nulls = ("v0", None, None, None, rows[-1][4], None, None)  # no position, and not late
    last = ("sentinel", 80.0, 0.0, 5.0, end + 60 * SECOND, None, None)
    third = len(arrived) // 3
    write_json(tmp_path / "in", 0, arrived[:third])
    write_json(tmp_path / "in", 1, [*arrived[third : 2 * third], *bad])
    write_json(tmp_path / "in", 2, [*arrived[2 * third :], nulls, last])
    shelf = tmp_path / "tables"
    shelf.mkdir()
    found: list[Any] = []
    options = {"refresh": "zones", "versions": shelf, "delay": "60 seconds"}
    # A table that is not there ends the query; it goes on when the table is there.
    first, second = (name for name in tables if name is not None)
    (shelf / f"{first.hex()}.conditions").write_bytes(tables[first].snapshot())
    with pytest.raises(Exception, match=f"{second.hex()}.*cannot be read"):
        run(spark, tmp_path, tables[None], found, **options)
    (shelf / f"{second.hex()}.conditions").write_bytes(tables[second].snapshot())
    progress = run(spark, tmp_path, tables[None], found, **options)
    assert sum(each["observedMetrics"]["fencepost_input"]["unusable"] for each in progress) in (0, len(bad))
    assert told(found) == want
    assert {event[2][0] for event in want} == {"z", "n", "b"}


def test_a_new_query_begins_with_the_states_of_an_old_one(spark: Any, world: World, tmp_path: Path) -> None:
    conditions, rows, want = world
    golden.unpack(tmp_path)
    before = json.loads((tmp_path / golden.EVENTS).read_text())
    _, second = golden.halves(rows)
    half = len(second) // 2
    options = {"delay": f"{streams.DELAY} seconds", "shards": 5}
    far = Conditions.read(conditions)
    far.add_many(["far away"], [50], [50], [100])  # what stays is not told again

    def go_on(**more: Any) -> list[dict[str, Any]]:
        source = spark.readStream.schema(streams.SCHEMA).option("header", True).csv(str(tmp_path / "later"))
        events = fencepost_spark.events(source, far, **options, **more)
        return [streams.as_json(row) for row in streams.drain(events, tmp_path / "new checkpoint")[0]]

    streams.write_source(tmp_path / "later", second[:half], 1)
    found = before + go_on(initial_state=tmp_path / "checkpoint")
    streams.write_csv(tmp_path / "later" / "more.csv", second[half:])
    found += go_on()  # it has states of its own now
    assert streams.in_order(found) == want


def test_what_is_silent_is_confirmed_and_forgotten_by_time_alone(spark: Any, tmp_path: Path) -> None:
    zones = several_tables.table(
        [
            ("depot", several_tables.CircularGeographicCondition(0, 0, 100), "exact"),
            ("yard", several_tables.CircularGeographicCondition(1, 0, 100), "standard"),
            ("desk", several_tables.BeaconIdentityCondition(several_tables.UUID, 1), "standard"),
        ]
    )
    report = json.dumps([{"uuid": several_tables.UUID, "major": 1, "minor": 1}])
    first = [
        ("a", 0.0, 0.0, 5.0, 0, None, None),
        ("dwells", 2.0, 0.0, 5.0, 0, None, None),
        ("dwells", 1.0, 0.0, 5.0, 10 * SECOND, None, None),
        ("phone", None, None, None, 0, None, report),
    ]
    many = [(f"vehicle-{number:06}", 30.0, number / 1000, 5.0, 20 * SECOND, None, None) for number in range(100_000)]
    write_json(tmp_path / "in", 0, first)
    write_json(tmp_path / "in", 1, [])
    write_json(tmp_path / "in", 2, many)
    write_json(tmp_path / "in", 3, [("b", 5.0, 0.0, 5.0, 400 * SECOND, None, None)])
    write_json(tmp_path / "in", 4, [("a", 0.0, 0.0, 5.0, 390 * SECOND, None, None)])
    found: list[Any] = []
    progress = run(spark, tmp_path, zones, found, ordered=True, delay="10 seconds", expire="60 seconds")
    assert [event[:5] for event in told(found)] == [
        ("a", 1, "depot", "satisfied", 0),
        ("a", 1, "depot", "satisfied", 390 * SECOND),  # it was forgotten
        ("dwells", 1, "yard", "satisfied", 30 * SECOND),
        ("phone", 1, "desk", "satisfied", 0),
        ("phone", 2, "desk", "unsatisfied", 30 * SECOND),
    ]
    counted = [each["observedMetrics"]["fencepost"]["accepted"] for each in progress]
    assert sum(counted) == len(first) + len(many) + 2
    states = spark.read.format("statestore").option("stateVarName", "shard").load(str(tmp_path / "checkpoint"))
    left = states.selectExpr("sum(length(value.devices)) as bytes").first().bytes
    assert left < 2_000  # of 100 000 devices


def test_what_cannot_be_is_said_at_once(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    stream = spark.readStream.schema(SCHEMA).json(str(tmp_path / "in"))
    zones = Conditions()
    for wrong in (
        {"refresh": "zones"},
        {"versions": tmp_path},
        {"refresh": "lat", "versions": tmp_path},
        {"refresh": "none", "versions": tmp_path},
        {"beacons": "zones"},
        {"beacons": "none"},
        {"latitude": "zones"},
    ):
        with pytest.raises(InvalidArgumentError):
            fencepost_spark.events(stream, zones, **wrong)
    for kind in (
        "array<string>",
        "array<struct<uuid:string,major:int>>",
        "array<struct<uuid:string,major:int,minor:string>>",
    ):
        other = stream.selectExpr("vehicle", "lat", "lon", "time_us", f"cast(null as {kind}) as seen")
        with pytest.raises(InvalidArgumentError, match="beacons: column 'seen'"):
            fencepost_spark.events(other, zones, beacons="seen")
    with pytest.raises(Exception, match="nowhere"):
        fencepost_spark.events(stream, zones, initial_state=tmp_path / "nowhere")
