"""Separates the fixes that a replay accepted from the fixes that it doubted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from .._files.tracks import FixRow
from .._monitor.monitor import Monitor
from .._native import InvalidArgumentError, LateInputError
from .._values.conditions import Circle
from .._values.enums import Notify
from .._values.policy import TransitionPolicy

PLAUSIBILITY = ("plausible_speed", "corroboration_count", "corroboration_time")


class DoubtedFix(NamedTuple):
    """A fix that the device cannot have reached."""

    fix: FixRow
    before: FixRow
    """The doubted fix before it in the same row of doubted fixes, or else the last accepted fix."""
    reason: str


def separated(fixes: Iterable[FixRow], options: Mapping[str, Any]) -> tuple[list[FixRow], list[DoubtedFix]]:
    """Returns the accepted fixes and the doubted fixes of a track. Late and invalid fixes are in neither list.

    A log has only the number of doubted fixes, so the fixes are fed again, to a monitor with the replay's options.

    Args:
        fixes: The fixes in the order in which they were fed.
        options: The options of the replay.
    """
    if options.get("plausible_speed") is None:
        return _placed(fixes), []
    monitor = Monitor(**{name: options[name] for name in PLAUSIBILITY if name in options})
    silent = TransitionPolicy(notify=Notify(0))
    monitor.add(Circle(0, 0, radius=1), "any", assuming="unsatisfied", policy=silent)  # a shape explains the doubt
    accepted: list[FixRow] = []
    found: list[DoubtedFix] = []
    chain: FixRow | None = None
    for fix in fixes:
        if not fix[2] >= 0:
            continue
        before = monitor.clock_us
        try:
            monitor._handle.feed_fix(*fix)
        except (LateInputError, InvalidArgumentError):
            continue
        # A doubted fix does not move the clock, so a later clock proves without an explanation that it was accepted.
        doubt = monitor.explain("any").doubt if monitor.clock_us == before else None
        if doubt is None:
            accepted.append(fix)
            chain = None
        else:
            found.append(DoubtedFix(fix, accepted[-1] if chain is None else chain, str(doubt)))
            chain = fix
    return accepted, found


def _placed(fixes: Iterable[FixRow]) -> list[FixRow]:
    taken, clock = [], None
    for fix in fixes:
        if fix[2] >= 0 and abs(fix[0]) <= 90 and abs(fix[1]) <= 180 and (clock is None or fix[3] >= clock):
            clock = fix[3]
            taken.append(fix)
    return taken
