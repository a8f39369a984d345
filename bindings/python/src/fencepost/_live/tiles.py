"""A map below the page's own: pictures of another server, where somebody has switched them on."""

from __future__ import annotations

import re
from dataclasses import dataclass

TILE = re.compile(
    r"(?P<origin>https?://(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::(?P<port>[0-9]{1,5}))?)/[!#-;=?-Z_a-z~{}]*"
)
PLACES = ("{z}", "{x}", "{y}")
OPENSTREETMAP = "https://tile.openstreetmap.org/"
ATTRIBUTIONS = {OPENSTREETMAP: "© OpenStreetMap contributors https://www.openstreetmap.org/copyright"}
"""Of servers whose wish is known."""


@dataclass(frozen=True, slots=True)
class Tiles:
    """Square pictures of Mercator's plane.

    Attributes:
        template: Their address, with ``{z}``, ``{x}`` and ``{y}``.
        origin: The server, as a policy names it.
        attribution: Whose map it is; an address at its end becomes a link.
    """

    template: str
    origin: str
    attribution: str


def read_tiles(template: str, attribution: str | None) -> Tiles:
    """Reads an address of tiles.

    Raises:
        ValueError: It is not a URL of tiles, or the attribution is missing.
    """
    found = TILE.fullmatch(template)
    rest = template
    for place in PLACES:
        rest = rest.replace(place, "", 1)
    if (
        found is None
        or int(found["port"] or 1) not in range(1, 65_536)
        or set("{}") & set(rest)
        or not all(place in template for place in PLACES)
    ):
        raise ValueError(f"{template} is not https://SERVER/…{{z}}/{{x}}/{{y}}…, without a user or spaces")
    if attribution is None:
        known = (text for start, text in ATTRIBUTIONS.items() if template.startswith(start))
        attribution = next(known, "")
    if not attribution.strip():
        raise ValueError(f"nothing says whose map {found['origin']} has: --page-attribution")
    return Tiles(template, found["origin"], attribution.strip())
