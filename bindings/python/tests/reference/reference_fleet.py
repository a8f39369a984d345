"""A literal implementation of the rule for fleets: one reference monitor for each device.

*A fleet with devices d1 … dn gives exactly the events of n monitors with the same conditions, interleaved in the order
of input.* Each monitor is created before the first condition, never uses a fix that came before a condition was added,
and gets every change of the table, every advance of the fleet, and the inputs of its device. This fleet is simple but
slow, because a device that is added late replays all earlier changes and advances.
"""

from __future__ import annotations

from reference import ReferenceMonitor
from reference_values import Refused

OPTIONS = (
    "beacon_exit_timeout",
    "beacon_initial_timeout",
    "max_time_step",
    "plausible_speed",
    "corroboration_count",
    "corroboration_time",
    "accuracy_confidence",
    "order",
)
TIMING = {"active", "active_until", "absent_after", "repeat_every", "repeat_limit", "max_events"}


class ReferenceTable:
    """Holds the conditions in a monitor that is never fed. Every fleet over the table receives the changes of the
    table."""

    def __init__(self):
        self.conditions = self.monitor()
        self.fleets = []
        self.past = []

    def change(self, name, *arguments, **rest):
        if name.startswith(("add", "ensure")):
            rest.setdefault("assuming", "unsatisfied")
        if name.endswith(("_beacon", "_gate")) and set(rest) & TIMING:
            raise Refused("invalid_argument", "only shapes of a table have a timing")
        before = self.generations()
        getattr(self.conditions, name)(*arguments, **rest)
        after = self.generations()
        gone = {identifier for identifier in before if after.get(identifier) != before[identifier]}
        self.past.append((name, arguments, rest))
        for fleet in self.fleets:
            fleet.change((name, arguments, rest), gone)

    @staticmethod
    def monitor(**options):
        """Returns a monitor with the rules of a table: it never looks back, and another list is another condition."""
        monitor = ReferenceMonitor(initial_fix_max_age=None, **options)
        monitor.replaces_lists = True
        return monitor

    def has_timing(self, identifier):
        return any(c.identifier == identifier and c.timing.is_given for c in self.conditions._in_add_order())

    def has_timings(self):
        return any(c.timing.is_given for c in self.conditions._in_add_order())

    def generations(self):
        return {c.identifier: c.generation for c in self.conditions._in_add_order()}


class Device:
    def __init__(self, monitor):
        self.monitor = monitor
        self.sequence = 0


