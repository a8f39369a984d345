"""Reads points in well-known text (ISO 19125; EWKT of PostGIS): ``POINT (13.4 52.5)``, longitude first."""

from __future__ import annotations

import re

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_POINT = re.compile(
    rf"\s*(?:SRID\s*=\s*(\d+)\s*;)?\s*POINT\s*(?:Z|M|ZM)?\s*(?:EMPTY|\(\s*({_NUMBER})\s+({_NUMBER})(?:\s+{_NUMBER}){{0,2}}\s*\))\s*",
    re.IGNORECASE,
)
_KIND = re.compile(r"\s*(?:SRID\s*=\s*\d+\s*;)?\s*([A-Za-z]+)\s*(?:Z|M|ZM)?\s*(?:EMPTY|\()", re.IGNORECASE)


def wkt_point(text: str) -> tuple[float, float] | None:
    """Longitude and latitude (x and y) of a point; None for an empty point or a blank text.

    Raises:
        ValueError: The text is not a point, or uses a reference system other than EPSG:4326; the message says which of
            the two.
    """
    if not text.strip():
        return None
    match = _POINT.fullmatch(text)
    if match is None:
        kind = _KIND.match(text)
        shown = text if len(text) <= 40 else text[:37] + "..."
        raise ValueError(f"is a {kind[1].upper()}; must be a POINT" if kind else f"{shown!r} is not WKT of a POINT")
    if match[1] not in (None, "4326"):
        raise ValueError(f"is in EPSG:{match[1]}, not in WGS84 (EPSG:4326)")
    return None if match[2] is None else (float(match[2]), float(match[3]))
