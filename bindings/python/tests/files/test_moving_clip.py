"""Compares visits with the result of MovingPandas' clip, on polygons and tracks that other people made: shows where the
two agree, and why they do not agree everywhere."""

from __future__ import annotations

import bisect
import itertools
import json
import math
import warnings
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, recorded_tracks
from test_tracks_against_reference import fixes_of

from fencepost import Circle, Fix, Polygon, geodesic, replay

mpd = pytest.importorskip("movingpandas", reason="movingpandas is installed by make test-all")
import geopandas  # noqa: E402
import pandas  # noqa: E402
import shapely  # noqa: E402

FENCES = ROOT.parent / "shared" / "data" / "fences"
CITIES, COUNTRIES = "cities/san-francisco.geojson", "natural-earth/ne_50m_admin_0_countries.geojson"
# Each case has polygons, a track, and three minimum numbers: visits, parts of visits, and parts without a fix.
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
        warnings.simplefilter("ignore")  # hides the warnings about sorted fixes and dropped time zones
        latitudes, longitudes, _, times = zip(*[fix for fix in fixes_of(path) if abs(fix[0]) <= 90])
        points = geopandas.points_from_xy(longitudes, latitudes)
        stamps = pandas.to_datetime(times, unit="us")
        frame = geopandas.GeoDataFrame({"t": stamps}, geometry=points, crs=4326).drop_duplicates("t")
        return mpd.Trajectory(frame.sort_values("t").set_index("t"), 1)


def clipped(track: Any, polygon: Any) -> list[tuple[int, int]]:
    """Returns the begin and end, in microseconds, of each part of the track that MovingPandas cuts out for a
    polygon."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parts = track.clip(polygon).trajectories
    return sorted((microseconds(part.get_start_time()), microseconds(part.get_end_time())) for part in parts)


def microseconds(time: Any) -> int:
    return int(pandas.Timestamp(time).value // 1000)


def runs_of(inside: list[bool]) -> list[tuple[int, int]]:
    """Returns the first and last index of each run of consecutive fixes that are inside."""
    edges = [number for number, pair in enumerate(zip([*inside, False], [False, *inside])) if pair[0] != pair[1]]
    return list(zip(edges[::2], edges[1::2]))


@pytest.mark.parametrize(("fences", "track", "least"), CASES)
def test_visits_beside_clip(fences: str, track: str, least: tuple[int, int, int]) -> None:
    """Tests that each visit is a run of fixes inside the polygon. The runs of fixes that MovingPandas' method `clip`
    finds are the same, except for these differences:

    * clip's runs begin and end on the line between two fixes, which is straight in degrees;
    * clip breaks a run into many parts, hundredths of a second apart: hundreds of such parts form one visit;
    * where a straight line cuts a corner of the polygon between two fixes, clip finds a part that contains no fix:
      events cannot report such a part.
    """
    whole = trajectory(track)
    times = [microseconds(time) for time in whole.df.index]
    line = whole.to_linestring()
    near = {name: shape for name, shape in polygons(fences).items() if shape.intersects(line) and shape.is_valid}
    conditions = {name: Polygon(shape, edges="planar") for name, shape in near.items()}
    found: dict[str, list[tuple[int, int | None]]] = {name: [] for name in near}
    for visit in replay(whole, conditions, policy="exact").visits():
        found[visit.identifier].append(
            (microseconds(visit.start), None if visit.end is None else microseconds(visit.end))
        )
    both = parts = passed = 0
    for name, shape in near.items():
        inside = [bool(shape.covers(point)) for point in whole.df.geometry]
        runs = runs_of(inside)
        assert found[name] == [(times[begin], times[end] if end < len(times) else None) for begin, end in runs], name
        held = set()
        for begin, end in clipped(whole, shape):
            within = [number for number, time in enumerate(times) if begin <= time <= end]
            own = [number for number in within if inside[number]]
            # Points that clip computes on the line may lie very slightly outside the polygon.
            assert all(shape.distance(whole.df.geometry.iloc[each]) < 1e-5 for each in set(within) - set(own)), name
            if not own:
                passed += 1
                continue
            (run,) = [run for run in runs if run[0] <= own[0] and own[-1] < run[1]]
            # The part that clip returns begins no earlier than the last fix before the run, and ends no later than the
            # first fix after the run.
            assert run[0] == 0 or times[run[0] - 1] <= begin, name
            assert run[1] == len(times) or end <= times[run[1]], name
            held |= {run}
            parts += 1
        assert held == set(runs), name
        both += len(runs)
    assert all(found >= wanted for found, wanted in zip((both, parts, passed), least)), (both, parts, passed)


# ---------------------------------------------------------------------------------------------- paths

MOST_APART_M = 0.02
"""The tolerance on short tracks, in metres: the polygon with 720 vertices lies up to 1.4 mm inside the circle, and the
difference is larger where a track crosses the edge at a small angle."""
MOST_MISSING_S = 0.5


def thinned_to_minutes(whole: Any) -> Any:
    """Returns the first fix of each minute."""
    frame = whole.df
    return moving(frame.groupby(frame.index.floor("60s")).head(1).drop(columns="traj_id", errors="ignore"))


def moving(frame: Any) -> Any:
    """Makes a trajectory from a frame that is indexed by time."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pandas warns about functions that MovingPandas calls
        return mpd.Trajectory(frame, 1)


