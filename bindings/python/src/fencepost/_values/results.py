"""Results of batches: counts."""

from __future__ import annotations

from typing import NamedTuple


class FeedResult(NamedTuple):
    """The counts of a batch of fixes.

    Example:
        >>> FeedResult(accepted=3, invalid=0, late=1).late
        1
    """

    accepted: int
    """Evaluated."""
    invalid: int
    """Skipped: coordinate or time out of range, or no position (accuracy negative or NaN)."""
    late: int
    """Skipped for their time: earlier than the clock, or ahead of it by more than `max_time_step`."""

    def _plus(self, counts: tuple[int, int, int]) -> FeedResult:
        """The counts of two batches."""
        return FeedResult(*(one + other for one, other in zip(self, counts, strict=True)))

    def _carry(self, error: BaseException) -> None:
        """Completes an error that ended a batch (a full queue, a handler of a signal) and carries the counts of what
        was consumed: these are the counts of what came before it."""
        counts = getattr(error, "result", None)
        if type(counts) is tuple:
            error.result = self._plus(counts)  # type: ignore[attr-defined]


class ShapeReading(NamedTuple):
    """How the geometry of a condition was read.

    Edges are geodesics, or straight lines on the map of degrees; files often do not say for which their vertices were
    made.

    Example:
        >>> reading = ShapeReading(100.0, vertex_count=0, departure=None, part=0, ring=0, edge=0, left_out_rings=0)
        >>> reading.departure is None
        True
    """

    depth: float | None
    """How far inside of the line a position can be, metres: what margins are compared with. None: a beacon."""
    vertex_count: int
    """Of polygons and corridors, without repeated and closing ones."""
    departure: float | None
    """How far geodesic and planar edges would be apart at the most, metres; None: 1 m at most, so that it does not
    matter which they are."""
    part: int
    """Where: the part, counted from 0,"""
    ring: int
    """its ring, the outer one being 0, or the line,"""
    edge: int
    """and the vertex at which the edge begins."""
    left_out_rings: int
    """Of polygons how many rings were left out when the condition was added, because they have no vertices or are
    narrower than a micrometre; 0 of a condition from a store or snapshot."""


class SyncResult(NamedTuple):
    """The counts of a synchronised set of conditions.

    Example:
        >>> SyncResult(added=3, replaced=0, kept=1, removed=2).kept
        1
    """

    added: int
    """No condition had the identifier."""
    replaced: int
    """One that differs had it: new record, its waiting events were dropped."""
    kept: int
    """An equal one was there: nothing happened to it."""
    removed: int
    """Not in the set."""
