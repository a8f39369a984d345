"""The inputs of a monitor."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping

from .._native import InvalidArgumentError
from .._tables.numbers import real, shown
from .._tables.times import LARGEST_SECONDS, SMALLEST_SECONDS, Time, likely_unit, to_us
from .._values.arguments import column_names, truth
from .._values.conditions import kind_of
from .._values.enums import Diagnostics
from .._values.fixes import FIX_RECORD, BeaconSighting, Fix, common_time, fix_of, packed

TYPE_CHECKING = False
if not TYPE_CHECKING:
    from .._typing import overload
else:
    from typing import Any, Literal, overload

    from typing_extensions import Buffer

    from .._native import Monitor as Handle
    from .._tables.buffers import ArrowStream, EllipseColumns, NumberColumn, TimeColumn
    from .._values.any_condition import Condition
    from .._values.results import FeedResult


def refuses_invalid(on_invalid: Any) -> bool:
    """True if the first invalid row causes all rows to be refused."""
    if not isinstance(on_invalid, str) or on_invalid not in ("count", "raise"):
        raise InvalidArgumentError(f"on_invalid {shown(on_invalid)} is not one of count, raise")
    return on_invalid == "raise"


def fix_columns(
    latitude: Any, longitude: Any, time: Any, accuracy: Any, error_ellipse: Any = None, heights: tuple[Any, ...] = ()
) -> tuple[tuple[Any, Any, Any, Any, int, int], int | None]:
    """Converts columns of any supported type for the engine. Columns that the engine can read directly are not copied.

    Returns:
        The columns: latitudes, longitudes, accuracies (a column, one number, or None; with error ellipses or heights, a
        tuple of the accuracies, the three columns of the ellipses and, with heights, the four columns of the heights),
        times, and the length of the time unit in microseconds, as a fraction (numerator and denominator). Then the
        first time if the times are integers that are read as microseconds, so that the caller can be warned about a
        wrong unit; otherwise None.
    """
    from .._tables.buffers import numbers, times
    from .._tables.labels import common_index

    for given, name in zip((latitude, longitude, time), ("latitude", "longitude", "time")):
        if given is None:
            raise TypeError(f"feed_many needs the column {name}")
    common_index(latitude=latitude, longitude=longitude, time=time, accuracy=accuracy)
    if isinstance(accuracy, int | float):
        accuracy = float(real(accuracy, "accuracy"))
    elif accuracy is not None:
        accuracy = numbers(accuracy, "accuracy", none=0.0)
    has_heights = any(each is not None for each in heights)
    if error_ellipse is not None or has_heights:
        from .._tables.ellipses import NO_ELLIPSE, fed_columns, fed_heights

        ellipses = NO_ELLIPSE if error_ellipse is None else fed_columns(error_ellipse)
        accuracy = (accuracy, *ellipses, *(fed_heights(heights) if has_heights else ()))
    ticks, multiplier, divisor = times(time, "time")
    doubtful = None
    if len(ticks) and multiplier == divisor and getattr(getattr(time, "dtype", None), "kind", "i") in "iu":
        doubtful = int.from_bytes(ticks[:1].tobytes(), sys.byteorder, signed=True)
    positions = numbers(latitude, "latitude"), numbers(longitude, "longitude")
    return (*positions, accuracy, ticks, multiplier, divisor), doubtful


def fix_records(fixes: Any) -> tuple[memoryview[Any], tuple[Any, ...] | None]:
    """Returns fixes as records in the layout of :data:`FIX_RECORD`, and the columns of their error ellipses and
    heights, or None if no fix has either. A buffer that already has the layout of :data:`FIX_RECORD` is not copied."""
    beside: tuple[Any, ...] | None = None
    if hasattr(fixes, "filled") and hasattr(fixes, "mask"):  # in a masked array, masked values become invalid
        from .._tables.buffers import NO_TIME

        fixes = fixes.filled((math.nan, math.nan, math.nan, NO_TIME) if fixes.dtype.names else math.nan)
    try:
        rows = memoryview(fixes)
    except (TypeError, ValueError, BufferError) as error:
        if hasattr(fixes, "dtype"):
            raise InvalidArgumentError(
                f"fixes: an array of dtype {fixes.dtype} does not hold fix records: {error}"
            ) from None
        records, beside = packed(fixes, "fixes")
        rows = memoryview(records)
    if not rows.c_contiguous:
        raise InvalidArgumentError("fixes: the rows must be contiguous in memory (C-contiguous)")
    return rows, beside


def first_time(rows: memoryview[Any]) -> int | None:
    """The time of the first record, or None if there are no records."""
    found: int | None = FIX_RECORD.unpack_from(rows)[3] if rows.nbytes >= FIX_RECORD.size else None
    return found


def record_columns(rows: memoryview[Any], beside: tuple[Any, ...] | None) -> tuple[Any, Any, Any, Any, int, int]:
    """Converts fix records, their error ellipses and heights to columns. The members are copied because the records
    need not be aligned."""
    plain = memoryview(rows.tobytes())
    if len(plain) % FIX_RECORD.size:
        raise InvalidArgumentError(f"fixes: {len(plain)} bytes are not a multiple of 32 bytes, the size of a record")
    reals = plain.cast("d")
    accuracies: Any = reals[2::4]
    if beside is not None:
        accuracies = (accuracies, *beside)
    return reals[0::4], reals[1::4], accuracies, plain.cast("q")[3::4], 1, 1


def scan_report(sightings: Any, time: Time | None) -> tuple[bytes, int]:
    """Returns a scan report in the form that the engine reads: the sightings as records of 24 bytes, and the report's
    time.
    """
    if isinstance(sightings, BeaconSighting):
        sightings = (sightings,)
    if not isinstance(sightings, Iterable):
        raise TypeError(f"sightings must be a BeaconSighting or an iterable of them, not {type(sightings).__name__}")
    report = list(sightings)
    for place, sighting in enumerate(report):
        if not isinstance(sighting, BeaconSighting):
            raise TypeError(f"sightings, element {place} must be a BeaconSighting, not {type(sighting).__name__}")
    rows = b"".join([sighting._record() for sighting in report])
    return rows, common_time(report) if time is None else to_us(time)


def check_given(fixes: Any, named: tuple[Any, ...], columns: Any, is_table: bool) -> None:
    """Checks that either fixes or columns are passed, and that `columns` is passed only with a table."""
    if fixes is not None and any(given is not None for given in named):
        raise TypeError("feed_many takes fixes or columns, not both")
    if columns is not None and not is_table:
        raise TypeError("columns needs a table that exports an Arrow stream")


def host_bits(diagnostics: Any, unsupported: Any) -> tuple[int, int]:
    """Checks the capabilities of a host, and returns the bits of the flags and of the unsupported kinds."""
    if isinstance(diagnostics, bool) or not isinstance(diagnostics, Diagnostics | int):
        raise TypeError(f"diagnostics must be Diagnostics, not {type(diagnostics).__name__}")
    try:
        flags = Diagnostics(diagnostics).value
    except ValueError:
        raise InvalidArgumentError(f"diagnostics {shown(diagnostics)} has an unknown flag") from None
    if not isinstance(unsupported, Iterable):
        raise TypeError(f"unsupported must be an iterable of classes of conditions, not {type(unsupported).__name__}")
    kinds = 0
    for kind in unsupported:
        number = kind_of(kind)
        if number is None:
            raise TypeError(f"unsupported must hold classes of conditions, not {shown(kind)}")
        kinds |= 1 << number
    return flags, kinds


class FixInputs:
    """An object that accepts fixes: a monitor or a fleet."""

    __slots__ = ("_has_inputs",)
    _has_inputs: bool  # False if it is not known

    if TYPE_CHECKING:

        def _is_fresh(self) -> bool: ...

    def _looked_at(self, fix: Any) -> Fix:
        """Converts an argument to a fix, and warns if the fix's time looks wrong."""
        if type(fix) is not Fix:
            fix = fix_of(fix)
        found: Fix = fix
        if SMALLEST_SECONDS <= found.time_us <= LARGEST_SECONDS * 1000:
            self._doubt(found.time, 4)
        return found

    def _doubt(self, time: object, depth: int = 3) -> None:
        """Before anything is fed, warns if a time that was passed as microseconds is probably in another unit."""
        unit = likely_unit(time)
        if unit is None or self._has_inputs:
            return
        if not self._is_fresh():  # this counts the pending events, so it is called once
            self._has_inputs = True
        else:
            import warnings

            way_out = f"for {unit[0]} write {time} * {unit[1]:_}, or give a datetime"
            warnings.warn(f"time {time} means as many microseconds, which is in 1970; {way_out}", stacklevel=depth)


