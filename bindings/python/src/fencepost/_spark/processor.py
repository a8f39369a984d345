"""What Spark calls for each shard and micro-batch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .._errors import require
from .._native import InvalidArgumentError
from .packed import ROW_SCHEMA, pack, unpack
from .shard import DEVICE_SCHEMA, Outcome, Rules, Shard, follow
from .tables import shipped

FORM = 1
"""Of the state, which checkpoints keep."""
_STATE_DDL = "form int, shards int, timer bigint, devices binary, held binary"
OUTPUT_DDL = "packed binary, accepted bigint, invalid bigint, late bigint"


class Processor:
    """A ``StatefulProcessor`` of PySpark, by its methods.

    The state of a shard is one value. Its one timer is at the next time at which something happens though no row comes.
    """

    def __init__(self, table: str, shards: int, rules: Rules) -> None:
        self._table, self._shards, self._rules = table, shards, rules

    def init(self, handle: Any) -> None:
        self._handle, self._state = handle, handle.getValueState("shard", _STATE_DDL)

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[Any]:  # noqa: N802, N803
        arrived = [unpack(row["packed"], ROW_SCHEMA) for row in rows]
        yield from self._follow(arrived, timerValues.getCurrentWatermarkInMs(), None)

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Any]:  # noqa: N802, N803
        yield from self._follow([], timerValues.getCurrentWatermarkInMs(), expiredTimerInfo.getExpiryTimeInMs())

    def handleInitialState(self, key: Any, initialState: Any, timerValues: Any) -> None:  # noqa: N802, N803
        pass

    def close(self) -> None:
        pass

    def _follow(self, arrived: list[Any], watermark_ms: int, fired_ms: int | None) -> Iterator[Any]:
        shard, timer = self._load()
        found = follow(shipped(self._table), shard, arrived, watermark_ms * 1000, self._rules)
        self._keep(found, timer, watermark_ms, fired_ms)
        row = require("pyspark.sql", "spark").Row(*(part.split()[0] for part in OUTPUT_DDL.split(", ")))
        for batch in found.events:
            yield row(pack(batch), 0, 0, 0)
        if any(found.fed):
            yield row(None, found.fed.accepted, found.fed.invalid, found.fed.late)

    def _load(self) -> tuple[Shard, int | None]:
        held = self._state.get()
        if held is None:
            return Shard(), None
        form, shards, timer, devices, rows = held
        if form != FORM:
            raise InvalidArgumentError(f"the checkpoint's state has form {form}, that of this version is {FORM}")
        if shards != self._shards:
            raise InvalidArgumentError(f"shards must be {shards}, as when the checkpoint began, not {self._shards}")
        return Shard(unpack(devices, DEVICE_SCHEMA), unpack(rows, ROW_SCHEMA)), timer

    def _keep(self, found: Outcome, timer: int | None, watermark_ms: int, fired_ms: int | None) -> None:
        # Up to and at the watermark all is done.
        due = None if found.next_us is None else max(-(-found.next_us // 1000), watermark_ms + 1)
        if due != timer:
            # What has fired, or is about to in this micro-batch, Spark deletes itself.
            if timer is not None and timer != fired_ms and timer > watermark_ms:
                self._handle.deleteTimer(timer)
            if due is not None:
                self._handle.registerTimer(due)
        shard = found.shard
        if shard.devices.num_rows or shard.held.num_rows:
            self._state.update((FORM, self._shards, due, pack(shard.devices), pack(shard.held)))
        else:
            self._state.clear()
