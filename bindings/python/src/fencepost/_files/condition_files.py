"""Conditions files: a GeoJSON FeatureCollection of circles (Point features), polygons, lines (corridors and gates),
beacons and rules (features without geometry).

Sources with rows (CSV, frames, GeoPackage, Shapefile, KML) are converted to features first, so that one function checks
all conditions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeGuard

from .._dataclass import dataclass
from .._errors import InputError, warn
from .._native import InvalidArgumentError
from .._values.any_condition import Condition
from .._values.arguments import MAX_VERTICES, PROBABILITIES, assumed_state, is_gate, policy_of
from .._values.conditions import Beacon, Circle, is_line
from .._values.enums import State
from .._values.policy import TransitionPolicy
from .._values.rules import Rule
from .condition_features import BAND, TIMING, geojson_features
from .condition_shapes import SHAPES, shape_condition
from .doubts import about_radii
from .kinds import ending, is_packed, read_unpacked
from .text import decode
from .tracks import VECTOR_FORMATS
from .vector import PLAIN, Reading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._values.bands import AltitudeBand
    from .._values.schedule import Timing


@dataclass(frozen=True, slots=True)
class ConditionRow:
    """One condition that was read from a file."""

    place: str
    identifier: str
    condition: Condition
    assuming: State
    policy: TransitionPolicy | None
    """None for a gate."""
    leaves_edges_open: bool = False
    """True if the file does not state whether the edges of the shape are geodesic or planar."""
    tag: int = 0
    max_vertices: int = 0
    """The largest number of vertices of a shape; 0 means that only the library's limit applies."""
    timing: Timing | None = None
    band: AltitudeBand | None = None


def read_conditions(
    path: str | Path,
    default: TransitionPolicy,
    *,
    how: Reading = PLAIN,
    columns: Mapping[str, str] | None = None,
    radius: float | None = None,
    assuming: State = State.UNKNOWN,
) -> list[ConditionRow]:
    """Reads a conditions file: GeoJSON, CSV with named columns, the way points of a GPX file, or a vector format that
    GeoPandas reads. Warns about radii that look like kilometres, and about a file without conditions.

    Args:
        path: The file.
        default: The policy of features that do not name a policy. If a feature's policy has only some fields, the other
            fields come from `default`.
        how: Which layer of a vector file to read, whether to transform the file's coordinates, and how many vertices a
            condition may have.
        columns: Which column or property has which meaning, if the library does not recognise its name.
        radius: Radius, in metres, for circles that do not specify one.
        assuming: Initial state of conditions that have no assumed state of their own.

    Raises:
        InputError: The file cannot be used; the error message names the file, the feature and the reason.
    """
    features = _features(path, how, columns or {}, radius)
    rows = condition_rows(features, path, default, radius, assuming, how.max_vertices)
    if not rows:
        warn(path, "", "the file has no conditions, so nothing is monitored")
    return rows


def _features(
    path: str | Path, how: Reading, columns: Mapping[str, str], radius: float | None
) -> Iterator[tuple[str, Any]]:
    kind = ending(path)
    if how.layer is not None and kind not in VECTOR_FORMATS:
        raise InputError(path, "", "has no layers")
    if kind in (".csv", ".tsv"):
        from .condition_rows import csv_features

        return csv_features(path, columns, radius)
    if kind in VECTOR_FORMATS and not is_packed(path):
        from .condition_rows import table_features
        from .vector import read_vector

        return table_features(read_vector(path, how), str(path), columns, radius, how)
    data = read_unpacked(path)
    if kind == ".gpx":
        from .track_gpx import way_point_features

        return way_point_features(data, path)
    return geojson_features(decode(data, path), path, columns)


def condition_rows(
    features: Iterable[tuple[str, Any]],
    source: str | Path,
    default: TransitionPolicy,
    radius: float | None = None,
    assuming: State = State.UNKNOWN,
    max_vertices: int = MAX_VERTICES,
) -> list[ConditionRow]:
    """Converts features to conditions. Each condition keeps its position in the file, which messages name. `radius` and
    `assuming` apply to features without a radius or an assumed state, and `max_vertices` applies to each shape.

    Raises:
        InputError: A feature cannot be used, or an identifier occurs twice.
    """
    rows = []
    places: dict[str, str] = {}
    for place, feature in features:
        number = row_number(place)
        try:
            row = _row(feature, place, default, radius, assuming, max_vertices)
        except (ValueError, OverflowError) as error:
            raise InputError(source, place, str(error), number) from None
        if row.identifier in places:
            reason = f"identifier {row.identifier!r} is also that of {places[row.identifier]}"
            raise InputError(source, place, reason, number)
        places[row.identifier] = place
        rows.append(row)
    radii = [row.condition.radius for row in rows if isinstance(row.condition, Circle)]
    if radius is None and (doubt := about_radii(radii)):
        warn(source, "", doubt)
    return rows


