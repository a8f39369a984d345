"""The error names the row of a refused identifier; the fixes before this row were fed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fencepost import Fleet, InputError, Monitor, Zones
from fencepost.errors import InvalidArgumentError

REFUSED = ["", "x" * 257, "a\0b"]


@pytest.fixture(params=[1, 2])
def fleet(request: pytest.FixtureRequest) -> Fleet:
    return Fleet(Zones(), threads=request.param)


@pytest.mark.parametrize("refused", REFUSED)
def test_the_row_of_a_refused_identifier(fleet: Fleet, refused: str) -> None:
    devices = ["a", "a", "b", "a", refused, "b", refused]
    with pytest.raises(InvalidArgumentError) as caught:
        fleet.feed_many(device=devices, latitude=[0] * 7, longitude=[0] * 7, time=list(range(7)))
    assert caught.value.position == 4
    assert fleet.statistics().accepted_fixes == 0 and not fleet.devices


@pytest.mark.parametrize("short", ["device", "latitude", "longitude", "time", "accuracy"])
@pytest.mark.parametrize("length", [0, 1, 19])
def test_columns_of_different_lengths(fleet: Fleet, short: str, length: int) -> None:
    """The columns are so long that the check for jumps runs; it reads all columns before the feed compares their
    lengths."""
    columns: dict[str, Any] = {"device": ["a", "b"] * 10, "time": list(range(20))}
    columns |= {name: [0.0] * 20 for name in ("latitude", "longitude", "accuracy")}
    columns[short] = columns[short][:length]
    with pytest.raises(InvalidArgumentError):
        fleet.feed_many(**columns)
    assert fleet.statistics().accepted_fixes == 0 and not fleet.devices


def test_the_row_that_is_one_device_too_many() -> None:
    fleet = Fleet(Zones(), device_limit=2)
    with pytest.raises(InvalidArgumentError) as caught:
        fleet.feed_many(device=["a", "a", "b", "a", "c"], latitude=[0] * 5, longitude=[0] * 5, time=list(range(5)))
    assert caught.value.position == 4 and "row 4" in str(caught.value)
    assert not fleet.devices


@pytest.mark.parametrize("refused", REFUSED)
def test_a_refused_identifier_of_a_later_batch(fleet: Fleet, refused: str) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    tables = [
        pyarrow.table({"device": devices, "lat": [0.0] * len(devices), "lon": [0.0] * len(devices), "time_us": times})
        for devices, times in ((["a"] * 5, list(range(5))), (["b", "b", refused], [5, 6, 7]))
    ]
    with pytest.raises(InputError) as caught:
        fleet.feed_many(pyarrow.concat_tables(tables))
    assert caught.value.row == 7
    assert caught.value.result is not None and caught.value.result.accepted == 5
    assert fleet.devices == ["a"]


@pytest.mark.parametrize("kind", [Fleet, Monitor])
def test_a_store_without_a_name(kind: type[Fleet | Monitor], tmp_path: Path) -> None:
    """The message named the members of the C structure."""
    with pytest.raises(InvalidArgumentError, match="name=") as caught:
        kind(store=tmp_path)
    assert "store_directory" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []
