"""Tests the devices of a fleet: their states and positions, adding and removing devices, and devices as bytes."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import SECOND
from fleets import alone, columns, names, walks, zones_of

from fencepost import DeviceEvent, Fix, Fleet, State, Zones
from fencepost.errors import (
    InvalidArgumentError,
    LateInputError,
    NotFoundError,
    SnapshotInvalidError,
    TableMismatchError,
)


def test_who_is_where() -> None:
    zones = zones_of()
    fleet = Fleet(zones)
    fleet.feed_many(device=["a", "b", "c"], latitude=[0.001, 0.001, 50], longitude=[0.001, 0.001, 50], time=[0, 1, 2])
    inside = fleet.inside()
    assert {presence.device for presence in inside} == {"a", "b"}
    assert [presence.device for presence in fleet.inside("square")] == ["a", "b"]
    assert [presence.identifier for presence in fleet["a"].inside()] == zones.containing(0.001, 0.001)
    assert len(fleet["c"].inside()) == 0 and fleet["c"].explain("square").observed is State.UNSATISFIED
    square = fleet.inside("square")[0]
    assert square.since_us == 0 and square.evidence_date_us == 0 and square.since == square.evidence_date
    frame = fleet.inside().to_pandas()
    assert list(frame["device"].unique()) == ["a", "b"] and str(frame["since"].dtype) == "datetime64[us, UTC]"
    places = fleet.inside().to_geopandas()
    assert str(places.crs) == "EPSG:4326" and {"Polygon", "LineString"} >= set(places.geom_type.unique())
    assert fleet.inside("road").to_geopandas().geom_type.isin(["LineString"]).all()
    with pytest.raises(NotFoundError):
        fleet.inside("nothing")
    assert len(Fleet(zones).to_geopandas()) == len(Fleet(zones).inside().to_geopandas()) == 0


@pytest.mark.parametrize("threads", [1, 3])
def test_where_everybody_is(threads: int) -> None:
    fleet = Fleet(zones_of(), threads=threads)
    at = {"a": (52.1234567, 13.4), "b": (-0.00000004, -180.0), "c": (-90.0, 179.9999999), "d": (1e-7, -0.3)}
    for name, (latitude, longitude) in at.items():
        fleet.feed(name, Fix(10.0, 10.0, time=0))
        # Feed inputs inside and outside the safe region, singly and in a batch; a refused fix changes nothing.
        fleet.feed(name, Fix(10.00001, 10.0, time=1))
        assert fleet[name].position == (10.00001, 10.0)
        fleet.feed_many(device=name, latitude=[latitude, 99], longitude=[longitude, 0], time=[2_000_000, 3_000_000])
        fleet.feed(name, Fix(1, 1, accuracy=-1, time=3_000_000))
        with pytest.raises(LateInputError):
            fleet.feed(name, Fix(1, 1, time=1))
        expected = (round(latitude, 7) + 0.0, round(longitude, 7))
        assert fleet[name].position == expected
    fleet.feed_sightings("silent", time=2_000_000)
    assert fleet["silent"].position is None
    frame = fleet.to_geopandas()
    assert list(frame["device"]) == [*at, "silent"] == fleet.devices and str(frame.crs) == "EPSG:4326"
    assert frame.geometry.y.tolist()[:4] == [fleet[name].position[0] for name in at]  # type: ignore[index]
    assert frame.geometry.isna().tolist() == [False] * 4 + [True]
    assert str(frame["clock"].dtype) == "datetime64[us, UTC]" and frame["clock"][4].timestamp() == 2
    with pytest.raises(NotFoundError):
        _ = fleet["nobody"].position


def test_positions_are_not_kept(tmp_path: Path) -> None:
    """Until its next fix after a restart or a move to another fleet, a device may report a position that is older than
    its last one."""
    fleet = Fleet(zones_of(), store=tmp_path, name="f")
    fleet.feed("a", Fix(20, 20, time=0))
    for second in range(1, 9):
        fleet.feed("a", Fix(20 + second * 1e-5, 20, time=second))
    assert fleet["a"].position == (20.00008, 20)
    other = Fleet(fleet.conditions)
    other.load({"a": fleet.export(["a"])[0]})
    fleet.close()
    for late in (Fleet(Zones(), store=tmp_path, name="f"), Fleet.restore(fleet.snapshot()), other):
        latitude, longitude = late["a"].position or (0, 0)
        assert 20 <= latitude <= 20.00008 and longitude == 20
        late.feed("a", Fix(20.0001, 20, time=9))
        assert late["a"].position == (20.0001, 20)


def test_devices_come_and_go() -> None:
    fleet = Fleet(zones_of(), device_limit=3)
    for number, name in enumerate("abc"):
        fleet.feed(name, Fix(0, 0, time=number * SECOND))
    with pytest.raises(InvalidArgumentError, match="3 .*device_limit"):
        fleet.feed("d", Fix(0, 0, time=0))
    assert fleet.expire(before=SECOND) == ["a"]
    del fleet["b"]
    assert list(fleet) == ["c"] and "b" not in fleet and 7 not in fleet and "" not in fleet
    with pytest.raises(NotFoundError):
        fleet["b"]
    with pytest.raises(NotFoundError):
        del fleet["b"]
    assert {event.device for event in fleet.events()} == {"a", "b", "c"}
    held = fleet["c"]
    assert fleet.remove_device("c", drop_events=True)
    assert repr(held) == "<fencepost.Device 'c', removed>"
    with pytest.raises(NotFoundError):
        held.statistics()
    with pytest.raises(NotFoundError):
        fleet.advance(9 * SECOND, device="c")
    fleet.feed("c", Fix(0, 0, time=0))
    assert fleet.next_event().sequence == 1  # type: ignore[union-attr]


def test_exported_devices_go_on_elsewhere() -> None:
    zones, rows = zones_of(), walks()
    expected = [(device, text) for device, _, text in alone(zones, rows)]
    here, found = Fleet(zones), []
    for start in range(0, len(rows), 100):
        part = rows[start : start + 100]
        here.feed_many(device=names(part), **columns(part))
        found += [(event.device, super(DeviceEvent, event).to_json()) for event in here.events()]
        there = Fleet(zones if start % 200 else Zones.restore(zones.snapshot()))
        there.load(dict(zip(here.devices, here.export())))
        here = there
    assert found == expected


def test_another_table_refuses_devices_or_adapts_them() -> None:
    zones = zones_of()
    fleet = Fleet(zones)
    fleet.feed("a", Fix(0.001, 0.001, time=0))
    stiff, portable = fleet.export(["a"])[0], fleet.export(["a"], portable=True)[0]
    other = Zones()
    other.sync(zones)
    other.remove("circle 0")
    with pytest.raises(TableMismatchError):
        Fleet(other).load({"a": portable})
    with pytest.raises(TableMismatchError):
        Fleet(other).load({"a": stiff}, adapt=True)
    moved = Fleet(other)
    moved.load({"a": portable}, adapt=True)
    assert {presence.identifier for presence in moved["a"].inside()} >= {"square"}
    with pytest.raises(InvalidArgumentError, match='element 1: .*"a"'):
        moved.load({"b": portable, "a": portable}, adapt=True)
    assert moved.devices == ["a"]
    for damaged in (b"", b"x" * 40, stiff[:-1], stiff[:20] + b"\xff" + stiff[21:]):
        with pytest.raises(SnapshotInvalidError):
            Fleet(zones).load({"a": damaged})
    with pytest.raises(NotFoundError):
        fleet.export(["nobody"])


def test_inside_is_one_thing_for_fleet_and_device() -> None:
    zones = Zones()
    zones.add_many(["a", "b", "c"], [0, 0, 1], [0, 0, 1], [100, 200, 100])
    fleet = Fleet(zones)
    for device in ("x", "y"):
        fleet.feed(device, Fix(0, 0, time=0))
    assert type(fleet.inside()) is type(fleet["x"].inside())
    for identifier in (None, "a", "c"):
        own = [presence for presence in fleet.inside(identifier) if presence.device == "x"]
        assert list(fleet["x"].inside(identifier)) == own
    for asked in (fleet.inside, fleet["x"].inside):
        with pytest.raises(NotFoundError, match="'nowhere'"):
            asked("nowhere")
    del fleet["y"]
    with pytest.raises(NotFoundError):
        fleet.__getitem__("y").inside()
