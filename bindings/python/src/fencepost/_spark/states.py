"""The forms of a shard's state in checkpoints, and the redistribution of states among a different number of shards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .._native import InvalidArgumentError
from . import columns
from .arrow import Batch, Schema, pyarrow
from .packed import (
    HIGH_ROW_SCHEMA,
    PACKED_DDL,
    ROW_SCHEMA,
    UNCERTAIN_ROW_SCHEMA,
    WIDE_ROW_SCHEMA,
    pack,
    packed_by_shard,
    unpack,
)
from .shard import DEVICE_SCHEMA, WIDE_DEVICE_SCHEMA, Shard

STATE, STATE_DDL = "shard", "form int, shards int, timer bigint, devices binary, held binary"
NARROW, WIDE, UNCERTAIN, HIGH = 1, 2, 3, 4
"""The forms in which a checkpoint stores the state of a shard. The form NARROW contains only fixes that use the
stream's own table. The form WIDE can also contain scan reports, and rows that name a version of the table. The form
UNCERTAIN can also contain the error ellipses of fixes, and the form HIGH also their heights. Each form can be read as a
later one."""
_SCHEMAS = {
    NARROW: (DEVICE_SCHEMA, ROW_SCHEMA),
    WIDE: (WIDE_DEVICE_SCHEMA, WIDE_ROW_SCHEMA),
    UNCERTAIN: (WIDE_DEVICE_SCHEMA, UNCERTAIN_ROW_SCHEMA),
    HIGH: (WIDE_DEVICE_SCHEMA, HIGH_ROW_SCHEMA),
}


def schemas(form: int) -> tuple[Schema, Schema]:
    """The schemas of devices and rows."""
    return _SCHEMAS[form]


def empty(form: int) -> Shard:
    """A shard without state."""
    return Shard(*(pyarrow.RecordBatch.from_pylist([], schema) for schema in schemas(form)))


def unpack_state(saved: int, devices: bytes, held: bytes, form: int) -> Shard:
    """Unpacks the state of a shard that was saved in the form `saved`, and converts it to the form of the stream."""
    if saved not in _SCHEMAS:
        *few, last = map(str, _SCHEMAS)
        raise InvalidArgumentError(
            f"the state has the format {saved}, but this version reads only {', '.join(few)} and {last}"
        )
    if saved == WIDE > form:
        raise InvalidArgumentError("the checkpoint is of a stream with refresh or beacons: pass these arguments again")
    if saved == HIGH > form:
        raise InvalidArgumentError(
            "the checkpoint is of a stream with heights: the stream must have a column of altitudes again; name it "
            "with the argument altitude"
        )
    if saved > form:
        raise InvalidArgumentError(
            "the checkpoint is of a stream with error ellipses: the stream must have the columns error_major, "
            "error_minor and error_orientation again"
        )
    found = (unpack(packed, schema) for packed, schema in zip((devices, held), _SCHEMAS[saved]))
    return Shard(*(widened(batch, schema) for batch, schema in zip(found, schemas(form))))


def pack_state(shard: Shard, form: int) -> tuple[int, bytes, bytes]:
    """Packs the state of a shard. Returns its form, the packed devices and the packed rows."""
    return form, pack(shard.devices), pack(shard.held)


def widened(batch: Batch, schema: Schema) -> Batch:
    """Adds to a batch the columns of a schema that the batch lacks; the values of these columns are null."""
    more = [pyarrow.nulls(batch.num_rows, field.type) for field in list(schema)[batch.num_columns :]]
    return pyarrow.record_batch([*batch.columns, *more], schema=schema) if more else batch


def initial_states(session: Any, checkpoint: str, shards: int, form: int) -> Any:
    """Reads the states of a checkpoint and distributes them to the shards of a new query. A shard may receive any
    number of rows."""
    f = columns.functions()
    states = session.read.format("statestore").option("stateVarName", STATE).load(checkpoint).select("value.*")
    parts = []
    for part, schema in enumerate(schemas(form)):
        rows = states.mapInArrow(_rows(part, form), _ddl(schema))
        keyed = rows.select(shard_of(shards), *schema.names)
        parts.append(keyed.mapInArrow(packed_by_shard(schema), PACKED_DDL).withColumn("is_held", f.lit(part == 1)))
    return parts[0].unionByName(parts[1])


def shard_of(shards: int) -> Any:
    """The column with the shard number, computed from the column `device`."""
    f = columns.functions()
    return f.pmod(f.hash("device"), f.lit(shards)).alias("shard")


def _rows(part: int, form: int) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def run(batches: Iterator[Batch]) -> Iterator[Batch]:
        for batch in batches:
            for state in batch.to_pylist():
                yield unpack_state(state["form"], state["devices"], state["held"], form)[part]

    return run


def _ddl(schema: Schema) -> str:
    kinds = {"string": "string", "binary": "binary", "int64": "bigint", "double": "double"}
    return ", ".join(f"`{field.name}` {kinds[str(field.type)]}" for field in schema)
