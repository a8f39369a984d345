#!/usr/bin/env python3
"""Writes the checkpoint that later versions have to go on from: golden/checkpoint-1.zip, with the events until then.

    .venv/bin/python bindings/python/spark/golden.py

A golden file is never written anew: a new form of the state is a further file.
"""

from __future__ import annotations

import json
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import streams

from fencepost import spark as fencepost_spark

GOLDEN = Path(__file__).with_name("golden")
CHECKPOINT, EVENTS = GOLDEN / "checkpoint-1.zip", "events.json"
PLACE = b"/PLACE"
"""Of the folder that holds the checkpoint, which Spark writes into it."""
SHARDS = 2
"""As many as partitions: each is a folder of the state."""


def halves(rows: list[streams.Row]) -> tuple[list[streams.Row], list[streams.Row]]:
    arrived = streams.shuffled(rows, 1)
    return arrived[: len(arrived) // 2], arrived[len(arrived) // 2 :]


def run(spark: Any, source: Path, conditions: Path, checkpoint: Path) -> list[dict[str, Any]]:
    """Follows what is in a folder; the events."""
    rows = spark.readStream.schema(streams.SCHEMA).option("header", True).csv(str(source))
    events = fencepost_spark.events(rows, conditions, delay=f"{streams.DELAY} seconds", shards=SHARDS)
    return [streams.as_json(row) for row in streams.drain(events, checkpoint)[0]]


def unpack(folder: Path) -> None:
    """Puts the checkpoint into a folder, as if it had been made there."""
    with zipfile.ZipFile(CHECKPOINT) as archive:
        archive.extractall(folder)
    for path in folder.rglob("*"):
        if path.is_file() and PLACE in (held := path.read_bytes()):
            path.write_bytes(held.replace(PLACE, str(folder).encode()))


def main() -> None:
    if CHECKPOINT.exists():
        sys.exit(f"{CHECKPOINT} is there: a golden file is never written anew")
    GOLDEN.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        spark = streams.session(folder / "spark")
        first, _ = halves(streams.walks())
        streams.write_source(folder / "in", first, 1)
        events = run(spark, folder / "in", streams.write_conditions(folder), folder / "checkpoint")
        spark.stop()
        with zipfile.ZipFile(CHECKPOINT, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(EVENTS, json.dumps(streams.in_order(events)))
            for path in sorted((folder / "checkpoint").rglob("*")):
                if path.is_file() and path.suffix != ".crc":
                    archive.writestr(str(path.relative_to(folder)), path.read_bytes().replace(name.encode(), PLACE))


if __name__ == "__main__":
    main()
