"""Tests columns and properties of conditions that look like limits of height, and the names in `columns`."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest

from fencepost import AltitudeBand, Circle, Fix, InputError, InputWarning, Monitor, TransitionPolicy, replay
from fencepost._files.condition_files import read_conditions

GROUND = AltitudeBand(max=120, reference="ground")


def bands(source: Any, **options: Any) -> list[AltitudeBand | None]:
    return [row.band for row in read_conditions(source, TransitionPolicy.standard(), **options)]


def written(path: Path, properties: dict[str, Any]) -> Path:
    """Writes one circle with these columns or properties."""
    if path.suffix == ".csv":
        cells = {"id": "a", "lat": 47.35, "lon": 8.55, "radius": 100, **properties}
        path.write_text(",".join(map(str, cells)) + "\n" + ",".join(map(str, cells.values())) + "\n")
    else:
        geometry = {"type": "Point", "coordinates": [8.55, 47.35]}
        feature = {"type": "Feature", "geometry": geometry, "properties": {"id": "a", "radius": 100, **properties}}
        path.write_text(json.dumps({"type": "FeatureCollection", "features": [feature]}))
    return path


@pytest.mark.parametrize("kind", ["csv", "geojson"])
@pytest.mark.parametrize(
    "name",
    [
        "altitude_max_ft", "altitude_min_m", "altitudeMaxFeet", "max_altitude", "min_alt", "alt-upper", "ALT_MAX",
        "Upper Limit", "lowerLimit", "ceiling_ft", "floor_ft", "elevation_max", "altitude_floor",
        "altitude_max_reference",
    ],
)  # fmt: skip
def test_units_and_references_are_not_guessed(kind: str, name: str, tmp_path: Path) -> None:
    """A column of feet, or without a reference, is not a limit in metres. The zone would have no limit without a
    word."""
    path = written(tmp_path / f"zones.{kind}", {name: 400})
    with pytest.warns(InputWarning) as caught:
        assert bands(path) == [None]
    assert [repr(name) in str(each.message) for each in caught] == [True]


@pytest.mark.parametrize("kind", ["csv", "geojson"])
@pytest.mark.parametrize(
    "name", ["altitude", "elevation", "floor", "max_speed", "maxheight", "asphalt", "default_max", "limit", "salt_min"]
)
def test_other_columns_are_no_limits(kind: str, name: str, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert bands(written(tmp_path / f"zones.{kind}", {name: 400})) == [None]


@pytest.mark.parametrize("kind", ["csv", "geojson"])
def test_named_columns(kind: str, tmp_path: Path) -> None:
    path = written(tmp_path / f"zones.{kind}", {"ceiling_m": 120, "above": "ground", "altitude_note": "x"})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert bands(path, columns={"altitude_max": "ceiling_m", "altitude_max_reference": "above"}) == [GROUND]
    with pytest.raises(InputError, match="altitude_max_reference"):
        bands(path, columns={"altitude_max": "ceiling_m"})
    with pytest.raises(InputError, match="ceiling_km"):
        bands(path, columns={"altitude_max": "ceiling_km"})


@pytest.mark.parametrize("kind", ["csv", "geojson"])
def test_case_and_punctuation_do_not_count(kind: str, tmp_path: Path) -> None:
    path = written(tmp_path / f"zones.{kind}", {"altitudeMax": 120, "Altitude Max Reference": "ground"})
    assert bands(path) == [GROUND]


def test_properties_of_a_timing_can_be_named(tmp_path: Path) -> None:
    path = written(tmp_path / "zones.geojson", {"limit": 3})
    (row,) = read_conditions(path, TransitionPolicy.standard(), columns={"max_events": "limit"})
    assert row.timing is not None and row.timing.max_events == 3


def test_a_shapefile_cuts_the_names(tmp_path: Path) -> None:
    geopandas = pytest.importorskip("geopandas")
    columns = {"id": ["a"], "radius": [100.0], "altitude_max": [120.0], "altitude_max_reference": ["ground"]}
    frame = geopandas.GeoDataFrame(columns, geometry=geopandas.points_from_xy([8.55], [47.35]), crs=4326)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frame.to_file(tmp_path / "zones.shp")
    with pytest.warns(InputWarning, match="altitude_m"):
        assert bands(tmp_path / "zones.shp") == [None]
    names = {"altitude_max": "altitude_m", "altitude_max_reference": "altitude_1"}
    assert bands(tmp_path / "zones.shp", columns=names) == [GROUND]


def test_records_of_another_monitor_keep_their_bands() -> None:
    """A replay with the zones of a monitor lost the limits of height without a word."""
    monitor = Monitor()
    monitor.add(Circle(47.35, 8.55, 500), "zone", policy="exact", band=AltitudeBand(0, 100))
    fixes = [Fix(47.35, 8.55, 5, time=1_772_434_800_000_000 + at, altitude=500 - at) for at in (0, 450)]
    expected = [("unsatisfied", 400.0), ("satisfied", -50.0)]
    for source in (monitor, dict(monitor)):
        log = replay(fixes, source)
        assert [(str(event.state), event.vertical_distance) for event in log] == expected
