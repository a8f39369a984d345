"""Visits beside MovingPandas' clip, on polygons and tracks that nobody here made: where they are the same, and why not
everywhere."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, recorded_tracks
from test_tracks_against_reference import fixes_of

from fencepost import PolygonalGeographicCondition, replay

mpd = pytest.importorskip("movingpandas", reason="movingpandas is installed by make test-all")
import geopandas  # noqa: E402
import pandas  # noqa: E402
import shapely  # noqa: E402

FENCES = ROOT.parent / "shared" / "data" / "fences"
CITIES, COUNTRIES = "cities/san-francisco.geojson", "natural-earth/ne_50m_admin_0_countries.geojson"
# Polygons, a track, and how many visits, parts of them, and parts without a fix there are at the least.
CASES = [
    (CITIES, "run-sf-strava-teleport.gpx", (3, 200, 1)),
    (CITIES, "car-i280-ublox.csv", (2, 500, 1)),
    (COUNTRIES, "bike-basel-border-etrex.gpx", (3, 3, 0)),
    (COUNTRIES, "trip-multiday-riviera.gpx", (5, 1000, 1)),
]


def polygons(name: str) -> dict[str, Any]:
    path = FENCES / name
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    found: dict[str, Any] = {}
    for number, feature in enumerate(json.loads(path.read_text())["features"]):
        properties = feature["properties"]
        name = properties.get("name") or properties.get("ADMIN") or properties.get("NAME") or str(number)
        found[f"{name} {number}"] = shapely.geometry.shape(feature["geometry"])
    return found


def trajectory(track: str) -> Any:
    path: Path | None = next((each for each in recorded_tracks("gpx", "csv") if each.name == track), None)
    if path is None:
        pytest.skip(f"{track} is not there")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # fixes that are sorted; zones that are dropped
        latitudes, longitudes, _, times = zip(*[fix for fix in fixes_of(path) if abs(fix[0]) <= 90])
        points = geopandas.points_from_xy(longitudes, latitudes)
        stamps = pandas.to_datetime(times, unit="us")
        frame = geopandas.GeoDataFrame({"t": stamps}, geometry=points, crs=4326).drop_duplicates("t")
        return mpd.Trajectory(frame.sort_values("t").set_index("t"), 1)


def clipped(track: Any, polygon: Any) -> list[tuple[int, int]]:
    """Begin and end of each part of the track within a polygon, as MovingPandas cuts it; microseconds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parts = track.clip(polygon).trajectories
    return sorted((microseconds(part.get_start_time()), microseconds(part.get_end_time())) for part in parts)


def microseconds(time: Any) -> int:
    return int(pandas.Timestamp(time).value // 1000)


def runs_of(inside: list[bool]) -> list[tuple[int, int]]:
    """Where fixes inside begin and where they end."""
    edges = [number for number, pair in enumerate(zip([*inside, False], [False, *inside])) if pair[0] != pair[1]]
    return list(zip(edges[::2], edges[1::2]))


@pytest.mark.parametrize(("fences", "track", "least"), CASES)
def test_visits_beside_clip(fences: str, track: str, least: tuple[int, int, int]) -> None:
    """Visits are the runs of fixes inside. Clip has the same ones, and

    * lets them begin and end on the line, between two fixes, by straight lines of degrees;
    * breaks one into many parts, hundredths of a second apart: hundreds of these are one visit;
    * has parts without a fix inside, where a straight line passes a corner: no event can tell of these.
    """
    whole = trajectory(track)
    times = [microseconds(time) for time in whole.df.index]
    line = whole.to_linestring()
    near = {name: shape for name, shape in polygons(fences).items() if shape.intersects(line) and shape.is_valid}
    conditions = {name: PolygonalGeographicCondition(shape, edges="planar") for name, shape in near.items()}
    found: dict[str, list[tuple[int, int | None]]] = {name: [] for name in near}
    for visit in replay(whole, conditions, policy="exact").visits():
        found[visit.identifier].append((visit.start_us, visit.end_us))
    both = parts = passed = 0
    for name, shape in near.items():
        inside = [bool(shape.covers(point)) for point in whole.df.geometry]
        runs = runs_of(inside)
        assert found[name] == [(times[begin], times[end] if end < len(times) else None) for begin, end in runs], name
        held = set()
        for begin, end in clipped(whole, shape):
            within = [number for number, time in enumerate(times) if begin <= time <= end]
            own = [number for number in within if inside[number]]
            # What clip places on the line may lie a hair outside of it.
            assert all(shape.distance(whole.df.geometry.iloc[each]) < 1e-5 for each in set(within) - set(own)), name
            if not own:
                passed += 1
                continue
            (run,) = [run for run in runs if run[0] <= own[0] and own[-1] < run[1]]
            # No earlier than the fix outside before, no later than the one after.
            assert run[0] == 0 or times[run[0] - 1] <= begin, name
            assert run[1] == len(times) or end <= times[run[1]], name
            held |= {run}
            parts += 1
        assert held == set(runs), name
        both += len(runs)
    assert all(found >= wanted for found, wanted in zip((both, parts, passed), least)), (both, parts, passed)
