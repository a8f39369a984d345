"""Counters of a monitor."""

from __future__ import annotations

from datetime import datetime

from .._dataclass import dataclass
from .._tables.table import Plain
from .._tables.times import from_us
from .enums import StoreStatus


@dataclass(frozen=True, slots=True)
class Statistics(Plain):
    """A monitor's clock, and its counters since the monitor was created.

    Attributes:
        clock_us: The largest time of an input or an advance, in microseconds since 1970-01-01T00:00:00Z, or None before
            the first one.
        input_count: Inputs that were counted, including invalid and late inputs, but not inputs that were refused
            because the queue was full.
        accepted_fixes: Fixes that were evaluated.
        invalid_fixes: Fixes that were refused or ignored because of their coordinates or time, or because they have no
            position.
        late_inputs: Inputs of all kinds that were earlier than the clock.
        accepted_sightings: Scan reports that were evaluated.
        pending_events: Events that wait for delivery.
        handed_out_events: The last sequence number that was delivered.
        condition_count: Conditions.
        ahead_inputs: Inputs of all kinds that were ahead of the clock by more than `max_time_step`.
        store: The state of the store: whether changes are saved. A monitor whose store cannot be written continues in
            memory. The state of the store is reported even for a monitor without conditions, which has no events.
        all_kept: True if everything that was accepted so far is in the store and would survive a loss of power. A
            program that acknowledges its inputs to a broker must wait until `all_kept` is true. Without a store,
            `all_kept` is always False.
        doubted_fixes: Fixes that were ignored because the device cannot have reached them, see `plausible_speed`.

    Example:
        >>> from fencepost import Monitor
        >>> Monitor().statistics().condition_count
        0
    """

    clock_us: int | None
    input_count: int
    accepted_fixes: int
    invalid_fixes: int
    late_inputs: int
    accepted_sightings: int
    pending_events: int
    handed_out_events: int
    condition_count: int
    ahead_inputs: int = 0
    store: StoreStatus = StoreStatus.NONE
    all_kept: bool = False
    doubted_fixes: int = 0

    @property
    def clock(self) -> datetime | None:
        """The largest time of an input or an advance, as an aware datetime in UTC."""
        return from_us(self.clock_us)
