"""Python refuses to print an integer with more than 4300 digits; messages about such a value must not fail on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fencepost import Circle, Fleet, Zones

HUGE: Any = 10**5000
FEATURE = {
    "type": "Feature",
    "geometry": {"type": "Point", "coordinates": [0, 0]},
    "properties": {"identifier": HUGE, "radius": 100},
}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Fleet(Zones(), name=HUGE), "name is of type int but store is None"),
        (lambda: Zones(FEATURE), "identifier: must be a string"),
        (lambda: Zones({HUGE: Circle(0, 0, radius=5)}), "the identifier of type int must be str"),
        (
            lambda: Fleet(Zones()).feed_many(device=["a", HUGE], latitude=[0, 1], longitude=[0, 1], time=[0, 1]),
            "device, row 1: of type int is int, expected str",
        ),
    ],
)
def test_messages_name_the_type(call: Callable[[], Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        call()


def test_an_identifier_of_255_digits_is_accepted() -> None:
    feature = FEATURE | {"properties": {"identifier": 10**254, "radius": 100}}
    assert list(Zones(feature)) == [str(10**254)]
