"""Tests policies with probabilities in files and tables of conditions: as an object, as the JSON text of an object, and
as two properties or columns. Every format gives the same policy and the same refusals."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import mentions

from fencepost import InputError, TransitionPolicy, Zones
from fencepost._files.condition_files import read_conditions

CERTAIN = {"entry_probability": 0.99, "exit_probability": 0.01}
OBJECT = CERTAIN | {"accuracy_factor": 0}
Written = Callable[[Path, dict[str, Any]], TransitionPolicy | None]


def from_csv(folder: Path, properties: dict[str, Any]) -> TransitionPolicy | None:
    import csv

    texts = {
        name: json.dumps(value) if isinstance(value, dict) else "" if value is None else value
        for name, value in properties.items()
    }
    path = folder / "c.csv"
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "lat", "lon", "radius", *texts])
        writer.writerow(["a", 0, 0, 50, *texts.values()])
    (row,) = read_conditions(path, TransitionPolicy.standard())
    return row.policy


def from_geojson(folder: Path, properties: dict[str, Any]) -> TransitionPolicy | None:
    point = {"type": "Point", "coordinates": [0, 0]}
    feature = {"type": "Feature", "geometry": point, "properties": {"id": "a", "radius": 50} | properties}
    path = folder / "c.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": [feature]}))
    (row,) = read_conditions(path, TransitionPolicy.standard())
    return row.policy


def from_frame(folder: Path, properties: dict[str, Any]) -> TransitionPolicy | None:
    pandas = pytest.importorskip("pandas")
    texts = {name: [json.dumps(value) if isinstance(value, dict) else value] for name, value in properties.items()}
    frame = pandas.DataFrame({"id": ["a"], "lat": [0.0], "lon": [0.0], "radius": [50.0]} | texts)
    return Zones(frame)["a"].policy


def from_arrow(folder: Path, properties: dict[str, Any]) -> TransitionPolicy | None:
    pyarrow = pytest.importorskip("pyarrow")
    texts = {name: [json.dumps(value) if isinstance(value, dict) else value] for name, value in properties.items()}
    zones = Zones()
    zones.add_many(pyarrow.table({"id": ["a"], "lat": [0.0], "lon": [0.0], "radius": [50.0]} | texts))
    return zones["a"].policy


FORMATS = [from_csv, from_geojson, from_frame, from_arrow]


@pytest.mark.parametrize("written", FORMATS)
def test_both_forms_give_the_same_policy(tmp_path: Path, written: Written) -> None:
    expected = TransitionPolicy(**OBJECT)
    assert written(tmp_path, {"policy": OBJECT}) == expected
    assert written(tmp_path, CERTAIN) == expected
    assert written(tmp_path, {"Entry Probability": 0.99, "exitProbability": 0.01}) == expected
    assert written(tmp_path, CERTAIN | {"policy": {"entry_dwell": 3}}) == TransitionPolicy(entry_dwell=3, **OBJECT)
    exact = TransitionPolicy(entry_dwell=0, exit_dwell=0, entry_margin=0, exit_margin=0, vertical_margin=0, **OBJECT)
    assert written(tmp_path, CERTAIN | {"policy": "exact"}) == exact
    assert written(tmp_path, {"policy": {"entry_dwell": 3}}) == TransitionPolicy(entry_dwell=3)


@pytest.mark.parametrize("written", FORMATS)
def test_empty_columns_and_zeros_leave_the_policy_alone(tmp_path: Path, written: Written) -> None:
    empty = dict.fromkeys(CERTAIN)
    assert written(tmp_path, empty | {"policy": "exact"}) == TransitionPolicy.exact()
    assert written(tmp_path, dict.fromkeys(CERTAIN, 0.0)) == TransitionPolicy.standard()
    assert written(tmp_path, empty | {"policy": OBJECT}) == TransitionPolicy(**OBJECT)


@pytest.mark.parametrize("written", FORMATS)
@pytest.mark.parametrize(
    ("properties", "reason"),
    [
        ({"entry_probability": 0.99}, "entry_probability 0.99 … belong together"),
        ({"exit_probability": 0.01, "entry_probability": None}, "exit_probability 0.01 … belong together"),
        ({"entry_probability": 0.99, "exit_probability": 0.0}, "belong together"),
        ({"entry_probability": 99.0, "exit_probability": 1.0}, "entry_probability 99.0 … 0.99999"),
        ({"entry_probability": 0.5, "exit_probability": 0.01}, "entry_probability 0.5 … 0.5"),
        ({"entry_probability": 0.99, "exit_probability": 0.5}, "exit_probability 0.5 … 0.5"),
        ({"entry_probability": 0.99, "exit_probability": -0.01}, "exit_probability -0.01"),
        ({"entry_probability": "high", "exit_probability": 0.01}, "entry_probability … 'high'"),
        (CERTAIN | {"policy": OBJECT}, "entry_probability … remove"),
        (CERTAIN | {"policy": {"accuracy_factor": 2}}, "accuracy_factor 2 … 0"),
        ({"policy": CERTAIN}, "accuracy_factor 1.0 … 0"),
        ({"policy": '{"accuracy_factor": 0, "accuracy_factor": 1}'}, "policy … twice"),
        ({"policy": '{"accuracy_factor": '}, "policy … JSON"),
        ({"policy": '{"accuracy_factor": NaN}'}, "accuracy_factor nan"),
        ({"policy": "{" * 5000}, "policy … JSON"),
    ],
)
def test_what_is_refused(tmp_path: Path, written: Written, properties: dict[str, Any], reason: str) -> None:
    with pytest.raises(InputError) as caught:
        written(tmp_path, properties)
    assert mentions(str(caught.value), reason), caught.value
    place = {from_csv: "line 2", from_geojson: "features[0]"}.get(written, "row 0")
    assert mentions(str(caught.value), place), caught.value


@pytest.mark.parametrize("written", [from_csv, from_geojson])
def test_nan_is_refused_where_an_empty_cell_can_be_written(tmp_path: Path, written: Written) -> None:
    with pytest.raises(InputError, match="(?i)nan (must|is not)"):
        written(tmp_path, {"entry_probability": float("nan"), "exit_probability": 0.01})


@pytest.mark.parametrize("written", [from_frame, from_arrow])
def test_nan_is_a_missing_value_in_a_table(tmp_path: Path, written: Written) -> None:
    assert written(tmp_path, dict.fromkeys(CERTAIN, float("nan"))) == TransitionPolicy.standard()


def test_a_gate_has_no_probability(tmp_path: Path) -> None:
    line = {"type": "LineString", "coordinates": [[0, 0], [1, 1]]}
    feature = {"type": "Feature", "geometry": line, "properties": {"id": "a", "gate": True} | CERTAIN}
    path = tmp_path / "c.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": [feature]}))
    with pytest.raises(InputError, match="entry_probability: remove"):
        read_conditions(path, TransitionPolicy.standard())


def test_columns_may_be_named(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text("id,lat,lon,radius,sure,gone\na,0,0,50,0.99,0.01\n")
    columns = {"entry_probability": "sure", "exit_probability": "gone"}
    (row,) = read_conditions(path, TransitionPolicy.standard(), columns=columns)
    assert row.policy == TransitionPolicy(**OBJECT)
    with pytest.raises(InputError, match="'nowhere'"):
        read_conditions(path, TransitionPolicy.standard(), columns={"exit_probability": "nowhere"})
