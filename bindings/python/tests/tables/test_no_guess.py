"""Inputs of which a part is ambiguous: nothing is guessed. Each was a wrong answer without a warning."""

from __future__ import annotations

from typing import Any

import pytest

from fencepost import Circle, Corridor, Fix, Fleet, Gate, InputError, Polygon, TransitionPolicy, Zones, compare, replay
from fencepost.errors import InvalidArgumentError

np = pytest.importorskip("numpy")
pandas = pytest.importorskip("pandas")
BERLIN = [(52.5, 13.3), (52.5, 13.5), (52.6, 13.5), (52.6, 13.3)]


def zones() -> Zones:
    found = Zones()
    found.add_many([f"z{number}" for number in range(4)], [0, 0, 0.02, 0.04], [0, 0, 0.02, 0.04], [1500] * 4)
    return found


def points(rows: int = 60) -> Any:
    world = np.random.default_rng(3)
    return pandas.DataFrame({"lat": world.uniform(0, 0.05, rows), "lon": world.uniform(0, 0.05, rows)})


# ------------------------------------------------------------------------------------------------ the index


@pytest.mark.parametrize("labels", [None, "shuffled", "text", "levels"])
def test_columns_of_pandas_keep_their_index(labels: str | None) -> None:
    frame = points()
    if labels == "shuffled":
        frame = frame.sample(frac=1, random_state=2)
    elif labels == "text":
        frame.index = pandas.Index([f"p{row}" for row in range(len(frame))])
    elif labels == "levels":
        frame.index = pandas.MultiIndex.from_product([range(6), list("abcdefghij")], names=["van", "row"])
    some = frame[frame.lat > 0.01]
    by_frame = some.join(zones().containing(some), how="inner")
    matches = zones().containing(some.lat, some.lon)
    pandas.testing.assert_frame_equal(by_frame, some.join(matches.to_pandas(), how="inner"))
    assert len(by_frame) > 10 and matches.rows.max() < len(some)
    near = zones().nearest(some.lat, some.lon, k=2).to_pandas()
    pandas.testing.assert_frame_equal(near, zones().nearest(some, k=2))
    one = zones().containing(some.lat, some.lon.to_numpy()).to_pandas()
    pandas.testing.assert_frame_equal(one, matches.to_pandas())
    plain = zones().containing(some.lat.to_numpy(), some.lon.to_numpy()).to_pandas()
    assert plain.index.name == "point" and list(plain.index) == matches.rows.tolist()


def test_columns_with_different_indexes_are_refused() -> None:
    frame = points()
    for other in (frame.lon.sort_values(), frame.lon.reset_index(drop=True).set_axis(range(1, len(frame) + 1))):
        with pytest.raises(InvalidArgumentError, match="latitude and longitude have different indexes: align them"):
            zones().containing(frame.lat, other)
        with pytest.raises(InvalidArgumentError, match="different indexes"):
            zones().nearest(frame.lat, other)


def test_labels_that_name_several_rows_are_refused() -> None:
    """A join by them pairs each row with the zones of all rows of its label."""
    twice = pandas.concat([points(20), points(20) + 0.01])
    matches = zones().containing(twice.lat, twice.lon)
    said = r"the index has the label 0 more than once.*reset_index\(\)"
    with pytest.raises(InvalidArgumentError, match=said):
        zones().containing(twice)
    with pytest.raises(InvalidArgumentError, match=said):
        matches.to_pandas()
    assert len(matches.to_pandas(pandas.RangeIndex(40))) == len(matches)
    with pytest.raises(InvalidArgumentError, match="the index has 3 labels, and there are 40 points"):
        matches.to_pandas(pandas.RangeIndex(3))


# ---------------------------------------------------------------------------------------------- the device


@pytest.mark.parametrize("name", ["id", "ID", "identifier", "name"])
def test_a_row_number_is_no_device(name: str) -> None:
    rows = {name: [101, 102, 103], "lat": [0.0] * 3, "lon": [0.0] * 3, "time": [1_700_000_000 + n for n in range(3)]}
    fleet = Fleet(zones())
    with pytest.raises(InputError) as caught:
        fleet.feed_many(pandas.DataFrame({**rows, "van": ["a", "a", "b"]}))
    assert f"there is no column for the device, only {name}, lat, lon, time, van; name the column of devices, " in str(
        caught.value
    )
    assert f"which may be {name!r}, 'van'" in str(caught.value) and not fleet.devices
    fleet.feed_many(pandas.DataFrame({**rows, "van": ["a", "a", "b"]}), columns={"device": "van"})
    assert fleet.devices == ["a", "b"]
    named = Fleet(zones())
    named.feed_many(pandas.DataFrame(rows), columns={"device": name})
    assert named.devices == ["101", "102", "103"]


