"""Batches from columns of all kinds give the same result as single calls, and an error names the bad row."""

from __future__ import annotations

import math
import random
import sys
import tracemalloc
import warnings
from array import array
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import numpy
import pandas
import pytest
from conftest import EXACT, HOME, SECOND

from fencepost import FIX_RECORD, Event, Fix, Monitor, State, TransitionPolicy
from fencepost._values.events import EVENT_COLUMNS
from fencepost.errors import ColumnTypeError, InvalidArgumentError, QueueFullError
from fencepost.types import FeedResult

START = datetime(2024, 5, 1, 12, tzinfo=UTC)
START_US = 1_714_564_800_000_000


def home() -> Monitor:
    monitor = Monitor()
    monitor.add(HOME, "home", policy=EXACT)
    return monitor


def way(rows: int, seed: int) -> dict[str, list[Any]]:
    """Returns the track of a device around home; some rows are invalid, some are late, and some have no position."""
    generator = random.Random(seed)
    columns: dict[str, list[Any]] = {"latitude": [], "longitude": [], "accuracy": [], "time": []}
    for row in range(rows):
        columns["latitude"].append(52.5 + generator.uniform(-0.002, 0.002))
        columns["longitude"].append(13.4 + generator.uniform(-0.002, 0.002))
        columns["accuracy"].append(generator.choice([0.0, 5.0, 30.0]))
        columns["time"].append(START_US + row * SECOND)
        kind = generator.randrange(20)
        if kind == 0:
            columns["latitude"][-1] = generator.choice([math.nan, 91.0, -math.inf])
        elif kind == 1:
            columns["accuracy"][-1] = generator.choice([math.nan, -1.0])
        elif kind == 2:
            columns["time"][-1] -= generator.randrange(5) * SECOND
    return columns


def one_by_one(columns: dict[str, list[Any]]) -> tuple[FeedResult, list[Event]]:
    monitor = home()
    for row in range(len(columns["time"])):
        accuracy = columns["accuracy"][row]
        fix = Fix(columns["latitude"][row], columns["longitude"][row], accuracy, time=columns["time"][row])
        try:
            monitor.feed(fix)
        except ValueError:
            pass
    counters = monitor.statistics()
    counts = FeedResult(counters.accepted_fixes, counters.invalid_fixes, counters.late_inputs)
    return counts, list(monitor.events())


def reversed_view(values: list[Any], code: str) -> Any:
    return numpy.array(values[::-1], dtype=code)[::-1]


def spread(values: list[Any], code: str) -> Any:
    table = numpy.zeros((len(values), 3), dtype=code)
    table[:, 1] = values
    return table[:, 1]


HOLDERS: dict[str, tuple[Callable[[list[float]], Any], Callable[[list[int]], Any]]] = {
    "lists": (list, list),
    "tuples": (tuple, tuple),
    "generators": (iter, iter),
    "array.array": (lambda c: array("d", c), lambda c: array("q", c)),
    "memoryview": (lambda c: memoryview(array("d", c)), lambda c: memoryview(array("q", c))),
    "numpy": (lambda c: numpy.array(c, "f8"), lambda c: numpy.array(c, "i8")),
    "numpy with gaps": (lambda c: spread(c, "f8"), lambda c: spread(c, "i8")),
    "numpy backwards": (lambda c: reversed_view(c, "f8"), lambda c: reversed_view(c, "i8")),
    "numpy big-endian": (lambda c: numpy.array(c, ">f8"), lambda c: numpy.array(c, ">i8")),
    "numpy datetime64": (lambda c: numpy.array(c, "f8"), lambda c: numpy.array(c, "M8[us]")),
    "numpy unsigned": (lambda c: numpy.array(c, "f8"), lambda c: numpy.array(c, "u8")),
    "pandas": (pandas.Series, lambda c: pandas.Series(pandas.to_datetime(c, unit="us", utc=True))),
    "pandas without zone": (pandas.Series, lambda c: pandas.Series(pandas.to_datetime(c, unit="us"))),
    "pandas index": (pandas.Index, lambda c: pandas.to_datetime(c, unit="us", utc=True).tz_convert("Asia/Tokyo")),
    "datetimes": (list, lambda c: [START + timedelta(microseconds=t - START_US) for t in c]),
    "objects": (list, lambda c: pandas.Series([START + timedelta(microseconds=t - START_US) for t in c], dtype=object)),
}


