"""Fencepost in Apache Spark 4: event streams from fix streams, replays, and spatial joins of DataFrames.

Install the package with ``pip install 'fencepost[spark]'``, both on the driver and on the workers. Spark needs Java 17.
The guide "Beyond one machine" says when Spark is worth using.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING

from ._errors import require
from ._files.sources import ConditionsSource
from ._files.text import path_text
from ._fleet.conditions import Zones
from ._native import InvalidArgumentError
from ._values.arguments import device_column
from ._values.enums import EventOrder

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
    error_major: str | None = None,
    error_minor: str | None = None,
    error_orientation: str | None = None,
    altitude: str | None = None,
    vertical_accuracy: str | None = None,
    geoid_height: str | None = None,
    ground_height: str | None = None,
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
    plausible_speed: float | None = None,
    corroboration_count: int = 3,
    corroboration_time: float | timedelta = 60.0,
    accuracy_confidence: float = 0.68,
    order: EventOrder | str = EventOrder.ADD,
) -> DataFrame:
    """Returns a streaming DataFrame with the events for a stream of fixes from many devices.

    Each device gets the events that a monitor would give if it were fed only this device's rows in time order. Neither
    the division into micro-batches and shards nor a crash changes the events. Changes are confirmed when the watermark
    has passed their deadline, even if no other row comes. Spark keeps the state of each shard of devices in the query's
    checkpoint. The state store must be RocksDB: ``spark.sql.streaming.stateStore.providerClass`` =
    ``org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider``.

    Args:
        stream: A streaming DataFrame.
        conditions: A table, or anything that :class:`Zones` accepts. The table is sent to each worker once. A query
            that continues from a checkpoint may have other conditions: devices keep their states for the unchanged
            conditions.
        device: The column that identifies the device; it contains strings or whole numbers. The device column becomes
            the first column of the events. If any column argument is omitted, that column is found by its name.
        latitude: The column of latitudes, in degrees, -90 to 90.
        longitude: The column of longitudes, in degrees, -180 to 180.
        accuracy: The column of accuracies, in metres. 0 or null means that the accuracy was not reported; negative or
            NaN means that the row has no position.
        time: Timestamps, or integers: microseconds since 1970-01-01T00:00:00Z.
        error_major: The column of the major one-sigma semi-axes of error ellipses, in metres. Policies with an
            ``entry_probability`` use the ellipse instead of the accuracy. The three columns of the ellipse belong
            together. They are found by the names ``error_major_m``, ``error_minor_m`` and ``error_orientation_deg``. A
            row whose three values are null or NaN has no ellipse; a row with an invalid ellipse counts as invalid.
        error_minor: The column of the minor one-sigma semi-axes, in metres.
        error_orientation: The column of the directions of the major axes, in degrees clockwise from north.
        altitude: The column of heights above the ellipsoid, in metres, for conditions with limits of altitude. It is
            found by the names ``ellipsoid_altitude_m``, ``ellipsoidal_altitude`` and ``altHAE``, but not by
            ``altitude``, because many sources have heights above mean sea level there. A row without an altitude does
            not change the state of such a condition while it is inside on the map.
        vertical_accuracy: The column of the uncertainties of the altitudes, in metres. 0 or null means that it was not
            reported; negative or NaN means that the row has no altitude. This column and the next two are found by the
            names ``vertical_accuracy_m``, ``geoid_height_m`` and ``ground_height_m``, also without ``_m``. They need an
            altitude.
        geoid_height: The column of the heights of mean sea level above the ellipsoid, in metres, for limits with the
            reference ``mean_sea_level``.
        ground_height: The column of the heights of the ground above the ellipsoid, in metres, for limits with the
            reference ``ground``.
        delay: The watermark delay: a row may be earlier than the latest row by at most this delay. The query holds back
            each row for the time `delay`, so that earlier rows can still arrive.
        shards: The number of parts that the state is divided into. The number of shards cannot change as long as a
            checkpoint is used.
        ordered: True if the rows of each device come in time order, as from a Kafka topic keyed by device. If `ordered`
            is true, no row is held back, and the events of a row come in the same micro-batch as the row. A row is late
            if an earlier micro-batch had a row of its device with a later time.
        max_ahead: If a row is ahead of the machine's clock by more than `max_ahead`, the row is dropped and does not
            move the watermark. If `max_ahead` is None, no row is dropped.
        expire: A device is forgotten when this much time has passed since its latest row. If a forgotten device sends
            another row, the device counts as a new one, and its sequence begins at 1 again. If `expire` is None, no
            device is forgotten.
        beacons: A column of scan reports. Each value is an array of structures with the fields `uuid`, `major`, `minor`
            and optionally `rssi`, as in sightings files. A row whose `beacons` value is not null is a scan report, and
            the row's position is ignored.
        refresh: A column that selects which table of `versions` applies to a row. The column's value is the digest of
            the table's :attr:`Zones.version`: 16 bytes or their hexadecimal digits. Null selects `conditions`. If a row
            selects a different table from its device's previous row, the device keeps its states for unchanged
            conditions. Changes that were due before this row are still confirmed by the earlier table.
        versions: A folder of tables that all workers can read. Each table is in a file ``<digest>.conditions`` with the
            bytes of :meth:`Zones.snapshot`. The file of a table must exist before the query reads the first row that
            selects this table.
        missing_versions: What to do with a row if its table is missing, damaged, or does not match its name. If
            `missing_versions` is ``skip``, the row is skipped and counted as invalid. If `missing_versions` is
            ``stop``, the query ends with an error; when you have put the file in place and start the query again, the
            query continues at that row.
        initial_state: The checkpoint of another query of :func:`events`; this other query must have been stopped. The
            new query takes over the devices of the other query and the rows that the other query held back; the new
            query's conditions and shards apply to them. `initial_state` is used only until the first micro-batch is
            done, so you may omit it afterwards.
        plausible_speed: The greatest plausible speed of a device, in metres per second, above 0; None means any
            speed. A fix that the device cannot have reached is doubted: it is counted and changes nothing. The state of
            a device contains its doubted fixes, so they corroborate each other across micro-batches.
        corroboration_count: The number of doubted fixes in a row, from 2 to 1,000, that are trusted if each is
            plausible after the one before. The last of them is applied.
        corroboration_time: The least time between the first and the last of these fixes, in seconds, from 0 to 1e9.
        accuracy_confidence: The share of the true positions within the accuracy of a fix, 0.01 to 0.9999. Only
            policies with an ``entry_probability`` depend on it.
        order: The order of the events of one device at one instant, as for :class:`Fleet`: ``add`` or ``exits_first``.

    Returns:
        One row for each event, with the device and the columns of :meth:`EventList.columns`; ``tag`` is a decimal. For
        an idempotent sink, use the key (device, ``sequence``); if `expire` is used, use the key (device, ``sequence``,
        ``date``). The ``observedMetrics`` of the query's progress count the rows that were late, invalid, doubted or
        dropped, under ``fencepost`` and ``fencepost_input``.

    Raises:
        InvalidArgumentError: A column is missing or has the wrong type, an argument is out of its range, the state
            store is not RocksDB, or `refresh` is used without `versions`.
        MissingExtraError: PySpark is not installed.
    """
    require("pyspark.sql", "spark")
    from ._spark.feeding import Trust
    from ._spark.stream import stream_events

    given = _given(
        device=device, latitude=latitude, longitude=longitude, accuracy=accuracy, time=time, error_major=error_major,
        error_minor=error_minor, error_orientation=error_orientation, altitude=altitude,
        vertical_accuracy=vertical_accuracy, geoid_height=geoid_height, ground_height=ground_height, beacons=beacons,
        refresh=refresh,
    )  # fmt: skip
    if missing_versions not in ("skip", "stop"):
        raise InvalidArgumentError(f"missing_versions is {missing_versions!r}; must be 'skip' or 'stop'")
    folder, initial = (None if path is None else path_text(path) for path in (versions, initial_state))
    found: DataFrame = stream_events(
        stream, table_of(conditions), given, delay, shards, ordered, max_ahead, expire, folder,
        missing_versions == "skip", initial,
        Trust(plausible_speed, corroboration_count, corroboration_time, accuracy_confidence, order),
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
    error_major: str | None = None,
    error_minor: str | None = None,
    error_orientation: str | None = None,
    altitude: str | None = None,
    vertical_accuracy: str | None = None,
    geoid_height: str | None = None,
    ground_height: str | None = None,
    by: str | None = None,
    plausible_speed: float | None = None,
    corroboration_count: int = 3,
    corroboration_time: float | timedelta = 60.0,
    accuracy_confidence: float = 0.68,
    order: EventOrder | str = EventOrder.ADD,
) -> DataFrame:
    """Returns the events for a DataFrame with fixes from many devices; the events equal those of ``fencepost replay
    --by``.

    Each device's rows are sorted by time and fed to a fleet on the worker; rows with equal times stay in the order of
    the frame. No partition is ever held in memory as a whole. A row is skipped if it has no device or no time, or if a
    value is out of range.

    Args:
        frame: A batch DataFrame, not a stream.
        conditions: A table, or anything that :class:`Zones` accepts.
        device: The column that identifies the device; it contains strings or whole numbers. The device column becomes
            the first column of the events.
        latitude: The column of latitudes, in degrees. If any column argument is omitted, that column is found by its
            name.
        longitude: Degrees.
        accuracy: The column of accuracies, in metres.
        time: Timestamps, or integers: microseconds since 1970-01-01T00:00:00Z.
        error_major: The column of the major one-sigma semi-axes of error ellipses, as for :func:`events`.
        error_minor: The column of the minor semi-axes, as for :func:`events`.
        error_orientation: The column of the directions of the major axes, as for :func:`events`.
        altitude: The column of heights above the ellipsoid, as for :func:`events`.
        vertical_accuracy: The column of the uncertainties of the altitudes, as for :func:`events`.
        geoid_height: The column of the heights of mean sea level above the ellipsoid, as for :func:`events`.
        ground_height: The column of the heights of the ground above the ellipsoid, as for :func:`events`.
        by: Another name for `device`.
        plausible_speed: The greatest plausible speed of a device, as for :func:`events`.
        corroboration_count: The number of doubted fixes that are trusted together, as for :func:`events`.
        corroboration_time: The least time that these fixes span, as for :func:`events`.
        accuracy_confidence: The share of the true positions within the accuracy of a fix, as for :func:`events`.
        order: The order of the events of one device at one instant, as for :func:`events`.

    Returns:
        One row for each event, with the same columns as the result of :func:`events`. The events of each device are in
        order.

    Raises:
        InvalidArgumentError: A column is missing or has the wrong type, or an option is out of its range.
        MissingExtraError: PySpark is not installed.
        TypeError: Exactly one of `device` and `by` must be passed.
    """
    require("pyspark.sql", "spark")
    from ._spark.batch import replay_frame
    from ._spark.feeding import Trust

    column = device_column(device, by)
    if column is None:
        raise TypeError("device must name the column of the devices")
    given = _given(
        device=column, latitude=latitude, longitude=longitude, accuracy=accuracy, time=time, error_major=error_major,
        error_minor=error_minor, error_orientation=error_orientation, altitude=altitude,
        vertical_accuracy=vertical_accuracy, geoid_height=geoid_height, ground_height=ground_height,
    )  # fmt: skip
    trust = Trust(plausible_speed, corroboration_count, corroboration_time, accuracy_confidence, order)
    found: DataFrame = replay_frame(frame, table_of(conditions), given, trust)
    return found


def containing(
    frame: DataFrame,
    conditions: Zones | ConditionsSource,
    *,
    latitude: str | None = None,
    longitude: str | None = None,
    altitude: str | None = None,
    geoid_height: str | None = None,
    ground_height: str | None = None,
    time: str | None = None,
    distances: bool = False,
    metrics: str = "fencepost_points",
) -> DataFrame:
    """Finds the conditions that contain the points of a DataFrame or a stream. The function works like
    :meth:`Zones.containing` as an inner join, and is exact on the ellipsoid.

    Args:
        frame: A DataFrame; its columns stay in the result.
        conditions: A table, or anything that :class:`Zones` accepts. The table is sent to each worker once.
        latitude: The column of latitudes, in degrees. If `latitude` or `longitude` is omitted, that column is found by
            its name.
        longitude: The column of longitudes, in degrees. A row whose point is null, NaN or out of range is skipped.
        altitude: The column of heights above the ellipsoid, in metres, for conditions with limits of altitude; it is
            found by the names that :func:`events` knows. A limit whose height is missing, null or NaN is ignored.
        geoid_height: The column of the heights of mean sea level above the ellipsoid, as for :func:`events`.
        ground_height: The column of the heights of the ground above the ellipsoid, as for :func:`events`.
        time: The column of times: timestamps, or integers that are microseconds since 1970-01-01T00:00:00Z. A condition
            with a schedule contains a point only in the intervals of the schedule. This column is never found by its
            name: if it is omitted, schedules are ignored, as in a row whose time is null. A row whose time is outside
            the years 1 to 9999 is skipped.
        distances: True to add a column with the signed distance to the boundary, in metres; the distance is 0 or less,
            because the point is inside.
        metrics: The name for this function's metrics in the ``observedMetrics`` of a stream's progress; the metrics
            count the rows (``rows``) and the skipped rows (``unusable``). A query that uses this function twice needs
            two names.

    Returns:
        One row for each pair of a point and a condition, with the columns of the frame, ``identifier``, and
        ``distance`` if requested.

    Raises:
        InvalidArgumentError: A column is missing, or has the same name as a column of the result.
        MissingExtraError: PySpark is not installed.
    """
    require("pyspark.sql", "spark")
    from ._spark.batch import join_frame

    given = _given(
        latitude=latitude, longitude=longitude, altitude=altitude, geoid_height=geoid_height,
        ground_height=ground_height, time=time,
    )  # fmt: skip
    found: DataFrame = join_frame(frame, table_of(conditions), given, bool(distances), metrics)
    return found


def table_of(conditions: Zones | ConditionsSource) -> Zones:
    """Returns `conditions` itself if it is a table, and otherwise a table made from the source."""
    if conditions is None:
        raise TypeError("conditions must be Zones or an argument of Zones, not None")
    return conditions if isinstance(conditions, Zones) else Zones(conditions)


def _given(**names: str | None) -> Mapping[str, str]:
    return {what: name for what, name in names.items() if name is not None}
