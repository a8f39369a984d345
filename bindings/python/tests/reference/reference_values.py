"""The values of the reference model of a monitor (policies, fixes, events and conditions), and checks of these values.

The module is written only from ``design/semantics.md``, like reference.py; paragraph names refer to that page.
"""

from __future__ import annotations

import copy
import math
import re

from geographiclib.geodesic import Geodesic
from reference_probability import ERROR_OF_RAYS, probability

# The diagnostic flags, in the order of section 1.3 of the semantics.
FLAG_ORDER = (
    "authorization_denied",
    "authorization_denied_globally",
    "authorization_restricted",
    "insufficiently_in_use",
    "accuracy_limited",
    "condition_unsupported",
    "condition_limit_exceeded",
    "persistence_unavailable",
    "service_session_required",
    "authorization_request_in_progress",
    "inactive",
    "schedule_ended",
    "exhausted",
)
TIMING_FLAGS = frozenset({"inactive", "schedule_ended", "exhausted"})
UNMONITORED_FLAGS = frozenset({"condition_unsupported", "condition_limit_exceeded"})
KINDS = frozenset({"circle", "polygon", "corridor", "line", "beacon"})
HOST_FLAGS = frozenset(FLAG_ORDER) - UNMONITORED_FLAGS - TIMING_FLAGS - {"persistence_unavailable"}

PRESETS = {
    "standard": dict(
        entry_dwell=20.0,
        exit_dwell=20.0,
        entry_margin=20.0,
        exit_margin=20.0,
        exit_margin_limit=0.0,
        accuracy_factor=1.0,
        entry_probability=0.0,
        exit_probability=0.0,
        vertical_margin=10.0,
        dwell_policy="timer",
        notify=("initial", "entry", "exit"),
    ),
    "exact": dict(
        entry_dwell=0.0,
        exit_dwell=0.0,
        entry_margin=0.0,
        exit_margin=0.0,
        exit_margin_limit=0.0,
        accuracy_factor=0.0,
        entry_probability=0.0,
        exit_probability=0.0,
        vertical_margin=0.0,
        dwell_policy="timer",
        notify=("initial", "entry", "exit"),
    ),
    "core_location": dict(
        entry_dwell=20.0,
        exit_dwell=20.0,
        entry_margin=20.0,
        exit_margin=60.0,
        exit_margin_limit=200.0,
        accuracy_factor=1.0,
        entry_probability=0.0,
        exit_probability=0.0,
        vertical_margin=0.0,
        dwell_policy="timer",
        notify=("initial", "entry", "exit"),
    ),
}

UUID_TEXT = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\Z")
WEAKEST_RSSI = -(2**31)
EARLIEST = -62_135_596_800_000_000  # year 1


class Refused(Exception):
    """Raised if the monitor refuses a call; ``status`` says why, and the call has changed nothing."""

    def __init__(self, status: str, why: str = "") -> None:
        super().__init__(f"{status}: {why}" if why else status)
        self.status = status


def microseconds(seconds: float) -> int:
    return round(seconds * 1_000_000)


def distance(latitude1, longitude1, latitude2, longitude2) -> float:
    return Geodesic.WGS84.Inverse(latitude1, longitude1, latitude2, longitude2, Geodesic.DISTANCE)["s12"]


# ---------------------------------------------------------------------------------------------------------------
# Checking arguments
# ---------------------------------------------------------------------------------------------------------------


def checked_identifier(identifier):
    if not isinstance(identifier, str) or not identifier or "\0" in identifier:
        raise Refused("invalid_argument", "identifier")
    try:
        encoded = identifier.encode("utf-8")
    except UnicodeEncodeError:
        raise Refused("invalid_argument", "identifier is not valid UTF-8") from None
    if len(encoded) > 256:
        raise Refused("invalid_argument", "identifier is longer than 256 bytes")
    return identifier


def checked_policy(policy):
    if policy is None:
        policy = "standard"
    if isinstance(policy, str):
        if policy not in PRESETS:
            raise Refused("invalid_argument", "policy preset")
        fields = dict(PRESETS[policy])
    else:
        unknown = set(policy) - set(PRESETS["standard"])
        if unknown:
            raise Refused("invalid_argument", f"policy fields {sorted(unknown)}")
        fields = {**PRESETS["standard"], **policy}
    numbers = "entry_dwell", "exit_dwell", "entry_margin", "exit_margin", "exit_margin_limit", "accuracy_factor"
    for name in (*numbers, "vertical_margin"):
        value = fields[name]
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value < 0:
            raise Refused("invalid_argument", name)
    if fields["exit_margin_limit"] != 0 and fields["exit_margin_limit"] < fields["exit_margin"]:
        raise Refused("invalid_argument", "exit_margin_limit")
    _check_probabilities(fields)
    if fields["dwell_policy"] not in ("timer", "evidence"):
        raise Refused("invalid_argument", "dwell_policy")
    fields["notify"] = frozenset(fields["notify"])
    if not fields["notify"] <= {"initial", "entry", "exit"}:
        raise Refused("invalid_argument", "notify")
    return fields


