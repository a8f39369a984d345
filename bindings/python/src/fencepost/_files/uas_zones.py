"""UAS geographical zones as the authorities publish them: ED-269 (EUROCAE, JSON) and ED-318 (GeoJSON).

Each volume of a zone has a footprint (a circle or a polygon), limits of height, the times at which it applies, and the
class of its restriction. Only the fields of these values are checked; a message names the path of the field.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from .._errors import InputError
from .._native import InvalidArgumentError
from .._tables.numbers import shown
from .._values.bands import AltitudeBand
from .._values.conditions import Circle
from .._values.enums import HeightReference, Restriction
from .._values.shapes import Polygon
from .._values.uas_zone import UasZone
from .uas_hours import FieldError, Window, as_list, instant, timing_of

if TYPE_CHECKING:
    from .._values.schedule import Timing

Code = TypeVar("Code")
_FEET = 0.3048
_DECIMAL = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?")
_UNITS = {"M": 1.0, "FT": _FEET}
_REFERENCES = {
    "AGL": HeightReference.GROUND,
    "AMSL": HeightReference.MEAN_SEA_LEVEL,
    "WGS84": HeightReference.ELLIPSOID,
}
_UNLIMITED = 99_999
"""Authorities write an upper limit of at least this number, in metres or feet, for an unlimited height."""
_LISTS = ("UASZoneList", "features")
_CLASSES_269 = {each.name: each for each in Restriction if each is not Restriction.USPACE}
_CLASSES_269["REQ_AUTHORIZATION"] = Restriction.REQ_AUTHORISATION  # some authorities write it like this
_CLASSES_318 = {each.name.replace("AUTHORISATION", "AUTHORIZATION"): each for each in Restriction}
_AREAS = ("Polygon", "MultiPolygon")


class _Volume(NamedTuple):
    """One part of a zone, and its path in the file."""

    path: str
    footprint: Circle | Polygon
    band: AltitudeBand | None


class _Zone(NamedTuple):
    """The fields that all volumes of a zone share."""

    identifier: str
    name: str
    restriction: Restriction
    timing: Timing | None


def is_uas_file(document: Any) -> bool:
    """Whether a parsed file is ED-269 or ED-318. Other collections of GeoJSON have neither volumes nor layers."""
    return _is_269(document) or _is_318(document)


def zones_of(document: Any, source: str | Path, window: Window) -> dict[str, UasZone]:
    """Returns the zones of a parsed file by identifier. A zone with several volumes gives the zones ``id/1``, ``id/2``
    and so on.

    Args:
        document: The parsed file.
        source: The name of the file, for messages.
        window: The times for which weekly schedules are expanded if they have no dates.

    Raises:
        InputError: A field cannot be used; the error names its path.
    """
    zones: dict[str, UasZone] = {}
    taken: dict[str, str] = {}  # the identifiers of zones and volumes; a zone of several volumes may become a rule
    try:
        for path, volumes, zone in _zones(document, window):
            _take(taken, zone.identifier, path, volumes[0].path)
            for number, volume in enumerate(volumes, 1):
                identifier = zone.identifier
                if len(volumes) > 1:
                    identifier = f"{zone.identifier}/{number}"
                    _take(taken, identifier, path, volume.path)
                zones[identifier] = UasZone(
                    identifier,
                    zone.name,
                    volume.footprint,
                    volume.band,
                    zone.restriction,
                    zone.timing,
                    volume.path,
                    zone.identifier,
                )
    except FieldError as error:
        raise InputError(source, error.path, error.reason) from None
    return zones


def _take(taken: dict[str, str], identifier: str, path: str, place: str) -> None:
    """Refuses an identifier that another zone or volume has."""
    if identifier in taken:
        raise FieldError(path, f"{identifier!r} is also the identifier of {taken[identifier]}")
    taken[identifier] = place


def _zones(document: Any, window: Window) -> Iterator[tuple[str, Sequence[_Volume], _Zone]]:
    """Yields the path of each zone's identifier, the volumes, and what they have in common."""
    if _is_269(document):
        yield from _zones_269(document, window)
    else:
        yield from _zones_318(document, window)


# ED-269 --------------------------------------------------------------------------------------------------------------


def _is_269(document: Any) -> bool:
    if isinstance(document, Mapping) and "UASZoneList" in document:
        return True
    return any(isinstance(zone, Mapping) and isinstance(zone.get("geometry"), list) for zone in _members(document))


def _members(document: Any) -> Iterable[Any]:
    """The elements of the list of zones, or nothing."""
    if isinstance(document, Mapping):
        document = next((document[name] for name in _LISTS if name in document), ())
    return document if isinstance(document, list | tuple) else ()


