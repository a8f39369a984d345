"""Tests `fencepost watch` with a mosquitto whose queues are short: the watch notices messages that the broker drops."""

from __future__ import annotations

import signal
from contextlib import ExitStack
from pathlib import Path

import pytest
from brokers import Broker, Phone, Watcher, conditions, location, mosquitto

pytest.importorskip("paho.mqtt.client", reason="paho-mqtt is installed by make test-all")
pytestmark = pytest.mark.skipif(mosquitto() is None, reason="mosquitto is not installed: .ci/mosquitto.sh")


def test_messages_that_the_broker_drops_are_said(tmp_path: Path) -> None:
    """While the watch is stopped, more messages come than the broker can queue. Each van's position is one message."""
    with ExitStack() as stack:
        settings = ("allow_anonymous true", "max_queued_messages 10", "sys_interval 1")
        broker = Broker(tmp_path / "broker", *settings)
        stack.callback(broker.stop)
        user = Phone(broker)
        stack.callback(user.close)
        folder = tmp_path / "watch"
        folder.mkdir()
        watch = Watcher(folder, "--source", broker.url, "--conditions", conditions(folder), "--store", folder)
        stack.callback(watch.end)
        watch.until(lambda: "subscribed to" in watch.said, "the subscription")
        # The count of dropped messages is a retained message, so it arrives before the first position.
        user.flush(user.send("owntracks/a/first", location(0)))
        watch.until(lambda: watch.events, "the first position")
        assert "has dropped" not in watch.said
        watch.process.send_signal(signal.SIGSTOP)
        try:
            # Publish more messages than the queue, the messages in flight and the connection's buffers can hold
            # together.
            for van in range(500):
                sent = user.send(f"owntracks/a/{van}", location(van, note="x" * 10_000))
            user.flush(sent)
        finally:
            watch.process.send_signal(signal.SIGCONT)
        watch.until(lambda: "max_queued_messages" in watch.said, "the notice")
        assert watch.stop() == 0
        assert 0 < len({event["device"] for event in watch.events}) < 501, "messages were lost"
