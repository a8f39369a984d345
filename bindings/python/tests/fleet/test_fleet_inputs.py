"""Fleets give exactly the same events as one monitor for each device, regardless of the form in which rows are
passed."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

import pytest
from conftest import SECOND, UUID
from fleets import Row, alone, columns, names, reported, table, walks, zones_of

from fencepost import Beacon, BeaconSighting, Fix, Fleet, Monitor, State, Zones
from fencepost.errors import InvalidArgumentError, LateInputError, NoSuchDeviceError

np = pytest.importorskip("numpy")
pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")


def one_by_one(fleet: Fleet, rows: list[Row]) -> None:
    for row in rows:
        try:
            fleet.feed(row.device, Fix(row.latitude, row.longitude, row.accuracy, time=row.time))
        except LateInputError:
            pass


def coded(width: str) -> Callable[[Fleet, list[Row]], None]:
    """Returns a function that feeds rows whose devices are in a dictionary array with indices of the given type; the
    dictionary also contains words that no row uses."""

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
    assert reported(fleet) == expected
    assert fleet.devices == list(dict.fromkeys(names(rows)))


def test_single_calls_give_the_same_events() -> None:
    zones, rows = zones_of(), walks()
    fleet = Fleet(zones)
    one_by_one(fleet, rows)
    expected = [(device, text) for device, _, text in alone(zones, rows)]
    assert [(device, text) for device, _, text in reported(fleet)] == expected


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


def test_dictionaries_that_differ_between_batches() -> None:
    """Tests how a fleet is fed batches from many files: each batch has its own dictionary, which has other words at the
    same indices, and may be at the same address as the previous dictionary."""
    fleet = Fleet(zones_of())
    batches = []
    for start in range(0, 400, 40):
        part = walks()[start : start + 40]
        batches.append(table(part, pa.array(names(part)).dictionary_encode()).to_batches()[0])
    fleet.feed_many(pa.RecordBatchReader.from_batches(batches[0].schema, iter(batches)))
    assert reported(fleet) == alone(zones_of(), walks()[:400])


def test_codes_of_every_layout() -> None:
    zones = Zones()
    zones.add_many(["depot"], [0], [0], [150])
    handle = Fleet(zones)._handle
    places = array("d", [0.0, 0.0])
    times = array("q", [0, 1])
    for code in "bBhHiIlLqQ":
        codes = array(code, [0, 1])
        assert handle.feed_columns(places, places, None, times, 1, 1, False, codes, ("a", "b"), 0) == (2, 0, 0, 0)
    spaced = memoryview(array("I", [0, 9, 1, 9]))[::2]
    assert handle.feed_columns(places, places, None, times, 1, 1, False, spaced, ("a", "b"), 0) == (2, 0, 0, 0)
    numbers = array("Q", [1, 0])  # 0 marks a device of another fleet
    assert handle.feed_columns(places, places, None, times, 1, 1, False, array("b", [0, 1]), numbers, 0) == (1, 0, 0, 0)
    for codes, words, kind in (
        (array("d", [0, 1]), ("a", "b"), TypeError),
        (array("b", [0, 2]), ("a", "b"), InvalidArgumentError),
        (array("b", [0, -1]), ("a", "b"), InvalidArgumentError),
        (array("b", [0]), ("a", "b"), InvalidArgumentError),
        (array("b", [0, 2]), numbers, InvalidArgumentError),
        (array("b", [0, 1]), array("Q", [5, 6]), NoSuchDeviceError),
        (array("b", [0, 1]), array("I", [1, 2]), InvalidArgumentError),
        (array("b", [0, 1]), ("a", 7), TypeError),
        (None, ("a", "b"), TypeError),
        (b"ab"[::1], ("a", "b"), InvalidArgumentError),
    ):
        with pytest.raises(kind):
            handle.feed_columns(places, places, None, times, 1, 1, False, codes, words, 0)


def test_see_is_the_old_name_of_feed_sightings() -> None:
    zones = {"desk": Beacon(UUID)}
    fleet, monitor = Fleet(zones), Monitor(zones)
    with pytest.warns(DeprecationWarning, match="Fleet.feed_sightings") as caught:
        fleet.see("a", BeaconSighting(UUID, 1, 2), time=0)
    assert caught[0].filename == __file__ and [event.device for event in fleet.events()] == ["a"]
    with pytest.warns(DeprecationWarning, match="Monitor.feed_sightings") as caught:
        monitor.see(BeaconSighting(UUID, 1, 2), time=0)
    assert caught[0].filename == __file__ and [event.identifier for event in monitor.events()] == ["desk"]


def test_beacons_and_time_per_device() -> None:
    zones = Zones()
    zones.add(Beacon(UUID), "desk")
    fleet = Fleet(zones, beacon_exit_timeout=10)
    fleet.feed_sightings("a", BeaconSighting(UUID, 1, 2), time=0)
    fleet.feed_sightings("b", BeaconSighting(UUID, 1, 2), time=5 * SECOND)
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


@pytest.mark.parametrize(("time", "unit"), [(1_700_000_000, "seconds"), (1_700_000_000_123, "milliseconds")])
def test_a_first_time_in_another_unit_is_doubted(time: int, unit: str) -> None:
    fixes = [Fix(0, 0, time=time)]
    alike = {"latitude": [0.0], "longitude": [0.0], "time": [time]}
    warned = rf"time {time} means as many microseconds.*for {unit} write"
    for feed in (
        lambda fleet: fleet.feed("a", fixes[0]),
        lambda fleet: fleet.feed_many(fixes, device="a"),
        lambda fleet: fleet.feed_many(device="a", **alike),
        lambda fleet: fleet.feed_many(device="a", **{**alike, "time": np.array([time])}),
    ):
        fleet = Fleet(zones_of(2))
        with pytest.warns(UserWarning, match=warned) as caught:
            feed(fleet)
        assert caught[0].filename == __file__
        feed(fleet)  # warns only once
    monitor = Monitor()
    with pytest.warns(UserWarning, match=warned):
        monitor.feed_many(fixes)
    monitor = Monitor()
    with pytest.warns(UserWarning, match=warned):
        monitor.feed(fixes[0])
    fleet = Fleet(zones_of(2))
    fleet.feed_many(device="a", **{**alike, "time": np.array([time], "M8[us]")})  # the dtype states the unit
    fleet.feed("b", Fix(0, 0, time=time))