def row_number(place: str) -> int | None:
    """Returns the number in a text such as ``row 7``, or None if the text does not name a row."""
    return int(place.removeprefix("row ")) if place.startswith("row ") else None


def _row(
    feature: Any, place: str, default: TransitionPolicy, radius: float | None, assuming: State, most: int
) -> ConditionRow:
    if not isinstance(feature, dict) or feature.get("type") != "Feature":
        raise InvalidArgumentError("is not a Feature")
    properties = feature.get("properties")
    if not isinstance(properties, dict):
        raise InvalidArgumentError("has no properties")
    identifier = properties.get("identifier")
    if not isinstance(identifier, str):
        raise InvalidArgumentError("identifier: must be a string")
    state = assumed_state(properties.get("assuming", assuming))
    policy = policy_of(properties.get("policy"), default, *map(properties.get, PROBABILITIES))
    timing, band = timing_of(properties), band_of(properties)
    geometry = feature.get("geometry")
    if isinstance(geometry, dict) and geometry.get("type") in SHAPES:
        said = properties.get("edges")
        shape = shape_condition(geometry, properties, radius, said or "planar")
        if is_line(shape):
            for name in ("policy", "assuming", *PROBABILITIES):
                if properties.get(name) is not None:
                    needed = f"remove {name}; a gate does not accept it, because each crossing counts"
                    raise InvalidArgumentError(f"{name}: {needed}")
            if band is not None:
                raise InvalidArgumentError("altitude_min and altitude_max: remove them; a gate has no limits of height")
            return ConditionRow(
                place, identifier, shape, State.UNKNOWN, None, said is None, max_vertices=most, timing=timing
            )
        options: dict[str, Any] = {"max_vertices": most, "timing": timing, "band": band}
        return ConditionRow(place, identifier, shape, state, policy, said is None, **options)
    if is_gate(properties.get("gate")):
        raise InvalidArgumentError("gate: only a line can be a gate")
    if properties.get("rule") is not None:
        if band is not None:
            raise InvalidArgumentError("altitude_min and altitude_max: remove them; a rule has no limits of height")
        return ConditionRow(place, identifier, rule_of(geometry, properties), state, policy, timing=timing)
    condition = _beacon(properties) if geometry is None else _circle(geometry, properties, radius)
    if band is not None and isinstance(condition, Beacon):
        raise InvalidArgumentError("altitude_min and altitude_max: remove them; a beacon has no limits of height")
    return ConditionRow(place, identifier, condition, state, policy, timing=timing, band=band)


def timing_of(properties: Mapping[str, Any]) -> Timing | None:
    """Returns the timing that the properties of a feature state, or None without such a property.

    Raises:
        InvalidArgumentError: A property cannot be used; the message begins with its name.
    """
    given = {name: properties[name] for name in TIMING if properties.get(name) is not None}
    if not given:
        return None
    from .._values.schedule import Schedule, Timing

    for name, value in given.items():
        if name not in ("active", "active_until") and not _is_number(value):
            raise InvalidArgumentError(f"{name}: must be a number, not {value!r}")
        if name in ("repeat_limit", "max_events"):  # a column with empty cells contains floats
            if value % 1:
                raise InvalidArgumentError(f"{name}: must be a whole number, not {value!r}")
            given[name] = int(value)
    active, until = given.pop("active", None), given.pop("active_until", None)
    if active is None:
        if until is not None:
            raise InvalidArgumentError("active_until: the feature has no property active; add the intervals")
        return Timing(**given)
    needed = "a list of intervals such as 2026-03-02T08:00+01:00/2026-03-02T12:00+01:00"
    if isinstance(active, str) or not isinstance(active, list | tuple):
        raise InvalidArgumentError(f"active: must be {needed}, not {active!r}")
    for each in active:
        if not isinstance(each, str):
            raise InvalidArgumentError(f"active: must be {needed}; has {each!r}")
    if until is not None and not isinstance(until, str):
        raise InvalidArgumentError(f"active_until: must be a text in ISO 8601 with an offset, not {until!r}")
    return Timing(active=Schedule(active, until=until), **given)


