"""The processor that Spark calls for each shard and micro-batch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .._errors import require
from .._native import InvalidArgumentError
from .arrow import pyarrow
from .following import Tables
from .packed import pack, unpack
from .shard import Rules, Shard, follow, next_time
from .states import STATE, STATE_DDL, empty, pack_state, schemas, unpack_state

OUTPUT_DDL = "packed binary, accepted bigint, invalid bigint, late bigint, doubted bigint"


class Processor:
    """Has the methods of PySpark's ``StatefulProcessor``.

    Spark stores the state of a shard as a single value. The shard's only timer fires at the next time at which a state
    can change without a new row. `form` is the form of the states; see :mod:`fencepost._spark.states`.
    """

    def __init__(self, tables: Tables, shards: int, rules: Rules, form: int) -> None:
        self._tables, self._shards, self._rules, self._form = tables, shards, rules, form

    def init(self, handle: Any) -> None:
        self._handle, self._state = handle, handle.getValueState(STATE, STATE_DDL)

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[Any]:  # noqa: N802, N803
        schema = schemas(self._form)[1]
        arrived = [unpack(row["packed"], schema) for row in rows]
        yield from self._follow(arrived, timerValues.getCurrentWatermarkInMs(), None)

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Any]:  # noqa: N802, N803
        yield from self._follow([], timerValues.getCurrentWatermarkInMs(), expiredTimerInfo.getExpiryTimeInMs())

    def handleInitialState(self, key: Any, initialState: Any, timerValues: Any) -> None:  # noqa: N802, N803
        """Takes over a part of the state of another Spark query; the devices in that part now belong to this shard."""
        shard, timer = self._load()
        part = int(initialState["is_held"])
        both = [shard[part], unpack(initialState["packed"], shard[part].schema)]
        (joined,) = pyarrow.Table.from_batches(both).combine_chunks().to_batches()
        shard = shard._replace(**{Shard._fields[part]: joined})
        self._keep(shard, next_time(shard, self._rules), timer, timerValues.getCurrentWatermarkInMs(), None)

    def close(self) -> None:
        pass

    def _follow(self, arrived: list[Any], watermark_ms: int, fired_ms: int | None) -> Iterator[Any]:
        shard, timer = self._load()
        found = follow(self._tables, shard, arrived, watermark_ms * 1000, self._rules)
        self._keep(found.shard, found.next_us, timer, watermark_ms, fired_ms)
        row = require("pyspark.sql", "spark").Row(*(part.split()[0] for part in OUTPUT_DDL.split(", ")))
        for batch in found.events:
            yield row(pack(batch), 0, 0, 0, 0)
        if any(found.fed):
            yield row(None, *found.fed)

    def _load(self) -> tuple[Shard, int | None]:
        held = self._state.get()
        if held is None:
            return empty(self._form), None
        saved, shards, timer, devices, rows = held
        if shards != self._shards:
            raise InvalidArgumentError(f"shards is {self._shards}; must be {shards}, as in the first run of the query")
        return unpack_state(saved, devices, rows, self._form), timer

    def _keep(self, shard: Shard, next_us: int | None, timer: int | None, watermark_ms: int, fired: int | None) -> None:
        # All changes that were due up to and including the watermark have already happened.
        due = None if next_us is None else max(-(-next_us // 1000), watermark_ms + 1)
        if due != timer:
            # Spark itself deletes every timer that has fired, including a timer that fires in this micro-batch.
            if timer is not None and timer != fired and timer > watermark_ms:
                self._handle.deleteTimer(timer)
            if due is not None:
                self._handle.registerTimer(due)
        if shard.devices.num_rows or shard.held.num_rows:
            form, devices, held = pack_state(shard, self._form)
            self._state.update((form, self._shards, due, devices, held))
        else:
            self._state.clear()
