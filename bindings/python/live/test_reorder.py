"""Tests `fencepost watch --reorder` with a mosquitto: no held message is lost, and none counts twice."""

from __future__ import annotations

import json
import logging
import os
import random
import signal
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from brokers import Broker, Phone, Watcher, conditions, location, mosquitto, until

from fencepost import Circle
from fencepost.live import Follower, from_mqtt

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


def test_a_restarted_broker_delivers_the_held_messages_again_and_they_count_once(tmp_path: Path) -> None:
    """The limit of held messages applies to one connection, so the repetitions do not release the first messages."""
    said: list[str] = []
    logger = logging.Logger("reorder")
    logger.addHandler(Said(said))
    with ExitStack() as stack:
        broker = Broker(tmp_path / "broker")
        stack.callback(broker.stop)
        source = from_mqtt(f"{broker.url}/vans/#", client_id="vans", holds=True, logger=logger)
        stack.callback(source.close)
        source.most_untaken = 100
        follower = Follower(
            {"office": Circle(0, 0, 200)}, sinks=[lambda event: None], reorder=3600, ahead=None, logger=logger
        )
        thread = threading.Thread(target=follower.run, args=[source])
        thread.start()
        stack.callback(thread.join)
        stack.callback(follower.stop)
        until(lambda: any("subscribed to" in text for text in said), "the subscription", lambda: str(said))
        user = Phone(broker)
        fixes = [{"device": f"van {number}", "latitude": 0, "longitude": 0, "accuracy": 5} for number in range(70)]
        for number, fix in enumerate(fixes):
            sent = user.send("vans/all", {**fix, "time": location(number)["tst"]})
        user.flush(sent)
        user.close()
        watcher = follower._watcher
        assert watcher.sorter is not None
        held = watcher.sorter
        until(lambda: len(held) == 70, "the fixes", lambda: str(len(held)))
        for again in (1, 2):
            broker.stop()
            broker.start()
            until(lambda again=again: watcher.counts["double_fixes"] == 70 * again, "the repetitions",
                  lambda: f"{watcher.counts} {said}")  # fmt: skip
            assert len(held) == 70 and len(watcher.inputs[0].tickets) == 70
        assert not any("early" in text for text in said)


class Said(logging.Handler):
    """Collects the texts of a logger."""

    def __init__(self, said: list[str]) -> None:
        super().__init__()
        self._said = said

    def emit(self, record: logging.LogRecord) -> None:
        self._said.append(record.getMessage())