def _check_probabilities(fields):
    """Both probabilities are 0, or both are set; a policy with probabilities uses no factor of the accuracy."""
    entry, leave = fields["entry_probability"], fields["exit_probability"]
    for value in (entry, leave):
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise Refused("invalid_argument", "probability")
    if entry == 0 and leave == 0:
        return
    if not 0.5 < entry <= 0.99999:
        raise Refused("invalid_argument", "entry_probability")
    if not 0.00001 <= leave < 0.5:
        raise Refused("invalid_argument", "exit_probability")
    if fields["accuracy_factor"] != 0:
        raise Refused("invalid_argument", "accuracy_factor")


def checked_uuid(text):
    if not isinstance(text, str) or not UUID_TEXT.match(text):
        raise Refused("invalid_argument", "uuid")
    return text.lower()


def checked_16_bit(value):
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 65535:
        raise Refused("invalid_argument", "major and minor are 0...65535")
    return value


def is_coordinate(latitude, longitude):
    return math.isfinite(latitude) and math.isfinite(longitude) and abs(latitude) <= 90 and abs(longitude) <= 180


# ---------------------------------------------------------------------------------------------------------------
# The values that a monitor keeps
# ---------------------------------------------------------------------------------------------------------------


def is_known(*heights):
    return all(math.isfinite(height) for height in heights)


class Heights:
    """The altitude of a fix above the ellipsoid, its accuracy, and the heights of the geoid and the ground there."""

    def __init__(self, altitude=math.nan, vertical_accuracy=0.0, geoid_height=math.nan, ground_height=math.nan):
        has_height = vertical_accuracy >= 0  # NaN and negative values mean that there is no height
        self.altitude = altitude if has_height else math.nan
        self.vertical_accuracy = vertical_accuracy if has_height else 0.0
        self.geoid_height, self.ground_height = geoid_height, ground_height

    def offset(self, reference):
        """Returns the height of a reference above the ellipsoid."""
        return {"ellipsoid": 0.0, "mean_sea_level": self.geoid_height, "ground": self.ground_height}[reference]

    def above(self, reference):
        """Returns the height above a reference, or NaN if it is missing."""
        offset = self.offset(reference)
        return self.altitude - offset if is_known(self.altitude, offset) else math.nan


NO_HEIGHTS = Heights()


class Fix:
    def __init__(self, time, latitude, longitude, accuracy, source="fix", ellipse=None, heights=NO_HEIGHTS):
        self.time, self.latitude, self.longitude, self.accuracy = time, latitude, longitude, accuracy
        self.source = source  # "path": the reference computed this position between two fixes
        self.ellipse = ellipse  # the one-sigma semi-axes in metres and the direction of the major axis in degrees
        self.heights = heights


def checked_ellipse(ellipse):
    """Returns an error ellipse, or None if its three numbers are NaN."""
    if ellipse is None or all(math.isnan(value) for value in ellipse):
        return None
    major, minor, _ = ellipse
    if not all(math.isfinite(value) for value in ellipse) or not 0 <= minor <= major:
        raise Refused("invalid_argument", "ellipse")
    return tuple(ellipse)


NO_EVIDENCE = dict(
    latitude=None,
    longitude=None,
    accuracy=None,
    boundary_distance=None,
    evidence=None,
    probability=None,
    vertical_distance=None,
)


class Observation:
    """The observed state: "in" or "out". If a condition is undetermined, it has no Observation."""

    def __init__(
        self,
        side,
        date,
        cause,
        transition,
        order,
        *,
        evidence_date=None,
        refinement=None,
        evidence=None,
        decided_by=None,
    ):
        self.side = side
        self.state = "satisfied" if side == "in" else "unsatisfied"
        self.date = date
        self.cause = cause  # determination, crossing, timeout
        self.transition = transition  # initial, entry or exit, as in the API argument `notify`
        self.order = order  # position of the event among all changes of this monitor
        self.evidence_date = evidence_date
        self.refinement = refinement
        self.evidence = evidence or NO_EVIDENCE
        self.decided_by = decided_by  # for rules: the generation of the part that decided
        self.decided = evidence_date  # the time of the position that decided
        self.follows_gap = False
        self.is_news = False  # reported even if the state equals the reported state


