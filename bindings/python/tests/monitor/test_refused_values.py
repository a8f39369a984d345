"""Tests that an error about one value of a table states its row and its column, whatever words the values contain."""

from __future__ import annotations

import math
from typing import Any

import pytest
from arrow_streams import reader_of
from conftest import refusal

from fencepost import Circle, Fleet, Monitor
from fencepost._errors import at_row, reason_of
from fencepost.errors import InvalidArgumentError

pa = pytest.importorskip("pyarrow")

ZONES: dict[str, Any] = {
    "key": ["a", "b", "c"],
    "y": [0.0, 1.0, 2.0],
    "x": [0.0, 1.0, 2.0],
    "size": [10.0, 20.0, 30.0],
    "belief": ["unknown"] * 3,
    "rules": ["exact"] * 3,
    "likely": [None, 0.9, None],
    "unlikely": [None, 0.1, None],
    "every": [None, 60.0, None],
    "times": [None, 5.0, None],
    "silence": [None, 600.0, None],
    "low": [None, 0.0, None],
    "high": [None, 50.0, None],
    "above": [None, "ellipsoid", None],
    "under": [None, "ellipsoid", None],
}
NAMES = {
    "identifier": "key", "latitude": "y", "longitude": "x", "radius": "size", "assuming": "belief", "policy": "rules",
    "entry_probability": "likely", "exit_probability": "unlikely", "repeat_every": "every", "repeat_limit": "times",
    "absent_after": "silence", "altitude_min": "low", "altitude_max": "high", "altitude_min_reference": "above",
    "altitude_max_reference": "under",
}  # fmt: skip


def columns_in(message: str) -> set[str]:
    """The columns that the end of a message names."""
    named = message.rpartition("(column ")[2].rstrip(")")
    return {name.strip("'") for name in named.split(" and ")} if "(column " in message else set()


@pytest.mark.parametrize(
    ("column", "value", "expected"),
    [
        ("y", 90.5, {"y"}),
        ("x", math.inf, {"x"}),
        ("size", -1.0, {"size"}),
        ("key", "", {"key"}),
        ("key", "latitude is 5 " * 40, {"key"}),
        ("belief", "radius is -1", {"belief"}),
        ("belief", "altitude_min: policy", {"belief"}),
        ("rules", "absent_after", {"rules"}),
        ("rules", '{"repeat_every": 5}', {"rules"}),
        ("rules", '{"entry_dwell": -1}', {"rules"}),
        ("likely", 0.05, {"likely", "unlikely"}),
        ("likely", 1.5, {"likely", "unlikely"}),
        ("every", 0.1, {"every"}),
        ("every", None, {"times"}),
        ("times", 1.5, {"times"}),
        ("silence", -3.0, {"silence"}),
        ("high", -7.0, {"low", "high", "above", "under"}),
        ("high", 2e9, {"high", "under"}),
        ("above", "policy: altitude_max", {"low", "above"}),
        ("under", None, {"high"}),
    ],
)
@pytest.mark.parametrize("call", ["add_many", "ensure_many", "sync"])
def test_conditions_of_tables(call: str, column: str, value: object, expected: set[str]) -> None:
    table = pa.table({**ZONES, column: [ZONES[column][0], value, ZONES[column][2]]})
    for given in (table, reader_of(table, lambda: 1)):
        monitor = Monitor()
        error = refusal(getattr(monitor, call), given, columns=NAMES)
        assert (error.row, error.position) == (1, 1)
        assert columns_in(str(error)) == expected
        assert str(error).startswith("table: row 1: ") and str(error).count("row 1") == 1
        assert len(monitor) == 0
    Monitor().add_many(pa.table(ZONES), columns=NAMES)


@pytest.mark.parametrize(
    ("column", "value", "expected"),
    [
        ("lat", 91.0, {"lat", "lon"}),
        ("lon", math.nan, {"lat", "lon"}),
        ("near", -1.0, {"near"}),
        ("when_us", 1 << 61, {"when_us"}),
        ("who", "", {"who"}),
        ("who", "row 1: time is ", set()),
        ("who", "row 1: latitude is " * 30, {"who"}),
    ],
)
@pytest.mark.parametrize("is_fleet", [False, True])
def test_fixes_of_tables(is_fleet: bool, column: str, value: object, expected: set[str]) -> None:
    if column == "who" and not is_fleet:
        pytest.skip("a monitor has one device")
    good: dict[str, Any] = {
        "lat": [0.0, 1.0], "lon": [0.0, 1.0], "near": [5.0, 5.0], "when_us": [0, 1], "who": ["a", "b"],
    }  # fmt: skip
    names = {"latitude": "lat", "longitude": "lon", "accuracy": "near", "time": "when_us"}
    table = pa.table({**good, column: [good[column][0], value]})
    fed: Any = Fleet() if is_fleet else Monitor()
    options: dict[str, Any] = {"columns": names | ({"device": "who"} if is_fleet else {})}
    if not expected:
        assert fed.feed_many(table, **options).accepted == 2
        return
    error = refusal(fed.feed_many, table, **options, on_invalid="raise")
    assert (error.row, columns_in(str(error))) == (1, expected)
    assert str(error).count("row 1: ") == 1


def test_errors_of_the_library() -> None:
    """The library refuses values by position; the reason and the name of the argument do not depend on it."""
    with pytest.raises(InvalidArgumentError) as one:
        Monitor().add_many(identifier=["a", "b"], latitude=[0, 0], longitude=[0, 0], radius=[1, -1])
    assert (one.value._argument, one.value.position) == ("radius", 1)
    assert str(one.value) == f"row 1: {reason_of(one.value)}"
    with pytest.raises(InvalidArgumentError) as many:
        Monitor().add_many(
            identifier=["a", "row 1: radius is -1: " * 20], latitude=[0, 0], longitude=[0, 0], radius=[1, 1]
        )
    error = many.value
    assert (error._argument, error.position) == ("identifier", 1)
    assert str(error) == f"row 1: {reason_of(error)}"
    moved = at_row(error, 7)
    assert (moved.position, moved._argument, type(moved)) == (7, "identifier", type(error))
    assert str(moved) == f"row 7: {reason_of(error)}" and reason_of(moved) == reason_of(error)
    plain = InvalidArgumentError("row 1: of a caller")
    assert reason_of(plain) == "row 1: of a caller" and plain._argument is None


def test_questions_in_parts() -> None:
    """A question about many rows is divided into parts, and each part counts its own rows."""
    monitor = Monitor()
    monitor.add(Circle(0, 0, 100), "a")
    numpy = pytest.importorskip("numpy")
    for row in (0, 5, 70_000, 199_999):
        latitude = numpy.zeros(200_000)
        latitude[row] = 90.5
        for threads in (1, 4):
            with pytest.raises(InvalidArgumentError) as caught:
                monitor.containing(latitude, numpy.zeros(200_000), threads=threads)
            assert caught.value.position == row and str(caught.value).count(f"row {row}:") == 1
            assert caught.value._argument is not None


def test_devices_are_read_once() -> None:
    """Each different device is examined once; an error names its first row."""
    for value in ("", "row 2: device"):
        rows = ["a", "b", "a", value * 300 or "", "b"]
        with pytest.raises(InvalidArgumentError) as caught:
            Fleet().feed_many(latitude=[0] * 5, longitude=[0] * 5, time=range(5), device=rows)
        assert caught.value.position == 3
    with pytest.raises(InvalidArgumentError) as missing:
        Fleet().feed_many(latitude=[0] * 3, longitude=[0] * 3, time=range(3), device=["a", "a", None])
    assert missing.value.position == 2 and "row 2" in str(missing.value)
