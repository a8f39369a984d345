"""Feeds rows of Arrow data into a fleet."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, NamedTuple

from .._fleet.conditions import Zones
from .._fleet.fleet import Fleet
from .._values.enums import EventOrder
from .._values.results import FeedResult

_MOST_EVENTS = 1_000_000_000


class Trust(NamedTuple):
    """The options of a fleet that decide which fixes count, how certain they are, and the order of events; see
    :class:`Fleet`."""

    plausible_speed: float | None = None
    corroboration_count: int = 3
    corroboration_time: float | timedelta = 60.0
    accuracy_confidence: float = 0.68
    order: EventOrder | str = EventOrder.ADD


def new_fleet(conditions: Zones, trust: Trust) -> Fleet:
    """A fleet in memory whose event queue is large enough for any batch."""
    return Fleet(conditions, max_pending_events=_MOST_EVENTS, **trust._asdict())


def check(conditions: Zones, trust: Trust) -> None:
    """Raises an error if a fleet cannot follow the conditions, for example because one of them is a gate, or if an
    option is out of its range. This check runs on the driver: if a worker raised the error, the user would see it only
    below a long error of Spark."""
    new_fleet(conditions, trust).close()


def feed(fleet: Fleet, rows: Any) -> FeedResult:
    """Feeds the rows of an Arrow batch or table, in order."""
    device = rows["device"]
    if hasattr(device, "combine_chunks"):
        device = device.combine_chunks()
    numbers = {name: rows[name].to_numpy() for name in ("latitude", "longitude", "accuracy", "time")}
    return fleet.feed_many(device=device.dictionary_encode(), **numbers)
