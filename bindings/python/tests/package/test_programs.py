"""Tests the first programs that users write; each program must be as short as users expect.

`live/test_own_service.py` runs the programs of `examples/live`.
"""

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
    """One line of code computes the visits. A place that a van never visited causes no events. A visit starts at
    the crossing, not at the time at which the crossing is confirmed."""
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
    """A join of fixes and zones takes one line of code. Joining a frame gives the same rows as joining its columns,
    even if the frame was filtered first."""
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
    """Takes zones from existing data, takes times from pandas, and writes events as JSON."""
    import json

    data["sent"] = []
    exec(ALERTS, data)
    assert lines_of(ALERTS) == 5
    found = [json.loads(line) for line in data["sent"]]
    assert [event["kind"] for event in found if event["device"] == "a"] == ["enter", "exit"] * 3


TUNED = """
import fencepost
policy = fencepost.tune(vans, zones, labels, device="vehicle").policy
"""


def test_labels_choose_a_policy(data: dict[str, Any]) -> None:
    """One line of code finds the best policy for labels in a frame. The result contains the precision and recall of
    each policy of a grid, after one pass over the rows."""
    import fencepost

    data["labels"] = (
        fencepost.replay(data["vans"], data["zones"], device="vehicle", policy="exact").visits().to_pandas()
    )
    exec(TUNED, data)
    assert lines_of(TUNED) == 1
    found = fencepost.tune(data["vans"], data["zones"], data["labels"], device="vehicle")
    assert found.policy == data["policy"] and found.best.precision == found.best.recall == 1
    assert len(found) > 20 and {"precision", "recall", "f1"} <= set(found.to_pandas().columns)


def test_what_was_a_snag_of_visits(data: dict[str, Any]) -> None:
    """Visits have geometries; their times and durations have types with which pandas can calculate."""
    exec(VISITS, data)
    visits = data["visits"]
    assert str(visits["start"].dtype) == "datetime64[us, UTC]" and visits["duration"].dtype.kind == "m"
    import fencepost

    located = fencepost.replay(data["vans"], data["zones"], device="vehicle").visits().to_geopandas()
    assert located.geometry.notna().all() and located.crs.to_epsg() == 4326


EXAMPLES = Path(__file__).resolve().parents[4] / "examples" / "live"


def test_the_programs_of_the_examples_are_half_as_long() -> None:
    """In version 0.2, the program for alerts had 60 lines, and the program with FastAPI had 35 lines."""
    for name, before in (("mqtt_alert", 60), ("fastapi_small", 35)):
        text = (EXAMPLES / f"{name}.py").read_text()
        assert 2 * len([line for line in text.splitlines() if line.strip()]) <= before, name
