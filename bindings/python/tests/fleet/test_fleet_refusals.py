"""What a fleet refuses changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from fleets import table, walks, zones_of

from fencepost import (
    BeaconIdentityCondition,
    ColumnTypeError,
    Conditions,
    FeedResult,
    Fix,
    Fleet,
    InputError,
    InvalidArgumentError,
    LateInputError,
    Monitor,
    QueueFullError,
)

pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")


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


BAD = float("nan")


@pytest.fixture(params=[1, 3], ids=["alone", "threads"])
def fleet(request: pytest.FixtureRequest) -> Fleet:
    beacon = BeaconIdentityCondition("e2c56db5-dffb-48d2-b060-d0f5a71096e0")
    zones = Conditions()
    zones.add_many(["depot"], [0], [0], [100])
    zones.add(beacon, "tag", assuming="unknown")  # whose absence each device is told of
    made = Fleet(zones, threads=request.param, max_pending_events=50)
    made.feed("first", Fix(0, 0, time=1))
    made.advance(10)
    return made


@pytest.mark.parametrize(
    ("give", "kind"),
    [
        pytest.param(lambda fleet: fleet.feed("new", Fix(91, 0, time=20)), InvalidArgumentError, id="nowhere"),
        pytest.param(lambda fleet: fleet.feed("new", Fix(0, 0, time=5)), LateInputError, id="late"),
        pytest.param(lambda fleet: fleet.feed("new", Fix(0, 0, accuracy=-1, time=20)), None, id="no position"),
        pytest.param(lambda fleet: fleet.see("new", time=5), LateInputError, id="late report"),
        pytest.param(lambda fleet: fleet.set_scanning("new", False, time=5), LateInputError, id="late scanning"),
        pytest.param(
            lambda fleet: fleet.feed_many(device="new", latitude=[91.0, 0], longitude=[0, 0], time=[20, 5]),
            None,
            id="one",
        ),
        pytest.param(
            lambda fleet: fleet.feed_many(device=["new", "b"], latitude=[BAD, 0], longitude=[0, 0], time=[20, 5]),
            None,
            id="many",
        ),
        pytest.param(
            lambda fleet: fleet.feed_many(
                pa.table({"device": ["new", "b"], "lat": [0.0, 0.0], "lon": [0.0, 181.0], "time_us": [5, 20]})
            ),
            None,
            id="table",
        ),
        pytest.param(
            lambda fleet: fleet.feed_many([Fix(0, 0, accuracy=-1, time=20)] * 2, device=pd.Categorical(["new", "b"])),
            None,
            id="fixes",
        ),
    ],
)
def test_who_is_given_nothing_that_is_accepted_is_no_device(
    fleet: Fleet, give: Callable[[Fleet], Any], kind: type[BaseException] | None
) -> None:
    told = [(event.device, event.sequence) for event in fleet.events()]
    refused = sum(getattr(fleet.statistics(), name) for name in ("invalid_fixes", "late_inputs"))
    try:
        give(fleet)
        assert kind is None
    except (InvalidArgumentError, LateInputError) as error:
        assert kind is type(error)
    assert fleet.devices == ["first"] and len(fleet) == 1 and "new" not in fleet
    assert list(fleet.events()) == [] and fleet.statistics().pending_events == 0
    assert sum(getattr(fleet.statistics(), name) for name in ("invalid_fixes", "late_inputs")) > refused
    fleet.feed_many(device=["x", "new"], latitude=[0.0, 0], longitude=[0.0, 0], time=[30, 30])
    assert fleet.devices == ["first", "x", "new"]
    fleet.advance(100_000_000)
    events = [(event.device, event.sequence) for event in fleet.events()]
    for device in ("x", "new"):
        assert [sequence for name, sequence in events if name == device] == [1, 2]
    assert told[:1] == [("first", 1)]


def test_of_a_batch_those_stay_of_which_a_row_is_accepted(fleet: Fleet) -> None:
    names = ["a", "b", "c", "b", "first", "d"]
    result = fleet.feed_many(
        device=names, latitude=[91.0, 0, 0, 0, 95, BAD], longitude=[0.0] * 6, time=[20, 20, 5, 19, 20, 20]
    )
    assert result == FeedResult(accepted=1, invalid=3, late=2)
    assert sorted(fleet.devices) == ["b", "first"]
    assert fleet["b"].statistics().late_inputs == 1 and fleet["first"].statistics().invalid_fixes == 1
    # A device that is there stays, whatever comes.
    with pytest.raises(LateInputError):
        fleet.feed("b", Fix(0, 0, time=3))
    assert "b" in fleet


def test_rows_that_a_full_queue_keeps_out_enter_nobody() -> None:
    zones = Conditions()
    zones.add_many(["depot"], [0], [0], [100])
    for threads in (1, 2):
        fleet = Fleet(zones, max_pending_events=2, threads=threads)
        names = [f"d{number}" for number in range(6)]
        given = {"latitude": [0.0] * 6, "longitude": [0.0] * 6, "time": [1] * 6}
        try:
            fleet.feed_many(device=names, **given)
        except QueueFullError as error:
            assert error.position == 2 and fleet.devices == names[:2]
        with pytest.raises(QueueFullError):
            fleet.feed("late comer", Fix(0, 0, time=1))
        assert "late comer" not in fleet


def test_a_store_does_not_keep_who_was_refused(tmp_path: Path) -> None:
    zones = Conditions()
    zones.add_many(["depot"], [0], [0], [100])
    for durability in ("changes", "every_input", "relaxed"):
        with Fleet(zones, store=tmp_path, name=durability, durability=durability) as fleet:
            fleet.feed("kept", Fix(0, 0, time=1))
            for number in range(20):
                with pytest.raises(InvalidArgumentError):
                    fleet.feed(f"refused {number}", Fix(91, 0, time=1))
        with Fleet(Conditions(), store=tmp_path, name=durability) as fleet:
            assert fleet.devices == ["kept"] and fleet.statistics().invalid_fixes == 20


def test_void_events_keep_nobody_from_being_exported() -> None:
    zones = Conditions()
    zones.add_many(["depot", "yard"], [0, 0], [0, 0], [100, 200])
    fleet = Fleet(zones, threads=2)
    fleet.feed("a", Fix(0, 0, time=1))
    with pytest.raises(InvalidArgumentError, match="take them first"):
        fleet.export(["a"])
    zones.remove("depot")
    assert [event.sequence for event in fleet.events()] == [1]
    fleet.feed("b", Fix(0, 0, time=1))
    zones.remove("yard")
    other = Fleet(zones)
    other.load({"a": fleet.export(["a"])[0], "b": fleet.export(["b"])[0]})
    zones.add_many(["depot"], [0], [0], [100])
    for device in ("a", "b"):
        other.feed(device, Fix(0, 0, time=2))
    # The events that became void while they waited count: no sequence is given twice.
    assert [(event.device, event.sequence) for event in other.events()] == [("a", 3), ("b", 2)]


@pytest.mark.parametrize("threads", [1, 2])
def test_the_room_of_who_was_refused_is_free_again(threads: int) -> None:
    fleet = Fleet(zones_of(3), device_limit=1, threads=threads)
    for name in "ab":
        with pytest.raises(InvalidArgumentError, match="latitude"):
            fleet.feed(name, Fix(91, 0, time=1))
    fleet.feed_many(device=["c"], latitude=[91], longitude=[0], time=[1])
    fleet.feed("d", Fix(0, 0, time=1))
    assert fleet.devices == ["d"]
    del fleet["d"]
    fleet.feed("e", Fix(20, 20, time=1))
    assert fleet.devices == ["e"] and fleet["e"].position == (20, 20)


def test_a_device_that_left_events_behind_is_refused_when_it_comes_again() -> None:
    zones = Conditions()
    zones.add_many(["depot"], [0], [0], [100])
    for threads in (1, 2):
        fleet = Fleet(zones, threads=threads)
        fleet.feed("a", Fix(0, 0, time=1))
        del fleet["a"]
        with pytest.raises(InvalidArgumentError):
            fleet.feed("a", Fix(91, 0, time=2))
        assert fleet.devices == [] and [event.device for event in fleet.events()] == ["a"]
        fleet.feed("a", Fix(0, 0, time=3))
        assert [(event.device, event.sequence) for event in fleet.events()] == [("a", 1)]


@pytest.mark.parametrize("threads", [1, 2])
def test_who_is_refused_here_and_accepted_there_stays(threads: int) -> None:
    """One thread gives new devices what is refused, another one gives the same devices what is accepted."""
    fleet = Fleet(zones_of(3), threads=threads)
    names = [f"d{number}" for number in range(300)]

    def refused() -> None:
        for name in names * 3:
            fleet.feed_many(device=[name, "x"], latitude=[91.0, 91.0], longitude=[0, 0], time=[1, 1])

    def accepted() -> None:
        for time in range(3):
            for name in names:
                fleet.feed(name, Fix(0, 0, time=time))

    workers = [Thread(target=work) for work in (refused, accepted, refused)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sorted(fleet.devices) == sorted(names)
    assert [fleet[name].statistics().accepted_fixes for name in names] == [3] * 300
    assert fleet.statistics().invalid_fixes == 2 * 2 * 900
