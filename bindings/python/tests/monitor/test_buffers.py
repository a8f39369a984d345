"""Tests which buffers the extension accepts: columns that the extension indexes must be contiguous, and other columns
may have any stride."""

from __future__ import annotations

from array import array
from typing import Any

import pytest
from conftest import SECOND

from fencepost._native import Monitor as Handle, best_fix, inverse_into
from fencepost.errors import InvalidArgumentError

TWO = array("d", [0.0, 1.0])
STRIDED = memoryview(array("d", [0.0, 9.0, 1.0, 9.0]))[::2]
UNALIGNED = memoryview(b"\0" * 17)[1:].cast("d")


def test_a_handle_has_the_defaults_of_the_header() -> None:
    handle = Handle()
    assert handle.name() is None
    handle.add_circles(("a", "b"), TWO, TWO, array("d", [100.0, 100.0]), 0, None, None)
    handle.feed_fix(0.0, 0.0, 0.0, SECOND)
    assert [event[1:3] for event in handle.poll_events(9)] == [("a", 1), ("b", 2)]
    with pytest.raises(TypeError, match="no keyword"):
        Handle(name="a")  # type: ignore[call-arg]


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize(
    ("column", "error", "words"),
    [
        (STRIDED, InvalidArgumentError, "contiguous"),
        (UNALIGNED, InvalidArgumentError, "contiguous"),
        (array("d", [0.0]), InvalidArgumentError, "1 .* 2"),
        (array("f", [0.0, 1.0]), TypeError, "64-bit .* 'f'"),
        (memoryview(bytes(32)).cast("d", (2, 2)), TypeError, "2 dimensions"),
        (bytes(16), TypeError, "column"),
        (None, TypeError, "bytes-like"),
        ([0.0, 1.0], TypeError, "bytes-like"),
    ],
)
def test_columns_of_circles(number: int, column: Any, error: type[Exception], words: str) -> None:
    """A call that is refused adds no circles and releases its buffers."""
    if number == 3 and column is None:
        pytest.skip("no tags are given")
    if number == 3 and isinstance(column, array | memoryview):
        raw = bytes(column) if column is not UNALIGNED else b""
        column = memoryview(raw).cast("Q")[:1] if raw and len(raw) % 8 == 0 else column
        error, words = (InvalidArgumentError, "has 1 rows") if raw and len(raw) % 8 == 0 else (TypeError, "one column")
    columns = [TWO, TWO, array("d", [100.0, 100.0]), None]
    lent = [bytearray(TWO.tobytes()) for _ in range(3)]
    columns[:3] = [memoryview(one).cast("d") for one in lent]
    columns[number] = column
    handle = Handle()
    with pytest.raises(error, match=words):
        handle.add_circles(("a", "b"), *columns[:3], 0, None, columns[3])  # type: ignore[arg-type]
    assert handle.identifiers() == []
    del columns
    for one in lent:
        one.extend(b"x")  # would raise BufferError if another object still used this memory


def test_a_single_element_may_have_any_stride() -> None:
    handle = Handle()
    one = memoryview(array("d", [1.0, 9.0]))[::2]
    handle.add_circles(("a",), one, one, one, 0, None, None)
    assert handle.identifiers() == ["a"]


def test_columns_of_geodesics() -> None:
    def solve(*columns: Any) -> None:
        inverse_into(*columns)

    out = [array("d", [0.0, 0.0]) for _ in range(3)]
    solve(array("d", [0.0]), TWO, array("d", [0.0]), TWO, *out)  # with stride 0, one element is used for all rows
    assert out[0].tolist() == [0.0, 0.0]
    with pytest.raises(InvalidArgumentError, match="contiguous"):
        solve(TWO, TWO, TWO, STRIDED, *out)
    with pytest.raises(InvalidArgumentError, match="3.*2"):
        solve(array("d", [0.0] * 3), TWO, TWO, TWO, *out)
    with pytest.raises(InvalidArgumentError, match="3.*2"):
        solve(TWO, TWO, TWO, TWO, out[0], array("d", [0.0] * 3), out[2])
    with pytest.raises(BufferError):
        solve(TWO, TWO, TWO, TWO, memoryview(bytes(16)).cast("d"), out[1], out[2])


def test_records_need_not_be_aligned() -> None:
    row = array("d", [0.0, 0.0, 5.0]).tobytes() + array("q", [SECOND]).tobytes()
    assert best_fix(memoryview(b"x" + row)[1:], SECOND, 0.0, SECOND) == 0
    with pytest.raises(InvalidArgumentError, match="fixes.*31.*32"):
        best_fix(row[:-1], SECOND, 0.0, SECOND)
    handle = Handle()
    assert handle.feed_fixes(memoryview(b"x" + row)[1:]) == (1, 0, 0, 0)