# ------------------------------------------------------------------------------- the order of coordinates


def test_pairs_of_numbers_need_an_order() -> None:
    turned = [(x, y) for y, x in BERLIN]
    rings: list[Any] = [BERLIN, turned, np.array(BERLIN), iter(BERLIN)]
    for ring in rings:
        with pytest.raises(TypeError, match="say order='latlon' .latitude first. or order='lonlat' .longitude first."):
            Polygon(ring)
    for line in (BERLIN, turned):
        with pytest.raises(TypeError, match="path holds pairs of coordinates"):
            Corridor(line, 50)
        with pytest.raises(TypeError, match="path holds pairs of coordinates"):
            Gate(line)
    assert (
        Polygon(BERLIN, order="latlon") == Polygon(turned, order="lonlat") == Polygon(np.array(turned), order="lonlat")
    )
    assert Corridor(BERLIN, 50, order="latlon") == Corridor(turned, 50, order="lonlat")
    assert Gate(BERLIN, order="latlon") == Gate(turned, order="lonlat")
    assert Polygon(BERLIN, order="latlon").contains(52.55, 13.4)
    shape = Polygon(turned, holes=[[(13.4, 52.54), (13.41, 52.54), (13.41, 52.55)]], order="lonlat")
    assert shape.contains(52.51, 13.4) and not shape.contains(52.543, 13.408)


def test_geometries_are_longitude_first() -> None:
    shapely = pytest.importorskip("shapely")
    box = shapely.box(13.3, 52.5, 13.5, 52.6)
    with pytest.raises(TypeError, match="exterior holds pairs of coordinates"):
        Polygon(box.exterior.coords)
    assert Polygon(box.exterior.coords, order="lonlat") == Polygon(box) == Polygon(box, order="lonlat")
    for stated in (box, box.wkt, box.wkb, shapely.geometry.mapping(box)):
        assert Polygon(stated).contains(52.55, 13.4)
        with pytest.raises(TypeError, match="coordinates are longitude first"):
            Polygon(stated, order="latlon")


# ----------------------------------------------------------------------------------- how many tracks begin


def tracks() -> Any:
    """Two vans: one drives through z0 and z1, the other begins in z3 and stays there."""
    times = pandas.date_range("2024-05-01 12:00", periods=40, freq="30s", tz="UTC")
    one = pandas.DataFrame({"van": "one", "t": times, "lat": 0.0, "lon": np.linspace(-0.04, 0.04, 40)})
    two = pandas.DataFrame({"van": "two", "t": times, "lat": 0.04, "lon": 0.04})
    return pandas.concat([one, two], ignore_index=True).sort_values("t", kind="stable")


def test_many_tracks_begin_outside() -> None:
    places = {
        f"z{number}": Circle(*where, 1500) for number, where in enumerate([(0, 0), (0, 0), (0.02, 0.02), (0.04, 0.04)])
    }
    log = replay(tracks(), places, by="van")
    assert not [event for event in log if event.state == "unsatisfied" and event.cause == "determination"]
    assert [(visit.track, visit.identifier) for visit in log.visits()] == [("one", "z0"), ("one", "z1"), ("two", "z3")]
    full = replay(tracks(), places, by="van", assuming="unknown")
    assert len(full) - len(log) == 7  # the pairs of a van and a place outside of which it begins
    assert len(full.visits()) == len(log.visits())
    alone = replay(tracks().query("van == 'one'"), places)
    assert [str(event.cause) for event in alone][:4] == ["determination"] * 4
    (same,) = compare(tracks(), places, policies=["standard"], by="van")
    assert list(same.log.tracked()) == list(log.tracked())


def test_a_log_says_its_policy() -> None:
    fixes = [Fix(0, 0.001 * step, time=step * 60_000_000) for step in range(5)]
    place = {"start": Circle(0, 0, 150)}
    for name in ("standard", "exact", "core_location"):
        assert f"1 conditions, policy {name}, " in repr(replay(fixes, place, policy=name))
    own = replay(fixes, place, policy=TransitionPolicy(entry_dwell=60))
    assert "policy of 60 s, 20 m to enter and 20 s, 20 m to leave" in repr(own)
    assert [f"policy {one.name}" in repr(one.log) for one in compare(fixes, place)] == [True] * 3
