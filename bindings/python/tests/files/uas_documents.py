"""Documents in the formats ED-269 and ED-318, for the tests of their readers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fencepost import InputError
from fencepost._files.uas_hours import Window
from fencepost._files.uas_zones import zones_of
from fencepost.uas import UasZone

DAY = 86_400_000_000
START = 1_767_225_600_000_000  # 2026-01-01T00:00:00Z, a Thursday
WINDOW = Window(START, START + 28 * DAY)
RING = [[8.5, 47.3], [8.6, 47.3], [8.6, 47.4], [8.5, 47.4], [8.5, 47.3]]
AUTHORITY = [{"name": "Office", "purpose": "AUTHORIZATION"}]


def volume(**changes: Any) -> dict[str, Any]:
    """A volume of ED-269: from 50 to 120 m above the ground."""
    return {
        "uomDimensions": "M",
        "lowerLimit": 50,
        "lowerVerticalReference": "AGL",
        "upperLimit": 120,
        "upperVerticalReference": "AGL",
        "horizontalProjection": {"type": "Polygon", "coordinates": [RING]},
    } | changes


def zone(*volumes: Any, **changes: Any) -> dict[str, Any]:
    """A zone of ED-269."""
    return {
        "identifier": "ZRH0001",
        "country": "CHE",
        "name": "a zone",
        "type": "COMMON",
        "restriction": "PROHIBITED",
        "applicability": [{"permanent": "YES"}],
        "zoneAuthority": AUTHORITY,
        "geometry": list(volumes) or [volume()],
    } | changes


def ed269(*zones: Any) -> dict[str, Any]:
    return {"title": "zones", "features": list(zones)}


def circle(radius: float = 1000, **changes: Any) -> dict[str, Any]:
    return volume(horizontalProjection={"type": "Circle", "center": [8.55, 47.35], "radius": radius}, **changes)


def layered(kind: str = "Polygon", coordinates: Any = None, layer: Any = None, **more: Any) -> dict[str, Any]:
    """A geometry of ED-318: from 50 to 120 m above the ground."""
    limits = {"lower": 50, "lowerReference": "AGL", "upper": 120, "upperReference": "AGL", "uom": "m"}
    return {
        "type": kind,
        "coordinates": [RING] if coordinates is None else coordinates,
        "layer": limits if layer is None else limits | layer,
    } | more


def point(radius: Any = 1000, **more: Any) -> dict[str, Any]:
    return layered("Point", [8.55, 47.35], **{"extent": {"subType": "Circle", "radius": radius}} | more)


def feature(geometry: Any = None, **changes: Any) -> dict[str, Any]:
    properties = {
        "identifier": "ZRH0001",
        "country": "CHE",
        "name": [{"text": "a zone", "lang": "en-GB"}],
        "type": "PROHIBITED",
        "variant": "COMMON",
        "zoneAuthority": AUTHORITY,
    }
    return {
        "type": "Feature",
        "geometry": layered() if geometry is None else geometry,
        "properties": properties | changes,
    }


def ed318(*features: Any, **more: Any) -> dict[str, Any]:
    return {"type": "FeatureCollection", "features": list(features)} | more


def rows(document: Any) -> list[UasZone]:
    return list(zones_of(json.loads(json.dumps(document)), "zones.json", WINDOW).values())


def refusal(document: Any) -> tuple[str, str]:
    """Returns the path of the field that is refused, and the reason."""
    try:
        found = rows(document)
    except InputError as error:
        name, path, reason = str(error).split(": ", 2)
        assert name == "zones.json" and "\n" not in reason
        assert len(reason) < 400
        return path, reason
    raise AssertionError(f"accepted: {found}")


def write(folder: Path, document: Any) -> Path:
    path = folder / "zones.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path
