"""Fleets: exactly the events of as many monitors, whatever way the rows come."""

from __future__ import annotations

import asyncio
import copy
import pickle
import random
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import HOME, SECOND, UUID

from fencepost import (
    BeaconIdentityCondition,
    BeaconSighting,
    CircularGeographicCondition,
    ColumnTypeError,
    Conditions,
    CorridorGeographicCondition,
    DeviceEvent,
    DeviceEventList,
    EventList,
    Fix,
    Fleet,
    InputError,
    InvalidArgumentError,
    LateInputError,
    Monitor,
    MonitorClosedError,
    MonitorInUseError,
    NotFoundError,
    PolygonalGeographicCondition,
    QueueFullError,
    SnapshotInvalidError,
    State,
    StoreStatus,
    TableMismatchError,
)

np = pytest.importorskip("numpy")
pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")


def zones_of(count: int = 40, seed: int = 1) -> Conditions:
    """Circles, some of them with a dwell, beside a polygon, a corridor and a beacon, around a place."""
    draw = random.Random(seed)
    zones = Conditions()
    for number in range(count):
        place = CircularGeographicCondition(draw.uniform(-0.01, 0.01), draw.uniform(-0.01, 0.01), draw.uniform(50, 500))
        zones.add(place, f"circle {number}", policy=draw.choice(["exact", "standard"]), tag=number)
    square = [(0, 0), (0, 0.004), (0.004, 0.004), (0.004, 0)]
    zones.add(PolygonalGeographicCondition(square, edges="geodesic"), "square", policy="exact")
    zones.add(CorridorGeographicCondition([(-0.01, 0), (0.01, 0.002)], 80, edges="geodesic"), "road", policy="exact")
    zones.add(BeaconIdentityCondition(UUID), "desk")
    return zones


class Row:
    """A row of a walk."""

    def __init__(self, device: str, latitude: float, longitude: float, time: int, accuracy: float) -> None:
        self.device, self.latitude, self.longitude = device, latitude, longitude
        self.time, self.accuracy = time, accuracy


def walks(devices: int = 7, count: int = 600, seed: int = 2) -> list[Row]:
    """Fixes of devices in turn: some late, some coarse, some without a position."""
    draw = random.Random(seed)
    places = [[draw.uniform(-0.01, 0.01), draw.uniform(-0.01, 0.01)] for _ in range(devices)]
    rows = []
    for step in range(count):
        number = draw.randrange(devices)
        place = places[number]
        place[0] += draw.uniform(-0.002, 0.002)
        place[1] += draw.uniform(-0.002, 0.002)
        late = draw.random() < 0.03
        accuracy = draw.choice([0, 5, 20, 300, -1 if draw.random() < 0.1 else 10])
        rows.append(Row(f"d{number}", *place, (step * 5 - (200 if late else 0)) * SECOND, accuracy))
    return rows


def alone(zones: Conditions, rows: list[Row]) -> list[tuple[str, int, str]]:
    """The events of a monitor for each device: device, row and JSON."""
    monitors: dict[str, Monitor] = {}
    found = []
    for number, row in enumerate(rows):
        monitor = monitors.get(row.device)
        if monitor is None:
            monitor = monitors[row.device] = Monitor(initial_fix_max_age=None)
            monitor.sync(zones, assuming="unsatisfied")
        try:
            monitor.feed(Fix(row.latitude, row.longitude, row.accuracy, time=row.time))
        except LateInputError:
            pass
        found += [(row.device, number, event.to_json()) for event in monitor.events()]
    return found


def told(fleet: Fleet) -> list[tuple[str, int, str]]:
    return [(event.device, event.row, super(DeviceEvent, event).to_json()) for event in fleet.events()]


def columns(rows: list[Row]) -> dict[str, Any]:
    return {
        "latitude": np.array([row.latitude for row in rows]),
        "longitude": np.array([row.longitude for row in rows]),
        "accuracy": np.array([row.accuracy for row in rows], float),
        "time": np.array([row.time for row in rows]),
    }


