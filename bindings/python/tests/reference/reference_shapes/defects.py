"""The reasons why a shape is refused, and the places of its defects, as listed in the table of shapes.md."""

from __future__ import annotations

# Lists the reasons in the order of the table in shapes.md; if several reasons apply to a shape, the first one counts.
REASONS = (
    "coordinate",
    "type",
    "empty",
    "edges",
    "too_few_vertices",
    "too_many_vertices",
    "edge_too_long",
    "no_area",
    "which_side",
    "crossing",
    "overlap",
    "hole_outside",
    "holes_overlap",
    "parts_overlap",
    "no_line",
    "radius",
    "buffer",
)


class Defect(Exception):
    """The error when a shape is refused. Each element of `places` is a tuple (part, ring, edge or vertex) of numbers
    counted from 0."""

    def __init__(self, reason: str, *places: tuple[int | None, int | None, int | None]) -> None:
        assert reason in REASONS
        super().__init__(reason, *places)
        self.reason, self.places = reason, places