def _zones_269(document: Any, window: Window) -> Iterator[tuple[str, Sequence[_Volume], _Zone]]:
    name = next((name for name in _LISTS if name in document), "") if isinstance(document, Mapping) else ""
    zones = as_list(document[name] if name else document, name, "a list of zones")
    for index, zone in enumerate(zones):
        path = f"{name}[{index}]"
        _must_be_object(zone, path)
        restriction = _code(zone.get("restriction"), f"{path}.restriction", _CLASSES_269)
        timing = timing_of(zone.get("applicability"), f"{path}.applicability", window, says_permanent=True)
        volumes = as_list(zone.get("geometry"), f"{path}.geometry", "a list of volumes")
        if not volumes:
            raise FieldError(f"{path}.geometry", "is empty; a zone needs at least one volume")
        found = [_volume_269(volume, f"{path}.geometry[{number}]") for number, volume in enumerate(volumes)]
        yield f"{path}.identifier", found, _Zone(_identifier(zone, path), _name(zone), restriction, timing)


def _volume_269(volume: Any, path: str) -> _Volume:
    _must_be_object(volume, path)
    unit = _code(volume.get("uomDimensions"), f"{path}.uomDimensions", _UNITS)
    names = ("lowerLimit", "lowerVerticalReference", "upperLimit", "upperVerticalReference")
    band = _band(volume, path, unit, names)
    where = f"{path}.horizontalProjection"
    area = volume.get("horizontalProjection")
    _must_be_object(area, where)
    kind = area.get("type")
    if kind == "Circle":
        footprint: Circle | Polygon = _circle(area.get("center"), f"{where}.center", area.get("radius"), where, unit)
    elif kind == "Polygon":
        footprint = _polygon(area, where)
    else:
        raise FieldError(f"{where}.type", f"must be Circle or Polygon, not {shown(kind)}")
    return _Volume(path, footprint, band)


# ED-318 --------------------------------------------------------------------------------------------------------------


def _is_318(document: Any) -> bool:
    if not isinstance(document, Mapping) or document.get("type") not in ("FeatureCollection", "Feature"):
        return False
    features = [document] if document["type"] == "Feature" else _members(document)
    return any(isinstance(feature, Mapping) and _is_zone(feature) for feature in features)


def _is_zone(feature: Mapping[str, Any]) -> bool:
    properties, geometry = feature.get("properties"), feature.get("geometry")
    if isinstance(properties, Mapping) and "zoneAuthority" in properties and "country" in properties:
        return True
    if not isinstance(geometry, Mapping):
        return False
    several = geometry.get("geometries")
    parts = several if isinstance(several, list | tuple) else [geometry]
    return any(isinstance(part, Mapping) and isinstance(part.get("layer"), Mapping) for part in parts)


def _zones_318(document: Mapping[str, Any], window: Window) -> Iterator[tuple[str, Sequence[_Volume], _Zone]]:
    metadata = document.get("metadata")
    if metadata is not None:
        _must_be_object(metadata, "metadata")
        for name in ("validFrom", "validTo"):
            instant(metadata.get(name), f"metadata.{name}")
    features = [document] if document["type"] == "Feature" else document.get("features")
    for index, feature in enumerate(as_list(features, "features", "a list of features")):
        path = f"features[{index}]"
        _must_be_object(feature, path)
        properties = feature.get("properties")
        _must_be_object(properties, f"{path}.properties")
        said = properties.get("type")
        if said == "REQ_AUTHORISATION":
            raise FieldError(
                f"{path}.properties.type", "REQ_AUTHORISATION is a class of ED-269; write REQ_AUTHORIZATION"
            )
        restriction = _code(said, f"{path}.properties.type", _CLASSES_318)
        name = "limitedApplicability"
        timing = timing_of(properties.get(name), f"{path}.properties.{name}", window, says_permanent=False)
        found = [_volume_318(part, where) for part, where in _parts(feature.get("geometry"), f"{path}.geometry")]
        where = f"{path}.properties"
        zone = _Zone(_identifier(properties, where), _name(properties), restriction, timing)
        yield f"{where}.identifier", found, zone


def _parts(geometry: Any, path: str) -> list[tuple[Mapping[str, Any], str]]:
    """The geometries of a feature, each with its path."""
    _must_be_object(geometry, path)
    if geometry.get("type") != "GeometryCollection":
        return [(geometry, path)]
    where = f"{path}.geometries"
    parts = as_list(geometry.get("geometries"), where, "a list of geometries")
    if not parts:
        raise FieldError(where, "is empty; a zone needs at least one volume")
    for index, part in enumerate(parts):
        _must_be_object(part, f"{where}[{index}]")
    return [(part, f"{where}[{index}]") for index, part in enumerate(parts)]


