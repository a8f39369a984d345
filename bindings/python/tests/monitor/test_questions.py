"""Tests queries for the conditions that contain points and for the nearest boundaries, by comparison with geographiclib
and with single conditions."""

from __future__ import annotations

import math
import random
import threading
from typing import Any

import numpy as np
import pytest
from conftest import UUID
from geographiclib.geodesic import Geodesic

import fencepost
from fencepost import Beacon, Circle, Corridor, Fix, Monitor, Polygon
from fencepost.errors import InvalidArgumentError
from fencepost.types import Matches

NEAR = 3e-8
"""Twice the largest error of a computed distance, in metres."""


def place(source: random.Random) -> tuple[float, float]:
    kind = source.randrange(5)
    if kind == 0:
        return source.choice((90.0, -90.0, 89.9999)), source.uniform(-180, 180)
    if kind == 1:
        return source.uniform(-80, 80), source.choice((180.0, -180.0, 179.9999))
    return math.degrees(math.asin(source.uniform(-1, 1))), source.uniform(-180, 180)


def moved(at: tuple[float, float], azimuth: float, metres: float) -> tuple[float, float]:
    end = Geodesic.WGS84.Direct(*at, azimuth, metres)
    return end["lat2"], max(-180.0, min(180.0, end["lon2"]))


class World:
    """A monitor with circles, polygons, corridors and beacons, some of which were removed or replaced. The distance to
    each condition is also computed independently of the monitor."""

    def __init__(self, seed: int) -> None:
        source = self.source = random.Random(seed)
        self.home, self.reach = place(source), 10 ** source.uniform(2, 6.5)
        self.monitor, self.conditions = Monitor(), dict[str, Any]()
        for _ in range(source.randrange(1, 60)):
            name = f"c{source.randrange(40)}"
            self.conditions.pop(name, None)
            if source.random() < 0.2:
                self.monitor.remove(name)
                continue
            condition = self.condition()
            self.monitor.add(condition, name)
            self.conditions[name] = condition

    def condition(self) -> Any:
        source = self.source
        middle, size = self.point(), 10 ** source.uniform(1, math.log10(self.reach))
        kind = source.randrange(6)
        if kind == 0:
            return Beacon(UUID, source.randrange(9))
        if kind == 1:
            return Circle(*middle, radius=source.choice((1e-3, 1e5, 1.9e7, 2.5e7)))
        if kind == 2:
            ring = [moved(middle, 360 * corner / 7, size * source.uniform(0.4, 1)) for corner in range(7)]
            return Polygon(ring, order="latlon", edges="geodesic")
        if kind == 3:
            line = [middle, moved(middle, source.uniform(0, 360), size)]
            return Corridor(line, order="latlon", radius=size / 5, edges="geodesic")
        return Circle(*middle, radius=size)

    def point(self) -> tuple[float, float]:
        return moved(self.home, self.source.uniform(0, 360), self.reach * self.source.random())

    def distance(self, condition: Any, point: tuple[float, float]) -> float:
        if isinstance(condition, Circle):
            centre = condition.latitude, condition.longitude
            return float(Geodesic.WGS84.Inverse(*centre, *point)["s12"]) - condition.radius
        return float(condition.distance(*point))

    def points(self) -> list[tuple[float, float]]:
        points = [self.point() for _ in range(12)] + [(90.0, 0.0), self.home]
        for condition in self.conditions.values():
            if isinstance(condition, Circle):
                points.append((condition.latitude, condition.longitude))
                if condition.radius < 1e7:
                    points.append(moved(points[-1], self.source.uniform(0, 360), condition.radius))
        return points


