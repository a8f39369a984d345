"""The fixes that a replay doubted."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

from .._files.tracks import FixRow


class DoubtedFix(NamedTuple):
    """A fix that the device cannot have reached."""

    fix: FixRow
    before: FixRow
    """The doubted fix before it in the same row of doubted fixes, or else the last accepted fix."""
    reason: str


Separate: TypeAlias = Callable[[Iterable[FixRow]], tuple[list[FixRow], list[DoubtedFix]]]
"""Returns the accepted fixes and the doubted fixes of a track."""


def placed(fixes: Iterable[FixRow]) -> list[FixRow]:
    """Returns the fixes that a replay without plausibility accepts: valid, with a position, and not late."""
    taken, clock = [], None
    for fix in fixes:
        if fix[2] >= 0 and abs(fix[0]) <= 90 and abs(fix[1]) <= 180 and (clock is None or fix[3] >= clock):
            clock = fix[3]
            taken.append(fix)
    return taken