class ReferenceFleet:
    def __init__(self, table, *, max_pending_events=1_000_000, device_limit=None, **options):
        assert set(options) <= set(OPTIONS)
        self.table = table
        self.options = options
        self.max_pending_events = max_pending_events
        self.device_limit = device_limit
        self.devices = {}  # maps each identifier to its Device, in the order of the device numbers
        self.past = list(table.past)  # the changes to the table and the advances of the fleet
        self.clock = None
        self.waiting = []  # dicts, each an event with its device and row
        self.handed_out = []  # delivered, not committed
        self.again = []  # events that were delivered but not committed, to be redelivered first
        self.position = 0
        table.fleets.append(self)

    # Changes ---------------------------------------------------------------------------------------------------

    def change(self, call, gone):
        self.past.append(call)
        for events in (self.waiting, self.handed_out, self.again):
            events[:] = [event for event in events if event["identifier"] not in gone]
        for identifier in self.devices:
            self._play(identifier, call)
            self._drain(identifier, 0)

    def _play(self, identifier, call):
        name, arguments, rest = call
        try:
            getattr(self.devices[identifier].monitor, name)(*arguments, **rest)
        except Refused as refused:
            if refused.status != "late_input":  # the device's clock may already be later than the fleet's time
                raise

    def enter(self, identifier):
        if identifier in self.devices:
            return self.devices[identifier]
        if not 1 <= len(identifier.encode()) <= 256:
            raise Refused("invalid_argument", "device")
        if self.device_limit is not None and len(self.devices) >= self.device_limit:
            raise Refused("invalid_argument", "device_limit")
        self.devices[identifier] = Device(self.table.monitor(**self.options))
        past = self.past
        if self.table.has_timings():
            # Conditions with a timing begin at the fleet's time, as if they were added then.
            past = [call for call in past if call[0] != "advance"]
            if self.clock is not None:
                past.append(("advance", (self.clock,), {}))
        for call in past:
            self._play(identifier, call)
        self._drain(identifier, 0)
        return self.devices[identifier]

    def leave(self, identifier, drop_events=False):
        if identifier not in self.devices:
            raise Refused("invalid_argument", "no such device")
        gone = self.devices.pop(identifier)
        for event in self.waiting:
            if event["device"] == identifier and not drop_events:
                event.setdefault("left", gone)  # its sequence continues
        if drop_events:
            for events in (self.waiting, self.handed_out, self.again):
                events[:] = [event for event in events if event["device"] != identifier]
        return gone

    def expire(self, time):
        quiet = [name for name, d in self.devices.items() if self._heard(d) is not None and self._heard(d) < time]
        for identifier in quiet:
            self.leave(identifier)
        return quiet

    @staticmethod
    def _heard(device):
        """Returns the latest time of the device's own inputs."""
        return getattr(device, "heard", None)

    def move(self, identifier, other):
        if identifier in other.devices:
            raise Refused("invalid_argument", "the device is there")
        device = self.leave(identifier, drop_events=True)
        other.devices[identifier] = device
        if other.clock is not None:
            other._play(identifier, ("advance", (other.clock,), {}))
        other._drain(identifier, 0)

    # Inputs ----------------------------------------------------------------------------------------------------

    def input(self, identifier, name, time, *arguments, row=0):
        device = self.enter(identifier)
        if len(self.waiting) >= self.max_pending_events:
            raise Refused("queue_full")
        try:
            if getattr(device.monitor, name)(*arguments) != "doubted":
                device.heard = time
        finally:
            self._drain(identifier, row)

    def feed_many(self, rows):
        """Feeds rows; returns how many rows were fed before the queue was full."""
        for row, (identifier, *fix) in enumerate(rows):
            try:
                self.input(identifier, "feed_fix", fix[0], *fix, row=row)
            except Refused as refused:
                if refused.status == "queue_full":
                    return row
        return len(rows)

    def advance(self, time):
        if self.clock is not None and time < self.clock:
            raise Refused("late_input")
        if len(self.waiting) >= self.max_pending_events:
            raise Refused("queue_full")
        self.clock = time
        self.past.append(("advance", (time,), {}))
        start = len(self.waiting)
        for identifier in self.devices:
            self._play(identifier, self.past[-1])
            self._drain(identifier, 0)
        names = list(self.devices)
        brought = self.waiting[start:]
        self.waiting[start:] = sorted(brought, key=lambda event: (event["date"], names.index(event["device"])))

    # Events ----------------------------------------------------------------------------------------------------

    def _drain(self, identifier, row):
        monitor = self.devices[identifier].monitor
        while (event := monitor.next_event()) is not None:
            if event["cause"] == "diagnostic" and self.table.has_timing(event["identifier"]):
                continue  # a fleet does not report the flags of schedules
            self.waiting.append({**event, "device": identifier, "row": row})

    def next_event(self):
        self.acknowledge()
        if self.again:
            event = self.again.pop(0)
        elif self.waiting:
            event = self.waiting.pop(0)
            device = event.pop("left", None) or self.devices[event["device"]]
            device.sequence += 1
            self.position += 1
            event = {**event, "sequence": device.sequence, "position": self.position}
        else:
            return None
        self.handed_out.append(event)
        return event

    def acknowledge(self):
        self.handed_out.clear()

    def abandon(self):
        self.again[:0] = self.handed_out
        self.handed_out.clear()

    # Reading ---------------------------------------------------------------------------------------------------

    def monitor(self, identifier):
        if identifier not in self.devices:
            raise Refused("invalid_argument", "no such device")
        return self.devices[identifier].monitor

    def inside(self, identifier):
        monitor = self.monitor(identifier)
        found = []
        for name in monitor.identifiers_in_state("satisfied"):
            observed = monitor._conditions[name].observed
            found.append({"identifier": name, "since": observed.date, "evidence_date": observed.evidence_date})
        return found