def names(rows: list[Row]) -> list[str]:
    return [row.device for row in rows]


def table(rows: list[Row], device: Any = None) -> Any:
    held = columns(rows)
    return pa.table(
        {
            "vehicle": pa.array(names(rows)) if device is None else device,
            "lat": held["latitude"],
            "lon": held["longitude"],
            "accuracy": held["accuracy"],
            "time": pa.array(held["time"], pa.timestamp("us", "UTC")),
        }
    )


def one_by_one(fleet: Fleet, rows: list[Row]) -> None:
    for row in rows:
        try:
            fleet.feed(row.device, Fix(row.latitude, row.longitude, row.accuracy, time=row.time))
        except LateInputError:
            pass


def coded(width: str) -> Callable[[Fleet, list[Row]], None]:
    """A dictionary array with indices of a type, among words that no row has."""

    def feed(fleet: Fleet, rows: list[Row]) -> None:
        words = ["nobody", *sorted(set(names(rows)), reverse=True), "nothing"]
        indices = pa.array([words.index(name) for name in names(rows)], getattr(pa, width)())
        fleet.feed_many(table(rows, pa.DictionaryArray.from_arrays(indices, pa.array(words))))

    return feed


def in_batches(fleet: Fleet, rows: list[Row]) -> None:
    whole = table(rows, pa.array(names(rows)).dictionary_encode())
    fleet.feed_many(pa.Table.from_batches(whole.to_batches(max_chunksize=37)))


WAYS: dict[str, Callable[[Fleet, list[Row]], Any]] = {
    "list": lambda fleet, rows: fleet.feed_many(device=names(rows), **columns(rows)),
    "array": lambda fleet, rows: fleet.feed_many(device=np.array(names(rows)), **columns(rows)),
    "series": lambda fleet, rows: fleet.feed_many(device=pd.Series(names(rows)), **columns(rows)),
    "categorical": lambda fleet, rows: fleet.feed_many(device=pd.Categorical(names(rows)), **columns(rows)),
    "category": lambda fleet, rows: fleet.feed_many(device=pd.Series(names(rows), dtype="category"), **columns(rows)),
    "dictionary": lambda fleet, rows: fleet.feed_many(
        device=pa.array(names(rows)).dictionary_encode(), **columns(rows)
    ),
    "chunked": lambda fleet, rows: fleet.feed_many(device=table(rows)["vehicle"], **columns(rows)),
    "backwards": lambda fleet, rows: fleet.feed_many(
        device=pd.Categorical(names(rows)[::-1])[::-1],
        **{name: column[::-1].copy()[::-1] for name, column in columns(rows).items()},
    ),
    "table": lambda fleet, rows: fleet.feed_many(table(rows)),
    "frame": lambda fleet, rows: fleet.feed_many(table(rows).to_pandas()),
    "views": lambda fleet, rows: fleet.feed_many(table(rows, pa.array(names(rows)).cast(pa.string_view()))),
    "batches": in_batches,
    **{width: coded(width) for width in ("uint8", "int8", "uint16", "int32", "uint32", "int64", "uint64")},
}


@pytest.mark.parametrize("way", WAYS)
def test_a_fleet_gives_the_events_of_as_many_monitors(way: str) -> None:
    zones, rows = zones_of(), walks()
    expected = alone(zones, rows)
    assert len(expected) > 150
    fleet = Fleet(zones)
    WAYS[way](fleet, rows)
    assert told(fleet) == expected
    assert fleet.devices == list(dict.fromkeys(names(rows)))


def test_single_calls_give_the_same_events() -> None:
    zones, rows = zones_of(), walks()
    fleet = Fleet(zones)
    one_by_one(fleet, rows)
    expected = [(device, text) for device, _, text in alone(zones, rows)]
    assert [(device, text) for device, _, text in told(fleet)] == expected


