"""Several fleets that act as one, each fed by its own thread.

Each device belongs to one fleet, which is chosen by the number that the device gets when it is added. All fleets read
the same columns in place and skip the rows of other fleets' devices. Sorted by row, the events of all fleets together
are the events that a single fleet would produce. `Shards` is used in place of the native handle of a single fleet, and
works only in memory.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from operator import itemgetter
from threading import RLock
from typing import Any

from .._native import (
    AheadOfClockError,
    Conditions as TableHandle,
    Fleet as Handle,
    InvalidArgumentError,
    Monitor as MonitorHandle,
    QueueFullError,
    UnsupportedError,
)
from .device_numbers import DeviceNumbers
from .shard_events import DATE, DEVICE, GENERATION, ROW, ShardEvents

_NO_DEVICE = 0
_BLOCK = 1 << 18
"""The number of rows after which the queue and signals are checked again."""
_AT_ONCE = 65_536
_FEW = 64
_CLOCK, _INVALID_FIXES = 0, 2
"""Indices into the statistics of a fleet."""
_UNLIMITED = 1_000_000_000


class Shards:
    """The handle of a fleet that feeds with several threads.

    Args:
        table: The handle of the condition table.
        max_pending: The largest number of events in the queue. The queue size is checked only once per block of rows,
            so the events of one block may exceed it.
        device_limit: The largest number of devices of all fleets together. 0 means no limit.
        timeouts: The two timeouts for beacons, and the largest time step.
        movement: The options of the path and of plausibility.
        others: The options `accuracy_confidence` and `order` of the fleet.
        count: The number of fleets.
    """

    def __init__(
        self,
        table: TableHandle,
        max_pending: int,
        device_limit: int,
        timeouts: tuple[int, int, int],
        movement: tuple[int, int, float, float, int, int],
        others: tuple[float, int],
        count: int,
    ):
        path, gap, speed = movement[:3]
        plausible, count_needed, span = movement[3:]
        self._fleets = [
            Handle(
                table,
                _UNLIMITED,
                0,
                *timeouts,
                None,
                None,
                0,
                60_000_000,
                path,
                gap,
                speed,
                plausible,
                count_needed,
                span,
                0,
                *others,
            )
            for _ in range(count)
        ]
        self._table, self._max_pending, self._device_limit = table, max_pending, device_limit
        self._numbers = DeviceNumbers()
        self._step = timeouts[2]
        self._is_advanced = self._has_hosts = False
        self._arrival: int | None = None
        self._ahead_advances = 0
        self._events = ShardEvents(table, self._numbers)
        self._lock = RLock()

    @property
    def count(self) -> int:
        """The number of fleets."""
        return len(self._fleets)

    # ------------------------------------------------------------------------------------------ devices

    def _of(self, device: Any) -> Handle:
        """The fleet that a device belongs to. For an unknown device, returns the first fleet, whose methods then raise
        the correct error."""
        number = self._numbers.get(device) if isinstance(device, str) else None
        return self._fleets[0 if number is None else number % len(self._fleets)]

    def _refuse_too_many(self, new: int) -> None:
        """Raises an error if this number of new devices would exceed the device limit."""
        if self._device_limit and len(self._numbers) + new > self._device_limit:
            raise InvalidArgumentError(
                f"the fleet has {self._device_limit} devices, which is device_limit; remove or expire devices first"
            )

    def _enter(self, devices: Iterable[Any]) -> tuple[Any, ...]:
        """Adds the devices that are new, and returns them. If one device is refused, no device is added."""
        new = tuple(dict.fromkeys(device for device in devices if device not in self._numbers))
        if not new:
            return new
        Handle(TableHandle()).enter(new)  # raises an error if an identifier is invalid
        self._refuse_too_many(len(new))
        for device in new:
            self._numbers.enter(device)
            fleet = self._of(device)
            fleet.enter((device,))
            if self._is_advanced:  # after an advance, a new device may have events at once
                self._take([fleet], at_once=_FEW)
        return new

    def _keep(self, new: Iterable[Any]) -> None:
        """Removes the devices that were created for an input but have no accepted row."""
        gone = []
        for device in new:
            fleet = self._of(device)
            _, _, invalid, late, ahead, _, _, inputs, _ = fleet.device_statistics(device)
            if inputs == invalid + late + ahead:
                fleet.remove_device(device, True)
                gone.append(device)
        gone.reverse()  # reversed so that the devices added next get the lowest numbers first
        self._events.remove(gone, True)

    def enter(self, devices: tuple[str, ...]) -> None:
        with self._lock:
            self._enter(devices)

    def devices(self) -> list[str]:
        with self._lock:
            return self._numbers.devices()

    def has_device(self, device: str) -> bool:
        return device in self._numbers

    def remove_device(self, device: str, drop_events: bool) -> bool:
        with self._lock:
            self._take_added()
            removed = self._of(device).remove_device(device, False)
            if removed:
                self._events.remove([device], drop_events)
            return removed

    def expire(self, before: int) -> list[str]:
        return self._expire(lambda fleet: fleet.expire(before))

    def expire_by_arrival(self, before: int) -> list[str]:
        return self._expire(lambda fleet: fleet.expire_by_arrival(before))

    def _expire(self, expire: Callable[[Handle], list[str]]) -> list[str]:
        with self._lock:
            self._take_added()
            gone = [device for fleet in self._fleets for device in expire(fleet)]
            gone.sort(key=self._numbers.number_of)
            self._events.remove(gone)
            return gone

    def export(self, devices: tuple[Any, ...], portable: bool) -> list[bytes]:
        with self._lock:
            self._take_added()
            for device in devices:
                if isinstance(device, str) and self._events.waiting(self._numbers.get(device)):
                    raise InvalidArgumentError(
                        f"events of device {device!r} are pending; poll them before the export (needed with threads)"
                    )
            return [self._of(device).export((device,), portable)[0] for device in devices]

    def load(self, devices: tuple[str, ...], data: tuple[bytes, ...], adapt: bool) -> None:
        with self._lock:
            for device, held in zip(devices, data):
                if device in self._numbers:
                    self._of(device).load((device,), (held,), adapt)  # raises
            # Loads the devices into another fleet first: an invalid device raises an error, so either all devices are
            # loaded or none.
            Handle(self._table).load(devices, data, adapt)
            self._has_hosts = True
            self._refuse_too_many(len(devices))
            for device, held in zip(devices, data):
                self._numbers.enter(device)
                fleet = self._of(device)
                fleet.load((device,), (held,), adapt)
                # Takes the events whose deadlines had passed when the device was loaded.
                self._take([fleet], at_once=_FEW)

    def inside(self, device: str) -> Any:
        return self._of(device).inside(device)

    def devices_inside(self, identifier: str | None) -> tuple[list[str], bytes, bytes, bytes, bytes]:
        with self._lock:
            rows: list[tuple[Any, ...]] = []
            for fleet in self._fleets:
                devices, *columns = fleet.devices_inside(identifier)
                # All columns are read as unsigned 64-bit integers, whatever their types, because the values are only
                # reordered.
                rows.extend(zip(devices, *(memoryview(column).cast("Q") for column in columns)))
            rows.sort(key=lambda row: (self._numbers.number_of(row[0]), row[1]))
        numbers = (array("Q", [row[place] for row in rows]).tobytes() for place in range(1, 5))
        return [row[0] for row in rows], next(numbers), next(numbers), next(numbers), next(numbers)

    def positions(self, device: str | None) -> list[Any]:
        if device is not None:
            return self._of(device).positions(device)
        with self._lock:
            found = [place for fleet in self._fleets for place in fleet.positions(None)]
            return sorted(found, key=lambda place: self._numbers.number_of(place[0]))

    def device_statistics(self, device: str) -> tuple[Any, ...]:
        with self._lock:
            *first, last_sequence, count, doubted = self._of(device).device_statistics(device)
            return *first, self._events.last(self._numbers.number_of(device), last_sequence), count, doubted

    def device_deadline(self, device: str) -> int | None:
        return self._of(device).device_deadline(device)

    def device_state(self, device: str, identifier: str) -> int:
        return self._of(device).device_state(device, identifier)

    def device_safe_distance(self, device: str, latitude: float, longitude: float) -> float:
        return self._of(device).device_safe_distance(device, latitude, longitude)

    def device_plan(self, device: str, plan: tuple[Any, ...]) -> tuple[Any, ...]:
        return self._of(device).device_plan(device, plan)

    def device_explain(self, device: str, identifier: str) -> tuple[Any, ...]:
        return self._of(device).device_explain(device, identifier)

    # ------------------------------------------------------------------------------------------- inputs

    def _refuse_full(self, done: int = 0) -> None:
        if self._events.is_full(self._max_pending):
            text = f"{self._max_pending} events are pending, which is max_pending_events; poll them before feeding more"
            error = QueueFullError(text)
            error.position = done
            raise error

    def _admit(self, feed: Callable[[Handle], None]) -> None:
        """Raises an error if the queue is full. An input that a fleet would refuse anyway, or only count as invalid,
        raises no error here."""
        if not self._events.is_full(self._max_pending):
            return
        nobody = Handle(TableHandle())
        try:
            feed(nobody)
        except InvalidArgumentError:
            return
        if not nobody.statistics()[_INVALID_FIXES]:
            self._refuse_full()

    def _take(
        self, fleets: Iterable[Handle], order: Callable[[Any], Any] = itemgetter(ROW), at_once: int = _AT_ONCE
    ) -> None:
        """Takes all new events from the fleets. Each poll acknowledges the events of the previous poll."""
        rows: list[Any] = []
        for fleet in fleets:
            while part := fleet.poll_events(at_once):
                rows += part
        rows.sort(key=order)  # the sort is stable: rows with equal keys keep the order of their devices
        self._events.add(rows)

    def _take_added(self) -> None:
        """Takes the events that report conditions that were added while they are suspended for a device."""
        if self._has_hosts:
            self._take(self._fleets, lambda row: (row[GENERATION], self._numbers.number_of(row[DEVICE])))

    def _one(self, device: Any, feed: Callable[[Handle], None]) -> None:
        with self._lock:
            self._take_added()
            new = self._enter((device,))
            try:
                self._admit(feed)
                fleet = self._of(device)
                try:
                    feed(fleet)
                finally:
                    self._take([fleet])
            finally:
                self._keep(new)

    def feed_fix(
        self, device: str, latitude: float, longitude: float, accuracy: float, time_us: int, *ellipse: float
    ) -> None:
        self._one(device, lambda fleet: fleet.feed_fix(device, latitude, longitude, accuracy, time_us, *ellipse))

    def feed_sightings(self, device: str, sightings: Any, time_us: int) -> None:
        self._one(device, lambda fleet: fleet.feed_sightings(device, sightings, time_us))

    def set_scanning(self, device: str, on: bool, time_us: int) -> None:
        self._one(device, lambda fleet: fleet.set_scanning(device, on, time_us))

    def set_host(self, device: str, diagnostics: int, unsupported_kinds: int, time_us: int) -> None:
        self._has_hosts = True
        self._one(device, lambda fleet: fleet.set_host(device, diagnostics, unsupported_kinds, time_us))

    def set_arrival_time(self, time_us: int) -> None:
        with self._lock:
            for fleet in self._fleets:
                fleet.set_arrival_time(time_us)
            self._arrival = time_us

    def _bound(self, time_us: int) -> None:
        """Refuses an advance that is too far ahead. A single fleet cannot check whether an advance is too far ahead,
        because it knows only the clocks of its own devices."""
        clocks = [fleet.statistics()[_CLOCK] for fleet in self._fleets]
        if self._arrival is not None:
            clocks.append(self._arrival)
        known = max((clock for clock in clocks if clock is not None), default=None)
        if self._arrival is None and (known is None or time_us - known > self._step):
            clocks = [clock for _, clock, _ in self.positions(None)]
            known = max((clock for clock in clocks if clock is not None), default=None)
        if known is not None and time_us - known > self._step:
            self._ahead_advances += 1
            raise AheadOfClockError(
                f"the advance to {time_us} is more than max_time_step ({self._step} microseconds) ahead of {known}; "
                "pass force=True if this is intended"
            )

    def advance(self, time_us: int, device: str | None, force: bool = False) -> None:
        with self._lock:
            self._take_added()
            fleets = self._fleets if device is None else [self._of(device)]
            if device is None or device in self._numbers:
                self._admit(lambda nobody: nobody.advance(time_us, None))
            if device is None and self._step and not force:
                self._bound(time_us)
            self._is_advanced = True
            try:
                for fleet in fleets:
                    fleet.advance(time_us, device, True)
            finally:
                self._take(fleets, lambda row: (row[DATE] or 0, self._numbers.number_of(row[DEVICE])))

    def rewind(self, time_us: int, device: str | None) -> None:
        with self._lock:
            self._take_added()
            if device is not None:
                fleet = self._of(device)
                try:
                    fleet.rewind(time_us, device)
                finally:
                    self._take([fleet])
                return
            # A fleet in which all clocks are earlier than the new time has no clock to set back, and would raise an
            # error.
            later = [fleet for fleet in self._fleets if _latest_clock(fleet) >= time_us]
            for fleet in later or self._fleets[:1]:
                fleet.rewind(time_us, None)
            self._take(later)

    def feed_columns(self, *columns: Any) -> tuple[int, int, int, int]:
        return self.feed(self.count, *columns)

    def feed(
        self,
        threads: int,
        latitude: Any,
        longitude: Any,
        accuracy: Any,
        time: Any,
        multiplier: int,
        divisor: int,
        refuse_invalid: bool,
        codes: Any,
        names: tuple[str, ...],
        first_row: int,
    ) -> tuple[int, int, int, int]:
        """Feeds columns like a single fleet, with at most `threads` threads at a time."""
        ellipse: tuple[Any, ...] = ()
        if isinstance(accuracy, tuple):
            accuracy, *ellipse = accuracy  # type: ignore[assignment]
        columns: Any = (latitude, longitude, accuracy, time, *ellipse)
        unit: Any = (multiplier, divisor, False)
        with self._lock:
            self._take_added()
            if refuse_invalid:
                tried: Any = (*_with_ellipses(columns), multiplier, divisor, True)
                MonitorHandle().feed_columns(*tried)
            given, used = _codes(codes)
            lengths = {len(column) for column in (*columns, given) if not _is_number(column)}
            if len(lengths) > 1 or not used or not all(0 <= code < len(names) for code in used):
                whole: Any = (*_with_ellipses(columns), *unit, codes, names, first_row)
                return self._fleets[0].feed_columns(*whole)  # raises the error or, if there are no rows, returns zeros
            try:
                new = self._enter(names[code] for code in used)
            except InvalidArgumentError as error:
                raise _at_row(error, given, used, names) from None
            try:
                numbers = self._owners(used, names)
                found: list[tuple[int, int, int, int]] = []
                for start in range(0, len(latitude), _BLOCK):
                    part = [column if _is_number(column) else column[start : start + _BLOCK] for column in columns]
                    rows: Any = bytes(len(part[0])) if given is None else given[start : start + _BLOCK]

                    def feed(
                        at: int, part: Any = part, rows: Any = rows, start: int = start
                    ) -> tuple[int, int, int, int]:
                        own: Any = (*_with_ellipses(part), *unit, rows, numbers[at], first_row + start)
                        return self._fleets[at].feed_columns(*own)

                    try:
                        self._refuse_full(start)
                        self._beside(threads, feed, list(numbers), found)
                    except BaseException as error:
                        error.result = _sum(found)  # type: ignore[attr-defined]
                        raise
                    finally:
                        self._take(self._fleets[at] for at in numbers)
                return _sum(found)
            finally:
                self._keep(new)

    def _owners(self, used: Sequence[int], names: Sequence[str]) -> dict[int, array[int]]:
        """Returns an array for each fleet that has any of the devices in `names`; the array maps an index into `names`
        to the device's number in that fleet."""
        found: dict[int, array[int]] = {}
        own: dict[int, list[int]] = {}
        for code in used:
            own.setdefault(self._numbers.number_of(names[code]) % len(self._fleets), []).append(code)
        for at, codes in sorted(own.items()):
            numbers = found[at] = array("Q", [_NO_DEVICE]) * len(names)
            entered = self._fleets[at].enter(tuple(names[code] for code in codes))
            for code, number in zip(codes, memoryview(entered).cast("Q")):
                numbers[code] = number
        return found

    def _beside(self, threads: int, feed: Callable[[int], Any], places: list[int], found: list[Any]) -> None:
        """Feeds several fleets in parallel. `found` receives the result of each fleet, even if a signal interrupts the
        call."""
        if threads == 1 or len(places) < 2:
            found.extend(feed(at) for at in places)
            return
        with ThreadPoolExecutor(min(threads, len(places))) as pool:
            feeding = [pool.submit(feed, at) for at in places]
            try:
                wait(feeding)
            finally:
                wait(feeding)  # an interruption does not stop calls that are running, so wait for them
                found += [each.result() for each in feeding if each.exception() is None]
            for each in feeding:
                each.result()

    # ------------------------------------------------------------------------------------------- events

    def poll_events(self, limit: int) -> list[Any]:
        with self._lock:
            self._take_added()
            self._events.refuse_second()
            return self._events.take(limit)

    def poll_event(self) -> Any:
        found = self.poll_events(1)
        return found[0] if found else None

    def next_update(self) -> Any:
        with self._lock:
            self._take_added()
            found = self._events.take(1)
            return found[0] if found else None

    def acknowledge(self, turn: int | None) -> bool:
        return self._settle(turn, self._events.commit)

    def abandon(self, turn: int | None) -> bool:
        return self._settle(turn, self._events.abandon)

    def _settle(self, turn: int | None, settle: Callable[[], None]) -> bool:
        with self._lock:
            if turn is not None and turn != self._events.turn:
                return False
            settle()
            return True

    def turn(self) -> int:
        return self._events.turn

    def attach(self, descriptor: int) -> None:
        with self._lock:
            self._events.attach(descriptor)

    def detach(self, descriptor: int) -> None:
        with self._lock:
            self._events.detach(descriptor)

    def end_updates(self) -> None:
        self._events.end()  # does not take the lock, because a thread that is feeding may hold it for long

    def closed(self) -> bool:
        return self._events.closed

    # ------------------------------------------------------------------------------------------- itself

    def next_deadline(self) -> int | None:
        found = [fleet.next_deadline() for fleet in self._fleets]
        return min((time for time in found if time is not None), default=None)

    def statistics(self) -> tuple[Any, ...]:
        with self._lock:
            self._take_added()
            each = [fleet.statistics() for fleet in self._fleets]
            inputs = [sum(column) for column in list(zip(*each))[1:6]]
            inputs[3] += self._ahead_advances
            clock, conditions = each[0][0], each[0][9]
            events = self._events.pending(), self._events.delivered
            size, doubted = sum(one[10] for one in each), sum(one[13] for one in each)
            no_store = each[0][11:13]
            return (clock, *inputs, *events, len(self._numbers), conditions, size, *no_store, doubted)

    def snapshot(self) -> bytes:
        raise UnsupportedError(
            "a fleet with several threads does not support snapshots and copies: export its devices instead"
        )

    def fork(self) -> Any:
        return self.snapshot()  # raises the error

    def checkpoint(self) -> None:
        pass  # the fleets are in memory

    def close(self) -> None:
        pass  # as above


