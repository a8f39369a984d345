"""Counts that batch calls return."""

from __future__ import annotations

from typing import NamedTuple


class FeedResult(NamedTuple):
    """The counts of a batch of fixes.

    Example:
        >>> FeedResult(accepted=3, invalid=0, late=1).late
        1
    """

    accepted: int
    """Fixes that were evaluated."""
    invalid: int
    """Fixes that were skipped: coordinate or time out of range, or no position (accuracy negative or NaN)."""
    late: int
    """Fixes that were skipped because of their time: earlier than the clock, or ahead of it by more than
    `max_time_step`."""

    def _plus(self, counts: tuple[int, int, int]) -> FeedResult:
        """The sum of the counts of two batches."""
        return FeedResult(*(one + other for one, other in zip(self, counts, strict=True)))

    def _carry(self, error: BaseException) -> None:
        """Adds these counts to an error that ended a later batch (a full queue, an exception of a signal handler).

        If the error has the counts of its own batch, its `result` becomes the total; these counts are those of the
        earlier batches.
        """
        counts = getattr(error, "result", None)
        if type(counts) is tuple:
            error.result = self._plus(counts)  # type: ignore[attr-defined]


class ShapeReading(NamedTuple):
    """How the geometry of a condition was read.

    Edges are geodesics, or straight lines on the map of degrees; files often do not state which of the two is meant.

    Example:
        >>> reading = ShapeReading(100.0, vertex_count=0, departure=None, part=0, ring=0, edge=0, left_out_rings=0)
        >>> reading.departure is None
        True
    """

    depth: float | None
    """The largest distance of a position inside the boundary to it, metres; margins are compared with it. None: a
    beacon."""
    vertex_count: int
    """The number of vertices of a polygon or corridor, without repeated and closing ones."""
    departure: float | None
    """The largest distance between geodesic and planar edges, metres; None: at most 1 m, so the kind of edges does not
    matter."""
    part: int
    """The place of the largest distance: the part, counted from 0,"""
    """Where: the part, counted from 0,"""
    ring: int
    """its ring, the outer one being 0, or the line,"""
    edge: int
    """and the vertex at which the edge begins."""
    left_out_rings: int
    """The number of a polygon's rings that were left out when the condition was added, because they have no vertices or
    are narrower than a micrometre. 0 for a condition from a store or snapshot."""


class SyncResult(NamedTuple):
    """The counts after conditions were made equal to a set.

    Example:
        >>> SyncResult(added=3, replaced=0, kept=1, removed=2).kept
        1
    """

    added: int
    """Conditions whose identifier was new."""
    replaced: int
    """Conditions that replaced a different one: they have a new record, and the pending events of the old one were
    dropped."""
    kept: int
    """Conditions for which an equal one existed; it was left unchanged."""
    removed: int
    """Conditions that are not in the set."""