def test_counts_are_those_of_the_rows() -> None:
    zones, rows = zones_of(), walks()
    fleet = Fleet(zones)
    result = fleet.feed_many(device=names(rows), **columns(rows))
    assert sum(result) == len(rows) and result.late > 5 and result.invalid > 3
    counters = [fleet[device].statistics() for device in fleet]
    assert sum(one.late_inputs for one in counters) == result.late == fleet.statistics().late_inputs
    assert sum(one.accepted_fixes for one in counters) == result.accepted == fleet.statistics().accepted_fixes
    assert len(fleet) == 7 and fleet.statistics().device_bytes > 0


def test_numbers_tell_devices_apart_as_texts() -> None:
    fleet = Fleet(zones_of())
    fleet.feed_many(device=[7, 8, 7], latitude=[0, 0, 0], longitude=[0, 0, 0], time=[0, 0, 1])
    held = pa.table({"id": [8, 9], "lat": [0.0, 0.0], "lon": [0.0, 0.0], "time_us": [5, 5]})
    fleet.feed_many(held, columns={"device": "id"})
    assert fleet.devices == ["7", "8", "9"]


def test_fixes_of_one_device() -> None:
    fleet = Fleet(zones_of())
    fixes = [Fix(0, 0, time=second * SECOND) for second in range(3)]
    assert fleet.feed_many(fixes, device="a").accepted == 3
    assert fleet.feed_many(device="b", latitude=[0, 0], longitude=[0, 0], time=[0, 1]).accepted == 2
    assert fleet.devices == ["a", "b"] and {event.device for event in fleet.events()} == {"a", "b"}


def test_beacons_and_time_per_device() -> None:
    zones = Conditions()
    zones.add(BeaconIdentityCondition(UUID), "desk")
    fleet = Fleet(zones, beacon_exit_timeout=10)
    fleet.see("a", BeaconSighting(UUID, 1, 2), time=0)
    fleet.see("b", BeaconSighting(UUID, 1, 2), time=5 * SECOND)
    assert fleet.next_deadline_us == 10 * SECOND == fleet["a"].next_deadline_us
    assert fleet["b"].next_deadline is not None
    fleet.advance(12 * SECOND)
    assert [(event.device, str(event.state)) for event in fleet.events()] == [
        ("a", "satisfied"),
        ("b", "satisfied"),
        ("a", "unsatisfied"),
    ]
    fleet.advance(15 * SECOND, device="b")
    assert [event.device for event in fleet.events()] == ["b"]
    fleet.set_scanning("b", False, time=16 * SECOND)
    assert fleet["b"].state("desk") is State.UNKNOWN
    with pytest.raises(LateInputError):
        fleet.feed("new", Fix(0, 0, time=11 * SECOND))
    assert fleet.clock_us == 12 * SECOND and fleet.clock is not None


def test_who_is_where() -> None:
    zones = zones_of()
    fleet = Fleet(zones)
    fleet.feed_many(device=["a", "b", "c"], latitude=[0.001, 0.001, 50], longitude=[0.001, 0.001, 50], time=[0, 1, 2])
    inside = fleet.inside()
    assert {presence.device for presence in inside} == {"a", "b"}
    assert [presence.device for presence in fleet.inside("square")] == ["a", "b"]
    assert [presence.identifier for presence in fleet["a"].inside] == zones.containing(0.001, 0.001)
    assert len(fleet["c"].inside) == 0 and fleet["c"].explain("square").observed is State.UNSATISFIED
    square = fleet.inside("square")[0]
    assert square.since_us == 0 and square.evidence_date_us == 0 and square.since == square.evidence_date
    frame = fleet.inside().to_pandas()
    assert list(frame["device"].unique()) == ["a", "b"] and str(frame["since"].dtype) == "datetime64[us, UTC]"
    places = fleet.to_geopandas()
    assert str(places.crs) == "EPSG:4326" and {"Polygon", "LineString"} >= set(places.geom_type.unique())
    assert fleet.inside("road").to_geopandas().geom_type.isin(["LineString"]).all()
    with pytest.raises(NotFoundError):
        fleet.inside("nothing")
    assert len(Fleet(zones).to_geopandas()) == 0


