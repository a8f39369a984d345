"""Turns a drive into a list of visits, a comparison of policies, and a page to look at. The output is the same on every
machine.

The page needs the extra `report`: pip install './bindings/python[report]'
"""

import tempfile
from pathlib import Path

from fencepost import Circle, compare, replay

data = Path(__file__).resolve().parents[1] / "data"

# The track may be GPX, CSV, GeoJSON, an NMEA log, a DataFrame, or a GeoDataFrame. The conditions may be a file, a
# frame, or a dict.
log = replay(data / "drive.csv", data / "conditions.geojson", sightings=data / "sightings.jsonl")
print(log)

for visit in log.visits():
    until = "still there" if visit.end is None else f"{visit.end:%H:%M:%S} ({visit.end_known})"
    print(f"{visit.identifier:20} {visit.start:%H:%M:%S} ({visit.start_known}) to {until}, {visit.duration}")

# Compare the same drive under three policies with the exact crossings.
places = {
    "campus": Circle(37.4220, -122.0841, radius=1_000),
    "exit": Circle(37.3331, -122.0341, radius=150),
}
for outcome in compare(data / "drive.csv", places):
    found = f"{outcome.visits} visits, {outcome.missed_visits} missed"
    print(f"{outcome.name:14} {found}, mean delay {outcome.mean_delay:.1f} s")

# The log also converts to tables and pages: log.to_pandas(), log.to_geopandas(), log.to_geojson("events.geojson"),
# log.visits().to_csv(…).
with tempfile.TemporaryDirectory() as folder:
    page = Path(folder) / "drive.html"
    log.report(page)
    print("a page of its own, which loads nothing:", 'src="http' not in page.read_text())
