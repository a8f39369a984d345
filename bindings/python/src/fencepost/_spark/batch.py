"""Replays batch DataFrames, and joins DataFrames with conditions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from .._errors import require
from .._fleet.conditions import Zones
from .._native import InvalidArgumentError
from .._tables.times import EARLIEST_US, LATEST_US
from . import columns
from .feeding import Trust, check, feed, new_fleet, warn_of_heights
from .tables import ship, shipped

Batches: TypeAlias = Iterator[Any]
Mapped: TypeAlias = Callable[[Batches], Batches]
_NAT = -1 << 63  # NumPy's missing time
_ROW = "fencepost row"  # this name does not clash with a frame's columns


def replay_frame(frame: Any, conditions: Zones, given: Mapping[str, str], trust: Trust) -> Any:
    """Replays a frame; see :func:`fencepost.spark.replay`."""
    from .arrow_events import EVENT_DDL

    if frame.isStreaming:
        raise InvalidArgumentError("replay needs a batch frame, but this is a stream: use fencepost.spark.events")
    check(conditions, trust)
    names = columns.find_rows(frame, given)
    warn_of_heights(conditions, "frame", names, frame.columns)
    row = columns.functions().monotonically_increasing_id().alias(_ROW)
    wanted = [*columns.ROWS, *columns.beside(names)]
    usable = frame.select("*", row).where(columns.usable(frame, names))
    rows = usable.select(*columns.rows(frame, names), *columns.beside_rows(names), _ROW)
    placed = rows.repartition("device").sortWithinPartitions("device", "time", _ROW).select(*wanted)
    found = placed.mapInArrow(replayed(ship(frame, conditions), trust), EVENT_DDL)
    return columns.labelled(found, frame, names["device"])


def replayed(table: str, trust: Trust) -> Mapped:
    """Returns a function that replays rows sorted by device and time. When the rows of the next device begin, the
    function removes the previous device."""

    def run(batches: Batches) -> Batches:
        from .arrow_events import take_events

        fleet = new_fleet(shipped(table), trust)
        for batch in batches:
            if not batch.num_rows:
                continue
            feed(fleet, batch)
            yield from take_events(fleet)
            last = batch["device"][-1].as_py()
            for device in fleet.devices:
                if device != last:
                    fleet.remove_device(device)

    return run


def join_frame(frame: Any, conditions: Zones, given: Mapping[str, str], distances: bool, metrics: str) -> Any:
    """Joins a frame with the conditions that contain its points; see :func:`fencepost.spark.containing`."""
    names = columns.find_points(frame, given)
    added = {"identifier": "string", **({"distance": "double"} if distances else {})}
    for name in frame.columns:
        if name.lower() in added:
            raise InvalidArgumentError(
                f"the frame has a column {name!r}, which is also a column of the result: rename it"
            )
    schema = require("pyspark.sql.types", "spark").StructType(list(frame.schema.fields))
    for name, kind in added.items():
        schema = schema.add(name, kind)
    # Spark's mapInArrow cannot find a column whose name contains a dot or a backtick.
    points = frame.toDF(*(f"c{index}" for index in range(len(frame.columns))))
    places = {what: f"c{frame.columns.index(name)}" for what, name in names.items()}
    is_point = _is_point(points, places)
    if frame.isStreaming:
        f = columns.functions()
        points = points.observe(metrics, f.count(f.lit(1)).alias("rows"), f.count_if(~is_point).alias("unusable"))
    labels = [*frame.columns, *added]
    return points.where(is_point).mapInArrow(joined(ship(frame, conditions), places, labels, distances), schema)


def _is_point(frame: Any, names: Mapping[str, str]) -> Any:
    """A column that says whether a row has a valid point, and a time that is null or valid. An invalid point would end
    the query with an error, and would end it again after each restart."""
    f = columns.functions()
    latitude, longitude = (columns.named(names[what]).cast("double") for what in ("latitude", "longitude"))
    # Spark orders NaN above all numbers, so `between` is false for NaN.
    found = f.coalesce(latitude.between(-90, 90) & longitude.between(-180, 180), f.lit(False))
    if "time" in names:
        time = columns.microseconds(frame, names["time"])
        found &= time.isNull() | time.between(EARLIEST_US, LATEST_US)
    return found


def joined(table: str, names: Mapping[str, str], labels: list[str], distances: bool) -> Mapped:
    """Returns a function that joins each row with the conditions that contain its point. `names` contains the columns
    of the points, their heights and their times, and `labels` the names of all columns of the result."""

    def run(batches: Batches) -> Batches:
        from .arrow import pyarrow

        conditions = shipped(table)
        for batch in batches:
            if not batch.num_rows:
                continue
            read = {
                what: _microseconds(batch[name]) if what == "time" else _numbers(batch[name])
                for what, name in names.items()
            }
            matches = conditions.containing(read.pop("latitude"), read.pop("longitude"), distances=distances, **read)
            pairs = matches.columns()
            taken = batch.take(pyarrow.array(pairs["point"], pyarrow.int64()))
            arrays = [*taken.columns, pyarrow.array(pairs["identifier"], pyarrow.string())]
            if distances:
                arrays.append(pyarrow.array(pairs["distance"], pyarrow.float64()))
            yield pyarrow.record_batch(arrays, labels)

    return run


def _numbers(column: Any) -> Any:
    """A column as a NumPy array of float64. Null becomes NaN."""
    from .arrow import pyarrow

    return column.cast(pyarrow.float64(), safe=False).to_numpy(zero_copy_only=False)


def _microseconds(column: Any) -> Any:
    """A column of timestamps, or of microseconds, as a NumPy array of datetime64. Null becomes NaT."""
    from .arrow import pyarrow

    if pyarrow.types.is_timestamp(column.type):
        column = column.cast(pyarrow.timestamp("us", column.type.tz))
    ticks = column.cast(pyarrow.int64()).fill_null(_NAT)
    return ticks.to_numpy(zero_copy_only=False).view("datetime64[us]")
