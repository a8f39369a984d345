"""Separates the fixes that a replay accepted from the fixes that it doubted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .._files.tracks import FixRow
from .._log.doubted import DoubtedFix
from .._monitor.monitor import Monitor
from .._native import InvalidArgumentError, LateInputError
from .._values.conditions import Circle
from .._values.enums import Notify
from .._values.policy import TransitionPolicy


def separated(options: Mapping[str, Any], fixes: Iterable[FixRow]) -> tuple[list[FixRow], list[DoubtedFix]]:
    """Returns the accepted fixes and the doubted fixes of a track. Late and invalid fixes are in neither list.

    A log has only the number of doubted fixes, so the fixes are fed again, to a monitor with the replay's options.

    Args:
        options: The options of the replay that concern plausibility.
        fixes: The fixes in the order in which they were fed.
    """
    monitor = Monitor(**options)
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
