"""Follows devices in a program. ``fencepost watch`` uses this module."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from datetime import timedelta
from enum import StrEnum
from os import PathLike
from typing import TYPE_CHECKING, Any, Self

from .._files.condition_files import ConditionRow
from .._files.sources import ConditionsSource, as_conditions
from .._files.tracks import FixRow, known_beside
from .._files.vector import Reading
from .._fleet.conditions import Zones
from .._fleet.fleet import Fleet
from .._monitor.filling import sync_conditions
from .._monitor.monitor import Monitor
from .._native import InvalidArgumentError, QueueFullError
from .._tables.times import seconds_to_us
from .._values.arguments import as_policy, member, vertex_limit
from .._values.enums import DevicePath, EventOrder, State
from .._values.fixes import Fix
from .._values.policy import TransitionPolicy
from .._values.results import SyncResult
from .device_lines import read_message
from .home_assistant import HomeAssistantEvents, places_of
from .lines import LineError, parse_line
from .live_events import Awaited, LiveEvents
from .loop import Watcher
from .messages import DeviceFix, device_name
from .mqtt_sink import PublishedEvents
from .notices import LOGGER, SHARED, Notices
from .observers import Observer, Observers
from .running import Running
from .sinks import Guarded, Sink, Sinks
from .waker import Stop
from .watched_fleet import MAX_DEVICES, FleetWatch
from .watched_monitor import Watch
from .waypoints import OwnersCircles

if TYPE_CHECKING:
    from .._values.schedule import Schedule

_CONFIDENCE = 0.68


class Fed(StrEnum):
    """The result of feeding a fix or a message.

    Example:
        >>> from fencepost.live import Fed
        >>> Fed("late") is Fed.LATE
        True
    """

    ACCEPTED = "accepted"
    """The fix was fed, or the message had another purpose (such as waypoints) and was processed."""
    PASSED = "passed"
    """The fix is not later than the clock of its device, and this clock was loaded from the store. A previous run has
    already processed the fix, so this message is a repeat."""
    LATE = "late"
    """The fix is not later than the device's clock."""
    DOUBLE = "double"
    """The fix has the same time as the previous fix."""
    INVALID = "invalid"
    """The fix has no usable position."""
    DOUBTED = "doubted"
    """The device cannot have moved there since its last fix; see `plausible_speed`."""
    FUTURE = "future"
    """The fix is more than `ahead` seconds ahead of the computer's clock."""
    REFUSED = "refused"
    """The fix comes from a new device, but there are already `max_devices` devices."""