def test_events_are_tables_with_their_devices() -> None:
    zones, rows = zones_of(), walks()
    fleet = Fleet(zones)
    fleet.feed_many(device=names(rows), **columns(rows))
    copied = copy.deepcopy(fleet.poll(50)[:])
    assert isinstance(copied, list)
    fleet.abandon()
    frame = fleet.events_frame()
    assert (frame.columns[0], frame.columns[-1]) == ("device", "row")
    assert list(zip(frame["device"], frame["row"])) == [(device, row) for device, row, _ in alone(zones, rows)]
    assert fleet.events_columns()["device"] == []
    again = Fleet(zones)
    again.feed_many(device=names(rows), **columns(rows))
    with again.poll(10) as events:
        assert isinstance(events, DeviceEventList) and len(pa.table(events.to_arrow())) == 10
        assert "<th>device</th>" in events._repr_html_()
        assert pickle.loads(pickle.dumps(events)) == events
        assert events[0].to_json().startswith(f'{{"device":"{events[0].device}","sequence":1,')
    assert again.statistics().handed_out_events == 10


def test_visits_by_device() -> None:
    zones = Conditions()
    zones.add_many(["depot"], [0], [0], [150], policy="exact")
    fleet = Fleet(zones)
    fleet.feed_many(
        device=["a", "b", "a", "b"],
        latitude=[0, 0, 1, 0],
        longitude=[0] * 4,
        time=[0, 10 * SECOND, 20 * SECOND, 30 * SECOND],
    )
    visits = fleet.poll().visits(end=40 * SECOND)
    assert [(visit.track, visit.duration.seconds, visit.is_open) for visit in visits] == [
        ("a", 20, False),
        ("b", 30, True),
    ]
    assert visits.columns()["device"] == ["a", "b"]
    assert len(DeviceEventList().visits()) == 0


def test_updates_are_awaited() -> None:
    zones = Conditions()
    zones.add_many(["depot"], [0], [0], [150])
    fleet = Fleet(zones)

    async def main() -> list[str]:
        found: list[str] = []

        async def listen() -> None:
            async for event in fleet.updates():
                found.append(event.device)
                if len(found) == 2:
                    fleet.close()

        listening = asyncio.create_task(listen())
        await asyncio.to_thread(fleet.feed, "a", Fix(0, 0, time=0))
        await asyncio.to_thread(fleet.feed, "b", Fix(0, 0, time=0))
        await asyncio.wait_for(listening, 20)
        return found

    assert asyncio.run(main()) == ["a", "b"] and fleet.closed


def test_devices_come_and_go() -> None:
    fleet = Fleet(zones_of(), device_limit=3)
    for number, name in enumerate("abc"):
        fleet.feed(name, Fix(0, 0, time=number * SECOND))
    with pytest.raises(InvalidArgumentError, match="device_limit is 3"):
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
    assert repr(held) == "<fencepost.Device 'c', which is gone>"
    with pytest.raises(NotFoundError):
        held.statistics()
    with pytest.raises(NotFoundError):
        fleet.advance(9 * SECOND, device="c")
    fleet.feed("c", Fix(0, 0, time=0))
    assert fleet.next_event().sequence == 1  # type: ignore[union-attr]


# ------------------------------------------------------------------------------------- keyed state, copies


def test_exported_devices_go_on_elsewhere() -> None:
    zones, rows = zones_of(), walks()
    expected = [(device, text) for device, _, text in alone(zones, rows)]
    here, found = Fleet(zones), []
    for start in range(0, len(rows), 100):
        part = rows[start : start + 100]
        here.feed_many(device=names(part), **columns(part))
        found += [(event.device, super(DeviceEvent, event).to_json()) for event in here.events()]
        there = Fleet(zones if start % 200 else Conditions.restore(zones.snapshot()))
        there.load(dict(zip(here.devices, here.export())))
        here = there
    assert found == expected


