"""Fleets, their devices and tables raise only documented exceptions, even for arguments that no signature allows."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from conftest import UUID
from fleets import zones_of
from hostile import CALLS, CIRCLE, FIX, SEED, Draw, undocumented

from fencepost import BeaconSighting, Device, DeviceEvent, FencepostError, Fleet, TransitionPolicy, Zones
from fencepost.types import DeviceEventList

np = pytest.importorskip("numpy")
pd = pytest.importorskip("pandas")

NOT_CALLED = {
    "Fleet": {"to_geopandas", "events_frame", "see", "__enter__", "__exit__"},
    "Device": set(),
    "Zones": set(),
    "DeviceEventList": {
        "append",
        "clear",
        "copy",
        "count",
        "extend",
        "index",
        "insert",
        "pop",
        "remove",
        "reverse",
        "sort",
    },
}
"""The methods that the test does not call: slow methods without arguments, and the methods of `list`."""


class Caller(Draw):
    """Makes random calls on one fleet, until :meth:`renew` replaces the fleet."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.renew()

    def renew(self) -> None:
        self.zones = zones_of(4)
        self.fleet = Fleet(self.zones, max_pending_events=40, threads=self.random.choice([1, 3]))
        self.fleet.feed("home", FIX)
        self.fleet.poll()
        self.exported = self.fleet.export(portable=True)[0]

    def calls(self) -> dict[str, Callable[[], Any]]:
        return {**self.of_fleets(), **self.of_devices(), **self.of_tables(), **self.of_events()}

    def of_fleets(self) -> dict[str, Callable[[], Any]]:
        one, few, good, fleet = self.any, self.few, self.or_good, self.fleet
        timeouts = ("beacon_exit_timeout", "beacon_initial_timeout", "checkpoint_interval", "max_time_step")

        def until(loop: Any) -> list[Any]:
            return [next(loop, None), loop.close()]

        return {
            "Fleet": lambda: Fleet(good(self.zones), **few(*timeouts, "max_pending_events", "device_limit", "store",
                                                            "name", "durability", "threads", often=0.1)),
            "Fleet.feed": lambda: fleet.feed(good("home"), good(FIX)),
            "Fleet.feed_many": lambda: fleet.feed_many(
                device=good(["a"]), latitude=good([0.0]), longitude=good([0.0]), time=good([9]),
                **few("accuracy", "error_ellipse", "on_invalid", "columns", "threads", often=0.1)),
            "Fleet.feed_many of fixes": lambda: fleet.feed_many(good([FIX]), **few("device", "columns", often=0.7)),
            "Fleet.feed_many of a frame": lambda: fleet.feed_many(
                frame(device=[one()], lat=[one()], lon=[0.0], time=[one()]), **few("columns")),
            "Fleet.feed_sightings": lambda: fleet.feed_sightings(good("home"), good(BeaconSighting(UUID, 1, 2)),
                                                              **few("time", often=0.9)),
            "Fleet.set_scanning": lambda: fleet.set_scanning(good("home"), one(), time=good(5)),
            "Fleet.set_host": lambda: fleet.set_host(good("home"), one(), **few("unsupported"), time=good(5)),
            "Fleet.rewind": lambda: fleet.rewind(good(7), **few("device")),
            "Fleet.set_arrival_time": lambda: fleet.set_arrival_time(one()),
            "Fleet.advance": lambda: fleet.advance(good(7), **few("device", "force")),
            "Fleet.remove_device": lambda: fleet.remove_device(good("home"), **few("drop_events")),
            "Fleet.expire": lambda: fleet.expire(**{self.random.choice(["before", "arrived_before"]): one()}),
            "Fleet.inside": lambda: fleet.inside(good("square")),
            "Fleet.export": lambda: fleet.export(good(["home"]), **few("portable")),
            "Fleet.load": lambda: fleet.load(good({one(): one()} if hash_of(one()) else {}), **few("adapt")),
            "Fleet.load of bytes": lambda: fleet.load({"b": good(self.exported)}, adapt=True),
            "Fleet.__getitem__": lambda: fleet[one()],
            "Fleet.__delitem__": lambda: fleet.__delitem__(one()),
            "Fleet.__contains__": lambda: one() in fleet,
            "Fleet.poll": lambda: fleet.poll(one()),
            "Fleet.next_event": fleet.next_event,
            "Fleet.events": lambda: until(fleet.events()),
            "Fleet.events_columns": fleet.events_columns,
            "Fleet.updates": lambda: fleet.updates(),
            "Fleet.acknowledge": fleet.acknowledge,
            "Fleet.abandon": fleet.abandon,
            "Fleet.restore": lambda: Fleet.restore(one()),
            "Fleet.fork": lambda: fleet.fork().feed(good("home"), good(FIX)),
            "Fleet.snapshot": lambda: Fleet.restore(damaged(self, fleet.snapshot())),
            "Fleet.statistics": fleet.statistics,
            "Fleet.checkpoint": fleet.checkpoint,
            "Fleet.close": lambda: Fleet(self.zones).close(),
        }  # fmt: skip

    def of_devices(self) -> dict[str, Callable[[], Any]]:
        one, good, fleet = self.any, self.or_good, self.fleet
        device = Device(fleet, good("home"))
        return {
            "Device": lambda: Device(fleet, one()).inside(one()),
            "Device.state": lambda: device.state(good("square")),
            "Device.explain": lambda: device.explain(good("square")),
            "Device.safe_distance": lambda: device.safe_distance(good(0), good(0)),
            "Device.statistics": device.statistics,
        }

    def of_tables(self) -> dict[str, Callable[[], Any]]:
        one, few, good, zones = self.any, self.few, self.or_good, self.zones
        options = ("assuming", "policy", "tag")
        return {
            "Zones.add": lambda: zones.add(good(CIRCLE), good("a"), **few(*options)),
            "Zones.ensure": lambda: zones.ensure(good(CIRCLE), good("a"), **few(*options)),
            "Zones.add_many": lambda: zones.add_many(good(["a"]), good([0.0]), good([0.0]), good([1.0]),
                                                          **few(*options, "columns", often=0.2)),
            "Zones.ensure_many": lambda: zones.ensure_many(good(["a"]), one(), one(), one(), **few(*options)),
            "Zones.sync": lambda: zones.sync(good({"a": one(), "b": CIRCLE}), **few(*options, "columns")),
            "Zones.remove": lambda: zones.remove(one()),
            "Zones.remove_many": lambda: zones.remove_many(one()),
            "Zones.shape": lambda: zones.shape(good("square")),
            "Zones.nearest_boundary_point": lambda: zones.nearest_boundary_point(good("road"), good(0), good(0)),
            "Zones.containing": lambda: zones.containing(good(0), good(0), **few("distances", "threads")),
            "Zones.nearest": lambda: zones.nearest(good(0), good(0), good(1), **few("threads")),
            "Zones.probability": lambda: zones.probability(
                good("square"), good(0), good(0), good(5), **few("ellipse", "covariance", "confidence")
            ),
            "Zones.get": lambda: zones.get(one()),
            "Zones.keys": lambda: list(zones.keys()),
            "Zones.values": lambda: len(zones.values()),
            "Zones.items": lambda: (one(), one()) in zones.items(),
            "Zones.__getitem__": lambda: zones[one()],
            "Zones.__delitem__": lambda: zones.__delitem__(one()),
            "Zones.__contains__": lambda: one() in zones,
            "Zones.read": lambda: Zones.read(one(), **few(*options[:2], "radius", "columns", "layer")),
            "Zones.restore": lambda: Zones.restore(one()),
            "Zones.snapshot": lambda: Zones.restore(damaged(self, zones.snapshot())),
        }  # fmt: skip

    def of_events(self) -> dict[str, Callable[[], Any]]:
        events = self.fleet.poll(3)
        if self.random.random() < 0.5:
            self.fleet.abandon()
        return {
            "DeviceEventList": lambda: DeviceEventList(self.any()),
            "DeviceEventList.visits": lambda: events.visits(self.any()),
            "DeviceEventList.columns": events.columns,
            "DeviceEventList.to_pandas": events.to_pandas,
            "DeviceEventList.to_arrow": events.to_arrow,
            "DeviceEvent": lambda: [event.to_json() for event in events if isinstance(event, DeviceEvent)],
        }


