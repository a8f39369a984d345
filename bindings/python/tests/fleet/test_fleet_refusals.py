"""What a fleet refuses changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from fleets import table, walks, zones_of

from fencepost import ColumnTypeError, Conditions, Fix, Fleet, InputError, InvalidArgumentError, LateInputError, Monitor

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