@pytest.mark.parametrize("seed", range(25))
def test_agrees_with_each_condition_alone(seed: int) -> None:
    world = World(seed)
    points = world.points()
    columns = [np.array(axis) for axis in zip(*points)]
    before = world.monitor.snapshot()
    plain, found = world.monitor.containing(*columns), world.monitor.containing(*columns, distances=True, threads=2)
    near = world.monitor.nearest(*columns, k=4)
    assert plain.distances is None and plain.columns() == {k: v for k, v in found.columns().items() if k != "distance"}
    places = {name: c for name, c in world.conditions.items() if not isinstance(c, Beacon)}
    for row, point in enumerate(points):
        all_distances = {name: world.distance(condition, point) for name, condition in places.items()}
        got = dict(zip(found[row], found.distances[found.offsets[row] : found.offsets[row + 1]].tolist()))
        assert [name for name in places if name in got] == list(got) == found[row] == world.monitor.containing(*point)
        for name, distance in all_distances.items():
            assert (distance < NEAR) if name in got else (distance > -NEAR), (seed, point, name)
        assert all(abs(distance - all_distances[name]) < NEAR and distance <= 0 for name, distance in got.items())
        lines = sorted(
            abs(distance)
            for name, distance in all_distances.items()
            if not (isinstance(places[name], Circle) and places[name].radius > 2.001e7)
        )
        reported = near.distances[near.offsets[row] : near.offsets[row + 1]]
        assert len(reported) == min(4, len(lines)) and list(np.abs(reported)) == sorted(np.abs(reported))
        assert np.abs(np.abs(reported) - lines[: len(reported)]).max(initial=0) < NEAR
        assert all(abs(all_distances[name] - distance) < NEAR for name, distance in zip(near[row], reported))
        assert list(world.monitor.nearest(*point, 4).items()) == list(zip(near[row], reported.tolist()))
    assert world.monitor.snapshot() == before


def test_of_equally_near_ones_the_first_comes_first() -> None:
    monitor = Monitor()
    for name in "abcb":
        monitor.add(Circle(0, 0, radius=100), name)
    assert list(monitor.nearest(0, 0.01, 3)) == ["a", "c", "b"] == monitor.containing(0, 0)


