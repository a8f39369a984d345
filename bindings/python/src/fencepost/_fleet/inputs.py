"""The inputs of a fleet."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

from .._errors import Advice
from .._monitor.inputs import (
    FixInputs,
    check_given,
    first_time,
    fix_columns,
    fix_records,
    host_bits,
    record_columns,
    refuses_invalid,
    scan_report,
)
from .._native import InvalidArgumentError
from .._tables.labels import common_index
from .._tables.numbers import integer
from .._tables.times import Time, to_us
from .._values.arguments import column_names, truth
from .._values.enums import Diagnostics
from .._values.fixes import BeaconSighting, Fix
from .._values.results import FeedResult
from .device_columns import device_column
from .first_fixes import warn_of_jumps

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from .._tables.buffers import ArrowStream, EllipseColumns, NumberColumn, SupportsArray, TimeColumn
    from .._values.any_condition import Condition

    DeviceColumn: TypeAlias = str | SupportsArray | Iterable[object]
    """One device for all rows, or a column of identifiers: texts, integers, categories."""

_BY_COLUMN = Advice(*["use columns={'device': NAME} to name the column that holds the device"] * 2)
_BY_ROW = Advice(*["pass the identifiers of the devices as device="] * 2)


class _Limited:
    """A handle that feeds a fleet with fewer threads than the fleet was created for."""

    def __init__(self, shards: Any, threads: int) -> None:
        self._shards, self._threads = shards, threads

    def feed_columns(self, *columns: Any) -> tuple[int, int, int, int]:
        found: tuple[int, int, int, int] = self._shards.feed(self._threads, *columns)
        return found


def with_threads(handle: Any, threads: int) -> Any:
    """Returns a handle of the fleet that feeds with this number of threads."""
    count = integer(threads, "threads", 1, 256)
    most = getattr(handle, "count", 1)
    if count > most:
        raise InvalidArgumentError(
            f"threads is {count}, but the fleet was created for {most}; create it with Fleet(zones, threads={count})"
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
        """Feeds one fix of a device. A new device is added if the fix is accepted.

        A fix without a position (its accuracy is negative or NaN) is ignored and counted.

        Raises:
            InvalidArgumentError: A coordinate or the time is out of range; `invalid_fixes` counts the refused fix.
            LateInputError: The time is earlier than the device's clock or the last :meth:`advance`; `late_inputs`
                counts the refused input.
            AheadOfClockError: The time is ahead of the device's clock by more than `max_time_step`; `ahead_inputs`
                counts the refused input.
            QueueFullError: `max_pending_events` events are pending.
        """
        fix = self._looked_at(fix)
        self._handle.feed_fix(device, fix.latitude, fix.longitude, fix.accuracy, fix.time_us, *fix._beside())

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
        error_ellipse: EllipseColumns | None = None,
        altitude: NumberColumn | float | None = None,
        vertical_accuracy: NumberColumn | float | None = None,
        geoid_height: NumberColumn | float | None = None,
        ground_height: NumberColumn | float | None = None,
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
        error_ellipse: Any = None,
        altitude: Any = None,
        vertical_accuracy: Any = None,
        geoid_height: Any = None,
        ground_height: Any = None,
        columns: Mapping[str, str] | None = None,
        on_invalid: Literal["count", "raise"] = "count",
        threads: int | None = None,
    ) -> FeedResult:
        """Feeds many fixes of many devices in order, with the same result as single calls. Other Python threads can run
        during the call. New devices with at least one accepted row are added in the order of their first rows.

        Pass the devices together with fixes, or with columns of equal length. You can also pass a table that exports an
        Arrow stream (PyArrow, Polars, DuckDB, pandas). The table is fed batch by batch: see :meth:`Monitor.feed_many`.
        The table's device column contains strings, numbers (which are converted to strings), or dictionary-encoded
        strings or numbers, whose indices are read in place.

        Args:
            fixes: A table; or fixes of any kind that :meth:`Monitor.feed_many` accepts.
            device: The device of each row: strings, or numbers, which are converted to strings. A pandas categorical
                column or a PyArrow dictionary array is read in place. A single string means that all rows belong to
                that device.
            latitude: Degrees, -90 to 90.
            longitude: Degrees, -180 to 180.
            time: The times, of any type that :meth:`Monitor.feed_many` accepts.
            accuracy: Accuracies in metres. 0, or None in a list, means that the accuracy was not reported; negative or
                NaN means that the row has no position. A single number applies to all rows. None means that no accuracy
                was reported.
            error_ellipse: The error ellipses, as columns that :meth:`Monitor.feed_many` accepts.
            altitude: The heights above the ellipsoid, as columns that :meth:`Monitor.feed_many` accepts.
            vertical_accuracy: The uncertainties of the altitudes, in the same form.
            geoid_height: The heights of mean sea level above the ellipsoid, in the same form.
            ground_height: The heights of the ground above the ellipsoid, in the same form.
            columns: The names of a table's columns for device, latitude, longitude, time, accuracy, or geometry, if the
                library does not recognise these names, and for error ellipses and heights; see
                :meth:`Monitor.feed_many`.
            on_invalid: ``"count"`` to skip invalid rows, or ``"raise"`` to refuse all rows: see
                :meth:`Monitor.feed_many`. A new device without any accepted row is not added.
            threads: The number of threads, at most the fleet's `threads`. If `threads` is None, all threads of
                the fleet are used.

        Returns:
            The numbers of accepted, invalid, late and doubted fixes.

        Raises:
            InvalidArgumentError: The columns have different lengths, a row has no device, or a row is invalid and
                `on_invalid` is ``"raise"``. ``position`` is the number of the invalid row, and no row has been fed.
            ColumnTypeError: A column has values of a wrong type; ``position`` is the number of the row.
            InputError: A column is missing or contains unusable values; ``row`` is the number of the row. The batches
                before the invalid row were applied, and ``result`` is their :class:`FeedResult`.
            MissingExtraError: A table was passed, but nanoarrow is not installed.
            QueueFullError: `max_pending_events` events are pending. Only the rows before ``position`` were applied;
                ``result`` is the :class:`FeedResult` of these rows. Process the pending events, then feed the remaining
                rows.
            KeyboardInterrupt: Ctrl-C ended a long call. Only the rows fed before the interruption were applied;
                ``result`` is the :class:`FeedResult` of these rows.

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
        heights = altitude, vertical_accuracy, geoid_height, ground_height
        handle = self._handle if threads is None else with_threads(self._handle, threads)
        is_table = hasattr(fixes, "__arrow_c_stream__") and device is None
        check_given(fixes, (latitude, longitude, time, accuracy, error_ellipse, *heights), columns, is_table)
        if is_table:
            from .._monitor.arrow_batches import feed_stream

            def look(read: Sequence[Any], codes: Any, names: Sequence[str]) -> None:
                warn_of_jumps(self._handle, read, codes, names, _BY_COLUMN)

            return feed_stream(handle, fixes, column_names(columns), refuses, devices=True, look=look)
        try:
            if fixes is not None:
                rows, beside = fix_records(fixes)
                read, doubtful = record_columns(rows, beside), first_time(rows)
            else:
                read, doubtful = fix_columns(latitude, longitude, time, accuracy, error_ellipse, heights)
            self._doubt(doubtful)
            common_index(latitude=latitude, device=device)
            codes, names = device_column(device)
            warn_of_jumps(self._handle, read, codes, names, _BY_ROW)
            return FeedResult(*handle.feed_columns(*read, refuses, codes, names, 0))
        except BaseException as error:
            FeedResult(0, 0, 0)._carry(error)
            raise

    def feed_sightings(
        self,
        device: str,
        sightings: BeaconSighting | Iterable[BeaconSighting] = (),
        *,
        time: Time | None = None,
    ) -> None:
        """Feeds one scan report of a device: the beacons observed at one instant. A new device is added if the report
        is accepted. An empty scan report only moves the device's clock.

        Args:
            device: The device's identifier.
            sightings: One sighting or several sightings.
            time: Time of the report. `time` may be omitted if all sightings carry the same time.

        Raises:
            InvalidArgumentError: No time was given, or the sightings carry different times.
            LateInputError: The time is earlier than the device's clock or the last :meth:`advance`; `late_inputs`
                counts the refused input.
            AheadOfClockError: The time is ahead of the device's clock by more than `max_time_step`; `ahead_inputs`
                counts the refused input.
            QueueFullError: `max_pending_events` events are pending.

        Example:
            >>> from fencepost import Beacon, BeaconSighting, Fleet, Zones
            >>> zones = Zones()
            >>> zones.add(Beacon("e2c56db5-dffb-48d2-b060-d0f5a71096e0"), "desk")
            >>> fleet = Fleet(zones)
            >>> fleet.feed_sightings("phone", BeaconSighting("e2c56db5-dffb-48d2-b060-d0f5a71096e0", 1, 2), time=0)
            >>> [presence.identifier for presence in fleet["phone"].inside()]
            ['desk']
        """
        self._handle.feed_sightings(device, *scan_report(sightings, time))

    def see(
        self, device: str, sightings: BeaconSighting | Iterable[BeaconSighting] = (), *, time: Time | None = None
    ) -> None:
        """Deprecated name of :meth:`feed_sightings`."""
        warnings.warn("Fleet.see is now Fleet.feed_sightings", DeprecationWarning, stacklevel=2)
        self.feed_sightings(device, sightings, time=time)

    def set_scanning(self, device: str, on: bool, *, time: Time) -> None:
        """Declares whether a device scans for beacons from `time` on: see :meth:`Monitor.set_scanning`. A new device
        starts with scanning on."""
        self._handle.set_scanning(device, truth(on, "on"), to_us(time))

    def set_host(
        self,
        device: str,
        diagnostics: Diagnostics = Diagnostics(0),  # noqa: B008, it never changes
        *,
        unsupported: Iterable[type[Condition]] = (),
        time: Time,
    ) -> None:
        """Declares the capabilities of the host of a device from `time` on: see :meth:`Monitor.set_host`. The other
        devices do not change. The fleet must have the delivery `every`.

        A new device starts without a flag and with all classes of conditions supported. If a condition is added while
        it is suspended for a device, the event that reports this comes with the next call that feeds the fleet or
        takes its events.

        Raises:
            InvalidArgumentError: `diagnostics` contains a flag that only the library sets, or the fleet has another
                delivery than `every`.
        """
        self._handle.set_host(device, *host_bits(diagnostics, unsupported), to_us(time))

    def set_arrival_time(self, time: Time) -> None:
        """Sets the arrival time of the following inputs, from your own clock. The arrival time may go backwards.

        The arrival time does not affect states or events. With arrival times, :meth:`expire` can remove devices by the
        arrival time of their last accepted input, regardless of the times in the inputs. With `max_time_step`, an input
        counts as too far ahead only if it is too far ahead of both the device's clock and the arrival time. With an
        arrival time, `max_time_step` also limits the first input of a device, and a device that sent nothing for a long
        time can continue at the present time.

        If a device was added before the first arrival time was set, its last input counts as having arrived at that
        first arrival time. Stores and snapshots contain the arrival times.

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
        """Lets time pass: confirms all changes that are due at `time` or earlier.

        Args:
            time: The time to advance to. If all devices are advanced, `time` becomes a watermark: no later input may
                have an earlier time, not even an input of a new device. A device whose clock is already later than
                `time` does not change. `max_time_step` limits how far `time` may be ahead, because an advance to a
                wrong time would make every later input of every device late. The limit is measured from the last
                advance and from the arrival time or, if no arrival time was set, from the largest clock of the devices.
            device: The only device to advance; `max_time_step` does not limit the advance of a single device. None
                advances all devices.
            force: True to advance without the limit.

        Raises:
            AheadOfClockError: The time is ahead of the clock by more than the limit; `ahead_inputs` counts the refused
                advance.
            LateInputError: The time is earlier than the last advance, or than the device's clock; `late_inputs` counts
                the refused advance.
            NotFoundError: No device has that identifier.
            QueueFullError: `max_pending_events` events are pending.

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
        """Declares that the times of some inputs or of an advance were wrong, and sets clocks back.

        Pending events, sequences and counters do not change. If the clock of a device is set back, the device's
        conditions become undetermined without an event, and its started crossings and last fix are forgotten. The
        device's next fix determines the state of each condition again; an event follows only if that state differs from
        the last one reported.

        Args:
            time: The time to set clocks back to. Without `device`, the fleet's time is set back, and so is every device
                clock that is later than `time`; the other devices do not change. With `device`, the time must be
                between the last advance of all devices and the device's clock.
            device: The only device to set back. None sets back all devices.

        Raises:
            InvalidArgumentError: `time` is out of range, or the clock is not set yet.
            NotFoundError: No device has that identifier.

        Example:
            >>> from fencepost import Fix, Fleet, Zones
            >>> fleet = Fleet(Zones())
            >>> fleet.feed("a", Fix(0, 0, time=1_000_000))
            >>> fleet.advance(3_453_148_800_000_000)
            >>> fleet.rewind(2_000_000)
            >>> fleet.feed("a", Fix(0, 0, time=3_000_000))
        """
        self._handle.rewind(to_us(time), device)
