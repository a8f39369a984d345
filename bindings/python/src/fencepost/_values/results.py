"""The counts that the batch calls return."""

from __future__ import annotations

from typing import NamedTuple


class FeedResult(NamedTuple):
    """The numbers of accepted, invalid, late and doubted fixes in a batch.

    The text shows `doubted` only if it is not 0.

    Example:
        >>> FeedResult(accepted=3, invalid=0, late=1).late
        1
    """

    accepted: int
    """The number of fixes that were evaluated."""
    invalid: int
    """The number of fixes that were skipped because a coordinate or the time is out of range, or because they have no
    position (their accuracy is negative or NaN)."""
    late: int
    """The number of fixes that were skipped because their time is earlier than the clock, or ahead of the clock by more
    than `max_time_step`."""
    doubted: int = 0
    """The number of fixes that were skipped because the device cannot have reached them; see `plausible_speed` of
    :class:`Monitor`."""

    def __repr__(self) -> str:
        shown = f"accepted={self.accepted}, invalid={self.invalid}, late={self.late}"
        return f"FeedResult({shown}, doubted={self.doubted})" if self.doubted else f"FeedResult({shown})"

    def _plus(self, counts: tuple[int, int, int, int]) -> FeedResult:
        """The sum of the counts of two batches."""
        return FeedResult(*(one + other for one, other in zip(self, counts, strict=True)))

    def _carry(self, error: BaseException) -> None:
        """Adds the counts of the earlier batches, which this object holds, to an error that was raised while a later
        batch was fed. An error during a batch comes from a full queue or from an exception in a signal handler.

        If the error's `result` already has the counts of the failed batch, `result` becomes the sum of both counts.
        """
        counts = getattr(error, "result", None)
        if type(counts) is tuple:
            error.result = self._plus(counts)  # type: ignore[attr-defined]


class ShapeReading(NamedTuple):
    """How the geometry of a condition was read.

    Edges are either geodesics or straight lines on a map of longitude and latitude, and files often do not state their
    kind of edges.

    Example:
        >>> reading = ShapeReading(100.0, vertex_count=0, departure=None, part=0, ring=0, edge=0, left_out_rings=0)
        >>> reading.departure is None
        True
    """

    depth: float | None
    """The largest distance in metres between the boundary and any position inside the condition. The engine compares
    margins and accuracies with this depth. None for a beacon."""
    vertex_count: int
    """The number of vertices of a polygon or corridor, without repeated vertices and closing vertices."""
    departure: float | None
    """The largest distance between geodesic and planar edges, in metres. None if the largest distance is at most 1 m,
    because the kind of edges does not matter in that case."""
    part: int
    """The index (from 0) of the part in which geodesic and planar edges are farthest apart."""
    ring: int
    """The ring or line in which geodesic and planar edges are farthest apart, counted from 0 in its part; the outer
    ring is 0."""
    edge: int
    """The vertex, counted from 0, at which the edge with the largest distance between geodesic and planar edges
    begins."""
    left_out_rings: int
    """The number of a polygon's rings that were left out when the condition was added, because they have no vertices or
    are narrower than a micrometre. For a condition that comes from a store or snapshot, the number of left-out rings is
    always 0."""


class SyncResult(NamedTuple):
    """The numbers of conditions that a synchronisation added, replaced, kept and removed.

    Example:
        >>> SyncResult(added=3, replaced=0, kept=1, removed=2).kept
        1
    """

    added: int
    """The number of conditions with a new identifier."""
    replaced: int
    """The number of conditions that replaced a different condition with the same identifier. Each new condition has a
    new record, and the pending events of the condition that it replaced were dropped."""
    kept: int
    """The number of conditions that were left unchanged, because an equal condition existed."""
    removed: int
    """The number of conditions that were removed because they are not in the passed set."""
