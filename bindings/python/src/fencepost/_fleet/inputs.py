"""The inputs of a fleet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

from .._errors import Advice
from .._monitor.inputs import (
    FixInputs,
    check_given,
    first_time,
    fix_columns,
    fix_records,
    record_columns,
    refuses_invalid,
    scan_report,
)
from .._native import InvalidArgumentError
from .._tables.labels import common_index
from .._tables.numbers import integer
from .._tables.times import Time, to_us
from .._values.arguments import column_names, truth
from .._values.fixes import BeaconSighting, Fix
from .._values.results import FeedResult
from .device_columns import device_column
from .first_fixes import warn_of_jumps

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from .._tables.buffers import ArrowStream, NumberColumn, SupportsArray, TimeColumn

    DeviceColumn: TypeAlias = str | SupportsArray | Iterable[object]
    """One device for all rows, or a column of identifiers: texts, integers, categories."""

_BY_COLUMN = Advice(*["name the column that tells devices apart with columns={'device': NAME}"] * 2)
_BY_ROW = Advice(*["give the identifier of each row's device as device="] * 2)


class _Limited:
    """A fleet made for several threads that feeds with fewer."""

    def __init__(self, shards: Any, threads: int) -> None:
        self._shards, self._threads = shards, threads

    def feed_columns(self, *columns: Any) -> tuple[int, int, int]:
        found: tuple[int, int, int] = self._shards.feed(self._threads, *columns)
        return found


def with_threads(handle: Any, threads: int) -> Any:
    """A fleet that is fed by so many threads."""
    count = integer(threads, "threads", 1, 256)
    most = getattr(handle, "count", 1)
    if count > most:
        raise InvalidArgumentError(
            f"threads is {count}, and the fleet was made for {most}: Fleet(zones, threads={count})"
        )
    return handle if count == most else _Limited(handle, count)


class FleetInputs(FixInputs):
    """The inputs of a fleet."""

    __slots__ = ()
    _handle: Any

    def _is_fresh(self) -> bool:
        counters = self._handle.statistics()
        return counters[0] is None and not counters[8]

    def feed(self, device: str, fix: Fix) -> None:
        """Feeds one fix of a device, which is entered if it is new and the fix is accepted.

        A fix without a position (accuracy negative or NaN) is ignored and counted.

        Raises:
            InvalidArgumentError: A coordinate or the time is out of range; counted.
            LateInputError: Earlier than the device's clock or the last :meth:`advance`; counted.
            AheadOfClockError: Later than the device's clock by more than `max_time_step`; counted.
            QueueFullError: `max_pending_events` events wait.
        """
        fix = self._looked_at(fix)
        self._handle.feed_fix(device, fix.latitude, fix.longitude, fix.accuracy, fix.time_us)

    @overload
    def feed_many(
        self,
        fixes: ArrowStream,
        /,
        *,
        columns: Mapping[str, str] | None = None,
        on_invalid: Literal["count", "raise"] = "count",
        threads: int | None = None,
    ) -> FeedResult: ...
    @overload
    def feed_many(
        self,
        fixes: Iterable[Fix] | Buffer,
        /,
        *,
        device: DeviceColumn,
        on_invalid: Literal["count", "raise"] = "count",
        threads: int | None = None,
    ) -> FeedResult: ...
    @overload
    def feed_many(
        self,
        fixes: None = None,
        /,
        *,
        device: DeviceColumn,
        latitude: NumberColumn,
        longitude: NumberColumn,
        time: TimeColumn,
        accuracy: NumberColumn | float | None = None,
        on_invalid: Literal["count", "raise"] = "count",
        threads: int | None = None,
    ) -> FeedResult: ...
    def feed_many(
        self,
        fixes: Any = None,
        /,
        *,
        device: Any = None,
        latitude: Any = None,
        longitude: Any = None,
        time: Any = None,
        accuracy: Any = None,
        columns: Mapping[str, str] | None = None,
        on_invalid: Literal["count", "raise"] = "count",
        threads: int | None = None,
    ) -> FeedResult:
        """Feeds many fixes of many devices in order, with the same result as single calls; other Python threads run
        meanwhile. Devices with at least one accepted row are created in the order of their first rows.

        Either columns of equal length, or fixes, beside the devices they are of; or a table that exports an Arrow
        stream (PyArrow, Polars, DuckDB, pandas), fed batch by batch: see :meth:`Monitor.feed_many`. Its column of
        devices holds texts, numbers (which become texts) or a dictionary of them, whose indices are read in place.

        Args:
            fixes: A table; or fixes of any kind that :meth:`Monitor.feed_many` takes.
            device: The device of each row: texts, or numbers, which become texts; a categorical column of pandas or a
                dictionary array of PyArrow is read in place; one text: all rows are of that device.
            latitude: Degrees, -90 to 90.
            longitude: Degrees, -180 to 180.
            time: As for :meth:`Monitor.feed_many`.
            accuracy: Metres; 0 or None in a list: not reported; negative or NaN: there is no position. A number is
                meant for all rows; None: not reported.
            columns: Of a table the names of the columns for device, latitude, longitude, time, accuracy, or geometry,
                where they are not recognised.
            on_invalid: As for :meth:`Monitor.feed_many`. A new device without any accepted row is not created.
            threads: How many threads feed at a time, at most as many as the fleet was made for; None: as many.

        Returns:
            How many were accepted, invalid and late.

        Raises:
            InvalidArgumentError: Columns of different lengths; a row without a device; with ``on_invalid="raise"`` an
                invalid row. ``position`` is the row, and nothing has been fed.
            ColumnTypeError: A column does not hold what it is to hold; ``position`` is the row.
            InputError: A column is missing or holds unusable values; ``row`` is the place. The batches before took
                effect, ``result`` is their :class:`FeedResult`.
            MissingExtraError: A table was given, and nanoarrow is not installed.
            QueueFullError: `max_pending_events` events wait; the rows before ``position`` took effect, ``result`` is
                their :class:`FeedResult`. Take events, then feed the rest.
            KeyboardInterrupt: As of :meth:`Monitor.feed_many`.

        Example:
            >>> import pyarrow
            >>> from fencepost import Fleet, Zones
            >>> zones = Zones()
            >>> zones.add_many(["depot"], [52.5], [13.4], [100])
            >>> fleet = Fleet(zones)
            >>> fleet.feed_many(device=["a", "b", "a"], latitude=[52.5] * 3, longitude=[13.4] * 3, time=[0, 0, 1])
            FeedResult(accepted=3, invalid=0, late=0)
            >>> vehicles = pyarrow.array(["a", "c"]).dictionary_encode()
            >>> table = pyarrow.table({"vehicle": vehicles, "lat": [52.5, 1], "lon": [13.4, 1], "time_us": [2, 2]})
            >>> fleet.feed_many(table)
            FeedResult(accepted=2, invalid=0, late=0)
            >>> fleet.devices
            ['a', 'b', 'c']
            >>> quick = Fleet(zones, threads=4)
            >>> quick.feed_many(table, threads=2)
            FeedResult(accepted=2, invalid=0, late=0)
        """
        refuses = refuses_invalid(on_invalid)
        handle = self._handle if threads is None else with_threads(self._handle, threads)
        is_table = hasattr(fixes, "__arrow_c_stream__") and device is None
        check_given(fixes, (latitude, longitude, time, accuracy), columns, is_table)
        if is_table:
            from .._monitor.arrow_batches import feed_stream

            def look(read: Sequence[Any], codes: Any, names: Sequence[str]) -> None:
                warn_of_jumps(self._handle, read, codes, names, _BY_COLUMN)

            return feed_stream(handle, fixes, column_names(columns), refuses, devices=True, look=look)
        try:
            if fixes is not None:
                rows = fix_records(fixes)
                read, doubtful = record_columns(rows), first_time(rows)
            else:
                read, doubtful = fix_columns(latitude, longitude, time, accuracy)
            self._doubt(doubtful)
            common_index(latitude=latitude, device=device)
            codes, names = device_column(device)
            warn_of_jumps(self._handle, read, codes, names, _BY_ROW)
            return FeedResult(*handle.feed_columns(*read, refuses, codes, names, 0))
        except BaseException as error:
            FeedResult(0, 0, 0)._carry(error)
            raise

    def see(
        self,
        device: str,
        sightings: BeaconSighting | Iterable[BeaconSighting] = (),
        *,
        time: Time | None = None,
    ) -> None:
        """Feeds one scan report of a device, which is entered if it is new and the report is accepted: the beacons
        observed at one instant. An empty report only moves its clock.

        Args:
            device: The device's identifier.
            sightings: One or several.
            time: Of the report. May be left out when the sightings carry one and the same time.

        Raises:
            InvalidArgumentError: There is no time, or the sightings carry different ones.
            LateInputError: Earlier than the device's clock or the last :meth:`advance`; counted.
            AheadOfClockError: Later than the device's clock by more than `max_time_step`; counted.
            QueueFullError: `max_pending_events` events wait.

        Example:
            >>> from fencepost import Beacon, BeaconSighting, Fleet, Zones
            >>> zones = Zones()
            >>> zones.add(Beacon("e2c56db5-dffb-48d2-b060-d0f5a71096e0"), "desk")
            >>> fleet = Fleet(zones)
            >>> fleet.see("phone", BeaconSighting("e2c56db5-dffb-48d2-b060-d0f5a71096e0", 1, 2), time=0)
            >>> [presence.identifier for presence in fleet["phone"].inside()]
            ['desk']
        """
        self._handle.feed_sightings(device, *scan_report(sightings, time))

    def set_scanning(self, device: str, on: bool, *, time: Time) -> None:
        """Declares whether a device scans for beacons from now on, see :meth:`Monitor.set_scanning`; devices begin with
        scanning on."""
        self._handle.set_scanning(device, truth(on, "on"), to_us(time))

    def set_arrival_time(self, time: Time) -> None:
        """Sets the arrival time of the inputs that follow, as your own clock shows it; it may go back.

        It decides no state and no event, but two things. A device was last heard of at the arrival time of its last
        accepted input, whatever date that input has: :meth:`expire` can go by it. With `max_time_step` an input is
        refused as ahead only if it is later by more than both the device's clock and the arrival time: so the first
        input of a device is bounded too, and a device that was silent for long may go on at the present.

        Devices that were entered before the first arrival time count as heard then. A store and a snapshot keep it.

        Example:
            >>> from fencepost import Fix, Fleet, Zones
            >>> fleet = Fleet(Zones())
            >>> fleet.set_arrival_time(1_700_000_000_000_000)
            >>> fleet.feed("a", Fix(52.5, 13.4, time=3_453_148_800_000_000))  # a receiver without satellites
            >>> fleet.expire(arrived_before=1_700_000_000_000_001)
            ['a']
        """
        self._handle.set_arrival_time(to_us(time))

    def advance(self, time: Time, *, device: str | None = None, force: bool = False) -> None:
        """Lets time pass: confirms all changes that are due up to and at `time`.

        Args:
            time: For all devices it is a watermark: no input of any may be earlier from then on, also of one that is
                heard for the first time. Devices ahead of it are left alone. With `max_time_step` it is bounded, since
                a wrong date would make every later input of every device late: by the last advance, and by the arrival
                time or, where none was set, the largest clock of the devices.
            device: For this device alone, which is not bounded; None: for all.
            force: Whether `time` is meant however far it is.

        Raises:
            AheadOfClockError: It is beyond the bound; counted.
            LateInputError: Earlier than the last one, or than the device's clock; counted.
            NotFoundError: There is no device of that identifier.
            QueueFullError: `max_pending_events` events wait.

        Example:
            >>> from fencepost import Fix, Fleet, Zones
            >>> zones = Zones()
            >>> zones.add_many(["depot"], [52.5], [13.4], [100])
            >>> fleet = Fleet(zones)
            >>> fleet.feed("a", Fix(0, 0, time=0))
            >>> fleet.feed("a", Fix(52.5, 13.4, time=1_000_000))
            >>> fleet.advance(60_000_000)
            >>> [(event.device, event.date_us) for event in fleet.events()]
            [('a', 21000000)]
        """
        self._handle.advance(to_us(time), device, truth(force, "force"))

    def rewind(self, time: Time, *, device: str | None = None) -> None:
        """Says that the times of some inputs or of an advance were wrong, and sets clocks back.

        Events that wait, sequences and counters stay. Of a device that is set back every condition becomes undetermined
        without an event, and crossings in the making and its last fix are forgotten. Its next fix determines it again:
        an event follows only if the new state differs from the last reported one.

        Args:
            time: For all devices: the fleet's time, and each device whose clock is later, is set back to it; other
                devices stay as they are. For one device: from the last advance of all to the device's clock.
            device: This device alone; None: all.

        Raises:
            InvalidArgumentError: `time` is out of range, or there is no such clock yet.
            NotFoundError: There is no device of that identifier.

        Example:
            >>> from fencepost import Fix, Fleet, Zones
            >>> fleet = Fleet(Zones())
            >>> fleet.feed("a", Fix(0, 0, time=1_000_000))
            >>> fleet.advance(3_453_148_800_000_000)
            >>> fleet.rewind(2_000_000)
            >>> fleet.feed("a", Fix(0, 0, time=3_000_000))
        """
        self._handle.rewind(to_us(time), device)