def _at_row(error: InvalidArgumentError, given: Any, used: Sequence[int], names: Sequence[str]) -> InvalidArgumentError:
    """Converts an error about an identifier to an error about the first row with that identifier."""
    if given is None:
        return error
    for code in used:
        try:
            Handle(TableHandle()).enter((names[code],))
        except InvalidArgumentError as found:
            row = list(given).index(code)
            found.position = row
            found.args = (f"row {row}: {str(found).removeprefix('row 0: ')}",)
            return found
    return error


def _latest_clock(fleet: Handle) -> float:
    clocks = [fleet.statistics()[_CLOCK], *(clock for _, clock, _ in fleet.positions(None))]
    return max((clock for clock in clocks if clock is not None), default=float("-inf"))


def _codes(codes: Any) -> tuple[Any, list[int]]:
    """Returns a column of indices, and the distinct indices in order of appearance. If all rows belong to one device,
    returns None and one index."""
    if codes is None:
        return None, [0]
    try:
        given = memoryview(codes)
        return given, list(dict.fromkeys(given.tolist())) if given.ndim == 1 and given.format not in ("d", "f") else []
    except (TypeError, ValueError, BufferError, NotImplementedError):
        return None, []  # the value is not a column of integers


def _is_number(column: Any) -> bool:
    """True for None and for a number that applies to all rows; False for a column."""
    return column is None or isinstance(column, float)


def _sum(found: Iterable[tuple[int, int, int, int]]) -> tuple[int, int, int, int]:
    accepted, invalid, late, doubted = map(sum, zip((0, 0, 0, 0), *found))
    return accepted, invalid, late, doubted


def _with_ellipses(columns: Sequence[Any]) -> tuple[Any, ...]:
    """Puts the columns of error ellipses, which come last, into one tuple with the accuracies."""
    latitude, longitude, accuracy, time, *ellipse = columns
    return latitude, longitude, (accuracy, *ellipse) if ellipse else accuracy, time
