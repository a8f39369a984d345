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
    """Nothing has decided the state yet."""
    SATISFIED = "satisfied"
    """Inside the circle; a matching beacon is near."""
    UNSATISFIED = "unsatisfied"
    """Outside; no matching beacon is near."""
    UNMONITORED = "unmonitored"
    """Not monitored: over the condition limit, or unsupported."""


class Cause(enum.StrEnum):
    """Why an event occurred.

    Example:
        >>> [str(cause) for cause in Cause]
        ['none', 'determination', 'crossing', 'timeout', 'diagnostic']
    """

    NONE = "none"
    """The first record of a condition: nothing happened yet."""
    DETERMINATION = "determination"
    """The first evidence, which determines a state that was unknown."""
    CROSSING = "crossing"
    """A change from one side to the other."""
    TIMEOUT = "timeout"
    """No matching beacon was seen for the duration of the timeout."""
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
    """A gate was crossed."""
    DETERMINED = "determined"
    """The first evidence: `state` gives the side on which the device is; the time of its arrival there is unknown."""
    DIAGNOSTIC = "diagnostic"
    """The diagnostics changed; the state did not."""
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
    """For each condition the first change; after it is acknowledged, the present state (as in Core Location)."""
    LATEST = "latest"
    """For each condition the last change; nothing if the state is again the one before."""


class Durability(enum.StrEnum):
    """When a monitor with a store makes changes durable: how much a crash can lose.

    Example:
        >>> Durability("every_input")
        <Durability.EVERY_INPUT: 'every_input'>
    """

    CHANGES = "changes"
    """Before the call returns, if an input changed a state, a candidate or the queue; feed the other inputs again."""
    EVERY_INPUT = "every_input"
    """Each input before the call returns; a batch counts as one input."""
    RELAXED = "relaxed"
    """At checkpoints, on close, and every `checkpoint_interval` of event time."""


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
    """The last save failed: monitoring continues in memory, and later changes try to save again."""
    GONE = "gone"
    """The file was moved, deleted or replaced while it was open; nothing more is written to it."""


class DwellPolicy(enum.StrEnum):
    """What ends a dwell.

    Example:
        >>> DwellPolicy("timer") is DwellPolicy.TIMER
        True
    """

    TIMER = "timer"
    """The dwell is confirmed when its time has passed without evidence against it."""
    EVIDENCE = "evidence"
    """The dwell is confirmed by the first fix on the new side after its time has passed."""


class CrossingDirection(enum.StrEnum):
    """The direction in which a device crossed a gate, as seen along the line from its first vertex to its last.

    Example:
        >>> CrossingDirection("left_to_right")
        <CrossingDirection.LEFT_TO_RIGHT: 'left_to_right'>
    """

    LEFT_TO_RIGHT = "left_to_right"
    """From the left of the line to its right."""
    RIGHT_TO_LEFT = "right_to_left"
    """From the right of the line to its left."""


class DevicePath(enum.StrEnum):
    """How a device is assumed to move from one fix to the next.

    Example:
        >>> DevicePath("geodesic")
        <DevicePath.GEODESIC: 'geodesic'>
    """

    FIXES = "fixes"
    """The position is known only at each fix."""
    GEODESIC = "geodesic"
    """Along the WGS84 geodesic at constant speed: the events are those of ever more densely spaced fixes on it."""


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
    """Which changes become events; the others update the record silently.

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
    """The program is not in use as much as its permission requires (for example, not in the foreground)."""
    ACCURACY_LIMITED = 1 << 4
    """Only approximate positions are permitted."""
    CONDITION_UNSUPPORTED = 1 << 5
    """The host cannot monitor that kind of condition. Set by the library."""
    CONDITION_LIMIT_EXCEEDED = 1 << 6
    """The limit was reached by conditions that come before this one. Set by the library."""
    PERSISTENCE_UNAVAILABLE = 1 << 7
    """The store cannot be written. Set by the library."""
    SERVICE_SESSION_REQUIRED = 1 << 8
    """The program must hold a service session first."""
    AUTHORIZATION_REQUEST_IN_PROGRESS = 1 << 9
    """The user is being asked for permission."""


class Reason(enum.StrEnum):
    """Explains the state of a condition.

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
    """Circles: undetermined, and no fix has come since."""
    TOO_COARSE = "too_coarse"
    """Circles: the last fix could not decide, only because of its poor accuracy."""
    DWELLING = "dwelling"
    """Circles: a candidate is open."""
    WITHIN_MARGIN = "within_margin"
    """Circles: the last fix is on the other side, but within the margin, so not decisive."""
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
