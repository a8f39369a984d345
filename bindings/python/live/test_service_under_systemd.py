"""Follows the README of ``examples/service`` word for word, on a machine whose first process is systemd."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import time
from pathlib import Path

import pytest
from brokers import mosquitto
from machines import CLONE, ROOT, WHEELS, Machine, machine, make_wheels, why_not

FILES = ROOT / "examples" / "service"
WHY_NOT = "mosquitto is not installed: .ci/mosquitto.sh" if mosquitto() is None else why_not()
pytestmark = pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT))
EVENTS = "/var/lib/fencepost/events.jsonl"


def publish(device: str, longitude: float, login: str = "None") -> str:
    """Returns a command that publishes a message as a phone does."""
    fix = {"_type": "location", "lat": 52.5, "lon": longitude, "acc": 5, "tst": int(time.time())}
    code = f"from paho.mqtt import publish; publish.single('owntracks/{device}', '{json.dumps(fix)}', 1, auth={login})"
    return f"/opt/fencepost/bin/python -c {shlex.quote(code)}"


def walked(made: Machine, block: str) -> None:
    """Runs a block of the README."""
    done = made.run(block, CLONE, seconds=1200)
    log = made.run("journalctl --no-pager -u fencepost-watch").stdout
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}\n{log}"


def test_the_readme_word_for_word() -> None:
    install, broker = re.findall(r"^```sh\n(.*?)^```", (FILES / "README.md").read_text(), re.MULTILINE | re.DOTALL)

    def furnish(disk: Path) -> None:
        """Puts a clone of the example with a built wheel on the disk, together with the packages that pip would
        otherwise download."""
        clone, wheels = disk / CLONE.lstrip("/"), disk / WHEELS.lstrip("/")
        shutil.copytree(FILES, clone / "examples" / "service")
        shutil.copytree(make_wheels(), wheels)
        (clone / ".build" / "dist").mkdir(parents=True)
        (ours,) = wheels.glob("fencepost-*.whl")
        shutil.copy(ours, clone / ".build" / "dist")

    with machine(furnish) as made:
        # If the machine had a network, installing Debian's mosquitto would also start it.
        made.say("systemctl start mosquitto")
        walked(made, install)
        # The service has reported that it is ready, because `systemctl enable --now` waits for that report.
        assert made.say("systemctl is-active fencepost-watch").strip() == "active"
        shown = dict(
            line.split("=", 1) for line in made.say("systemctl show fencepost-watch").splitlines() if "=" in line
        )
        assert (shown["Type"], shown["User"], shown["WatchdogUSec"]) == ("notify", "fencepost", "1min")
        made.say("systemd-analyze verify --man=no /etc/systemd/system/fencepost-watch.service")
        made.say(publish("alice/phone", 13.4))
        reported = made.until(f"grep satisfied {EVENTS}", "the event")
        assert json.loads(reported)["device"] == "alice/phone"
        assert made.say(f"stat -c %U {EVENTS}").strip() == "fencepost"
        fetch = "import sys, urllib.request as r; print(r.urlopen(sys.argv[1]).read().decode())"
        page = f"python3 -c {shlex.quote(fetch)} http://127.0.0.1:8090/"
        assert "<title>Fencepost" in made.say(page)
        made.until(f"{page}metrics | grep 'fencepost_events_total 1.0'", "the counter")
        # The service's user may change the places file.
        made.say("sed -i s/office/work/ /etc/fencepost/places.geojson; systemctl reload fencepost-watch")
        made.until("journalctl -u fencepost-watch | grep 'reloaded: 1 added, 0 replaced, 1 removed'", "the reload")
        assert made.say("systemctl is-active fencepost-watch").strip() == "active"
        # systemd restarts the watch, which continues where it stopped: it reads the messages that were sent meanwhile.
        made.say("systemctl kill -s KILL fencepost-watch")
        made.say(publish("bob/phone", 13.4))
        made.until(f"grep bob/phone {EVENTS}", "what the broker held")
        assert made.say("systemctl show -p NRestarts --value fencepost-watch").strip() == "1"
        # A broker with users. The watch reads its password from a file that only root may read.
        walked(made, broker)
        made.say("systemctl is-active fencepost-watch")
        refused = made.run(publish("carol/phone", 13.4))
        assert refused.returncode != 0 and "Not authorized" in refused.stderr
        made.say(publish("alice/watch", 13.4, "dict(username='alice', password='correct horse')"))
        made.until(f"grep alice/watch {EVENTS}", "the event of a user")
        made.say("systemctl stop fencepost-watch")
        assert made.say("systemctl show -p Result --value fencepost-watch").strip() == "success"
        # systemd-run starts the watch, which becomes ready, is still alive after the watchdog's timeout, reloads, and
        # stops.
        command = "/opt/fencepost/bin/fencepost watch --config /etc/fencepost/watch.toml"
        made.say(
            "systemd-run --unit=tried --service-type=notify --property=WatchdogSec=8 --property=NotifyAccess=main "
            "--property=EnvironmentFile=/etc/fencepost/environment "
            f"--uid=fencepost --working-directory=/var/lib/fencepost {command}"
        )
        time.sleep(9)  # longer than the watchdog's timeout of 8 s
        assert made.say("systemctl is-active tried").strip() == "active"
        # systemd ends a watch that stops reporting its state.
        made.say("systemctl kill -s STOP --kill-whom=main tried")
        made.until("test $(systemctl show -p Result --value tried) = watchdog", "the watchdog")
