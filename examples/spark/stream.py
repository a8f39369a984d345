"""Fleet events with Spark Structured Streaming: reads files of vehicle positions, and writes files of events.

    python examples/spark/stream.py INPUT OUTPUT CHECKPOINT CONDITIONS

INPUT is a folder that receives CSV files (vehicle, lat, lon, accuracy, time_us). Each micro-batch writes its events to
OUTPUT/batch=N and replaces the output of an earlier attempt: the sink is idempotent, so no event occurs twice. Run the
program again after more files have arrived, or after it was killed; it continues from the checkpoint. With
`availableNow`, the program ends when it has read all files that were there at its start.
"""

from __future__ import annotations

import os
import sys
from typing import Any

# Workers use the Python installation that contains fencepost.
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)

from pyspark.sql import SparkSession

import fencepost.spark

SCHEMA = "vehicle string, lat double, lon double, accuracy double, time_us long"
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def main() -> None:
    source, output, checkpoint, conditions = sys.argv[1:]
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        # About one partition for each processor; the number cannot change while the checkpoint is in use.
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.streaming.stateStore.providerClass", ROCKSDB)
        # Long error messages from foreachBatch need a large stack; without it, the stream would stall after such a
        # message.
        .config("spark.driver.extraJavaOptions", "-Xss8m")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    rows = spark.readStream.schema(SCHEMA).option("header", True).option("maxFilesPerTrigger", 1).csv(source)
    events = fencepost.spark.events(rows, conditions, delay="60 seconds", shards=4)

    def write(batch: Any, number: int) -> None:
        batch.drop("tag").write.mode("overwrite").json(f"{output}/batch={number}")

    query = (
        events.writeStream.foreachBatch(write)
        .option("checkpointLocation", checkpoint)
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    counts = [each["observedMetrics"]["fencepost"] for each in query.recentProgress]
    print("accepted", sum(each["accepted"] for each in counts), "late", sum(each["late"] for each in counts))
    spark.stop()


if __name__ == "__main__":
    main()