def band_of(properties: Mapping[str, Any]) -> AltitudeBand | None:
    """Returns the limits of height that the properties of a feature state, or None without a limit. A file must say
    what each limit is above, because the usual meanings differ by tens or hundreds of metres.

    Raises:
        InvalidArgumentError: A property cannot be used; the message begins with its name.
    """
    low, high, below, above = (properties.get(name) for name in BAND)
    if low is None and high is None:
        return None
    from .._values.bands import AltitudeBand
    from .._values.enums import HeightReference

    given: dict[str, Any] = {}
    for which, limit, reference in (("min", low, below), ("max", high, above)):
        if limit is None:
            continue
        if not _is_number(limit):
            raise InvalidArgumentError(f"altitude_{which}: must be a number of metres, not {limit!r}")
        known = [str(each) for each in HeightReference]
        if reference not in known:
            found = "is missing" if reference is None else f"{reference!r} is not known"
            raise InvalidArgumentError(f"altitude_{which}_reference {found}: must be one of {', '.join(known)}")
        given |= {which: limit, f"{which}_reference": reference}
    try:
        return AltitudeBand(**given)
    except InvalidArgumentError as error:
        raise InvalidArgumentError(f"altitude_min, altitude_max: {error}") from None


def _circle(geometry: Any, properties: dict[str, Any], default: float | None) -> Circle:
    kind = geometry.get("type") if isinstance(geometry, dict) else None
    if kind != "Point":
        needed = f"{', '.join(SHAPES)}, a Point with the property radius, or null for a beacon"
        raise InvalidArgumentError(f"geometry {kind!r}: must be {needed}")
    if "uuid" in properties:
        raise InvalidArgumentError("has a geometry and a uuid; for a beacon condition, set geometry to null")
    coordinates = geometry.get("coordinates")
    if not isinstance(coordinates, list | tuple) or len(coordinates) < 2 or not all(map(_is_number, coordinates)):
        raise InvalidArgumentError(f"coordinates must be [longitude, latitude], not {coordinates!r}")
    radius = properties.get("radius")
    if radius is None:
        radius = default
    if not _is_number(radius):
        raise InvalidArgumentError(f"radius: must be a number of metres, not {radius!r}")
    return Circle(float(coordinates[1]), float(coordinates[0]), float(radius))


def _beacon(properties: dict[str, Any]) -> Beacon:
    uuid = properties.get("uuid")
    if not isinstance(uuid, str):
        raise InvalidArgumentError(
            "uuid: a beacon condition needs a uuid (string), a rule the property rule; a circle needs a Point geometry"
        )
    numbers = dict(_optional_integers(properties, "major", "minor"))
    return Beacon(uuid, numbers["major"], numbers["minor"])


def rule_of(geometry: Any, properties: Mapping[str, Any]) -> Rule:
    """Returns the rule that the property ``rule`` of a feature states.

    Raises:
        InvalidArgumentError: The feature has a geometry or a property that rules do not have, or the rule cannot be
            used.
    """
    given = properties["rule"]
    if geometry is not None:
        raise InvalidArgumentError("rule: set geometry to null; the parts of a rule have the geometries")
    for name in ("uuid", "radius"):
        if properties.get(name) is not None:
            raise InvalidArgumentError(f"{name}: remove it; a rule has no {name}, only its parts have")
    if not isinstance(given, dict) or "kind" in given:
        needed = 'an object such as {"all": ["yard", "dock"]} or {"at_least": 2, "of": ["a", "b", "c"]}'
        raise InvalidArgumentError(f"rule: must be {needed}, not {given!r}")
    parts = next((value for name, value in given.items() if name != "at_least"), None)
    if parts is not None and not isinstance(parts, list | tuple):
        raise InvalidArgumentError(f"rule: the parts must be a list of identifiers, not {parts!r}")
    try:
        return Rule.from_dict(given)
    except (InvalidArgumentError, TypeError) as error:
        raise InvalidArgumentError(f"rule: {error}") from None


def _optional_integers(values: dict[str, Any], *names: str) -> Iterator[tuple[str, int | None]]:
    for name in names:
        value = values.get(name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
            raise InvalidArgumentError(f"{name} must be an integer, not {value!r}")
        yield name, value


def _is_number(value: Any) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
