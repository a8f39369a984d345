"""The features in a GeoJSON conditions file. The properties of a feature may have the same names as the columns of
tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from json import JSONDecodeError, loads
from pathlib import Path
from typing import Any

from .._errors import InputError, warn
from .._native import InvalidArgumentError
from .._tables.names import CONDITIONS, POSITION, key, warn_of_units, words
from .._tables.numbers import listed, short, shown
from .._values.arguments import PROBABILITIES, identifier_text
from .text import parse_json

_NAMED = ("identifier", "radius", "assuming", "policy", *PROBABILITIES, "edges", "oriented", "buffer", "gate")
TIMING = ("active", "active_until", "absent_after", "repeat_every", "repeat_limit", "max_events")
"""The properties that state when a condition is active. They have no other names."""
BAND = ("altitude_min", "altitude_max", "altitude_min_reference", "altitude_max_reference")
"""The properties of a band of heights. Case and punctuation do not count in their names."""
_LIKE_LIMIT = re.compile(
    r"(?=.*(?:altitude|elevation|\balt\b|altmin|altmax|minalt|maxalt))"
    r"(?=.*(?:min|max|lower|upper|floor|ceil|bottom|top|reference))"
    r"|.*(?:(?:lower|upper) ?limit|(?:lower|upper|floor|ceiling) (?:m|metres|meters|ft|feet|agl|msl|amsl|fl)\b)"
)
"""Matches names of columns that look like limits of height. The names are in lower case, with single spaces. To search
for the pattern would take quadratic time."""
_CUT = ("altitude_m", "altitude_1", "altitude_2", "altitude_3")
"""The names of the columns of a band in a shapefile, which cuts names to ten characters."""


def geojson_features(text: str, path: str | Path, columns: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    """The features, each with its place in the file. Sets the properties ``identifier``, ``radius``, ``assuming`` and
    ``policy`` from properties with usual names (``id``, ``name``, ``radius_m``), from the properties that `columns`
    names, and from a feature's own ``id``.

    Raises:
        InputError: The text is not a FeatureCollection, or no feature has a property that `columns` names.
    """
    return document_features(parse_json(text, path), path, columns)


def with_intervals(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a row, in which the text ``active`` is a list of intervals, as in a GeoJSON feature. A text
    separates the intervals with semicolons, or is a JSON list.

    Raises:
        InvalidArgumentError: The text is not a JSON list.
    """
    text = values.get("active")
    if not isinstance(text, str):
        return dict(values)
    if not text.lstrip().startswith("["):
        return {**values, "active": [part for part in map(str.strip, text.split(";")) if part]}
    try:
        return {**values, "active": loads(text)}
    except (JSONDecodeError, RecursionError):
        raise InvalidArgumentError(f"active: {shown(text)} is not a JSON list of intervals") from None


def warn_of_limits(source: str | Path, names: Iterable[str], columns: Mapping[str, str]) -> None:
    """Warns if a source of conditions has no limits of height, but has a column that looks like one. The unit and the
    reference of such a column are not guessed. Also warns if a name in `columns` states another unit."""
    warn_of_units(source, columns)
    held = list(names)
    limits = BAND[:2]
    if any(what in columns for what in limits) or any(
        key(name) in CONDITIONS[what] for what in limits for name in held
    ):
        return
    cut = _CUT if str(source).lower().endswith(".shp") else ()
    for name in held:
        if _LIKE_LIMIT.match(" ".join(words(name))) or name.lower() in cut:
            reason = (
                f"{short(name)!r} is not read as a limit of height; limits in metres have the names altitude_min and "
                "altitude_max, with altitude_min_reference and altitude_max_reference"
            )
            warn(source, "", reason)
            return


def refuse_uas_zones(document: Any, path: str | Path) -> None:
    """Refuses UAS geographical zones: as plain GeoJSON, they would lose their limits of height and their times without
    a word."""
    from .uas_zones import is_uas_file

    if is_uas_file(document):
        reason = (
            "has UAS geographical zones (ED-269 or ED-318); read it with fencepost.uas.read() and add each zone with "
            "its footprint, band and timing"
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
    names = dict.fromkeys(name for feature in features if _is_feature(feature) for name in feature["properties"])
    warn_of_limits(path, [name for name in names if isinstance(name, str)], columns)
    for index, feature in enumerate(features):
        yield f"features[{index}]", _named(feature, columns) if _is_feature(feature) else feature


def _is_feature(feature: Any) -> bool:
    return isinstance(feature, dict) and isinstance(feature.get("properties"), dict)


def _check(features: Sequence[Any], columns: Mapping[str, str], path: str | Path) -> None:
    for what, name in columns.items():
        if what in POSITION:
            raise InputError(path, "", f"columns: GeoJSON has the {what} in its geometries, so no column can be chosen")
        if what not in CONDITIONS:
            raise InputError(path, "", f"columns: {what!r} is not one of {', '.join((*_NAMED, *TIMING, *BAND))}")
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
    for what in (*TIMING, *BAND):
        if what in columns:
            properties[what] = given.get(columns[what])
        elif what in BAND and given.get(what) is None and (name := _usual(given, what)) is not None:
            properties[what] = given[name]
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
