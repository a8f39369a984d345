"""Enumerations. The members stand in the order of the numbers of the C header, which starts at 0."""

from __future__ import annotations

import enum


class State(enum.StrEnum):
    """State of a condition.

    Example:
        >>> State.SATISFIED == "satisfied"
        True
    """

    UNKNOWN = "unknown"
    """Nothing has decided it yet."""
    SATISFIED = "satisfied"
    """Inside the circle; a matching beacon is near."""
    UNSATISFIED = "unsatisfied"
    """Outside; no matching beacon is near."""
    UNMONITORED = "unmonitored"
    """Not monitored: over the condition limit, or unsupported."""


class Cause(enum.StrEnum):
    """Why an event came about.

    Example:
        >>> [str(cause) for cause in Cause]
        ['none', 'determination', 'crossing', 'timeout', 'diagnostic']
    """

    NONE = "none"
    """The first record of a condition: nothing happened yet."""
    DETERMINATION = "determination"
    """First evidence after the state was undetermined."""
    CROSSING = "crossing"
    """A change from one side to the other."""
    TIMEOUT = "timeout"
    """No matching beacon for the timeout."""
    DIAGNOSTIC = "diagnostic"
    """Only the diagnostics changed, or monitoring stopped."""


class EventKind(enum.StrEnum):
    """An event's state and cause in one word.

    Example:
        >>> EventKind("enter")
        <EventKind.ENTER: 'enter'>
    """

    ENTER = "enter"
    """From outside to inside; a beacon came near."""
    EXIT = "exit"
    """From inside to outside; a beacon was silent for the timeout."""
    CROSS = "cross"
    """Over a gate."""
    DETERMINED = "determined"
    """The first evidence: the device is on the side that `state` says, and when it came there is unknown."""
    DIAGNOSTIC = "diagnostic"
    """The diagnostics changed, the state did not."""
    UNMONITORED = "unmonitored"
    """Monitoring stopped: over the condition limit, or unsupported."""
    NONE = "none"
    """Nothing: the first record of a condition."""


class Delivery(enum.StrEnum):
    """Which of several pending changes of a condition are delivered.

    Example:
        >>> Delivery("latest")
        <Delivery.LATEST: 'latest'>
    """

    EVERY = "every"
    """Each change, in order."""
    FIRST = "first"
    """Per condition the first, then, once it is handled, the present state (as Core Location)."""
    LATEST = "latest"
    """Per condition the last; none when it is back where it was."""


class Durability(enum.StrEnum):
    """When a monitor with a store makes changes last: how far back it may be after a crash.

    Example:
        >>> Durability("every_input")
        <Durability.EVERY_INPUT: 'every_input'>
    """

    CHANGES = "changes"
    """A change of a state, a candidate or the queue, before the call returns; inputs that change none are fed again."""
    EVERY_INPUT = "every_input"
    """Each input, before the call returns; a batch is one."""
    RELAXED = "relaxed"
    """At checkpoints, on closing, and every `checkpoint_interval` of event time."""


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
    """The last save failed: monitoring goes on in memory, later changes try again."""
    GONE = "gone"
    """The file was moved, deleted or replaced while it was open: nothing is written to it."""


class DwellPolicy(enum.StrEnum):
    """What ends a dwell.

    Example:
        >>> DwellPolicy("timer") is DwellPolicy.TIMER
        True
    """

    TIMER = "timer"
    """Confirmed when the dwell has passed and nothing spoke against it."""
    EVIDENCE = "evidence"
    """Confirmed by the first fix on the new side after the dwell has passed."""


class CrossingDirection(enum.StrEnum):
    """Over which side of a gate a device came, seen along the line from its first vertex to its last.

    Example:
        >>> CrossingDirection("left_to_right")
        <CrossingDirection.LEFT_TO_RIGHT: 'left_to_right'>
    """

    LEFT_TO_RIGHT = "left_to_right"
    """From the left of the line to its right."""
    RIGHT_TO_LEFT = "right_to_left"
    """From the right of the line to its left."""


