"""Tests `fencepost watch --reorder` with a mosquitto: no held message is lost, and none counts twice."""

from __future__ import annotations

import json
import os
import random
import signal
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from brokers import Broker, Phone, Watcher, conditions, location, mosquitto, until

pytest.importorskip("paho.mqtt.client", reason="paho-mqtt is installed by make test-all")
pytestmark = pytest.mark.skipif(mosquitto() is None, reason="mosquitto is not installed: .ci/mosquitto.sh")

DEVICES, SECONDS, WINDOW = 30, 120, 40


def test_kills_lose_no_held_message(tmp_path: Path) -> None:
    """The fixes of 30 phones arrive up to the window late, and the watch is killed or stopped after each quarter. The
    log equals the log of a watch that received the same fixes in order."""
    seed = int(os.environ.get("FENCEPOST_SEED", random.SystemRandom().randrange(1 << 32)))
    print(f"FENCEPOST_SEED={seed}")
    generator = random.Random(seed)
    rows = [
        (second, device, 0.01 * (generator.random() < 0.3)) for second in range(SECONDS) for device in range(DEVICES)
    ]
    late = sorted(rows, key=lambda row: row[0] + generator.uniform(0, WINDOW - 1))
    # The window is over when each phone sends its last fix.
    end = [(SECONDS + 10 * WINDOW, device, 0.0) for device in range(DEVICES)]
    with ExitStack() as stack:
        broker = Broker(tmp_path / "broker")
        stack.callback(broker.stop)
        user = Phone(broker)
        stack.callback(user.close)

        def start(name: str, *options: str) -> Watcher:
            folder = tmp_path / name
            folder.mkdir(exist_ok=True)
            watch = Watcher(
                folder, "--source", f"{broker.url}/{name}/#", "--conditions", conditions(folder), "--store", folder,
                *options,
            )  # fmt: skip
            stack.callback(watch.end)
            watch.until(lambda: "subscribed to" in watch.said, "the subscription")
            return watch

        def send(name: str, some: list[tuple[int, int, float]]) -> None:
            for second, device, longitude in some:
                sent = user.send(f"{name}/{device}", {
                    "device": str(device), "latitude": 0, "longitude": longitude, "accuracy": 5,
                    "time": location(second)["tst"],
                })  # fmt: skip
            user.flush(sent)

        ordered = start("ordered", "--lag", "3600")
        send("ordered", rows + end)
        # A silent device's fixes would be released after the lag; within the test, none is.
        options = ("--reorder", str(WINDOW), "--lag", "3600")
        watch = start("late", *options)
        quarter = len(late) // 4
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGKILL, signal.SIGKILL):
            before = len(watch.events)
            send("late", late[:quarter])
            late = late[quarter:]
            until(lambda watch=watch, before=before: len(watch.events) > before + 20, "some events")
            watch.stop(number)
            watch = start("late", *options)
        send("late", late + end)

        def log(events: list[dict[str, Any]]) -> list[str]:
            first = {(event["device"], event["sequence"]): event for event in reversed(events)}
            return sorted(
                json.dumps({**event, "source": None}) for event in first.values()
                if event["date"] < "2023-11-14T22:15:20"
            )  # fmt: skip

        ordered.until(lambda: len(log(ordered.events)) > 500, "the log in order")
        until(lambda: log(watch.events) == log(ordered.events), "the sorted log",
              lambda: f"{len(log(watch.events))} {len(log(ordered.events))} {watch.said}")  # fmt: skip
        print(f"{len(log(watch.events))} events, {len(watch.events) - len(log(watch.events))} again")
        assert ordered.stop() == watch.stop() == 0
