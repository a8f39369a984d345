"""Replays accept MovingPandas trajectories unchanged, and visits have the ids of the trajectories."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from conftest import ROOT, mentions, refusal
from test_tables import points

from fencepost import Circle, compare, replay
from fencepost.errors import InvalidArgumentError

mpd = pytest.importorskip("movingpandas", reason="movingpandas is installed by make test-all")
import pandas  # noqa: E402

CONDITIONS = ROOT / "examples" / "data" / "conditions.geojson"
HERE = {"here": Circle(0, 0, 150)}


@pytest.fixture(scope="module")
def cars() -> Any:
    """A recorded drive, used for two cars; the second car starts an hour later."""
    first = points().assign(car="b")
    second = first.assign(car="a", time=first["time"] + pandas.Timedelta(hours=1))
    return pandas.concat([first, second], ignore_index=True)


def collection(cars: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # MovingPandas drops time zones and warns about it
        return mpd.TrajectoryCollection(cars, traj_id_col="car", t="time")


def test_a_collection_goes_in(cars: Any) -> None:
    tracks = collection(cars)
    log = replay(tracks, CONDITIONS, assuming="unknown")
    expected = replay(cars, CONDITIONS, by="car", assuming="unknown")
    assert log.by == "car" and sorted(log.tracks) == ["a", "b"]
    for car in "ab":
        assert list(log.of(car)) == list(expected.of(car)) != []
    visits = log.visits().to_pandas()
    ids = pandas.DataFrame({"car": [track.id for track in tracks.trajectories], "driver": ["Ada", "Bo"]})
    joined = visits.merge(ids, on="car")
    assert len(joined) == len(visits) == len(expected.visits()) and set(joined["driver"]) == {"Ada", "Bo"}


def test_a_trajectory_goes_in(cars: Any) -> None:
    one = collection(cars).trajectories[0]
    log = replay(one, CONDITIONS, assuming="unknown")
    assert log.tracks == (one.id,) and log.by == "car"
    assert list(log) == list(replay(cars, CONDITIONS, by="car", assuming="unknown").of(one.id))
    assert [outcome.events for outcome in compare(one, CONDITIONS, assuming="unknown")] == [
        outcome.events for outcome in compare(cars[cars["car"] == one.id], CONDITIONS, assuming="unknown")
    ]


def test_a_trajectory_of_its_own(cars: Any) -> None:
    """Replays a single trajectory that has no column of ids; the index with its times has the name "stamp"."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frame = cars[cars["car"] == "b"].drop(columns="car").set_index("time").rename_axis("stamp")
        one = mpd.Trajectory(frame, 7)
    log = replay(one, CONDITIONS, assuming="unknown")
    assert log.tracks == (7,) and list(log) == list(replay(cars, CONDITIONS, by="car", assuming="unknown").of("b"))


def test_what_cannot_be_used(cars: Any) -> None:
    tracks = collection(cars)
    projected = collection(cars.to_crs(3857))
    assert mentions(refusal(replay, projected, HERE), "track, trajectory 'a': … EPSG:3857 … WGS84")
    assert list(replay(projected, HERE, transform=True).tracks) == list(replay(tracks, HERE).tracks)
    with pytest.raises(InvalidArgumentError, match="trajectories are tracks already"):
        replay(tracks, HERE, by="car")
    tracks.trajectories[1].id = tracks.trajectories[0].id
    assert mentions(refusal(replay, tracks, HERE), "two … id")
    tracks.trajectories.clear()
    assert "trajectories" in str(refusal(replay, tracks, HERE))
