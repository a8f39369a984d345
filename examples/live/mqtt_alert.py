"""Reports phones that come and go: python mqtt_alert.py mqtt://BROKER/owntracks/# ZONES.geojson STORE."""

import logging
import signal
import sys

from fencepost.live import Follower, LiveEvent, from_mqtt


def alert(event: LiveEvent) -> None:
    print(event.device, event.kind, event.identifier, flush=True)


logging.basicConfig(level=logging.INFO)
url, zones, store = sys.argv[1:]
# The broker recognises the client by its id, and stores messages while it is disconnected.
source = from_mqtt(url, client_id="alerts")
with Follower(zones, store=store, sinks=[alert]) as follower:
    signal.signal(signal.SIGTERM, lambda number, frame: follower.stop())
    follower.run(source)
source.close()
