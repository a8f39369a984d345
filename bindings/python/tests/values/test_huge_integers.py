"""Python refuses to print an integer with more than 4300 digits; messages about such a value must not fail on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fencepost import Circle, Fleet, Zones, geodesic
from fencepost.errors import InputError, InvalidArgumentError

HUGE: Any = 10**5000
FEATURE = {
    "type": "Feature",
    "geometry": {"type": "Point", "coordinates": [0, 0]},
    "properties": {"identifier": HUGE, "radius": 100},
}


@pytest.mark.parametrize(
    ("call", "error", "place"),
    [
        (lambda: Fleet(Zones(), name=HUGE), InvalidArgumentError, "name"),
        (lambda: Zones.read("no.csv", radius=HUGE), InvalidArgumentError, "radius"),
        (lambda: Zones.read("no.csv", radius=10**400), InvalidArgumentError, "radius"),
        (lambda: geodesic.circle(0, 0, HUGE), InvalidArgumentError, "radius"),
        (lambda: geodesic.circle(0, HUGE, 5), InvalidArgumentError, "longitude"),
        (lambda: Zones(FEATURE), InputError, "features[0]"),
        (lambda: Zones({HUGE: Circle(0, 0, radius=5)}), TypeError, "conditions"),
        (
            lambda: Fleet(Zones()).feed_many(device=["a", HUGE], latitude=[0, 1], longitude=[0, 1], time=[0, 1]),
            InvalidArgumentError,
            "device, row 1",
        ),
    ],
)
def test_messages_name_the_place(call: Callable[[], Any], error: type[Exception], place: str) -> None:
    with pytest.raises(error) as raised:
        call()
    assert place in str(raised.value)


def test_an_identifier_of_255_digits_is_accepted() -> None:
    feature = FEATURE | {"properties": {"identifier": 10**254, "radius": 100}}
    assert list(Zones(feature)) == [str(10**254)]
