"""Tests columns whose names state another unit, and GeoJSON properties that state another reference of heights. Their
values were read as metres above the ellipsoid without a word."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fencepost import Circle, Monitor, replay
from fencepost._files.track_files import read_tracks
from fencepost.errors import InputWarning

TIMES = [f"2026-01-01T00:00:0{second}Z" for second in range(3)]
PLACE = {"a": Circle(47.35, 8.55, 100)}


def warned(play: Callable[[], Any]) -> list[str]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        play()
    return [str(each.message) for each in found if issubclass(each.category, InputWarning)]


def table(folder: Path, name: str, kind: str = "csv") -> Any:
    """A track with a column `name`, and the columns `altitude` and `device`."""
    if kind == "csv":
        path = folder / "track.csv"
        path.write_text(
            f"time,lat,lon,device,altitude,{name}\n" + "".join(f"{at},47.35,8.55,x,500,30\n" for at in TIMES)
        )
        return path
    if kind == "geojson":
        features = [
            {
                "type": "Feature",
                "properties": {"time": at, "device": "x", name: 30},
                "geometry": {"type": "Point", "coordinates": [8.55, 47.35, 500]},
            }
            for at in TIMES
        ]
        path = folder / "track.geojson"
        path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
        return path
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    rows = {"time": pandas.to_datetime(TIMES), "lat": 47.35, "lon": 8.55, "device": "x", "altitude": 500.0, name: 30.0}
    frame = pandas.DataFrame(rows)
    if kind == "frame":
        return frame
    frame.to_parquet(folder / "track.parquet")
    return folder / "track.parquet"


ROLES = ("altitude", "vertical_accuracy", "geoid_height", "ground_height", "accuracy")


@pytest.mark.parametrize("kind", ["csv", "geojson", "frame", "parquet"])
@pytest.mark.parametrize("device", [None, "device"])
@pytest.mark.parametrize("what", ROLES)
def test_a_named_column_of_feet(what: str, device: str | None, kind: str, tmp_path: Path) -> None:
    if kind == "geojson" and what == "altitude":
        return  # the altitude is in the geometry
    columns = {what: "h_ft"} if what in ("altitude", "accuracy") or kind == "geojson" else {"altitude": "altitude"}
    columns[what] = "h_ft"
    options: dict[str, Any] = {} if device is None else {"device": device}
    (text,) = warned(lambda: replay(table(tmp_path, "h_ft", kind), PLACE, columns=columns, **options))
    assert "'h_ft'" in text and f"as the {what} in metres" in text and "'ft'; convert it to metres" in text
    columns[what] = "h_m"
    assert not warned(lambda: replay(table(tmp_path, "h_m", kind), PLACE, columns=columns, **options))


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("alt_ft", "ft"), ("altFt", "ft"), ("altft", "ft"), ("Altitude (feet)", "feet"), ("ALTITUDE_FEET", "feet"),
        ("altitudeInFeet", "feet"), ("alt km", "km"), ("alt[cm]", "cm"), ("alt_ft_hae", "ft"), ("height_yd", "yd"),
        ("alt_fl", "fl"), ("alt_nmi", "nmi"),
        ("alt", None), ("alt_m", None), ("ellipsoidAltitudeMetres", None), ("left", None), ("shift", None),
        ("alt_hae", None), ("drift_height", None), ("height above mile post (m)", None), ("dmm", None),
    ],
)  # fmt: skip
def test_names_that_state_a_unit(name: str, unit: str | None, tmp_path: Path) -> None:
    found = warned(lambda: read_tracks(str(table(tmp_path, name)), columns={"altitude": name}))
    assert len(found) == (unit is not None)
    assert unit is None or f"the unit {unit!r}" in found[0]


@pytest.mark.parametrize("name", ["alt_msl", "heightAGL", "altitude_amsl"])
def test_names_that_state_a_reference(name: str, tmp_path: Path) -> None:
    (text,) = warned(lambda: read_tracks(str(table(tmp_path, name)), columns={"altitude": name}))
    assert repr(name) in text and "above the ellipsoid" in text
    columns = {"altitude": "altitude", "ground_height": name}
    assert not warned(lambda: read_tracks(str(table(tmp_path, name)), columns=columns))


def test_rows_that_a_monitor_is_fed(tmp_path: Path) -> None:
    monitor = Monitor(PLACE)
    frame = table(tmp_path, "alt_ft", "frame").assign(time=range(3))
    (text,) = warned(lambda: monitor.feed_many(frame, columns={"altitude": "alt_ft"}))
    assert "'alt_ft'" in text and text.startswith("fixes: ")


@pytest.mark.parametrize("kind", ["csv", "geojson", "frame"])
@pytest.mark.parametrize("what", ["radius", "altitude_max"])
def test_conditions(what: str, kind: str, tmp_path: Path) -> None:
    values = {"id": "a", "size_ft": 120, "radius": 100, "altitude_max_reference": "ground"}
    source: Any = tmp_path / f"zones.{kind}"
    if kind == "csv":
        cells = values | {"lat": 47.35, "lon": 8.55}
        source.write_text(",".join(cells) + "\n" + ",".join(map(str, cells.values())) + "\n")
    elif kind == "geojson":
        geometry = {"type": "Point", "coordinates": [8.55, 47.35]}
        feature = {"type": "Feature", "geometry": geometry, "properties": values}
        source.write_text(json.dumps({"type": "FeatureCollection", "features": [feature]}))
    else:
        pytest.importorskip("pyarrow")
        source = pytest.importorskip("pandas").DataFrame([values | {"lat": 47.35, "lon": 8.55}])
    columns = {"altitude_max": "size_ft"} if what == "altitude_max" else {"radius": "size_ft", "altitude_max": "size_m"}
    if what == "radius":
        columns = {"radius": "size_ft"}
        values.pop("altitude_max_reference")
    track = table(tmp_path, "x")
    found = warned(lambda: replay(track, source, conditions_columns=columns))
    (text,) = [each for each in found if "size_ft" in each]
    assert f"as the {what} in metres" in text and "convert it to metres" in text


# GeoJSON -------------------------------------------------------------------------------------------------------------


def heights(folder: Path, properties: dict[str, Any], kind: str = "Point") -> list[float]:
    """The heights that are read from a file with two features; only the first has these properties."""
    position: Any = [8.55, 47.35, 500]
    own: dict[str, Any] = {"time": TIMES[0]}
    if kind == "LineString":
        position, own = [position, position], {"times": TIMES[:2]}
    features = [
        {"type": "Feature", "properties": own | more, "geometry": {"type": kind, "coordinates": position}}
        for more in (properties, {})
    ]
    path = folder / "track.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    (track,) = read_tracks(str(path))
    return [fix[7] for fix in track.fixes if len(fix) > 4]


@pytest.mark.parametrize("kind", ["Point", "LineString"])
@pytest.mark.parametrize("name", ["altitudeMode", "altitude_mode", "gx:altitudeMode", "altitude_reference"])
@pytest.mark.parametrize("value", ["relativeToGround", "absolute", "clampToGround", "AGL", "mean_sea_level", 1, ["x"]])
def test_a_property_states_the_reference(name: str, value: Any, kind: str, tmp_path: Path) -> None:
    count = 1 if kind == "Point" else 2
    with pytest.warns(InputWarning) as caught:
        assert heights(tmp_path, {name: value, "ground_height": 400}, kind) == [500] * count
    (text,) = (str(each.message) for each in caught)
    assert repr(name) in text and repr(value) in text and "features[0]" in text and "not read" in text


@pytest.mark.parametrize(
    "properties",
    [
        {"altitudeMode": None}, {"altitudeMode": ""}, {"altitude_reference": "ellipsoid"}, {"altitudeMode": "WGS84"},
        {"altitudeMode": "hae"}, {"height_datum": "WGS 84 ellipsoid"}, {"mode": "absolute"}, {"reference": "x"},
    ],
)  # fmt: skip
def test_other_properties_do_not(properties: dict[str, Any], tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert heights(tmp_path, properties) == [500, 500]


def test_no_warning_without_heights(tmp_path: Path) -> None:
    line = {"type": "LineString", "coordinates": [[8.55, 47.35], [8.56, 47.35]]}
    properties = {"times": TIMES[:2], "altitudeMode": "clampToGround"}
    path = tmp_path / "track.geojson"
    path.write_text(json.dumps({"type": "Feature", "properties": properties, "geometry": line}))
    assert not warned(lambda: read_tracks(str(path)))
