"""Fencepost in Apache Spark 4: streams of events from streams of fixes, replays and spatial joins of frames.

``pip install 'fencepost[spark]'``, also on the workers; Java 17. The guide "Beyond one machine" says when it is worth
while.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ._errors import require
from ._files.sources import ConditionsSource
from ._files.text import path_text
from ._fleet.conditions import Zones
from ._native import InvalidArgumentError
from ._values.arguments import device_column

if TYPE_CHECKING:
    from pyspark.sql import DataFrame  # type: ignore[import-not-found, unused-ignore]

__all__ = ["containing", "events", "replay"]


def events(
    stream: DataFrame,
    conditions: Zones | ConditionsSource,
    *,
    device: str | None = None,
    latitude: str | None = None,
    longitude: str | None = None,
    accuracy: str | None = None,
    time: str | None = None,
    delay: str = "20 seconds",
    shards: int = 64,
    ordered: bool = False,
    max_ahead: str | None = "1 hour",
    expire: str | None = None,
    beacons: str | None = None,
    refresh: str | None = None,
    versions: str | os.PathLike[str] | None = None,
    missing_versions: str = "skip",
    initial_state: str | os.PathLike[str] | None = None,
) -> DataFrame:
    """The events of a stream of fixes of many devices: a streaming DataFrame.

    Each device's events are those of a monitor of its own which is fed its rows in the order of time, whatever the
    micro-batches and the shards, and after any crash; changes are confirmed when the watermark has passed their
    deadline, also if no row comes. The state of a shard of the devices is kept by Spark, under the query's checkpoint.
    RocksDB has to
    be its store: ``spark.sql.streaming.stateStore.providerClass`` =
    ``org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider``.

    Args:
        stream: A streaming DataFrame.
        conditions: A table, or what :class:`Zones` takes. Every worker gets it once. A query that
            goes on from a checkpoint may be given others: devices keep their states for those that stay.
        device: The column that tells devices apart: texts or whole numbers. It is the first column of the events. This
            and the others are found by their names where none are given.
        latitude: Degrees, -90 to 90.
        longitude: Degrees, -180 to 180.
        accuracy: Metres; 0 or null: not reported; negative or NaN: there is no position.
        time: Timestamps, or integers: microseconds since 1970-01-01T00:00:00Z.
        delay: How much later than the latest of all rows a row may come: the watermark's. Rows are held so long.
        shards: Of how many parts the state is; for the life of a checkpoint.
        ordered: Whether the rows of each device come in the order of time, as from a Kafka topic keyed by device:
            nothing is held, and events come with the micro-batch of their row. A row that is earlier than one of its
            device in a micro-batch before is late.
        max_ahead: Rows that are later than the machine's clock by more are dropped before they move the watermark;
            None: none are.
        expire: A device is forgotten when so much time passes after its latest row: one that comes later is that of a
            new device, whose sequence begins at 1 again. None: none are.
        beacons: A column of scan reports: arrays of structures of `uuid`, `major`, `minor` and maybe `rssi`, as in
            sightings files. Where it is not null the row is one, and its position is not looked at.
        refresh: A column that says by which table of `versions` a row is to be followed: the digest of its
            :attr:`Zones.version`, 16 bytes or their hexadecimal digits; null: by `conditions`. From a row that
            names another table than the one before of its device, the device keeps its states for unchanged conditions;
            changes due before that row are confirmed by the earlier table.
        versions: A folder that all workers see, of tables, each in a file ``<digest>.conditions`` that holds
            :meth:`Zones.snapshot`; a file has to be there before the first row that names it.
        missing_versions: What becomes of a row that names a table whose file is not there, is damaged, or holds
            another table than its name says. ``skip``: it is skipped and counted as invalid. ``stop``: it ends the
            query, which goes on from there when it is started again with the file in its place.
        initial_state: The checkpoint of another query of :func:`events`, which was stopped: its devices and the rows
            that it held go on here, by these conditions and in these shards. It counts until the first micro-batch is
            done, and may be left out from then on.

    Returns:
        A row for each event: the device, and the columns of :meth:`EventList.columns`; ``tag`` is a decimal. The key
        of an idempotent sink is (device, ``sequence``), with `expire` (device, ``sequence``, ``date``). Rows that were
        late, invalid or dropped are counted in ``observedMetrics`` of the query's progress: ``fencepost`` and
        ``fencepost_input``.

    Raises:
        InvalidArgumentError: A column is missing or of another type; an argument is out of its range; the state store
            is not RocksDB; `refresh` without `versions`.
        MissingExtraError: PySpark is not installed.
    """
    require("pyspark.sql", "spark")
    from ._spark.stream import stream_events

    given = _given(
        device=device, latitude=latitude, longitude=longitude, accuracy=accuracy, time=time, beacons=beacons,
        refresh=refresh,
    )  # fmt: skip
    if missing_versions not in ("skip", "stop"):
        raise InvalidArgumentError(f"missing_versions is {missing_versions!r}; accepted are 'skip' and 'stop'")
    folder, initial = (None if path is None else path_text(path) for path in (versions, initial_state))
    found: DataFrame = stream_events(
        stream, table_of(conditions), given, delay, shards, ordered, max_ahead, expire, folder,
        missing_versions == "skip", initial,
    )  # fmt: skip
    return found


def replay(
    frame: DataFrame,
    conditions: Zones | ConditionsSource,
    *,
    device: str | None = None,
    latitude: str | None = None,
    longitude: str | None = None,
    accuracy: str | None = None,
    time: str | None = None,
    by: str | None = None,
) -> DataFrame:
    """The events of a DataFrame of the fixes of many devices: those of ``fencepost replay --by``.

    Each device's rows are sorted by time (rows of one time stay in the order of the frame) and go through a fleet
    where they are; a partition is never held in memory as a whole. Rows that cannot be used are skipped: without a
    device or a time, or out of range.

    Args:
        frame: A batch DataFrame, not a stream.
        conditions: As for :func:`events`, like all others.
        device: The column that tells devices apart: texts or whole numbers. It is the first column of the events.
        latitude: Degrees. This and the others are found by their names where none are given.
        longitude: Degrees.
        accuracy: Metres.
        time: Timestamps, or integers: microseconds since 1970-01-01T00:00:00Z.
        by: Another name of `device`.

    Returns:
        A row for each event, as of :func:`events`; those of a device in order.

    Raises:
        InvalidArgumentError: A column is missing or of another type.
        MissingExtraError: PySpark is not installed.
        TypeError: Neither `device` nor `by` is given, or both are.
    """
    require("pyspark.sql", "spark")
    from ._spark.batch import replay_frame

    column = device_column(device, by)
    if column is None:
        raise TypeError("device must name the column of the devices")
    given = _given(device=column, latitude=latitude, longitude=longitude, accuracy=accuracy, time=time)
    found: DataFrame = replay_frame(frame, table_of(conditions), given)
    return found


def containing(
    frame: DataFrame,
    conditions: Zones | ConditionsSource,
    *,
    latitude: str | None = None,
    longitude: str | None = None,
    distances: bool = False,
    metrics: str = "fencepost_points",
) -> DataFrame:
    """Which conditions hold the points of a DataFrame, also of a stream: :meth:`Zones.containing` as an inner
    join, exact on the ellipsoid.

    Args:
        frame: A DataFrame, whose columns stay.
        conditions: As for :func:`events`.
        latitude: Degrees. This and the other are found by their names where none are given.
        longitude: Degrees. A row whose point is null, NaN or out of range is skipped.
        distances: Whether to tell the signed distances to the lines too, metres, 0 or less.
        metrics: Where a stream counts its rows and those that it skipped (``rows``, ``unusable``): the name in
            ``observedMetrics`` of its progress. A query that uses this function twice needs two names.

    Returns:
        A row for each pair: the columns of the frame, ``identifier``, and ``distance`` if it was asked for.

    Raises:
        InvalidArgumentError: A column is missing, or of a name that the answer has.
        MissingExtraError: PySpark is not installed.
    """
    require("pyspark.sql", "spark")
    from ._spark.batch import join_frame

    given = _given(latitude=latitude, longitude=longitude)
    found: DataFrame = join_frame(frame, table_of(conditions), given, bool(distances), metrics)
    return found


def table_of(conditions: Zones | ConditionsSource) -> Zones:
    """A table as it is, or one of any other source."""
    if isinstance(conditions, Zones):
        return conditions
    if conditions is None:
        raise TypeError("conditions must be Zones or what Zones takes, not None")
    return Zones(conditions)


def _given(**names: str | None) -> Mapping[str, str]:
    return {what: name for what, name in names.items() if name is not None}
