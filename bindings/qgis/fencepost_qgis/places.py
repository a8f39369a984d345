"""Reads the layer of places: circles, polygons, corridors, gates."""

import json
from dataclasses import dataclass
from typing import Any

from qgis.core import QgsProcessingException, QgsWkbTypes
from qgis.PyQt.QtCore import QDateTime, Qt, QVariant

from .fencepost import (
    Circle,
    Corridor,
    FencepostError,
    Gate,
    Monitor,
    Polygon,
    Rule,
    State,
    TransitionPolicy,
)
from .fencepost._files.condition_features import BAND, TIMING, warn_of_limits, with_intervals
from .fencepost._files.condition_files import ConditionRow, band_of, rule_of, timing_of
from .fencepost._tables.names import CONDITIONS
from .fencepost._values.arguments import MAX_VERTICES, PROBABILITIES
from .layers import Layer, Unusable, is_null, number
from .parameters import RADIUS_UNITS
from .policies import own_policy
from .problems import reasons

SIMPLIFY = "the algorithm Simplify (native:simplifygeometries) reduces the vertices of a layer"
MEND = "the algorithm Fix geometries (native:fixgeometries) repairs most layers of polygons"
SMALL = 1.0
"""If all radii of a layer are smaller than this number of metres, they are probably not in metres."""
MOST_NAMED = 10
"""The largest number of missing parts of rules that messages name."""
KNOWN = {what: CONDITIONS[what] for what in ("identifier", "radius", "gate")} | {
    "assuming": (), "policy": (), "entry_probability": (), "exit_probability": (), "rule": ("rule",),
} | {what: CONDITIONS[what] for what in (*TIMING, *BAND)}  # fmt: skip
_NO_INTERVALS = (QVariant.Bool, QVariant.Int, QVariant.UInt, QVariant.LongLong, QVariant.ULongLong, QVariant.Double)
"""The types of a field `active` that is not a schedule, such as a field that says whether a place is in use."""


@dataclass
class Place:
    """A condition and the feature that it comes from."""

    feature: Any
    row: ConditionRow


def read_places(algorithm, parameters, context, feedback, problems, policy=None, path=None, gates=True):
    """Reads the places of a layer, in the layer's order. Points are circles; lines are corridors, or gates if a field
    says so. A feature without geometry and with a field `rule` is a rule of other features. Algorithms with tracks use
    rules, and the fields of timings and of limits of altitude; the others do not.

    Args:
        policy: The policy for places that do not name a policy; None means the standard policy.
        path: The options of a path. Gates need a path.
        gates: True if lines may be gates; if False, all lines are corridors, whatever their fields say.

    Returns:
        The layer and the list of its places.

    Raises:
        QgsProcessingException: The layer has no usable place.
    """
    reader = _Reader(algorithm, parameters, context, policy or TransitionPolicy.standard(), path, gates)
    layer, places = reader.layer, []
    for feature, _ in layer.features():
        if feedback.isCanceled():
            break
        try:
            places.append(Place(feature, reader.row(feature)))
        except Unusable as error:
            problems.add(layer.title, feature.id(), str(error), error.kind)
    if not places and not feedback.isCanceled():
        raise problems.nothing_in(layer.title, "place")
    layer.warn_of_units(feedback, places)
    reader.warn_of_edges(feedback)
    if algorithm.parameterDefinition("TRACKS") is not None:
        reader.warn_of_unused(feedback)
        reader.warn_of_parts(feedback, [place.row for place in places])
    radii = [place.row.condition.radius for place in places if hasattr(place.row.condition, "radius")]
    if radii and max(radii) < SMALL:
        feedback.pushWarning(f"{layer.title}: all radii are below {SMALL:g} m: are they in metres?")
    return layer, places


def _unusable(error):
    return Unusable(str(error), str(error).split(" is ")[0] + " is out of range")


