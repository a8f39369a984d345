"""Tests the rule for conditions from any source: a condition's own policy and assumed state take precedence; `policy=`
and `assuming=` apply to conditions without these settings. In a table of conditions, each condition states all its
settings."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import fencepost
from fencepost import Beacon, Circle, Fix, Fleet, Gate, Monitor, Polygon, TransitionPolicy, Zones, compare, replay, tune

SQUARE = "POLYGON ((0.01 -0.001, 0.012 -0.001, 0.012 0.001, 0.01 0.001, 0.01 -0.001))"
# The track starts in `own`, leaves it, and enters `plain`.
WAY = [Fix(0, 0.0005 * step, accuracy=5, time=step * 1_000_000) for step in range(30)]
ROWS = [
    {"identifier": "own", "lat": 0.0, "lon": 0.0, "radius": 100.0, "policy": "exact", "assuming": "satisfied"},
    {"identifier": "plain", "lat": 0.0, "lon": 0.01, "radius": 150.0, "policy": None, "assuming": None},
]


def frame(_: Path) -> Any:
    return pytest.importorskip("pandas").DataFrame(ROWS)


def arrow(_: Path) -> Any:
    return pytest.importorskip("pyarrow").Table.from_pylist(ROWS)


def polars(_: Path) -> Any:
    return pytest.importorskip("polars").DataFrame(ROWS)


def geopandas(path: Path) -> Any:
    table = frame(path)
    points = pytest.importorskip("geopandas").points_from_xy(table["lon"], table["lat"])
    columns = table.drop(columns=["lat", "lon"])
    return pytest.importorskip("geopandas").GeoDataFrame(columns, geometry=points, crs=4326)


def geojson(_: Path) -> Any:
    features = [
        {
            "type": "Feature",
            "geometry": {"type": "Point", "coordinates": [row["lon"], row["lat"]]},
            "properties": {key: value for key, value in row.items() if key not in ("lat", "lon") and value is not None},
        }
        for row in ROWS
    ]
    return {"type": "FeatureCollection", "features": features}


def file(folder: Path) -> Any:
    path = folder / "zones.geojson"
    path.write_text(json.dumps(geojson(folder)))
    return path


def csv(folder: Path) -> Any:
    path = folder / "zones.csv"
    lines = [",".join("" if value is None else str(value) for value in row.values()) for row in ROWS]
    path.write_text("\n".join([",".join(ROWS[0]), *lines]) + "\n")
    return path


def geopackage(folder: Path) -> Any:
    geopandas(folder).to_file(folder / "zones.gpkg")
    return folder / "zones.gpkg"


SOURCES: list[Callable[[Path], Any]] = [frame, arrow, polars, geopandas, geojson, file, csv, geopackage]


def events(log: Any) -> list[tuple[Any, ...]]:
    return [(event.identifier, str(event.state), event.date_us, str(event.cause), event.tag) for event in log]


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.__name__)
def test_what_a_condition_says_comes_first_and_the_call_is_for_the_others(tmp_path: Path, source: Any) -> None:
    given = source(tmp_path)
    as_said = Zones(source(tmp_path), policy="core_location", assuming="unknown")
    log = replay(WAY, given, policy="core_location", assuming="unknown")
    assert {row.identifier: (row.policy, str(row.assuming)) for row in log._conditions} == {
        "own": (TransitionPolicy.exact(), "satisfied"),
        "plain": (TransitionPolicy.core_location(), "unknown"),
    }
    assert as_said["own"].policy == TransitionPolicy.exact()
    assert as_said["plain"].policy == TransitionPolicy.core_location()
    # A table made from the source gives the same replay without any options.
    assert events(replay(WAY, as_said)) == events(log)
    assert [event[:2] for event in events(log)] == [("plain", "unsatisfied"), ("own", "unsatisfied")]


def kinds() -> Zones:
    """Returns conditions of each kind with their own settings."""
    zones = Zones()
    zones.add(Circle(0, 0, 100), "circle", assuming="satisfied", policy="exact", tag=7)
    zones.add(Circle(0, 0.004, 100), "told", assuming="unknown", policy=TransitionPolicy(entry_dwell=2))
    zones.add(Polygon(SQUARE, edges="planar", buffer=3), "polygon", policy="exact", tag=2**64 - 1)
    zones.add(Beacon("fda50693-a4e2-4fb1-afcf-c6eb07647825"), "beacon")
    return zones


def test_a_replay_of_a_table_is_what_a_fleet_over_it_tells() -> None:
    """A replay of a table uses the policies, assumed states and tags of the table's conditions, as each device of a
    fleet does."""
    zones = kinds()
    fleet = Fleet(zones)
    for fix in WAY:
        fleet.feed("van", fix)
    reported = events(fleet.poll())
    assert [event[:2] for event in reported] == [
        ("told", "unsatisfied"),
        ("circle", "unsatisfied"),
        ("told", "satisfied"),
        ("polygon", "satisfied"),
        ("polygon", "unsatisfied"),
    ]
    version = zones.version
    log = replay(WAY, zones)
    assert events(log) == reported
    assert zones.version == version, "a replay leaves the table alone"
    assert events(replay(WAY, pickle.loads(pickle.dumps(zones)))) == reported
    assert log.conditions == {name: held.condition for name, held in zones.items()}
    # The settings of a table apply to rows of several devices as well: each track has its own monitor with these
    # settings.
    pandas = pytest.importorskip("pandas")
    rows = pandas.DataFrame({
        "van": "a", "lat": [fix.latitude for fix in WAY], "lon": [fix.longitude for fix in WAY], "acc": 5.0,
        "time": pandas.to_datetime([fix.time_us for fix in WAY], unit="us", utc=True),
    })  # fmt: skip
    assert events(replay(rows, zones, device="van")) == reported
    assert events(replay(WAY, zones, delivery="latest")) == reported


def test_a_visit_that_a_table_assumes_begins_with_the_log() -> None:
    (visit,) = [each for each in replay(WAY, kinds()).visits() if each.identifier == "circle"]
    assert (str(visit.start_known), visit.start) == ("assumed", replay(WAY, kinds()).start)


def test_a_monitor_gives_conditions_policies_and_gates_but_no_states() -> None:
    monitor = Monitor(path="geodesic", max_gap=60)
    monitor.add(Circle(0, 0, 100), "circle", policy="exact", assuming="satisfied")
    monitor.add(Gate("LINESTRING (0.005 -0.001, 0.005 0.001)"), "gate", tag=3)
    monitor.feed(Fix(10, 10, time=0))  # a replay uses the monitor's conditions, but not its past inputs
    log = replay(WAY, monitor, path="geodesic", max_gap=60)
    alone = replay(
        WAY, {"circle": Circle(0, 0, 100), "gate": Gate("LINESTRING (0.005 -0.001, 0.005 0.001)")}, policy="exact",
        path="geodesic", max_gap=60,
    )  # fmt: skip
    assert [event[:4] for event in events(log)] == [event[:4] for event in events(alone)]
    assert [event.tag for event in log if event.identifier == "gate"] == [3]
    assert events(replay(WAY, monitor, path="geodesic", max_gap=60, assuming="satisfied"))[0][:2] == (
        "circle",
        "unsatisfied",
    )


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("policy", "exact"),
        ("assuming", "unknown"),
        ("radius", 5.0),
        ("conditions_columns", {"radius": "r"}),
        ("conditions_layer", "zones"),
    ],
)
def test_options_of_conditions_that_are_read_are_refused_beside_a_table(option: str, value: Any) -> None:
    """Options for conditions raise an error if a table is passed, because each condition of a table has its own
    settings. Without the error, the options would be silently ignored."""
    said = f"{option} .*; conditions is a Zones"
    with pytest.raises(TypeError, match=said):
        replay(WAY, kinds(), **{option: value})
    if option != "policy":
        with pytest.raises(TypeError, match=said):
            compare(WAY, kinds(), **{option: value})
    for make in (Zones, Monitor, Fleet):
        if option in ("policy", "radius"):
            with pytest.raises(TypeError, match=f"^{option} "):
                make(kinds(), **{option: value})
    with pytest.raises(TypeError, match="^radius .*zones is a Zones"):
        tune(WAY, kinds(), [], radius=5)


def test_comparisons_and_tuning_take_a_table() -> None:
    zones = Zones({"a": Circle(0, 0.005, 150), "b": Circle(0, 0.01, 150)}, assuming="satisfied")
    plain = {name: held.condition for name, held in zones.items()}
    columns = compare(WAY, zones).columns()
    assert columns == compare(WAY, plain, assuming="satisfied").columns()
    assert columns != compare(WAY, plain).columns()
    labels = replay(WAY, plain, policy="exact").visits()
    found = tune(WAY, Zones(plain), labels, policies=["exact", "standard"])
    assert (
        found.columns()
        == tune(
            WAY,
            plain,
            labels,
            policies=["exact", "standard"],
        ).columns()
    )
    assert fencepost.tune(WAY, Zones(plain), labels, policies=["exact"])[0].f1 == 1
