"""Follows ``guides/phones.md`` word for word, as a new user would, from an empty directory, on a separate machine with
Debian's mosquitto. ``mosquitto_pub`` sends the messages that a phone would send."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest
from brokers import mosquitto
from machines import ROOT, WHEELS, machine, make_wheels, why_not

PAGE = ROOT / "bindings" / "site" / "guides" / "phones.md"
HOME = "/srv/home"
OURS = re.compile(
    r"^<!-- run by bindings/python/live/test_phones_page.py -->\n```sh\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?",
    re.MULTILINE | re.DOTALL,
)
WHY_NOT = "mosquitto is not installed: .ci/mosquitto.sh" if mosquitto() is None else why_not()


@pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT))
def test_the_page_word_for_word() -> None:
    blocks = OURS.findall(PAGE.read_text())
    assert len(blocks) == 6
    as_root, install, broker, watch, phone, look = (code for code, _ in blocks)

    def furnish(disk: Path) -> None:
        """Provides the packages that pip would fetch."""
        shutil.copytree(make_wheels(), disk / WHEELS.lstrip("/"))

    with machine(furnish) as made:
        made.say(as_root)
        made.say(f"useradd --create-home --home-dir {HOME} alice")

        def say(script: str) -> str:
            return made.say(script, HOME, user="alice")

        def stay(script: str, said: str) -> None:
            """Starts commands that continue to run, as in a separate terminal."""
            say(f"nohup bash -euc {shlex.quote(script)} > {said} 2>&1 &")

        say(install)
        say(broker)
        stay(watch, "said")
        made.until("grep 'subscribed to' said", "the watch", HOME)
        stay(
            "stdbuf -oL mosquitto_sub -h 127.0.0.1 -u alice -P 'correct horse' -t owntracks/+/+/event -C 1 -d", "heard"
        )
        made.until("grep Subscribed heard", "a listener", HOME)
        say(phone)
        made.until("test -s events.jsonl", "the event", HOME)
        assert say(look) == blocks[5][1]
        assert json.loads(say("cat events.jsonl"))["source"] == {"batt": 71}
        assert made.say("stat -c %a login passwords token", HOME).split() == ["600"] * 3
        assert "correct" not in made.say("cat passwords", HOME), "passwords are not kept"
        transition = json.loads(made.until("grep '^{' heard", "the transition", HOME))
        assert (transition["_type"], transition["event"], transition["desc"]) == ("transition", "enter", "home")
        # From the phone, the page can be opened only with the token.
        fetch = "import sys; from urllib.request import *; q = Request(sys.argv[1], headers={sys.argv[2]: sys.argv[3]})"
        fetch += "; print(urlopen(q).read().decode())"
        page = f"python3 -c {shlex.quote(fetch)} http://127.0.0.1:8090/"
        assert "<title>Fencepost" in say(f'{page} Authorization "Bearer $(cat token)"')
        assert made.run(f"{page} X-None none", HOME).returncode != 0
        # Stop the watch while the phone continues to send. When the same command starts the watch again, the watch
        # reads the messages that the phone sent in the meantime.
        made.say("pkill -INT -f '^[^ ]*python[^ ]* fencepost/bin/fencepost'")
        made.until("! pgrep -f '^[^ ]*python[^ ]* fencepost/bin/fencepost'", "the end")
        say(phone.replace("owntracks/alice/phone", "owntracks/alice/watch"))
        stay(watch, "again")
        made.until("grep alice/watch events.jsonl", "what the broker held", HOME)
        devices = [json.loads(line)["device"] for line in say("cat events.jsonl").splitlines()]
        assert devices == ["alice/phone", "alice/watch"], "and nothing twice"