def test_another_table_refuses_devices_or_adapts_them() -> None:
    zones = zones_of()
    fleet = Fleet(zones)
    fleet.feed("a", Fix(0.001, 0.001, time=0))
    stiff, portable = fleet.export(["a"])[0], fleet.export(["a"], portable=True)[0]
    other = Conditions()
    other.sync(zones)
    other.remove("circle 0")
    with pytest.raises(TableMismatchError):
        Fleet(other).load({"a": portable})
    with pytest.raises(TableMismatchError):
        Fleet(other).load({"a": stiff}, adapt=True)
    moved = Fleet(other)
    moved.load({"a": portable}, adapt=True)
    assert {presence.identifier for presence in moved["a"].inside} >= {"square"}
    with pytest.raises(InvalidArgumentError, match="there is a device"):
        moved.load({"b": portable, "a": portable}, adapt=True)
    assert moved.devices == ["a"]
    for damaged in (b"", b"x" * 40, stiff[:-1], stiff[:20] + b"\xff" + stiff[21:]):
        with pytest.raises(SnapshotInvalidError):
            Fleet(zones).load({"a": damaged})
    with pytest.raises(NotFoundError):
        fleet.export(["nobody"])


def test_a_pickled_fleet_goes_on() -> None:
    zones, rows = zones_of(), walks()
    expected = [(device, text) for device, _, text in alone(zones, rows)]
    fleet, found = Fleet(zones, beacon_exit_timeout=5), []
    for start in range(0, len(rows), 150):
        part = rows[start : start + 150]
        fleet.feed_many(device=names(part), **columns(part))
        fleet = pickle.loads(pickle.dumps(fleet)) if start % 300 else copy.deepcopy(fleet)  # with what waits
        found += [(event.device, super(DeviceEvent, event).to_json()) for event in fleet.events()]
    assert found == expected and len(fleet) == 7
    fleet.advance(10_000 * SECOND)
    fleet.poll(100)
    assert pickle.loads(pickle.dumps(fleet)).clock == fleet.clock
    assert fleet.conditions.version == zones.version


# ---------------------------------------------------------------------------------- tables of conditions


def test_a_table_changes_under_its_fleets() -> None:
    zones = Conditions()
    one, two = Fleet(zones), Fleet(zones)
    for fleet in (one, two):
        fleet.feed("a", Fix(52.5, 13.4, time=0))
    zones.add(HOME, "home")
    assert one["a"].state("home") is State.UNKNOWN
    for fleet in (one, two):
        fleet.feed("a", Fix(52.5, 13.4, time=SECOND))
    assert [event.identifier for event in one.events()] == ["home"]
    del zones["home"]  # what waits in the other is void
    assert list(two.events()) == [] and len(two["a"].inside) == 0
    assert one.conditions is zones and two.statistics().condition_count == 0


def test_a_table_is_a_mapping_of_definitions() -> None:
    zones = zones_of(3)
    assert len(zones) == 6 == len(list(zones)) == len(zones.items()) and zones and "square" in zones and 3 not in zones
    assert zones.get("nothing", 1) == 1 and zones["circle 2"].tag == 2
    assert [each.condition for each in zones.values()][-1] == BeaconIdentityCondition(UUID)
    with pytest.raises(NotFoundError):
        zones["nothing"]
    other = Conditions()
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
    restored = Conditions.restore(monitor.snapshot())
    assert restored.identifiers == zones.identifiers


def test_a_table_of_rows_and_shapes() -> None:
    zones = Conditions()
    zones.add_many(pa.table({"name": ["a", "b"], "lat": [0.0, 1.0], "lon": [0.0, 1.0], "radius": [10.0, 20.0]}))
    assert zones["b"].condition.radius == 20  # type: ignore[union-attr]
    wkt = pa.table({"name": ["c"], "wkt": ["POLYGON ((0 0, 1 0, 1 1, 0 1, 0 0))"], "edges": ["geodesic"]})
    zones.add_many(wkt)
    assert isinstance(zones["c"].condition, PolygonalGeographicCondition)
    fleet = Fleet(zones)
    fleet.feed("x", Fix(0.5, 0.5, time=0))
    assert [presence.identifier for presence in fleet["x"].inside] == ["c"]
    with pytest.raises(InputError, match="row 0"):
        zones.add_many(pa.table({"name": [""], "lat": [0.0], "lon": [0.0], "radius": [10.0]}))


