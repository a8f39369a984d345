"""Presences agree with the answer of each single device, regardless of what happened between two queries."""

from __future__ import annotations

import random
from typing import Any

import pytest

from fencepost import (
    Beacon,
    BeaconSighting,
    Circle,
    Corridor,
    Fix,
    Fleet,
    Polygon,
    TransitionPolicy,
    Zones,
)
from fencepost._fleet.presences import Presence, PresenceColumns, Presences
from fencepost._tables.table import Table
from fencepost.errors import FencepostError, NotFoundError

EXACT = TransitionPolicy.exact()
UUID = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"
SECOND = 1_000_000


def scan(fleet: Fleet, identifier: str | None) -> list[Presence]:
    return [
        presence
        for device in fleet.devices
        for presence in fleet[device].inside()
        if identifier is None or presence.identifier == identifier
    ]


def compare(fleet: Fleet) -> None:
    for identifier in (None, *fleet.conditions.identifiers):
        found = fleet.inside(identifier)
        assert len(found) == len(scan(fleet, identifier)) and list(found) == scan(fleet, identifier)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("seed", range(6))
def test_as_each_device_says(seed: int, threads: int) -> None:
    draw = random.Random(seed)
    zones = Zones()
    fleet = Fleet(zones, threads=threads, beacon_exit_timeout=40)
    elsewhere = Fleet(zones)
    now = 0
    for step in range(250):
        now += draw.randrange(40) * SECOND
        device, name = f"d{draw.randrange(12)}", draw.choice("abcde")
        at = Fix(draw.uniform(-0.004, 0.004), draw.uniform(-0.004, 0.004), 5, time=now)
        try:
            match draw.randrange(14):
                case 0 | 1:
                    zones.remove(name)
                    policy = draw.choice([EXACT, None])
                    zones.add(Circle(draw.uniform(-0.003, 0.003), 0, draw.choice([100, 300])), name, policy=policy)
                case 2:
                    zones.remove(name)
                case 3:
                    zones.ensure(Beacon(UUID), "near")
                    fleet.feed_sightings(device, BeaconSighting(UUID, 1, 2), time=now)
                case 4:
                    fleet.remove_device(device)
                case 5:
                    fleet.expire(before=now - 300 * SECOND)
                case 6:
                    fleet.rewind(now - draw.randrange(60) * SECOND, device=device)
                case 7:
                    elsewhere.feed(device, at)
                    fleet.load(
                        {f"{device} from elsewhere {step}": elsewhere.export([device], portable=True)[0]}, adapt=True
                    )
                case 8:
                    fleet.advance(now - 20 * SECOND)
                case _:
                    rows = [
                        (draw.choice([device, f"d{draw.randrange(12)}"]), draw.uniform(-0.004, 0.004)) for _ in range(9)
                    ]
                    fleet.feed_many(
                        device=[name for name, _ in rows],
                        latitude=[latitude for _, latitude in rows],
                        longitude=[0.0] * 9,
                        time=[now + row for row in range(9)],
                    )
        except FencepostError:
            pass  # continue with the other calls: the input is late, or the clock need not be set back
        if draw.random() < 0.4:
            compare(fleet)
    compare(fleet)
    with pytest.raises(NotFoundError):
        fleet.inside("nowhere")


def test_after_a_restart(tmp_path: Any) -> None:
    zones = Zones()
    zones.add(Circle(0, 0, 300), "yard", policy=EXACT)
    with Fleet(zones, store=tmp_path, name="one") as fleet:
        fleet.feed_many(device=["a", "b"], latitude=[0, 1], longitude=[0, 0], time=[0, 0])
        assert [each.device for each in fleet.inside("yard")] == ["a"]
    with Fleet(Zones(), store=tmp_path, name="one") as fleet:
        compare(fleet)
        fleet.feed("b", Fix(0, 0, 5, time=SECOND))
        assert [each.device for each in fleet.inside("yard")] == ["a", "b"]
        copy = Fleet.restore(fleet.snapshot())
        assert list(copy.inside()) == list(fleet.inside())


def everything() -> tuple[Fleet, Presences]:
    """Feeds a fleet so that a device is in shapes of each kind, including shapes that the edge of the map cuts."""
    zones = Zones()
    zones.add(Circle(10, 20, 300), "circle", policy=EXACT, tag=7)
    zones.add(Circle(10, 179.999, 3000), "cut", policy=EXACT)
    zones.add(Circle(89.99, 0, 5000), "pole", policy=EXACT)
    zones.add(Circle(10, 20, 2_000_000), "large", policy=EXACT)
    square = [(9.9, 19.9), (9.9, 20.1), (10.1, 20.1), (10.1, 19.9)]
    zones.add(Polygon(square, edges="geodesic", order="latlon"), "square", policy=EXACT)
    zones.add(Corridor([(10, 19.9), (10, 20.1)], 100, edges="geodesic", order="latlon"), "road", policy=EXACT)
    zones.add(Beacon(UUID), "near")
    fleet = Fleet(zones)
    for second, (device, latitude, longitude) in enumerate(
        [("a", 10, 20), ("b", 10, 180), ("c", 90, 0), ("d", 10, 20)]
    ):
        fleet.feed(device, Fix(latitude, longitude, 5, time=second * SECOND))
    fleet.feed_sightings("d", BeaconSighting(UUID, 1, 2), time=9 * SECOND)
    return fleet, fleet.inside()


def test_frames_have_the_shapes() -> None:
    pytest.importorskip("geopandas")
    shape = pytest.importorskip("shapely.geometry").shape
    fleet, found = everything()
    assert len(found) == 11 and {each.identifier for each in found} == set(fleet.conditions.identifiers)
    frame = found.to_geopandas()
    assert frame.crs == "EPSG:4326" and list(frame["device"]) == [each.device for each in found]
    for identifier, geometry in zip(frame["identifier"], frame.geometry):
        drawable = getattr(fleet.conditions[identifier].condition, "__geo_interface__", None)
        assert geometry is None if drawable is None else geometry.equals_exact(shape(drawable), 1e-11), identifier


def test_the_frame_is_that_of_the_columns() -> None:
    pandas = pytest.importorskip("pandas")
    for found in (everything()[1], Presences([Presence("a", "b", None, None, 3, 4)]), Presences([])):
        expected = Table.to_pandas(found)
        pandas.testing.assert_frame_equal(found.to_pandas(), expected, check_index_type=False)
        assert found == Presences(list(found)) and repr(found) == repr(Presences(list(found)))


def test_presences_of_conditions_that_are_gone_are_left_out() -> None:
    columns = PresenceColumns(["a", "b", "c"], [], [1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12])
    found = Presences._of_columns(columns.named(["x", None, "y"]), {})
    assert list(found) == [Presence("a", "x", 1, 4, 7, 10), Presence("c", "y", 3, 6, 9, 12)]
