"""Tests fixes with error ellipses in a real Spark: a replay and a stream give the events of ``fencepost replay``, and a
stream may begin to have ellipses when it continues from a checkpoint."""

from __future__ import annotations

import csv
import random
from pathlib import Path
from typing import Any

import pytest
import streams

from fencepost import spark as fencepost_spark
from fencepost._spark.states import UNCERTAIN
from fencepost.errors import InvalidArgumentError

ELLIPSE = ("error_major_m", "error_minor_m", "error_orientation_deg")
SCHEMA = streams.SCHEMA + "".join(f", {name} double" for name in ELLIPSE)
Row = tuple[Any, ...]


def uncertain(rows: list[streams.Row]) -> list[Row]:
    """Adds ellipses to most of the rows; some are invalid."""
    draw, found = random.Random(9), list[Row]()
    for row in rows:
        major = draw.choice([2.0, 40.0, 150.0])
        ellipse: Row = (major, major * draw.choice([0.01, 0.6]), draw.uniform(0, 180))
        odd = draw.random()
        if odd < 0.02:
            ellipse = (major, 2 * major, 0.0)
        if odd > 0.7 or row[0] == "sentinel":
            ellipse = (None, None, None)
        found.append((*row, *ellipse))
    return found


def write(path: Path, rows: list[Row], number: int = 0) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow((*streams.FIELDS, *ELLIPSE))
        for device, *numbers in rows:
            writer.writerow((device, *("" if value is None else repr(value) for value in numbers)))
    streams.date(path, number)


def wanted(tmp_path: Path, conditions: Path, rows: list[Row]) -> list[Any]:
    write(tmp_path / "track.csv", rows[:-1])  # the last row is far from all places
    return streams.replayed(tmp_path / "track.csv", conditions, streams.until([row[:5] for row in rows]))


def of(events: list[Any]) -> list[Any]:
    return streams.in_order([streams.as_json(row) for row in events])


def test_a_replay_gives_the_events_of_the_command(spark: Any, tmp_path: Path) -> None:
    conditions, rows = streams.write_conditions(tmp_path, probable=True), uncertain(streams.walks())
    want = wanted(tmp_path, conditions, rows)
    arrived = list(rows)
    random.Random(2).shuffle(arrived)
    frame = spark.createDataFrame(arrived, SCHEMA)
    found = of(fencepost_spark.replay(frame, conditions, by="vehicle").collect())
    # The command advances each device's clock beyond its last row, so it may report more events than the replay.
    last = {event["vehicle"]: event["sequence"] for event in found}
    assert len(found) > 200 and len(want) - len(found) < 24
    assert found == [event for event in want if event["sequence"] <= last.get(event["vehicle"], 0)]
    renamed = frame.toDF(*streams.FIELDS, "a", "b", "c")
    given = {"error_major": "a", "error_minor": "b", "error_orientation": "c"}
    assert of(fencepost_spark.replay(renamed, conditions, by="vehicle", **given).collect()) == found
    assert of(fencepost_spark.replay(renamed, conditions, by="vehicle").collect()) != found
    with pytest.raises(InvalidArgumentError, match="no column for the error_minor"):
        fencepost_spark.replay(renamed, conditions, by="vehicle", error_major="a")


@pytest.mark.parametrize("ordered", [False, True])
def test_a_stream_gives_the_events_of_the_command(spark: Any, tmp_path: Path, ordered: bool) -> None:
    conditions, rows = streams.write_conditions(tmp_path, probable=True), uncertain(streams.walks())
    want = wanted(tmp_path, conditions, rows)
    arrived = rows if ordered else streams.by_time_of_arrival(rows[:-1], 3, streams.DELAY) + rows[-1:]
    for number in range(4):
        write(tmp_path / "in" / f"part-{number}.csv", arrived[number * 400 : (number + 1) * 400], number)
    found, progress = run(spark, tmp_path, conditions, SCHEMA, ordered=ordered)
    assert of(found) == want
    counts = [one.observedMetrics["fencepost"] for one in progress if "fencepost" in one.observedMetrics]
    assert sum(count.invalid for count in counts) > 5


def run(spark: Any, folder: Path, conditions: Path, schema: str, **options: Any) -> tuple[list[Any], list[Any]]:
    rows = (
        spark.readStream.schema(schema).option("header", True).option("maxFilesPerTrigger", 1).csv(str(folder / "in"))
    )
    events = fencepost_spark.events(rows, conditions, delay=f"{streams.DELAY} seconds", shards=2, **options)
    return streams.drain(events, folder / "checkpoint")


def test_a_stream_may_begin_to_have_ellipses_and_cannot_stop(spark: Any, tmp_path: Path) -> None:
    conditions, rows = streams.write_conditions(tmp_path, probable=True), streams.walks()
    half = len(rows) // 2
    both = [*((*row, None, None, None) for row in rows[:half]), *uncertain(rows)[half:]]
    want = wanted(tmp_path, conditions, both)
    write(tmp_path / "in" / "part-0.csv", both[:half], 0)
    before, _ = run(spark, tmp_path, conditions, streams.SCHEMA)
    write(tmp_path / "in" / "part-1.csv", both[half:], 1)
    after, _ = run(spark, tmp_path, conditions, SCHEMA)
    assert 0 < len(before) < len(want)
    assert of([*before, *after]) == want
    write(tmp_path / "in" / "part-2.csv", both[-1:], 2)
    with pytest.raises(Exception, match="error ellipses"):
        run(spark, tmp_path, conditions, streams.SCHEMA)
    assert UNCERTAIN == 3
