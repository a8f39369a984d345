"""Tests, with a real Spark, that streams give the same events as the `fencepost` command, for any number of shards, any
division into micro-batches, and any order of rows."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import streams

from fencepost import spark as fencepost_spark
from fencepost.errors import InvalidArgumentError

World = tuple[Path, list[streams.Row], list[dict[str, Any]]]


def streamed(spark: Any, folder: Path, conditions: Any, **options: Any) -> tuple[list[dict[str, Any]], list[Any]]:
    """Runs a stream until all data of its source is processed; returns the events and the progress."""
    source = spark.readStream.schema(streams.SCHEMA).option("header", True).option("maxFilesPerTrigger", 1)
    events = fencepost_spark.events(
        source.csv(str(folder / "in")), conditions, **{"delay": f"{streams.DELAY} seconds", **options}
    )
    found, progress = streams.drain(events, folder / "checkpoint")
    return streams.in_order([streams.as_json(row) for row in found]), progress


def total(progress: list[Any], what: str, name: str = "fencepost") -> int:
    return sum(each["observedMetrics"][name][what] for each in progress)


CASES = [(1, 1, False), (4, 4, False), (16, 2, False), (4, 3, True)]
if os.environ.get("FENCEPOST_SOAK"):
    CASES = [(shards, files, ordered) for shards in (1, 4, 16) for files in (1, 3, 8) for ordered in (False, True)]


@pytest.mark.parametrize(("shards", "files", "ordered"), CASES)
def test_events_are_those_of_the_command(
    spark: Any, world: World, tmp_path: Path, shards: int, files: int, ordered: bool
) -> None:
    conditions, rows, want = world
    arrived = rows if ordered else streams.shuffled(rows, shards)
    streams.write_source(tmp_path / "in", arrived, files)
    found, progress = streamed(spark, tmp_path, conditions, shards=shards, ordered=ordered)
    assert found == want
    assert total(progress, "late") == 0
    # Unless rows are fed in the order of arrival, the very last row is held back.
    assert total(progress, "accepted") + total(progress, "invalid") == len(rows) - (not ordered)
    assert total(progress, "rows", "fencepost_input") == len(rows)


def jumping(rows: list[streams.Row]) -> list[streams.Row]:
    """Moves rows of each device far away: first one row, and later seven in a row, which are trusted after a minute."""
    found, seen = [], dict[str, int]()
    for device, latitude, *rest in rows[:-1]:
        seen[device] = seen.get(device, 0) + 1
        found.append((device, latitude + (seen[device] in (30, *range(60, 67))), *rest))
    return [*found, rows[-1]]


@pytest.mark.parametrize(("shards", "files"), [(1, 5), (4, 2)])
def test_doubted_rows_and_probabilities_are_those_of_the_command(
    spark: Any, world: World, tmp_path: Path, shards: int, files: int
) -> None:
    conditions, rows = streams.write_conditions(tmp_path, probable=True), jumping(world[1])
    streams.write_csv(tmp_path / "track.csv", rows[:-1])
    options = "--plausible-speed", "60", "--corroboration-time", "50", "--accuracy-confidence", "0.9"
    want = streams.replayed(tmp_path / "track.csv", conditions, streams.until(rows), *options)
    assert {"probability" in event for event in want} == {True, False}
    streams.write_source(tmp_path / "in", streams.shuffled(rows, shards), files)
    trust = {"plausible_speed": 60, "corroboration_time": 50, "accuracy_confidence": 0.9}
    found, progress = streamed(spark, tmp_path, conditions, shards=shards, **trust)
    assert found == want
    doubted = total(progress, "doubted")
    assert doubted > 30
    assert total(progress, "accepted") + total(progress, "invalid") + doubted == len(rows) - 1
    frame = spark.createDataFrame(rows, streams.SCHEMA)
    replayed = fencepost_spark.replay(frame, conditions, by="vehicle", **trust)
    events = streams.in_order([streams.as_json(row) for row in replayed.collect()])
    last = {event["vehicle"]: event["sequence"] for event in events}
    assert events == [event for event in want if event["sequence"] <= last.get(event["vehicle"], 0)]
    assert len(want) - len(events) < 24


def test_late_rows_and_bad_clocks_are_counted_and_change_nothing_else(spark: Any, world: World, tmp_path: Path) -> None:
    conditions, rows, want = world
    ahead = ("v-1", 0.0, 0.0, 5.0, 4_000_000_000 * streams.SECOND)
    half = len(rows) // 2
    streams.write_source(tmp_path / "in", [*rows[:half], ahead, *rows[half:-1], rows[0], rows[1], rows[-1]], 4)
    found, progress = streamed(spark, tmp_path, conditions, shards=2)
    assert found == want
    assert total(progress, "ahead", "fencepost_input") == 1
    assert total(progress, "late") == 2


def test_a_stream_needs_its_store_and_its_shards(spark: Any, world: World, tmp_path: Path) -> None:
    conditions, rows, _ = world
    streams.write_source(tmp_path / "in", rows[:50], 1)
    streamed(spark, tmp_path, conditions, shards=1)
    more = tmp_path / "in" / "part-0001.csv"
    streams.write_csv(more, rows[50:100])
    with pytest.raises(Exception, match="shards .*1"):
        streamed(spark, tmp_path, conditions, shards=2)
    source = spark.readStream.schema(streams.SCHEMA).csv(str(tmp_path / "in"))
    provider = "spark.sql.streaming.stateStore.providerClass"
    before = spark.conf.get(provider)
    try:
        spark.conf.set(provider, "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider")
        with pytest.raises(InvalidArgumentError, match="RocksDB"):
            fencepost_spark.events(source, conditions)
    finally:
        spark.conf.set(provider, before)
    trust = {"plausible_speed": 0}, {"corroboration_count": 1}, {"corroboration_time": -1}, {"accuracy_confidence": 1}
    for wrong in trust:
        with pytest.raises(InvalidArgumentError, match=next(iter(wrong))):
            fencepost_spark.events(source, conditions, **wrong)
    for wrong in ({"shards": 0}, {"delay": "soon"}, {"delay": "-1 seconds"}, {"expire": "5"}, {"max_ahead": ""}):
        with pytest.raises(InvalidArgumentError):
            fencepost_spark.events(source, conditions, **wrong)
    with pytest.raises(InvalidArgumentError, match="fencepost.spark.events"):
        fencepost_spark.replay(source, conditions, by="vehicle")
