"""The arguments of ``fencepost watch``."""

from __future__ import annotations

import argparse

from .._live.formats import FORMATS
from .._live.mqtt_sink import FORMATS as PUBLISH_FORMATS
from .._live.watched_fleet import MAX_DEVICES
from .._values.policy import TransitionPolicy
from .configuration import Configuration
from .options import add_defaults, add_path, to_count, to_days, to_policy, to_seconds
from .watch_sources import AddSource


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of ``fencepost watch``."""
    add = parser.add_argument

    def add_seconds(name: str, default: float, help: str) -> None:
        add(name, type=to_seconds, default=default, metavar="S", help=f"{help} (default: %(default)s)")

    add("--config", action=Configuration, metavar="FILE", help="options in a TOML file; those behind it win")
    add(
        "--source",
        action=AddSource,
        metavar="FILE|-|gpsd://HOST:PORT|mqtt://HOST:PORT/TOPIC|http://HOST:PORT",
        help="fixes of a file or pipe, or a gpsd; messages of phones and trackers of a broker (mqtts: with TLS), "
        "or that they post to http://HOST:PORT; "
        "several times: of all of them",
    )
    add("--format", choices=FORMATS, default="auto", help="of a file or pipe; GPX is read to its end first")
    add("--by", metavar="KEY", help="follow many devices: the member of a JSON object that names its device")
    add("--as", dest="named", metavar="NAME", help="follow one device as one of many: events say its name")
    add(
        "--max-devices",
        type=to_count,
        default=MAX_DEVICES,
        metavar="N",
        help="refuse fixes of more devices (default: %(default)s)",
    )
    add("--expire", type=to_days, metavar="DAYS", help="remove devices without inputs for this long")
    add_seconds(
        "--unknown-accuracy", 0.0, "metres: the accuracy of fixes that have none, or 0, which trackers send for it"
    )
    add(
        "--numbered-by",
        metavar="KEY",
        help="the member of a JSON object with the device's message number: missing messages are counted and reported",
    )
    add("--device", metavar="PATH", help="of a gpsd with several; without it the first that has a fix is followed")
    add("--conditions", metavar="FILE", help="as for replay; read again on SIGHUP")
    add("--exec", metavar="CMD", help="a shell command; without it events are printed")
    add_seconds("--exec-timeout", 0.0, "end a command that takes longer, and run it again; 0: it may take any time")
    add("--append", metavar="FILE", help="append events to a file, a line each, on the disk before they are handled")
    add(
        "--publish",
        metavar="mqtt://HOST:PORT/TOPIC",
        help="publish events to a broker, which has them before they are handled",
    )
    add(
        "--publish-format",
        choices=PUBLISH_FORMATS,
        default="json",
        help="the format of published events (default: %(default)s)",
    )
    add(
        "--publish-retain",
        action="store_true",
        help="the broker keeps the last event of each device and place, for those who come later",
    )
    add(
        "--client-id",
        metavar="ID",
        help="what brokers know this watch by (default: a random one, kept in --store); two watches need two",
    )
    add("--mqtt-login", metavar="FILE", help="user and password, a line each; else FENCEPOST_MQTT_USER and …_PASSWORD")
    add(
        "--http-login",
        metavar="FILE",
        help="user and password that posted messages need; required beyond this computer",
    )
    add("--publish-login", metavar="FILE", help="of another broker; else FENCEPOST_PUBLISH_USER and …_PASSWORD")
    add("--mqtt-ca", metavar="FILE", help="certificates that brokers are checked with; without it those of the system")
    add("--store", metavar="DIR", help="save the devices' states in that directory, which must exist")
    add("--name", help="its name in the store (default: watch; of many devices: fleet)")
    add("--policy", type=to_policy, default=TransitionPolicy.standard(), metavar="NAME", help="as for replay")
    add_defaults(parser)
    parser.set_defaults(assuming=None, own_id=None)
    add_path(parser)
    add_seconds("--lag", 5.0, "how late a live fix may come")
    add_seconds("--ahead", 60.0, "refuse fixes that are more ahead of this computer's clock")
    add("--any-time", action="store_true", help="take fixes of any time; nothing is compared with the clock")
    add_seconds("--reconnect", 300.0, "how long a gpsd that was lost is tried again; 0: end with it")
    add("--page", metavar="HOST:PORT", help="serve a page that shows what goes on, and /metrics for Prometheus")
    add("--page-token", metavar="FILE", help="whose first line opens the page; needed for more than this computer")
    add(
        "--page-tiles",
        metavar="URL",
        help="a background map: https://SERVER/{z}/{x}/{y}.png; without it only this server is used",
    )
    add("--page-attribution", metavar="TEXT", help="whose map it is, shown on it; OpenStreetMap's is known")
    add("--log-format", choices=("text", "json"), default="text", help="the level of messages on standard error")
