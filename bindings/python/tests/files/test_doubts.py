"""Values that are probably wrong cause a warning; correct values do not."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import pytest
from conftest import mentions

from fencepost._files.doubts import Flaw, SeenTimes, about_radii, is_usable, worse

SECOND = 1_000_000


def us(text: str) -> int:
    return round(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * SECOND


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ((116.37, 39.9, 0), "latitude 116.37, longitude 39.9: … latitude … longitude"),
        ((52.5, 240.5, 0), "latitude 52.5, longitude 240.5: … 360 … 180 … 360"),
        ((5819000.5, 389000, 0), "latitude 5819000.5, longitude 389000: … CRS?"),
        ((91, 181, 0), "latitude 91, longitude 181, … AIS"),
        (
            (90.5, 200, 0),
            "latitude 90.5, longitude 200: … -90 … 90, … -180 … 180",
        ),
        ((math.inf, 0, 0), "latitude inf, longitude 0:"),
        ((math.nan, 0, 0), "no position"),
        ((1, math.nan, 0), "no position"),
        ((1, 1, -1), "accuracy … -1"),
        ((1, 1, math.nan), "accuracy … nan"),
    ],
)
def test_a_fix_that_is_of_no_use(values: tuple[float, float, float], words: str) -> None:
    flaw = Flaw("line 2", *values)
    assert mentions(flaw.reason, words) and not is_usable(*values)
    assert flaw.is_missing == ("latitude" not in words)


@pytest.mark.parametrize("place", [(90, 180), (-90, -180), (0, 0)])
def test_the_edges_of_the_world_are_usable(place: tuple[float, float]) -> None:
    assert is_usable(*place, 0.0)


def test_an_invalid_value_is_reported_before_a_missing_one() -> None:
    missing, first, second = Flaw("1", math.nan, 0, 0), Flaw("2", 91, 0, 0), Flaw("3", 92, 0, 0)
    assert worse(worse(worse(None, missing), first), second) is first
    assert worse(first, missing) is first and worse(missing, Flaw("4", math.nan, 0, 0)) is missing


def doubt(*parts: list[int]) -> str:
    seen = SeenTimes()
    for part in parts:
        seen.add(part)
    return seen.doubt


@pytest.mark.parametrize(
    ("times", "words"),
    [
        ([45413.25, 45413.5, 45414.75], "45413.25 … Excel's"),
        ([1_700_000.0, 1_700_060.0], "1990 … 1970-01-20 16:14:20 UTC)"),
        ([-11_644_473_600.0, -11_644_473_000.0], "1990 … 1601-01-01 00:10:00 UTC)"),
        ([1.7e10, 1.7e10 + 60], "2100 … 2508-09-"),
        ([9e12, 9.1e12], "2100 … 9000000000000000000"),
        ([us("2024-05-01") / 1e6, us("2024-05-01") / 1e6, us("2024-05-02") / 1e6], "midnight"),
    ],
)
def test_strange_times(times: list[float], words: str) -> None:
    found = [round(time * SECOND) for time in times]
    assert mentions(doubt(found), words)
    assert mentions(doubt([], *([time] for time in found), []), words)


@pytest.mark.parametrize(
    "times",
    [
        [0.0, 10.0, 20.0],  # a simulation
        [0.0, 40_000.0, 200_000.0],
        [us("1990-01-01") / 1e6, us("1990-01-01") / 1e6 + 1],
        [us("2024-05-01") / 1e6, us("2024-05-01") / 1e6 + 1, us("2024-05-02") / 1e6],
        [us("2024-05-01") / 1e6],
        [us("2099-12-31") / 1e6, us("2101-12-31") / 1e6 + 1],
    ],
)
def test_times_that_may_be_meant(times: list[float]) -> None:
    found = [round(time * SECOND) for time in times]
    assert doubt(found) == doubt(*([time] for time in found)) == doubt() == ""


def test_radii() -> None:
    assert mentions(about_radii([0.2, 0.5, 30]), "metres … 0.5 … kilometres")
    assert about_radii([5, 1]) != "" and about_radii([5, 6, 1]) == "" and about_radii([]) == ""
