"""Enumerations. The members are in the order of the numbers in the C header, which start at 0."""

from __future__ import annotations

import enum


class State(enum.StrEnum):
    """State of a condition.

    Example:
        >>> State.SATISFIED == "satisfied"
        True
    """

    UNKNOWN = "unknown"
    """The state is undetermined."""
    SATISFIED = "satisfied"
    """The device is inside the circle or shape, or a matching beacon is near."""
    UNSATISFIED = "unsatisfied"
    """The device is outside the circle or shape, or no matching beacon is near."""
    UNMONITORED = "unmonitored"
    """The condition is not monitored, because it exceeds the condition limit or is unsupported."""


class Cause(enum.StrEnum):
    """The reason why an event occurred.

    Example:
        >>> [str(cause) for cause in Cause]
        ['none', 'determination', 'crossing', 'timeout', 'diagnostic', 'repeat']
    """

    NONE = "none"
    """The record is the first one of its condition, and no event has occurred, so there is no cause."""
    DETERMINATION = "determination"
    """The first fix or sighting that determines a state that was unknown."""
    CROSSING = "crossing"
    """A change from one side of the boundary to the other."""
    TIMEOUT = "timeout"
    """No matching beacon was seen during the timeout, or no fix determined a shape within `absent_after`."""
    DIAGNOSTIC = "diagnostic"
    """Only the diagnostics changed, or monitoring stopped."""
    REPEAT = "repeat"
    """The condition is still satisfied; see `repeat_every` of :class:`Timing`."""


class EventKind(enum.StrEnum):
    """An event's state and cause in one word.

    Example:
        >>> EventKind("enter")
        <EventKind.ENTER: 'enter'>
    """

    ENTER = "enter"
    """The device moved from outside to inside, or a beacon came near."""
    EXIT = "exit"
    """The device moved from inside to outside, or no matching beacon was seen during the timeout."""
    CROSS = "cross"
    """A gate was crossed."""
    DETERMINED = "determined"
    """The first fix or sighting determined the state: `state` says on which side the device is, but it is unknown when
    the device arrived there."""
    REPEAT = "repeat"
    """The condition is still satisfied; see `repeat_every` of :class:`Timing`."""
    DIAGNOSTIC = "diagnostic"
    """Only the diagnostics changed, not the state."""
    UNMONITORED = "unmonitored"
    """Monitoring stopped, because the condition exceeds the condition limit or is unsupported."""
    NONE = "none"
    """The record is the first one of its condition, and no event has occurred."""


class Delivery(enum.StrEnum):
    """Selects which changes are delivered if a condition has several pending changes.

    Example:
        >>> Delivery("latest")
        <Delivery.LATEST: 'latest'>
    """

    EVERY = "every"
    """Every change is delivered, in order."""
    FIRST = "first"
    """The first pending change of each condition is delivered; after the program has acknowledged this change, the
    current state is delivered (as in Core Location)."""
    LATEST = "latest"
    """Only the last pending change of each condition is delivered; if the pending changes lead back to the state before
    them, no change is delivered."""


class HeightReference(enum.StrEnum):
    """The surface above which a height is measured.

    Example:
        >>> HeightReference("ground")
        <HeightReference.GROUND: 'ground'>
    """

    ELLIPSOID = "ellipsoid"
    """The ellipsoid of WGS84, as satellite receivers measure it."""
    MEAN_SEA_LEVEL = "mean_sea_level"
    """The geoid: the altitude above the ellipsoid less the height of the geoid at the position."""
    GROUND = "ground"
    """The ground: the altitude above the ellipsoid less the height of the ground at the position."""


class Restriction(enum.IntEnum):
    """The class of restriction of a UAS geographical zone (ED-269, ED-318). A condition that comes from such a file has
    this number as its tag, and so have its events.

    Example:
        >>> Restriction(4)
        <Restriction.PROHIBITED: 4>
    """

    NO_RESTRICTION = 1
    """Flights need no authorisation."""
    CONDITIONAL = 2
    """Flights are allowed under the conditions that the zone states."""
    REQ_AUTHORISATION = 3
    """Flights need an authorisation. ED-318 writes ``REQ_AUTHORIZATION``."""
    PROHIBITED = 4
    """Flights are prohibited."""
    USPACE = 5
    """Flights must use the U-space services of the zone (only in ED-318)."""


