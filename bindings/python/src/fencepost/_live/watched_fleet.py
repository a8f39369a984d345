"""Feeds the live fixes of devices to a fleet."""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable
from typing import Any

from .._files.doubts import ellipse_fault
from .._files.tracks import FixRow
from .._fleet.fleet import Fleet
from .._native import FencepostError, QueueFullError
from .device_lines import source_of
from .gaps import Gaps
from .handling import Handle, Handling
from .live_event import LiveEvent
from .messages import DeviceFix, Gone, Message, WaypointRefused
from .notices import Notices
from .sorting import Held, Seen, Sorter, is_sortable
from .spans import moment_text, span_text
from .waypoints import OwnersCircles

MAX_DEVICES = 10_000
HOUR = 3600.0
REFUSALS = {
    "passed_fixes": "fixes were not fed again, because their devices had already been fed up to that time",
    "late_fixes": "fixes came late and were skipped",
    "double_fixes": "fixes had the same time as the previous fix and were skipped",
    "invalid_fixes": "fixes had no usable position or time and were skipped",
    "doubted_fixes": "fixes were doubted and skipped, because their devices cannot have moved so fast",
    "future_fixes": "fixes were too far ahead of the clock and were skipped",
    "refused_devices": "fixes were skipped, because their devices would exceed --max-devices",
}


class _Followed:
    """The state of a device in a watch."""

    __slots__ = ("clock", "deadline", "fed_to", "gone", "seen", "source", "way_from")

    def __init__(self, clock: int | None) -> None:
        self.clock = self.fed_to = clock
        # The largest time that was seen from the device, and the monotonic time at which it arrived. If fixes are held
        # to be sorted, this time is later than the last fix that was fed.
        self.seen: Seen | None = None
        # The time of the last fix that was fed, at which the movement to the next fix begins.
        self.way_from = 0 if clock is None else clock
        self.deadline: int | None = None
        self.source: bytes | None = None
        self.gone = False