class MonitorInputs(FixInputs):
    """The inputs of a monitor."""

    __slots__ = ()
    _handle: Handle

    def _is_fresh(self) -> bool:
        return self._handle.statistics()[0] is None

    def feed(self, fix: Fix) -> None:
        """Feeds one fix. A fix without a position (its accuracy is negative or NaN) is ignored and counted.

        Raises:
            InvalidArgumentError: A coordinate or the time is out of range; `invalid_fixes` counts the refused fix.
            LateInputError: The time is earlier than the clock; `late_inputs` counts the refused input.
            AheadOfClockError: The time is ahead of the clock by more than `max_time_step`; `ahead_inputs` counts the
                refused input.
            QueueFullError: `max_pending_events` events are pending.
        """
        fix = self._looked_at(fix)
        self._handle.feed_fix(fix.latitude, fix.longitude, fix.accuracy, fix.time_us, *fix._beside())

    @overload
    def feed_many(
        self, fixes: Iterable[Fix] | Buffer, /, *, on_invalid: Literal["count", "raise"] = "count"
    ) -> FeedResult: ...
    @overload
    def feed_many(
        self,
        fixes: ArrowStream,
        /,
        *,
        columns: Mapping[str, str] | None = None,
        on_invalid: Literal["count", "raise"] = "count",
    ) -> FeedResult: ...
    @overload
    def feed_many(
        self,
        fixes: None = None,
        /,
        *,
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
    ) -> FeedResult: ...
    def feed_many(
        self,
        fixes: Any = None,
        /,
        *,
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
    ) -> FeedResult:
        """Feeds many fixes in order, with the same result as single calls. Other Python threads can run during the
        call.

        Pass either fixes, or columns of equal length: NumPy arrays, pandas columns, ``array.array``, other objects with
        the buffer protocol or ``__array__``, or lists. Columns of ``float64``, and time columns of ``int64`` or
        ``datetime64[us]``, are read in place, even with strides or in reverse order; other columns are converted first.
        The columns must not be changed during the call.

        Instead of columns, you can pass a table that exports an Arrow stream (PyArrow, Polars, a DuckDB relation). The
        table is fed batch by batch. The columns of the table are found as in :func:`replay`; positions may be points
        (GeoArrow, WKB). Columns without nulls are read in place if they contain doubles, timestamps with a time zone,
        or 64-bit integers of a single time unit. A null accuracy means "not reported"; a row with a null position or
        time is invalid. Feeding a table requires the package extra ``fencepost[arrow]``.

        Args:
            fixes: A sequence of fixes; or a table; or a C-contiguous buffer of rows in the layout of
                :data:`FIX_RECORD`, which is read in place.
            latitude: Degrees, -90 to 90.
            longitude: Degrees, -180 to 180.
            time: ``datetime64`` of any unit (UTC, as in NumPy and pandas; units finer than microseconds are rounded
                down), pandas times with a time zone, integer microseconds since 1970-01-01T00:00:00Z, or aware
                datetimes.
            accuracy: Accuracies in metres. 0, or None in a list, means that the accuracy was not reported; negative or
                NaN means that the row has no position. A single number applies to all rows. None means that no accuracy
                was reported.
            error_ellipse: The error ellipses: a tuple of the major and the minor semi-axes in metres and the directions
                of the major axis in degrees from north, each a column or one number. A row with three NaN (None in
                lists) has no ellipse. See :class:`Fix`.
            altitude: Heights above the ellipsoid in metres, for zones with a band; this and the next three arguments
                are columns, or one number for all rows. NaN (None in lists) means that a row has no height.
            vertical_accuracy: The uncertainties of the altitudes in metres. 0 (None in lists) means that it was not
                reported; negative or NaN means that the row has no height.
            geoid_height: The heights of mean sea level above the ellipsoid, in metres; NaN if unknown.
            ground_height: The heights of the ground above the ellipsoid, in metres; NaN if unknown.
            on_invalid: With ``"count"``, an invalid row (no position, or a coordinate or time that is missing or out of
                range) is skipped and counted. With ``"raise"``, the first invalid row causes all rows to be refused,
                and nothing changes; to check all rows, a table is read to its end before it is fed. Late rows are
                skipped and counted, whatever the value of `on_invalid` is.
            columns: The names of a table's columns for latitude, longitude, time, accuracy, or geometry, if the library
                does not recognise these names. Error ellipses are read from the columns ``error_major_m``,
                ``error_minor_m`` and ``error_orientation_deg``, or from the columns that are named here as
                ``error_major``, ``error_minor`` and ``error_orientation``. Heights are read from the columns
                ``ellipsoid_altitude_m``, ``vertical_accuracy_m``, ``geoid_height_m`` and ``ground_height_m``, or from
                the columns that are named here as ``altitude``, ``vertical_accuracy``, ``geoid_height`` and
                ``ground_height``.

        Returns:
            The numbers of accepted, invalid, late and doubted fixes.

        Raises:
            InvalidArgumentError: The columns have different lengths, a datetime is naive, or a row is invalid and
                `on_invalid` is ``"raise"``. The error's ``position`` is the row number, and no row was applied.
            ColumnTypeError: A column contains values that are not numbers or times; ``position`` is the row number.
            InputError: A column is missing or contains values of the wrong type, or the stream ends with an error;
                ``row`` is the row number. The batches before the error were applied, and ``result`` is their
                :class:`FeedResult`.
            MissingExtraError: A table was passed, and nanoarrow is not installed.
            QueueFullError: `max_pending_events` events are pending. Only the rows before ``position`` were applied;
                ``result`` is the :class:`FeedResult` of these rows. Process the pending events, then feed the remaining
                rows.
            KeyboardInterrupt: Ctrl-C ends a long call within half a second; any other exception from a signal handler
                ends the call in the same way. Only the rows fed before the interruption were applied; ``result`` is the
                :class:`FeedResult` of these rows.

        Example:
            >>> from fencepost import Fix, Monitor
            >>> monitor = Monitor()
            >>> monitor.feed_many(latitude=[0, 91, 0, 0], longitude=[0, 0, 0, 0], time=[0, 1, 2, 1])
            FeedResult(accepted=2, invalid=1, late=1)
            >>> monitor.feed_many([Fix(0, 0, time=2), Fix(0, 0, time=3)])
            FeedResult(accepted=2, invalid=0, late=0)
            >>> import pyarrow
            >>> monitor.feed_many(pyarrow.table({"lat": [0.0], "lon": [0.0], "time_us": [4]}))
            FeedResult(accepted=1, invalid=0, late=0)
        """
        refuses = refuses_invalid(on_invalid)
        heights = altitude, vertical_accuracy, geoid_height, ground_height
        is_table = hasattr(fixes, "__arrow_c_stream__")
        check_given(fixes, (latitude, longitude, time, accuracy, error_ellipse, *heights), columns, is_table)
        if is_table:
            from .arrow_batches import feed_stream

            return feed_stream(self._handle, fixes, column_names(columns), refuses)
        from .._values.results import FeedResult

        try:
            if fixes is not None:
                return FeedResult(*self._feed_rows(fixes, refuses))
            read, doubtful = fix_columns(latitude, longitude, time, accuracy, error_ellipse, heights)
            self._doubt(doubtful)
            return FeedResult(*self._handle.feed_columns(*read, refuses))
        except BaseException as error:
            FeedResult(0, 0, 0)._carry(error)
            raise

    def _feed_rows(self, fixes: Any, refuses: bool) -> tuple[int, int, int, int]:
        rows, beside = fix_records(fixes)
        self._doubt(first_time(rows), 4)
        if not refuses and beside is None:
            return self._handle.feed_fixes(rows)
        return self._handle.feed_columns(*record_columns(rows, beside), refuses)

    def feed_sightings(
        self, sightings: BeaconSighting | Iterable[BeaconSighting] = (), *, time: Time | None = None
    ) -> None:
        """Feeds one scan report: the beacons observed at one instant. An empty report only moves the clock.

        Args:
            sightings: One sighting or several sightings.
            time: Time of the report. `time` may be omitted if all sightings carry the same time.

        Raises:
            InvalidArgumentError: There is no time, or the sightings carry different times.
            LateInputError: The time is earlier than the clock; `late_inputs` counts the refused input.
            AheadOfClockError: The time is ahead of the clock by more than `max_time_step`; `ahead_inputs` counts the
                refused input.
            QueueFullError: `max_pending_events` events are pending.
        """
        self._handle.feed_sightings(*scan_report(sightings, time))

    def see(self, sightings: BeaconSighting | Iterable[BeaconSighting] = (), *, time: Time | None = None) -> None:
        """Deprecated name of :meth:`feed_sightings`."""
        import warnings

        warnings.warn("Monitor.see is now Monitor.feed_sightings", DeprecationWarning, stacklevel=2)
        self.feed_sightings(sightings, time=time)

    def set_scanning(self, on: bool, *, time: Time) -> None:
        """Declares whether the host scans for beacons from `time` on. A new monitor starts with scanning on.

        While scanning is off, beacon conditions are undetermined, and their timeouts for absence do not run. No event
        reports that a condition became undetermined in this way.
        """
        self._handle.set_scanning(truth(on, "on"), to_us(time))

    def set_host(
        self,
        diagnostics: Diagnostics = Diagnostics(0),  # noqa: B008, it never changes
        *,
        unsupported: Iterable[type[Condition]] = (),
        time: Time,
    ) -> None:
        """Declares the capabilities of the host from `time` on.

        Args:
            diagnostics: The diagnostic flags of the host from `time` on. While any flag is set, every condition is
                suspended. The three flags that only the library sets are refused.
            unsupported: Classes of conditions that the host cannot monitor.
            time: The time from which the declaration applies.

        Raises:
            InvalidArgumentError: `diagnostics` contains a flag that only the library sets.
        """
        self._handle.set_host(*host_bits(diagnostics, unsupported), to_us(time))

    def advance(self, time: Time) -> None:
        """Lets time pass: confirms all changes that are due at `time` or earlier. The limit `max_time_step` does not
        apply.

        Raises:
            LateInputError: The time is earlier than the clock; `late_inputs` counts the refused input.
            QueueFullError: `max_pending_events` events are pending.
        """
        self._handle.advance(to_us(time))

    def rewind(self, time: Time) -> None:
        """Declares that the times of some inputs were wrong, and sets the clock back.

        A rewind does not change the conditions, the records, the pending events, the sequence or the counters. The
        observed states become undetermined, and no event reports this. The state of a circle is undetermined until the
        next fix; the state of a beacon condition is undetermined until a sighting, or until `beacon_initial_timeout`
        has passed since the new clock time. A rewind forgets open crossings and the last fix, but keeps the declared
        capabilities of the host. The edges of schedules after the new clock time pass again. If a schedule had ended,
        an event reports that the flag ``SCHEDULE_ENDED`` is no longer set. The rewind is an input, and is accepted even
        if the queue is full.

        Args:
            time: The new time of the clock; must not be later than the current time of the clock.

        Raises:
            InvalidArgumentError: The time is out of range or later than the clock, or the clock is not set yet.

        Example:
            >>> from fencepost import Fix, Monitor
            >>> monitor = Monitor()
            >>> monitor.feed(Fix(52.5, 13.4, time=3_453_148_800_000_000))  # a receiver that believes it is 2079
            >>> monitor.rewind(1_714_550_400_000_000)
            >>> monitor.feed(Fix(52.5, 13.4, time=1_714_550_401_000_000))
            >>> monitor.clock.isoformat()
            '2024-05-01T08:00:01+00:00'
        """
        self._handle.rewind(to_us(time))