class EventOrder(enum.StrEnum):
    """Selects the order of the events of one instant: of one input, together with everything that is due at its time.
    In a fleet, the order applies to the events of each device.

    Example:
        >>> EventOrder("exits_first")
        <EventOrder.EXITS_FIRST: 'exits_first'>
    """

    ADD = "add"
    """The events that the input determines come first, in the order in which the conditions were added. Then come the
    confirmed events, by deadline, then in the same order."""
    EXITS_FIRST = "exits_first"
    """Changes to ``unsatisfied`` come first, then changes to ``satisfied``, then crossings of gates; within each of
    these groups in the order `ADD`."""


class Durability(enum.StrEnum):
    """Selects when a monitor with a store makes changes durable, and therefore how much a crash can lose.

    Example:
        >>> Durability("every_input")
        <Durability.EVERY_INPUT: 'every_input'>
    """

    CHANGES = "changes"
    """An input that changes a state, a candidate or the queue is saved before its call returns. After a crash, inputs
    that were not saved must be fed again."""
    EVERY_INPUT = "every_input"
    """Each input is saved before its call returns. A batch counts as one input."""
    RELAXED = "relaxed"
    """Changes are saved at checkpoints, on close, and once every `checkpoint_interval` of event time."""


class StoreStatus(enum.StrEnum):
    """The state of a monitor's store: whether changes are saved.

    Example:
        >>> StoreStatus("kept")
        <StoreStatus.KEPT: 'kept'>
    """

    NONE = "none"
    """The monitor has no store, or is closed."""
    KEPT = "kept"
    """The last save succeeded."""
    FAILING = "failing"
    """The last save failed. Monitoring continues in memory, and each later change tries to save again."""
    GONE = "gone"
    """The store's file was moved, deleted or replaced while it was open. The library no longer writes to this file."""


class DwellPolicy(enum.StrEnum):
    """What ends a dwell.

    Example:
        >>> DwellPolicy("timer") is DwellPolicy.TIMER
        True
    """

    TIMER = "timer"
    """The dwell is confirmed when the dwell time has passed without evidence against the new state."""
    EVIDENCE = "evidence"
    """The dwell is confirmed by the first fix on the new side after the dwell time has passed."""


class CrossingDirection(enum.StrEnum):
    """The direction in which a device crossed a gate; left and right are as seen along the line from its first vertex
    to its last vertex.

    Example:
        >>> CrossingDirection("left_to_right")
        <CrossingDirection.LEFT_TO_RIGHT: 'left_to_right'>
    """

    LEFT_TO_RIGHT = "left_to_right"
    """The device crossed from the left of the line to its right."""
    RIGHT_TO_LEFT = "right_to_left"
    """The device crossed from the right of the line to its left."""


class DevicePath(enum.StrEnum):
    """How a device is assumed to move from one fix to the next.

    Example:
        >>> DevicePath("geodesic")
        <DevicePath.GEODESIC: 'geodesic'>
    """

    FIXES = "fixes"
    """The position of the device is known only at each fix; no path between fixes is assumed."""
    GEODESIC = "geodesic"
    """The device moves along the WGS84 geodesic at constant speed. The events are those that arbitrarily dense fixes on
    the geodesic would give."""


class EvidenceSource(enum.StrEnum):
    """The source of the position that decided an event.

    Example:
        >>> EvidenceSource.PATH == "path"
        True
    """

    FIX = "fix"
    """A fix that was fed."""
    PATH = "path"
    """A point of the path between two fixes."""


class Notify(enum.Flag):
    """Selects which changes become events. A change that is not selected updates the record, but gives no event.

    Example:
        >>> Notify.ENTRY | Notify.EXIT
        <Notify.ENTRY|EXIT: 6>
    """

    INITIAL = 1
    """An undetermined state becomes determined."""
    ENTRY = 2
    """The crossing inwards."""
    EXIT = 4
    """The crossing outwards."""
    ALL = 7
    """All kinds of change."""