@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("seed", [1, 2])
def test_the_same_as_single_calls(holder: str, seed: int) -> None:
    columns = way(400, seed)
    reals, times = HOLDERS[holder]
    monitor = home()
    result = monitor.feed_many(
        latitude=reals(columns["latitude"]),
        longitude=reals(columns["longitude"]),
        accuracy=reals(columns["accuracy"]),
        time=times(columns["time"]),
    )
    expected, events = one_by_one(columns)
    assert result == expected and min(expected[:3]) > 0
    assert list(monitor.events()) == events and len(events) > 20


def test_columns_of_a_structured_array_and_of_a_frame() -> None:
    columns = way(200, 3)
    expected, events = one_by_one(columns)
    dtype = [("latitude", "f8"), ("longitude", "f8"), ("accuracy", "f8"), ("time_us", "i8")]
    rows = numpy.array(list(zip(*columns.values())), dtype=dtype)
    packed = numpy.array(list(zip(*columns.values(), [0] * 200)), dtype=[*dtype, ("flag", "u1")])  # unaligned
    frame = pandas.DataFrame(columns)
    for table, time in ((rows, "time_us"), (packed, "time_us"), (frame, "time")):
        monitor = home()
        given = {name: table[name] for name in ("latitude", "longitude", "accuracy")}
        assert monitor.feed_many(**given, time=table[time]) == expected
        assert list(monitor.events()) == events
    for record in (rows, rows.tobytes()):
        monitor = home()
        assert monitor.feed_many(record) == expected
        assert list(monitor.events()) == events


@pytest.mark.parametrize("unit", ["D", "h", "m", "s", "ms", "us", "ns", "10s", "W", "25ns"])
def test_every_unit_of_datetime64(unit: str) -> None:
    time = numpy.array(["2024-05-02T00:00", "2024-05-09T00:00"], dtype=f"M8[{unit}]")
    monitor = home()
    assert monitor.feed_many(latitude=[52.5, 0], longitude=[13.4, 0], time=time).accepted == 2
    first = monitor.next_event()
    assert first is not None
    assert first.date_us == time.astype("M8[us]").astype("i8")[0]


@pytest.mark.parametrize("unit", ["Y", "M"])
def test_units_of_the_calendar(unit: str) -> None:
    time = numpy.array(["1969-01-01", "2024-02-01"], dtype=f"M8[{unit}]")
    monitor = home()
    assert monitor.feed_many(latitude=[52.5, 0], longitude=[13.4, 0], time=time).accepted == 2
    assert [event.date_us for event in monitor.events()] == time.astype("M8[us]").astype("i8").tolist()


@pytest.mark.parametrize("unit", ["ns", "ps", "fs", "as"])
def test_finer_times_are_rounded_down_also_before_1970(unit: str) -> None:
    time = numpy.array([-1, 0, 1], dtype=f"M8[{unit}]")
    monitor = home()
    monitor.feed_many(latitude=[52.5, 0, 52.5], longitude=[13.4, 0, 13.4], time=time)
    assert [event.date_us for event in monitor.events()] == [-1, 0, 0]


def test_missing_times_and_times_out_of_range_are_invalid() -> None:
    cases: list[Any] = [
        numpy.array(["NaT", "2024-05-01"], "M8[ns]"),
        numpy.array(["NaT", "2024-05-01"], "M8[s]"),
        pandas.to_datetime(pandas.Series([None, "2024-05-01"]), utc=True),
        pandas.Series([pandas.NaT, START], dtype=object),
        numpy.array([2**62, 0], "M8[D]"),
        numpy.array([-(2**40), 0], "M8[D]"),
        [-(2**62), 0],
    ]
    for time in cases:
        assert home().feed_many(latitude=[0, 0], longitude=[0, 0], time=time) == FeedResult(1, 1, 0), time


def test_accuracy_may_be_missing_or_one_number() -> None:
    monitor = Monitor()
    monitor.add(HOME, "home", policy=TransitionPolicy(entry_dwell=0, exit_dwell=0))
    place = {"latitude": [52.5, 52.5], "longitude": [13.4, 13.4]}
    monitor.feed_many(**place, time=[0, 1])
    assert monitor.explain("home").accuracy == 0
    monitor.feed_many(**place, time=[2, 3], accuracy=35)
    assert monitor.explain("home").accuracy == 35
    assert monitor.feed_many(**place, time=[4, 5], accuracy=[None, 7]) == FeedResult(2, 0, 0)
    assert monitor.feed_many(**place, time=[4, 5], accuracy=-1.0) == FeedResult(0, 2, 0)
    assert monitor.feed_many(**place, time=[5, 5], accuracy=numpy.float64(3)) == FeedResult(2, 0, 0)


