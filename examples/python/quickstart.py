"""Sixty seconds of fencepost: a circle, a beacon, some inputs, the events. The output is the same on every machine."""

from datetime import UTC, datetime, timedelta

from fencepost import Beacon, BeaconSighting, Circle, Fix, Monitor, State

BEACON = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"
nine = datetime(2024, 5, 1, 9, 0, tzinfo=UTC)

monitor = Monitor()
monitor.add(Circle(37.3349, -122.0090, radius=200), "office", assuming=State.UNSATISFIED)
monitor.add(Beacon(BEACON, major=1), "desk")

# The device walks east towards the office, with one fix every ten seconds. The library reads no clock: you pass the
# time.
for step in range(40):
    when = nine + timedelta(seconds=10 * step)
    monitor.feed(Fix(37.3349, -122.0140 + step * 0.00015, accuracy=8, time=when))
    if step >= 35:
        monitor.feed_sightings(BeaconSighting(BEACON, major=1, minor=7, rssi=-60), time=when)
    for event in monitor.events():
        print(f"{event.date:%H:%M:%S} {event.identifier} is {event.state} ({event.cause})")

print(monitor.explain("office"))

# After a minute without any sighting, the beacon counts as absent.
monitor.advance(nine + timedelta(seconds=450))
for event in monitor.events():
    print(event.to_json())

record = monitor.record("desk")
assert record is not None
print(record.identifier, "was last", record.last_event.state, "at", record.last_event.date)
