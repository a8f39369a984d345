"""Converts streams of fixes to streams of events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._errors import require
from .._fleet.conditions import Zones
from .._native import InvalidArgumentError
from .._tables.names import BESIDE
from .._tables.numbers import integer
from .._values.results import FeedResult
from . import columns
from .arrow_events import EVENT_DDL, EVENT_SCHEMA
from .feeding import Trust, check, warn_of_heights
from .packed import PACKED_DDL, packed_by_shard, unpacked
from .processor import OUTPUT_DDL, Processor
from .shard import Rules
from .states import HIGH, NARROW, UNCERTAIN, WIDE, initial_states, schemas, shard_of
from .tables import ship, tables

_PROVIDER = "spark.sql.streaming.stateStore.providerClass"
_ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
_MOST_SHARDS = 1_000_000


def stream_events(
    stream: Any,
    conditions: Zones,
    given: Mapping[str, str],
    delay: str,
    shards: int,
    ordered: bool,
    max_ahead: str | None,
    expire: str | None,
    folder: str | None,
    skips_unknown: bool,
    initial: str | None,
    trust: Trust,
) -> Any:
    """Converts a stream of fixes to a stream of events; see :func:`fencepost.spark.events`."""
    if not stream.isStreaming:
        raise InvalidArgumentError("events needs a stream, but this is a batch frame: use fencepost.spark.replay")
    provider = stream.sparkSession.conf.get(_PROVIDER, "")
    if provider.rpartition(".")[2] != _ROCKSDB.rpartition(".")[2]:
        raise InvalidArgumentError(f"keyed state needs RocksDB: set {_PROVIDER} to {_ROCKSDB}")
    shards = integer(shards, "shards", 1, _MOST_SHARDS)
    expire_us = None if expire is None else interval_us(stream.sparkSession, expire, "expire")
    interval_us(stream.sparkSession, delay, "delay")
    if max_ahead is not None:
        interval_us(stream.sparkSession, max_ahead, "max_ahead")
    check(conditions, trust)
    names = columns.find_rows(stream, given)
    if ("refresh" in names) != (folder is not None):
        raise InvalidArgumentError("refresh (a column) and versions (a folder of tables) must be passed together")
    warn_of_heights(conditions, "stream", names, stream.columns)
    form = WIDE if any(what in names for what in columns.EXTRA) else NARROW
    beside = columns.beside(names)
    if beside:
        form = HIGH if beside == BESIDE else UNCERTAIN
    rules = Rules(bool(ordered), expire_us, skips_unknown, trust)
    processor = Processor(tables(ship(stream, conditions), folder), shards, rules, form)
    before = None
    if initial is not None:
        before = initial_states(stream.sparkSession, initial, shards, form).groupBy("shard")

    f = columns.functions()
    instant = columns.instant(stream, names["time"]).alias("instant")
    is_usable = columns.usable(stream, names).alias("usable")
    extra: list[str] = []
    extra_rows: list[Any] = []
    if form >= WIDE:
        extra, extra_rows = [*columns.EXTRA_ROWS], columns.extra_rows(stream, names)
    extra += beside
    rows = stream.select(*columns.rows(stream, names), *extra_rows, *columns.beside_rows(names), instant, is_usable)
    is_ahead = f.lit(False)
    if max_ahead is not None:
        is_ahead = f.coalesce(f.col("instant") > f.current_timestamp() + f.expr(f"interval {max_ahead}"), is_ahead)
    counted = rows.withColumn("ahead", is_ahead).observe(
        "fencepost_input",
        f.count(f.lit(1)).alias("rows"),
        f.count_if(~f.col("usable")).alias("unusable"),
        f.count_if(f.col("usable") & f.col("ahead")).alias("ahead"),
    )
    timely = counted.where(f.col("usable") & ~f.col("ahead")).withWatermark("instant", delay)
    keyed = timely.select(shard_of(shards), *columns.ROWS, *extra)
    packed = keyed.mapInArrow(packed_by_shard(schemas(form)[1]), PACKED_DDL)
    followed = (
        packed.groupBy("shard")
        .transformWithState(processor, OUTPUT_DDL, "Append", "EventTime", before)
        .observe(
            "fencepost",
            *(f.coalesce(f.sum(name), f.lit(0)).alias(name) for name in FeedResult._fields),
        )
    )
    found = followed.where(f.col("packed").isNotNull()).select("packed").mapInArrow(unpacked(EVENT_SCHEMA), EVENT_DDL)
    return columns.labelled(found, stream, names["device"])


def interval_us(session: Any, text: str, what: str) -> int:
    """The length of an interval in microseconds. Spark parses the text of the interval."""
    if not isinstance(text, str):
        raise TypeError(f"{what} must be a string such as '20 seconds', not {type(text).__name__}")
    f = columns.functions()
    begin = f.lit("2000-01-01").cast("timestamp")
    try:
        end = begin + f.expr(f"interval {text}")
        (found,) = session.range(1).select(f.unix_micros(end) - f.unix_micros(begin)).head()
    except Exception as error:
        if not isinstance(error, require("pyspark.errors", "spark").PySparkException):
            raise
        raise InvalidArgumentError(f"{what}: {text!r} is not an interval such as '20 seconds'") from None
    if found < 0:
        raise InvalidArgumentError(f"{what}: {text!r} is negative")
    return int(found)