# --------------------------------------------------------------------------------------- what is refused


def refused() -> Iterator[tuple[str, Callable[[Fleet], Any], type[BaseException], str]]:
    """Calls that are refused: their name, and how."""
    good = {"latitude": [0.0, 0.0], "longitude": [0.0, 0.0], "time": [0, 1]}
    yield "no device", lambda fleet: fleet.feed_many(**good), TypeError, "needs the column device"
    yield "one device too few", lambda fleet: fleet.feed_many(device=["a"], **good), InvalidArgumentError, "1 rows"
    yield "None", lambda fleet: fleet.feed_many(device=["a", None], **good), InvalidArgumentError, "row 1"
    yield "list", lambda fleet: fleet.feed_many(device=["a", []], **good), ColumnTypeError, "device"
    yield "bytes", lambda fleet: fleet.feed_many(device=b"ab", **good), ColumnTypeError, "bytes"
    yield "empty", lambda fleet: fleet.feed_many(device=["a", ""], **good), InvalidArgumentError, "identifier"
    yield "long", lambda fleet: fleet.feed_many(device=["a", "x" * 257], **good), InvalidArgumentError, "257"
    yield "surrogate", lambda fleet: fleet.feed_many(device=["a", "\ud800"], **good), InvalidArgumentError, "surrogate"
    yield "NUL", lambda fleet: fleet.feed_many(device=["a", "b\0"], **good), InvalidArgumentError, "NUL"
    missing = pd.Categorical(["a", None])
    yield "missing category", lambda fleet: fleet.feed_many(device=missing, **good), InvalidArgumentError, "row 1"
    yield "bool", lambda fleet: fleet.feed_many(device=["a", True], **good), ColumnTypeError, "bool"
    places = {"lat": [0.0] * 2, "lon": [0.0] * 2, "t": [0, 1]}
    null = pa.table({"device": pa.array(["a", None]).dictionary_encode(), **places})
    yield "null", lambda fleet: fleet.feed_many(null), InputError, "row 1.*has no device"
    lists = pa.table({"device": [["a"], ["b"]], **places})
    yield "lists", lambda fleet: fleet.feed_many(lists), InputError, "cannot tell devices apart"
    without = pa.table(places)
    yield "no column", lambda fleet: fleet.feed_many(without), InputError, "no column for the device"
    invalid = {**good, "latitude": [0.0, 91.0], "on_invalid": "raise", "device": ["a", "b"]}
    yield "invalid row", lambda fleet: fleet.feed_many(**invalid), InvalidArgumentError, "row 1"
    yield "feed number", lambda fleet: fleet.feed(7, Fix(0, 0, time=0)), TypeError, "device must be str"  # type: ignore[arg-type]
    yield "feed tuple", lambda fleet: fleet.feed("a", (0, 0)), TypeError, "must|expected|cannot"  # type: ignore[arg-type]
    yield "columns", lambda fleet: fleet.feed_many(device="a", columns={}, **good), TypeError, "columns names"
    yield "load list", lambda fleet: fleet.load([b""]), TypeError, "mapping"  # type: ignore[arg-type]
    yield "load text", lambda fleet: fleet.load({"a": "b"}), TypeError, "bytes"  # type: ignore[dict-item]
    yield "export text", lambda fleet: fleet.export("a"), TypeError, "not one"
    yield "time", lambda fleet: fleet.advance("now"), TypeError, "must|expected|cannot"  # type: ignore[arg-type]
    yield "late advance", lambda fleet: (fleet.advance(9), fleet.advance(1)), LateInputError, "earlier"


@pytest.mark.parametrize(("name", "call", "kind", "text"), [pytest.param(*each, id=each[0]) for each in refused()])
def test_what_is_refused_changes_nothing(
    name: str, call: Callable[[Fleet], Any], kind: type[BaseException], text: str
) -> None:
    fleet = Fleet(zones_of(3))
    with pytest.raises(kind, match=text):
        call(fleet)
    assert fleet.devices == [] and fleet.statistics().pending_events == 0


