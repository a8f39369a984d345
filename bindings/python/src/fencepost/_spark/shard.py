"""Processes one shard of a stream's devices in a micro-batch. This module works without Spark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from .._native import InvalidArgumentError
from .._values.results import FeedResult
from .arrow import Batch, Schema, compute, pyarrow
from .feeding import Trust
from .following import Following, Tables
from .packed import ROW_SCHEMA

DEVICE_SCHEMA = pyarrow.schema(
    [
        ("device", pyarrow.string()),
        ("state", pyarrow.binary()),
        ("deadline", pyarrow.int64()),
        ("heard", pyarrow.int64()),
    ]
)
"""The schema of devices between micro-batches: `state` is the exported device, `deadline` is the time at which the
state can change without new input, and `heard` is the time of the latest input of the device itself."""
WIDE_DEVICE_SCHEMA = pyarrow.schema([*DEVICE_SCHEMA, ("version", pyarrow.binary())])
"""The device schema, plus the digest of each device's table. A null digest stands for the table of the stream
itself."""


class Shard(NamedTuple):
    """The state of a shard: its devices, and the held rows that are later than the watermark, in order of arrival."""

    devices: Batch = pyarrow.RecordBatch.from_pylist([], DEVICE_SCHEMA)
    held: Batch = pyarrow.RecordBatch.from_pylist([], ROW_SCHEMA)


class Rules(NamedTuple):
    """How a stream is followed.

    If `ordered` is true, rows are fed as they arrive; otherwise a row is fed only when the watermark has passed it. A
    device is removed `expire_us` microseconds after its latest row. If `skips_unknown` is true, rows whose table is not
    available are skipped and count as invalid; otherwise such rows end the query with an error.
    """

    ordered: bool
    expire_us: int | None
    skips_unknown: bool = False
    trust: Trust = Trust()


class Outcome(NamedTuple):
    """The shard after a micro-batch, the events, the row counts, and the time at which the shard must be processed
    again even without new rows."""

    shard: Shard
    events: list[Batch]
    fed: FeedResult
    next_us: int | None


def follow(tables: Tables, shard: Shard, arrived: Sequence[Batch], watermark_us: int, rules: Rules) -> Outcome:
    """Processes a shard in a micro-batch. Feeds the due rows, ordered by device and time, confirms changes up to the
    watermark, and removes expired devices."""
    rows = _in_order_of_arrival(shard.held, arrived)
    held = shard.held.slice(0, 0)
    if not rules.ordered:
        later = compute.greater(rows["time"], watermark_us)
        held, rows = rows.filter(later), rows.filter(compute.invert(later))
    skipped = 0
    if rules.skips_unknown:
        rows, skipped = _of_known_tables(tables, rows)
    known = shard.devices
    due = compute.less_equal(known["deadline"], watermark_us)
    touched = compute.or_(
        compute.fill_null(due, False), compute.is_in(known["device"], value_set=rows["device"].unique())
    )
    following = Following(tables, known.filter(touched), rules.expire_us, rules.trust)
    if rows.num_rows:
        following.feed(_by_device_and_time(rows))
    following.confirm(watermark_us)
    parts = [known.filter(compute.invert(touched)), *_exported(following, known.schema)]
    left = pyarrow.Table.from_batches(parts).combine_chunks()
    if rules.expire_us is not None:
        left = left.filter(compute.greater_equal(left["heard"], watermark_us - rules.expire_us))
    after = Shard(_whole(left, known.schema), held)
    fed = following.fed._plus(FeedResult(accepted=0, invalid=skipped, late=0))
    return Outcome(after, following.events, fed, next_time(after, rules))


def _of_known_tables(tables: Tables, rows: Batch) -> tuple[Batch, int]:
    """Returns the rows whose table is available, and the number of rows whose table is not available."""
    if "version" not in rows.schema.names:
        return rows, 0
    unknown = []
    for version in rows["version"].unique().to_pylist():
        try:
            tables(version)
        except InvalidArgumentError:
            unknown.append(version)
    if not unknown:
        return rows, 0
    is_unknown = compute.is_in(rows["version"], value_set=pyarrow.array(unknown, pyarrow.binary()))
    kept = rows.filter(compute.invert(is_unknown))
    return kept, rows.num_rows - kept.num_rows


def _in_order_of_arrival(held: Batch, arrived: Sequence[Batch]) -> Batch:
    """Returns the held rows, followed by the new rows in the order of the source."""
    new = pyarrow.Table.from_batches(arrived, held.schema).sort_by("row")
    return _whole(pyarrow.concat_tables([pyarrow.Table.from_batches([held]), new]), held.schema)


def _by_device_and_time(rows: Batch) -> Batch:
    import numpy

    codes = rows["device"].dictionary_encode().indices.to_numpy()
    return rows.take(pyarrow.array(numpy.lexsort((rows["time"].to_numpy(), codes))))  # stable


def _exported(following: Following, schema: Schema) -> Iterator[Batch]:
    for version, devices, states, deadlines in following.exported():
        heard = [following.heard[device] for device in devices]
        columns: list[Any] = [devices, states, deadlines, heard, [version] * len(devices)]
        arrays = [pyarrow.array(column, field.type) for column, field in zip(columns, schema)]
        yield pyarrow.record_batch(arrays, schema=schema)


def next_time(shard: Shard, rules: Rules) -> int | None:
    """The time at which a shard must be processed again even without new rows, or None if there is no such time."""
    times = [compute.min(shard.held["time"]).as_py(), compute.min(shard.devices["deadline"]).as_py()]
    if rules.expire_us is not None and shard.devices.num_rows:
        times.append(compute.min(shard.devices["heard"]).as_py() + rules.expire_us + 1)
    return min((time for time in times if time is not None), default=None)


def _whole(table: Any, schema: Schema) -> Batch:
    """Converts a table to one batch."""
    batches = table.combine_chunks().to_batches()
    return batches[0] if batches else pyarrow.RecordBatch.from_pylist([], schema)
