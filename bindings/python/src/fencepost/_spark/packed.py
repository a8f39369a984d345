"""Packs many rows or events into one bytes value for Spark's keyed state, because Spark would otherwise create a Python
object for each row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .._errors import require
from .._tables.names import ERROR_ELLIPSE, HEIGHTS
from .arrow import Batch, Schema, compute, ipc, pyarrow

ROW_SCHEMA = pyarrow.schema(
    [
        ("device", pyarrow.string()),
        ("latitude", pyarrow.float64()),
        ("longitude", pyarrow.float64()),
        ("accuracy", pyarrow.float64()),
        ("time", pyarrow.int64()),
        ("row", pyarrow.int64()),
    ]
)
"""The schema of fixes; `row` is the position in the source's micro-batch."""
WIDE_ROW_SCHEMA = pyarrow.schema([*ROW_SCHEMA, ("version", pyarrow.binary()), ("beacons", pyarrow.string())])
"""The schema of scan reports, whose beacons are JSON text, and of fixes that name their table by its digest; null means
the stream's own table."""
UNCERTAIN_ROW_SCHEMA = pyarrow.schema([*WIDE_ROW_SCHEMA, *((name, pyarrow.float64()) for name in ERROR_ELLIPSE)])
"""The wide schema, plus the error ellipses of the fixes; three NaN or nulls mean that a fix has no ellipse."""
HIGH_ROW_SCHEMA = pyarrow.schema([*UNCERTAIN_ROW_SCHEMA, *((name, pyarrow.float64()) for name in HEIGHTS)])
"""The schema with error ellipses, plus the heights of the fixes; NaN or null means that a height is missing."""
PACKED_DDL = "shard int, packed binary"
_ROWS_AT_ONCE = 1 << 17
_ROWS_OF_A_TASK = 1 << 40


def pack(batch: Batch) -> bytes:
    """Packs a batch into bytes, without its schema."""
    packed: bytes = batch.serialize().to_pybytes()
    return packed


def unpack(packed: bytes, schema: Schema) -> Batch:
    """Reads a batch from bytes that :func:`pack` returned."""
    return ipc.read_record_batch(pyarrow.py_buffer(packed), schema)


def unpacked(schema: Schema) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Returns a function that unpacks packed batches into rows."""

    def run(batches: Iterator[Batch]) -> Iterator[Batch]:
        for batch in batches:
            for packed in batch["packed"].to_pylist():
                yield unpack(packed, schema)

    return run


def packed_by_shard(schema: Schema) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Returns a function that packs the rows of a task by the shard to which each row belongs. If the rows have no
    column `row`, the function adds such a column with the positions of the rows."""

    def run(batches: Iterator[Batch]) -> Iterator[Batch]:
        place = require("pyspark", "spark").TaskContext.get().partitionId() * _ROWS_OF_A_TASK
        held: list[Batch] = []
        rows = 0
        for batch in batches:
            held.append(batch)
            rows += batch.num_rows
            if rows >= _ROWS_AT_ONCE:
                yield _by_shard(held, place, schema)
                place, held, rows = place + rows, [], 0
        if rows:
            yield _by_shard(held, place, schema)

    return run


def _by_shard(batches: list[Batch], place: int, schema: Schema) -> Batch:
    import numpy

    table = pyarrow.Table.from_batches(batches).combine_chunks()
    shards = table["shard"].to_numpy()
    order = numpy.argsort(shards, kind="stable")
    columns = [
        table[name].combine_chunks().cast(schema.field(name).type)
        if name in table.column_names
        else pyarrow.array(place + numpy.arange(len(order)))
        for name in schema.names
    ]
    rows = pyarrow.record_batch(columns, schema=schema).take(pyarrow.array(order))
    found, begins = numpy.unique(shards[order], return_index=True)
    ends = [*begins[1:].tolist(), len(order)]
    packed = [pack(rows.slice(begin, end - begin)) for begin, end in zip(begins.tolist(), ends)]
    return pyarrow.record_batch(
        [compute.cast(pyarrow.array(found), pyarrow.int32()), pyarrow.array(packed, pyarrow.binary())],
        names=["shard", "packed"],
    )
