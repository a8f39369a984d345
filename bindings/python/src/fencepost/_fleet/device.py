"""One device of a fleet."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from .._tables.numbers import real
from .._tables.times import from_us, utc_text
from .._values.enums import STATES, State
from .presences import Presence, Presences

if TYPE_CHECKING:
    from .._values.explanation import Explanation
    from .._values.fleet_statistics import DeviceStatistics


class Device:
    """A live view of one device of a fleet: ``fleet["truck-7"]``. Each method reads the current state of the device.

    All methods raise :class:`NotFoundError` after the device has been removed.

    Example:
        >>> from fencepost import Fix, Fleet, Zones
        >>> zones = Zones()
        >>> zones.add_many(["depot"], [52.5], [13.4], [100])
        >>> fleet = Fleet(zones)
        >>> fleet.feed("truck-7", Fix(52.5, 13.4, time=0))
        >>> fleet["truck-7"]
        <fencepost.Device 'truck-7' inside 1 conditions, clock 1970-01-01 00:00:00 UTC>
        >>> fleet["truck-7"].state("depot")
        <State.SATISFIED: 'satisfied'>
    """

    __slots__ = ("_fleet", "_identifier")

    def __init__(self, fleet: Any, identifier: str) -> None:
        self._fleet, self._identifier = fleet, identifier

    @property
    def identifier(self) -> str:
        """The device's identifier."""
        return self._identifier

    def inside(self, identifier: str | None = None) -> Presences:
        """The conditions that the device is inside of, and the beacons near it, in the order in which the conditions
        were added. :meth:`Fleet.inside` returns the same for all devices.

        Args:
            identifier: Identifier of one condition. None selects all conditions.

        Raises:
            NotFoundError: No condition has that identifier, or the device was removed.

        Example:
            >>> from fencepost import Circle, Fix, Fleet
            >>> fleet = Fleet({"depot": Circle(52.5, 13.4, 100), "yard": Circle(52.6, 13.4, 100)})
            >>> fleet.feed("truck-7", Fix(52.5, 13.4, time=0))
            >>> [presence.identifier for presence in fleet["truck-7"].inside()]
            ['depot']
            >>> len(fleet["truck-7"].inside("yard"))
            0
        """
        self._fleet._check_condition(identifier)
        rows = self._fleet._handle.inside(self._identifier)
        found: Presences = self._fleet._presences(
            Presence._from_row(self._identifier, row) for row in rows if identifier in (None, row[0])
        )
        return found

    def state(self, identifier: str) -> State:
        """The observed state of a condition, including changes whose events are still pending. The state of an
        undetermined condition is unknown.

        Raises:
            NotFoundError: No condition has that identifier, or the device was removed.
        """
        number: int = self._fleet._handle.device_state(self._identifier, identifier)
        return STATES[number]

    def explain(self, identifier: str) -> Explanation:
        """Explains why a condition is in its state for this device, and gives the smallest change that would decide the
        state.

        The explanation describes the last fix at which a state could change. The positions of fixes at which no state
        can change are not stored.

        Raises:
            NotFoundError: No condition has that identifier, or the device was removed.

        Example:
            >>> from fencepost import Fix, Fleet, Zones
            >>> zones = Zones()
            >>> zones.add_many(["depot"], [52.5], [13.4], [100])
            >>> fleet = Fleet(zones)
            >>> fleet.feed("truck-7", Fix(52.5, 13.4, time=0))
            >>> fleet["truck-7"].explain("depot").observed
            <State.SATISFIED: 'satisfied'>
        """
        reason, observed, diagnostics, *numbers, doubt, ellipse, height, parts = self._fleet._handle.device_explain(
            self._identifier, identifier
        )
        from .._values.explanation import explanation

        return explanation(identifier, reason, observed, diagnostics, numbers, doubt, ellipse, height, parts)

    def safe_distance(self, latitude: float, longitude: float) -> float:
        """The distance in metres that the device may move from a position before it can cross the boundary of any
        condition: see :meth:`Monitor.safe_distance`.

        Raises:
            InvalidArgumentError: The coordinate is out of range.
            NotFoundError: The device was removed.

        Example:
            >>> from fencepost import Fix, Fleet, Zones
            >>> zones = Zones()
            >>> zones.add_many(["depot"], [52.5], [13.4], [100])
            >>> fleet = Fleet(zones)
            >>> fleet.feed("truck-7", Fix(52.5, 13.4, time=0))
            >>> round(fleet["truck-7"].safe_distance(52.5, 13.4), 3)
            100.0
        """
        found: float = self._fleet._handle.device_safe_distance(
            self._identifier, real(latitude, "latitude"), real(longitude, "longitude")
        )
        return found

    def _plan(self, *plan: Any) -> tuple[Any, ...]:
        found: tuple[Any, ...] = self._fleet._handle.device_plan(self._identifier, plan)
        return found

    @property
    def next_deadline_us(self) -> int | None:
        """The next time at which the device's state can change without an input, in microseconds since
        1970-01-01T00:00:00Z, or None if nothing is due."""
        found: int | None = self._fleet._handle.device_deadline(self._identifier)
        return found

    @property
    def next_deadline(self) -> datetime | None:
        """The next time at which the device's state can change without an input, as an aware datetime in UTC, or None
        if nothing is due."""
        return from_us(self.next_deadline_us)

    @property
    def clock_us(self) -> int | None:
        """The largest time of an input or an advance, in microseconds since 1970-01-01T00:00:00Z, or None before the
        first input or advance."""
        return self.statistics().clock_us

    @property
    def clock(self) -> datetime | None:
        """The largest time of an input or an advance, as an aware datetime in UTC, or None before the first input or
        advance."""
        return from_us(self.clock_us)

    @property
    def position(self) -> tuple[float, float] | None:
        """Latitude and longitude of the last accepted fix, in degrees, to 1e-7 degrees. None if no fix was accepted.

        Stores and exported bytes do not contain the position of a device's last fix. After a device was opened,
        restored or loaded, and until its next fix, `position` is the position of the last fix outside the device's safe
        region.

        Example:
            >>> from fencepost import Fix, Fleet, Zones
            >>> fleet = Fleet(Zones())
            >>> fleet.feed("truck-7", Fix(52.5, 13.4, time=0))
            >>> fleet["truck-7"].position
            (52.5, 13.4)
        """
        found: tuple[float, float] | None = self._fleet._handle.positions(self._identifier)[0][2]
        return found

    def statistics(self) -> DeviceStatistics:
        """The device's counters."""
        from .._values.fleet_statistics import DeviceStatistics

        return DeviceStatistics(*self._fleet._handle.device_statistics(self._identifier))

    def __repr__(self) -> str:
        if self._identifier not in self._fleet:
            return f"<fencepost.Device {self._identifier!r}, removed>"
        return (
            f"<fencepost.Device {self._identifier!r} inside {len(self.inside())} conditions, "
            f"clock {utc_text(self.clock)}>"
        )