@pytest.fixture
def city() -> Monitor:
    monitor = Monitor()
    grid = np.arange(400)
    monitor.add_many([f"c{i}" for i in grid], grid // 20 * 0.01, grid % 20 * 0.01, np.full(400, 900.0))
    return monitor


def test_parts_and_threads_give_what_one_call_gives(city: Monitor, monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(5)
    latitude, longitude = generator.uniform(-0.05, 0.25, (2, 5000))
    whole, near = city.containing(latitude, longitude, distances=True), city.nearest(latitude, longitude, k=3)
    monkeypatch.setattr("fencepost._monitor.questions._PART", 700)
    monkeypatch.setattr("fencepost._monitor.questions._FEWEST", 64)
    for threads in (1, 2, 5):
        found = city.containing(latitude, longitude, distances=True, threads=threads)
        assert (found.offsets == whole.offsets).all() and (found.indices == whole.indices).all()
        assert found.identifiers == whole.identifiers and (found.distances == whole.distances).all()
        assert city.nearest(latitude, longitude, 3, threads=threads).columns() == near.columns()
        longitude[4321] = math.nan
        with pytest.raises(InvalidArgumentError, match=r"row 4321") as caught:
            city.containing(latitude, longitude, threads=threads)
        assert caught.value.position == 4321
        longitude[4321] = 0
        whole = city.containing(latitude, longitude, distances=True)
        near = city.nearest(latitude, longitude, k=3)


@pytest.mark.parametrize("threads", [1, 2])
def test_generations_may_be_much_larger_than_the_results(
    city: Monitor, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A monitor that has replaced its conditions often has generations that are too large to index a table."""
    latitude, longitude = np.random.default_rng(6).uniform(-0.05, 0.25, (2, 3000))
    monkeypatch.setattr("fencepost._monitor.questions._FEWEST", 64)
    whole, near = city.containing(latitude, longitude, distances=True), city.nearest(latitude, longitude, k=3)
    monkeypatch.setattr("fencepost._monitor.questions._is_sparse", lambda highest, count: True)
    found = city.containing(latitude, longitude, distances=True, threads=threads)
    assert found.columns() == whole.columns() and found.identifiers == whole.identifiers
    assert city.nearest(latitude, longitude, k=3, threads=threads).columns() == near.columns()
    assert len(whole) > 1000
    assert city.containing(latitude[:0], longitude[:0], threads=threads).columns()["identifier"] == []


def test_columns_of_any_kind(city: Monitor) -> None:
    rows = np.zeros((6, 3))
    rows[:, 1], rows[:, 2] = np.arange(6) * 0.02, np.arange(6) * 0.03
    expected = city.containing(rows[:, 1], rows[:, 2]).columns()
    assert city.containing(rows[:, 1].tolist(), rows[:, 2].tolist()).columns() == expected
    backwards = city.containing(rows[::-1, 1], rows[::-1, 2])
    assert [backwards[5 - row] for row in range(6)] == [city.containing(*row[1:]) for row in rows.tolist()]
    assert city.containing(np.float64(0), np.float32(0)) == city.containing(0, 0)
    empty = city.containing([], [])
    assert len(empty) == 0 and empty.offsets.tolist() == [0] and empty.columns() == {"point": [], "identifier": []}
    assert len(city.nearest([], [])) == 0 and city.nearest(0, 0, 0) == {} and Monitor().nearest([0.0], [0.0])[0] == []
    assert Monitor().containing(0, 0) == [] and Monitor().nearest(0, 0) == {}
    assert len(city.nearest([0.0], [0.0], k=1 << 39)) == 400


def test_matches_are_a_table(city: Monitor) -> None:
    import pyarrow

    found = city.containing([0, 50, 0.01], [0, 0, 0.01], distances=True)
    assert isinstance(found, Matches) and found[1] == [] and found[-1] == found[2] and "points" in repr(found)
    with pytest.raises(IndexError):
        found[3]
    frame = found.to_pandas()
    assert frame.index.tolist() == found.rows.tolist() == found.columns()["point"]
    assert frame["identifier"].tolist() == [found.identifiers[index] for index in found.indices]
    table = pyarrow.table(found)
    assert table.column_names == ["point", "identifier", "distance"] and table.num_rows == len(found)
    assert table["distance"].to_pylist() == found.distances.tolist()
    assert pyarrow.table(Monitor().containing([0.0], [0.0])).num_rows == 0


def test_frames(city: Monitor) -> None:
    import geopandas
    import pandas
    import pyarrow

    frame = pandas.DataFrame({"Lat": [0, 50, 0.01], "lng": [0, 0, 0.01], "v": [1, 2, 3]}, index=["x", "y", "z"])
    found = city.containing(frame, distances=True)
    expected = city.containing(frame.Lat, frame.lng, distances=True)
    assert found.index.tolist() == [frame.index[row] for row in expected.rows]
    assert found["identifier"].tolist() == expected.columns()["identifier"]
    joined = frame.join(city.containing(frame))
    assert joined.loc["y", "identifier"] is None or joined.loc["y", "identifier"] != joined.loc["y", "identifier"]
    assert len(city.nearest(frame, k=2)) == 6
    renamed = frame.rename(columns={"Lat": "north", "lng": "east"})
    named = city.containing(renamed, columns={"latitude": "north", "longitude": "east"}, distances=True)
    pandas.testing.assert_frame_equal(named, found)
    with pytest.raises(InvalidArgumentError, match="column.*latitude"):
        city.containing(renamed)
    at = geopandas.points_from_xy(frame.lng, frame.Lat)
    points = geopandas.GeoDataFrame(geometry=at, crs=4326, index=frame.index)
    pandas.testing.assert_frame_equal(city.containing(points, distances=True), found)
    metres = city.containing(points.to_crs(3857))
    assert metres["identifier"].tolist() == found["identifier"].tolist()
    assert city.containing(points.geometry)["identifier"].tolist() == found["identifier"].tolist()
    points.loc["y", "geometry"] = None
    with pytest.raises(InvalidArgumentError, match="^row 1: ") as caught:
        city.containing(points)
    assert caught.value.position == 1
    with pytest.raises(InvalidArgumentError, match="row 0"):
        city.containing(geopandas.GeoSeries.from_wkt(["POLYGON ((0 0, 1 0, 1 1, 0 0))"], crs=4326))
    table = pyarrow.table({"lat": frame.Lat.to_numpy(), "lon": frame.lng.to_numpy()})
    assert city.containing(table, distances=True).columns() == expected.columns()
    with pytest.raises(TypeError):
        city.containing(frame, frame)
    with pytest.raises(TypeError):
        city.containing(frame.Lat, frame.lng, columns={"latitude": "lat"})


def test_geopandas_says_the_same_of_small_circles(city: Monitor) -> None:
    """The circles that GeoPandas draws on a plane give different results only near the boundaries of the circles."""
    import geopandas

    generator = np.random.default_rng(6)
    latitude, longitude = generator.uniform(-0.02, 0.22, (2, 2000))
    found = city.containing(latitude, longitude, distances=True)
    points = geopandas.GeoDataFrame(geometry=geopandas.points_from_xy(longitude, latitude), crs=4326).to_crs(32631)
    grid = np.arange(400)
    centres = geopandas.GeoSeries(geopandas.points_from_xy(grid % 20 * 0.01, grid // 20 * 0.01), crs=4326).to_crs(32631)
    circles = geopandas.GeoDataFrame({"identifier": [f"c{i}" for i in grid]}, geometry=centres.buffer(900, 64))
    theirs = points.sjoin(circles, predicate="within")
    ours = set(zip(found.rows.tolist(), found.columns()["identifier"]))
    other = set(zip(theirs.index.tolist(), theirs["identifier"]))
    depth = dict(zip(zip(found.rows.tolist(), found.columns()["identifier"]), found.distances.tolist()))
    assert len(ours) > 2500 and all(depth[pair] > -10 for pair in ours - other)
    assert all(city.nearest(latitude[row], longitude[row], 400)[name] < 10 for row, name in other - ours)


def test_refusals_and_moments(city: Monitor) -> None:
    for wrong in (91, math.nan, -math.inf):
        with pytest.raises(InvalidArgumentError):
            city.containing(wrong, 0)
        with pytest.raises(InvalidArgumentError):
            city.nearest(0, 2 * wrong)
    for call in (
        lambda: city.containing([0], [0, 1]),
        lambda: city.containing([0], [0], threads=0),
        lambda: city.nearest(0, 0, -1),
    ):
        with pytest.raises(InvalidArgumentError):
            call()
    for call in (lambda: city.containing("a", 0), lambda: city.containing(3), lambda: city.nearest(0, 0, 1.5)):
        with pytest.raises((TypeError, InvalidArgumentError)):
            call()
    city.close()
    assert city.containing(0, 0)[:1] == ["c0"]


def test_while_others_change_the_conditions(city: Monitor) -> None:
    """The result of a query reflects the conditions at one moment. A query never reports a removed condition and never
    fails."""
    generator = np.random.default_rng(7)
    latitude, longitude = generator.uniform(0, 0.2, (2, 20_000))
    stop = threading.Event()

    def change() -> None:
        turn = 0
        while not stop.is_set():
            city.add(Circle(0.1, 0.1, radius=5000), f"new-{turn % 7}")
            city.remove(f"new-{(turn + 3) % 7}")
            city.feed(Fix(0.1, 0.1, time=turn))
            turn += 1

    changer = threading.Thread(target=change)
    changer.start()
    try:
        for _ in range(20):
            found = city.containing(latitude, longitude, distances=True, threads=2)
            assert found.offsets[-1] == len(found.indices) == len(found.distances) == len(found)
            assert (np.diff(found.offsets) >= 0).all() and (found.distances <= 0).all()
            assert len(found) == 0 or found.indices.max() < len(found.identifiers)
            assert len(city.nearest(latitude[:500], longitude[:500], 3)) <= 1500
    finally:
        stop.set()
        changer.join()


@pytest.mark.parametrize("asked", ["monitor", "table"])
def test_a_long_question_holds_nobody_up(city: Monitor, asked: str) -> None:
    """During a query with thousands of points, other threads can query and feed."""
    places: Any = city if asked == "monitor" else fencepost.Zones.restore(city.snapshot())
    latitude, longitude = np.random.default_rng(8).uniform(0, 0.2, (2, 30_000))
    generations = np.zeros(30_000 * 40, "u8")
    asker = threading.Thread(
        target=places._handle.nearest, args=(latitude, longitude, 40, generations, np.empty(30_000 * 40))
    )
    asker.start()
    while asker.is_alive() and not generations[::997].any():
        pass
    assert places.containing(0.1, 0.1) and len(places.nearest(0.1, 0.1, 3)) == 3
    city.feed(Fix(0.1, 0.1, time=0))
    assert not generations.all(), "the long question has not ended"
    asker.join()
    assert generations.all()


def test_is_public() -> None:
    assert "Matches" in fencepost.types.__all__