class Candidate:
    def __init__(self, side, fix, d, deadline):
        self.side, self.fix, self.distance, self.deadline = side, fix, d, deadline


class Event:
    """A built event. ``order`` is the position of the event's change; events that are ``silent`` are never
    delivered."""

    def __init__(
        self,
        condition,
        *,
        state,
        cause,
        date,
        order,
        flags,
        evidence_date=None,
        refinement=None,
        evidence=None,
        silent=False,
        follows_gap=False,
        direction=None,
        decided_by=None,
    ):
        self.identifier, self.generation, self.tag = condition.identifier, condition.generation, condition.tag
        self.state, self.cause, self.date, self.order = state, cause, date, order
        self.flags = frozenset(flags)
        self.evidence_date, self.refinement = evidence_date, refinement
        self.evidence = evidence or NO_EVIDENCE
        self.silent = silent
        self.follows_gap = follows_gap
        self.direction = direction
        self.decided_by = decided_by
        self.is_counted = False  # for max_events; an event that replaces another is not counted again
        self.sequence = None  # the event gets its sequence at its first delivery

    @property
    def handed_out(self):
        return self.sequence is not None

    def as_dict(self):
        return dict(
            sequence=self.sequence,
            identifier=self.identifier,
            state=self.state,
            cause=self.cause,
            date=self.date,
            evidence_date=self.evidence_date,
            refinement=copy.copy(self.refinement),
            diagnostics=[name for name in FLAG_ORDER if name in self.flags],
            generation=self.generation,
            **self.evidence,
            gap=self.follows_gap,
            direction=self.direction,
            decided_by=self.decided_by,
            tag=self.tag,
        )


