"""The files for a stream whose rows name a table and contain scan reports, together with the expected results."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any, NamedTuple

import several_tables
import streams

from fencepost import spark as fencepost_spark

SECOND = several_tables.SECOND
DELAY = 60
BEACONS = "array<struct<uuid:string,major:int,minor:int,rssi:int>>"
SCHEMA = f"vehicle string, lat double, lon double, accuracy double, time_us long, zones string, seen {BEACONS}"
NAMES = tuple(part.split()[0] for part in SCHEMA.split(", "))


class World(NamedTuple):
    """The input and the expected output of a stream: the tables by their digests (None for the stream's own table), the
    rows in the order of arrival, and the events."""

    tables: several_tables.Tables
    arrived: list[several_tables.Row]
    end: int
    want: list[Any]


def world() -> World:
    draw = random.Random(21)
    tables = several_tables.versions(21)
    rows = several_tables.walks(draw, list(tables), steps=90)
    rows += [row for row in rows if draw.random() < 0.05]  # some come twice
    rows.sort(key=lambda row: row[4])
    end = rows[-1][4] + 500 * SECOND
    return World(tables, streams.by_time_of_arrival(rows, 4, DELAY), end, several_tables.alone(tables, rows, end))


def write_json(folder: Path, number: int, rows: list[Any]) -> None:
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


def publish(shelf: Path, tables: several_tables.Tables, *names: bytes | None) -> None:
    """Writes tables to a folder in which the workers look for tables."""
    shelf.mkdir(exist_ok=True)
    for name in names:
        if name is not None:
            (shelf / f"{name.hex()}.conditions").write_bytes(tables[name].snapshot())


def run(spark: Any, folder: Path, conditions: Any, found: list[Any], **options: Any) -> list[Any]:
    """Runs the stream; appends the rows of its events to `found`, and returns the progress."""
    source = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).json(str(folder / "in"))
    given = {
        "beacons": "seen",
        "refresh": "zones",
        "versions": folder / "tables",
        "delay": f"{DELAY} seconds",
        "shards": 4,
    }
    events = fencepost_spark.events(source, conditions, **{**given, **options})
    return streams.drain(events, folder / "checkpoint", found)[1]


def reported(found: list[Any]) -> list[Any]:
    return sorted(
        (row.vehicle, row.sequence, row.identifier, row.state, round(row.date.timestamp() * SECOND), row.generation)
        for row in found
    )
