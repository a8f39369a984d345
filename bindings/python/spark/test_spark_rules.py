"""Tests, with a real Spark, that replays and streams follow rules, also across a restart with other conditions."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import several_tables
import streams
import wide
from wide import SECOND

from fencepost import Beacon, Circle, Rule, Zones, spark as fencepost_spark


def write_rules(folder: Path) -> Path:
    """The conditions of :func:`streams.write_conditions`, some of which are silent, and rules over them."""
    path = streams.write_conditions(folder)
    collection = json.loads(path.read_text())
    draw = random.Random(3)
    for feature in collection["features"][::3]:
        feature["properties"] |= {"policy": "exact", "notify": []}
    names = [feature["properties"]["identifier"] for feature in collection["features"]] + ["missing"]
    for number in range(15):
        parts = draw.sample(names, draw.choice([1, 2, 3, 6]))
        rule = draw.choice([{"all": parts}, {"any": parts}, {"none": parts}, {"at_least": 1, "of": parts}])
        properties: dict[str, Any] = {"identifier": f"rule {number}", "rule": rule, "policy": "exact"}
        if number % 3 == 0:
            properties |= {"entry_dwell": 15, "exit_dwell": 25}
        collection["features"].insert(number * 2, {"type": "Feature", "geometry": None, "properties": properties})
        if number < 6:
            names.append(f"rule {number}")
    path.write_text(json.dumps(collection))
    return path


def test_rules_of_streams_and_replays_are_those_of_the_command(spark: Any, world: Any, tmp_path: Path) -> None:
    conditions, rows = write_rules(tmp_path), world[1]
    streams.write_csv(tmp_path / "track.csv", rows[:-1])
    want = streams.replayed(tmp_path / "track.csv", conditions, streams.until(rows))
    assert sum("decided_by" in event for event in want) > 50
    streams.write_source(tmp_path / "in", streams.shuffled(rows, 3), 4)
    source = spark.readStream.schema(streams.SCHEMA).option("header", True).option("maxFilesPerTrigger", 1)
    events = fencepost_spark.events(
        source.csv(str(tmp_path / "in")), conditions, delay=f"{streams.DELAY} seconds", shards=3
    )
    found, _ = streams.drain(events, tmp_path / "checkpoint")
    listed = streams.in_order([streams.as_json(row) for row in found])
    # The command does not replay the sentinel, which is in no place, so some rules are satisfied for it.
    assert [event for event in listed if event["vehicle"] != "sentinel"] == want
    frame = spark.createDataFrame(rows[:-1], streams.SCHEMA)
    replayed = fencepost_spark.replay(frame, conditions, by="vehicle")
    listed = streams.in_order([streams.as_json(row) for row in replayed.collect()])
    last = {event["vehicle"]: event["sequence"] for event in listed}
    assert listed == [event for event in want if event["sequence"] <= last.get(event["vehicle"], 0)]


def tables() -> several_tables.Tables:
    """Two tables: the second lacks two parts, has another rule of the same name, and another order."""
    circles = {f"z{n}": Circle(0, 0.003 * n - 0.01, 250) for n in range(8)}
    desks: dict[str, Any] = {f"b{n}": Beacon(several_tables.UUID, n) for n in range(2)}
    rules = {
        "two": Rule.at_least(2, "z2", "z3", "z4", "b0"),
        "away": Rule.none(*circles, "b0"),
        "deep": Rule.all("two", "b1"),
        "other": Rule.any("z0", "z1"),
    }
    found: several_tables.Tables = {}
    for is_second in (False, True):
        given: dict[str, Any] = {**circles, **rules, **desks}
        if is_second:
            given = dict(reversed(list(given.items())))
            given["other"] = Rule.none("z6", "z7")
            del given["z3"], given["z5"]
        zones = Zones()
        for name, condition in given.items():
            zones.add(condition, name, **({"policy": "exact"} if name[0] != "b" else {}))
        found[zones.version.digest if is_second else None] = zones
    return found


def test_a_query_that_continues_with_other_rules(spark: Any, tmp_path: Path) -> None:
    both = tables()
    first, second = both
    rows = several_tables.walks(random.Random(8), [first], steps=60)
    half = next(n for n, row in enumerate(rows) if row[4] > 300 * SECOND and row[4] > rows[n - 1][4])
    end = rows[-1][4] + 300 * SECOND
    named = [*rows[:half], *((*row[:5], second, row[6]) for row in rows[half:])]
    want = several_tables.alone(both, named, end)
    assert {event[2] for event in want} >= {"two", "away", "deep", "other"}
    sentinel = ("sentinel", 80.0, 0.0, 5.0)
    found: list[Any] = []
    options = {"ordered": True, "delay": "0 seconds"}
    wide.publish(tmp_path / "tables", both)
    wide.write_json(tmp_path / "in", 0, rows[: half // 2])
    wide.write_json(tmp_path / "in", 1, rows[half // 2 : half])
    # This row lets the changes that are due before the restart be confirmed before the restart.
    wide.write_json(tmp_path / "in", 2, [(*sentinel, rows[half][4] - 1, None, None)])
    wide.run(spark, tmp_path, both[first], found, **options)
    wide.write_json(tmp_path / "in", 3, rows[half:])
    wide.write_json(tmp_path / "in", 4, [(*sentinel, end, None, None)])
    wide.run(spark, tmp_path, both[second], found, **options)
    assert [event for event in wide.reported(found) if event[0] != "sentinel"] == want
