"""Tests the columns of Spark frames, without Spark."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

from fencepost import AltitudeBand, Circle, Monitor, Zones
from fencepost._spark.columns import beside, find_points, find_rows
from fencepost._spark.feeding import Trust, check, warn_of_heights
from fencepost._spark.tables import ENDING, tables
from fencepost._tables.names import BESIDE, ERROR_ELLIPSE
from fencepost.errors import InputWarning, InvalidArgumentError
from fencepost.spark import table_of

PLAIN = {"device": "string", "lat": "double", "lon": "double", "accuracy": "double", "time": "timestamp"}


class Frame:
    """The names and types of the columns of a frame."""

    def __init__(self, columns: dict[str, str]) -> None:
        self.columns, self._kinds = list(columns), columns

    @property
    def schema(self) -> dict[str, Any]:
        return {name: _Field(kind) for name, kind in self._kinds.items()}


class _Field:
    def __init__(self, kind: str) -> None:
        self._kind = kind

    @property
    def dataType(self) -> _Field:
        return self

    def typeName(self) -> str:
        return self._kind


def ellipse(*names: str, kind: str = "double") -> Frame:
    return Frame({**PLAIN, **dict.fromkeys(names, kind)})


def test_error_ellipses_are_found_by_name() -> None:
    found = find_rows(ellipse("Error Minor (m)", "error_major_m", "error_orientation_deg"), {})
    assert beside(found) == ERROR_ELLIPSE
    assert [found[what] for what in ("error_major", "error_minor", "error_orientation")] == [
        "error_major_m",
        "Error Minor (m)",
        "error_orientation_deg",
    ]


def test_other_names_of_ellipses_must_be_given() -> None:
    frame = ellipse("a", "b", "c")
    assert beside(find_rows(frame, {})) == ()
    given = {"error_major": "a", "error_minor": "b", "error_orientation": "c"}
    assert given.items() <= find_rows(frame, given).items()


@pytest.mark.parametrize("names", [("error_major_m",), ("error_minor_m", "error_orientation_deg")])
def test_an_ellipse_has_three_columns(names: tuple[str, ...]) -> None:
    with pytest.raises(InvalidArgumentError, match="no column for the error_"):
        find_rows(ellipse(*names), {})


def test_an_ellipse_has_numbers() -> None:
    names = "error_major_m", "error_minor_m", "error_orientation_deg"
    with pytest.raises(InvalidArgumentError, match="error_major"):
        find_rows(ellipse(*names, kind="string"), {})


HEIGHTS = {"altHAE": "float", "vertical_accuracy": "double", "geoid_height_m": "decimal", "groundHeight": "long"}


def test_heights_are_found_by_name() -> None:
    found = find_rows(Frame({**PLAIN, **HEIGHTS}), {})
    assert beside(found) == BESIDE
    names = ("altitude", "vertical_accuracy", "geoid_height", "ground_height")
    assert [found[what] for what in names] == [*HEIGHTS]
    points = find_points(Frame({**PLAIN, **HEIGHTS}), {})
    assert [points.get(what) for what in names] == ["altHAE", None, "geoid_height_m", "groundHeight"]


def test_a_column_named_altitude_must_be_given() -> None:
    """In many sources it has heights above mean sea level."""
    frame = Frame({**PLAIN, "altitude": "double", "vertical_accuracy": "double"})
    for find in (find_rows, find_points):
        assert not {"altitude", "vertical_accuracy"} & find(frame, {}).keys()
        assert find(frame, {"altitude": "altitude"})["altitude"] == "altitude"
    assert find_rows(frame, {"altitude": "altitude"})["vertical_accuracy"] == "vertical_accuracy"


@pytest.mark.parametrize("what", ["vertical_accuracy", "geoid_height", "ground_height"])
def test_other_heights_need_an_altitude(what: str) -> None:
    frame = Frame({**PLAIN, "x": "double"})
    with pytest.raises(InvalidArgumentError, match=f"altitude, which {what} needs"):
        find_rows(frame, {what: "x"})


@pytest.mark.parametrize("kind", ["string", "timestamp", "boolean", "array"])
@pytest.mark.parametrize("name", [*HEIGHTS])
def test_heights_are_numbers(name: str, kind: str) -> None:
    frame = Frame({**PLAIN, **HEIGHTS, name: kind})
    with pytest.raises(InvalidArgumentError, match=f"column '{name}' is {kind}"):
        find_rows(frame, {})


def banded(**options: str) -> Zones:
    zones = Zones()
    zones.add(Circle(47.35, 8.55, 500), "home")
    zones.add(Circle(47.35, 8.55, 500), "zone", band=AltitudeBand(0, 120, **options))
    return zones


def test_missing_columns_of_heights_cause_warnings() -> None:
    names = [*PLAIN, "alt_msl", "ground"]

    def warned(zones: Zones, *found: str) -> list[str]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            warn_of_heights(zones, "frame", found, names)
        assert all(each.category is InputWarning for each in caught)
        return [str(each.message) for each in caught]

    first, second = warned(banded(reference="ground"))
    assert "altitude" in first and "'zone'" in first and "'alt_msl'" in first
    assert "ground_height" in second and "'ground'" in second
    assert len(warned(banded(reference="ground"), "altitude")) == 1
    assert len(warned(banded())) == 1
    assert len(warned(banded(min_reference="ground", max_reference="mean_sea_level"))) == 3
    assert warned(banded(reference="ground"), "altitude", "ground_height") == []
    assert warned(Zones({"zone": Circle(47.35, 8.55, 500)})) == []


def test_tables_with_limits_of_altitude_are_accepted(tmp_path: Path) -> None:
    """A worker reads the tables of the folder of versions, so the driver cannot check these."""
    zones = banded(reference="ground")
    geometry = {"type": "Point", "coordinates": [8.55, 47.35]}
    properties = {"id": "zone", "radius": 500, "altitude_max": 120, "altitude_max_reference": "ground"}
    feature = {"type": "Feature", "geometry": geometry, "properties": properties}
    monitor = Monitor()
    monitor.add(Circle(47.35, 8.55, 500), "zone", band=AltitudeBand(max=120, reference="ground"))
    for conditions in (monitor, dict(monitor), feature, zones):
        check(table_of(conditions), Trust())
    digest = zones.version.digest
    (tmp_path / f"{digest.hex()}{ENDING}").write_bytes(zones.snapshot())
    found = tables("", str(tmp_path))(digest)
    heights = {"altitude": 600, "ground_height": 470}
    assert found.containing(47.35, 8.55, **heights) == zones.containing(47.35, 8.55, **heights) == ["home"]
