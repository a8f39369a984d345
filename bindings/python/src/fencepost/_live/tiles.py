"""A background map for the page: the map tiles of another server, if the user has enabled them."""

from __future__ import annotations

import re

from .._dataclass import dataclass

TILE = re.compile(
    r"(?P<origin>https?://(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::(?P<port>[0-9]{1,5}))?)/[!#-;=?-Z_a-z~{}]*"
)
PLACES = ("{z}", "{x}", "{y}")
OPENSTREETMAP = "https://tile.openstreetmap.org/"
ATTRIBUTIONS = {OPENSTREETMAP: "© OpenStreetMap contributors https://www.openstreetmap.org/copyright"}
"""The attributions of known tile servers, by the beginning of their URLs."""


@dataclass(frozen=True, slots=True)
class Tiles:
    """Map tiles: square images in the Mercator projection.

    Attributes:
        template: The URL of a tile, with ``{z}``, ``{x}`` and ``{y}``.
        origin: The origin of the server, for the Content-Security-Policy.
        attribution: The copyright notice; a URL at its end becomes a link.
    """

    template: str
    origin: str
    attribution: str


def read_tiles(template: str, attribution: str | None) -> Tiles:
    """Reads a URL template for map tiles.

    Raises:
        ValueError: `template` is not a tile URL, or the attribution is missing.
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
        raise ValueError(f"{template} must have the form https://SERVER/…{{z}}/{{x}}/{{y}}…, without a user or spaces")
    if attribution is None:
        known = (text for start, text in ATTRIBUTIONS.items() if template.startswith(start))
        attribution = next(known, "")
    if not attribution.strip():
        raise ValueError(f"the copyright of the map of {found['origin']} is unknown; add --page-attribution")
    return Tiles(template, found["origin"], attribution.strip())
