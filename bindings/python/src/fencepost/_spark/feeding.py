"""Feeds rows of Arrow data into a fleet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

from .._errors import warn
from .._fleet.conditions import Zones
from .._fleet.fleet import Fleet
from .._tables.names import ERROR_ELLIPSE, HEIGHTS, like_heights
from .._tables.numbers import listed
from .._values.bands import AltitudeBand
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


def warn_of_heights(conditions: Zones, what: str, found: Iterable[str], names: Sequence[str]) -> None:
    """Warns for each kind of height that the limits of a condition need if the rows have no column of this kind. Such a
    condition does not change its state while a device is inside it on the map.

    Args:
        conditions: The table of the driver. Workers read later tables, so these are not checked.
        what: The name of the argument with the rows.
        found: The kinds of columns that are read.
        names: The names of all columns of the rows.
    """
    have, handle = set(found), conditions._handle
    for identifier in handle.identifiers():
        # A condition that another thread has removed is None.
        band = None if (row := handle.condition(identifier)) is None else AltitudeBand._from_row(row[6])
        if band is None:
            continue
        for kind in band._needs():
            if kind in have:
                continue
            have.add(kind)
            reason = f"no column is read as the {kind} that the band of condition {identifier!r} needs"
            reason += ", so fixes inside it on the map do not change its state"
            if like := like_heights(kind, names, {}):
                reason += f"; the names of these columns do not state a {kind} in metres above the ellipsoid: "
                reason += listed([repr(name) for name in like])
            warn(what, "", f"{reason}; pass the name of the column as {kind}")


def feed(fleet: Fleet, rows: Any) -> FeedResult:
    """Feeds the rows of an Arrow batch or table, in order."""
    device = rows["device"]
    if hasattr(device, "combine_chunks"):
        device = device.combine_chunks()
    numbers = {name: rows[name].to_numpy() for name in ("latitude", "longitude", "accuracy", "time")}
    ellipse = _given(rows, ERROR_ELLIPSE)
    heights = dict(zip(HEIGHTS, _given(rows, HEIGHTS, HEIGHTS[:1]) or ()))
    return fleet.feed_many(device=device.dictionary_encode(), **numbers, error_ellipse=ellipse or None, **heights)


def _given(rows: Any, names: tuple[str, ...], decisive: tuple[str, ...] | None = None) -> tuple[Any, ...]:
    """The columns with these names, or nothing if the rows lack them or if the decisive columns have no value."""
    if names[0] not in rows.schema.names:
        return ()
    # A row of a checkpoint from before the stream had these columns has nulls, which become NaN.
    parts = {name: rows[name].to_numpy(zero_copy_only=False) for name in names}
    empty = all((parts[name] != parts[name]).all() for name in decisive or names)
    return () if empty else tuple(parts.values())
