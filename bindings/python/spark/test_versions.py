"""Tests streams whose rows name their table and contain scan reports; also tests new queries with other conditions or
another number of shards, and devices that expire."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import golden
import pytest
import several_tables
import streams
import wide
from wide import SECOND

from fencepost import Zones, spark as fencepost_spark
from fencepost.errors import InvalidArgumentError

World = tuple[Path, list[streams.Row], list[dict[str, Any]]]


def test_rows_are_followed_by_the_table_that_they_name(spark: Any, tmp_path: Path) -> None:
    """Continues from the checkpoint of an earlier version."""
    world = wide.world()
    before = [tuple(event) for event in golden.unpack(tmp_path, 2)]
    assert len(before) > 20
    rest = world.arrived[golden.WIDE_ROWS :]
    last_time = world.end - 500 * SECOND
    bad = [
        (None, 0.0, 0.0, 5.0, 0, None, None),
        ("v0", 0.0, 0.0, 5.0, None, None, None),
        ("v0", 0.0, 0.0, 5.0, 0, "", None),
        ("v0", 0.0, 0.0, 5.0, 0, "zz" * 16, None),
        ("v0", 0.0, 0.0, 5.0, 0, "ab" * 15 + "0", None),
        ("v0", 0.0, 0.0, 5.0, 0, "ab" * 16 + "0", None),
    ]
    # This row has the digest of an unknown table: the row is skipped, and the query continues.
    unknown = ("v0", 0.0, 0.0, 5.0, last_time, "ab" * 16, None)
    nulls = ("v0", None, None, None, last_time, None, None)  # the row has no position, but it is not late
    last = ("sentinel", 80.0, 0.0, 5.0, world.end + wide.DELAY * SECOND, None, None)
    half = len(rest) // 2
    wide.write_json(tmp_path / "in", 1, rest[:half])
    wide.write_json(tmp_path / "in", 2, [*rest[half:], *bad, nulls, unknown, last])
    found: list[Any] = []
    first, second = (name for name in world.tables if name is not None)
    wide.publish(tmp_path / "tables", world.tables, first)
    options = {"shards": golden.SHARDS}
    # A missing table ends the query. After the table has been published, the query continues.
    with pytest.raises(Exception, match=second.hex()):
        wide.run(spark, tmp_path, world.tables[None], found, missing_versions="stop", **options)
    wide.publish(tmp_path / "tables", world.tables, second)
    progress = wide.run(spark, tmp_path, world.tables[None], found, **options)
    assert sum(each["observedMetrics"]["fencepost_input"]["unusable"] for each in progress) == len(bad)
    assert sorted([*before, *wide.reported(found)]) == world.want
    assert {event[2][0] for event in world.want} == {"z", "n", "b"}


def test_a_new_query_begins_with_the_states_of_an_old_one(spark: Any, world: World, tmp_path: Path) -> None:
    conditions, all_rows, want = world
    before = golden.unpack(tmp_path, 1)
    _, second = golden.halves(all_rows)
    far = Zones.read(conditions)
    far.add_many(["far away"], [50], [50], [100])  # existing states that have not changed are not reported again
    later, found, again = tmp_path / "later", list[Any](), list[Any]()
    old = {"initial_state": tmp_path / "checkpoint"}
    times = (old, old, {}) if os.environ.get("FENCEPOST_SOAK") else (old, old)
    size = len(second) // len(times)
    for number, options in enumerate(times):
        # From its second micro-batch on, the new query uses only its own states, so the old query's checkpoint may be
        # deleted.
        if not options:
            shutil.rmtree(tmp_path / "checkpoint")
        rows = second[number * size : (number + 1) * size if number < len(times) - 1 else None]
        streams.place_csv(later, number, rows)
        source = spark.readStream.schema(streams.SCHEMA).option("header", True).csv(str(later))
        events = fencepost_spark.events(source, far, delay=f"{streams.DELAY} seconds", shards=5, **options)
        if number == 0:
            with pytest.raises(Exception, match="after the write"):
                streams.drain(events, tmp_path / "new checkpoint", again, fails=True)
        streams.drain(events, tmp_path / "new checkpoint", found)
    assert again and sorted(again, key=str) == sorted(found[: len(again)], key=str)
    assert streams.in_order([*before, *map(streams.as_json, found)]) == want


def test_what_is_silent_is_confirmed_and_forgotten_by_time_alone(spark: Any, tmp_path: Path) -> None:
    zones = several_tables.table(
        [
            ("depot", several_tables.Circle(0, 0, 100), "exact"),
            ("yard", several_tables.Circle(1, 0, 100), "standard"),
            ("desk", several_tables.Beacon(several_tables.UUID, 1), "standard"),
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
    wide.write_json(tmp_path / "in", 0, first)
    wide.write_json(tmp_path / "in", 1, [])
    wide.write_json(tmp_path / "in", 2, many)
    wide.write_json(tmp_path / "in", 3, [("b", 5.0, 0.0, 5.0, 400 * SECOND, None, None)])
    wide.write_json(tmp_path / "in", 4, [("a", 0.0, 0.0, 5.0, 390 * SECOND, None, None)])
    found: list[Any] = []
    progress = wide.run(spark, tmp_path, zones, found, ordered=True, delay="10 seconds", expire="60 seconds")
    assert [event[:5] for event in wide.reported(found)] == [
        ("a", 1, "depot", "satisfied", 0),
        ("a", 1, "depot", "satisfied", 390 * SECOND),  # the device had expired, so its sequence starts again
        ("dwells", 1, "yard", "satisfied", 30 * SECOND),
        ("phone", 1, "desk", "satisfied", 0),
        ("phone", 2, "desk", "unsatisfied", 30 * SECOND),
    ]
    counted = [each["observedMetrics"]["fencepost"]["accepted"] for each in progress]
    assert sum(counted) == len(first) + len(many) + 2
    states = spark.read.format("statestore").option("stateVarName", "shard").load(str(tmp_path / "checkpoint"))
    left = states.selectExpr("sum(length(value.devices)) as bytes").first().bytes
    assert left < 2_000  # of 100,000 devices


def test_what_cannot_be_is_said_at_once(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    stream = spark.readStream.schema(wide.SCHEMA).json(str(tmp_path / "in"))
    zones = Zones()
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
