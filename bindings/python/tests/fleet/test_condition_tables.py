"""Tests tables of conditions that fleets share."""

from __future__ import annotations

import copy
import pickle

import pytest
from conftest import HOME, SECOND, UUID
from fleets import zones_of

from fencepost import Beacon, Circle, Fix, Fleet, InputError, Monitor, Polygon, State, Zones
from fencepost.errors import NotFoundError

pa = pytest.importorskip("pyarrow")


def test_a_table_changes_under_its_fleets() -> None:
    zones = Zones()
    one, two = Fleet(zones), Fleet(zones)
    for fleet in (one, two):
        fleet.feed("a", Fix(52.5, 13.4, time=0))
    zones.add(HOME, "home")
    assert one["a"].state("home") is State.UNKNOWN
    for fleet in (one, two):
        fleet.feed("a", Fix(52.5, 13.4, time=SECOND))
    assert [event.identifier for event in one.events()] == ["home"]
    del zones["home"]  # the event that is pending in the other fleet becomes void
    assert list(two.events()) == [] and len(two["a"].inside()) == 0
    assert one.conditions is zones and two.statistics().condition_count == 0


def test_a_table_is_a_mapping_of_definitions() -> None:
    zones = zones_of(3)
    assert len(zones) == 6 == len(list(zones)) == len(zones.items()) and zones and "square" in zones and 3 not in zones
    assert zones.get("nothing", 1) == 1 and zones["circle 2"].tag == 2
    assert [each.condition for each in zones.values()][-1] == Beacon(UUID)
    with pytest.raises(NotFoundError):
        zones["nothing"]
    other = Zones()
    assert other.sync(zones).added == 6
    assert [each.policy for each in other.values()] == [each.policy for each in zones.values()]
    assert other.sync(zones).kept == 6 and other.remove_many(["circle 0", "nothing"]) == 1
    monitor = Monitor()
    assert monitor.sync(zones).added == 6
    assert other.ensure_many(["circle 1"], [0], [0], [10]).replaced == 1
    again = pickle.loads(pickle.dumps(zones))
    assert again.version == zones.version != other.version and copy.copy(zones).identifiers == zones.identifiers
    assert zones.shape("square").vertex_count == 4
    assert zones.nearest_boundary_point("square", 0.002, 0.009) is not None
    assert list(zones.nearest(0, 0, 1)) and len(zones.containing([0.0], [0.0])) == len(zones.containing(0, 0))
    assert "<td>square</td>" in zones._repr_html_()
    restored = Zones.restore(monitor.snapshot())
    assert restored.identifiers == zones.identifiers


def test_a_table_is_joined_with_points_as_a_monitor_is() -> None:
    """Joins with a table give the same results as joins with a monitor while fleets use the table. The joins run with
    columns, frames and Arrow tables, in one thread and in two threads."""
    numpy, pandas = pytest.importorskip("numpy"), pytest.importorskip("pandas")
    zones, monitor = zones_of(30), Monitor()
    monitor.sync(zones)
    fleet = Fleet(zones)
    fleet.feed("a", Fix(0, 0, time=0))
    chance = numpy.random.default_rng(3)
    latitudes, longitudes = chance.uniform(-0.02, 0.02, (2, 5000))
    frame = pandas.DataFrame({"latitude": latitudes, "longitude": longitudes}, index=range(7, 5007))
    found = zones.containing(latitudes, longitudes, distances=True)
    assert len(found.indices) > 100
    for threads in (1, 2):
        other = monitor.containing(latitudes, longitudes, distances=True, threads=threads)
        for name in ("offsets", "distances"):
            assert numpy.array_equal(getattr(found, name), getattr(other, name))
        assert found.columns() == zones.containing(latitudes, longitudes, distances=True, threads=threads).columns()
        assert zones.containing(frame, threads=threads).equals(monitor.containing(frame, threads=threads))
        assert zones.nearest(frame, k=2, threads=threads).equals(monitor.nearest(frame, k=2))
    rows = pa.table(zones.containing(pa.table({"latitude": latitudes, "longitude": longitudes})).to_arrow())
    assert rows.num_rows == len(found.indices)
    assert fleet.statistics().pending_events == len(zones.containing(0, 0)), "asking changes nothing"


def test_a_table_of_rows_and_shapes() -> None:
    zones = Zones()
    zones.add_many(pa.table({"name": ["a", "b"], "lat": [0.0, 1.0], "lon": [0.0, 1.0], "radius": [10.0, 20.0]}))
    assert zones["b"].condition.radius == 20  # type: ignore[union-attr]
    wkt = pa.table({"name": ["c"], "wkt": ["POLYGON ((0 0, 1 0, 1 1, 0 1, 0 0))"], "edges": ["geodesic"]})
    zones.add_many(wkt)
    assert isinstance(zones["c"].condition, Polygon)
    fleet = Fleet(zones)
    fleet.feed("x", Fix(0.5, 0.5, time=0))
    assert [presence.identifier for presence in fleet["x"].inside()] == ["c"]
    with pytest.raises(InputError, match="row 0"):
        zones.add_many(pa.table({"name": [""], "lat": [0.0], "lon": [0.0], "radius": [10.0]}))


def test_views_compare_with_objects_whose_comparison_returns_no_bool() -> None:
    np, pd = pytest.importorskip("numpy"), pytest.importorskip("pandas")
    for holder in (Zones(), Monitor()):
        holder.add(Circle(0, 0, 100), "a")
        held = holder["a"]
        assert held in holder.values()
        assert ("a", held) in holder.items()
        assert ("b", held) not in holder.items()
        for other in (pd.Series([1.0, 2.0]), pd.DataFrame({"a": [1]}), np.array([1.0, 2.0]), pd.NA, None):
            assert ("a", other) not in holder.items()
            assert other not in holder.values()
        assert other not in holder.items()
        assert ("a", held, 0) not in holder.items()
        assert ([], held) not in holder.items()
