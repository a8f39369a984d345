"""Parts that the tests with a real Spark share: fixes and conditions in files, the command's events for them, and the
start of Spark."""

from __future__ import annotations

import csv
import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

SECOND = 1_000_000
BEGIN = 1_700_000_000 * SECOND
DELAY = 60
"""The largest delay of a row, in seconds."""
FIELDS = ("vehicle", "lat", "lon", "accuracy", "time_us")
SCHEMA = "vehicle string, lat double, lon double, accuracy double, time_us long"
LONGEST = 120
"""Timeout of a stream, in seconds."""
TOO_BUSY, TRIES = "failed to connect back", 3
"""Spark gives a Python worker ten seconds to start; this limit cannot be changed. On a busy machine ten seconds may be
too short; the query is then started again."""
SENTINEL_AFTER = 1000
"""The sentinel row is later than the last other row by this number of seconds, so that the watermark passes every time
at which a change is due."""
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"

Row = tuple[str, float, float, float, int]


def write_conditions(folder: Path, count: int = 40, probable: bool = False) -> Path:
    """Writes circles; if `probable` is true, every third circle has a policy with probabilities."""
    draw = random.Random(11)
    features = []
    for number in range(count):
        place = {"type": "Point", "coordinates": [draw.uniform(-0.01, 0.01), draw.uniform(-0.01, 0.01)]}
        kind = {"policy": draw.choice(["exact", "standard"]), "radius": draw.uniform(60, 400)}
        if probable and number % 3 == 0:
            kind |= {"entry_probability": 0.8, "exit_probability": 0.2}
        features.append({"type": "Feature", "geometry": place, "properties": {"identifier": f"zone {number}", **kind}})
    path = folder / "zones.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return path


def walks(devices: int = 12, steps: int = 120) -> list[Row]:
    """Rows in time order; some rows have no position. After the last row, no device has a pending change that only
    needs time to pass."""
    draw = random.Random(5)
    places = {f"v-{number}": [0.0, 0.0] for number in range(devices)}
    found: list[Row] = []
    for step in range(steps):
        for device, place in places.items():
            for axis in (0, 1):
                place[axis] += draw.gauss(0, 0.0007)
            accuracy = -1.0 if draw.random() < 0.02 else draw.choice([0.0, 5.0, 30.0])
            time = BEGIN + step * 10 * SECOND + draw.randrange(9 * SECOND)
            found.append((device, place[0], place[1], accuracy, time))
    found.sort(key=lambda row: row[4])
    return [*found, ("sentinel", 80.0, 0.0, 5.0, found[-1][4] + SENTINEL_AFTER * SECOND)]


def until(rows: list[Row]) -> int:
    """The watermark at the end of the stream."""
    return max(row[4] for row in rows) - DELAY * SECOND


def shuffled(rows: list[Row], seed: int) -> list[Row]:
    """Puts the rows in an order in which each row arrives late by less than the allowed delay; the last row remains at
    the end."""
    draw = random.Random(seed)
    late = sorted((row[4] + draw.randrange((DELAY - 1) * SECOND), row) for row in rows[:-1])
    return [*(row for _, row in late), rows[-1]]


def by_time_of_arrival(rows: list[Any], seed: int, delay: int) -> list[Any]:
    """Delays rows by less than `delay` seconds; rows with the same device and time stay in order."""
    draw, late = random.Random(seed), dict[tuple[str, int], int]()
    keyed = [(row[4] + late.setdefault((row[0], row[4]), draw.randrange((delay - 1) * SECOND)), row) for row in rows]
    return [row for _, row in sorted(keyed, key=lambda each: each[0])]


