"""Compares Fencepost's stream in a local Spark session with a reference stream whose function does not evaluate its
rows.

    .venv/bin/python Tests/Benchmarks/spark_streams.py [--quick]

There are 10 000 devices among 10 000 circles, and micro-batches of 1 000 000 rows (`--quick`: 1 000 devices, 50 000
rows). Both streams have the same source, packing of rows, shuffle, state and sink. The reference stream's function only
reads its input bytes, and stores as many bytes of state as the devices need. The two streams run one after the other in
one Spark session, and the first micro-batch of each stream is not counted. The results are rows per processor second,
where the processor time is that of the JVM and all of its Python workers together.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet

from fencepost import Zones

os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
QUICK, USUAL = (1_000, 50_000, 1_000), (10_000, 1_000_000, 10_000)
"""Two sizes of the benchmark, each with the number of devices, of rows in a micro-batch, and of circles."""
BATCHES = 4
SHARDS = 16
SECOND = 1_000_000
BEGIN = 1_700_000_000 * SECOND
SCHEMA = "vehicle string, lat double, lon double, accuracy double, time_us long"
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def zones(count: int) -> Zones:
    draw = random.Random(1)
    found = Zones()
    columns = [[draw.uniform(low, high) for _ in range(count)] for low, high in ((52, 53), (13, 14.6), (100, 500))]
    found.add_many([f"zone-{number:06}" for number in range(count)], *columns)
    return found


def micro_batch(number: int, devices: int, rows: int) -> Any:
    """A micro-batch in which every device moves some metres per second along a line; the rows are sorted by time."""
    import numpy

    draw = numpy.random.default_rng(7)
    y, x = draw.uniform(52, 53, devices), draw.uniform(13, 14.6, devices)
    north, east = draw.normal(0, 0.0001, devices), draw.normal(0, 0.00015, devices)
    steps = rows // devices
    step = numpy.repeat(numpy.arange(number * steps, (number + 1) * steps), devices)
    device = numpy.tile(numpy.arange(devices), steps)
    names = numpy.array([f"vehicle-{each:08}" for each in range(devices)])
    return pyarrow.table(
        {
            "vehicle": names[device],
            "lat": y[device] + north[device] * step,
            "lon": x[device] + east[device] * step,
            "accuracy": numpy.full(len(step), 5.0),
            "time_us": BEGIN + step * SECOND,
        }
    )


def inside(conditions: Zones, devices: int, rows: int) -> None:
    """Measures only Fencepost's function, without Spark: it imports the states, feeds the rows, and exports the states.
    Two cases are measured: all rows use the same table, or the second half of the last micro-batch switches to another
    table."""
    from fencepost._spark.packed import pack
    from fencepost._spark.shard import Rules, follow
    from fencepost._spark.states import NARROW, WIDE, empty, schemas

    other = Zones.restore(conditions.snapshot())
    other.add_many(["one more"], [0], [0], [100])
    tables = {None: conditions, other.version.digest: other}
    rules = Rules(ordered=True, expire_us=None)
    for is_wide in (False, True):
        form = WIDE if is_wide else NARROW
        shard, took, events = empty(form), 0.0, 0
        for number in range(3):
            table = micro_batch(number, devices, rows)
            columns = [*(column.combine_chunks() for column in table.columns), pyarrow.array(range(rows))]
            if is_wide:
                later = other.version.digest if number == 2 else None
                versions = [None] * (rows // 2) + [later] * (rows - rows // 2)
                columns += [pyarrow.array(versions, pyarrow.binary()), pyarrow.nulls(rows, pyarrow.string())]
            batch = pyarrow.record_batch(columns, schema=schemas(form)[1])
            begin = time.process_time()
            outcome = follow(tables.__getitem__, shard, [batch], 0, rules)
            took = time.process_time() - begin
            shard = outcome.shard
            events = sum(each.num_rows for each in outcome.events)
        name = "and all change tables" if is_wide else "the function alone"
        print(f"{name:22} {rows / took:12,.0f} rows a processor second ({events:,} events)")
        print(f"state                  {len(pack(shard.devices)) / devices:12.1f} bytes a device")


def processor_seconds() -> float:
    """Processor seconds of all descendants of this process since they started."""
    parents, times = {}, {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(folder.name)] = int(fields[1])
            times[int(folder.name)] = sum(map(int, fields[11:15]))
    found = 0
    for each in times:
        above = each
        while above > 1 and above != os.getpid():
            above = parents.get(above, 0)
        found += times[each] if above == os.getpid() and each != os.getpid() else 0
    return found / os.sysconf("SC_CLK_TCK")


def passing(size: int) -> type:
    """A processor without an engine: it only reads its input bytes, and stores `size` bytes of state."""
    from fencepost._spark.processor import Processor

    class Passing(Processor):
        def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[Any]:  # noqa: N802, N803
            from pyspark.sql import Row

            read = sum(len(row["packed"]) for row in rows)
            timerValues.getCurrentWatermarkInMs()
            before = self._state.get()
            kept = os.urandom(size) if before is None else before[3]
            self._state.update((1, 1, None, kept, b""))
            yield Row("packed", "accepted", "invalid", "late")(None, read, 0, 0)

    return Passing


def through_spark(spark: Any, folder: Path, conditions: Zones, rows: int, name: str, **options: Any) -> float:
    from fencepost import spark as fencepost_spark

    marks: list[tuple[float, float]] = []
    found = 0

    def sink(batch: Any, number: int) -> None:
        nonlocal found
        found += batch.count()
        marks.append((processor_seconds(), time.monotonic()))

    source = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).parquet(str(folder / "in"))
    events = fencepost_spark.events(source, conditions, shards=SHARDS, delay="10 seconds", **options)
    query = (
        events.writeStream.foreachBatch(sink)
        .option("checkpointLocation", str(folder / f"checkpoint {name}"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    (cpu, clock), (last_cpu, last_clock) = marks[0], marks[BATCHES - 1]
    counted = (BATCHES - 1) * rows
    speed = counted / (last_cpu - cpu)
    seconds = last_clock - clock
    print(f"{name:22} {speed:12,.0f} rows a processor second, {counted / seconds:,.0f} by the clock ({found:,} events)")
    return speed


def main() -> None:
    devices, rows, circles = QUICK if "--quick" in sys.argv else USUAL
    print(f"{devices:,} devices, {rows:,} rows a micro-batch, {circles:,} circles, {SHARDS} shards, two processors")
    conditions = zones(circles)
    inside(conditions, devices, rows)
    from pyspark.sql import SparkSession

    import fencepost._spark.stream as stream

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "in").mkdir()
        for number in range(BATCHES):
            path = folder / "in" / f"{number}.parquet"
            pyarrow.parquet.write_table(micro_batch(number, devices, rows), path, row_group_size=rows // 4)
            os.utime(path, (1e9 + number,) * 2)
        builder = SparkSession.builder.master("local[2]")
        for setting, value in {
            "spark.driver.memory": "1500m",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.streaming.stateStore.providerClass": ROCKSDB,
            "spark.local.dir": name,
        }.items():
            builder = builder.config(setting, value)
        spark = builder.getOrCreate()
        spark.sparkContext.setLogLevel("OFF")
        real = stream.Processor
        through_spark(spark, folder, conditions, rows, "(warming up)", ordered=True)
        stream.Processor = passing(devices * 100 // SHARDS)  # type: ignore[assignment, misc]
        floor = through_spark(spark, folder, conditions, rows, "the floor")
        stream.Processor = real  # type: ignore[misc]
        ordered = through_spark(spark, folder, conditions, rows, "events, ordered=True", ordered=True)
        held = through_spark(spark, folder, conditions, rows, "events")
        print(f"of the floor           {ordered / floor:12.2f} with ordered=True, {held / floor:.2f} with rows held")
        spark.stop()


if __name__ == "__main__":
    main()
