"""A shard of the devices of a stream: what becomes of it in a micro-batch. Spark is not needed for this."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from .._fleet.conditions import Conditions
from .._fleet.fleet import Fleet
from .._values.results import FeedResult
from .arrow import Batch, Schema, compute, pyarrow
from .arrow_events import take_events
from .feeding import feed, new_fleet
from .packed import ROW_SCHEMA

DEVICE_SCHEMA = pyarrow.schema(
    [
        ("device", pyarrow.string()),
        ("state", pyarrow.binary()),
        ("deadline", pyarrow.int64()),
        ("heard", pyarrow.int64()),
    ]
)
"""Of devices between micro-batches: their exported bytes, when something happens to them though no input comes, and the
latest time of their own inputs."""


class Shard(NamedTuple):
    """What is kept of a shard: its devices, and the rows that the watermark has not passed, in the order of their
    arrival."""

    devices: Batch = pyarrow.RecordBatch.from_pylist([], DEVICE_SCHEMA)
    held: Batch = pyarrow.RecordBatch.from_pylist([], ROW_SCHEMA)


class Rules(NamedTuple):
    """How a stream is followed.

    `ordered`: rows are fed as they come; otherwise when the watermark has passed them. `expire_us`: silence after which
    a device is forgotten.
    """

    ordered: bool
    expire_us: int | None


class Outcome(NamedTuple):
    """A shard after a micro-batch, the events, how the rows fared, and the time from which the shard is to be looked at
    again though nothing comes."""

    shard: Shard
    events: list[Batch]
    fed: FeedResult
    next_us: int | None


def follow(conditions: Conditions, shard: Shard, arrived: Sequence[Batch], watermark_us: int, rules: Rules) -> Outcome:
    """Follows a shard through a micro-batch: feeds the rows that are to be fed, by device and time, confirms what is
    due up to the watermark, and forgets who is silent."""
    rows = _in_order_of_arrival(shard.held, arrived)
    held = shard.held.slice(0, 0)
    if not rules.ordered:
        later = compute.greater(rows["time"], watermark_us)
        held, rows = rows.filter(later), rows.filter(compute.invert(later))
    devices, heard = _split(rows)
    known = shard.devices
    due = compute.less_equal(known["deadline"], watermark_us)
    touched = compute.or_(compute.fill_null(due, False), compute.is_in(known["device"], value_set=devices))
    woken = known.filter(touched)
    fleet = new_fleet(conditions)
    fleet.load(dict(zip(woken["device"].to_pylist(), woken["state"].to_pylist())), adapt=True)
    fed = feed(fleet, _by_device_and_time(rows)) if rows.num_rows else FeedResult(0, 0, 0)
    _confirm(fleet, watermark_us)
    events = take_events(fleet)
    last = dict(zip(woken["device"].to_pylist(), woken["heard"].to_pylist()))
    for device, time in heard:
        last[device] = max(time, last.get(device, time))
    parts = [known.filter(compute.invert(touched)), _exported(fleet, last)]
    left = pyarrow.Table.from_batches(parts).combine_chunks()
    if rules.expire_us is not None:
        left = left.filter(compute.greater_equal(left["heard"], watermark_us - rules.expire_us))
    after = Shard(_whole(left, DEVICE_SCHEMA), held)
    return Outcome(after, events, fed, _next(after, rules))


def _in_order_of_arrival(held: Batch, arrived: Sequence[Batch]) -> Batch:
    """What was held, and then what came, as it stood in its source."""
    new = pyarrow.Table.from_batches(arrived, ROW_SCHEMA).sort_by("row")
    return _whole(pyarrow.concat_tables([pyarrow.Table.from_batches([held]), new]), ROW_SCHEMA)


def _split(rows: Batch) -> tuple[Any, Iterator[tuple[str, int]]]:
    """The devices of rows, and the latest time of each."""
    found = pyarrow.Table.from_batches([rows]).group_by("device").aggregate([("time", "max")])
    devices = found["device"].combine_chunks()
    return devices, zip(devices.to_pylist(), found["time_max"].to_pylist())


def _by_device_and_time(rows: Batch) -> Batch:
    import numpy

    codes = rows["device"].dictionary_encode().indices.to_numpy()
    return rows.take(pyarrow.array(numpy.lexsort((rows["time"].to_numpy(), codes))))  # stable


def _confirm(fleet: Fleet, watermark_us: int) -> None:
    """Confirms what is due, at its time: a device is never advanced to the watermark, after which it would refuse rows
    that may still come."""
    if (fleet.next_deadline_us or 0) > watermark_us or fleet.next_deadline_us is None:
        return
    for device in fleet.devices:
        one, before = fleet[device], None
        while (deadline := one.next_deadline_us) is not None and deadline <= watermark_us and deadline != before:
            fleet.advance(deadline, device=device)
            before = deadline


def _exported(fleet: Fleet, heard: dict[str, int]) -> Batch:
    devices = fleet.devices
    waits = fleet.next_deadline_us is not None
    deadlines: list[int | None] = [fleet._handle.device_deadline(each) if waits else None for each in devices]
    # A device whose rows were all refused is not entered.
    columns: list[Any] = [devices, fleet.export(devices, portable=True), deadlines, [heard[each] for each in devices]]
    return pyarrow.record_batch(
        [pyarrow.array(column, field.type) for column, field in zip(columns, DEVICE_SCHEMA)], schema=DEVICE_SCHEMA
    )


def _next(shard: Shard, rules: Rules) -> int | None:
    times = [compute.min(shard.held["time"]).as_py(), compute.min(shard.devices["deadline"]).as_py()]
    if rules.expire_us is not None and shard.devices.num_rows:
        times.append(compute.min(shard.devices["heard"]).as_py() + rules.expire_us + 1)
    return min((time for time in times if time is not None), default=None)


def _whole(table: Any, schema: Schema) -> Batch:
    """A table as one batch."""
    batches = table.combine_chunks().to_batches()
    return batches[0] if batches else pyarrow.RecordBatch.from_pylist([], schema)