def _volume_318(geometry: Mapping[str, Any], path: str) -> _Volume:
    layer = geometry.get("layer")
    band = None
    if layer is not None:
        where = f"{path}.layer"
        _must_be_object(layer, where)
        unit = 1.0 if layer.get("uom") is None else _code(layer["uom"], f"{where}.uom", _UNITS)
        band = _band(layer, where, unit, ("lower", "lowerReference", "upper", "upperReference"))
    kind = geometry.get("type")
    if kind in _AREAS:
        return _Volume(path, _polygon(geometry, path), band)
    if kind != "Point":
        needed = f"{', '.join(_AREAS)}, a Point with an extent, or a GeometryCollection of them"
        raise FieldError(f"{path}.type", f"must be {needed}, not {shown(kind)}")
    where = f"{path}.extent"
    extent: Any = geometry.get("extent")
    _must_be_object(extent, where)
    if extent.get("subType") not in ("Circle", "Circles"):  # an example of the standard has Circles
        raise FieldError(f"{where}.subType", f"must be Circle, not {shown(extent.get('subType'))}")
    center, at = geometry.get("coordinates"), f"{path}.coordinates"
    return _Volume(path, _circle(center, at, extent.get("radius"), where, 1.0), band)  # radii are always in metres


# Fields --------------------------------------------------------------------------------------------------------------


def _must_be_object(value: Any, path: str) -> None:
    if not isinstance(value, Mapping):
        raise FieldError(path, f"must be an object, not {shown(value)}")


def _identifier(zone: Mapping[str, Any], path: str) -> str:
    identifier = zone.get("identifier")
    if not isinstance(identifier, str) or not identifier.strip():
        raise FieldError(f"{path}.identifier", f"must be a text that is not empty, not {shown(identifier)}")
    return identifier


def _name(zone: Mapping[str, Any]) -> str:
    """Returns the name; ED-318 has a list of names with languages. Nothing depends on it, so a wrong one is empty."""
    name = zone.get("name")
    if isinstance(name, list | tuple):
        texts = (each.get("text") for each in name if isinstance(each, Mapping))
        name = next((text for text in texts if isinstance(text, str)), "")
    return name if isinstance(name, str) else ""


def _code(value: Any, path: str, codes: Mapping[str, Code]) -> Code:
    """Returns what a code means; authorities write codes in any case."""
    found = codes.get(value.upper()) if isinstance(value, str) else None
    if found is None:
        raise FieldError(path, f"must be one of {', '.join(codes)}, not {shown(value)}")
    return found


def _number(value: Any, path: str, needed: str) -> float:
    """Returns a finite number. Some authorities write numbers as texts."""
    try:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        is_text = isinstance(value, str) and _DECIMAL.fullmatch(value.strip()) is not None
        number = float(value) if is_number or is_text else inf
    except OverflowError:
        number = inf
    if not isfinite(number):
        raise FieldError(path, f"must be {needed}, not {shown(value)}")
    return number


def _band(values: Mapping[str, Any], path: str, unit: float, names: tuple[str, str, str, str]) -> AltitudeBand | None:
    """Returns the limits of a volume, or None without limits.

    A lower limit of 0 above the ground is ignored: nobody flies below the ground, and the limit would need its exact
    height.
    """
    low, low_above, high, high_above = names
    limits: dict[str, Any] = {}
    for name, above, which in ((low, low_above, "min"), (high, high_above, "max")):
        if values.get(name) is None:
            continue
        limit = _number(values[name], f"{path}.{name}", "a finite number, or null for no limit")
        reference = _code(values.get(above), f"{path}.{above}", _REFERENCES)
        is_surface = which == "min" and limit <= 0 and reference is HeightReference.GROUND
        if not is_surface and not (which == "max" and limit >= _UNLIMITED):
            limits |= {which: limit * unit, f"{which}_reference": reference}
    if not limits:
        return None
    try:
        return AltitudeBand(**limits)
    except InvalidArgumentError as error:
        is_low = str(error).startswith("min is")
        raise FieldError(f"{path}.{low if is_low else high}", str(error)) from None


def _circle(center: Any, path: str, radius: Any, parent: str, unit: float) -> Circle:
    place = as_list(center, path, "a longitude and a latitude")
    if len(place) < 2:
        raise FieldError(path, f"must be a longitude and a latitude, not {shown(center)}")
    longitude, latitude = (_degrees(place[index], f"{path}[{index}]", (180, 90)[index]) for index in (0, 1))
    metres = _number(radius, f"{parent}.radius", "a finite number above 0") * unit
    if metres <= 0:
        raise FieldError(f"{parent}.radius", f"must be a finite number above 0, not {shown(radius)}")
    return Circle(latitude, longitude, metres)


def _degrees(value: Any, path: str, most: int) -> float:
    needed = f"degrees from -{most} to {most}"
    degrees = _number(value, path, needed)
    if not -most <= degrees <= most:
        raise FieldError(path, f"must be {needed}, not {shown(value)}")
    return degrees


def _polygon(geometry: Mapping[str, Any], path: str) -> Polygon:
    """Returns a polygon whose edges are planar, as in GeoJSON; neither format has a field that could say otherwise."""
    try:
        return Polygon({"type": geometry["type"], "coordinates": geometry.get("coordinates")}, edges="planar")
    except (InvalidArgumentError, TypeError, ValueError, OverflowError) as error:
        raise FieldError(f"{path}.coordinates", str(error).removeprefix("coordinates: ")) from None
