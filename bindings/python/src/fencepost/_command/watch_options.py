"""The arguments of ``fencepost watch``."""

from __future__ import annotations

import argparse

from .._live.formats import FORMATS
from .._live.mqtt_sink import FORMATS as PUBLISH_FORMATS
from .._live.watched_fleet import MAX_DEVICES
from .._values.policy import TransitionPolicy
from .configuration import Configuration
from .options import add_defaults, add_path, add_vertex_limit, to_count, to_days, to_policy, to_seconds
from .watch_sources import AddSource


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of ``fencepost watch``."""
    add = parser.add_argument

    def add_seconds(name: str, default: float, help: str) -> None:
        add(name, type=to_seconds, default=default, metavar="S", help=f"{help} (default: %(default)s)")

    add(
        "--config",
        action=Configuration,
        metavar="FILE",
        help="read options from a TOML file; options after --config override it",
    )
    add(
        "--source",
        action=AddSource,
        metavar="FILE|-|gpsd://HOST:PORT|mqtt://HOST:PORT/TOPIC|http://HOST:PORT",
        help="where fixes come from: a file, a pipe (-), a gpsd, the messages of phones and trackers on a "
        "broker (mqtts: "
        "with TLS), or messages that they post to http://HOST:PORT; may be repeated",
    )
    add(
        "--format",
        choices=FORMATS,
        default="auto",
        help="format of a file or pipe (default: %(default)s); a GPX file is read completely before its fixes are fed",
    )
    add(
        "--by",
        metavar="KEY",
        help="follow many devices: KEY is the member of each JSON object that holds the device's name",
    )
    text = "name of the only device of the source; the events then contain this name"
    add("--as", dest="named", metavar="NAME", help=text)
    add(
        "--max-devices",
        type=to_count,
        default=MAX_DEVICES,
        metavar="N",
        help="follow at most N devices; fixes of more devices are refused (default: %(default)s)",
    )
    add("--expire", type=to_days, metavar="DAYS", help="remove a device that has had no input for this long")
    add(
        "--unknown-accuracy",
        type=to_seconds,
        default=0.0,
        metavar="METRES",
        help="accuracy to use for fixes that report no accuracy, or 0, which trackers send for an unknown accuracy "
        "(default: %(default)s)",
    )
    add(
        "--numbered-by",
        metavar="KEY",
        help="KEY is the member of each JSON object that holds the device's message number; missing messages "
        "are reported",
    )
    add(
        "--device",
        metavar="PATH",
        help="which receiver of a gpsd to follow, for example /dev/ttyUSB0 (default: the first that has a fix)",
    )
    add("--conditions", metavar="FILE", help="places: GeoJSON, CSV, GPX, or a vector file; SIGHUP reads the file again")
    add("--exec", metavar="CMD", help="run a shell command for each event (default: print the events)")
    text = "time limit of a command; a command that exceeds it is ended and run again (0: no limit)"
    add_seconds("--exec-timeout", 0.0, text)
    add(
        "--append",
        metavar="FILE",
        help="append each event as a line to a file; the line is on the disk before the event counts as handled",
    )
    add(
        "--publish",
        metavar="mqtt://HOST:PORT/TOPIC",
        help="publish events to a broker; the broker confirms each event before it counts as handled",
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
        help="publish retained messages: later subscribers get the last event of each device and place",
    )
    add(
        "--client-id",
        metavar="ID",
        help="MQTT client id (default: a random one, kept in --store); each watch needs its own id",
    )
    add(
        "--mqtt-login",
        metavar="FILE",
        help="file with user and password of the broker, on two lines (default: FENCEPOST_MQTT_USER and …_PASSWORD)",
    )
    add(
        "--http-login",
        metavar="FILE",
        help="file with the user and the password, on two lines, that clients of --source http://… must send; "
        "required if other computers can connect",
    )
    add(
        "--publish-login",
        metavar="FILE",
        help="file with user and password of the broker of --publish, on two lines (default: FENCEPOST_PUBLISH_USER "
        "and …_PASSWORD)",
    )
    add(
        "--mqtt-ca",
        metavar="FILE",
        help="CA certificates for TLS connections to brokers (default: those of the system)",
    )
    add("--store", metavar="DIR", help="save the states of the devices in this directory, which must exist")
    add("--name", help="name of the store (default: watch if there is one device, fleet if there are many)")
    add(
        "--policy",
        type=to_policy,
        default=TransitionPolicy.standard(),
        metavar="NAME",
        help="policy of all conditions: standard (default), exact or core_location",
    )
    add_defaults(parser)
    add_vertex_limit(parser)
    parser.set_defaults(assuming=None, own_id=None)
    add_path(parser)
    add_seconds("--lag", 5.0, "longest delay between the time of a live fix and its arrival")
    text = "hold each fix until its device has sent a fix that is this much later, and feed the fixes in order of time"
    add_seconds("--reorder", 0.0, text)
    add_seconds("--ahead", 60.0, "refuse fixes whose times are ahead of this computer's clock by more than this")
    add(
        "--any-time",
        action="store_true",
        help="accept fixes with any time; do not compare them with this computer's clock",
    )
    add_seconds("--reconnect", 300.0, "how long to retry a lost connection to gpsd (0: end the watch at once)")
    add(
        "--page",
        metavar="HOST:PORT",
        help="serve a page with the devices, events and rules, and /metrics for Prometheus",
    )
    add(
        "--page-token",
        metavar="FILE",
        help="file with the page's token on its first line; required if other computers can reach the page",
    )
    add(
        "--page-tiles",
        metavar="URL",
        help="tiles of a background map: https://SERVER/{z}/{x}/{y}.png (default: no background map)",
    )
    add(
        "--page-attribution",
        metavar="TEXT",
        help="copyright text of the background map (required, except for tiles of OpenStreetMap)",
    )
    add(
        "--log-format",
        choices=("text", "json"),
        default="text",
        help="format of messages on standard error (default: %(default)s)",
    )
