"""The program that test_kill.py starts: a stream that is killed again and again.

    job.py FOLDER CONDITIONS [die-after-write]

The stream's sink is idempotent: each micro-batch writes one file, which replaces the file of an earlier attempt.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import streams

from fencepost import spark as fencepost_spark


def main() -> None:
    folder, conditions, *options = sys.argv[1:]
    out = Path(folder, "out")
    spark = streams.session(Path(folder, "spark"))

    def keep(batch: Any, number: int) -> None:
        events = [streams.as_json(row) for row in batch.collect()]
        path = out / f"batch-{number:04}.json"
        again = path.exists()
        path.with_suffix(".new").write_text(json.dumps(events))
        path.with_suffix(".new").replace(path)
        with (out / "writes").open("a") as file:
            file.write(f"{number}\n")
        if options and events and not again:  # kill the process between the write and the commit
            os.kill(os.getpid(), signal.SIGKILL)

    source = spark.readStream.schema(streams.SCHEMA).option("header", True).option("maxFilesPerTrigger", 1)
    events = fencepost_spark.events(
        source.csv(str(Path(folder, "in"))), conditions, delay=f"{streams.DELAY} seconds", shards=4
    )
    query = (
        events.writeStream.foreachBatch(keep)
        .option("checkpointLocation", str(Path(folder, "checkpoint")))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    print("all is done", flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
