"""Counts crossings of a line by direction. The line is the Rhine in Basel, and the tracks are a recorded ride over a
bridge and the trips of a ferry.

The line lies along the middle of the river, from west to east, so the northern side is the left side. A gate needs a
path, which gives the positions between two fixes. A path matters most for the ferry, which reports only every three
minutes and never while it is on the water.
"""

from collections import Counter
from pathlib import Path

from fencepost import Fix, Gate, replay

TRACK = Path(__file__).parent.parent / "data" / "tracks" / "gpx" / "bike-basel.gpx"
SOUTH, NORTH = (47.55850, 7.59190), (47.55975, 7.59300)  # the ferry landings
START = 1_714_554_000_000_000  # 2024-05-01 09:00:00 UTC, in microseconds
MINUTE = 60_000_000

gates = {"rhine": Gate([(47.5615, 7.5860), (47.5585, 7.5940), (47.5565, 7.5985), (47.5590, 7.6100)], order="latlon")}

print("the ride")
for event in replay(TRACK, gates, path="geodesic", max_gap=60):
    print(f"  {event.date:%H:%M:%S.%f} {event.direction}, at {event.latitude:.5f}, {event.longitude:.5f}")

ferry = [Fix(*(SOUTH, NORTH)[run % 2], accuracy=10, time=START + 3 * run * MINUTE) for run in range(8)]
log = replay(ferry, gates, path="geodesic", max_gap=300)
print("the ferry")
for event in log:
    print(f"  {event.date:%H:%M:%S} {event.direction}")
print("in all", dict(sorted(Counter(str(event.direction) for event in log).items())))