class Way:
    """Gives the position of a track at any time, along geodesics."""

    def __init__(self, track: Any) -> None:
        self.times = [microseconds(time) for time in track.df.index]
        self.places = [(point.y, point.x) for point in track.df.geometry]

    def at(self, time: int) -> tuple[float, float, float]:
        """Returns the latitude and longitude at a time, on the geodesic between two fixes, and approximately how far,
        in metres, the straight line in degrees lies from this geodesic. This distance is about s (l - s) tan(latitude)
        / (2 R), where s is the distance along the segment, l is the segment's length, and R is the Earth's radius. The
        reason is that a parallel has the curvature tan(latitude) / R relative to a geodesic."""
        after = min(max(bisect.bisect_right(self.times, time), 1), len(self.times) - 1)
        start, end = self.times[after - 1], self.times[after]
        way = geodesic.inverse(*self.places[after - 1], *self.places[after])
        gone = way.distance * (time - start) / (end - start)
        found = geodesic.direct(*self.places[after - 1], way.azimuth1, gone)
        bend = abs(math.tan(math.radians(found.latitude))) * gone * (way.distance - gone) / 2 / 6.37e6
        return found.latitude, found.longitude, bend

    def apart(self, one: int, other: int) -> tuple[float, float]:
        """Returns the distance between the positions at two times, and the greatest distance that the test allows, both
        in metres."""
        (latitude, longitude, bend), place = self.at(one), self.at(other)
        return geodesic.inverse(latitude, longitude, *place[:2]).distance, MOST_APART_M + bend


@pytest.mark.parametrize(
    ("track", "least"),
    [("bike-basel.gpx", (12, 12)), ("run-sf-strava-teleport.gpx", (12, 15)), ("trip-multiday-riviera.gpx", (12, 24))],
)
def test_paths_beside_clip(track: str, least: tuple[int, int]) -> None:
    """Thins a track to one fix a minute, and compares the entries and exits on its path with clip's result. The circles
    are passed to MovingPandas' method `clip` as polygons. The entries and exits agree, except for these differences:

    * clip cuts along straight lines in degrees, which differ from the geodesics by centimetres over a kilometre, and
      by metres over 300 km;
    * the edges of each polygon lie millimetres inside the circle that the polygon approximates;
    * clip splits one visit into parts, and loses pieces of less than half a second between them.
    """
    thin = thinned_to_minutes(trajectory(track))
    way, fixes = Way(thin), thin.df.geometry
    whole = trajectory(track).df.geometry
    near = [whole.iloc[number] for number in range(5, len(whole), max(len(whole) // 12, 1))]
    places = {f"p{number}": Circle(point.y, point.x, 150) for number, point in enumerate(near)}
    found: dict[str, list[tuple[int, int]]] = {name: [] for name in places}
    log = replay(thin, places, policy="exact", path="geodesic", max_gap=1e9)
    for visit in log.visits():
        found[visit.identifier].append((microseconds(visit.start), microseconds(visit.start + visit.duration)))
    assert sum(event.is_on_path for event in log) > least[0] < len(fixes)
    visits, longest = 0, 0.0
    for name, place in places.items():
        polygon = shapely.geometry.shape(geodesic.circle(*place.center, place.radius, corners=720))
        parts = clipped(thin, polygon)
        for begin, end in found[name]:
            own = [part for part in parts if part[0] <= end and begin <= part[1]]
            assert own, (name, "clip has no part of it")
            parts = [part for part in parts if part not in own]
            for apart, most in (way.apart(begin, own[0][0]), way.apart(end, own[-1][1])):
                assert apart < most, name
                longest = max(longest, most)
            missing = [later[0] - earlier[1] for earlier, later in itertools.pairwise(own)]
            assert max(missing, default=0) < MOST_MISSING_S * 1e6, name
            visits += 1
        assert parts == [], (name, "no visit has them")
    assert visits >= least[1] and (longest > 1 or "multiday" not in track)


def test_a_long_way_is_no_straight_line_of_degrees() -> None:
    """The track goes from Frankfurt to New York in one step: clip enters a place that lies on the straight line on the
    map, 800 km south of the real route."""
    start, end = (50.03, 8.57), (40.64, -73.78)
    way = geodesic.inverse(*start, *end)
    middle = geodesic.direct(*start, way.azimuth1, way.distance / 2)
    on_the_map = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    assert geodesic.inverse(*on_the_map, middle.latitude, middle.longitude).distance > 8e5
    places = {
        "way": Circle(middle.latitude, middle.longitude, 50_000),
        "map": Circle(*on_the_map, 50_000),
    }
    fixes = [Fix(*start, time=0), Fix(*end, time=28_800_000_000)]
    log = replay(fixes, places, policy="exact", path="geodesic", max_gap=86_400)
    assert [visit.identifier for visit in log.visits()] == ["way"]
    points = geopandas.points_from_xy([start[1], end[1]], [start[0], end[0]])
    frame = geopandas.GeoDataFrame({"t": pandas.to_datetime([0, 28_800], unit="s")}, geometry=points, crs=4326)
    flight = moving(frame.set_index("t"))
    passed = []
    for name, place in places.items():
        if clipped(flight, shapely.geometry.shape(geodesic.circle(*place.center, place.radius))):
            passed.append(name)
    assert passed == ["map"]
