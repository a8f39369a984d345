"""Tests questions about points at times: the pairs equal those of the Python package."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from fencepost import Circle, Timing, Zones, spark as fencepost_spark
from fencepost.errors import InvalidArgumentError

SECOND = 1_000_000
NOW = 1_772_438_400


def world(seed: int) -> tuple[Zones, list[int]]:
    """Circles around one place with random hours, and the edges of all hours."""
    chance, zones, edges = random.Random(seed), Zones(), []
    for index in range(20):
        own = sorted(chance.sample(range(NOW, NOW + 1000), 2 * chance.randint(0, 5)))
        hours = [(a * SECOND, b * SECOND) for a, b in zip(own[::2], own[1::2], strict=True)]
        zones.add(
            Circle(0, 0, chance.uniform(10, 1000)), f"c{index}", timing=chance.choice([None, Timing(active=hours)])
        )
        edges += [edge * SECOND for edge in own]
    return zones, edges


def test_pairs_are_those_of_the_package(spark: Any) -> None:
    zones, edges = world(1)
    chance = random.Random(2)
    rows = []
    for number in range(600):
        edge = chance.choice(edges)
        time = chance.choice([None, edge, edge - 1, chance.randint(NOW, NOW + 1000) * SECOND])
        rows.append((number, chance.uniform(-0.01, 0.01), 0.0, time))
    want = [(number, name) for number, lat, lon, time in rows for name in zones.containing(lat, lon, time=time)]
    frame = spark.createDataFrame(rows, "id int, lat double, lon double, at long")
    stamped = frame.selectExpr("id", "lat", "lon", "timestamp_micros(at) as at")
    for each in (frame, stamped):
        found = fencepost_spark.containing(each, zones, time="at")
        assert found.columns == ["id", "lat", "lon", "at", "identifier"]
        assert sorted((row.id, row.identifier) for row in found.collect()) == sorted(want)
    # The result does not depend on the session's time zone, and a frame without a named column ignores the hours.
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    try:
        found = fencepost_spark.containing(stamped, zones, time="at", distances=True)
        assert sorted((row.id, row.identifier) for row in found.collect()) == sorted(want)
    finally:
        spark.conf.set("spark.sql.session.timeZone", before)
    renamed = frame.withColumnRenamed("at", "time")
    anyway = sum(len(zones.containing(lat, lon)) for _, lat, lon, _ in rows)
    assert fencepost_spark.containing(renamed, zones).count() == anyway > len(want)
    assert fencepost_spark.containing(renamed.limit(0), zones, time="time").count() == 0


def shop() -> Zones:
    zones = Zones()
    zones.add(Circle(0, 0, 100), "shop", timing=Timing(active=[(NOW * SECOND, (NOW + 10) * SECOND)]))
    zones.add(Circle(0, 0, 100), "always")
    return zones


BAD = [-(1 << 63), -(1 << 63) + 1, -62_135_596_800_000_001, 253_402_300_800_000_000, (1 << 63) - 1]


def test_times_out_of_range_are_skipped(spark: Any) -> None:
    """Such a row would end the query with an error."""
    good = [NOW * SECOND, -62_135_596_800_000_000, 253_402_300_799_999_999, None]
    rows = [(0.0, 0.0, time) for time in [*good, *BAD]]
    frame = spark.createDataFrame(rows, "lat double, lon double, `at time` long")
    found = fencepost_spark.containing(frame, shop(), time="at time").collect()
    pairs = [(row["at time"], row.identifier) for row in found]
    assert pairs == [
        (good[0], "shop"), (good[0], "always"), (good[1], "always"), (good[2], "always"),
        (None, "shop"), (None, "always"),
    ]  # fmt: skip


def test_columns_with_odd_names(spark: Any) -> None:
    """Names with dots, backticks and spaces, and names that this package uses inside."""
    names = ["lat", "lon", "at.time", "x`y", "c0", "a b"]
    frame = spark.createDataFrame(
        [(0.0, 0.0, NOW * SECOND, 1, 2, 3)], "a double, b double, c long, d int, e int, f int"
    )
    found = fencepost_spark.containing(frame.toDF(*names), shop(), time="at.time", distances=True)
    assert found.columns == [*names, "identifier", "distance"]
    assert [tuple(row)[:7] for row in found.collect()] == [
        (0.0, 0.0, NOW * SECOND, 1, 2, 3, "shop"),
        (0.0, 0.0, NOW * SECOND, 1, 2, 3, "always"),
    ]


def test_a_stream_counts_bad_times(spark: Any, tmp_path: Path) -> None:
    points = tmp_path / "points"
    points.mkdir()
    lines = [json.dumps({"lat": 0, "lon": 0, "at": time}) for time in (NOW * SECOND, BAD[2], BAD[4], None)]
    (points / "0.json").write_text("\n".join(lines))
    source = spark.readStream.schema("lat double, lon double, at long").json(str(points))
    found = fencepost_spark.containing(source, shop(), time="at")
    writer = found.writeStream.format("memory").queryName("timed")
    query = writer.option("checkpointLocation", str(tmp_path / "checkpoint")).trigger(availableNow=True).start()
    assert query.awaitTermination(120)
    assert len(spark.table("timed").collect()) == 4
    (counted,) = [each["observedMetrics"]["fencepost_points"] for each in query.recentProgress if each["numInputRows"]]
    assert (counted["rows"], counted["unusable"]) == (4, 2)


def test_columns_that_are_no_times_are_refused(spark: Any) -> None:
    frame = spark.createDataFrame(
        [(0.0, 0.0, "2026-01-01", 0.5, True)], "lat double, lon double, t string, d double, b boolean"
    )
    local = frame.selectExpr("*", "timestamp_ntz '2026-01-01 00:00:00' as n", "date '2026-01-01' as day")
    for column in ("t", "d", "b", "n", "day"):
        with pytest.raises(InvalidArgumentError, match=f"time: column '{column}' is .*timestamp or long"):
            fencepost_spark.containing(local, shop(), time=column)
    with pytest.raises(InvalidArgumentError, match="nothing"):
        fencepost_spark.containing(frame, shop(), time="nothing")
    with pytest.raises(TypeError, match="time"):
        fencepost_spark.containing(frame, shop(), time=datetime.now(UTC))  # type: ignore[arg-type]
