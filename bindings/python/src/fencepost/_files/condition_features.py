"""The features in a GeoJSON conditions file. The properties of a feature may have the same names as the columns of
tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from .._errors import InputError
from .._tables.names import CONDITIONS, POSITION, key
from .._tables.numbers import listed
from .._values.arguments import PROBABILITIES, identifier_text
from .text import parse_json

_NAMED = ("identifier", "radius", "assuming", "policy", *PROBABILITIES, "edges", "oriented", "buffer", "gate")
TIMING = ("active", "active_until", "absent_after", "repeat_every", "repeat_limit", "max_events")
"""The properties that state when a condition is active. They have no other names."""


def geojson_features(text: str, path: str | Path, columns: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    """The features, each with its place in the file. Sets the properties ``identifier``, ``radius``, ``assuming`` and
    ``policy`` from properties with usual names (``id``, ``name``, ``radius_m``), from the properties that `columns`
    names, and from a feature's own ``id``.

    Raises:
        InputError: The text is not a FeatureCollection, or no feature has a property that `columns` names.
    """
    return document_features(parse_json(text, path), path, columns)


def refuse_uas_zones(document: Any, path: str | Path) -> None:
    """Refuses UAS geographical zones: as plain GeoJSON, they would lose their limits of height without a word."""
    from .uas_zones import is_uas_file

    if is_uas_file(document):
        reason = (
            "has UAS geographical zones (ED-269 or ED-318), whose limits of height are not monitored; read it with "
            "fencepost.uas.read() and add the footprints of the zones"
        )
        raise InputError(path, "", reason)


def document_features(document: Any, path: str | Path, columns: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    """The features of a parsed collection, in the same form as the result of :func:`geojson_features`; a single feature
    counts as a collection."""
    refuse_uas_zones(document, path)
    if isinstance(document, dict) and document.get("type") == "Feature":
        document = {"type": "FeatureCollection", "features": [document]}
    if not isinstance(document, dict) or document.get("type") != "FeatureCollection":
        raise InputError(path, "type", "is not a GeoJSON FeatureCollection")
    features = document.get("features")
    if not isinstance(features, list | tuple):
        raise InputError(path, "features", "is not an array")
    _check(features, columns, path)
    for index, feature in enumerate(features):
        yield f"features[{index}]", _named(feature, columns) if _is_feature(feature) else feature


def _is_feature(feature: Any) -> bool:
    return isinstance(feature, dict) and isinstance(feature.get("properties"), dict)


def _check(features: Sequence[Any], columns: Mapping[str, str], path: str | Path) -> None:
    for what, name in columns.items():
        if what in POSITION:
            raise InputError(path, "", f"columns: GeoJSON has the {what} in its geometries, so no column can be chosen")
        if what not in CONDITIONS:
            raise InputError(path, "", f"columns: {what!r} is not one of {', '.join(_NAMED)}")
        names = dict.fromkeys(name for feature in features if _is_feature(feature) for name in feature["properties"])
        if name not in names:
            raise InputError(path, "", f"there is no property {name!r}, only {listed(names)}")


def _named(feature: dict[str, Any], columns: Mapping[str, str]) -> dict[str, Any]:
    given: dict[str, Any] = feature["properties"]
    properties = dict(given)
    for what in _NAMED:
        name = columns.get(what) or (what if given.get(what) is not None else _usual(given, what))
        if name is not None:
            properties[what] = given.get(name)
        if properties.get(what) is None:
            properties.pop(what, None)
    if "identifier" not in properties and "identifier" not in columns and feature.get("id") is not None:
        properties["identifier"] = feature["id"]
    if "identifier" in properties:
        properties["identifier"] = identifier_text(properties["identifier"])
    return feature | {"properties": properties}


def _usual(properties: Mapping[str, Any], what: str) -> str | None:
    for usual in CONDITIONS[what]:
        for name, value in properties.items():
            if key(name) == usual and value is not None:
                return name
    return None