class FleetWatch(Handling):
    """Feeds the live fixes of devices to a fleet. Each device has its own clock: the time of its last fix plus the time
    since the fix arrived, minus `lag`. Because the clocks are separate, a device that reports late or sends old fixes
    does not delay other devices. Messages that a broker has held back do not count as late.

    A fix counts only if it is later than its device's clock, so a repeated fix is skipped.

    With a path, a device's movement to its next fix is unknown until that fix arrives. On a fleet with a path, the
    clock of a device stands still until the time since its last fix exceeds `max_gap`.

    Args:
        fleet: The fleet, with its conditions.
        handle: Called with one event at a time, in order; returns True when the event is handled.
        notices: Receives the notices about refused inputs.
        circles: The circles of the devices' owners.
        by: The member of a message that names the device.
        named: The device to use for fixes that do not name their device.
        lag: The maximum delay of a fix, in seconds: a fix may arrive this much later than its time.
        reorder: The fixes of sources are held for this many seconds and fed in order of time; 0 feeds them at once.
        ahead: Fixes more than this many seconds ahead of the wall clock are refused; None means no limit.
        max_devices: The maximum number of devices. Fixes from any further device are refused.
        expire: A device that sends no message for this many seconds is removed, regardless of the times in its fixes.
            If `expire` is None, devices are never removed.
        unknown_accuracy: The accuracy, in metres, to use for fixes with accuracy 0, which trackers send if they do not
            know the accuracy.
        numbered_by: The member of a message that contains the message number; see :class:`Gaps`.
        max_gap: The path's ``max_gap``, in seconds; None means that the fleet has no path.
        monotonic: Returns the seconds of a monotonic clock.
        wall: Returns the seconds since 1970.

    Attributes:
        counts: The counters by name. ``messages`` and ``fixes`` count the inputs. ``passed_fixes``, ``late_fixes``,
            ``double_fixes``, ``invalid_fixes``, ``doubted_fixes``, ``future_fixes`` and ``refused_devices`` count the
            refused fixes by reason. ``waypoints`` counts changed circles, ``gone`` counts lost connections of devices,
            ``events`` counts events, and ``expired_devices`` counts removed devices.
        takes_waypoints: Whether the waypoints of phones become circles.
    """

    def __init__(
        self,
        fleet: Fleet,
        handle: Handle,
        notices: Notices,
        circles: OwnersCircles,
        *,
        by: str = "device",
        named: str = "",
        lag: float = 5.0,
        reorder: float = 0.0,
        ahead: float | None = 60.0,
        max_devices: int = MAX_DEVICES,
        expire: float | None = None,
        unknown_accuracy: float = 0.0,
        numbered_by: str | None = None,
        max_gap: float | None = None,
        monotonic: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(fleet, handle, notices, monotonic)
        self.takes_waypoints = True
        self.fleet, self.circles, self._by = fleet, circles, by
        self._named = named
        self._behind_us, self._wall, self._max_devices = round(lag * 1e6) + round(reorder * 1e6), wall, max_devices
        if reorder:
            self.sorter = Sorter(reorder, lag, monotonic)
        self._ahead_us = None if ahead is None else round(ahead * 1e6)
        # After a crash, the store may lack the last inputs, so no device expires in the first hour of the watch.
        self._expire, self._expire_at = expire, monotonic() + HOUR
        # Arrival times use the monotonic clock, so setting the wall clock cannot make a device look silent.
        self._started_us, self._started = round(wall() * 1e6), monotonic()
        self._unknown_accuracy = unknown_accuracy
        self._max_gap_us = None if max_gap is None else round(max_gap * 1e6)
        self._gaps = Gaps(numbered_by, self.counts, notices)
        # A heap of the devices' deadlines, in monotonic time. An entry is valid only while its deadline equals the
        # device's current deadline.
        self._due: list[tuple[float, str, int]] = []
        self.devices: dict[str, _Followed] = {}
        self._has_new_circles = False
        now = monotonic()
        for device in fleet.devices:
            followed = self.devices[device] = _Followed(fleet._handle.device_statistics(device)[0])
            if followed.clock is not None:
                followed.seen = (followed.clock, now)  # the device's clock continues from the time in the store
                self._look_ahead(device, followed)

    # ------------------------------------------------------------------------------------------ input

    @property
    def has_events(self) -> bool:
        """Whether events are pending that no handler has received yet."""
        return self._waiting is None and self.fleet._handle.statistics()[6] > 0

    @property
    def is_behind(self) -> bool:
        """True if reading and feeding should pause: too many events are waiting, or events are waiting while the store
        fails."""
        return super().is_behind or (not self.is_kept and self.fleet._handle.statistics()[6] > 0)

    def feed(self, message: Message | FixRow | None, place: str = "a message") -> bool:
        """Feeds a message; returns False if events must be handled first."""
        if isinstance(message, tuple):
            return self._feed_fix(DeviceFix(self._named, message), place)
        if isinstance(message, DeviceFix):
            return self._feed_fix(message, place)
        self.counts["messages"] += 1
        if message is None:
            return True
        if isinstance(message, Gone):
            self.counts["gone"] += 1
            if (followed := self.devices.get(message.device)) is not None:
                followed.gone = True
                if self._seen is not None:
                    self._look_ahead(message.device, followed)  # a deadline may have waited for this message
                if self.observer is not None:
                    self.observer.moved(message.device, None)
            return True
        if not self.takes_waypoints:
            return True
        for error in message.refused:
            self.counts[error.kind] += 1
            self._notices.seldom(error.kind, f"{place}: {error}")
        for waypoint in message.waypoints:
            try:
                if self.circles.take(message.device, waypoint):
                    self.counts["waypoints"] += 1
                    self._has_new_circles = True
                    if self.observer is not None:
                        self.observer.is_outdated = True
                    text = f"{place}: {message.device} has changed the waypoint {waypoint.name!r}"
                    self._notices.seldom("waypoint", text)
            except WaypointRefused as error:
                self.counts[error.kind] += 1
                self._notices.seldom(error.kind, f"{place}: {error}")
        return True

    def sort(self, sorter: Sorter, held: Held) -> None:
        message = held.message
        if isinstance(message, tuple):
            held.device, row = self._named, message
        elif isinstance(message, DeviceFix):
            held.device, row = message.device, message.row
        else:
            # The position that the device had before it lost its connection may still be held.
            if isinstance(message, Gone) and sorter.holds(message.device):
                held.device = message.device
                sorter.add_last(held)
            else:
                sorter.pass_through(held)
            return
        device = held.device
        if not self._may_be_held(sorter, device, row):
            sorter.pass_through(held)
            return
        held.row = row
        if not sorter.add(held):
            for name in ("messages", "fixes", "double_fixes"):
                self.counts[name] += 1
            return
        followed, seen = self.devices.get(device), None if self._doubts else sorter.seen(device)
        if followed is not None and seen is not None and seen != followed.seen:
            followed.seen = seen
            self._look_ahead(device, followed)

    def _may_be_held(self, sorter: Sorter, device: str, row: FixRow) -> bool:
        """True unless the fix will be refused, or would exceed the number of devices."""
        at = row[3]
        if not is_sortable(row):
            return False
        if self._ahead_us is not None and at > round(self._wall() * 1e6) + self._ahead_us:
            return False
        if (followed := self.devices.get(device)) is not None:
            return followed.clock is None or at > followed.clock
        return sorter.holds(device) or max(len(self.devices), sorter.device_count) < self._max_devices

    def keep(self) -> None:
        """Saves changes to the owners' circles immediately. If this method is not called, the changes are saved only
        with the next call on the fleet."""
        if self._has_new_circles:
            self._has_new_circles = False
            try:
                self.fleet.checkpoint()
            except FencepostError as error:
                self._notices.seldom("store", f"waypoints cannot be saved yet: {error}")
        super().keep()

    def _feed_fix(self, message: DeviceFix, place: str) -> bool:
        device, row = message.device, message.row
        followed = self.devices.get(device)
        refusal = self._refusal(followed, row)
        if refusal is None:
            if row[2] == 0:
                self.counts["unknown_accuracies"] += 1
                row = (row[0], row[1], self._unknown_accuracy, *row[3:])
            try:
                if self._expire is not None:
                    self.fleet.set_arrival_time(self._arrival_us())
                self.fleet._handle.feed_fix(device, *row)
            except QueueFullError:
                return False
            except FencepostError as error:
                refusal = "invalid_fixes", str(error)
                if followed is None:
                    self.fleet.remove_device(device)  # the device was added only for this fix, which was refused
            else:
                if followed is None:
                    followed = self.devices[device] = _Followed(None)
                if row[2] >= 0:
                    if self._is_doubted(device, row[3]):
                        refusal = "doubted_fixes", "the device cannot have moved there since its last fix"
                    else:
                        self._took(device, followed, message)
                else:
                    refusal = "invalid_fixes", "there is no position"
        self.counts["messages"] += 1
        self.counts["fixes"] += 1
        if followed is not None:
            self._gaps.look(device, message.source, place)
        self.outcome = "accepted" if refusal is None else refusal[0]
        if refusal is not None:
            if followed is not None and self._seen is not None:
                self._look_ahead(device, followed)  # a deadline may have waited for this fix
            kind, why = refusal
            self.counts[kind] += 1
            if kind != "double_fixes":
                self._notices.seldom(kind, f"{place}: {device}: {why}")
        return True

    def _is_doubted(self, device: str, time_us: int) -> bool:
        """Returns whether the fix with this time, which was fed last, has not moved the device's clock."""
        if not self._doubts:
            return False
        clock = self.fleet._handle.device_statistics(device)[0]
        return clock is None or clock < time_us

    def _took(self, device: str, followed: _Followed, message: DeviceFix) -> None:
        at = message.row[3]
        followed.clock, followed.fed_to, followed.way_from = at, None, at
        followed.seen = self._seen or (at, self._monotonic())
        followed.source, followed.gone = message.source, False
        self._look_ahead(device, followed)
        self.lags[self.source_name] = self._wall() - self._held_s - at / 1e6
        if self.observer is not None:
            self.observer.moved(device, message.row)

    def _refusal(self, followed: _Followed | None, row: FixRow) -> tuple[str, str] | None:
        """If a fix must be refused before it reaches the fleet, returns the name of the counter and the reason;
        otherwise None."""
        at = row[3]
        if self._ahead_us is not None:
            wall_us = round(self._wall() * 1e6)
            if at > wall_us + self._ahead_us:
                apart = f"{moment_text(at)} is {span_text(at - wall_us)} ahead of this computer's clock"
                return "future_fixes", f"{apart}; such fixes are refused without --any-time"
        if followed is None:
            if len(self.devices) >= self._max_devices:
                return "refused_devices", f"would exceed the {self._max_devices} devices of --max-devices"
            # Without this check, the fleet would add the device before it refuses the fix.
            if not (abs(row[0]) <= 90 and abs(row[1]) <= 180 and row[2] >= 0):
                return "invalid_fixes", f"the first fix has no valid position: {row[0]}, {row[1]}, accuracy {row[2]}"
            if fault := ellipse_fault(*row[4:][:3]):
                return "invalid_fixes", f"the first fix has an error ellipse {fault}"
            return None
        clock = followed.clock
        if clock is None or at > clock:
            return None
        if clock == followed.fed_to:
            return (
                "passed_fixes",
                f"{moment_text(at)} is not after {moment_text(clock)}, the time that was reached before the restart",
            )
        if at == clock:
            return "double_fixes", ""
        return "late_fixes", f"{moment_text(at)} is {span_text(clock - at)} before the device's clock"

    # ------------------------------------------------------------------------------------------- time

    def _look_ahead(self, device: str, followed: _Followed) -> None:
        """Schedules the next time at which the state of a device can change without a new fix."""
        deadline = self.fleet._handle.device_deadline(device)
        if deadline == followed.deadline and deadline is None:
            return
        followed.deadline = deadline
        if deadline is not None and followed.seen is not None:
            heapq.heappush(self._due, (self._due_at(followed, followed.seen, deadline), device, deadline))
            if len(self._due) > 4 * len(self.devices) + 64:
                self._due = [each for each in self._due if self._counts_still(each)]
                heapq.heapify(self._due)

    def _counts_still(self, entry: tuple[float, str, int]) -> bool:
        followed = self.devices.get(entry[1])
        if followed is None or followed.deadline != entry[2] or followed.seen is None:
            return False
        return entry[0] == self._due_at(followed, followed.seen, entry[2])

    def _settled(self, followed: _Followed, deadline: int) -> int:
        """The time to which a device must be advanced so that a deadline takes effect. With a path, the time must also
        be more than `max_gap` after the last fix."""
        return deadline if self._max_gap_us is None else max(deadline, followed.way_from + self._max_gap_us + 1)

    def _due_at(self, followed: _Followed, seen: Seen, deadline: int) -> float:
        """The monotonic time at which a deadline of a device is due, given the largest time seen from the device."""
        then, at = seen
        return at + (self._settled(followed, deadline) - then + self._behind_us) / 1e6

    def pass_time(self) -> None:
        """Advances silent devices whose changes are due, so that these changes are confirmed."""
        now = self._monotonic()
        while self._due and self._due[0][0] <= now and not self._has_released:
            entry = heapq.heappop(self._due)
            if not self._counts_still(entry):
                continue
            _, device, deadline = entry
            followed = self.devices[device]
            deadline = self._settled(followed, deadline)
            if self.sorter is not None:
                earliest = self.sorter.earliest(device)
                if earliest is not None and earliest <= deadline:
                    continue  # a held fix must not become late; the device is looked at again when the fix is fed
            try:
                self.fleet._handle.advance(deadline, device)
            except QueueFullError:
                heapq.heappush(self._due, entry)
                break
            followed.clock = max(deadline, followed.clock or deadline)
            self._look_ahead(device, followed)
        self.look_at_store()
        if self._expire is not None and now >= self._expire_at:
            self._expire_at = now + HOUR
            self._forget_silent(self._expire)

    @property
    def _has_released(self) -> bool:
        return self.sorter is not None and bool(self.sorter.ready)

    def _arrival_us(self) -> int:
        """The arrival time of an input that arrives now: the wall clock at the start plus the time since then."""
        return self._started_us + round((self._monotonic() - self._started) * 1e6)

    def _forget_silent(self, seconds: float) -> None:
        # The arrival time of a held fix is the time at which it is fed, up to `_behind_us` after its arrival.
        held_us = 0 if self.sorter is None else self._behind_us
        gone = self.fleet.expire(arrived_before=self._arrival_us() - round(seconds * 1e6) - held_us)
        for device in gone:
            self.devices.pop(device, None)
            self._gaps.forget(device)
        if gone and self.observer is not None:
            self.observer.forgotten(gone)
        if gone:
            self.counts["expired_devices"] += len(gone)
            self._notices.say(
                f"{len(gone)} devices were silent for longer than --expire and were removed, {gone[0]} among them"
            )

    def pause(self) -> float | None:
        """Seconds until the watch must act even if no input arrives; None if it need not act."""
        pauses = self._until_retry()
        if self._due and not self.is_behind:
            pauses.append(self._due[0][0] - self._monotonic())
        return max(0.0, min(pauses)) if pauses else None

    # ----------------------------------------------------------------------------------------- events

    def _take(self) -> bool:
        """Takes the next event for the handler, and skips events at circles that do not belong to the device's
        owner."""
        while (event := self.fleet.next_event()) is not None:
            if not self.circles.is_others(event.identifier, event.device):
                self._waiting = self._handed(event)
                return True
            self.fleet.acknowledge()
        return False

    def _handed(self, event: Any) -> LiveEvent:
        self.counts["events"] += 1
        followed = self.devices.get(event.device)
        source = source_of(followed.source, self._by) if followed is not None else {}
        handed = LiveEvent(event, source, self.circles.time_of(event.identifier))
        if self.observer is not None:
            self.observer.happened(handed)
        return handed

    def report(self, name: str) -> None:
        """Reports the refused inputs of a source."""
        for key, what in REFUSALS.items():
            if self.counts[key]:
                self._notices.say(f"{name}: {self.counts[key]} of {self.counts['fixes']} {what}")
