"""The fleet."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from .._errors import require
from .._monitor.events import EventSource
from .._monitor.monitor import directory, time_step
from .._monitor.snapshots import Closable, snapshot_bytes
from .._native import Fleet as Handle, InvalidArgumentError, NotFoundError
from .._tables.html import SHOWN, table
from .._tables.numbers import integer, shown
from .._tables.times import Time, from_us, seconds_to_us, to_us, utc_text
from .._values.arguments import has_options, member, path_row, plausibility_row, share, truth
from .._values.enums import (
    DELIVERIES,
    DURABILITIES,
    ORDERS,
    STORE_STATUSES,
    Delivery,
    DevicePath,
    Durability,
    EventOrder,
)
from .conditions import Zones
from .device import Device
from .device_events import DeviceEvent, DeviceEventList, DeviceEvents, DeviceUpdates
from .inputs import FleetInputs
from .presences import Presence, PresenceColumns, Presences

if TYPE_CHECKING:
    from typing import Self

    from geopandas import GeoDataFrame  # type: ignore[import-untyped]
    from typing_extensions import Buffer

    from .._files.sources import ConditionsSource
    from .._values.enums import State
    from .._values.fleet_statistics import FleetStatistics
    from .._values.policy import TransitionPolicy


def _integers(code: str, *columns: bytes) -> Iterator[memoryview[int]]:
    """Converts bytes to columns of 64-bit integers."""
    return (memoryview(column).cast(code) for column in columns)  # type: ignore[call-overload]


class Fleet(FleetInputs, EventSource[DeviceEvent, DeviceEventList], Closable):
    """A set of very many devices that share one table of conditions.

    A fleet gives exactly the events that one monitor for each device would give, interleaved in the order of the
    inputs. The monitors to which a fleet is compared here exist before the first condition is added, have the fleet's
    conditions, and have the fleet's `delivery`, no condition limit and ``initial_fix_max_age=None``. The events of one
    :meth:`advance` come in the order of their deadlines. A device takes about 200 bytes of memory. Processing a
    device's first fix takes no longer than one query of the index; the same is true for the first fix after a million
    conditions were added.

    A device is identified by a string, and is added by its first input. A fleet is a mapping of identifiers to
    :class:`Device`, and supports ``len``, ``in``, iteration, ``fleet["truck-7"]`` and ``del``. Several threads may use
    a fleet, but the order of the events is useful only if there is one consumer at a time. A fleet with a `store` is
    persistent; a fleet without a `store` exists only in memory. When a ``with`` statement ends, it closes the fleet.

    Args:
        conditions: A table, which several fleets may share, for example one fleet in each thread. If `conditions` is
            anything else that :class:`Zones` accepts, the options from `policy` to `transform` apply to these
            conditions. None means an empty table. The conditions that are passed replace the conditions in the store; a
            condition that is the same in both keeps its state.
        policy: The policy for conditions that do not have their own, or the name of a preset. None means ``standard``.
        assuming: Initial state of conditions that have no assumed state of their own. None means unsatisfied.
        radius: Radius, in metres, for circles that do not state one.
        columns: Names of the columns or properties for identifier, latitude, longitude, radius, assuming and policy, if
            the library does not recognise these names.
        layer: Layer of a vector file. None selects the first layer.
        max_vertices: The limit on the number of vertices of each shape from a source, at most 1,000,000; None means
            500,000. The count includes the vertices of all parts and holes, and the vertices that are added where
            planar edges are cut. `max_vertices` applies only to conditions that are read from a source.
        transform: True to transform a source in another CRS to WGS84. If False, a source in another CRS is refused.
        max_pending_events: The size of the queue, 1 to 1e9. Inputs are refused while `max_pending_events` events are
            pending.
        device_limit: The largest number of devices. None means 67 108 863.
        beacon_exit_timeout: Seconds, above 0: a beacon counts as gone when it has not been sighted for this long.
        beacon_initial_timeout: Time without a sighting after which a beacon condition that starts undetermined becomes
            unsatisfied, in seconds, above 0.
        max_time_step: Seconds, above 0. An input is refused and counted if it is ahead of its device's clock by more
            than `max_time_step` and, if an arrival time is set, also ahead of the arrival time by more than
            `max_time_step`. `max_time_step` limits an :meth:`advance` of all devices in the same way. None means no
            limit.
        store: An existing directory, in which the store is the file ``<name>.fencepost``. If the file exists, the fleet
            continues from it; otherwise a new store is created. The store also contains the table: if `conditions` is
            an empty table, this table receives the saved conditions. If `store` is None, the fleet is in memory.
        name: Name of a fleet with a store: 1 to 64 letters, digits or underscores.
        durability: When changes become durable. Without a `store`, `durability` has no effect. After a crash, each
            device has the state that it had after its first n inputs; n is the device's
            :attr:`DeviceStatistics.input_count`.
        checkpoint_interval: Seconds of event time, above 0, for :attr:`Durability.RELAXED`. The fleet is saved when the
            largest clock of its devices, or the average clock of the devices with inputs, has advanced by this interval
            since the last save. The fleet is also saved when the clock of a single device has advanced by 16 times
            `checkpoint_interval`. Refused inputs do not count towards the interval. A change to the table is saved with
            the next save.
        path: How each device is assumed to move between its fixes. With ``geodesic``, a device that drives through a
            circle between two fixes gives events for entering and leaving the circle, with times to the microsecond.
            With ``geodesic``, crossings of gates are reported as events. While a fleet over a table has no path, the
            table refuses gates.
        max_gap: Seconds, above 0; required with the path ``geodesic``, and allowed only with it. If the time between
            two fixes of a device is longer than `max_gap`, the path between the fixes is unknown, and the device's next
            event has :attr:`Event.follows_gap`.
        max_speed: Metres per second, above 0; allowed only with the path ``geodesic``. If two fixes imply a higher
            speed, the path between them is unknown, as after a gap longer than `max_gap`. None means no limit.
        plausible_speed: The greatest plausible speed of a device, in metres per second, above 0; None means any
            speed. A fix is doubted if it is farther from the last accepted fix than this speed and the two accuracies
            (each at most 5 km) allow. A doubted fix is counted and changes nothing, not even the clock.
        corroboration_count: The number of doubted fixes in a row, from 2 to 1,000, that are trusted if each is
            plausible after the one before. The last of them is applied.
        corroboration_time: The least time between the first and the last of these fixes, in seconds, from 0 to 1e9.
        delivery: Which changes are delivered if a condition has several pending changes of one device. With ``first``
            or ``latest``, each condition of a device has at most one event that is pending or not acknowledged. Gates
            need ``every``. For a stored fleet, `delivery` must equal the stored value.
        accuracy_confidence: The share of the true positions within the accuracy of a fix, 0.01 to 0.9999. Android
            reports the accuracy of 0.68, which is the default; gpsd reports 0.95. Only policies with an
            ``entry_probability`` depend on it.
        order: The order of the events of one device at one instant. With ``exits_first``, a device leaves its old zone
            before it enters a new one, even if one fix decides both.
        threads: The number of threads among which :meth:`feed_many` divides the devices, 1 to 256. The events and their
            order are the same as with one thread. Several threads help with batches that have many rows of each device.
            With several threads, each device takes about 200 additional bytes. With several threads, the queue is
            checked only once every 262 144 rows, so more events than `max_pending_events` can be pending. A store,
            snapshots, and the deliveries ``first`` and ``latest`` are not available with several threads.

    Raises:
        InvalidArgumentError: An option is out of its range, a store has no name or belongs to a monitor, or a `name` is
            given without a `store`.
        InputError: `conditions` cannot be used as a source of conditions. Conditions are checked before a store is
            opened.
        TableMismatchError: `conditions` is not a version of the table in the store.
        MonitorInUseError: The store is open, in this or another process.
        StoreUnavailableError: The store cannot be opened: the directory does not exist, access is denied, or the disk
            is full.
        StoreCorruptError: The store's file is damaged. The library does not change a damaged file.
        StoreTooNewError: The store's file was written by a newer version of the library.

    Example:
        >>> from fencepost import Circle, Fix, Zones
        >>> zones = Zones()
        >>> zones.add(Circle(52.5, 13.4, radius=100), "depot", policy="exact")
        >>> fleet = Fleet(zones)
        >>> fleet.feed("truck-7", Fix(52.5, 13.4, time=0))
        >>> fleet.feed("truck-8", Fix(52.6, 13.4, time=0))
        >>> [(event.device, event.identifier) for event in fleet.events()]
        [('truck-7', 'depot')]
        >>> len(fleet), list(fleet), fleet["truck-8"].state("depot")
        (2, ['truck-7', 'truck-8'], <State.UNSATISFIED: 'unsatisfied'>)
    """

    __slots__ = ("__weakref__", "_conditions", "_doubts", "_handle", "_max_gap_us")
    _handle: Any
    _max_gap_us: int | None
    _doubts: bool
    _event_of = staticmethod(DeviceEvent._from_row)
    _list = DeviceEventList

    def __init__(
        self,
        conditions: Zones | ConditionsSource | None = None,
        *,
        policy: TransitionPolicy | str | None = None,
        assuming: State | str | None = None,
        radius: float | None = None,
        columns: Mapping[str, str] | None = None,
        layer: str | None = None,
        max_vertices: int | None = None,
        transform: bool = False,
        max_pending_events: int = 1_000_000,
        device_limit: int | None = None,
        beacon_exit_timeout: float | timedelta = 30.0,
        beacon_initial_timeout: float | timedelta = 30.0,
        max_time_step: float | timedelta | None = None,
        store: str | os.PathLike[str] | None = None,
        name: str | None = None,
        durability: Durability | str = Durability.CHANGES,
        checkpoint_interval: float | timedelta = 60.0,
        path: DevicePath | str = DevicePath.FIXES,
        max_gap: float | timedelta | None = None,
        max_speed: float | None = None,
        plausible_speed: float | None = None,
        corroboration_count: int = 3,
        corroboration_time: float | timedelta = 60.0,
        delivery: Delivery | str = Delivery.EVERY,
        accuracy_confidence: float = 0.68,
        order: EventOrder | str = EventOrder.ADD,
        threads: int = 1,
    ) -> None:
        source, options = None, (policy, assuming, radius, columns, layer, max_vertices, transform)
        if conditions is None and not has_options(options):
            conditions = Zones()
        if not isinstance(conditions, Zones) or has_options(options):
            from .._monitor.filling import Source

            source = Source(conditions, Zones._assumed, *options)
            conditions = Zones()
        self._conditions = conditions
        limits = (
            integer(max_pending_events, "max_pending_events", 1, 1_000_000_000),
            0 if device_limit is None else integer(device_limit, "device_limit", 1),
        )
        timeouts = (
            seconds_to_us(beacon_exit_timeout, "beacon_exit_timeout"),
            seconds_to_us(beacon_initial_timeout, "beacon_initial_timeout"),
            0 if max_time_step is None else time_step(max_time_step),
        )
        path_options = path_row(path, max_gap, max_speed)
        plausible = plausibility_row(plausible_speed, corroboration_count, corroboration_time)
        confidence = share(accuracy_confidence)
        turn = ORDERS.index(member(EventOrder, order, "order"))
        self._max_gap_us = path_options[1] or None
        self._doubts = plausible_speed is not None
        self._has_inputs = False
        count = integer(threads, "threads", 1, 256)
        chosen = DELIVERIES.index(member(Delivery, delivery, "delivery"))
        if count > 1:
            if chosen != 0:
                raise InvalidArgumentError(
                    f"threads is {count}: a fleet with delivery {DELIVERIES[chosen]} can have only one thread"
                )
            if store is not None or name is not None:
                raise InvalidArgumentError(
                    f"threads is {count}: a fleet with a store can have only one thread, because the store is one file"
                )
            from .shards import Shards

            movement = (*path_options, *plausible)
            self._handle = Shards(conditions._handle, *limits, timeouts, movement, (confidence, turn), count)
            if source is not None:
                source.put_into(conditions)
            return
        if name is not None and store is None:
            raise InvalidArgumentError(f"name is {shown(name)} but store is None: pass a folder as store, or no name")
        self._handle = Handle(
            conditions._handle,
            *limits,
            *timeouts,
            name,
            None if store is None else directory(store, name),
            DURABILITIES.index(member(Durability, durability, "durability")),
            seconds_to_us(checkpoint_interval, "checkpoint_interval"),
            path_options[0],
            path_options[1],
            path_options[2],
            plausible[0],
            plausible[1],
            plausible[2],
            chosen,
            confidence,
            turn,
        )
        if source is not None:
            try:
                source.put_into(conditions)
            except BaseException:
                self._handle.close()
                raise

    # --------------------------------------------------------------------------------------- devices

    @property
    def conditions(self) -> Zones:
        """The fleet's table of conditions."""
        return self._conditions

    @property
    def devices(self) -> list[str]:
        """The identifiers of all devices, in the order of their numbers. A new device gets the number of a removed
        device, if one is free, and otherwise the next number."""
        found: list[str] = self._handle.devices()
        return found

    def __len__(self) -> int:
        return self.statistics().device_count

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[str]:
        """Iterates over the identifiers of the devices."""
        return iter(self.devices)

    def __contains__(self, device: object) -> bool:
        if not isinstance(device, str):
            return False
        try:
            found: bool = self._handle.has_device(device)
        except InvalidArgumentError:
            return False
        return found

    def __getitem__(self, device: str) -> Device:
        """A view of one device.

        Raises:
            NotFoundError: No device has that identifier. A :class:`NotFoundError` is also a ``KeyError``.

        Example:
            >>> from fencepost import Fix, Zones
            >>> fleet = Fleet(Zones())
            >>> fleet.feed("truck-7", Fix(52.5, 13.4, time=1_000_000))
            >>> fleet["truck-7"].clock_us
            1000000
        """
        if device not in self:
            raise NotFoundError(f"no device has the identifier {shown(device)}")
        return Device(self, device)

    def __delitem__(self, device: str) -> None:
        """Removes a device. The pending events of the removed device are still delivered. The removal does not produce
        an event. A later input with the same identifier adds a new device.

        Raises:
            NotFoundError: No device has that identifier. A :class:`NotFoundError` is also a ``KeyError``.
        """
        if not self.remove_device(device):
            raise NotFoundError(f"no device has the identifier {shown(device)}")

    def remove_device(self, device: str, *, drop_events: bool = False) -> bool:
        """Removes a device, as ``del`` does.

        Args:
            device: The device's identifier.
            drop_events: True to drop the device's pending events. If False, the pending events are still delivered.

        Returns:
            True if the device existed.

        Example:
            >>> from fencepost import Fix, Zones
            >>> fleet = Fleet(Zones())
            >>> fleet.feed("truck-7", Fix(52.5, 13.4, time=0))
            >>> fleet.remove_device("truck-7"), fleet.remove_device("truck-7")
            (True, False)
        """
        found: bool = self._handle.remove_device(device, truth(drop_events, "drop_events"))
        return found

    def expire(self, *, before: Time | None = None, arrived_before: Time | None = None) -> list[str]:
        """Removes the devices whose last input is earlier than a time. Pending events of the removed devices are still
        delivered.

        Args:
            before: A device is removed if the latest time of its own inputs is earlier than this.
            arrived_before: A device is removed if its last accepted input arrived earlier than this time. Arrival times
                are set with :meth:`set_arrival_time`. The times in the inputs do not matter, so wrong device clocks
                have no effect. If a device has no accepted input, the time at which the device was created is compared
                instead. Pass either `arrived_before` or `before`.

        Returns:
            The identifiers of the removed devices.

        Raises:
            InvalidArgumentError: `arrived_before` was passed, but no arrival time was set.

        Example:
            >>> from fencepost import Fix, Zones
            >>> fleet = Fleet(Zones())
            >>> fleet.feed("truck-7", Fix(52.5, 13.4, time=0))
            >>> fleet.feed("truck-8", Fix(52.5, 13.4, time=60_000_000))
            >>> fleet.expire(before=60_000_000)
            ['truck-7']
        """
        found: list[str]
        if before is not None and arrived_before is None:
            found = self._handle.expire(to_us(before, "before"))
        elif arrived_before is not None and before is None:
            found = self._handle.expire_by_arrival(to_us(arrived_before, "arrived_before"))
        else:
            raise TypeError("pass either before or arrived_before, not both")
        return found

    def inside(self, identifier: str | None = None) -> Presences:
        """A table with one row for each pair of a device and a condition that the device is inside of.
        :meth:`Presences.to_geopandas` converts the table for GeoPandas.

        Args:
            identifier: Identifier of one condition. None selects all conditions.

        Raises:
            NotFoundError: No condition has that identifier.

        Example:
            >>> from fencepost import Zones
            >>> zones = Zones()
            >>> zones.add_many(["depot", "yard"], [52.5, 52.6], [13.4, 13.4], [100, 100])
            >>> fleet = Fleet(zones)
            >>> _ = fleet.feed_many(device=["a", "b"], latitude=[52.5, 52.6], longitude=[13.4, 13.4], time=[0, 0])
            >>> [presence.device for presence in fleet.inside("yard")]
            ['b']
        """
        self._check_condition(identifier)
        devices, generations, tags, since, evidence = self._handle.devices_inside(identifier)
        columns = PresenceColumns(devices, [], *_integers("q", since, evidence), *_integers("Q", tags, generations))
        if identifier is not None:
            names: list[str | None] = [identifier] * len(devices)
        else:
            distinct = list(dict.fromkeys(columns.generations))
            named = dict(zip(distinct, self._conditions._handle.identifiers_of(array("Q", distinct))))
            names = [named[generation] for generation in columns.generations]
        # The result is None if another thread has removed the condition in the meantime.
        return Presences._of_columns(columns.named(names), self._conditions)  # type: ignore[arg-type]

    def _check_condition(self, identifier: str | None) -> None:
        if identifier is not None and identifier not in self._conditions:
            raise NotFoundError(f"no condition has the identifier {shown(identifier)}")

    def _presences(self, found: Iterable[Presence]) -> Presences:
        return Presences(found, self._conditions)  # type: ignore[arg-type]

    def to_geopandas(self) -> GeoDataFrame:
        """The positions of all devices: one row for each device, with its clock and its :attr:`Device.position` as a
        point in EPSG:4326. A device without a fix has the geometry None. The call ``fleet.inside().to_geopandas()``
        returns the conditions that the devices are inside of.

        Raises:
            MissingExtraError: GeoPandas is not installed.
        """
        geopandas, pandas = require("geopandas", "geo"), require("pandas", "geo")
        found = self._handle.positions(None)
        places = [place or (float("nan"), float("nan")) for _, _, place in found]
        points = geopandas.points_from_xy([place[1] for place in places], [place[0] for place in places])
        is_known = [place is not None for _, _, place in found]
        geometry = geopandas.GeoSeries(points, crs="EPSG:4326").where(is_known, None)
        times = pandas.Series([time for _, time, _ in found], dtype="Int64")
        return geopandas.GeoDataFrame(
            {
                "device": pandas.Series([device for device, _, _ in found], dtype="object"),
                "clock": pandas.to_datetime(times, unit="us", utc=True),
            },
            geometry=geometry,
            crs="EPSG:4326",
        )

    # ----------------------------------------------------------------------------- keyed state elsewhere

    def export(self, devices: Iterable[str] | None = None, *, portable: bool = False) -> list[bytes]:
        """Exports devices as bytes, to be stored elsewhere or moved to another fleet by :meth:`load`. The exported
        devices stay in this fleet.

        Pending events are not exported, but their sequence numbers are not used again: after a device has been loaded
        elsewhere, the sequence number of its next event follows the numbers of its pending events. In a fleet with
        several `threads`, events that became void while they were pending also use up sequence numbers, so the next
        sequence number may be larger than with one thread, but never smaller.

        Args:
            devices: The identifiers of the devices to export. None selects all of :attr:`devices`.
            portable: True if fleets with another version of the table must be able to load the bytes, with ``adapt``.
                Portable bytes are 16 bytes longer for each condition that a device is inside of or about to cross.

        Raises:
            NotFoundError: No device has that identifier.

        Example:
            >>> from fencepost import Fix, Zones
            >>> zones = Zones()
            >>> here, there = Fleet(zones), Fleet(zones)
            >>> here.feed("truck-7", Fix(52.5, 13.4, time=0))
            >>> there.load({"truck-7": here.export(["truck-7"])[0]})
            >>> there.devices
            ['truck-7']
        """
        if isinstance(devices, str):
            raise TypeError("devices must be a collection of identifiers, not a single one")
        chosen = tuple(self.devices if devices is None else devices)
        found: list[bytes] = self._handle.export(chosen, truth(portable, "portable"))
        return found

    def load(self, devices: Mapping[str, bytes], *, adapt: bool = False) -> None:
        """Adds devices that were exported. Each device continues with the state that it had when it was exported. If
        one device is refused, no device is added.

        Args:
            devices: The exported bytes of each device, with the device's identifier as the key. The bytes may come from
                an untrusted source. No device of the fleet may have one of these identifiers.
            adapt: True to accept bytes that were exported with ``portable`` from a fleet with another version of the
                table. If the current table has a condition with the same identifier and definition, a device that was
                inside of the condition stays inside, and a started crossing of the condition continues. The device is
                outside of conditions that are new or changed in the current table.

        Raises:
            SnapshotInvalidError: The bytes are not a device, are damaged, or come from a newer version of the library.
            TableMismatchError: The bytes were exported with another version of the table.
            InvalidArgumentError: An identifier is invalid or in use.
        """
        if not isinstance(devices, Mapping):
            raise TypeError(f"devices must be a mapping of identifiers to bytes, not {type(devices).__name__}")
        pairs = [(device, bytes(snapshot_bytes(data, "the bytes of a device"))) for device, data in devices.items()]
        self._handle.load(tuple(device for device, _ in pairs), tuple(data for _, data in pairs), truth(adapt, "adapt"))

    # ---------------------------------------------------------------------------------------- events

    def events(self) -> DeviceEvents:
        """Returns the pending events for a loop. A request for the next event acknowledges the previous event. If a
        loop is left early, the last event of the loop is delivered again.

        Example:
            >>> from fencepost import Fix, Zones
            >>> zones = Zones()
            >>> zones.add_many(["depot"], [52.5], [13.4], [100])
            >>> fleet = Fleet(zones)
            >>> fleet.feed("truck-7", Fix(52.5, 13.4, time=0))
            >>> [(event.device, event.sequence) for event in fleet.events()]
            [('truck-7', 1)]
        """
        return DeviceEvents(self)

    def updates(self) -> DeviceUpdates:
        """Returns the events as they become available, for ``async for``, like :meth:`Monitor.updates`. :meth:`close`
        ends the iteration.

        Raises:
            ConsumerAlreadyActiveError: Raised on iteration if there is another consumer.

        Example:
            >>> import asyncio
            >>> from fencepost import Fix, Zones
            >>> async def first(fleet: Fleet) -> str:
            ...     async for event in fleet.updates():
            ...         return event.device
            >>> zones = Zones()
            >>> zones.add_many(["depot"], [52.5], [13.4], [100])
            >>> fleet = Fleet(zones)
            >>> fleet.feed("truck-7", Fix(52.5, 13.4, time=0))
            >>> asyncio.run(first(fleet))
            'truck-7'
        """
        return DeviceUpdates(self._handle)

    # --------------------------------------------------------------------------------------- itself

    @property
    def next_deadline_us(self) -> int | None:
        """The earliest time at which the state of any device can change without an input. When this time has come, pass
        it to :meth:`advance`. The time is in microseconds since 1970-01-01T00:00:00Z; it is None if nothing is due."""
        found: int | None = self._handle.next_deadline()
        return found

    @property
    def next_deadline(self) -> datetime | None:
        """The time of :attr:`next_deadline_us` as an aware datetime in UTC."""
        return from_us(self.next_deadline_us)

    @property
    def clock_us(self) -> int | None:
        """The time to which all devices were last advanced, in microseconds since 1970-01-01T00:00:00Z, or None before
        the first :meth:`advance`."""
        found: int | None = self._handle.statistics()[0]
        return found

    @property
    def clock(self) -> datetime | None:
        """The time to which all devices were last advanced, as an aware datetime in UTC, or None before the first
        :meth:`advance`."""
        return from_us(self.clock_us)

    def statistics(self) -> FleetStatistics:
        """The sums of all devices' counters, and the fleet's clock.

        Example:
            >>> from fencepost import Fix, Zones
            >>> fleet = Fleet(Zones())
            >>> fleet.feed("truck-7", Fix(52.5, 13.4, time=0))
            >>> fleet.statistics().accepted_fixes
            1
        """
        from .._values.fleet_statistics import FleetStatistics

        values = self._handle.statistics()
        fields: tuple[Any, ...] = (*values[:-3], STORE_STATUSES[values[-3]], *values[-2:])
        return FleetStatistics(*fields)

    def checkpoint(self) -> None:
        """Saves everything that is not saved yet, so that the store contains the state after all inputs of all devices.
        Does nothing if the fleet has no store.

        Raises:
            StoreUnavailableError: Saving failed. The fleet continues in memory, and a later call tries to save again.

        Example:
            >>> from fencepost import Zones
            >>> Fleet(Zones()).checkpoint()  # in memory: nothing to save
        """
        self._handle.checkpoint()

    def close(self) -> None:
        """Saves everything and closes the store, so that the store can be opened again. Ends the iteration over
        :meth:`updates`. Closing the fleet again does nothing.

        After a fleet with a store was closed, feeding an input and adding or removing a device raise
        :class:`MonitorClosedError`. Inputs that other threads fed before the fleet was closed are saved. A fleet in
        memory has nothing to close and continues to work.

        Raises:
            StoreUnavailableError: Some changes could not be saved. The store is closed even if this error is raised.

        Example:
            >>> import tempfile
            >>> from fencepost import Fix, Zones
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     zones = Zones()
            ...     zones.add_many(["depot"], [52.5], [13.4], [100])
            ...     with Fleet(zones, store=folder, name="trucks") as fleet:
            ...         fleet.feed("truck-7", Fix(52.5, 13.4, time=0))
            ...     with Fleet(Zones(), store=folder, name="trucks") as fleet:
            ...         print(fleet["truck-7"].inside()[0].identifier, [event.sequence for event in fleet.events()])
            depot [1]
        """
        self._handle.end_updates()
        self._handle.close()

    def snapshot(self) -> bytes:
        """The whole fleet as bytes, for :meth:`restore`: the table, the devices, and all events that are not
        acknowledged. The bytes are the same on every platform, with or without a store. Pickling and copying use the
        snapshot.

        Example:
            >>> from fencepost import Fix, Zones
            >>> fleet = Fleet(Zones())
            >>> fleet.feed("truck-7", Fix(52.5, 13.4, time=0))
            >>> Fleet.restore(fleet.snapshot()).devices
            ['truck-7']
        """
        found: bytes = self._handle.snapshot()
        return found

    @classmethod
    def restore(cls, snapshot: Buffer) -> Self:
        """Restores a fleet in memory from a snapshot. The new fleet has its own table. Unacknowledged events are
        delivered again.

        Args:
            snapshot: The bytes of a snapshot. The bytes may come from an untrusted source.

        Raises:
            SnapshotInvalidError: The bytes are not a snapshot, are damaged, or come from a newer version of the
                library.
        """
        fleet = cls.__new__(cls)
        fleet._handle = Handle.restore(snapshot_bytes(snapshot))
        fleet._conditions = Zones._of(fleet._handle.conditions())
        fleet._doubts, fleet._has_inputs = True, False
        fleet._max_gap_us = None  # the library does not return the options in a snapshot, so this option is unknown
        return fleet

    def fork(self) -> Self:
        """An independent copy in memory, with the same devices, states, counters, clocks and pending events. The copy
        and the original share the table.

        The copy is in the same state as after a crash: it delivers unacknowledged events again, with the same sequence
        numbers. The original fleet does not change. A fleet with several threads does not support forks.

        Example:
            >>> from fencepost import Fix, Zones
            >>> fleet = Fleet(Zones())
            >>> fleet.feed("truck-7", Fix(52.5, 13.4, time=0))
            >>> fork = fleet.fork()
            >>> fork.feed("truck-8", Fix(52.5, 13.4, time=0))
            >>> list(fleet), list(fork), fork.conditions is fleet.conditions
            (['truck-7'], ['truck-7', 'truck-8'], True)
        """
        fleet = type(self).__new__(type(self))
        fleet._handle, fleet._conditions, fleet._max_gap_us = self._handle.fork(), self._conditions, self._max_gap_us
        fleet._doubts, fleet._has_inputs = self._doubts, self._has_inputs
        return fleet

    def __repr__(self) -> str:
        counters = self.statistics()
        return (
            f"<fencepost.Fleet {counters.device_count} devices, {counters.condition_count} conditions, "
            f"{counters.pending_events} pending events, clock {utc_text(counters.clock)}>"
        )

    def _repr_html_(self) -> str:
        first = [Device(self, identifier) for identifier in self.devices[:SHOWN]]
        rows = [
            (one.identifier, one.clock, ", ".join(each.identifier for each in one.inside()), one.next_deadline)
            for one in first
            if one.identifier in self
        ]
        return table(repr(self).strip("<>"), ("device", "clock", "inside", "next_deadline"), rows, len(self))


Mapping.register(Fleet)