def test_options_are_refused_by_name() -> None:
    zones = Conditions()
    with pytest.raises(TypeError, match="conditions must be Conditions"):
        Fleet(Monitor())  # type: ignore[arg-type]
    for options in ({"max_pending_events": 0}, {"device_limit": 0}, {"beacon_exit_timeout": 0}, {"max_time_step": 0}):
        with pytest.raises(InvalidArgumentError, match=next(iter(options))):
            Fleet(zones, **options)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match="device_limit"):
        Fleet(zones, device_limit=1 << 60)


def test_a_full_queue_stops_at_a_row() -> None:
    zones = Conditions()
    zones.add_many(["depot"], [0], [0], [150], policy="exact")
    whole = Fleet(zones)
    rows = {"latitude": [0.0, 1.0] * 50, "longitude": [0.0] * 100, "time": [step * SECOND for step in range(100)]}
    device = [f"d{step % 3}" for step in range(100)]
    whole.feed_many(device=device, **rows)
    expected = [(event.device, event.sequence, event.date_us) for event in whole.events()]
    fleet, found, start = Fleet(zones, max_pending_events=7), [], 0
    while start < 100:
        rest = {name: column[start:] for name, column in rows.items()}
        try:
            fleet.feed_many(device=device[start:], **rest)
            start = 100
        except QueueFullError as error:
            assert sum(error.result) == error.position
            start += error.position
        found += [(event.device, event.sequence, event.date_us) for event in fleet.events()]
    assert found == expected and len(expected) == 99


def test_a_stream_that_breaks_off_says_how_far_it_came() -> None:
    def batches() -> Iterator[Any]:
        yield table(walks(count=50)).to_batches()[0]
        raise OSError("the cable")

    schema = table(walks(count=1)).schema
    fleet = Fleet(zones_of())
    with pytest.raises(InputError, match="the cable") as caught:
        fleet.feed_many(pa.RecordBatchReader.from_batches(schema, batches()))
    assert sum(caught.value.result) == 50  # type: ignore[attr-defined]
    held = table(walks(count=50))
    bad = held.set_column(1, "lat", pa.array([91.0] + [0.0] * 49))
    fresh = Fleet(zones_of())
    with pytest.raises(InputError, match="row 0"):
        fresh.feed_many(bad, on_invalid="raise")
    assert fresh.devices == []


def test_dictionaries_that_differ_between_batches() -> None:
    """As many files give them: each batch has its own words, at the same indices, perhaps at the same address."""
    fleet = Fleet(zones_of())
    batches = []
    for start in range(0, 400, 40):
        part = walks()[start : start + 40]
        batches.append(table(part, pa.array(names(part)).dictionary_encode()).to_batches()[0])
    fleet.feed_many(pa.RecordBatchReader.from_batches(batches[0].schema, iter(batches)))
    assert told(fleet) == alone(zones_of(), walks()[:400])


def test_codes_of_every_layout() -> None:
    zones = Conditions()
    zones.add_many(["depot"], [0], [0], [150])
    handle = Fleet(zones)._handle
    places = array("d", [0.0, 0.0])
    times = array("q", [0, 1])
    for code in "bBhHiIlLqQ":
        codes = array(code, [0, 1])
        assert handle.feed_columns(places, places, None, times, 1, 1, False, codes, ("a", "b"), 0) == (2, 0, 0)
    spaced = memoryview(array("I", [0, 9, 1, 9]))[::2]
    assert handle.feed_columns(places, places, None, times, 1, 1, False, spaced, ("a", "b"), 0) == (2, 0, 0)
    numbers = array("I", [0, 0xFFFFFFFF])  # the second is another fleet's
    assert handle.feed_columns(places, places, None, times, 1, 1, False, array("b", [0, 1]), numbers, 0) == (1, 0, 0)
    for codes, words, kind in (
        (array("d", [0, 1]), ("a", "b"), TypeError),
        (array("b", [0, 2]), ("a", "b"), InvalidArgumentError),
        (array("b", [0, -1]), ("a", "b"), InvalidArgumentError),
        (array("b", [0]), ("a", "b"), InvalidArgumentError),
        (array("b", [0, 2]), numbers, InvalidArgumentError),
        (array("b", [0, 1]), array("I", [5, 6]), InvalidArgumentError),
        (array("b", [0, 1]), array("Q", [0, 1]), InvalidArgumentError),
        (array("b", [0, 1]), ("a", 7), TypeError),
        (None, ("a", "b"), TypeError),
        (b"ab"[::1], ("a", "b"), InvalidArgumentError),
    ):
        with pytest.raises(kind):
            handle.feed_columns(places, places, None, times, 1, 1, False, codes, words, 0)


