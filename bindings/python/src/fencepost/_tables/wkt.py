"""Reads points in well-known text (ISO 19125; EWKT of PostGIS): ``POINT (13.4 52.5)``, longitude first.

No text can match a part of the patterns in two ways, so the time is proportional to the length of the text.
"""

from __future__ import annotations

import re

from .numbers import short

NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
WKT = re.compile(
    r"\s*(?:SRID\s*=\s*(\d+)\s*;\s*)?([A-Za-z]+?)(?:\s*(ZM|Z|M))?\s*(?=\(|EMPTY)(.*)", re.DOTALL | re.IGNORECASE
)
"""Matches well-known text of any type. The groups are the reference system, the type, the axes beside x and y, and the
coordinates."""
_POSITION = re.compile(rf"EMPTY|\(\s*({NUMBER})\s+({NUMBER})(?:\s+{NUMBER}){{0,2}}\s*\)", re.IGNORECASE)


def wkt_point(text: str) -> tuple[float, float] | None:
    """Longitude and latitude (x and y) of a point; None for an empty point or a blank text.

    Raises:
        ValueError: The text is not a point, or uses a reference system other than EPSG:4326; the message says which of
            the two.
    """
    text = text.strip()
    if not text:
        return None
    match = WKT.fullmatch(text)
    if match is None:
        raise ValueError(f"{short(text)!r} is not WKT of a POINT")
    position = _POSITION.fullmatch(match[4]) if match[2].upper() == "POINT" else None
    if position is None:
        raise ValueError(f"is a {short(match[2]).upper()}; must be a POINT")
    if match[1] not in (None, "4326"):
        raise ValueError(f"is in EPSG:{short(match[1])}, not in WGS84 (EPSG:4326)")
    return None if position[1] is None else (float(position[1]), float(position[2]))
