"""Programs that people write first, as short as they should be: the reviews of 0.2 counted their lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("geopandas")
pytest.importorskip("nanoarrow")
MINUTE = 60_000_000


@pytest.fixture
def data(tmp_path: Path) -> dict[str, Any]:
    import geopandas
    import pandas
    import shapely

    boxes = [shapely.box(13.3 + 0.1 * x, 52.5, 13.35 + 0.1 * x, 52.55) for x in range(3)]
    zones = geopandas.GeoDataFrame({"identifier": ["west", "mid", "east"]}, geometry=boxes, crs="EPSG:4326")
    minutes = list(range(40)) * 2
    vans = pandas.DataFrame({
        "vehicle": ["a"] * 40 + ["b"] * 40,
        "lat": 52.52,
        "lon": [13.29 + 0.01 * minute for minute in minutes],
        "time": pandas.to_datetime([minute * MINUTE for minute in minutes], unit="us", utc=True),
    })  # fmt: skip
    zones.to_file(tmp_path / "zones.geojson")
    return {"vans": vans, "zones": zones, "zones_file": tmp_path / "zones.geojson"}


def lines_of(program: str) -> int:
    return len([line for line in program.strip().splitlines() if line.strip() and not line.startswith("import")])


VISITS = """
import fencepost
visits = fencepost.replay(vans, zones, device="vehicle").visits().to_pandas()
"""


def test_vans_and_polygons_to_visits(data: dict[str, Any]) -> None:
    """One line; no events of places where a van never was; the crossing, not its confirmation."""
    exec(VISITS, data)
    visits = data["visits"]
    assert lines_of(VISITS) == 1
    assert list(visits["vehicle"]) == ["a"] * 3 + ["b"] * 3
    assert list(visits["identifier"])[:3] == ["west", "mid", "east"]
    assert (visits["start"] <= visits["confirmed_start"]).all() and (visits["start"] < visits["end"]).all()


JOIN = """
import fencepost
joined = fixes.join(fencepost.Zones(zones).containing(fixes))
"""


def test_points_and_polygons_joined(data: dict[str, Any]) -> None:
    """One line, of frames or of a file, by columns or by the frame: the same rows, also after a filter."""
    data["fixes"] = data["vans"][data["vans"].lon > 13.4]
    exec(JOIN, data)
    by_frame = data["joined"]
    assert lines_of(JOIN) == 1
    import fencepost

    zones, fixes = fencepost.Zones(data["zones_file"]), data["fixes"]
    by_columns = fixes.join(zones.containing(fixes.lat, fixes.lon).to_pandas())
    assert by_frame.equals(by_columns) and len(by_frame) == len(fixes)
    held = by_frame.dropna(subset="identifier")
    expected = {"west": (13.3, 13.35), "mid": (13.4, 13.45), "east": (13.5, 13.55)}
    assert all(expected[row.identifier][0] <= row.lon <= expected[row.identifier][1] for row in held.itertuples())
    assert set(held["identifier"]) == {"mid", "east"}


ALERTS = """
import json, fencepost
fleet = fencepost.Fleet(zones, policy="exact")
for van in vans.itertuples():
    fleet.feed(van.vehicle, fencepost.Fix(van.lat, van.lon, time=van.time))
    for event in fleet.events():
        sent.append(json.dumps(event.to_dict() | {"kind": event.kind}))
"""


def test_a_service_with_a_fleet(data: dict[str, Any]) -> None:
    """Zones from what is at hand, times of pandas, events as JSON."""
    import json

    data["sent"] = []
    exec(ALERTS, data)
    assert lines_of(ALERTS) == 5
    found = [json.loads(line) for line in data["sent"]]
    assert [event["kind"] for event in found if event["device"] == "a"] == ["enter", "exit"] * 3
