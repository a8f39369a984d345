"""Tests that ambiguous inputs are refused instead of guessed. In earlier versions, each input of these tests gave a
wrong answer without a warning."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from conftest import mentions

from fencepost import (
    Circle,
    Corridor,
    Fix,
    Fleet,
    Gate,
    InputError,
    InputWarning,
    Monitor,
    Polygon,
    TransitionPolicy,
    Zones,
    compare,
    replay,
)  # fmt: skip
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
        with pytest.raises(InvalidArgumentError, match="latitude.*longitude.*index"):
            zones().containing(frame.lat, other)
        with pytest.raises(InvalidArgumentError, match="different indexes"):
            zones().nearest(frame.lat, other)


def test_labels_that_name_several_rows_are_refused() -> None:
    """If several rows had the same label, a join would pair each of these rows with the zones of all of them."""
    twice = pandas.concat([points(20), points(20) + 0.01])
    matches = zones().containing(twice.lat, twice.lon)
    said = r"label 0 .*reset_index\(\)"
    with pytest.raises(InvalidArgumentError, match=said):
        zones().containing(twice)
    with pytest.raises(InvalidArgumentError, match=said):
        matches.to_pandas()
    assert len(matches.to_pandas(pandas.RangeIndex(40))) == len(matches)
    with pytest.raises(InvalidArgumentError, match="3.*40"):
        matches.to_pandas(pandas.RangeIndex(3))


# ---------------------------------------------------------------------------------------------- the device


@pytest.mark.parametrize("name", ["id", "ID", "identifier", "name"])
def test_a_row_number_is_no_device(name: str) -> None:
    rows = {name: [101, 102, 103], "lat": [0.0] * 3, "lon": [0.0] * 3, "time": [1_700_000_000 + n for n in range(3)]}
    fleet = Fleet(zones())
    with pytest.raises(InputError) as caught:
        fleet.feed_many(pandas.DataFrame({**rows, "van": ["a", "a", "b"]}))
    assert mentions(caught.value, f"device … {name}, lat, lon, time, van;")
    assert f"{name!r}, 'van'" in str(caught.value) and not fleet.devices
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
        with pytest.raises(TypeError, match="order='latlon'.*order='lonlat'"):
            Polygon(ring)
    for line in (BERLIN, turned):
        with pytest.raises(TypeError, match="path.*order="):
            Corridor(line, 50)
        with pytest.raises(TypeError, match="path.*order="):
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
    with pytest.raises(TypeError, match="exterior.*order="):
        Polygon(box.exterior.coords)
    assert Polygon(box.exterior.coords, order="lonlat") == Polygon(box) == Polygon(box, order="lonlat")
    for stated in (box, box.wkt, box.wkb, shapely.geometry.mapping(box)):
        assert Polygon(stated).contains(52.55, 13.4)
        with pytest.raises(TypeError, match="order.* pairs"):
            Polygon(stated, order="latlon")


# ----------------------------------------------------------------------------------- how tracks begin


def tracks() -> Any:
    """Returns the rows of two vans: one van drives through z0 and z1; the other van starts in z3 and stays there."""
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
    assert len(full) - len(log) == 7  # the (van, place) pairs in which the van starts outside the place
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
    assert mentions(repr(own), "policy … 60 s, 20 m … 20 s, 20 m")
    assert [f"policy {one.name}" in repr(one.log) for one in compare(fixes, place)] == [True] * 3


# -------------------------------------------------------------------------------------- conventions of other libraries


def fixes(**changes: Any) -> Any:
    times = pandas.date_range("2024-05-01", periods=3, freq="min", tz="UTC")
    return pandas.DataFrame({"lat": [0.0, 0.0, 1.0], "lon": [0.0, 0.0, 1.0], "time": times} | changes)


@pytest.mark.parametrize("name", ["lat", "time", "van"])
def test_two_columns_of_one_name_are_refused(name: str) -> None:
    """pandas.concat(axis=1) and SQL joins can produce tables in which two columns have the same name. Earlier versions
    used the first of the two columns without a warning."""
    pa = pytest.importorskip("pyarrow")
    frame = fixes(van=["a", "a", "b"])
    twice = pandas.concat([frame, frame[[name]]], axis=1)
    table = pa.Table.from_arrays([pa.array(frame[each]) for each in (*frame, name)], names=[*frame, name])
    said = f" 2 columns named {name!r}"
    for rows in (twice, table):
        with pytest.raises(InputError, match=said):
            replay(rows, {}, by="van")
        with pytest.raises(InputError, match=said):
            Fleet(zones()).feed_many(rows, columns={"device": "van"})
    if name == "lat":
        with pytest.raises(InvalidArgumentError, match=said):
            zones().containing(twice)


def test_columns_to_feed_have_one_index() -> None:
    """If one column has another order of rows than the others, reading the columns by position would combine values of
    different rows."""
    frame = fixes(van=["a", "b", "a"], radius=[10.0, 20.0, 30.0])
    for name in ("lat", "lon", "time", "van"):
        given = {
            each: frame[each].iloc[::-1] if each == name else frame[each] for each in ("lat", "lon", "time", "van")
        }
        columns = {"latitude": given["lat"], "longitude": given["lon"], "time": given["time"]}
        if name != "van":
            with pytest.raises(InvalidArgumentError, match="different indexes"):
                Monitor().feed_many(**columns)
        with pytest.raises(InvalidArgumentError, match="different indexes"):
            Fleet(zones()).feed_many(device=given["van"], **columns)
    fleet = Fleet(zones())
    fleet.feed_many(device=frame.van, latitude=frame.lat, longitude=frame.lon, time=frame.time)
    assert fleet.devices == ["a", "b"]
    with pytest.raises(InvalidArgumentError, match="identifier and latitude .*index"):
        Zones().add_many(frame.van.iloc[::-1], frame.lat, frame.lon, frame.radius)


def test_arrays_of_xarray_with_other_labels_are_refused() -> None:
    xarray = pytest.importorskip("xarray")
    one = xarray.DataArray([0.0, 0.0, 1.0], dims="p", coords={"p": [5, 6, 7]})
    other = xarray.DataArray([0.0, 0.0, 1.0], dims="p", coords={"p": [7, 6, 5]})
    with pytest.raises(InvalidArgumentError, match="different indexes"):
        zones().containing(one, other)
    assert list(zones().containing(one, one).to_pandas().index) == [5, 5, 6, 6]


def test_spans_are_no_times() -> None:
    """pandas stores a period as a number of months, which earlier versions read as a time in 1970."""
    pa = pytest.importorskip("pyarrow")
    frame = fixes(time=pandas.period_range("2024-05", periods=3, freq="M"))
    for rows in (frame, pa.Table.from_pandas(frame)):
        for read in (lambda rows: replay(rows, {}), lambda rows: Monitor().feed_many(rows)):
            with pytest.raises(InputError, match="row 0.*'time'"):
                read(rows)


def test_times_with_and_without_a_zone_are_refused() -> None:
    """Arrow reads the times without a zone as UTC."""
    mixed = [datetime(2024, 5, 1, tzinfo=UTC), datetime(2024, 5, 1, 1), datetime(2024, 5, 1, 2, tzinfo=UTC)]
    frame = fixes(time=pandas.Series(mixed, dtype=object))
    with pytest.raises(InputError, match=r"row 1.*'time'.*2024-05-01T01:00:00 has no"):
        replay(frame, {})
    with pytest.raises(InputError, match=r"row 1: time \(column 'time'\): 2024-05-01T01:00:00 .*Z or \+02:00$"):
        Monitor().feed_many(frame)
    log = replay(frame, {}, time_zone="Africa/Lagos")
    assert log.start == datetime(2024, 5, 1, tzinfo=UTC) and log.counts.late_fixes == 0
    plain = fixes(time=pandas.Series([each.replace(tzinfo=None) for each in mixed], dtype=object))
    log = replay(plain, {}, time_zone="America/New_York")
    assert log.start == datetime(2024, 5, 1, 4, tzinfo=UTC)


def test_the_same_whatever_holds_the_rows(tmp_path: Any) -> None:
    """Tests that the events are the same if columns have nullable or categorical types or other time units, if columns
    are index levels, and if the rows are shuffled."""
    pa, places = pytest.importorskip("pyarrow"), {"z0": Circle(0, 0, 1500)}
    world = np.random.default_rng(5)
    times = pandas.date_range("2024-05-01", periods=400, freq="min", tz="UTC").astype("datetime64[us, UTC]")
    frame = pandas.DataFrame({
        "van": [f"van {number}" for number in world.integers(0, 7, 400)], "time": times,
        "lat": world.normal(0, 0.01, 400), "lon": world.normal(0, 0.01, 400), "accuracy": world.choice([5.0, 9.0], 400),
    })  # fmt: skip
    expected = [(row.track, row.event.to_json()) for row in replay(frame, places, by="van").tracked()]
    assert len(expected) > 50
    path = tmp_path / "rows.parquet"
    frame.to_parquet(path)
    held: list[Any] = [
        path, pa.Table.from_pandas(frame), pa.Table.from_pandas(frame).to_reader(max_chunksize=17), frame[::-1][::-1],
        frame.convert_dtypes(), frame.astype({"van": "category"}), frame.set_index(["van", "time"]),
        frame.assign(time=frame.time.astype("datetime64[ns, UTC]")), frame.assign(time=frame.time.dt.tz_localize(None)),
        frame.assign(time=frame.time.dt.tz_convert("Asia/Kolkata")), frame.astype({"lat": object, "van": object}),
    ]  # fmt: skip
    for rows in held:
        found = [(row.track, row.event.to_json()) for row in replay(rows, places, by="van").tracked()]
        assert found == expected, type(rows)
    with pytest.warns(InputWarning, match=r"\d+ of \d+ "):
        shuffled = replay(frame.sample(frac=1, random_state=1), places, by="van")
    by_track = {van: list(shuffled.of(van)) for van in shuffled.tracks}
    assert sorted((van, event.to_json()) for van, own in by_track.items() for event in own) == sorted(expected)
    for van, part in frame.groupby("van"):
        one = replay(part, places, assuming="unsatisfied")
        assert list(one) == by_track[van] and list(one.replays[0].fixes) == list(shuffled.of(van).replays[0].fixes)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"lat": ["0", "x", "1"]}, "row 0: latitude '0' (column 'lat') … str"),
        ({"time": ["2024-05-01", "soon", "2024-05-03"]}, "row 1: time (column 'time'): 'soon'"),
        ({"time": pandas.to_datetime(["2024-05-01", None, "2024-05-01"])}, "row 1: … time (column 'time')"),
        ({"van": ["a", None, "b"]}, "row 1: … 'van'"),
        ({"lat": [525_000_000.0] * 3}, "row 0: … latitude 525000000, longitude 0: … EPSG:4326"),
    ],
)
def test_the_same_messages_whatever_holds_the_rows(changes: dict[str, Any], words: str, tmp_path: Any) -> None:
    pa = pytest.importorskip("pyarrow")
    frame = fixes(**({"van": ["a", "a", "b"]} | changes))
    path = tmp_path / "rows.parquet"
    frame.to_parquet(path)
    for source, rows in (("track", frame), ("track", pa.Table.from_pandas(frame)), (str(path), path)):
        with pytest.raises(InputError) as caught:
            replay(rows, {}, by="van")
        assert mentions(caught.value, f"{source}: {words}")


@pytest.mark.parametrize("column", ["latitude", "longitude", "time", "accuracy", "device"])
def test_columns_without_an_order_are_refused(column: str) -> None:
    """Sets and dicts are refused: a set has no order, and earlier versions used the keys of a dict as the column. A
    view of a dict's keys or values is accepted, because it has an order."""
    rows: dict[str, Any] = {"device": ["a", "b"], "latitude": [0, 1], "longitude": [0, 1], "time": [0, 1]}
    rows["accuracy"] = [1, 2]
    for values in set(rows[column]), frozenset(rows[column]), dict(zip(rows[column], rows[column])):
        for call in Fleet({"here": Circle(0, 0, 100)}), Monitor():
            given = {**rows, column: values}
            if isinstance(call, Monitor):
                if column == "device":
                    continue
                del given["device"]
            with pytest.raises(InvalidArgumentError, match=f"^{column} .*{type(values).__name__}"):
                call.feed_many(**given)
    rows[column] = dict(zip(rows[column], rows[column])).values()
    assert Fleet({"here": Circle(0, 0, 100)}).feed_many(**rows).accepted == 2
    with pytest.raises(InvalidArgumentError, match="identifier is set"):
        Zones().add_many({"a", "b"}, [0, 1], [0, 1], [100, 100])  # type: ignore[arg-type]
