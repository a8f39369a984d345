"""Explains the states of conditions, as part of the monitor's reference model.

Like reference.py, this module was written from ``design/semantics.md`` alone.
"""

from __future__ import annotations

import math

from reference_values import TIMING_FLAGS, UNMONITORED_FLAGS


def explain(c, clock, scanning, confidence):
    """Explains a condition at the time of its monitor's clock; `scanning` is true if the monitor scans for beacons, and
    `confidence` is the share of the true positions within an accuracy."""
    answer = dict(
        reason=None,
        state=c.observed.state if c.observed else "unknown",
        side=None,
        boundary_distance=None,
        accuracy=None,
        entry_margin=None,
        exit_margin=None,
        candidate_since=None,
        candidate_deadline=None,
        last_sighting=c.last_sighting,
        absence_deadline=c.absence_deadline,
        metres_to_decide=None,
        seconds_to_decide=None,
        accuracy_needed=None,
        probability=None,
        ellipse=None,
        vertical_distance=None,
    )
    if c.is_place and c.band is not None:
        _explain_band(c, clock, answer, confidence)
    elif c.is_place and c.has_probability:
        _explain_probability(c, clock, answer, confidence)
    elif c.is_place:
        _explain_place(c, clock, answer)
    else:
        _explain_beacon(c, clock, answer)
    if c.flags & UNMONITORED_FLAGS:
        answer["reason"] = "unmonitored"
    elif c.flags - TIMING_FLAGS - {"persistence_unavailable"}:
        answer["reason"] = "suspended"
    elif c.suspended:
        answer["reason"] = "inactive"
    elif not c.is_place and not scanning:
        answer["reason"] = "scanner_off"
    if answer["reason"] in ("unmonitored", "suspended", "inactive", "scanner_off"):
        answer["metres_to_decide"] = answer["seconds_to_decide"] = answer["accuracy_needed"] = None
    if answer["reason"] == "inactive" and "exhausted" not in c.flags and clock is not None:
        start = c.timing.next_start(clock)
        answer["seconds_to_decide"] = None if start is None else (start - clock) / 1e6
    return answer


def _explain_beacon(c, clock, answer):
    if c.observed is None:
        answer["reason"] = "not_seen_yet"
    else:
        answer["reason"] = "seen" if c.observed.side == "in" else "absent"
    if c.absence_deadline is not None:
        answer["seconds_to_decide"] = (c.absence_deadline - clock) / 1e6


def _accuracy_that_decides(c, d):
    """Returns the largest accuracy with which a fix at the distance `d` would be decisive, or None if no accuracy would
    be decisive."""
    r, k = c.line, c.policy["accuracy_factor"]
    side = "in" if d <= r else "out"
    coarse = max(c.size, 100.0)
    if k == 0:
        return None  # with the accuracy factor 0 the accuracy does not matter
    if c.observed is None:
        return coarse if d <= r else max(coarse, d - r)
    if not c.is_beyond_margin(d, side, 0.0):
        return None
    if side == "out":
        return (d - r) / k
    return coarse if d <= r - c.size / 2 else min(coarse, (r - d) / k)


def _describe(c, fix, d, answer):
    """Adds what the last fix and the candidate say; returns the side of the fix."""
    side = c.side(d, fix)
    answer.update(
        side={"in": "inside", "out": "outside", None: None}[side],
        boundary_distance=d - c.line,
        accuracy=fix.accuracy,
        entry_margin=c.margin_in(fix.accuracy),
        exit_margin=c.margin_out(fix.accuracy),
    )
    if c.candidate is not None:
        answer.update(candidate_since=c.candidate.fix.time, candidate_deadline=c.candidate.deadline)
    return side


def _explain_band(c, clock, answer, confidence):
    """Explains a condition that has a band: how far a fix must be to decide, and the accuracy that it needs, are not
    part of the reference."""
    if c.last_fix is None:
        answer["reason"] = "no_fix_yet"
        return
    fix, d = c.last_fix
    side = _describe(c, fix, d, answer)
    vertical = c.vertical(fix)
    answer["vertical_distance"] = None if math.isnan(vertical.distance) else vertical.distance
    if c.has_probability:
        p = c.probability(d, fix, confidence)
        answer["probability"] = None if math.isnan(p) else p
        answer["ellipse"] = None if fix.ellipse is None else list(fix.ellipse)
    if c.candidate is not None:
        answer["reason"] = "dwelling"
        answer["seconds_to_decide"] = (c.candidate.deadline - clock) / 1e6
    elif side is None:
        answer["reason"] = "no_height"
    elif c.observed is None:
        answer["reason"] = "uncertain" if c.has_probability else "too_coarse"
    elif side == c.observed.side:
        answer["reason"] = "inside" if side == "in" else "outside"
    elif (side == "in" and not vertical.is_decisive_inwards) or (side == "out" and d <= c.line):
        answer["reason"] = "within_margin"  # the height is within the vertical margin
    elif c.has_probability:
        answer["reason"] = "uncertain" if c.is_beyond_margin(d, side, fix.accuracy) else "within_margin"
    else:
        answer["reason"] = "within_margin" if _accuracy_that_decides(c, d) is None else "too_coarse"


def _explain_probability(c, clock, answer, confidence):
    """Explains a condition whose policy has probabilities: how far a fix must be to decide, and the accuracy that it
    needs, are not part of the reference."""
    if c.last_fix is None:
        answer["reason"] = "no_fix_yet"
        return
    fix, d = c.last_fix
    side = _describe(c, fix, d, answer)
    p = c.probability(d, fix, confidence)
    answer["probability"] = None if math.isnan(p) else p
    answer["ellipse"] = None if fix.ellipse is None else list(fix.ellipse)
    on_other_side = c.observed is not None and side != c.observed.side
    if c.candidate is not None:
        answer["reason"] = "dwelling"
        answer["seconds_to_decide"] = (c.candidate.deadline - clock) / 1e6
    elif c.observed is None or (on_other_side and c.is_beyond_margin(d, side, fix.accuracy)):
        answer["reason"] = "uncertain"
    else:
        answer["reason"] = "within_margin" if on_other_side else ("inside" if side == "in" else "outside")


def _explain_place(c, clock, answer):
    if c.last_fix is None:
        answer["reason"] = "no_fix_yet"
        return
    fix, d = c.last_fix
    r, a = c.line, fix.accuracy
    side = _describe(c, fix, d, answer)
    entry, leave = c.margin_in(a), c.margin_out(a)
    on_other_side = c.observed is not None and side != c.observed.side
    undecided = c.observed is None or (on_other_side and not c.is_beyond_margin(d, side, a))
    if undecided and _accuracy_that_decides(c, d) is not None:
        answer["reason"] = "too_coarse"
        answer["accuracy_needed"] = _accuracy_that_decides(c, d)
    elif c.candidate is not None:
        answer["reason"] = "dwelling"
        answer["seconds_to_decide"] = (c.candidate.deadline - clock) / 1e6
    else:
        answer["reason"] = "within_margin" if on_other_side else ("inside" if side == "in" else "outside")
        if c.observed.side == "in":
            answer["metres_to_decide"] = r + leave - d
        else:
            answer["metres_to_decide"] = d - (r - entry)