class DevicePath(enum.StrEnum):
    """How a device is taken to have moved from one fix to the next.

    Example:
        >>> DevicePath("geodesic")
        <DevicePath.GEODESIC: 'geodesic'>
    """

    FIXES = "fixes"
    """It is only known where it was at each fix."""
    GEODESIC = "geodesic"
    """Along the WGS84 geodesic, at constant speed: the events are those of fixes laid ever more densely on it."""


class EvidenceSource(enum.StrEnum):
    """The source of an event's deciding position.

    Example:
        >>> EvidenceSource.PATH == "path"
        True
    """

    FIX = "fix"
    """A fix that was fed."""
    PATH = "path"
    """A point of the path between two fixes."""


class Notify(enum.Flag):
    """Which changes become events; the others update the record silently.

    Example:
        >>> Notify.ENTRY | Notify.EXIT
        <Notify.ENTRY|EXIT: 6>
    """

    INITIAL = 1
    """The determination of an undetermined state."""
    ENTRY = 2
    """The crossing inwards."""
    EXIT = 4
    """The crossing outwards."""
    ALL = 7
    """All of these changes."""


class Diagnostics(enum.Flag):
    """Reasons why events are or will be suspended.

    Example:
        >>> Diagnostics.ACCURACY_LIMITED in Diagnostics.ACCURACY_LIMITED | Diagnostics.CONDITION_UNSUPPORTED
        True
    """

    AUTHORIZATION_DENIED = 1 << 0
    """The user denied the use of positions to the program."""
    AUTHORIZATION_DENIED_GLOBALLY = 1 << 1
    """The user switched positions off for all programs."""
    AUTHORIZATION_RESTRICTED = 1 << 2
    """The program may not use positions, and the user cannot change that."""
    INSUFFICIENTLY_IN_USE = 1 << 3
    """The program is not in use to the degree that its permission asks for."""
    ACCURACY_LIMITED = 1 << 4
    """Only approximate positions are permitted."""
    CONDITION_UNSUPPORTED = 1 << 5
    """The host cannot monitor that kind of condition. Set by the library."""
    CONDITION_LIMIT_EXCEEDED = 1 << 6
    """More conditions than the limit stand before it. Set by the library."""
    PERSISTENCE_UNAVAILABLE = 1 << 7
    """The store cannot be written. Set by the library."""
    SERVICE_SESSION_REQUIRED = 1 << 8
    """The program must hold a service session first."""
    AUTHORIZATION_REQUEST_IN_PROGRESS = 1 << 9
    """The user is being asked for permission."""


class Reason(enum.StrEnum):
    """Why a condition is in its state.

    Example:
        >>> Reason("within_margin")
        <Reason.WITHIN_MARGIN: 'within_margin'>
    """

    UNMONITORED = "unmonitored"
    """Over the limit, or unsupported."""
    SUSPENDED = "suspended"
    """A host capability is missing."""
    SCANNER_OFF = "scanner_off"
    """Beacons: scanning is declared off."""
    NO_FIX_YET = "no_fix_yet"
    """Circles: undetermined, no fix since."""
    TOO_COARSE = "too_coarse"
    """Circles: the last fix could not decide because of its accuracy alone."""
    DWELLING = "dwelling"
    """Circles: a candidate is open."""
    WITHIN_MARGIN = "within_margin"
    """Circles: the last fix is on the other side, not decisive."""
    INSIDE = "inside"
    """Circles: satisfied, the last fix is inside."""
    OUTSIDE = "outside"
    """Circles: unsatisfied, the last fix is outside."""
    NOT_SEEN_YET = "not_seen_yet"
    """Beacons: undetermined."""
    SEEN = "seen"
    """Beacons: satisfied, a matching beacon was sighted."""
    ABSENT = "absent"
    """Beacons: unsatisfied, no matching beacon was sighted for the timeout."""


STATES = tuple(State)
CAUSES = tuple(Cause)
DELIVERIES = tuple(Delivery)
DURABILITIES = tuple(Durability)
STORE_STATUSES = tuple(StoreStatus)
DWELL_POLICIES = tuple(DwellPolicy)
DEVICE_PATHS = tuple(DevicePath)