def test_nothing_is_copied_where_the_layout_allows() -> None:
    rows = 400_000
    reals, times = numpy.zeros((rows, 3)), numpy.arange(rows).astype("M8[us]")
    monitor = home()
    tracemalloc.start()
    monitor.feed_many(latitude=reals[:, 0], longitude=reals[:, 1], accuracy=reals[:, 2], time=times)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < rows


def test_a_read_only_column_is_enough() -> None:
    column = numpy.zeros(3)
    column.flags.writeable = False
    assert home().feed_many(latitude=column, longitude=column, time=range(3)).accepted == 3


def test_no_rows_are_no_error() -> None:
    empty = pandas.DataFrame({"lat": [0.0], "lon": [0.0], "t": [pandas.Timestamp(START)]}).iloc[:0]
    assert home().feed_many(latitude=empty["lat"], longitude=empty["lon"], time=empty["t"]) == FeedResult(0, 0, 0)
    assert home().feed_many([]) == FeedResult(0, 0, 0)
    monitor = Monitor()
    monitor.add_many([], [], [], [])
    assert len(monitor) == 0


def test_raise_names_the_first_bad_row_and_changes_nothing() -> None:
    monitor = home()
    monitor.feed(Fix(52.5, 13.4, time=SECOND))
    before = monitor.statistics(), monitor.records()
    good: dict[str, Any] = {"latitude": [0.0] * 4, "longitude": [0.0] * 4, "accuracy": [5.0] * 4}
    good["time"] = [SECOND + row for row in range(4)]
    for name, value, row, word in (
        ("latitude", 91.0, 2, "row 2: the coordinate is 91.0"),
        ("longitude", math.nan, 1, "row 1: the coordinate"),
        ("accuracy", math.nan, 3, "no position"),
        ("time", 2**62, 3, "row 3: .*time"),
    ):
        bad = {key: list(column) for key, column in good.items()}
        bad[name][row:] = [value] * (4 - row)
        with pytest.raises(InvalidArgumentError, match=word) as caught:
            monitor.feed_many(**bad, on_invalid="raise")
        assert caught.value.position == row
        fixes = [Fix(*fields[:3], time=fields[3]) for fields in zip(*bad.values())]
        for batch in (fixes, b"".join(FIX_RECORD.pack(*fields) for fields in zip(*bad.values()))):
            with pytest.raises(InvalidArgumentError, match=word) as caught:
                monitor.feed_many(batch, on_invalid="raise")
            assert caught.value.position == row
        assert (monitor.statistics(), monitor.records()) == before
    late = good | {"time": [0, *good["time"][1:]]}
    assert monitor.feed_many(**late, on_invalid="raise") == FeedResult(3, 0, 1)


def test_a_full_queue_tells_how_far_it_came() -> None:
    monitor = Monitor(max_pending_events=3)
    monitor.add(HOME, "home", policy=EXACT)
    with pytest.raises(QueueFullError) as caught:
        monitor.feed_many(latitude=[52.5, 0] * 5, longitude=[13.4, 0] * 5, time=range(10))
    assert caught.value.position == 3 and caught.value.result == FeedResult(3, 0, 0)


