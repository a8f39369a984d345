#!/usr/bin/env python3
"""Writes the checkpoints from which later versions must be able to continue: golden/checkpoint-1.zip has a stream of
fixes, and checkpoint-2.zip has a stream whose rows name tables and contain scan reports. Besides the checkpoint, each
archive contains the events up to the checkpoint.

    .venv/bin/python bindings/python/spark/golden.py

Existing golden files are never rewritten: a new state format gets a new file.
"""

from __future__ import annotations

import json
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parent.with_name("tests") / "spark"))

import streams
import wide

from fencepost import spark as fencepost_spark

GOLDEN = Path(__file__).with_name("golden")
EVENTS = "events.json"
PLACE = b"/PLACE"
"""Spark writes the path of the checkpoint's folder into the checkpoint; a golden file contains this text instead of the
path."""
SHARDS = 2
"""The number of shards equals the number of partitions, because each partition has a folder in the state."""
WIDE_ROWS = 150
"""Checkpoint 2 is made after this many rows of its stream."""


def checkpoint(number: int) -> Path:
    return GOLDEN / f"checkpoint-{number}.zip"


def halves(rows: list[streams.Row]) -> tuple[list[streams.Row], list[streams.Row]]:
    arrived = streams.shuffled(rows, 1)
    return arrived[: len(arrived) // 2], arrived[len(arrived) // 2 :]


def run(spark: Any, source: Path, conditions: Path, checkpoint: Path) -> list[dict[str, Any]]:
    """Runs a stream over the files of a folder; returns the events."""
    rows = spark.readStream.schema(streams.SCHEMA).option("header", True).csv(str(source))
    events = fencepost_spark.events(rows, conditions, delay=f"{streams.DELAY} seconds", shards=SHARDS)
    return [streams.as_json(row) for row in streams.drain(events, checkpoint)[0]]


def unpack(folder: Path, number: int) -> list[Any]:
    """Unpacks a checkpoint into a folder, as if Spark had written the checkpoint there; returns the events up to the
    checkpoint."""
    with zipfile.ZipFile(checkpoint(number)) as archive:
        archive.extractall(folder)
    for path in folder.rglob("*"):
        if path.is_file() and PLACE in (held := path.read_bytes()):
            path.write_bytes(held.replace(PLACE, str(folder).encode()))
    found: list[Any] = json.loads((folder / EVENTS).read_text())
    return found


def make_narrow(spark: Any, folder: Path) -> list[Any]:
    first, _ = halves(streams.walks())
    streams.write_source(folder / "in", first, 1)
    return streams.in_order(run(spark, folder / "in", streams.write_conditions(folder), folder / "checkpoint"))


def make_wide(spark: Any, folder: Path) -> list[Any]:
    world, found = wide.world(), list[Any]()
    wide.write_json(folder / "in", 0, world.arrived[:WIDE_ROWS])
    wide.publish(folder / "tables", world.tables, *world.tables)
    wide.run(spark, folder, world.tables[None], found, shards=SHARDS)
    return wide.reported(found)


def main() -> None:
    GOLDEN.mkdir(exist_ok=True)
    makers = {1: make_narrow, 2: make_wide}
    missing = [number for number in makers if not checkpoint(number).exists()]
    if not missing:
        sys.exit("all are there: a golden file is never written anew")
    for number in missing:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            spark = streams.session(folder / "spark")
            events = makers[number](spark, folder)
            spark.stop()
            with zipfile.ZipFile(checkpoint(number), "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr(EVENTS, json.dumps(events))
                for path in sorted((folder / "checkpoint").rglob("*")):
                    if path.is_file() and path.suffix != ".crc":
                        archive.writestr(str(path.relative_to(folder)), path.read_bytes().replace(name.encode(), PLACE))


if __name__ == "__main__":
    main()
