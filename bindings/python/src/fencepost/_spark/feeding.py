"""Feeds rows of Arrow data into a fleet."""

from __future__ import annotations

from typing import Any

from .._fleet.conditions import Zones
from .._fleet.fleet import Fleet
from .._values.results import FeedResult

_MOST_EVENTS = 1_000_000_000


def new_fleet(conditions: Zones) -> Fleet:
    """A fleet in memory whose event queue is large enough for any batch."""
    return Fleet(conditions, max_pending_events=_MOST_EVENTS)


def check(conditions: Zones) -> None:
    """Raises an error if a fleet cannot follow the conditions, for example because one of them is a gate. This check
    runs on the driver: if a worker raised the error, the user would see it only below a long error of Spark."""
    new_fleet(conditions).close()


def feed(fleet: Fleet, rows: Any) -> FeedResult:
    """Feeds the rows of an Arrow batch or table, in order."""
    device = rows["device"]
    if hasattr(device, "combine_chunks"):
        device = device.combine_chunks()
    numbers = {name: rows[name].to_numpy() for name in ("latitude", "longitude", "accuracy", "time")}
    return fleet.feed_many(device=device.dictionary_encode(), **numbers)