class Diagnostics(enum.Flag):
    """Reasons why events are or will be suspended.

    Example:
        >>> Diagnostics.ACCURACY_LIMITED in Diagnostics.ACCURACY_LIMITED | Diagnostics.CONDITION_UNSUPPORTED
        True
    """

    AUTHORIZATION_DENIED = 1 << 0
    """The user has not allowed this program to use positions."""
    AUTHORIZATION_DENIED_GLOBALLY = 1 << 1
    """The user switched off the use of positions for all programs."""
    AUTHORIZATION_RESTRICTED = 1 << 2
    """The program is not permitted to use positions, and the user cannot grant the permission."""
    INSUFFICIENTLY_IN_USE = 1 << 3
    """The program has permission only while it is in use (for example, in the foreground), and it is not in use now."""
    ACCURACY_LIMITED = 1 << 4
    """Only approximate positions are permitted."""
    CONDITION_UNSUPPORTED = 1 << 5
    """Set by the library if the host cannot monitor conditions of this kind."""
    CONDITION_LIMIT_EXCEEDED = 1 << 6
    """Set by the library if conditions that were added earlier already use up the condition limit."""
    PERSISTENCE_UNAVAILABLE = 1 << 7
    """Set by the library if the store cannot be written."""
    SERVICE_SESSION_REQUIRED = 1 << 8
    """The program must hold a service session first."""
    AUTHORIZATION_REQUEST_IN_PROGRESS = 1 << 9
    """The user is being asked for permission."""
    INACTIVE = 1 << 10
    """Set by the library if the condition is outside the intervals of its schedule, or exhausted."""
    SCHEDULE_ENDED = 1 << 11
    """Set by the library if the schedule of the condition says nothing about the present time."""
    EXHAUSTED = 1 << 12
    """Set by the library if the condition has had `max_events` events; see :class:`Timing`."""


class Reason(enum.StrEnum):
    """Explains the state of a condition.

    Example:
        >>> Reason("within_margin")
        <Reason.WITHIN_MARGIN: 'within_margin'>
    """

    UNMONITORED = "unmonitored"
    """The condition exceeds the condition limit, or is unsupported."""
    SUSPENDED = "suspended"
    """Monitoring of the condition is suspended, because the host lacks a capability."""
    SCANNER_OFF = "scanner_off"
    """The host declared that scanning for beacons is off."""
    NO_FIX_YET = "no_fix_yet"
    """The state of a circle or shape is undetermined, and no fix has come since the state became undetermined."""
    TOO_COARSE = "too_coarse"
    """The last fix could not decide the state of a circle or shape, and the only cause is the poor accuracy of the
    fix."""
    DWELLING = "dwelling"
    """A circle, shape or rule has an open candidate, and the dwell of this candidate has not ended."""
    WITHIN_MARGIN = "within_margin"
    """The last fix is on the other side of the boundary of a circle or shape, but within the margin, so the fix is not
    decisive."""
    UNCERTAIN = "uncertain"
    """The last fix could decide the state of a circle or shape by its position, but not by its probability."""
    NO_HEIGHT = "no_height"
    """The last fix is inside a zone on the map, but lacks the height that the band of the zone needs."""
    PARTS = "parts"
    """The state of a rule follows from the states of its parts."""
    INSIDE = "inside"
    """The condition of a circle or shape is satisfied, and the last fix is inside."""
    OUTSIDE = "outside"
    """The condition of a circle or shape is unsatisfied, and the last fix is outside."""
    NOT_SEEN_YET = "not_seen_yet"
    """The state of a beacon condition is undetermined."""
    SEEN = "seen"
    """A beacon condition is satisfied, because a matching beacon was sighted."""
    ABSENT = "absent"
    """A beacon condition is unsatisfied, because no matching beacon was sighted during the timeout."""
    INACTIVE = "inactive"
    """The condition is outside the intervals of its schedule, or exhausted."""


STATES = tuple(State)
CAUSES = tuple(Cause)
DELIVERIES = tuple(Delivery)
DURABILITIES = tuple(Durability)
ORDERS = tuple(EventOrder)
STORE_STATUSES = tuple(StoreStatus)
DWELL_POLICIES = tuple(DwellPolicy)
DEVICE_PATHS = tuple(DevicePath)
