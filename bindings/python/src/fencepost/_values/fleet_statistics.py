"""Counters of a fleet and of its devices."""

from __future__ import annotations

from datetime import datetime

from .._dataclass import dataclass
from .._tables.table import Plain
from .._tables.times import from_us
from .enums import StoreStatus


@dataclass(frozen=True, slots=True)
class FleetStatistics(Plain):
    """Counters of a fleet since it was created. The counts of inputs are sums over the devices of the fleet.

    Attributes:
        clock_us: The time to which all devices were advanced, in microseconds since 1970-01-01T00:00:00Z, or None
            before the first advance.
        accepted_fixes: Fixes that were evaluated.
        invalid_fixes: Fixes that were refused or ignored because of their coordinates or time, or because they have no
            position.
        late_inputs: Inputs of all kinds that were earlier than their device's clock or than the last advance.
        ahead_inputs: Inputs of all kinds that were ahead of their device's clock by more than `max_time_step`.
        accepted_sightings: Scan reports that were evaluated.
        pending_events: Events that wait for delivery.
        handed_out_events: Events that were delivered.
        device_count: Devices.
        condition_count: The number of conditions in the fleet's table.
        device_bytes: Bytes of memory that the device states use, without their identifiers.
        store: The state of the store: whether changes are saved. A fleet whose store cannot be written continues in
            memory.
        all_kept: True if everything that was accepted so far is in the store and would survive a loss of power. A
            program that acknowledges its inputs to a broker must wait until `all_kept` is true. Without a store,
            `all_kept` is always False.
        doubted_fixes: Fixes that were ignored because their devices cannot have reached them, see `plausible_speed`.

    Example:
        >>> from fencepost import Fleet, Zones
        >>> Fleet(Zones()).statistics().device_count
        0
    """

    clock_us: int | None
    accepted_fixes: int
    invalid_fixes: int
    late_inputs: int
    ahead_inputs: int
    accepted_sightings: int
    pending_events: int
    handed_out_events: int
    device_count: int
    condition_count: int
    device_bytes: int
    store: StoreStatus = StoreStatus.NONE
    all_kept: bool = False
    doubted_fixes: int = 0

    @property
    def clock(self) -> datetime | None:
        """The time to which all devices were advanced, as an aware datetime in UTC."""
        return from_us(self.clock_us)


@dataclass(frozen=True, slots=True)
class DeviceStatistics(Plain):
    """Counters of a device since it was added, and its clock.

    Attributes:
        clock_us: The largest time of an input or an advance, in microseconds since 1970-01-01T00:00:00Z, or None before
            the first one.
        accepted_fixes: Fixes that were evaluated.
        invalid_fixes: Fixes that were refused or ignored because of their coordinates or time, or because they have no
            position.
        late_inputs: Inputs of all kinds that were earlier than the clock or than the last advance.
        ahead_inputs: Inputs of all kinds that were too far ahead of the clock.
        accepted_sightings: Scan reports that were evaluated.
        handed_out_events: The last sequence number that was delivered.
        input_count: Inputs that were counted, including rejected inputs. If a fleet with a store crashes, `input_count`
            is afterwards the number of inputs that the store had saved.
        doubted_fixes: Fixes that were ignored because the device cannot have reached them, see `plausible_speed`.

    Example:
        >>> from fencepost import Fix, Fleet, Zones
        >>> fleet = Fleet(Zones())
        >>> fleet.feed("truck-7", Fix(52.5, 13.4, time=0))
        >>> fleet["truck-7"].statistics().accepted_fixes
        1
    """

    clock_us: int | None
    accepted_fixes: int
    invalid_fixes: int
    late_inputs: int
    ahead_inputs: int
    accepted_sightings: int
    handed_out_events: int
    input_count: int = 0
    doubted_fixes: int = 0

    @property
    def clock(self) -> datetime | None:
        """The largest time of an input or an advance, as an aware datetime in UTC."""
        return from_us(self.clock_us)