class _Reader:
    def __init__(self, algorithm, parameters, context, policy, path, gates):
        self.layer = Layer(algorithm, parameters, "CIRCLES", context)
        given = {
            what: algorithm.parameterAsString(parameters, name, context)
            for what, name in (
                ("identifier", "IDENTIFIER_FIELD"), ("radius", "RADIUS_FIELD"),
                ("assuming", "ASSUMING_FIELD"), ("policy", "POLICY_FIELD"), ("gate", "GATE_FIELD"),
                ("entry_probability", "ENTRY_PROBABILITY_FIELD"), ("exit_probability", "EXIT_PROBABILITY_FIELD"),
            )
            if algorithm.parameterDefinition(name) is not None
        }  # fmt: skip
        self._fixed = None
        if not is_null(parameters.get("RADIUS")):
            self._fixed = algorithm.parameterAsDouble(parameters, "RADIUS", context)
        fields = self.layer.fields(KNOWN, given)
        self._replays = algorithm.parameterDefinition("TRACKS") is not None
        if list(fields.values()).count(fields.get("rule")) > 1:
            del fields["rule"]  # the user has chosen this field for something else, such as the policy
        self._dropped = []
        if "active" in fields and self.layer.source.fields().at(fields["active"]).type() in _NO_INTERVALS:
            self._dropped.append(self.layer.source.fields().at(fields.pop("active")).name())
        if self._fixed is not None and not given["radius"]:
            fields.pop("radius", None)
        kind = QgsWkbTypes.geometryType(self.layer.source.wkbType())
        if gates and "gate" in fields and kind == QgsWkbTypes.LineGeometry:
            pass  # a gate needs no radius; each other feature without a radius is refused separately
        elif "radius" not in fields and self._fixed is None and kind != QgsWkbTypes.PolygonGeometry:
            raise QgsProcessingException(
                f"{self.layer.title}: no field is named radius; choose the radius field or set a fixed radius"
            )
        self._fields, self._policy = fields, policy
        self._unit = RADIUS_UNITS[algorithm.parameterAsEnum(parameters, "RADIUS_UNIT", context)]
        # Straight edges in a geographic coordinate system are straight lines of longitude and latitude.
        self._edges = "planar" if self.layer.crs.isGeographic() else "geodesic"
        self._path, self._gates = path, gates
        self._checker = Monitor(**(path or {}))
        self._ids = {}
        self._no_rules = 0

    def row(self, feature):
        """Returns the feature as a condition.

        Raises:
            Unusable: The feature is not a place.
        """
        condition = self._rule(feature) or self._condition(feature)
        identifier = self._identifier(feature)
        timing, band = self._timing(feature), self._band(feature)
        assuming = self._value(feature, "assuming") or State.UNKNOWN
        own = [self._value(feature, what) for what in ("policy", *PROBABILITIES)]
        is_gate = isinstance(condition, Gate)
        policy = None if is_gate else self._policy
        if own != [None] * len(own):
            policy = own_policy(own[0], self._policy, *own[1:])
        if identifier in self._ids:
            reason = f"identifier '{identifier}' is already used by feature {self._ids[identifier]}"
            raise Unusable(reason, "the identifier is already used")
        try:
            self._checker.add(
                condition, identifier, assuming=assuming, policy=policy, max_vertices=MAX_VERTICES, timing=timing,
                band=band,
            )  # fmt: skip
        except FencepostError as error:
            if "too_many_vertices:" in str(error):
                raise Unusable(f"{error}; {SIMPLIFY}", "too_many_vertices") from None
            if isinstance(condition, Polygon):
                raise Unusable(f"{error}; {MEND}", str(error).split(":")[0]) from None
            raise _unusable(error) from None
        self._ids[identifier] = feature.id()
        place = f"feature {feature.id()}"
        return ConditionRow(place, identifier, condition, State(assuming), policy, timing=timing, band=band)

    def warn_of_unused(self, feedback):
        """Reports fields that look as if they belong to the limits of altitude, the timing or the rule of a place, but
        are not used."""
        for reason in reasons(warn_of_limits, self.layer.title, self.layer.source.fields().names(), {}):
            feedback.pushWarning(f"{self.layer.title}: {reason}")
        for name in self._dropped:
            feedback.pushWarning(
                f"{self.layer.title}: the field '{name}' is not used: it has no text with intervals such as "
                "2026-03-02T08:00+01:00/2026-03-02T12:00+01:00, so places are always active"
            )
        if self._no_rules:
            feedback.pushWarning(
                f"{self.layer.title}: the field 'rule' of {self._no_rules} features is not used: it is not a JSON "
                'object such as {"all": ["yard", "dock"]}, and the features have geometries, so they are places'
            )

    def warn_of_parts(self, feedback, rows):
        """Reports the parts of rules that are not features of the layer, such as beacons: they stay unknown."""
        rules = {row.identifier: row.condition.parts for row in rows if isinstance(row.condition, Rule)}
        names = {row.identifier for row in rows}
        missing = [(rule, part) for rule, parts in rules.items() for part in parts if part not in names]
        for rule, part in missing[:MOST_NAMED]:
            feedback.pushWarning(
                f"{self.layer.title}: rule '{rule}': its part '{part}' is not a usable feature of the layer, so the "
                "part is always unknown"
            )
        if len(missing) > MOST_NAMED:
            feedback.pushWarning(f"{self.layer.title}: {len(missing) - MOST_NAMED} more parts of rules are missing")

    def warn_of_edges(self, feedback):
        """Reports where geodesic and planar edges differ most, if the difference is more than a metre. The report is
        useful because layers do not state which kind of edges they have."""
        apart = [
            (reading.departure, feature, reading)
            for identifier, feature in self._ids.items()
            if (reading := self._checker.shape(identifier)).departure is not None
        ]
        if not apart:
            return
        metres, feature, reading = max(apart, key=lambda each: each[0])
        meant = {
            "planar": "straight lines in degrees, because the coordinate system of the layer is in degrees",
            "geodesic": "geodesics, because the coordinate system of the layer is not in degrees",
        }[self._edges]
        others = f", the largest distance among {len(apart)} features" if len(apart) > 1 else ""
        feedback.pushWarning(
            f"{self.layer.title}, feature {feature}: geodesic and planar edges lie up to {metres:.0f} m apart (part "
            f"{reading.part}, ring {reading.ring}, edge {reading.edge}{others}); the edges are treated as {meant}"
        )

    def _rule(self, feature):
        """Returns the rule that a feature is, or None."""
        given = self._value(feature, "rule")
        if given is None:
            return None
        geometry = feature.geometry()
        is_place = not geometry.isNull() and not geometry.isEmpty()
        is_text = isinstance(given, str)
        if is_place and not (given.lstrip().startswith("{") if is_text else isinstance(given, dict)):
            self._no_rules += 1
            return None
        if is_text:
            try:
                given = json.loads(given)
            except (ValueError, RecursionError):
                raise Unusable(
                    f'rule: must be a JSON object such as {{"all": ["yard", "dock"]}}, not \'{given[:60]}\'',
                    "the rule is not a JSON object",
                ) from None
        if not self._replays:
            raise Unusable("is a rule, which has no position", "is a rule, which has no position")
        # The radius is a field of the layer, which also has places, so a rule may have one.
        try:
            return rule_of(geometry if is_place else None, {"rule": given})
        except FencepostError as error:
            raise Unusable(str(error), "the rule cannot be used") from None

    def _timing(self, feature):
        """Returns the timing of a feature, or None."""
        if not self._replays:
            return None
        values = {what: self._value(feature, what) for what in TIMING}
        until = values["active_until"]
        if isinstance(until, QDateTime):
            if until.timeSpec() == Qt.LocalTime:
                raise Unusable(
                    "active_until: QGIS read it as a date-time without its offset; store it as a text in ISO 8601",
                    "active_until has no offset",
                )
            values["active_until"] = until.toUTC().toString(Qt.ISODateWithMs)
        for what in TIMING[2:]:
            if isinstance(values[what], str):
                values[what] = number(values[what], what, "")
        try:
            return timing_of(with_intervals(values))
        except FencepostError as error:
            text = str(error)
            text = text if text.startswith(TIMING) else f"active: {text}"
            raise Unusable(text, "the timing cannot be used") from None

    def _band(self, feature):
        """Returns the limits of altitude of a feature, or None."""
        if not self._replays:
            return None
        values = {what: self._value(feature, what) for what in BAND}
        for what in BAND[:2]:
            if isinstance(values[what], str):
                values[what] = number(values[what], what)
        try:
            return band_of(values)
        except FencepostError as error:
            raise Unusable(str(error), "the limits of altitude cannot be used") from None

    def _is_gate(self, feature):
        if not self._gates or not self._value(feature, "gate"):
            return False
        if self._path is None:
            raise Unusable("is a gate, which needs movement along the geodesic between two fixes", "gates need a path")
        return True

    def _condition(self, feature):
        geometry = feature.geometry()
        kind = QgsWkbTypes.geometryType(geometry.wkbType())
        try:
            if geometry.isNull() or geometry.isEmpty() or kind not in (
                QgsWkbTypes.PolygonGeometry, QgsWkbTypes.LineGeometry,
            ):  # fmt: skip
                return Circle(*self.layer.position(feature), self._radius(feature))
            if kind == QgsWkbTypes.PolygonGeometry:
                return Polygon(self.layer.shape(feature), edges=self._edges)
            if self._is_gate(feature):
                return Gate(self.layer.shape(feature), edges=self._edges)
            return Corridor(self.layer.shape(feature), self._radius(feature), edges=self._edges)
        except FencepostError as error:
            raise _unusable(error) from None

    def _value(self, feature, what):
        if what not in self._fields:
            return None
        value = feature.attributes()[self._fields[what]]
        return None if is_null(value) else value

    def _identifier(self, feature):
        value = self._value(feature, "identifier")
        if value is None:
            if "identifier" in self._fields:
                raise Unusable("has no identifier")
            return str(feature.id())
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        return str(value)

    def _radius(self, feature):
        value = self._value(feature, "radius")
        if value is not None:
            return number(value, "radius") * self._unit
        if self._fixed is None:
            raise Unusable("has no radius")
        return self._fixed
