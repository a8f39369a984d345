"""The forms of a shard's state in checkpoints, and the redistribution of states among a different number of shards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .._native import InvalidArgumentError
from . import columns
from .arrow import Batch, Schema, pyarrow
from .packed import PACKED_DDL, ROW_SCHEMA, WIDE_ROW_SCHEMA, pack, packed_by_shard, unpack
from .shard import DEVICE_SCHEMA, WIDE_DEVICE_SCHEMA, Shard

STATE, STATE_DDL = "shard", "form int, shards int, timer bigint, devices binary, held binary"
NARROW, WIDE = 1, 2
"""The two forms in which a checkpoint stores the state of a shard. The form NARROW contains only fixes that use the
stream's own table. The form WIDE can also contain scan reports, and rows that name a version of the table."""
_SCHEMAS = {NARROW: (DEVICE_SCHEMA, ROW_SCHEMA), WIDE: (WIDE_DEVICE_SCHEMA, WIDE_ROW_SCHEMA)}


def schemas(is_wide: bool) -> tuple[Schema, Schema]:
    """The schemas of devices and rows."""
    return _SCHEMAS[WIDE if is_wide else NARROW]


def empty(is_wide: bool) -> Shard:
    """A shard without state."""
    return Shard(*(pyarrow.RecordBatch.from_pylist([], schema) for schema in schemas(is_wide)))


def unpack_state(form: int, devices: bytes, held: bytes, is_wide: bool) -> Shard:
    """Unpacks the state of a shard. If `is_wide` is true, the stream may have table versions and scan reports."""
    if form not in _SCHEMAS:
        raise InvalidArgumentError(
            f"the state has the format {form}, but this version reads only {' and '.join(map(str, _SCHEMAS))}"
        )
    if form == WIDE and not is_wide:
        raise InvalidArgumentError("the checkpoint is of a stream with refresh or beacons: pass these arguments again")
    found = (unpack(packed, schema) for packed, schema in zip((devices, held), _SCHEMAS[form]))
    return Shard(*(widened(batch, schema) for batch, schema in zip(found, schemas(is_wide))))


def pack_state(shard: Shard, is_wide: bool) -> tuple[int, bytes, bytes]:
    """Packs the state of a shard. Returns the form (NARROW or WIDE), the packed devices and the packed rows."""
    return WIDE if is_wide else NARROW, pack(shard.devices), pack(shard.held)


def widened(batch: Batch, schema: Schema) -> Batch:
    """Adds to a batch the columns of a schema that the batch lacks; the values of these columns are null."""
    more = [pyarrow.nulls(batch.num_rows, field.type) for field in list(schema)[batch.num_columns :]]
    return pyarrow.record_batch([*batch.columns, *more], schema=schema) if more else batch


def initial_states(session: Any, checkpoint: str, shards: int, is_wide: bool) -> Any:
    """Reads the states of a checkpoint and distributes them to the shards of a new query. A shard may receive any
    number of rows."""
    f = columns.functions()
    states = session.read.format("statestore").option("stateVarName", STATE).load(checkpoint).select("value.*")
    parts = []
    for part, schema in enumerate(schemas(is_wide)):
        rows = states.mapInArrow(_rows(part, is_wide), _ddl(schema))
        keyed = rows.select(shard_of(shards), *schema.names)
        parts.append(keyed.mapInArrow(packed_by_shard(schema), PACKED_DDL).withColumn("is_held", f.lit(part == 1)))
    return parts[0].unionByName(parts[1])


def shard_of(shards: int) -> Any:
    """The column with the shard number, computed from the column `device`."""
    f = columns.functions()
    return f.pmod(f.hash("device"), f.lit(shards)).alias("shard")


def _rows(part: int, is_wide: bool) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def run(batches: Iterator[Batch]) -> Iterator[Batch]:
        for batch in batches:
            for state in batch.to_pylist():
                yield unpack_state(state["form"], state["devices"], state["held"], is_wide)[part]

    return run


def _ddl(schema: Schema) -> str:
    kinds = {"string": "string", "binary": "binary", "int64": "bigint", "double": "double"}
    return ", ".join(f"`{field.name}` {kinds[str(field.type)]}" for field in schema)