def frame(**columns: list[Any]) -> Any:
    """Returns a DataFrame of the given columns, or None if pandas cannot make one."""
    try:
        return pd.DataFrame(columns)
    except (ValueError, OverflowError):
        return None


def hash_of(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def damaged(draw: Draw, whole: bytes) -> bytes:
    """Returns the snapshot unchanged, truncated, or with one random byte replaced."""
    at = draw.random.randrange(len(whole))
    return draw.random.choice([whole, whole[:at], whole[:at] + bytes([draw.random.randrange(256)]) + whole[at + 1 :]])


def test_only_documented_exceptions() -> None:
    caller = Caller(SEED)

    def calls(number: int) -> dict[str, Callable[[], Any]]:
        if number % 100 == 0:
            caller.renew()
        return caller.calls()

    found = undocumented(caller, calls, CALLS // 2)
    assert not found, f"seed {SEED}: {len(found)} of {CALLS // 2}, the first {found[0]}"


def public(kind: type[Any]) -> Iterator[str]:
    """Returns the names of the public methods, and of the special methods that the language calls."""
    for name in dir(kind):
        said = name in ("__getitem__", "__delitem__", "__contains__") and kind is not DeviceEventList
        if (not name.startswith("_") or said) and callable(getattr(kind, name)):
            yield name


@pytest.mark.parametrize("kind", [Fleet, Device, Zones, DeviceEventList])
def test_every_public_method_is_called(kind: type[Any]) -> None:
    called = {name.split(" ")[0] for name in Caller(0).calls()}
    left = set(public(kind)) - NOT_CALLED[kind.__name__] - {name.split(".")[1] for name in called if "." in name}
    assert not left


def test_a_store_where_none_can_be() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for options in ({"store": f"{folder}/nothing", "name": "a"}, {"store": folder, "name": "a/b"}):
            with pytest.raises((OSError, ValueError)):
                Fleet(Zones(), **options)  # type: ignore[arg-type]
    assert TransitionPolicy.exact() == TransitionPolicy.named("exact")


def test_what_was_found_by_such_calls_is_refused_by_name() -> None:
    fleet, zones = Fleet(zones_of(1)), Zones()
    with pytest.raises(FencepostError, match="tag.*row 0"):
        zones.add_many(["a"], [0.0], [0.0], [1.0], tag=10**5000)
    with pytest.raises(TypeError, match="portable"):
        fleet.export([], portable=pd.DataFrame({"a": [1]}))
    with pytest.raises(FencepostError, match="device.*type int"):
        fleet[10**5000]  # type: ignore[index]
    with pytest.raises(TypeError, match="bytes.*ndarray"):
        fleet.load({"a": np.zeros(3, "M8[s]")})  # type: ignore[dict-item]
    pa = pytest.importorskip("pyarrow")
    late = pa.array([1 << 62], pa.timestamp("us", "UTC"))
    held = pa.table({"device": late, "lat": [0.0], "lon": [0.0], "time_us": [5]})
    with pytest.raises(FencepostError, match="'device'"):
        fleet.feed_many(held)