def write_csv(path: Path, rows: list[Row]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(FIELDS)
        writer.writerows((device, repr(y), repr(x), accuracy, time) for device, y, x, accuracy, time in rows)


def write_source(folder: Path, rows: list[Row], files: int) -> None:
    """Writes files in time order, for a source that reads one file per micro-batch."""
    size = -(-len(rows) // files)
    for number, begin in enumerate(range(0, len(rows), size)):
        place_csv(folder, number, rows[begin : begin + size])


def place_csv(folder: Path, number: int, rows: list[Row]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"part-{number:04}.csv"
    write_csv(path, rows)
    date(path, number)


def place(path: Path, text: str, number: int) -> None:
    """Adds a file to a source folder."""
    path.write_text(text)
    date(path, number)


def date(path: Path, number: int) -> None:
    """Sets the time of a file, by which a source orders its files."""
    os.utime(path, (1_700_000_000 + number,) * 2)


def drain(
    events: Any, checkpoint: Path, found: list[Any] | None = None, fails: bool = False
) -> tuple[list[Any], list[Any]]:
    """Runs a stream of events until all data of its source is processed. Returns the rows of the stream and the
    progress of the query; if `found` is given, the rows are appended to `found`. If `fails` is true, the query fails
    after its first write and before the commit."""
    rows = [] if found is None else found

    def keep(batch: Any, number: int) -> None:
        rows.extend(batch.collect())
        if fails and rows:
            raise RuntimeError("after the write")

    sink = events.writeStream.foreachBatch(keep).option("checkpointLocation", str(checkpoint))
    for left in reversed(range(TRIES)):
        query = sink.trigger(availableNow=True).start()
        try:
            assert query.awaitTermination(LONGEST), "the stream does not end"
            break
        except Exception as error:
            if TOO_BUSY not in str(error) or not left:
                raise
        finally:
            query.stop()
    return rows, query.recentProgress


def replayed(track: Path, conditions: Path, until_us: int, *options: str) -> list[dict[str, Any]]:
    """The events of ``fencepost replay --by`` with more options, keyed by device and sequence."""
    command = [
        sys.executable, "-m", "fencepost", "replay", str(track), "--conditions", str(conditions), "--by", "vehicle",
        "--assuming", "unsatisfied", "--until", _iso(until_us), "--format", "jsonl", *options,
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return in_order([json.loads(line) for line in done.stdout.splitlines()])


def _iso(time_us: int) -> str:
    from datetime import UTC, datetime, timedelta

    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=time_us)).isoformat()


def in_order(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(events, key=lambda event: (event["vehicle"], event["sequence"]))


def as_json(row: Any) -> dict[str, Any]:
    """Converts a Spark event to a dict with the keys of the command's JSON Lines."""
    from datetime import UTC

    found = row.asDict()
    for name in ("date", "evidence_date"):
        if found[name] is not None:
            found[name] = found[name].astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    # The command's output contains the fields for paths only if their values are not the defaults.
    assert found.pop("evidence") in ("fix", None) and not found.pop("gap") and found.pop("direction") is None
    found.pop("tag")
    # The command's output contains these members only if they have a value.
    for name in ("probability", "vertical_distance", "decided_by"):
        if found[name] is None:
            del found[name]
    found["diagnostics"] = found["diagnostics"].split("|") if found["diagnostics"] else []
    return found


def environment() -> dict[str, str]:
    """Makes the workers use this Python, and makes all connections stay on the loopback interface."""
    return {"PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}


def session(folder: Path, **options: str) -> Any:
    """Starts a small Spark with two processors. Spark's threads need a large stack: Spark matches the message of an
    error in `foreachBatch` with a recursive regular expression, and if the stack overflows there, the stream hangs."""
    os.environ.update(environment())
    from pyspark.sql import SparkSession

    settings = {
        "spark.driver.memory": "768m",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.streaming.stateStore.providerClass": ROCKSDB,
        "spark.sql.streaming.stateStore.minDeltasForSnapshot": "2",
        "spark.sql.session.timeZone": "Asia/Tokyo",
        "spark.local.dir": str(folder),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.extraJavaOptions": f"-Djava.io.tmpdir={folder} -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xss8m",
        **options,
    }
    builder = SparkSession.builder.master("local[2]").appName("fencepost")
    for name, value in settings.items():
        builder = builder.config(name, value)
    found = builder.getOrCreate()
    found.sparkContext.setLogLevel("OFF")
    return found
