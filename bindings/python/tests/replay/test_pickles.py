"""Tests that results of replays and questions can be pickled, as processes of a pool return them."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from multiprocessing import get_context
from typing import Any

import pytest

from fencepost import Circle, EventLog, Fix, Fleet, Rule, Zones, compare, replay

ZONES = {"depot": Circle(0, 0, 100), "far": Circle(1, 1, 100)}
FIXES = [Fix(0, longitude, accuracy=5, time=60_000_000 * minute) for minute, longitude in enumerate((0, 1, 0, 1))]


def frame() -> Any:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    rows = {"van": ["a", "b", "a", "b"], "latitude": [0.0] * 4, "longitude": [0.0, 1.0, 1.0, 0.0]}
    return pandas.DataFrame(rows | {"time": pandas.date_range("2024-05-01", periods=4, freq="min", tz="UTC")})


def one_track() -> EventLog:
    return replay(FIXES, ZONES, policy="exact")


def many_tracks() -> EventLog:
    return replay(frame(), ZONES, policy="exact", device="van", plausible_speed=3000)


def with_a_rule() -> EventLog:
    return replay(FIXES, {**ZONES, "either": Rule.any("depot", "far")}, policy="exact")


def inside() -> Any:
    fleet = Fleet(Zones(ZONES))
    fleet.feed_many(device=["a", "b"], latitude=[0, 0], longitude=[0, 1], time=[0, 0])
    return fleet.inside()


MADE: list[Callable[[], Any]] = [
    one_track,
    many_tracks,
    with_a_rule,
    lambda: many_tracks().of("b"),
    lambda: one_track().visits(),
    lambda: many_tracks().visits(),
    lambda: compare(FIXES, ZONES, policies=["exact", "standard"]),
    inside,
]


@pytest.mark.parametrize("make", MADE, ids=range(len(MADE)))
@pytest.mark.parametrize("is_read", [False, True])
def test_results_are_pickled_and_copied(make: Callable[[], Any], is_read: bool) -> None:
    """A log could not be pickled, because it contained a lambda and the reader of its table."""
    made = make()
    assert not is_read or list(made)
    for other in (pickle.loads(pickle.dumps(made)), copy.deepcopy(made), copy.copy(made)):
        assert type(other) is type(made) and other == made and len(other) == len(made) > 0
        assert (repr(other), other.columns()) == (repr(made), made.columns())


def test_a_pickled_log_has_everything() -> None:
    for log in (one_track(), many_tracks(), with_a_rule()):
        other = pickle.loads(pickle.dumps(log))
        assert [list(each.fixes) for each in other.replays] == [list(each.fixes) for each in log.replays]
        assert (other.counts, other.tracks, other.conditions) == (log.counts, log.tracks, log.conditions)
        assert other.visits() == log.visits() and other.report() == log.report()


def test_processes_of_a_pool_return_logs() -> None:
    with get_context("spawn").Pool(1) as pool:
        assert pool.apply(one_track) == one_track()


def test_presences_keep_their_shapes() -> None:
    pytest.importorskip("geopandas")
    made = inside()
    assert pickle.loads(pickle.dumps(made)).to_geopandas().equals(made.to_geopandas())
