"""Warns if geodesic and planar edges would differ for shapes that do not state their kind of edges. Shapes that do not
state their kind of edges are never refused."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias

from .._errors import Advice, warn
from .._native import NotFoundError

if TYPE_CHECKING:
    from .._native import Monitor as Handle

    Found: TypeAlias = tuple[str, str, str]
    """The identifier of a condition, its source, and its place in the source; messages name the last two."""

AS_GEODESIC = Advice(*["the edges are treated as geodesic; to choose, set edges='geodesic' or edges='planar'"] * 2)
AS_PLANAR = Advice(
    *["the edges are treated as planar; to choose, set a property or column named edges to geodesic or planar"] * 2
)


def warn_of_left_out(handle: Handle, identifier: str, source: str, place: str) -> None:
    """Warns if rings of a polygon were left out, and gives the number of these rings."""
    try:
        count = handle.shape(identifier)[-1]
    except NotFoundError:  # another thread has removed the condition
        return
    if count:
        warn(source, place, f"{count} rings are left out: they have no vertices, or are narrower than a micrometre")


def warn_of_edges(handle: Handle, conditions: Iterable[Found], advice: Advice) -> None:
    """Warns about the condition whose geodesic and planar edges lie farthest apart, if the distance is more than a
    metre. `conditions` contains only conditions that do not state their kind of edges."""
    apart = []
    for identifier, source, place in conditions:
        try:
            _, _, departure, part, ring, edge, _ = handle.shape(identifier)
        except NotFoundError:  # another thread has removed the condition
            continue
        if departure is not None:
            apart.append((departure, source, place, f"part {part}, ring {ring}, edge {edge}"))
    if not apart:
        return
    metres, source, place, where = max(apart, key=lambda each: each[0])
    others = f", the largest distance among {len(apart)} shapes" if len(apart) > 1 else ""
    reason = (
        f"geodesic and planar edges lie up to {metres:.0f} m apart ({where}{others}), and the source "
        "does not state which edges it uses"
    )
    warn(source, place, reason, advice)
