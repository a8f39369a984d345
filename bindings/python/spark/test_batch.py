"""Tests DataFrames in a real Spark: a replay gives the same events as the command, and the points are joined with the
same conditions as by `Zones`."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
import streams

from fencepost import Gate, Zones, spark as fencepost_spark
from fencepost._values.events import EVENT_COLUMNS
from fencepost.errors import InvalidArgumentError

World = tuple[Path, list[streams.Row], list[dict[str, Any]]]


def test_a_replay_gives_the_events_of_the_command(spark: Any, world: World) -> None:
    conditions, rows, want = world
    arrived = list(rows)
    random.Random(2).shuffle(arrived)
    frame = spark.createDataFrame(arrived, streams.SCHEMA)
    found = fencepost_spark.replay(frame, conditions, by="vehicle")
    assert found.columns == ["vehicle", *EVENT_COLUMNS]
    events = streams.in_order([streams.as_json(row) for row in found.collect()])
    # The command advances each device's clock beyond its last row, so it may report more events than the replay.
    last: dict[str, int] = {}
    for event in events:
        last[event["vehicle"]] = event["sequence"]
    assert events == [event for event in want if event["sequence"] <= last.get(event["vehicle"], 0)]
    assert len(want) - len(events) < 24


def test_devices_may_be_numbers_and_times_timestamps_and_rows_unusable(spark: Any) -> None:
    zones = Zones()
    zones.add_many(["a`b"], [0], [0], [100], policy="exact", tag=(1 << 64) - 1)
    rows = [
        (7, 0.0, 0.0, 0),
        (None, 0.0, 0.0, 1),
        (7, 95.0, 0.0, 2),
        (7, None, 0.0, 3),
        (7, 1.0, 0.0, 4),
        (8, 1.0, 1.0, 0),
    ]
    frame = spark.createDataFrame(rows, "id int, lat double, `l.o` float, t long").selectExpr(
        "id", "lat", "`l.o`", "timestamp_seconds(t) as `my time`", "'x' as extra"
    )
    found = fencepost_spark.replay(frame, zones, by="id", longitude="l.o", time="my time").collect()
    assert [(row.id, row.sequence, row.identifier, row.state) for row in found] == [
        (7, 1, "a`b", "satisfied"),
        (7, 2, "a`b", "unsatisfied"),
    ]
    assert [int(row.tag) for row in found] == [(1 << 64) - 1] * 2
    assert [row.date.timestamp() for row in found] == [0, 4]


def test_points_are_joined_with_the_conditions_that_hold_them(spark: Any, world: World) -> None:
    path, rows, _ = world
    zones = Zones.read(path)
    points = spark.createDataFrame(
        [*rows, ("nowhere", None, 0.0, 0.0, 0), ("nan", float("nan"), 0.0, 0.0, 0)], streams.SCHEMA
    )
    found = fencepost_spark.containing(points, zones, distances=True)
    assert found.columns == [*streams.FIELDS, "identifier", "distance"]
    matches = zones.containing([row[1] for row in rows], [row[2] for row in rows], distances=True).columns()
    want = sorted(zip((rows[point] for point in matches["point"]), matches["identifier"], matches["distance"]))
    assert sorted((tuple(row)[:5], row.identifier, row.distance) for row in found.collect()) == want
    assert len(want) > 300


def test_what_cannot_be_is_said_at_once(spark: Any) -> None:
    zones = Zones()
    frame = spark.createDataFrame(
        [("a", 0.0, 0.0, 0, "x")], "vehicle string, lat double, lon double, time long, state string"
    )
    for call in (
        lambda: fencepost_spark.replay(frame, zones, by="truck"),
        lambda: fencepost_spark.replay(frame, zones, by="state"),
        lambda: fencepost_spark.replay(frame, zones, by="lat"),
        lambda: fencepost_spark.replay(frame, zones, by="vehicle", time="state"),
        lambda: fencepost_spark.containing(frame.withColumnRenamed("state", "identifier"), zones),
        lambda: fencepost_spark.containing(frame.drop("lat"), zones),
        lambda: fencepost_spark.events(frame, zones),
    ):
        with pytest.raises(InvalidArgumentError):
            call()
    with pytest.raises(TypeError):
        fencepost_spark.containing(frame, 5)  # type: ignore[arg-type]


def test_null_devices_are_skipped(spark: Any) -> None:
    zones = Zones()
    zones.add_many(["depot"], [0], [0], [100], policy="exact")
    good = ["x", "é" * 128, "a b", "\n"]
    bad = ["", "x" * 257, "é" * 129, "a\0b", None]
    frame = spark.createDataFrame(
        [(device, 0.0, 0.0, 0, number) for number, device in enumerate([*good, *bad])],
        "vehicle string, lat double, lon double, time long, row int",
    )
    frame = frame.selectExpr("*").unionByName(
        frame.where("row = 0").selectExpr("cast(x'ff41' as string) as vehicle", "lat", "lon", "time", "row")
    )
    found = fencepost_spark.replay(frame, zones, by="vehicle").collect()
    assert sorted(row.vehicle for row in found) == sorted(good)


POINTS = [(0.0, 0.0), (91.0, 0.0), (0.0, 180.5), (None, 0.0), (0.0, float("nan")), (float("inf"), 0.0)]


def test_points_out_of_range_are_skipped(spark: Any) -> None:
    zones = Zones()
    zones.add_many(["depot"], [0], [0], [100])
    frame = spark.createDataFrame(POINTS, "lat double, lon double")
    assert [tuple(row) for row in fencepost_spark.containing(frame, zones).collect()] == [(0.0, 0.0, "depot")]


def test_a_point_out_of_range_does_not_end_a_stream(spark: Any, tmp_path: Path) -> None:
    zones = Zones()
    zones.add_many(["depot"], [0], [0], [100])
    points = tmp_path / "points"
    points.mkdir()
    for number, rows in enumerate([POINTS, [(0.0, 0.0)]]):
        lines = [json.dumps({"lat": lat, "lon": lon}) for lat, lon in rows if lat == lat and lon == lon]
        (points / f"{number}.json").write_text("\n".join(line for line in lines if "Infinity" not in line))
    source = spark.readStream.schema("lat double, lon double").option("maxFilesPerTrigger", 1).json(str(points))
    once = fencepost_spark.containing(source, zones).withColumnRenamed("identifier", "place")
    both = fencepost_spark.containing(once, zones, metrics="again").drop("place")
    writer = both.writeStream.format("memory").queryName("held")
    query = writer.option("checkpointLocation", str(tmp_path / "checkpoint")).trigger(availableNow=True).start()
    assert query.awaitTermination(120)
    assert [tuple(row) for row in spark.table("held").collect()] == [(0.0, 0.0, "depot")] * 2
    counted = [each["observedMetrics"]["fencepost_points"] for each in query.recentProgress]
    assert sum(each["rows"] for each in counted) == 5 and sum(each["unusable"] for each in counted) == 3
    assert sum(each["observedMetrics"]["again"]["rows"] for each in query.recentProgress) == 2


def test_gates_are_refused_on_the_driver(spark: Any) -> None:
    """Gates need the path between two fixes, and a fleet in Spark has no path."""
    zones = Zones()
    zones.add(Gate("LINESTRING (0.05 -0.01, 0.05 0.01)"), "toll")
    frame = spark.createDataFrame([("a", 0.0, 0.0, 0)], "vehicle string, lat double, lon double, time long")
    with pytest.raises(InvalidArgumentError, match="path"):
        fencepost_spark.replay(frame, zones, by="vehicle")
