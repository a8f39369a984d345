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
from .._values.arguments import has_options, member, truth
from .._values.enums import DURABILITIES, STORE_STATUSES, Durability
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
    """Columns of 64-bit integers in bytes."""
    return (memoryview(column).cast(code) for column in columns)  # type: ignore[call-overload]


class Fleet(FleetInputs, EventSource[DeviceEvent, DeviceEventList], Closable):
    """Very many devices over one table of conditions.

    A fleet gives exactly the events of as many monitors with the same conditions, each made before the first
    condition, with delivery ``every``, no condition limit, no path and ``initial_fix_max_age=None``, interleaved in
    the order of input. The events of one :meth:`advance` come in the order of their deadlines. A device costs about 200
    bytes, and neither its first fix nor a million conditions that were added meanwhile cost more than a look at the
    index.

    Devices are named by texts and are entered by their first input. A mapping of these to :class:`Device`: ``len``,
    ``in``, iteration, ``fleet["truck-7"]``, ``del``. A fleet may be used from several threads; one consumer at a time
    gets a sensible order of events. It is in memory, or with `store` one that lasts. A context manager, closed at its
    end.

    Args:
        conditions: A table: several fleets may be over one, for example one in each thread. Or what :class:`Zones`
            takes, with the options below; None: an empty table. With a store the table that was kept becomes these
            conditions: equal ones go on.
        policy: Of conditions that have none of their own; a preset's name will do; None: ``standard``.
        assuming: State with which conditions begin that say none; None: unsatisfied.
        radius: Metres, of circles that have none.
        columns: Names of the conditions' columns or properties for identifier, latitude, longitude, radius, assuming,
            policy where they are not recognised.
        layer: Of a vector file; None: the first.
        transform: Whether a source in another CRS is transformed to WGS84; otherwise it is refused.
        max_pending_events: 1 to 1e9; while that many events wait, inputs are refused.
        device_limit: How many devices there may be; None: 67 108 863.
        beacon_exit_timeout: Seconds, above 0: silence after which a beacon is gone.
        beacon_initial_timeout: Seconds, above 0: silence after which a beacon was never there.
        max_time_step: Seconds, above 0: an input that is later by more than its device's clock, and than the arrival
            time where one is set, is refused and counted, and so is an :meth:`advance` of all; None: none is.
        store: A directory, which must exist. The fleet of that name there continues where it was, or begins; its file
            is ``<name>.fencepost``, and keeps the table too: an empty one becomes the one that was kept. None: in
            memory.
        name: Of a fleet with a store: 1 to 64 letters, digits or underscores.
        durability: When changes are made to last; without a store of no effect. After a crash each device is in the
            state after some prefix of its own inputs, which :attr:`DeviceStatistics.input_count` tells.
        checkpoint_interval: Seconds of event time, above 0, for :attr:`Durability.RELAXED`: all is saved when the
            largest clock of the devices went forward by so much since the last save, or the devices that were heard
            did on average, each by its own clock, or any one of them by sixteen times as much. Inputs that are refused
            do not count; a change of the table is kept with the next save.
        threads: 1 to 256: how many threads :meth:`feed_many` shares the devices out to. The events are those of one
            thread, in their order; worth it for batches with many rows of each device. Each device then costs about 200
            bytes more; the queue is looked at every 262 144 rows, so that the rows before may bring more events
            than `max_pending_events`; and there is neither a store nor a snapshot.

    Raises:
        InvalidArgumentError: An option is out of its range; a store without a name, or that of a monitor.
        InputError: `conditions` cannot be used as a source; nothing was opened.
        TableMismatchError: The table is not a version of the saved one.
        MonitorInUseError: It is open, in this or another process.
        StoreUnavailableError: No such directory, no permission, disk full ...
        StoreCorruptError: The file is damaged; it was left as it is.
        StoreTooNewError: The file comes from a newer version.

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

    __slots__ = ("__weakref__", "_conditions", "_handle")
    _handle: Any
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
        threads: int = 1,
    ) -> None:
        source, options = None, (policy, assuming, radius, columns, layer, transform)
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
        count = integer(threads, "threads", 1, 256)
        if count > 1:
            if store is not None or name is not None:
                raise InvalidArgumentError(f"threads is {count}: a fleet with a store has one, for it is one file")
            from .shards import Shards

            self._handle = Shards(conditions._handle, *limits, timeouts, count)
            if source is not None:
                source.put_into(conditions)
            return
        self._handle = Handle(
            conditions._handle,
            *limits,
            *timeouts,
            name,
            None if store is None else directory(store),
            DURABILITIES.index(member(Durability, durability, "durability")),
            seconds_to_us(checkpoint_interval, "checkpoint_interval"),
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
        """The table that it is over."""
        return self._conditions

    @property
    def devices(self) -> list[str]:
        """The identifiers of all devices, in the order of their numbers: that in which they were entered, but that the
        number of one that was removed is used again."""
        found: list[str] = self._handle.devices()
        return found

    def __len__(self) -> int:
        return self.statistics().device_count

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[str]:
        """Goes through the identifiers of the devices."""
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
        """Returns a view of one device.

        Raises:
            NotFoundError: There is no device of that identifier (a ``KeyError``).

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
        """Removes a device; its events that wait are still handed out. No event is invented. One that is entered under
        its identifier is a new device.

        Raises:
            NotFoundError: There is no device of that identifier (a ``KeyError``).
        """
        if not self.remove_device(device):
            raise NotFoundError(f"no device has the identifier {shown(device)}")

    def remove_device(self, device: str, *, drop_events: bool = False) -> bool:
        """Removes a device, as ``del`` does.

        Args:
            device: Its identifier.
            drop_events: Whether its events that wait are dropped; otherwise they are still handed out.

        Returns:
            Whether there was one.

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
        """Removes the devices that were heard, and not since a time. Their events that wait are still handed out.

        Args:
            before: A device goes when the last time of its own inputs is earlier.
            arrived_before: A device goes when its last accepted input arrived earlier, by :meth:`set_arrival_time`,
                whatever date the input has: also a device whose clock is wrong, and not one whose clock is years
                behind. A device without any accepted input counts from the time at which it was created. Give one of
                both.

        Returns:
            The identifiers of the removed devices.

        Raises:
            InvalidArgumentError: `arrived_before`, and no arrival time was set.

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
            raise TypeError("give either before or arrived_before")
        return found

    def inside(self, identifier: str | None = None) -> Presences:
        """A table of devices and the conditions that they are inside of, also for GeoPandas
        (:meth:`Presences.to_geopandas`).

        Args:
            identifier: Of one condition; None: all conditions.

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
        # None: another thread removed the condition meanwhile.
        return Presences._of_columns(columns.named(names), self._conditions)  # type: ignore[arg-type]

    def _check_condition(self, identifier: str | None) -> None:
        if identifier is not None and identifier not in self._conditions:
            raise NotFoundError(f"no condition has the identifier {shown(identifier)}")

    def _presences(self, found: Iterable[Presence]) -> Presences:
        return Presences(found, self._conditions)  # type: ignore[arg-type]

    def to_geopandas(self) -> GeoDataFrame:
        """Where everybody is: a row for each device, with its clock and :attr:`Device.position` as a point in
        EPSG:4326; one that had no fix yet has no geometry. For the conditions that each device is inside of use
        ``fleet.inside().to_geopandas()``.

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
        """Devices as bytes, to be kept elsewhere or moved to another fleet by :meth:`load`; they stay in this one.

        Events that wait are the fleet's and not among it, but they count: the next event of the device elsewhere has
        the sequence after theirs. Of a fleet with several `threads` the bytes count also those events that became void
        while they waited: the next sequence of the device is then larger by so many, and never smaller.

        Args:
            devices: Which; None: all of :attr:`devices`.
            portable: Whether fleets over another version of the table can take them, with ``adapt``: 12 bytes more for
                each condition that a device is inside of or about to cross.

        Raises:
            NotFoundError: There is no device of that identifier.

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
            raise TypeError("devices must be some identifiers, not one")
        chosen = tuple(self.devices if devices is None else devices)
        found: list[bytes] = self._handle.export(chosen, truth(portable, "portable"))
        return found

    def load(self, devices: Mapping[str, bytes], *, adapt: bool = False) -> None:
        """Enters devices that were exported: each goes on as if nothing had happened. All or none.

        Args:
            devices: Their bytes by identifier; any bytes may be passed. No device of the fleet may have one of these
                identifiers.
            adapt: Whether bytes of another version of the table are taken, where they were exported as portable: what
                a device was inside of or about to cross goes on where a condition has the same identifier and
                definition, and is void otherwise; all other conditions count as seen.

        Raises:
            SnapshotInvalidError: The bytes are not a device, are damaged, or come from a newer version of the library.
            TableMismatchError: They were exported with another version of the table.
            InvalidArgumentError: An identifier is invalid or in use.
        """
        if not isinstance(devices, Mapping):
            raise TypeError(f"devices must be a mapping of identifiers to bytes, not {type(devices).__name__}")
        pairs = [(device, bytes(snapshot_bytes(data, "the bytes of a device"))) for device, data in devices.items()]
        self._handle.load(tuple(device for device, _ in pairs), tuple(data for _, data in pairs), truth(adapt, "adapt"))

    # ---------------------------------------------------------------------------------------- events

    def events(self) -> DeviceEvents:
        """Drains what waits, in a loop. Asking for the next event commits the one before; a loop that is left early
        hands its last event out again.

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
        """Events as they become available, for ``async for``: as :meth:`Monitor.updates`. :meth:`close` ends it.

        Raises:
            ConsumerAlreadyActiveError: When iterating, while there is another consumer.

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
        """The earliest time at which something happens to any device though no input comes, microseconds since
        1970-01-01T00:00:00Z: advance the fleet to it then. None: nothing waits."""
        found: int | None = self._handle.next_deadline()
        return found

    @property
    def next_deadline(self) -> datetime | None:
        """The same, aware, UTC."""
        return from_us(self.next_deadline_us)

    @property
    def clock_us(self) -> int | None:
        """The time to which all devices were advanced, microseconds since 1970-01-01T00:00:00Z; None: never."""
        found: int | None = self._handle.statistics()[0]
        return found

    @property
    def clock(self) -> datetime | None:
        """The time to which all devices were advanced, aware, UTC; None: never."""
        return from_us(self.clock_us)

    def statistics(self) -> FleetStatistics:
        """The counters of all devices together, and the clock.

        Example:
            >>> from fencepost import Fix, Zones
            >>> fleet = Fleet(Zones())
            >>> fleet.feed("truck-7", Fix(52.5, 13.4, time=0))
            >>> fleet.statistics().accepted_fixes
            1
        """
        from .._values.fleet_statistics import FleetStatistics

        values = self._handle.statistics()
        fields: tuple[Any, ...] = (*values[:-2], STORE_STATUSES[values[-2]], values[-1])
        return FleetStatistics(*fields)

    def checkpoint(self) -> None:
        """Saves everything that is not saved yet: a state after all inputs of all devices. Without a store it does
        nothing.

        Raises:
            StoreUnavailableError: The fleet goes on in memory; a later call tries again.

        Example:
            >>> from fencepost import Zones
            >>> Fleet(Zones()).checkpoint()  # in memory: nothing to save
        """
        self._handle.checkpoint()

    def close(self) -> None:
        """Saves everything and closes the store: its name is free. Ends :meth:`updates`. Again it does nothing.

        With a store it takes no inputs any more, and no device comes or goes: that raises :class:`MonitorClosedError`.
        Inputs that another thread fed before are kept. A fleet in memory has nothing to close and goes on.

        Raises:
            StoreUnavailableError: Something could not be saved; the store is closed all the same.

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
        """The whole fleet as bytes, the same on every platform: table, devices, and the events that wait or are not
        committed; also of one with a store. For :meth:`restore`. Pickling and copying go through it.

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
        """Restores a fleet in memory from a snapshot, with its own table; uncommitted events are delivered again.

        Args:
            snapshot: Any bytes may be passed.

        Raises:
            SnapshotInvalidError: It is not a snapshot, is damaged, or was written by a newer version of the library.
        """
        fleet = cls.__new__(cls)
        fleet._handle = Handle.restore(snapshot_bytes(snapshot))
        fleet._conditions = Zones._of(fleet._handle.conditions())
        return fleet

    def __repr__(self) -> str:
        counters = self.statistics()
        return (
            f"<fencepost.Fleet {counters.device_count} devices, {counters.condition_count} conditions, "
            f"{counters.pending_events} events wait, clock {utc_text(counters.clock)}>"
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