class Follower(Running):
    """Follows devices by their live fixes: each device has its own clock, and each event goes to every sink until the
    sink has accepted it.

    Between two fixes, a device's clock is the time of the device's last fix plus the time since that fix arrived, minus
    `lag`. A device that reports late, or whose clock is wrong, does not delay other devices. The follower does not
    start threads or install signal handlers. Time passes only in :meth:`tick`, and in :meth:`events`, :meth:`run` and
    :meth:`serve`, which all call :meth:`tick`. All methods may be called from any thread. A follower is a context
    manager, for ``with`` and for ``async with``.

    An event is acknowledged when every sink has accepted it and, if the program loops over :meth:`events`, the loop
    asks for the next event. Until an event is acknowledged, it is redelivered; if there is a `store`, it is redelivered
    even after a restart. Each event is delivered at least once; use ``(device, sequence)`` to recognise a repeated
    event. While the store cannot be written, no event is delivered and no message is acknowledged to its source.

    Args:
        zones: A path, conditions by identifier, a GeoDataFrame, an Arrow table or a :class:`Zones`. `zones` may also be
            a :class:`Fleet` or :class:`Monitor`: the follower feeds it, and :meth:`close` leaves it open. A monitor
            follows one device.
        sinks: Functions or sink objects; each is called with every event. If a sink returns False or raises an
            exception (which is logged), the sink is called again with the same event after 1 to 60 s. A sink may be a
            function, an asynchronous function (only with :meth:`serve`), or a sink of :mod:`fencepost.live`.
        store: An existing directory in which the fleet is stored.
        name: The name of the fleet in the store.
        device: The member of JSON messages that names the device.
        lag: The maximum delay of a fix, in seconds: a fix may arrive this much later than its time.
        reorder: A time span, in seconds or as a timedelta, at most a day. A source's fix is held until the largest time
            seen from its device is this much later; the fixes are then fed in order of time, and their messages are
            acknowledged. While a device is silent, its largest time grows with the time that passes, minus `lag`. 0
            feeds fixes at once. Fixes that are passed to :meth:`feed` or :meth:`receive` are never held.
        ahead: Fixes more than this many seconds ahead of the computer's clock are refused; None means no limit.
        expire: A time span, in seconds or as a timedelta. A device that sends nothing for this long is removed; None
            means that devices are never removed.
        max_devices: The maximum number of devices. Fixes from additional devices are refused.
        unknown_accuracy: The accuracy, in metres, to use for fixes with accuracy 0, which trackers send if they do not
            know the accuracy.
        policy: The transition policy of zones without a policy; None means ``standard``.
        radius: The radius, in metres, to use for points that do not state a radius.
        assuming: The state of each zone before the first fix of a device. If `assuming` is None, the assumed state is
            unsatisfied for a fleet and unknown for a monitor.
        columns: Names of the columns in a table of zones.
        max_vertices: The largest number of vertices of each shape in a file or table; None means 500,000. See
            :class:`Zones`.
        waypoints: True if a waypoint from an OwnTracks phone becomes a circle for the devices of the phone's owner.
        path: How each device is assumed to move between its fixes; see :class:`Fleet`. A fleet or monitor that is
            passed as `zones` has its own path.
        max_gap: The ``max_gap`` of the path, in seconds. With a path, a device's clock stands still until the gap since
            the device's last fix exceeds `max_gap`. If `zones` is a fleet or monitor, pass `max_gap` only if that fleet
            or monitor has a path and was restored from a snapshot; any other fleet or monitor states its own
            ``max_gap``.
        max_speed: The ``max_speed`` of the path, in metres per second; see :class:`Fleet`.
        plausible_speed: The greatest plausible speed, in metres per second; see :class:`Fleet`. A fleet or monitor that
            is passed as `zones` has its own.
        corroboration_count: See :class:`Fleet`.
        corroboration_time: See :class:`Fleet`.
        accuracy_confidence: The share of the true positions within the accuracy of a fix; see :class:`Fleet`. A fleet
            or monitor that is passed as `zones` has its own.
        order: The order of the events of one device at one instant; see :class:`Fleet`. A fleet or monitor that is
            passed as `zones` has its own.
        named: The device to use for fixes that do not name their device, such as the fixes of a GPS receiver.
        numbered_by: The member of JSON messages that contains the sequence number of a device's message; None means
            that messages have no number. Missing sequence numbers are logged and counted as ``missing_messages``.
        logger: Receives log records about refused inputs, lost connections and recoveries; at most one record of each
            kind per minute.
        notices: Receives the notices instead of `logger`; used by ``fencepost watch``.
        clock: Returns the seconds since 1970; used for the check of `ahead`.
        monotonic: Returns the seconds of a monotonic clock, which determines how much time has passed.

    Raises:
        InputError: The zones cannot be used.
        InvalidArgumentError: An option is out of its range.

    Example:
        >>> from fencepost import Circle, Fix, TransitionPolicy
        >>> from fencepost.live import Follower
        >>> seconds = [1_700_000_000.0]
        >>> clock = lambda: seconds[0]
        >>> home = {"home": Circle(52.5, 13.4, radius=100)}
        >>> follower = Follower(home, policy="exact", clock=clock, monotonic=clock)
        >>> follower.feed("phone", Fix(52.5, 13.4, accuracy=5, time=1_700_000_000_000_000))
        <Fed.ACCEPTED: 'accepted'>
        >>> [(event.device, event.identifier, str(event.state)) for event in follower.events()]
        [('phone', 'home', 'satisfied')]
    """

    def __init__(
        self,
        zones: ConditionsSource | Zones | Fleet | Monitor,
        *,
        sinks: Iterable[Sink] = (),
        store: str | PathLike[str] | None = None,
        name: str = "fleet",
        device: str = "device",
        lag: float = 5.0,
        reorder: float | timedelta = 0.0,
        ahead: float | None = 60.0,
        expire: float | timedelta | None = None,
        max_devices: int = MAX_DEVICES,
        unknown_accuracy: float = 0.0,
        policy: TransitionPolicy | str | None = None,
        radius: float | None = None,
        assuming: State | str | None = None,
        columns: Mapping[str, str] | None = None,
        max_vertices: int | None = None,
        waypoints: bool = True,
        path: DevicePath | str = DevicePath.FIXES,
        max_gap: float | None = None,
        max_speed: float | None = None,
        plausible_speed: float | None = None,
        corroboration_count: int = 3,
        corroboration_time: float | timedelta = 60.0,
        accuracy_confidence: float = _CONFIDENCE,
        order: EventOrder | str = EventOrder.ADD,
        named: str = "",
        numbered_by: str | None = None,
        logger: logging.Logger = LOGGER,
        notices: Notices | None = None,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        for option, value in (("lag", lag), ("ahead", ahead), ("unknown_accuracy", unknown_accuracy)):
            if value is not None and not 0 <= value < float("inf"):
                raise InvalidArgumentError(f"{option} {value} is not a number of 0 or more")
        expire = expire.total_seconds() if isinstance(expire, timedelta) else expire
        if expire is not None and not 0 < expire < float("inf"):
            raise InvalidArgumentError(f"expire {expire} is not a number of seconds above 0")
        window = seconds_to_us(reorder, "reorder") / 1e6
        if not 0 <= window <= 86_400:
            raise InvalidArgumentError(f"reorder is {window:g} s; must be from 0 to 86,400 s")
        way: dict[str, Any] = {
            "path": path,
            "max_gap": max_gap,
            "max_speed": max_speed,
            "plausible_speed": plausible_speed,
            "corroboration_count": corroboration_count,
            "corroboration_time": corroboration_time,
            "accuracy_confidence": accuracy_confidence,
            "order": order,
        }
        has_path = member(DevicePath, path, "path") != DevicePath.FIXES or max_speed is not None
        if has_path and isinstance(zones, Monitor | Fleet):
            raise InvalidArgumentError("path, max_speed: the fleet or monitor has its own path; do not pass them")
        if isinstance(zones, Monitor | Fleet):
            for option, differs in (
                ("plausible_speed", plausible_speed is not None),
                ("corroboration_count", corroboration_count != 3),
                ("corroboration_time", corroboration_time not in (60, timedelta(seconds=60))),
                ("accuracy_confidence", accuracy_confidence != _CONFIDENCE),
                ("order", order != EventOrder.ADD),
            ):
                if differs:
                    raise InvalidArgumentError(f"{option}: the fleet or monitor has its own; do not pass it")
            max_gap = _own_gap(zones, max_gap)
        self._stack = ExitStack()
        self._policy = TransitionPolicy.standard() if policy is None else as_policy(policy)
        self._reading: dict[str, Any] = {
            "columns": columns,
            "radius": radius,
            "how": Reading(max_vertices=vertex_limit(max_vertices)),
        }
        self._assuming = assuming
        self._device, self._named, self._source, self._is_closed = device, named, zones, False
        is_shared = logger is LOGGER and monotonic is time.monotonic
        self._notices = notices or (SHARED if is_shared else Notices(logger, monotonic))
        self._sinks = Sinks([])
        self._stop = self._running = Stop()
        self._awaited, self._is_served = Awaited(), False
        self._consumer: LiveEvents | None = None
        self._observers: list[Observer] = []
        self._circles: OwnersCircles | None = None
        self._hours: dict[str, Schedule] = {}
        """The schedules of the zones that were read last, by identifier. A table does not contain them."""
        self._watcher: Watcher
        options: dict[str, Any] = {
            "lag": lag, "reorder": window, "ahead": ahead, "unknown_accuracy": unknown_accuracy,
            "monotonic": monotonic, "wall": clock,
        }  # fmt: skip
        try:
            if isinstance(zones, Monitor):
                if store is not None or expire is not None:
                    raise InvalidArgumentError("store and expire apply only to a fleet; a monitor has its own store")
                self._watcher = Watch(zones, self._sinks, self._notices, max_gap=max_gap, **options)
            else:
                rows = None if isinstance(zones, Fleet | Zones) else self._read(zones, State.UNSATISFIED)
                fleet = self._fleet_of(zones, store, name, way)
                self._circles = OwnersCircles(fleet.conditions, self._policy, max_devices)
                if rows is not None:
                    self._synced(fleet.conditions, *rows)
                options |= {
                    "max_devices": max_devices,
                    "expire": expire,
                    "by": device,
                    "named": named,
                    "numbered_by": numbered_by,
                    "max_gap": max_gap,
                }
                self._watcher = FleetWatch(fleet, self._sinks, self._notices, self._circles, **options)
                self._watcher.takes_waypoints = waypoints
            for sink in sinks:
                self.add_sink(sink)
        except BaseException:
            self._stack.close()
            raise

    def _fleet_of(self, zones: Any, store: str | PathLike[str] | None, name: str, way: dict[str, Any]) -> Fleet:
        if isinstance(zones, Fleet):
            if store is not None:
                raise InvalidArgumentError("store: the fleet already has its own store; remove the argument")
            return zones
        table = zones if isinstance(zones, Zones) else Zones()
        return self._stack.enter_context(Fleet(table, store=store, name=None if store is None else name, **way))

    # ------------------------------------------------------------------------------------------ input

    def feed(self, device: str | None, fix: Fix) -> Fed:
        """Feeds a fix at the moment it arrives; returns the result.

        Args:
            device: The device's identifier, 1 to 256 bytes of UTF-8, or None for a monitor, which follows one device.
            fix: The fix, with its time.

        Raises:
            ValueError: `device` is not a valid identifier.
            QueueFullError: Too many events are waiting for the sinks.
            MonitorClosedError: The follower is closed.
        """
        row: FixRow = (fix.latitude, fix.longitude, fix.accuracy, fix.time_us, *known_beside(*fix._beside()))
        if self._is_one:
            if device is not None:
                raise InvalidArgumentError(f"device {device!r}: a monitor follows one device; pass None")
            return self._fed(row, "feed")
        return self._fed(row if device is None and self._named else DeviceFix(device_name(device), row), "feed")

    def receive(self, message: bytes | str | Mapping[str, Any], topic: str | None = None) -> Fed | None:
        """Feeds an OwnTracks or Traccar message, or a JSON object with device, latitude (or lat), longitude (or lon),
        time, and optionally accuracy, error_ellipse (an array of three numbers), altitude, vertical_accuracy,
        geoid_height and ground_height (numbers), as in :class:`Fix`.

        Args:
            message: The message as JSON text or as a parsed object. Members other than the fix and the device become
                the ``source`` of events.
            topic: The MQTT topic. For an OwnTracks message, the topic names the device. For any other message, the
                topic names the device only if the message does not.

        Returns:
            The result, or None if the message is blank or is of a kind that contains no positions.

        Raises:
            ValueError: The message cannot be used; the text of the exception gives the reason.
            QueueFullError: Too many events are waiting for the sinks.
            MonitorClosedError: The follower is closed.
        """
        if isinstance(message, Mapping):
            try:
                message = json.dumps(dict(message))
            except (TypeError, ValueError) as error:
                raise LineError(f"is not a JSON object: {error}") from None
        data = message.encode("utf-8", "surrogatepass") if isinstance(message, str) else bytes(message)
        try:
            found = parse_line(data) if self._is_one else read_message(data, self._device, topic)
        except LineError as error:
            self._watcher.counts[error.kind] += 1
            raise
        return None if found is None else self._fed(found, "receive")

    def _fed(self, message: Any, place: str) -> Fed:
        watcher = self._watcher
        with watcher.lock:
            self._check_open()
            watcher.outcome = "accepted"
            if not watcher.feed(message, place):
                raise QueueFullError("too many events are pending: loop over events(), or run the sinks")
            outcome = Fed(watcher.outcome.partition("_")[0])
        self._awaited.wake()
        self._running.wake()
        return outcome

    @property
    def _is_one(self) -> bool:
        return isinstance(self._watcher, Watch)

    def save(self) -> bool:
        """Retries a failed save; then returns True if everything that was fed is in the store. If the method returns
        False, the sender of the message should keep the message. If the follower has no store, the method returns
        True."""
        with self._watcher.lock:
            self._check_open()
            self._watcher.keep()
            return self._watcher.is_kept

    def sync(self, zones: ConditionsSource | None = None) -> SyncResult:
        """Replaces the zones. Zones that have not changed keep their state; all other zones are added, replaced or
        removed. Events that wait to be redelivered are redelivered at once.

        Args:
            zones: Zones in any form that :class:`Follower` accepts. If `zones` is None, the follower's original path or
                table is read again.

        Raises:
            InputError: The new zones cannot be used; the current zones stay.
        """
        source = self._source if zones is None else zones
        if isinstance(source, Zones | Fleet | Monitor):
            raise TypeError("sync: the program owns these zones; change the zones directly")
        found = self.sync_rows(*self._read(source, State.UNKNOWN if self._is_one else State.UNSATISFIED))
        self._source = source
        return found

    def sync_rows(self, label: str, rows: Sequence[ConditionRow]) -> SyncResult:
        """Replaces the zones, like :meth:`sync`, with rows that were already read."""
        watcher = self._watcher
        holder = watcher.monitor if isinstance(watcher, Watch) else watcher.fleet.conditions
        with watcher.lock:
            self._check_open()
            result = self._synced(holder, label, rows)
            watcher.look_again()
        self._awaited.wake()
        return result

    def _read(self, zones: Any, initial: State) -> tuple[str, list[ConditionRow]]:
        assuming = initial if self._assuming is None else self._assuming
        return as_conditions(zones, self._policy, "zones", assuming=assuming, **self._reading)

    def _synced(self, holder: Zones | Monitor, label: str, rows: Sequence[ConditionRow]) -> SyncResult:
        if self._circles is None:
            result = sync_conditions(holder, rows, label)
            self._hours = _hours_of(rows)
            return result
        identifiers = {row.identifier for row in rows}
        result = sync_conditions(holder, rows, label, self._circles.definitions(but=identifiers))
        self._hours = _hours_of(rows)
        for identifier in self._circles.give_way(identifiers):
            self._notices.say(f"{label}: {identifier!r} replaces the waypoint with the same name")
        return result

    # ----------------------------------------------------------------------------------------- itself

    @property
    def fleet(self) -> Fleet:
        """The fleet that the follower feeds.

        Raises:
            InvalidArgumentError: The follower feeds a monitor, so it has no fleet.
        """
        if isinstance(self._watcher, Watch):
            raise InvalidArgumentError("this follower follows a monitor, not a fleet")
        return self._watcher.fleet

    def report(self, name: str) -> None:
        """Logs how many fixes of the named source were refused."""
        self._watcher.report(name)

    @property
    def counts(self) -> dict[str, int]:
        """The counts by name: ``messages``, ``fixes``, ``late_fixes``, ``double_fixes``, ``passed_fixes``,
        ``invalid_fixes``, ``doubted_fixes``, ``future_fixes``, ``bad_lines``, ``events`` and others. If a name is
        missing, its count is 0."""
        with self._watcher.lock:
            return dict(self._watcher.counts)

    def add_sink(self, sink: Sink) -> None:
        """Adds a sink; it receives all further events.

        Raises:
            InvalidArgumentError: The sink publishes events by device, but this follower feeds a monitor.
        """
        if isinstance(sink, PublishedEvents | HomeAssistantEvents) and self._is_one:
            raise InvalidArgumentError(
                "to_mqtt publishes by device, but a monitor has no devices: follow zones or a fleet"
            )
        if isinstance(sink, HomeAssistantEvents):
            fleet, circles = self.fleet, self._circles
            assert circles is not None
            sink.places_of = lambda device: places_of(fleet, circles, device)
            sink.inside = lambda device: [row[0] for row in fleet._handle.inside(device)]
            sink.announce(fleet.devices)
            self.observe(sink)
        self._sinks.add(Guarded(sink, self._notices))

    def observe(self, observer: Observer) -> None:
        """Adds an observer; it is notified of moves and events, like the page of ``fencepost watch``."""
        self._observers.append(observer)
        self._watcher.observer = Observers(self._observers)

    def close(self) -> None:
        """Closes the follower: loops over its events end, and a fleet that the follower created is closed. Sinks stay
        open."""
        with self._watcher.lock:
            if self._is_closed:
                return
            self._is_closed = True
            self._stop.stop()
            self._awaited.wake()
            self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        self.close()


def _hours_of(rows: Sequence[ConditionRow]) -> dict[str, Schedule]:
    """The schedules of conditions by identifier."""
    timings = {row.identifier: row.timing for row in rows if row.timing is not None}
    return {name: timing.active for name, timing in timings.items() if timing.active is not None}


def _own_gap(followed: Monitor | Fleet, max_gap: float | None) -> float | None:
    """Returns the ``max_gap`` of a monitor or fleet, in seconds; returns `max_gap` if the monitor or fleet does not
    state its own.

    Raises:
        InvalidArgumentError: `max_gap` differs from the ``max_gap`` of the monitor or fleet.
    """
    own = followed._max_gap_us
    if own is None:
        return max_gap
    if max_gap is not None and round(max_gap * 1e6) != own:
        raise InvalidArgumentError(f"max_gap is {max_gap}, but the path has max_gap {own / 1e6:g}; remove the argument")
    return own / 1e6
