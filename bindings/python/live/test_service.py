"""Tests the files of ``examples/service``: systemd finds no fault in them, and the configuration works."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from brokers import Broker, Phone, Watcher, location, mosquitto

FILES = Path(__file__).resolve().parents[3] / "examples" / "service"
needs_systemd = pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not here")


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """Writes a systemd unit that starts the `fencepost` command of this Python environment."""
    path = tmp_path / "fencepost-watch.service"
    text = (FILES / path.name).read_text()
    command = Path(sys.executable).with_name("fencepost")
    assert os.access(command, os.X_OK)
    path.write_text(text.replace("/opt/fencepost/bin/fencepost", str(command)))
    return path


@needs_systemd
def test_systemd_finds_nothing_wrong(unit: Path) -> None:
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0
    assert not [line for line in done.stderr.splitlines() if "fencepost" in line], done.stderr
    # systemd reports a mistake in a unit file.
    unit.write_text(unit.read_text().replace("WatchdogSec=60", "WatchdogSeconds=60"))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True, text=True, timeout=60
    )
    assert "WatchdogSeconds" in done.stderr


@needs_systemd
def test_systemd_calls_it_safe(unit: Path) -> None:
    command = ["systemd-analyze", "security", "--offline=true", "--threshold=25", "--no-pager", str(unit)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout[-500:] + done.stderr


@needs_systemd
def test_users_and_folders(tmp_path: Path) -> None:
    for name in ("sysusers", "tmpfiles"):
        target = tmp_path / f"{name}.d"
        target.mkdir()
        shutil.copy(FILES / f"{name}.conf", target / "fencepost.conf")
    (tmp_path / "etc").mkdir()
    root = f"--root={tmp_path}"
    users = ["systemd-sysusers", root, str(tmp_path / "sysusers.d" / "fencepost.conf")]
    done = subprocess.run(users, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^fencepost:", (tmp_path / "etc" / "passwd").read_text(), re.MULTILINE)
    folders = ["systemd-tmpfiles", root, "--create", str(tmp_path / "tmpfiles.d" / "fencepost.conf")]
    done = subprocess.run(folders, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    state = tmp_path / "var" / "lib" / "fencepost"
    assert state.is_dir() and state.stat().st_mode & 0o777 == 0o750


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.mark.skipif(mosquitto() is None, reason="mosquitto is not installed: .ci/mosquitto.sh")
def test_the_configuration_works(stack: ExitStack, tmp_path: Path) -> None:
    pytest.importorskip("paho.mqtt.client", reason="paho-mqtt is installed by make test-all")
    pytest.importorskip("uvicorn", reason="uvicorn is installed by make test-all")
    broker = Broker(tmp_path / "broker")
    stack.callback(broker.stop)
    state = tmp_path / "state"
    state.mkdir()
    text = (FILES / "watch.toml").read_text()
    text = text.replace("127.0.0.1:1883", f"127.0.0.1:{broker.port}").replace("127.0.0.1:8090", "127.0.0.1:0")
    text = text.replace("/var/lib/fencepost", str(state)).replace("/etc/fencepost", str(FILES))
    (tmp_path / "watch.toml").write_text(text)
    watch = Watcher(state, "--config", tmp_path / "watch.toml")
    stack.callback(watch.end)
    watch.until(lambda: "subscribed to" in watch.said, "the subscription")
    user = Phone(broker, topic="owntracks/+/+/event")
    stack.callback(user.close)
    user.send("owntracks/alice/phone", location(0, 13.4) | {"lat": 52.5})
    watch.until(lambda: user.heard, "the transition")
    assert user.heard[0][0] == "owntracks/alice/phone/event" and user.heard[0][1]["desc"] == "office"
    watch.until(lambda: watch.reported == [("alice/phone", "satisfied", 1)], "the file")
    assert watch.stop() == 0