def test_tables_read_well() -> None:
    fleet = Fleet(zones_of(2))
    fleet.feed("<b>", Fix(0.001, 0.001, time=0))
    assert repr(fleet).startswith("<fencepost.Fleet 1 devices, 5 conditions, ")
    shown = fleet._repr_html_()
    assert "&lt;b&gt;" in shown and "<b>" not in shown and "square" in shown
    event = fleet.next_event()
    assert repr(event).startswith("<DeviceEvent '<b>' 1 ") and "&lt;b&gt;" in event._repr_html_()  # type: ignore[union-attr]
    assert not isinstance(fleet.poll(), EventList)


# ----------------------------------------------------------------------------------------------------- stores


def test_a_fleet_that_lasts(memory_path: Path) -> None:
    zones, rows = zones_of(), walks()
    expected = [(device, text) for device, _, text in alone(zones, rows)]
    found: list[tuple[str, str]] = []
    for start in range(0, len(rows), 100):
        with Fleet(zones if start == 0 else Conditions(), store=memory_path, name="trucks") as fleet:
            assert fleet.statistics().store is StoreStatus.KEPT and len(fleet.conditions) == len(zones)
            part = rows[start : start + 100]
            fleet.feed_many(device=names(part), **columns(part))
            if start % 200:
                fleet.checkpoint()
            found += [(event.device, super(DeviceEvent, event).to_json()) for event in fleet.events()]
    assert found == expected and sum(fleet[device].statistics().input_count for device in fleet) > 500
    assert fleet.closed
    calls: list[Callable[[], Any]] = [
        lambda: fleet.feed("a", Fix(0, 0, time=0)),
        lambda: fleet.feed_many(device="a", latitude=[0], longitude=[0], time=[0]),
        lambda: fleet.see("a", time=0),
        lambda: fleet.set_scanning("a", True, time=0),
        lambda: fleet.advance(1 << 50),
    ]
    for call in calls:
        with pytest.raises(MonitorClosedError, match="the fleet is closed"):
            call()
    with Fleet(Conditions(), store=memory_path, name="trucks"), pytest.raises(MonitorInUseError):
        Fleet(Conditions(), store=memory_path, name="trucks")
    with pytest.raises(InvalidArgumentError, match="name"):
        Fleet(Conditions(), store=memory_path)
    with pytest.raises(TableMismatchError):
        Fleet(zones_of(seed=9), store=memory_path, name="trucks")


def test_any_bytes_may_be_restored() -> None:
    fleet = Fleet(zones_of(3))
    fleet.feed("a", Fix(0, 0, time=0))
    whole = fleet.snapshot()
    assert Fleet.restore(whole).snapshot() == whole and Fleet.restore(bytearray(whole)).devices == ["a"]
    for damaged in (b"", whole[:-1], whole + b"x", Conditions().snapshot(), Monitor().snapshot()):
        with pytest.raises(SnapshotInvalidError):
            Fleet.restore(damaged)
    for kind in (Conditions, Monitor):
        with pytest.raises(SnapshotInvalidError):
            kind.restore(whole)  # type: ignore[attr-defined]
    with pytest.raises(TypeError):
        Fleet.restore("text")  # type: ignore[arg-type]