class Condition:
    def __init__(self, identifier, definition, policy, tag, generation, rank, assuming, timing, band=None):
        self.band = band  # a Band, or None
        self.identifier, self.definition, self.policy, self.tag = identifier, definition, policy, tag
        self.assuming = assuming
        self.timing, self.occasions = timing  # a Timing, and its Occasions
        self.generation = generation  # add sequence
        self.rank = rank  # position in the queue for slots; a condition that replaces this one inherits the position
        self.flags = frozenset()  # diagnostic flags that are set now
        self.flags_date = None  # the time when the flags were set
        self.flags_order = 0  # number of the monitor's change that set the flags
        self.observed = None  # O of section 4
        self.queue = []  # the pending events (P in section 4); more than one only with delivery "every"
        self.record = None  # R of section 4
        self.candidate = None  # places
        self.evidence_is_in = False  # for places: a fix confirms the candidate now (dwell_policy "evidence")
        self.last_fix = None  # for places: the last fix that was evaluated and its distance, for explain()
        self.absence_deadline = None  # beacons
        self.last_sighting = None  # beacons
        self.is_new = True  # for gates: true if the gate was added or suspended since the last fix
        self.counted, self.changed = "unknown", 0  # for parts of rules: the state, and the number of its last change
        self.seen, self.is_pending = None, True  # for rules
        self.is_starting = False  # for rules: started in this instant, in a monitor that looks back

    @property
    def is_beacon(self):
        return self.definition["kind"] == "beacon"

    @property
    def is_gate(self):
        return self.definition["kind"] == "line"

    @property
    def is_rule(self):
        return self.definition["kind"] == "rule"

    @property
    def is_place(self):
        """Returns True if a device can be inside the condition."""
        return not self.is_beacon and not self.is_gate and not self.is_rule

    @property
    def line(self):
        """Returns the value with which a distance is compared: the radius for a circle, whose distances are measured
        from the centre, and 0 for other shapes, whose distances are measured from the boundary."""
        return self.definition["radius"] if self.definition["kind"] == "circle" else 0.0

    @property
    def size(self):
        """Returns the size that rule 11 of shapes.md defines: the radius of a circle, or the depth of any other
        shape."""
        return self.definition["radius"] if self.definition["kind"] == "circle" else self.definition["shape"].depth

    def distance(self, fix):
        d = self.definition
        if d["kind"] == "circle":
            return distance(d["latitude"], d["longitude"], fix.latitude, fix.longitude)
        return d["shape"].distance(fix.latitude, fix.longitude)

    @property
    def suspended(self):
        return bool(self.flags - {"persistence_unavailable"})

    # The detector for places (section 0.1 of the semantics) --------------------------------------------------------

    def side(self, d, fix):
        """Returns "in", "out", or None if a missing height leaves the side open."""
        if d > self.line:
            return "out"
        if self.band is None:
            return "in"
        vertical = self.vertical(fix)
        return "out" if vertical.is_outside else "in" if vertical.is_inside else None

    def vertical(self, fix):
        """Returns what a fix says about the band, or None without a band."""
        return None if self.band is None else self.band.vertical(self.policy, fix.heights)

    def _weighted(self, accuracy):
        k = self.policy["accuracy_factor"]
        return 0.0 if k == 0 else k * accuracy

    def margin_in(self, accuracy):
        margin = max(self.policy["entry_margin"], self._weighted(accuracy))
        return min(margin, self.size / 2) if margin > 0 else 0.0  # the size of a thin shape takes long to compute

    def margin_out(self, accuracy):
        margin = self.policy["exit_margin"]
        if self.policy["exit_margin_limit"] != 0:
            margin = min(max(self.size, margin), self.policy["exit_margin_limit"])
        return max(margin, self._weighted(accuracy))

    def is_fine(self, accuracy):
        return self.policy["accuracy_factor"] == 0 or accuracy <= max(self.size, 100.0)

    @property
    def has_probability(self):
        """Returns True if the policy has probabilities. The thresholds of such a policy are margins and
        probabilities, and no accuracy is too coarse."""
        return self.policy is not None and self.policy["entry_probability"] != 0

    def probability(self, d, fix, confidence):
        return probability(self, fix, d - self.line, confidence)

    def is_probable(self, side, d, fix, confidence):
        """Returns True if the probability of a fix is decisive for a side. NaN is decisive for no side."""
        if not self.has_probability:
            return True
        if self.is_near_threshold(d, fix, confidence):
            raise AssertionError("the probability is too near to a threshold")
        p = self.probability(d, fix, confidence)
        return p >= self.policy["entry_probability"] if side == "in" else p <= self.policy["exit_probability"]

    def is_near_threshold(self, d, fix, confidence):
        """Returns True if the probability of a fix is so near to a threshold that its error could decide. Tests leave
        out such fixes."""
        if not self.has_probability:
            return False
        p = self.probability(d, fix, confidence)
        least = 2e-6 if self.has_exact_probability or p in (0.0, 1.0) else ERROR_OF_RAYS
        thresholds = self.policy["entry_probability"], self.policy["exit_probability"]
        return any(abs(p - threshold) < least for threshold in thresholds)

    @property
    def has_exact_probability(self):
        kind = self.definition["kind"]
        return kind == "circle" or (kind == "polygon" and self.definition["shape"].buffer == 0)

    def determined_side(self, d, fix, confidence):
        """Returns the side that a fix determines for an undetermined condition, or None if the fix determines no
        side."""
        side = self.side(d, fix)
        if side is None or (side == "out" and self.is_above_or_below(fix)):
            return side
        if self.has_probability:
            return side if self.is_probable(side, d, fix, confidence) else None
        if self.is_fine(fix.accuracy):
            return side
        return "out" if d - fix.accuracy > self.line else None

    def is_above_or_below(self, fix):
        return self.band is not None and self.vertical(fix).is_outside

    def is_beyond_margin(self, d, side, accuracy):
        """Whether a fix on a side is decisive by its distance."""
        r = self.line
        if side == "in":
            return d <= r - self.margin_in(accuracy) and self.is_fine(accuracy)
        return d > r and d >= r + self.margin_out(accuracy)

    def is_decisive(self, d, side, fix, confidence):
        if self.band is not None:
            vertical = self.vertical(fix)
            if side == "out" and vertical.is_decisive_outwards:
                return True
            if side == "in" and not vertical.is_decisive_inwards:
                return False
        return self.is_beyond_margin(d, side, fix.accuracy) and self.is_probable(side, d, fix, confidence)

    def dwell(self, side):
        return microseconds(self.policy["entry_dwell" if side == "in" else "exit_dwell"])

    # Beacons ---------------------------------------------------------------------------------------------------

    def matches(self, sighting):
        uuid, major, minor, _ = sighting
        d = self.definition
        return uuid == d["uuid"] and d["major"] in (None, major) and d["minor"] in (None, minor)


def has_news(now: frozenset, before: frozenset) -> bool:
    """Returns True if the change from the reported flags `before` to the flags `now` causes a diagnostic event."""
    now, before = now - {"inactive"}, before - {"inactive"}
    if now == before:
        return False
    gone = before - now
    ceased = bool(before & UNMONITORED_FLAGS) and not now & UNMONITORED_FLAGS
    # When a condition ceases to be unmonitored, no event follows; the next event carries the new flags.
    return not (ceased and gone <= UNMONITORED_FLAGS and now <= before)