def without_unit() -> Any:
    """Makes times without a unit, about which newer versions of NumPy warn."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return numpy.array(["NaT"] * 3, "M8")


BAD: dict[str, tuple[dict[str, Any], str, int]] = {
    "lengths": ({"longitude": [0, 0]}, "longitude .*2 .*latitude .*3", 0),
    "length of times": ({"time": numpy.zeros(4, "i8")}, "time .*4 .*latitude .*3", 0),
    "length of accuracy": ({"accuracy": [1.0]}, "accuracy .*1 .*latitude .*3", 0),
    "text": ({"latitude": "123"}, "latitude is str", 0),
    "bytes": ({"latitude": b"123"}, "latitude is bytes", 0),
    "a number": ({"longitude": 5.0}, "longitude is float", 0),
    "text in a list": ({"latitude": [0, 0, "x"]}, "latitude, row 2: 'x' is str", 2),
    "None in a list": ({"latitude": [0, None, 0]}, "latitude, row 1: None is NoneType", 1),
    "too large": ({"latitude": [0, 10**400, 0]}, "latitude, row 1: .* range", 1),
    "objects": ({"latitude": numpy.array([0, "a", 0], object)}, "latitude, row 1: 'a' is str.*object", 1),
    "numbers as objects": ({"latitude": numpy.array([0, 1, 0], object)}, "latitude.*dtype object", 0),
    "complex": ({"latitude": numpy.zeros(3, complex)}, "latitude.*dtype complex128", 0),
    "booleans": ({"longitude": numpy.zeros(3, bool)}, "longitude.*dtype bool", 0),
    "texts": ({"longitude": numpy.array(["a", "b", "c"])}, "longitude.*dtype <U1", 0),
    "a frame": ({"latitude": pandas.DataFrame({"a": [0, 0, 0]})}, r"latitude.*shape \(3, 1\)", 0),
    "a table": ({"latitude": memoryview(bytes(24)).cast("d", (3, 1))}, "latitude has 2 dimensions", 0),
    "characters": ({"latitude": memoryview(b"abc").cast("c")}, "latitude.*format 'c'", 0),
    "accuracy": ({"accuracy": "5"}, "accuracy is str", 0),
    "naive": ({"time": [START, datetime(2024, 5, 1), START]}, "time, row 1: 2024-05-01.* naive", 1),
    "naive objects": ({"time": numpy.array([datetime(2024, 5, 1)] * 3, object)}, "time, row 0: .* naive", 0),
    "real times": ({"time": [0, 1.5, 2]}, "time, row 1: .*float", 1),
    "real time column": ({"time": numpy.zeros(3)}, "time.*dtype float64", 0),
    "real time buffer": ({"time": array("d", [0, 1, 2])}, "time.*format 'd'", 0),
    "time texts": ({"time": ["2024-05-01"] * 3}, "time, row 0: .*str", 0),
    "None as time": ({"time": [0, 1, None]}, "time, row 2: .*NoneType", 2),
    "unsigned times": ({"time": numpy.array([0, 2**64 - 5, 1], "u8")}, "time, row 1: 18446744073709551611", 1),
    "no unit": ({"time": without_unit()}, "time.*dtype datetime64, expected .* unit", 0),
    "durations": ({"time": numpy.zeros(3, "m8[s]")}, r"time.*dtype timedelta64", 0),
    "choice": ({"on_invalid": "ignore"}, "on_invalid 'ignore'.*count, raise", 0),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_columns(name: str) -> None:
    change, words, row = BAD[name]
    monitor = home()
    good: dict[str, Any] = {"latitude": [0.0] * 3, "longitude": [0.0] * 3, "time": [0, 1, 2]}
    with pytest.raises(InvalidArgumentError, match=words) as caught:
        monitor.feed_many(**good | change)
    assert caught.value.position == row and "\n" not in str(caught.value)
    assert monitor.statistics().input_count == 0 and monitor.clock is None


def test_a_wrong_type_is_a_type_error_and_an_invalid_argument() -> None:
    with pytest.raises(TypeError) as caught:
        home().feed_many(latitude=["a"], longitude=[0], time=[0])
    assert type(caught.value) is ColumnTypeError and isinstance(caught.value, ValueError)
    assert caught.value.code == InvalidArgumentError.code
    for call in (
        lambda m: m.feed_many(),
        lambda m: m.feed_many(latitude=[0], longitude=[0]),
        lambda m: m.feed_many([Fix(0, 0, time=0)], latitude=[0]),
        lambda m: m.feed_many(7),
    ):
        with pytest.raises(TypeError):
            call(home())


def test_columns_are_released() -> None:
    column, times = numpy.zeros(10), numpy.arange(10).astype("M8[ns]")
    monitor = home()
    before = sys.getrefcount(column), sys.getrefcount(times)
    for _ in range(20):
        monitor.feed_many(latitude=column, longitude=column, accuracy=column, time=times)
        with pytest.raises(InvalidArgumentError):
            monitor.feed_many(latitude=column, longitude=column[:5], accuracy=column, time=times)
    assert (sys.getrefcount(column), sys.getrefcount(times)) == before
    column.resize(20)  # raises an error while a buffer is held


# ------------------------------------------------------------------------------------------ conditions


def test_many_conditions_from_a_frame() -> None:
    frame = pandas.DataFrame(
        {"name": ["a", "b", "ü"], "lat": [52.5, 52.6, 52.7], "lon": [13.4, 13.5, 13.6], "r": [100, 200, 300]}
    )
    monitor = Monitor()
    monitor.add_many(frame["name"], frame["lat"], frame["lon"], frame["r"], policy="exact", tag=frame.index)
    assert [(r.identifier, r.condition.radius, r.tag, r.policy) for r in monitor.records()] == [
        ("a", 100, 0, EXACT),
        ("b", 200, 1, EXACT),
        ("ü", 300, 2, EXACT),
    ]
    monitor.add_many(
        numpy.array(["x", "y"]),
        numpy.array([1, 2], "f4"),
        reversed_view([3.0, 4.0], "f8"),
        (5, 6),
        tag=9,
        assuming="satisfied",
    )
    assert (monitor["y"].condition.center, monitor["y"].tag, monitor["y"].state) == ((2, 4), 9, State.SATISFIED)


@pytest.mark.parametrize(
    ("change", "words", "row"),
    [
        ({"latitude": [0, math.nan]}, "row 1: .*latitude", 1),
        ({"latitude": [0.0]}, "latitude .* 1 rows, identifier .* 2", 1),
        ({"radius": [1, -1]}, "row 1: .*radius", 1),
        ({"radius": pandas.Series(["5", "6"])}, "radius(, row 0|.*dtype)", 0),
        ({"identifier": ["a", 7]}, "identifier, row 1: 7 is int", 1),
        ({"identifier": pandas.Series(["a", None], dtype=object)}, "identifier, row 1: None", 1),
        ({"identifier": ["a", "b\0"]}, "identifier, row 1", 1),
        ({"identifier": ["a", "\ud800"]}, "identifier, row 1", 1),
        ({"identifier": ["a", ""]}, "row 1: .* identifier", 1),
        ({"identifier": "ab"}, "identifier", 0),
        ({"tag": [1, -1]}, "tag, row 1: -1", 1),
        ({"tag": numpy.array([1, -1])}, "tag, row 1: -1", 1),
        ({"tag": numpy.array([1.0, 2.0])}, "tag .* float64", 0),
        ({"tag": -1}, "tag, row 0: -1", 0),
        ({"tag": [1, 2, 3]}, "tag .* 3 rows, identifier .* 2", 2),
        ({"policy": "strict"}, "strict", 0),
    ],
)
def test_bad_columns_of_conditions(change: dict[str, Any], words: str, row: int) -> None:
    monitor = home()
    good: dict[str, Any] = {"identifier": ["a", "b"], "latitude": [0, 0], "longitude": [0, 0], "radius": [1, 1]}
    with pytest.raises(InvalidArgumentError, match=words) as caught:
        monitor.add_many(**good | change)
    assert caught.value.position == row and monitor.identifiers == ["home"]


# ------------------------------------------------------------------------------------------ events


def test_events_as_columns_and_as_a_frame() -> None:
    columns = way(300, 7)
    _expected, events = one_by_one(columns)
    monitor = home()
    monitor.feed_many(**columns)
    table = monitor.events_columns()
    assert monitor.statistics().pending_events == 0 and monitor["home"].last_event == events[-1]
    assert list(table) == list(EVENT_COLUMNS)
    assert table["sequence"] == [event.sequence for event in events]
    assert table["date"] == [event.date for event in events]
    monitor = home()
    monitor.feed_many(**columns)
    frame = monitor.events_frame()
    assert isinstance(frame, pandas.DataFrame) and list(frame) == list(table)
    assert frame["date"].dtype == "datetime64[us, UTC]" and frame["latitude"].dtype == "float64"
    assert frame["state"].tolist() == [str(event.state) for event in events]
    assert [time.to_pydatetime() for time in frame["date"]] == table["date"]
    again = home()
    again.feed_many(latitude=frame["latitude"], longitude=frame["longitude"], time=frame["date"])
    assert again.events_frame()["state"].tolist() == frame["state"].tolist()


def test_a_frame_without_events_has_the_same_columns() -> None:
    empty, full = Monitor().events_frame(), home()
    full.feed(Fix(52.5, 13.4, time=0))
    frame = full.events_frame()
    assert len(empty) == 0 and list(empty) == list(frame)
    for name in ("date", "evidence_date", "latitude", "boundary_distance", "sequence"):
        assert empty[name].dtype == frame[name].dtype


def test_without_pandas_the_frame_is_the_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    monitor = home()
    monitor.feed(Fix(52.5, 13.4, time=0))
    table = monitor.events_frame()
    assert type(table) is dict and table["state"] == ["satisfied"]


def test_more_events_than_one_call_hands_out() -> None:
    monitor = Monitor()
    count = 70_000
    names = [f"c{index}" for index in range(count)]
    monitor.add_many(names, numpy.zeros(count), numpy.zeros(count), numpy.full(count, 10.0))
    monitor.feed(Fix(0, 0, time=0))
    table = monitor.events_columns()
    assert table["sequence"] == list(range(1, count + 1)) and table["identifier"] == names


def test_times_with_an_offset_are_the_instant_they_mean() -> None:
    east = timezone(timedelta(hours=5, minutes=30))
    monitor = home()
    monitor.feed_many(latitude=[52.5], longitude=[13.4], time=[datetime(2024, 5, 1, 17, 30, tzinfo=east)])
    assert monitor.clock == START
